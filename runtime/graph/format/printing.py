"""Graphs as text, with a type on every binder."""

from __future__ import annotations

from collections.abc import Iterable

from runtime.graph.format.notation import (
    CalledGraphs,
    describe,
    device_of,
    expression,
    is_scalar,
    literal,
)
from runtime.graph.format.unique_names import Names
from runtime.graph.ir import Graph, Node, Region, Value, types_text
from runtime.graph.nodes import CALL, COND, CONSTANT, WHILE


def format_graph(graph: Graph, lines: bool = False) -> str:
    """The graph as text: a type on every binder, names unique and the same for every run. Graphs
    that it calls follow.

    With `lines`, each node is followed by the user's line that it comes from.
    """
    called = CalledGraphs(graph)
    texts = [_Printer(lines, called).graph(graph)]
    while called.pending:
        texts.append(_Printer(lines, called).graph(called.pending.pop(0)))
    return "\n\n".join(texts)


class _Printer:
    def __init__(self, lines: bool, called: CalledGraphs) -> None:
        self.lines = lines
        self.called = called
        self.names: dict[Value, str] = {}
        self.taken = Names()
        self.text: list[str] = []

    def graph(self, graph: Graph) -> str:
        parameters = ", ".join(map(self.bind, graph.parameters))
        results = types_text(value.type for value in graph.results)
        self.text.append(f"graph {self.called.names[graph]}({parameters}) -> {results}:")
        for value, outer in graph.closure:
            self.line(1, f"{self.bind(value)} = capture {describe(outer)}")
        self.body(graph.body, 1, "return")
        return "\n".join(self.text)

    def line(self, depth: int, text: str) -> None:
        self.text.append("  " * depth + text)

    def bind(self, value: Value) -> str:
        name = self.names[value] = self.taken.of(value.name)
        return f"{name}: {value.type}"

    def use(self, values: Iterable[Value]) -> list[str]:
        return [self.names[value] for value in values]

    def body(self, region: Region, depth: int, last: str) -> None:
        for node in region.nodes:
            self.node(node, depth)
        if region.results:
            self.line(depth, f"{last} {', '.join(self.use(region.results))}")
        elif not region.nodes:
            self.line(depth, "pass")

    def node(self, node: Node, depth: int) -> None:
        if node.primitive is CONSTANT and is_scalar(node.params["value"]):
            self.names[node.outputs[0]] = literal(node.outputs[0].type, node.params["value"])
            return
        _WRITERS.get(node.primitive, _Printer.plain)(self, node, depth)

    def plain(self, node: Node, depth: int) -> None:
        self.head(node, expression(node, self.use(node.inputs)), depth)

    def head(self, node: Node, text: str, depth: int) -> None:
        outputs = ", ".join(map(self.bind, node.outputs))
        self.line(depth, (f"{outputs} = {text}" if outputs else text) + self.comment(node))

    def comment(self, node: Node) -> str:
        """Returns the comment behind a line: a device that the user asked for; with `lines`, the
        place.
        """
        device = device_of(node)
        notes = [f"device={device}"] if device else []
        location = node.location if self.lines else None
        notes += [f"{location[0]}:{location[1]}"] if location else []
        return f"  # {', '.join(notes)}" if notes else ""

    def call(self, node: Node, depth: int) -> None:
        name = self.called.call(node.params["callee"])
        self.head(node, f"call {name}({', '.join(self.use(node.inputs))})", depth)

    def cond(self, node: Node, depth: int) -> None:
        self.head(node, f"cond {self.names[node.inputs[0]]}:", depth)
        body, orelse = node.regions
        self.body(body, depth + 1, "yield")
        if orelse.nodes or orelse.results:
            self.line(depth, "else:")
            self.body(orelse, depth + 1, "yield")

    def loop(self, node: Node, depth: int) -> None:
        (body,) = node.regions
        test, *state = self.use(node.inputs)
        binders = map(self.bind, body.parameters)
        pairs = [f"{b} = {s}" for b, s in zip(binders, state, strict=True)]
        self.head(node, f"while {test} with ({', '.join(pairs)}):", depth)
        self.body(body, depth + 1, "yield")


_WRITERS = {CALL: _Printer.call, COND: _Printer.cond, WHILE: _Printer.loop}
