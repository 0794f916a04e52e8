"""IndexedSlices: in functions, branches and loops, and what ops make of their values."""

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import runtime as tf

ROWS = np.array([[3.0, 4.0], [0.0, 12.0]])


def slices(values: Any = ROWS, indices: Any = (2, 0), shape: Any = (3, 2)) -> Any:
    dense_shape = None if shape is None else tf.constant(list(shape))
    return tf.IndexedSlices(tf.constant(values), tf.constant(list(indices)), dense_shape)


def dense(found: Any) -> Any:
    assert isinstance(found, tf.IndexedSlices)
    return tf.convert_to_tensor(found).numpy()


DENSE = np.array([[0.0, 12.0], [0.0, 0.0], [3.0, 4.0]])


def test_what_they_are() -> None:
    s, open_ = slices(), slices(shape=None)
    assert (s.shape, s.dtype, s.device) == ((3, 2), tf.float64, tf.constant(1).device)
    assert open_.shape.rank is None
    assert tf.is_tensor(s)
    assert str(s).startswith("IndexedSlices(indices=tf.Tensor([2 0]")
    assert_array_equal(dense(s), DENSE)
    assert_array_equal(dense(slices(ROWS, [1, 1], [2, 2])), [[0, 0], [3, 16]])
    assert_array_equal(dense(pickle.loads(pickle.dumps(s))), DENSE)
    with pytest.raises(AttributeError):
        s.values = s.indices
    with pytest.raises(ValueError, match="dense_shape"):
        tf.convert_to_tensor(open_)


def test_functions_take_and_return_them() -> None:
    @tf.function
    def doubled(s: Any) -> Any:
        return {"twice": tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape), "same": s}

    made = doubled(slices())
    assert_array_equal(dense(made["twice"]), 2 * DENSE)
    assert_array_equal(dense(made["same"]), DENSE)
    made = doubled(slices(ROWS[:1], [1]))
    assert_array_equal(dense(made["twice"]), [[0, 0], [6, 8], [0, 0]])
    assert doubled(slices(shape=None))["same"].dense_shape is None
    assert doubled.experimental_get_tracing_count() == 3
    doubled(slices(-ROWS, [1, 1]))
    assert doubled.experimental_get_tracing_count() == 3


@pytest.mark.parametrize("staged", [False, True])
def test_branches_and_loops(staged: bool) -> None:
    def by_cond(c: Any) -> Any:
        return tf.cond(c, slices, lambda: slices(ROWS[:1], [1]))

    def by_if(c: Any) -> Any:
        s = slices()
        if c:
            s = tf.IndexedSlices(s.values + 1.0, s.indices, s.dense_shape)
        return s

    def by_loop(n: Any) -> Any:
        s = slices()
        for _ in tf.range(n):
            s = tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape)
        return s

    def by_hand(n: Any) -> Any:
        def more(i: Any, s: Any) -> Any:
            return i + 1, tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape)

        return tf.while_loop(lambda i, s: i < n, more, (0, slices()))[1]

    by_cond, by_if, by_loop, by_hand = [
        tf.function(each) if staged else each for each in (by_cond, by_if, by_loop, by_hand)
    ]
    yes, no = tf.constant(True), tf.constant(False)
    assert_array_equal(dense(by_cond(yes)), DENSE)
    assert_array_equal(dense(by_cond(no)), [[0, 0], [3, 4], [0, 0]])
    assert_array_equal(dense(by_if(yes)), np.add(DENSE, [[1, 1], [0, 0], [1, 1]]))
    assert_array_equal(dense(by_if(no)), DENSE)
    for loop in (by_loop, by_hand):
        assert_array_equal(dense(loop(tf.constant(3))), 8 * DENSE)
        assert_array_equal(dense(loop(tf.constant(0))), DENSE)


def test_gradients_pass_through_a_branch() -> None:
    @tf.function
    def gradient(x: Any, c: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            s = tf.cond(c, lambda: slices_of(x * 2.0), lambda: slices_of(x))
        return tape.gradient(s.values, x)

    def slices_of(x: Any) -> Any:
        return tf.IndexedSlices(x, [0, 1], [2, 2])

    x = tf.constant(ROWS)
    assert_array_equal(gradient(x, tf.constant(True)), np.full((2, 2), 2.0))
    assert_array_equal(gradient(x, tf.constant(False)), np.ones((2, 2)))


# What an op makes of the values alone; of slices of one place, each by itself.
OF_VALUES = [
    (lambda s: tf.clip_by_value(s, 1.0, 5.0), np.clip(ROWS, 1, 5)),
    (lambda s: tf.clip_by_norm(s, 6.5), ROWS / 2),
    (lambda s: tf.clip_by_norm(s, 2.0, axes=1), ROWS * [[2 / 5], [2 / 12]]),
    (lambda s: tf.clip_by_global_norm([None, s, tf.zeros([1], s.dtype)], 6.5)[0][1], ROWS / 2),
    (lambda s: tf.math.scalar_mul(3.0, s), 3 * ROWS),
    (lambda s: -s, -ROWS),
    (lambda s: tf.cast(s, tf.int32), ROWS.astype(np.int32)),
    (tf.identity, ROWS),
    (tf.stop_gradient, ROWS),
]


@pytest.mark.parametrize(("op", "wanted"), OF_VALUES, ids=range(len(OF_VALUES)))
@pytest.mark.parametrize("shape", [(3, 2), None])
def test_ops_of_their_values(op: Any, wanted: Any, shape: Any) -> None:
    for way in (op, tf.function(op)):
        made = way(slices(indices=(1, 1), shape=shape))
        assert_allclose(made.values, wanted)
        assert made.values.dtype == wanted.dtype
        assert_array_equal(made.indices, [1, 1])
        assert (made.dense_shape is None) == (shape is None)


def test_their_global_norm() -> None:
    assert float(tf.linalg.global_norm([slices(), tf.zeros([3], tf.float64)])) == 13
    clipped, norm = tf.clip_by_global_norm(
        [slices(shape=None), tf.constant([84.0], tf.float64)], 42.5
    )
    assert float(norm) == 85
    assert_allclose(clipped[0].values, ROWS / 2)
    assert_allclose(clipped[1], [42.0])


def test_nest_takes_them_apart_where_it_is_asked_to() -> None:
    s = slices()
    assert tf.nest.flatten([s]) == [s]
    flat = tf.nest.flatten([s, 1], expand_composites=True)
    assert [x.shape.as_list() for x in flat[:3]] == [[2, 2], [2], [2]]
    again = tf.nest.pack_sequence_as([s, 1], flat, expand_composites=True)
    assert_array_equal(dense(again[0]), DENSE)
    made = tf.nest.map_structure(lambda x: x * 2, slices(shape=None), expand_composites=True)
    assert_array_equal(made.indices, [4, 0])
    assert made.dense_shape is None
    tf.nest.assert_same_structure(s, slices(ROWS[:1], [1]), expand_composites=True)
    with pytest.raises(ValueError, match="3 elements"):
        tf.nest.assert_same_structure(s, slices(shape=None), expand_composites=True)
