"""The values that a trace was found to read from outside, and the guards that they make: what
is compared, and what of it is kept alive.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from types import CellType, FunctionType, ModuleType
from typing import Any

from autograph.objects import MISSING, is_a
from runtime.core.types import is_variable
from runtime.graph.ir import Location
from runtime.staging.guarding.containers import Inside, elements_of, same_elements
from runtime.staging.guarding.guards import (
    OF_FUNCTIONS,
    CellGuard,
    ContentGuard,
    ElementsKey,
    EntryGuard,
    FunctionGuard,
    Guards,
    ObjectGuard,
    Reached,
    Seen,
    index_of,
    now_of,
)
from runtime.staging.guarding.lookup import is_computed_once, is_the_users
from runtime.staging.guarding.settings import Settings, SettingsGuard, SettingsKey
from runtime.staging.guarding.weak_paths import Attribute, Read, Ways, Weak, is_referable, weakly
from runtime.staging.refusals import refuse

MOST_GUARDS = 10_000
"""Values that one trace guards; more are refused."""


class Findings:
    """The values that were seen while a function was traced.

    `seen` are they, by what holds them; `objects` those whose attributes are guarded, with the
    user's expressions for them; `settings` those of objects, by the addresses of these; `cells` the
    functions whose variables were read, by the address of the cell; `given` the expressions for the
    arguments, by their addresses.
    """

    __slots__ = ("_known", "_paths", "cells", "given", "objects", "seen", "settings")

    def __init__(self) -> None:
        self.seen: dict[Any, Seen] = {}
        self.objects: dict[int, tuple[Any, str]] = {}
        self.settings: dict[int, tuple[Any, Settings]] = {}
        self.cells: dict[int, tuple[FunctionType, int]] = {}
        self.given: dict[int, str] = {}
        self._paths: dict[Any, str] = {}
        self._known: dict[int, Read] = {}

    def see(self, holder: Any, key: Any, value: Any, place: str, where: Location | None) -> None:
        """Note a value, which the user calls `place`, as it was when it was read first."""
        at = id(holder), key
        if at in self.seen:
            return
        if len(self.seen) >= MOST_GUARDS:
            raise _too_many(place, where)
        self.seen[at] = holder, key, value
        self._paths[at] = place

    def adopt(self, others: Guards, where: Location | None) -> None:
        """Note what another trace guards."""
        for holder, read in others.known():
            self._known.setdefault(id(holder), read)
        for place, seen in list(others.seen()):
            if seen[1] is SettingsKey:
                self.see_settings(seen[0], seen[2], place)
            else:
                self.see(*seen, place, where)

    def see_settings(self, holder: Any, settings: Settings, place: str) -> None:
        """Note the settings of an object, as they were when it was met first."""
        if id(holder) not in self.settings:
            self.settings[id(holder)] = holder, settings
            self._paths[id(holder), SettingsKey] = place

    def place_of(self, item: Any) -> str | None:
        """The user's expression for an object from outside; None for one that nothing led to."""
        if id(item) in self.given:
            return self.given[id(item)]
        for at, (holder, key, value) in self.seen.items():
            if value is item:
                return self._paths[at]
            elements = value if key is ElementsKey and type(value) is tuple else ()
            for place, element in enumerate(elements):
                if element is item:
                    return f"{self._paths[at]}{index_of(holder, elements, place)}"
        return None

    def notes(self) -> Iterable[Any]:
        """The holders of what was seen: all that holds objects while the trace is made."""
        objects = *self.objects.values(), *self.settings.values()
        return [*self.seen.values(), *objects, *self.cells.values()]

    def guards(self) -> Guards:
        """The guards on all that the trace itself has not changed; nothing is found from now on."""
        settings = SettingsGuard(self.settings.values())
        entries, cells, contents, functions, attributes, reached = self._sorted(self._ways())
        objects = [weakly(item) for item, _ in self.objects.values() if _has_changing_class(item)]
        # Objects that were made while tracing go away now.
        self.seen, self.objects, self.settings, self.cells, self._known = {}, {}, {}, {}, {}
        further = Reached(reached)
        inside = further.inside()
        found = ObjectGuard(attributes, objects, inside)
        further.leave(inside)
        groups = (
            EntryGuard(entries),
            CellGuard(cells),
            found,
            FunctionGuard(functions),
            ContentGuard(contents),
            settings,
        )
        return Guards(groups, further, self._paths)

    def _sorted(self, ways: Ways) -> tuple[list[Any], ...]:
        """Returns what is guarded, sorted by how it is."""
        functions: list[Any] = []
        attributes: list[Any] = []
        entries, cells, contents, reached = [], [], [], []
        holders: dict[int, Read] = {}
        for holder, key, seen in self.seen.values():
            value = _with_defaults(holder, key, seen)
            now = value if key is ElementsKey else now_of(holder, key)
            if not _is_as_seen(holder, key, value, now):
                continue
            if isinstance(key, Attribute):
                if id(holder) not in holders:
                    holders[id(holder)] = weakly(holder)
                guarded = holders[id(holder)], key, ways.weak(now)
                is_code = type(holder) is FunctionType and key in OF_FUNCTIONS
                (functions if is_code else attributes).append(guarded)
                continue
            read = ways.to(holder)
            if read is not None:
                reached.append((read, key, _reached(holder, key, value, ways)))
            elif type(holder) is CellType:
                cells.append((holder, _collectable(value)))
            elif key is not ElementsKey:
                entries.append((holder, key, _collectable(value)))
            elif type(holder) is not tuple:  # a tuple has the same ones always
                contents.append((holder, value))
        return entries, cells, contents, functions, attributes, reached

    def _ways(self) -> Ways:
        seen = self.seen.values()
        single = [item for item in seen if item[1] is not ElementsKey]
        # Those from objects first: no way leads around in a circle.
        single.sort(key=lambda item: not isinstance(item[1], Attribute))
        ways = Ways(single, self.cells, self._known, self.given)
        for holder, key, value in seen:
            if key is ElementsKey:
                ways.add_elements(holder, value)
        return ways


