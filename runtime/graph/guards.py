"""Guards: Python values that a trace read from outside. Where one changes, the trace does not hold.

Guarded, by identity, is what the traced functions read by static paths: global variables, captured
variables, and from there, from `self` and from arguments, attributes and items with constant keys
(`config.rate`, `table['k']`). Of containers that a path goes through or ends in, the elements
are guarded too, of arrays what is in them, and of the objects among them the attributes for
which the code has the names, and what the methods read that Python calls by itself. What the trace
itself changes is a side effect of tracing, and no guard; what the signature of a call tells is none
either. Library code is not looked at, nor what is in large arrays; too many values are refused.
"""

from __future__ import annotations

import array
import builtins
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import cached_property, partial
from operator import is_
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from runtime.graph.code_paths import WHOLE, Path, names_in, paths_in
from runtime.graph.frames import is_ours
from runtime.graph.ir import Location
from runtime.graph.missing import OPERATORS
from runtime.graph.refusals import refuse
from runtime.graph.structures import structure_of

MOST_GUARDS = 10_000
"""Values that one trace guards; more are refused."""

MOST_ONE_BY_ONE = 32
"""Elements that are compared one by one; the identities of more are compared as bytes."""

MOST_BYTES = 1 << 18
"""The size of an array that is compared (in some 10 us); a larger one is guarded as an object."""

MISSING = object()
"""Stands for an attribute, an item or the content of a cell that is not there."""


Elements = tuple[Any, ...] | bytes
Attributes = tuple[tuple[str, Any, bool], ...]
Owner = tuple[Callable[[], Any], type, Attributes]


