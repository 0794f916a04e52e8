"""Random programs: converted and staged, they do what CPython does."""

import ast
import copy
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import autograph
import runtime as rt
from tests import staging
from tests.harness import attempt, describe
from tests.limits import refused_by
from tests.programs import PLAIN, STAGED, Dialect, Loaded, Program, Seeded, loaded, programs, write

slow_to_draw = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

# What programs must contain often enough to mean something, as share of 400 programs in percent.
EXPECTED = {
    PLAIN: {
        **dict.fromkeys(("If", "While", "For", "IfExp", "BoolOp", "Compare", "Call", "Assign"), 30),
        **dict.fromkeys(("AugAssign", "Break", "Try", "Assert", "NamedExpr", "ListComp"), 15),
        **dict.fromkeys(("Continue", "Raise", "Lambda", "Delete", "With", "Match", "Is"), 5),
        **dict.fromkeys(("Nonlocal", "Yield"), 3),
    },
    STAGED: {
        **dict.fromkeys(("If", "While", "For", "IfExp", "BoolOp", "Compare", "Call", "Assign"), 30),
        **dict.fromkeys(("AugAssign", "Break", "Continue", "Is", "Assert"), 10),
        **dict.fromkeys(("Raise", "Lambda", "Nonlocal"), 3),
    },
}


class TestTheProgramsThemselves:
    """They compile, end, hold what they should and mostly do not fail."""

    @pytest.mark.parametrize("dialect", [PLAIN, STAGED], ids=["plain", "staged"])
    def test_contents(self, dialect: Dialect) -> None:
        found: Counter[str] = Counter()
        for seed in range(400):
            body = ast.parse(write(Seeded(seed), dialect).text).body[-1]
            found.update({type(node).__name__ for node in ast.walk(body)})
        missing = {name: found[name] / 4 for name, share in EXPECTED[dialect].items() if found[name] / 4 < share}
        assert not missing

    @pytest.mark.parametrize("dialect", [PLAIN, STAGED], ids=["plain", "staged"])
    def test_most_calls_return(self, dialect: Dialect) -> None:
        outcomes: Counter[str] = Counter()
        for seed in range(400):
            program = write(Seeded(seed), dialect)
            with loaded(program.text) as code:
                namespace = code.fresh()
                for call in fresh_calls(program, namespace):
                    outcomes[attempt(lambda c=call: c(namespace["program"]))[0]] += 1
        assert outcomes["returned"] > 2 * outcomes["raised"] > 0


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


@slow_to_draw
@given(programs(PLAIN))
def test_converted_is_the_original(program: Program) -> None:
    with loaded(program.text) as code:
        expected = list(observed(code, program, lambda function: function))
        got = list(observed(code, program, autograph.convert))
        for number, (mine, theirs) in enumerate(zip(expected, got, strict=True)):
            assert theirs == mine, explain(program, number, mine, theirs, code)


@slow_to_draw
@given(programs(STAGED))
def test_staged_is_the_original(program: Program) -> None:
    with loaded(program.text) as code:
        plain, staged = code.fresh(), code.fresh()
        function = rt.function(staged["program"])
        for number, (args, value) in enumerate(program.calls):
            plain["G"] = staged["G"] = value
            expected = staging.attempt(lambda a=args: plain["program"](*copy.deepcopy(a)))
            got = staging.attempt(lambda a=args: function(*tensors(a)))
            if isinstance(got, autograph.AutographError) and refused_by(got):
                return
            same = staging.same_outcome(expected, got)
            assert same, explain(program, number, expected, got, code)


def tensors(args: tuple[Any, ...]) -> Iterator[Any]:
    """Arguments as tensors in which every number that a program makes is exact."""
    dtypes = {"int": rt.int64, "float": rt.float64, "bool": rt.bool, "list": rt.int64}
    for kind, value in zip(STAGED.parameters.values(), args, strict=True):
        yield rt.constant(value, dtype=dtypes[kind])


def explain(program: Program, number: int, expected: Any, got: Any, code: Loaded) -> str:
    """A failing program as one would want to read it."""
    function = code.fresh()["program"]
    shown = attempt(lambda: autograph.to_code(function))
    converted = shown[1] if shown[0] == "raised" else autograph.to_code(function)
    args, value = program.calls[number]
    return (
        f"call {number}: program{args!r} with G = {value}\n"
        f"expected {shorter(expected)}\n     got {shorter(got)}\n\n{program.text}\n\n{converted}"
    )


def shorter(value: Any) -> str:
    text = f"{type(value).__name__}: {value}" if isinstance(value, Exception) else repr(value)
    return re.sub(r"\s+", " ", text)[:1000]
