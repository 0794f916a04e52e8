"""Whether two paths leave one Python value."""

from __future__ import annotations

import types
from datetime import date, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Any

from runtime.staging.control.optional_values import is_undefined

_BY_VALUE = frozenset(
    (bool, int, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range)
)

VALUES = (Fraction, Decimal, date, time, timedelta, PurePath)
"""Classes of the standard library whose objects are values: their texts tell all of them."""
_OF_PYTHON = frozenset(each.__module__ for each in VALUES)


class Option:
    """The base of classes of ours of which the run may choose an object: equal ones are one."""

    __slots__ = ()


def same(a: Any, b: Any) -> bool:
    """True if the Python values are identical, or of one immutable type and equal (1, 1.0 and
    True all differ).
    """
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b):
        return False
    if kind in _BY_VALUE:
        return bool(a == b)
    if kind is float or kind is complex or is_value(kind):
        return repr(a) == repr(b)
    if is_undefined(a):
        return True
    if kind is slice:
        return same((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    if kind is tuple or kind is frozenset:
        return len(a) == len(b) and all(map(same, a, b)) if kind is tuple else a == b
    if kind is types.FunctionType:
        return _same_function(a, b)
    if isinstance(a, Option):
        return bool(a == b)
    return kind is types.MethodType and a.__self__ is b.__self__ and a.__func__ is b.__func__


def is_value(kind: type) -> bool:
    """True for a class whose objects are values: their texts tell all of them."""
    return issubclass(kind, VALUES) and kind.__module__ in _OF_PYTHON  # and no class of the user's


def _same_function(a: Any, b: Any) -> bool:
    # A def in a loop's body makes a new object each time that Python runs the body.
    if a.__code__ is not b.__code__ or a.__globals__ is not b.__globals__:
        return False
    return (
        _same_all(a.__defaults__, b.__defaults__)
        and a.__kwdefaults__ == b.__kwdefaults__ is None
        and a.__dict__ == b.__dict__ == {}
        and _same_all(_contents(a), _contents(b))
    )


def _same_all(a: Any, b: Any) -> bool:
    return a is b or (a is not None and b is not None and same(a, b))


def _contents(function: Any) -> tuple[Any, ...]:
    cells = function.__closure__ or ()
    return tuple([cell.cell_contents if _is_filled(cell) else _is_filled for cell in cells])


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
