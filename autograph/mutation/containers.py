"""Containers: lists, dicts, sets, buffers, arrays and what cannot change but holds."""

from __future__ import annotations

import gc
import warnings
import weakref
from collections import defaultdict
from collections.abc import Iterable, Iterator
from operator import is_
from types import FunctionType
from typing import Any

from autograph.mutation.kinds import Kind, NamespaceKind, SingleKind
from autograph.mutation.paths import (
    ATOMS,
    NO_PARTS,
    Difference,
    Part,
    as_attribute,
    as_item,
    as_itself,
    as_length,
)


class SequenceKind(Kind):
    def __init__(self, base: type) -> None:
        self._base: Any = base

    def size(self, value: Any) -> int:
        return int(self._base.__len__(value))

    def take(self, value: Any) -> tuple[Any, ...]:
        return tuple(self._base.__iter__(value))

    def parts(self, value: Any, state: tuple[Any, ...]) -> Iterable[Part]:
        return () if NO_PARTS.issuperset(map(type, state)) else elements_of(state)

    def same(self, value: Any, state: tuple[Any, ...]) -> bool:
        base = self._base
        return base.__len__(value) == len(state) and all(map(is_, state, base.__iter__(value)))

    def differences(self, value: Any, state: tuple[Any, ...]) -> Iterator[Difference]:
        now = self.take(value)
        for position, (before, after) in enumerate(zip(state, now, strict=False)):
            if before is not after:
                yield as_item, position, before, after
        if len(now) != len(state):
            yield as_length, None, len(state), len(now)

    def put(self, value: Any, state: tuple[Any, ...]) -> None:
        self._base.clear(value)
        self._base.extend(value, state)


class DictKind(NamespaceKind):
    def __init__(self, base: type[dict[Any, Any]]) -> None:
        self._base = base

    def size(self, value: dict[Any, Any]) -> int:
        return dict.__len__(value)

    def take(self, value: dict[Any, Any]) -> dict[Any, Any]:
        return dict(self._base.items(value))

    def parts(self, value: dict[Any, Any], state: dict[Any, Any]) -> Iterable[Part]:
        parts = super().parts(value, state)
        if not isinstance(value, defaultdict):
            return parts
        return (*parts, (as_attribute, "default_factory", value.default_factory))

    def put(self, value: dict[Any, Any], state: dict[Any, Any]) -> None:
        self._base.clear(value)
        for key, child in state.items():
            self._base.__setitem__(value, key, child)


class SetKind(Kind):
    def size(self, value: set[Any]) -> int:
        return set.__len__(value)

    def take(self, value: set[Any]) -> tuple[Any, ...]:
        return tuple(set.__iter__(value))

    def parts(self, value: set[Any], state: tuple[Any, ...]) -> Iterable[Part]:
        return [(as_item, child, child) for child in state if type(child) not in ATOMS]

    def same(self, value: set[Any], state: tuple[Any, ...]) -> bool:
        now = self.take(value)
        return len(state) == len(now) and {*map(id, state)} == {*map(id, now)}

    def differences(self, value: set[Any], state: tuple[Any, ...]) -> Iterator[Difference]:
        yield as_itself, None, frozenset(state), frozenset(self.take(value))

    def put(self, value: set[Any], state: tuple[Any, ...]) -> None:
        set.clear(value)
        set.update(value, state)


class BytesKind(SingleKind):
    """Bytearrays, and the standard library's arrays."""

    def bytes(self, value: Any) -> int:
        return len(value) * getattr(value, "itemsize", 1)

    def take(self, value: Any) -> Any:
        return value[:]

    def same(self, value: Any, state: Any) -> bool:
        return bytes(value) == bytes(state)

    def put(self, value: Any, state: Any) -> None:
        value[:] = state


class ArrayKind(SingleKind):
    """Arrays with NumPy's interface: what is in them, and whether they can be written to."""

    def bytes(self, value: Any) -> int:
        return int(value.nbytes)

    def take(self, value: Any) -> Any:
        return value.copy(), _is_writable(value)

    def parts(self, value: Any, state: Any) -> Iterable[Part]:
        return [(as_itself, None, value.tolist())] if value.dtype.hasobject else ()

    def same(self, value: Any, state: Any) -> bool:
        was, is_writable = state
        alike = value.dtype == was.dtype and value.shape == was.shape
        return (
            bool(alike and value.tobytes() == was.tobytes()) and _is_writable(value) == is_writable
        )

    def differences(self, value: Any, state: Any) -> Iterator[Difference]:
        yield as_itself, None, state[0], value.copy()

    def put(self, value: Any, state: Any) -> None:
        was, is_writable = state
        if _is_writable(value) != is_writable:
            value.flags.writeable = is_writable
        if value.nbytes != was.nbytes:
            value.resize(was.nbytes // value.itemsize, refcheck=False)
        if value.dtype != was.dtype or value.shape != was.shape:
            _put_form(value, was)
        if value.tobytes() != was.tobytes():
            value[...] = was


def _put_form(value: Any, was: Any) -> None:
    with warnings.catch_warnings():  # of all threads
        # NumPy 2.5 warns of what changes the form of an array that others hold.
        warnings.simplefilter("ignore", DeprecationWarning)
        if value.dtype != was.dtype:
            value.shape = -1
            value.dtype = was.dtype
        value.shape = was.shape


def _is_writable(value: Any) -> bool:
    return bool(getattr(getattr(value, "flags", None), "writeable", True))


class MemoryKind(SingleKind):
    """The bytes that a memoryview or an object of ctypes shows."""

    def bytes(self, value: Any) -> int:
        return memoryview(value).nbytes

    def take(self, value: Any) -> Any:
        return memoryview(value).tobytes()

    def same(self, value: Any, state: Any) -> bool:
        return bool(self.take(value) == state)

    def put(self, value: Any, state: Any) -> None:
        view = memoryview(value)
        if view.contiguous:
            view.cast("B")[:] = state

    def holder(self, value: Any) -> Any:
        return memoryview(value)


class EnvironmentKind(SingleKind):
    """The variables of the process, `os.environ`."""

    def take(self, value: Any) -> dict[str, str]:
        return dict(value)

    def same(self, value: Any, state: dict[str, str]) -> bool:
        return bool(value == state)

    def put(self, value: Any, state: dict[str, str]) -> None:
        value.clear()
        value.update(state)


def held_of(value: Any) -> list[Part]:
    """Returns the object that a library's one stands for, where that may be missing."""
    return [(as_itself, None, value.held)]


def options_of(value: Any) -> list[Part]:
    """Returns the objects of which a library's one stands for one."""
    return [
        (as_itself, None, option)
        for option in value.options
        if type(option) not in NO_PARTS and not callable(option)
    ]


def elements_of(value: Iterable[Any]) -> list[Part]:
    return [(as_item, i, child) for i, child in enumerate(value) if type(child) not in NO_PARTS]


def members_of(value: frozenset[Any]) -> list[Part]:
    return [(as_item, child, child) for child in value if type(child) not in ATOMS]


def referents_of(value: Any) -> list[Part]:
    return [
        (as_itself, None, held)
        for held in gc.get_referents(value)
        if type(held) not in ATOMS or isinstance(held, FunctionType)
    ]


def referent_of(reference: Any) -> list[Part]:
    return [(as_itself, None, weakref.ref.__call__(reference))]
