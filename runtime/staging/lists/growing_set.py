"""The set that stands for one of the user's while a function is traced: a list without equal items,
in the order in which they were added.

The order of Python's own set of numbers follows from that, as long as sets only grow by one item
after another: then a loop over one has that order. A function that does more with its sets may not
ask for it.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from sys import getsizeof
from typing import Any, NoReturn, Self, cast

from autograph.backend import AnyOrder
from autograph.operators.comprehensions import of_generator, put_all
from runtime import ops
from runtime.core.convert import register_conversion
from runtime.core.primitive import bind, wrong_dtype
from runtime.dtypes import DType
from runtime.graph import lists
from runtime.graph.nodes import apply
from runtime.staging.block_recorder import BlockRecorder
from runtime.staging.builtin_functions import BUILTINS, elements
from runtime.staging.control import branches, iteration, logic
from runtime.staging.control.branches import truth
from runtime.staging.control.optional_values import MaybeNone
from runtime.staging.control.references import is_reference
from runtime.staging.control.specs import Leaf
from runtime.staging.control.undoing import Refused, undone_if_refused
from runtime.staging.lists import keys, staged_items
from runtime.staging.lists.dict_entries import changed_while_iterated
from runtime.staging.lists.growing import Growing, Kind, size_of
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.lists.keys import index, is_staged, leaves
from runtime.staging.lists.list_builtins import MAKING, has_staged
from runtime.staging.lists.sequences import chosen, refuse_if
from runtime.staging.lists.set_order import (
    ask_order,
    has_floats,
    in_any_order,
    is_of_numbers,
    note_order_lost,
    refuse_order,
)
from runtime.staging.lists.walks import (
    Items,
    ListBackend,
    Walk,
    gathered,
    give_methods,
    leave_out,
    let_stand_for,
)
from runtime.staging.refusals import refuse
from runtime.staging.scopes import Scope, active
from runtime.staging.tracing import is_symbol


class GrowingSet(GrowingList):
    """A set of the user's: a list without equal items. `known` is Python's own set, to which the
    user's changes were made too, for what it was tells of the order of its items. Nobody knows that
    when the block that it was `changed_in` is left, as what the block did may not have been done.
    Where that is taken back, it is again what it was `before`: of one that `has_lost` no item, or
    `is_added`, made by adding items one by one, there can be another one for the block.
    """

    __slots__ = ("before", "changed_in", "has_lost", "is_added", "known")
    plain: type = set
    known: Any
    changed_in: Scope | None
    before: tuple[Any, ...] | None
    has_lost: bool
    is_added: bool

    def __init__(self, items: Iterable[Any] = ()) -> None:
        super().__init__()
        self.known, self.changed_in = set(), active().scope
        self.before, self.has_lost, self.is_added = None, False, True
        self.update(items)

    @property
    def is_plain(self) -> bool:
        """True as long as Python knows its items."""
        return self.staged is None and not any(map(is_staged, list.__iter__(self)))

    def content(self) -> tuple[Any, list[Any]]:
        """The number of items, and the items, of which the run may have more: it would find their
        order by adding them one by one.
        """
        if self.is_plain and not self._is_as_added():
            note_order_lost()
        return super().content()

    def _is_as_added(self) -> bool:
        """Whether Python's set has each item where it is in one to which they are added one by one:
        in any order, where no two of them want the same place.
        """
        known = self._python()
        if self.is_added or not known:
            return True
        if self.has_lost or not self._has_order:
            return False
        again = set(list.__iter__(self))
        places = (getsizeof(again) - getsizeof(set())) // _ENTRY or _SMALL
        wanted = {hash(item) % places for item in again}
        return len(wanted) == len(again) and getsizeof(again) == getsizeof(known)

    __reversed__ = None  # type: ignore[assignment]

    def unordered(self) -> GrowingList:
        """The list of its items, in an order that nobody may ask for."""
        return GrowingList.holding(*self.content())

    def copy(self) -> GrowingSet:
        """Another set of the same items."""
        note_order_lost()
        return self.copied()

    def copied(self) -> GrowingSet:
        """`copy`, of a set that nobody uses any more."""
        if self.is_plain:
            return GrowingSet.of_known(set(self._python()), self)
        held, children = self.content()
        is_known = isinstance(held, int)
        held = held if is_known else dataclasses.replace(held, shared=False)
        return GrowingSet.holding(held, children)

    @classmethod
    def of_known(cls, items: set[Any] | frozenset[Any], *sources: Any) -> Self:
        """One that stands for this set, which is made of others, from now on."""
        made = cls()
        made._put(items, *sources, added=_in_turn(items))
        return made

    def exported(self, numbers: Mapping[str, DType]) -> GrowingSet:
        """The set as a function returns it: its items leave the graph as keys of a dict do."""
        if size_of(self) == 0:
            nothing = staged_items.NOTHING
            return self.holding(Kind(nothing, 0), staged_items.columns_of([], nothing))
        held = self._covering()
        return self.holding(held.kind, held.columns)

    def own(self) -> Any:
        return self.plain(self._python()) if self.is_plain else self

    @classmethod
    def of_run(cls, items: list[Any]) -> Any:
        return set(map(keys.hashable, items))

    def in_order(self) -> GrowingList:
        """The list of its items in the order of Python's set. StagingError where that is not
        known.
        """
        several = self._several_known()
        if several is not None:
            return cast(GrowingList, chosen(*several))
        if self.is_plain:
            return GrowingList(self)
        if _is_small(self):
            return self.unordered()
        held = self._covering()
        if not is_of_numbers(held.element):
            raise refuse_order("iteration")
        ask_order()
        columns = list(map(staged_items.stacked, held.columns))
        is_one = isinstance(held.element, Leaf)
        places = bind(ops.set_order_p, columns[0] if is_one else ops.stack(columns, axis=1))
        taken = [apply(lists.TAKE, column, places) for column in held.columns]
        return GrowingList.holding(held.kind, taken)

    def _several_known(self) -> tuple[list[Any], Any] | None:
        """The lists of the items of sets that Python knows, in their order, of which it is one, and
        the place of that; None for another set.
        """
        table = self.table
        if table is None or table.table is None or isinstance(table.table, Growing):
            return None
        if not all(map(_is_known, table.table)):
            return None
        return [list(each) for each in table.table], table.place

    # Changing it

    def add(self, item: Any, /) -> None:
        """Put an item into it, unless there is an equal one."""
        if self.is_plain and not is_staged(item):
            if item not in self._python():
                known = self._to_change()
                known.add(item)
                self._put(known, added=(item,))
            return
        _check_hashable(item)
        if _may_be_no_object(item):
            refuse_if(logic.not_(item.flag), *_NONE_AMONG_OBJECTS)
            item = item.held
        is_there = self.has(item)

        def with_it() -> GrowingList:
            more = self.unordered()
            more.append(item)
            return more

        # In its branch: a copy of all items for one that is there would take as long as they are.
        if is_symbol(is_there):
            self.fill(*branches.cond(is_there, self.unordered, with_it, (), ("the set",)).content())
        elif not is_there:
            self.fill(*with_it().content())

    def remove(self, item: Any, /) -> None:
        """Take an item out. KeyError, at run time, where it is not there."""
        note_order_lost()
        if self.is_plain and not is_staged(item):
            known = self._to_change()
            known.remove(item)
            self._put(known)
            return
        rest = self.unordered()
        place = self._place(item)
        keys.check_there(place < 0, item)
        rest.pop(index(place))
        self.fill(*rest.content())

    def discard(self, item: Any, /) -> None:
        """Take an item out, if it is there."""
        note_order_lost()
        if self.is_plain and not is_staged(item):
            if item in self._python():
                known = self._to_change()
                known.discard(item)
                self._put(known)
            return
        place = self._place(item)

        def without() -> GrowingList:
            rest = self.unordered()
            rest.pop(index(place))
            return rest

        if is_symbol(place):
            left = branches.cond(place < 0, self.unordered, without, (), ("the set",))
            self.fill(*left.content())
        elif place >= 0:
            self.fill(*without().content())

    def clear(self) -> None:
        """Take out all items: it is like a new one."""
        if self.is_plain:
            self._to_change()
        super().clear()
        self.known, self.changed_in = set(), active().scope
        self.has_lost, self.is_added = False, True

    def update(self, *others: Iterable[Any]) -> None:
        """Put the items of others into it."""
        for items in others:
            if isinstance(items, set | frozenset | dict) and not _is_small(items):
                note_order_lost()
            given = of_generator(items)
            if given is not None:
                put_all(given, self)
                continue
            source = iteration.staged(_unordered(items))
            if source is not None and is_symbol(source.length()):
                self._add_all(source)
            else:
                known = _unordered(items) if source is None else elements(source, "update()")
                self._add_known([*known], items)

    def _add_known(self, items: list[Any], given: Any) -> None:
        if self.is_plain and not any(map(is_staged, items)):
            known, added = self._to_change(), _as_python(items, given)
            is_known = added is not items
            try:
                known.update(added)
            except TypeError:  # those in front of an unhashable one are in it
                is_known = True
                raise
            finally:
                self._put(known, given, added=() if is_known else items)
            return
        for item in items:
            self.add(item)

    def _add_all(self, source: iteration.Staged) -> None:
        made = gathered(source, self.copied(), lambda made, item: made.add(item), ("the set",))
        self.fill(*made.content())

    def pop(self) -> Any:  # type: ignore[override]
        """Take out an item, any one, of a set of which Python knows the items."""
        note_order_lost()
        self._ordered("pop()")
        rest = self._to_change()
        item = rest.pop()
        self._put(rest)
        return item

    def _put(
        self, items: set[Any] | frozenset[Any], *sources: Any, added: Iterable[Any] = ()
    ) -> None:
        # In the order of the user's changes: what Python's set makes of it is asked of that.
        now = {item: item for item in items}  # `&=` keeps the equal ones of the smaller set
        kept = [now[item] for item in list.__iter__(self) if item in now]
        self.has_lost = self.has_lost or len(kept) < list.__len__(self)
        known = dict.fromkeys([*kept, *added])
        self.is_added = self.is_added and not self.has_lost and known.keys() == items
        kept = [*known, *[item for item in items if item not in known]]
        self.fill(len(kept), kept)
        self.known = items
        sets = [each for each in (self, *sources) if isinstance(each, GrowingSet)]
        is_sure = all(each._has_order for each in sets)
        self.changed_in = active().scope if is_sure else None

    def _ordered(self, what: str) -> Any:
        """Python's own set, which is asked for its order."""
        known = self._python(what)
        if len(known) > 1 and not self._has_order:
            raise refuse_order(what, ", for a block has changed it that not every path takes")
        return known

    def _python(self, what: str = "it") -> Any:
        if not self.is_plain:
            raise refuse_order(what)
        own = set(list.__iter__(self))
        while self.known != own and self.before is not None:  # what a block did was taken back
            self._restore(self.before)
        if self.known != own:  # nobody knows what it was before
            self.known, self.changed_in, self.has_lost, self.is_added = own, None, True, False
        return self.known

    def _state(self) -> tuple[Any, ...]:
        return self.known, self.changed_in, self.has_lost, self.is_added, self.before

    def _restore(self, state: tuple[Any, ...]) -> None:
        self.known, self.changed_in, self.has_lost, self.is_added, self.before = state

    @property
    def _has_order(self) -> bool:
        """Whether the set that is known has the order of the user's."""
        return self.changed_in is not None and self.changed_in.open

    def _to_change(self) -> Any:
        """Python's own set, which is to be changed; what it was before a block stays as it is."""
        known = self._python()
        if self._has_order and self.changed_in is not active().scope:
            other = set(list.__iter__(self)) if self.is_added else known.copy()
            # Without gaps, and as large, a copy has the items in the same places.
            is_same = not self.has_lost and getsizeof(other) == getsizeof(known)
            self.before = self._state() if is_same else None
            self.known = other if is_same else known
        return self.known

    # Asking it

    def has(self, item: Any) -> Any:
        """True for an item that is there: a bool, or a staged one."""
        if self.is_plain and not is_staged(item):
            return item in set(list.__iter__(self))
        return self._place(item) >= 0

    def _place(self, item: Any) -> Any:
        if _may_be_no_object(item):
            place = self._place(item.held)
            return branches.cond(item.flag, lambda: place, lambda: -1, (), ("the place",))
        keys.check(item)
        if size_of(self) == 0:
            return -1
        held = self._covering()
        return keys.place_of(held.element, held.columns, self.length(), item)

    def __iter__(self) -> Iterator[Any]:
        return self._unchanged(self._ordered("iteration"), list(list.__iter__(self)))

    def _unchanged(self, items: Iterable[Any], before: list[Any]) -> Iterator[Any]:
        for item in items:
            yield item
            if self.staged is None and list.__len__(self) != len(before):
                raise RuntimeError("Set changed size during iteration")
            # Which of as many other items Python comes to is its own affair.
            now = list.__iter__(self)
            if self.staged is not None or any(map(operator.is_not, now, before)):
                raise changed_while_iterated("a set", "items")

    def __contains__(self, item: Any) -> bool:
        return item in self._python("`in` in code that is not converted")

    def __repr__(self) -> str:
        return repr(self._ordered("its text"))


