"""Would an exception that is put off to run time have met a handler? Then it must not be put off.

What Python would do with an exception is read off the frames between a staged statement and the
start of the trace: each has a table of handlers, and stands at one instruction.
"""

from __future__ import annotations

import ast
import dis
import linecache
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any, NamedTuple

from runtime.graph.frames import user_frames
from runtime.graph.ir import position_of
from runtime.graph.refusals import refuse

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


class _Handler(NamedTuple):
    """A range of instructions that a `try` or a `with` of the user's protects.

    `manager` is the expression of the `with`, if it can be read.
    """

    start: int
    end: int
    kind: str
    line: int
    manager: ast.expr | None


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
            found.append(_Handler(start, end, kind, number, manager))
    return tuple(found)


def _kind_of(instructions: Sequence[dis.Instruction], at: int) -> str | None:
    # Handlers that only clean up (after `except`, after a comprehension) do not begin so.
    if instructions[at].opname != "PUSH_EXC_INFO":
        return None
    return "with" if instructions[at + 1].opname == "WITH_EXCEPT_START" else "try"


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
