"""The ways in which control can leave a list of statements: its *completions*.

`next` (falls off the end), `return`, `break`, `continue`, `raise`. What merely may raise, as almost
any statement, does not count; `raise` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast

DISCARDS = "discards"
"""What a lowered `try` has whose `finally` may drop an exception: the flags of its exits."""

MANAGER = "manager"
"""What a `try` has that was a `with`: the name of the manager that handles what its body raises."""

COMPOUND = (gast.If, gast.For, gast.While, gast.With, gast.Try, gast.TryStar, gast.Match)

NEXT = frozenset({"next"})
EXITS = frozenset({"return", "break", "continue"})


def completions(statements: Sequence[gast.stmt]) -> frozenset[str]:
    """The ways in which control can leave these statements."""
    ways: frozenset[str] = frozenset()
    for statement in statements:
        found = _completions_of(statement)
        ways |= found - NEXT
        if "next" not in found:
            return ways
    return ways | NEXT


def ends(statements: Sequence[gast.stmt]) -> bool:
    """Whether control never falls off the end of these statements."""
    return "next" not in completions(statements)


def exits(node: gast.stmt) -> frozenset[str]:
    """Those of `return`, `break`, `continue` by which control can leave the statement."""
    return _completions_of(node) & EXITS


def _completions_of(node: gast.stmt) -> frozenset[str]:
    handler = _HANDLERS.get(type(node))
    return handler(node) if handler is not None else NEXT


def _if(node: gast.If) -> frozenset[str]:
    return completions(node.body) | completions(node.orelse)


def _loop(node: Any) -> frozenset[str]:
    body = completions(node.body)
    ways = body - {"next", "break", "continue"}
    if not is_endless(node):
        ways |= completions(node.orelse)
    return ways | NEXT if "break" in body else ways


def is_endless(node: Any) -> bool:
    """Whether a loop is `while True`: its test never ends it."""
    return (
        isinstance(node, gast.While)
        and isinstance(node.test, gast.Constant)
        and bool(node.test.value)
    )


def may_swallow(node: Any) -> bool:
    """Whether a context manager may swallow an exception, so that control goes on after it.

    What a manager does is known only when it runs; those of these names are taken not to.
    """
    return not all(_called_name(item.context_expr) in _LET_PASS for item in node.items)


_LET_PASS = frozenset(
    ["GradientTape", "control_dependencies", "device", "name_scope", "open", "stop_recording"]
)


def _called_name(node: Any) -> str | None:
    function = getattr(node, "func", None)
    return getattr(function, "attr", None) or getattr(function, "id", None)


def _with(node: Any) -> frozenset[str]:
    return completions(node.body) | NEXT if may_swallow(node) else completions(node.body)


def _try(node: Any) -> frozenset[str]:
    final = completions(node.finalbody)
    ways = completions([*node.body, *node.orelse])
    for handler in node.handlers:
        ways |= completions(handler.body)
    if hasattr(node, DISCARDS):
        return ways | final | NEXT
    return ways | final if "next" in final and "next" in ways else (ways | final) - NEXT


def _match(node: Any) -> frozenset[str]:
    ways = frozenset().union(*(completions(case.body) for case in node.cases))
    return ways if any(is_irrefutable(case) for case in node.cases) else ways | NEXT


def is_irrefutable(case: Any) -> bool:
    """Whether a `case` of a `match` takes whatever reaches it."""
    return (
        case.guard is None and isinstance(case.pattern, gast.MatchAs) and not case.pattern.pattern
    )


_HANDLERS: dict[type, Any] = {
    gast.Return: lambda node: frozenset({"return"}),
    gast.Break: lambda node: frozenset({"break"}),
    gast.Continue: lambda node: frozenset({"continue"}),
    gast.Raise: lambda node: frozenset({"raise"}),
    gast.If: _if,
    gast.For: _loop,
    gast.AsyncFor: _loop,
    gast.While: _loop,
    gast.With: _with,
    gast.AsyncWith: _with,
    gast.Try: _try,
    gast.TryStar: _try,
    gast.Match: _match,
}
