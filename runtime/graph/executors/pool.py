"""The memory that a program keeps between calls: arrays, lists, workspaces, and free lists of
arrays.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime.core.types import ListType, TensorType
from runtime.core.workspace import Room, Workspace
from runtime.graph.executors.layouts import ROOM, TurnedType, array_in

WORKSPACE: Any = object()
"""Stands for the type of a workspace."""


@dataclass(frozen=True, slots=True)
class StockType:
    """The type of a stock of arrays."""

    element: TensorType


class Stock:
    """A free list of arrays that others hold for a while.

    The holders are lists of what a gradient reads, and lists of users.

    Each call takes them in the same order. One that somebody still holds is left to them, and a new
    one kept in its place.
    """

    __slots__ = ("_arrays", "_dtype", "_next", "_shape")

    def __init__(self, type: TensorType) -> None:
        self._shape: Any = type.shape
        self._dtype = type.dtype.np_dtype
        self._arrays: list[Any] = []
        self._next = 0

    def take(self) -> Any:
        """An array that nobody else holds, with anything in it."""
        arrays, at = self._arrays, self._next
        self._next += 1
        if at == len(arrays):
            arrays.append(np.empty(self._shape, self._dtype))
            return arrays[at]
        found = arrays[at]
        if sys.getrefcount(found) != _OWN:
            found = arrays[at] = np.empty(self._shape, self._dtype)
        return found

    def restart(self) -> None:
        """Begin with the first one again."""
        self._next = 0


def _references() -> int:
    arrays = [np.empty(1)]
    found = arrays[0]
    return sys.getrefcount(found)


_OWN = _references()


class Pool:
    """Arrays and what else has these types, which calls take and give back.

    A call has them for itself: another thread, and a call inside of the call, gets others. Those of
    a call that raises are lost.
    """

    def __init__(self, types: Sequence[Any]) -> None:
        self._types = types
        # How what is no array is given back, by its place.
        self._renew = [(at, renew) for at, type in enumerate(types) if (renew := _renewal(type))]
        self._waiting: list[tuple[Any, ...]] = []
        self.give = self._give if self._renew else self._waiting.append

    def take(self) -> tuple[Any, ...]:
        """The arrays of a call that is over, or new ones."""
        try:
            return self._waiting.pop()
        except IndexError:
            return tuple(map(_made, self._types))

    def _give(self, arrays: tuple[Any, ...]) -> None:
        for at, renew in self._renew:
            renew(arrays[at])
        self._waiting.append(arrays)


def _renewal(type: Any) -> Any:
    if type is WORKSPACE:
        return Workspace.grow
    if isinstance(type, StockType):
        return Stock.restart
    return list.clear if isinstance(type, ListType) else None


def _made(type: Any) -> Any:
    if type is WORKSPACE:
        return Workspace()
    if type is ROOM:
        return Room()
    if isinstance(type, StockType):
        return Stock(type.element)
    if isinstance(type, TurnedType):
        return array_in(type.array.shape or (), type.array.dtype.np_dtype, type.axes)
    return [] if isinstance(type, ListType) else np.empty(type.shape, type.dtype.np_dtype)
