"""The backward pass through `cond` and `while`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from runtime import dtypes
from runtime.autodiff.activity import Source
from runtime.autodiff.residuals import Branch, branches_with_residuals, loop_with_residuals
from runtime.autodiff.reverse import Reverse
from runtime.autodiff.sent import ABSENT, Found, Sent, either, joined, shaped, truth
from runtime.core.types import TensorType
from runtime.dtypes import DType
from runtime.graph.ir import Node, Region, Value, diverges, reads
from runtime.graph.nodes import BOOL, COND, WHILE
from runtime.ops.indexed_slices import Slices, with_places
from runtime.staging.scopes import Scope
from runtime.staging.tracing import symbol


class _Way(NamedTuple):
    """The backward pass through a branch: where it is built, its gradients; and
    the nodes forward.
    """

    scope: Scope
    inner: Reverse
    nodes: list[Node]


# Branches


def cond(
    reverse: Reverse, node: Node, given: Sequence[Any], sent: Sequence[Sent | None]
) -> Sequence[Node]:
    """The gradient of a cond: a cond."""
    whole, sent = reverse.reduced(given, sent)
    sources = reverse.sources(node.regions)
    test = Sent(node.inputs[0])
    sides = test, test.opposite
    ways = [
        _back_through_branch(reverse, region, side, given, sent)
        for side, region in zip(sides, node.regions, strict=True)
    ]
    kept = [s for s in sources if any(s in way.inner.grads for way in ways)]
    if not kept:
        return (node,)
    doubts = [[way.inner.found(source) for way in ways] for source in kept]
    plans = [joined(test, each) for each in doubts]
    sliced = [_dtype_of_places([way.inner.slices(source) for way in ways]) for source in kept]
    parts = []
    for side, (way, region) in enumerate(zip(ways, node.regions, strict=True)):
        with reverse.back_inside(way.scope):
            trace = way.inner.trace
            rows = [
                (way.inner.taken(s),) if dtype is None else way.inner.rows(s, dtype)
                for s, dtype in zip(kept, sliced, strict=True)
            ]
            found = [trace.value_of(each[0]) for each in rows]
            pairs = zip(doubts, plans, strict=True)
            found += [truth(trace, doubt[side]) for doubt, (asked, _) in pairs if asked]
            found += [trace.value_of(place) for each in rows for place in each[1:]]
        parts.append(Branch(region, way.nodes, way.scope.region(found)))
    forward, backs = branches_with_residuals(node, parts)
    made = reverse.rewrite(node, [forward])

    def back() -> list[Found]:
        types = [reverse.type_of(source) for source in kept]
        extra = [BOOL for asked, _ in plans if asked]
        places = [TensorType(dtype, (None,)) for dtype in sliced if dtype is not None]
        names = [*map(reverse.label, kept), *["sent"] * len(extra), *["places"] * len(places)]
        rows = [
            type if dtype is None else TensorType(type.dtype, (None, *type.shape[1:]))
            for type, dtype in zip(types, sliced, strict=True)
        ]
        grads = reverse.append(
            COND, [reverse.symbol(test.test)], [*rows, *extra, *places], names, regions=backs,
            origin=node.origin,
        )  # fmt: skip
        flags, ends = iter(grads[len(kept) :]), iter(grads[len(kept) + len(extra) :])
        return [
            (grad, Sent(next(flags).graph_value) if asked else known)
            for grad, (asked, known) in zip(
                with_places(grads, sliced, types, ends), plans, strict=False
            )
        ]

    reverse.guarded(whole, kept, back)
    return made


def _dtype_of_places(ways: Sequence[Slices | None]) -> DType | None:
    """The dtype of the places of slices that any branch gives; None where none gives slices."""
    found = {places.dtype for way in ways if way is not None for _, places in way.parts}
    return (dtypes.int64 if dtypes.int64 in found else dtypes.int32) if found else None


def _back_through_branch(
    reverse: Reverse,
    region: Region,
    side: Sent,
    given: Sequence[Any],
    sent: Sequence[Sent | None],
) -> _Way:
    with reverse.inside() as (scope, inner):
        if diverges(region):
            return _Way(scope, inner, list(region.nodes))
        for result, grad, flag in zip(region.results, given, sent, strict=True):
            if flag != side.opposite:
                inner.add(result, grad, None if flag == side else flag)
        return _Way(scope, inner, inner.region(region.nodes))


# Loops


class _Rounds(NamedTuple):
    """The backward pass through an iteration.

    That is the nodes of the iteration, the region that goes back, what it sums gradients of; and of
    which places and sums the region carries whether they are sent.
    """

    nodes: list[Node]
    back: Region
    sources: list[Source]
    doubted: list[int]
    doubted_sums: list[bool]


def while_(
    reverse: Reverse, node: Node, given: Sequence[Any], sent: Sequence[Sent | None]
) -> Sequence[Node]:
    """The gradient of a while: a while with the same number of iterations, in reverse order."""
    whole, sent = reverse.reduced(given, sent)
    carried = _carried(reverse, node, given)
    at_first = [at for at in carried if given[at] is None or sent[at] is not None]
    way = _through_all_rounds(reverse, node, carried, at_first)
    made, rounds, region = loop_with_residuals(node, way.nodes, way.back, reverse.trace)
    made = list(reverse.rewrite(node, made))
    targets = [*(node.inputs[at + 1] for at in carried), *way.sources]

    def back() -> list[Found]:
        starts = _starts(reverse, node, given, carried) + list(map(reverse.zeros, way.sources))
        for at in way.doubted:
            flag = truth(reverse.trace, ABSENT if given[at] is None else sent[at])
            starts.append(symbol(flag, reverse.trace.scope, None))
        starts += [False for is_doubted in way.doubted_sums if is_doubted]
        count, found = _reverse_loop(reverse, node, region, rounds, starts)
        flags = iter(found[len(targets) :])
        doubts: list[Sent | None] = [
            Sent(next(flags).graph_value) if at in way.doubted else None for at in carried
        ]
        doubts += [
            Sent(next(flags).graph_value) if is_doubted else Sent(count)
            for is_doubted in way.doubted_sums
        ]
        return list(zip(found, doubts, strict=False))

    reverse.guarded(whole, targets, back)
    return made


def _through_all_rounds(
    reverse: Reverse, node: Node, carried: Sequence[int], at_first: Sequence[int]
) -> _Rounds:
    """The backward pass through one iteration, in a form that fits all iterations.

    For a place of the state whose gradient may be missing in some runs, the backward loop carries a
    flag beside it. These are the places `at_first`, for which that holds before the first
    iteration, and those for which it holds behind one.
    """
    trace = reverse.trace
    doubted = reverse.activity.doubted.setdefault(node, set())
    doubted.update(at_first)
    while True:
        counts, sites = dict(trace.counts), trace.scope.inner
        way, asked = _back_through_body(reverse, node, carried, doubted)
        if doubted.issuperset(asked):
            return way
        doubted.update(asked)
        trace.counts, trace.scope.inner = counts, sites


def _back_through_body(
    reverse: Reverse, node: Node, carried: Sequence[int], doubted: set[int]
) -> tuple[_Rounds, list[int]]:
    """The backward pass through one iteration, and the places whose gradients may be missing.

    The parameters and results of its region are the gradients of the carried state, the sums, and
    a flag for each of the places in `doubted`.
    """
    (body,) = node.regions
    with reverse.inside() as (scope, inner):
        trace = inner.trace
        grads = []
        for at in carried:
            parameter = body.parameters[at]
            grads.append(trace.parameter(parameter.type, inner.label(parameter)))
        totals = len(scope.parameters)
        flags = {at: trace.parameter(BOOL, "sent").graph_value for at in carried if at in doubted}
        for at, grad in zip(carried, grads, strict=True):
            inner.add(body.results[at + 1], grad, Sent(flags[at]) if at in flags else None)
        nodes = inner.region(body.nodes)
        sources = [s for s in inner.sources(node.regions) if s in inner.grads]
        results = [inner.taken(body.parameters[at]) for at in carried]
        ways = {at: inner.found(body.parameters[at]) for at in carried}
        ends = [truth(trace, ways[at]) for at in flags]
        sums, scope.parameters[totals:] = scope.parameters[totals:], []
        doubted_sums = []
        for source in sources:
            total = trace.parameter(inner.type_of(source), inner.label(source))
            doubted_sums.append(inner.found(source) is not None)
            inner.add(source, total, ABSENT)
            results.append(inner.taken(source))
        scope.parameters += sums
        for source, is_doubted in zip(sources, doubted_sums, strict=True):
            if is_doubted:
                before = Sent(trace.parameter(BOOL, "sent").graph_value)
                ends.append(truth(trace, either(trace, before, inner.found(source))))
        found = [*map(trace.value_of, results), *ends]
    known = reverse.activity.known
    asked = [at for at in carried if ways[at] is not None and body.parameters[at] in known]
    return _Rounds(nodes, scope.region(found), sources, list(flags), doubted_sums), asked


def _starts(
    reverse: Reverse, node: Node, given: Sequence[Any], carried: Sequence[int]
) -> list[Any]:
    """The gradients of the final state of a loop, zeros where there is none."""
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
    starts: list[Any],
) -> tuple[Value, Sequence[Any]]:
    """The backward loop: whether it has any iteration, and its final state."""
    count = reverse.symbol(rounds)
    proceed = count > 0
    inputs = [proceed, count, *starts]
    types = [parameter.type for parameter in back.parameters]
    names = [parameter.name for parameter in back.parameters]
    found = reverse.append(WHILE, inputs, types, names, regions=[back], origin=node.origin)
    return proceed.graph_value, found[1:]


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
            useful.update(reads(node))
    return useful
