"""The rests of hot loops, and hot functions, as machine code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.core.types import ListType, Type
from runtime.graph.executors import lowered
from runtime.graph.executors.lowering import whole
from runtime.graph.executors.module import Module
from runtime.graph.executors.native import executor
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

Run = Callable[..., tuple[Any, ...]]
Extend = Callable[[Callable[[Module], str]], Run]


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
    takes_lists = any(isinstance(local.type, ListType) for local in rest.parameters)
    return not takes_lists or bool(executor.reasons(graph))


def compiled(rest: lowered.Function, extend: Extend, python: Callable[[], Run]) -> Run:
    """A rest as machine code, which `extend` has written beside its fallback. `python` makes the
    one of lists that machine code cannot be handed.
    """
    types = [local.type for local in rest.parameters]
    results = [each.type for each in rest.body.results if isinstance(each, lowered.Local)]

    def write(module: Module) -> str:
        return Islands().add(on_arrays(rest), module, rest, lambda run: _of_arrays(run, types))

    return _of_lists(giving_lists(extend(write), results), types, python)


def is_native_function(graph: Graph) -> bool:
    """Whether a function of a program can be machine code, which others call."""
    return not Support(is_repeated=True).of_function(on_arrays(whole(graph)))


def compiled_function(graph: Graph, python: Callable[[], Run]) -> Run:
    """The function of a graph as machine code, which takes what its Python takes; `python` makes
    that, for where it steps aside.
    """
    types = [value.type for value in graph.parameters]
    fallback = _of_arrays(lambda *raws: python()(*raws), types)
    native = executor.compiled(graph, on_arrays(whole(graph)), fallback)
    return _of_lists(native, types, python)


def _of_arrays(run: Run, types: Sequence[Type]) -> Run:
    """A function of lists as one of arrays."""
    return lambda *raws: run(*as_lists(raws, types))


def _of_lists(native: Run, types: Sequence[Type], python: Callable[[], Run]) -> Run:
    """A function of arrays as one of lists."""
    if not any(isinstance(type, ListType) for type in types):
        return native

    def run(*values: Any) -> tuple[Any, ...]:
        raws = as_arrays(values, types)
        return python()(*values) if raws is None else native(*raws)

    return run
