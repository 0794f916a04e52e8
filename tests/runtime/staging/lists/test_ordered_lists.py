"""The functions of `heapq` and `bisect` on staged items: the moves of Python's own."""

import bisect
import functools
import heapq
from typing import Any

import pytest

import runtime as rt
from tests.support.staging import attempt, same_outcome


def popped(xs):
    heap = []
    for x in xs:
        heapq.heappush(heap, x)
    return [heapq.heappop(heap) for _ in range(len(heap))]


def places(xs):
    heap = []
    for x in xs:
        heapq.heappush(heap, x)
    heapq.heappop(heap)
    first = heapq.heappushpop(heap, 3)
    second = heapq.heapreplace(heap, 5)
    return heap, first, second


def heapified(xs):
    heap = list(xs)
    heapq.heapify(heap)
    last, rounds = 0, 0
    while heap and last < 4:
        last = heapq.heappop(heap)
        rounds += 1
    return last, rounds, heap


def ordered(xs):
    return heapq.nsmallest(2, xs), heapq.nlargest(3, xs), heapq.nsmallest(2, xs, key=lambda x: -x)


def merged(xs):
    some = [x for x in xs if x > 1]
    both = list(heapq.merge(xs, [0, 4])), list(heapq.merge(some, xs, [3], reverse=True))
    total = 0
    for x in heapq.merge(some, xs, key=lambda x: -x):
        total = total * 3 + x
    pairs = [(x, i) for i, x in enumerate(xs)]
    ends = list(heapq.merge()), next(heapq.merge(xs, [9])), list(heapq.merge(pairs, [(2, -1)]))
    return both, total, ends


def of_pairs(xs):
    heap = []
    for i, x in enumerate(xs):
        heapq.heappush(heap, (x, -i))
    total = 0
    while heap:
        cost, i = heapq.heappop(heap)
        total = total * 3 + i - cost
    return total


def some_of_them(xs):
    heap = []
    for x in xs:
        if x > 2:
            heapq.heappush(heap, x)
        elif heap:
            heapq.heappop(heap)
    return heapq.heappop(heap), heap


class Queue:
    def __init__(self):
        self.heap = []

    def put(self, item):
        heapq.heappush(self.heap, item)

    def get(self):
        return heapq.heappop(self.heap)


def in_an_object(xs):
    queue = Queue()
    for x in xs:
        queue.put(-x)
    return queue.get() - queue.get()


def halved(xs):
    ordered = sorted(xs)
    ends = [(bisect.bisect_left(ordered, x), bisect.bisect(ordered, x)) for x in xs]
    part = bisect.bisect_left(ordered, xs[0], 0, 1), bisect.bisect_right(ordered, 3, hi=1)
    return ends, part, bisect.bisect_left(range(9), xs[-1]), bisect.bisect([1, 3, 8], xs[0])


def inserted(xs):
    falling = []
    for x in xs:
        bisect.insort(falling, x, key=lambda each: -each)
        if x > 2:
            bisect.insort_left(falling, 2, key=lambda each: -each)
    return falling


def inserted_pairs(xs):
    pairs = []
    for i, x in enumerate(xs):
        bisect.insort_right(pairs, (x, -i))
    return pairs, bisect.bisect_left(pairs, (xs[0], -9)), bisect.bisect([], xs[0])


def before_the_first(xs):
    return bisect.bisect_left(sorted(xs), xs[0], -1)


def of_the_largest(xs):
    heap = list(set(xs))
    heapify_max(heap)
    heap.append(2)
    heapify_max(heap)
    first = heapreplace_max(heap, 1)
    return first, [heappop_max(heap) for _ in range(len(heap))]


class Job:
    """It comes before others, and is equal to none."""

    def __init__(self, hours):
        self.hours = hours

    def __lt__(self, other):
        return self.hours < other.hours


def jobs_beside_numbers(xs):
    heap = []
    for i, x in enumerate(xs):
        heapq.heappush(heap, (Job(x % 3), -i))
    return [heapq.heappop(heap)[1] for _ in range(len(heap))]


def beside_a_nan(xs):
    heap = []
    for i, x in enumerate(xs):
        heapq.heappush(heap, (x * 1.0 if x != 8 else float("nan"), i % 2, x))
    return [heapq.heappop(heap)[2] for _ in range(len(heap))]


def named_max(name):
    return getattr(heapq, f"_{name}_max", None) or getattr(heapq, f"{name}_max")


heapify_max, heappop_max, heapreplace_max = map(named_max, ("heapify", "heappop", "heapreplace"))


def _by_last_digit(a, b):
    return (a % 5 > b % 5) - (a % 5 < b % 5)


def first_and_last_by_a_comparison(xs):
    order = functools.cmp_to_key(_by_last_digit)
    large = [x for x in xs if x > 3]
    pairs = [(x % 3, x) for x in xs]
    by_both = functools.cmp_to_key(lambda a, b: a[0] - b[0] if a[0] != b[0] else b[1] - a[1])
    return (
        max(xs, key=order),
        min([x + 1 for x in xs], key=order),
        max((x * 3 for x in xs), key=order),
        min(large, key=order, default=-1),
        max(xs[0], xs[-1], xs[0] + 5, key=order),
        max(pairs, key=by_both),
        min(pairs, key=by_both),
    )


def counted_comparisons(xs):
    count = 0

    def compare(a, b):
        nonlocal count
        count += 1
        return 1.5 if a > b else -0.5

    found = max(xs, key=functools.cmp_to_key(compare))
    return found, count


PROGRAMS = [
    of_the_largest,
    popped,
    places,
    heapified,
    ordered,
    of_pairs,
    some_of_them,
    in_an_object,
    halved,
]
PROGRAMS += [merged, inserted, inserted_pairs, before_the_first]
PROGRAMS += [first_and_last_by_a_comparison, counted_comparisons]
PROGRAMS += [jobs_beside_numbers, beside_a_nan]
ITEMS = [[4], [3, 3, 3], [9, 7, 7, 1, 8, 0, 3], [8, 5, 4, 8, 1]]


def each_a_tensor(xs: Any) -> Any:
    return [rt.constant(x, rt.int64) for x in xs]


@pytest.mark.parametrize("given", [lambda xs: rt.constant(xs, rt.int64), each_a_tensor])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_list_in_order_is_pythons(program: Any, given: Any) -> None:
    for items in ITEMS:
        expected = attempt(lambda xs=items: program([*xs]))
        got = attempt(lambda xs=items: rt.function(program)(given(xs)))
        assert same_outcome(expected, got), (items, expected, got)


def test_a_comparison_by_which_each_of_two_comes_first_is_an_error() -> None:
    def by_parity(a: Any, b: Any) -> Any:
        return 1 if a % 2 > b % 2 else -1

    staged = rt.function(lambda x: sorted([x, x + 1, 4], key=functools.cmp_to_key(by_parity)))
    assert [int(x) for x in staged(rt.constant(4))] == [4, 4, 5]
    with pytest.raises(rt.errors.RefusedError, match="each comes before the other"):
        staged(rt.constant(2))
