"""Lists of which the run chooses one: each is a number, its place among the lists that are made
where it was, and what is in them is a list of lists of the graph.

What is one list to the user is one place here, whatever names, lists and attributes it is in. Where
lists that are made at several places of the program meet, they are of one arena.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, cast

from runtime.core.convert import register_conversion
from runtime.graph.ir import format_location
from runtime.graph.structures import HANDLER, Handler, add_handler
from runtime.staging.block_recorder import note_found
from runtime.staging.control import branches, joins
from runtime.staging.control.optional_values import MaybeNone
from runtime.staging.control.references import References
from runtime.staging.control.specs import Leaf, Mismatch, Optional, Spec, Tree, classes_in
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.frames import user_location
from runtime.staging.lists import growing_list, staged_items
from runtime.staging.lists.growing import InTable, Kind, StagedItems
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.lists.walks import Items, gathered, let_stand_for
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active


class ListArena:
    """The lists that are made at some places of the program: `rows` has what is in them."""

    def __init__(self, site: str, references: References) -> None:
        self.site = site
        self.users = list
        self.references = references
        # Older than any block: each of them finds it empty.
        self.rows: GrowingList = list.__new__(GrowingList)

    def refusal(self, what: str, hint: str | None = None) -> Exception:
        """StagingError for a use that a place cannot answer."""
        return refuse(f"a list, of which the run chooses one, {what}", hint)

    def held(self) -> Any:
        """A key for what its lists hold: of arenas whose lists hold the same, the same."""
        rows = self.rows.staged
        element = None if rows is None else rows.element.structure.keys.element
        return self.site if element in (None, staged_items.NOTHING) else _held_in(element)

    def check_watched(self) -> None:
        """StagingError where a tensor that a tape watches may be in one of the lists already."""
        if self.rows.staged is not None:
            row = cast(Tree, self.rows.staged.element)
            staged_items.check_watched(row.structure.keys.element)

    def watch(self) -> None:
        """Have the blocks that are being traced watch the contents of the lists."""
        note_found("the lists that the run chooses among", self.rows)

    def found(self) -> GrowingList:
        """The contents of the lists, which the blocks that are being traced watch."""
        self.watch()
        return self.rows

    def made(self, items: Sequence[Any]) -> PlacedList:
        """Another list, with these items."""
        rows = self.found()
        place = rows.length()
        rows.write(place, _row_of(items))
        return self.at(place)

    def at(self, place: Any) -> PlacedList:
        """The list at a place."""
        made: PlacedList = list.__new__(PlacedList)
        list.append(made, InArena((self.rows, place, self)))
        self.found()
        return made


class InArena(InTable):
    """In place of the items of a list that the run may choose: its arena, and the place there."""

    __slots__ = ()

    @property
    def arena(self) -> ListArena:
        """The lists that it is among."""
        arena: ListArena = self[2]
        return arena


class PlacedList(GrowingList):
    """A list of the user's, among those of an arena: what stands for it is its place there."""

    __slots__ = ()

    @property
    def arena(self) -> ListArena:
        """The lists that it is among."""
        return cast(InArena, self.table).arena

    def fill(self, keys: Any, children: Sequence[Any]) -> None:
        """Put into it what `content` says."""
        row = _row_of(GrowingList.holding(keys, children))
        self.arena.found().write_row(cast(InArena, self.table).place, row)

    def share(self) -> None:
        """It is in several places as it is."""


def _row_of(items: Sequence[Any]) -> GrowingList:
    """A list of the graph with these items."""
    row = items.copied() if isinstance(items, GrowingList) else GrowingList(items)
    if row.staged is None and not list.__len__(row):
        row.fill(Kind(staged_items.NOTHING, 0), staged_items.columns_of(row, staged_items.NOTHING))
    elif row.staged is None:
        row.stage()
    return _as_exact(row)


def _as_exact(row: GrowingList) -> GrowingList:
    kind, columns = row.content()
    if isinstance(kind, Kind):
        row.fill(dataclasses.replace(kind, exact=True), columns)
    return row


def list_made(references: References, made: GrowingList, site: str | None = None) -> GrowingList:
    """Returns the stand-in for a list that the user's code has made where it stands, or that is
    from `site`.
    """
    site = site or format_location(user_location())
    if references.has_site(site) and _may_be_placed(made):
        return arena_of(references, site).made(made)
    made.sites = frozenset([site])
    return made


