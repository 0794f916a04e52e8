"""The refusal of exceptions that are put off to run time, where a handler would have met them now.

What Python would do with an exception is read off the frames between a staged statement and the
start of the trace: each has a table of handlers, and stands at one instruction.
"""

from __future__ import annotations

import ast
import dis
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from functools import lru_cache
from traceback import walk_tb
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

from runtime import errors
from runtime.core.primitive import Primitive
from runtime.graph.ir import position_of
from runtime.graph.nodes import CHECK_DEFINED, CHECK_LENGTH, CHECK_PRESENT, TO_TENSOR, TRUTH
from runtime.graph.numbers import BINARY
from runtime.staging.frames import is_ours, text_at, user_frames
from runtime.staging.refusals import refuse


def check_unhandled(
    root: FrameType | None, what: str, kind: type[BaseException] = BaseException
) -> None:
    """StagingError if a `try` around the present statement, or a `with`, could act on an exception
    of class `kind`.

    Frames are looked at as far as `root`, where the trace began.
    """
    for frame in user_frames(root):
        for handler in _around(frame):
            if not _passes(handler, frame, kind):
                raise refuse(
                    f"{what} under a staged test would be raised at run time, past the "
                    f"`{handler.kind}` at line {handler.line} that could act on it",
                    f"move the `{handler.kind}` outside the staged function, or choose a value "
                    "instead of raising",
                    location=position_of(frame.f_code, frame.f_lasti),
                ) from None


# Exceptions by which a method tells Python itself how to go on.
_PROTOCOL: dict[type[BaseException], tuple[str, ...]] = {
    StopIteration: (),
    StopAsyncIteration: (),
    IndexError: ("__getitem__",),
    AttributeError: ("__getattr__", "__getattribute__", "__get__"),
}


def check_not_protocol(error: Exception) -> None:
    """StagingError for an exception that Python waits for: staged, it would never come.

    StopIteration always is one, an IndexError or AttributeError where the user's method for that
    raised it.
    """
    methods = next((m for kind, m in _PROTOCOL.items() if isinstance(error, kind)), None)
    if methods is None:
        return
    codes = [frame.f_code for frame, _ in walk_tb(error.__traceback__)]
    names = {code.co_name for code in codes if not is_ours(code.co_filename)}
    if not methods or names.intersection(methods):
        name = type(error).__name__
        raise refuse(
            f"{name} under a staged test would be raised at run time, but Python waits for it now",
            "loop over a tensor or a range with `while` or `for`, and test the bound in the loop",
        ) from None


_TENSOR_FAILURES: tuple[type[BaseException], ...] = (
    errors.InvalidArgumentError, errors.FailedPreconditionError, errors.OutOfRangeError,
)  # fmt: skip
_NUMBER_FAILURES: tuple[type[BaseException], ...] = (
    ZeroDivisionError, OverflowError, errors.InvalidArgumentError,
)  # fmt: skip
_FAILURES: dict[Primitive, tuple[type[BaseException], ...]] = {
    CHECK_DEFINED: (UnboundLocalError,),
    CHECK_PRESENT: (TypeError,),
    CHECK_LENGTH: (ValueError,),
    TRUTH: (errors.InvalidArgumentError,),
    TO_TENSOR: (errors.InvalidArgumentError,),
    BINARY["lshift"]: (ValueError, OverflowError),
    BINARY["rshift"]: (ValueError, OverflowError),
}


def check_unhandled_failure(root: FrameType | None, primitive: Primitive) -> None:
    """StagingError if an `except` around the present statement could catch what the op raises at
    run time.
    """
    raised = _failures_of(primitive)
    for frame in user_frames(root):
        for handler in _around(frame):
            if _catches(handler, frame, raised):
                names = " or ".join(kind.__name__ for kind in raised)
                raise refuse(
                    f"{_doing(primitive)} can fail at run time ({names}), past the "
                    f"`{handler.kind}` at line {handler.line} that would catch it",
                    f"move the `{handler.kind}` outside the staged function, or test for the "
                    "failing case with `if`",
                    location=position_of(frame.f_code, frame.f_lasti),
                ) from None


_DOING = {
    CHECK_DEFINED: "reading a name that may be unbound",
    CHECK_PRESENT: "using a value that may be None",
    CHECK_LENGTH: "unpacking a tensor",
    TRUTH: "the truth of a tensor",
    TO_TENSOR: "making a tensor of a staged number",
}


def _doing(primitive: Primitive) -> str:
    name = primitive.name
    if primitive in _DOING:
        return _DOING[primitive]
    if name.startswith("py.item_"):
        return f"{name.removeprefix('py.item_')}() of a tensor"
    return f"{name.removeprefix('py.')} on a staged value"


def _failures_of(primitive: Primitive) -> tuple[type[BaseException], ...]:
    name = primitive.name
    if primitive.raises:
        return primitive.raises
    if name.startswith("py."):
        if name.startswith("py.math."):
            return ValueError, OverflowError, ZeroDivisionError
        return _FAILURES.get(primitive, _NUMBER_FAILURES)
    return _FAILURES.get(primitive, _TENSOR_FAILURES)


def _catches(handler: _Handler, frame: FrameType, raised: tuple[type[BaseException], ...]) -> bool:
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
    for path in clause:
        holder: Any = _read(ast.Name(path[0]), frame)
        for name in path[1:]:
            holder = getattr(holder, "__dict__", {}).get(name, _UNKNOWN)
        for kind in holder if isinstance(holder, tuple) else (holder,):
            known = isinstance(kind, type) and issubclass(kind, BaseException)
            yield kind if known else None


