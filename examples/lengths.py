"""A recurrent network over sequences of many lengths, written as a loop over one of them.

A digit is read column by column, from its first inked column to its last: a 1 is short, an 8 is
long. `read` is plain Python for one sequence and stops where it ends; `vectorized_map` makes of it
what reads a whole batch, in which each sequence ends at its own column.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import runtime as tf
from examples.common import SEED, digits, figure, save, seconds

UNITS, BATCH, EPOCHS, RATE, INK = 64, 32, 20, 0.05, 0.3
ACCURACY, TOLERANCE = 0.9, 1e-4


class Reader(tf.Module):
    """A recurrent cell, and a logit of its last state for each of ten digits."""

    def __init__(self) -> None:
        super().__init__()
        shapes = [8, UNITS], [UNITS, UNITS], [UNITS], [UNITS, 10], [10]
        self.weights = [
            tf.Variable(tf.random.stateless_normal(shape, [SEED, place]) / np.sqrt(shape[0]))
            for place, shape in enumerate(shapes)
        ]

    def read(self, columns: Any, length: Any) -> Any:
        """The logits of one sequence: its columns, of which the first `length` count."""
        inward, onward, bias, outward, last_bias = self.weights
        state = tf.zeros([1, UNITS])
        for t in range(8):
            if t < length:
                state = tf.tanh(columns[t : t + 1] @ inward + state @ onward + bias)
        return (state @ outward + last_bias)[0]

    def __call__(self, sequences: Any, lengths: Any) -> Any:
        return tf.vectorized_map(lambda each: self.read(*each), (sequences, lengths))


def train(model: Reader, sequences: Any, lengths: Any, labels: Any, epochs: Any) -> Any:
    """The loss of each epoch."""
    losses = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for epoch in tf.range(epochs):
        order = tf.random.experimental.stateless_shuffle(tf.range(len(labels)), seed=[SEED, epoch])
        total = tf.constant(0.0)
        for first in tf.range(0, len(labels) - BATCH + 1, BATCH):
            batch = tf.ensure_shape(order[first : first + BATCH], [BATCH])
            with tf.GradientTape() as tape:
                logits = model(tf.gather(sequences, batch), tf.gather(lengths, batch))
                wanted = tf.gather(labels, batch)
                each = tf.nn.sparse_softmax_cross_entropy_with_logits(wanted, logits)
                loss = tf.reduce_mean(each)
            slopes = tape.gradient(loss, model.weights)
            slopes, _ = tf.clip_by_global_norm(slopes, 1.0)
            for weight, slope in zip(model.weights, slopes, strict=True):
                weight.assign_sub(RATE * slope)
            total += loss
        losses = losses.write(epoch, total / (len(labels) // BATCH))
    return losses.stack()


def sequences() -> tuple[Any, Any, Any]:
    """The inked columns of each digit, padded by zeros to 8, their number, and the digit."""
    images, labels = digits()
    columns = images.reshape(-1, 8, 8).transpose(0, 2, 1)
    found = np.zeros_like(columns)
    lengths = np.zeros(len(images), np.int32)
    for place, image in enumerate(columns):
        inked = np.flatnonzero(image.max(axis=1) > INK)
        lengths[place] = inked[-1] - inked[0] + 1
        found[place, : lengths[place]] = image[inked[0] : inked[-1] + 1]
    return found, lengths, labels


def draw(losses: Any, lengths: Any, labels: Any) -> None:
    """Write the losses and the lengths of the digits as a picture."""
    drawn = figure(7, 3)
    left, right = drawn.subplots(1, 2)
    left.plot(np.arange(1, len(losses) + 1), losses)
    left.set(xlabel="epoch", ylabel="cross entropy", yscale="log")
    right.boxplot([lengths[labels == digit] for digit in range(10)], tick_labels=range(10))
    right.set(xlabel="digit", ylabel="inked columns")
    print(f"losses and lengths drawn in {save(drawn, 'lengths.png')}")


def main() -> None:
    """Train, compare a batch with one sequence after the other, time, draw."""
    tf.config.threading.set_intra_op_parallelism_threads(1)  # the matrices are small
    every, lengths, labels = sequences()
    order = np.random.default_rng(SEED).permutation(len(labels))
    training, test = np.split(order, [int(0.8 * len(order))])
    model = Reader()
    parts = (tf.constant(part[training]) for part in (every, lengths, labels))
    arguments: list[Any] = [model, *parts, tf.constant(EPOCHS)]
    losses = tf.function(train)(*arguments)
    some = tf.constant(every[test]), tf.constant(lengths[test])
    staged = tf.function(lambda *each: model(*each))
    logits = staged(*some)
    in_turn = [model.read(*one) for one in zip(*some, strict=True)]
    difference = float(np.abs(np.subtract(logits, in_turn)).max())
    accuracy = np.mean(np.argmax(logits, axis=1) == labels[test])
    print(f"lengths from {lengths.min()} to {lengths.max()}, loss {losses[0]:.3f} to ", end="")
    print(f"{losses[-1]:.3f}, test accuracy {accuracy:.3f}")
    print(f"a batch and one sequence after the other differ by {difference:.1e} at most")
    print(f"in turn {1e3 * seconds(lambda: model(*some), 1):.0f} ms, ", end="")
    print(f"as one batch {1e3 * seconds(lambda: staged(*some)):.1f} ms")
    draw(losses.numpy(), lengths, labels)
    if not (difference <= TOLERANCE and accuracy > ACCURACY):
        sys.exit("the batch should be as each of its sequences, and the digits be read")


if __name__ == "__main__":
    main()
