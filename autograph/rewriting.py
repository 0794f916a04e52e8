"""Rewriting trees in place, bottom up, by node type.

`rewrite` goes through everything that a function evaluates. Left alone is what is not evaluated
when it runs (annotations; decorators and defaults of the converted function itself), what a pattern
needs as it is, and class bodies, with the decorators and defaults of methods: a lambda would not
see a class's names. `rewrite_statements` goes through one function's own statements only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import gast

from autograph.analysis.scopes import FUNCTIONS, own_nodes, suspends

Rule = Callable[[Any], Any]
Rules = Mapping[type[gast.AST], Rule]

_SKIPPED = {
    "annotation", "ctx", "op", "ops", "pattern", "returns", "type_params", "type_comment",
    "id", "attr", "kind", "conversion", "simple", "arg",
}  # fmt: skip
_LEAVES = (gast.Name, gast.Constant, gast.Pass, gast.Global, gast.Nonlocal)


def rewrite(tree: Any, rules: Rules) -> None:
    """Apply rules to everything in the body of a function, nested functions too.

    A rule gets a node whose children are rewritten already and returns what stands in its place: an
    expression; for a statement, a statement or a list of them.
    """
    tree.body = _list(tree.body, rules)


def rewrite_statements(function: Any, rules: Rules, blocks: Collection[int] = ()) -> None:
    """As `rewrite`, for a function's own statements; of nested functions, only `blocks` (ids)."""
    function.body = _statements(function.body, rules, blocks)


def replace_reads(tree: Any, replace: Callable[[Any], Any]) -> None:
    """Apply `replace` to every name that is read, wherever in a tree, but in patterns."""
    pending = [tree]
    while pending:
        node = pending.pop()
        for field, value in vars(node).items():
            if value.__class__ is list:
                pending += [
                    item for item in value if isinstance(item, gast.AST) and not _is_read(item)
                ]
                value[:] = [replace(item) if _is_read(item) else item for item in value]
            elif _is_read(value):
                setattr(node, field, replace(value))
            elif isinstance(value, gast.AST) and field != "pattern":
                pending.append(value)


def _is_read(node: Any) -> bool:
    return isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load)


def fits_lambda(node: gast.expr) -> bool:
    """Whether an expression means the same in a lambda: it binds nothing and does not suspend."""
    if isinstance(node, gast.Name | gast.Constant):
        return True
    return not suspends(node) and not any(
        isinstance(part, gast.NamedExpr) for part in own_nodes(node)
    )


def _visit(node: Any, rules: Rules) -> Any:
    cls = type(node)
    if cls not in _LEAVES:
        if cls is gast.ClassDef:
            node.decorator_list = _list(node.decorator_list, rules)
            _methods(node, rules)
        else:
            _children(node, cls, rules)
    rule = rules.get(cls)
    return node if rule is None else rule(node)


def _children(node: Any, cls: type[gast.AST], rules: Rules) -> None:
    fields = vars(node)
    for name in _fields(cls):
        value = fields.get(name)
        if value.__class__ is list:
            if value:
                fields[name] = _list(value, rules)
        elif isinstance(value, gast.AST):
            fields[name] = _visit(value, rules)


def _list(values: list[Any], rules: Rules) -> list[Any]:
    made: list[Any] = []
    for value in values:
        new = _visit(value, rules) if isinstance(value, gast.AST) else value
        if new.__class__ is list:
            made.extend(new)
        else:
            made.append(new)
    return made


def _methods(node: gast.ClassDef, rules: Rules) -> None:
    for statement in node.body:
        if isinstance(statement, gast.ClassDef):
            _methods(statement, rules)
        elif isinstance(statement, FUNCTIONS):
            rewrite(statement, rules)


def _statements(statements: list[Any], rules: Rules, blocks: Collection[int]) -> list[Any]:
    made: list[Any] = []
    for statement in statements:
        for part in _bodies(statement, blocks):
            for name in ("body", "orelse", "finalbody"):
                inner = getattr(part, name, None)
                if inner:
                    setattr(part, name, _statements(inner, rules, blocks))
        rule = rules.get(type(statement))
        new = statement if rule is None else rule(statement)
        if new.__class__ is list:
            made.extend(new)
        else:
            made.append(new)
    return made


def _bodies(node: Any, blocks: Collection[int]) -> list[Any]:
    """The parts of a statement that hold lists of statements."""
    match node:
        case gast.ClassDef():
            return []
        case gast.FunctionDef() | gast.AsyncFunctionDef():
            return [node] if id(node) in blocks else []
        case gast.Try() | gast.TryStar():
            return [node, *node.handlers]
        case gast.Match():
            return list(node.cases)
    return [node]


_cache: dict[type, tuple[str, ...]] = {}


def _fields(cls: type[gast.AST]) -> tuple[str, ...]:
    found = _cache.get(cls)
    if found is None:
        found = _cache[cls] = tuple(name for name in cls._fields if name not in _SKIPPED)
    return found
