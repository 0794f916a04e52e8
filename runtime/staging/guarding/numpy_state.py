"""NumPy's settings of a thread, `np.errstate` and `np.printoptions`, as they are around a trace."""

from __future__ import annotations

import warnings
from typing import Any, TypeAlias

import numpy as np

ErrorState: TypeAlias = tuple[tuple[str, Any], ...]
"""The way in which NumPy treats each kind of failure."""


def error_state() -> ErrorState:
    """Returns NumPy's state."""
    return tuple(np.geterr().items())


class _ErrorStates:
    """Whether a state is that of the thread."""

    def get(self, state: ErrorState, default: Any = None) -> bool:
        """Returns whether it is, now."""
        return error_state() == state


ERROR_STATES = _ErrorStates()


class SettingsAround:
    """The settings around a trace, before it has changed them."""

    __slots__ = ("_filters", "_print_options", "errors")

    def __init__(self) -> None:
        self.errors = error_state()
        self._print_options = np.get_printoptions()
        self._filters = warnings.filters

    def catches_warnings(self) -> bool:
        """True if `warnings.catch_warnings` has begun since, and does not ignore those of NumPy."""
        if warnings.filters is self._filters:
            return False
        actions = (item[0] for item in warnings.filters if issubclass(RuntimeWarning, item[2]))
        return next(actions, "default") != "ignore"

    def shows_otherwise(self) -> bool:
        """True if arrays have another text now."""
        return np.get_printoptions() != self._print_options
