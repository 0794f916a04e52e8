"""The OrderedDict that stands for one of the user's while a function is traced."""

from __future__ import annotations

import functools
from collections import OrderedDict
from typing import Any

from runtime.staging.control import logic
from runtime.staging.lists.growing_dict import MAKING, GrowingDict, made_of, register
from runtime.staging.lists.list_builtins import listed


class GrowingOrderedDict(GrowingDict):
    """An OrderedDict of the user's: dicts have an order, too, and this one's may be changed."""

    __slots__ = ()

    def move_to_end(self, key: Any, last: bool = True) -> None:
        """Take an entry to the end, or to the beginning. KeyError where there is none."""
        value = self.pop(key)
        if last:
            self[key] = value
            return
        others = self.copied()
        self.clear()
        self[key] = value
        self.update(others)

    def popitem(self, last: bool = True) -> Any:
        """Take the last entry out, or the first one. KeyError where there is none."""
        return self.take_item(-1 if last else 0, "dictionary is empty")

    def __eq__(self, other: object) -> Any:
        made = super().__eq__(other)
        if made is NotImplemented or not isinstance(other, OrderedDict):
            return made
        return logic.and_(made, (lambda: listed(self.keys()) == listed(other.keys()),))


MAKING[OrderedDict] = functools.partial(made_of, GrowingOrderedDict)
register(GrowingOrderedDict, OrderedDict)
