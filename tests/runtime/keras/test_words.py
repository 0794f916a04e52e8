"""Keras' layers for words and categories; the figures are those of TensorFlow 2.21."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import runtime as rt

if find_spec("keras") is None:
    pytest.skip("Keras is not installed", allow_module_level=True)

import runtime.keras as keras

TEXTS = ["foo qux bar", "qux baz foo foo"]
L = keras.layers


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [[2, 1, 3, 0], [1, 1, 2, 2]]),
        ({"output_sequence_length": 3}, [[2, 1, 3], [1, 1, 2]]),
        ({"output_sequence_length": 6}, [[2, 1, 3, 0, 0, 0], [1, 1, 2, 2, 0, 0]]),
        ({"ngrams": 2}, [[2, 1, 3, 1, 4, 0, 0], [1, 1, 2, 2, 1, 1, 1]]),
        ({"output_mode": "multi_hot"}, [[1, 1, 1, 0], [1, 1, 0, 0]]),
        ({"output_mode": "count"}, [[1, 1, 1, 0], [2, 2, 0, 0]]),
        ({"split": "character"}, [[1] * 11 + [0] * 4, [1] * 15]),
    ],
)
def test_words_are_numbered(options: dict[str, Any], expected: Any) -> None:
    layer = L.TextVectorization(vocabulary=["foo", "bar", "qux bar"], **options)
    assert np.asarray(layer(np.array(TEXTS))).tolist() == expected
    texts = rt.data.Dataset.from_tensor_slices(TEXTS).batch(2).map(layer)
    assert [np.asarray(batch).tolist() for batch in texts] == [expected]


def test_a_vocabulary_is_learned() -> None:
    layer = L.TextVectorization()
    layer.adapt(["a b b c", "b c, A."])
    assert layer.get_vocabulary() == ["", "[UNK]", "b", "c", "a"]
    assert np.asarray(layer(["A c d"])).tolist() == [[4, 3, 1]]
    layer = L.TextVectorization(output_mode="tf_idf")
    layer.adapt(["a b b c", "b c, A."])
    np.testing.assert_allclose(layer(["A c d"]), [[0.5108, 0, 0.5108, 0.5108]], atol=1e-4)


def test_categories_are_numbered() -> None:
    layer = L.StringLookup(vocabulary=["a", "b"], num_oov_indices=2)
    assert np.asarray(layer([["a", "z"], ["q", "b"]])).tolist() == [[2, 1], [1, 3]]
    layer = L.IntegerLookup(vocabulary=[12, 36], output_mode="one_hot")
    assert np.asarray(layer([36, 5])).tolist() == [[0, 0, 1], [1, 0, 0]]
    layer = L.StringLookup(vocabulary=["a", "b"], invert=True)
    assert np.asarray(layer([1, 2, 0])).tolist() == [b"a", b"b", b"[UNK]"]


def test_features_are_crossed() -> None:
    crossed = L.HashedCrossing(1000003)((np.array([["a"], ["bb"]]), np.array([[1], [2]])))
    assert np.asarray(crossed).tolist() == [[245631], [350571]]
    assert np.asarray(L.Hashing(7)(np.array(["a", "bb", "c"]))).tolist() == [5, 1, 5]
