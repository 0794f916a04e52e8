"""Python's operators on tensors: one table, with a shortcut for eager ones."""

from __future__ import annotations

import operator
from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import conversion_of, convert_to_tensor
from runtime.core.primitive import COMPLEX, FLOATS, NUMBERS, REALS, TABLE
from runtime.core.shapes import broadcast
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor
from runtime.core.types import NumberType, is_variable
from runtime.ops import comparison, indexing, linalg, math
from runtime.ops.blockwise import MANY

Accepted = frozenset[np.dtype[Any]]

# Which dtypes a Python number takes beside a tensor: nothing but range and precision may be lost.
_WEAK: dict[type, Accepted] = {int: NUMBERS, float: FLOATS | COMPLEX, complex: COMPLEX}
_INEXACT = FLOATS | COMPLEX

# Not made anew at each use.
_OPERANDS = (Tensor, np.ndarray, np.generic, list, tuple)
_PLAIN = (int, float, complex, str, bytes)


def _foreign(other: Any, reflected: str) -> bool:
    """Whether the other operand's class should deal with it; not with arrays of other libraries,
    which become tensors.
    """
    kind = type(other)
    if isinstance(other, _OPERANDS):
        return False
    return getattr(kind, "decides_operators", False) or (
        conversion_of(kind) is None
        and not hasattr(kind, "__array__")
        and hasattr(kind, reflected)
        and not isinstance(other, _PLAIN)
    )


_COMPARISONS = frozenset((
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
))  # fmt: skip


_OF_BITS = frozenset((
    operator.__and__, operator.__or__, operator.__xor__, operator.__lshift__, operator.__rshift__,
))  # fmt: skip


_KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}
_EXACT = {"float": dtypes.float64, "complex": dtypes.complex128}
"""The dtypes of which a scalar is Python's number."""


def _python_kind(value: Any) -> str | None:
    """The kind of a Python number, of a staged one, or of the one that a scalar stands for."""
    if isinstance(value, bool | int | float | complex):
        return "float" if isinstance(value, float) else type(value).__name__
    if isinstance(value, Tensor):
        dtype = value.dtype
        kind = _KINDS.get(dtype.kind) if value.static_shape == () else None
        return None if kind is not None and _EXACT.get(kind, dtype) is not dtype else kind
    kind = getattr(value, "type", None)
    return kind.kind if isinstance(kind, NumberType) else None


def _beside_numbers(function: Any, operation: Any) -> Any:
    """`function`, beside a number that the dtype of a scalar cannot hold, be it Python's or a
    scalar: an integer beside a float becomes the float that `/` makes of it, and is compared
    exactly; a truth value beside an integer is 0 or 1.
    """

    def applied(x: Any, y: Any) -> Any:
        try:
            return function(x, y)
        except TypeError:
            if operation is None:
                raise
            a, b = _lifted(x, y, operation), _lifted(y, x, operation)
            if a is x and b is y:
                raise
        except errors.InvalidArgumentError:
            if operation in _COMPARISONS and _is_beyond(x, y):
                return ops.fill(ops.shape(x), operation(0, y))
            raise
        a, b = (float(n) if isinstance(n, np.float64) else n for n in (a, b))
        made = operation(a, b)
        if isinstance(made, bool | int | float):
            return convert_to_tensor(made, dtypes.float64 if isinstance(made, float) else None)
        return made

    return applied


def _is_beyond(tensor: Any, number: Any) -> bool:
    """Whether a Python int is larger, or less, than all that a tensor of integers can hold."""
    if type(number) is not int or not isinstance(tensor, Tensor) or not tensor.dtype.is_integer:
        return False
    return not tensor.dtype.min <= number <= tensor.dtype.max


