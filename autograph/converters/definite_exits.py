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
from autograph.analysis.scopes import scope_of, suspends
from autograph.context import Context
from autograph.quoting.builders import constant, name_store


def convert(context: Context) -> None:
    """Apply to every function of the tree; generators and coroutines keep their exits."""
    for function in context.functions:
        if not suspends(function.body):
            before = scope_of(function).locals
            function.body = _block(function.body)
            _keep_local(function, before - scope_of(function).locals)


def _keep_local(function: Any, names: frozenset[str]) -> None:
    """Declare names whose only assignments were dropped: they must not become global."""
    for name in sorted(names):
        at = function.body[0]
        declared = gast.AnnAssign(name_store(name, at), constant(None, at), None, 1)
        function.body.insert(0, gast.copy_location(declared, at))


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
