"""Element types of tensors, named as TensorFlow names them."""

from __future__ import annotations

import builtins
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.core.lazy import attributes, public


class DType:
    """The type of a tensor's elements: ``float32``, ``int64``, ``string`` ...

    A DType equals its own name and its NumPy dtype, so ``t.dtype == "int32"`` works. There is one
    object per type: ``is`` and ``==`` agree between DTypes.

    >>> isinstance(rt.float32, rt.DType), rt.float32.size
    (True, 4)
    """

    __slots__ = ("_hash", "as_datatype_enum", "as_numpy_dtype", "kind", "name", "np_dtype", "size")

    def __init__(self, name: str, enum: int, scalar: type) -> None:
        self.name = name
        self.as_datatype_enum = enum
        self.as_numpy_dtype = scalar
        self.np_dtype: np.dtype[Any] = np.dtype(scalar)
        # NumPy's letter; NumPy itself knows no kind of what other packages define.
        self.kind = "f" if name == "bfloat16" else self.np_dtype.kind
        self.size = 0 if scalar is object else self.np_dtype.itemsize
        self._hash = hash(self.np_dtype)

    @property
    def is_floating(self) -> builtins.bool:
        """True for the real floating-point types."""
        return self.kind == "f"

    @property
    def is_integer(self) -> builtins.bool:
        """True for the signed and unsigned integer types."""
        return self.np_dtype.kind in "iu"

    @property
    def is_unsigned(self) -> builtins.bool:
        """True for the unsigned integer types."""
        return self.np_dtype.kind == "u"

    @property
    def is_complex(self) -> builtins.bool:
        """True for the complex types."""
        return self.np_dtype.kind == "c"

    @property
    def is_bool(self) -> builtins.bool:
        """True for the type of truth values."""
        return self.np_dtype.kind == "b"

    @property
    def is_numeric(self) -> builtins.bool:
        """True for the integer, floating-point and complex types."""
        return self.kind in "iufc"

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """True if arrays of NumPy's have this type: all of ours can."""
        return True

    @property
    def real_dtype(self) -> DType:
        """The type of the real part of a complex type; else the type itself."""
        return _REAL_PARTS.get(self, self)

    @property
    def base_dtype(self) -> DType:
        """The type itself: there are no reference types here."""
        return self

    @property
    def min(self) -> Any:
        """The smallest finite value; TypeError where the type has no order."""
        return self._ends("minimum")[0]

    @property
    def max(self) -> Any:
        """The largest finite value; TypeError where the type has no order."""
        return self._ends("maximum")[1]

    @property
    def limits(self) -> tuple[Any, Any]:
        """The intensities of a pixel: 0 and 1, of integers the largest one; ValueError for others.

        >>> rt.uint8.limits, rt.float32.limits
        ((0, 255), (0, 1))
        """
        if self.is_integer:
            return 0, self.max
        if self.name in ("float32", "float64", "bool"):
            return 0, 1
        raise ValueError(f"{self.name} has no limits for intensities")

    def _ends(self, what: str) -> tuple[Any, Any]:
        if self.is_integer:
            info = np.iinfo(self.np_dtype)
            return info.min, info.max
        if self.is_floating:
            floats = finfo(self)
            return float(floats.min), float(floats.max)
        raise TypeError(f"Cannot find {what} value of {self}.")

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """True if `other` (anything that names a dtype) is the same type.

        >>> rt.int32.is_compatible_with(rt.int64)
        False
        """
        return self is as_dtype(other)

    def is_subtype_of(self, other: Any) -> builtins.bool:
        """Whether `other` is the same type.

        >>> rt.int32.is_subtype_of(rt.int32)
        True
        """
        return self is other

    def most_specific_common_supertype(self, types: Sequence[Any]) -> DType | None:
        """The type itself where all `types` are the same, else None.

        >>> rt.int32.most_specific_common_supertype([rt.int64]) is None
        True
        """
        return self if all(other is self for other in types) else None

    def __eq__(self, other: object) -> builtins.bool:
        if self is other:
            return True
        if other is None or isinstance(other, DType):
            return False
        if hasattr(type(other), "to_dtype"):
            return NotImplemented  # the other one compares each of those that it may be
        if isinstance(other, type) and other in _OF_PYTHON:
            return False
        return _find(other) is self

    def __hash__(self) -> int:
        return self._hash

    def __int__(self) -> int:
        return self.as_datatype_enum

    def __repr__(self) -> str:
        return "tf." + self.name

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __reduce__(self) -> tuple[Callable[[str], DType], tuple[str]]:
        return as_dtype, (self.name,)


float16 = DType("float16", 19, np.float16)
float32 = DType("float32", 1, np.float32)
float64 = DType("float64", 2, np.float64)
int8 = DType("int8", 6, np.int8)
int16 = DType("int16", 5, np.int16)
int32 = DType("int32", 3, np.int32)
int64 = DType("int64", 9, np.int64)
uint8 = DType("uint8", 4, np.uint8)
uint16 = DType("uint16", 17, np.uint16)
uint32 = DType("uint32", 22, np.uint32)
uint64 = DType("uint64", 23, np.uint64)
bool = DType("bool", 10, np.bool_)
complex64 = DType("complex64", 8, np.complex64)
complex128 = DType("complex128", 18, np.complex128)
string = DType("string", 7, object)
half = float16
double = float64

