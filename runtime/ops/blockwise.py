"""Elementwise kernels of several steps, computed so that what passes between them stays in the
cache.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.core.primitive import Kernel
from runtime.core.workspace import Workspace, opened

MANY = 1 << 8
"""From how many elements on more steps that are faster each pay."""

_BLOCK_BYTES = 1 << 18


def in_blocks(compute: Callable[..., None]) -> Kernel:
    """The kernel that applies `compute(*inputs, out, work)` to vectors with the elements of its
    inputs, which broadcast together, block by block; the results have the dtype of the first one.
    Scalars stay scalars.
    """

    def kernel(x: Any, *others: Any, out: Any = None, work: Workspace | None = None) -> Any:
        shape = np.broadcast(x, *others).shape if others else x.shape
        made = np.empty(shape, x.dtype) if out is None else out
        work = opened(work)
        inputs = [_vector(value, shape, work) for value in (x, *others)]
        flat = made.reshape(-1)
        step = _BLOCK_BYTES // x.dtype.itemsize
        if made.size <= step:
            compute(*inputs, flat, work)
            return made
        for start in range(0, made.size, step):
            part = slice(start, start + step)
            with work.inner():
                compute(*[v[part] if v.ndim else v for v in inputs], flat[part], work)
            work.grow()
        return made

    return kernel


def _vector(x: Any, shape: tuple[int, ...], work: Workspace) -> Any:
    if not x.ndim and shape:
        return x
    if x.shape == shape and x.flags.c_contiguous:
        return x.reshape(-1)
    made = work.array(shape, x.dtype)
    np.copyto(made, x)
    return made.reshape(-1)


def turning_rows(compute: Callable[..., Any]) -> Kernel:
    """The kernel that applies `compute(x, axis, out, work)`, which computes the vectors along an
    axis each by itself, to many short rows as to columns: NumPy reduces those many times faster.
    There is no workspace for others, and maybe no `out`.
    """

    def kernel(x: Any, *, axis: int, out: Any = None, work: Workspace | None = None) -> Any:
        short = x.size >= _MANY_IN_ROWS and x.shape[-1] <= _SHORT and x.dtype.char in "fd"
        if not short or axis not in (-1, x.ndim - 1):
            return compute(x, axis, out, None)
        made = np.empty(x.shape, x.dtype) if out is None else out
        given, rows = x.reshape(-1, x.shape[-1]), made.reshape(-1, x.shape[-1])
        step = _BLOCK_BYTES // (x.shape[-1] * x.dtype.itemsize)
        work = opened(work)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            with work.inner():
                columns = work.copied(given[part].T)
                rows[part] = compute(columns, 0, work.like(columns), work).T
            if step < len(rows):
                work.grow()
        return made

    return kernel


_MANY_IN_ROWS, _SHORT = 1 << 12, 32


def own(made: Any) -> Any:
    """Returns what the next step of a kernel may write over: an array, but no NumPy scalar."""
    return made if type(made) is np.ndarray else None


def chosen(test: Any, x: Any, y: Any, out: Any, work: Workspace) -> None:
    """np.where for vectors of 4 or 8 bytes an element, without a branch for each element, which is
    slow where they follow no pattern. Nothing else is in `out`.
    """
    bits = BITS[x.dtype.itemsize]
    first, second, mask = x.view(bits), y.view(bits), out.view(bits)
    differing = np.bitwise_xor(first, second, out=work.array(out.shape, bits))
    np.copyto(mask, np.negative(test.view(np.int8), out=work.array(test.shape, np.int8)))
    mask &= differing
    mask ^= second


def places(test: Any, work: Workspace) -> Any:
    """Returns the places where a vector of truth values is true."""
    count = int(np.count_nonzero(test))
    found, end = work.array((count,), np.intp), 0
    # NumPy makes an array of them: a small one for each piece.
    step = PIECE if count > PIECE else max(test.size, 1)
    for start in range(0, test.size, step):
        of_piece = np.flatnonzero(test[start : start + step])
        first, end = end, end + of_piece.size
        np.add(of_piece, start, out=found[first:end])
    return found


def numbers(n: int, work: Workspace | None) -> Any:
    """The numbers from 0 to n - 1, which may be written over."""
    return np.arange(n) if work is None or n <= PIECE else counted(work.array((n,), np.intp))


def counted(out: Any) -> Any:
    """The numbers from 0 up, in a vector of integers."""
    if out.size <= PIECE:
        out[:] = np.arange(out.size)
        return out
    out.fill(1)
    out[:1] = 0
    return np.add.accumulate(out, out=out)


PIECE = 1 << 13
"""The number of elements that NumPy is given at once where it makes an array of its own: of 64 KB,
as those that it reads through what it converts.
"""

BITS = {4: np.int32, 8: np.int64}
"""The integers that have as many bytes as an element."""


def polynomial(coefficients: Any, x: Any, out: Any) -> Any:
    """The polynomial with these coefficients, that of the highest power first, at x."""
    # np.polyval would make two arrays for each coefficient.
    y = np.multiply(x, coefficients[0], out=out)
    for coefficient in coefficients[1:-1]:
        y += coefficient
        y *= x
    y += coefficients[-1]
    return y


def in_doubles(compute: Callable[..., None]) -> Kernel:
    """The kernel that applies `compute(*inputs, out, work)`, of float64, block by block."""
    return in_blocks(lambda *arguments: of_doubles(compute, *arguments))


def of_doubles(compute: Callable[..., None], *arguments: Any) -> None:
    """Apply `compute(*inputs, out, work)` to inputs as float64."""
    *inputs, out, work = arguments
    wide = [_double(x, out.shape, work) for x in inputs]
    if out.dtype == np.float64:
        compute(*wide, out, work)
        return
    made = work.array(out.shape, np.float64)
    compute(*wide, made, work)
    np.copyto(out, made, casting="same_kind")


def _double(x: Any, shape: tuple[int, ...], work: Workspace) -> Any:
    if x.ndim and x.dtype == np.float64:
        return x
    made = work.array(shape, np.float64)
    np.copyto(made, x)
    return made


def mask(ufunc: np.ufunc, x: Any, bound: Any, work: Workspace) -> Any:
    """Returns a mask that is true where a comparison with a bound holds."""
    return ufunc(x, bound, out=work.array(x.shape, np.bool_))
