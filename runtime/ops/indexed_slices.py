"""Slices of a tensor and their places along its first axis."""

from __future__ import annotations

from typing import Any

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor, register_conversion
from runtime.core.shapes import TensorShape
from runtime.core.tensor import Tensor
from runtime.dtypes import DType


class IndexedSlices:
    """Slices of a tensor along its first axis.

    `values[i]` stands at `indices[i]` of a tensor of `dense_shape`.

    Where a tensor is expected, it is that tensor: zeros, with slices of one place summed. Functions
    take and return it, and so do branches and loops.

    >>> rt.IndexedSlices(rt.constant([1.]), rt.constant([4])).indices.numpy().tolist()
    [4]
    """

    __slots__ = ("__weakref__", "_dense_shape", "_indices", "_values")
    is_tensor_like = True

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = convert_to_tensor(values)
        self._indices = convert_to_tensor(indices)
        self._dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @classmethod
    def of_parts(cls, values: Any, indices: Any, dense_shape: Any = None) -> IndexedSlices:
        """Slices of these parts as they are: tensors, or what stands for them in a structure."""
        made = object.__new__(cls)
        made._values, made._indices, made._dense_shape = values, indices, dense_shape
        return made

    @property
    def parts(self) -> tuple[Any, ...]:
        """Values, indices, and the dense shape where it was given."""
        parts = self._values, self._indices, self._dense_shape
        return parts[:2] if self._dense_shape is None else parts

    @property
    def values(self) -> Tensor:
        """The slices, one behind the other."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """The place of each slice."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the whole tensor, where it was given."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape of the whole tensor."""
        known = None if self._dense_shape is None else self._dense_shape.static_value
        return TensorShape(None if known is None else known.tolist())

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._values.dtype

    @property
    def device(self) -> str:
        """The name of the device that holds the values."""
        return self._values.device

    def with_values(self, values: Any) -> IndexedSlices:
        """Other slices at the same places."""
        return IndexedSlices(values, self._indices, self._dense_shape)

    def __neg__(self) -> IndexedSlices:
        return self.with_values(-self._values)

    def __str__(self) -> str:
        return (
            f"IndexedSlices(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )

    def __repr__(self) -> str:
        return (
            f"IndexedSlices(indices={self._indices!r}, values={self._values!r}, "
            f"dense_shape={self._dense_shape!r})"
        )

    def __reduce__(self) -> Any:
        return IndexedSlices, (self._values, self._indices, self._dense_shape)


def _dense(slices: IndexedSlices, dtype: DType | None) -> Tensor:
    if slices.dense_shape is None:
        raise ValueError("IndexedSlices without a dense_shape cannot be converted to a tensor")
    indices = ops.expand_dims(slices.indices, -1)
    shape = ops.cast(slices.dense_shape, slices.indices.dtype)
    return convert_to_tensor(ops.scatter_nd(indices, slices.values, shape), dtype)


register_conversion(IndexedSlices, _dense)
