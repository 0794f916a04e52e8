"""Random programs over tensors: staged, for sizes that only the run knows and for known ones, they
do what the eager ones do.
"""

from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support import native, staging
from tests.support.limits import refused_by
from tests.support.programs import batches, loaded
from tests.support.programs_choices import Choices, Seeded
from tests.support.programs_tensors import write

OF_THE_RUN = (
    *[rt.TensorSpec([None], rt.float64)] * 2, rt.TensorSpec([None, None], rt.float64),
    rt.TensorSpec([], rt.int32),
)  # fmt: skip
REFUSALS = autograph.AutographError, rt.errors.OperatorNotAllowedInGraphError


@pytest.mark.parametrize("seeds", batches(4), ids=str)
def test_many_of_sizes_of_the_run(seeds: range) -> None:
    for seed in seeds:
        same_when_staged(seed, input_signature=OF_THE_RUN)


@pytest.mark.parametrize("seeds", batches(4), ids=str)
def test_many_of_known_sizes(seeds: range) -> None:
    for seed in seeds:
        same_when_staged(seed)


@pytest.mark.parametrize("seeds", batches(4), ids=str)
def test_many_in_loops_of_the_graph(seeds: range, little_is_much: None) -> None:
    for seed in seeds:
        same_when_staged(seed, input_signature=OF_THE_RUN)


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_as_machine_code(seeds: range) -> None:
    with native.forced():
        for seed in seeds:
            same_when_staged(seed, input_signature=OF_THE_RUN)


def same_when_staged(seed: int, **options: Any) -> None:
    choices = Seeded(seed)
    text = write(choices)
    with loaded(text) as code:
        eager = autograph.convert(code.fresh()["program"])
        staged = rt.function(code.fresh()["program"], **options)
        for _ in range(3):
            given = arguments(choices)
            expected = staging.attempt(lambda g=given: eager(*tensors(g)))
            got = staging.attempt(lambda g=given: staged(*tensors(g)))
            if isinstance(got, REFUSALS) and refused_by(got):
                return
            assert same(expected, got, bool(options)), (seed, given, expected, got, text)


def arguments(choices: Choices) -> tuple[Any, ...]:
    """Two vectors, a matrix and an integer, most of which fit each other."""
    length = 2 + choices.below(4)
    other, columns = (length if choices.below(3) else 1 + choices.below(4) for _ in range(2))
    v, w, *rows = (
        [float(choices.below(12) - 4) for _ in range(size)]
        for size in (length, other, *[columns] * (1 + choices.below(3)))
    )
    return v, w, rows, choices.below(4)


def tensors(given: tuple[Any, ...]) -> tuple[Any, ...]:
    *arrays, k = given
    return *[rt.constant(each, rt.float64) for each in arrays], rt.constant(k, rt.int32)


def same(expected: Any, got: Any, is_of_the_run: bool) -> bool:
    if isinstance(expected, Exception) and type(got) is type(expected):
        return True  # the texts of ops have places
    if isinstance(expected, rt.errors.InvalidValueError):
        return True  # perhaps nobody reads what the op gives: then the graph goes on
    if not is_of_the_run and isinstance(got, rt.errors.InvalidValueError):
        return True  # found while tracing a branch that the run does not take
    return staging.same_outcome(expected, got)
