"""`set_shape` of symbols: what is known from there on, and what the run checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runtime as tf

ONES = tf.ones([2, 2])


def staged(body: Any) -> Any:
    return tf.function(body, input_signature=[tf.TensorSpec([None, None])])


def used(x):
    x.set_shape([None, 2])
    return tf.ones([x.shape[-1], 3]), x @ tf.ones([x.shape[-1], 3])


def never_used(x):
    x.set_shape([None, 2])
    return tf.ones([x.shape[-1], 3])


def of_an_intermediate(x):
    y = x * 2.0
    y.set_shape([2, None])
    y.set_shape([None, 2])
    return y * tf.ones(y.shape)


def in_a_branch(x):
    if tf.shape(x)[0] > 1:
        x.set_shape([2, None])
        y = tf.ones([x.shape[0]])
    else:
        y = tf.zeros([2])
    return y + tf.reduce_sum(x)


def in_a_loop(x):
    total = tf.zeros([2])
    for row in x:
        row.set_shape([2])
        x.set_shape([None, 2])
        total = total + row * tf.ones([x.shape[-1]])
    return total


def in_a_function(x):
    def doubled(row):
        row.set_shape([2])
        return row * tf.ones([row.shape[0]])

    return tf.map_fn(doubled, x)


def unpacked(x):
    x.set_shape([None, 2])
    a, b = tf.unstack(x, axis=1)
    return a + b


def gradient_of_what_it_was(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        x.set_shape([None, 2])
        z = y * x
    return tape.gradient(z, x)


def gradient_through_a_loop(x):
    x.set_shape([None, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.zeros([2])
        for _ in tf.range(2):
            total = total + tf.reduce_sum(x * x, 0)
        if x[0, 0] > 0.0:
            x.set_shape([2, None])
            total = total + tf.reduce_sum(x * tf.ones(x.shape))
    return tape.gradient(total, x)


def jacobian(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        x.set_shape([2, 2])
        z = y + x
    return tape.jacobian(z, x)


@pytest.mark.parametrize(
    "body",
    [
        used, never_used, of_an_intermediate, in_a_branch, in_a_loop, in_a_function, unpacked,
        gradient_of_what_it_was, gradient_through_a_loop, jacobian,
    ],
)  # fmt: skip
def test_more_is_known_from_there_on(body: Any) -> None:
    for found, expected in zip(
        tf.nest.flatten(staged(body)(ONES)), tf.nest.flatten(body(ONES)), strict=True
    ):
        np.testing.assert_allclose(found, expected)


def test_the_gradient_of_a_call() -> None:
    def body(x):
        y = x * 3.0
        x.set_shape([2, 2])
        return tf.reduce_sum(y + x * tf.ones(x.shape))

    with tf.GradientTape() as tape:
        tape.watch(ONES)
        y = staged(body)(ONES)
    assert tape.gradient(y, ONES).numpy().tolist() == [[4.0, 4.0], [4.0, 4.0]]


@pytest.mark.parametrize("body", [used, never_used, in_a_loop, gradient_of_what_it_was])
def test_the_run_checks_it(body: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="not compatible"):
        staged(body)(tf.ones([2, 3]))


def test_a_branch_that_is_not_taken_checks_nothing() -> None:
    assert staged(in_a_branch)(tf.ones([1, 2])).numpy().tolist() == [2.0, 2.0]


def test_what_is_known_in_a_branch_ends_with_it() -> None:
    shapes = []

    @staged
    def body(x):
        if x[0, 0] > 0.0:
            x.set_shape([2, None])
        shapes.append(x.shape.as_list())
        x.set_shape(None)
        return x

    body(ONES)
    assert shapes == [[None, None]]


def test_a_contradiction() -> None:
    @staged
    def body(x):
        y = x @ tf.ones([2, 2])
        y.set_shape([None, 3])

    with pytest.raises(ValueError, match=r"cannot be given the shape \(None, 3\).* \(None, 2\)"):
        body.get_concrete_function()


def test_a_symbol_of_another_function() -> None:
    @staged
    def body(x):
        @tf.function
        def inner():
            x.set_shape([2, 2])

        inner()

    with pytest.raises(ValueError, match=r"test_set_shape.py:\d+:\d+: the shape of 'x' is set in"):
        body(ONES)


@pytest.mark.parametrize(
    ("shape", "kind", "message"),
    [
        (-1, ValueError, "-1.* must be >= 0"),
        ([2, -3], ValueError, "-3.* must be >= 0"),
        ("abc", TypeError, "'abc'.* must be an integer or None"),
        (2.5, TypeError, "2.5.* sequence of integers"),
        ([2, 2, 2], ValueError, r"cannot be given the shape \(2, 2, 2\)"),
    ],
)
def test_what_is_no_shape_of_it(shape: Any, kind: type[Exception], message: str) -> None:
    @staged
    def body(x):
        x.set_shape(shape)

    with pytest.raises(kind, match=rf"test_set_shape.py:\d+:\d+: .*{message}"):
        body(ONES)
