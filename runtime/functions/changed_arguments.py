"""Lists and dicts that are arguments and that a function changes: what its graph leaves in them is
written to the caller's behind a call.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from autograph.users_words import with_article
from runtime.core.dataclasses import dataclass
from runtime.core.state import state
from runtime.functions.placed_arguments import Left, Naming, Placed, is_record, made_of
from runtime.graph.ir import Location
from runtime.graph.structures import Children, Structure, structure_of
from runtime.staging.aliasing import aliases
from runtime.staging.control import joins
from runtime.staging.control.carried_objects import refuse_change
from runtime.staging.control.optional_values import MaybeNone
from runtime.staging.control.references import is_reference
from runtime.staging.control.specs import Spec
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.guarding.guards import Guards
from runtime.staging.lists import staged_items
from runtime.staging.lists.chosen_lists import Row
from runtime.staging.lists.growing import (
    Growing,
    GrowingSequence,
    is_taken_as_it_was,
    place_in,
    want_lists,
)
from runtime.staging.lists.growing_deque import stand_in
from runtime.staging.lists.list_places import ListArena, PlacedList
from runtime.staging.outside import DICTS
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active

Way = tuple[int | str, ...]
"""The argument, and which child of which container: the way to a list in a call's arguments."""


class Image(NamedTuple):
    """A container in an argument, and what is in it when the function begins."""

    path: str
    way: Way
    item: Any
    content: tuple[Structure, Children]


Look = Callable[[Any], tuple[Structure, Children] | None]


def images_of(
    arguments: Mapping[int | str, Any], labels: Sequence[str] = (), look: Look = structure_of
) -> Iterator[Image]:
    """Yields the containers in arguments, by their places and names, as they are now; `look` takes
    one apart.
    """
    for at, value in arguments.items():
        path = labels[at] if isinstance(at, int) and at < len(labels) else str(at)
        yield from _images(value, path, (at,), look)


def _images(value: Any, path: str, way: Way, look: Look) -> Iterator[Image]:
    found = look(value)
    if found is not None:
        structure, children = found
        yield Image(path, way, value, (structure, tuple(children)))
        for place, child in enumerate(children):
            yield from _images(child, path + structure.path(place), (*way, place), look)


def changed_image(found: Iterable[Image]) -> str | None:
    """The path of the first container that is different now; None if all are as they were."""
    for path, _, value, (structure, children) in found:
        if is_taken_as_it_was(value) or type(value) is PlacedList:
            continue
        now = structure_of(value)
        if now is None or now[0] != structure:
            return path
        for place, (before, after) in enumerate(zip(children, now[1], strict=True)):
            if before is not after:
                return path + structure.path(place)
    return None


def refuse_other_name(name: str, path: str) -> Exception:
    """The error for a container at `path` that is, or is in, an argument, of which a trace has a
    copy: the function changes it by another name.
    """
    return refuse(
        f"{name} changes {path} by another name than that of the argument or default value",
        "pass a copy of it, or use it by the name of the argument alone",
        path,
    )


def ways_of(arguments: Mapping[int | str, Any]) -> dict[Way, list[Way]]:
    """For each way to a container that could be changed all ways to it."""
    by_id = ways_by_id(arguments)
    return {way: known for known in by_id.values() for way in known}


def ways_by_id(arguments: Mapping[int | str, Any]) -> dict[int, list[Way]]:
    """The ways to each container that could be changed, by its id."""
    found: dict[int, list[Way]] = {}
    for _, way, item, (structure, _) in images_of(arguments):
        if not structure.handler.is_tuple:
            found.setdefault(id(item), []).append(way)
    return found


class KeptItem:
    """An item of a list or dict that the function leaves unchanged: `way` leads to it in the
    arguments.
    """

    # No dataclass, which joins would take apart.
    __slots__ = ("way",)

    def __init__(self, way: Way) -> None:
        self.way = way


@dataclass(frozen=True, slots=True)
class OwnChange:
    """The contents of one list or dict at the end of the function."""

    path: str
    way: Way
    spec: Spec


@dataclass(frozen=True, slots=True)
class ArenaChange:
    """The items of all lists of an arena at the end of the function: `given` has the paths of the
    arguments among them, and the ways to these, by their places.
    """

    site: str
    given: Mapping[int, tuple[str, Way]]
    spec: Spec


