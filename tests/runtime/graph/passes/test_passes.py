"""What each pass makes of a program, as printed graphs; that all of them change no result."""

# The programs are written as users write them.
# ruff: noqa: SIM108

from __future__ import annotations

import contextlib
import inspect
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import runtime as rt
from runtime.function import function
from runtime.graph.executors.interpreter import Program
from runtime.graph.ir import format_graph, verify
from runtime.graph.passes import PASSES, optimize
from runtime.graph.passes.branch_simplification import simplify_branches
from runtime.graph.passes.common_subexpressions import eliminate_common_subexpressions
from runtime.graph.passes.constant_folding import fold_constants
from runtime.graph.passes.dead_code import eliminate_dead_code
from runtime.graph.passes.loop_invariants import hoist_loop_invariants
from runtime.graph.passes.simplification import simplify
from tests import programs, staging
from tests.runtime.staged_programs import PROGRAMS
from tests.runtime.test_staging import tensors
from tests.test_staged_programs import tensors as exact_tensors

GOLDEN = Path(__file__).parents[4] / "fixtures" / "graphs" / "passes"


def folded(x):
    y = rt.constant(2.0) * rt.constant(3.0)
    n = rt.constant(7) // rt.constant(2)
    return x + y, n


def fails_when_reached(x):
    if x > 0.0:
        return rt.constant(1) // rt.constant(0)
    return 1


def neutral(x):
    y = rt.negative(rt.negative(x * 1.0)) / 1.0 - 0.0
    return y


def zero_of_floats(x):
    return x + 0.0, x - (-0.0)


def zero_of_integers(x):
    n = rt.cast(x, rt.int32)
    return n + 0, rt.cast(n, rt.int32) * 1


def known_branch(x):
    if rt.constant(True):
        y = x + x
    else:
        y = x
    return y


def same_in_both(x, y):
    if x > 0.0:
        a, b = y, x + 1.0
    else:
        a, b = y, x
    return a, b


def never_runs(x):
    while rt.constant(False):
        x = x + 1.0
    return x


def twice(x, y):
    a = x * y + 1.0
    if x > 0.0:
        a = a + x * y
    return a


def two_draws(x):
    return rt.random.uniform([]) + rt.random.uniform([])


def invariant(x, w):
    while x < 10.0:
        x = x + w * w
    return x


def fallible_stays(n, d):
    t = 0
    while n > t:
        t = t + n // d
    return t


CASES = [
    (fold_constants, folded),
    (fold_constants, fails_when_reached),
    (simplify, neutral),
    (simplify, zero_of_floats),
    (simplify, zero_of_integers),
    (simplify_branches, known_branch),
    (simplify_branches, same_in_both),
    (simplify_branches, never_runs),
    (eliminate_common_subexpressions, twice),
    (eliminate_common_subexpressions, two_draws),
    (hoist_loop_invariants, invariant),
    (hoist_loop_invariants, fallible_stays),
]


@pytest.mark.parametrize(("run", "program"), CASES, ids=lambda item: item.__name__)
def test_before_and_after(run: Any, program: Any, golden: Callable[[Path, str], None]) -> None:
    dtype = rt.int32 if program is fallible_stays else rt.float32
    specs = [rt.TensorSpec([], dtype)] * len(inspect.signature(program).parameters)
    graph = function(program).get_concrete_function(*specs).graph
    made = eliminate_dead_code(run(graph))
    verify(made, types=True)
    text = f"{format_graph(graph)}\n\n{format_graph(made)}\n"
    path = GOLDEN / f"{run.__module__.rpartition('.')[2]}_{program.__name__}.golden.txt"
    golden(path, text)


@pytest.mark.parametrize("run", PASSES, ids=lambda run: run.__name__)
@pytest.mark.parametrize("program", [row[0] for row in PROGRAMS], ids=lambda p: p.__name__)
def test_every_pass_keeps_graphs_valid(run: Any, program: Any) -> None:
    arguments = tensors(next(row[1] for row in PROGRAMS if row[0] is program))
    verify(run(function(program).get_concrete_function(*arguments).graph), types=True)


@programs.unhurried
@given(programs.programs(programs.STAGED))
def test_optimised_is_unoptimised(program: programs.Program) -> None:
    with programs.loaded(program.text) as code:
        staged = code.fresh()
        for args, value in program.calls:
            staged["G"] = value
            arguments = list(exact_tensors(args))
            try:
                traced = function(staged["program"]).get_concrete_function(*arguments)
            except Exception:  # a program that is refused, or fails while it is traced
                return
            raws = [leaf.raw for leaf in arguments if not isinstance(leaf, list)]
            if len(raws) != len(traced.graph.parameters):
                return
            plain, fast = Program(traced.graph), Program(optimize(traced.graph, verified=True))
            assert observed(fast, raws) == observed(plain, raws)


def observed(program: Program, raws: list[Any]) -> tuple[Any, str]:
    """The outcome of a run, and what it printed."""
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        outcome = staging.attempt(lambda: as_text(program.run(*raws)))
    return as_text(outcome), written.getvalue()


def as_text(results: Any) -> Any:
    """Results that are equal only if they are the same to the last bit and of the same dtype."""
    if isinstance(results, Exception):
        return type(results), str(results)
    if isinstance(results, np.ndarray | np.generic):
        return results.dtype.str, results.shape, results.tobytes()
    return [as_text(item) for item in results] if isinstance(results, tuple) else results


SPECIAL = [0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1e-45, 3.5]


@pytest.mark.parametrize("program", [neutral, zero_of_floats, folded])
def test_special_values_to_the_bit(program: Any) -> None:
    x = rt.constant(SPECIAL)
    graph = function(program).get_concrete_function(x).graph
    expected, got = Program(graph).run(x.raw), Program(optimize(graph)).run(x.raw)
    assert as_text(expected) == as_text(got)
