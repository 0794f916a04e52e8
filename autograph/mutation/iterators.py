"""Iterators and generators: how far they have come."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterable, Iterator
from itertools import count
from types import GeneratorType
from typing import Any

from autograph.mutation.containers import referents_of
from autograph.mutation.kinds import Kind
from autograph.mutation.paths import Difference, Part, as_itself
from autograph.objects import MISSING, reduction


class IteratorKind(Kind):
    """The position of an iterator written in C, and what it holds. It cannot be put back."""

    def take(self, value: Any) -> Any:
        return _position(value), tuple(map(id, gc.get_referents(value)))

    def parts(self, value: Any, state: Any) -> Iterable[Part]:
        return referents_of(value)

    def same(self, value: Any, state: Any) -> bool:
        return bool(self.take(value) == state)

    def differences(self, value: Any, state: Any) -> Iterator[Difference]:
        yield as_itself, None, MISSING, MISSING


class GeneratorKind(IteratorKind):
    """The position of a generator, and its variables. One that runs now is looked at
    by its frame.
    """

    def take(self, value: GeneratorType[Any, Any, Any]) -> Any:
        frame = value.gi_frame
        if frame is None or value.gi_running:
            return None if frame is None else ()
        return frame.f_lasti, tuple(map(id, gc.get_referents(value)))

    def same(self, value: GeneratorType[Any, Any, Any], state: Any) -> bool:
        return value.gi_running or super().same(value, state)


def _position(iterator: Any) -> Any:
    if isinstance(iterator, count):
        return repr(iterator)  # its reduced form is deprecated
    if hasattr(type(iterator), "__length_hint__"):
        try:
            return type(iterator).__length_hint__(iterator)
        except TypeError:
            return None  # a `repeat` without end stands still
    return _counters(iterator) if type(iterator) in _COUNTING else None


def _counters(iterator: Any) -> list[Any]:
    reduced = reduction(iterator)
    if reduced is None:
        return [object()]
    return [part for part in reduced[2:] if not isinstance(part, list | dict)]


_COUNTING = frozenset((
    itertools.cycle, itertools.islice, itertools.product, itertools.permutations,
    itertools.combinations, itertools.combinations_with_replacement, type(itertools.tee(())[0]),
))  # fmt: skip
