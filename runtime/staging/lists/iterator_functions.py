"""Functions of `itertools`, and `functools.reduce`, written in C, of staged items: of a tensor they
get the rows one by one, and what they call is converted.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType
from typing import Any

import autograph
from autograph.library_code import converted
from autograph.operators.builtin_calls import by_place
from autograph.operators.comprehensions import of_generator
from autograph.user_iterators import is_users
from runtime.core.tensor import Tensor
from runtime.staging.builtin_functions import elements, index_of
from runtime.staging.control import iteration
from runtime.staging.control.choices import Choice
from runtime.staging.control.optional_values import MaybeNone
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.lists.keys import is_staged
from runtime.staging.lists.list_builtins import holds_staged, listed
from runtime.staging.lists.optional_bounds import known_bounds
from runtime.staging.lists.walks import Items
from runtime.staging.refusals import refuse
from runtime.staging.scopes import called
from runtime.staging.texts import Text, of_any
from runtime.staging.tracing import is_symbol

_TAKING: frozenset[Any] = frozenset((itertools.starmap, itertools.zip_longest))
_COMBINING: frozenset[Any] = frozenset((
    itertools.chain, itertools.combinations, itertools.combinations_with_replacement,
    itertools.permutations, itertools.product,
))  # fmt: skip


def iterator_function(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for a function of `itertools`, or `reduce`; None for any other."""
    if function is functools.reduce:
        return _reduce
    if type(function) is BuiltinFunctionType and function == itertools.chain.from_iterable:
        return _flattened  # another object each time; one of the user's is not asked for `==`
    if type(function) is not type:
        return None
    if function is itertools.groupby:
        return _groupby
    if function is itertools.accumulate:
        return _accumulate
    if function is itertools.islice:
        return _islice
    if function is itertools.pairwise:
        return _pairwise
    if function in _DECIDING:
        return functools.partial(_deciding, function)
    if function in _COMBINING:
        return functools.partial(_combining, function)
    return functools.partial(_of_items, function) if function in _TAKING else None


_DECIDING: frozenset[Any] = frozenset((
    itertools.takewhile, itertools.dropwhile, itertools.filterfalse, itertools.compress,
))  # fmt: skip
"""Those that ask of each item whether it is one of theirs, which only the run may know."""


def _deciding(function: Any, *args: Any, **kwargs: Any) -> Any:
    """One of them: a generator function that is converted, so that what takes the items is a loop,
    as over any generator.
    """
    args, rest = by_place(function, args, kwargs)
    given = [called(arg) if callable(arg) else arg for arg in args]
    return autograph.call(_written()[function])(*given, **rest)


def _combining(function: Any, *args: Any, **kwargs: Any) -> Any:
    """One of those that give the items of their arguments, or tuples of them."""
    args, rest = by_place(function, args, kwargs)
    is_of_one = function not in (itertools.chain, itertools.product)
    pools = args[:1] if is_of_one else args
    sizes = (*args[len(pools) :], *rest.values())
    for size in filter(is_symbol, sizes):
        operator.index(size)  # which `permutations` does not ask for
    is_known = all(type(size) is int for size in sizes) and len(sizes) >= is_of_one
    if not is_known or not any(map(_is_open, pools)):
        return _of_items(function, *args, **rest)
    if function is itertools.chain:
        return autograph.call(_written()[function])(*pools)
    return autograph.call(_written()[function])(tuple(map(_pool, pools)), *sizes)


def _flattened(rows: Any) -> Any:
    """`itertools.chain.from_iterable`."""
    if not _is_open(rows) and not (type(rows) in (list, tuple) and any(map(_is_open, rows))):
        return _of_items(itertools.chain.from_iterable, rows)
    return autograph.call(_written()[itertools.chain.from_iterable])(rows)


def _pool(items: Any) -> Any:
    return items if isinstance(items, Tensor) else listed(items)  # as it is now


def _is_open(items: Any) -> bool:
    """Whether only the run knows how many items there are, of what is no generator."""
    return iteration.has_open_length(iteration.staged(items))


def _has_open_length(items: Any) -> bool:
    return _is_open(items) or of_generator(items) is not None


def _accumulate(iterable: Any, func: Any = operator.add, *, initial: Any = None) -> Any:
    if not _has_open_length(iterable) and not isinstance(initial, MaybeNone):
        return _of_items(itertools.accumulate, iterable, func, initial=initial)
    return autograph.call(_written()[itertools.accumulate])(iterable, called(func), initial)


