"""The dicts that stand for those of the user's while a function is traced, and may become lists of
the graph: where only the run knows a key, or whether an entry is there.

Such a dict is a list of pairs of key and value in the order of insertion.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self, cast

from autograph.operators.comprehensions import listed, of_generator
from autograph.operators.matching import values_at, without
from runtime import dtypes, ops
from runtime.core.convert import convert_to_tensor
from runtime.graph import lists
from runtime.graph.data import Opaque, as_data
from runtime.graph.lists import Elements
from runtime.graph.nodes import apply
from runtime.graph.structures import Handler, Structure, add_handler, structure_of
from runtime.staging.block_recorder import note_made
from runtime.staging.builtin_functions import BUILTINS, known_elements
from runtime.staging.bytecode import rows_unpacked
from runtime.staging.control import branches, graph_values, iteration, joins, logic
from runtime.staging.control.branches import truth
from runtime.staging.control.carried_objects import GrowingEntries
from runtime.staging.control.item_comparisons import all_of, equal_entries
from runtime.staging.control.optional_values import present
from runtime.staging.control.references import is_reference
from runtime.staging.control.specs import Mismatch, Spec, Tree, classes_in
from runtime.staging.frames import variable_holding
from runtime.staging.lists import keys as keys_
from runtime.staging.lists import staged_items
from runtime.staging.lists.dict_entries import (
    NO_PAIRS,
    Entries,
    changed_while_iterated,
    covering,
    describe,
    entries_of,
    misfit,
    names,
    pair_spec,
    refuse_unknown_keys,
    specs_of,
)
from runtime.staging.lists.dict_rows import EntryTable, entry_value, known_values
from runtime.staging.lists.dict_views import (
    EntryWalk,
    ItemView,
    KeyView,
    ValueView,
    check_not_walked,
)
from runtime.staging.lists.found_entries import Found
from runtime.staging.lists.growing import (
    ROWS,
    Around,
    InTable,
    Kind,
    StagedItems,
    held_at,
    is_under,
    note_inside,
    put_others,
    sites_inside,
    size_of,
    table_around,
    take_all_from,
    take_later,
    want_lists,
)
from runtime.staging.lists.growing_list import GrowingList, check_deep, collected
from runtime.staging.lists.growing_set import GrowingSet
from runtime.staging.lists.keys import index, is_staged
from runtime.staging.lists.list_builtins import at_hand, has_staged, opposite
from runtime.staging.lists.list_places import PlacedList, apart, new_list, places_lists
from runtime.staging.lists.sequences import check, put_entry
from runtime.staging.lists.walks import gathered, let_stand_for, unpacked
from runtime.staging.refusals import asked_by, refuse
from runtime.staging.scopes import active, called, unfailing
from runtime.staging.tracing import is_symbol

_ENTRIES = object()
"""The only key of a dict of the graph: under it is a StagedItems, or an InTable."""
_NONE = object()
"""Given for a default value: there is none."""
WORDS = ("the dict",)


class GrowingDict(dict[Any, Any], EntryTable):
    """A dict of the user's: Python's own, until only the run knows its keys."""

    __slots__ = ("is_shared", "sites_inside")
    plain: type = dict

    def __init__(self, *entries: Any, **more: Any) -> None:
        super().__init__(*entries, **more)
        note_made(self)

    # What is in it

    @property
    def staged(self) -> StagedItems | None:
        """The pairs, if they are lists of the graph."""
        return held_at(dict.get(self, _ENTRIES))

    @property
    def table(self) -> InTable | None:
        """The place in a table where its pairs are, if they are there."""
        held = dict.get(self, _ENTRIES)
        return held if type(held) is InTable else None

    def be_in(self, table: Any, place: Any) -> None:
        """Have what a table has at a place."""
        dict.clear(self)
        dict.__setitem__(self, _ENTRIES, InTable((table, place)))

    @property
    def factory(self) -> Callable[[], Any] | None:
        """The function that makes a value that is missing."""
        return None

    def is_plain(self, *given: Any) -> bool:
        """True as long as Python knows the keys, also these."""
        return self.staged is None and not any(map(is_staged, given))

    def length(self) -> Any:
        """The number of its entries: an int, or a staged one."""
        return self.pairs().length()

    def content(self) -> tuple[Entries, list[Any]]:
        """All but the values, and the values; of a staged one the columns."""
        staged = self.staged
        if staged is not None:
            return Entries(None, staged.kind, self.factory), list(staged.columns)
        known = tuple(dict.keys(self))
        return Entries(known, None, self.factory, self.shared), list(dict.values(self))

    @property
    def shared(self) -> bool:
        """True for an item of a list of the graph: nobody may change it."""
        return getattr(self, "is_shared", False)

    @classmethod
    def holding(cls, keys: Entries, children: Iterable[Any]) -> Self:
        """A new one, of which `content` says this."""
        made: Self = new(cls, keys.factory)
        made.fill(keys, children)
        return made

    def fill(self, keys: Entries, children: Iterable[Any]) -> None:
        """Put into it what `content` says."""
        table = self.table
        if table is not None:
            table_around(table).write_row(table.place, self.holding(keys, children))
            return
        if not keys.shared:  # a block changes it, and has put it into a list
            self.check_own()
        note_inside(self, dict.values(self))
        dict.clear(self)
        if keys.kind is not None:
            dict.__setitem__(self, _ENTRIES, StagedItems(keys.kind, children))
            return
        self.is_shared = keys.shared
        for key, child in zip(keys.known or (), children, strict=True):
            dict.__setitem__(self, key, child)

    def pairs(self) -> GrowingList:
        """The list of its pairs."""
        staged = self.staged
        if staged is not None:
            return GrowingList.holding(staged.kind, staged.columns)
        return GrowingList(dict.items(self))

    # Asking it

    def __getitem__(self, key: Any) -> Any:
        if self.is_plain(key):
            return dict.__getitem__(self, key)
        return self.missing(key, Found(self, key))

    def missing(self, key: Any, found: Found) -> Any:
        """The value under a key; KeyError, at run time, where there is none."""
        found.check(key)
        return found.value()

    def get(self, key: Any, default: Any = None, /) -> Any:
        """The value under a key, or the default value."""
        if self.is_plain(key):
            return dict.get(self, key, default)
        return Found(self, key).value_or(lambda: default)

    def has(self, key: Any) -> Any:
        """Whether a key is there: a bool, or a staged one."""
        return dict.__contains__(self, key) if self.is_plain(key) else Found(self, key).is_there

    def __contains__(self, key: object) -> bool:
        if self.is_plain(key):
            return dict.__contains__(self, key)
        raise refuse_unknown_keys("`in` in code that is not converted")

    def __len__(self) -> int:
        if self.staged is None:
            return dict.__len__(self)
        raise refuse_unknown_keys(asked_by("a length in code that is not converted"))

    def __iter__(self) -> Iterator[Any]:
        if self.staged is None:
            return self._forwards()
        names = rows_unpacked(sys._getframe(1), None)
        if names is not None:
            return unpacked(names, self.length(), lambda at: self.pair_at(at)[0])
        raise refuse_unknown_keys(asked_by("iteration in code that is not converted"))

    def _forwards(self) -> Iterator[Any]:
        keys = dict.__iter__(self)
        while self.staged is None:  # asked first: Python would find another size
            key = next(keys, _NONE)
            if key is _NONE:
                return
            yield key
        raise changed_while_iterated("a dict", "keys")

    def __reversed__(self) -> Iterator[Any]:
        if self.staged is not None:
            raise refuse_unknown_keys("reversed()")
        return dict.__reversed__(self)

    def __repr__(self) -> str:
        if self.staged is None:
            return dict.__repr__(self) if self.plain is dict else repr(self.own())
        raise refuse_unknown_keys("its text")

    def keys(self) -> Any:
        """A view of its keys."""
        return KeyView(self)

    def values(self) -> Any:
        """A view of its values."""
        return ValueView(self)

    def items(self) -> Any:
        """A view of its pairs."""
        return ItemView(self)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        if self.staged is None and getattr(other, "staged", None) is None:
            return equal_entries(self, other)
        return _equal(self, stand_in_for(other))

    def __ne__(self, other: object) -> Any:
        return opposite(self.__eq__(other))

    __hash__ = None  # type: ignore[assignment]

    # In a list of the graph

    def share(self) -> None:
        """Have it, or the lists in it, in another place, too: nobody may change them any more."""
        if self.staged is not None:
            super().share()
        else:
            self.is_shared = True

    def several(self) -> tuple[Sequence[Any], Any] | None:
        if self.shared:
            raise refuse(
                "whether two dicts of a list that only the run knows are one object is not known "
                "while staging",
                "compare places or keys",
            )
        return super().several()

    def check_own(self) -> None:
        """StagingError for an item of a list of the graph, which nobody may change."""
        if self.shared:
            raise refuse(
                "a dict is changed that is an item of a list of which only the run knows the "
                "items: both would have to change",
                "change it before it is put there; or put one of its own there: "
                "rows[i] = {**rows[i], key: value}",
                variable_holding(self),
            )

    # Changing it

    def __setitem__(self, key: Any, value: Any) -> None:
        self.check_own()
        if self.is_plain(key):
            put_entry(self, key, value, GrowingDict.check_own)
            return
        if isinstance(value, GrowingList) and is_under(value, self, key):
            return  # as `d[key] += items` does, which has changed it
        value = entry_value(value)
        place = Found(self, key, all_keys=True).place
        note_inside(self, (value,))
        self.stage(pair_spec(keys_.spec_of(key), joins.abstract(value, staged=True)))
        if self.has_lists and (is_symbol(place) or place >= 0):
            take_all_from(self)
        self._write(place, key, value)

    @unfailing
    def _write(self, place: Any, key: Any, value: Any) -> None:
        size = self.length()
        is_new = place < 0
        at = size if is_new is True else index(ops.where(is_new, size, place))
        if is_new is not True and any(
            map(keys_.is_float, key if isinstance(key, tuple) else (key,))
        ):
            # 0.0 is equal to -0.0, and stays what it is.
            key = branches.cond(is_new, lambda: key, lambda: self.pair_at(at)[0], (), ("the key",))
        known = size + 1 if is_new is True and not is_symbol(size) else None
        self.write(at, key, value, known)
        if self.has_lists:
            value.become(self, at, key)

    def entered(self, key: Any, default: Callable[[], Any]) -> Any:
        """The list under a key, which is put there if there is none."""
        new_one = entry_value(default())
        first = None if self.has_lists else new_one
        note_inside(self, (new_one,))
        self.stage(pair_spec(keys_.spec_of(key), joins.abstract(new_one, staged=True)))
        place = Found(self, key).place
        if not is_symbol(place):
            self[key] = default() if first is None else first
            return self.value_at(self.length() - 1, key)

        def put(made: GrowingDict) -> None:
            made._write(
                -1, key, entry_value(default()).copied() if first is None else first.copied()
            )

        size = self.length()
        self._changed_where(place < 0, put)
        if first is not None:
            first.be_taken()
        return self.value_at(index(ops.where(place < 0, size, place)), key)

    def _specs(self) -> list[Spec]:
        keys, children = self.content()
        return specs_of(keys, (joins.abstract(child, staged=True) for child in children))

    def stage(self, *further: Spec) -> None:
        """Have the entries in the graph, with a Spec that covers further ones."""
        if self.staged is None:
            for key, value in zip(list(self), known_values([*dict.values(self)]), strict=True):
                dict.__setitem__(self, key, value)
        specs = [*self._specs(), *further]
        if not specs:
            return
        try:
            element = covering(specs)
        except Mismatch as mismatch:
            want_lists(self)
            raise misfit(mismatch) from None
        pairs = self.pairs()
        columns = staged_items.columns_of(pairs, element)
        values = list(dict.values(self)) if self.staged is None else ()
        self.put_columns(element, size_of(pairs), columns)
        self.adopt(values)

    def __delitem__(self, key: Any) -> None:
        self.check_own()
        if self.is_plain(key):
            dict.__delitem__(self, key)
            return
        found = Found(self, key, all_keys=True)
        found.check(key)
        self._drop(found.place)

    def _drop(self, place: Any) -> None:
        check_not_walked(self)
        self.stage()
        take_all_from(self)
        size, at = self.length(), convert_to_tensor(place, dtypes.int64)
        columns = [apply(lists.DROP, x, at) for x in self.held.columns]
        self.put_columns(self.held.element, None if is_symbol(size) else size - 1, columns)

    def pop(self, key: Any, default: Any = _NONE, /) -> Any:
        """Take an entry out, and return its value. KeyError, at run time, where there is none and
        no default value.
        """
        self.check_own()
        if self.is_plain(key):
            return dict.pop(self, key) if default is _NONE else dict.pop(self, key, default)
        found = Found(self, key, all_keys=True)
        if default is _NONE:
            found.check(key)
            value = found.taken()
            self._drop(found.place)
            return value
        value = found.value_or(lambda: default)
        take_all_from(self)
        if found.is_there is True:
            self._drop(found.place)
        elif found.is_there is not False:
            self._changed_where(found.is_there, lambda made: made._drop(found.place))
        return value

    def _changed_where(self, test: Any, change: Callable[[GrowingDict], Any]) -> None:
        """Change it where a test is true."""

        def changed() -> GrowingDict:
            made: GrowingDict = self.copied()
            change(made)
            return made

        made = branches.cond(test, changed, self.copied, (), WORDS)
        self.fill(*made.content())

    def popitem(self) -> Any:
        """Take the last entry out. KeyError, at run time, where there is none."""
        return self.take_item(-1, "popitem(): dictionary is empty")

    def take_item(self, at: int, failure: str) -> Any:
        """Take the entry at a place out, 0 or -1. KeyError, at run time, where there is none."""
        self.check_own()
        if self.staged is None:
            keys = list(dict.__iter__(self))
            if not keys:
                raise KeyError(failure)
            return keys[at], dict.pop(self, keys[at])
        size = self.length()
        check(size == 0, failure, KeyError)
        place = size - 1 if at else 0
        key, value = self.pair_at(place)
        value = self.owned_at(place) if self.has_lists else value
        self._drop(place)
        return key, value

    def clear(self) -> None:
        """Take all entries out."""
        self.check_own()
        check_not_walked(self)
        take_all_from(self)
        self.fill(Entries((), None, self.factory), ())

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        """The value under a key; where there is none, the default value, which is put there."""
        self.check_own()
        if self.is_plain(key):
            return dict.setdefault(self, key, default)
        if self.has_lists or (isinstance(default, list) and not is_reference(default)):
            return self.entered(key, lambda: default)
        found = Found(self, key)
        if found.is_there is True:
            return found.value()
        value = found.value_or(lambda: default)
        self[key] = value
        return value

    def update(self, other: Any = (), /, **more: Any) -> None:
        """Put entries into it."""
        for key, value in pairs_of(other, self._put_all):
            self[key] = value
        for key, value in more.items():
            self[key] = value

    def apart(self) -> GrowingDict:
        """The dict as a result of the function, or as it is shown: with copies of lists that the
        run chooses.
        """
        if PlacedList not in classes_in(self.held.element):
            return self

        def put(made: GrowingDict, pair: Any) -> None:
            made[pair[0]] = apart(pair[1])

        made: GrowingDict = new(type(self), self.factory)
        return gathered(iteration.staged(self.items()), made, put, ("result",))

    def _put_all(self, source: iteration.Staged) -> None:
        self.check_own()

        def put(made: GrowingDict, pair: Any) -> None:
            key, value = pair
            made[key] = value

        put_others(self, gathered(source, self.copied(), put, WORDS))

    def copy(self) -> Any:
        """Another dict with the same entries."""
        if self.has_lists:
            self.share()
        return self.copied()

    def copied(self) -> Any:
        """`copy`, of a dict that nobody uses any more."""
        keys, children = self.content()
        made = self.holding(dataclasses.replace(keys, shared=False), children)
        note_inside(made, (), (sites_inside(self),))
        return made

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Any:
        import copy

        made = self.copied()
        if self.staged is not None:
            check_deep(self.staged, "dict", "{key: list(row) for key, row in rows.items()}")
            return made  # it has its lists by value
        keys, children = made.content()
        made.fill(keys, copy.deepcopy(children, memo))
        return made

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        made = stand_in_for(other).copy()
        made.update(self)
        return made

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def own(self) -> Any:
        if self.staged is not None:
            return self
        entries = dict(dict.items(self))
        return defaultdict(self.factory, entries) if self.factory else self.plain(entries)

    def shown(self) -> Any:
        return super().shown() if self.staged is None else self.apart()

    def exported(self, numbers: Mapping[str, dtypes.DType]) -> Any:
        """The dict with tensors, of these dtypes by kind, in place of numbers as values."""
        held = cast(StagedItems, self.staged)
        key, value = held.element.children
        element = Tree(held.element.structure, (key, staged_items.with_tensors(value, numbers)))
        columns = staged_items.columns_of(self.pairs(), element)
        return self.holding(Entries(None, Kind(element, held.kind.size), self.factory), columns)


class GrowingDefaultDict(GrowingDict):
    """A defaultdict of the user's."""

    __slots__ = ("default_factory",)
    default_factory: Callable[[], Any] | None

    @property
    def factory(self) -> Callable[[], Any] | None:
        return self.default_factory

    def __missing__(self, key: Any) -> Any:
        if self.factory is None:
            raise KeyError(key)
        made = new_row(self.factory) if self.factory in ROWS else self.factory()
        dict.__setitem__(self, key, made)
        return made

    def missing(self, key: Any, found: Found) -> Any:
        factory = self.factory
        if factory is None or found.is_there is True:
            return super().missing(key, found)
        make = functools.partial(new_row, factory) if factory in ROWS else None
        if self.has_lists or (make is not None and not (factory is list and places_lists())):
            return self.entered(key, make or _without_effects(factory))
        value = found.value_or(make or called(factory))
        self[key] = value
        return value


