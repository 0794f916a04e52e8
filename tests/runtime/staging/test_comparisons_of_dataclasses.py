"""The comparisons that `@dataclass` writes, of objects with staged fields: as in Python."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

import runtime as rt


@dataclass(order=True)
class Money:
    amount: Any
    tax: Any = 1
    note: Any = field(default=None, compare=False)


@dataclass(order=True)
class Coin(Money):
    year: Any = 0


@dataclass(eq=False)
class Place:
    x: Any


@dataclass
class Nothing:
    pass


@dataclass
class Card:
    rank: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Card) and abs(self.rank - other.rank) < 2


def equal(x: Any) -> Any:
    return Money(x, x) == Money(x * 2, x), Money(x, x) != Money(x * 2, x)


def nested(x: Any) -> Any:
    return Money(Money(x, 2), 3) == Money(Money(2, x), 3)


def uncompared_fields(x: Any) -> Any:
    return Money(2, 1, note=x) == Money(2, 1, note=5)


def of_two_classes(x: Any) -> Any:
    return Money(x) == Coin(x), Money(x) != Coin(x), Coin(x, 1, 2) < Coin(x, 1, x)


def by_identity(x: Any) -> Any:
    place = Place(x)
    return place == place, place == Place(x), Nothing() == Nothing()


def by_hand(x: Any) -> Any:
    return Card(x) == Card(2), Card(x) != Card(2)


def ordered(x: Any) -> Any:
    one, other = Money(x, 1), Money(2, x)
    return one < other, one <= other, one > other, one >= other


def largest(x: Any) -> Any:
    return max([Money(x, 1, "a"), Money(x * 2, 2), Money(2, 3)]).tax


def in_order(x: Any) -> Any:
    return [item.tax for item in sorted([Money(x, 1), Money(x * 2, 2), Money(-x, 3)])]


def found(x: Any) -> Any:
    return Money(x) in [Money(2), Money(0)], Money(x) in (Money(1), Money(3))


def counted(x: Any) -> Any:
    items = [Money(2), Money(x), Money(2, 2)]
    return items.count(Money(2)), items.index(Money(x))


def in_libraries(x: Any) -> Any:
    items = [Money(0), Money(2), Money(4)]
    return bisect.bisect(items, Money(x)), heapq.nsmallest(1, [Money(x, 1), Money(1, 2)])[0].tax


def in_a_branch(x: Any) -> Any:
    if Money(x) < Money(2):
        return 1
    return -1


@pytest.mark.parametrize("x", [-1, 0, 1, 2, 3, 5])
@pytest.mark.parametrize(
    "program",
    [
        equal, nested, uncompared_fields, of_two_classes, by_identity, by_hand, ordered, largest,
        in_order, found, counted, in_libraries, in_a_branch,
    ],
)  # fmt: skip
def test_as_in_python(program: Callable[[Any], Any], x: int) -> None:
    staged = rt.nest.map_structure(int, rt.function(program)(rt.constant(x)))
    assert staged == rt.nest.map_structure(int, program(x))


def test_other_classes_are_not_ordered() -> None:
    def f(x: Any) -> Any:
        return Money(x) < Coin(x)

    with pytest.raises(TypeError, match="between instances of 'Money' and 'Coin'"):
        rt.function(f)(rt.constant(1))
