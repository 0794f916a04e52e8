"""The parts of objects, and their paths, written out only where they are shown."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, TypeAlias

from autograph.objects import MISSING

Style: TypeAlias = Callable[[Callable[[], str], Any], str]
Path: TypeAlias = "tuple[Path | None, Style, Any]"
Part: TypeAlias = tuple[Style, Any, Any]
Difference: TypeAlias = tuple[Style, Any, Any, Any]


def render(path: Path) -> str:
    """A path as the user would write it."""
    parent, style, key = path
    return style(lambda: "" if parent is None else render(parent), key)


def named(parent: Callable[[], str], key: Any) -> str:
    """`key`, wherever it was found."""
    return str(key)


def as_item(parent: Callable[[], str], key: Any) -> str:
    # The `repr` of an object of the user's would run code.
    shown = repr(key) if type(key) in ATOMS else f"<{type(key).__qualname__}>"
    return f"{parent()}[{shown}]"


def as_attribute(parent: Callable[[], str], key: Any) -> str:
    return f"{parent()}.{key}"


def as_itself(parent: Callable[[], str], key: Any) -> str:
    return parent()


def as_length(parent: Callable[[], str], key: Any) -> str:
    return f"len({parent()})"


ATOMS = frozenset({
    type(None), bool, int, float, complex, str, bytes, range, type(...),
    type(NotImplemented), CodeType, FunctionType, type(MISSING),
    type(str.join), type(str.__add__), property, classmethod, staticmethod,
})  # fmt: skip


NO_PARTS = ATOMS - {FunctionType}
"""The classes of values that lead no further."""
