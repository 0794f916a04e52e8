"""`a, *rest, z = items`."""

from __future__ import annotations

from typing import Any

from autograph.backend import asked, backend_of
from autograph.frames import hiding
from autograph.operators.growing import growing


@hiding
def starred(items: Any, before: int, after: int = 0) -> Any:
    """Returns what is assigned: items, the list of the star, and the items behind it.

    A backend is asked for it by `taken_apart`.
    """
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
