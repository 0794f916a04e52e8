"""Long lines of Python, broken at brackets and commas."""

from __future__ import annotations

import itertools
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_WIDTH = 100


def wrapped(items: Iterable[str]) -> Iterator[str]:
    """The text in pieces, its long lines broken at brackets and commas."""
    line: list[str] = []
    for item in items:
        if item.startswith("\n"):
            yield _wrap("".join(line))
            yield item
            line = []
        else:
            line.append(item)


def _wrap(line: str) -> str:
    if len(line) <= _WIDTH or "\n" in line:
        return line
    text = line.lstrip()
    indent = " " * (len(line) - len(text))
    group = _group(text, _WIDTH - len(indent))
    if group is None:
        return line
    start, end = group.start + 1, group.end
    inner = indent + "    "
    body = [text[start:end]]
    if len(inner) + end - start > _WIDTH:
        body = _pieces(text, [start, *(comma + 1 for comma in group.commas), end])
    parts = [indent + text[:start], *(_wrap(inner + part) for part in body), indent + text[end:]]
    return "\n".join(parts)


def _pieces(text: str, cuts: list[int]) -> list[str]:
    pieces = (text[start:end].strip() for start, end in itertools.pairwise(cuts))
    return [piece for piece in pieces if piece]


@dataclass(slots=True)
class _Group:
    """The positions in a line of a pair of brackets and of the commas directly in it."""

    start: int
    end: int = -1
    commas: list[int] = field(default_factory=list)


def _group(text: str, width: int) -> _Group | None:
    """The last pair of outermost brackets that can be broken so that what is before it fits."""
    groups = [group for group in _groups(text) if group.end - group.start > 1]
    fitting = [group for group in groups if group.start < width]
    return next(iter(fitting[::-1] or groups), None)


def _groups(text: str) -> list[_Group]:
    done: list[_Group] = []
    stack: list[_Group] = []
    for token in _operators(text):
        column = token.start[1]
        if token.string in "([{":
            stack.append(_Group(column))
        elif token.string in ")]}":
            group = stack.pop()
            group.end = column
            if not stack:
                done.append(group)
        elif token.string == "," and stack:
            stack[-1].commas.append(column)
    return done


def _operators(text: str) -> Iterator[tokenize.TokenInfo]:
    """The operators of one line, without those inside f-strings."""
    depth = 0
    for token in tokenize.generate_tokens(iter([text, ""]).__next__):
        name = tokenize.tok_name[token.type]
        depth += (name == "FSTRING_START") - (name == "FSTRING_END")
        if name == "OP" and not depth:
            yield token
