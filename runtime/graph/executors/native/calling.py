"""CompiledUnit units as functions of Python's."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runtime.graph.executors.native import objects
from runtime.graph.executors.native.code import link, object_file_of, once
from runtime.graph.executors.native.objects import ResultKind
from runtime.graph.executors.native.symbols import address_of

if TYPE_CHECKING:
    from runtime.graph.executors.native.compiling import Unit

NAME = "body"
"""The function of a unit that entries call."""


class _Method(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )


_FASTCALL = 0x80


class CompiledUnit(NamedTuple):
    """A unit without addresses: its object file, the symbols of the table of that, and the table
    of its entry.
    """

    object_file: bytes
    symbols: list[str]
    table: list[int | str]


def compiled_unit(unit: Unit) -> CompiledUnit:
    """A unit, compiled."""
    return CompiledUnit(object_file_of(str(unit.module)), list(unit.symbols.places), unit.table)


def callable_of(unit: Unit, fallback: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled unit as a function of Python's."""
    return function_of(compiled_unit(unit), fallback, unit.arrays, unit.known)


def function_of(
    unit: CompiledUnit,
    fallback: Callable[..., Any],
    arrays: Mapping[str, Any] = MappingProxyType({}),
    known: Sequence[Any] = (),
) -> Callable[..., Any]:
    """A compiled unit as a function of Python's. `arrays` are what some of its symbols are, `known`
    the objects whose addresses are in its table.
    """
    addresses = [
        arrays[name].ctypes.data if name in arrays else address_of(name) for name in unit.symbols
    ]
    code = link(unit.object_file, [NAME], addresses, [*arrays.values(), *known])
    words = [address_of(word) if isinstance(word, str) else word for word in unit.table]
    table = np.array([code.address(NAME), *words], np.int64)
    return _function("entry", fallback, table, code)


_PYTHONS = (ResultKind.INT, ResultKind.UNSIGNED, ResultKind.FLOAT, ResultKind.BOOL)


def on_tensors(run: Callable[..., Any], fallback: Callable[..., Any]) -> Callable[..., Any] | None:
    """A function from eager tensors to the one that a compiled unit makes of them; None where that
    makes another result. It returns NotImplemented for other arguments, of which it has changed
    nothing; the fallback takes their arrays.
    """
    _, table, code = run.__self__  # type: ignore[attr-defined]
    is_single = table[2] == 1 and table[-2] not in _PYTHONS
    return _function("on_tensors", fallback, table, code) if is_single else None


def _function(name: str, fallback: Callable[..., Any], table: Any, kept: Any) -> Callable[..., Any]:
    """One of the entries as a function of Python's."""
    method = _method(name)
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p],
    )
    made: Callable[..., Any] = new(ctypes.addressof(method), (fallback, table, kept), None)
    return made


@once
def _method(name: str) -> _Method:
    return _Method(b"native", objects.code(address_of).address(name), _FASTCALL, None)
