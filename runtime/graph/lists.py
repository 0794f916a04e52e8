"""Lists in a graph: the primitives of TensorArray, of lists that grow, and of what a loop keeps for
its gradient.

A list is a value: each of these makes a new one. At run time it is a Python list, in which None
stands for an item that was not written. An index is a scalar, or a vector for several items.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from runtime import dtypes, errors
from runtime.core import forms, intervals
from runtime.core.convert import convert_to_tensor
from runtime.core.forms import Form
from runtime.core.identities import undone
from runtime.core.primitive import Memory, Order, Primitive, Raises, flat, structural
from runtime.core.shapes import Shape, is_known
from runtime.core.state import state
from runtime.core.types import ListType, NumberType, TensorType, Type
from runtime.core.workspace import c_contiguous, placed
from runtime.dtypes import DType
from runtime.graph.ir import Node, Value
from runtime.graph.nodes import (
    BOOL,
    INT,
    LIST_ADD,
    WIDE_DTYPES,
    added,
    apply,
    does_not_fit,
    element_shape,
    fits,
    zeros_like,
)
from runtime.ops.define import zeroed

Items = list[Any]


class Elements:
    """The contents of an array outside of graphs: eager tensors, and None where nothing was
    written.

    `element` is their type, as far as it is known. `is_current` until they are written to.
    """

    __slots__ = ("element", "is_current", "items")

    def __init__(self, items: Items, element: TensorType) -> None:
        self.items = items
        self.element = element
        self.is_current = True

    @property
    def type(self) -> ListType:
        """The type of the list."""
        return ListType(self.element)

    @property
    def raw(self) -> Items:
        """The list as graphs take it."""
        return [None if item is None else item.raw for item in self.items]

    def staged(self) -> Any:
        """The list in the graph being traced; an array that is written to later needs another."""
        watcher = state.trace.watcher
        if watcher is not None:
            watcher.see_elements(self)
        places = tuple([at for at, item in enumerate(self.items) if item is not None])
        items = [self.items[at] for at in places]
        return apply(OF, *items, places=places, size=len(self.items), type=self.type)


def list_op(
    name: str,
    kernel: Callable[..., Any],
    infer: Callable[..., Any],
    op_type: str = "",
    **facts: Any,
) -> Primitive:
    """A primitive of lists, with the name that TensorFlow has for most."""
    words = name.removeprefix("list_").title().replace("_", "")
    return structural(name, kernel, infer, op_type=op_type or f"TensorList{words}", **facts)


def _zeros_for(items: Items, dtype: DType, shape: Shape) -> Any:
    written = next((item for item in items if item is not None), None)
    if shape is not None and None not in shape:
        return zeroed(shape, dtype.np_dtype, None)
    if not items:
        raise errors.InvalidValueError(
            "an empty TensorArray whose elements have no known shape has no value: "
            "make it with element_shape="
        )
    if written is None:
        raise errors.InvalidValueError(
            "an item of a TensorArray was read that was not written, and has no shape"
        )
    return zeroed(np.shape(written), dtype.np_dtype, None)


def _is_one(index: Any) -> bool:
    return isinstance(index, int | np.integer) or np.ndim(index) == 0


def item_at(items: Items, index: int, zeros: Callable[[], Any]) -> Any:
    """The item at an index, or zeros; InvalidArgumentError for an index that is out of range."""
    if not 0 <= index < len(items):
        raise errors.InvalidValueError(
            f"index {index} is out of range of a TensorArray of size {len(items)}"
        )
    return zeros() if items[index] is None else items[index]


def _joined(items: Sequence[Any], zeros: Callable[[], Any], out: Any = None) -> Any:
    found = [zeros() if item is None else item for item in items]
    if not found:
        return zeros()[None][:0]
    first = found[0]
    try:
        if type(first) is bytes or (first.dtype.hasobject and not first.ndim):
            texts = placed(out, (len(found),), np.dtype(object))  # NumPy would cut them at zeros
            texts[:] = [item if type(item) is bytes else item.item() for item in found]
            return texts
        made = placed(out, (len(found), *first.shape), first.dtype)
        if made.ndim > 1:
            return np.stack(found, out=made)
        made[:] = found  # much faster, of scalars
        return made
    except ValueError:
        shapes = [np.shape(item) for item in found]
        raise errors.InvalidValueError(
            f"the items of a TensorArray have different shapes: {shapes}"
        ) from None


# Kernels


def _of(*items: Any, places: tuple[int, ...], size: int, type: ListType) -> Items:
    made: Items = [None] * size
    for at, item in zip(places, items, strict=True):
        made[at] = item
    return made


def _new(size: Any, *, element: TensorType) -> Items:
    if size < 0:
        raise errors.InvalidValueError(f"a TensorArray cannot have {int(size)} elements")
    return [None] * int(size)


def copied(items: Items, out: Items | None) -> Items:
    """A list of the same items: `out` if there is one, which may be the array."""
    if out is None:
        return items.copy()
    if out is not items:
        out[:] = items
    return out


def _set(items: Items, index: Any, value: Any, *, dynamic: bool, out: Items | None = None) -> Items:
    made = copied(items, out)
    if _is_one(index):
        _set_one(made, int(index), value, dynamic)
        return made
    for at, item in pairs(index, value):
        _set_one(made, at, item, dynamic)
    return made


def _set_one(items: Items, at: int, item: Any, dynamic: bool) -> None:
    if dynamic and at == len(items):
        items.append(item)
        return
    check_index(at, len(items), dynamic)
    items += [None] * (at + 1 - len(items))
    items[at] = item


def _push(items: Items, at: int, item: Any, out: Items | None = None) -> Items:
    made = items if out is items else copied(items, out)
    made.append(item)
    return made


def pairs(index: Any, value: Any) -> Any:
    """The indices and what is written there; InvalidArgumentError for other numbers of them."""
    if _is_one(index):
        return [(int(index), value)]
    if len(index) != len(value):
        raise errors.InvalidValueError(
            f"{len(value)} elements are written to {len(index)} indices of a TensorArray"
        )
    return zip(map(int, index), value, strict=True)


def check_index(index: int, size: int, dynamic: bool) -> None:
    """InvalidArgumentError for an index that nothing can be written to."""
    if index < 0 or (index >= size and not dynamic):
        raise errors.InvalidValueError(
            f"tried to write to index {index} of a TensorArray of size {size} that is not "
            "resizeable: make it with dynamic_size=True"
        )


def _get(items: Items, index: Any, *, element: TensorType, written: bool = False) -> Any:
    def zeros() -> Any:
        return _zeros_for(items, element.dtype, element.shape)

    if _is_one(index):
        return item_at(items, int(index), zeros)
    return _joined([item_at(items, int(at), zeros) for at in index], zeros)


def _get_like(items: Items, index: Any, like: Any) -> Any:
    if _is_one(index):
        return _or_zeros(items, int(index), like)
    found = [_or_zeros(items, int(at), row) for at, row in zip(index, like, strict=True)]
    return c_contiguous(np.stack(found))


def _get_or_zeros(items: Items, index: Any, *, type: TensorType) -> Any:
    shape: Any = type.shape
    if _is_one(index):
        item = items[index] if index < len(items) else None
        return np.zeros(shape, type.dtype.np_dtype)[()] if item is None else item
    return _get_like(items, index, np.broadcast_to(type.dtype.np_dtype.type(0), shape))


def _or_zeros(items: Items, at: int, like: Any) -> Any:
    item = items[at] if at < len(items) else None
    return zeros_like(like) if item is None else item


def _clear(items: Items, index: Any, out: Items | None = None) -> Items:
    made = copied(items, out)
    for at in (index,) if _is_one(index) else index:
        if at < len(made):
            made[at] = None
    return made


def _scatter_add(items: Items, index: Any, value: Any, out: Items | None = None) -> Items:
    made = copied(items, out)
    for at, item in pairs(index, value):
        if at >= len(made):
            made += [None] * (at + 1 - len(made))
        made[at] = added(made[at], item)
    return made


def _stack(
    items: Items, *, element: TensorType, size: int | None = None, out: Any = None
) -> Any:  # fmt: skip
    return _joined(items, lambda: _zeros_for(items, element.dtype, element.shape), out)


def _stack_failures(items: ListType, *, element: TensorType, size: int | None = None) -> Raises:
    return () if is_known(element.shape) else (errors.InvalidValueError,)


def _stack_like(items: Items, like: Any) -> Any:
    if not items or len(like) == 0:  # of a list that has grown there may be more items
        return np.zeros_like(like)
    return c_contiguous(np.stack([_or_zeros(items, at, row) for at, row in enumerate(like)]))


def _has(items: Items, *index: Any) -> bool:
    """Whether there is an item, or one at an index."""
    places = np.atleast_1d(index[0]) if index else range(len(items))
    return any(at < len(items) and items[at] is not None for at in places)


def _concat(items: Items, *, element: TensorType, out: Any = None) -> Any:
    if not items and element.shape is not None:
        return np.zeros((0, *[dim or 0 for dim in element.shape[1:]]), element.dtype.np_dtype)
    zeros = functools.partial(_zeros_for, items, element.dtype, element.shape)
    found = [zeros() if item is None else item for item in items] or [zeros()]
    shape = (sum(map(len, found)), *found[0].shape[1:])
    return np.concatenate(found, out=placed(out, shape, found[0].dtype))


def _replace(items: Items, new: Items, *, exact: bool, dynamic: bool) -> Items:
    check_fits(items, new, exact, dynamic)
    return new


def check_fits(items: Items, new: Items, exact: bool, dynamic: bool) -> None:
    """InvalidArgumentError for more elements than a TensorArray takes; `exact`: or fewer."""
    few, many = len(new) < len(items) and exact, len(new) > len(items)
    if not dynamic and (few or many):
        raise errors.InvalidValueError(
            f"{len(new)} elements do not fit a TensorArray of size {len(items)}"
        )


def _split(value: Any, lengths: Any) -> Items:
    if int(np.sum(lengths)) != len(value):
        raise errors.InvalidValueError(
            f"the lengths {lengths} do not sum up to the length {len(value)} to split"
        )
    return np.split(value, np.cumsum(lengths)[:-1])[: len(lengths)]


def _split_like(value: Any, items: Items, *, element: TensorType) -> Items:
    zeros = functools.partial(_zeros_for, items, element.dtype, element.shape)
    return _split(value, [len(zeros() if item is None else item) for item in items])


def _cast(items: Items, *, dtype: dtypes.DType) -> Items:
    return [_cast_item(item, dtype) for item in items]


def _cast_item(item: Any, dtype: dtypes.DType) -> Any:
    for number in item.ravel().tolist():
        if not fits(number, dtype):
            raise does_not_fit(number, dtype)
    return item.astype(dtype.np_dtype)


def _put(items: Items, places: Any) -> Items:
    made = [None] * (max(places, default=-1) + 1)
    for item, at in zip(items, places, strict=False):
        made[at] = item
    return made


def _drop(items: Items, at: Any, out: Items | None = None) -> Items:
    made = copied(items, out)
    del made[int(at) : int(at) + 1]
    return made


def _extend(items: Items, more: Items, out: Items | None = None) -> Items:
    made = copied(items, out)
    made.extend(more)
    return made


def _gap(items: Items, at: Any, out: Items | None = None) -> Items:
    made = copied(items, out)
    if at < len(made):
        made.insert(int(at), None)
    return made


def _find(*given: Any) -> Any:
    columns, wanted = given[: len(given) // 2], given[len(given) // 2 :]
    at = -1
    while True:
        try:
            at = columns[0].index(wanted[0], at + 1)
        except ValueError:
            return np.int64(-1)
        # A NaN is in a list, for Python, that has the same object.
        if all(items[at] == item for items, item in zip(columns, wanted, strict=True)):
            return np.int64(at)


# Types


def element_of(type: ListType) -> TensorType:
    """The type that the items of a list are held in: Python's numbers have 64 bits."""
    found = type.element
    if isinstance(found, NumberType):
        return TensorType(WIDE_DTYPES[found.kind], ())
    assert isinstance(found, TensorType)
    return found


