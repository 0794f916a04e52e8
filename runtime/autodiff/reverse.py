"""Gradients of graphs: the way back through branches, loops and calls, as nodes of the graph.

The gradient of a `cond` is a `cond`, that of a `while` a `while` with as many rounds, that of a
call a call. What rules read of values inside a region becomes a further result of it: a loop pushes
such values on lists, and the loop backwards pops them. All of it is nodes with gradients of their
own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import runtime.ops as ops
from runtime.autodiff.records import Operation
from runtime.graph import numbers
from runtime.graph.ir import (
    Callee,
    Graph,
    Node,
    Region,
    Value,
    covers,
    diverges,
    free_values,
    walk,
)
from runtime.graph.nodes import (
    BOOL,
    CALL,
    COND,
    CONSTANT,
    INT,
    LIST_AS,
    LIST_NEW,
    LIST_POP,
    LIST_PUSH,
    LIST_ZEROS,
    PACK,
    UNPACK,
    WHILE,
    apply,
    placeholder,
)
from runtime.graph.refusals import refuse
from runtime.graph.tracing import Handle, Scope, Trace, active, symbol
from runtime.primitive import Primitive, state
from runtime.shapes import is_known
from runtime.types import ListType, ResidualsType, TensorType, Type

# What has a gradient: a value of a graph, or a variable, known by its node.
Source = Value | int


def differentiable(type: Type) -> bool:
    """Can a value of this type have a gradient?"""
    if isinstance(type, ListType):
        return differentiable(type.element)
    if isinstance(type, ResidualsType):
        return True
    return isinstance(type, TensorType) and type.dtype.np_dtype.kind in "fc"


# What a node of control flow depends on


def called_in(nodes: Iterable[Node]) -> list[Graph]:
    """The graphs that nodes call, also from regions and from these graphs; each once."""
    found: dict[Graph, None] = {}
    pending = [tuple(nodes)]
    while pending:
        for node in walk(Region((), pending.pop(), ())):
            graph = node.params["callee"].graph if "callee" in node.params else None
            if graph is not None and graph not in found:
                found[graph] = None
                pending.append(graph.nodes)
    return list(found)


def variables_in(nodes: Sequence[Node]) -> dict[int, Any]:
    """The variables that nodes read, also in regions and in the graphs that they call."""
    regions = [Region((), tuple(nodes), ()), *(graph.body for graph in called_in(nodes))]
    read = [node for region in regions for node in walk(region) if node.outputs]
    variables = [node.params["variable"] for node in read if "variable" in node.params]
    return {v.node: v for v in variables if v is not None and differentiable(v.type)}


def captures_in(nodes: Iterable[Node]) -> dict[Value, Any]:
    """The eager tensors from outside that the graphs which nodes call use."""
    captures = [pair for graph in called_in(nodes) for pair in graph.captures]
    return {value: item for value, item in captures if differentiable(value.type)}


def is_recursive(graph: Graph) -> bool:
    """Does it call itself?"""
    return graph in called_in(graph.nodes)


def _callee(node: Node) -> Graph:
    graph: Graph | None = node.params["callee"].graph
    if graph is None:
        name = node.params["callee"].name
        raise refuse(
            f"the gradient of a call of {name} is asked for inside of {name} itself",
            "ask for it outside of the function, or write the recursion as a loop",
            location=node.location,
        )
    return graph


def connections(handle: Handle) -> Iterator[tuple[Any, Source]]:
    """What a node of control flow depends on: tensors, lists and variables; and as what it knows
    each.
    """
    node, trace = handle.node, handle.scope.trace
    held = {value: item for value, item in trace.captures.values()}
    used = [*node.inputs, *(v for region in node.regions for v in free_values(region))]
    for value in dict.fromkeys(used):
        if differentiable(value.type):
            item = held.get(value)
            yield symbol(value, handle.scope, None) if item is None else item, value
    for value, item in captures_in((node,)).items():
        yield item, value
    for key, variable in variables_in((node,)).items():
        yield variable, key


class Activity:
    """Which values depend on the sources of a gradient, found by following the nodes forwards."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self.known: set[Source] = set(sources)
        self.recursions: dict[Graph, Recursion] = {}
        self._entered: set[Graph] = set()
        self._entered_again: set[Graph] = set()

    def follow(self, nodes: Iterable[Node]) -> None:
        """Add what nodes compute of active values."""
        for node in nodes:
            rule = _FOLLOW.get(node.primitive.name)
            if rule is not None:
                rule(self, node)
            elif self._is_reached(node):
                self.add(node.outputs)

    def add(self, values: Iterable[Value]) -> None:
        """Add those of these values that can have gradients."""
        self.known.update(value for value in values if differentiable(value.type))

    def _is_reached(self, node: Node) -> bool:
        variable = node.params.get("variable")
        if variable is not None and node.outputs and variable.node in self.known:
            return True
        return any(value in self.known for value in node.inputs)

    def pass_on(self, sources: Iterable[Value], targets: Iterable[Value]) -> bool:
        """Add each target whose source is active; whether there is a new one."""
        pairs = zip(sources, targets, strict=True)
        found = [t for s, t in pairs if s in self.known and t not in self.known]
        self.add(found)
        return any(value in self.known for value in found)

    def _cond(self, node: Node) -> None:
        for region in node.regions:
            self.follow(region.nodes)
            if not diverges(region):
                self.pass_on(region.results, node.outputs)

    def _while(self, node: Node) -> None:
        (body,) = node.regions
        self.pass_on(node.inputs[1:], body.parameters)
        self.follow(body.nodes)
        while self.pass_on(body.results[1:], body.parameters):
            self.follow(body.nodes)
        self.pass_on(body.parameters, node.outputs)

    def _call(self, node: Node) -> None:
        graph = _callee(node)
        self.pass_on(node.inputs, graph.parameters)
        if graph in self._entered:
            self._entered_again.add(graph)
        else:
            self._entered.add(graph)
            self._graph(graph)
            self._entered.remove(graph)
        self.pass_on(graph.results, node.outputs)

    def _graph(self, graph: Graph) -> None:
        self.follow(graph.nodes)
        while graph in self._entered_again:
            size = len(self.known)
            self.follow(graph.nodes)
            if len(self.known) == size:
                break

    def _nothing(self, node: Node) -> None:
        pass


