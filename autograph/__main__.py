"""The command line: `autograph FILE:NAME` prints the converted source of what a file defines.

The file is read, not imported and not run; only `--graph` and `--llvm` import it.
"""

from __future__ import annotations

import argparse
import difflib
import functools
import os
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

from autograph import __version__, pipeline
from autograph.command_line import terminal, views
from autograph.command_line.completion import SHELLS, script
from autograph.command_line.graph_view import Usage, graph_text
from autograph.command_line.terminal import Line
from autograph.errors import AutographError
from autograph.source import SourceFile, read_file

FINE, DIFFERS, REFUSED = 0, 1, 2
_STDIN = "<stdin>"

_EXAMPLES = """\
examples:
  autograph model.py:train                  the converted source
  autograph model.py:Net.forward --diff     beside the original
  autograph model.py:train --list           after every stage
  autograph model.py:Net model.py:loss      a class, and a function
  autograph model.py -o converted.py        the whole file
  autograph - < model.py                    what another program writes
  autograph model.py:train --check train.golden.py
  autograph model.py:train --graph --args "float32[8,2] int32[]"
  autograph model.py:train --llvm --args "float32[8,2] int32[]"

exit codes: 0 fine, 1 differs from GOLDEN, 2 usage or refused
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the result is the exit code: 0 fine, 1 differs, 2 usage or refused."""
    given = sys.argv[1:] if arguments is None else arguments
    # What begins with a dash would be taken for an option.
    given = [_STDIN + word[1:] if word.startswith("-:") else word for word in given]
    options = _parser().parse_intermixed_args(given)
    try:
        return _run(options)
    except (AutographError, Usage) as error:
        placed = isinstance(error, Usage) or error.filename is not None
        print(error if placed else f"{_files(options)}: {error}", file=sys.stderr)
    except (RecursionError, MemoryError):  # the latter is what Python's own parser raises
        print(f"{_files(options)}: nested too deeply", file=sys.stderr)
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
        "targets",
        nargs="*",
        metavar="FILE[:NAME]",
        help="a function or class, also Class.method and outer.inner; FILE - is standard input",
    )
    add("--lines", action="store_true", help="the user's line numbers in the margin")
    add("--stage", metavar="NAME", help="stop after this stage")
    specs = "for --graph and --llvm: float32[2,3] int32[] float32[?,3]"
    add("--args", metavar="SPECS", help=specs)
    view = parser.add_mutually_exclusive_group()
    view.add_argument(
        "--diff", action="store_true", help="the original beside the converted source"
    )
    view.add_argument("--list", action="store_true", help="every stage; without FILE their names")
    view.add_argument(
        "--graph", action="store_true", help="import the file, print the traced graph"
    )
    view.add_argument(
        "--llvm", action="store_true", help="import the file, print the LLVM IR of machine code"
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("-o", dest="output", metavar="FILE", help="write there")
    output.add_argument("--check", metavar="GOLDEN", help="compare with this file")
    add("--completion", choices=SHELLS, help="print what makes a shell complete the options")
    add("--version", action="version", version=f"autograph {__version__}")
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
    if options.completion:
        flags = [flag for action in _parser()._actions for flag in action.option_strings]
        return script(options.completion, flags, _stage_names())
    if not options.targets:
        return "".join(f"{name}\n" for name in _stage_names())
    if traced := _traced(options):
        return graph_text(*_split(options.targets[0]), options.args or "", traced)
    texts = [_shown(target, options, colour) for target in options.targets]
    if len(texts) == 1:
        return texts[0]
    heads = [_rows([Line(f"# {target}")], False, colour)[0] for target in options.targets]
    return "\n\n".join(f"{head}\n{text}" for head, text in zip(heads, texts, strict=True))


def _shown(target: str, options: argparse.Namespace, colour: bool) -> str:
    filename, path = _split(target)
    file = _standard_input() if filename in ("-", _STDIN) else read_file(filename)
    lines = list(views.view(file, path, options.stage, options.list))
    rows: Iterable[str]
    if options.diff:
        width = shutil.get_terminal_size(fallback=(120, 24)).columns
        before = views.original(file, path)
        rows = terminal.side_by_side(before, lines, width, numbers=options.lines, colour=colour)
    else:
        rows = _rows(lines, options.lines, colour)
    return "".join(f"{row}\n" for row in rows)


def _check(options: argparse.Namespace) -> None:
    if options.completion:
        return
    if not all(options.targets) or not (options.targets or options.list):
        raise Usage("autograph: name a FILE or a FILE:NAME (autograph --help tells more)")
    traced = _traced(options)
    if traced and (len(options.targets) > 1 or _split(options.targets[0])[0] in ("-", _STDIN)):
        raise Usage(f"autograph: --{traced} takes one FILE:FUNCTION, of a file that it can import")
    if options.args is not None and not traced:
        raise Usage("autograph: --args goes with --graph and --llvm")
    if options.stage is not None and (options.list or traced):
        raise Usage(f"autograph: --stage goes with neither --list nor --{traced or 'graph'}")
    if sys.stdout is None and options.output is None and options.check is None:
        raise Usage("autograph: standard output is closed; -o FILE writes to a file")
    if options.lines and traced:
        raise Usage(f"autograph: --lines does not go with --{traced}")
    if options.stage not in (None, *_stage_names()):
        names = ", ".join(_stage_names())
        raise Usage(f"autograph: no stage {options.stage}; the stages are {names}")


def _traced(options: argparse.Namespace) -> str:
    """The view of a traced function that is asked for: "graph", "llvm", or nothing."""
    return "graph" if options.graph else "llvm" if options.llvm else ""


def _stage_names() -> list[str]:
    return [converter.name for converter in pipeline.CONVERTERS]


@functools.cache
def _standard_input() -> SourceFile:
    if sys.stdin is None:
        raise Usage("autograph: standard input is closed")
    return read_file(_STDIN, sys.stdin.buffer)


def _files(options: argparse.Namespace) -> str:
    return ", ".join(dict.fromkeys(_split(target)[0] for target in options.targets))


def _split(target: str) -> tuple[str, str | None]:
    """The file and the path in it; a colon alone decides nothing, for files may have one too."""
    filename, _, path = target.rpartition(":")
    # As Python has names: whatever the locale made of their bytes, and in one form.
    path = os.fsencode(path).decode(errors="surrogateescape")
    path = unicodedata.normalize("NFKC", path)
    names = path.split(".")
    if filename and not os.path.exists(target) and all(map(str.isidentifier, names)):
        return filename, path
    return target, None


# Output


def _print(text: str) -> None:
    encoding = sys.stdout.encoding
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def _wants_colour() -> bool:
    """As https://no-color.org and https://force-color.org have it; the former wins."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


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
    now = f"{' '.join(options.targets)} now"
    changed = difflib.unified_diff(
        expected.splitlines(), text.splitlines(), golden, now, lineterm=""
    )
    report = "".join(f"{line}\n" for line in changed)
    _print(report)
    return DIFFERS if report else FINE


def _write(text: str, options: argparse.Namespace) -> None:
    output = Path(options.output)
    sources = [Path(name) for name, _ in map(_split, options.targets) if name not in ("-", _STDIN)]
    if output.exists() and any(map(output.samefile, sources)):
        raise Usage(f"{output}: would overwrite the source")
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Usage(f"{output}: {error.strerror}") from None


if __name__ == "__main__":
    sys.exit(main())
