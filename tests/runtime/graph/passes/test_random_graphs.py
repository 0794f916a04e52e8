"""Random graphs: each pass keeps results, errors and what is printed, to the bit; running it again
changes nothing; the text is the same for every hash seed; and the time grows with the graph.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograph
import runtime as rt
from runtime.graph.executors.program import Program
from runtime.graph.format.printing import format_graph
from runtime.graph.ir import Graph
from runtime.graph.passes import PASSES, optimize
from runtime.graph.verification import verify
from tests.runtime.graph.passes.random_graphs import ARGUMENTS, traced, write
from tests.runtime.graph.passes.running import observed
from tests.support.programs import unhurried
from tests.support.programs_choices import Drawn

ROOT = Path(__file__).parents[4]
SIZE = 12


@st.composite
def texts(draw: Any) -> str:
    return write(Drawn(draw), SIZE)


@unhurried
@given(texts())
def test_each_pass_keeps_what_is_computed(text: str) -> None:
    with traced(text) as graph:
        expected = outcomes(graph)
        for run in (*PASSES, optimize):
            made = run(graph)
            verify(made, types=True)
            assert outcomes(made) == expected, run.__name__


def outcomes(graph: Graph) -> list[Any]:
    program = Program(graph)
    return [observed(program, arguments) for arguments in ARGUMENTS]


@unhurried
@given(texts())
def test_a_pass_does_all_at_once(text: str) -> None:
    with traced(text) as graph:
        for run in PASSES:
            graph = run(graph)
            assert format_graph(run(graph)) == format_graph(graph), run.__name__


SCRIPT = """
from runtime.graph.passes import optimize
from tests.support.programs_choices import Seeded
from tests.runtime.graph.passes.random_graphs import traced, write

for seed in range(12):
    with traced(write(Seeded(seed), 12)) as graph:
        print(optimize(graph))
"""


def test_the_text_is_the_same_for_every_hash_seed() -> None:
    texts = {printed(seed) for seed in ("1", "2", "3")}
    assert len(texts) == 1
    assert texts.pop().count("graph program") == 12


def printed(seed: str) -> str:
    """What a process with this hash seed makes of some programs."""
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


def straight(x: Any, size: int) -> Any:
    for at in range(size):
        x = x * 2.0 + rt.constant(float(at % 3))
    return x


def branches(x: Any, size: int) -> Any:
    test = rt.reduce_sum(x) > 0.0
    for _ in range(size // 4):
        x = rt.cond(test, lambda x=x: x + 1.0, lambda x=x: x * x)
    return x


def loops(x: Any, size: int) -> Any:
    for at in range(size // 8):
        x = rt.while_loop(lambda x: rt.reduce_sum(x) < 9.0, lambda x, at=at: [x + at], [x])[0]
    return x


def checks(x: Any, size: int) -> Any:
    for at in range(size // 2):
        rt.debugging.Assert(x[at % 3] > 0.0, ["negative"])
    return x


@autograph.convert
def ending(x: Any, size: int) -> Any:
    n = rt.cast(x[0], rt.int32)
    for at in range(size // 2):
        if n > 100:
            break
        n = n + at
    return n


@autograph.convert
def returning(x: Any, size: int) -> Any:
    n = rt.cast(x[0], rt.int32)
    for at in range(size // 2):
        if n > at:
            return n
        n = n + 1
    return -n


@pytest.mark.parametrize("program", [straight, branches, loops, checks, ending, returning])
def test_work_grows_with_the_graph(program: Any) -> None:
    """Calls of Python functions, which are the same in each run."""
    small, large = (calls(program, size) for size in (200, 800))
    assert large < 5 * small


def calls(program: Any, size: int) -> int:
    """How many Python functions the passes, and what writes the program, call."""
    traced_program = rt.function(lambda x: program(x, size), autograph=False)
    graph = traced_program.get_concrete_function(rt.TensorSpec([3], rt.float32)).graph
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        Program(optimize(graph))
    finally:
        sys.setprofile(before)
    return count
