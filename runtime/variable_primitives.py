"""Reading and assigning variables, as primitives.

The variable is a parameter: a graph holds it by reference, and reads it where the node stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.dtypes import DType
from runtime.primitive import row
from runtime.state import state
from runtime.types import TensorType

if TYPE_CHECKING:
    from runtime.variable import Variable


def _read_kernel(*, variable: Variable) -> Any:
    return variable.raw_value()


def _read_type(*, variable: Variable) -> TensorType:
    return variable.type


def in_rows(array: Any) -> Any:
    """The array, or a copy of it that lies row by row: graphs count on that."""
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def _assign_kernel(value: Any, *, variable: Variable) -> tuple[()]:
    variable.check_shape(value.shape)
    variable.raw = in_rows(value)
    return ()


def _assign_type(value: TensorType, *, variable: Variable) -> tuple[()]:
    if value.dtype is not variable.dtype:
        raise TypeError(dtype_mismatch(variable, value.dtype))
    variable.check_shape(value.shape)
    return ()


def _updating(ufunc: Any) -> Callable[..., tuple[()]]:
    def kernel(value: Any, *, variable: Variable) -> tuple[()]:
        with variable.lock:
            variable.check_shape(value.shape, f"{ufunc.__name__} a value to")
            # A copy, because a graph that assigns runs in the context itself.
            made = state.context.copy().run(ufunc, variable.raw_value(), value)
            variable.raw = in_rows(made)
        return ()

    return kernel


read_p = row(
    "read_variable", _read_kernel, _read_type, op_type="ReadVariableOp", effect=True,
    gradient=lambda op, g: (g,),
)  # fmt: skip
assign_p = row(
    "assign_variable",
    _assign_kernel,
    _assign_type,
    op_type="AssignVariableOp",
    effect=True,
    fallible=True,
)
assign_add_p = row(
    "assign_add_variable", _updating(np.add), _assign_type, op_type="AssignAddVariableOp",
    effect=True, fallible=True,
)  # fmt: skip
assign_sub_p = row(
    "assign_sub_variable", _updating(np.subtract), _assign_type, op_type="AssignSubVariableOp",
    effect=True, fallible=True,
)  # fmt: skip


def dtype_mismatch(variable: Variable, dtype: DType) -> str:
    return (
        f"Cannot assign value to variable '{variable.name}': the variable has dtype "
        f"{variable.dtype.name}, the value has dtype {dtype.name}; convert it with tf.cast"
    )
