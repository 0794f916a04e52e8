"""Lower `and`, `or` and `not` to operators; operands after the first are lambdas.

>>> from autograph.pipeline import show
>>> print(show('boolean_operators', '''
... def f(a, b, c):
...     return a and b and not (b or c)
... '''))
def f(a, b, c):
    return ag.and_(a, lambda: b, lambda: ag.not_(ag.any_(b, lambda: c)))

In a test, which asks no more than the truth, they are `ag.all_` and `ag.any_`: there is no value
that operands would have to join in, and nobody asks one of them a second time.
"""

from __future__ import annotations

from collections.abc import Container
from functools import partial

import gast

from autograph.analysis.conditions import conditions
from autograph.context import Context
from autograph.quoting.builders import call_ag, lambda_of
from autograph.rewriting import Rules, fits_lambda


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    in_tests = conditions(context.tree, context.ag, context.flags)
    return {gast.BoolOp: partial(_bool_op, in_tests), gast.UnaryOp: _unary_op}


def _bool_op(in_tests: Container[gast.BoolOp], node: gast.BoolOp) -> gast.expr:
    first, *rest = node.values
    if not all(fits_lambda(value) for value in rest):
        return node
    names = ("all_", "any_") if node in in_tests else ("and_", "or_")
    op = names[isinstance(node.op, gast.Or)]
    return call_ag(op, [first, *(lambda_of(value, value) for value in rest)], node)


def _unary_op(node: gast.UnaryOp) -> gast.expr:
    return call_ag("not_", [node.operand], node) if isinstance(node.op, gast.Not) else node
