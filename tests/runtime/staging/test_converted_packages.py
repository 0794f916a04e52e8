"""Installed packages that `autograph.convert_package` was given: their code is the user's own."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import autograph
import runtime as rt

SOURCE = """
LIMIT = 5
SPENT = {"added": 0}


class Purse:
    def __init__(self, coins):
        self.coins = coins

    def __lt__(self, other):
        return self.coins < other.coins

    def __add__(self, other):
        SPENT["added"] += 1
        return Purse(self.coins + other.coins)

    def fill(self, coins):
        self.coins = self.coins + coins

    @property
    def worth(self):
        if self.coins > 2:
            return self.coins * 2
        return 0


class Empty(Exception):
    pass


def of_each_path(x):
    purse = Purse(1)
    if x > 0:
        purse.coins = 5
    else:
        purse.fill(3)
    return purse.coins


def by_another_name(x):
    purse = Purse(1)
    other = purse
    if x > 0:
        other.coins = x
    return purse.coins


def of_each_round(x):
    purse = Purse(1)
    while purse.coins < x:
        purse.fill(2)
    return purse.coins


def chosen(x):
    poor, rich = Purse(1), Purse(9)
    found = poor if x > 0 else rich
    found.coins = 4
    return poor.coins * 10 + rich.coins


def sorted_by_worth(x):
    return [purse.worth for purse in sorted([Purse(x), Purse(3)])]


def captured(x):
    steps = 0

    def step():
        nonlocal steps
        steps += 1

    for i in range(x):
        if i % 2:
            step()
    return steps


def counted_by_an_operator(x):
    SPENT["added"] = 0
    purse = Purse(1)
    if x > 0:
        purse = purse + Purse(x)
    return purse.coins * 10 + SPENT["added"]


def caught(x):
    try:
        if x > 2:
            raise Empty(x)
        return 1
    except Empty:
        return 2


def limited(x):
    return min(x, LIMIT)
"""
FUNCTIONS = [
    "of_each_path", "by_another_name", "of_each_round", "chosen", "sorted_by_worth", "captured",
    "counted_by_an_operator", "caught", "limited",
]  # fmt: skip


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    installed: Path = tmp_path_factory.mktemp("packages") / "site-packages"
    installed.mkdir()
    (installed / "purses.py").write_text(SOURCE)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(installed))
        yield importlib.import_module("purses")


@pytest.fixture(scope="module")
def converted(package: ModuleType) -> ModuleType:
    """The package, of which functions and objects were met before it was converted."""
    with pytest.raises(rt.errors.OperatorNotAllowedInGraphError, match="installed package") as info:
        rt.function(lambda x: package.of_each_round(int(x)))(rt.constant(3))
    assert 'let it be converted: autograph.convert_package("purses")' in str(info.value)

    @rt.function
    def met(x: rt.Tensor) -> rt.Tensor:
        purse = package.Purse(x)
        if x > 0:
            x = x + purse.coins
        return x

    assert int(met(rt.constant(2))) == 4
    autograph.convert_package("purses")
    return package


@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_is_staged_as_code_of_the_user(converted: ModuleType, name: str) -> None:
    function = getattr(converted, name)
    staged = rt.function(lambda x: function(int(x)))
    for x in (3, 0, 7, -2):
        assert rt.nest.map_structure(int, staged(rt.constant(x))) == function(x)


def test_its_globals_are_guarded(converted: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    staged = rt.function(lambda x: converted.limited(int(x)))
    assert int(staged(rt.constant(7))) == 5
    monkeypatch.setattr(converted, "LIMIT", 6)
    assert int(staged(rt.constant(7))) == 6
