"""What each pass makes of a program, as printed graphs; that all of them change no result."""

# The programs are written as users write them.
# ruff: noqa: SIM108, F841

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import runtime as rt
from runtime.functions.function import function
from runtime.graph.executors.program import Program
from runtime.graph.format.printing import format_graph
from runtime.graph.ir import Graph
from runtime.graph.passes import PASSES, optimize
from runtime.graph.passes.branch_simplification import simplify_branches
from runtime.graph.passes.broadcasting import defer_broadcasts
from runtime.graph.passes.common_subexpressions import eliminate_common_subexpressions
from runtime.graph.passes.constant_folding import fold_constants
from runtime.graph.passes.dead_code import eliminate_dead_code
from runtime.graph.passes.inlining import inline_calls
from runtime.graph.passes.loop_invariants import hoist_loop_invariants
from runtime.graph.passes.loop_simplification import simplify_loops
from runtime.graph.passes.simplification import simplify
from runtime.graph.verification import verify
from tests.runtime.graph.passes.running import as_text, observed
from tests.runtime.staging.staged_programs import PROGRAMS
from tests.runtime.staging.test_staging import tensors
from tests.support import programs
from tests.support.programs_dialects import STAGED
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
    y = rt.negative(rt.negative(x * 1.0)) ** 1.0 / 1.0 - 0.0
    return y


def zero_of_floats(x):
    return x + 0.0, x - (-0.0)


def zero_of_integers(x):
    n = rt.cast(x, rt.int32)
    return n + 0, rt.cast(n, rt.int32) * 1


def rows_of(v, x):
    rows = rt.broadcast_to(v, [2, 3])
    return rt.maximum(rows, x) / rows, rt.negative(rows)


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


def read_list(x, w):
    items, at = [x, w, w * w], 0
    while x < 10.0:
        x = x + items[at]
        if x > w:
            x = x + items[at - 1]
        at = (at + 1) % 3
    return x


def changed_list_stays(x, w):
    at = 0
    while x < 10.0:
        items = [w, w * w]
        items[at] = x
        x = x + items[0]
        at = 1 - at
    return x


def fallible_stays(n, d):
    t = 0
    while n > t:
        t = t + n // d
    return t


def both_branches(x, y):
    if x > 0.0:
        a = x * y + 1.0
    else:
        a = x * y - 1.0
    return a


def equal_branches(x):
    if x > 0.0:
        a = x * 2.0
    else:
        a = x * 2.0
    return a


def effects_stay(x):
    if x > 0.0:
        print("printed")
        y = x
    else:
        print("printed")
        y = x
    return y


def invariant_branch(x, w):
    while x < 10.0:
        if w > 0.0:
            step = w * w
        else:
            step = 1.0
        x = x + step
    return x


def same_test_again(x):
    positive = x > 0.0
    if positive:
        y = x + 1.0
    else:
        y = x
    if not positive:
        y = y * 2.0
    return y


def nested_test(x):
    positive = x > 0.0
    if positive:
        if positive:
            x = x + 1.0
        else:
            x = x - 1.0
    return x


def defined_there(x):
    if x > 0.0:
        y = x
    if x > 0.0:
        x = x + y
    return x


def stops(x):
    while x > 0.0:
        if x < 5.0:
            break
        x = x - 1.0
    return x


def refuses(x):
    if x < 0.0:
        raise ValueError("negative")
    else:
        y = rt.sqrt(x)
    return y


def one_round(x):
    for i in rt.range(1):
        x = x + rt.cast(i, rt.float32)
    return x


def unchanging(x, w):
    limit = w
    while x < limit:
        x, limit = x + w, limit
    return x


def counted_twice(n):
    i, j = 0, 0
    while i < n:
        i, j = i + 1, i + 1
    return i + j


def unused_everywhere(x):
    waste, i = 0.0, 0
    unused = x * 2.0
    if x > 0.0:
        x, unused = x + 1.0, x * 3.0
    while i < 3:
        waste, i = waste + 1.5, i + 1
    return x


def chain(v, w):
    y = rt.tanh(v * w + 1.0)
    total = rt.reduce_sum(y)
    return y / total, total


def two_shapes(v, x):
    return -(v * 2.0), rt.exp(x) + 1.0


@rt.function
def helper(x, y):
    return x * y + 1.0


def calls(x, y):
    return helper(x, y) + helper(y, x)


INT = rt.TensorSpec([], rt.int32)
VECTOR = rt.TensorSpec([3], rt.float32)
SPECS = {
    fallible_stays: [INT, INT],
    counted_twice: [INT],
    chain: [VECTOR, VECTOR],
    rows_of: [VECTOR, rt.TensorSpec([2, 3], rt.float32)],
    two_shapes: [VECTOR, rt.TensorSpec([], rt.float32)],
}

CASES = [
    (inline_calls, calls),
    (defer_broadcasts, rows_of),
    (fold_constants, folded),
    (fold_constants, fails_when_reached),
    (simplify, neutral),
    (simplify, zero_of_floats),
    (simplify, zero_of_integers),
    (simplify_branches, known_branch),
    (simplify_branches, same_in_both),
    (simplify_branches, same_test_again),
    (simplify_branches, nested_test),
    (simplify_branches, defined_there),
    (simplify_branches, stops),
    (simplify_branches, refuses),
    (simplify_loops, never_runs),
    (simplify_loops, one_round),
    (simplify_loops, unchanging),
    (simplify_loops, counted_twice),
    (hoist_loop_invariants, invariant),
    (hoist_loop_invariants, invariant_branch),
    (hoist_loop_invariants, fallible_stays),
    (hoist_loop_invariants, read_list),
    (hoist_loop_invariants, changed_list_stays),
    (eliminate_common_subexpressions, twice),
    (eliminate_common_subexpressions, two_draws),
    (eliminate_common_subexpressions, both_branches),
    (eliminate_common_subexpressions, effects_stay),
    (eliminate_common_subexpressions, equal_branches),
    (eliminate_dead_code, unused_everywhere),
]


