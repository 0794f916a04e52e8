"""Graphs of unknown shapes, refined for known ones: what they look like, and that they compute,
print and raise the same.
"""

# The programs are written as users write them.
# ruff: noqa: B007, SIM108

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import runtime as rt
from runtime.core.primitive import bind
from runtime.core.types import NumberType, TensorType, Type
from runtime.dtypes import as_dtype
from runtime.functions.function import function
from runtime.graph.executors.program import Program
from runtime.graph.format.printing import format_graph
from runtime.graph.ir import Graph, walk
from runtime.graph.passes import optimize
from runtime.graph.passes.dead_code import eliminate_dead_code
from runtime.graph.passes.shape_inference import Inference
from runtime.graph.passes.shape_refinement import Contradiction, refine_calls, refine_shapes
from runtime.graph.verification import verify
from tests.runtime.graph.passes.random_graphs import SPECS, traced, write
from tests.runtime.graph.passes.running import observed
from tests.runtime.ops.samples import arrays, cases
from tests.runtime.staging.staged_programs import PROGRAMS
from tests.support.programs import unhurried
from tests.support.programs_choices import Drawn

GOLDEN = Path(__file__).parents[4] / "fixtures" / "graphs" / "passes"


def refined(graph: Graph, raws: Sequence[Any]) -> Graph:
    """The graph for arguments of these shapes, which is a valid one after each pass."""
    types = [type_of(raw, value.type) for raw, value in zip(raws, graph.parameters, strict=True)]
    made = refine_shapes(graph, types)
    verify(made, types=True)
    return made


def type_of(raw: Any, declared: Type) -> Type:
    if isinstance(declared, NumberType):
        return declared
    return TensorType(as_dtype(raw.dtype), raw.shape)


def graph_of(program: Any, *shapes: Sequence[int | None] | None) -> Graph:
    specs = [rt.TensorSpec(shape) for shape in shapes]
    return function(program).get_concrete_function(*specs).graph


