"""What the command line shows of a file: lines of text, and the user's lines that they are from."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from typing import Any

from autograph import pipeline, terminal
from autograph.printing import to_source
from autograph.source import Located, SourceFile, definition_in, definitions
from autograph.terminal import Line
from autograph.trees import to_ast


def view(
    file: SourceFile, path: str | None, stage: str | None, every_stage: bool
) -> Iterator[Line]:
    if every_stage:
        chosen = definitions(file, file.module()) if path is None else [definition_in(file, path)]
        for one in chosen:
            yield from _every_stage(one)
    elif path is None:
        yield from _whole(file, stage)
    else:
        yield from _converted(definition_in(file, path), stage)


def _whole(file: SourceFile, stage: str | None) -> list[Line]:
    """The file with each function converted where it stands; the rest is left as it is written."""
    lines = original(file, None)
    for one in reversed(definitions(file, file.module())):
        end = one.node.end_lineno
        first = end - len(one.source_lines)
        margin = lines[first].text[: one.node.col_offset]
        lines[first:end] = terminal.indented(_converted(one, stage), margin)
    return lines


def original(file: SourceFile, path: str | None) -> list[Line]:
    one = None if path is None else definition_in(file, path)
    text = textwrap.dedent("".join(file.lines if one is None else one.source_lines))
    first = 1 if one is None else one.node.end_lineno - len(one.source_lines) + 1
    texts = text.removesuffix("\n").split("\n") if text else []
    return [Line(text, number) for number, text in enumerate(texts, start=first)]


def _converted(one: Located, stage: str | None) -> list[Line]:
    for name, converted in pipeline.stages(one.node, one.filename):
        if name == stage:
            return _lines(converted.tree)
    return _lines(one.node)


def _every_stage(one: Located) -> Iterator[Line]:
    before = _lines(one.node)
    yield from [Line(f"# {one.path}: as written"), *before, Line("")]
    for name, converted in pipeline.stages(one.node, one.filename):
        after = _lines(converted.tree)
        if [line.text for line in after] == [line.text for line in before]:
            yield Line(f"# {one.path}: {name} changes nothing")
        else:
            yield from [Line(f"# {one.path}: after {name}"), *after]
        yield Line("")
        before = after


def _lines(node: Any) -> list[Line]:
    text = to_source(node).rstrip("\n")
    numbers = dict(_numbers(ast.parse(text).body[0], to_ast(node)))
    return [Line(line, numbers.get(n)) for n, line in enumerate(text.split("\n"), start=1)]


def _numbers(printed: ast.AST, original: ast.AST) -> Iterator[tuple[int, int]]:
    """Pairs of a printed line and the user's, inner nodes first: in a dict the outermost wins."""
    children = zip(ast.iter_child_nodes(printed), ast.iter_child_nodes(original), strict=True)
    for pair in children:
        yield from _numbers(*pair)
    if hasattr(printed, "lineno") and hasattr(original, "lineno"):
        yield printed.lineno, original.lineno
