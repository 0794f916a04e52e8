"""`TensorArray`: tensors by index, written one by one, in eager code and in graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime import errors, ops
from runtime.convert import convert_to_tensor
from runtime.dtypes import DType, as_dtype
from runtime.graph import arrays
from runtime.graph.nodes import apply
from runtime.graph.structures import Handler, add_handler
from runtime.graph.tracing import Symbol
from runtime.primitive import state
from runtime.shapes import Shape, TensorShape, as_shape, compatible, is_known
from runtime.tensor import Tensor
from runtime.types import TensorType


class _Kind:
    """What does not change from write to write, shared by all arrays that come of one.

    `shape` is that of the elements, as far as it is known: the first write may tell.
    """

    __slots__ = ("dtype", "dynamic", "infers", "shape")

    def __init__(self, dtype: DType, dynamic: bool, infers: bool, shape: Shape) -> None:
        self.dtype = dtype
        self.dynamic = dynamic
        self.infers = infers
        self.shape = shape

    def _key(self) -> tuple[Any, ...]:
        return self.dtype, self.dynamic, self.infers

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
        return _Kind(self.dtype, self.dynamic, self.infers, self.shape)

    def elements(self, items: list[Any]) -> arrays.Elements:
        """What an array outside of graphs holds."""
        return arrays.Elements(items, self.element if self.infers else TensorType(self.dtype, None))

    def checked(self, value: Any, shape_of_rows: bool = False) -> Tensor:
        """`value` as a tensor. TypeError, ValueError where it cannot be an element."""
        tensor = convert_to_tensor(value, None if isinstance(value, Tensor) else self.dtype)
        if tensor.dtype is not self.dtype:
            raise TypeError(
                f"a TensorArray of {self.dtype.name} was given a tensor of {tensor.dtype.name}"
            )
        shape = tensor.static_shape
        self.learn(shape[1:] if shape_of_rows and shape else shape)
        return tensor

    def learn(self, shape: Shape) -> None:
        """Check the shape of an element; keep it where it is to be inferred."""
        if not self.infers:
            return
        if not compatible(self.shape, shape):
            raise ValueError(
                f"a TensorArray with elements of shape {TensorShape(self.shape)} was given one of "
                f"shape {TensorShape(shape)}: make it with infer_shape=False for different shapes"
            )
        if self.shape is None:
            self.shape = shape


class TensorArray:
    """Tensors of one dtype by index, each written with `write`, which returns the new array.

    `size` is the number of elements; with `dynamic_size`, writing behind the end makes it larger.
    `element_shape` declares their shape; with `infer_shape` the first write decides on it. In
    staged loops and branches assign the result of `write` to the variable that holds the array.
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
        size = 0 if size is None else size
        self._items: Any
        if state.trace is None:
            self._items = self._kind.elements([None] * int(size))
        else:
            given = convert_to_tensor(size, None if isinstance(size, Tensor) else "int32")
            self._items = apply(arrays.NEW, given, element=self._kind.element)

    # What it is

    @property
    def dtype(self) -> DType:
        """The type of the elements' elements."""
        return self._kind.dtype

    @property
    def dynamic_size(self) -> bool:
        """Does it grow?"""
        return self._kind.dynamic

    @property
    def element_shape(self) -> TensorShape:
        """The shape of the elements, as far as it is known."""
        return TensorShape(self._kind.shape)

    def __repr__(self) -> str:
        return f"<tf.TensorArray of {self.dtype.name} with elements of shape {self.element_shape}>"

    def _with(self, items: Any) -> TensorArray:
        made: TensorArray = object.__new__(type(self))
        made._kind, made._items = self._kind, items
        return made

    @property
    def _is_staged(self) -> bool:
        if isinstance(self._items, Symbol):
            return True
        if state.trace is not None:
            raise arrays.outside()
        return False

    @property
    def _eager(self) -> list[Any]:
        items: list[Any] = self._items.items
        return items

    def _hold(self, items: list[Any]) -> TensorArray:
        self._items = self._kind.elements(items)
        return self

    def size(self, name: str | None = None) -> Tensor:
        """How many elements it has, an int32."""
        if self._is_staged:
            return apply(arrays.SIZE, self._items)  # type: ignore[no-any-return]
        return convert_to_tensor(len(self._eager), "int32")

    def identity(self) -> TensorArray:
        """The same elements in another array."""
        if self._is_staged:
            return self._with(self._items)
        return self._with(self._kind.elements(list(self._eager)))

    # Reading

    def read(self, index: Any, name: str | None = None) -> Any:
        """The element at an index; zeros, where it was not written and has a known shape.

        InvalidArgumentError for an index out of range.
        """
        if self._is_staged:
            return self._known(
                apply(arrays.READ, self._items, _index(index), element=self._element)
            )
        at = int(index)
        if not 0 <= at < len(self._eager):
            raise errors.OutOfRangeError(
                None,
                None,
                f"index {at} is out of range of a TensorArray of size {len(self._eager)}",
            )
        return self._or_zeros(self._eager[at])

    @property
    def _element(self) -> TensorType:
        held: TensorType = self._items.type.element
        return held if held.shape is not None else self._kind.element

    def _known(self, tensor: Any, rows: Shape = ()) -> Any:
        shape = self._kind.shape
        if tensor.static_shape is not None or shape is None or not self._kind.infers:
            return tensor
        return ops.ensure_shape(tensor, (*(rows or ()), *shape))

    def _or_zeros(self, item: Any) -> Any:
        if item is not None:
            return item
        shape = self._kind.shape
        if not is_known(shape):
            raise errors.InvalidArgumentError(
                None,
                None,
                "an item of a TensorArray was read that was not written: it has no shape",
            )
        return ops.zeros(shape, self.dtype)

    def stack(self, name: str | None = None) -> Any:
        """All elements as one tensor, along a new first axis."""
        if self._is_staged:
            return self._known(apply(arrays.STACK, self._items, element=self._element), (None,))
        if not self._eager:
            shape = tuple(dim or 0 for dim in self._kind.shape or ())
            return ops.zeros((0, *shape), self.dtype)
        return ops.stack([self._or_zeros(item) for item in self._eager])

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """The elements at some indices as one tensor, along a new first axis."""
        indices = convert_to_tensor(indices, None if isinstance(indices, Tensor) else "int32")
        if self._is_staged:
            found = apply(arrays.READ, self._items, indices, element=self._element)
            return self._known(found, (None,))
        return ops.stack([self.read(int(at)) for at in indices.numpy()])

    def concat(self, name: str | None = None) -> Tensor:
        """All elements joined along their first axis."""
        if self._is_staged:
            return apply(arrays.CONCAT, self._items)  # type: ignore[no-any-return]
        return ops.concat([self._or_zeros(item) for item in self._eager], 0)

    # Writing

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with `value` at an index.

        InvalidArgumentError for an index out of range (with `dynamic_size`: a negative one).
        """
        tensor = self._kind.checked(value)
        if self._is_staged:
            return self._written(_index(index), tensor)
        self._put(int(index), tensor)
        return self

    def _written(self, index: Any, value: Any) -> TensorArray:
        return self._with(
            apply(arrays.WRITE, self._items, index, value, dynamic=self._kind.dynamic)
        )

    def _put(self, at: int, tensor: Any) -> None:
        items = self._eager
        size = len(items)
        if at < 0 or (at >= size and not self._kind.dynamic):
            raise errors.OutOfRangeError(
                None,
                None,
                f"Tried to write to index {at} but array is not resizeable and size is: {size}",
            )
        items += [None] * (at + 1 - size)
        items[at] = tensor
        self._hold(items)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The array whose elements are the rows of `value`."""
        tensor = self._kind.checked(value, shape_of_rows=True)
        if self._is_staged:
            return self._with(apply(arrays.UNSTACK, tensor))
        return self._hold(ops.unstack(tensor))

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with the rows of `value` at some indices."""
        tensor = self._kind.checked(value, shape_of_rows=True)
        indices = convert_to_tensor(indices, None if isinstance(indices, Tensor) else "int32")
        if self._is_staged:
            return self._written(indices, tensor)
        for at, row in zip(indices.numpy(), ops.unstack(tensor), strict=True):
            self._put(int(at), row)
        return self

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """The array whose elements are pieces of `value`, of these lengths."""
        tensor = convert_to_tensor(value, None if isinstance(value, Tensor) else self.dtype)
        lengths = convert_to_tensor(lengths, None if isinstance(lengths, Tensor) else "int32")
        if self._is_staged:
            return self._with(apply(arrays.SPLIT, tensor, lengths))
        return self._hold(list(ops.split(tensor, lengths.numpy().tolist())))

    def close(self, name: str | None = None) -> None:
        """Nothing: what nobody reads any more is let go of anyway."""


def _index(index: Any) -> Any:
    return index if isinstance(index, Tensor) else convert_to_tensor(index, "int32")


def _flatten(array: TensorArray) -> tuple[Any, Sequence[Any]]:
    return array._kind, [array._items]


def _build(kind: type, keys: Any, children: Sequence[Any]) -> Any:
    made: Any = object.__new__(kind)
    made._kind, made._items = keys, children[0]
    return made


add_handler(TensorArray, Handler(_flatten, _build, ".{}", lambda kind: ("elements",), _Kind.copy))
