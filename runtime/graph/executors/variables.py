"""Copy coalescing: values share a name if control flow would only move them from one name to
another.

    if test:                        if test:
        add = total + 1                 total = total + 1
        total_1 = add               ...
    else:
        total_1 = total
    ...

Values may share a name unless one is assigned while the other will still be read. A region is
walked backwards with the values that are read behind each place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from runtime.graph.executors.buffers import Plan
from runtime.graph.executors.holding import Holding
from runtime.graph.ir import Graph, Node, Region, Value, diverges, free_values, walk
from runtime.graph.nodes import COND, WHILE

Move = tuple[Value, Value]
"""What control flow assigns to, and what it assigns."""


class Variables:
    """The names of the values of a graph's body: `root` stands for all values of a name.
    `proceeds` are the variables that loops are asked by.
    """

    def __init__(
        self,
        graph: Graph,
        body: Region,
        held: Holding,
        buffers: Plan,
    ) -> None:
        self.held = held
        self.buffers = buffers
        self.proceeds: dict[Node, Value] = {}
        self._members: dict[Value, set[Value]] = {}
        self._roots: dict[Value, Value] = {}
        self._apart: dict[Value, set[Value]] = defaultdict(set)
        # What is global must not be assigned to.
        self._fixed = {value for value, _ in graph.closure}
        self._fixed |= {value for node in held.blocked for value in node.outputs}
        moves = self._moves(body)
        if moves:
            self._candidates = {value for move in moves for value in move}
            self._define(body.parameters, self._region(body, self._reads(body.results)))
            self._join(moves, body)

    def root(self, value: Value) -> Value:
        """The value that stands for all that share its name."""
        return self._roots.get(value, value)

    def is_moved(self, value: Value) -> bool:
        """True if control flow moves it, so that it may share its name."""
        return value in self._roots

    # What is moved

    def _moves(self, body: Region) -> list[Move]:
        moves: list[Move] = []
        entries: list[Move] = []
        for node in walk(body):
            if node.primitive is WHILE:
                (inner,) = node.regions
                proceed = self.proceeds[node] = Value(inner.results[0].type, "proceed")
                targets = (proceed, *inner.parameters)
                moves += self._pairs(targets, inner.results)
                entries += self._pairs(targets, node.inputs)
            elif node.primitive is COND and node not in self.held.expressions:
                for inner in node.regions:
                    if not diverges(inner):
                        moves += self._pairs(node.outputs, inner.results)
        # What each round moves comes before what the first one does.
        return moves + entries

    def _pairs(self, targets: Iterable[Value], sources: Iterable[Value]) -> list[Move]:
        found = []
        for target, source in zip(targets, sources, strict=True):
            variable = self.held.variable(source)
            if variable is not None and variable not in self._fixed:
                found.append((target, variable))
        return found

    def _join(self, moves: Sequence[Move], body: Region) -> None:
        # The first of these gives its name to what it shares one with.
        loops = [node.regions[0] for node in walk(body) if node.primitive is WHILE]
        named = [value for region in (body, *loops) for value in region.parameters]
        named += [value for move in moves for value in move]
        self._order = {value: at for at, value in reversed(list(enumerate(named)))}
        self._roots = {value: value for move in moves for value in move}
        self._members = {value: {value} for value in self._roots}
        for target, source in moves:
            self._merge(self._roots[target], self._roots[source])
        for members in self._members.values():
            self._roots.update(dict.fromkeys(members, min(members, key=self._order.__getitem__)))

    def _merge(self, one: Value, other: Value) -> None:
        if one is other or self._collide(one, other) or self._collide(other, one):
            return
        # The smaller set goes into the larger one, so that a value moves rarely.
        other, one = sorted((one, other), key=lambda root: len(self._members[root]))
        members = self._members.pop(other)
        self._members[one] |= members
        self._roots.update(dict.fromkeys(members, one))
        small, large = sorted((self._apart[one], self._apart.pop(other, set())), key=len)
        large |= small
        self._apart[one] = large

    def _collide(self, one: Value, other: Value) -> bool:
        return not self._apart[one].isdisjoint(self._members[other])

    # What is read behind each place

    def _reads(self, values: Iterable[Value]) -> set[Value]:
        found = {read for value in values for read in self.held.variables(value)}
        return found & self._candidates

    def _define(self, values: Iterable[Value], live: set[Value]) -> None:
        """These are assigned, all at once, where those are still to be read."""
        made = self._candidates.intersection(values)
        for value in made:
            self._apart[value] |= live | made
            self._apart[value].discard(value)

    def _region(self, region: Region, live: set[Value]) -> set[Value]:
        """Returns what is read behind the start of a region, given what is behind its end."""
        for node in reversed(region.nodes):
            if node.primitive is WHILE:
                live = self._while(node, live)
            elif not self.held.is_written(node):
                continue
            elif node.primitive is COND and node not in self.held.expressions:
                live = self._cond(node, live)
            else:
                self._define(node.outputs, live)
                buffers = filter(None, map(self.buffers.target, node.outputs))
                reads = self._reads((*self.held.operands(node), *buffers))
                live = live.difference(node.outputs) | reads
        return live

    def _cond(self, node: Node, live: set[Value]) -> set[Value]:
        after = live.difference(node.outputs)
        before = self._reads(node.inputs)
        for region in node.regions:
            if diverges(region):
                before |= self._region(region, set())
            else:
                self._define(node.outputs, after)
                before |= self._region(region, after | self._reads(region.results))
        return before

    def _while(self, node: Node, live: set[Value]) -> set[Value]:
        (body,) = node.regions
        around = live.difference(body.parameters) | self._reads(free_values(body))
        self._define((self.proceeds[node], *body.parameters), around)
        self._region(body, around | self._reads(body.results))
        return around | self._reads(node.inputs)
