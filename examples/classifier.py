"""A classifier of handwritten digits, its whole training one staged function.

A network with one hidden layer learns by gradient descent: epochs over shuffled batches, a rate
that is halved where the validation loss gets no better, and an end where it stays so. The loops,
the `if`, the `break`, the tape and the updates of the weights are one graph.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np

import autograph
import runtime as tf
from examples.common import SEED, figure, save, seconds, split

HIDDEN, BATCH, EPOCHS, PATIENCE = 128, 32, 60, 4
RATE, ACCURACY, TOLERANCE = 0.2, 0.95, 1e-3


class Classifier(tf.Module):
    """Two dense layers: 64 pixels in, a logit for each of ten digits out."""

    def __init__(self) -> None:
        super().__init__(name="classifier")
        shapes = [64, HIDDEN], [HIDDEN], [HIDDEN, 10], [10]
        self.weights = [tf.Variable(tf.zeros(shape)) for shape in shapes]

    def start(self) -> None:
        """Begin anew, with the same random numbers each time."""
        for place, weight in enumerate(self.weights):
            weight.assign(0.1 * tf.random.stateless_normal(weight.shape, seed=[SEED, place]))

    def __call__(self, images: Any) -> Any:
        first, first_bias, second, second_bias = self.weights
        return tf.nn.relu(images @ first + first_bias) @ second + second_bias

    def loss(self, images: Any, labels: Any) -> Any:
        """The mean cross entropy."""
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=self(images))
        return tf.reduce_mean(losses)


def train(model: Classifier, training: Any, validation: Any, epochs: Any) -> Any:
    """The losses of each epoch (training, validation), and the last rate."""
    images, labels = training
    losses = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    rate, best, waited = tf.constant(RATE), tf.constant(float("inf")), 0
    model.start()
    for epoch in tf.range(epochs):
        order = tf.random.experimental.stateless_shuffle(tf.range(len(images)), seed=[SEED, epoch])
        total = 0.0
        for first in tf.range(0, len(images), BATCH):
            batch = order[first : first + BATCH]
            with tf.GradientTape() as tape:
                loss = model.loss(tf.gather(images, batch), tf.gather(labels, batch))
            slopes = tape.gradient(loss, model.weights)
            for weight, slope in zip(model.weights, slopes, strict=True):
                weight.assign_sub(rate * slope)
            total += loss * len(batch)
        now = model.loss(*validation)
        losses = losses.write(epoch, [total / len(images), now])
        if now < best:
            best, waited = now, 0
        else:
            rate, waited = rate * 0.5, waited + 1
        if waited == PATIENCE:
            break
    return losses.stack(), rate


def draw(losses: Any) -> None:
    """Write the losses as a picture, and say where."""
    drawn = figure(6, 3.2)
    axis = drawn.subplots()
    axis.plot(np.arange(1, len(losses) + 1), losses, label=["training", "validation"])
    axis.set(xlabel="epoch", ylabel="cross entropy", yscale="log")
    axis.legend()
    print(f"losses drawn in {save(drawn, 'classifier.png')}")


def main() -> None:
    """Train both ways, compare, time, draw, test."""
    tf.config.threading.set_intra_op_parallelism_threads(1)  # the matrices are small
    print("A classifier of handwritten digits, trained both ways (some seconds):", flush=True)
    training, validation, (images, labels) = split()
    graph, plain = Classifier(), Classifier()
    in_graph = partial(tf.function(train), graph, training, validation, tf.constant(EPOCHS))
    in_python = partial(train, plain, training, validation, tf.constant(EPOCHS))
    losses, rate = in_graph()
    pairs = zip([losses, rate, *graph.weights], [*in_python(), *plain.weights], strict=True)
    difference = max(float(tf.reduce_max(tf.abs(ours - theirs))) for ours, theirs in pairs)
    accuracy = np.mean(np.argmax(graph(images), axis=1) == labels)
    print(f"{len(losses)} of {EPOCHS} epochs, rate {RATE} to {float(rate):.2g}")
    print(f"losses, rate and weights of graph and plain Python differ by {difference:.1e} at most")
    print(f"plain {seconds(in_python, 2):.2f} s, graph {seconds(in_graph, 2):.2f} s a training")
    draw(losses.numpy())
    print(f"test accuracy {accuracy:.3f}")
    if not difference <= TOLERANCE:
        sys.exit("graph and plain Python should agree")
    if not accuracy > ACCURACY:
        sys.exit(f"the test accuracy should be above {ACCURACY}")
    print(f"What ran, `train` converted:\n\n{autograph.to_code(train)}")


if __name__ == "__main__":
    main()
