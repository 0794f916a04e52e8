"""Lower `a if test else b` to `ag.cond`, with both arms as lambdas.

>>> from autograph.pipeline import show
>>> print(show('ternaries', '''
... def f(x):
...     return x if x > 0 else -x
... '''))
def f(x):
    return ag.cond(x > 0, lambda: x, lambda: -x)
"""

from __future__ import annotations

import gast

from autograph.context import Context
from autograph.quoting.builders import call_ag, lambda_of
from autograph.rewriting import Rules, fits_lambda


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    return {gast.IfExp: _ternary}


def _ternary(node: gast.IfExp) -> gast.expr:
    arms = (node.body, node.orelse)
    if not all(fits_lambda(arm) for arm in arms):
        return node
    return call_ag("cond", [node.test, *(lambda_of(arm, arm) for arm in arms)], node)
