"""The release of arrays in generated code: behind the last op that reads them.

Of large ones the next op can have the memory, which is still in the caches; only functions without
branches and loops are looked at. Of those of variables an update can write over the array, which
nobody else holds then.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from runtime.core.shapes import size_of
from runtime.core.types import TensorType, Type
from runtime.graph.executors.blocks import last_uses
from runtime.graph.executors.buffers import Plan
from runtime.graph.executors.kernels import is_array, is_view
from runtime.graph.ir import Node, Region, Value, walk

LARGE = 1 << 14
"""Elements of an array that is worth a line."""


def ends_of(body: Region, plan: Plan, special: Iterable[Node]) -> dict[Node, list[Value]]:
    """The arrays that are not needed any more behind a node.

    `special` are the nodes that are not written as a call of their own, in their own place.
    """
    if any(node.regions for node in body.nodes):
        return {}
    special = set(special)
    made = [value for node in body.nodes for value in node.outputs]
    kept = {*body.results, *plan.slots_of, *filter(None, map(plan.target, made))}
    kept.update(value for node in special for value in (*node.inputs, *node.outputs))
    large = {value for value in made if _is_large(value.type)} - kept
    last = {value: node for node in body.nodes for value in node.inputs if value in large}
    found: dict[Node, list[Value]] = {}
    for value, node in last.items():
        found.setdefault(node, []).append(value)
    return found


def reads_of_updated(body: Region) -> set[Value]:
    """Returns what is read of variables that are updated too, and views of it."""
    accesses = [node for node in walk(body) if node.primitive.method]
    updated = {node.params["variable"] for node in accesses if not node.outputs}
    found: set[Value] = set()
    for node in walk(body) if updated else ():
        is_read = node.primitive.method and node.params["variable"] in updated
        if is_read or (is_view(node) and node.inputs[0] in found):
            found.update(filter(is_array, node.outputs))
    return found


def ends_within(body: Region, values: Container[Value]) -> dict[Node, list[Value]]:
    """Those of these values that nothing reads behind a node of the region that makes them."""
    found: dict[Node, list[Value]] = {}
    for region in (body, *[inner for node in walk(body) for inner in node.regions]):
        made = {value for node in region.nodes for value in node.outputs if value in values}
        for value, at in last_uses(region).items() if made else ():
            if value in made and at < len(region.nodes):
                found.setdefault(region.nodes[at], []).append(value)
    return found


def _is_large(type: Type) -> bool:
    if not isinstance(type, TensorType):
        return False
    size = size_of(type.shape)
    return size is None or size >= LARGE
