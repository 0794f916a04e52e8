"""The comparisons that `@dataclass` writes: they have no source, but Python says what they do.

They compare tuples of the fields; `==` compares field by field from Python 3.13 on.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from autograph.operators.logical import and_, compare

_SIGNS = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
_BY_FIELD = sys.version_info >= (3, 13)


def comparison(cls: type, name: str, member: Any) -> Callable[..., Any] | None:
    """Returns what compares as a method that the decorator wrote; None for any other member.

    >>> Point = dataclasses.make_dataclass("Point", ["x"])
    >>> comparison(Point, "__eq__", Point.__eq__)(Point(1), Point(1))
    True
    """
    is_written = type(member) is FunctionType and member.__code__.co_filename == "<string>"
    if name not in _SIGNS or not is_written or "__dataclass_params__" not in vars(cls):
        return None
    fields = [field.name for field in dataclasses.fields(cls) if field.compare]
    if name == "__eq__" and _BY_FIELD:
        return partial(_equal, fields)
    return partial(_compared, fields, _SIGNS[name])


def _compared(fields: list[str], sign: str, one: Any, other: Any) -> Any:
    if other.__class__ is not one.__class__:
        return NotImplemented
    parts = [tuple([getattr(item, name) for name in fields]) for item in (one, other)]
    return compare(parts[0], sign, parts[1])


def _equal(fields: list[str], one: Any, other: Any) -> Any:
    if one is other:
        return True
    if other.__class__ is not one.__class__:
        return NotImplemented
    answers = [partial(_equal_in, name, one, other) for name in fields]
    return and_(answers[0](), *answers[1:]) if answers else True


def _equal_in(name: str, one: Any, other: Any) -> Any:
    return compare(getattr(one, name), "==", getattr(other, name))