class Given:
    """The containers in the arguments of a trace, and what is in them when it begins. Those of the
    lists that a trace around it may choose among are its own, where they are `inner`.
    """

    def __init__(self, images: Iterable[Image] = (), inner: bool = False) -> None:
        self.images = list(images)
        self._arenas: dict[ListArena, dict[int, tuple[str, Way]]] = {}
        for path, way, item, _ in self.images:
            if type(item) is PlacedList and not inner:
                self._arenas.setdefault(item.arena, {})[place_in(item)] = path, way
        self._before = {arena: arena.rows.staged for arena in self._arenas}

    def changed(self) -> str | None:
        """The path of the first container that is different now, or may be."""
        found = changed_image(self.images)
        for arena, given in self._arenas.items():
            if found is None and arena.rows.staged is not self._before[arena]:
                found, _ = next(iter(given.values()))
        return found

    def changes(
        self,
        export: Callable[[Any], Any],
        is_own: Callable[[Any], bool],
        location: Location | None,
    ) -> tuple[list[OwnChange | ArenaChange], list[Any]]:
        """The lists and dicts that are different now, and what is in each: what `is_own`, no
        assignment has changed.

        StagingError for another container that was changed.
        """
        images = list({id(image.item): image for image in self.images}.values())
        known = {id(image.item): KeptItem(image.way) for image in images}
        naming = Naming(self._arenas)
        given = [image.item for image in images]
        leaving = _Leaving(known, given, lambda item: export(naming.of(item)), location)
        changes: list[OwnChange | ArenaChange] = []
        contents = []
        for image in images:
            changed = changed_image([image])
            if changed is None:
                continue
            path, way, item, (_, before) = image
            if not isinstance(item, list | dict):
                why = "it is an argument, which a traced function gets as a copy of the caller's"
                raise refuse_change(changed, why, location=location)
            self._check_inside(image, location)
            own = [(at, child) for at, child in enumerate(before) if is_own(child)]
            items = leaving.items(item, {id(child): KeptItem((*way, at)) for at, child in own})
            changes.append(OwnChange(path, way, joins.abstract(items, staged=True)))
            contents.append(items)
        for arena, rows in naming.rows():
            items = export(rows)
            spec = joins.abstract(items, staged=True)
            changes.append(ArenaChange(arena.site, self._arenas.get(arena, {}), spec))
            contents.append(items)
        return changes, contents

    def _check_inside(self, around: Image, location: Location | None) -> None:
        """StagingError for a list of the caller's in one that is a list of the graph by now, which
        would leave another list there. Where the run chooses among lists, it is one of those.
        """
        for path, way, item, _ in self.images:
            is_inside = way[: len(around.way)] == around.way != way
            is_list = isinstance(item, GrowingSequence) and type(item) is not PlacedList
            if is_inside and is_list and item.table is not None:
                want_lists(item)
                raise refuse(
                    f"{around.path} is changed, of which only the run knows the items now, and "
                    f"{path} is a list of the caller's in it",
                    f"return another one, with copies: [list(each) for each in {around.path}]",
                    around.path,
                    location,
                )


class Changes:
    """The lists and dicts that a function changes, and how to write to those of a call."""

    def __init__(
        self, name: str, changes: Sequence[OwnChange | ArenaChange], ways: Mapping[Way, list[Way]]
    ) -> None:
        self.name = name
        self._changes = tuple(changes)
        self._ways = ways

    def _changed(self) -> Iterator[tuple[str, Way]]:
        for change in self._changes:
            yield from (
                change.given.values()
                if isinstance(change, ArenaChange)
                else [(change.path, change.way)]
            )

    def check(self, args: Iterable[Any], kwargs: dict[str, Any], guards: Guards) -> None:
        """StagingError for a list or dict that a call is to change, and that the function reaches
        by a way that its trace does not know.
        """
        arguments = dict(enumerate(args)) | kwargs
        ways = ways_by_id(arguments)
        reached = {id(item) for _, (holder, _, value) in guards.seen() for item in (holder, value)}
        for path, way in self._changed():
            item = _at(arguments, way)
            if ways[id(item)] != self._ways[way] or id(item) in reached:
                kind = "dict" if isinstance(item, dict) else "list"
                raise refuse(
                    f"{self.name} changes the {kind} {path}, which this call gives it twice, or "
                    "which it reads elsewhere too",
                    f"pass a copy: {kind}(...)",
                    path,
                )
        if state.trace is not None and any(isinstance(each, ArenaChange) for each in self._changes):
            raise refuse(
                f"{self.name} changes lists of its arguments, of which the run chooses one, and is "
                "called in another function, which is a graph of its own",
                f"leave out the decorator of {self.name}",
            )

    def write(self, args: Iterable[Any], kwargs: dict[str, Any], contents: Sequence[Any]) -> None:
        """Put into the caller's lists and dicts what is in them behind a call."""
        arguments = dict(enumerate(args)) | kwargs
        pairs = list(zip(self._changes, contents, strict=True))
        left = Left(
            {
                rows.site: {at: _at(arguments, way) for at, (_, way) in rows.given.items()}
                for rows in self._changes
                if isinstance(rows, ArenaChange)
            },
            {rows.site: items for rows, items in pairs if isinstance(rows, ArenaChange)},
        )
        changed = [(each, items) for each, items in pairs if isinstance(each, OwnChange)]
        made = [
            (_at(arguments, change.way), _with_own(items, arguments, left))
            for change, items in changed
        ]
        left.put()
        for target, items in made:
            _put(target, items)

    def contents(self, values: Iterator[Any], build: Callable[[Spec, Any], Any]) -> list[Any]:
        """The items of each of them, from the values that follow those of the result."""
        return [build(change.spec, values) for change in self._changes]


