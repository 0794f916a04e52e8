"""The parts of a graph's picture: a box for each operation, a frame for each region."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from runtime.core.dataclasses import dataclass
from runtime.graph.format.notation import CalledGraphs, describe, is_scalar, notes
from runtime.graph.format.views import Operation, device_name
from runtime.graph.ir import Graph, Node, Region, Value, free_values, has_effects
from runtime.graph.nodes import CALL, COND, CONSTANT, WHILE

MOST_LETTERS = 44
"""Of a line in a box; what is longer ends in "..."."""
MOST_OUTPUTS = 8
"""Lines for the outputs of one operation, or for what a region yields."""
MOST_ROWS = 8
"""A value that is read further below is shown by its name there, not by a line from where it is
made.
"""

ROLES = {COND: ("then", "else"), WHILE: ("body",)}
"""The titles of the regions of a node."""


@dataclass(eq=False, slots=True)
class Box:
    """An operation, an input of a frame, a value from around it, or its results.

    `kind` is "op", "input", "capture", "outer" or "results"; `lines` is its text. The first is a
    title, but of what is outer. `around` is what only its frames read from around it.
    """

    kind: str
    lines: list[str]
    inputs: Sequence[Value] = ()
    outputs: Sequence[Value] = ()
    around: Sequence[Value] = ()
    acts: bool = False
    frames: list[Frame] = field(default_factory=list)
    width: int = 0
    height: int = 0
    x: int = 0
    y: int = 0


@dataclass(eq=False, slots=True)
class Edge:
    """From what makes a value to what reads it ("value"), or to what has frames that do ("around"),
    or to what has to run afterwards ("order").
    """

    tail: Box
    head: Box
    kind: str = "value"


@dataclass(eq=False, slots=True)
class Frame:
    """A region or a graph. `rows` are its boxes, each below those whose values it reads."""

    title: str
    boxes: list[Box]
    edges: list[Edge] = field(default_factory=list)
    rows: list[list[Box]] = field(default_factory=list)
    width: int = 0
    height: int = 0
    x: int = 0
    y: int = 0


def frames_of(graph: Graph) -> list[Frame]:
    """The frame of a graph, and those of the graphs that it calls."""
    called = CalledGraphs(graph)
    frames = [_Drawing(called).graph(graph)]
    while called.pending:
        frames.append(_Drawing(called).graph(called.pending.pop(0)))
    return frames


class _Drawing:
    """The boxes of one graph."""

    def __init__(self, called: CalledGraphs) -> None:
        self.called = called
        self.texts: dict[Value, str] = {}
        self.names: dict[Value, str] = {}

    def graph(self, graph: Graph) -> Frame:
        operations = graph.get_operations()
        inner = [value for value, _ in graph.closure]
        title = f"graph {self.called.names[graph]}"
        frame = self.frame(title, graph.body, operations, "return", inner)
        captured = frame.boxes[len(graph.parameters) :]
        for (_, outer), box in zip(graph.closure, captured, strict=False):
            box.kind = "capture"
            box.lines.append(shortened(f"= {describe(outer)}"))
        return frame

    def frame(
        self,
        title: str,
        region: Region,
        operations: Sequence[Operation],
        last: str,
        given: Sequence[Value] = (),
        outer: Sequence[Value] = (),
    ) -> Frame:
        """The frame of a region whose operations these are, behind a placeholder for each of its
        parameters and for what else is given.
        """
        count = len(region.parameters) + len(given)
        boxes = [self.input(operation) for operation in operations[:count]]
        boxes += [Box("outer", [self.texts[value]], (), (value,)) for value in outer]
        boxes += [self.box(operation) for operation in operations[count:]]
        if region.results or not boxes:
            boxes.append(self.results(region, last))
        return Frame(title, boxes, list(_edges(boxes)))

    def input(self, operation: Operation) -> Box:
        lines = [operation.type, *self.outputs(operation)]
        return Box("input", lines, (), [tensor.value for tensor in operation.outputs])

    def results(self, region: Region, last: str) -> Box:
        if not region.results:
            return Box("results", ["pass"])
        lines = [shortened(self.texts[value]) for value in region.results]
        return Box("results", [last, *_few(lines)], region.results)

    def box(self, operation: Operation) -> Box:
        node = operation.node
        assert node is not None
        outer = _outer(node)
        lines = [operation.type, *self.outputs(operation), *self.details(node)]
        if not node.outputs and operation.name != node.primitive.name:
            lines.insert(1, shortened(operation.name))
        values = [tensor.value for tensor in operation.outputs]
        made = Box("op", lines, node.inputs, values, outer, has_effects((node,)))
        made.frames = list(self.regions(node, operation))
        return made

    def regions(self, node: Node, operation: Operation) -> Iterator[Frame]:
        roles = ROLES.get(node.primitive, ())
        last = "yield next test, state" if node.primitive is WHILE else "yield"
        for role, region, inner in zip(roles, node.regions, operation.regions, strict=True):
            found = self.frame(role, region, inner, last, (), free_values(region))
            state = node.inputs[1:] if node.primitive is WHILE else ()
            for box, first in zip(found.boxes, state, strict=False):
                box.lines.append(shortened(f"first {self.names[first]}"))
            yield found

    def outputs(self, operation: Operation) -> list[str]:
        """A line for each output, with its name and type."""
        many = len(operation.outputs) > 1
        for at, tensor in enumerate(operation.outputs):
            name = tensor.value.name if many and at else operation.name
            self.names[tensor.value] = name
            self.texts[tensor.value] = shortened(f"{name}: {tensor.type}")
        return _few([self.texts[tensor.value] for tensor in operation.outputs])

    def details(self, node: Node) -> Iterator[str]:
        """Yields what else is to be known of an operation: one line each."""
        primitive = node.primitive
        if primitive in (COND, WHILE):
            yield shortened(f"test {self.names[node.inputs[0]]}")
        elif primitive is CONSTANT:
            yield shortened(f"= {self.constant(node)}")
        elif primitive is CALL:
            callee = node.params["callee"]
            yield shortened(f"calls {self.called.call(callee)}")
        else:
            inputs = [self.names[value] for value in node.inputs]
            yield from map(shortened, _few(notes(node, inputs)))
        if node.device:
            yield shortened(f"on {device_name(node.device)}")

    def constant(self, node: Node) -> str:
        """The value of a constant, by which one number is called where it is read."""
        value = node.params["value"]
        text = describe(value)
        if is_scalar(value):
            self.names[node.outputs[0]] = text
        return text


def _outer(node: Node) -> list[Value]:
    """Returns what the regions of a node read from around it, each value once."""
    found: dict[Value, Any] = {}
    for region in node.regions:
        found.update(dict.fromkeys(free_values(region)))
    return [value for value in found if value not in node.inputs]


def _edges(boxes: Sequence[Box]) -> Iterator[Edge]:
    makers: dict[Value, Box] = {}
    before: Box | None = None
    for box in boxes:
        kinds = {makers[value]: "around" for value in box.around}
        kinds |= {makers[value]: "value" for value in box.inputs}
        if box.acts and before is not None:
            kinds.setdefault(before, "order")
        yield from (Edge(tail, box, kind) for tail, kind in kinds.items())
        before = box if box.acts else before
        makers.update(dict.fromkeys(box.outputs, box))


def _few(lines: list[str]) -> list[str]:
    if len(lines) <= MOST_OUTPUTS:
        return lines
    shown = MOST_OUTPUTS - 1
    return [*lines[:shown], f"and {len(lines) - shown} more"]


def shortened(text: str) -> str:
    """A text that fits into a line of a box."""
    text = text.replace("\n", " ")
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 3]}..."
