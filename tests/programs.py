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
import random
import re
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, Protocol

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import autograph
from tests.harness import attempt
from tests.programs_exits import DEEPEST, INDENT, LeavingArms
from tests.programs_snippets import PLAIN_SNIPPETS, STAGED_SNIPPETS


class Choices(Protocol):
    """Where decisions come from."""

    def below(self, n: int) -> int:
        """An integer from 0 to n - 1; 0 is the simplest."""


class Drawn:
    """Decisions that hypothesis draws."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self.draw = draw

    def below(self, n: int) -> int:
        return self.draw(integers_below(n))


@cache
def integers_below(n: int) -> st.SearchStrategy[int]:
    return st.integers(0, n - 1)


class Seeded:
    """Decisions of a seeded generator, many times faster than hypothesis."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def below(self, n: int) -> int:
        return self.random.randrange(n)


class Program(NamedTuple):
    """A module's text, and three calls of its function `program`: arguments and the global `G`."""

    text: str
    calls: tuple[tuple[tuple[Any, ...], int], ...]


@dataclass(frozen=True, eq=False)
class Dialect:
    """What programs may contain. A statement without a weight does not occur."""

    statements: dict[str, int]
    snippets: Sequence[str]
    prelude: str
    header: str
    parameters: dict[str, str]
    # Names may change their type, may be unbound, and arithmetic need not stay small.
    free: bool
    # How many statements at its top level, and how many more in all.
    most: int = 12
    size: tuple[int, int] = (3, 18)


PLAIN_PRELUDE = """\
from contextlib import suppress

LOG = []
G = 2


class Thing:
    def __init__(self):
        self._v = 1

    @property
    def v(self):
        LOG.append("get")
        return self._v

    @v.setter
    def v(self, value):
        LOG.append(("set", value))
        self._v = value


class Manager:
    def __init__(self, quiet):
        self.quiet = quiet

    def __enter__(self):
        LOG.append("enter")
        return 3

    def __exit__(self, kind, *exception):
        LOG.append(("exit", kind and kind.__name__))
        return self.quiet


def note(x):
    LOG.append(x)
    return x


def items(n):
    for i in range(n):
        LOG.append(("item", i))
        yield i


def risky(x):
    if x % 3 == 0:
        raise ValueError(f"risky {x}")
    return x


def step(x, y=1, *, z=0):
    if x > y:
        return x - y
    while x < y and z < 3:
        z = z + 1
        x = x + z
    return x + z


"""

STAGED_PRELUDE = """\
from contextlib import nullcontext
from dataclasses import dataclass

G = 2


@dataclass
class Pair:
    a: object
    b: object


def step(x, y=1, *, z=0):
    if x > y:
        return x - y
    while x < y and z < 3:
        z = z + 1
        x = x + z
    return x + z


"""

EXITS_PRELUDE = """\
from contextlib import suppress

LOG = []
G = 2


class Manager:
    def __init__(self, quiet):
        self.quiet = quiet

    def __enter__(self):
        return 3

    def __exit__(self, kind, *exception):
        LOG.append(("exit", kind and kind.__name__))
        return self.quiet


def note(x):
    LOG.append(x)
    return x


def step(x, y=1):
    if x > y:
        return x - y
    elif x < -y:
        raise ValueError("low")
    return x + y


"""

PLAIN = Dialect(
    statements={
        "assign": 20,
        "augment": 8,
        "swap": 2,
        "if_": 16,
        "while_": 6,
        "while_true": 3,
        "for_range": 6,
        "for_items": 5,
        "leave": 10,
        "return_": 4,
        "assert_": 3,
        "raise_": 2,
        "choice": 3,
        "try_": 5,
        "with_": 2,
        "effect": 8,
        "delete": 3,
        "half_defined": 3,
        "optional": 4,
        "alias": 3,
        "set_item": 4,
        "list_change": 3,
        "attribute": 3,
        "closure": 3,
        "lambda_": 2,
        "python_value": 3,
        "set_global": 2,
        "capture": 3,
        "generator": 2,
        "match_": 3,
        "snippet": 20,
    },
    snippets=PLAIN_SNIPPETS,
    prelude=PLAIN_PRELUDE,
    header="def program(a, b, p, f, xs, o):\n    global G\n",
    parameters={"a": "int", "b": "int", "p": "bool", "f": "float", "xs": "list"},
    free=True,
)

