"""`jacobian` and `batch_jacobian` against finite differences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf

STEP = 1e-6


def numeric(function: Callable[[Any], Any], x: Any) -> Any:
    """d function / d x with the shape of the result followed by that of x."""
    columns = []
    for index in np.ndindex(*x.shape):
        moved = []
        for sign in (1, -1):
            point = x.copy()
            point[index] += sign * STEP
            moved.append(function(tf.constant(point)).numpy())
        columns.append((moved[0] - moved[1]) / (2 * STEP))
    shape = function(tf.constant(x)).shape
    result = np.stack(columns, -1) if columns else np.zeros((*shape, 0))
    return result.reshape((*shape, *x.shape))


FUNCTIONS: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "elementwise": (lambda x: x * x, (3,)),
    "scalar to scalar": (lambda x: tf.sin(x), ()),
    "vector to scalar": (lambda x: tf.reduce_sum(x * x), (3,)),
    "scalar to vector": (lambda x: tf.stack([x, x * x, tf.exp(x)]), ()),
    "matrix product": (lambda x: tf.matmul(x, x, transpose_b=True), (2, 3)),
    "softmax": (lambda x: tf.nn.softmax(x), (2, 3)),
    "elements": (lambda x: x[0] * x[::-1], (4,)),
    "reshaped": (lambda x: tf.reshape(tf.exp(x), (3, 2)), (2, 3)),
    "nothing in": (lambda x: x * x, (0,)),
}


def sample(shape: tuple[int, ...]) -> Any:
    return np.asarray(np.random.default_rng(0).uniform(-1, 1, shape))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jacobian(name: str) -> None:
    function, shape = FUNCTIONS[name]
    x = sample(shape)
    source = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(source)
        y = function(source)
    found = tape.jacobian(y, source)
    assert found.shape == (*y.shape, *shape)
    np.testing.assert_allclose(found.numpy(), numeric(function, x), rtol=1e-6, atol=1e-8)


def test_jacobian_of_structures_and_variables() -> None:
    v, w, unused = tf.Variable([1.0, 2.0]), tf.Variable(3.0), tf.Variable([[1.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = v * v * w
    found = tape.jacobian(y, {"v": v, "w": [w], "unused": unused})
    assert found["v"].numpy().tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert found["w"][0].numpy().tolist() == [1.0, 4.0]
    assert found["unused"] is None
    zeros = tape.jacobian(y, unused, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert zeros.shape == (2, 1, 1)
    assert not zeros.numpy().any()


def test_jacobian_of_a_jacobian() -> None:
    x = tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        first = inner.jacobian(y, x)
    second = outer.jacobian(first, x).numpy()
    expected = np.zeros((2, 2, 2))
    expected[0, 0, 0], expected[1, 1, 1] = 6.0, 12.0
    assert (second == expected).all()


BATCHED: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "elementwise": (lambda x: x * x, (2, 3)),
    "matrix": (lambda x: tf.matmul(x, x), (2, 3, 3)),
    "to scalars": (lambda x: tf.reduce_sum(x * x, 1), (4, 2)),
    "other size": (lambda x: tf.concat([x, tf.sin(x)], 1), (2, 2)),
}


@pytest.mark.parametrize("name", BATCHED)
def test_batch_jacobian(name: str) -> None:
    function, shape = BATCHED[name]
    x = sample(shape)
    source = tf.constant(x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(source)
        y = function(source)
    full = tape.jacobian(y, source).numpy()
    of_target = tuple(y.shape)
    expected = np.stack(
        [full[i][(slice(None),) * (len(of_target) - 1) + (i,)] for i in range(shape[0])]
    )
    found = tape.batch_jacobian(y, source)
    assert found.shape == (*of_target, *shape[1:])
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12)


def test_batch_jacobian_of_what_is_not_connected() -> None:
    x, y = tf.ones([2, 3]), tf.ones([2, 4])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
    for unconnected in ("none", "zero"):  # TensorFlow knows no None here
        zeros = tape.batch_jacobian(y, x, unconnected_gradients=unconnected)
        assert zeros.shape == (2, 4, 3)
        assert not zeros.numpy().any()


@pytest.mark.parametrize(("target", "source"), [((2, 3), (3, 3)), ((), (2,)), ((2,), ())])
def test_batches_must_match(target: Any, source: Any) -> None:
    with tf.GradientTape() as tape:
        pass
    with pytest.raises(ValueError, match="must have the same size"):
        tape.batch_jacobian(tf.ones(target), tf.ones(source))
