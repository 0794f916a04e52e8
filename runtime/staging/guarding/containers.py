"""The contents of containers that guards compare: their elements, by identity, and
what arrays hold.
"""

from __future__ import annotations

import array
from abc import ABCMeta, get_cache_token
from collections import deque
from contextvars import ContextVar
from operator import is_
from typing import Any

import numpy as np

from autograph.objects import MISSING
from runtime.core.convert import ForeignArray, Frame
from runtime.staging.guarding.weak_paths import ATOMIC, MAPPINGS, Ways, is_weak, strong

MOST_ONE_BY_ONE = 32
"""Elements that are compared one by one; the identities of more are compared as bytes."""

MOST_BYTES = 1 << 18
"""The size of an array that is compared; of a larger one it is a sample."""

_SAMPLED = 512
"""The elements of an array in a sample."""

Elements = tuple[Any, ...] | bytes


_KINDS: tuple[Any, ...] = (*MAPPINGS, list, tuple, set, frozenset, deque)
_OTHERS = np.ndarray, ContextVar, ABCMeta, ForeignArray, Frame
_PLAIN = frozenset((list, tuple, set, frozenset, deque))
_BUFFERS = bytearray, array.array
COMPARED: tuple[Any, ...] = (*_BUFFERS, *_KINDS, *_OTHERS)
"""The classes of containers whose elements are compared."""


def is_mapping(value: Any) -> bool:
    """True for what has keys and values."""
    return isinstance(value, MAPPINGS)


def is_large(elements: Elements) -> bool:
    """True if these are so many that their addresses are compared."""
    return type(elements) is tuple and len(elements) > MOST_ONE_BY_ONE


def identities(container: Any) -> bytes:
    """The addresses of the elements: those of a thousand are read in 6 us, and compared at once."""
    elements = container if type(container) in _PLAIN else elements_of(container)
    return np.fromiter(elements, object, len(elements)).tobytes()


def elements_of(container: Any) -> Elements:
    """The elements of a container, keys before values; numbers and text as bytes."""
    if isinstance(container, _BUFFERS):
        return bytes(container)
    if isinstance(container, np.ndarray):
        return _elements_of_array(container)
    if isinstance(container, _OTHERS):
        return _elements_of_other(container)
    # Not the iteration of a subclass, which is the user's code.
    kind = next(kind for kind in _KINDS if issubclass(type(container), kind))
    values = kind.values(container) if kind in MAPPINGS else ()
    return (*kind.__iter__(container), *values)


def _elements_of_array(array: np.ndarray) -> Elements:
    if array.nbytes > MOST_BYTES:
        flat: Any = array.reshape(-1) if array.flags.c_contiguous else array.flat
        # An odd step, so that the sample is of all columns where their number is even.
        return bytes(flat[:: array.size // _SAMPLED | 1].tobytes() + flat[-1:].tobytes())
    return tuple(array.flat) if array.dtype.hasobject else array.tobytes()


def _elements_of_other(container: Any) -> Elements:
    if isinstance(container, ContextVar):
        return (container.get(MISSING),)
    if isinstance(container, ForeignArray):
        return _elements_of_foreign(container)
    if isinstance(container, Frame):
        return _elements_of_frame(container)
    # For which classes it stands: of all abstract base classes one number.
    return str(get_cache_token()).encode()


def _elements_of_foreign(container: Any) -> Elements:
    try:
        array = np.asarray(container)
    except (RuntimeError, TypeError):  # on another device, or part of another library's gradient
        return ()
    return _elements_of_array(array)


def _elements_of_frame(frame: Any) -> Elements:
    columns = [column for _, column in frame.items()] if frame.ndim > 1 else [frame]
    return b"".join(map(_content_of_column, columns))


def _content_of_column(column: Any) -> bytes:
    array = np.asarray(column)
    elements = _elements_of_array(array)
    if type(elements) is bytes:
        return elements
    # pandas makes some of these objects anew each time.
    return repr([item if type(item) in ATOMIC else type(item) for item in elements]).encode()


def same_elements(container: Any, known: Elements) -> bool:
    """True if the container has these elements, by identity."""
    if type(container) in _PLAIN:
        return len(container) == len(known) and all(map(is_, container, known))
    now = elements_of(container)
    if type(known) is bytes:
        return now == known
    return len(now) == len(known) and all(map(is_, now, known))


class Inside:
    """The elements of a container that an object leads to; they are not kept alive."""

    __slots__ = ("_identities", "_known", "_read", "address")

    def __init__(self, container: Any, known: Elements, ways: Ways) -> None:
        self.address = id(container)
        self._known = known if type(known) is bytes else tuple(map(ways.weak, known))
        weak = [is_weak(element) for element in self._known if type(known) is tuple]
        self._read = strong if any(weak) else None
        is_quick = is_large(known) and self._read is None
        self._identities = identities(container) if is_quick else None

    def __call__(self) -> Elements:
        """The elements that the container had."""
        return self._known if self._read is None else tuple(map(self._read, self._known))

    def holds(self, container: Any) -> bool:
        """True if this is the container, as it was."""
        if id(container) != self.address:
            return False
        if self._identities is not None:
            return identities(container) == self._identities
        return same_elements(container, self())
