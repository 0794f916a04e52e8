"""TensorArray: each program eagerly and in a graph, against what NumPy says."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf

ROWS = np.arange(6.0, dtype=np.float32).reshape(3, 2)


def written(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 3)
    for i in range(3):
        array = array.write(i, x[i] * 2.0)
    return array.stack(), array.size(), array.read(1)


def grown(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for row in x:
        array = array.write(array.size(), row)
    return array.stack(), array.size()


def with_gaps(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 2, dynamic_size=True, element_shape=[2])
    array = array.write(3, x[1])
    return array.stack(), array.read(0)


def in_branches(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 3)
    for i in tf.range(3):
        array = array.write(i, -x[i])
        if x[i, 0] > 1.0:
            array = array.write(i, x[i])
    return array.stack()


def unless_it_raises(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 1)
    if x[0, 0] < 1.0:
        array = array.write(0, x[0])
    else:
        raise ValueError("too large")
    return array.stack()


def until_break(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for i in tf.range(3):
        if x[i, 0] > 2.0:
            break
        array = array.write(i, x[i])
    return array.stack()


def several(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 4).scatter([3, 1], x[:2]).write(0, x[2])
    return array.gather([1, 3, 0]), array.identity().read(3)


def pieces(x: Any) -> Any:
    flat = tf.reshape(x, [-1])
    array = tf.TensorArray(tf.float32, 3, infer_shape=False).split(flat, [1, 2, 3])
    return array.read(2), array.write(0, flat[:2]).concat()


def of_booleans(x: Any) -> Any:
    array = tf.TensorArray(tf.bool, 3)
    for i in tf.range(3):
        array = array.write(i, x[i, 0] > 1.0)
    return array.stack()


ZERO = np.zeros(2, np.float32)
FLAT = ROWS.reshape(-1)
PROGRAMS: list[tuple[Callable[[Any], Any], Any]] = [
    (written, (ROWS * 2, 3, ROWS[1] * 2)),
    (grown, (ROWS, 3)),
    (with_gaps, (np.stack([ZERO, ZERO, ZERO, ROWS[1]]), ZERO)),
    (in_branches, np.where(ROWS[:, :1] > 1.0, ROWS, -ROWS)),
    (unless_it_raises, ROWS[:1]),
    (until_break, ROWS[:2]),
    (several, (ROWS[[1, 0, 2]], ROWS[0])),
    (pieces, (FLAT[3:], np.concatenate([FLAT[:2], FLAT[1:]]))),
    (of_booleans, ROWS[:, 0] > 1.0),
]


@pytest.mark.parametrize(("program", "expected"), PROGRAMS, ids=[p.__name__ for p, _ in PROGRAMS])
@pytest.mark.parametrize("make", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_programs(program: Any, expected: Any, make: Any) -> None:
    found = make(program)(tf.constant(ROWS))
    pairs = zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True)
    for result, wanted in pairs:
        np.testing.assert_array_equal(result.numpy(), wanted)


def test_the_first_write_tells_the_shape() -> None:
    @tf.function
    def stacked(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for i in tf.range(3):
            array = array.write(i, x[i])
        rows = array.stack()
        assert rows.shape.as_list() == [None, 2]
        assert array.element_shape.as_list() == [2]
        return rows

    np.testing.assert_array_equal(stacked(tf.constant(ROWS)).numpy(), ROWS)


REFUSED: list[tuple[Callable[[], Any], Any, str]] = [
    (lambda: tf.TensorArray(tf.float32, 2).write(2, 1.0).stack(), tf.errors.OpError, "resizeable"),
    (lambda: tf.TensorArray(tf.float32, 2).write(-1, 1.0).stack(), tf.errors.OpError, "resizeable"),
    (lambda: tf.TensorArray(tf.float32, 2).read(2), tf.errors.OpError, "out of range"),
    (lambda: tf.TensorArray(tf.float32, 2).read(0), tf.errors.OpError, "not written"),
    (
        lambda: tf.TensorArray(tf.float32, 2).write(0, tf.constant(1)),
        TypeError,
        "TensorArray of float32 was given a tensor of int32",
    ),
    (
        lambda: tf.TensorArray(tf.float32, 2, element_shape=[2]).write(0, 1.0),
        ValueError,
        "infer_shape=False",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
@pytest.mark.parametrize("make", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_refused(call: Any, error: Any, message: str, make: Any) -> None:
    with pytest.raises(error, match=message):
        make(call)()


def test_an_array_from_outside_is_refused() -> None:
    array = tf.TensorArray(tf.float32, 1).write(0, 1.0)
    with pytest.raises(tf.errors.InaccessibleTensorError, match="made outside"):
        tf.function(lambda: array.read(0))()
