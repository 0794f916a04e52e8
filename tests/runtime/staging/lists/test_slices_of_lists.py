"""Slices with steps, and `==`, of lists of which only the run knows the items: as CPython does."""

import itertools
from collections import deque
from typing import Any

import pytest

import runtime as rt
from tests.support import reference
from tests.support.staging import attempt, same_outcome

NAN = float("nan")
BOUNDS = (0, 2, 9, -2, -9)


def read(n, start, stop, step):
    xs = [i * 3 % 7 for i in range(n)]
    return xs[start:stop:step], len(xs[::step]), xs[:stop:step], xs[start::step]


def read_by_known_steps(n, start, stop):
    xs = [(i, i * 0.5) for i in range(n)]
    return xs[start:stop:2], xs[start:stop:-3], xs[::-1], xs[::2]


def read_of_known_items(start, stop):
    xs = [3, 1, 4, 1, 5]
    return xs[start:stop:2], xs[start:stop:-1]


def assigned(n, start, stop, step, value):
    xs = [i * 3 % 7 for i in range(n)]
    same = xs
    xs[start:stop:step] = [value] * len(xs[start:stop:step])
    return xs, same


def assigned_of_any_size(n, start, stop, step, size):
    xs = [i * 3 % 7 for i in range(n)]
    xs[start:stop:step] = [0] * size
    return xs


def assigned_to_known_items(k):
    items = [1, 2, 3, 4, 5]
    other = items
    items[:] = items[k:] + items[:k]
    other[1:3] = items[k:]
    return items, other, len(other)


def assigned_to_each_other(n):
    xs = list(range(n))
    xs[1:2] = xs
    xs[::-1] = xs
    xs[::2] = xs[::2]
    return xs


def assigned_floats(n):
    xs = [i * 0.5 for i in range(n)]
    xs[::2] = [1.5] * len(xs[::2])
    xs[0:1] = [1]
    return xs


def assigned_in_a_loop(n):
    xs = [0, 1, 2, 3]
    ys = xs
    for i in range(n):
        xs[i : i + 1] = [i, i]
    return ys, xs


def assigned_in_a_branch(a):
    xs = [1, 2, 3, 4]
    if a > 0:
        xs[1:a] = [9, 9, 9]
    else:
        del xs[::2]
    return xs, len(xs)


def sieve(n):
    is_prime = [True] * (n + 1)
    is_prime[0:2] = [False, False]
    for i in range(2, n + 1):
        if is_prime[i]:
            is_prime[i * i :: i] = [False] * len(is_prime[i * i :: i])
    return [i for i in range(n + 1) if is_prime[i]]


def deleted(n, start, stop, step):
    xs = [i * 3 % 7 for i in range(n)]
    del xs[start:stop:step]
    return xs, len(xs)


def equal_to_known(n):
    xs = list(range(n))
    return xs == [0, 1, 2], xs == [0, 1, 2], xs != [0, 1, 2], xs == [], xs == [0.0, 1]


def equal_to_each_other(n, m):
    xs, ys = list(range(n)), list(range(m))
    return xs == ys, xs != ys, xs == xs, xs == ys[:]


def equal_to_others(n):
    xs = list(range(n))
    found = deque([0])
    found.append(n - 1)
    return xs == found, xs == (0, 1), xs == None  # noqa: E711


def equal_to_a_part(a):
    s, t = [1, 2, 3], [[1, 2, 3], [4, 5, 6]]
    s[0:1] = [1]
    t[0][a - 1] = t[0][a - 1]
    return s == s[::a], s[:a] == s, s != s[: a * 3], t[1] == t[a], t[a] == t[1], s in [t[0], t[a]]


def equal_to_a_chosen_one(a):
    t = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    t[a].extend([7])
    return t[1] == t[a], t[a] == t[2], t[0] == t[-a], t[a] == [1, 2, 3, 7]


def equal_of_pairs(n):
    xs = [(i, i * 0.5) for i in range(n)]
    return xs == [(0, 0.0), (1, 0.5)], xs == [(0, 0.0), (1, 0.6)], xs == [(0,)]


def equal_of_lists(n):
    xs = [[i, i] for i in range(n)]
    return xs == [[0, 0], [1, 1]]


def equal_of_texts(n):
    xs = ["a" if i > 0 else "b" for i in range(n)]
    return xs == ["b", "a"], xs == ["b", "c"]


def equal_with_one_nan(x, n):
    xs = [x * 1.0 for _ in range(n)]
    return xs == [1.0] * 2


def unequal_as_a_test(n):
    xs = []
    while xs != [0, 1, 2]:
        xs.append(len(xs))
        n += 1
    return n


def palindrome(n):
    digits = []
    while n > 0:
        digits.append(n % 10)
        n //= 10
    return digits == digits[::-1], digits == sorted(digits)


def of_no_items(start, step):
    xs = [1, 2]
    xs[:2] = []
    xs[start::step] = []
    del xs[start:2]
    del xs[::step]
    return xs, xs[start:], xs[::step], xs == [start], xs == []


def read_of_no_items(start, step):
    xs = [1, 2]
    xs[:2] = []
    return xs[start::step]


def chosen_and_assigned(i, stop):
    m = [[1, 2, 3], [4, 5, 6]]
    m[i][0:2] = [9, 8]
    m[i][:stop] = m[i][::-1]
    m[0][1:2] = m[i]
    return m[0], m[1]


