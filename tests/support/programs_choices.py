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
