"""The parts by which joins take values apart: those of containers, and the attributes of objects of
the user's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.mutation.users_code import is_users_class
from autograph.objects import attributes_of, put_attributes
from runtime.graph.structures import Children, Handler, Structure, structure_of
from runtime.staging.control.choices import is_token
from runtime.staging.control.optional_values import Missing
from runtime.staging.control.references import is_all_users, is_reference_class

_MOST = 64
"""Objects in each other that joins take apart."""


class OfTrace:
    """A value that a trace carries beside the user's: no name of the user's leads to it."""

    __slots__ = ()


def join_structure_of(item: Any) -> tuple[Structure, Children] | None:
    """The structure and the children of a container, or of such an object; None for others."""
    found = structure_of(item)
    if not (_is_plain(type(item)) if found is None else _is_object(found[0].kind)):
        return found
    if not _is_tree(item) or is_token(item):
        return None
    if found is not None:
        return found
    keys, children = _flatten(item)
    return Structure(type(item), keys, _OBJECT), children


def _is_plain(kind: type) -> bool:
    return is_all_users(kind) and not is_reference_class(kind)


def _is_object(kind: type) -> bool:
    """Whether it is a class of objects that may be in themselves, as dataclasses are."""
    return is_users_class(kind) and not issubclass(kind, tuple) and not is_reference_class(kind)


def _is_tree(item: Any, above: tuple[int, ...] = ()) -> bool:
    """Whether no object is in itself."""
    while isinstance(item, Missing):
        item = item.held
    if id(item) in above or len(above) > _MOST:
        return False
    found = structure_of(item)
    if found is not None:
        parts: Sequence[Any] = found[1]
    elif _is_plain(type(item)):
        parts = _flatten(item)[1]
    else:
        return True
    return all(_is_tree(part, (*above, id(item))) for part in parts)


def _flatten(item: Any) -> tuple[Any, Children]:
    state = attributes_of(item) or {}
    return tuple(state), list(state.values())


def _build(kind: type, keys: Sequence[str], children: Children) -> Any:
    made: Any = object.__new__(kind)
    put_attributes(made, dict(zip(keys, children, strict=True)))
    return made


_OBJECT = Handler(_flatten, _build, ".{}")
