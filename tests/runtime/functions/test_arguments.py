"""Arguments of ops that are no tensors: what is wrong about one is said in its name."""

from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime import errors

X = tf.constant([[1.0, 2.0], [3.0, 4.0]])
IMAGE = tf.ones([4, 4, 3])
WORDS = tf.constant(["a b", "c"])
# The call, and what the message says.
WRONG: dict[str, tuple[Any, str]] = {
    "no axis": (lambda: tf.concat([X, X], []), "axis must be one integer"),
    "two axes": (lambda: tf.argmax(X, [0, 1]), "axis must be one integer"),
    "ragged axes": (lambda: tf.squeeze(X, [[1, 2], [3]]), "axis has rows of different lengths"),
    "axis as text": (lambda: tf.sort(X, "0"), "axis must be made of integers"),
    "two depths": (lambda: tf.math.top_k(X, [1, 2]), "k must be one integer"),
    "float count": (lambda: tf.dynamic_partition(X, [0, 1], 2.0), "num_partitions must be made of"),
    "list as a dimension": (lambda: tf.zeros([[]]), "a shape is a vector of integers"),
    "text as a dimension": (lambda: tf.eye(tf.constant("2")), "a dimension must be made of"),
    "no list": (lambda: tf.stack(7.0), "values must be a list of tensors"),
    "a scalar for a list": (lambda: tf.add_n(tf.constant(1)), "inputs must be a list of tensors"),
    "one list for two": (lambda: tf.dynamic_stitch([[0], [1]], [X]), "2 lists of indices for 1"),
    "contracted axes": (lambda: tf.tensordot(X, X, [[0]]), "axes must be a number or two lists"),
    "direction": (lambda: tf.sort(X, direction="UP"), "direction must be one of 'ASCENDING'"),
    "direction no text": (lambda: tf.sort(X, direction=X), "direction must be one of"),
    "mode": (lambda: tf.pad(X, [[1, 1], [1, 1]], ["REFLECT"]), "mode must be one of 'CONSTANT'"),
    "paddings": (lambda: tf.pad(X, 1), "paddings must be pairs"),
    "side": (lambda: tf.searchsorted([1, 2], [1], np.zeros(2)), "side must be one of 'left'"),
    "indexing": (lambda: tf.meshgrid([1], indexing=None), "indexing must be one of 'xy', 'ij'"),
    "equation": (lambda: tf.einsum({}, X), "the equation must be a string"),
    "data_format": (lambda: tf.nn.bias_add(X, [1.0, 2.0], X), "data_format must be one of"),
    "noise_shape": (lambda: tf.nn.dropout(X, 0.5, 1.5), "noise_shape must be a list"),
    "alpha": (lambda: tf.nn.leaky_relu(X, None), "alpha must be a real number"),
    "order": (lambda: tf.norm(X, 1j), "ord must be a real number"),
    "mask": (lambda: tf.strided_slice(X, [0], [1], begin_mask=[]), "begin_mask must be one"),
    "strides": (lambda: tf.strided_slice(X, [0], [1, 1]), "begin, end and strides must have equ"),
    "width": (lambda: tf.as_string(X, width=[]), "width must be one integer"),
    "buckets": (lambda: tf.strings.to_hash_bucket(WORDS, 2.5), "num_buckets must be made of"),
    "fraction": (lambda: tf.image.central_crop(IMAGE, [0.1, 0.2]), "central_fraction must be one"),
    "delta": (lambda: tf.image.random_hue(IMAGE, "a"), "max_delta must be a real number"),
    "bounds": (lambda: tf.image.random_contrast(IMAGE, {}, 1), "lower must be a real number"),
    "offset": (
        lambda: tf.image.pad_to_bounding_box(IMAGE, [0], 0, 5, 5),
        "offset_height must be a scalar",
    ),
    "depth": (lambda: tf.one_hot([1], float("nan")), "depth must be an integer"),
    "padding": (
        lambda: tf.nn.max_pool1d(tf.ones([1, 4, 3]), 2, 1, np.array(1.0)),
        "explicit padding must be a list",
    ),
    "turns": (lambda: tf.image.rot90(IMAGE, 1.5), "k must be an integer"),
    "large number": (lambda: tf.constant([2**64 - 2]), "does not fit dtype int32"),
    "negative size": (lambda: tf.constant(1, shape=[-1]), "Dimension -1 must be >= 0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name: str) -> None:
    call, message = WRONG[name]
    with pytest.raises(errors.InvalidArgumentError, match=message):
        call()


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_while_tracing(name: str) -> None:
    call, message = WRONG[name]
    with pytest.raises((ValueError, errors.WrongDtypeError), match=message):
        tf.function(call)()


def test_words_in_any_case() -> None:
    assert tf.sort([1, 2], direction="descending").numpy().tolist() == [2, 1]
    assert tf.pad([1], [[1, 0]], "constant").numpy().tolist() == [0, 1]


@pytest.mark.parametrize("axis", [1, -1, np.int64(1), tf.constant(1), [1], np.array([1])])
def test_an_axis_in_many_forms(axis: Any) -> None:
    assert tf.reduce_sum(X, axis).numpy().tolist() == [3.0, 7.0]
    if np.ndim(axis) == 0:  # TensorFlow refuses others there
        assert tf.cumsum(X, axis).numpy().tolist() == [[1.0, 3.0], [3.0, 7.0]]


def test_limits_of_dtypes_are_python_numbers() -> None:
    assert type(tf.float16.max) is float
    assert tf.saturate_cast([2**31 - 1], tf.float16).numpy().tolist() == [65504.0]
