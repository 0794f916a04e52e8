"""Datasets of files: lines and records, by Python's own reading; what cannot be read."""

import gzip
import random
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.core.tfrecords import crc32c
from runtime.errors import DataLossError, InvalidArgumentError, NotFoundError, OutOfRangeError

TEXT = b"to be\nor not\r\n\nto be: \xc3\xa4"
LINES = [b"to be", b"or not", b"", "to be: ä".encode()]


def values(data: Any) -> list[bytes]:
    return [x.numpy() for x in data]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT)
    return path


@pytest.mark.parametrize("pack", [None, "GZIP", "ZLIB"])
def test_lines(file: Path, pack: str | None) -> None:
    packed = {None: bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}[pack]
    file.write_bytes(packed(TEXT))
    names = rt.data.Dataset.from_tensors(str(file))
    assert values(rt.data.TextLineDataset(file, pack)) == LINES
    assert values(rt.data.TextLineDataset([str(file)] * 2, pack)) == LINES * 2
    assert values(names.flat_map(lambda n: rt.data.TextLineDataset(n, pack))) == LINES

    @rt.function
    def longest(name: Any) -> Any:
        most = 0
        for line in rt.data.TextLineDataset(name, pack):
            most = rt.maximum(most, rt.strings.length(line))
        return most

    assert int(longest(rt.constant(str(file)))) == max(map(len, LINES))


def test_records(file: Path) -> None:
    size = len(TEXT)
    data = rt.data.FixedLengthRecordDataset(
        str(file), 4, header_bytes=2, footer_bytes=(size - 2) % 4
    )
    end = size - (size - 2) % 4
    assert values(data) == [TEXT[at : at + 4] for at in range(2, end, 4)]
    with pytest.raises(InvalidArgumentError, match="no records of 7"):
        values(rt.data.FixedLengthRecordDataset(str(file), 7))
    with pytest.raises(InvalidArgumentError, match="must be positive"):
        rt.data.FixedLengthRecordDataset(str(file), 0)


RECORDS = [b"", b"\0", b"one", bytes(range(256)) * 3, bytes(range(255)) * 9]


@pytest.mark.parametrize("pack", [None, "GZIP", "ZLIB"])
def test_tfrecords(tmp_path: Path, pack: str | None) -> None:
    path = tmp_path / "a.tfrecord"
    with rt.io.TFRecordWriter(path, pack) as writer:
        for record in RECORDS:
            writer.write(record)
        writer.flush()
        assert pack or values(rt.data.TFRecordDataset(path)) == RECORDS
    assert values(rt.data.TFRecordDataset(path, pack)) == RECORDS
    assert values(rt.data.TFRecordDataset([str(path)] * 2, pack)) == RECORDS * 2

    @rt.function
    def longest(name: Any) -> Any:
        most = 0
        for record in rt.data.TFRecordDataset(name, pack):
            most = rt.maximum(most, rt.strings.length(record))
        return most

    assert int(longest(rt.constant(str(path)))) == max(map(len, RECORDS))


def test_the_check_of_tfrecords_is_that_of_its_definition() -> None:
    """Bit by bit, for lengths around those that are computed otherwise."""

    def bitwise(data: bytes) -> int:
        state = 0xFFFFFFFF
        for byte in data:
            state ^= byte
            for _ in range(8):
                state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
        return state ^ 0xFFFFFFFF

    # RFC 3720, B.4
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    for size in (0, 1, 3, 1023, 1024, 1025, 1279, 1280, 1281, 5000):
        data = random.Random(size).randbytes(size)
        assert crc32c(data) == bitwise(data), size


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda b: b[:7], "record at byte 0 ends within its check of the length"),
        (lambda b: b"?" + b[1:], "byte 0 is corrupted.*length.*is it a TFRecord file"),
        (lambda b: b[:-1], "record at byte 19 ends within its check of the data"),
        (lambda b: b[:-6], "record at byte 19 ends behind 1 of 3"),
        (lambda b: b[:31] + b"?" + b[32:], "record at byte 19 is corrupted: the check of its data"),
    ],
)
def test_damaged_tfrecords(tmp_path: Path, damage: Any, reason: str) -> None:
    path, whole = tmp_path / "a.tfrecord", tmp_path / "b.tfrecord"
    for each in (path, whole):
        with rt.io.TFRecordWriter(str(each)) as writer:
            writer.write("one")
            writer.write(rt.constant("two"))
    path.write_bytes(damage(path.read_bytes()))
    iterator = iter(rt.data.TFRecordDataset([path, whole]))
    before = 0 if "byte 0" in reason else 1
    assert [next(iterator).numpy() for _ in range(before)] == [b"one"] * before
    with pytest.raises(DataLossError, match=rf"TFRecordDataset: .*a\.tfrecord.*{reason}"):
        next(iterator)
    assert values(iterator) == [b"one", b"two"]


