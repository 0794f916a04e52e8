"""The user's comments in printed code: each stands at what its statement has become.

A comment on a line of its own stands above the statement that follows it or, where it is further to
the right, below the one before it. One at the end of a line stays there where a line became a line,
and else stands above.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from autograph.command_line.terminal import Line
from autograph.compiler import parse

_MOST_COLUMNS = 100
_BLOCKS = frozenset(("body", "orelse", "finalbody", "handlers", "cases", "decorator_list"))
_SKIPPED = frozenset(
    (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT)
)


class Comment(NamedTuple):
    """A comment, its line, and where it belongs: at the statement that begins at line `at`."""

    text: str
    line: int
    at: int
    place: Literal["above", "beside", "below"]


class _Span(NamedTuple):
    """The lines of a simple statement or of the header of another.

    In their order, a header comes after what else stands on its line.
    """

    first: int
    margin: int  # negative
    is_simple: bool
    last: int


def comments_in(lines: Sequence[str], tree: ast.AST) -> list[Comment]:
    """The comments of a file, in order."""
    spans = sorted(_spans(tree))
    around = {line: span for span in spans for line in range(span.first, span.last + 1)}
    found: list[Comment] = []
    waiting: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO("".join(lines)).readline):
        if token.type == tokenize.COMMENT:
            waiting.append(token)
        elif token.type not in _SKIPPED:
            found += [_located(comment, token.start, spans, around) for comment in waiting]
            waiting = []
    return found


def _spans(tree: ast.AST) -> Iterator[_Span]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        end = node.end_lineno or node.lineno
        is_simple = not hasattr(node, "body") and not hasattr(node, "cases")
        if not is_simple:
            inside = (inner for part in _header(node) for inner in ast.walk(part))
            end = max(map(_end, inside), default=0) or node.lineno
        yield _Span(node.lineno, -node.col_offset, is_simple, end)
        for decorator in getattr(node, "decorator_list", ()):
            yield _Span(decorator.lineno, -node.col_offset, False, _end(decorator))


def _header(node: ast.stmt) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        parts = value if isinstance(value, list) else [value]
        if name not in _BLOCKS:
            yield from (
                inner for part in parts if isinstance(part, ast.AST) for inner in ast.walk(part)
            )


def _end(node: Any) -> int:
    return getattr(node, "end_lineno", None) or 0


def _located(
    token: tokenize.TokenInfo,
    following: tuple[int, int],
    spans: Sequence[_Span],
    around: Mapping[int, _Span],
) -> Comment:
    line, column = token.start
    is_alone = not token.line[:column].strip()
    if line in around:
        span = around[line]
        is_beside = not is_alone and span.is_simple and span.first == span.last
        return Comment(token.string, line, span.first, "beside" if is_beside else "above")
    if is_alone and column > following[1]:
        before = [span.first for span in spans if span.last < line and -span.margin <= column]
        if before:
            return Comment(token.string, line, max(before), "below")
    return Comment(token.string, line, following[0], "above")


# In printed code


class _Printed(NamedTuple):
    """A printed statement: the user's line that it comes from, and its own first and last row."""

    number: int
    first: int
    last: int
    is_return: bool


def with_comments(lines: Sequence[Line], comments: Sequence[Comment]) -> list[Line]:
    """Printed statements with comments among them."""
    if not comments:
        return list(lines)
    printed = _printed(lines)
    above: defaultdict[int, list[Line]] = defaultdict(list)
    below: defaultdict[int, list[Line]] = defaultdict(list)
    texts = [line.text for line in lines]
    for comment in comments:
        statement = _statement(comment, printed)
        row = statement.first
        joined = f"{texts[row]}  {comment.text}"
        is_its_own = statement.number == comment.at and row == statement.last
        if comment.place == "beside" and is_its_own and len(joined) <= _MOST_COLUMNS:
            texts[row] = joined
            continue
        line = Line(_margin(texts[row]) + comment.text, comment.line)
        if comment.place == "below" or statement.number < comment.at:
            below[statement.last].append(line)
        else:
            above[row].append(line)
    made: list[Line] = []
    for row, (line, text) in enumerate(zip(lines, texts, strict=True)):
        made += [*above[row], line._replace(text=text), *below[row]]
    return made


def _printed(lines: Sequence[Line]) -> list[_Printed]:
    tree = parse("\n".join(line.text for line in lines))
    made = []
    for node in ast.walk(tree):
        parts = [node, *getattr(node, "decorator_list", ())] if isinstance(node, ast.stmt) else []
        for part in parts:
            number = lines[part.lineno - 1].number
            if number is not None:
                rows = part.lineno - 1, _end(part) - 1
                made.append(_Printed(number, *rows, isinstance(part, ast.Return)))
    return sorted(made, key=lambda one: one.first)


def _statement(comment: Comment, printed: Sequence[_Printed]) -> _Printed:
    """The printed statement that a comment belongs to: the first of what its own has become, else
    of what follows; to go below, the last but for what a block returns.
    """
    number = min((one.number for one in printed if one.number >= comment.at), default=None)
    same = [one for one in printed if one.number == number] or [printed[-1]]
    if comment.place != "below":
        return same[0]
    return next((one for one in reversed(same) if not one.is_return), same[-1])


def _margin(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]
