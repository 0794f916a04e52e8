"""The items of a `for` that are known by their places: those of ranges, lists and tuples, and what
`enumerate` and `zip` make of them.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable
from types import GeneratorType
from typing import Any, NamedTuple

from autograph.backend import Backend, backend_of
from autograph.errors import StagingError
from autograph.frames import refusal
from autograph.operators.comprehensions import is_indexed
from autograph.operators.items import getitem


class Indexed(NamedTuple):
    """Items that are known by their places.

    Attributes:
        sequences: what they are in.
        at: gives the item at a place, which may be staged.
        numbers: the range that they are, if they are one.
    """

    sequences: tuple[Any, ...]
    at: Callable[[Any], Any]
    numbers: range | None = None

    def is_known(self) -> bool:
        """Whether Python knows what they are in; a list may have become staged."""
        return all(backend_of(items) is None for items in self.sequences)

    def size(self) -> int:
        """The number of them by now, where that is known."""
        return min(map(len, self.sequences))

    def are_alike(self, backend: Backend) -> bool:
        """Whether the item at a staged place is one value: it is none of several objects."""
        return all(type(items) is range or backend.are_alike(items) for items in self.sequences)

    def check_size(self, size: int) -> None:
        """StagingError where a round of a loop has changed how many there are."""
        if self.size() != size:
            raise refusal(
                StagingError,
                "a list is made longer or shorter by a `for` over it, of which the rounds are one "
                "loop of the graph",
                hint="loop over a copy of the list: `for x in list(items):`",
            )


def indexed(items: Any) -> Indexed | None:
    """The items by their places; None where these are not known. An iterator has given none."""
    kind = type(items)
    if kind is range:
        return of_range(items)
    if is_indexed(items):
        return Indexed((items,), lambda place: getitem(items, place))
    if kind is enumerate:
        iterator, start = items.__reduce__()[1]
        return _numbered(_iterated(iterator), start)
    if kind is zip:
        return _side_by_side([_iterated(iterator) for iterator in items.__reduce__()[1]])
    return None


def of_range(numbers: range) -> Indexed:
    """The numbers of a range by their places."""
    return Indexed((numbers,), lambda place: numbers.start + place * numbers.step, numbers)


_ITERATORS = frozenset((type(iter([])), type(iter(())), type(iter(range(0)))))


def _iterated(iterator: Any) -> Indexed | None:
    """The items of an iterator that has given none."""
    if type(iterator) in _ITERATORS:
        _, (items,), *begun = iterator.__reduce__()
        return None if any(begun) else indexed(items)
    if type(iterator) is GeneratorType:
        begun = inspect.getgeneratorstate(iterator) != inspect.GEN_CREATED
        items = None if begun else list_walked_by(iterator)
        return None if items is None else indexed(items)
    return indexed(iterator)


def list_walked_by(iterator: Any) -> Any:
    """The object of which a method is this generator; None for others."""
    code = getattr(iterator, "gi_code", None)
    if code is None:
        return None
    # The locals of a frame would hold on to what the generator holds.
    methods = (
        (each, getattr(type(each), code.co_name, None)) for each in gc.get_referents(iterator)
    )
    return next((each for each, method in methods if _code_of(method) is code), None)


def _code_of(method: Any) -> Any:
    return getattr(method, "__code__", None)


def _numbered(source: Indexed | None, start: Any) -> Indexed | None:
    if source is None or backend_of(start) is not None:
        return None
    return Indexed(source.sequences, lambda place: (start + place, source.at(place)))


def _side_by_side(sources: list[Indexed | None]) -> Indexed | None:
    known = [source for source in sources if source is not None]
    if not known or len(known) < len(sources):
        return None
    sequences = tuple(items for source in known for items in source.sequences)
    return Indexed(sequences, lambda place: tuple([source.at(place) for source in known]))
