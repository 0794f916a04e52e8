"""The tiers of a program: Python over NumPy, and machine code once calls have taken about as long
as it takes to compile it.

So compiling never takes longer than the calls did, and a first call is no slower than it was. With
`jit_compile=True` machine code is what the first call runs. A large graph is compiled on a thread
beside its calls, which Python answers meanwhile: two thirds of that time LLVM takes, in which
Python runs freely.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from time import perf_counter
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any

from runtime.core.executor import COMPILED, chosen
from runtime.core.stacks import on_large_stack
from runtime.graph.executors.program import Program
from runtime.graph.ir import Graph, walk
from runtime.graph.passes.inlining import Calls

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Run = Callable[..., tuple[Any, ...]]


class Patience:
    """Seconds that calls may take before there is machine code: those of all graphs for the
    compiler to be imported; those of one, and as much for each node of it, for it to be compiled.
    """

    importing = 0.08
    graph = 3e-3
    node = 3e-4

    beside = 0.05
    """As many for one graph, and it is compiled beside its calls."""

    spent = 0.0
    """Seconds that calls of all graphs took."""

    @classmethod
    def may_import(cls) -> bool:
        """Whether the compiler is there, or calls took as long as importing it."""
        return cls.spent >= cls.importing or "llvmlite" in sys.modules


@cache
def _compiler() -> ThreadPoolExecutor:
    """The thread that compiles large graphs; whoever exits waits until it is done."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(1, "compiler")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_compiler.cache_clear)


class Tiers:
    """Runs a program: `run` is what a call runs now. `executor` is the one asked for, None for that
    of the process.
    """

    __slots__ = (
        "_beside",
        "_is_large",
        "_left",
        "_lock",
        "_waiting",
        "executor",
        "graph",
        "program",
        "run",
    )

    def __init__(self, graph: Graph, program: Program, executor: str | None = None) -> None:
        self.graph = graph
        self.program = program
        self.executor = executor
        self.run: Run = program.run
        self._waiting: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self._left: float | None = None
        self._is_large = False
        self._beside: Future[None] | None = None
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
            self._is_large = left > Patience.beside
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
        self._settled()
        return self.run(*raws)

    def _settle(self) -> bool:
        """Find out what is to run from now on, unless another thread is at it."""
        if self._beside is not None:
            return self._beside.done() and self._beside.result() is None
        if self._is_large:
            # A process that is forked while another thread imports has half a module.
            on_large_stack(lambda: import_module("runtime.graph.executors.native.executor"))
            # Whoever calls graphs while the interpreter shuts down has no more threads.
            with suppress(RuntimeError):
                self._beside = _compiler().submit(self._settled)
            return False
        if not self._lock.acquire(blocking=False):
            return False
        try:
            self._settled()
        finally:
            self._lock.release()
        return True

    def _settled(self) -> None:
        if not self._is_open:
            return
        self.run = on_large_stack(self._best)
        for forget in self._waiting:
            forget()
        self._waiting.clear()

    def _best(self) -> Run:
        from runtime.graph.executors.native.executor import compiled, require

        if self.executor == COMPILED:
            require(self.graph)
        return compiled(self.graph, self.program)