class Guards:
    """What was read, and what it was; `hold()` says whether it still is."""

    __slots__ = (
        *("_large", "_names", "_objects", "_owners", "_place", "_slots", "_seen", "_small"),
        *("_visited", "_where", "cells", "contents", "entries", "instances", "paths"),
    )

    def __init__(self) -> None:
        self.entries: tuple[tuple[Mapping[Any, Any], Any, Any], ...] = ()
        self.cells: tuple[tuple[CellType, Any], ...] = ()
        self.contents: tuple[tuple[Any, Elements], ...] = ()
        self.instances: tuple[tuple[Callable[[], Any], Any, Any], ...] = ()
        self._small: tuple[tuple[Any, Elements], ...] = ()
        self._large: tuple[tuple[Any, bytes], ...] = ()
        self._owners: tuple[Owner, ...] = ()
        self._slots: tuple[tuple[Callable[[], Any], str, Any], ...] = ()
        self.paths: dict[Any, str] = {}
        self._place = ""
        self._where: Location | None = None
        self._seen: dict[Any, tuple[Any, Any, Any]] = {}
        self._visited: set[Any] = set()
        self._names: dict[str, bool] = {}
        self._objects: dict[int, tuple[Any, str]] = {}

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
        # An object that is gone is one that nobody reads any more.
        for read, kind, attributes in self._owners:
            item = read()
            if item is None:
                continue
            if type(item) is not kind:
                return False
            own = getattr(item, "__dict__", _NOTHING)
            for key, value, is_weak in attributes:
                if own.get(key, MISSING) is not (value() if is_weak else value):
                    return False
        for read, key, value in self._slots:
            item = read()
            if item is not None and _attribute_now(item, key) is not _strong(value):
                return False
        for container, elements in self._small:
            if not _same_elements(container, elements):
                return False
        return all(_identities(container) == known for container, known in self._large)

    # Looking, while the function is traced

    def watch(
        self, function: Any, arguments: Mapping[str, Any] | None = None, place: str | None = None
    ) -> None:
        """Remember what a function can read, before it runs; `arguments` by their names; `place` is
        the user's expression for what it is a method of.
        """
        if isinstance(function, partial):
            self._applied(function)
            return
        call = type(function).__call__ if callable(function) else None
        if not isinstance(function, FunctionType | MethodType) and isinstance(call, FunctionType):
            function = MethodType(call, function)
        receiver = getattr(function, "__self__", None)
        function = getattr(function, "__func__", function)
        if not isinstance(function, FunctionType) or is_ours(function.__code__.co_filename):
            return
        key = id(function.__code__), id(function.__closure__), id(receiver)
        if key in self._visited:
            return
        self._visited.add(key)
        before = self._place, self._where
        self._where = function.__code__.co_filename, function.__code__.co_firstlineno, 1
        self._read_by(function, receiver, arguments or {}, place)
        self._place, self._where = before

    def _read_by(
        self, function: FunctionType, receiver: Any, arguments: Mapping[str, Any], place: str | None
    ) -> None:
        code, places = function.__code__, {}
        known = _defaults_of(function) | dict(arguments)
        self._learn(names_in(code))
        if receiver is not None and code.co_argcount:
            known[code.co_varnames[0]] = receiver
            places[code.co_varnames[0]] = place or code.co_varnames[0]
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        for path in paths_in(code):
            self._place = places.get(path.root, path.root)
            self._follow(path, function.__globals__, cells, known, arguments)
        for name in names_in(code) if "globals" in code.co_names else ():
            if name in function.__globals__:
                self._follow(Path(True, name, ()), function.__globals__, cells, known, ())
        for name, argument in arguments.items():
            self._place = name
            self._argument(argument)

    def _applied(self, function: partial[Any]) -> None:
        for value in (*function.args, *function.keywords.values()):
            self._elements(value)
            self._object(value)
        self.watch(function.func)

    def _learn(self, names: Mapping[str, bool]) -> None:
        """Look at the objects that were met for the attributes that more code reads."""
        fresh = [name for name in names if names[name] > self._names.get(name, -1)]
        self._names.update((name, names[name]) for name in fresh)
        for item, place in list(self._objects.values()) if fresh else ():
            self._attributes(item, place, fresh)

    def _argument(self, value: Any) -> None:
        """Guard what is in the parts of an argument that the signature knows by identity only."""
        if not _is_told(value):
            self._elements(value)
            self._object(value)
            return
        found = structure_of(value)
        for part in found[1] if found else ():
            self._argument(part)

    def _follow(
        self,
        path: Path,
        namespace: dict[str, Any],
        cells: Mapping[str, CellType],
        known: Mapping[str, Any],
        told_by: Container[str],
    ) -> None:
        if path.is_global:
            value = namespace.get(path.root, MISSING)
            if not isinstance(value, ModuleType) and not _is_builtin(path.root, value):
                self._see(namespace, path.root, value)
        elif path.root in cells:
            value = contents(cells[path.root])
            self._see(cells[path.root], None, value)
        else:
            value = known.get(path.root, MISSING)
        # What the signature tells of an argument needs no guard.
        told = path.root in told_by
        for kind, key in path.steps:
            told = told and _is_told(value)
            if value is MISSING:
                return
            self._place += f".{key}" if kind == "." else f"[{key!r}]"
            if told:
                value = _part(value, kind, key)
            else:
                value = self._attribute(value, key) if kind == "." else self._item(value, key)
        if not told:
            self._elements(value)
            self._object(value)

    def _attribute(self, holder: Any, name: str) -> Any:
        if isinstance(holder, ModuleType):
            return MISSING if _is_library(holder.__name__) else self._entry(vars(holder), name)
        self._elements(holder)  # a method of a container reads them
        if _is_library((holder if isinstance(holder, type) else type(holder)).__module__):
            return MISSING
        if name == "__dict__" and not isinstance(holder, type):
            return getattr(holder, "__dict__", MISSING)
        value = _attribute_now(holder, name)
        if value is MISSING and not hasattr(holder, "__dict__"):
            return MISSING
        self._see(holder, _Attribute(name), value)
        return self._class_attribute(holder, name) if value is MISSING else value

    def _class_attribute(self, holder: Any, name: str) -> Any:
        if name == "__class__":
            return type(holder)
        for base in (holder if isinstance(holder, type) else type(holder)).__mro__:
            value = vars(base).get(name, MISSING)
            if value is not MISSING or not _is_library(base.__module__):
                self._see(base, _Attribute(name), value)
            if value is MISSING:
                continue
            if isinstance(value, property) and isinstance(value.fget, FunctionType):
                self.watch(value.fget.__get__(holder), place=self._place.removesuffix(f".{name}"))
            elif hasattr(value, "__dict__"):
                self._method(value, "__get__", self._place)
            return MISSING if hasattr(type(value), "__get__") else value
        return MISSING

    def _item(self, holder: Any, key: Any) -> Any:
        if type(holder) in (dict, MappingProxyType):
            return self._entry(holder, key)
        before, place = self._place, self._place.removesuffix(f"[{key!r}]")
        self._place = place
        self._elements(holder)
        self._place = before
        self._method(holder, "__getitem__", place)
        return _part(holder, "[]", key)

    def _method(self, item: Any, name: str, place: str) -> None:
        """Look at what a method reads that Python calls by itself."""
        method = getattr(type(item), name, None)
        if isinstance(method, FunctionType):
            self.watch(MethodType(method, item), place=place)

    def _entry(self, mapping: Mapping[Any, Any], key: Any) -> Any:
        value = mapping.get(key, MISSING)
        self._see(mapping, key, value)
        return value

    def _elements(self, value: Any) -> None:
        if not _is_compared(value) or (id(value), _Elements) in self._seen:
            return
        elements = _elements(value)
        # What holds a tuple of these guards it.
        if type(value) is tuple and _ATOMIC.issuperset(map(type, value)):
            return
        self._see(value, _Elements, elements)
        if type(elements) is bytes or _ATOMIC.issuperset(map(type, elements)):
            return
        place = self._place
        for at, element in enumerate(elements):
            self._place = f"{place}{_index(value, elements, at)}"
            self._elements(element)
            self._object(element)
        self._place = place

    def _object(self, item: Any) -> None:
        """Guard the attributes of an object for which traced code has the names."""
        if not _is_the_users(item) or id(item) in self._objects:
            return
        place = self._place
        self._objects[id(item)] = item, place
        self._attributes(item, place, self._names)
        # A comparison may read more than decides it.
        for name in (*OPERATORS, "__getitem__", "__getattr__", "__enter__", "__exit__"):
            self._method(item, name, place)
        self._place = place

    def _attributes(self, item: Any, place: str, names: Iterable[str]) -> None:
        names = tuple(names)
        own = () if WHOLE.isdisjoint(names) else _fields_of(item)
        for name in dict.fromkeys((*names, *own)):
            if self._names.get(name) or _has(item, name):
                self._place = f"{place}.{name}"
                value = self._attribute(item, name)
                self._elements(value)
                self._object(value)

    def see_elements(self, elements: Any) -> None:
        """Guard that what an array of tensors outside of the graph holds is still the present."""
        self._place = "a TensorArray"
        self._see(elements, _Attribute("is_current"), True)

    def adopt(self, others: Guards) -> None:
        """Guard what another trace guards, for it is called in this one."""
        held: list[tuple[Any, Any, Any]] = [*others.entries]
        held += [(cell, None, value) for cell, value in others.cells]
        held += [(container, _Elements, known) for container, known in others.contents]
        held += [(read(), key, _strong(value)) for read, key, value in others.instances]
        for holder, key, value in held:
            if holder is not None:
                self._place = others.paths[id(holder), key]
                self._see(holder, key, value)

    def _see(self, holder: Any, key: Any, value: Any) -> None:
        if len(self._seen) >= MOST_GUARDS:
            raise self._too_many()
        self._seen.setdefault((id(holder), key), (holder, key, value))
        self.paths.setdefault((id(holder), key), self._place)

    def _too_many(self) -> Exception:
        return refuse(
            f"what is read from outside has more than {MOST_GUARDS} values that may change, which "
            f"each call would have to compare; the last one is {self._place}",
            "pass what is used as an argument, or keep it in a tensor",
            variable=self._place.partition(".")[0].partition("[")[0],
            location=self._where,
        )

    def notes(self) -> Iterable[Any]:
        """Where what was seen is remembered: all that holds objects while the trace is made."""
        return [*self._seen.values(), *self._objects.values()]

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
            elif not isinstance(key, _Attribute):
                if holder.get(key, MISSING) is value:
                    entries.append((holder, key, value))
            else:
                now = _attribute_now(holder, key)
                if now is value or (value is MISSING and _is_computed_once(holder, key)):
                    instances.append((_weak(holder), key, _weak_value(now)))
        self.entries, self.cells = tuple(entries), tuple(cells)
        self.contents, self.instances = tuple(elements), tuple(instances)
        large = [(item, _identities(item)) for item, known in elements if _is_large(known)]
        self._large = tuple(large)
        self._small = tuple([pair for pair in elements if not _is_large(pair[1])])
        self._arrange()
        self._seen, self._visited = {}, set()
        self._names, self._objects = {}, {}

    def _arrange(self) -> None:
        """Put the attributes of one object together, so that it is looked up once."""
        owners: dict[int, tuple[Callable[[], Any], list[tuple[str, Any, bool]]]] = {}
        slots = []
        for read, key, value in self.instances:
            item = read()
            if value is not MISSING and key not in getattr(item, "__dict__", _NOTHING):
                slots.append((read, key, value))
                continue
            attributes = owners.setdefault(id(item), (read, []))[1]
            attributes.append((key, value, type(value) is weakref.ReferenceType))
        self._owners = tuple([(read, type(read()), tuple(held)) for read, held in owners.values()])
        self._slots = tuple(slots)

    def changed(self) -> Iterator[str]:
        """What is different now, as the user would write it."""
        for mapping, key, value in self.entries:
            now = mapping.get(key, MISSING)
            if now is not value:
                yield _difference(self.paths[id(mapping), key], value, now)
        for cell, value in self.cells:
            if contents(cell) is not value:
                yield _difference(self.paths[id(cell), None], value, contents(cell))
        for read, kind, _ in self._owners:
            if type(read()) is not kind and read() is not None:
                yield f"an object of class {kind.__name__} is now a {type(read()).__name__}"
        for read, key, value in self.instances:
            item = read()
            now = _attribute_now(item, key)
            if item is not None and now is not _strong(value):
                yield _difference(self.paths[id(item), key], _strong(value), now)
        for container, known in self.contents:
            if not _same_elements(container, known):
                yield _different_elements(self.paths[id(container), _Elements], container, known)


