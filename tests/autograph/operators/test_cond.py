"""`if`: which block runs, on what, and what comes of it."""

from typing import Any

import pytest

from autograph.operators import cond
from tests.autograph.staged_values import Staged, plain


class Truth:
    """Counts how often its truth is asked."""

    def __init__(self, value: bool) -> None:
        self.value, self.asked = value, 0

    def __bool__(self) -> bool:
        self.asked += 1
        return self.value


class Sized:
    def __len__(self) -> int:
        return 0


@pytest.mark.parametrize(
    "test", [True, False, 1, 0, 2.5, "", "a", [], [0], None, (), Sized(), Truth(True), Truth(False)]
)
def test_plain_truth_is_pythons(test: Any) -> None:
    assert cond(test, lambda: "body", lambda: "else") == ("body" if test else "else")


def test_truth_is_asked_once() -> None:
    test = Truth(True)
    cond(test, lambda: 1, lambda: 2)
    assert test.asked == 1


def test_state_is_passed_by_position() -> None:
    def body(x: int, y: int) -> tuple[int, int]:
        return y, x

    assert cond(True, body, body, (1, 2)) == (2, 1)


def test_only_one_block_runs() -> None:
    ran = []
    cond(True, lambda: ran.append("body"), lambda: ran.append("else"))
    assert ran == ["body"]


def test_names_come_from_the_parameters(log: list[Any]) -> None:
    def body(x: int, n: int) -> tuple[int, int]:
        return x + 1, n

    result = cond(Staged(True), body, body, (1, 2))
    assert (plain(result), log) == ((2, 2), [("cond", ("x", "n"))])


def test_names_come_from_defines(log: list[Any]) -> None:
    def body(x: int) -> tuple[int, int]:
        return x, x

    assert plain(cond(Staged(False), body, body, (1,), defines="y, n")) == (1, 1)
    assert log == [("cond", ("y", "n"))]


def test_names_leave_out_locals(log: list[Any]) -> None:
    def body(x: int) -> int:
        local = x
        return local

    cond(Staged(False), body, body, (1,))
    assert log == [("cond", ("x",))]


def test_no_results(log: list[Any]) -> None:
    assert cond(Staged(True), lambda: None, lambda: None) is None
    assert log == [("cond", ())]


def test_deep_recursion_needs_no_deeper_c_stack() -> None:
    def down(n: int) -> int:
        return cond(n == 0, lambda: 0, lambda: down(n - 1))

    assert down(300) == 0
