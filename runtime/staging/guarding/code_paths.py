"""The static paths that bytecode reads and stores, and the names of attributes.

`config.rate * table["k"]` reads the paths config.rate and table["k"], and the attribute rate.
"""

from __future__ import annotations

import dis
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

from autograph.codes import has_instruction, remembering
from autograph.instructions import instructions

_ABSENT = object()
"""No constant, which None may be."""


class StaticPath(NamedTuple):
    """A static path in code: a global or local name, then attributes and items."""

    is_global: bool
    root: str
    steps: tuple[tuple[str, Any], ...]


class Import(NamedTuple):
    """A variable that is set to a module, or to what has a name in it."""

    variable: str
    module: str
    level: int
    name: str | None


class _Reads(NamedTuple):
    """The names and paths that code reads, with the functions defined in it."""

    names: Mapping[str, bool]
    paths: tuple[StaticPath, ...]


@remembering
def _reads(code: CodeType) -> _Reads:
    listed = tuple(instructions(code))
    return _Reads(_names_of(code, listed), _paths_of(code, listed))


def names_in(code: CodeType) -> Mapping[str, bool]:
    """The names of attributes that code, and the functions defined in it, read, by getattr too; and
    whether it may ask if there is one.
    """
    return _reads(code).names


def paths_in(code: CodeType) -> tuple[StaticPath, ...]:
    """The static paths that code, and the functions defined in it, read."""
    return _reads(code).paths


def _names_of(code: CodeType, listed: Sequence[dis.Instruction]) -> Mapping[str, bool]:
    asks = asks_in(code)
    found = {instruction.argval: False for instruction in listed if instruction.opname in _LOADS}
    for const in code.co_consts:
        if isinstance(const, CodeType):
            inner = names_in(const)
            found |= {name: inner[name] or found.get(name, False) for name in inner}
        elif isinstance(const, str) and const.isidentifier():
            found[const] = asks or found.get(const, False)
    if any(instruction.opname == "MATCH_CLASS" for instruction in listed):
        found |= dict.fromkeys((*_texts_in(code.co_consts), MATCHED), False)
    return found | dict.fromkeys((WHOLE | {CLASS}).intersection(code.co_names), False)


def asks_in(code: CodeType) -> bool:
    """True if code may ask whether there is an attribute."""
    return not _ASKING.isdisjoint(code.co_names)


def _texts_in(constants: Iterable[Any]) -> Iterator[str]:
    """The texts in tuples among constants, where the attributes of a class pattern are."""
    for const in constants:
        if isinstance(const, tuple):
            yield from (text for text in const if isinstance(text, str))


_LOADS = frozenset(("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"))
_ASKING = frozenset(("getattr", "hasattr"))
LISTING = frozenset(("__dict__", "vars", "dir"))
"""The names of what lists the attributes of an object."""
WHOLE = frozenset((*LISTING, "asdict", "astuple"))
"""The names of what reads all attributes of an object."""
OF_USERS = "__dict__ of the user's objects"
"""Stands for the names of WHOLE in code of a library."""
CLASS = "type"
"""The name of what gives the class of an object, whatever the object's own attributes hide."""
MATCHED = "__match_args__"
"""The attribute that says which others a class pattern reads."""


def names_in_library(code: CodeType) -> Mapping[str, bool]:
    """Those of code that is no user's: it reads all attributes of the user's objects only."""
    found = names_in(code)
    if WHOLE.isdisjoint(found):
        return found
    return {OF_USERS if name in WHOLE else name: asks for name, asks in found.items()}


def _paths_of(code: CodeType, listed: Sequence[dis.Instruction]) -> tuple[StaticPath, ...]:
    found = dict.fromkeys(_paths_among(listed))
    for const in code.co_consts:
        if isinstance(const, CodeType):
            found.update(dict.fromkeys(paths_in(const)))
    return tuple(found)


def _paths_among(listed: Iterable[dis.Instruction]) -> Iterator[StaticPath]:
    path: StaticPath | None = None
    constant: Any = _ABSENT
    for instruction in listed:
        name = instruction.opname
        if name in ("CACHE", "NOP", "EXTENDED_ARG", "RESUME", "PRECALL"):
            continue
        if name == "LOAD_CONST" and path is not None and constant is _ABSENT:
            constant = instruction.argval
            continue
        step = _step(name, instruction.argval, constant)
        constant = _ABSENT
        if path is not None and step is not None:
            path = path._replace(steps=(*path.steps, step))
            continue
        if path is not None:
            yield path
        *others, path = None, *_roots(name, instruction.argval)
        yield from filter(None, others)
    if path is not None:
        yield path


def _step(name: str, argument: Any, constant: Any) -> tuple[str, Any] | None:
    if name in _LOADS:
        return ".", argument
    if name == "BINARY_SUBSCR" and isinstance(constant, str | int | float | bytes):
        return "[]", constant
    return None


def _roots(name: str, argument: Any) -> list[StaticPath]:
    if name in ("LOAD_GLOBAL", "LOAD_NAME"):
        return [StaticPath(True, argument, ())]
    if name in ("LOAD_DEREF", "LOAD_CLASSDEREF"):
        return [StaticPath(False, argument, ())]
    if "LOAD_FAST" not in name:
        return []
    # Since Python 3.13 one instruction may load two variables, or store one and load another.
    names = argument if isinstance(argument, tuple) else (argument,)
    return [StaticPath(False, root, ()) for root in names[name.startswith("STORE") :]]


@remembering
def stores_in(code: CodeType) -> frozenset[tuple[str, str]]:
    """The kinds and names of what code, and the functions defined in it, store."""
    found = {
        (each.opname.removeprefix("STORE_").removeprefix("DELETE_"), str(each.argval))
        for each in instructions(code)
        if each.opname.startswith(("STORE_", "DELETE_"))
    }
    for const in code.co_consts:
        if isinstance(const, CodeType):
            found |= stores_in(const)
    return frozenset(found)


@remembering
def imports_of(code: CodeType) -> tuple[Import, ...]:
    """Returns the imports of code, but for those of the functions defined in it."""
    found: list[Import] = []
    constants: list[Any] = []
    module, level, name, top = "", 0, None, ""
    for instruction in instructions(code) if has_instruction(code, "IMPORT_NAME") else ():
        operation = instruction.opname
        if operation == "LOAD_CONST":
            constants.append(instruction.argval)
        elif operation == "IMPORT_NAME":
            module, level, name = instruction.argval, constants[-2], None
            top = module if constants[-1] else module.partition(".")[0]
        elif operation == "IMPORT_FROM":
            name = instruction.argval
        elif operation.startswith("STORE_") and top:
            found.append(Import(instruction.argval, top, level, name))
            top = top if name is not None else ""
        elif operation == "POP_TOP":
            top = ""
    return tuple(found)
