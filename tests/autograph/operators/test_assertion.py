"""`assert`."""

from typing import Any

import pytest

from autograph.operators import assert_ as check
from tests.autograph.staged_values import Staged


@pytest.mark.parametrize("test", [True, 1, "a", [0]])
def test_true(test: Any) -> None:
    assert check(test, lambda: 1 / 0) is None


@pytest.mark.parametrize("test", [False, 0, "", [], None])
def test_false(test: Any) -> None:
    with pytest.raises(AssertionError) as raised:
        check(test)
    assert raised.value.args == ()


@pytest.mark.parametrize("message", ["why", None, ("a", 1)])
def test_message(message: Any) -> None:
    with pytest.raises(AssertionError) as raised:
        check(False, lambda: message)
    assert raised.value.args == (message,)


def test_an_error_in_the_message_wins() -> None:
    with pytest.raises(ZeroDivisionError):
        check(False, lambda: 1 / 0)


def test_staged(log: list[Any]) -> None:
    check(Staged(False), lambda: "why")
    check(Staged(False))
    assert log == [("assert", "why"), ("assert", None)]
