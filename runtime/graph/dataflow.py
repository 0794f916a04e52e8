"""Dataflow through the nested regions of a graph: forwards, from what nodes are given, or
backwards, from what is made of their results.

An analysis says what one op does (`op`, the transfer) and what follows where a value may be another
one (`flow`, the join of its lattice). The ways through branches and loops are the same for all; a
loop is gone through again as long as a round says more. An analysis whose chains are long, or whose
join does not end by itself, widens in `flow`.

    class Dependent(Forward):              # the values that depend on those in `found`
        def op(self, node):
            if not self.found.isdisjoint(node.inputs):
                self.found.update(node.outputs)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runtime.graph.ir import Node, Region, Value, diverges
from runtime.graph.nodes import COND, WHILE


class _Analysis:
    """An analysis in one direction."""

    def region(self, region: Region) -> None:
        """Follow the nodes of a region."""
        self.follow(region.nodes)

    def follow(self, nodes: Iterable[Node]) -> None:
        """Follow nodes that stand behind each other."""
        for node in nodes:
            if node.primitive is WHILE:
                self.loop(node)
            elif node.primitive is COND:
                self.branches(node)
            else:
                self.op(node)

    def op(self, node: Node) -> None:
        """Learn what a node without branches or rounds does."""
        raise NotImplementedError

    def branches(self, node: Node) -> None:
        """Follow the branches of a node."""
        raise NotImplementedError

    def loop(self, node: Node) -> None:
        """Follow the rounds of a node."""
        raise NotImplementedError


class Forward(_Analysis):
    """An analysis in program order."""

    def flow(self, sources: Iterable[Value], targets: Iterable[Value]) -> bool:
        """Learn that each target may be its source; returns whether that says more."""
        raise NotImplementedError

    def taken(self, node: Node) -> Sequence[Region]:
        """The branches that may be taken."""
        return node.regions

    def branches(self, node: Node) -> None:
        """Follow the branches, and join what they end with."""
        for region in self.taken(node):
            self.region(region)
            if not diverges(region):
                self.flow(region.results, node.outputs)

    def loop(self, node: Node) -> None:
        """Follow the rounds until the state that they carry is settled."""
        (body,) = node.regions
        self.flow(node.inputs[1:], body.parameters)
        self.region(body)
        while self.flow(body.results[1:], body.parameters):
            self.region(body)
        self.flow(body.parameters, node.outputs)


class Backward(_Analysis):
    """An analysis of the values in `found`, against program order: of what they are made."""

    def __init__(self, found: Iterable[Value]) -> None:
        self.found = set(found)

    def follow(self, nodes: Iterable[Node]) -> None:
        """Follow nodes that stand behind each other, the last one first."""
        super().follow(reversed(tuple(nodes)))

    def flow(self, targets: Iterable[Value], sources: Iterable[Value]) -> bool:
        """Find the source of each target that is found; returns whether there is a new one."""
        pairs = zip(targets, sources, strict=True)
        new = {source for target, source in pairs if target in self.found} - self.found
        self.found |= new
        return bool(new)

    def branches(self, node: Node) -> None:
        """Follow the branches, from what they end with."""
        for region in node.regions:
            if not diverges(region):
                self.flow(node.outputs, region.results)
            self.region(region)

    def loop(self, node: Node) -> None:
        """Follow the rounds until the state that they carry is settled."""
        (body,) = node.regions
        first, results = node.inputs[1:], body.results[1:]
        self.flow(node.outputs, results)
        self.region(body)
        while self.flow(body.parameters, results):
            self.region(body)
        self.flow((*node.outputs, *body.parameters), (*first, *first))
