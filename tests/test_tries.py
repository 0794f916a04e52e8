"""Random programs of exceptions: plain, converted and staged, they do what CPython does."""

import re
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support import reference, staging
from tests.support.limits import refused_by
from tests.support.programs import batches, loaded
from tests.support.programs_choices import Seeded
from tests.support.programs_tries import write

REFUSALS = autograph.AutographError, rt.errors.OperatorNotAllowedInGraphError
ARGUMENTS = ((0, 1), (1, 2), (2, 5), (3, 3), (5, 4))


@pytest.mark.parametrize("seeds", batches(20), ids=str)
def test_many_converted(seeds: range) -> None:
    for seed in seeds:
        with loaded(write(Seeded(seed))) as code:
            plain = code.fresh()["program"]
            for convert in (autograph.convert, autograph.convert_for_staging):
                converted = convert(code.fresh()["program"])
                for args in ARGUMENTS:
                    expected = staging.attempt(lambda f=plain, a=args: f(*a))
                    got = staging.attempt(lambda f=converted, a=args: f(*a))
                    assert type(got) is type(expected), (seed, args)
                    assert repr(got) == repr(expected), (seed, args)


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_staged(seeds: range) -> None:
    for seed in seeds:
        same_when_staged(seed)


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_in_loops_of_the_graph(seeds: range, little_is_much: None) -> None:
    for seed in seeds:
        same_when_staged(seed)


@pytest.mark.parametrize("seeds", batches(4), ids=str)
def test_they_are_what_the_reference_computes(seeds: range) -> None:
    for seed in seeds:
        with reference.compared():
            same_when_staged(seed)


def same_when_staged(seed: int) -> None:
    text = write(Seeded(seed))
    with loaded(text) as code:
        plain = code.fresh()["program"]
        staged = rt.function(code.fresh()["program"])
        for args in ARGUMENTS:
            expected = staging.attempt(lambda a=args: plain(*a))
            tensors = [rt.constant(value, rt.int64) for value in args]
            got = staging.attempt(lambda t=tensors: staged(*t))
            if isinstance(got, REFUSALS) and refused_by(got):
                return
            assert same(expected, got), (seed, args, expected, got, text)


def same(expected: Any, got: Any) -> bool:
    if isinstance(expected, ZeroDivisionError | IndexError):
        return isinstance(got, type(expected))  # those of ops have a text of their own
    if isinstance(expected, Exception):
        shown = re.sub(r"<tf.Tensor.*?numpy=(.*?)>", r"\1", str(got))
        return isinstance(got, type(expected)) and str(expected) in shown
    return staging.same_outcome(expected, got)
