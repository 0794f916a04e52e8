"""Checks of arguments that only the run can make: numbers that must fit each other."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import errors
from runtime.core.primitive import Memory, Primitive, bind, row, sample
from runtime.core.tensor import Tensor


def _checked_kernel(x: Any, fits: Any, *, caller: str, message: str) -> Any:
    if not np.all(fits):
        raise errors.InvalidArgumentError(None, None, f"{message}: {np.array2string(x, 60)}")
    return x


checked_p: Primitive = row(
    "checked", _checked_kernel, signature="A,B->A", shape=lambda x, fits, *, caller, message: x,
    op_type="Checked", fallible=True, gradient=lambda op, g: (g, None), keep_inputs=(),
    memory=Memory.ALIASES, samples=(sample("2,3", "0:b", caller="Checked", message="bad"),),
)  # fmt: skip


def checked(x: Tensor, fits: Any, caller: str, message: str) -> Tensor:
    """`x`; InvalidArgumentError in the name of `caller` where `fits` is not true of all."""
    return bind(checked_p, x, fits, caller=caller, message=message)  # type: ignore[no-any-return]


def below(indices: Tensor, limit: Any, caller: str, what: str) -> Tensor:
    """Indices that are at least 0 and less than `limit`."""
    fit = ops.logical_and(indices >= 0, indices < limit)
    return checked(indices, fit, caller, f"{what} out of range")
