"""The turns of several threads that are about to trace.

One thread traces at a time: what it changes in Python objects, variables that it creates among
them, would look to another one like changes of its own. But none waits for long for a thread that
traces something else and does not get on, since that may wait for this one; and none at all for the
trace of a thread that waits for its own.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from runtime.core.locks import in_child
from runtime.core.state import active_traces

PATIENCE = 0.25
"""Seconds that others wait for a thread which adds nothing to what it traces."""

_changed = threading.Condition()
_tracing: dict[int, list[Any]] = {}
_waiting: dict[int, Any] = {}
_seen: dict[int, tuple[Any, float]] = {}
_NOWHERE = object()


def _forget_others() -> None:
    """Take the turns of a forked process: the other threads are not there."""
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
def turn(wanted: Any) -> Iterator[None]:
    """Within it this thread makes the trace that is `wanted`, a function and a key; it may enter
    when no other one makes it.
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
    makers = _makers(wanted)
    if makers:
        return not any(_waits_for(thread, me) for thread in makers)
    return not own and any([_gets_on(thread) for thread in _tracing])


def _makers(wanted: Any) -> list[int]:
    """The threads that make a trace."""
    return [thread for thread, made in _tracing.items() if wanted in made]


def _waits_for(thread: int, me: int) -> bool:
    """True if a thread waits for traces that end only when this one goes on."""
    if thread == me or thread not in _waiting:
        return thread == me
    makers = _makers(_waiting[thread])
    return any(_waits_for(maker, me) for maker in makers if maker != thread)


def _gets_on(thread: int) -> bool:
    """True if a thread has added to its trace of late."""
    trace, now = active_traces.get(thread), monotonic()
    place = None if trace is None else (id(trace.scope), len(trace.scope.nodes))
    seen, since = _seen.get(thread, (_NOWHERE, now))
    if seen != place:
        _seen[thread] = place, now
    return seen != place or now - since < PATIENCE
