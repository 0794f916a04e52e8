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

The flag is set after the value is computed: an exception in it leaves the flag as it was.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.flow import completions, ends, exits
from autograph.analysis.scopes import suspends
from autograph.context import Context
from autograph.exits import ExitLowering, clear_flag, must_stay
from autograph.quoting.builders import assign, call_ag, constant
from autograph.quoting.templates import quote


def convert(context: Context) -> None:
    """Apply to every function of the tree; generators and coroutines keep their exits."""
    for function in context.functions:
        if not suspends(function.body) and not must_stay(function.body, "return", context):
            function.body = _Returns(context).tail(function.body)


class _Returns:
    """Lowers the returns of one function."""

    def __init__(self, context: Context) -> None:
        self.stages_tries = context.stages_tries
        self.flag = context.namer.available("did_return")
        self.value = context.namer.available("retval")
        context.flags.add(self.value)
        self.lowering = ExitLowering(context, "return", self.flag, self.assigned)

    def assigned(self, node: Any) -> list[gast.stmt]:
        return [assign(self.value, node.value or constant(None, node), node)]

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
        lowered = self.lowering.lowered(node)
        undefined = call_ag("Undefined", [constant(self.value, node)], node)
        leave = quote(
            """
            if flag:
                return value
            else:
                rest
            """,
            at=node,
            flag=self.flag,
            value=self.value,
            rest=self.returning(rest, node),
        )
        return [clear_flag(self.flag, node), assign(self.value, undefined, node), *lowered, *leave]


def _leaves(node: gast.Try) -> bool:
    """Whether a `try` can be one `return`, or has none in it."""
    return not exits(node) or (ends([node]) and not any(map(exits, node.finalbody)))


def _all_or_nothing(statements: list[gast.stmt]) -> bool:
    """Whether control leaves by `return` always, or never."""
    return "return" not in completions(statements) or ends(statements)
