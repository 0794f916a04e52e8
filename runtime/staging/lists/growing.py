"""The contents of a list that may grow: Python's items, or, once their number is known at run time
only, lists of the graph.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self, cast

from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.dataclasses import dataclass
from runtime.graph.lists import LENGTH
from runtime.graph.nodes import apply
from runtime.staging.control.references import References, is_reference, want_sites
from runtime.staging.refusals import refuse
from runtime.staging.scopes import Scope, active


@dataclass(frozen=True, slots=True)
class Kind:
    """The type of a list of the graph: the Spec of its items, and their number, unless only the run
    knows it. One that is `shared`, in two places, is read and not changed. In one that is `exact`,
    one of many lists of the user's, whole numbers do not become fractions.
    """

    element: Any
    size: int | None = None
    shared: bool = False
    exact: bool = False


class StagedItems:
    """The items of a list of the graph.

    For each value that an item is carried by, `columns` has the symbol of a list.
    """

    __slots__ = ("columns", "kind")

    def __init__(self, kind: Kind, columns: Iterable[Any]) -> None:
        self.kind = kind
        self.columns = tuple(columns)

    @property
    def element(self) -> Any:
        """The Spec that each of the items has."""
        return self.kind.element

    def __repr__(self) -> str:
        return ", ".join([str(getattr(column, "type", column)) for column in self.columns])


class StagedRow(StagedItems):
    """The items of a list that is an item of a list of the graph: `read` reads its columns, where
    they are asked for.
    """

    __slots__ = ("_made", "_read")

    def __init__(self, kind: Kind, read: Callable[[], Iterable[Any]]) -> None:
        self.kind = kind
        self._read = read
        self._made: tuple[Scope, tuple[Any, ...]] | None = None

    @property
    def columns(self) -> tuple[Any, ...]:  # type: ignore[override]
        """Symbols of the block that is being traced, or of one around it."""
        if self._made is None or not self._made[0].open:
            self._made = active().scope, tuple(self._read())
        return self._made[1]


class InTable(tuple[Any, ...]):
    """In place of the items of a list that is an item of a list of the graph: that list, and the
    place in it. A tuple, so that who looks for what may change finds the list.
    """

    __slots__ = ()

    @property
    def table(self) -> Any:
        """The list of the graph."""
        return self[0]

    @property
    def place(self) -> Any:
        """The place in it."""
        return self[1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InTable) and all(map(operator.is_, self, other))

    def __hash__(self) -> int:
        return hash(tuple(map(id, self)))


class Around:
    """The keys of what is in a table, which is that table: its only child is the place there."""

    __slots__ = ("table",)

    def __init__(self, table: Any) -> None:
        self.table = table

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Around) and self.table is other.table

    def __hash__(self) -> int:
        return id(self.table)


class Growing:
    """A list, set, deque or dict of the user's that may become lists of the graph.

    A staged one has a StagedItems in place of its items: who puts back what was in it puts that
    back too. `sites_inside` are the places of the program where the lists that were ever in it may
    have been made. `plain` is Python's own class that it stands for.
    """

    __slots__ = ()
    plain: type

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self.plain

    @property
    def table(self) -> InTable | None:
        """The place in a list or dict of the graph where the contents are, if they are there."""
        return None

    @property
    def is_at_place(self) -> bool:
        """Whether it is what is at a place that only the run knows: another one for each place."""
        return self.table is not None

    @property
    def staged(self) -> StagedItems | None:
        """The contents, if they are lists of the graph."""
        raise NotImplementedError

    def length(self) -> Any:
        """Returns the number of its items: an int, or a staged one."""
        raise NotImplementedError

    def content(self) -> tuple[Any, Sequence[Any]]:
        """Returns the keys, or number, of its items, and the items; of a staged one its kind, and
        the columns.
        """
        raise NotImplementedError

    def fill(self, keys: Any, children: Sequence[Any]) -> None:
        """Put into it what `content` says."""
        raise NotImplementedError

    @classmethod
    def holding(cls, keys: Any, children: Sequence[Any]) -> Self:
        """A new one, of which `content` says this."""
        made = cls()
        made.fill(keys, children)
        return made

    def copy(self) -> Any:
        """Another one with the same items."""
        raise NotImplementedError

    def copied(self) -> Any:
        """`copy`, of one that nobody uses any more."""
        raise NotImplementedError

    def own(self) -> Any:
        """Python's own container with the same items; itself where only the run knows them."""
        raise NotImplementedError

    def shown(self) -> Any:
        """Returns what a graph shows of it, which can show no places in tables."""
        held = self if self.table is None and not is_reference(self) else self.copied()
        return held.own()

    def share(self) -> None:
        """Have it in another place, too: nobody may change it any more."""
        raise NotImplementedError

    def __setitem__(self, key: Any, item: Any) -> None:
        raise NotImplementedError

    def several(self) -> tuple[Sequence[Any], Any] | None:
        """Python's objects of which it is one, and the place of that; None for one that is itself.

        StagingError for what is another object each time that it is read.
        """
        table, staged = self.table, self.staged if self.table is None else None
        if table is None and (staged is None or not staged.kind.shared):
            return None
        if table is None or table.table is None or isinstance(table.table, Growing):
            want_lists(self)
            raise refuse(
                "whether two lists of a list or dict that only the run knows are one object is not "
                "known while staging",
                "compare places or keys",
            )
        return table.table, table.place

    @classmethod
    def of_run(cls, items: list[Any]) -> Any:
        """Its form as a result of a function, with the items that a run has left."""
        raise NotImplementedError


