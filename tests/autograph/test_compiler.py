"""Trees of Python, made by several threads at once."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import autograph
import runtime
from autograph.compiler import compile_quietly, parse, parse_expression

TEXT = "\n".join(
    [f"def f{i}(a, b=(1, 2)):\n    return [c * {i} for c in b if a]" for i in range(40)]
)
WAYS = {
    "parse": lambda: parse(TEXT),
    "parse_expression": lambda: parse_expression("(" + "[a, b + 1]," * 100 + ")"),
    "compile_quietly": lambda: compile_quietly(TEXT, "<text>", mode=ast.PyCF_ONLY_AST),
}


class Freed:
    """Something with code that the collector runs, in which threads take turns."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        for _ in range(50):
            pass


@pytest.fixture
def turns() -> Iterator[None]:
    """Threads take turns in the middle of the parser too."""
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50)
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*threshold)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.usefixtures("turns")
def test_threads_make_trees_at_once(way: str) -> None:
    def made(_: int) -> int:
        for _ in range(3):
            Freed()
        return sum(1 for _ in ast.walk(WAYS[way]()))

    expected = made(0)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(made, range(200))) == {expected}


def test_a_thread_may_parse_while_it_parses(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = []

    class Parses:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            inner.append(parse("x = 1"))

    original = ast.parse

    def collecting(*args: Any, **options: Any) -> Any:
        gc.collect()
        return original(*args, **options)

    monkeypatch.setattr(ast, "parse", collecting)
    Parses()
    parse("y = 2")
    assert [ast.unparse(tree) for tree in inner] == ["x = 1"]


@pytest.mark.parametrize("package", [autograph, runtime])
def test_nothing_else_parses(package: ModuleType) -> None:
    """Who parses beside the lock may fail where another thread does."""
    root = Path(package.__file__ or "").parent
    wrong = [
        str(path)
        for path in root.rglob("*.py")
        if path.name != "compiler.py" and calls_parser(path.read_text(encoding="utf-8"))
    ]
    assert not wrong


def calls_parser(text: str) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == "parse" and is_parser(node.value)
        for node in ast.walk(ast.parse(text))
    )


def is_parser(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("ast", "gast")
