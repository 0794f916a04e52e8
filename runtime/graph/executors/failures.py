"""Errors at run time: they name the op and the values' shapes, and their traceback ends at the
user's line.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Container, Mapping, Sequence
from itertools import islice
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any

from runtime import errors
from runtime.graph.executors.scalars import form_of
from runtime.graph.frames import Origin
from runtime.graph.ir import Node, Value, format_location
from runtime.tensor import wrap
from runtime.types import TensorType, Type


def raised(exception: BaseException, places: Sequence[int], *values: Any) -> BaseException:
    """The user's exception, as `raise` made it while tracing, with the run's values in place of
    symbols.
    """
    fresh = another(exception)
    args = list(fresh.args)
    for place, value in zip(places, values, strict=True):
        args[place] = value if isinstance(value, bool | int | float) else wrap(value)
    fresh.args = tuple(args)
    return fresh


def another(exception: BaseException) -> BaseException:
    """An exception of the same class, arguments, attributes and cause."""
    made = _copied(exception)
    made.__cause__ = exception.__cause__
    made.__suppress_context__ = exception.__suppress_context__
    return made


def _copied(exception: BaseException) -> BaseException:
    kind = type(exception)
    if isinstance(kind.__init__, FunctionType):
        # The class's own constructor may take other arguments than it keeps: it ran while tracing.
        made = kind.__new__(kind, *exception.args)
        made.__dict__.update(exception.__dict__)
        return made
    return copy.copy(exception)


def explain(
    error: BaseException, filename: str, lines: Mapping[int, tuple[Node, list[str]]]
) -> BaseException:
    """The error to raise for `error`, which left a program whose lines come from these nodes."""
    entry = _innermost(error.__traceback__, filename, lines)
    found = entry and lines[entry.tb_lineno]
    if entry is None or found is None:
        return error
    node, names = found
    if node.primitive.kernel is not None and not _is_the_users(node):
        values = [_value(name, entry.tb_frame) for name in names]
        error = _of_kernel(error, node, values)
        raws = [_as_raw(x, given.type) for x, given in zip(values, node.inputs, strict=True)]
        error = _documented(error, node, raws)
    return _placed(error, node.origin)


def at_origin(error: Exception, node: Node, values: Mapping[Value, Any]) -> BaseException:
    """The error to raise for `error`, which a node raised when it ran by itself: it points at the
    user's line.
    """
    if isinstance(error, errors.NumericsError):
        error.locate(node.location)
        return error
    if node.regions or "callee" in node.params:
        return error
    if _is_the_users(node):
        return _placed(error, node.origin)
    given = [values[value] for value in node.inputs]
    return _placed(_documented(_bare(error), node, given), node.origin)


def _bare(error: Exception) -> Exception:
    """The error of an op that ran by itself, without what it knows of the op and its inputs."""
    if isinstance(error, errors.OpError) and error.op is not None:
        error.message = error.message.removeprefix(f"{error.op}: ").partition(" [inputs: ")[0]
        error.op = None
    return error


def _of_kernel(error: BaseException, node: Node, values: Sequence[Any]) -> BaseException:
    """The error of the node's kernel, where Python's own operator stood for it and raised."""
    if isinstance(error, errors.OpError) or form_of(node) is None:
        return error
    raws = [_as_raw(value, given.type) for value, given in zip(values, node.inputs, strict=True)]
    try:
        node.primitive.kernel(*raws, **node.params)
    except (errors.OpError, ValueError, TypeError, ArithmeticError) as own:
        return own
    return error


def _value(name: str, frame: FrameType) -> Any:
    if name in frame.f_locals:
        return frame.f_locals[name]
    return frame.f_globals[name] if name in frame.f_globals else ast.literal_eval(name)


def _as_raw(value: Any, type: Type) -> Any:
    """A tensor that generated code holds as a Python number, as kernels take it."""
    if isinstance(type, TensorType) and isinstance(value, bool | int):
        return type.dtype.as_numpy_dtype(value)
    return value


def _innermost(
    traceback: TracebackType | None, filename: str, lines: Container[int]
) -> TracebackType | None:
    found = None
    while traceback is not None:
        mine = traceback.tb_frame.f_code.co_filename == filename
        if mine and traceback.tb_lineno in lines:
            found = traceback
        traceback = traceback.tb_next
    return found


def _is_the_users(node: Node) -> bool:
    # Numbers raise Python's own errors; raises and checks carry the user's.
    name = node.primitive.name
    return name.startswith("py.") or name in (
        "raise",
        "check_defined",
        "check_present",
        "print",
        "cond",
    )


def _documented(error: BaseException, node: Node, values: Sequence[Any]) -> BaseException:
    if isinstance(error, errors.OpError):
        if error.op is not None:
            return error
        text = error.message
    elif isinstance(error, ValueError | TypeError | IndexError | ArithmeticError):
        text = str(error)
    else:
        return error
    shapes = ", ".join(map(_show, values))
    message = (
        f"{node.primitive.op_type}: {text} [inputs: {shapes}; at {format_location(node.location)}]"
    )
    kind = type(error) if isinstance(error, errors.OpError) else errors.InvalidArgumentError
    made = kind(None, node.primitive.op_type, message)
    made.__cause__ = error.__cause__
    made.__suppress_context__ = True
    return made


def _show(value: Any) -> str:
    value = getattr(value, "raw", value)
    if hasattr(value, "dtype"):
        return f"{value.dtype}{list(value.shape)}"
    return repr(value)


def _placed(error: BaseException, origin: Origin | None) -> BaseException:
    """`error` with a traceback of one entry, at the user's instruction."""
    error.__traceback__ = None
    if origin is None:
        return error
    try:
        exec(_raiser(*origin), {"error": error, "__name__": "__graph__"})
    except BaseException as placed:
        traceback = placed.__traceback__
        error.__traceback__ = traceback and traceback.tb_next
    return error


def _raiser(code: CodeType, offset: int) -> CodeType:
    """Code that raises `error` at the position, and under the name, of an instruction of the
    user's.
    """
    position = next(islice(code.co_positions(), offset // 2, None), (None, None, None, None))
    line, end_line, column, end_column = position
    tree = ast.parse("raise error")
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr):
            node.lineno = line or code.co_firstlineno
            node.end_lineno = end_line or node.lineno
            node.col_offset = column or 0
            node.end_col_offset = end_column or node.col_offset
    made = compile(tree, code.co_filename, "exec")
    return made.replace(co_name=code.co_name, co_qualname=code.co_qualname)
