"""Clipping of values and norms, against NumPy."""

from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime import errors
from runtime.ops.clip import clip_by_average_norm

RNG = np.random.default_rng(1)
X = RNG.standard_normal((3, 4))
ROWS = np.linspace(-1, 0, 3)[:, None]


@pytest.mark.parametrize(("low", "high"), [(-0.5, 0.5), (ROWS, 0.5), (-0.5, -ROWS), (0.5, -0.5)])
def test_clip_by_value(low: Any, high: Any) -> None:
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        made = tf.clip_by_value(x, low, high)
    assert np.array_equal(made.numpy(), np.maximum(np.minimum(X, high), low))
    inside = (low <= X) & (high >= X)
    assert np.array_equal(tape.gradient(made, x).numpy(), inside)


def test_clip_by_value_keeps_integers_and_nan() -> None:
    assert tf.clip_by_value([1, 5, 9], 2, 6).numpy().tolist() == [2, 5, 6]
    assert np.isnan(tf.clip_by_value(float("nan"), 0.0, 1.0).numpy())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("arrays", [False, True])
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 0.0), (-0.0, 1.0), (-1.0, -0.0)])
def test_clip_by_value_keeps_the_sign_of_zeros(
    low: float, high: float, arrays: bool, dtype: str
) -> None:
    zeros = tf.cast([0.0, -0.0] * 40, dtype)
    bounds = [tf.cast([bound] * 80 if arrays else bound, dtype) for bound in (low, high)]
    made = tf.clip_by_value(zeros, *bounds).numpy().astype(float)
    assert np.signbit(made).tolist() == [False, True] * 40


@pytest.mark.parametrize("axes", [None, 0, [1], [0, 1], -1])
@pytest.mark.parametrize("limit", [0.5, 2.0, 100.0])
def test_clip_by_norm(axes: Any, limit: float) -> None:
    along = tuple(axes) if isinstance(axes, list) else axes
    norm = np.sqrt(np.sum(X * X, axis=along, keepdims=True))
    made = tf.clip_by_norm(X, limit, axes).numpy()
    np.testing.assert_allclose(made, X * np.minimum(1, limit / norm))


def test_norms_of_zero_do_no_harm() -> None:
    x = tf.zeros((2, 2))
    with tf.GradientTape() as tape:
        tape.watch(x)
        made = tf.clip_by_norm(x, 1.0)
    assert not made.numpy().any()
    assert np.array_equal(tape.gradient(made, x).numpy(), np.ones((2, 2)))
    assert tf.clip_by_norm([3.0, 4.0], 0.0).numpy().tolist() == [0, 0]
    assert tf.clip_by_norm([3.0, 4.0], -1.0).numpy().tolist() == [0, 0]


def test_clip_by_average_norm() -> None:
    np.testing.assert_allclose(clip_by_average_norm([3.0, 4.0], 1.0).numpy(), [1.2, 1.6])


@pytest.mark.parametrize("limit", [0.5, 100.0])
def test_clip_by_global_norm(limit: float) -> None:
    tensors = [X, X[0] * 2, None]
    norm = np.sqrt(np.sum(X * X) + np.sum(X[0] ** 2) * 4)
    clipped, found = tf.clip_by_global_norm(tensors, limit)
    np.testing.assert_allclose(found.numpy(), norm)
    np.testing.assert_allclose(tf.linalg.global_norm(tensors).numpy(), norm)
    scale = min(1, limit / norm)
    np.testing.assert_allclose(clipped[0].numpy(), X * scale)
    np.testing.assert_allclose(clipped[1].numpy(), X[0] * 2 * scale)
    assert clipped[2] is None
    halved, _ = tf.clip_by_global_norm([X], 1.0, use_norm=tf.constant(2.0, tf.float64))
    np.testing.assert_allclose(halved[0].numpy(), X / 2)


def test_global_norms_at_the_edge() -> None:
    assert tf.linalg.global_norm([]).numpy() == 0
    assert tf.clip_by_global_norm([None], 1.0)[0] == [None]
    clipped, norm = tf.clip_by_global_norm([[float("inf"), 1.0]], 1.0)
    assert np.isinf(norm.numpy())
    assert np.isnan(clipped[0].numpy()).all()


INVALID = errors.InvalidArgumentError
BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda: tf.clip_by_value(X[:1], np.zeros(4), np.ones((2, 1))), INVALID, "bounds"),
    (lambda: tf.clip_by_value([1, 2], 0.5, 1), TypeError, "0.5"),
    (lambda: tf.clip_by_norm([3, 4], 1), INVALID, "int32"),
    (lambda: tf.clip_by_norm(X[0], np.ones((2, 1))), ValueError, "clip_norm"),
    (lambda: tf.clip_by_global_norm(tf.constant(X), 1.0), TypeError, "sequence"),
    (lambda: tf.linalg.global_norm(5.0), TypeError, "sequence"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_arguments_are_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
