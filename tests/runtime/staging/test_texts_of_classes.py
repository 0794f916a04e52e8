"""Texts that classes of the user's make, by the methods of the built-in classes that they build on,
and as items of what the run makes.
"""

# Each way of making a text is meant.
# ruff: noqa: UP031, UP032

from __future__ import annotations

import dataclasses
import reprlib
import traceback
from collections import Counter, deque, namedtuple
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


class Named(namedtuple("Named", "a b")):
    def __repr__(self):
        return "named " + super().__repr__()


@dataclasses.dataclass
class Base:
    a: Any


@dataclasses.dataclass
class Wider(Base):
    b: float = 1.0

    def __str__(self):
        return super().__repr__() + self.__repr__()


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
    "namedtuple": lambda x: f"{Named(x, 1)} {[Named([x], 2)]}",
    "dataclass": lambda x: f"{Wider(x)}" + Base([x]).__repr__(),
    "counter_that_python_knows": lambda x: f"{Counter('ab')}{x}" + str(Counter("a")),
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
    [
        lambda x: OfAFile(2, f"{x}"),
        lambda x: Formatted(f"{x}"),
        lambda x: Counts(a=x),
        lambda x: reprlib.repr([x]) if x > 1 else "",
        lambda x: traceback.format_exception_only(ValueError(f"{x}")),
    ],
    ids=["error_of_c", "format", "counter", "reprlib", "traceback"],
)
def test_no_text_is_that_of_the_trace(make: Callable[[Any], Any]) -> None:
    with pytest.raises((autograph.StagingError, errors.OperatorNotAllowedInGraphError)) as refused:
        rt.function(lambda x: f"{make(x)}")(rt.constant(2.5))
    assert "shown" in str(refused.value) or "as text" in str(refused.value)


class Heat:
    def __init__(self, degrees):
        self.degrees = degrees

    def __repr__(self):
        return f"{self.degrees:.1f}C"


@dataclasses.dataclass
class Reading:
    heat: Any
    place: int = 1


class Silent:
    def __init__(self, degrees):
        self.degrees = degrees


def above_one(xs):
    return [Heat(x) for x in xs if x > 1]


def in_order(xs):
    return sorted([Heat(x) for x in xs], key=lambda each: -each.degrees)


def by_number(xs):
    found = {}
    for x in xs:
        found[int(x)] = Heat(x)
    return found


def in_rows(xs):
    rows = []
    for x in xs:
        if x > 1:
            rows.append([Heat(x), Heat(2 * x)])
    return rows


def under_keys(xs):
    found = {}
    for x in xs:
        found.setdefault(int(x), []).append(Heat(x))
    return found


def in_tuples(xs):
    found = []
    for x in xs:
        if x > 1:
            found.append((x, "a", Heat(x)))
    return found


def in_fields(xs):
    return [Reading(Heat(x)) for x in xs if x > 1]


def of_numbers(xs):
    return [Reading(x) for x in xs if x > 1]


def in_a_queue(xs):
    found = deque()
    for x in xs:
        if x > 1:
            found.append(Heat(x))
    return found


def maybe_there(xs):
    found = []
    for x in xs:
        if x > 1:
            found.append(Heat(x) if x > 2 else None)
    return found


def one_or_none(xs):
    return Heat(xs[0]) if xs[0] > 2 else None


def chosen(xs):
    found = [Heat(xs[0])]
    if xs[1] > 1:
        found = [*found, Heat(xs[1])]
    return found


MADE: dict[str, Callable[[Any], Any]] = {
    "list": above_one,
    "sorted": in_order,
    "dict": by_number,
    "rows": in_rows,
    "lists_in_a_dict": under_keys,
    "tuples": in_tuples,
    "fields": in_fields,
    "fields_of_numbers": of_numbers,
    "deque": in_a_queue,
    "maybe_none": maybe_there,
    "one_or_none": one_or_none,
    "one_of_two_lists": chosen,
    "values": lambda xs: by_number(xs).values(),
    "items": lambda xs: by_number(xs).items(),
    "views_of_numbers": lambda xs: {int(x): int(x) for x in xs}.keys(),
    "in_a_list": lambda xs: [above_one(xs), 1],
    "in_an_error": lambda xs: ValueError("bad", Heat(xs[0])),
    "list_in_an_error": lambda xs: KeyError(above_one(xs)),
}


@pytest.mark.parametrize("name", MADE)
def test_what_the_run_makes_shows_objects_by_their_own_code(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    make = MADE[name]

    def texts(xs):
        items = make(xs)
        if isinstance(items, Exception):
            return str(items) + repr(items) + f"{items} {items!r}"
        return str(items) + "{} {!r}".format(items, items) + "%s" % (items,) + f"{[items]}"

    def printed(xs):
        if xs[0] > -9:
            print(make(xs), 1)

    staged, printing = rt.function(texts), rt.function(printed)
    for xs in ([3.0, 0.5, 2.0], [0.25, 4.0, -1.0]):
        tensor = rt.constant(xs, rt.float64)
        assert staged(tensor).numpy().decode() == texts(xs)
        printed(xs)
        expected = capsys.readouterr().out
        printing(tensor)
        assert capsys.readouterr().out == expected


def test_a_message_shows_objects_by_their_own_code() -> None:
    def checked(xs):
        items = above_one(xs)
        assert len(items) > 5, f"only {items}"
        return len(items)

    with pytest.raises(AssertionError) as raised:
        rt.function(checked)(rt.constant([3.0, 0.5, 2.0]))
    assert str(raised.value) == "only [3.0C, 2.0C]"


class Failed(Exception):
    def __init__(self, state):
        super().__init__("failed")
        self.state = state


def under_a_test(make):
    def program(xs):
        if xs[0] > 1:
            raise make(xs)
        return xs

    return program


def at_once(make):
    def program(xs):
        raise make(xs)

    return program


@pytest.mark.parametrize("raising", [under_a_test, at_once])
@pytest.mark.parametrize(
    "make",
    [
        lambda xs: ValueError(Silent(xs[0])),
        lambda xs: ValueError([Heat(xs[0])]),
        lambda xs: Failed(Silent(xs[0])),
        lambda xs: Failed({"a": Silent(Silent(xs[0]))}),
        lambda xs: ValueError(above_one(xs)),
        lambda xs: ValueError(in_order(xs)),
        lambda xs: Failed([Silent(x) for x in xs if x > 1]),
    ],
)
def test_no_object_of_the_trace_leaves_in_an_error(
    make: Callable[[Any], Any], raising: Callable[..., Any]
) -> None:
    with pytest.raises(autograph.StagingError, match="raised") as refused:
        rt.function(raising(make))(rt.constant([3.0, 0.5, 2.0]))
    assert __file__ in str(refused.value)
