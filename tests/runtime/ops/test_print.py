"""`tf.print`: the text of tensors, and where it goes; the same eagerly and in graphs."""

import io
import logging
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as tf

TEXTS: dict[str, tuple[tuple[Any, ...], dict[str, Any], str]] = {
    "scalar": ((tf.constant(3),), {}, "3\n"),
    "vector": ((tf.constant([1.0, 2.5]),), {}, "[1 2.5]\n"),
    "matrix": ((tf.constant([[1.0, 2.0], [3.0, 4.0]]),), {}, "[[1 2]\n [3 4]]\n"),
    "cube": (
        (tf.reshape(tf.range(8), (2, 2, 2)),),
        {},
        "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]\n",
    ),
    "several": (("x:", tf.constant([1, 2]), "y:", 2.5), {}, "x: [1 2] y: 2.5\n"),
    "long": ((tf.range(10),), {}, "[0 1 2 ... 7 8 9]\n"),
    "long matrix": (
        (tf.reshape(tf.range(100), (10, 10)),),
        {"summarize": 1},
        "[[0 ... 9]\n ...\n [90 ... 99]]\n",
    ),
    "all": ((tf.range(10),), {"summarize": -1}, "[0 1 2 3 4 5 6 7 8 9]\n"),
    "six are not shortened": ((tf.range(6),), {}, "[0 1 2 3 4 5]\n"),
    "empty": ((tf.zeros([0, 3]),), {}, "[]\n"),
    "separator and end": ((1, tf.constant(2), "c"), {"sep": ", ", "end": "."}, "1, 2, c."),
    "nothing": ((), {}, "\n"),
    "third of float32": ((tf.constant(1 / 3),), {}, "0.333333343\n"),
    "third of float64": ((tf.constant(1 / 3, tf.float64),), {}, "0.33333333333333331\n"),
    "short floats": ((tf.constant([0.1, 1e10, 1e-7, 123456.0]),), {}, "[0.1 1e+10 1e-07 123456]\n"),
    "special floats": ((tf.constant([np.inf, -np.inf, np.nan]),), {}, "[inf -inf nan]\n"),
    "float16": ((tf.constant(0.5, tf.float16),), {}, "0.5\n"),
    "truth values": ((tf.constant([True, False]),), {}, "[1 0]\n"),
    "complex": ((tf.constant(1 + 2j),), {}, "(1,2)\n"),
    "string": ((tf.constant("text"),), {}, "text\n"),
    "strings": ((tf.constant(["a", 'b"c']),), {}, '["a" "b\\"c"]\n'),
    "escapes": (
        (tf.constant(["it's\t\r\n\\", "\0\x1f\x7fé"]),),
        {},
        '["it\\\'s\\t\\r\\n\\\\" "\\000\\037\\177é"]\n',
    ),
    "Python string": (("text",), {}, "text\n"),
    "dict": (
        ({"b": tf.constant([1, 2]), "a": "s"},),
        {},
        "{'a': 's', 'b': [1 2]}\n",
    ),
    "nested": (([tf.constant(1), (tf.constant(2.5), None)],), {}, "[1, (2.5, None)]\n"),
    "variable": ((tf.Variable([1.0, 2.0]),), {}, "[1 2]\n"),
    "shape": (("Shape:", tf.constant([[1]]).shape), {}, "Shape: TensorShape([1, 1])\n"),
    "dtype": (("DType:", tf.float32), {}, "DType: tf.float32\n"),
    "array": ((np.array([1.0, 2.0]),), {}, "array([1., 2.])\n"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_text(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    inputs, options, text = TEXTS[name]
    tf.print(*inputs, **options)
    assert capsys.readouterr().err == text


@pytest.mark.parametrize("name", TEXTS)
def test_text_from_a_graph(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    inputs, options, text = TEXTS[name]

    @tf.function
    def show() -> None:
        tf.print(*inputs, output_stream=sys.stdout, **options)

    show()
    show()
    assert capsys.readouterr().out == text * 2


def test_a_graph_prints_when_it_runs_and_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def count(n: Any) -> Any:
        tf.print("begin", n)
        for i in tf.range(n):
            if i % 2 == 0:
                tf.print("even", i)
            else:
                tf.print("odd", i)
        return n

    count(tf.constant(3))
    count(tf.constant(1))
    assert capsys.readouterr().err == "begin 3\neven 0\nodd 1\neven 2\nbegin 1\neven 0\n"


def test_streams(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    x, text = tf.constant([1, 2]), io.StringIO()
    tf.print(x, output_stream=sys.stdout)
    tf.print(x, output_stream=text)
    captured = capsys.readouterr()
    assert (captured.out, captured.err, text.getvalue()) == ("[1 2]\n", "", "[1 2]\n")
    path = tmp_path / "log.txt"
    for _ in range(2):
        tf.print("x =", x, output_stream=f"file://{path}")
    assert path.read_text() == "x = [1 2]\nx = [1 2]\n"


def test_logging(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        tf.print("x =", tf.constant(1), output_stream=logging.getLogger("some").info)
    assert caplog.messages == ["x = 1"]


@pytest.mark.parametrize("stream", ["nowhere", 3, None])
def test_other_streams_are_refused(stream: Any) -> None:
    with pytest.raises(ValueError, match="output_stream"):
        tf.print(1, output_stream=stream)


def test_gradients_ignore_it(capsys: pytest.CaptureFixture[str]) -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tf.print(y)
    assert tape.gradient(y, x).numpy() == 6.0
    assert capsys.readouterr().err == "9\n"


def test_numbers_that_a_graph_counts(capsys: pytest.CaptureFixture[str]) -> None:
    def counted(n: Any) -> Any:
        k, x = 0, 0.1
        while n > 0:
            n -= 1
            k += 1
            x *= 1.1
            tf.print("k", k, [k, {"x": x}])
        return k

    assert int(tf.function(counted)(tf.constant(3))) == 3
    staged = capsys.readouterr().err
    assert counted(3) == 3
    assert staged == capsys.readouterr().err


def chosen_texts(n: Any) -> None:
    size = "large" if n > 3 else "small"
    tf.print(size)
    tf.print("n is", size, [size, n], {"is": size})


def texts_of_the_run(n: Any) -> None:
    for i in range(n):
        tf.print(f"step {i}:", [f"{i + 1}", i])
        tf.print(f"{i}")


def text_or_tensor(n: Any) -> None:
    for i in range(n):
        word = "Fizz" if i % 3 == 0 else tf.as_string(i)
        tf.print(word)
        tf.print("at", i, word)
        tf.print(tf.strings.join([word, "!"]), tf.strings.length(word), tf.concat([[word]], 0))


def text_or_number(n: Any) -> None:
    tf.print("n:", "large" if n > 3 else n)


def none_or_number(n: Any) -> None:
    known = n if n > 3 else None
    tf.print("known:", known, (known, n))


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize(
    "program", [chosen_texts, texts_of_the_run, text_or_tensor, text_or_number, none_or_number]
)
def test_what_the_run_chooses(program: Any, n: int, capsys: pytest.CaptureFixture[str]) -> None:
    program(n if program is texts_of_the_run else tf.constant(n))
    expected = capsys.readouterr().err
    tf.function(program)(tf.constant(n))
    assert capsys.readouterr().err == expected != ""
