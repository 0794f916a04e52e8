"""From a function to its converted code, or text.

Imported on the first conversion: importing the package needs neither gast nor the converters.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from autograph import branch_marks, kept_conversions, load, pipeline, source
from autograph.cells import format_place
from autograph.codes import handles_exceptions, nested_codes
from autograph.forms import Form
from autograph.kept_conversions import ConvertedCode
from autograph.observers import coverage_runs


def convert_code(function: FunctionType, form: Form = Form.PLAIN) -> ConvertedCode:
    """The converted code for a function's, in a form.

    Raises:
        ConversionError: no source is found, or it has a construct that is not supported.
        RecursionError: its code is nested too deep.
    """
    with _depth_explained(function):
        located = source.locate(function)
        marked = coverage_runs()
        made_of = kept_conversions.parts(function, located.file.lines, form, marked)
        if marked:
            branch_marks.mark(located.node)
        # A `try` that Python left out, behind `x and False`, is traced, where `x` is staged.
        left_out = not handles_exceptions(function.__code__)
        written = Form.STAGED if form is Form.PLAIN and left_out else form
        converted = _converted_tree(located, written)
        if marked:
            branch_marks.finish(converted.tree, converted.ag)
        twin = load.load(converted.tree, function, {converted.ag: None}, owner=located.owner)
    made = kept_conversions.converted(twin.__code__, converted.ag)
    kept_conversions.keep(made_of, function, made)
    return made


class ConvertedGenerator(NamedTuple):
    """Converted code of a generator's, which calls a `block` where that has its `yield`s."""

    codes: list[CodeType]
    ag: str
    block: str


def convert_yields(
    function: FunctionType, write: Callable[[Any], str | None]
) -> ConvertedGenerator | None:
    """The converted code for that of a generator function, in a function which is being staged.

    Args:
        write: writes its `yield`s as calls, and gives the keyword for what is called; None where
            that cannot be.

    Raises as `convert_code` does.
    """
    with _depth_explained(function):
        located = source.locate(function)
        block = write(located.node)
        if block is None:
            return None
        converted = _converted_tree(located, Form.STAGED, block=block)
        twin = load.load(converted.tree, function, {converted.ag: None}, owner=located.owner)
    return ConvertedGenerator(list(nested_codes(twin.__code__)), converted.ag, block)


def convert_text(function: FunctionType) -> str:
    """The text of the converted function. Raises as `convert_code` does."""
    from autograph.printing import to_source  # needs astor, which nothing else does

    with _depth_explained(function):
        text = to_source(_converted_tree(source.locate(function)).tree)
    return text.rstrip("\n") + "\n"


def require_source(function: FunctionType) -> None:
    """Raises ConversionError if the source of a function is not found."""
    with _depth_explained(function):
        source.locate(function)


@contextmanager
def _depth_explained(function: FunctionType) -> Iterator[None]:
    """Within, Python's error for too many calls in each other says what is converted, and where."""
    try:
        yield
    except RecursionError as error:
        code = function.__code__
        place = format_place(code.co_filename, code.co_firstlineno, None)
        if _is_of_compiler(error):
            limit, way_out = "compiler", ""
        else:
            limit = f"{sys.getrecursionlimit()} calls in each other"
            way_out = ", or raise the limit with sys.setrecursionlimit()"
        error.args = (
            f"{place}: {function.__qualname__} is not converted: an expression or a statement "
            f"there is nested too deep for Python's {limit}: name parts of it in variables"
            f"{way_out}",
        )
        raise


def _is_of_compiler(error: RecursionError) -> bool:
    """Whether Python's own compiler raises it, which from 3.12 on has a limit that nobody sets."""
    words = "while traversing", "during ", "Stack overflow"
    return sys.version_info >= (3, 12) and any(word in str(error) for word in words)


def _converted_tree(
    located: source.Located, form: Form = Form.PLAIN, block: str | None = None
) -> pipeline.Converted:
    node: Any = located.node
    if not hasattr(node, "name"):
        node = load.as_function_def(node)
    return pipeline.convert(node, located.filename, form, block)