_FOLLOW: dict[str, Callable[[Activity, Node], None]] = {
    "cond": Activity._cond,
    "while": Activity._while,
    "call": Activity._call,
    "stop_gradient": Activity._nothing,
    "list_zeros": Activity._nothing,
}


# Rewriting


def substituted(region: Region, names: dict[Value, Value]) -> Region:
    """The region with other values in place of those that it uses from around it."""
    nodes = tuple([_renamed(node, names) for node in region.nodes])
    return Region(region.parameters, nodes, tuple([names.get(v, v) for v in region.results]))


def _renamed(node: Node, names: dict[Value, Value]) -> Node:
    inputs = tuple([names.get(value, value) for value in node.inputs])
    regions = tuple([substituted(region, names) for region in node.regions])
    return Node(node.primitive, inputs, node.outputs, node.params, regions, node.origin)


def _read_from(
    back: Region, nodes: Sequence[Node], parameters: Sequence[Value] = ()
) -> tuple[list[Value], list[Node]]:
    """What the way back uses of a region: values, and the constants among them to make again."""
    makers: dict[Value, Node | None] = dict.fromkeys(parameters)
    makers.update((output, node) for node in nodes for output in node.outputs)
    values, constants = [], []
    for value in free_values(back):
        maker = makers.get(value)
        if maker is not None and maker.primitive.name == "constant":
            constants.append(maker)
        elif value in makers:
            values.append(value)
    return values, constants


def _with_constants(back: Region, constants: Sequence[Node], names: dict[Value, Value]) -> Region:
    """The way back, that makes these constants again, with other values in place of some."""
    fresh = {old: Value(old.type, old.name) for node in constants for old in node.outputs}
    again = [replace(node, outputs=(fresh[node.outputs[0]],)) for node in constants]
    made = substituted(back, names | fresh)
    return replace(made, nodes=(*again, *made.nodes))


