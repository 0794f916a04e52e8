"""Dead code elimination: remove nodes whose outputs are not used, unused results of branches, and
unused state of loops.

Before:
    y: float32[] = add(x, x)
    a: float32[], b: float32[] = cond test:
      yield x, x
    else:
      yield z, z
    return a
After:
    a: float32[] = cond test:
      yield x
    else:
      yield z
    return a

A call of a Python function makes no record for a gradient that nobody asks for.

Effects stay, and so do ops that may fail: Python raises their errors even if the value is not used.
So do loops that may have no end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from runtime.core.types import TensorType
from runtime.graph.ir import Graph, Node, Region, Value, diverges
from runtime.graph.nodes import COND, WHILE
from runtime.graph.passes.rewriting import carrying, may_fail, with_regions, yielding
from runtime.graph.passes.termination import ends
from runtime.ops import range_p


def eliminate_dead_code(graph: Graph) -> Graph:
    """The graph without dead code."""
    use = _Use()
    use.index(graph.body)
    use.mark(*graph.results, *[value for node in use.effects for value in _always(node)])
    body = _swept(graph.body, graph.results, use)
    closure = tuple([(value, item) for value, item in graph.closure if value in use.values])
    return replace(graph, body=body, closure=closure)


def used_values(graph: Graph) -> set[Value]:
    """The values that results or effects depend on; an op that may fail is no effect here."""
    use = _Use(lambda node: node.primitive.effect or "callee" in node.params)
    use.index(graph.body)
    use.mark(*graph.results, *[value for node in use.effects for value in _always(node)])
    return use.values


class _Use:
    """The values that are used, and the nodes that stay: found by following each value once."""

    def __init__(self, must_run: Callable[[Node], bool] | None = None) -> None:
        self.must_run = must_run or _must_run
        self.makers: dict[Value, tuple[Node, int]] = {}
        self.effects: set[Node] = set()
        self.values: set[Value] = set()

    def index(self, region: Region) -> bool:
        """Note what makes each value, and the nodes that must run; whether there are any."""
        found = False
        for node in region.nodes:
            for place, value in enumerate(node.outputs):
                self.makers[value] = node, place
            if node.primitive is WHILE:
                for place, value in enumerate(node.regions[0].parameters):
                    self.makers[value] = node, place
            inner = [self.index(inner) for inner in node.regions]
            if any(inner) or self.must_run(node) or self.may_go_on(node):
                self.effects.add(node)
                found = True
        return found

    def may_go_on(self, node: Node) -> bool:
        """Whether it is a loop without an end, perhaps: nothing behind it would run."""
        return node.primitive is WHILE and not ends(node, self.makers)

    def mark(self, *values: Value) -> None:
        """These values are used, and so is what they are made of."""
        pending = list(values)
        while pending:
            value = pending.pop()
            if value in self.values:
                continue
            self.values.add(value)
            if value in self.makers:
                pending += _needed(*self.makers[value])

    def stays(self, node: Node) -> bool:
        """True if the node must run, or its outputs are used."""
        return node in self.effects or any(value in self.values for value in node.outputs)


def _must_run(node: Node) -> bool:
    # Python would have raised the error of a result that nobody reads, so a fallible op stays.
    return node.primitive.effect or may_fail(node) or "callee" in node.params


def _always(node: Node) -> tuple[Value, ...]:
    """Returns what a node needs whichever of its outputs are used."""
    if node.primitive is WHILE:
        return node.inputs[0], node.regions[0].results[0]
    return node.inputs


def _needed(node: Node, place: int) -> tuple[Value, ...]:
    """Returns what one output of a node needs; for a loop, one of its variables."""
    if node.primitive is WHILE:
        pair = node.inputs[place + 1], node.regions[0].results[place + 1]
        return *_always(node), *pair, node.outputs[place]
    results = [region.results[place] for region in node.regions if not diverges(region)]
    return *node.inputs, *results


def _swept(region: Region, results: tuple[Value, ...], use: _Use) -> Region:
    nodes = tuple([_trimmed(node, use) for node in region.nodes if use.stays(node)])
    if nodes == region.nodes and results == region.results:
        return region
    return Region(region.parameters, nodes, results)


def _trimmed(node: Node, use: _Use) -> Node:
    if node.primitive is COND:
        return _trimmed_cond(node, use)
    if node.primitive is range_p and node.outputs[0] not in use.values:
        return _checked_only(node)
    if node.primitive.records and node.outputs[-1] not in use.values:
        return replace(node, params={**node.params, "records": False})
    return _trimmed_while(node, use) if node.primitive is WHILE else node


def _checked_only(node: Node) -> Node:
    """The range as an empty one: its ends are checked, and no elements are made."""
    (output,) = node.outputs
    assert isinstance(output.type, TensorType)
    empty = Value(TensorType(output.type.dtype, (0,)), output.name)
    return replace(node, outputs=(empty,), params={**node.params, "length": 0})


def _trimmed_cond(node: Node, use: _Use) -> Node:
    wanted = [place for place, output in enumerate(node.outputs) if output in use.values]
    node = yielding(node, wanted)
    return with_regions(node, tuple([_swept(r, r.results, use) for r in node.regions]))


def _trimmed_while(node: Node, use: _Use) -> Node:
    wanted = [place for place, output in enumerate(node.outputs) if output in use.values]
    node = carrying(node, wanted)
    (body,) = node.regions
    return with_regions(node, (_swept(body, body.results, use),))
