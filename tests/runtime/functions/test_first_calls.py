"""The first call of a short graph is interpreted, and does what the program of later ones does."""

from __future__ import annotations

import runpy
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.core.primitive import TABLE
from runtime.graph.executors import reference
from runtime.graph.executors.program import Program
from tests.support.staging import attempt

pytestmark = pytest.mark.usefixtures("interpreted")

X = rt.constant([3.0, 5.0])


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of graphs of which a program is written."""
    written: list[str] = []

    def compiled(self: Program, *given: Any, **options: Any) -> Any:
        written.append(self._graph.name)
        return original(self, *given, **options)

    original = Program._compiled
    monkeypatch.setattr(Program, "_compiled", compiled)
    return written


def branch(x):
    if rt.reduce_sum(x) > 4.0:
        y = x * 2.0
        z = y + 1.0
    else:
        y = x - 1.0
        z = y
    return {"y": y, "x": x, "again": y, "z": z}


def few_rounds(n):
    total = 0
    for i in rt.range(n):
        if i % 2 == 1:
            total += i
    return total


def raises_in_a_round(n):
    i = 0
    while i < n:
        i += 1
        assert i < 3, "too many"
    return i


def several(x):
    return x, x, x + 1.0, 2, None


def of_lists(n):
    found = []
    for i in rt.range(n):
        found.append(i * i)
    return found


def of_texts(flag):
    return "yes" if flag else "no"


SHORT: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (branch, (X,)),
    (few_rounds, (rt.constant(4),)),
    (few_rounds, (rt.constant(0),)),
    (raises_in_a_round, (rt.constant(2),)),
    (raises_in_a_round, (rt.constant(9),)),
    (several, (X,)),
    (of_lists, (rt.constant(3),)),
    (of_texts, (rt.constant(True),)),
]


@pytest.mark.parametrize(("function", "args"), SHORT)
def test_the_next_call_gives_the_same(
    function: Any, args: tuple[Any, ...], programs: list[str]
) -> None:
    staged = rt.function(function)
    outcomes = []
    for written in (0, 1, 1):
        outcomes.append(repr(attempt(lambda: staged(*args))))
        assert len(programs) == written
    assert len(set(outcomes)) == 1


def test_an_error_has_the_place_that_it_has_later() -> None:
    staged, n = rt.function(raises_in_a_round), rt.constant(9)
    found = []
    for _ in range(2):
        with pytest.raises(AssertionError) as error:
            staged(n)
        lines = traceback.format_exception(error.value)
        found.append([line for line in lines if __file__ in line][1:])
    assert found[0] == found[1]
    assert "assert i < 3" in found[0][-1]


def raises_anew(x):
    try:
        if x > 1.0:
            raise ValueError("a")
    except ValueError as error:
        raise KeyError("b") from error
    return x


def raises_of_nothing(x):
    if x > 1.0:
        raise KeyError("b") from None
    return x


def has_a_hint(x):
    return rt.cast(x, rt.int32) ** -1


FAILING = raises_in_a_round, raises_anew, raises_of_nothing, has_a_hint


@pytest.mark.parametrize("function", FAILING)
def test_an_error_says_and_hides_what_it_does_later(function: Any) -> None:
    """Also what was handled where the function was called."""
    staged, found = rt.function(function), []
    for _ in range(2):
        try:
            raise LookupError("handled")
        except LookupError:
            with pytest.raises((AssertionError, KeyError, rt.errors.OpError)) as failed:
                staged(rt.constant(9.0))
        error = failed.value
        causes = repr(error.__cause__), error.__suppress_context__
        found.append((error.args, getattr(error, "hint", None), *causes, _contexts(error)))
    assert found[0] == found[1]


def _contexts(error: BaseException) -> str:
    """The handled error, if a traceback shows it."""
    return next((line for line in traceback.format_exception(error) if "handled" in line), "")


def test_what_stops_a_call_has_the_place_that_it_has_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped(*given: Any, **params: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(TABLE["cumsum"], "kernel", stopped)
    staged = rt.function(lambda x: rt.cumsum(x) + 1)
    found = []
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt) as error:
            staged(rt.constant([1, 0]))
        found.append(traceback.extract_tb(error.value.__traceback__)[1:])
    assert found[0] == found[1]
    assert any("rt.cumsum" in (frame.line or "") for frame in found[0])


def test_results_are_the_objects_that_they_are_later() -> None:
    """Also those that are one value of the graph, or what the call was given."""
    staged, found = rt.function(several), []
    for _ in range(2):
        one, other, *_ = staged(X)
        found.append((one is X, other is X, one is other))
    assert found[0] == found[1]


def test_a_long_call_begins_again_as_a_program(programs: list[str]) -> None:
    staged = rt.function(few_rounds)
    assert int(staged(rt.constant(1000))) == few_rounds_of_numbers(1000)
    assert programs == ["few_rounds"]
    assert int(staged(rt.constant(4))) == 4
    assert programs == ["few_rounds"]


def few_rounds_of_numbers(n: int) -> int:
    return sum(i for i in range(n) if i % 2 == 1)


def test_a_file_that_is_loaded_twice_is_traced_twice(tmp_path: Path) -> None:
    """Its code objects are equal, and those in each other take 2 ** 60 steps to be compared."""
    branches = [f"        elif a == {i}: r = {i}" for i in range(1, 60)]
    lines = ["def f(x):", "    def k(a):", "        if a == 0: r = 7", *branches]
    path = tmp_path / "loaded.py"
    path.write_text(
        "\n".join([*lines, "        else: r = 0", "        return r", "    return k(x)"])
    )
    for _ in range(2):
        loaded = runpy.run_path(str(path))["f"]
        assert int(rt.function(loaded)(rt.constant(3))) == 3


def test_objects_from_outside() -> None:
    held = rt.data.Dataset.range(3)
    staged = rt.function(lambda: (held, 1))
    assert [[int(item) for item in staged()[0]] for _ in range(2)] == [[0, 1, 2]] * 2


def test_nodes_of_branches_in_loops_count(programs: list[str]) -> None:
    @rt.function
    def many_nodes(n):
        x = X
        for i in rt.range(n):
            if i % 2 == 0:
                for k in range(8):
                    x = rt.sin(x) + float(k)
            else:
                x = x + 1.0
        return x

    many_nodes(rt.constant(2))
    assert programs == []
    other = rt.function(many_nodes.python_function)
    other(rt.constant(20))
    assert programs == ["many_nodes"]


def test_a_trace_called_by_itself_is_a_program_in_its_second_call(programs: list[str]) -> None:
    made = rt.function(lambda x: x + 1.0).get_concrete_function(X)
    for written in ([], ["<lambda>"], ["<lambda>"]):
        np.testing.assert_array_equal(made(X), X + 1.0)
        assert programs == written


def test_effects_come_once(capsys: pytest.CaptureFixture[str], programs: list[str]) -> None:
    """What has effects is interpreted only where it cannot begin again."""
    count = rt.Variable(0)

    @rt.function
    def straight(x):
        count.assign_add(1)
        return x + 1.0

    @rt.function
    def in_rounds(n):
        for i in rt.range(n):
            count.assign_add(1)
            rt.print(i)

    straight(X)
    assert (int(count), programs) == (1, [])
    in_rounds(rt.constant(100))
    assert (int(count), programs) == (101, ["in_rounds"])
    assert len(capsys.readouterr().err.splitlines()) == 100


def test_what_is_not_short_is_a_program_at_once(programs: list[str]) -> None:
    large = rt.zeros([reference.ELEMENTS])
    rt.function(lambda x: x + 1.0, input_signature=[rt.TensorSpec([None])])(X)
    rt.function(lambda x: x + 1.0)(large)
    inner = rt.function(lambda x: inner(x - 1.0) if rt.reduce_sum(x) > 0.0 else x)
    np.testing.assert_array_equal(inner(rt.constant([1.0])), [0.0])
    assert len(programs) == 3


def test_first_calls_of_threads_and_tapes() -> None:
    staged = rt.function(lambda x: x * x)
    with rt.GradientTape() as tape:
        tape.watch(X)
        y = staged(X)
    np.testing.assert_array_equal(tape.gradient(y, X), 2.0 * X)
    np.testing.assert_array_equal(staged(X), X * X)
    np.testing.assert_array_equal(staged(X), X * X)
