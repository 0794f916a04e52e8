"""A program as users of mypy and pyright write it: `make lint` checks its types, a test runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, assert_type

import numpy as np
import numpy.typing as npt

import autograph
import runtime as tf

if TYPE_CHECKING:
    from runtime.functions.polymorphic_function import Function


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


@tf.function
def scaled(x: tf.Tensor, *, by: float = 2.0) -> tf.Tensor:
    """With its signature."""
    return x * by


@tf.function(reduce_retracing=True)
def halved(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """With options."""
    return x / 2.0, x


@autograph.convert
def clipped(x: tf.Tensor, limit: float) -> tf.Tensor:
    """Converted."""
    return x if tf.reduce_all(x < limit) else tf.fill(x.shape, limit)


@tf.custom_gradient
def doubled(x: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
    """With a gradient of its own."""
    return x * 2.0, lambda upstream: upstream * 2.0


@tf.recompute_grad
def squared(x: tf.Tensor) -> tf.Tensor:
    """Computed again for its gradient."""
    return x * x


def signatures(x: tf.Tensor) -> None:
    """Functions keep their signatures, and methods are bound."""
    assert_type(scaled(x, by=3.0), tf.Tensor)
    assert_type(scaled.__name__ + halved.__qualname__, str)
    assert_type(halved(x), tuple[tf.Tensor, tf.Tensor])
    assert_type(clipped(x, 5.0), tf.Tensor)
    assert_type(doubled(x), tf.Tensor)
    assert_type(squared(x), tf.Tensor)
    assert_type(Line().fit(x, x, tf.constant(1)), tf.Tensor)
    staged: Function[[tf.Tensor, float], tf.Tensor] = tf.function(clipped)
    assert_type(staged(x, 1.0), tf.Tensor)
    assert_type(tf.slice(x, [0, 0], [1, 1]), tf.Tensor)
    if TYPE_CHECKING:
        scaled(x, of=3.0)  # type: ignore[call-arg]
        scaled()  # type: ignore[call-arg]
        halved("x")  # type: ignore[arg-type]
        Line().fit(x)  # type: ignore[call-arg]
        staged(x, "1")  # type: ignore[arg-type]
        tf.constnat(1)  # type: ignore[attr-defined]
        tf.io.read_fiel("a")  # type: ignore[attr-defined]


def operators(v: tf.Variable, x: tf.Tensor) -> None:
    """Tensors and variables give tensors."""
    assert_type(v + 1.0, tf.Tensor)
    assert_type(2.0 * v - x, tf.Tensor)
    assert_type(-(v @ v), tf.Tensor)
    assert_type(v > 0.0, tf.Tensor)
    assert_type(v == x, tf.Tensor)
    assert_type(divmod(v, 2.0), tuple[tf.Tensor, tf.Tensor])
    assert_type(tf.Variable(x), tf.Variable)
    assert_type(v.assign_add(x), tf.Variable)
    assert_type(v[0].assign(x[0]), tf.Variable)
    assert_type(x.numpy(), npt.NDArray[Any] | Any)


def control_flow(x: tf.Tensor) -> None:
    """What functions return is what the op returns."""
    assert_type(tf.cond(x[0, 0] > 0.0, lambda: x, lambda: -x), tf.Tensor)
    assert_type(tf.case([(x[0, 0] > 0.0, lambda: x)], default=lambda: -x), tf.Tensor)
    assert_type(tf.switch_case(tf.constant(1), [lambda: x, lambda: -x]), tf.Tensor)

    def below_three(n: tf.Tensor, x: tf.Tensor) -> tf.Tensor:
        return n < 3

    def grown(n: tf.Tensor, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return n + 1, x * 2.0

    count = tf.constant(0)
    left = tf.while_loop(below_three, grown, (count, x))
    assert_type(left, tuple[tf.Tensor, tf.Tensor])
    assert_type(tf.while_loop(below_three, grown, [count, x]), list[tf.Tensor])
    assert_type(tf.map_fn(tf.square, x), tf.Tensor)
    assert_type(tf.foldl(tf.add, x), tf.Tensor)

    def both(row: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return row, -row

    pair = tf.map_fn(both, x, fn_output_signature=(tf.float32, tf.float32))
    assert_type(pair, tuple[tf.Tensor, tf.Tensor])


def derivatives(v: tf.Variable) -> None:
    """A gradient is a tensor, or None where there is none."""
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(v * v)
    assert_type(tape.gradient(y, v), tf.Tensor | Any)
    assert_type(tape.gradient(y, [v]), list[tf.Tensor | Any])
    assert_type(tape.gradient(y, (v, v)), tuple[tf.Tensor | Any, ...])
    assert_type(tape.jacobian(y, v), tf.Tensor | Any)


def main() -> tuple[float, list[float], npt.NDArray[np.float32]]:
    """Run all of it."""
    square = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    signatures(square)
    operators(tf.Variable(square), square)
    control_flow(square)
    derivatives(tf.Variable(square))
    x = tf.constant([0.0, 1.0, 2.0])
    loss: tf.Tensor = Line().fit(x, 2.0 * x + 1.0, tf.constant(300))
    rows = tf.constant([[1.0, 2.0], [-1.0, 5.0], [3.0, 4.0]])
    summed: tf.Tensor = tf.function(total)(tf.function(cleared)(rows, tf.constant(0)))
    return float(loss), list(numbers(summed)), as_array(summed)
