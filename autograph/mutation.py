"""Hidden changes: what a piece of code did to Python objects that it could reach.

A `Snapshot` remembers the state of the mutable objects reachable from some roots, tells later what
has changed, and can put it back. Elements are compared by identity, and no code of the user's runs.

Looked at are lists, dicts, sets, deques and bytearrays (also of subclasses), attributes and slots of
instances, attributes of the user's classes, arrays by content, and of functions the cells, defaults
and attributes, the globals that they name, and what they name of the user's modules. Looked through
are tuples, frozensets, bound methods and partial functions. A function that is met is looked into
where a cell or a root holds it. Not looked into are objects of registered libraries and of the
standard library, and what C code keeps to itself, such as the position of an iterator.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from array import array
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from operator import is_
from types import CellType, CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any, Final, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from autograph.codes import CodeTable
from autograph.frames import is_library

DEPTH = 8
ELEMENTS = 100_000
ARRAY_BYTES = 1 << 24


class _Missing:
    def __repr__(self) -> str:
        return "<missing>"


MISSING: Final = _Missing()
"""Stands in a `Change` for what was not there."""


class Change(NamedTuple):
    """One difference.

    Attributes:
        path: where, as the user would write it: `self.count`, `cache['k']`, `xs[2]`, `len(xs)`.
        object: the object that changed; of a captured variable its cell, of a global one the
            namespace.
        before: what was there, or `MISSING`.
        after: what is there now, or `MISSING`.
    """

    path: str
    object: Any
    before: Any
    after: Any


class Snapshot:
    """The state of what is reachable from `roots` now.

    Args:
        roots: values by the names that the user knows them by. What a function can reach goes by
            the names that it has there.
        depth: how deep objects may be nested.
        elements: how many elements and attributes are looked at in all.
        array_bytes: the size of an array that is compared by content.

    Attributes:
        beyond: paths, with the reason, of what lies beyond these bounds and was not looked at.
    """

    def __init__(
        self,
        roots: Mapping[str, Any],
        *,
        depth: int = DEPTH,
        elements: int = ELEMENTS,
        array_bytes: int = ARRAY_BYTES,
    ) -> None:
        self.beyond: list[str] = []
        self._depth = depth
        self._left = elements
        self._array_bytes = array_bytes
        self._entries: dict[Any, _Entry] = {}
        for name, value in roots.items():
            self.add(name, value)

    def add(self, name: str, value: Any) -> None:
        """Look at a further root; what was looked at before keeps the state that it had then."""
        pending: deque[tuple[Any, _Path, int]] = deque([(value, (None, _name, name), 0)])
        while pending:
            value, path, depth = pending.popleft()
            for kind in _kinds_of(type(value)):
                if kind.key(value) not in self._entries and self._within(kind, value, path, depth):
                    state = kind.take(value)
                    self._entries[kind.key(value)] = _Entry(kind, value, state, path)
                    for style, key, child in kind.parts(value, state):
                        pending.append((child, (path, style, key), depth + 1))

    def changes(self) -> list[Change]:
        """What is different now, in the order in which it was looked at."""
        return [
            Change(_render((entry.path, style, key)), _holder(entry.value), before, after)
            for entry in self._changed()
            for style, key, before, after in entry.kind.differences(entry.value, entry.state)
        ]

    def restore(self) -> None:
        """Put back what was there."""
        for entry in self._changed():
            entry.kind.put(entry.value, entry.state)

    def _changed(self) -> list[_Entry]:
        entries = self._entries.values()
        return [entry for entry in entries if not entry.kind.same(entry.value, entry.state)]

    def _within(self, kind: _Kind, value: Any, path: _Path, depth: int) -> bool:
        size = kind.size(value)
        self._left -= size if kind is not _ARRAY else 1
        if depth > self._depth:
            reason = f"is nested more than {self._depth} deep"
        elif self._left < 0:
            reason = "comes after too many elements"
        elif kind is _ARRAY and size > self._array_bytes:
            reason = f"is an array of {size} bytes"
        else:
            return True
        self.beyond.append(f"{_render(path)} {reason}")
        return False


class _Entry(NamedTuple):
    kind: _Kind
    value: Any
    state: Any
    path: _Path


# Paths, written out only where they are shown

Style: TypeAlias = Callable[[Callable[[], str], Any], str]
_Path: TypeAlias = "tuple[_Path | None, Style, Any]"
Part: TypeAlias = tuple[Style, Any, Any]
Difference: TypeAlias = tuple[Style, Any, Any, Any]


def _render(path: _Path) -> str:
    parent, style, key = path
    return style(lambda: "" if parent is None else _render(parent), key)


def _name(parent: Callable[[], str], key: Any) -> str:
    return str(key)


def _item(parent: Callable[[], str], key: Any) -> str:
    # Only of plain values: the `repr` of an object of the user's would run code.
    shown = repr(key) if type(key) in _ATOMS else f"<{type(key).__qualname__}>"
    return f"{parent()}[{shown}]"


def _attribute(parent: Callable[[], str], key: Any) -> str:
    return f"{parent()}.{key}"


def _itself(parent: Callable[[], str], key: Any) -> str:
    return parent()


def _length(parent: Callable[[], str], key: Any) -> str:
    return f"len({parent()})"


# Kinds of objects


class _Kind:
    """One kind of mutable state. This base looks through what holds others and cannot change."""

    def __init__(self, held: Callable[[Any], Iterable[Part]] = lambda value: ()) -> None:
        self._held = held

    def key(self, value: Any) -> Any:
        """What tells this state of this object from all others."""
        return id(value)

    def size(self, value: Any) -> int:
        return 1

    def take(self, value: Any) -> Any:
        """What is needed to compare and to put back."""
        return None

    def parts(self, value: Any, state: Any) -> Iterable[Part]:
        """The objects held, with their paths from here."""
        return self._held(value)

    def same(self, value: Any, state: Any) -> bool:
        return True

    def differences(self, value: Any, state: Any) -> Iterator[Difference]:
        """Style and key of the path from here, what was there, and what is."""
        yield from ()

    def put(self, value: Any, state: Any) -> None:
        """Bring `state` back."""


class _Sequence(_Kind):
    """Lists and deques: a tuple of the elements."""

    def __init__(self, base: type) -> None:
        self._base: Any = base

    def size(self, value: Any) -> int:
        return int(self._base.__len__(value))

    def take(self, value: Any) -> tuple[Any, ...]:
        return tuple(self._base.__iter__(value))

    def parts(self, value: Any, state: tuple[Any, ...]) -> Iterable[Part]:
        if _ATOMS.issuperset(map(type, state)):
            return ()
        return [(_item, i, child) for i, child in enumerate(state) if type(child) not in _ATOMS]

    def same(self, value: Any, state: tuple[Any, ...]) -> bool:
        items = self._base.__iter__(value)
        return self.size(value) == len(state) and all(map(is_, state, items))

    def differences(self, value: Any, state: tuple[Any, ...]) -> Iterator[Difference]:
        now = self.take(value)
        for position, (before, after) in enumerate(zip(state, now, strict=False)):
            if before is not after:
                yield _item, position, before, after
        if len(now) != len(state):
            yield _length, None, len(state), len(now)

    def put(self, value: Any, state: tuple[Any, ...]) -> None:
        self._base.clear(value)
        self._base.extend(value, state)


class _Mapping(_Kind):
    """A dict, or what can be read and written as one: key by key."""

    def __init__(
        self,
        style: Style,
        read: Callable[[Any], dict[Any, Any]],
        write: Callable[[Any, Any, Any], None],
        clear: Callable[[Any], None],
    ) -> None:
        self._style = style
        self.take = read  # type: ignore[method-assign]
        self._write = write
        self._clear = clear

    def size(self, value: Any) -> int:
        return len(value) if isinstance(value, dict) else 1

    def parts(self, value: Any, state: dict[Any, Any]) -> Iterable[Part]:
        style = self._style
        return [(style, key, child) for key, child in state.items() if type(child) not in _ATOMS]

    def same(self, value: Any, state: dict[Any, Any]) -> bool:
        now = self.take(value)
        return (
            len(now) == len(state)
            and all(map(is_, state, now))
            and all(map(is_, state.values(), now.values()))
        )

    def differences(self, value: Any, state: dict[Any, Any]) -> Iterator[Difference]:
        now = self.take(value)
        for key in {**state, **now}:
            before, after = state.get(key, MISSING), now.get(key, MISSING)
            if before is not after:
                yield self._style, key, before, after
        if now.keys() == state.keys() and not all(map(is_, state, now)):
            yield _itself, None, list(state), list(now)  # the same keys in another order

    def put(self, value: Any, state: dict[Any, Any]) -> None:
        self._clear(value)
        for key, child in state.items():
            self._write(value, key, child)


class _Set(_Kind):
    """Sets: the elements, which cannot be mutable, but may hold what is."""

    def size(self, value: set[Any]) -> int:
        return set.__len__(value)

    def take(self, value: set[Any]) -> tuple[Any, ...]:
        return tuple(set.__iter__(value))

    def parts(self, value: set[Any], state: tuple[Any, ...]) -> Iterable[Part]:
        return [(_item, child, child) for child in state if type(child) not in _ATOMS]

    def same(self, value: set[Any], state: tuple[Any, ...]) -> bool:
        return len(state) == set.__len__(value) and {*map(id, state)} == {*map(id, self.take(value))}

    def differences(self, value: set[Any], state: tuple[Any, ...]) -> Iterator[Difference]:
        yield _itself, None, frozenset(state), frozenset(self.take(value))

    def put(self, value: set[Any], state: tuple[Any, ...]) -> None:
        set.clear(value)
        set.update(value, state)


class _Bytes(_Kind):
    """Bytearrays and arrays of numbers of the standard library."""

    def take(self, value: Any) -> Any:
        return value[:]

    def same(self, value: Any, state: Any) -> bool:
        return bytes(value) == bytes(state)

    def differences(self, value: Any, state: Any) -> Iterator[Difference]:
        yield _itself, None, state, value[:]

    def put(self, value: Any, state: Any) -> None:
        value[:] = state


class _Array(_Kind):
    """Arrays with NumPy's array interface: a copy."""

    def size(self, value: Any) -> int:
        return int(value.nbytes)

    def take(self, value: Any) -> Any:
        return value.copy()

    def same(self, value: Any, state: Any) -> bool:
        alike = value.dtype == state.dtype and value.shape == state.shape
        return bool(alike and value.tobytes() == state.tobytes())

    def differences(self, value: Any, state: Any) -> Iterator[Difference]:
        yield _itself, None, state, value.copy()

    def put(self, value: Any, state: Any) -> None:
        value[...] = state


