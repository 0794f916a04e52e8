"""Lower the comparisons that Python decides by itself: chained ones, `in`, and `is`.

    >>> from autograph.pipeline import show
    >>> print(show('comparisons', '''
    ... def f(a, b, c):
    ...     return a < b < c, a is None, (a, b) == c, a == b
    ... '''))
    def f(a, b, c):
        return (
            ag.compare(a, '<', b, '<', lambda: c),
            ag.compare(a, 'is', None),
            ag.compare((a, b), '==', c),
            a == b
        )

A single comparison that calls on its operands' own operator is left as it is. For `in` and `is`
Python asks no operand: any of them can be an object that stands for several, even where the other
one is None. Tuples and lists Python compares item by item, and makes a bool of each answer: they
are known by a display, or by a name that one is assigned to.
"""

from __future__ import annotations

from collections.abc import Container
from functools import partial
from typing import Any

import gast

from autograph.context import Context
from autograph.forms import Form
from autograph.quoting.builders import call_ag, constant, lambda_of
from autograph.rewriting import Rules, fits_lambda
from autograph.trees import walk

_SYMBOLS = {
    gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">=", gast.Eq: "==", gast.NotEq: "!=",
    gast.Is: "is", gast.IsNot: "is not", gast.In: "in", gast.NotIn: "not in",
}  # fmt: skip


_DISPLAYS = gast.Tuple | gast.List


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    displays = None if context.form is Form.ASKING else _names_of_displays(context.tree)
    return {gast.Compare: partial(_compare, displays)}


def _names_of_displays(tree: gast.AST) -> frozenset[str]:
    """The names that a display of a tuple or list is assigned to."""
    return frozenset(
        target.id
        for node in walk(tree)
        if isinstance(node, gast.Assign) and isinstance(node.value, _DISPLAYS)
        for target in node.targets
        if isinstance(target, gast.Name)
    )


def _compare(displays: Container[str] | None, node: gast.Compare) -> gast.expr:
    operands = [node.left, *node.comparators]
    is_decided = _is_decided(node, operands) or _is_of_items(operands, displays)
    if not all(fits_lambda(operand) for operand in operands[2:]) or not is_decided:
        return node
    arguments: list[Any] = [operands[0]]
    for index, (op, operand) in enumerate(zip(node.ops, operands[1:], strict=True)):
        late = lambda_of(operand, operand) if index else operand
        arguments += [constant(_SYMBOLS[type(op)], node), late]
    return call_ag("compare", arguments, node)


def _is_decided(node: gast.Compare, operands: list[Any]) -> bool:
    """Whether Python makes a bool of it without asking an operand's own operator for the result."""
    return len(operands) > 2 or isinstance(node.ops[0], gast.In | gast.NotIn | gast.Is | gast.IsNot)


def _is_of_items(operands: list[Any], displays: Container[str] | None) -> bool:
    """Whether tuples or lists are compared, of which only the run may know an item; without names
    of displays, any operands may be.
    """
    if displays is None:
        return not any(isinstance(operand, gast.Constant) for operand in operands)
    if any(isinstance(operand, gast.Attribute | gast.Constant) for operand in operands):
        return False
    return any(
        isinstance(operand, _DISPLAYS)
        or (isinstance(operand, gast.Name) and operand.id in displays)
        for operand in operands
    )