def _different_elements(path: str, container: Any, known: Elements) -> str:
    if type(known) is bytes:
        return f"what is in {path} changed"
    now = _elements(container)
    if len(now) != len(known):
        size = len(known) // 2 if _is_mapping(container) else len(known)
        return f"{path} had {size} elements, has {len(container)}"
    at = next(at for at, pair in enumerate(zip(known, now, strict=True)) if pair[0] is not pair[1])
    return _difference(f"{path}{_index(container, known, at)}", known[at], now[at])


def _difference(path: str, before: Any, now: Any) -> str:
    if before is MISSING:
        return f"{path} was not there, is {_short(now)}"
    if now is MISSING:
        return f"{path} was {_short(before)}, is not there any more"
    if type(before) in _ATOMIC or type(now) in _ATOMIC:
        return f"{path} was {_short(before)}, is {_short(now)}"
    return f"{path} is another {type(now).__name__}"


def _short(value: Any) -> str:
    return f"{value!r:.40}" if type(value) in _ATOMIC else f"an object of {type(value).__name__}"


def _index(container: Any, elements: Elements, at: int) -> str:
    """How the user would write the way to an element."""
    if _is_mapping(container):
        return f"[{elements[at % (len(elements) // 2)]!r:.40}]"
    return "" if isinstance(container, set | frozenset) else f"[{at}]"


