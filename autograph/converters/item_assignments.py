"""Lower `x[i] = v` to a rebinding of `x`, for what is a value: its setter gives another one.

    >>> from autograph.pipeline import show
    >>> print(show('item_assignments', '''
    ... def f(x, i, v):
    ...     x[i] = v
    ...     x[0] += v
    ...     x[0], x[i] = x[i], x[0]
    ...     return x
    ... '''))
    def f(x, i, v):
        x = ag.setitem(v, to=x, at=i)
        x = ag.update_item(x, 0, '+=', lambda: v)
        item, item_2 = x[i], x[0]
        x = ag.setitem(item, to=x, at=0)
        x = ag.setitem(item_2, to=x, at=i)
        return x

A statement stays as it is where the target is no name that can be rebound (an attribute, an item, a
name of another scope) or is not read afterwards: a list or a tensor changes itself, for all of its
names, and what is a value refuses, for the new one would be lost. The arguments stand in the order
in which Python evaluates them. In the form that asks, such a statement takes a place that only the
run knows:

    >>> from autograph.forms import Form
    >>> print(show('item_assignments', '''
    ... def f(self, i, v):
    ...     self.x[i] = v
    ...     self.x[i] += v
    ... ''', Form.ASKING))
    def f(self, i, v):
        ag.store_item(v, to=self.x, at=i)
        ag.store_update(self.x, i, '+=', lambda: v)
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import gast

from autograph.analysis.blocks import Flow
from autograph.analysis.growth import is_constant_index
from autograph.analysis.scopes import own_nodes
from autograph.context import Context
from autograph.forms import Form
from autograph.names import Namer
from autograph.quoting.builders import (
    assign,
    call_ag,
    constant,
    expression_statement,
    lambda_of,
    name_load,
    name_store,
)
from autograph.rewriting import fits_lambda, rewrite_statements

_OPERATORS = {
    gast.Add: "+=", gast.Sub: "-=", gast.Mult: "*=", gast.Div: "/=", gast.FloorDiv: "//=",
    gast.Mod: "%=", gast.Pow: "**=", gast.MatMult: "@=", gast.LShift: "<<=", gast.RShift: ">>=",
    gast.BitAnd: "&=", gast.BitOr: "|=", gast.BitXor: "^=",
}  # fmt: skip


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    for function in context.functions:
        if any(_is_item(node) for node in own_nodes(function.body)):
            flow = context.flow(function)
            asks = context.form is Form.ASKING
            assignments = _Assignments(flow, context.namer, asks)
            rules: dict[type[Any], Any] = {
                gast.Assign: assignments.statement,
                gast.AugAssign: partial(_augmented, flow, asks),
            }
            rewrite_statements(function, rules)


def _is_item(node: Any) -> bool:
    return isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Store)


class _Assignments:
    """Lowers the assignments of one function, each target in its turn, as Python does."""

    def __init__(self, flow: Flow, namer: Namer, asks: bool) -> None:
        self.flow = flow
        self.asks = asks
        self.namer = namer
        self.names: list[str] = []
        self.taken = 0

    def name(self) -> str:
        """A name for a value that waits for its target; other statements use it again."""
        if self.taken == len(self.names):
            self.names.append(self.namer.fresh("item"))
        self.taken += 1
        return self.names[self.taken - 1]

    def statement(self, node: gast.Assign) -> list[gast.stmt]:
        items = dict(item for target in node.targets for item in self.items(target, node))
        if not items:
            return [node]
        self.taken = 0
        if len(node.targets) == 1:
            return self.into(node.targets[0], node.value, items, node)
        name = self.name()
        made: list[gast.stmt] = [assign(name, node.value, node)]
        for target in node.targets:
            made += self.into(target, name_load(name, target), items, target)
        return made

    def items(self, target: Any, node: gast.Assign) -> Iterator[tuple[Any, bool]]:
        """Yields the items in a target, each with whether its name can be rebound: those of which
        it can; with `asks`, also those whose places are no constants.
        """
        for part in own_nodes(target):
            is_name = _can_rebind(part, node, self.flow)
            if is_name or (self.asks and _has_place(part)):
                yield part, is_name

    def into(
        self, target: Any, value: gast.expr, items: dict[Any, bool], at: Any
    ) -> list[gast.stmt]:
        """Statements that assign a value: part by part from the first item on."""
        if target in items:
            keywords = {"to": _read(target.value), "at": _slice(target.slice)}
            if not items[target]:
                return [expression_statement(call_ag("store_item", [value], at, keywords), at)]
            return [assign(target.value.id, call_ag("setitem", [value], at, keywords), at)]
        made: list[gast.stmt] = [assign(target, value, at)]
        waits = False
        for index, element in enumerate(getattr(target, "elts", ())):
            waits = waits or any(part in items for part in own_nodes(element))
            if waits:
                part = element.value if isinstance(element, gast.Starred) else element
                name = self.name()
                target.elts[index] = _in_place_of(element, name)
                made += self.into(part, name_load(name, part), items, part)
        return made


def _in_place_of(element: Any, name: str) -> gast.expr:
    stored = name_store(name, element)
    if not isinstance(element, gast.Starred):
        return stored
    return gast.copy_location(gast.Starred(stored, gast.Store()), element)


def _augmented(flow: Flow, asks: bool, node: gast.AugAssign) -> gast.stmt:
    target = node.target
    is_name = _can_rebind(target, node, flow)
    if not (is_name or (asks and _has_place(target))) or not fits_lambda(node.value):
        return node
    operator = constant(_OPERATORS[type(node.op)], node)
    value = lambda_of(node.value, node.value)
    arguments = [_read(target.value), _slice(target.slice), operator, value]
    if not is_name:
        return expression_statement(call_ag("store_update", arguments, node), node)
    return assign(target.value.id, call_ag("update_item", arguments, node), node)


def _has_place(target: Any) -> bool:
    return _is_item(target) and not is_constant_index(target.slice)


def _can_rebind(target: Any, node: gast.stmt, flow: Flow) -> bool:
    if not _is_item(target) or not isinstance(target.value, gast.Name):
        return False
    name = target.value.id
    scope = flow.scope
    is_read_later = name in flow.live_after[node] or name in scope.captured | scope.outer
    return is_read_later and name in scope.locals | scope.outer


def _read(item: Any) -> gast.expr:
    return name_load(item.id, item) if isinstance(item, gast.Name) else item


def _slice(node: Any) -> Any:
    """`a:b` is only syntax within brackets; as an argument it is `slice(a, b, None)`."""
    if isinstance(node, gast.Slice):
        parts = [part or constant(None, node) for part in (node.lower, node.upper, node.step)]
        return call_ag("slice", parts, node)
    if isinstance(node, gast.Tuple):
        node.elts = [_slice(element) for element in node.elts]
    return node
