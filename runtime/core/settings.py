"""The functions that change settings of the process, which a staged block would do once."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_changing: set[Any] = set()


def changes_settings(function: F) -> F:
    """Mark a function, or a class by its call, as one that changes settings of the process."""
    _changing.add(function)
    return function


def is_setter(function: Any) -> bool:
    """True for a function that is marked so, also as a method."""
    function = getattr(function, "__func__", function)
    return isinstance(function, type | FunctionType) and function in _changing