def _is_builtin(name: str, value: Any) -> bool:
    return value is MISSING and hasattr(builtins, name)


def _fields_of(item: Any) -> Iterable[str]:
    """The attributes that code can read of an object without their names."""
    fields = getattr(type(item), "__dataclass_fields__", _NOTHING)
    return () if isinstance(item, type) else (*fields, *getattr(item, "__dict__", _NOTHING))


def _is_told(argument: Any) -> bool:
    return isinstance(argument, np.ndarray) or structure_of(argument) is not None


def _part(argument: Any, kind: str, key: Any) -> Any:
    if kind == ".":
        return _attribute_now(argument, key)
    if type(argument) is dict:
        return argument.get(key, MISSING)
    if type(argument) not in (list, tuple) or not isinstance(key, int):
        return MISSING
    return argument[key] if -len(argument) <= key < len(argument) else MISSING


class _Attribute(str):
    """The key of a guard on an attribute, not on an entry of a mapping."""

    __slots__ = ()


class _Elements:
    """The key of guards on the elements of a container."""


_MAPPINGS: tuple[Any, ...] = (OrderedDict, dict, MappingProxyType)
_KINDS: tuple[Any, ...] = (*_MAPPINGS, list, tuple, set, frozenset, deque)
_PLAIN = frozenset((list, tuple, set, frozenset, deque))
_BUFFERS = bytearray, array.array
_SIZED: tuple[Any, ...] = (*_BUFFERS, *_KINDS)


