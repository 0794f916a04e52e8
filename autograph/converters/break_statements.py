"""Lower `break` to a flag on which the loop stops, and a loop's `else` to an `if` behind the loop.

>>> from autograph.pipeline import show
>>> print(show('break_statements', '''
... def halve(x, limit):
...     while x > 1:
...         x = x / 2
...         if x < limit:
...             break
...     else:
...         x = 0
...     return x
... '''))
def halve(x, limit):
    did_break = False
    while not did_break and x > 1:
        x = x / 2
        if x < limit:
            did_break = True
    if not did_break:
        x = 0
    return x
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.flow import completions
from autograph.context import Context
from autograph.exits import ExitLowering, clear_flag, must_stay, stop_on
from autograph.quoting.templates import quote


def convert(context: Context) -> None:
    """Apply to every loop of the tree; generators and coroutines keep their exits."""
    for function in context.functions:
        if function not in context.suspending:
            function.body = _block(function.body, context, 0)


def _block(statements: list[gast.stmt], context: Context, depth: int) -> list[gast.stmt]:
    made: list[gast.stmt] = []
    for statement in statements:
        made += _statement(statement, context, depth)
    return made


def _statement(node: Any, context: Context, depth: int) -> list[gast.stmt]:
    if isinstance(node, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef):
        return [node]
    is_loop = isinstance(node, gast.For | gast.While)
    breaks = is_loop and "break" in completions(node.body)
    if is_loop and must_stay(node.body, "break", context):
        return [node]
    for name in ("body", "orelse", "finalbody"):
        if getattr(node, name, None):
            inner = depth + (breaks and name == "body")
            setattr(node, name, _block(getattr(node, name), context, inner))
    for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
        part.body = _block(part.body, context, depth)
    if breaks:
        return _loop(node, context, depth)
    return [node, *_take_orelse(node)] if is_loop else [node]


def _loop(node: Any, context: Context, depth: int) -> list[gast.stmt]:
    flag = context.namer.available("did_break" + "_inner" * depth)
    lowering = ExitLowering(context, "break", flag)
    node.body = lowering.block(node.body)
    orelse = _take_orelse(node)
    stop_on(node, flag, context)
    made = [clear_flag(flag, node), node]
    if orelse:
        made += quote("if not flag: orelse", at=node, flag=flag, orelse=orelse)
    return made


def _take_orelse(node: Any) -> list[gast.stmt]:
    orelse, node.orelse = node.orelse, []
    return list(orelse)
