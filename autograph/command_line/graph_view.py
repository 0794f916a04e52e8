"""The texts of `autograph --graph` and `--llvm`: the graph that a tensor library traces of a
function, and the machine code that it makes of it.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from autograph.errors import AutographError, ConversionError
from autograph.source import read_file


class Usage(Exception):
    """Options that do not go together."""


def graph_text(filename: str, path: str | None, words: str, view: str = "graph") -> str:
    """The view of a function, its "graph" or its "llvm", that a library has."""
    if path is None:
        raise Usage(f"autograph: --{view} needs FILE:FUNCTION")
    specs = list(_specs(words))
    read_file(filename)
    try:
        with redirect_stdout(sys.stderr):  # what the user's code prints is not the graph
            module = _import(Path(filename).resolve())
            describe = _describer(view)
            text = describe(_member(module, filename, path, view), specs)
    except (AutographError, Usage):
        raise
    except (Exception, SystemExit) as error:  # the user's module may raise anything
        raise _placed(error, filename, path) from None
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


def _member(module: ModuleType, filename: str, path: str, view: str) -> Any:
    found: Any = module
    for name in path.split("."):
        if not hasattr(found, name):
            raise ConversionError(
                f"after its import the module has no {path}",
                filename=filename,
                variable=path,
                hint=f"--{view} takes what the module itself defines, not what its functions do",
            )
        found = getattr(found, name)
    return found


def _describer(view: str) -> Callable[[Any, list[Any]], str]:
    """Returns the printer of a tensor library that was imported or else is installed."""
    hooks = sorted(entry_points(group=f"autograph.{view}"), key=lambda hook: hook.name)
    imported = [hook for hook in hooks if hook.module.partition(".")[0] in sys.modules]
    if not hooks:
        raise Usage(
            f"autograph: --{view} needs an installed tensor library: pip install autograph-runtime"
        )
    describe: Callable[[Any, list[Any]], str] = (imported or hooks)[0].load()
    return describe


def _placed(error: BaseException, filename: str, path: str) -> ConversionError | Usage:
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
        of_method = (
            "\n  a method is given its object first: name a function that makes and calls it"
        )
        return Usage(f"autograph: --args: {error}{of_method * ('.' in path)}")
    last = frames[-1] if frames else None
    return ConversionError(
        f"{type(error).__name__}: {error}",
        filename=filename,
        lineno=last and last.lineno,
        col=None if last is None or last.colno is None else last.colno + 1,
    )
