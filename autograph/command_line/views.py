"""The lines that the command line shows of a file, with the user's lines that they are from."""

from __future__ import annotations

import ast
import functools
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from autograph import pipeline
from autograph.command_line import terminal
from autograph.command_line.comments import Comment, comments_in, with_comments
from autograph.command_line.terminal import Line
from autograph.compiler import parse
from autograph.printing import to_source
from autograph.source import Located, SourceFile, class_in, definition_in, definitions
from autograph.trees import to_ast


def view(
    file: SourceFile, path: str | None, stage: str | None, every_stage: bool
) -> Iterator[Line]:
    """Yields the lines of what `path` names, a function or class, or of the whole file; converted
    up to a stage, or after each.
    """
    holds_several = path is None or class_in(file, path) is not None
    if every_stage:
        chosen = definitions(file, path) if holds_several else [_definition(file, path)]
        for one in chosen:
            yield from _every_stage(one)
    elif holds_several:
        yield from _where_they_stand(file, path, stage)
    else:
        yield from _converted(_definition(file, path), stage)


def original(file: SourceFile, path: str | None) -> list[Line]:
    """Returns the lines of what `path` names, or of the whole file, as they are written."""
    return _dedented(_written(file, path))


def _written(file: SourceFile, path: str | None) -> list[Line]:
    first, last = 1, len(file.lines)
    if path is not None:
        node: Any = class_in(file, path)
        one = None if node is not None else definition_in(file, path)
        last = node.end_lineno if one is None else one.node.end_lineno
        first = _first_line(node) if one is None else last - len(one.source_lines) + 1
    text = "".join(file.lines[first - 1 : last]).removesuffix("\n")
    texts = text.split("\n") if text else []
    return [Line(text, number) for number, text in enumerate(texts, start=first)]


def _first_line(node: ast.ClassDef) -> int:
    return min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]])


def _dedented(lines: Sequence[Line]) -> list[Line]:
    texts = textwrap.dedent("\n".join(line.text for line in lines)).split("\n")
    return [line._replace(text=text) for line, text in zip(lines, texts, strict=False)]


def _definition(file: SourceFile, path: str | None) -> Located:
    assert path is not None
    return definition_in(file, path)


def _where_they_stand(file: SourceFile, path: str | None, stage: str | None) -> list[Line]:
    """The lines with each function converted where it stands; the rest is left as it is written."""
    lines = _written(file, path)
    before = lines[0].number or 1 if lines else 1
    for one in reversed(definitions(file, path)):
        end = one.node.end_lineno - before + 1
        first = end - len(one.source_lines)
        margin = lines[first].text[: one.node.col_offset]
        lines[first:end] = terminal.indented(_converted(one, stage), margin)
    return lines if path is None else _dedented(lines)


def _converted(one: Located, stage: str | None) -> list[Line]:
    for name, converted in pipeline.stages(one.node, one.filename):
        if name == stage:
            return _lines(converted.tree, one)
    return _lines(one.node, one)


def _every_stage(one: Located) -> Iterator[Line]:
    before = _lines(one.node, one)
    yield from [Line(f"# {one.path}: as written"), *before, Line("")]
    for name, converted in pipeline.stages(one.node, one.filename):
        after = _lines(converted.tree, one)
        if [line.text for line in after] == [line.text for line in before]:
            yield Line(f"# {one.path}: {name} changes nothing")
        else:
            yield from [Line(f"# {one.path}: after {name}"), *after]
        yield Line("")
        before = after


def _lines(node: Any, one: Located) -> list[Line]:
    text = to_source(node).rstrip("\n")
    numbers = dict(_numbers(parse(text).body[0], to_ast(node)))
    lines = [Line(line, numbers.get(n)) for n, line in enumerate(text.split("\n"), start=1)]
    last = one.node.end_lineno
    rows = range(last - len(one.source_lines) + 1, last + 1)
    return with_comments(lines, [note for note in _comments(one.file) if note.line in rows])


@functools.lru_cache(maxsize=1)
def _comments(file: SourceFile) -> list[Comment]:
    return comments_in(file.lines, file.tree)


def _numbers(printed: ast.AST, original: ast.AST) -> Iterator[tuple[int, int]]:
    """Pairs of a printed line and the user's, inner nodes first: in a dict the outermost wins."""
    children = zip(ast.iter_child_nodes(printed), ast.iter_child_nodes(original), strict=True)
    for pair in children:
        yield from _numbers(*pair)
    if hasattr(printed, "lineno") and hasattr(original, "lineno"):
        yield printed.lineno, original.lineno
