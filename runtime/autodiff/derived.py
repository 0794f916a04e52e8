"""The way back through calls: for a graph, the graph of its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
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
from runtime.autodiff.residuals import read_from, with_constants
from runtime.autodiff.reverse import Reverse, Rules, shaped
from runtime.graph.ir import Callee, Graph, Node, Region, Value, free_values
from runtime.graph.nodes import CALL, PACK, UNPACK
from runtime.graph.tracing import Trace
from runtime.types import ResidualsType, Type

# Graphs


class Place(int):
    """The place of a parameter among those of a graph."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A graph that also returns what its gradient reads, and the graph of the gradient.

    `backward` takes the gradients of the results that are asked for and what `forward` returns
    more; its results are the gradients for `sources`: parameters, captures and variables.
    """

    forward: Graph
    backward: Graph
    sources: tuple[Source | Place, ...]


def derive(
    graph: Graph,
    active: Sequence[bool],
    captures: Sequence[Value],
    variables: Sequence[int],
    given: Sequence[bool],
) -> Derived:
    """The gradient of a graph for some of its parameters, captures and variables."""
    chosen = [v for v, is_active in zip(graph.parameters, active, strict=True) if is_active]
    activity = Activity([*chosen, *captures, *variables])
    activity.follow(graph.nodes)
    trace = Trace(f"gradient_of_{graph.name}")
    with trace:
        reverse, nodes = _gone_back(graph, activity, given)
        found = [s for s in (*chosen, *captures, *variables) if s in reverse.grads]
        results = [trace.value_of(reverse.taken(source)) for source in found]
    back = trace.scope.region(results)
    return _separated(graph, nodes, back, trace, found)


def _gone_back(
    graph: Graph, activity: Activity, given: Sequence[bool]
) -> tuple[Reverse, list[Node]]:
    """The gradients that lead back through a graph, in the active trace; and what stands in the
    place of its nodes.
    """
    reverse = Reverse(activity, variables_in(graph.nodes), RULES)
    for result, is_given in zip(graph.results, given, strict=True):
        if is_given:
            reverse.add(result, reverse.trace.parameter(result.type, reverse.label(result)))
    return reverse, reverse.region(graph.nodes)


def _separated(
    graph: Graph, nodes: list[Node], back: Region, trace: Trace, found: Sequence[Source]
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
    given: tuple[bool, ...],
) -> Derived:
    """The gradient of a graph that is called, the same for all its calls."""
    known = _of_callees.setdefault(graph, {})
    key = active, captures, variables, given
    if key not in known:
        derived = derive(graph, *key)
        # Where two threads derive it, both take the same one.
        known.setdefault(key, _with_few_residuals(derived, len(graph.results), sum(given)))
    return known[key]


def _with_few_residuals(derived: Derived, results: int, upstream: int) -> Derived:
    if len(derived.forward.results) - results <= MOST_RESIDUALS:
        return derived
    type = ResidualsType(derived.forward.name)
    forward = _packing(derived.forward, results, type)
    return replace(derived, forward=forward, backward=_unpacking(derived.backward, upstream, type))


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
    results and that value, and returns those for `sources`, which have these types.
    """

    forward: Callee
    backward: Callee
    residuals: ResidualsType
    sources: tuple[Source | Place, ...]
    types: tuple[Type, ...]


def _derive_recursion(graph: Graph, activity: Activity) -> Recursion:
    sources, made = _begin_recursion(graph, activity)
    trace = Trace(made.backward.name)
    with trace:
        given = [result in activity.known for result in graph.results]
        reverse, nodes = _gone_back(graph, activity, given)
        results = [trace.value_of(reverse.taken(source)) for source in sources]
    back = trace.scope.region(results)
    derived = _separated(graph, nodes, back, trace, sources)
    made.forward.graph = _packing(derived.forward, len(graph.results), made.residuals)
    made.backward.graph = _unpacking(derived.backward, len(trace.scope.parameters), made.residuals)
    return made


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


def call(reverse: Reverse, node: Node, given: Sequence[Any]) -> Sequence[Node]:
    """The gradient of a call: a call of another graph."""
    known = reverse.activity.known
    graph = callee_of(node)
    if is_recursive(graph):
        return _recursion(reverse, node, graph, given)
    derived = derive_callee(
        graph,
        tuple([value in known for value in node.inputs]),
        tuple([value for value in captures_in((node,)) if value in known]),
        tuple([key for key in variables_in(graph.nodes) if key in known]),
        tuple([grad is not None for grad in given]),
    )
    residuals = [Value(v.type, v.name) for v in derived.forward.results[len(node.outputs) :]]
    callee = Callee(node.params["callee"].name, derived.forward)
    forward = replace(node, outputs=(*node.outputs, *residuals), params={"callee": callee})
    made = reverse.rewrite(node, [forward])
    upstream = [
        shaped(grad, result.type)
        for grad, result in zip(given, graph.results, strict=True)
        if grad is not None
    ]
    inputs = [*upstream, *map(reverse.symbol, residuals)]
    types = [value.type for value in derived.backward.results]
    callee = Callee(derived.backward.name, derived.backward)
    _call_back(reverse, node, callee, inputs, derived.sources, types)
    return made


def _call_back(
    reverse: Reverse,
    node: Node,
    callee: Callee,
    inputs: Sequence[Any],
    places: Sequence[Source | Place],
    types: Sequence[Type],
) -> None:
    """Add the call of a graph that computes the gradients for these places of a call."""
    sources = [node.inputs[s] if isinstance(s, Place) else s for s in places]
    names, params = list(map(reverse.label, sources)), {"callee": callee}
    grads = reverse.append(CALL, inputs, types, names, params=params, origin=node.origin)
    for source, grad in zip(sources, grads, strict=True):
        reverse.add(source, grad)


def _recursion(reverse: Reverse, node: Node, graph: Graph, given: Sequence[Any]) -> Sequence[Node]:
    made = reverse.activity.recursions.get(graph) or _derive_recursion(graph, reverse.activity)
    residuals = Value(made.residuals, reverse.trace.unique("residuals"))
    params = {"callee": made.forward}
    forward = replace(node, outputs=(*node.outputs, residuals), params=params)
    nodes = reverse.rewrite(node, [forward])
    inputs = [
        shaped(reverse.zeros(output) if grad is None else grad, result.type)
        for output, result, grad in zip(node.outputs, graph.results, given, strict=True)
        if result in reverse.activity.known
    ]
    inputs.append(reverse.symbol(residuals))
    _call_back(reverse, node, made.backward, inputs, made.sources, made.types)
    return nodes


RULES: Rules = {"cond": cond, "while": while_, "call": call}
