"""Collections of a graph: lists by names, of what is to be found again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any


class Collections:
    """The collections of a graph."""

    def __init__(self) -> None:
        self._collections: dict[str, list[Any]] = {}

    def add_to_collection(self, name: str, value: Any) -> None:
        """Add something to a collection.

        >>> graph = rt.Graph()
        >>> graph.add_to_collection("mine", 3)
        >>> graph.get_collection("mine")
        [3]
        """
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Iterable[str] | str, value: Any) -> None:
        """Add something to several collections, to each once.

        >>> graph = rt.Graph()
        >>> graph.add_to_collections(["mine", "yours"], 3)
        >>> graph.get_collection("yours")
        [3]
        """
        for name in dict.fromkeys((names,) if isinstance(names, str) else names):
            self.add_to_collection(name, value)

    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        """A collection; of things with names those whose beginning the pattern `scope` matches.

        >>> rt.Graph().get_collection("variables")
        []
        """
        found = list(self._collections.get(name, ()))
        if scope is None:
            return found
        begins = re.compile(scope)
        return [item for item in found if hasattr(item, "name") and begins.match(item.name)]

    def get_collection_ref(self, name: str) -> list[Any]:
        """The list itself: what is added to it is in the collection.

        >>> graph = rt.Graph()
        >>> graph.get_collection_ref("mine").append(3)
        >>> graph.get_collection("mine")
        [3]
        """
        return self._collections.setdefault(name, [])

    def get_all_collection_keys(self) -> list[str]:
        """The names of all collections that something is in.

        >>> rt.Graph().get_all_collection_keys()
        []
        """
        return [name for name, items in self._collections.items() if items]

    @property
    def collections(self) -> list[str]:
        """The names of all collections."""
        return list(self._collections)

    def clear_collection(self, name: str) -> None:
        """Take everything out of a collection.

        >>> graph = rt.Graph()
        >>> graph.add_to_collection("mine", 3)
        >>> graph.clear_collection("mine")
        >>> graph.get_collection("mine")
        []
        """
        self._collections.pop(name, None)
