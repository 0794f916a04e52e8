"""Python's instructions in one form for all versions, and the handling of exceptions beside them.

The names are those of Python 3.13. Python 3.14 has `x[i]` as a binary operator, loads small
integers, and what `assert` raises, by instructions of their own, and says of some loads that they
borrow.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import NamedTuple

OPERATORS = [text for _, text in dis._nb_ops]  # type: ignore[attr-defined]
"""The binary operators by the argument of `BINARY_OP`."""

_COMPARISON_SHIFT = {11: 0, 12: 4}.get(sys.version_info.minor, 5)
"""The lowest bits of the argument of `COMPARE_OP` that do not tell which comparison it is."""


class Operation(NamedTuple):
    """An instruction: its name, and its argument or the lowest byte of it."""

    name: str
    argument: int


def instructions(code: CodeType) -> Iterator[dis.Instruction]:
    """The instructions of a code object, not of those in it."""
    for each in dis.get_instructions(code):
        name = _name(each.opname, each.argrepr)
        yield each if name == each.opname else each._replace(opname=name)


def operations(code: CodeType) -> Iterator[Operation]:
    """The operations of a code object by this Python's own names, with their whole arguments.

    It takes a tenth of the time of `instructions`, which tells places and values too.
    """
    text, high = code.co_code, 0
    for at in range(0, len(text), 2):
        opcode, argument = text[at], high | text[at + 1]
        if opcode == dis.EXTENDED_ARG:
            high = argument << 8
        elif opcode != _CACHE:
            yield Operation(dis.opname[opcode], argument)
            high = 0


_CACHE = dis.opmap["CACHE"]


def variable_of(code: CodeType, read: Operation) -> str:
    """The name of the variable, global or of a function around, that an operation reads."""
    if "DEREF" in read.name:
        return code._varname_from_oparg(read.argument)  # type: ignore[attr-defined, no-any-return]
    # Of a global's, the lowest bit tells whether it is called.
    return code.co_names[read.argument >> 1 if read.name == "LOAD_GLOBAL" else read.argument]


def operation_at(frame: FrameType) -> Operation:
    """The instruction where a frame stands."""
    code, at = frame.f_code.co_code, frame.f_lasti
    name, argument = dis.opname[code[at]], code[at + 1]
    return Operation(_name(name, OPERATORS[argument] if name == "BINARY_OP" else ""), argument)


def comparison_at(frame: FrameType) -> str | None:
    """The sign of the comparison where a frame stands; None where it stands at something else."""
    name, argument = operation_at(frame)
    return dis.cmp_op[argument >> _COMPARISON_SHIFT] if name == "COMPARE_OP" else None


def _name(name: str, argument: str) -> str:
    if name == "BINARY_OP" and argument == "[]":
        return "BINARY_SUBSCR"
    if name == "LOAD_COMMON_CONSTANT" and argument == "AssertionError":
        return "LOAD_ASSERTION_ERROR"
    return "LOAD_CONST" if name == "LOAD_SMALL_INT" else name.replace("_BORROW", "")


# Exceptions


def count_handlers(frame: FrameType) -> int:
    """The number of handlers, of `try` and `with`, that an exception meets where a frame stands."""
    code, at, count = frame.f_code, frame.f_lasti, 0
    if not code.co_exceptiontable:
        return 0
    ranges = list(_protected_ranges(code))
    for _ in ranges:
        found = next((target for start, end, target in ranges if start <= at < end), None)
        if found is None:
            break
        # Handlers that only clean up, of a generator's end or of a comprehension, begin otherwise.
        count += code.co_code[found] == dis.opmap["PUSH_EXC_INFO"]
        at = found  # a handler's beginning is in the range of the next one around
    return count


def _protected_ranges(code: CodeType) -> Iterator[tuple[int, int, int]]:
    """The ranges of instructions that are protected, each with the beginning of its handler."""
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
