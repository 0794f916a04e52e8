"""The Counter that stands for one of the user's while a function is traced."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable
from typing import Any

from runtime.staging.builtin_functions import BUILTINS
from runtime.staging.control import iteration
from runtime.staging.lists.dict_entries import refusal
from runtime.staging.lists.growing_dict import (
    MAKING,
    WORDS,
    Found,
    GrowingDict,
    known_items,
    new,
    pairs_of,
    register,
    stand_in_for,
)
from runtime.staging.lists.keys import is_staged
from runtime.staging.lists.list_builtins import listed


class GrowingCounter(GrowingDict, Counter[Any]):
    """A Counter of the user's."""

    __slots__ = ()

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return Counter

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
        def one_more(item: Any, made: GrowingCounter) -> GrowingCounter:
            changed: GrowingCounter = made.copy()
            key, count = item if paired else (item, 1)
            changed[key] = changed[key] + sign * count
            return changed

        made = iteration.for_loop(source, one_more, (self.copy(),), WORDS)
        self.fill(*made.content())

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
        if self.staged is not None:
            raise refusal("elements()")
        return Counter.elements(self)


def _counter_operator(name: str) -> Callable[..., Any]:
    own = getattr(Counter, name)

    def method(self: GrowingCounter, *others: Any) -> Any:
        for each in (self, *others):
            if isinstance(each, GrowingDict) and each.staged is not None:
                raise refusal(f"{name}()")
        made = own(self, *others)
        return stand_in_for(made) if type(made) is Counter else made

    method.__name__ = name
    return method


for _name in (
    *("__add__", "__sub__", "__or__", "__and__", "__pos__", "__neg__"),
    *("__iadd__", "__isub__", "__ior__", "__iand__", "__le__", "__lt__", "__ge__", "__gt__"),
):
    setattr(GrowingCounter, _name, _counter_operator(_name))


def _counter(items: Any = (), /, **more: Any) -> Any:
    made = new(GrowingCounter, None)
    made.update(items, **more)
    return made


MAKING[Counter] = _counter
register(GrowingCounter, Counter)
