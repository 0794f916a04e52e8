"""Dataflow analysis over the nested regions of a graph: forwards, from inputs to outputs, or
backwards.

A subclass defines the transfer function of one op (`op`) and the join of the lattice (`flow`).
Branches and loops are handled here; the body of a loop is analysed until a fixed point is reached.
An analysis with long or infinite ascending chains widens in `flow`.

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
        """Analyse a region."""
        self.follow(region.nodes)

    def follow(self, nodes: Iterable[Node]) -> None:
        """Analyse nodes in their order."""
        for node in nodes:
            if node.primitive is WHILE:
                self.loop(node)
            elif node.primitive is COND:
                self.branches(node)
            else:
                self.op(node)

    def op(self, node: Node) -> None:
        """Apply the transfer function of a node without regions."""
        raise NotImplementedError

    def branches(self, node: Node) -> None:
        """Analyse the branches of a node."""
        raise NotImplementedError

    def loop(self, node: Node) -> None:
        """Analyse the body of a loop."""
        raise NotImplementedError


class Forward(_Analysis):
    """An analysis in program order."""

    def flow(self, sources: Iterable[Value], targets: Iterable[Value]) -> bool:
        """Join the facts of each source into those of its target; True if these changed."""
        raise NotImplementedError

    def taken(self, node: Node) -> Iterable[Region]:
        """The branches that may be taken; of each, all is done before the next is asked for."""
        return node.regions

    def enter(self, state: Sequence[Value], parameters: Sequence[Value]) -> bool:
        """Join the state of a loop, behind the outcome of its test, into the parameters of a round;
        True if what is known of these changed.
        """
        return self.flow(state[1:], parameters)

    def branches(self, node: Node) -> None:
        """Analyse the branches, and join their results."""
        for region in self.taken(node):
            self.region(region)
            if not diverges(region):
                self.flow(region.results, node.outputs)

    def loop(self, node: Node) -> None:
        """Analyse the body until its state reaches a fixed point."""
        (body,) = node.regions
        self.enter(node.inputs, body.parameters)
        self.region(body)
        while self.enter(body.results, body.parameters):
            self.region(body)
        self.flow(node.inputs[1:], node.outputs)
        self.flow(body.results[1:], node.outputs)


class Backward(_Analysis):
    """An analysis against program order, which propagates the set `found` from uses to sources."""

    def __init__(self, found: Iterable[Value]) -> None:
        self.found = set(found)

    def follow(self, nodes: Iterable[Node]) -> None:
        """Analyse nodes, the last one first."""
        super().follow(reversed(tuple(nodes)))

    def flow(self, targets: Iterable[Value], sources: Iterable[Value]) -> bool:
        """Add the sources of the targets in `found` to it; True if there is a new one."""
        pairs = zip(targets, sources, strict=True)
        new = {source for target, source in pairs if target in self.found} - self.found
        self.found |= new
        return bool(new)

    def branches(self, node: Node) -> None:
        """Analyse the branches, from their results backwards."""
        for region in node.regions:
            if not diverges(region):
                self.flow(node.outputs, region.results)
            self.region(region)

    def loop(self, node: Node) -> None:
        """Analyse the body until its state reaches a fixed point."""
        (body,) = node.regions
        first, results = node.inputs[1:], body.results[1:]
        self.flow(node.outputs, results)
        self.region(body)
        while self.flow(body.parameters, results):
            self.region(body)
        self.flow((*node.outputs, *body.parameters), (*first, *first))
