"""The base of what stands for a value of the user's."""

from __future__ import annotations

import sys
from types import CodeType
from typing import Any

from runtime.staging.frames import is_ours


class StandIn:
    """The library reads the attributes of what stands for a value, code of the user's those of the
    value itself: these may have the same names. So do functions in C that the library calls for the
    user, such as `getattr`: it reads only what its code names.
    """

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__") or _names(sys._getframe(1).f_code, name):
            return object.__getattribute__(self, name)
        return object.__getattribute__(self, "member")(name)

    def member(self, name: str) -> Any:
        """The attribute of the value for which this stands."""
        raise NotImplementedError


def _names(code: CodeType, name: str) -> bool:
    """Whether it is code of the library that reads an attribute of this name itself."""
    return is_ours(code.co_filename) and (name in code.co_names or name in code.co_consts)


def member_of(item: Any, name: str) -> Any:
    """Returns `item.name` as code of the user's reads it."""
    return item.member(name) if isinstance(item, StandIn) else getattr(item, name)
