"""Mutual exclusion of threads that trace.

One thread traces at a time, since a trace looks for changes of Python objects (new variables among
them), and would take those of another thread for its own. There are no deadlocks: a thread waits
for the trace that it needs unless the thread that makes it waits for this one, and for other traces
only as long as their threads make progress, since they may be waiting for this one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from runtime.core.locks import in_child
from runtime.core.state import active_traces

PATIENCE = 2.0
"""Seconds after which a thread that adds no node to its trace, and computes nothing, makes no
progress.
"""

LONG = 15
"""Times that, after which one that computes without a node makes none: it may be asking again and
again for what another thread does.
"""

_SHARE = 0.01
"""Of the time, what a thread computes at least: one that waits for another does less."""

_changed = threading.Condition()
_tracing: dict[int, list[Any]] = {}
_waiting: dict[int, Any] = {}
_seen: dict[int, tuple[Any, float, float, float]] = {}
_NOWHERE = object()


def _forget_others() -> None:
    """Start anew in a forked process, which has none of the other threads."""
    global _changed
    me = threading.get_ident()
    _changed = threading.Condition()
    own = _tracing.get(me)
    for noted in (_tracing, _waiting, _seen):
        noted.clear()
    if own:
        _tracing[me] = own


in_child(_forget_others)


@contextmanager
def tracing_lock(wanted: Any) -> Iterator[None]:
    """A context in which this thread makes the trace that is `wanted`, a function and a key. It
    waits for other threads first.
    """
    me = threading.get_ident()
    with _changed:
        _waiting[me] = wanted
        try:
            while _must_wait(me, wanted):
                _changed.wait(PATIENCE)
        finally:
            _waiting.pop(me, None)  # a signal handler may have been here
        _tracing.setdefault(me, []).append(wanted)
    try:
        yield
    finally:
        with _changed:
            _tracing[me].pop()
            if not _tracing[me]:
                del _tracing[me]
                _seen.pop(me, None)
            _changed.notify_all()


def _must_wait(me: int, wanted: Any) -> bool:
    own = _tracing.get(me, ())
    if wanted in own:
        return False
    makers = _threads_making(wanted)
    if makers:
        return not any(_waits_for(thread, me) for thread in makers)
    return not own and any([_makes_progress(thread) for thread in _tracing])


def _threads_making(wanted: Any) -> list[int]:
    """The threads that make a trace."""
    return [thread for thread, made in _tracing.items() if wanted in made]


def _waits_for(thread: int, me: int) -> bool:
    """True if a thread waits for traces that end only when this one goes on."""
    if thread == me or thread not in _waiting:
        return thread == me
    makers = _threads_making(_waiting[thread])
    return any(_waits_for(maker, me) for maker in makers if maker != thread)


def _makes_progress(thread: int) -> bool:
    """True if a thread has added nodes to its trace within the last `PATIENCE` seconds, or has
    computed: it imports and converts what it traces, or runs other Python. A loaded machine gives
    it little time.
    """
    trace, now, work = active_traces.get(thread), monotonic(), _computed(thread)
    place = None if trace is None else (id(trace.scope), len(trace.scope.nodes))
    seen, since, looked, before = _seen.get(thread, (_NOWHERE, now, now, work))
    if seen != place:
        _seen[thread] = place, now, now, work
        return True
    if now - looked < PATIENCE:
        return True
    if work - before < _SHARE * (now - looked) or now - since > LONG * PATIENCE:
        return False
    _seen[thread] = place, since, now, work
    return True


def _computed(thread: int) -> float:
    """The seconds for which a thread, which is alive, has computed; 0 where nobody tells them."""
    clock = getattr(time, "pthread_getcpuclockid", None)
    return 0.0 if clock is None else time.clock_gettime(clock(thread))
