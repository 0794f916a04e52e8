"""The NumPy executor: a graph becomes flat Python source over NumPy, compiled once.

Control flow is Python's control flow; staged numbers are Python numbers, and so are integer scalars
(`scalars`); another op is a call of its kernel, which writes over a buffer that nobody reads again
where there is one (`buffers`):

    def count(x, limit):
        limit = int(limit)
        n = 0
        proceed = limit > 0
        while True:
            if not proceed:
                break
            ...
        return (int32(n),)

Each line knows the node that it comes from, so that an error at run time can name the user's line.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NoReturn

from runtime.core.collector import paused
from runtime.core.compiler import parse
from runtime.core.stacks import on_fit_thread
from runtime.graph.executors.work import Work
from runtime.graph.ir import Graph

if TYPE_CHECKING:
    from runtime.graph.executors.module import Look, Module, Outline
    from runtime.graph.executors.printer import Lines, Runner


@cache
def _module_class() -> type[Module]:
    """The class of what writes programs, which takes long to import: the first program does."""

    def imported() -> type[Module]:
        with paused():
            from runtime.graph.executors.module import Module
        return Module

    return on_fit_thread(imported)


class Program:
    """A compiled graph: `run(*raws)` gives a tuple of raw results, `source` is what it runs. If it
    `may_become_native`, its `work` is counted, and hot loops are compiled before a call ends. One
    that `may_wait` is compiled when it is first needed.
    """

    __slots__ = ("_graph", "_sizes", "_source", "_strided", "filename", "lines", "run", "work")

    def __init__(
        self, graph: Graph, may_become_native: bool = False, may_wait: bool = False
    ) -> None:
        self.filename = f"<graph {graph.name}>"
        self.lines: Lines = {}
        self._source: str | None = None
        self._graph = graph
        self._strided: Runner | None = None
        self._sizes: list[list[int]] = []
        self.work = Work()
        self.run: Runner = self._run_first
        if not may_wait:
            self._source, self.run = self._compiled(self._run_strided, is_hot=may_become_native)

    @property
    def source(self) -> str:
        """The Python text that it runs."""
        if self._source is None:
            source, run = on_fit_thread(lambda: self._compiled(self._run_strided))
            self.run, self._source = run, source
        return self._source

    def _run_first(self, *raws: Any) -> tuple[Any, ...]:
        """Run what was not needed before."""
        assert self.source is not None
        return self.run(*raws)

    def _compiled(
        self,
        strided: Runner | None,
        outline: Outline | None = None,
        look: Look | None = None,
        is_hot: bool = False,
    ) -> tuple[str, Runner]:
        hot = (self.work, self._extended) if is_hot else None
        module = _module_class()(strided, outline, hot)
        return self._executed(module, module.add(self._graph), look)

    def _extended(self, write: Callable[[Module], str]) -> Runner:
        """The function that is written beside the program, of the name that is returned."""
        module = _module_class()(None)
        return self._executed(module, write(module))[1]

    def _executed(
        self, module: Module, function: str, look: Look | None = None
    ) -> tuple[str, Runner]:
        text, places = module.text, list(range(1, len(module.text) + 1))
        source = "\n".join(text)
        if module.hot is not None and module.hot.settle():
            text, places = module.hot.instrumented(text, module)
        before = self._lines_before(len(text))
        for line, place in enumerate(places, before + 1):
            if place in module.lines:
                self.lines[line] = module.lines[place]
        code: Any = "\n" * before + "\n".join(text)
        if look is not None:
            code = parse(code, self.filename)
            module.look(code, look, before)
        exec(compile(code, self.filename, "exec"), module.namespace)
        for name, (_, make) in module.awaited.items():
            module.namespace[name] = make()
        return source, module.namespace[function]

    def _lines_before(self, size: int) -> int:
        """The lines of the modules before one of this size: each line has one node, so that errors
        in any module are the program's.
        """
        # Appending is one step: other threads, and signal handlers, may come with theirs.
        mine = [size + 1]
        self._sizes.append(mine)
        return sum(each for (each,) in takewhile(lambda each: each is not mine, self._sizes))

    def variant(self, outline: Outline) -> tuple[str, Runner]:
        """The source of a program that does the same, parts of which are outlined, and what runs
        it. Errors in it are those of this program.
        """
        return self._compiled(self._run_strided, outline)

    def timed(self, look: Look, outline: Outline | None = None) -> Runner:
        """A function that does the same, and calls `look` behind what it does for some nodes, with
        these.
        """
        return self._compiled(self._run_strided, outline, look)[1]

    def _run_strided(self, *raws: Any) -> tuple[Any, ...]:
        """Run with arrays that are not C-contiguous, for which there are no buffers."""
        if self._strided is None:
            _, self._strided = self._compiled(None)
        return self._strided(*raws)

    def failed(self, error: BaseException) -> BaseException:
        """The error to raise for one that left `run`: it names the op and points at the user's
        line.
        """
        from runtime.graph.executors.failures import explain

        return explain(error, self.filename, self.lines)

    def fail(self, error: BaseException) -> NoReturn:
        """Raise the error for the one that is being handled, which left `run`."""
        failure = self.failed(error)
        if failure is error:
            raise
        raise failure from failure.__cause__