ALL = (
    float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
    bool, complex64, complex128, string,
)  # fmt: skip
_REAL_PARTS = {complex64: float32, complex128: float64}
_BY_NAME: dict[str, DType] = {dtype.name: dtype for dtype in ALL} | {
    "half": float16,
    "float": float32,
    "double": float64,
}
_BY_SCALAR: dict[Any, DType] = {dtype.as_numpy_dtype: dtype for dtype in ALL} | {
    float: float32,
    int: int32,
    np.bool_(True).item().__class__: bool,
    complex: complex128,
    str: string,
    bytes: string,
    np.object_: string,
    np.str_: string,
    np.bytes_: string,
}
_OF_PYTHON = (int, complex, str, bytes)
"""Types that ask for a dtype, but equal none."""
BY_NUMPY: dict[np.dtype[Any], DType] = {dtype.np_dtype: dtype for dtype in ALL}
_BY_ENUM = {dtype.as_datatype_enum: dtype for dtype in ALL}


NUMERIC: dict[np.dtype[Any], DType] = {
    dtype.np_dtype: dtype for dtype in ALL if dtype is not string
}
"""The types of numbers and truth values, as `BY_NUMPY`. Both grow: see `bfloat16`."""

WIDENED: dict[np.dtype[Any], DType] = {}
"""Dtypes in which nothing is computed, once they are used, and those that do it in their place."""

_EXTRA = "bfloat16 needs the package ml_dtypes: pip install 'autograph-runtime[bfloat16]'"


def _bfloat16() -> DType:
    """The type bfloat16, from its first use on. ImportError without its package."""
    known = _BY_NAME.get("bfloat16")
    if known is not None:
        return known
    try:
        from ml_dtypes import bfloat16 as scalar
    except ImportError:
        raise ImportError(_EXTRA, name="ml_dtypes") from None
    with _REGISTERING:
        if "bfloat16" not in _BY_NAME:
            made = DType("bfloat16", 14, scalar)
            BY_NUMPY[made.np_dtype] = _BY_SCALAR[scalar] = _BY_ENUM[14] = made
            NUMERIC[made.np_dtype] = made
            WIDENED[made.np_dtype] = float32
            _BY_NAME["bfloat16"] = made
    return _BY_NAME["bfloat16"]


_REGISTERING = threading.Lock()


def finfo(dtype: DType) -> Any:
    """The limits of a float, as `numpy.finfo` gives them.

    >>> float(rt.dtypes.finfo(rt.float32).eps)
    1.1920928955078125e-07
    """
    if dtype.name != "bfloat16":
        return np.finfo(dtype.np_dtype)
    import ml_dtypes

    of_extension: Any = ml_dtypes.finfo
    return of_extension(dtype.np_dtype)


def _find(value: Any) -> DType | None:
    if isinstance(value, str):
        return _bfloat16() if value == "bfloat16" else _BY_NAME.get(value)
    if isinstance(value, np.dtype):
        return BY_NUMPY.get(value) or _of_numpy(value)
    if isinstance(value, type):
        named = _BY_SCALAR.get(value)
        if named is None and value.__name__ == "bfloat16":
            return _of_numpy(np.dtype(value))
        other = named is None and value in np.sctypeDict.values()
        return _of_numpy(np.dtype(value)) if other else named
    return _BY_ENUM.get(value) if isinstance(value, int) else None


def _of_numpy(dtype: np.dtype[Any]) -> DType | None:
    if dtype.kind in "SU":
        return string
    if dtype.kind == "V" and dtype.name == "bfloat16":
        return _bfloat16()
    if not dtype.isnative:
        return BY_NUMPY.get(dtype.newbyteorder("="))
    return BY_NUMPY.get(np.dtype(dtype.type)) if dtype.kind in "iu" else None


def as_dtype(type_value: Any) -> DType:
    """The DType that `type_value` names.

    That is a DType, a name, a NumPy dtype or scalar type, or a Python number type.

    Raises TypeError for anything else.

    >>> rt.as_dtype("float32")
    tf.float32
    """
    if type(type_value) is DType:
        return type_value
    if hasattr(type(type_value), "to_dtype"):  # one of several, which the run chooses
        return type_value.to_dtype()  # type: ignore[no-any-return]
    found = _find(type_value)
    if found is None:
        inner = getattr(type_value, "dtype", None)
        found = _find(np.dtype(inner) if isinstance(inner, str) else inner)
    if found is None:
        raise TypeError(f"Cannot convert the argument {type_value!r} to a DType.")
    return found


def names(dtypes: Iterable[DType]) -> str:
    """The names of `dtypes`, for a message.

    >>> rt.dtypes.names([rt.int32, rt.bool])
    'int32, bool'
    """
    return ", ".join(dtype.name for dtype in dtypes)


if TYPE_CHECKING:
    bfloat16: DType
else:
    # Ops that TensorFlow has here too. They are built on this module, and looked up when asked for.
    _later, _ = attributes(
        __name__,
        {
            "runtime.ops.complex": "complex",
            "runtime.ops.math": "cast",
            "runtime.ops.casting": "saturate_cast",
        },
    )
    __dir__ = public(__name__, "bfloat16 cast complex saturate_cast")

    def __getattr__(name: str) -> Any:
        if name != "bfloat16":
            return _later(name)
        try:
            return _bfloat16()
        except ImportError as error:
            raise AttributeError(str(error), name=name) from None
