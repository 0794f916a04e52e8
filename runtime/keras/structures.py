"""Keras' functions of structures know Python's own lists and dicts: while a function is traced,
others stand for them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from runtime.staging.lists.growing_dict import GrowingDict
from runtime.staging.lists.growing_list import GrowingList

_OF_STRUCTURES = (
    *("is_nested", "traverse", "flatten", "flatten_with_path", "map_structure", "lists_to_tuples"),
    *("map_structure_up_to", "assert_same_structure", "assert_same_paths", "pack_sequence_as"),
    "map_shape_structure",
)


def install(implementation: Any) -> None:
    """Let the functions of this module of Keras' be given what stands for lists and dicts."""
    for name in _OF_STRUCTURES:
        setattr(implementation, name, _of_known(getattr(implementation, name)))


def _of_known(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*structures: Any, **options: Any) -> Any:
        return function(*map(known, structures), **options)

    return run


def known(item: Any) -> Any:
    """The same structure, of Python's own lists and dicts where their items are known."""
    kind = type(item)
    if kind in (GrowingDict, GrowingList) and item.staged is not None:
        return item
    if kind in (GrowingDict, dict):
        return {key: known(each) for key, each in item.items()}
    if kind is GrowingList:
        return list(map(known, item))
    return kind(map(known, item)) if kind in (list, tuple) else item
