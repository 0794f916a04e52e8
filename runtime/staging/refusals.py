"""The errors of staging: each says what, where, why, and what to write instead."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterable, Mapping
from types import CodeType, FrameType
from typing import Any, TypeGuard, TypeVar

import numpy as np

from autograph import AutographError, StagingError, converted_code
from autograph.errors import RestIsStaged
from autograph.instructions import operation_at
from autograph.policy import is_installed_file
from autograph.users_words import is_generated, with_article
from runtime import errors
from runtime.core.absent import counterpart
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.graph.ir import Location, format_location, position_of
from runtime.graph.verification import InvalidGraph
from runtime.staging.bytecode import asserts, reads_item
from runtime.staging.control.references import want_arrays, want_asked
from runtime.staging.frames import (
    BUFFERS,
    array_at,
    beginning_of,
    called_at,
    innermost,
    is_library,
    is_ours,
    is_tried,
    table_at,
    takes_into_buffer,
    user_frame,
    user_location,
)
from runtime.staging.unconverted import reason_of

E = TypeVar("E", bound=Exception)


class JoinTypeError(StagingError, TypeError):
    """Tensors of unequal dtypes, or results of functions of unequal structures, meet where two
    paths join.
    """


_NEVER_DEFERRED: tuple[type[BaseException], ...] = (
    AutographError,
    errors.OperatorNotAllowedInGraphError,
    errors.InaccessibleTensorError,
    errors.InternalError,
    InvalidGraph,
    RecursionError,
    MemoryError,
)


SAID = "_args_without_a_place"
"""The attribute of an error that has the arguments which Python gives it."""

UNSUPPORTED = "the kind of the last staged number that an operator did not take"
"""Where a trace remembers it: Python's error names the class of the library's."""


def users_names(names: Iterable[str]) -> list[str]:
    """The names of variables without those of generated code."""
    return [name for name in names if not is_generated(name)]


def is_refusal(error: BaseException) -> TypeGuard[Exception]:
    """True if the error is the library's own, about staging, and not the program's."""
    return isinstance(error, _NEVER_DEFERRED)


def noted(error: E, trace: Any = None) -> E:
    """`error`, remembered by a trace, the active one by default: no handler of the user's may make
    it go away.
    """
    trace = trace or state.trace
    if trace is not None and trace.refusal is None:
        trace.refusal = error
    return error


_INTERNAL = "an assertion of this library's own has failed: that is a mistake in it, not in yours"


def is_internal(error: BaseException) -> bool:
    """True if an `assert` of the library's own has failed, which no handler may make go away. It
    is asked before the frames of the library are taken out of the traceback.
    """
    if type(error) is not AssertionError:
        return False
    raised = innermost(error)
    code = None if raised is None else raised.tb_frame.f_code
    if raised and code and is_ours(code.co_filename) and asserts(code, raised.tb_lasti):
        note = f"{_INTERNAL} ({code.co_filename}:{raised.tb_lineno})"
        if note not in getattr(error, "__notes__", ()):
            noted(error).add_note(note)
    return any(note.startswith(_INTERNAL) for note in getattr(error, "__notes__", ()))


def _fields(location: Location | None, variable: str | None, hint: str | None) -> dict[str, Any]:
    filename, lineno, col = location or (None, None, None)
    return {"filename": filename, "lineno": lineno, "col": col, "variable": variable, "hint": hint}


def refuse(
    message: str,
    hint: str | None = None,
    variable: str | None = None,
    location: Location | None = None,
) -> Exception:
    """A StagingError at `location`, or where the user's code stands."""
    return noted(refusal(message, hint, variable, location))


def refusal(
    message: str,
    hint: str | None = None,
    variable: str | None = None,
    location: Location | None = None,
) -> Exception:
    """The same, for one that is not raised unless something is asked for."""
    if location is None:
        message, location = _at_users_line(message)
    return StagingError(message, **_fields(location, variable, hint))


