"""Lower `for` to `ag.for_loop`.

    >>> from autograph.pipeline import show
    >>> print(show('for_statements', '''
    ... def f(xs):
    ...     total = 0
    ...     for x in xs:
    ...         total = total + x
    ...     return total
    ... '''))
    def f(xs):
        total = 0
        def for_body(x, total):
            total = total + x
            return total
        total = ag.for_loop(xs, for_body, (total,))
        return total

The element is a parameter of its own where the loop's target is not simply a name that only the
body reads. A stop condition becomes `for_test`, asked before each further element.
"""

from __future__ import annotations

import gast

from autograph.analysis.blocks import BlockNames, Flow
from autograph.context import Context
from autograph.exits import until_of
from autograph.lowering import control, lower_statements, make_block
from autograph.quoting.builders import assign, name_load, returns
from autograph.quoting.templates import quote_expr


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    lower_statements(context, gast.For, _for)


def _for(node: gast.For, context: Context, flow: Flow) -> list[gast.stmt]:
    names = flow.functional.get(node)
    if names is None:
        return [node]
    items, stop = until_of(node, context.ag)
    item, first = _element(node, context, names)
    statements = [*first, *node.body]
    body = make_block(context, flow, "for_body", [item, *names.inputs], statements, node, names)
    if stop is None:
        return [body, control("for_loop", [items, body.name], names, node)]
    going = returns([quote_expr("not stop", at=node, stop=stop)], node)
    test = make_block(context, flow, "for_test", names.inputs, [going], node)
    ask = {"test": name_load(test.name, node)}
    return [test, body, control("for_loop", [items, body.name], names, node, ask)]


def _element(node: gast.For, context: Context, names: BlockNames) -> tuple[str, list[gast.stmt]]:
    """The body's first parameter, and the statements that assign it to the loop's target."""
    target = node.target
    if isinstance(target, gast.Name) and target.id not in {*names.inputs, *names.shared}:
        return target.id, []
    item = context.namer.available("item")
    return item, [assign(target, name_load(item, target), target)]
