"""Other views of a graph: its operations as TensorFlow lists them, the DOT language, a picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from runtime.dtypes import DType
from runtime.shapes import TensorShape
from runtime.types import TensorType, Type

if TYPE_CHECKING:
    from runtime.graph.graph_def import NodeDef
    from runtime.graph.ir import Graph, Node, Region, Value

# Operations


class Operation:
    """A node of a graph, or an input of it or of one of its regions (a "Placeholder").

    `inputs` and `outputs` are tensors of the `graph`; `regions` the operations of each branch or of
    a loop's body. `device` is that of the scope that it was made in, "" outside of any.
    """

    __slots__ = ("graph", "inputs", "name", "node", "outputs", "regions", "type")

    def __init__(
        self,
        name: str,
        kind: str,
        inputs: Tensors,
        outputs: Iterable[Value],
        node: Node | None,
        graph: Any,
    ) -> None:
        self.graph = graph
        self.name = name
        self.type = kind
        self.inputs = inputs
        self.outputs: Tensors = tuple(
            [GraphTensor(self, index, value) for index, value in enumerate(outputs)]
        )
        self.node = node
        self.regions: tuple[tuple[Operation, ...], ...] = ()

    @property
    def device(self) -> str:
        """The name of the device that it was asked to run on, without those of job and task."""
        return device_name(self.node.device if self.node else None)

    @property
    def control_inputs(self) -> list[Operation]:
        """None: operations with effects run in the order that they are listed in."""
        return []

    def values(self) -> Tensors:
        """Its outputs."""
        return self.outputs

    def get_attr(self, name: str) -> Any:
        """One of its parameters, or as "T" its dtype. ValueError if there is none of this name."""
        attributes = self._attributes()
        if name not in attributes:
            raise ValueError(f"Operation {self.name!r} has no attr named {name!r}")
        return attributes[name]

    @property
    def node_def(self) -> NodeDef:
        """It as TensorFlow writes operations down."""
        from runtime.graph.graph_def import NodeDef

        inputs = [tensor.name.removesuffix(":0") for tensor in self.inputs]
        return NodeDef(self.name, self.type, inputs, self.device, self._attributes())

    def _attributes(self) -> dict[str, Any]:
        types = [tensor.type for tensor in (*self.inputs, *self.outputs)]
        known = next((type for type in types if isinstance(type, TensorType)), None)
        if self.node is not None:
            return dict(self.node.params) | ({"T": known.dtype} if known else {})
        return {"dtype": known.dtype, "shape": TensorShape(known.shape)} if known else {}

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"


@dataclass(frozen=True, slots=True, repr=False)
class GraphTensor:
    """What an operation gives: `name` is the operation's, with the index of the output."""

    op: Operation = field(compare=False)
    index: int
    value: Value

    @property
    def name(self) -> str:
        """As in "add:0"."""
        return f"{self.op.name}:{self.index}"

    @property
    def type(self) -> Type:
        """Its type in the graph, that of a Python number or a list too."""
        return self.value.type

    @property
    def dtype(self) -> DType:
        """TypeError for what is no tensor."""
        return self._tensor_type().dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape. TypeError for what is no tensor."""
        return TensorShape(self._tensor_type().shape)

    @property
    def device(self) -> str:
        """That of the operation."""
        return self.op.device

    @property
    def graph(self) -> Any:
        """The graph that it is of."""
        return self.op.graph

    def _tensor_type(self) -> TensorType:
        if not isinstance(self.type, TensorType):
            raise TypeError(f"{self.name} is a {self.type}, not a tensor")
        return self.type

    def __repr__(self) -> str:
        if not isinstance(self.type, TensorType):
            return f"<tf.Tensor {self.name!r} type={self.type}>"
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self.dtype.name}>"


Tensors = tuple[GraphTensor, ...]


def operations(graph: Graph) -> tuple[Operation, ...]:
    """Placeholders for parameters and captures, then the nodes in program order."""
    given = [*graph.parameters, *(value for value, _ in graph.captures)]
    return listed(graph, given, graph.nodes)


def listed(graph: Any, given: Iterable[Value], nodes: Iterable[Node]) -> tuple[Operation, ...]:
    """The operations of nodes of a graph, or of a trace, that use what is given."""
    return _Listing(graph).region(given, nodes)


def tensors(operations: Iterable[Operation], values: Iterable[Value]) -> Tensors:
    """What the operations of a graph give for values of it."""
    made = {tensor.value: tensor for operation in operations for tensor in operation.outputs}
    return tuple([made[value] for value in values])


class _Listing:
    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.names = Names()
        self.made: dict[Value, GraphTensor] = {}

    def region(self, given: Iterable[Value], nodes: Iterable[Node]) -> tuple[Operation, ...]:
        placeholders = [
            self.operation(value.name, "Placeholder", (), (value,), None) for value in given
        ]
        return *placeholders, *map(self.node, nodes)

    def node(self, node: Node) -> Operation:
        hint = node.outputs[0].name if node.outputs else node.primitive.name
        inputs = tuple([self.made[value] for value in node.inputs])
        made = self.operation(hint, node.primitive.op_type, inputs, node.outputs, node)
        made.regions = tuple([self.region(inner.parameters, inner.nodes) for inner in node.regions])
        return made

    def operation(
        self,
        hint: str,
        kind: str,
        inputs: Tensors,
        outputs: Sequence[Value],
        node: Node | None,
    ) -> Operation:
        made = Operation(self.names.of(hint), kind, inputs, outputs, node, self.graph)
        self.made.update(zip(outputs, made.outputs, strict=True))
        return made


def device_name(asked: str | None) -> str:
    """The device that a node was asked to run on, without job and task; "" for none."""
    return "" if asked is None else f"/device:{asked.partition('/device:')[2]}"


class Names:
    """Names that were given, each once."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def of(self, hint: str) -> str:
        """The name like this hint that is free."""
        name, count = hint, 0
        while name in self.taken:
            count += 1
            name = f"{hint}_{count}"
        self.taken.add(name)
        return name