_ASKED_AGAIN = frozenset((int, bool, float, str))
"""The classes of items whose hashes are nobody's but Python's."""

_ENTRY, _SMALL = 16, 8
"""The bytes of a place in Python's sets, and how many places the small ones have."""


def _in_turn(items: set[Any] | frozenset[Any]) -> Sequence[Any]:
    """The items of a small set in an order in which they may have been added, if each order that
    gives the order of the set has them in the same places. Nothing for another set.
    """
    known = list(items)
    is_small = 1 < len(known) < 5 and getsizeof(items) == getsizeof(set())
    if not is_small or not all(
        type(part) in _ASKED_AGAIN for item in known for part in leaves(item)
    ):
        return ()
    found = [each for each in permutations(known) if list(set(each)) == known]
    ways = [_places(each) for each in found]
    is_sure = ways and all(way == ways[0] for way in ways)
    return found[0] if is_sure and [*map(ways[0].get, sorted(ways[0]))] == known else ()


def _places(items: Iterable[Any]) -> dict[int, Any]:
    """The items of a small set of Python's to which they are added, by their places."""
    taken: dict[int, Any] = {}
    for item in items:
        rest = hash(item) % 2**64
        at = rest % _SMALL
        while at in taken:
            rest >>= 5
            at = (at * 5 + 1 + rest) % _SMALL
        taken[at] = item
    return taken


