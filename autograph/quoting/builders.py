"""Small builders of scaffolding nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from autograph.quoting.nodes import (
    Item,
    item_node,
    make_node,
    name_node,
    parameters_of,
    position_of,
    spelling,
)


def name_load(id: str, at: gast.AST) -> gast.Name:
    """`id`, read."""
    return name_node(id, gast.Load, position_of(at))


def name_store(id: str, at: gast.AST) -> gast.Name:
    """`id`, assigned."""
    return name_node(id, gast.Store, position_of(at))


def constant(value: object, at: gast.AST) -> gast.Constant:
    """A literal."""
    return make_node(gast.Constant, position_of(at), value=value, kind=None)


def tuple_of(
    names: Sequence[Item], at: gast.AST, ctx: type[gast.expr_context] = gast.Load
) -> gast.Tuple:
    """`(a, b)`; also with one name, `(a,)`, and with none, `()`."""
    position = position_of(at)
    elements = [item_node(name, ctx, position) for name in names]
    return make_node(gast.Tuple, position, elts=elements, ctx=ctx())


def bare_or_tuple(
    names: Sequence[Item], at: gast.AST, ctx: type[gast.expr_context] = gast.Load
) -> gast.expr:
    """`a` for one name, else `tuple_of`."""
    return (
        item_node(names[0], ctx, position_of(at)) if len(names) == 1 else tuple_of(names, at, ctx)
    )


def returns(names: Sequence[Item], at: gast.AST) -> gast.Return:
    """`return`, `return a` or `return a, b`."""
    value = bare_or_tuple(names, at) if names else None
    return make_node(gast.Return, position_of(at), value=value)


def assign(name: Item, expr: gast.expr, at: gast.AST) -> gast.Assign:
    """`name = expr`; `name` may be an expression that is a target."""
    position = position_of(at)
    target = item_node(name, gast.Store, position)
    return make_node(gast.Assign, position, targets=[target], value=expr, type_comment=None)


def expression_statement(expr: gast.expr, at: gast.AST) -> gast.Expr:
    """`expr`, as a statement."""
    return make_node(gast.Expr, position_of(at), value=expr)


def call_ag(
    op: str,
    args: Sequence[Item],
    at: gast.AST,
    keywords: Mapping[str, gast.expr] | None = None,
) -> gast.Call:
    """`ag.op(*args, **keywords)`."""
    position = position_of(at)
    ag = name_node(spelling.get(), gast.Load, position)
    function = make_node(gast.Attribute, position, value=ag, attr=op, ctx=gast.Load())
    return make_node(
        gast.Call,
        position,
        func=function,
        args=[item_node(argument, gast.Load, position) for argument in args],
        keywords=[
            make_node(gast.keyword, position, arg=key, value=value)
            for key, value in (keywords or {}).items()
        ],
    )


def lambda_of(expr: gast.expr, at: gast.AST, params: Sequence[str] = ()) -> gast.Lambda:
    """`lambda params: expr`."""
    position = position_of(at)
    return make_node(gast.Lambda, position, args=parameters_of(params, position), body=expr)


def block(
    name: str, params: Sequence[str], body: Sequence[gast.stmt], at: gast.AST
) -> gast.FunctionDef:
    """`def name(params): body`, with a `pass` for an empty body."""
    position = position_of(at)
    return make_node(
        gast.FunctionDef,
        position,
        name=name,
        args=parameters_of(params, position),
        body=list(body) or [make_node(gast.Pass, position)],
        decorator_list=[],
        returns=None,
        type_comment=None,
        type_params=[],
    )
