"""Write `raise a if test else b` as the `if` that it is.

>>> from autograph.pipeline import show
>>> print(show('raise_statements', '''
... def f(x):
...     raise (KeyError if x > 0 else ValueError)(x)
... '''))
def f(x):
    if x > 0:
        raise KeyError(x)
    else:
        raise ValueError(x)

No value can be one of two exceptions, but each branch can raise its own. A name can have a class
that only the run knows:

>>> print(show('raise_statements', '''
... def f(x):
...     kind = KeyError if x > 0 else ValueError
...     raise kind
... '''))
def f(x):
    kind = KeyError if x > 0 else ValueError
    raise ag.raised(kind)
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import gast

from autograph.context import Context
from autograph.quoting.builders import assign, call_ag, name_load
from autograph.rewriting import Rules
from autograph.trees import walk


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    nodes = list(walk(context.tree))
    caught = {id(node.name) for node in nodes if isinstance(node, gast.ExceptHandler)}
    bound = {
        node.id
        for node in nodes
        if isinstance(node, gast.Name)
        and not isinstance(node.ctx, gast.Load)
        and id(node) not in caught
    }
    return {gast.Raise: lambda node: _raise(node, bound, context)}


def _raise(node: gast.Raise, bound: set[str], context: Context) -> list[gast.stmt]:
    raised = node.exc
    if isinstance(raised, gast.Name) and raised.id in bound:
        return _raise_name(node, raised, context)
    is_call = isinstance(raised, gast.Call)
    choice: Any = raised.func if is_call else raised
    if not isinstance(choice, gast.IfExp):
        return [node]
    arms: list[list[gast.stmt]] = []
    for arm in (choice.body, choice.orelse):
        made = deepcopy(node)
        if is_call:
            made.exc.func = arm
        else:
            made.exc = arm
        arms.append(_raise(made, bound, context))
    return [gast.copy_location(gast.If(choice.test, *arms), node)]


def _raise_name(node: gast.Raise, raised: gast.Name, context: Context) -> list[gast.stmt]:
    causes, before = [], []
    if node.cause is not None and not isinstance(node.cause, gast.Name | gast.Constant):
        # A cause is named twice, so it may be no more than a name.
        kept, cause = context.namer.fresh("raised"), context.namer.fresh("cause")
        before = [assign(kept, raised, node), assign(cause, node.cause, node)]
        raised, node.cause = name_load(kept, node), name_load(cause, node)
    if node.cause is not None:
        causes = [deepcopy(node.cause)]
    node.exc = call_ag("raised", [raised, *causes], node)
    return [*before, node]