def _pairwise(iterable: Any) -> Any:
    # An iterator is advanced by as much as Python takes.
    is_iterator = of_generator(iterable) is not None or isinstance(
        iterable, Iterator | iteration.PythonIterator
    )
    if is_iterator or not _has_open_length(iterable):
        return _of_items(itertools.pairwise, iterable)
    is_known = isinstance(iterable, Tensor | Text | GrowingList)
    pairs = _written()[itertools.pairwise]
    return autograph.call(pairs)(iterable if is_known else listed(iterable))


def _islice(iterable: Any, *bounds: Any) -> Any:
    if not any(map(is_staged, bounds)) and not is_users(iterable):
        return _of_items(itertools.islice, iterable, *bounds)
    part = known_bounds(slice(*bounds))
    ends = part.start, part.stop, part.step
    given = [None if bound is None else _bound(bound) for bound in ends]
    return autograph.call(_written()[itertools.islice])(iterable, *given)


def _bound(value: Any) -> Any:
    """A bound as an integer. Python takes what is none for -1, and refuses that as a ValueError."""
    try:
        return index_of(value)
    except TypeError:
        return -1


def _reduce(function: Any, iterable: Any, *initial: Any, **named: Any) -> Any:
    if named or not _has_open_length(iterable):  # by name from Python 3.14 on
        items = _plain(functools.reduce, iterable)
        return functools.reduce(called(function), items, *initial, **named)
    return autograph.call(_written()[functools.reduce])(called(function), iterable, *initial)


@converted
def _written() -> dict[Any, Callable[..., Any]]:
    def takewhile(predicate: Any, iterable: Any) -> Iterator[Any]:
        for item in iterable:
            if not predicate(item):
                return
            yield item

    def dropwhile(predicate: Any, iterable: Any) -> Iterator[Any]:
        drops = True
        for item in iterable:
            if drops:
                drops = predicate(item)
            if not drops:
                yield item

    def filterfalse(predicate: Any, iterable: Any) -> Iterator[Any]:
        for item in iterable:
            if not (item if predicate is None else predicate(item)):
                yield item

    def compress(data: Any, selectors: Any) -> Iterator[Any]:
        for item, is_selected in zip(data, selectors, strict=False):
            if is_selected:
                yield item

    def accumulate(iterable: Any, function: Any, initial: Any) -> Iterator[Any]:
        items = list(iterable)
        if initial is not None:
            items.insert(0, initial)
        if len(items) == 0:
            return
        total = items[0]
        yield total
        for i in range(1, len(items)):
            total = function(total, items[i])
            yield total

    def pairwise(items: Any) -> Iterator[Any]:
        if len(items) == 0:
            return
        one, at = items[0], 1
        while at < len(items):
            other = items[at]
            yield one, other
            one, at = other, at + 1

    def islice(iterable: Any, start: Any, stop: Any, step: Any) -> Iterator[Any]:
        bound = "must be None or an integer: 0 <= x <= sys.maxsize."
        if stop is not None and stop == -1:
            raise ValueError(f"Stop argument for islice() {bound}")
        if (start is not None and start < 0) or (stop is not None and stop < 0):
            raise ValueError(f"Indices for islice() {bound}")
        if step is not None and step < 1:
            raise ValueError("Step for islice() must be a positive integer or None.")
        return steps(iterable, start or 0, stop, step or 1)

    def steps(iterable: Any, start: Any, stop: Any, step: Any) -> Iterator[Any]:
        taken, wanted = 0, start
        if stop is not None and stop == 0 and start == 0:
            return
        for item in iterable:
            taken = taken + 1
            if taken > wanted and (stop is None or wanted < stop):
                wanted += step
                yield item
            # As many are taken from an iterator as Python takes.
            if stop is not None and taken >= stop and taken >= start:
                return

    def chain(*iterables: Any) -> Iterator[Any]:
        for items in iterables:
            yield from items

    def flattened(rows: Any) -> Iterator[Any]:
        for row in rows:
            yield from row

    def digits(place: Any, sizes: Any) -> Any:
        found = []
        for size in reversed(sizes):
            found.append(place % size)
            place = place // size
        return found[::-1]

    def product(pools: Any, repeat: int = 1) -> Iterator[Any]:
        pools, count = pools * repeat, 1
        for pool in pools:
            count = count * len(pool)
        for place in range(count):
            places = digits(place, [len(pool) for pool in pools])
            yield tuple([pool[at] for pool, at in zip(pools, places, strict=True)])

    def permutations(pools: Any, size: int) -> Iterator[Any]:
        items, count = pools[0], len(pools[0])
        for place in range(count**size):
            places = digits(place, [count] * size)
            if all([places[i] != places[k] for i in range(size) for k in range(i)]):
                yield tuple([items[at] for at in places])

    def combinations(pools: Any, size: int) -> Iterator[Any]:
        items, count = pools[0], len(pools[0])
        places, is_left = list(range(size)), size <= count
        while is_left:
            yield tuple([items[places[k]] for k in range(size)])
            at = size - 1
            while at >= 0 and places[at] == at + count - size:
                at -= 1
            is_left = at >= 0
            if is_left:
                places[at] += 1
                for k in range(at + 1, size):
                    places[k] = places[k - 1] + 1

    def with_replacement(pools: Any, size: int) -> Iterator[Any]:
        items, count = pools[0], len(pools[0])
        places, is_left = [0] * size, count > 0 or size == 0
        while is_left:
            yield tuple([items[places[k]] for k in range(size)])
            at = size - 1
            while at >= 0 and places[at] == count - 1:
                at -= 1
            is_left = at >= 0
            if is_left:
                next_place = places[at] + 1
                for k in range(at, size):
                    places[k] = next_place

    def reduce(function: Any, iterable: Any, *initial: Any) -> Any:
        items = list(iterable)
        if initial:
            total, start = initial[0], 0
        elif len(items) == 0:
            raise TypeError("reduce() of empty iterable with no initial value")
        else:
            total, start = items[0], 1
        for i in range(start, len(items)):
            total = function(total, items[i])
        return total

    return {
        functools.reduce: reduce,
        itertools.chain: chain,
        itertools.chain.from_iterable: flattened,
        itertools.product: product,
        itertools.permutations: permutations,
        itertools.combinations: combinations,
        itertools.combinations_with_replacement: with_replacement,
        itertools.accumulate: accumulate,
        itertools.takewhile: takewhile,
        itertools.dropwhile: dropwhile,
        itertools.filterfalse: filterfalse,
        itertools.compress: compress,
        itertools.islice: islice,
        itertools.pairwise: pairwise,
    }


