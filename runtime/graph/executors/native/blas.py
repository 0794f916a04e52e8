"""The products of the BLAS that NumPy carries, by their addresses."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import NamedTuple

import numpy as np

from runtime import dtypes
from runtime.dtypes import DType

_LETTERS = {"float32": "s", "float64": "d"}
_SPELLINGS = (
    ("scipy_cblas_{}gemm64_", 64),
    ("cblas_{}gemm64_", 64),
    ("scipy_cblas_{}gemm", 32),
    ("cblas_{}gemm", 32),
)

_CORE_NAMES = (
    "scipy_openblas_get_corename64_",
    "openblas_get_corename64_",
    "scipy_openblas_get_corename",
    "openblas_get_corename",
)
_WITH_AVX2 = (b"Haswell", b"Zen")
"""How OpenBLAS calls its kernels for AVX2, which it takes on AMD's processors with AVX-512 too."""

ROW_MAJOR, PLAIN, TRANSPOSED = 101, 111, 112
"""The numbers of the interface in C for the order of matrices, and for transposed ones."""


class Product(NamedTuple):
    """A product of matrices: where it is, and the bits of its integers."""

    address: int
    bits: int


@cache
def product(dtype: DType) -> Product | None:
    """The product of matrices of a dtype, None where NumPy has none that is known."""
    letter = _LETTERS.get(dtype.name)
    library = _library()
    if letter is None or library is None:
        return None
    for spelling, bits in _SPELLINGS:
        found = getattr(library, spelling.format(letter), None)
        if found is not None:
            address = ctypes.cast(found, ctypes.c_void_p).value
            assert address is not None
            return Product(address, bits)
    return None


@cache
def _library() -> ctypes.CDLL | None:
    """NumPy's own code, which finds what it is linked to."""
    core = getattr(np, "_core", None) or np.core
    path = getattr(core._multiarray_umath, "__file__", None)
    return ctypes.CDLL(path) if path else None


@cache
def vector_bytes_of_blas() -> int | None:
    """The width of the vectors that its kernels compute with, where that is known."""
    library = _library()
    for name in _CORE_NAMES:
        found = getattr(library, name, None)
        if found is not None:
            found.restype = ctypes.c_char_p
            return 32 if found() in _WITH_AVX2 else None
    return None


def address_of(name: str) -> int:
    """The address of `product.` with a dtype."""
    found = product(dtypes.as_dtype(name.removeprefix("product.")))
    assert found is not None
    return found.address