def held_at(held: Any) -> StagedItems | None:
    """The contents that stand for these in a list, set or dict of the graph: a StagedItems, or what
    a table has at a place; None for what Python knows.
    """
    if isinstance(held, InTable):
        row: StagedItems = table_around(held).row_at(held.place)
        return row
    return held if issubclass(type(held), StagedItems) else None


def shared_row(item: Any) -> StagedRow | None:
    """The contents of a list that has become shared with the items that Python knows."""
    if not isinstance(item, GrowingSequence) or list.__len__(item) != 1:
        return None
    held = list.__getitem__(item, 0)
    return held if type(held) is StagedRow else None


def lacks(item: Any, name: str) -> bool:
    """Whether it stands for one of Python's that has no attribute of this name."""
    return isinstance(item, Growing) and not hasattr(item.plain(), name)


ROWS = (list, set, frozenset)
"""Python's classes of which a list or dict of the graph may have several in it, at their places."""


class GrowingSequence(list[Any], Growing):
    """One that is a list to Python; an InTable may stand in place of its items, too.

    `sites` are the places of the program where it may have been made. What `is_value` nobody
    changes, neither where it is nor in a table.
    """

    __slots__ = ("sites", "sites_inside")
    plain: type = list
    is_value = False
    sites: frozenset[str]
    sites_inside: frozenset[str]

    @property
    def table(self) -> InTable | None:
        """The place in a list of the graph where its items are, if they are there."""
        held = list.__getitem__(self, 0) if list.__len__(self) == 1 else None
        return held if isinstance(held, InTable) else None

    @property
    def staged(self) -> StagedItems | None:
        """The contents, if they are lists of the graph."""
        if list.__len__(self) != 1:
            return None
        return held_at(list.__getitem__(self, 0))

    def length(self) -> Any:
        """Returns the number of its items: an int, or a staged one."""
        staged, size = self.staged, size_of(self)
        if staged is None or (size is not None and type(staged) is StagedRow):
            return size
        active(staged.columns[0])
        return apply(LENGTH, staged.columns[0]) if size is None else size

    def content(self) -> tuple[Any, list[Any]]:
        """The number of items, and the items; of a staged list its Kind, and the columns."""
        staged = self.staged
        if staged is not None:
            return staged.kind, list(staged.columns)
        return list.__len__(self), list(list.__iter__(self))

    def become(self, table: Any, place: Any, key: Any = None) -> None:
        """Be the list at a place in a list or dict of the graph, under this key, whatever it was; a
        value stays what it is.
        """
        if self.is_value:
            return
        place = convert_to_tensor(place, dtypes.int64)
        self.be_in(table, place)
        # By its id: what holds the table would make it one that existed before a block.
        active().memo.setdefault((InTable, id(table)), []).append((weakref.ref(self), key))

    def be_in(self, table: Any, place: Any) -> None:
        """Have what a table has at a place."""
        list.__setitem__(self, slice(None), [InTable((table, place))])

    def be_taken(self) -> None:
        """Be no list any more: who uses it is refused."""
        memo = active().memo
        memo[TAKEN] = memo.get(TAKEN, frozenset()) | sites_of(self) | sites_inside(self)
        list.__setitem__(self, slice(None), [TAKEN])

    def be_apart(self, items: StagedItems) -> None:
        """Be in no list of the graph any more, with these items."""
        list.__setitem__(self, slice(None), [items])

    def fill(self, keys: Any, children: Sequence[Any]) -> None:
        """Put into it what `content` says."""
        table = self.table
        if table is not None:
            table_around(table).write_row(table.place, self.holding(keys, children))
            return
        note_inside(self, list.__iter__(self))
        items = children if isinstance(keys, int) else (StagedItems(keys, children),)
        list.__setitem__(self, slice(None), items)

    def be_empty(self) -> None:
        """Be in no list of the graph any more, without items."""
        list.clear(self)


def sites_of(item: Any) -> frozenset[str]:
    """The places of the program where a list may have been made, or the lists in a tuple."""
    if issubclass(type(item), tuple):
        return frozenset().union(*map(sites_of, item))
    if not isinstance(item, GrowingSequence) or is_reference(item):
        return frozenset()
    own: frozenset[str] = getattr(item, "sites", frozenset())
    table = item.table
    return own if table is None or table.table is None else own | sites_inside(table.table)


