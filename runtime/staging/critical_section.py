"""`CriticalSection`: functions of which one runs at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from runtime.core.state import state
from runtime.staging.explicit_control_flow import checked_callable
from runtime.staging.scopes import called


class CriticalSection:
    """Functions of which only one runs at a time, whichever thread calls it.

    In a graph it is the function alone: a run does its effects in the order of the program. What
    several threads run must be guarded where they call it, outside.

    >>> section = rt.CriticalSection()
    >>> int(section.execute(lambda: rt.constant(3)))
    3
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        self.name = name or shared_name or "critical_section"
        self._lock = threading.Lock()

    def execute(
        self,
        fn: Callable[[], Any],
        exclusive_resource_access: bool = True,
        name: str | None = None,
    ) -> Any:
        """The result of `fn()`, which runs when no other function of this section does.

        Raises ValueError for a function that enters the section that it runs in, which would wait
        for itself.

        >>> counter = rt.Variable(0)
        >>> int(rt.CriticalSection().execute(lambda: counter.assign_add(1)))
        1
        """
        checked_callable(fn, "CriticalSection.execute: fn")
        if state.trace is not None:
            return called(fn)()
        if getattr(_running, "section", None) is self:
            raise ValueError(
                f"CriticalSection.execute: {self.name!r} runs already in this thread, and would "
                "wait for itself: call the inner function alone"
            )
        with self._lock:
            before = getattr(_running, "section", None)
            _running.section = self
            try:
                return fn()
            finally:
                _running.section = before


_running = threading.local()
