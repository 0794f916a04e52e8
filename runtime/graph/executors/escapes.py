"""Escape analysis: the arrays that may be read after the last op that names them. These are
results, what a list, a variable or a call is given, and what these are views of.

    a = x * y
    view = reshape(a, ...)    # a escapes with its view
    return view

An array that a loop carries does not escape if it does not escape within an iteration: the
iteration after the next one can overwrite it.
"""

from __future__ import annotations

from collections.abc import Container

from runtime.core.primitive import Memory
from runtime.core.types import ListType
from runtime.graph.dataflow import Backward
from runtime.graph.executors.kernels import is_array, is_view, memory_of
from runtime.graph.executors.layouts import Layouts
from runtime.graph.ir import Node, Region, Value, walk
from runtime.graph.nodes import WHILE


class Escapes(Backward):
    """The values of a graph's body that escape.

    `carried` has the places of each loop's state whose arrays do not escape in any iteration, of
    `native` loops none; `pushed` are the values that may be given to a list.
    """

    def __init__(self, body: Region, layouts: Layouts, native: Container[Node]) -> None:
        self._layouts = layouts
        loops = [node for node in walk(body) if node.primitive is WHILE]
        self.carried = {
            node: [] if node in native else _candidates(node, layouts) for node in loops
        }
        settled = False
        while not settled:
            super().__init__(body.results)
            self.region(body)
            settled = self._are_carried()
        pushed = _Pushed(body)
        pushed.region(body)
        self.pushed = pushed.found

    def __contains__(self, value: Value) -> bool:
        return value in self.found

    def _are_carried(self) -> bool:
        """Remove the places that turned out to escape; True if there were none."""
        found = dict(self.carried)
        for node, places in found.items():
            (body,) = node.regions
            self.carried[node] = [
                at
                for at in places
                if self.found.isdisjoint((body.parameters[at], body.results[at + 1]))
            ]
        return found == self.carried

    def op(self, node: Node) -> None:
        """Find what a node keeps, or gives away with its results."""
        if memory_of(node) is Memory.STORES:
            self.found.update(node.inputs[1:])
        elif self._layouts.is_view(node):
            if not self.found.isdisjoint(node.outputs):
                self.found.update(node.inputs)
        elif memory_of(node) is Memory.KEEPS:
            self.found.update(node.inputs)

    def loop(self, node: Node) -> None:
        """Analyse one iteration: all state that is not carried escapes."""
        (body,) = node.regions
        places = set(range(len(node.outputs))).difference(self.carried[node])
        self.found.update([body.results[at + 1] for at in places])
        self.region(body)
        self.found.update([node.inputs[at + 1] for at in places])


class _Pushed(Backward):
    """The values that may be given to a list."""

    def __init__(self, body: Region) -> None:
        lists = [node for node in walk(body) if memory_of(node) is Memory.STORES]
        super().__init__([value for node in lists for value in node.inputs[1:]])

    def op(self, node: Node) -> None:
        if is_view(node) and not self.found.isdisjoint(node.outputs):
            self.found.add(node.inputs[0])


def _candidates(node: Node, layouts: Layouts) -> list[int]:
    (body,) = node.regions
    found = []
    for at, parameter in enumerate(body.parameters):
        given, result = node.inputs[at + 1], body.results[at + 1]
        same = layouts.memory(given) == layouts.memory(parameter) == layouts.memory(result)
        contiguous = is_array(parameter) and parameter not in layouts
        if same and (contiguous or isinstance(parameter.type, ListType)):
            found.append(at)
    return found
