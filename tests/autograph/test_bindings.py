"""Names bound in every way, in every block, and used in every way: converted code does the same."""

from collections.abc import Callable
from typing import Any

import pytest

import autograph
from tests.bindings import BINDINGS, USES, Shape, shapes
from tests.harness import attempt, describe
from tests.programs import SEEDS, as_later, loaded

EVERY = 1 if len(SEEDS) > 100 else len(USES)


@pytest.mark.parametrize("binding", BINDINGS)
def test_converted_equals_original(binding: str) -> None:
    for shape in shapes(binding, EVERY):
        expected = [as_later(outcome) for outcome in outcomes(shape, lambda function: function)]
        got = [as_later(outcome) for outcome in outcomes(shape, autograph.convert)]
        assert got == expected, f"{'/'.join(shape)}\n{shape.text}"


def outcomes(shape: Shape, convert: Callable[[Any], Any]) -> list[Any]:
    """What the function does for each number."""
    with loaded(shape.text) as code:
        made = []
        for number in range(-1, 5):
            namespace = code.fresh()
            function = convert(namespace["program"])
            made.append((attempt(lambda n=number, f=function: f(n)), describe(namespace["LOG"])))
        return made
