"""The Counter that stands for one of the user's while a function is traced."""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import autograph
from autograph.library_code import converted
from runtime.staging.builtin_functions import BUILTINS
from runtime.staging.control import branches, iteration, logic
from runtime.staging.lists.found_entries import Found
from runtime.staging.lists.growing_dict import (
    MAKING,
    WORDS,
    GrowingDict,
    known_items,
    made_of,
    new,
    pairs_of,
    register,
    stand_in_for,
)
from runtime.staging.lists.keys import is_staged
from runtime.staging.lists.list_builtins import listed
from runtime.staging.lists.walks import gathered, give_methods
from runtime.staging.tracing import is_symbol


class GrowingCounter(GrowingDict, Counter[Any]):
    """A Counter of the user's."""

    __slots__ = ()

    def missing(self, key: Any, found: Found) -> Any:
        return found.value_or(lambda: 0)

    def __delitem__(self, key: Any) -> None:
        if self.has(key) is True:
            super().__delitem__(key)
        else:
            self.pop(key, None)

    def update(self, other: Any = (), /, **more: Any) -> None:
        """Count items, or add counts."""
        self._add(other, more, 1)

    def subtract(self, other: Any = (), /, **more: Any) -> None:
        """Take counts away."""
        self._add(other, more, -1)

    def _add(self, other: Any, more: dict[str, Any], sign: int) -> None:
        if isinstance(other, dict):
            counts = [*pairs_of(other, lambda source: self._count(source, sign, paired=True))]
        else:
            known = known_items(other, lambda source: self._count(source, sign, paired=False))
            counts = [(item, 1) for item in known]
        for key, count in (*counts, *more.items()):
            self[key] = self[key] + sign * count

    def _count(self, source: iteration.Staged, sign: int, paired: bool) -> None:
        def put(made: GrowingCounter, item: Any) -> None:
            key, count = item if paired else (item, 1)
            made[key] = made[key] + sign * count

        self.fill(*gathered(source, self.copy(), put, WORDS).content())

    def most_common(self, n: Any = None) -> Any:
        """The list of pairs, those with the largest counts first."""
        if self.staged is None and not any(map(is_staged, dict.values(self))):
            return Counter.most_common(self, n)
        made = listed(self.items())
        made.sort(key=operator.itemgetter(1), reverse=True)
        return made if n is None else made[:n]

    def total(self) -> Any:
        """The sum of the counts."""
        return BUILTINS[sum](self.values())

    def elements(self) -> Any:
        """Each item as often as it was counted."""
        if _is_staged(self):
            return autograph.call(_elements())(self.items())
        return Counter.elements(self)


@converted
def _elements() -> Callable[..., Any]:
    def elements(counts: Any) -> Iterator[Any]:
        for item, count in counts:
            for _ in range(count):
                yield item

    return elements


# Operators: of each key that either has, the counts that are above zero


def _combined(first: Any, second: Any, count: Callable[[Any, Any], Any]) -> Any:
    def with_each(items: Any, made: Any, count_of: Callable[[Any, Any], Any]) -> Any:
        def one_more(pair: Any, made: Any) -> Any:
            key, number = pair
            return _with_positive(made, key, count_of(key, number))

        source = iteration.staged(items)
        if source is not None:
            return iteration.for_loop(source, one_more, (made,), WORDS)
        return functools.reduce(lambda made, pair: one_more(pair, made), items, made)

    made = new(GrowingCounter, None)
    made = with_each(first.items(), made, lambda key, number: count(number, second[key]))
    # Where the first has the key, too, this puts the same count there once more.
    return with_each(second.items(), made, lambda key, number: count(first[key], number))


def _with_positive(made: GrowingCounter, key: Any, number: Any) -> Any:
    def put() -> GrowingCounter:
        changed: GrowingCounter = made.copy()
        changed[key] = number
        return changed

    is_positive = number > 0
    if not is_symbol(is_positive):
        return put() if is_positive else made
    return branches.cond(is_positive, put, made.copy, (), WORDS)


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "__add__": operator.add, "__sub__": operator.sub,
    "__or__": BUILTINS[max], "__and__": BUILTINS[min],
}  # fmt: skip
_OF_ONE = {"__pos__": operator.add, "__neg__": operator.sub}
"""`+c` and `-c`: an empty Counter plus this one, or without its counts."""


def _is_staged(counter: Any) -> bool:
    if isinstance(counter, GrowingDict) and counter.staged is not None:
        return True
    return isinstance(counter, dict) and any(map(is_staged, dict.values(counter)))


def _counter_operator(name: str) -> Callable[..., Any]:
    own = getattr(Counter, name)
    in_place = name.startswith("__i")
    name = name.replace("__i", "__")

    def method(self: GrowingCounter, *others: Any) -> Any:
        counters = [self, *others]
        if any(map(_is_staged, counters)):
            if name in _OF_ONE:
                return _combined(new(GrowingCounter, None), self, _OF_ONE[name])
            if not all(isinstance(each, Counter) for each in counters):
                return NotImplemented
            made = _combined(self, stand_in_for(others[0]), _OPERATORS[name])
            if not in_place:
                return made
            self.fill(*made.content())
            return self
        made = own(self, *others)
        return stand_in_for(made) if type(made) is Counter else made

    return method


_NAMES = (
    *("__add__", "__sub__", "__or__", "__and__", "__pos__", "__neg__"),
    *("__iadd__", "__isub__", "__ior__", "__iand__"),
)
give_methods(GrowingCounter, _NAMES, _counter_operator)


def _reflected(name: str) -> Callable[..., Any]:
    def method(self: GrowingCounter, other: Any) -> Any:
        return getattr(stand_in_for(other), name.replace("__r", "__", 1))(self)

    return method


# A Counter that is none of these asks here first.
give_methods(GrowingCounter, ("__radd__", "__rsub__", "__ror__", "__rand__"), _reflected)


# Comparisons: of the two counts of each key that either has


@converted
def _everywhere() -> Callable[..., Any]:
    def everywhere(holds: Callable[[Any, Any], Any], first: Any, second: Any) -> Any:
        for counter in (first, second):
            for key in counter:
                if not holds(first[key], second[key]):
                    return False
        return True

    return everywhere


def _comparison(name: str) -> Callable[..., Any]:
    own, holds = getattr(Counter, name), getattr(operator, name)

    def method(self: GrowingCounter, other: Any) -> Any:
        if not isinstance(other, Counter):
            return own(self, other) if holds is not operator.eq else GrowingDict.__eq__(self, other)
        if not any(map(_is_staged, (self, other))):
            return own(self, other)
        return autograph.call(_everywhere())(holds, self, stand_in_for(other))

    return method


def _proper_comparison(name: str) -> Callable[..., Any]:
    weaker = getattr(operator, name.replace("t", "e"))

    def method(self: GrowingCounter, other: Any) -> Any:
        if not isinstance(other, Counter):
            return NotImplemented
        return logic.and_(weaker(self, other), (lambda: self != other,))

    return method


give_methods(GrowingCounter, ("__eq__", "__le__", "__ge__"), _comparison)
give_methods(GrowingCounter, ("__lt__", "__gt__"), _proper_comparison)
GrowingCounter.__hash__ = None

MAKING[Counter] = functools.partial(made_of, GrowingCounter)
register(GrowingCounter, Counter)
