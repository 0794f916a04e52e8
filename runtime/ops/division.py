"""Division of numbers towards zero, and of real numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.core.primitive import sample
from runtime.core.tensor import Tensor
from runtime.ops.blockwise import own
from runtime.ops.define import Op, binary
from runtime.ops.math import integer_safe


def _truncated(a: Any, b: Any, out: Any = None) -> Any:
    rest = np.fmod(a, b, out=out)
    whole = np.subtract(a, rest, own(rest))
    if a.dtype.kind != "f":
        return np.floor_divide(whole, b, own(whole))
    made = np.divide(whole, b, own(whole))
    # There is no rest of what is infinite, nor by zero.
    unclear = np.isnan(made)
    if not unclear.any():
        return made
    if not made.ndim:
        return np.trunc(np.divide(a, b))
    np.copyto(made, np.trunc(np.divide(a, b)), where=unclear)
    return made


_DIVISIONS = (sample("2,3", "2,3:+"), sample("4:i9", "4:i4+"))
truncatediv: Op = binary(
    "truncatediv", integer_safe(_truncated), "R,R->R", op_type="TruncateDiv", fallible=True,
    reads="", gradient=lambda a, b, y, g: (None, None), samples=_DIVISIONS,
    doc="x / y rounded towards zero.",
    example=("int(rt.truncatediv(-3, 2))", "-1"),
)  # fmt: skip
truncatemod: Op = binary(
    "truncatemod", integer_safe(np.fmod), "R,R->R", op_type="TruncateMod", fallible=True,
    gradient=lambda a, b, y, g: (g, -g * ops.truncatediv(a, b)), samples=_DIVISIONS,
    doc="The remainder of truncatediv, with the sign of x.",
    example=("int(rt.truncatemod(-3, 2))", "-1"),
)  # fmt: skip


def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y for floating-point tensors.

    >>> float(rt.realdiv(3., 2.))
    1.5
    """
    return ops.divide_real(x, y)
