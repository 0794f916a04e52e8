"""The limits that `docs/limits.md` shows: what is refused is, and what to write instead is right.

Each limit is a heading `###`, and below it one pair of functions or several: `refused`, the words
of its refusal as a quotation, and `instead`.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.support import harness, limits

LIMITS = Path(__file__).parent.parent / "docs" / "limits.md"
INPUTS = {"x": [3, 4, -4, 1, 0], "xs": [[1, 5, 3, 2], [4, 4, 0, 1]]}
BLOCK = r"```python\n(.*?)```\n"
PAIR = re.compile(rf"{BLOCK}\n((?:> [^\n]*\n)+)\n{BLOCK}", re.DOTALL)


class Pair(NamedTuple):
    """What is refused, the parts of the refusal's text, and what to write instead."""

    name: str
    refused: str
    says: list[str]
    instead: str


def units(text: str) -> Iterator[tuple[str, str]]:
    """The heading and the text of each limit that holds while staging."""
    for part in text.partition("\n## Always")[0].split("\n### ")[1:]:
        heading, _, body = part.partition("\n")
        yield heading, body.partition("\n## ")[0]


def read_pairs() -> Iterator[Pair]:
    for heading, body in units(LIMITS.read_text(encoding="utf-8")):
        for number, (refused, quotation, instead) in enumerate(PAIR.findall(body), 1):
            words = " ".join(re.findall(r"^> (.*)$", quotation, re.MULTILINE))
            yield Pair(f"{heading} {number}", refused, words.split(" ... "), instead)


PAIRS = list(read_pairs())


def load(path: Path, source: str, name: str) -> Callable[[Any], Any]:
    path.write_text(source, encoding="utf-8")
    names: dict[str, Any] = {"rt": rt, "np": np, "autograph": autograph}
    exec(compile(source, str(path), "exec"), names)
    function: Callable[[Any], Any] = names[name]
    return function


def inputs_of(function: Callable[[Any], Any]) -> list[Any]:
    return INPUTS[function.__code__.co_varnames[0]]


def outcome(
    run: Callable[[Any], Any], value: Any, capsys: pytest.CaptureFixture[str]
) -> tuple[Any, str]:
    """What is returned, or without that the list that is changed, as plain Python; the prints."""
    result = run(value)
    printed = capsys.readouterr()
    if result is None and isinstance(value, list):
        result = value
    return np.asarray(result).tolist(), printed.out + printed.err


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_what_a_limit_refuses_is_refused_in_these_words(pair: Pair, tmp_path: Path) -> None:
    path = tmp_path / "refused.py"
    function = load(path, pair.refused, "refused")
    with pytest.raises((autograph.StagingError, TypeError)) as caught:
        rt.function(function)(rt.constant(inputs_of(function)[0]))
    text = " ".join(str(caught.value).split())
    assert text.startswith(f"{path}:")
    assert re.search(".*".join(map(re.escape, pair.says)), text), text


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_what_to_write_instead_is_what_python_computes(
    pair: Pair, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = load(tmp_path / "refused.py", pair.refused, "refused")
    instead = load(tmp_path / "instead.py", pair.instead, "instead")
    staged = rt.function(instead)
    for value in inputs_of(refused):
        argument = list(value) if isinstance(value, list) else value
        expected = outcome(refused, argument, capsys)
        assert outcome(staged, rt.constant(value), capsys) == expected


def test_each_limit_is_shown_by_pairs_and_nothing_else() -> None:
    for heading, body in units(LIMITS.read_text(encoding="utf-8")):
        blocks = re.findall(BLOCK, body, re.DOTALL)
        assert blocks, heading
        assert len(blocks) == 2 * len(PAIR.findall(body)), heading


def test_what_random_programs_may_be_refused_for_is_a_limit() -> None:
    headings = [heading for heading, _ in units(LIMITS.read_text(encoding="utf-8"))]
    for beginning in limits.LIMITS:
        assert any(heading.startswith(beginning) for heading in headings), beginning


def test_every_construct_of_the_bank_has_a_row() -> None:
    named = re.findall(r"\| `fixtures/(\w+)/` \|$", LIMITS.read_text("utf-8"), re.MULTILINE)
    assert set(named) == {case.path.parent.name for case in harness.bank()}


def test_no_two_limits_have_one_name() -> None:
    headings = sorted(heading for heading, _ in units(LIMITS.read_text(encoding="utf-8")))
    assert all(one != other for one, other in itertools.pairwise(headings))
