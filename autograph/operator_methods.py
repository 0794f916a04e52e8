"""Python's operators by the names of the methods that classes write for them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

Function = Callable[..., Any]


def _by_method(functions: Iterable[Function]) -> dict[str, Function]:
    return {f"__{function.__name__.strip('_')}__": function for function in functions}


BINARY = _by_method((
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    divmod, operator.pow, operator.matmul, operator.and_, operator.or_, operator.xor,
    operator.lshift, operator.rshift,
))  # fmt: skip
"""Of two operands, but for comparisons: `__add__`."""

COMPARISONS = _by_method((
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
))  # fmt: skip

UNARY = _by_method((operator.neg, operator.pos, operator.abs, operator.invert))

IN_PLACE: dict[str, Function] = {
    name.replace("__", "__i", 1): getattr(operator, name.replace("__", "__i", 1))
    for name in BINARY
    if name != "__divmod__"
}
"""Of assignments: `__iadd__`."""

REFLECTED = {
    **{name: name.replace("__", "__r", 1) for name in BINARY},
    "__lt__": "__gt__",
    "__le__": "__ge__",
    "__gt__": "__lt__",
    "__ge__": "__le__",
    "__eq__": "__eq__",
    "__ne__": "__ne__",
}
"""By the method of the left operand that of the right one, which Python asks too."""

OF_THE_RIGHT = {REFLECTED[name]: name for name in BINARY}
"""By the method of the right operand, `__radd__`, that of the left one; not of comparisons."""
