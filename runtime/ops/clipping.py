"""Keeping values, norms and global norms within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.convert import convert_to_tensor
from runtime.ops.define import sum_to_shape_of
from runtime.primitive import bind, broadcast_shapes, row, sample
from runtime.shapes import Shape
from runtime.tensor import Tensor


def _clip_shape(x: Shape, low: Shape, high: Shape) -> Shape:
    made = broadcast_shapes(x, low, high)
    if x is not None and made is not None and (len(made) != len(x)):
        raise ValueError(f"bounds of shapes {low} and {high} do not fit a tensor of shape {x}")
    return made if x is None else x


def _clip_gradient(op: Any, g: Any) -> Any:
    x, low, high = op.inputs
    nothing = ops.zeros_like(g)
    below, above = ops.less(x, low), ops.greater(x, high)
    inside = ops.where(ops.logical_or(below, above), nothing, g)
    return (
        inside,
        sum_to_shape_of(ops.where(below, g, nothing), low),
        sum_to_shape_of(ops.where(above, g, nothing), high),
    )


clip_p = row(
    "clip", lambda x, low, high: np.minimum(np.maximum(x, low), high), signature="R,R,R->R",
    shape=_clip_shape, op_type="ClipByValue", gradient=_clip_gradient,
    samples=(sample("2,3", [-0.5], [0.5]), sample("2,3", ":lo", ":hi")),
)  # fmt: skip


def clip_by_value(
    t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Tensor:
    """`t` with smaller elements raised to the one bound and larger ones lowered to the other."""
    x = convert_to_tensor(t)
    low, high = convert_to_tensor(clip_value_min, x.dtype), convert_to_tensor(clip_value_max, x.dtype)
    return bind(clip_p, x, low, high)  # type: ignore[no-any-return]


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """`t` scaled down, where its Euclidean norm along `axes` is larger than `clip_norm`, to that norm."""
    x = convert_to_tensor(t)
    bound = convert_to_tensor(clip_norm, x.dtype)
    squares = ops.reduce_sum(ops.square(x), axes, True)
    positive = ops.greater(squares, ops.zeros_like(squares))
    # The root of 0 has no gradient: 1 stands in for it.
    safe = ops.where(positive, squares, ops.ones_like(squares))
    length = ops.where(positive, ops.sqrt(safe), squares)
    return x * bound / ops.maximum(length, bound)


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """The Euclidean norm of all elements of several tensors (None is left out)."""
    halves = [ops.l2_loss(t) for t in t_list if t is not None]
    if not halves:
        raise ValueError("global_norm needs at least one tensor")
    return ops.sqrt(ops.add_n(halves) * 2.0)


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """Several tensors scaled down together so that their global norm is at most `clip_norm`, and that norm.

    A global norm that is infinite or NaN makes every result NaN.
    """
    if isinstance(t_list, Tensor) or not isinstance(t_list, Sequence):
        raise TypeError("`t_list` should be a sequence of tensors.")
    length = global_norm(t_list) if use_norm is None else convert_to_tensor(use_norm)
    bound = convert_to_tensor(clip_norm, length.dtype)
    scale = bound * ops.minimum(1.0 / length, 1.0 / bound)
    scale = ops.where(ops.is_finite(length), scale, ops.ones_like(scale) * np.nan)
    return [None if t is None else convert_to_tensor(t) * scale for t in t_list], length
