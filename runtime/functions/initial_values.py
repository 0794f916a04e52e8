"""Initial values of variables that a function creates on its first call: symbols, which are
evaluated before the graph runs.

Only the nodes that a value depends on are run, and the assertions before it: if one fails, no
variable is created. A read of a variable that the call has assigned before gives the assigned
value; if that is known at run time only, the initial value is refused.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Primitive, structural
from runtime.core.shapes import TensorSpec, is_known
from runtime.core.state import init_scope, state
from runtime.core.types import TensorType, Type
from runtime.graph.executors.reference import interpret
from runtime.graph.ir import (
    Graph,
    Node,
    Region,
    Value,
    format_location,
    free_values,
    reads,
    walk,
    walk_called,
)
from runtime.graph.nodes import CONSTANT, placeholder
from runtime.graph.passes.dead_code import used_values
from runtime.graph.passes.inlining import inline_calls
from runtime.graph.templates import PRINT
from runtime.nest import flatten
from runtime.ops.print_op import print_p
from runtime.staging.refusals import refuse
from runtime.staging.scopes import Scope
from runtime.staging.tracing import Trace, is_symbol
from runtime.variables.primitives import assign_p, read_p
from runtime.variables.variable import Variable


def _same_type(item: Type) -> Type:
    return item


_SAME = structural("same", lambda item: item, _same_type, op_type="Identity")


class Unknown(Exception):
    """Nothing but a run of the whole graph tells the value; the argument says why."""


def initial_value(value: Any, dtype: Any, trace: Trace) -> Any:
    """An initial value, with the tensor of this call in place of what the graph computes.

    A function without arguments is called in the trace. StagingError where only the run of the
    graph knows the value; the error of the program where it fails, or an assertion before it does.
    """
    is_text = isinstance(value, str)  # one that the run chooses, too
    if callable(value) and not is_text:
        value = trace.called(value)()
    if is_text or any(is_symbol(item) or isinstance(item, Variable) for item in flatten(value)):
        value = convert_to_tensor(value, dtype)
    if not is_symbol(value):
        _check(trace)
        return value
    try:
        return _present(value)
    except Unknown as unknown:
        hint = "compute it before the call, or from what the function is given"
        if _steered(trace) is not None:
            hint = "create it before the statement, or of constants, shapes and random numbers"
        raise refuse(f"the initial value of a variable {unknown}", hint) from None


def place_of_creation() -> str | None:
    """The kind of the branch or body of a loop, if any, that is being traced."""
    around = _steered(state.trace)
    return None if around is None else around.kind


def is_for_one_call(first: Graph, second: Graph, name: str, place: str | None) -> bool:
    """True if the trace of a function that created variables has effects that the next one has not.

    StagingError where it created them, or is called, in a branch or in the body of a loop: the
    `place`.
    """
    if place is None:
        return bool(_acts(first, {None: None}) != _acts(second, {None: None}))
    if _acts(first, {None: None}, True) != _acts(second, {None: None}, True):
        raise refuse(
            f"{name} creates variables in {place}, and does there what it does only then: "
            "the graph would do so each time that it gets there",
            "call it once before",
        )
    return False


def _acts(graph: Graph | None, known: dict[Graph | None, Any], is_whole: bool = False) -> Any:
    # None is the graph of a call of what is still being traced.
    if graph is not None and graph not in known:
        known[graph] = None  # calls of itself
        known[graph] = frozenset(Counter(_actions(graph, known, is_whole)).items())
    return known[graph]


def _actions(graph: Graph, known: dict[Graph | None, Any], is_whole: bool) -> Iterator[Any]:
    """The effects of a graph; if `is_whole`, also what its results are computed by."""
    used = used_values(graph) if is_whole else ()
    for node in walk(graph.body):
        callee = node.params.get("callee")
        if callee is not None:
            yield node.origin, _acts(callee.graph, known, is_whole)
        elif node.primitive.effect and node.primitive is not read_p:
            yield node.origin, node.primitive, node.params.get("variable")
        elif any(value in used for value in node.outputs):
            yield node.origin, node.primitive


def _present(symbol: Any) -> Any:
    traces = [*_around(symbol.scope.trace)][::-1]
    around = _steered(symbol.scope.trace)
    if around is None and symbol.scope.outer is None:
        return _computed(traces, (symbol.graph_value,))[0]
    return _fixed(traces, symbol.graph_value, (around or symbol.scope).kind)


def _fixed(traces: Sequence[Trace], wanted: Value, kind: str) -> Any:
    """A value in a branch or in the body of a loop, if it is the same whenever that runs."""
    nodes, given, known = _history_of(traces)
    graph = _spliced(Graph("initial_value", Region((), tuple(nodes), (wanted,))))
    found = _History(graph.nodes).needed(graph.results, known, ())
    drawn = [node for node in found if _draws(node)]
    body = Region((), tuple(found), (wanted, *[v for node in drawn for v in node.outputs]))
    inputs = {value for trace in traces for value in trace.given}
    fixed = {
        value: item
        for value, item in (given | dict(graph.closure)).items()
        if value not in inputs and not is_symbol(item)
    }
    if any(_used(node)[0] for node in found) or not fixed.keys() >= {*free_values(body)}:
        why = "of what may be different when that runs"
        raise Unknown(f"is computed in {kind}, which may run any number of times, {why}")
    made = _run(body, fixed)
    _keep(drawn, made[1:], traces)
    return made[0]


def _check(trace: Trace) -> None:
    """Raise what the call so far does, as far as it can be told."""
    traces = [*_around(trace)][::-1]
    passed = _passed(traces)
    nodes = [node for x in traces for node in x.scope.nodes if node not in passed]
    if _steered(trace) is None and any(map(_checks, nodes)):
        with contextlib.suppress(Unknown):
            _computed(traces, ())


def _passed(traces: Sequence[Trace]) -> set[Node]:
    """The nodes whose assertions are known to hold."""
    found: set[Node] = traces[0].memo.setdefault(_passed, set())
    return found


def _computed(traces: Sequence[Trace], wanted: Sequence[Value]) -> Sequence[Any]:
    """Values of traces, the outer one first, once the assertions before them hold."""
    nodes, given, known = _history_of(traces)
    graph = _spliced(Graph("initial_value", Region((), tuple(nodes), tuple(wanted))))
    given |= dict(graph.closure)
    history = _History(graph.nodes)
    passed = _passed(traces)
    checks = [node for node in history.checks(passed) if history.runs(node, known, given)]
    found = history.needed(graph.results, known, checks)
    drawn = [node for node in found if _draws(node)]
    history.check_drawn(drawn, {node for trace in traces for node in trace.scope.nodes})
    body = Region((), tuple(found), (*graph.results, *[v for node in drawn for v in node.outputs]))
    made = _run(body, given)
    passed.update(node for trace in traces for node in trace.scope.nodes)
    _keep(drawn, made[len(wanted) :], traces)
    return made


def _history_of(
    traces: Sequence[Trace],
) -> tuple[list[Node], dict[Value, Any], dict[Value, Any]]:
    """The nodes of traces so far; what they are given and have captured; and known values."""
    nodes: list[Node] = []
    given: dict[Value, Any] = {}
    known: dict[Value, Any] = {}
    for trace in traces:
        own = trace.given | {value: outer for value, outer in trace.captures.values()}
        nodes += [_same(value, item.graph_value) for value, item in own.items() if is_symbol(item)]
        nodes += [node for scope in _scopes(trace) for node in scope.nodes]
        given |= own
        known |= trace.constants
    return nodes, given, known


def _scopes(trace: Trace) -> list[Scope]:
    """The scopes that are open, the outer one first."""
    return [*trace.scope.around()][::-1]


def _around(trace: Trace | None) -> Iterator[Trace]:
    """The traces that are being made, the inner one first."""
    while trace is not None:
        yield trace
        trace = trace.outer


def _steered(trace: Trace | None) -> Scope | None:
    """The branch or body of a loop, if any, that is being traced."""
    scopes = [item.scope for item in _around(trace)]
    return next((scope for scope in scopes if scope.outer is not None), None)


def _same(value: Value, other: Value) -> Node:
    return Node(_SAME, (other,), (value,))


def _spliced(graph: Graph) -> Graph:
    """The graph, with the graphs that it calls inside it where one of them uses a variable."""
    calls = [node for node in graph.nodes if "callee" in node.params]
    return inline_calls(graph) if any(_used(node)[0] for node in calls) else graph


def _run(body: Region, given: Mapping[Value, Any]) -> list[Any]:
    free = free_values(body)
    for value in free:
        if isinstance(given[value], TensorSpec):
            what = "an argument that is only known by its type"
            raise Unknown(f"depends on {what}, {given[value]}")
    graph = Graph("initial_value", body, tuple([(value, given[value]) for value in free]))
    with init_scope():
        return interpret(graph, [])


def _keep(drawn: Sequence[Node], made: Iterable[Any], traces: Iterable[Trace]) -> None:
    """Let what was drawn stand where the graph would draw it once more."""
    items = iter(made)
    for node in drawn:
        held = {id(item): (value, item) for value, item in zip(node.outputs, items, strict=False)}
        for trace in traces:
            for scope in _scopes(trace):
                if node in scope.nodes:
                    scope.nodes.remove(node)
                    trace.captures |= held


# What nodes do


def _inside(node: Node) -> Iterator[Node]:
    """A node, and all that may run when it does."""
    for inner in walk_called((node,)):
        callee = inner.params.get("callee")
        if callee is not None and callee.graph is None:
            raise Unknown(f"is asked for while {callee.name}, which calls itself, is traced")
        yield inner


def _used(node: Node) -> tuple[set[Any], set[Any]]:
    """The variables that run through a node: all of them, and those that it changes."""
    inner = [item for item in _inside(node) if "variable" in item.params]
    changing = {item.params["variable"] for item in inner if item.primitive is not read_p}
    return {item.params["variable"] for item in inner}, changing


def _draws(node: Node) -> bool:
    """True if the node gives another value each time, such as a random number."""
    primitive = node.primitive
    return primitive.effect and not primitive.fallible and primitive is not read_p


def _checks(node: Node) -> bool:
    """True if an assertion or a `raise` in the node may end the call."""
    is_one = not node.regions and "callee" not in node.params
    try:
        inside = [node] if is_one else [*_inside(node)]
    except Unknown:
        return False
    return any(inner.primitive.effect and inner.primitive.fallible for inner in inside)


class _History:
    """The nodes of a call so far, in program order, in which what was assigned to a variable stands
    for what is read of it afterwards.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes: list[Node] = []
        self.held: dict[Any, Value | None] = {}
        """The values of changed variables; None where only the run knows."""
        self.changes: dict[Any, Node] = {}
        self.uses: dict[Any, list[Node]] = {}
        self.blocked: dict[Node, str] = {}
        self.copies: dict[Node, Node] = {}
        for node in nodes:
            self._add(node)

    def _add(self, node: Node) -> None:
        handle, primitive = node.params.get("variable"), node.primitive
        used, changed = _used(node)
        if primitive is read_p:
            self._read(node, handle)
        elif primitive is assign_p:
            self.held[handle] = node.inputs[0]
        elif primitive.renews_by:
            self._update(node, handle, primitive.renews_by)
        else:
            self._other(node, changed)
        self.changes.update(dict.fromkeys(changed, node))
        for item in used:
            self.uses.setdefault(item, []).append(node)

    def _read(self, node: Node, handle: Any) -> None:
        held = self.held.get(handle)
        if held is None and handle in self.held:
            self._block(node, handle)
        self.nodes.append(node if held is None else _same(node.outputs[0], held))

    def _update(self, node: Node, handle: Any, renewing: Primitive) -> None:
        if handle not in self.held:
            before = self.held[handle] = Value(handle.type, handle.name)
            self.nodes.append(Node(read_p, (), (before,), node.params))
        held = self.held[handle]
        if held is not None:
            made = self.held[handle] = Value(handle.type, handle.name)
            self.nodes.append(Node(renewing, (held, *node.inputs), (made,)))

    def _other(self, node: Node, changed: Collection[Any]) -> None:
        made = node if changed or not node.regions else self._without_reads(node)
        self.nodes.append(made)
        self.copies[made] = node
        self.held.update(dict.fromkeys(changed))
        if _draws(node):
            return
        for handle in _used(made)[0]:
            if handle in self.changes:
                self._block(made, handle)
        for handle in changed:
            self.blocked[made] = f"is computed by what also changes the variable {handle.name!r}"
        if any(inner.primitive in (PRINT, print_p) for inner in _inside(node)):
            self.blocked[made] = "is computed by what also prints"

    def _without_reads(self, node: Node) -> Node:
        """A node whose branches or body have what was assigned where they read variables."""
        held = self.held.get(node.params.get("variable"))
        if node.primitive is read_p and held is not None:
            return _same(node.outputs[0], held)
        regions = [
            Region(region.parameters, tuple(map(self._without_reads, region.nodes)), region.results)
            for region in node.regions
        ]
        return dataclasses.replace(node, regions=tuple(regions)) if regions else node

    def _block(self, node: Node, handle: Any) -> None:
        place = format_location(self.changes[handle].location)
        self.blocked[node] = (
            f"depends on the variable {handle.name!r}, which the same call changes before ({place})"
        )

    def checks(self, passed: Collection[Node]) -> list[Node]:
        """The nodes that may end the call, but for those that have `passed`."""
        others = [node for node in self.nodes if self.copies.get(node, node) not in passed]
        return list(filter(_checks, others))

    def runs(self, check: Node, known: Mapping[Value, Any], given: Mapping[Value, Any]) -> bool:
        """True if this node can be run at once, and once more in its place."""
        try:
            found = self.needed((), known, (check,))
        except Unknown:
            return False
        free = free_values(Region((), tuple(found), ()))
        return not any(isinstance(given[value], TensorSpec) for value in free) and not any(
            _draws(inner) for node in found for inner in _inside(node)
        )

    def needed(
        self, wanted: Iterable[Value], known: Mapping[Value, Any], checks: Collection[Node]
    ) -> list[Node]:
        """The `checks`, and the nodes that they and values are computed by, in their order; `known`
        are values of some.
        """
        needed = {*wanted}
        found: list[Node] = []
        for node in reversed(self.nodes):
            if needed.isdisjoint(node.outputs) and node not in checks:
                continue
            if node in self.blocked:
                raise Unknown(self.blocked[node])
            made = _of_shape(node, known)
            found += reversed(made)
            for item in made:
                needed.update(reads(item))
        return found[::-1]

    def check_drawn(self, drawn: Sequence[Node], own: Collection[Node]) -> None:
        """Raise Unknown unless drawing at once is what drawing in its place would be."""
        for node in drawn:
            handle = node.params.get("variable")
            uses = self.uses.get(handle, [node])
            before = uses[: uses.index(node)]
            if handle is not None and (node not in own or any(x not in drawn for x in before)):
                raise Unknown(
                    f"depends on the variable {handle.name!r}, which the same call uses before"
                )


def _of_shape(node: Node, known: Mapping[Value, Any]) -> tuple[Node, ...]:
    """A node as far as it is needed: of constants the value, of others perhaps only a shape."""
    if len(node.outputs) == 1 and node.outputs[0] in known:
        return (Node(CONSTANT, (), node.outputs, {"value": known[node.outputs[0]]}),)
    given = node.inputs[0].type if node.primitive.of_shape else None
    if not isinstance(given, TensorType) or not is_known(given.shape):
        return (node,)
    shaped = Value(given, "shaped")
    constant = Node(CONSTANT, (), (shaped,), {"value": placeholder(given)})
    return constant, Node(node.primitive, (shaped,), node.outputs, node.params)