def _lifted(given: Any, other: Any, operation: Any) -> Any:
    """A scalar as Python has it beside the other number; as it is where that is no number."""
    kind = _python_kind(other)
    own = _python_kind(given) if isinstance(given, Tensor) else None
    if own is None or kind is None or own == kind != "bool":
        return given
    if operation in _OF_BITS and not {own, kind} <= {"bool", "int"}:
        return given
    if "complex" in (own, kind):
        lifts = own != "complex" and operation not in _COMPARISONS
        return math.cast(given, dtypes.complex128) if lifts else given
    if operation in _COMPARISONS or (own == "bool" and kind != "float"):
        return given._as_number()
    if kind == "float":
        return math.cast(given, dtypes.float64) if own == "bool" else math.as_fraction(given)
    return given


def _general(function: Any, reflected: str, operation: Any) -> tuple[Any, Any]:
    """The two methods of a binary operator for tensors of any kind."""
    function = _beside_numbers(function, operation)

    def forward(self: Tensor, other: Any) -> Any:
        return NotImplemented if _foreign(other, reflected) else function(self, other)

    def backward(self: Tensor, other: Any) -> Any:
        return function(other, self)

    return forward, backward


def _shortcut(
    compute: Callable[[Any, Any], Any], accepted: Accepted, general: Any, op: str,
    divisible: Accepted = frozenset(), few: bool = False,
) -> Any:  # fmt: skip
    """The method for eager tensors: computed at once if dtypes agree and at most tapes record.

    `operator` functions are used because they are much faster than ufuncs on NumPy scalars.
    `divisible` dtypes may go the short way as well before a number other than 0. With `few`, many
    elements are left to the kernel, which has a faster way.
    """
    before = {kind: dtypes_ & (accepted | divisible) for kind, dtypes_ in _WEAK.items()}
    divides = bool(divisible)
    before_kind = before.get
    none: Accepted = frozenset()
    local, eager = state, EagerTensor
    primitive = TABLE[op]

    def forward(self: EagerTensor, other: Any) -> Any:
        tape, run = None, local.run
        if run is None:
            tape = local.tape
            if tape is None:
                return general(self, other)
            run = local.quiet
        a = self.raw
        try:
            if type(other) is eager:
                b = other.raw
                dtype = a.dtype
                if (
                    b.dtype is dtype
                    and dtype in accepted
                    and not (few and (a.size >= MANY or b.size >= MANY))
                ):
                    if tape is None:
                        return eager(run(compute, a, b))
                    return tape.pair(primitive, self, other, run(compute, a, b))
            elif a.dtype in before_kind(type(other), none) and (
                not few or (a.size < MANY and (other or not divides))
            ):
                if tape is None:
                    return eager(run(compute, a, other))
                return tape.number(primitive, self, other, False, run(compute, a, other))
        except (ValueError, OverflowError, RuntimeError):
            pass  # the general method computes it again, and explains
        if is_variable(other):
            return NotImplemented  # the variable's own operator reads it and comes back here
        return general(self, other)

    return forward


def _swapped_shortcut(
    compute: Callable[[Any, Any], Any], accepted: Accepted, general: Any, op: str,
    few: bool = False,
) -> Any:  # fmt: skip
    """The reflected method for eager tensors: at once behind a Python number."""
    of_kind = {kind: dtypes_ & accepted for kind, dtypes_ in _WEAK.items()}.get
    none: Accepted = frozenset()
    local, eager = state, EagerTensor
    primitive = TABLE[op]

    def backward(self: EagerTensor, other: Any) -> Any:
        tape, run = None, local.run
        if run is None:
            tape = local.tape
            if tape is None:
                return general(self, other)
            run = local.quiet
        a = self.raw
        if a.dtype in of_kind(type(other), none) and not (few and a.size >= MANY):
            try:
                if tape is None:
                    return eager(run(compute, other, a))
                return tape.number(primitive, self, other, True, run(compute, other, a))
            except (ValueError, OverflowError, RuntimeError):
                pass  # the general method computes it again, and explains
        return general(self, other)

    return backward


def _both(boolean: Any, integer: Any) -> Any:
    """A logical operator on truth values that works on the bits of integers."""

    def function(x: Any, y: Any) -> Tensor:
        tensor = x if isinstance(x, Tensor) else y
        made: Tensor = (boolean if tensor.dtype.is_bool else integer)(x, y)
        return made

    return function