def _at_users_line(message: str) -> tuple[str, Location | None]:
    """A message with the line of an installed package that runs as it is, and the user's line that
    calls it; the message, and where the user's code stands, otherwise.
    """
    frame = asking = user_frame()
    while frame is not None and _runs_for_caller(frame.f_code):
        frame = frame.f_back
    if asking is None:
        return message, None
    place = position_of(asking.f_code, asking.f_lasti)
    if frame is None or frame is asking:
        return message, place
    return f"{message} (at {format_location(place)})", position_of(frame.f_code, frame.f_lasti)


def _runs_for_caller(code: CodeType) -> bool:
    filename = code.co_filename
    return (
        is_ours(filename)
        or is_library(code)
        or (is_installed_file(filename) and not converted_code(code))
    )


def refusal_of_run(reason: str, way_out: str) -> errors.RefusedError:
    """The error, at the place of the user's code, for what only the run finds to be refused."""
    return errors.RefusedError(None, None, reason, location=user_location(), hint=way_out)


def asked_by(what: str) -> str:
    """The function that the user's code calls just now, in words; `what` where it calls none, or
    one of Python's builtins, to which an iterator may be given.
    """
    frame = user_frame()
    called = None if frame is None else called_at(frame)
    return what if called is None or hasattr(builtins, called) else f"{called}()"


def refuse_iteration(what: str) -> Exception:
    """The error for Python iterating over what only the run knows the elements of."""
    frame = user_frame()
    reason = None if frame is None else reason_of(frame)
    because, hint = reason or (
        "code that is not converted asks here",
        "iterate over it in a `for` of a converted function",
    )
    return refuse(f"{what} is iterated over by Python while tracing; {because}", hint)


def refuse_replaced(place: Location | None, location: Location | None = None) -> Exception:
    """The error for a row that is read at `location` after another took its place at `place`."""
    return refuse(
        "a row is read by an older name after it was replaced "
        f"({format_location(place)}): a list would give the old row, and an array the new one",
        "read it before, or name a copy: tf.identity(m[i])",
        location=location,
    )


def refuse_rest(message: str, hint: str, items: Any, rest: Callable[[Any], Any]) -> Exception:
    """The error for code that is not converted and iterates over items that become staged
    meanwhile; converted code goes on with `rest(proceed)`.
    """
    trace = state.trace
    error = noted(RestIsStaged(message, **_fields(user_location(), None, hint)))

    def go_on(proceed: Any) -> Any:
        if trace is not None and trace.refusal is error:
            trace.refusal = None
        return rest(proceed)

    error.items, error.rest, error.again = items, go_on, lambda: noted(error, trace)
    return error


def refuse_dtypes(
    message: str, hint: str, variable: str | None = None, location: Location | None = None
) -> Exception:
    """The error for dtypes that do not join, where the user's code stands."""
    return noted(JoinTypeError(message, **_fields(location or user_location(), variable, hint)))


# Code that makes a text of an object on behalf of what called it.
_TEXT_METHODS = ("__repr__", "__str__", "__format__")
_TEXT_MODULES = (
    "autograph.backend", "autograph.calls", "autograph.frames",
    "autograph.operators.builtin_calls", "autograph.operators.texts",
    "collections", "dataclasses", "logging", "pprint", "reprlib", "string", "traceback", "types",
    "warnings", "runtime.staging.block_recorder",
)  # fmt: skip
_READING = "runtime.graph.templates"


def asked_by_converted_code(frame: FrameType | None) -> bool:
    """True if converted code asks for the text of a symbol, or of what holds one; or a graph, when
    it prints an object or raises it.
    """
    while frame is not None and not converted_code(frame.f_code):
        name = frame.f_globals.get("__name__")
        if frame.f_code.co_name not in _TEXT_METHODS and name not in _TEXT_MODULES:
            return name == _READING
        frame = frame.f_back
    return frame is not None