def is_uniform(type: object) -> TypeGuard[ListType]:
    """True for lists of numbers, of arrays of one known shape, or of rows."""
    if not isinstance(type, ListType) or not isinstance(type.element, NumberType | TensorType):
        return False
    shape = element_of(type).shape
    return shape is not None and (None not in shape or is_row(element_of(type)))


def is_row(element: TensorType) -> bool:
    """True for the type of arrays of which only the first dim is unknown, as the lists in a list
    are.
    """
    shape = element.shape
    return bool(shape) and shape[0] is None and None not in shape[1:]  # type: ignore[index]


def _as_declared(*_: Type, type: Type, **__: Any) -> Type:
    return type


def as_first(items: Type, *_: Type, **__: Any) -> Type:
    return items


def _as_last(*given: Type, **_: Any) -> Type:
    return given[-1]


def empty(made: Value) -> Node:
    """The node of an empty list."""
    return Node(OF, (), (made,), {"places": (), "size": 0, "type": made.type})


def is_empty(node: Node) -> bool:
    """True for the node of an empty list."""
    return node.primitive is OF and not node.params["size"]


def _rows(shape: Shape, element: TensorType) -> TensorType:
    whole = None if shape is None or element.shape is None else (*shape, *element.shape)
    return TensorType(element.dtype, whole)


