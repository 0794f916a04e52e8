"""Where the decisions of random programs come from: hypothesis, or a seeded generator."""

import random
from collections.abc import Callable
from functools import cache
from typing import Protocol

from hypothesis import strategies as st


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


INDENT = "    "


class Lines:
    """The lines of a program that is being written, of `left` statements at most, `longest` in a
    block; `filler` is the line of a block that would have none.
    """

    filler: str
    longest = 3

    def __init__(self, choices: Choices, left: int) -> None:
        self.choices = choices
        self.lines: list[str] = []
        self.left = left
        self.loops = 0
        self.depth = 1
        self.names = 0

    def pick(self, *options: str) -> str:
        return options[self.choices.below(len(options))]

    def line(self, text: str) -> None:
        self.lines.append(INDENT * self.depth + text)

    def block(self, header: str, most: int | None = None) -> None:
        self.line(header)
        self.depth += 1
        before = len(self.lines)
        for _ in range(1 + self.choices.below(most or self.longest)):
            self.statement()
        if len(self.lines) == before:
            self.line(self.filler)
        self.depth -= 1

    def statement(self) -> None:
        if self.left > 0:
            self.left -= 1
            ways = self.ways()
            ways[self.choices.below(len(ways))]()

    def ways(self) -> list[Callable[[], None]]:
        raise NotImplementedError

    def test(self) -> str:
        raise NotImplementedError

    def returned(self) -> str:
        """What a program returns that is left early."""
        raise NotImplementedError

    def fresh(self, letter: str = "x") -> str:
        """A name that nothing has yet."""
        self.names += 1
        return f"{letter}{self.names}"

    def branching(self) -> None:
        self.block(f"if {self.test()}:")
        if self.choices.below(2):
            self.block("else:")

    def leaving(self) -> None:
        ways = [f"return {self.returned()}"]
        if self.loops:
            ways += ["break", "continue"]
        self.line(f"if {self.test()}:")
        self.line(INDENT + self.pick(*ways))

    def loop(self, header: str, count: str, *known: tuple[list[str], list[str]]) -> None:
        """A loop, of which a `while` counts its rounds in `count`. In it there are names besides
        those that are `known`: to each list of them some more.
        """
        if header.startswith("while"):
            self.line(f"{count} = 0")
            header += f"\n{INDENT * (self.depth + 1)}{count} += 1"
        for names, more in known:
            names += more
        self.loops += 1
        self.block(header)
        self.loops -= 1
        for names, more in known:
            del names[len(names) - len(more) :]

    def module(self, parameters: str, prelude: str = "") -> str:
        """The text of a module with what was written as its `program`."""
        text = "\n".join(self.lines)
        return f"{prelude}def program({parameters}):\n{text}\n"