def floats(*shape: int) -> Any:
    return np.linspace(-1.0, 2.0, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def halves(x):
    rows = rt.shape(x)[0]
    y = rt.reshape(x * x, [rows, 2, -1])
    return y + rt.ones([rows, 1, 2]), y[: rows // 2]


def few_rows(x):
    if rt.shape(x)[0] > 4:
        y = rt.reduce_sum(x, 0)
    else:
        y = x[0] + rt.ones([4])
    return y


def grows(x):
    y = x
    for i in rt.range(3):
        y = rt.concat([y, x], 0)
        x = x * 2.0
    return y


def rows_of(x):
    total = rt.zeros_like(x[0])
    for row in x:
        total = total + row
    return total


def slope(x):
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = rt.reduce_mean(x * rt.reduce_max(x, 1, keepdims=True))
    return tape.gradient(y, x)


@rt.function
def power(x, n):
    if n == 0:
        return rt.ones_like(x)
    return x * power(x, n - 1)


@rt.function(input_signature=[rt.TensorSpec([None, None])])
def scaled(x):
    return x / rt.cast(rt.size(x), rt.float32)


@rt.function
def shrunk(x, n):
    if n > 0:
        return shrunk(x[: n + 1] * 2.0, n - 1)
    return x


def calls(x):
    return scaled(x) + rt.transpose(scaled(rt.transpose(x))), power(x, 1)


def recursion(x):
    return rt.reduce_sum(shrunk(x, rt.constant(3)), 0) + shrunk(x, rt.size(x))[0]


def kept(x):
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = x
        for i in rt.range(2):
            if rt.reduce_sum(y) > 1.0:
                last = rt.tanh(y)
            else:
                last = y * x
            y = last + y
        z = rt.reduce_sum(last * y)
    return tape.gradient(z, x)


WORDS = (halves, few_rows, grows, rows_of, slope, calls, recursion, kept)


@pytest.mark.parametrize("program", WORDS, ids=lambda item: item.__name__)
def test_before_and_after(program: Any, golden: Callable[[Path, str], None]) -> None:
    graph = graph_of(program, [None, 4])
    made = eliminate_dead_code(refined(graph, [floats(6, 4)]))
    golden(
        GOLDEN / f"shape_refinement_{program.__name__}.golden.txt",
        f"{format_graph(graph)}\n\n{format_graph(made)}\n",
    )


@pytest.mark.parametrize("rows", [0, 1, 2, 4, 6])
@pytest.mark.parametrize("program", WORDS, ids=lambda item: item.__name__)
def test_results(program: Any, rows: int) -> None:
    assert_same(graph_of(program, [None, 4]), [floats(rows, 4)])
    assert_same(graph_of(program, [None, None]), [floats(rows, 4)])


def assert_same(graph: Graph, raws: Sequence[Any]) -> bool:
    """Does a graph compute the same as the one that is refined, before and after the passes?
    Whether there is one.
    """
    optimized = optimize(graph)
    plain, expected = observed(Program(graph), raws), observed(Program(optimized), raws)
    try:
        made, again = refined(graph, raws), refined(optimized, raws)
    except Contradiction:
        return False
    assert observed(Program(made), raws) == plain
    # Passes drop ops on unknown shapes that nobody reads, and their errors.
    assert [observed(Program(optimize(one)), raws) for one in (made, again)] == [expected] * 2
    return True


def test_calls_of_graphs_for_wider_types_are_inlined() -> None:
    graph = graph_of(lambda x: scaled(x) - scaled(rt.transpose(x)), [3, 3])
    made = optimize(graph, verified=True)
    assert not any("callee" in node.params for node in walk(made.body))
    assert [str(value.type) for value in made.results] == ["float32[3,3]"]
    assert observed(Program(made), [floats(3, 3)]) == observed(Program(graph), [floats(3, 3)])


def test_calls_with_shapes_that_contradict_stay() -> None:
    @function(input_signature=[rt.TensorSpec([None])])
    def picky(x):
        return refuses(x)

    graph = graph_of(lambda x, y: picky(x) if rt.reduce_sum(y) > 0.0 else y, [2], [3])
    assert refine_calls(graph) is graph
    for sign in (-1.0, 1.0):
        raws = [floats(2), sign * np.ones(3, np.float32)]
        assert observed(Program(optimize(graph)), raws) == observed(Program(graph), raws)


# What contradicts


def refuses(x):
    return x + rt.ones([3])


def refuses_in_a_branch(x, y):
    if rt.reduce_sum(x) > 0.0:
        x = x + y
    return x


def refuses_where_it_is_not_taken(x):
    if rt.shape(x)[0] == 3:
        x = x + rt.ones([3])
    return x


def refuses_in_a_loop(x):
    while rt.reduce_sum(x) < 100.0:
        x = rt.concat([x, x], 0) + rt.ones([4])
    return x


@pytest.mark.parametrize(
    ("program", "shapes"),
    [(refuses, [(2,)]), (refuses_in_a_branch, [(2,), (3,)]), (refuses_in_a_loop, [(3,)])],
)
def test_shapes_that_an_op_refuses(program: Any, shapes: Any) -> None:
    graph = graph_of(program, *[[None]] * len(shapes))
    with pytest.raises(Contradiction):
        refined(graph, [floats(*shape) for shape in shapes])


def test_a_branch_that_is_not_taken_contradicts_nothing() -> None:
    graph = graph_of(refuses_where_it_is_not_taken, [None])
    assert all(assert_same(graph, [floats(size)]) for size in (2, 3, 5))
    assert not any(node.regions for node in refined(graph, [floats(2)]).nodes)


def test_shapes_that_the_parameters_do_not_cover() -> None:
    graph = graph_of(slope, [None, 4])
    with pytest.raises(Contradiction):
        refined(graph, [floats(2, 3)])


# All ops, and random programs

ROWS = [row for row in cases(("float64", "int32")) if row[1].name != "constant"]


@pytest.mark.parametrize("known", ["ranks", "nothing"])
@pytest.mark.parametrize(("name", "row", "sample", "dtype"), ROWS, ids=[case[0] for case in ROWS])
def test_rows(name: str, row: Any, sample: Any, dtype: Any, known: str) -> None:
    raws = [np.asarray(array) for array in arrays(row, sample, dtype)]
    shapes = [None if known == "nothing" else (None,) * raw.ndim for raw in raws]
    specs = [rt.TensorSpec(shape, raw.dtype) for shape, raw in zip(shapes, raws, strict=True)]
    graph = (
        function(lambda *xs: bind(row, *xs, **sample[1]), autograph=False)
        .get_concrete_function(*specs)
        .graph
    )
    made = refined(graph, raws)
    if not row.effect:
        assert observed(Program(made), raws) == observed(Program(graph), raws)
    found = row.infer(*[value.type for value in made.parameters], **sample[1])
    assert [value.type for value in made.results] == list(
        found if isinstance(found, tuple) else (found,)
    )


@st.composite
def texts(draw: Any) -> str:
    return write(Drawn(draw), 12)


OPEN = (rt.TensorSpec([None], rt.float32, name="v"), *SPECS[1:])
REST = np.float32(0.5), np.int32(1), np.bool_(True)


@unhurried
@given(texts())
def test_random_programs(text: str) -> None:
    with traced(text, OPEN) as graph:
        for size in (0, 1, 3, 4):
            assert_same(graph, (floats(size), *REST))


def opened(args: Sequence[Any]) -> tuple[rt.TensorSpec, ...]:
    """Specs of arguments, whose dimensions are unknown."""
    raws = [rt.constant(np.asarray(item)).raw for item in args]
    return tuple([rt.TensorSpec([None] * raw.ndim, raw.dtype) for raw in raws])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda row: row[0].__name__)
def test_programs(program: Any) -> None:
    made, *arguments = program
    for args in arguments:
        try:
            graph = function(made).get_concrete_function(*opened(args)).graph
        except Exception:  # a program that is refused while it is traced
            continue
        raws = [rt.constant(np.asarray(item)).raw for item in args]
        if len(raws) == len(graph.parameters):
            assert_same(graph, raws)


# The time that it takes


def nested(x: Any, depth: int) -> Any:
    if not depth:
        return x * 2.0
    return rt.while_loop(
        lambda y, n: n < 2, lambda y, n: (nested(y, depth - 1), n + 1), (x, rt.constant(0))
    )[0]


def test_loops_in_loops_take_no_exponential_time(monkeypatch: Any) -> None:
    counts = []
    plain = Inference._op

    def counted(self: Any, node: Any) -> None:
        counts[-1] += 1
        plain(self, node)

    monkeypatch.setattr(Inference, "_op", counted)
    for depth in (4, 8):
        staged = function(lambda x, depth=depth: nested(x, depth), autograph=False)
        graph = staged.get_concrete_function(rt.TensorSpec([None])).graph
        counts.append(0)
        refined(graph, [floats(3)])
    assert counts[1] < 5 * counts[0]
