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
    if not any(map(_is_array, values)):
        return values
    if state.trace is not None:
        state.trace.forget_frames()
    counts = [_references(values, at) for at in range(len(values))]
    ours = _held_by_us(values, sys._getframe(1))
    users = _variables_of_users(sys._getframe(1))
    return tuple(
        [
            _held(value)
            if count > _ALONE + ours.count(id(value))
            or users.count(id(value)) > 1
            or _is_view(value)
            else value
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
            if _is_array(value):
                found.append(id(value))
            elif type(value) is tuple and id(value) not in tuples:
                found += {id(item) for item in value}
                tuples.add(id(value))
        frame = frame.f_back
    return found


def _variables_of_users(frame: FrameType | None) -> list[int]:
    """The identities of the arrays in variables of the user's functions: from Python 3.14 on, a
    parameter does not count where the caller's variable does.
    """
    found: list[int] = []
    while frame is not None:
        code = frame.f_code
        if not is_ours(code.co_filename):
            own = set(code.co_varnames).difference(code.co_cellvars)
            variables = frame.f_locals.items()
            found += [id(value) for name, value in variables if _is_array(value) and name in own]
        frame = frame.f_back
    return found


def _is_array(value: Any) -> bool:
    return type(value) is np.ndarray


def _is_view(value: Any) -> bool:
    """Whether others may see the memory of an array."""
    if not _is_array(value) or value.base is None:
        return False
    return not _is_array(value.base) or sys.getrefcount(value.base) > _OF_BASE


def _held(value: Any) -> Any:
    if not _is_array(value):
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
"""The count of an array that a variable and one tuple hold."""

_ROW = np.zeros((1, 1))[0]
_OF_BASE = sys.getrefcount(_ROW.base)
"""The count of the memory of an array that only this array holds."""
