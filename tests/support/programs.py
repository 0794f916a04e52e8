"""Random small programs: their text, a strategy that draws them, and how to run one.

A program is a module with a function `program` and what it uses. It always ends: each loop counts
its rounds. The choices come from hypothesis, which can then shrink a failing program, or from a
seeded generator. Two dialects: PLAIN uses all that Python values allow; STAGED keeps every name to
one type, so that the function can take tensors and the graph's result be compared with CPython's.
"""

import ast
import itertools
import linecache
import os
import re
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import autograph
from tests.support.harness import attempt
from tests.support.programs_choices import Choices, Drawn
from tests.support.programs_dialects import Dialect
from tests.support.programs_statements import Writer


class Program(NamedTuple):
    """A module's text, and three calls of its function `program`: arguments and the global `G`."""

    text: str
    calls: tuple[tuple[tuple[Any, ...], int], ...]


_start, _, _stop = os.environ.get("PROGRAMS", "100").rpartition(":")
SEEDS = range(int(_start or 0), int(_stop))
"""The seeds of the programs that are tried: without hypothesis, which costs most of the time."""


def batches(share: int = 1) -> list[range]:
    """The seeds, or one in so many of them, some for each test."""
    first, last = SEEDS.start // share, SEEDS.stop // share
    return [range(seed, min(seed + 100, last)) for seed in range(first, last, 100)]


def write(choices: Choices, dialect: Dialect) -> Program:
    """One program."""
    least, more = dialect.size
    writer = Writer(choices, dialect, least + choices.below(more))
    writer.body(dialect.most)
    writer.line(writer.returning())
    text = dialect.prelude + dialect.header + "\n".join(writer.lines) + "\n"
    calls = tuple((row(choices, dialect), choices.below(4)) for _ in range(3))
    return Program(text, calls)


def row(choices: Choices, dialect: Dialect) -> tuple[Any, ...]:
    """Arguments for one call."""
    values: dict[str, Callable[[], Any]] = {
        "int": lambda: choices.below(9) - 2,
        "float": lambda: (choices.below(9) - 3) * 0.5,
        "bool": lambda: bool(choices.below(2)),
        "list": lambda: [choices.below(7) - 1 for _ in range(3)],
    }
    return tuple(values[kind]() for kind in dialect.parameters.values())


@st.composite
def programs(draw: Any, dialect: Dialect) -> Program:
    """A strategy of programs."""
    return write(Drawn(draw), dialect)


unhurried = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

numbers = itertools.count()


class Loaded(NamedTuple):
    """A program whose source can be looked up while it is in use."""

    filename: str
    codes: list[types.CodeType]

    def fresh(self) -> dict[str, Any]:
        module = types.ModuleType("program")
        for code in self.codes:
            exec(code, vars(module))
        return vars(module)


@contextmanager
def loaded(text: str) -> Iterator[Loaded]:
    """Compile a program under a name that `linecache` knows: as a file, or as a cell of a notebook,
    each statement alone.
    """
    filename = f"<program {next(numbers)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    try:
        tree = ast.parse(text)
        parts = [tree] if len(text) % 2 else [ast.Module([one], []) for one in tree.body]
        yield Loaded(filename, [compile(part, filename, "exec") for part in parts])
    finally:
        del linecache.cache[filename]


def explain(program: Program, number: int, expected: Any, got: Any, code: Loaded) -> str:
    """A failing program as one would want to read it."""
    function = code.fresh()["program"]
    shown = attempt(lambda: autograph.to_code(function))
    converted = shown[1] if shown[0] == "raised" else autograph.to_code(function)
    args, value = program.calls[number]
    return (
        f"call {number}: program{args!r} with G = {value}\n"
        f"expected {shorter(expected)}\n     got {shorter(got)}\n\n{program.text}\n\n{converted}"
    )


def as_later(outcome: Any) -> str:
    """What Python 3.12 does where comprehensions of 3.11 are functions: see `docs/limits.md`."""
    return re.sub(
        r"cannot access free variable (\S+) (where it is not associated with a value) in \w+ scope",
        r"cannot access local variable \1 \2",
        repr(outcome).replace("'NameError'", "'UnboundLocalError'"),
    )


def shorter(value: Any) -> str:
    text = f"{type(value).__name__}: {value}" if isinstance(value, Exception) else repr(value)
    return re.sub(r"\s+", " ", text)[:1000]
