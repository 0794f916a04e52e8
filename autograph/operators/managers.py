"""Context managers, in a function that is being staged."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import FunctionType, TracebackType
from typing import Any

from autograph.backend import asked, backend_of
from autograph.frames import is_library
from autograph.policy import is_indifferent


def manager_of(item: Any) -> Any:
    """The manager that a `with` is given, which a backend is asked for: what is there."""
    backend = backend_of(item)
    return item if backend is None else asked(backend, itself, item)


def itself(item: Any) -> Any:
    """The builtin that a backend is asked for: the manager as it is."""
    return item


class Entered:
    """A manager of which `__enter__` was called, as at the beginning of a `with`.

    Where the `with` is left to Python, it stands there in place of the manager.

    Args:
        manager: the user's.
        call: what to call where the user calls a function.
        is_own: whether a function is the user's.
        around: what runs the block of a `with` within it, where that is not left by `__exit__`: it
            enters it, too.

    Attributes:
        value: what the `with` has a name for.

    Raises:
        TypeError: it is no context manager.
    """

    __slots__ = ("_enter", "_exit", "around", "is_known", "manager", "value")

    def __init__(
        self,
        manager: Any,
        call: Callable[[Any], Any],
        is_own: Callable[[FunctionType], bool],
        around: Callable[[Callable[[Any], None]], None] | None = None,
    ) -> None:
        kind = type(manager)
        for name, words in (("__enter__", ""), ("__exit__", " (missed __exit__ method)")):
            if not hasattr(kind, name):
                raise TypeError(
                    f"{kind.__name__!r} object does not support the context manager protocol{words}"
                )
        # A run can leave it too, where it does then what its class says in Python.
        leave = kind.__exit__
        self.is_known = kind in _OF_PYTHON or (type(leave) is FunctionType and is_own(leave))
        self.manager, self._exit, self.around = manager, call(leave), around
        self._enter = call(kind.__enter__)
        if around is None:
            self.value = self._enter(manager)

    @property
    def lets_pass(self) -> bool:
        """Whether it does the same whatever leaves the block, as those of a library of ours."""
        if is_indifferent(type(self.manager)):
            return True
        frame = getattr(getattr(self.manager, "gen", None), "gi_frame", None)
        module = frame.f_globals.get("__name__") if frame else type(self.manager).__module__
        return is_library(module)

    def leave(self, error: BaseException | None) -> Any:
        """The answer of `__exit__`: true if it swallows the exception."""
        if error is None:
            return self._exit(self.manager, None, None, None)
        return self._exit(self.manager, type(error), error, error.__traceback__)

    def __enter__(self) -> Entered:
        if self.around is not None:
            self.value = self._enter(self.manager)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> Any:
        return self._exit(self.manager, kind, error, traceback)


_OF_PYTHON = (contextlib.suppress, contextlib.closing, contextlib.nullcontext)