def _constant(value: Any, type: Type, name: str) -> Node:
    return Node(CONSTANT, (), (Value(type, name),), {"value": value})


def _standing_in(value: Value) -> Node:
    """What takes the place of a value that a branch does not compute; nobody reads it."""
    if isinstance(value.type, ListType):
        made = Value(value.type, value.name)
        return Node(LIST_NEW, (), (made,), {"element": value.type.element})
    if isinstance(value.type, ResidualsType):
        return Node(PACK, (), (Value(value.type, value.name),), {"type": value.type})
    return _constant(placeholder(value.type), value.type, value.name)


# The way back


class StagedOperation(Operation):
    """An op inside a region that was left, as gradient rules see it."""

    __slots__ = ()
    is_inner = True


@dataclass(slots=True)
class _Branch:
    """The way back through a branch: where it is built, its gradients, and the way forth."""

    scope: Scope
    reverse: Reverse
    nodes: list[Node]
    region: Region
    back: Region | None = None


@contextmanager
def _untaped() -> Iterator[None]:
    before = state.tapes
    state.tapes = ()
    try:
        yield
    finally:
        state.tapes = before


class Reverse:
    """Goes back over nodes and adds those of the gradient to the open scope of the active trace.

    `grads` are the symbols of the gradients so far; `activity` knows what depends on the sources.
    """

    def __init__(self, activity: Activity, variables: dict[int, Any]) -> None:
        self.trace: Trace = active()
        self.activity = activity
        self.variables = variables
        self.grads: dict[Source, Any] = {}

    def symbol(self, value: Value) -> Any:
        """What rules are given for a value."""
        return symbol(value, self.trace.scope, None)

    def add(self, source: Source, grad: Any) -> None:
        """Add to the gradient of an active value or variable."""
        if grad is None or source not in self.activity.known:
            return
        before = self.grads.get(source)
        self.grads[source] = grad if before is None else before + grad

    def zeros(self, source: Source) -> Any:
        """Zeros like a source."""
        type = self.type_of(source)
        if isinstance(type, ListType | ResidualsType):
            return self.trace.apply(LIST_ZEROS, (source,))  # type: ignore[arg-type]
        if is_known(type.shape):
            return ops.zeros(type.shape, type.dtype)
        if isinstance(source, Value):
            return ops.zeros_like(self.symbol(source))
        return ops.zeros_like(self.variables[source].value())

    def type_of(self, source: Source) -> Any:
        """The type of a source, and of its gradient."""
        return source.type if isinstance(source, Value) else self.variables[source].type

    def taken(self, source: Source) -> Any:
        """The gradient of a source, zeros where there is none, with its type."""
        grad = self.grads.get(source)
        return self.zeros(source) if grad is None else _shaped(grad, self.type_of(source))

    def region(self, nodes: Sequence[Node]) -> list[Node]:
        """Go back over nodes; what stands in their place afterwards."""
        made: list[Node] = []
        for node in reversed(nodes):
            made += reversed(self.step(node))
        return made[::-1]

    def step(self, node: Node) -> Sequence[Node]:
        """Go back over one node."""
        given = [self.grads.pop(output, None) for output in node.outputs]
        if all(grad is None for grad in given):
            return (node,)
        rule = _BACK.get(node.primitive.name)
        if rule is not None:
            return rule(self, node, given)
        self._op(node, given)
        return (node,)

    def _op(self, node: Node, given: Sequence[Any]) -> None:
        if not node.inputs:
            variable = node.params.get("variable")
            if variable is not None:
                self.add(variable.node, given[0])
            return
        known = self.activity.known
        sources = [value if value in known else None for value in node.inputs]
        rule = node.primitive.gradient
        if rule is None:
            raise LookupError(
                f"No gradient is defined for the op {node.primitive.op_type}, which the target "
                "depends on: use tf.stop_gradient on what goes into it, or give one with "
                "tf.custom_gradient"
            )
        inputs = [self.symbol(value) for value in node.inputs]
        outputs = [self.symbol(value) for value in node.outputs]
        results = rule(StagedOperation(inputs, outputs, dict(node.params), sources), *given)
        for value, result in zip(node.inputs, results or (), strict=results is not None):
            self.add(value, result)

    def rewrite(self, node: Node, made: list[Node]) -> Sequence[Node]:
        """Put nodes in the place of one."""
        return made

    def append(
        self,
        primitive: Primitive,
        inputs: Sequence[Any],
        types: Sequence[Type],
        names: Sequence[str],
        **fields: Any,
    ) -> tuple[Any, ...]:
        """Add a node of control flow, whose outputs have these types and names."""
        named = enumerate(zip(types, map(self.trace.unique, names), strict=True))
        outputs = [Value(type, name, at) for at, (type, name) in named]
        values = [self.trace.value_of(item) for item in inputs]
        return self.trace.append(primitive, values, outputs, **fields)

    def label(self, source: Source) -> str:
        """A name for the gradient of a source."""
        return f"grad_{source.name if isinstance(source, Value) else self.variables[source].name}"

    @contextmanager
    def inside(self) -> Iterator[tuple[Scope, Reverse]]:
        """Build a region of the gradient."""
        site = self.trace.scope.next_site()
        with _untaped(), self.trace.nested("a gradient", site) as scope:
            yield scope, Reverse(self.activity, self.variables)

    @contextmanager
    def back_inside(self, scope: Scope) -> Iterator[None]:
        """Add to a region of the gradient that was left."""
        with _untaped(), self.trace.reopened(scope):
            yield

    def sources(self, regions: Sequence[Region]) -> list[Source]:
        """What regions use from around them, of which gradients are asked for."""
        nodes = [node for region in regions for node in region.nodes]
        free = [value for region in regions for value in free_values(region)]
        used = dict.fromkeys((*free, *captures_in(nodes), *variables_in(nodes)))
        return [source for source in used if source in self.activity.known]

    # Branches

    def cond(self, node: Node, given: Sequence[Any]) -> Sequence[Node]:
        """The gradient of a cond: a cond."""
        sources = self.sources(node.regions)
        parts = [self._branch(region, given) for region in node.regions]
        kept = [s for s in sources if any(s in part.reverse.grads for part in parts)]
        if not kept:
            return (node,)
        for part in parts:
            with self.back_inside(part.scope):
                found = [part.reverse.trace.value_of(part.reverse.taken(s)) for s in kept]
            part.back = part.scope.region(found)
        forward, backs = _branches_with_residuals(node, parts)
        made = self.rewrite(node, [forward])
        types = [self.type_of(source) for source in kept]
        test = self.symbol(node.inputs[0])
        names = list(map(self.label, kept))
        grads = self.append(COND, [test], types, names, regions=backs, origin=node.origin)
        for source, grad in zip(kept, grads, strict=True):
            self.add(source, grad)
        return made

    def _branch(self, region: Region, given: Sequence[Any]) -> _Branch:
        with self.inside() as (scope, reverse):
            if diverges(region):
                return _Branch(scope, reverse, list(region.nodes), region)
            for result, grad in zip(region.results, given, strict=True):
                reverse.add(result, grad)
            return _Branch(scope, reverse, reverse.region(region.nodes), region)

    # Loops

    def while_(self, node: Node, given: Sequence[Any]) -> Sequence[Node]:
        """The gradient of a while: a while of as many rounds, that takes them in reverse."""
        carried = self._carried(node, given)
        nodes, back, sources = self._back_through(node, carried)
        made, rounds, lists, back = _loop_with_residuals(node, nodes, back, self.trace)
        made = list(self.rewrite(node, made))
        starts = self._starts(node, given, carried) + [self.zeros(source) for source in sources]
        grads = self._reverse_loop(node, back, rounds, lists, starts)
        targets = [*(node.inputs[at + 1] for at in carried), *sources]
        for target, grad in zip(targets, grads, strict=True):
            self.add(target, grad)
        return made

    def _back_through(
        self, node: Node, carried: Sequence[int]
    ) -> tuple[list[Node], Region, list[Source]]:
        """The nodes of a round, the region that goes back over one, and what it sums gradients of:
        it is given those of what is carried and the sums, and gives back the same.
        """
        (body,) = node.regions
        with self.inside() as (scope, reverse):
            for at in carried:
                parameter = body.parameters[at]
                grad = self.trace.parameter(parameter.type, self.label(parameter))
                reverse.add(body.results[at + 1], grad)
            nodes = reverse.region(body.nodes)
            sources = [s for s in self.sources(node.regions) if s in reverse.grads]
            results = [reverse.taken(body.parameters[at]) for at in carried]
            for source in sources:
                total = self.trace.parameter(self.type_of(source), self.label(source))
                reverse.add(source, total)
                results.append(reverse.taken(source))
            found = [self.trace.value_of(result) for result in results]
        return nodes, scope.region(found), sources

    def _starts(self, node: Node, given: Sequence[Any], carried: Sequence[int]) -> list[Any]:
        """The gradients of what a loop leaves, zeros where there is none."""
        types = [parameter.type for parameter in node.regions[0].parameters]
        return [
            self.zeros(node.outputs[at]) if given[at] is None else _shaped(given[at], types[at])
            for at in carried
        ]

    def _reverse_loop(
        self, node: Node, back: Region, rounds: Value, lists: Sequence[Value], starts: list[Any]
    ) -> Sequence[Any]:
        count = self.symbol(rounds)
        inputs = [count > 0, count, *map(self.symbol, lists), *starts]
        types = [parameter.type for parameter in back.parameters]
        names = [parameter.name for parameter in back.parameters]
        found = self.append(WHILE, inputs, types, names, regions=[back], origin=node.origin)
        return found[1 + len(lists) :]

    def _carried(self, node: Node, given: Sequence[Any]) -> list[int]:
        """The places of the state through which gradients flow back."""
        (body,) = node.regions
        known = self.activity.known
        found = {at for at, grad in enumerate(given) if grad is not None}
        while True:
            useful = _leading_to(body.nodes, {body.results[at + 1] for at in found})
            more = {at for at, p in enumerate(body.parameters) if p in useful and p in known}
            if more <= found:
                return sorted(found)
            found |= more

    # Calls

    def call(self, node: Node, given: Sequence[Any]) -> Sequence[Node]:
        """The gradient of a call: a call of another graph."""
        known = self.activity.known
        graph = _callee(node)
        if is_recursive(graph):
            return self._recursion(node, graph, given)
        active = tuple([value in known for value in node.inputs])
        active_captures = [value for value in captures_in((node,)) if value in known]
        read = [key for key in variables_in(graph.nodes) if key in known]
        derived = derive(graph, active, active_captures, read, [g is not None for g in given])
        residuals = [Value(v.type, v.name) for v in derived.forward.results[len(node.outputs) :]]
        callee = Callee(node.params["callee"].name, derived.forward)
        forward = replace(node, outputs=(*node.outputs, *residuals), params={"callee": callee})
        made = self.rewrite(node, [forward])
        upstream = [
            _shaped(grad, result.type)
            for grad, result in zip(given, graph.results, strict=True)
            if grad is not None
        ]
        inputs = [*upstream, *map(self.symbol, residuals)]
        types = [value.type for value in derived.backward.results]
        callee = Callee(derived.backward.name, derived.backward)
        self._call_back(node, callee, inputs, derived.sources, types)
        return made

    def _call_back(
        self,
        node: Node,
        callee: Callee,
        inputs: Sequence[Any],
        places: Sequence[Source | Place],
        types: Sequence[Type],
    ) -> None:
        """Add the call of a graph that computes the gradients for these places of a call."""
        sources = [node.inputs[s] if isinstance(s, Place) else s for s in places]
        names, params = list(map(self.label, sources)), {"callee": callee}
        grads = self.append(CALL, inputs, types, names, params=params, origin=node.origin)
        for source, grad in zip(sources, grads, strict=True):
            self.add(source, grad)

    def _recursion(self, node: Node, graph: Graph, given: Sequence[Any]) -> Sequence[Node]:
        made = self.activity.recursions.get(graph) or _derive_recursion(graph, self.activity)
        residuals = Value(made.residuals, self.trace.unique("residuals"))
        params = {"callee": made.forward}
        forward = replace(node, outputs=(*node.outputs, residuals), params=params)
        nodes = self.rewrite(node, [forward])
        inputs = [
            _shaped(self.zeros(output) if grad is None else grad, result.type)
            for output, result, grad in zip(node.outputs, graph.results, given, strict=True)
            if result in self.activity.known
        ]
        inputs.append(self.symbol(residuals))
        self._call_back(node, made.backward, inputs, made.sources, made.types)
        return nodes


