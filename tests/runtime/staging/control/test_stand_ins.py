"""Attributes of what the run chooses, which may have the names that the library has for its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass
from typing import Any

import pytest

import runtime as rt
from tests.support.programs import loaded
from tests.support.staging import attempt, same_outcome

NAMES = (
    *("held", "flag", "place", "options", "mismatch", "value", "name", "location", "kind"),
    *("get", "owner", "member", "apply", "refusal", "opened", "is_text", "may_be_missing"),
)

CLASSES = """
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


@pytest.mark.parametrize("program", [taken_apart, of_two_classes, by_names])
def test_functions_of_dataclasses(program: Callable[[Any, Any], Any]) -> None:
    staged = rt.function(program)
    for x, y in ((1, 2), (-1, 4)):
        expected = attempt(lambda x=x, y=y: program(x, y))
        got = attempt(lambda x=x, y=y: staged(rt.constant(x), rt.constant(y)))
        assert same_outcome(expected, got), (expected, got)
