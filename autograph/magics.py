"""The source of what IPython's magics run: `%%time`, `%timeit` and `%prun` compile it under names
of their own, and keep it nowhere but in the cell that they stand in.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from types import CodeType
from typing import Any, TypeGuard

from autograph.compiler import parse

_RUNNERS = ("run_cell_magic", "run_line_magic")
_OPTIONS = re.compile(r"(?:-\S+\s+(?:\d+\s+)?)*")  # `-n 10 -r3`, which the statement follows


def texts_of_magics(code: CodeType, names: dict[str, Any]) -> Iterator[str]:
    """Yields what magics of IPython were given in its cells, as Python that can be parsed, the last
    cell first; only what mentions the function of this code, whose global names these are.
    """
    get_shell = names.get("get_ipython")
    shell = get_shell() if callable(get_shell) else None
    if shell is None:
        return
    name = code.co_name
    word = "lambda" if name == "<lambda>" else name
    for entry in reversed(list(linecache.cache.values())):
        cell = "".join(entry[2]) if len(entry) > 2 else ""  # others are read when they are needed
        if word in cell and any(runner in cell for runner in _RUNNERS):
            for text in _given(cell):
                yield from _parsable(shell.transform_cell(text)) if word in text else ()


def _given(cell: str) -> Iterator[str]:
    for tree in _trees(cell):
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(attr="run_cell_magic" | "run_line_magic")):
                    texts = [arg.value for arg in node.args[1:] if isinstance(arg, ast.Constant)]
                    yield from (_OPTIONS.sub("", text, 1) for text in texts if _is_text(text))


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and value != ""


def _parsable(text: str) -> Iterator[str]:
    return (text for _ in _trees(text))


def _trees(text: str) -> Iterator[ast.AST]:
    try:
        yield parse(text)
    except (SyntaxError, ValueError):
        return
