"""Mark the lists that a statement may grow: a backend may stage those.

>>> from autograph.pipeline import show
>>> print(show('growing_lists', '''
... def f(n):
...     squares = []
...     for i in range(n):
...         squares.append(i * i)
...     return squares
... '''))
def f(n):
    squares = ag.growing([])
    for i in range(n):
        squares.append(i * i)
    return squares

Marked is a list that is made where a name is assigned, if that name grows or shrinks in a control
statement, or in a function inside, that does not hold the assignment, or is given to a function of
the user's by name, which may grow it. Lists that are made elsewhere, such as attributes, are not.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

import gast

from autograph.context import Context
from autograph.quoting.builders import call_ag

_METHODS = frozenset(("append", "clear", "extend", "insert", "pop", "remove"))
_BLOCKS = (
    gast.If, gast.For, gast.While, gast.IfExp, gast.BoolOp, gast.FunctionDef,
    gast.AsyncFunctionDef, gast.Lambda,
)  # fmt: skip
_Path = frozenset[gast.AST]


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    nodes = list(_with_blocks(context.tree))
    grown: dict[str, set[_Path]] = {}
    for node, path in nodes:
        name = _grown(node)
        if name is not None:
            grown.setdefault(name, set()).add(path)
        for name in _given(node):
            grown.setdefault(name, set()).add(path | {node})
    if grown:
        _add_aliases(grown, [node for node, _ in nodes if isinstance(node, gast.Assign)])
        for node, path in nodes:
            _mark(node, path, grown)


def _add_aliases(grown: dict[str, set[_Path]], assignments: list[Any]) -> None:
    """A list may also grow under the names that it is given later."""
    pairs = [pair for node in assignments for pair in _pairs(node)]
    aliases = [(name, value.id) for name, value in pairs if isinstance(value, gast.Name)]
    pending = list(grown)
    while pending:
        alias = pending.pop()
        for name in [name for other, name in aliases if other == alias]:
            if not grown[alias] <= grown.setdefault(name, set()):
                grown[name] |= grown[alias]
                pending.append(name)


def _mark(node: Any, path: _Path, grown: dict[str, set[_Path]]) -> None:
    made = [
        value
        for name, value in _pairs(node)
        if _makes_list(value) and any(not blocks <= path for blocks in grown.get(name, ()))
    ]
    if made and node.value in made:
        node.value = _marked(node.value)
    elif made:
        node.value.elts = [_marked(x) if x in made else x for x in node.value.elts]


def _marked(value: gast.expr) -> gast.expr:
    return call_ag("growing", [value], value)


def _with_blocks(tree: gast.AST) -> Iterator[tuple[Any, _Path]]:
    """Every node, with the control statements and functions that it is in."""
    pending: list[tuple[gast.AST, _Path]] = [(tree, frozenset())]
    while pending:
        node, path = pending.pop()
        yield node, path
        inside = path | {node} if isinstance(node, _BLOCKS) else path
        pending.extend((child, inside) for child in gast.iter_child_nodes(node))


def _grown(node: gast.AST) -> str | None:
    """The name of which this may change the length."""
    match node:
        case gast.Attribute(value=gast.Name(id=name), attr=method):
            return name if method in _METHODS else None
        case gast.AugAssign(target=gast.Name(id=name), op=gast.Add() | gast.Mult()):
            return str(name)
        case gast.Assign(
            targets=[gast.Name(id=name)], value=gast.BinOp(left=gast.Name(id=left), op=gast.Add())
        ):
            return name if name == left else None
        case gast.Subscript(value=gast.Name(id=name), ctx=gast.Del()):
            return str(name)
        case gast.Subscript(value=gast.Name(id=name), slice=gast.Slice(), ctx=gast.Store()):
            return str(name)
    return None


def _given(node: gast.AST) -> Iterator[str]:
    """The lists that a function gets which may grow them."""
    match node:
        case gast.Call(func=gast.Name(id=function), args=args) if not hasattr(builtins, function):
            yield from (item.id for item in args if isinstance(item, gast.Name))
        case gast.Call(
            func=gast.Attribute(value=gast.Name(id="list")), args=[gast.Name() as item, *_]
        ):
            yield item.id
        case gast.Assign(value=gast.Attribute() as method):
            yield from filter(None, [_grown(method)])


def _pairs(node: gast.AST) -> Iterator[tuple[str, gast.expr]]:
    """The names that a statement assigns, each with what is assigned to it."""
    match node:
        case gast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _parts(target, value)
        case gast.AnnAssign(target=target, value=value) if value is not None:
            yield from _parts(target, value)


def _parts(target: Any, value: Any) -> Iterator[tuple[str, gast.expr]]:
    if isinstance(target, gast.Name):
        yield target.id, value
    elif isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple):
        for part, item in zip(target.elts, value.elts, strict=False):
            if isinstance(part, gast.Starred) or isinstance(item, gast.Starred):
                return
            yield from _parts(part, item)


def _makes_list(value: Any) -> bool:
    match value:
        case gast.List() | gast.ListComp() | gast.Call(func=gast.Name(id="list")):
            return True
    return False
