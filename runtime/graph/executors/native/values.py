"""The values of native code: numbers in registers, and arrays in memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeGuard

from llvmlite import binding

from runtime import dtypes
from runtime.core.dataclasses import dataclass
from runtime.core.types import ListType, NumberType, TensorType, Type
from runtime.dtypes import DType
from runtime.graph.executors.native import ir
from runtime.graph.lists import element_of, is_uniform
from runtime.graph.nodes import WIDE_DTYPES

_FLOATS = {2: ir.FLOAT32, 4: ir.FLOAT32, 8: ir.FLOAT64}
_INTS = {1: ir.BYTE, 2: ir.INT16, 4: ir.INT32, 8: ir.INT64}


@dataclass(slots=True, eq=False)
class Scalar:
    """A single number in a register: of a tensor without dimensions, or Python's own."""

    value: ir.Value
    type: Type

    @property
    def dtype(self) -> DType:
        """The dtype that it is computed in: Python's int is held in 64 bits."""
        return dtype_of(self.type)


@dataclass(slots=True, eq=False)
class Array:
    """C-contiguous elements in memory, aligned to their size. `dims` are of 64 bits, constants
    where they are known. Nobody writes to the memory but who has allocated it, before it is handed
    on.
    """

    pointer: ir.Value
    dims: Sequence[ir.Value]
    dtype: DType


@dataclass(slots=True, eq=False)
class Items:
    """A list: of `count` elements of one type, one behind the other, in `capacity` bytes."""

    pointer: ir.Value
    count: ir.Value
    capacity: ir.Value
    element: TensorType


Held = Scalar | Array | Items


def dtype_of(type: Type) -> DType:
    """The dtype of a tensor, or the one that a Python number is computed in."""
    if isinstance(type, NumberType):
        return WIDE_DTYPES[type.kind]
    assert isinstance(type, TensorType)
    return type.dtype


def is_native(dtype: DType) -> bool:
    """True for the dtypes that have registers: bool, the integers and the floats; float16, where
    the host converts it.
    """
    if dtype is dtypes.float16:
        return _converts_float16()
    return dtype.is_bool or dtype.is_integer or dtype.is_floating


def is_half(dtype: DType) -> bool:
    """True for float16 and bfloat16, which registers hold as float32: see `halves`."""
    return dtype.is_floating and dtype.size == 2


@cache
def _converts_float16() -> bool:
    """True where the host has instructions for it: in their place, LLVM calls functions that no
    library need have.
    """
    is_arm = binding.get_default_triple().startswith(("aarch64", "arm64"))
    return is_arm or bool(binding.get_host_cpu_features().get("f16c"))


def is_held(type: Type) -> bool:
    """True for the types of values that native code has: numbers, and arrays of known rank."""
    if isinstance(type, NumberType):
        return True
    return isinstance(type, TensorType) and type.shape is not None and is_native(type.dtype)


def is_list(type: object) -> TypeGuard[ListType]:
    """True for the types of lists that native code has: of numbers, arrays of one known shape, or
    rows.
    """
    return is_uniform(type) and is_native(element_of(type).dtype)


def register(dtype: DType) -> ir.Type:
    """The type of a number in a register: a bool is one bit, a half a float32."""
    if dtype.is_bool:
        return ir.BIT
    return (_FLOATS if dtype.is_floating else _INTS)[dtype.size]


def stored(dtype: DType) -> ir.Type:
    """The type of an element in memory: a bool is a byte, 0 or 1; a half is its bits."""
    if is_half(dtype):
        return ir.INT16
    return ir.BYTE if dtype.is_bool else register(dtype)


def width(dtype: DType) -> int:
    """The bytes of a register that a number takes."""
    return 4 if is_half(dtype) else dtype.size


def known(dim: ir.Value) -> int:
    """The number that a dim is, which must be known while tracing."""
    if dim.constant is None:
        raise TypeError(f"{dim} is known at run time only")
    return int(dim.constant)


def int64(number: int) -> ir.Constant:
    """A constant of 64 bits, as dims, counts and offsets are."""
    return ir.Constant(ir.INT64, number)
