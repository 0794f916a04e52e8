"""The order of objects that say themselves, by a `__lt__`, which comes first. It is converted as a
user's code is.

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
from autograph.mutation.users_code import is_users_class
from runtime.staging.control.branches import truth
from runtime.staging.control.carried_objects import no_watch
from runtime.staging.control.item_comparisons import compared, without_effects
from runtime.staging.control.references import is_reference
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.scopes import active


def orders_itself(item: Any) -> bool:
    """True for an object with a `__lt__` or `__gt__` of the user's, for a list of which the run
    chooses, and a tuple with one in it.
    """
    kind = type(item)
    if isinstance(item, list) and is_reference(item):
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


@functools.cache
def _converted() -> Callable[[Any, Any], Any]:
    is_less = partial(without_effects, partial(compared, operator.lt))
    made: Callable[[Any, Any], Any] = autograph.convert(_algorithm)(is_less)
    return made


def order_of(keys: Any, places: Any) -> Any:
    """The list of these places in the order of the keys there, and equal ones as they come.

    Where Python can answer all comparisons, they are those of its own `sorted`.
    """
    if keys.staged is not None or not isinstance(places, range):
        return _converted()(keys, places)
    recorder = (active().watch or no_watch)(order_of, (keys,), ("keys",))
    with recorder:
        try:
            return GrowingList(sorted(places, key=lambda place: _Key(keys[place])))
        except _OpenError:
            recorder.restore()
    return _converted()(keys, places)


class _OpenError(Exception):
    """Only the run knows which of two keys comes first."""


class _Key:
    def __init__(self, key: Any) -> None:
        self.key = key

    def __lt__(self, other: _Key) -> bool:
        answer = truth(compared(operator.lt, self.key, other.key))
        if isinstance(answer, bool):
            return answer
        raise _OpenError
