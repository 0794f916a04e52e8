"""Lists and sets as the values of a dict of which only the run knows the keys: groups, and graphs
as lists of neighbours.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, cast

from autograph.users_words import with_article
from runtime.staging.control.references import is_reference
from runtime.staging.control.specs import Mismatch, Tree, types_of
from runtime.staging.lists import staged_items
from runtime.staging.lists.dict_entries import Entries, covering, misfit, pair_spec
from runtime.staging.lists.growing import (
    GrowingSequence,
    Kind,
    StagedItems,
    note_inside,
    want_lists,
)
from runtime.staging.lists.growing_list import GrowingList, is_row, owned, row_of, shared
from runtime.staging.lists.row_tables import RowTable
from runtime.staging.refusals import refuse


class EntryTable(RowTable):
    """A dict that may be a list of pairs in the graph, with lists as values."""

    __slots__ = ()
    factory: Any

    @property
    def held(self) -> StagedItems:
        """Its pairs in the graph."""
        return cast(StagedItems, self.staged)

    @property
    def key_count(self) -> int:
        """The number of columns that keep the keys."""
        return len(list(types_of(self.held.element.children[0])))

    @property
    def has_lists(self) -> bool:
        """True for one of the graph with lists as values."""
        return self.staged is not None and staged_items.is_row(self.held.element.children[1])

    def rows(self, *further: Any) -> tuple[Tree, list[Any]]:
        """The Spec of the lists in it, also of further ones, and the columns that keep them."""
        key, value = self.held.element.children
        try:
            element = covering([pair_spec(key, each) for each in (value, *further)])
        except Mismatch as mismatch:
            raise misfit(mismatch) from None
        columns = staged_items.columns_of(self.pairs(), element)
        return cast(Any, element).children[1], columns[self.key_count :]

    @property
    def row_kind(self) -> type:
        """The class of what stands for each of them."""
        return cast(Tree, self.held.element.children[1]).structure.kind

    def put_rows(self, element: Tree, columns: Sequence[Any]) -> None:
        """Put other lists in place of them, as many."""
        key, _ = self.held.element.children
        names = self.held.columns[: self.key_count]
        self.put_columns(pair_spec(key, element), self.held.kind.size, [*names, *columns])

    def pairs(self) -> GrowingList:
        """The list of its pairs."""
        raise NotImplementedError

    def pair_at(self, place: Any) -> tuple[Any, Any]:
        """The pair at a place that is in bounds."""
        if not self.has_lists:
            return cast(tuple[Any, Any], self.pairs().at(place))
        names = self.held.columns[: self.key_count]
        key = staged_items.item_at(names, place, self.held.element.children[0])
        return key, row_of(self, place)

    def value_at(self, place: Any, key: Any) -> Any:
        """The value at a place, which is under this key."""
        return row_of(self, place, key) if self.has_lists else self.pairs().at(place)[1]

    def adopt(self, values: Iterable[Any]) -> None:
        """Have the lists that were its values, until it became one of the graph, be in it."""
        for place, value in enumerate(values if self.has_lists else ()):
            value.become(self, place)

    def write(self, place: Any, key: Any, value: Any, size: int | None) -> None:
        """Put a pair at a place, where its Spec covers it."""
        note_inside(self, (value,))
        element = self.held.element
        row = staged_items.row_of((key, value), element)
        self.put_columns(element, size, staged_items.with_row(self.held.columns, place, row))

    def put_columns(self, element: Any, size: int | None, columns: Sequence[Any]) -> None:
        """Have pairs of a Spec in it, of which these are the columns."""
        self.fill(Entries(None, Kind(element, size), self.factory), columns)

    def image_at(self, place: Any) -> GrowingList:
        """The list at a place, which may be another one to the user: nobody may change it."""
        return cast(GrowingList, shared(row_of(self, place)))

    def owned_at(self, place: Any) -> GrowingList:
        """The list at a place, which is taken out."""
        return owned(row_of(self, place))


def entry_value(value: Any) -> Any:
    """The value that a dict of the graph takes for one. StagingError for what it cannot hold."""
    if is_reference(value):
        return value
    if isinstance(value, dict | deque):
        raise refuse(
            f"{with_article(type(value).__name__)} is put into a dict of which only the run "
            "knows the keys: it could be changed in place",
            "put lists or sets of numbers under the keys; or pairs into one dict: "
            "found[key, name] = item",
        )
    if isinstance(value, list | set) and not is_row(value):
        want_lists(value)
        kind = value.__class__.__name__
        raise refuse(
            f"a {kind} is put into a dict of which only the run knows the keys, and may have other "
            "names",
            f"put a copy there: {kind}(row)",
        )
    return shared(value)


def known_values(values: Sequence[Any]) -> list[Any]:
    """The values that a dict takes for its own when it becomes one of the graph; each list has one
    place.
    """
    found = [entry_value(value) for value in values]
    seen: set[int] = set()
    for value in found:
        if isinstance(value, GrowingSequence) and not is_reference(value):
            if id(value) in seen:
                want_lists(value)
                raise refuse(
                    "a list is under two keys of a dict of which only the run knows the keys",
                    "put a copy there: list(row)",
                )
            seen.add(id(value))
    return found
