"""Names, order and broadcasting of arguments as TensorFlow has them, checked by NumPy."""

import inspect
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import runtime as tf

X = np.array([[-1.5, 0.5], [2.0, -0.25]])
Y = np.array([0.5, -2.0])
ROW = np.array([1, 2, 3])

# a call by names, what it gives
NAMED: list[tuple[Callable[[], Any], Any]] = [
    (lambda: tf.atan2(y=X, x=Y), np.arctan2(X, Y)),
    (lambda: tf.math.atan2(x=X, y=Y), np.arctan2(Y, X)),
    (lambda: tf.math.nextafter(x1=X, x2=Y), np.nextafter(X, Y)),
    (lambda: tf.math.polygamma(a=[1.0], x=[1.0]), [np.pi**2 / 6]),
    (lambda: tf.math.zeta(x=[2.0], q=[1.0]), [np.pi**2 / 6]),
    (lambda: tf.nn.relu(features=X), np.maximum(X, 0)),
    (lambda: tf.nn.relu6(features=X * 4), np.clip(X * 4, 0, 6)),
    (lambda: tf.nn.elu(features=X), np.where(X > 0, X, np.expm1(X))),
    (lambda: tf.nn.softplus(features=X), np.log1p(np.exp(X))),
    (lambda: tf.math.softsign(features=X), X / (1 + np.abs(X))),
    (lambda: tf.nn.l2_normalize(X, dim=1), X / np.linalg.norm(X, axis=1, keepdims=True)),
    (lambda: tf.scatter_nd([[1], [7]], [5, 6], [3], "IGNORE"), [0, 5, 0]),
    (lambda: tf.tensor_scatter_nd_add(ROW, [[1], [7]], [5, 6], "IGNORE"), [1, 7, 3]),
    (lambda: tf.tensor_scatter_nd_sub(ROW, [[1], [7]], [5, 6], "IGNORE"), [1, -3, 3]),
    (lambda: tf.tensor_scatter_nd_max(ROW, [[1], [-1]], [5, 6], "IGNORE"), [1, 5, 3]),
    (lambda: tf.tensor_scatter_nd_min(ROW, [[1], [-1]], [0, 0], "IGNORE"), [1, 0, 3]),
    (lambda: tf.math.accumulate_n([X, X], [2, 2], tf.float64, "n"), X + X),
    (lambda: tf.nest.is_nested(seq=[1]), True),
    (lambda: tf.is_tensor(x=1), False),
    (lambda: tf.as_dtype(type_value="int8").size, 1),
    (lambda: tf.TensorSpec([2]).is_compatible_with(spec_or_tensor=tf.zeros([2])), True),
]


@pytest.mark.parametrize("number", range(len(NAMED)))
def test_arguments_by_name(number: int) -> None:
    call, wanted = NAMED[number]
    found = call()
    assert_allclose(found.numpy() if tf.is_tensor(found) else found, wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("function", "names"),
    [(tf.nn.relu, "features name"), (tf.sqrt, "x name"), (tf.atan2, "y x name"),
     (tf.math.polygamma, "a x name"), (tf.argsort, "values axis direction stable name")],
)  # fmt: skip
def test_annotations_are_those_of_the_arguments(function: Any, names: str) -> None:
    assert [*function.__annotations__] == [*names.split(), "return"]
    assert [*inspect.signature(function).parameters] == names.split()


@pytest.mark.parametrize("module", [tf, tf.linalg, tf.math, tf.nn, tf.random, tf.signal])
def test_what_is_annotated_is_an_argument(module: Any) -> None:
    for name in dir(module):
        function = getattr(module, name)
        if inspect.isfunction(function):
            known = {*inspect.signature(function).parameters, "return"}
            assert {*inspect.get_annotations(function)} <= known, name


def test_errors_name_the_arguments() -> None:
    with pytest.raises(TypeError, match="features"):
        tf.nn.relu()


def cross_entropy(labels: Any, logits: Any, axis: int) -> Any:
    """By its definition, in NumPy."""
    labels, logits = np.broadcast_arrays(labels, logits)
    logs = logits - np.log(np.sum(np.exp(logits), axis, keepdims=True))
    return -np.sum(labels * logs, axis)


