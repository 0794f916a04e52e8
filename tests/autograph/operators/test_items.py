"""`x[i] = v` and `x[i] += v`."""

from typing import Any

import pytest

from autograph.operators import setitem, update_item
from tests.autograph.staged_values import Staged, plain

UPDATES = ["+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>="]


class Logged(list[Any]):
    def __init__(self, log: list[str]) -> None:
        super().__init__([10, 20])
        self.log = log

    def __getitem__(self, key: Any) -> Any:
        self.log.append(f"get {key}")
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.log.append(f"set {key} {value}")
        super().__setitem__(key, value)


@pytest.mark.parametrize(
    ("target", "key", "value", "expected"),
    [
        ([1, 2, 3], 1, 9, [1, 9, 3]),
        ([1, 2, 3], -1, 9, [1, 2, 9]),
        ([1, 2, 3], slice(0, 2), [9], [9, 3]),
        ({"a": 1}, "b", 2, {"a": 1, "b": 2}),
        (bytearray(b"ab"), 0, 99, bytearray(b"cb")),
    ],
)
def test_assignment(target: Any, key: Any, value: Any, expected: Any) -> None:
    assert setitem(value, to=target, at=key) is target
    assert target == expected


@pytest.mark.parametrize("symbol", UPDATES)
def test_updates(symbol: str) -> None:
    expected, got = [37], [37]
    exec(f"expected[0] {symbol} 3", {"expected": expected})
    assert update_item(got, 0, symbol, lambda: 3) is got
    assert got == expected


def test_matrix_update() -> None:
    class Matrix:
        def __imatmul__(self, other: Any) -> str:
            return f"@{other}"

    assert update_item([Matrix()], 0, "@=", lambda: 3) == ["@3"]


def test_an_update_reads_computes_and_writes_in_pythons_order() -> None:
    log: list[str] = []
    update_item(Logged(log), 1, "+=", lambda: log.append("value") or 5)
    assert log == ["get 1", "value", "set 1 25"]


def test_an_update_changes_a_mutable_element_in_place() -> None:
    inner = [1]
    xs = [inner]
    update_item(xs, 0, "+=", lambda: [2])
    assert xs[0] is inner
    assert inner == [1, 2]


def test_staged_target(log: list[Any]) -> None:
    target = Staged([1, 2])
    assert plain(setitem(9, to=target, at=0)) == [9, 2]
    assert plain(target) == [1, 2]
    assert log == ["setitem"]


@pytest.mark.parametrize("target", [Staged([1, 2]), [1, 2]], ids=["staged", "list"])
def test_staged_update(target: Any, log: list[Any]) -> None:
    assert plain(update_item(target, Staged(1), "+=", lambda: 5)) == [1, 7]
    assert log == [("getitem", 2), "setitem"]


def test_staged_key_into_a_list(log: list[Any]) -> None:
    assert plain(setitem(9, to=[1, 2], at=Staged(0))) == [9, 2]
    assert log == ["setitem"]


@pytest.mark.parametrize("part", ["start", "stop", "step"])
def test_staged_slice_of_a_list(part: str, log: list[Any]) -> None:
    bounds = {"start": 0, "stop": 2, "step": 1, part: Staged(1)}
    key = slice(bounds["start"], bounds["stop"], bounds["step"])
    with pytest.raises(TypeError, match="no truth value"):  # the test backend slices nothing
        setitem([9], to=[1, 2], at=key)
    assert log == ["setitem"]


@pytest.mark.parametrize(("target", "key", "error"), [([], 0, IndexError), ((1,), 0, TypeError)])
def test_errors_are_pythons(target: Any, key: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as expected:
        target[key] = 1
    with pytest.raises(error) as got:
        setitem(1, to=target, at=key)
    assert str(got.value) == str(expected.value)
