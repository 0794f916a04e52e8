"""Take branches whose test is known, drop loops that never run, and name what both branches of a
cond or all rounds of a loop leave as it was.

Before:
    y: float32[] = cond True:
      add: float32[] = add(x, x)
      yield add
    else:
      yield x
After:
    add: float32[] = add(x, x)
"""

from __future__ import annotations

from dataclasses import replace

from runtime.graph.ir import Graph, Node, Region, Value, diverges
from runtime.graph.passes.rewriting import Rewriter


def simplify_branches(graph: Graph) -> Graph:
    """The graph without branches and loops whose course is known."""
    return _Branches().graph(graph)


class _Branches(Rewriter):
    def node(self, node: Node) -> None:
        if node.primitive.name == "cond":
            self.cond(node)
        elif node.primitive.name == "while":
            self.loop(node)
        else:
            super().node(node)

    def cond(self, node: Node) -> None:
        test = self.constant(node.inputs[0])
        taken = None if test is None else node.regions[0 if test else 1]
        # What a raise leaves behind is not reached: the branch stays to hold it.
        if taken is None or diverges(taken):
            self.joined(self.inside(node))
            return
        for inner in taken.nodes:
            self.node(self.renamed(inner))
        self.replace(node, *self.values(taken.results))

    def joined(self, node: Node) -> None:
        """Add a cond; where both branches yield the same, that is its result."""
        body, orelse = node.regions
        if not diverges(body) and not diverges(orelse):
            for output, one, other in zip(node.outputs, body.results, orelse.results, strict=True):
                if one is other:
                    self.same[output] = one
            if not body.nodes and not orelse.nodes and all(o in self.same for o in node.outputs):
                return
        self.add(node)

    def loop(self, node: Node) -> None:
        test = self.constant(node.inputs[0])
        if test is not None and not test:
            self.replace(node, *node.inputs[1:])
            return
        (body,) = node.regions
        for at, parameter in enumerate(body.parameters):
            initial = node.inputs[at + 1]
            if body.results[at + 1] is parameter and initial.type == parameter.type:
                self.same[parameter] = self.same[node.outputs[at]] = initial
        node = self.inside(node)
        self.add(replace(node, regions=(_restored(node.regions[0], body, self.same),)))


def _restored(made: Region, body: Region, same: dict[Value, Value]) -> Region:
    """The body, whose unchanged variables are carried as they are: dead code is another pass."""
    pairs = zip(made.results[1:], body.parameters, strict=True)
    results = [parameter if parameter in same else result for result, parameter in pairs]
    return replace(made, results=(made.results[0], *results))
