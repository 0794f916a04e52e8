"""Lower `and`, `or` and `not` to operators; operands after the first are lambdas.

>>> from autograph.pipeline import show
>>> print(show('boolean_operators', '''
... def f(a, b, c):
...     return a and b and not c
... '''))
def f(a, b, c):
    return ag.and_(a, lambda: b, lambda: ag.not_(c))
"""

from __future__ import annotations

import gast

from autograph.context import Context
from autograph.quoting.builders import call_ag, lambda_of
from autograph.rewriting import Rules, fits_lambda


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    return {gast.BoolOp: _bool_op, gast.UnaryOp: _unary_op}


def _bool_op(node: gast.BoolOp) -> gast.expr:
    first, *rest = node.values
    if not all(fits_lambda(value) for value in rest):
        return node
    op = "and_" if isinstance(node.op, gast.And) else "or_"
    return call_ag(op, [first, *(lambda_of(value, value) for value in rest)], node)


def _unary_op(node: gast.UnaryOp) -> gast.expr:
    return call_ag("not_", [node.operand], node) if isinstance(node.op, gast.Not) else node
