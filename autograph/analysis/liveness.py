"""Live variables: which names may still be read before they are assigned again.

Backward data flow on the structured tree (Aho et al., "Compilers", section 9.2.5). A name that a
nested function captures can be read at any time; it is not tracked here: see `scopes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import gast

from autograph.analysis.flow import DISCARDS, may_swallow
from autograph.analysis.scopes import Mentions, MentionsOf, mentions

Names = frozenset[str]
NONE: Names = frozenset()


class Live(NamedTuple):
    """Live names around one `if`, `while`, `for` or `try`.

    Attributes:
        before: where the statement starts.
        after: where control goes on after it.
        body: where its body starts.
        orelse: where its `else` starts.
        raising: where an exception raised in it is handled.
        handled: of a `try`, where an exception raised in its body is handled.
    """

    before: Names
    after: Names
    body: Names
    orelse: Names
    raising: Names
    handled: Names = NONE


class Exits(NamedTuple):
    """Names that are live where each way out of a piece of code leads."""

    returning: Names = NONE
    breaking: Names = NONE
    continuing: Names = NONE
    raising: Names = NONE


class Liveness(NamedTuple):
    """The live names of one function.

    Attributes:
        around: for every `if`, `while`, `for` and `try`.
        after: for every simple statement, what is live after it.
    """

    around: dict[gast.AST, Live]
    after: dict[gast.AST, Names]


def liveness(function: Any, mentions_of: MentionsOf, flags: Names = NONE) -> Liveness:
    """The live names of a function (nested functions left out).

    Args:
        function: the function's definition.
        mentions_of: what pieces of it do with names.
        flags: names on which `for` loops stop; the condition stands with the iterable, and is
            asked before every round.
    """
    analysis = _Liveness(mentions_of, flags)
    analysis.block(function.body, NONE, Exits())
    return Liveness(analysis.table, analysis.after)


class _Liveness:
    def __init__(self, mentions_of: MentionsOf, flags: Names) -> None:
        self.mentions = mentions_of
        self.flags = flags
        self.table: dict[gast.AST, Live] = {}
        self.after: dict[gast.AST, Names] = {}
        self.heads: dict[gast.AST, Names] = {}

    def reads(self, node: Any) -> Names:
        return NONE if node is None else frozenset(self.mentions(node).read)

    def block(self, statements: list[gast.stmt], after: Names, exits: Exits) -> Names:
        for statement in reversed(statements):
            handler = _HANDLERS.get(type(statement), _Liveness.simple)
            after = handler(self, statement, after, exits) | exits.raising
        return after

    def simple(self, node: gast.stmt, after: Names, exits: Exits) -> Names:
        self.after[node] = after | exits.raising
        found = self.mentions(node)
        return (after - _surely_bound(node, found)).union(found.read)

    def if_(self, node: gast.If, after: Names, exits: Exits) -> Names:
        body = self.block(node.body, after, exits)
        orelse = self.block(node.orelse, after, exits)
        named = frozenset(_surely_named(node.test))
        before = self.reads(node.test) | ((body | orelse) - named)
        self.table[node] = Live(before, after, body, orelse, exits.raising)
        return before

    def while_(self, node: gast.While, after: Names, exits: Exits) -> Names:
        orelse = self.block(node.orelse, after, exits)
        start = self.reads(node.test) | orelse
        return self.loop(node, start, after, orelse, exits, NONE)

    def for_(self, node: Any, after: Names, exits: Exits) -> Names:
        orelse = self.block(node.orelse, after, exits)
        target = self.mentions(node.target)
        stop = self.flags.intersection(self.mentions(node.iter).captured)
        start = orelse.union(target.read, stop)
        head = self.loop(node, start, after, orelse, exits, frozenset(target.bound))
        return head | self.reads(node.iter)

    def loop(
        self, node: Any, start: Names, after: Names, orelse: Names, exits: Exits, target: Names
    ) -> Names:
        """The names live at the loop's head: a fixed point, from the last one found."""
        head = self.heads.get(node, NONE) | start
        while True:
            inside = exits._replace(breaking=after, continuing=head)
            body = self.block(node.body, head, inside) - target
            if body <= head:
                break
            head |= body
        self.heads[node] = head
        self.table[node] = Live(head, after, body | target, orelse, exits.raising)
        return head

    def with_(self, node: Any, after: Names, exits: Exits) -> Names:
        swallowed = after if may_swallow(node) else NONE
        inside = exits._replace(raising=exits.raising | swallowed)
        live = self.block(node.body, after, inside)
        for item in reversed(node.items):
            target = self.mentions(item.optional_vars) if item.optional_vars else Mentions()
            live = live.difference(target.bound).union(target.read, self.reads(item.context_expr))
        return live

    def try_(self, node: Any, after: Names, exits: Exits) -> Names:
        outside = exits
        end, exits = self.finally_(node, after, exits)
        handlers = NONE
        for handler in reversed(node.handlers):
            # Behind one `except*` the next is tried, also where it raises.
            later = handlers if isinstance(node, gast.TryStar) else NONE
            inside = exits._replace(raising=exits.raising | later)
            live = self.block(handler.body, end | later, inside)
            bound = {handler.name.id} if handler.name is not None else set()
            handlers |= (live - bound) | self.reads(handler.type)
        orelse = self.block(node.orelse, end, exits)
        inside = exits._replace(raising=exits.raising | handlers)
        before = self.block(node.body, orelse, inside)
        left = after.union(*outside)
        self.table[node] = Live(before, left, before, orelse, outside.raising, inside.raising)
        return before

    def finally_(self, node: Any, after: Names, exits: Exits) -> tuple[Names, Exits]:
        """The names that are live where the `finally` starts, by each way into it."""
        if not node.finalbody:
            return after, exits
        dropped = after if hasattr(node, DISCARDS) else NONE
        asked = frozenset(getattr(node, DISCARDS, ()))
        ways = exits._replace(raising=exits.raising | dropped)
        leave = Exits(*(self.block(node.finalbody, way | asked, exits) for way in ways))
        return self.block(node.finalbody, after | exits.raising | asked, exits), leave

    def match(self, node: Any, after: Names, exits: Exits) -> Names:
        live = after
        for case in node.cases:
            pattern = self.mentions(case.pattern)
            body = self.block(case.body, after, exits) | self.reads(case.guard)
            live |= body.difference(pattern.bound).union(pattern.read)
        return live | self.reads(node.subject)

    def return_(self, node: gast.Return, after: Names, exits: Exits) -> Names:
        return self.reads(node.value) | exits.returning

    def raise_(self, node: gast.Raise, after: Names, exits: Exits) -> Names:
        return self.reads(node) | exits.raising

    def break_(self, node: gast.Break, after: Names, exits: Exits) -> Names:
        return exits.breaking

    def continue_(self, node: gast.Continue, after: Names, exits: Exits) -> Names:
        return exits.continuing


