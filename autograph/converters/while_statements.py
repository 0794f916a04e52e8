"""Lower `while` to `ag.while_loop`.

>>> from autograph.pipeline import show
>>> print(show('while_statements', '''
... def f(x, n):
...     while n > 0:
...         x = x * 2
...         n = n - 1
...     return x
... '''))
def f(x, n):
    def while_test(x, n):
        return n > 0
    def while_body(x, n):
        x = x * 2
        n = n - 1
        return x, n
    x, n = ag.while_loop(while_test, while_body, (x, n))
    return x

A `while` that only an exception ends is `return ag.while_loop(..., endless=True)`.
"""

from __future__ import annotations

import gast

from autograph.analysis.blocks import Flow
from autograph.context import Context
from autograph.lowering import control, lower_statements, make_block
from autograph.quoting.builders import constant, returns


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    lower_statements(context, gast.While, _while)


def _while(node: gast.While, context: Context, flow: Flow) -> list[gast.stmt]:
    names = flow.functional.get(node)
    if names is None:
        return [node]
    test = make_block(
        context, flow, "while_test", names.inputs, [returns([node.test], node.test)], node
    )
    body = make_block(context, flow, "while_body", names.inputs, node.body, node, names)
    endless = {"endless": constant(True, node)} if names.leaves else None
    loop = control("while_loop", [test.name, body.name], names, node, endless)
    return [test, body, returns([loop.value], node) if names.leaves else loop]
