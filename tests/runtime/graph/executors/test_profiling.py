"""Profiles: the lines and ops of one call, on both executors, in sum what the call takes."""

# The programs are written as users write them.
# ruff: noqa: SIM108

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt

EXECUTORS = [
    "numpy",
    pytest.param(
        "native",
        marks=pytest.mark.skipif(not importlib.util.find_spec("llvmlite"), reason="no llvmlite"),
    ),
]


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def layers(x, w):
    for _ in range(5):
        x = rt.tanh(x @ w)
    return rt.reduce_sum(x, axis=0)


def fused(x):
    y = rt.exp(x) * 2.0
    return rt.reduce_sum(y + 1.0)


def mixed(x, n):
    total = 0
    for i in range(n):
        total += i * i
    return rt.unique(x)[0], total


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


MATRIX = rt.ones([30, 30]) * 0.01
# The texts of lines, and an op that each of them has: of machine code, if that is another one.
ROWS: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, dict[str, str]]]] = [
    (
        collatz,
        (rt.constant(97),),
        {"numpy": {"n = 3 * n + 1": "AddV2"}, "native": {"while n != 1:": "While"}},
    ),
    (
        layers,
        (MATRIX, MATRIX),
        {
            each: {"x = rt.tanh(x @ w)": "MatMul", "return rt.reduce_sum(x, axis=0)": "Sum"}
            for each in ("numpy", "native")
        },
    ),
    (
        fused,
        (MATRIX,),
        {
            "numpy": {"y = rt.exp(x) * 2.0": "Exp"},
            "native": {"y = rt.exp(x) * 2.0": "Exp + Mul + AddV2 + Sum"},
        },
    ),
    (
        mixed,
        (rt.constant([1, 2, 2]), rt.constant(100)),
        {
            "numpy": {"return rt.unique(x)[0], total": "UniqueWithCounts"},
            "native": {
                "return rt.unique(x)[0], total": "UniqueWithCounts",
                "for i in range(n):": "While",
            },
        },
    ),
]


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize(("function", "args", "lines"), ROWS)
def test_rows_are_lines_and_ops(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    lines: dict[str, dict[str, str]],
    executor: str,
) -> None:
    profile = rt.function(function, executor=executor).profile(*args)
    assert profile.executor == executor
    source, start = inspect.getsourcelines(function)
    places = {text.strip(): (__file__, start + at) for at, text in enumerate(source)}
    found = {(row.location[:2], row.op) for row in profile.rows if row.location is not None}
    for text, op in lines[executor].items():
        assert any(place == places[text] and op in name for place, name in found), str(profile)
    # Each row is of a line of the function, but the one of the call itself.
    assert {place for place, _ in found} <= set(places.values())
    assert sum(row.location is None for row in profile.rows) == 1
    assert np.isclose(sum(row.seconds for row in profile.rows), profile.seconds)
    assert all(row.looks > 0 for row in profile.rows)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_looks_are_counted(executor: str) -> None:
    profile = rt.function(layers, executor=executor).profile(MATRIX, MATRIX)
    assert {row.op: row.looks for row in profile.rows if row.op in ("MatMul", "Sum")} == {
        "MatMul": 5,
        "Sum": 1,
    }


@pytest.mark.parametrize("executor", EXECUTORS)
def test_recursion(executor: str) -> None:
    profile = rt.function(fibonacci, executor=executor).profile(rt.constant(7))
    assert profile.seconds > 0


@pytest.mark.parametrize("executor", EXECUTORS)
def test_effects_are_those_of_one_call(executor: str, capsys: pytest.CaptureFixture[str]) -> None:
    total = rt.Variable(1.0)

    @rt.function(executor=executor)
    def step(x):
        rt.print("step")
        total.assign_add(x)

    step.profile(rt.constant(2.0))
    assert total.numpy() == 3.0
    assert capsys.readouterr().err.count("step") == 1


@pytest.mark.parametrize("executor", EXECUTORS)
def test_lists_of_the_caller_are_changed(executor: str) -> None:
    @rt.function(executor=executor)
    def put(items, x):
        items.append(x * 2)

    items: list[Any] = []
    put.profile(items, rt.constant(4))
    assert [int(item) for item in items] == [8]


@pytest.mark.parametrize("executor", EXECUTORS)
def test_errors_are_those_of_a_call(executor: str) -> None:
    def divided(n, d):
        total = 0
        for i in range(n):
            total += 100 // (d - i)
        return total

    staged = rt.function(divided, executor=executor)
    args = rt.constant(5), rt.constant(3)
    with pytest.raises(ZeroDivisionError) as called:
        staged(*args)
    with pytest.raises(ZeroDivisionError) as profiled:
        staged.profile(*args)
    assert str(profiled.value) == str(called.value)
    assert profiled.value.location == called.value.location


def test_methods_have_profiles() -> None:
    class Model:
        def __init__(self) -> None:
            self.rate = rt.Variable(2.0)

        @rt.function(executor="numpy")
        def scaled(self, x):
            return self.rate * x

    profile = Model().scaled.profile(rt.constant(3.0))
    assert "ReadVariableOp" in {row.op for row in profile.rows}


def test_views_have_the_program_for_them() -> None:
    staged = rt.function(layers, executor="numpy")
    x = rt.constant(np.ones((30, 30), np.float32).T)
    assert staged.profile(x, MATRIX).seconds > 0


def test_what_records_has_no_profile() -> None:
    staged = rt.function(collatz)
    with rt.GradientTape(), pytest.raises(ValueError, match="outside of functions and tapes"):
        staged.profile(rt.constant(3))

    @rt.function
    def outer(n):
        return staged.profile(n)

    with pytest.raises(ValueError, match="a profile of collatz is asked for"):
        outer(rt.constant(3))


def test_text() -> None:
    lines = str(rt.function(layers, executor="numpy").profile(MATRIX, MATRIX)).splitlines()
    assert lines[0].startswith("layers: ")
    assert lines[0].endswith(" ms on the numpy executor")
    (line,) = [line for line in lines if "MatMul" in line]
    share, _, unit, looks, times, op, place, *text = line.split()
    assert share.endswith("%")
    assert (unit, looks, times, op) == ("ms", "5", "x", "MatMul")
    assert place.startswith(__file__)
    assert " ".join(text) == "x = rt.tanh(x @ w)"
