"""Lower the comparisons that Python decides by itself: chained ones, `in`, and `is`.

    >>> from autograph.pipeline import show
    >>> print(show('comparisons', '''
    ... def f(a, b, c):
    ...     return a < b < c, a is None, a == b
    ... '''))
    def f(a, b, c):
        return ag.compare(a, '<', b, '<', lambda: c), ag.compare(a, 'is', None), a == b

A single comparison that calls on its operands' own operator is left as it is. For `in` and `is`
Python asks no operand: any of them can be an object that stands for several, even where the other
one is None.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.context import Context
from autograph.quoting.builders import call_ag, constant, lambda_of
from autograph.rewriting import Rules, fits_lambda

_SYMBOLS = {
    gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">=", gast.Eq: "==", gast.NotEq: "!=",
    gast.Is: "is", gast.IsNot: "is not", gast.In: "in", gast.NotIn: "not in",
}  # fmt: skip


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    return {gast.Compare: _compare}


def _compare(node: gast.Compare) -> gast.expr:
    operands = [node.left, *node.comparators]
    if not all(fits_lambda(operand) for operand in operands[2:]) or not _is_decided(node, operands):
        return node
    arguments: list[Any] = [operands[0]]
    for index, (op, operand) in enumerate(zip(node.ops, operands[1:], strict=True)):
        late = lambda_of(operand, operand) if index else operand
        arguments += [constant(_SYMBOLS[type(op)], node), late]
    return call_ag("compare", arguments, node)


def _is_decided(node: gast.Compare, operands: list[Any]) -> bool:
    """Whether Python makes a bool of it without asking an operand's own operator for the result."""
    return len(operands) > 2 or isinstance(node.ops[0], gast.In | gast.NotIn | gast.Is | gast.IsNot)
