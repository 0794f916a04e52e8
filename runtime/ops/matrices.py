"""Shapes and refusals that functions of matrices share."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import errors
from runtime.core.primitive import wrong_value
from runtime.core.shapes import Shape

NO_INVERSE = "Input matrix is not invertible."


def check_matrix(shape: Shape, what: str = "input") -> Shape:
    if shape is not None and len(shape) < 2:
        raise wrong_value(f"{what} must have rank 2 or more, got shape {shape}")
    return shape


def check_square(shape: Shape, **params: Any) -> Shape:
    """Shape rule: that of square matrices, of which one side tells the other."""
    if check_matrix(shape) is None or shape is None:
        return None
    rows, columns = shape[-2:]
    if None not in (rows, columns) and rows != columns:
        raise wrong_value(f"matrices must be square, got shape {shape}")
    side = columns if rows is None else rows
    return (*shape[:-2], side, side)


def in_single(function: Any) -> Any:
    """The kernel `function`, which computes in float32 for float16: LAPACK has no narrower one."""

    def kernel(x: Any, **params: Any) -> Any:
        if x.dtype.char != "e":
            return function(x, **params)
        made = function(x.astype(np.float32), **params)
        if isinstance(made, tuple):
            return tuple([part.astype(x.dtype) for part in made])
        return made.astype(x.dtype)

    return kernel


def guarded(function: Any, message: str) -> Any:
    """The kernel `function`, with `message` where LAPACK refuses a square matrix."""

    def kernel(*arrays: Any, **params: Any) -> Any:
        try:
            return function(*arrays, **params)
        except np.linalg.LinAlgError:
            shape = arrays[0].shape
            if len(shape) < 2 or shape[-1] != shape[-2]:
                raise
            raise errors.InvalidValueError(message) from None

    return kernel
