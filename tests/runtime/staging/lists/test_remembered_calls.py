"""Functions under `functools.cache`: what those remember that staged functions make is theirs, and
pure ones from before remember anew.
"""

import math
from functools import cache, lru_cache, wraps
from typing import Any

import pytest

import runtime as rt
from autograph import StagingError
from tests.support.staging import as_python, attempt, same_outcome


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


def made_in_each_round(n):
    calls, total = [], 0
    for i in range(n):

        @cache
        def scaled(k):
            calls.append(k)
            return k * n

        @lru_cache(maxsize=None)  # noqa: UP033
        def shifted(a, b):
            calls.append(a)
            return a + b + n

        total += scaled(i) + scaled(2) + scaled(i) + shifted(1, i) + shifted(1, i)
    return total, calls


def made_in_each_call(n):
    def way(count):
        @cache
        def ways(k):
            return 1 if k < 2 else ways(k - 1) + ways(k - 2)

        return ways(count)

    return sum(way(i) for i in range(n)), way(n)


def made_on_one_path(n):
    total = 0
    while n > 2:
        if n % 2 == 0:

            @cache
            def squared(k):
                return k * k

            total += squared(n) + squared(n)
        n -= 1
    return total


PROGRAMS = [made_in_each_round, made_in_each_call, made_on_one_path]
PROGRAMS += [in_a_loop, counted, of_two_numbers, with_known_places, in_a_try, cleared]
PROGRAMS += [as_a_callback, each_other, on_one_path]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_cache_is_pythons(program: Any) -> None:
    staged = rt.function(program)
    for n in (7, 2, 5):
        expected, got = attempt(lambda n=n: program(n)), attempt(lambda n=n: staged(_tensor(n)))
        assert same_outcome(expected, got), (n, expected, got)


def _tensor(n: int) -> Any:
    return rt.constant(n, rt.int64)


@cache
def fibonacci(k):
    return k if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)


@lru_cache(maxsize=16)
def paths(row, column):
    if row == 0 or column == 0:
        return 1
    return paths(row - 1, column) + paths(row, column - 1)


