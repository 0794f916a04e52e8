"""Facts about code objects, read off their instructions, and kept for as long as the code lives.

Code objects compare by value: two files may hold equal ones, and a copy equals its original. They
are told apart here by identity.
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, Generic, TypeVar
from weakref import ref

from autograph.instructions import instructions

T = TypeVar("T")

Stretch = tuple[int, int, int, int]
"""The first and the last line of a part of the source, its first column, and that behind it."""

UNREACHED = bytes((dis.opmap["NOP"], 0))
"""What stands behind the instructions of converted code for line_profiler, if that is there."""

_GENERATOR = next(flag for flag, name in dis.COMPILER_FLAG_NAMES.items() if name == "GENERATOR")

_STORES = "STORE_SUBSCR", "STORE_SLICE"
_CHANGES = *_STORES, "DELETE_SUBSCR"


def nested_codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and all those inside it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from nested_codes(const)


def with_sets_of(original: CodeType, code: CodeType) -> CodeType:
    """Code with the sets of constants that its original has: equal ones may have another order, as
    Python's files keep their items in one of their own.
    """
    sets = {_key(each): each for inner in nested_codes(original) for each in _sets_in(inner)}

    def renewed(const: Any) -> Any:
        if isinstance(const, CodeType):
            return changed(const)
        return sets.get(_key(const), const) if isinstance(const, frozenset) else const

    def changed(code: CodeType) -> CodeType:
        return code.replace(co_consts=tuple(map(renewed, code.co_consts)))

    return changed(code) if sets else code


def _sets_in(code: CodeType) -> Iterator[frozenset[Any]]:
    return (const for const in code.co_consts if isinstance(const, frozenset))


def _key(items: frozenset[Any]) -> frozenset[str]:
    return frozenset(map(repr, items))  # 1 equals True


def has_instruction(code: CodeType, *names: str) -> bool:
    """Whether a code object, not those in it, has an instruction of these names."""
    present = code.co_code[::2]
    return any(dis.opmap[name] in present for name in names if name in dis.opmap)


def makes_generators(code: CodeType) -> bool:
    """Whether a call of the function of a code object makes a generator."""
    return bool(code.co_flags & _GENERATOR)


def assigns_items(code: CodeType) -> bool:
    """Whether a code object, or one inside it, has an `x[i] = v`."""
    return any(has_instruction(each, *_STORES) for each in nested_codes(code))


def assigns_outside(code: CodeType) -> bool:
    """Whether a function, or one inside it, assigns names that are not its own, or attributes."""
    names = "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME"
    return any(
        has_instruction(inner, *names)
        or any(
            each.opname in _REBINDS and each.argval in code.co_freevars
            for each in (instructions(inner) if has_instruction(inner, *_REBINDS) else ())
        )
        for inner in nested_codes(code)
    )


_REBINDS = "STORE_DEREF", "DELETE_DEREF"


def item_changes(code: CodeType) -> Iterator[Stretch]:
    """Yields the places of the `x[i]` that a code object, not those in it, assigns or deletes."""
    for instruction in instructions(code) if has_instruction(code, *_CHANGES) else ():
        at = instruction.positions
        if instruction.opname in _CHANGES and at is not None and None not in at:
            yield at  # type: ignore[misc]


def handles_exceptions(code: CodeType) -> bool:
    """Whether a code object, or one inside it, has a `try` or a `with`."""
    return any(each.co_exceptiontable for each in nested_codes(code))


def beginning_on(code: CodeType, first: int) -> CodeType:
    """A code object with another first line, and its instructions where they were."""
    if code.co_firstlineno == first:
        return code
    table, last = bytearray(), first
    for line, end, column, end_column in code.co_positions():
        if line is None:
            table.append(_NO_LINE)
            continue
        if end is None or column is None or end_column is None:
            table.append(_LINE)
            table += _signed(line - last)
        else:
            table.append(_LINE_AND_COLUMNS)
            table += _signed(line - last)
            table += b"".join(map(_unsigned, (end - line, column + 1, end_column + 1)))
        last = line
    return code.replace(co_firstlineno=first, co_linetable=bytes(table))


_NO_LINE, _LINE, _LINE_AND_COLUMNS = 0x80 | 15 << 3, 0x80 | 13 << 3, 0x80 | 14 << 3
"""How the entry of one instruction begins in a table of lines."""


def _signed(value: int) -> bytes:
    return _unsigned(-value << 1 | 1 if value < 0 else value << 1)


def _unsigned(value: int) -> bytes:
    """A number as the tables of lines have it: six bits in a byte, the lowest first."""
    made = bytearray()
    while value > 63:
        made.append(0x40 | value & 63)
        value >>= 6
    return bytes((*made, value))


class CodeTable(Generic[T]):
    """A mapping from code objects, by identity and without keeping them alive.

    Attributes:
        by_id: the values by `id(code)`, for a quick look.
    """

    __slots__ = ("_codes", "by_id")

    def __init__(self) -> None:
        self.by_id: dict[int, T] = {}
        self._codes: dict[int, ref[CodeType]] = {}

    def __setitem__(self, code: CodeType, value: T) -> None:
        key = id(code)
        if key not in self._codes:
            self._codes[key] = ref(code, lambda _: self._forget(key))
        self.by_id[key] = value

    def __contains__(self, code: CodeType) -> bool:
        return id(code) in self.by_id

    def get(self, code: CodeType) -> T | None:
        """The value for a code object, or None."""
        return self.by_id.get(id(code))

    def clear(self) -> None:
        self.by_id.clear()
        self._codes.clear()

    def _forget(self, key: int) -> None:
        self.by_id.pop(key, None)
        self._codes.pop(key, None)


def remembering(function: Callable[[CodeType], T]) -> Callable[[CodeType], T]:
    """The function, which remembers what it gives for a code object: not None.

    Equal code objects that have others in each other take Python an exponential time to compare.
    """
    known: CodeTable[T] = CodeTable()

    @functools.wraps(function)
    def remembered(code: CodeType) -> T:
        found = known.get(code)
        if found is None:
            known[code] = found = function(code)
        return found

    remembered.cache_clear = known.clear  # type: ignore[attr-defined]
    return remembered
