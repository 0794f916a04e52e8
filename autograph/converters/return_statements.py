"""Lower `return`: where the function ends anyway it stays; inside loops it is a flag and a value.

    >>> from autograph.pipeline import show
    >>> print(show('return_statements', '''
    ... def find(xs, target):
    ...     i = 0
    ...     for x in xs:
    ...         if x == target:
    ...             return i
    ...         i = i + 1
    ...     return -1
    ... '''))
    def find(xs, target):
        i = 0
        did_return = False
        retval = ag.Undefined('retval')
        for x in ag.until(xs, lambda: did_return):
            if x == target:
                retval = i
                did_return = True
            else:
                i = i + 1
        if did_return:
            return retval
        else:
            return -1

The flag is set after the value is computed: an exception in it leaves the flag as it was. A local
name that the loop does not bind is its own value: what it is in the end, it was at the `return`.

    >>> print(show('return_statements', '''
    ... def tabulated(table, n):
    ...     while True:
    ...         table.append(n)
    ...         if n == 1:
    ...             return table
    ...         n = n // 2
    ... '''))
    def tabulated(table, n):
        did_return = False
        while not did_return:
            table.append(n)
            if n == 1:
                did_return = True
            else:
                n = n // 2
        if did_return:
            return table
        else:
            return None
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.flow import completions, ends, exits
from autograph.analysis.scopes import mentions, own_nodes
from autograph.context import Context
from autograph.exits import ExitLowering, clear_flag, must_stay, undefined
from autograph.quoting.builders import assign, constant
from autograph.quoting.templates import quote
from autograph.trees import walk


def convert(context: Context) -> None:
    """Apply to every function of the tree; generators and coroutines keep their exits."""
    for function in context.functions:
        if function not in context.suspending and not must_stay(function.body, "return", context):
            function.body = _Returns(context, function).tail(function.body)


class _Returns:
    """Lowers the returns of one function."""

    def __init__(self, context: Context, function: Any) -> None:
        self.stages_tries = context.stages_tries
        self.names = _names_of_its_own(function, context)
        self.flag = context.namer.available("did_return")
        self.value = context.namer.available("retval")
        self.kept = False
        self.lowering = ExitLowering(context, "return", self.flag, self.assigned, self.value)

    def assigned(self, node: Any) -> list[gast.stmt]:
        if self.kept:
            return []
        return [assign(self.lowering.held, node.value or constant(None, node), node)]

    def tail(self, statements: list[gast.stmt]) -> list[gast.stmt]:
        """Statements after which the function ends: a `return` may stay one here."""
        for index, statement in enumerate(statements):
            if "return" not in exits(statement) or isinstance(statement, gast.Return):
                continue
            before, rest = statements[:index], statements[index + 1 :]
            if self.keep(statement, rest):
                return [*before, statement, *self.tail(rest)]
            return [*before, *self.by_flag(statement, rest)]
        return statements

    def keep(self, node: Any, rest: list[gast.stmt]) -> bool:
        """Lower inside a statement whose returns may stay returns; False if they may not."""
        match node:
            case gast.If() if not rest:
                node.body = self.returning(node.body, node)
                node.orelse = self.returning(node.orelse, node)
                return True
            case gast.Match() if not rest or all(_all_or_nothing(case.body) for case in node.cases):
                for case in node.cases:
                    case.body = self.tail(case.body)
                return True
            case gast.With() if not rest or _all_or_nothing(node.body):
                node.body = self.tail(node.body)
                return True
            case gast.Try() | gast.TryStar():
                return self.keep_try(node, rest)
        return False

    def keep_try(self, node: Any, rest: list[gast.stmt]) -> bool:
        if isinstance(node, gast.Try) and self.stages_tries and not _leaves(node):
            return False
        parts = [node, *node.handlers]
        whole = [node.body, node.orelse, node.finalbody, *(part.body for part in node.handlers)]
        if (rest or node.orelse or node.finalbody) and not all(map(_all_or_nothing, whole)):
            return False
        for part in parts:
            part.body = self.tail(part.body)
        node.orelse = self.tail(node.orelse)
        node.finalbody = self.tail(node.finalbody)
        return True

    def returning(self, statements: list[gast.stmt], node: gast.stmt) -> list[gast.stmt]:
        """A branch of `node` that ends in `return` on every path."""
        if ends(statements):
            return self.tail(statements)
        at = statements[-1] if statements else node
        return self.tail([*statements, *quote("return value", at=at, value=constant(None, at))])

    def by_flag(self, node: gast.stmt, rest: list[gast.stmt]) -> list[gast.stmt]:
        name = self.name_returned(node)
        self.kept = name is not None
        lowered = self.lowering.lowered(node)
        self.kept = False
        before = [clear_flag(self.flag, node)]
        if name is None:
            before.append(undefined(self.value, node))
        leave = quote(
            """
            if flag:
                return value
            else:
                rest
            """,
            at=node,
            flag=self.flag,
            value=name or self.value,
            rest=self.returning(rest, node),
        )
        return [*before, *lowered, *leave]

    def name_returned(self, node: gast.stmt) -> str | None:
        """The name that each `return` in a statement gives, and that is not bound there."""
        parts = list(own_nodes(node))
        values = [part.value for part in parts if isinstance(part, gast.Return)]
        names = {value.id if isinstance(value, gast.Name) else None for value in values}
        if len(names) != 1 or any(isinstance(part, gast.Try | gast.TryStar) for part in parts):
            return None
        (name,) = names
        found = mentions(node)
        is_bound = name in found.bound or name in found.deleted
        return name if name in self.names and not is_bound else None


def _names_of_its_own(function: Any, context: Context) -> set[str]:
    """The names that no other function can bind."""
    of_others = {
        name
        for node in walk(context.tree)
        if isinstance(node, gast.Global | gast.Nonlocal)
        for name in node.names
    }
    arguments = {node.id for node in walk(function.args) if isinstance(node, gast.Name)}
    return (arguments | set(mentions(function.body).bound)) - of_others


def _leaves(node: gast.Try) -> bool:
    """Whether a `try` can be one `return`, or has none in it."""
    return not exits(node) or (ends([node]) and not any(map(exits, node.finalbody)))


def _all_or_nothing(statements: list[gast.stmt]) -> bool:
    """Whether control leaves by `return` always, or never."""
    return "return" not in completions(statements) or ends(statements)
