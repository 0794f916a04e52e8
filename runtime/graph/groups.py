"""Fusion groups: elementwise ops on arrays of one shape, in a node of their own, so that an
executor may compute them element by element, in one go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from runtime.core.primitive import Primitive, broadcast_shapes, same_shape
from runtime.core.shapes import Shape
from runtime.core.types import TensorType
from runtime.graph.ir import Node, Region, Value
from runtime.graph.nodes import FUSED

_BY_ELEMENT = (same_shape, broadcast_shapes)


def is_elementwise(primitive: Primitive) -> bool:
    """True if an element of the result depends on those of the inputs at its place alone. That is
    what the two shape rules say that only broadcast.
    """
    return primitive.shape in _BY_ELEMENT


def group_shape(node: Node) -> Shape:
    """The shape of the arrays that an elementwise node computes; None where it computes none, or
    where their shape is not known.
    """
    type = node.outputs[0].type if len(node.outputs) == 1 else None
    if not isinstance(type, TensorType) or not type.shape or None in type.shape:
        return None
    if not is_elementwise(node.primitive) or not all(
        map(_is_numeric, (*node.inputs, *node.outputs))
    ):
        return None
    return type.shape


def _is_numeric(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.dtype.np_dtype.kind in "biufc"


def ungrouped(region: Region, groups: dict[Node, Node] | None = None) -> Region:
    """The region with the ops of its groups in their places, one behind the other; `groups` gets
    the group of each of them.
    """
    nodes: list[Node] = []
    for node in region.nodes:
        inner = tuple([ungrouped(each, groups) for each in node.regions])
        if node.primitive is FUSED:
            members = list(_members(node, inner[0]))
            nodes += members
            if groups is not None:
                groups.update(dict.fromkeys(members, node))
        else:
            nodes.append(node if inner == node.regions else replace(node, regions=inner))
    made = tuple(nodes)
    return region if made == region.nodes else replace(region, nodes=made)


def _members(group: Node, region: Region) -> Iterator[Node]:
    """The ops of a group, which compute its outputs themselves."""
    names = dict(zip(region.results, group.outputs, strict=True))
    for node in region.nodes:
        inputs = tuple([names.get(value, value) for value in node.inputs])
        outputs = tuple([names.get(value, value) for value in node.outputs])
        yield replace(node, inputs=inputs, outputs=outputs)