# The classes of an `except`, each as a name and the attributes read of it; empty: every exception.
Clause = tuple[tuple[str, ...], ...]


class _Handler(NamedTuple):
    """The handling of exceptions by a `try` or a `with` of the user's.

    `manager` is the expression of the `with`, if it can be read; `clauses` are those of the `try`
    that are `except`: None stands for what else it does (`finally`), or what cannot be read.
    """

    kind: str
    line: int
    manager: ast.expr | None
    clauses: tuple[Clause | None, ...]


def _around(frame: FrameType) -> Iterator[_Handler]:
    """The handlers that an exception at the present instruction meets, innermost first."""
    ranges, handlers = _handlers(frame.f_code)
    for target in _chain(ranges, frame.f_lasti):
        handler = handlers[target]
        if handler is not None:
            yield handler


# Where instructions begin and end that are protected by the handler that begins at the third.
_Range = tuple[int, int, int]


def _chain(ranges: Sequence[_Range], at: int) -> Iterator[int]:
    """Yields the handlers of an exception at an instruction, and of one raised there: each
    handler's beginning is in the range of the next one around.
    """
    for _ in ranges:
        found = next((target for start, end, target in ranges if start <= at < end), None)
        if found is None:
            return
        yield found
        at = found


@lru_cache(maxsize=256)
def _handlers(code: CodeType) -> tuple[Sequence[_Range], dict[int, _Handler | None]]:
    """The protected ranges of a function, and which handler of the user's begins at each target."""
    ranges = list(_exception_table(code))
    instructions = list(dis.get_instructions(code)) if ranges else []
    places = {instruction.offset: at for at, instruction in enumerate(instructions)}
    first: dict[int, int] = {}
    for start, _, _ in ranges:
        for target in _chain(ranges, start):
            first[target] = min(start, first.get(target, start))
    return ranges, {
        target: _handler(code, instructions, places, target, start)
        for target, start in first.items()
    }


def _handler(
    code: CodeType,
    instructions: list[dis.Instruction],
    places: dict[int, int],
    target: int,
    start: int,
) -> _Handler | None:
    kind = _kind_of(instructions, places[target])
    if kind is None:
        return None
    before = instructions[: places[start]]
    # `try` itself is an instruction that does nothing.
    header = before[-1] if before and before[-1].opname == "NOP" else instructions[places[start]]
    number = (header.positions and header.positions.lineno) or code.co_firstlineno
    manager = _manager(code, before) if kind == "with" else None
    clauses = _clauses(instructions, places, places[target]) if kind == "try" else ()
    return _Handler(kind, number, manager, tuple(clauses))


def _kind_of(instructions: Sequence[dis.Instruction], at: int) -> str | None:
    # Handlers that only clean up (after `except`, after a comprehension) do not begin so.
    if instructions[at].opname != "PUSH_EXC_INFO":
        return None
    return "with" if instructions[at + 1].opname == "WITH_EXCEPT_START" else "try"


def _clauses(
    instructions: Sequence[dis.Instruction], places: dict[int, int], at: int
) -> Iterator[Clause | None]:
    """The `except` clauses of the handler that begins at `at`, in order; at last None, if it does
    more than raise the exception again.
    """
    at += 1
    while True:
        paths: list[tuple[str, ...]] = []
        while instructions[at].opname in _READS_CLASS:
            instruction = instructions[at]
            if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                paths[-1] = (*paths[-1], str(instruction.argval))
            elif instruction.opname.startswith("LOAD_"):
                paths.append((str(instruction.argval),))
            at += 1
        operation = instructions[at].opname
        if operation == "POP_TOP" and not paths:
            yield ()
        elif operation != "CHECK_EXC_MATCH" and (operation != "RERAISE" or paths):
            yield None
        if operation != "CHECK_EXC_MATCH":
            return
        yield tuple(paths)
        jump = next(i for i in instructions[at:] if "JUMP" in i.opname)
        at = places[jump.argval]


_READS_CLASS = frozenset((
    "LOAD_GLOBAL", "LOAD_NAME", "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_DEREF", "LOAD_ATTR",
    "LOAD_FAST_BORROW", "BUILD_TUPLE", "CACHE", "NOP", "EXTENDED_ARG",
))  # fmt: skip


# What a `with` manages


def _passes(handler: _Handler, frame: FrameType, raised: type[BaseException]) -> bool:
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
    if isinstance(kind, type) and issubclass(kind, nullcontext):
        return True
    return kind.__module__.partition(".")[0] == "runtime"


def _may_match(kind: type[BaseException] | None, raised: type[BaseException]) -> bool:
    # What an op raises while tracing may be another class than at run time.
    return (
        kind is None
        or issubclass(kind, errors.OpError)
        or (issubclass(raised, kind) or issubclass(kind, raised))
    )


def _manager(code: CodeType, before: Sequence[dis.Instruction]) -> ast.expr | None:
    """The expression of a `with`, out of the user's file; `before` ends where its block begins."""
    if len(before) < 2 or before[-1].opname != "BEFORE_WITH":
        return None
    text = text_at(code.co_filename, before[-2].positions)
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None


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


def _exception_table(code: CodeType) -> Iterator[tuple[int, int, int]]:
    numbers = _varints(code.co_exceptiontable)
    for start in numbers:
        length, target, _ = next(numbers), next(numbers), next(numbers)
        yield start * 2, (start + length) * 2, target * 2


def _varints(table: bytes) -> Iterator[int]:
    value = 0
    for byte in table:
        value = value << 6 | byte & 63
        if not byte & 64:
            yield value
            value = 0
