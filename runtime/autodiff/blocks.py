"""The way back through `cond` and `while`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from runtime.autodiff.activity import Source
from runtime.autodiff.residuals import Branch, branches_with_residuals, loop_with_residuals
from runtime.autodiff.reverse import Reverse, shaped
from runtime.graph.ir import Node, Region, Value, diverges, free_values
from runtime.graph.nodes import COND, WHILE
from runtime.graph.scopes import Scope


class _Way(NamedTuple):
    """The way back through a branch: where it is built, its gradients; and the way forth."""

    scope: Scope
    inner: Reverse
    nodes: list[Node]


# Branches


def cond(reverse: Reverse, node: Node, given: Sequence[Any]) -> Sequence[Node]:
    """The gradient of a cond: a cond."""
    sources = reverse.sources(node.regions)
    ways = [_back_through_branch(reverse, region, given) for region in node.regions]
    kept = [s for s in sources if any(s in way.inner.grads for way in ways)]
    if not kept:
        return (node,)
    parts = []
    for way, region in zip(ways, node.regions, strict=True):
        with reverse.back_inside(way.scope):
            found = [way.inner.trace.value_of(way.inner.taken(s)) for s in kept]
        parts.append(Branch(region, way.nodes, way.scope.region(found)))
    forward, backs = branches_with_residuals(node, parts)
    made = reverse.rewrite(node, [forward])
    types = [reverse.type_of(source) for source in kept]
    test = reverse.symbol(node.inputs[0])
    names = list(map(reverse.label, kept))
    grads = reverse.append(COND, [test], types, names, regions=backs, origin=node.origin)
    for source, grad in zip(kept, grads, strict=True):
        reverse.add(source, grad)
    return made


def _back_through_branch(reverse: Reverse, region: Region, given: Sequence[Any]) -> _Way:
    with reverse.inside() as (scope, inner):
        if diverges(region):
            return _Way(scope, inner, list(region.nodes))
        for result, grad in zip(region.results, given, strict=True):
            inner.add(result, grad)
        return _Way(scope, inner, inner.region(region.nodes))


# Loops


def while_(reverse: Reverse, node: Node, given: Sequence[Any]) -> Sequence[Node]:
    """The gradient of a while: a while of as many rounds, that takes them in reverse."""
    carried = _carried(reverse, node, given)
    nodes, back, sources = _back_through_body(reverse, node, carried)
    made, rounds, lists, back = loop_with_residuals(node, nodes, back, reverse.trace)
    made = list(reverse.rewrite(node, made))
    starts = _starts(reverse, node, given, carried) + [reverse.zeros(source) for source in sources]
    grads = _reverse_loop(reverse, node, back, rounds, lists, starts)
    targets = [*(node.inputs[at + 1] for at in carried), *sources]
    for target, grad in zip(targets, grads, strict=True):
        reverse.add(target, grad)
    return made


def _back_through_body(
    reverse: Reverse, node: Node, carried: Sequence[int]
) -> tuple[list[Node], Region, list[Source]]:
    """The nodes of a round, the region that goes back over one, and what it sums gradients of:
    it is given those of what is carried and the sums, and gives back the same.
    """
    (body,) = node.regions
    with reverse.inside() as (scope, inner):
        for at in carried:
            parameter = body.parameters[at]
            grad = inner.trace.parameter(parameter.type, inner.label(parameter))
            inner.add(body.results[at + 1], grad)
        nodes = inner.region(body.nodes)
        sources = [s for s in inner.sources(node.regions) if s in inner.grads]
        results = [inner.taken(body.parameters[at]) for at in carried]
        for source in sources:
            total = inner.trace.parameter(inner.type_of(source), inner.label(source))
            inner.add(source, total)
            results.append(inner.taken(source))
        found = [inner.trace.value_of(result) for result in results]
    return nodes, scope.region(found), sources


def _starts(
    reverse: Reverse, node: Node, given: Sequence[Any], carried: Sequence[int]
) -> list[Any]:
    """The gradients of what a loop leaves, zeros where there is none."""
    types = [parameter.type for parameter in node.regions[0].parameters]
    return [
        reverse.zeros(node.outputs[at]) if given[at] is None else shaped(given[at], types[at])
        for at in carried
    ]


def _reverse_loop(
    reverse: Reverse,
    node: Node,
    back: Region,
    rounds: Value,
    lists: Sequence[Value],
    starts: list[Any],
) -> Sequence[Any]:
    count = reverse.symbol(rounds)
    inputs = [count > 0, count, *map(reverse.symbol, lists), *starts]
    types = [parameter.type for parameter in back.parameters]
    names = [parameter.name for parameter in back.parameters]
    found = reverse.append(WHILE, inputs, types, names, regions=[back], origin=node.origin)
    return found[1 + len(lists) :]


def _carried(reverse: Reverse, node: Node, given: Sequence[Any]) -> list[int]:
    """The places of the state through which gradients flow back."""
    (body,) = node.regions
    known = reverse.activity.known
    found = {at for at, grad in enumerate(given) if grad is not None}
    while True:
        useful = _leading_to(body.nodes, {body.results[at + 1] for at in found})
        more = {at for at, p in enumerate(body.parameters) if p in useful and p in known}
        if more <= found:
            return sorted(found)
        found |= more


def _leading_to(nodes: Sequence[Node], useful: set[Value]) -> set[Value]:
    """The values that values of `useful` depend on."""
    for node in reversed(nodes):
        if any(output in useful for output in node.outputs):
            useful.update(node.inputs)
            for region in node.regions:
                useful.update(free_values(region))
    return useful
