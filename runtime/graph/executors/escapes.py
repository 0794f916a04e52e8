"""Escape analysis: the arrays that somebody may see after the last op that names them, which are
results, what a list, a variable or a call is given, and what these are views of.

    a = x * y
    view = reshape(a, ...)    # a escapes with its view
    return view

What a loop carries does not escape if nobody sees it in a round: the array of the round before the
last one can be written over.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from runtime.core.primitive import Memory
from runtime.core.types import ListType
from runtime.graph.executors.kernels import is_array, is_view, memory_of
from runtime.graph.executors.layouts import Layouts
from runtime.graph.ir import Node, Region, Value, walk
from runtime.graph.nodes import COND, WHILE


class Escapes:
    """The values of a graph's body that escape. `carried` are the places of each loop's state at
    which no round's array does; `pushed` is what may be given to a list.
    """

    def __init__(self, body: Region, layouts: Layouts) -> None:
        self._layouts = layouts
        loops = [node for node in walk(body) if node.primitive is WHILE]
        self.carried = {node: _candidates(node, layouts) for node in loops}
        self.values: set[Value] = set()
        settled = False
        while not settled:
            self.values = set(body.results)
            self._region(body)
            settled = self._are_carried()
        self.pushed = _pushed(list(walk(body)))

    def __contains__(self, value: Value) -> bool:
        return value in self.values

    def _are_carried(self) -> bool:
        """Leave what no loop can carry, and tell whether there was nothing of that kind."""
        found = dict(self.carried)
        for node, places in found.items():
            (body,) = node.regions
            self.carried[node] = [
                at
                for at in places
                if self.values.isdisjoint((body.parameters[at], body.results[at + 1]))
            ]
        return found == self.carried

    def _region(self, region: Region) -> None:
        for node in reversed(region.nodes):
            if node.primitive is WHILE:
                self._while(node)
            elif node.primitive is COND:
                self._cond(node)
            elif memory_of(node) is Memory.STORES:
                self.values.update(node.inputs[1:])
            elif self._layouts.is_view(node):
                if not self.values.isdisjoint(node.outputs):
                    self.values.update(node.inputs)
            elif memory_of(node) is Memory.KEEPS:
                self.values.update(node.inputs)

    def _cond(self, node: Node) -> None:
        for inner in node.regions:
            for output, result in zip(node.outputs, inner.results, strict=False):
                if output in self.values:
                    self.values.add(result)
            self._region(inner)

    def _while(self, node: Node) -> None:
        (body,) = node.regions
        places = set(range(len(node.outputs))).difference(self.carried[node])
        self.values.update([body.results[at + 1] for at in places])
        self._region(body)
        self.values.update([node.inputs[at + 1] for at in places])


def _pushed(nodes: Sequence[Node]) -> set[Value]:
    lists = [node for node in nodes if memory_of(node) is Memory.STORES]
    found = {value for node in lists for value in node.inputs[1:]}
    before = -1
    while before != len(found):
        before = len(found)
        for node in nodes:
            found.update(_sources(node, found))
    return found


def _sources(node: Node, found: Container[Value]) -> Iterator[Value]:
    """Yields what such values of a node, or of the regions inside it, may be."""
    if node.primitive is WHILE:
        (body,) = node.regions
        states = zip(node.outputs, body.parameters, node.inputs[1:], body.results[1:], strict=True)
        for output, parameter, first, result in states:
            if output in found or parameter in found:
                yield from (first, result)
    elif node.primitive is COND:
        for inner in node.regions:
            pairs = zip(node.outputs, inner.results, strict=False)
            yield from [result for output, result in pairs if output in found]
    elif is_view(node) and any(output in found for output in node.outputs):
        yield node.inputs[0]


def _candidates(node: Node, layouts: Layouts) -> list[int]:
    (body,) = node.regions
    found = []
    for at, parameter in enumerate(body.parameters):
        given, result = node.inputs[at + 1], body.results[at + 1]
        same = layouts.memory(given) == layouts.memory(parameter) == layouts.memory(result)
        in_rows = is_array(parameter) and parameter not in layouts
        if same and (in_rows or isinstance(parameter.type, ListType)):
            found.append(at)
    return found
