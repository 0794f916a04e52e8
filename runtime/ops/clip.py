"""Clipping of values and norms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, broadcast_shapes, row, sample, wrong_dtype, wrong_value
from runtime.core.shapes import Shape, compatible
from runtime.core.tensor import Tensor
from runtime.ops.blockwise import own
from runtime.ops.define import sum_to_shape_of
from runtime.ops.indexed_slices import IndexedSlices


def _clip_shape(x: Shape, low: Shape, high: Shape) -> Shape:
    made = broadcast_shapes(x, low, high)
    if not compatible(x, made):
        raise wrong_value(
            f"bounds of shapes {low} and {high} do not broadcast to the shape {x} of the values"
        )
    return x


def _clip_kernel(x: Any, low: Any, high: Any, out: Any = None) -> Any:
    if x.dtype.char in "fd" and not (low.ndim or high.ndim) and low <= high:
        return np.clip(x, low, high, out=out)
    clipped = _bounded(np.minimum, x, high, out)
    clipped = _bounded(np.maximum, clipped, low, out if low.ndim else own(clipped))
    if clipped.shape != x.shape:
        _clip_shape(x.shape, np.shape(low), np.shape(high))
    return clipped


def _bounded(extreme: Any, x: Any, bound: Any, out: Any) -> Any:
    """The smaller or the larger of both; of zeros x, as `np.clip` has it: NumPy gives the second
    one, but of float16 the first.
    """
    first, second = (x, bound) if x.dtype.char == "e" else (bound, x)
    return extreme(first, second, out=out)


def _clip_gradient(op: Any, g: Any) -> Any:
    x, low, high = op.inputs
    nothing = ops.zeros_like(g)
    below = ops.logical_or(ops.less(x, low), ops.less(high, low))  # the lower bound wins
    above = ops.logical_and(ops.greater(x, high), ops.less_equal(low, high))
    inside = ops.where(ops.logical_or(below, above), nothing, g)
    return (
        inside,
        sum_to_shape_of(ops.where(below, g, nothing), low),
        sum_to_shape_of(ops.where(above, g, nothing), high),
    )


clip_p = row(
    "clip", _clip_kernel, signature="R,R,R->R", shape=_clip_shape, op_type="ClipByValue",
    gradient=_clip_gradient, samples=(sample("2,3", [-0.5], [0.5]), sample("2,3", ":lo", ":hi")),
    instruction="clip",
)  # fmt: skip


def clip_by_value(
    t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Tensor:
    """`t` with what is below `clip_value_min` or above `clip_value_max` replaced by these.

    The bounds are scalars or tensors that broadcast to the shape of `t`. Where they cross, the
    lower one wins. Of IndexedSlices, those of the clipped values.

    >>> rt.clip_by_value([1, 5], 2, 4).numpy().tolist()
    [2, 4]
    """
    if type(t) is IndexedSlices:
        clipped = clip_by_value(t.values, clip_value_min, clip_value_max)
        return t.with_values(clipped)  # type: ignore[return-value]
    x = convert_to_tensor(t)
    low, high = (
        convert_to_tensor(clip_value_min, x.dtype),
        convert_to_tensor(clip_value_max, x.dtype),
    )
    return bind(clip_p, x, low, high)  # type: ignore[no-any-return]


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """`t` scaled so that its norm (along `axes`; None: of all elements) is at most `clip_norm`. Of
    IndexedSlices, the norm is that of the values.

    >>> rt.clip_by_norm([3., 4.], 1.).numpy().round(3)
    array([0.6, 0.8], dtype=float32)
    """
    if type(t) is IndexedSlices:
        return t.with_values(clip_by_norm(t.values, clip_norm, axes))  # type: ignore[return-value]
    values = convert_to_tensor(t)
    limit = ops.maximum(convert_to_tensor(clip_norm, values.dtype), 0)
    norm = _safe_norm(values, axes)
    clipped = values * limit / ops.maximum(norm, _positive(limit))
    if not compatible(values.static_shape, clipped.static_shape):
        raise wrong_value(
            f"clip_norm must broadcast to the shape of the values, {values.shape}, but together "
            f"they have shape {clipped.shape}"
        )
    return clipped


def _positive(limit: Tensor) -> Tensor:
    """`limit`, or 1 where it is 0: nothing is divided by 0 then."""
    return ops.where(ops.greater(limit, 0), limit, ops.ones_like(limit))


def _safe_norm(values: Tensor, axes: Any) -> Tensor:
    """The norm, whose gradient is 0 (not NaN) where the norm is."""
    squares = ops.reduce_sum(values * values, axes, True)
    nonzero = ops.greater(squares, 0)
    safe = ops.sqrt(ops.where(nonzero, squares, ops.ones_like(squares)))
    return ops.where(nonzero, safe, squares)


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """`t` scaled so that its norm divided by its number of elements is at most `clip_norm`."""
    values = convert_to_tensor(t)
    limit = convert_to_tensor(clip_norm, values.dtype)
    average = _safe_norm(values, None) / ops.cast(ops.size(values), values.dtype)
    return values * (limit / ops.maximum(average, limit))


def _tensors(t_list: Any) -> list[Tensor | None]:
    if isinstance(t_list, str) or not isinstance(t_list, Sequence):
        raise wrong_dtype(f"`t_list` must be a sequence of tensors, not {type(t_list).__name__}")
    values = [t.values if type(t) is IndexedSlices else t for t in t_list]
    return [None if t is None else convert_to_tensor(t) for t in values]


def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The norm of all elements of all tensors together.

    Of IndexedSlices the values count; entries that are None do not.

    TypeError where `t_list` is no sequence.

    >>> float(rt.linalg.global_norm([[3.], [4.]]))
    5.0
    """
    return _norm_of([t for t in _tensors(t_list) if t is not None])


def _norm_of(tensors: list[Tensor]) -> Tensor:
    if not tensors:
        return convert_to_tensor(0.0, dtypes.float32)
    total = ops.reduce_sum(tensors[0] * tensors[0])
    for t in tensors[1:]:
        total = total + ops.reduce_sum(t * t)
    return ops.sqrt(total)


def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """All tensors scaled by one factor, for a global norm of at most `clip_norm`.

    Of IndexedSlices the values are scaled. The second result is the norm before.

    `use_norm` gives the norm where it is known already. Entries that are None stay None; where the
    norm is not finite all becomes NaN. TypeError where `t_list` is no sequence.

    >>> clipped, norm = rt.clip_by_global_norm([[3.], [4.]], 1.)
    >>> [x.numpy().round(3).item() for x in clipped], float(norm)
    ([0.6..., 0.8...], 5.0)
    """
    tensors = _tensors(t_list)
    given = [t for t in tensors if t is not None]
    norm = _norm_of(given) if use_norm is None else convert_to_tensor(use_norm)
    if not given:
        return tensors, norm
    limit = convert_to_tensor(clip_norm, norm.dtype)
    # norm - norm is NaN for what is not finite, else 0.
    scale = limit * ops.minimum(1.0 / norm, 1.0 / limit) + (norm - norm)
    scaled = [None if t is None else t * ops.cast(scale, t.dtype) for t in tensors]
    return [
        given.with_values(values) if type(given) is IndexedSlices else values
        for given, values in zip(t_list, scaled, strict=True)
    ], norm
