"""The lines, names and expressions of a random program."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.support.programs_choices import Choices
from tests.support.programs_dialects import Dialect

INDENT = "    "
DEEPEST = 4


class Expressions:
    """The part of a `Writer` that knows its names, and writes expressions of them."""

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
        self.result = self.pick(dialect.results)
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
            lambda: f"len([item for item in xs if item > {self.pick([0, 1, 2])}])",
            lambda: f"sum([item * 2 for item in range({self.integer(0)} % 4)])",
            lambda: f"sum(i + j for i in range({self.integer(0)} % 4) for j in range(i) if j < 2)",
            lambda: f"max((item for item in xs if item < 2), default={self.integer(0)})",
        ]
        if self.dialect.free:
            forms += [
                lambda: f"note({self.integer(sub)})",
                lambda: f"risky({self.integer(sub)})",
                lambda: f"({self.integer(sub)} {self.pick(['or', 'and'])} {self.integer(sub)})",
                lambda: f"step({self.integer(sub)}, z={self.integer(sub)})",
                lambda: f"len({self.list_(sub)})",
                lambda: f"sum(x * 2 for x in {self.list_(0)} if x != {self.pick([0, 1])})",
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
            # Operands of three kinds: only their truth is asked.
            lambda: f"not (({self.truth(sub)}) and {self.integer(sub)} or {self.real(sub)})",
            lambda: f"any(item == {self.pick([0, 1, 2])} for item in xs)",
            lambda: f"all(7 % item for item in range(1, {self.integer(0)} % 5) if item != 3)",
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
