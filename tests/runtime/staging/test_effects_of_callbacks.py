"""Callbacks that change what is theirs, over lists of which only the run knows the length: each
call of Python's is one of the graph's.
"""

import collections
import functools
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.staging import as_python


class Counter:
    def __init__(self):
        self.count = 0

    def of(self, x):
        self.count += x
        return x % 3

    def __call__(self, x):
        self.count = self.count * 2 + x
        return -x


def item():
    count = [0]

    def callback(x):
        count[0] += 1
        return -x

    return callback, lambda: count[0]


def captured():
    count = 0

    def callback(x):
        nonlocal count
        count = count * 2 + x
        return x % 2

    return callback, lambda: count


def grown():
    seen = []

    def callback(x):
        seen.append(x)
        return x > 2

    return callback, lambda: seen


def remembered():
    known = {}

    def callback(x):
        if x not in known:
            known[x] = len(known)
        return known[x]

    return callback, lambda: known


def method():
    counter = Counter()
    return counter.of, lambda: counter.count


def callable_object():
    counter = Counter()
    return counter, lambda: counter.count


def partial():
    counter = Counter()
    return functools.partial(lambda held, x: held.of(x), counter), lambda: counter.count


def partial_method():
    counter = Counter()
    return functools.partial(counter.of), lambda: counter.count


CALLBACKS = [
    item, captured, grown, remembered, method, callable_object, partial, partial_method,
]  # fmt: skip


def sorted_by(items, f):
    return sorted(items, key=f)


def sorted_back(items, f):
    return sorted(items, key=f, reverse=True)


def sort(items, f):
    items.sort(key=f)
    return items


def largest(items, f):
    return max(items, key=f, default=0)


def largest_row(items, f):
    return max([[x, 1] for x in items], key=lambda row: f(row[0]), default=[0])


def smallest_value(items, f):
    return min({x: x for x in items}.values(), key=f, default=0)


def mapped(items, f):
    return list(map(f, items))


def mapped_again(items, f):
    return list(map(f, map(lambda x: x + 1, items)))


def filtered(items, f):
    return list(filter(f, items))


def total(items, f):
    return sum(map(f, items))


def found(items, f):
    return any(map(f, items))


def extended(items, f):
    made = [0]
    made.extend(map(f, items))
    return made


def paired(items, f):
    return {x: y for x, y in zip(items, map(f, items), strict=True)}


def written_out(items, f):
    return ", ".join(map(lambda x: str(f(x)), items))


def under_a_test(items, f):
    if len(items) > 2:
        items = sorted(items, key=f)
    return items


def in_rounds(items, f):
    for _ in range(len(items)):
        items = sorted(items, key=f)
    return items


def until(items, f):
    taken = 0
    for x in map(f, items):
        if x > 1:
            break
        taken += 1
    return taken


TAKERS = [
    sorted_by, sorted_back, sort, largest, largest_row, smallest_value, mapped, mapped_again,
    filtered, total, found, extended, paired, written_out, under_a_test, in_rounds, until,
]  # fmt: skip


@pytest.mark.parametrize("taker", TAKERS, ids=lambda taker: taker.__name__)
@pytest.mark.parametrize("make", CALLBACKS, ids=lambda make: make.__name__)
def test_each_call_counts(make: Callable[[], Any], taker: Callable[..., Any]) -> None:
    def program(xs):
        callback, seen = make()
        result = taker([x for x in xs if x > 0], callback)
        return result, seen()

    staged = rt.function(program)
    for numbers in ([3, 1, -2, 4, 5], [2], [4, 3, 2, 1]):
        assert as_python(staged(rt.constant(numbers, rt.int64))) == program(numbers)


def appended():
    seen = []
    return seen.append, lambda: seen


def appended_by_a_partial():
    seen = []
    return functools.partial(seen.append), lambda: seen


def appended_by_an_item():
    seen = []
    ways = {"on": (seen.append,)}
    return ways["on"][0], lambda: seen


def put_first():
    seen = []
    return functools.partial(seen.insert, 0), lambda: seen


def remembered_by_a_method():
    seen = {}
    return seen.setdefault, lambda: len(seen)


def added():
    seen = set()
    return seen.add, lambda: sum(seen)


def one_by_one(items, f):
    for x in items:
        f(x)


@pytest.mark.parametrize("taker", [mapped, filtered, found, one_by_one], ids=lambda x: x.__name__)
@pytest.mark.parametrize(
    "make",
    [
        *(appended, appended_by_a_partial, appended_by_an_item, put_first),
        *(remembered_by_a_method, added),
    ],
    ids=lambda make: make.__name__,
)
def test_each_call_of_a_method_of_pythons_counts(
    make: Callable[[], Any], taker: Callable[..., Any]
) -> None:
    def program(xs):
        callback, seen = make()
        taker([x for x in xs if x > 0], callback)
        return seen()

    staged = rt.function(program)
    for numbers in ([3, 1, -2, 4, 5], [2], [4, 3, 2, 1]):
        assert as_python(staged(rt.constant(numbers, rt.int64))) == program(numbers)


def numbered():
    made = [0]

    def factory():
        made[0] += 1
        return made[0]

    return factory, lambda: made[0]


def numbered_by_a_method():
    counter = Counter()
    return functools.partial(counter.of, 2), lambda: counter.count


@pytest.mark.parametrize("make", [numbered, numbered_by_a_method])
def test_a_factory_makes_as_many_values_as_there_are_new_keys(make: Callable[[], Any]) -> None:
    def program(xs):
        factory, seen = make()
        entries = collections.defaultdict(factory)
        for x in xs:
            entries[x % 3] += x
            if entries[x % 2] > 4:
                del entries[x % 2]
        return dict(entries), seen()

    staged = rt.function(program)
    for numbers in ([3, 1, -2, 4, 5], [2], [4, 3, 2, 1]):
        assert as_python(staged(rt.constant(numbers, rt.int64))) == program(numbers)


def test_a_factory_of_lists_that_counts_is_refused() -> None:
    def program(xs):
        made = []

        def factory():
            made.append(1)
            return []

        entries = collections.defaultdict(factory)
        for x in xs:
            entries[x] = [x]
        return len(entries[xs[0]]), len(made)

    with pytest.raises(autograph.StagingError, match=r"default_factory .* changes what is outside"):
        rt.function(program)(rt.constant([3, 1], rt.int64))
