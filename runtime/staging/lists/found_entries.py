"""The entry of a dict under a key, of a dict that Python knows or of one of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime import ops
from runtime.staging.control import branches
from runtime.staging.control.carried_objects import also_watching
from runtime.staging.control.specs import Mismatch, types_of
from runtime.staging.lists import keys as keys_
from runtime.staging.lists.dict_entries import NO_PAIRS, misfit
from runtime.staging.lists.dict_rows import EntryTable
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.lists.growing_set import GrowingSet
from runtime.staging.lists.keys import index
from runtime.staging.lists.sequences import chosen
from runtime.staging.scopes import active


class Found:
    """The entry under a key: its place, -1 where there is none.

    Of a dict that Python knows, only the `names` are looked at that may be equal by their kinds;
    `all_keys` for a place among all of them.
    """

    def __init__(self, entries: Any, key: Any, all_keys: bool = False) -> None:
        self.entries = entries
        self.key = key
        self.values: list[Any] | None = None
        staged = None
        if isinstance(entries, EntryTable):
            keys_.check(key)
            staged = entries.staged
        if staged is None:
            items = [(keys_.plain(name), value) for name, value in dict.items(entries)]
            known = [x for x in items if all_keys or keys_.may_equal(x[0], key)]
            self.names = [name for name, _ in known]
            self.values = [value for _, value in known]
            self.place = self._place_among_names()
        elif staged.element == NO_PAIRS:
            self.place = -1
        else:
            spec = staged.element.children[0]
            columns = staged.columns[: len(list(types_of(spec)))]
            self.place = keys_.place_of(spec, columns, entries.length(), key)

    def _place_among_names(self) -> Any:
        try:
            return keys_.place_among(self.names, self.key)
        except Mismatch as mismatch:
            raise misfit(mismatch) from None

    @property
    def is_there(self) -> Any:
        """Whether there is one."""
        return self.place >= 0

    def value(self) -> Any:
        """The value under the key, which is there."""
        if self.values is None:
            return self.entries.value_at(index(self.place), self.key)
        return chosen(self.values, ops.maximum(self.place, 0))

    def taken(self) -> Any:
        """The value under the key, which is taken out."""
        if self.values is None and self.entries.has_lists:
            return self.entries.owned_at(index(self.place))
        return self.value()

    def value_or(self, default: Callable[[], Any]) -> Any:
        """The value under the key, or the default value."""
        is_there = self.is_there
        if is_there is False:
            return default()
        if self.values is None and self.entries.has_lists:
            return self._list_or(default())
        if self.values is not None and any(isinstance(value, list) for value in self.values):
            return self.among(self.values, default())
        watch = also_watching(active().watch, (default,))
        return branches.cond(is_there, self.value, default, (), ("the entry",), watch)

    def among(self, values: list[Any], default: Any) -> Any:
        """The one of these values that is under the key, or the default value."""
        return chosen([*values, default], ops.where(self.is_there, self.place, len(values)))

    def _list_or(self, default: Any) -> Any:
        if type(default) is set:
            default = GrowingSet(default)
        if isinstance(default, GrowingList):
            default.share()
        image = self.entries.image_at
        return branches.cond(
            self.is_there, lambda: image(index(self.place)), lambda: default, (), ("the entry",)
        )

    def check(self, key: Any) -> None:
        """Raise KeyError, at run time, where there is none."""
        keys_.check_there(self.place < 0, key)
