"""The base of what stands for a value of the user's."""

from __future__ import annotations

import sys
from typing import Any

from runtime.staging.frames import is_ours


class StandIn:
    """The library reads the attributes of what stands for a value, code of the user's those of the
    value itself: these may have the same names.
    """

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__") or is_ours(sys._getframe(1).f_code.co_filename):
            return object.__getattribute__(self, name)
        return object.__getattribute__(self, "member")(name)

    def member(self, name: str) -> Any:
        """The attribute of the value for which this stands."""
        raise NotImplementedError


def member_of(item: Any, name: str) -> Any:
    """Returns `item.name` as code of the user's reads it."""
    return item.member(name) if isinstance(item, StandIn) else getattr(item, name)
