"""Python's ints that meet tensors near the limits of their dtype: sums of both are exact."""

import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

import runtime as rt
from tests.support.staging import as_python

BIG = sys.maxsize


def spread(xs):
    low, high = -BIG - 1, BIG
    for x in xs:
        if x > 100:
            low, high = x, x
    return high - low


def narrowest(xs):
    low, high = -BIG - 1, BIG
    for x in xs:
        for y in xs:
            if y - x > 0 and y - x < high - low:
                low, high = x, y
    return low, high


def narrowest_pair(xs):
    best = [-BIG - 1, BIG]
    for at in range(1, len(xs)):
        if xs[at] - xs[at - 1] < best[1] - best[0]:
            best = [xs[at - 1], xs[at]]
    return best


def two_smallest(xs):
    first = second = BIG
    for x in xs:
        if x < first:
            first, second = x, first
        elif x < second:
            second = x
    return first + second


def middle(xs):
    low, high = -BIG, BIG
    for x in xs:
        if x > low + high:
            low = x
    return (high - low) // 2


def appended(xs):
    found = []
    for x in xs:
        found.append(x if x > 2 else BIG)
    return found[0] + found[-1]


def entries(xs):
    best = {"a": BIG, "b": BIG}
    for x in xs:
        if x > 2:
            best["a"] = x
    return best["a"] - 1 < best["b"] + 1, best["a"] + best["b"]


def opposite(xs):
    low = -BIG - 1
    for x in xs:
        if x > 4:
            low = x
    return -low


def farthest(xs):
    low = -BIG - 1
    for x in xs:
        if x > 4:
            low = x
    return abs(low) > 7


def chosen(xs):
    limit = BIG if len(xs) > 2 else 0
    for x in xs:
        if x > 4:
            limit = x
    return limit + limit > 9


def product(xs):
    limit = BIG
    for x in xs:
        if x > 4:
            limit = x
    return limit * 2 > limit


def remainder(xs):
    limit = BIG
    for x in xs:
        if x > 4:
            limit = x
    return (limit + 1) % 10


def squared(xs):
    limit = BIG
    for x in xs:
        if x > 4:
            limit = x
    return limit**2 > limit


def shifted(xs):
    limit = BIG
    for x in xs:
        if x > 4:
            limit = x
    return limit << 3


def squared_million_millions(xs):
    limit = 10**12
    for x in xs:
        if x > 4:
            limit = x
    return limit * limit


def thrice(xs):
    limit = 2**62 - 1
    for x in xs:
        if x > 4:
            limit = x
    return limit + limit + limit


def returned(xs):
    return [BIG, xs[0]]


PROGRAMS = (
    spread, narrowest, narrowest_pair, two_smallest, middle, appended, entries, opposite, farthest,
    chosen, product, remainder, squared_million_millions, thrice, squared, shifted, returned,
)  # fmt: skip


@pytest.mark.parametrize("executor", ["numpy", "native"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_exact_or_refused(program: Callable[..., Any], executor: str) -> None:
    staged = rt.function(program, executor=executor)
    for given in [3, 1, 2], [1, 2, 3], [5, 7], [1, 1], [300, 2]:
        expected = program(given)
        argument = rt.constant(given, rt.int64)
        too_large = [item for item in _items(expected) if not -BIG - 1 <= item <= BIG]
        if too_large:
            place = f"{re.escape(__file__)}:"
            message = f"{too_large[0]} does not fit into int64.*{place}"
            with pytest.raises(rt.errors.InvalidArgumentError, match=message):
                staged(argument)
        else:
            assert as_python(staged(argument)) == expected


def _items(value: Any) -> list[int]:
    return list(value) if isinstance(value, tuple | list) else [value]


def sum_of_differences(xs):
    last = 0
    total = 0
    for x in xs:
        total = total + (x - last)
        last = x
    return total


def hashed(xs):
    seen = 5381
    for x in xs:
        seen = seen * 33 + x
    return seen


@pytest.mark.parametrize("program", [sum_of_differences, hashed], ids=lambda each: each.__name__)
def test_small_ints_leave_the_arithmetic_of_tensors(program: Callable[..., Any]) -> None:
    given = rt.constant([2**62, -(2**62), 2**61 + 3], rt.int64)
    staged = rt.function(program)
    assert as_python(staged(given)) == as_python(program(given))
    assert "py.item_int" not in str(staged.get_concrete_function(given).graph)


def assigned(xs, at):
    low = BIG
    for x in xs:
        if x < low:
            low = x
    xs[at + low - low] = low + 7
    return low


def test_what_a_call_writes_is_exact_too() -> None:
    inner = rt.function(assigned)

    def outer(xs, at):
        mine = xs + 0
        return inner(mine, at), mine

    given = rt.constant([3, 4, 5], rt.int64)
    low, mine = rt.function(outer)(given, rt.constant(1, rt.int64))
    assert as_python(low) == 3
    assert as_python(mine) == [3, 10, 5]


def width(low, high):
    return high - low


@rt.function
def is_wide(low, high):
    return width(low, high) > 100


@rt.function
def halved_difference(low, high):
    return width(low, high) // 2 + is_wide(low, high)


@rt.function
def nearest(xs):
    low = -BIG
    for x in xs:
        if x > 200:
            low = x
    return low


@rt.function
def shrunk(number, times):
    return number if times <= 0 else shrunk(number - 1, times - 1) + 2


def difference_in_a_call(xs):
    low, high = -BIG, BIG
    for x in xs:
        if x > 100:
            low, high = x, x + 1
    return is_wide(low, high)


def halves_in_calls(xs):
    low, high = -BIG, BIG
    for x in xs:
        if x > 100:
            low, high = x, x + 1
    return halved_difference(low, high)


def result_of_a_call(xs):
    return nearest(xs) - xs[0] < 3


def in_a_recursion(xs):
    high = BIG
    for x in xs:
        if x > 4:
            high = x
    return shrunk(high, xs[0])


@pytest.mark.parametrize(
    ("program", "python"),
    [
        (difference_in_a_call, lambda xs: xs[0] < 100),
        (result_of_a_call, lambda xs: True),
        (halves_in_calls, lambda xs: 0 if xs[0] > 100 else BIG + 1),
        (in_a_recursion, lambda xs: 600 if xs[0] > 4 else BIG + 3),
    ],
    ids=["difference_in_a_call", "result_of_a_call", "halves_in_calls", "in_a_recursion"],
)
def test_exact_or_refused_in_a_call(program: Any, python: Any) -> None:
    """`python`: what Python has of the program with functions that are not decorated."""
    staged = rt.function(program)
    for given in [3, 1, 2], [300, 2]:
        expected, argument = python(given), rt.constant(given, rt.int64)
        if expected > BIG:
            with pytest.raises(rt.errors.InvalidArgumentError, match="does not fit into int64"):
                staged(argument)
        else:
            assert as_python(staged(argument)) == expected