class _Cell(_Kind):
    """A captured variable."""

    def take(self, value: CellType) -> Any:
        try:
            return value.cell_contents
        except ValueError:
            return MISSING

    def parts(self, value: CellType, state: Any) -> Iterable[Part]:
        return [(_itself, None, state)]

    def same(self, value: CellType, state: Any) -> bool:
        return self.take(value) is state

    def differences(self, value: CellType, state: Any) -> Iterator[Difference]:
        yield _itself, None, state, self.take(value)

    def put(self, value: CellType, state: Any) -> None:
        if state is MISSING:
            del value.cell_contents
        else:
            value.cell_contents = state


class _Variable(NamedTuple):
    """A global variable, or an attribute of a module."""

    namespace: dict[str, Any]
    name: str


class _Global(_Kind):
    def key(self, value: _Variable) -> Any:
        return id(value.namespace), value.name

    def take(self, value: _Variable) -> Any:
        return value.namespace.get(value.name, MISSING)

    def parts(self, value: _Variable, state: Any) -> Iterable[Part]:
        return () if type(state) in _ATOMS else [(_itself, None, state)]

    def same(self, value: _Variable, state: Any) -> bool:
        return self.take(value) is state

    def differences(self, value: _Variable, state: Any) -> Iterator[Difference]:
        yield _itself, None, state, self.take(value)

    def put(self, value: _Variable, state: Any) -> None:
        if state is MISSING:
            del value.namespace[value.name]
        else:
            value.namespace[value.name] = state