def _is_compared(value: Any) -> bool:
    return (
        value.nbytes <= MOST_BYTES if isinstance(value, np.ndarray) else isinstance(value, _SIZED)
    )


def _is_mapping(value: Any) -> bool:
    return isinstance(value, _MAPPINGS)


def _is_large(elements: Elements) -> bool:
    return type(elements) is tuple and len(elements) > MOST_ONE_BY_ONE


def _identities(container: Any) -> bytes:
    """The addresses of the elements: those of a thousand are read in 6 us, and compared at once."""
    elements = container if type(container) in _PLAIN else _elements(container)
    return np.fromiter(elements, object, len(elements)).tobytes()


def _elements(container: Any) -> Elements:
    if isinstance(container, _BUFFERS):
        return bytes(container)
    if isinstance(container, np.ndarray):
        return tuple(container.flat) if container.dtype.hasobject else container.tobytes()
    # Not the iteration of a subclass, which is the user's code.
    kind = next(kind for kind in _KINDS if isinstance(container, kind))
    values = kind.values(container) if kind in _MAPPINGS else ()
    return (*kind.__iter__(container), *values)


def _same_elements(container: Any, known: Elements) -> bool:
    if type(container) in _PLAIN:
        return len(container) == len(known) and all(map(is_, container, known))
    now = _elements(container)
    if type(known) is bytes:
        return now == known
    return len(now) == len(known) and all(map(is_, now, known))


def contents(cell: CellType) -> Any:
    """What a cell holds, or MISSING."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _attribute_now(instance: Any, name: str) -> Any:
    value = getattr(instance, "__dict__", _NOTHING).get(name, MISSING)
    if value is MISSING:
        slot = getattr(type(instance), name, None)
        if type(slot) is MemberDescriptorType:
            return getattr(instance, name, MISSING)
    return value


def _is_computed_once(instance: Any, name: str) -> bool:
    """Is it an attribute that Python puts there when it is asked?"""
    return isinstance(getattr(type(instance), name, None), cached_property)


_NOTHING: Mapping[str, Any] = {}


def _is_the_users(item: Any) -> bool:
    kind = item if isinstance(item, type) else type(item)
    if _is_library(kind.__module__) or isinstance(item, ModuleType | FunctionType):
        return False
    return hasattr(item, "__dict__") or hasattr(kind, "__slots__")


def _has(item: Any, name: str) -> bool:
    if isinstance(item, type):
        found = next((vars(base)[name] for base in item.__mro__ if name in vars(base)), MISSING)
    elif _attribute_now(item, name) is not MISSING:
        return True
    else:
        found = getattr(type(item), name, MISSING)
    if isinstance(found, cached_property | property | FunctionType):
        return True
    return found is not MISSING and not hasattr(type(found), "__get__")


# An instance must be collectable though a trace of its method is kept, and it may refer to itself.


def _weak(instance: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(instance)
    except TypeError:
        return lambda: instance


_ATOMIC = frozenset((bool, int, float, complex, str, bytes, type(None)))
_ATOMS = (*_ATOMIC, BuiltinFunctionType, type(MISSING))


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


def _defaults_of(function: FunctionType) -> dict[str, Any]:
    """The default values of parameters, by their names."""
    code, values = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    return dict(zip(names, values, strict=True)) | (function.__kwdefaults__ or {})
