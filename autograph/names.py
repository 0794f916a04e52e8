"""Names: which ones a tree uses, and new ones that clash with none of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any

import gast

from autograph.trees import walk


class Namer:
    """Gives names that the user does not use.

    Args:
        reserved: names that are never given.
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(reserved)

    def available(self, base: str) -> str:
        """`base`, or `base` with the smallest suffix from `_2` on that makes it free."""
        if base not in self._taken:
            return base
        return next(name for n in count(2) if (name := f"{base}_{n}") not in self._taken)

    def fresh(self, base: str) -> str:
        """As `available`, and never given again."""
        name = self.available(base)
        self._taken.add(name)
        return name


def names_in(tree: gast.AST) -> set[str]:
    """Every identifier that is bound or read somewhere in a gast tree.

    Attributes and keyword arguments are not names. Nested scopes are included.
    """
    names: set[str] = set()
    for node in walk(tree):
        names_of = _NAMES.get(type(node))
        if names_of is not None:
            names.update(names_of(node))
    return names


def _name(node: gast.AST) -> Iterable[str]:
    # A match capture without a name (`_`, `*_`) and a type alias (whose name is a node) have none.
    return (node.name,) if isinstance(node.name, str) else ()


def _alias(node: gast.AST) -> Iterator[str]:
    name = node.asname or node.name.partition(".")[0]
    if name != "*":
        yield name


_NAMES: dict[type[gast.AST], Callable[[Any], Iterable[str]]] = {
    gast.Name: lambda node: (node.id,),
    gast.FunctionDef: _name,
    gast.AsyncFunctionDef: _name,
    gast.ClassDef: _name,
    gast.Global: lambda node: node.names,
    gast.Nonlocal: lambda node: node.names,
    gast.alias: _alias,
    gast.MatchAs: _name,
    gast.MatchStar: _name,
    gast.MatchMapping: lambda node: (node.rest,) if node.rest else (),
    gast.TypeVar: _name,
    gast.ParamSpec: _name,
    gast.TypeVarTuple: _name,
}
