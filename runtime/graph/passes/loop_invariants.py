"""Compute before a loop what is the same in each of its rounds.

Before:
    y: float32[] = while test with (z: float32[] = x):
      mul: float32[] = mul(w, w)
      add: float32[] = add(z, mul)
      ...
After:
    mul: float32[] = mul(w, w)
    y: float32[] = while test with (z: float32[] = x):
      add: float32[] = add(z, mul)
      ...

Only ops that cannot fail and have no effect leave the loop, which may run no rounds; and none
leaves a branch, which may not be taken.
"""

from __future__ import annotations

from dataclasses import replace

from runtime.graph.ir import Graph, Node, Region, Value, walk
from runtime.graph.nodes import CONSTANT, UNDEFINED
from runtime.graph.passes.rewriting import Rewriter
from runtime.shapes import is_known
from runtime.types import ListType, NumberType, TensorType


def hoist_loop_invariants(graph: Graph) -> Graph:
    """The graph in which loops compute only what changes."""
    # What may be undefined is nothing to compute with before it is checked.
    if any(node.primitive is UNDEFINED for node in walk(graph.body)):
        return graph
    return _Hoisting().graph(graph)


class _Hoisting(Rewriter):
    def node(self, node: Node) -> None:
        node = self.inside(node)
        if node.primitive.name == "while":
            node = self.hoisted(node)
        self.add(node)

    def hoisted(self, node: Node) -> Node:
        """The loop without its invariant ops, which are added before it."""
        (body,) = node.regions
        changing = set(body.parameters)
        staying = []
        for inner in body.nodes:
            if _may_move(inner) and changing.isdisjoint(inner.inputs):
                self.add(inner)
            else:
                staying.append(inner)
                changing.update(inner.outputs)
        made: Region = replace(body, nodes=tuple(staying))
        return replace(node, regions=(made,))


def _may_move(node: Node) -> bool:
    if node.primitive.name == CONSTANT.name:
        return True
    if node.primitive.effect or node.primitive.fallible or node.regions or "callee" in node.params:
        return False
    return all(map(_is_certain, node.inputs)) and all(map(_is_certain, node.outputs))


def _is_certain(value: Value) -> bool:
    """Is its type known so well that an op on it cannot fail for its shape?"""
    if isinstance(value.type, TensorType):
        return is_known(value.type.shape)
    assert isinstance(value.type, NumberType | ListType)
    return isinstance(value.type, NumberType)
