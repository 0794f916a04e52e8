"""The addresses of what native code uses: of Python's and NumPy's C interfaces, of the C library,
of the arena.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from runtime import dtypes
from runtime.core.tensor import EagerTensor
from runtime.graph.executors.native import arena, blas, numpy_interface, objects, stack, thread_pool
from runtime.graph.executors.native.code import address

SOURCES: dict[str, Callable[[str], int]] = {}
"""For the first word of a symbol, what gives the address of the rest."""


@cache
def address_of(symbol: str) -> int:
    """The address of a symbol: `libm.exp`, `python.PyTuple_New`, `numpy.PyArray_Scalar` ..."""
    source, _, name = symbol.partition(".")
    found = SOURCES[source](name)
    if not found:
        raise LookupError(f"{symbol} has no address")
    return found


@cache
def _library(name: str) -> Any:
    # It imports much else.
    from ctypes.util import find_library

    return ctypes.CDLL(find_library(name))


def _numpy(name: str) -> int:
    """A function of NumPy's, a type of its scalars, or the descriptor of a dtype."""
    kind, _, dtype = name.partition(":")
    if kind == "descriptor":
        # Arrays have the one that there is of each dtype.
        return id(np.dtype(dtypes.as_dtype(dtype).np_dtype))
    if kind == "scalar":
        return id(dtypes.as_dtype(dtype).as_numpy_dtype)
    if name in _OBJECTS:
        return id(np.bool_(_OBJECTS[name]))
    return numpy_interface.function(name)


_OBJECTS = {
    **{"True": True, "False": False, "float": float, "int": int},
    **{"None": None, "NotImplemented": NotImplemented, "EagerTensor": EagerTensor},
}


def _python(name: str) -> int:
    return id(_OBJECTS[name]) if name in _OBJECTS else address(getattr(ctypes.pythonapi, name))


SOURCES["python"] = _python
SOURCES["numpy"] = _numpy
SOURCES["libm"] = lambda name: address(getattr(_library("m"), name))
SOURCES["arena"] = lambda name: arena.support().address(name)
SOURCES["support"] = SOURCES["arena"]
SOURCES["objects"] = lambda name: objects.code(address_of).address(name)
SOURCES["pool"] = thread_pool.address_of
SOURCES["blas"] = blas.address_of
SOURCES["sorts"] = numpy_interface.sort_named
SOURCES["stack"] = lambda name: stack.code().address(name)
