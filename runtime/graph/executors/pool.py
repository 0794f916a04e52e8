"""The arrays that a program keeps between calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class Pool:
    """Arrays of these types, which calls take and give back.

    A call has them for itself: another thread, and a call inside of the call, gets others. Those of
    a call that raises are lost.
    """

    def __init__(self, types: Sequence[Any]) -> None:
        self._types = types
        self._waiting: list[tuple[Any, ...]] = []
        self.give = self._waiting.append

    def take(self) -> tuple[Any, ...]:
        """The arrays of a call that is over, or new ones."""
        try:
            return self._waiting.pop()
        except IndexError:
            return tuple([np.empty(type.shape, type.dtype.np_dtype) for type in self._types])
