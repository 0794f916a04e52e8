"""Displays of which only the run may know an item, a member or a key."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from autograph.backend import (
    Thunk,
    asked,
    backend_of,
    backend_of_key,
    backend_within,
    stand_ins,
)
from autograph.frames import hide
from autograph.operators.comprehensions import of_generator
from autograph.operators.growing import growing, is_staging


def spread(first: Any, *rest: Thunk) -> Any:
    """`[*first, *rest[0](), ...]`: staged where only the run knows how many items one has."""
    try:
        made: Any = _extended([], first)
        for thunk in rest:
            made = _extended(made, thunk())
        return made
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def tuple_spread(first: Any, *rest: Thunk) -> Any:
    """`(*first, *rest[0](), ...)`: staged where only the run knows how many items one has."""
    try:
        made = spread(first, *rest)
        backend = backend_of(made)
        return tuple(made) if backend is None else asked(backend, tuple, made)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def _extended(made: Any, items: Any) -> Any:
    """The list with these items behind it: the same one, unless it becomes a staged one."""
    if not is_staging() or not _may_be_staged(items):
        made.extend([*items])
        return made
    made = growing(made)
    made.extend(items)
    return made


def _may_be_staged(items: Any) -> bool:
    return (
        type(items) in stand_ins or backend_of(items) is not None or of_generator(items) is not None
    )


def set_spread(first: Any, *rest: Thunk) -> Any:
    """`{*first, *rest[0](), ...}`: staged where only the run knows what is in one."""
    try:
        made: Any = set()
        for thunk in (lambda: first, *rest):
            items = thunk()
            if is_staging() and (_may_be_staged(items) or _holds_staged(items)):
                made = growing(made)
            made.update(items)
        return made
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def set_of(*members: Any) -> Any:
    """The set of these."""
    try:
        if not any(map(_is_staged, members)):
            return set(members)
        made = growing(set())
        for member in members:
            made.add(member)
        return made
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def dict_of(*parts: Any) -> Any:
    """The dict of pairs, lists of a mapping that is unpacked, and functions that give these."""
    try:
        made: Any = {}
        if any(_is_staged(part[0]) for part in parts if type(part) is not FunctionType):
            made = growing(made)
        for given in parts:
            part: Any = given
            if type(part) is FunctionType:
                part = part()
                if type(made) is dict and _is_staged(part[0]):
                    made = growing(made)
            if type(part) is tuple:
                made[part[0]] = part[1]
            else:
                (mapping,) = part
                made |= {**mapping} if type(made) is dict else mapping
        return made
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def _holds_staged(items: Any) -> bool:
    if backend_within(items) is not None:
        return True
    return type(items) in (list, tuple) and any(map(_is_staged, items))


def _is_staged(key: Any) -> bool:
    return backend_of_key(key) is not None or backend_within(key) is not None
