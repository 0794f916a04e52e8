"""The text of a program: Python functions over NumPy, for a graph and for those that it calls."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Sequence, Set
from typing import Any

from runtime.graph.executors import (
    failures,  # noqa: F401  # no run that fails deep in calls has to import it
    lowered,
)
from runtime.graph.executors.coalescing import coalesce
from runtime.graph.executors.hot_loops import Extend, HotLoops
from runtime.graph.executors.instrumentation import Instrumented
from runtime.graph.executors.lifetimes import release
from runtime.graph.executors.lowered import Local
from runtime.graph.executors.lowering import Lowering
from runtime.graph.executors.printer import HELPERS, RESERVED, Lines, Names, Printer, Runner
from runtime.graph.executors.substitution import substitute
from runtime.graph.executors.work import Work
from runtime.graph.ir import Graph, Node
from runtime.graph.passes.inlining import callees
from runtime.graph.templates import raised

Look = Callable[[Sequence[Node]], None]
Outline = Callable[[Lowering, "Module"], lowered.Function]


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
        hot: tuple[Work, Extend] | None = None,
    ) -> None:
        self.outline = outline
        self.hot = None if hot is None else HotLoops(*hot)
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

    def hidden(self, name: str, item: Any) -> str:
        """The name of an object that the text does not show; what is shown has no such name."""
        while name in self.taken:
            name = f"_{name}"
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
                is_called = len(self.functions) > 1 or graph in callees(graph)
                self.hot.note(graph, name, function, is_called)
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

    def look(self, tree: ast.Module, look: Look, before: int) -> None:
        """Have a program, `before` which there are so many lines, call `look` behind what it does
        for some nodes, with these.
        """
        nodes: dict[int | str, Sequence[Node]]
        nodes = {before + line: [node] for line, (node, _) in self.lines.items()}
        nodes |= {name: island for name, (island, _) in self.awaited.items()}
        name = self.helper(self.fresh("look"), lambda key: look(nodes[key]))
        Instrumented(nodes, name).visit(tree)
