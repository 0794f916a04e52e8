"""Python functions that a graph calls: what they change, and what the traced code knows of it.

The second opinion is the same function called eagerly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import runtime as tf
from runtime import errors

X = tf.constant(2.0)
SCALAR = tf.TensorSpec([], tf.float32)


def passed(function: Callable[..., Any], x: Any) -> Any:
    return tf.py_function(function, [x], SCALAR)


# Symbols that functions read when the graph runs.


def of_a_function(x):
    y = x * 2.0
    return passed(lambda a: a * y, x)


def of_a_dict(x):
    out = {"n": 0}

    def counted(a):
        out["n"] += 1
        return a

    for _ in tf.range(3):
        x = passed(counted, x)
    return x + out["n"]


def of_a_list(x):
    out = []
    for _ in tf.range(3):
        out.append(x)
    return passed(lambda a: a + len(out), x)


def of_a_number(x):
    n = 0
    if x > 0.0:
        n = 3
    return passed(lambda a: a + n, x)


def of_a_generator(x):
    n = tf.cast(x, tf.int32)

    def numbers():
        for i in range(n):
            yield float(i)

    total = x
    for each in tf.data.Dataset.from_generator(numbers, output_signature=SCALAR):
        total += each
    return total


@pytest.mark.parametrize(
    ("program", "variable", "hint"),
    [
        (of_a_function, "y", "in `inp`"),
        (of_a_dict, "out", "return what it changes"),
        (of_a_list, "out", "in `inp`"),
        (of_a_number, "n", "in `inp`"),
        (of_a_generator, "n", "args=[n]"),
    ],
)
def test_a_symbol_that_a_function_reads_is_named(program: Any, variable: str, hint: str) -> None:
    program(X)
    with pytest.raises(errors.InaccessibleTensorError, match=rf"{variable}: .*outside") as refusal:
        tf.function(program)(X)
    error = refusal.value
    assert (error.filename, error.variable) == (__file__, variable)
    assert hint in str(error.hint)


def test_a_generator_is_given_what_it_reads() -> None:
    def total(x: Any) -> Any:
        def numbers(n: Any) -> Any:
            for i in range(n):
                yield float(i)

        data = tf.data.Dataset.from_generator(
            numbers, args=[tf.cast(x, tf.int32)], output_signature=SCALAR
        )
        for each in data:
            x += each
        return x

    assert float(tf.function(total)(X)) == float(total(X)) == 3.0
