"""What Python asks the class of a value, where the run chooses it: `%`, items, operators."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

import runtime as rt
from tests.support.staging import attempt, same_outcome


class Point:
    def __init__(self, n: int) -> None:
        self.n = n

    def __repr__(self) -> str:
        return f"Point({self.n})"


CHOICES: dict[str, Callable[[Any], Any]] = {
    "text": lambda x: "u" if x > 2 else "vw",
    "decimal": lambda x: Decimal("1.5") if x > 2 else Decimal("2.5"),
    "object": lambda x: Point(1) if x > 2 else Point(2),
    "optional text": lambda x: "u" if x > 2 else None,
    "text or number": lambda x: "u" if x > 2 else x,
    "text of a number": lambda x: str(x),
    "number": lambda x: x + 1,
    "tuple": lambda x: (1, x) if x > 2 else (3, 4),
}

WORD = "abc"
TITLE = "title %s"


def _of_parameter(template: str, value: Any) -> str:
    return template % value


def _of_default(value: Any, template="abc") -> str:
    return template % value


def _in_place(value: Any) -> str:
    made = "abc"
    made %= value
    return made


def _shown_in_place(value: Any) -> str:
    made = "of %s"
    made %= value
    return made


def _of_local(value: Any) -> str:
    template = "abc"
    return template % value


def _of_sum(value: Any) -> str:
    template = "%s" + WORD
    return template % value


PERCENT: dict[str, Callable[[Any], str]] = {
    "name of outside": lambda value: WORD % value,
    "template of outside": lambda value: TITLE % value,
    "name": _of_local,
    "sum": _of_sum,
    "parameter": lambda value: _of_parameter("abc", value),
    "default": _of_default,
    "in place": _in_place,
    "shown in place": _shown_in_place,
    "function": lambda value: operator.mod("abc", value),
    "function in place": lambda value: operator.imod("%s", value),
}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("use", PERCENT)
def test_percent_of_a_text_takes_all_values_or_raises(use: str, choice: str) -> None:
    def program(x: Any) -> str:
        return PERCENT[use](CHOICES[choice](x))

    staged = rt.function(program)
    for x in (0, 3):
        expected = attempt(lambda x=x: program(x))
        got = attempt(lambda x=x: staged(rt.constant(x)))
        assert same_outcome(expected, got), (x, expected, got)
