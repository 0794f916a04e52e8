"""Sequences of the user's own as values of tensors."""

import tracemalloc
from collections import UserList, deque
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np
import pytest

import runtime as tf


class Row(Sequence[Any]):
    def __init__(self, *items: Any) -> None:
        self.items = items

    def __getitem__(self, place: Any) -> Any:
        return self.items[place]

    def __len__(self) -> int:
        return len(self.items)


class Plain:
    """No Sequence by its class, but with a length and items."""

    def __getitem__(self, place: int) -> int:
        return [3, 4][place]

    def __len__(self) -> int:
        return 2


class Level(IntEnum):
    """A number, of a class that has a length and items."""

    LOW = 1
    HIGH = 2


CASES = [
    (Level.HIGH, 2),
    ([Level.LOW, [1, 2][1]], [1, 2]),
    (Row(1, 2, 3), [1, 2, 3]),
    (Row(Row(1.0, 2), [3.0, 4]), [[1.0, 2.0], [3.0, 4.0]]),
    ([Row(1, 2), Plain()], [[1, 2], [3, 4]]),
    ([Row(1, 2), [3.5, 4]], [[1.0, 2.0], [3.5, 4.0]]),
    ([[Row(True, False)]], [[[True, False]]]),
    (Row("a", b"b"), ["a", "b"]),
    (Row(), []),
    (Plain(), [3, 4]),
    (UserList([1, 2]), [1, 2]),
    (deque([1, 2]), [1, 2]),
    (Row(np.float64(1), np.float64(2)), np.array([1.0, 2.0])),
]


@pytest.mark.parametrize(("given", "same"), CASES)
def test_a_sequence_is_as_the_list_of_its_items(given: Any, same: Any) -> None:
    wanted = tf.constant(same)
    for found in (
        tf.constant(given),
        tf.convert_to_tensor(given),
        tf.function(lambda: tf.constant(given))(),
    ):
        assert found.dtype == wanted.dtype
        assert found.numpy().tolist() == wanted.numpy().tolist()


def test_tensors_and_variables_in_sequences() -> None:
    assert tf.constant(Row(tf.constant(1.5), 2)).numpy().tolist() == [1.5, 2]
    assert tf.convert_to_tensor([Row(tf.Variable(1.5), 2.0)]).numpy().tolist() == [[1.5, 2]]

    @tf.function
    def staged(x: Any) -> Any:
        return tf.reduce_sum(Row(x, 2.0)) + Row(1.0, 2.0)

    assert staged(tf.constant(1.0)).numpy().tolist() == [4, 5]


def test_dtype_and_shape() -> None:
    assert tf.constant(Row(1, 2), tf.float64).dtype == tf.float64
    assert tf.constant(Row(1, 2), shape=[2, 1]).shape == (2, 1)


@pytest.mark.parametrize("given", [Row(1, Row(2)), {1: 2}, {1}, Row(1, True), [Row(1, True)]])
def test_refused(given: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        tf.constant(given)


def test_errors_of_items_are_the_users() -> None:
    class Broken(Plain):
        def __getitem__(self, place: int) -> int:
            raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        tf.constant(Broken())


def test_texts_beside_bytes() -> None:
    made = tf.constant(["é", b"\xff\x00", ""])
    assert made.numpy().tolist() == ["é".encode(), b"\xff\x00", b""]
    for ragged in ([["a"], [b"\xff", "b"]], ["a", ["b"]], ["a", []], [["a", "b"], ["c", ["d"]]]):
        with pytest.raises(ValueError, match="non-rectangular"):
            tf.constant(ragged)


def test_any_text_is_kept() -> None:
    alone, texts = "a\ud800", ["a\ud800\0", "", "b\0\0"]
    assert tf.constant(alone).numpy() == alone.encode("utf-8", "surrogatepass")
    made = tf.constant([texts, texts]).numpy().tolist()
    assert [each.decode("utf-8", "surrogatepass") for each in made[1]] == texts


@pytest.mark.parametrize("short", ["b", b"b"])
def test_a_long_text_makes_no_other_longer(short: Any) -> None:
    long = short * 1_000_000
    tracemalloc.start()
    tf.constant([long] + [short] * 1_000)
    tf.constant([[long] + [short] * 1_000])
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("compute", "wanted"),
    [
        (lambda n: n + Level.HIGH, 7),
        (lambda n: Level.HIGH * n, 10),
        (lambda n: n & Level.LOW, 1),
        (lambda n: n == Level.HIGH, False),
        (lambda n: n > Level.HIGH, True),
        (lambda n: tf.maximum(n, Level.HIGH), 5),
        (lambda n: tf.gather([1, 2, 3], Level.HIGH) + n, 8),
        (lambda n: tf.reduce_sum(tf.range(Level.HIGH)) + n, 6),
    ],
)
def test_a_member_of_an_int_enum_is_its_number(compute: Any, wanted: Any) -> None:
    for function in (compute, tf.function(compute)):
        assert function(tf.constant(5)).numpy() == wanted


def test_conversion_functions_are_asked_in_turn() -> None:
    class Held:
        def __init__(self, value: float) -> None:
            self.value = value

    class Special(Held):
        pass

    asked = []

    def negative(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
        asked.append((dtype, name, as_ref))
        return tf.constant(-value.value, dtype) if value.value < 0 else NotImplemented

    def positive(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
        return tf.constant(value.value, dtype)

    tf.register_tensor_conversion_function(Held, positive)
    tf.register_tensor_conversion_function((Held,), negative, priority=10)
    assert float(tf.convert_to_tensor(Special(-2.0))) == 2.0
    assert asked == [(None, None, False)]

    @tf.function
    def staged(x: Any) -> Any:
        return x + Held(3.0) * tf.constant([1.0, 2.0], tf.float64)

    assert staged(tf.constant(1.0, tf.float64)).numpy().tolist() == [4.0, 7.0]


def test_what_is_no_conversion_function_is_refused() -> None:
    class Wrong:
        pass

    tf.register_tensor_conversion_function(Wrong, lambda value, dtype, name, as_ref: 3)
    with pytest.raises(TypeError, match="of Wrong gave 3, which is no tensor"):
        tf.convert_to_tensor(Wrong())
    with pytest.raises(TypeError, match="must be a class"):
        tf.register_tensor_conversion_function("Wrong", print)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a function"):
        tf.register_tensor_conversion_function(Wrong, 3)  # type: ignore[arg-type]
