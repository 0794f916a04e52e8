"""The native executor beside the NumPy executor, on the same graph."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.core.state import run_calling_back
from runtime.graph.executors import hot_loops
from runtime.graph.executors.program import Program
from runtime.graph.executors.tiers import Tiers
from runtime.graph.executors.work import Patience
from runtime.graph.ir import Graph


@contextmanager
def forced() -> Iterator[None]:
    """Within it, graphs are compiled when they are first called."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("importing", "graph", "node"):
            patch.setattr(Patience, name, 0.0)
        yield


@contextmanager
def hot_after(rounds: int) -> Iterator[None]:
    """Within it, loops of programs that may become native are machine code from the round behind
    that many; the programs themselves stay what they are.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name, seconds in (("importing", 0.0), ("graph", 1e-12 * rounds), ("node", 0.0)):
            patch.setattr(Patience, name, seconds)
        patch.setattr(hot_loops, "FEWEST", rounds)
        patch.setattr(Tiers, "_settle", lambda self, due: False)
        yield


def optimized(function: Callable[..., Any], given: Sequence[Any]) -> Graph:
    """The graph of a function of these arrays."""
    return rt.function(function).get_concrete_function(*map(rt.constant, given)).optimized


class Pair:
    """A graph on both executors; `aside` counts the calls in which native code stepped aside."""

    def __init__(self, graph: Graph) -> None:
        from runtime.graph.executors.native import executor

        self.program = Program(graph)
        self.python = self.program.run
        self.aside = 0
        assert not executor.reasons(graph)
        self.program.run = self._stepped_aside
        self.native = executor.runner_of(graph, self.program)

    def _stepped_aside(self, *raws: Any) -> Any:
        self.aside += 1
        return self.python(*raws)

    def compare(self, *raws: Any) -> Any:
        """Run both, which must give the same bits, or raise the same in the same line."""
        expected = observed(self.program, self.python, raws)
        got = observed(self.program, self.native, raws)
        assert got == expected, f"{raws!r}: {expected!r}, got {got!r}"
        return expected


def observed(program: Program, run: Any, raws: Sequence[Any]) -> Any:
    """The types and bits of the results, or the error with the user's places."""
    try:
        return list(map(bits, run_calling_back(run, *raws)))
    except Exception as raised:
        error = program.failed(raised)
        places = [
            (entry.filename, entry.lineno) for entry in traceback.extract_tb(error.__traceback__)
        ]
        return type(error), str(error), places


def bits(result: Any) -> Any:
    """All of a result that Python can tell apart."""
    if isinstance(result, np.ndarray | np.generic):
        raw = np.asarray(result)
        # All quiet nans are one.
        values = [float("nan").hex() if x != x else x for x in raw.ravel().tolist()]
        # The Python program has a float16 as a number, or as an array of no dims.
        kind = np.ndarray if raw.dtype.char == "e" else type(result)
        return kind, raw.dtype, raw.shape, list(map(repr, values))
    return type(result), repr(result)
