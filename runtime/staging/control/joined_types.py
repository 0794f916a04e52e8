"""Types that meet where paths do: numbers widen, or take the dtype of a tensor; shapes relax."""

from __future__ import annotations

from runtime import dtypes
from runtime.core.shapes import join_shapes
from runtime.core.types import ListType, NumberType, TensorType, Type
from runtime.graph import numbers
from runtime.graph.nodes import BOOL
from runtime.staging.control.specs import Mismatch
from runtime.staging.symbolic_number import (
    check_known_kinds,
    convertible,
    note_meeting_float,
)


def join_types(a: Type, b: Type) -> Type:
    """The type that covers both: numbers widen or take a tensor's dtype, shapes relax; else raises
    Mismatch.
    """
    if isinstance(a, NumberType) and isinstance(b, NumberType):
        if BOOL in (a, b) and a != b:  # True is printed as another number than 1
            raise Mismatch(
                f"it is a Python {a.kind} on one path and a Python {b.kind} on the other",
                "leave values of one kind: int(...) of the bool, or a bool on both",
                dtypes_differ=True,
                kinds_differ=True,
            )
        if a != b:
            check_known_kinds(a.kind, b.kind)
            note_meeting_float()
        return numbers.widest(a, b)
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        if a.dtype is not b.dtype:
            return _scalars_meet(a, b)
        return TensorType(a.dtype, join_shapes(a.shape, b.shape))
    if isinstance(a, TensorType) and isinstance(b, NumberType):
        return _number_meets(b, a)
    if isinstance(a, NumberType) and isinstance(b, TensorType):
        return _number_meets(a, b)
    if isinstance(a, ListType) and isinstance(b, ListType):
        return ListType(join_types(a.element, b.element))
    if a == b:
        return a
    raise Mismatch(f"{a} cannot be joined with {b}", "leave values of the same kind on both paths")


_FLOAT_SCALAR = TensorType(dtypes.float64, ())


def _is_whole_scalar(type: TensorType) -> bool:
    return type.shape == () and type.dtype.is_integer


def _scalars_meet(a: TensorType, b: TensorType) -> Type:
    """Scalars of integers beside `float64` are Python's numbers, as they are for the operators."""
    if (_is_whole_scalar(a) and b == _FLOAT_SCALAR) or (a == _FLOAT_SCALAR and _is_whole_scalar(b)):
        note_meeting_float()
        return _FLOAT_SCALAR
    raise _unequal_dtypes(a.dtype.name, b.dtype.name, b.dtype.name)


def _number_meets(number: NumberType, tensor: TensorType) -> Type:
    if number.kind == "float" and _is_whole_scalar(tensor):
        note_meeting_float()
        return _FLOAT_SCALAR
    if not convertible(number.kind, tensor.dtype):
        raise _unequal_dtypes(f"Python {number.kind}", tensor.dtype.name, tensor.dtype.name)
    return TensorType(tensor.dtype, join_shapes((), tensor.shape))


def _unequal_dtypes(a: str, b: str, target: str) -> Mismatch:
    return Mismatch(
        f"its dtype is {a} on one path and {b} on the other",
        f"convert one of them, for example with tf.cast(..., tf.{target})",
        dtypes_differ=True,
        kinds_differ=bool({a, b} & {"bool", "Python bool", "string"}),
    )
