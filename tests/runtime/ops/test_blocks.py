"""Blocks of space in the batch; the second opinion takes every second, third, ... pixel."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import runtime as tf
from runtime.compat import v1

CASES: list[tuple[tuple[int, ...], list[int], list[list[int]]]] = [
    ((2, 4, 6, 3), [2, 3], [[0, 0], [0, 0]]),
    ((2, 4, 6, 3), [2, 3], [[1, 1], [2, 1]]),
    ((1, 5, 6), [3], [[0, 1]]),
    ((2, 4, 6), [1, 2], [[0, 0], [0, 0]]),
    ((1, 2, 3, 4), [2, 1, 2], [[2, 0], [0, 0], [1, 1]]),
    ((0, 4, 6, 3), [2, 2], [[0, 0], [0, 0]]),
]


def parts(x: Any, blocks: list[int], paddings: Any) -> Any:
    rest = x.ndim - 1 - len(blocks)
    padded = np.pad(x, [(0, 0), *paddings, *[(0, 0)] * rest])
    starts = np.ndindex(*blocks)
    steps = [tuple(slice(i, None, b) for i, b in zip(at, blocks, strict=True)) for at in starts]
    return np.concatenate([padded[(slice(None), *step)] for step in steps])


@pytest.mark.parametrize(("shape", "blocks", "paddings"), CASES)
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_there_and_back(shape: Any, blocks: Any, paddings: Any, dtype: str) -> None:
    x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    wanted = parts(x, blocks, paddings)
    unknown = [tf.TensorSpec([None] * x.ndim, dtype), tf.TensorSpec(None, tf.int32)]
    for way in (
        lambda f: f, tf.function, lambda f: tf.function(f, unknown)
    ):  # fmt: skip
        there = way(lambda x, around: tf.space_to_batch(x, blocks, around))
        back = way(lambda x, around: tf.batch_to_space(x, blocks, around))
        found = there(tf.constant(x), tf.constant(paddings))
        assert_array_equal(found, wanted)
        assert_array_equal(back(found, tf.constant(paddings)), x)
    assert_array_equal(v1.space_to_batch_nd(x, blocks, paddings), wanted)


def test_gradients() -> None:
    x = tf.reshape(tf.range(24.0), [1, 4, 6, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.batch_to_space(tf.space_to_batch(x, 2, [[0, 0], [1, 1]]), 2, [[1, 0], [1, 2]])
    assert_array_equal(tape.gradient(y, x)[0, :, :, 0], [[0] * 6] + [[1] * 5 + [0]] * 3)


@pytest.mark.parametrize("shape", [[None, 4, 6, 3], [2, None, 6, 3]])
def test_known_shapes(shape: Any) -> None:
    there = tf.function(lambda x: tf.space_to_batch(x, [2, 3], [[0, 0], [0, 0]]))
    made = there.get_concrete_function(tf.TensorSpec(shape)).structured_outputs.shape.as_list()
    n, h, _, c = shape
    assert made == [n and n * 6, h and h // 2, 2, c]


@pytest.mark.parametrize(
    ("blocks", "around"),
    [
        ([0, 1], [[0, 0], [0, 0]]), ([2, 2], [[0, 0]]), ([2, 2], [[-1, 1], [0, 0]]),
        ([3, 1], [[0, 0], [0, 0]]), ([2, 2], [0, 0]), ([2] * 4, [[0, 0]] * 4),
    ],
)  # fmt: skip
def test_what_does_not_fit(blocks: Any, around: Any) -> None:
    x = np.zeros([4, 2, 2, 1])
    for function in (tf.space_to_batch, tf.batch_to_space):
        with pytest.raises(tf.errors.InvalidArgumentError):
            function(x, blocks, around)
    with pytest.raises(tf.errors.InvalidArgumentError, match="crops"):
        tf.batch_to_space(x, [2, 2], [[3, 2], [0, 0]])
    with pytest.raises(TypeError, match="integers"):
        tf.space_to_batch(x, [2, 2], [[0.0, 0.0], [0.0, 0.0]])


@pytest.mark.parametrize(
    ("around", "message"),
    [([[-1, 0]], "negative"), ([[0, -1]], "negative"), ([[3, 0]], None), ([[0, 9]], None),
     ([[1, 2]], None), ([[2**31 - 1, 2**31 - 1]], None), ([[2, 0]], ""), ([[1, 1]], "")],
)  # fmt: skip
@pytest.mark.parametrize("size", [1, None])
@pytest.mark.parametrize("known", [True, False])
def test_what_only_the_run_knows(around: Any, message: Any, size: Any, known: bool) -> None:
    x = np.arange(2.0).reshape(2, 1)
    spec = tf.TensorSpec([None, size], tf.float64)

    def cropped(function: Any) -> Any:
        if known:
            return tf.function(lambda x: function(x, 2, around), [spec])(x)
        ends = tf.TensorSpec([1, 2], tf.int32)
        return tf.function(lambda x, ends: function(x, 2, ends), [spec, ends])(
            x, np.array(around, np.int32)
        )

    if message == "":
        assert cropped(tf.batch_to_space).shape == [1, 0]
        return
    error = ValueError if known and (size or message) else tf.errors.InvalidArgumentError
    with pytest.raises(error, match=message or "crops"):
        cropped(tf.batch_to_space)
    if message:
        with pytest.raises(error, match=message):
            cropped(tf.space_to_batch)


@pytest.mark.parametrize("function", [v1.space_to_batch, v1.batch_to_space])
def test_version_1_takes_one_block(function: Any) -> None:
    x, around = np.zeros([4, 2, 2, 1]), [[0, 0], [0, 0]]
    for more in ({}, {"block_size": 2, "block_shape": 2}):
        with pytest.raises(ValueError, match=f"{function.__name__}: give block_size or block_shap"):
            function(x, around, **more)
    found = function(x, around, block_size=2)
    assert_array_equal(found, function(x, around, block_shape=2))