def sites_inside(item: Any) -> frozenset[str]:
    """The places where the lists in a list or dict may have been made."""
    if not isinstance(item, Growing):
        return frozenset().union(*map(sites_of, item)) if type(item) is list else frozenset()
    held = dict.values(item) if isinstance(item, dict) else list.__iter__(cast(Any, item))
    return _noted_inside(item).union(*map(sites_of, held))


def _noted_inside(item: Growing) -> frozenset[str]:
    found: frozenset[str] = getattr(item, "sites_inside", frozenset())
    return found


def note_inside(item: Any, others: Iterable[Any], further: Iterable[frozenset[str]] = ()) -> None:
    """Remember where the lists were made that are in a list or dict, and further ones."""
    item.sites_inside = _noted_inside(item).union(*map(sites_of, others), *further)


def inherit_sites(made: Any, originals: Iterable[Any]) -> None:
    """Remember of what a join made where that may have been made for which it stands."""
    known = list(originals)
    if isinstance(made, GrowingSequence):
        made.sites = sites_of(made).union(*map(sites_of, known))
    if isinstance(made, Growing):
        note_inside(made, (), map(sites_inside, known))


def want_lists(*items: Any, references: References | None = None) -> None:
    """Note, before a refusal, that these lists would have to be referred to."""
    sites = frozenset().union(*map(sites_of, items), *map(sites_inside, items))
    want_sites(sites, references)


def want_inside(table: Any, *items: Any) -> None:
    """Note, before a refusal, that the lists among these items of a list or dict, and those in it,
    would have to be referred to; itself where there are none.
    """
    sites = sites_inside(table).union(*map(sites_of, items), *map(sites_inside, items))
    held = dict.values(table) if isinstance(table, dict) else list.__iter__(table)
    if not sites and not any(isinstance(item, list) for item in (*items, *held)):
        sites = sites_of(table)
    want_sites(sites)


TAKEN = InTable((None, None))
"""In place of the items of a list that was an item of a list, before that became the graph's; or
whose place in one is no longer known.
"""


_CHANGED_ROWS = object()


def note_changed_row() -> None:
    """A list in a list of the graph is changed: it may be one that was there before."""
    active().memo[_CHANGED_ROWS] = True


def is_taken_as_it_was(item: Any) -> bool:
    """True for a list that a list of the graph has taken, where none of such was changed."""
    return is_taken(item) and _CHANGED_ROWS not in active().memo


_LEAVING = object()


def take_later(items: Iterable[Any]) -> None:
    """Note that these lists are in a list or dict of the graph from the end of a join on."""
    memo = active().memo
    memo[_LEAVING] = (*memo.get(_LEAVING, ()), *items)


def is_taken(item: Any) -> bool:
    """True for a list that is in one of the graph, at a place that only the run knows."""
    return isinstance(item, GrowingSequence) and item.table is TAKEN


def take_noted() -> None:
    """Refuse the use of the lists that were noted: only the run knows their places now."""
    for item in active().memo.pop(_LEAVING, ()):
        GrowingSequence.be_taken(item)


def take_all_from(table: Any) -> None:
    """Refuse the use of all lists that were read out of a list or dict of the graph, whose places
    change.
    """
    for each, _ in read_by(table):
        each.be_taken()


def put_others(table: Any, others: Growing) -> None:
    """Put what another list or dict has into one, where each list in it may get another place."""
    take_all_from(table)
    table.fill(*others.content())


def place_in(item: GrowingSequence) -> Any:
    """The place of a list that is in one of the graph."""
    return cast(InTable, item.table).place


def is_under(item: GrowingSequence, table: Any, key: Any) -> bool:
    """True for the list that was read from a list or dict of the graph by this very key."""
    return key is not None and any(each is item and key is by for each, by in read_by(table))


def forget_keys(table: Any) -> None:
    """Have the keys by which lists were read from a list of the graph mean others from now on."""
    known = active().memo.get((InTable, id(table)), [])
    known[:] = [(each, None) for each, _ in known]


def read_by(table: Any) -> list[tuple[GrowingSequence, Any]]:
    """The lists that were read from a list or dict of the graph and are still in it, and the keys
    by which they were; None for a key that means another one by now.
    """
    known = active().memo.get((InTable, id(table)), [])
    known[:] = [pair for pair in known if pair[0]() is not None]
    found = [(each(), key) for each, key in known]
    return [pair for pair in found if pair[0].table is not None and pair[0].table.table is table]


def table_around(held: InTable) -> Any:
    """The table that a list, set or dict is in."""
    if held.table is None:
        want_sites(active().memo.get(TAKEN, frozenset()))
        raise refuse(
            "a list or set is used that is an item of a list or dict of which only the run knows "
            "the items, and whose items have got other places since it was put there or read",
            "read it from there, when it is used: table[i][j]; or put a copy there: list(row); one "
            "that a loop or branch changes is put there by it: rows = [], then rows.append([]); a "
            'dict has all of its keys before: d = {"a": set(), "b": set()}',
        )
    return held.table


def size_of(items: GrowingSequence) -> int | None:
    """The number of its items, unless only the run knows it."""
    staged = items.staged
    return list.__len__(items) if staged is None else staged.kind.size
