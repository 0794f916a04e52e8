"""Random programs of loops in each other, over lists of numbers that they change: with exits,
comprehensions and exceptions that a `try` around the loops acts on.
"""

from collections.abc import Callable

from tests.support.programs_choices import INDENT, Choices, Lines

_LISTS = ("a", "b", "c")
_ERRORS = ("ValueError", "KeyError", "IndexError", "OverflowError")
_CLAUSES = (
    *("ValueError", "LookupError", "IndexError", "ZeroDivisionError", "ArithmeticError"),
    *("Exception", "(KeyError, ZeroDivisionError)"),
)


class Writer(Lines):
    """Writes one program."""

    filler = "p = p + 1"

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices, 5 + choices.below(14))
        self.items = ["k"]

    def sequence(self) -> str:
        return self.pick(*_LISTS)

    def variable(self) -> str:
        return self.pick("p", "q", "s")

    def number(self, *more: str) -> str:
        names = ("p", "q", "s", *self.items, *self.items, *more, *more)
        return self.pick(*names, *names, "1", "3", "7", "-2")

    def value(self, *more: str) -> str:
        """An expression that stays small."""
        x, y = self.number(*more), self.number(*more)
        return self.pick(
            x, f"{x} - {y}", f"({x} + {y}) % 31", f"{x} * {y} % 53", f"{x} // {self.pick('2', '3')}"
        )

    def test(self, *more: str) -> str:
        compared = self.pick("<", "==", ">=", "!=")
        return f"{self.value(*more)} {compared} {self.value(*more)}"

    def ways(self) -> list[Callable[[], None]]:
        simple = [self.assignment] * 3 + [self.change] * 3 + [self.comprehension] * 2
        simple += [self.leaving] * 2 + [self.raising]
        nested = [self.looping] * 4 + [self.branching] * 2 + [self.trying] * 2
        return simple if self.depth > 5 else simple + nested

    def assignment(self) -> None:
        self.line(f"{self.variable()} = ({self.value()}) % 97 - 20")

    def change(self) -> None:
        items = self.sequence()
        place = f"{items}[({self.value()}) % len({items})]"
        self.line(f"if {self.pick(f'{items}', f'0 < len({items}) < 20')}:")
        self.line(INDENT + self.pick(
            f"{items}.append({self.number()})" if items == "c" else f"{place} = {self.number()}",
            f"{place} = ({self.value()}) % 41",
            f"{self.variable()} = {place}",
            f"{self.variable()} = {items}.pop({self.pick('', '0', '-1')})",
            f"{place}, {items}[0] = {items}[0], {place}",
            f"c = {items}[1:]",
        ))  # fmt: skip

    def comprehension(self) -> None:
        x, y = self.fresh("v"), self.fresh("v")
        one, two = self.sequence(), self.sequence()
        self.line(self.pick(
            f"c = [({self.value(x)}) % 50 for {x} in {one}][:9]",
            f"c = [{x} for {x} in {one} if {self.test(x)}][:9]",
            f"{self.variable()} = sum(({self.value(x, y)}) % 9 for {x} in {one} for {y} in {two})",
            f"{self.variable()} = any({self.test(x, y)} for {x} in {one} for {y} in {two}) + 0",
            f"{self.variable()} = len({{({self.value(x)}) % 7 for {x} in {one}}})",
            f"{self.variable()} = max(({self.value(x)} for {x} in {one}), default=3)",
        ))  # fmt: skip

    def returned(self) -> str:
        return f"{self.variable()}, {self.sequence()}"

    def raising(self) -> None:
        error = f"{self.pick(*_ERRORS)}({self.pick('', self.number())})"
        if self.choices.below(2):
            self.line(f"if {self.test()}:")
            self.line(f"{INDENT}raise {error}")
        else:
            self.line(self.pick(
                f"{self.variable()} = ({self.value()}) // (({self.value()}) % 5)",
                f"{self.variable()} = {self.sequence()}[({self.value()}) % 12]",
                f"{self.variable()} = {self.sequence()}.index({self.number()})",
            ))  # fmt: skip

    def looping(self) -> None:
        x, y, items = self.fresh("v"), self.fresh("v"), self.sequence()
        header, *names = (
            (f"for {x} in {items}:", x),
            (f"for {y}, {x} in enumerate({items}):", x, y),
            (f"for {x}, {y} in zip({items}, {self.sequence()}):", x, y),
            (f"for {x} in range(len({items})):", x),
            (f"for {x} in {items}[1:]:", x),
            (f"for {x} in sorted({items}):", x),
            (f"for {x} in reversed({items}):", x),
            (f"while {x} < len({items}):", x),
        )[self.choices.below(8)]
        self.loop(header, x, (self.items, names))
        if not self.choices.below(5):
            self.block("else:", most=1)

    def trying(self) -> None:
        self.block("try:")
        clauses = self.choices.below(3)
        for _ in range(clauses):
            self.block(f"except {self.pick(*_CLAUSES)}:", most=2)
        if clauses and not self.choices.below(3):
            self.block("else:", most=1)
        if not clauses or not self.choices.below(4):
            self.line("finally:")
            self.line(f"{INDENT}q = q % 89 + 1")

    def program(self) -> str:
        self.line("p, q, s, c = 0, 1, 2, []")
        self.looping()
        while self.left > 0:
            self.statement()
        self.line("return p, q, s, c")
        return self.module("a, b, k")


def write(choices: Choices) -> str:
    """A program, whose function takes two lists of numbers and a number."""
    return Writer(choices).program()
