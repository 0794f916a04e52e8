"""`for` with a stop condition, in the stages before it becomes a `for_loop`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from autograph.backend import Thunk
from autograph.frames import hide

T = TypeVar("T")


def until(items: Iterable[T], stopped: Thunk) -> Iterator[T]:
    """The items up to the first after which `stopped()` is true; no further one is fetched."""
    try:
        for item in items:
            yield item
            if stopped():
                return
    except Exception as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise
