"""Move what follows an `if` that leaves by one branch into the other branch.

    >>> from autograph.pipeline import show
    >>> print(show('definite_exits', '''
    ... def sign(x):
    ...     if x < 0:
    ...         return -1
    ...     return 1
    ... '''))
    def sign(x):
        if x < 0:
            return -1
        else:
            return 1

Most exits then stand where control ends anyway, and need no flag. In a loop, what follows a `try`
that leaves by its handlers moves into the `else` of that.

    >>> print(show('definite_exits', '''
    ... def total(lines):
    ...     n = 0
    ...     for line in lines:
    ...         try:
    ...             value = float(line)
    ...         except ValueError:
    ...             continue
    ...         n = n + value
    ...     return n
    ... '''))
    def total(lines):
        n = 0
        for line in lines:
            try:
                value = float(line)
            except ValueError:
                continue
            else:
                n = n + value
        return n

What cannot be reached is dropped, the `else` of a `try` or loop too: an exit left in it would stand
in a block. A branch that only raises stays a guard.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Any

import gast

from autograph.analysis.flow import COMPOUND, EXITS, completions, ends, is_endless
from autograph.analysis.scopes import scope_of, suspends
from autograph.context import Context
from autograph.quoting.builders import constant, name_store
from autograph.rewriting import rewrite_statements


def convert(context: Context) -> None:
    """Apply to every function of the tree; generators and coroutines keep their exits."""
    for function in context.functions:
        before = scope_of(function).locals
        _drop_declarations(function)
        reachable = _Reachable(function in context.suspending, context.stages_tries)
        function.body = reachable.block(function.body)
        _keep_local(function, before - scope_of(function).locals)


def _drop_declarations(function: Any) -> None:
    """Drop `n: int` but for those that come first: a block would have an `n` of its own."""
    head = list(takewhile(lambda statement: not isinstance(statement, COMPOUND), function.body))
    passes: list[gast.stmt] = []

    def dropped(node: gast.AnnAssign) -> gast.stmt:
        if node.value is not None or not isinstance(node.target, gast.Name) or node in head:
            return node
        passes.append(gast.copy_location(gast.Pass(), node))
        return passes[-1]

    rewrite_statements(function, {gast.AnnAssign: dropped})
    function.body = [statement for statement in function.body if statement not in passes]


def _keep_local(function: Any, names: frozenset[str]) -> None:
    """Declare names whose only assignments were dropped: they must not become global."""
    at = function.body[0]
    for name in sorted(names):
        declared = gast.AnnAssign(name_store(name, at), constant(None, at), None, 1)
        function.body.insert(0, gast.copy_location(declared, at))


class _Reachable:
    """The transformation of one function, which keeps the code that control reaches.

    Args:
        may_suspend: whether it is a generator or coroutine, whose exits stay where they are; so
            does what makes it one.
        fills_tries: whether what follows a `try` may move into it. Outside of loops a `return` in a
            handler needs no flag, unless the `try` becomes a block.
    """

    def __init__(self, may_suspend: bool, fills_tries: bool) -> None:
        self.may_suspend = may_suspend
        self.fills_tries = fills_tries

    def block(self, statements: list[gast.stmt]) -> list[gast.stmt]:
        for index, statement in enumerate(statements):
            rest = statements[index + 1 :]
            if rest and not self.may_suspend:
                rest = self.move_into(statement, rest)
            self.inside(statement)
            if not rest or (ends([statement]) and self.may_drop(rest)):
                return statements[: index + 1]
        return statements

    def move_into(self, node: Any, rest: list[gast.stmt]) -> list[gast.stmt]:
        """Move the rest into a branch, and return what is left to follow the statement."""
        if isinstance(node, gast.Try) and self.fills_tries:
            goes_on = _handlers_leave(node) and not ends([node])
        else:
            goes_on = isinstance(node, gast.If) and _leaves(node.body) and not ends(node.orelse)
        if goes_on:
            node.orelse = [*node.orelse, *rest]
            return []
        if isinstance(node, gast.If) and _leaves(node.orelse) and not ends(node.body):
            node.body = [*node.body, *rest]
            return []
        return rest

    def inside(self, node: Any) -> None:
        if isinstance(node, gast.ClassDef | gast.FunctionDef | gast.AsyncFunctionDef):
            return
        outside = self.fills_tries
        self.fills_tries |= isinstance(node, gast.For | gast.While)
        if _skips_else(node) and self.may_drop(node.orelse):
            node.orelse = []
        for name in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, name, None), list):
                setattr(node, name, self.block(getattr(node, name)))
        for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
            part.body = self.block(part.body)
        self.fills_tries = outside

    def may_drop(self, statements: list[gast.stmt]) -> bool:
        return not self.may_suspend or not suspends(statements)


def _skips_else(node: Any) -> bool:
    """Whether control never comes to the `else` of a `try` or loop."""
    if isinstance(node, gast.Try | gast.TryStar):
        return ends(node.body)
    return isinstance(node, gast.While) and is_endless(node)


def _handlers_leave(node: gast.Try) -> bool:
    """Whether what follows a `try` is reached by the end of its `else` alone."""
    parts = [handler.body for handler in node.handlers]
    return not node.finalbody and all(map(ends, parts)) and any(map(_leaves, parts))


def _leaves(statements: list[gast.stmt]) -> bool:
    return ends(statements) and bool(completions(statements) & EXITS)
