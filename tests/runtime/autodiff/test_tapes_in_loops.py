"""What tapes do inside of staged loops, and what loops do inside of tapes: as eager Python does."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import runtime as tf

v = tf.Variable(2.0)
w = tf.Variable([1.0, -1.0])
counter = tf.Variable(1.0, trainable=False)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    v.assign(2.0)
    w.assign([1.0, -1.0])
    counter.assign(1.0)


def cube(x: Any) -> Any:
    y = x
    for _ in tf.range(2):
        y = y * x
    return y


# A tape in each round


def descent(x: Any) -> Any:
    """The variable changes between the tapes."""
    losses = tf.TensorArray(tf.float32, 4)
    for i in tf.range(4):
        with tf.GradientTape() as tape:
            loss = (v * x - 3.0) ** 2.0
        v.assign_sub(0.05 * tape.gradient(loss, v))
        losses = losses.write(i, loss)
    return losses.stack(), v.read_value()


def descent_of_several(x: Any) -> Any:
    """Two variables, a rate that decays, an end before the last round."""
    rate, before = tf.constant(0.1), tf.constant(1e9)
    for i in tf.range(50):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * v - [x, 2.0 * x]) ** 2.0)
        for variable, grad in zip([v, w], tape.gradient(loss, [v, w]), strict=True):
            variable.assign_sub(rate * grad)
        if i % 3 == 2:
            rate = rate * 0.9
        if before - loss < 1e-3:
            break
        before = loss
    return i, rate, v.read_value(), w.read_value()


def reads_around_an_assignment(x: Any) -> Any:
    """Each read stands for the value of its time; both lead to the variable."""
    total = x * 0.0
    for _ in tf.range(3):
        with tf.GradientTape() as tape:
            early = v * x
            v.assign(v * 0.5)
            late = v * v
            y = early * late
        total = total + tape.gradient(y, v)
    return total


def reads_inside_the_loop(x: Any) -> Any:
    """Around the loop, the variable changes in each round; it is watched as it is read."""
    with tf.GradientTape() as tape:
        y = x
        for _ in tf.range(3):
            y = y * v
            v.assign_add(1.0)
    return tape.gradient(y, v), y


def an_untrainable_variable(x: Any) -> Any:
    total = x
    for _ in tf.range(3):
        with tf.GradientTape() as tape:
            tape.watch([x, counter])
            y = counter * x * x
        counter.assign_add(1.0)
        slopes = tape.gradient(y, [x, counter])
        total = total + slopes[0] * slopes[1]
    return total


def watched_in_the_loop(x: Any) -> Any:
    total = x
    for i in tf.range(3):
        with tf.GradientTape() as tape:
            z = total * tf.cast(i + 1, tf.float32)
            tape.watch(z)
            y = z * z * total
        total = total + 0.1 * tape.gradient(y, z)
    return total


def a_persistent_tape(x: Any) -> Any:
    a = b = x
    for _ in tf.range(3):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            z = cube(y)
        a = a + tape.gradient(y, x)
        b = b + tape.gradient(z, x) - tape.gradient(z, y)
        del tape
    return a, b


def tapes_in_tapes(x: Any) -> Any:
    total = x
    for _ in tf.range(3):
        with tf.GradientTape() as outer:
            outer.watch(total)
            with tf.GradientTape() as inner:
                inner.watch(total)
                y = cube(total) * v
            slope = inner.gradient(y, total)
        total = total - slope / outer.gradient(slope, total)
    return total


def not_recorded(x: Any) -> Any:
    total = x
    for _ in tf.range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                z = cube(x)
            y = y * z
        total = total + tape.gradient(y, x)
    return total


def not_recorded_around_a_loop(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = x
        with tape.stop_recording():
            for _ in tf.range(3):
                z = z * x
        for _ in tf.range(2):
            y = y * z * x
    return tape.gradient(y, x)


def a_tape_that_is_reset(x: Any) -> Any:
    total = x
    for _ in tf.range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            forgotten = x * x
            tape.reset()
            tape.watch(x)
            y = forgotten * x
        total = total + tape.gradient(y, x)
    return total


def in_a_branch_of_a_loop(x: Any) -> Any:
    total = x
    for i in tf.range(4):
        if i % 2 == 0:
            with tf.GradientTape() as tape:
                tape.watch(total)
                y = total * total * v
            total = total - 0.1 * tape.gradient(y, total)
        else:
            total = total * 0.9
    return total


def in_a_test_of_a_loop(x: Any) -> Any:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cube(x)
        return tape.gradient(y, x)

    steps = 0
    while slope(x) > 0.1:
        x = x * 0.7
        steps += 1
    return x, steps


# Functions in loops


@tf.custom_gradient
def clipped(x: Any) -> Any:
    """The square, whose slope is at most 1."""

    def grad(upstream: Any) -> Any:
        return upstream * tf.minimum(2.0 * x, 1.0)

    return x * x, grad


@tf.custom_gradient
def scaled(x: Any) -> Any:
    def grad(upstream: Any, variables: Any = None) -> Any:
        return upstream * v * 10.0, [upstream * x * 10.0]

    return x * v, grad


def custom_gradients(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(3):
            y = clipped(y) + x if y > 0.3 else scaled(y) * x
    return tape.gradient(y, [x, v], unconnected_gradients="zero")


def custom_gradients_in_each_round(x: Any) -> Any:
    total = x
    for _ in tf.range(3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = clipped(x) * scaled(x)
        total = total + tape.gradient(y, x)
    return total


@tf.recompute_grad
def recomputed(x: Any) -> Any:
    y = x
    for _ in tf.range(2):
        y = tf.sin(y) * x
    return y


def recomputed_in_a_loop(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(3):
            y = recomputed(y) + x
    return tape.gradient(y, x)


@tf.function
def step(x: Any, y: Any) -> Any:
    return tf.sin(x) * y * v if x > 0.0 else x * y


@tf.function
def slope_of_step(x: Any, y: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = step(x, y)
    return tape.gradient(z, x)


def functions_called_in_a_loop(x: Any) -> Any:
    total = tf.identity(x)
    for _ in tf.range(3):
        with tf.GradientTape() as tape:
            tape.watch(total)
            y = step(total, x) * slope_of_step(total, x)
        total = total - 0.1 * tape.gradient(y, total)
    return total


def stopped(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(3):
            y = y * x + tf.stop_gradient(y * y)
    return tape.gradient(y, x)


def weighed_and_unconnected(x: Any) -> Any:
    total, other = x, tf.constant(1.0)
    for _ in tf.range(2):
        with tf.GradientTape() as tape:
            tape.watch([total, other])
            y = total * total
        a, b = tape.gradient(y, [total, other], output_gradients=x, unconnected_gradients="zero")
        total = total - 0.1 * a + b
    return total


def jacobian_of_a_loop(x: Any) -> Any:
    point = tf.stack([x, x * 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, point])
        y = cube(point) * w
    return tape.jacobian(y, [point, w])


def jacobians_in_a_loop(x: Any) -> Any:
    """Newton's method."""
    point = tf.stack([x, x * 2.0])
    for _ in tf.range(3):
        with tf.GradientTape() as tape:
            tape.watch(point)
            y = point * point * w + tf.reverse(point, [0])
        point = point - tf.linalg.matvec(tf.linalg.inv(tape.jacobian(y, point)), y)
    return point


