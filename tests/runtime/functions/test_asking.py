"""Functions in which Python itself asks a symbol: they are converted so that they ask more, and
Python runs again.
"""

import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from autograph.forms import Form
from autograph.pipeline import show

LEFT = iter(range(100))


class _Counts:
    calls = 0


class _Stream:
    def __init__(self) -> None:
        self.written: list[str] = []

    def write(self, text: str) -> None:
        self.written.append(text)


STREAM: Any = _Stream()


def _least(pairs: Any) -> Any:
    best = pairs[0]
    for pair in pairs:
        if pair < best:
            best = pair
    return best


def _staged(function: Callable[..., Any], x: int) -> Any:
    return rt.nest.map_structure(int, rt.function(function)(rt.constant(x)))


def test_comparisons_and_reads_ask() -> None:
    shown = show(
        "item_reads", "def f(a, b, i):\n    return a < b, a == 1, a[i], b[i:]", form=Form.ASKING
    )
    assert "ag.compare(a, '<', b)" in shown
    assert "a == 1" in shown
    assert "ag.getitem(a, i)" in shown
    assert "ag.getitem(b, ag.slice(i, None, None))" in shown


def test_objects_are_as_before_when_python_runs_again() -> None:
    counts, log, table = _Counts(), [], {}

    def f(x: Any) -> Any:
        counts.calls += 1
        log.append("called")
        table["calls"] = counts.calls
        return _least([(x, 2), (1, x)])

    assert _staged(f, 5) == (1, 5)
    assert (counts.calls, log, table) == (1, ["called"], {"calls": 1})


def test_what_was_converted_asks_from_now_on() -> None:
    function = rt.function(lambda x: _least([(x, 2), (1, x)]))
    assert [int(part) for part in function(rt.constant(0))] == [0, 2]
    assert function.experimental_get_tracing_count() == 1
    assert [float(part) for part in function(rt.constant(1.5))] == [1, 1.5]


def test_a_variable_is_made_once() -> None:
    made: list[Any] = []

    @rt.function
    def f(x: Any) -> Any:
        if not made:
            made.append(rt.Variable(0))
        made[0].assign_add(1)
        return _later(x, [(x, 2), (1, x)])

    def _later(x: Any, pairs: Any) -> Any:
        first, second = pairs
        return first if first < second else second

    assert [int(f(rt.constant(x))[0]) for x in (3, 0, 5)] == [1, 0, 1]
    assert len(made) == 1
    assert int(made[0]) == 3


def _writes(x: Any) -> Any:
    print("begin", file=STREAM)
    pairs = [(x, 2), (1, x)]
    first, second = pairs
    return 1 if first < second else 2


def _draws(x: Any) -> Any:
    chance = random.random()
    first, second = (x, 2), (1, x)
    pairs = first, second
    one, other = pairs
    return chance if one < other else 2.0


def _advances(x: Any) -> Any:
    number = next(LEFT)
    pairs = [(x, 2), (1, x)]
    one, other = pairs
    return number if one < other else -number


@pytest.mark.parametrize("function", [_writes, _draws, _advances])
def test_what_cannot_be_put_back_is_not_done_twice(function: Any) -> None:
    at = LEFT.__length_hint__()
    STREAM.written.clear()
    with pytest.raises(rt.errors.OperatorNotAllowedInGraphError, match="Python itself asks"):
        rt.function(function)(rt.constant(3))
    assert STREAM.written.count("begin") == (function is _writes)
    assert LEFT.__length_hint__() == at - (function is _advances)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_what_is_printed_while_tracing_is_printed_once(stream: str, capsys: Any) -> None:
    def printed(x: Any) -> Any:
        print("begin", end="; ", file=getattr(sys, stream))
        print("and", [1], sep="-", file=getattr(sys, stream))
        if x > 0:
            print("in a block", file=getattr(sys, stream))
        pairs = [(x, 2), (1, x)]
        first, second = pairs
        print("end", file=getattr(sys, stream))
        return 1 if first < second else 2

    staged = rt.function(printed)
    assert int(staged(rt.constant(3))) == printed(3)
    assert staged.experimental_get_tracing_count() == 1
    shown = getattr(capsys.readouterr(), stream[3:])
    # The graph prints behind Python; then Python itself.
    assert shown == "begin; and-[1]\nend\nin a block\nbegin; and-[1]\nin a block\nend\n"


def test_what_is_printed_for_each_trace_is_printed_once_where_objects_change(capsys: Any) -> None:
    counts: Any = _Counts()
    counts.calls = rt.constant(0)

    @rt.function
    def f(x: Any) -> Any:
        print("traced")
        counts.calls = counts.calls + x
        return counts.calls

    assert [int(f(rt.constant(x))) for x in (1, 2)] == [1, 3]
    assert capsys.readouterr().out == "traced\n"


def test_an_iterator_is_not_advanced_twice_for_what_a_call_keeps() -> None:
    counts, items = _Counts(), iter([1, 2, 3])

    @rt.function
    def f(x: Any) -> Any:
        first = next(items)
        if x > 0:
            counts.calls = counts.calls + x
        return first

    with pytest.raises(autograph.StagingError, match="items is advanced while f is traced"):
        f(rt.constant(5))
    assert next(items) == 2


def test_a_method_that_reads_an_item_is_asked() -> None:
    def f(x: Any) -> Any:
        return [1, 2, 3].__getitem__(x)

    assert [int(rt.function(f)(rt.constant(x))) for x in (2, -3)] == [3, 1]


class _Item:
    def __init__(self, count: Any) -> None:
        self.count = count


def test_a_handler_that_catches_what_is_traced_anew_prints_nothing(capsys: Any) -> None:
    def left(x: Any) -> Any:
        items = {"a": _Item(3), "b": _Item(x)}
        try:
            if x > 2:
                del items["a"]
        except ValueError as error:
            print("failed", error)
        return len(items)

    staged = rt.function(left)
    assert [int(staged(rt.constant(x))) for x in (1, 5)] == [left(1), left(5)]
    assert capsys.readouterr().out == ""
