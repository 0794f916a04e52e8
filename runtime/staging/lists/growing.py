"""The contents of a list that may grow: Python's items, or, once their number is known at run time
only, lists of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.graph.list_nodes import LENGTH
from runtime.graph.nodes import apply
from runtime.staging.scopes import active


@dataclass(frozen=True, slots=True)
class Kind:
    """The type of a list of the graph: the Spec of its items, and their number, unless only the run
    knows it.
    """

    element: Any
    size: int | None = None


class StagedItems:
    """The items of a list of the graph.

    For each value that an item is carried by, `columns` has the symbol of a list.
    """

    __slots__ = ("columns", "kind")

    def __init__(self, kind: Kind, columns: Iterable[Any]) -> None:
        self.kind = kind
        self.columns = tuple(columns)

    @property
    def element(self) -> Any:
        """The Spec that each of the items has."""
        return self.kind.element

    def __repr__(self) -> str:
        return ", ".join([str(getattr(column, "type", column)) for column in self.columns])


class Growing(list[Any]):
    """A list of the user's that may become one of the graph.

    A staged one has a StagedItems in place of its items: who puts back what was in a list puts that
    back too.
    """

    __slots__ = ()

    @property
    def staged(self) -> StagedItems | None:
        """The contents, if they are lists of the graph."""
        if list.__len__(self) != 1:
            return None
        held = list.__getitem__(self, 0)
        return held if type(held) is StagedItems else None

    def length(self) -> Any:
        """Returns the number of its items: an int, or a staged one."""
        staged, size = self.staged, size_of(self)
        if staged is not None:
            active(staged.columns[0])
        return apply(LENGTH, staged.columns[0]) if staged is not None and size is None else size

    def content(self) -> tuple[Any, list[Any]]:
        """The number of items, and the items; of a staged list its Kind, and the columns."""
        staged = self.staged
        if staged is not None:
            return staged.kind, list(staged.columns)
        return list.__len__(self), list(list.__iter__(self))

    def fill(self, keys: Any, children: Sequence[Any]) -> None:
        """Put into it what `content` says."""
        items = children if isinstance(keys, int) else (StagedItems(keys, children),)
        list.__setitem__(self, slice(None), items)


def size_of(items: Growing) -> int | None:
    """The number of its items, unless only the run knows it."""
    staged = items.staged
    return list.__len__(items) if staged is None else staged.kind.size
