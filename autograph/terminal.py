"""Text for a terminal: Python in colour, two texts side by side, numbers in the margin."""

from __future__ import annotations

import io
import keyword
import tokenize
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

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
_CHANGED = {" ": "", "|": "\033[33m", "<": "\033[31m", ">": "\033[32m"}


def coloured(text: str) -> str:
    """Python source with its tokens in colour; the calls of generated code (`ag.cond`) stand out."""
    lines = text.splitlines()
    for kind, start, end in reversed(list(_spans(text))):
        for row in range(end[0], start[0] - 1, -1):
            first = start[1] if row == start[0] else 0
            last = end[1] if row == end[0] else len(lines[row - 1])
            lines[row - 1] = _painted(lines[row - 1], first, last, _COLOURS[kind])
    return "\n".join(lines) + "\n" * text.endswith("\n")


Position = tuple[int, int]


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


def with_margin(lines: Sequence[str], numbers: Sequence[int | None]) -> list[str]:
    """The lines behind a margin that holds their numbers; None leaves it empty."""
    width = len(str(max((n for n in numbers if n), default=0)))
    margins = [" " * width if n is None else f"{n:>{width}}" for n in numbers]
    return [f"{m} | {s}".rstrip() for m, s in zip(margins, lines, strict=True)]


def side_by_side(
    left: Sequence[str], right: Sequence[str], width: int, *, colour: bool = False
) -> Iterator[str]:
    """Rows `left mark right` of at most `width` columns; long lines go on in the next row.

    The mark is a blank where both sides say the same (indentation aside), `|` where they differ,
    `<` or `>` where only that side has a line.
    """
    half = max(8, (width - 3) // 2)
    for mark, a, b in _aligned(left, right):
        cells = zip_longest(_chopped(a, half), _chopped(b, half), fillvalue="")
        for first, second in cells:
            row = f"{first}{' ' * (half - _columns(first))} {mark} {second}".rstrip()
            yield f"{_CHANGED[mark]}{row}{_RESET}" if colour and mark != " " else row


def _aligned(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    same = SequenceMatcher(
        None, [s.strip() for s in left], [s.strip() for s in right], autojunk=False
    )
    for tag, i, i_end, j, j_end in same.get_opcodes():
        pairs = zip_longest(left[i:i_end], right[j:j_end])
        for a, b in pairs:
            mark = " " if tag == "equal" else "<" if b is None else ">" if a is None else "|"
            yield mark, a or "", b or ""


def _chopped(line: str, width: int) -> list[str]:
    pieces = [""]
    for character in line:
        if _columns(pieces[-1]) + _columns(character) > width:
            pieces.append("")
        pieces[-1] += character
    return pieces


def _columns(text: str) -> int:
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in text)
