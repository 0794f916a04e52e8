"""The items of a `for` that are known by their places: those of ranges, lists and tuples, and what
`enumerate`, `zip`, `map`, `reversed`, `itertools.combinations` and such make of them; and the
entries of dicts.
"""

from __future__ import annotations

import gc
import inspect
import sys
from collections.abc import Callable, Sequence
from itertools import (
    combinations,
    combinations_with_replacement,
    islice,
    pairwise,
    permutations,
    product,
)
from operator import is_, length_hint
from types import GeneratorType
from typing import Any, NamedTuple

from autograph.backend import Backend, asked, backend_of, stand_ins
from autograph.errors import StagingError
from autograph.frames import refusal
from autograph.objects import OF_SEQUENCE, RowSequence, reduction
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
        functions: what computes them.
    """

    sequences: tuple[Any, ...]
    at: Callable[[Any], Any]
    lengths: Callable[[], Sequence[Any]]
    numbers: range | None = None
    is_strict: bool = False
    functions: tuple[Any, ...] = ()

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

    def check_lengths(self, before: Sequence[Any]) -> None:
        """StagingError where a round of a loop has changed how many there are."""
        if not self.is_known() or list(self.lengths()) != list(before):
            raise refusal(
                StagingError,
                "a list or dict is changed by a `for` over it, of which the rounds are one loop of "
                "the graph",
                hint="loop over a copy: `for x in list(items):`",
            )


def indexed(items: Any) -> Indexed | None:
    """The items by their places; None where these are not known, or some have been taken."""
    kind = type(items)
    if kind is range:
        return of_range(items)
    if is_indexed(items):
        return _in_order(items)
    if kind is RowSequence:
        return Indexed((items.items,), lambda at: getitem(items.items, at), lambda: (items.count,))
    if kind in _ITERATORS:
        _, (items,), *begun = items.__reduce__()
        return None if any(begun) else indexed(items)
    if kind in _BACKWARDS:
        _, (items,), *last = items.__reduce__()
        return _reversed(items) if last == [len(items) - 1] else None
    if kind is GeneratorType and inspect.getgeneratorstate(items) == inspect.GEN_CREATED:
        return _walked(items)
    if stand_ins.get(kind, kind) in _VIEWS:
        return _of_dict(items) if backend_of(items) is None else None
    maker = _MAKERS.get(kind)
    return None if maker is None else maker(items)


def of_range(numbers: range) -> Indexed:
    """The numbers of a range by their places."""
    return Indexed(
        (numbers,),
        lambda place: numbers.start + place * numbers.step,
        lambda: (len(numbers),),
        numbers,
    )


_ITERATORS = frozenset((type(iter([])), type(iter(())), type(iter(range(0))), OF_SEQUENCE))
_BACKWARDS: frozenset[type] = frozenset((type(reversed([])), type(reversed(()))))
_VIEWS = frozenset((dict, type({}.keys()), type({}.values()), type({}.items())))
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


def _of_dict(items: Any) -> Indexed | None:
    """The keys, values or pairs of a dict that no round changes."""
    is_pairs = stand_ins.get(type(items), type(items)) is type({}.items())

    def columns() -> tuple[tuple[Any, ...], ...]:
        return tuple(zip(*items, strict=True)) if is_pairs else (tuple(items),)

    before = columns()

    def lengths() -> tuple[Any, ...]:
        if backend_of(items) is not None:
            return (items,)
        return (len(items) if all(map(_are_same, before, columns())) else -1,)

    def at(place: Any) -> Any:
        parts = [getitem(column, place) for column in before]
        return tuple(parts) if is_pairs else parts[0]

    return Indexed(before, at, lengths)


def _are_same(before: Sequence[Any], now: Sequence[Any]) -> bool:
    return len(before) == len(now) and all(map(is_, before, now))


def _of_entries(iterator: Any) -> Indexed | None:
    entries = [each for each in gc.get_referents(iterator) if isinstance(each, dict)]
    if not entries or length_hint(iterator) != len(entries[0]):
        return None
    return _of_dict(_ENTRIES[type(iterator)](entries[0]))


_ENTRIES: dict[type, Callable[[Any], Any]] = {
    type(iter(view({}))): view for view in (dict.keys, dict.values, dict.items)
}


def _computed(items: Any) -> Indexed | None:
    function, *iterators = items.__reduce__()[1]
    source = _side_by_side(tuple(iterators), False)
    if source is None:
        return None
    return source._replace(
        at=lambda place: function(*source.at(place)), functions=(*source.functions, function)
    )


def _in_pairs(items: Any) -> Indexed | None:
    """The items of `itertools.pairwise`, which holds one where some have been taken: it is another
    one than is in its place then where a round has replaced that.
    """
    held = gc.get_referents(items)
    iterator, *taken = [each for each in held if each is not pairwise]  # from Python 3.12 on
    source = None if any(map(_holds_something, taken)) else indexed(iterator)
    if source is None or source.functions:
        return None
    lists = [each for each in source.sequences if isinstance(each, list)]
    before = list(map(tuple, lists))

    def lengths() -> Sequence[Any]:
        if not source.is_known():
            return source.lengths()
        staged = [each for each in lists if backend_of(each) is not None]
        if staged:
            return staged
        is_same = all(map(_are_same, before, map(tuple, lists)))
        return (max(source.size() - 1, 0) if is_same else -1,)

    return source._replace(
        at=lambda place: (source.at(place), source.at(place + 1)), lengths=lengths, numbers=None
    )


def _holds_something(taken: Any) -> bool:
    return type(taken) is not tuple or any(each is not None for each in taken)


def _sliced(items: Any) -> Indexed | None:
    reduced = reduction(items)
    source = None if reduced is None or reduced[2:] != (0,) else indexed(reduced[1][0])
    if source is None or source.functions:  # which are called of what is skipped, too
        return None
    part = slice(*reduced[1][1:])
    start, step = part.start or 0, part.step or 1

    def lengths() -> Sequence[Any]:
        if not source.is_known():
            return source.lengths()
        size = source.size()
        return (len(range(*part.indices(size))) if size >= 0 else size,)

    return source._replace(
        at=lambda place: source.at(start + place * step), lengths=lengths, numbers=None
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
    """The items of a generator that walks through a list or dict, and has not begun."""
    items = list_walked_by(generator)
    kind = stand_ins.get(type(items))
    if kind is not list:
        return _of_dict(items) if kind in _VIEWS and backend_of(items) is None else None
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
        (each, vars(base).get(code.co_name))
        for each in gc.get_referents(iterator)
        for base in type(each).__mro__
    )
    return next((each for each, method in methods if _code_of(method) is code), None)


def _code_of(method: Any) -> Any:
    return getattr(method, "__code__", None)


def _numbered(items: Any) -> Indexed | None:
    iterator, start = items.__reduce__()[1]
    source = indexed(iterator)
    if source is None or backend_of(start) is not None:
        return None
    return source._replace(at=lambda place: (start + place, source.at(place)), numbers=None)


def _side_by_side(iterators: tuple[Any, ...], is_strict: bool) -> Indexed | None:
    sources = [source for source in map(indexed, iterators) if source is not None]
    # One that is there twice gives another item to each.
    if not sources or len(sources) < len(iterators) or len(set(map(id, iterators))) < len(sources):
        return None
    functions = tuple(each for source in sources for each in source.functions)
    return Indexed(
        tuple(items for source in sources for items in source.sequences),
        lambda place: tuple([source.at(place) for source in sources]),
        lambda: [length for source in sources for length in source.lengths()],
        None,
        # Functions are called once more before another of them is found to end.
        is_strict or bool(functions) or any(source.is_strict for source in sources),
        functions,
    )


def _zipped(items: Any) -> Indexed | None:
    _, iterators, *strict = items.__reduce__()
    return _side_by_side(iterators, any(strict))


_MAKERS: dict[type, Callable[[Any], Indexed | None]] = {
    enumerate: _numbered, zip: _zipped, map: _computed, pairwise: _in_pairs, islice: _sliced,
    **dict.fromkeys(
        (combinations, combinations_with_replacement, permutations, product), _of_pools
    ),
    **dict.fromkeys(_ENTRIES, _of_entries),
}  # fmt: skip
