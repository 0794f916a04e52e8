"""Recursive functions that return a list, dict or set which is an argument of theirs, or in two
places of the result: the caller changes it by one name, and reads it by another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.staging import assert_as_in_python

Program = Callable[[Any], Any]


@dataclass
class Named:
    items: list[Any]
    name: str


def lists(n):
    sizes = []

    def same(items, k):
        if k > 0:
            own = [k]
            given = same(own, k - 1)
            given.append(5)
            sizes.append(len(own))
        return items

    same([0], n)
    return sizes


def by_the_other_name(n):
    found = []

    def same(items, k):
        if k > 0:
            own = [k]
            given = same(own, k - 1)
            own[0] = 50
            found.append((given[0], given is own))
        return items

    same([0], n)
    return found


def sets(n):
    sizes = []

    def same(items, k):
        if k > 0:
            own = {k}
            given = same(own, k - 1)
            given.add(50)
            sizes.append(len(own))
        return items

    same({0}, n)
    return sizes


def dicts_with_lists(n):
    found = []

    def same(table, k):
        if k > 0:
            own = {"size": k, "items": [k]}
            given = same(own, k - 1)
            given["size"] = 9
            given["items"].append(5)
            found.append((own["size"], len(own["items"])))
        return table

    same({"size": 0, "items": [0]}, n)
    return found


def part_of_an_argument(n):
    sizes = []

    def first(rows, k):
        if k > 0:
            own = [[k], [2]]
            given = first(own, k - 1)
            given.append(5)
            sizes.append(len(own[0]))
        return rows[0]

    first([[0], [2]], n)
    return sizes


def attribute_of_an_argument(n):
    sizes = []

    def items_of(each, k):
        if k > 0:
            own = Named([k], "own")
            given = items_of(own, k - 1)
            given.append(5)
            sizes.append(len(own.items))
        return each.items

    items_of(Named([0], "first"), n)
    return sizes


def none_or_an_argument(n):
    sizes = []

    def same(items, k):
        if k > 0:
            own = [k] if n > 2 else None
            given = same(own, k - 1)
            if given is not None:
                given.append(5)
            if own is not None:
                sizes.append(len(own))
        return items

    same([0], n)
    return sizes


def functions_that_call_each_other(n):
    sizes = []

    def even(items, k):
        if k > 0:
            own = [k]
            odd(own, k - 1).append(5)
            sizes.append(len(own))
        return items

    def odd(items, k):
        if k > 0:
            own = [k]
            even(own, k - 1).append(7)
            sizes.append(-len(own))
        return items

    even([0], n)
    return sizes


class Sizes:
    def __init__(self) -> None:
        self.found: list[Any] = []

    def same(self, items, k):
        if k > 0:
            own = [k]
            given = self.same(own, k - 1)
            given.append(5)
            self.found.append(len(own))
        return items

    def depth(self, items, k):
        if k > 0:
            own = [k]
            below = self.depth(own, k - 1)
            own.append(5)
            self.found.append(len(own))
            return below + len(own)
        return len(items)


def methods_of_a_new_object(n):
    sizes = Sizes()
    sizes.same([0], n)
    return sizes.found, Sizes().depth([0], n)


def lists_that_grow(n):
    found = []

    def same(items, k):
        if k > 0:
            longer = [*items, k]
            given = same(longer, k - 1)
            given.append(5)
            longer[0] = 50
            found.append((len(longer), given[0]))
        return items

    same([1], n)
    return found


def lists_in_tuples(n):
    sizes = []

    def same(pair, k):
        if k > 0:
            own = ([k], "own")
            same(own, k - 1)[0].append(5)
            sizes.append(len(own[0]))
        return pair

    same(([0], "first"), n)
    return sizes


def in_two_places(n):
    sizes = []

    def twice(k):
        if k > 0:
            a, b = twice(k - 1)
            a.append(5)
            sizes.append(len(b))
        made = [k]
        return made, made

    twice(n)
    return sizes


def in_two_places_of_a_list(n):
    sizes = []

    def twice(k):
        if k > 0:
            rows = twice(k - 1)
            rows[0].append(5)
            sizes.append(len(rows[1]))
        made = [k]
        return [made, made]

    twice(n)
    return sizes


def in_two_places_sometimes(n):
    sizes = []

    def twice(k):
        if k > 0:
            a, b = twice(k - 1)
            a.append(5)
            sizes.append(len(b))
        made = [k]
        return made, made if k % 2 else [3]

    twice(n)
    return sizes


def copies(n):
    def reversed_path(path, k):
        if k == 0:
            return path
        longer = list(reversed_path([k, *path], k - 1))
        longer.append(0)
        return longer

    return reversed_path([], n)


def merged(n):
    def merge(a, b):
        if not a:
            return b
        if not b:
            return a
        if a[0] < b[0]:
            return [a[0], *merge(a[1:], b)]
        return [b[0], *merge(a, b[1:])]

    return merge([i * i % 5 for i in range(n)], [i + 2 for i in range(n)])


def beside_a_number(n):
    def path(items, k):
        if k == 0:
            return items, 0
        found, cost = path([*items, k], k - 1)
        return found, cost + k

    return path([], n)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 9])
@pytest.mark.parametrize(
    "program",
    [
        *(lists, by_the_other_name, sets, dicts_with_lists, part_of_an_argument),
        *(attribute_of_an_argument, none_or_an_argument, functions_that_call_each_other),
        *(methods_of_a_new_object, lists_that_grow, lists_in_tuples),
        *(in_two_places, in_two_places_of_a_list, in_two_places_sometimes, copies, merged),
        beside_a_number,
    ],
    ids=lambda f: f.__name__,
)
def test_a_change_is_seen_by_both_names(program: Program, n: int) -> None:
    assert_as_in_python(program, n)


def put_into_a_list(n):
    sizes = []

    def around(items, k):
        if k > 0:
            own = [k]
            given = around(own, k - 1)
            given[0].append(5)
            sizes.append(len(own))
        return [items]

    around([0], n)
    return sizes


def put_into_an_object(n):
    sizes = []

    def named(items, k):
        if k > 0:
            own = [k]
            given = named(own, k - 1)
            given.items.append(5)
            sizes.append(len(own))
        return Named(items, "given")

    named([0], n)
    return sizes


def one_of_two_arguments(n):
    sizes = []

    def either(a, b, k):
        if k > 0:
            x, y = [k], [k, k]
            given = either(y, x, k - 1)
            given.append(5)
            sizes.append((len(x), len(y)))
        return b if k % 2 else a

    either([0], [1], n)
    return sizes


@pytest.mark.parametrize(
    "program", [put_into_a_list, put_into_an_object, one_of_two_arguments], ids=lambda f: f.__name__
)
def test_what_may_be_an_argument_is_not_changed(program: Program) -> None:
    words = "'the result' is one of several objects.*\n.*change a copy, made behind this statement"
    with pytest.raises(autograph.StagingError, match=words) as caught:
        rt.function(program)(rt.constant(3))
    assert caught.value.filename == __file__


def test_kinds_that_the_calls_make_one_are_refused() -> None:
    def function(n):
        def either(pair, k):
            if k <= 0:
                return pair
            own, other = ([k], "own"), ([k], "other")
            either(own, k - 1)[0].insert(0, 8)
            return other if k % 2 else own

        return len(either(([0], "first"), n)[0])

    words = "a value is used that is of another kind on each path.*list of 1 and list of 2"
    with pytest.raises(autograph.StagingError, match=words) as caught:
        rt.function(function)(rt.constant(3))
    assert caught.value.filename == __file__
