"""Checks of arguments that only the run can make: numbers that must fit each other."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import errors
from runtime.core.primitive import Memory, Primitive, bind, row, sample, wrong_value
from runtime.core.shapes import compatible, is_known
from runtime.core.tensor import Tensor


def _checked_kernel(x: Any, fits: Any, *, caller: str, message: str) -> Any:
    if not np.all(fits):
        raise errors.InvalidValueError(f"{message}: {np.array2string(x, 60)}")
    return x


checked_p: Primitive = row(
    "checked", _checked_kernel, signature="A,B->A", shape=lambda x, fits, *, caller, message: x,
    op_type="Checked", fallible=True, gradient=lambda op, g: (g, None), keep_inputs=(),
    memory=Memory.ALIASES, samples=(sample("2,3", "0:b", caller="Checked", message="bad"),),
    instruction="checked",
)  # fmt: skip


def checked(x: Tensor, fits: Any, caller: str, message: str) -> Tensor:
    """`x`; InvalidArgumentError in the name of `caller` where `fits` is not true of all."""
    return bind(checked_p, x, fits, caller=caller, message=message)  # type: ignore[no-any-return]


def alike(x: Tensor, other: Tensor, names: str) -> Tensor:
    """`x`; InvalidArgumentError where `other` has another shape, in a run where only that knows."""
    if not compatible(x.static_shape, other.static_shape):
        raise wrong_value(f"{names} must have one shape, got {x.shape} and {other.shape}")
    if is_known(x.static_shape) and is_known(other.static_shape):
        return x
    fits = ops.reduce_all(ops.equal(ops.shape(x), ops.shape(other)))
    return checked(x, fits, "SameShape", f"{names} must have one shape")


MISSES = errors.IndexError, errors.InvalidValueError
"""The classes of what an op raises that is given places, or shapes, that do not fit."""


def outside(numbers: Any, bad: Any, what: str, low: int, limit: Any) -> errors.IndexError:
    """The error for the first of the `bad` elements of an array called `what`, which should be at
    least `low` and less than `limit`, a number or an array of them.
    """
    place = tuple(np.argwhere(bad)[0].tolist())
    end = np.broadcast_to(limit, np.shape(bad))[place]
    name = f"{what}{list(place)}" if place else what
    return errors.IndexError(f"{name} = {np.asarray(numbers)[place]} is not in [{low}, {end})")


def _below_kernel(x: Any, limit: Any, *, caller: str, what: str) -> Any:
    bad = (x < 0) | (x >= limit)
    if np.any(bad):
        raise outside(x, bad, what, 0, limit)
    return x


below_p: Primitive = row(
    "below", _below_kernel, signature="I,i->I", shape=lambda x, limit, *, caller, what: x,
    op_type="Below", fallible=True, raises=MISSES, gradient=None, keep_inputs=(),
    memory=Memory.ALIASES, samples=(sample([0, 2], 3, caller="Below", what="ids"),),
)  # fmt: skip


def below(indices: Tensor, limit: Any, caller: str, what: str) -> Tensor:
    """Indices, called `what`, that are at least 0 and less than `limit`: it has their shape, or
    none. InvalidArgumentError in the name of `caller` for others.
    """
    end = ops.convert_to_tensor(limit)
    return bind(below_p, indices, end, caller=caller, what=what)  # type: ignore[no-any-return]
