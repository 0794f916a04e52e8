"""Compute at once what depends on constants only.

Before:
    mul: float32[] = mul(float32(2.0), float32(3.0))
    add: float32[] = add(x, mul)
After:
    add: float32[] = add(x, float32(6.0))

An op that fails on its constants stays, so that it fails when it is reached; large arrays stay
computed at run time, so that a program does not hold them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import errors
from runtime.graph.ir import Graph, Node
from runtime.graph.nodes import CONSTANT
from runtime.graph.passes.rewriting import Rewriter, constant_like, is_of_type
from runtime.primitive import state

_FAILURES = (ValueError, TypeError, IndexError, ArithmeticError, MemoryError, errors.OpError)

LARGEST = 1024
"""Elements of the largest array that is computed while compiling."""


def fold_constants(graph: Graph) -> Graph:
    """The graph in which ops on constants are constants."""
    return _Folding().graph(graph)


class _Folding(Rewriter):
    def node(self, node: Node) -> None:
        found = self.computed(node) if self.is_constant(node) else None
        if found is None or not is_of_type(found, node.outputs[0].type):
            super().node(node)
        else:
            self.add(constant_like(node, found))

    def is_constant(self, node: Node) -> bool:
        """Does it compute one value, from constants that are not large?"""
        if node.primitive.effect or node.regions or len(node.outputs) != 1 or not node.inputs:
            return False
        made = [self.makers.get(value) for value in node.inputs]
        if not all(maker is not None and maker.primitive.name == CONSTANT.name for maker in made):
            return False
        return "callee" not in node.params and all(
            np.size(self.constant(value)) <= LARGEST for value in node.inputs
        )

    def computed(self, node: Node) -> Any:
        """What the node computes; None where it fails or is large."""
        raws = [self.constant(value) for value in node.inputs]
        shape = getattr(node.outputs[0].type, "shape", ())
        if shape is None or None in shape or np.prod(shape) > LARGEST:
            return None
        try:
            return state.context.copy().run(node.primitive.kernel, *raws, **node.params)
        except _FAILURES:  # the user's error, for when the op is reached
            return None
