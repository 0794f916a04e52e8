"""Lists that are arguments and that a function changes: what its graph leaves in them is written to
the caller's lists behind a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from runtime.core.dataclasses import dataclass
from runtime.graph.ir import Location
from runtime.graph.structures import Children, Structure, structure_of
from runtime.staging.control import joins
from runtime.staging.control.carried_objects import refuse_change
from runtime.staging.control.joins import Spec
from runtime.staging.guarding.guards import Guards
from runtime.staging.lists.growing import Growing, is_taken_as_it_was
from runtime.staging.refusals import refuse

Way = tuple[int | str, ...]
"""The argument, and which child of which container: the way to a list in a call's arguments."""


class Image(NamedTuple):
    """A container in an argument, and what is in it when the function begins."""

    path: str
    way: Way
    item: Any
    content: tuple[Structure, Children]


def images_of(arguments: Mapping[int | str, Any], labels: Sequence[str]) -> Iterator[Image]:
    """Yields the containers in arguments, by their places and names, as they are now."""
    for at, value in arguments.items():
        path = labels[at] if isinstance(at, int) and at < len(labels) else str(at)
        yield from _images(value, path, (at,))


def _images(value: Any, path: str, way: Way) -> Iterator[Image]:
    found = structure_of(value)
    if found is not None:
        structure, children = found
        yield Image(path, way, value, (structure, tuple(children)))
        for place, child in enumerate(children):
            yield from _images(child, path + structure.path(place), (*way, place))


def changed_image(found: Iterable[Image]) -> str | None:
    """The path of the first container that is different now; None if all are as they were."""
    for path, _, value, (structure, children) in found:
        if is_taken_as_it_was(value):
            continue
        now = structure_of(value)
        if now is None or now[0] != structure:
            return path
        for place, (before, after) in enumerate(zip(children, now[1], strict=True)):
            if before is not after:
                return path + structure.path(place)
    return None


class Kept:
    """An item of a list that the function leaves unchanged: `way` leads to it in the arguments."""

    # No dataclass, which joins would take apart.
    __slots__ = ("way",)

    def __init__(self, way: Way) -> None:
        self.way = way


@dataclass(frozen=True, slots=True)
class Change:
    """The items of one list at the end of the function."""

    path: str
    way: Way
    spec: Spec


class Changes:
    """The lists that a function changes, and how to write to those of a call."""

    def __init__(self, name: str, changes: Sequence[Change], given: Sequence[Image]) -> None:
        self.name = name
        self._changes = tuple(changes)
        ways = _ways_by_id(given)
        self._ways = {way: known for known in ways.values() for way in known}

    def targets(self, args: Iterable[Any], kwargs: dict[str, Any], guards: Guards) -> list[Any]:
        """The caller's lists that a call is to change.

        StagingError for one that the function reaches by a way that its trace does not know.
        """
        arguments = dict(enumerate(args)) | kwargs
        found = [_at(arguments, change.way) for change in self._changes]
        ways = _ways_by_id(images_of(arguments, ()))
        reached = {id(item) for _, (holder, _, value) in guards.seen() for item in (holder, value)}
        for change, item in zip(self._changes, found, strict=True):
            if ways[id(item)] != self._ways[change.way] or id(item) in reached:
                raise refuse(
                    f"{self.name} changes the list {change.path}, which this call gives it twice, "
                    "or which it reads elsewhere too",
                    "pass a copy: list(...)",
                    change.path,
                )
        return found

    def write(
        self,
        targets: Sequence[Any],
        args: Iterable[Any],
        kwargs: dict[str, Any],
        contents: Sequence[Any],
    ) -> None:
        """Put into the caller's lists what is in them behind a call."""
        arguments = dict(enumerate(args)) | kwargs
        made = [_with_own(items, arguments) for items in contents]
        for target, items in zip(targets, made, strict=True):
            _put(target, items)

    def contents(self, values: Iterator[Any], build: Callable[[Spec, Any], Any]) -> list[Any]:
        """The items of each list, from the values that follow those of the result."""
        return [build(change.spec, values) for change in self._changes]


def changes_of(
    given: Sequence[Image],
    export: Callable[[Any], Any],
    is_own: Callable[[Any], bool],
    location: Location | None,
) -> tuple[list[Change], list[Any]]:
    """The lists among the images of arguments that are different now, and what is in each: what
    `is_own`, no assignment has changed.

    StagingError for another container that was changed.
    """
    known = {id(image.item): Kept(image.way) for image in given}
    changes, contents = [], []
    for image in given:
        changed = changed_image([image])
        if changed is None:
            continue
        path, way, item, (_, before) = image
        if not isinstance(item, list):
            why = "it is an argument, which a traced function gets as a copy of the caller's"
            raise refuse_change(changed, why, location=location)
        own = [(at, child) for at, child in enumerate(before) if is_own(child)]
        kept = {id(child): Kept((*way, at)) for at, child in own} | known
        items = _exported(item, kept, export)
        changes.append(Change(path, way, joins.abstract(items, staged=True)))
        contents.append(items)
    return changes, contents


def _exported(items: Any, kept: dict[int, Kept], export: Callable[[Any], Any]) -> Any:
    if isinstance(items, Growing) and items.staged is not None:
        return export(items)
    return [_item(item, kept, export) for item in items]


def _item(item: Any, kept: dict[int, Kept], export: Callable[[Any], Any]) -> Any:
    if id(item) in kept:
        return kept[id(item)]
    return _exported(item, kept, export) if isinstance(item, list) else export(item)


def _at(arguments: dict[Any, Any], way: Way) -> Any:
    item = arguments[way[0]]
    for place in way[1:]:
        found = structure_of(item)
        assert found is not None
        item = found[1][place]  # type: ignore[index]
    return item


def _put(target: Any, items: Any) -> None:
    if isinstance(target, Growing):
        target.fill(*(items.content() if isinstance(items, Growing) else (len(items), items)))
    elif isinstance(items, Growing) and items.staged is not None:
        raise refuse(
            "only the run knows what is in a list that a function changes, which is an item of "
            "another object",
            "a list that is assigned to a name where it is made",
        )
    else:
        target[:] = items


def _with_own(item: Any, arguments: dict[Any, Any]) -> Any:
    if isinstance(item, Kept):
        return _at(arguments, item.way)
    return [_with_own(each, arguments) for each in item] if type(item) is list else item


def _ways_by_id(images: Iterable[Image]) -> dict[int, list[Way]]:
    """All ways to each container that could be changed."""
    found: dict[int, list[Way]] = {}
    for _, way, item, (structure, _) in images:
        if not structure.handler.is_tuple:
            found.setdefault(id(item), []).append(way)
    return found