def _power_of_few(x: Any, y: Any) -> Any:
    """x ** y, of which one is an array or a scalar of NumPy's: those of scalars take no roots."""
    if isinstance(x, np.ndarray):
        return x**y if type(y) in _PLAIN and y != 0.5 else math.power(x, y)
    return math.power(y.dtype.type(x), y) if isinstance(y, np.ndarray) else x**y


# name, public function, operator for the shortcut (None: none) and the dtypes it is right for.
# Integer division checks for zero or converts, so that mostly floats go the short way.
_ARITHMETIC: tuple[tuple[str, Any, Any, Accepted], ...] = (
    ("add", math.add, operator.add, NUMBERS),
    ("sub", math.subtract, operator.sub, NUMBERS),
    ("mul", math.multiply, operator.mul, NUMBERS),
    ("truediv", math.truediv, operator.truediv, _INEXACT),
    ("floordiv", math.floordiv, operator.floordiv, FLOATS),
    ("mod", math.floormod, operator.mod, FLOATS),
    ("pow", math.pow, _power_of_few, REALS - {dtypes.float16.np_dtype}),
    ("and", _both(comparison.logical_and, comparison.bitwise_and), None, NUMBERS),
    ("or", _both(comparison.logical_or, comparison.bitwise_or), None, NUMBERS),
    ("xor", _both(comparison.logical_xor, comparison.bitwise_xor), None, NUMBERS),
    ("lshift", comparison.lshift, None, NUMBERS),
    ("rshift", comparison.rshift, None, NUMBERS),
)
_ORDER: tuple[tuple[str, Any, Any, str], ...] = (
    ("lt", comparison.less, operator.lt, "__gt__"),
    ("le", comparison.less_equal, operator.le, "__ge__"),
    ("gt", comparison.greater, operator.gt, "__lt__"),
    ("ge", comparison.greater_equal, operator.ge, "__le__"),
)


def _never_equal(tensor: Tensor, other: Any) -> bool:
    """Whether it is text beside a tensor of numbers, or an object that no tensor can be made of; or
    a list or tuple with such items.
    """
    if isinstance(other, str | bytes):
        return tensor.dtype is not dtypes.string
    if isinstance(other, list | tuple):
        return any(item is None or _never_equal(tensor, item) for item in other)
    if isinstance(other, Number):  # a Fraction or Decimal may be as much
        return False
    return not isinstance(other, (*_OPERANDS, *_PLAIN)) and conversion_of(type(other)) is None


def _equality(function: Any, unequal: bool, operation: Any) -> Any:
    function = _beside_numbers(function, operation)

    def method(self: Tensor, other: Any) -> Any:
        if other is None:
            return unequal
        if getattr(other, "decides_operators", False) or hasattr(other, "_is_text_of_run"):
            return NotImplemented  # its own operator asks first what it is
        # No `except` is for shapes that do not broadcast: eagerly they are unequal.
        compared = function if state.trace is None else state.trace.surely(function)
        try:
            return compared(self, other)
        except errors.WrongDtypeError:
            if _never_equal(self, other):
                return NotImplemented  # Python asks the other side, and then takes them as unequal
            raise
        except errors.InvalidArgumentError:
            if not isinstance(other, Tensor) or other.dtype is self.dtype:
                return convert_to_tensor(unequal)  # shapes that do not broadcast
            raise
        except ValueError:  # of a list with rows of several lengths, for one
            if _may_broadcast(self, other):
                raise
            return convert_to_tensor(unequal)

    return method


def _may_broadcast(x: Tensor, other: Any) -> bool:
    try:
        broadcast(x.static_shape, convert_to_tensor(other, dtype_hint=x.dtype).static_shape)
    except ValueError:
        return False
    return True


def _matmul(self: EagerTensor, other: Any) -> Any:
    if state.run is not None and type(other) is EagerTensor:
        a, b = self.raw, other.raw
        dtype = a.dtype
        if dtype is b.dtype and dtype in linalg.BY_BLAS and a.ndim == 2 and b.ndim == 2:
            try:
                return EagerTensor(state.run(linalg.dot, a, b))
            except ValueError:
                pass  # the general method computes it again, and explains
    return _MATMUL[0](self, other)


