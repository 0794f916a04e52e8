"""Templates: scaffolding written as Python source, in which some of the names are *holes*.

    quote("if not flag: body", at=node, flag="did_break", body=node.body)

A hole that is a statement takes a list of statements; a block that is left without any gets a
`pass`. Any other hole takes an expression, or the identifier (`str`) of another name. Nodes of the
template take the position of `at` (the header's, if that is a compound statement); what is given
keeps its own, and is used as it is: so each hole stands in one place.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from functools import cache
from typing import Any

import gast

from autograph.compiler import parse
from autograph.quoting.nodes import Position, item_node, make_node, position_of
from autograph.trees import new_node, to_gast, walk

Holes = Mapping[str, Any]


def quote(template: str, /, at: gast.AST, **holes: Any) -> list[gast.stmt]:
    """The statements of a template.

    Raises:
        ValueError: a hole that does not stand in the template once.
        TypeError: a hole given what cannot stand there.
    """
    return _filled_list(_parsed(template, tuple(holes)), holes, position_of(at))


def quote_expr(template: str, /, at: gast.AST, **holes: Any) -> gast.expr:
    """The expression of a template. Raises as `quote` does."""
    (statement,) = _parsed(template, tuple(holes))
    expression: gast.expr = _filled(statement.value, holes, position_of(at))
    return expression


@cache
def _parsed(template: str, holes: tuple[str, ...]) -> list[Any]:
    module = to_gast(parse(textwrap.dedent(template)))
    names = [node.id for node in walk(module) if isinstance(node, gast.Name)]
    for hole in holes:
        if names.count(hole) != 1:
            raise ValueError(f"hole {hole} must stand once in template:\n{template}")
    statements: list[Any] = module.body
    return statements


def _filled(node: Any, holes: Holes, position: Position) -> Any:
    """A copy of a part of a template, in which holes are filled."""
    if not isinstance(node, gast.AST):
        return node
    cls = type(node)
    if cls is gast.Name and node.id in holes:
        return item_node(holes[node.id], type(node.ctx), position)
    if not cls._fields and not cls._attributes:  # an operator, or a context
        return new_node(cls)
    fields = {
        field: _filled_list(value, holes, position)
        if type(value) is list
        else _filled(value, holes, position)
        for field, value in vars(node).items()
        if field in cls._fields
    }
    if fields.get("body") == []:
        fields["body"] = [make_node(gast.Pass, position)]
    return make_node(cls, position if cls._attributes else {}, **fields)


def _filled_list(nodes: list[Any], holes: Holes, position: Position) -> list[Any]:
    made: list[Any] = []
    for node in nodes:
        value: Any = node.value if type(node) is gast.Expr else None
        if type(value) is gast.Name and value.id in holes:
            made += holes[value.id]
        else:
            made.append(_filled(node, holes, position))
    return made
