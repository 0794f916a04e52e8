"""Callbacks that write files."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

if find_spec("keras") is None:
    pytest.skip("Keras is not installed", allow_module_level=True)

import runtime.keras as keras

X = np.random.default_rng(0).standard_normal((8, 4)).astype("f")
Y = X.sum(1, keepdims=True)


def model() -> Any:
    made = keras.Sequential([
        keras.Input((4,)), keras.layers.Dense(3, "relu", kernel_initializer=first()),
        keras.layers.Dense(1, kernel_initializer=first()),
    ])  # fmt: skip
    made.compile("adam", "mse", metrics=["mae"])
    return made


def first() -> Any:
    return keras.initializers.GlorotUniform(seed=3)


class Interruption(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if epoch == 2:
            raise KeyboardInterrupt


def test_training_goes_on_from_its_backup(tmp_path: Path) -> None:
    whole, other = model(), model()
    expected = whole.fit(X, Y, epochs=4, shuffle=False).history["loss"]
    backup = keras.callbacks.BackupAndRestore(tmp_path / "backup")
    with pytest.raises(KeyboardInterrupt):
        other.fit(X, Y, epochs=4, shuffle=False, callbacks=[backup, Interruption()])
    other = model()
    backup = keras.callbacks.BackupAndRestore(tmp_path / "backup")
    history = other.fit(X, Y, epochs=4, shuffle=False, callbacks=[backup]).history["loss"]
    np.testing.assert_allclose(history, expected[2:], rtol=1e-6)


@pytest.mark.filterwarnings("ignore:Skipping variable loading for optimizer")
@pytest.mark.parametrize("weights", [True, False])
def test_the_best_model_is_kept(weights: bool, tmp_path: Path) -> None:
    path = tmp_path / ("best.weights.h5" if weights else "best.keras")
    made = model()
    keep = keras.callbacks.ModelCheckpoint(
        path, save_best_only=True, monitor="loss", save_weights_only=weights
    )
    made.fit(X, Y, epochs=2, callbacks=[keep])
    other = model()
    if weights:
        other.load_weights(path)
    else:
        other = keras.models.load_model(path)
    np.testing.assert_array_equal(other.predict(X), made.predict(X))


def test_tensorboard_gets_losses_histograms_and_the_model(tmp_path: Path) -> None:
    reading = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    board = keras.callbacks.TensorBoard(tmp_path, histogram_freq=1)
    history = model().fit(X, Y, epochs=2, validation_data=(X, Y), callbacks=[board]).history
    for folder, prefix in (("train", ""), ("validation", "val_")):
        found = reading.EventAccumulator(str(tmp_path / folder)).Reload()
        losses = [item for item in found.Tensors("epoch_loss")]
        values = [np.frombuffer(item.tensor_proto.tensor_content, "f")[0] if
                  item.tensor_proto.tensor_content else item.tensor_proto.float_val[0]
                  for item in losses]  # fmt: skip
        np.testing.assert_allclose(values, history[f"{prefix}loss"], rtol=1e-6)
        assert [item.step for item in losses] == [0, 1]
    found = reading.EventAccumulator(str(tmp_path / "train")).Reload()
    assert "keras" in found.Tags()["tensors"]
    assert any("histogram" in tag for tag in found.Tags()["tensors"])
