"""A graph on the native executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from runtime import errors
from runtime.core.types import Type
from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Block, Constant
from runtime.graph.executors.lowering import whole
from runtime.graph.executors.native.calling import (
    CompiledUnit,
    callable_of,
    compiled_unit,
    function_of,
)
from runtime.graph.executors.native.clock import Looks
from runtime.graph.executors.native.compiling import Unit
from runtime.graph.executors.native.emitter import Emitter
from runtime.graph.executors.native.entry import Parameter, write_entry
from runtime.graph.executors.native.islands import Islands
from runtime.graph.executors.native.list_arrays import array_types, giving_lists, on_arrays
from runtime.graph.executors.native.support import Reason, Support
from runtime.graph.executors.profiling import Clock
from runtime.graph.executors.program import Program
from runtime.graph.ir import Graph

Run = Callable[..., tuple[Any, ...]]


def reasons(graph: Graph) -> list[Reason]:
    """The reasons why a graph is not native as a whole."""
    return Support().of_function(_form(graph))


def _types(graph: Graph) -> list[Type]:
    """The types of the results."""
    return [value.type for value in graph.results]


def _form(graph: Graph) -> lowered.Function:
    return on_arrays(whole(graph))


def require(graph: Graph) -> None:
    """InvalidArgumentError, with the user's line, for the first op that has no machine code.

    Reads and assignments of variables are no such ops: they are Python's, as all that has to be
    done in its order, between islands of machine code.
    """
    _refuse(reasons(graph))


def _refuse(found: Iterable[Reason]) -> None:
    for node, text in found:
        if "variable" not in node.params:
            raise errors.InvalidValueError(
                None,
                node.primitive.op_type,
                f"jit_compile=True asks for machine code, but {text}",
                location=node.location,
                hint="call it outside of the function, or leave out jit_compile; explain_native() "
                "lists all such ops",
            )


def runner_of(
    graph: Graph,
    program: Program,
    is_required: bool = False,
    note: Callable[[CompiledUnit], None] = lambda _: None,
) -> Run:
    """The function that runs a graph: machine code if it is native as a whole, else its program,
    with machine code for the islands in it. If it `is_required`, as by `require`. What has no
    address of arrays or objects in it is noted.
    """
    form = _form(graph)
    found = Support().of_function(form)
    if not found:
        return compiled(graph, form, program.run, note)
    if is_required:
        _refuse(found)
    islands = Islands()
    _, run = program.variant(islands.outline)
    return run if islands.units else program.run


def compiled(
    graph: Graph,
    form: lowered.Function,
    fallback: Run,
    note: Callable[[CompiledUnit], None] = lambda _: None,
) -> Run:
    """The machine code of a graph that is native as a whole, which has this form on arrays; it
    calls the fallback where it steps aside.
    """
    unit = unit_of(graph, form)
    made = compiled_unit(unit)
    if not unit.arrays and not unit.known:
        note(made)
    return giving_lists(function_of(made, fallback, unit.arrays, unit.known), _types(graph))


def timed(graph: Graph, program: Program, clock: Clock) -> Run:
    """The same, with looks at the clock."""
    form = _form(graph)
    if Support().of_function(form):
        return program.timed(clock.look, Islands().outline)
    looks, aside = Looks(), program.timed(clock.look)
    unit = unit_of(graph, form, looks)
    unit.arrays |= looks.arrays()
    clock.others.append(looks.read)
    return giving_lists(callable_of(unit, aside), _types(graph))


def units_of(graph: Graph) -> list[Unit]:
    """The modules of a graph: one if it is native as a whole, else those of its islands."""
    form = _form(graph)
    if not Support().of_function(form):
        return [unit_of(graph, form)]
    islands = Islands()
    Program(graph).variant(islands.outline)
    return islands.units


def unit_of(graph: Graph, form: lowered.Function, looks: Looks | None = None) -> Unit:
    """The module of a graph, and of those that it calls."""
    unit = Unit(graph.name)
    unit.looks = looks

    def body(emitter: Emitter) -> None:
        unit.capture(emitter, form)
        emitter.statements(form.body)

    parameters = [Parameter(local, local.type) for local in form.parameters]
    known: dict[Any, Any] = {local: Constant(raw, raw, local.type) for local, raw in form.captured}
    results = [
        Parameter(known.get(expression, expression), type)
        for expression, type in zip(form.body.results, array_types(_types(graph)), strict=True)
    ]
    write_entry(unit, parameters, results, body, any(_calls(form.body)))
    return unit


def _calls(block: Block) -> Iterator[bool]:
    for inner in lowered.blocks_of(block):
        for statement in inner.statements:
            yield isinstance(statement, lowered.Call)
