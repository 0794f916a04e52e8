"""A convolutional network on handwritten digits, trained by the `fit` of Keras.

The batches come from a Dataset, whose `map` moves some of the images by a pixel. The `if` in it and
the train step of `fit` depend on tensors: both are staged.
"""

from __future__ import annotations

import sys
from typing import Any

import runtime as tf
from examples.common import SEED, figure, save, split

EPOCHS, BATCH, ACCURACY = 12, 32, 0.97


def moved(image: Any, label: Any) -> tuple[Any, Any]:
    """The image, half of the times moved up or down by a pixel or not at all."""
    if tf.random.uniform([]) < 0.5:
        step = tf.random.uniform([], -1, 2, tf.int32)
        image = tf.roll(image, step, axis=0)
    return image, label


def batches(images: Any, labels: Any) -> Any:
    """Shuffled batches of images as 8 x 8 pixels of one channel."""
    rows = tf.data.Dataset.from_tensor_slices((tf.reshape(images, [-1, 8, 8, 1]), labels))
    return rows.shuffle(len(labels), seed=SEED).map(moved).batch(BATCH).prefetch(2)


def convnet() -> Any:
    """Two convolutions, each with batch normalization, and a dense layer with dropout."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([tf.keras.Input((8, 8, 1))])
    for filters in (16, 32):
        model.add(layers.Conv2D(filters, 3, padding="same", use_bias=False))
        model.add(layers.BatchNormalization())
        model.add(layers.ReLU())
        model.add(layers.MaxPooling2D())
    model.add(layers.Flatten())
    model.add(layers.Dropout(0.3))
    model.add(layers.Dense(10))
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(2e-3), loss, metrics=["accuracy"])
    return model


def draw(history: dict[str, list[float]], wrong: list[tuple[Any, int, int]]) -> None:
    """Write the curves of the training, and some of the images that are mistaken, as a picture."""
    drawn = figure(7, 3)
    left, right = drawn.subfigures(1, 2)
    axis = left.subplots()
    axis.plot(history["accuracy"], label="training")
    axis.plot(history["val_accuracy"], label="validation")
    axis.set(xlabel="epoch", ylabel="accuracy", ylim=(0.8, 1.0))
    axis.legend()
    for place in right.subplots(2, 3).flat:
        place.axis("off")
        if wrong:
            image, found, label = wrong.pop()
            place.imshow(image, cmap="gray_r")
            place.set_title(f"{label}, taken for {found}", fontsize=8)
    print(f"curves and mistakes drawn in {save(drawn, 'convnet.png')}")


def main() -> None:
    """Train, test, draw."""
    tf.config.threading.set_intra_op_parallelism_threads(1)  # the matrices are small
    tf.keras.utils.set_random_seed(SEED)
    training, (held, held_labels), (images, labels) = split()
    model = convnet()
    validation = tf.reshape(held, [-1, 8, 8, 1]), held_labels
    trained = model.fit(batches(*training), epochs=EPOCHS, validation_data=validation)
    images = tf.reshape(images, [-1, 8, 8, 1])
    _, accuracy = model.evaluate(images, labels)
    found = tf.argmax(model.predict(images), axis=1).numpy()
    wrong = [
        (image[:, :, 0].numpy(), digit, int(label))
        for image, digit, label in zip(images, found, labels, strict=True)
        if digit != label
    ]
    print(f"{model.count_params()} weights, {EPOCHS} epochs, {len(wrong)} mistakes")
    print(f"test accuracy {accuracy:.3f}")
    draw(trained.history, wrong)
    if not accuracy > ACCURACY:
        sys.exit(f"the test accuracy should be above {ACCURACY}")


if __name__ == "__main__":
    main()
