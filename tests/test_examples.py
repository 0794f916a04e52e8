"""The examples: they run, agree with plain Python, draw, and fail where they promise to."""

import builtins
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as tf
from examples import classifier, common, kmeans
from tests.support import typed_program


@pytest.fixture(autouse=True)
def output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(common, "OUTPUT", tmp_path)
    yield tmp_path
    tf.config.threading.set_intra_op_parallelism_threads(0)


def drawn(path: Path) -> bool:
    return path.read_bytes().startswith(b"\x89PNG")


def test_kmeans(capsys: pytest.CaptureFixture[str], output: Path) -> None:
    kmeans.main()
    printed = capsys.readouterr().out
    assert "ag.while_loop(" in printed
    assert "1797 images, 17 rounds, reseeded centroids: 1" in printed
    assert drawn(output / "kmeans.png")


def test_classifier(capsys: pytest.CaptureFixture[str], output: Path) -> None:
    classifier.main()
    printed = capsys.readouterr().out
    assert "ag.for_loop(" in printed
    assert "graph and plain Python differ by 0.0e+00" in printed
    assert float(re.findall(r"test accuracy (.*)", printed)[0]) > 0.95
    assert drawn(output / "classifier.png")


def test_the_whole_training_is_one_graph() -> None:
    model, staged = classifier.Classifier(), tf.function(classifier.train)
    training, validation, _ = classifier.split()
    (first, _), (again, rate) = (
        staged(model, training, validation, tf.constant(epochs)) for epochs in (2, 3)
    )
    assert staged.experimental_get_tracing_count() == 1
    np.testing.assert_array_equal(again[:2], first)
    expected, _ = classifier.train(model, training, validation, 3)
    np.testing.assert_array_equal(again, expected)
    assert all(np.abs(weight).max() > 0 for weight in model.weights)
    assert float(rate) == np.float32(classifier.RATE)


def test_training_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rate that is far too high: no loss gets better, the rate is halved, the loop is left."""
    monkeypatch.setattr(classifier, "RATE", 1e4)
    monkeypatch.setattr(classifier, "PATIENCE", 2)
    training, validation, _ = classifier.split()
    losses, rate = tf.function(classifier.train)(
        classifier.Classifier(), training, validation, tf.constant(20)
    )
    assert len(losses) < 20
    assert float(rate) < 1e4


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [("ACCURACY", 1.0, "test accuracy"), ("TOLERANCE", -1.0, "should agree")],
)
def test_classifier_fails(
    name: str, value: float, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classifier, name, value)
    monkeypatch.setattr(classifier, "EPOCHS", 2)
    with pytest.raises(SystemExit, match=message):
        classifier.main()


def test_without_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without_sklearn(name: str, *rest: Any) -> Any:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_sklearn)
    with pytest.raises(SystemExit, match="needs the extra `demo`"):
        common.digits()


def test_a_program_with_types() -> None:
    loss, seen, array = typed_program.main()
    assert loss == pytest.approx(0.0, abs=1e-9)
    assert seen == [3.0, 9.0, 4.0, 3.0, 4.0, 1, 2.0, 0.5]
    np.testing.assert_array_equal(array, np.array([6.0, 8.0], np.float32))
