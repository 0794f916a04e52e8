"""The project's dataclasses do what the standard library's do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any, ClassVar

import pytest

from runtime.core.dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: list[int] = field(default_factory=list)


def classes(decorator: Callable[..., Any], **options: Any) -> tuple[type, type]:
    """A class, and one that inherits from it."""

    @decorator(**options)
    class Base:
        a: int
        b: Any = 2
        c: list[int] = field(default_factory=list, kw_only=True)
        d: int = field(default=5, init=False)
        e: list[int] = field(default_factory=lambda: [7], init=False)
        f: object = field(default=None, compare=False, repr=False)

    @decorator(**options)
    class Inner(Base):
        g: int = 3

        def __post_init__(self) -> None:
            object.__setattr__(self, "a", self.a + 1)

    return Base, Inner


OPTIONS = [
    {"frozen": frozen, "slots": slots, "eq": eq, "repr": shown}
    for frozen in (False, True)
    for slots in (False, True)
    for eq in (False, True)
    for shown in (False, True)
]


def outcome(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except Exception as error:
        return type(error), str(error)


def facts(cls: type, shown: bool) -> list[Any]:
    one, same, other = cls(1, c=[1]), cls(1, c=[1], f=9), cls(1, 3)
    names = [each.name for each in dataclasses.fields(cls)]
    values = [[getattr(item, name) for name in names] for item in (one, same, other)]
    return [
        values,
        outcome(lambda: cls()),
        outcome(lambda: cls(1, d=1)),
        outcome(lambda: cls(1, 2, None, 4, 5)),
        one == same,
        one == other,
        one == 1,
        cls.__match_args__,
        cls.__hash__ is None,
        outcome(lambda: hash(cls(1, c=())) == hash(cls(1, c=()))),  # of lists there is none
        outcome(lambda: setattr(one, "a", 8)),
        one.a,
        outcome(lambda: delattr(copy.copy(one), "a")),
        dataclasses.replace(other, b=9).b,
        copy.deepcopy(one).c == one.c,
        repr(one) if shown else type(one).__repr__ is object.__repr__,
        hasattr(one, "__dict__"),
        one.c is not same.c,
    ]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("at", [0, 1])
def test_does_what_the_standard_one_does(options: dict[str, bool], at: int) -> None:
    ours, standard = (
        facts(classes(each, **options)[at], options["repr"])
        for each in (dataclass, dataclasses.dataclass)
    )
    assert ours == standard


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("eq", [False, True])
def test_what_a_class_says_itself_stays(frozen: bool, eq: bool) -> None:
    def facts(decorator: Callable[..., Any]) -> list[Any]:
        @decorator(frozen=frozen, eq=eq)
        class Own:
            a: int

            def __eq__(self, other: object) -> bool:
                return True

            def __repr__(self) -> str:
                return "own"

        @decorator(frozen=frozen, eq=eq)
        class Hashed:
            a: int

            def __hash__(self) -> int:
                return 3

        return [Own(1) == 2, repr(Own(1)), Own.__hash__ is None, hash(Hashed(1))]

    assert facts(dataclass) == facts(dataclasses.dataclass)


def test_a_value_that_is_not_equal_to_itself_is_one_field() -> None:
    @dataclass(frozen=True)
    class One:
        a: float

    number = float("nan")
    assert One(number) == One(number)
    assert One(number) != One(float("nan"))


def test_instances_hold_themselves() -> None:
    @dataclass(slots=True)
    class Cell:
        item: Any = None

    cell = Cell()
    cell.item = cell
    assert repr(cell).endswith("Cell(item=...)")


def test_frozen_instances_are_pickled() -> None:
    point = pickle.loads(pickle.dumps(Point(1, [2])))
    assert point == Point(1, [2])
    with pytest.raises(FrozenInstanceError):
        point.x = 3


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(TypeError, match="ClassVar"):

        @dataclass()
        class Wrong:
            a: ClassVar[int] = 1


def test_what_functions_need_compiles_few_methods_at_import() -> None:
    code = """
import dataclasses, sys
made, standard = [], dataclasses.dataclass
def counting(*given, **options):
    caller = sys._getframe(1).f_globals["__name__"]
    if options.get("init", True) and caller.startswith(("autograph", "runtime")):
        made.append(given)
    return standard(*given, **options)
dataclasses.dataclass = counting
import runtime as rt
rt.function(lambda x: x)
print(len(made))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0 < int(done.stdout) <= 3
