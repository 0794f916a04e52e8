"""The refusal of exceptions that are put off to run time, where a handler would have met them now.

What Python would do with an exception is told by the handlers in the frames between a staged
statement and the start of the trace.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import FrameType, FunctionType
from typing import Any

import numpy as np

from autograph.handlers import Clause, Handler, handlers_around
from autograph.policy import is_indifferent
from autograph.user_iterators import is_asked, is_end, runs_generator
from runtime import errors, ops
from runtime.core.primitive import Primitive
from runtime.core.types import TensorType
from runtime.graph.ir import Params, Value, position_of
from runtime.graph.nodes import (
    CHECK_ATTRIBUTE,
    CHECK_DEFINED,
    CHECK_LENGTH,
    CHECK_PRESENT,
    CONSTANT,
    TO_TENSOR,
    TRUTH,
)
from runtime.graph.numbers import ITEMS
from runtime.staging.bytecode import is_operator, is_subscript, raises
from runtime.staging.frames import (
    called_at,
    frame_of_function,
    frames_left,
    is_library,
    is_ours,
    user_frame,
    user_frames,
)
from runtime.staging.refusals import is_internal, refuse


class EndOfBlock(BaseException):
    """Ends a block that is traced, and no program: caught where the block ends."""


def is_of_program(error: BaseException) -> bool:
    """Whether the run raises an exception where the trace met it: the program's own, and not what
    stops the trace itself, by Ctrl-C, the close of a generator or a mistake of ours.
    """
    if isinstance(error, KeyboardInterrupt | GeneratorExit):
        frames = frames_left(error)
        return bool(frames) and raises(frames[-1])
    return not isinstance(error, EndOfBlock) and not is_internal(error)


def check_unhandled(
    root: FrameType | None, what: str, kind: type[BaseException] = BaseException
) -> None:
    """StagingError if a `try` around the present statement, or a `with`, could act on an exception
    of class `kind`.

    Frames are looked at as far as `root`, where the trace began.
    """
    for frame in user_frames(root):
        for handler in handlers_around(frame):
            if not _passes(handler, frame, kind):
                raise _refuse_past(
                    frame,
                    handler,
                    f"{what} under a staged test would be raised at run time",
                    "that could act on it",
                    "choose a value instead of raising",
                ) from None


def _refuse_past(
    frame: FrameType, handler: Handler, what: str, why: str, instead: str
) -> Exception:
    """The error for what the run raises past a `try` or `with`: of the standard library's it names
    the function, at the user's line that called it.
    """
    code, kind = frame.f_code, handler.kind
    if is_library(code):
        return refuse(
            f"{what}, past the `{kind}` in {code.co_qualname} {why}",
            f"leave out {code.co_qualname.partition('.')[0]}, or {instead}",
        )
    return refuse(
        f"{what}, past the `{kind}` at line {handler.line} {why}",
        f"move the `{kind}` outside the staged function, or {instead}",
        location=position_of(code, frame.f_lasti),
    )


def may_be_handled(trace: Any) -> bool:
    """Whether a `try` or `with` around the present statement, in its function or in those that call
    it, as far as the outermost trace, could act on an exception.
    """
    while trace is not None:
        if any(attempt.kinds or attempt.location for attempt in trace.attempts):
            return True
        root, trace = trace.root, trace.outer
    return any(
        not _passes(handler, frame, Exception)
        for frame in user_frames(root)
        for handler in handlers_around(frame)
    )


def refuse_put_off(what: str) -> Exception:
    """The refusal of what a `try` around may catch, and fails where nothing could go on."""
    return refuse(
        f"{what} may be raised at run time, past the `try` around that could act on it: it is "
        "raised in something that cannot be left",
        "write it in a statement of its own in the `try`, or test for the failing case with `if`",
    )


def refuse_called_back(primitive: Primitive) -> Exception:
    """The refusal of an op that calls Python of the user's where a `try` may catch what that
    raises.
    """
    return refuse(
        f"{primitive.name} may raise anything when the graph runs, by the Python that it calls or "
        "the files that it reads, past the `try` around that could act on it",
        "catch it in the function that is called, or move the `try` outside the staged function",
    )


# Exceptions by which a method tells Python itself how to go on.
_PROTOCOL: dict[type[BaseException], tuple[str, ...]] = {
    StopIteration: (),
    StopAsyncIteration: (),
    IndexError: ("__getitem__",),
    AttributeError: ("__getattr__", "__getattribute__", "__get__"),
}


def check_not_protocol(error: BaseException, taken: FrameType | None = None) -> None:
    """StagingError for an exception that Python waits for: staged, it would never come.

    StopIteration always is one, an IndexError or AttributeError where the user's method for that
    raised it. `taken` is the frame with the `try` that takes it.
    """
    methods = next((m for kind, m in _PROTOCOL.items() if isinstance(error, kind)), None)
    if methods is None:
        return
    left = frames_left(error)
    codes = [frame.f_code for frame in left]
    called = list(_calls_of(("__next__", *methods), error, taken))
    is_of_next = bool(left) and (is_end(codes[-1]) or called_at(left[-1]) == "next")
    is_known = bool(called) or is_of_next
    if is_known and all(map(is_asked, called[:1] if methods else called)):
        return
    names = {code.co_name for code in codes if not is_ours(code.co_filename)}
    innermost = left[-1] if left else sys._getframe(1)
    is_awaited = names.intersection(methods) and not is_subscript(innermost, methods)
    if not methods or is_awaited:
        name = type(error).__name__
        raise refuse(
            f"{name} under a staged test would be raised at run time, but Python waits for it now",
            "take from it by `for` or `next`, or make a list of it: list(...)",
        ) from None


def _calls_of(
    methods: Sequence[str], error: BaseException, taken: FrameType | None
) -> Iterator[FrameType]:
    """The frames that an exception leaves until it is taken, innermost first, of which it matters
    who called them: those of the user's functions of these names, of what `map` and others call for
    an item, and of generators, which make another exception of it.
    """
    left = frames_left(error)
    frame: FrameType | None = left[-1] if left else sys._getframe(1)
    while frame is not None and frame is not taken:
        is_method = False
        if not is_ours(frame.f_code.co_filename):
            frame = frame_of_function(frame)
            is_method = frame.f_code.co_name in methods or _is_callback(frame)
        if is_method or runs_generator(frame):
            yield frame
        frame = frame.f_back


_CALLING_BACK = frozenset((
    "autograph.operators.builtin_calls", "runtime.staging.builtin_functions",
    "runtime.staging.control.iteration",
))  # fmt: skip


def _is_callback(frame: FrameType) -> bool:
    """Whether a function of Python's, such as `map`, or its stand-in called the user's."""
    caller = frame.f_back
    return caller is not None and caller.f_globals.get("__name__") in _CALLING_BACK


_TENSOR_FAILURES: tuple[type[BaseException], ...] = (
    errors.InvalidValueError, errors.FailedPreconditionError, errors.OutOfRangeError,
)  # fmt: skip


def check_unhandled_failure(
    root: FrameType | None, primitive: Primitive, values: Sequence[Value], params: Params
) -> None:
    """StagingError if an `except` around the present statement could catch what the op raises at
    run time.
    """
    raised = failures_of(primitive, values, params)
    for frame in user_frames(root) if raised else ():
        for handler in handlers_around(frame):
            if _catches(handler, frame, raised):
                names = " or ".join(kind.__name__ for kind in raised)
                raise _refuse_past(
                    frame,
                    handler,
                    f"{_doing(primitive)} can fail at run time ({names})",
                    "that would catch it",
                    "test for the failing case with `if`",
                ) from None


def check_silent_failure(trace: Any, primitive: Primitive, values: Sequence[Value]) -> None:
    """StagingError if an `except` around an operator names what Python raises of numbers, where
    tensors hold inf or nan. One for all exceptions, which is there for others too, may stay.
    """
    divisor = values[-1]
    frame = user_frame()
    is_floating = isinstance(divisor.type, TensorType) and divisor.type.dtype.is_floating
    if frame is None or not is_floating or not is_operator(frame):
        return
    known = known_value(trace, divisor)
    if known is not None and np.all(known):
        return
    raised = primitive.silent
    for classes in _handled(trace):
        if any(issubclass(each, kind) for each in raised for kind in classes):
            if any(issubclass(kind, ArithmeticError) for kind in classes):
                names = " or ".join(kind.__name__ for kind in raised)
                raise refuse(
                    f"tensors divided by zero are inf or nan, and raise no {names} for the "
                    "`except` around them",
                    "test the divisor with `if`, or divide numbers: float(x) / float(y)",
                )
            return


def known_value(trace: Any, value: Value) -> Any:
    """The number or array of a value that is a constant, or the cast of one; None for others."""
    found = trace.constants.get(value)
    for node in trace.scope.nodes[-4:] if found is None else ():
        if node.outputs and node.outputs[0] is value:
            if node.primitive is ops.cast_p:
                inner, dtype = known_value(trace, node.inputs[0]), value.type.dtype.np_dtype
                return None if inner is None else np.asarray(inner).astype(dtype)
            if node.primitive is CONSTANT:
                found = node.params["value"]
    return found


def _handled(trace: Any) -> Iterator[list[type[BaseException]]]:
    """The classes of each `except` around the present statement, the innermost first."""
    for attempt in reversed(trace.attempts):
        for kinds, _ in attempt.kinds:
            found: Any = BaseException if kinds is None else kinds()
            yield [*found] if isinstance(found, tuple) else [found]
    for frame in user_frames(trace.root):
        for handler in handlers_around(frame):
            for clause in handler.clauses:
                if clause is not None:
                    yield [kind for kind in _classes_of(clause, frame) if kind is not None]


_DOING = {
    CHECK_DEFINED: "reading a name that may be unbound",
    CHECK_PRESENT: "using a value that may be None",
    CHECK_ATTRIBUTE: "an attribute of a value that may be None",
    CHECK_LENGTH: "unpacking a tensor",
    TRUTH: "the truth of a tensor",
    TO_TENSOR: "making a tensor of a staged number",
    **{row: f"{kind}() of a tensor" for kind, row in ITEMS.items()},
}


def _doing(primitive: Primitive) -> str:
    return _DOING.get(primitive, f"{primitive.word} on a staged value")


def failures_of(
    primitive: Primitive, values: Sequence[Value], params: Params
) -> tuple[type[BaseException], ...]:
    """The classes of what an op may raise at run time, of inputs of these types."""
    if primitive.calls_back:
        return (Exception,)
    if callable(primitive.raises):
        return primitive.raises(*[value.type for value in values], **params)
    return primitive.raises or _TENSOR_FAILURES


def _catches(handler: Handler, frame: FrameType, raised: tuple[type[BaseException], ...]) -> bool:
    if handler.kind == "with":
        manager = None if handler.manager is None else _class_of(handler.manager, frame)
        return manager is not None and issubclass(manager, suppress)
    return any(
        kind is None or any(issubclass(kind, r) or issubclass(r, kind) for r in raised)
        for clause in handler.clauses
        if clause is not None
        for kind in _classes_of(clause, frame)
    )


def _classes_of(clause: Clause, frame: FrameType) -> Iterator[type[BaseException] | None]:
    """The classes that an `except` names; None stands for one that is not known by reading."""
    if not clause:
        yield BaseException
    for expression in clause:
        holder = _read(expression, frame)
        for kind in holder if isinstance(holder, tuple) else (holder,):
            known = isinstance(kind, type) and issubclass(kind, BaseException)
            yield kind if known else None


# What a `with` manages


def _passes(handler: Handler, frame: FrameType, raised: type[BaseException]) -> bool:
    """True if the handler lets exceptions of that class pass, and does nothing about them."""
    if handler.kind == "try":
        return not any(
            clause is None or any(_may_match(kind, raised) for kind in _classes_of(clause, frame))
            for clause in handler.clauses
        )
    if handler.manager is None:
        return False
    kind = _class_of(handler.manager, frame) or _maker_of(handler.manager, frame)
    if kind is None:
        return False
    return is_indifferent(kind) or kind.__module__.partition(".")[0] == "runtime"


def _may_match(kind: type[BaseException] | None, raised: type[BaseException]) -> bool:
    # What an op raises while tracing may be another class than at run time.
    return (
        kind is None
        or issubclass(kind, errors.OpError)
        or (issubclass(raised, kind) or issubclass(kind, raised))
    )


def _class_of(manager: ast.expr, frame: FrameType) -> type | None:
    """The class of a manager, as far as reading names tells, which runs no code of the user's."""
    if isinstance(manager, ast.Call):
        found = _read(manager.func, frame)
        return found if isinstance(found, type) else None
    found = _read(manager, frame)
    return None if found is _UNKNOWN else type(found)


def _maker_of(manager: ast.expr, frame: FrameType) -> type | FunctionType | None:
    """The function that returned a manager, or the class of which a method did."""
    if not isinstance(manager, ast.Call):
        return None
    found = _read(manager.func, frame)
    if isinstance(found, FunctionType):
        return found
    if found is not _UNKNOWN or not isinstance(manager.func, ast.Attribute):
        return None
    holder = _read(manager.func.value, frame)
    return None if holder is _UNKNOWN else type(holder)


_UNKNOWN = object()


def _read(expression: ast.expr, frame: FrameType) -> Any:
    if isinstance(expression, ast.Name):
        scopes = frame.f_locals, frame.f_globals, frame.f_builtins
        return next((s[expression.id] for s in scopes if expression.id in s), _UNKNOWN)
    if isinstance(expression, ast.Attribute):
        holder = _read(expression.value, frame)
        return getattr(holder, "__dict__", {}).get(expression.attr, _UNKNOWN)
    return _UNKNOWN
