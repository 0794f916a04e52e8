"""Random programs that ask and change one of several sets or dicts, as only the run knows."""

import linecache
import random
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from runtime.graph.ir import walk
from tests.support.staging import as_python, attempt, same_outcome

VALUES = ("x", "y", "x + y", "k", "1", "0", "y * x")
PLACES = ("x % 3", "y % 3", "(x + y) % 3", "k % 3", "1")
STARTS = {
    "set": ("[set() for _ in range(3)]", "[{1}, {2}, {3, 1}]"),
    "dict": ("[{} for _ in range(3)]", "[{1: 2}, {}, {3: 1, 2: 2}]", "[{1: 2}, {1: 5}, {1: 1}]"),
}
STATEMENTS = {
    "set": (
        ("t[P].add(V)",),
        ("t[P].add(V)",),
        ("t[P].discard(V)",),
        ("t[P].update([V, V])",),
        ("t[P].clear()",),
        ("x = x + len(t[P])",),
        ("y = y + sum(t[P])",),
        ("out.append(V in t[P])",),
        ("s = t[P]", "s.add(V)"),
        ("y += len(t[P] & t[P])",),
    ),
    "dict": (
        ("t[P][V] = V",),
        ("t[P][V] = t[P].get(V, 0) + V",),
        ("t[P].pop(V, None)",),
        ("t[P].setdefault(V, V)",),
        ("t[P].update(t[P])",),
        ("t[P].clear()",),
        ("x = x + len(t[P])",),
        ("y = y + sum(t[P].values())",),
        ("out.append(V in t[P])",),
        ("s = t[P]", "s[V] = V"),
        ("for a, b in t[P].items():", "    y += a * 2 + b"),
    ),
}
SHOWN = {"set": "sorted(each)", "dict": "sorted(each.items())"}
CALLS = ((1, 2), (3, 0), (0, 5))
SEEDS = range(24)


def _filled(text: str, chance: random.Random) -> str:
    while "P" in text or "V" in text:
        text = text.replace("P", chance.choice(PLACES), 1).replace("V", chance.choice(VALUES), 1)
    return text


def _block(kind: str, depth: int, chance: random.Random) -> list[str]:
    lines: list[str] = []
    for _ in range(chance.randint(1, 3)):
        draw = chance.random() + depth / 2
        if draw < 0.2:
            lines.append(_filled("if len(t[P]) > 1 or V in t[P]:", chance))
        elif draw < 0.35:
            lines.append(chance.choice(["for k in range(x % 3):", "for k in range(2):"]))
        else:
            lines += [_filled(each, chance) for each in chance.choice(STATEMENTS[kind])]
            continue
        lines += ["    " + line for line in _block(kind, depth + 1, chance)]
    return lines


def program(kind: str, seed: int) -> Callable[..., Any]:
    """A function of two numbers, which returns what it has seen and what is in the containers."""
    chance = random.Random(f"{kind}{seed}")
    body = ["k = 0", "out = [0]", f"t = {chance.choice(STARTS[kind])}", *_block(kind, 0, chance)]
    body.append(f"return out, x, y, [{SHOWN[kind]} for each in t]")
    text = "\n".join(["def changed(x, y):", *["    " + line for line in body], ""])
    name = f"<{kind} {seed}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    return names["changed"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", STATEMENTS)
def test_the_one_that_is_meant_is_asked_and_changed(kind: str, seed: int) -> None:
    function = program(kind, seed)
    staged = rt.function(function)
    for args in CALLS:
        expected = attempt(lambda a=args: function(*a))
        got = attempt(lambda a=args: staged(*[rt.constant(each, rt.int64) for each in a]))
        is_refused = isinstance(got, autograph.AutographError)
        assert is_refused or same_outcome(expected, got)


def test_few_of_them_are_refused() -> None:
    refused = 0
    for kind in STATEMENTS:
        for seed in SEEDS:
            try:
                rt.function(program(kind, seed))(rt.constant(1), rt.constant(2))
            except (autograph.StagingError, rt.errors.OperatorNotAllowedInGraphError):
                refused += 1
    assert refused < len(STATEMENTS) * len(SEEDS) // 3


def rows_beside_none(n):
    rows = []
    for k in range(n):
        row = []
        if k > 0:
            row.append(k)
        rows.append(row if k > 0 else None)
    row = rows[1]
    if row is not None:
        row.append(9)
    return rows


def sets_kept_in_a_name(n):
    sets = [set(), set()]
    last = sets[0]
    for k in range(n):
        sets[k % 2].add(k)
        last = sets[k % 2]
    last.add(9)
    return sets


OUTSIDE = {0: {1}, 1: {2}, 2: {3}}


def sets_from_outside(n):
    OUTSIDE[n].add(7)
    return n


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (rows_beside_none, "a list is changed that is in two places"),
        (sets_kept_in_a_name, "one of several"),
        (sets_from_outside, "they were not made by a function that is staged"),
    ],
)
def test_what_another_name_would_not_see_is_refused(function, says):
    with pytest.raises(autograph.StagingError, match=says) as caught:
        rt.function(function)(rt.constant(2))
    assert caught.value.hint


def test_a_list_that_is_put_beside_numbers_has_its_other_name() -> None:
    def list_of_another_name(n):
        row = [n, 2]
        rows = [-1, row, -1]
        rows[n] = [3]
        row.append(4)
        return rows

    staged = rt.function(list_of_another_name)
    for n in (0, 1, 2):
        assert as_python(staged(rt.constant(n))) == list_of_another_name(n)


STOPS = [f"stop {at}" for at in range(32)]
BESIDE = {stop: {STOPS[(at + k * k) % 32] for k in range(1, 6)} for at, stop in enumerate(STOPS)}
ROADS = {
    stop: {STOPS[(at + k * k) % 32]: at + k for k in range(1, 6)} for at, stop in enumerate(STOPS)
}


def is_beside(n):
    return STOPS[n + 1] in BESIDE[STOPS[n]], len(BESIDE[STOPS[2 * n]])


def has_a_road(n):
    return STOPS[n + 1] in ROADS[STOPS[n]], STOPS[2 * n] not in ROADS[STOPS[n]]


def length_of_a_road(n):
    try:
        return ROADS[STOPS[n]][STOPS[n * n]]
    except KeyError as error:
        return -len(str(error))


@pytest.mark.parametrize("function", [is_beside, has_a_road, length_of_a_road])
def test_many_sets_and_dicts_are_asked_in_a_small_graph(function):
    """It grew with the square of how many there are, or their cube, and so did the first call."""
    staged = rt.function(function)
    for n in (0, 1, 2, 5):
        assert as_python(staged(rt.constant(n))) == function(n)
    graph = staged.get_concrete_function(rt.constant(1)).graph
    assert sum(1 for _ in walk(graph.body)) < 6_000