def _may_be_no_object(item: Any) -> bool:
    """True for an object that the run chooses, or None."""
    return isinstance(item, MaybeNone) and is_reference(item.held)


_NONE_AMONG_OBJECTS = (
    "None is put into a set of objects",
    "keep in a bool of your own whether it was there",
)


def _check_hashable(item: Any) -> None:
    if not is_staged(item) and not isinstance(item, Hashable):
        raise TypeError(f"unhashable type: '{type(item).__name__}'")


def _unordered(items: Any) -> Any:
    return items.unordered() if isinstance(items, GrowingSet) else items


def _as_python(items: list[Any], given: Any) -> Any:
    """The items as what Python's set is given: it takes those of a set or dict in another way."""
    if isinstance(given, GrowingSet):
        return given._python()
    if isinstance(given, set | frozenset):
        return given
    return dict.fromkeys(items) if given.__class__ is dict else items


def _is_small(items: Any) -> bool:
    """True for a set or dict of which the order is known, for it has no two items."""
    size = size_of(items) if isinstance(items, GrowingSet) else None
    if isinstance(items, Growing) and size is None:
        return False
    return (len(items) if size is None else size) < 2


class _Walk(Walk):
    """The items that a loop over a set takes."""

    __slots__ = ("made",)

    def __init__(self, items: GrowingSet) -> None:
        super().__init__(items, ("Set changed size during iteration", RuntimeError))
        self.made = items.in_order()

    def at(self, index: Any) -> Any:
        return self.made.at(index)