STAGED = Dialect(
    statements={
        "assign": 20,
        "augment": 6,
        "swap": 2,
        "if_": 16,
        "while_": 6,
        "while_true": 3,
        "for_range": 6,
        "for_items": 4,
        "leave": 10,
        "return_": 3,
        "assert_": 2,
        "raise_": 1,
        "choice": 5,
        "half_defined": 3,
        "optional": 4,
        "set_item": 3,
        "closure": 2,
        "lambda_": 2,
        "grow": 6,
        "snippet": 14,
    },
    snippets=STAGED_SNIPPETS,
    prelude=STAGED_PRELUDE,
    # Only a list that a statement may grow can be asked by a staged index.
    header="def program(a, b, p, f, xs):\n    grown = []\n    if a > 99:\n        grown.pop()\n",
    parameters={"a": "int", "b": "int", "p": "bool", "f": "float", "xs": "list"},
    free=False,
)

EXITS = Dialect(
    statements={"choice": 10, "leaving_loop": 4, "leaving_try": 4, "for_items": 3, "effect": 2}
    | {"assign": 4, "half_defined": 1, "closure": 1, "generator": 1},
    snippets=(),
    prelude=EXITS_PRELUDE,
    header="def program(a, b, p, f, xs):\n",
    parameters={"a": "int", "b": "int", "p": "bool", "f": "float", "xs": "list"},
    free=False,
    most=3,
    size=(2, 8),
)
"""Small nests of which every arm may leave: by a return, an exception, an exit of a loop."""

GROWING = (
    "do: grown.append({value})",
    "do: grown.append({value})",
    "do: grown += [{value}, {value}]",
    "do: grown.insert({place}, {value})",
    "do: if grown:;     grown.pop()",
    "do: if len(grown) > 1:;     del grown[1]",
    "do: if grown:;     grown[-1] = {value}",
    "do: grown = grown[:3]",
    "do: grown.extend(grown[-2:])",
    "do: if len(grown) > 5:;     grown.clear()",
    "do: grown.reverse()",
    "int: len(grown)",
    "int: grown[-1] if grown else {value}",
    "int: sum(grown[1:]) % 97",
    "int: 1 if {value} in grown else 0",
)

TYPES = ("int", "int", "int", "float", "bool")


