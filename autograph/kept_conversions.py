"""Conversions kept between processes, beside machine code: a process that finds one imports neither
gast nor the converters, and does not parse the file.

A conversion depends on the text of the file, on the function's own code, and on what converts: the
modules of this package and of gast, and Python. It looks at nothing that names stand for. An entry
is the code that was converted and what was made of it: never text, and nothing that runs when it is
read. Only functions in files are kept: the cells of a notebook are others each time.

`AUTOGRAPH_CONVERSION_CACHE` names another directory; `off` keeps nothing.
"""

from __future__ import annotations

import linecache
import marshal
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from types import CodeType, FunctionType
from typing import NamedTuple

from autograph.codes import nested_codes, with_sets_of
from autograph.forms import Form
from autograph.kept_files import IMPORTED, Shelf, sources
from autograph.observers import coverage_runs

SHELF = Shelf("AUTOGRAPH_CONVERSION_CACHE", "conversions", b"autograph conversion 1\n", ".code")


class ConvertedCode(NamedTuple):
    """Converted code, all code objects in it, and the name that it calls the operators by."""

    code: CodeType
    codes: list[CodeType]
    ag: str


def converted(code: CodeType, ag: str) -> ConvertedCode:
    return ConvertedCode(code, list(nested_codes(code)), ag)


def find(function: FunctionType, form: Form) -> ConvertedCode | None:
    """The conversion of a function that is kept; None where there is none."""
    filename = function.__code__.co_filename
    if SHELF.directory() is None or not os.path.isfile(filename):
        return None
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, function.__globals__)
    made_of = parts(function, lines, form, coverage_runs())
    kept = None if made_of is None else SHELF.find(made_of)
    if kept is None:
        return None
    original, code, ag = marshal.loads(kept)
    if original != function.__code__:
        return None
    return converted(with_sets_of(function.__code__, code), ag)


def keep(
    made_of: Sequence[str | bytes] | None, function: FunctionType, made: ConvertedCode
) -> None:
    """Keep what was made of these parts, if it is known what they are."""
    if made_of is None:
        return
    # Somebody may have put another object in the place of a constant, or nested code too deep.
    with suppress(ValueError):
        SHELF.keep(made_of, marshal.dumps((function.__code__, made.code, made.ag)))


def parts(
    function: FunctionType, lines: Sequence[str], form: Form, for_coverage: bool
) -> list[str | bytes] | None:
    """The parts that a conversion is made of; None where it is not kept."""
    code = function.__code__
    if SHELF.directory() is None or not os.path.isfile(code.co_filename):
        return None
    converters = _converters()
    if converters is None:
        return None
    # What the conversion looks at, apart from the text and the code.
    options = form.value, for_coverage, "line_profiler" in sys.modules, sys.flags.optimize
    place = code.co_filename, code.co_qualname, code.co_firstlineno, code.co_flags
    texts = sys.version, str(sys.implementation.cache_tag), converters, repr((options, place))
    return [*texts, code.co_code, code.co_linetable, "".join(lines)]


@cache
def _converters() -> str | None:
    """The state of the modules that convert; None where it is not that of what runs here."""
    found = find_spec("gast")
    folders = [os.path.dirname(__file__), *((found and found.submodule_search_locations) or ())]
    return sources(folders, IMPORTED)
