"""Templates: the only place that builds scaffolding nodes.

A template is Python source whose *holes* are some of its identifiers:

    quote('''
        def name(params):
            body
            return outputs
        outputs = ag.cond(test, name, orelse, inputs, defines=defines)
    ''', at=node, name='if_body', params=['x'], body=node.body, ...)

What a hole becomes depends on what it is given and on where it stands:

- `str`: another identifier. A name, parameter, attribute, keyword, or the name of a function.
- An expression: that expression, where the hole is read or assigned; a statement, where it is one.
- A list or tuple: statements, where the hole is a statement; elements, where it stands as `*hole`
  in a call or a display, or as a parameter; elsewhere the bare value if it has one element, else a
  tuple. An empty one, assigned, leaves the value as a statement; returned, it leaves nothing.
- `None`: nothing. The argument, keyword or statement is left out; `return hole` is `return`.

A block that is left without statements gets a `pass`. Elements are names (`str`) or expressions.
Scaffolding nodes take the position of `at` (the header's, if that is a compound statement); given
nodes keep theirs. A given node is used as it is where it stands first; where it stands again, or is
assigned though it was read, it is copied. No two results share a node otherwise.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import gast

from autograph.quoting.nodes import (
    FUNCTIONS,
    SCAFFOLD,
    Item,
    Position,
    item_node,
    make_node,
    new_node,
    place,
    position_of,
    spelling,
)
from autograph.trees import copy_tree, to_gast

Holes = Mapping[str, Any]
Build = Callable[[Holes, Position], Any]
Extend = Callable[[Holes, Position, list[Any]], None]


def quote(template: str, /, at: gast.AST, **holes: Any) -> list[gast.stmt]:
    """The statements of a template.

    Raises:
        ValueError: a hole that the template does not have.
        TypeError: a hole given what cannot stand there.
    """
    result: list[gast.stmt] = []
    _statements(template, tuple(holes))(_with_ag(holes), position_of(at), result)
    return result


def quote_expr(template: str, /, at: gast.AST, **holes: Any) -> gast.expr:
    """The expression of a template. Raises as `quote` does."""
    return _expression(template, tuple(holes))(_with_ag(holes), position_of(at))


def _with_ag(holes: dict[str, Any]) -> dict[str, Any]:
    return {"ag": spelling.get()} | holes


@cache
def _statements(template: str, holes: tuple[str, ...]) -> Extend:
    compiler = _Compiler(template, holes)
    extend = compiler.sequence(to_gast(ast.parse(textwrap.dedent(template))).body)
    compiler.check_complete()
    return extend


@cache
def _expression(template: str, holes: tuple[str, ...]) -> Build:
    compiler = _Compiler(template, holes)
    build = compiler.build(to_gast(ast.parse(template.strip(), mode="eval")).body)
    compiler.check_complete()
    return build


class _Compiler:
    def __init__(self, template: str, holes: tuple[str, ...]) -> None:
        self.template = template
        self.holes = {*holes, "ag"}
        self.seen: set[str] = set()
        self.used: set[str] = {"ag"}

    def check_complete(self) -> None:
        unused = self.holes - self.seen - self.used
        if unused:
            raise ValueError(f"no hole {', '.join(sorted(unused))} in template:\n{self.template}")

    def hole(self, node: Any) -> str | None:
        """The hole that a bare name is."""
        is_hole = isinstance(node, gast.Name) and node.id in self.holes
        return node.id if is_hole else None

    def take(self, hole: str) -> Callable[[Holes], Any]:
        """Returns the getter of what a hole was given; nodes are copied where it stands again."""
        if hole in self.seen:
            return lambda given: copy_tree(given[hole])
        self.seen.add(hole)
        return lambda given: given[hole]

    def build(self, node: Any) -> Build:
        if self.hole(node) is not None:
            return self.expression_hole(node)
        if isinstance(node, gast.arguments):
            return self.arguments(node)
        return self.plain(node)

    def plain(self, node: Any) -> Build:
        """A node that is not itself a hole."""
        cls = type(node)
        fixed: dict[str, Any] = {SCAFFOLD: True} if cls in FUNCTIONS else {}
        parts: list[tuple[str, Build]] = []
        for field in cls._fields:
            self.add_field(cls, field, getattr(node, field, None), fixed, parts)
        takes_position = bool(cls._attributes)

        def build(given: Holes, position: Position) -> Any:
            made = new_node(cls)
            fields = vars(made)
            fields.update(fixed)
            for field, part in parts:
                fields[field] = part(given, position)
            if takes_position:
                place(made, position)
            return made

        return build

    def add_field(
        self,
        cls: type[gast.AST],
        field: str,
        value: Any,
        fixed: dict[str, Any],
        parts: list[tuple[str, Build]],
    ) -> None:
        if isinstance(value, gast.AST):
            parts.append((field, self.build(value)))
        elif isinstance(value, list):
            parts.append((field, self.list_field(field, value)))
        elif isinstance(value, str) and cls is not gast.Constant and value in self.holes:
            is_label = cls in (gast.keyword, gast.Attribute)
            parts.append((field, self.label(value) if is_label else self.identifier(value)))
        else:
            fixed[field] = value

    def list_field(self, field: str, values: list[Any]) -> Build:
        if not values:
            return lambda given, position: []
        extend = self.sequence(values)
        needs_pass = field == "body"

        def build(given: Holes, position: Position) -> list[Any]:
            made: list[Any] = []
            extend(given, position, made)
            if needs_pass and not made:
                made.append(make_node(gast.Pass, position))
            return made

        return build

    def sequence(self, values: list[Any]) -> Extend:
        extends = [self.extend(value) for value in values]

        def extend(given: Holes, position: Position, made: list[Any]) -> None:
            for one in extends:
                one(given, position, made)

        return extend

    def extend(self, node: Any) -> Extend:
        """An element of a list: a statement, argument, element of a display, or identifier."""
        match node:
            case str():
                return self.identifiers(node)
            case gast.Expr() if self.hole(node.value):
                return self.statement_hole(node.value.id)
            case gast.Assign(targets=[target]) if self.hole(target):
                return self.assignment_hole(node)
            case gast.Return() if self.hole(node.value):
                return self.return_hole(node.value.id)
            case gast.Starred() if self.hole(node.value):
                return self.starred_hole(node)
            case gast.Name() if self.hole(node):
                return self.element_hole(node)
            case gast.keyword() if self.hole(node.value):
                return self.keyword_hole(node)
        build = self.build(node)
        return lambda given, position, made: made.append(build(given, position))

    # Holes, by where they stand

    def identifier(self, hole: str) -> Build:
        take = self.take(hole)

        def build(given: Holes, position: Position) -> str:
            value = take(given)
            if not isinstance(value, str):
                raise TypeError(f"hole {hole} names something: expected a str, got {value!r}")
            return value

        return build

    def label(self, hole: str) -> Build:
        """A keyword or an attribute; it stays as it is if the hole is given something else."""
        self.used.add(hole)

        def build(given: Holes, position: Position) -> str:
            value = given[hole]
            return value if isinstance(value, str) else hole

        return build

    def identifiers(self, name: str) -> Extend:
        """A name in `global` or `nonlocal`."""
        if name not in self.holes:
            return lambda given, position, made: made.append(name)
        take = self.take(name)

        def extend(given: Holes, position: Position, made: list[Any]) -> None:
            value = take(given)
            made.extend([value] if isinstance(value, str) else value)

        return extend

    def expression_hole(self, node: gast.Name) -> Build:
        ctx = type(node.ctx)
        hole = node.id
        take = self.take(hole)

        def build(given: Holes, position: Position) -> gast.expr:
            value = take(given)
            if not isinstance(value, list | tuple):
                return item_node(value, ctx, position)
            items = [item_node(item, ctx, position) for item in value]
            return items[0] if len(items) == 1 else _tuple(items, ctx, position)

        return build

    def statement_hole(self, hole: str) -> Extend:
        take = self.take(hole)

        def extend(given: Holes, position: Position, made: list[Any]) -> None:
            value = take(given)
            if value is None:
                return
            for item in value if isinstance(value, list | tuple) else (value,):
                made.append(item if isinstance(item, gast.stmt) else _statement(item, position))

        return extend

    def assignment_hole(self, node: gast.Assign) -> Extend:
        hole = node.targets[0].id
        build_value = self.build(node.value)
        build_target = self.expression_hole(node.targets[0])

        def extend(given: Holes, position: Position, made: list[Any]) -> None:
            value = build_value(given, position)
            if given[hole] is None or given[hole] in ([], ()):
                made.append(make_node(gast.Expr, position, value=value))
                return
            targets = [build_target(given, position)]
            made.append(
                make_node(gast.Assign, position, targets=targets, value=value, type_comment=None)
            )

        return extend

    def return_hole(self, hole: str) -> Extend:
        build = self.expression_hole(gast.Name(hole, gast.Load(), None, None))

        def extend(given: Holes, position: Position, made: list[Any]) -> None:
            if given[hole] in ([], ()):
                return
            value = None if given[hole] is None else build(given, position)
            made.append(make_node(gast.Return, position, value=value))

        return extend

    def starred_hole(self, node: gast.Starred) -> Extend:
        hole, ctx = node.value.id, type(node.ctx)
        take = self.take(hole)

        def extend(given: Holes, position: Position, made: list[Any]) -> None:
            value = take(given)
            if isinstance(value, list | tuple):
                made.extend(item_node(item, ctx, position) for item in value)
                return
            starred = item_node(value, ctx, position)
            made.append(make_node(gast.Starred, position, value=starred, ctx=new_node(ctx)))

        return extend

    def element_hole(self, node: gast.Name) -> Extend:
        """A parameter, an argument, or an element of a display."""
        ctx = type(node.ctx)
        hole = node.id
        if ctx is gast.Param:
            return self.parameter_hole(hole)
        build = self.expression_hole(node)

        def extend(given: Holes, position: Position, made: list[Any]) -> None:
            if given[hole] is not None:
                made.append(build(given, position))

        return extend

    def parameter_hole(self, hole: str) -> Extend:
        take = self.take(hole)

        def extend(given: Holes, position: Position, made: list[Any]) -> None:
            value = take(given)
            items = value if isinstance(value, list | tuple) else (value,)
            made.extend(item_node(item, gast.Param, position) for item in items)

        return extend

    def keyword_hole(self, node: gast.keyword) -> Extend:
        hole = node.value.id
        build = self.plain(node)

        def extend(given: Holes, position: Position, made: list[Any]) -> None:
            if given[hole] is not None:
                made.append(build(given, position))

        return extend

    def arguments(self, node: gast.arguments) -> Build:
        """Parameters; `*hole` given a list is that many parameters."""
        vararg = self.hole(node.vararg)
        extend = self.parameter_hole(vararg) if vararg else None
        rest = gast.arguments(**{**vars(node), "vararg": None if vararg else node.vararg})
        build_rest = self.plain(rest)

        def build(given: Holes, position: Position) -> gast.arguments:
            made = build_rest(given, position)
            if extend is None or vararg is None:
                return made
            if isinstance(given[vararg], list | tuple):
                extend(given, position, made.args)
            else:
                made.vararg = item_node(given[vararg], gast.Param, position)
            return made

        return build


def _tuple(items: list[Any], ctx: type[gast.expr_context], position: Position) -> gast.Tuple:
    return make_node(gast.Tuple, position, elts=items, ctx=new_node(ctx))


def _statement(value: Item, position: Position) -> gast.Expr:
    return make_node(gast.Expr, position, value=item_node(value, gast.Load, position))
