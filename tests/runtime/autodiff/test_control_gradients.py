"""Gradients through staged control flow, of first and second order, with the tape outside of the
function and inside of it: against the same Python run eagerly, and against finite differences.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf
from autograph import StagingError

v = tf.Variable(2.0, dtype=tf.float64)
DOUBLE = tf.float64


def branch(x: Any) -> Any:
    y = -x * x
    if x > 0.0:
        y = tf.sin(x) * x * v
    return y


def branch_in_branch(x: Any) -> Any:
    y = x * v
    if x > 0.0:
        z = tf.exp(x)
        y = z * z + x if x < 1.0 else tf.sin(z) * v
    return y * x


def for_over_range(x: Any) -> Any:
    y = x
    for i in tf.range(3):
        y = y * x + tf.sin(y) * v * tf.cast(i, DOUBLE)
    return y


def for_over_tensor(x: Any) -> Any:
    y = x
    for row in tf.stack([x, x * 2.0, x * x]):
        y = y * row + x
    return y


def nested_while(x: Any) -> Any:
    y, i = x, 0
    while tf.constant(i) < 3:
        j = 0
        while tf.constant(j) < i:
            y = y * x + 0.1 * y * v
            j += 1
        y = tf.sin(y)
        i += 1
    return y * x


def while_with_break(x: Any) -> Any:
    y = x
    for _ in tf.range(10):
        y = y * x * 1.5 + v
        if y > 20.0:
            break
    return y


def if_in_loop(x: Any) -> Any:
    y = x
    for _ in tf.range(4):
        y = tf.sin(y) * x if y > 1.0 else y * y + x * 2.0
    return y


def python_numbers(x: Any) -> Any:
    rate, y = 0.5, x
    for _ in tf.range(3):
        y = y * x * rate + tf.sin(y)
        rate = rate * 0.5
    return y


def growing_shapes(x: Any) -> Any:
    y = tf.stack([x])
    for _ in tf.range(3):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(y, tf.TensorShape([None]))])
        y = tf.concat([y * x, tf.sin(y)], 0)
    return tf.reduce_sum(y * y)


def swapped_state(x: Any) -> Any:
    a, b = x, x * x
    for _ in tf.range(3):
        a, b = b, a * tf.sin(b)
    return a * b


@tf.function
def callee(x: Any) -> Any:
    return tf.sin(x) * x * v if x > 0.0 else x * x


def calls(x: Any) -> Any:
    y = callee(x) * callee(x * x)
    for _ in tf.range(2):
        y = y + callee(y)
    return y


def handwritten(x: Any) -> Any:
    def chosen() -> Any:
        return tf.cond(x > 0.0, lambda: x * x, lambda: tf.sin(x))

    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x + chosen()), (0, x))
    return y


def written_in_a_loop(x: Any) -> Any:
    array = tf.TensorArray(DOUBLE, 0, dynamic_size=True)
    y = x
    for i in tf.range(4):
        y = tf.sin(y) * x
        array = array.write(i, tf.stack([y, y * y if y > 0.0 else x]))
    return tf.reduce_sum(array.stack() ** 2)


def read_in_a_loop(x: Any) -> Any:
    array = tf.TensorArray(DOUBLE, 3).unstack(tf.stack([x, x * x, x + 1.0]))
    total = x * 0.0
    for i in tf.range(array.size()):
        total += array.read(i) ** 2
    array = array.scatter([0, 2], tf.stack([x * 3.0, total]))
    return tf.reduce_sum(array.gather([2, 0, 2]) ** 2) + array.read(1)


def ragged_pieces(x: Any) -> Any:
    array = tf.TensorArray(DOUBLE, 2, infer_shape=False)
    array = array.write(0, tf.stack([x, x * x])).write(1, tf.stack([x * 2.0]))
    pieces = tf.TensorArray(DOUBLE, 2, infer_shape=False).split(array.concat() ** 2, [1, 2])
    return tf.reduce_sum(pieces.read(1) ** 3)


PROGRAMS = [
    branch, branch_in_branch, for_over_range, for_over_tensor, nested_while, while_with_break,
    if_in_loop, python_numbers, growing_shapes, swapped_state, calls, handwritten,
    written_in_a_loop, read_in_a_loop, ragged_pieces,
]  # fmt: skip
Gradients = Callable[[Any], Any]


def first(function: Any) -> Gradients:
    def gradients(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, [x, v], unconnected_gradients="zero")

    return gradients


def second(function: Any) -> Gradients:
    def gradients(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            slope = tape.gradient(y, x)
        return outer.gradient(slope, [x, v], unconnected_gradients="zero")

    return gradients


def values(grads: Any) -> list[float]:
    return [float(grad) for grad in grads]


@pytest.mark.parametrize("program", PROGRAMS, ids=[p.__name__ for p in PROGRAMS])
@pytest.mark.parametrize("order", [first, second])
def test_gradients(program: Any, order: Any) -> None:
    outside, inside = order(tf.function(program)), tf.function(order(program))
    for point in (0.7, -0.3, 1.4):
        x = tf.constant(point, DOUBLE)
        expected = values(order(program)(x))
        np.testing.assert_allclose(values(outside(x)), expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(values(inside(x)), expected, rtol=1e-9, atol=1e-12)


def slope_of(function: Any) -> Any:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x, unconnected_gradients="zero")

    return slope


@pytest.mark.parametrize("program", PROGRAMS, ids=[p.__name__ for p in PROGRAMS])
def test_third_order_through_functions_in_functions(program: Any) -> None:
    inner = tf.function(slope_of(tf.function(program)))
    x = tf.constant(0.7, DOUBLE)
    expected = float(slope_of(slope_of(slope_of(program)))(x))
    for found in (slope_of(slope_of(inner))(x), slope_of(tf.function(slope_of(inner)))(x)):
        np.testing.assert_allclose(float(found), expected, rtol=1e-8, atol=1e-12)


def test_a_captured_tensor_is_watched() -> None:
    outside = tf.constant(2.0)

    def cubed(x: Any) -> Any:
        y = x
        for _ in tf.range(3):
            y = y * outside
        return y

    def inside(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([outside, x])
            y = cubed(x)
        return [tape.gradient(y, outside), tape.gradient(y, x)]

    assert values(tf.function(inside)(tf.constant(3.0))) == [36.0, 8.0]
    with tf.GradientTape() as tape:
        tape.watch(outside)
        y = tf.function(cubed)(tf.constant(3.0))
    assert float(tape.gradient(y, outside)) == 36.0


def test_jacobians() -> None:
    def powers(x: Any) -> Any:
        y = x
        for _ in tf.range(2):
            y = y * x
        return y

    def inside(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = powers(x)
        return tape.jacobian(y, x)

    x = tf.constant([1.0, 2.0])
    expected = np.diag([3.0, 12.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(powers)(x)
    np.testing.assert_allclose(tape.jacobian(y, x).numpy(), expected)
    np.testing.assert_allclose(tf.function(inside)(x).numpy(), expected)


@pytest.mark.parametrize("program", PROGRAMS, ids=[p.__name__ for p in PROGRAMS])
def test_finite_differences(program: Any) -> None:
    staged, slope = tf.function(program), tf.function(first(program))
    bend = tf.function(second(program))
    x, step = 0.7, 1e-5

    def by_difference(function: Any) -> float:
        ends = (tf.constant(x + side, DOUBLE) for side in (step, -step))
        above, below = (float(function(end)) for end in ends)
        return (above - below) / (2 * step)

    at = tf.constant(x, DOUBLE)
    np.testing.assert_allclose(float(slope(at)[0]), by_difference(staged), rtol=1e-6)
    np.testing.assert_allclose(
        float(bend(at)[0]), by_difference(lambda end: slope(end)[0]), rtol=1e-6
    )


def test_a_graph_changes_only_where_a_gradient_is_asked_for() -> None:
    def traced(function: Any) -> str:
        return str(tf.function(function).get_concrete_function(tf.constant(0.7, DOUBLE)).graph)

    def watched(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = for_over_range(x)
        return y

    assert "list" not in traced(watched)
    assert "list_push" in traced(first(for_over_range))


def test_effects_happen_once() -> None:
    counter = tf.Variable(0.0, trainable=False)

    def counting(x: Any) -> Any:
        y = x
        for _ in tf.range(3):
            counter.assign_add(1.0)
            y = y * x
        return y

    for gradients in (first(tf.function(counting)), tf.function(first(counting))):
        counter.assign(0.0)
        found = values(gradients(tf.constant(2.0, DOUBLE)))
        assert (found[0], float(counter)) == (32.0, 3.0)


def test_a_training_loop_is_one_function() -> None:
    rng = np.random.default_rng(0)
    xs = tf.constant(rng.normal(size=(64, 3)))
    ys = tf.constant(xs.numpy() @ [1.0, -2.0, 0.5])

    def train(weights: Any) -> Any:
        rate, before = 0.1, tf.constant(1e9, DOUBLE)
        for step in tf.range(200):
            with tf.GradientTape() as tape:
                tape.watch(weights)
                loss = tf.constant(0.0, DOUBLE)
                for batch in tf.reshape(tf.range(64), [4, 16]):
                    error = tf.linalg.matvec(tf.gather(xs, batch), weights) - tf.gather(ys, batch)
                    loss += tf.reduce_mean(error * error)
            weights = weights - rate * tape.gradient(loss, weights)
            if step % 50 == 49:
                rate = rate * 0.5
            if before - loss < 1e-9:
                break
            before = loss
        return weights, step

    start = tf.zeros([3], DOUBLE)
    (found, steps), (expected, plain) = tf.function(train)(start), train(start)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-9)
    np.testing.assert_allclose(found.numpy(), [1.0, -2.0, 0.5], atol=1e-3)
    assert int(steps) == int(plain) < 199


@tf.function
def power(x: Any, n: Any) -> Any:
    if n > 0:
        return x * power(x, n - 1)
    return tf.ones_like(x)


def test_recursion() -> None:
    x, n = tf.constant(2.0), tf.constant(3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x, n)
    assert float(tape.gradient(y, x)) == 12.0

    def inside(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = power(x, n)
        return tape.gradient(y, x)

    assert float(tf.function(inside)(x, n)) == 12.0


@tf.function
def by_its_own_gradient(x: Any, n: Any) -> Any:
    if n <= 0:
        return x * x
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = by_its_own_gradient(x, n - 1)
    return tape.gradient(y, x)


def test_a_gradient_of_what_is_being_traced_is_refused() -> None:
    with pytest.raises(StagingError, match="inside of by_its_own_gradient itself") as caught:
        by_its_own_gradient(tf.constant(2.0), tf.constant(1))
    assert caught.value.filename == __file__


def test_recursion_with_tensors_from_around_it() -> None:
    """Captured by two functions, of which the outer one calls itself."""
    outside, other = tf.constant(2.0), tf.Variable(3.0)

    @tf.function
    def scaled(x: Any) -> Any:
        return x * outside * other

    @tf.function
    def down(x: Any, n: Any) -> Any:
        return outside if n <= 0 else scaled(down(x, n - 1)) * x

    def gradients(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, outside])
            y = down(x, n)
        return tape.gradient(y, [x, outside, other])

    x, n = tf.constant(0.5), tf.constant(3)  # y = outside ** 4 * other ** 3 * x ** 3
    expected = [16 * 27 * 3 * 0.25, 4 * 8 * 27 * 0.125, 16 * 27 * 0.125]
    assert values(gradients(x, n)) == expected
    assert values(tf.function(gradients)(x, n)) == expected


def test_a_tensor_that_nested_functions_capture() -> None:
    outside = tf.constant(3.0)
    inner = tf.function(lambda x: x * outside)
    middle = tf.function(lambda x: inner(x) * outside)

    def gradients(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(outside)
            y = tf.function(lambda x: middle(x) * x)(x)
        return tape.gradient(y, outside)

    x = tf.constant(2.0)
    assert float(gradients(x)) == float(tf.function(gradients)(x)) == 24.0


def counting(x: Any, n: Any, flag: Any) -> tuple[Any, Any, Any]:
    """A float, an integer and a truth value that a loop and a branch carry."""
    y = x
    for _ in tf.range(3):
        if flag:
            y = y * x
            n += 1
        flag = tf.logical_not(flag)
    return y * tf.cast(n, DOUBLE), n, flag


def test_integers_and_truth_values_have_no_gradients() -> None:
    def gradients(function: Any) -> Any:
        def found(x: Any, n: Any, flag: Any) -> Any:
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y, m, g = function(x, n, flag)
            ways = [tape.gradient(y, [x, n, flag]), tape.gradient(m, [x]), tape.gradient(g, [x])]
            return [*ways, tape.gradient(y, n, unconnected_gradients="zero")]

        return found

    arguments = tf.constant(2.0, DOUBLE), tf.constant(1), tf.constant(True)
    staged = gradients(tf.function(counting)), tf.function(gradients(counting))
    for way in (gradients(counting), *staged):
        (by_x, by_n, by_flag), *others, zero = way(*arguments)
        assert (float(by_x), by_n, by_flag, others) == (36.0, None, None, [[None], [None]])
        assert (zero.dtype, int(zero)) == (tf.int32, 0)


def test_gradients_of_loops_while_each_op_is_checked() -> None:
    """Op by op, lists are values like others."""
    gradients = tf.function(first(for_over_range))
    expected = values(gradients(tf.constant(0.7, DOUBLE)))
    tf.debugging.enable_check_numerics()
    try:
        assert values(gradients(tf.constant(0.7, DOUBLE))) == expected
    finally:
        tf.debugging.disable_check_numerics()
