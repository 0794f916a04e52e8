"""Lines of converted functions in line_profiler."""

from collections.abc import Callable
from typing import Any

import pytest

import autograph
from autograph import ConversionError

line_profiler = pytest.importorskip("line_profiler")


def loops(n: int) -> int:
    total = 0
    for i in range(n):
        if i % 2:
            total += i
        elif i == 8:
            break
        else:
            total -= 1
    while total > 3:
        total -= 1
    return total


class Model:
    def ascend(self, x: int) -> int:
        if x > 1:
            return self.ascend(x - 1)
        for _ in range(2):
            x = x + 1
        return x


def model(x: int) -> int:
    return Model().ascend(x)


HEADERS = {2, 3, 5, 9}  # of `loops`, which count more often than their tests are evaluated


def hits(profiler: Any, function: Any) -> dict[int, int]:
    """How often each line was reached, by its number in the function."""
    first = function.__code__.co_firstlineno
    timings = profiler.get_stats().timings
    (lines,) = [lines for (_, line, _), lines in timings.items() if line == first]
    return {line - first: count for line, count, _ in lines}


def profiled(function: Callable[[int], int], *args: int) -> dict[int, int]:
    profiler = line_profiler.LineProfiler(function)
    with profiler:
        for arg in args:
            function(arg)
    return hits(profiler, function)


def copy_of(function: Any) -> Any:
    return type(function)(function.__code__, function.__globals__, function.__name__)


def test_lines_in_blocks_count_as_in_the_source() -> None:
    expected = profiled(copy_of(loops), 10, 3, 0)
    profiler = line_profiler.LineProfiler()
    autograph.profile_lines(profiler, loops)
    converted = autograph.convert(loops)
    with profiler:
        got = [converted(arg) for arg in (10, 3, 0)]
    counted = hits(profiler, loops)
    assert got == [loops(arg) for arg in (10, 3, 0)]
    assert {line: counted[line] for line in counted if line not in HEADERS} == {
        line: expected[line] for line in expected if line not in HEADERS
    }
    assert set(counted) == set(expected)


@pytest.mark.parametrize("target", [Model.ascend, autograph.convert(Model.ascend), Model().ascend])
def test_what_holds_a_function_is_taken_too(target: Any) -> None:
    profiler = line_profiler.LineProfiler()
    autograph.profile_lines(profiler, target)
    with profiler:
        autograph.convert(model)(3)
    assert hits(profiler, Model.ascend)[2] == 2
    assert hits(profiler, Model.ascend)[4] == 2


def test_a_function_that_was_converted_before_is_refused(monkeypatch: Any) -> None:
    import sys

    module = sys.modules.pop("line_profiler")
    early = copy_of(loops)
    early.__code__ = early.__code__.replace()
    autograph.convert(early)
    monkeypatch.setitem(sys.modules, "line_profiler", module)
    with pytest.raises(ConversionError, match="before line_profiler was imported"):
        autograph.profile_lines(line_profiler.LineProfiler(), early)
