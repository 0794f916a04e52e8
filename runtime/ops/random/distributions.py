"""Distributions: how each is drawn, (generator, size, dtype, *parameters) -> array."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import dtypes, errors
from runtime.dtypes import DType
from runtime.primitive import wrong_value
from runtime.shapes import Shape

Size = tuple[int, ...]


def draw_uniform(rng: Any, size: Size, dtype: DType) -> Any:
    if dtype is dtypes.float16:
        # Eleven bits: a float32 just below 1 would be rounded to 1.
        return (rng.integers(0, 2048, size, np.uint16) / np.float32(2048)).astype(np.float16)
    return rng.random(size, dtype.np_dtype)


def draw_normal(rng: Any, size: Size, dtype: DType) -> Any:
    if dtype is dtypes.float16:
        return rng.standard_normal(size, np.float32).astype(np.float16)
    return rng.standard_normal(size, dtype.np_dtype)


def draw_truncated(rng: Any, size: Size, dtype: DType) -> Any:
    made = np.asarray(draw_normal(rng, size, dtype))
    while True:
        outside = np.abs(made) > 2
        count = int(np.count_nonzero(outside))
        if not count:
            return made
        made[outside] = draw_normal(rng, (count,), dtype)


def draw_integers(rng: Any, size: Size, dtype: DType, low: Any, high: Any) -> Any:
    check_scalars(np.shape(low), np.shape(high))
    if np.any(low >= high) and np.prod(size):
        raise errors.InvalidArgumentError(f"Need minval < maxval, got {low} >= {high}")
    return rng.integers(low, high, size, low.dtype)


def draw_bits(rng: Any, size: Size, dtype: DType) -> Any:
    return rng.integers(dtype.min, dtype.max, size, dtype.np_dtype, endpoint=True)


def draw_gamma(rng: Any, size: Size, dtype: DType, alpha: Any) -> Any:
    wide = np.float64 if alpha.dtype == np.float64 else np.float32
    return rng.standard_gamma(alpha.astype(wide), size, wide).astype(alpha.dtype)


def draw_poisson(rng: Any, size: Size, dtype: DType, lam: Any) -> Any:
    return rng.poisson(lam.astype(np.float64), size).astype(dtype.np_dtype)


def draw_binomial(rng: Any, size: Size, dtype: DType, counts: Any, probs: Any) -> Any:
    trials = np.asarray(counts, np.float64)
    if np.any(trials != np.floor(trials)):
        raise errors.InvalidArgumentError(f"counts must be whole numbers, got {counts}")
    return rng.binomial(trials.astype(np.int64), probs, size).astype(dtype.np_dtype)


def draw_classes(rng: Any, samples: int, logits: Any) -> Any:
    """For each row of logits the classes that `samples` uniform numbers fall on."""
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
    points = rng.random((rows, samples)) + np.arange(rows)[:, None]
    found = np.searchsorted(line, points, "right") - np.arange(rows)[:, None] * classes
    last = classes - 1 - np.argmax(weights[:, ::-1] > 0, 1)
    return np.clip(found, 0, last[:, None])


def check_scalars(*shapes: Shape) -> None:
    if any(shape not in ((), None) for shape in shapes):
        raise wrong_value(f"the bounds must be scalars, got shapes {', '.join(map(str, shapes))}")
