"""The operators of variables, and the assignment of their slices."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any, NoReturn

import runtime.ops as ops
from runtime.core.tensor import Tensor
from runtime.variables.variable import Variable

# Operators


_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
_ORDER = "lt le gt ge eq ne"
_UNARY = "neg pos abs invert"


def _read(value: Any) -> Any:
    return value.value() if type(value) is Variable else value


def _forward(compute: Callable[[Any, Any], Any]) -> Callable[[Variable, Any], Any]:
    def method(self: Variable, other: Any) -> Any:
        return compute(self.value(), _read(other))

    return method


def _backward(compute: Callable[[Any, Any], Any]) -> Callable[[Variable, Any], Any]:
    def method(self: Variable, other: Any) -> Any:
        return compute(_read(other), self.value())

    return method


def _alone(compute: Callable[[Any], Any]) -> Callable[[Variable], Any]:
    def method(self: Variable) -> Any:
        return compute(self.value())

    return method


def _in_place(symbol: str) -> Callable[[Variable, Any], NoReturn]:
    def method(self: Variable, other: Any) -> NoReturn:
        raise RuntimeError(
            f"`variable {symbol}= value` with `tf.Variable`s is not supported. Use "
            "`variable.assign_add(value)` (or assign, assign_sub) to modify the variable, or "
            f"`out = variable {symbol} value` for a new tensor."
        )

    return method


def _attach(name: str, function: Any) -> None:
    function.__name__ = name
    function.__qualname__ = f"Variable.{name}"
    setattr(Variable, name, function)


def _attach_operators() -> None:
    for name in _BINARY.split():
        compute = getattr(operator, f"__{name}__")
        _attach(f"__{name}__", _forward(compute))
        _attach(f"__r{name}__", _backward(compute))
    _attach("__divmod__", _forward(divmod))
    _attach("__rdivmod__", _backward(divmod))
    _attach("__pow__", lambda self, *given: pow(self.value(), *map(_read, given)))
    for name in _ORDER.split():
        _attach(f"__{name}__", _forward(getattr(operator, name)))
    for function in (math.trunc, math.floor, math.ceil):
        _attach(f"__{function.__name__}__", _alone(function))
    for name in _UNARY.split():
        _attach(f"__{name}__", _alone(getattr(operator, name)))
    for name, symbol in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("pow", "**")):
        _attach(f"__i{name}__", _in_place(symbol))


_attach_operators()


# Slices of variables: v[1:].assign(x)


def _slice_method(name: str, combine: Callable[[Any, Any], Any]) -> property:
    def getter(self: Tensor) -> Callable[..., Variable]:
        owner = getattr(self, "_owner", None)
        if owner is None:
            raise AttributeError(
                f"'{type(self).__name__}' object has no attribute '{name}': tensors are values; "
                "a tf.Variable and its slices v[...] can be assigned"
            )
        return functools.partial(_assign_slice, owner, combine)

    return property(getter)


def _assign_slice(
    owner: tuple[Variable, Any],
    combine: Callable[[Any, Any], Any],
    value: Any,
    use_locking: bool = False,
    name: str | None = None,
    read_value: bool = True,
) -> Variable:
    variable, key = owner
    before = variable.value()
    part = combine(before[key], variable._operand(value))
    return variable.assign(ops.setitem(before, key, part))


def _second(before: Any, value: Any) -> Any:
    return value


for _name, _combine in (
    ("assign", _second), ("assign_add", operator.add), ("assign_sub", operator.sub)
):  # fmt: skip
    setattr(Tensor, _name, _slice_method(_name, _combine))
