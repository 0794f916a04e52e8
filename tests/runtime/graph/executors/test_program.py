"""The Python that graphs become."""

# The programs are written as users write them.
# ruff: noqa: SIM108

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph.calls import ag
from runtime.functions.function import function
from runtime.graph.executors.program import Program
from runtime.graph.executors.reference import interpret
from tests.runtime.staging.staged_programs import PROGRAMS
from tests.runtime.staging.test_staging import tensors


def source(program: Any, *arguments: Any) -> str:
    return function(program).python_source(*arguments)


def test_source() -> None:
    def f(x, n):
        i = 0
        while i < n:
            if x > 10.0:
                x = x / 2
            else:
                x = -x * 3
            i = i + 1
        return x

    assert (
        source(f, rt.constant(1.0), rt.constant(3))
        == """\
def f(x, n):
    n = int(n)
    proceed = n > 0
    i = 0
    while True:
        if not proceed:
            break
        if x > c:
            x = x / c_1
        else:
            x = -x * c_2
        i = i + 1
        proceed = n > i
    return (x,)
"""
    )


def elif_chain(x: Any, at: int, size: int) -> Any:
    if at == size:
        return -1
    return ag.cond(x == at, lambda: at * 2, lambda: elif_chain(x, at + 1, size))


@pytest.mark.parametrize("size", [3, 95])
def test_branches_nest_deeper_than_python_indents(size: int) -> None:
    staged = function(lambda x: elif_chain(x, 0, size), autograph=False)
    assert [int(staged(rt.constant(at))) for at in (0, size - 1, size)] == [0, size * 2 - 2, -1]


def loop_nest(n: Any, depth: int, total: Any) -> Any:
    if depth == 0:
        return total + 1

    def test(i: Any, total: Any) -> Any:
        return i < n

    def body(i: Any, total: Any) -> Any:
        total = loop_nest(n, depth - 1, total)
        return i + 1, total

    return ag.while_loop(test, body, (0, total))[1]


@pytest.mark.parametrize("depth", [3, 16, 17, 40])
def test_loops_nest_deeper_than_python_allows(depth: int) -> None:
    staged = function(lambda n: loop_nest(n, depth, 0), autograph=False)
    assert int(staged(rt.constant(1))) == 1
    if depth == 3:
        assert int(staged(rt.constant(2))) == 8


def test_branches_with_nothing_to_do() -> None:
    def f(n):
        if n > 99:
            m = n
        else:
            m = n
            if n > 9:
                m = n
        return m

    graph = function(f).get_concrete_function(rt.constant(1)).graph
    assert Program(graph).run(np.int32(3)) == (3,)
    assert "if " not in Program(graph).source


def test_names_that_python_keeps_for_itself() -> None:
    @function
    def f(x):
        def inner(raised):
            return raised + 1

        return inner(x)

    assert int(f(rt.constant(1))) == 2


@pytest.mark.parametrize("program", [row[0] for row in PROGRAMS], ids=lambda p: p.__name__)
def test_the_reference_does_the_same(program: Any) -> None:
    arguments = tensors(next(row[1] for row in PROGRAMS if row[0] is program))
    concrete = function(program).get_concrete_function(*arguments)

    def outcome(run: Any) -> Any:
        try:
            return [result.numpy().tolist() for result in run()]
        except Exception as error:
            return type(error), str(error)

    raws = [item.raw for item in arguments]
    expected = outcome(lambda: map(rt.constant, concrete.program.run(*raws)))
    got = outcome(lambda: map(rt.convert_to_tensor, interpret(concrete.optimized, arguments)))
    if isinstance(expected, tuple):
        assert got[0] is expected[0] or issubclass(got[0], expected[0])
    else:
        assert got == expected