def _groupby(iterable: Any, key: Any = None) -> Any:
    """`itertools.groupby`: where items are staged, a generator function that is converted, so that
    what takes the groups is a loop.
    """
    are_staged = holds_staged(iterable)
    if key is not None:
        if are_staged and _is_open(iterable):
            raise _given_a_key()
        items = _plain(itertools.groupby, iterable) if are_staged else iterable
        return itertools.groupby(items, functools.partial(_known_key, called(key)))
    if not are_staged:
        return itertools.groupby(iterable)
    if type(iterable) is Choice and iterable.is_text:
        iterable = of_any(iterable)
    is_known = isinstance(iterable, Tensor | Text | GrowingList)
    return autograph.call(_groups())(iterable if is_known else listed(iterable))


def _known_key(key: Callable[..., Any], item: Any) -> Any:
    found = key(item)
    if holds_staged(found):
        raise _given_a_key()
    return found


def _given_a_key() -> Exception:
    return refuse(
        "itertools.groupby of staged items is given a key, which it calls between the groups",
        "group the keys: itertools.groupby([key(item) for item in items])",
    )


class Group(iteration.PythonIterator):
    """The items of one group, which nobody can take once the next one is asked for."""

    __slots__ = ("ended",)

    kind = type(next(itertools.groupby([0]))[1])

    def __init__(self, items: Any) -> None:
        super().__init__([iteration.staged(items) or Items(GrowingList(items))])
        self.ended = False

    def at(self, index: Any) -> Any:
        return self.parts[0].at(index)

    def end(self) -> None:
        """The next group is asked for."""
        self.ended = True

    def check_usable(self) -> None:
        if self.ended:
            raise refuse(
                "a group of itertools.groupby is used when the next one was asked for: it is empty",
                "make a list of it in the round that gives it: list(group)",
            )


@converted
def _groups() -> Callable[..., Any]:
    def groups(items: Any) -> Iterator[Any]:
        size, at = len(items), 0
        while at < size:
            first, start = items[at], at
            at = at + 1
            while at < size and (items[at],) == (first,):
                at = at + 1
            group = Group(items[start:at])
            yield first, group
            group.end()

    return groups


def _of_items(function: Any, *args: Any, **kwargs: Any) -> Any:
    given = [_plain(function, arg) for arg in args]
    named = {name: arg if name in _ITEMS else _plain(function, arg) for name, arg in kwargs.items()}
    return function(*given, **named)


def _plain(function: Any, given: Any) -> Any:
    if isinstance(given, Tensor) and given.static_shape != ():  # no number, as `initial` may be
        return elements(given, function.__name__)
    return called(given) if callable(given) else given


_ITEMS = frozenset(("fillvalue", "initial"))
"""Parameters that take an item of the result."""
