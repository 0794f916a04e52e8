"""Printed lines read as the user's own notation."""

from __future__ import annotations

from typing import Any

import pytest

import runtime as rt
from runtime.graph.format.printing import format_graph

V = rt.Variable([1.0, 2.0, 3.0, 4.0], name="weights")
X = rt.TensorSpec([4, 4])
N = rt.TensorSpec([], rt.int32)


def raising(x, n):
    if n > 3:
        raise ValueError("too large", n)
    return x


def asserting(x, n):
    assert n > 3, f"n is {3}"
    return x


def printing(x, n):
    print("n is", n, [n, 1], sep="-")
    return x


def skipping(x, n):
    if n > 3:
        V.assign(x[0])
    return x


def item(x, n):
    x[n, 1:] = 3.0
    return x


def on_a_device(x, n):
    with rt.device("CPU:1"):
        return x + 1.0


def steep(x, n):
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = x[n, ::2] * 2.0
    return tape.gradient(y, x)


def called_twice(x, n):
    return power(x, n) + power(x[:2], n)


def growing(x, n):
    rows = []
    for i in rt.range(n):
        rows.append(x[i])
    return rt.stack(rows)


def written_to(x, n):
    array = rt.TensorArray(rt.float32, 3).write(1, x)
    for i in rt.range(n):
        array = array.write(i, x)
    return array.read(0)


@rt.function
def power(x, n):
    return x ** rt.cast(n, rt.float32)


LINES = [
    (lambda x, n: x[1:3, :, None], "strided_slice: float32[2,4,1] = x[1:3, :, None]"),
    (lambda x, n: x[..., -1], "strided_slice: float32[4] = x[..., -1]"),
    (lambda x, n: x[::-1], "strided_slice: float32[4,4] = x[::-1]"),
    (lambda x, n: x[n, :n], "strided_slice: float32[?] = x[n, :n]"),
    (lambda x, n: x[n:, 1:n:2], "strided_slice: float32[?,?] = x[n:, 1:n:2]"),
    (item, "set_slice: float32[4,4] = x with [n, 1:] = float32(3.0)"),
    (steep, "unslice: float32[4,4] = unslice(mul_1, [n, ::2])"),
    (lambda x, n: rt.slice(x, [n, 1], [2, -1]), "= slice(x, begin=[n, 1], size=[2, -1])"),
    (lambda x, n: rt.reshape(x, [n, 2, -1]), "= reshape(x, shape=(n, 2, -1))"),
    (lambda x, n: rt.fill([n], 1.0), "fill: float32[?] = fill(float32(1.0), shape=(n,))"),
    (lambda x, n: rt.random.uniform([n, 2]), "= random_uniform(shape=(n, 2))"),
    (lambda x, n: x + V, "read_variable: float32[4] = weights.read_value()"),
    (skipping, "    weights.assign(strided_slice)"),
    (skipping, "  cond greater:"),
    (raising, "    raise ValueError('too large', n)"),
    (asserting, "    raise AssertionError('n is 3')"),
    (asserting, "    pass"),
    (printing, "  print('n is', n, [n, 1])"),
    (lambda x, n: [rt.print("n:", n), x][1], "  print_v2('n: {}', n)"),
    (lambda x, n: rt.reduce_sum(x), "sum: float32[] = sum(x)"),
    (lambda x, n: rt.reduce_sum(x, 0, keepdims=True), "= sum(x, axis=(0,), keepdims=True)"),
    (lambda x, n: rt.cast(x, rt.float64), "cast: float64[4,4] = cast(x, dtype=float64)"),
    (lambda x, n: x * [1.0, 2.0, 3.0, 4.0], "constant: float32[4] = [1.0, 2.0, 3.0, 4.0]"),
    (lambda x, n: x * 0.1, "mul: float32[4,4] = mul(x, float32(0.1))"),
    (on_a_device, "add: float32[4,4] = add(x, float32(1.0))  # device=CPU:1"),
    (growing, "list_of: list[float32[4]] = []"),
    (written_to, "= list_set(list_new, int32(1), x)"),
    (called_twice, "pow: float32[4,4] = call power(x, n)"),
    (called_twice, "pow_1: float32[2,4] = call power_1(strided_slice, n)"),
    (called_twice, "graph power_1(x: float32[2,4], n: int32[]) -> (float32[2,4]):"),
]


@pytest.mark.parametrize(("function", "line"), LINES, ids=[line for _, line in LINES])
def test_a_line(function: Any, line: str) -> None:
    graph = rt.function(function).get_concrete_function(X, N).graph
    assert any(text.endswith(line) for text in format_graph(graph).splitlines()), str(graph)


INTERNAL = (
    *("write=", "stream=", "spec=", "<locals>", " at 0x", "yield nothing", "Structure("),
    *("attr arguments", "attr options", "attr stream"),
)


@pytest.mark.parametrize(("function", "line"), LINES, ids=[line for _, line in LINES])
def test_nothing_internal_is_shown(function: Any, line: str) -> None:
    """Neither functions nor objects by their address, nor the parameters that hold them."""
    graph = rt.function(function).get_concrete_function(X, N).graph
    shown = str(graph) + str(graph.as_graph_def()) + graph._repr_svg_() + graph.to_dot()
    assert [text for text in INTERNAL if text in shown] == []


def test_with_lines_the_device_stands_before_the_place() -> None:
    graph = rt.function(on_a_device).get_concrete_function(X, N).graph
    line = on_a_device.__code__.co_firstlineno + 2
    assert f"# device=CPU:1, {__file__}:{line}" in format_graph(graph, lines=True)
