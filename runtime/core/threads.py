"""The number of threads that one op may use: a setting of the process."""

from __future__ import annotations

import os
from collections.abc import Callable

_followers: list[Callable[[int], None]] = []


class _Threads:
    chosen = 0


def available() -> int:
    """The threads that there are for one op where none are asked for: the CPUs of this process, or
    fewer, if OMP_NUM_THREADS says so.
    """
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(cpus, int(asked)) if asked.isdecimal() and int(asked) else cpus


def count() -> int:
    """The threads that one op may use."""
    return _Threads.chosen or available()


def choose(number: int) -> None:
    """Let one op use so many threads; 0 stands for those that there are."""
    _Threads.chosen = number
    for follow in _followers:
        follow(count())


def follow(change: Callable[[int], None]) -> None:
    """Have a function called with the number, now and whenever it changes."""
    _followers.append(change)
    change(count())
