"""Arrays are written over, and ops run in blocks, where nobody can tell."""

# The programs are written as users write them.
# ruff: noqa: B007, SIM108

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.functions.function import function
from runtime.graph.executors.program import Program
from runtime.graph.passes import optimize

CAPTURED = rt.constant([1.0, 2.0, 3.0])


def chain(x, y):
    a = x * y + x
    return rt.tanh(a) * a - y


def keeps_a_view(x, y):
    a = x * y
    view = a[:2]
    b = a + 1.0
    return b, view


def keeps_a_result(x, y):
    a = x + y
    return a, a * 2.0


def captures(x, y):
    return (CAPTURED + x) * CAPTURED - y


def constants(x, y):
    return (rt.constant([1.0, 2.0, 3.0]) * 2.0 + x) * y


def carried(x, y):
    before = x
    for i in rt.range(3):
        before = x
        x = rt.tanh(x * y) + x
    return x, before


def branches(x, y):
    a = x * y
    if rt.reduce_sum(x) > 0.0:
        b = a + 1.0
    else:
        b = a
    return a + b, b


def turned(x, y):
    a = rt.reshape(x, [3, 1]) * y
    return rt.transpose(a) * a + a


def pushed(x, y):
    items = [x * y]
    items.append(items[0] + 1.0)
    return rt.stack(items) * 2.0


CASES = [
    chain,
    keeps_a_view,
    keeps_a_result,
    captures,
    constants,
    carried,
    branches,
    turned,
    pushed,
]


@pytest.mark.parametrize("program", CASES, ids=lambda program: program.__name__)
def test_nobody_sees_it(program: Any) -> None:
    x, y = rt.constant([0.5, -1.0, 2.0]), rt.constant([3.0, 0.25, -1.5])
    staged = Program(optimize(function(program).get_concrete_function(x, y).graph))
    made = program(x, y)
    expected = [item.numpy() for item in (made if isinstance(made, tuple) else (made,))]
    first = staged.run(x.raw, y.raw)
    second = staged.run(x.raw, y.raw)
    for results in (first, second):
        for got, wanted in zip(results, expected, strict=True):
            np.testing.assert_array_equal(got, wanted)
    assert x.numpy().tolist() == [0.5, -1.0, 2.0]
    assert CAPTURED.numpy().tolist() == [1.0, 2.0, 3.0]


def test_a_dead_array_is_written_over() -> None:
    x = rt.constant([1.0, 2.0])
    source = function(lambda x: rt.tanh(x * 2.0) + 1.0).python_source(x)
    assert "k_tanh(mul, mul)" in source


def test_known_slices_are_written_as_slices() -> None:
    x = rt.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    staged = function(lambda x: x[1:, ::-2])
    assert "x[1:, ::-2]" in staged.python_source(x)
    assert staged(x).numpy().tolist() == [[6.0, 4.0]]
