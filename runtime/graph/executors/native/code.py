"""Machine code in memory, made of an object file: the one that is kept, or a new one. LLVM is
imported for what is not kept.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar

from runtime.graph.executors.native import elf
from runtime.graph.executors.native.compilation_cache import cached

LEVEL, QUICK = 2, 0
"""Of code generation: for graphs, and for what all graphs share, which then takes a quarter of the
time. At 0 LLVM aborts the process on some vector code: it is for modules of scalars, which is
checked.
"""

ADDRESSES = "addresses"
"""The table in a module of what is outside of it: one pointer for each symbol."""

compiling = threading.RLock()
"""Held while a module is compiled. A signal handler may come in between, and fork."""

if hasattr(os, "register_at_fork"):
    # The child has the lock, but not the thread that holds it.
    os.register_at_fork(
        before=compiling.acquire,
        after_in_parent=compiling.release,
        after_in_child=compiling.release,
    )

T = TypeVar("T")


def once(make: Callable[..., T]) -> Callable[..., T]:
    """Like `cache`, for what has an address: who asks at once, from other threads or from a signal
    handler, is given the same, so that no address is one of what nobody keeps.
    """
    kept: dict[tuple[Any, ...], T] = {}

    @wraps(make)
    def found(*given: Any) -> T:
        if given not in kept:
            with compiling:
                if given not in kept:
                    kept.setdefault(given, make(*given))
        return kept[given]

    return found


class Code:
    """Machine code, which lives as long as this object does, and so does what it reads."""

    def __init__(self, places: Mapping[str, int], kept: Sequence[Any]) -> None:
        self._places = places
        self.kept = list(kept)

    def address(self, name: str) -> int:
        """The address of an exported function or variable."""
        return self._places[name]


def object_file_of(text: str, level: int = LEVEL) -> bytes:
    """The object file of a module: one that another process has kept, or a new one."""

    def generated() -> bytes:
        from runtime.graph.executors.native import machine

        return machine.generate(text, level)

    return cached([text, str(level)], generated)


def _linked(object_file: bytes, exports: Sequence[str]) -> Mapping[str, int]:
    """The addresses of names of an object file, which is in memory while these are."""
    found = elf.linked(object_file, exports) if elf.is_here() else None
    if found is None:
        from runtime.graph.executors.native import machine

        found = machine.linked(object_file, exports)
    return found


def link(
    object_file: bytes,
    exports: Sequence[str],
    addresses: Sequence[int] = (),
    kept: Sequence[Any] = (),
) -> Code:
    """Code of an object file, with these names. `addresses` are those of the symbols of its table,
    in order; `kept` is what must live as long as it does.
    """
    names = [*exports, ADDRESSES] if addresses else exports
    code = Code(_linked(object_file, names), kept)
    if addresses:
        filled = (ctypes.c_void_p * len(addresses)).from_address(code.address(ADDRESSES))
        filled[:] = list(addresses)
    return code


def compile_module(
    text: str, exports: Sequence[str], addresses: Sequence[int] = (), level: int = LEVEL
) -> Code:
    """The machine code of a module."""
    return link(object_file_of(text, level), exports, addresses)


# Modules written by hand


def compile_text(text: str, exports: Sequence[str], outside: Mapping[str, int]) -> Code:
    """The machine code of a module of scalars, as `expanded` takes it; `outside` has addresses."""
    text = expanded(text, list(outside))
    return compile_module(text, exports, list(outside.values()), level=QUICK)


def expanded(text: str, outside: Sequence[str]) -> str:
    """A module as LLVM takes it. Its lines may name what is `outside` of it, `@free`, which is in
    its table; and load from `ptr %record[8]`, 8 bytes from the beginning of a record, or store
    there.
    """
    places = {name: 8 * at for at, name in enumerate(outside)}
    made = [f"@{ADDRESSES} = global [{len(outside)} x ptr] zeroinitializer"] if outside else []
    count = itertools.count()

    def address(found: re.Match[str]) -> str:
        if found[1] not in places:
            return found[0]
        name, place = f"%outside.{next(count)}", places[found[1]]
        made.append(f"  {name} = load ptr, ptr getelementptr (i8, ptr @{ADDRESSES}, i64 {place})")
        return name

    def place(found: re.Match[str]) -> str:
        name = f"%place.{next(count)}"
        made.append(f"  {name} = getelementptr i8, ptr {found[1]}, i64 {found[2]}")
        return f"ptr {name}"

    for line in text.splitlines():
        made.append(_IN_RECORD.sub(place, _GLOBAL.sub(address, line)))
    return "\n".join(made)


_GLOBAL, _IN_RECORD = re.compile(r"@([\w.]+)"), re.compile(r"ptr ([%@][\w.]+)\[(\d+)\]")


def address(function: Any) -> int:
    """The address of a function of a library that ctypes has loaded."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def addresses(library: Any, *names: str) -> dict[str, int]:
    """Those of the functions with these names."""
    return {name: address(getattr(library, name)) for name in names}
