"""NumPy arrays as the initial state of a staged loop.

The loop carries a tensor in place of the array. If the loop's variable is the only reference to the
array, this makes no difference. If there are others (another variable, a list, a view), they would
have to show what the loop assigns to items of the array, which a graph cannot do: such an
assignment is refused.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import numpy as np

from runtime.core.state import state
from runtime.ops import convert_to_tensor
from runtime.staging.aliasing.sharing import ARRAY, hold
from runtime.staging.frames import is_ours


def entered(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the values that a loop begins with: arrays that others see are symbols, and keep
    their items.
    """
    if not any(type(value) is np.ndarray for value in values):
        return values
    if state.trace is not None:
        state.trace.forget_frames()
    counts = [_references(values, at) for at in range(len(values))]
    ours = _held_by_us(values, sys._getframe(1))
    return tuple(
        [
            _held(value) if count > _ALONE + ours.count(id(value)) or _is_view(value) else value
            for value, count in zip(values, counts, strict=True)
        ]
    )


def _held_by_us(values: tuple[Any, ...], frame: FrameType | None) -> list[int]:
    """The identities of what the library's own frames hold, down to the user's: by a variable, or
    in a tuple of the loop's values other than this one.
    """
    found: list[int] = []
    tuples = {id(values)}
    while frame is not None and is_ours(frame.f_code.co_filename):
        for value in frame.f_locals.values():
            if type(value) is np.ndarray:
                found.append(id(value))
            elif type(value) is tuple and id(value) not in tuples:
                found += {id(item) for item in value}
                tuples.add(id(value))
        frame = frame.f_back
    return found


def _is_view(value: Any) -> bool:
    """Whether others may see the memory of an array."""
    if type(value) is not np.ndarray or value.base is None:
        return False
    return type(value.base) is not np.ndarray or sys.getrefcount(value.base) > _OF_BASE


def _held(value: Any) -> Any:
    if type(value) is not np.ndarray:
        return value
    made = convert_to_tensor(value)
    hold(made, ARRAY)
    return made


def _references(values: tuple[Any, ...], at: int) -> int:
    return sys.getrefcount(values[at])


def _of_variable() -> int:
    array = np.zeros(1)
    return _references((array,), 0)


_ALONE = _of_variable()
"""What is counted for an array that a variable and one tuple hold."""

_ROW = np.zeros((1, 1))[0]
_OF_BASE = sys.getrefcount(_ROW.base)
"""What is counted for the memory of an array that only this array holds."""
