"""Lower `if` to `ag.cond`.

    >>> from autograph.pipeline import show
    >>> print(show('if_statements', '''
    ... def clip(x, limit):
    ...     if x > limit:
    ...         y = limit
    ...     else:
    ...         y = x
    ...     return y
    ... '''))
    def clip(x, limit):
        def if_body():
            y = limit
            return y
        def else_body():
            y = x
            return y
        y = ag.cond(x > limit, if_body, else_body, defines='y')
        return y

An `if` that ends in `return` or `raise` on every path is `return ag.cond(...)`.
"""

from __future__ import annotations

import gast

from autograph.analysis.blocks import Flow
from autograph.context import Context
from autograph.lowering import control, lower_statements, make_block
from autograph.quoting.builders import constant, returns


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    lower_statements(context, gast.If, _if)


def _if(node: gast.If, context: Context, flow: Flow) -> list[gast.stmt]:
    names = flow.functional.get(node)
    if names is None:
        return [node]
    body = make_block(context, flow, "if_body", names.inputs, node.body, node, names)
    orelse = make_block(context, flow, "else_body", names.inputs, node.orelse, node, names)
    parts = [node.test, body.name, orelse.name]
    if not names.leaves:
        return [body, orelse, control("cond", parts, names, node)]
    # Without a `defines`, the blocks' parameters would name the result.
    result = {"defines": constant("return", node)} if names.inputs else None
    call = control("cond", parts, names, node, result)
    return [body, orelse, returns([call.value], node)]
