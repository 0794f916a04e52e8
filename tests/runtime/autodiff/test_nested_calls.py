"""Gradients of calls in calls: the way back through a graph is made once, for all its calls."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime.autodiff.activity import called_in
from runtime.autodiff.derived import MOST_RESIDUALS
from runtime.graph.ir import Graph, walk

DOUBLE = tf.float64
Function = Callable[[Any], Any]
v = tf.Variable(0.6, dtype=DOUBLE)


def twice(inner: Function, before: Function, x: Any) -> Any:
    return tf.sin(0.6 * inner(x) + 0.5 * inner(x + 0.01))


def fibonacci(inner: Function, before: Function, x: Any) -> Any:
    return tf.sin(inner(x) + 0.3 * before(x))


def in_branches(inner: Function, before: Function, x: Any) -> Any:
    return tf.sin(inner(x)) if x > 0.2 else inner(x + 0.3) * inner(x)


def in_loops(inner: Function, before: Function, x: Any) -> Any:
    for _ in tf.range(2):
        x = 0.5 * inner(x) + 0.5 * inner(0.9 * x)
    return x


def with_a_variable(inner: Function, before: Function, x: Any) -> Any:
    return tf.sin(v * inner(x) + 0.5 * inner(v * x))


def leaf(x: Any) -> Any:
    return tf.sin(x) * v


def nested(
    step: Callable[..., Any], depth: int, staged: Callable[[Any], Any] = tf.function
) -> Function:
    """A function whose calls are `depth` deep."""

    def over(inner: Function, before: Function) -> Function:
        return staged(lambda x: step(inner, before, x))

    before = inner = staged(leaf)
    for _ in range(depth):
        before, inner = inner, over(inner, before)
    return inner


def slope_of(function: Function) -> Function:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return slope


def size(function: Function, x: Any) -> int:
    """The nodes of a graph and of those that it leads to, each once."""
    graph: Graph = tf.function(function).get_concrete_function(x).graph
    graphs = (graph, *called_in(graph.nodes))
    return sum(len(list(walk(each.body))) for each in graphs)


STEPS = [twice, fibonacci, in_branches, in_loops, with_a_variable]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("order", [1, 2])
def test_a_gradient_grows_with_the_depth_as_the_function_does(
    step: Callable[..., Any], order: int
) -> None:
    def gradient(depth: int) -> Function:
        function = nested(step, depth)
        for _ in range(order):
            function = slope_of(function)
        return function

    x = tf.constant(0.3, DOUBLE)
    assert size(gradient(24), x) < 2.5 * size(gradient(12), x)


@pytest.mark.parametrize("depth", [1, 6, 10])
@pytest.mark.parametrize("step", [twice, fibonacci, with_a_variable])
def test_gradients_are_those_of_the_calls(step: Callable[..., Any], depth: int) -> None:
    function, h = nested(step, depth), 1e-5
    slope, bend = slope_of(function), slope_of(slope_of(function))
    at, above, below = (tf.constant(0.3 + side, DOUBLE) for side in (0, h, -h))
    expected = float(function(above) - function(below)) / (2 * h)
    expected_bend = float(slope(above) - slope(below)) / (2 * h)
    for found in (slope(at), tf.function(slope)(at)):
        np.testing.assert_allclose(float(found), expected, rtol=1e-7)
    for found in (bend(at), tf.function(bend)(at), slope_of(tf.function(slope))(at)):
        np.testing.assert_allclose(float(found), expected_bend, rtol=1e-7)


@pytest.mark.parametrize("step", STEPS)
def test_gradients_are_those_of_python(step: Callable[..., Any]) -> None:
    x = tf.constant(0.3, DOUBLE)
    staged, plain = nested(step, 3), nested(step, 3, lambda function: function)
    for function in (slope_of(staged), tf.function(slope_of(staged))):
        np.testing.assert_allclose(float(function(x)), float(slope_of(plain)(x)), rtol=1e-12)
    np.testing.assert_allclose(
        float(slope_of(slope_of(staged))(x)), float(slope_of(slope_of(plain))(x)), rtol=1e-9
    )


def test_the_gradient_for_a_variable_that_only_the_innermost_call_reads() -> None:
    function, x, h = nested(twice, 8), tf.constant(0.3, DOUBLE), 1e-5

    @tf.function
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = function(x)
        return tape.gradient(y, v)

    found, before = float(gradient(x)), v.numpy()
    ends = []
    for side in (h, -h):
        v.assign(before + side)
        ends.append(float(function(x)))
    v.assign(before)
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / (2 * h), rtol=1e-6)


def test_what_is_packed_and_unpacked_in_one_graph_stays_as_it_is() -> None:
    def layers(x: Any) -> Any:
        for _ in range(MOST_RESIDUALS + 1):
            x = tf.tanh(x)
        return x

    x = tf.constant(0.3, DOUBLE)
    gradient = tf.function(slope_of(tf.function(layers)))
    assert "pack_residuals" in str(tf.function(slope_of(nested(twice, 8))).python_source(x))
    assert "pack_residuals" not in str(gradient.python_source(x))
    assert float(gradient(x)) == float(slope_of(layers)(x))


def test_gradients_of_graphs_go_with_the_graphs() -> None:
    def differentiated() -> weakref.ref[Graph]:
        inner, x = tf.function(leaf), tf.constant(0.3, DOUBLE)
        slope_of(tf.function(lambda x: inner(x) * inner(x)))(x)
        return weakref.ref(inner.get_concrete_function(x).graph)

    graph = differentiated()
    gc.collect()
    assert graph() is None
