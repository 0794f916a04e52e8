"""Guards: Python values that a trace read from outside. Where one changes, the trace does not hold.

Guarded, by identity, is what the traced functions read by static paths: global variables, captured
variables, and from there, from `self` and from arguments, attributes and items with constant keys
(`config.rate`, `table['k']`). Of small lists, dicts and sets that a path ends in, the elements are
guarded too. What the trace itself changes is a side effect of tracing, and no guard. Library code
and what is behind the bounds below is not looked at.
"""

from __future__ import annotations

import dis
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from operator import is_
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from runtime.graph.frames import is_ours

MOST_GUARDS = 500
"""Values that one trace guards at most."""

MOST_ELEMENTS = 256
"""Elements of a container that are guarded one by one; a larger one is guarded as an object."""

MISSING = object()


class Path(NamedTuple):
    """A static path in code: a global or local name, then attributes and items."""

    is_global: bool
    root: str
    steps: tuple[tuple[str, Any], ...]


class Guards:
    """What was read, and what it was; `hold()` says whether it still is."""

    __slots__ = (
        *("_place", "_seen", "_visited", "paths"),
        *("cells", "contents", "entries", "instances"),
    )

    def __init__(self) -> None:
        self.entries: tuple[tuple[Mapping[Any, Any], Any, Any], ...] = ()
        self.cells: tuple[tuple[CellType, Any], ...] = ()
        self.contents: tuple[tuple[Any, tuple[Any, ...]], ...] = ()
        self.instances: tuple[tuple[Callable[[], Any], Any, Any], ...] = ()
        self.paths: dict[Any, str] = {}
        self._place = ""
        self._seen: dict[Any, tuple[Any, Any, Any]] = {}
        self._visited: set[Any] = set()

    def __bool__(self) -> bool:
        return bool(self.entries or self.cells or self.contents or self.instances)

    def hold(self) -> bool:
        """Is everything still as it was?"""
        for mapping, key, value in self.entries:
            if mapping.get(key, MISSING) is not value:
                return False
        for cell, value in self.cells:
            if contents(cell) is not value:
                return False
        for read, key, value in self.instances:
            if _attribute_now(read(), key) is not _strong(value):
                return False
        return all(_same_elements(container, known) for container, known in self.contents)

    # Looking, while the function is traced

    def watch(self, function: Any, arguments: Mapping[str, Any] | None = None) -> None:
        """Remember what a function can read, before it runs; `arguments` by their names."""
        receiver = getattr(function, "__self__", None)
        function = getattr(function, "__func__", function)
        if not isinstance(function, FunctionType) or is_ours(function.__code__.co_filename):
            return
        key = id(function.__code__), id(function.__closure__), id(receiver)
        if key in self._visited:
            return
        self._visited.add(key)
        code = function.__code__
        known = dict(arguments or {})
        if receiver is not None and code.co_argcount:
            known[code.co_varnames[0]] = receiver
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        for path in paths_in(code):
            self._follow(path, function.__globals__, cells, known)

    def _follow(
        self,
        path: Path,
        namespace: dict[str, Any],
        cells: Mapping[str, CellType],
        known: Mapping[str, Any],
    ) -> None:
        self._place = path.root
        if path.is_global:
            value = namespace.get(path.root, MISSING)
            if not isinstance(value, ModuleType) and value is not MISSING:
                self._see(namespace, path.root, value)
        elif path.root in cells:
            value = contents(cells[path.root])
            self._see(cells[path.root], None, value)
        else:
            value = known.get(path.root, MISSING)
        for kind, key in path.steps:
            if value is MISSING or len(self._seen) > MOST_GUARDS:
                return
            self._place += f".{key}" if kind == "." else f"[{key!r}]"
            value = self._attribute(value, key) if kind == "." else self._item(value, key)
        self._elements(value)

    def _attribute(self, holder: Any, name: str) -> Any:
        if isinstance(holder, ModuleType):
            return MISSING if _is_library(holder.__name__) else self._entry(vars(holder), name)
        if _is_library(type(holder).__module__):
            return MISSING
        own = getattr(holder, "__dict__", None)
        if own is None:
            return MISSING
        value = own.get(name, MISSING)
        self._see(holder, name, value)
        return self._class_attribute(holder, name) if value is MISSING else value

    def _class_attribute(self, holder: Any, name: str) -> Any:
        for base in (holder if isinstance(holder, type) else type(holder)).__mro__:
            if name in vars(base):
                value = self._entry(vars(base), name)
                if isinstance(value, property) and isinstance(value.fget, FunctionType):
                    self.watch(value.fget.__get__(holder))
                return MISSING if hasattr(type(value), "__get__") else value
        return MISSING

    def _item(self, holder: Any, key: Any) -> Any:
        if type(holder) is dict:
            return self._entry(holder, key)
        if type(holder) is list or type(holder) is tuple:
            self._elements(holder)
            return (
                holder[key]
                if isinstance(key, int) and -len(holder) <= key < len(holder)
                else MISSING
            )
        return MISSING

    def _entry(self, mapping: Mapping[Any, Any], key: Any) -> Any:
        value = mapping.get(key, MISSING)
        self._see(mapping, key, value)
        return value

    def _elements(self, value: Any) -> None:
        if type(value) not in (list, dict, set) or len(value) > MOST_ELEMENTS:
            return
        if (id(value), _Elements) in self._seen:
            return
        elements = _elements(value)
        self._see(value, _Elements, elements)
        for element in elements:
            self._elements(element)

    def _see(self, holder: Any, key: Any, value: Any) -> None:
        self._seen.setdefault((id(holder), key), (holder, key, value))
        self.paths.setdefault((id(holder), key), self._place)

    def settle(self) -> None:
        """Keep those that the trace itself has not changed."""
        entries, cells, elements, instances = [], [], [], []
        for holder, key, value in self._seen.values():
            if key is _Elements:
                if _same_elements(holder, value):
                    elements.append((holder, value))
            elif type(holder) is CellType:
                if contents(holder) is value:
                    cells.append((holder, value))
            elif isinstance(holder, Mapping):
                if holder.get(key, MISSING) is value:
                    entries.append((holder, key, value))
            elif _attribute_now(holder, key) is value:
                instances.append((_weak(holder), key, _weak_value(value)))
        self.entries, self.cells = tuple(entries), tuple(cells)
        self.contents, self.instances = tuple(elements), tuple(instances)
        self._seen, self._visited = {}, set()

    def changed(self) -> Iterator[str]:
        """What is different now, as the user would write it."""
        for mapping, key, value in self.entries:
            now = mapping.get(key, MISSING)
            if now is not value:
                yield self._changed(mapping, key, value, now)
        for cell, value in self.cells:
            if contents(cell) is not value:
                yield self._changed(cell, None, value, contents(cell))
        for read, key, value in self.instances:
            now = _attribute_now(read(), key)
            if now is not _strong(value):
                yield self._changed(read(), key, _strong(value), now)
        for container, known in self.contents:
            if not _same_elements(container, known):
                yield f"what is in {self.paths[id(container), _Elements]}"

    def _changed(self, holder: Any, key: Any, before: Any, now: Any) -> str:
        path = self.paths.get((id(holder), key), f".{key}")
        if type(before) in _ATOMS and type(now) in _ATOMS and MISSING not in (before, now):
            return f"{path} is {now!r:.40}, it was {before!r:.40}"
        return path