def _kept(items: GrowingSet, test: Callable[[Any], Any]) -> GrowingSet:
    """The set of those for which a test holds."""
    note_order_lost()
    made = GrowingSet()
    source = _source(items)
    if source is None:
        return made

    def look(item: Any, made: GrowingSet) -> GrowingSet:
        def with_it() -> GrowingSet:
            more = made.copied()
            more.add(item)
            return more

        found = branches.cond(truth(test(item)), with_it, made.copied, (), ("the set",))
        return cast(GrowingSet, found)

    # A copy: the set that a loop leaves is one of several to the user.
    return cast(GrowingSet, iteration.for_loop(source, look, (made,), ("the set",))).copied()


def _source(items: GrowingSet) -> Items | None:
    """Its items for a loop of the graph; None if there are none."""
    if size_of(items) == 0:
        return None
    held = items._covering()
    return Items(GrowingList.holding(held.kind, held.columns))


def _union(items: GrowingSet, *others: Any) -> GrowingSet:
    note_order_lost()
    made = items.copied()
    made.update(*others)
    return made


def _intersection(items: GrowingSet, *others: Any) -> GrowingSet:
    return functools.reduce(_common, others, items.copied())


def _common(items: GrowingSet, given: Any) -> GrowingSet:
    """The items of both: of two that are equal, Python keeps that of the smaller set, or of what is
    no set.
    """
    other = _as_set(given)
    size, others = size_of(items), size_of(other)
    if isinstance(given, set | frozenset):  # as a GrowingSet is
        if size is None or others is None:
            if not _are_of_one_kind(items, other):
                raise refuse(
                    "the intersection of sets with items of several kinds: of equal ones, as 1 and "
                    "True are, Python keeps that of the smaller set, which only the run knows",
                    "make them of one kind, for example by int(x)",
                )
            return _kept(items, other.has)
        if others > size:
            items, other = other, items
    return _kept(other, items.has)


