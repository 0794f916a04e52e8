"""Drop loops that never run, write those of one round as what they are, and carry only what
changes, and that once.

Before:
    y: float32[], n: float32[] = while test with (z: float32[] = x, m: float32[] = w):
      add: float32[] = add(z, m)
      less: bool[] = less(add, m)
      yield less, add, m
After:
    y: float32[] = while test with (z: float32[] = x):
      add: float32[] = add(z, w)
      less: bool[] = less(add, w)
      yield less, add
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from runtime.graph.ir import Graph, Node, Region, Value, walk
from runtime.graph.nodes import WHILE
from runtime.graph.passes.constant_folding import compute
from runtime.graph.passes.rewriting import (
    Rewriter,
    carrying,
    is_constant,
    number_key,
    substituted,
    with_regions,
)

FEW = 8
"""Ops that may stand between the state and the test of a loop that is known to run once."""


def simplify_loops(graph: Graph) -> Graph:
    """The graph without loops whose course is known, and without state that does not change."""
    if not any(node.primitive is WHILE for node in walk(graph.body)):
        return graph
    return _Loops().graph(graph)


class _Loops(Rewriter):
    def node(self, node: Node) -> None:
        if node.primitive is not WHILE:
            super().node(node)
            return
        proceed = self.constant(node.inputs[0])
        if proceed is not None and not proceed:
            self.replace(node, *node.inputs[1:])
        elif proceed is not None and self.is_one_round(node):
            self.round(node)
        else:
            self.rounds(self.inside(node))

    def rounds(self, node: Node) -> None:
        """Add a loop that carries only what changes."""
        while stand_ins := dict(self.stand_ins(node)):
            (body,) = node.regions
            same = {body.parameters[at]: inner for at, (inner, _) in stand_ins.items()}
            self.same.update((node.outputs[at], after) for at, (_, after) in stand_ins.items())
            node = carrying(node, [at for at in range(len(node.outputs)) if at not in stand_ins])
            node = with_regions(node, (substituted(node.regions[0], same),))
        self.add(node)

    def stand_ins(self, node: Node) -> Iterator[tuple[int, tuple[Value, Value]]]:
        """Places in the state of which another value says as much, in the body and after it."""
        (body,) = node.regions
        first: dict[Hashable, int] = {}
        for at, parameter in enumerate(body.parameters):
            initial, result = node.inputs[at + 1], body.results[at + 1]
            if result is parameter and initial.type == parameter.type:
                yield at, (initial, initial)
                continue
            key = self.key(initial), result, parameter.type
            twin = first.setdefault(key, at)
            if twin != at:
                yield at, (body.parameters[twin], node.outputs[twin])

    def key(self, value: Value) -> Hashable:
        """Equal for values that are the same whenever they are read."""
        return number_key(self.constant(value)) or value

    def round(self, node: Node) -> None:
        """Add what the only round of a loop does."""
        (body,) = node.regions
        self.same.update(zip(body.parameters, node.inputs[1:], strict=True))
        for inner in body.nodes:
            self.node(self.renamed(inner))
        self.replace(node, *self.values(body.results[1:]))

    def is_one_round(self, node: Node) -> bool:
        """True if the test after the first iteration is known to be false."""
        (body,) = node.regions
        state = list(zip(body.parameters, node.inputs[1:], strict=True))
        if any(parameter.type != initial.type for parameter, initial in state):
            return False
        known = {parameter: self.constant(initial) for parameter, initial in state}
        test = _computed(body.results[0], body, known, self)
        return test is not None and not test


def _computed(value: Value, body: Region, known: dict[Value, Any], loops: _Loops) -> Any:
    """Returns what a value of the body is in the first iteration; None where that is not known."""
    needed, wanted = [], {value}
    for node in reversed(body.nodes):
        if not wanted.isdisjoint(node.outputs):
            needed.append(node)
            wanted.update(node.inputs)
        if len(needed) > FEW:
            return None
    for node in reversed(needed):
        if is_constant(node):
            known[node.outputs[0]] = node.params["value"]
            continue
        inputs = [known[v] if v in known else loops.constant(v) for v in node.inputs]
        if any(item is None for item in inputs):
            return None
        known[node.outputs[0]] = compute(node, inputs)
    return known[value] if value in known else loops.constant(value)
