"""Programs for single shapes, of graphs that were traced for many.

A graph whose parameters have unknown dimensions has one program for all shapes, which has neither
buffers nor blocks. Once calls with the same shapes were about as much work as it is to compile a
program, there is one more, for just these shapes. So compiling hardly takes longer than the calls
did, also where each call has new shapes.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from runtime.core.cached import cached
from runtime.core.executor import COMPILED, chosen
from runtime.core.shapes import is_known
from runtime.core.stacks import on_fit_thread
from runtime.core.types import TensorType, Type
from runtime.graph.executors.program import Program
from runtime.graph.executors.tiers import Tiers
from runtime.graph.executors.work import CALL, ELEMENT
from runtime.graph.ir import Graph, walk
from runtime.graph.passes import optimize
from runtime.graph.passes.inlining import Calls
from runtime.graph.passes.shape_refinement import Contradiction, refine_shapes

Run = Callable[..., tuple[Any, ...]]
Shapes = tuple[tuple[int, ...], ...]

MOST_PROGRAMS = 8
"""Shapes that a graph has programs for. One that was not used since there was the last new one
gives way to another.
"""

MOST_SHAPES = 256
"""Shapes without programs of which it is known how much work calls were."""

PATIENCE = 1e-4
"""Work that calls with the same shapes may be, for each node of the graph, before there is a
program for them.
"""


class Programs:
    """The programs of an optimised graph: one for all shapes, and those for single shapes. They run
    on the executor that was asked for, if one was.
    """

    def __init__(self, graph: Graph, executor: str | None = None) -> None:
        self.graph = graph
        self.executor = executor
        self.generic = self._program(graph)
        self.tiers = Tiers(graph, self.generic, executor)
        self.places = [at for at, value in enumerate(graph.parameters) if _is_open(value.type)]
        self._shapes: dict[Shapes, ShapedRun] = {}
        self._made: list[ShapedRun] = []
        self._lock = threading.Lock()

    def runner(self, raws: Sequence[Any]) -> Run:
        """Returns what runs calls with the shapes of these arguments."""
        if not self.places:
            return self.tiers.run
        shapes = tuple([raws[at].shape for at in self.places])
        found = self._shapes.get(shapes)
        if found is None:
            if len(self._shapes) >= MOST_SHAPES:
                self._shapes = {run.shapes: run for run in self._made}
            found = self._shapes[shapes] = ShapedRun(self, shapes)
        return found.run

    def _program(self, graph: Graph) -> Program:
        executor = self.executor or chosen()
        return Program(graph, executor == "native", may_wait=executor == COMPILED)

    @cached
    def patience(self) -> float:
        """Work that calls with the same shapes may be."""
        if self.executor == COMPILED and self._needs_shapes():
            return 0.0
        return PATIENCE * self._nodes

    @cached
    def _nodes(self) -> int:
        return sum(1 for graph in Calls(self.graph).of for _ in walk(graph.body))

    def elements(self, shapes: Shapes) -> float:
        """The work of a call with these shapes, for the elements that arrays have."""
        return ELEMENT * self._nodes * max(map(math.prod, shapes))

    def _needs_shapes(self) -> bool:
        """Whether there is no machine code for all shapes, where there may be for some."""

        def reasons() -> Any:
            from runtime.graph.executors.native import executor

            return executor.reasons(self.graph)

        return bool(on_fit_thread(reasons))

    def specialize(self, shaped: ShapedRun) -> None:
        """Make the program for some shapes, unless another thread is at it."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            if shaped.program is None:
                made = self._compiled(shaped.shapes)
                shaped.tiers, shaped.program = made, made.program
                if made is not self.tiers:
                    self._keep(shaped)
        finally:
            self._lock.release()

    def when_settled(self, forget: Callable[[], None]) -> None:
        """Have this called when `runner` returns something else for the same arguments."""
        if not self.places:
            self.tiers.when_settled(forget)

    def on_tensors(self, fallback: Callable[..., Any]) -> Callable[..., Any] | None:
        """Returns what makes the result of eager tensors by machine code alone, if that can be."""
        return None if self.places else self.tiers.on_tensors(fallback)

    def _compiled(self, shapes: Shapes) -> Tiers:
        types: list[Type] = [value.type for value in self.graph.parameters]
        for at, shape in zip(self.places, shapes, strict=True):
            types[at] = _shaped(types[at], shape)
        try:
            graph = refine_shapes(self.graph, types)
            given = ",".join(map(str, shapes))
            graph = optimize(replace(graph, name=f"{graph.name} {given}"))
            return Tiers(graph, self._program(graph), self.executor)
        except (Contradiction, RecursionError):
            # Where an op fails that is reached, this one says so.
            return self.tiers

    def _keep(self, shaped: ShapedRun) -> None:
        made = self._made
        if len(made) >= MOST_PROGRAMS:
            unused = next((run for run in made if not run.used), made[0])
            made.remove(unused)
            unused.forget()
        for run in made:
            run.used = False
        made.append(shaped)


class ShapedRun:
    """Runs calls with the same shapes: by the program for all until it is time for their own."""

    __slots__ = ("_call", "_left", "_programs", "program", "shapes", "tiers", "used")

    def __init__(self, programs: Programs, shapes: Shapes) -> None:
        self._programs = programs
        self.shapes = shapes
        self.forget()

    def forget(self) -> None:
        """Have no program."""
        self.program: Program | None = None
        self.tiers = self._programs.tiers
        self.used = False
        self._left = self._programs.patience
        self._call = CALL + self._programs.elements(self.shapes)

    def run(self, *raws: Any) -> tuple[Any, ...]:
        """The results for arguments of these shapes."""
        program = self.program
        if program is None:
            return self._counted(raws)
        self.used = True
        try:
            return self.tiers.run(*raws)
        except BaseException as error:
            program.fail(error)

    def _counted(self, raws: Sequence[Any]) -> tuple[Any, ...]:
        if self._left <= 0:
            self._programs.specialize(self)
            if self.program is not None:
                return self.run(*raws)
        work = self._programs.generic.work
        before = work.spent
        try:
            return self._programs.tiers.run(*raws)
        finally:
            self._left -= self._call + work.spent - before


def _is_open(type: Type) -> bool:
    return isinstance(type, TensorType) and not is_known(type.shape)


def _shaped(type: Type, shape: tuple[int, ...]) -> Type:
    assert isinstance(type, TensorType)
    return TensorType(type.dtype, shape)
