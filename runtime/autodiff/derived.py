"""The backward pass through calls: for a graph, the graph of its gradient."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from runtime.autodiff.activity import (
    Activity,
    Source,
    callee_of,
    captures_in,
    is_recursive,
    variables_in,
)
from runtime.autodiff.blocks import cond, while_
from runtime.autodiff.custom import check_rules, rules_in
from runtime.autodiff.residuals import read_from, with_constants
from runtime.autodiff.reverse import Reverse, Rules
from runtime.autodiff.sent import ABSENT, Found, Sent, shaped, truth
from runtime.core.dataclasses import dataclass
from runtime.core.types import ResidualsType, Type
from runtime.graph.ir import Callee, Graph, Node, Region, Value, free_values
from runtime.graph.nodes import BOOL, CALL, COND, PACK, UNPACK, WHILE
from runtime.ops.indexed_slices import with_places
from runtime.staging.tracing import Trace, symbol

# Graphs


class Place(int):
    """The place of a parameter among those of a graph."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A graph that also returns what its gradient reads, and the graph of the gradient.

    `backward` takes the gradients of the results that are asked for, of those that are `DOUBTED`
    whether they are sent, and what `forward` returns more. Its results are the gradients for
    `sources`: parameters, captures and variables; of those that are `doubted`, whether they are
    sent; and of those that are `sliced`, of which the gradients are slices, the places of these.
    """

    forward: Graph
    backward: Graph
    sources: tuple[Source | Place, ...]
    doubted: tuple[bool, ...]
    sliced: tuple[bool, ...]
    upstream: int


class Given(enum.Enum):
    """The knowledge about the gradient of a result before the run."""

    ABSENT = 0
    SENT = 1
    DOUBTED = 2


def derive(
    graph: Graph,
    active: Sequence[bool],
    captures: Sequence[Value],
    variables: Sequence[int],
    given: Sequence[Given],
) -> Derived:
    """The gradient of a graph for some of its parameters, captures and variables."""
    chosen = [v for v, is_active in zip(graph.parameters, active, strict=True) if is_active]
    activity = Activity([*chosen, *captures, *variables])
    activity.follow(graph.nodes)
    trace = Trace(f"gradient_of_{graph.name}")
    trace.derives = True
    with trace:
        reverse, nodes = _backward_pass(graph, activity, given)
        found = [s for s in (*chosen, *captures, *variables) if s in reverse.grads]
        slices = [reverse.slices(source) for source in found]
        rows = [None if each is None else each.rows() for each in slices]
        results = [
            trace.value_of(reverse.taken(source) if each is None else each[0])
            for source, each in zip(found, rows, strict=True)
        ]
        doubts = [reverse.found(source) for source in found]
        results += [truth(trace, doubt) for doubt in doubts if doubt is not None]
        results += [trace.value_of(each[1]) for each in rows if each is not None]
    back = trace.scope.region(results)
    doubted = [doubt is not None for doubt in doubts]
    sliced = [each is not None for each in rows]
    return _separated(graph, nodes, back, trace, found, doubted, sliced)


def _backward_pass(
    graph: Graph, activity: Activity, given: Sequence[Given]
) -> tuple[Reverse, list[Node]]:
    """The gradients that lead back through a graph, in the active trace; and what stands in the
    place of its nodes.
    """
    reverse = Reverse(activity, variables_in(graph.nodes), _OF_GRAPHS)
    trace = reverse.trace
    grads = [
        trace.parameter(result.type, reverse.label(result))
        for result, kind in zip(graph.results, given, strict=True)
        if kind is not Given.ABSENT
    ]
    flags = [trace.parameter(BOOL, "sent") for kind in given if kind is Given.DOUBTED]
    each, doubts = iter(grads), iter(flags)
    for result, kind in zip(graph.results, given, strict=True):
        if kind is not Given.ABSENT:
            sent = Sent(next(doubts).graph_value) if kind is Given.DOUBTED else None
            reverse.add(result, next(each), sent)
    return reverse, reverse.region(graph.nodes)


def _separated(
    graph: Graph,
    nodes: list[Node],
    back: Region,
    trace: Trace,
    found: Sequence[Source],
    doubted: Sequence[bool],
    sliced: Sequence[bool],
) -> Derived:
    values, constants = read_from(back, nodes, graph.parameters)
    names = {value: Value(value.type, value.name) for value in values}
    free = set(free_values(back))
    body = with_constants(back, constants, names)
    body = replace(body, parameters=(*body.parameters, *names.values()))
    outer = [pair for pair in graph.closure if pair[0] in free]
    captured = (*trace.captures.values(), *outer)
    forward = replace(graph.body, nodes=tuple(nodes), results=(*graph.results, *values))
    places: dict[Source, Place] = {value: Place(at) for at, value in enumerate(graph.parameters)}
    return Derived(
        replace(graph, body=forward),
        Graph(trace.name, body, captured),
        tuple([places.get(s, s) for s in found]),
        tuple(doubted),
        tuple(sliced),
        len(back.parameters),
    )


MOST_RESIDUALS = 32
"""Values that a graph which is called returns one by one for its gradient; more are one value.