def placed(message: str, hint: str) -> errors.OperatorNotAllowedInGraphError:
    """A TypeError where the user's code stands, which a handler may catch."""
    fields = _fields(user_location(), None, hint)
    want_asked()
    return errors.OperatorNotAllowedInGraphError(message, **fields)


def not_allowed(
    message: str, hint: str, staged_if_converted: bool = True
) -> errors.OperatorNotAllowedInGraphError:
    """The error for Python asking a symbol for what only the run knows.

    Where conversion would have staged that, it says why the code is not converted.
    """
    frame = user_frame() if staged_if_converted else None
    reason = None if frame is None else reason_of(frame)
    if reason is not None:
        message, hint = f"{message}; {reason[0]}", reason[1]
    message, location = _at_users_line(message)
    error = errors.OperatorNotAllowedInGraphError(message, **_fields(location, None, hint))
    want_asked()
    return error if is_tried() else noted(error)


# What Python asks symbols

WAY_OUT = (
    "decorate the function with @function(autograph=True), or write it with cond and while_loop"
)
_CONVERTED_USES = (
    "as a Python bool", "as a Python iterable", "as the argument of len", "with the operator `in`",
    "as a Python int", "as a Python float",
)  # fmt: skip


AS_INDEX = "as a Python index"
AS_KEY = "as a dictionary key or in a set"
_IN_ARRAYS = ("as a NumPy array", "as a Python float", "as a Python int", "as a Python bool")


def _in_array(name: str, array: Any) -> Exception:
    kind = "a NumPy array: it holds no values that only the run knows"
    hint = f"assign to items of a copy: {name} = {name}.copy()"
    if type(array) is not np.ndarray or array.dtype.kind not in "biufc":
        hint = "use an array of numbers: for several fields, one for each"
    if isinstance(array, BUFFERS):
        kind = f"{with_article(type(array).__qualname__)}: it holds what Python knows"
        hint = f"use a list: {name} = list({name})"
    fields = _fields(user_location(), name, hint)
    return noted(
        errors.OperatorNotAllowedInGraphError(
            f"an item of {name!r} is assigned, which is {kind}", **fields
        )
    )


def instead_of_numpy() -> str:
    """The way out of a call of NumPy's, which names the op for it, if there is one."""
    frame = user_frame()
    function = None if frame is None else called_at(frame)
    op = None if function is None else counterpart(function.rpartition(".")[2])
    if op is None:
        return "use ops instead of NumPy's functions"
    return f"use tf.{op} instead of {function}"


def of_key(message: str, hint: str) -> tuple[str, str]:
    """The words for a staged value of which Python asks the hash, and what helps: those given, or
    those about the dict or set of Python's own in which the user's code looks for it.
    """
    frame = user_frame()
    table = None if frame is None else table_at(frame)
    if table is None:
        return message, hint
    name, kind = table
    made = "set()" if kind == "set" else "{}"
    return (
        f"{name!r} is a {kind} of Python's own, made outside of the staged function or by code "
        "that is not converted: no value that only the run knows can be a key of it",
        f"use one that the staged function makes, {name} = {made} or {kind}({name}); let "
        "functools.cache remember results",
    )


def leaked(item: Any) -> errors.InaccessibleTensorError:
    """The error for a symbol that is used where its scope is not open, or eagerly in a trace that
    is under way: in the initial value of a table, for instance. `item` is None where the trace
    itself was asked for.
    """
    users, asking = user_frame(), _asking(sys._getframe(1))
    if item is None:
        item = next(filter(_is_symbol, asking), None)
    if _is_symbol(item):
        found, scope = f"{item._shown()} {_provenance(item)} and", item.scope
        trace = state.trace or (scope.trace if scope.open else None)
    else:
        found, trace = "what was made while a function was traced", state.trace
    variable = None if users is None else _name_of([item, *asking], users.f_locals)
    found = found if variable is None else f"{variable}: {found}"
    message = f"{found} is used outside of it"
    fields = _fields(user_location(), variable, _KEPT)
    return noted(errors.InaccessibleTensorError(message, **fields), trace)