def new_row(kind: type) -> GrowingList:
    """An empty list or set that the user's code makes where it stands."""
    return new_list() if kind is list else GrowingSet()


def _without_effects(factory: Callable[[], Any]) -> Callable[[], Any]:
    """The factory of a defaultdict of lists, which is called whether there is an entry or not.
    StagingError where that could be seen.
    """

    def made() -> Any:
        watch = active().watch
        recorder = watch(factory, (), ())
        with recorder:
            item = called(factory)()
            if recorder.changed():
                raise refuse(
                    "the default_factory of a defaultdict of lists changes what is outside of it, "
                    "and only the run knows how often it is called",
                    "test for the key, `if key not in d`, and put the list there",
                )
        return item

    return made


def _equal(a: GrowingDict, b: GrowingDict) -> Any:
    def is_there(pair: Any, _: Any) -> Any:
        key, value = pair

        def is_equal() -> Any:
            return truth(logic.equal(b[key], value))

        return logic.and_(b.has(key), (is_equal,))

    def all_there() -> Any:
        source = EntryWalk(a.items())
        return iteration.for_loop(source, is_there, (True,), ("the result of ==",), lambda x: x)

    sizes = a.length() == b.length()
    if dict.__len__(a) == 0 or dict.__len__(b) == 0:
        return sizes
    a = a.copied()
    a.stage()
    return logic.and_(sizes, (all_there,))


