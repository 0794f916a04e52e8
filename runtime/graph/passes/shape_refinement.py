"""Work out every type of a graph again, for parameters whose shapes are known better.

Before:
    graph f(x: float32[?,4]) -> (float32[?,?]):
      shape: int32[2] = shape(x)
      strided_slice: int32[] = shape[0]
      mul: float32[?,4] = mul(x, x)
      reshape: float32[?,?] = reshape(mul, shape=(strided_slice, 2, -1))
      return reshape
After, for x: float32[3,4]:
    graph f(x: float32[3,4]) -> (float32[3,2,2]):
      shape: int32[2] = [3, 4]
      mul: float32[3,4] = mul(x, x)
      reshape: float32[3,2,2] = reshape(mul, shape=(3, 2, -1))
      return reshape

Types come from the rules of the ops (`shape_inference`). What depends on shapes only is computed on
the way, because further shapes depend on it: of a branch whose test is known in this way, only that
branch is left. What a loop carries has the type that covers all rounds. Graphs that are called are
refined for the types that they are called with, but not those that call themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from runtime.core.shapes import is_known
from runtime.core.types import ListType, NumberType, TensorType, Type
from runtime.graph.ir import Callee, Graph, Node, Region, Value, covers, diverges, walk
from runtime.graph.lists import EXTEND, PUSH, empty, is_empty
from runtime.graph.nodes import COND, INT, LIST_ADD, LIST_AS, UNDEFINED, WHILE
from runtime.graph.passes.inlining import Calls
from runtime.graph.passes.rewriting import constant_like, is_constant
from runtime.graph.passes.shape_inference import NOTHING, Inference
from runtime.graph.passes.shape_inference import Contradiction as Contradiction

MOST_CALLED = 64
"""Graphs that are refined because the graph calls them; what else it calls stays as it is."""


def refine_shapes(graph: Graph, types: Sequence[Type]) -> Graph:
    """The graph for parameters of these types, which the types of its own cover.

    Raises Contradiction where that is no graph: some op in it does not take such shapes.
    """
    return _Callees(graph).refine(graph, types)


def refine_calls(graph: Graph) -> Graph:
    """The graph, in which calls of graphs for wider types are calls of graphs for just theirs."""
    if not any(map(_is_wide, walk(graph.body))):
        return graph
    try:
        return refine_shapes(graph, [value.type for value in graph.parameters])
    except Contradiction:
        return graph


def result_types(
    graph: Graph, inputs: Sequence[Value], constants: Mapping[Value, Any]
) -> list[Type]:
    """The types of the results of a call with these inputs, of which some are known constants."""
    types = [result.type for result in graph.results]
    if all(map(_is_known, types)):
        return types
    known = [(value.type, constants.get(value)) for value in inputs]
    if all(raw is None for _, raw in known):
        return types
    found = Inference(lambda graph, types: None)
    try:
        for parameter, each in zip(graph.parameters, known, strict=True):
            found.learn(parameter, *each)
        found.region(graph.body)
    except Contradiction:
        return types
    return list(map(found.type, graph.results))


def _is_known(type: Type) -> bool:
    """Whether there is nothing more to find out about a type."""
    if isinstance(type, TensorType):
        return is_known(type.shape)
    return isinstance(type, NumberType)


def _is_wide(node: Node) -> bool:
    if "callee" not in node.params:
        return False
    parameters = node.params["callee"].graph.parameters
    return any(a.type != b.type for a, b in zip(node.inputs, parameters, strict=True))


class _Callees:
    """The graphs that were refined, by what they are called with."""

    def __init__(self, graph: Graph) -> None:
        self.recursive = Calls(graph).recursive
        self.made: dict[tuple[Graph, tuple[Type, ...]], Callee] = {}

    def refine(self, graph: Graph, types: Sequence[Type]) -> Graph:
        """The graph for parameters of these types."""
        body = graph.body
        found = Inference(self.called)
        for parameter, type in zip(body.parameters, types, strict=True):
            found.learn(parameter, type)
        found.region(body)
        return replace(graph, body=_Rewriting(found).region(body))

    def called(self, graph: Graph, types: tuple[Type, ...]) -> Callee | None:
        """The graph for a call with these types; None where it stays as it is."""
        found = self.made.get((graph, types))
        if found is None and graph not in self.recursive and len(self.made) < MOST_CALLED:
            found = self.made[graph, types] = Callee(graph.name, self.refine(graph, types))
        return found


class _Rewriting:
    """Writes a graph with the types that were found; `nodes` is the region that is written."""

    def __init__(self, found: Inference) -> None:
        self.found = found
        self.same: dict[Value, Value] = {}
        self.nodes: list[Node] = []

    def region(self, region: Region, types: Sequence[Type] | None = None) -> Region:
        """The region, whose results have these types."""
        before, self.nodes = self.nodes, []
        parameters = self.refined(region.parameters)
        for node in region.nodes:
            self.node(node)
        results = self.values(region.results)
        if types is not None and not diverges(region):
            results = self.fitted(region.results, types)
        nodes, self.nodes = tuple(self.nodes), before
        return Region(parameters, nodes, results)

    def node(self, node: Node) -> None:
        """Add what stands for a node."""
        taken = self.found.taken_alone.get(node)
        if taken is not None:
            for inner in taken.nodes:
                self.node(inner)
            types = list(map(self.found.type, node.outputs))
            self.same.update(zip(node.outputs, self.fitted(taken.results, types), strict=True))
            return
        made = self.found.stand_ins.get(node, node)
        inputs, outputs = self.inputs(node, made), self.refined(node.outputs)
        regions = tuple(self.regions(node))
        made = replace(made, inputs=inputs, outputs=outputs, regions=regions)
        constant = self.constant(node)
        self.nodes.append(_typed(made) if constant is None else constant_like(made, constant))

    def inputs(self, node: Node, made: Node) -> tuple[Value, ...]:
        """Returns what a node reads, of the types that it needs."""
        types = list(map(self.found.type, node.outputs))
        if node.primitive is WHILE:
            return *self.values(node.inputs[:1]), *self.fitted(node.inputs[1:], types)
        if node.primitive is PUSH and isinstance(types[0], ListType):
            return self.fitted(node.inputs, [types[0], INT, types[0].element])
        if node.primitive in (LIST_ADD, EXTEND):
            return self.fitted(node.inputs, [*types, *types])
        return self.values(made.inputs)

    def regions(self, node: Node) -> Iterator[Region]:
        """The regions of a node, whose results have the types of its outputs."""
        types = list(map(self.found.type, node.outputs))
        for region in node.regions:
            if node.primitive is COND:
                yield self.region(region, types)
            else:
                yield self.region(region, [region.results[0].type, *types])

    def constant(self, node: Node) -> Any:
        """Returns the known constant that a node computes, or None."""
        if node.regions or len(node.outputs) != 1 or is_constant(node):
            return None
        return self.found.constant(node.outputs[0])

    def refined(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """Returns what stands for values that are defined here."""
        for value in values:
            type = self.found.type(value)
            if type != value.type:
                self.same[value] = Value(type, value.name, value.index)
        return self.values(values)

    def values(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """Returns what stands for each of these values."""
        return tuple([self.same.get(value, value) for value in values])

    def fitted(self, values: tuple[Value, ...], types: Sequence[Type]) -> tuple[Value, ...]:
        """Returns what stands for each of these values where a value of a type is needed."""
        return tuple([self.fit(value, type) for value, type in zip(values, types, strict=True)])

    def fit(self, value: Value, type: Type) -> Value:
        """Returns what stands for a value where a value of this type is needed."""
        same = self.same.get(value, value)
        if covers(type, same.type):
            return same
        made = Value(type, value.name)
        if self.found.is_unread(value):
            self.nodes.append(Node(UNDEFINED, (), (made,), {"type": type}))
            return made
        assert isinstance(type, ListType)
        if self.found.of(value)[0] == ListType(NOTHING):
            self.nodes.append(empty(made))
        else:
            self.nodes.append(Node(LIST_AS, (same,), (made,), {"type": type}))
        return made


def _typed(node: Node) -> Node:
    """The node, whose parameters tell the type of its output."""
    if is_empty(node):
        return empty(*node.outputs)
    if node.primitive is LIST_AS:
        return replace(node, params={"type": node.outputs[0].type})
    return node
