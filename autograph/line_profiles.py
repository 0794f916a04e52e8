"""Lines of converted functions in line_profiler, which looks at one code object at a time.

It tells code objects apart by their instructions and lines. To make those of one that it is given
its own, it adds instructions that nothing reaches, and replaces it; blocks, which no function holds
that it could replace, have such an instruction from the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CellType, CodeType, FunctionType
from typing import Any

from autograph.api import convert, functions_in
from autograph.codes import UNREACHED, beginning_on, nested_codes
from autograph.errors import ConversionError


def profile_lines(profiler: Any, target: Any, /) -> None:
    """Let a `line_profiler.LineProfiler` count the lines of a converted function in all its blocks.

    The header of a loop or branch counts each time that its test is evaluated, and once more for
    each call that runs its blocks.

    Args:
        profiler: the profiler, or the `profile` of kernprof.
        target: what `autograph.convert` takes, before or after it.

    Raises:
        ConversionError: it was converted before line_profiler was imported.
        TypeError: `profiler` is no profiler.

    >>> import line_profiler
    >>> profiler = line_profiler.LineProfiler()
    >>> def total(n):
    ...     found = 0
    ...     for i in range(n):
    ...         found += i
    ...     return found
    >>> autograph.profile_lines(profiler, total)
    >>> with profiler:
    ...     autograph.convert(total)(5)
    10
    >>> ((_, lines),) = profiler.get_stats().timings.items()
    >>> [hits for line, hits, time in lines]
    [1, 1, 5, 1]
    """
    if not callable(getattr(profiler, "add_function", None)):
        raise TypeError(
            f"profile_lines() takes a line_profiler.LineProfiler and a function, not {profiler!r}: "
            "make one with line_profiler.LineProfiler()"
        )
    for function in functions_in(convert(target)):
        for code in _codes_of_one_function(function.__code__):
            if not code.co_code.endswith(UNREACHED):
                raise ConversionError(
                    f"{function.__qualname__!r} was converted before line_profiler was imported",
                    filename=code.co_filename,
                    lineno=code.co_firstlineno,
                    hint="import line_profiler first",
                )
            cells = tuple(CellType() for _ in code.co_freevars)
            profiler.add_function(FunctionType(code, {}, None, None, cells))


def _codes_of_one_function(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of its blocks, each as if it began where the function does."""
    for block in nested_codes(code):
        if block.co_qualname == code.co_qualname:
            yield beginning_on(block, code.co_firstlineno)
