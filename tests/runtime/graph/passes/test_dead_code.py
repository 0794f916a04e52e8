"""What goes and what stays."""

# The programs are written as users write them.
# ruff: noqa: F841

from __future__ import annotations

from typing import Any

import pytest

import runtime as rt
from runtime.functions.function import function
from runtime.graph.format.printing import format_graph
from runtime.graph.passes import optimize
from runtime.graph.passes.dead_code import eliminate_dead_code
from runtime.graph.verification import verify


def unused_op(x):
    x * 2
    return x + 1


def unused_output(x):
    a, b = x, x * 3
    if x > 0:
        a = x + 1
        b = x * 2
    return a


def unused_state(x):
    i, waste = 0, 0.0
    while x > 0:
        waste = waste + 1.5
        x = x - 1
        i = i + 1
    return i


def needed_by_the_state(x):
    a, b = x, x
    while x > 0:
        a = b
        b = b + 1
        x = x - 1
    return a


def unused_loop(x):
    y = x
    while y > 0:
        y = y - 1
    return x


def counted_loop(x):
    y = 0
    for i in range(x):
        if y > 5:
            break
        y += i
    return x


def endless_loop(x):
    y = 1
    while x > 0:
        y = y + 1
    return x


def endless_loop_of_nothing(x):
    while x > 0:
        pass
    return x


def endless_count(x):
    i, y = 0, x
    while i < y:
        i, y = i + 1, y + 1
    return x


def endless_count_of_floats(x):
    y = float(x)
    while y < float("inf"):
        y = y + 1
    return x


def endless_count_to_infinity(x):
    i = int(x)
    while i < float("inf"):
        i = i + 1
    return x


def effects(x):
    if x > 0:
        print("positive", x * 2)
    i = 0
    while i < x:
        assert i < 5
        i = i + 1
    return x


def fails(x):
    rt.gather([1, 2], x)
    return x


GONE = [
    (unused_op, "mul("),
    (unused_output, "mul("),
    (unused_state, "1.5"),
    (unused_loop, "while"),
    (counted_loop, "while"),
]
STAYS = [
    (unused_op, "add("),
    (unused_state, "while"),
    (needed_by_the_state, "add("),
    (endless_loop, "while"),
    (endless_loop_of_nothing, "while"),
    (endless_count, "while"),
    (endless_count_to_infinity, "while"),
    (endless_count_of_floats, "while"),
    (effects, "print("),
    (effects, "mul("),
    (effects, "raise "),
    (fails, "gather("),
]


def after(program: Any) -> tuple[str, str]:
    graph = function(program).get_concrete_function(rt.TensorSpec([], rt.int32)).graph
    made = eliminate_dead_code(graph)
    verify(made, types=True)
    return format_graph(graph), format_graph(made)


@pytest.mark.parametrize(("program", "text"), GONE)
def test_gone(program: Any, text: str) -> None:
    before, made = after(program)
    assert text in before
    assert text not in made


@pytest.mark.parametrize(("program", "text"), STAYS)
def test_stays(program: Any, text: str) -> None:
    before, made = after(program)
    assert text in before
    assert text in made


def test_nothing_to_do() -> None:
    graph = function(lambda x: x + 1).get_concrete_function(rt.TensorSpec([], rt.int32)).graph
    assert format_graph(optimize(graph)) == format_graph(graph)


def test_a_capture_that_is_not_used_goes() -> None:
    captured = rt.constant([1, 2])

    def f(x):
        captured + 1
        return x

    graph = function(f).get_concrete_function(rt.TensorSpec([], rt.int32)).graph
    assert len(graph.closure) == 1
    assert not eliminate_dead_code(graph).closure


def test_the_ends_of_a_range_that_nobody_reads_are_checked() -> None:
    def f(n):
        rt.range(n)
        return n

    graph = function(f).get_concrete_function(rt.TensorSpec([], rt.int32)).graph
    made = eliminate_dead_code(graph)
    verify(made, types=True)
    (node,) = [node for node in made.nodes if node.primitive.name == "range"]
    assert node.outputs[0].type.shape == (0,)
    assert str(eliminate_dead_code(made)) == str(made)
