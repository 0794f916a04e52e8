"""Elementwise kernels of several steps, computed so that what passes between them stays in the
cache.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.primitive import Kernel

MANY = 1 << 8
"""From how many elements on more steps that are faster each pay."""

_BLOCK_BYTES = 1 << 18


def in_blocks(compute: Callable[..., Any]) -> Kernel:
    """The kernel that applies `compute` to vectors with the elements of its inputs, which broadcast
    together, block by block; the results have the dtype of the first one. Scalars stay scalars.
    """

    def kernel(x: Any, *others: Any, out: Any = None) -> Any:
        shape = np.broadcast(x, *others).shape if others else x.shape
        made = np.empty(shape, x.dtype) if out is None else out
        inputs = [_vector(value, shape) for value in (x, *others)]
        flat = made.reshape(-1)
        step = _BLOCK_BYTES // x.dtype.itemsize
        for start in range(0, made.size, step):
            part = slice(start, start + step)
            flat[part] = compute(*[v[part] if v.ndim else v for v in inputs])
        return made

    return kernel


def _vector(x: Any, shape: tuple[int, ...]) -> Any:
    if not x.ndim and shape:
        return x
    return (x if x.shape == shape else np.broadcast_to(x, shape)).reshape(-1)


def turning_rows(compute: Callable[..., Any]) -> Kernel:
    """The kernel that applies `compute(x, axis, out)`, which computes the vectors along an axis
    each by itself, to many short rows as to columns: NumPy reduces those many times faster.
    """

    def kernel(x: Any, *, axis: int, out: Any = None) -> Any:
        short = x.size >= _MANY_IN_ROWS and x.shape[-1] <= _SHORT and x.dtype.char in "fd"
        if not short or axis not in (-1, x.ndim - 1):
            return compute(x, axis, out)
        made = np.empty(x.shape, x.dtype) if out is None else out
        given, rows = x.reshape(-1, x.shape[-1]), made.reshape(-1, x.shape[-1])
        step = _BLOCK_BYTES // (x.shape[-1] * x.dtype.itemsize)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            rows[part] = compute(np.ascontiguousarray(given[part].T), 0, None).T
        return made

    return kernel


_MANY_IN_ROWS, _SHORT = 1 << 12, 32


def own(made: Any) -> Any:
    """What the next step of a kernel may write over: an array, but no NumPy scalar."""
    return made if type(made) is np.ndarray else None


def chosen(test: Any, x: Any, y: Any) -> Any:
    """np.where for vectors of 4 or 8 bytes an element, without a branch for each element, which is
    slow where they follow no pattern.
    """
    bits = BITS[x.dtype.itemsize]
    first, second = x.view(bits), y.view(bits)
    mask = np.negative(test.view(np.int8)).astype(bits)
    mask &= first ^ second
    mask ^= second
    return mask.view(x.dtype)


BITS = {4: np.int32, 8: np.int64}
"""The integers that have as many bytes as an element."""
