"""Lower `continue`: where a round ends anyway it goes; elsewhere it is a flag that skips the rest.

>>> from autograph.pipeline import show
>>> print(show('continue_statements', '''
... def count(xs):
...     n = 0
...     for x in xs:
...         if x < 0:
...             continue
...         n = n + 1
...     return n
... '''))
def count(xs):
    n = 0
    for x in xs:
        if x < 0:
            pass
        else:
            n = n + 1
    return n
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.flow import completions
from autograph.analysis.scopes import own_nodes
from autograph.context import Context
from autograph.exits import ExitLowering, clear_flag, must_stay


def convert(context: Context) -> None:
    """Apply to every loop of the tree; generators and coroutines keep their exits."""
    for function in context.functions:
        if function in context.suspending:
            continue
        for node in own_nodes(function.body):
            if isinstance(node, gast.For | gast.While):
                _loop(node, context)


def _loop(node: Any, context: Context) -> None:
    _shorten(node)
    if "continue" not in completions(node.body) or must_stay(node.body, "continue", context):
        return
    flag = context.namer.fresh("did_continue")
    lowering = ExitLowering(context, "continue", flag)
    node.body = [clear_flag(flag, node), *lowering.block(node.body)]


def _without_last(statements: list[gast.stmt]) -> list[gast.stmt]:
    """Without the `continue`s after which the round ends anyway."""
    if not statements:
        return []
    *before, last = statements
    if isinstance(last, gast.Continue):
        return before
    if isinstance(last, gast.If | gast.With):
        _shorten(last)
    if isinstance(last, gast.If):
        last.orelse = _without_last(last.orelse)
    if isinstance(last, gast.Try | gast.TryStar):  # but in a `finally`, where it ends an exception
        if not last.orelse:
            _shorten(last)
        last.orelse = _without_last(last.orelse)
        for handler in last.handlers:
            _shorten(handler)
    return statements


def _shorten(node: Any) -> None:
    node.body = _without_last(node.body) or [gast.copy_location(gast.Pass(), node)]
