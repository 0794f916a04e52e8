"""Plain data, of which the parameters of nodes are made, so that a graph can be printed, compared
and saved by whoever has neither the tracer nor the user's code.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from runtime.core.dataclasses import dataclass
from runtime.core.types import ListType, NumberType, ObjectType, ResidualsType, TensorType
from runtime.dtypes import DType

_ATOMS = frozenset((
    *(type(None), bool, int, float, complex, str, bytes, np.ndarray, DType),
    *(TensorType, NumberType, ListType, ResidualsType, ObjectType),
))  # fmt: skip


class Record:
    """Base of the classes whose instances are data: frozen, and made of `parts` that are data."""

    __slots__ = ()

    def parts(self) -> Iterable[Any]:
        """The data in it."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class Opaque(Record):
    """An object of this process, which is no data: a graph holds it by reference. It cannot be
    saved.
    """

    item: Any

    def __repr__(self) -> str:
        return repr(self.item)


def is_data(value: Any) -> bool:
    """True if a parameter is plain data: numbers, texts, arrays, dtypes, types, tuples, lists and
    dicts of them, records, or a resource (a variable, a sequence of random numbers).
    """
    kind = type(value)
    if kind in _ATOMS:
        return True
    if kind is tuple or kind is list:
        return all(map(is_data, value))
    if kind is dict:
        return all(map(is_data, value)) and all(map(is_data, value.values()))
    if isinstance(value, Record):
        return all(map(is_data, value.parts()))
    return isinstance(value, np.generic) or getattr(kind, "is_resource", False) is True


def as_data(item: Any) -> Any:
    """The item, held by reference where it is no data."""
    return item if is_data(item) else Opaque(item)
