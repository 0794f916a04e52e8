"""Python's collector of reference cycles, which rests while much is made that stays: it would look
at the same objects again and again, and free nothing.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Within, nothing is collected: for imports, in which no code of the user's runs. What there is
    at the end counts as old: collections of what is young do not look at it.

    Where there are several threads, nothing is different: another one may fork, and in the child
    nobody would end the pause.
    """
    if not gc.isenabled() or threading.active_count() > 1:
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        if not gc.get_freeze_count():
            # Out of all generations, and into the oldest one.
            gc.freeze()
            gc.unfreeze()
