"""The deque that stands for one of the user's while a function is traced, and which class stands
for what the user makes.
"""

from __future__ import annotations

import functools
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from runtime.graph import numbers
from runtime.staging.builtin_functions import BUILTINS, elements, index_of
from runtime.staging.lists import (
    chosen_containers,  # noqa: F401  (which registers what it has)
    counters,  # noqa: F401  (which registers what it has)
    ordered_dicts,  # noqa: F401  (which registers what it has)
    staged_items,
)
from runtime.staging.lists.dict_entries import changed_while_iterated
from runtime.staging.lists.growing import put_others
from runtime.staging.lists.growing_dict import stand_in_for
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.lists.growing_set import GrowingFrozenSet, GrowingSet
from runtime.staging.lists.list_builtins import MAKING, listed
from runtime.staging.lists.sequences import check
from runtime.staging.lists.walks import Walk, let_stand_for
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active, outermost
from runtime.staging.symbolic_number import apply_number
from runtime.staging.tracing import is_symbol

_MUTATED = "deque mutated during iteration", RuntimeError
_GROWN, _SHRUNK = "grown", "shrunk"


class _Walk(Walk):
    """The items that a loop over a deque takes. Python counts the changes of a deque; the run knows
    its length, which is enough where a round does not both put items in and take some out.
    """

    __slots__ = ("before",)

    def __init__(self, walked: Any, size: int | None = None) -> None:
        super().__init__(walked, _MUTATED, size)
        self.before = walked.changes()

    def at(self, index: Any) -> Any:
        self.before = self.walked.changes()
        return self.walked.at(index)

    def has(self, index: Any) -> Any:
        self.walked.check_not_moved(self.before)
        return super().has(index)


class TakenAtEnds:
    """The methods of deques that lists have not, or have otherwise."""

    __slots__ = ()
    length: Callable[[], Any]
    taken: Callable[[Any], Any]

    def pop(self) -> Any:
        """Take the last item out. IndexError, at run time, where there is none."""
        return self._taken(-1)

    def popleft(self) -> Any:
        """Take the first item out. IndexError, at run time, where there is none."""
        return self._taken(0)

    def _taken(self, index: int) -> Any:
        check(self.length() == 0, "pop from an empty deque")
        return self.taken(index)

    @property
    def sort(self) -> NoReturn:
        raise AttributeError("'collections.deque' object has no attribute 'sort'")


