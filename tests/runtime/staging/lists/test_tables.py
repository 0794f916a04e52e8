"""Lists of lists, and slices of lists, assigned at places that only the run knows: random programs,
compared with Python.
"""

import random
import runpy
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.staging import attempt, same_outcome

ROWS = [
    "t[{i}] = t[{j}]",
    "t[{i}], t[{j}] = t[{j}], t[{i}]",
    "t[{i}] = [{v}, {w}, {v}]",
    "t[{i}][{j}] = {v}",
    "t[{i}][{j}] += t[{j}][{i}]",
    "r = t[{i}]",
    "r[{j}] = {w}",
    "t[1] = r",
    "v = v + t[{i}][{j}]",
]
SLICES = [
    "s[{i}:{j}] = [{v}, {w}]",
    "s[{i}:] = [{v}]",
    "s[:{j}] = []",
    "s[{i}:{j}] = s[{j}:]",
    "del s[{i}:{j}]",
    "s[0:1] = [{w}]",
    "s[{i}::{j}] = [{v}, {w}]",
    "s[::{j}] = s[::{j}]",
    "del s[{j}::{i}]",
    "s = s[:{i}:{j}]",
    "s.append({v})",
    "v = v + len(s) + sum(s[{i}::{j}])",
    "v = v + int(s == s[::{i}]) + int([{v}] != s[{j}:])",
]
CHOSEN = [
    "t[{i}][{j}:] = [{v}]",
    "t[{i}][::{j}] = [{v}, {w}]",
    "t[{i}][:1] = t[{j}]",
    "t[{i}].extend(iter([{v}, {w}]))",
    "del t[{i}][{j}]",
    "del t[{i}][:{j}]",
    "t[{i}].clear()",
    "v = v + len(t[{i}]) + sum(t[{j}][::{i}])",
    "v = v + int(t[{i}] == t[{j}])",
]
REFUSALS = (autograph.StagingError, rt.errors.OperatorNotAllowedInGraphError)
START = "t, r, s = [[1, 2, 3], [4, 5, 6], [7, 8, 9]], [0, 0, 0], [1, 2, 3, 4]"


def program(seed: int, lines: list[str]) -> str:
    chance = random.Random(seed)
    names = ["a", "b", "-a", "1", "2"]
    body = [START]
    for _ in range(chance.randint(1, 5)):
        i, j = chance.choices(names, k=2)
        body.append(chance.choice(lines).format(i=i, j=j, v="v", w=chance.randint(0, 9)))
    text = "\n    ".join([*body, "return t, r, s, v"])
    return f"def f(a, b, v):\n    {text}\n"


def outcomes(function: Callable[..., Any], wrap: Callable[[int], Any]) -> list[Any]:
    calls = [(0, 1, 5), (2, 0, 6), (1, 1, 7), (2, 2, 3), (0, 3, 1)]
    return [attempt(lambda args=args: function(*map(wrap, args))) for args in calls]


@pytest.mark.parametrize("lines", [ROWS, SLICES, CHOSEN], ids=["rows", "slices", "chosen"])
@pytest.mark.parametrize("seed", range(25))
def test_random_programs(seed: int, lines: list[str], tmp_path: Any) -> None:
    text, path = program(seed, lines), tmp_path / "program.py"
    path.write_text(text)
    function = runpy.run_path(str(path))["f"]
    expected = outcomes(function, int)
    got = outcomes(rt.function(function), lambda n: rt.constant(n, rt.int64))
    for before, after in zip(expected, got, strict=True):
        refused = isinstance(after, REFUSALS)
        assert refused or same_outcome(before, after), f"{text}\n{before}\n{after}"
    # A list that is not made at a staged place cannot be assigned at one.
    assert "r" in text or not any(isinstance(after, REFUSALS) for after in got), f"{text}\n{got}"
