"""The state of this thread: the trace, tapes, what inspects ops, the device."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, TypeVar

import numpy as np

Result = TypeVar("Result")


def _quiet() -> contextvars.Context:
    # Of nobody's variables, so that none of them is kept alive.
    context = contextvars.Context()
    context.run(np.seterr, all="ignore")
    return context


# NumPy keeps its error settings in a context variable, which has no public name.
_ONLY_QUIET = _quiet()
((_SETTINGS, _QUIET),) = _ONLY_QUIET.items()


def _trapping() -> contextvars.Context:
    context = contextvars.Context()
    context.run(lambda: np.seterr(divide="raise", over="ignore", under="ignore", invalid="ignore"))
    return context


_TRAPPING = _trapping()


def trap_division(kernel: Callable[..., Any], *arrays: Any) -> Any:
    """`kernel(*arrays)`, in which a division by zero, of integers too, is a FloatingPointError."""
    return _TRAPPING.copy().run(kernel, *arrays)


active_traces: dict[int, Any] = {}
"""The active traces of all threads, by their identifiers."""


class State(threading.local):
    """The state of one thread.

    trace: the trace that ops are added to, or None.
    tapes: the tapes that record.
    inspect: None or a function (primitive, inputs, outputs, params) that sees each computed op.
    device: the name that results are given, None for the usual one.
    run(f, *arrays): calls f with NumPy's floating-point warnings off. It is None while anything
        above is active: one read tells the shortcuts whether they may compute at once.
    tape: what records, where tapes are all that is active.
    quiet: `run` whatever is active. It cannot be entered twice, so that only C code may run in it.
    users_settings: NumPy's error settings of whoever called the graph that runs; None while none
        runs that may call back.
    """

    run: Callable[..., Any] | None

    def __init__(self) -> None:
        self.context = _quiet()
        self.users_settings: Any = None
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

new_key = count(1).__next__
"""A key that tapes know a tensor or a variable by."""


def run_quietly(function: Callable[..., Result], *arrays: Any) -> Result:
    """`function(*arrays)` without NumPy's floating-point warnings, where Python may come in between
    that runs ops: a signal handler, a finalizer.
    """
    return _ONLY_QUIET.copy().run(function, *arrays)


def run_calling_back(function: Callable[..., Result], *arrays: Any) -> Result:
    """`function(*arrays)` without NumPy's floating-point warnings, where it may call Python of the
    user's by `call_back`: the caller's context variables are as they are.
    """
    users = _SETTINGS.get()
    token = _SETTINGS.set(_QUIET)
    before, state.users_settings = state.users_settings, users
    try:
        return function(*arrays)
    finally:
        _SETTINGS.reset(token)
        if state.users_settings is not users:
            _SETTINGS.set(state.users_settings)
        state.users_settings = before


def call_back(function: Callable[..., Result], *args: Any) -> Result:
    """Call Python of the user's from a graph, under NumPy's error settings of its caller."""
    users = state.users_settings
    if users is None:
        return function(*args)
    _SETTINGS.set(users)
    try:
        return function(*args)
    finally:
        state.users_settings = _SETTINGS.get()
        _SETTINGS.set(_QUIET)


@contextmanager
def recorded_by(*tapes: Any) -> Iterator[None]:
    """Show what is done to these tapes alone."""
    before = state.tapes
    state.tapes = tapes
    try:
        yield
    finally:
        state.tapes = before


@contextmanager
def init_scope() -> Iterator[None]:
    """Inside this block ops are computed at once and recorded nowhere.

    So it is whatever is being traced around it.

    >>> @rt.function
    ... def outside():
    ...     with rt.init_scope():
    ...         return rt.executing_eagerly()
    >>> bool(outside())
    True
    """
    before = state.trace, state.tapes
    state.trace, state.tapes = None, ()
    try:
        yield
    finally:
        state.trace, state.tapes = before