def pairs_of(other: Any, put_all: Callable[[iteration.Staged], None]) -> Iterable[Any]:
    """The pairs of a dict or of something iterable; `put_all` takes those that only the run
    counts.
    """
    other = present(other)
    if hasattr(other, "keys"):
        names = other.keys()
        other = other.items() if isinstance(other, dict) else [(k, other[k]) for k in names]
    return known_items(other, put_all)


def known_items(items: Any, take_all: Callable[[iteration.Staged], None]) -> Iterable[Any]:
    """The items of something iterable; `take_all` takes those that a loop of the graph gives."""
    given = of_generator(items)
    items = items if given is None else listed(given)
    source = iteration.staged(items)
    if source is None:
        return cast(Iterable[Any], items)
    known = known_elements(source)
    if known is None:
        take_all(source)
    return known or ()


# Specs and structures


def _build(kind: Any, keys: Entries | Around, children: Any) -> Any:
    if isinstance(keys, Around):
        image = kind.__new__(kind)
        image.be_in(keys.table, *children)
        return image
    if kind is GrowingEntries:
        return GrowingEntries(keys, children)
    if children and isinstance(children[0], Elements):
        return _result(kind, keys, children)
    return kind.holding(keys, children)


def _result(kind: type[GrowingDict], keys: Entries, columns: Any) -> Any:
    rows = zip(*[column.items for column in columns], strict=True)
    element = cast(Kind, keys.kind).element
    pairs = [graph_values.restored(element, iter(row), staged_items.item_of_result) for row in rows]
    found = {keys_.hashable(key): staged_items.as_result(value) for key, value in pairs}
    return defaultdict(keys.factory, found) if kind is GrowingDefaultDict else kind.plain(found)


