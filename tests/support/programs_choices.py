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

    def branching(self) -> None:
        self.block(f"if {self.test()}:")
        if self.choices.below(2):
            self.block("else:")
