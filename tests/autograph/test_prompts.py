"""Functions are found in what prompts, notebooks and reloaders compile: not whole files."""

from __future__ import annotations
import __future__

import ast
import code
import doctest
import itertools
import linecache
import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import autograph
from autograph import errors
from tests.autograph.files import import_text

ANNOTATIONS = __future__.annotations.compiler_flag

# Each defines `f`, of one number.
PROGRAMS = {
    "import in the cell": """
        import math
        def f(x):
            if x > 0:
                x = math.sqrt(x) + math.floor(x)
            return x
    """,
    "several imports": """
        import math, os.path
        import collections as c
        from os import path
        def f(x):
            counts = c.Counter([x])
            return counts.total() + len(path.join("a", "b")) + len(os.path.join("a")) + math.sqrt(x)
    """,
    "import under a condition": """
        try:
            import math
            def f(x):
                return math.sqrt(x) if x > 0 else x
        except ImportError:
            pass
    """,
    "import behind the function": """
        def f(x):
            return math.sqrt(x) if x > 0 else math.floor(x)
        import math
    """,
    "name imported and assigned": """
        import math
        class Own:
            sqrt = staticmethod(lambda x: -x)
        math = Own()
        def f(x):
            return math.sqrt(x) if x > 0 else x
    """,
    "decorator": """
        import functools
        def double(function):
            @functools.wraps(function)
            def doubled(x):
                return functools.reduce(lambda a, b: a + b, [function(x), function(x)])
            return doubled
        @double
        def f(x):
            return x if x > 0 else functools.reduce(max, [x, 1])
    """,
    "class": """
        import math
        class Base:
            def call(self, x):
                return math.sqrt(x)
        class Derived(Base):
            def __init__(self):
                self.__private = 3
            def call(self, x):
                if x > 0:
                    x = super().call(x) + self.__private
                return math.floor(x)
        f = Derived().call
    """,
    "lambda": """
        import math
        f = (lambda x: math.sqrt(x) if x > 0 else x); g = (lambda x: math.floor(x))
    """,
    "nested": """
        import math
        def outer(k):
            import string
            def f(x):
                def inner(y):
                    return math.sqrt(y) + k + len(string.ascii_letters.upper())
                return [inner(y) for y in (x, x) if y > 0] + list(math.floor(y) for y in [x])
            return f
        f = outer(2)
    """,
    "future": """
        from __future__ import annotations
        import math
        def f(x: int) -> int:
            return math.sqrt(x) if x > 0 else x
    """,
    "same name twice": """
        import math
        def f(x):
            return math.floor(x)
        def f(x):
            return math.sqrt(x) if x > 0 else x
    """,
    "super is a name": """
        import math
        def f(x):
            class A:
                def g(self): return math.sqrt(x)
            class B(A):
                def g(self): return super().g() if x > 0 else 0
            return B().g()
        other = super
    """,
}

_numbers = itertools.count()


def named(text: str) -> str:
    """A name that the lines of the text are found under, as prompts give them."""
    name = f"<cell {next(_numbers)}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    return name


def whole(text: str, namespace: dict[str, Any]) -> None:
    exec(compile(text, named(text), "exec", dont_inherit=True), namespace)


def node_by_node(text: str, namespace: dict[str, Any]) -> None:
    name, flags = named(text), 0
    for node in ast.parse(text).body:
        compiled = compile(ast.Module([node], []), name, "exec", flags, dont_inherit=True)
        flags |= compiled.co_flags & ANNOTATIONS  # IPython keeps them
        exec(compiled, namespace)


def interactively(text: str, namespace: dict[str, Any]) -> None:
    name, flags = named(text), 0
    for node in ast.parse(text).body:
        compiled = compile(ast.Interactive([node]), name, "single", flags, dont_inherit=True)
        flags |= compiled.co_flags & ANNOTATIONS
        exec(compiled, namespace)


def with_await(text: str, namespace: dict[str, Any]) -> None:
    name = named(text)
    for node in ast.parse(text).body:
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ANNOTATIONS
        exec(compile(ast.Module([node], []), name, "exec", flags, dont_inherit=True), namespace)


def at_a_prompt(text: str, namespace: dict[str, Any]) -> None:
    """As Python's own prompt from 3.13 on: each statement is a text of its own."""
    console = code.InteractiveConsole(namespace)
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        statement = "".join(lines[first - 1 : node.end_lineno])
        assert console.runsource(statement + "\n", named(statement), "single") is False


