"""Elements that may be missing: `Iterator.get_next_as_optional` and `experimental.Optional`."""

from __future__ import annotations

from typing import Any

import pytest

import runtime as tf

Optional = tf.experimental.Optional


def total(iterator: Any) -> Any:
    found, item = tf.constant(0, tf.int64), iterator.get_next_as_optional()
    while item.has_value():
        found += item.get_value()
        item = iterator.get_next_as_optional()
    return found


def totals(iterator: Any) -> Any:
    found = 0.0
    for _ in range(5):
        item = iterator.get_next_as_optional()
        if item.has_value():
            x, named = item.get_value()
            found += tf.reduce_sum(x) + named["n"]
    return found


NAMED = tf.data.Dataset.from_tensor_slices(([[1.0, 2.0], [3.0, 4.0]], {"n": [0.25, 0.5]}))


@pytest.mark.parametrize(
    ("program", "data", "expected"),
    [
        (total, tf.data.Dataset.range(5), 10),
        (total, tf.data.Dataset.range(0), 0),
        (totals, NAMED, 10.75),
    ],
)
def test_until_there_is_none(program: Any, data: Any, expected: float) -> None:
    assert float(program(iter(data))) == expected
    assert float(tf.function(program)(iter(data))) == expected


def first(iterator: Any) -> Any:
    return iterator.get_next_as_optional().get_value()


@pytest.mark.parametrize("program", [first, tf.function(first)], ids=["eager", "graph"])
def test_a_missing_value_is_an_error(program: Any) -> None:
    iterator = iter(tf.data.Dataset.range(1))
    assert int(program(iterator)) == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        program(iterator)


def test_they_go_into_functions_and_come_out() -> None:
    @tf.function
    def more(item: Any) -> Any:
        if item.has_value():
            return item.get_value() + 1
        return tf.constant(-1)

    @tf.function
    def taken(iterator: Any) -> Any:
        return iterator.get_next_as_optional()

    known, nothing = Optional.from_value(3), Optional.empty(tf.TensorSpec([], tf.int32))
    assert (int(more(known)), int(more(nothing))) == (4, -1)
    iterator = iter(tf.data.Dataset.range(1))
    items = [taken(iterator) for _ in range(2)]
    assert [bool(item.has_value()) for item in items] == [True, False]
    assert all(isinstance(item, Optional) for item in items)
    assert int(items[0].get_value()) == 0
    assert items[1].element_spec == tf.TensorSpec([], tf.int64)
