"""A graph in the language of Graphviz, which places the boxes itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from runtime.core.dataclasses import dataclass
from runtime.graph.format.pictures.boxes import Box, Edge, Frame, frames_of
from runtime.graph.ir import Graph, Value

_STYLES = {
    "input": ", style=filled, fillcolor=aliceblue",
    "capture": ", style=filled, fillcolor=cornsilk",
    "outer": ", style=dashed",
    "results": ", style=filled, fillcolor=honeydew",
}


def to_dot(graph: Graph) -> str:
    """The graph, and those that it calls, each in a cluster; branches and bodies are clusters too.

    Dashed edges lead from a value to where a region reads it, dotted ones to what has to run
    afterwards.
    """
    written = _Text()
    frames = frames_of(graph)
    for frame in frames:
        written.frame(frame, "  ", {})
    head = [f"digraph {_quoted(graph.name)} {{", "  node [shape=box, fontname=monospace];"]
    return "\n".join([*head, *written.lines, *written.edges, "}"])


@dataclass(slots=True)
class _Text:
    lines: list[str] = field(default_factory=list)
    edges: list[str] = field(default_factory=list)
    names: dict[Box, str] = field(default_factory=dict)
    clusters: int = 0

    def frame(self, frame: Frame, indent: str, around: dict[Value, Box]) -> None:
        with_own = around | {value: box for box in frame.boxes for value in box.outputs}
        self.open(frame.title, indent)
        for box in frame.boxes:
            self.box(box, indent + "  ", with_own)
            if box.kind == "outer":
                self.edge(around[box.outputs[0]], box, "style=dashed")
        self.lines.append(f"{indent}}}")
        for edge in frame.edges:
            self.between(edge)

    def open(self, title: str, indent: str) -> None:
        self.lines.append(f"{indent}subgraph cluster_{self.clusters} {{")
        self.lines.append(f"{indent}  label={_quoted(title)}; labeljust=l;")
        self.clusters += 1

    def box(self, box: Box, indent: str, known: dict[Value, Box]) -> None:
        name = self.names[box] = f"n{len(self.names)}"
        if box.frames:
            self.open(box.lines[0], indent)
        inner = indent + "  " if box.frames else indent
        style = _STYLES.get(box.kind, "")
        self.lines.append(f"{inner}{name} [label={_label(box.lines)}{style}];")
        for frame in box.frames:
            self.frame(frame, inner, known)
            self.edge(frame.boxes[-1], box, f"label={_quoted(frame.title)}")
        if box.frames:
            self.lines.append(f"{indent}}}")

    def between(self, edge: Edge) -> None:
        if edge.kind != "around":
            self.edge(edge.tail, edge.head, "style=dotted" if edge.kind == "order" else "")

    def edge(self, tail: Box, head: Box, attributes: str) -> None:
        ends = f"  {self.names[tail]} -> {self.names[head]}"
        self.edges.append(f"{ends} [{attributes}];" if attributes else f"{ends};")


def _label(lines: Sequence[str]) -> str:
    return _quoted("\n".join(lines)).replace("\n", "\\n")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
