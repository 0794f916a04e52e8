"""Random programs of gradients: staged they give what they give eagerly, and finite differences."""

import math
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.support import staging
from tests.support.limits import refused_by
from tests.support.programs import Loaded, batches, loaded
from tests.support.programs_choices import Seeded
from tests.support.programs_gradients import GradientProgram, write

DTYPES = rt.float64, rt.float64, rt.int32, rt.bool
ARGUMENTS = (
    *((0.0, 0.7, 2, True), (0.4, -0.3, 0, False), (-0.8, 1.3, 1, True)),
    *((0.9, 0.0, 3, False), (0.35, 0.6, 2, True)),
)
STEP, TOLERANCE = 1e-6, 1e-4
LARGEST = 1e4
"""Beyond it, the rounding of a value is a large part of its change over a step."""


@pytest.fixture(autouse=True)
def quiet(interpreted: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What has no value is computed here on purpose, and gradients are asked for in a tape."""
    monkeypatch.setattr(rt.get_logger(), "disabled", True)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_staged(seeds: range) -> None:
    for seed in seeds:
        program = write(Seeded(seed))
        with loaded(program.text) as code:
            same_when_staged(seed, program, code)


def same_when_staged(seed: int, program: GradientProgram, code: Loaded) -> None:
    eager, staged = code.fresh()["program"], rt.function(code.fresh()["program"])
    for args in ARGUMENTS:
        expected = staging.attempt(lambda a=args: eager(*tensors(a)))
        got = staging.attempt(lambda a=args: staged(*tensors(a)))
        if isinstance(got, autograph.AutographError) and refused_by(got):
            return
        if "not invertible" in str(got) and not isinstance(expected, Exception):
            return  # known to differ: a path that was not taken sends something to the matrix
        shown = seed, args, expected, got, program.text
        if isinstance(expected, Exception):
            assert type(got) is type(expected), shown
            continue
        assert staging.same_outcome(expected, got, 1e-9), shown
        if program.is_whole and 0.0 not in args:  # where tests have an answer for that alone
            for at, slope in enumerate(expected[3:]):
                if math.isfinite(slope):  # zero times what has no value has none
                    found = difference(eager, args, at)
                    assert found is None or near(found, slope), (found, at, *shown)


def tensors(args: tuple[Any, ...]) -> list[Any]:
    return [rt.constant(value, dtype) for value, dtype in zip(args, DTYPES, strict=True)]


def difference(eager: Any, args: tuple[Any, ...], at: int) -> float | None:
    """The slope of a program's first two values; None where it jumps or bends, or has none."""
    values = []
    for step in (-2 * STEP, -STEP, 0.0, STEP, 2 * STEP):
        moved = [value + step if i == at else value for i, value in enumerate(args)]
        found = staging.attempt(lambda m=moved: eager(*tensors(tuple(m))))
        values.append(math.nan if isinstance(found, Exception) else found[0] + found[1])
    if any(abs(value) > LARGEST for value in values):
        return None
    slopes = [(after - before) / STEP for before, after in pairwise(values)]
    if not all(map(near, slopes, slopes[1:])):
        return None
    return slopes[1]


def near(a: float, b: float) -> bool:
    return abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b))
