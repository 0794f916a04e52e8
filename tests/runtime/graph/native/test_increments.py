"""Ints to which rounds of loops add: those of Python, however large they become."""

# The programs are written as users write them.

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from runtime.graph.executors.lowered import Loop, blocks_of
from runtime.graph.executors.lowering import ALL, Lowering
from runtime.graph.executors.native.increments import Increments, increments_of
from tests.support.native import Pair

LARGE = 1 << 62
STARTS = [0, 1, -1, LARGE - 1, LARGE, LARGE + 1, -LARGE, -LARGE - 1, 2 * LARGE - 3, 2 - 2 * LARGE]


def once(x, n):
    s = int(x)
    for _ in range(int(n)):
        s += 1
    return s % 1000003


def down(x, n):
    s = int(x)
    i = 0
    while i < n:
        s = s - 3 - 4
        i += 1
    return s % 1000003


def mirrored(x, n):
    s = int(x)
    i = 0
    while i < n:
        s = 5 - s
        i += 1
    return s % 1000003


def branches(x, n):
    s = int(x)
    i = 0
    while i < n:
        if i % 3 == 0:
            if i % 5 == 0:
                s += 15
            else:
                s = s - 1
        elif i % 7 == 0:
            s += 1
            s += 2
        i += 1
    return s % 1000003


def swapped(x, n):
    a = int(x)
    b = 0
    for _ in range(int(n)):
        a, b = b + 1, a + 2
    return a % 1000003 + b % 1000003


def nested(x, n):
    s = int(x)
    i = 0
    while i < n:
        j = 0
        while j < i:
            s += 2
            j += 1
        s += 1
        i += 1
    return s % 1000003


def large(x, n):
    s = int(x)
    for _ in range(int(n)):
        s += 1 << 39
    return s % 1000003


def larger(x, n):
    s = int(x)
    for _ in range(int(n)):
        s += 1 << 60
    return s % 1000003


def doubled(x, n):
    s = int(x)
    for _ in range(int(n)):
        s = s + s
    return s % 1000003


def chained(x, n):
    a = int(x)
    b = 1
    for _ in range(int(n)):
        a += 1
        b = b * 3
    return a % 1000003 + b % 1000003


def restarted(x, n):
    s = 0
    i = 0
    while i < n:
        s = int(x)
        j = 0
        while j < n:
            s += 1
            j += 1
        i += 1
    return s % 1000003


ALONE = {once: 2, down: 2, mirrored: 2, branches: 2, swapped: 3, nested: 4, large: 2}
"""The number of ints, in all loops, that are looked at behind many rounds alone."""
OTHERS = {larger: 1, doubled: 1, chained: 2, restarted: 3}
FUNCTIONS = {**ALONE, **OTHERS}


def concrete_of(function: Callable[..., Any]) -> Any:
    spec = rt.TensorSpec([], rt.int64)
    return rt.function(function).get_concrete_function(spec, spec)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_ints_are_pythons(function: Callable[..., Any]) -> None:
    pair = Pair(concrete_of(function).optimized)
    for start in STARTS:
        for rounds in (0, 1, 2, 7, 40):
            (got,) = pair.compare(np.int64(start), np.int64(rounds))
            assert got[3] == [repr(function(start, rounds))], (start, rounds)
    # Small ones never leave machine code.
    pair.aside = 0
    pair.compare(np.int64(0), np.int64(1))
    assert pair.aside == 0


@pytest.mark.parametrize("function", FUNCTIONS)
def test_ints_are_found(function: Callable[..., Any]) -> None:
    graph = concrete_of(function).optimized
    form = Lowering(graph, contiguous=True).function(ALL)
    known: dict[Loop, Increments] = {}
    for block in blocks_of(form.body):
        for statement in block.statements:
            if isinstance(statement, Loop):
                increments_of(statement, known)
    assert sum(len(each.ints) for each in known.values()) == FUNCTIONS[function]


@pytest.mark.parametrize(
    "start", [LARGE - (1 << 55), 2 * LARGE - (1 << 56), -2 * LARGE + (1 << 56)]
)
def test_many_rounds(start: int) -> None:
    """So many that what they add is large: more than signals are handled in."""
    pair = Pair(concrete_of(large).optimized)
    rounds = 150_000
    (got,) = pair.compare(np.int64(start), np.int64(rounds))
    assert got[3] == [repr(large(start, rounds))]


def below(n):
    """Divisors and dividends of ranges that are known: none is 0 or less."""
    total, k = 0, 1
    while k < n:
        total = (total * 3 + k % (total + 1) + 1000 // k) % 1000
        k += 1
    return total


def around(n):
    """The same where nothing is known of one operand."""
    total, k = 0, 1
    while k < n:
        total = (total - 7 * k) % (k + 1) - (n - k) // (total - 5000)
        k += 1
    return total


@pytest.mark.parametrize("program", [below, around])
@pytest.mark.parametrize("n", [-3, 0, 1, 2, 3, 77, 20_000])
def test_quotients_by_their_ranges(program: Callable[..., Any], n: int) -> None:
    graph = rt.function(program).get_concrete_function(rt.constant(0)).optimized
    pair = Pair(graph)
    (found,) = pair.native(np.int32(n))
    assert (found, pair.aside) == (program(n), 0)


def test_what_ranges_exclude_is_not_asked() -> None:
    """Nothing overflows, and no divisor is 0, or -1 below the least number."""
    known = rt.function(below).native_ir(rt.constant(0))
    assert "urem" in known
    assert "overflow" not in known
    assert "srem" not in known
    assert "srem" in rt.function(around).native_ir(rt.constant(0))
