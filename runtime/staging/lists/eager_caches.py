"""Caches of pure functions from before: what `functools.lru_cache` remembers of eager calls is
compared with what the function gives now, for a global number that it reads may have been another
one.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from types import CellType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary, ref

from autograph.mutation.purity import constants_of
from autograph.objects import contents


class EagerCache:
    """The cache of a pure function from before, and the constants that staged calls have read."""

    def __init__(self, cached: Any, constants: list[Any]) -> None:
        self._cached = ref(cached)
        self._constants = constants
        self._entries = _inside(cached)[1]
        self._compared: tuple[Any, ...] | None = None

    def get(self, key: str, default: Any) -> bool:
        """As the only item of a mapping, for guards: whether staged calls may remember anew."""
        cached = self._cached()
        return cached is None or self.difference(cached) is None

    def difference(self, cached: Any) -> tuple[str, str] | None:
        """The message and the way out, if it would not give now what it has given."""
        name = cached.__name__
        if constants_of(cached) != self._constants:
            return (
                f"{name}() is remembered from before, and reads a global or captured variable, a "
                "default value or a function that is another one than in an earlier staged call",
                f"make what changes an argument, or call {name}.__wrapped__",
            )
        filled = self._filled(cached)
        # What is nowhere but in the function itself has no other value.
        if filled == self._compared or len(self._constants) == 1:
            return None
        if not gives_what_it_remembers(cached):
            return (
                f"{name}() remembers what it gave to eager calls, when a global or captured "
                "variable, a default value or a function that it reads was another one",
                f"call {name}.cache_clear() before, or {name}.__wrapped__",
            )
        self._compared = filled
        return None

    def _filled(self, cached: Any) -> tuple[Any, ...]:
        """It differs from before if a call has filled the cache, or emptied it."""
        entries = self._entries
        return cached.cache_info().misses, next(iter(entries.items()), None), _last(entries)


known: WeakKeyDictionary[Any, EagerCache] = WeakKeyDictionary()


def cache_of(cached: Any) -> EagerCache | None:
    """The cache of a function that `lru_cache` has made; None for one that is not pure."""
    if cached not in known:
        constants = constants_of(cached)
        if constants is None or cached.cache_parameters()["typed"]:
            return None
        known[cached] = EagerCache(cached, constants)
    return known[cached]


def gives_what_it_remembers(cached: Any) -> bool:
    """Whether a pure function gives now what it remembers of each call.

    >>> import functools
    >>> step = 1
    >>> @functools.lru_cache
    ... def following(n):
    ...     return n + step
    >>> following(3)
    4
    >>> gives_what_it_remembers(following)
    True
    """
    anew = _anew(cached)
    try:
        return all(
            _is_same(anew(*args, **kwargs), result) for args, kwargs, result in _calls(cached)
        )
    except Exception:  # where it gave a result
        return False


def _anew(cached: Any) -> Callable[..., Any]:
    """The function, which calls itself where it would call the cached one."""
    function = cached.__wrapped__
    if not isinstance(function, FunctionType):
        return _anew(function)
    around = dict(function.__globals__)
    cells = [contents(cell) for cell in function.__closure__ or ()]
    made: Any = CellType()
    closure = [
        made if held is cached else cell
        for held, cell in zip(cells, function.__closure__ or (), strict=True)
    ]
    copy = FunctionType(
        function.__code__, around, function.__name__, function.__defaults__, tuple(closure)
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    anew = made.cell_contents = functools.cache(copy)
    around.update({name: anew for name, held in around.items() if held is cached})
    return anew


def _last(entries: dict[Any, Any]) -> Any:
    return next(reversed(entries.items()), None)


def _calls(cached: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any], Any]]:
    """Yields the arguments and the result of each call that is remembered."""
    found, entries, mark = _inside(cached)
    for key, result in found or entries.items():
        yield *_arguments(key, mark), result


def _inside(cached: Any) -> tuple[list[tuple[Any, Any]], dict[Any, Any], object]:
    """The keys and results of a cache of a limited size, its dict, which has them itself in one
    without a limit, and the object that is before arguments by name.

    Python shows them to the collector of garbage alone: the class of the function, each key, its
    result and the class of links, and behind these the dict, the function and the object.
    """
    inside, at = gc.get_referents(cached), 1
    found = []
    while _is_class_of_links(inside[at + 2]):
        found.append((inside[at], inside[at + 1]))
        at += 3
    entries, _, mark = inside[at : at + 3]
    assert type(entries) is dict
    assert len(entries) == cached.cache_info().currsize
    return found, entries, mark


def _is_class_of_links(item: Any) -> bool:
    return type(item) is type and item.__name__ == "_lru_list_elem"


def _arguments(key: Any, mark: object) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call: the key alone, or in a tuple with names and values behind `mark`."""
    if type(key) is not tuple:
        return (key,), {}
    end = next((at for at, each in enumerate(key) if each is mark), len(key))
    return key[:end], dict(zip(key[end + 1 :: 2], key[end + 2 :: 2], strict=True))


def _is_same(now: Any, before: Any) -> bool:
    if type(now) is tuple and type(before) is tuple:
        return len(now) == len(before) and all(map(_is_same, now, before))
    return type(now) is type(before) and bool(now == before or (now != now and before != before))
