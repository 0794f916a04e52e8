"""Compute at once what depends on constants and known shapes only.

Before:
    mul: float32[] = mul(float32(2.0), float32(3.0))
    add: float32[] = add(x, mul)
After:
    add: float32[] = add(x, float32(6.0))

An op that fails on its constants stays, so that it fails when it is reached; large arrays stay
computed at run time, so that a program does not hold them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.graph.ir import Graph, Node
from runtime.graph.known_values import LARGEST, computed, of_shape
from runtime.graph.passes.rewriting import Rewriter, constant_like, is_of_type


def fold_constants(graph: Graph) -> Graph:
    """The graph in which ops on constants are constants."""
    return _Folding().graph(graph)


class _Folding(Rewriter):
    def node(self, node: Node) -> None:
        found = of_shape(node.primitive, [value.type for value in node.inputs], node.params)
        raws = [self.constant(value) for value in node.inputs]
        if found is None and raws:
            found = compute(node, raws)
        if found is None:
            super().node(node)
        else:
            self.add(constant_like(node, found))


def compute(node: Node, raws: Sequence[Any]) -> Any:
    """Returns what a node with one output computes from these inputs; None where it acts, fails, or
    some of it is large or not known.
    """
    if node.primitive.effect or node.regions or len(node.outputs) != 1 or "callee" in node.params:
        return None
    shape = getattr(node.outputs[0].type, "shape", ())
    if shape is None or None in shape or np.prod(shape) > LARGEST:
        return None
    found = computed(node.primitive, raws, node.params)
    return found if is_of_type(found, node.outputs[0].type) else None
