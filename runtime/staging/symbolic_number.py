"""The Python number that only the run of the graph knows: its operators are Python's own."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from numbers import Number
from typing import Any, NoReturn, cast

import numpy as np

from runtime import dtypes
from runtime.core.convert import as_array, register_conversion
from runtime.core.primitive import Primitive
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.core.types import NumberType, TensorType, Type
from runtime.dtypes import DType
from runtime.graph import numbers
from runtime.graph.ir import format_location
from runtime.graph.nodes import FLOAT, NUMBER_TYPES, TO_TENSOR, WIDE_DTYPES
from runtime.staging.bytecode import changes_in_place, class_property, in_class_pattern
from runtime.staging.frames import user_location
from runtime.staging.lists.repetition import repeated
from runtime.staging.refusals import (
    AS_INDEX,
    AS_KEY,
    PRINTED,
    SAID,
    UNSUPPORTED,
    WAY_OUT,
    instead_of_numpy,
    not_python,
    refuse,
    refuse_text,
)
from runtime.staging.scopes import InScope, active

_INDEXED = "index a tensor with it, or a list that is made for a name of the function"


CLASSES = {"bool": bool, "int": int, "float": float}


class SymbolicNumber(InScope):
    """A Python int, float or bool that only the run of the graph knows; its operators are Python's
    own.

    Beside a tensor it takes the tensor's dtype, as a Python number does. Where a tensor is asked
    for without a partner it becomes int32, float32 or bool; as a result see `result_dtypes`.
    """

    __slots__ = ("__weakref__",)

    @property
    def type(self) -> NumberType:
        """Its kind."""
        return cast(NumberType, self.graph_value.type)

    @class_property
    def __class__(self) -> Any:
        """The class of the number, where a class pattern of `match` asks for it."""
        return CLASSES[self.type.kind] if in_class_pattern(sys._getframe(2)) else SymbolicNumber

    @property
    def real(self) -> Any:
        """Itself: Python's numbers are complex ones, too."""
        return apply_number(numbers.UNARY["pos"], self)

    @property
    def imag(self) -> float:
        """Zero."""
        return 0.0 if self.type.kind == "float" else 0

    @property
    def numerator(self) -> Any:
        """Itself, where it is whole: such numbers are fractions, too."""
        return self.real if self.type.kind != "float" else self.__getattr__("numerator")

    @property
    def denominator(self) -> Any:
        """One, where it is whole."""
        return 1 if self.type.kind != "float" else self.__getattr__("denominator")

    def __repr__(self) -> str:
        refuse_text(self)
        return self._shown()

    def _shown(self) -> str:
        return f"<staged {self.type.kind} {self.graph_value.name!r}>"

    def __bool__(self) -> NoReturn:
        raise not_python(self, "as a Python bool", WAY_OUT)

    def __int__(self) -> NoReturn:
        raise not_python(self, "as a Python int", "use it in arithmetic, or as a tensor")

    def __float__(self) -> NoReturn:
        raise not_python(self, "as a Python float", "use it in arithmetic, or as a tensor")

    def __index__(self) -> NoReturn:
        raise not_python(self, AS_INDEX, _INDEXED)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise not_python(self, "as a NumPy array", instead_of_numpy())

    def __getattr__(self, name: str) -> Any:
        method = numbers.METHODS[self.type.kind].get(name)
        if method is not None:
            return partial(apply_number, method, self)
        what = f"a staged {self.type.kind} has no attribute {name!r}"
        if not name.startswith("_") and hasattr(CLASSES[self.type.kind], name):
            raise refuse(f"{what}, as Python's numbers have", "compute with the number itself")
        # Asked for by classes' names too, to find out what an object is: no refusal to remember.
        # As of a symbolic tensor: what libraries ask for is worth no place.
        said = f"'{self.type.kind}' object has no attribute {name!r}"
        error = AttributeError(said, name=name, obj=self)
        if not name.startswith("_"):
            vars(error)[SAID] = (said,)
            error.args = (f"{format_location(user_location())}: {what}",)
        raise error

    def __hash__(self) -> int:
        raise not_python(self, AS_KEY, "use a tensor for the table")

    def __format__(self, spec: str) -> str:
        raise not_python(self, "in an f-string or format()", PRINTED)

    def __round__(self, ndigits: Any = None) -> Any:
        return (
            apply_number(numbers.ROUND, self)
            if ndigits is None
            else apply_number(numbers.ROUND_TO, self, ndigits)
        )

    def __divmod__(self, other: Any) -> Any:
        return _binary(numbers.BINARY["divmod"], self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return _binary(numbers.BINARY["divmod"], other, self)

    def __pow__(self, other: Any, modulo: Any = None) -> Any:
        if modulo is None:
            return _power(self, other)
        given = self, other, modulo
        if all(map(is_number, given)):
            return apply_number(numbers.POWER_MODULO, *given)
        return NotImplemented

    def __rpow__(self, other: Any) -> Any:
        return _power(other, self)

    def __matmul__(self, other: Any) -> Any:
        return _unsupported(self)

    __rmatmul__ = __matmul__

    def __mul__(self, other: Any) -> Any:
        made = repeated(other, self)
        return _binary(numbers.BINARY["mul"], self, other) if made is NotImplemented else made

    def __rmul__(self, other: Any) -> Any:
        made = repeated(other, self, changes_in_place(sys._getframe(1)))
        return _binary(numbers.BINARY["mul"], other, self) if made is NotImplemented else made

    def __trunc__(self) -> Any:
        return self if self.type.kind == "int" else apply_number(numbers.TO_INT, self)


def is_number(item: object) -> bool:
    """True for a Python number or a staged one. Those may meet in Python's arithmetic."""
    return type(item) is SymbolicNumber or isinstance(item, int | float)


def number_type(item: Any) -> NumberType:
    """The kind of a Python number or a staged one."""
    return item.type if type(item) is SymbolicNumber else NUMBER_TYPES[type(item)]


def apply_number(primitive: Primitive, *items: Any) -> Any:
    """Stage a row of numbers on Python numbers and staged ones."""
    trace = active(*items)
    values = tuple([trace.value_of(_plain(item)) for item in items])
    try:
        return trace.apply(primitive, values)
    except TypeError as error:
        raise no_int(error) from None


def note_meeting_float() -> None:
    """Note that an int becomes a float where it meets one."""
    trace = state.trace
    while trace is not None:
        trace.meets_floats = True
        trace = trace.outer


def check_known_kinds(kind: str, other: str) -> None:
    """StagingError where numbers of two kinds meet in a loop that may be written out: Python knows
    there of which kind each one is.
    """
    trace = state.trace
    if trace is not None and trace.knows_kinds:
        raise refuse(
            f"Python's {kind} meets a {other}, of which the graph makes one kind",
            "have numbers of one kind in all rounds",
        )


def no_int(error: TypeError) -> Exception:
    """The error of a float where Python takes an int: a StagingError where it may be an int that
    has met a float, of which Python raises nothing.
    """
    if state.trace is None or not state.trace.meets_floats:
        return error
    return refuse(
        f"{error}; to Python it may be an int, which is a float where it has met one",
        "have an int there on each path, or write int(...) here",
    )


def _plain(item: Any) -> Any:
    # NumPy's float64 is a Python float by class; the graph knows Python's own kinds.
    if type(item) in NUMBER_TYPES or type(item) is SymbolicNumber:
        return item
    return float(item) if isinstance(item, float) else int(item)


def _binary(primitive: Primitive, a: Any, b: Any) -> Any:
    if is_number(a) and is_number(b):
        return apply_number(primitive, a, b)
    number, other = (a, b) if type(a) is SymbolicNumber else (b, a)
    if isinstance(other, np.generic | np.ndarray):
        return NotImplemented  # NumPy asks `__array_ufunc__`
    if isinstance(other, Number) and not isinstance(other, Tensor):
        raise refuse(
            f"a {type(other).__name__} meets a staged {number.type.kind}, and the graph has ints, "
            "floats and tensors",
            "make a float of it (float(...)), or a tensor where it is complex",
        )
    return _unsupported(number)


def _unsupported(number: SymbolicNumber) -> Any:
    """NotImplemented, of which Python makes an error with the class of the number in its text."""
    active().memo[UNSUPPORTED] = number.type.kind
    return NotImplemented


_OPERATORS: dict[Primitive, Callable[[Any, Any], Any]] = {
    row: divmod if name == "divmod" else getattr(operator, f"__{name}__")
    for name, row in numbers.BINARY.items()
}


def _power(base: Any, exponent: Any) -> Any:
    negative = isinstance(exponent, int) and exponent < 0
    is_staged = type(exponent) is SymbolicNumber and is_number(base)
    if (
        is_staged
        and active(base, exponent).tentative
        and FLOAT not in map(number_type, (base, exponent))
    ):
        raise refuse(
            "an int has a power of which the run may find the exponent negative",
            "write float(base) ** exponent",
        )
    return _binary(numbers.FLOAT_POWER if negative else numbers.BINARY["pow"], base, exponent)


def _operators() -> None:
    for name, primitive in numbers.BINARY.items():
        if name not in ("divmod", "pow", "mul"):
            _install_binary(name, primitive)
    for name, primitive in numbers.UNARY.items():
        setattr(SymbolicNumber, f"__{name}__", _unary_method(primitive))
    for name in ("floor", "ceil"):
        row = numbers.MATH[getattr(math, name)]
        setattr(SymbolicNumber, f"__{name}__", _unary_method(row))


def _install_binary(name: str, primitive: Primitive) -> None:
    def forward(self: SymbolicNumber, other: Any) -> Any:
        return _binary(primitive, self, other)

    def backward(self: SymbolicNumber, other: Any) -> Any:
        return _binary(primitive, other, self)

    setattr(SymbolicNumber, f"__{name}__", forward)
    if name not in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(SymbolicNumber, f"__r{name}__", backward)


def _unary_method(primitive: Primitive) -> Any:
    def method(self: SymbolicNumber) -> Any:
        return apply_number(primitive, self)

    return method


_operators()

_SAMPLES: dict[str, float] = {"bool": True, "int": 1, "float": 1.0}
DEFAULT_DTYPES = {"bool": dtypes.bool, "int": dtypes.int32, "float": dtypes.float32}
_WIDE = dtypes.int64, dtypes.uint64, dtypes.float64


def result_dtypes(types: Iterable[Type]) -> Mapping[str, DType]:
    """The dtypes, by kind, with which Python numbers of the graph leave a call of such arguments.

    These have the 64 bits of Python's where an argument has them; else they are as constants.
    """
    wide = any(isinstance(each, TensorType) and each.dtype in _WIDE for each in types)
    return WIDE_DTYPES if wide else DEFAULT_DTYPES


@cache
def convertible(kind: str, dtype: DType) -> bool:
    """True if a Python number of this kind may become a tensor of this dtype. Asked of the eager
    conversion.
    """
    try:
        as_array(_SAMPLES[kind], dtype)
    except TypeError:
        return False
    return True


def dtypes_beside(dtype: DType | None) -> Mapping[str, DType]:
    """The dtypes, by kind, of Python numbers in a tensor: this one where they can have it."""
    if dtype is None:
        return DEFAULT_DTYPES
    kinds = DEFAULT_DTYPES.items()
    return {kind: dtype if convertible(kind, dtype) else default for kind, default in kinds}


def number_to_tensor(number: SymbolicNumber, dtype: DType | None = None) -> Any:
    """The tensor of a staged number: with the dtype asked for, else int32, float32 or bool.

    A value that does not fit raises at run time. Raises TypeError for a dtype that such a number
    cannot have.
    """
    kind = number.type.kind
    dtype = dtype or DEFAULT_DTYPES[kind]
    if not convertible(kind, dtype):
        raise TypeError(
            f"Cannot convert a staged Python {kind} to a tensor of dtype {dtype.name}: "
            "cast one of the two operands"
        )
    trace = active(number)
    return trace.apply(TO_TENSOR, (trace.value_of(number),), {"dtype": dtype})


register_conversion(SymbolicNumber, number_to_tensor)
