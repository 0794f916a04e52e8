"""The facts that Python's bytecode tells of frames and functions of the user's that are traced.

Each of these is asked by a method that Python calls, or of code that is not converted, so that no
converted text could tell it:

rows_unpacked     `__iter__` is not told how many items `a, b = t` wants
adds_in_place     `__radd__` is asked for `items += self` as for `items + self`
changes_in_place  so is each reflected operator
is_reflected      `__gt__` is asked for `5 < self`, too
is_operator       a function of ours is called by the user as well as by an operator
in_class_pattern  `__class__` is not told that `match` asks
reads_attribute   `x.name` is read by code that says so, and not by `isinstance` or `getattr`
class_property    `x.__class__` is that of the user's value, and not what `isinstance` asks for
indexes           `__index__` is asked for a bound, of which None is one, too
is_subscript      an IndexError of `__getitem__` ends an iteration, and is raised by `x[i]`
raises            a KeyboardInterrupt is raised by the program, or by who stops it
asserts           an AssertionError of ours is raised for the program, or is a mistake of ours
returns_of        the place of a result is known when the function has returned
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any

from autograph.instructions import OPERATORS, comparison_at, instructions, operation_at
from autograph.operator_methods import COMPARISONS
from autograph.operators import items
from runtime.core.shapes import Shape
from runtime.graph.ir import Location, Origin, Position, position_of
from runtime.staging.frames import beginning_of, is_ours

# The operations that ask


def rows_unpacked(frame: FrameType, shape: Shape) -> int | None:
    """Returns the number of rows that Python takes where it iterates in order to unpack: `a, b =
    t`, `[*t]`, `f(*t)`; None where it does not.
    """
    operation, count = operation_at(frame)
    size = shape[0] if shape else None
    if operation == "UNPACK_SEQUENCE":
        return count if size is None or size == count else size
    return size if operation in ("UNPACK_EX", "LIST_EXTEND", "CALL_FUNCTION_EX") else None


def spreads(frame: FrameType) -> bool:
    """True if Python iterates in order to call a function with the items alone: `f(*t)`."""
    return operation_at(frame).name == "CALL_FUNCTION_EX"


def adds_in_place(frame: FrameType) -> bool:
    """True if an operator of this frame asks, and it is `+=`."""
    return operation_at(frame) == ("BINARY_OP", OPERATORS.index("+="))


def changes_in_place(frame: FrameType) -> bool:
    """True if an operator of this frame asks, and it is `+=` or another such one."""
    name, argument = operation_at(frame)
    return name == "BINARY_OP" and OPERATORS[argument].endswith("=")


def is_reflected(frame: FrameType, method: str) -> bool:
    """True if a comparison of this frame asks, and a method of its right operand: of another name
    than its own.
    """
    sign = comparison_at(frame)
    return sign is not None and _SIGNS.get(sign, method) != method


def is_operator(frame: FrameType) -> bool:
    """True if a binary operator of this frame asks, and no function that it calls."""
    return operation_at(frame).name == "BINARY_OP"


def in_class_pattern(frame: FrameType) -> bool:
    """True if the frame tries a class pattern of `match`."""
    is_users = not is_ours(frame.f_code.co_filename)
    return is_users and operation_at(frame).name == "MATCH_CLASS"


def reads_attribute(frame: FrameType) -> bool:
    """True if a frame reads an attribute, and no function that it calls."""
    return operation_at(frame).name in _ATTRIBUTES


def class_property(own: Callable[[Any], Any]) -> Any:
    """The property `__class__` of what stands for a number: where the user's code reads it, what
    `type` gives; to `isinstance`, and to us, `own`.
    """

    def kind(self: Any) -> Any:
        frame = sys._getframe(1)
        if is_ours(frame.f_code.co_filename) or not reads_attribute(frame):
            return own(self)
        from runtime.staging.type_tests import type_of

        return type_of(self)

    return property(kind)


def is_subscript(frame: FrameType | None, methods: Sequence[str]) -> bool:
    """True if `x[i]` of the user's has called a method of these, and no iteration has."""
    inside = False
    while frame is not None:
        code = frame.f_code
        if code.co_name in methods:
            inside = True
        elif inside and (code in _ITEM_CODES or not is_ours(code.co_filename)):
            return operation_at(frame).name in _SUBSCRIPTS
        frame = frame.f_back
    return False


def reads_item(frame: FrameType) -> bool:
    """True if a frame reads an item, or a slice, by Python's own means."""
    return operation_at(frame).name in _SUBSCRIPTS


def indexes(frame: FrameType) -> bool:
    """True if a frame reads, assigns or deletes an item, or a slice, by Python's own means."""
    return operation_at(frame).name in _INDEXING


def raises(frame: FrameType) -> bool:
    """True if a `raise` of this frame raises."""
    return operation_at(frame).name == "RAISE_VARARGS"


def asserts(code: CodeType, offset: int) -> bool:
    """True if the instruction at an offset raises what an `assert` statement does."""
    loads = False
    for each in instructions(code):
        if each.opname == "LOAD_ASSERTION_ERROR":
            loads = True
        elif each.opname == "RAISE_VARARGS":
            if each.offset == offset:
                return loads
            loads = False
    return False


_SUBSCRIPTS = frozenset(("BINARY_SUBSCR", "BINARY_SLICE"))
_INDEXING = _SUBSCRIPTS | {"STORE_SUBSCR", "STORE_SLICE", "DELETE_SUBSCR"}
_ITEM_CODES = tuple([f.__code__ for f in (items.getitem, items._item, items.update_item)])
"""What generated code calls for `x[i]` of the user's, where a backend is asked first."""
_SIGNS = dict(zip(("<", "<=", ">", ">=", "==", "!="), COMPARISONS, strict=True))
_ATTRIBUTES = frozenset(("LOAD_ATTR", "LOAD_METHOD"))


# Where a function returns


def returns_of(code: CodeType) -> list[Location]:
    """Returns the places where a function returns what is not just None; where a lambda begins."""
    if code.co_name == "<lambda>":
        return [beginning_of(code)]
    return list(_returns(code))


class Ending(Origin):
    """The end of a function: its `return` of a value, if there is one, else its first line. Few
    are asked where that is.
    """

    @property
    def position(self) -> Position:
        return self._instruction.position

    @property
    def location(self) -> Location | None:
        return self._instruction.location

    @property
    def _instruction(self) -> Origin:
        found = [*_returns(self.code).values()]
        return Origin(self.code, found[0] if len(found) == 1 else 0, self.caller)


def _returns(code: CodeType) -> dict[Location, int]:
    """The offsets of the instructions by which it returns what is not just None, by place."""
    found: dict[Location, int] = {}
    before: dis.Instruction | None = None
    for instruction in instructions(code):
        is_none = before is not None and before.opname == "LOAD_CONST" and before.argval is None
        returns_value = instruction.opname == "RETURN_VALUE" and not is_none
        if returns_value or (
            instruction.opname == "RETURN_CONST" and instruction.argval is not None
        ):
            location = position_of(code, instruction.offset)
            if location is not None:
                found.setdefault(location, instruction.offset)
        before = instruction
    return found
