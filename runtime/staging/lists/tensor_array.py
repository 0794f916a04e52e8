"""`TensorArray`: tensors by index, written one by one, in eager code and in graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from runtime import dtypes, errors, ops
from runtime.core.convert import convert_to_tensor
from runtime.core.dataclasses import dataclass
from runtime.core.primitive import Primitive, wrong_dtype, wrong_value
from runtime.core.shapes import Shape, TensorShape, as_shape, compatible, is_known, join_shapes
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor, is_tensor
from runtime.core.types import TensorType
from runtime.dtypes import DType, as_dtype
from runtime.graph import lists
from runtime.graph.nodes import LIST_AS, apply
from runtime.graph.structures import Handler, Structure, add_handler
from runtime.staging.aliasing.identities import Replaced, check, identify, identity_of, keeps_size
from runtime.staging.control.joins import join
from runtime.staging.control.specs import Spec, Tree
from runtime.staging.scopes import Symbol
from runtime.staging.symbolic_number import number_to_tensor


@dataclass(slots=True, eq=False, repr=False)
class _Kind:
    """The constant part of an array, which all that come of it by writes share.

    `shape` is that of the elements, as far as it is known: the first write may tell. `is_sure`: of
    those that were written before, too. `size`: how many there are in a graph, where it is known.
    """

    dtype: DType
    dynamic: bool
    infers: bool
    shape: Shape
    is_sure: bool = True
    size: int | None = None

    def _key(self) -> tuple[Any, ...]:
        return self.dtype, self.dynamic, self.infers, self.size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kind) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        grows = " that grows" if self.dynamic else ""
        return f"of {self.dtype.name}{grows}" + ("" if self.infers else " with any shapes")

    @property
    def element(self) -> TensorType:
        """The type of the elements."""
        return TensorType(self.dtype, self.shape)

    def copy(self) -> _Kind:
        """The same, of which another array may learn."""
        return self.of_size(self.size)

    def of_size(self, size: int | None) -> _Kind:
        """The same for another number of elements."""
        return _Kind(self.dtype, self.dynamic, self.infers, self.shape, self.is_sure, size)

    def joined(self, other: _Kind) -> _Kind:
        """Returns the common part of arrays of both."""
        size = self.size if self.size == other.size else None
        if other.is_fresh or self.is_fresh:
            return (self if other.is_fresh else other).of_size(size)
        shape = join_shapes(self.shape, other.shape)
        is_sure = self.is_sure and other.is_sure and shape is not None
        return _Kind(self.dtype, self.dynamic, self.infers, shape, is_sure, size)

    @property
    def is_fresh(self) -> bool:
        """True if nothing is written yet, and nothing is said of what may be."""
        return self.shape is None and self.is_sure

    def elements(self, items: list[Any]) -> lists.Elements:
        """The elements of an array outside of graphs."""
        return lists.Elements(items, self.element)

    def checked(self, value: Any, shape_of_rows: bool = False) -> Tensor:
        """`value` as a tensor. TypeError, ValueError where it cannot be an element."""
        try:
            tensor = convert_to_tensor(value, None if isinstance(value, Tensor) else self.dtype)
        except TypeError as error:
            reason = error.detail if isinstance(error, errors.OpError) else str(error)
            raise wrong_dtype(f"an element of a TensorArray: {reason}") from None
        if tensor.dtype is not self.dtype:
            raise wrong_dtype(
                f"a TensorArray of {self.dtype.name} was given a tensor of {tensor.dtype.name}: "
                "convert it with tf.cast, or make the TensorArray of that dtype"
            )
        shape = tensor.static_shape
        element = shape[1:] if shape_of_rows and shape else shape
        self.learn(element)
        if self.shape in (None, element) or join_shapes(self.shape, element) == self.shape:
            return tensor
        return ops.ensure_shape(tensor, (None, *self.shape) if shape_of_rows else self.shape)

    def learn(self, shape: Shape) -> None:
        """Check the shape of an element; keep it where it is to be inferred."""
        if shape == self.shape is not None:
            return
        if not compatible(self.shape, shape):
            raise errors.InvalidValueError(
                f"a TensorArray with elements of shape {TensorShape(self.shape)} was given one of "
                f"shape {TensorShape(shape)}: make it with infer_shape=False for different shapes"
            )
        if self.infers and self.shape is None:
            self.shape = shape
            self.is_sure = self.is_sure and shape is not None


class TensorArray(Replaced):
    """Tensors of one dtype by index, each written with `write`, which returns the new array.

    `size` is the number of elements; with `dynamic_size`, writing behind the end makes it larger.
    `element_shape` declares their shape; with `infer_shape` the first write decides on it. In
    graphs use what `write` returns from then on: the array itself is as it was, and refuses to be
    used again. An array from outside of a traced function can be read there.

    >>> array = rt.TensorArray(rt.float32, size=2).write(0, 1.).write(1, 2.)
    >>> array.stack().numpy().tolist()
    [1.0, 2.0]
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        shape = None if element_shape is None else as_shape(element_shape)
        self._kind = _Kind(as_dtype(dtype), bool(dynamic_size), infer_shape, shape)
        if size is None and not dynamic_size:
            raise ValueError("TensorArray(): size must be given, or dynamic_size=True")
        count = _integers(0 if size is None else size, (), "TensorArray(): size")
        self._items: Any
        if state.trace is None:
            self._items = self._kind.elements(lists.NEW.kernel(count, element=self._kind.element))
        else:
            known = count.static_value
            if known is not None and not dynamic_size and known >= 0:
                self._kind.size = int(known)
            self._items = apply(lists.NEW, count, element=self._kind.element)

    # What it is

    @property
    def dtype(self) -> DType:
        """The type of the elements' elements."""
        return self._kind.dtype

    @property
    def dynamic_size(self) -> bool:
        """True if it may grow."""
        return self._kind.dynamic

    @property
    def element_shape(self) -> TensorShape:
        """The shape of the elements, as far as it is known."""
        return TensorShape(self._kind.shape)

    @property
    def flow(self) -> Tensor:
        """An entry for `control_dependencies`: what an array stands for needs none."""
        return convert_to_tensor(0)

    handle = None

    def __repr__(self) -> str:
        return f"<tf.TensorArray of {self.dtype.name} with elements of shape {self.element_shape}>"

    def _with(self, items: Any) -> TensorArray:
        made: TensorArray = object.__new__(type(self))
        made._kind, made._items = self._kind, items
        return made

    def _sized(self, size: int | None) -> _Kind:
        return self._kind if self._kind.size == size else self._kind.of_size(size)

    @property
    def _is_staged(self) -> bool:
        return isinstance(self._items, Symbol) or state.trace is not None

    @property
    def _list(self) -> Any:
        """The list of the graph, to be read."""
        check(self)
        return self._items if isinstance(self._items, Symbol) else self._items.staged()

    def _replaced(self, primitive: Primitive, *values: Any, **params: Any) -> TensorArray:
        """The array after a change; `self`, which Python would change, is not to be used again."""
        check(self)
        identity = identity_of(self)
        identity.check_changeable()
        made = self._with(apply(primitive, *values, **params))
        identity.change(made._items, primitive is lists.SET and not self._kind.dynamic)
        identify(made, identity)
        return made

    @property
    def _eager(self) -> list[Any]:
        items: list[Any] = self._items.items
        return items

    def _hold(self, items: list[Any]) -> TensorArray:
        self._items.is_current = False
        self._kind = self._sized(None)
        self._items = self._kind.elements(items)
        return self

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of its elements, an int32.

        >>> array = rt.TensorArray(rt.int32, size=2).unstack([3, 4])
        >>> int(array.size())
        2
        """
        if self._is_staged:
            is_known = isinstance(self._items, Symbol) and keeps_size(self)
            length = apply(lists.LENGTH, self._items if is_known else self._list)
            return cast(Tensor, number_to_tensor(length, dtypes.int32))
        return convert_to_tensor(len(self._eager), "int32")

    def identity(self) -> TensorArray:
        """The same elements in another array.

        >>> array = rt.TensorArray(rt.int32, size=2).unstack([3, 4])
        >>> array.identity().stack().numpy().tolist()
        [3, 4]
        """
        if self._is_staged:
            items = self._list
            # A value of its own: what rounds do with it, they do not do with the first array.
            return self._with(apply(LIST_AS, items, type=items.graph_value.type))
        return self._with(self._kind.elements(list(self._eager)))

    # Reading

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The element at an index; zeros, where it was not written and has a known shape.

        InvalidArgumentError for an index out of range.

        >>> array = rt.TensorArray(rt.int32, size=2).unstack([3, 4])
        >>> int(array.read(1))
        4
        """
        if self._is_staged:
            return self._known(apply(lists.GET, self._list, _index(index), element=self._element))
        item = lists.item_at(self._eager, int(_index(index)), lambda: None)
        return self._or_zeros(item)

    @property
    def _element(self) -> TensorType:
        held: TensorType = self._items.type.element
        is_sure = held.shape is None and self._kind.is_sure
        return self._kind.element if is_sure else held

    def _known(self, tensor: Tensor, rows: Shape = ()) -> Tensor:
        shape = self._kind.shape
        if tensor.static_shape is not None or shape is None or not self._kind.infers:
            return tensor
        return ops.ensure_shape(tensor, (*(rows or ()), *shape))

    def _or_zeros(self, item: Tensor | None) -> Tensor:
        if item is not None:
            return _value_of(item)
        shape = self._kind.shape
        if not is_known(shape):
            raise errors.InvalidValueError(
                "an item of a TensorArray was read that was not written: it has no shape",
            )
        return ops.zeros(shape, self.dtype)

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as one tensor, along a new first axis.

        >>> array = rt.TensorArray(rt.int32, size=2).unstack([3, 4])
        >>> array.stack().numpy().tolist()
        [3, 4]
        """
        if self._is_staged:
            size = self._kind.size
            params = {} if size is None else {"size": size}
            found = apply(lists.STACK, self._list, element=self._element, **params)
            return self._known(found, (size,))
        if not self._eager:
            shape = tuple(dim or 0 for dim in self._kind.shape or ())
            return ops.zeros((0, *shape), self.dtype)
        return ops.stack([self._or_zeros(item) for item in self._eager])

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at some indices as one tensor, along a new first axis.

        >>> array = rt.TensorArray(rt.int32, size=2).unstack([3, 4])
        >>> array.gather([1, 0]).numpy().tolist()
        [4, 3]
        """
        indices = _integers(indices, (None,), "TensorArray: indices")
        if self._is_staged:
            found = apply(lists.GET, self._list, indices, element=self._element)
            return self._known(found, indices.static_shape)
        return ops.stack([self.read(int(at)) for at in indices.numpy()])

    def concat(self, name: str | None = None) -> Tensor:
        """All elements joined along their first axis.

        >>> array = rt.TensorArray(rt.int32, size=2).unstack([[1, 2], [3, 4]])
        >>> array.concat().numpy().tolist()
        [1, 2, 3, 4]
        """
        if self._is_staged:
            found = apply(lists.CONCAT, self._list, element=self._element)
            return found  # type: ignore[no-any-return]
        if not self._eager:
            return convert_to_tensor(lists.CONCAT.kernel([], element=self._element))
        return ops.concat([self._or_zeros(item) for item in self._eager], 0)

    # Writing

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with `value` at an index.

        InvalidArgumentError for an index out of range (with `dynamic_size`: a negative one).

        >>> array = rt.TensorArray(rt.int32, size=2).write(0, 3).write(1, 4)
        >>> array.stack().numpy().tolist()
        [3, 4]
        """
        tensor = self._kind.checked(value)
        if self._is_staged:
            return self._written(_index(index), tensor)
        self._put(int(_index(index)), _value_of(tensor))
        return self

    def _written(self, index: Any, value: Any) -> TensorArray:
        dynamic = self._kind.dynamic
        return self._replaced(lists.SET, self._items, index, value, dynamic=dynamic)

    def _put(self, at: int, tensor: Any) -> None:
        items = self._eager
        size = len(items)
        lists.check_index(at, size, self._kind.dynamic)
        items += [None] * (at + 1 - size)
        items[at] = tensor
        self._hold(items)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The array whose elements are the rows of `value`: not more of them, unless it grows.

        >>> array = rt.TensorArray(rt.int32, size=2).unstack([3, 4])
        >>> int(array.read(0))
        3
        """
        tensor = self._kind.checked(value, shape_of_rows=True)
        if self._is_staged:
            size = tensor.static_shape[0] if tensor.static_shape else None
            made = self._filled(apply(lists.UNSTACK, tensor), exact=False)
            made._kind = self._sized(None if self._kind.dynamic else size)
            return made
        return self._filled(ops.unstack(tensor), exact=False)

    def _filled(self, items: Any, exact: bool) -> TensorArray:
        """The array with these elements, of which there must be as many, or no more."""
        if self._is_staged:
            params = {"exact": exact, "dynamic": self._kind.dynamic}
            return self._replaced(lists.REPLACE, self._items, items, **params)
        lists.check_fits(self._eager, items, exact, self._kind.dynamic)
        return self._hold(items)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with the rows of `value` at some indices.

        >>> array = rt.TensorArray(rt.int32, size=2).scatter([1, 0], [3, 4])
        >>> array.stack().numpy().tolist()
        [4, 3]
        """
        tensor = self._kind.checked(value, shape_of_rows=True)
        indices = _integers(indices, (None,), "TensorArray: indices")
        if self._is_staged:
            return self._written(indices, tensor)
        for at, row in lists.pairs(indices.numpy(), ops.unstack(tensor)):
            self._put(at, row)
        return self

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """The array whose elements are pieces of `value`, of these lengths.

        >>> array = rt.TensorArray(rt.int32, size=2, infer_shape=False).split([1, 2, 3], [1, 2])
        >>> array.read(1).numpy().tolist()
        [2, 3]
        """
        tensor = convert_to_tensor(value, None if isinstance(value, Tensor) else self.dtype)
        lengths = _integers(lengths, (None,), "TensorArray: lengths")
        if self._is_staged:
            return self._filled(apply(lists.SPLIT, tensor, lengths), exact=True)
        return self._filled(list(ops.split(tensor, lengths.numpy().tolist())), exact=True)

    def close(self, name: str | None = None) -> None:
        """Nothing: what nobody reads any more is let go of anyway.

        >>> rt.TensorArray(rt.int32, size=1).close()
        """


def _value_of(item: Tensor) -> Tensor:
    # An array holds values: no item assignment changes them.
    return item.snapshot() if isinstance(item, EagerTensor) else item


def _index(index: Any) -> Any:
    return index if type(index) is int and state.trace is None else _integers(index, (), _INDEX)


_INDEX = "TensorArray: index"


def _integers(value: Any, shape: Shape, what: str) -> Any:
    """An argument that must be made of integers, `what` in messages, as a tensor."""
    value = int(value) if isinstance(value, bool) else value
    try:
        tensor = convert_to_tensor(value, None if is_tensor(value) else "int32")
    except TypeError:
        raise wrong_dtype(f"{what} must be made of integers, not {value!r}") from None
    if not tensor.dtype.is_integer:
        raise wrong_dtype(f"{what} must be made of integers, not {value!r}")
    if not compatible(shape, tensor.static_shape):
        raise wrong_value(f"{what} must have shape {TensorShape(shape)}, not {tensor.shape}")
    return tensor


def _flatten(array: TensorArray) -> tuple[Any, Sequence[Any]]:
    return array._kind, [array._items]


def _build(kind: type, keys: Any, children: Sequence[Any]) -> Any:
    made: Any = object.__new__(kind)
    made._kind, made._items = keys, children[0]
    return made


def _fit(array: TensorArray, structure: Structure) -> Sequence[Any]:
    return [array._items]


def _widened(a: Tree, b: Tree) -> Spec | None:
    """Returns the common part of arrays of two sizes; None for others."""
    if a.structure.kind is not b.structure.kind:
        return None
    first, second = (
        Tree(replace(spec.structure, keys=spec.structure.keys.of_size(None)), spec.children)
        for spec in (a, b)
    )
    return join(first, second) if first.structure == second.structure else None


_HANDLER = Handler(
    _flatten,
    _build,
    ".{}",
    lambda kind: ("elements",),
    _Kind.copy,
    _Kind.joined,
    is_replaced=True,
    widen=_widened,
    fit=_fit,
)
add_handler(TensorArray, _HANDLER)
