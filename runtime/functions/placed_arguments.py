"""Lists among the arguments of which the run chooses: what a call leaves names each by its place,
and they are the caller's lists, or new ones, behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from runtime.core.convert import encoded
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.structures import Handler, Structure, add_handler, structure_of
from runtime.staging.control.optional_values import MaybeNone
from runtime.staging.control.specs import Spec, Tree, with_parts
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.lists import staged_items
from runtime.staging.lists.dict_entries import Entries
from runtime.staging.lists.growing import Kind
from runtime.staging.lists.growing_dict import GrowingDict
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.lists.list_places import ListArena, PlacedList

Lists = Mapping[str, Mapping[int, list[Any]]]
"""The caller's lists, by the arena that they are in and their places there."""


class Placed:
    """A list in what a call leaves, by its place among those of an arena."""

    __slots__ = ("place", "site")

    def __init__(self, site: str, place: Any) -> None:
        self.site = site
        self.place = place


_HANDLER = Handler(
    lambda item: (item.site, (item.place,)),
    lambda kind, site, children: Placed(site, *children),
    "{}",
    lambda site: ("place",),
    describe=lambda site: "list",
    is_tuple=True,
)
add_handler(Placed, _HANDLER)


class Naming:
    """Names the lists in values by their places; `arenas` are those that they are in."""

    def __init__(self, arenas: Iterable[ListArena]) -> None:
        self.arenas = list(dict.fromkeys(arenas))

    def rows(self) -> Iterator[tuple[ListArena, GrowingList]]:
        """The contents of the lists of each arena, also of those that are found meanwhile."""
        for arena in self.arenas:
            yield arena, self.of(arena.rows)

    def of(self, item: Any) -> Any:
        """A value with a Placed for each such list."""
        if type(item) is PlacedList:
            self._note(item.arena)
            return Placed(item.arena.site, item.table.place)  # type: ignore[union-attr]
        if is_record(item):
            return made_of(item, map(self.of, item))
        if isinstance(item, MaybeNone):
            return MaybeNone(self.of(item.held), item.flag)
        if type(item) is TaggedUnion:
            return TaggedUnion(list(map(self.of, item.options)), item.place, item.mismatch)
        staged = item.staged if isinstance(item, GrowingList | GrowingDict) else None
        if staged is None:
            return item
        kind = Kind(self._spec(staged.element), staged.kind.size)
        if isinstance(item, GrowingDict):
            return item.holding(Entries(None, kind, item.factory), staged.columns)
        return item.holding(kind, staged.columns)

    def _note(self, arena: ListArena) -> None:
        if arena not in self.arenas:
            self.arenas.append(arena)

    def _spec(self, spec: Spec) -> Spec:
        if not isinstance(spec, Tree):
            return with_parts(spec, self._spec)
        keys = spec.structure.keys
        if isinstance(keys, ListArena):
            self._note(keys)
            return Tree(Structure(Placed, keys.site, _HANDLER), spec.children)
        if staged_items.is_row(spec):
            return staged_items.tree(spec.structure.kind, self._spec(keys.element), keys.size)
        return with_parts(spec, self._spec)


class Left:
    """The lists behind a call: the caller's, and new ones, with what is in them."""

    def __init__(self, given: Lists, contents: Mapping[str, Sequence[Any]]) -> None:
        self._given = given
        self._contents = contents
        self._made: dict[tuple[str, int], list[Any]] = {}

    def of(self, item: Any) -> Any:
        """A value with the list itself for each Placed."""
        if type(item) is Placed:
            return self._list(item.site, int(item.place))
        if type(item) is list or is_record(item):
            return made_of(item, map(self.of, item))
        return item

    def _list(self, site: str, place: int) -> list[Any]:
        found = self._given[site].get(place)
        if found is None:
            found = self._made.get((site, place))
        if found is None:
            found = self._made[site, place] = []
            found += self._items(site, place)
        return found

    def _items(self, site: str, place: int) -> list[Any]:
        return [self.of(item) for item in self._contents[site][place]]

    def put(self) -> None:
        """Put into the caller's lists what is in them now. What is there already stays itself."""
        found = [
            (target, self._items(site, place))
            for site, lists in self._given.items()
            for place, target in lists.items()
        ]
        for target, items in found:
            pairs = zip(target, items, strict=False)
            same = [old if _is_same(old, new) else new for old, new in pairs]
            target[:] = [*same, *items[len(same) :]]


def is_record(item: Any) -> bool:
    """True for a tuple or namedtuple; another class of tuples may make its own otherwise."""
    return issubclass(type(item), tuple) and structure_of(item) is not None


def made_of(item: Any, parts: Iterable[Any]) -> Any:
    """A list, tuple or namedtuple like this one, of other parts."""
    structure, _ = cast(tuple[Structure, Any], structure_of(item))
    return structure.build(list(parts))


def _is_same(old: Any, new: Any) -> bool:
    """True for a value of the caller's that has been at a place, and is as it was."""
    if isinstance(old, tuple) and type(new) is type(old):
        return len(old) == len(new) and all(map(_is_same, old, new))
    if not isinstance(new, Tensor):
        return old is new
    kind, raw = type(old), cast(Any, new).raw
    if isinstance(old, Tensor):
        # A tape tells a tensor from another one of the same value.
        return not state.tapes and old.dtype is new.dtype and _image(old) == _image(new)
    if kind is str:
        return type(raw) is bytes and raw == encoded(old)
    return kind in NUMBER_TYPES and type(raw) is not bytes and repr(raw.item()) == repr(old)


def _image(tensor: Any) -> Any:
    return tensor.raw if type(tensor.raw) is bytes else tensor.raw.tobytes()
