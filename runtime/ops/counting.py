"""The number of times that values occur: by number, by class, by interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import (
    Memory,
    Primitive,
    bind,
    flat,
    row,
    sample,
    wrong_dtype,
    wrong_value,
)
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.dtypes import DType, as_dtype
from runtime.ops.arguments import static_int
from runtime.ops.checks import below


def _bincount_kernel(
    x: Any, weights: Any, size: Any, *, dtype: DType, binary: bool, rows: bool
) -> Any:
    _bincount_shape(x.shape, dtype=dtype, binary=binary, rows=rows)
    if x.size and x.min() < 0:
        raise errors.InvalidValueError("Input arr must be non-negative!")
    if weights.size and weights.shape != x.shape:
        raise wrong_value(f"weights of shape {weights.shape} for values of shape {x.shape}")
    n = int(size)
    shape = (len(x), n) if rows and x.ndim == 2 else (n,)
    kept = slice(None) if x.size and x.max() < n else (x < n).reshape(-1)
    places = x.astype(np.intp, copy=False)
    if len(shape) == 2:
        places = places + np.arange(len(x))[:, np.newaxis] * n
    places = places.reshape(-1)[kept]
    if not weights.size:
        counts = np.bincount(places, minlength=math.prod(shape)).reshape(shape)
        return (counts > 0 if binary else counts).astype(dtype.np_dtype)
    made = np.zeros(shape, dtype.np_dtype)
    np.add.at(made.reshape(-1), places, weights.reshape(-1)[kept])
    return made


def _bincount_shape(x: Shape, *_: Shape, rows: bool, **params: Any) -> Shape:
    if not rows:
        return (None,)
    if x is not None and len(x) > 2:
        raise wrong_value(f"values must be of rank 2 or less to be counted by row, got shape {x}")
    return None if x is None else (x[0], None) if len(x) == 2 else (None,)


def _bincount_gradient(op: Any, g: Any) -> Any:
    """Each weight has the gradient of the bin that it went to."""
    if not op.needed[1]:
        return None, None, None
    x, size = ops.cast(op.inputs[0], dtypes.int64), ops.cast(op.inputs[2], dtypes.int64)
    kept = ops.less(x, size)
    places = ops.where(kept, x, ops.zeros_like(x))
    if op.params["rows"] and x.ndim is None:
        raise wrong_value("the gradient of bincount along axis -1 needs values of known rank")
    if op.params["rows"] and x.ndim == 2:
        places = places + ops.expand_dims(ops.range(ops.shape(x, dtypes.int64)[0]), -1) * size
    found = ops.gather(ops.concat([ops.reshape(g, (-1,)), ops.zeros([1], g.dtype)], 0), places)
    return None, ops.where(kept, found, ops.zeros_like(found)), None


bincount_p: Primitive = row(
    "bincount", _bincount_kernel, signature="I,N,i->dtype", op_type="DenseBincount", fallible=True,
    shape=_bincount_shape, gradient=_bincount_gradient, keep_inputs=(0, 2), samples=(),
    memory=Memory.READS,
)  # fmt: skip


def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None,
    dtype: Any = dtypes.int32, name: str | None = None, axis: Any = None,
    binary_output: bool = False,
) -> Tensor:  # fmt: skip
    """Counts each non-negative integer, or sums its `weights`, of the shape of `arr`.

    The result is a vector of `dtype`, or of the dtype of the weights. With `axis` -1 each row of a
    matrix is counted by itself; `binary_output` gives 1 for what occurs at all.

    ValueError for another axis than None, 0 and -1, and for weights beside `binary_output`.

    >>> rt.math.bincount([1, 1, 2]).numpy().tolist()
    [0, 2, 1]
    """
    x = convert_to_tensor(arr, dtype_hint=dtypes.int32)
    place = 0 if axis is None else static_int(axis, "axis")
    if place not in (0, -1):
        raise wrong_value(f"Unsupported value for argument axis={place}: it must be 0 or -1")
    if binary_output and weights is not None:
        raise wrong_value("binary_output and weights are mutually exclusive")
    if x.dtype.is_integer and x.dtype is not dtypes.int32:
        # The size is one more than the largest, which a narrow dtype may not hold.
        x = ops.cast(x, dtypes.int64)
    size: Any = ops.reduce_max(ops.concat([ops.reshape(x, (-1,)), ops.cast([-1], x.dtype)], 0)) + 1
    if minlength is not None:
        size = ops.maximum(size, ops.cast(minlength, x.dtype))
    if maxlength is not None:
        size = ops.minimum(size, ops.cast(maxlength, x.dtype))
    kind = as_dtype(dtype)
    amounts = ops.zeros([0], kind) if weights is None else convert_to_tensor(weights)
    return bind(  # type: ignore[no-any-return]
        bincount_p, x, amounts, size, dtype=amounts.dtype, binary=bool(binary_output),
        rows=place == -1,
    )  # fmt: skip


def confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any = None, weights: Any = None,
    dtype: Any = dtypes.int32, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Counts how often each label (row) was predicted as each class (column).

    InvalidArgumentError for what is no class, and ValueError for other lengths.

    >>> rt.math.confusion_matrix([0, 1], [1, 1]).numpy().tolist()
    [[0, 1], [0, 1]]
    """
    truth = ops.cast(labels, dtypes.int64)
    guess = ops.cast(predictions, dtypes.int64)
    if truth.ndim is not None and guess.ndim is not None and truth.ndim != guess.ndim:
        # A last dimension of 1 that only one of them has
        truth, guess = (x if x.ndim == 1 else ops.squeeze(x, -1) for x in (truth, guess))
    if num_classes is None:
        num_classes = ops.maximum(ops.reduce_max(truth), ops.reduce_max(guess)) + 1
    n = ops.cast(num_classes, dtypes.int64)
    truth = below(truth, n, "confusion_matrix", "labels")
    guess = below(guess, n, "confusion_matrix", "predictions")
    ones = ops.ones_like(truth, dtype) if weights is None else ops.cast(weights, dtype)
    return ops.scatter_nd(ops.stack([truth, guess], 1), ones, ops.stack([n, n]))


