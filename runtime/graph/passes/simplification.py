"""Remove ops that give back an operand, where the result is the same to the last bit.

Before:
    mul: float32[3] = mul(x, float32(1.0))
    neg: float32[3] = neg(mul)
    neg_1: float32[3] = neg(neg)
    return neg_1
After:
    return x
"""

from __future__ import annotations

from dataclasses import replace

from runtime.graph.ir import Graph, Node
from runtime.graph.lists import SCATTER, SCATTER_ADD
from runtime.graph.nodes import LIST_ADD, PACK, UNPACK
from runtime.graph.passes.rewriting import Rewriter


def simplify(graph: Graph) -> Graph:
    """The graph without ops that change nothing."""
    return _Simplification().graph(graph)


class _Simplification(Rewriter):
    def node(self, node: Node) -> None:
        if node.primitive is LIST_ADD:
            node = self.added_at(node)
        if node.primitive is UNPACK and self.is_unpacked(node):
            return
        for rule in node.primitive.identities:
            found = rule(self, node)
            if found is not None and found.type == node.outputs[0].type:
                self.replace(node, found)
                return
        super().node(node)

    def is_unpacked(self, node: Node) -> bool:
        """True if the residuals are packed here, too. Then what was packed stands
        for the outputs.
        """
        maker = self.makers.get(node.inputs[0])
        if maker is None or maker.primitive is not PACK:
            return False
        types = [value.type for value in node.outputs]
        if [value.type for value in maker.inputs] != types:
            return False
        self.replace(node, *maker.inputs)
        return True

    def added_at(self, node: Node) -> Node:
        """A sum with a list of one item only: the item is added to the other list."""
        for array, added in (node.inputs, node.inputs[::-1]):
            maker = self.makers.get(added)
            if maker is None or maker.primitive is not SCATTER:
                continue
            if array.type == node.outputs[0].type:
                return replace(node, primitive=SCATTER_ADD, inputs=(array, *maker.inputs))
        return node
