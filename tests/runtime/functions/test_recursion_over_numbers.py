"""Recursion over Python numbers that a staged value ends."""

from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from runtime.functions import function_tracing, traced
from tests.support.staging import assert_as_in_python, attempt, same_outcome


def count(n):
    def go(r):
        return 0 if r >= n else 1 + go(r + 1)

    return go(0)


def is_prime(n, d=2):
    if d * d > n:
        return n > 1
    if n % d == 0:
        return False
    return is_prime(n, d + 1)


def two_calls(n):
    def paths(i):
        if i >= n:
            return 1
        return paths(i + 1) + paths(i + 2)

    return paths(0)


def mutual(n, k=0):
    return True if k == n else mutual_odd(n, k + 1)


def mutual_odd(n, k):
    return False if k == n else mutual(n, k + 1)


class Walk:
    def __init__(self, n):
        self.n = n

    def step(self, k):
        return k if k * k > self.n else self.step(k + 1)


def method(n):
    return Walk(n).step(0)


def by_keyword(n):
    def go(*, k, by):
        return k if k > n else go(k=k + by, by=by)

    return go(k=0, by=3)


def float_counter(n):
    def grow(k, a):
        return a if k > n else grow(k + 1, a * 1.5)

    return grow(0, 1.0)


def raising(n):
    def go(k):
        return 0 if k >= n else 10 // (12 - k) + go(k + 1)

    return go(0)


def ended_by_python(n, k=20):
    if k == 0:
        return n
    if n > 100:
        return n - k
    return ended_by_python(n + k, k - 1)


def counts_in_a_dict(n):
    names = {k: k * 10 for k in range(12)}

    def go(k):
        if k == 11 or k >= n:
            return names[k]
        return go(k + 1)

    return go(0)


def counted_outside(n):
    calls = 0

    def go(k):
        nonlocal calls
        calls += 1
        if k < n:
            go(k + 1)

    go(0)
    return calls


def ended_by_a_raise(n):
    def go(k):
        if k > n:
            raise ValueError("passed")
        return go(k + 1)

    return go(0)


def ended_by_an_assertion(n):
    def go(k):
        if k * k >= n:
            raise AssertionError("passed")
        go(k + 1)

    go(0)
    return n


def raise_on_the_way(n):
    def go(k):
        if k > n:
            raise ValueError("passed")
        if k > 90:
            return k
        return 1 + go(k + 1)

    return go(0)


def kept_until_a_raise(n):
    kept = []

    def go(k):
        if k > n:
            raise ValueError("passed")
        kept.append(k)
        if k < 80:
            go(k + 1)

    try:
        go(0)
    except ValueError:
        return -len(kept)
    return sum(kept)


def tuple_of_numbers(n):
    def go(k, pair):
        return pair[0] + pair[1] if k <= 0 else go(k - 1, (pair[0] + 1, pair[1] + 2))

    return go(n, (0, 1))


def tuple_in_a_tuple(n):
    def go(k, state):
        (row, same), column = state
        return row + same + column if k <= 0 else go(k - 1, state=((row + 1, same), column + 2))

    return go(n, ((0, 5), 1))


def places_of_paths(n):
    def go(k, place):
        row, column = place
        if k <= 0:
            return row * 100 + column
        return go(k - 1, (row + 1, column)) + go(k - 2, (row, column + 1))

    return go(n, (0, 0))


def text_in_a_tuple(n):
    def go(k, pair):
        return len(pair[0]) + pair[1] if k <= 0 else go(k - 1, (pair[0] + "ab", 1))

    return go(n, ("", 1))


def pairs_with_a_text(n):
    def go(k, rows):
        return len(rows) if k <= 0 else go(k - 1, [*rows, (k, "a")])

    return go(n, [])


def two_lists_until_one_is_empty(n):
    def steps(a, b):
        if not a or not b:
            return 0
        if a[0] == b[0]:
            return 100
        return steps(a[1:], list(b)) + steps(list(a), b[1:])

    return steps([n, 6, 7, 8, 4], [50, 51, 52, 53, 2])


def two_tuples_until_one_is_empty(n):
    def steps(a, b):
        if not a or not b:
            return 0
        if a[0] == b[0]:
            return 100
        return steps(a[1:], b) + steps(a, b[1:])

    return steps((n, 6, 7, 8, 4), (50, 51, 52, 53, 2))


def list_given_twice(n):
    def go(a, b, k):
        if k > 0:
            longer = [*a, k]
            return go(longer, longer, k - 1) + len(a)
        return len(a) * 10 + len(b) + (1000 if a is b else 0)

    return go([0], [0], n)


def list_of_one_given_twice(n):
    def go(a, b, k):
        if k > 0:
            own = [k]
            return go(own, own, k - 1) + a[0] + b[0]
        return 1000 if a is b else 0

    return go([0], [0], n)


@pytest.mark.parametrize(
    "function",
    [
        *(count, is_prime, two_calls, mutual, method, by_keyword, float_counter, raising),
        *(ended_by_python, counts_in_a_dict, counted_outside),
        *(ended_by_a_raise, ended_by_an_assertion, raise_on_the_way),
        *(kept_until_a_raise, tuple_of_numbers, tuple_in_a_tuple, places_of_paths),
        *(text_in_a_tuple, pairs_with_a_text),
        *(two_lists_until_one_is_empty, two_tuples_until_one_is_empty),
        *(list_given_twice, list_of_one_given_twice),
    ],
)
def test_it_is_what_python_computes(function: Callable[[Any], Any]) -> None:
    assert_as_in_python(
        function, *((0, 1, 9) if function in (two_calls, places_of_paths) else (0, 1, 2, 7, 15, 97))
    )


