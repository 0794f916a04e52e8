"""The graph: typed nodes in program order, with nested regions for branches, bodies and calls.

Structured SSA: a `Value` is defined once, by a node, as a region's parameter or as a graph's
capture; a region sees the values around it without naming them as inputs. Program order is the
control dependency. Everything here is frozen; a pass builds a new graph. `verify` checks one,
`format_graph` prints one with a type on every binder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from types import CodeType, MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.primitive import Primitive
from runtime.types import ListType, NumberType, ResidualsType, TensorType, Type

if TYPE_CHECKING:
    from runtime.graph.graph_def import GraphDef
    from runtime.graph.views import GraphTensor, Operation

Location = tuple[str, int, int]
Params = Mapping[str, Any]

NO_PARAMS: Params = MappingProxyType({})


class Origin(NamedTuple):
    """Where the user's code stood: a code object, the offset of its instruction, and where the
    function was called, up to the traced one.
    """

    code: CodeType
    offset: int
    caller: Origin | None = None

    @property
    def location(self) -> Location | None:
        """The user's (file, line, column), both from 1."""
        return position_of(self.code, self.offset)

    def called_from(self, caller: Origin | None) -> Origin:
        """The same place, where the traced function itself was called from `caller`."""
        outer = caller if self.caller is None else self.caller.called_from(caller)
        return self._replace(caller=outer)


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """Something computed: its type, and the name that it was given (a hint; printing makes names
    unique).
    """

    type: Type
    name: str
    index: int = 0

    def __repr__(self) -> str:
        return f"<Value {self.name}: {self.type}>"


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Nodes in program order between parameters and results: a branch, a loop's body, a graph's
    body.
    """

    parameters: tuple[Value, ...]
    nodes: tuple[Node, ...]
    results: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One application of a primitive.

    `origin` is where the user's code asked for it; `location` works out the position only when
    asked, because positions are decoded slowly and needed rarely. `device` is that of the scope
    that it was made in, None for the usual one.
    """

    primitive: Primitive
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    params: Params = field(default_factory=lambda: NO_PARAMS)
    regions: tuple[Region, ...] = ()
    origin: Origin | None = None
    device: str | None = None

    @property
    def location(self) -> Location | None:
        """The user's (file, line, column), both from 1; None where no user's frame was on the
        stack.
        """
        return self.origin.location if self.origin else None

    def __repr__(self) -> str:
        return f"<Node {self.primitive.name}>"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True, repr=False)
