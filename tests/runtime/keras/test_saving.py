"""Files of models: read back they are what was written, and what is missing says so."""

from collections import namedtuple
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

if find_spec("keras") is None:
    pytest.skip("Keras is not installed", allow_module_level=True)

import runtime.keras as keras

X = np.random.default_rng(0).standard_normal((6, 4)).astype("f")


def model() -> Any:
    made = keras.Sequential([
        keras.Input((4,)), keras.layers.Dense(3, activation="relu"),
        keras.layers.BatchNormalization(), keras.layers.Dropout(0.5),
    ])  # fmt: skip
    made.compile("adam", "mse")
    return made


def test_a_model_is_loaded_as_it_was_saved(tmp_path: Path) -> None:
    made = model()
    made.fit(X, X[:, :3])
    made.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded.predict(X), made.predict(X))
    pairs = zip(loaded.optimizer.variables, made.optimizer.variables, strict=True)
    for a, b in pairs:
        np.testing.assert_array_equal(a, b)
    loaded.fit(X, X[:, :3])


@pytest.mark.parametrize("name", ["weights", "some.weights.h5", "model.keras"])
def test_weights_are_loaded_as_they_were_saved(tmp_path: Path, name: str) -> None:
    made, other = model(), model()
    if name.endswith(".keras"):
        made.save(tmp_path / name)
    else:
        made.save_weights(tmp_path / name)
    other.load_weights(tmp_path / name)
    np.testing.assert_array_equal(other.predict(X), made.predict(X))


class Broken(keras.layers.Layer):
    """A layer whose weights cannot be saved."""

    def build(self, shape: Any) -> None:
        self.w = self.add_weight(shape=())

    def call(self, x: Any) -> Any:
        return x + self.w

    def save_own_variables(self, store: Any) -> None:
        raise OSError("no more")


@pytest.mark.parametrize("name", ["m.keras", "m.weights.h5", "m.h5"])
@pytest.mark.parametrize("cause", ["layer", "disk", "checkpoint"])
def test_a_save_that_fails_leaves_the_file_before(
    tmp_path: Path, name: str, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name

    def save(made: Any) -> None:
        if "weights" in name:
            made.save_weights(path)
        else:
            made.save(path)

    save(model())
    before = path.read_bytes()
    other = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), Broken()])
    other.compile("adam", "mse")
    if cause == "disk" or name == "m.h5":
        free = namedtuple("usage", "free")(100)
        monkeypatch.setattr("shutil.disk_usage", lambda folder: free)
        with pytest.raises(OSError, match=r"No space left on device: \d+ bytes are needed, 100"):
            save(other)
    elif cause == "layer":
        with pytest.raises(OSError, match="no more"):
            save(other)
    else:
        kept = keras.callbacks.ModelCheckpoint(path, save_weights_only="weights" in name)
        with pytest.raises(OSError, match="no more"):
            other.fit(X, X[:, :3], callbacks=[kept])
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_weights_file_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.weights\.h5"):
        model().load_weights("nowhere")


def test_a_local_dataset_is_read(tmp_path: Path) -> None:
    digits = np.arange(8).reshape(2, 2, 2)
    np.savez(tmp_path / "digits.npz", x_train=digits, y_train=[1, 2], x_test=digits[:1], y_test=[3])
    (x, y), (_, last) = keras.datasets.mnist.load_data(str(tmp_path / "digits.npz"))
    np.testing.assert_array_equal(x, digits)
    assert (y.tolist(), last.tolist()) == ([1, 2], [3])


def test_a_dataset_that_is_not_there_says_how_to_get_it(monkeypatch: Any) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise OSError("no network")

    monkeypatch.setattr("keras.src.utils.file_utils.urlretrieve", fail)
    with pytest.raises(FileNotFoundError, match=r"get https://\S*mnist\.npz .* load_data"):
        keras.datasets.mnist.load_data("there_is_none_of_this_name.npz")


def test_export_says_what_to_do() -> None:
    with pytest.raises((NotImplementedError, ValueError), match="backend"):
        model().export("somewhere")
