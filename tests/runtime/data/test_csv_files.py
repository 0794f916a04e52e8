"""Files of comma-separated values: what Python's `csv` reads, and what does not fit."""

import csv
import gzip
import io
import random
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.data.experimental import CsvDataset, make_csv_dataset
from runtime.errors import InvalidArgumentError, NotFoundError

TEXT = (
    "survived,sex,age,size,note\n"
    '0,male,22.5,1,"a, b"\n'
    '1,female,38,3000000000,"two\nlines"\n'
    '1,female,,5,"say ""no"""\n'
    "0,male,35.0,6,plain\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text(TEXT)
    return path


def as_python(element: Any) -> Any:
    return rt.nest.map_structure(lambda x: np.asarray(x.numpy()).tolist(), element)


# Fields


def random_fields(draw: random.Random) -> list[str]:
    letters = ["a", "b", '"', ",", " ", "\n", "ä", "1"]
    return ["".join(draw.choices(letters, k=draw.randrange(5))) for _ in range(3)]


def test_fields_are_those_of_pythons_csv() -> None:
    draw = random.Random(1)
    rows = [random_fields(draw) for _ in range(300)]
    texts = []
    for row in rows:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n", quoting=draw.choice([csv.QUOTE_ALL, 0])).writerow(row)
        texts.append(text.getvalue()[:-1])
    columns = rt.io.decode_csv(texts, [[""]] * 3)
    found = zip(*[column.numpy().tolist() for column in columns], strict=True)
    assert [tuple(x.decode() for x in row) for row in found] == list(map(tuple, rows))


REQUIRED = rt.constant([], rt.int32)
DECODED: list[tuple[str, list[Any], dict[str, Any], list[Any]]] = [
    ("a,1,2.5", [[""], [0], [0.0]], {}, [b"a", 1, 2.5]),
    (",,", [["x"], [7], [0.5]], {}, [b"x", 7, 0.5]),
    ("a, 4 , -1e3 ", [[""], [0], [0.0]], {}, [b"a", 4, -1000.0]),
    ("a,NA", [[""], 7], {"na_value": "NA"}, [b"a", 7]),
    ("a;1", [[""], REQUIRED], {"field_delim": ";"}, [b"a", 1]),
    ('"a",1', [[""], [0]], {"use_quote_delim": False}, [b'"a"', 1]),
    ("a,1,2.5", [[""], [0.0]], {"select_cols": [0, 2]}, [b"a", 2.5]),
    ("9999999999", [rt.constant([0], rt.int64)], {}, [9999999999]),
]


@pytest.mark.parametrize(("text", "defaults", "options", "expected"), DECODED)
def test_decoded(text: str, defaults: Any, options: Any, expected: list[Any]) -> None:
    made = rt.io.decode_csv(text, defaults, **options)
    assert [np.asarray(x.numpy()).tolist() for x in made] == expected

    @rt.function
    def staged(records: Any) -> Any:
        return rt.io.decode_csv(records, defaults, **options)

    for _ in range(3):
        rows = staged(rt.constant([[text, text]]))
        assert [x.numpy().tolist() for x in rows] == [[[x, x]] for x in expected]


BAD: list[tuple[Any, list[Any], dict[str, Any], str]] = [
    ("a,1", [[""]], {}, "Expect 1 fields but have 2 in record 0"),
    (["a", ""], [[""]], {}, "Expect 1 fields but have 0 in record 1"),
    ("a,", [[""], REQUIRED], {}, "Field 1 is required but missing in record 0"),
    ("1_0", [[0]], {}, "Field 0 in record 0 is not a valid int32: 1_0"),
    ("9999999999", [[0]], {}, "not a valid int32"),
    ("1_0.5", [[0.0]], {}, "not a valid float32"),
    ('"a"b', [[""]], {}, "Quoted field has to end with quote"),
    ('"a', [[""]], {}, "Unquoted fields cannot have quotes"),
    ('a"b', [[""]], {}, "Unquoted fields cannot have quotes"),
    ("a\n", [[""]], {}, "Unquoted fields cannot have quotes"),
    ("a", [[True]], {}, "bool"),
    ("a", [["", ""]], {}, "must be a scalar"),
    ("a", [[""]], {"field_delim": ",,"}, "only 1 char"),
    ("a", [[""]], {"select_cols": [3]}, "of which column 3 is asked"),
    ("a", [[""]], {"select_cols": [0, 1]}, "as many as"),
]


@pytest.mark.parametrize(("text", "defaults", "options", "message"), BAD)
def test_what_does_not_fit(text: Any, defaults: Any, options: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        rt.io.decode_csv(text, defaults, **options)


# Datasets


@pytest.mark.parametrize("pack", [None, "GZIP"])
def test_records(file: Path, pack: str | None) -> None:
    expected = list(csv.reader(io.StringIO(TEXT)))[1:]
    if pack:
        file.write_bytes(gzip.compress(file.read_bytes()))
    data = CsvDataset(str(file), [rt.string] * 2 + [[""]] + [rt.string] * 2, pack, header=True)
    found = [[text.decode() for text in as_python(row)] for row in data]
    assert found == expected
    some = CsvDataset([str(file)] * 2, [rt.int32, ""], pack, header=True, select_cols=[0, 4])
    others = CsvDataset([str(file)] * 2, [rt.int32, ""], pack, header=True, exclude_cols=[1, 2, 3])
    pairs = [(int(row[0]), row[4].encode()) for row in expected] * 2
    assert [as_python(x) for x in some] == [as_python(x) for x in others] == pairs
    assert some.element_spec == (rt.TensorSpec([], rt.int32), rt.TensorSpec([], rt.string))


def test_records_that_do_not_fit(file: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="Expect 2 fields but have 5"):
        list(CsvDataset(str(file), [rt.int32, ""], header=True))
    with pytest.raises(InvalidArgumentError, match="not a valid int32: survived"):
        list(CsvDataset(str(file), [rt.int32], select_cols=[0]))
    with pytest.raises(NotFoundError):
        list(CsvDataset(str(file) + "x", [rt.int32]))
    with pytest.raises(InvalidArgumentError, match="not both"):
        CsvDataset(str(file), [rt.int32], select_cols=[0], exclude_cols=[1])


def test_quotes_that_are_no_delimiters_hold_no_lines(file: Path) -> None:
    file.write_text('1,5"\n2,6"\n')
    data = CsvDataset(str(file), [rt.int32, ""], use_quote_delim=False)
    assert [as_python(row) for row in data] == [(1, b'5"'), (2, b'6"')]


def test_batches_of_columns(file: Path) -> None:
    data = make_csv_dataset(str(file), 3, label_name="survived", num_epochs=1, shuffle=False)
    first, second = data
    assert isinstance(first[0], OrderedDict)
    assert as_python(first) == (
        {
            "sex": [b"male", b"female", b"female"],
            "age": [22.5, 38.0, 0.0],
            "size": [1, 3000000000, 5],
            "note": [b"a, b", b"two\nlines", b'say "no"'],
        },
        [0, 1, 1],
    )
    kinds = {name: column.dtype for name, column in second[0].items()}
    expected = {"sex": rt.string, "age": rt.float32, "size": rt.int64, "note": rt.string}
    assert kinds == expected


def test_files_and_epochs(file: Path, tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("survived,sex,age,size,note\n1,male,1.5,2,x\n")
    options: dict[str, Any] = {"select_columns": ["age", "survived"], "shuffle": False}
    data = make_csv_dataset(str(tmp_path / "*.csv"), 2, num_epochs=2, **options)
    ages = [age for batch in data for age in batch["age"].numpy().tolist()]
    assert ages == [22.5, 38.0, 0.0, 35.0, 1.5] * 2
    endless = make_csv_dataset(str(tmp_path / "*.csv"), 3, **options).take(7)
    assert [batch["survived"].shape[0] for batch in endless] == [3] * 7
    shuffled = make_csv_dataset(str(tmp_path / "*.csv"), 5, num_epochs=1, shuffle_seed=1)
    assert sorted(next(iter(shuffled))["age"].numpy().tolist()) == sorted(ages[:5])


def test_names_and_defaults(file: Path) -> None:
    file.write_text("1,a\n2,b\nx,c\n")
    data = make_csv_dataset(
        str(file), 5, ["n", "t"], [rt.int32, ""], header=False, num_epochs=1, shuffle=False,
        ignore_errors=True,
    )  # fmt: skip
    assert [as_python(batch) for batch in data] == [{"n": [1, 2], "t": [b"a", b"b"]}]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label_name": "nope"}, "must be one of the columns"),
        ({"select_columns": ["nope"]}, "no columns"),
        ({"select_columns": ["age", 2]}, "selected twice"),
        ({"select_columns": [9]}, "outside of 0 to 4"),
        ({"column_defaults": [0]}, "1 column_defaults for columns"),
        ({"column_names": ["a", "a"]}, "come twice"),
        ({"header": False}, "needs column_names"),
    ],
)
def test_bad_arguments(file: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_csv_dataset(str(file), 2, **options)


def test_files_without_records(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no files match"):
        make_csv_dataset(str(tmp_path / "*"), 2)
    (tmp_path / "a").write_text("")
    with pytest.raises(ValueError, match="is empty"):
        make_csv_dataset(str(tmp_path / "*"), 2)
