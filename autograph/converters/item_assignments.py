"""Lower `x[i] = v` to a rebinding of `x`: tensors are values.

    >>> from autograph.pipeline import show
    >>> print(show('item_assignments', '''
    ... def f(x, i, v):
    ...     x[i] = v
    ...     x[0] += v
    ...     return x
    ... '''))
    def f(x, i, v):
        x = ag.setitem(v, to=x, at=i)
        x = ag.update_item(x, 0, '+=', lambda: v)
        return x

Only a local name can be rebound. Elsewhere the statement stands without a target, and a tensor
there is refused. The arguments stand in the order in which Python evaluates them.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.scopes import Scope, own_nodes, scope_of
from autograph.context import Context
from autograph.quoting import assign, call_ag, constant, expression_statement, lambda_of
from autograph.rewriting import fits_lambda, rewrite_statements

_OPERATORS = {
    gast.Add: "+=", gast.Sub: "-=", gast.Mult: "*=", gast.Div: "/=", gast.FloorDiv: "//=",
    gast.Mod: "%=", gast.Pow: "**=", gast.MatMult: "@=", gast.LShift: "<<=", gast.RShift: ">>=",
    gast.BitAnd: "&=", gast.BitOr: "|=", gast.BitXor: "^=",
}  # fmt: skip


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    for function in context.functions:
        scope = scope_of(function)
        rules = {
            gast.Assign: lambda node, scope=scope: _assign(node, scope),
            gast.AugAssign: lambda node, scope=scope: _augmented(node, scope),
        }
        rewrite_statements(function, rules)


def _assign(node: gast.Assign, scope: Scope) -> gast.stmt:
    target = node.targets[0]
    if len(node.targets) > 1 or not isinstance(target, gast.Subscript) or _is_odd(target):
        return node
    keywords = {"to": target.value, "at": target.slice}
    return _rebind(target.value, call_ag("setitem", [node.value], node, keywords), node, scope)


def _augmented(node: gast.AugAssign, scope: Scope) -> gast.stmt:
    target = node.target
    if not isinstance(target, gast.Subscript) or _is_odd(target) or not fits_lambda(node.value):
        return node
    operator = constant(_OPERATORS[type(node.op)], node)
    value = lambda_of(node.value, node.value)
    update = call_ag("update_item", [target.value, target.slice, operator, value], node)
    return _rebind(target.value, update, node, scope)


def _is_odd(target: gast.Subscript) -> bool:
    """Whether the index holds what is no expression by itself."""
    return any(isinstance(part, gast.Starred) for part in own_nodes(target.slice))


def _rebind(base: Any, update: gast.expr, at: gast.stmt, scope: Scope) -> gast.stmt:
    _slices_as_calls(update)
    if isinstance(base, gast.Name) and base.id in scope.locals - scope.captured:
        return assign(base.id, update, at)
    return expression_statement(update, at)


def _slices_as_calls(update: Any) -> None:
    """`a:b` is only syntax within brackets; as an argument it is `slice(a, b, None)`."""
    for keyword in update.keywords:
        keyword.value = _slice(keyword.value)
    if len(update.args) > 1:
        update.args[1] = _slice(update.args[1])


def _slice(node: Any) -> Any:
    if isinstance(node, gast.Slice):
        parts = [part or constant(None, node) for part in (node.lower, node.upper, node.step)]
        return call_ag("slice", parts, node)
    if isinstance(node, gast.Tuple):
        node.elts = [_slice(element) for element in node.elts]
    return node