def _shaped(grad: Any, type: Any) -> Any:
    """A gradient, known to have a type of which its own knows less."""
    if covers(type, grad.type):
        return grad
    if isinstance(type, ListType):
        return apply(LIST_AS, grad, type=type)
    return ops.ensure_shape(grad, type.shape)


_BACK: dict[str, Callable[[Reverse, Node, list[Any]], Sequence[Node]]] = {
    "cond": Reverse.cond,
    "while": Reverse.while_,
    "call": Reverse.call,
}


def _leading_to(nodes: Sequence[Node], useful: set[Value]) -> set[Value]:
    """The values that values of `useful` depend on."""
    for node in reversed(nodes):
        if any(output in useful for output in node.outputs):
            useful.update(node.inputs)
            for region in node.regions:
                useful.update(free_values(region))
    return useful


def _branches_with_residuals(node: Node, parts: Sequence[_Branch]) -> tuple[Node, list[Region]]:
    """The cond that also returns what the ways back read, and these."""
    found = [_read_from(_built(part), part.nodes) for part in parts]
    outputs: list[Value] = []
    backs, columns = [], []
    for part, (values, constants) in zip(parts, found, strict=True):
        names = {value: Value(value.type, value.name) for value in values}
        outputs += names.values()
        columns.append(values)
        backs.append(_with_constants(_built(part), constants, names))
    regions = []
    for at, part in enumerate(parts):
        stand_ins = [[_standing_in(v) for v in column] for column in columns]
        others = [n for place, made in enumerate(stand_ins) if place != at for n in made]
        results = [
            value if place == at else stand_in.outputs[0]
            for place, column in enumerate(columns)
            for value, stand_in in zip(column, stand_ins[place], strict=True)
        ]
        if diverges(part.region):
            regions.append(part.region)
        else:
            nodes = (*part.nodes, *others)
            regions.append(
                replace(part.region, nodes=nodes, results=(*part.region.results, *results))
            )
    return replace(node, outputs=(*node.outputs, *outputs), regions=tuple(regions)), backs