def _surely_named(test: Any) -> Iterator[str]:
    """The names that an expression binds (`:=`) whenever it is evaluated to its end."""
    if isinstance(test, gast.NamedExpr):
        yield test.target.id
    for part in _surely_evaluated(test):
        yield from _surely_named(part)


def _surely_evaluated(node: Any) -> list[Any]:
    match node:
        case gast.BoolOp():
            return node.values[:1]  # type: ignore[no-any-return]
        case gast.IfExp():
            return [node.test]
        case gast.Compare():
            return [node.left, node.comparators[0]]
        case gast.Lambda() | gast.ListComp() | gast.SetComp() | gast.DictComp():
            return []
        case gast.GeneratorExp():
            return []
    return list(gast.iter_child_nodes(node))


def _surely_bound(node: gast.stmt, found: Mentions) -> Names:
    """The names that a simple statement binds whenever it is run to its end."""
    if not found.early:
        return frozenset(found.bound)
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return frozenset(mentions(targets).bound)


_HANDLERS: dict[type, Any] = {
    gast.If: _Liveness.if_,
    gast.While: _Liveness.while_,
    gast.For: _Liveness.for_,
    gast.AsyncFor: _Liveness.for_,
    gast.With: _Liveness.with_,
    gast.AsyncWith: _Liveness.with_,
    gast.Try: _Liveness.try_,
    gast.TryStar: _Liveness.try_,
    gast.Match: _Liveness.match,
    gast.Return: _Liveness.return_,
    gast.Raise: _Liveness.raise_,
    gast.Break: _Liveness.break_,
    gast.Continue: _Liveness.continue_,
}
