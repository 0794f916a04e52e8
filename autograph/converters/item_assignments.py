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

A statement stays as it is, and a tensor refuses it, where the target is no name that can be rebound
(an attribute, a name of another scope) or is not read afterwards: the new value would be lost. The
arguments stand in the order in which Python evaluates them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import gast

from autograph.analysis.blocks import Flow
from autograph.analysis.scopes import own_nodes
from autograph.context import Context
from autograph.quoting import assign, call_ag, constant, lambda_of, name_load
from autograph.rewriting import fits_lambda, rewrite_statements

_OPERATORS = {
    gast.Add: "+=", gast.Sub: "-=", gast.Mult: "*=", gast.Div: "/=", gast.FloorDiv: "//=",
    gast.Mod: "%=", gast.Pow: "**=", gast.MatMult: "@=", gast.LShift: "<<=", gast.RShift: ">>=",
    gast.BitAnd: "&=", gast.BitOr: "|=", gast.BitXor: "^=",
}  # fmt: skip


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    for function in context.functions:
        if any(_is_item(node) for node in own_nodes(function.body)):
            flow = context.flow(function)
            rules = {gast.Assign: partial(_assign, flow), gast.AugAssign: partial(_augmented, flow)}
            rewrite_statements(function, rules)


def _is_item(node: Any) -> bool:
    return isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Store)


def _assign(flow: Flow, node: gast.Assign) -> gast.stmt:
    target = node.targets[0]
    if len(node.targets) > 1 or not _can_rebind(target, node, flow):
        return node
    keywords = {"to": _read(target.value), "at": _slice(target.slice)}
    return assign(target.value.id, call_ag("setitem", [node.value], node, keywords), node)


def _augmented(flow: Flow, node: gast.AugAssign) -> gast.stmt:
    target = node.target
    if not _can_rebind(target, node, flow) or not fits_lambda(node.value):
        return node
    operator = constant(_OPERATORS[type(node.op)], node)
    value = lambda_of(node.value, node.value)
    arguments = [_read(target.value), _slice(target.slice), operator, value]
    return assign(target.value.id, call_ag("update_item", arguments, node), node)


def _can_rebind(target: Any, node: gast.stmt, flow: Flow) -> bool:
    if not _is_item(target) or not isinstance(target.value, gast.Name):
        return False
    name = target.value.id
    scope = flow.scope
    is_read_later = name in flow.live_after[node] or name in scope.captured | scope.outer
    return is_read_later and name in scope.locals | scope.outer


def _read(name: gast.Name) -> gast.expr:
    return name_load(name.id, name)


def _slice(node: Any) -> Any:
    """`a:b` is only syntax within brackets; as an argument it is `slice(a, b, None)`."""
    if isinstance(node, gast.Slice):
        parts = [part or constant(None, node) for part in (node.lower, node.upper, node.step)]
        return call_ag("slice", parts, node)
    if isinstance(node, gast.Tuple):
        node.elts = [_slice(element) for element in node.elts]
    return node
