"""Wrap what is called, so that it is converted too: `ag.call(f)(x)`.

    >>> from autograph.pipeline import show
    >>> print(show('calls', '''
    ... def f(x, g):
    ...     return g(x, *x, k=1) + super().f(x)
    ... '''))
    def f(x, g):
        return ag.call(g)(x, *x, k=1) + ag.call(super().f)(x)

So is a decorator of a function or class that the function defines: `@ag.call(g)`. Arguments stay as
written, and no frame of ours is on the stack when the call happens. `super()` stays as it is: see
`frame_calls`. So does the block of a `with` in the generator that manages it: what watches calls
has it in view already, where the `with` stands.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.scopes import FUNCTIONS
from autograph.context import Context
from autograph.quoting.builders import call_ag
from autograph.rewriting import Rules
from autograph.trees import is_ag


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    return {
        gast.Call: lambda node: _call(node, context),
        **dict.fromkeys((*FUNCTIONS, gast.ClassDef), _decorated),
    }


def _decorated(node: Any) -> Any:
    """A definition whose decorators, which Python calls, are converted."""
    node.decorator_list = [call_ag("call", [each], each) for each in node.decorator_list]
    for member in node.body if isinstance(node, gast.ClassDef) else ():
        if isinstance(member, (*FUNCTIONS, gast.ClassDef)):
            _decorated(member)
    return node


def _call(node: gast.Call, context: Context) -> gast.Call:
    if is_ag(node.func, context.ag) or _stays(node.func, context.block) or _needs_its_frame(node):
        return node
    node.func = call_ag("call", [node.func], node.func)
    return node


def _stays(called: gast.expr, block: str | None) -> bool:
    return block is not None and isinstance(called, gast.Name) and called.id == block


def _needs_its_frame(node: gast.Call) -> bool:
    # `eval` and `exec` without namespaces stay only where their frame is the user's.
    if not isinstance(node.func, gast.Name):
        return False
    name = node.func.id
    return name == "super" or (name in ("eval", "exec") and len(node.args) < 2)
