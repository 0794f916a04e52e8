"""The functions that change settings of the process, or files, which a staged block would do once;
and those whose answers about files are guarded.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_effects: dict[Any, str] = {}


def changes_settings(function: F) -> F:
    """Mark a function, or a class by its call, as one that changes settings of the process."""
    _effects[function] = "changes settings"
    return function


def changes_files(function: F) -> F:
    """Mark one that changes files or folders, or opens them."""
    _effects[function] = "reads or writes files"
    return function


def asks_of_files(function: F) -> F:
    """Mark one that tells whether a file or folder is there."""
    questions.add(function)
    return function


questions: set[Any] = set()
"""The functions that tell so, whose answers are guarded."""


def effect_of(function: Any) -> str | None:
    """The effect of a marked function, also as a method; None for others."""
    function = getattr(function, "__func__", function)
    return _effects.get(function) if isinstance(function, type | FunctionType) else None
