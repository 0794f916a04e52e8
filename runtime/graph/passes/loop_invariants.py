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
such ops. None leaves a branch, which may not be taken, but the making of a list of which items are
read: it takes as long as the list, in each round.
"""

from __future__ import annotations

from dataclasses import replace

from runtime.core.primitive import Memory
from runtime.graph.ir import Graph, Node, Region, Value, reads, walk
from runtime.graph.lists import OF
from runtime.graph.nodes import COND, WHILE
from runtime.graph.passes.rewriting import Rewriter, may_move, with_regions


def hoist_loop_invariants(graph: Graph) -> Graph:
    """The graph in which loops compute only what changes."""
    return _Hoisting().graph(graph)


class _Hoisting(Rewriter):
    def node(self, node: Node) -> None:
        node = self.inside(node)
        if node.primitive is WHILE:
            (body,) = node.regions
            self.kept, self.changing = _kept(body), set(body.parameters)
            left = self.left(body)
            node = node if left is body else with_regions(node, (left,))
        self.add(node)

    def left(self, region: Region, is_branch: bool = False) -> Region:
        """Returns what stays of the body of a loop, or of a branch in it; the rest is added before
        the loop.
        """
        staying = []
        for inner in region.nodes:
            if self.may_leave(inner, is_branch):
                self.add(inner)
                continue
            if inner.primitive is COND:
                branches = tuple([self.left(each, is_branch=True) for each in inner.regions])
                if branches != inner.regions:
                    inner = with_regions(inner, branches)
            staying.append(inner)
            self.changing.update(inner.outputs)
        return region if staying == [*region.nodes] else replace(region, nodes=tuple(staying))

    def may_leave(self, node: Node, is_branch: bool) -> bool:
        if node.primitive is OF:
            may = self.kept.isdisjoint(node.outputs)
        else:
            may = not is_branch and may_move(node)
        return may and self.changing.isdisjoint(reads(node))


def _kept(body: Region) -> set[Value]:
    """The values that nodes of a loop may change or hand on, and not only read."""
    found = set(body.results)
    for node in walk(body):
        if node.primitive.memory is not Memory.READS:
            found.update(node.inputs)
        for region in node.regions:
            found.update(region.results)
    return found
