"""Gradients of gathered rows: IndexedSlices, as in TensorFlow 2.21, against dense ones."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf

TABLE = np.arange(8.0).reshape(4, 2)
PLACES = [1, 3, 1]


def read_in_a_loop(table: Any) -> Any:
    rows = tf.gather(table, PLACES)
    total = tf.zeros([2], tf.float64)
    for at in tf.range(3):
        total = total + rows[at] ** 2.0
    return total


ROWS: dict[str, Callable[[Any], Any]] = {
    "gather": lambda v: tf.gather(v, PLACES),
    "matrix": lambda v: tf.gather(v, [[1, 0], [2, 2]]) ** 2.0,
    "one": lambda v: tf.gather(v, 1),
    "long": lambda v: tf.gather(v, tf.constant(PLACES, tf.int64)),
    "none": lambda v: tf.gather(v, tf.zeros([0], tf.int32)),
    "twice": lambda v: tf.gather(v, PLACES) ** 2.0 + tf.gather(v, [0, 0, 0]),
    "identity": lambda v: tf.gather(tf.identity(v), PLACES),
    "cast": lambda v: tf.gather(tf.cast(v, tf.float32), PLACES),
    "negative": lambda v: tf.gather(-v, PLACES) ** 2.0,
    "embedding": lambda v: tf.nn.embedding_lookup(v, PLACES) ** 2.0,
    "gather_nd": lambda v: tf.gather_nd(v, [[1], [2], [1]]) ** 2.0,
    "in a function": lambda v: tf.function(lambda w: tf.gather(w, PLACES) ** 2.0)(v),
    "in both branches": tf.function(
        lambda v: tf.cond(
            tf.reduce_sum(v) > 0,
            lambda: tf.gather(v, PLACES) ** 2.0,
            lambda: tf.gather(v, tf.constant([0, 0, 0], tf.int64)),
        )
    ),
    "in one branch": tf.function(
        lambda v: tf.cond(
            tf.reduce_sum(v) < 0, lambda: tf.reduce_sum(tf.gather(v, PLACES)), lambda: v[0, 1] * 3.0
        )
    ),
    "read in a loop": tf.function(read_in_a_loop),
}
DENSE: dict[str, Callable[[Any], Any]] = {
    "other axis": lambda v: tf.gather(v, [1, 1], axis=1),
    "from the end": lambda v: tf.gather(v, PLACES, axis=-2),
    "batch": lambda v: tf.gather(v, [[0], [1], [0], [1]], batch_dims=1),
    "product": lambda v: tf.gather(v * 2.0, PLACES),
    "more": lambda v: tf.reduce_sum(tf.gather(v, PLACES)) + tf.reduce_sum(v * v),
    "item": lambda v: v[1],
    "mask": lambda v: tf.boolean_mask(v, [True, False, True, False]),
    "repeat": lambda v: tf.repeat(v, [2, 0, 1, 1], axis=0),
    "elements": lambda v: tf.gather_nd(v, [[1, 0], [2, 1]]),
}


def gradient(function: Callable[[Any], Any], source: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(source)
        y = function(source)
    return tape.gradient(y, source)


def numeric(function: Callable[[Any], Any]) -> Any:
    """By differences, in float64."""
    made = np.zeros_like(TABLE)
    for place in np.ndindex(*TABLE.shape):
        step = np.zeros_like(TABLE)
        step[place] = 1e-3
        up, down = (np.sum(function(tf.constant(TABLE + s)).numpy()) for s in (step, -step))
        made[place] = (up - down) / 2e-3
    return made


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
@pytest.mark.parametrize("name", ROWS)
def test_slices(name: str, make: Callable[..., Any]) -> None:
    found = gradient(ROWS[name], make(TABLE))
    assert type(found) is tf.IndexedSlices
    assert found.shape == (4, 2)
    assert found.values.shape[0] == found.indices.shape[0]
    wanted = numeric(ROWS[name])
    np.testing.assert_allclose(tf.convert_to_tensor(found).numpy(), wanted, atol=2e-3)


@pytest.mark.parametrize("name", ROWS)
def test_slices_in_a_graph(name: str) -> None:
    v = tf.Variable(TABLE)
    kinds = []

    @tf.function(autograph=False)
    def staged() -> Any:
        found = gradient(ROWS[name], v)
        kinds.append(type(found))
        return found

    found = staged()
    assert kinds[0] is tf.IndexedSlices
    np.testing.assert_allclose(tf.convert_to_tensor(found).numpy(), numeric(ROWS[name]), atol=2e-3)


@pytest.mark.parametrize("name", DENSE)
def test_dense(name: str) -> None:
    v = tf.Variable(TABLE)
    for run in (gradient, tf.function(gradient, autograph=False)):
        found = run(DENSE[name], v)
        assert isinstance(found, tf.Tensor)
        np.testing.assert_allclose(found.numpy(), numeric(DENSE[name]), atol=1e-6)


def test_each_slice_stays_by_itself() -> None:
    v = tf.Variable(TABLE)
    found = gradient(lambda w: tf.gather(w, PLACES) + 2.0 * tf.gather(w, [0, 0, 0]), v)
    assert found.indices.numpy().tolist() == [1, 3, 1, 0, 0, 0]
    assert found.values.numpy().tolist() == [[1.0, 1.0]] * 3 + [[2.0, 2.0]] * 3
    assert found.dense_shape.numpy().tolist() == [4, 2]


def test_gradients_of_gradients_through_slices() -> None:
    v = tf.Variable(TABLE)
    with tf.GradientTape() as outer:
        slope = tf.convert_to_tensor(gradient(lambda w: tf.gather(w, PLACES) ** 3.0, v))
    found = tf.convert_to_tensor(outer.gradient(slope, v))
    wanted = np.zeros_like(TABLE)
    np.add.at(wanted, PLACES, 6 * TABLE[PLACES])
    np.testing.assert_allclose(found.numpy(), wanted)


def test_a_function_that_is_called_in_a_function() -> None:
    v = tf.Variable(TABLE)

    @tf.function
    def inner(places: Any) -> Any:
        return tf.reduce_sum(tf.gather(v, places) ** 2.0)

    @tf.function
    def outer(places: Any) -> Any:
        with tf.GradientTape() as tape:
            y = inner(places) + inner(places + 1)
        return tape.gradient(y, v)

    found = outer(tf.constant([1, 1]))
    assert type(found) is tf.IndexedSlices
    assert sorted(found.indices.numpy().tolist()) == [1, 1, 2, 2]
    wanted = np.zeros_like(TABLE)
    np.add.at(wanted, [1, 1, 2, 2], 2 * TABLE[[1, 1, 2, 2]])
    np.testing.assert_allclose(tf.convert_to_tensor(found).numpy(), wanted)


def test_jacobians_and_forward_gradients_are_dense() -> None:
    x = tf.constant(TABLE)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [1])
    assert tape.jacobian(y, x).numpy().sum() == 2.0
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = tf.gather(x, PLACES) * 2.0
    assert accumulator.jvp(y).numpy().tolist() == [[2.0, 2.0]] * 3
