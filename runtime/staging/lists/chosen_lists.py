"""The list that stands for one of several: `table[i]` of a list of lists, where only the run knows
`i`.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograph import register_backend, register_stand_in
from runtime.core.convert import convert_to_tensor, register_conversion
from runtime.staging.backend import BACKEND
from runtime.staging.builtin_functions import BUILTINS
from runtime.staging.control import branches, iteration
from runtime.staging.lists import staged_items
from runtime.staging.lists.growing import Growing
from runtime.staging.lists.growing_list import GrowingList, Items
from runtime.staging.lists.sequences import chosen, is_staged, place_of, register_lists
from runtime.staging.refusals import refuse
from runtime.staging.tracing import is_symbol


class Row(Growing):
    """One of several lists of one length: that at a place which only the run knows.

    It is what its items are; who changes one of those changes it in the list that is meant.
    """

    __slots__ = ("place", "rows")

    def __init__(self, rows: Sequence[Any], place: Any) -> None:
        super().__init__()
        self.rows = list(rows)
        self.place = place

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return list

    def length(self) -> Any:
        """The number of its items: an int."""
        sizes = {_length(row) for row in self.rows if isinstance(row, list)}
        if len(sizes) != 1 or is_symbol(next(iter(sizes))) or not _are_lists(self.rows):
            raise refuse(
                "only the run knows which list of a list is meant, and they are of several lengths",
                "lists of one length",
            )
        return sizes.pop()

    def content(self) -> tuple[Any, list[Any]]:
        """Refused: where paths meet, it would have to be one list."""
        raise refuse(
            "a list that only the run knows (table[i]) is kept where paths or rounds meet",
            "index the list around it where it is used: table[i][j]; or a copy: list(table[i])",
        )

    def at(self, index: Any) -> Any:
        """The item at an index that is in bounds."""
        return chosen([_at(row, index) for row in self.rows], self.place)

    def copy(self) -> GrowingList:
        """A list of its items."""
        return GrowingList([self.at(index) for index in range(self.length())])

    def __len__(self) -> int:
        return int(self.length())

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
            raise _unknown_row("assigning a slice of")
        at = place_of(index, self.length(), "list assignment index")
        for row, here in self._meant():
            row[at] = branches.cond(here, lambda: item, lambda row=row: row[at], (), ("the item",))

    def _meant(self) -> Iterator[tuple[Any, Any]]:
        """Each list, and whether it is the one."""
        for row in {id(row): row for row in self.rows}.values():
            found = [self.place == at for at, other in enumerate(self.rows) if other is row]
            yield row, functools.reduce(operator.or_, found)

    def __repr__(self) -> str:
        return repr(self.copy())


def _at(items: Any, index: Any) -> Any:
    return items.at(index) if isinstance(items, GrowingList | Row) else _getitem(items, index)


def _length(items: Any) -> Any:
    return items.length() if isinstance(items, Growing) else len(items)


def _are_lists(items: Sequence[Any]) -> bool:
    return all(isinstance(item, list) for item in items)


def _unknown_row(what: str) -> Exception:
    return refuse(
        f"{what} a list that only the run knows (table[i])",
        "assign to its items, or make another list of it: list(table[i])",
    )


def _of_copy(name: str) -> Callable[..., Any]:
    def method(self: Row, *args: Any) -> Any:
        return getattr(self.copy(), name)(*args)

    method.__name__ = name
    return method


def _of_unknown_row(name: str) -> Callable[..., Any]:
    def method(self: Row, *args: Any, **kwargs: Any) -> Any:
        raise _unknown_row(f"{name}() of")

    method.__name__ = name
    return method


_OF_COPY = (
    *("__add__", "__radd__", "__mul__", "__rmul__", "__contains__", "__eq__", "__ne__"),
    *("count", "index"),
)
_OF_UNKNOWN_ROW = (
    *("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"),
    *("__delitem__", "__iadd__", "__imul__", "__lt__", "__le__", "__gt__", "__ge__"),
)
for _name in _OF_COPY:
    setattr(Row, _name, _of_copy(_name))
for _name in _OF_UNKNOWN_ROW:
    setattr(Row, _name, _of_unknown_row(_name))


def _getitem(target: Any, key: Any) -> Any:
    """`target[key]` of a Python sequence with a staged index or bound."""
    own = getattr(type(target), "__getitem__", None)
    if isinstance(target, Growing) or not is_staged(key):
        return target[key]
    if isinstance(key, slice):
        return GrowingList(target)[key] if own is list.__getitem__ else NotImplemented
    if own is range.__getitem__:
        place = place_of(key, len(target), "range object index")
        return target.start + place * target.step
    if own is str.__getitem__:
        return chosen(tuple(target), place_of(key, len(target), "string index"))
    if own not in (list.__getitem__, tuple.__getitem__):
        return NotImplemented
    kind = "list" if isinstance(target, list) else "tuple"
    return chosen(target, place_of(key, len(target), f"{kind} index"))


Row.__name__ = Row.__qualname__ = "list"
BUILTINS[operator.getitem] = _getitem
register_backend(Row, BACKEND)
register_stand_in(Row, list)
register_conversion(Row, lambda row, dtype: convert_to_tensor(list(row), dtype))
register_lists(Row)
iteration.register_sequence(Row, Items)
staged_items.add_kind(Row)
