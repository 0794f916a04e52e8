"""What bytecode reads: the static paths, and the names of attributes.

`config.rate * table["k"]` reads the paths config.rate and table["k"], and the attribute rate.
"""

from __future__ import annotations

import dis
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

_ABSENT = object()
"""No constant, which None may be."""


class Path(NamedTuple):
    """A static path in code: a global or local name, then attributes and items."""

    is_global: bool
    root: str
    steps: tuple[tuple[str, Any], ...]


@lru_cache(maxsize=1024)
def names_in(code: CodeType) -> Mapping[str, bool]:
    """The names of attributes that code, and the functions defined in it, read, by getattr too; and
    whether it may ask if there is one.
    """
    asks = not _ASKING.isdisjoint(code.co_names)
    found = {
        instruction.argval: False
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD")
    }
    for const in code.co_consts:
        if isinstance(const, CodeType):
            inner = names_in(const)
            found |= {name: inner[name] or found.get(name, False) for name in inner}
        elif isinstance(const, str) and const.isidentifier():
            found[const] = asks or found.get(const, False)
    return found | dict.fromkeys(WHOLE.intersection(code.co_names), False)


_ASKING = frozenset(("getattr", "hasattr"))
WHOLE = frozenset(("__dict__", "vars", "asdict", "astuple"))
"""The names of what reads all attributes of an object."""


@lru_cache(maxsize=1024)
def paths_in(code: CodeType) -> tuple[Path, ...]:
    """The static paths that code, and the functions defined in it, read."""
    found = dict.fromkeys(_paths_of(dis.get_instructions(code)))
    for const in code.co_consts:
        if isinstance(const, CodeType):
            found.update(dict.fromkeys(paths_in(const)))
    return tuple(found)


def _paths_of(instructions: Iterable[dis.Instruction]) -> Iterator[Path]:
    path: Path | None = None
    constant: Any = _ABSENT
    for instruction in instructions:
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
    if name in ("LOAD_ATTR", "LOAD_METHOD"):
        return ".", argument
    if name == "BINARY_SUBSCR" and isinstance(constant, str | int | float | bytes):
        return "[]", constant
    return None


def _roots(name: str, argument: Any) -> list[Path]:
    if name in ("LOAD_GLOBAL", "LOAD_NAME"):
        return [Path(True, argument, ())]
    if name in ("LOAD_DEREF", "LOAD_CLASSDEREF"):
        return [Path(False, argument, ())]
    if "LOAD_FAST" not in name:
        return []
    # Since Python 3.13 one instruction may load two variables, or store one and load another.
    names = argument if isinstance(argument, tuple) else (argument,)
    return [Path(False, root, ()) for root in names[name.startswith("STORE") :]]
