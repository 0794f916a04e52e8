"""NumPy's interface in C, and its sorts of contiguous elements, by their addresses."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from runtime import dtypes
from runtime.dtypes import DType

# The places of functions in the table of the interface, which never change.
_PLACES = {
    **{"PyArray_Type": 2, "PyArray_Scalar": 60, "PyArray_New": 93},
    "PyDataType_GetArrFuncs": 365,
}

# The places of the sort, and of the stable sort of positions, among the functions of a dtype.
_SORT, _ARGSORT = 33, 38


def function(name: str) -> int:
    """The address of a function of the interface."""
    return int(_table()[_PLACES[name]])


@cache
def _table() -> Any:
    module = import_module("numpy._core._multiarray_umath")
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    pointer = get(module._ARRAY_API, None)
    return ctypes.cast(pointer, ctypes.POINTER(ctypes.c_void_p))


@cache
def sort(kind: str, dtype: DType) -> int:
    """The address of a sort, 0 where there is none: `sort` takes the elements, their number and an
    array, which it does not look at; `argsort` also the positions, behind the elements, and puts
    these in order. What they return is not 0 where they lack memory.
    """
    functions_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object)(
        function("PyDataType_GetArrFuncs")
    )
    found = functions_of(np.dtype(dtype.np_dtype))
    places: Any = ctypes.cast(found, ctypes.POINTER(ctypes.c_void_p))
    return places[_SORT if kind == "sort" else _ARGSORT] or 0


def sort_named(name: str) -> int:
    """The address of `sort.float32`, or `argsort.float32`."""
    kind, _, dtype = name.partition(".")
    return sort(kind, dtypes.as_dtype(dtype))
