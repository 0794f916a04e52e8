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
        is_strict: whether it is an error if what they are in is not of one length.
    """

    sequences: tuple[Any, ...]
    at: Callable[[Any], Any]
    numbers: range | None = None
    is_strict: bool = False

    def is_known(self) -> bool:
        """Whether Python knows what they are in, and that each place has an item; a list may have
        become staged.
        """
        return all(backend_of(items) is None for items in self.sequences) and self._fits()

    def _fits(self) -> bool:
        return not self.is_strict or len(set(map(len, self.sequences))) == 1

    def size(self) -> int:
        """The number of them by now, where that is known."""
        return min(map(len, self.sequences))

    def are_alike(self, backend: Backend) -> bool:
        """Whether the item at a staged place is one value: it is none of several objects."""
        return all(type(items) is range or backend.are_alike(items) for items in self.sequences)

    def check_size(self, size: int) -> None:
        """StagingError where a round of a loop has changed how many there are."""
        if self.size() != size or not self._fits():
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
        _, iterators, *strict = items.__reduce__()
        return _side_by_side(iterators, any(strict))
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
        return indexed(items) if items is not None and _walks_forwards(iterator, items) else None
    return indexed(iterator)


def _walks_forwards(iterator: Any, items: Any) -> bool:
    """Whether a generator is what `iter(items)` gives; `reversed(items)` gives another one."""
    return is_indexed(items) and getattr(iter(items), "gi_code", None) is iterator.gi_code


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
    return Indexed(
        source.sequences, lambda place: (start + place, source.at(place)), None, source.is_strict
    )


def _side_by_side(iterators: tuple[Any, ...], is_strict: bool) -> Indexed | None:
    sources = [source for source in map(_iterated, iterators) if source is not None]
    # One that is there twice gives another item to each.
    if not sources or len(sources) < len(iterators) or len(set(map(id, iterators))) < len(sources):
        return None
    sequences = tuple(items for source in sources for items in source.sequences)
    is_strict = is_strict or any(source.is_strict for source in sources)
    return Indexed(
        sequences, lambda place: tuple([source.at(place) for source in sources]), None, is_strict
    )