class Writer(LeavingArms):
    """Writes one program, statement by statement."""

    def __init__(self, choices: Choices, dialect: Dialect, size: int) -> None:
        self.choices = choices
        self.dialect = dialect
        self.left = size
        self.lines: list[str] = []
        self.level = 1
        # Names by type. A name in `kept` is a loop's counter: only its loop may change it.
        self.types = dict(dialect.parameters)
        self.kept: set[str] = set()
        self.maybe: set[str] = set()
        self.functions: dict[str, str] = {}
        self.in_loop = 0
        self.in_function = 0
        self.suppresses = "Manager" in dialect.prelude
        self.catches = dialect.free or "leaving_try" in dialect.statements
        self.fresh = itertools.count()
        results = ["int", "float", "pair", "items", *([] if dialect.free else ["grown"])]
        self.result = self.pick(results)
        self.kinds = [name for name, weight in dialect.statements.items() for _ in range(weight)]

    # Decisions

    def pick(self, options: Sequence[Any]) -> Any:
        return options[self.choices.below(len(options))]

    def chance(self, percent: int) -> bool:
        """True that often; false is the simpler outcome."""
        return self.choices.below(100) >= 100 - percent

    # Lines and blocks

    def line(self, text: str) -> None:
        self.lines.append(INDENT * self.level + text)

    @contextmanager
    def indented(self, header: str) -> Iterator[None]:
        """A block; names made in it may be unbound after it."""
        self.line(header)
        self.level += 1
        before, functions = dict(self.types), set(self.functions)
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.line("pass")
        self.level -= 1
        for name in set(self.types) - set(before):
            self.maybe.add(name)
            if not self.dialect.free:
                del self.types[name]
        self.functions = {name: kind for name, kind in self.functions.items() if name in functions}

    def block(self, header: str, most: int = 3, *, loop: bool = False) -> None:
        with self.indented(header):
            self.in_loop += loop
            self.body(1 + self.choices.below(most))
            self.in_loop -= loop

    def body(self, count: int) -> None:
        for _ in range(count):
            if self.left <= 0:
                return
            self.left -= 1
            getattr(self, self.pick(self.kinds))()

    # Names

    def names(self, kind: str) -> list[str]:
        return [
            name
            for name, its in self.types.items()
            if its == kind and (name not in self.maybe or self.dialect.free)
        ]

    def readable(self, kind: str) -> list[str]:
        """Names to read: one that may be unbound only now and then."""
        names = self.names(kind)
        safe = [name for name in names if name not in self.maybe]
        return names if names and self.chance(10) else safe

    def target(self, kind: str) -> str:
        """A name to assign: a known one of that type, or a new one."""
        known = [name for name in self.names(kind) if name not in self.kept]
        if known and not self.chance(30):
            return str(self.pick(known))
        if self.dialect.free and self.chance(5):
            return str(self.pick(["a", "b", "p", "f"]))
        return self.new("v")

    def new(self, prefix: str) -> str:
        return f"{prefix}{next(self.fresh)}"

    def bind(self, name: str, kind: str) -> None:
        self.types[name] = kind
        self.maybe.discard(name)

    # Expressions

    def expression(self, kind: str, depth: int = 2) -> str:
        return {"int": self.integer, "float": self.real, "bool": self.truth, "list": self.list_}[
            kind
        ](depth)

    def leaf(self, kind: str) -> str:
        names = self.readable(kind)
        if names and not self.chance(25):
            return str(self.pick(names))
        if kind == "int":
            return str(self.pick([0, 1, 2, 3, 5, 7, -1]))
        if kind == "float":
            return str(self.pick([0.5, 1.0, 2.5, -1.5]))
        return str(self.pick(["True", "False"]))

    def integer(self, depth: int = 2) -> str:
        if depth <= 0:
            return self.leaf("int")
        sub = depth - 1
        forms: list[Callable[[], str]] = [
            lambda: self.leaf("int"),
            lambda: self.leaf("int"),
            lambda: f"{self.operand(sub)} {self.pick('+-')} {self.operand(sub)}",
            lambda: f"{self.operand(sub)} * {self.pick([2, 3, -1])}",
            lambda: f"{self.operand(sub)} {self.pick(['%', '//'])} {self.pick([2, 3, 5])}",
            lambda: f"({self.integer(sub)} if {self.truth(sub)} else {self.integer(sub)})",
            lambda: f"abs({self.integer(sub)})",
            lambda: f"{self.pick(['max', 'min'])}({self.integer(sub)}, {self.integer(sub)})",
            lambda: f"step({self.integer(sub)}, {self.pick([1, 2, 3])})",
            lambda: self.called(sub),
            lambda: "G",
            lambda: f"-{self.operand(sub)}",
            lambda: f"xs[{self.pick([0, 1, -1])}]",
        ]
        if self.dialect.free:
            forms += [
                lambda: f"note({self.integer(sub)})",
                lambda: f"risky({self.integer(sub)})",
                lambda: f"({self.integer(sub)} {self.pick(['or', 'and'])} {self.integer(sub)})",
                lambda: f"step({self.integer(sub)}, z={self.integer(sub)})",
                lambda: f"len({self.list_(sub)})",
                lambda: f"sum(x * 2 for x in {self.list_(sub)} if x != {self.pick([0, 1])})",
                lambda: f"{self.operand(sub)} // {self.operand(sub)}",
                lambda: "o.v",
                lambda: self.walrus(sub),
                lambda: f"step(*[{self.integer(sub)}, {self.integer(0)}])",
            ]
        return self.pick(forms)()

    def operand(self, depth: int) -> str:
        text = self.integer(depth)
        return text if text.replace("_", "").isalnum() else f"({text})"

    def real(self, depth: int = 2) -> str:
        if depth <= 0:
            return self.leaf("float")
        sub = depth - 1
        forms: list[Callable[[], str]] = [
            lambda: self.leaf("float"),
            lambda: self.leaf("float"),
            lambda: f"({self.real(sub)}) {self.pick('+-')} ({self.real(sub)})",
            lambda: f"({self.real(sub)}) * {self.pick([0.5, 2, -1.0])}",
            lambda: f"({self.real(sub)}) / {self.pick([2, 4.0])}",
            lambda: f"({self.real(sub)} if {self.truth(sub)} else {self.real(sub)})",
            lambda: f"abs({self.real(sub)})",
        ]
        if self.dialect.free:
            forms.append(lambda: f"({self.real(sub)}) / ({self.integer(sub)})")
        return str(self.pick(forms)())

    def truth(self, depth: int = 2) -> str:
        if depth <= 0:
            return self.leaf("bool")
        sub = depth - 1
        order = ["<", "<=", ">", ">=", "==", "!="]
        forms: list[Callable[[], str]] = [
            lambda: f"{self.operand(sub)} {self.pick(order)} {self.operand(sub)}",
            lambda: f"{self.operand(sub)} {self.pick(order)} {self.operand(sub)}",
            lambda: self.leaf("bool"),
            lambda: f"({self.real(sub)}) {self.pick(order)} ({self.real(sub)})",
            lambda: (
                f"{self.operand(sub)} {self.pick(order)} {self.operand(sub)}"
                f" {self.pick(order)} {self.operand(sub)}"
            ),
            lambda: f"not ({self.truth(sub)})",
            lambda: f"({self.truth(sub)}) and ({self.truth(sub)})",
            lambda: f"({self.truth(sub)}) or ({self.truth(sub)})",
        ]
        if self.dialect.free:
            forms += [
                lambda: f"{self.operand(sub)} in {self.list_(sub)}",
                lambda: f"note({self.truth(sub)})",
                lambda: self.integer(sub),
                lambda: self.list_(sub),
            ]
        return str(self.pick(forms)())

    def list_(self, depth: int = 1) -> str:
        names = self.readable("list") if self.dialect.free else ["xs"]
        forms: list[Callable[[], str]] = [lambda: str(self.pick(names or ["[1, 2]"]))]
        if self.dialect.free:
            forms += [
                lambda: f"[{self.integer(depth - 1)}, {self.integer(0)}]",
                lambda: f"{self.pick(names or ['[3]'])}[1:]",
                lambda: f"[x + 1 for x in {self.pick(names or ['[3]'])}]",
            ]
        return str(self.pick(forms)())

    def called(self, depth: int) -> str:
        if not self.functions:
            return self.leaf("int")
        name = self.pick(sorted(self.functions))
        return f"{name}({self.integer(depth)})"

    def walrus(self, depth: int) -> str:
        value = self.integer(depth)
        name = self.new("w")
        self.types[name] = "int"
        self.maybe.add(name)
        return f"({name} := {value})"

    def assigned(self, kind: str) -> str:
        """A value to assign, kept small where numbers may not grow."""
        value = self.expression(kind)
        if self.dialect.free or value.replace("_", "").isalnum():
            return value
        return {"int": f"({value}) % 97", "float": f"({value}) % 16.0"}.get(kind, value)

    # Statements

    def assign(self) -> None:
        kind = self.pick(TYPES)
        value = self.assigned(kind)
        name = self.target(kind)
        self.line(f"{name} = {value}")
        self.bind(name, kind)

    def augment(self) -> None:
        names = [name for name in self.readable("int") if name not in self.kept]
        if not names:
            return self.assign()
        operator = self.pick(["+=", "-=", "*=", "//=", "%="] if self.dialect.free else ["+=", "-="])
        value = self.pick([1, 2, 3]) if not self.dialect.free else self.pick([2, self.integer(1)])
        self.line(f"{self.pick(names)} {operator} {value}")

    def swap(self) -> None:
        names = [name for name in self.readable("int") if name not in self.kept]
        if len(names) < 2:
            return self.assign()
        a, b = names[self.choices.below(len(names) - 1)], names[-1]
        self.line(f"{a}, {b} = {b}, {self.operand(1) if self.dialect.free else a}")

    def if_(self) -> None:
        if self.level > DEEPEST:
            return self.assign()
        before = dict(self.types)
        self.block(f"if {self.truth()}:")
        if self.chance(25):
            self.types = dict(before) if not self.dialect.free else self.types
            self.block(f"elif {self.truth()}:", 2)
        if self.chance(50):
            self.block("else:", 2)

    def counter(self, start: str) -> str:
        name = self.new("k")
        self.line(f"{name} = {start}")
        self.types[name] = "int"
        self.kept.add(name)
        return name

    def while_(self) -> None:
        if self.level > DEEPEST or self.in_loop > 2:
            return self.assign()
        name = self.counter("0")
        bound = self.pick(["3", "4", f"{self.operand(1)} % 4"])
        test = f"{name} < {bound}"
        if self.chance(50):
            test = f"{test} and ({self.truth(1)})"
        with self.indented(f"while {test}:"):
            self.line(f"{name} += 1")
            self.in_loop += 1
            self.body(1 + self.choices.below(3))
            self.in_loop -= 1
        self.else_clause()

    def while_true(self) -> None:
        if self.level > DEEPEST or self.in_loop > 2:
            return self.assign()
        name = self.counter("0")
        with self.indented("while True:"):
            self.line(f"{name} += 1")
            self.line(f"if {name} > {self.pick([1, 3])} or ({self.truth(1)}):")
            self.line(f"{INDENT}break")
            self.in_loop += 1
            self.body(1 + self.choices.below(3))
            self.in_loop -= 1

    def for_range(self) -> None:
        if self.level > DEEPEST or self.in_loop > 2:
            return self.assign()
        name = self.new("i")
        bounds = self.pick(["3", f"{self.operand(1)} % 4", "1, 4", "5, 0, -2"])
        self.types[name] = "int"
        self.block(f"for {name} in range({bounds}):", loop=True)
        self.after_loop(name)

    def for_items(self) -> None:
        if self.level > DEEPEST or self.in_loop > 2:
            return self.assign()
        name = self.new("x")
        forms = ["[1, 2]", "(3, 4, 5)"]
        # A list that changes while it is iterated is not like a tensor, which is a value.
        if self.dialect.free or self.result != "items":
            forms.append("xs")
        if self.dialect.free:
            forms += ["items(3)", "list(xs)", "[a, b]", "reversed(xs[:3])"]
        iterable = self.pick(forms)
        if iterable == "xs" and self.dialect.free:
            iterable = "xs[:3]"
        self.types[name] = "int"
        self.block(f"for {name} in {iterable}:", loop=True)
        self.after_loop(name)

    def after_loop(self, name: str) -> None:
        self.maybe.add(name)
        if not self.dialect.free and not self.chance(10):
            self.types.pop(name, None)
        self.else_clause()

    def else_clause(self) -> None:
        if self.chance(15):
            self.block("else:", 2)

    def leave(self) -> None:
        if not self.in_loop:
            return self.assign()
        self.line(f"if {self.truth(1)}:")
        self.level += 1
        if self.chance(30):
            self.assign_known()
        self.line(self.pick(["break", "continue"]))
        self.level -= 1
        return None

    def assign_known(self) -> None:
        names = [name for name in self.readable("int") if name not in self.kept]
        if names:
            self.line(f"{self.pick(names)} = {self.assigned('int')}")

    def return_(self) -> None:
        if self.chance(70):
            self.line(f"if {self.truth(1)}:")
            self.line(f"{INDENT}{self.returning()}")
        elif self.level > 1:
            self.line(self.returning())

    def returning(self) -> str:
        if self.in_function:
            return f"return {self.assigned('int')}"
        if self.dialect.free and self.chance(30):
            return str(self.pick(["return", "return None", "return 'text'", "return xs"]))
        if self.result in ("items", "grown"):
            name = "xs" if self.result == "items" else "grown"
            return f"return {name}, {self.assigned('int')}"
        if self.result == "pair":
            return f"return {self.assigned('int')}, {self.assigned('float')}"
        return f"return {self.assigned(self.result)}"

    def assert_(self) -> None:
        message = self.pick(["", ", 'message'"])
        if self.dialect.free and message and self.chance(30):
            message = f", note({self.integer(1)})"
        self.line(f"assert {self.truth(1)}{message}")

    def raise_(self) -> None:
        kind = self.pick([self.exception(), "RuntimeError"])
        self.line(f"if {self.truth(1)}:")
        self.line(f"{INDENT}raise {kind}")

    def try_(self) -> None:
        if self.level > DEEPEST:
            return self.assign()
        self.block("try:")
        handled = self.pick(["ValueError", "(ValueError, ZeroDivisionError)", "Exception"])
        how = self.choices.below(3)
        if how < 2:
            self.block(f"except {handled}{self.pick(['', ' as error'])}:", 2)
            if self.chance(20):
                self.block("else:", 2)
        if how > 0:
            self.block("finally:", 2)
        return None

    def with_(self) -> None:
        if self.level > DEEPEST:
            return self.assign()
        self.block(f"with suppress({self.pick(['ValueError', 'ZeroDivisionError'])}):")
        return None

    def effect(self) -> None:
        kind = self.pick(["int", "bool", "list"])
        self.line(f"note({self.expression(kind)})")

    def delete(self) -> None:
        names = [name for name in self.names("int") if name[0] in "vw"]
        if not names:
            return self.assign()
        name = self.pick(names)
        self.line(f"del {name}")
        self.maybe.add(name)

    def half_defined(self) -> None:
        """A name that one arm sets, read under the same test or another one."""
        name = self.new("h")
        test = self.truth(1)
        self.line(f"if {test}:")
        self.line(f"{INDENT}{name} = {self.assigned('int')}")
        if self.dialect.free or self.chance(50):
            self.body(1)
        self.line(f"if {self.pick([test, self.truth(1)]) if self.chance(50) else test}:")
        self.line(f"{INDENT}a = ({name} + 1) % 50")
        self.bind("a", "int")

    def optional(self) -> None:
        """None until a condition holds."""
        name = self.new("n")
        self.line(f"{name} = None")
        if self.chance(40) and self.in_loop < 2 and self.level < DEEPEST:
            item = self.new("x")
            self.line(f"for {item} in {self.pick(['xs', 'range(3)'])}:")
            self.line(f"{INDENT}if {name} is None or {item} > {name}:")
            self.line(f"{INDENT * 2}{name} = {item}")
        else:
            self.line(f"if {self.truth(1)}:")
            self.line(f"{INDENT}{name} = {self.assigned('int')}")
        self.line(f"if {name} is {self.pick(['', 'not '])}None:")
        self.line(f"{INDENT}b = b + 1")
        self.bind("b", "int")

    def alias(self) -> None:
        name = self.new("l")
        self.line(f"{name} = {self.list_()}")
        self.bind(name, "list")

    def set_item(self) -> None:
        # A tensor's item may be assigned only where the tensor is returned.
        if not self.dialect.free and self.result != "items":
            return self.assign()
        name = self.pick(self.readable("list") or ["xs"]) if self.dialect.free else "xs"
        index = self.pick(["0", "1", "-1", f"{self.operand(1)} % 3"])
        if self.chance(40):
            self.line(f"{name}[{index}] += {self.pick([1, 2])}")
        else:
            self.line(f"{name}[{index}] = {self.assigned('int')}")
        return None

    def list_change(self) -> None:
        name = self.pick(self.readable("list") or ["xs"])
        form = self.pick(["{0}.append({1})", "{0} = {0} + [{1}]", "{0} += [{1}]", "{0}.pop()"])
        self.line(form.format(name, self.integer(1)))
        self.bind(name, "list")

    def grow(self) -> None:
        """Something with a list of which the length may be known to the run only."""
        if self.in_function:
            return self.assign()
        form = self.pick(GROWING)
        kind, text = form.split(": ", 1)
        text = text.format(value=self.assigned("int"), place=self.integer(0))
        if kind == "int":
            name = self.target("int")
            self.bind(name, "int")
            text = f"{name} = {text}"
        for line in text.split("; "):
            self.line(line)
        return None

    def attribute(self) -> None:
        self.line(
            self.pick(["o.v = {}", "o.v += {}", "o._v = {}", "o.new = {}"]).format(self.integer(1))
        )

    def closure(self) -> None:
        if self.level > (3 if self.dialect.free else 2) or self.in_function:
            return self.assign()
        name = self.new("f")
        outer = [n for n in self.names("int") if n not in self.kept and n not in self.maybe]
        changed = self.pick(outer) if outer and self.chance(50) else None
        types, maybe, loops = dict(self.types), set(self.maybe), self.in_loop
        functions = dict(self.functions)
        self.in_loop = 0
        self.in_function += 1
        self.line(f"def {name}(u):")
        self.level += 1
        self.types = {n: t for n, t in types.items() if t != "list" and n not in maybe} | {
            "u": "int"
        }
        self.kept |= set(types)
        if changed:
            self.line(f"nonlocal {changed}")
            self.line(f"{changed} = ({changed} + {self.operand(1)}) % 89")
        if self.chance(60):
            self.line(f"if {self.truth(1)}:")
            self.line(f"{INDENT}{self.returning()}")
        elif self.chance(30):
            self.choice(1)
        if self.chance(30):
            self.line("while u > 4:")
            self.line(f"{INDENT}u = u // 2")
        self.line(self.returning())
        self.level -= 1
        self.kept -= set(types)
        self.kept |= {n for n in types if n.startswith("k")}
        self.types, self.maybe, self.in_loop = types, maybe, loops
        self.functions = functions
        self.in_function -= 1
        if self.level == 1 or self.dialect.free:
            self.functions[name] = "int"
        return None

    def lambda_(self) -> None:
        if self.level > 1 or self.in_function:
            return self.assign()
        name = self.new("g")
        self.types["u"] = "int"
        value = self.assigned("int")
        del self.types["u"]
        if ":=" in value:
            return self.assign()
        self.line(f"{name} = lambda u: {value}")
        self.functions[name] = "int"
        return None

    def capture(self) -> None:
        """A function without parameters, which sees what its names mean when it is called."""
        if self.in_function:
            return self.assign()
        name = self.new("c")
        value = self.assigned("int")
        if ":=" in value:
            return self.assign()
        self.line(f"{name} = lambda: {value}")
        self.body(1)
        self.line(f"note({name}())")
        return None

    def generator(self) -> None:
        """A generator with control flow, defined and used here."""
        if self.in_function or self.level > 3:
            return self.assign()
        name, item = self.new("y"), self.new("x")
        leaving = self.pick(["continue", "break", "return", "pass", "choice"])
        self.line(f"def {name}(u):")
        self.line(f"{INDENT}for w in range(u % 4):")
        if leaving == "choice":
            self.in_own_loop()
        else:
            self.line(f"{INDENT * 2}if {self.truth(1)}:")
            self.line(f"{INDENT * 3}{leaving}")
        self.line(f"{INDENT * 2}yield w + u")
        self.types[item] = "int"
        self.block(f"for {item} in {name}({self.integer(1)}):", loop=True)
        self.after_loop(item)
        return None

    def in_own_loop(self) -> None:
        """Arms that leave, in the loop of a function inside."""
        loops, self.in_loop = self.in_loop, 1
        self.level += 2
        self.in_function += 1
        self.choice(1)
        self.in_function -= 1
        self.level -= 2
        self.in_loop = loops

    def match_(self) -> None:
        if self.level > DEEPEST - 1:
            return self.assign()
        name = self.new("m")
        self.line(f"match {self.pick([self.integer(1), self.list_(1)])}:")
        self.level += 1
        self.types[name] = "int"
        self.maybe.add(name)
        cases = ["case 0 | 1:", f"case int({name}) if {self.truth(1)}:", f"case [{name}, *_]:"]
        for case in cases[: 1 + self.choices.below(3)]:
            self.block(case, 2)
        if self.chance(50):
            self.block("case _:", 2)
        self.level -= 1
        return None

    def python_value(self) -> None:
        """A string chosen by a branch, asked for by another."""
        name = self.new("s")
        self.line(f"{name} = 'x' if {self.truth(1)} else None")
        self.line(f"if {name} == 'x':")
        self.line(f"{INDENT}{name} = {name} + 'y'")
        self.line(f"elif not {name}:")
        self.line(f"{INDENT}a = {self.integer(1)}")
        self.bind("a", "int")

    def set_global(self) -> None:
        self.line(f"G = {self.integer(1)}")

    def snippet(self) -> None:
        """A construct out of a table, its holes filled."""
        if self.level > DEEPEST - 1 or self.in_loop > 1 or self.in_function:
            return self.assign()
        names: dict[str, str] = {}
        outer, known = self.level, dict(self.types)
        for line in self.pick(self.dialect.snippets).splitlines():
            text = line.lstrip()
            self.level = outer + (len(line) - len(text)) // 4
            if text in ("BLOCK", "LOOP"):
                self.filling(text == "LOOP")
            elif text:
                self.line(self.filled(text, names))
        self.level = outer
        if not self.dialect.free:
            self.types = known
        for name in names.values():
            kind = re.fullmatch(r"\w+_(int|list)", name)
            if kind:
                self.types[name] = kind[1]
                self.maybe.add(name)
        return None

    def filling(self, loop: bool) -> None:
        start = len(self.lines)
        self.in_loop += loop
        self.body(1 + self.choices.below(2))
        self.in_loop -= loop
        if len(self.lines) == start:
            self.line("pass")

    def filled(self, text: str, names: dict[str, str]) -> str:
        """A line of a snippet with its holes filled."""

        def name(found: re.Match[str]) -> str:
            return names.setdefault(found[1], f"t{next(self.fresh)}_{found[1]}")

        def value(found: re.Match[str]) -> str:
            if found[1] == "return":
                return self.returning()
            whole = self.dialect.free or found[1] in ("bool", "list")
            made = self.expression(found[1], 1) if whole else self.assigned(found[1])
            return f"({made})"

        return re.sub(r"<(\w+)>", value, re.sub(r"\$(\w+)", name, text))


MANY = int(os.environ.get("PROGRAMS", "100"))
"""How many seeded programs are tried: without hypothesis, which costs most of the time."""


def batches(count: int) -> list[range]:
    """The seeds of so many programs, some for each test."""
    return [range(first, min(first + 100, count)) for first in range(0, count, 100)]


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


def shorter(value: Any) -> str:
    text = f"{type(value).__name__}: {value}" if isinstance(value, Exception) else repr(value)
    return re.sub(r"\s+", " ", text)[:1000]
