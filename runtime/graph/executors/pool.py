"""The arrays, and lists, that a program keeps between calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.types import ListType, Type


class Pool:
    """Arrays and empty lists of these types, which calls take and give back.

    A call has them for itself: another thread, and a call inside of the call, gets others. Those of
    a call that raises are lost.
    """

    def __init__(self, types: Sequence[Type]) -> None:
        self._types = types
        self._lists = [at for at, type in enumerate(types) if isinstance(type, ListType)]
        self._waiting: list[tuple[Any, ...]] = []
        self.give = self._give if self._lists else self._waiting.append

    def take(self) -> tuple[Any, ...]:
        """The arrays of a call that is over, or new ones."""
        try:
            return self._waiting.pop()
        except IndexError:
            return tuple(map(_made, self._types))

    def _give(self, arrays: tuple[Any, ...]) -> None:
        for at in self._lists:
            arrays[at].clear()
        self._waiting.append(arrays)


def _made(type: Any) -> Any:
    return [] if isinstance(type, ListType) else np.empty(type.shape, type.dtype.np_dtype)
