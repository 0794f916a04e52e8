"""Islands of machine code with arrays in them, in programs that have effects."""

# The programs are written as users write them.
# ruff: noqa: B007

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runtime as rt
from runtime.functions.function import function
from runtime.graph.executors.lowered import Statement
from runtime.graph.executors.native import islands
from runtime.graph.executors.native.islands import Islands
from runtime.graph.executors.native.support import Reason, Support
from runtime.graph.executors.program import Program
from tests.runtime.graph.executors.test_buffer_reuse import execute, inputs, programs, read, reset


class Cut(Support):
    """Support for some of the statements only."""

    def __init__(self, seed: int, share: float) -> None:
        super().__init__()
        self.random, self.share = Random(seed), share
        self.left: dict[str, bool] = {}

    def of(self, statement: Statement) -> Iterator[Reason]:
        """Reasons, also made up ones: the same ones whenever it is asked."""
        key = " ".join([statement.node.primitive.name, *[x.name for x in statement.targets]])
        if self.left.setdefault(key, self.random.random() < self.share):
            yield statement.node, "left to Python"
        yield from super().of(statement)


def python_of(unit: Any, fallback: Any) -> Any:
    """In the place of machine code: its fallback."""
    return fallback


@pytest.mark.parametrize("steps_aside", [False, True])
@settings(max_examples=25, deadline=None)
@given(
    program=programs,
    turned=st.sampled_from([(), (0,), (1, 2)]),
    seed=st.integers(0, 99),
    share=st.sampled_from([0.0, 0.1, 0.4]),
)
def test_nobody_sees_the_memory_of_an_island(
    steps_aside: bool, program: Any, turned: tuple[int, ...], seed: int, share: float
) -> None:
    """Wherever islands end, and also where Python does all that they do: results and variables are
    those of the eager run, and later calls change none of them.
    """
    staged = function(lambda a, b, c: execute(program, (a, b, c)), autograph=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(islands, "LEAST_KERNELS", 1)
        if steps_aside:
            patch.setattr(islands, "callable_of", python_of)
        concrete = staged.get_concrete_function(*inputs(1))
        made = Islands()
        made.support = Cut(seed, share)
        _, run = Program(concrete.optimized).variant(made.outline)
    cases = [(1, ()), (2, turned), (1, ()), (3, turned)]
    reset()
    results = []
    for case in cases:
        found = run(*[each.numpy() for each in inputs(*case)])
        results.append((found, read()))
    reset()
    for case, (found, variables) in zip(cases, results, strict=True):
        expected = [each.numpy() for each in execute(program, tuple(inputs(*case)))]
        now = [each.numpy() for each in (*variables, *read())]
        for got, wanted in zip((*found, *now[:2]), (*expected, *now[2:]), strict=True):
            np.testing.assert_allclose(got, wanted, 1e-7, 1e-9, strict=True)


SIZE = 40


def a_step(x, y):
    WEIGHTS.assign_sub(0.1 * rt.tanh(x @ WEIGHTS - y) * y)
    return rt.reduce_sum(WEIGHTS)


def steps(x, y):
    for i in rt.range(4):
        with rt.GradientTape() as tape:
            loss = rt.reduce_mean((rt.tanh(x @ WEIGHTS) - y) ** 2)
        WEIGHTS.assign_sub(0.1 * tape.gradient(loss, WEIGHTS))
    return WEIGHTS.value()


def prints(x, y):
    for i in rt.range(4):
        y = rt.tanh(x @ y + y)
        if i == 3:
            print(rt.reduce_sum(y * 0.0))
    return y


def a_list_between(x, y):
    rows = []
    for row in x:
        rows.append(rt.tanh(row) * 2.0)
    z = rt.exp(y) * rt.sqrt(rt.abs(x)) - y
    print(rt.reduce_sum(z * 0.0))
    return rt.stack(rows) + z, z


def note(*arrays):
    """Has an island end behind these; what it gives is known only then."""
    SCALE.assign_add(rt.add_n([rt.reduce_mean(array) * 0.01 for array in arrays]))
    return SCALE.value()


def read_late(x, y):
    """Machine code may read the first array when it has computed the product."""
    first = rt.tanh(x)
    scale = note(first)
    later = rt.exp(first * scale)
    product = (x[:, :3] * scale) @ y[:3]
    scale = note(later, product)
    return rt.reduce_sum(product * scale) + rt.reduce_sum(later * scale)


def read_as_a_view(x, y):
    """The fallback hands over a view of what it is given."""
    first = rt.tanh(x)
    scale = note(first)
    turned = rt.transpose(first)
    changed = rt.exp(y * scale) + turned
    scale = note(changed)
    other = rt.sin(x * scale) + 1.0
    scale = note(other)
    return rt.reduce_sum((turned + scale) * (other + scale)) + rt.reduce_sum(changed * scale)


SCALE = rt.Variable(1.0)
WEIGHTS = rt.Variable(rt.zeros([SIZE, SIZE]))
COUNT = rt.Variable(0)
EFFECTS = [a_step, steps, prints, a_list_between, read_late, read_as_a_view]


@pytest.mark.parametrize("steps_aside", [False, True])
@pytest.mark.parametrize("program", EFFECTS, ids=lambda program: program.__name__)
def test_arrays_between_effects(
    program: Any,
    steps_aside: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Programs with effects compute their arrays in islands, as Python does."""
    if steps_aside:
        monkeypatch.setattr(islands, "callable_of", python_of)
    random = np.random.default_rng(0)
    x, y = (rt.constant(random.normal(size=(SIZE, SIZE)).astype("f") * 0.1) for _ in range(2))
    concrete = function(program).get_concrete_function(x, y)
    made = Islands()
    _, run = concrete.program.variant(made.outline)
    assert made.units
    outcomes = []
    for each in (concrete.program.run, run):
        WEIGHTS.assign(np.full((SIZE, SIZE), 0.1, "f"))
        SCALE.assign(1.0)
        found = [each(x.numpy(), y.numpy()) for _ in range(3)]
        outcomes.append((found, WEIGHTS.numpy(), capsys.readouterr().out))
    (expected, weights, text), (got, changed, printed) = outcomes
    assert printed == text
    np.testing.assert_allclose(changed, weights, 1e-5, 1e-6, strict=True)
    for wanted, results in zip(expected, got, strict=True):
        for one, other in zip(results, wanted, strict=True):
            np.testing.assert_allclose(one, other, 1e-5, 1e-6, strict=True)


def test_what_an_island_hands_over_is_in_buffers() -> None:
    """So a call makes no other arrays than its results, and writes over nothing that is read in the
    same island.
    """

    def program(x):
        for i in rt.range(3):
            x = rt.tanh(x * 2.0) + rt.exp(-x)
            COUNT.assign_add(1)
        return x

    x = rt.constant(np.random.default_rng(0).normal(size=(SIZE, SIZE)).astype("f"))
    concrete = function(program).get_concrete_function(x)
    seen: list[Any] = []

    def noting(unit: Any, fallback: Any) -> Any:
        native = callable_of(unit, fallback)

        def call(*given: Any) -> Any:
            found = native(*given)
            seen.extend(each for each in found if getattr(each, "shape", ()))
            return found

        return call

    callable_of = islands.callable_of
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(islands, "callable_of", noting)
        _, run = concrete.program.variant(Islands().outline)
    results = [run(x.numpy())[0] for _ in range(2)]
    assert len(seen) == 6
    assert len({id(each) for each in seen}) == 2
    assert not any(np.shares_memory(one, other) for one in results for other in seen)
    assert not np.shares_memory(*results)
