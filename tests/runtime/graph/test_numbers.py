"""Staged numbers compute what Python's numbers compute, with Python's kinds and errors."""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import pytest

import runtime as rt
from runtime import errors
from runtime.graph.executors.program import Program
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.numbers import MATH
from runtime.graph.verification import verify
from runtime.staging.symbolic_number import apply_number
from runtime.staging.tracing import Trace

VALUES: list[Any] = [0, 1, -3, 7, 0.0, -0.5, 2.0, True, False]
BINARY: list[Any] = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, divmod,
]  # fmt: skip
UNARY: list[Any] = [
    operator.neg, operator.pos, operator.invert, abs, round, math.floor, math.ceil, math.trunc,
]  # fmt: skip


def run(function: Any, values: tuple[Any, ...], staged: tuple[bool, ...]) -> Any:
    """`function(*values)` as a graph of which some arguments are parameters."""
    trace = Trace("f")
    with trace:
        pairs = list(zip(values, staged, strict=True))
        given = [
            trace.parameter(NUMBER_TYPES[type(value)], "n") if is_staged else value
            for value, is_staged in pairs
        ]
        made = function(*given)
        results = made if isinstance(made, tuple) else (made,)
        graph = trace.finish([trace.value_of(item) for item in results])
    verify(graph, types=True)
    got = Program(graph).run(*[value for value, is_staged in pairs if is_staged])
    for item, value in zip(got, graph.results, strict=True):
        assert NUMBER_TYPES[type(item)] == value.type
    return got if isinstance(made, tuple) else got[0]


def outcome(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except (ArithmeticError, TypeError, ValueError, errors.RefusedError) as error:
        return error


def compare(expected: Any, got: Any) -> None:
    if isinstance(expected, complex) or (
        isinstance(expected, float) and isinstance(got, errors.RefusedError)
    ):
        assert isinstance(got, errors.RefusedError)
    elif isinstance(expected, Exception):
        assert isinstance(got, type(expected))
    else:
        assert (type(got), repr(got)) == (type(expected), repr(expected))


@pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)
def test_binary(function: Any) -> None:
    for a, b in itertools.product(VALUES, VALUES):
        for staged in [(True, True), (True, False), (False, True)]:
            compare(outcome(function, a, b), outcome(run, function, (a, b), staged))


@pytest.mark.parametrize("function", UNARY, ids=lambda f: f.__name__)
def test_unary(function: Any) -> None:
    # `~True` warns from Python 3.12 on.
    for value in VALUES if function is not operator.invert else [0, 1, -3, 7]:
        compare(outcome(function, value), outcome(run, function, (value,), (True,)))


def test_round_to_digits() -> None:
    for value in (2.675, -1.25, 7):
        assert run(lambda n: round(n, 1), (value,), (True,)) == round(value, 1)


@pytest.mark.parametrize("function", MATH, ids=lambda f: f.__name__)
def test_math(function: Any) -> None:
    for values in [(0.5,), (3,), (0.5, 2.0), (4, 2)]:
        try:
            expected = function(*values)
        except (TypeError, ValueError):
            continue

        def staged(*given: Any) -> Any:
            return apply_number(MATH[function], *given)

        got = run(staged, values, (True,) * len(values))
        assert (type(got), repr(got)) == (type(expected), repr(expected))


def test_int_power_of_a_negative_staged_exponent_is_refused_at_run_time() -> None:
    with pytest.raises(errors.RefusedError, match="is a float, but the exponent"):
        run(operator.pow, (2, -1), (True, True))
    assert run(operator.pow, (2, -1), (True, False)) == 0.5


def test_big_ints_are_exact() -> None:
    assert run(operator.pow, (3, 100), (True, True)) == 3**100


@pytest.mark.parametrize(
    ("number", "dtype", "error"),
    [(1.5, rt.int32, TypeError), (True, rt.float32, TypeError), (2, rt.bool, TypeError)],
)
def test_beside_a_tensor_a_number_takes_its_dtype_or_fails_as_eagerly(
    number: Any, dtype: Any, error: type[Exception]
) -> None:
    tensor = rt.cast(rt.constant([3]), dtype)
    with pytest.raises(error):
        number + tensor
    trace = Trace("f")
    with trace, pytest.raises(error):
        trace.parameter(NUMBER_TYPES[type(number)], "n") + tensor


@pytest.mark.parametrize("dtype", [rt.float32, rt.float64, rt.int64, rt.uint8])
def test_a_staged_int_takes_a_tensors_dtype(dtype: Any) -> None:
    trace = Trace("f")
    with trace:
        number = trace.parameter(NUMBER_TYPES[int], "n")
        for made in (number + rt.constant(1, dtype), rt.constant(1, dtype) * number):
            assert made.dtype is dtype


def test_a_number_without_partner_becomes_the_default_dtype() -> None:
    trace = Trace("f")
    with trace:
        for kind, dtype in [(int, rt.int32), (float, rt.float32), (bool, rt.bool)]:
            assert rt.convert_to_tensor(trace.parameter(NUMBER_TYPES[kind], "n")).dtype is dtype


def test_what_does_not_fit_is_an_error() -> None:
    @rt.function
    def power(n: Any) -> Any:
        k = 1
        while n > 0:
            k = k * 1000
            n = n - 1
        return k

    assert int(power(rt.constant(3))) == 10**9
    with pytest.raises(errors.InvalidArgumentError, match="does not fit into int32"):
        power(rt.constant(4))


def refused(use: Any) -> None:
    trace = Trace("f")
    with trace:
        number = trace.parameter(NUMBER_TYPES[int], "n")
        with pytest.raises(errors.OperatorNotAllowedInGraphError, match="not allowed") as caught:
            use(number)
    assert caught.value.filename == __file__
    assert caught.value.hint


@pytest.mark.parametrize(
    "use",
    [bool, int, float, hash, lambda n: [1, 2][n], lambda n: f"{n}", lambda n: {1: 2}[n]],
)
def test_python_cannot_have_its_value(use: Any) -> None:
    refused(use)
