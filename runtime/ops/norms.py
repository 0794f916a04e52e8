"""Norms and products of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_value
from runtime.core.tensor import Tensor
from runtime.ops.arguments import static_ints, static_number
from runtime.ops.define import axis_in, matched


def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The norm of all elements, of vectors (one axis) or of matrices (two axes).

    `ord`: 'euclidean', 1, 2, inf or another positive number; of matrices 'euclidean' (or 'fro'), 1,
    2 or inf. The Euclidean norm of complex numbers is of their dtype, other norms are real.
    InvalidArgumentError for another `ord`, and unless `axis` is None, one integer or two.

    >>> float(rt.norm([3., 4.]))
    5.0
    """
    x = convert_to_tensor(tensor)
    places = None if axis is None else static_ints(axis, "axis")
    if places is not None and (len({*places}) != len(places) or len(places) not in (1, 2)):
        raise wrong_value(f"'axis' must be None, an integer or two of them, got {axis!r}")
    if places is not None and len(places) == 2:
        return _matrix_norm(x, ord, places, keepdims)
    ord = ord if isinstance(ord, str) else static_number(ord, "ord")
    if ord in ("euclidean", 2):
        return _euclidean(x, places, keepdims)
    if isinstance(ord, str) or ord <= 0:
        raise wrong_value(f"'ord' must be a supported vector norm, got {ord!r}")
    size = ops.abs(x)
    if ord == np.inf:
        return ops.reduce_max(size, places, keepdims)
    total = ops.reduce_sum(size if ord == 1 else ops.pow(size, float(ord)), places, keepdims)
    return total if ord == 1 else ops.pow(total, 1.0 / ord)


def _euclidean(x: Tensor, axes: tuple[int, ...] | None, keepdims: bool) -> Tensor:
    total = ops.reduce_sum(ops.real(x * ops.conj(x)), axes, keepdims)
    return ops.cast(ops.sqrt(total), x.dtype)


def _matrix_norm(x: Tensor, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    if ord in ("euclidean", "fro"):
        return _euclidean(x, axes, keepdims)
    if ord not in (1, 2, np.inf):
        raise wrong_value(f"'ord' must be a supported matrix norm, got {ord!r}")
    if ord == 2:
        singular = ops.svd(_with_last(x, axes), compute_uv=False)
        largest = ops.reduce_max(singular, -1, True)[..., None]
        kept = _with_last(largest, axes, back=True)
    else:
        inner, outer = axes if ord == 1 else axes[::-1]
        kept = ops.reduce_max(ops.reduce_sum(ops.abs(x), inner, True), outer, True)
    return kept if keepdims else ops.squeeze(kept, axes)


def _with_last(x: Tensor, axes: tuple[int, ...], back: bool = False) -> Tensor:
    """x with two axes behind the others, in their order; or brought back from there."""
    if x.ndim is not None:
        rows, columns = (axis_in(axis, x.ndim) for axis in axes)
        order = [*(i for i in range(x.ndim) if i not in (rows, columns)), rows, columns]
        return ops.transpose(x, np.argsort(order).tolist() if back else order)
    places = ops.range(ops.rank(x))
    two = ops.floormod(convert_to_tensor(axes), ops.rank(x))
    others = ops.boolean_mask(places, ops.reduce_all(ops.not_equal(places[:, None], two), 1))
    run_order = ops.concat([others, two], 0)
    return ops.transpose(x, ops.invert_permutation(run_order) if back else run_order)


def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The tensor divided by its norm, and the norm.

    >>> normalized, norm = rt.linalg.normalize([3., 4.])
    >>> normalized.numpy().round(3), float(norm[0])
    (array([0.6, 0.8], dtype=float32), 5.0)
    """
    x = convert_to_tensor(tensor)
    length = norm(x, ord, axis, True)
    return x / ops.cast(length, x.dtype), length


def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None
) -> Tensor:
    """x divided by its Euclidean norm along `axis`, at least the root of `epsilon`.

    `dim` is the older name of `axis`; ValueError where both are given.

    >>> rt.linalg.l2_normalize([3., 4.]).numpy().round(3)
    array([0.6, 0.8], dtype=float32)
    """
    value = convert_to_tensor(x)
    if dim is not None:
        if axis is not None:
            raise ValueError("l2_normalize: Cannot specify both 'axis' and 'dim'")
        axis = dim
    squares = ops.reduce_sum(ops.real(value * ops.conj(value)), axis, True)
    return value * ops.cast(ops.rsqrt(ops.maximum(squares, epsilon)), value.dtype)


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The cross product of vectors of three elements along the last axis.

    >>> rt.linalg.cross([1, 0, 0], [0, 1, 0]).numpy().tolist()
    [0, 0, 1]
    """
    x, y = matched(a, b)
    for shape in (x.static_shape, y.static_shape):
        if shape is not None and (not shape or shape[-1] not in (3, None)):
            raise wrong_value(f"cross products need vectors of 3 elements, got shape {shape}")
    ahead, behind = [1, 2, 0], [2, 0, 1]
    made: Tensor = _picked(x, ahead) * _picked(y, behind) - _picked(x, behind) * _picked(y, ahead)
    return made


def _picked(x: Any, order: list[int]) -> Any:
    return ops.gather(x, order, axis=-1)