def test_floats_keep_their_digits() -> None:
    def total(x, limit):
        def parts(k, part):
            return part if k >= limit else part + parts(k + 1, part / 3)

        return x + parts(0, 1.0)

    expected = total(0.5, 9)
    got = rt.function(total)(rt.constant(0.5, rt.float64), rt.constant(9))
    assert got.dtype is rt.float64
    assert float(got) == pytest.approx(expected, rel=1e-15)


def test_of_decorated_functions_too() -> None:
    @rt.function
    def go(r: Any, n: Any) -> Any:
        return 0 if r >= n else 1 + go(r + 1, n)

    @rt.function
    def paths(i: Any, n: Any) -> Any:
        return 1 if i >= n else paths(i + 1, n) + paths(i + 2, n)

    assert go(0, rt.constant(50)).numpy() == 50
    assert paths(0, rt.constant(6)).numpy() == two_calls(6)


def word_in_rows(rows, word):
    def found(i, j, k):
        if k == len(word):
            return True
        if i < 0 or j < 0 or i >= 3 or j >= 4 or rows[i][j] != word[k]:
            return False
        return (
            found(i + 1, j, k + 1)
            or found(i - 1, j, k + 1)
            or found(i, j + 1, k + 1)
            or found(i, j - 1, k + 1)
        )

    return found(1, 1, 0)


def painted_rows(rows, word):
    def paint(rows, i, j, new):
        if i < 0 or j < 0 or i >= 3 or j >= 4 or rows[i][j] == 0:
            return
        rows[i][j] = new
        paint(rows, i + 1, j, new)
        paint(rows, i - 1, j, new)
        paint(rows, i, j + 1, new)
        paint(rows, i, j - 1, new)

    rows = [list(row) for row in rows]
    paint(rows, 0, 0, 0)
    return rows


@pytest.mark.parametrize(("function", "lines"), [(word_in_rows, 800), (painted_rows, 300)])
def test_many_calls_are_not_written_out(function: Callable[..., Any], lines: int) -> None:
    rows, word = [[1, 2, 1, 0], [0, 1, 2, 1], [2, 0, 0, 1]], [1, 2, 1, 1, 0]
    given = [list(map(rt.constant, row)) for row in rows], list(map(rt.constant, word))
    staged = rt.function(function)
    assert same_outcome(attempt(lambda: function(rows, word)), attempt(lambda: staged(*given)))
    graph = staged.get_concrete_function(*given).graph
    assert len(str(graph).splitlines()) < lines


def sorted_by_thirds(items):
    def sort(low, high):
        if items[low] > items[high]:
            items[low], items[high] = items[high], items[low]
        if high - low > 1:
            third = (high - low + 1) // 3
            sort(low, high - third)
            sort(low + third, high)
            sort(low, high - third)

    sort(0, len(items) - 1)
    return items


def squares_of_quarters(x):
    """A result of which Python knows the length, of calls for which it knows all numbers."""
    found = []

    def fill(row, column, size):
        if size == 1:
            found.append((row * 31 + column) * x + row)
            return
        half = size // 2
        for top in (row, row + half):
            for left in (column, column + half):
                fill(top, left, half)

    fill(0, 0, 32)
    return found


@pytest.mark.parametrize(
    ("function", "given"),
    [(sorted_by_thirds, [i * 7919 % 101 for i in range(40)]), (squares_of_quarters, 3)],
)
def test_calls_that_python_ends_are_not_all_written_out(
    function: Callable[[Any], Any], given: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(function_tracing, "TOO_MUCH", 1000)
    staged, tensor = rt.function(function), rt.constant(given, rt.int64)
    expected = attempt(lambda: function(list(given) if isinstance(given, list) else given))
    assert same_outcome(expected, attempt(lambda: staged(tensor)))
    graph = staged.get_concrete_function(tensor).graph
    assert len(str(graph).splitlines()) < 4000


def hashed(n):
    def go(k):
        if k >= n:
            return k
        return k if hash(k) < 0 else go(k + 1)

    return go(0)


def caught_in_the_caller(n):
    def go(k):
        if k * 2 > n:
            raise ValueError("passed")
        return go(k + 1)

    try:
        return go(0)
    except ValueError:
        return n + 1


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (caught_in_the_caller, "go is a graph of its own.*past the `try` around"),
        (hashed, "as a dictionary key or in a set is not allowed"),
    ],
)
def test_what_needs_the_number_is_refused_with_the_reason(
    function: Callable[[Any], Any], message: str
) -> None:
    with pytest.raises((autograph.StagingError, TypeError), match=message):
        rt.function(function)(rt.constant(3))


def tree_of_tuples(n):
    def build(k):
        return None if k <= 0 else (build(k - 1), k, build(k - 2))

    def total(tree):
        return 0 if tree is None else total(tree[0]) + tree[1] + total(tree[2])

    return total(build(n))


def test_a_result_that_grows_with_each_depth_is_soon_refused() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(traced, "MOST_ASSUMPTIONS", 10**9)
        with pytest.raises(autograph.StagingError, match="takes another shape at each depth"):
            rt.function(tree_of_tuples)(rt.constant(3))
