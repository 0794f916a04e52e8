"""Random programs over texts: staged, for a number that only the run knows, they do what Python
does: interpreted in the first call, as a program in the others.
"""

import pytest

import autograph
import runtime as rt
from tests.support.limits import refused_by
from tests.support.programs import batches, loaded
from tests.support.programs_choices import Seeded
from tests.support.programs_texts import write
from tests.support.staging import as_python, printed_outcome, same_outcome

REFUSALS = (
    autograph.AutographError,
    rt.errors.OperatorNotAllowedInGraphError,
    rt.errors.RefusedError,
)
NUMBERS = (0, 3, 12, 7, 1)


@pytest.mark.parametrize("seeds", batches(4), ids=str)
def test_many(seeds: range) -> None:
    for seed in seeds:
        same_when_staged(seed)


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_in_loops_of_the_graph(seeds: range, little_is_much: None) -> None:
    for seed in seeds:
        same_when_staged(seed)


def same_when_staged(seed: int) -> str:
    """Compares the runs of one program; how it went, in a word."""
    text = write(Seeded(seed))
    with loaded(text) as code:
        plain = code.fresh()["program"]
        staged = rt.function(code.fresh()["program"])
        for n in NUMBERS:
            expected = printed_outcome(lambda: plain(n))  # noqa: B023
            got = printed_outcome(lambda: as_python(staged(rt.constant(n, rt.int64))))  # noqa: B023
            if isinstance(got[0], REFUSALS) and refused_by(got[0]):
                return f"refused: {refused_by(got[0])}"
            assert same_outcome(expected[0], got[0]), (seed, n, expected, got, text)
            assert expected[1] == got[1], (seed, n, expected, got, text)
    return "same"
