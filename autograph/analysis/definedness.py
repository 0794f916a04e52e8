"""Definite assignment: which local names surely have a value at a point, and which may have none.

Forward data flow on the structured tree, as in the Java Language Specification, chapter 16. A
loop's body may run zero times; an exception may come before the first assignment of a `try`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import gast

from autograph.analysis.flow import DISCARDS, is_irrefutable, may_swallow
from autograph.analysis.scopes import MentionsOf, Scope, mentions, own_nodes, parameters

Names = frozenset[str]
# The names that surely have a value; None where control never comes.
Defined = Names | None


class Definedness(NamedTuple):
    """The result of the analysis of definite assignment in one function.

    Attributes:
        before: for each `if`, `while`, `for` and `try`, the names that surely have a value where it
            starts.
        unsafe: reads (and deletions) of local names that may have no value there.
    """

    before: dict[gast.AST, Names]
    unsafe: set[gast.AST]


def definedness(function: Any, mentions_of: MentionsOf, scope: Scope) -> Definedness:
    """Definite assignment in a function (nested functions left out).

    Args:
        function: the function's definition.
        mentions_of: what pieces of it do with names.
        scope: its names. Its flags are False wherever a loop starts whose test asks only for them:
            such a loop was `while True`, and its body runs at least once.
    """
    analysis = _Definedness(mentions_of, scope)
    analysis.block(function.body, frozenset(parameters(function)))
    return Definedness(analysis.before, analysis.unsafe)


def _join(states: Sequence[Defined]) -> Defined:
    reached = [state for state in states if state is not None]
    return frozenset.intersection(*reached) if reached else None


class _Definedness:
    def __init__(self, mentions_of: MentionsOf, scope: Scope) -> None:
        self.mentions = mentions_of
        self.scope = scope
        self.before: dict[gast.AST, Names] = {}
        self.unsafe: set[gast.AST] = set()
        self.breaks: list[list[Defined]] = []

    def block(self, statements: list[gast.stmt], state: Defined) -> Defined:
        for statement in statements:
            if state is None:
                return None
            handler = _HANDLERS.get(type(statement), _Definedness.simple)
            state = handler(self, statement, state)
        return state

    def evaluate(self, node: Any, state: Names) -> Names:
        """Note the unsafe reads of an expression or simple statement; `:=` binds."""
        found = self.mentions(node)
        # A walrus binds before what follows reads; what stands before it was bound already.
        state = state.union(found.early).difference(found.maybe.keys() - state)
        if any(name in self.scope.locals and name not in state for name in found.read):
            for name in _own_names(node):
                self.read(name, state)
        return state

    def simple(self, node: gast.stmt, state: Names) -> Names:
        state = self.evaluate(node, state)
        found = self.mentions(node)
        if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
            self.read(node.target, state)
        if isinstance(node, gast.AnnAssign) and node.value is None:
            return state
        bound = found.bound.keys() - found.maybe.keys()
        return state.union(bound).difference(found.deleted)

    def read(self, name: gast.Name, state: Names) -> None:
        if name.id in self.scope.locals and name.id not in state:
            self.unsafe.add(name)

    def if_(self, node: gast.If, state: Names) -> Defined:
        self.before[node] = state
        state = self.evaluate(node.test, state)
        return _join([self.block(node.body, state), self.block(node.orelse, state)])

    def while_(self, node: gast.While, state: Names) -> Defined:
        state = self.loop_head(node, state)
        state = self.evaluate(node.test, state)
        body = self.body(node, state)
        if self.always_enters(node):
            return _join([body, *self.breaks.pop()])
        # `while True` is left by `break` alone.
        endless = isinstance(node.test, gast.Constant) and bool(node.test.value)
        end = None if endless else self.block(node.orelse, state)
        return _join([end, *self.breaks.pop()])

    def always_enters(self, node: gast.While) -> bool:
        names = [part.id for part in own_nodes(node.test) if isinstance(part, gast.Name)]
        return bool(names) and self.scope.flags.issuperset(names)

    def for_(self, node: Any, state: Names) -> Defined:
        entry = self.evaluate(node.iter, state)
        state = self.loop_head(node, entry)
        self.body(node, state.union(self.mentions(node.target).bound))
        return _join([self.block(node.orelse, state), *self.breaks.pop()])

    def loop_head(self, node: Any, state: Names) -> Names:
        self.before[node] = state
        return state.difference(self.mentions(node.body).deleted)

    def body(self, node: Any, state: Names) -> Defined:
        self.breaks.append([])
        return self.block(node.body, state)

    def break_(self, node: gast.Break, state: Names) -> Defined:
        self.breaks[-1].append(state)
        return None

    def leave(self, node: gast.stmt, state: Names) -> Defined:
        self.evaluate(node, state)
        return None

    def with_(self, node: Any, state: Names) -> Defined:
        for item in node.items:
            state = self.evaluate(item.context_expr, state)
            if item.optional_vars is not None:
                state = state.union(self.mentions(item.optional_vars).bound)
        end = self.block(node.body, state)
        if not may_swallow(node):
            return end
        return _join([end, state.difference(self.mentions(node.body).deleted)])

    def try_(self, node: Any, state: Names) -> Defined:
        self.before[node] = state
        kept = state.difference(self.mentions(node.body).deleted)
        ends = [self.block(node.orelse, self.block(node.body, state))]
        for handler in node.handlers:
            ends.append(self.handler(handler, kept))
            if isinstance(node, gast.TryStar):
                kept = kept.difference(self.mentions(handler).deleted)
        if not node.finalbody:
            return _join(ends)
        kept = kept.difference(mentions([*node.handlers, *node.orelse]).deleted)
        if hasattr(node, DISCARDS):
            ends.append(kept)
        self.block(node.finalbody, kept)
        return self.block(node.finalbody, _join(ends))

    def handler(self, node: Any, state: Names) -> Defined:
        if node.type is not None:
            state = self.evaluate(node.type, state)
        if node.name is None:
            return self.block(node.body, state)
        name = {node.name.id}
        left = self.breaks[-1] if self.breaks else []
        before = len(left)
        end = self.block(node.body, state | name)
        left[before:] = [state - name for state in left[before:] if state is not None]
        return None if end is None else end - name

    def match(self, node: Any, state: Names) -> Defined:
        state = self.evaluate(node.subject, state)
        ends: list[Defined] = [] if is_irrefutable(node.cases[-1]) else [state]
        for case in node.cases:
            bound = state.union(self.mentions(case.pattern).bound)
            if case.guard is not None:
                bound = self.evaluate(case.guard, bound)
            ends.append(self.block(case.body, bound))
        return _join(ends)


def _own_names(node: Any) -> list[Any]:
    """The `Name`s that are evaluated where the node stands, those of comprehensions left out."""
    hidden: set[str] = set()
    names = []
    for part in own_nodes(node):
        if isinstance(part, gast.comprehension):
            hidden.update(mentions(part.target).bound)
        elif isinstance(part, gast.ClassDef):
            names += _own_names(part.body)
        elif isinstance(part, gast.Name) and not isinstance(part.ctx, gast.Store):
            names.append(part)
    return [name for name in names if name.id not in hidden]


_HANDLERS: dict[type, Any] = {
    gast.If: _Definedness.if_,
    gast.While: _Definedness.while_,
    gast.For: _Definedness.for_,
    gast.AsyncFor: _Definedness.for_,
    gast.With: _Definedness.with_,
    gast.AsyncWith: _Definedness.with_,
    gast.Try: _Definedness.try_,
    gast.TryStar: _Definedness.try_,
    gast.Match: _Definedness.match,
    gast.Return: _Definedness.leave,
    gast.Raise: _Definedness.leave,
    gast.Break: _Definedness.break_,
    gast.Continue: _Definedness.leave,
}
