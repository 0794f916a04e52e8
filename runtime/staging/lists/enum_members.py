"""Members of an `Enum` by their values, of which only the run knows one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from enum import Enum, EnumMeta, Flag
from typing import Any

import autograph
from autograph.library_code import asking
from runtime.staging.lists.keys import is_staged


def enum_class(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for an `Enum`; None for anything else, for one of flags, and for one
    with values that it finds itself.
    """
    if not isinstance(function, EnumMeta) or issubclass(function, Flag):
        return None
    if function._missing_.__func__ is not Enum._missing_.__func__:  # type: ignore[attr-defined]
        return None
    return functools.partial(_member, function)


def _member(kind: Any, *args: Any, **kwargs: Any) -> Any:
    if len(args) != 1 or kwargs or not is_staged(args[0]):
        return kind(*args, **kwargs)
    # With other names of a member, which have its value.
    members = {member.value: member for member in kind}
    return autograph.call(_lookup())(members, args[0], kind.__qualname__)


@asking
def _lookup() -> Callable[..., Any]:
    def lookup(members: dict[Any, Any], value: Any, name: str) -> Any:
        if value in members:
            return members[value]
        raise ValueError(f"{value!r} is not a valid {name}")

    return lookup
