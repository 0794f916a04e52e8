"""The order of sets that paths change, which begin with what Python knows: Python's, or refused."""

import linecache
import random
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.staging import assert_as_in_python, attempt, same_outcome

LOOP = "for v in s: t = (t * 31 + v) % 100003"
SEEDS = (*range(20), 77, 192, 219, 264, 365, 2666, 6055)


def _block(chance: random.Random, indent: str, depth: int = 0) -> list[str]:
    lines = []
    for _ in range(chance.randint(1, 5)):
        item, other = chance.choice([chance.randint(0, 12) * 8, chance.randint(0, 60)]), 0
        other, which = chance.randint(0, 50), chance.random()
        if which < 0.5:
            lines.append(f"s.add({item})")
        elif which < 0.6:
            lines.append(f"s.update([{item}, {other}])")
        elif which < 0.62:
            lines.append(
                chance.choice([f"s.discard({item})", f"s -= {{{item}}}", f"s ^= {{{item}}}"])
            )
        elif which < 0.65:
            lines.append(f"s.add(x * {other % 9 + 1} + {item})")
        elif which < 0.7 and depth < 2:
            lines += [f"if x > {other % 6}:", *_block(chance, "    ", depth + 1)]
            lines += ["else:", *_block(chance, "    ", depth + 1)]
        elif which < 0.95:
            lines.append(LOOP)
        elif which < 0.98:
            lines.append("s.clear()")
        else:
            lines.append(f"for k in range({chance.choice(['x', 7])}): s.add(k * {other % 8 + 1})")
    return [indent + line for line in lines]


def program(seed: int) -> str:
    chance = random.Random(seed)
    items = ", ".join(str(chance.randint(0, 40)) for _ in range(chance.randint(1, 7)))
    first = chance.choice(["set()", f"{{{items}}}", f"set([{items}])"])
    body = ["t = 0", f"s = {first}", *_block(chance, "")]
    body += ["if x > 2:", *_block(chance, "    "), "else:", *_block(chance, "    "), "return t"]
    return "\n    ".join(["def f(x):", *body]) + "\n"


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs(seed: int) -> None:
    text, name = program(seed), f"<sets {seed}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    staged = rt.function(names["f"])
    for x in (0, 3, 6):
        found = attempt(lambda x=x: staged(rt.constant(x)))
        if isinstance(found, autograph.AutographError):
            assert "asks for their order" in str(found)
            return
        assert same_outcome(attempt(lambda x=x: names["f"](x)), found), text


def order_on_the_other_path(x):
    s = set()
    for k in (8, 0, 16, 3, 24, 32):
        s.add(k)
    t = 0
    if x > 0:
        s.add(40)
    else:
        for v in s:
            t = t * 20 + v
        s.add(64)
    return t, list(s)


def display_that_grows(x):
    s = {4, 27, 35}
    first = list(s)
    if x > 0:
        s.add(36)
    s.add(32)
    second = [v for v in s]
    s.update([38, 48])
    return first, second, [v for v in s]


def cleared_on_a_path(x):
    s = {9, 1}
    t = 0
    if x > 0:
        s.clear()
        s.add(17)
        s.add(1)
        t = t + len(s)
    else:
        for v in s:
            t = t * 20 + v
    return t


def put_back_by_a_try(x):
    s = {9, 1}
    try:
        s.add(17)
        if x > 0:
            raise ValueError
        t = list(s)
    except ValueError:
        t = [len(s)]
    return t


def path_in_a_path(x):
    s = {1, 9}
    if x > 0:
        s.add(17)
        if x > 3:
            s.add(25)
            t = list(s)
        else:
            s.add(33)
            t = list(s)
    else:
        s.add(64)
        t = list(s)
    return t


@pytest.mark.parametrize(
    "function",
    [
        order_on_the_other_path,
        display_that_grows,
        cleared_on_a_path,
        put_back_by_a_try,
        path_in_a_path,
    ],
)
def test_the_order_is_python_s(function: Callable[[Any], Any]) -> None:
    assert_as_in_python(function, 0, 1, 5)


def of_many_that_meet(x):
    s = set([25, 5, 26, 31, 37, 15, 29])
    s.add(24)
    if x > 2:
        s.add(48)
    return [v for v in s]


def taken_away_again(x):
    s = {9, 1}
    if x > 0:
        s.add(17)
        s.remove(17)
    return list(s)


def less_by_an_operator(x):
    s = {65, 8}
    s.add(1)  # in another place than 65, which it would have without it
    s -= {65}
    s.add(x * 67)
    return list(s)


@pytest.mark.parametrize("function", [of_many_that_meet, taken_away_again, less_by_an_operator])
def test_an_order_that_nobody_knows_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(autograph.StagingError, match="asks for their order") as caught:
        rt.function(function)(rt.constant(1))
    assert caught.value.filename == __file__
    assert caught.value.hint
