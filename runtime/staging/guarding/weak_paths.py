"""Access paths, by which guards find again what they compare, without keeping it alive.

A list or dict cannot be referred to weakly, and what is in it may lead back to the object that
holds it. So it is found again by the way to it, attribute by attribute and item by item, from an
object.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
)
from typing import Any

import numpy as np

from autograph.objects import MISSING as MISSING
from autograph.objects import contents, of_classes, own_of, slot_of
from runtime.core.tensor import Tensor

Read = Callable[[], Any]


class Attribute(str):
    """The key of an attribute, not of an entry of a mapping."""

    __slots__ = ()


class IndexKey(int):
    """The key of an element of a list or tuple."""

    __slots__ = ()


class Weak(weakref.ref[Any]):
    """A reference that keeps nothing alive, and is none of the user's."""

    __slots__ = ()

    def __new__(cls, item: Any) -> Weak:
        """A callback that does nothing: `PyObject_ClearWeakRefs` of Python 3.11 takes for granted
        that a reference has one which waits, itself, to be deallocated.
        """
        return super().__new__(cls, item, id)


class _Gone:
    def __repr__(self) -> str:
        return "an object that is no more"


GONE = _Gone()
"""Stands for an object that is no more."""


class Route:
    """The way to a container. A call gives the container; None where the object that the way begins
    at is no more; and the way itself where something else is there now.
    """

    __slots__ = ("address", "read")

    def __init__(self, read: Read, address: int) -> None:
        self.read = read
        self.address = address

    def __call__(self) -> Any:
        found = self.read()
        return found if found is None or id(found) == self.address else self


_WEAK = frozenset((Weak, Route))


def strong(value: Any) -> Any:
    """Returns what a weak value stands for: nothing that there is, not even None, where it
    is no more.
    """
    if type(value) not in _WEAK:
        return value
    found = value()
    return GONE if found is None else found


def is_weak(value: Any) -> bool:
    """True if it stands for another value."""
    return type(value) in _WEAK


def weakly(item: Any) -> Read:
    """An object that is to be collectable, as far as its class lets it be."""
    try:
        return Weak(item)
    except TypeError:
        return lambda: item


class Ways:
    """The ways to containers, by what was `seen` while a function was traced: (holder, key, value).

    `cells` are the functions whose cells were read, by the address of the cell, with its place;
    `known` are ways that are known already, `given` the addresses of the arguments.
    """

    def __init__(
        self,
        seen: Iterable[tuple[Any, Any, Any]],
        cells: Mapping[int, tuple[FunctionType, int]],
        known: Mapping[int, Read],
        given: Container[int],
    ) -> None:
        self.cells = cells
        self.known: dict[int, Read | None] = dict(known)
        self.given = given
        self.sources: dict[int, tuple[Any, Any]] = {}
        for holder, key, value in seen:
            self.sources.setdefault(id(value), (holder, key))

    def add_elements(self, holder: Any, elements: Any) -> None:
        """Elements of a container are reached through it, unless there is another way."""
        if isinstance(holder, MAPPINGS):
            half = len(elements) // 2
            for key, value in zip(elements[:half], elements[half:], strict=True):
                self.sources.setdefault(id(value), (holder, key))
        elif isinstance(holder, _SEQUENCES):
            for at, element in enumerate(elements):
                self.sources.setdefault(id(element), (holder, IndexKey(at)))

    def to(self, item: Any) -> Read | None:
        """Returns the access to an item that an object holds; None where it may be kept alive: what
        leads to it lives as long as the function.
        """
        address = id(item)
        if address not in self.known:
            # Also for what contains itself.
            self.known[address] = None
            self.known[address] = None if leads_nowhere(item) else self._found(item)
        return self.known[address]

    def _found(self, item: Any) -> Read | None:
        if type(item) is CellType:
            return self._cell(item)
        source = self.sources.get(id(item))
        if source is None:
            return None
        holder, key = source
        read = weakly(holder) if type(key) is Attribute else self.to(holder)
        if read is None:
            return None
        return Weak(item) if is_referable(item) else Route(partial(_part, read, key), id(item))

    def _cell(self, cell: CellType) -> Read | None:
        function, place = self.cells.get(id(cell), (None, 0))
        if function is None or (id(function) not in self.given and self.to(function) is None):
            return None
        return Route(partial(_cell_of, Weak(function), place), id(cell))

    def weak(self, value: Any) -> Any:
        """Returns what stands for a value, and keeps nothing alive that an object holds."""
        if type(value) in _ATOMS:
            return value
        if is_referable(value):
            return Weak(value)
        if not isinstance(value, _CONTAINERS) or leads_nowhere(value):
            return value
        read = self.to(value)
        return value if read is None else read


def is_referable(item: Any) -> bool:
    """True if a weak reference can refer to it."""
    return type(item).__weakrefoffset__ != 0


def leads_nowhere(value: Any, depth: int = 3) -> bool:
    """True if no path leads from it to an object of the user's, so that it can be kept alive."""
    if type(value) in _ATOMS or isinstance(value, _VALUES):
        return True
    own = type(value)
    kind = next((kind for kind in (*MAPPINGS, *_SEQUENCES) if issubclass(own, kind)), None)
    if not depth or kind is None:
        return False
    # Not the iteration of a subclass, which is the user's code.
    parts = tuple(kind.values(value) if kind in MAPPINGS else kind.__iter__(value))
    if _ATOMS.issuperset(map(type, parts)):
        return True
    return all(leads_nowhere(part, depth - 1) for part in parts)


def _part(read: Read, key: Any) -> Any:
    """Returns what is under a key of what `read` finds; None if that is no more."""
    holder = read()
    if holder is None or type(holder) is Route:
        return holder
    if type(key) is Attribute:
        return attribute_now(holder, key)
    if type(holder) is CellType:
        return contents(holder)
    # Not the methods of a subclass, which are the user's code, or ask a trace.
    kinds: Any = _SEQUENCES if type(key) is IndexKey else MAPPINGS
    kind = next((each for each in kinds if isinstance(holder, each)), None)
    if kind is None:
        return MISSING
    if kinds is MAPPINGS:
        return kind.get(holder, key, MISSING)
    return kind.__getitem__(holder, key) if key < kind.__len__(holder) else MISSING


def _cell_of(function: Read, place: int) -> CellType | None:
    found = function()
    return None if found is None else found.__closure__[place]


def attribute_now(instance: Any, name: str) -> Any:
    """An attribute of an object's own, or MISSING; what stands for an object has none."""
    own = own_of(instance)
    own = NOTHING if own is None else own
    if name in OF_ALL:
        return type(instance) if name == "__class__" else own
    value = own.get(name, MISSING)
    if value is MISSING:
        slot = of_classes(type(instance).__mro__, name)
        if type(slot) is MemberDescriptorType or (
            type(slot) is GetSetDescriptorType and type(instance) is FunctionType
        ):
            return slot_of(instance, name)
    return value


OF_ALL = frozenset(("__class__", "__dict__"))
"""The attributes that every object has, or is taken to have."""


NOTHING: Mapping[str, Any] = {}
MAPPINGS: tuple[Any, ...] = (OrderedDict, dict, MappingProxyType)
_SEQUENCES = list, tuple, deque
_CONTAINERS = list, dict, tuple, MappingProxyType, bytearray
ATOMIC = frozenset((bool, int, float, complex, str, bytes, type(None)))
_ATOMS = frozenset((*ATOMIC, BuiltinFunctionType, type(MISSING), object))
_VALUES = Tensor, np.ndarray, np.generic
