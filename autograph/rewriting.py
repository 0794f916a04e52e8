"""Rewriting expressions and statements, bottom up, by node type.

Left alone is what is not evaluated when the function runs (annotations, decorators and defaults of
the converted function itself), what a pattern needs as it is, and class bodies: a lambda would not
see a class's names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import gast

from autograph.analysis.scopes import own_nodes, suspends

Rule = Callable[[Any], Any]
Rules = Mapping[type[gast.AST], Rule]

_SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
_SKIPPED = {"annotation", "ctx", "op", "ops", "pattern", "returns", "type_params", "decorator_list"}


def rewrite(tree: Any, rules: Rules) -> None:
    """Apply rules in place to everything in the body of a function.

    A rule gets a node whose children are rewritten already and returns what stands in its place: an
    expression; for a statement, a statement or a list of them.
    """
    _Rewriter(rules).field(tree, "body")


def rewrite_own(function: Any, rules: Rules, blocks: Collection[int] = ()) -> None:
    """As `rewrite`, without entering nested functions and lambdas, but for `blocks` (ids)."""
    _Rewriter(rules, blocks).field(function, "body")


def is_ag(node: Any, ag: str) -> bool:
    """Whether an expression is `ag.something`."""
    return (
        isinstance(node, gast.Attribute)
        and isinstance(node.value, gast.Name)
        and node.value.id == ag
    )


class _Rewriter:
    def __init__(self, rules: Rules, blocks: Collection[int] | None = None) -> None:
        self.rules = rules
        self.blocks = blocks

    def visit(self, node: Any) -> Any:
        cls = type(node)
        if cls is gast.ClassDef:
            self.class_(node)
        elif self.blocks is None or cls not in _SCOPES or id(node) in self.blocks:
            for name in _fields(cls):
                self.field(node, name)
        rule = self.rules.get(cls)
        return node if rule is None else rule(node)

    def field(self, node: Any, name: str) -> None:
        value = getattr(node, name)
        if isinstance(value, gast.AST):
            setattr(node, name, self.visit(value))
        elif isinstance(value, list):
            setattr(node, name, self.list_(value))

    def list_(self, values: list[Any]) -> list[Any]:
        made = []
        for value in values:
            new = self.visit(value) if isinstance(value, gast.AST) else value
            if isinstance(new, list):
                made.extend(new)
            else:
                made.append(new)
        return made

    def class_(self, node: gast.ClassDef) -> None:
        if self.blocks is not None:
            return
        for statement in node.body:
            if isinstance(statement, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef):
                self.visit(statement)


_cache: dict[type, tuple[str, ...]] = {}


def _fields(cls: type[gast.AST]) -> tuple[str, ...]:
    if cls not in _cache:
        _cache[cls] = tuple(name for name in cls._fields if name not in _SKIPPED)
    return _cache[cls]


def fits_lambda(node: gast.expr) -> bool:
    """Whether an expression means the same inside a lambda: it binds nothing and does not suspend."""
    return not suspends(node) and not any(
        isinstance(part, gast.NamedExpr) for part in own_nodes(node)
    )