_MATMUL = _general(linalg.matmul, "__rmatmul__", None)


def _invert(self: Tensor) -> Tensor:
    return comparison.logical_not(self) if self.dtype.is_bool else comparison.invert(self)


def _unary(function: Any, operation: Any) -> Any:
    """The method of an operator that makes a number of a truth value, as Python does."""

    def method(self: Tensor) -> Any:
        if not self.dtype.is_bool or self.static_shape != ():
            return function(self)
        made = operation(self._as_number())
        return convert_to_tensor(made) if isinstance(made, int) else made

    return method


_POSITIVE = _unary(lambda self: ops.identity(self), operator.pos)
_NEGATIVE = _unary(lambda self: math.negative(self), operator.neg)
_ABSOLUTE = _unary(lambda self: math.abs(self), operator.abs)
_NEG = TABLE["neg"]


def _negative(self: EagerTensor) -> Tensor:
    run, raw = state.run, self.raw
    if raw.dtype in NUMBERS:
        if run is not None:
            return EagerTensor(run(operator.neg, raw))
        if state.tape is not None:
            return state.tape.single(_NEG, self, state.quiet(operator.neg, raw))  # type: ignore[no-any-return]
    return _NEGATIVE(self)  # type: ignore[no-any-return]


def attach(method: str, general: Any, shortcut: Any) -> None:
    """Give all tensors the method `general`, eager ones `shortcut`."""
    for cls, function in ((Tensor, general), (EagerTensor, shortcut)):
        function.__name__ = method
        function.__qualname__ = f"{cls.__name__}.{method}"
        setattr(cls, method, function)


def _attach_all() -> None:
    for name, function, compute, accepted in _ARITHMETIC:
        reflected, method = f"__r{name}__", f"__{name}__"
        forward, backward = _general(function, reflected, getattr(operator, method))
        short, short_back = forward, backward
        if compute is not None:
            op = "div" if name == "truediv" else name
            divisible = REALS if name in ("floordiv", "mod") else frozenset()
            few = name in ("floordiv", "mod", "pow")
            short = _shortcut(compute, accepted, forward, op, divisible, few)
            short_back = _swapped_shortcut(compute, accepted, backward, op, few)
        attach(method, forward, short)
        attach(reflected, backward, short_back)
    for name, function, compute, reflected in _ORDER:
        forward, _ = _general(function, reflected, compute)
        attach(f"__{name}__", forward, _shortcut(compute, REALS, forward, function.__name__))
    _attach_equality()


def _attach_equality() -> None:
    every = NUMBERS | {dtypes.bool.np_dtype}
    for name, function, compute in (
        ("eq", comparison.equal, operator.eq),
        ("ne", comparison.not_equal, operator.ne),
    ):
        general = _equality(function, name == "ne", compute)
        attach(f"__{name}__", general, _shortcut(compute, every, general, function.__name__))


def _divmod(self: Tensor, other: Any) -> Any:
    return NotImplemented if _foreign(other, "__rdivmod__") else (self // other, self % other)


def _rdivmod(self: Tensor, other: Any) -> tuple[Tensor, Tensor]:
    return other // self, other % self


def _power(binary: Any) -> Any:
    def power(self: Tensor, other: Any, modulo: Any = None) -> Any:
        return binary(self, other) if modulo is None else ops.power_modulo(self, other, modulo)

    return power


_attach_all()
attach("__pow__", _power(Tensor.__pow__), _power(EagerTensor.__pow__))
attach("__neg__", _NEGATIVE, _negative)
attach("__pos__", _POSITIVE, _POSITIVE)
attach("__abs__", _ABSOLUTE, _ABSOLUTE)
attach("__matmul__", _MATMUL[0], _matmul)
attach("__rmatmul__", _MATMUL[1], _MATMUL[1])
attach("__divmod__", _divmod, _divmod)
attach("__rdivmod__", _rdivmod, _rdivmod)
attach("__invert__", _invert, _invert)
attach("__getitem__", indexing.getitem, indexing.fast_getitem)
