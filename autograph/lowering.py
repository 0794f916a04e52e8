"""The common part of the converters of `if`, `while` and `for`: blocks, and calls on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import gast

from autograph.analysis.blocks import BlockNames, Flow
from autograph.analysis.flow import ends
from autograph.analysis.scopes import mentions, own_nodes
from autograph.context import Context
from autograph.quoting.builders import (
    assign,
    bare_or_tuple,
    block,
    call_ag,
    constant,
    expression_statement,
    returns,
    tuple_of,
)
from autograph.rewriting import rewrite_statements


class Lower(Protocol):
    """A function that gives the statements in place of a control statement."""

    def __call__(self, node: Any, context: Context, flow: Flow) -> list[gast.stmt]: ...


def lower_statements(context: Context, kind: type[gast.stmt], lower: Lower) -> None:
    """Replace every statement of a kind, inner ones first."""
    for function in context.functions:
        flow = context.flow(function)
        blocks = {id(made) for made in context.blocks}
        rewrite_statements(function, {kind: partial(lower, context=context, flow=flow)}, blocks)


def make_block(
    context: Context,
    flow: Flow,
    name: str,
    params: Sequence[str],
    body: Sequence[gast.stmt],
    at: gast.AST,
    names: BlockNames | None = None,
) -> gast.FunctionDef:
    """A block function that runs `body` and returns the outputs of the statement."""
    statements = [statement for statement in body if not isinstance(statement, gast.Pass)]
    if names is not None:
        statements = [*_declare(flow, names.shared, statements, at), *statements]
        if names.outputs and not ends(body):
            statements.append(returns(names.outputs, body[-1] if body else at))
    made = block(context.namer.available(name), params, statements, at)
    if names is not None and names.shared:
        rewrite_statements(made, {gast.AnnAssign: partial(_unannotated, names.shared)})
    context.blocks.append(made)
    return made


def _unannotated(shared: Sequence[str], node: gast.AnnAssign) -> gast.stmt:
    # Python refuses an annotation where the name is declared; in functions none is evaluated.
    if not isinstance(node.target, gast.Name) or node.target.id not in shared:
        return node
    return assign(node.target, node.value, node)


def control(
    op: str,
    parts: Sequence[Any],
    names: BlockNames,
    at: gast.AST,
    keywords: Mapping[str, gast.expr] | None = None,
) -> Any:
    """The statement `outputs = ag.op(*parts, inputs, ...)`."""
    inputs = [tuple_of(names.inputs, at)] if names.inputs else []
    given = dict(keywords or {})
    if names.outputs != names.inputs and "defines" not in given:
        given["defines"] = constant(", ".join(names.outputs), at)
    if names.shared:
        given["shared"] = constant(", ".join(names.shared), at)
    call = call_ag(op, [*parts, *inputs], at, given)
    if not names.outputs:
        return expression_statement(call, at)
    return assign(bare_or_tuple(names.outputs, at, gast.Store), call, at)


def _declare(
    flow: Flow, shared: Sequence[str], body: Sequence[gast.stmt], at: gast.AST
) -> list[gast.stmt]:
    if not shared:
        return []
    found = mentions(list(body))
    # Statements in it that are lowered later bind what they give, be it by blocks in them by now.
    later = [flow.functional[node] for node in own_nodes([*body]) if node in flow.functional]
    bound = set(found.bound).union(*(names.outputs for names in later))
    mentioned = [name for name in shared if name in bound or name in found.captured]
    globals_ = [name for name in mentioned if name in flow.scope.globals]
    others = [name for name in mentioned if name not in flow.scope.globals]
    made: list[gast.stmt] = []
    if globals_:
        made.append(gast.copy_location(gast.Global(names=globals_), at))
    if others:
        made.append(gast.copy_location(gast.Nonlocal(names=others), at))
    return made
