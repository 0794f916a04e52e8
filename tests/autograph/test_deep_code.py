"""Code that is nested deeper than Python's calls may be: refused, and there is a way out."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.autograph.files import import_text

CHAIN = (
    "class Adding:\n    total = 0\n"
    "    def add(self, x):\n        self.total += x\n        return self"
)

SHAPES = {
    "sum": "def f(x):\n    return " + " + ".join(["x"] * 900),
    "long_sum": "def f(x):\n    return " + " - ".join(["x"] * 2000),
    "texts": "def f(x):\n    return x + len(" + " + ".join(["'a'"] * 900) + ")",
    "methods": f"{CHAIN}\ndef f(x):\n    return Adding()" + ".add(x)" * 400 + ".total",
    "elifs": "def f(x):\n    if x < 0:\n        return 0\n"
    + "".join(f"    elif x == {at}:\n        return {at * at}\n" for at in range(500)),
}


@pytest.fixture
def deep() -> Iterator[None]:
    """A limit of calls with which the way out is taken."""
    before = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(before)


USES: dict[str, Callable[[Any], Any]] = {
    "converted": lambda f: autograph.convert(f)(3),
    "staged": lambda f: int(rt.function(f)(rt.constant(3))),
    "printed": lambda f: autograph.to_code(f),
}


@pytest.mark.parametrize(
    ("name", "use"), [*((name, "converted") for name in SHAPES), *(("sum", use) for use in USES)]
)
def test_deep_code_is_refused_or_converted(name: str, use: str, tmp_path: Path, deep: None) -> None:
    function = import_text(tmp_path / f"{name}.py", SHAPES[name] + "\n").f
    expected = function(3)
    first = function.__code__.co_firstlineno
    with pytest.raises(RecursionError) as caught:
        USES[use](function)
    assert str(caught.value).startswith(f"{tmp_path / name}.py:{first}: f is not converted: ")
    if not _compiles_as_tree(SHAPES[name]):
        assert str(caught.value).endswith("for Python's compiler: name parts of it in variables")
        return
    assert "name parts of it in variables, or raise the limit" in str(caught.value)
    got = USES[use](function)
    assert got.startswith("def f(x):") if use == "printed" else got == expected


def _compiles_as_tree(text: str) -> bool:
    """What Python says: from 3.12 on its compiler has a limit of its own."""
    sys.setrecursionlimit(50_000)
    try:
        compile(ast.parse(text), "a_file.py", "exec")
    except RecursionError:
        return False
    return True


def test_a_deep_caller_gets_the_error_that_it_waits_for() -> None:
    def down(n: int) -> int:
        return n if n == 0 else down(n - 1)

    def lowest(depth: int) -> Any:
        try:
            return lowest(depth + 1)
        except RecursionError:
            return depth

    assert autograph.convert(down)(50) == 0
    assert autograph.convert(lowest)(0) > 0
