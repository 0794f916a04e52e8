"""Jacobians: one way back for each element of the target, and the rows put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.convert import tensor_of
from runtime.shapes import is_known

Differentiate = Callable[[Any], list[Any]]
Shape = tuple[int, ...]


def known_shape(value: Any, what: str) -> Shape:
    """The shape, all of it; ValueError where it is not known."""
    shape = value.static_shape
    if not is_known(shape):
        raise ValueError(f"the shape of the {what} must be known for a jacobian, got {value.shape}")
    return shape  # type: ignore[no-any-return]


def rows(target: Any, differentiate: Differentiate) -> list[list[Any]]:
    """The gradients of each element of the target."""
    shape = known_shape(target, "target")
    return [differentiate(_one_hot(target, shape, [place])) for place in np.ndindex(*shape)]


def batch_rows(target: Any, differentiate: Differentiate) -> list[list[Any]]:
    """The gradients of each element of an example, of all examples at once."""
    batch, *shape = known_shape(target, "target")
    return [
        differentiate(_one_hot(target, (batch, *shape), [(i, *place) for i in range(batch)]))
        for place in np.ndindex(*shape)
    ]


def _one_hot(target: Any, shape: Shape, places: Iterable[Shape]) -> Any:
    weight = np.zeros(shape, target.dtype.np_dtype)
    for place in places:
        weight[place] = 1
    return tensor_of(weight)


def put_together(grads: Sequence[Any], target: Any, source: Any, zeros: bool) -> Any:
    """The gradients of the elements as one tensor; None (or zeros) where there are none."""
    shape = known_shape(target, "target")
    if not grads or grads[0] is None:
        full = (*shape, *known_shape(source, "source"))
        return ops.zeros(full, source.dtype) if zeros or not grads else None
    stacked = ops.stack(grads)
    return ops.reshape(stacked, ops.concat([list(shape), ops.shape(stacked)[1:]], 0))


def check_batch(target: Any, source: Any) -> None:
    """ValueError unless both have a first axis, of the same size."""
    first, second = known_shape(target, "target"), known_shape(source, "source")
    if not first or not second or first[0] != second[0]:
        raise ValueError(
            f"the first axes of the target and the source, the batch, must have the same size, but "
            f"the shapes are {first} and {second}"
        )


def put_batch_together(grads: Sequence[Any], target: Any, source: Any, zeros: bool) -> Any:
    """The gradients of the elements of all examples as one tensor; None (or zeros) where there are
    none.
    """
    shape = (*known_shape(target, "target"), *known_shape(source, "source")[1:])
    if not grads or grads[0] is None:
        return ops.zeros(shape, source.dtype) if zeros or not grads else None
    return ops.reshape(ops.stack(grads, 1), shape)