class GrowingDeque(TakenAtEnds, GrowingList):  # type: ignore[misc]
    """A deque of the user's; one with a `maxlen` is of a class of its own, `deque_of(maxlen)`, for
    two of which the run chooses have the same.
    """

    __slots__ = ()
    maxlen: Any = None
    plain = deque
    indexed = assigned = "deque index"

    def __init__(self, items: Iterable[Any] = ()) -> None:
        super().__init__(items)
        self._shorten(at_end=False)

    def append(self, item: Any, /) -> None:
        """Put an item behind the others."""
        self._note(_GROWN)
        super().append(item)
        self._shorten(at_end=False)

    def appendleft(self, item: Any, /) -> None:
        """Put an item before the others."""
        self._note(_GROWN)
        super().insert(0, item)
        self._shorten(at_end=True)

    def extendleft(self, items: Iterable[Any], /) -> None:
        """Put items before the others, one by one."""
        for item in elements(items, "extendleft()"):
            self.appendleft(item)

    def insert(self, index: Any, item: Any, /) -> None:
        """Put an item before another one. IndexError, at run time, where the deque is full."""
        if self.maxlen is not None:
            check(self.length() >= self.maxlen, "deque already at its maximum size")
        self._note(_GROWN)
        super().insert(index, item)

    def _join(self, others: GrowingList) -> None:
        self._note(_GROWN)
        super()._join(others)
        self._shorten(at_end=False)

    def __mul__(self, times: Any) -> Any:
        made = super().__mul__(times)
        if isinstance(made, GrowingDeque):
            made._shorten(at_end=False)
        return made

    __rmul__ = __mul__

    def _shorten(self, at_end: bool) -> None:
        """Take out what is too much, at the end or at the front."""
        size, most = self.length(), self.maxlen
        is_known = not is_symbol(size) and not is_symbol(most)
        if most is None or (not is_symbol(size) and size <= (most if is_known else 0)):
            return
        self._note(_SHRUNK)
        if self.staged is None and is_known:
            list.__delitem__(self, slice(most, None) if at_end else slice(size - most))
            return
        if self.staged is None:
            self.stage()
        kept = most if is_known else apply_number(numbers.MIN, size, most)
        self.keep_range(*((0, kept) if at_end else (size - kept, size)))

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(self._checked(index))

    def __setitem__(self, index: Any, item: Any) -> None:
        super().__setitem__(self._checked(index), item)

    def __delitem__(self, index: Any) -> None:
        self._note(_SHRUNK)
        super().__delitem__(self._checked(index))

    def _of_its_kind(self, items: Iterable[Any] = ()) -> GrowingList:
        return type(self)(items)

    def _standing_for(self, items: Any) -> GrowingList:
        return deque_of(items.maxlen)(items)

    def taken(self, index: Any) -> Any:
        self._note(_SHRUNK)
        return super().taken(index)

    def clear(self) -> None:
        """Take all items out."""
        self._note(_SHRUNK)
        super().clear()

    def rotate(self, steps: Any = 1, /) -> None:
        """Move items from the end to the front, one for each step."""
        self._note(_GROWN, _SHRUNK)
        size = self.length()
        start = -index_of(steps) % (size + (size == 0))
        items = listed(self)
        put_others(self, items[start:] + items[:start])

    def _forwards(self) -> Iterator[Any]:
        at, size = 0, list.__len__(self)
        while self.staged is None and at < size:
            before = self.changes()
            yield list.__getitem__(self, at)
            at += 1
            self.check_not_moved(before)
            if self.staged is None and list.__len__(self) != size:
                text, kind = _MUTATED
                raise kind(text)
        if self.staged is not None:
            raise self._refuse_rest(_Walk(self, size), at)

    # What a round does

    def _note(self, *changes: str) -> None:
        self._counted().update(changes)

    def _counted(self) -> Counter[str]:
        counted: Counter[str] = active().memo.setdefault((GrowingDeque, id(self)), Counter())
        return counted

    def changes(self) -> Counter[str]:
        """Returns how often it has grown and shrunk while the function was traced."""
        return self._counted().copy()

    def check_not_moved(self, before: Counter[str]) -> None:
        """StagingError where a round of a loop over it has put items in and taken some out."""
        if len(self._counted() - before) > 1:
            raise changed_while_iterated("a deque", "items")

    def own(self) -> Any:
        if self.staged is not None or is_symbol(self.maxlen):
            return self
        return deque(list.__iter__(self), self.maxlen)

    def __repr__(self) -> str:
        if self.staged is None and is_symbol(self.maxlen):
            raise refuse("the text of a deque shows its `maxlen`, which only the run knows", _LIST)
        return super().__repr__() if self.staged is not None else repr(self.own())

    def _checked(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        size = self.length()
        if isinstance(index, int) and isinstance(size, int) and not -size <= index < size:
            raise IndexError(f"{self.indexed} out of range")
        return index


_LIST = "show a list of its items: list(d)"


# Making them


@functools.cache
def deque_of(maxlen: int | None) -> type[GrowingDeque]:
    """The class of deques with so many items at most."""
    if maxlen is None:
        return GrowingDeque
    return _bounded(maxlen)


def _bounded(maxlen: Any) -> type[GrowingDeque]:
    made = type(deque.__name__, (GrowingDeque,), {"__slots__": (), "maxlen": maxlen})
    _register(made)
    return made


def _register(kind: type[GrowingDeque]) -> None:
    let_stand_for(deque, kind, _Walk)
    staged_items.add_kind(kind)


def stand_in(made: Any) -> Any:
    """The stand-in for a list, deque, set or dict that was just made."""
    if type(made) is list:
        return GrowingList(made)
    if type(made) is set:
        return GrowingSet.of_known(made)
    if type(made) is frozenset:
        return GrowingFrozenSet.of_known(made)
    if isinstance(made, dict):
        return stand_in_for(made)
    return deque_of(made.maxlen)(made)


class _LengthOfRun:
    """The class of deques with so many items at most as only the run knows: their number is in the
    memo of the trace. There are as many classes as one trace makes such deques.
    """

    def __get__(self, item: Any, kind: type) -> Any:
        most = outermost().memo[kind]
        if not most.scope.open:
            raise refuse(
                "a deque is used behind the branch, round or call that made it, where only the run "
                "knows its `maxlen`",
                "make it before: d = deque(maxlen=n)",
            )
        return most


@functools.cache
def _deque_of_run(at: int) -> type[GrowingDeque]:
    return _bounded(_LengthOfRun())


def _class_of(maxlen: Any) -> type[GrowingDeque]:
    if not is_symbol(maxlen):
        return deque_of(deque(maxlen=maxlen).maxlen)  # Python's own errors
    most, memo = index_of(maxlen), outermost().memo
    check(most < 0, "maxlen must be non-negative", ValueError)
    made = memo[_LengthOfRun] = memo.get(_LengthOfRun, 0) + 1
    kind = _deque_of_run(made)
    memo[kind] = most
    return kind


def _deque(items: Any = (), /, maxlen: Any = None) -> Any:
    made = _class_of(maxlen)()
    made.extend(listed(items))
    return made


MAKING[deque] = BUILTINS[deque] = _deque
_register(GrowingDeque)
