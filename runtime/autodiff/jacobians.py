"""Jacobians: the backward pass for each element of the target, and the rows put together.

Outside of graphs each row goes back over the records in turn. In a graph the backward pass is built
once, for one row: all rows take it at once where that is possible, else in a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.core.convert import tensor_of
from runtime.core.primitive import bind
from runtime.core.shapes import Shape, is_known
from runtime.core.state import state

Differentiate = Callable[[Any], list[Any]]
"""From weights of the target to its gradients for each source."""

# A whole axis, as specs of slices name it.
_ALL = (None, None, None)


class Rows:
    """The elements of a target whose gradients are the rows of a jacobian: of all of it or, of a
    `batch`, of an example, with all examples at once.
    """

    def __init__(self, target: Any, batch: bool = False) -> None:
        self.target = target
        self.batch = batch
        shape: Shape = target.static_shape
        self.shape: Shape = None if shape is None else shape[batch:]
        known = is_known(self.shape)
        self.count: Any = prod(self.shape) if known else ops.reduce_prod(self.dims)  # type: ignore[arg-type]

    @property
    def dims(self) -> Any:
        """Their shape: a list of sizes, or a vector."""
        return dims_of(self.target)[self.batch :]

    def weight(self, row: int) -> Any:
        """The weights of the target for one row, outside of graphs."""
        made = np.zeros(self.target.static_shape, self.target.dtype.np_dtype)
        made.reshape(-1, self.count)[:, row] = 1
        return tensor_of(made)

    def staged_weight(self, row: Any) -> Any:
        """The weights of the target for one row, in a graph."""
        sizes = [*dims_of(self.target)[: self.batch], self.count]
        ones = ops.ones(sizes[: self.batch], self.target.dtype)
        known = all(isinstance(size, int) for size in sizes)
        shape = tuple([size if isinstance(size, int) else None for size in sizes])
        places = [row] if known else [ops.stack(sizes), row]
        spec = (*(_ALL,) * self.batch, "?")
        hot = bind(ops.unslice_p, ones, *places, spec=spec, shape=shape)
        return ops.reshape(hot, dims_of(self.target))

    def weights(self) -> Any:
        """The weights for all rows, in a graph that knows how many there are."""
        made = ops.eye(self.count, dtype=self.target.dtype)
        weights = ops.reshape(made, (self.count, *(1,) * self.batch, *self.dims))
        whole = [self.count, *dims_of(self.target)]
        return ops.broadcast_to(weights, whole) if self.batch else weights


def dims_of(x: Any) -> Any:
    """The shape of a tensor or variable: a list of sizes, numbers where they are known; or a vector
    where even the rank is not known.
    """
    static = x.static_shape
    if static is None or is_known(static):
        return ops.shape(x) if static is None else list(static)
    sizes = ops.shape(x)
    return [sizes[axis] if size is None else size for axis, size in enumerate(static)]


def joined(first: Any, second: Any) -> Any:
    """The shape whose axes are those of two shapes."""
    if isinstance(first, list) and isinstance(second, list):
        return first + second
    return ops.concat([first, second], 0)


def jacobian(
    target: Any, sources: Sequence[Any], differentiate: Differentiate, at_once: bool
) -> list[Any]:
    """For each source the derivative of each element of the target, None where there is none."""
    found = _rows(Rows(target), sources, differentiate, at_once)
    return [
        None if rows is None else ops.reshape(rows, joined(dims_of(target), dims_of(source)))
        for rows, source in zip(found, sources, strict=True)
    ]


def batch_jacobian(target: Any, source: Any, differentiate: Differentiate, at_once: bool) -> Any:
    """The derivative of each example of the target by the same example of the source, None where
    there is none.
    """
    (rows,) = _rows(Rows(target, batch=True), [source], differentiate, at_once)
    if rows is None:
        return None
    examples = ops.transpose(rows, (1, 0, *range(2, rows.ndim)))
    return ops.reshape(examples, joined(dims_of(target), dims_of(source)[1:]))


def check_batch(target: Any, source: Any) -> None:
    """ValueError unless both have a first axis, of the same size."""
    first, second = target.static_shape, source.static_shape
    if first is None or second is None:
        raise ValueError(
            "the rank of the target and the source must be known for a batch_jacobian, but the "
            f"shapes are {target.shape} and {source.shape}"
        )
    if not first or not second or (None not in (first[0], second[0]) and first[0] != second[0]):
        raise ValueError(
            f"the first axes of the target and the source, the batch, must have the same size, but "
            f"the shapes are {target.shape} and {source.shape}"
        )


def zeros(target: Any, source: Any, batch: bool = False) -> Any:
    """A jacobian of zeros."""
    return ops.zeros(joined(dims_of(target), dims_of(source)[batch:]), source.dtype)


def _rows(
    rows: Rows, sources: Sequence[Any], differentiate: Differentiate, at_once: bool
) -> list[Any]:
    """For each source the gradients of all rows, stacked; None where there are none."""
    if isinstance(rows.count, int) and rows.count == 0:
        return [ops.zeros(joined([0], dims_of(source)), source.dtype) for source in sources]
    if state.trace is not None:
        from runtime.autodiff.staged_jacobians import staged_rows

        return staged_rows(rows, sources, differentiate, at_once)
    found = zip(*[differentiate(rows.weight(row)) for row in range(rows.count)], strict=True)
    return [None if grads[0] is None else ops.stack(grads) for grads in found]
