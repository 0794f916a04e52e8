"""A graph as an SVG picture: inputs above, what reads them below, regions in frames."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from runtime.graph.format.pictures.boxes import Box, Frame, frames_of
from runtime.graph.format.pictures.layout import LETTER, LINE, PAD, Layout, Line, arranged
from runtime.graph.ir import Graph

_NAME = "dataflow-graph"
# A page may hold other pictures, which a rule for all of them would change.
_RULES = (
    "rect{stroke:#8a94a6;fill:#fff}",
    "rect.page{stroke:none}",
    "rect.op{fill:#f1f4f9}",
    "rect.region{fill:#fff}",
    "rect.input{fill:#e3efff;stroke:#5b8def}",
    "rect.capture{fill:#fff4dc;stroke:#c9963a}",
    "rect.outer{fill:#fff;stroke-dasharray:3 2}",
    "rect.results{fill:#e5f5e9;stroke:#4c9a63}",
    "rect.frame{fill:#fbfcfe;stroke:#c3cad6}",
    "path{fill:none;stroke:#5a6b8c}",
    "path.order{stroke-dasharray:2 3}",
    "path.head{fill:#5a6b8c;stroke:none}",
    "text{font:12px monospace;fill:#1c2430}",
    "text.title{font-weight:bold}",
)


def to_svg(graph: Graph) -> str:
    """The graph as a picture, followed by those of the graphs that it calls."""
    frames = frames_of(graph)
    layouts, width, height = arranged(frames)
    style = "".join([f".{_NAME} {rule}" for rule in _RULES])
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{_NAME}" {size}>',
        f"<title>{_escaped(graph.signature)}</title>",
        f"<style>{style}</style>",
        f'<rect class="page" width="{width}" height="{height}"/>',
    ]
    for frame in frames:
        lines += _frame(frame, layouts)
    return "\n".join([*lines, "</svg>"])


def _frame(frame: Frame, layouts: dict[Frame, Layout]) -> Iterator[str]:
    yield _rect("frame", frame)
    yield _text(frame.title, frame.x + PAD, frame.y + LINE, "title")
    layout = layouts[frame]
    for line in layout.lines:
        yield from _line(line, layout)
    for row in layout.rows:
        for place in row:
            if place.box:
                yield from _box(place.box, layouts)


def _box(box: Box, layouts: dict[Frame, Layout]) -> Iterator[str]:
    yield _rect("region" if box.frames else box.kind, box)
    for at, line in enumerate(box.lines):
        kind = "" if at or box.kind == "outer" else "title"
        yield _text(line, box.x + PAD, box.y + LINE * (at + 1), kind)
    for frame in box.frames:
        yield from _frame(frame, layouts)


def _rect(kind: str, item: Box | Frame) -> str:
    size = f'width="{item.width}" height="{item.height}"'
    return f'<rect class="{kind}" x="{item.x}" y="{item.y}" {size} rx="4"/>'


def _text(text: str, x: int, y: int, kind: str = "") -> str:
    # Of the width that was reserved, whatever the font.
    size = f'textLength="{LETTER * len(text)}" lengthAdjust="spacingAndGlyphs"'
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x}" y="{y}" {size}>{_escaped(text)}</text>'


def _line(line: Line, layout: Layout) -> Iterator[str]:
    """A curve from row to row, straight beside what stands in a row, and an arrowhead."""
    tail, head = line.places[0], line.places[-1]
    assert tail.box is not None
    x, y = round(tail.center), tail.box.y + tail.box.height
    path = [f"M{x},{y}", f"V{layout.tops[tail.row] + layout.heights[tail.row]}"]
    for upper, lower in zip(line.places, line.places[1:], strict=False):
        y1 = layout.tops[upper.row] + layout.heights[upper.row]
        x2, y2 = round(lower.center), layout.tops[lower.row]
        middle = (y1 + y2) // 2
        path.append(f"C{round(upper.center)},{middle} {x2},{middle} {x2},{y2}")
        if lower.box is None:
            path.append(f"V{y2 + layout.heights[lower.row]}")
    kind = ' class="order"' if line.edge.kind == "order" else ""
    yield f'<path{kind} d="{"".join(path)}"/>'
    x, y = round(head.center), layout.tops[head.row]
    yield f'<path class="head" d="M{x},{y}l-4,-8h8z"/>'


def _escaped(text: str) -> str:
    # XML has no notation at all for most control characters.
    return escape("".join([letter if letter.isprintable() else "?" for letter in text]))
