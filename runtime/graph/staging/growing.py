"""The contents of a list that may grow: Python's items, or, once their number is known at run time
only, lists of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from runtime.graph.list_nodes import LENGTH
from runtime.graph.nodes import apply
from runtime.graph.scopes import active


class StagedItems:
    """The items of a list of the graph.

    `element` is the Spec that each of them has; for each value that one is carried by, `columns`
    has the symbol of a list.
    """

    __slots__ = ("columns", "element")

    def __init__(self, element: Any, columns: Iterable[Any]) -> None:
        self.element = element
        self.columns = tuple(columns)

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
        staged = self.staged
        if staged is None:
            return list.__len__(self)
        active(staged.columns[0])
        return apply(LENGTH, staged.columns[0])

    def content(self) -> tuple[Any, list[Any]]:
        """The number of items, and the items; of a staged list the Spec of an item, and the
        columns.
        """
        staged = self.staged
        if staged is not None:
            return staged.element, list(staged.columns)
        return list.__len__(self), list(list.__iter__(self))

    def fill(self, keys: Any, children: Sequence[Any]) -> None:
        """Put into it what `content` says."""
        items = children if isinstance(keys, int) else (StagedItems(keys, children),)
        list.__setitem__(self, slice(None), items)
