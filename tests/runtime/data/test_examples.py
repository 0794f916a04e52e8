"""Records of features: their bytes, as the encoding of protocol buffers says, and reading them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as tf

pytest.importorskip("tensorboard")

# A message is fields: number and kind in a byte (10: the first, of a length; 26: the third), then
# the length, then the bytes.
ONE = b"\n\x0c\n\n\n\x01a\x12\x05\x1a\x03\n\x01\x01"


def feature(*values: Any) -> Any:
    kinds: dict[type, tuple[str, Any]] = {
        int: ("int64_list", tf.train.Int64List),
        float: ("float_list", tf.train.FloatList),
        bytes: ("bytes_list", tf.train.BytesList),
    }
    field, kind = kinds[type(values[0])]
    return tf.train.Feature(**{field: kind(value=values)})


def record(**features: Any) -> bytes:
    made = tf.train.Example(features=tf.train.Features(feature=features))
    return made.SerializeToString(deterministic=True)  # type: ignore[no-any-return]


FIRST = record(a=feature(1), b=feature(1.5, 2.5), c=feature(b"one"), s=feature(1, 2, 3, 4))
SECOND = record(a=feature(7), b=feature(0.0, 1.0), c=feature(b"two"), s=feature(9, 8))
FIXED, SEQUENCE = tf.io.FixedLenFeature, tf.io.FixedLenSequenceFeature


def test_bytes() -> None:
    assert record(a=feature(1)) == ONE
    read = tf.train.Example.FromString(ONE)
    assert read.features.feature["a"].int64_list.value[0] == 1


ROWS: dict[str, tuple[Any, Any]] = {
    "a": (FIXED([], tf.int64), 1),
    "b": (FIXED([2], tf.float32), [1.5, 2.5]),
    "c": (FIXED([], tf.string), b"one"),
    "s": (FIXED([2, 2], tf.int64), [[1, 2], [3, 4]]),
    "s by pairs": (SEQUENCE([2], tf.int64, True), [[1, 2], [3, 4]]),
    "none": (SEQUENCE([], tf.int64, True), []),
    "default": (FIXED([2], tf.float32, [3.0, 4.0]), [3.0, 4.0]),
}


@pytest.mark.parametrize("name", ROWS)
def test_one_record(name: str) -> None:
    spec, wanted = ROWS[name]
    key = name.partition(" ")[0]
    for parse in (tf.io.parse_single_example, tf.function(tf.io.parse_single_example)):
        found = parse(FIRST, {key: spec})[key]
        assert np.asarray(found.numpy()).tolist() == wanted
        assert found.dtype is tf.as_dtype(spec.dtype)


def test_a_batch_fills_sequences_up() -> None:
    specs = {"a": FIXED([], tf.int64), "s": SEQUENCE([], tf.int64, True, -1)}
    found = tf.io.parse_example([FIRST, SECOND], specs)
    assert found["a"].numpy().tolist() == [1, 7]
    assert found["s"].numpy().tolist() == [[1, 2, 3, 4], [9, 8, -1, -1]]


@pytest.mark.parametrize(
    ("text", "spec", "words"),
    [
        (FIRST, FIXED([], tf.int64), "required"),
        (b"junk", FIXED([], tf.int64), "no serialized Example"),
        (record(x=feature(1.0)), FIXED([], tf.int64), "float_list"),
        (record(x=feature(1, 2)), FIXED([3], tf.int64), "2 values"),
        (record(x=feature(1, 2)), SEQUENCE([3], tf.int64, True), "2 values"),
        (FIRST, SEQUENCE([], tf.int64), "allow_missing"),
        (FIRST, FIXED([None], tf.int64), "known shape"),
        (FIRST, FIXED([], tf.int32), "int32"),
        (FIRST, 3, "FixedLenFeature"),
    ],
)
def test_what_does_not_fit(text: bytes, spec: Any, words: str) -> None:
    with pytest.raises(tf.errors.OpError, match=words):
        tf.io.parse_single_example(text, {"x": spec})


def test_datasets_of_records(tmp_path: Path) -> None:
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path) as writer:
        writer.write(FIRST)
        writer.write(SECOND)
    specs = {"a": FIXED([], tf.int64), "s": SEQUENCE([], tf.int64, True)}
    records = tf.data.TFRecordDataset(path)
    one = records.map(lambda text: tf.io.parse_single_example(text, specs))
    assert one.element_spec["a"] == tf.TensorSpec([], tf.int64)
    assert [int(each["a"]) for each in one] == [1, 7]
    (batch,) = records.batch(2).map(lambda texts: tf.io.parse_example(texts, specs))
    assert batch["s"].numpy().tolist() == [[1, 2, 3, 4], [9, 8, 0, 0]]


@pytest.mark.parametrize("value", [[1, 2], [[1.5]], ["a", "b"], 3, True, np.arange(3), 1 + 2j])
def test_serialized_tensors(value: Any) -> None:
    x = tf.constant(value)
    for parse in (tf.io.parse_tensor, tf.function(tf.io.parse_tensor)):
        found = parse(tf.io.serialize_tensor(x), x.dtype)
        assert found.dtype is x.dtype
        np.testing.assert_array_equal(found.numpy(), x.numpy())


def test_tensors_of_another_dtype_and_none() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32, not of float32"):
        tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no serialized tensor"):
        tf.io.parse_tensor(b"zz", tf.float32)
