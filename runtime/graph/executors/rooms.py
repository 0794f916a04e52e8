"""Growable buffers: kernels for results of dynamic shape.

Large ones are in memory that the program keeps, and that grows:

    mul = k_mul(x, y, room)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from runtime.core.primitive import Kernel, Primitive
from runtime.core.shapes import Shape
from runtime.core.types import TensorType
from runtime.dtypes import BY_NUMPY, DType

LEAST_BYTES = 1 << 17
"""The size of an operand from which on a result is in a room: to find its shape takes some
microseconds.
"""


@lru_cache(maxsize=256)
def in_room(primitive: Primitive, dtype: DType) -> Kernel:
    """The kernel that takes a room in place of an array for its result, of a dtype."""
    if primitive.finds_shape:
        return primitive.kernel
    if isinstance(primitive.kernel, np.ufunc):
        return _ufunc_in_room(primitive.kernel, dtype.np_dtype)
    return _kernel_in_room(primitive, dtype.np_dtype)


def _ufunc_in_room(ufunc: np.ufunc, dtype: Any) -> Kernel:
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


def _kernel_in_room(primitive: Primitive, dtype: Any) -> Kernel:
    kernel = primitive.kernel

    def call(*inputs: Any, out: Any, **params: Any) -> Any:
        shape = _inferred(primitive, inputs, params) if _are_large(inputs) else None
        room = None if shape is None else out.array(shape, dtype)
        return kernel(*inputs, **params, out=room)

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
