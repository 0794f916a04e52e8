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

No value can be one of two exceptions, but each branch can raise its own.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import gast

from autograph.context import Context
from autograph.rewriting import Rules


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    return {gast.Raise: _raise}


def _raise(node: gast.Raise) -> gast.stmt:
    raised = node.exc
    is_call = isinstance(raised, gast.Call)
    choice: Any = raised.func if is_call else raised
    if not isinstance(choice, gast.IfExp):
        return node
    arms: list[list[gast.stmt]] = []
    for arm in (choice.body, choice.orelse):
        made = deepcopy(node)
        if is_call:
            made.exc.func = arm
        else:
            made.exc = arm
        arms.append([_raise(made)])
    return gast.copy_location(gast.If(choice.test, *arms), node)