def chosen_and_assigned_by_steps(i, size):
    m = [[1, 2, 3], [4, 5, 6]]
    m[i][::2] = [7] * size
    return m


def chosen_of_two_names(i):
    row = [1, 2, 3]
    m = [row, row, [7, 8, 9]]
    m[i][0:2] = [0]
    return m[0], m[1], m[2], row


def chosen_and_deleted(i, j):
    m = [[1, 2, 3], [4]]
    del m[i][j]
    return m[0], m[1]


def chosen_and_deleted_in_a_loop(n):
    m = [[1, 2, 3], [4, 5, 6]]
    for i in range(n):
        del m[i % 2][:1]
    return m[0], m[1]


def chosen_and_cleared(i):
    m = [[1, 2, 3], [4]]
    m[i].clear()
    return m[0], m[1], len(m[i])


def chosen_and_given_iterators(i):
    m = [[1, 2], [3, 4], [5, 6]]
    given = iter([7, 8])
    m[i].extend(given)
    m[i].extend(given)
    m[i].extend(x * 2 for x in [9, 1])
    m[i][1:1] = map(abs, [-3, 4])
    return m[0], m[1], m[2]


CASES: dict[Any, Any] = {
    read: [
        (n, start, stop, step)
        for n, step in itertools.product((0, 5), (1, 2, -1, -3))
        for start, stop in itertools.product(BOUNDS, repeat=2)
    ] + [(3, 0, 2, 0)],
    read_by_known_steps: itertools.product((0, 6), BOUNDS, BOUNDS),
    read_of_known_items: itertools.product(BOUNDS, repeat=2),
    assigned: [(6, 0, 6, 2, 8), (6, 4, 1, 1, 8), (0, 0, 0, 3, 8), (3, 0, 3, 0, 8)],
    assigned_of_any_size: [(6, 0, 6, 2, 2), (5, 4, 1, 1, 3), (5, 1, 3, 1, 0), (5, 9, 0, -1, 4)],
    assigned_to_known_items: [(1,), (0,), (7,), (-2,)],
    assigned_to_each_other: [(4,), (1,), (0,)],
    assigned_floats: [(4,), (1,)],
    assigned_in_a_loop: [(3,), (0,), (6,)],
    assigned_in_a_branch: [(2,), (0,), (9,)],
    sieve: [(30,), (2,), (49,)],
    deleted: [(6, 0, 6, 2), (6, 5, 0, -2), (6, 5, 0, 2), (0, 0, 0, 2), (5, -9, 9, 3), (5, 3, 1, 1)],
    equal_to_known: [(3,), (2,), (0,), (4,)],
    equal_to_each_other: [(3, 3), (2, 3), (0, 0)],
    equal_to_others: [(2,), (0,)],
    equal_to_a_part: [(1,), (0,), (-1,)],
    equal_to_a_chosen_one: [(0,), (1,), (2,)],
    equal_of_pairs: [(2,), (1,), (0,)],
    equal_of_lists: [(2,), (3,), (0,)],
    equal_of_texts: [(2,), (3,)],
    equal_with_one_nan: [(1.0, 2), (NAN, 2), (1.0, 0)],
    unequal_as_a_test: [(1,)],
    of_no_items: [(0, 2), (1, 1), (-3, -2), (0, 0)],
    read_of_no_items: [(0, 2), (1, -1), (0, 0)],
    chosen_and_assigned: [(0, 1), (1, 2), (-1, 0), (5, 1)],
    chosen_and_assigned_by_steps: [(0, 2), (1, 2), (1, 3)],
    chosen_of_two_names: [(0,), (1,), (2,)],
    chosen_and_deleted: [(0, 2), (0, -4), (1, 0), (1, 1), (2, 0)],
    chosen_and_deleted_in_a_loop: [(3,), (0,)],
    chosen_and_cleared: [(0,), (1,)],
    chosen_and_given_iterators: [(0,), (1,), (2,)],
    palindrome: [(121,), (12,), (0,)],
}  # fmt: skip


@pytest.mark.parametrize("program", CASES, ids=lambda program: program.__name__)
def test_it_is_what_python_computes(program: Any) -> None:
    staged = rt.function(program)
    for args in CASES[program]:
        expected = attempt(lambda args=args: program(*args))
        tensors = [rt.constant(x, rt.float64 if type(x) is float else rt.int64) for x in args]
        with reference.compared():
            got = attempt(lambda tensors=tensors: staged(*tensors))
        assert same_outcome(expected, got), (args, expected, got)


def nans_equal(x, n):
    xs = [x * 1.0 for _ in range(n)]
    return xs == xs[:]


def test_two_nans_are_an_error_of_the_run() -> None:
    staged = rt.function(nans_equal)
    assert staged(rt.constant(1.5), rt.constant(2))
    assert staged(rt.constant(NAN), rt.constant(0))
    with pytest.raises(rt.errors.UnimplementedError, match="two NaNs are compared"):
        staged(rt.constant(NAN), rt.constant(2))


def sorted_or_none(x):
    try:
        return sorted([x, 1.0])
    except ValueError:
        return None


def test_a_nan_in_an_order_is_no_error_that_programs_catch() -> None:
    staged = rt.function(sorted_or_none)
    assert [float(item) for item in staged(rt.constant(2.5))] == [1.0, 2.5]
    with pytest.raises(rt.errors.UnimplementedError, match="no place in an order") as caught:
        staged(rt.constant(NAN))
    assert caught.value.location[0] == __file__
    assert "leave NaNs out" in str(caught.value)
