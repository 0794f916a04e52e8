"""Branches, loops and calls of all rows of a jacobian at once: rows take the same branches, and as
many rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from runtime.autodiff.activity import Dependence, is_recursive
from runtime.autodiff.sent import shaped
from runtime.autodiff.vectorization.rules import NotVectorized
from runtime.core.primitive import Primitive
from runtime.core.types import Type
from runtime.graph import lists
from runtime.graph.ir import Callee, Graph, Node, Region, Value, diverges
from runtime.graph.nodes import CALL, COND, WHILE, apply
from runtime.staging.tracing import Trace

if TYPE_CHECKING:
    from runtime.autodiff.vectorization.rows import AllRows


def _callee(node: Node) -> Graph:
    graph: Graph | None = node.params["callee"].graph
    if graph is None or is_recursive(graph):
        raise NotVectorized
    return graph


class _Differing(Dependence):
    """The values that differ from row to row: not how many items a list has, nor which."""

    def _is_reached(self, node: Node) -> bool:
        return CONTROL_RULES.get(node.primitive) is not _same and super()._is_reached(node)


def _cond(rows: AllRows, node: Node) -> None:
    (test,) = node.inputs
    if test in rows.differing or any(map(diverges, node.regions)):
        raise NotVectorized
    scopes, trace = [], rows.trace
    for region in node.regions:
        with trace.nested("a jacobian", trace.scope.next_site()) as scope:
            rows.follow(region.nodes)
        scopes.append(scope)
    differ = [
        any(value in rows.differing for value in values)
        for values in zip(*(region.results for region in node.regions), strict=True)
    ]
    regions = []
    for scope, region in zip(scopes, node.regions, strict=True):
        with trace.reopened(scope):
            regions.append(scope.region(_values(rows, region.results, node.outputs, differ)))
    _append(rows, node, [trace.value_of(rows.of(test))], regions, differ)


def _while(rows: AllRows, node: Node) -> None:
    (body,) = node.regions
    test, *state = node.inputs
    dependence = _Differing(rows.differing, _callee)
    dependence.follow((node,))
    reached = dependence.known
    if test in reached or body.results[0] in reached:
        raise NotVectorized
    differ, trace = [parameter in reached for parameter in body.parameters], rows.trace
    values = [trace.value_of(rows.of(test)), *_values(rows, state, body.parameters, differ)]
    with trace.nested("a jacobian", trace.scope.next_site()) as scope:
        for parameter, differs in zip(body.parameters, differ, strict=True):
            type = _type(rows, parameter, differs)
            rows.put(parameter, trace.parameter(type, parameter.name), differs)
        rows.follow(body.nodes)
        proceed = trace.value_of(rows.of(body.results[0]))
        results = _values(rows, body.results[1:], body.parameters, differ)
        region = scope.region([proceed, *results])
    _append(rows, node, values, [region], differ)


def _values(
    rows: AllRows, values: Sequence[Value], likes: Sequence[Value], differ: Sequence[bool]
) -> list[Value]:
    """Values of the graph with the types of `likes`, of all rows where they are to differ."""
    found = [
        shaped(rows.whole(value) if differs else rows.of(value), _type(rows, like, differs))
        for value, like, differs in zip(values, likes, differ, strict=True)
    ]
    return list(map(rows.trace.value_of, found))


def _type(rows: AllRows, value: Value, differs: bool) -> Type:
    return rows.lifted(value.type) if differs else value.type


def _append(
    rows: AllRows, node: Node, inputs: list[Value], regions: list[Region], differ: list[bool]
) -> None:
    pairs = list(zip(node.outputs, differ, strict=True))
    outputs = [
        Value(_type(rows, value, differs), rows.trace.unique(value.name), at)
        for at, (value, differs) in enumerate(pairs)
    ]
    primitive = COND if node.primitive is COND else WHILE
    found = rows.trace.append(primitive, inputs, outputs, regions=regions)
    for (value, differs), made in zip(pairs, found, strict=True):
        rows.put(value, made, differs)


def _call(rows: AllRows, node: Node) -> None:
    graph, differ = _callee(node), tuple([value in rows.differing for value in node.inputs])
    key = graph, differ
    if key not in rows.callees:
        rows.callees[key] = _called(rows, graph, differ)
    made, differing = rows.callees[key]
    values = _values(rows, node.inputs, graph.parameters, differ)
    outputs = [Value(value.type, rows.trace.unique(value.name)) for value in made.results]
    found = rows.trace.append(CALL, values, outputs, {"callee": Callee(made.name, made)})
    for value, result, differs in zip(node.outputs, found, differing, strict=True):
        rows.put(value, result, differs)


def _called(rows: AllRows, graph: Graph, differ: Sequence[bool]) -> tuple[Graph, list[bool]]:
    """Returns the graph that does for all rows what a called one does, and which of
    its results differ.
    """
    trace = Trace(f"rows_of_{graph.name}")
    with trace:
        inner = rows.inside(graph, differ)
        inner.follow(graph.nodes)
        results = [trace.value_of(inner.of(result)) for result in graph.results]
    return trace.finish(results), [result in inner.differing for result in graph.results]


def _same(rows: AllRows, node: Node) -> None:
    rows.put(node.outputs[0], apply(node.primitive, *map(rows.of, node.inputs)), False)


CONTROL_RULES: dict[Primitive, Callable[[AllRows, Node], None]] = {
    lists.HAS: _same,
    lists.LENGTH: _same,
    CALL: _call,
    COND: _cond,
    WHILE: _while,
}
