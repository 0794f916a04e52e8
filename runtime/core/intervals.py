"""The ranges of what ops compute of integers in known ranges, before it is wrapped around."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

Range = tuple[Any, Any]
"""The least and the greatest number: ints, or infinities."""

Rule = Callable[..., Range]
"""The range of a result from those of the operands: of a truth value 0 to 1, of an array that of
its elements, EVERYTHING for what is no integer.
"""

EVERYTHING: Range = (-inf, inf)


def joined(*ranges: Range) -> Range:
    """The range of numbers in any of these."""
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def same(a: Range, *others: Range) -> Range:
    """The range of what is, or is an element of, the first operand."""
    return a


# The ranges of results by those of operands: of a + b, abs(a), a // b and so on


def add(a: Range, b: Range) -> Range:
    return a[0] + b[0], a[1] + b[1]


def sub(a: Range, b: Range) -> Range:
    return a[0] - b[1], a[1] - b[0]


def _product(a: Any, b: Any) -> Any:
    return a * b if a and b else 0


def mul(a: Range, b: Range) -> Range:
    corners = [_product(x, y) for x in a for y in b]
    return min(corners), max(corners)


def neg(a: Range) -> Range:
    return -a[1], -a[0]


def magnitude(a: Range) -> Range:
    low, high = a
    return max(low, -high, 0), max(-low, high)


def square(a: Range) -> Range:
    low, high = magnitude(a)
    return _product(low, low), _product(high, high)


def floordiv(a: Range, b: Range) -> Range:
    low, high = a
    if b[0] <= 0 or inf in (-low, high, b[1]):
        largest = max(abs(low), abs(high))
        return (-largest, largest) if b[0] <= 0 else (min(low, 0), max(high, 0))
    corners = [x // y for x in a for y in b]
    return min(corners), max(corners)


def mod(a: Range, b: Range) -> Range:
    low, high = min(b[0] + 1, 0), max(b[1] - 1, 0)
    return (0, min(a[1], high)) if a[0] >= 0 and b[0] >= 0 else (low, high)


def bitwise_and(a: Range, b: Range) -> Range:
    tops = [high for low, high in (a, b) if low >= 0]
    return (0, min(tops)) if tops else (-inf, max(a[1], b[1]))


def minimum(a: Range, b: Range) -> Range:
    return min(a[0], b[0]), min(a[1], b[1])


def maximum(a: Range, b: Range) -> Range:
    return max(a[0], b[0]), max(a[1], b[1])


def chosen(test: Range, a: Range, b: Range) -> Range:
    """The range of a if test else b."""
    return joined(a, b)


def count(start: Range, stop: Range, step: Range) -> Range:
    """The range of the length of a `range`: only those of step 1 are common."""
    return (0, inf) if step != (1, 1) else (0, max(stop[1] - start[0], 0))


def length(array: Range) -> Range:
    """The range of the length of a list, of which each element takes eight bytes of an address
    space of 2 ** 63.
    """
    return 0, 1 << 60
