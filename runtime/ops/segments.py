"""Reductions over groups of rows that a vector of segment numbers names."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Memory, Order, Primitive, bind, flat, row, sample, wrong_value
from runtime.core.shapes import Shape, merge_shapes
from runtime.core.tensor import Tensor
from runtime.ops.checks import MISSES, outside
from runtime.ops.define import Example, Op, named


def _kernel(ufunc: Any, start: Any) -> Any:
    def kernel(data: Any, ids: Any, count: Any, *, known: int | None, out: Any = None) -> Any:
        if data.shape[: ids.ndim] != ids.shape:
            raise wrong_value(f"segment numbers of shape {ids.shape} do not fit data {data.shape}")
        if np.any(ids >= count):
            raise outside(ids, ids >= count, "segment_ids", 0, count)
        rest = data.shape[ids.ndim :]
        made = np.empty((int(count), *rest), data.dtype) if out is None else out
        made.fill(start(data.dtype))
        if np.any(ids < 0):
            kept = ids >= 0
            ids, data = ids[kept], data[kept]
        ufunc.at(made, ids, data)
        return made

    return kernel


def _shape(data: Shape, ids: Shape, count: Shape, *, known: int | None) -> Shape:
    if data is None or ids is None:
        return None
    merge_shapes(data[: len(ids)], ids)
    return (known, *data[len(ids) :])


def _taken(x: Any, ids: Any) -> Any:
    """The row of each segment number, zeros for negative ones."""
    found = ops.gather(x, ops.maximum(ids, ops.zeros_like(ids)))
    kept = ops.greater_equal(ids, ops.zeros_like(ids))
    return ops.where(_beside(kept, found), found, ops.zeros_like(found))


def _beside(values: Any, rows: Any) -> Any:
    """One value for each of the rows, in a shape that broadcasts with them."""
    if values.ndim is None or rows.ndim is None:
        ones = ops.fill(ops.expand_dims(ops.rank(rows) - ops.rank(values), 0), 1)
        return ops.reshape(values, ops.concat([ops.shape(values), ones], 0))
    extra = rows.ndim - values.ndim
    return ops.reshape(values, ops.concat([ops.shape(values), [1] * extra], 0)) if extra else values


def _extreme_gradient(op: Any, g: Any) -> Any:
    data, ids, count = op.inputs
    best = _taken(op.outputs[0], ids)
    chosen = ops.cast(ops.equal(data, best), g.dtype)
    shares = bind(segment_sum_p, chosen, ids, count, **op.params)
    return chosen * _taken(ops.divide_no_nan(g, shares), ids), None, None


def _prod_gradient(op: Any, g: Any) -> Any:
    """g times the product of all *other* rows of the segment: right where elements are 0, and
    differentiable to any order.

    The segments are laid out as rows of one length, filled up with ones.
    """
    data, ids, count = op.inputs
    if ids.ndim is None:
        raise wrong_value("the gradient of unsorted_segment_prod needs ids of known rank")
    numbers = ops.reshape(ids, (-1,))
    rest = ops.shape(data)[ids.ndim :]
    none, total = ops.zeros_like(numbers), ops.cast(count, numbers.dtype)
    # What is left out goes to one more segment.
    numbers = ops.where(ops.less(numbers, none), none + total, numbers)
    places = _places_within(numbers)
    at = ops.stack([numbers, places], 1)
    sizes = ops.stack([total + 1, ops.cast(ops.size(numbers), numbers.dtype)])
    ones = ops.ones(ops.concat([sizes, ops.cast(rest, sizes.dtype)], 0), data.dtype)
    flat_data = ops.reshape(data, ops.concat([[-1], rest], 0))
    table = ops.tensor_scatter_nd_update(ones, at, flat_data)
    others = ops.cumprod(table, 1, exclusive=True) * ops.cumprod(
        table, 1, exclusive=True, reverse=True
    )
    made = ops.gather_nd(ops.conj(others), at) * _taken(g, ops.reshape(ids, (-1,)))
    return ops.reshape(made, ops.shape(data)), None, None


def _places_within(numbers: Any) -> Any:
    """Returns the number of equal numbers before each."""
    order = ops.argsort(numbers)
    ordered = ops.gather(numbers, order)
    before = ops.range(ops.size(numbers)) - ops.searchsorted(ordered, ordered)
    return ops.cast(ops.gather(before, ops.invert_permutation(order)), numbers.dtype)


_SAMPLES = (sample("4,2", [0, 0, 1, 2], 3, known=3),)


def _limit(lowest: bool) -> Any:
    def value(dtype: Any) -> Any:
        if dtype.kind == "f":
            return -np.inf if lowest else np.inf
        return np.iinfo(dtype).min if lowest else np.iinfo(dtype).max

    return value


def _zero(dtype: Any) -> Any:
    return dtype.type(0)


def _segments(
    name: str, op_type: str, ufunc: Any, start: Any, gradient: Any, samples: Any = _SAMPLES,
    data: str = "N", **fields: Any,
) -> Any:  # fmt: skip
    return row(
        name, _kernel(ufunc, start), signature=f"{data},I,i->{data}", shape=_shape, op_type=op_type,
        gradient=gradient, fallible=True, raises=MISSES, samples=samples, **fields, order=Order.C,
        instruction=name.removeprefix("unsorted_"),
    )  # fmt: skip


segment_sum_p = _segments(
    "unsorted_segment_sum", "UnsortedSegmentSum", np.add, _zero,
    lambda op, g: (_taken(g, op.inputs[1]), None, None), keep_inputs=(1,),
    samples=(*_SAMPLES, sample("4", [2, 0, -1, 2], 4, known=None)),
)  # fmt: skip
segment_max_p = _segments(
    "unsorted_segment_max", "UnsortedSegmentMax", np.maximum, _limit(True), _extreme_gradient,
    data="R", keep_outputs=(0,),
)  # fmt: skip
segment_min_p = _segments(
    "unsorted_segment_min", "UnsortedSegmentMin", np.minimum, _limit(False), _extreme_gradient,
    data="R", keep_outputs=(0,),
)  # fmt: skip
segment_prod_p = _segments(
    "unsorted_segment_prod", "UnsortedSegmentProd", np.multiply, lambda dtype: dtype.type(1),
    _prod_gradient, samples=(*_SAMPLES, sample("4", [2, 0, -1, 2], 4, known=None)),
)  # fmt: skip


def _arguments(data: Any, ids: Any, count: Any) -> tuple[Tensor, Tensor, Tensor]:
    return convert_to_tensor(data), convert_to_tensor(ids), convert_to_tensor(count)


def _reduced(primitive: Primitive, data: Any, ids: Any, count: Any) -> Tensor:
    x, numbers, total = _arguments(data, ids, count)
    return bind(primitive, x, numbers, total, known=_known_count(total))  # type: ignore[no-any-return]


def _known_count(count: Tensor) -> int | None:
    """Returns the number of segments, where that is known; what is no number is refused later."""
    value = count.static_value
    if value is None or count.static_shape != () or not count.dtype.is_integer or value < 0:
        return None
    return int(value)


def unsorted_segment_sum(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The sums of the rows of each segment; rows with a negative number are left out.

    >>> rt.math.unsorted_segment_sum([1, 2, 3], [0, 0, 1], 2).numpy().tolist()
    [3, 3]
    """
    return _reduced(segment_sum_p, data, segment_ids, num_segments)