@pytest.mark.parametrize(("run", "program"), CASES, ids=lambda item: item.__name__)
def test_before_and_after(run: Any, program: Any, golden: Callable[[Path, str], None]) -> None:
    count = len(inspect.signature(program).parameters)
    specs = SPECS.get(program, [rt.TensorSpec([], rt.float32)] * count)
    graph = function(program).get_concrete_function(*specs).graph
    if run in (simplify_branches, simplify_loops):
        graph = eliminate_common_subexpressions(fold_constants(graph))
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


@pytest.mark.parametrize("shape", [None, [None, None], [2, 3]])
@pytest.mark.parametrize("to", [[2, 3], [1, 2, 3], [4, 2, 3]])
def test_broadcasts_are_left_to_ops_that_give_as_many_elements(shape: Any, to: Any) -> None:
    def program(x):
        rows = rt.broadcast_to(x, to)
        return rt.maximum(x, rows), rt.where(rows > x, rows, x)

    graph = function(program).get_concrete_function(rt.TensorSpec(shape, rt.float32)).graph
    x = rt.constant(np.ones((2, 3), np.float32))
    assert [raw.shape for raw in Program(defer_broadcasts(graph)).run(x.raw)] == [tuple(to)] * 2


@programs.unhurried
@given(programs.programs(STAGED))
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


SPECIAL = [0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1e-45, 3.5]


@pytest.mark.parametrize("program", [neutral, zero_of_floats, folded])
def test_special_values_to_the_bit(program: Any) -> None:
    x = rt.constant(SPECIAL)
    graph = function(program).get_concrete_function(x).graph
    expected, got = Program(graph).run(x.raw), Program(optimize(graph)).run(x.raw)
    assert as_text(expected) == as_text(got)


EVEN: list[tuple[Callable[[Any], Any], Any, bool]] = [
    (lambda x: x * 1.0, rt.float32, True),
    (lambda x: 1.0 * x, rt.float32, True),
    (lambda x: x / 1.0, rt.float32, True),
    (lambda x: x - 0.0, rt.float32, True),
    (lambda x: x + -0.0, rt.float32, True),
    (lambda x: x + 0.0, rt.float32, False),
    (lambda x: x - -0.0, rt.float32, False),
    (lambda x: x * 0.0, rt.float32, False),
    (lambda x: x // 1.0, rt.float32, False),
    (lambda x: x**1.0, rt.float32, True),
    (lambda x: rt.maximum(x, x), rt.float32, True),
    (lambda x: rt.negative(-x), rt.float32, True),
    (lambda x: rt.transpose(rt.transpose(x)), rt.float32, True),
    (lambda x: rt.reshape(x, [7]), rt.float32, True),
    (lambda x: rt.where(x > 0.0, x, x), rt.float32, True),
    (lambda x: rt.where(rt.constant(True), x, -x), rt.float32, True),
    (lambda x: x - x, rt.float32, False),
    (lambda x: x / x, rt.float32, False),
    (lambda x: x + 0, rt.int32, True),
    (lambda x: x * 1, rt.int32, True),
    (lambda x: x // 1, rt.int32, True),
    (lambda x: x**1, rt.int32, True),
    (lambda x: x & 1, rt.int32, False),
    (lambda x: x // 0, rt.int32, False),
    (lambda x: rt.cast(x, rt.int32), rt.int32, True),
    (lambda x: rt.cast(rt.cast(x, rt.int8), rt.int32), rt.int32, False),
    (lambda x: rt.abs(rt.abs(x)), rt.int32, False),
    (lambda x: rt.logical_not(rt.logical_not(x)), rt.bool, True),
    (lambda x: rt.logical_and(x, rt.constant(True)), rt.bool, True),
    (lambda x: rt.logical_or(rt.constant(False), x), rt.bool, True),
    (lambda x: rt.logical_or(x, x), rt.bool, True),
    (lambda x: rt.logical_and(x, rt.constant(False)), rt.bool, False),
]
RANDOM = np.random.default_rng(0).standard_normal(4).astype(np.float32)


@pytest.mark.parametrize(("op", "dtype", "goes"), EVEN)
def test_only_ops_that_change_nothing_go(op: Any, dtype: Any, goes: bool) -> None:
    values = {
        rt.int32: [0, 1, -1, 2**31 - 1, -(2**31), 7, 300],
        rt.bool: [True, False] * 3 + [True],
    }
    for numbers in (values.get(dtype, SPECIAL), values.get(dtype, [*RANDOM, 1e-38, -1e38, 0.1])):
        x = rt.constant(numbers, dtype)
        graph = function(op).get_concrete_function(x).graph
        made = optimize(graph, verified=True)
        assert outcome(made, x) == outcome(graph, x)
        assert (made.results == made.parameters) is goes


def outcome(graph: Graph, x: Any) -> Any:
    return observed(Program(graph), [x.raw])
