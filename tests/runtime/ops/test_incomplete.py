"""The incomplete gamma and beta functions: against sums, integrals, TensorFlow's figures."""

import math
from typing import Any

import numpy as np
import pytest

import runtime as tf

pytest.importorskip("scipy")

A = np.array([0.05, 0.5, 1.0, 2.5, 12.0, 80.0, 150.0])
RATIOS = np.array([0.2, 0.7, 1.0, 1.1, 1.5, 4.0])[:, None]


def share(a: float, x: float) -> float:
    """Of the gamma function of `a`, what its integral has up to x: by its power series."""
    term, total, n = 1.0, 1.0, 0
    while term > 1e-17 * total:
        n += 1
        term *= x / (a + n)
        total += term
    return total * math.exp(a * math.log(x) - x - math.lgamma(a + 1))


def shares(a: Any, x: Any) -> Any:
    return np.array([share(*pair) for pair in zip(a.flat, x.flat, strict=True)]).reshape(a.shape)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shares_of_the_gamma_function(dtype: Any) -> None:
    wanted = shares(*np.broadcast_arrays(A, A * RATIOS))
    lower = tf.math.igamma(A.astype(dtype), (A * RATIOS).astype(dtype))
    upper = tf.math.igammac(A.astype(dtype), (A * RATIOS).astype(dtype))
    assert lower.dtype == upper.dtype == dtype
    error = 1e-4 if dtype is np.float32 else 1e-10
    np.testing.assert_allclose(lower, wanted, error, error)
    np.testing.assert_allclose(upper, 1 - wanted, error, error)


@pytest.mark.parametrize("staged", [False, True])
def test_the_slope_of_the_gamma_functions_parameter(staged: bool) -> None:
    """By central differences of the series."""

    def slopes(a: Any, x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(a)
            lower, upper = tf.math.igamma(a, x), tf.math.igammac(a, x)
        return tape.gradient(lower, a), tape.gradient(upper, a)

    a, x = np.broadcast_arrays(A, A * RATIOS)
    step = 1e-5 * a
    wanted = (shares(a + step, x) - shares(a - step, x)) / (2 * step)
    lower, upper = (tf.function(slopes) if staged else slopes)(tf.constant(a), tf.constant(x))
    np.testing.assert_allclose(lower, wanted, 1e-5, 1e-7)
    np.testing.assert_allclose(upper, -wanted, 1e-5, 1e-7)


def test_ends_of_the_gamma_functions() -> None:
    """Figures of TensorFlow 2.21."""
    a, x = tf.constant([1.0, 0.0, 2.0, -1.0, 1.0, -1.0]), [1.0, 0.0, 0.0, 1.0, np.inf, 0.0]
    nan = math.nan
    np.testing.assert_allclose(tf.math.igamma(a, x), [0.6321205, 0, 0, nan, 1, 0], 1e-6)
    np.testing.assert_allclose(tf.math.igammac(a, x), [0.36787945, nan, 1, nan, 0, nan], 1e-6)
    a, x = tf.constant([np.inf, np.inf, np.inf, 2.0]), [np.inf, 1e10, 0.0, np.inf]
    np.testing.assert_equal(tf.math.igamma(a, x).numpy(), [0, 0, 0, 1])
    np.testing.assert_equal(tf.math.igammac(a, x).numpy(), [0, 1, 1, 0])
    b, y = tf.constant([0.5, 2.0, 30.0]), tf.constant([0.7, 3.0, 25.0])
    with tf.GradientTape() as tape:
        tape.watch([b, y])
        z = tf.math.igamma(b, y)
    slopes = tape.gradient(z, [b, y])
    np.testing.assert_allclose(slopes[0], [-0.5313388, -0.19742544, -0.04995479], 1e-5)
    np.testing.assert_allclose(slopes[1], [0.33486515, 0.14936121, 0.05449507], 1e-5)


def binomial(a: int, b: int, x: float) -> float:
    """The share of the beta function of whole numbers, by sums of binomial probabilities."""
    n = a + b - 1
    return sum(math.comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(a, n + 1))


def test_shares_of_the_beta_function() -> None:
    places = [(a, b, x) for a in (1, 2, 9) for b in (1, 3, 20) for x in (0.0, 0.1, 0.5, 0.9, 1.0)]
    a, b, x = np.array(places).T
    wanted = [binomial(*place) for place in places]
    np.testing.assert_allclose(tf.math.betainc(a, b, x), wanted, 1e-10)
    np.testing.assert_allclose(tf.math.betainc(2.0, 3.0, [0.0, 0.5, 1.0]), [0, 0.6875, 1], 1e-6)
    outside = tf.math.betainc([2.0, 2.0, 0.0, 1.0], [3.0, 3.0, 1.0, -1.0], [-1.0, 2.0, 0.5, 0.5])
    assert np.isnan(outside).all()


def test_ends_of_the_beta_function() -> None:
    """Figures of TensorFlow 2.21."""
    nan, inf = math.nan, math.inf
    a = tf.constant([0.5, inf, inf, nan, nan, nan, -1.0, 0.0])
    b = [inf, 2.0, inf, 1.0, nan, 0.5, 1.0, 1.0]
    for x, wanted in (
        (0.0, [0, 0, 0, 0, 0, 0, nan, nan]),
        (0.5, [nan] * 8),
        (1.0, [1, 1, 1, 1, 1, 1, nan, nan]),
    ):
        np.testing.assert_equal(tf.math.betainc(a, b, x).numpy(), wanted)


def test_the_beta_functions_parameters_have_no_gradient() -> None:
    """Figures of TensorFlow 2.21."""
    a, x = tf.constant([0.5, 2.0, 30.0]), tf.constant([0.7, 0.3, 0.25])
    with tf.GradientTape() as tape:
        tape.watch([a, x])
        y = tf.math.betainc(a, a + 1.0, x)
    none, slope = tape.gradient(y, [a, x])
    assert none is None
    np.testing.assert_allclose(slope, [0.41676548, 1.7639999, 0.00219818], 1e-4)


def test_what_does_not_fit_is_refused() -> None:
    for shapes in ((1.0, [1.0], [[0.5]]), ([1.0, 2.0], [[1.0], [2.0]], 0.5)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"the shapes of a, b and x"):
            tf.math.betainc(*shapes)
    half = tf.constant([1.0], tf.float16)
    with pytest.raises(TypeError):
        tf.math.igamma(half, half)
    spec = tf.TensorSpec(None)
    staged = tf.function(tf.math.betainc, input_signature=[spec] * 3)
    assert float(staged(2.0, 2.0, 0.5)) == 0.5
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"the shapes of a, b and x"):
        staged([1.0], [1.0], [[0.5]])
