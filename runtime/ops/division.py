"""Division of numbers towards zero, and of real numbers; powers modulo a number."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, broadcast_shapes, row, sample
from runtime.core.tensor import Tensor
from runtime.ops.blockwise import own
from runtime.ops.define import Op, binary, matched
from runtime.ops.math import division_failures, integer_safe


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
    raises=division_failures, reads="", gradient=lambda a, b, y, g: (None, None),
    samples=_DIVISIONS,
    doc="x / y rounded towards zero.",
    example=("int(rt.truncatediv(-3, 2))", "-1"),
)  # fmt: skip
truncatemod: Op = binary(
    "truncatemod", integer_safe(np.fmod), "R,R->R", op_type="TruncateMod", fallible=True,
    raises=division_failures, gradient=lambda a, b, y, g: (g, -g * ops.truncatediv(a, b)),
    samples=_DIVISIONS,
    doc="The remainder of truncatediv, with the sign of x.",
    example=("int(rt.truncatemod(-3, 2))", "-1"),
)  # fmt: skip


_PYTHONS_POWER = np.frompyfunc(pow, 3, 1)


def _power_modulo_kernel(base: Any, exponent: Any, modulus: Any) -> Any:
    try:
        return np.asarray(_PYTHONS_POWER(base, exponent, modulus), base.dtype)
    except ValueError as error:
        raise errors.InvalidValueError(str(error)) from None


# Exact, however large the power is: Python's own integers have room.
power_modulo_p = row(
    "power_modulo", _power_modulo_kernel, signature="I,J,I->I", shape=broadcast_shapes,
    fallible=True, keep_inputs=(), gradient=lambda op, g: (None, None, None),
    samples=(sample("2,3:i9", "2,3:i9", "2,3:i9+"), sample("2,1:i9", "3:i9", "3:i9+")),
)  # fmt: skip


def power_modulo(base: Any, exponent: Any, modulus: Any) -> Tensor:
    """pow(base, exponent, modulus) of integers as Python computes it, elementwise.

    The exponent may be of another dtype. InvalidArgumentError where the modulus is 0, or a base
    with a negative exponent has no inverse.
    """
    if not isinstance(exponent, Tensor):
        exponent = convert_to_tensor(exponent, dtype_hint=dtypes.int64)
    elif not isinstance(base, Tensor | np.ndarray) and not isinstance(modulus, Tensor | np.ndarray):
        base = convert_to_tensor(base, dtype_hint=exponent.dtype)
    base, modulus = matched(base, modulus, power_modulo_p.op_type)
    return bind(power_modulo_p, base, exponent, modulus)  # type: ignore[no-any-return]


def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y for floating-point tensors.

    >>> float(rt.realdiv(3., 2.))
    1.5
    """
    return ops.divide_real(x, y)