def in_a_doctest(text: str, namespace: dict[str, Any]) -> None:
    examples = []
    for node in ast.parse(text).body:
        lines = ast.unparse(node).splitlines()
        examples += [f">>> {lines[0]}", *(f"... {line}" for line in lines[1:])]
    examples += [">>> found(globals())", ""]
    test = doctest.DocTestParser().get_doctest("\n".join(examples), {}, "sample", None, None)
    test.globs["found"] = namespace.update
    test.globs["__name__"] = "sample"
    runner = doctest.DocTestRunner(verbose=False)
    original = linecache.getlines
    assert runner.run(test, clear_globs=False).failed == 0
    # The examples of a test are found while it runs.
    assert linecache.getlines is original
    for at, example in enumerate(test.examples):
        name = f"<doctest sample[{at}]>"
        lines = example.source.splitlines(keepends=True)
        linecache.cache[name] = len(example.source), None, lines, name


def moved(text: str, namespace: dict[str, Any]) -> None:
    """Compiled, then lines were put above and blank ones taken out."""
    name = named(text)
    exec(compile(text, name, "exec", dont_inherit=True), namespace)
    body = "".join(f"# {line}\n" for line in range(7))
    future, separator, rest = text.rpartition("from __future__ import annotations\n")
    later = future + separator + body + rest
    linecache.cache[name] = len(later), None, later.splitlines(keepends=True), name


def reloaded(text: str, namespace: dict[str, Any]) -> None:
    """As reloaders do: each definition alone, from its tree, under the name of the file."""
    name = named(text)
    for node in ast.parse(text).body:
        flags = ANNOTATIONS
        exec(compile(ast.unparse(node), name, "exec", flags, dont_inherit=True), namespace)


COMPILERS: list[Callable[[str, dict[str, Any]], None]] = [
    whole,
    node_by_node,
    interactively,
    with_await,
    at_a_prompt,
    in_a_doctest,
    moved,
    reloaded,
]


@pytest.fixture(autouse=True)
def restored_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linecache, "cache", dict(linecache.cache))


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_found_however_it_was_compiled(
    program: str, compiler: Callable[[str, dict[str, Any]], None]
) -> None:
    namespace: dict[str, Any] = {"__name__": "sample"}
    compiler(textwrap.dedent(PROGRAMS[program]).lstrip(), namespace)
    function = namespace["f"]
    converted = autograph.convert(function)
    assert converted is not function
    assert [converted(x) for x in (4.0, 1.0)] == [function(x) for x in (4.0, 1.0)]


@pytest.mark.parametrize(
    ("old", "new"), [("math.sqrt(x)", "math.floor(x)"), ("x > 0", "x >= 0"), ("def f", "def g")]
)
def test_other_definitions_are_not_taken_for_it(old: str, new: str) -> None:
    text = textwrap.dedent(PROGRAMS["import in the cell"]).lstrip()
    namespace: dict[str, Any] = {"__name__": "sample"}
    node_by_node(text, namespace)
    name = namespace["f"].__code__.co_filename
    changed = "# above\n" + text.replace(old, new)
    linecache.cache[name] = len(changed), None, changed.splitlines(keepends=True), name
    with pytest.raises(errors.ConversionError, match="not what was imported"):
        autograph.convert(namespace["f"])(4.0)


def test_the_lines_of_a_moved_function_are_those_of_the_file(tmp_path: Path) -> None:
    text = "def f(x):\n    if x:\n        return [].pop()\n    return x\n"
    path = tmp_path / "sample.py"
    module = import_text(path, text)
    path.write_text("import os\n\n\n" + text)
    os.utime(path, (1, 1))
    with pytest.raises(IndexError) as caught:
        autograph.convert(module.f)(1)
    assert caught.traceback[-1].lineno == 5


def test_numbers_in_classes_that_are_those_of_lines(tmp_path: Path) -> None:
    text = "def f():\n    class A:\n        x = {}\n    return A.x\n"
    path = tmp_path / "sample.py"
    for number, changed in ((2, 3), (2, 4), (1, 3)):
        module = import_text(path, text.format(number))
        path.write_text("\n" + text.format(changed))
        os.utime(path, (number, changed))
        with pytest.raises(errors.ConversionError, match="not what was imported"):
            autograph.convert(module.f)()


def test_which_of_several_equal_definitions(tmp_path: Path) -> None:
    method = "    def f(self):\n        return __class__\n"
    text = f"class A:\n{method}class B:\n{method}"
    path = tmp_path / "sample.py"
    module = import_text(path, text)
    path.write_text("import os\n" + text)
    os.utime(path, (1, 1))
    assert autograph.convert(module.B.f)(None) is module.B
    assert autograph.convert(module.A.f)(None) is module.A
