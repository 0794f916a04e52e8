"""Reading and assigning variables, as primitives.

The handle of the variable is a parameter: a graph reads it where the node stands.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime import dtypes, errors
from runtime.core.primitive import TABLE, Memory, Order, Raises, row
from runtime.core.state import state
from runtime.core.types import TensorType
from runtime.core.workspace import c_contiguous
from runtime.dtypes import DType

if TYPE_CHECKING:
    from runtime.variables.handle import VariableHandle


def _references() -> int:
    held = np.empty(1)
    pending = [held]
    alone = sys.getrefcount(held)
    del pending
    return alone


_ALONE = _references()
"""The references that are counted in `renew`, which holds an array twice: in a variable, as here.
"""


def renew(variable: VariableHandle, value: Any, compute: Callable[..., Any]) -> None:
    """Give the variable what `compute(raw, value, out)` makes of its array and a value. `out` is
    this array, if nobody else has it.

    Meanwhile it is `pending`, and nobody gets it: other threads wait for the lock. What Python runs
    in between on this thread (handlers of signals, finalizers) reads copies; what it assigns comes
    after this, and so do its updates.
    """
    with variable.lock:
        raw = variable.raw
        if raw is None and variable.pending is not None:
            variable.later.append((value, compute))
            return
        try:
            variable.pending = raw
            variable.raw = None
            # First of all: each call with the array has it too.
            alone = sys.getrefcount(raw) == _ALONE
            raw = compute(raw, value, raw if alone and _holds(raw, value) else None)
        finally:
            if variable.raw is None:
                variable.raw = raw
            variable.pending = None
            while variable.later:
                renew(variable, *variable.later.pop(0))


def _holds(raw: Any, value: Any) -> bool:
    """True if a value of this shape and dtype may be written over an array."""
    if type(raw) is not np.ndarray or raw.shape != value.shape or raw.dtype.kind == "O":
        return False
    flags = raw.flags
    return bool(flags.owndata and flags.writeable and flags.c_contiguous)


def _copied(raw: Any, value: Any, out: Any) -> Any:
    if out is None:
        return np.array(value, order="C")
    np.copyto(out, value)
    return out


def _assign_kernel(value: Any, *, variable: VariableHandle, shared: bool = True) -> tuple[()]:
    """A value that is not `shared` is copied: it lies in a buffer that is written over later."""
    variable.check_shape(value.shape)
    if not shared:
        renew(variable, value, _copied)
        return ()
    with variable.lock:
        variable.raw = c_contiguous(value)
    return ()


def _assign_type(value: TensorType, *, variable: VariableHandle) -> tuple[()]:
    if value.dtype is not variable.dtype:
        raise TypeError(dtype_mismatch(variable, value.dtype))
    variable.check_shape(value.shape)
    return ()


def _assign_failures(value: TensorType, *, variable: VariableHandle) -> Raises:
    """The classes of what an assignment raises at run time: where both shapes are known, it has
    been checked.
    """
    is_known = all(
        each is not None and None not in each for each in (value.shape, variable.type.shape)
    )
    return () if is_known else (errors.InvalidValueError,)


def _updating(ufunc: Any) -> Callable[..., tuple[()]]:
    def compute(raw: Any, value: Any, out: Any) -> Any:
        # A copy, because a graph that assigns runs in the context itself.
        # What NumPy returns for a string is no array.
        made = state.context.copy().run(ufunc, raw, value, out)
        return c_contiguous(np.asarray(made, raw.dtype) if isinstance(made, bytes) else made)

    def kernel(value: Any, *, variable: VariableHandle) -> tuple[()]:
        variable.check_shape(value.shape)
        variable.check_shape(value.shape, held=np.shape(variable.raw_value()))
        renew(variable, value, compute)
        return ()

    return kernel


read_p = row(
    "read_variable", lambda *, variable: variable.raw_value(), lambda *, variable: variable.type,
    op_type="ReadVariableOp", effect=True, gradient=lambda op, g: (g,), order=Order.C,
    method="read_value",
)  # fmt: skip
assign_p = row(
    "assign_variable",
    _assign_kernel,
    _assign_type,
    op_type="AssignVariableOp",
    effect=True,
    fallible=True,
    raises=_assign_failures,
    memory=Memory.READS,
    method="assign",
)
assign_add_p = row(
    "assign_add_variable", _updating(np.add), _assign_type, op_type="AssignAddVariableOp",
    effect=True, fallible=True, raises=_assign_failures, memory=Memory.READS, method="assign_add",
    renews_by=TABLE["add"],
)  # fmt: skip
assign_sub_p = row(
    "assign_sub_variable", _updating(np.subtract), _assign_type, op_type="AssignSubVariableOp",
    effect=True, fallible=True, raises=_assign_failures, memory=Memory.READS, method="assign_sub",
    renews_by=TABLE["sub"],
)  # fmt: skip


def _count_kernel(*, variable: VariableHandle, limit: int) -> Any:
    _count_type(variable=variable, limit=limit)
    before = []

    def counted(raw: Any, one: Any, out: Any) -> Any:
        if raw >= limit:
            raise errors.OutOfRangeError(f"Reached limit of {limit}")
        before.append(raw.copy())
        return np.add(raw, one, dtype=raw.dtype)

    renew(variable, np.int8(1), counted)
    return before[0]


def _count_type(*, variable: VariableHandle, limit: int) -> TensorType:
    if variable.dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"count_up_to counts int32 or int64, not {variable.dtype.name}")
    variable.check_shape((), "count")
    return TensorType(variable.dtype, ())


count_up_to_p = row(
    "count_up_to", _count_kernel, _count_type, op_type="ResourceCountUpTo", effect=True,
    fallible=True, raises=(errors.OutOfRangeError,), memory=Memory.READS, method="count_up_to",
)  # fmt: skip


def dtype_mismatch(variable: VariableHandle, dtype: DType) -> str:
    return (
        f"Cannot assign value to variable '{variable.name}': the variable has dtype "
        f"{variable.dtype.name}, the value has dtype {dtype.name}; convert it with tf.cast"
    )
