"""Distributions: how each is drawn, (generator, size, dtype, *parameters, out) -> array.

`out` is None or an array of this size and dtype, which the numbers are written to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime import dtypes, errors
from runtime.dtypes import DType
from runtime.ops.define import converted
from runtime.primitive import wrong_value
from runtime.shapes import Shape

Size = tuple[int, ...]

_PIECE = 1 << 12


def _filled(draw: Callable[..., Any], size: Size, dtype: DType, out: Any) -> Any:
    """What a method of a generator draws, in `out` if there is one."""
    if out is None:
        return draw(size, dtype.np_dtype)
    return draw(dtype=dtype.np_dtype, out=out)


def draw_uniform(rng: Any, size: Size, dtype: DType, out: Any = None) -> Any:
    if dtype is dtypes.float16:
        # Eleven bits: a float32 just below 1 would be rounded to 1.
        made = rng.integers(0, 2048, size, np.uint16) / np.float32(2048)
        return converted(made, dtype.np_dtype, out)
    return _filled(rng.random, size, dtype, out)


def draw_normal(rng: Any, size: Size, dtype: DType, out: Any = None) -> Any:
    if dtype is dtypes.float16:
        return converted(rng.standard_normal(size, np.float32), dtype.np_dtype, out)
    return _filled(rng.standard_normal, size, dtype, out)


def draw_truncated(rng: Any, size: Size, dtype: DType, out: Any = None) -> Any:
    made = np.asarray(draw_normal(rng, size, dtype, out))
    flat = made.reshape(-1)
    outside = _outside(flat)
    while len(outside):
        again = draw_normal(rng, outside.shape, dtype)
        flat[outside] = again
        outside = outside[(again > 2) | (again < -2)]
    return made


def _outside(flat: Any) -> Any:
    """The places of what is to be drawn again, looked for in pieces that stay in the cache."""
    found = [
        start + np.flatnonzero(np.abs(flat[start : start + _PIECE]) > 2)
        for start in range(0, len(flat), _PIECE)
    ]
    return np.concatenate([np.empty(0, np.intp), *found])


def draw_integers(rng: Any, size: Size, dtype: DType, low: Any, high: Any, out: Any = None) -> Any:
    check_scalars(np.shape(low), np.shape(high))
    if np.any(low >= high) and np.prod(size):
        raise errors.InvalidArgumentError(f"Need minval < maxval, got {low} >= {high}")
    return converted(rng.integers(low, high, size, low.dtype), low.dtype, out)


def draw_bits(rng: Any, size: Size, dtype: DType, out: Any = None) -> Any:
    made = rng.integers(dtype.min, dtype.max, size, dtype.np_dtype, endpoint=True)
    return converted(made, dtype.np_dtype, out)


def draw_gamma(rng: Any, size: Size, dtype: DType, alpha: Any, out: Any = None) -> Any:
    wide = np.float64 if alpha.dtype == np.float64 else np.float32
    if out is not None and out.dtype == wide:
        return rng.standard_gamma(alpha, dtype=wide, out=out)
    return converted(rng.standard_gamma(alpha.astype(wide), size, wide), alpha.dtype, out)


def draw_poisson(rng: Any, size: Size, dtype: DType, lam: Any, out: Any = None) -> Any:
    return converted(rng.poisson(lam.astype(np.float64), size), dtype.np_dtype, out)


def draw_binomial(
    rng: Any, size: Size, dtype: DType, counts: Any, probs: Any, out: Any = None
) -> Any:
    trials = np.asarray(counts, np.float64)
    if np.any(trials != np.floor(trials)):
        raise errors.InvalidArgumentError(f"counts must be whole numbers, got {counts}")
    return converted(rng.binomial(trials.astype(np.int64), probs, size), dtype.np_dtype, out)


def draw_classes(rng: Any, size: Size, dtype: DType, logits: Any, out: Any = None) -> Any:
    """For each row of logits the classes that uniform numbers fall on."""
    rows, classes = logits.shape
    wide = logits.astype(np.float64)
    weights = np.exp(wide - wide.max(1, keepdims=True))
    total = np.cumsum(weights, 1)
    if not np.all(np.isfinite(total[:, -1])):
        raise errors.InvalidArgumentError(
            "logits must be numbers, of which one in each row is finite"
        )
    # The rows one after another on one line: row r between r and r + 1.
    line = (total / total[:, -1:] + np.arange(rows)[:, None]).reshape(-1)
    points = rng.random(size) + np.arange(rows)[:, None]
    found = np.searchsorted(line, points, "right") - np.arange(rows)[:, None] * classes
    last = classes - 1 - np.argmax(weights[:, ::-1] > 0, 1)
    return converted(np.clip(found, 0, last[:, None]), dtype.np_dtype, out)


def check_scalars(*shapes: Shape) -> None:
    if any(shape not in ((), None) for shape in shapes):
        raise wrong_value(f"the bounds must be scalars, got shapes {', '.join(map(str, shapes))}")
