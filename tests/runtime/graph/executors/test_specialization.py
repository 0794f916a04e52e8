"""Programs for single shapes: when there are some, how many, and that nobody can tell."""

from __future__ import annotations

import contextlib
import gc
import io
import threading
import traceback
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.graph.executors import specialization
from runtime.graph.executors.specialization import MOST_PROGRAMS, Programs
from runtime.graph.executors.work import CALL

OPEN = [rt.TensorSpec([None, 4])]


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The graphs of the programs for single shapes; there is one from the second call on."""
    made: list[Any] = []
    plain = specialization.refine_shapes

    def noted(*given: Any) -> Any:
        made.append(plain(*given))
        return made[-1]

    monkeypatch.setattr(specialization, "refine_shapes", noted)
    monkeypatch.setattr(specialization, "PATIENCE", 1e-12)
    return made


@pytest.fixture
def seeded() -> Iterator[None]:
    rt.random.set_seed(3)
    yield
    rt.random.set_seed(None)


def ones(rows: int) -> Any:
    return rt.ones([rows, 4])


def scaled(x: Any) -> Any:
    return x / rt.cast(rt.shape(x)[0], rt.float32) + rt.reduce_sum(x)


def fails(x: Any) -> Any:
    if rt.reduce_sum(x) > 4.0:
        x = x + rt.ones([3, 4])  # for three rows
    y = rt.gather(x, rt.shape(x)[0] - 2)
    return 1 // rt.cast(y[0] - 2.0, rt.int32)


def test_from_the_second_call_on(compiled: list[Any]) -> None:
    staged = rt.function(scaled, input_signature=OPEN)
    for calls, expected in ((ones(3), 0), (ones(3), 1), (ones(3), 1), (ones(2), 1), (ones(2), 2)):
        assert staged(calls).numpy().tolist() == scaled(calls).numpy().tolist()
        assert len(compiled) == expected
    assert str(compiled[0].signature) == "scaled(x: float32[3,4]) -> (float32[3,4])"
    assert staged.experimental_get_tracing_count() == 1
    concrete = staged.get_concrete_function()
    assert concrete.graph.signature == "scaled(x: float32[?,4]) -> (float32[?,4])"


def test_concrete_functions_and_keywords(compiled: list[Any]) -> None:
    staged = rt.function(scaled, input_signature=OPEN)
    concrete = staged.get_concrete_function()
    for _ in range(4):
        assert concrete(ones(3)).shape == concrete(x=ones(3)).shape == staged(x=ones(3)).shape
    assert len(compiled) == 1


def test_not_before_calls_were_as_much_work(monkeypatch: Any) -> None:
    graph = rt.function(scaled).get_concrete_function(*OPEN).optimized
    programs = Programs(graph, "numpy")
    call = CALL + programs.elements(((3, 4),))
    monkeypatch.setattr(specialization, "PATIENCE", call * (1 - 1e-9))
    x = ones(3).raw
    run = programs.runner([x])
    for _ in graph.nodes:
        assert run.__self__.program is None  # type: ignore[attr-defined]
        run(x)
    run(x)
    assert run.__self__.program is not None  # type: ignore[attr-defined]


def test_known_shapes_have_one_program() -> None:
    programs = Programs(rt.function(scaled).get_concrete_function(ones(3)).optimized)
    assert programs.runner([ones(3).raw]) == programs.tiers.run


def test_new_shapes_in_each_call_compile_nothing(compiled: list[Any]) -> None:
    staged = rt.function(scaled, input_signature=OPEN)
    for rows in range(1, 600):
        staged(ones(rows))
    assert not compiled
    programs = staged.get_concrete_function().programs
    assert len(programs._shapes) <= specialization.MOST_SHAPES


def test_most_programs(compiled: list[Any]) -> None:
    staged = rt.function(scaled, input_signature=OPEN)
    programs = staged.get_concrete_function().programs
    for rows in range(1, 2 * MOST_PROGRAMS):
        for _ in range(3):
            assert staged(ones(rows)).shape == (rows, 4)
            staged(ones(1))
    assert len(programs._made) == MOST_PROGRAMS
    # What is used goes on, what is not gives way.
    assert {run.shapes[0][0] for run in programs._made} >= {1, 2 * MOST_PROGRAMS - 1}
    assert sum(run.program is not None for run in programs._shapes.values()) == MOST_PROGRAMS
    assert len(compiled) == 2 * MOST_PROGRAMS - 1


@pytest.mark.parametrize(("rows", "line"), [(1, 3), (2, 2), (3, 4)])
def test_errors(compiled: list[Any], rows: int, line: int) -> None:
    """The same in each call: those of shapes, which contradict the graph, and those of values."""
    staged = rt.function(fails, input_signature=OPEN)
    concrete = staged.get_concrete_function()
    seen = [error_of(call, ones(rows)) for call in (staged, concrete) for _ in range(3)]
    kind, _, places = seen[0]
    assert seen == [seen[0]] * len(seen)
    assert issubclass(kind, rt.errors.InvalidArgumentError)
    assert places == [("fails", fails.__code__.co_firstlineno + line)]
    assert len(compiled) == (rows != 2)


def error_of(call: Callable[[Any], Any], x: Any) -> Any:
    with pytest.raises(rt.errors.InvalidArgumentError) as caught:
        call(x)
    entries = traceback.extract_tb(caught.value.__traceback__)
    mine = [(entry.name, entry.lineno) for entry in entries if entry.filename == __file__]
    return type(caught.value), str(caught.value), mine[1:]


def test_errors_of_the_users_own(compiled: list[Any]) -> None:
    @rt.function(input_signature=OPEN)
    def checks(x: Any) -> Any:
        total = rt.reduce_sum(x)
        if total > 8.0:
            raise KeyError(total)
        assert total > 4.0, "few"
        return x

    first = checks.python_function.__code__.co_firstlineno
    for rows, kind, line in ((1, AssertionError, 5), (3, KeyError, 4)):
        for _ in range(4):
            with pytest.raises(kind) as caught:
                checks(ones(rows))
            entries = traceback.extract_tb(caught.value.__traceback__)
            assert [entry.lineno for entry in entries][1:] == [first + line]
            assert caught.value.__context__ is None
    assert len(compiled) == 2


def test_reduce_retracing_and_unknown_ranks(compiled: list[Any]) -> None:
    relaxed = rt.function(scaled, reduce_retracing=True)
    anything = rt.function(scaled, input_signature=[rt.TensorSpec(None)])
    for staged in (relaxed, anything):
        for rows in (1, 2, 3, 3, 3):
            assert staged(ones(rows)).numpy().tolist() == scaled(ones(rows)).numpy().tolist()
    signatures = {str(graph.signature) for graph in compiled}
    assert signatures == {"scaled(x: float32[3,4]) -> (float32[3,4])"}


def test_an_error_of_a_branch_that_is_not_taken(compiled: list[Any]) -> None:
    @rt.function(input_signature=[*OPEN, rt.TensorSpec([])])
    def picks(x: Any, test: Any) -> Any:
        if test > 0.0:
            return x + rt.ones([3, 4])
        return x

    for _ in range(3):
        assert picks(ones(2), -1.0).shape == (2, 4)
    with pytest.raises(rt.errors.InvalidArgumentError, match="broadcast"):
        picks(ones(2), 1.0)
    assert not compiled


def test_effects_in_program_order(compiled: list[Any]) -> None:
    total = rt.Variable(0.0)

    @rt.function(input_signature=OPEN)
    def adds(x: Any) -> Any:
        before = total.value()
        print("before", before)
        for row in x:
            total.assign_add(rt.reduce_sum(row))
            print("now", total)
        return before + total

    seen = []
    for _ in range(3):
        total.assign(0.0)
        written = io.StringIO()
        with contextlib.redirect_stdout(written):
            seen.append((adds(ones(2)).numpy(), written.getvalue()))
    assert len(compiled) == 1
    assert seen == [seen[0]] * 3
    assert seen[0][1].count("now") == 2


def test_random_numbers_go_on(compiled: list[Any], seeded: None, monkeypatch: Any) -> None:
    def noisy(x: Any) -> Any:
        return x + rt.random.normal(rt.shape(x))

    def drawn() -> list[Any]:
        rt.random.set_seed(3)
        staged = rt.function(noisy, input_signature=OPEN)
        return [staged(ones(2)).numpy().tolist() for _ in range(4)]

    found = drawn()
    assert len(compiled) == 1
    monkeypatch.setattr(specialization, "PATIENCE", 1e9)
    assert drawn() == found
    assert len(compiled) == 1


def test_gradients(compiled: list[Any]) -> None:
    weights = rt.Variable(rt.reshape(rt.range(12.0), [4, 3]))

    @rt.function(input_signature=OPEN)
    def predict(x: Any) -> Any:
        return rt.reduce_mean(rt.nn.softmax(x @ weights) ** 2)

    found = []
    for _ in range(4):
        with rt.GradientTape() as tape:
            loss = predict(ones(5) * 0.1)
        found.append(tape.gradient(loss, weights).numpy().tolist())
    assert found == [found[0]] * 4
    # The way there and the way back.
    assert len(compiled) == 2


def test_steady_state_allocates_only_the_result(compiled: list[Any]) -> None:
    @rt.function(input_signature=[rt.TensorSpec([None])])
    def gelu(x: Any) -> Any:
        return 0.5 * x * (1.0 + rt.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))

    x = rt.ones([100_000])
    for _ in range(4):
        gelu(x)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        result = gelu(x)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert len(compiled) == 1
    assert peak < 1.05 * result.numpy().nbytes


def test_threads(compiled: list[Any]) -> None:
    staged = rt.function(scaled, input_signature=OPEN)
    wrong: list[Any] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for rows in rng.integers(1, 14, 200):
            got = staged(ones(rows)).numpy()
            if got.tolist() != scaled(ones(rows)).numpy().tolist():
                wrong.append(rows)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert compiled


def test_a_call_inside_of_a_call(compiled: list[Any]) -> None:
    """With the same shapes, from Python that the graph runs."""
    left = [1, 2, 3, 4, 5]

    class Stream(io.StringIO):
        def write(self, text: str) -> int:
            if left and text.strip():
                outer(rt.constant([float(left.pop()), 7.0]))
            return len(text)

    @rt.function(input_signature=[rt.TensorSpec([None])])
    def outer(x: Any) -> Any:
        y = x * 2.0 + 1.0
        print("between")
        return y * y

    for _ in range(3):
        with contextlib.redirect_stdout(Stream()):
            assert outer(rt.constant([1.0, 2.0])).numpy().tolist() == [9.0, 25.0]
        assert not left
        left += [6, 7]
    assert len(compiled) == 1


def test_no_leaks(compiled: list[Any]) -> None:
    staged = rt.function(lambda x: scaled(x), input_signature=OPEN)
    concrete = staged.get_concrete_function()
    for _ in range(3):
        staged(ones(2))
        concrete(ones(2))
    graph = weakref.ref(compiled.pop())
    gone = weakref.ref(concrete.programs.generic.run)
    del staged, concrete
    gc.collect()
    assert graph() is None
    assert gone() is None


def test_what_is_dropped_is_let_go_of(compiled: list[Any]) -> None:
    staged = rt.function(scaled, input_signature=OPEN)
    for _ in range(3):
        staged(ones(1))
    programs = staged.get_concrete_function().programs
    first = weakref.ref(programs._made[0].program.run)
    for rows in range(2, MOST_PROGRAMS + 2):
        for _ in range(3):
            staged(ones(rows))
    gc.collect()
    assert first() is None