def form_of_item(item: str) -> Callable[..., Form]:
    def form(inputs: Sequence[Type], target: Type, params: Mapping[str, Any]) -> Form:
        number = "int" if forms.is_integer(target) else "bool" if forms.is_bool(target) else ""
        return Form(f"{number}({item})" if number else item, "")

    return form


def _form_of_get(inputs: Sequence[Type], target: Type, params: Mapping[str, Any]) -> Form | None:
    # What was not written is zeros, which need the kernel.
    is_number = bool(forms.kind_of(target) and params.get("written"))
    return form_of_item("{}[{}]")(inputs, target, params) if is_number else None


def _concat_type(items: ListType, *, element: TensorType) -> Type:
    rest = None if element.shape is None else (None, *element.shape[1:])
    return TensorType(element.dtype, rest)


def _split_type(value: TensorType, lengths: Type) -> Type:
    rest = None if value.shape is None else (None, *value.shape[1:])
    return ListType(TensorType(value.dtype, rest))


def _split_like_type(value: TensorType, items: ListType, *, element: TensorType) -> Type:
    return ListType(TensorType(value.dtype, element.shape))


def scalar_of(items: ListType) -> Type:
    assert isinstance(items.element, TensorType)
    return TensorType(items.element.dtype, ())


def _cast_type(items: ListType, *, dtype: dtypes.DType) -> Type:
    assert isinstance(items.element, TensorType)
    return ListType(TensorType(dtype, items.element.shape))