def _built(part: _Branch) -> Region:
    assert part.back is not None
    return part.back


def _loop_with_residuals(
    node: Node, nodes: list[Node], back: Region, trace: Trace
) -> tuple[list[Node], Value, list[Value], Region]:
    """The nodes of the loop that counts its rounds and pushes what the way back reads; the count
    and the lists that it leaves; and the body of the way back, which pops them.
    """
    (body,) = node.regions
    values, constants = _read_from(back, nodes, body.parameters)
    types: list[Type] = [INT, *(ListType(value.type) for value in values)]
    labels = ["rounds", *(trace.unique(f"saved_{value.name}") for value in values)]
    begins = [_constant(0, INT, "zero"), *(_empty(value.type) for value in values)]
    holds, outputs, states = (
        [Value(type, label) for type, label in zip(types, labels, strict=True)] for _ in range(3)
    )
    one = _constant(1, INT, "one")
    grown = [Value(type, label) for type, label in zip(types, labels, strict=True)]
    pushes = [one, Node(numbers.BINARY["add"], (holds[0], one.outputs[0]), (grown[0],))]
    for value, held, more in zip(values, holds[1:], grown[1:], strict=True):
        pushes.append(Node(LIST_PUSH, (held, value), (more,)))
    made = replace(
        node,
        inputs=(*node.inputs, *(begin.outputs[0] for begin in begins)),
        outputs=(*node.outputs, *outputs),
        regions=(Region((*body.parameters, *holds), (*nodes, *pushes), (*body.results, *grown)),),
    )
    return [*begins, made], outputs[0], outputs[1:], _popping(back, values, states, constants)


