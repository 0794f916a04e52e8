"""Wrap what is called, so that it is converted too: `ag.call(f)(x)`.

    >>> from autograph.pipeline import show
    >>> print(show('calls', '''
    ... def f(x, g):
    ...     return g(x, *x, k=1) + super().f(x)
    ... '''))
    def f(x, g):
        return ag.call(g)(x, *x, k=1) + ag.call(super().f)(x)

Arguments stay as written, and no frame of ours is on the stack when the call happens. `super()` must
stay as it is; inside a block function or a lambda its arguments are written out.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.scopes import functions_in, parameters
from autograph.context import Context
from autograph.errors import ConversionError
from autograph.quoting import call_ag, name_load
from autograph.rewriting import is_ag, rewrite

_SEES_LOCALS = {"locals", "vars", "dir", "eval", "exec"}


def convert(context: Context) -> None:
    """Apply to the whole tree."""
    for function in [context.tree, *functions_in(context.tree)]:
        _write_out_super(function, context)
    for made in context.blocks:
        _refuse_locals(made, context)
    rewrite(context.tree, {gast.Call: lambda node: _call(node, context.ag)})


def _call(node: gast.Call, ag: str) -> gast.Call:
    if is_ag(node.func, ag) or _is_super(node):
        return node
    if isinstance(node.func, gast.Call) and is_ag(node.func.func, ag):
        return node
    node.func = call_ag("call", [node.func], node.func)
    return node


def _is_super(node: gast.Call) -> bool:
    return isinstance(node.func, gast.Name) and node.func.id == "super"


def _write_out_super(function: Any, context: Context) -> None:
    """Give zero-argument `super()` its arguments in the blocks and lambdas of a method."""
    names = parameters(function)
    blocks = {id(made) for made in context.blocks}
    if not names or id(function) in blocks:
        return
    for node in _inside_blocks(function, blocks):
        if isinstance(node, gast.Call) and _is_super(node) and not node.args:
            node.args = [name_load("__class__", node), name_load(names[0], node)]


def _inside_blocks(function: Any, blocks: set[int]) -> list[gast.AST]:
    """The nodes in the blocks and lambdas of a function, not those of its nested functions."""
    found: list[gast.AST] = []
    pending: list[tuple[Any, bool]] = [(statement, False) for statement in function.body]
    while pending:
        node, inside = pending.pop()
        if isinstance(node, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef):
            if id(node) not in blocks:
                continue
            inside = True
        inside = inside or isinstance(node, gast.Lambda)
        if inside:
            found.append(node)
        pending.extend((child, inside) for child in gast.iter_child_nodes(node))
    return found


def _refuse_locals(made: gast.FunctionDef, context: Context) -> None:
    for node in gast.walk(made):
        if (
            isinstance(node, gast.Call)
            and isinstance(node.func, gast.Name)
            and node.func.id in _SEES_LOCALS
            and len(node.args) < (2 if node.func.id in {"eval", "exec"} else 1)
        ):
            raise ConversionError.at(
                node,
                f"`{node.func.id}()` inside an `if` or a loop would see the block's names, "
                "not the function's",
                filename=context.filename,
                variable=node.func.id,
                hint="call it before the statement, or exclude the function with `do_not_convert`",
            )
