"""Would an exception that is put off to run time have met a handler? Then it must not be put off.

What Python would do with an exception is read off the frames between a staged statement and the
start of the trace: each has a table of handlers, and stands at one instruction.
"""

from __future__ import annotations

import ast
import dis
import linecache
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any, NamedTuple

from runtime import errors
from runtime.graph.frames import user_frames
from runtime.graph.ir import position_of
from runtime.graph.refusals import refuse
from runtime.primitive import Primitive

# Managers that let every exception pass and do nothing about it.
_transparent: list[type] = [nullcontext]


def register_transparent(kind: type) -> None:
    """Managers of this class let exceptions pass."""
    _transparent.append(kind)


def check_unhandled(root: FrameType | None, what: str) -> None:
    """StagingError if a `try` around the present statement, or a `with`, could act on an exception.

    Frames are looked at as far as `root`, where the trace began.
    """
    for frame in user_frames(root):
        for handler in _handlers(frame.f_code):
            if handler.start <= frame.f_lasti < handler.end and not _passes(handler, frame):
                raise refuse(
                    f"{what} under a staged test would be raised at run time, past the "
                    f"`{handler.kind}` at line {handler.line} that could act on it",
                    f"move the `{handler.kind}` outside the staged function, or choose a value "
                    "instead of raising",
                    location=position_of(frame.f_code, frame.f_lasti),
                ) from None


_TENSOR_FAILURES: tuple[type[BaseException], ...] = (
    errors.InvalidArgumentError, errors.FailedPreconditionError, errors.OutOfRangeError,
)  # fmt: skip
_NUMBER_FAILURES: tuple[type[BaseException], ...] = (
    ZeroDivisionError, OverflowError, errors.InvalidArgumentError,
)  # fmt: skip
_FAILURES: dict[str, tuple[type[BaseException], ...]] = {
    "check_defined": (UnboundLocalError,),
    "check_present": (TypeError,),
    "check_length": (ValueError,),
    "truth": (errors.InvalidArgumentError,),
    "to_tensor": (errors.InvalidArgumentError,),
    "py.lshift": (ValueError, OverflowError),
    "py.rshift": (ValueError, OverflowError),
}


def check_unhandled_failure(root: FrameType | None, primitive: Primitive) -> None:
    """StagingError if an `except` around the present statement could catch what the op raises at
    run time.
    """
    raised = _failures_of(primitive)
    for frame in user_frames(root):
        for handler in _handlers(frame.f_code):
            inside = handler.start <= frame.f_lasti < handler.end
            if inside and _catches(handler, frame, raised):
                names = " or ".join(kind.__name__ for kind in raised)
                raise refuse(
                    f"{primitive.name} on a staged value can fail at run time ({names}), past the "
                    f"`{handler.kind}` at line {handler.line} that would catch it",
                    f"move the `{handler.kind}` outside the staged function, or test for the "
                    "failing case with `if`",
                    location=position_of(frame.f_code, frame.f_lasti),
                ) from None


def _failures_of(primitive: Primitive) -> tuple[type[BaseException], ...]:
    name = primitive.name
    if name.startswith("py."):
        if name.startswith("py.math."):
            return ValueError, OverflowError, ZeroDivisionError
        return _FAILURES.get(name, _NUMBER_FAILURES)
    return _FAILURES.get(name, _TENSOR_FAILURES)


def _catches(handler: _Handler, frame: FrameType, raised: tuple[type[BaseException], ...]) -> bool:
    if handler.kind == "with":
        manager = None if handler.manager is None else _class_of(handler.manager, frame)
        return manager is not None and issubclass(manager, suppress)
    return any(
        kind is None or any(issubclass(kind, r) or issubclass(r, kind) for r in raised)
        for clause in handler.clauses
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
    """A range of instructions that a `try` or a `with` of the user's protects.

    `manager` is the expression of the `with`, if it can be read; `clauses` are those of the `try`
    that are `except`, not `finally`.
    """

    start: int
    end: int
    kind: str
    line: int
    manager: ast.expr | None
    clauses: tuple[Clause, ...]


@lru_cache(maxsize=256)
def _handlers(code: CodeType) -> tuple[_Handler, ...]:
    instructions = list(dis.get_instructions(code))
    places = {instruction.offset: at for at, instruction in enumerate(instructions)}
    table = list(_exception_table(code))
    first: dict[int, int] = {}
    for start, _, target in table:
        first[target] = min(start, first.get(target, start))
    found = []
    for start, end, target in table:
        kind = _kind_of(instructions, places[target])
        if kind is not None:
            before = instructions[: places[first[target]]]
            line = instructions[places[first[target]]].positions
            manager = _manager(code, before) if kind == "with" else None
            number = (line and line.lineno) or code.co_firstlineno
            clauses = _clauses(instructions, places, places[target]) if kind == "try" else ()
            found.append(_Handler(start, end, kind, number, manager, tuple(clauses)))
    return tuple(found)


def _kind_of(instructions: Sequence[dis.Instruction], at: int) -> str | None:
    # Handlers that only clean up (after `except`, after a comprehension) do not begin so.
    if instructions[at].opname != "PUSH_EXC_INFO":
        return None
    return "with" if instructions[at + 1].opname == "WITH_EXCEPT_START" else "try"


def _clauses(
    instructions: Sequence[dis.Instruction], places: dict[int, int], at: int
) -> Iterator[Clause]:
    """The `except` clauses of the handler that begins at `at`, in order."""
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


def _passes(handler: _Handler, frame: FrameType) -> bool:
    """Is it a `with` whose manager lets every exception pass and does nothing about it?"""
    if handler.manager is None:
        return False
    kind = _class_of(handler.manager, frame)
    if kind is None:
        return False
    return issubclass(kind, tuple(_transparent)) or kind.__module__.partition(".")[0] == "runtime"


def _manager(code: CodeType, before: Sequence[dis.Instruction]) -> ast.expr | None:
    """The expression of a `with`, out of the user's file; `before` ends where its block begins."""
    if len(before) < 2 or before[-1].opname != "BEFORE_WITH":
        return None
    text = _text(code.co_filename, before[-2].positions)
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None


def _text(filename: str, positions: dis.Positions | None) -> str:
    if positions is None or None in positions:
        return ""
    line, end_line, column, end_column = (part or 0 for part in positions)
    lines = [linecache.getline(filename, n).encode() for n in range(line, end_line + 1)]
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    return b"".join(lines).decode(errors="replace")


def _class_of(manager: ast.expr, frame: FrameType) -> type | None:
    """The class of a manager, as far as reading names tells, which runs no code of the user's."""
    if isinstance(manager, ast.Call):
        found = _read(manager.func, frame)
        return found if isinstance(found, type) else None
    found = _read(manager, frame)
    return None if found is _UNKNOWN else type(found)


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