def new(kind: type[GrowingDict], factory: Any) -> Any:
    """An empty one of a class; `factory` makes the values of a defaultdict."""
    made = kind.__new__(kind)
    note_made(made)
    if isinstance(made, GrowingDefaultDict):
        made.default_factory = factory
    return made


def _widen(a: Tree, b: Tree) -> Tree:
    staged_items.check_is_own(a)
    staged_items.check_is_own(b)
    kinds = {GrowingDict if x.structure.kind is dict else x.structure.kind for x in (a, b)}
    reason = f"the structures differ: {a.structure} and {b.structure}"
    if len(kinds) != 1:
        raise Mismatch(reason, "make a dict on both paths", kinds_differ=True)
    entries = [entries_of(each.structure) for each in (a, b)]
    if entries[0].factory is not entries[1].factory:
        raise Mismatch(reason, "make a dict on both paths")
    kind = kinds.pop()
    shared = any(each.shared for each in entries)
    if entries[0].known is not None and entries[0].has_keys_of(entries[1]):
        pairs = zip(a.children, b.children, strict=True)
        keys = dataclasses.replace(entries[0], shared=shared)
        return Tree(Structure(kind, keys, _HANDLER), tuple([joins.join(x, y) for x, y in pairs]))
    if shared:
        raise Mismatch(f"{reason}, and one is an item of a list", "use dicts of the same keys")
    specs = [
        spec
        for each, keys in zip((a, b), entries, strict=True)
        for spec in specs_of(keys, map(staged_items.staged, each.children))
    ]
    element = covering(specs) if specs else NO_PAIRS
    sizes = {len(x.known) if x.known is not None else cast(Kind, x.kind).size for x in entries}
    size = sizes.pop() if len(sizes) == 1 else None
    made = staged_items.tree(list, element, size)
    return Tree(
        Structure(kind, Entries(None, Kind(element, size), entries[0].factory), _HANDLER),
        made.children,
    )