def _empty(element: Type) -> Node:
    return Node(LIST_NEW, (), (Value(ListType(element), "empty"),), {"element": element})


def _popping(
    back: Region, values: Sequence[Value], states: list[Value], constants: Sequence[Node]
) -> Region:
    """The body of a loop backwards: its state is a count, the lists, and the gradients."""
    rests = [Value(held.type, held.name) for held in states[1:]]
    names = {value: Value(value.type, value.name) for value in values}
    pops = [
        Node(LIST_POP, (held,), (rest, names[value]))
        for value, held, rest in zip(values, states[1:], rests, strict=True)
    ]
    zero, one = _constant(0, INT, "zero"), _constant(1, INT, "one")
    left, proceed = Value(INT, "left"), Value(BOOL, "proceed")
    counting = [
        zero,
        one,
        Node(numbers.BINARY["sub"], (states[0], one.outputs[0]), (left,)),
        Node(numbers.BINARY["gt"], (left, zero.outputs[0]), (proceed,)),
    ]
    body = _with_constants(back, constants, names)
    return Region(
        (*states, *body.parameters),
        (*pops, *body.nodes, *counting),
        (proceed, left, *rests, *body.results),
    )


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
    reverse = Reverse(activity, variables_in(graph.nodes))
    for result, is_given in zip(graph.results, given, strict=True):
        if is_given:
            reverse.add(result, reverse.trace.parameter(result.type, reverse.label(result)))
    return reverse, reverse.region(graph.nodes)