class Graph:
    """A traced function: its body, and what it uses from outside by reference.

    `captures` pairs a value of the body with the eager tensor that it stands for. What it uses of a
    graph around it are further parameters, behind those of the signature.
    """

    name: str
    body: Region
    captures: tuple[tuple[Value, Any], ...] = ()

    @property
    def parameters(self) -> tuple[Value, ...]:
        """The values that a call supplies."""
        return self.body.parameters

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes of the body, not of regions inside it."""
        return self.body.nodes

    @property
    def results(self) -> tuple[Value, ...]:
        """The values that a call returns."""
        return self.body.results

    @property
    def inputs(self) -> tuple[GraphTensor, ...]:
        """The tensors that a call supplies, then those that stand for captures."""
        return self._tensors((*self.parameters, *(value for value, _ in self.captures)))

    @property
    def outputs(self) -> tuple[GraphTensor, ...]:
        """The tensors that a call returns."""
        return self._tensors(self.results)

    def _tensors(self, values: Iterable[Value]) -> tuple[GraphTensor, ...]:
        from runtime.graph import views

        return views.tensors(self.get_operations(), values)

    @property
    def signature(self) -> str:
        """Its name, the names and types of its parameters, and the types of its results."""
        parameters = ", ".join(f"{value.name}: {value.type}" for value in self.parameters)
        return f"{self.name}({parameters}) -> {_types(value.type for value in self.results)}"

    def get_operations(self) -> tuple[Operation, ...]:
        """The nodes as TensorFlow lists them: with a name and its name of the op, behind a
        placeholder for each input.
        """
        from runtime.graph import views

        return views.operations(self)

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of this name, in regions too. KeyError if there is none."""
        pending = list(self.get_operations())
        for operation in pending:
            if operation.name == name:
                return operation
            pending += [inner for region in operation.regions for inner in region]
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph {self.name!r}")

    def get_tensor_by_name(self, name: str) -> GraphTensor:
        """The tensor of this name, as in "add:0". KeyError if there is none."""
        operation, _, index = name.partition(":")
        outputs = self.get_operation_by_name(operation).outputs
        if not index.isdigit() or int(index) >= len(outputs):
            raise KeyError(f"The name {name!r} refers to a Tensor not in the graph {self.name!r}")
        return outputs[int(index)]

    def as_graph_def(self) -> GraphDef:
        """The graph as TensorFlow writes graphs down: nodes that name their inputs, and a function
        for each branch, body and graph that is called.
        """
        from runtime.graph.graph_def import graph_def

        return graph_def(self)

    def to_dot(self) -> str:
        """The graph in the language of Graphviz."""
        from runtime.graph import views

        return views.to_dot(self)

    def _repr_svg_(self) -> str:
        from runtime.graph import views

        return views.to_svg(self)

    def __str__(self) -> str:
        return format_graph(self)

    def __repr__(self) -> str:
        return f"<Graph {self.signature}>"


class Callee:
    """The graph that a call node calls; filled in once it is known, so that recursion can refer to
    itself.
    """

    __slots__ = ("graph", "name")

    def __init__(self, name: str, graph: Graph | None = None) -> None:
        self.name = name
        self.graph = graph

    def __repr__(self) -> str:
        return f"@{self.name}"


