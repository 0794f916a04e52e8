"""Objects of the user's that paths make, choose or change: as in Python, or refused."""

import random
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.staging import assert_as_in_python, attempt, same_outcome


class Node:
    def __init__(self, value, following=None):
        self.value = value
        self.following = following

    def add(self, value):
        self.value = self.value + value
        return self


NAMES = ("a", "b", "c")


def statement(chance: random.Random) -> str:
    one, two = chance.choice(NAMES), chance.choice(NAMES)
    return chance.choice((
        f"{one} = {two}",
        f"{one} = Node({two}.value + {chance.randrange(3)})",
        f"{one} = Node({chance.randrange(4)}, {two})",
        f"{one}.value = {two}.value * 2 + x",
        f"{one}.add({chance.randrange(1, 4)})",
        f"{one}.following = {two}",
        f"{one}.following = None",
        f"{one} = {two}.following or {one}",
        f"{one}.value = {two}.following.value if {two}.following is not None else 7",
        f"{one}.value += 10 if {one} is {two} else 1",
    ))  # fmt: skip


def random_program(chance: random.Random) -> str:
    lines = ["a, b = Node(x), Node(1)", "c = Node(2, b)"]
    for _ in range(chance.randrange(2, 6)):
        head = chance.choice(("", "if x > y:", "if a.value > b.value:", "for i in range(y):"))
        body = [statement(chance) for _ in range(chance.randrange(1, 3))]
        lines += [head, *[f"    {line}" for line in body]] if head else body
        if head.startswith("if") and chance.random() < 0.5:
            lines += ["else:", f"    {statement(chance)}"]
    last = "[0 if n.following is None else n.following.value for n in (a, b, c)]"
    lines.append(f"return [a.value, b.value, c.value], {last}")
    return "\n".join(["def f(x, y):", *[f"    {line}" for line in lines]])


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed: int, tmp_path: Any) -> None:
    source = random_program(random.Random(seed))
    path = tmp_path / "program.py"
    path.write_text(source, encoding="utf-8")
    names: dict[str, Any] = {"Node": Node}
    exec(compile(source, str(path), "exec"), names)
    function = names["f"]
    staged = rt.function(function)
    for x, y in ((0, 1), (2, 1), (1, 3), (-1, 0)):
        expected = attempt(lambda x=x, y=y: function(x, y))
        got = attempt(lambda x=x, y=y: staged(rt.constant(x), rt.constant(y)))
        is_refused = isinstance(got, autograph.AutographError)
        assert is_refused or same_outcome(expected, got), (source, x, y, expected, got)


class Account:
    def __init__(self):
        self.total, self.entries = 0, []


def raising_branch(x):
    account = Account()
    entries = account.entries
    if x > 2:
        account.total += x
        account.entries.append(x)
        raise ValueError(x)
    entries.append(1)
    return account.total, len(account.entries)


def raising_otherwise(x):
    account = Account()
    entries = account.entries
    if x > 2:
        account.total += x
    else:
        account.entries.append(x)
        account.total = 7
        if x < 1:
            raise KeyError(x)
    entries.append(1)
    return account.total, account.entries


def failing_in_a_loop(x):
    account = Account()
    entries = account.entries
    for i in range(x):
        account.total += i
        if i > 3:
            account.entries.append(i)
            account.total = 9
            raise KeyError(i)
    entries.append(1)
    return account.total, account.entries


@pytest.mark.parametrize("function", [raising_branch, raising_otherwise, failing_in_a_loop])
def test_names_of_what_a_raising_path_changes(function: Any) -> None:
    assert_as_in_python(function, -1, 0, 1, 3, 6)


class Reading:
    def __init__(self, value):
        self.value, self.values = value, [value]

    def get(self):
        return self.value


def asked_dict(x):
    if x > 0:
        table = {"k": x + 1}
        found = table.get("k")
    else:
        raise ValueError
    return table, found


def asked_list(x):
    if x > 0:
        items = [x + 1, 2]
        found = items.count(2)
    else:
        raise ValueError
    return items, found


def asked_pairs(x):
    if x > 0:
        table, total = {"a": x, "b": 1}, 0
        for _, value in table.items():
            total += value
    else:
        raise ValueError
    return table, total


def asked_object(x):
    if x > 0:
        reading = [Reading(x + 1)]
        found = reading[0].get()
    else:
        raise ValueError
    return reading[0].value, found, reading[0].values


def asked_dict_of_the_run(x):
    if x > 0:
        table = {}
        table[x % 3] = 5
        table = {**table, x % 2: 7}
        found = len(table.keys())
        for key in table.keys():  # noqa: SIM118
            found += key
    else:
        raise ValueError
    return table, found


def asked_in_a_try(x):
    table = {}
    try:
        quotient = 10 // x
        table = {**table, quotient: 5}
        for key in table.keys():  # noqa: SIM118
            quotient += key
    finally:
        pass
    return table, quotient


def asked_twice_in_a_try(x):
    table = {}
    try:
        size = 0
        while True:
            size += 1
            if size > 1:
                return table, size
            table = {**table, 10 // x: 7}
            size += len(table) + len(table.keys())
    finally:
        pass


@pytest.mark.parametrize(
    "function",
    [
        *(asked_dict, asked_list, asked_pairs, asked_object, asked_dict_of_the_run),
        *(asked_in_a_try, asked_twice_in_a_try),
    ],
)
def test_what_the_only_path_makes_and_asks(function: Any) -> None:
    assert_as_in_python(function, 1, 3, 6, -1)


class Bare:
    pass


def made(x):
    thing = Bare()
    thing.x, thing.y = x, 1
    return thing


def asked_in_an_arm(x):
    thing = made(x)
    if x == 3:
        thing.x = 2
    else:
        if x > 0:
            thing.y = 5
            x = vars(thing).get("y", 3)
    return thing.x, thing.y, x


def asked_in_a_loop(x):
    thing = made(x)
    for i in range(4):
        if i < x:
            thing.y = i + x
            x = vars(thing).get("y", 3) - 2
        else:
            thing.x = i
    return thing.x, thing.y, x


def known_by_another_name(x):
    thing = made(x)
    entries = vars(thing)
    if x == 3:
        thing.x = 2
    else:
        if x > 0:
            thing.y = 5
            x = entries.get("y", 3)
    return thing.x, thing.y, x, entries["x"], entries["y"]


def changed_by_another_name(x):
    thing = made(x)
    entries = thing.__dict__
    if x > 1:
        entries["x"] = 7
        thing.y = entries.pop("y") + x
    else:
        thing.x = entries["y"] + 1
    return thing.x, thing.y, list(entries.items())


def attribute_of_a_function(x):
    def counted():
        counted.calls += 1
        return counted.calls

    counted.calls = x
    entries = vars(counted)
    if x == 3:
        counted.calls = 9
    else:
        if x > 0:
            x = counted() + entries.get("calls", 0)
    return counted.calls, entries["calls"], x


def made_in_an_arm(x):
    thing = made(x)
    if x > 1:
        other = made(x + 2)
        if x > 2:
            other.x = 5
        vars(other)["y"] += x
        thing.x = other.x + other.y
    return thing.x, thing.y


@pytest.mark.parametrize(
    "function",
    [
        *(asked_in_an_arm, asked_in_a_loop, known_by_another_name, changed_by_another_name),
        *(attribute_of_a_function, made_in_an_arm),
    ],
)
def test_an_object_and_its_namespace_are_one(function: Any) -> None:
    assert_as_in_python(function, 3, 2, 0, -1)
