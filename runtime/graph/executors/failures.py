"""Errors at run time: they name the op and the values' shapes, and their traceback ends at the
user's line.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from linecache import getlines
from types import CodeType, FrameType, TracebackType
from typing import Any

import numpy as np

from runtime import errors
from runtime.core.compiler import parse
from runtime.core.primitive import Primitive, describe, name_in_errors
from runtime.core.types import ListType, TensorType, Type
from runtime.graph.executors.kernels import boxed
from runtime.graph.executors.scalars import form_of
from runtime.graph.ir import Node, Origin, Position, Value, format_location
from runtime.graph.nodes import CHECK_ATTRIBUTE, CHECK_DEFINED, CHECK_PRESENT, COND, RAISE


def explain(
    error: BaseException, filename: str, lines: Mapping[int, tuple[Node, Sequence[str]]]
) -> BaseException:
    """The error to raise for `error`, which left a program whose lines come from these nodes."""
    entries = _entries(error.__traceback__, filename, lines)
    if not entries:
        return error
    last = entries[-1]
    node, texts = lines[last.tb_lineno]
    if isinstance(error, RecursionError):
        _explain_depth(error, [lines[entry.tb_lineno][0] for entry in entries])
    between = last.tb_next if node.primitive.calls_back else _came_between(last.tb_next)
    has_failed = _has_failed(node, error, between)
    # A line that converts a number, or begins a loop, has no operands for a kernel to refuse.
    if has_failed and node.primitive.kernel is not None and len(texts) == len(node.inputs):
        with np.errstate(all="ignore"):
            values = [_value(text, last.tb_frame) for text in texts]
        error = _of_kernel(error, node, values)
        raws = [_as_raw(x, given.type) for x, given in zip(values, node.inputs, strict=True)]
        error = _documented(error, node, raws)
    return _placed(error, [lines[entry.tb_lineno][0].origin for entry in entries], between)


_STANDING = "__graph__"
"""The module of the frames that stand for the user's."""

_KERNELS = sys.stdlib_module_names | {"autograph", "runtime", "numpy", "ml_dtypes", _STANDING}
"""Modules, and packages, that kernels are made of."""


def _came_between(traceback: TracebackType | None) -> TracebackType | None:
    """The first entry of what is not of a kernel: of a signal handler, or whatever else Python runs
    between two of its instructions.
    """
    while traceback is not None:
        name = traceback.tb_frame.f_globals.get("__name__", _STANDING)
        if name.partition(".")[0] not in _KERNELS:
            break
        traceback = traceback.tb_next
    return traceback


def _explain_depth(error: RecursionError, nodes: Sequence[Node]) -> None:
    for node in reversed(nodes):
        if "callee" in node.params:
            error.args = (
                f"{format_location(node.location)}: {node.params['callee'].name} calls itself too "
                "deep: write a loop, or raise the limit with sys.setrecursionlimit()",
            )
            return


def at_origin(error: BaseException, node: Node, values: Mapping[Value, Any]) -> BaseException:
    """The error to raise for `error`, which a node raised when it ran by itself: it points at the
    user's line.
    """
    if isinstance(error, errors.NumericsError):
        error.locate(node.location)
        return error
    if node.regions:
        return error
    if "callee" in node.params:
        return _placed(error, [node.origin], _users(error.__traceback__))
    between = _came_between(error.__traceback__)
    if not _has_failed(node, error, between):
        return _placed(error, [node.origin], between)
    given = [values[value] for value in node.inputs]
    return _placed(_documented(_bare(error), node, given), [node.origin])


def _bare(error: BaseException) -> BaseException:
    """The error of an op that ran by itself, without what it knows of the op and its inputs."""
    if isinstance(error, errors.OpError) and error.op is not None:
        error.op = error.inputs = error.location = None
    # What its kernel raised says the same, with frames of the library.
    error.__cause__ = None
    return error


def _of_kernel(error: BaseException, node: Node, values: Sequence[Any]) -> BaseException:
    """The error of the node's kernel, where Python's own operator stood for it and raised."""
    form = form_of(node)
    if isinstance(error, errors.OpError) or form is None or not form.kinds:
        return error
    raws = [_as_raw(value, given.type) for value, given in zip(values, node.inputs, strict=True)]
    try:
        node.primitive.kernel(*raws, **node.params)
    except (errors.OpError, ValueError, TypeError, ArithmeticError) as own:
        return own
    return error


def _value(text: str, frame: FrameType) -> Any:
    # It is an operand as generated code writes it: a name, a number, or what cannot fail.
    return eval(text, frame.f_globals, frame.f_locals)


def _as_raw(value: Any, type: Type) -> Any:
    """A tensor that generated code holds as a Python number, or as a text, as kernels take it."""
    if isinstance(value, str | bytes):
        return boxed(value)
    if isinstance(type, TensorType) and isinstance(value, bool | int):
        return type.dtype.np_dtype.type(value)
    return value


def _entries(
    traceback: TracebackType | None,
    filename: str,
    lines: Mapping[int, tuple[Node, Sequence[str]]],
) -> list[TracebackType]:
    found = []
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename and traceback.tb_lineno in lines:
            found.append(traceback)
        traceback = traceback.tb_next
    # The rest of a loop is a call of the program, but none of the user's.
    return [each for each in found if each is found[-1] or not lines[each.tb_lineno][0].regions]


