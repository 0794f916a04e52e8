"""Locks that a forked process begins with afresh: the threads that held them are not there."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar

L = TypeVar("L")


def in_child(forget: Callable[[], Any]) -> None:
    """Let this be done in each process that is forked."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)


def _renewed(lock: Any) -> Any:
    in_child(lock._at_fork_reinit)
    return lock


def process_lock() -> threading.Lock:
    """A lock of the process, for a module to keep."""
    return _renewed(threading.Lock())  # type: ignore[no-any-return]


def process_rlock() -> Any:
    """The same for one that a thread may take again."""
    return _renewed(threading.RLock())
