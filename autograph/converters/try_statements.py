"""Lower `try` to `ag.try_`, in a function that is being staged.

    >>> from autograph.forms import Form
    >>> from autograph.pipeline import show
    >>> print(show('try_statements', '''
    ... def f(x):
    ...     try:
    ...         y = 10 // x
    ...     except ZeroDivisionError:
    ...         y = 0
    ...     return y
    ... ''', Form.STAGED))
    def f(x):
        y = ag.Undefined('y')
        def try_body():
            nonlocal y
            y = 10 // x
        def except_body():
            nonlocal y
            y = 0
        ag.try_(try_body, (lambda: ZeroDivisionError, except_body), lost='y', shared='y')
        return y

Where the body fails, nobody asks for the names that are `lost`. A handler of a name takes the
exception, and so does one that raises it again. Where nothing is staged, Python's own `try` stays:
its blocks assign where the user's do, as those of other statements in it.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.blocks import BlockNames, Flow
from autograph.analysis.flow import DISCARDS, MANAGER, ends
from autograph.context import Context
from autograph.lowering import control, lower_statements, make_block
from autograph.quoting.builders import (
    assign,
    call_ag,
    constant,
    lambda_of,
    name_load,
    returns,
    tuple_of,
)
from autograph.quoting.templates import quote_expr


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    if context.stages_tries:
        lower_statements(context, gast.Try, _try)


def _try(node: gast.Try, context: Context, flow: Flow) -> list[gast.stmt]:
    names = flow.functional.get(node)
    manager: str | None = getattr(node, MANAGER, None)
    if names is None:
        return [node if manager is None else _as_with(node, manager)]
    body = make_block(context, flow, "try_body", [], node.body, node, names)
    made: list[gast.stmt] = [body]
    parts: list[Any] = [body.name]
    for number, handler in enumerate(node.handlers if manager is None else (), 1):
        word = "except_body" if number == 1 else f"except_body_{number}"
        block = _handler(word, handler, context, flow, names)
        made.append(block)
        kinds: gast.expr = constant(None, handler)
        if handler.type is not None:
            kinds = lambda_of(handler.type, handler)
        parts.append(tuple_of([kinds, block.name], handler))
    keywords: dict[str, gast.expr] = {}
    for name, statements in (("orelse", node.orelse), ("final", node.finalbody)):
        if statements:
            word = "else_body" if name == "orelse" else "finally_body"
            block = make_block(context, flow, word, [], statements, node, names)
            made.append(block)
            keywords[name] = name_load(block.name, node)
    if manager is not None:
        keywords["manager"] = name_load(manager, node)
    flags: list[str] = getattr(node, DISCARDS, [])
    if flags:
        either: gast.expr = name_load(flags[0], node)
        for flag in flags[1:]:
            either = quote_expr("first or second", at=node, first=either, second=flag)
        keywords["discards"] = lambda_of(either, node)
    read = {*flow.handled(node), *flags}
    lost = [name for name in names.shared if name not in read]
    if lost and (node.handlers or node.finalbody):
        keywords["lost"] = constant(", ".join(lost), node)
    call = control("try_", parts, names, node, keywords)
    return [*made, returns([call.value], node) if names.leaves else call]


def _handler(
    word: str, handler: Any, context: Context, flow: Flow, names: BlockNames
) -> gast.FunctionDef:
    if handler.name is None:
        taken = [context.namer.available("error")] if _raises_again(handler) else []
        return make_block(context, flow, word, taken, handler.body, handler, names)
    name, body = handler.name.id, handler.body
    if name not in names.shared:
        return make_block(context, flow, word, [name], body, handler, names)
    # Others see the name: it is theirs, and without a value behind the handler.
    error = context.namer.available("error")
    body = [assign(name, name_load(error, handler), handler), *body]
    if not ends(body):
        unbound = call_ag("Undefined", [constant(name, handler)], body[-1])
        body.append(assign(name, unbound, body[-1]))
    return make_block(context, flow, word, [error], body, handler, names)


def _as_with(node: gast.Try, manager: str) -> gast.With:
    item = gast.withitem(name_load(manager, node), None)
    return gast.copy_location(gast.With([item], node.body), node)


def _raises_again(handler: Any) -> bool:
    return any(
        isinstance(node, gast.Raise) and node.exc is None
        for statement in handler.body
        for node in gast.walk(statement)
    )
