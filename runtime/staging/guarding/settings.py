"""Settings: the attributes of a library's objects by which these work. The library tells of each
that is set, so that a call compares them only where one was since the last call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from autograph.objects import MISSING
from runtime.staging.guarding.weak_paths import (
    Weak,
    is_referable,
    leads_nowhere,
    strong,
    weakly,
)

Settings = Mapping[str, Any]
"""The attributes of an object's own `__dict__` that are settings, by their names; a tuple for a
list, of which the items count.
"""

Reader = Callable[[Any], Settings]

# By the addresses of classes: a metaclass may say what is equal.
_readers: dict[int, Reader] = {}


class SettingsKey:
    """The key of guards on the settings of an object."""


class _Changes:
    """The settings of the process: `latest` is another object after each change of one."""

    __slots__ = ("latest",)

    def __init__(self) -> None:
        self.latest = object()


_changes = _Changes()


def setting_changed() -> None:
    """Tell that a setting of some object is another one now."""
    _changes.latest = object()


def register_settings(kind: type, settings_of: Reader) -> None:
    """Let objects of a class, which is never gone, and of its subclasses have settings, of which
    each change is told.
    """
    _readers[id(kind)] = settings_of


def reader_of(kind: type) -> Reader | None:
    """Returns what gives the settings of the objects of a class; None for one without."""
    if _readers:
        for base in kind.__mro__:
            if id(base) in _readers:
                return _readers[id(base)]
    return None


def name_of(item: Any) -> str:
    """The name of an object, for messages: the one that it has of its own, or that of its class."""
    own = vars(item)
    name = own.get("name", own.get("_name"))
    return name if type(name) is str else type(item).__name__


class SettingsGuard:
    """The settings of objects, but for those that an object does not have any more."""

    def __init__(self, items: Iterable[tuple[Any, Settings]]) -> None:
        self._latest = _changes.latest
        self._items = tuple([(weakly(holder), _kept(holder, known)) for holder, known in items])

    def holds(self) -> bool:
        """True if each object has the same settings."""
        latest = _changes.latest
        if latest is self._latest:
            return True
        for read, settings in self._items:
            holder = read()
            if holder is not None and not _are(holder, settings):
                return False
        self._latest = latest
        return True

    def seen(self) -> Iterable[tuple[Any, Any, Any]]:
        """Objects and settings."""
        for read, settings in self._items:
            holder = read()
            if holder is not None:
                yield holder, SettingsKey, {name: _strong(settings[name]) for name in settings}


def _kept(holder: Any, settings: Settings) -> Settings:
    own = vars(holder)
    as_seen = [name for name, value in settings.items() if _is(own.get(name, MISSING), value)]
    # What could keep objects alive, as a dict, is not compared.
    return {name: _weak(settings[name]) for name in as_seen if _can_be_kept(settings[name])}


def _can_be_kept(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_can_be_kept, value))
    return is_referable(value) or leads_nowhere(value)


def _are(holder: Any, settings: Settings) -> bool:
    own = vars(holder)
    for name, value in settings.items():
        now = own.get(name, MISSING)
        if now is not value and not _is(now, _strong(value)):
            return False
    return True


def changed_settings(holder: Any, settings: Settings) -> Iterable[tuple[str, Any, Any]]:
    """Yields the name of each setting that is another one now, what it was and what it is."""
    for name, value in settings.items():
        now = vars(holder).get(name, MISSING)
        if not _is(now, value):
            yield name.lstrip("_"), value, now


def _is(now: Any, known: Any) -> bool:
    if type(known) is not tuple or not isinstance(now, list | tuple):
        return now is known
    return len(now) == len(known) and all(map(_is, now, known))


def _weak(value: Any) -> Any:
    if type(value) is tuple:
        return tuple(map(_weak, value))
    return Weak(value) if is_referable(value) else value


def _strong(value: Any) -> Any:
    return tuple(map(_strong, value)) if type(value) is tuple else strong(value)
