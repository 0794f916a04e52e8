"""The threads of NumPy's BLAS, where it is an OpenBLAS that can be asked."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_NAMES = (
    "scipy_openblas_{}_num_threads64_",
    "scipy_openblas_{}_num_threads",
    "openblas_{}_num_threads",
)


@cache
def _functions() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    for library in _libraries():
        for name in _NAMES:
            get = getattr(library, name.format("get"), None)
            put = getattr(library, name.format("set"), None)
            if get is not None and put is not None:
                return get, put
    return None


def _libraries() -> list[Any]:
    package = Path(np.__file__).parent
    folders = (package.parent / "numpy.libs", package / ".dylibs")
    files = [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())]
    return [ctypes.CDLL(str(path)) for path in files if "openblas" in path.name]


def threads() -> int | None:
    """Returns the number of threads that BLAS uses; None where that is not known."""
    functions = _functions()
    return None if functions is None else functions[0]()


def set_threads(count: int) -> bool:
    """Let BLAS use `count` threads; False where it cannot be told."""
    functions = _functions()
    if functions is None:
        return False
    functions[1](count)
    return True
