"""The streams that graphs print to: the caller's, which a trace may not have replaced, and which
foreign code may not write to in a staged block.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runtime.graph.ir import Callee, walk_called
from runtime.graph.templates import PRINT
from runtime.ops.print_op import print_p
from runtime.staging.refusals import refuse

STREAMS = ("stdout", "stderr")


def present() -> dict[str, Any]:
    """The streams by their names in `sys`, as they are now."""
    return {name: written_to(getattr(sys, name)) for name in STREAMS}


def written_to(stream: Any) -> Any:
    """A stream, or the one that it stands for in a call of foreign code."""
    return stream._stream if type(stream) is _Unwritten else stream


def check(before: dict[str, Any], name: str, what: str = "a staged value is printed") -> None:
    """StagingError where `sys.stdout` or `sys.stderr` is not what it was when the trace began."""
    if written_to(getattr(sys, name)) is not before[name]:
        raise refuse(
            f"{what} to another sys.{name} than that of the caller: the graph prints when it runs, "
            "to the caller's",
            f"redirect sys.{name} around the call of the function, or name the file: "
            "print(x, file=...)",
        )


def check_call(before: dict[str, Any], callee: Callee) -> None:
    """StagingError where a graph is called that prints to a stream which is another one here."""
    if present() == before:
        return
    for name in _printed_to(callee):
        check(before, name, f"{callee.name} prints a staged value")


def _printed_to(callee: Callee) -> Iterator[str]:
    for node in () if callee.graph is None else walk_called(callee.graph.nodes):
        if node.primitive is PRINT and node.params["options"]["file"] is None:
            yield "stdout"
        elif node.primitive is print_p and node.params["stream"] in STREAMS:
            yield node.params["stream"]


@contextmanager
def unwritten(before: dict[str, Any], function: Any) -> Iterator[None]:
    """Within it, StagingError where this thread writes to the streams from before the trace, as
    `function` does that is called: it would do so once, while tracing.
    """
    for name, stream in before.items():
        if getattr(sys, name) is stream:
            setattr(sys, name, _Unwritten(stream))
    _open.functions.append(function)
    try:
        yield
    finally:
        _open.functions.pop()
        if not _open.functions:  # who redirects a stream may have kept the one of another call
            for name in before:
                setattr(sys, name, written_to(getattr(sys, name)))


class _Open(threading.local):
    """The functions of foreign code that run, called by each other, on one thread."""

    def __init__(self) -> None:
        self.functions: list[Any] = []


_open = _Open()


class _Unwritten:
    """A stream that foreign code does not write to while it runs, but for Python's warnings. Who
    keeps it writes to it later, as other threads do now.
    """

    __slots__ = ("_stream",)

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: Any) -> Any:
        """Write a text."""
        _check_write()
        return self._stream.write(text)

    def writelines(self, lines: Any) -> Any:
        """Write several texts."""
        _check_write()
        return self._stream.writelines(lines)


def _check_write() -> None:
    is_warning = sys._getframe(2).f_globals.get("__name__") in ("warnings", "_py_warnings")
    if not _open.functions or is_warning:
        return
    function = _open.functions[0]
    shown = getattr(function, "__qualname__", type(function).__qualname__)
    raise refuse(
        f"{shown} inside a staged block prints once, while tracing",
        "call it before the block, or let the graph do it: print(text)",
    )
