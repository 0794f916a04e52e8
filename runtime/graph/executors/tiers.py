"""The tiers of a program: Python over NumPy, and machine code once calls were about as much work as
it is to compile it.

So compiling hardly takes longer than the calls did, and a first call is no slower than it was. Work
is counted, and nothing is timed: a call that was machine code in one run of a process is that in
the next one. With `jit_compile=True` machine code is what the first call runs. A large graph is
compiled on a thread beside its calls, which Python answers meanwhile, until they were as much work
again: two thirds of that time LLVM takes, in which Python runs freely. Where a single call is more
work than that, the next one waits for the compiler.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any

from runtime.core.executor import COMPILED, chosen
from runtime.core.stacks import on_fit_thread
from runtime.graph.executors.program import Program
from runtime.graph.executors.work import Patience
from runtime.graph.ir import Graph, walk
from runtime.graph.passes.inlining import Calls

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Run = Callable[..., tuple[Any, ...]]

LONG = 2
"""So many times the work that pays for compiling: waiting for it is less than another call then."""


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
        "_due",
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
        self._due: float | None = None
        self._beside: tuple[ThreadPoolExecutor, Future[Run]] | None = None
        if executor == COMPILED:
            self.run = self._at_once
        elif (executor or chosen()) == "native":
            self.run = self._counted

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
        from runtime.graph.executors.native.calling import on_tensors

        return on_tensors(self.run, fallback)

    def _counted(self, *raws: Any) -> tuple[Any, ...]:
        due, work = self._due, self.program.work
        if due is None:
            due = self._due = self._patience()
        if work.left >= due and Patience.may_import() and self._settle(due):
            return self.run(*raws)
        work.called()
        return self.program.run(*raws)

    def _patience(self) -> float:
        return Patience.of(sum(1 for graph in Calls(self.graph).of for _ in walk(graph.body)))

    def _at_once(self, *raws: Any) -> tuple[Any, ...]:
        if self._is_open:
            self._change_to(on_fit_thread(self._best))
        return self.run(*raws)

    def _settle(self, due: float) -> bool:
        """Find out what is to run from now on, unless another thread is at it."""
        is_long = self.program.work.left >= LONG * due
        if self._beside is None and due > Patience.beside and not is_long and self._begin(due):
            return False
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if self._is_open:
                self._change_to(self._made())
        finally:
            self._lock.release()
        return True

    def _begin(self, due: float) -> bool:
        """Compile beside the calls, which are Python's until they were as much work again."""
        # A process that is forked while another thread imports has half a module.
        for name in ("kept_graphs", "executor"):
            on_fit_thread(partial(import_module, f"runtime.graph.executors.native.{name}"))
        # Whoever calls graphs while the interpreter shuts down has no more threads.
        with suppress(RuntimeError):
            self._beside = _compiler(), _compiler().submit(lambda: on_fit_thread(self._best))
            self._due = self.program.work.left + due
        return self._beside is not None

    def _made(self) -> Run:
        """The code of the thread, for which this one waits, or that it makes itself."""
        # A process that was forked has not the thread that was at it.
        if self._beside is not None and self._beside[0] is _compiler():
            return self._beside[1].result()
        return on_fit_thread(self._best)

    def _change_to(self, run: Run) -> None:
        self.run = run
        for forget in self._waiting:
            forget()
        self._waiting.clear()

    def _best(self) -> Run:
        from runtime.graph.executors.native.kept_graphs import runner_of

        return runner_of(self.graph, self.program, self.executor == COMPILED)
