"""Slices of a tensor and their places along its first axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor, register_conversion
from runtime.core.shapes import TensorShape, is_known
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
        given = self._dense_shape
        known = None if given is None else given.static_value
        if known is None and given is not None:
            known = given.static_sizes
        return TensorShape(None if known is None else [n if n >= 0 else None for n in known])

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


class Slices:
    """A gradient that is zero but for slices along the first axis, on its way back to a source:
    `parts` of gradients and the places that they were gathered from, and what has the shape of all.
    """

    __slots__ = ("like", "parts")

    def __init__(self, parts: Sequence[tuple[Any, Any]], like: Any) -> None:
        self.parts = tuple(parts)
        self.like = like

    def map(self, function: Callable[[Any], Any]) -> Slices:
        """Another gradient for each of the slices."""
        return Slices([(function(g), places) for g, places in self.parts], self.like)

    def __neg__(self) -> Slices:
        return self.map(ops.negative)

    def dense(self) -> Any:
        """The tensor."""
        made = [ops.gather_gradient(g, places, self.like, 0) for g, places in self.parts[::-1]]
        total = made[0]
        for each in made[1:]:
            total = total + each
        return total

    def rows(self) -> tuple[Any, Any]:
        """All slices, one behind the other, and the place of each."""
        known = self.like if isinstance(self.like, tuple) else self.like.static_shape
        rest = known[1:] if is_known(known) else ops.shape(self.like)[1:]
        values = [ops.reshape(g, ops.concat([[-1], rest], 0)) for g, _ in self.parts]
        places = [ops.reshape(places, [-1]) for _, places in self.parts]
        if len(values) == 1:
            return values[0], places[0]
        if len({each.dtype for each in places}) > 1:
            places = [ops.cast(each, dtypes.int64) for each in places]
        return ops.concat(values, 0), ops.concat(places, 0)

    def public(self) -> IndexedSlices:
        """The slices as users know them."""
        known = self.like if isinstance(self.like, tuple) else self.like.static_shape
        shape = convert_to_tensor(known, dtypes.int32) if is_known(known) else ops.shape(self.like)
        return IndexedSlices(*self.rows(), shape)


def with_places(
    found: Sequence[Any], sliced: Sequence[Any], types: Sequence[Any], places: Iterator[Any]
) -> list[Any]:
    """The gradients of sources of these types, those that are `sliced` at the next places."""
    return [
        Slices([(grad, next(places))], type.shape) if is_sliced else grad
        for grad, is_sliced, type in zip(found, sliced, types, strict=False)
    ]


def dense(grad: Any) -> Any:
    """A gradient as a tensor."""
    return grad.dense() if type(grad) is Slices else grad


def summed(before: Any, grad: Any) -> Any:
    """The sum of two gradients: of slices, all slices, those of the later one first."""
    if type(before) is Slices and type(grad) is Slices:
        return Slices((*grad.parts, *before.parts), grad.like)
    return dense(before) + dense(grad)


def public(grad: Any) -> Any:
    """A gradient as the user is given it."""
    return grad.public() if type(grad) is Slices else grad


def passed(change: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """The fact `sliced` of an op of one tensor whose gradient is a change of each slice."""
    return lambda op, g: (g.map(change),) if type(g) is Slices else None


def _dense(slices: IndexedSlices, dtype: DType | None) -> Tensor:
    if slices.dense_shape is None:
        raise ValueError("IndexedSlices without a dense_shape cannot be converted to a tensor")
    indices = ops.expand_dims(slices.indices, -1)
    shape = ops.cast(slices.dense_shape, slices.indices.dtype)
    return convert_to_tensor(ops.scatter_nd(indices, slices.values, shape), dtype)


register_conversion(IndexedSlices, _dense)
