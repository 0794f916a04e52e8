"""`max` and `min` of lists in a list or dict: the place of the one, and the list that is there."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import autograph
from autograph.library_code import asking
from runtime.staging.builtin_functions import BUILTINS, EMPTY
from runtime.staging.control import branches, iteration
from runtime.staging.control.carried_objects import also_watching
from runtime.staging.lists.dict_views import KeyView, View
from runtime.staging.lists.growing_list import GrowingList, shared
from runtime.staging.lists.sequences import check
from runtime.staging.scopes import active, called


def gives_lists(items: Any) -> bool:
    """True for a list or dict of the graph, or a view of one, that has lists in it."""
    if isinstance(items, View):
        return not isinstance(items, KeyView) and bool(items._mapping.has_lists)
    return type(items) is GrowingList and items.has_lists


def _at(items: Any, place: Any) -> Any:
    if isinstance(items, View):
        return items.part(items._mapping.pair_at(place))
    return items.at(place)


def extreme_of_lists(function: Callable[..., Any]) -> Callable[..., Any]:
    """`max` or `min` of these."""

    def builtin(items: Any, /, *, key: Any = None, **default: Any) -> Any:
        source = iteration.staged(items)
        assert source is not None
        of_item = called(key) if key is not None else lambda item: item

        def candidate(place: Any) -> Any:
            return place, of_item(source.at(place))

        def best() -> Any:
            if key is None:
                check(source.length() == 0, EMPTY[function.__name__], ValueError)
                found = autograph.call(_places()[function])(source.at, source.length())
            else:
                candidates = iteration.Map(candidate, [iteration.Range(source.length())])
                found = BUILTINS[function](candidates, key=operator.itemgetter(1))[0]
            return _at(items, found)

        if not default:
            return best()
        words = (f"the result of {function.__name__}()",)
        is_there = source.length() > 0
        watch = also_watching(active().watch, (of_item,))
        return branches.cond(
            is_there, lambda: shared(best()), lambda: default["default"], (), words, watch
        )

    return builtin


@asking
def _places() -> dict[Any, Callable[..., Any]]:
    """For `max` and `min` what finds the place of the first one of items that are compared as they
    are, such as lists are.
    """

    def greatest(at: Callable[[Any], Any], count: Any) -> Any:
        found = 0
        for place in range(1, count):
            if at(place) > at(found):
                found = place
        return found

    def least(at: Callable[[Any], Any], count: Any) -> Any:
        found = 0
        for place in range(1, count):
            if at(place) < at(found):
                found = place
        return found

    return {max: greatest, min: least}
