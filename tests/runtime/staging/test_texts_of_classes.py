"""Texts that the user's classes make, by the methods of the built-in classes that they build on."""

# Each way of making a text is meant.
# ruff: noqa: UP031

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from runtime import errors
from tests.support.staging import assert_as_in_python


class Diverged(Exception):
    def __init__(self, value):
        super().__init__(f"value {value:.3g}")

    def __str__(self):
        return "[" + super().__str__() + "]"


class OfTwo(ValueError):
    def __init__(self, value):
        super().__init__(f"value {value:.3g}", value)

    def __str__(self):
        return "<" + ValueError.__str__(self) + ">"

    def __repr__(self):
        return "{" + super().__repr__() + "}"


class Derived(OfTwo):
    def __str__(self):
        return f"{super().__str__()}!"


class Missing(KeyError):
    def __str__(self):
        return "no " + super().__str__()


class Represented(Exception):
    def __str__(self):
        return "as " + object.__str__(self)


class OfAFile(OSError):
    def __str__(self):
        return "file: " + super().__str__()


class Formatted(Exception):
    def __format__(self, spec):
        return "f" + super().__format__("")


class Items(list):
    def __repr__(self):
        return "Items" + super().__repr__()


class Entries(dict):
    def __repr__(self):
        return "Entries" + super().__repr__()


class Pair(tuple):
    def __repr__(self):
        return "Pair" + tuple.__repr__(self)


class Counts(Counter):
    def __repr__(self):
        return "Counts" + super().__repr__()


def caught(make: Callable[[Any], BaseException]) -> Callable[[Any], Any]:
    def program(x):
        try:
            if x > 2:
                raise make(x)
            text = "none"
        except Exception as error:
            text = f"{error} {error!r}" + str(error) + "%-9s" % error
        return text, len(text)

    return program


def as_a_cause(x):
    try:
        if x > 2:
            raise Diverged(x)
    except Diverged as error:
        raise ValueError(f"got {error}") from error
    return x


def of_itself(x):
    items = Items([x])
    items.append(items)
    return f"{items}"


def by_name(x):
    table, items, number, text = {"a": x}, [x], float(x), f"{x}"
    return "".join(
        [
            dict.__repr__(table),
            list.__repr__(items),
            float.__repr__(number),
            str.__repr__(text),
            items.__repr__(),
            ValueError(text).__str__(),
            ascii(ValueError(f"é{x}", 1)),
            object.__str__(items),
            *map(list.__repr__, [items, [text]]),
        ]
    )


def of_wrong_arguments(x):
    texts = []
    for wrong in (lambda: list.__repr__((x,)), lambda: ValueError("a").__str__(x)):
        try:
            texts.append(wrong())
        except TypeError:
            texts.append("wrong")
    return "".join(texts)


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "super": caught(Diverged),
    "named": caught(OfTwo),
    "of_a_derived_class": caught(Derived),
    "of_a_key": caught(lambda x: Missing(f"{x}")),
    "of_an_object": caught(lambda x: Represented(f"é{x}")),
    "as_a_cause": as_a_cause,
    "list": lambda x: f"{Items([x, Items()])} {Items([[x]])}",
    "dict": lambda x: f"{Entries(a=x)} {[Entries(a=[x])]}",
    "tuple": lambda x: repr(Pair((x, Items([x])))) + str(Pair((x,))),
    "of_itself": of_itself,
    "by_name": by_name,
    "of_a_text": lambda x: f"{x}".__str__() + f"{x}".__repr__() + f"{x}".__format__(">9"),
    "of_a_number": lambda x: float(x).__repr__() + int(x).__str__() + float(x).__format__(".3f"),
    "wrong_arguments": of_wrong_arguments,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_class_builds_on_the_text_of_its_base(name: str) -> None:
    assert_as_in_python(PROGRAMS[name], 1.0, 2.5, dtype=rt.float64)


@pytest.mark.parametrize(
    "make",
    [lambda x: OfAFile(2, f"{x}"), lambda x: Formatted(f"{x}"), lambda x: Counts(a=x)],
    ids=["error_of_c", "format", "counter"],
)
def test_no_text_is_that_of_the_trace(make: Callable[[Any], Any]) -> None:
    with pytest.raises((autograph.StagingError, errors.OperatorNotAllowedInGraphError)) as refused:
        rt.function(lambda x: f"{make(x)}")(rt.constant(2.5))
    assert "shown" in str(refused.value) or "as text" in str(refused.value)
