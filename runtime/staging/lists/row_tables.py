"""Lists and sets in a list or dict of the graph: they are kept as tensors, and each is read and
changed at its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.graph import list_rows, lists
from runtime.graph.nodes import apply
from runtime.staging.control import joins
from runtime.staging.control.specs import Tree
from runtime.staging.frames import variable_holding
from runtime.staging.lists import staged_items
from runtime.staging.lists.growing import (
    Growing,
    StagedItems,
    StagedRow,
    note_changed_row,
    want_lists,
)
from runtime.staging.refusals import refuse
from runtime.staging.scopes import Scope, active, unfailing


class _Read(NamedTuple):
    """A list that was read, which holds as long as the table has the same contents."""

    held: StagedItems | None
    place: Any
    scope: Scope
    row: StagedItems


class RowTable(Growing):
    """A list or dict that has lists as its items or values."""

    __slots__ = ()

    def rows(self, *further: Any) -> tuple[Tree, list[Any]]:
        """The Spec of the lists in it, also of further ones, and the columns that keep them."""
        raise NotImplementedError

    @property
    def row_kind(self) -> type:
        """The class of what stands for each of them."""
        raise NotImplementedError

    def put_rows(self, element: Tree, columns: Sequence[Any]) -> None:
        """Put other lists in place of them, as many."""
        raise NotImplementedError

    def tensors_at(self, place: Any) -> tuple[list[Any], Any]:
        """The tensors that the list at a place is kept as, and its structure."""
        element, columns = self.rows()
        return [_row_of(column, place) for column in columns], element.structure

    def length_at(self, place: Any) -> Any:
        """The number of items of the list at a place."""
        return _length_in(self.rows()[1][0], convert_to_tensor(place, dtypes.int64))

    def item_at(self, place: Any, index: Any) -> Any:
        """An item of the list at a place."""
        element, columns = self.rows()
        places = _places_in(element, columns[0], place, index)
        kept = [apply(list_rows.ROW_ITEM, column, *places) for column in columns]
        return staged_items.item_of(kept, element.structure.keys.element)

    @unfailing
    def put_item(self, place: Any, index: Any, kept: Sequence[Any]) -> None:
        """Put what an item is kept as into the list at a place."""
        note_changed_row()
        element, columns = self.rows()
        *at, length = _places_in(element, columns[0], place, index)
        pairs = zip(columns, kept, strict=True)
        self.put_rows(element, [apply(list_rows.SET_ROW_ITEM, c, *at, x, length) for c, x in pairs])

    @unfailing
    def push_item(self, place: Any, kept: Sequence[Any]) -> None:
        """Put what an item is kept as behind the others of the list at a place."""
        note_changed_row()
        element, columns = self.rows()
        at = convert_to_tensor(place, dtypes.int64)
        length = convert_to_tensor(_length_in(columns[0], at), dtypes.int64)
        pairs = zip(columns, kept, strict=True)
        self.put_rows(element, [apply(list_rows.PUSH_ROW_ITEM, c, at, x, length) for c, x in pairs])

    def row_at(self, place: Any) -> StagedItems:
        """The contents of the list at a place."""
        held, memo = self.staged, active().memo
        read = memo.get((_Read, id(self)))
        if read is None or read.held is not held or read.place is not place or not read.scope.open:
            element, columns = self.rows()

            def columns_at() -> list[Any]:
                return [apply(lists.UNSTACK, _row_of(column, place)) for column in columns]

            row = StagedRow(element.structure.keys, columns_at)
            read = memo[_Read, id(self)] = _Read(held, place, active().scope, row)
        return read.row

    def write_row(self, place: Any, row: Any) -> None:
        """Put other contents into the list at a place."""
        element, columns = self.rows(joins.abstract(row))
        self._put_row(element, columns, place, staged_items.row_of(row, element))

    def put_tensors(self, place: Any, row: Sequence[Any]) -> None:
        """Put what the list at a place is kept as."""
        self._put_row(*self.rows(), place, row)

    def _put_row(
        self, element: Tree, columns: Sequence[Any], place: Any, row: Sequence[Any]
    ) -> None:
        note_changed_row()
        self.put_rows(element, staged_items.with_row(columns, place, row))

    def share(self) -> None:
        """Have the lists in it in other places, too: nobody may change them any more."""
        element, columns = self.rows()
        self.put_rows(staged_items.as_shared(element), columns)


def _places_in(element: Tree, column: Any, place: Any, index: Any) -> list[Any]:
    """The place of a list, an index in it, and the number of its items."""
    at, length = convert_to_tensor(place, dtypes.int64), element.structure.keys.size
    if length is None:
        length = _length_in(column, at)
    return [at, *[convert_to_tensor(x, dtypes.int64) for x in (index, length)]]


# A list has been found there: its place is in bounds.
@unfailing
def _length_in(column: Any, place: Any) -> Any:
    return apply(list_rows.ROW_LENGTH, column, place)


@unfailing
def _row_of(column: Any, place: Any) -> Any:
    place = convert_to_tensor(place, dtypes.int64)
    return apply(lists.GET, column, place, element=column.type.element)


def refuse_shared(changed: Any) -> Exception:
    """The refusal of a change to a list that is in two places."""
    want_lists(changed)
    return refuse(
        "a list is changed that is in two places of which only the run knows: it was put into a "
        "second list or dict, or the one around it was copied, and both would have to change",
        "change it before it is put into a second one, or put a copy there: list(row), for a "
        "whole table [list(row) for row in table]",
        variable_holding(changed),
    )
