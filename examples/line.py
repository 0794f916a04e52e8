"""A line through noisy points, found by gradient descent in one staged function.

The points lie around 3 x + 2. The whole training is one graph: the loop over the steps, the tape,
the optimizer of Keras, the `if` that prints now and then, and the `break` where the loss stays as
it is.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import runtime as tf
from examples.common import SEED, figure, save

POINTS, STEPS, TOLERANCE = 2000, 1000, 1e-2


class Line(tf.keras.Model):
    """weight * x + bias, begun far away."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable(5.0, name="weight")
        self.bias = tf.Variable(10.0, name="bias")

    def call(self, inputs: Any) -> Any:
        return inputs * self.weight + self.bias


@tf.function
def train(model: Line, optimizer: Any, inputs: Any, targets: Any, steps: Any) -> Any:
    """The losses before each step that was made."""
    losses = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    last = tf.constant(float("inf"))
    for step in tf.range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(inputs) - targets))
        if step % 50 == 0:
            tf.print("step", step, "loss", loss, output_stream=sys.stdout)
        losses = losses.write(step, loss)
        if last - loss < 1e-6:
            break
        last = loss
        slopes = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(slopes, model.trainable_variables, strict=True))
    return losses.stack()


def draw(inputs: Any, targets: Any, model: Line, losses: Any) -> None:
    """Write the points, the line and the losses as a picture."""
    drawn = figure(7, 3)
    points, curve = drawn.subplots(1, 2)
    points.scatter(inputs, targets, s=2, alpha=0.4)
    ends = np.array([inputs.min(), inputs.max()])
    points.plot(ends, model(ends), color="tab:red")
    curve.plot(losses)
    curve.set(xlabel="step", ylabel="mean squared error", yscale="log")
    print(f"line and losses drawn in {save(drawn, 'line.png')}")


def main() -> None:
    """Train, compare with least squares, draw."""
    random = np.random.default_rng(SEED)
    inputs, noise = random.normal(size=(2, POINTS)).astype(np.float32)
    targets = 3 * inputs + 2 + noise
    model = Line()
    model(inputs)  # a model and an optimizer are built before a staged loop
    optimizer = tf.keras.optimizers.SGD(learning_rate=0.01)
    optimizer.build(model.trainable_variables)
    losses = train(model, optimizer, inputs, targets, tf.constant(STEPS))
    found = np.array([model.weight, model.bias])
    exact = np.polyfit(inputs, targets, 1)
    difference = float(np.abs(found - exact).max())
    print(f"{len(losses)} steps, loss {losses[0]:.3f} to {losses[-1]:.3f}")
    print(f"the line {found[0]:.3f} x + {found[1]:.3f}")
    print(f"least squares differ by {difference:.1e}")
    draw(inputs, targets, model, losses.numpy())
    if not difference <= TOLERANCE:
        sys.exit("gradient descent should find the line of least squares")


if __name__ == "__main__":
    main()