def _holder(value: Any) -> Any:
    return value.namespace if type(value) is _Variable else value


# Functions


def _held_by_function(function: FunctionType) -> Iterator[Part]:
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        yield _name, name, cell
    defaults = function.__defaults__ or ()
    positional = code.co_varnames[: code.co_argcount]
    for name, value in chain(
        zip(positional[len(positional) - len(defaults) :], defaults, strict=True),
        (function.__kwdefaults__ or {}).items(),
    ):
        if type(value) not in _ATOMS:
            yield _name, name, value
    yield from _globals_of(function)


def _globals_of(function: FunctionType) -> Iterator[Part]:
    namespace, names = function.__globals__, _names_in(function.__code__)
    for name in names:
        if name not in namespace:
            continue
        value = namespace[name]
        if type(value) is not ModuleType:
            yield _name, name, _Variable(namespace, name)
        elif _is_users(value.__name__):
            members = vars(value)
            for member in names:
                if member in members:
                    yield _name, f"{name}.{member}", _Variable(members, member)


_names: CodeTable[tuple[str, ...]] = CodeTable()


def _names_in(code: CodeType) -> tuple[str, ...]:
    """The names of globals and attributes in a function and in the functions inside it."""
    names = _names.get(code)
    if names is None:
        inner = (_names_in(const) for const in code.co_consts if isinstance(const, CodeType))
        names = _names[code] = tuple(dict.fromkeys(chain(code.co_names, *inner)))
    return names


