"""What is active on this thread: the trace, tapes, what inspects ops, the device."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


def _quiet() -> contextvars.Context:
    context = contextvars.copy_context()
    context.run(np.seterr, all="ignore")
    return context


def _trapping() -> contextvars.Context:
    context = contextvars.copy_context()
    context.run(lambda: np.seterr(divide="raise", over="ignore", under="ignore", invalid="ignore"))
    return context


_TRAPPING = _trapping()


def trap_division(kernel: Callable[..., Any], *arrays: Any) -> Any:
    """`kernel(*arrays)`, in which a division by zero, of integers too, is a FloatingPointError."""
    return _TRAPPING.copy().run(kernel, *arrays)


active_traces: dict[int, Any] = {}
"""The active traces of all threads, by their identifiers."""


class State(threading.local):
    """What is active on this thread.

    trace: the trace that ops are added to, or None.
    tapes: the tapes that record.
    inspect: None or a function (primitive, inputs, outputs, params) that sees each computed op.
    device: the name that results are given, None for the usual one.
    run(f, *arrays): calls f with NumPy's floating-point warnings off. It is None while anything
        above is active: one read tells the shortcuts whether they may compute at once.
    tape: what records, where tapes are all that is active.
    quiet: `run` whatever is active. It cannot be entered twice, so that only C code may run in it.
    """

    run: Callable[..., Any] | None

    def __init__(self) -> None:
        # NumPy keeps its error settings in a context variable: ours leaves the user's alone.
        self.context = _quiet()
        self._trace: Any = None
        self._tapes: tuple[Any, ...] = ()
        self._inspect: Any = None
        self._device: str | None = None
        self._plain = True
        self.tape: Any = None
        self.quiet = self.context.run
        self.run = self.quiet

    def _refresh(self) -> None:
        self._plain = self._trace is None and self._inspect is None and self._device is None
        self._record_for(self._tapes)

    def _record_for(self, tapes: tuple[Any, ...]) -> None:
        if not self._plain:
            self.run = self.tape = None
        elif tapes:
            self.run = None
            self.tape = tapes[-1].beside(tapes)
        else:
            self.run = self.quiet
            self.tape = None

    @property
    def trace(self) -> Any:
        """The active trace, or None."""
        return self._trace

    @trace.setter
    def trace(self, trace: Any) -> None:
        self._trace = trace
        if trace is None:
            active_traces.pop(threading.get_ident(), None)
        else:
            active_traces[threading.get_ident()] = trace
        self._refresh()

    @property
    def tapes(self) -> tuple[Any, ...]:
        """The recording tapes."""
        return self._tapes

    @tapes.setter
    def tapes(self, tapes: tuple[Any, ...]) -> None:
        self._tapes = tapes
        self._record_for(tapes)

    @property
    def inspect(self) -> Any:
        """A function that is shown each computed op, or None."""
        return self._inspect

    @inspect.setter
    def inspect(self, inspect: Any) -> None:
        self._inspect = inspect
        self._refresh()

    @property
    def device(self) -> str | None:
        """The device that results are said to be on, None for the usual one."""
        return self._device

    @device.setter
    def device(self, device: str | None) -> None:
        self._device = device
        self._refresh()


state = State()


@contextmanager
def init_scope() -> Iterator[None]:
    """Inside this block ops are computed at once and recorded nowhere, whatever is being traced
    around it.
    """
    before = state.trace, state.tapes
    state.trace, state.tapes = None, ()
    try:
        yield
    finally:
        state.trace, state.tapes = before
