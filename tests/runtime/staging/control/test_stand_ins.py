"""Attributes of what the run chooses, which may have the names that the library has for its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass, fields, is_dataclass
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.programs import loaded
from tests.support.staging import attempt, same_outcome

NAMES = (
    *("held", "flag", "place", "options", "mismatch", "value", "name", "location", "kind"),
    *("get", "owner", "member", "apply", "refusal", "opened", "is_text", "may_be_missing"),
)

CLASSES = """
from functools import partial
from operator import attrgetter, methodcaller


class Box:
    def __init__(self, start):
        self.NAME = start + 5

    def doubled(self):
        return self.NAME * 2


class Other(Box):
    pass


class Third:
    def __init__(self, start):
        self.NAME = start + 7

    def doubled(self):
        return self.NAME * 3


"""

SHAPES = {
    "of two kinds": """
def program(x, y):
    item = Box(x) if x > 0 else Third(y)
    return item.NAME, item.doubled(), getattr(item, "NAME"), hasattr(item, "NAME")
""",
    "of items": """
def program(x, y):
    item = [Box(x), Other(y), Third(x)][y % 3]
    return item.NAME, item.doubled()
""",
    "of what may be None": """
def program(x, y):
    item = None
    if x > 0:
        item = Box(x)
    if item is None:
        return y
    return item.NAME + item.doubled()
""",
    "of None": """
def program(x, y):
    item = Box(x) if x > 0 else None
    return item.NAME
""",
    "of what may be unbound": """
def program(x, y):
    if x > 0:
        item = Box(x)
    return item.NAME + item.doubled()
""",
    "of an operand": """
def program(x, y):
    item = None
    if x > 0:
        item = Box(x)
    item = item or Box(y)
    return item.NAME + item.doubled()
""",
    "assigned": """
def program(x, y):
    item = Box(x) if x > 0 else Third(y)
    item.NAME = y * 3
    item.NAME += 1
    return item.NAME, item.doubled()
""",
    "of getters": """
def program(x, y):
    item = Box(x) if x > 0 else Third(y)
    items = [item, Box(y)]
    found = max(items, key=attrgetter("NAME"))
    return found.doubled(), [*map(attrgetter("NAME"), items)], methodcaller("doubled")(item)
""",
    "by functions": """
def program(x, y):
    item = Box(x) if x > 0 else None
    other = Box(y) if y > 2 else Third(x)
    given = attrgetter("NAME")(other), methodcaller("doubled")(other)
    if item is None:
        return given, max([other, Box(3)], key=attrgetter("NAME")).NAME, 0, 0, 0, 0
    found = getattr(item, "NAME"), partial(getattr, item)("NAME"), attrgetter("NAME")(item)
    return given, max([item, Box(3)], key=attrgetter("NAME")).NAME, *found, sum(
        map(attrgetter("NAME"), [item, Box(y)])
    )
""",
    "of None by a function": """
def program(x, y):
    item = Box(x) if x > 0 else None
    return getattr(item, "NAME")
""",
    "of a pattern": """
def program(x, y):
    match Box(x) if x > 0 else Third(y):
        case Box(NAME=found):
            return found
        case Third(NAME=found):
            return found * 10