_KEPT = (
    "return it, or pass it on as a variable that the block assigns; what is stored elsewhere while "
    "tracing is only a symbol"
)


def _asking(frame: FrameType | None) -> list[Any]:
    """The values that the library's frames have, as far as the user's innermost frame."""
    found: list[Any] = []
    while frame is not None and is_ours(frame.f_code.co_filename):
        found += frame.f_locals.values()
        frame = frame.f_back
    return found


def _is_symbol(item: Any) -> bool:
    return hasattr(type(item), "graph_value")


def _name_of(items: Iterable[Any], variables: Mapping[str, Any]) -> str | None:
    """The name of the variable that has the first of these that one has: a symbol, or what stands
    for a list or dict.
    """
    names = {id(value): name for name, value in variables.items() if _is_of_trace(value)}
    return next((names[id(item)] for item in items if id(item) in names), None)


def _is_of_trace(value: Any) -> bool:
    return _is_symbol(value) or type(value).__module__.startswith("runtime.staging.")


def _provenance(item: Any) -> str:
    trace = item.scope.trace
    graph = trace.name
    if item.scope.outer is None and item.graph_value in item.scope.parameters:
        place = f" ({format_location(beginning_of(trace.code))})" if trace.code else ""
        return f"is the argument {item.graph_value.name!r} of {graph}(){place}"
    place = f" at {format_location(item.origin.location)}" if item.origin else ""
    return f"was made{place} inside {item.scope.kind} of graph {graph!r}"


def _is_put_into_buffer(frame: FrameType | None, array: Any) -> bool:
    return isinstance(array, BUFFERS) and not (frame is not None and reads_item(frame))


def not_python(item: Any, use: str, hint: str) -> Exception:
    """The error for a symbol that Python asks for what only the run knows, or what no run knows."""
    if state.trace is None or not item.scope.open:
        return leaked(item)
    frame = user_frame()
    is_stored = frame is not None and operation_at(frame).name == "STORE_SUBSCR"
    array = None if frame is None or use not in (*_IN_ARRAYS, AS_INDEX) else array_at(frame)
    want_arrays()
    if array is not None and (use != AS_INDEX or _is_put_into_buffer(frame, array[1])):
        return _in_array(*array)
    what = "symbolic tensor" if isinstance(item, Tensor) else "staged number"
    what = "staged array" if getattr(item, "is_array", False) else what
    message = f"Using a {what} {use} is not allowed while tracing: {item._shown()}"
    if use == AS_KEY:
        message, hint = of_key(message, hint)
    if use == AS_INDEX and is_stored:
        hint = "assign each item: for j in range(len(items)): items[j] = v if j == i else items[j]"
    called = called_at(frame) if frame is not None and use == AS_INDEX else None
    if called is not None:
        message = f"{called}() takes a number of Python's, and only the run knows {item._shown()}"
        hint = "return the number, and call it outside of the function"
        if frame is not None and takes_into_buffer(frame, called):
            hint = "use a list, which holds values that only the run knows"
    return not_allowed(message, hint, staged_if_converted=use in _CONVERTED_USES)


PRINTED = (
    "print it with print(x) or tf.print(x); messages of assert and raise take the values as they "
    'are: assert x > 0, ("message", x)'
)


def refuse_text(item: Any) -> None:
    """Raise OperatorNotAllowedInGraphError where converted code makes a text of a symbol.

    The text would be that of the trace in every run. Libraries, debuggers and code that is not
    converted may show symbols.
    """
    if asked_by_converted_code(sys._getframe(2)):
        hint = f"{PRINTED}; show what is traced with tf.autograph.trace(x)"
        if state.trace is None and not item.scope.open:
            raise refuse(
                f"an object that holds {item._shown()}, which {_provenance(item)}, is shown by the "
                "graph: its text would be that of the trace",
                "print its values beside it, or a list or dict of them",
            )
        raise not_python(item, "as text, by str(), repr() or a format", hint)
