"""Random programs: converted and staged, they do what CPython does."""

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograph
from tests.support.harness import attempt, describe
from tests.support.programs import (
    Loaded,
    Program,
    as_later,
    batches,
    explain,
    loaded,
    programs,
    unhurried,
    write,
)
from tests.support.programs_choices import Seeded
from tests.support.programs_dialects import EXITS, PLAIN, STAGED, Dialect

# What programs must contain often enough to mean something, as share of 400 programs in percent.
EXPECTED = {
    PLAIN: {
        **dict.fromkeys(("If", "While", "For", "IfExp", "BoolOp", "Compare", "Call", "Assign"), 30),
        **dict.fromkeys(("AugAssign", "Break", "Try", "Assert", "NamedExpr", "ListComp"), 15),
        **dict.fromkeys(("Continue", "Raise", "Lambda", "Delete", "With", "Match", "Is"), 5),
        **dict.fromkeys(("Nonlocal", "Yield", "ClassDef", "Starred"), 3),
        **dict.fromkeys(("TryStar", "Import"), 1),
    },
    STAGED: {
        **dict.fromkeys(("If", "While", "For", "IfExp", "BoolOp", "Compare", "Call", "Assign"), 30),
        **dict.fromkeys(("AugAssign", "Break", "Continue", "Is", "Assert"), 10),
        **dict.fromkeys(("Raise", "Lambda", "Nonlocal", "NamedExpr", "Starred"), 3),
    },
    EXITS: {
        **dict.fromkeys(("If", "Raise", "Return", "While"), 50),
        **dict.fromkeys(("Assert", "Try", "Break", "Continue", "With"), 10),
        **dict.fromkeys(("Yield", "FunctionDef"), 3),
    },
}


class TestTheProgramsThemselves:
    """They compile, end, hold what they should and mostly do not fail."""

    @pytest.mark.parametrize("dialect", EXPECTED, ids=["plain", "staged", "exits"])
    def test_contents(self, dialect: Dialect) -> None:
        found: Counter[str] = Counter()
        for seed in range(400):
            body = ast.parse(write(Seeded(seed), dialect).text).body[-1]
            found.update({type(node).__name__ for node in ast.walk(body)})
        missing = {
            name: found[name] / 4
            for name, share in EXPECTED[dialect].items()
            if found[name] / 4 < share
        }
        assert not missing

    @pytest.mark.parametrize("dialect", [PLAIN, STAGED], ids=["plain", "staged"])
    def test_most_calls_return(self, dialect: Dialect) -> None:
        outcomes: Counter[str] = Counter()
        for seed in range(400):
            program = write(Seeded(seed), dialect)
            with loaded(program.text) as code:
                namespace = code.fresh()
                for call in fresh_calls(program, namespace):
                    outcomes[attempt(lambda c=call, f=namespace["program"]: c(f))[0]] += 1
        assert outcomes["returned"] > 1.5 * outcomes["raised"] > 0


Call = Callable[[Callable[..., Any]], Any]


def fresh_calls(program: Program, namespace: dict[str, Any]) -> Iterator[Call]:
    """The program's calls, each with its own arguments and its own value of the global."""
    for args, value in program.calls:
        namespace["G"] = value
        own = copy.deepcopy(args)
        if "Thing" in namespace:
            own = (*own, namespace["Thing"]())
        yield lambda function, own=own: (function(*own), own)


def observed(code: Loaded, program: Program, convert: Callable[[Any], Any]) -> Iterator[Any]:
    """What each call returns or raises, does to its arguments, logs, and leaves in the global."""
    namespace = code.fresh()
    function = convert(namespace["program"])
    for call in fresh_calls(program, namespace):
        outcome = attempt(lambda c=call: c(function))
        yield outcome, describe(namespace["LOG"]), describe(namespace["G"])


@pytest.mark.parametrize("dialect", [PLAIN, EXITS], ids=["plain", "exits"])
@unhurried
@given(data=st.data())
def test_converted_is_the_original(dialect: Dialect, data: st.DataObject) -> None:
    same_when_converted(data.draw(programs(dialect)))


@pytest.mark.parametrize("seeds", batches(), ids=str)
def test_many_nests_of_exits(seeds: range) -> None:
    for seed in seeds:
        same_when_converted(write(Seeded(seed), EXITS))


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_of_all_constructs(seeds: range) -> None:
    for seed in seeds:
        same_when_converted(write(Seeded(seed), PLAIN))


def same_when_converted(program: Program) -> None:
    with loaded(program.text) as code:
        expected = list(observed(code, program, lambda function: function))
        got = list(observed(code, program, autograph.convert))
        for number, (mine, theirs) in enumerate(zip(expected, got, strict=True)):
            assert as_later(theirs) == as_later(mine), explain(program, number, mine, theirs, code)