def _fit(item: Any, structure: Structure) -> Any:
    keys: Entries = structure.keys
    if keys.known is not None:
        return cast(Any, structure_of(item))[1]
    found, children = cast(Any, structure_of(item))
    held, element = entries_of(found), cast(Tree, cast(Kind, keys.kind).element)
    if held.known is None:
        return staged_items.columns_of(GrowingList.holding(held.kind, children), element)
    if staged_items.is_row(element.children[1]):
        children = known_values(children)
        take_later(children)
    return staged_items.columns_of(GrowingList(zip(held.known, children, strict=True)), element)


def _stored(keys: Any) -> Any:
    if not isinstance(keys, Entries):
        return keys
    parts = {"known": keys.known, "factory": as_data(keys.factory), "shared": keys.shared}
    return parts | {"kind": keys.kind and staged_items.stored_kind(keys.kind)}


def _restored(data: dict[str, Any]) -> Entries:
    kind, factory = data["kind"], data["factory"]
    return Entries(
        data["known"],
        kind and staged_items.restored_kind(kind),
        factory.item if isinstance(factory, Opaque) else factory,
        data["shared"],
    )


_HANDLER = Handler(
    staged_items.flatten, _build, "[{}]", names, describe=describe, widen=_widen, fit=_fit,
    check_optional=staged_items.check_is_own, store=_stored, restore=_restored,
)  # fmt: skip

