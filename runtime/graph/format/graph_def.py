"""A graph as TensorFlow writes graphs down: nodes that name their inputs, and a library of
functions for branches, bodies of loops and callees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from runtime.core.dataclasses import dataclass
from runtime.core.types import TensorType, Type
from runtime.graph.format.notation import describe
from runtime.graph.format.unique_names import Names
from runtime.graph.format.views import attributes, device_name, inputs_of, op_type
from runtime.graph.nodes import COND, WHILE

if TYPE_CHECKING:
    from runtime.graph.ir import Graph, Node, Region, Value

ROLES = {COND: ("then_branch", "else_branch"), WHILE: ("body",)}
"""The attributes that name the functions of a node's regions."""


@dataclass(frozen=True, slots=True)
class NodeDef:
    """One operation. `input` names outputs of others, "name" or "name:index"; `attr` holds its
    parameters as Python values, and the names of the functions that it runs.
    """

    name: str
    op: str
    input: list[str]
    device: str
    attr: dict[str, Any]

    def __str__(self) -> str:
        return "\n".join(["node {", *_indented(self._lines()), "}"])

    def _lines(self) -> list[str]:
        lines = [f'name: "{self.name}"', f'op: "{self.op}"']
        lines += [f'input: "{name}"' for name in self.input]
        lines += [f'device: "{self.device}"'] if self.device else []
        return lines + [f"attr {key}: {describe(value)}" for key, value in self.attr.items()]


@dataclass(frozen=True, slots=True)
class ArgDef:
    """A parameter or a result of a function."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments and results of a function."""

    name: str
    input_arg: list[ArgDef]
    output_arg: list[ArgDef]

    def __str__(self) -> str:
        given = ", ".join(f"{arg.name}: {arg.type}" for arg in self.input_arg)
        results = ", ".join(str(arg.type) for arg in self.output_arg)
        return f"{self.name}({given}) -> ({results})"


@dataclass(frozen=True, slots=True)
class FunctionDef:
    """A branch, the body of a loop or a callee. `ret` says which output each result is."""

    signature: Signature
    node_def: list[NodeDef]
    ret: dict[str, str]

    def __str__(self) -> str:
        lines = [line for node in self.node_def for line in str(node).splitlines()]
        lines += [f'ret {key}: "{name}"' for key, name in self.ret.items()]
        return "\n".join([f"function {self.signature} {{", *_indented(lines), "}"])


@dataclass(frozen=True, slots=True)
class FunctionLibrary:
    """The functions that nodes of a graph name."""

    function: list[FunctionDef]

    def __str__(self) -> str:
        lines = [line for function in self.function for line in str(function).splitlines()]
        return "\n".join(["library {", *_indented(lines), "}"])


@dataclass(frozen=True, slots=True)
class GraphDef:
    """The nodes of a graph, in an order in which they can run, and its functions."""

    node: list[NodeDef]
    library: FunctionLibrary

    def __str__(self) -> str:
        parts = [*self.node, self.library] if self.library.function else self.node
        return "\n".join(map(str, parts))


def graph_def(graph: Graph) -> GraphDef:
    """The nodes of a graph behind a placeholder for each input, and a function for each region and
    each graph that is called.
    """
    library = _Library()
    scope = _Scope(library)
    scope.placeholders((*graph.parameters, *(value for value, _ in graph.closure)))
    scope.add(graph.nodes)
    return GraphDef(scope.nodes, FunctionLibrary(library.functions))


@dataclass()
class _Library:
    """The functions made so far, and the names of those of graphs."""

    functions: list[FunctionDef] = field(default_factory=list)
    callees: dict[Graph, str] = field(default_factory=dict)
    names: Names = field(default_factory=Names)

    def region(self, hint: str, region: Region, given: Sequence[Value]) -> str:
        """The function of a region that takes these values."""
        name = self.names.of(hint.replace("/", "_"))
        self.define(name, given, (), region)
        return name

    def callee(self, graph: Graph) -> str:
        """The function of a graph that is called, by itself too."""
        if graph not in self.callees:
            name = self.callees[graph] = self.names.of(graph.name)
            captured = [value for value, _ in graph.closure]
            self.define(name, graph.parameters, captured, graph.body)
        return self.callees[graph]

    def define(
        self, name: str, given: Sequence[Value], captured: Iterable[Value], region: Region
    ) -> None:
        scope = _Scope(self)
        inputs = [ArgDef(scope.name(value), value.type) for value in given]
        scope.placeholders(captured)
        scope.add(region.nodes)
        results = [
            ArgDef(f"result_{at}" if at else "result", value.type)
            for at, value in enumerate(region.results)
        ]
        signature = Signature(name, inputs, results)
        named = zip(results, region.results, strict=True)
        ret = {result.name: scope.known[value] for result, value in named}
        self.functions.append(FunctionDef(signature, scope.nodes, ret))


class _Scope:
    """The names of the values and nodes of one function, or of the graph."""

    def __init__(self, library: _Library) -> None:
        self.library = library
        self.names = Names()
        self.known: dict[Value, str] = {}
        self.nodes: list[NodeDef] = []

    def name(self, value: Value) -> str:
        """Give a value that comes from outside a name."""
        name = self.known[value] = self.names.of(value.name)
        return name

    def placeholders(self, values: Iterable[Value]) -> None:
        for value in values:
            self.nodes.append(
                NodeDef(self.name(value), "Placeholder", [], "", _attributes_of(value.type))
            )

    def add(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self.nodes.append(self.node(node))

    def node(self, node: Node) -> NodeDef:
        primitive = node.primitive
        name = self.names.of(node.outputs[0].name if node.outputs else primitive.name)
        taken = inputs_of(node)
        used = taken[len(node.inputs) :]
        attr = attributes(node)
        if callee := attr.pop("callee", None):
            attr["f"] = self.library.callee(callee.graph)
        for role, region in zip(ROLES.get(primitive, ()), node.regions, strict=True):
            given = *region.parameters, *used
            attr[role] = self.library.region(f"{name}_{role}", region, given)
        inputs = [self.known[value] for value in taken]
        for at, value in enumerate(node.outputs):
            self.known[value] = f"{name}:{at}" if at else name
        return NodeDef(name, op_type(node), inputs, device_name(node.device), attr)


def _attributes_of(type: Type) -> dict[str, Any]:
    return {"dtype": type.dtype, "shape": type.shape} if isinstance(type, TensorType) else {}


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]
