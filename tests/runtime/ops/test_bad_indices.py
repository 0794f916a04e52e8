"""Indices out of bounds: refused, or passed over where the caller asks for it."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import runtime as tf
from runtime import errors

TABLE = np.arange(12.0).reshape(3, 4)
GATHERED = [
    (TABLE, [[0], [3], [-1], [2]], 0, [TABLE[0], np.zeros(4), np.zeros(4), TABLE[2]]),
    (TABLE, [[0, 1], [0, 4], [3, 0], [2, 3]], 0, [1, 0, 0, 11]),
    (TABLE, [[[0, 1], [0, -1]]], 0, [[1, 0]]),
    (TABLE, [[1], [9], [3]], 1, [1, 0, 11]),
    (TABLE, [7, 0], 0, 0),
    (TABLE[:0], [[0, 0], [1, 1]], 0, [0, 0]),
    (TABLE, np.zeros([0, 2], np.int32), 0, np.zeros(0)),
    (TABLE, np.zeros([2, 0], np.int32), 0, [TABLE, TABLE]),
]


@pytest.mark.parametrize(("x", "indices", "batch_dims", "wanted"), GATHERED)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_gather_nd(x: Any, indices: Any, batch_dims: int, wanted: Any, dtype: Any) -> None:
    def gathered(x: Any, indices: Any) -> Any:
        return tf.gather_nd(x, indices, batch_dims, bad_indices_policy="IGNORE")

    signature = [tf.TensorSpec([None, None], tf.float64), tf.TensorSpec(None, dtype)]
    places = np.array(indices, dtype)
    for way in (gathered, tf.function(gathered)):
        assert_array_equal(way(tf.constant(x), tf.constant(places)), wanted)
    if not batch_dims:
        staged = tf.function(gathered, input_signature=signature)
        assert_array_equal(staged(x, places), wanted)


def test_gradients_pass_bad_indices_over() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        taken = tf.gather_nd(x, [[0], [7], [0]], bad_indices_policy="IGNORE")
        put = tf.scatter_nd([[0], [7], [0]], x, [4], bad_indices_policy="IGNORE")
    assert put.numpy().tolist() == [4, 0, 0, 0]
    slices = tape.gradient(taken, x, [1.0, 2.0, 4.0])
    assert tf.convert_to_tensor(slices).numpy().tolist() == [5, 0, 0]
    assert tape.gradient(put, x, [1.0, 2.0, 4.0, 8.0]).numpy().tolist() == [1, 0, 1]


def test_scatter_nd_of_one_index() -> None:
    for index, wanted in (([1], [[0, 0], [3, 4]]), ([2], [[0, 0], [0, 0]])):
        made = tf.scatter_nd(index, [3, 4], [2, 2], bad_indices_policy="IGNORE")
        assert made.numpy().tolist() == wanted


def test_strings() -> None:
    taken = tf.gather_nd(["a", "b"], [[0], [5]], bad_indices_policy="IGNORE")
    assert taken.numpy().tolist() == [b"a", b""]
    put = tf.scatter_nd([[2], [0], [2]], ["a", "b", "c"], [4])
    assert put.numpy().tolist() == [b"b", b"", b"ac", b""]
    rows = tf.function(lambda i: tf.scatter_nd(i, [["a", "b"]], [2, 2]))(tf.constant([[1]]))
    assert rows.numpy().tolist() == [[b"", b""], [b"a", b"b"]]


@pytest.mark.parametrize("policy", ["", "DEFAULT", "ERROR"])
def test_other_policies_refuse(policy: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="not in"):
        tf.gather_nd(TABLE, [[9]], bad_indices_policy=policy)
    with pytest.raises(errors.InvalidArgumentError, match="not in"):
        tf.scatter_nd([[9]], [1.0], [4], bad_indices_policy=policy)


def test_a_policy_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="bad_indices_policy"):
        tf.gather_nd(TABLE, [[0]], bad_indices_policy="CLIP")
    with pytest.raises(ValueError, match="bad_indices_policy"):
        tf.scatter_nd([[0]], [1.0], [4], bad_indices_policy="CLIP")


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_in_top_k(dtype: Any) -> None:
    rows = [[1.0, 2.0, 3.0]] * 5 + [[np.inf, 2.0, 3.0], [np.nan, 2.0, 3.0], [4.0, 4.0, 1.0]]
    targets = tf.constant([0, 1, 2, 3, -1, 2, 2, 1], dtype)
    for k, wanted in ((1, [0, 0, 1, 0, 0, 0, 0, 1]), (2, [0, 1, 1, 0, 0, 0, 0, 1]), (0, [0] * 8)):
        found = tf.math.in_top_k(targets, rows, tf.constant(k, dtype))
        assert found.numpy().tolist() == [bool(x) for x in wanted]
    assert tf.math.in_top_k([0, 0], tf.zeros([2, 0]), 1).numpy().tolist() == [False, False]