def _bins_kernel(x: Any, ends: Any, nbins: Any, *, dtype: DType) -> Any:
    if np.ndim(nbins) or nbins <= 0:
        raise wrong_value(f"nbins must be one number above 0, got {nbins}")
    # The smallest number is NaN where any is.
    if x.dtype.kind == "f" and x.size and np.isnan(x.min()):
        raise errors.InvalidValueError("Histogram values must not contain NaN")
    low, high = _rising(ends)
    kind = x.dtype if x.dtype.kind == "f" and x.dtype.itemsize > 2 else np.dtype(np.float64)
    low, high, count = map(kind.type, (low, high, nbins))
    place = np.array(x, kind)
    if not np.isfinite(high - low):
        low, high = low / 2, high / 2
        place /= 2
    place -= low
    place /= high - low
    place *= count
    np.clip(np.floor(place, out=place), 0, count - 1, out=place)
    return place.astype(dtype.np_dtype)


def _rising(ends: Any) -> tuple[float, float]:
    if np.shape(ends) != (2,):
        raise wrong_value(f"value_range must be a vector of 2 elements, got shape {ends.shape}")
    low, high = (float(end) for end in ends)
    if not (low < high and math.isfinite(low) and math.isfinite(high)):
        raise wrong_value(f"value_range must be finite and rise, got [{low}, {high}]")
    return low, high


def _bins_shape(values: Shape, ends: Shape, nbins: Shape, *, dtype: DType) -> Shape:
    if nbins:
        raise wrong_value(f"nbins must be one number above 0, got the shape {nbins}")
    if ends is not None and ends not in ((2,), (None,)):
        raise wrong_value(f"value_range must be a vector of 2 elements, got shape {ends}")
    return values


histogram_bins_p: Primitive = row(
    "histogram_bins", _bins_kernel, signature="R,R,i->dtype",
    shape=_bins_shape, op_type="HistogramFixedWidthBins", fallible=True, gradient=flat,
    keep_inputs=(),
    samples=(sample("2,3", [-1.0, 1.0], 4, dtype=dtypes.int32),), memory=Memory.READS,
)  # fmt: skip


def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The bin of each value among `nbins` of equal width: int32, of the shape of `values`.
    What lies outside of `value_range`, two finite numbers that rise, goes to the first or last.

    `dtype` has no effect, as in TensorFlow, but is int32 or int64. InvalidArgumentError for NaN
    among the values, another range, and for no bins.

    >>> rt.histogram_fixed_width_bins([0., 1., 2.], [0., 2.], 2).numpy().tolist()
    [0, 1, 1]
    """
    return _bins(values, value_range, nbins, dtype, dtypes.int32)


def _bins(values: Any, value_range: Any, nbins: Any, dtype: Any, made: DType | None) -> Tensor:
    kind, x = as_dtype(dtype), convert_to_tensor(values)
    if kind not in (dtypes.int32, dtypes.int64):
        raise wrong_dtype(f"the dtype of a histogram must be int32 or int64, got {kind.name}")
    ends = convert_to_tensor(value_range, x.dtype)
    count = convert_to_tensor(nbins, None if isinstance(nbins, Tensor) else dtypes.int32)
    known = count.static_value
    if known is not None and known.size == 1 and known <= 0:
        raise wrong_value(f"nbins must be one number above 0, got {known}")
    return bind(histogram_bins_p, x, ends, count, dtype=made or kind)  # type: ignore[no-any-return]


def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Counts the values in each of `nbins` bins of equal width.

    The result is a vector of int32 or int64. See `histogram_fixed_width_bins`.

    >>> rt.histogram_fixed_width([0., 1., 2.], [0., 2.], 2).numpy().tolist()
    [1, 2]
    """
    bins = _bins(ops.reshape(values, (-1,)), value_range, nbins, dtype, None)
    return ops.unsorted_segment_sum(ops.ones_like(bins), bins, nbins)
