"""The list that stands for one of several: `table[i]` of a list of lists, where only the run knows
`i`.
"""

from __future__ import annotations

import operator
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from runtime.core.convert import convert_to_tensor, register_conversion
from runtime.graph import numbers
from runtime.graph.nodes import NUMBER_TYPES
from runtime.staging import texts
from runtime.staging.aliasing.aliases import want_joined
from runtime.staging.arrays.indexed import GRIDS, JOINING, grid, joined
from runtime.staging.arrays.items import item_of_array
from runtime.staging.backend import BACKEND, set_item
from runtime.staging.builtin_functions import BUILTINS
from runtime.staging.control import branches
from runtime.staging.lists import staged_items
from runtime.staging.lists.growing import Growing, GrowingSequence, sites_of, want_lists
from runtime.staging.lists.growing_deque import TakenAtEnds, deque_of
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.lists.growing_tuple import grown_tuple
from runtime.staging.lists.loop_tables import as_rows, table_of, want_table
from runtime.staging.lists.sequences import (
    check,
    chosen,
    clipped,
    copy_of_one,
    is_staged_index,
    meant,
    place_of,
)
from runtime.staging.lists.walks import give_methods, let_stand_for
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active, unfailing
from runtime.staging.symbolic_number import apply_number
from runtime.staging.tracing import is_symbol


def list_among(items: Sequence[Any], place: Any) -> Any:
    """The one of several lists, of which some may be chosen ones, that is at a place."""
    kind = Row if issubclass(items[0].__class__, list) else DequeRow
    chosen_ones = [item for item in items if isinstance(item, Row)]
    if not chosen_ones:
        return kind(items, place)
    most = max(chosen_ones, key=lambda row: len(row.rows))
    others = [row for item in items for row in (item.rows if isinstance(item, Row) else [item])]
    rows = list({id(row): row for row in (*most.rows, *others)}.values())
    places = {id(row): at for at, row in enumerate(rows)}

    def place_of_item(item: Any) -> Any:
        if not isinstance(item, Row):
            return places[id(item)]
        known = [places[id(row)] for row in item.rows]
        return item.place if known == list(range(len(known))) else chosen(known, item.place)

    return kind(rows, chosen(list(map(place_of_item, items)), place))


class Row(GrowingSequence):
    """One of several lists of one length: that at a place which only the run knows.

    It is what its items are; who changes one of those changes it in the list that is meant. To
    Python, and so to what watches objects, it is the list of the several.
    """

    __slots__ = ("place",)
    is_at_place = True

    def __init__(self, rows: Sequence[Any], place: Any) -> None:
        super().__init__(rows)
        self.place = place

    @property
    def rows(self) -> list[Any]:
        """The lists that it may be."""
        return list(list.__iter__(self))

    @property
    def sites(self) -> frozenset[str]:  # type: ignore[override]
        """The places of the program where the lists that it may be may have been made."""
        return frozenset().union(*map(sites_of, self.rows))

    def several(self) -> tuple[list[Any], Any]:
        """The lists that it may be, and the place of the one that it is."""
        return self.rows, self.place

    def length(self) -> Any:
        """The number of its items: an int, or a staged one."""
        if not _are_lists(self.rows):
            raise refuse(
                "only the run knows which item is meant, and not all of them are lists",
                "lists in all places",
            )
        held = self._in_open_table()
        if held is not None:
            return held.length()
        sizes = [_length(row) for row in self.rows]
        if any(map(is_symbol, sizes)):
            want_table(self.rows)
        elif len(set(sizes)) == 1:
            return sizes[0]
        return apply_number(numbers.CONVERSIONS["int"], chosen(sizes, self.place))

    def _in_open_table(self) -> GrowingList | None:
        """The list that stands for it in one of the graph that has the several as rows, if they
        may grow there.
        """
        table = table_of(self.rows)
        is_open = table is not None and table.open
        return table.list_of(self.rows, self.place) if table and is_open else None

    def content(self) -> tuple[Any, list[Any]]:
        """Refused: where paths meet, it would have to be one list."""
        want_lists(*self.rows)
        raise refuse(
            "a list that only the run knows (table[i]) is kept where paths or rounds meet",
            "index the list around it where it is used: table[i][j]; or a copy: list(table[i])",
        )

    @unfailing
    def at(self, index: Any) -> Any:
        """The item at an index that is in bounds."""
        table = table_of(self.rows)
        if table is not None:
            return table.item_at(table.place_of(self.rows, self.place), index)
        if is_symbol(index) and all(map(_is_staged, self.rows)):
            want_table(self.rows)
        sizes = [_length(row) for row in self.rows]
        if any(map(is_symbol, sizes)):
            return self.copy().at(index)
        are_known = is_symbol(index) and all(map(_is_of_numbers, self.rows))
        if len(set(sizes)) == 1 and not are_known:
            return chosen([_at(row, index) for row in self.rows], self.place)
        starts = [sum(sizes[:at]) for at in range(len(sizes))]
        flat = [
            _at(row, at) for row, size in zip(self.rows, sizes, strict=True) for at in range(size)
        ]
        return chosen(flat, chosen(starts, self.place) + index)

    def own(self) -> Any:
        """A list of its items, as Python's own where all of them are known."""
        return self.copy().own()

    def copy(self) -> GrowingList:
        """A list of its items."""
        held = self._in_open_table()
        if held is not None:
            return held.copied()
        size = self.length()
        if not is_symbol(size):
            return GrowingList([self.at(index) for index in range(size)])
        made: GrowingList = copy_of_one(self.rows, self.place, _copied, _NAMES)
        return made

    def __len__(self) -> int:
        size = self.length()
        return len(self.copy()) if is_symbol(size) else int(size)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.copy())

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self.copy())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.copy()[index]
        return self.at(place_of(index, self.length()))

    def __setitem__(self, index: Any, item: Any) -> None:
        if isinstance(index, slice):
            _assign(self, index, item)
            return
        size = self.length()
        at = place_of(index, size, "list assignment index")
        table = table_of(self.rows)
        if table is not None:
            table.put(self.rows, self.place, at, item)
            return
        if is_symbol(at):
            want_table(self.rows)
        if is_symbol(size) and all(isinstance(row, GrowingList) for row in self.rows):
            _assign(self, at, item)  # others may have no item there
            return
        for row, here in meant(self.rows, self.place):
            set_item(
                branches.cond(here, lambda: item, lambda row=row: _at(row, at), (), ("the item",)),
                row,
                at,
            )

    def __repr__(self) -> str:
        return repr(self.copy())


