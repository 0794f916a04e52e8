"""Rows sorted into several tensors by numbers, and put together from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_dtype, wrong_value
from runtime.core.shapes import compatible, is_known
from runtime.core.tensor import Tensor
from runtime.ops.arguments import listed, static_int
from runtime.ops.checks import below, checked
from runtime.ops.joining import same_dtypes


def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """The rows of `data` sorted into lists by the number that `partitions` gives each.

    InvalidArgumentError for a number that is not in `range(num_partitions)`, or if the shape of
    `data` does not begin with that of `partitions` (ValueError while tracing).

    >>> [x.numpy().tolist() for x in rt.dynamic_partition([1, 2, 3], [0, 1, 0], 2)]
    [[1, 3], [2]]
    """
    x, numbers = convert_to_tensor(data), convert_to_tensor(partitions, dtype_hint=dtypes.int32)
    count = static_int(num_partitions, "num_partitions")
    if count < 1:
        raise wrong_value(f"num_partitions must be positive, got {count}")
    if not numbers.dtype.is_integer:
        raise wrong_dtype(f"partitions must be integers, not {numbers.dtype.name}")
    if numbers.ndim == 0:
        x, numbers = ops.expand_dims(x, 0), ops.expand_dims(numbers, 0)
    known, rank = x.static_shape, numbers.ndim
    if known is not None and not compatible(known[:rank], numbers.static_shape):
        raise wrong_value(f"the shape of data, {x.shape}, must begin with {numbers.shape}")
    if rank is not None and not (is_known(known) and is_known(numbers.static_shape)):
        first = ops.concat([ops.shape(x), [-1] * rank], 0)[:rank]
        message = "the shape of data must begin with that of partitions"
        fits = ops.equal(first, ops.shape(numbers))
        numbers = checked(numbers, fits, "dynamic_partition", message)
    numbers = below(numbers, count, "dynamic_partition", "partitions")
    return [ops.boolean_mask(x, ops.equal(numbers, i)) for i in range(count)]


def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any], name: str | None = None) -> Tensor:
    """One tensor whose row `indices[m][i]` is `data[m][i]`.

    The last one wins where several name a row.

    >>> rt.dynamic_stitch([[0], [1]], [[7], [8]]).numpy().tolist()
    [7, 8]
    """
    at_each = [convert_to_tensor(i, dtype_hint=dtypes.int32) for i in listed(indices, "indices")]
    given = same_dtypes(listed(data, "data"))
    if len(at_each) != len(given):
        raise wrong_value(f"there are {len(at_each)} lists of indices for {len(given)} of data")
    places = [ops.reshape(i, (-1,)) for i in at_each]
    rows = []
    for i, x in zip(at_each, given, strict=True):
        rest = ops.shape(x)[ops.rank(i) if i.ndim is None else i.ndim :]
        rows.append(ops.reshape(x, ops.concat([[ops.size(i)], rest], 0)))
    at, values = ops.concat(places, 0), ops.concat(rows, 0)
    count = ops.reduce_max(ops.concat([at, ops.cast([-1], at.dtype)], 0)) + 1
    start = ops.zeros(_with_length(values, count), values.dtype)
    return ops.tensor_scatter_nd_update(start, ops.expand_dims(at, -1), values)


def _with_length(x: Tensor, count: Any) -> Any:
    """The shape of `x` with another first dimension, as far as it is known."""
    if x.static_shape is None:
        return ops.concat([[count], ops.shape(x)[1:]], 0)
    return [count, *ops.dims(x)[1:]]
