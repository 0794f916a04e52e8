"""map_fn, scan, foldl and foldr, eagerly and in graphs, against NumPy and Python's own folds."""

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf

ROWS = np.arange(12.0, dtype=np.float32).reshape(4, 3)
OTHERS = ROWS[:, 0] * 2


def folded(function: Any, rows: Any, *start: Any) -> Any:
    return functools.reduce(function, rows, *start)


def both(rows: Any) -> Any:
    return tf.map_fn(lambda pair: (pair[0] * pair[1], pair[1]), (rows, OTHERS))


def declared(rows: Any) -> Any:
    return tf.map_fn(
        lambda row: {"sum": tf.reduce_sum(row), "big": row[0] > 3.0},
        rows,
        fn_output_signature={"sum": tf.float32, "big": tf.TensorSpec([], tf.bool)},
    )


def with_branch(rows: Any) -> Any:
    def function(row: Any) -> Any:
        if row[0] > 3.0:
            row = row * 2.0
        return row

    return tf.map_fn(function, rows)


def add(a: Any, b: Any) -> Any:
    return a * 0.5 + b


SUMS = list(itertools.accumulate(ROWS, add))
FROM_ZERO = list(itertools.accumulate(ROWS, add, initial=np.ones(3)))[1:]
CASES: list[tuple[Callable[[Any], Any], Any]] = [
    (lambda rows: tf.map_fn(lambda row: row * row, rows), ROWS * ROWS),
    (both, (ROWS * OTHERS[:, None], OTHERS)),
    (declared, {"sum": ROWS.sum(1), "big": ROWS[:, 0] > 3.0}),
    (with_branch, np.where(ROWS[:, :1] > 3.0, ROWS * 2, ROWS)),
    (lambda rows: tf.foldl(add, rows), folded(add, ROWS)),
    (lambda rows: tf.foldr(add, rows), folded(add, ROWS[::-1])),
    (lambda rows: tf.foldl(add, rows, tf.ones([3])), folded(add, ROWS, np.ones(3))),
    (lambda rows: tf.scan(add, rows), np.stack(SUMS)),
    (lambda rows: tf.scan(add, rows, tf.ones([3])), np.stack(FROM_ZERO)),
    (
        lambda rows: tf.scan(add, rows, reverse=True),
        np.stack(list(itertools.accumulate(ROWS[::-1], add)))[::-1],
    ),
    (
        lambda rows: tf.scan(lambda s, row: (s[0] + row, s[1] + 1), rows, (tf.zeros([3]), 0)),
        (np.cumsum(ROWS, 0), np.arange(1, 5)),
    ),
]


@pytest.mark.parametrize(("function", "expected"), CASES)
@pytest.mark.parametrize("way", ["eager", "graph", "unknown"])
def test_functions(function: Any, expected: Any, way: str) -> None:
    if way == "graph":
        function = tf.function(function)
    if way == "unknown":
        function = tf.function(function, input_signature=[tf.TensorSpec([None, 3])])
    found = function(tf.constant(ROWS))
    tf.nest.assert_same_structure(expected, found)
    pairs = zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True)
    for result, wanted in pairs:
        np.testing.assert_allclose(result.numpy(), wanted, rtol=1e-6)


@pytest.mark.parametrize("function", [CASES[0][0], CASES[4][0], CASES[7][0], CASES[9][0]])
def test_gradients(function: Any) -> None:
    def slope(rows: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(rows)
            y = tf.reduce_sum(function(rows) ** 2)
        return tape.gradient(y, rows)

    rows = tf.constant(ROWS)
    np.testing.assert_allclose(tf.function(slope)(rows).numpy(), slope(rows).numpy(), rtol=1e-6)


REFUSED = [
    (lambda: tf.map_fn(lambda x: x, tf.constant(1.0)), ValueError, "at least 1-dimensional"),
    (lambda: tf.map_fn(lambda x: tf.cast(x, tf.int32), ROWS), TypeError, "fn_output_signature"),
    (lambda: tf.map_fn(lambda x: x[0], (ROWS, ROWS[1:])), ValueError, "different first dim"),
    (lambda: tf.foldl(add, ROWS[:0]), ValueError, "must not be empty"),
    (lambda: tf.scan(3, ROWS), TypeError, "scan.*fn must be callable, not 3"),
    (lambda: tf.map_fn(3, ROWS), TypeError, "map_fn.*fn must be callable, not 3"),
    (lambda: tf.map_fn(lambda x: (x, x), ROWS), ValueError, "structure of fn_output_signature"),
    (lambda: tf.scan(lambda a, x: (a, x), ROWS), ValueError, "scan.*structure of initializer"),
    (lambda: tf.foldl(add, ROWS, []), ValueError, "initializer must hold at least one tensor"),
    (lambda: tf.map_fn(abs, None), TypeError, r"map_fn\(\): elems must hold tensors"),
    (lambda: tf.map_fn(abs, object()), TypeError, r"map_fn\(\): elems must hold tensors"),
    (lambda: tf.scan(add, [[1], [1, 2]], 0), ValueError, "scan.*elems must be at least 1-dim"),
    (lambda: tf.foldr(add, ROWS, object()), TypeError, "foldr.*initializer must hold tensors"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_refused(call: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        call()
    with pytest.raises(error, match=message):
        tf.function(call)()


def test_python_numbers_take_the_dtype_that_is_expected() -> None:
    for make in (lambda f: f, tf.function):
        found = make(lambda: tf.map_fn(lambda row: 1, ROWS))()
        assert (found.dtype, found.numpy().tolist()) == (tf.float32, [1.0] * 4)


UNKNOWN = [tf.TensorSpec(None), tf.TensorSpec(None)]
REFUSED_LATER = [
    (lambda x, y: tf.map_fn(abs, x), 1.0, "map_fn.*elems must be at least 1-dimensional"),
    (lambda x, y: tf.scan(add, x, y[0]), 1.0, "scan.*elems must be at least 1-dimensional"),
    (lambda x, y: tf.foldl(add, x), ROWS[:0], "foldl.*without an initializer.* not be empty"),
    (lambda x, y: tf.foldr(add, x), ROWS[:0], "foldr.*without an initializer.* not be empty"),
    (lambda x, y: tf.map_fn(lambda p: p[0], (x, y)), ROWS[1:], r"different first dim.*\[3, 4\]"),
    (lambda x, y: tf.map_fn(abs, x), ROWS[:0], "empty TensorArray"),
    (
        lambda x, y: tf.map_fn(abs, x, fn_output_signature=tf.TensorSpec([2], tf.float32)),
        ROWS,
        r"\(3,\) and \(2,\) are not compatible",
    ),
]


@pytest.mark.parametrize(("function", "x", "message"), REFUSED_LATER)
def test_refused_when_the_graph_runs(function: Any, x: Any, message: str) -> None:
    staged = tf.function(function, input_signature=UNKNOWN)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        staged(x, ROWS)


def test_control_dependencies() -> None:
    v = tf.Variable(1.0)

    def function(x: Any) -> Any:
        with tf.control_dependencies([v.assign_add(x)]):
            y = v * 10.0
        return y

    assert float(function(tf.constant(1.0))) == 20.0
    assert float(tf.function(function)(tf.constant(1.0))) == 30.0
