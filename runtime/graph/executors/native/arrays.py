"""Loops over the elements of arrays: elementwise kernels of one shape are one loop, with what they
hand to each other in registers.

Kernels are collected until somebody needs what they compute: then the loop is emitted. Arrays of
fewer elements are broadcast, by rows, by columns or as a whole; reductions of all elements that
the loop computes are made in it, too. What reads the sum of a row is computed while the row is
still near: a row has several loops.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from runtime import dtypes
from runtime.dtypes import DType
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Builder, Loop
from runtime.graph.executors.native.fusion import Fusion, Operand, RowStep, Sink, Step, sweeps_of
from runtime.graph.executors.native.loops import Strip, lanes_for
from runtime.graph.executors.native.reductions import Accumulator
from runtime.graph.executors.native.row_loops import Carried, RowLoop
from runtime.graph.executors.native.sharing import HEAVY, MOST_KEPT, SHARED, SIZE, OutlinedPart
from runtime.graph.executors.native.values import Array, Scalar, int64, is_half, stored, width

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter


ALIGNED = 64
"""Elements that a part is a multiple of, where it is of one row: it begins as its array does."""


def emit(
    emitter: Emitter, fusion: Fusion, stored: Sequence[int], numbers: Sequence[int]
) -> tuple[list[Array], list[Array], list[Scalar]]:
    """Emit the loop of a fusion: gives the arrays of the steps and of the numbers of rows that are
    to be stored, and the reductions of all elements.
    """
    with emitter.timed(fusion.nodes):
        return Nest(emitter, fusion, stored, numbers).run()


class Partial:
    """The results of a reduction for each part of a loop, in memory."""

    def __init__(self, emitter: Emitter, sink: Sink, parts: int) -> None:
        self.accumulator, self.parts = sink.accumulator, parts
        self.pointer = emitter.memory(self.dtype, [int64(parts)])

    def keep(self, part: OutlinedPart, size: int, state: Sequence[ir.Value]) -> None:
        """Write down what a part gives."""
        builder = part.builder
        value = self.accumulator.gathered_lanes(builder, state)
        at = builder.sdiv(part.first, int64(size))
        builder.store_at(value, part.value(self.pointer), at, self.dtype)

    @property
    def dtype(self) -> DType:
        """The dtype of the results: what is rounded to halves is all of them together."""
        dtype = self.accumulator.dtype
        return dtypes.float32 if is_half(dtype) else dtype

    def together(self, builder: Builder) -> list[ir.Value]:
        """The state of a reduction of all parts, one after the other."""
        accumulator = self.accumulator
        loop = Loop(builder, int64(self.parts), 1, [accumulator.neutral])
        more = builder.load_at(self.pointer, loop.index, self.dtype)
        (found,) = loop.close([accumulator.combine(builder, loop.values[0], more)])
        return accumulator.state_of(builder, found)


class Nest:
    """The loops of one fusion: over rows, and by vectors over each."""

    first: ir.Value = int64(0)
    """The first place in the outermost dim, where that is cut into parts."""

    fusion: Fusion

    def __init__(
        self, emitter: Emitter, fusion: Fusion, stored: Sequence[int], numbers: Sequence[int]
    ) -> None:
        self.emitter, self.fusion = emitter, fusion
        self.builder: Builder = emitter.builder
        self.sweeps = sweeps_of(fusion, stored)
        self.stored = stored
        self.arrays: list[Array] = fusion.arrays()
        steps = [fusion.steps[at] for at in stored]
        self.made: dict[int, Array] = {
            at: emitter.allocate(step.dtype, fusion.dims, step.target)
            for at, step in zip(stored, steps, strict=True)
        }
        self.of_rows: dict[int, Array] = {}
        for at in numbers:
            number = fusion.numbers[at]
            self.of_rows[at] = emitter.allocate(number.dtype, number.dims, number.target)
        self.dims, self.strides = self.collapsed()
        widest = max(map(width, fusion.dtypes()))
        self.lanes = lanes_for(widest, 2 if fusion.is_heavy else 4)
        self.guards: list[Step] = [step for step in fusion.steps if self.guarded(step)]
        self.kept: dict[int, ir.Value] = {
            at: emitter.memory(fusion.steps[at].dtype, self.dims[-1:])
            for sweep in self.sweeps
            for at in sweep.kept
        }

    def guarded(self, step: Step) -> bool:
        """True if some element of a step may have no result; a single divisor is tested here."""
        refuses, last = step.element.refuses, step.operands[-1]
        if refuses is None:
            return False
        if isinstance(last, Scalar):
            self.emitter.step_aside(refuses(self.builder, [last.value, last.value]))
            return False
        return True

    def collapsed(self) -> tuple[list[ir.Value], list[list[bool]]]:
        """The dims of the loops, and for each array whether it goes along with them: neighbours
        for which all arrays agree are one.
        """
        builder, rank = self.builder, len(self.fusion.dims)
        along = [self.along(array) for array in self.arrays]
        dims: list[ir.Value] = []
        kinds: list[list[bool]] = []
        for at in range(rank):
            dim = self.fusion.dims[at]
            kind = [flags[at] for flags in along]
            if dim.constant == 1:
                continue
            is_row = bool(self.fusion.numbers) and at == rank - 1
            if dims and kinds[-1] == kind and not is_row:
                dims[-1] = builder.mul(dims[-1], dim)
            else:
                dims.append(dim)
                kinds.append(kind)
        if not dims:
            dims, kinds = [int64(1)], [[True] * len(self.arrays)]
        return dims, kinds

    def along(self, array: Array) -> list[bool]:
        """For each dimension of the loop, whether the array has it, or is broadcast."""
        missing = len(self.fusion.dims) - len(array.dims)
        return [False] * missing + [dim.constant != 1 for dim in array.dims]

    def run(self) -> tuple[list[Array], list[Array], list[Scalar]]:
        """Emit the loops: by parts, where they are long."""
        self.emitter.read(self.emitter.builder.size_of(self.dims))
        outermost, each = self.work()
        if outermost * each < SHARED or self.guards or self.bytes_kept() > MOST_KEPT:
            found = self.loops()
        else:
            size = max(1, SIZE // each)
            if len(self.dims) == 1:
                size = max(size // ALIGNED, 1) * ALIGNED
            found = self.shared(outermost, size)
        return [*self.made.values()], [*self.of_rows.values()], self.results(found)

    def shared(self, outermost: int, size: int) -> Carried:
        """Emit them as a function of a part, and its calls: what is carried out of each part is put
        together in the order of the parts.
        """
        # The stack is asked for it before the body begins.
        self.emitter.frame -= self.bytes_kept()
        sums = [Partial(self.emitter, sink, -(-outermost // size)) for sink in self.fusion.totals]
        part = OutlinedPart(self.emitter)
        inner = self.within(part)
        found = inner.loops()
        for each, sink in zip(sums, inner.fusion.totals, strict=True):
            each.keep(part, size, found[sink])
        part.run(int64(outermost), size)
        return {
            sink: each.together(self.builder)
            for sink, each in zip(self.fusion.totals, sums, strict=True)
        }

    def bytes_kept(self) -> int:
        """The bytes that are kept of a row, whose length is known then, for its later loops."""
        steps = self.fusion.steps
        return (self.dims[-1].constant or 0) * sum(steps[at].dtype.size for at in self.kept)

    def work(self) -> tuple[int, int]:
        """The places in the outermost dim, and what each of them costs, in cheap ops on elements;
        nothing, where a dim is unknown.
        """
        dims = [dim.constant for dim in self.dims]
        steps = [self.fusion.steps[at] for sweep in self.sweeps for at in sweep.computed]
        each = sum([HEAVY if step.element.heavy else 1 for step in steps])
        each += len(self.fusion.sinks)
        known = [dim for dim in dims if dim is not None]
        if len(known) < len(dims):
            return 0, 0
        return known[0], each * math.prod(known[1:])

    def within(self, part: OutlinedPart) -> Nest:
        """The same loops in another function, over a part of the outermost dim."""

        def moved(item: Operand) -> Operand:
            if isinstance(item, Array):
                return part.array(item)
            return part.scalar(item) if isinstance(item, Scalar) else item

        def step_moved(step: Step) -> Any:
            return replace(step, operands=list(map(moved, step.operands)))

        def sink_moved(sink: Sink) -> Any:
            return replace(sink, operand=moved(sink.operand))

        made = copy(self)
        made.builder = part.builder
        made.fusion = replace(
            self.fusion,
            steps=list(map(step_moved, self.fusion.steps)),
            numbers=[
                step_moved(number) if isinstance(number, RowStep) else sink_moved(number)
                for number in self.fusion.numbers
            ],
            totals=list(map(sink_moved, self.fusion.totals)),
        )
        made.sweeps = sweeps_of(made.fusion, self.stored)
        made.arrays = list(map(part.array, self.arrays))
        made.made = {at: part.array(array) for at, array in self.made.items()}
        made.of_rows = {at: part.array(array) for at, array in self.of_rows.items()}
        length = self.dims[-1].constant
        made.kept = {
            at: part.builder.scratch(stored(made.fusion.steps[at].dtype), length or 0)
            for at in self.kept
        }
        made.dims = [part.builder.sub(part.end, part.first), *self.dims[1:]]
        made.first = part.first
        return made

    def loops(self) -> Carried:
        """Emit the loops in one piece; gives what they carry out."""
        *outer, length = self.dims
        lanes = self.strip(length, [], []).lanes
        carried: Carried = {sink: sink.accumulator.start(lanes) for sink in self.fusion.totals}
        for step in self.guards:
            carried[step] = [ir.Constant(ir.VectorType(ir.BIT, lanes), 0)]
        if outer and carried:
            return self.over_rows(outer, length, carried)
        with self.rows(outer) as indices:
            return self.row(indices, length, carried)

    @contextmanager
    def rows(self, outer: Sequence[ir.Value]) -> Iterator[list[ir.Value]]:
        """The loops over all dims but the last one; gives the places in them."""
        with ExitStack() as loops:
            indices = [loops.enter_context(self.builder.counted(dim)) for dim in outer]
            if outer:
                indices[0] = self.builder.add(self.first, indices[0])
            yield indices

    def over_rows(self, outer: Sequence[ir.Value], length: ir.Value, carried: Carried) -> Carried:
        """Rows that carry something: it goes through memory from row to row."""
        builder = self.builder
        types = {key: [value.type for value in values] for key, values in carried.items()}
        places = {key: [builder.scratch(type, 1) for type in types[key]] for key in carried}

        def store_all(carried: Carried) -> None:
            for key, values in carried.items():
                for value, pointer in zip(values, places[key], strict=True):
                    builder.store(value, pointer)

        def load_all() -> Carried:
            return {
                key: [
                    builder.load(pointer, typ=type)
                    for pointer, type in zip(places[key], types[key], strict=True)
                ]
                for key in carried
            }

        store_all(carried)
        with self.rows(outer) as indices:
            store_all(self.row(indices, length, load_all()))
        return load_all()

    def results(self, carried: Carried) -> list[Scalar]:
        """The reductions of all elements, of what the loops carried out."""
        made = []
        for sink in self.fusion.totals:
            value = sink.accumulator.finish(self.builder, carried[sink], self.fusion.dims)
            made.append(Scalar(value, sink.target.type))
        for step in self.guards:
            accumulator = Accumulator("reduce_any", dtypes.bool)
            self.emitter.step_aside(accumulator.finish(self.builder, carried[step], []))
        return made

    def strip(self, length: ir.Value, sources: Sequence[Any], sinks: Sequence[Any]) -> Strip:
        return Strip(self.builder, length, self.lanes, sources, sinks)

    def row(self, indices: Sequence[ir.Value], length: ir.Value, carried: Carried) -> Carried:
        """The loops over one row."""
        numbers: dict[int, ir.Value] = {}
        for sweep in self.sweeps:
            carried = RowLoop(self, sweep, indices, length, numbers).run(carried)
        if self.of_rows:
            at = self.offset([*[True] * len(indices), False], indices, length)
            for number, array in self.of_rows.items():
                to = self.builder.place(array.pointer, at, array.dtype)
                self.builder.store_element(numbers[number], to, array.dtype)
        return carried

    def start(
        self,
        pointer: ir.Value,
        dtype: DType,
        number: int,
        indices: Sequence[ir.Value],
        length: ir.Value,
    ) -> ir.Value:
        """The first element of an array in this row."""
        along = [kinds[number] for kinds in self.strides]
        return self.builder.place(pointer, self.offset(along, indices, length), dtype)

    def offset(
        self, along: Sequence[bool], indices: Sequence[ir.Value], length: ir.Value
    ) -> ir.Value:
        """The number of elements before this row, of an array that has some of the dims."""
        builder = self.builder
        total: ir.Value = int64(0)
        for at, index in enumerate(indices):
            if along[at]:
                dim = self.dims[at]
                total = builder.add(builder.mul(total, dim), index)
        if not along[-1]:
            return total
        return builder.mul(total, length) if indices else self.first
