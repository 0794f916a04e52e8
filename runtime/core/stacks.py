"""Threads that are fit for some work: it needs a stack, and no signals in between."""

from __future__ import annotations

import _thread
import contextvars
import ctypes
import os
import threading
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

Made = TypeVar("Made")

ENOUGH = 1 << 20
"""Bytes of a stack on which all work is done."""

LARGE = 1 << 23
"""Bytes of the stack of a thread that is made for some work."""

_making = threading.RLock()
"""Held while a thread starts. A signal handler may come in between, and fork."""

if hasattr(os, "register_at_fork"):
    # The child has the lock, but not the thread that holds it.
    os.register_at_fork(
        before=_making.acquire, after_in_parent=_making.release, after_in_child=_making.release
    )


def on_fit_thread(make: Callable[[], Made]) -> Made:
    """`make()`, on a thread of its own where this one has a small stack, or is that of signals: an
    interrupt in an import, or of what holds a lock, would leave others waiting for ever.
    """
    if not _is_interrupted() and (stack_size() or ENOUGH) >= ENOUGH:
        return make()
    made: list[Made] = []
    raised: list[BaseException] = []

    ended = _thread.allocate_lock()
    ended.acquire()

    def work() -> None:
        try:
            made.append(make())
        except BaseException as error:
            raised.append(error)
        finally:
            ended.release()

    # Not by `threading.Thread`: what a signal handler raises while that starts would leave a lock
    # of its taken, or the thread without its entry.
    with _making:
        before = threading.stack_size(LARGE)
        try:
            # With NumPy's settings, and the other context variables, of this thread.
            _thread.start_new_thread(contextvars.copy_context().run, (work,))
        finally:
            threading.stack_size(before)
    ended.acquire()
    if raised:
        raise raised[0]
    return made[0]


def stack_size() -> int | None:
    """Bytes of the stack of this thread; None where nobody tells, and of the main thread."""
    if _is_interrupted() or os.name != "posix":
        return None
    library, thread = _library(), ctypes.c_void_p(threading.get_ident())
    if hasattr(library, "pthread_get_stacksize_np"):
        ask = library.pthread_get_stacksize_np
        ask.restype = ctypes.c_size_t
        return int(ask(thread))
    if not hasattr(library, "pthread_getattr_np"):
        return None
    # As large as a `pthread_attr_t` is, and more.
    attributes, size = ctypes.create_string_buffer(256), ctypes.c_size_t()
    if library.pthread_getattr_np(thread, attributes):
        return None
    library.pthread_attr_getstacksize(attributes, ctypes.byref(size))
    library.pthread_attr_destroy(attributes)
    return size.value


def _is_interrupted() -> bool:
    """Whether Python's handlers of signals run on this thread: on the main one alone."""
    return threading.current_thread() is threading.main_thread()


@cache
def _library() -> Any:
    return ctypes.CDLL(None)
