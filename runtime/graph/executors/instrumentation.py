"""Python programs that look at the clock behind each of their lines."""

from __future__ import annotations

import ast
from collections.abc import Container
from typing import Any

from runtime.core.compiler import parse


class Instrumented(ast.NodeTransformer):
    """Puts calls of `name` behind statements: with their line, or the function that they call,
    where that is among the `keys`.
    """

    def __init__(self, keys: Container[int | str], name: str) -> None:
        self.keys, self.name = keys, name

    def generic_visit(self, node: ast.AST) -> Any:
        """A statement and the look behind it; tests are looked at in the branches."""
        super().generic_visit(node)
        key = self.key(node)
        if key is None or isinstance(node, ast.Return | ast.Raise):
            return node
        look = parse(f"{self.name}({key!r})").body[0]
        for inner in ast.walk(look):
            ast.copy_location(inner, node)
        if isinstance(node, ast.If | ast.While | ast.For):
            node.body.insert(0, look)
            return node
        return [node, look]

    def key(self, node: ast.AST) -> int | str | None:
        """The line of a statement, or the function that it calls, if that is a key."""
        if not isinstance(node, ast.stmt):
            return None
        if node.lineno in self.keys:
            return node.lineno
        called = getattr(getattr(node, "value", None), "func", None)
        return called.id if isinstance(called, ast.Name) and called.id in self.keys else None
