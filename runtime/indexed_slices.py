"""Slices of a tensor and their places along its first axis."""

from __future__ import annotations

from typing import Any

import runtime.ops as ops
from runtime.convert import convert_to_tensor, register_conversion
from runtime.dtypes import DType
from runtime.tensor import Tensor


class IndexedSlices:
    """Slices of a tensor: `values[i]` stands at `indices[i]` along the first axis of a tensor of
    `dense_shape`.
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self.values = convert_to_tensor(values)
        self.indices = convert_to_tensor(indices)
        self.dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self.values.dtype

    def __repr__(self) -> str:
        return (
            f"IndexedSlices(indices={self.indices!r}, values={self.values!r}, "
            f"dense_shape={self.dense_shape!r})"
        )


def _dense(slices: IndexedSlices, dtype: DType | None) -> Tensor:
    if slices.dense_shape is None:
        raise ValueError("IndexedSlices without a dense_shape cannot be converted to a tensor")
    indices = ops.expand_dims(slices.indices, -1)
    shape = ops.cast(slices.dense_shape, slices.indices.dtype)
    return convert_to_tensor(ops.scatter_nd(indices, slices.values, shape), dtype)


register_conversion(IndexedSlices, _dense)
