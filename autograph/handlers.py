"""The handlers around a statement that Python has left as they are: `try` and `with` of functions
that are not converted. The source tells what they do, and the table of exceptions of the code how
many there are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import NamedTuple, TypeAlias

from autograph.errors import ConversionError
from autograph.frames import position_in
from autograph.instructions import count_handlers
from autograph.policy import generated

Clause: TypeAlias = Sequence[ast.expr]
"""The classes of an `except`; empty: every exception."""


class Handler(NamedTuple):
    """The handling of exceptions by a `try` or a `with` of the user's.

    `manager` is the expression of the `with`; `clauses` are those of the `try` that are `except`,
    or None for a `finally`.
    """

    kind: str
    line: int
    manager: ast.expr | None = None
    clauses: tuple[Clause | None, ...] = ()


def handlers_around(frame: FrameType) -> Sequence[Handler]:
    """The handlers that an exception at the present instruction meets, innermost first.

    Where no source shows them, one that takes every exception.
    """
    count = count_handlers(frame)
    found = list(_shown(frame)) if count else []
    return found if len(found) == count else [Handler("try", frame.f_lineno, clauses=((),))]


def _shown(frame: FrameType) -> Iterator[Handler]:
    """The handlers that the source shows."""
    from autograph.source import definition_of, statements_at

    _, line, column = position_in(frame)
    # What conversion made stands on the lines of the user's function.
    users = generated.get(frame.f_code) or frame.f_code
    try:
        found = definition_of(users, frame.f_globals)
    except ConversionError:
        return
    if found is None or isinstance(found, ast.Lambda):
        return
    for statement in reversed(list(statements_at(found.body, line))):
        if statement.lineno > frame.f_code.co_firstlineno:  # else around the function, or block
            yield from _handlers_of(statement, (line, (column or 1) - 1))


def _handlers_of(statement: ast.stmt, at: tuple[int, int]) -> Iterator[Handler]:
    """The handlers of a statement for what stands at a place in it, innermost first."""
    line = statement.lineno
    if isinstance(statement, ast.With | ast.AsyncWith):
        managers = [item.context_expr for item in statement.items]
        yield from [
            Handler("with", line, each)
            for each in reversed(managers)
            if (each.end_lineno or 0, each.end_col_offset or 0) <= at
        ]
    if not isinstance(statement, ast.Try | ast.TryStar):
        return
    body, final = statement.body, statement.finalbody
    if at < (body[0].lineno, body[0].col_offset):
        return
    if statement.handlers and at[0] <= (body[-1].end_lineno or 0):
        yield Handler("try", line, clauses=tuple(map(_clause, statement.handlers)))
    if final and at[0] < final[0].lineno:
        yield Handler("try", line, clauses=(None,))


def _clause(handler: ast.ExceptHandler) -> Clause:
    if handler.type is None:
        return ()
    return handler.type.elts if isinstance(handler.type, ast.Tuple) else (handler.type,)
