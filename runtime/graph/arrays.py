"""Arrays of tensors in a graph: the primitives of TensorArray.

An array is a list value: each of these makes a new one. At run time it is a Python list, in which
None stands for an item that was not written. An index is a scalar, or a vector for several items.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from runtime import dtypes, errors
from runtime.core import forms
from runtime.core.convert import convert_to_tensor
from runtime.core.forms import Form
from runtime.core.primitive import Memory, Order, Primitive, flat, structural
from runtime.core.shapes import Shape, is_known
from runtime.core.state import state
from runtime.core.types import ListType, TensorType, Type
from runtime.core.workspace import in_rows, placed
from runtime.dtypes import DType
from runtime.graph.nodes import BOOL, LIST_ADD, added, apply, element_shape, zeros_like

Array = list[Any]


class Elements:
    """The contents of an array outside of graphs: eager tensors, and None where nothing was
    written.

    `element` is their type, as far as it is known. `is_current` until the array is written to.
    """

    __slots__ = ("element", "is_current", "items")

    def __init__(self, items: list[Any], element: TensorType) -> None:
        self.items = items
        self.element = element
        self.is_current = True

    @property
    def type(self) -> ListType:
        """The type of the list."""
        return ListType(self.element)

    @property
    def raw(self) -> Array:
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


def _row(
    name: str,
    kernel: Callable[..., Any],
    infer: Callable[..., Any],
    op_type: str = "",
    **facts: Any,
) -> Primitive:
    words = name.removeprefix("array_").title().replace("_", "")
    return structural(name, kernel, infer, op_type=op_type or f"TensorList{words}", **facts)


def _refusal(message: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, message)


def _zeros_for(array: Array, dtype: DType, shape: Shape) -> Any:
    written = next((item for item in array if item is not None), None)
    if shape is not None and None not in shape:
        return np.zeros(shape, dtype.np_dtype)
    if not array:
        raise _refusal("an empty TensorArray whose elements have no known shape has no value")
    if written is None:
        raise _refusal("an item of a TensorArray was read that was not written, and has no shape")
    return np.zeros_like(written)


def _is_one(index: Any) -> bool:
    return type(index) is int or np.ndim(index) == 0


def _item(array: Array, index: int, zeros: Callable[[], Any]) -> Any:
    if not 0 <= index < len(array):
        raise _refusal(f"index {index} is out of range of a TensorArray of size {len(array)}")
    return zeros() if array[index] is None else array[index]


def _joined(items: Sequence[Any], zeros: Callable[[], Any], out: Any = None) -> Any:
    found = [zeros() if item is None else item for item in items]
    if not found:
        return zeros()[None][:0]
    try:
        made = placed(out, (len(found), *found[0].shape), found[0].dtype)
        return np.stack(found, out=made)
    except ValueError:
        shapes = [np.shape(item) for item in found]
        raise _refusal(f"the items of a TensorArray have different shapes: {shapes}") from None


# Kernels


def _of(*items: Any, places: tuple[int, ...], size: int, type: ListType) -> Array:
    made: Array = [None] * size
    for at, item in zip(places, items, strict=True):
        made[at] = item
    return made


def _new(size: Any, *, element: TensorType) -> Array:
    if size < 0:
        raise _refusal(f"a TensorArray cannot have {int(size)} elements")
    return [None] * int(size)


def copied(array: Array, out: Array | None) -> Array:
    """A list of the same items: `out` if there is one, which may be the array."""
    if out is None:
        return array.copy()
    if out is not array:
        out[:] = array
    return out


def _write(
    array: Array, index: Any, value: Any, *, dynamic: bool, out: Array | None = None
) -> Array:
    made = copied(array, out)
    for at, item in pairs(index, value):
        _check_index(at, len(made), dynamic)
        made += [None] * (at + 1 - len(made))
        made[at] = item
    return made


def _push(array: Array, at: int, item: Any, out: Array | None = None) -> Array:
    made = array if out is array else copied(array, out)
    made.append(item)
    return made


def pairs(index: Any, value: Any) -> Any:
    """The indices and what is written there; InvalidArgumentError for other numbers of them."""
    if _is_one(index):
        return [(int(index), value)]
    if len(index) != len(value):
        raise _refusal(
            f"{len(value)} elements are written to {len(index)} indices of a TensorArray"
        )
    return zip(map(int, index), value, strict=True)


def _check_index(index: int, size: int, dynamic: bool) -> None:
    if index < 0 or (index >= size and not dynamic):
        raise _refusal(
            f"tried to write to index {index} of a TensorArray of size {size} that is not "
            "resizeable: make it with dynamic_size=True"
        )


def _read(array: Array, index: Any, *, element: TensorType) -> Any:
    def zeros() -> Any:
        return _zeros_for(array, element.dtype, element.shape)

    if _is_one(index):
        return _item(array, int(index), zeros)
    return _joined([_item(array, int(at), zeros) for at in index], zeros)


def _read_like(array: Array, index: Any, like: Any) -> Any:
    if _is_one(index):
        return _or_zeros(array, int(index), like)
    found = [_or_zeros(array, int(at), row) for at, row in zip(index, like, strict=True)]
    return in_rows(np.stack(found))


def _read_or_zeros(array: Array, index: Any, *, type: TensorType) -> Any:
    shape: Any = type.shape
    if _is_one(index):
        item = array[index] if index < len(array) else None
        return np.zeros(shape, type.dtype.np_dtype)[()] if item is None else item
    return _read_like(array, index, np.broadcast_to(type.dtype.np_dtype.type(0), shape))


def _or_zeros(array: Array, at: int, like: Any) -> Any:
    item = array[at] if at < len(array) else None
    return zeros_like(like) if item is None else item


def _clear(array: Array, index: Any, out: Array | None = None) -> Array:
    made = copied(array, out)
    for at in (index,) if _is_one(index) else index:
        if at < len(made):
            made[at] = None
    return made


def _add_at(array: Array, index: Any, value: Any, out: Array | None = None) -> Array:
    made = copied(array, out)
    for at, item in pairs(index, value):
        if at >= len(made):
            made += [None] * (at + 1 - len(made))
        made[at] = added(made[at], item)
    return made


def _at(index: Any, value: Any, *, type: ListType) -> Array:
    return _add_at([], index, value)


def _stack(
    array: Array, *, element: TensorType, size: int | None = None, out: Any = None
) -> Any:  # fmt: skip
    return _joined(array, lambda: _zeros_for(array, element.dtype, element.shape), out)


def _stack_like(array: Array, like: Any) -> Any:
    if not array:
        return np.zeros_like(like)
    return in_rows(np.stack([_or_zeros(array, at, row) for at, row in enumerate(like)]))


def _unstack(value: Any) -> Array:
    return list(value)


def _size(array: Array) -> Any:
    return np.int32(len(array))


def _has(array: Array, *index: Any) -> bool:
    """Whether there is an item, or one at an index."""
    places = np.atleast_1d(index[0]) if index else range(len(array))
    return any(at < len(array) and array[at] is not None for at in places)


def _zeros(array: Array) -> Array:
    return [None if item is None else np.zeros_like(item) for item in array]


def _concat(array: Array, *, element: TensorType, out: Any = None) -> Any:
    if not array and element.shape is not None:
        return np.zeros((0, *[dim or 0 for dim in element.shape[1:]]), element.dtype.np_dtype)
    zeros = functools.partial(_zeros_for, array, element.dtype, element.shape)
    found = [zeros() if item is None else item for item in array] or [zeros()]
    shape = (sum(map(len, found)), *found[0].shape[1:])
    return np.concatenate(found, out=placed(out, shape, found[0].dtype))


def _replace(array: Array, new: Array, *, exact: bool, dynamic: bool) -> Array:
    check_fits(array, new, exact, dynamic)
    return new


def check_fits(array: Array, new: Array, exact: bool, dynamic: bool) -> None:
    """InvalidArgumentError for more elements than a TensorArray takes; `exact`: or fewer."""
    few, many = len(new) < len(array) and exact, len(new) > len(array)
    if not dynamic and (few or many):
        raise _refusal(f"{len(new)} elements do not fit a TensorArray of size {len(array)}")


def _split(value: Any, lengths: Any) -> Array:
    if int(np.sum(lengths)) != len(value):
        raise _refusal(f"the lengths {lengths} do not sum up to the length {len(value)} to split")
    return np.split(value, np.cumsum(lengths)[:-1])


def _split_like(value: Any, array: Array, *, element: TensorType) -> Array:
    zeros = functools.partial(_zeros_for, array, element.dtype, element.shape)
    return _split(value, [len(zeros() if item is None else item) for item in array])


# Types


def _as_declared(*_: Type, type: Type, **__: Any) -> Type:
    return type


def _as_first(array: Type, *_: Type, **__: Any) -> Type:
    return array


def _as_last(*given: Type, **_: Any) -> Type:
    return given[-1]


def _new_type(size: Type, *, element: TensorType) -> Type:
    return ListType(element)


def _rows(shape: Shape, element: TensorType) -> TensorType:
    whole = None if shape is None or element.shape is None else (*shape, *element.shape)
    return TensorType(element.dtype, whole)


def _get_type(array: ListType, at: Type) -> Type:
    return array.element


def _get_form(inputs: Sequence[Type], target: Type, params: Mapping[str, Any]) -> Form:
    number = "int" if forms.is_integer(target) else "bool" if forms.is_bool(target) else ""
    return Form(f"{number}({{}}[{{}}])" if number else "{}[{}]", "")


def _read_type(array: Type, index: TensorType, *, element: TensorType) -> Type:
    return _rows(index.shape, element)


def _stack_type(array: Type, *, element: TensorType, size: int | None = None) -> Type:
    return _rows((size,), element)


def _unstack_type(value: TensorType) -> Type:
    return ListType(TensorType(value.dtype, element_shape(value.shape)))


def _size_type(array: Type) -> Type:
    return TensorType(dtypes.int32, ())


def _concat_type(array: ListType, *, element: TensorType) -> Type:
    rest = None if element.shape is None else (None, *element.shape[1:])
    return TensorType(element.dtype, rest)


def _split_type(value: TensorType, lengths: Type) -> Type:
    rest = None if value.shape is None else (None, *value.shape[1:])
    return ListType(TensorType(value.dtype, rest))


# Gradients


class Item(NamedTuple):
    """A gradient that comes of a list of them, and a test whether there is one in it."""

    grad: Any
    is_there: Any


def _item_like(array: Any, index: Any, like: Any) -> Item:
    """The item of a gradient; only where nothing else tells its shape, `like` is kept for that."""
    if isinstance(like.type, TensorType) and is_known(like.type.shape):
        found = apply(READ_OR_ZEROS, array, index, type=like.type)
    else:
        found = apply(READ_LIKE, array, index, like)
    return Item(found, apply(HAS, array, index))


def _of_of(op: Any, grad: Any) -> Any:
    pairs = zip(op.params["places"], op.inputs, strict=True)
    return tuple([_item_like(grad, convert_to_tensor(at), item) for at, item in pairs])


def _of_write(op: Any, grad: Any) -> Any:
    _, index, value = op.inputs
    # Read first: then nobody needs the list that is cleared, and it is not copied.
    item = _item_like(grad, index, value)
    return apply(CLEAR, grad, index), None, item


def _of_push(op: Any, grad: Any) -> Any:
    # The gradient of a residual is sent wherever that of the loop is.
    _, at, value = op.inputs
    item = _item_like(grad, at, value).grad
    return apply(CLEAR, grad, at), None, item


def _of_read(op: Any, grad: Any) -> Any:
    array, index, *others = op.inputs
    return (apply(AT, index, grad, type=array.type), None, *[None for _ in others])


def _of_at(op: Any, grad: Any) -> Any:
    index, value = op.inputs
    return None, _item_like(grad, index, value)


def _of_add_at(op: Any, grad: Any) -> Any:
    _, index, value = op.inputs
    return grad, None, _item_like(grad, index, value)


def _dense(grad: Any, array: Any) -> Any:
    return apply(LIST_ADD, grad, apply(ZEROS, array))


def _of_clear(op: Any, grad: Any) -> Any:
    return apply(CLEAR, grad, op.inputs[1]), None


def _of_stack(op: Any, grad: Any) -> Any:
    return (apply(UNSTACK, grad), *[None] * (len(op.inputs) - 1))


def _of_unstack(op: Any, grad: Any) -> Any:
    return (Item(apply(STACK_LIKE, grad, op.inputs[0]), apply(HAS, grad)),)


def _of_concat(op: Any, grad: Any) -> Any:
    return (apply(SPLIT_LIKE, grad, op.inputs[0], element=op.params["element"]),)


def _of_split(op: Any, grad: Any) -> Any:
    pieces = _dense(grad, op.outputs[0])
    return Item(apply(CONCAT, pieces, element=pieces.type.element), apply(HAS, grad)), None


def _of_split_like(op: Any, grad: Any) -> Any:
    pieces = _dense(grad, op.outputs[0])
    return Item(apply(CONCAT, pieces, element=op.params["element"]), apply(HAS, grad)), None


OF = _row("array_of", _of, _as_declared, gradient=_of_of)
NEW = _row("array_new", _new, _new_type, "TensorListReserve", fallible=True, instruction="list_new")
WRITE = _row(
    "array_write", _write, _as_first, "TensorListSetItem", gradient=_of_write, fallible=True,
    memory=Memory.STORES,
    instruction="list_write",
)  # fmt: skip
READ = _row(
    "array_read", _read, _read_type, "TensorListGetItem", gradient=_of_read, fallible=True,
    memory=Memory.READS,
    instruction="list_read",
)  # fmt: skip
# What the backward pass of a loop reads: pushed in the iteration `at`, and read in that one.
PUSH = _row(
    "list_push", _push, _as_first, "TensorListPushBack", gradient=_of_push, memory=Memory.STORES
)
GET = _row(
    "list_get", operator.getitem, _get_type, "TensorListGetItem", gradient=_of_read,
    scalar=_get_form, memory=Memory.KEEPS,
)  # fmt: skip
READ_LIKE = _row(
    "array_read_like", _read_like, _as_last, "TensorListGetItem", gradient=_of_read,
    memory=Memory.READS,
)  # fmt: skip
READ_OR_ZEROS = _row(
    "array_read_or_zeros", _read_or_zeros, _as_declared, "TensorListGetItem", gradient=_of_read,
    memory=Memory.READS,
)  # fmt: skip
CLEAR = _row("array_clear", _clear, _as_first, gradient=_of_clear, memory=Memory.STORES)
# Gradients of arrays: items that are not there are zeros, also behind the end.
AT = _row("array_at", _at, _as_declared, "TensorListGetItem", gradient=_of_at)
ADD_AT = _row("array_add_at", _add_at, _as_first, gradient=_of_add_at, memory=Memory.STORES)
STACK = _row(
    "array_stack", _stack, _stack_type, gradient=_of_stack, fallible=True, order=Order.C,
    finds_shape=True,
    instruction="list_stack",
)  # fmt: skip
STACK_LIKE = _row(
    "array_stack_like", _stack_like, _as_last, "TensorListStack", gradient=_of_stack,
    memory=Memory.READS, order=Order.C,
)  # fmt: skip
UNSTACK = _row(
    "array_unstack",
    _unstack,
    _unstack_type,
    "TensorListFromTensor",
    gradient=_of_unstack,
    instruction="list_unstack",
)
HAS = _row("array_has", _has, lambda *_: BOOL, memory=Memory.READS)
ZEROS = _row("array_zeros", _zeros, _as_first, gradient=flat)
SIZE = _row(
    "array_size",
    _size,
    _size_type,
    "TensorListLength",
    memory=Memory.READS,
    instruction="list_size",
)
CONCAT = _row(
    "array_concat", _concat, _concat_type, "TensorListConcatV2", gradient=_of_concat, fallible=True,
    order=Order.C, finds_shape=True,
)  # fmt: skip
SPLIT = _row("array_split", _split, _split_type, gradient=_of_split, fallible=True)
SPLIT_LIKE = _row(
    "array_split_like", _split_like, _as_last, "TensorListSplit", gradient=_of_split_like
)
REPLACE = _row(
    "array_replace", _replace, _as_last, "TensorListSetItem", fallible=True,
    gradient=lambda op, grad: (None, grad),
)  # fmt: skip