class _Elements:
    """The key of guards on the elements of a container."""


def _elements(container: Any) -> tuple[Any, ...]:
    if isinstance(container, dict):
        return (*container, *container.values())
    return tuple(container)


def _same_elements(container: Any, known: tuple[Any, ...]) -> bool:
    now = _elements(container)
    return len(now) == len(known) and all(map(is_, now, known))


def contents(cell: CellType) -> Any:
    """What a cell holds, or MISSING."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _attribute_now(instance: Any, name: str) -> Any:
    return getattr(instance, "__dict__", {}).get(name, MISSING)


# An instance must be collectable though a trace of its method is kept, and it may refer to itself.


def _weak(instance: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(instance)
    except TypeError:
        return lambda: instance


_ATOMS = (bool, int, float, complex, str, bytes, type(None), BuiltinFunctionType, type(MISSING))


def _weak_value(value: Any) -> Any:
    if type(value) in _ATOMS or value is MISSING:
        return value
    try:
        return weakref.ref(value)
    except TypeError:
        return value


def _strong(value: Any) -> Any:
    return value() if type(value) is weakref.ReferenceType else value


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in ("runtime", "autograph", "numpy", "builtins")


# Paths in code


def paths_in(code: CodeType) -> tuple[Path, ...]:
    """The static paths that code, and the functions defined in it, read."""
    return _paths(code)


@lru_cache(maxsize=1024)
def _paths(code: CodeType) -> tuple[Path, ...]:
    found = dict.fromkeys(_paths_of(dis.get_instructions(code)))
    for const in code.co_consts:
        if isinstance(const, CodeType):
            found.update(dict.fromkeys(_paths(const)))
    return tuple(found)


def _paths_of(instructions: Iterable[dis.Instruction]) -> Iterator[Path]:
    path: Path | None = None
    constant: Any = MISSING
    for instruction in instructions:
        name = instruction.opname
        if name in ("CACHE", "NOP", "EXTENDED_ARG", "RESUME", "PRECALL"):
            continue
        if name == "LOAD_CONST" and path is not None and constant is MISSING:
            constant = instruction.argval
            continue
        step = _step(name, instruction.argval, constant)
        constant = MISSING
        if path is not None and step is not None:
            path = path._replace(steps=(*path.steps, step))
            continue
        if path is not None:
            yield path
        path = _root(name, instruction.argval)
    if path is not None:
        yield path


def _step(name: str, argument: Any, constant: Any) -> tuple[str, Any] | None:
    if name in ("LOAD_ATTR", "LOAD_METHOD"):
        return ".", argument
    if name == "BINARY_SUBSCR" and isinstance(constant, str | int | float | bytes):
        return "[]", constant
    return None


def _root(name: str, argument: Any) -> Path | None:
    if name in ("LOAD_GLOBAL", "LOAD_NAME"):
        return Path(True, argument, ())
    if name in ("LOAD_DEREF", "LOAD_CLASSDEREF") or name.startswith("LOAD_FAST"):
        root = argument[-1] if isinstance(argument, tuple) else argument
        return Path(False, root, ())
    return None