def unsorted_segment_max(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The maxima of the rows of each segment; the lowest number for empty ones.

    >>> rt.math.unsorted_segment_max([1, 2, 3], [0, 0, 1], 2).numpy().tolist()
    [2, 3]
    """
    found = _reduced(segment_max_p, data, segment_ids, num_segments)
    return ops.maximum(found, found.dtype.min) if found.dtype.is_floating else found


def unsorted_segment_min(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The minima of the rows of each segment; the highest number for empty ones.

    >>> rt.math.unsorted_segment_min([1, 2, 3], [0, 0, 1], 2).numpy().tolist()
    [1, 3]
    """
    found = _reduced(segment_min_p, data, segment_ids, num_segments)
    return ops.minimum(found, found.dtype.max) if found.dtype.is_floating else found


def unsorted_segment_prod(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The products of the rows of each segment; 1 for empty ones.

    >>> rt.math.unsorted_segment_prod([1, 2, 3], [0, 0, 1], 2).numpy().tolist()
    [2, 3]
    """
    return _reduced(segment_prod_p, data, segment_ids, num_segments)


def _sizes(sums: Tensor, ids: Tensor, count: Any) -> Tensor:
    """Returns the number of rows of each of the sums, but at least 1."""
    sizes = unsorted_segment_sum(ops.ones_like(ids), ids, count)
    sizes = ops.maximum(sizes, ops.ones_like(sizes))
    return _beside(ops.cast(sizes, sums.dtype), sums)  # type: ignore[no-any-return]


def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The means of the rows of each segment; 0 for empty ones.

    >>> rt.math.unsorted_segment_mean([1., 2., 3.], [0, 0, 1], 2).numpy().tolist()
    [1.5, 3.0]
    """
    x, ids, count = _arguments(data, segment_ids, num_segments)
    sums = unsorted_segment_sum(x, ids, count)
    return sums / _sizes(sums, ids, count)


def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The sums of the rows of each segment divided by the root of their number.

    >>> rt.math.unsorted_segment_sqrt_n([1., 2., 3.], [0, 0, 1], 2).numpy().round(3)
    array([2.121, 3.   ], dtype=float32)
    """
    x, ids, count = _arguments(data, segment_ids, num_segments)
    sums = unsorted_segment_sum(x, ids, count)
    return sums / ops.sqrt(_sizes(sums, ids, count))


def _mean_of_segments(x: Tensor, ids: Tensor, count: Tensor) -> Tensor:
    sums = unsorted_segment_sum(x, ids, count)
    divide = ops.truncatediv if x.dtype.is_integer else ops.divide
    return divide(sums, _sizes(sums, ids, count))


def _sorted_kernel(ids: Any) -> Any:
    if np.any(ids[1:] < ids[:-1]):
        raise errors.InvalidValueError("segment ids are not increasing")
    if np.any(ids < 0):
        raise errors.InvalidValueError(f"segment id {ids[0]} is negative")
    return ids


_sorted_ids_p = row(
    "sorted_segment_ids", _sorted_kernel, signature="I->I", shape=lambda ids: ids, fallible=True,
    op_type="SegmentIds", gradient=flat, keep_inputs=(), samples=(sample([0, 0, 2]),),
    memory=Memory.VIEWS,
)  # fmt: skip


def _sorted(function: Any, name: str, empty_is_zero: bool, doc: str, example: Example) -> Op:
    def public(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
        x, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        if ids.ndim not in (1, None):
            raise wrong_value(f"segment_ids should be a vector, got shape {ids.shape}")
        ids = bind(_sorted_ids_p, ids)
        # Of no rows at all there are no segments.
        count = ops.reduce_max(ops.concat([ops.cast([-1], ids.dtype), ids[-1:]], 0)) + 1
        found = function(x, ids, count)
        if not empty_is_zero:
            return found  # type: ignore[no-any-return]
        used = unsorted_segment_sum(ops.ones_like(ids), ids, count)
        used = ops.greater(used, ops.zeros_like(used))
        return ops.where(_beside(used, found), found, ops.zeros_like(found))

    return named(public, name, doc, example)


segment_sum: Op = _sorted(
    unsorted_segment_sum,
    "segment_sum",
    False,
    "The sums of the rows of each segment of a sorted vector.",
    example=("rt.math.segment_sum([1, 2, 3], [0, 0, 1]).numpy().tolist()", "[3, 3]"),
)
segment_mean: Op = _sorted(
    _mean_of_segments,
    "segment_mean",
    False,
    "The means of the rows of each segment of a sorted vector; of integers, integers.",
    example=("rt.math.segment_mean([1., 2., 3.], [0, 0, 1]).numpy().tolist()", "[1.5, 3.0]"),
)
segment_max: Op = _sorted(
    partial(_reduced, segment_max_p),
    "segment_max",
    True,
    "The maxima of the rows of each segment of a sorted vector.",
    example=("rt.math.segment_max([1, 2, 3], [0, 0, 1]).numpy().tolist()", "[2, 3]"),
)
segment_min: Op = _sorted(
    partial(_reduced, segment_min_p),
    "segment_min",
    True,
    "The minima of the rows of each segment of a sorted vector.",
    example=("rt.math.segment_min([1, 2, 3], [0, 0, 1]).numpy().tolist()", "[1, 3]"),
)
segment_prod: Op = _sorted(
    unsorted_segment_prod,
    "segment_prod",
    False,
    "The products of the rows of each segment of a sorted vector.",
    example=("rt.math.segment_prod([1, 2, 3], [0, 0, 1]).numpy().tolist()", "[2, 3]"),
)
