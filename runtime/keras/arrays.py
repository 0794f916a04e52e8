"""Functions of arrays that TensorFlow keeps under names which `runtime` does not have, and that
Keras' op files ask for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import runtime


class Cells(NamedTuple):
    """The elements of a tensor that are given, on their way to a dense one."""

    indices: Any
    values: Any
    dense_shape: Any


def to_dense(sp_input: Any, default_value: Any = None) -> Any:
    """The tensor of `Cells`, with a value where none is given; other tensors as they are."""
    if not isinstance(sp_input, Cells):
        return sp_input
    values = sp_input.values
    fill = runtime.cast(0 if default_value is None else default_value, values.dtype)
    shape = runtime.cast(runtime.stack(sp_input.dense_shape), "int64")
    return runtime.tensor_scatter_nd_update(runtime.fill(shape, fill), sp_input.indices, values)


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    """From the choice of the first condition that is true, else `default`, for each element."""
    made = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        made = runtime.where(condition, choice, made)
    return made


def finfo(dtype: Any) -> np.finfo[Any]:
    """The limits of a dtype of floats."""
    return np.finfo(runtime.as_dtype(dtype).np_dtype)


def unique_along(x: Any, axis: Sequence[int]) -> tuple[Any, Any]:
    """The distinct slices along an axis in order of first appearance, and for each slice which one
    it is.
    """
    return unique_along_with_counts(x, axis)[:2]


def unique_along_with_counts(x: Any, axis: Sequence[int]) -> tuple[Any, Any, Any]:
    """As `unique_along`, with how often each distinct slice occurs."""
    (along,) = axis
    rest = [at for at in range(x.shape.rank) if at != along]
    shape = x.shape.as_list()
    if None in shape:
        raise NotImplementedError("unique along an axis takes tensors whose shape is known")
    count = shape[along]
    rows = runtime.reshape(runtime.transpose(x, [along, *rest]), [count, -1])
    # Slices are the same if they are so in the columns before, and in this one.
    known = runtime.zeros([count], "int64")
    for column in range(math.prod(shape[at] for at in rest)):
        here = runtime.unique(rows[:, column], "int64")[1]
        known = runtime.unique(known * count + here, "int64")[1]
    _, inverse, counts = runtime.unique_with_counts(known)
    first = runtime.math.unsorted_segment_min(runtime.range(count), inverse, runtime.size(counts))
    return runtime.gather(x, first, axis=along), inverse, counts
