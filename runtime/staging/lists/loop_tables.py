"""Many lists of which a staged loop uses items at places that only the run knows, `table[i][j]`:
within the loop they are the rows of one list of the graph, behind it lists of their own again.

Python knows of the rows what it knew: how many there are, how many items each has, and of which
kind these are. A table whose rows grow or shrink is `open`: only the run knows how many items each
has. Where a loop would change anything else, it is traced without the table.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, NoReturn

from runtime import dtypes, ops
from runtime.core.convert import convert_to_tensor
from runtime.graph import lists
from runtime.graph.nodes import apply
from runtime.staging.block_recorder import outermost_round
from runtime.staging.control import joins
from runtime.staging.control.specs import Mismatch, Spec, Tree
from runtime.staging.control.undoing import Anew, Preparation
from runtime.staging.lists import staged_items
from runtime.staging.lists.growing import Kind, StagedItems, place_in, read_by, size_of
from runtime.staging.lists.growing_list import GrowingList, shared
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active, unfailing

FEW = 2
"""Lists of which a loop makes no table: a choice among so few costs as little."""


class LoopTable(GrowingList):
    """A list of the graph that has some lists of the user's as its rows, of these sizes; None for
    one that is `open`.

    `rows_at` has each of them with its size, by the identity of its place.
    """

    __slots__ = ("open", "places", "rows_at")

    def __init__(self, rows: Sequence[GrowingList], kind: RowKind) -> None:
        super().__init__(rows)
        element, sizes, self.open = kind.element, kind.sizes, kind.open
        self.places = {id(row): at for at, row in enumerate(rows)}
        size = sizes[0] if len(set(sizes)) == 1 else None
        row = staged_items.tree(GrowingList, element, size)
        columns = staged_items.columns_of(GrowingList(map(GrowingList.copied, rows)), row)
        self.fill(Kind(row, len(rows)), columns)
        for place, each in enumerate(rows):
            each.become(self, place)
        places = [place_in(each) for each in rows]
        triples = zip(places, rows, sizes, strict=True)
        self.rows_at = {id(place): (place, each, size) for place, each, size in triples}

    def row_at(self, place: Any) -> StagedItems:
        """The contents of the list at a place, with its size, if Python knows that."""
        row = super().row_at(place)
        row.kind = dataclasses.replace(row.kind, size=self._size_at(place))
        return row

    def _size_at(self, place: Any) -> int | None:
        found = self.rows_at.get(id(place))
        return None if found is None else found[2]

    def list_of(self, rows: Sequence[GrowingList], place: Any) -> GrowingList:
        """The list that stands for one of some rows, to read and change it here, where it may
        grow.
        """
        if not self.open:
            self._want_open()
        made = GrowingList()
        made.be_in(self, convert_to_tensor(self.place_of(rows, place), dtypes.int64))
        return made

    def write_row(self, place: Any, row: Any) -> None:
        """Put other contents into the list at a place, as many items if it is not open."""
        if not self.open and size_of(row) != self._size_at(place):
            self._want_open()
        super().write_row(place, row)

    def put_rows(self, element: Tree, columns: Sequence[Any]) -> None:
        """Put other lists in place of them, as many, of the same kind."""
        if not self.open and element != self.rows()[0]:
            raise _refuse_other_kind()
        super().put_rows(element, columns)

    def _want_open(self) -> NoReturn:
        """Ends the round: the table is to be open."""
        rows = [row for _, row, _ in self.rows_at.values()]
        recorder = outermost_round(active(), rows)
        if recorder is None:
            raise _refuse_other_kind()
        raise Anew(recorder, Preparation((want_table, id(rows[0])), partial(_open, rows)))

    def be_open(self) -> None:
        """Have rows that may grow and shrink."""
        self.open = True
        self.rows_at = {at: (place, row, None) for at, (place, row, _) in self.rows_at.items()}
        row = staged_items.tree(GrowingList, self.rows()[0].structure.keys.element)
        self.put_rows(row, staged_items.columns_of(self, row))

    @unfailing
    def put(self, rows: Sequence[GrowingList], place: Any, index: Any, item: Any) -> None:
        """Put an item into one of some rows, which any of them may be."""
        item = shared(item)
        row, _ = self.rows()
        known = row.structure.keys.element
        element = staged_items.covering([known, joins.abstract(item)])
        if element != known:
            row = staged_items.tree(row.structure.kind, element, row.structure.keys.size)
            super().put_rows(row, self.rows(row)[1])
        self.put_item(self.place_of(rows, place), index, staged_items.row_of(item, element))

    def place_of(self, rows: Sequence[GrowingList], place: Any) -> Any:
        """The place here of the one of some rows that is at a place among them."""
        places = [self.places[id(row)] for row in rows]
        if places == list(range(len(places))):
            return place
        table = convert_to_tensor(places, dtypes.int64)
        return ops.gather(table, convert_to_tensor(place, dtypes.int64))


def _refuse_other_kind() -> Exception:
    return refuse("the lists of a list get other kinds of items, or another number of them")


def table_of(rows: Sequence[Any]) -> LoopTable | None:
    """The table of which all these lists are rows, if they are rows of one."""
    first = rows[0].table if isinstance(rows[0], GrowingList) else None
    table = None if first is None else first.table
    if type(table) is not LoopTable:
        return None
    are_in_it = all(id(row) in table.places and row.table.table is table for row in rows)
    return table if are_in_it else None


def want_table(rows: Sequence[Any], added: Callable[[], GrowingList] | None = None) -> None:
    """Ends the round of a loop that uses an item of one of many lists, if they may be the rows of
    one list for that loop. `added` makes a list of the items that one of them gets; it is given
    where one may become longer or shorter.
    """
    trace, key = active(), (want_table, id(rows[0]))
    if len(rows) <= FEW or key in trace.memo:
        return
    recorder = outermost_round(trace, rows)
    if recorder is None or not all(map(_may_be_row, rows)):
        return
    further = None if added is None else added().specs()
    if _kind_of(rows, further) is not None:
        raise Anew(recorder, Preparation(key, partial(_as_table, rows, further)))


@contextmanager
def as_rows(rows: Sequence[Any], added: Callable[[], GrowingList]) -> Iterator[None]:
    """Within it many lists are the rows of one list, if they may be, for a change of one of them
    as `want_table` has it. A `try` would meet them there, where the change fails.
    """
    may_be = len(rows) > FEW and not active().attempts and all(map(_may_be_row, rows))
    further = added().specs() if may_be else ()
    if not may_be or _kind_of(rows, further) is None:
        yield
        return
    end = _as_table(rows, further)
    try:
        yield
    finally:
        end()


class RowKind(NamedTuple):
    """The Spec of the items of some lists, the number of each one's, where Python knows it, and
    whether that may change.
    """

    element: Spec
    sizes: Sequence[int | None]
    open: bool


def _may_be_row(item: Any) -> bool:
    if type(item) is not GrowingList or item.table is not None:
        return False
    return item.staged is None or not item.staged.kind.shared


def _kind_of(rows: Sequence[Any], further: Sequence[Spec] | None) -> RowKind | None:
    """The kind of some lists, if it is one, and they get items with these Specs."""
    if len({id(row) for row in rows}) < len(rows) or not all(map(_may_be_row, rows)):
        return None
    sizes = [size_of(row) for row in rows]
    found = [row.specs() for row, size in zip(rows, sizes, strict=True) if size != 0]
    specs = [each for each in (*found, further) if each]
    elements = map(staged_items.covering, specs)
    try:
        first = next(elements, None)
        is_one = first and staged_items.is_flat(first) and all(each == first for each in elements)
    except Mismatch:
        return None
    if first is None or not is_one:
        return None
    is_open = further is not None or None in sizes
    return RowKind(first, [None] * len(rows) if is_open else sizes, is_open)


@unfailing
def _as_table(rows: Sequence[GrowingList], further: Sequence[Spec] | None) -> Callable[[], None]:
    """Have lists be the rows of one list, until the result is called."""
    kind = _kind_of(rows, further)
    if kind is None:
        raise _refuse_other_kind()
    return partial(_take_apart, LoopTable(rows, kind))


@unfailing
def _open(rows: Sequence[GrowingList]) -> Callable[[], None]:
    """Have rows of a list grow and shrink."""
    table = table_of(rows)
    if table is None:
        raise _refuse_other_kind()
    table.be_open()
    return lambda: None


@unfailing
def _take_apart(table: LoopTable) -> None:
    if any(id(each) not in table.places for each, _ in read_by(table)):
        raise refuse("a list of a list is in two places")
    row, columns = table.rows()
    for place, each, size in table.rows_at.values():
        if size == 0:
            each.be_empty()
            continue
        kept = [apply(lists.GET, x, place, element=x.type.element) for x in columns]
        items = [apply(lists.UNSTACK, x) for x in kept]
        each.be_apart(StagedItems(Kind(row.structure.keys.element, size), items))