def _has_failed(node: Node, error: BaseException, between: TracebackType | None) -> bool:
    """Whether the error is one of the node's op."""
    # What stops the program, such as KeyboardInterrupt, says nothing of the node that it came in.
    return isinstance(error, Exception) and not _is_the_users(node, error) and between is None


def _is_the_users(node: Node, error: Exception) -> bool:
    # Numbers raise Python's own errors, but for refusals; raises and checks carry the user's.
    primitive = node.primitive
    own = primitive in (RAISE, CHECK_DEFINED, CHECK_PRESENT, CHECK_ATTRIBUTE, COND)
    of_python = primitive.python and not isinstance(error, errors.OpError)
    return own or primitive.calls_back or of_python


_DOCUMENTED: Mapping[type[BaseException], type[errors.OpError]] = {
    MemoryError: errors.ResourceExhaustedError,
    ValueError: errors.InvalidValueError,
    TypeError: errors.InvalidValueError,
    IndexError: errors.InvalidValueError,
    ArithmeticError: errors.InvalidValueError,
}
"""The class of the error of an op, for what its kernel raised."""


def _documented(error: BaseException, node: Node, values: Sequence[Any]) -> BaseException:
    op = name_in_errors(node.primitive, node.params)
    kind = _kind_of(error, node.primitive)
    if kind is None or (isinstance(error, errors.OpError) and error.op not in (None, op)):
        return error
    detail, hint = str(error), None
    if isinstance(error, errors.OpError):
        detail, hint = error.detail, error.hint
    detail = _in_words_of_rules(node, values) or detail
    shown = tuple(map(_show, values, [value.type for value in node.inputs]))
    made = kind(None, op, detail, inputs=shown, location=node.location, hint=hint)
    made.__cause__ = error.__cause__
    made.__suppress_context__ = True
    return made


def _in_words_of_rules(node: Node, values: Sequence[Any]) -> str | None:
    """Returns the message of an op's rules about these inputs, as where it runs by itself; None if
    there is none.
    """
    types = [describe(getattr(value, "raw", value)) for value in values]
    if not all(isinstance(known, TensorType) for known in types):
        return None
    try:
        node.primitive.rule(*types, **node.params)
    except errors.OpError as refused:
        return refused.detail
    except (ValueError, TypeError) as refused:
        return str(refused)
    return None


def _kind_of(error: BaseException, primitive: Primitive) -> type[errors.OpError] | None:
    if isinstance(error, errors.OpError):
        return type(error)
    known = (*primitive.raised_as, *_DOCUMENTED.items())
    kinds = (kind for raised, kind in known if isinstance(error, raised))
    return next(kinds, None)


def documented_kind(error: Exception, primitive: Primitive) -> type[BaseException]:
    """The class of the error that is raised for what an op's kernel raised."""
    own = primitive.python or not primitive.is_op
    kind = None if own else _kind_of(error, primitive)
    return type(error) if kind is None else kind


def _show(value: Any, type: Type) -> str:
    if isinstance(value, list) and isinstance(type, ListType):
        item = type.element
        kind = item.dtype.name if isinstance(item, TensorType) else item
        return f"TensorArray({kind}, size {len(value)})"
    known = describe(getattr(value, "raw", value))
    return str(known) if isinstance(known, TensorType) else repr(value)


def _placed(
    error: BaseException,
    origins: Sequence[Origin | Position | None],
    following: TracebackType | None = None,
) -> BaseException:
    """`error` with a traceback that goes through these places of the user's, and on to `following`:
    each with the places that it was called from.
    """
    for origin in reversed(origins):
        while origin is not None:
            at = _entry(origin.position)
            following = TracebackType(following, at.tb_frame, at.tb_lasti, at.tb_lineno)
            origin = origin.caller
    error.__traceback__ = following
    return error


def _entry(place: Position) -> TracebackType:
    try:
        exec(_raiser(place._replace(caller=None)), {"__name__": _STANDING})
    except ZeroDivisionError as raised:
        entry = raised.__traceback__
    assert entry is not None
    assert entry.tb_next is not None
    return entry.tb_next


def _users(traceback: TracebackType | None) -> TracebackType | None:
    """The first entry that stands for a frame of the user's."""
    while traceback is not None and traceback.tb_frame.f_globals.get("__name__") != _STANDING:
        traceback = traceback.tb_next
    return traceback


@lru_cache(1024)
def _raiser(place: Position) -> CodeType:
    """Code that fails at the position, and under the name, of an instruction of the user's."""
    tree = parse("def failing():\n    1 / 0")
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr):
            node.lineno, node.col_offset = place.line, place.column
            node.end_lineno, node.end_col_offset = place.end_line, place.end_column
    # Who shows the source of a frame begins there.
    tree.body[0].lineno = _first_line(place)
    made: CodeType = compile(tree, place.filename, "exec").co_consts[0]
    return made.replace(co_name=place.function, co_qualname=place.qualname)


def _first_line(place: Position) -> int:
    """The line on which the function of a place begins, as far as the text of the file tells."""
    if not place.function.isidentifier():
        return 1 if place.function == "<module>" else place.line
    lines = getlines(place.filename)
    header = re.compile(rf"\s*(async\s+)?def\s+{place.function}\b")
    above = range(min(place.line, len(lines)), 0, -1)
    first = next((line for line in above if header.match(lines[line - 1])), 0)
    if not first:
        return place.line
    while first > 1 and lines[first - 2].lstrip().startswith("@"):
        first -= 1
    return first
