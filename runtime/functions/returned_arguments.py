"""Lists, dicts and sets that a recursive function returns and that are its arguments, or in two
places of the result: its graph returns copies.

A result that is just an argument is the caller's own object. Another one may stand for it, as a
copy that a join makes does for the objects of its paths: a change of either is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, NamedTuple

from runtime.core.dataclasses import dataclass
from runtime.graph.structures import structure_of
from runtime.staging.aliasing import aliases
from runtime.staging.control.carried_objects import is_container
from runtime.staging.control.optional_values import Missing
from runtime.staging.control.references import is_reference
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.frames import user_location
from runtime.staging.lists.growing import sites_of
from runtime.staging.tracing import Trace

Way = tuple[int | str | None, ...]
"""The argument, or None for the result, and which child of which container."""


@dataclass(frozen=True)
class Returned:
    """Pairs of a part of the result, and what it may be: a part of an argument, or an earlier part
    of the result. `own` is the part of an argument that the whole result is. `settled` is what was
    found, and not only supposed. `sites` has the places in the code where lists at those parts of
    the result may have been made.
    """

    pairs: frozenset[tuple[Way, Way]] = frozenset()
    own: Way | None = None
    settled: bool = False
    sites: Mapping[Way, frozenset[str]] = field(default_factory=dict, compare=False)

    def covering(self, other: Returned) -> Returned:
        """Returns what holds where both may."""
        is_same = not other.settled or self.own == other.own
        own = self.own if is_same else None
        return Returned(self.pairs | other.pairs, own, True, {**other.sites, **self.sites})

    def settle(self, trace: Trace, arguments: Mapping[Any, Any], result: Any) -> Any:
        """The result of a call, which stands for what it may be from now on."""
        if not self.pairs and self.own is None:
            return result
        known: dict[Way, list[_Part]] = {}
        for part in _parts_of({**arguments, None: result}):
            known.setdefault(part.way, []).append(part)
        if self.own in known and known[self.own][0].is_there:
            return known[self.own][0].item
        for place, way in sorted(self.pairs, key=repr):
            for made, *_ in known.get(place, ()):
                others = [item for item, *_ in known.get(way, ()) if item is not made]
                if others:
                    copy, sites = aliases.Copy("the result", made, others), self.sites[place]
                    joined = aliases.Joined(copy, others, user_location(), sites=sites)
                    trace.joined.append(joined)
        return result


NOT_RETURNED = Returned()


def returned_of(trace: Trace, arguments: Mapping[Any, Any], result: Any) -> Returned:
    """Returns what the parts of the result of a trace may be."""
    given = list(_parts_of(arguments))
    pairs: set[tuple[Way, Way]] = set()
    sites: dict[Way, frozenset[str]] = {}
    own: Way | None = None
    for part in _parts_of({None: result}):
        for other in given:
            if not _may_be(trace, part.item, other.item):
                continue
            if result is part.item is other.item and other.is_there:
                own = other.way
            if not isinstance(part.item, tuple):  # which nobody changes
                pairs.add((part.way, other.way))
                known = sites.get(part.way, frozenset())
                sites[part.way] = known | sites_of(part.item) | sites_of(other.item)
        given.append(part)
    return Returned(frozenset(pairs), own, True, sites)


def _may_be(trace: Trace, item: Any, other: Any) -> bool:
    return item is other or bool(aliases.choice_of_one(trace, item, lambda each: each is other))


class _Part(NamedTuple):
    """A container, and the way to it; it `is_there` if it is no other one and not None."""

    item: Any
    way: Way
    is_there: bool = True


def _parts_of(values: Mapping[Any, Any]) -> Iterator[_Part]:
    for name, value in values.items():
        yield from _parts(_Part(value, (name,)))


def _parts(part: _Part) -> Iterator[_Part]:
    """The containers in a value; those that it may be have one way."""
    value, way, is_there = part
    if isinstance(value, Missing):
        yield from _parts(_Part(value.held, way, False))
    elif type(value) is TaggedUnion:
        for option in value.options:
            yield from _parts(_Part(option, way, False))
    elif (found := structure_of(value)) is not None:
        if is_container(value) and not is_reference(value):
            yield part
        for place, child in enumerate(found[1]):
            yield from _parts(_Part(child, (*way, place), is_there))
