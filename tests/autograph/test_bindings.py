"""Names bound in every way, in every block, and used in every way: converted code does the same."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

import autograph
from tests.support.bindings import BINDINGS, USES, Shape, chain, module_of, shapes
from tests.support.harness import attempt, describe
from tests.support.programs import SEEDS, as_later, batches, loaded
from tests.support.programs_choices import Seeded

EVERY = 1 if len(SEEDS) > 100 else len(USES)


@pytest.mark.parametrize("binding", BINDINGS)
def test_converted_equals_original(binding: str) -> None:
    for shape in shapes(binding, EVERY):
        same_when_converted([shape])


@pytest.mark.parametrize("seeds", batches(), ids=str)
def test_many_chains(seeds: range) -> None:
    for seed in seeds:
        found = chain(Seeded(seed))
        same_when_converted(found)


def same_when_converted(found: Sequence[Shape]) -> None:
    text = module_of(found)
    expected = [as_later(outcome) for outcome in outcomes(text, lambda function: function)]
    got = [as_later(outcome) for outcome in outcomes(text, autograph.convert)]
    assert got == expected, f"{found}\n{text}"


def outcomes(text: str, convert: Callable[[Any], Any]) -> list[Any]:
    """What the function does for each number."""
    with loaded(text) as code:
        made = []
        for number in range(-1, 5):
            namespace = code.fresh()
            function = convert(namespace["program"])
            outcome = attempt(lambda n=number, f=function: f(n))
            made.append((outcome, describe(namespace["LOG"])))
        return made
