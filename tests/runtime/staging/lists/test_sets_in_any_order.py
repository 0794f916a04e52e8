"""Loops over sets of the run for what does not ask for their order, and for what does."""

from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.staging import as_python


def _rest(xs: Any) -> Any:
    rest = set(xs)
    rest.discard(2)
    return rest


def a_set(xs: Any) -> Any:
    return {x * x for x in _rest(xs) if x > 0}


def a_set_of_pairs(xs: Any) -> Any:
    return {a + b for a in _rest(xs) for b in [10, 20]}


def a_set_of_a_generator(xs: Any) -> Any:
    return set(x % 3 for x in _rest(xs))


def a_sum(xs: Any) -> Any:
    return sum(10 - x for x in _rest(xs))


def an_all(xs: Any) -> Any:
    return all(x % 2 == 1 for x in _rest(xs))


def a_least(xs: Any) -> Any:
    return min(abs(x - 4) for x in _rest(xs))


def a_sorted(xs: Any) -> Any:
    return sorted((x % 3, x) for x in _rest(xs))


@pytest.mark.parametrize(
    "function", [a_set, a_set_of_pairs, a_set_of_a_generator, a_sum, an_all, a_least, a_sorted]
)
@pytest.mark.parametrize("numbers", [[1, 2, 3, 7], [5, 2], [9, 1 << 20, -4, 17]])
def test_the_result_is_python_s(function: Any, numbers: Any) -> None:
    staged = rt.function(function)([rt.constant(x, rt.int64) for x in numbers])
    assert as_python(staged) == function(numbers)


def a_sum_of_floats(xs: Any) -> Any:
    return sum(x * 0.1 for x in _rest(xs))


def an_any_that_may_fail(xs: Any) -> Any:
    return any(10 % x == 0 for x in _rest(xs))


def a_sum_that_raises(xs: Any) -> Any:
    def checked(x: Any) -> Any:
        if x < 0:
            raise ValueError(f"{x} is negative")
        return x

    return sum(checked(x) for x in _rest(xs))


def a_sum_that_appends(xs: Any) -> Any:
    met = []

    def noted(x: Any) -> Any:
        met.append(x)
        return x

    return sum(noted(x) for x in _rest(xs)), met


def a_sum_that_counts(xs: Any) -> Any:
    count = 0

    def counted(x: Any) -> Any:
        nonlocal count
        count += 1
        return x * count

    return sum(counted(x) for x in _rest(xs))


def a_sum_that_prints(xs: Any) -> Any:
    def shown(x: Any) -> Any:
        print(x)
        return x

    return sum(shown(x) for x in _rest(xs))


def a_list(xs: Any) -> Any:
    return [x for x in _rest(xs)]


def a_dict(xs: Any) -> Any:
    return {x: x for x in _rest(xs)}


def the_first(xs: Any) -> Any:
    return next((x for x in _rest(xs)), 0)


def a_greatest_by_key(xs: Any) -> Any:
    return max((x for x in _rest(xs)), key=lambda x: x % 2)


def numbers_of_them(xs: Any) -> Any:
    return {at * x for at, x in enumerate(_rest(xs))}


@pytest.mark.parametrize(
    "function",
    [
        *(a_sum_of_floats, an_any_that_may_fail, a_sum_that_raises, a_sum_that_appends),
        *(a_sum_that_counts, a_sum_that_prints, a_list, a_dict, the_first, a_greatest_by_key),
        numbers_of_them,
    ],
)
def test_what_their_order_decides_is_refused(function: Any) -> None:
    with pytest.raises(autograph.StagingError, match="asks for their order"):
        rt.function(function)([rt.constant(x, rt.int64) for x in [1, 2, 3, 7]])


def least_and_greatest_of_each_round(n: Any) -> Any:
    known, pairs, found = {3, 1}, {(1, 2), (0, 5)}, []
    for i in range(n):
        found.append((max(known), min(known), sorted(known)[0], sorted(known, reverse=True)[1]))
        found.append((*min(pairs), *max(pairs)))
        if i in known:
            known.discard(i)
        known.add(i + 4)
        pairs.add((i, i))
        pairs.discard(min(pairs))
    return found, sorted(known), sorted(pairs)


def test_a_set_that_python_knows_at_first_is_asked_in_any_order() -> None:
    staged = rt.function(least_and_greatest_of_each_round)
    for n in (0, 1, 4):
        expected = as_python(least_and_greatest_of_each_round(n))
        assert as_python(staged(rt.constant(n, rt.int64))) == expected, n


def test_sets_of_pairs_that_grow_have_python_s_order() -> None:
    def pairs(xs: Any, ys: Any) -> Any:
        met = set()
        for x, y in zip(xs, ys, strict=True):
            met.add((x, y))
            met.add((y, x))
        return list(met)

    xs, ys = list(range(-20, 20, 3)), [x * x % 50 for x in range(14)]
    staged = rt.function(pairs)(rt.constant(xs, rt.int64), rt.constant(ys, rt.int64))
    assert as_python(staged) == pairs(xs, ys)
