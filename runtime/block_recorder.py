"""What a staged block does to Python objects: watched, put back, or refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import ModuleType
from typing import Any

import autograph
from autograph.frames import is_library
from autograph.mutation.kind_table import kinds_of
from autograph.mutation.ownership import taking_notes
from autograph.mutation.snapshots import Snapshot
from autograph.policy import impure
from runtime.graph.refusals import refuse
from runtime.graph.scopes import active
from runtime.graph.staging.blocks import Block, Names
from runtime.staged_print import _print as staged_print


class _Existed:
    """Did an object exist before the trace? What is global to the functions called did."""

    def __init__(self, before: Callable[[Any], bool]) -> None:
        self._before = before
        self.globals = Snapshot({})

    def __call__(self, item: Any) -> bool:
        return self._before(item) or self.globals.knows(item)


def _existed() -> _Existed:
    trace = active()
    if not isinstance(trace.existed, _Existed):
        trace.existed = _Existed(trace.existed)
    return trace.existed


class BlockRecorder:
    """Watches what a staged block does to Python objects, and refuses calls that a graph cannot
    repeat.
    """

    def __init__(self, block: Block, inputs: Sequence[Any], names: Names) -> None:
        roots = dict(zip(names, inputs, strict=False)) | {"": block}
        self._snapshot = Snapshot(roots, outer=_existed().globals)
        self._entered = ExitStack()
        self._block = block
        self.options: Any = None

    def __enter__(self) -> None:
        self._entered.enter_context(autograph.observe_calls(self._observe))
        self._entered.enter_context(taking_notes(self._snapshot.notes))
        if hasattr(self._block, "__code__"):
            self.options = self._entered.enter_context(autograph.loop_options(self._block))

    def __exit__(self, *exception: Any) -> None:
        self._entered.close()

    def _observe(self, function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
        if function is print:
            return staged_print
        reason = impure(function)
        if reason is not None:
            name = getattr(function, "__qualname__", repr(function))
            raise refuse(
                f"{name} inside a staged block {reason}",
                "call it before the block, or use an op of the library",
            )
        name = getattr(function, "__name__", "the callee")
        self._snapshot.add(name, function)
        receiver = getattr(function, "__self__", None)
        if not isinstance(receiver, ModuleType | None):
            _check_watched(receiver, name)
            self._snapshot.add(f"the {type(receiver).__qualname__} of {name}()", receiver)
        return None

    def release(self, results: tuple[Any, ...]) -> None:
        """Forget the objects that only the block's results hold, or nobody: it made them."""
        self._snapshot.release(results)

    def changed(self) -> list[tuple[str, Any]]:
        """The objects that are different, each with the path of its first difference."""
        if self._snapshot.beyond:
            raise refuse(
                f"a staged block can reach {self._snapshot.beyond[0]}, "
                "so that it cannot be watched for changes",
                "pass what the block needs as a tensor or a local variable",
            )
        found: dict[int, tuple[str, Any]] = {}
        for change in self._snapshot.changes():
            found.setdefault(id(change.object), (change.path, change.object))
        return list(found.values())

    def restore(self) -> None:
        """Put back what was there."""
        self._snapshot.restore()

    def knows(self, item: Any) -> bool:
        """Was the object within reach of the block before it?"""
        return self._snapshot.knows(item)


_CHANGING = frozenset((
    "add", "append", "appendleft", "clear", "discard", "extend", "feed", "insert", "pop",
    "popitem", "popleft", "push", "put", "put_nowait", "remove", "send", "set", "setdefault",
    "update", "write",
))  # fmt: skip


def _check_watched(receiver: Any, method: str) -> None:
    """StagingError for a method that, by its name, changes an object whose state nobody sees."""
    kind = type(receiver)
    if method not in _CHANGING or kinds_of(kind) or is_library(kind.__module__):
        return
    raise refuse(
        f"{method}() of a {kind.__qualname__} inside a staged block changes it once, while tracing",
        "call it before or behind the statement, or use a list, a dict or an attribute",
    )
