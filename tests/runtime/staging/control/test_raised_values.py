"""What exceptions hold when a graph raises them: the run's values, as where Python runs the code.

The `assert` statements are Python's own here: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import runtime as rt


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclasses.dataclass
class Reading:
    value: Any
    unit: str


class Detailed(Exception):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.details = {"all": list(args)}


def asserted(x):
    assert x > 0, ("negative", x)
    return x


def asserted_deep(x):
    assert x > 0, {"x": [x, (x * 2, "two")], "n": 3}
    return x


def asserted_alone(x):
    assert x > 0, x
    return x


def raised_tuple(x):
    if x < 0:
        raise ValueError("negative", (x, [x + 1]))
    return x


def raised_named(x):
    if x < 0:
        raise KeyError(Pair(x, Reading(x, "m")))
    return x


def raised_with_attribute(x):
    if x < 0:
        raise Detailed("negative", x)
    return x


def raised_number(x):
    n = 0
    while x < 0:
        n += 1
        x += 1
        if n > 2:
            raise ValueError([n, {"n": n}])
    return x


def raised_none(x):
    last = None
    if x > -1:
        last = x
    if x < 0:
        raise ValueError("last", [last])
    return x


def raised_optional(x):
    last = None
    if x < -1:
        last = x
    if x < 0:
        raise ValueError(last, [last])
    return x


def raised_grown(x):
    names = ["negative"]
    if x < 0:
        names.append("far")
        raise ValueError(names)
    return x


def raised_plain(x):
    if x < 0:
        raise ValueError(["negative"], Reading(1, "m"))
    return x


@pytest.mark.parametrize(
    "function",
    [
        asserted,
        asserted_deep,
        asserted_alone,
        raised_tuple,
        raised_named,
        raised_with_attribute,
        raised_number,
        raised_none,
        raised_optional,
        raised_grown,
        raised_plain,
    ],
)
def test_exceptions_hold_the_values_of_the_run(function: Callable[..., Any]) -> None:
    staged = rt.function(function)
    for start in (-5.0, -7.0):
        with pytest.raises(Exception) as expected:  # noqa: PT011
            function(rt.constant(start))
        with pytest.raises(type(expected.value)) as found:
            staged(rt.constant(start))
        assert repr(found.value.args) == repr(expected.value.args)
        assert str(found.value) == str(expected.value)
        assert repr(getattr(found.value, "details", None)) == repr(
            getattr(expected.value, "details", None)
        )


def test_the_message_of_a_staged_assertion_is_that_of_the_run() -> None:
    with pytest.raises(rt.errors.InvalidArgumentError) as found:
        rt.function(asserted)(rt.constant(-1.0))
    assert found.value.message == str(("negative", rt.constant(-1.0)))


def test_each_raise_has_containers_of_its_own() -> None:
    staged = rt.function(raised_tuple)
    held = []
    for start in (-1.0, -2.0):
        with pytest.raises(ValueError, match="negative") as found:
            staged(rt.constant(start))
        held.append(found.value.args[1])
    assert [float(pair[0]) for pair in held] == [-1.0, -2.0]
    assert held[0][1] is not held[1][1]


def test_a_print_shows_containers_as_they_were(capsys: pytest.CaptureFixture[str]) -> None:
    @rt.function
    def shown(x: Any) -> Any:
        names = ["a"]
        last = None
        if x > 0:
            last = x
        print(x, names, [last])
        names.append("b")
        return x

    for start in (1.0, -1.0):
        x = rt.constant(start)
        shown(x)
        assert capsys.readouterr().out == f"{x!s} ['a'] {[x if start > 0 else None]}\n"
