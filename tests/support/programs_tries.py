"""Random programs of exceptions: what raises and fails in `try` and `with`, in loops, with handlers
that match or not, managers that swallow or not, `else`, `finally`, and exits from each of them.
"""

from collections.abc import Callable

from tests.support.programs_choices import INDENT, Choices, Lines

PRELUDE = """\
from contextlib import contextmanager, suppress

class Thing:
    pass


class Manager:
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        self.thing.n += 1
        return self.thing.n

    def __exit__(self, kind, error, traceback):
        self.thing.n += 10 if kind is None else 100
        return kind in (KeyError, RuntimeError)


@contextmanager
def kept(thing, n):
    before = thing.n
    try:
        yield before + n
        thing.n += 2
    except ZeroDivisionError:
        thing.n = before
    except KeyError as error:
        raise RuntimeError("kept") from error
    finally:
        thing.n += 1


def risky(n, m):
    if n % 3 == m % 2:
        raise KeyError(n)
    return 12 // (n % 4)


def careful(n):
    try:
        n = n + risky(n, n + 1)
    except ZeroDivisionError:
        return -n
    finally:
        n = n + 1
    return n


"""

_KINDS = ("KeyError", "RuntimeError", "OSError", "LookupError", "ArithmeticError", "Exception")
_CLAUSES = (
    *("ZeroDivisionError", "IndexError", "KeyError", "RuntimeError", "AssertionError"),
    *("LookupError", "ArithmeticError", "Exception", "(KeyError, ZeroDivisionError)"),
    *("(IndexError, RuntimeError)", "OSError", "ValueError"),
)


class Writer(Lines):
    """Writes one program."""

    filler = "y = y + 1"

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices, 6 + choices.below(16))
        self.handlers = 0
        self.finals = 0

    def name(self) -> str:
        return self.pick("x", "y", "z")

    def value(self) -> str:
        return self.pick(
            f"{self.name()} + {self.choices.below(4)}",
            f"{self.name()} * 2 % 11",
            f"{self.name()} - {self.name()}",
            f"{self.choices.below(6)}",
            f"12 // ({self.name()} % {2 + self.choices.below(4)})",
            f"7 % ({self.name()} - {self.choices.below(3)})",
            f"[5, 3, 8][{self.name()} % 5]",
            "{0: 2, 1: 5, 2: 1}[" + self.name() + " % 4]",
            f"risky({self.name()}, {self.name()})",
            f"careful({self.name()})",
            "rows.pop()",
            "rows[-1]",
        )

    def test(self) -> str:
        return self.pick(
            f"{self.name()} > {self.choices.below(5)}",
            f"{self.name()} % 2 == {self.choices.below(2)}",
            f"{self.name()} < {self.name()}",
            f"{self.name()} > 1 and 6 // {self.name()} > 1",
        )

    def ways(self) -> list[Callable[[], None]]:
        simple = [self.assignment] * 4 + [self.raising, self.asserting, self.growing, self.leaving]
        nested = [self.trying] * 4 + [self.branching] * 2 + [self.looping] * 2 + [self.managing]
        return simple if self.depth > 6 else simple + nested

    def assignment(self) -> None:
        self.line(f"{self.name()} = {self.value()}")

    def growing(self) -> None:
        self.line(self.pick(f"rows.append({self.name()})", "thing.n += 1", "thing.n += x"))

    def asserting(self) -> None:
        self.line(f"assert {self.test()}" + self.pick("", ", 'low'", f", {self.name()}"))

    def raising(self) -> None:
        error = self.pick(*_KINDS) + self.pick("", "('text')", f"({self.name()})")
        if self.handlers and not self.choices.below(3):
            self.line("raise")
        elif not self.choices.below(5):
            self.line(f"raise {error} if {self.test()} else {self.pick(*_KINDS)}")
        elif self.choices.below(3):
            self.line(f"if {self.test()}:")
            self.line(f"{INDENT}raise {error}")
        else:
            self.line(f"raise {error}")

    def leaving(self) -> None:
        ways = [f"return {self.name()}, {self.choices.below(9)}, 0, 0, 0, 0"]
        if self.loops and (not self.finals or not self.choices.below(4)):
            ways += ["break", "continue"]
        self.line(f"if {self.test()}:")
        self.line(INDENT + self.pick(*ways))

    def looping(self) -> None:
        self.loops += 1
        finals, self.finals = self.finals, 0
        at = f"i{self.depth}"
        if self.choices.below(2):
            self.block(f"for {at} in range({self.pick('2', '3', 'x % 4', 'y % 3')}):")
        else:
            self.line(f"{at} = 0")
            self.line(f"while {at} < {self.pick('3', 'x % 4', 'z % 3')}:")
            self.line(f"{INDENT}{at} += 1")
            self.depth += 1
            self.statement()
            self.statement()
            self.depth -= 1
        self.finals = finals
        self.loops -= 1

    def managing(self) -> None:
        managers = (
            *(f"suppress({self.pick(*_CLAUSES)})", f"Manager(thing) as {self.name()}"),
            *(f"kept(thing, {self.name()})", f"kept(thing, 3) as {self.name()}"),
        )
        self.block(f"with {self.pick(*managers, 'Manager(thing)')}:")

    def trying(self) -> None:
        self.block("try:")
        clauses = self.choices.below(4)
        for _ in range(clauses):
            self.handlers += 1
            named = self.choices.below(4) == 0
            self.block(f"except {self.pick(*_CLAUSES)}{' as error' if named else ''}:")
            self.handlers -= 1
        if clauses and not self.choices.below(3):
            self.block("else:")
        if not clauses or not self.choices.below(3):
            self.finals += 1
            handlers, self.handlers = self.handlers, 0
            self.block("finally:")
            self.finals -= 1
            self.handlers = handlers

    def program(self) -> str:
        self.line("z = x - y")
        self.line("rows = [x, 4]")
        self.line("thing = Thing()")
        self.line("thing.n = 0")
        self.trying()
        while self.left > 0:
            self.statement()
        self.line("return x, y, z, len(rows), sum(rows), thing.n")
        return self.module("x, y", PRELUDE)


def write(choices: Choices) -> str:
    """A program, whose function takes two numbers."""
    return Writer(choices).program()
