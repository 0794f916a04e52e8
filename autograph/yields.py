"""Write the `yield`s of a generator as calls: that of a context manager as a call of the block that
stands in its `with`, those of another one as calls of what takes its elements.

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

That only of one that is reached once, whatever the run decides: it stands in no branch, loop,
handler or `finally`, no `return` comes before it, and nobody asks for its value.

>>> tree = gast.parse('''
... def halves(x):
...     while x > 1:
...         yield x
...         x = x // 2
...     yield from (1, 0)
... ''')
>>> call_at_each(tree.body[0], stops=True)
'block'
>>> print(gast.unparse(tree))
<BLANKLINE>
def halves(x, *, block):
    while x > 1:
        if block(x):
            return
        x = x // 2
    for item in (1, 0):
        if block(item):
            return

Or what is called has an attribute `each`, which takes all that another generator gives: so it is
the same at each depth of a generator that calls itself.

>>> tree = gast.parse('''
... def walk(node):
...     if node is not None:
...         yield from walk(node.left)
...         yield node.key
...         for key in walk(node.right):
...             yield key
... ''')
>>> call_at_each(tree.body[0], stops=False, passes_on=True)
'block'
>>> print(gast.unparse(tree))
<BLANKLINE>
def walk(node, *, block):
    if node is not None:
        block.each(walk(node.left))
        block(node.key)
        block.each(walk(node.right))

>>> tree = gast.parse('''
... def countdown(n):
...     if n == 0:
...         return
...     yield n
...     yield from countdown(n - 1)
... ''')
>>> call_at_each(tree.body[0], stops=True, passes_on=True)
'block'
>>> print(gast.unparse(tree))
<BLANKLINE>
def countdown(n, *, block):
    if n == 0:
        return False
    if block(n):
        return True
    if block.each(countdown(n - 1)):
        return True
    return False

This of those that stand in branches, loops, and the `try` of a `finally`, which runs where Python
would close the generator: what the taker raises, or that it takes no more, is no concern of the
handlers and managers of the generator's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, count
from typing import Any

import gast

from autograph.analysis.flow import NEXT, completions
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
    block = next(_free_names(function, "block"))
    statements, at = found
    statements[at] = _calling(statements[at], block)
    return _taking(function, block)


def call_at_each(function: Any, stops: bool, passes_on: bool = False) -> str | None:
    """Write it so in a function. Returns the keyword for what is called; None where it cannot be.

    Args:
        stops: whether a true answer of what is called ends the generator.
        passes_on: whether what is called has an attribute `each`, for all that another one gives.
            With `stops`, the function then tells whether it has ended so.
    """
    if not isinstance(function, gast.FunctionDef):
        return None
    block = next(_free_names(function, "block"))
    item = None if passes_on else next(_free_names(function, "item"))
    if passes_on:
        _shorten(function.body, _only_passed_on(function))
        if stops:
            _tell_whether_left(function)
    calls = _calls_at_each(function.body, block, item, stops)
    return _taking(function, block) if calls else None


def _only_passed_on(function: Any) -> set[str]:
    """The names that stand in loops `for x in items: yield x` alone."""
    nodes = list(gast.walk(function))
    uses = Counter(node.id for node in nodes if isinstance(node, gast.Name))
    for node in nodes:
        if isinstance(node, gast.Global | gast.Nonlocal):
            uses.update(node.names)
    passed = Counter(filter(None, map(_passed_on, nodes)))
    return {name for name, loops in passed.items() if uses[name] == 2 * loops}


def _passed_on(node: Any) -> str | None:
    """The name `x` of `for x in items: yield x`; None for what is another statement."""
    if not isinstance(node, gast.For) or node.orelse or len(node.body) != 1:
        return None
    given = getattr(node.body[0], "value", None)
    if not isinstance(given, gast.Yield) or not isinstance(given.value, gast.Name):
        return None
    target = node.target
    return target.id if isinstance(target, gast.Name) and target.id == given.value.id else None


def _shorten(statements: list[Any], names: set[str]) -> None:
    """Write such loops as `yield from items`."""
    for at, node in enumerate(statements):
        if _passed_on(node) in names:
            given = gast.copy_location(gast.YieldFrom(node.iter), node)
            statements[at] = gast.copy_location(gast.Expr(given), node)
            continue
        for part in ("body", "orelse", "finalbody"):
            _shorten(getattr(node, part, []), names)


def _calls_at_each(statements: list[Any], block: str, item: str | None, stops: bool) -> bool:
    for at, node in enumerate(statements):
        if not _suspending([node]):
            continue
        if isinstance(node, gast.Expr) and isinstance(node.value, gast.Yield):
            statements[at] = _stopping(_calling(node, block), stops, tells=item is None)
        elif isinstance(node, gast.Expr) and isinstance(node.value, gast.YieldFrom):
            if item is None:
                statements[at] = _stopping(_passing_on(node, block), stops, tells=True)
                continue
            each = gast.Expr(gast.copy_location(gast.Yield(name_load(item, node)), node))
            body = [_stopping(_calling(gast.copy_location(each, node), block), stops)]
            target = gast.copy_location(gast.Name(item, gast.Store(), None, None), node)
            loop = gast.For(target, node.value.value, body, [], None)
            statements[at] = gast.copy_location(loop, node)
        elif isinstance(node, gast.If | gast.For | gast.While):
            parts = [node.body, node.orelse]
            if len(_suspending([node])) != sum(len(_suspending(part)) for part in parts):
                return False
            if not all(_calls_at_each(part, block, item, stops) for part in parts):
                return False
        elif isinstance(node, gast.Try) and _only_cleans_up(node):
            if not _calls_at_each(node.body, block, item, stops):
                return False
        else:
            return False
    return True


def _only_cleans_up(node: gast.Try) -> bool:
    """Whether a `try` does the same whatever leaves it: it has a `finally` alone, which ends."""
    return (
        not node.handlers
        and not _suspending(node.finalbody)
        and completions(node.finalbody) == NEXT
    )


def _calling(node: Any, block: str) -> Any:
    """The call in place of a `yield` that is a statement."""
    value = node.value.value or constant(None, node)
    called = quote_expr("block(value)", at=node, block=name_load(block, node), value=value)
    return gast.copy_location(gast.Expr(called), node)


def _passing_on(node: Any, block: str) -> Any:
    """The call in place of a `yield from` that is a statement."""
    holes = {"block": name_load(block, node), "items": node.value.value}
    return gast.copy_location(gast.Expr(quote_expr("block.each(items)", at=node, **holes)), node)


def _tell_whether_left(function: Any) -> None:
    """Return False where it ends of itself."""
    for node in own_nodes(function.body):
        if isinstance(node, gast.Return):
            node.value = constant(False, node)
    last = function.body[-1]
    function.body.append(gast.copy_location(gast.Return(constant(False, last)), last))


def _stopping(call: Any, stops: bool, tells: bool = False) -> Any:
    if not stops:
        return call
    leave = gast.copy_location(gast.Return(constant(True, call) if tells else None), call)
    return gast.copy_location(gast.If(call.value, [leave], []), call)


def _taking(function: Any, block: str) -> str:
    """The function takes what it calls as a keyword."""
    parameter = gast.Name(block, gast.Param(), None, None)
    function.args.kwonlyargs.append(gast.copy_location(parameter, function))
    function.args.kw_defaults.append(None)
    return block


def _free_names(function: Any, name: str) -> Iterator[str]:
    used = {node.id for node in gast.walk(function) if isinstance(node, gast.Name)}
    names = chain([name], (f"{name}_{number}" for number in count(2)))
    return (each for each in names if each not in used)


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
