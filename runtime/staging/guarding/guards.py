"""Guards: Python values that a trace read from outside. Where one changes, the trace does not hold.

`watching` finds them. Each class here compares values of one kind, as fast as that kind allows.
What objects hold is not kept alive, and an object that is gone is one that nobody reads any more.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import partial
from types import CellType, FunctionType, MemberDescriptorType
from typing import Any, Protocol

from autograph.objects import MISSING, contents, of_classes, slots_of
from autograph.users_words import with_article
from runtime.staging.guarding.containers import (
    Elements,
    Inside,
    elements_of,
    identities,
    is_large,
    is_mapping,
    same_elements,
)
from runtime.staging.guarding.settings import SettingsKey, changed_settings
from runtime.staging.guarding.weak_paths import (
    ATOMIC,
    GONE,
    NOTHING,
    OF_ALL,
    Attribute,
    Read,
    Route,
    Weak,
    attribute_now,
    is_weak,
    strong,
)

Seen = tuple[Any, Any, Any]
"""A holder, a key, and the value that was found there."""

CODE = Attribute("__code__")
OF_FUNCTIONS = (CODE, Attribute("__defaults__"), Attribute("__kwdefaults__"))
"""The attributes that say what a call of a function does."""


class ElementsKey:
    """The key of guards on the elements of a container."""


class Guard(Protocol):
    """A guard of values of one kind."""

    def holds(self) -> bool:
        """True if everything is still as it was."""
        ...

    def seen(self) -> Iterable[Seen]:
        """Yields what was seen, of all that is still there."""
        ...


class EntryGuard:
    """Global variables, and items of mappings."""

    def __init__(self, items: Iterable[tuple[Mapping[Any, Any], Any, Any]]) -> None:
        self._items = tuple(items)

    def holds(self) -> bool:
        """True if each mapping has the same value."""
        for mapping, key, value in self._items:
            now = mapping.get(key, MISSING)
            if now is not value and (type(value) is not Weak or now is None or now is not value()):
                return False
        return True

    def seen(self) -> Iterable[Seen]:
        """Mappings, keys and values."""
        return [(mapping, key, strong(value)) for mapping, key, value in self._items]


class CellGuard:
    """Variables of enclosing functions."""

    def __init__(self, items: Iterable[tuple[CellType, Any]]) -> None:
        self._items = tuple(items)

    def holds(self) -> bool:
        """True if each variable has the same value."""
        for cell, value in self._items:
            now = contents(cell)
            if now is not value and (type(value) is not Weak or now is None or now is not value()):
                return False
        return True

    def seen(self) -> Iterable[Seen]:
        """Cells and values."""
        return [(cell, None, strong(value)) for cell, value in self._items]


class ObjectGuard:
    """The classes and attributes of objects.

    `inside`: what is in containers that objects lead to, by address; what is compared with the
    attribute is taken out of it.
    """

    def __init__(
        self,
        attributes: Iterable[tuple[Read, Attribute, Any]],
        others: Iterable[Read],
        inside: dict[int, Inside],
    ) -> None:
        self._attributes = tuple([each for each in attributes if each[0]() is not None])
        owners: dict[int, tuple[Read, list[tuple[str, Any, Any]]]] = {}
        slots = []
        for read, key, value in self._attributes:
            item = read()
            held = owners.setdefault(id(item), (read, []))[1]
            if _is_elsewhere(item, key, value):
                slots.append((read, _reading(item, key), value))
                continue
            elements = inside.pop(value.address, None) if type(value) is Route else None
            held.append((key, elements or value, Inside if elements else is_weak(value)))
        for read in others:
            owners.setdefault(id(read()), (read, []))
        owners.pop(id(None), None)
        self._owners = tuple([(read, type(read()), tuple(held)) for read, held in owners.values()])
        self._slots = tuple(slots)

    def holds(self) -> bool:
        """True if each object has the same class, and the same attributes."""
        for read, kind, attributes in self._owners:
            item = read()
            if item is None:
                continue
            if type(item) is not kind:
                return False
            own = getattr(item, "__dict__", NOTHING)
            for key, value, how in attributes:
                now = own.get(key, MISSING)
                if not how:
                    if now is not value:
                        return False
                elif how is Inside:
                    if not value.holds(now):
                        return False
                elif now is None or now is not value():
                    return False
        for read, now_in, value in self._slots:
            item = read()
            if item is not None and now_in(item) is not strong(value):
                return False
        return True

    def seen(self) -> Iterable[Seen]:
        """Objects, names and values; and the classes."""
        for read, key, value in self._attributes:
            item = read()
            if item is not None:
                yield item, key, strong(value)
        for read, kind, _ in self._owners:
            item = read()
            if item is not None:
                yield item, Attribute("__class__"), kind


def _is_elsewhere(item: Any, key: Attribute, value: Any) -> bool:
    """True for an attribute that is, or would be, in a slot or with a class, not in `__dict__`."""
    if key in OF_ALL:  # of a class too, though what is in its `__dict__` is for its instances
        return True
    is_set = value is not MISSING and key not in getattr(item, "__dict__", NOTHING)
    return is_set or key in slots_of(type(item))


def _reading(item: Any, key: Attribute) -> Callable[[Any], Any]:
    """Returns the reader of an attribute that is not in `__dict__`: where it is has been
    looked up here.
    """
    slot = of_classes(type(item).__mro__, key)
    if type(slot) is MemberDescriptorType:
        return partial(_in_slot, slot.__get__)
    return lambda item: attribute_now(item, key)


def _in_slot(get: Callable[[Any], Any], item: Any) -> Any:
    try:
        return get(item)
    except AttributeError:
        return MISSING


class FunctionGuard:
    """The code of functions, and the default values of those that have some: others are given all
    arguments, which default values that come later do not change.
    """

    def __init__(self, attributes: Iterable[tuple[Read, Attribute, Any]]) -> None:
        self._attributes = tuple([each for each in attributes if each[0]() is not None])
        codes = [(read, strong(value)) for read, key, value in self._attributes if key == CODE]
        self._lasting = tuple([(read(), code) for read, code in codes if _is_lasting(read())])
        self._codes = tuple([(read, code) for read, code in codes if not _is_lasting(read())])
        self._defaults = tuple([each for each in self._attributes if each[1] != CODE])

    def holds(self) -> bool:
        """True if each function has the same code and defaults."""
        for function, code in self._lasting:
            if function.__code__ is not code:
                return False
        for read, code in self._codes:
            function = read()
            if function is not None and function.__code__ is not code:
                return False
        for read, key, value in self._defaults:
            function = read()
            if function is not None and getattr(function, key) is not strong(value):
                return False
        return True

    def seen(self) -> Iterable[Seen]:
        """Functions, names and values."""
        for read, key, value in self._attributes:
            function = read()
            if function is not None:
                yield function, key, strong(value)


def _is_lasting(function: FunctionType) -> bool:
    """True if a function holds nothing but its module, so that it can be kept alive."""
    module = sys.modules.get(function.__module__)
    held = function.__closure__ or function.__defaults__ or function.__kwdefaults__
    own = held or function.__dict__
    return not own and getattr(module, "__dict__", None) is function.__globals__


class ContentGuard:
    """The elements of containers that live as long as the function."""

    def __init__(self, items: Iterable[tuple[Any, Elements]]) -> None:
        self._items = tuple(items)
        self._small = tuple([pair for pair in self._items if not is_large(pair[1])])
        large = [container for container, elements in self._items if is_large(elements)]
        self._large = tuple([(container, identities(container)) for container in large])

    def holds(self) -> bool:
        """True if each container has the same elements."""
        for container, elements in self._small:
            if not same_elements(container, elements):
                return False
        return not self._large or self._large_hold()

    def _large_hold(self) -> bool:
        return all(identities(container) == known for container, known in self._large)

    def seen(self) -> Iterable[Seen]:
        """Containers and elements."""
        return [(container, ElementsKey, known) for container, known in self._items]


class Reached:
    """The contents of containers and cells that objects lead to."""

    def __init__(self, items: Iterable[tuple[Read, Any, Any]]) -> None:
        self._items = tuple([each for each in items if each[0]() is not None])
        self._further = self._items

    def inside(self) -> dict[int, Inside]:
        """The elements of containers, by the address of the container."""
        return {value.address: value for *_, value in self._items if type(value) is Inside}

    def leave(self, inside: dict[int, Inside]) -> None:
        """Compare only these elements, and what is no elements."""
        kept = set(map(id, inside.values()))
        self._further = tuple(
            [item for item in self._items if type(item[2]) is not Inside or id(item[2]) in kept]
        )

    def holds(self) -> bool:
        """True if the contents are the same. What does not lead there any more
        is seen elsewhere.
        """
        for read, key, value in self._further:
            holder = read()
            if holder is None or type(holder) is Route:
                continue
            if type(value) is Inside:
                if not value.holds(holder):
                    return False
            elif now_of(holder, key) is not strong(value):
                return False
        return True

    def known(self) -> Iterator[tuple[Any, Read]]:
        """The holders, and the ways to them."""
        for read, _, _ in self._items:
            holder = read()
            if holder is not None and type(holder) is not Route:
                yield holder, read

    def seen(self) -> Iterable[Seen]:
        """Containers and cells, and what was in them."""
        for read, key, value in self._items:
            holder = read()
            if holder is not None and type(holder) is not Route:
                yield holder, key, value() if type(value) is Inside else strong(value)


class Further(Protocol):
    """Further values that must be as they were."""

    def hold(self) -> bool:
        """True if it is."""
        ...

    def changed(self) -> Iterable[str]:
        """Yields each difference, as the user would write it."""
        ...


class Guards:
    """The guards of a trace: what was read, and what it was; `hold()` says whether it still is."""

    __slots__ = ("_further", "_guards", "_holds", "_paths", "_reached")

    def __init__(self, guards: Iterable[Guard], reached: Reached, paths: dict[Any, str]) -> None:
        """`paths`: how the user writes what is under a key of a holder, by address and key."""
        self._guards = tuple([each for each in (*guards, reached) if _sees(each)])
        self._holds = tuple([each.holds for each in self._guards])
        self._reached = reached
        self._paths = paths
        self._further: Further | None = None

    def also(self, further: Further) -> None:
        """Compare this too."""
        self._further = further
        self._holds = (*self._holds, further.hold)

    def __bool__(self) -> bool:
        return bool(self._holds)

    def hold(self) -> bool:
        """True if everything is still as it was."""
        # No generator, which costs as much as the guards of a small function.
        for holds in self._holds:  # noqa: SIM110
            if not holds():
                return False
        return True

    def is_over(self) -> bool:
        """True if something is gone that they compare with, so that they cannot hold again."""
        return any(_is_gone(key, value) for _, (_, key, value) in self.seen())

    def known(self) -> Iterator[tuple[Any, Read]]:
        """The containers and cells that objects lead to, and the ways to them."""
        return self._reached.known()

    def seen(self) -> Iterator[tuple[str, Seen]]:
        """Yields what was seen, and how the user writes it."""
        for each in self._guards:
            for holder, key, value in each.seen():
                yield self._paths.get((id(holder), key), ""), (holder, key, value)

    def changed(self) -> Iterator[str]:
        """Yields what is different now, as the user would write it."""
        if self._further is not None:
            yield from self._further.changed()
        for path, (holder, key, value) in self.seen():
            if key is ElementsKey:
                if not same_elements(holder, value):
                    yield _different_elements(path, holder, value)
            elif key is SettingsKey:
                for name, before, now in changed_settings(holder, value):
                    yield _difference(f"{path}.{name}", None, before, now)
            elif now_of(holder, key) is not value:
                yield _difference(path, key, value, now_of(holder, key))


def _is_gone(key: Any, value: Any) -> bool:
    values = value.values() if key is SettingsKey else (value,)
    return any(each is GONE for each in values)


def _sees(guard: Guard) -> bool:
    return next(iter(guard.seen()), None) is not None


def now_of(holder: Any, key: Any) -> Any:
    """Returns what a cell holds, or an object or a mapping under a key."""
    if isinstance(key, Attribute):
        return attribute_now(holder, key)
    return contents(holder) if type(holder) is CellType else holder.get(key, MISSING)


def _different_elements(path: str, container: Any, known: Elements) -> str:
    if isinstance(container, type):
        return f"a class counts as an abstract base class now, which may be {path}"
    if type(known) is bytes:
        return f"what is in {path} changed"
    now = elements_of(container)
    if len(now) != len(known):
        for_each = 2 if is_mapping(container) else 1
        return f"{path} had {len(known) // for_each} elements, has {len(now) // for_each}"
    at = next(at for at, pair in enumerate(zip(known, now, strict=True)) if pair[0] is not pair[1])
    return _difference(f"{path}{index_of(container, known, at)}", None, known[at], now[at])


def _difference(path: str, key: Any, before: Any, now: Any) -> str:
    if isinstance(key, Attribute) and key == "__class__":
        return f"an object of class {before.__name__} is now {with_article(now.__name__)}"
    if before is MISSING:
        return f"{path} was not there, is {_short(now)}"
    if now is MISSING:
        return f"{path} was {_short(before)}, is not there any more"
    if type(before) in ATOMIC or type(now) in ATOMIC:
        return f"{path} was {_short(before)}, is {_short(now)}"
    return f"{path} is another {type(now).__name__}"


def _short(value: Any) -> str:
    return f"{value!r:.40}" if type(value) in ATOMIC else f"an object of {type(value).__name__}"


def index_of(container: Any, elements: Elements, at: int) -> str:
    """Returns the user's notation for the access to an element."""
    if isinstance(container, ContextVar):
        return ".get()"
    if is_mapping(container):
        return f"[{elements[at % (len(elements) // 2)]!r:.40}]"
    return "" if isinstance(container, set | frozenset) else f"[{at}]"
