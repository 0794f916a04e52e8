"""Ops at the edges of their inputs: wide ranges, NaN, infinities, nothing at all, other dtypes.

Expected values are NumPy's, a definition's written out here, or what TensorFlow 2.21 gives; each
call runs eagerly and in a graph, with shapes known and unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import runtime as tf

INF, NAN = np.inf, np.nan


def agrees(found: Any, expected: Any) -> None:
    """Are all results of the dtype, the shape and, but for rounding, the values?"""
    results, wanted = tf.nest.flatten(found), tf.nest.flatten(expected)
    assert len(results) == len(wanted)
    for one, other in zip(results, wanted, strict=True):
        result, value = np.asarray(one), np.asarray(other)
        assert (result.dtype, result.shape) == (value.dtype, value.shape)
        if value.dtype.kind in "fc":
            eps = np.finfo(value.dtype).eps
            assert_allclose(result, value, 16 * eps, 8 * eps)
        else:
            assert_array_equal(result, value)


def check(call: Callable[..., Any], inputs: tuple[Any, ...], expected: Any) -> None:
    given = [tf.constant(x) for x in inputs]
    agrees(call(*given), expected)
    agrees(tf.function(call, autograph=False)(*given), expected)
    unknown = [tf.TensorSpec(None, x.dtype) for x in given]
    agrees(tf.function(call, unknown, autograph=False)(*given), expected)


def gradients(call: Callable[..., Any], *weights: float) -> Callable[..., Any]:
    """The gradients of `call` by all its arguments, its result weighted if numbers are given."""

    def of(*inputs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            result = call(*inputs)
        by = tf.constant(weights, result.dtype) if weights else None
        return tape.gradient(result, inputs, output_gradients=by)

    return of


def f4(*values: Any) -> Any:
    return np.array(values, np.float32)


def logsumexp(x: Any, **how: Any) -> Any:
    return tf.math.cumulative_logsumexp(x, **how)


FLOATS = ("float16", "float32", "float64")
WIDE = [0.0, 50.0, 200.0, 380.0]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("x", "expected", "how"),
    [
        (WIDE, WIDE, {}),
        (WIDE[::-1], WIDE[::-1], {"reverse": True}),
        (WIDE[::-1], [380.0] * 4, {}),
        ([-INF, -INF, 1.0, -INF, 2.0], [-INF, -INF, 1.0, 1.0, np.logaddexp(1, 2)], {}),
        ([1.0, 2.0, 3.0], [-INF, 1.0, np.logaddexp(1, 2)], {"exclusive": True}),
        (WIDE, [-INF, 0.0, 50.0, 200.0], {"exclusive": True}),
        ([-INF, 1.0, 2.0], [np.logaddexp(1, 2), 2.0, -INF], {"exclusive": True, "reverse": True}),
        ([1.0, INF, 3.0, NAN, 2.0], [1.0, INF, INF, NAN, NAN], {}),
        ([1.0, INF, INF, 2.0], [1.0, INF, INF, INF], {}),
        ([], [], {}),
        ([], [], {"exclusive": True}),
    ],
)
def test_running_sums_of_exponentials(dtype: str, x: Any, expected: Any, how: Any) -> None:
    values = np.array(x, dtype)
    check(lambda t: logsumexp(t, **how), (values,), np.array(expected, dtype))
    doubled = np.stack([values, values], 1)
    check(lambda t: logsumexp(t, axis=0, **how), (doubled,), np.array([expected] * 2, dtype).T)


@pytest.mark.parametrize(
    ("x", "weights", "expected", "how"),
    [
        (WIDE, [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], {}),
        (WIDE, [1.0, -2.0, 3.0, 0.0], [1.0, -2.0, 3.0, 0.0], {}),
        # minus infinity has no weight; TensorFlow gives NaN for the first
        ([-INF, 0.0, -INF, 0.0], [1.0, 1.0, 1.0, 1.0], [0.0, 2.5, 0.0, 0.5], {}),
        ([0.0, 0.0, 5.0], [7.0, 1.0, 4.0], [3.0, 2.0, 0.0], {"exclusive": True}),
    ],
)
def test_gradient_of_running_sums(x: Any, weights: Any, expected: Any, how: Any) -> None:
    call = gradients(lambda t: logsumexp(t, **how), *weights)
    check(call, (np.array(x),), (np.array(expected),))

    def twice(t: Any) -> Any:
        return gradients(lambda u: call(u)[0], *weights)(t)

    assert np.isfinite(twice(tf.constant(x, tf.float64))[0]).all()


def test_squared_difference_of_complex_numbers() -> None:
    a, b = np.array([1 + 2j]), np.array([3 - 1j])
    check(tf.math.squared_difference, (a, b), np.abs(a - b) ** 2 + 0j)
    check(gradients(tf.math.squared_difference), (a, b), (2 * (a - b), 2 * (b - a)))


def test_an_argument_that_changes_nothing_has_a_gradient_of_zeros() -> None:
    check(gradients(tf.math.nextafter), (f4(1, 2), f4(2, 1)), (f4(1, 1), f4(0, 0)))
    check(gradients(tf.math.nextafter), (f4(1, 2), np.float32(2)), (f4(1, 1), np.float32(0)))