def _are_of_one_kind(items: GrowingSet, other: GrowingSet) -> bool:
    kinds = [keys.kinds(each._covering().element) for each in (items, other) if size_of(each) != 0]
    return len(kinds) < 2 or kinds[0] == kinds[1]


def _difference(items: GrowingSet, *others: Any) -> GrowingSet:
    def without(made: GrowingSet, each: Any) -> GrowingSet:
        other = _as_set(each)
        return _kept(made, lambda item: logic.not_(other.has(item)))

    return functools.reduce(without, others, items.copied())


def _symmetric_difference(items: GrowingSet, other: Any) -> GrowingSet:
    other = _as_set(other)
    return _union(_difference(items, other), _difference(other, items))


def _issubset(items: GrowingSet, other: Any) -> Any:
    other, source = _as_set(other), _source(items)
    if source is None:
        return True

    def look(item: Any, _: Any) -> Any:
        return other.has(item)

    return iteration.for_loop(source, look, (True,), ("the comparison",), lambda found: found)


def _issuperset(items: GrowingSet, other: Any) -> Any:
    return _issubset(_as_set(other), items)


def _isdisjoint(items: GrowingSet, other: Any) -> Any:
    return _intersection(items, other).length() == 0


def _equal(items: GrowingSet, other: Any) -> Any:
    return logic.and_(items.length() == other.length(), (lambda: _issubset(items, other),))


def _less(items: GrowingSet, other: Any) -> Any:
    return logic.and_(items.length() < other.length(), (lambda: _issubset(items, other),))


def _as_set(items: Any) -> GrowingSet:
    return items if isinstance(items, GrowingSet) else GrowingSet(items)


