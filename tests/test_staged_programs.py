"""Random programs as graphs: with tensors for arguments they compute what CPython does."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

import autograph
import runtime as rt
from tests.support import reference, staging
from tests.support.limits import refused_by
from tests.support.programs import Program, batches, explain, loaded, programs, unhurried, write
from tests.support.programs_choices import Seeded
from tests.support.programs_dialects import (
    CALLBACKS,
    COLLECTIONS,
    EFFECTS,
    KINDS,
    OUTSIDE,
    STAGED,
    THEMES,
    TWO_THEMES,
)


@pytest.fixture(autouse=True)
def first_calls(interpreted: None) -> None:
    """A program is called more than once, so that the first call may be what it is for users."""


@unhurried
@given(programs(STAGED))
def test_staged_is_the_original(program: Program) -> None:
    same_when_staged(program)


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_staged(seeds: range) -> None:
    for seed in seeds:
        same_when_staged(write(Seeded(seed), STAGED))


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_of_collections(seeds: range) -> None:
    for seed in seeds:
        same_when_staged(write(Seeded(seed), COLLECTIONS))


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_of_kinds(seeds: range) -> None:
    for seed in seeds:
        same_when_staged(write(Seeded(seed), KINDS))


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_that_change_what_is_outside(seeds: range) -> None:
    for seed in seeds:
        same_when_staged(write(Seeded(seed), OUTSIDE))


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_with_effects(seeds: range) -> None:
    for seed in seeds:
        same_when_staged(write(Seeded(seed), EFFECTS))


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_of_callbacks(seeds: range) -> None:
    for seed in seeds:
        same_when_staged(write(Seeded(seed), CALLBACKS))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("seeds", batches(50), ids=str)
def test_many_of_themes(seeds: range, theme: str) -> None:
    for seed in seeds:
        same_when_staged(write(Seeded(seed), THEMES[theme]))


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_of_two_themes(seeds: range) -> None:
    for seed in seeds:
        same_when_staged(write(Seeded(seed), TWO_THEMES[seed % len(TWO_THEMES)]))


@pytest.mark.parametrize("seeds", batches(20), ids=str)
def test_programs_are_what_the_reference_computes(seeds: range) -> None:
    for seed in seeds:
        with reference.compared():
            same_when_staged(write(Seeded(seed), STAGED))


def same_when_staged(program: Program) -> None:
    with loaded(program.text) as code:
        plain, staged = code.fresh(), code.fresh()
        function = rt.function(staged["program"])
        for number, (args, value) in enumerate(program.calls):
            plain["G"] = staged["G"] = value
            expected = staging.attempt(lambda a=args: plain["program"](*copy.deepcopy(a)))
            got = staging.attempt(lambda a=args: function(*tensors(a)))
            if isinstance(got, refusals_of(program)) and refused_by(got):
                return
            if isinstance(got, rt.errors.OperatorNotAllowedInGraphError) and AGAIN in str(got):
                return
            same = staging.same_outcome(expected, got)
            assert same, explain(program, number, expected, got, code)
            if isinstance(expected, Exception):
                return  # of a call that raises nothing is written
            if "state" in plain:
                before, after = (
                    staging.as_python(plain["state"]()),
                    staging.as_python(staged["state"]()),
                )
                assert staging.equal(before, after), explain(program, number, before, after, code)


AGAIN = "or do nothing in the function that Python cannot do again"
"""The end of what is refused because the program has acted: it is not traced once more."""


def refusals_of(program: Program) -> tuple[type[Exception], ...]:
    """What refuses it: also Python's own errors, where a `try` may have stayed Python's own."""
    may_be_once = "finally" in program.text or "except" in program.text
    by_python = (rt.errors.OperatorNotAllowedInGraphError,) if may_be_once else ()
    return (autograph.AutographError, *by_python)


def tensors(args: tuple[Any, ...]) -> Iterator[Any]:
    """Arguments as tensors in which every number that a program makes is exact."""
    dtypes = {"int": rt.int64, "float": rt.float64, "bool": rt.bool, "list": rt.int64}
    for kind, value in zip(STAGED.parameters.values(), args, strict=True):
        yield rt.constant(value, dtype=dtypes[kind])
