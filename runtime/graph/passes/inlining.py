"""Put the graphs that are called where they are called.

Before:
    graph f(x: float32[]) -> (float32[]):
      y: float32[] = call g(x)
      neg: float32[] = neg(y)
      return neg
    graph g(a: float32[]) -> (float32[]):
      mul: float32[] = mul(a, a)
      return mul
After:
    graph f(x: float32[]) -> (float32[]):
      mul: float32[] = mul(x, x)
      neg: float32[] = neg(mul)
      return neg

That is done for graphs that are small, or called from one place or a few. Those stay that call
themselves, that are called with types of which their parameters know less, or that end in a
`raise`. What is in a graph runs in the same order, and each node keeps the line of the user's that
it comes from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from runtime.graph.ir import Callee, Graph, Node, Origin, Position, Region, Value, diverges, walk
from runtime.graph.passes.rewriting import Rewriter, is_constant

SMALL = 32
"""Nodes that a graph may have that is put in any number of places."""

MOST_COPIED = 256
"""Nodes that all copies of a larger graph may have together."""


def inline_calls(graph: Graph) -> Graph:
    """The graph without calls that can be done without."""
    if not any(True for _ in callees(graph)):
        return graph
    return _Inlining(Calls(graph), {}).graph(graph)


def callees(graph: Graph) -> Iterator[Graph]:
    """The graphs that a graph calls, once for each call."""
    for node in walk(graph.body):
        if "callee" in node.params:
            yield node.params["callee"].graph


class Calls:
    """The number of calls of each graph, in a graph and in all that it leads to; `recursive` are
    those that lead to themselves.
    """

    def __init__(self, graph: Graph) -> None:
        self.of = {graph: list(callees(graph))}
        pending = list(self.of[graph])
        while pending:
            caller = pending.pop()
            if caller not in self.of:
                self.of[caller] = list(callees(caller))
                pending += self.of[caller]
        self.count = Counter([called for calls in self.of.values() for called in calls])
        self.recursive = {graph for graph in self.of if self._leads_to_itself(graph)}

    def _leads_to_itself(self, graph: Graph) -> bool:
        seen: set[Graph] = set()
        pending = set(self.of[graph])
        while pending and graph not in seen:
            called = pending.pop()
            seen.add(called)
            pending |= {*self.of[called]} - seen
        return graph in seen


def redirected(graph: Graph, made: Mapping[Graph, Callee]) -> Graph:
    """The graph, whose calls are of other graphs."""
    if not any(True for _ in callees(graph)):
        return graph
    return _Redirection(made).graph(graph)


class _Redirection(Rewriter):
    def __init__(self, made: Mapping[Graph, Callee]) -> None:
        super().__init__()
        self.made = made

    def node(self, node: Node) -> None:
        if "callee" in node.params:
            callee = self.made[node.params["callee"].graph]
            node = replace(node, params={**node.params, "callee": callee})
        super().node(node)


class _Inlining(Rewriter):
    """Writes one graph; `made` are the graphs that were written, for calls of them."""

    def __init__(self, calls: Calls, made: dict[Graph, Graph]) -> None:
        super().__init__()
        self.calls = calls
        self.made = made
        self.captures: dict[int, tuple[Value, Any]] = {}

    def graph(self, graph: Graph) -> Graph:
        self.captures = {id(item): (value, item) for value, item in graph.closure}
        body = self.region(graph.body)
        made = self.made[graph] = replace(graph, body=body, closure=tuple(self.captures.values()))
        return made

    def node(self, node: Node) -> None:
        callee = node.params.get("callee")
        found = None if callee is None else self.inlined(node, callee.graph)
        if found is None:
            super().node(node)
            return
        copy = _Copy(node.origin)
        copy.same.update(zip(found.parameters, node.inputs, strict=True))
        copy.same.update((value, self.captured(value, item)) for value, item in found.closure)
        made = copy.region(replace(found.body, parameters=()))
        for inner in made.nodes:
            self.add(inner)
        self.replace(node, *made.results)

    def inlined(self, node: Node, graph: Graph) -> Graph | None:
        """Returns what to put in place of a call, without calls that can be done without itself."""
        if graph in self.calls.recursive or not _fits(node, graph):
            return None
        made = self.made.get(graph) or _Inlining(self.calls, self.made).graph(graph)
        count = self.calls.count[graph]
        return made if count == 1 or _may_be_copied(made, count) else None

    def captured(self, value: Value, item: Any) -> Value:
        """The value that stands for a tensor from outside."""
        known = self.captures.get(id(item))
        if known is None:
            known = self.captures[id(item)] = Value(value.type, value.name), item
        return known[0]


def _fits(node: Node, graph: Graph) -> bool:
    """True if the types are those of the call, and the end of the graph is reached."""
    pairs = [*zip(node.inputs, graph.parameters, strict=True)]
    pairs += zip(node.outputs, graph.results, strict=False)
    return not diverges(graph.body) and all(one.type == other.type for one, other in pairs)


def _may_be_copied(graph: Graph, count: int) -> bool:
    size = sum(not is_constant(node) for node in walk(graph.body))
    return size <= SMALL or size * count <= MOST_COPIED


class _Copy(Rewriter):
    """Copies a region, with values of its own, that is called from a place of the user's."""

    def __init__(self, caller: Origin | Position | None) -> None:
        super().__init__()
        self.caller = caller

    def region(self, region: Region) -> Region:
        parameters = self.renewed(region.parameters)
        return replace(super().region(region), parameters=parameters)

    def node(self, node: Node) -> None:
        node = self.inside(node)
        origin = node.origin and node.origin.called_from(self.caller)
        self.add(replace(node, outputs=self.renewed(node.outputs), origin=origin))

    def renewed(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """New values for these."""
        for value in values:
            self.same[value] = Value(value.type, value.name, value.index)
        return self.values(values)
