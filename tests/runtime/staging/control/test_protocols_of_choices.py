"""What Python asks the class of a value, where the run chooses it: `%`, items, operators."""

# Which operand is the left one, and each way of making a text is meant.
# ruff: noqa: SIM300, UP031, UP032

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.support.staging import assert_as_in_python, attempt, same_outcome


class Point:
    def __init__(self, n: int) -> None:
        self.n = n

    def __repr__(self) -> str:
        return f"Point({self.n})"


class Mark:
    pass


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

EMPTY, FULL = Mark(), Mark()

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

    assert_as_in_python(program, 0, 3)


def _of_bytes(value: Any, template: bytes) -> int:
    return len(template % value)


BYTES: dict[str, Callable[[Any], int]] = {
    "literal": lambda value: len(b"abc" % value),
    "shown": lambda value: len(b"of %s" % value),
    "function": lambda value: len(operator.mod(b"abc", value)),
    "parameter": lambda value: _of_bytes(value, b"abc"),
    "in a tuple": lambda value: len(b"%s" % (value,)),
}


@pytest.mark.parametrize("choice", ["bytes", "text", "decimal", "object", "number", "tuple"])
@pytest.mark.parametrize("use", BYTES)
def test_percent_of_bytes_is_pythons_or_refused(use: str, choice: str) -> None:
    choices = {**CHOICES, "bytes": lambda x: b"1" if x > 2 else b"23"}

    def program(x: Any) -> Any:
        try:
            return BYTES[use](choices[choice](x))
        except TypeError as error:
            return str(error)

    staged = rt.function(program)
    for x in (0, 3):
        expected = attempt(lambda x=x: program(x))
        got = attempt(lambda x=x: staged(rt.constant(x)))
        may_be_refused = choice in ("number", "tuple") or use == "in a tuple"
        is_refused = may_be_refused and isinstance(got, StagingError)
        assert is_refused or same_outcome(expected, got), (x, expected, got)


def _text(x: Any) -> Any:
    return "wu" if x > 2 else "vz"


def _texts_of_two_sizes(x: Any) -> Any:
    return "w" if x > 2 else "vz"


def _object(x: Any) -> Any:
    return EMPTY if x > 2 else FULL


def _size(*items: Any) -> int:
    return len(items)


def _pair(x: Any) -> Any:
    first, second = _text(x)
    return first == "w", second


def _pair_of_two_sizes(x: Any) -> Any:
    first, second = _texts_of_two_sizes(x)
    return first == "w", second


def _caught(x: Any) -> Any:
    try:
        first, second = _texts_of_two_sizes(x)
    except ValueError as error:
        return 7, str(error)
    return 8, first + second


def _rest(x: Any) -> Any:
    first, *rest = _texts_of_two_sizes(x)
    return first, len(rest)


def _inner(x: Any) -> Any:
    (first, second), n = _text(x), 4
    return first, second, n


def _pair_of_bytes(x: Any) -> Any:
    first, second = b"ab" if x > 2 else b"cd"
    return first + second


def _pair_of_an_object(x: Any) -> Any:
    first, second = _object(x)
    return first, second


def _pair_of_either(x: Any) -> Any:
    first, second = "ab" if x > 2 else EMPTY
    return first, second


def _extended(x: Any) -> Any:
    found = [1]
    found.extend(_object(x))
    return len(found)


def _added(x: Any) -> Any:
    found = {1}
    found.update(_object(x))
    return len(found)


def _either(x: Any) -> Any:
    return "u" if x > 2 else x


ASKED: dict[str, Callable[[Any], Any]] = {
    "two names": _pair,
    "two names of sizes": _pair_of_two_sizes,
    "two names in a try": _caught,
    "a name and the rest": _rest,
    "names in names": _inner,
    "two names of bytes": _pair_of_bytes,
    "two names of an object": _pair_of_an_object,
    "two names of a text or an object": _pair_of_either,
    "arguments": lambda x: (_size(*_text(x)), _size(1, *_text(x))),
    "items of a list": lambda x: [*_text(x)],
    "a list made longer by an object": _extended,
    "a set made larger by an object": _added,
    "a dict of an object": lambda x: len(dict(_object(x))),
    "keys of an object": lambda x: len(dict.fromkeys(_object(x))),
    "right of an int": lambda x: 5 < _object(x),
    "left of an int": lambda x: _object(x) < 5,
    "text right of an int": lambda x: 5 <= _text(x),
    "fractions": lambda x: (1 < (each := Fraction(1, 2) if x > 2 else Fraction(3, 2)), each < 1),
    "text or number right of an int": lambda x: 3 < _either(x),
}


def _price(x: Any) -> Any:
    return Decimal("1.5") if x > 2 else Decimal("2.5")


def _raising(x: Any) -> Any:
    raise KeyError(_price(x))


def _raising_two(x: Any) -> Any:
    raise ValueError("no", _object(x))


ASKED |= {
    "texts beside a number": lambda x: "%s %s" % (_price(x), x) + "{} {:.3f}".format(x, _price(x)),
    "texts of a dict": lambda x: "%(a).2f %(b)s" % {"a": _price(x), "b": x},
    "texts of two": lambda x: "%s %s %s" % (_price(x), _object(x), x),
    "text of a list": lambda x: str([_price(x), x]) + f"{[_object(x)]}",
    "text of an object": lambda x: f"{_object(x)} {x}",
    "text of a known object": lambda x: "%s %s" % (EMPTY, x),
    "place of an object": lambda x: [EMPTY, FULL].index(_object(x)),
    "place of an object that is not there": lambda x: [EMPTY].index(_object(x)),
    "joined objects": lambda x: "".join([_object(x), "b"]),
    "argument of an error": _raising,
    "second argument of an error": _raising_two,
}


@pytest.mark.parametrize("use", ASKED)
def test_python_is_given_the_items_and_the_words_of_the_chosen_one(use: str) -> None:
    program = ASKED[use]
    assert_as_in_python(program, 0, 3)
