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

import ast
import keyword
from collections.abc import Callable, Sequence, Set
from itertools import takewhile
from typing import Any, NoReturn

from runtime.core.stacks import on_fit_thread
from runtime.graph.executors import lowered
from runtime.graph.executors.coalescing import coalesce
from runtime.graph.executors.failures import explain
from runtime.graph.executors.hot_loops import HotLoops
from runtime.graph.executors.instrumentation import Instrumented
from runtime.graph.executors.lifetimes import release
from runtime.graph.executors.lowered import Local
from runtime.graph.executors.lowering import Lowering
from runtime.graph.executors.printer import HELPERS, RESERVED, Lines, Names, Printer, Runner
from runtime.graph.executors.substitution import substitute
from runtime.graph.executors.work import Work
from runtime.graph.ir import Graph, Node
from runtime.graph.templates import raised

Look = Callable[[Sequence[Node]], None]
Outline = Callable[[Lowering, "Module"], lowered.Function]


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
            hot = HotLoops(self.work, self._extended) if may_become_native else None
            self._source, self.run = self._compiled(Module(self._run_strided, hot=hot))

    @property
    def source(self) -> str:
        """The Python text that it runs."""
        if self._source is None:
            source, run = on_fit_thread(lambda: self._compiled(Module(self._run_strided)))
            self.run, self._source = run, source
        return self._source

    def _run_first(self, *raws: Any) -> tuple[Any, ...]:
        """Run what was not needed before."""
        assert self.source is not None
        return self.run(*raws)

    def _compiled(self, module: Module, look: Look | None = None) -> tuple[str, Runner]:
        return self._executed(module, module.add(self._graph), look)

    def _extended(self, write: Callable[[Module], str]) -> Runner:
        """The function that is written beside the program, of the name that is returned."""
        module = Module(None)
        return self._executed(module, write(module))[1]

    def _executed(
        self, module: Module, function: str, look: Look | None = None
    ) -> tuple[str, Runner]:
        source, before = "\n".join(module.text), self._lines_before(len(module.text))
        self.lines |= {before + line: entry for line, entry in module.lines.items()}
        tree = ast.parse(source, self.filename)
        if look is not None:
            nodes: dict[int | str, Sequence[Node]]
            nodes = {line: [node] for line, (node, _) in module.lines.items()}
            nodes |= {name: island for name, (island, _) in module.awaited.items()}
            name = module.helper(module.fresh("look"), lambda key: look(nodes[key]))
            tree = Instrumented(nodes, name).visit(tree)
        if module.hot is not None:
            # An interrupt of machine code, which has no lines, came in the loop that it is.
            loops = {before + line: (loop.node, ()) for line, loop in module.hot.at.items()}
            self.lines = loops | self.lines
            module.hot.instrument(tree, module.namespace)
        if before:
            ast.increment_lineno(tree, before)
        exec(compile(tree, self.filename, "exec"), module.namespace)
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
        return self._compiled(Module(self._run_strided, outline))

    def timed(self, look: Look, outline: Outline | None = None) -> Runner:
        """A function that does the same, and calls `look` behind what it does for some nodes, with
        these.
        """
        return self._compiled(Module(self._run_strided, outline), look)[1]

    def _run_strided(self, *raws: Any) -> tuple[Any, ...]:
        """Run with arrays that are not C-contiguous, for which there are no buffers."""
        if self._strided is None:
            _, self._strided = self._compiled(Module(None))
        return self._strided(*raws)

    def failed(self, error: BaseException) -> BaseException:
        """The error to raise for one that left `run`: it names the op and points at the user's
        line.
        """
        return explain(error, self.filename, self.lines)

    def fail(self, error: BaseException) -> NoReturn:
        """Raise the error for the one that is being handled, which left `run`."""
        failure = self.failed(error)
        if failure is error:
            raise
        raise failure from failure.__cause__


def python_source(graph: Graph) -> str:
    """The Python source that the graph is run as."""
    return Program(graph).source


class Module:
    """The functions of a program: one for the graph, one for each graph that it calls. The first
    calls `strided`, where there is one, with arrays that are not C-contiguous. `outline` lowers
    with other statements in the place of some; what these call is made once there are the
    functions. Loops are noted to be `hot`, where that may pay.
    """

    def __init__(
        self,
        strided: Runner | None,
        outline: Outline | None = None,
        hot: HotLoops | None = None,
    ) -> None:
        self.outline = outline
        self.hot = hot
        self.awaited: dict[str, tuple[Sequence[Node], Callable[[], Any]]] = {}
        self.namespace: dict[str, Any] = {"raised": raised, **HELPERS}
        self.strided = strided
        self.text: list[str] = []
        self.lines: Lines = {}
        self.functions: dict[Graph, str] = {}
        self.shared: dict[int, str] = {}
        self.taken: set[str] = set(RESERVED)
        self.counts: dict[str, int] = {}

    def fresh(self, hint: str) -> str:
        """A name that nothing has yet."""
        name = "".join(c if c.isalnum() else "_" for c in hint) or "v"
        if name[0].isdigit() or keyword.iskeyword(name):
            name = f"_{name}"
        candidate, count = name, self.counts.get(name, 0)
        while candidate in self.taken:
            count += 1
            candidate = f"{name}_{count}"
        self.counts[name] = count
        self.taken.add(candidate)
        return candidate

    def share(self, hint: str, item: Any) -> str:
        """The global name of an object."""
        name = self.shared.get(id(item))
        if name is None:
            name = self.shared[id(item)] = self.fresh(hint)
            self.namespace[name] = item
        return name

    def helper(self, name: str, item: Any) -> str:
        """The fixed global name of something that generated code calls."""
        self.namespace[name] = item
        return name

    def add(self, graph: Graph) -> str:
        """The name of the function of a graph, which is written if it is not there yet."""
        name = self.functions.get(graph)
        if name is None:
            strided = None if self.functions else self.strided
            name = self.functions[graph] = self.fresh(graph.name)
            lowering = Lowering(graph, strided is not None)
            outline = self.outline
            function = lowering.function() if outline is None else outline(lowering, self)
            if self.hot is not None:
                self.hot.note(graph, name, function, is_called=len(self.functions) > 1)
            self.print(function, name, strided, lowering.large, lowering.fleeting)
        return name

    def print(
        self,
        function: lowered.Function,
        name: str,
        strided: Runner | None = None,
        large: Set[Local] = frozenset(),
        fleeting: Set[Local] = frozenset(),
    ) -> None:
        """Write a function under a name."""
        substitute(function.body)
        names = coalesce(function)
        release(function, large, fleeting, names)
        printer = Printer(self, function, Names(self, names))
        printer.print(name, strided)
        self.append(printer)

    def later(self, name: str, nodes: Sequence[Node], make: Callable[[], Any]) -> None:
        """Have what is made for some nodes have a name, once there are the functions of the
        module.
        """
        self.awaited[name] = nodes, make

    def append(self, printer: Printer) -> None:
        """Take over the lines of a function."""
        start = len(self.text)
        self.text += [*printer.text, ""]
        self.lines |= {start + at: entry for at, entry in printer.lines.items()}
        if self.hot is not None:
            self.hot.at |= {start + at: loop for at, loop in printer.hot_loops.items()}
