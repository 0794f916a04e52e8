"""Object files of LLVM's, loaded without LLVM: on Linux, for x86-64.

    memory    sections to run and to read | sections to write, and the table of addresses (GOT)

Code finds all by its distance from itself, or through the table, which has the addresses of a
file's own symbols, and of some of the C library's. A file that has something else in it is not
loaded here: LLVM does that.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import weakref
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

CLIBRARY = frozenset(("fmod", "fmodf", "memcpy", "memmove", "memset"))
"""The functions outside of a file that LLVM's code may call by itself."""

_IDENTITY = b"\x7fELF\x02\x01\x01"
_RELOCATABLE, _X86_64 = 1, 62
_SYMBOLS, _RELOCATIONS, _NO_BITS, _UNWINDING = 2, 4, 8, 0x70000001
_WRITE, _ALLOCATE = 1, 2
_UNDEFINED, _RESERVED = 0, 0xFF00
_TABLE = "_GLOBAL_OFFSET_TABLE_"

# What a relocation of a type is: a place in the memory is given a number of bytes.
_ABSOLUTE = 1
_RELATIVE = {2: "<i", 4: "<i", 24: "<q"}  # to the place: PC32, PLT32, PC64
_IN_TABLE, _TO_TABLE, _FROM_TABLE = 27, 29, 25  # GOT64, GOTPC64, GOTOFF64


class Foreign(Exception):
    """The file has something in it that is not loaded here."""


class _Section(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry: int


class _Symbol(NamedTuple):
    name: str
    section: int
    value: int


class Image:
    """The memory that a file asks for: its `data`, of which what is behind `writable` may be
    written; `places` of its symbols; `own` and `outside`, where in it are addresses of its own
    places, and of functions of the C library.
    """

    def __init__(self, object_file: bytes) -> None:
        if object_file[:7] != _IDENTITY or (
            struct.unpack_from("<2H", object_file, 16) != (_RELOCATABLE, _X86_64)
        ):
            raise Foreign("it is no object file for x86-64")
        self._file = object_file
        (start,) = struct.unpack_from("<Q", object_file, 40)
        count = struct.unpack_from("<H", object_file, 60)[0]
        self._sections = [
            _Section(*struct.unpack_from("<2I4Q2I2Q", object_file, start + 64 * at))
            for at in range(count)
        ]
        self.data = bytearray()
        self.places: dict[str, int] = {}
        self.own: dict[int, int] = {}
        self.outside: dict[int, str] = {}
        self._at: dict[int, int] = {}
        self._lay_out(0)
        self.writable = self._align(_PAGE)
        self._lay_out(_WRITE)
        self._table = self._align(8)
        self._entries: dict[_Symbol, int] = {}
        self._symbols = self._read_symbols()
        for section in self._sections:
            if section.type == _RELOCATIONS and section.info in self._at:
                self._relocate(section)
        self._align(_PAGE)

    def _align(self, alignment: int) -> int:
        self.data += bytes(-len(self.data) % max(alignment, 1))
        return len(self.data)

    def _lay_out(self, kind: int) -> None:
        """Have the sections that are written to, or the others."""
        for at, section in enumerate(self._sections):
            is_held = section.flags & _ALLOCATE and section.type != _UNWINDING
            if is_held and section.flags & _WRITE == kind:
                self._at[at] = self._align(section.alignment)
                self.data += bytes(section.size) if section.type == _NO_BITS else self._of(section)

    def _of(self, section: _Section) -> bytes:
        return self._file[section.offset : section.offset + section.size]

    def _read_symbols(self) -> list[_Symbol]:
        (table,) = [section for section in self._sections if section.type == _SYMBOLS]
        names, found = self._of(self._sections[table.link]), []
        for name, _, _, section, value, _ in struct.iter_unpack("<IBBHQQ", self._of(table)):
            text = names[name : names.index(b"\0", name)].decode()
            found.append(_Symbol(text, section, value))
            if text and section in self._at:
                self.places[text] = self._at[section] + value
        return found

    def _place(self, symbol: _Symbol) -> int:
        if symbol.section not in self._at:
            raise Foreign(f"{symbol.name} is not in it")
        return self._at[symbol.section] + symbol.value

    def _entry(self, symbol: _Symbol) -> int:
        """The place of the table where the address of a symbol is."""
        found = self._entries.get(symbol)
        if found is None:
            found = self._entries[symbol] = len(self.data)
            self.data += bytes(8)
            if symbol.section != _UNDEFINED:
                self.own[found] = self._place(symbol)
            elif symbol.name in CLIBRARY and hasattr(_library(), symbol.name):
                self.outside[found] = symbol.name
            else:
                raise Foreign(f"{symbol.name} is not in it")
        return found

    def _relocate(self, section: _Section) -> None:
        base = self._at[section.info]
        for offset, what, addend in struct.iter_unpack("<QQq", self._of(section)):
            at, type, symbol = base + offset, what & 0xFFFFFFFF, self._symbols[what >> 32]
            if type == _TO_TABLE and symbol.name == _TABLE:
                self._put("<q", at, self._table + addend - at)
            elif type == _IN_TABLE:
                self._put("<q", at, self._entry(symbol) + addend - self._table)
            elif type == _FROM_TABLE:
                self._put("<q", at, self._place(symbol) + addend - self._table)
            elif type in _RELATIVE:
                self._put(_RELATIVE[type], at, self._place(symbol) + addend - at)
            elif type == _ABSOLUTE and at >= self.writable:
                self.own[at] = self._place(symbol) + addend
            else:
                raise Foreign(f"it has a relocation of type {type}")

    def _put(self, kind: str, at: int, number: int) -> None:
        struct.pack_into(kind, self.data, at, number)


def is_here() -> bool:
    """Whether files are loaded here on this system."""
    return sys.platform == "linux" and os.uname().machine == "x86_64" and sys.maxsize > 1 << 32


class LoadedImage(dict[str, int]):
    """The addresses of the symbols of an image, which is in memory while this is."""

    def __init__(self, image: Image) -> None:
        size, library = len(image.data), _library()
        start = library.mmap(None, size, _READ | _WRITTEN, _PRIVATE, -1, 0)
        if start in (None, _FAILED):
            raise MemoryError("there is no memory for machine code")
        # Not while the interpreter ends: threads may still be in it.
        weakref.finalize(self, library.munmap, start, size).atexit = False
        for at, place in image.own.items():
            struct.pack_into("<Q", image.data, at, start + place)
        for at, name in image.outside.items():
            address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
            struct.pack_into("<Q", image.data, at, address)
        ctypes.memmove(start, bytes(image.data), size)
        if library.mprotect(start, image.writable, _READ | _RUN):
            raise Foreign("new code must not be run here, unless LLVM knows a way")
        super().__init__({name: start + place for name, place in image.places.items()})


# Of Linux for x86-64, as in its headers.
_PAGE = 4096
_READ, _WRITTEN, _RUN = 1, 2, 4
_PRIVATE = 0x02 | 0x20  # and anonymous
_FAILED = (1 << 64) - 1


@cache
def _library() -> Any:
    found = ctypes.CDLL(None)
    found.mmap.restype, found.mmap.argtypes = (
        ctypes.c_void_p,
        [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long],
    )
    found.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    found.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return found


def linked(object_file: bytes, exports: Sequence[str]) -> LoadedImage | None:
    """The addresses of what is in an object file; None where it is not loaded here, or has not all
    of these names.
    """
    try:
        image = Image(object_file)
        return LoadedImage(image) if image.places.keys() >= set(exports) else None
    except Foreign:
        return None