class _Leaving:
    """Takes the items of changed lists and dicts apart: `given` are the parts of arguments, `kept`
    tells of these by their ids.
    """

    def __init__(
        self,
        kept: Mapping[int, KeptItem],
        given: Sequence[Any],
        export: Callable[[Any], Any],
        location: Location | None,
    ) -> None:
        self._kept = kept
        self._given = given
        self._export = export
        self._location = location
        self._new: list[Any] = []

    def items(self, items: Any, own: Mapping[int, KeptItem]) -> Any:
        """The items of a list or dict, of which some are its `own` from before."""
        if isinstance(items, Growing) and items.staged is not None:
            if staged_items.has_records(items.staged.element):
                raise refuse(
                    "the dicts in a list that is an argument get other places there, which only "
                    "the run knows",
                    "make another list: sorted(items, key=...) or list(items)",
                )
            return self._export(items)
        if isinstance(items, dict):
            return {key: self._item(item, own) for key, item in dict.items(items)}
        return [self._item(item, own) for item in items]

    def _item(self, item: Any, own: Mapping[int, KeptItem]) -> Any:
        found = own.get(id(item)) or self._kept.get(id(item))
        if found is not None:
            return found
        if is_record(item):
            return made_of(item, [self._item(each, own) for each in item])
        if type(item) is TaggedUnion and any(map(self._is_given, item.options)):
            options = [self._item(each, own) for each in item.options]
            return TaggedUnion(options, item.place, item.mismatch)
        if isinstance(item, MaybeNone) and self._is_given(item.held):
            return MaybeNone(self._item(item.held, own), item.flag)
        choice = aliases.choice_of_one(active(), item, self._is_given)
        if choice is not None:
            raise self._refuse_copy(item, *choice)
        if not isinstance(item, list | dict) or is_reference(item):
            return self._export(item)
        if item.__class__ not in (list, dict):
            return self._of_other_class(item)
        if isinstance(item, Row) or self._is_elsewhere(item):
            want_lists(item)
            kind = "dict" if isinstance(item, dict) else "list"
            raise refuse(
                f"a {kind} is put into an argument, and is in another list or dict, too, or only "
                "the run knows which it is",
                f"put a copy there: {kind}(...)",
            )
        self._new.append(item)
        return self.items(item, own)

    def _is_given(self, item: Any) -> bool:
        return id(item) in self._kept

    def _refuse_copy(self, item: Any, name: str, location: Location | None) -> Exception:
        want_lists(aliases.held_by(item), *self._given)
        return refuse(
            f"a list or dict of the caller's, or another value, is in {name}, as the run chooses, "
            "and a copy of that would be there behind the call",
            "change what is in the one that is there, or put a copy there on every path: "
            "list(...), dict(...)",
            name,
            location or self._location,
        )

    def _is_elsewhere(self, item: Any) -> bool:
        """Whether a list or dict is new and in another place, too. A list that is shared has an
        image in each place, with the same columns.
        """
        if any(item is each for each in self._new):
            return True
        columns = _columns(item)
        is_shared = columns is not None and item.staged.kind.shared
        return is_shared and any(columns == _columns(each) for each in (*self._given, *self._new))

    def _of_other_class(self, item: Any) -> Any:
        """A set, `Counter` and the like, as they are in results. Others may know what is in it."""
        held = dict.values(item) if isinstance(item, dict) else ()
        if item.__class__ is deque or any(isinstance(each, list | dict | tuple) for each in held):
            want_lists(item)
            name = item.__class__.__name__
            raise refuse(
                f"{with_article(name)} is put into an argument, of which a graph makes lists, sets "
                "and dicts of values",
                "put a list or dict there, or return it",
                location=self._location,
            )
        return self._export(item)


def _columns(item: Any) -> list[int] | None:
    """The ids of the columns of a list of the graph, which is in no other one."""
    if not isinstance(item, GrowingSequence) or item.table is not None or item.staged is None:
        return None
    return list(map(id, item.staged.columns))


def _at(arguments: dict[Any, Any], way: Way) -> Any:
    item = arguments[way[0]]
    for place in way[1:]:
        found = structure_of(item)
        assert found is not None
        item = found[1][place]  # type: ignore[index]
    return item


def _put(target: Any, items: Any) -> None:
    if isinstance(target, Growing):
        held = items if isinstance(items, Growing) else stand_in(items)
        target.fill(*held.content())
    elif isinstance(items, Growing) and items.staged is not None:
        raise refuse(
            f"only the run knows what is in a {type(target).__name__} that a function changes, and "
            "which is an item of another object, or is given away where it is made",
            "assign it to a name where it is made, and grow or shrink it there",
        )
    elif isinstance(target, dict):
        target.clear()
        target.update(items)
    else:
        target[:] = items


def _with_own(item: Any, arguments: dict[Any, Any], left: Left) -> Any:
    if isinstance(item, KeptItem):
        return _at(arguments, item.way)
    if isinstance(item, Placed):
        return left.of(item)
    if type(item) in DICTS:
        made = item.copy()
        for key, each in item.items():
            made[key] = _with_own(each, arguments, left)
        return made
    if type(item) is list or is_record(item):
        return made_of(item, [_with_own(each, arguments, left) for each in item])
    return item
