"""The common part of the passes: walking a graph in program order, and building another one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from runtime.core.primitive import Primitive, broadcast_shapes, same_shape
from runtime.core.shapes import is_known
from runtime.core.types import NumberType, TensorType, Type
from runtime.dtypes import float64
from runtime.graph.ir import Graph, Node, Region, Value, diverges
from runtime.graph.nodes import (
    BOOL,
    COND,
    CONSTANT,
    FLOAT,
    NUMBER_TYPES,
    TO_TENSOR,
    TRUTH,
    UNDEFINED,
)

_BY_ELEMENT = (same_shape, broadcast_shapes)


def is_elementwise(primitive: Primitive) -> bool:
    """True if an element of the result depends on those of the inputs at its place alone. That is
    what the two shape rules say that only broadcast.
    """
    return primitive.shape in _BY_ELEMENT


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
        """The graph after the pass: the same one where there is nothing to do."""
        body = self.region(graph.body)
        return graph if body is graph.body else replace(graph, body=body)

    def region(self, region: Region) -> Region:
        """The region after the pass."""
        before, self.nodes = self.nodes, []
        for node in region.nodes:
            self.node(self.renamed(node))
        results = self.values(region.results)
        nodes, self.nodes = tuple(self.nodes), before
        if results is region.results and nodes == region.nodes:
            return region
        return Region(region.parameters, nodes, results)

    def node(self, node: Node) -> None:
        """Add what stands for a node, whose inputs are those of the new graph."""
        self.add(self.inside(node))

    def inside(self, node: Node) -> Node:
        """The node with its regions after the pass."""
        return with_regions(node, tuple(map(self.region, node.regions))) if node.regions else node

    def add(self, node: Node) -> None:
        """Add a node to the block."""
        self.nodes.append(node)
        for value in node.outputs:
            self.makers[value] = node

    def renamed(self, node: Node) -> Node:
        """The node with the inputs that the new graph has for its own."""
        inputs = self.values(node.inputs)
        return node if inputs is node.inputs else _made_of(node, inputs, node.regions)

    def values(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """Returns what stands for each of these values."""
        same = self.same
        for value in values:
            if value in same:
                return tuple([same.get(value, value) for value in values])
        return values

    def replace(self, node: Node, *values: Value) -> None:
        """Let these values stand for the outputs of a node, which is not added."""
        self.same.update(zip(node.outputs, values, strict=True))

    def constant(self, value: Value) -> Any:
        """Returns the known constant that a value is, or None."""
        maker = self.makers.get(value)
        return maker.params["value"] if maker and is_constant(maker) else None


def with_regions(node: Node, regions: tuple[Region, ...]) -> Node:
    """The node with other regions."""
    return node if regions == node.regions else _made_of(node, node.inputs, regions)


def _made_of(node: Node, inputs: tuple[Value, ...], regions: tuple[Region, ...]) -> Node:
    # `replace` takes three times as long, and this is what passes do most.
    params, origin, device = node.params, node.origin, node.device
    return Node(node.primitive, inputs, node.outputs, params, regions, origin, device)


def substituted(region: Region, same: Mapping[Value, Value]) -> Region:
    """The region, with other values in place of some."""
    rewriter = Rewriter()
    rewriter.same.update(same)
    return rewriter.region(region)


def is_constant(node: Node) -> bool:
    """True if its output is known."""
    # Ops have a row of this name of their own.
    return node.primitive is CONSTANT


def may_move(node: Node) -> bool:
    """True if the node may run at another time, or where it would not have run: it can neither
    act nor fail.

    What it reads may be undefined: that is some value of its type.
    """
    if is_constant(node) or node.primitive is UNDEFINED:
        return True
    if node.primitive.effect or "callee" in node.params or may_fail(node):
        return False
    if node.primitive is COND:
        return all(may_move(inner) for region in node.regions for inner in region.nodes)
    return not node.regions and all(map(_is_certain, (*node.inputs, *node.outputs)))


def may_fail(node: Node) -> bool:
    """True if the node may raise at run time, for what is known of its types."""
    if not node.primitive.fallible:
        return False
    if is_elementwise(node.primitive):
        # Divisions and powers refuse integers only.
        return not all(map(_is_floating, node.inputs))
    if node.primitive is TO_TENSOR:
        return not _always_fits(node.inputs[0].type, node.outputs[0].type)
    return node.primitive is not TRUTH or not _is_certain(node.inputs[0])


def _always_fits(number: Type, tensor: Type) -> bool:
    assert isinstance(tensor, TensorType)
    return number == BOOL or (number == FLOAT and tensor.dtype is float64)


def _is_floating(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.dtype.is_floating


def _is_certain(value: Value) -> bool:
    """True if its type is known so well that an op on it cannot fail for its shape."""
    if isinstance(value.type, TensorType):
        return is_known(value.type.shape)
    return isinstance(value.type, NumberType)


def yielding(node: Node, places: Sequence[int]) -> Node:
    """The cond with its results at these places only."""
    if len(places) == len(node.outputs):
        return node
    regions = []
    for region in node.regions:
        results = () if diverges(region) else tuple([region.results[at] for at in places])
        regions.append(replace(region, results=results))
    outputs = tuple([node.outputs[at] for at in places])
    return replace(node, outputs=outputs, regions=tuple(regions))


def carrying(node: Node, places: Sequence[int]) -> Node:
    """The loop that carries only the state at these places."""
    if len(places) == len(node.outputs):
        return node
    (body,) = node.regions
    results = body.results[0], *[body.results[at + 1] for at in places]
    parameters = tuple([body.parameters[at] for at in places])
    return replace(
        node,
        inputs=(node.inputs[0], *[node.inputs[at + 1] for at in places]),
        outputs=tuple([node.outputs[at] for at in places]),
        regions=(replace(body, parameters=parameters, results=results),),
    )


def constant_like(node: Node, value: Any) -> Node:
    """A constant that stands for the one output of a node."""
    return Node(CONSTANT, (), node.outputs, {"value": value}, (), node.origin)


def is_of_type(value: Any, type: Any) -> bool:
    """True if this array or number is just what a value of the type holds."""
    if isinstance(type, NumberType):
        return NUMBER_TYPES.get(builtin(value)) == type
    if not isinstance(type, TensorType) or not isinstance(value, np.ndarray | np.generic):
        return False
    return value.dtype == type.dtype.np_dtype and value.shape == type.shape


def builtin(value: Any) -> Any:
    """The class of a value, as a key."""
    return value.__class__


def frozen(item: Any) -> Hashable:
    """A key that equals only that of the very same parameter: 1, True and 1.0 differ.

    Raises TypeError for arrays, which are not compared.
    """
    if isinstance(item, np.generic):
        return type(item), item.tobytes()
    if isinstance(item, np.ndarray):
        raise TypeError("arrays are not compared")
    if isinstance(item, tuple):
        return tuple(map(frozen, item))
    if isinstance(item, bool | int | float | complex):
        return type(item), repr(item)
    return type(item), item


def number_key(item: Any) -> Hashable:
    """A key that equals only that of the very same number; None for what is none."""
    return frozen(item) if isinstance(item, bool | int | float | np.generic) else None
