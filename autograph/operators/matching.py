"""The subject of a `match`."""

from __future__ import annotations

from typing import TypeVar

from autograph.backend import backend_of
from autograph.frames import hide
from autograph.operators.growing import is_staging

T = TypeVar("T")

_DEEPEST = 10


def subject(value: T, asks_truth: bool = False) -> T:
    """`value`, of which Python decides which case fits it.

    Args:
        asks_truth: whether a pattern is True or False.
    """
    try:
        if is_staging():
            _check(value, asks_truth, 0)
        return value
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def _check(value: object, asks_truth: bool, depth: int) -> None:
    kind = type(value)
    if kind in (tuple, list, dict) and depth < _DEEPEST:
        for part in value.values() if isinstance(value, dict) else value:  # type: ignore[attr-defined]
            _check(part, asks_truth, depth + 1)
        return
    backend = backend_of(value)
    if backend is not None:
        backend.subject(value, asks_truth)
