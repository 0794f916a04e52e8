"""The objects that are referenced by the given ones only: trial deletion, the method by which
garbage collectors find cycles.

For each object that the given ones lead to, the references from among them are counted. An object
with more references than that is also held from outside, and so is all that it leads to; the others
are not. Where the count is unknown, an object is taken to be held from outside.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

from autograph.backend import GlobalVariable
from autograph.mutation.kind_table import FOREIGN, kinds_of
from autograph.mutation.variables import value_of

_ASKING = 2
"""References to an object while its own are counted: the table's, and the argument's."""

Notes = Callable[[], Iterable[Any]]


class _Thread(threading.local):
    def __init__(self) -> None:
        self.notes: tuple[Notes, ...] = ()


_thread = _Thread()


class taking_notes:
    """Within it, on this thread, the containers that `notes()` gives hold nothing by themselves."""

    __slots__ = ("_before", "_notes")

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def __enter__(self) -> None:
        self._before = _thread.notes
        _thread.notes = (*self._before, self._notes)

    def __exit__(self, *exception: object) -> None:
        _thread.notes = self._before


def notes_taken() -> list[Any]:
    """The containers of all notes that are being taken on this thread."""
    return [container for notes in _thread.notes for container in notes()]


def unheld(
    roots: Iterable[Any],
    further: Mapping[int, Sequence[Any]],
    uncounted: Mapping[int, Container[int]] = MappingProxyType({}),
) -> set[int]:
    """The ids of the objects that nothing but `roots`, and each other, leads to.

    Args:
        roots: containers whose references do not count, such as a tuple of results.
        further: by the id of an object, containers whose references do count where it is held.
        uncounted: by the id of an object, the ids of those to which its own references do not
            count even then.
    """
    found, counts = _found(roots, further)
    outside = [key for key in found if sys.getrefcount(found[key]) > counts[key] + _ASKING]
    return found.keys() - _reachable(outside, found, further, uncounted)


def _found(roots: Iterable[Any], known: Container[int]) -> tuple[dict[int, Any], Counter[int]]:
    counts: Counter[int] = Counter()
    found: dict[int, Any] = {}
    passed_over: dict[type, bool] = {}  # most references are to numbers, texts and code
    pending = list(roots)
    while pending:
        for held in _references(pending.pop()):
            kind = type(held)
            if kind not in passed_over:
                passed_over[kind] = _is_passed_over(kind)
            if passed_over[kind]:
                continue
            key = id(held)
            counts[key] += 1
            if key not in found and _is_looked_into(held, known):
                found[key] = held
                pending.append(held)
    return found, counts


def _reachable(
    start: list[int],
    found: dict[int, Any],
    further: Mapping[int, Sequence[Any]],
    uncounted: Mapping[int, Container[int]],
) -> set[int]:
    reached, pending = set(start), start
    while pending:
        key = pending.pop()
        left_out = uncounted.get(key, ())
        held = {id(item) for item in _references(found[key]) if id(item) not in left_out}
        held |= {id(item) for holder in further.get(key, ()) for item in _references(holder)}
        new = (held & found.keys()) - reached
        reached |= new
        pending.extend(new)
    return reached


def _references(item: Any) -> Sequence[Any]:
    if type(item) is FunctionType:  # not the module that it stands in
        return [part for part in (item.__closure__, item.__defaults__) if part is not None]
    if type(item) is GlobalVariable:  # not the others of its module
        return [value_of(item)]
    return gc.get_referents(item)


def _is_passed_over(kind: type) -> bool:
    """Whether no object of a type is looked into."""
    is_held_elsewhere = kind is GlobalVariable or issubclass(kind, type | ModuleType)
    return is_held_elsewhere or not kinds_of(kind)


def _is_looked_into(item: Any, known: Container[int]) -> bool:
    if type(item) is dict and "__builtins__" in item:
        return False  # what is in it, its module holds
    # Objects of installed packages may lead to all that there is.
    is_bounded = FOREIGN not in kinds_of(type(item)) or id(item) in known
    return is_bounded and not isinstance(item, type | ModuleType)