What a graph keeps contains what its calls keep: of calls in calls that would double each time.
"""

_of_callees: WeakKeyDictionary[Graph, dict[tuple[Any, ...], Derived]] = WeakKeyDictionary()


def derive_callee(
    graph: Graph,
    active: tuple[bool, ...],
    captures: tuple[Value, ...],
    variables: tuple[int, ...],
    given: tuple[Given, ...],
) -> Derived:
    """The gradient of a graph that is called, the same for all its calls."""
    known = _of_callees.setdefault(graph, {})
    key = active, captures, variables, given
    if key not in known:
        derived = derive(graph, *key)
        # Where two threads derive it, both take the same one.
        known.setdefault(key, _with_few_residuals(derived, len(graph.results)))
    return known[key]


def _with_few_residuals(derived: Derived, results: int) -> Derived:
    if len(derived.forward.results) - results <= MOST_RESIDUALS:
        return derived
    type = ResidualsType(derived.forward.name)
    forward = _packing(derived.forward, results, type)
    return replace(
        derived, forward=forward, backward=_unpacking(derived.backward, derived.upstream, type)
    )


def calling(graph: Graph) -> Graph:
    """A graph that does nothing but to call this one."""
    parameters, outputs = (
        tuple([Value(value.type, value.name) for value in values])
        for values in (graph.parameters, graph.results)
    )
    call = Node(CALL, parameters, outputs, {"callee": Callee(graph.name, graph)})
    return Graph(graph.name, Region(parameters, (call,), outputs))


@dataclass(frozen=True, slots=True)
class Recursion:
    """The gradient of a graph that calls itself; what is called is there when it is finished.

    `forward` returns its residuals as one value more, `backward` takes the gradients of all active
    results, whether each is sent (unless there is but one), and that value; it returns those for
    `sources`, which have these types, and whether each is sent.
    """

    forward: Callee
    backward: Callee
    residuals: ResidualsType
    sources: tuple[Source | Place, ...]
    types: tuple[Type, ...]


def _derive_recursion(graph: Graph, activity: Activity) -> Recursion:
    sources, made = _begin_recursion(graph, activity)
    trace = Trace(made.backward.name)
    trace.derives = True
    with trace:
        kinds = _given_in_recursion(graph, activity)
        reverse, nodes = _backward_pass(graph, activity, kinds)
        results = [trace.value_of(reverse.taken(source)) for source in sources]
        results += [truth(trace, reverse.found(source)) for source in sources]
    back = trace.scope.region(results)
    count = len(sources)
    derived = _separated(graph, nodes, back, trace, sources, [True] * count, [False] * count)
    made.forward.graph = _packing(derived.forward, len(graph.results), made.residuals)
    made.backward.graph = _unpacking(derived.backward, derived.upstream, made.residuals)
    return made


def _given_in_recursion(graph: Graph, activity: Activity) -> list[Given]:
    """All active results are given; one alone only where it is sent."""
    active = [result in activity.known for result in graph.results]
    kind = Given.SENT if sum(active) == 1 else Given.DOUBTED
    return [kind if is_active else Given.ABSENT for is_active in active]


def _begin_recursion(graph: Graph, activity: Activity) -> tuple[list[Source], Recursion]:
    captures = dict(graph.closure) | captures_in(graph.nodes)
    variables = variables_in(graph.nodes)
    sources: list[Source] = [
        s for s in (*graph.parameters, *captures, *variables) if s in activity.known
    ]
    places: dict[Source, Place] = {value: Place(at) for at, value in enumerate(graph.parameters)}
    made = activity.recursions[graph] = Recursion(
        Callee(graph.name),
        Callee(f"gradient_of_{graph.name}"),
        ResidualsType(graph.name),
        tuple([places.get(source, source) for source in sources]),
        tuple([s.type if isinstance(s, Value) else variables[s].type for s in sources]),
    )
    return sources, made


def _packing(graph: Graph, size: int, type: ResidualsType) -> Graph:
    """The graph with one value in place of its results from the place `size` on."""
    kept = Value(type, "residuals")
    pack = Node(PACK, graph.results[size:], (kept,), {"type": type})
    nodes, results = (*graph.nodes, pack), (*graph.results[:size], kept)
    return replace(graph, body=replace(graph.body, nodes=nodes, results=results))


def _unpacking(graph: Graph, size: int, type: ResidualsType) -> Graph:
    """The graph with one value in place of its parameters from the place `size` on."""
    given, wanted = Value(type, "residuals"), graph.parameters[size:]
    types = tuple([value.type for value in wanted])
    unpack = [Node(UNPACK, (given,), wanted, {"types": types})] if wanted else []
    parameters = (*graph.parameters[:size], given)
    body = replace(graph.body, parameters=parameters, nodes=(*unpack, *graph.nodes))
    return replace(graph, body=body)


# Calls


def call(
    reverse: Reverse, node: Node, given: Sequence[Any], sent: Sequence[Sent | None]
) -> Sequence[Node]:
    """The gradient of a call: a call of another graph."""
    known = reverse.activity.known
    graph = callee_of(node)
    if is_recursive(graph):
        return _recursion(reverse, node, graph, given, sent)
    whole, sent = reverse.reduced(given, sent)
    kinds = [
        Given.ABSENT if grad is None else Given.SENT if flag is None else Given.DOUBTED
        for grad, flag in zip(given, sent, strict=True)
    ]
    derived = derive_callee(
        graph,
        tuple([value in known for value in node.inputs]),
        tuple([value for value in captures_in((node,)) if value in known]),
        tuple([key for key in variables_in(graph.nodes) if key in known]),
        tuple(kinds),
    )
    residuals = [Value(v.type, v.name) for v in derived.forward.results[len(node.outputs) :]]
    callee = Callee(node.params["callee"].name, derived.forward)
    forward = replace(node, outputs=(*node.outputs, *residuals), params={"callee": callee})
    made = reverse.rewrite(node, [forward])
    types = [value.type for value in derived.backward.results]
    backward = Callee(derived.backward.name, derived.backward)
    way = _BackwardCall(backward, derived.sources, types, derived.doubted, derived.sliced)

    def upstream() -> list[Any]:
        grads = [
            shaped(grad, result.type)
            for grad, result in zip(given, graph.results, strict=True)
            if grad is not None
        ]
        pairs = zip(kinds, sent, strict=True)
        flags = [_flag(reverse, flag) for kind, flag in pairs if kind is Given.DOUBTED]
        return [*grads, *flags, *map(reverse.symbol, residuals)]

    _call_back(reverse, node, way, whole, upstream)
    return made


class _BackwardCall(NamedTuple):
    """A graph that computes the gradients for these places of a call, whether those that are
    doubted are sent, and the places of those that are slices.
    """

    callee: Callee
    places: Sequence[Source | Place]
    types: Sequence[Type]
    doubted: Sequence[bool]
    sliced: Sequence[bool]


def _flag(reverse: Reverse, sent: Sent | None) -> Any:
    return symbol(truth(reverse.trace, sent), reverse.trace.scope, None)


def _call_back(
    reverse: Reverse,
    node: Node,
    way: _BackwardCall,
    whole: Sent | None,
    upstream: Callable[[], Sequence[Any]],
) -> None:
    sources = [node.inputs[s] if isinstance(s, Place) else s for s in way.places]

    def back() -> list[Found]:
        flags, slices = sum(way.doubted), sum(way.sliced)
        names = [*map(reverse.label, sources), *["sent"] * flags, *["places"] * slices]
        params = {"callee": way.callee}
        found = reverse.append(
            CALL, upstream(), way.types, names, params=params, origin=node.origin
        )
        doubts, places = iter(found[len(sources) :]), iter(found[len(sources) + flags :])
        grads = with_places(found, way.sliced, list(map(reverse.type_of, sources)), places)
        return [
            (grad, Sent(next(doubts).graph_value) if is_doubted else None)
            for grad, is_doubted in zip(grads, way.doubted, strict=True)
        ]

    reverse.guarded(whole, sources, back)


def _recursion(
    reverse: Reverse,
    node: Node,
    graph: Graph,
    given: Sequence[Any],
    sent: Sequence[Sent | None],
) -> Sequence[Node]:
    whole, sent = reverse.reduced(given, sent)
    made = reverse.activity.recursions.get(graph) or _derive_recursion(graph, reverse.activity)
    residuals = Value(made.residuals, reverse.trace.unique("residuals"))
    params = {"callee": made.forward}
    forward = replace(node, outputs=(*node.outputs, residuals), params=params)
    nodes = reverse.rewrite(node, [forward])
    count = len(made.sources)
    types = [*made.types, *[BOOL] * count]
    way = _BackwardCall(made.backward, made.sources, types, [True] * count, [False] * count)
    kinds = _given_in_recursion(graph, reverse.activity)

    def upstream() -> list[Any]:
        grads = [
            shaped(reverse.zeros(output) if grad is None else grad, result.type)
            for output, result, grad, kind in zip(
                node.outputs, graph.results, given, kinds, strict=True
            )
            if kind is not Given.ABSENT
        ]
        flags = [
            _flag(reverse, ABSENT if grad is None else flag)
            for grad, flag, kind in zip(given, sent, kinds, strict=True)
            if kind is Given.DOUBTED
        ]
        return [*grads, *flags, reverse.symbol(residuals)]

    _call_back(reverse, node, way, whole, upstream)
    return nodes


def _sources_of(reverse: Reverse, node: Node, graph: Graph) -> list[Source]:
    """Returns what of a graph that a node calls leads to the sources."""
    known = reverse.activity.known
    pairs = zip(graph.parameters, node.inputs, strict=True)
    found: list[Source] = [parameter for parameter, value in pairs if value in known]
    others = *captures_in((node,)), *variables_in(graph.nodes)
    return [*found, *[source for source in others if source in known]]


def _call_in_trace(
    reverse: Reverse, node: Node, given: Sequence[Any], sent: Sequence[Sent | None]
) -> Sequence[Node]:
    graph = callee_of(node)
    check_rules(graph, rules_in(graph), _sources_of(reverse, node, graph), given)
    return call(reverse, node, given, sent)


_OF_GRAPHS: Rules = {COND: cond, WHILE: while_, CALL: call}
RULES: Rules = {**_OF_GRAPHS, CALL: _call_in_trace}
