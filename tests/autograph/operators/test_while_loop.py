"""`while`, plain, staged, and staged from some round on."""

from collections.abc import Callable
from typing import Any

import pytest

from autograph.operators import while_loop
from tests.autograph.staged_values import Staged, plain


@pytest.mark.parametrize("rounds", [0, 1, 5])
def test_one_name_is_bare(rounds: int) -> None:
    assert while_loop(lambda n: n > 0, lambda n: n - 1, (rounds,)) == 0


@pytest.mark.parametrize("rounds", [0, 1, 5])
def test_several_names_are_a_tuple(rounds: int) -> None:
    result = while_loop(lambda n, k: n > 0, lambda n, k: (n - 1, k + 2), (rounds, 0))
    assert result == (0, 2 * rounds)


def test_no_names() -> None:
    left = [1, 2, 3]
    assert while_loop(lambda: bool(left), lambda: left.clear()) is None
    assert left == []


def test_a_tuple_is_a_value_like_any_other() -> None:
    assert while_loop(lambda t: len(t) < 3, lambda t: (*t, 0), ((),)) == (0, 0, 0)


def test_none_is_a_value_like_any_other() -> None:
    assert while_loop(lambda x: x is not None, lambda x: None, (1,)) is None


@pytest.mark.parametrize("as_test", [list, str, int], ids=["list", "str", "int"])
def test_truth_is_pythons(as_test: Callable[[Any], Any]) -> None:
    tests = iter([as_test([1]) if as_test is not int else 7, as_test()])
    rounds = while_loop(lambda n: next(tests), lambda n: n + 1, (0,))
    assert rounds == 1


def test_staged_from_the_start(log: list[Any]) -> None:
    def body(n: Any, k: Any) -> Any:
        return n + -1, k + 2

    result = while_loop(lambda n, k: n > 0, body, (Staged(3), 0))
    assert plain(result) == (0, 6)
    assert log == [("while", ("n", "k"), (3, 0))]


def test_becomes_staged_after_two_rounds(log: list[Any]) -> None:
    def test(n: int) -> Any:
        return n < 6 if n < 2 else Staged(n < 6)

    result = while_loop(test, lambda n: n + 1, (0,), defines="n")
    assert plain(result) == 6
    assert log == [("while", ("n",), (2,))]


def test_the_test_is_asked_once_a_round() -> None:
    asked = []
    while_loop(lambda n: asked.append(n) or n < 2, lambda n: n + 1, (0,))
    assert asked == [0, 1, 2]