# Gradients


class Item(NamedTuple):
    """A gradient that comes of a list of them, and a test whether there is one in it."""

    grad: Any
    is_there: Any


def item_like(items: Any, index: Any, like: Any) -> Item:
    """The item of a gradient; only where nothing else tells its shape, `like` is kept for that."""
    if isinstance(like.type, TensorType) and is_known(like.type.shape):
        found = apply(GET_OR_ZEROS, items, index, type=like.type)
    else:
        found = apply(GET_LIKE, items, index, like)
    return Item(found, apply(HAS, items, index))


def _of_of(op: Any, grad: Any) -> Any:
    pairs = zip(op.params["places"], op.inputs, strict=True)
    return tuple([item_like(grad, convert_to_tensor(at), item) for at, item in pairs])


def _of_set(op: Any, grad: Any) -> Any:
    _, index, value = op.inputs
    # Read first: then nobody needs the list that is cleared, and it is not copied.
    item = item_like(grad, index, value)
    return apply(CLEAR, grad, index), None, item


def _of_push(op: Any, grad: Any) -> Any:
    # The gradient of a residual is sent wherever that of the loop is.
    _, at, value = op.inputs
    item = item_like(grad, at, value).grad
    return apply(CLEAR, grad, at), None, item


def _of_get(op: Any, grad: Any) -> Any:
    items, index, *others = op.inputs
    return (apply(SCATTER, index, grad, type=items.type), None, *[None for _ in others])