@lru_cache
def power(base, exponent):
    if exponent == 0:
        return 1
    half = power(base, exponent // 2)
    return half * half * base if exponent % 2 else half * half


STEP = 3


def stepped(k):
    return k + STEP


@lru_cache
def rooted(k):
    if k < 0:
        raise ValueError(f"{k} is negative")
    return math.isqrt(stepped(k)), "large" if k > 4 else "small"


@lru_cache
def digits(k):
    found = []
    while k > 0:
        found.append(k % 10)
        k //= 10
    return sum(found)


def of_one(n):
    return fibonacci(n) + fibonacci(3) + fibonacci(n)


def of_two(n):
    return paths(n, 3), paths(2, n), paths(2, 2)


def of_powers(n):
    return power(n, 5), power(2, n)


def of_texts(n):
    try:
        root, size = rooted(n - 3)
    except ValueError:
        return -1, "none"
    return root, size


def in_rounds(n):
    return [digits(k * 7) for k in range(n)], [0] * fibonacci(4)


def mapped(n):
    return max(map(fibonacci, [n, 3, n + 1])), sorted([n, 31, 4], key=digits)


PURE = [of_one, of_two, of_powers, of_texts, in_rounds, mapped]


@pytest.mark.parametrize("program", PURE, ids=lambda f: f.__name__)
def test_a_pure_function_from_before_remembers_anew(program: Any) -> None:
    staged = rt.function(program)
    for n in (7, 2, 5):
        expected, got = attempt(lambda n=n: program(n)), attempt(lambda n=n: staged(_tensor(n)))
        assert same_outcome(expected, got), (n, expected, got)


def test_a_pure_function_calls_itself_once_for_each_argument() -> None:
    expected = 259695496911122585  # F(85), https://oeis.org/A000045
    assert int(rt.function(of_ways)(_tensor(85))) == expected


def of_ways(n):
    return fibonacci(n)


CALLS = []
LIMIT = 4


@lru_cache
def noted(k):
    CALLS.append(k)
    return k


@lru_cache
def printed(k):
    print(k)
    return k


@lru_cache
def counted_globally(k):
    global LIMIT
    LIMIT = k
    return k


@lru_cache
def listed(k):
    return [k, k + 1]


@lru_cache(typed=True)
def typed(k):
    return k


@lru_cache
def limited(k):
    return min(k, STEP)


def counting(function):
    @wraps(function)
    def call(k):
        SEEN["calls"] += 1
        return function(k)

    return call


SEEN = {"calls": 0}


@counting
def seen(k):
    return k


@lru_cache
def of_a_wrapper(k):
    return seen(k)


@lru_cache
def of_an_attribute(k):
    of_an_attribute.calls[0] += 1
    return k


of_an_attribute.calls = [0]


class Noisy(Exception):
    made = 0

    def __init__(self):
        Noisy.made += 1


@lru_cache
def of_an_exception(k):
    try:
        raise Noisy
    except Noisy:
        return k


@lru_cache
def of_a_callback(k, function=seen):
    return function(k)


@lru_cache
def calling(function, k):
    return function(k)


def calls(k):
    return calling(seen, k)


IMPURE = [
    noted,
    printed,
    counted_globally,
    listed,
    typed,
    of_a_wrapper,
    of_an_attribute,
    of_an_exception,
    of_a_callback,
    calls,
]


@pytest.mark.parametrize("function", IMPURE, ids=lambda f: f.__name__)
def test_an_impure_function_from_before_takes_no_staged_values(function: Any) -> None:
    def program(n):
        return function(n), function(n)

    with pytest.raises((rt.errors.OperatorNotAllowedInGraphError, StagingError)) as refused:
        rt.function(program)(_tensor(3))
    assert f"{__file__}:" in str(refused.value)


def of_a_step(k):
    return k + limited.step


limited.step = 1


@lru_cache
def stepping(k):
    return of_a_step(k)


@pytest.mark.parametrize("name", ["of_a_step", "limited"])
def test_another_function_or_attribute_makes_a_function_impure(monkeypatch, name: str) -> None:
    def program(n):
        return stepping(n)

    staged = rt.function(program)
    assert int(staged(_tensor(9))) == 10
    if name == "limited":
        monkeypatch.setattr(limited, "step", 2)
    else:
        monkeypatch.setitem(globals(), name, lambda k: k - 1)
    for function in staged, rt.function(program):
        with pytest.raises(StagingError, match=r"another one than in an earlier staged call"):
            function(_tensor(9))


def test_a_constant_that_has_changed_makes_a_function_impure(monkeypatch) -> None:
    def program(n):
        return limited(n)

    staged = rt.function(program)
    assert int(staged(_tensor(9))) == 3
    monkeypatch.setitem(globals(), "STEP", 5)
    for function in staged, rt.function(program):
        with pytest.raises(StagingError, match=r"limited\(\) .*\n.* or call limited.__wrapped__"):
            function(_tensor(9))
    monkeypatch.setitem(globals(), "STEP", 3)
    assert int(staged(_tensor(9))) == 3


SCALE, OFFSET = 2, 0


@cache
def scaled(k):
    return k * SCALE


@lru_cache(maxsize=4)
def offset(k, *rest, by=1):
    return OFFSET if k == 0 else offset(k - by) + by


@lru_cache
def scaled_twice(k):
    return scaled(k) + scaled(k) * 1.0


@pytest.mark.parametrize("function", [scaled, offset, scaled_twice], ids=lambda f: f.__name__)
@pytest.mark.parametrize("before_the_trace", [True, False])
def test_what_eager_calls_remember_of_another_constant(
    monkeypatch, function: Any, before_the_trace: bool
) -> None:
    def program(n):
        return function(n)

    scaled.cache_clear(), function.cache_clear()
    function(3)
    staged = rt.function(program)
    if not before_the_trace:
        assert as_python(staged(_tensor(3))) == function(3)
    with monkeypatch.context() as patched:
        patched.setitem(globals(), "SCALE", 3)
        patched.setitem(globals(), "OFFSET", 1)
        scaled.cache_clear(), function.cache_clear()
        function(5)
    for _ in range(2):
        with pytest.raises(StagingError, match=r"call \w+\.cache_clear\(\) before"):
            staged(_tensor(3))
    scaled.cache_clear(), function.cache_clear()
    assert as_python(staged(_tensor(5))) == function(5)
    for k in range(20):
        assert as_python(staged(_tensor(k))) == function(k)
    assert staged.experimental_get_tracing_count() <= 2


@rt.function
def inner_of_one(n):
    return fibonacci(n) + stepping(n)


def test_a_pure_function_remembers_in_each_graph() -> None:
    @rt.function
    def program(n):
        return fibonacci(n), inner_of_one(n), fibonacci(n + 1), stepping(n)

    def python(n):
        return fibonacci(n), fibonacci(n) + stepping(n), fibonacci(n + 1), stepping(n)

    for n in (7, 3):
        assert as_python(program(_tensor(n))) == python(n)
