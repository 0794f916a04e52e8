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

_BLOCK_BYTES = 1 << 16


def in_blocks(compute: Callable[..., Any]) -> Kernel:
    """The kernel that applies `compute` to vectors with the elements of its first input, block by
    block; the results have its dtype, and further inputs are scalars.
    """

    def kernel(x: Any, *scalars: Any, out: Any = None) -> Any:
        made = np.empty(x.shape, x.dtype) if out is None else out
        if not x.flags.c_contiguous:
            np.copyto(made, x)
            x = made
        given, flat = x.reshape(-1), made.reshape(-1)
        step = _BLOCK_BYTES // x.dtype.itemsize
        for start in range(0, x.size, step):
            flat[start : start + step] = compute(given[start : start + step], *scalars)
        return made

    return kernel


def own(made: Any) -> Any:
    """What the next step of a kernel may write over: an array, but no NumPy scalar."""
    return made if type(made) is np.ndarray else None
