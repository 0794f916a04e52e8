"""The parameters and results of the block functions of an `if`, `while`, `for` or `try`.

A name that a block assigns and that is live afterwards is returned; if its old value matters it is
a parameter too. A name that others can see meanwhile is *shared*: blocks assign it where it lives
(`nonlocal`, `global`), as the user's statement did. Those are names that a nested function
captures, names of another scope, and names that are read where an exception raised in the
statement is handled. All that a `try` assigns for others is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import gast

from autograph.analysis.definedness import Definedness, definedness
from autograph.analysis.flow import DISCARDS, ends, exits
from autograph.analysis.liveness import Live, liveness
from autograph.analysis.scopes import Scope, own_nodes, remembered_mentions, scope_of, suspends

Names = frozenset[str]


class BlockNames(NamedTuple):
    """The names of one control statement, each list in order of first mention.

    Attributes:
        inputs: parameters of the blocks.
        outputs: what the blocks return.
        shared: names that the blocks assign where they live.
        leaves: whether control never goes on behind the statement: it is `return cond(...)`.
    """

    inputs: list[str]
    outputs: list[str]
    shared: list[str]
    leaves: bool


class Flow:
    """The analyses of one function, made once.

    Attributes:
        scope: its names.
        live: live names around its control statements.
        live_after: live names after its simple statements.
        defined: where its names surely have values.
        functional: the control statements that become blocks, with what those take and return.
    """

    def __init__(
        self, function: Any, flags: Names, stages_tries: bool = False, may_suspend: bool = False
    ) -> None:
        self.mentions = remembered_mentions()
        self.stages_tries = stages_tries
        self.scope: Scope = scope_of(function, flags)
        live = liveness(function, self.mentions, flags)
        self.live: dict[gast.AST, Live] = live.around
        self.live_after: dict[gast.AST, Names] = live.after
        self.defined: Definedness = definedness(function, self.mentions, self.scope)
        may_leave = not (may_suspend and is_async_generator(function))
        kept = _raising_again(function)
        self.functional: dict[gast.AST, BlockNames] = {
            node: self._block_names(node)
            for node in self.live
            if is_functional(node, may_suspend, stages_tries)
            and (may_leave or not ends([node]))
            and node not in kept
        }

    def bound(self, node: Any) -> Names:
        """The names that a control statement's blocks bind."""
        if isinstance(node, gast.Try):
            return frozenset().union(*(self.mentions(part).bound for part in parts_of_try(node)))
        target = self.mentions(node.target).bound if isinstance(node, gast.For) else ()
        body, orelse = self.mentions(node.body), self.mentions(node.orelse)
        return frozenset(body.bound).union(orelse.bound, target)

    def _block_names(self, node: Any) -> BlockNames:
        live = self.live[node]
        if isinstance(node, gast.Try):
            return BlockNames([], [], self.scope.sort(self._of_try(node)), ends([node]))
        shared = self._shared(node)
        own = self.bound(node) - shared
        if isinstance(node, gast.If):
            outputs = frozenset() if ends([node]) else own & live.after
            inputs = own & (live.body | live.orelse)
        else:
            outputs = inputs = own & self._head(node)
        sort = self.scope.sort
        return BlockNames(sort(inputs), sort(outputs), sort(shared), ends([node]))

    def handled(self, node: gast.Try) -> Names:
        """The names that may be read where the body of a `try` has failed."""
        return self.live[node].handled | self.scope.captured | self.scope.outer

    def _is_block(self, node: Any) -> bool:
        return self.stages_tries or not isinstance(node, gast.Try)

    def _of_try(self, node: Any) -> Names:
        """The names that a `try` assigns where they live: those that more than one of its parts,
        or what is around it, can see.
        """
        live = self.live[node]
        seen = live.before | live.after | live.raising | self.scope.captured | self.scope.outer
        seen |= frozenset(getattr(node, DISCARDS, ()))  # asked behind its `finally`
        names = [each.name.id if each.name is not None else None for each in node.handlers]
        known: set[str] = set()
        for part, name in zip(parts_of_try(node), [None, *names, None, None], strict=True):
            mentioned = self.mentions(part).mentioned.keys()
            seen |= (known & mentioned) - {name}  # a handler's name is for its own exception
            known |= mentioned
        own = self.bound(node) & seen
        handled = {name for name in names if name is not None}
        return own | (handled & (live.after | live.raising | live.before))

    def _head(self, node: Any) -> Names:
        """The names that are live where the loop's next iteration starts."""
        live = self.live[node]
        if isinstance(node, gast.While):
            return live.before
        stop = self.scope.flags.intersection(self.mentions(node.iter).captured)
        return live.body.difference(self.mentions(node.target).bound) | live.after | stop

    def _shared(self, node: Any) -> set[str]:
        scope = self.scope
        seen_by_others = self.bound(node) & (scope.captured | scope.outer)
        if not any(live.raising for live in self.live.values()):
            return set(seen_by_others)
        nested = [part for part in own_nodes(node) if part in self.live and self._is_block(part)]
        # An exception abandons the exit that is being taken: its flag keeps the old value.
        handled = ((self.bound(part) & self.live[part].raising) - scope.flags for part in nested)
        return set(seen_by_others).union(*handled)


def parts_of_try(node: Any) -> list[list[gast.stmt]]:
    """The statements of each part of a `try`."""
    return [node.body, *(part.body for part in node.handlers), node.orelse, node.finalbody]


def is_functional(node: Any, may_suspend: bool = True, stages_tries: bool = False) -> bool:
    """Whether a control statement can become blocks.

    Not what suspends the function, and not what control leaves by an exit: those are left to
    Python.
    """
    if isinstance(node, gast.AsyncFor | gast.TryStar):
        return False
    if isinstance(node, gast.Try):
        leaves = exits(node)
        return (
            stages_tries
            and not (may_suspend and suspends([node]))
            and (not leaves or (leaves == {"return"} and ends([node])))
            and not any(map(exits, node.finalbody))
        )
    if may_suspend and suspends([getattr(node, name) for name in _parts(node)]):
        return False
    if isinstance(node, gast.If):
        return not exits(node) or (exits(node) == {"return"} and ends([node]))
    leaves = frozenset[str]().union(*(exits(statement) for statement in node.body))
    return not node.orelse and not leaves


def _raising_again(function: Any) -> set[gast.AST]:
    """The statements with a bare `raise` in an `except*`: those are left to Python.

    An exception that another function has seen is a new one there, and grouped otherwise.
    """
    handlers = [
        handler
        for node in own_nodes(function.body)
        if isinstance(node, gast.TryStar)
        for handler in node.handlers
    ]
    return {
        node
        for handler in handlers
        for node in own_nodes(handler.body)
        if any(isinstance(part, gast.Raise) and part.exc is None for part in own_nodes(node))
    }


def is_async_generator(function: Any) -> bool:
    """Whether a function is a generator that may not return a value."""
    return isinstance(function, gast.AsyncFunctionDef) and any(
        isinstance(node, gast.Yield) for node in own_nodes(function.body)
    )


def _parts(node: Any) -> tuple[str, ...]:
    # A loop's iterable is evaluated outside its blocks.
    return (
        ("body", "orelse") if isinstance(node, gast.For | gast.If) else ("test", "body", "orelse")
    )
