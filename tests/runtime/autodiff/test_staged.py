"""Tapes and graphs: a tape around a function, a tape inside one, and what is refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf
from autograph import StagingError

v = tf.Variable(2.0)


def straight(x: Any) -> Any:
    return tf.sin(x) * x + v


def branches(x: Any) -> Any:
    y = -x
    if x > 0.0:
        y = x * x * v
    return y


def loop(x: Any) -> Any:
    y = x
    for _ in tf.range(3):
        y = y * x + v
    return y


def assigns(x: Any) -> Any:
    y = x * v
    v.assign(v + 0.0)
    return y * v


FUNCTIONS = [straight, branches, loop, assigns]


def gradients(function: Callable[[Any], Any], x: Any) -> list[list[float | None]]:
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        first = tape.gradient(y, [x, v])
    second = [None if g is None else outer.gradient(g, x) for g in first]
    return [[None if g is None else float(g) for g in row] for row in (first, second)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=[f.__name__ for f in FUNCTIONS])
@pytest.mark.parametrize("x", [0.7, -0.3])
def test_a_tape_around_a_function(function: Any, x: float) -> None:
    point = tf.constant(x)
    staged, plain = gradients(tf.function(function), point), gradients(function, point)
    for found, expected in zip(staged, plain, strict=True):
        # What only the other branch depends on has zeros in a graph, None eagerly.
        assert all(g is not None for g, e in zip(found, expected, strict=True) if e is not None)
        if function is not branches:
            assert [g is None for g in found] == [g is None for g in expected]
        np.testing.assert_allclose(_or_zeros(found), _or_zeros(expected), rtol=1e-5)


def _or_zeros(grads: list[float | None]) -> list[float]:
    return [g or 0.0 for g in grads]


def inside(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = straight(x)
    return tape.gradient(y, [x, v])


def inside_twice(x: Any) -> Any:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = straight(x) * x
        first = tape.gradient(y, x)
    return [first, outer.gradient(first, x)]


def inside_a_loop(x: Any) -> Any:
    for _ in tf.range(3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * v
        x = x - 0.1 * tape.gradient(y, x)
    return [x]


def inside_a_branch(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        slope = x
        if x > 0.0:
            z = y * x
            slope = tape.gradient(z, x)
    return [slope]


def beside_a_branch(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y
        if x > 0.0:
            z = z * 2.0
    return [tape.gradient(y, x), z]


def of_a_captured_tensor(x: Any) -> Any:
    outside = OUTSIDE
    with tf.GradientTape() as tape:
        tape.watch(outside)
        y = outside * x
    return [tape.gradient(y, outside)]


OUTSIDE = tf.constant(5.0)


def jacobians(x: Any) -> Any:
    both = tf.stack([x, x * x])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, both])
        y = both * both * x
    return [tape.jacobian(y, both), tape.jacobian(y, x), tape.gradient(y, x)]


def through_a_branch(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        if x > 0.0:
            y = y * x
    return [tape.gradient(y, x)]


def through_a_variable_in_a_branch(x: Any) -> Any:
    with tf.GradientTape() as tape:
        y = x * x
        if x > 0.0:
            y = y * v
    return [tape.gradient(y, v)]


def through_a_loop(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(3):
            y = y * x
    return [tape.gradient(y, x)]


@tf.function
def callee(x: Any) -> Any:
    return x * x


def through_a_call(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = callee(x)
    return [tape.gradient(y, x)]


INSIDE = [
    inside, inside_twice, inside_a_loop, inside_a_branch, beside_a_branch, of_a_captured_tensor,
    jacobians, through_a_branch, through_a_variable_in_a_branch, through_a_loop, through_a_call,
]  # fmt: skip


@pytest.mark.parametrize("function", INSIDE, ids=[f.__name__ for f in INSIDE])
def test_a_tape_inside_a_function(function: Any) -> None:
    x = tf.constant(0.7)
    staged, plain = tf.function(function)(x), function(x)
    for found, expected in zip(staged, plain, strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5)


def test_gradients_need_no_values_of_unknown_shapes() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None])])
    def slopes(x: Any, b: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, b])
            y = tf.reduce_mean(tf.tanh(x * 2.0 + b), 1)
        return tape.gradient(y, [x, b])

    x, b = tf.constant([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]), tf.constant([0.1, -0.1])
    found = slopes(x, b)
    slope = 1 - np.tanh(x.numpy() * 2 + b.numpy()) ** 2
    np.testing.assert_allclose(found[0].numpy(), slope, rtol=1e-5)
    np.testing.assert_allclose(found[1].numpy(), slope.sum(0) / 2, rtol=1e-5)


# How the state of a loop depends on the round before is not known inside of it


def by_the_round_before(x: Any) -> Any:
    total = x * 0.0
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(3):
            y = y * x
            total = total + tape.gradient(y, x)
    return total


def test_refused() -> None:
    with pytest.raises(StagingError, match="open the tape outside of the function") as caught:
        tf.function(by_the_round_before)(tf.constant(0.7))
    assert caught.value.filename == __file__


def test_a_gradient_in_a_function_of_what_was_computed_before_it() -> None:
    """It is computed at once, and a constant of the graph."""
    x, w = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    double = tf.function(lambda x: x * 2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.exp(double(x)) * w * x, keepdims=True) + x

    @tf.function
    def found(scale: Any) -> Any:
        grads = tape.gradient(y, [x, w])
        return [grad * scale for grad in grads], tape.jacobian(y, x) * scale

    (by_x, by_w), rows = found(tf.constant(2.0))
    np.testing.assert_allclose(by_x, tape.gradient(y, x) * 2.0)
    np.testing.assert_allclose(by_w, tape.gradient(y, w) * 2.0)
    np.testing.assert_allclose(rows, tape.jacobian(y, x) * 2.0)


def test_a_gradient_of_an_argument_by_a_tape_from_outside_is_refused() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x

    @tf.function
    def of_argument(y: Any) -> Any:
        return tape.gradient(y, x)

    with pytest.raises(StagingError, match="a tape opened outside of of_argument does not know"):
        of_argument(y)


def test_what_may_be_none_is_a_target_and_a_source_where_it_is_there() -> None:
    def slope(x: Any) -> Any:
        y = z = None
        if x > 0.0:
            y = x
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(y)
            if x > 1.0:
                z = y * y
        return tape.gradient(z, y) + tape.jacobian(z, y)

    staged = tf.function(slope)
    assert float(staged(tf.constant(3.0))) == float(slope(tf.constant(3.0))) == 12.0
    with pytest.raises(TypeError, match="'z' is None here"):
        staged(tf.constant(0.5))
