"""Dropout and the rarer normalisations."""

from typing import Any

import numpy as np
import pytest

import runtime as tf

RNG = np.random.default_rng(2)
X = RNG.standard_normal((2, 3, 4, 5))


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dropout_keeps_the_mean(rate: float, dtype: str) -> None:
    tf.random.set_seed(1)
    made = tf.nn.dropout(tf.ones(20000, dtype), rate)
    values = made.numpy().astype("f8")
    assert made.dtype == dtype
    np.testing.assert_allclose(np.unique(values), [0, 1 / (1 - rate)], rtol=1e-3)
    assert abs(np.mean(values == 0) - rate) < 0.015


def test_the_gradient_is_dropped_with_the_value() -> None:
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        made = tf.nn.dropout(x, 0.5)
    g = tape.gradient(made, x).numpy()
    np.testing.assert_allclose(made.numpy(), X * g)
    assert set(np.unique(g)) == {0.0, 2.0}


@pytest.mark.parametrize("noise", [[2, 1, 1, 5], [None, 1, 1, None], tf.constant([2, 1, 1, 5])])
def test_noise_shapes_drop_whole_slices(noise: Any) -> None:
    tf.random.set_seed(3)
    kept = tf.nn.dropout(tf.ones(X.shape), 0.5, noise_shape=noise).numpy() > 0
    assert np.array_equal(kept, np.broadcast_to(kept[:, :1, :1], X.shape))
    assert kept.any()
    assert not kept.all()


def test_rates_that_change_nothing_and_rates_of_the_run() -> None:
    x = tf.constant(X)
    assert tf.nn.dropout(x, 0) is x
    same = tf.nn.dropout(x, tf.constant(0.0, tf.float64))
    assert np.array_equal(same.numpy(), X)

    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(())])
    def drop(x: Any, rate: Any) -> Any:
        return tf.nn.dropout(x, rate)

    assert set(np.unique(drop(tf.ones((50, 3)), tf.constant(0.75)).numpy())) == {0.0, 4.0}


def test_seeds() -> None:
    x = tf.ones(100)
    tf.random.set_seed(5)
    first, second = (tf.nn.dropout(x, 0.5, seed=1).numpy() for _ in range(2))
    tf.random.set_seed(5)
    assert np.array_equal(tf.nn.dropout(x, 0.5, seed=1).numpy(), first)
    assert not np.array_equal(first, second)
    stateless = [tf.nn.experimental.stateless_dropout(x, 0.5, [1, n]).numpy() for n in (2, 2, 3)]
    assert np.array_equal(stateless[0], stateless[1])
    assert not np.array_equal(stateless[0], stateless[2])
    drawn = tf.nn.experimental.general_dropout(x, 0.5, lambda shape, dtype: tf.ones(shape, dtype))
    assert np.array_equal(drawn.numpy(), np.full(100, 2.0))


def lrn(x: Any, radius: int, bias: float, alpha: float, beta: float) -> Any:
    made = np.empty_like(x)
    for c in range(x.shape[-1]):
        near = x[..., max(0, c - radius) : c + radius + 1]
        made[..., c] = x[..., c] / (bias + alpha * np.sum(near**2, -1)) ** beta
    return made


@pytest.mark.parametrize(
    ("radius", "bias", "alpha", "beta"), [(0, 1, 1, 0.5), (1, 2, 0.3, 0.7), (9, 1, 1, 1)]
)
def test_local_response_normalization(radius: int, bias: float, alpha: float, beta: float) -> None:
    made = tf.nn.local_response_normalization(X, radius, bias, alpha, beta).numpy()
    np.testing.assert_allclose(made, lrn(X, radius, bias, alpha, beta))


@pytest.mark.parametrize("shift", [None, 1.0])
@pytest.mark.parametrize("keepdims", [False, True])
def test_moments_from_sufficient_statistics(shift: Any, keepdims: bool) -> None:
    statistics = tf.nn.sufficient_statistics(X, [0, 2], shift, keepdims)
    mean, variance = tf.nn.normalize_moments(*statistics)
    assert statistics[0].numpy() == 8
    np.testing.assert_allclose(mean.numpy(), X.mean((0, 2), keepdims=keepdims))
    np.testing.assert_allclose(variance.numpy(), X.var((0, 2), keepdims=keepdims))


def test_batch_norm_with_global_normalization() -> None:
    mean, variance, beta, gamma = RNG.uniform(0.5, 1, (4, 5))
    made = tf.nn.batch_norm_with_global_normalization(X, mean, variance, beta, gamma, 0.1, True)
    np.testing.assert_allclose(made.numpy(), (X - mean) / np.sqrt(variance + 0.1) * gamma + beta)


BAD: list[tuple[Any, str]] = [
    (lambda: tf.nn.dropout(X, 1.0), "range"),
    (lambda: tf.nn.dropout(X, -0.1), "range"),
    (lambda: tf.nn.dropout(X, float("nan")), "range"),
    (lambda: tf.nn.dropout(X, "a"), "rate"),
    (lambda: tf.nn.dropout(X, [0.1, 0.2]), "scalar"),
    (lambda: tf.nn.dropout([1, 2], 0.5), "floating-point"),
    (lambda: tf.nn.dropout(X, 0.5, noise_shape=[None, 1]), "noise_shape"),
    (lambda: tf.nn.dropout(X, 0.5, noise_shape=[2, 3, 2, 5]), "broadcast"),
    (lambda: tf.nn.local_response_normalization(X[0]), "rank 4"),
    (lambda: tf.nn.local_response_normalization(X, -1), "negative"),
]


@pytest.mark.parametrize(("call", "words"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_arguments_are_refused(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
