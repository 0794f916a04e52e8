"""What NumPy does where a number fails, `np.errstate(divide="raise")`: as an entry of a mapping."""

from __future__ import annotations

import warnings
from typing import Any, TypeAlias

import numpy as np

State: TypeAlias = tuple[tuple[str, Any], ...]
"""What is done, for each kind of failure."""


def state_now() -> State:
    """Returns NumPy's state."""
    return tuple(np.geterr().items())


class _Kept:
    """Whether a state is that of the thread."""

    def get(self, state: State, default: Any = None) -> bool:
        """Returns whether it is, now."""
        return state_now() == state


KEPT = _Kept()


class Around:
    """The state around a trace, before it has changed it."""

    __slots__ = ("_filters", "errors")

    def __init__(self) -> None:
        self.errors = state_now()
        self._filters = warnings.filters

    def catches_warnings(self) -> bool:
        """True if `warnings.catch_warnings` has begun since, and does not ignore those of NumPy."""
        if warnings.filters is self._filters:
            return False
        actions = (item[0] for item in warnings.filters if issubclass(RuntimeWarning, item[2]))
        return next(actions, "default") != "ignore"