# Making them


def stand_in_for(made: Any) -> Any:
    """The stand-in for a dict, defaultdict or Counter that was just made."""
    kind = _STAND_INS.get(type(made))
    if kind is None:
        return made
    grown = new(kind, getattr(made, "default_factory", None))
    dict.update(grown, made)
    return grown


def made_of(kind: type[GrowingDict], items: Any = (), /, **more: Any) -> GrowingDict:
    """A dict of a class with the entries that the class of Python's would be given."""
    made: GrowingDict = new(kind, None)
    made.update(items, **more)
    return made


_dict = functools.partial(made_of, GrowingDict)


def _default_dict(factory: Any, items: Any, /, **more: Any) -> Any:
    made = stand_in_for(defaultdict(factory))
    made.update(items, **more)
    return made


def _from_keys(function: Callable[..., Any], keys: Any, value: Any = None, /) -> Any:
    given = of_generator(keys)
    keys = keys if given is None else listed(given)
    source = iteration.staged(keys)
    if source is not None:
        return _dict(collected(iteration.Map(lambda key: (key, value), [source])))
    keys = list(keys)
    return _dict([(key, value) for key in keys]) if has_staged(keys) else function(keys, value)


def dict_function(function: Any) -> Callable[..., Any] | None:
    """The function for `dict`, `dict.fromkeys`, `Counter` and others, which may be given what only
    the run knows; None for others.
    """
    if getattr(function, "__self__", None) is dict and function.__name__ == "fromkeys":
        return functools.partial(_from_keys, function)
    if type(function) is not type or function not in MAKING:
        return None

    at = 1 if function is defaultdict else 0

    def make(*args: Any, **kwargs: Any) -> Any:
        args = *args[:at], *map(at_hand, args[at:])
        if any(map(has_staged, args[at:])):
            return MAKING[function](*args, **kwargs)
        made = function(*args, **kwargs)
        # Its counts may be staged or become so, which operators of its own ask for their signs.
        return stand_in_for(made) if function is Counter else made

    return make