def _is_users(module: str) -> bool:
    top = module.partition(".")[0]
    return not (top in sys.stdlib_module_names or is_library(module) or _is_installed(top))


def _is_installed(module: str) -> bool:
    filename = getattr(sys.modules.get(module), "__file__", None) or ""
    return "site-packages" in filename or "dist-packages" in filename


# Attributes


def _attributes(value: Any) -> dict[str, Any]:
    cls = type(value)
    slots = _slots_of(cls)
    found = {name: _slot(value, name) for name in slots} if slots else {}
    if cls.__dictoffset__:
        found |= object.__getattribute__(value, "__dict__")
    return {name: child for name, child in found.items() if child is not MISSING}


def _slot(value: Any, name: str) -> Any:
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return MISSING


def _slots_of(cls: type) -> tuple[str, ...]:
    known = _slots.get(cls)
    if known is None:
        known = _slots[cls] = tuple(
            name
            for base in cls.__mro__
            if "__slots__" in vars(base)
            for name, member in vars(base).items()
            if type(member) is _SlotType
        )
    return known


class _Slotted:
    __slots__ = ("slot",)


_SlotType = type(vars(_Slotted)["slot"])
_slots: WeakKeyDictionary[type, tuple[str, ...]] = WeakKeyDictionary()


def _set_attribute(value: Any, name: str, child: Any) -> None:
    if name in _slots_of(type(value)):
        object.__setattr__(value, name, child)
    else:
        object.__getattribute__(value, "__dict__")[name] = child


def _clear_attributes(value: Any) -> None:
    for name in _attributes(value):
        if name in _slots_of(type(value)):
            object.__delattr__(value, name)
    if type(value).__dictoffset__:
        object.__getattribute__(value, "__dict__").clear()


def _class_attributes(cls: type) -> dict[str, Any]:
    return dict(vars(cls)) if _is_users(cls.__module__) else {}


class _ClassMapping(_Mapping):
    def put(self, value: type, state: dict[str, Any]) -> None:
        # A class cannot be cleared: only what differs is written.
        now = self.take(value)
        for name in now.keys() - state.keys():
            type.__delattr__(value, name)
        for name, child in state.items():
            if now.get(name, MISSING) is not child:
                type.__setattr__(value, name, child)


# Which kinds a type has

_ATOMS = {
    type(None), bool, int, float, complex, str, bytes, range, slice, type(...), type(NotImplemented),
    CodeType, FunctionType, ModuleType, type(len), type(str.join), type(str.__add__), type(_Missing),
}  # fmt: skip
_ATOMS -= {type}

_ARRAY = _Array()
_DICT = _Mapping(_item, dict.copy, dict.__setitem__, dict.clear)
_ORDERED = _Mapping(_item, dict.copy, OrderedDict.__setitem__, OrderedDict.clear)
_INSTANCE = _Mapping(_attribute, _attributes, _set_attribute, _clear_attributes)
_FUNCTION = _Kind(_held_by_function)
_CONTAINERS: tuple[tuple[type, _Kind], ...] = (
    (OrderedDict, _ORDERED),
    (dict, _DICT),
    (list, _Sequence(list)),
    (deque, _Sequence(deque)),
    (set, _Set()),
    (bytearray, _Bytes()),
    (array, _Bytes()),
    (tuple, _Kind(lambda value: [(_item, i, child) for i, child in enumerate(value)])),
    (frozenset, _Kind(lambda value: [(_item, child, child) for child in value])),
)
_KINDS: dict[type, tuple[_Kind, ...]] = {
    **{kind: () for kind in _ATOMS},
    **{kind: (found,) for kind, found in _CONTAINERS},
    FunctionType: (_FUNCTION,),
}