def _swapped(method: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda items, other: method(other, items)


_METHODS: dict[str, Callable[..., Any]] = {
    "union": _union, "intersection": _intersection, "difference": _difference,
    "symmetric_difference": _symmetric_difference, "issubset": _issubset,
    "issuperset": _issuperset, "isdisjoint": _isdisjoint,
}  # fmt: skip
_OPERATORS: dict[str, Callable[..., Any]] = {
    "__or__": _union, "__and__": _intersection, "__sub__": _difference,
    "__xor__": _symmetric_difference, "__le__": _issubset, "__ge__": _issuperset,
    "__lt__": _less, "__gt__": _swapped(_less), "__eq__": _equal,
    "__ne__": lambda items, other: logic.not_(_equal(items, other)),
    "__ror__": _swapped(_union), "__rand__": _swapped(_intersection),
    "__rsub__": _swapped(_difference), "__rxor__": _swapped(_symmetric_difference),
}  # fmt: skip
_CHANGING: dict[str, str] = {
    "intersection_update": "intersection", "difference_update": "difference",
    "symmetric_difference_update": "symmetric_difference", "__ior__": "__or__",
    "__iand__": "__and__", "__isub__": "__sub__", "__ixor__": "__xor__",
}  # fmt: skip


def _is_known(items: Any) -> bool:
    if isinstance(items, GrowingSet):
        return items.is_plain
    return not has_staged(items)


def _of_sets(name: str) -> Callable[..., Any]:
    """A method of sets: Python's own for those of which Python knows the items."""
    is_operator = name in _OPERATORS
    staged = _OPERATORS[name] if is_operator else _METHODS[name]

    def found(self: GrowingSet, *others: Any) -> Any:
        if is_operator and not all(isinstance(x, set | frozenset) for x in others):
            return NotImplemented
        if not all(map(_is_known, (self, *others))):
            return staged(self, *(map(_as_set, others) if is_operator else others))
        known = [x._python(name) if isinstance(x, GrowingSet) else x for x in others]
        made = getattr(self._python(name), name)(*known)
        if not isinstance(made, set | frozenset):
            return made
        return GrowingSet.of_known(made, self, *others)

    def method(self: GrowingSet, *others: Any) -> Any:
        made = found(self, *others)
        kind: Any = type(self)
        if is_operator and name.startswith("__r"):  # the set on the left is the other one
            kind = GrowingFrozenSet if isinstance(others[0], frozenset) else GrowingSet
        if not isinstance(made, GrowingSet) or type(made) is kind:
            return made
        return _as_kind(kind, made)

    return method


def _as_kind(kind: type[GrowingSet], made: GrowingSet) -> GrowingSet:
    if made.is_plain:
        return kind.of_known(made._python(), made)
    return kind.holding(*made.content())


def _changing(name: str) -> Callable[..., Any]:
    """A method that gives a set what another one makes; Python's own where all are known."""
    made, own = getattr(GrowingSet, _CHANGING[name]), getattr(set, name)

    def method(self: GrowingSet, *others: Any) -> Any:
        if all(map(_is_known, (self, *others))):
            known = self._to_change()
            if own(known, *[x._python() if isinstance(x, GrowingSet) else x for x in others]) is (
                NotImplemented
            ):
                return NotImplemented
            self._put(known, *others)
        else:
            found = made(self, *others)
            if found is NotImplemented:
                return found
            self.fill(*found.content())
        return self if name.startswith("__i") else None

    return method


give_methods(GrowingSet, (*_METHODS, *_OPERATORS), _of_sets)
give_methods(GrowingSet, _CHANGING, _changing)
GrowingSet.__hash__ = None


def _absent(name: str) -> Callable[..., Any]:
    def method(self: GrowingSet, *args: Any, **kwargs: Any) -> Any:
        if name in _ABSENT_OPERATORS:
            return NotImplemented
        raise TypeError(_NOT_OF_SETS[name].format(self.plain.__name__))

    return method


_NOT_OF_SETS = {
    "__getitem__": "'{}' object is not subscriptable",
    "__setitem__": "'{}' object does not support item assignment",
    "__delitem__": "'{}' object doesn't support item deletion",
    "__radd__": 'can only concatenate list (not "{}") to list',
}
_ABSENT_OPERATORS = "__add__", "__iadd__", "__mul__", "__rmul__"
give_methods(GrowingSet, (*_NOT_OF_SETS, *_ABSENT_OPERATORS), _absent)
leave_out(GrowingSet, ("append", "extend", "insert", "index", "count", "sort", "reverse"))


class GrowingFrozenSet(GrowingSet):
    """A frozenset of the user's."""

    __slots__ = ()
    plain = frozenset
    is_value = True

    def copy(self) -> GrowingSet:
        """Returns this one, as Python does."""
        return self

    def __hash__(self) -> int:  # type: ignore[override]
        if self.is_plain:
            return hash(self.own())
        raise refuse(
            "a frozenset of staged values is a key, or an item of a set",
            "a tuple in their order: tuple(sorted(items))",
        )

    @classmethod
    def of_run(cls, items: list[Any]) -> Any:
        return frozenset(map(keys.hashable, items))


_OF_SETS_ALONE = (
    *("add", "remove", "discard", "pop", "clear", "intersection_update", "difference_update"),
    *("symmetric_difference_update",),
)
leave_out(GrowingFrozenSet, _OF_SETS_ALONE)
for _name, _of in _CHANGING.items():
    if _name.startswith("__i"):
        setattr(GrowingFrozenSet, _name, getattr(GrowingSet, _of))


def _set(items: Any = (), /) -> GrowingSet:
    return GrowingSet(items)


def _frozenset(items: Any = (), /) -> GrowingSet:
    return _as_kind(GrowingFrozenSet, GrowingSet(items))


def _over_items(function: Callable[..., Any]) -> Callable[..., Any]:
    """A builtin that asks for no order, also for sets."""

    @functools.wraps(function)
    def asking(*args: Any, **kwargs: Any) -> Any:
        sets = [items for items in args if isinstance(items, GrowingSet)]
        if kwargs.get("key") is not None and sets:
            if any(items.staged is not None for items in sets):
                raise refuse_order("what is equal by a key, which keeps its order,")
            return function(*args, **kwargs)
        if function is _sum and any(map(has_floats, sets)):
            raise refuse_order("sum() of floats, which is rounded,")
        return function(*map(_unordered, args), **kwargs)

    return asking


_sum = BUILTINS[sum]


class _SetBackend(ListBackend):
    def stages(self, value: Any) -> bool:
        return not value.is_plain

    def elements(self, items: Any) -> Any:
        is_open = isinstance(items, GrowingSet) and not _is_small(items)
        return None if is_open else super().elements(items)

    def in_any_order(self, items: Any, run: Callable[[Any], Any], taker: AnyOrder) -> Any:
        """The loop in the order of insertion, where it does the same in any; else in Python's."""
        if not isinstance(items, GrowingSet) or _is_small(items):
            return run(items)
        trace = active()
        done = undone_if_refused(
            trace, BlockRecorder(run, (), ()), functools.partial(in_any_order, items, run, taker)
        )
        return run(items) if type(done) is Refused else done


def _in(own: Callable[[Any, Any], Any], container: Any, item: Any) -> Any:
    return container.has(item) if isinstance(container, GrowingSet) else own(container, item)


def _no_tensor(items: GrowingSet, dtype: DType | None) -> NoReturn:
    raise wrong_dtype("Cannot convert a set to a tensor", "make a list of it: sorted(items)")


for _builtin in (len, sum, max, min, sorted):
    BUILTINS[_builtin] = _over_items(BUILTINS[_builtin])
BUILTINS[operator.contains] = functools.partial(_in, BUILTINS[operator.contains])
MAKING[set] = BUILTINS[set] = _set
MAKING[frozenset] = BUILTINS[frozenset] = _frozenset
for _kind, _class in ((GrowingSet, set), (GrowingFrozenSet, frozenset)):
    let_stand_for(_class, _kind, _Walk, _SetBackend())
    staged_items.add_kind(_kind)
register_conversion(GrowingSet, _no_tensor)
