"""Graphs as modules of machine code: one function for Python to call, and one for each graph that
is called inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Local
from runtime.graph.executors.native import arena, ir
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.clock import Looks
from runtime.graph.executors.native.control import parts_of, put_together, taken_apart
from runtime.graph.executors.native.copied_lists import Ownership
from runtime.graph.executors.native.emitter import ALIGNMENT, Emitter
from runtime.graph.executors.native.lists import copy_of
from runtime.graph.executors.native.machine import Symbols, new_module
from runtime.graph.executors.native.updates import Updates
from runtime.graph.executors.native.values import int64
from runtime.graph.ir import Graph

MOST_EMBEDDED = 1 << 12
"""Bytes of a known array that is in the module; code has the address of larger ones."""


class Unit:
    """One module. `arrays` are those that its code reads by their addresses; `table` tells the
    entry of the arguments and results, with symbols in the place of addresses; `known` are objects
    in it. Its code may let other threads run Python if it `releases`. With `looks`, it tells how
    long it takes.
    """

    def __init__(self, name: str) -> None:
        self.module = new_module(name)
        self.symbols = Symbols(self.module)
        self.arrays: dict[str, Any] = {}
        self.table: list[int | str] = []
        self.known: list[Any] = []
        self.releases = False
        self.looks: Looks | None = None
        self.ownership = Ownership()
        self._functions: dict[Graph, ir.Function] = {}
        self._left: list[tuple[Graph, ir.Function]] = []
        self._embedded: dict[bytes, ir.GlobalVariable] = {}

    # Functions

    def function_of(self, graph: Graph) -> ir.Function:
        """The function of a graph that is called. It is told its arena, and how many calls may
        still be made inside; the first of its results tells whether it stepped aside.
        """
        found = self._functions.get(graph)
        if found is None:
            kinds = [part for value in graph.parameters for part in parts_of(value.type)]
            results = [part for value in graph.results for part in parts_of(value.type)]
            made = ir.LiteralStructType([ir.BIT, *results])
            kind = ir.FunctionType(made, [ir.POINTER, ir.INT64, *kinds])
            name = f"graph{len(self._functions)}"
            found = self._functions[graph] = ir.Function(self.module, kind, name)
            found.linkage = "internal"
            self._left.append((graph, found))
        return found

    def finish(self) -> None:
        """Write the functions that are called, and those that they call."""
        while self._left:
            graph, function = self._left.pop()
            self._write(graph, function)
        self.symbols.finish()

    def _write(self, graph: Graph, function: ir.Function) -> None:
        form = self.ownership.form(graph)
        memory, depth, *arguments = function.args
        emitter = Emitter(self, function, memory, depth, frame=0)
        given = iter(arguments)
        for local, value in zip(form.parameters, graph.parameters, strict=True):
            parts = [next(given) for _ in parts_of(value.type)]
            emitter.values[local] = put_together(parts, value.type)
        builder, kind = emitter.builder, function.function_type.return_type
        limit = builder.load(self._word(emitter, arena.STACK), typ=ir.INT64)
        emitter.step_aside(_is_short(builder, limit))
        self.capture(emitter, form)
        emitter.statements(form.body)
        if not builder.block.is_terminated:
            made: ir.Value = ir.Constant(kind, ir.Undefined)
            made = builder.insert_value(made, ir.Constant(ir.BIT, 0), 0)
            at, repeated = 1, self.ownership.repeated_results(form)
            for place, value in enumerate(graph.results):
                result = emitter.as_type(emitter.value(form.body.results[place]), value.type)
                if place in repeated:
                    result = copy_of(emitter, result)
                for part in taken_apart(result, value.type):
                    made = builder.insert_value(made, part, at)
                    at += 1
            builder.ret(made)
        builder.position_at_end(emitter.aside)
        gave_up = ir.Constant(kind, ir.Undefined)
        builder.ret(builder.insert_value(gave_up, ir.Constant(ir.BIT, 1), 0))

    # Known arrays

    def capture(self, emitter: Emitter, form: lowered.Function) -> None:
        """Give the locals that stand for known arrays their values."""
        emitter.ranges = form.ranges
        emitter.fuser.read(form.body)
        emitter.copied = self.ownership.copied_lists(form)
        emitter.updates = Updates(form.body)
        for local, raw in form.captured:
            emitter.values[local] = self.captured(emitter, local, raw)

    def captured(self, emitter: Emitter, local: Local, raw: Any) -> Any:
        """A known array, or number."""
        return emitter.known(lowered.Constant(raw, raw, local.type))

    def constant(self, emitter: Emitter, raw: np.ndarray[Any, Any]) -> ir.Value:
        """The pointer to a known array."""
        if raw.nbytes > MOST_EMBEDDED:
            name = f"array.{len(self.arrays)}"
            self.arrays[name] = raw
            return self.symbols.load(emitter.builder, name)
        data = raw.tobytes()
        found = self._embedded.get(data)
        if found is None:
            kind = ir.ArrayType(ir.BYTE, len(data))
            name = f"constant{len(self._embedded)}"
            found = ir.GlobalVariable(self.module, kind, name)
            found.initializer = ir.Constant(kind, bytearray(data))
            found.global_constant, found.linkage, found.align = True, "internal", ALIGNMENT
            self._embedded[data] = found
        return found

    # The arena

    def mark(self, emitter: Emitter) -> Sequence[ir.Value]:
        """The state of the arena."""
        return [
            emitter.builder.load(self._word(emitter, at), typ=ir.POINTER)
            for at in (arena.NEXT, arena.END, arena.CHUNK)
        ]

    def reset(self, emitter: Emitter, mark: Sequence[ir.Value]) -> None:
        """Let go of what was allocated since a mark."""
        for at, word in zip((arena.NEXT, arena.END, arena.CHUNK), mark, strict=True):
            emitter.builder.store(word, self._word(emitter, at))

    def _word(self, emitter: Emitter, at: int) -> ir.Value:
        return emitter.builder.gep(emitter.arena, [int64(at)], source_etype=ir.POINTER)


def _is_short(builder: Builder, end: ir.Value) -> ir.Value:
    """True, in one bit, where the stack is below this end."""
    here = builder.ptrtoint(builder.call_named("llvm.stacksave.p0", ir.POINTER), ir.INT64)
    return builder.icmp_unsigned("<", here, end)
