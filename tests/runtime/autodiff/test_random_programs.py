"""Random programs: the gradient of each is that of finite differences, eagerly and from a graph."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import runtime as tf

# Smooth functions of one and two arguments that stay in a moderate range.
UNARY: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (tf.sin, np.sin),
    (tf.tanh, np.tanh),
    (lambda x: -x, lambda x: -x),
    (lambda x: x * 0.5, lambda x: x * 0.5),
    (lambda x: 1.5 - x, lambda x: 1.5 - x),
    (lambda x: 1.0 / (x * x + 1.0), lambda x: 1.0 / (x * x + 1.0)),
    (tf.reduce_sum, np.sum),
    (lambda x: tf.reshape(x, [-1])[:1], lambda x: np.reshape(x, [-1])[:1]),
    (lambda x: tf.exp(tf.sin(x)), lambda x: np.exp(np.sin(x))),
]
BINARY: list[tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = [
    (lambda x, y: x + y, lambda x, y: x + y),
    (lambda x, y: x - y, lambda x, y: x - y),
    (lambda x, y: x * y, lambda x, y: x * y),
    (lambda x, y: x / (y * y + 2.0), lambda x, y: x / (y * y + 2.0)),
    (lambda x, y: tf.atan2(x, y * y + 1.0), lambda x, y: np.arctan2(x, y * y + 1.0)),
]
SHAPES = [(), (3,), (2, 3), (2, 1)]
Step = tuple[int, int, int]


def run(steps: list[Step], values: list[Any], side: int) -> Any:
    """Each step applies a function to values made before; the result sums the last ones."""
    values = list(values)
    for kind, first, second in steps:
        a, b = values[first % len(values)], values[second % len(values)]
        if kind < len(UNARY):
            values.append(UNARY[kind][side](a))
        else:
            values.append(BINARY[kind - len(UNARY)][side](a, b))
    total = tf.reduce_sum if side == 0 else np.sum
    return sum([total(value) for value in values[-3:]])


steps = st.lists(
    st.tuples(st.integers(0, len(UNARY) + len(BINARY) - 1), st.integers(0, 9), st.integers(0, 9)),
    min_size=1,
    max_size=12,
)
inputs = st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3)


@given(steps, inputs)
@settings(max_examples=60)
def test_gradients(steps: list[Step], shapes: list[Any]) -> None:
    rng = np.random.default_rng(len(steps))
    arrays = [np.asarray(rng.uniform(-1, 1, shape)) for shape in shapes]
    expected = numeric(steps, arrays)
    program = tf.function(lambda *xs: run(steps, list(xs), 0), autograph=False)
    for function in (lambda *xs: run(steps, list(xs), 0), program):
        sources = [tf.constant(array) for array in arrays]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            y = function(*sources)
        np.testing.assert_allclose(float(y), float(run(steps, arrays, 1)), rtol=1e-9)
        zero = tf.UnconnectedGradients.ZERO
        found = tape.gradient(y, sources, unconnected_gradients=zero)
        for gradient, slopes in zip(found, expected, strict=True):
            assert gradient.shape == slopes.shape
            np.testing.assert_allclose(gradient.numpy(), slopes, rtol=1e-5, atol=1e-6)


def numeric(steps: list[Step], arrays: list[Any]) -> list[Any]:
    found = []
    for place, array in enumerate(arrays):
        slopes = np.zeros_like(array)
        for index in np.ndindex(*array.shape):
            values = []
            for sign in (1, -1):
                moved = [x.copy() for x in arrays]
                moved[place][index] += sign * 1e-6
                values.append(run(steps, moved, 1))
            slopes[index] = (values[0] - values[1]) / 2e-6
        found.append(slopes)
    return found
