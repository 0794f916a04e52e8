"""Programs like those that documents show: fits, line searches, networks trained by hand."""

from typing import Any

import numpy as np

import runtime as tf


def test_a_line_is_fitted() -> None:
    """The gradient of a mean squared error, checked against the formula at every step."""
    rng = np.random.default_rng(0)
    xs = rng.standard_normal(200).astype(np.float32)
    ys = 3.0 * xs + 2.0 + 0.1 * rng.standard_normal(200).astype(np.float32)
    w, b = tf.Variable(5.0, name="weight"), tf.Variable(10.0, name="bias")
    losses = []
    for _ in range(200):
        with tf.GradientTape() as tape:
            error = xs * w + b - ys
            loss = tf.reduce_mean(tf.square(error))
        dw, db = tape.gradient(loss, [w, b])
        residual = xs * w.numpy() + b.numpy() - ys
        np.testing.assert_allclose(dw.numpy(), 2 * np.mean(residual * xs), rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(db.numpy(), 2 * np.mean(residual), rtol=1e-3, atol=1e-5)
        w.assign_sub(0.05 * dw)
        b.assign_sub(0.05 * db)
        losses.append(float(loss))
    exact = np.polyfit(xs, ys, 1)
    np.testing.assert_allclose([w.numpy(), b.numpy()], exact, atol=1e-3)
    assert losses[-1] < 0.02 < losses[0]


def test_backtracking_line_search() -> None:
    """Control flow of plain Python over tensors, differentiated through."""

    def step(fn: Any, start: Any, rate: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(start)
            value = fn(start)
        slope = tape.gradient(value, start)
        norm, first = tf.reduce_sum(slope * slope), value
        x, halvings = start, 0
        while value > first - rate * norm * 0.5:
            x = start - rate * slope
            value = fn(x)
            rate /= 2.0
            halvings += 1
        return x, value, halvings

    def fn(x: Any) -> Any:
        return tf.reduce_sum(x * x * tf.constant([1.0, 10.0]))

    start = tf.constant([1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(start)
        x, value, halvings = step(fn, start, 1.0)
    rate = 0.5 ** (halvings - 1)
    slope = np.array([2.0, 20.0])
    np.testing.assert_allclose(x.numpy(), 1.0 - rate * slope, rtol=1e-6)
    assert float(value) < 11.0
    # d value / d start = 2 x (1 - rate * (2, 20)) * (1, 10), elementwise
    expected = 2 * x.numpy() * (1 - rate * slope) * np.array([1.0, 10.0])
    np.testing.assert_allclose(tape.gradient(value, start).numpy(), expected, rtol=1e-5)


def test_a_small_network_learns_xor() -> None:
    rng = np.random.default_rng(1)
    x = tf.constant([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = tf.constant([[0.0], [1.0], [1.0], [0.0]])
    weights = [
        tf.Variable(rng.standard_normal(shape).astype(np.float32))
        for shape in ((2, 8), (8,), (8, 1), (1,))
    ]

    def loss() -> Any:
        hidden = tf.tanh(x @ weights[0] + weights[1])
        logits = hidden @ weights[2] + weights[3]
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))

    first = float(loss())
    for _ in range(300):
        with tf.GradientTape() as tape:
            value = loss()
        for variable, slope in zip(weights, tape.gradient(value, weights), strict=True):
            variable.assign_sub(0.5 * slope)
    assert first > 0.5
    assert float(loss()) < 0.05


def test_a_gradient_of_a_gradient_as_a_penalty() -> None:
    """The inner gradient is part of the loss that the outer tape differentiates."""
    w = tf.Variable(2.0)
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = w * x * x
        slope = inner.gradient(y, x)
        penalty = (slope - 1.0) ** 2.0
    # slope = 2 w x, d penalty / d w = 2 (2 w x - 1) 2 x
    assert float(outer.gradient(penalty, w)) == 2 * (12.0 - 1) * 6.0


def test_activation_with_second_derivative() -> None:
    """GELU by its tanh formula, against finite differences of NumPy."""

    def gelu(x: Any, tanh: Any) -> Any:
        return 0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x**3)))

    x = tf.Variable(2.0, dtype=tf.float64)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = gelu(x, tf.tanh)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    step = 1e-4
    points = [gelu(2.0 + i * step, np.tanh) for i in (-1, 0, 1)]
    np.testing.assert_allclose(first.numpy(), (points[2] - points[0]) / (2 * step), rtol=1e-6)
    curvature = (points[2] - 2 * points[1] + points[0]) / step**2
    np.testing.assert_allclose(second.numpy(), curvature, rtol=1e-4)


def test_a_recurrent_network() -> None:
    """One weight used at every step: its contributions are summed."""
    rng = np.random.default_rng(2)
    w = tf.Variable(rng.uniform(-0.5, 0.5, (3, 3)))
    xs = rng.standard_normal((5, 2, 3))

    def run(weight: Any, tanh: Any, zeros: Any) -> Any:
        h = zeros
        for x in xs:
            h = tanh(h @ weight + x)
        return h

    with tf.GradientTape() as tape:
        y = tf.reduce_sum(run(w, tf.tanh, tf.zeros([2, 3], tf.float64)))
    found = tape.gradient(y, w).numpy()
    expected = np.zeros((3, 3))
    for index in np.ndindex(3, 3):
        values = []
        for sign in (1, -1):
            moved = w.numpy()
            moved[index] += sign * 1e-6
            values.append(run(moved, np.tanh, np.zeros((2, 3))).sum())
        expected[index] = (values[0] - values[1]) / 2e-6
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
