"""Ranges of integers, and names that values share: the same results with fewer lines."""

# The programs are written as users write them.
# ruff: noqa: B007

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runtime as rt
from runtime.functions.function import function

LEAVES = st.sampled_from(["x", "y", "i", "(x + 1)", "(y * 3)", "(i + 127)", "(x - 127)"])
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*"), inner),
        st.builds("({} {} {})".format, inner, st.sampled_from(["//", "%"]), st.sampled_from("37")),
        st.builds("(-{})".format, inner),
        st.builds("rt.{}({}, {})".format, st.sampled_from(["maximum", "minimum"]), inner, inner),
        st.builds("rt.where({} < {}, {}, {})".format, inner, inner, inner, inner),
    ),
    max_leaves=10,
)
EXTREMES = [-128, -127, -3, 0, 5, 126, 127]


@settings(max_examples=15, deadline=None)
@given(first=EXPRESSIONS, second=EXPRESSIONS, third=EXPRESSIONS)
def test_small_integers_wrap_around_as_eagerly(first: str, second: str, third: str) -> None:
    def step(i: Any, x: Any, y: Any) -> tuple[Any, Any]:
        names = {"rt": rt, "i": i, "x": x, "y": y, "zero": rt.constant(0, rt.int8)}
        x = rt.identity(eval(f"zero + {first}", names))
        names["x"] = x
        return eval(f"zero + {second}", names), eval(f"zero + {third}", names)

    def rounds(x: Any, y: Any) -> tuple[Any, Any]:
        _, x, y = rt.while_loop(
            lambda i, x, y: i < 3,
            lambda i, x, y: (i + rt.constant(1, rt.int8), *step(i, x, y)),
            (rt.constant(0, rt.int8), x, y),
        )
        return x, y

    staged = function(rounds)
    for low in EXTREMES:
        for high in EXTREMES:
            arguments = rt.constant(low, rt.int8), rt.constant(high, rt.int8)
            got, expected = staged(*arguments), rounds(*arguments)
            assert [int(v) for v in got] == [int(v) for v in expected]


def counts_up(n):
    i = 0
    while i < n:
        i = i + 1
    return i


def nested_counts(n):
    total = 0
    for i in rt.range(n):
        for j in rt.range(i):
            total = total + j
    return total


def counted_twice(n):
    i, j = 0, n
    while i < j:
        i, j = i + 2, j - 1
    return i * 1000 + j


CHECKS = [(counts_up, 0), (counted_twice, 1), (nested_counts, 1)]


@pytest.mark.parametrize(("program", "checks"), CHECKS)
def test_what_cannot_leave_its_range_is_not_checked(program: Any, checks: int) -> None:
    argument = rt.constant(20)
    staged = function(program)
    source = staged.python_source(argument)
    assert min(source.count("wrap_int32(") + source.count("k_to_tensor("), 1) == checks
    assert int(staged(argument)) == int(program(argument))


def swapped(a, b, n):
    for i in rt.range(n):
        a, b = b, a
    return a, b


def rotated(a, b, n):
    c = a * b
    for i in rt.range(n):
        a, b, c = b, c, a + 1
        if a > b:
            a, b = b, a
    return a, b, c


def fibonacci(a, b, n):
    while n > 0:
        a, b, n = b, a + b, n - 1
    return a


def old_value_lives_on(a, b, n):
    before = a
    for i in rt.range(n):
        before = a
        if a > b:
            a = a - b
        else:
            b = b - before
            before = b
    return a, b, before


def one_value_for_two(a, b, n):
    c = a
    while n > 0:
        n = n - 1
        if b > a:
            a = c = b
        else:
            b = b + 3
        a = a + 1
    return a, b, c


SHARING = [swapped, rotated, fibonacci, old_value_lives_on, one_value_for_two]


@pytest.mark.parametrize("dtype", [rt.int32, rt.float64], ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("program", SHARING, ids=lambda program: program.__name__)
def test_values_that_share_a_name(program: Any, dtype: Any) -> None:
    staged = function(program)
    for a, b, n in ((1, 2, 0), (3, 2, 1), (1, 5, 4), (-4, 7, 9)):
        arguments = rt.constant(a, dtype), rt.constant(b, dtype), rt.constant(n)
        made, wanted = staged(*arguments), program(*arguments)
        for got, expected in zip(flat(made), flat(wanted), strict=True):
            np.testing.assert_array_equal(got, expected)


def flat(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def test_choices_of_truths_are_written_as_such() -> None:
    def f(x, n):
        if x > 0 and x < n:
            x = x + 1
        return x

    source = function(f).python_source(rt.constant(1), rt.constant(5))
    assert "if x > 0 and x < n:" in source or "if x > 0 and n > x:" in source


PRINTING = """
import runtime as rt
from tests.runtime.graph.executors.test_buffer_reuse import carried, straight
from tests.runtime.graph.executors.test_ranges import nested_counts, rotated
one, ones = rt.constant(1), rt.ones([3, 3])
print(rt.function(rotated).python_source(one, one, one))
print(rt.function(nested_counts).python_source(one))
print(rt.function(carried).python_source(ones, ones))
print(rt.function(straight).python_source(ones, ones))
"""


def test_the_source_is_the_same_for_every_hash_seed() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", PRINTING],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(found) == 1
