"""Write `with` as a `try` that its manager handles, in a function that is being staged.

    >>> from autograph.forms import Form
    >>> from autograph.pipeline import show
    >>> print(show('try_statements', '''
    ... def f(x, kept):
    ...     with kept as place:
    ...         x = place.of(x)
    ...     return x
    ... ''', Form.STAGED))
    def f(x, kept):
        manager = ag.entered(kept)
        def try_body():
            nonlocal x
            place = manager.value
            x = place.of(x)
        ag.try_(try_body, manager=manager, shared='x')
        return x

Left alone are those whose names say that they let exceptions pass, and those of generators. Where
the `try` does not become blocks, it is a `with` again.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import gast

from autograph.analysis.flow import MANAGER, may_swallow
from autograph.context import Context
from autograph.quoting.builders import assign, call_ag
from autograph.quoting.templates import quote_expr
from autograph.rewriting import rewrite_statements


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    for function in context.functions if context.stages_tries else ():
        if function not in context.suspending:
            rewrite_statements(function, {gast.With: partial(_with, context=context)})


def _with(node: gast.With, context: Context) -> gast.stmt | list[gast.stmt]:
    return _managed(node, node.items, context) if may_swallow(node) else node


def _managed(node: gast.With, items: list[Any], context: Context) -> list[gast.stmt]:
    if not items:
        return list(node.body)
    item, name = items[0], context.namer.fresh("manager")
    at = item.context_expr
    body = _managed(node, items[1:], context)
    if item.optional_vars is not None:
        value = quote_expr("manager.value", at=at, manager=name)
        body.insert(0, assign(item.optional_vars, value, at))
    passing = gast.ExceptHandler(None, None, [gast.copy_location(gast.Pass(), node)])
    made = gast.Try(body, [gast.copy_location(passing, node)], [], [])
    setattr(made, MANAGER, name)
    return [assign(name, call_ag("entered", [at], at), at), gast.copy_location(made, node)]
