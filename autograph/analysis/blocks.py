"""What the block functions of an `if`, `while` or `for` take and return.

A name that a block assigns and that is live afterwards is returned; if its old value matters it is a
parameter too. A name that others can see meanwhile is *shared*: blocks assign it where it lives
(`nonlocal`, `global`), as the user's statement did. Those are names that a nested function captures,
names of another scope, and names that are read where an exception raised in the statement is handled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import gast

from autograph.analysis.definedness import Definedness, definedness
from autograph.analysis.flow import ends, exits
from autograph.analysis.liveness import Live, liveness
from autograph.analysis.scopes import Scope, mentions, own_nodes, scope_of, suspends


class BlockNames(NamedTuple):
    """The names of one control statement, each list in order of first mention.

    Attributes:
        inputs: parameters of the blocks.
        outputs: what the blocks return.
        shared: names that the blocks assign where they live.
    """

    inputs: list[str]
    outputs: list[str]
    shared: list[str]


class Flow:
    """The analyses of one function, made once."""

    def __init__(self, function: Any, flags: frozenset[str]) -> None:
        self.scope: Scope = scope_of(function, flags)
        self.live: dict[gast.AST, Live] = liveness(function, flags)
        self.defined: Definedness = definedness(function, self.scope, flags)
        self._names = {node: self._block_names(node) for node in self.live}

    def names(self, node: Any) -> BlockNames:
        """What the blocks of a control statement of this function take and return."""
        return self._names[node]

    def controls(self) -> list[Any]:
        """The control statements of the function that become `cond`, `while_loop`, `for_loop`."""
        return [node for node in self.live if is_functional(node)]

    def _block_names(self, node: Any) -> BlockNames:
        live = self.live[node]
        bound = frozenset(_bound(node))
        shared = self._shared(node)
        own = bound - shared
        if isinstance(node, gast.If):
            outputs = frozenset() if is_returning(node) else own & live.after
            inputs = own & (live.body | live.orelse)
        else:
            outputs = inputs = own & self._head(node)
        sort = self.scope.sort
        return BlockNames(sort(inputs), sort(outputs), sort(shared))

    def _head(self, node: Any) -> frozenset[str]:
        """What is live where the loop's next round starts."""
        live = self.live[node]
        if isinstance(node, gast.While):
            return live.before
        target = frozenset(mentions(node.target).bound)
        stop = self.scope.flags.intersection(mentions(node.iter).captured)
        return live.after | (live.body - target) | live.orelse | stop

    def _shared(self, node: Any) -> set[str]:
        nested = [part for part in own_nodes(node) if part in self.live]
        return set().union(*(self._own_shared(part) for part in nested))

    def _own_shared(self, node: Any) -> set[str]:
        scope = self.scope
        seen_by_others = scope.captured | scope.outer | self.live[node].raising
        return {name for name in _bound(node) if name in seen_by_others}


def is_functional(node: Any) -> bool:
    """Whether a control statement can become blocks.

    Not what suspends the function, and not what control leaves by an exit: those are left to Python.
    """
    if isinstance(node, gast.AsyncFor) or suspends([vars(node)[name] for name in _parts(node)]):
        return False
    if isinstance(node, gast.If):
        return not exits(node) or is_returning(node)
    return not node.orelse and not exits(node) and "break" not in _inner_exits(node)


def is_returning(node: gast.If) -> bool:
    """Whether an `if` is `return cond(...)`: every way through it ends in `return` (or raises)."""
    return exits(node) == {"return"} and ends([node])


def _inner_exits(node: Any) -> frozenset[str]:
    return frozenset().union(*(exits(statement) for statement in node.body))


def _parts(node: Any) -> tuple[str, ...]:
    # A loop's iterable is evaluated outside its blocks.
    return ("body", "orelse") if isinstance(node, gast.For | gast.If) else ("test", "body", "orelse")


def _bound(node: Any) -> dict[str, None]:
    target = node.target if isinstance(node, gast.For) else None
    return mentions(target, node.body, node.orelse).bound