def hessian(x: Any) -> Any:
    point = tf.stack([x, x * 2.0])
    with tf.GradientTape() as outer:
        outer.watch(point)
        with tf.GradientTape() as inner:
            inner.watch(point)
            y = tf.reduce_prod(cube(point)) * v
        slope = inner.gradient(y, point)
    return outer.jacobian(slope, point)


def batch_jacobian_of_a_loop(x: Any) -> Any:
    points = tf.reshape(tf.range(6.0) * x, [3, 2])
    with tf.GradientTape() as tape:
        tape.watch(points)
        y = cube(points) * tf.reverse(points, [1])
    return tape.batch_jacobian(y, points)


PROGRAMS: list[Callable[[Any], Any]] = [
    descent, descent_of_several, reads_around_an_assignment, reads_inside_the_loop,
    an_untrainable_variable, watched_in_the_loop, a_persistent_tape, tapes_in_tapes, not_recorded,
    not_recorded_around_a_loop, a_tape_that_is_reset, in_a_branch_of_a_loop, in_a_test_of_a_loop,
    custom_gradients, custom_gradients_in_each_round, recomputed_in_a_loop,
    functions_called_in_a_loop, stopped, weighed_and_unconnected, jacobian_of_a_loop,
    jacobians_in_a_loop, hessian, batch_jacobian_of_a_loop,
]  # fmt: skip


def flat(result: Any) -> list[Any]:
    return [np.asarray(item) for item in tf.nest.flatten(result)]


@pytest.mark.parametrize("program", PROGRAMS, ids=[p.__name__ for p in PROGRAMS])
@pytest.mark.parametrize("x", [0.4, 1.5])
def test_as_eager_python(program: Callable[[Any], Any], x: float) -> None:
    point, staged = tf.constant(x), tf.function(program)
    variables = [v, w, counter]
    before = flat(variables)
    with tf.config.run_functions_eagerly(True):
        expected = flat(program(point)) + flat(variables)
    for variable, value in zip(variables, before, strict=True):
        variable.assign(value)
    found = flat(staged(point)) + flat(variables)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
