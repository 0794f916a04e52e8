"""A training that is killed half-way and goes on in another process, to the same weights.

Each epoch ends with a checkpoint of the weights, their speeds and the number of epochs. The order
of the images follows from that number, so that a process that goes on does what the one before it
would have done.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import runtime as tf
from examples.common import SEED, figure, save, split

EPOCHS, BATCH, KILLED_IN = 8, 32, 5
HIDDEN, RATE, MOMENTUM = 64, 0.02, 0.9
ROOT = Path(tf.__file__).parent.parent


class Training(tf.Module):
    """All that a process needs to go on: what is saved, and how an epoch is done."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        shapes = [64, HIDDEN], [HIDDEN], [HIDDEN, 10], [10]
        self.weights = [
            tf.Variable(0.1 * tf.random.stateless_normal(shape, seed=[SEED, place]))
            for place, shape in enumerate(shapes)
        ]
        self.speeds = [tf.Variable(tf.zeros_like(weight)) for weight in self.weights]
        self.epoch, self.losses = tf.Variable(0), tf.Variable(tf.zeros([EPOCHS]))
        saved = tf.train.Checkpoint(training=self)
        self.manager = tf.train.CheckpointManager(saved, folder, max_to_keep=2)
        self.images, self.labels = split()[0]

    def __call__(self, images: Any) -> Any:
        first, first_bias, second, second_bias = self.weights
        return tf.nn.relu(images @ first + first_bias) @ second + second_bias

    # One executor for all calls: then sums are rounded alike, whenever a process began.
    @tf.function(executor="numpy")
    def one_epoch(self, killed: Any) -> None:
        """Gradient descent with momentum; `killed` half-way, by the signal that nobody catches."""
        seed = [SEED, self.epoch]
        order = tf.random.experimental.stateless_shuffle(tf.range(len(self.images)), seed)
        total = tf.constant(0.0)
        for first in tf.range(0, len(self.images), BATCH):
            batch = order[first : first + BATCH]
            labels = tf.gather(self.labels, batch)
            with tf.GradientTape() as tape:
                logits = self(tf.gather(self.images, batch))
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
                loss = tf.reduce_mean(losses)
            slopes = tape.gradient(loss, self.weights)
            for weight, speed, slope in zip(self.weights, self.speeds, slopes, strict=True):
                weight.assign_sub(RATE * speed.assign(MOMENTUM * speed + slope))
            total += loss * len(batch)
            if killed and first > len(self.images) // 2:
                tf.py_function(lambda: os.kill(os.getpid(), signal.SIGKILL), [], [])
        self.losses[self.epoch].assign(total / len(self.images))
        self.epoch.assign_add(1)

    def run(self, killed_in: int = 0) -> None:
        """From the last checkpoint, if there is one, to the end."""
        self.manager.restore_or_initialize()
        while self.epoch < EPOCHS:
            self.one_epoch(tf.constant(int(self.epoch) + 1 == killed_in))
            self.manager.save()

    def accuracy(self) -> float:
        """The share of the test images that are recognized."""
        images, labels = split()[2]
        return float(np.mean(np.argmax(self(images), axis=1) == labels))


def process(folder: str, killed_in: int = 0) -> int:
    """Train in a process of its own; how it ended, as a negative number if by a signal."""
    command = [sys.executable, "-m", "examples.resume", folder, str(killed_in)]
    return subprocess.run(command, cwd=ROOT).returncode


def draw(losses: Any) -> None:
    """Write the losses, and when the process was killed, as a picture."""
    drawn = figure(6, 3.2)
    axis = drawn.subplots()
    axis.plot(np.arange(1, EPOCHS + 1), losses, marker="o")
    axis.axvline(KILLED_IN - 0.5, color="tab:red", label="killed here")
    axis.set(xlabel="epoch", ylabel="cross entropy", yscale="log")
    axis.legend()
    print(f"losses drawn in {save(drawn, 'resume.png')}")


def main() -> None:
    """Train without and with a kill, compare, draw."""
    with tempfile.TemporaryDirectory() as whole, tempfile.TemporaryDirectory() as broken:
        undisturbed = Training(whole)
        undisturbed.run()
        ends = [process(broken, KILLED_IN)]
        kept = tf.train.latest_checkpoint(broken)
        print(
            f"the first process ended with {ends[0]}, and left {Path(kept or 'nothing').name}",
            flush=True,
        )
        ends.append(process(broken))
        resumed = Training(broken)
        resumed.manager.restore_or_initialize()
        print(f"the second one ended with {ends[1]}, after epoch {int(resumed.epoch)}")
    pairs = zip(undisturbed.variables, resumed.variables, strict=True)
    same = all(np.array_equal(ours, theirs) for ours, theirs in pairs)
    print(f"weights and speeds are those of a training without a kill: {same}")
    print(f"test accuracy {resumed.accuracy():.3f}")
    draw(resumed.losses.numpy())
    if not same or ends != [-signal.SIGKILL, 0]:
        sys.exit("the second process should end where an undisturbed one does")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Training(sys.argv[1]).run(int(sys.argv[2]))
    else:
        main()
