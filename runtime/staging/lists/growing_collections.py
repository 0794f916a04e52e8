"""The deque and the set that stand for those of the user's while a function is traced.

Both are lists that may become lists of the graph: a set is one without equal items, of which nobody
may ask the order once staged items are in it.
"""

from __future__ import annotations

import functools
import operator
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, NoReturn

from autograph import register_backend, register_stand_in
from runtime.staging.builtin_functions import BUILTINS, elements, index_of
from runtime.staging.control import branches, iteration
from runtime.staging.lists import (
    counters,  # noqa: F401  (which registers what it has)
    keys,
    staged_items,
)
from runtime.staging.lists.growing import size_of
from runtime.staging.lists.growing_dict import stand_in_for
from runtime.staging.lists.growing_list import GrowingList, ListBackend, sequence_of
from runtime.staging.lists.keys import index, is_staged
from runtime.staging.lists.list_builtins import MAKING, listed
from runtime.staging.lists.sequences import check
from runtime.staging.refusals import refuse
from runtime.staging.tracing import is_symbol


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

    def pop(self) -> Any:  # type: ignore[override]
        """Take the last item out. IndexError, at run time, where there is none."""
        self._check_filled()
        return super().pop()

    def popleft(self) -> Any:
        """Take the first item out. IndexError, at run time, where there is none."""
        self._check_filled()
        return super().pop(0)

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


class GrowingSet(GrowingList):
    """A set of the user's: a list without equal items."""

    __slots__ = ()

    def __init__(self, items: Iterable[Any] = ()) -> None:
        super().__init__()
        self.update(items)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return set

    @property
    def is_plain(self) -> bool:
        """True as long as Python knows its items."""
        return self.staged is None and not any(map(is_staged, list.__iter__(self)))

    def items(self) -> GrowingList:
        """The list of its items, in an order that nobody may ask for."""
        made = GrowingList()
        made.fill(*self.content())
        return made

    def copy(self) -> GrowingSet:
        """Another set of the same items."""
        made = GrowingSet()
        made.fill(*self.content())
        return made

    # Changing it

    def add(self, item: Any, /) -> None:
        """Put an item into it, unless there is an equal one."""
        if self.is_plain and not is_staged(item):
            self._put({*list.__iter__(self), item})
            return
        _check_hashable(item)
        more, present = self.items(), self.has(item)
        if present is True:
            return
        more.append(item)
        if present is not False:
            more = branches.cond(present, self.items, lambda: more, (), ("the set",))
        self.fill(*more.content())

    def remove(self, item: Any, /) -> None:
        """Take an item out. KeyError, at run time, where it is not there."""
        if self.is_plain and not is_staged(item):
            known = self._python()
            known.remove(item)
            self._put(known)
            return
        rest = self.items()
        place = self._place(item)

        def fail() -> NoReturn:
            raise KeyError(item)

        if is_symbol(place):
            branches.cond(place < 0, fail, lambda: None, (), ())
        elif place < 0:
            fail()
        rest.pop(index(place))
        self.fill(*rest.content())

    def discard(self, item: Any, /) -> None:
        """Take an item out, if it is there."""
        if self.is_plain and not is_staged(item):
            self._put(self._python() - {item})
            return
        place = self._place(item)

        def without() -> GrowingList:
            rest = self.items()
            rest.pop(index(place))
            return rest

        if is_symbol(place):
            left = branches.cond(place < 0, self.items, without, (), ("the set",))
            self.fill(*left.content())
        elif place >= 0:
            self.fill(*without().content())

    def update(self, *others: Iterable[Any]) -> None:
        """Put the items of others into it."""
        for items in others:
            source = iteration.staged(_unordered(items))
            if source is not None and is_symbol(source.length()):
                self._add_all(source)
            else:
                known = _unordered(items) if source is None else elements(source, "update()")
                for item in known:
                    self.add(item)

    def _add_all(self, source: iteration.Staged) -> None:
        def one_more(item: Any, items: GrowingSet) -> GrowingSet:
            made = items.copy()
            made.add(item)
            return made

        made = iteration.for_loop(source, one_more, (self.copy(),), ("the set",))
        self.fill(*made.content())

    def pop(self) -> Any:  # type: ignore[override]
        """Take out an item, any one, of a set of which Python knows the items."""
        rest = self._python("pop()")
        item = rest.pop()
        self._put(rest)
        return item

    def _put(self, items: set[Any]) -> None:
        # In the order of the user's changes: what Python's set makes of it is asked of that.
        kept = [item for item in list.__iter__(self) if item in items]
        known = set(kept)
        kept += [item for item in items if item not in known]
        self.fill(len(kept), kept)

    def _python(self, what: str = "it") -> set[Any]:
        if not self.is_plain:
            raise _refuse_order(what)
        return set(list.__iter__(self))

    # Asking it

    def has(self, item: Any) -> Any:
        """True for an item that is there: a bool, or a staged one."""
        if self.is_plain and not is_staged(item):
            return item in set(list.__iter__(self))
        return self._place(item) >= 0

    def _place(self, item: Any) -> Any:
        keys.check(item)
        if size_of(self) == 0:
            return -1
        held = self._covering()
        return keys.place_of(held.element, held.columns, self.length(), item)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._python("iteration"))

    def __contains__(self, item: Any) -> bool:
        return item in self._python("`in` in code that is not converted")

    def __repr__(self) -> str:
        return repr(self._python("its text"))


