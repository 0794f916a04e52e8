"""Python's instructions in one form for all versions, and the handling of exceptions beside them.

The names are those of Python 3.13. Python 3.14 has `x[i]` as a binary operator, loads small
integers by an instruction of their own, and says of some loads that they borrow.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator, Sequence
from types import CodeType, FrameType
from typing import NamedTuple, TypeAlias

OPERATORS = [text for _, text in dis._nb_ops]  # type: ignore[attr-defined]
"""The binary operators by the argument of `BINARY_OP`."""


class Operation(NamedTuple):
    """An instruction: its name, and its argument or the lowest byte of it."""

    name: str
    argument: int


def instructions(code: CodeType) -> Iterator[dis.Instruction]:
    """The instructions of a code object, not of those in it."""
    for each in dis.get_instructions(code):
        name = _name(each.opname, each.argrepr)
        yield each if name == each.opname else each._replace(opname=name)


def operation_at(frame: FrameType) -> Operation:
    """The instruction where a frame stands."""
    code, at = frame.f_code.co_code, frame.f_lasti
    name, argument = dis.opname[code[at]], code[at + 1]
    return Operation(_name(name, OPERATORS[argument] if name == "BINARY_OP" else ""), argument)


def _name(name: str, operator: str) -> str:
    if name == "BINARY_OP" and operator == "[]":
        return "BINARY_SUBSCR"
    return "LOAD_CONST" if name == "LOAD_SMALL_INT" else name.replace("_BORROW", "")


# Exceptions


Range: TypeAlias = tuple[int, int, int]
"""Where instructions begin and end that are protected by the handler that begins at the third."""


def protected_ranges(code: CodeType) -> Iterator[Range]:
    """The ranges of instructions that are protected."""
    numbers = _varints(code.co_exceptiontable)
    for start in numbers:
        length, target, _ = next(numbers), next(numbers), next(numbers)
        yield start * 2, (start + length) * 2, target * 2


def is_protected(frame: FrameType) -> bool:
    """Whether a `try` or `with` would act on an exception where a frame stands."""
    code = frame.f_code
    handlers = handlers_in_turn(list(protected_ranges(code)), frame.f_lasti)
    # Handlers that only clean up, of a generator's end or of a comprehension, do not begin so.
    return any(code.co_code[target] == dis.opmap["PUSH_EXC_INFO"] for target in handlers)


def handlers_in_turn(ranges: Sequence[Range], at: int) -> Iterator[int]:
    """Yields the handlers of an exception at an instruction, and of one raised there: each
    handler's beginning is in the range of the next one around.
    """
    for _ in ranges:
        found = next((target for start, end, target in ranges if start <= at < end), None)
        if found is None:
            return
        yield found
        at = found


def _varints(table: bytes) -> Iterator[int]:
    value = 0
    for byte in table:
        value = value << 6 | byte & 63
        if not byte & 64:
            yield value
            value = 0
