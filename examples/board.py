"""A run for TensorBoard: a staged training that writes scalars, histograms and images.

`tensorboard --logdir examples/output/board` shows it. The summaries stand in the training, behind
an `if` of each step, and are written while the graph runs. At the end the curve is read back from
the file, as TensorBoard reads it.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

import runtime as tf
from examples import common
from examples.common import SEED, figure, save, split

STEPS, BATCH, RATE, EVERY, ACCURACY = 600, 64, 0.2, 20, 0.9


@tf.function
def train(weights: Any, bias: Any, images: Any, labels: Any, steps: Any) -> None:
    """Logistic regression of ten digits, by gradient descent; every so often a summary."""
    for step in tf.range(steps):
        batch = tf.random.stateless_uniform([BATCH], [SEED, step], 0, len(images), tf.int32)
        chosen, digits = tf.gather(images, batch), tf.gather(labels, batch)
        with tf.GradientTape() as tape:
            logits = chosen @ weights + bias
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(digits, logits))
        slopes = tape.gradient(loss, [weights, bias])
        weights.assign_sub(RATE * slopes[0])
        bias.assign_sub(RATE * slopes[1])
        if step % EVERY == 0:
            right = tf.argmax(logits, axis=1) == digits
            number = tf.cast(step, tf.int64)
            tf.summary.scalar("loss", loss, step=number)
            tf.summary.scalar("accuracy", tf.reduce_mean(tf.cast(right, tf.float32)), step=number)
            tf.summary.histogram("weights", weights, step=number)
            tf.summary.image("templates", templates(weights), step=number, max_outputs=10)


def templates(weights: Any) -> Any:
    """The weights of each digit as an image of one channel, from 0 to 1."""
    rows = tf.transpose(weights)
    low, high = tf.reduce_min(rows), tf.reduce_max(rows)
    return tf.reshape(tf.math.divide_no_nan(rows - low, high - low), [10, 8, 8, 1])


def read(folder: Path) -> Any:
    """What TensorBoard finds in a folder."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    return EventAccumulator(str(folder), {"tensors": 0}).Reload()


def curve(found: Any, name: str) -> tuple[list[int], list[float]]:
    """The steps and the values of a scalar."""
    from tensorboard.util.tensor_util import make_ndarray

    events = found.Tensors(name)
    return [e.step for e in events], [float(make_ndarray(e.tensor_proto)) for e in events]


def draw(found: Any, weights: Any) -> None:
    """Write the curves that were read, and the templates, as a picture."""
    drawn = figure(8, 3)
    left, right = drawn.subfigures(1, 2)
    axis = left.subplots()
    for name in ("loss", "accuracy"):
        axis.plot(*curve(found, name), label=name)
    axis.set(xlabel="step")
    axis.legend()
    for place, image in zip(right.subplots(2, 5).flat, templates(weights), strict=True):
        place.imshow(image[:, :, 0], cmap="gray_r")
        place.axis("off")
    print(f"curves and templates drawn in {save(drawn, 'board.png')}")


def main() -> None:
    """Train with a writer, read back, test, draw."""
    tf.config.threading.set_intra_op_parallelism_threads(1)  # the matrices are small
    folder = common.OUTPUT / "board"
    shutil.rmtree(folder, ignore_errors=True)
    training, _, (images, labels) = split()
    weights, bias = tf.Variable(tf.zeros([64, 10])), tf.Variable(tf.zeros([10]))
    writer = tf.summary.create_file_writer(str(folder))
    with writer.as_default():
        train(weights, bias, *training, tf.constant(STEPS))
    writer.close()
    found = read(folder)
    _, losses = curve(found, "loss")
    accuracy = np.mean(np.argmax(images @ weights + bias, axis=1) == labels)
    print(f"TensorBoard reads {', '.join(found.Tags()['tensors'])}, {len(losses)} times each")
    print(f"loss {losses[0]:.3f} to {losses[-1]:.3f}, test accuracy {accuracy:.3f}")
    draw(found, weights)
    if not accuracy > ACCURACY:
        sys.exit(f"the test accuracy should be above {ACCURACY}")


if __name__ == "__main__":
    main()
