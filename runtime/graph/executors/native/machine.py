"""The host as LLVM's target, and modules compiled for it."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from runtime.graph.executors.native import ir
from runtime.graph.executors.native.code import ADDRESSES, LEVEL, QUICK, compiling, once

_VECTOR = re.compile(r"<(vscale x )?\d+ x ")


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


def processor() -> str:
    """The CPU, and its features."""
    found, cpu, features = _host()
    return " ".join([found.name, llvm.get_default_triple(), cpu, features])


@cache
def vector_bytes() -> int:
    """The width of the host's vector registers."""
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        return 64
    return 32 if features.get("avx2") else 16


@cache
def _layout() -> tuple[str, str]:
    return target().triple, str(target().target_data)


def new_module(name: str) -> ir.Module:
    """An empty module for this host."""
    module = ir.Module(name)
    module.triple, module.data_layout = _layout()
    return module


def _before_fork() -> None:
    """Wait until no other thread is in LLVM: the child has its locks, but not that thread."""
    compiling.acquire()
    llvm.ffi.lib._lock.__enter__()


def _after_fork() -> None:
    llvm.ffi.lib._lock.__exit__()
    compiling.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


def parsed(text: str, level: int = LEVEL) -> Any:
    """A module, verified. Code is generated from it as it is written: passes over its IR would take
    longer than they save.
    """
    if level == QUICK and _VECTOR.search(text):
        raise ValueError("level 0 is for modules of scalars")
    module = llvm.parse_assembly(text)
    module.verify()
    return module


@contextmanager
def fewer_passes() -> Iterator[None]:
    """Generate code within the block without the passes that take longer than they save: they
    reorder instructions, or look for what our IR does not have. LLVM's options are those of the
    process: who compiles with it in other threads waits, and has all passes.
    """
    with compiling, llvm.ffi.lib._lock:
        try:
            _read_options("without_passes")
            yield
        finally:
            _read_options("with_passes")


def _read_options(name: str) -> None:
    """LLVM reads a file of options in the time that it takes for one by itself."""
    llvm.set_option("", f"@{Path(__file__).with_name(name)}.options")


def object_file_of(module: Any, level: int = LEVEL) -> bytes:
    """The object file of a module that is parsed."""
    with fewer_passes():
        made: bytes = target(level).emit_object(module)
        return made


def generate(text: str, level: int = LEVEL) -> bytes:
    """The object file of a module."""
    with compiling:
        return object_file_of(parsed(text, level), level)


@once
def _linker() -> Any:
    return llvm.create_lljit_compiler(new_target(), use_jit_link=False, suppress_errors=True)


_linked = itertools.count()


def linked(object_file: bytes, exports: Sequence[str]) -> Any:
    """The addresses of names of an object file, which is in memory while these are."""
    builder = llvm.JITLibraryBuilder().add_object_img(object_file).add_current_process()
    for name in exports:
        builder.export_symbol(name)
    with compiling:
        return builder.link(_linker(), f"native{next(_linked)}")


class Symbols:
    """The symbols outside of a module that it uses. Code loads their addresses from a table, which
    is filled once the code is in memory: so it can be kept on disk.
    """

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.places: dict[str, int] = {}
        self._table: ir.GlobalVariable | None = None

    def load(self, builder: ir.IRBuilder, name: str) -> ir.Value:
        """The pointer to a symbol."""
        place = self.places.setdefault(name, len(self.places))
        if self._table is None:
            self._table = ir.GlobalVariable(self.module, ir.ArrayType(ir.POINTER, 0), ADDRESSES)
        index = ir.Constant(ir.INT64, place)
        slot = builder.gep(self._table, [index], source_etype=ir.POINTER, inbounds=True)
        return builder.load(slot, typ=ir.POINTER)

    def finish(self) -> None:
        """Give the table its size, once all symbols are known."""
        if self._table is None:
            return
        kind = ir.ArrayType(ir.POINTER, len(self.places))
        self._table.value_type = kind
        self._table.initializer = ir.Constant(kind, None)
