"""Group elementwise ops on arrays of one shape, so that an executor may compute a group in one go.

Before:
    mul: float32[3] = mul(x, x)
    add: float32[3] = add(mul, y)
    neg: float32[3] = neg(add)
    return neg
After:
    neg: float32[3] = fused(x, y):
      mul: float32[3] = mul(x, x)
      add: float32[3] = add(mul, y)
      neg_1: float32[3] = neg(add)
      yield neg_1
    return neg

A member computes an array of the group's shape, known and not a scalar, element by element, and can
neither fail nor act; its inputs broadcast to that shape, its dtype is its own. Ops are in one group
where one reads the other. A scalar constant is made again inside; what is read outside is an
output.

A group is open until a node that is no member reads one of its arrays: there it comes to stand. So
it never needs what needs it. To find ops that belong together before that happens, members are
looked at as soon as what they read is there, other nodes in program order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from runtime.graph.groups import group_shape
from runtime.graph.ir import Graph, Node, Region, Value, free_values
from runtime.graph.nodes import FUSED
from runtime.graph.passes.rewriting import Rewriter, is_constant, may_move, reads

LONGEST = 32
"""Ops that a group may hold."""


def fuse(graph: Graph) -> Graph:
    """The graph with groups of elementwise ops."""
    return _Fusion().graph(graph)


class _Fusion(Rewriter):
    def node(self, node: Node) -> None:
        self.add(node if node.primitive is FUSED else self.inside(node))

    def region(self, region: Region) -> Region:
        made = super().region(region)
        shapes = {node: group_shape(node) for node in made.nodes}
        members = {node: shape for node, shape in shapes.items() if shape and may_move(node)}
        results = {node.outputs[0] for node in members}
        if all(results.isdisjoint(node.inputs) for node in members):
            return made
        grouped = _Grouping(made, members).region()
        return grouped if any(node.primitive is FUSED for node in grouped.nodes) else made


class _Grouping:
    """Writes a region with groups: `groups` are the open ones, by what their members make, and
    `constants` the scalar constants, of which those in `unwritten` nobody has read yet.
    """

    def __init__(self, region: Region, members: dict[Node, tuple[int | None, ...]]) -> None:
        self.before = region
        self.members = members
        self.place = {node: at for at, node in enumerate(region.nodes)}
        self.reads = {node: reads(node) for node in region.nodes}
        self.count = Counter([*region.results, *chain.from_iterable(self.reads.values())])
        self.constants = {n.outputs[0]: n for n in region.nodes if _is_scalar_constant(n)}
        self.unwritten = set(self.constants)
        self.groups: dict[Value, list[Node]] = {}
        self.nodes: list[Node] = []

    def region(self) -> Region:
        """The region with groups; what nobody reads is left out."""
        for node in _early(self.before, self.members):
            if node in self.members:
                self.join(node)
            elif not _is_scalar_constant(node):
                self.write(self.reads[node])
                self.nodes.append(node)
        self.write(self.before.results)
        return replace(self.before, nodes=tuple(self.nodes))

    def join(self, node: Node) -> None:
        """Put a member into one group with those that it reads."""
        group = [node]
        for value in node.inputs:
            other = self.groups.get(value, group)
            if other is group:
                continue
            if self.fits(node, other) and len(group) + len(other) <= LONGEST:
                group += other
                self.groups.update((inner.outputs[0], group) for inner in other)
            else:
                self.write([value])
        self.groups[node.outputs[0]] = group

    def fits(self, node: Node, group: list[Node]) -> bool:
        """True if the node computes arrays of the shape of the group's."""
        return self.members[group[0]] == self.members[node]

    def write(self, values: Iterable[Value]) -> None:
        """Let these values be there, before something that is no member reads them."""
        for value in values:
            if value in self.unwritten:
                self.unwritten.remove(value)
                self.nodes.append(self.constants[value])
            elif value in self.groups:
                self.close(self.groups[value])

    def close(self, group: list[Node]) -> None:
        """Write a group, or the only op of one."""
        for node in group:
            del self.groups[node.outputs[0]]
        if len(group) == 1:
            self.write(group[0].inputs)
        group.sort(key=self.place.__getitem__)
        self.nodes.append(group[0] if len(group) == 1 else self.fused(group))

    def fused(self, group: list[Node]) -> Node:
        """The node of a group, whose outputs are what is read outside."""
        inside = Counter([value for node in group for value in node.inputs])
        made = [node.outputs[0] for node in group]
        outputs = tuple([value for value in made if self.count[value] > inside[value]])
        needed = [self.constants[value] for value in inside if value in self.constants]
        inner = _Inner()
        for node in (*needed, *group):
            (value,) = node.outputs
            if node in needed or value in outputs:
                inner.same[value] = Value(value.type, node.primitive.name)
        body = inner.region(Region((), (*needed, *group), outputs))
        origin = group[-1].origin
        return Node(FUSED, free_values(body), outputs, regions=(body,), origin=origin)


class _Inner(Rewriter):
    def node(self, node: Node) -> None:
        self.add(replace(node, outputs=self.values(node.outputs)))


def _early(region: Region, members: Iterable[Node]) -> Iterator[Node]:
    """The nodes of a region: members as soon as what they read is there, others in their order."""
    needed = [node for node in region.nodes if not _is_scalar_constant(node)]
    makers = {value: node for node in needed for value in node.outputs}
    missing: dict[Node, int] = {}
    readers: dict[Node, list[Node]] = defaultdict(list)
    for node in members:
        needs = {makers[value] for value in node.inputs if value in makers}
        missing[node] = len(needs)
        for need in needs:
            readers[need].append(node)
    there: set[Node] = set()
    for first in (*[node for node in missing if not missing[node]], *region.nodes):
        pending = [first]
        while pending:
            node = pending.pop()
            if node in there:
                continue
            there.add(node)
            yield node
            for reader in readers[node]:
                missing[reader] -= 1
                pending += () if missing[reader] else (reader,)


def _is_scalar_constant(node: Node) -> bool:
    return is_constant(node) and getattr(node.outputs[0].type, "shape", None) == ()
