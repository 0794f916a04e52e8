"""The items of a `for` that are known by their places: those of ranges, lists and tuples, and what
`enumerate`, `zip`, `reversed`, `itertools.combinations` and such make of them.
"""

from __future__ import annotations

import gc
import inspect
import sys
from collections.abc import Callable, Sequence
from itertools import combinations, combinations_with_replacement, islice, permutations, product
from types import GeneratorType
from typing import Any, NamedTuple

from autograph.backend import Backend, asked, backend_of, stand_ins
from autograph.errors import StagingError
from autograph.frames import refusal
from autograph.objects import reduction
from autograph.operators.comprehensions import is_indexed
from autograph.operators.items import getitem


class Indexed(NamedTuple):
    """Items that are known by their places.

    Attributes:
        sequences: what they are in.
        at: gives the item at a place, which may be staged.
        lengths: gives how many there are by now, in each of what is gone through side by side.
            Only the run may know it of a list that has become staged.
        numbers: the range that they are, if they are one.
        is_strict: whether it is an error if these are not equally many.
    """

    sequences: tuple[Any, ...]
    at: Callable[[Any], Any]
    lengths: Callable[[], Sequence[Any]]
    numbers: range | None = None
    is_strict: bool = False

    def is_known(self) -> bool:
        """Whether Python knows how many there are, and that each place has an item."""
        lengths = self.lengths()
        if any(backend_of(length) is not None for length in lengths):
            return False
        return not self.is_strict or len(set(lengths)) == 1

    def size(self) -> int:
        """The number of them by now, where that is known."""
        return int(min(self.lengths()))

    def are_alike(self, backend: Backend) -> bool:
        """Whether the item at a staged place is one value: it is none of several objects."""
        known = [items for items in self.sequences if backend_of(items) is None]
        return all(type(items) is range or backend.are_alike(items) for items in known)

    def check_size(self, size: int) -> None:
        """StagingError where a round of a loop has changed how many there are."""
        if not self.is_known() or self.size() != size:
            raise refusal(
                StagingError,
                "a list is made longer or shorter by a `for` over it, of which the rounds are one "
                "loop of the graph",
                hint="loop over a copy of the list: `for x in list(items):`",
            )


def indexed(items: Any) -> Indexed | None:
    """The items by their places; None where these are not known, or some have been taken."""
    kind = type(items)
    if kind is range:
        return of_range(items)
    if is_indexed(items):
        return _in_order(items)
    if kind is enumerate:
        iterator, start = items.__reduce__()[1]
        return _numbered(indexed(iterator), start)
    if kind is zip:
        _, iterators, *strict = items.__reduce__()
        return _side_by_side(iterators, any(strict))
    if kind in _ITERATORS:
        _, (items,), *begun = items.__reduce__()
        return None if any(begun) else indexed(items)
    if kind in _BACKWARDS:
        _, (items,), *last = items.__reduce__()
        return _reversed(items) if last == [len(items) - 1] else None
    if kind is GeneratorType and inspect.getgeneratorstate(items) == inspect.GEN_CREATED:
        return _walked(items)
    return _of_pools(items) if kind in _POOLED else None


def of_range(numbers: range) -> Indexed:
    """The numbers of a range by their places."""
    return Indexed(
        (numbers,),
        lambda place: numbers.start + place * numbers.step,
        lambda: (len(numbers),),
        numbers,
    )


_ITERATORS = frozenset((type(iter([])), type(iter(())), type(iter(range(0)))))
_BACKWARDS: frozenset[type] = frozenset((type(reversed([])), type(reversed(()))))
_POOLED = frozenset((combinations, combinations_with_replacement, permutations, product))
_MOST = 100_000
"""Items of `itertools.combinations` and such that are known by their places."""


def _in_order(items: Any) -> Indexed:
    return Indexed((items,), lambda place: getitem(items, place), lambda: (_length(items),))


def _length(items: Any, most: int = sys.maxsize) -> Any:
    """The number of items, of so many at most: a staged one where only the run knows it."""
    backend = backend_of(items)
    length = len(items) if backend is None else asked(backend, len, items)
    return min(length, most) if backend_of(length) is None else length


def _reversed(items: Any) -> Indexed | None:
    if not is_indexed(items):
        return None
    last = len(items) - 1
    return Indexed(
        (items,),
        lambda place: getitem(items, last - place),
        lambda: (_length(items, last + 1),),  # of those that were there, as Python has it
    )


def _of_pools(items: Any) -> Indexed | None:
    """The items that `itertools.combinations` and such make of some tuples: each by the places
    of its parts there.
    """
    reduced = reduction(items)
    if reduced is None or len(reduced) > 2:
        return None
    kind, args = reduced
    pools, rest = (args, ()) if kind is product else (args[:1], args[1:])
    ranges = [range(len(pool)) for pool in pools]
    rows = list(islice(kind(*ranges, *rest), _MOST + 1))
    if len(rows) > _MOST:
        return None
    columns = list(zip(*rows, strict=True))
    if rest:
        pools *= len(columns)

    def at(place: Any) -> tuple[Any, ...]:
        places = [getitem(column, place) for column in columns]
        return tuple(map(getitem, pools, places))

    return Indexed(pools, at, lambda: (len(rows),))


def _walked(generator: Any) -> Indexed | None:
    """The items of a generator that walks through a list, and has not begun."""
    items = list_walked_by(generator)
    if stand_ins.get(type(items)) is not list:
        return None
    if _walks(iter(items), generator):
        return _in_order(items)
    is_known = backend_of(items) is None
    return _reversed(items) if is_known and _walks(reversed(items), generator) else None


def _walks(iterator: Any, generator: Any) -> bool:
    return getattr(iterator, "gi_code", None) is generator.gi_code


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
    return source._replace(at=lambda place: (start + place, source.at(place)), numbers=None)


def _side_by_side(iterators: tuple[Any, ...], is_strict: bool) -> Indexed | None:
    sources = [source for source in map(indexed, iterators) if source is not None]
    # One that is there twice gives another item to each.
    if not sources or len(sources) < len(iterators) or len(set(map(id, iterators))) < len(sources):
        return None
    return Indexed(
        tuple(items for source in sources for items in source.sequences),
        lambda place: tuple([source.at(place) for source in sources]),
        lambda: [length for source in sources for length in source.lengths()],
        None,
        is_strict or any(source.is_strict for source in sources),
    )
