"""Whether functions run as plain Python, op by op, or as graphs."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import Any

from runtime.core.settings import changes_settings


class _Here(threading.local):
    """The setting of the innermost open block on this thread."""

    eager: bool | None = None


class Mode:
    """The setting of the process: the default, and how many blocks are open on any thread."""

    eager = False
    blocks = 0
    graphs: list[Any] | None = None
    """The graphs that were called, where somebody wants to know."""
    lock = threading.Lock()


_here = _Here()


@changes_settings
class run_functions_eagerly(AbstractContextManager[None]):
    """Make every `function` run as plain Python (True) or as a graph (False), until told otherwise.

    As a context manager, `with run_functions_eagerly(True):`, it holds for the block, on its
    thread.

    >>> with rt.config.run_functions_eagerly(True):
    ...     rt.config.functions_run_eagerly()
    True
    """

    def __init__(self, run_eagerly: bool) -> None:
        self._eager = bool(run_eagerly)
        self._before = _here.eager, Mode.eager
        if _here.eager is None:
            Mode.eager = self._eager
        else:
            _here.eager = self._eager

    def __enter__(self) -> None:
        _here.eager = self._eager
        Mode.eager = self._before[1]
        with Mode.lock:
            Mode.blocks += 1

    def __exit__(self, *exception: object) -> None:
        _here.eager = self._before[0]
        with Mode.lock:
            Mode.blocks -= 1


def functions_run_eagerly() -> bool:
    """Returns True if functions are run as plain Python at present.

    >>> rt.config.functions_run_eagerly()
    False
    """
    here = _here.eager
    return Mode.eager if here is None else here