def test_tfrecords_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no/such"):
        rt.io.TFRecordWriter(f"{tmp_path}/no/such")
    with pytest.raises(ValueError, match="GZIP, ZLIB or None, got 'ZIP'"):
        rt.io.TFRecordWriter(tmp_path / "a", "ZIP")
    writer = rt.io.TFRecordWriter(
        tmp_path / "a", rt.io.TFRecordOptions("GZIP", compression_level=1)
    )
    with pytest.raises(TypeError, match="string of bytes, not list"):
        writer.write([1])
    writer.close()
    writer.close()
    with pytest.raises(rt.errors.FailedPreconditionError, match="closed"):
        writer.write(b"")


def test_the_next_file_comes_behind_a_missing_one(file: Path) -> None:
    iterator = iter(rt.data.TextLineDataset([f"{file}.no", str(file)]))
    with pytest.raises(NotFoundError, match=r"there is no file .*a\.txt\.no"):
        next(iterator)
    assert values(iterator) == LINES
    with pytest.raises(DataLossError, match="ZLIB"):
        values(rt.data.TextLineDataset(str(file), "ZLIB"))
    with pytest.raises(DataLossError, match="cannot be read"):
        values(rt.data.TextLineDataset(str(file), "GZIP"))
    with pytest.raises(rt.errors.OpError, match="directory"):
        values(rt.data.TextLineDataset(str(file.parent)))
    with pytest.raises(InvalidArgumentError, match="GZIP, ZLIB or None, got 'ZIP'"):
        rt.data.TextLineDataset(str(file), "ZIP")
    for wrong in (3, None, [1.5]):
        with pytest.raises(TypeError, match="TextLineDataset"):
            rt.data.TextLineDataset(wrong)


def test_names_of_files(tmp_path: Path) -> None:
    for name in ("c.csv", "a.csv", "b.txt"):
        (tmp_path / name).touch()
    every = sorted(bytes(path) for path in tmp_path.glob("*.csv"))
    listed = rt.data.Dataset.list_files
    assert values(listed(f"{tmp_path}/*.csv", shuffle=False)) == every
    assert sorted(values(listed([f"{tmp_path}/a*", f"{tmp_path}/c*"], seed=1))) == every
    with pytest.raises(InvalidArgumentError, match=r"No files matched pattern: .*\.no"):
        listed(f"{tmp_path}/*.no")

    @rt.function
    def names(pattern: Any) -> Any:
        found = rt.constant([], rt.string)
        for name in listed(pattern, shuffle=False):
            found = rt.concat([found, [name]], 0)
        for name in listed([f"{tmp_path}/b*", pattern], seed=1):
            found = rt.concat([found, [name]], 0)
        return found

    for more in ("d.csv", "e.csv"):
        found = names(rt.constant(f"{tmp_path}/*.csv")).numpy().tolist()
        again = [*every, bytes(tmp_path / "b.txt")]
        assert found[: len(every)] == every
        assert sorted(found[len(every) :]) == sorted(again)
        (tmp_path / more).touch()
        every.append(bytes(tmp_path / more))
    with pytest.raises(InvalidArgumentError, match=r"No files matched pattern: .*\.no"):
        names(rt.constant(f"{tmp_path}/*.no"))


def test_what_has_another_number_of_elements() -> None:
    few = rt.data.Dataset.range(4).filter(lambda x: x < 2)
    for count, found in ((1, "more than 1"), (3, "2 elements"), (-1, "2 elements, not infinitely")):
        known = few.apply(rt.data.experimental.assert_cardinality(count))
        assert int(known.cardinality()) == count
        with pytest.raises(rt.errors.FailedPreconditionError, match=found):
            list(known)


