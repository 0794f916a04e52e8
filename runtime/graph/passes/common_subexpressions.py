"""Compute once what is computed twice from the same values.

Before:
    mul: float32[] = mul(x, y)
    mul_1: float32[] = mul(x, y)
    add: float32[] = add(mul, mul_1)
After:
    mul: float32[] = mul(x, y)
    add: float32[] = add(mul, mul)

The first one always runs before the second: it stands in the same region or in one around it. So
an op that may fail is no exception: if the first does not fail, nor does the second. What both
branches of a cond compute is computed before it, if it can neither fail nor act.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from runtime.core.types import ListType
from runtime.graph.ir import Graph, Node, Region, Value
from runtime.graph.nodes import COND, UNDEFINED
from runtime.graph.passes.rewriting import (
    Rewriter,
    frozen,
    is_constant,
    may_move,
    substituted,
    with_regions,
)


def eliminate_common_subexpressions(graph: Graph) -> Graph:
    """The graph in which no op computes what another one before it has computed."""
    return _Subexpressions().graph(graph)


class _Subexpressions(Rewriter):
    def __init__(self) -> None:
        super().__init__()
        self.known: dict[Hashable, Node] = {}
        self.learned: list[Hashable] = []

    def region(self, region: Region) -> Region:
        before = len(self.learned)
        made = super().region(region)
        while len(self.learned) > before:
            del self.known[self.learned.pop()]
        return made

    def learn(self, key: Hashable, node: Node) -> None:
        """From here to the end of the region, this is computed."""
        self.known[key] = node
        self.learned.append(key)

    def node(self, node: Node) -> None:
        key = node_key(node)
        known = None if key is None else self.known.get(key)
        if known is not None:
            self.replace(node, *known.outputs)
            return
        if key is not None:
            self.learn(key, node)
        node = self.inside(node)
        if node.primitive is COND:
            while (made := self.without_common(node)) is not node:
                node = self.inside(made)
            results = zip(node.outputs, *[region.results for region in node.regions], strict=False)
            self.same.update((output, one) for output, one, other in results if one is other)
        self.add(node)

    def without_common(self, node: Node) -> Node:
        """A cond, before which is added what both branches compute."""
        if not _any_common(node):
            return node
        body, orelse = node.regions
        first = {node_key(inner): inner for inner in body.nodes if may_move(inner)}
        moved: set[Node] = set()
        same: dict[Value, Value] = {}
        for inner in orelse.nodes:
            inputs = tuple([same.get(value, value) for value in inner.inputs])
            key = node_key(replace(inner, inputs=inputs))
            twin = first.get(key)
            if twin is not None and key is not None:
                moved |= {inner, twin}
                same.update(zip(inner.outputs, twin.outputs, strict=True))
                self.learn(key, twin)
                self.add(twin)
        return with_regions(
            node, (_without(body, moved), substituted(_without(orelse, moved), same))
        )


def _any_common(node: Node) -> bool:
    """True if both branches of a cond may compute the same."""
    body, orelse = [
        {inner.primitive for inner in region.nodes if not is_constant(inner)}
        for region in node.regions
    ]
    return not body.isdisjoint(orelse)


def _without(region: Region, nodes: set[Node]) -> Region:
    left = tuple([node for node in region.nodes if node not in nodes])
    return replace(region, nodes=left) if nodes else region


def node_key(node: Node) -> Hashable | None:
    """All that the result of a node depends on; None where that cannot be told."""
    if node.primitive.effect or node.regions or "callee" in node.params:
        return None
    if node.primitive is UNDEFINED or isinstance(node.outputs[0].type, ListType):
        return None
    if not node.params:
        return node.primitive, node.inputs
    try:
        params = tuple([(name, frozen(item)) for name, item in node.params.items()])
        hash(params)
    except TypeError:
        return None
    return node.primitive, node.inputs, params
