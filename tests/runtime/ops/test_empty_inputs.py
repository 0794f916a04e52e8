"""Ops of inputs without elements: results by their definition, eagerly and staged, with shapes
known and unknown.
"""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import runtime as tf


def zeros(*shape: int, dtype: Any = np.float32) -> Any:
    return np.zeros(shape, dtype)


def parts_of(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def ways(call: Any) -> list[Any]:
    """`call` eagerly, staged, and staged with no size known."""

    def without_shapes(*given: Any) -> Any:
        signature = [tf.TensorSpec([None] * x.ndim, x.dtype) for x in given]
        return tf.function(call, input_signature=signature)(*given)

    return [call, tf.function(call), without_shapes]


# By the rule for 0 beside -1: the size is found as if zeros were not there.
RESHAPED = [
    ((0, 3), [0, -1], (0, 3)),
    ((0, 3), [-1, 0], (3, 0)),
    ((0, 3, 5), [0, -1, 5], (0, 3, 5)),
    ((2, 0, 5), [-1, 0, 3], (3, 0, 3)),
    ((0, 5), [0, 0, -1], (0, 0, 5)),
    ((0,), [-1, 5, 0], (0, 5, 0)),
    ((0,), [-1, 5], (0, 5)),
    ((2, 0, 0), [-1, 7, 0], (0, 7, 0)),
]


@pytest.mark.parametrize(("given", "wanted", "shape"), RESHAPED)
def test_reshape_finds_a_size_beside_zero(given: Any, wanted: Any, shape: Any) -> None:
    for way in ways(lambda x: tf.reshape(x, wanted)):
        assert way(tf.zeros(given)).shape == shape
    for way in ways(tf.reshape):
        assert way(tf.zeros(given), tf.constant(wanted)).shape == shape
    x = tf.zeros(given)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reshape(x, wanted)
    assert tape.gradient(y, x).shape == given


@pytest.mark.parametrize("wanted", [[0, -1], [-1, 0], [4, -1], [0]])
def test_reshape_refuses_what_elements_do_not_fill(wanted: Any) -> None:
    for way in ways(lambda x: tf.reshape(x, wanted)):
        with pytest.raises(ValueError, match="cannot reshape"):
            way(tf.zeros([2, 3]))


CALLS = [
    (lambda x, m: tf.boolean_mask(x, m), (zeros(0, 3), zeros(0, dtype=bool)), [zeros(0, 3)]),
    (lambda x, m: tf.boolean_mask(x, m), (zeros(0), zeros(0, dtype=bool)), [zeros(0)]),
    (lambda x, m: tf.boolean_mask(x, m), (zeros(0, 2), zeros(0, 2, dtype=bool)), [zeros(0)]),
    (lambda x, m: tf.boolean_mask(x, m), (zeros(2, 0), np.array([True, False])), [zeros(1, 0)]),
    (
        lambda x, m: tf.boolean_mask(x, m, axis=1),
        (zeros(3, 2, 0), np.array([True, False])),
        [zeros(3, 1, 0)],
    ),
    (
        lambda x, p: tf.dynamic_partition(x, p, 2),
        (zeros(0, 4), zeros(0, dtype=np.int32)),
        [zeros(0, 4), zeros(0, 4)],
    ),
    (
        lambda x, p: tf.dynamic_partition(x, p, 2),
        (zeros(3, 0), np.array([0, 1, 0], np.int32)),
        [zeros(2, 0), zeros(1, 0)],
    ),
    (
        lambda i, x: tf.dynamic_stitch([i], [x]),
        (zeros(0, dtype=np.int32), zeros(0, 3)),
        [zeros(0, 3)],
    ),
    (
        lambda i, x: tf.dynamic_stitch([i, [1, 0]], [x, [[1.0], [2.0]]]),
        (zeros(0, dtype=np.int32), zeros(0, 1)),
        [np.array([[2], [1]], np.float32)],
    ),
    (
        lambda i, x: tf.dynamic_stitch([i], [x]),
        (np.array([1, 0], np.int32), zeros(2, 0)),
        [zeros(2, 0)],
    ),
    (tf.searchsorted, (zeros(0), zeros(2)), [zeros(2, dtype=np.int32)]),
    (tf.searchsorted, (zeros(2, 0), zeros(2, 3)), [zeros(2, 3, dtype=np.int32)]),
    (tf.searchsorted, (zeros(2, 3, 0), zeros(2, 3, 0)), [zeros(2, 3, 0, dtype=np.int32)]),
    (tf.searchsorted, (zeros(0, 2), zeros(0, 3)), [zeros(0, 3, dtype=np.int32)]),
    (tf.math.bincount, (zeros(0, dtype=np.int32),), [zeros(0, dtype=np.int32)]),
    (
        lambda x: tf.math.bincount(x, minlength=3),
        (zeros(2, 0, dtype=np.int64),),
        [zeros(3, dtype=np.int32)],
    ),
    (
        lambda x, w: tf.math.bincount(x, w, minlength=2),
        (zeros(0, dtype=np.int32), zeros(0)),
        [zeros(2)],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("call", "given", "wanted"), CALLS, ids=range(len(CALLS)))
def test_results(call: Any, given: Any, wanted: Any) -> None:
    for way in ways(call):
        found = parts_of(way(*map(tf.constant, given)))
        for a, b in zip(found, wanted, strict=True):
            assert_array_equal(a.numpy(), b, strict=True)


@pytest.mark.parametrize(("call", "given", "wanted"), CALLS, ids=range(len(CALLS)))
def test_gradients_have_the_shapes_of_their_inputs(call: Any, given: Any, wanted: Any) -> None:
    tensors = [tf.constant(x) for x in given if x.dtype == np.float32]
    if not tensors or wanted[0].dtype != np.float32 or call is CALLS[-1][0]:
        return
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        made = call(*[x if x.dtype != np.float32 else tensors[0] for x in given])
    for gradient, x in zip(tape.gradient(made, tensors), tensors, strict=True):
        assert gradient.shape == x.shape


def test_lists_without_elements() -> None:
    assert tf.math.bincount([]).shape == (0,)
    assert tf.math.bincount([], minlength=2).numpy().tolist() == [0, 0]
    assert tf.boolean_mask([], []).shape == (0,)
    assert [part.shape for part in tf.dynamic_partition([], [], 2)] == [(0,), (0,)]
    made = tf.dynamic_stitch([[], [0]], [np.zeros([0, 2]), [[1.0, 2.0]]])
    assert made.dtype == tf.float64
    assert made.numpy().tolist() == [[1, 2]]


@pytest.mark.parametrize(
    "op", [lambda x, y: x << y, lambda x, y: x >> y, tf.pow, lambda x, y: x // y]
)
def test_counts_and_powers_that_no_element_has_are_not_refused(op: Any) -> None:
    x, y = zeros(0, 3, dtype=np.int32), np.array([-1, 0, 5], np.int32)
    for way in ways(op):
        assert way(tf.constant(x), tf.constant(y)).shape == (0, 3)


LISTS: list[tuple[Any, Any]] = [
    (lambda: tf.reduce_all([]), np.bool_(True)),
    (lambda: tf.reduce_any([[], []], axis=1), np.zeros(2, bool)),
    (lambda: tf.logical_not([]), zeros(0, dtype=bool)),
    (lambda: tf.where([], [], []), zeros(0)),
    (lambda: tf.math.in_top_k([], zeros(0, 2), 1), zeros(0, dtype=bool)),
    (lambda: tf.math.invert_permutation([]), zeros(0, dtype=np.int32)),
]


@pytest.mark.parametrize("number", range(len(LISTS)))
def test_an_empty_list_has_the_dtype_that_is_wanted(number: int) -> None:
    call, wanted = LISTS[number]
    for way in (call, tf.function(call)):
        found = way().numpy()
        assert found.dtype == wanted.dtype
        assert_array_equal(found, wanted)
    with pytest.raises(TypeError, match="bool"):
        tf.reduce_all([1])