def _may_be_placed(made: GrowingList) -> bool:
    if made.staged is not None:
        return staged_items.is_flat(made.staged.element)
    try:
        specs = [staged_items.staged(joins.abstract(item)) for item in list.__iter__(made)]
        element = staged_items.covering(specs) if specs else staged_items.NOTHING
        return staged_items.is_flat(element) and staged_items.are_exact(specs, element)
    except Mismatch:
        return False


def new_list() -> GrowingList:
    """An empty list that the user's code makes where it stands."""
    return list_made(active().references, GrowingList())


def places_lists() -> bool:
    """Whether lists that are made where the user's code stands are referred to."""
    return active().references.has_site(format_location(user_location()))


def arena_of(references: References, site: str) -> ListArena:
    """The arena of the lists that are made at a place of the program."""
    site = references.site_of(site)
    arena = references.arenas.get(site)
    if arena is None:
        arena = references.arenas[site] = ListArena(site, references)
    return cast(ListArena, arena)


def exported_list(items: GrowingList) -> GrowingList:
    """A list with copies of what is in it and in the lists in it, as a result of the function."""
    if PlacedList not in classes_in(cast(StagedItems, items.staged).element):
        return items.copied()

    def put(made: GrowingList, item: Any) -> None:
        made.append(apart(item))

    return gathered(Items(items), GrowingList(), put, ("result",))


def apart(item: Any) -> Any:
    """An item of a list or dict as part of a result: with copies of such lists in it."""
    if isinstance(item, PlacedList):
        return exported_list(item)
    if issubclass(type(item), tuple):
        return tuple.__new__(type(item), map(apart, item))
    if isinstance(item, dict) and getattr(item, "staged", None) is None:
        return {key: apart(value) for key, value in dict.items(item)}
    if isinstance(item, MaybeNone):
        return MaybeNone(apart_where(item.flag, item.held), item.flag)
    if type(item) is TaggedUnion:
        return item.apply(apart)
    return item


def apart_where(is_there: Any, item: Any) -> Any:
    """An optional value as part of a result: a list that is not there is an empty one."""
    if not isinstance(item, PlacedList):
        return apart(item)
    return branches.cond(is_there, lambda: exported_list(item), GrowingList, (), ("the result",))


def _unite(first: ListArena, second: ListArena) -> None:
    """Have two arenas be one in another trace, and further ones whose lists hold the same: those
    may meet as well.
    """
    references = first.references
    references.unite(first.site, second.site)
    arenas = [each for each in references.arenas.values() if isinstance(each, ListArena)]
    found = True
    while found:
        alike: dict[Any, str] = {}
        pairs = [(alike.setdefault(each.held(), each.site), each.site) for each in arenas]
        found = any([references.unite(*pair) for pair in pairs])


def _held_in(element: Spec) -> Any:
    """A key for the items of lists: their classes, and the arenas of lists."""
    if isinstance(element, Tree):
        keys = element.structure.keys
        if isinstance(keys, ListArena):
            return list, keys.references.site_of(keys.site)
        return element.structure.kind, tuple(map(_held_in, element.children))
    if isinstance(element, Optional):
        return None, _held_in(element.inner)
    return str(element.type) if isinstance(element, Leaf) else id(element)


def _widen(a: Tree, b: Tree) -> Spec:
    first, second = a.structure.keys, b.structure.keys
    if isinstance(first, ListArena) and isinstance(second, ListArena):
        _unite(first, second)
        raise Mismatch("lists that are made at two places of the program meet", "use one of them")
    are_lists = all(issubclass(each.structure.kind, list) for each in (a, b))
    raise Mismatch(
        f"the structures differ: {a.structure} and {b.structure}", "make a list on both paths",
        kinds_differ=not are_lists,
    )  # fmt: skip


_HANDLER = Handler(
    lambda item: (item.arena, (item.table.place,)),
    lambda kind, arena, children: arena.at(*children),
    "{}",
    lambda arena: ("place",),
    describe=lambda arena: "list",
    widen=_widen,
    is_tuple=True,
)


setattr(PlacedList, HANDLER, _HANDLER)
add_handler(PlacedList, _HANDLER)
let_stand_for(list, PlacedList)
register_conversion(PlacedList, growing_list.to_tensor)
