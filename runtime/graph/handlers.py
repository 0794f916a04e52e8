"""Would an exception that is put off to run time have met a handler? Then it must not be put off.

What Python would do with an exception is read off the frames between a staged statement and the
start of the trace: each has a table of handlers, and stands at one instruction.
"""

from __future__ import annotations

import dis
import gc
from collections.abc import Iterator
from contextlib import nullcontext
from functools import lru_cache
from types import CodeType, FrameType, MethodType

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
        for kind, line in _around(frame):
            if kind == "with" and _all_transparent(frame):
                continue
            raise refuse(
                f"{what} under a staged test would be raised at run time, past the `{kind}` at line {line} "
                f"that could act on it",
                f"move the `{kind}` outside the staged function, or choose a value instead of raising",
                location=position_of(frame.f_code, frame.f_lasti),
            )


def _around(frame: FrameType) -> Iterator[tuple[str, int]]:
    for start, end, kind, line in _handlers(frame.f_code):
        if start <= frame.f_lasti < end:
            yield kind, line


def _all_transparent(frame: FrameType) -> bool:
    # An active `with` keeps its manager's bound __exit__ on the frame's stack.
    exits = [
        item.__self__
        for item in gc.get_referents(frame)
        if isinstance(item, MethodType) and item.__name__ == "__exit__"
    ]
    around = sum(1 for kind, _ in _around(frame) if kind == "with")
    return len(exits) >= around and all(_is_transparent(manager) for manager in exits)


def _is_transparent(manager: object) -> bool:
    kind = type(manager)
    return (
        isinstance(manager, tuple(_transparent)) or kind.__module__.partition(".")[0] == "runtime"
    )


@lru_cache(maxsize=256)
def _handlers(code: CodeType) -> tuple[tuple[int, int, str, int], ...]:
    """(start, end, "try" or "with", line) for each range of instructions with a handler of the
    user's.
    """
    instructions = {instruction.offset: instruction for instruction in dis.get_instructions(code)}
    found = []
    for start, end, target in _exception_table(code):
        kind = _kind_of(instructions, target)
        if kind is not None:
            position = position_of(code, start)
            found.append((start, end, kind, position[1] if position else code.co_firstlineno))
    return tuple(found)


def _kind_of(instructions: dict[int, dis.Instruction], target: int) -> str | None:
    # Handlers that only clean up (after `except`, after a comprehension) do not begin so.
    names = [instructions[at].opname for at in sorted(instructions) if at >= target][:2]
    if names[:1] != ["PUSH_EXC_INFO"]:
        return None
    return "with" if names[1] == "WITH_EXCEPT_START" else "try"


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
