"""Errors that nobody catches show the user's frames only, in scripts, threads and notebooks."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Any

from autograph.errors import AutographError
from autograph.frames import hide_libraries
from autograph.frames import show_all_frames as show_all_frames
from autograph.frames import shows_all_frames as shows_all_frames
from runtime.core.cells import running_shell
from runtime.errors import OpError

# All but syntax errors: those of cells come the same way, and IPython shows them in its own.
_SHOWN = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    AutographError,
    LookupError,
    MemoryError,
    OpError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)


def install() -> None:
    """Take the library's frames out of tracebacks just before they are shown.

    Whoever has a way of showing errors keeps it; what is caught and logged is left as it is.
    """
    shell = running_shell()
    if shell is None:
        _wrap_hooks()
    elif not shell.custom_exceptions:
        shell.set_custom_exc(_SHOWN, _show_in_cell)


def _wrap_hooks() -> None:
    show, show_in_thread = sys.excepthook, threading.excepthook

    def excepthook(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        _hide(error)
        show(kind, error, error.__traceback__)

    def hook_of_threads(args: Any) -> None:
        if args.exc_value is not None:
            _hide(args.exc_value)
            shown = args.exc_type, args.exc_value, args.exc_value.__traceback__, args.thread
            args = threading.ExceptHookArgs(shown)
        show_in_thread(args)

    sys.excepthook, threading.excepthook = excepthook, hook_of_threads


def _show_in_cell(shell: Any, kind: Any, error: Any, traceback: Any, tb_offset: Any = None) -> None:
    _hide(error)
    shown = kind, error, error.__traceback__
    shell.showtraceback(shown, tb_offset=tb_offset, running_compiled_code=True)


def _hide(error: BaseException | None) -> None:
    """Of an error and of those that it was raised from, or while they were handled."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        hide_libraries(error)
        error = error.__cause__ or error.__context__