_FACTORIES = frozenset((bool, dict, float, int, list, set, str, tuple))


def _with_defaults(holder: Any, key: Any, value: Any) -> Any:
    """The value as it was seen, with the entries that reading a defaultdict has made."""
    if type(holder) is not defaultdict or holder.default_factory not in _FACTORIES:
        return value
    made = holder.default_factory
    if key is not ElementsKey:
        now = holder.get(key, MISSING) if value is MISSING else value
        return now if type(now) is made and now == made() else value
    before = len(value) // 2
    added = list(holder.values())[before:]
    return elements_of(holder) if all(type(x) is made and x == made() for x in added) else value


def _is_as_seen(holder: Any, key: Any, value: Any, now: Any) -> bool:
    """True if the trace has left it as it was."""
    if key is ElementsKey:
        return same_elements(holder, value)
    if now is value:
        return True
    return isinstance(key, Attribute) and value is MISSING and is_computed_once(holder, key)


def _collectable(value: Any) -> Any:
    """A value of a global or captured variable: objects are not kept alive once it has another."""
    if is_variable(value):
        return Weak(value)
    is_object = is_the_users(value) and not is_a(value, type)
    return weakly(value) if is_object and is_referable(value) else value


def _reached(holder: Any, key: Any, value: Any, ways: Ways) -> Any:
    return Inside(holder, value, ways) if key is ElementsKey else ways.weak(value)


def _has_changing_class(item: Any) -> bool:
    is_object = not is_a(item, type | ModuleType | FunctionType)
    return is_object and is_referable(item)


def _too_many(place: str, where: Location | None) -> Exception:
    return refuse(
        f"what is read from outside has more than {MOST_GUARDS} values that may change, which "
        f"each call would have to compare; the last one is {place}",
        "pass what is used as an argument, or keep it in a tensor",
        variable=place.partition(".")[0].partition("[")[0],
        location=where,
    )
