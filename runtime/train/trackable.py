"""The objects that a checkpoint follows: variables and their holders, by the names in a holder.

An object of another class takes part by a method `_trackable_children()`, which returns a dict from
names to the objects in it, by the variable that it is read from, its `held_variable`, or, with a
state that is one array, by methods `_begin_saving()`, `_saved_array()` and `_restore_array(array)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runtime.variables.module import Module
from runtime.variables.variable import Variable

Children = Mapping[str, Any]


def is_trackable(item: Any) -> bool:
    """True if a checkpoint can hold it: something with a value, or that may hold such things."""
    return has_value(_held(item)) or _has_children(item)


def has_value(item: Any) -> bool:
    """True for a variable, and for another object whose state is one array."""
    return isinstance(item, Variable) or hasattr(type(item), "_saved_array")


def _held(item: Any) -> Any:
    """The variable that an object is read from, else the object."""
    return item.held_variable if hasattr(type(item), "held_variable") else item


def _has_children(item: Any) -> bool:
    if isinstance(item, type):
        return False
    return isinstance(item, Module | list | tuple | dict) or hasattr(item, "_trackable_children")


def children(item: Any) -> Children:
    """The objects in an object, by name; those of a list or tuple by their places.

    Raises ValueError for a dict with an object under a key that is no name.
    """
    if has_value(item):
        return {}
    if hasattr(item, "_trackable_children"):
        found: Children = item._trackable_children()
    elif isinstance(item, dict):
        found = item
    elif isinstance(item, list | tuple):
        found = {str(at): part for at, part in enumerate(item)}
    else:
        found = vars(item)
    kept = {name: _held(part) for name, part in found.items() if is_trackable(part)}
    for name in kept:
        if not isinstance(name, str):
            raise ValueError(
                f"a checkpoint knows what is in a dict by its keys, which must be texts: {name!r} "
                f"is a {type(name).__name__}, write {str(name)!r}"
            )
    return kept


def walk(root: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each object in `root` once, breadth first, with the names on the shortest way to it."""
    seen = {id(root)}
    waiting: list[tuple[tuple[str, ...], Any]] = [((), root)]
    for path, item in waiting:
        yield path, item
        for name, part in sorted(children(item).items()):
            if id(part) not in seen:
                seen.add(id(part))
                waiting.append(((*path, name), part))
