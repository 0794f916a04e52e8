"""Errors say where they are about, and survive copying and pickling."""

import copy
import linecache
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gast
import pytest

from autograph.errors import AutographError, ConversionError, StagingError

FULL: dict[str, Any] = {
    "filename": "a.py",
    "lineno": 3,
    "col": 5,
    "variable": "x",
    "hint": "write y instead",
}


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "what"),
        ({"filename": "a.py"}, "a.py: what"),
        ({"filename": "a.py", "lineno": 3}, "a.py:3: what"),
        ({"filename": "a.py", "lineno": 3, "col": 5}, "a.py:3:5: what"),
        ({"lineno": 3, "col": 5}, "3:5: what"),
        ({"hint": "do this"}, "what\n  do this"),
        (FULL, "a.py:3:5: what\n  write y instead"),
    ],
)
def test_text(fields: dict[str, Any], text: str) -> None:
    assert str(AutographError("what", **fields)) == text


@pytest.mark.parametrize("cls", [AutographError, ConversionError, StagingError])
@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))]
)
def test_duplicates(cls: type[AutographError], duplicate: Callable[[Any], Any]) -> None:
    error = cls("what", **FULL)
    twin = duplicate(error)
    assert type(twin) is cls
    assert str(twin) == str(error)
    assert vars(twin) == vars(error) == {"message": "what", **FULL}


@pytest.mark.parametrize(
    ("cls", "bases"),
    [(ConversionError, (AutographError,)), (StagingError, (AutographError, ValueError))],
)
def test_classes(cls: type, bases: tuple[type, ...]) -> None:
    assert issubclass(cls, bases)


def test_fields_combine_with_other_classes() -> None:
    class Both(StagingError, TypeError):
        pass

    assert Both("what", lineno=1).lineno == 1
    assert str(pickle.loads(pickle.dumps(StagingError("what", lineno=1)))) == "1: what"


@pytest.mark.parametrize(
    ("line", "offset", "col"), [("x = y", 4, 5), ("é = y", 5, 5), ("漢字 = y", 9, 6)]
)
def test_columns_count_characters(line: str, offset: int, col: int, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(line, encoding="utf-8")
    linecache.checkcache(str(path))
    node = gast.Name("y", gast.Load(), None, None, lineno=1, col_offset=offset)
    error = ConversionError.at(node, "what", filename=str(path), variable="y")
    assert (error.lineno, error.col, error.variable) == (1, col, "y")


def test_node_without_file_or_position() -> None:
    node = gast.Name("y", gast.Load(), None, None, lineno=2, col_offset=7)
    assert str(StagingError.at(node, "what")) == "2:8: what"
    assert str(StagingError.at(gast.Load(), "what", filename="a.py")) == "a.py: what"
    assert str(StagingError.at(None, "what", hint="do this")) == "what\n  do this"
