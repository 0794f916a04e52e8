"""The streams that graphs print to: the caller's, which a trace may not have replaced."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from runtime.graph.ir import Callee, walk_called
from runtime.graph.templates import PRINT
from runtime.ops.print_op import print_p
from runtime.staging.refusals import refuse

STREAMS = ("stdout", "stderr")


def present() -> dict[str, Any]:
    """The streams by their names in `sys`, as they are now."""
    return {name: getattr(sys, name) for name in STREAMS}


def check(before: dict[str, Any], name: str, what: str = "a staged value is printed") -> None:
    """StagingError where `sys.stdout` or `sys.stderr` is not what it was when the trace began."""
    if getattr(sys, name) is not before[name]:
        raise refuse(
            f"{what} to another sys.{name} than that of the caller: the graph prints when it runs, "
            "to the caller's",
            f"redirect sys.{name} around the call of the function, or name the file: "
            "print(x, file=...)",
        )


def check_call(before: dict[str, Any], callee: Callee) -> None:
    """StagingError where a graph is called that prints to a stream which is another one here."""
    if all(getattr(sys, name) is stream for name, stream in before.items()):
        return
    for name in _printed_to(callee):
        check(before, name, f"{callee.name} prints a staged value")


def _printed_to(callee: Callee) -> Iterator[str]:
    for node in () if callee.graph is None else walk_called(callee.graph.nodes):
        if node.primitive is PRINT and node.params["options"]["file"] is None:
            yield "stdout"
        elif node.primitive is print_p and node.params["stream"] in STREAMS:
            yield node.params["stream"]
