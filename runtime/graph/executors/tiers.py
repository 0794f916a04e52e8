"""The tiers of a program: Python over NumPy, and machine code once calls have taken about as long
as it takes to compile it.

So compiling never takes longer than the calls did, and a first call is no slower than it was. With
`jit_compile=True` machine code is what the first call runs.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from time import perf_counter
from types import BuiltinFunctionType
from typing import Any

from runtime.core.executor import COMPILED, chosen
from runtime.core.stacks import on_large_stack
from runtime.graph.executors.program import Program
from runtime.graph.ir import Graph, walk
from runtime.graph.passes.inlining import Calls

Run = Callable[..., tuple[Any, ...]]


class Patience:
    """Seconds that calls may take before there is machine code: those of all graphs for the
    compiler to be imported; those of one, and as much for each node of it, for it to be compiled.
    """

    importing = 0.08
    graph = 3e-3
    node = 3e-4

    spent = 0.0
    """Seconds that calls of all graphs took."""

    @classmethod
    def may_import(cls) -> bool:
        """Whether the compiler is there, or calls took as long as importing it."""
        return cls.spent >= cls.importing or "llvmlite" in sys.modules


class Tiers:
    """Runs a program: `run` is what a call runs now. `executor` is the one asked for, None for that
    of the process.
    """

    __slots__ = ("_left", "_lock", "_waiting", "executor", "graph", "program", "run")

    def __init__(self, graph: Graph, program: Program, executor: str | None = None) -> None:
        self.graph = graph
        self.program = program
        self.executor = executor
        self.run: Run = program.run
        self._waiting: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self._left: float | None = None
        if executor == COMPILED:
            self.run = self._at_once
        elif (executor or chosen()) == "native":
            self.run = self._timed

    def when_settled(self, forget: Callable[[], None]) -> None:
        """Have this called when another `run` takes the place of the one that there is."""
        if self._is_open:
            self._waiting.append(forget)

    @property
    def _is_open(self) -> bool:
        return getattr(self.run, "__self__", None) is self

    def on_tensors(self, fallback: Callable[..., Any]) -> Callable[..., Any] | None:
        """Returns what makes the result of eager tensors, without Python in between, where `run` is
        machine code with one result; the fallback is called with their arrays where it steps aside.
        """
        if type(self.run) is not BuiltinFunctionType:
            return None
        from runtime.graph.executors.native.entry import on_tensors

        return on_tensors(self.run, fallback)

    def _patience(self) -> float:
        nodes = sum(1 for graph in Calls(self.graph).of for _ in walk(graph.body))
        return Patience.graph + Patience.node * nodes

    def _timed(self, *raws: Any) -> tuple[Any, ...]:
        left = self._left
        if left is None:
            left = self._left = self._patience()
        if left <= 0 and Patience.may_import() and self._settle():
            return self.run(*raws)
        start = perf_counter()
        try:
            return self.program.run(*raws)
        finally:
            taken = perf_counter() - start
            self._left = left - taken
            Patience.spent += taken

    def _at_once(self, *raws: Any) -> tuple[Any, ...]:
        with self._lock:
            self._settled()
        return self.run(*raws)

    def _settle(self) -> bool:
        """Find out what is to run from now on, unless another thread is at it."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            self._settled()
        finally:
            self._lock.release()
        return True

    def _settled(self) -> None:
        from runtime.graph.executors.native.executor import compiled, require

        if not self._is_open:
            return
        if self.executor == COMPILED:
            require(self.graph)
        self.run = on_large_stack(lambda: compiled(self.graph, self.program))
        for forget in self._waiting:
            forget()
        self._waiting.clear()
