"""The observers that each thread tells of what generated code calls; coverage, which looks on."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

Function: TypeAlias = Callable[..., Any]
Observer: TypeAlias = Callable[[Function, tuple[Any, ...]], Function | None]


class _Thread(threading.local):
    def __init__(self) -> None:
        self.observers: tuple[Observer, ...] = ()
        self.unconverted = 0


this_thread = _Thread()


def coverage_runs() -> bool:
    """Whether coverage is running just now."""
    coverage: Any = sys.modules.get("coverage")
    return coverage is not None and coverage.Coverage.current() is not None