@pytest.mark.parametrize(
    "shapes", [((2,), (3, 2)), ((3, 1), (3, 2)), ((3, 2), (3, 1)), ((3, 2), (2,))]
)
@pytest.mark.parametrize("axis", [0, -1])
def test_labels_and_logits_broadcast(shapes: Any, axis: int) -> None:
    labels, logits = [np.linspace(0.25, 2, int(np.prod(n))).reshape(n) for n in shapes]
    wanted = cross_entropy(labels, logits, axis)
    unknown = [tf.TensorSpec(None, tf.float64)] * 2

    def entropy(labels: Any, logits: Any) -> Any:
        return tf.nn.softmax_cross_entropy_with_logits(labels, logits, axis)

    for way in (entropy, tf.function(entropy), tf.function(entropy, unknown)):
        assert_allclose(way(tf.constant(labels), tf.constant(logits)), wanted)


# a function, what is known of the shape of its tensors, and then of the result
KNOWN: list[tuple[Callable[..., Any], list[tuple[Any, Any]], list[Any]]] = [
    (tf.boolean_mask, [([None, 3], tf.float32), ([None], tf.bool)], [None, 3]),
    (tf.linalg.inv, [([5, None, 3], tf.float32)], [5, 3, 3]),
    (lambda x: tf.linalg.eigh(x)[1], [([3, None], tf.float64)], [3, 3]),
    (tf.linalg.tensor_diag, [([None, 3], tf.int32)], [None, 3, None, 3]),
    (lambda x: tf.nn.space_to_depth(x, 2), [(None, tf.float32)], [None] * 4),
    (
        lambda x, p: tf.dynamic_partition(x, p, 2)[0],
        [([None, 3], tf.float32), ([None], tf.int32)],
        [None, 3],
    ),
]


@pytest.mark.parametrize("number", range(len(KNOWN)))
def test_known_shapes(number: int) -> None:
    function, inputs, wanted = KNOWN[number]
    staged = tf.function(function, [tf.TensorSpec(*one) for one in inputs])
    assert staged.get_concrete_function().structured_outputs.shape.as_list() == wanted


def test_numbers_of_errors() -> None:
    for name in ("Cancelled", "NotFound", "DataLoss", "Unauthenticated", "OutOfRange", "Internal"):
        code = "".join("_" + c if c.isupper() else c for c in name).upper().strip("_")
        assert getattr(tf.errors, name + "Error").error_code == getattr(tf.errors, code)
    assert (tf.errors.OK, tf.errors.UNAUTHENTICATED) == (0, 16)
    assert {"OK", "ABORTED"} < {*dir(tf.errors)}


def test_kinds_of_numbers_and_dimensions() -> None:
    compat = tf.compat
    for value, kinds in (
        (1, (True, True, True)), (np.int8(1), (True, True, True)), (1.5, (False, True, True)),
        (np.float16(1), (False, True, True)), (1j, (False, False, True)), ("a", (False,) * 3),
    ):  # fmt: skip
        types = (compat.integral_types, compat.real_types, compat.complex_types)
        assert tuple(isinstance(value, known) for known in types) == kinds
    assert all(isinstance(text, compat.bytes_or_text_types) for text in ("a", b"a"))
    assert compat.dimension_value(tf.TensorShape([2, None])[1]) is None
    assert compat.dimension_at_index(tf.TensorShape([2, None]), 0) == 2


def test_folders_are_walked(tmp_path: Any) -> None:
    """Python's `os.walk` and `os.stat` are the second opinion."""
    for folder in ("a", "b", "b/c"):
        tf.io.gfile.mkdir(tmp_path / folder)
    (tmp_path / "b" / "text").write_bytes(b"xy")
    for topdown in (True, False):
        found = {folder: [*map(set, rest)] for folder, *rest in tf.io.gfile.walk(tmp_path, topdown)}
        assert found == {folder: [*map(set, rest)] for folder, *rest in os.walk(tmp_path, topdown)}
    known = tf.io.gfile.stat(tmp_path / "b" / "text")
    assert (known.length, known.is_directory) == (2, False)
    assert known.mtime_nsec == (tmp_path / "b" / "text").stat().st_mtime_ns
    failed: list[Any] = []
    assert list(tf.io.gfile.walk(tmp_path / "none", onerror=failed.append)) == []
    assert [type(error) for error in failed] == [tf.errors.NotFoundError]
    tf.io.gfile.mkdir(tmp_path)
    with pytest.raises(tf.errors.NotFoundError):
        tf.io.gfile.mkdir(tmp_path / "none" / "a")
    with pytest.raises(tf.errors.AlreadyExistsError):
        tf.io.gfile.mkdir(tmp_path / "b" / "text")
    with pytest.raises(tf.errors.NotFoundError):
        tf.io.gfile.stat(tmp_path / "none")
