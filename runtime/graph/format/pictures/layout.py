"""Places for the boxes of a picture.

The boxes of a frame stand in rows, each below those whose values it reads. A line that passes a
row has a gap of its own in it, so that no line crosses a box. In the rows, boxes are near to what
they are connected with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field

from runtime.core.dataclasses import dataclass
from runtime.graph.format.pictures.boxes import MOST_ROWS, Box, Edge, Frame

LETTER = 7
LINE = 15
PAD = 6
MARGIN = 12
BETWEEN_ROWS = 30
_SWEEPS = 6


@dataclass(eq=False, slots=True)
class Place:
    """A box in its row, or the gap where a line passes the row (`box` is None)."""

    box: Box | None
    row: int
    center: float = 0.0
    above: list[Place] = field(default_factory=list)
    below: list[Place] = field(default_factory=list)

    @property
    def width(self) -> int:
        """Of what stands there."""
        return self.box.width if self.box else 2


@dataclass(eq=False, slots=True)
class Line:
    """The places that the line of an edge goes through."""

    edge: Edge
    places: list[Place]


@dataclass(eq=False, slots=True)
class Layout:
    """The rows of a frame, their heights, and the lines between its boxes."""

    frame: Frame
    rows: list[list[Place]]
    lines: list[Line]
    tops: list[int] = field(default_factory=list)
    heights: list[int] = field(default_factory=list)


def arranged(frames: Iterable[Frame]) -> tuple[dict[Frame, Layout], int, int]:
    """The layouts of frames, one below the other, and of all frames in them; the size of all."""
    layouts: dict[Frame, Layout] = {}
    y = width = 0
    for frame in frames:
        _measure(frame, layouts)
        _put(frame, MARGIN, y + MARGIN, layouts)
        width, y = max(width, frame.width), y + frame.height + MARGIN
    return layouts, width + 2 * MARGIN, y + MARGIN


# Sizes


def _measure(frame: Frame, layouts: dict[Frame, Layout]) -> None:
    """Find the size of a frame, and where its boxes stand in it."""
    for box in frame.boxes:
        _measure_box(box, layouts)
    made = layouts[frame] = _in_rows(frame)
    _order(made.rows)
    _spread(made.rows)
    left = min((place.center - place.width / 2 for row in made.rows for place in row), default=0)
    for row in made.rows:
        for place in row:
            place.center += MARGIN - left
    right = max((place.center + place.width / 2 for row in made.rows for place in row), default=0)
    frame.width = max(round(right) + MARGIN, LETTER * len(frame.title) + 2 * PAD)
    y = LINE + MARGIN
    for row in made.rows:
        made.tops.append(y)
        made.heights.append(max([place.box.height for place in row if place.box], default=0))
        y += made.heights[-1] + BETWEEN_ROWS
    frame.height = y - BETWEEN_ROWS + MARGIN


def _measure_box(box: Box, layouts: dict[Frame, Layout]) -> None:
    for frame in box.frames:
        _measure(frame, layouts)
    inner = sum(frame.width + MARGIN for frame in box.frames) + MARGIN if box.frames else 0
    box.width = max(LETTER * max(map(len, box.lines)) + 2 * PAD, inner)
    below = max((frame.height + MARGIN for frame in box.frames), default=0)
    box.height = LINE * len(box.lines) + 2 * PAD + below


# Places


def _put(frame: Frame, x: int, y: int, layouts: dict[Frame, Layout]) -> None:
    """Put a frame, and all that is in it, at a place."""
    frame.x, frame.y = x, y
    found = layouts[frame]
    for top, row in zip(found.tops, found.rows, strict=True):
        for place in row:
            place.center += x
            if place.box:
                _put_box(place.box, round(place.center - place.width / 2), y + top, layouts)
    found.tops = [top + y for top in found.tops]


def _put_box(box: Box, x: int, y: int, layouts: dict[Frame, Layout]) -> None:
    box.x, box.y = x, y
    left = x + MARGIN
    for frame in box.frames:
        _put(frame, left, y + LINE * len(box.lines) + 2 * PAD, layouts)
        left += frame.width + MARGIN


# Rows


def _in_rows(frame: Frame) -> Layout:
    """Each box in a row below those whose values it reads, what starts lines just above its use."""
    level = _levels(frame)
    edges = _shortened(frame, level)
    rows: list[list[Place]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    places = {box: Place(box, row) for box, row in level.items()}
    for place in places.values():
        rows[place.row].append(place)
    lines = [_line(edge, places, rows) for edge in edges]
    for line in lines:
        for upper, lower in zip(line.places, line.places[1:], strict=False):
            upper.below.append(lower)
            lower.above.append(upper)
    return Layout(frame, rows, lines)


def _levels(frame: Frame) -> dict[Box, int]:
    level = dict.fromkeys(frame.boxes, 0)
    heads: dict[Box, list[Box]] = {}
    entered = {edge.head for edge in frame.edges}
    for edge in frame.edges:
        heads.setdefault(edge.tail, []).append(edge.head)
    for box in frame.boxes:
        for head in heads.get(box, ()):
            level[head] = max(level[head], level[box] + 1)
    for box in frame.boxes:
        if box not in entered and box in heads and box.kind != "input":
            level[box] = min(level[head] for head in heads[box]) - 1
    last = max(level.values(), default=0)
    level.update((box, last) for box in frame.boxes if box.kind == "results")
    return level


def _shortened(frame: Frame, level: dict[Box, int]) -> list[Edge]:
    """The edges; one that is too long starts at a box with the name of what is read."""
    edges = []
    named: dict[tuple[Box, int], Box] = {}
    for edge in frame.edges:
        row = level[edge.head] - 1
        if row - level[edge.tail] < MOST_ROWS:
            edges.append(edge)
        elif edge.kind != "order":
            shown = named.get((edge.tail, row)) or _stand_in(edge.tail)
            named[edge.tail, row] = shown
            edges.append(Edge(shown, edge.head))
    level.update((box, row) for (_, row), box in named.items())
    return edges


def _stand_in(box: Box) -> Box:
    lines = [line.partition(":")[0] for line in box.lines if ": " in line][: len(box.outputs)]
    made = Box("outer", lines or box.lines[:1])
    _measure_box(made, {})
    return made


def _line(edge: Edge, places: dict[Box, Place], rows: list[list[Place]]) -> Line:
    tail, head = places[edge.tail], places[edge.head]
    passed = [Place(None, row) for row in range(tail.row + 1, head.row)]
    for place in passed:
        rows[place.row].append(place)
    return Line(edge, [tail, *passed, head])


# Order in rows, by the mean place of what each is connected with


def _order(rows: list[list[Place]]) -> None:
    at: dict[Place, float] = {}
    for row in rows:
        at.update((place, index) for index, place in enumerate(row))
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for row in rows if down else rows[::-1]:
            near = {place: _mean(place, place.above if down else place.below, at) for place in row}
            row.sort(key=near.__getitem__)
            at.update((place, index) for index, place in enumerate(row))


def _mean(place: Place, others: list[Place], at: dict[Place, float]) -> float:
    return sum(map(at.__getitem__, others)) / len(others) if others else at[place]


# Distances: each place as near as it can be to the mean of its neighbours, in the order of its row


def _spread(rows: list[list[Place]]) -> None:
    above: Callable[[Place], list[Place]] = lambda place: place.above  # noqa: E731
    below: Callable[[Place], list[Place]] = lambda place: place.below  # noqa: E731
    both: Callable[[Place], list[Place]] = lambda place: place.above + place.below  # noqa: E731
    for neighbours in (above, below, above, below, both, both):
        for row in rows if neighbours is not below else rows[::-1]:
            _place_row(row, [_wanted(place, neighbours(place)) for place in row])


def _wanted(place: Place, others: list[Place]) -> float:
    return sum(other.center for other in others) / len(others) if others else place.center


def _place_row(row: Sequence[Place], wanted: Sequence[float]) -> None:
    """The centers nearest to those wanted (least squares) at which nothing overlaps."""
    offsets = _offsets(row)
    groups: list[list[float]] = []
    for offset, center in zip(offsets, wanted, strict=True):
        total, count = center - offset, 1.0
        while groups and groups[-1][0] / groups[-1][1] >= total / count:
            more, number = groups.pop()
            total, count = total + more, count + number
        groups.append([total, count])
    moves = [total / count for total, count in groups for _ in range(int(count))]
    for place, offset, move in zip(row, offsets, moves, strict=True):
        place.center = offset + move


def _offsets(row: Sequence[Place]) -> list[float]:
    """The centers in a row without gaps but the margins."""
    offsets = []
    right = 0.0
    for place in row:
        offsets.append(right + place.width / 2)
        right += place.width + MARGIN
    return offsets
