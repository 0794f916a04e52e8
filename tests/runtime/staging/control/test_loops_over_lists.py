"""Loops over lists of tensors, and loops whose test Python knows: written out where they are little
to trace, else one loop of the graph.
"""

import itertools
import sys
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.staging import attempt, same_outcome


def pairs_with_a_sum(a, k):
    count = 0
    for x in a:
        for y in a:
            if x + y == k:
                count += 1
    return count


def triples_with_a_sum(a, k):
    count = 0
    for x in a:
        for y in a:
            for z in a:
                if x + y + z == k:
                    count += 1
    return count


def first_two_with_a_sum(a, k):
    for i, x in enumerate(a):
        for j, y in enumerate(a):
            if i != j and x + y == k:
                return [i, j]
    return []


def numbered_from_outside(a, k):
    total = 0
    for i, x in enumerate(a, 5):
        for j, y in enumerate(a[1:]):
            if x > y:
                total += i * j - k
    return total


def side_by_side(a, k):
    total = 0
    for x, y in zip(a, a[1:], strict=False):  # noqa: RUF007 - as it is written mostly
        for z, w in zip(a, a[2:], strict=False):
            if x < y and z < w:
                total += x * w - y * z
            elif x > k:
                total -= 1
    return total


def numbered_pairs(a, k):
    total = 0
    for i, (x, y) in enumerate(zip(a, a[3:], strict=False)):
        for z in a:
            if x + y > z:
                total += i
    return total - k


def an_iterator_that_others_advance(a, k):
    total, items = 0, enumerate(a)
    for i, x in items:
        for y in a:
            if x < y:
                total += i * 2 - k
        for _, z in items:
            total += z
            break
    return total


def numbers_side_by_side(a, k):
    total = 0
    for i, x in zip(range(3, 90, 2), a, strict=False):
        for j, y in enumerate(a):
            if x > y + k % 7:
                total += i - j
    return total


def an_iterator_of_a_helper(a, k):
    """The helper's loop is found to be much work before others advance what it runs over."""

    def first_above(items, limit):
        for i, x in items:
            for y in a:
                if x > limit + y:
                    return i
        return -1

    first = first_above(enumerate(a), k)
    items = enumerate(a)
    second = first_above(items, k + 20)
    return first, second, sum([x for _, x in items])


