"""Graphs as text, with a type on every binder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from runtime.graph.ir import Graph, Node, Region, Value, types_text
from runtime.types import ListType, NumberType, ResidualsType, TensorType, Type


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
        results = types_text(value.type for value in graph.results)
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
            f"{key}={describe(value)}" for key, value in node.params.items() if key not in _DULL
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


# Of an axis: their text is longer than what is shown of an array.
_MOST_ELEMENTS = 20

# What says nothing: the exception shows what it holds.
_DULL = frozenset(("holding",))


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
    value = getattr(value, "raw", value)
    if hasattr(value, "tolist"):
        return _array(value)
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


def _array(array: Any) -> str:
    """The first elements of an array; what binds it says its dtype and shape."""
    # What is not shown is not made text either: a weight may have millions of elements.
    first = array[(*(slice(_MOST_ELEMENTS),) * array.ndim, ...)]
    text = repr(first.tolist())
    return text if len(text) <= 40 else f"{text[:36]}..."
