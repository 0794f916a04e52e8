"""Write the `yield` of a context manager as a call of the block that stands in its `with`.

>>> import gast
>>> tree = gast.parse('''
... def changed(settings, value):
...     before = settings.value
...     settings.value = value
...     try:
...         yield settings
...     finally:
...         settings.value = before
... ''')
>>> call_block(tree.body[0])
'block'
>>> print(gast.unparse(tree))
<BLANKLINE>
def changed(settings, value, *, block):
    before = settings.value
    settings.value = value
    try:
        block(settings)
    finally:
        settings.value = before

Only one that is reached once, whatever the run decides: it stands in no branch, loop, handler or
`finally`, no `return` comes before it, and nobody asks for its value.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import gast

from autograph.analysis.scopes import own_nodes
from autograph.quoting.builders import constant, name_load
from autograph.quoting.templates import quote_expr

_SUSPENDING = (gast.Yield, gast.YieldFrom, gast.Await)


def call_block(function: Any) -> str | None:
    """Write it so in a function. Returns the keyword for the block; None where it cannot be so."""
    if not isinstance(function, gast.FunctionDef) or len(_suspending(function.body)) != 1:
        return None
    found = _place(function.body)
    if found is None:
        return None
    used = {node.id for node in gast.walk(function) if isinstance(node, gast.Name)}
    block = next(name for name in _names() if name not in used)
    statements, at = found
    node = statements[at]
    value = node.value.value or constant(None, node)
    called = quote_expr("block(value)", at=node, block=name_load(block, node), value=value)
    statements[at] = gast.copy_location(gast.Expr(called), node)
    parameter = gast.Name(block, gast.Param(), None, None)
    function.args.kwonlyargs.append(gast.copy_location(parameter, function))
    function.args.kw_defaults.append(None)
    return block


def _names() -> Iterator[str]:
    yield "block"
    yield from (f"block_{number}" for number in count(2))


def _suspending(statements: list[Any]) -> list[Any]:
    return [node for node in own_nodes(statements) if isinstance(node, _SUSPENDING)]


def _place(statements: list[Any]) -> tuple[list[Any], int] | None:
    """The list of statements that has it, and where."""
    for at, statement in enumerate(statements):
        if _suspending([statement]):
            if isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Yield):
                return statements, at
            if isinstance(statement, gast.With):
                return _place(statement.body)
            if isinstance(statement, gast.Try):
                return _place(statement.body) or _place(statement.orelse)
            return None
        if any(isinstance(node, gast.Return) for node in own_nodes(statement)):
            return None
    return None
