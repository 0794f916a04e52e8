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

In the form for a function that is traced anew, a backend is asked where all arguments are the items
of one thing, of which only the run may know the number.

    >>> from autograph.forms import Form
    >>> print(show('calls', '''
    ... def f(rows):
    ...     return zip(*rows, strict=True)
    ... ''', Form.ASKING))
    def f(rows):
        return ag.call_spread(zip, rows, strict=True)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.scopes import FUNCTIONS
from autograph.context import Context
from autograph.forms import Form
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
    if context.form is Form.ASKING and _is_spread(node):
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        return call_ag("call_spread", [node.func, node.args[0].value], node, keywords)
    node.func = call_ag("call", [node.func], node.func)
    return node


def _is_spread(node: gast.Call) -> bool:
    """Whether it is `f(*items)`."""
    is_alone = len(node.args) == 1 and isinstance(node.args[0], gast.Starred)
    return is_alone and all(keyword.arg is not None for keyword in node.keywords)


def _stays(called: gast.expr, block: str | None) -> bool:
    return block is not None and isinstance(called, gast.Name) and called.id == block


def _needs_its_frame(node: gast.Call) -> bool:
    # `eval` and `exec` without namespaces stay only where their frame is the user's.
    if not isinstance(node.func, gast.Name):
        return False
    name = node.func.id
    return name == "super" or (name in ("eval", "exec") and len(node.args) < 2)
