"""The memory that programs keep between calls: buffers, growable ones for arrays of dynamic shape,
the workspace of kernels, and free lists of arrays that outlive the ops that write them.

    mul = k_mul(x, y, buffer)
    mul = k_mul(x, y, growable)
    tanh = k_tanh(mul, free_list.take())
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from runtime.core.dataclasses import dataclass
from runtime.core.primitive import Kernel, Primitive
from runtime.core.shapes import Shape
from runtime.core.types import ListType, TensorType
from runtime.core.workspace import GrowableBuffer, Workspace
from runtime.dtypes import BY_NUMPY, DType
from runtime.graph.executors.layouts import GROWABLE, PermutedType, array_in

WORKSPACE: Any = object()
"""Stands for the type of a workspace."""


@dataclass(frozen=True, slots=True)
class FreeListType:
    """The type of a free list."""

    element: TensorType


class FreeList:
    """A free list of arrays that lists refer to: those of residuals, and those of users.

    Each call takes the arrays in the same order. One that is still referenced elsewhere is replaced
    in the free list by a new one.
    """

    __slots__ = ("_arrays", "_dtype", "_next", "_shape")

    def __init__(self, type: TensorType) -> None:
        self._shape: Any = type.shape
        self._dtype = type.dtype.np_dtype
        self._arrays: list[Any] = []
        self._next = 0

    def take(self) -> Any:
        """An array without other references, uninitialised."""
        arrays, at = self._arrays, self._next
        self._next += 1
        if at == len(arrays):
            arrays.append(np.empty(self._shape, self._dtype))
            return arrays[at]
        found = arrays[at]
        if sys.getrefcount(found) != _OWN:
            found = arrays[at] = np.empty(self._shape, self._dtype)
        return found

    def restart(self) -> None:
        """Begin with the first one again."""
        self._next = 0


def _references() -> int:
    arrays = [np.empty(1)]
    found = arrays[0]
    return sys.getrefcount(found)


_OWN = _references()


class Pool:
    """Sets of buffers of these types, which calls take and give back.

    Each call has a set of its own: calls of other threads, and calls inside of the call, take other
    sets. The set of a call that raises is dropped.
    """

    def __init__(self, types: Sequence[Any]) -> None:
        self._types = types
        # How what is no array is given back, by its place.
        self._renew = [(at, renew) for at, type in enumerate(types) if (renew := _renewal(type))]
        self._waiting: list[tuple[Any, ...]] = []
        self.give = self._give if self._renew else self._waiting.append

    def take(self) -> tuple[Any, ...]:
        """The buffers of an earlier call, or new ones."""
        try:
            return self._waiting.pop()
        except IndexError:
            return tuple(map(_made, self._types))

    def _give(self, arrays: tuple[Any, ...]) -> None:
        for at, renew in self._renew:
            renew(arrays[at])
        self._waiting.append(arrays)


def _renewal(type: Any) -> Any:
    if type is WORKSPACE:
        return Workspace.grow
    if isinstance(type, FreeListType):
        return FreeList.restart
    return list.clear if isinstance(type, ListType) else None


def _made(type: Any) -> Any:
    if type is WORKSPACE:
        return Workspace()
    if type is GROWABLE:
        return GrowableBuffer()
    if isinstance(type, FreeListType):
        return FreeList(type.element)
    if isinstance(type, PermutedType):
        return array_in(type.array.shape or (), type.array.dtype.np_dtype, type.axes)
    return [] if isinstance(type, ListType) else np.empty(type.shape, type.dtype.np_dtype)


# Growable buffers

LEAST_BYTES = 1 << 17
"""The size of an operand from which on a result is in a growable buffer: to find its shape takes
some microseconds.
"""


@lru_cache(maxsize=256)
def growing(primitive: Primitive, dtype: DType) -> Kernel:
    """The kernel that takes a growable buffer in place of an array for its result, of a dtype."""
    if primitive.finds_shape:
        return primitive.kernel
    if isinstance(primitive.kernel, np.ufunc):
        return _growing_ufunc(primitive.kernel, dtype.np_dtype)
    return _growing_kernel(primitive, dtype.np_dtype)


def _growing_ufunc(ufunc: np.ufunc, dtype: Any) -> Kernel:
    def of_one(x: Any, out: Any) -> Any:
        return ufunc(x) if x.nbytes < LEAST_BYTES else ufunc(x, out.array(x.shape, dtype))

    def of_two(x: Any, y: Any, out: Any) -> Any:
        if x.nbytes < LEAST_BYTES and y.nbytes < LEAST_BYTES:
            return ufunc(x, y)
        try:
            shape = np.broadcast(x, y).shape
        except ValueError:
            # The ufunc tells which shapes.
            return ufunc(x, y)
        return ufunc(x, y, out.array(shape, dtype))

    return of_one if ufunc.nin == 1 else of_two


def _growing_kernel(primitive: Primitive, dtype: Any) -> Kernel:
    kernel = primitive.kernel

    def call(*inputs: Any, out: Any, **params: Any) -> Any:
        shape = _inferred(primitive, inputs, params) if _are_large(inputs) else None
        array = None if shape is None else out.array(shape, dtype)
        return kernel(*inputs, **params, out=array)

    return call


def _are_large(inputs: Sequence[Any]) -> bool:
    return any(getattr(x, "nbytes", 0) >= LEAST_BYTES for x in inputs)


def _inferred(primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> Shape:
    """The shape of the result, if those of the inputs tell it."""
    types = [TensorType(BY_NUMPY[x.dtype], x.shape) for x in inputs]
    try:
        type = primitive.infer(*types, **{k: v for k, v in params.items() if k != "work"})
    except (TypeError, ValueError):
        # The kernel tells what is wrong.
        return None
    shape: Shape = type.shape
    return None if shape is None or None in shape else shape