def _values_at(plain: Callable[..., Any], entries: Any, *keys: Any) -> Any:
    """The values that a pattern takes of a dict: None where it lacks a key."""
    if not isinstance(entries, GrowingDict) or entries.staged is None:
        return plain(entries, *keys)
    found = [Found(entries, key) for key in keys]

    def values(*, _reached: Any = entries) -> Any:
        return tuple([each.value() for each in found])

    there = all_of([each.is_there for each in found])
    return branches.cond(there, values, lambda: None, (), ("the value of a pattern",))


def _without(plain: Callable[..., Any], entries: Any, *keys: Any) -> Any:
    """A dict of the other entries, which `**rest` of a pattern binds."""
    if not isinstance(entries, GrowingDict) or entries.staged is None:
        return plain(entries, *keys)
    rest = _dict(entries)
    for key in keys:
        del rest[key]
    return rest


BUILTINS[values_at] = functools.partial(_values_at, BUILTINS[values_at])
BUILTINS[without] = functools.partial(_without, lambda *_: NotImplemented)

MAKING: dict[type, Callable[..., Any]] = {dict: _dict, defaultdict: _default_dict}
_STAND_INS: dict[Any, type] = {}


def register(kind: type[GrowingDict], of: type) -> None:
    """Let dicts of a class of the user's be of this kind while a function is traced."""
    kind.plain = of
    _STAND_INS[of] = kind
    let_stand_for(of, kind, lambda entries: EntryWalk(entries.keys()))
    add_handler(kind, _HANDLER)


register(GrowingDict, dict)
register(GrowingDefaultDict, defaultdict)
add_handler(GrowingEntries, _HANDLER)