""",
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_attributes_are_the_users(shape: str, name: str) -> None:
    with loaded((CLASSES + SHAPES[shape]).replace("NAME", name)) as code:
        program = code.fresh()["program"]
        staged = rt.function(program)
        for x, y in ((1, 2), (-1, 4), (3, 0)):
            expected = attempt(lambda x=x, y=y: program(x, y))
            got = attempt(lambda x=x, y=y: staged(rt.constant(x), rt.constant(y)))
            assert same_outcome(expected, got), (expected, got)


@dataclass
class Seat:
    place: Any
    row: Any


@dataclass
class Stand:
    row: Any
    place: Any


def taken_apart(x, y):
    item = Seat(x, y) if x > 0 else None
    if item is None:
        return (y, x)
    return astuple(item)


def of_two_classes(x, y):
    item = Seat(x, y) if x > 0 else Stand(x, y)
    return astuple(item), y


def by_names(x, y):
    item = Seat(x, y) if x > 0 else None
    return 0 if item is None else asdict(item)["row"]


def fields_of(x, y):
    item = Seat(x, y) if x > 0 else None
    if item is None:
        return is_dataclass(item), "", y
    return is_dataclass(item), fields(item)[1].name, x


@pytest.mark.parametrize("program", [taken_apart, of_two_classes, by_names, fields_of])
def test_functions_of_dataclasses(program: Callable[[Any, Any], Any]) -> None:
    staged = rt.function(program)
    for x, y in ((1, 2), (-1, 4)):
        expected = attempt(lambda x=x, y=y: program(x, y))
        got = attempt(lambda x=x, y=y: staged(rt.constant(x), rt.constant(y)))
        assert same_outcome(expected, got), (expected, got)


class Lamp:
    kind = 2

    def __init__(self, level):
        self.level = level

    def __iter__(self):
        return iter([self.level, 4])

    @classmethod
    def dimmed(cls, level):
        return cls(level - 1)

    def own(self):
        return self.dimmed(self.level).level


class Torch(Lamp):
    kind = 5

    def __iter__(self):
        return iter([self.level, 9])


def by_a_class_method(x, y):
    item = Lamp(x) if x > 0 else Torch(y)
    return item.dimmed(x).level + item.own()


def of_its_class(x, y):
    item = Lamp(x) if x > 0 else None
    return y if item is None else type(item).kind


@pytest.mark.parametrize("program", [by_a_class_method, of_its_class])
def test_classes_of_what_the_run_chooses(program: Callable[[Any, Any], Any]) -> None:
    staged = rt.function(program)
    for x, y in ((1, 2), (-1, 4)):
        expected = attempt(lambda x=x, y=y: program(x, y))
        got = attempt(lambda x=x, y=y: staged(rt.constant(x), rt.constant(y)))
        assert same_outcome(expected, got), (expected, got)


def unpacked(x, y):
    item = Lamp(x) if x > 0 else Torch(y)
    first, second = item
    return first * second


def attribute_deleted(x, y):
    item = Lamp(x) if x > 0 else Torch(y)
    del item.level
    return y


@pytest.mark.parametrize("program", [unpacked, attribute_deleted])
def test_what_python_alone_can_do_is_refused(program: Callable[[Any, Any], Any]) -> None:
    with pytest.raises(autograph.StagingError, match="of another kind on each path") as caught:
        rt.function(program)(rt.constant(1), rt.constant(2))
    assert str(caught.value).startswith(f"{__file__}:")


def classes(x: Any, y: Any) -> Any:
    item = Circle(x) if x > 0 else Square(y)
    other = Circle(x) if y > 2 else None
    names = item.__class__.__name__, other.__class__.__name__
    return *names, item.__class__ is Circle, item.__class__(y).doubled(), Circle(y) == item


class Circle:
    def __init__(self, size: Any) -> None:
        self.size = size

    def doubled(self) -> Any:
        return self.size * 2

    def __eq__(self, other: Any) -> bool:
        return other.__class__ is self.__class__ and bool(self.size == other.size)


class Square(Circle):
    def doubled(self) -> Any:
        return self.size * 20


@pytest.mark.parametrize(("x", "y"), [(1, 2), (-1, 4), (3, 3), (-2, 1)])
def test_class_is_that_of_the_users_value(x: int, y: int) -> None:
    expected = attempt(lambda: classes(x, y))
    got = attempt(lambda: rt.function(classes)(rt.constant(x), rt.constant(y)))
    assert same_outcome(expected, got), (expected, got)


def numbered(x):
    item = Seat(x, 1) if x > 0 else None
    return id(item) == 3


def test_id_of_what_the_run_chooses_is_refused() -> None:
    with pytest.raises(autograph.StagingError, match=r"is given to id\(\)") as caught:
        rt.function(numbered)(rt.constant(1))
    assert str(caught.value).startswith(f"{__file__}:")