def _at(items: Any, index: Any) -> Any:
    return items.at(index) if isinstance(items, GrowingList | Row) else _getitem(items, index)


def _is_of_numbers(items: Any) -> bool:
    return all(type(item) in NUMBER_TYPES for item in list.__iter__(items))


def _is_staged(items: Any) -> bool:
    return isinstance(items, GrowingList) and items.staged is not None


def _length(items: Any) -> Any:
    return items.length() if isinstance(items, Growing) else len(items)


def _are_lists(items: Sequence[Any]) -> bool:
    return all(isinstance(item, list) for item in items)


def _unknown_row(row: Row, what: str) -> Exception:
    want_lists(*row.rows)
    want_joined(active())
    return refuse(
        f"{what} a list that only the run knows (table[i])",
        "assign to its items, or make another list of it: list(table[i])",
    )


def _of_copy(name: str) -> Callable[..., Any]:
    def method(self: Row, *args: Any) -> Any:
        return getattr(self.copy(), name)(*args)

    return method


def _of_unknown_row(name: str) -> Callable[..., Any]:
    def method(self: Row, *args: Any, **kwargs: Any) -> Any:
        raise _unknown_row(self, f"{name}() of")

    return method


def _changing(name: str) -> Callable[..., Any]:
    """A method that changes the list that is meant, and leaves the others alone."""

    def added(*args: Any, **kwargs: Any) -> GrowingList:
        made = GrowingList()
        if name in _ADDING:
            getattr(made, name)(*args, **kwargs)
        return made

    def method(self: Row, *args: Any, **kwargs: Any) -> None:
        def changed(row: Any) -> GrowingList:
            made = _copied(row)
            getattr(made, name)(*args, **kwargs)
            return made

        if not all(isinstance(row, GrowingList) for row in self.rows):
            raise _unknown_row(self, _CHANGES.get(name, f"{name}() of"))
        # Each list takes the items; an iterator gives them once.
        args = tuple([list(x) if isinstance(x, Iterator) else x for x in args])
        given = partial(added, *args, **kwargs)
        if table_of(self.rows) is None:
            want_table(self.rows, given)
        with as_rows(self.rows, given):
            table = table_of(self.rows)
            if table is not None:
                getattr(table.list_of(self.rows, self.place), name)(*args, **kwargs)
                return
        for row, here in meant(self.rows, self.place):
            made = branches.cond(
                here, lambda row=row: changed(row), lambda row=row: _copied(row), (), _NAMES
            )
            row.fill(*made.content())

    return method


def _pop(self: Row, index: Any = -1, /) -> Any:
    check(self.length() == 0, "pop from empty list")
    at = place_of(index, self.length(), "pop index")
    item = self.at(at)
    _drop(self, at)
    return item


def _delete(self: Row, index: Any, /) -> None:
    if not isinstance(index, slice):
        index = place_of(index, self.length(), "list assignment index")
    _drop(self, index)


