"""The order of objects that say themselves, by a `__lt__`, which comes first, and that of items of
which a function of `functools.cmp_to_key` says it. It is converted as a user's code is.

Source: binary insertion, D. E. Knuth, The Art of Computer Programming 3, 5.2.1.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import autograph
from autograph.backend import Order
from autograph.mutation.users_code import is_users_class
from runtime.staging.control.branches import truth
from runtime.staging.control.item_comparisons import compared, without_effects
from runtime.staging.control.references import is_reference
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.lists.growing import size_of
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.refusals import refusal_of_run
from runtime.staging.scopes import active, called


def orders_itself(item: Any) -> bool:
    """True for an object with a `__lt__` or `__gt__` of the user's, for a list of which the run
    chooses, or only the run knows the length, a value of which only the run knows the kind, and a
    tuple with one in it.
    """
    kind = type(item)
    if kind is TaggedUnion:
        return True
    if isinstance(item, list) and is_reference(item):
        return True
    if isinstance(item, GrowingList) and size_of(item) is None:
        return True
    if kind is tuple:
        return any(map(orders_itself, item))
    own = kind.__lt__, kind.__gt__
    return any(type(each) is FunctionType for each in own) and is_users_class(kind)


def _algorithm(is_less: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def order(keys: Any, places: Any) -> Any:
        found: list[Any] = []
        for at in places:
            low, high = 0, len(found)
            while low < high:
                middle = (low + high) // 2
                if is_less(keys[at], keys[found[middle]]):
                    high = middle
                else:
                    low = middle + 1
            found.insert(low, at)
        return found

    return order


class Comparator(Order):
    """`functools.cmp_to_key(compare)` while a function is staged: as the key of a sort, which asks
    `compare` of the items themselves.
    """

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function = function

    def __call__(self, item: Any) -> Any:
        """Python's own key, for any other use."""
        return functools.cmp_to_key(self.function)(item)

    def compare(self, a: Any, b: Any) -> Any:
        """Returns what the function says of two items."""
        return called(self.function)(a, b)

    def is_less(self, a: Any, b: Any) -> Any:
        """Whether the first comes before the second: a Python or staged bool."""
        return self.compare(a, b) < 0


def comparator_class(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for `functools.cmp_to_key`; None for any other function."""
    return Comparator if function is functools.cmp_to_key else None


def _agreeing(is_less: Callable[[Any, Any], Any], differ: Callable[[Any, Any], Any]) -> Any:
    """The same comparison, which raises where two different items come before each other: how a
    sort orders them, its algorithm decides.
    """

    def is_surely_less(a: Any, b: Any) -> Any:
        if not is_less(a, b):
            return False
        if is_less(b, a) and differ(a, b):
            raise refusal_of_run(*_EACH_FIRST)
        return True

    return is_surely_less


_EACH_FIRST = (
    "the function of cmp_to_key says of two different items that each comes before the other",
    "let it return 0 for those that may stand in any order",
)


def _order_by(is_less: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    made: Callable[[Any, Any], Any] = autograph.convert(_algorithm)(
        partial(without_effects, is_less)
    )
    return made


def _order_by_comparator(comparator: Comparator) -> Callable[[Any, Any], Any]:
    differ = partial(compared, operator.ne)
    return _order_by(autograph.convert(_agreeing)(comparator.is_less, differ))


_order_by_less = functools.cache(_order_by)


def order_of(
    keys: Any,
    places: Any,
    is_less_in_run: Callable[[Any, Any], Any],
    comparator: Comparator | None = None,
) -> Any:
    """The list of these places in the order of the keys there, and equal ones as they come.

    Where Python can answer all comparisons, they are those of its own `sorted`.
    """
    by_run = (
        _order_by_less(is_less_in_run) if comparator is None else _order_by_comparator(comparator)
    )
    if keys.staged is not None or not isinstance(places, range):
        return by_run(keys, places)
    is_less = partial(compared, operator.lt) if comparator is None else comparator.is_less
    recorder = active().watch(order_of, (keys,), ("keys",))
    with recorder:
        try:
            return GrowingList(sorted(places, key=lambda place: _Key(keys[place], is_less)))
        except _OpenError:
            recorder.restore()
    return by_run(keys, places)


class _OpenError(Exception):
    """Only the run knows which of two keys comes first."""


class _Key:
    def __init__(self, key: Any, is_less: Callable[[Any, Any], Any]) -> None:
        self.key, self.is_less = key, is_less

    def __lt__(self, other: _Key) -> bool:
        answer = truth(self.is_less(self.key, other.key))
        if isinstance(answer, bool):
            return answer
        raise _OpenError
