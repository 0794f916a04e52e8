"""The classes of the errors of eager ops, which callers may catch as TensorFlow's."""

from typing import Any

import pytest

import runtime as tf
from runtime import errors

X = tf.constant([1.0, 2.0])
DTYPES: dict[str, Any] = {
    "float beside int": lambda: tf.constant([1, 2]) + 1.5,
    "text beside int": lambda: tf.constant(1) + "a",
    "text beside int, compared": lambda: tf.constant(1) == "a",
    "float dimensions": lambda: tf.reshape(X, [2.0, 3.0]),
    "float dimensions in a tensor": lambda: tf.reshape(X, tf.constant([2.0, 3.0])),
    "None": lambda: tf.constant(None),
    "dict": lambda: tf.constant({}),
    "object": lambda: tf.constant(object()),
    "mixed list": lambda: tf.constant([1, "a"]),
    "None in a list": lambda: tf.constant([1, None]),
}
VALUES: dict[str, Any] = {
    "split into none": lambda: tf.split(X, 0),
    "split into less": lambda: tf.split(X, -1),
    "concat of nothing": lambda: tf.concat([], 0),
    "two ellipses": lambda: X[..., ...],
}


@pytest.mark.parametrize("name", DTYPES)
def test_wrong_dtypes(name: str) -> None:
    with pytest.raises(errors.InvalidArgumentError) as caught:
        DTYPES[name]()
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("name", VALUES)
def test_wrong_values(name: str) -> None:
    with pytest.raises(errors.InvalidArgumentError):
        VALUES[name]()


def test_classes_while_tracing() -> None:
    with pytest.raises(TypeError, match=r"Cannot convert 1\.5") as caught:
        tf.function(lambda x: x + 1.5)(tf.constant(1))
    assert not isinstance(caught.value, errors.OpError)
    with pytest.raises(ValueError, match="must be positive") as refused:
        tf.function(lambda x: tf.split(x, 0))(X)
    assert not isinstance(refused.value, errors.OpError)


def test_names_at_the_root() -> None:
    assert tf.as_string(tf.constant([1, 2])).numpy().tolist() == [b"1", b"2"]
    assert tf.map_fn(lambda t: t * 2, X).numpy().tolist() == [2.0, 4.0]
    assert tf.scan(lambda a, t: a + t, X).numpy().tolist() == [1.0, 3.0]
    assert float(tf.foldl(lambda a, t: a - t, X)) == -1.0
    assert float(tf.foldr(lambda a, t: a - t, X)) == 1.0
