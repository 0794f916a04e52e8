"""What a target did not use in a run is sent nothing, as outside of graphs: where the slope there
is infinite, or a rule fails, no NaN comes of it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf

Function = Callable[..., Any]
DOUBLE = tf.float64


def matrix(x: Any) -> Any:
    return tf.reshape(x, [1, 1])


# Ops, and a point where their slope is no number or where their rule fails.
OPS: dict[str, tuple[Function, float]] = {
    "reciprocal": (lambda x: 1.0 / x, 0.0),
    "divide": (lambda x: x / (x * x), 0.0),
    "log": (tf.math.log, 0.0),
    "log of a negative": (tf.math.log, -1.0),
    "log1p": (tf.math.log1p, -1.0),
    "sqrt": (tf.sqrt, 0.0),
    "rsqrt": (tf.math.rsqrt, 0.0),
    "pow": (lambda x: x**0.5, 0.0),
    "pow of a power": (lambda x: tf.pow(tf.constant(0.0, DOUBLE), x), -1.0),
    "asin": (tf.asin, 1.0),
    "acos": (tf.acos, 1.0),
    "acosh": (tf.acosh, 1.0),
    "atanh": (tf.atanh, 1.0),
    "atan2": (lambda x: tf.atan2(x, x), 0.0),
    "tan": (lambda x: tf.tan(x / x), 0.0),
    "exp": (tf.exp, 1000.0),
    "sinh": (tf.sinh, 1000.0),
    "square of the infinite": (lambda x: tf.square(x), np.inf),
    "product with the infinite": (lambda x: x * tf.constant(np.inf, DOUBLE), 1.0),
    "nan": (lambda x: x * x, np.nan),
    "norm": (lambda x: tf.norm(tf.stack([x, x])), 0.0),
    "euclidean": (lambda x: tf.math.reduce_euclidean_norm(tf.stack([x, x])), 0.0),
    "std": (lambda x: tf.math.reduce_std(tf.stack([x, x])), 0.0),
    "l2_normalize": (lambda x: tf.stack([x, x])[0] / tf.norm(tf.stack([x, x])), 0.0),
    "lgamma": (tf.math.lgamma, 0.0),
    "digamma": (tf.math.digamma, -1.0),
    "xlogy": (lambda x: tf.math.xlogy(x, x), 0.0),
    "reduce_prod": (lambda x: tf.reduce_prod(tf.stack([x, 1.0 / x])), 0.0),
    "cumprod": (lambda x: tf.math.cumprod(tf.stack([x, 1.0 / x]))[1], 0.0),
    "logsumexp": (lambda x: tf.reduce_logsumexp(tf.stack([x, x])), -np.inf),
    "softmax": (lambda x: tf.nn.softmax(tf.stack([x, x]))[0], np.inf),
    "softplus": (lambda x: tf.nn.softplus(x) * x, -np.inf),
    "det": (lambda x: tf.linalg.det(matrix(x)), 0.0),
    "inv": (lambda x: tf.linalg.inv(matrix(x) + 0.0)[0, 0] if x.dtype is None else 1.0 / x, 0.0),
    "slogdet": (lambda x: tf.linalg.slogdet(matrix(x))[1], 0.0),
    "matmul": (lambda x: tf.matmul(matrix(x), matrix(1.0 / x))[0, 0], 0.0),
    "eigh": (lambda x: tf.linalg.eigh(tf.eye(2, dtype=DOUBLE) * x)[1][0, 0], 1.0),
    "svd": (lambda x: tf.linalg.svd(tf.eye(2, dtype=DOUBLE) * x)[1][0, 0], 1.0),
    "complex": (lambda x: tf.abs(tf.complex(x, x)), 0.0),
}  # fmt: skip


# How a value `q` that the op computed may be left unused


def unread_path(op: Function, x: Any, n: Any) -> Any:
    q = op(x)
    return q * x if n > 5 else x * 2.0


def read_by_two_paths(op: Function, x: Any, n: Any) -> Any:
    q = op(x)
    y = x * 3.0
    if n > 5:
        y = y + q
    if n > 6:
        y = y * q
    return y


def read_in_an_inner_path(op: Function, x: Any, n: Any) -> Any:
    q = op(x)
    y = x * 3.0
    if n < 5:
        y = y * 2.0
        if n > 4:
            y = y + q * x
    return y


def read_by_both_paths_of_another(op: Function, x: Any, n: Any) -> Any:
    q = op(x)
    y = x * 3.0
    if n > 5:
        y = y + q if x > 0.0 else q * x
    return y


def no_round(op: Function, x: Any, n: Any) -> Any:
    q = op(x)
    y = x * 2.0
    for _ in tf.range(n - 3):
        y = y + q
    return y


def no_round_that_carries(op: Function, x: Any, n: Any) -> Any:
    q = op(x)
    y = x * 2.0
    while n > 5:
        y, q = y * q, q + x
        n -= 1
    return y


def after_a_break(op: Function, x: Any, n: Any) -> Any:
    q = op(x)
    y = x * 2.0
    for i in tf.range(4):
        if i == n:
            break
        if i > n:
            y = y + q
        y = y * 1.5
    return y


def last_of_a_loop(op: Function, x: Any, n: Any) -> Any:
    """What the last round computes for the next."""
    y, z = x * 2.0, x * 0.0 + 2.0
    for i in tf.range(n):
        y = y + z * x
        if i == n - 1:
            z = op(x)
    return y


def overwritten(op: Function, x: Any, n: Any) -> Any:
    """What a round computes and the next does not read."""
    y = x * 2.0
    for i in tf.range(n):
        z = x * 3.0
        if i < n - 1:
            z = op(x)
        y = z * 0.5
    return y


def unused_result(op: Function, x: Any, n: Any) -> Any:
    @tf.function
    def two(x: Any) -> Any:
        return x * 2.0, op(x)

    return two(x)[0]


def result_unread_on_a_path(op: Function, x: Any, n: Any) -> Any:
    @tf.function
    def two(x: Any) -> Any:
        return x * 2.0, op(x)

    y, q = two(x)
    return y * q if n > 5 else y


def argument_unread(op: Function, x: Any, n: Any) -> Any:
    @tf.function
    def choice(x: Any, q: Any, n: Any) -> Any:
        return q * 2.0 if n > 5 else x * 2.0

    return choice(x, op(x), n)


def through_recursion(op: Function, x: Any, n: Any) -> Any:
    @tf.function
    def down(x: Any, q: Any, n: Any) -> Any:
        if n <= 0:
            return x * 2.0
        if n > 5:
            return q
        return down(x * 1.5, q * x, n - 1)

    return down(x, op(x), n)


def through_recursion_of_pairs(op: Function, x: Any, n: Any) -> Any:
    @tf.function
    def down(x: Any, q: Any, n: Any) -> Any:
        if n <= 0:
            return x * 2.0, q * 3.0
        x, q = down(x * 1.5, q * x, n - 1)
        return x, q * x

    return down(x, op(x), n)[0]


def chain(op: Function, x: Any, n: Any) -> Any:
    """Several ops behind each other, none of which is used."""
    q = tf.sin(op(x)) * x
    q = tf.stack([q, op(q * 0.0 + x)])
    return tf.reduce_sum(q) if n > 5 else x * 2.0


def unwritten_item(op: Function, x: Any, n: Any) -> Any:
    items = tf.TensorArray(DOUBLE, 3, clear_after_read=False)
    items = items.write(0, op(x)).write(1, x * 2.0)
    return items.read(1) if n < 5 else items.read(0)


WAYS = [
    unread_path, read_by_two_paths, read_in_an_inner_path, read_by_both_paths_of_another, no_round,
    no_round_that_carries, after_a_break, last_of_a_loop, overwritten, unused_result,
    result_unread_on_a_path, argument_unread, through_recursion, through_recursion_of_pairs, chain,
    unwritten_item,
]  # fmt: skip


def slope(function: Function) -> Function:
    def gradient(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, n)
        return tape.gradient(y, x)

    return gradient


def slope_of_slope(function: Function) -> Function:
    def gradient(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = slope(function)(x, n) * x
        return tape.gradient(y, x)

    return gradient


def rows(function: Function) -> Function:
    def jacobian(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.stack([function(x, n), x * x])
        return tape.jacobian(y, x)

    return jacobian


FEW = ["reciprocal", "det"]
CASES = [(name, way) for name in FEW for way in WAYS] + [
    (name, read_by_two_paths) for name in OPS if name not in FEW
]


@pytest.mark.parametrize(("name", "way"), CASES)
def test_nothing_is_sent(name: str, way: Function) -> None:
    op, point = OPS[name]
    x, n = tf.constant(point, DOUBLE), tf.constant(3)

    def function(x: Any, n: Any) -> Any:
        return way(op, x, n)

    with tf.config.run_functions_eagerly(True):
        expected = slope(function)(x, n)
    staged = tf.function(function)
    for made in (slope(staged), tf.function(slope(function)), tf.function(slope(staged))):
        np.testing.assert_allclose(made(x, n), expected)


@pytest.mark.parametrize("of", [slope_of_slope, rows])
@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_sent_twice_or_to_rows(way: Function, of: Function) -> None:
    op, point = OPS["reciprocal"]
    x, n = tf.constant(point, DOUBLE), tf.constant(3)

    def function(x: Any, n: Any) -> Any:
        return way(op, x, n)

    with tf.config.run_functions_eagerly(True):
        expected = of(function)(x, n)
    staged = tf.function(function)
    for made in (of(staged), tf.function(of(function)), tf.function(of(staged))):
        np.testing.assert_allclose(made(x, n), expected)
