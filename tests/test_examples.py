"""The examples: they run, agree with plain Python, draw, and fail where they promise to."""

import builtins
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as tf
from examples import (
    beam,
    board,
    classifier,
    common,
    convnet,
    kmeans,
    lengths,
    line,
    mixed,
    notebook,
    resume,
    search,
)
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


def figures(pattern: str, printed: str) -> list[float]:
    """The numbers that the groups of a pattern find in what was printed."""
    return [float(text) for found in re.findall(pattern, printed) for text in np.atleast_1d(found)]


def test_convnet(
    capsys: pytest.CaptureFixture[str], output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(convnet, "EPOCHS", 4)
    monkeypatch.setattr(convnet, "ACCURACY", 0.8)
    convnet.main()
    printed = capsys.readouterr().out
    assert "6234 weights, 4 epochs" in printed
    (mistakes,) = figures(r"(\d+) mistakes", printed)
    (accuracy,) = figures(r"test accuracy (.*)", printed)
    assert accuracy == pytest.approx(1 - mistakes / 270, abs=5e-4)
    assert drawn(output / "convnet.png")


def test_images_move_up_and_down() -> None:
    image = tf.reshape(tf.range(6.0), [3, 2])
    moves = [np.roll(image, step, axis=0).tolist() for step in (-1, 0, 1)]
    tf.random.set_seed(0)
    found = [moves.index(convnet.moved(image, 0)[0].numpy().tolist()) for _ in range(60)]
    assert sorted(set(found)) == [0, 1, 2]
    assert found.count(1) > 30


def test_line(capsys: pytest.CaptureFixture[str], output: Path) -> None:
    line.main()
    printed = capsys.readouterr().out
    assert "step 0 loss 67." in printed
    weight, bias = figures(r"the line (.*) x \+ (.*)", printed)
    assert weight == pytest.approx(3, abs=0.05)
    assert bias == pytest.approx(2, abs=0.05)
    assert figures(r"differ by (.*)", printed)[0] <= line.TOLERANCE
    assert drawn(output / "line.png")


def test_mixed(
    capsys: pytest.CaptureFixture[str], output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mixed, "EPOCHS", 4)
    monkeypatch.setattr(mixed, "ACCURACY", 0.85)
    mixed.main()
    printed = capsys.readouterr().out
    computed = re.findall(r"(\w+): weights float32, computed in (\w+), test", printed)
    assert dict(computed) == {
        "float32": "float32",
        "mixed_float16": "float16",
        "mixed_bfloat16": "bfloat16",
    }
    assert min(figures(r"test accuracy (.*)", printed)) > 0.85
    assert drawn(output / "mixed.png")


def test_resume(capsys: pytest.CaptureFixture[str], output: Path) -> None:
    resume.main()
    printed = capsys.readouterr().out
    assert "the first process ended with -9, and left ckpt-4" in printed
    assert "the second one ended with 0, after epoch 8" in printed
    assert "those of a training without a kill: True" in printed
    assert figures(r"test accuracy (.*)", printed)[0] > 0.9
    assert drawn(output / "resume.png")


def test_board(capsys: pytest.CaptureFixture[str], output: Path) -> None:
    board.main()
    printed = capsys.readouterr().out
    assert "TensorBoard reads loss, accuracy, weights, templates, 30 times each" in printed
    assert "loss 2.303 to 0.0" in printed  # at first each digit is as likely: log 10
    assert board.curve(board.read(output / "board"), "loss")[0] == list(range(0, 600, 20))
    assert drawn(output / "board.png")


def test_lengths(
    capsys: pytest.CaptureFixture[str], output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lengths, "EPOCHS", 8)
    monkeypatch.setattr(lengths, "ACCURACY", 0.7)
    lengths.main()
    printed = capsys.readouterr().out
    assert "lengths from 2 to 7" in printed
    assert figures(r"other differ by (\S+)", printed)[0] <= lengths.TOLERANCE
    assert figures(r"test accuracy (.*)", printed)[0] > 0.7
    assert drawn(output / "lengths.png")


def test_what_is_behind_the_end_of_a_sequence_counts_for_nothing() -> None:
    model, staged = lengths.Reader(), tf.function(lengths.Reader.__call__)
    every, sizes, _ = lengths.sequences()
    some, sizes = every[:5], sizes[:5]
    noisy = np.where(np.arange(8)[None, :, None] < sizes[:, None, None], some, np.float32(9))
    np.testing.assert_array_equal(
        staged(model, tf.constant(noisy), tf.constant(sizes)),
        staged(model, tf.constant(some), tf.constant(sizes)),
    )


def test_search(capsys: pytest.CaptureFixture[str], output: Path) -> None:
    search.main()
    printed = capsys.readouterr().out
    assert figures(r"Python differ by (\S+)", printed)[0] <= search.TOLERANCE
    assert figures(r"accuracy (.*)", printed)[0] > 0.98
    assert printed.count("ag.while_loop(") == 2
    assert drawn(output / "search.png")


def test_the_search_ends_where_the_slope_is_flat() -> None:
    """SciPy's minimum of the same function, computed without this runtime. The second derivative
    is 2 DECAY or more, so that a slope of FLAT is no further above it than FLAT^2 / 4 DECAY.
    """
    optimize = pytest.importorskip("scipy.optimize")
    rows, benign = common.tumours()
    signs = np.where(benign == 1, 1.0, -1.0)

    def loss(weights: np.ndarray) -> float:
        margins = signs * (rows @ weights)
        return float(np.logaddexp(0, -margins).mean() + search.DECAY * weights @ weights)

    start = tf.zeros([rows.shape[1]], tf.float64)
    weights, history, _ = tf.function(search.minimize)(start, rows, signs, tf.constant(3000))
    best = optimize.minimize(loss, np.zeros(rows.shape[1]), tol=1e-9).fun
    assert loss(weights.numpy()) == pytest.approx(best, abs=search.FLAT**2 / (4 * search.DECAY))
    assert all(np.diff(history[:, 0]) < 0)


def test_beam(capsys: pytest.CaptureFixture[str], output: Path) -> None:
    beam.main()
    printed = capsys.readouterr().out
    assert "the likeliest: and preferably only one honking great idea" in printed
    found, exact, greedy = figures(
        r"probability (\S+); the best of all (\S+), word by word (\S+)", printed
    )
    assert found == exact > greedy
    assert drawn(output / "beam.png")


def test_a_beam_of_one_is_greedy() -> None:
    words, table = beam.bigrams(beam.zen())
    sentences, scores = tf.function(beam.search)(tf.constant(table), tf.constant(0), 1)
    word, total, expected = beam.END, 0.0, []
    while not expected or word != beam.END:
        total, word = total + table[word].max(), int(table[word].argmax())
        expected.append(word)
    assert beam.text(words, sentences[0]) == beam.text(words, expected)
    assert float(scores[0]) == pytest.approx(total, rel=1e-6)


def test_writes_notebooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["notebook", "kmeans", "beam"])
    notebook.main()
    made = nbformat.read(tmp_path / "kmeans.ipynb", 4)
    nbformat.validate(made)
    kinds = [cell.cell_type for cell in made.cells]
    assert kinds == ["markdown", *["code"] * (len(kinds) - 1)]
    assert made.cells[0].source.startswith("k-means over handwritten digits")
    assert sorted(path.name for path in tmp_path.glob("*.ipynb")) == ["beam.ipynb", "kmeans.ipynb"]


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
