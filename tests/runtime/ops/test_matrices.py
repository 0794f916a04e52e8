"""Matrices that LAPACK refuses or is not written for."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import runtime as tf
from runtime import errors

GOOD = np.array([[4.0, 1.0], [1.0, 3.0]])
BAD = [np.ones((2, 2)), np.zeros((2, 2)), -GOOD, np.array([[1.0, 2.0], [2.0, 1.0]])]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("bad", BAD)
def test_cholesky_of_what_is_not_positive_definite_is_nan(bad: Any, dtype: Any) -> None:
    both = np.stack([GOOD, bad, GOOD]).astype(dtype)
    for way in (tf.linalg.cholesky, tf.function(tf.linalg.cholesky)):
        factors = way(both).numpy()
        assert factors.dtype == dtype
        assert_array_equal(factors[0], np.linalg.cholesky(GOOD.astype(dtype)))
        assert_array_equal(factors[2], factors[0])
        assert_array_equal(np.isnan(factors[1]), np.tri(2, dtype=bool))
        assert factors[1, 0, 1] == 0
        assert np.isnan(way(bad.astype(dtype)).numpy()[1, 0])


def test_its_gradient_and_log_determinant_are_nan() -> None:
    x = tf.constant(np.stack([GOOD, BAD[0]]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.logdet(x)
    gradient = tape.gradient(y, x).numpy()
    assert_allclose(y[0], np.log(11))
    assert np.isnan(y[1])
    assert_allclose(gradient[0], np.linalg.inv(GOOD))
    assert np.isnan(gradient[1]).all()


def test_cholesky_of_what_is_no_square_is_refused() -> None:
    for shape in ([2, 3], [2, 2, 3], [2]):
        with pytest.raises(errors.InvalidArgumentError):
            tf.linalg.cholesky(tf.zeros(shape))
    assert tf.linalg.cholesky(tf.zeros([0, 2, 2])).shape == (0, 2, 2)
    assert tf.linalg.cholesky(tf.zeros([2, 0, 0])).shape == (2, 0, 0)


def test_least_squares_of_dependent_rows_is_refused() -> None:
    matrix, rhs = [[1.0, 1.0, 2.0], [1.0, 1.0, 2.0]], [[1.0], [2.0]]
    with pytest.raises(errors.InvalidArgumentError, match="rank deficient"):
        tf.linalg.lstsq(matrix, rhs)
    assert np.isfinite(tf.linalg.lstsq(matrix, rhs, l2_regularizer=0.1).numpy()).all()


@pytest.mark.parametrize("regularizer", [0.0, 0.5])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3), (2, 4, 2), (2, 2, 3)])
@pytest.mark.parametrize("is_rank_known", [True, False])
def test_least_squares_of_sizes_of_the_run(
    regularizer: float, dtype: Any, shape: tuple[int, ...], is_rank_known: bool
) -> None:
    random = np.random.default_rng(0)
    matrix = random.normal(size=shape).astype(dtype)
    if dtype is np.complex128:
        matrix += 1j * random.normal(size=shape)
    rhs = matrix[..., :1] + 1.0

    def solved(a: Any, b: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(a)
            x = tf.linalg.lstsq(a, b, l2_regularizer=regularizer)
            size = tf.reduce_sum(tf.math.real(x * tf.math.conj(x)))
        return x, tape.gradient(size, a)

    spec = tf.TensorSpec((None,) * len(shape) if is_rank_known else None, dtype)
    staged = tf.function(solved, input_signature=[spec, spec])
    for made, expected in zip(staged(matrix, rhs), solved(tf.constant(matrix), rhs), strict=True):
        np.testing.assert_allclose(made, expected, rtol=1e-7, atol=1e-9)
    if not regularizer:
        by_numpy = np.linalg.pinv(matrix) @ rhs
        np.testing.assert_allclose(staged(matrix, rhs)[0], by_numpy, rtol=1e-7, atol=1e-9)


def test_inverse_and_qr_of_float16() -> None:
    x = np.array([[2.0, 1.0], [1.0, 3.0]], np.float16)
    for way in (tf.linalg.inv, tf.function(tf.linalg.inv)):
        made = way(tf.constant(x))
        assert made.dtype == tf.float16
        assert_array_equal(made, np.linalg.inv(x.astype("f")).astype(np.float16))
    assert tf.linalg.inv(tf.zeros([0, 0], tf.float16)).shape == (0, 0)
    with pytest.raises(errors.InvalidArgumentError, match="not invertible"):
        tf.linalg.inv(tf.zeros([2, 2], tf.float16))
    q, r = tf.linalg.qr(tf.constant(x))
    assert q.dtype == r.dtype == tf.float16
    assert_allclose(tf.matmul(q, r), x, rtol=2e-3)
