"""The host: its target, and compiling modules for it."""

from __future__ import annotations

import ctypes
import itertools
import os
import re
import threading
from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Any, TypeVar

import llvmlite.binding as llvm
from llvmlite import ir

from runtime.graph.executors.native.compilation_cache import cached
from runtime.graph.executors.native.values import POINTER

LEVEL, QUICK = 2, 0
"""Of code generation: for graphs, and for what all graphs share, which then takes a quarter of the
time. At 0 LLVM aborts the process on some vector code: it is for modules of scalars, which is
checked.
"""

_VECTOR = re.compile(r"<(vscale x )?\d+ x ")

ADDRESSES = "addresses"
"""The table in a module of what is outside of it: one pointer for each symbol."""


_compiling = threading.RLock()
"""Held while a module is compiled. A signal handler may come in between, and fork."""


Made = TypeVar("Made")


def once(make: Callable[..., Made]) -> Callable[..., Made]:
    """Like `cache`, for what has an address: who asks at once, from other threads or from a signal
    handler, is given the same, so that no address is one of what nobody keeps.
    """
    kept: dict[tuple[Any, ...], Made] = {}

    @wraps(make)
    def found(*given: Any) -> Made:
        if given not in kept:
            with _compiling:
                if given not in kept:
                    kept.setdefault(given, make(*given))
        return kept[given]

    return found


@cache
def _host() -> tuple[Any, str, str]:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple(), llvm.get_host_cpu_name(), features


def new_target(level: int = LEVEL) -> Any:
    """A target machine for this host; whoever compiles with it owns it."""
    found, cpu, features = _host()
    return found.create_target_machine(cpu=cpu, features=features, opt=level, reloc="pic", jit=True)


@cache
def target(level: int = LEVEL) -> Any:
    """The target machine of this host, to ask."""
    return new_target(level)


@cache
def vector_bytes() -> int:
    """The width of the host's vector registers."""
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        return 64
    return 32 if features.get("avx2") else 16


def new_module(name: str) -> ir.Module:
    """An empty module for this host."""
    module = ir.Module(name)
    module.triple = target().triple
    module.data_layout = str(target().target_data)
    return module


class Code:
    """Machine code, which lives as long as this object does, and so does what it reads."""

    def __init__(self, tracker: Any, kept: Sequence[Any]) -> None:
        self._tracker = tracker
        self.kept = list(kept)

    def address(self, name: str) -> int:
        """The address of an exported function or variable."""
        found: int = self._tracker[name]
        return found


def _before_fork() -> None:
    """Wait until no other thread is in LLVM: the child has its locks, but not that thread."""
    _compiling.acquire()
    llvm.ffi.lib._lock.__enter__()


def _after_fork() -> None:
    llvm.ffi.lib._lock.__exit__()
    _compiling.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


def object_of(text: str, level: int = LEVEL) -> bytes:
    """The object file of a module: one that another process has kept, or a new one."""
    host = [*_host()[1:], _host()[0].name, llvm.get_default_triple(), str(level)]
    return cached([text, *host], lambda: _compiled(text, level))


def parsed(text: str, level: int = LEVEL) -> Any:
    """A module, verified. Code is generated from it as it is written: passes over its IR would take
    longer than they save.
    """
    if level == QUICK and _VECTOR.search(text):
        raise ValueError("level 0 is for modules of scalars")
    module = llvm.parse_assembly(text)
    module.verify()
    return module


def _compiled(text: str, level: int) -> bytes:
    with _compiling:
        made: bytes = target(level).emit_object(parsed(text, level))
        return made


@once
def _linker() -> Any:
    return llvm.create_lljit_compiler(new_target(), use_jit_link=False, suppress_errors=True)


_loaded = itertools.count()


def load(
    made: bytes, exports: Sequence[str], addresses: Sequence[int] = (), kept: Sequence[Any] = ()
) -> Code:
    """Code of an object file, with these names. `addresses` are those of the symbols of its table,
    in order; `kept` is what must live as long as it does.
    """
    table = [ADDRESSES] if addresses else []
    builder = llvm.JITLibraryBuilder().add_object_img(made).add_current_process()
    for name in (*exports, *table):
        builder.export_symbol(name)
    with _compiling:
        tracker = builder.link(_linker(), f"native{next(_loaded)}")
    code = Code(tracker, kept)
    if addresses:
        filled = (ctypes.c_void_p * len(addresses)).from_address(code.address(ADDRESSES))
        filled[:] = list(addresses)
    return code


def compile_module(
    text: str, exports: Sequence[str], addresses: Sequence[int] = (), level: int = LEVEL
) -> Code:
    """The machine code of a module."""
    return load(object_of(text, level), exports, addresses)


class Symbols:
    """The symbols outside of a module that it uses. Code loads their addresses from a table, which
    is filled once the code is in memory: so it can be kept on disk.
    """

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.places: dict[str, int] = {}
        self._table: Any = None

    def load(self, builder: ir.IRBuilder, name: str) -> ir.Value:
        """The pointer to a symbol."""
        place = self.places.setdefault(name, len(self.places))
        if self._table is None:
            self._table = ir.GlobalVariable(self.module, ir.ArrayType(POINTER, 0), ADDRESSES)
            self._table.type = POINTER
        index = ir.Constant(ir.IntType(64), place)
        slot = builder.gep(self._table, [index], source_etype=POINTER, inbounds=True)
        return builder.load(slot, typ=POINTER)

    def call(
        self, builder: ir.IRBuilder, name: str, type: ir.FunctionType, operands: Sequence[ir.Value]
    ) -> ir.Value:
        """Call the function that a symbol is."""
        return builder.call(_Callee(self.load(builder, name), type), list(operands))

    def finish(self) -> None:
        """Give the table its size, once all symbols are known."""
        if self._table is None:
            return
        kind = ir.ArrayType(POINTER, len(self.places))
        self._table.value_type = kind
        self._table.initializer = ir.Constant(kind, None)
        self._table.linkage = ""


class _Callee:
    """A pointer to a function, as calls want it: llvmlite asks the callee for its type."""

    calling_convention = ""

    def __init__(self, pointer: ir.Value, type: ir.FunctionType) -> None:
        self.type, self.function_type = pointer.type, type
        self.get_reference = pointer.get_reference
