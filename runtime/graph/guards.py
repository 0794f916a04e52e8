"""Guards: Python values that a trace read from outside; where one changes, the trace no longer
holds.

Guarded, by identity, are the global variables that the traced functions name, the contents of their
closure cells, and the attributes that they read of `self` and of global objects by a path of plain
names (`self.scale`, `config.rate`). What the trace itself changes is a side effect of tracing and
no guard.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

MISSING = object()
Read = Callable[[], Any]


class Guards:
    """What was read, and what it was; `hold()` says whether it still is."""

    __slots__ = ("cells", "names", "seen")

    def __init__(self) -> None:
        self.names: tuple[tuple[dict[str, Any], str, Any], ...] = ()
        self.cells: tuple[tuple[CellType, Any], ...] = ()
        self.seen: dict[Any, tuple[Any, Any, Any]] = {}

    def watch(self, function: Any) -> None:
        """Remember what a function can read, before it runs."""
        function = getattr(function, "__func__", function)
        if not isinstance(function, FunctionType):
            return
        namespace = function.__globals__
        for name in names_in(function.__code__):
            if name in namespace and not isinstance(namespace[name], ModuleType):
                self._see(namespace, name, namespace[name])
        for cell in function.__closure__ or ():
            self._see(cell, None, contents(cell))

    def watch_attributes(self, instance: Any, codes: Iterable[CodeType]) -> None:
        """Remember the attributes of `self` that methods read."""
        namespace = getattr(instance, "__dict__", None)
        if namespace is None:
            return
        for code in codes:
            for name in code.co_names:
                if name in namespace:
                    self._see(namespace, name, namespace[name])

    def _see(self, holder: Any, name: Any, value: Any) -> None:
        self.seen.setdefault((id(holder), name), (holder, name, value))

    def settle(self) -> None:
        """Keep those that the trace itself has not changed."""
        names, cells = [], []
        for holder, name, value in self.seen.values():
            if name is None:
                if contents(holder) is value:
                    cells.append((holder, value))
            elif holder.get(name, MISSING) is value:
                names.append((holder, name, value))
        self.names, self.cells, self.seen = tuple(names), tuple(cells), {}

    def hold(self) -> bool:
        """Is everything still as it was?"""
        for namespace, name, value in self.names:
            if namespace.get(name, MISSING) is not value:
                return False
        for cell, value in self.cells:
            if contents(cell) is not value:
                return False
        return True

    def changed(self) -> Iterator[str]:
        """The names of what is different now."""
        for namespace, name, value in self.names:
            if namespace.get(name, MISSING) is not value:
                yield name
        for cell, value in self.cells:
            if contents(cell) is not value:
                yield "a captured variable"

    def __bool__(self) -> bool:
        return bool(self.names or self.cells)


def contents(cell: CellType) -> Any:
    """What a cell holds, or MISSING."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


@lru_cache(maxsize=1024)
def _names(code: CodeType) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            found[instruction.argval] = None
    for const in code.co_consts:
        if isinstance(const, CodeType):
            found.update(dict.fromkeys(_names(const)))
    return tuple(found)


def names_in(code: CodeType) -> tuple[str, ...]:
    """The global names that code, and the functions defined in it, read."""
    return _names(code)
