"""The command line: `autograph FILE:FUNCTION` prints the converted source of what a file defines.

The file is read, not imported and not run; only `--graph` imports it.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib.util
import os
import re
import shutil
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from autograph import pipeline, terminal
from autograph.errors import AutographError, ConversionError
from autograph.printing import to_source
from autograph.source import Located, SourceFile, definition_in, definitions, read_file
from autograph.trees import to_ast

FINE, DIFFERS, REFUSED = 0, 1, 2

_EXAMPLES = """\
examples:
  autograph model.py:train                  the converted source
  autograph model.py:Net.forward --diff     beside the original
  autograph model.py:train --list           after every stage
  autograph model.py -o converted.py        the whole file
  autograph model.py:train --check train.golden.py
  autograph model.py:train --graph --args "float32[8,2] int32[]"

exit codes: 0 fine, 1 differs from GOLDEN, 2 usage or refused
"""


class Line(NamedTuple):
    """A line of output, and the user's line that it comes from."""

    text: str
    number: int | None = None


class Usage(Exception):
    """Options that do not go together."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the result is the exit code: 0 fine, 1 differs, 2 usage or refused."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except (AutographError, Usage) as error:
        print(error, file=sys.stderr)
    except RecursionError:
        print(f"{options.target}: nested too deeply", file=sys.stderr)
    except BrokenPipeError:
        # Whoever reads has seen enough; without this Python would complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    return REFUSED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="autograph",
        description="Print what a function's control flow is converted to.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("target", nargs="?", metavar="FILE[:FUNCTION]", help="Class.method and outer.inner work too")
    add("--lines", action="store_true", help="the user's line numbers in the margin")
    add("--stage", metavar="NAME", help="stop after this stage")
    add("--args", metavar="SPECS", help='for --graph: "float32[2,3] int32[] float32[?,3]"')
    view = parser.add_mutually_exclusive_group()
    view.add_argument("--diff", action="store_true", help="the original beside the converted source")
    view.add_argument("--list", action="store_true", help="every stage; without FILE their names")
    view.add_argument("--graph", action="store_true", help="import the file, print the traced graph")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("-o", dest="output", metavar="FILE", help="write there")
    output.add_argument("--check", metavar="GOLDEN", help="compare with this file")
    return parser


def _run(options: argparse.Namespace) -> int:
    _check(options)
    if options.target is None:
        return _deliver("".join(f"{name}\n" for name in _stage_names()), options)
    filename, path = _split(options.target)
    if options.graph:
        if path is None:
            raise Usage("autograph: --graph needs FILE:FUNCTION")
        return _deliver(_graph(filename, path, options.args or ""), options)
    return _deliver(_view(filename, path, options), options, python=not options.diff)


def _check(options: argparse.Namespace) -> None:
    if options.target is None and not options.list:
        raise Usage("autograph: name a FILE or a FILE:FUNCTION (autograph --help tells more)")
    if options.args is not None and not options.graph:
        raise Usage("autograph: --args goes with --graph")
    if options.stage is not None and (options.list or options.graph):
        raise Usage("autograph: --stage goes with neither --list nor --graph")
    if options.stage not in (None, *_stage_names()):
        names = ", ".join(_stage_names())
        raise Usage(f"autograph: no stage {options.stage}; the stages are {names}")


def _stage_names() -> list[str]:
    return [converter.name for converter in pipeline.CONVERTERS]


def _split(target: str) -> tuple[str, str | None]:
    """The file and the path in it; a colon alone decides nothing, for files may have one too."""
    filename, _, path = target.rpartition(":")
    names = path.split(".")
    if filename and not os.path.exists(target) and all(map(str.isidentifier, names)):
        return filename, path
    return target, None


# Views


def _view(filename: str, path: str | None, options: argparse.Namespace) -> list[Line]:
    file = read_file(filename)
    if options.list:
        return [line for one in _chosen(file, path) for line in _every_stage(one)]
    if path is None:
        return _whole(file, options.stage)
    return _converted(definition_in(file, path), options.stage)


def _chosen(file: SourceFile, path: str | None) -> list[Located]:
    return definitions(file, file.module()) if path is None else [definition_in(file, path)]


def _whole(file: SourceFile, stage: str | None) -> list[Line]:
    """The file with each function converted where it stands; the rest is left as it is written."""
    lines = [Line(text.rstrip("\r\n"), number) for number, text in enumerate(file.lines, start=1)]
    for one in reversed(definitions(file, file.module())):
        first = one.lineno
        margin = lines[first - 1].text[: one.node.col_offset]
        converted = [line._replace(text=margin + line.text) for line in _converted(one, stage)]
        lines[first - 1 : one.node.end_lineno] = converted
    return lines


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
        if after == before:
            yield Line(f"# {one.path}: {name} changes nothing")
        else:
            yield from [Line(f"# {one.path}: after {name}"), *after]
        yield Line("")
        before = after


def _lines(node: Any) -> list[Line]:
    text = to_source(node).rstrip("\n")
    numbers = dict(_numbers(ast.parse(text).body[0], to_ast(node)))
    return [Line(line, numbers.get(n)) for n, line in enumerate(text.splitlines(), start=1)]


def _numbers(printed: ast.AST, original: ast.AST) -> Iterator[tuple[int, int]]:
    """Pairs of a printed line and the user's, inner nodes first: in a dict the outermost wins."""
    children = zip(ast.iter_child_nodes(printed), ast.iter_child_nodes(original), strict=True)
    for pair in children:
        yield from _numbers(*pair)
    if hasattr(printed, "lineno") and hasattr(original, "lineno"):
        yield printed.lineno, original.lineno