def _check_hashable(item: Any) -> None:
    if not is_staged(item) and not isinstance(item, Hashable):
        raise TypeError(f"unhashable type: '{type(item).__name__}'")


def _unordered(items: Any) -> Any:
    return items.items() if isinstance(items, GrowingSet) else items


def _refuse_order(what: str) -> Exception:
    return refuse(
        f"{what} of a set of staged values asks for their order, which is Python's own affair",
        "use add, discard, remove, update, in, len, sum, max, min and sorted, or a list",
    )


def _of_sets(name: str) -> Callable[..., Any]:
    """A method of sets, for those of which Python knows the items."""
    own = getattr(set, name)

    def method(self: GrowingSet, *others: Any) -> Any:
        known = [x._python(f"{name}()") if isinstance(x, GrowingSet) else x for x in others]
        mine = self._python(f"{name}()")
        found = own(mine, *known)
        if name.endswith("update") or name.startswith("__i"):
            self._put(mine)
            return self if found is not NotImplemented and name.startswith("__i") else found
        return GrowingSet(found) if type(found) is set else found

    method.__name__ = name
    return method


for _name in (
    *("union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset"),
    *("isdisjoint", "intersection_update", "difference_update", "symmetric_difference_update"),
    *("__or__", "__and__", "__sub__", "__xor__", "__ror__", "__rand__", "__rsub__", "__rxor__"),
    *("__ior__", "__iand__", "__isub__", "__ixor__", "__le__", "__lt__", "__ge__", "__gt__"),
    *("__eq__", "__ne__"),
):
    setattr(GrowingSet, _name, _of_sets(_name))
GrowingSet.__hash__ = None


def _absent(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        if name == "__getitem__":
            raise TypeError("'set' object is not subscriptable")
        raise AttributeError(f"'set' object has no attribute '{name}'")

    return method


for _name in (
    *("append", "extend", "insert", "index", "count", "sort", "reverse", "__getitem__"),
    *("__setitem__", "__delitem__", "__add__", "__radd__", "__mul__", "__rmul__", "__iadd__"),
):
    setattr(GrowingSet, _name, _absent(_name))


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


def _set(items: Any = (), /) -> GrowingSet:
    return GrowingSet(items)


def _deque(items: Any = (), /, maxlen: Any = None) -> Any:
    if maxlen is not None:
        return NotImplemented
    made = GrowingDeque()
    made.fill(*listed(items).content())
    return made


def _over_items(function: Callable[..., Any]) -> Callable[..., Any]:
    """A builtin that asks for no order, also for sets."""

    @functools.wraps(function)
    def asking(*args: Any, **kwargs: Any) -> Any:
        return function(*map(_unordered, args), **kwargs)

    return asking


def _sequence_of_set(items: GrowingSet) -> iteration.Staged | None:
    if not items.is_plain:
        raise _refuse_order("iteration")
    return None


class _SetBackend(ListBackend):
    def stages(self, value: Any) -> bool:
        return not value.is_plain


def _in(own: Callable[[Any, Any], Any], container: Any, item: Any) -> Any:
    return container.has(item) if isinstance(container, GrowingSet) else own(container, item)


for _builtin in (len, sum, max, min, sorted):
    BUILTINS[_builtin] = _over_items(BUILTINS[_builtin])
BUILTINS[operator.contains] = functools.partial(_in, BUILTINS[operator.contains])
MAKING[set] = BUILTINS[set] = _set
MAKING[deque] = BUILTINS[deque] = _deque
for _kind, _of, _backend, _sequence in (
    (GrowingSet, set, _SetBackend(), _sequence_of_set),
    (GrowingDeque, deque, ListBackend(), sequence_of),
):
    _kind.__name__ = _kind.__qualname__ = _of.__name__  # as Python's own messages name it
    register_backend(_kind, _backend)
    register_stand_in(_kind, _of)
    iteration.register_sequence(_kind, _sequence)
    staged_items.add_kind(_kind)
