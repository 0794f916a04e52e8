"""Python's numbers in machine code: Python's results, or Python itself."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("llvmlite")

from runtime.graph.executors.native import executor
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.numbers import MATH
from runtime.staging.symbolic_number import apply_number
from runtime.staging.tracing import Trace
from tests.support.native import Pair

LARGE = 1 << 62
INTS = [0, 1, -1, 2, -3, 7, 62, 63, 64, (1 << 53) + 1, LARGE, -LARGE, 2 * LARGE - 1, -2 * LARGE]
FLOATS = [0.0, -0.0, 0.5, -0.5, 2.0, -3.7, 1e300, -1e300, 2.0**53, math.inf, -math.inf, math.nan]
VALUES: list[Any] = [*INTS, *FLOATS, True, False]
BINARY: list[Callable[..., Any]] = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, divmod,
]  # fmt: skip
UNARY: list[Callable[..., Any]] = [
    operator.neg, operator.pos, operator.invert, abs, round, math.floor, math.ceil, math.trunc,
    math.sqrt, math.exp, math.sin, math.tanh, math.fabs, math.isnan, math.isinf, math.isfinite,
    math.erf, math.expm1, math.atan,
]  # fmt: skip


def pair_of(function: Callable[..., Any], kinds: tuple[type, ...]) -> Pair | None:
    """The function of numbers of these kinds; None where it is not native, or refused."""
    trace = Trace("f")
    try:
        with trace:
            given = [trace.parameter(NUMBER_TYPES[kind], "n") for kind in kinds]
            staged = MATH.get(function)
            made = apply_number(staged, *given) if staged else function(*given)
            results = made if isinstance(made, tuple) else (made,)
            graph = trace.finish([trace.value_of(item) for item in results])
    except TypeError:
        return None
    return None if executor.reasons(graph) else Pair(graph)


@pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)
def test_binary(function: Callable[..., Any]) -> None:
    native = 0
    for kinds in itertools.product((int, float, bool), repeat=2):
        pair = pair_of(function, kinds)
        native += pair is not None
        for a, b in itertools.product(VALUES, VALUES):
            # Python would take all memory.
            huge = function is operator.lshift and abs(b) > 64
            huge |= function is operator.pow and isinstance(b, int) and isinstance(a, int)
            if pair is not None and (type(a), type(b)) == kinds and not huge:
                pair.compare(a, b)
    assert native


@pytest.mark.parametrize("function", UNARY, ids=lambda f: f.__name__)
def test_unary(function: Callable[..., Any]) -> None:
    native = 0
    for kind in (int, float, bool):
        if function is operator.invert and kind is bool:
            continue  # Python warns
        pair = pair_of(function, (kind,))
        native += pair is not None
        for value in VALUES:
            if pair is not None and type(value) is kind:
                pair.compare(value)
    assert native


def test_ints_beyond_64_bits_are_pythons() -> None:
    pair = pair_of(operator.add, (int, int))
    assert pair is not None
    for a, b in [(1 << 70, 1), (LARGE, LARGE), (-(1 << 80), 1 << 80)]:
        pair.compare(a, b)
    assert pair.aside == 3
