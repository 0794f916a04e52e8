"""Datasets in folders: what was saved comes back, and what is damaged is refused."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime import errors

Dataset = rt.data.Dataset


def plain(data: Any) -> list[Any]:
    def of(part: Any) -> Any:
        return None if part is None else (part.numpy().dtype, part.numpy().tolist())

    return [rt.nest.map_structure(of, element) for element in data] if data else []


ROWS = [
    Dataset.range(42),
    Dataset.range(0),
    Dataset.from_tensor_slices(({"a": [1.5, 2.5], "b": [[1], [2]]}, [True, False])),
    Dataset.range(1, 4).map(lambda x: (rt.fill([x], x), None)),
    Dataset.range(3).map(lambda x: rt.cast(x, rt.bfloat16)).map(lambda x: (x, x)),
    Dataset.from_tensor_slices(np.zeros((2, 0, 3), np.complex64)),
]


@pytest.mark.parametrize("compression", [None, "GZIP"])
@pytest.mark.parametrize("at", range(len(ROWS)))
def test_what_was_saved_comes_back(at: int, compression: Any, tmp_path: Path) -> None:
    data = ROWS[at]
    data.save(tmp_path, compression)
    found = Dataset.load(str(tmp_path), compression=compression)
    assert found.element_spec == data.element_spec
    assert plain(found) == plain(found) == plain(data)
    assert int(found.cardinality()) == len(list(data))


def test_texts_come_back(tmp_path: Path) -> None:
    texts = [[b"", b"a"], [b"\0\xff" * 99, "ä".encode()]]
    Dataset.from_tensor_slices((texts, ["x", "yz"])).save(tmp_path)
    found = [(x.numpy().tolist(), y.numpy()) for x, y in Dataset.load(tmp_path)]
    assert found == [(texts[0], b"x"), (texts[1], b"yz")]


def test_elements_go_to_the_file_that_a_function_says(tmp_path: Path) -> None:
    Dataset.range(10).save(tmp_path, shard_func=lambda x: x % 3)
    found = Dataset.load(tmp_path, reader_func=lambda files: files.flat_map(lambda file: file))
    # What TensorFlow 2.21 gives.
    assert [int(x) for x in found] == [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]
    assert sorted(int(x) for x in Dataset.load(tmp_path)) == list(range(10))
    assert len(Dataset.load(tmp_path)) == 10


def test_a_save_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    Dataset.range(5).save(tmp_path)
    rt.function(lambda: Dataset.range(3).save(tmp_path))()
    assert [int(x) for x in Dataset.load(tmp_path)] == [0, 1, 2]
    with pytest.raises(errors.InvalidArgumentError):
        Dataset.range(3).map(lambda x: 6 // (1 - x)).save(tmp_path)
    assert [int(x) for x in Dataset.load(tmp_path)] == [0, 1, 2]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_damaged_one_is_refused(tmp_path: Path) -> None:
    Dataset.from_tensor_slices(np.arange(40.0)).save(tmp_path)
    (records,) = tmp_path.glob("run-*/0.records")
    kept, draws = records.read_bytes(), random.Random(5)
    for _ in range(60):
        place, bit = draws.randrange(len(kept)), 1 << draws.randrange(8)
        changed = bytearray(kept)
        changed[place] ^= bit
        for damaged in (bytes(changed), kept[:place]):
            records.write_bytes(damaged)
            with pytest.raises(errors.DataLossError, match=r"Dataset\.load"):
                list(Dataset.load(tmp_path))
    records.unlink()
    with pytest.raises(errors.DataLossError, match="cannot be read"):
        list(Dataset.load(tmp_path))


HEAD = {"format": "runtime.dataset", "version": 1, "compression": "", "element_spec": None}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", errors.DataLossError),
        ("\xff", errors.DataLossError),
        ("[]", errors.DataLossError),
        ('{"format": "other"}', errors.DataLossError),
        (json.dumps(HEAD), errors.DataLossError),
        (json.dumps(HEAD | {"version": 2}), errors.UnimplementedError),
        (
            json.dumps(HEAD | {"files": [{"file": "../x.records", "elements": 1}]}),
            errors.DataLossError,
        ),
    ],
)
def test_another_head_is_refused(text: str, kind: Any, tmp_path: Path) -> None:
    (tmp_path / "dataset.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(kind, match=r"Dataset\.load"):
        Dataset.load(tmp_path)


def test_bad_arguments(tmp_path: Path) -> None:
    data = Dataset.range(3)
    with pytest.raises(errors.NotFoundError, match="no dataset in"):
        Dataset.load(tmp_path / "none")
    with pytest.raises(TypeError, match="elements hold datasets"):
        data.window(2).save(tmp_path)
    with pytest.raises(ValueError, match="shard_func must return a scalar of int64"):
        data.save(tmp_path, shard_func=lambda x: 1.5)
    with pytest.raises(errors.InvalidArgumentError, match="numbers >= 0, got -1"):
        data.save(tmp_path, shard_func=lambda x: x - 1)
    with pytest.raises(errors.InvalidArgumentError, match="compression must be GZIP"):
        data.save(tmp_path, "ZIP")
    with pytest.raises(NotImplementedError, match="checkpoint_args"):
        data.save(tmp_path, checkpoint_args={})
    data.save(tmp_path)
    with pytest.raises(errors.InvalidArgumentError, match="has the compression None, not 'GZIP'"):
        Dataset.load(tmp_path, compression="GZIP")
    with pytest.raises(errors.InvalidArgumentError, match="different types"):
        Dataset.load(tmp_path, rt.TensorSpec([], rt.int32))
    with pytest.raises(errors.InvalidArgumentError, match="which"):
        Dataset.load(tmp_path, rt.TensorSpec([2], rt.int64))
    with pytest.raises(TypeError, match="reader_func must return"):
        Dataset.load(tmp_path, reader_func=lambda files: 3)
