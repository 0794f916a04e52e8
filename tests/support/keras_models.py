"""Small models, their data and how they are trained: the same with each backend of Keras.

As a program it trains them with the backend that KERAS_BACKEND names, and prints the losses and
the sums of the weights after the last step as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

STEPS = 5
RNG = np.random.default_rng


def numbers(*shape: int, seed: int = 0) -> Any:
    return RNG(seed).standard_normal(shape).astype("float32")


def classes(count: int, size: int, seed: int = 1) -> Any:
    return RNG(seed).integers(0, count, size)


def dense(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential([
        keras.Input((8,)), layers.Dense(16, activation="relu"),
        layers.Dense(3, activation="softmax"),
    ])  # fmt: skip


def convolutional(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential([
        keras.Input((10, 9, 2)), layers.Conv2D(4, 3, padding="same"),
        layers.BatchNormalization(), layers.ReLU(), layers.MaxPooling2D(),
        layers.Conv2D(5, (2, 3), strides=2, activation="elu"),
        layers.AveragePooling2D(2, padding="same"),
        layers.GlobalAveragePooling2D(), layers.Dense(3),
    ])  # fmt: skip


def functional(keras: Any) -> Any:
    layers = keras.layers
    given = keras.Input((8,))
    x = layers.Dense(6, activation="tanh", kernel_regularizer="l2")(given)
    y = layers.Dense(6, activation="gelu")(given)
    joined = layers.Concatenate()([layers.Add()([x, y]), layers.LayerNormalization()(x)])
    return keras.Model(given, layers.Dense(3)(joined))


def subclassed(keras: Any) -> Any:
    class Residual(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.inner = [keras.layers.Dense(8, activation="swish") for _ in range(2)]
            self.last = keras.layers.Dense(3)

        def call(self, x: Any, training: bool = False) -> Any:
            for layer in self.inner:
                x = x + layer(x)
            return self.last(x)

    model = Residual()
    model(numbers(2, 8))
    return model


def recurrent(kind: str) -> Callable[[Any], Any]:
    def build(keras: Any) -> Any:
        layers = keras.layers
        return keras.Sequential([
            keras.Input((6,), dtype="int32"), layers.Embedding(10, 5, mask_zero=True),
            getattr(layers, kind)(4, return_sequences=True),
            layers.Bidirectional(getattr(layers, kind)(3)), layers.Dense(3),
        ])  # fmt: skip

    return build


def attending(keras: Any) -> Any:
    layers = keras.layers
    given = keras.Input((6, 4))
    x = layers.MultiHeadAttention(2, 3)(given, given, use_causal_mask=True)
    return keras.Model(given, layers.Dense(3)(layers.Flatten()(layers.Add()([x, given]))))


FEATURES, IMAGES, SERIES = numbers(12, 8), numbers(12, 10, 9, 2), numbers(12, 6, 4)
WORDS = RNG(2).integers(0, 10, (12, 6))
LABELS = classes(3, 12)
FROM_LOGITS = "SparseCategoricalCrossentropy"
OPTIMIZERS = (
    *("SGD", "Adam", "AdamW", "Adamax", "Nadam", "RMSprop", "Adagrad", "Adadelta", "Ftrl", "Lion"),
    *("Adafactor", "Lamb", "Muon"),
)
REGRESSIONS = (
    *("MeanSquaredError", "MeanAbsoluteError", "Huber", "LogCosh", "MeanSquaredLogarithmicError"),
    "CosineSimilarity",
)

# name: model, inputs, targets, optimizer and loss by their class names
Case = tuple[Callable[[Any], Any], Any, Any, str, str]
CASES: dict[str, Case] = {
    "dense": (dense, FEATURES, LABELS, "Adam", "sparse_categorical_crossentropy"),
    # By SGD where gradients may be next to nothing, which Adam makes as large as others.
    "convolutional": (convolutional, IMAGES, LABELS, "SGD", FROM_LOGITS),
    "functional": (functional, FEATURES, LABELS, "RMSprop", FROM_LOGITS),
    "subclassed": (subclassed, FEATURES, LABELS, "SGD", FROM_LOGITS),
    "lstm": (recurrent("LSTM"), WORDS, LABELS, "SGD", FROM_LOGITS),
    "gru": (recurrent("GRU"), WORDS, LABELS, "SGD", FROM_LOGITS),
    "simple rnn": (recurrent("SimpleRNN"), WORDS, LABELS, "SGD", FROM_LOGITS),
    "attention": (attending, SERIES, LABELS, "SGD", FROM_LOGITS),
    **{f"with {name}": (dense, FEATURES, numbers(12, 3), name, "MeanSquaredError")
       for name in OPTIMIZERS},
    **{f"by {name}": (dense, FEATURES, abs(numbers(12, 3)), "SGD", name) for name in REGRESSIONS},
}  # fmt: skip


def train(keras: Any, name: str) -> dict[str, Any]:
    """The losses of some steps, and the sum of the magnitudes of each weight after them."""
    build, x, y, optimizer, loss = CASES[name]
    keras.utils.set_random_seed(1)
    model = build(keras)
    rng = RNG(7)
    model.set_weights([_initial(weight, rng) for weight in model.get_weights()])
    chosen = getattr(keras.losses, loss)(from_logits=True) if loss == FROM_LOGITS else loss
    model.compile(getattr(keras.optimizers, optimizer)(0.01), chosen)
    history = model.fit(x, y, batch_size=5, epochs=STEPS, shuffle=False, verbose=0)
    weights = [float(np.abs(weight).sum()) for weight in model.get_weights()]
    outputs = float(np.abs(model.predict(x, verbose=0)).sum())
    return {"losses": history.history["loss"], "weights": weights, "outputs": outputs}


def _initial(weight: Any, rng: Any) -> Any:
    if weight.dtype.kind != "f":
        return weight
    return 0.5 + 0.1 * abs(rng.standard_normal(weight.shape)).astype("float32")


def main() -> None:
    import keras

    json.dump({name: train(keras, name) for name in sys.argv[1:] or CASES}, sys.stdout)


if __name__ == "__main__":
    main()
