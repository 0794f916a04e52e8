"""The deque that stands for one of the user's while a function is traced, and which class stands
for what the user makes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from autograph import register_backend, register_stand_in
from runtime.staging.builtin_functions import BUILTINS, elements, index_of
from runtime.staging.control import iteration
from runtime.staging.lists import (
    chosen_containers,  # noqa: F401  (which registers what it has)
    counters,  # noqa: F401  (which registers what it has)
    ordered_dicts,  # noqa: F401  (which registers what it has)
    staged_items,
)
from runtime.staging.lists.growing_dict import stand_in_for
from runtime.staging.lists.growing_list import GrowingList, ListBackend, sequence_of
from runtime.staging.lists.growing_set import GrowingSet
from runtime.staging.lists.list_builtins import MAKING, listed
from runtime.staging.lists.sequences import check


class GrowingDeque(GrowingList):
    """A deque of the user's, without a `maxlen`."""

    __slots__ = ()
    maxlen = None

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return deque

    def appendleft(self, item: Any, /) -> None:
        """Put an item before the others."""
        self.insert(0, item)

    def extendleft(self, items: Iterable[Any], /) -> None:
        """Put items before the others, one by one."""
        for item in elements(items, "extendleft()"):
            self.appendleft(item)

    def _of_its_kind(self, items: Iterable[Any] = ()) -> GrowingList:
        return GrowingDeque(items)

    def in_order(self) -> GrowingList:
        made = GrowingList()
        made.fill(*super().in_order().content())
        return made

    def pop(self) -> Any:  # type: ignore[override]
        """Take the last item out. IndexError, at run time, where there is none."""
        self._check_filled()
        return self.taken(-1)

    def popleft(self) -> Any:
        """Take the first item out. IndexError, at run time, where there is none."""
        self._check_filled()
        return self.taken(0)

    def rotate(self, steps: Any = 1, /) -> None:
        """Move items from the end to the front, one for each step."""
        size = self.length()
        start = -index_of(steps) % (size + (size == 0))
        items = listed(self)
        self.fill(*(items[start:] + items[:start]).content())

    def __repr__(self) -> str:
        return super().__repr__() if self.staged is not None else repr(deque(list.__iter__(self)))

    def _check_filled(self) -> None:
        check(self.length() == 0, "pop from an empty deque")


# Making them


def stand_in(made: Any) -> Any:
    """The stand-in for a list, deque, set or dict that was just made."""
    if type(made) is list:
        return GrowingList(made)
    if type(made) is set:
        return GrowingSet(made)
    if isinstance(made, dict):
        return stand_in_for(made)
    return GrowingDeque(made) if made.maxlen is None else made


def _deque(items: Any = (), /, maxlen: Any = None) -> Any:
    if maxlen is not None:
        return NotImplemented
    made = GrowingDeque()
    made.fill(*listed(items).content())
    return made


MAKING[deque] = BUILTINS[deque] = _deque
GrowingDeque.__name__ = GrowingDeque.__qualname__ = deque.__name__  # as Python's messages name it
register_backend(GrowingDeque, ListBackend())
register_stand_in(GrowingDeque, deque)
iteration.register_sequence(GrowingDeque, sequence_of)
staged_items.add_kind(GrowingDeque)
