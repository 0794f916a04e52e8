"""The rests of hot loops as machine code."""

from __future__ import annotations

from runtime.graph.executors import lowered
from runtime.graph.executors.module import Module
from runtime.graph.executors.native.islands import Islands
from runtime.graph.executors.native.support import Support
from runtime.graph.executors.native.values import is_held


def is_native(rest: lowered.Function, is_inner: bool) -> bool:
    """Whether a rest can be machine code, and is called with what that takes; of a loop in another
    one, it is entered again and again.
    """
    results = [each for each in rest.body.results if isinstance(each, lowered.Local)]
    handed = (*rest.parameters, *[local for local, _ in rest.captured], *results)
    return all(is_held(local.type) for local in handed) and not any(
        Support(is_repeated=is_inner).of_block(rest.body)
    )


def add(rest: lowered.Function, module: Module) -> str:
    """The name of the machine code of a rest in a module, where its fallback is printed."""
    return Islands().add(rest, module)
