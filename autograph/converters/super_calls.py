"""Write out the arguments of `super()` where it will stand in a block function or a lambda.

>>> from autograph.pipeline import show
>>> print(show('super_calls', '''
... def f(self, x):
...     if x:
...         x = super().f(x)
...     return super().f(x)
... '''))
def f(self, x):
    if x:
        x = super(__class__, self).f(x)
    return super().f(x)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.scopes import parameters
from autograph.context import Context
from autograph.quoting.builders import name_load

# What has parts that become blocks or lambdas; tries do in some forms.
_PARTED = (
    *(gast.If, gast.For, gast.While, gast.IfExp, gast.BoolOp, gast.Compare, gast.Assert),
    *(gast.Try, gast.TryStar),
)
_SCOPES = gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef | gast.Lambda


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    if "super" not in context.names:
        return
    for function in context.functions:
        names = parameters(function)
        for node in _parted(function) if names else ():
            if _is_super(node):
                node.args = [name_load("__class__", node), name_load(names[0], node)]


def _is_super(node: gast.AST) -> bool:
    return (
        isinstance(node, gast.Call)
        and isinstance(node.func, gast.Name)
        and node.func.id == "super"
        and not node.args
    )


def _updates_item(node: Any) -> bool:
    """Whether it is `x[i] += v`, of which the value will stand in a lambda."""
    return isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Subscript)


def _parted(function: Any) -> list[Any]:
    """The nodes below control statements and operators of a function's own."""
    found: list[Any] = []
    pending: list[tuple[Any, bool]] = [(statement, False) for statement in function.body]
    while pending:
        node, inside = pending.pop()
        if inside:
            found.append(node)
        if not isinstance(node, _SCOPES):
            inside = inside or isinstance(node, _PARTED) or _updates_item(node)
            pending.extend((child, inside) for child in gast.iter_child_nodes(node))
    return found
