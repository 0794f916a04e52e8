"""Which arrays somebody may see after the last op that names them: results, what a list, a variable
or a call is given, and what these are views of.

    a = x * y
    view = reshape(a, ...)    # a escapes with its view
    return view

What a loop carries does not escape if nobody sees it in a round: the array of the round before the
last one can be written over.
"""

from __future__ import annotations

from collections.abc import Container

from runtime.graph.executors.kernels import (
    LISTS,
    READERS,
    VIEWS,
    is_array,
    is_view,
    memory_of,
    ufunc_of,
)
from runtime.graph.ir import Node, Region, Value, walk
from runtime.types import ListType


class Escapes:
    """What escapes of a graph's body. `carried` are the places of each loop's state at which no
    round's array does.
    """

    def __init__(self, body: Region, turned: Container[Value]) -> None:
        loops = [node for node in walk(body) if node.primitive.name == "while"]
        self.carried = {node: _candidates(node, turned) for node in loops}
        self.values: set[Value] = set()
        settled = False
        while not settled:
            self.values = set(body.results)
            self._region(body)
            settled = self._are_carried()

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
            name = node.primitive.name
            if name == "while":
                self._while(node)
            elif name == "cond":
                self._cond(node)
            elif name in LISTS:
                self.values.update(node.inputs[1:])
            elif is_view(node):
                if not self.values.isdisjoint(node.outputs):
                    self.values.update(node.inputs)
            elif ufunc_of(node) is None and name not in READERS | VIEWS:
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


def _candidates(node: Node, turned: Container[Value]) -> list[int]:
    (body,) = node.regions
    found = []
    for at, parameter in enumerate(body.parameters):
        given, result = node.inputs[at + 1], body.results[at + 1]
        same = memory_of(given) == memory_of(parameter) == memory_of(result)
        in_rows = is_array(parameter) and parameter not in turned
        if same and (in_rows or isinstance(parameter.type, ListType)):
            found.append(at)
    return found
