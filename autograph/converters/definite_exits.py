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

Most exits then stand where control ends anyway, and need no flag. What cannot be reached is
dropped. A branch that only raises stays a guard.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.flow import EXITS, completions, ends
from autograph.analysis.scopes import suspends
from autograph.context import Context


def convert(context: Context) -> None:
    """Apply to every function of the tree; generators and coroutines keep their exits."""
    for function in context.functions:
        if not suspends(function.body):
            function.body = _block(function.body)


def _block(statements: list[gast.stmt]) -> list[gast.stmt]:
    for index, statement in enumerate(statements):
        rest = statements[index + 1 :]
        if isinstance(statement, gast.If) and rest:
            rest = _move_into_branch(statement, rest)
        _inside(statement)
        if not rest or ends([statement]):
            return statements[: index + 1]
    return statements


def _move_into_branch(node: gast.If, rest: list[gast.stmt]) -> list[gast.stmt]:
    """What is left to follow the `if`."""
    if _leaves(node.body) and not ends(node.orelse):
        node.orelse = [*node.orelse, *rest]
        return []
    if _leaves(node.orelse) and not ends(node.body):
        node.body = [*node.body, *rest]
        return []
    return rest


def _leaves(statements: list[gast.stmt]) -> bool:
    return ends(statements) and bool(completions(statements) & EXITS)


def _inside(node: Any) -> None:
    for name in ("body", "orelse", "finalbody"):
        if isinstance(getattr(node, name, None), list) and not isinstance(node, gast.ClassDef):
            setattr(node, name, _block(getattr(node, name)))
    for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
        part.body = _block(part.body)
