"""A program as users of mypy write it: `make lint` checks its types, a test runs it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

import runtime as tf


class Line(tf.Module):
    """A line with a slope and an offset."""

    def __init__(self) -> None:
        super().__init__(name="line")
        self.slope = tf.Variable(0.0)
        self.offset = tf.Variable(tf.constant(0.0))

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return self.slope * x + self.offset

    @tf.function
    def fit(self, x: tf.Tensor, y: tf.Tensor, rounds: tf.Tensor) -> tf.Tensor:
        """The loss after some rounds of gradient descent."""
        loss = tf.reduce_mean(tf.square(self(x) - y))
        for _ in tf.range(rounds):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(x) - y))
            slopes = tape.gradient(loss, [self.slope, self.offset])
            self.slope.assign_sub(0.1 * slopes[0])
            self.offset.assign_sub(0.1 * slopes[1])
        return loss


def total(rows: tf.Tensor) -> tf.Tensor:
    """The sum over the rows that are not negative, in a loop."""
    found = tf.zeros([2])
    for row in rows:
        if tf.reduce_all(row >= 0.0):
            found = found + row
    return found


def cleared(rows: tf.Tensor, at: tf.Tensor) -> tf.Tensor:
    """The rows, one of them zero."""
    rows[at] = tf.zeros([2])
    return rows


def numbers(x: tf.Tensor) -> Iterator[float]:
    """A tensor as Python sees it."""
    yield float(x[0])
    yield int(x[0]) + len(x) + abs(complex(x[1]))
    yield round(float(x[1]), 2) if x[0] > 0.0 else -1.0
    yield from map(float, x)
    yield sum(range(x.shape[0] or 0))
    yield [1.0, 2.0, 3.0][tf.constant(1)]
    yield 0.0 if x.ndim is None else x.ndim / 2


def as_array(x: tf.Tensor) -> npt.NDArray[np.float32]:
    """Its values, and those of what NumPy makes of it."""
    values: npt.NDArray[np.float32] = x.numpy()
    return values + np.asarray(x, np.float32)


def main() -> tuple[float, list[float], npt.NDArray[np.float32]]:
    """Run all of it."""
    x = tf.constant([0.0, 1.0, 2.0])
    loss: tf.Tensor = Line().fit(x, 2.0 * x + 1.0, tf.constant(300))
    rows = tf.constant([[1.0, 2.0], [-1.0, 5.0], [3.0, 4.0]])
    summed: tf.Tensor = tf.function(total)(tf.function(cleared)(rows, tf.constant(0)))
    return float(loss), list(numbers(summed)), as_array(summed)
