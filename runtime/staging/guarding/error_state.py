"""The failures of numbers that NumPy raises or tells, `np.errstate`: as an entry of a mapping."""

from __future__ import annotations

import warnings
from typing import Any, TypeAlias

import numpy as np

State: TypeAlias = tuple[tuple[str, Any], ...]
"""The ways in which NumPy treats each kind of failure."""


def state_now() -> State:
    """Returns NumPy's state."""
    return tuple(np.geterr().items())


class _ErrorStates:
    """Whether a state is that of the thread."""

    def get(self, state: State, default: Any = None) -> bool:
        """Returns whether it is, now."""
        return state_now() == state


KEPT = _ErrorStates()


class ErrorStateAround:
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
