"""Memory for the arrays that a kernel needs only while it runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

_ALIGNMENT = 64


class Workspace:
    """Scratch arrays in one block of memory, one behind the other, for one kernel at a time.

    An array that does not fit is allocated by itself; `grow` enlarges the block for the next time.
    """

    __slots__ = ("_memory", "_most", "_used")

    def __init__(self) -> None:
        self._memory = np.empty(0, np.uint8)
        self._used = 0
        self._most = 0

    def array(self, shape: Sequence[int], dtype: Any) -> Any:
        """An uninitialised array."""
        dtype, start = np.dtype(dtype), self._used
        size = math.prod(shape) * dtype.itemsize
        self._used += -(-size // _ALIGNMENT) * _ALIGNMENT
        if self._used > self._most:
            self._most = self._used
        if size and self._used <= self._memory.size:
            return np.ndarray(shape, dtype, self._memory, start)
        return np.empty(shape, dtype)

    def like(self, array: Any) -> Any:
        """An uninitialised array of the same shape and dtype."""
        return self.array(array.shape, array.dtype)

    def zeros(self, shape: Sequence[int], dtype: Any) -> Any:
        """An array of zeros."""
        made = self.array(shape, dtype)
        made.fill(0)
        return made

    def copied(self, array: Any, dtype: Any = None) -> Any:
        """A C-contiguous copy of an array, maybe in another dtype."""
        made = self.array(array.shape, dtype or array.dtype)
        np.copyto(made, array, casting="unsafe")
        return made

    def inner(self) -> _Inner:
        """A context that frees at its end the arrays that were made inside."""
        return _Inner(self)

    def clear(self) -> None:
        """Free all arrays."""
        self._used = 0

    def grow(self) -> None:
        """Enlarge the block to the most that was needed so far. No array in it may be in use."""
        if self._most > self._memory.size:
            self._memory = np.empty(self._most, np.uint8)


class _Inner:
    __slots__ = ("_start", "_work")

    def __init__(self, work: Workspace) -> None:
        self._work = work

    def __enter__(self) -> None:
        self._start = self._work._used

    def __exit__(self, *error: object) -> None:
        self._work._used = self._start


class GrowableBuffer:
    """Memory for one array at a time, as large as the largest one so far."""

    __slots__ = ("_memory",)

    def __init__(self) -> None:
        self._memory = np.empty(0, np.uint8)

    def array(self, shape: Sequence[int], dtype: Any) -> Any:
        """An uninitialised array; the one before must not be in use."""
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if size > self._memory.size:
            self._memory = np.empty(size, np.uint8)
        return np.ndarray(shape, dtype, self._memory)


def placed(out: Any, shape: Sequence[int], dtype: Any) -> Any:
    """An array of this shape: `out`, one in that growable buffer, or a new one if there is none."""
    if out is None:
        return np.empty(shape, dtype)
    return out.array(shape, dtype) if type(out) is GrowableBuffer else out


def c_contiguous(array: Any) -> Any:
    """The array if it is C-contiguous, as graphs assume, else such a copy of it."""
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def opened(work: Workspace | None) -> Workspace:
    """The workspace of a kernel, cleared; a new one if it was given none."""
    if work is None:
        return Workspace()
    work.clear()
    return work
