"""The set or dict that stands for one of several: `seen[i]` of a list of sets, where only the run
knows `i`.

It is a set or dict whose contents are at a place of a table, as those of a list in a list of the
graph are: the table is the list of the several. What is asked of it is asked of the one that is
meant; who changes it changes that one, and leaves the others as they are.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, cast

from runtime.core.dataclasses import dataclass
from runtime.staging.aliasing.aliases import want_joined
from runtime.staging.lists import staged_items
from runtime.staging.lists.dict_entries import NO_PAIRS
from runtime.staging.lists.growing import Growing, Kind, StagedItems, size_of
from runtime.staging.lists.growing_dict import GrowingDict, stand_in_for
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.lists.growing_set import GrowingSet
from runtime.staging.lists.list_builtins import MAKING
from runtime.staging.lists.sequences import Copies, copy_of_one, meant
from runtime.staging.refusals import refuse
from runtime.staging.scopes import Scope, active

_NAMES = ("the set or dict",)


@dataclass(slots=True)
class _Read:
    """The contents that were read at a place, which hold as long as nothing is changed."""

    scope: Scope
    place: Any
    contents: list[Any]
    items: StagedItems

    def holds(self, scope: Scope, place: Any, contents: Sequence[Any]) -> bool:
        """Whether it is what is there now."""
        return (
            self.scope is scope
            and self.place is place
            and len(self.contents) == len(contents)
            and all(map(operator.is_, self.contents, contents))
        )


class Several(list[Any]):
    """The sets, or dicts, of which one is meant."""

    __slots__ = ()
    in_two_places = (
        "one of several sets or dicts, of which only the run knows which, would be in two places",
        "index the list around them where it is used: table[i].add(x); or a copy: set(table[i])",
    )

    def row_at(self, place: Any) -> StagedItems:
        """The contents of the one at a place."""
        contents = [part for each in self for part in _parts(each)]
        # Not in an attribute, which blocks would be seen to change.
        memo, scope = active().memo, active().scope
        read = memo.get((_Read, id(self)))
        if read is None or not read.holds(scope, place, contents):
            made = copy_of_one(self, place, _copy, _NAMES)
            read = _Read(scope, place, contents, _staged(made))
            memo[_Read, id(self)] = read
        return cast(StagedItems, read.items)

    def write_row(self, place: Any, made: Any) -> None:
        """Put other contents into the one at a place."""
        if not all(isinstance(each, Growing) for each in self):
            want_joined(active())
            raise refuse(
                "one of several sets or dicts is changed, and only the run knows which: it has a "
                "name of its own there, or they were not made by a function that is staged",
                "make them for a name of the function, [set() for _ in range(n)], and change them "
                "where that is indexed: table[i].add(x)",
            )
        for each, here in meant(self, place):
            left = Copies([_copy(made), _copy(each)]).first_if(here, _NAMES)
            each.fill(*left.content())

    def share(self) -> None:
        """Refused: it is in one place, for all who know it."""
        raise refuse(*self.in_two_places)


def _copy(each: Any) -> Any:
    if isinstance(each, Growing):
        return each.copied()
    return stand_in_for(each) if isinstance(each, dict) else MAKING[type(each)](each)


def _parts(each: Any) -> Sequence[Any]:
    """Its class and contents: other objects once it is changed."""
    if not isinstance(each, Growing):
        return [each]
    staged = each.staged
    return [type(each), *(each.content()[1] if staged is None else [staged])]


def _staged(made: Any) -> StagedItems:
    """The contents of a set or dict in the graph."""
    if not isinstance(made, Growing):  # one of several kinds
        raise refuse(
            "only the run knows which set or dict is meant, and what is in them does not fit "
            "together",
            "give dicts the same keys, and values of one kind; sets items of one kind",
        )
    if isinstance(made, GrowingDict):
        made = made.copied()  # what a join has made is nobody's to change
        made.stage()
    if size_of(made) == 0 if isinstance(made, GrowingSet) else made.staged is None:
        nothing = NO_PAIRS if isinstance(made, GrowingDict) else staged_items.NOTHING
        return StagedItems(Kind(nothing, 0), staged_items.columns_of(GrowingList(), nothing))
    held: StagedItems = made.held if isinstance(made, GrowingDict) else made._covering()
    return held


def one_of(items: Sequence[Any], place: Any) -> Any:
    """The set, or dict, at a place of several."""
    images = [_copy(each) for each in items]
    kinds = {(type(each), getattr(each, "factory", None)) for each in images}
    if len(kinds) > 1:
        raise refuse(
            "only the run knows which set or dict is meant, and they are of several classes",
            "make all of them sets, or dicts of one class",
        )
    if not isinstance(images[0], Growing):
        raise refuse(
            f"only the run knows which {type(images[0]).__qualname__} is meant",
            "make all of them dicts or sets of Python's",
        )
    made = images[0].copied()
    # The same table each time: what is at two places of it can be joined.
    key = (Several, *map(id, items))
    made.be_in(active().memo.setdefault(key, Several(items)), place)
    return made
