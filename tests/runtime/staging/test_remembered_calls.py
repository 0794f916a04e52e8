"""Functions under `functools.cache` that staged functions make: what they remember is theirs."""

from functools import cache
from typing import Any

import pytest

import runtime as rt
from tests.support.staging import attempt, same_outcome


def in_a_loop(n):
    @cache
    def fibonacci(k):
        return k if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)

    total = 0
    for k in range(n):
        total += fibonacci(k)
    return total


def counted(n):
    calls = 0

    @cache
    def fibonacci(k):
        nonlocal calls
        calls += 1
        return k if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)

    return fibonacci(n), calls, fibonacci(n - 1), calls


def of_two_numbers(n):
    @cache
    def paths(row, column):
        if row == 0 or column == 0:
            return 1
        return paths(row - 1, column) + paths(row, column - 1)

    return paths(n, 3)


def with_known_places(n):
    items = [n, 4, n + 2, 5]

    @cache
    def rising(at, last):
        if at == len(items):
            return 0
        without = rising(at + 1, last)
        if items[at] > last:
            return max(without, 1 + rising(at + 1, items[at]))
        return without

    return rising(0, 0)


def in_a_try(n):
    @cache
    def half(k):
        if k < 0:
            raise ValueError("negative")
        return k // 2

    try:
        first = half(n)
        second = half(n - 4)
    except ValueError:
        return -1
    return first + second


def cleared(n):
    made = 0

    @cache
    def twice(k):
        nonlocal made
        made += 1
        return k * 2

    first = twice(n) + twice(n)
    twice.cache_clear()
    return first + twice(n), made


def as_a_callback(n):
    @cache
    def square(k):
        return k * k

    items = [n, 3, n]
    return [square(x) for x in items], sum(map(square, items)), sorted(items, key=square)


def each_other(n):
    @cache
    def is_even(k):
        return True if k == 0 else is_odd(k - 1)

    @cache
    def is_odd(k):
        return False if k == 0 else is_even(k - 1)

    return is_even(n), is_odd(n)


def on_one_path(n):
    @cache
    def half(k):
        return k // 2

    total = 0
    for i in range(n):
        if i > 2:
            total += half(i)
        else:
            total -= half(n)
    return total


PROGRAMS = [in_a_loop, counted, of_two_numbers, with_known_places, in_a_try, cleared]
PROGRAMS += [as_a_callback, each_other, on_one_path]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_cache_is_pythons(program: Any) -> None:
    staged = rt.function(program)
    for n in (7, 2, 5):
        expected, got = attempt(lambda n=n: program(n)), attempt(lambda n=n: staged(_tensor(n)))
        assert same_outcome(expected, got), (n, expected, got)


def _tensor(n: int) -> Any:
    return rt.constant(n, rt.int64)
