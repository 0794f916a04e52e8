"""Distributions: how each is drawn, (generator, size, dtype, *parameters, out, work) -> array.

`out` is None or an array of this size and dtype, which the numbers are written to. The same numbers
are drawn without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime import dtypes, errors
from runtime.core.primitive import wrong_value
from runtime.core.shapes import Shape
from runtime.core.workspace import Workspace, opened
from runtime.dtypes import DType
from runtime.ops.blockwise import PIECE, numbers, places
from runtime.ops.define import converted

Size = tuple[int, ...]
Work = Workspace | None
Parameters = Sequence[tuple[Any, Any]]
"""Each with the dtype that it is drawn with."""


def _filled(draw: Callable[..., Any], size: Size, dtype: DType, out: Any) -> Any:
    """Returns what a method of a generator draws, in `out` if there is one."""
    if out is None:
        return draw(size, dtype.np_dtype)
    return draw(dtype=dtype.np_dtype, out=out)


def _in_pieces(
    draw: Callable[..., Any], size: Size, dtype: Any, parameters: Parameters, out: Any, work: Work,
    step: int = PIECE,
) -> Any:  # fmt: skip
    """Returns the result of `draw(*parameters, size)`, of whatever dtype, each number by itself.
    NumPy makes an array of it: a small one for each `step` elements of `out`.
    """
    if out is None or out.size <= step:
        given = [each.astype(wanted, copy=False) for each, wanted in parameters]
        return converted(draw(*given, size), dtype, out)
    flat, work = out.reshape(-1), opened(work)
    spread = [_spread(each, wanted, size, work) for each, wanted in parameters]
    for start in range(0, flat.size, step):
        piece = slice(start, start + step)
        of_piece = [each[piece] if each.ndim else each for each in spread]
        np.copyto(flat[piece], draw(*of_piece, flat[piece].shape), casting="unsafe")
    return out


def _spread(parameter: Any, wanted: Any, size: Size, work: Workspace) -> Any:
    if not parameter.ndim:
        return parameter.astype(wanted)
    made = work.array(size, wanted)
    np.copyto(made, parameter, casting="unsafe")
    return made.reshape(-1)


def draw_uniform(rng: Any, size: Size, dtype: DType, out: Any = None, work: Work = None) -> Any:
    if dtype.size > 2:
        return _filled(rng.random, size, dtype, out)
    steps = 2048 if dtype is dtypes.float16 else 256

    def draw(wanted: Size) -> Any:
        # As many bits as it holds: a float32 just below 1 would be rounded to 1.
        return rng.integers(0, steps, wanted, np.uint16) / np.float32(steps)

    return _in_pieces(draw, size, dtype.np_dtype, (), out, work, 2 * PIECE)


def draw_normal(rng: Any, size: Size, dtype: DType, out: Any = None, work: Work = None) -> Any:
    if dtype.size > 2:
        return _filled(rng.standard_normal, size, dtype, out)
    made = None if out is None else opened(work).array(size, np.float32)
    return converted(_filled(rng.standard_normal, size, dtypes.float32, made), dtype.np_dtype, out)


def draw_truncated(rng: Any, size: Size, dtype: DType, out: Any = None, work: Work = None) -> Any:
    made = np.asarray(draw_normal(rng, size, dtype, out, work))
    flat, work = made.reshape(-1), opened(work)
    outside = _outside(flat, work)
    while len(outside):
        again = _again(rng, dtype, outside.shape, work)
        flat[outside] = again
        still = _outside(again, work)
        outside = outside.take(still, out=work.like(still), mode="clip")
    return made


def _again(rng: Any, dtype: DType, shape: Size, work: Workspace) -> Any:
    if dtype.size > 2:
        return draw_normal(rng, shape, dtype, work.array(shape, dtype.np_dtype))
    made = work.array(shape, np.float32)
    return work.copied(rng.standard_normal(out=made, dtype=np.float32), dtype.np_dtype)


def _outside(flat: Any, work: Workspace) -> Any:
    """The places of what is to be drawn again, looked for in pieces that stay in the cache."""
    if flat.size <= PIECE:
        return np.flatnonzero(np.abs(flat) > 2)
    beyond = work.array(flat.shape, np.bool_)
    size = work.array((PIECE,), flat.dtype)
    for start in range(0, len(flat), PIECE):
        piece = flat[start : start + PIECE]
        sizes = np.abs(piece, out=size[: len(piece)])
        np.greater(sizes, 2, out=beyond[start : start + PIECE])
    return places(beyond, work)


def draw_integers(
    rng: Any, size: Size, dtype: DType, low: Any, high: Any, out: Any = None, work: Work = None
) -> Any:
    check_scalars(np.shape(low), np.shape(high))
    if np.any(low >= high) and np.prod(size):
        raise errors.InvalidValueError(f"Need minval < maxval, got {low} >= {high}")

    def draw(wanted: Size) -> Any:
        return rng.integers(low, high, wanted, low.dtype)

    return _in_pieces(draw, size, low.dtype, (), out, work, 8 * PIECE // low.dtype.itemsize)


def draw_bits(rng: Any, size: Size, dtype: DType, out: Any = None, work: Work = None) -> Any:
    def draw(wanted: Size) -> Any:
        return rng.integers(dtype.min, dtype.max, wanted, dtype.np_dtype, endpoint=True)

    return _in_pieces(draw, size, dtype.np_dtype, (), out, work, 8 * PIECE // dtype.size)


def draw_gamma(
    rng: Any, size: Size, dtype: DType, alpha: Any, out: Any = None, work: Work = None
) -> Any:
    wide = np.float64 if alpha.dtype == np.float64 else np.float32

    def draw(shape: Any, wanted: Size) -> Any:
        return rng.standard_gamma(shape, wanted, wide)

    return _in_pieces(draw, size, alpha.dtype, [(alpha, wide)], out, work)


def draw_poisson(
    rng: Any, size: Size, dtype: DType, lam: Any, out: Any = None, work: Work = None
) -> Any:
    return _in_pieces(rng.poisson, size, dtype.np_dtype, [(lam, np.float64)], out, work)


def draw_binomial(
    rng: Any, size: Size, dtype: DType, counts: Any, probs: Any, out: Any = None, work: Work = None
) -> Any:
    if counts.dtype.kind == "f" and not _are_whole(counts, opened(work)):
        raise errors.InvalidValueError(f"counts must be whole numbers, got {counts}")
    both = [(counts, np.int64), (probs, np.float64)]
    return _in_pieces(rng.binomial, size, dtype.np_dtype, both, out, work)


def _are_whole(x: Any, work: Workspace) -> bool:
    whole = np.floor(x, out=work.like(x))
    return bool(np.equal(x, whole, out=work.array(x.shape, np.bool_)).all())


def draw_classes(
    rng: Any, size: Size, dtype: DType, logits: Any, out: Any = None, work: Work = None
) -> Any:
    """For each row of logits the classes that uniform numbers fall on."""
    work = opened(work)
    rows, classes = logits.shape
    weights = work.copied(logits, np.float64)
    weights -= weights.max(1, keepdims=True, out=work.array((rows, 1), np.float64))
    np.exp(weights, out=weights)
    line = np.add.accumulate(weights, 1, out=work.like(weights))
    total = work.copied(line[:, -1:])
    if not np.isfinite(total).all():
        raise errors.InvalidValueError("logits must be numbers, of which one in each row is finite")
    # The rows one after another on one line: row r between r and r + 1.
    row = numbers(rows, work)[:, np.newaxis]
    line /= total
    line += row
    points = rng.random(out=work.array(size, np.float64))
    points += row
    found = _searched(line.reshape(-1), points, work)
    row *= classes
    found -= row
    # Rounding may put a point behind the last place of its row.
    np.minimum(found, _last_positive(weights, work), out=found)
    return converted(found, dtype.np_dtype, out)


def _searched(line: Any, points: Any, work: Workspace) -> Any:
    """Returns the places of the points on the line, behind their equals."""
    found, flat = work.array(points.shape, np.int64), points.reshape(-1)
    into = found.reshape(-1)
    for start in range(0, flat.size, PIECE):
        piece = slice(start, start + PIECE)
        into[piece] = np.searchsorted(line, flat[piece], "right")
    return found


def _last_positive(weights: Any, work: Workspace) -> Any:
    """The last place of each row with a positive weight."""
    rows, classes = weights.shape
    positive = np.greater(weights[:, ::-1], 0, out=work.array(weights.shape, np.bool_))
    last = work.array((rows, 1), np.int64)
    positive.argmax(1, keepdims=True, out=last)
    return np.subtract(classes - 1, last, out=last)


def check_scalars(*shapes: Shape) -> None:
    if any(shape not in ((), None) for shape in shapes):
        raise wrong_value(f"the bounds must be scalars, got shapes {', '.join(map(str, shapes))}")