# Boxes, which both pictures are made of

MARGIN = 12
LETTER = 7
LINE = 16


@dataclass(eq=False, slots=True)
class Box:
    """A node, a parameter or the results: what it takes and gives, and the boxes of its regions, in
    layers.
    """

    label: str
    inputs: Sequence[Value] = ()
    outputs: Sequence[Value] = ()
    regions: list[list[list[Box]]] = field(default_factory=list)
    width: int = 0
    height: int = 0
    x: int = 0
    y: int = 0

    def measure(self) -> None:
        """Find its size."""
        sizes = [_measured(layers) for layers in self.regions]
        inner = sum(width for width, _ in sizes) + MARGIN * (len(sizes) + 1)
        self.width = max(LETTER * len(self.label) + MARGIN, inner if sizes else 0)
        self.height = LINE + 8 + max((height for _, height in sizes), default=0)

    def place(self, x: int, y: int) -> None:
        """Put it, and what is in it, at a place."""
        self.x, self.y = x, y
        left = x + MARGIN
        for layers in self.regions:
            left += _placed(layers, left, y + LINE + MARGIN // 2) + MARGIN


def _measured(layers: list[list[Box]]) -> tuple[int, int]:
    for box in _flat(layers):
        box.measure()
    width = max((_row_width(row) for row in layers), default=0)
    return width, sum(_row_height(row) + 2 * MARGIN for row in layers)


def _row_width(row: list[Box]) -> int:
    return sum(box.width + MARGIN for box in row) - MARGIN


def _row_height(row: list[Box]) -> int:
    return max(box.height for box in row)


def _placed(layers: list[list[Box]], x: int, y: int) -> int:
    width = max((_row_width(row) for row in layers), default=0)
    for row in layers:
        left = x + (width - _row_width(row)) // 2
        for box in row:
            box.place(left, y)
            left += box.width + MARGIN
        y += _row_height(row) + 2 * MARGIN
    return width


def _flat(layers: list[list[Box]]) -> list[Box]:
    return [box for row in layers for box in row]


def _all(layers: list[list[Box]]) -> Iterator[Box]:
    for box in _flat(layers):
        yield box
        for inner in box.regions:
            yield from _all(inner)


def _typed(name: str, type: Type | str) -> str:
    return f"{name}: {type}"


def _graph_layers(graph: Graph) -> list[list[Box]]:
    captured = [Box(_typed(value.name, value.type), (), (value,)) for value, _ in graph.captures]
    return _layers(graph.body, "return", captured)


def _layers(region: Region, last: str, more: Sequence[Box] = ()) -> list[list[Box]]:
    """The boxes of a region: each below those whose values it uses."""
    given = [Box(_typed(value.name, value.type), (), (value,)) for value in region.parameters]
    boxes = [*given, *more, *map(_box, region.nodes)]
    if region.results:
        boxes.append(Box(last, region.results))
    depth: dict[Value, int] = {}
    layers: list[list[Box]] = []
    for box in boxes:
        used = [*box.inputs, *(value for inner in _inside(box) for value in inner.inputs)]
        level = max((depth[value] + 1 for value in used if value in depth), default=0)
        depth.update((value, level) for value in box.outputs)
        layers += [[] for _ in range(level + 1 - len(layers))]
        layers[level].append(box)
    return layers


def _inside(box: Box) -> Iterator[Box]:
    for layers in box.regions:
        yield from _all(layers)


def _box(node: Node) -> Box:
    regions = [_layers(region, "yield") for region in node.regions]
    return Box(_label(node), node.inputs, node.outputs, regions)


def _label(node: Node) -> str:
    kind = node.primitive.op_type
    if node.primitive.name == "constant" and getattr(node.params["value"], "size", 1) == 1:
        kind = str(node.params["value"])
    callee = node.params.get("callee")
    kind = f"{kind} {callee.name}" if callee is not None else kind
    types = ", ".join(str(value.type) for value in node.outputs)
    return _typed(kind, types) if types else kind


# DOT


def to_dot(graph: Graph) -> str:
    """The graph in the language of Graphviz."""
    layers = _graph_layers(graph)
    names = {box: f"n{at}" for at, box in enumerate(_all(layers))}
    lines = [f"digraph {_quoted(graph.name)} {{", "  node [shape=box];"]
    lines += _dot_boxes(layers, names, "  ")
    for tail, head in _edges(layers):
        lines.append(f"  {names[tail]} -> {names[head]};")
    return "\n".join([*lines, "}"])


def _dot_boxes(layers: list[list[Box]], names: dict[Box, str], indent: str) -> Iterator[str]:
    for box in _flat(layers):
        yield f"{indent}{names[box]} [label={_quoted(box.label)}];"
        for at, inner in enumerate(box.regions):
            yield f"{indent}subgraph cluster_{names[box]}_{at} {{"
            yield from _dot_boxes(inner, names, indent + "  ")
            yield f"{indent}}}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _edges(layers: list[list[Box]]) -> Iterator[tuple[Box, Box]]:
    makers = {value: box for box in _all(layers) for value in box.outputs}
    for box in _all(layers):
        for maker in dict.fromkeys(makers[value] for value in box.inputs):
            yield maker, box


# SVG


def to_svg(graph: Graph) -> str:
    """The graph as a picture: inputs above, what uses them below, branches and bodies inside."""
    layers = _graph_layers(graph)
    width, height = _measured(layers)
    _placed(layers, MARGIN, MARGIN)
    size = f'width="{width + 2 * MARGIN}" height="{height + 2 * MARGIN}"'
    rules = ("rect{fill:none;stroke:#888}", "line{stroke:#46c}", "text{font:12px monospace}")
    # A page may hold other pictures, which a rule for all of them would change.
    style = "".join([f".dataflow-graph {rule}" for rule in rules])
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" class="dataflow-graph" {size}>'
    lines = [opening, f"<style>{style}</style>"]
    lines += [_line(tail, head) for tail, head in _edges(layers)]
    for box in _all(layers):
        lines += _drawn(box)
    return "\n".join([*lines, "</svg>"])


def _line(tail: Box, head: Box) -> str:
    x1, y1 = tail.x + tail.width // 2, tail.y + tail.height
    x2, y2 = head.x + head.width // 2, head.y
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def _drawn(box: Box) -> Iterator[str]:
    yield f'<rect x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}" rx="3"/>'
    text = box.label.replace("&", "&amp;").replace("<", "&lt;")
    yield f'<text x="{box.x + MARGIN // 2}" y="{box.y + LINE}">{text}</text>'
