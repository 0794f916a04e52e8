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


def _wrap(line: str, is_statement: bool = True) -> str:
    if len(line) <= _WIDTH or "\n" in line:
        return line
    text = line.lstrip()
    indent = " " * (len(line) - len(text))
    inner = indent + "    "
    value = _bare_tuple(text) if is_statement else None  # a keyword argument has a comma behind
    if value is not None:
        text = f"{text[:value]}({text[value:]})"
    groups = _groups(text)
    parts: list[str] = []
    at = 0
    while len(indent) + len(text) - at > _WIDTH:
        groups = [group for group in groups if group.start >= at]
        group = _last_fitting(groups, at + _WIDTH - len(indent))
        if group is None:
            break
        start, end = group.start + 1, group.end
        body = [text[start:end]]
        if len(inner) + end - start > _WIDTH:
            body = _pieces(text, [start, *(comma + 1 for comma in group.commas), end])
        parts += [indent + text[at:start], *(_wrap(inner + part, False) for part in body)]
        at = end
    return "\n".join([*parts, indent + text[at:]])


def _pieces(text: str, cuts: list[int]) -> list[str]:
    pieces = (text[start:end].strip() for start, end in itertools.pairwise(cuts))
    return [piece for piece in pieces if piece]


@dataclass(slots=True)
class _Group:
    """The positions in a line of a pair of brackets and of the commas directly in it."""

    start: int
    end: int = -1
    commas: list[int] = field(default_factory=list)


def _last_fitting(groups: list[_Group], width: int) -> _Group | None:
    """The last of these that can be broken so that what is before it fits."""
    breakable = [group for group in groups if group.end - group.start > 1]
    fitting = [group for group in breakable if group.start < width]
    return next(iter(fitting[::-1] or breakable), None)


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


def _bare_tuple(text: str) -> int | None:
    """The position of a tuple without parentheses that a statement returns or assigns."""
    start = len("return ") if text.startswith("return ") else None
    depth = commas = 0
    for token in _operators(text):
        depth += (token.string in "([{") - (token.string in ")]}")
        if depth:
            continue
        if token.string == "lambda":  # its own commas and defaults
            return None
        if token.string == "=":
            start, commas = token.end[1] + 1, 0
        commas += token.string == ","
    return start if commas else None


def _operators(text: str) -> Iterator[tokenize.TokenInfo]:
    """The operators of one line and its lambdas, without those inside f-strings and t-strings."""
    depth = 0
    for token in tokenize.generate_tokens(iter([text, ""]).__next__):
        name = tokenize.tok_name[token.type]
        depth += name.endswith("STRING_START") - name.endswith("STRING_END")
        if (name == "OP" or token.string == "lambda") and not depth:
            yield token
