"""Random programs of loops over lists of tensors: staged, they do what CPython does, written out or
as loops of the graph.
"""

import copy
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support import staging
from tests.support.limits import refused_by
from tests.support.programs import batches, loaded
from tests.support.programs_choices import Seeded
from tests.support.programs_loops import write


@pytest.mark.parametrize("seeds", batches(4), ids=str)
def test_many_loops(seeds: range, interpreted: None) -> None:
    for seed in seeds:
        same_when_staged(seed)


@pytest.mark.parametrize("seeds", batches(4), ids=str)
def test_many_loops_of_the_graph(seeds: range, interpreted: None, little_is_much: None) -> None:
    for seed in seeds:
        same_when_staged(seed)


def same_when_staged(seed: int) -> None:
    choices = Seeded(seed)
    text = write(choices)
    with loaded(text) as code:
        plain = code.fresh()["program"]
        staged = rt.function(code.fresh()["program"])
        size = 4 + choices.below(6)
        for _ in range(2):
            args = tuple([choices.below(30) - 4 for _ in range(n)] for n in (size, 5))
            k = choices.below(10)
            numbers = copy.deepcopy(args)
            expected = staging.attempt(lambda a=numbers, k=k: (plain(*a, k), a))
            tensors = tuple([rt.constant(x, rt.int64) for x in items] for items in args)
            given = (*tensors, rt.constant(k, rt.int64))
            got = staging.attempt(lambda t=tensors, g=given: (staged(*g), t))
            if isinstance(got, autograph.AutographError) and refused_by(got):
                return
            if isinstance(got, RecursionError) and "nested too deep here" in str(got):
                return  # rounds that are written out, with an exit in each: limits, "Depth"
            assert same(expected, got), (seed, args, k, expected, got, text)


def same(expected: Any, got: Any) -> bool:
    if isinstance(expected, ZeroDivisionError | IndexError):
        return isinstance(got, type(expected))  # those of ops have a text of their own
    return staging.same_outcome(expected, got)
