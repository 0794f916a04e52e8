"""Python's own lists, dicts, sets and deques, in objects from before a call, in place of those that
stand for them while a function is traced.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from autograph.backend import GlobalVariable
from autograph.mutation.snapshots import Snapshot
from autograph.mutation.users_code import is_users_class
from autograph.objects import MISSING, attributes_of, contents, put_attribute
from runtime.staging.lists.growing import Growing
from runtime.staging.outside import is_variable_of_python


def put_own_containers(snapshots: Iterable[Snapshot]) -> None:
    """Put them into what a trace has changed of what is in the snapshots."""
    known = list(snapshots)
    settling = _Settling(lambda item: any(each.knows(item) for each in known))
    for snapshot in known:
        for _, item, _, _ in snapshot.altered():
            settling.put_in(item)


class _Settling:
    """The objects that were met, by id, and those in their place: one for each."""

    def __init__(self, is_older: Callable[[Any], bool]) -> None:
        self._is_older = is_older
        self._met: dict[int, tuple[Any, Any]] = {}

    def put_in(self, item: Any) -> None:
        """Replace what is in a variable, a container or an object."""
        if is_variable_of_python(item):
            put_variable(item, self._own(contents(item)))
        elif isinstance(item, Growing):
            return
        elif isinstance(item, dict):
            dict.update(item, self._changed(dict.items(item)))
        elif isinstance(item, list | deque):
            for at, own in self._changed(enumerate(item)).items():
                item[at] = own
        else:
            for name, own in self._changed((attributes_of(item) or {}).items()).items():
                put_attribute(item, name, own)

    def _changed(self, entries: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
        pairs = [(key, value, self._own(value)) for key, value in list(entries)]
        return {key: own for key, value, own in pairs if own is not value}

    def _own(self, value: Any) -> Any:
        found = self._met.get(id(value))
        if found is not None:
            return found[1]
        if isinstance(value, Growing):
            own = value.own()
        elif type(value) is tuple:
            items = tuple(map(self._own, value))
            changed = any(a is not b for a, b in zip(items, value, strict=True))
            return items if changed else value
        elif type(value) in (list, dict, deque) or is_users_class(type(value)):
            own = value
        else:
            return value
        # Kept as long as its id is asked for.
        self._met[id(value)] = value, own
        if own is not value or not self._is_older(value):
            self.put_in(own)
        return own


def put_variable(item: Any, value: Any) -> None:
    """Give a captured or global variable a value; MISSING takes it away."""
    if value is not MISSING:
        item.cell_contents = value
    elif isinstance(item, GlobalVariable):
        item.namespace.pop(item.name, None)
    else:
        del item.cell_contents
