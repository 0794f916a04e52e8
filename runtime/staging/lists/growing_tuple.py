"""The tuple of which only the run knows the length: what `tuple` makes of a list of the graph, a
slice with a staged bound, tuples of several lengths that paths or rounds leave.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from runtime.dtypes import DType
from runtime.staging.builtin_functions import BUILTINS, elements
from runtime.staging.control import iteration
from runtime.staging.control.specs import Mismatch, Tree, Union, all_in
from runtime.staging.lists import staged_items
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.lists.list_builtins import listed
from runtime.staging.lists.walks import leave_out, let_stand_for
from runtime.staging.refusals import refuse


class GrowingTuple(GrowingList):
    """A tuple of the user's of which only the run knows the length: nobody changes it."""

    __slots__ = ()
    indexed = "tuple index"
    plain = tuple

    def __add__(self, items: Any) -> Any:
        return grown_tuple(self.in_order() + _list_of(items))

    def __radd__(self, items: Any) -> Any:
        return grown_tuple(_list_of(items) + self.in_order())

    __iadd__ = __add__

    def __setitem__(self, index: Any, item: Any) -> NoReturn:
        raise TypeError("'tuple' object does not support item assignment")

    def __delitem__(self, index: Any) -> NoReturn:
        raise TypeError("'tuple' object doesn't support item deletion")

    def __hash__(self) -> int:  # type: ignore[override]
        raise refuse(
            "a tuple of which only the run knows the length is the key of a dict, or in a set",
            "make the key of numbers or a text: ','.join(map(str, items))",
        )

    def __copy__(self) -> GrowingTuple:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> GrowingTuple:
        return self

    def _slice(self, index: slice) -> GrowingList:
        return grown_tuple(self.in_order()[index])

    def exported(self, numbers: Mapping[str, DType]) -> GrowingList:
        return grown_tuple(super().exported(numbers))

    def _of_its_kind(self, items: Iterable[Any] = ()) -> GrowingList:
        return GrowingTuple(items)

    @classmethod
    def of_run(cls, items: list[Any]) -> Any:
        return tuple(GrowingList.of_run(items))


def grown_tuple(items: GrowingList) -> GrowingTuple:
    """The tuple of the items of a list that nobody uses any more."""
    return GrowingTuple.holding(*items.content())


def _list_of(items: Any) -> GrowingList:
    """The items of what is added to a tuple. TypeError for what is none."""
    if not issubclass(items.__class__, tuple):
        kind = type(items).__name__
        raise TypeError(f'can only concatenate tuple (not "{kind}") to tuple')
    return listed(items)


def _tuple(items: Any = ()) -> Any:
    if not iteration.has_open_length(iteration.staged(items)):
        return tuple(elements(items, "tuple"))
    return grown_tuple(listed(items))


def widened(a: Tree, b: Tree) -> Tree | None:
    """The Spec of tuples of two lengths, whose items are alike; None for others."""
    items = [*a.children, *b.children]
    try:
        element = staged_items.covering(items)
    except Mismatch:
        return None
    # With tuples among several kinds of items, there could be ever more.
    has_kinds = any(isinstance(each, Union) for each in all_in(element))
    if has_kinds or not staged_items.are_exact(items, element):
        return None
    return staged_items.tree(GrowingTuple, element)


leave_out(GrowingTuple, {each for each in {*vars(list)} - {*vars(tuple)} if each.isalpha()})

BUILTINS[tuple] = _tuple
let_stand_for(tuple, GrowingTuple)
staged_items.add_kind(GrowingTuple)
