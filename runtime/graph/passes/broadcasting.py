"""Leave it to elementwise ops to broadcast.

Before:
    broadcast_to: float32[3,4] = broadcast_to(b)
    mul: float32[3,4] = mul(broadcast_to, x)
    return mul
After:
    mul: float32[3,4] = mul(b, x)
    return mul
"""

from __future__ import annotations

from dataclasses import replace

from runtime.core.types import Type
from runtime.graph.ir import Graph, Node, Value
from runtime.graph.passes.rewriting import Rewriter, is_elementwise
from runtime.ops import broadcast_to_p


def defer_broadcasts(graph: Graph) -> Graph:
    """The graph in which arrays are broadcast where that is needed."""
    return _Deferring().graph(graph)


class _Deferring(Rewriter):
    def node(self, node: Node) -> None:
        if is_elementwise(node.primitive):
            inputs = tuple(map(self.source, node.inputs))
            if inputs != node.inputs and _is_as_large(node, inputs):
                node = replace(node, inputs=inputs)
        self.add(self.inside(node))

    def source(self, value: Value) -> Value:
        """Returns what was broadcast to give the value, if that is all there is to it."""
        maker = self.makers.get(value)
        if maker is None or maker.primitive is not broadcast_to_p or len(maker.inputs) > 1:
            return value
        return maker.inputs[0]


def _is_as_large(node: Node, inputs: tuple[Value, ...]) -> bool:
    """Whether a node's result has the same shape for other inputs, of as many elements or fewer.
    What is broadcast has known dimensions, which are those of the result but for 1; of a result of
    unknown rank nobody knows.
    """
    type = node.outputs[0].type
    made: Type = node.primitive.infer(*[value.type for value in inputs], **node.params)
    return made == type and getattr(type, "shape", None) is not None