def _separated(
    graph: Graph, nodes: list[Node], back: Region, trace: Trace, found: Sequence[Source]
) -> Derived:
    values, constants = _read_from(back, nodes, graph.parameters)
    names = {value: Value(value.type, value.name) for value in values}
    free = set(free_values(back))
    body = _with_constants(back, constants, names)
    body = replace(body, parameters=(*body.parameters, *names.values()))
    outer = [pair for pair in graph.captures if pair[0] in free]
    captured = (*trace.captures.values(), *outer)
    forward = replace(graph.body, nodes=tuple(nodes), results=(*graph.results, *values))
    places: dict[Source, Place] = {value: Place(at) for at, value in enumerate(graph.parameters)}
    return Derived(
        replace(graph, body=forward),
        Graph(trace.name, body, captured),
        tuple([places.get(s, s) for s in found]),
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
    captures = dict(graph.captures) | captures_in(graph.nodes)
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


# Tapes in a graph


class _Recorded(Reverse):
    """Goes back over a node that tapes have recorded, in its place."""

    def __init__(self, activity: Activity, variables: dict[int, Any], handle: Handle) -> None:
        super().__init__(activity, variables)
        self.handle = handle

    def rewrite(self, node: Node, made: list[Node]) -> Sequence[Node]:
        """Put nodes in the place of the node; its new outputs are shown to the tapes."""
        nodes = self.handle.scope.nodes
        at = nodes.index(node)
        nodes[at : at + 1] = made
        self.handle.node = made[-1]
        fresh = made[-1].outputs[len(node.outputs) :]
        symbols = [symbol(value, self.handle.scope, None) for value in fresh]
        for tape in state.tapes:
            tape.control(self.handle, symbols)
        return made


def _gradient(op: Any, *given: Any) -> list[Any]:
    handle, sources = op.params["handle"], op.params["sources"]
    asked = [s for s, key in zip(sources, op.sources, strict=True) if key is not None]
    activity = Activity(asked)
    activity.follow((handle.node,))
    reverse = _Recorded(activity, variables_in((handle.node,)), handle)
    for output, grad in zip(op.outputs, given, strict=True):
        reverse.add(output.value, grad)
    reverse.step(handle.node)
    return [reverse.grads.get(source) for source in sources]


CONTROL = Primitive("control", lambda *_: (), lambda *_: (), gradient=_gradient)
