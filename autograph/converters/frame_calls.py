"""Calls that look at the frame that they stand in: a block function or a lambda is not the user's.

    >>> from autograph.pipeline import show
    >>> print(show('frame_calls', '''
    ... def f(self):
    ...     return lambda: super().f()
    ... '''))
    def f(self):
        return lambda: super(__class__, self).f()

`super()` gets its arguments written out. `locals()` and its like are refused; `eval` and `exec`
only in blocks, where they would miss names.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.scopes import own_nodes, parameters
from autograph.context import Context
from autograph.errors import ConversionError
from autograph.quoting import name_load

_SEES_LOCALS = {"locals": 1, "vars": 1, "dir": 1, "eval": 2, "exec": 2}


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    if context.names.isdisjoint({"super", *_SEES_LOCALS}):
        return
    for function in context.functions:
        _write_out_super(function, context)
        _refuse_locals(function.body, context, {"locals", "vars", "dir"})
    for made in context.blocks:
        _refuse_locals(made.body, context, set(_SEES_LOCALS))


def _is_super(node: gast.AST) -> bool:
    return (
        isinstance(node, gast.Call)
        and isinstance(node.func, gast.Name)
        and node.func.id == "super"
        and not node.args
    )


def _write_out_super(function: Any, context: Context) -> None:
    """Give zero-argument `super()` its arguments in the blocks and lambdas of a method."""
    names = parameters(function)
    blocks = {id(made) for made in context.blocks}
    for node in _inside_blocks(function, blocks) if names else ():
        if _is_super(node):
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


def _refuse_locals(statements: list[gast.stmt], context: Context, names: set[str]) -> None:
    for node in own_nodes(statements):
        if (
            isinstance(node, gast.Call)
            and isinstance(node.func, gast.Name)
            and node.func.id in names
            and len(node.args) < _SEES_LOCALS[node.func.id]
        ):
            raise ConversionError.at(
                node,
                f"`{node.func.id}` would see names of the converted function that are not the "
                "user's, or not see some that are",
                filename=context.filename,
                variable=node.func.id,
                hint="name what it needs, or exclude the function with `do_not_convert`",
            )
