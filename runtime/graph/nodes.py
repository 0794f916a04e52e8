"""The primitives of structure: constants, control flow, calls, effects, lists and checks of carried
values.

`bind` never sees them: the tracer adds them, and each executor gives cond, while, call and raise
their meaning.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import zip_longest
from typing import Any, NoReturn

import numpy as np

from runtime import dtypes, errors
from runtime.core import forms, intervals
from runtime.core.convert import CONSTANT as CONSTANT
from runtime.core.forms import Logic
from runtime.core.identities import undone
from runtime.core.primitive import Order, Primitive, Raises, flat, structural
from runtime.core.shapes import Shape, is_known, size_of
from runtime.core.state import state
from runtime.core.types import ListType, NumberType, ObjectType, ResidualsType, TensorType, Type
from runtime.dtypes import DType

BOOL = NumberType("bool")
INT = NumberType("int")
FLOAT = NumberType("float")
NUMBER_TYPES: dict[type, NumberType] = {bool: BOOL, int: INT, float: FLOAT}
WIDE_DTYPES = {"bool": dtypes.bool, "int": dtypes.int64, "float": dtypes.float64}
"""The dtypes of tensors, by kind, that hold as much as these numbers, or as much as there are."""


def _structural(*_: Any, **__: Any) -> NoReturn:
    raise errors.InternalError("a structural node has no kernel")


def _nothing(*_: Type, **__: Any) -> tuple[()]:
    return ()


# Values that are known, or of no concern


def placeholder(type: Type) -> Any:
    """Some value of this type, for a place that is never read."""
    if isinstance(type, NumberType):
        return {"bool": False, "int": 0, "float": 0.0}[type.kind]
    if isinstance(type, ListType):
        return []
    if isinstance(type, ResidualsType):
        return Residuals(())
    if isinstance(type, ObjectType):
        return None
    shape = [dim or 0 for dim in type.shape or ()]
    if type.dtype is dtypes.string:
        return np.full(shape, b"", object)
    return np.zeros(shape, type.dtype.np_dtype)[()]


UNDEFINED = structural(
    "undefined", lambda *, type: placeholder(type), lambda *, type: type
)  # fmt: skip

# Control flow


COND = structural("cond", _structural, op_type="If")
WHILE = structural("while", _structural, op_type="While")
CALL = structural("call", _structural, op_type="PartitionedCall", order=Order.PERMUTED)
RAISE = structural("raise", _structural, _nothing, effect=True, repeatable=True, fallible=True)

# Numbers and tensors


def _truth(value: Any) -> bool:
    if value.size != 1:
        raise errors.InvalidValueError(
            f"the truth of a tensor of shape {value.shape} is ambiguous: "
            "use reduce_any or reduce_all",
        )
    return bool(value.item())


def _truth_failures(tensor: TensorType) -> Raises:
    return () if is_known(tensor.shape) else (errors.InvalidValueError,)


def _truth_type(tensor: TensorType) -> Type:
    if is_known(tensor.shape) and size_of(tensor.shape) != 1:
        raise ValueError(
            f"the truth of a tensor of type {tensor} is ambiguous: use reduce_any or reduce_all"
        )
    return BOOL


def _to_tensor(value: float, *, dtype: DType) -> Any:
    if not fits(value, dtype):
        raise does_not_fit(value, dtype)
    return dtype.np_dtype.type(value)


def does_not_fit(value: float, dtype: DType) -> Exception:
    """The error for a number of the run that becomes a tensor."""
    message = f"the Python number {value!r} does not fit into {dtype.name}"
    larger = dtypes.int64 if dtype.is_integer and fits(value, dtypes.int64) else dtypes.float64
    hint = f"make a tensor of a larger dtype of it: tf.constant(n, tf.{larger.name})"
    return errors.InvalidValueError(message, hint=hint)


def fits(value: float, dtype: DType) -> bool:
    """True if the Python number is in the range of the dtype. Infinity is, if the dtype has it."""
    limit = _largest(dtype)
    if limit is not None:
        return -limit <= value <= limit or (isinstance(value, float) and not math.isfinite(value))
    try:
        dtype.np_dtype.type(value)
    except OverflowError:
        return False
    return True


@cache
def _largest(dtype: DType) -> float | None:
    return float(dtype.max) if dtype.is_floating else None


def _length(value: Any) -> int:
    return len(value) if isinstance(value, tuple) else int(value.shape[0])


def _length_type(value: Type) -> Type:
    if isinstance(value, TensorType) and value.shape == ():
        raise TypeError("len of a scalar tensor")
    return INT


def element_shape(shape: Shape) -> Shape:
    """The shape of the rows of a tensor; TypeError for a scalar."""
    if shape == ():
        raise TypeError("iteration over a 0-d tensor")
    return None if shape is None else shape[1:]


TO_TENSOR = structural(
    "to_tensor", _to_tensor, lambda value, *, dtype: TensorType(dtype, ()), op_type="Cast",
    fallible=True, raises=(errors.InvalidValueError,), instruction="to_tensor",
    scalar=forms.to_tensor, interval=intervals.same, logic=Logic.SAME,
)  # fmt: skip
TRUTH = structural(
    "truth", _truth, _truth_type, op_type="Cast", fallible=True, raises=_truth_failures,
    instruction="to_bool",
    scalar=lambda inputs, *_: forms.TRUTHS.get(forms.kind_of(inputs[0])),
    logic=Logic.SAME, identities=(partial(undone, by=TO_TENSOR),),
)  # fmt: skip
TO_TENSOR.identities = (partial(undone, by=TRUTH),)
LENGTH = structural(
    "length", _length, _length_type, op_type="Size", of_shape=True, instruction="length"
)

# Carried values that may be missing


def _check_defined(flag: bool, *, name: str) -> None:
    if not flag:
        raise UnboundLocalError(
            f"cannot access local variable {name!r} where it is not associated with a value"
        )


def _check_present(flag: bool, *, name: str | None) -> None:
    if not flag:
        what = "a value" if name is None else repr(name)
        raise TypeError(f"{what} is None here, which cannot be computed with: test it by `is None`")


def _check_attribute(flag: bool, *, message: str) -> None:
    if not flag:
        raise AttributeError(message)


def _check_length(value: Any, *, expected: int) -> None:
    if len(value) != expected:
        few = len(value) < expected
        got = f"expected {expected}, got {len(value)}" if few else f"expected {expected}"
        raise ValueError(f"{'not enough' if few else 'too many'} values to unpack ({got})")


def _check_length_type(value: TensorType, *, expected: int) -> tuple[()]:
    if value.shape is not None and not value.shape:
        raise TypeError("cannot unpack a scalar tensor")
    return ()


_CHECK = {"effect": True, "repeatable": True, "fallible": True}
CHECK_LENGTH = structural(
    "check_length", _check_length, _check_length_type, raises=(ValueError,), **_CHECK
)
CHECK_DEFINED = structural(
    "check_defined", _check_defined, _nothing, raises=(UnboundLocalError,), instruction="require",
    **_CHECK,
)  # fmt: skip
CHECK_PRESENT = structural(
    "check_present", _check_present, _nothing, raises=(TypeError,), instruction="require", **_CHECK
)
CHECK_ATTRIBUTE = structural(
    "check_attribute", _check_attribute, _nothing, raises=(AttributeError,), instruction="require",
    **_CHECK,
)  # fmt: skip

# Lists are values: each of these makes a new one. In a list, None is where there is nothing; of a
# gradient, what was not sent.


def _each(items: Any, function: Callable[[Any], Any]) -> Any:
    """A list with `function` of each item, also in lists inside it."""
    if type(items) is list:
        return [None if item is None else _each(item, function) for item in items]
    if type(items) is Residuals:
        return Residuals([_each(item, function) for item in items.values])
    return function(items)


def zeros_like(items: Any) -> Any:
    """A gradient of which nothing was sent: of an array, zeros; of a list, no items."""
    if type(items) is list:
        return []
    if type(items) is Residuals:
        return Residuals(map(zeros_like, items.values))
    return np.zeros_like(items)[()]


def _each_type(items: Type, change: Callable[[tuple[int | None, ...]], Shape]) -> Type:
    if isinstance(items, ListType):
        return ListType(_each_type(items.element, change))
    assert isinstance(items, TensorType)
    return TensorType(items.dtype, None if items.shape is None else change(items.shape))


def added(first: Any, second: Any) -> Any:
    """The sum of two items, and of lists item by item."""
    if first is None or second is None:
        return second if first is None else first
    if type(first) is list:
        return [added(a, b) for a, b in zip_longest(first, second)]
    if type(first) is Residuals:
        return Residuals(map(added, first.values, second.values))
    return first + second


def _same_list(items: Type, *_: Type) -> Type:
    return items


def _gradient_of_sum(op: Any, grad: Any) -> tuple[Any]:
    item: Any = op.inputs[0].type
    while isinstance(item, ListType):
        item = item.element
    axis = op.params["axis"]
    return (apply(LIST_REPEAT, grad, count=item.shape[axis], axis=axis),)


LIST_ZEROS = structural("list_zeros", zeros_like, _same_list, op_type="ZerosLike", gradient=flat)
LIST_AS: Primitive = structural(
    "list_as", lambda items, *, type: items, lambda items, *, type: type, op_type="Identity",
    gradient=lambda op, grad: (apply(LIST_AS, grad, type=op.inputs[0].type),),
    instruction="list_as",
)  # fmt: skip
# Each item several times along a new axis; and the sums along one.
LIST_REPEAT: Primitive = structural(
    "list_repeat",
    lambda items, *, count, axis: _each(
        items, lambda item: np.repeat(np.expand_dims(item, axis), count, axis)
    ),
    lambda items, *, count, axis: _each_type(
        items, lambda shape: (*shape[:axis], count, *shape[axis:])
    ),
    gradient=lambda op, grad: (apply(LIST_SUM, grad, axis=op.params["axis"]),),
)
LIST_SUM: Primitive = structural(
    "list_sum",
    lambda items, *, axis: _each(items, lambda item: np.sum(item, axis, item.dtype)),
    lambda items, *, axis: _each_type(items, lambda shape: (*shape[:axis], *shape[axis + 1 :])),
    gradient=_gradient_of_sum,
)
LIST_ADD = structural(
    "list_add", added, _same_list, op_type="AddN", gradient=lambda op, grad: (grad, grad)
)


# What a call of a recursive graph keeps for its gradient: values of any types, also of calls inside
# it, as one value. Only so can its type be known before the graph is.


class Residuals:
    """The values that one call keeps, in a run."""

    __slots__ = ("values",)

    def __init__(self, values: Iterable[Any]) -> None:
        self.values = tuple(values)


def _gradient_of_pack(op: Any, grad: Any) -> Any:
    if not op.inputs:
        return ()
    found = apply(UNPACK, grad, types=tuple([item.type for item in op.inputs]))
    return found if len(op.inputs) > 1 else (found,)


def _gradient_of_unpack(op: Any, *given: Any) -> tuple[Any]:
    grads = [
        apply(LIST_ZEROS, item) if grad is None else grad
        for item, grad in zip(op.outputs, given, strict=True)
    ]
    return (apply(PACK, *grads, type=op.inputs[0].type),)


PACK: Primitive = structural(
    "pack_residuals", lambda *values, type: Residuals(values), lambda *values, type: type,
    gradient=_gradient_of_pack,
)  # fmt: skip
UNPACK: Primitive = structural(
    "unpack_residuals",
    lambda residuals, *, types: residuals.values[0] if len(types) == 1 else residuals.values,
    lambda residuals, *, types: types[0] if len(types) == 1 else types,
    gradient=_gradient_of_unpack,
)


def apply(primitive: Primitive, *symbols: Any, **params: Any) -> Any:
    """Add a node on symbols to the active trace, and show it to tapes."""
    trace = state.trace
    made = trace.apply(primitive, tuple([trace.value_of(item) for item in symbols]), params)
    for tape in state.tapes:
        tape.record(primitive, symbols, made if type(made) is tuple else (made,), params)
    return made
