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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from autograph import pipeline, terminal
from autograph.errors import AutographError, ConversionError
from autograph.printing import to_source
from autograph.source import Located, SourceFile, definition_in, definitions, read_file
from autograph.terminal import Line
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


class Usage(Exception):
    """Options that do not go together."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the result is the exit code: 0 fine, 1 differs, 2 usage or refused."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except (AutographError, Usage) as error:
        placed = isinstance(error, Usage) or error.filename is not None
        print(error if placed else f"{_split(options.target)[0]}: {error}", file=sys.stderr)
    except (RecursionError, MemoryError):  # the latter is what Python's own parser raises
        print(f"{_split(options.target)[0]}: nested too deeply", file=sys.stderr)
    except BrokenPipeError:
        # Whoever reads has seen enough; without this Python would complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except OSError as error:  # files that are read or written by name are refused by name before
        print(f"autograph: standard output: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
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
    add(
        "target", nargs="?", metavar="FILE[:FUNCTION]", help="Class.method and outer.inner work too"
    )
    add("--lines", action="store_true", help="the user's line numbers in the margin")
    add("--stage", metavar="NAME", help="stop after this stage")
    add("--args", metavar="SPECS", help='for --graph: "float32[2,3] int32[] float32[?,3]"')
    view = parser.add_mutually_exclusive_group()
    view.add_argument(
        "--diff", action="store_true", help="the original beside the converted source"
    )
    view.add_argument("--list", action="store_true", help="every stage; without FILE their names")
    view.add_argument(
        "--graph", action="store_true", help="import the file, print the traced graph"
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("-o", dest="output", metavar="FILE", help="write there")
    output.add_argument("--check", metavar="GOLDEN", help="compare with this file")
    return parser


def _run(options: argparse.Namespace) -> int:
    _check(options)
    to_terminal = options.output is None and options.check is None
    text = _text(options, colour=to_terminal and _wants_colour())
    if options.check is not None:
        return _compare(text, options)
    if options.output is not None:
        _write(text, options)
    else:
        _print(text)
    return FINE


def _text(options: argparse.Namespace, *, colour: bool) -> str:
    if options.target is None:
        return "".join(f"{name}\n" for name in _stage_names())
    filename, path = _split(options.target)
    if options.graph:
        return _graph(filename, path, options.args or "")
    file = read_file(filename)
    lines = list(_view(file, path, options))
    rows: Iterable[str]
    if options.diff:
        width = shutil.get_terminal_size(fallback=(120, 24)).columns
        before = _original(file, path)
        rows = terminal.side_by_side(before, lines, width, numbers=options.lines, colour=colour)
    else:
        rows = _rows(lines, options.lines, colour)
    return "".join(f"{row}\n" for row in rows)


def _check(options: argparse.Namespace) -> None:
    if not options.target and not options.list:
        raise Usage("autograph: name a FILE or a FILE:FUNCTION (autograph --help tells more)")
    if options.args is not None and not options.graph:
        raise Usage("autograph: --args goes with --graph")
    if options.stage is not None and (options.list or options.graph):
        raise Usage("autograph: --stage goes with neither --list nor --graph")
    if sys.stdout is None and options.output is None and options.check is None:
        raise Usage("autograph: standard output is closed; -o FILE writes to a file")
    if options.lines and options.graph:
        raise Usage("autograph: --lines does not go with --graph")
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


def _view(file: SourceFile, path: str | None, options: argparse.Namespace) -> Iterator[Line]:
    if options.list:
        chosen = definitions(file, file.module()) if path is None else [definition_in(file, path)]
        for one in chosen:
            yield from _every_stage(one)
    elif path is None:
        yield from _whole(file, options.stage)
    else:
        yield from _converted(definition_in(file, path), options.stage)


def _whole(file: SourceFile, stage: str | None) -> list[Line]:
    """The file with each function converted where it stands; the rest is left as it is written."""
    lines = _original(file, None)
    for one in reversed(definitions(file, file.module())):
        end = one.node.end_lineno
        first = end - len(one.source_lines)
        margin = lines[first].text[: one.node.col_offset]
        lines[first:end] = terminal.indented(_converted(one, stage), margin)
    return lines


def _original(file: SourceFile, path: str | None) -> list[Line]:
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


# Output


def _print(text: str) -> None:
    encoding = sys.stdout.encoding
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def _wants_colour() -> bool:
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def _rows(lines: Sequence[Line], numbers: bool, colour: bool) -> list[str]:
    if colour:
        texts = terminal.coloured("\n".join(line.text for line in lines)).split("\n")
        lines = [line._replace(text=text) for line, text in zip(lines, texts, strict=True)]
    return terminal.numbered(lines) if numbers else [line.text for line in lines]


def _compare(text: str, options: argparse.Namespace) -> int:
    golden = options.check
    try:
        expected = Path(golden).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise Usage(f"{golden}: {error.strerror}; -o {golden} makes it") from None
    except OSError as error:
        raise Usage(f"{golden}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Usage(f"{golden}: cannot be decoded: {error}") from None
    changed = difflib.unified_diff(
        expected.splitlines(), text.splitlines(), golden, f"{options.target} now", lineterm=""
    )
    report = "".join(f"{line}\n" for line in changed)
    _print(report)
    return DIFFERS if report else FINE


def _write(text: str, options: argparse.Namespace) -> None:
    output = Path(options.output)
    source = Path(_split(options.target)[0]) if options.target else None
    if source is not None and output.exists() and output.samefile(source):
        raise Usage(f"{output}: would overwrite the source")
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Usage(f"{output}: {error.strerror}") from None


# Graphs


def _graph(filename: str, path: str | None, words: str) -> str:
    if path is None:
        raise Usage("autograph: --graph needs FILE:FUNCTION")
    specs = list(_specs(words))
    read_file(filename)
    try:
        with redirect_stdout(sys.stderr):  # what the user's code prints is not the graph
            module = _import(Path(filename).resolve())
            describe = _describer()
            text = describe(_member(module, filename, path), specs)
    except (AutographError, Usage):
        raise
    except (Exception, SystemExit) as error:  # the user's module may raise anything
        raise _placed(error, filename) from None
    return text.rstrip("\n") + "\n"


_SPEC = re.compile(r"\s*(\w+)\[\s*(\*|(?:(?:\d+|\?)\s*,?\s*)*)\]")


def _specs(words: str) -> Iterator[tuple[str, tuple[int | None, ...] | None]]:
    """Dtype and shape of each argument; an unknown dimension or rank is None."""
    rest = words
    while rest.strip():
        found = _SPEC.match(rest)
        if found is None:
            raise Usage(f'autograph: --args: {rest.strip()!r} is not like "float32[2,?] int32[]"')
        dtype, shape = found.groups()
        dimensions = re.findall(r"\d+|\?", shape)
        yield (
            dtype,
            None if shape == "*" else tuple(None if d == "?" else int(d) for d in dimensions),
        )
        rest = rest[found.end() :]


def _import(file: Path) -> ModuleType:
    """The module of a file, under the name that its package gives it."""
    root, name = file.parent, file.stem
    while (root / "__init__.py").exists():
        root, name = root.parent, f"{root.name}.{name}"
    sys.path.insert(0, str(root))
    if "." in name:
        return importlib.import_module(name.removesuffix(".__init__"))
    while name in sys.modules:
        name += "_"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise Usage(f"{file}: not a Python file")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _member(module: ModuleType, filename: str, path: str) -> Any:
    found: Any = module
    for name in path.split("."):
        if not hasattr(found, name):
            raise ConversionError(
                f"after its import the module has no {path}",
                filename=filename,
                variable=path,
                hint="--graph takes what the module defines itself, not what its functions define",
            )
        found = getattr(found, name)
    return found


def _describer() -> Callable[[Any, list[Any]], str]:
    """How to print a traced graph, from a tensor library that was imported or else is installed."""
    hooks = sorted(entry_points(group="autograph.graph"), key=lambda hook: hook.name)
    imported = [hook for hook in hooks if hook.module.partition(".")[0] in sys.modules]
    if not hooks:
        raise Usage(
            "autograph: --graph needs an installed tensor library: pip install autograph-runtime"
        )
    describe: Callable[[Any, list[Any]], str] = (imported or hooks)[0].load()
    return describe


def _placed(error: BaseException, filename: str) -> ConversionError | Usage:
    """An exception of the user's code, at the innermost line of their file that it passed; one that
    passed none is about the arguments.

    A refusal that is no AutographError, but has the fields of one, knows its place itself.
    """
    if hasattr(error, "message") and getattr(error, "filename", None) is not None:
        fields = {
            name: getattr(error, name, None) for name in ("filename", "lineno", "col", "hint")
        }
        return ConversionError(f"{type(error).__name__}: {error.message}", **fields)
    name = str(Path(filename).resolve())
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == name]
    if not frames and isinstance(error, TypeError):
        return Usage(f"autograph: --args: {error}")
    last = frames[-1] if frames else None
    return ConversionError(
        f"{type(error).__name__}: {error}",
        filename=filename,
        lineno=last and last.lineno,
        col=None if last is None or last.colno is None else last.colno + 1,
    )


if __name__ == "__main__":
    sys.exit(main())
