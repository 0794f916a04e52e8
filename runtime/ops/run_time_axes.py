"""Axes that only the run knows: transposed to the front, where an op finds them by number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import runtime.ops as ops
from runtime import dtypes
from runtime.core.primitive import not_known
from runtime.core.tensor import Tensor
from runtime.ops.checks import checked


def order_of(axes: Tensor, rank: int | None, what: str = "axis") -> tuple[Tensor, int]:
    """The permutation of `rank` axes that puts `axes` before the others, and their number.

    WrongDtypeError where the rank or the number is not known; at run time InvalidArgumentError for
    axes that there are not, or that are named twice.
    """
    count = 1 if axes.ndim == 0 else axes.shape[0] if axes.ndim == 1 else None
    if rank is None or count is None:
        raise not_known(
            f"{what} must be known while tracing where the rank of the tensor, or the number of "
            "axes, is not: pass Python numbers, or give shapes by ensure_shape"
        )
    places = ops.reshape(ops.cast(axes, dtypes.int32), [count])
    within = ops.logical_and(places >= -rank, places < rank)
    places = checked(places, within, what, f"{what} out of range for rank {rank}")
    named = ops.equal(ops.range(rank)[:, None], ops.where(places < 0, places + rank, places))
    once = ops.reduce_sum(ops.cast(named, dtypes.int32), 1) <= 1
    places = checked(places, ops.reduce_all(once), what, f"{what} names an axis twice")
    with_checks = ops.range(count) - count + 0 * places
    return ops.argsort(ops.reduce_sum(ops.where(named, with_checks, 0), 1), stable=True), count


def reduced(
    function: Callable[..., Tensor], x: Tensor, axes: Tensor, keepdims: bool = False
) -> Tensor:
    """`function(x, axes, keepdims)`, a reduction."""
    order, count = order_of(axes, x.ndim)
    result = function(ops.transpose(x, order), tuple(range(count)), keepdims)
    return ops.transpose(result, ops.invert_permutation(order)) if keepdims else result


def along(function: Callable[..., Any], tensors: Sequence[Tensor], axes: Tensor) -> Any:
    """`function(*tensors, axes)`, whose results have the rank of the tensors."""
    rank = next((x.ndim for x in tensors if x.ndim is not None), None)
    order, count = order_of(axes, rank)
    front = tuple(range(count))
    found = function(*[ops.transpose(x, order) for x in tensors], front)
    back = ops.invert_permutation(order)
    if isinstance(found, list):
        return [ops.transpose(y, back) for y in found]
    return ops.transpose(found, back)


def kept(function: Callable[..., Tensor], x: Tensor, axes: Tensor) -> Tensor:
    """`function(x, axes)`, whose result has the shape of `x`."""
    return ops.ensure_shape(along(function, [x], axes), x.shape)


def inserted(x: Tensor, axis: Tensor) -> Tensor:
    """`x` with a new axis of one element."""
    order, _ = order_of(axis, None if x.ndim is None else x.ndim + 1)
    return ops.transpose(ops.expand_dims(x, 0), ops.invert_permutation(order))


def gathered(x: Tensor, indices: Tensor, axis: Tensor, batch_dims: int) -> Tensor:
    """The slices that `indices` name along an axis, whose own axes stand where it was."""
    rank, depth = x.ndim, indices.ndim
    if rank is None or depth is None:
        order_of(axis, None)
    assert rank is not None
    assert depth is not None
    at = ops.reshape(ops.cast(axis, dtypes.int32), [])
    at = ops.where(at < 0, at + rank, at)
    fits = at >= batch_dims
    at = checked(at, fits, "gather", "axis must not be less than batch_dims")
    order, _ = order_of(at - batch_dims, rank - batch_dims)
    batch = ops.range(batch_dims)
    front = ops.transpose(x, ops.concat([batch, order + batch_dims], 0))
    found = ops.gather(front, indices, axis=batch_dims, batch_dims=batch_dims)
    gained = depth - batch_dims
    others = ops.range(batch_dims, rank - 1)
    others = ops.where(others >= at, others + gained, others)
    places = ops.concat([batch, at + ops.range(gained), others], 0)
    return ops.transpose(found, ops.invert_permutation(places))