def a_list_that_grows(a, k):
    """Each item above `k` gives another one behind the others."""
    total = 0
    for x in a:
        for y in a[:20]:
            if y < x:
                total += 1
        if x > k and len(a) < 60:
            a.append(x // 2)
    return total, a


def a_list_that_grows_at_once(a, k):
    b = list(a)
    total = 0
    for x in b:
        if len(b) < 30:
            b.append(x + 1)
        for y in a:
            if y < x + k:
                total += 1
    return total, b


def items_that_are_replaced(a, k):
    for i, x in enumerate(a):
        for y in a[:i]:
            if y > x:
                a[0] = a[0] + 1
        a[-1] = a[-1] + x % k
    return a


def a_tuple(a, k):
    total = 0
    items = tuple(a)
    for x in items:
        for y in items:
            if x * 2 > y:
                total += x - k
    return total


def edges(a, k):
    best = [0] * 40
    pairs = [(x % 40, y % 40, x + y) for x, y in zip(a, a[3:], strict=False)]
    for _ in range(len(a)):
        for u, v, w in pairs:
            if best[u] + w > best[v] and best[u] + w < 500:
                best[v] = best[u] + w
    return best, k


def a_longer_table(a, k):
    rows = [[x, x + 1, x * 2] for x in a]
    total = 0
    for row in rows:
        for other in rows:
            for x in row:
                if x in other:
                    total += x
    rows[0].append(k)
    return total, rows[0]


class Particle:
    def __init__(self, place):
        self.place = place
        self.speed = place * 0


def objects(a, k):
    particles = [Particle(x) for x in a[:12]]
    for one in particles:
        for other in particles:
            if one.place < other.place:
                one.speed += 1
            else:
                other.speed -= k
    return [each.speed for each in particles]


def sorted_by_swaps(a, k):
    n = len(a)
    while n > 1:
        i = 1
        while i < n:
            if a[i - 1] > a[i]:
                a[i - 1], a[i] = a[i], a[i - 1]
            i += 1
        n -= 1
    return a, n, k


def triples_by_places(a, k):
    i = count = 0
    while i < len(a):
        j = 0
        while j < len(a):
            at = 0
            while at < len(a):
                if a[i] + a[j] == a[at] + k:
                    count += 1
                at += 1
            j += 1
        i += 1
    return count, i, at


def longest_rising(a, k):
    best = [1] * len(a)
    i = 0
    while i < len(a):
        j = 0
        while j < i:
            if a[j] < a[i] and best[j] + 1 > best[i]:
                best[i] = best[j] + 1
            j += 1
        i += 1
    return max(best) + k


def one_left_of_a_circle(a, k):
    at = 0
    while len(a) > 1:
        for x in a:
            if x > a[at]:
                at += 1
                at %= len(a)
        at = (at + k) % len(a)
        a.pop(at)
        at %= len(a)
    return a[0]


def smaller_ones(a, k):
    return [sum(1 for y in a if y < x + k % 3) for x in a]


def listed_pairs(a, k):
    return [(x, y) for x in a for y in a if x + y == k]


def products(a, k):
    return sum(x * y for x in a for y in a if x < y), max(x * y - k for x in a for y in a)


def any_and_all_pairs(a, k):
    return any(x + y == k for x in a for y in a), all(x + y != k + 900 for x in a for y in a)


def sums_in_a_set(a, k):
    return {(x + y) % k for x in a for y in a}


def larger_ones_in_a_dict(a, k):
    return {x % k: sum(y for y in a if y > x) for x in a}


def square_of_a_matrix(a, k):
    size = len(a)
    m = [[(x + y) % 3 for y in a] for x in a]
    return [
        [sum(m[i][at] * m[at][j] for at in range(size)) % k for j in range(size)]
        for i in range(size)
    ]


def names_of_places(a, k):
    """Rounds that need what Python knows are written out."""
    names = [f"n{place}" for place in range(len(a))]
    return {name: [x * y for y in a] for name, x in zip(names, a, strict=True)}, k


def as_many_side_by_side(a, k):
    total = 0
    for (x, y), z in zip(zip(a, a[::-1], strict=True), a, strict=False):
        for w in a:
            if x + y > z + w:
                total += x - k
    return total


def too_few_side_by_side(a, k):
    total = 0
    for i, (x, y) in enumerate(zip(a, a[:-1], strict=True)):
        for z in a:
            for w in a:
                if x + y > z + w + k:
                    total += i
    return total


def longer_side_by_side(a, k):
    b, total = list(a), 0
    for x, y in zip(a, b, strict=True):
        if len(b) <= len(a):
            b.append(k)
        for z in a:
            for w in a:
                if x + y > z + w:
                    total += 1
    return total


def two_at_a_time(a, k):
    total = 0
    for x, y in zip(*[iter(a)] * 2, strict=False):
        for z in a:
            for w in a:
                if x + y > z + w:
                    total += x * 2 - y
    return total - k


def numbered_backwards(a, k):
    total = 0
    for i, x in enumerate(reversed(a)):
        for y in a:
            for z in a:
                if x + y > z + k:
                    total += i * x
    return total


def a_number_that_may_be_divided(a, k):
    """The loop is found to be much work in a call in which it leaves the number as it is."""

    def counted(number, divides):
        i = total = 0
        while i < len(a):
            for x in a:
                for y in a:
                    if x + y > a[i] + k:
                        total += 1
            i += 1
            if divides and i > 500:
                number = number / 2
        return total, f"{number}"

    return counted(3, False), counted(4, True)


def left_by_an_exception(a, k):
    count = 0
    try:
        for x in a:
            for y in a:
                for z in a:
                    if x + y + z == k + 17:
                        raise ValueError(count)
                    count += 1
    except ValueError as error:
        return -count, error.args
    return count


def quotients(a, k):
    total = 0
    for x in a:
        try:
            for y in a:
                total += x // (y - k)
        except ZeroDivisionError:
            total -= 100
        else:
            total += 10000
        finally:
            total += 1
    return total


def a_try_in_a_try(a, k):
    total, caught = 0, 0
    try:
        for i, x in enumerate(a):
            for y in a:
                try:
                    if y == i:
                        continue
                    if y > k + i:
                        break
                    total += x // (y - i - 1)
                except ZeroDivisionError:
                    caught += 1
                if total > 900:
                    raise OverflowError
            else:
                total -= 1
    except OverflowError:
        total = -total
    return total, caught


def places_that_may_be_outside(a, k):
    found = []
    for x in a:
        try:
            i = 0
            while i < len(a):
                found.append(a[(x + i) % (k + 1)] - i)
                i += 1
        except IndexError:
            found.append(-1)
    return found


def behind_a_while_in_a_try(a, k):
    total = 0
    try:
        i = 0
        while i < len(a):
            for x in a:
                if x + a[i] > 4 * k:
                    raise ValueError
                total += x
            i += 1
        total += 7
    except ValueError:
        total = -total
    return total


def an_exception_that_leaves(a, k):
    total = 0
    for x in a:
        for y in a:
            try:
                for z in a:
                    total += z
                    if total + x + y > 20 * k + 10:
                        raise ValueError(total - y)
            finally:
                a[0] = total
    return total


def backwards(a, k):
    total = 0
    for x in reversed(a):
        for y in reversed(tuple(a)):
            for i in reversed(range(len(a))):
                if x + y > a[i] + k:
                    total += x * i
    return total


def backwards_and_longer(a, k):
    b = list(a)
    for x in reversed(b):
        for y in reversed(a):
            if x + y > k:
                b[0] = b[0] + 1
        b.append(b[0] % k)
    return b


def backwards_and_shorter(a, k):
    b, total = list(a), 0
    for x in reversed(b):
        for y in reversed(a):
            if x + y > k:
                total += x
        b.pop()
        b.pop(0)
    return b, total


def combined(a, k):
    total = 0
    for x, y in itertools.combinations(a, 2):
        if x + y == k:
            total += x
    for (i, x), (j, y) in itertools.permutations(enumerate(a), 2):
        if x > y + k:
            total += i * 2 - j
    for (x, i), y in itertools.product(itertools.product(a, range(3)), reversed(a)):
        if x + i > y:
            total -= i
    for i, (x, y, z) in enumerate(itertools.combinations_with_replacement(a[:12], 3)):
        if x + y > z:
            total += i
    return total


def a_combination_that_has_begun(a, k):
    total, pairs = 0, itertools.combinations(a, 2)
    first = next(pairs)
    for x, y in pairs:
        if x + y > k:
            total += x * first[1]
    return total


def one_that_others_advance(a, k):
    total, pairs = 0, itertools.combinations(a, 2)
    for x, y in pairs:
        if x + y > k:
            total += x - y
        total += next(pairs, (k, k))[0]
    return total


def replaced_side_by_side(a, k):
    b = list(a)
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        for z, u in zip(a, b, strict=False):
            for w, t in zip(b, a, strict=False):
                if x + y > z + w:
                    b[i] = (b[i] + u - t) % k
    return b


def replaced_and_longer_side_by_side(a, k):
    b = list(a)
    for x, y in zip(a, b, strict=False):
        for z, w in zip(b, a, strict=False):
            if x + y > z + w:
                b[0] = (b[0] + x) % k
        if y > k and len(b) < 30:
            b.append(x)
    return b


def computed(a, k):
    total, seen = 0, 0

    def doubled(x):
        nonlocal seen
        seen += x
        return x * 2

    for x in map(doubled, a):
        for i, y in enumerate(map(lambda y, z: y - z, a, a[1:])):
            if x + seen > y * k:
                total += i - seen
    return total, seen


def entries(a, k):
    prices, total = {f"n{at % 90}": x for at, x in enumerate(a)}, 0
    sizes = dict(enumerate(a))
    for x in prices.values():
        for at, y in sizes.items():
            for other in sizes:
                if x + y > k + other:
                    total += at
    for (at, x), y in zip(sizes.items(), prices.values(), strict=True):
        for i, z in enumerate(sizes.values(), 3):
            if x + y > z + k:
                total += at * i
    return total


def entries_that_are_replaced(a, k):
    sizes = dict(enumerate(a))
    for x in sizes.values():
        for at, y in sizes.items():
            if x + y > k:
                sizes[at] = (y + 1) % k
    return sizes


def entries_that_are_added(a, k):
    sizes = dict(enumerate(a))
    for x in list(sizes.values()):
        for at, y in sizes.items():
            if x + y > k:
                sizes[at + 1000] = y
    return len(sizes)


def pairs_in_turn(a, k):
    total = 0
    for x, y in itertools.pairwise(a):
        for i, (z, w) in enumerate(itertools.pairwise(reversed(a))):
            if x + y > z + w + k:
                total += i
    return total


def parts_of_lists(a, k):
    total = 0
    for x in itertools.islice(a, 2, None):
        for i, y in enumerate(itertools.islice(reversed(a), 1, 21, 3)):
            for z in itertools.islice(a, 9):
                if x + y > z + k:
                    total += i * x
    return total


def parts_that_have_begun(a, k):
    total, part = 0, itertools.islice(a, 1, None)
    first = next(part)
    for x, y in itertools.pairwise(part):
        for z in a:
            if x + y > z + k:
                total += first
    return total


def pairs_of_replaced_items(a, k):
    """The first of a pair is the item that was there in the round before."""
    b, total = list(a), 0
    for i, (x, y) in enumerate(itertools.pairwise(b)):
        for z in a:
            for w in a[:9]:
                if x + y > z + w:
                    total += x
        b[i + 1] = total % k
    return b, total


def computed_once_more(a, k):
    """`zip` asks `map` for an item more than the shorter list has, `islice` for those it skips."""
    total, seen = 0, 0

    def noted(x):
        nonlocal seen
        seen += x
        return x + seen % k

    for x, y in zip(map(noted, a), a[2:], strict=False):
        for z in map(noted, itertools.islice(map(noted, a), 3, None)):
            if x + y > z + k:
                total += x
    for x, y in itertools.pairwise(map(noted, a)):
        for z, w in zip(a[:-2], map(noted, a), strict=False):
            if x + y > z + w:
                total += y
    return total, seen


ITEMS = [(7 * i * i + 3 * i) % 41 for i in range(24)]

PROGRAMS: list[tuple[Callable[..., Any], int, int]] = [
    (pairs_with_a_sum, 24, 400),
    (triples_with_a_sum, 24, 1_000),
    (first_two_with_a_sum, 24, 200),
    (numbered_from_outside, 24, 400),
    (side_by_side, 24, 600),
    (numbered_pairs, 24, 400),
    (numbers_side_by_side, 24, 600),
    (as_many_side_by_side, 24, 600),
    (a_list_that_grows, 20, 300),
    (items_that_are_replaced, 48, 2_500),
    (a_tuple, 24, 500),
    (edges, 20, 500),
    (a_longer_table, 20, 1_500),
    (sorted_by_swaps, 72, 9_000),
    (triples_by_places, 24, 14_000),
    (longest_rising, 60, 7_000),
    (one_left_of_a_circle, 24, 1_500),
    (smaller_ones, 24, 600),
    (listed_pairs, 24, 600),
    (products, 24, 900),
    (any_and_all_pairs, 24, 200),
    (sums_in_a_set, 24, 600),
    (larger_ones_in_a_dict, 24, 600),
    (square_of_a_matrix, 20, 4_000),
    (left_by_an_exception, 24, 1_100),
    (quotients, 24, 600),
    (a_try_in_a_try, 24, 5_000),
    (places_that_may_be_outside, 24, 1_500),
    (behind_a_while_in_a_try, 24, 1_700),
    (an_exception_that_leaves, 24, 1_700),
    (numbered_backwards, 24, 1_000),
    (backwards, 24, 1_000),
    *([(combined, 24, 1_500)] if sys.version_info < (3, 14) else []),
    (replaced_side_by_side, 24, 2_000),
    (computed, 24, 1_000),
    (entries, 24, 1_500),
    (pairs_in_turn, 24, 1_000),
    *([(parts_of_lists, 24, 1_500)] if sys.version_info < (3, 14) else []),
]


def given(size: int, number: Callable[[int], Any]) -> tuple[list[Any], Any]:
    return [number(x) for x in (ITEMS * 3)[:size]], number(30)


def outcome(function: Callable[..., Any], size: int, number: Callable[[int], Any]) -> Any:
    """What the function gives, and what it has made of the list."""
    a, k = given(size, number)
    return function(a, k), a


def staged_number(x: int) -> Any:
    return rt.constant(x, rt.int64)


@pytest.mark.parametrize(
    ("function", "size", "most"), PROGRAMS, ids=[row[0].__name__ for row in PROGRAMS]
)
def test_much_work_is_a_loop_of_the_graph(
    function: Callable[..., Any], size: int, most: int
) -> None:
    staged = rt.function(function)
    expected = attempt(lambda: outcome(function, size, int))
    for _ in range(2):
        assert same_outcome(expected, attempt(lambda: outcome(staged, size, staged_number)))
    graph = str(staged.get_concrete_function(*given(size, staged_number)).graph)
    assert " = while " in graph
    assert len(graph.splitlines()) < most


OTHERS = [
    an_iterator_that_others_advance,
    objects,
    names_of_places,
    a_list_that_grows_at_once,
    too_few_side_by_side,
    longer_side_by_side,
    two_at_a_time,
    backwards_and_longer,
    backwards_and_shorter,
    a_combination_that_has_begun,
    one_that_others_advance,
    a_number_that_may_be_divided,
]


@pytest.mark.parametrize("function", OTHERS)
def test_others_are_written_out(function: Callable[..., Any]) -> None:
    expected = attempt(lambda: outcome(function, 18, int))
    staged = rt.function(function)
    assert same_outcome(expected, attempt(lambda: outcome(staged, 18, staged_number)))


def test_an_iterator_that_is_used_behind_a_loop_is_refused() -> None:
    with pytest.raises(autograph.StagingError, match="an iterator that is used elsewhere too"):
        outcome(rt.function(an_iterator_of_a_helper), 18, staged_number)


def pairs_of_items_that_the_run_replaces(a, k):
    total = 0
    for x, y in itertools.pairwise(a):
        total += x * 10 + y
        a[y % 5] = k
    return total


def computed_beside_replaced_items(a, k):
    total, seen = 0, []

    def noted(x):
        seen.append(x)
        return x

    for x, y in zip(map(noted, a), a, strict=False):
        total += x * 10 + y
        a[y % 5] = k
    return total, len(seen)


@pytest.mark.parametrize(
    "function",
    [
        replaced_and_longer_side_by_side,
        pairs_of_items_that_the_run_replaces,
        computed_beside_replaced_items,
    ],
)
def test_items_that_the_run_changes_under_an_iterator_are_refused(
    function: Callable[..., Any],
) -> None:
    with pytest.raises(autograph.StagingError, match="loop over a copy"):
        outcome(rt.function(function), 18, staged_number)


def numbers_from(start):
    while True:
        start += (yield start) or 1


def sent_numbers(a, k):
    numbers, total = numbers_from(0), 0
    for x in a:
        number = numbers.send(None)
        for y in a:
            for z in a:
                if x + y > z + k:
                    total += number
    return total


def numbers_by_their_method(a, k):
    numbers, total = iter(list(range(50))), 0
    for x in a:
        number = numbers.__next__()
        for y in a:
            for z in a:
                if x + y > z + k:
                    total += number
    return total


@pytest.mark.parametrize("function", [sent_numbers, numbers_by_their_method])
def test_an_iterator_that_a_round_advances_is_refused(function: Callable[..., Any]) -> None:
    """Python would have come further in it where the rounds were tried as one loop."""
    with pytest.raises(autograph.StagingError, match="numbers is changed while"):
        outcome(rt.function(function), 18, staged_number)


def shortened_side_by_side(a, k):
    total = 0
    for i in range(2):
        for x, y in zip(a, a, strict=True):
            if x > k:
                a.pop()
            total = total * 10 + x + y + i
    return total


def shortened_and_assigned(a, k):
    total = 0
    for x, y in zip([1, 2, 3, 4, 5, 6], a, strict=False):
        a.pop()
        if x > k:
            return total
        a[0] = k + y
        a[k % len(a)] = x
        total += y
    return total


def shortened_in_a_comprehension(a, k):
    def shorter(x):
        if x > k:
            a.pop()
        return x

    return [[shorter(x) for x, _ in zip(a, a, strict=True)] for _ in range(2)]


@pytest.mark.parametrize(
    "function", [shortened_side_by_side, shortened_and_assigned, shortened_in_a_comprehension]
)
def test_no_loop_around_goes_on_in_place_of_one_that_cannot(function: Callable[..., Any]) -> None:
    with pytest.raises(autograph.StagingError, match="only the run"):
        outcome(rt.function(function), 8, staged_number)


def left_side_by_side(a, k):
    pairs, left = zip(a, a, strict=True), 3
    for x, _ in pairs:
        a[x % len(a)] = k
        left -= 1
        if left == 0:
            break
    return [x for x, _ in pairs]


def left_backwards(a, k):
    numbers, left, total = reversed(a), 3, 0
    for x in numbers:
        a[x % len(a)] = k
        left -= 1
        if left == 0:
            break
    for x in numbers:
        total += x
    return total


def left_by_a_shorter_one(a, k):
    numbers, total = iter(a), 0
    for x, y in zip(numbers, [1, 2, 3], strict=False):
        a[x % len(a)] = k + y
    for x in numbers:
        total += x
    return total


@pytest.mark.parametrize("function", [left_side_by_side, left_backwards, left_by_a_shorter_one])
def test_an_iterator_that_is_left_before_its_end_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(autograph.StagingError, match="a round of a loop over a list changes it"):
        outcome(rt.function(function), 8, staged_number)


def side_by_side_with_another_list(a, b, k):
    p, s, c = 0, 1, []
    for x in sorted(a):
        if x >= k:
            return s, p
        for _ in b:
            for _ in sorted(b):
                s = p
            for _, y in zip(c, c, strict=False):
                p = any(y != s for _ in a for _ in c)
            c = [x for _ in a][:9]
    return p, s


def test_a_loop_that_is_traced_again_with_other_variables() -> None:
    """What the first trace knows of its variables says nothing of theirs."""
    numbers = [1, 7, 7, 21], [10, -4, 11, 6, 18], 3
    a, b, k = numbers
    tensors = [staged_number(x) for x in a], [staged_number(x) for x in b], staged_number(k)
    expected = side_by_side_with_another_list(*numbers)
    staged = rt.function(side_by_side_with_another_list)
    assert same_outcome(expected, attempt(lambda: staged(*tensors)))


def changed_side_by_side(a, b):
    for x, y in zip(a, b, strict=False):
        a[x % len(a)] += y
    return a, b


def changed_by_numbers(a, b):
    for i, x in enumerate(b):
        b[x % len(b)] = a[i % len(a)]
    return a, b


def changed_in_turn(a, b):
    for x in a:
        a[x % len(a)] = len(b)
    return a, b


@pytest.mark.parametrize("program", [changed_side_by_side, changed_by_numbers, changed_in_turn])
@pytest.mark.parametrize("size", [0, 1, 2, 4])
def test_a_list_that_rounds_change_may_have_no_further_items(
    program: Callable[..., Any], size: int
) -> None:
    a, b = [5, 3, 2, 7], [8, 1, 4, 6]
    for lists in ((a, b[:size]), (a[:size] or a, b), (a[:size] or a, b[:1])):
        tensors = [[staged_number(x) for x in items] for items in lists]
        expected = attempt(lambda given=lists: program(*map(list, given)))
        staged = rt.function(program)
        assert same_outcome(expected, attempt(lambda given=tensors: staged(*given)))  # noqa: B023


TAKEN: dict[str, Callable[[Any], Any]] = {
    "stop": lambda n: itertools.islice([4, 5], n),
    "start": lambda n: itertools.islice([4, 5], n, 2),
    "start alone": lambda n: itertools.islice([4, 5], n, None),
    "second": lambda n: itertools.islice([4, 5], 1, n),
    "step": lambda n: itertools.islice([4, 5], 0, 2, n),
    "all": lambda n: itertools.islice([4, 5], n, n, n),
    "a start before none": lambda n: itertools.islice([4, 5], n - 2, n),
    "enumerate": lambda n: enumerate([4, 5], n),
}


@pytest.mark.parametrize("number", [-3, -1, 0, 2, 1.5])
@pytest.mark.parametrize("name", TAKEN)
def test_bounds_are_those_of_python(name: str, number: float) -> None:
    def function(n: Any) -> Any:
        return list(TAKEN[name](n))

    expected = attempt(lambda: function(number))
    got = attempt(lambda: rt.function(function)(rt.constant(number)))
    if isinstance(expected, TypeError):
        assert isinstance(got, TypeError)
    else:
        assert same_outcome(expected, got), (expected, got)
