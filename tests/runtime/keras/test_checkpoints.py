"""Keras' objects in checkpoints: training goes on as if it had not been interrupted."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as rt

if find_spec("keras") is None:
    pytest.skip("Keras is not installed", allow_module_level=True)

import runtime.keras as keras

RNG = np.random.default_rng(0)
IMAGES = RNG.standard_normal((4, 8, 8, 1)).astype("f")
LABELS = np.array([1, 0, 9, 3])


def images_model() -> Any:
    return keras.Sequential([
        keras.layers.Conv2D(16, [3, 3], activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10),
    ])  # fmt: skip


class Subclassed(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = [keras.layers.Dense(4), keras.layers.Dropout(0.5), keras.layers.LSTM(3)]
        self.by_name = {"norm": keras.layers.BatchNormalization(), "out": keras.layers.Dense(10)}
        self.scale = rt.Variable(2.0)

    def call(self, x: Any, training: Any = None) -> Any:
        x = keras.ops.squeeze(x, -1)
        for block in self.blocks:
            x = block(x)
        return self.by_name["out"](self.by_name["norm"](x, training=training)) * self.scale


def functional_model() -> Any:
    x = keras.Input((8, 8, 1))
    y = keras.layers.Flatten()(x)
    y = keras.layers.Dropout(0.3)(keras.layers.Dense(5, activation="tanh")(y))
    return keras.Model(x, keras.layers.Dense(10)(y))


MODELS: dict[str, Callable[[], Any]] = {
    "sequential": images_model,
    "subclassed": Subclassed,
    "functional": functional_model,
}
OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "adam": lambda: keras.optimizers.Adam(0.01),
    "momentum": lambda: keras.optimizers.SGD(0.01, momentum=0.9, use_ema=True),
    "scaled": lambda: keras.optimizers.LossScaleOptimizer(keras.optimizers.RMSprop(0.01)),
}


def step(model: Any, optimizer: Any, staged: bool = True) -> float:
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def one() -> Any:
        with rt.GradientTape() as tape:
            loss = loss_of(LABELS, model(IMAGES, training=True))
        variables = model.trainable_variables
        optimizer.apply(tape.gradient(loss, variables), variables)
        return loss

    return float(rt.function(one)() if staged else one())


def weights(model: Any, optimizer: Any) -> list[Any]:
    return [np.asarray(item) for item in (*model.variables, *optimizer.variables)]


@pytest.mark.parametrize("staged", [True, False])
@pytest.mark.parametrize("optimizer_name", OPTIMIZERS)
@pytest.mark.parametrize("name", MODELS)
def test_training_goes_on(name: str, optimizer_name: str, staged: bool, tmp_path: Path) -> None:
    model, optimizer = MODELS[name](), OPTIMIZERS[optimizer_name]()
    root = rt.train.Checkpoint(optimizer=optimizer, model=model)
    for _ in range(2):
        step(model, optimizer, staged)
    root.save(tmp_path / "ckpt")
    expected = weights(model, optimizer)
    losses = [step(model, optimizer, staged) for _ in range(2)]
    after = weights(model, optimizer)

    root.restore(rt.train.latest_checkpoint(tmp_path)).assert_consumed()
    np.testing.assert_equal(weights(model, optimizer), expected)
    assert [step(model, optimizer, staged) for _ in range(2)] == losses
    np.testing.assert_equal(weights(model, optimizer), after)

    # Into objects that have no variables yet, which come by in a step.
    model, optimizer = MODELS[name](), OPTIMIZERS[optimizer_name]()
    root = rt.train.Checkpoint(optimizer=optimizer, model=model)
    status = root.restore(rt.train.latest_checkpoint(tmp_path))
    assert [step(model, optimizer, staged) for _ in range(2)] == losses
    status.assert_consumed()
    np.testing.assert_equal(weights(model, optimizer), after)


def test_fit_goes_on(tmp_path: Path) -> None:
    def compiled() -> Any:
        model = images_model()
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        return model

    model = compiled()
    model.fit(IMAGES, LABELS, shuffle=False)
    path = rt.train.Checkpoint(model).write(tmp_path / "one")
    model.fit(IMAGES, LABELS, shuffle=False)
    other = compiled()
    status = rt.train.Checkpoint(other).read(path)
    other.fit(IMAGES, LABELS, shuffle=False)
    status.assert_consumed()
    np.testing.assert_equal(
        weights(other, other.optimizer), weights(model, model.optimizer)
    )  # fmt: skip


def test_a_manager_keeps_the_last(tmp_path: Path) -> None:
    model, optimizer = images_model(), keras.optimizers.Adam()
    checkpoint = rt.train.Checkpoint(model=model, optimizer=optimizer)
    manager = rt.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    for _ in range(3):
        step(model, optimizer)
        manager.save()
    assert len(manager.checkpoints) == 2
    expected = weights(model, optimizer)
    step(model, optimizer)
    assert manager.restore_or_initialize() == manager.latest_checkpoint
    np.testing.assert_equal(weights(model, optimizer), expected)


def test_metrics_and_variables(tmp_path: Path) -> None:
    def objects() -> dict[str, Any]:
        return {"mean": keras.metrics.Mean(), "v": keras.Variable([1.0, 2.0]),
                "seed": keras.random.SeedGenerator(3)}  # fmt: skip

    made, other = objects(), objects()
    made["mean"].update_state([1.0, 4.0])
    made["v"].assign([5.0, 6.0])
    draws = keras.random.normal((2,), seed=made["seed"])
    path = rt.train.Checkpoint(**made).write(tmp_path / "one")
    assert not np.array_equal(draws, keras.random.normal((2,), seed=made["seed"]))
    rt.train.Checkpoint(**other).read(path).assert_consumed()
    assert float(other["mean"].result()) == 2.5
    assert other["v"].numpy().tolist() == [5.0, 6.0]
    rt.train.Checkpoint(**made).read(path).assert_consumed()
    a, b = (keras.random.normal((2,), seed=each["seed"]) for each in (made, other))
    np.testing.assert_array_equal(a, b)


def test_a_model_in_a_module(tmp_path: Path) -> None:
    class Holder(rt.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = [images_model()]

    made, other = Holder(), Holder()
    expected = made.parts[0](IMAGES)
    path = rt.train.Checkpoint(made).write(tmp_path / "one")
    status = rt.train.Checkpoint(other).read(path)
    np.testing.assert_array_equal(other.parts[0](IMAGES), expected)
    status.assert_consumed()


def test_another_shape_is_refused(tmp_path: Path) -> None:
    def model(size: int) -> Any:
        return keras.Sequential([keras.Input((3,)), keras.layers.Dense(size)])

    path = rt.train.Checkpoint(model=model(2)).write(tmp_path / "one")
    with pytest.raises(ValueError, match=r"incompatible tensor with shape \(3, 2\)"):
        rt.train.Checkpoint(model=model(4)).read(path)


@pytest.mark.parametrize(("optimizer", "size"), [("SGD", 4), ("Adam", 8), ("RMSprop", 8)])
def test_names_are_tensorflows(optimizer: str, size: int, tmp_path: Path) -> None:
    """Those that `tf.train.list_variables` gives of the same objects under TensorFlow 2.21."""
    model = keras.Sequential([
        keras.layers.Dense(2), keras.layers.Dropout(0.5), keras.layers.BatchNormalization(),
    ])  # fmt: skip
    options = {} if optimizer == "Adam" else {"momentum": 0.9}
    model.compile(getattr(keras.optimizers, optimizer)(**options), "mse")
    model.fit(np.ones((4, 3)), np.ones((4, 2)))
    path = rt.train.Checkpoint(model=model, optimizer=model.optimizer).write(tmp_path / "one")
    names = [name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE") for name, _ in
             rt.train.list_variables(path)]  # fmt: skip
    assert names == sorted([
        "model/_functional/_operations/2/seed_generator/state",  # which TensorFlow forgets
        *(f"model/_functional/_operations/3/moving_{name}" for name in ("mean", "variance")),
        "optimizer/_iterations", "optimizer/_learning_rate",
        *(f"optimizer/_trainable_variables/{at}" for at in range(4)),
        *(f"optimizer/_variables/{at}" for at in range(2, 2 + size)),
    ])  # fmt: skip
