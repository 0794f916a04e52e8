"""The smallest tests of everything, for each commit: under five seconds."""

import pytest

import autograph
import runtime as rt
from tests.support import conversion, harness

# The three functions that the design was made with, and how many lines they may become.
EXAMPLES = {"if/clip": 12, "while/count": 22, "for/find": 30}


def example(name: str) -> harness.Case:
    return next(case for case in harness.bank() if case.name == name)


@pytest.mark.parametrize(("name", "most"), EXAMPLES.items())
def test_converted_code_is_short(name: str, most: int) -> None:
    case = example(name)
    text = autograph.to_code(case.function(case.fresh()))
    assert text == case.golden.read_text(encoding="utf-8")
    assert len([line for line in text.splitlines() if line.strip()]) <= most


@pytest.mark.parametrize("name", EXAMPLES)
def test_converted_code_does_the_same(name: str) -> None:
    case = example(name)
    for row in case.rows:
        assert harness.observe(case, row, autograph.convert) == harness.observe(
            case, row, lambda f: f
        )


def test_every_stage_does_the_same() -> None:
    case = example("for/find")
    for stage in conversion.stages(case.function(case.fresh())):
        for row in case.rows:
            expected = harness.observe(case, row, lambda f: f)
            assert (
                harness.observe(case, row, lambda f, s=stage: conversion.function_of(s, f))
                == expected
            )


def count(x, limit):  # type: ignore[no-untyped-def]
    n = 0
    while x > 1:
        x = x / 2
        if n >= limit:
            break
        n = n + 1
    return n


def test_staged() -> None:
    staged = rt.function(count)
    assert int(staged(rt.constant(10.0), rt.constant(100))) == count(10.0, 100)
    assert int(staged(rt.constant(10.0), rt.constant(2))) == count(10.0, 2)


def test_an_error_names_the_place() -> None:
    names: dict[str, object] = {}
    exec("def made(x): return x", names)
    with pytest.raises(autograph.ConversionError, match="made was not read from a file"):
        autograph.convert(names["made"])
