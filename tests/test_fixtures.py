"""Every case of the bank against its golden file and, in every form, the original function."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import autograph
from tests.support import conversion, harness
from tests.support.conversion import Stage
from tests.support.harness import FIXTURES, Case, Variant

CASES = harness.bank()
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)

# Cases whose every stage is printed, and whose graphs are.
STAGES = [
    "if/guards",
    "while/count",
    "for/find",
    "nested/exits_everywhere",
    "exceptions/exits_in_try",
]
HASH_SEEDS = ["0", "1", "4242"]


def original(function: FunctionType) -> FunctionType:
    return function


@cache
def stages_of(case: Case) -> list[Stage]:
    return conversion.stages(case.function(case.fresh()))


def text_of(case: Case) -> str:
    return conversion.text_of(stages_of(case)[-1])


def compare(case: Case, variant: Variant) -> None:
    for row in case.rows:
        expected = harness.observe(case, row, original)
        got = harness.observe(case, row, variant)
        assert got._asdict() == expected._asdict(), f"{case.name} with INPUTS[{row}]"


class TestTheBankItself:
    """What the rest rests on: cases that reach all of their lines and raise what they announce."""

    @every_case
    def test_raises_what_it_says(self, case: Case) -> None:
        seen = {
            outcome.result[1][0]
            for outcome in (harness.observe(case, row, original) for row in case.rows)
            if outcome.result[0] == "raised"
        }
        assert seen == case.raises

    @every_case
    def test_reaches_its_lines(self, case: Case) -> None:
        source = case.path.read_text(encoding="utf-8").splitlines()
        lines = set(harness.lines_of_functions(case.code)) - harness.executed_lines(case)
        assert not [n for n in sorted(lines) if "# unreached" not in source[n - 1]]

    @every_case
    def test_gives_the_same_twice(self, case: Case) -> None:
        compare(case, original)

    def test_every_golden_has_its_case(self) -> None:
        cases = {path.with_suffix(".golden.py") for path in harness.paths_of_cases()}
        expected = cases | {stage_golden(name) for name in STAGES}
        assert not {path for path in FIXTURES.glob("*/*.golden.py")} - expected


class TestText:
    """The printed conversion."""

    @every_case
    def test_golden(self, case: Case, golden: Callable[[Path, str], None]) -> None:
        golden(case.golden, text_of(case))

    @every_case
    def test_parses_back(self, case: Case) -> None:
        last = stages_of(case)[-1]
        conversion.same_program(last, conversion.text_of(last))

    @every_case
    def test_public_text_is_the_same(self, case: Case) -> None:
        assert autograph.to_code(case.function(case.fresh())) == text_of(case)

    @pytest.mark.parametrize(
        "case",
        [case for case in CASES if case.name.startswith("plain/")],
        ids=lambda case: case.name,
    )
    def test_plain_code_is_left_alone(self, case: Case) -> None:
        assert text_of(case) == conversion.text_of(stages_of(case)[0])

    def test_same_under_every_hash_seed(self) -> None:
        printed = [texts_in_another_process(seed) for seed in HASH_SEEDS]
        expected = {case.name: text_of(case) for case in CASES}
        for texts in printed:
            assert texts == expected

    @pytest.mark.parametrize("name", STAGES)
    def test_stages(self, name: str, golden: Callable[[Path, str], None]) -> None:
        case = next(case for case in CASES if case.name == name)
        golden(stage_golden(name), all_stages(case))


def stage_golden(name: str) -> Path:
    return FIXTURES / "stages" / f"{name.replace('/', '_')}.golden.py"


def all_stages(case: Case) -> str:
    """The text after each stage that changes it."""
    parts, before = [], ""
    for stage in stages_of(case):
        text = conversion.text_of(stage)
        if text != before:
            parts.append(f"# {stage.name}\n\n{text.strip()}\n")
        before = text
    return "\n\n".join(parts)


def texts_in_another_process(seed: str) -> dict[str, str]:
    """What a new process with that hash seed prints for every case."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.test_fixtures"],
        env={**os.environ, "PYTHONHASHSEED": seed},
        cwd=FIXTURES.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    texts: dict[str, str] = json.loads(done.stdout)
    return texts


class TestBehaviour:
    """Result or exception, order of effects, arguments and globals afterwards: the same."""

    @every_case
    def test_converted(self, case: Case) -> None:
        compare(case, autograph.convert)

    @pytest.mark.parametrize(
        "case", [case for case in CASES if not case.sees_frames], ids=lambda case: case.name
    )
    def test_text_itself(self, case: Case) -> None:
        last = conversion.from_text(text_of(case), stages_of(case)[-1])
        compare(case, lambda function: conversion.function_of(last, function))

    @every_case
    def test_every_stage(self, case: Case) -> None:
        before: Any = None
        for stage in stages_of(case):
            text = conversion.text_of(stage)
            if text != before:
                compare(case, lambda function, stage=stage: conversion.function_of(stage, function))
            before = text

    @every_case
    def test_exceptions_come_from_the_same_lines(self, case: Case) -> None:
        for row in case.rows:
            expected = harness.where_raised(case, row, original)
            got = harness.where_raised(case, row, autograph.convert)
            assert not [place for place in got if "autograph" in Path(place.filename).parts]
            assert expected[-1:] == got[-1:]
            remaining = iter(got)
            assert all(place in remaining for place in expected), (expected, got)


class TestTrees:
    """What must hold of the tree after every stage."""

    @every_case
    def test_positions_are_inside_the_function(self, case: Case) -> None:
        source, *rest = stages_of(case)
        for stage in rest:
            assert not conversion.misplaced_nodes(stage.tree, source.tree), stage.name

    @every_case
    def test_no_node_stands_twice(self, case: Case) -> None:
        for stage in stages_of(case):
            assert not conversion.shared_nodes(stage.tree), stage.name

    @every_case
    def test_stages_keep_their_promises(self, case: Case) -> None:
        for stage in stages_of(case):
            assert not conversion.remaining(stage), stage.name


if __name__ == "__main__":
    print(json.dumps({case.name: text_of(case) for case in CASES}))
