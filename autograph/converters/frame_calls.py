"""Refuse calls that look at the names of the frame that they stand in: those are not just the
user's.

`locals()`, `vars()` and `dir()` would see the generated ones; `eval` and `exec` without namespaces
would miss the user's inside a block function.

    >>> from autograph.pipeline import show
    >>> show('frame_calls', '''
    ... def look(x):
    ...     return locals()
    ... ''')
    Traceback (most recent call last):
    autograph.errors.ConversionError: <unknown>:3:12: `locals` would see names of ...
"""

from __future__ import annotations

import gast

from autograph.analysis.scopes import own_nodes
from autograph.context import Context
from autograph.errors import ConversionError

# Each with the number of arguments from which on it looks elsewhere.
_SEES_NAMES = {"locals": 1, "vars": 1, "dir": 1}
_NEEDS_NAMES = {"eval": 2, "exec": 2}


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    if context.names.isdisjoint(_SEES_NAMES | _NEEDS_NAMES):
        return
    for function in context.functions:
        _refuse(function.body, context, _SEES_NAMES)
    for made in context.blocks:
        _refuse(made.body, context, _SEES_NAMES | _NEEDS_NAMES)


def _refuse(statements: list[gast.stmt], context: Context, refused: dict[str, int]) -> None:
    for node in own_nodes(statements):
        if (
            isinstance(node, gast.Call)
            and isinstance(node.func, gast.Name)
            and len(node.args) < refused.get(node.func.id, 0)
        ):
            raise ConversionError.at(
                node,
                f"`{node.func.id}` would see names of the converted function that are not the "
                "user's, or not see some that are",
                filename=context.filename,
                variable=node.func.id,
                hint="name what it needs, or exclude the function with `do_not_convert`",
            )
