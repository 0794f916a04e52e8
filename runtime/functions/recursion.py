"""Recursion: a call of a function that is being traced, with the signature that it is traced for.

Such a call becomes a call node of a graph that is not there yet. What it returns is assumed: at
first nothing (the call ends its path, like a `raise`), then what the trace found, until a trace
returns what was assumed. So recursion needs a path that ends without it, and Python runs again for
each assumption.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from runtime.core.types import NumberType
from runtime.functions.shared_arguments import NOTHING, Shared
from runtime.graph.ir import Callee, Value
from runtime.graph.nodes import CALL, RAISE
from runtime.staging.control import joins
from runtime.staging.control.blocks import Unreachable
from runtime.staging.control.joins import Mismatch, Spec
from runtime.staging.images import image_of
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active

Converted = Callable[[CodeType], bool]

MOST_ASSUMPTIONS = 20
"""Types of results that are tried before recursion is refused."""


class Assumption:
    """A function that is being traced, and what calls of it from inside may suppose.

    `traces` and `key` say which function, and for which arguments.
    `spec` is what it returns (None: it does not), `shared` what it does to its arguments, `outer`
    are the symbols of graphs around it that it uses, `used` tells whether it was called, `depends`
    whether it called another one whose trace had begun before its own.
    """

    def __init__(self, name: str, traces: Any, key: Any) -> None:
        self.name = name
        self.traces = traces
        self.key = key
        self.callee = Callee(name)
        self.spec: Spec | None = None
        self.shared = NOTHING
        self.outer: tuple[Any, ...] = ()
        self.used = False
        self.depends = False

    def call_leaves(self, leaves: Sequence[Any]) -> Any:
        """Add a call to the graph that is being traced."""
        self.used = True
        running = _thread.running
        for inner in running[running.index(self) + 1 :]:
            inner.depends = True
        trace = active()
        values = [trace.value_of(item) for item in (*leaves, *self.outer)]
        if self.spec is None:
            trace.append(CALL, values, (), {"callee": self.callee})
            never = RecursionError(f"{self.name} calls itself without end")
            trace.append(RAISE, (), (), {"exception": image_of(never)[0]})
            raise Unreachable
        self.shared.check(trace, self.name, leaves, self.outer)
        types = list(joins.types_of(self.spec))
        taken = [leaves[at].type for at in self.shared.written]
        outputs = [Value(type, trace.unique(self.name)) for type in (*types, *taken)]
        made = list(trace.append(CALL, values, outputs, {"callee": self.callee}))
        results, finals = made[: len(types)], made[len(types) :]
        return joins.lift(self.spec, iter(self.shared.settle(trace, leaves, results, finals)))

    def covering(self, spec: Spec | None) -> Spec | None:
        """Returns the spec of the result, where a trace returns `spec`: it covers what was assumed.

        Raises StagingError where nothing covers both.
        """
        if spec is None or self.spec is None:
            return spec or self.spec
        try:
            return joins.join(self.spec, spec)
        except Mismatch as error:
            message = f"what {self.name} returns depends on the depth of its recursion: {error}"
            raise refuse(message) from None

    def assume(self, spec: Spec | None, outer: Sequence[Any], shared: Shared) -> bool:
        """Suppose this from now on; False if it was supposed already."""
        known = list(map(id, self.outer))
        shared = shared.covering(self.shared)
        if spec == self.spec and list(map(id, outer)) == known and shared == self.shared:
            return False
        self.shared = shared
        self.spec, self.outer, self.callee = spec, tuple(outer), Callee(self.name)
        return True


class _Thread(threading.local):
    def __init__(self) -> None:
        self.running: list[Assumption] = []
        self.implicit: dict[tuple[int, int], Any] = {}
        self.descents: dict[Any, Any] = {}


_thread = _Thread()


@contextmanager
def running(assumption: Assumption) -> Iterator[None]:
    """While it is traced, on this thread."""
    _thread.running.append(assumption)
    try:
        yield
    finally:
        _thread.running.pop()


def running_of(traces: Any) -> dict[Any, Assumption]:
    """Returns the traces of one function that this thread makes, by the keys of the arguments."""
    return {known.key: known for known in _thread.running if known.traces is traces}


@contextmanager
def implicit(function: Any) -> Iterator[None]:
    """While a `@function` is traced, calls of its Python function mean itself."""
    if function.input_signature is None:
        _thread.implicit.setdefault(_identity(function.python_function), function)
    try:
        yield
    finally:
        if len(_thread.running) == 1:  # no other function that is traced calls it
            _thread.implicit.clear()
            _thread.descents.clear()


def implicit_function(function: Any, make: Callable[[Any], Any]) -> Any:
    """Returns what `make` made of a Python function, the same while a trace is made."""
    key = _identity(function)
    found = _thread.implicit.get(key)
    if found is None:
        found = _thread.implicit[key] = make(function)
    return found


def descent_of(traces: Any, make: Callable[[], Any]) -> Any:
    """Returns what `make` made for the calls of one function, the same while a trace is made."""
    return _thread.descents.setdefault(traces, make())


def _identity(function: Any) -> tuple[int, int]:
    plain, receiver = getattr(function, "__func__", function), getattr(function, "__self__", None)
    return id(plain), id(receiver)


def active_calls(code: CodeType, root: FrameType | None, is_converted: Converted) -> int:
    """Returns the number of frames between the caller and `root` that run the function of this
    code, converted.
    """
    frame: FrameType | None = sys._getframe(1)
    found = 0
    while frame is not None and frame is not root:
        found += _is_of(frame.f_code, code) and is_converted(frame.f_code)
        frame = frame.f_back
    return found


def _is_of(code: CodeType, original: CodeType) -> bool:
    # Blocks of a converted function have its name, but not its first line.
    return (
        code.co_firstlineno == original.co_firstlineno
        and code.co_name == original.co_name
        and code.co_filename == original.co_filename
    )


def unsettled() -> bool:
    """True if what is traced now contains calls that are supposed not to return."""
    return any(assumption.used and assumption.spec is None for assumption in _thread.running)


def has_numbers(spec: Spec | None) -> bool:
    """True if there are Python numbers among the values."""
    return spec is not None and any(isinstance(type, NumberType) for type in joins.types_of(spec))
