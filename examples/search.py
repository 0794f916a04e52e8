"""Line search: how far to step is decided by a `while` inside of the `while` that trains.

A logistic regression learns to tell benign tumours from malignant ones. Each step goes down the
slope, and its length is halved until the loss has fallen enough (L. Armijo, "Minimization of
functions having Lipschitz continuous first partial derivatives", 1966). No rate is chosen by hand.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import autograph
import runtime as tf
from examples.common import figure, save, seconds, tumours

STEPS, ENOUGH, DECAY = 200, 0.5, 1e-3
FLAT, ACCURACY, TOLERANCE = 1e-4, 0.97, 1e-9


def loss_of(weights: Any, rows: Any, signs: Any) -> Any:
    """The mean logistic loss, and a small price for large weights."""
    margins = signs * tf.linalg.matvec(rows, weights)
    return tf.reduce_mean(tf.nn.softplus(-margins)) + DECAY * tf.reduce_sum(weights * weights)


def minimize(weights: Any, rows: Any, signs: Any, steps: Any) -> Any:
    """The weights, the loss and the rate of each step, and the number of losses computed."""
    history = tf.TensorArray(tf.float64, size=0, dynamic_size=True)
    rate, step, tried = tf.constant(1.0, tf.float64), 0, 0
    while step < steps:
        with tf.GradientTape() as tape:
            tape.watch(weights)
            loss = loss_of(weights, rows, signs)
        slope = tape.gradient(loss, weights)
        steepness = tf.reduce_sum(slope * slope)
        if steepness < FLAT**2:
            break
        rate *= 4.0
        new = loss
        while new > loss - ENOUGH * rate * steepness:
            rate /= 2.0
            new = loss_of(weights - rate * slope, rows, signs)
            tried += 1
        weights -= rate * slope
        history = history.write(step, [new, rate])
        step += 1
    return weights, history.stack(), tried


def draw(history: Any) -> None:
    """Write the loss and the rate of each step as a picture."""
    drawn = figure(7, 3)
    left, right = drawn.subplots(1, 2)
    left.plot(history[:, 0])
    left.set(xlabel="step", ylabel="loss", yscale="log")
    right.plot(history[:, 1], drawstyle="steps-mid", color="tab:red")
    right.set(xlabel="step", ylabel="rate found", yscale="log")
    print(f"losses and rates drawn in {save(drawn, 'search.png')}")


def main() -> None:
    """Search both ways, compare, time, draw."""
    tf.config.threading.set_intra_op_parallelism_threads(1)  # the matrices are small
    rows, benign = tumours()
    signs = np.where(benign == 1, 1.0, -1.0)
    arguments = [tf.constant(part) for part in (np.zeros(rows.shape[1]), rows, signs, STEPS)]
    staged = tf.function(minimize)
    weights, history, tried = staged(*arguments)
    pairs = zip((weights, history, tried), minimize(*arguments), strict=True)
    difference = max(float(np.abs(np.subtract(ours, theirs)).max()) for ours, theirs in pairs)
    accuracy = np.mean(np.sign(rows @ weights.numpy()) == signs)
    print(f"{len(history)} steps, {int(tried)} losses computed, ", end="")
    print(f"rates from {min(history[:, 1]):.3g} to {max(history[:, 1]):.3g}")
    print(f"loss {history[0, 0]:.3f} to {history[-1, 0]:.4f}, accuracy {accuracy:.3f}")
    print(f"graph and plain Python differ by {difference:.1e} at most")
    print(f"plain {1e3 * seconds(lambda: minimize(*arguments)):.0f} ms, ", end="")
    print(f"graph {1e3 * seconds(lambda: staged(*arguments)):.0f} ms")
    draw(history.numpy())
    if not (difference <= TOLERANCE and accuracy > ACCURACY):
        sys.exit("both ways should agree, and tell the tumours apart")
    print(f"What ran, `minimize` converted:\n\n{autograph.to_code(minimize)}")


if __name__ == "__main__":
    main()
