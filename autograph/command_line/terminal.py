"""Text for a terminal: Python in colour, two texts side by side, numbers in the margin."""

from __future__ import annotations

import io
import keyword
import tokenize
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import NamedTuple, TypeAlias

_RESET = "\033[0m"
_COLOURS = {
    "keyword": "\033[34m",
    "string": "\033[32m",
    "number": "\033[36m",
    "comment": "\033[90m",
    "operator": "\033[33m",
    "name": "\033[1m",
}
_STRINGS = {"STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END"}
Position: TypeAlias = tuple[int, int]
_CHANGED = {" ": "", "|": "\033[33m", "<": "\033[31m", ">": "\033[32m"}


def coloured(text: str) -> str:
    """Python source with its tokens in colour; calls of generated code (`ag.cond`) stand out."""
    lines = text.split("\n")
    for kind, start, end in reversed(list(_spans(text))):
        for row in range(end[0], start[0] - 1, -1):
            first = start[1] if row == start[0] else 0
            last = end[1] if row == end[0] else len(lines[row - 1])
            lines[row - 1] = _painted(lines[row - 1], first, last, _COLOURS[kind])
    return "\n".join(lines)


def _spans(text: str) -> Iterator[tuple[str, Position, Position]]:
    before: list[str] = ["", ""]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = _kind(token, before)
        if kind:
            yield kind, token.start, token.end
        before = [before[1], token.string]


def _kind(token: tokenize.TokenInfo, before: Sequence[str]) -> str | None:
    name = tokenize.tok_name[token.type]
    if name in _STRINGS:
        return "string"
    if name in ("COMMENT", "NUMBER"):
        return name.lower()
    if name != "NAME":
        return None
    if keyword.iskeyword(token.string):
        return "keyword"
    if before[1] in ("def", "class"):
        return "name"
    return "operator" if list(before) == ["ag", "."] else None


def _painted(line: str, first: int, last: int, colour: str) -> str:
    if first >= last:
        return line
    return f"{line[:first]}{colour}{line[first:last]}{_RESET}{line[last:]}"


class Line(NamedTuple):
    """A line of output, and the user's line that it comes from."""

    text: str
    number: int | None = None


def indented(lines: Sequence[Line], margin: str) -> list[Line]:
    """Python source further to the right; what a string holds stays as it is."""
    text = "\n".join(line.text for line in lines)
    inside = {row for _, start, end in _spans(text) for row in range(start[0], end[0])}
    return [
        line if row in inside or not line.text else line._replace(text=margin + line.text)
        for row, line in enumerate(lines)
    ]


def numbered(lines: Sequence[Line]) -> list[str]:
    """The lines behind a margin that holds the user's line numbers."""
    return [f"{m}{line.text}".rstrip() for m, line in zip(_margins(lines), lines, strict=True)]


def _margins(lines: Sequence[Line]) -> list[str]:
    """A margin for each line, all of one width; blank where the number is None."""
    width = len(str(max((line.number or 0 for line in lines), default=0)))
    return [f"{'' if n is None else n:>{width}} | " for _, n in lines]


def side_by_side(
    left: Sequence[Line],
    right: Sequence[Line],
    width: int,
    *,
    numbers: bool = False,
    colour: bool = False,
) -> Iterator[str]:
    """Rows `left mark right` of at most `width` columns; long lines go on in the next row.

    The mark is a blank where both sides say the same (indentation aside), `|` where they differ,
    `<` or `>` where only that side has a line.

    Args:
        left: the original.
        right: what was made of it.
        width: columns for both sides together.
        numbers: whether a margin on each side shows the user's line numbers.
        colour: paint the rows that differ.
    """
    half = max(16, (width - 3) // 2)
    cells = [_cells(side, half, numbers) for side in (left, right)]
    for mark, i, j in _aligned(left, right):
        a = [] if i is None else cells[0][i]
        b = [] if j is None else cells[1][j]
        for first, second in zip_longest(a, b, fillvalue=""):
            row = f"{first}{' ' * (half - _columns(first))} {mark} {second}".rstrip()
            yield f"{_CHANGED[mark]}{row}{_RESET}" if colour and mark != " " else row


def _aligned(
    left: Sequence[Line], right: Sequence[Line]
) -> Iterator[tuple[str, int | None, int | None]]:
    # With their numbers: a `return y` of the user's is not one that a block function needed.
    a, b = ([(line.text.strip(), line.number) for line in side] for side in (left, right))
    for tag, i, i_end, j, j_end in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        for one, other in zip_longest(range(i, i_end), range(j, j_end)):
            mark = "<" if other is None else ">" if one is None else "|"
            yield " " if tag == "equal" else mark, one, other


def _cells(lines: Sequence[Line], width: int, numbers: bool) -> list[list[str]]:
    """For each line the rows that it takes."""
    before = _margins(lines) if numbers else [""] * len(lines)
    return [_cell(m, line.text, width) for m, line in zip(before, lines, strict=True)]


def _cell(margin: str, text: str, width: int) -> list[str]:
    first, *others = _pieces(text, width - len(margin))
    return [margin + first, *(" " * len(margin) + other for other in others)]


def _pieces(text: str, width: int) -> list[str]:
    """A long line, in pieces that fit; those after the first are indented further."""
    hang = " " * min(_indent(text) + 4, width // 4)
    pieces = []
    while _columns(text) > width:
        cut = _cut(text, width)
        pieces.append(text[:cut].rstrip())
        text = hang + text[cut:].lstrip()
    return [*pieces, text]


def _cut(text: str, width: int) -> int:
    """Returns the place to break a line: after the last blank that fits, if that leaves half of it
    filled.
    """
    end = next(n for n in range(len(text), 0, -1) if _columns(text[:n]) <= width)
    blank = text.rfind(" ", 0, end)
    return blank + 1 if blank > max(end // 2, _indent(text)) else end


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _columns(text: str) -> int:
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in text)
