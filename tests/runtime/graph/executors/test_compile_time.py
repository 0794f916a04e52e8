"""Twice as many nodes are compiled in twice as many steps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import runtime as rt
from runtime.functions.function import function
from runtime.graph.executors.program import Program
from runtime.graph.ir import Graph


def arrays(x: Any, count: int) -> Any:
    for _ in range(count):
        x = rt.sin(x) + 0.5
    return x


def scalars(x: Any, count: int) -> Any:
    total = x[0]
    for _ in range(count):
        total = total * x[1] + 1.0
    return total


def integers(x: Any, count: int) -> Any:
    number = rt.size(x)
    for _ in range(count):
        number = (number + 1) * 3 % 7
    return number


def stepped(x: Any, y: Any, limit: float) -> Any:
    if x > limit:
        y = rt.sin(x) * y
    else:
        x = x + 0.5
    return x, y


def conds(x: Any, count: int) -> Any:
    first, second = x[0], x[1]
    for at in range(count):
        first, second = stepped(first, second, float(at))
    return first + second


def kept(x: Any, count: int) -> Any:
    made = [x]
    for _ in range(count):
        made.append(rt.tanh(made[-1]))
    return made


def reversed_(x: Any, count: int) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(x)
        result = arrays(x, count)
    return tape.gradient(result, x)


def graph_of(program: Callable[..., Any], count: int) -> Graph:
    staged = function(lambda x: program(x, count))
    return staged.get_concrete_function(rt.constant([1.0, 2.0])).graph


def steps(graph: Graph) -> int:
    """The lines that run while a graph is compiled; each round of a loop has one."""
    count = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        Program(graph)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize(
    "program",
    [arrays, scalars, integers, conds, kept, reversed_],
    ids=lambda program: program.__name__,
)
def test_steps_grow_with_the_graph(program: Callable[..., Any]) -> None:
    graph_of(program, 2)
    few, many = (steps(graph_of(program, count)) for count in (100, 400))
    assert many < 4.2 * few
