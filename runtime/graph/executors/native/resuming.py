"""The rests of hot loops as machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.core.types import ListType
from runtime.graph.executors import lowered
from runtime.graph.executors.module import Module
from runtime.graph.executors.native.executor import reasons
from runtime.graph.executors.native.islands import Islands
from runtime.graph.executors.native.list_arrays import (
    as_arrays,
    as_lists,
    giving_lists,
    on_arrays,
)
from runtime.graph.executors.native.lowering_rules import ON_ARRAYS
from runtime.graph.executors.native.support import Support
from runtime.graph.executors.native.values import is_held
from runtime.graph.ir import Graph, walk

Rest = Callable[..., tuple[Any, ...]]
Extend = Callable[[Callable[[Module], str]], Rest]


def is_native(rest: lowered.Function, is_inner: bool, copies_lists: bool) -> bool:
    """Whether a rest can be machine code, and is called with what that takes. That of a loop in
    another one is entered again and again. Lists are copied to be handed on.
    """
    form = on_arrays(rest) if copies_lists else rest
    results = [each for each in form.body.results if isinstance(each, lowered.Local)]
    handed = (*form.parameters, *[local for local, _ in form.captured], *results)
    return all(is_held(local.type) for local in handed) and not any(
        Support(is_repeated=is_inner).of_block(form.body)
    )


def tells_unwritten(graph: Graph) -> bool:
    """Whether there is an op on lists in a graph for which an item that was not written is no
    zeros, as it is in machine code.
    """
    return any(
        isinstance(value.type, ListType)
        for node in walk(graph.body)
        if not node.regions and node.primitive.instruction not in ON_ARRAYS
        for value in node.inputs
    )


def is_lasting(rest: lowered.Function, graph: Graph) -> bool:
    """Whether later calls are to run a rest: where that copies lists, all of the graph as machine
    code is better, if it can be.
    """
    return not _takes_lists(rest) or bool(reasons(graph))


def _takes_lists(rest: lowered.Function) -> bool:
    return any(isinstance(local.type, ListType) for local in rest.parameters)


def compiled(rest: lowered.Function, extend: Extend, python: Callable[[], Rest]) -> Rest:
    """A rest as machine code, which `extend` has written beside its fallback. `python` makes the
    one of lists that machine code cannot be handed.
    """
    types = [local.type for local in rest.parameters]
    results = [each.type for each in rest.body.results if isinstance(each, lowered.Local)]

    def of_arrays(run: Rest) -> Rest:
        return lambda *raws: run(*as_lists(raws, types))

    def write(module: Module) -> str:
        return Islands().add(on_arrays(rest), module, rest, of_arrays)

    native = giving_lists(extend(write), results)
    if not _takes_lists(rest):
        return native

    def run(*values: Any) -> tuple[Any, ...]:
        raws = as_arrays(values, types)
        return python()(*values) if raws is None else native(*raws)

    return run
