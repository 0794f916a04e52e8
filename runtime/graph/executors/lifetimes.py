"""Where generated code lets go of large arrays: behind the last op that reads them, so that the
next op can have their memory, which is still in the caches. Nobody else holds it until the end of
the call otherwise. Only functions without branches and loops are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable

from runtime.graph.executors.buffers import Plan
from runtime.graph.ir import Node, Region, Value
from runtime.shapes import size_of
from runtime.types import TensorType, Type

LARGE = 1 << 14
"""Elements of an array that is worth a line."""


def ends_of(body: Region, plan: Plan, special: Iterable[Node]) -> dict[Node, list[Value]]:
    """The arrays that are not needed any more behind a node.

    `special` are the nodes that are not written as a call of their own, in their own place.
    """
    if any(node.regions for node in body.nodes):
        return {}
    special = set(special)
    kept = {*body.results, *plan.slots_of, *filter(None, map(plan.target, body.nodes))}
    kept.update(value for node in special for value in (*node.inputs, *node.outputs))
    made = {value for node in body.nodes for value in node.outputs if _is_large(value.type)} - kept
    last = {value: node for node in body.nodes for value in node.inputs if value in made}
    found: dict[Node, list[Value]] = {}
    for value, node in last.items():
        found.setdefault(node, []).append(value)
    return found


def _is_large(type: Type) -> bool:
    if not isinstance(type, TensorType):
        return False
    size = size_of(type.shape)
    return size is None or size >= LARGE