_NAMES = ("the list",)
_ADDING = ("append", "extend", "insert")
_CHANGES = {"__delitem__": "deleting items of", "__setitem__": "assigning a slice of"}


def _copied(row: Any) -> GrowingList:
    if isinstance(row, Row):
        return row.copy()
    return row.copied() if isinstance(row, GrowingList) else GrowingList(row)


_OF_COPY = (
    *("__add__", "__radd__", "__mul__", "__rmul__", "__contains__", "__eq__", "__ne__"),
    *("count", "index"),
)
_OF_UNKNOWN_ROW = "remove", "__iadd__", "__imul__", "__lt__", "__le__", "__gt__", "__ge__"
give_methods(Row, _OF_COPY, _of_copy)
give_methods(Row, _OF_UNKNOWN_ROW, _of_unknown_row)
give_methods(Row, ("append", "clear", "extend", "insert", "reverse", "sort"), _changing)
_assign, _drop = _changing("__setitem__"), _changing("__delitem__")
Row.pop = _pop  # type: ignore[assignment, method-assign]
Row.__delitem__ = _delete  # type: ignore[assignment, method-assign]


class DequeRow(TakenAtEnds, Row):  # type: ignore[misc]
    """One of several deques."""

    __slots__ = ()

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return deque

    @property
    def maxlen(self) -> Any:
        """The number of items that fit into it."""
        known = {row.maxlen for row in self.rows}
        if len(known) > 1:
            hint = "make all of them with the same one"
            raise refuse("only the run knows which deque is meant, and their maxlen differ", hint)
        return known.pop()

    def copy(self) -> GrowingList:
        """A deque of its items."""
        made = deque_of(self.maxlen)()
        made.fill(*super().copy().content())
        return made

    def taken(self, index: Any) -> Any:
        """The item at a place, which is taken out."""
        return _pop(self, index)


give_methods(DequeRow, ("appendleft", "extendleft", "rotate"), _changing)


def _getitem(target: Any, key: Any) -> Any:
    """`target[key]` of a Python sequence with a staged index or bound."""
    if type(target) is np.ndarray:
        return item_of_array(target, key)
    if type(target) in JOINING:
        return joined(target, key)
    if type(target) in GRIDS:
        return grid(target, key)
    own = getattr(type(target), "__getitem__", None)
    if isinstance(target, Growing) or not is_staged_index(key):
        return target[key]
    if isinstance(key, slice):
        if own is str.__getitem__:
            return _part_of_text(target, key) if key.step is None else texts.part(target, key)
        if own is tuple.__getitem__:
            return grown_tuple(GrowingList(target)[key])
        return GrowingList(target)[key] if own is list.__getitem__ else NotImplemented
    if own is range.__getitem__:
        place = place_of(key, len(target), "range object index")
        return target.start + place * target.step
    if own is str.__getitem__:
        return chosen(tuple(target), place_of(key, len(target), "string index"))
    if own in _BUFFERS:
        return chosen(tuple(target), place_of(key, len(target), _BUFFERS[own]))
    if own not in (list.__getitem__, tuple.__getitem__):
        return NotImplemented
    kind = "list" if isinstance(target, list) else "tuple"
    return chosen(target, place_of(key, len(target), f"{kind} index"))


_BUFFERS = {
    bytes.__getitem__: "index",
    bytearray.__getitem__: "bytearray index",
    array.__getitem__: "array index",
}
"""The methods by which buffers give their items, with what Python calls a place out of bounds."""


_LONG = 32
"""The length of a text with too many parts to choose from."""


def _part_of_text(text: str, key: slice) -> Any:
    """`text[start:stop]`, one of the parts that there are."""
    size = len(text)
    start = 0 if key.start is None else clipped(key.start, size)
    stop = size if key.stop is None else clipped(key.stop, size)
    if not is_symbol(start):
        return chosen([text[start:at] for at in range(size + 1)], stop)
    if not is_symbol(stop):
        return chosen([text[at:stop] for at in range(size + 1)], start)
    if size > _LONG:
        return texts.part(text, key)
    parts = [text[a:b] for a in range(size + 1) for b in range(size + 1)]
    return chosen(parts, start * (size + 1) + stop)


def _contains(own: Callable[[Any, Any], Any], container: Any, item: Any) -> Any:
    """`item in table[i]`: of a list of which only the run knows the length, its copy is asked."""
    return own(container.copy() if isinstance(container, Row) else container, item)


BUILTINS[operator.getitem] = _getitem
BUILTINS[operator.contains] = partial(_contains, BUILTINS[operator.contains])
for _kind, _of in ((Row, list), (DequeRow, deque)):
    let_stand_for(_of, _kind, backend=BACKEND)
    register_conversion(_kind, lambda row, dtype: convert_to_tensor(list(row), dtype))
    staged_items.add_kind(_kind)
