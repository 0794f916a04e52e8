"""Graphs that are compiled beside their calls."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from runtime.graph.executors import tiers
from runtime.graph.executors.native import executor
from runtime.graph.executors.tiers import Tiers
from runtime.graph.executors.work import Patience


def halvings(n):
    count = 0
    while n > 1:
        n = n // 2
        count += 1
    return count


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every graph is large, and its first call enough."""
    for name, seconds in (("importing", 0.0), ("graph", 1e-12), ("node", 0.0), ("beside", 0.0)):
        monkeypatch.setattr(Patience, name, seconds)
    monkeypatch.setattr(tiers, "LONG", math.inf)
    yield
    tiers._compiler().submit(int).result()


def called(count: int = 2) -> tuple[Any, Tiers]:
    staged = rt.function(halvings, executor="native")
    n = rt.constant(100)
    assert [int(staged(n)) for _ in range(count)] == [6] * count
    return staged, staged.get_concrete_function(n).programs.tiers


@pytest.mark.parametrize("is_quick", [False, True], ids=["slow", "quick"])
def test_the_call_that_is_machine_code(monkeypatch: pytest.MonkeyPatch, is_quick: bool) -> None:
    """Is the same, however long it takes to compile: Python answers the calls before."""
    go, original = threading.Event(), executor.runner_of

    def compiled(*given: Any) -> Any:
        assert go.wait(60)
        return original(*given)

    monkeypatch.setattr(executor, "runner_of", compiled)
    staged = rt.function(lambda n: n + 1, autograph=False, executor="native")
    made = staged.get_concrete_function(rt.constant(1)).programs.tiers
    monkeypatch.setattr(Patience, "graph", 2.5 * made.program.work.call)
    for call in range(6):
        assert made.run == made._counted
        assert (made._beside is None) == (call < 4)
        if is_quick and made._beside is not None:
            go.set()
            made._beside[1].result()
        assert int(staged(rt.constant(1))) == 2
    go.set()
    assert int(staged(rt.constant(1))) == 2
    assert type(made.run).__name__ == "builtin_function_or_method"


def test_what_the_compiler_raises_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def compiled(*given: Any) -> Any:
        raise LookupError("no such instruction")

    monkeypatch.setattr(executor, "runner_of", compiled)
    staged, made = called()
    assert made._beside is not None
    made._beside[1].exception()
    with pytest.raises(LookupError, match="no such instruction"):
        staged(rt.constant(100))


def test_small_graphs_are_compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Patience, "beside", 1.0)
    _, made = called()
    assert made._beside is None
    assert type(made.run).__name__ == "builtin_function_or_method"


def test_behind_a_call_that_was_more_work_the_next_one_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tiers, "LONG", 2)
    _, made = called()
    assert made._beside is None
    assert type(made.run).__name__ == "builtin_function_or_method"


PROGRAM = """
import atexit, os, runtime as rt
from runtime.graph.executors.work import Patience
Patience.importing, Patience.graph, Patience.node, Patience.beside = 0.0, 1e-12, 0.0, 0.0
def made():
    return rt.function(lambda x: rt.tanh(x) * 2.0, autograph=False, executor="native")
def calls(f):
    return [float(f(rt.constant(0.0))) for _ in range(3)]
f = made()
found = calls(f)
atexit.register(lambda: calls(made()))
if {fork}:
    child = os.fork()
    if child == 0:
        os._exit(0 if calls(f) == calls(made()) == found else 3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
print(found)
"""


@pytest.mark.parametrize("fork", [False, True], ids=["exit", "fork"])
def test_processes_end(fork: bool) -> None:
    made = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM.replace("{fork}", str(fork))],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (made.returncode, made.stdout) == (0, "[0.0, 0.0, 0.0]\n"), made.stderr
