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

Only ops that cannot fail and have no effect leave the loop, which may run no rounds, and conds of
such ops; none leaves a branch, which may not be taken.
"""

from __future__ import annotations

from dataclasses import replace

from runtime.graph.ir import Graph, Node, reads
from runtime.graph.nodes import WHILE
from runtime.graph.passes.rewriting import Rewriter, may_move, with_regions


def hoist_loop_invariants(graph: Graph) -> Graph:
    """The graph in which loops compute only what changes."""
    return _Hoisting().graph(graph)


class _Hoisting(Rewriter):
    def node(self, node: Node) -> None:
        node = self.inside(node)
        if node.primitive is WHILE:
            node = self.hoisted(node)
        self.add(node)

    def hoisted(self, node: Node) -> Node:
        """The loop without its invariant ops, which are added before it."""
        (body,) = node.regions
        changing = set(body.parameters)
        staying = []
        for inner in body.nodes:
            if may_move(inner) and changing.isdisjoint(reads(inner)):
                self.add(inner)
            else:
                staying.append(inner)
                changing.update(inner.outputs)
        if len(staying) == len(body.nodes):
            return node
        return with_regions(node, (replace(body, nodes=tuple(staying)),))