def position_of(code: CodeType, offset: int) -> Location | None:
    """The (file, line, column) of an instruction, both from 1."""
    found = next(islice(code.co_positions(), offset // 2, None), None)
    if found is None or found[0] is None:
        return None
    return code.co_filename, found[0], (found[2] or 0) + 1


def format_location(location: Location | None) -> str:
    """`file:line:col`, or a phrase where it is not known."""
    return ":".join(map(str, location)) if location else "an unknown place"


def walk(region: Region) -> Iterator[Node]:
    """Every node of a region and of the regions inside it, in program order."""
    for node in region.nodes:
        yield node
        for inner in node.regions:
            yield from walk(inner)


def free_values(region: Region) -> tuple[Value, ...]:
    """The values that a region uses from around it, in order of first use."""
    found: dict[Value, None] = {}
    _free(region, set(), found)
    return tuple(found)


def _free(region: Region, bound: set[Value], found: dict[Value, None]) -> None:
    bound.update(region.parameters)
    for node in region.nodes:
        found.update((value, None) for value in node.inputs if value not in bound)
        for inner in node.regions:
            _free(inner, bound, found)
        bound.update(node.outputs)
    found.update((value, None) for value in region.results if value not in bound)


def has_effect(node: Node) -> bool:
    """Must the node run even if nobody uses its outputs? So must what contains an effect."""
    return _acts((node,), set())


def has_effects(region: Region) -> bool:
    """Is there a node in it that must run even if nobody uses its outputs?"""
    return _acts(region.nodes, set())


def _acts(nodes: Iterable[Node], seen: set[Callee]) -> bool:
    return any(
        node.primitive.effect
        or any(_acts(region.nodes, seen) for region in node.regions)
        or _callee_acts(node.params.get("callee"), seen)
        for node in nodes
    )


def _callee_acts(callee: Callee | None, seen: set[Callee]) -> bool:
    # A graph that calls itself has the effects of the rest of it.
    if callee is None or callee in seen:
        return False
    seen.add(callee)
    return callee.graph is None or _acts(callee.graph.nodes, seen)


def may_act(nodes: Iterable[Node]) -> bool:
    """Can running these nodes have an effect, or raise?"""
    return any(
        has_effect(node)
        or node.primitive.fallible
        or any(may_act(region.nodes) for region in node.regions)
        for node in nodes
    )


# Types


def covers(wide: Type, narrow: Type) -> bool:
    """May a value of type `narrow` stand where `wide` is declared? (The dimensions may be known
    better.)
    """
    if wide is narrow or wide == narrow:
        return True
    if isinstance(wide, ListType) and isinstance(narrow, ListType):
        return covers(wide.element, narrow.element)
    if not isinstance(wide, TensorType) or not isinstance(narrow, TensorType):
        return False
    if wide.dtype is not narrow.dtype:
        return False
    if wide.shape is None:
        return True
    if narrow.shape is None or len(wide.shape) != len(narrow.shape):
        return False
    return all(w is None or w == n for w, n in zip(wide.shape, narrow.shape, strict=True))


# Verification


class InvalidGraph(AssertionError):
    """A graph breaks a rule of the IR: a bug of whoever built it, never of the user."""


def verify(graph: Graph, types: bool = False) -> None:
    """Raise InvalidGraph unless values are defined once and before their use and regions fit their
    nodes.

    With `types`, every node's outputs are also compared with what its primitive infers.
    """
    checker = _Checker(types)
    for value, _ in graph.captures:
        checker.define(value)
    checker.region(graph.body)


class _Checker:
    """What is visible at a place, and what was defined anywhere."""

    def __init__(self, types: bool) -> None:
        self.types = types
        self.visible: set[Value] = set()
        self.defined: set[Value] = set()

    def define(self, value: Value) -> None:
        if value in self.defined:
            raise InvalidGraph(f"{value!r} is defined twice")
        self.defined.add(value)
        self.visible.add(value)

    def region(self, region: Region) -> None:
        outer = set(self.visible)
        for value in region.parameters:
            self.define(value)
        for position, node in enumerate(region.nodes):
            self.node(node)
            if node.primitive.name == "raise" and position + 1 != len(region.nodes):
                raise InvalidGraph("a raise node is not the last of its region")
            for value in node.outputs:
                self.define(value)
        for value in region.results:
            if value not in self.visible:
                raise InvalidGraph(f"the result {value!r} is not defined here")
        self.visible = outer

    def node(self, node: Node) -> None:
        for value in node.inputs:
            if value not in self.visible:
                raise InvalidGraph(f"{node!r} uses {value!r}, which is not defined before it")
        for region in node.regions:
            self.region(region)
        rule = STRUCTURE_RULES.get(node.primitive.name)
        if rule is not None:
            rule(node)
        elif node.regions:
            raise InvalidGraph(f"{node!r} takes no regions")
        elif self.types:
            _verify_types(node)


def _verify_types(node: Node) -> None:
    inferred = node.primitive.infer(*(value.type for value in node.inputs), **node.params)
    expected = inferred if isinstance(inferred, tuple) else (inferred,)
    actual = tuple(value.type for value in node.outputs)
    # A pass may know better than the trace what a node reads.
    if len(expected) != len(actual) or not all(map(covers, actual, expected)):
        raise InvalidGraph(f"{node!r} declares {_types(actual)}, its rule says {_types(expected)}")


def _types(types: Iterable[Type]) -> str:
    return "(" + ", ".join(map(str, types)) + ")"


def _fit(node: Node, wide: Iterable[Value], narrow: Iterable[Value], what: str) -> None:
    wide, narrow = tuple(wide), tuple(narrow)
    if len(wide) != len(narrow):
        raise InvalidGraph(f"{node!r}: {len(narrow)} {what} where {len(wide)} are declared")
    for w, n in zip(wide, narrow, strict=True):
        if not covers(w.type, n.type):
            raise InvalidGraph(f"{node!r}: {what}: {n!r} does not fit {w!r}")


def _expect(node: Node, inputs: int, regions: int) -> None:
    if len(node.inputs) < inputs or len(node.regions) != regions:
        raise InvalidGraph(f"{node!r} has {len(node.inputs)} inputs, {len(node.regions)} regions")


def is_test(type: Type) -> bool:
    """Can a value of this type steer a cond or a while?"""
    if isinstance(type, NumberType):
        return type.kind == "bool"
    return isinstance(type, TensorType) and type.dtype.is_bool and type.shape == ()


def _verify_cond(node: Node) -> None:
    _expect(node, 1, 2)
    if len(node.inputs) != 1 or not is_test(node.inputs[0].type):
        raise InvalidGraph(f"{node!r} needs one test, has {node.inputs}")
    for region in node.regions:
        _fit(node, (), region.parameters, "parameters of a branch")
        if not diverges(region):
            _fit(node, node.outputs, region.results, "results of a branch")


def _verify_while(node: Node) -> None:
    _expect(node, 1, 1)
    (body,) = node.regions
    if not is_test(node.inputs[0].type) or not body.results or not is_test(body.results[0].type):
        raise InvalidGraph(f"{node!r} has no test")
    _fit(node, node.outputs, body.parameters, "parameters")
    _fit(node, node.outputs, node.inputs[1:], "initial values")
    _fit(node, node.outputs, body.results[1:], "results of the body")


def _verify_call(node: Node) -> None:
    _expect(node, 0, 0)
    graph = node.params["callee"].graph
    if graph is None:
        return
    _fit(node, graph.parameters, node.inputs, "arguments")
    _fit(node, node.outputs, graph.results, "results")


def _verify_fused(node: Node) -> None:
    _expect(node, 0, 1)
    (body,) = node.regions
    _fit(node, (), body.parameters, "parameters of a group")
    _fit(node, node.outputs, body.results, "results of a group")
    if set(node.inputs) != set(free_values(body)):
        raise InvalidGraph(f"{node!r} does not take just what its ops read")
    if any(inner.regions or inner.primitive.effect for inner in body.nodes):
        raise InvalidGraph(f"{node!r} holds more than ops on elements")


def diverges(region: Region) -> bool:
    """Is the end of the region never reached, because every path through it raises?"""
    if not region.nodes:
        return False
    last = region.nodes[-1]
    if last.primitive.name == "raise":
        return True
    return last.primitive.name == "cond" and all(map(diverges, last.regions))


STRUCTURE_RULES = {
    "cond": _verify_cond,
    "while": _verify_while,
    "call": _verify_call,
    "fused": _verify_fused,
}


# Printing


def format_graph(graph: Graph, lines: bool = False) -> str:
    """The graph as text: a type on every binder, names unique and the same for every run.

    With `lines`, each node is followed by the user's line that it comes from.
    """
    return _Printer(lines).graph(graph)


class _Printer:
    def __init__(self, lines: bool, called: set[Graph] | None = None) -> None:
        self.lines = lines
        self.called: set[Graph] = set() if called is None else called
        self.names: dict[Value, str] = {}
        self.taken: set[str] = set()
        self.text: list[str] = []
        self.callees: list[Graph] = []

    def graph(self, graph: Graph) -> str:
        self.called.add(graph)
        parameters = ", ".join(map(self.bind, graph.parameters))
        results = _types(value.type for value in graph.results)
        self.text.append(f"graph {graph.name}({parameters}) -> {results}:")
        for value, outer in graph.captures:
            self.line(1, f"{self.bind(value)} = capture {describe(outer)}")
        self.body(graph.body, 1, "return")
        for callee in self.callees:
            if callee not in self.called:
                self.text += ["", _Printer(self.lines, self.called).graph(callee)]
        return "\n".join(self.text)

    def line(self, depth: int, text: str) -> None:
        self.text.append("  " * depth + text)

    def bind(self, value: Value) -> str:
        name, count = value.name, 0
        while name in self.taken:
            count += 1
            name = f"{value.name}_{count}"
        self.taken.add(name)
        self.names[value] = name
        return f"{name}: {value.type}"

    def use(self, values: Iterable[Value]) -> str:
        return ", ".join(self.names[value] for value in values)

    def body(self, region: Region, depth: int, last: str) -> None:
        for node in region.nodes:
            self.node(node, depth)
        if region.results:
            self.line(depth, f"{last} {self.use(region.results)}")
        elif not region.nodes:
            self.line(depth, f"{last} nothing")

    def node(self, node: Node, depth: int) -> None:
        if node.primitive.name == "constant" and _is_scalar(node.params["value"]):
            self.names[node.outputs[0]] = _literal(node.outputs[0].type, node.params["value"])
            return
        write = getattr(self, f"node_{node.primitive.name}", self.plain)
        write(node, depth)

    def plain(self, node: Node, depth: int) -> None:
        callee = node.params.get("callee")
        if callee is not None and callee.graph is not None:
            self.callees.append(callee.graph)
        params = (
            f"{key}={describe(value)}"
            for key, value in node.params.items()
            if key not in _DULL or value != ()
        )
        arguments = ", ".join([*(self.names[value] for value in node.inputs), *params])
        self.head(node, f"{node.primitive.name}({arguments})", depth)

    def head(self, node: Node, text: str, depth: int) -> None:
        outputs = ", ".join(map(self.bind, node.outputs))
        location = node.location if self.lines else None
        comment = f"  # {location[0]}:{location[1]}" if location else ""
        self.line(depth, (f"{outputs} = {text}" if outputs else text) + comment)

    def node_constant(self, node: Node, depth: int) -> None:
        self.head(node, f"constant {describe(node.params['value'])}", depth)

    def node_cond(self, node: Node, depth: int) -> None:
        self.head(node, f"cond {self.use(node.inputs)}:", depth)
        body, orelse = node.regions
        self.body(body, depth + 1, "yield")
        if orelse.nodes or orelse.results:
            self.line(depth, "else:")
            self.body(orelse, depth + 1, "yield")

    def node_while(self, node: Node, depth: int) -> None:
        (body,) = node.regions
        test, *state = (self.names[value] for value in node.inputs)
        binders = map(self.bind, body.parameters)
        pairs = ", ".join(f"{b} = {s}" for b, s in zip(binders, state, strict=True))
        self.head(node, f"while {test} with ({pairs}):", depth)
        self.body(body, depth + 1, "yield")

    def node_fused(self, node: Node, depth: int) -> None:
        self.head(node, f"fused({self.use(node.inputs)}):", depth)
        self.body(node.regions[0], depth + 1, "yield")


# What says nothing where it is empty: the places of a message that values are put in.
_DULL = frozenset(("places",))


def _is_scalar(value: Any) -> bool:
    return isinstance(value, bool | int | float) or getattr(value, "shape", None) == ()


def _literal(type: Type, value: Any) -> str:
    if isinstance(type, TensorType):
        return f"{type.dtype.name}({value.item()!r})"
    return repr(value)


def describe(value: Any) -> str:
    """A parameter of a node as text, on one line."""
    if getattr(value, "is_resource", False):
        return str(value.name)
    if hasattr(value, "tolist"):
        text = repr(value.tolist())
        return text if len(text) <= 40 else f"{text[:36]}..."
    if isinstance(value, tuple | list):
        inner = ", ".join(map(describe, value))
        comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
        return f"({inner}{comma})" if isinstance(value, tuple) else f"[{inner}]"
    if hasattr(value, "as_numpy_dtype"):
        return str(value.name)
    if isinstance(value, TensorType | NumberType | ListType | ResidualsType):
        return str(value)
    if callable(value) or vars(object)["__repr__"] is type(value).__repr__:
        return getattr(value, "__qualname__", None) or type(value).__name__
    return repr(value)