def _of_scatter(op: Any, grad: Any) -> Any:
    index, value = op.inputs
    return None, item_like(grad, index, value)


def _of_scatter_add(op: Any, grad: Any) -> Any:
    _, index, value = op.inputs
    return grad, None, item_like(grad, index, value)


def _dense(grad: Any, items: Any) -> Any:
    return apply(LIST_ADD, grad, apply(ZERO_ITEMS, items))


def _of_split(op: Any, grad: Any) -> Any:
    pieces = _dense(grad, op.outputs[0])
    return Item(apply(CONCAT, pieces, element=pieces.type.element), apply(HAS, grad)), None


# Lists, and their items. What a loop has pushed is there: `list_item` reads it unchecked.
OF = list_op("list_of", _of, _as_declared, gradient=_of_of, instruction="list_of")
NEW = list_op(
    "list_new", _new, lambda size, *, element: ListType(element), "TensorListReserve",
    fallible=True, instruction="list_new",
)  # fmt: skip
LENGTH = list_op(
    "list_length", len, lambda items: INT, memory=Memory.READS, scalar=Form("len({})", ""),
    interval=intervals.length, instruction="list_length",
)  # fmt: skip
GET = list_op(
    "list_get", _get,
    lambda items, index, *, element, written=False: _rows(index.shape, element),
    "TensorListGetItem", gradient=_of_get, fallible=True, memory=Memory.READS,
    instruction="list_get", scalar=_form_of_get,
)  # fmt: skip
SET = list_op(
    "list_set", _set, as_first, "TensorListSetItem", gradient=_of_set, fallible=True,
    memory=Memory.STORES, instruction="list_set",
)  # fmt: skip
PUSH = list_op(
    "list_push", _push, as_first, "TensorListPushBack", gradient=_of_push,
    memory=Memory.STORES, instruction="list_push",
)  # fmt: skip
# The first place at which several lists have these items, of their dtypes; -1 if there is none.
FIND = list_op(
    "list_find", _find, lambda *_: TensorType(dtypes.int64, ()), "TensorListFind", gradient=flat,
    memory=Memory.READS, interval=lambda items, *_: (-1, intervals.length(items)[1]),
    instruction="list_find",
    passes=80,  # as long as a list takes for an item of NumPy's
)  # fmt: skip
ITEM = list_op(
    "list_item", operator.getitem, lambda items, at: items.element, "TensorListGetItem",
    gradient=_of_get, scalar=form_of_item("{}[{}]"), memory=Memory.KEEPS, instruction="list_get",
)  # fmt: skip
GET_LIKE = list_op(
    "list_get_like", _get_like, _as_last, "TensorListGetItem", gradient=_of_get,
    memory=Memory.READS,
)  # fmt: skip
GET_OR_ZEROS = list_op(
    "list_get_or_zeros", _get_or_zeros, _as_declared, "TensorListGetItem", gradient=_of_get,
    memory=Memory.READS,
)  # fmt: skip
CLEAR: Primitive = list_op(
    "list_clear", _clear, as_first, memory=Memory.STORES,
    gradient=lambda op, grad: (apply(CLEAR, grad, op.inputs[1]), None),
)  # fmt: skip
REPLACE = list_op(
    "list_replace", _replace, _as_last, "TensorListSetItem", fallible=True,
    gradient=lambda op, grad: (None, grad),
)  # fmt: skip
# Gradients of lists: items that are not there are zeros, also behind the end.
SCATTER = list_op(
    "list_scatter", lambda index, value, *, type: _scatter_add([], index, value), _as_declared,
    "TensorListScatterV2", gradient=_of_scatter,
)  # fmt: skip
SCATTER_ADD = list_op(
    "list_scatter_add", _scatter_add, as_first, gradient=_of_scatter_add, memory=Memory.STORES
)
HAS = list_op("list_has", _has, lambda *_: BOOL, memory=Memory.READS)
ZERO_ITEMS = list_op(
    "list_zero_items",
    lambda items: [None if item is None else np.zeros_like(item) for item in items],
    as_first, gradient=flat,
)  # fmt: skip
# Lists as tensors, and tensors as lists.
STACK = list_op(
    "list_stack", _stack, lambda items, *, element, size=None: _rows((size,), element),
    gradient=lambda op, grad: (apply(UNSTACK, grad),), order=Order.C,
    fallible=True, raises=_stack_failures, finds_shape=True, instruction="list_stack",
    identities=(lambda graph, node: undone(graph, node, by=UNSTACK),),
)  # fmt: skip
STACK_LIKE: Primitive = list_op(
    "list_stack_like", _stack_like, _as_last, "TensorListStack",
    gradient=lambda op, grad: (apply(UNSTACK, grad), None), memory=Memory.READS, order=Order.C,
)  # fmt: skip
UNSTACK: Primitive = list_op(
    "list_unstack", list,
    lambda value: ListType(TensorType(value.dtype, element_shape(value.shape))),
    "TensorListFromTensor", instruction="list_unstack",
    gradient=lambda op, grad: (Item(apply(STACK_LIKE, grad, op.inputs[0]), apply(HAS, grad)),),
)  # fmt: skip
CONCAT = list_op(
    "list_concat", _concat, _concat_type, "TensorListConcatV2", fallible=True, order=Order.C,
    finds_shape=True, instruction="list_concat",
    gradient=lambda op, grad: (apply(SPLIT_LIKE, grad, op.inputs[0], **op.params),),
)  # fmt: skip
LENGTHS = list_op(
    "list_lengths", lambda items: np.array([len(item) for item in items], np.int64),
    lambda items: TensorType(dtypes.int64, (None,)), gradient=flat, order=Order.C,
    instruction="list_lengths",
)  # fmt: skip
SPLIT = list_op(
    "list_split", _split, _split_type, gradient=_of_split, fallible=True, instruction="list_split"
)
SPLIT_LIKE: Primitive = list_op(
    "list_split_like",
    _split_like,
    _split_like_type,
    "TensorListSplit",
    gradient=_of_split,
    instruction="list_split_like",
)
CAST: Primitive = list_op(
    "list_cast", _cast, _cast_type, fallible=True, instruction="list_cast",
    gradient=lambda op, grad: (apply(CAST, grad, dtype=op.inputs[0].type.element.dtype),),
)  # fmt: skip
# One list behind another, and the items of a list behind those of the first.
EXTEND: Primitive = list_op(
    "list_extend", _extend, as_first, "TensorListConcatLists", memory=Memory.STORES,
    instruction="list_extend",
    gradient=lambda op, grad: (grad, apply(BEHIND, grad, op.inputs[0])),
)  # fmt: skip
BEHIND: Primitive = list_op(
    "list_behind", lambda items, first: items[len(first) :], as_first,
    gradient=lambda op, grad: (apply(EXTEND, apply(ZERO_ITEMS, op.inputs[1]), grad), None),
)  # fmt: skip
# Without the item at a place; with room for one there; the items at some places; and the list that
# has its items at these.
DROP: Primitive = list_op(
    "list_drop", _drop, as_first, memory=Memory.STORES, instruction="list_drop",
    gradient=lambda op, grad: (apply(GAP, grad, op.inputs[1]), None),
)  # fmt: skip
GAP: Primitive = list_op(
    "list_gap", _gap, as_first, memory=Memory.STORES, instruction="list_gap",
    gradient=lambda op, grad: (apply(DROP, grad, op.inputs[1]), None),
)  # fmt: skip
TAKE: Primitive = list_op(
    "list_take",
    lambda items, places: [items[at] if at < len(items) else None for at in places],
    as_first, gradient=lambda op, grad: (apply(PUT, grad, op.inputs[1]), None),
    instruction="list_take",
)  # fmt: skip
PUT: Primitive = list_op(
    "list_put", _put, as_first,
    gradient=lambda op, grad: (apply(TAKE, grad, op.inputs[1]), None),
)  # fmt: skip