def test_bad_groups() -> None:
    data = rt.data.Dataset.range(4)
    with pytest.raises(ValueError, match="one of them"):
        data.group_by_window(lambda x: x, lambda k, d: d)
    with pytest.raises(ValueError, match="key_func must return a scalar of int64"):
        data.group_by_window(lambda x: x > 1, lambda k, d: d, 2)
    with pytest.raises(TypeError, match="reduce_func must return a Dataset"):
        data.group_by_window(lambda x: x, lambda k, d: k, 2)
    with pytest.raises(InvalidArgumentError, match="window size must be greater than zero"):
        list(data.group_by_window(lambda x: x, lambda k, d: d, 0))
    with pytest.raises(ValueError, match="one more than bucket_boundaries, got 1 and 1"):
        data.bucket_by_sequence_length(lambda x: x, [2], [1])


def test_an_element_at_its_place() -> None:
    data = rt.data.Dataset.from_tensor_slices(([1, 2, 3], [4.0, 5.0, 6.0]))
    for dataset in (data, data.repeat(2), data.batch(2), data.filter(lambda x, y: x > 1)):
        elements = list(dataset.as_numpy_iterator())
        for place, (x, y) in enumerate(elements):
            found = rt.data.experimental.at(dataset, place)
            np.testing.assert_array_equal(found[0], x)
            np.testing.assert_array_equal(found[1], y)
        for place in (-1, len(elements)):
            with pytest.raises(OutOfRangeError, match=f"no element at {place}"):
                rt.data.experimental.at(dataset, place)
    with pytest.raises(TypeError):
        rt.data.experimental.at([1, 2], 0)


def test_buckets_are_padded_to_their_boundaries() -> None:
    """Beside the same elements, which NumPy fills up."""
    lengths = [1, 2, 3, 4, 1, 6]
    spec = (rt.TensorSpec([None, 2], rt.float32), rt.TensorSpec([], rt.int64))
    rows = [np.arange(2.0 * n, dtype=np.float32).reshape(n, 2) for n in lengths]
    data = rt.data.Dataset.from_generator(
        lambda: zip(rows, lengths, strict=True), output_signature=spec
    )
    bounds, values = [3, 8], (np.float32(-1), np.int64(0))
    found = data.bucket_by_sequence_length(
        lambda x, n: n, bounds, [2, 2, 2], padding_values=values, pad_to_bucket_boundary=True
    )
    assert found.element_spec[0].shape.as_list() == [None, None, 2]
    batches = [[0, 1], [2, 3], [4], [5]]
    for which, (x, n) in zip(batches, found, strict=True):
        size = bounds[0 if lengths[which[0]] < bounds[0] else 1] - 1
        whole = [
            np.pad(rows[i], [(0, size - lengths[i]), (0, 0)], constant_values=-1) for i in which
        ]
        np.testing.assert_array_equal(x.numpy(), np.stack(whole))
        assert n.numpy().tolist() == [lengths[i] for i in which]
    with pytest.raises(InvalidArgumentError, match="bucket_boundaries"):
        list(
            data.bucket_by_sequence_length(
                lambda x, n: n, [3, 5], [2, 2, 2], pad_to_bucket_boundary=True
            )
        )


def test_parallel_reads_give_the_files_in_turn(tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in "abc"]
    for name, text in zip(names, ("1\n2\n3", "4", "5\n6"), strict=True):
        Path(name).write_text(text)

    def read(reads: Any) -> list[int]:
        return [int(x.numpy()) for x in rt.data.TextLineDataset(names, num_parallel_reads=reads)]

    # What TensorFlow 2.21 gives.
    assert read(2) == [1, 4, 2, 3, 5, 6]
    assert read(3) == [1, 4, 5, 2, 6, 3]
    assert read(None) == read(rt.data.AUTOTUNE) == [1, 2, 3, 4, 5, 6]
    with pytest.raises(InvalidArgumentError, match=r"num_parallel_reads .* got 0"):
        read(0)
    assert len(list(rt.data.TextLineDataset([names[:2]]))) == 4
