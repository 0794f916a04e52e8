"""Random programs over arrays of NumPy's: staged, for tensors in the place of what they are given,
they do what NumPy does, to the dtype and the printed text.
"""

import re
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.support import native
from tests.support.limits import refused_by
from tests.support.programs import batches, loaded
from tests.support.programs_arrays import write
from tests.support.programs_choices import Choices, Seeded
from tests.support.staging import printed_outcome

REFUSALS = autograph.AutographError, rt.errors.OperatorNotAllowedInGraphError


@pytest.mark.parametrize("seeds", batches(4), ids=str)
def test_many(seeds: range) -> None:
    for seed in seeds:
        same_when_staged(seed)


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_in_loops_of_the_graph(seeds: range, little_is_much: None) -> None:
    for seed in seeds:
        same_when_staged(seed)


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_as_machine_code(seeds: range) -> None:
    with native.forced():
        for seed in seeds:
            same_when_staged(seed)


def test_an_array_made_in_place_of_one_that_an_island_makes() -> None:
    with native.forced():
        assert same_when_staged(299) == "same"


def same_when_staged(seed: int) -> str:
    """Compares the runs of one program; how it went, in a word."""
    choices = Seeded(seed)
    text = write(choices)
    with loaded(text) as code:
        plain = code.fresh()["program"]
        staged = rt.function(code.fresh()["program"])
        for _ in range(3):
            v, w, m, k = arguments(choices)
            expected = printed_outcome(lambda: plain(v, w, m, k))  # noqa: B023
            tensors = *map(rt.constant, (v, w, m)), rt.constant(k, rt.int64)
            got = printed_outcome(lambda: staged(*tensors))  # noqa: B023
            if isinstance(got[0], REFUSALS) and refused_by(got[0]):
                return f"refused: {refused_by(got[0])}"
            assert same(expected[0], got[0]), (seed, (v, w, m, k), expected, got, text)
            printed = [_of_floats(each) for each in (expected[1], got[1])]
            assert printed[0] == printed[1], (seed, (v, w, m, k), expected, got, text)
    return "same"


def _of_floats(text: str) -> str:
    """A printed text without the `.0` by which whole floats differ from ints: one that meets a
    float under its name is one in a graph, which is known to differ.
    """
    return re.sub(r"(?<=\d)\.0\b", "", text)


def arguments(choices: Choices) -> tuple[Any, ...]:
    """Two vectors, a matrix and an integer."""
    numbers = [float(choices.below(12) - 4) / (1 + choices.below(2)) for _ in range(15)]
    v, w, m = np.split(np.array(numbers), [3, 6])
    return v, w, m.reshape(3, 3), choices.below(3)


def same(expected: Any, got: Any) -> bool:
    """Whether they are equal, of NumPy's numbers and arrays to the dtype."""
    if isinstance(expected, Exception) or isinstance(got, Exception):
        return isinstance(got, type(expected)) or isinstance(expected, type(got))
    if isinstance(expected, tuple | list):
        return len(expected) == len(got) and all(map(same, expected, got))
    if isinstance(expected, dict):
        return expected.keys() == got.keys() and all(same(expected[k], got[k]) for k in expected)
    array = np.asarray(got)
    if isinstance(expected, np.ndarray | np.generic) and array.dtype != expected.dtype:
        # A whole number that meets a float where paths meet is one in the graph, as Python's are.
        return array.shape == () and array.dtype == float and array == expected
    return np.array_equal(array, np.asarray(expected), equal_nan=True)
