"""Mixed precision: weights of 32 bits, computation in 16, on handwritten digits.

The same network is trained three times, each under another policy of Keras. `float16` has few
exponents, so that small slopes would become zero: Keras scales the loss up and the slopes down.
`bfloat16` has the range of float32, with fewer digits. On a CPU neither is faster; both halve the
memory of what is computed.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import runtime as tf
from examples.common import SEED, figure, save, split

POLICIES = "float32", "mixed_float16", "mixed_bfloat16"
EPOCHS, BATCH, ACCURACY = 15, 32, 0.95


def network(policy: str) -> Any:
    """Two hidden layers under a policy; the last layer gives float32 under each of them."""
    tf.keras.utils.set_random_seed(SEED)
    tf.keras.mixed_precision.set_global_policy(policy)
    layers = tf.keras.layers
    hidden = [layers.Dense(64, activation="relu") for _ in range(2)]
    logits = layers.Dense(10, dtype="float32")
    model = tf.keras.Sequential([tf.keras.Input((64,)), *hidden, logits])
    tf.keras.mixed_precision.set_global_policy("float32")
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.Adam(1e-3)
    if policy == "mixed_float16":
        optimizer = tf.keras.optimizers.LossScaleOptimizer(optimizer)
    model.compile(optimizer, loss, metrics=["accuracy"])
    return model


def draw(losses: dict[str, list[float]]) -> None:
    """Write the losses of float32, and how far the others are from them, as a picture."""
    drawn = figure(7, 3)
    left, right = drawn.subplots(1, 2)
    exact = np.array(losses["float32"])
    epochs = np.arange(1, len(exact) + 1)
    left.plot(epochs, exact, label="float32")
    left.set(xlabel="epoch", ylabel="cross entropy", yscale="log")
    for policy in POLICIES[1:]:
        right.plot(epochs, np.abs(losses[policy] / exact - 1), label=policy)
    right.set(xlabel="epoch", ylabel="relative difference of it", yscale="log")
    right.legend()
    print(f"losses drawn in {save(drawn, 'mixed.png')}")


def main() -> None:
    """Train under each policy, say what has which dtype, compare, draw."""
    tf.config.threading.set_intra_op_parallelism_threads(1)  # the matrices are small
    training, _, (images, labels) = split()
    losses, accuracies = {}, []
    for policy in POLICIES:
        model = network(policy)
        trained = model.fit(*training, batch_size=BATCH, epochs=EPOCHS)
        losses[policy] = trained.history["loss"]
        accuracies.append(model.evaluate(images, labels)[1])
        hidden, weight = model.layers[0](images[:1]), model.layers[0].kernel
        print(f"{policy}: weights {weight.dtype}, computed in {hidden.dtype.name}, ", end="")
        print(f"test accuracy {accuracies[-1]:.3f}")
    draw(losses)
    if not min(accuracies) > ACCURACY:
        sys.exit(f"each test accuracy should be above {ACCURACY}")


if __name__ == "__main__":
    main()
