"""What the passes share: walking a graph in program order, and building another one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from runtime.graph.ir import Graph, Node, Region, Value
from runtime.graph.nodes import CONSTANT, NUMBER_TYPES
from runtime.types import NumberType, TensorType


class Rewriter:
    """Copies a graph node by node; a pass overrides `node`, which adds what stands for a node.

    `same` maps a value to the one that stands for it, `makers` a value to the node that makes it
    (in the new graph), and `nodes` is the block that is being built.
    """

    def __init__(self) -> None:
        self.same: dict[Value, Value] = {}
        self.makers: dict[Value, Node] = {}
        self.nodes: list[Node] = []

    def graph(self, graph: Graph) -> Graph:
        """The graph after the pass."""
        return replace(graph, body=self.region(graph.body))

    def region(self, region: Region) -> Region:
        """The region after the pass."""
        before, self.nodes = self.nodes, []
        for node in region.nodes:
            self.node(self.renamed(node))
        made = replace(region, nodes=tuple(self.nodes), results=self.values(region.results))
        self.nodes = before
        return made

    def node(self, node: Node) -> None:
        """Add what stands for a node, whose inputs are those of the new graph."""
        self.add(self.inside(node))

    def inside(self, node: Node) -> Node:
        """The node with its regions after the pass."""
        return (
            replace(node, regions=tuple(map(self.region, node.regions))) if node.regions else node
        )

    def add(self, node: Node) -> None:
        """Add a node to the block."""
        self.nodes.append(node)
        self.makers.update(dict.fromkeys(node.outputs, node))

    def renamed(self, node: Node) -> Node:
        """The node with the inputs that the new graph has for its own."""
        inputs = self.values(node.inputs)
        return node if inputs == node.inputs else replace(node, inputs=inputs)

    def values(self, values: Iterable[Value]) -> tuple[Value, ...]:
        """What stands for each of these values."""
        return tuple([self.same.get(value, value) for value in values])

    def replace(self, node: Node, *values: Value) -> None:
        """Let these values stand for the outputs of a node, which is not added."""
        self.same.update(zip(node.outputs, values, strict=True))

    def constant(self, value: Value) -> Any:
        """What a value is known to be, or None."""
        maker = self.makers.get(value)
        return maker.params["value"] if maker and maker.primitive.name == CONSTANT.name else None


def constant_like(node: Node, value: Any) -> Node:
    """A constant that stands for the one output of a node."""
    return Node(CONSTANT, (), node.outputs, {"value": value}, (), node.origin)


def is_of_type(value: Any, type: Any) -> bool:
    """Is this array or number just what a value of the type holds?"""
    if isinstance(type, NumberType):
        return NUMBER_TYPES.get(builtin(value)) == type
    if not isinstance(type, TensorType) or not isinstance(value, np.ndarray | np.generic):
        return False
    return value.dtype == type.dtype.np_dtype and value.shape == type.shape


def builtin(value: Any) -> Any:
    """The class of a value, as a key."""
    return value.__class__
