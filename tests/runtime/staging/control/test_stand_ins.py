"""Attributes of what the run chooses, which may have the names that the library has for its own."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass, fields, is_dataclass
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.programs import loaded
from tests.support.staging import assert_as_in_python, attempt, same_outcome

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
        assert_as_in_python(program, (1, 2), (-1, 4), (3, 0))


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
    assert_as_in_python(program, (1, 2), (-1, 4))


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
    assert_as_in_python(program, (1, 2), (-1, 4))


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
    assert_as_in_python(classes, (x, y))


PROTOCOL = """
import copy, inspect, pickle, reprlib, weakref
from dataclasses import dataclass
from enum import Enum
from autograph import do_not_convert


@dataclass
class Seat:
    "Where one sits."

    row: int
    place: int = 0


class Plain:
    "Nothing else."

    def __init__(self, row):
        self.row = row


class Color(Enum):
    RED = 1
    BLUE = 2


def add(n):
    "One more."
    return n + 1


def double(n):
    return n * 2


def changed(item):
    item.row += 1
    return item


@do_not_convert
def is_seat(item):
    return isinstance(item, Seat | list)


def program(x):
    c = VALUE
    return USE
"""
VALUES = {
    "a dataclass": "Seat(x, 3) if x > 0 else None",
    "an object": "Plain(x) if x > 0 else None",
    "a list": "[x, 2] if x > 0 else None",
    "a text": "'ab' if x > 0 else None",
    "a function": "add if x > 0 else None",
    "two classes": "Seat(x, 3) if x > 0 else Plain(x)",
    "one class": "changed([Seat(x), Seat(2)][x % 2])",
    "functions": "add if x > 0 else double",
    "classes": "Seat if x > 0 else Plain",
    "members": "Color.RED if x > 0 else Color.BLUE",
    "texts": "'ab' if x > 0 else 'abc'",
}
EACH_HAS = [
    "c.__doc__",
    "c.__class__.__name__",
    "type(c).__name__",
    "getattr(c, 'row', 9) == 9",
    "hasattr(c, 'held'), hasattr(c, 'place'), hasattr(c, 'row'), hasattr(c, '__len__')",
    "c in (1, 'ab')",
    "copy.copy(c) == c",
]
PYTHONS = ["dir(c)", "pickle.dumps([c])", "id(c) == 3", "inspect.getmembers(c)", "weakref.ref(c)"]


def _both(value: str, use: str, x: int) -> tuple[Any, Any, str]:
    with loaded(PROTOCOL.replace("VALUE", VALUES[value]).replace("USE", use)) as code:
        program = code.fresh()["program"]
        expected = attempt(lambda: program(x))
        return expected, attempt(lambda: rt.function(program)(rt.constant(x))), code.filename


@pytest.mark.parametrize("use", EACH_HAS)
@pytest.mark.parametrize("value", VALUES)
def test_what_each_value_has_is_the_users(value: str, use: str) -> None:
    for x in (2, -1):
        expected, got, _ = _both(value, use, x)
        assert same_outcome(expected, got), (expected, got)


@pytest.mark.parametrize("use", PYTHONS)
@pytest.mark.parametrize("value", VALUES)
def test_what_takes_pythons_own_objects_is_refused(value: str, use: str) -> None:
    _, got, filename = _both(value, use, 2)
    assert isinstance(got, autograph.StagingError)
    assert str(got).startswith(f"{filename}:")


@pytest.mark.parametrize(
    ("value", "use"),
    [
        ("a dataclass", "len(c.__dict__), c.__dict__['row']"),
        ("a dataclass", "c.__match_args__"),
        ("a dataclass", "c in {1, 2}"),
        ("a list", "c in {1, 2}"),
        ("one class", "c in {1, 2}"),
        ("two classes", "c in {1, 2}"),
        ("two classes", "c.__len__()"),
        ("functions", "c.__name__, len(c.__dict__)"),
        ("functions", "copy.deepcopy(c)(x)"),
        ("classes", "c.__module__"),
    ],
)
def test_names_of_pythons_own_are_the_users(value: str, use: str) -> None:
    for x in (2, -1):
        expected, got, _ = _both(value, use, x)
        assert same_outcome(expected, got), (expected, got)


@pytest.mark.parametrize(
    ("value", "use"),
    [
        ("a list", "vars(c)"),
        ("a dataclass", "c.__eq__(c)"),
        ("members", "c.__eq__(Color.RED)"),
        ("a text", "c.__eq__(None)"),
        ("two classes", "ascii(c)"),
        ("two classes", "'{}'.format(c)"),
        ("two classes", "c.__getstate__()"),
        ("two classes", "hasattr(c, '__dict__')"),
        ("two classes", "is_seat(c)"),
        ("a list", "is_seat(c)"),
        ("functions", "is_seat(c)"),
        ("functions", "inspect.isfunction(c)"),
        ("functions", "reprlib.repr(c)"),
        ("members", "reprlib.repr(c)"),
        ("classes", "setattr(c, 'place', 5)"),
    ],
)
def test_other_uses_of_what_the_run_chooses_are_refused(value: str, use: str) -> None:
    _, got, filename = _both(value, use, 2)
    assert isinstance(got, autograph.StagingError), got
    assert str(got).startswith(f"{filename}:")


def duck_types(x):
    items, frozen, row = {x, 3}, frozenset([x]), tuple(range(x))
    found = [hasattr(items, name) for name in ("add", "append", "sort", "__getitem__", "__len__")]
    found += [hasattr(frozen, name) for name in ("union", "add", "append", "__getitem__")]
    found += [hasattr(row, name) for name in ("count", "append", "__getitem__", "__setitem__")]
    return *found, getattr(items, "append", 5) == 5


def test_sets_and_tuples_have_no_attributes_of_lists() -> None:
    assert same_outcome(duck_types(2), attempt(lambda: rt.function(duck_types)(rt.constant(2))))


_DUCKS = (
    *("append", "add", "keys", "items", "insert", "count", "copy", "pop", "length"),
    *("at", "has", "staged", "plain", "__reversed__"),
)


def collections_of(x, n):
    items, numbers, table = [1, 2], {1, 2}, {1: 2}
    queue, frozen, row = deque([1, 2]), frozenset([1]), (1,)
    if x > 2:
        items.append(n)
        numbers.add(n)
        table[n] = n
        queue.append(n)
        frozen = frozen | {n}
        row = (*row, n)
    return items, numbers, table, queue, frozen, row


ATTRIBUTES = {
    "hasattr": lambda x: [[hasattr(c, name) for name in _DUCKS] for c in collections_of(x, x)],
    "hasattr of known": lambda x: [
        [hasattr(c, name) for name in _DUCKS] for c in collections_of(3, 4)
    ],
    "getattr": lambda x: [
        [getattr(c, name, None) is None for name in _DUCKS] for c in collections_of(x, x)
    ],
    "items of a set": lambda x: collections_of(x, x)[1].items(),
    "insert of a dict": lambda x: collections_of(x, x)[2].insert(1, 2),
    "getattr of a list": lambda x: getattr(collections_of(x, x)[0], "at" + ""),
    "reversed set": lambda x: list(reversed(collections_of(x, x)[1])),
    "reversed known set": lambda x: list(reversed(collections_of(3, 4)[1])),
    "reversed tuple": lambda x: list(reversed(collections_of(x, x)[5])),
    "int of a set": lambda x: int(collections_of(x, x)[1]),
    "float of a dict": lambda x: float(collections_of(x, x)[2]),
    "contains": lambda x: operator.contains(collections_of(x, x)[1], 3),
}


@pytest.mark.parametrize("use", ATTRIBUTES)
def test_collections_have_the_attributes_of_pythons_alone(use: str) -> None:
    program = ATTRIBUTES[use]
    assert_as_in_python(program, 2, 3)


def printed(x):
    item = [Seat(x, 1), Seat(2, 1)][x % 2]
    item.row += 1
    print(item, [item])


def test_a_chosen_dataclass_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    rt.function(printed)(rt.constant(2))
    seat = "Seat(place=<tf.Tensor: shape=(), dtype=int32, numpy=2>, row=2)"
    assert capsys.readouterr().out == f"{seat} [{seat}]\n"


class Weight:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self.n == other.n

    def __lt__(self, other):
        if not isinstance(other, Weight):
            return NotImplemented
        return self.n < other.n

    def __add__(self, other):
        if not isinstance(other, Weight):
            return NotImplemented
        return Weight(self.n + other.n)


class Heavy(Weight):
    def __eq__(self, other):
        return self.n == other.n + 1

    def __gt__(self, other):
        return self.n > other.n + 1

    def __radd__(self, other):
        return Heavy(self.n + other.n * 10)


class Pound:
    def __init__(self, n):
        self.n = n

    def __gt__(self, other):
        return self.n * 2 > other.n

    def __radd__(self, other):
        return Weight(self.n * 2 + other.n)


def beside_one_of_two_classes(x):
    other = Weight(x) if x > 0 else Pound(2)
    return Weight(2) == other, Weight(2) != other, Weight(1) < other, (Weight(1) + other).n


def beside_what_may_be_none(x):
    other = Weight(x) if x > 0 else None
    return Weight(2) == other, other == Weight(2), Weight(2) in [other]


def beside_none(x):
    other = Weight(x) if x > 0 else None
    return Weight(1) < other


def beside_a_number(x):
    other = Weight(x) if x > 0 else 5
    return Weight(2) == other, other == Weight(2)


def beside_a_subclass(x):
    other = Weight(x) if x > 0 else Heavy(x)
    return (Weight(1) + other).n, Weight(1) < other, Weight(-1) == other


def subclass_of_objects_that_change(x):
    one, other = [Weight(1), Weight(x)][x % 2], [Heavy(x), Heavy(2)][x % 2]
    one.n += 1
    other.n += 1
    return (one + other).n, one == other, one < other, one != other


OPERATORS = (
    *(beside_one_of_two_classes, beside_what_may_be_none, beside_none, beside_a_number),
    *(beside_a_subclass, subclass_of_objects_that_change),
)


@pytest.mark.parametrize("x", [2, 5, 1, -1, 0])
@pytest.mark.parametrize("program", OPERATORS)
def test_operators_ask_the_class_of_each(program: Callable[[Any], Any], x: int) -> None:
    assert_as_in_python(program, x)
