"""`a, *rest, z = items`, and `f(*items)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.backend import asked, backend_of
from autograph.frames import hiding
from autograph.operators.comprehensions import listed, of_generator
from autograph.operators.growing import growing


@hiding
def starred(items: Any, before: int, after: int = 0) -> Any:
    """Returns what is assigned: items, the list of the star, and the items behind it.

    A backend is asked for it by `taken_apart`.
    """
    given = of_generator(items)
    if given is not None:
        items = listed(given)
    backend = backend_of(items)
    if backend is None:
        return taken_apart(items, before, after)
    return asked(backend, taken_apart, items, before, after)


def taken_apart(items: Any, before: int, after: int) -> list[Any]:
    """The items, of which a list has those between so many before and behind it."""
    kind = type(items)
    if not (hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")):
        raise TypeError(f"cannot unpack non-iterable {kind.__name__} object")
    found = [*items]
    count, least = len(found), before + after
    if count < least:
        text = f"not enough values to unpack (expected at least {least}, got {count})"
        raise ValueError(text)
    behind = count - after
    return [*found[:before], growing(found[before:behind]), *found[behind:]]


def given_all(function: Callable[..., Any], items: Any, /, **keywords: Any) -> Any:
    """The result of `function(*items, **keywords)`."""
    return function(*items, **keywords)


def spreading(call: Callable[[Any], Any]) -> Callable[..., Any]:
    """Returns what generated code calls for `f(*items)`: a backend is asked by `given_all`.

    Args:
        call: gives what to call for a callable.
    """

    @hiding
    def call_spread(function: Any, items: Any, /, **keywords: Any) -> Any:
        backend = backend_of(items)
        if backend is not None:
            made = backend.builtin(given_all, function, items, **keywords)
            if made is not NotImplemented:
                return made
        return given_all(call(function), items, **keywords)

    return call_spread
