"""Convolutions and pooling, and their gradients, in machine code beside TensorFlow's: they take
turns. It is CPU time: other processes hardly change it, and there is one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import runtime as rt
from benchmarks.graphs import InTensorFlow
from benchmarks.native import compare
from benchmarks.peers import peer
from benchmarks.timing import title

Op = Callable[..., Any]
Row = tuple[str, Callable[[Any], Op], list[Any]]
"""A label, the program in a library, and its arrays."""

draw = np.random.default_rng(0).standard_normal


def numbers(*shape: int) -> Any:
    return draw(shape, np.float32)


def convolution(
    batch: int, size: int, channels: tuple[int, int], window: int = 3, stride: int = 1
) -> Row:
    first, second = channels
    label = f"{window}x{window}/{stride}, {first} to {second}, {batch} of {size}x{size}"
    arrays = [numbers(batch, size, size, first), numbers(window, window, *channels)]
    return label, lambda tf: lambda x, w: tf.nn.conv2d(x, w, stride, "SAME"), arrays


def depthwise(batch: int, size: int, channels: int, window: int, stride: int) -> Row:
    label = f"depthwise {window}x{window}/{stride}, {channels}, {batch} of {size}x{size}"
    steps = [1, stride, stride, 1]
    arrays = [numbers(batch, size, size, channels), numbers(window, window, channels, 1)]
    return label, lambda tf: lambda x, w: tf.nn.depthwise_conv2d(x, w, steps, "SAME"), arrays


def pooling(name: str, window: int) -> Row:
    label, arrays = f"{name} {window}x{window}/2, 2 of 56x56x64", [numbers(2, 56, 56, 64)]
    return label, lambda tf: lambda x: getattr(tf.nn, name)(x, window, 2, "SAME"), arrays


def rows() -> Iterator[Row]:
    for batch, size, channels in (
        (32, 28, (1, 16)), (32, 28, (16, 16)), (8, 32, (32, 64)), (8, 28, (48, 48)),
        (8, 56, (64, 64)), (8, 28, (100, 100)), (8, 28, (128, 128)), (8, 14, (256, 256)),
        (1, 14, (128, 128)), (1, 224, (64, 64)),
    ):  # fmt: skip
        yield convolution(batch, size, channels)
    yield convolution(8, 28, (64, 256), 1)
    yield convolution(8, 28, (16, 32), 5)
    yield convolution(2, 112, (3, 64), 7, 2)
    yield convolution(8, 28, (64, 64), 3, 2)
    yield depthwise(8, 28, 64, 3, 1)
    yield depthwise(1, 56, 144, 3, 2)
    yield depthwise(1, 56, 96, 5, 1)
    yield pooling("max_pool2d", 2)
    yield pooling("max_pool2d", 3)
    yield pooling("avg_pool2d", 3)


def convnet(tf: Any) -> Op:
    def loss(x: Any, first: Any, second: Any, dense: Any) -> Any:
        for w in (first, second):
            x = tf.nn.relu(tf.nn.conv2d(x, w, 1, "VALID"))
        made = tf.nn.log_softmax(tf.reduce_mean(x, [1, 2]) @ dense)
        return -tf.reduce_mean(made[:, 0])

    return loss


def gradient(op: Callable[[Any], Op], at: int) -> Callable[[Any], Op]:
    """Of what the op makes, times its first argument, for one of the others."""

    def in_library(tf: Any) -> Op:
        def gradients(g: Any, *given: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(given[at])
                made = op(tf)(*given)
            return tape.gradient(made, given[at], g)

        return gradients

    return in_library


def gradients_of_convnet(tf: Any) -> Op:
    def gradients(x: Any, *weights: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(weights)
            made = convnet(tf)(x, *weights)
        return tape.gradient(made, weights)

    return gradients


def measure(label: str, made: Callable[[Any], Op], arrays: list[Any], sides: list[Any]) -> None:
    ways: dict[str, Callable[[], object]] = {}
    for it in sides:
        staged, given = it.staged(made(it.tf)), [it.array(array) for array in arrays]
        name = "own" if it.tf is rt else "tensorflow"
        ways[name] = partial(staged, *given)
    compare(label, "ms", 1, ways, time.process_time)


def main() -> None:
    title("convolutions and pooling, by turns, CPU time")
    tensorflow = peer("tensorflow")
    sides = [InTensorFlow(rt)] + ([] if tensorflow is None else [InTensorFlow(tensorflow)])
    weights = [numbers(3, 3, 1, 16), numbers(3, 3, 16, 16), numbers(16, 10)]
    batch = [numbers(32, 28, 28, 1), *weights]
    measure("convnet, 32 of 28x28", convnet, batch, sides)
    measure("  for its weights", gradients_of_convnet, batch, sides)
    for label, op, arrays in rows():
        measure(label, op, arrays, sides)
        g = numbers(*op(rt)(*arrays).shape)
        for at, what in enumerate(("images", "filter")[: len(arrays)]):
            measure(f"  for the {what}", gradient(op, at), [g, *arrays], sides)


if __name__ == "__main__":
    main()
