"""Loops over the elements of arrays: elementwise kernels of one shape are one loop, with what they
hand to each other in registers.

Kernels are collected until somebody needs what they compute: then the loop is emitted. Arrays of
fewer elements are broadcast, by rows, by columns or as a whole; reductions of all elements that
the loop computes are made in it, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from runtime import dtypes
from runtime.dtypes import DType
from runtime.graph.executors.native.elements import safe
from runtime.graph.executors.native.fusion import Fusion, Operand, Sink, Step
from runtime.graph.executors.native.loops import (
    Loop,
    Strip,
    counted,
    lanes_for,
    load,
    place,
    plus,
    scratch,
    splat,
    store,
    times,
)
from runtime.graph.executors.native.reductions import Accumulator
from runtime.graph.executors.native.sharing import Part
from runtime.graph.executors.native.values import BIT, Array, Held, Scalar, int64, static

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter


SHARED = 1 << 20
"""Cheap ops on elements that are worth being shared by threads."""

SIZE = 1 << 17
"""As many are a part, whatever the number of threads."""

ALIGNED = 64
"""Elements that a part is a multiple of, where it is of one row: it begins as its array does."""

HEAVY = 8
"""Cheap ops that a function like `exp` stands for."""


def emit(emitter: Emitter, fusion: Fusion, stored: Sequence[int]) -> tuple[list[Array], list[Held]]:
    """Emit the loop of a fusion: gives the arrays of the steps that are to be stored, and the
    results of its reductions.
    """
    with emitter.timed(fusion.nodes):
        return Nest(emitter, fusion, stored).run()


class Partial:
    """The results of a reduction for each part of a loop, in memory."""

    def __init__(self, emitter: Emitter, sink: Sink, parts: int) -> None:
        self.accumulator, self.parts = sink.accumulator, parts
        self.pointer = emitter.memory(self.accumulator.dtype, [int64(parts)])

    def keep(self, part: Part, size: int, state: Sequence[ir.Value]) -> None:
        """Write down what a part gives."""
        builder = part.builder
        value = self.accumulator.gathered_lanes(builder, state)
        at = builder.sdiv(part.first, int64(size))
        store(builder, value, place(builder, part.value(self.pointer), at, self.dtype), self.dtype)

    @property
    def dtype(self) -> DType:
        """The dtype of the results."""
        return self.accumulator.dtype

    def together(self, builder: ir.IRBuilder) -> list[ir.Value]:
        """The state of a reduction of all parts, one after the other."""
        accumulator = self.accumulator
        loop = Loop(builder, int64(self.parts), 1, [accumulator.neutral])
        more = load(builder, place(builder, self.pointer, loop.index, self.dtype), self.dtype)
        (found,) = loop.close([accumulator.combine(builder, loop.values[0], more)])
        return accumulator.state_of(builder, found)


class Nest:
    """The loops of one fusion: over rows, and by vectors over each."""

    first: ir.Value = int64(0)
    """The first place in the outermost dim, where that is cut into parts."""

    def __init__(self, emitter: Emitter, fusion: Fusion, stored: Sequence[int]) -> None:
        self.emitter, self.builder, self.fusion = emitter, emitter.builder, fusion
        self.stored = stored
        self.arrays = fusion.arrays()
        self.made = [
            emitter.allocate(fusion.steps[at].dtype, fusion.dims, fusion.steps[at].target)
            for at in stored
        ]
        self.of_rows = [
            emitter.allocate(sink.accumulator.dtype, sink.dims, sink.target) for sink in fusion.rows
        ]
        self.dims, self.strides = self.collapsed()
        widest = max(dtype.size for dtype in fusion.dtypes())
        heavy = any(step.element.heavy for step in fusion.steps)
        self.lanes = lanes_for(widest, 2 if heavy else 4)
        self.guards = [step for step in fusion.steps if self.guarded(step)]

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
            if static(dim) == 1:
                continue
            is_row = bool(self.of_rows) and at == rank - 1
            if dims and kinds[-1] == kind and not is_row:
                dims[-1] = times(builder, dims[-1], dim)
            else:
                dims.append(dim)
                kinds.append(kind)
        if not dims:
            dims, kinds = [int64(1)], [[True] * len(self.arrays)]
        return dims, kinds

    def along(self, array: Array) -> list[bool]:
        """For each dimension of the loop, whether the array has it, or is broadcast."""
        missing = len(self.fusion.dims) - len(array.dims)
        return [False] * missing + [static(dim) != 1 for dim in array.dims]

    def run(self) -> tuple[list[Array], list[Held]]:
        """Emit the loops: by parts, where they are long."""
        self.emitter.read(self.emitter.size(self.dims))
        outermost, each = self.work()
        if outermost * each < SHARED or self.guards:
            return self.made, self.results(self.loops())
        size = max(1, SIZE // each)
        if len(self.dims) == 1:
            size = max(size // ALIGNED, 1) * ALIGNED
        return self.made, self.results(self.shared(outermost, size))

    def shared(self, outermost: int, size: int) -> list[ir.Value]:
        """Emit them as a function of a part, and its calls: what is carried out of each part is put
        together in the order of the parts.
        """
        sums = [Partial(self.emitter, sink, -(-outermost // size)) for sink in self.fusion.totals]
        part = Part(self.emitter)
        inner = self.within(part)
        found = inner.loops()
        for each in sums:
            count = each.accumulator.count
            each.keep(part, size, found[:count])
            del found[:count]
        part.run(int64(outermost), size)
        return [state for each in sums for state in each.together(self.builder)]

    def work(self) -> tuple[int, int]:
        """The places in the outermost dim, and what each of them costs, in cheap ops on elements;
        nothing, where a dim is unknown.
        """
        dims = [static(dim) for dim in self.dims]
        each = sum([HEAVY if step.element.heavy else 1 for step in self.fusion.steps])
        each += len(self.fusion.sinks)
        known = [dim for dim in dims if dim is not None]
        if len(known) < len(dims):
            return 0, 0
        return known[0], each * math.prod(known[1:])

    def within(self, part: Part) -> Nest:
        """The same loops in another function, over a part of the outermost dim."""

        def moved(item: Operand) -> Operand:
            if isinstance(item, Array):
                return part.array(item)
            return part.scalar(item) if isinstance(item, Scalar) else item

        made = copy(self)
        made.builder = part.builder
        made.fusion = replace(
            self.fusion,
            steps=[
                replace(step, operands=list(map(moved, step.operands)))
                for step in self.fusion.steps
            ],
            rows=[replace(sink, operand=moved(sink.operand)) for sink in self.fusion.rows],
            totals=[replace(sink, operand=moved(sink.operand)) for sink in self.fusion.totals],
        )
        made.of_rows = list(map(part.array, self.of_rows))
        made.arrays = list(map(part.array, self.arrays))
        made.made = list(map(part.array, self.made))
        made.dims = [part.builder.sub(part.end, part.first), *self.dims[1:]]
        made.first = part.first
        return made

    def loops(self) -> list[ir.Value]:
        """Emit the loops in one piece; gives what they carry out."""
        *outer, length = self.dims
        carried: list[ir.Value] = []
        lanes = self.strip(length, [], []).lanes
        for sink in self.fusion.totals:
            carried += sink.accumulator.start(lanes)
        carried += [ir.Constant(ir.VectorType(BIT, lanes), [0] * lanes) for _ in self.guards]
        if outer and (carried or self.of_rows):
            return self.over_rows(outer, length, carried)
        with self.rows(outer) as indices:
            return list(self.row(indices, length, carried))

    @contextmanager
    def rows(self, outer: Sequence[ir.Value]) -> Iterator[list[ir.Value]]:
        """The loops over all dims but the last one; gives the places in them."""
        with ExitStack() as loops:
            indices = [loops.enter_context(counted(self.builder, dim)) for dim in outer]
            if outer:
                indices[0] = plus(self.builder, self.first, indices[0])
            yield indices

    def over_rows(
        self, outer: Sequence[ir.Value], length: ir.Value, carried: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """Rows with reductions: what they carry goes through memory from row to row."""
        builder = self.builder
        places = [scratch(builder, value.type, 1) for value in carried]
        for value, pointer in zip(carried, places, strict=True):
            builder.store(value, pointer)
        with self.rows(outer) as indices:
            given = [
                builder.load(pointer, typ=value.type)
                for value, pointer in zip(carried, places, strict=True)
            ]
            found = self.totalled(indices, length, given)
            for value, pointer in zip(found, places, strict=True):
                builder.store(value, pointer)
        return [
            builder.load(pointer, typ=value.type)
            for value, pointer in zip(carried, places, strict=True)
        ]

    def totalled(
        self, indices: Sequence[ir.Value], length: ir.Value, given: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """The loop over one row, of which reductions are written down; gives what others carry."""
        builder, sinks = self.builder, self.fusion.rows
        lanes = self.strip(length, [], []).lanes
        state = [value for sink in sinks for value in sink.accumulator.start(lanes)]
        found = list(self.row(indices, length, [*state, *given]))
        number = self.offset([*[True] * len(indices), False], indices, length)
        for sink, array in zip(sinks, self.of_rows, strict=True):
            count, dtype = sink.accumulator.count, array.dtype
            value = sink.accumulator.finish(builder, found[:count], [length])
            store(builder, value, place(builder, array.pointer, number, dtype), dtype)
            del found[:count]
        return found

    def results(self, found: Sequence[ir.Value]) -> list[Held]:
        """The results of reductions, of what the loops carried out."""
        made: list[Held] = [*self.of_rows]
        rest = list(found)
        for sink in self.fusion.totals:
            count = sink.accumulator.count
            value = sink.accumulator.finish(self.builder, rest[:count], self.fusion.dims)
            made.append(Scalar(value, sink.target.type))
            del rest[:count]
        for bits in rest:
            accumulator = Accumulator("reduce_any", dtypes.bool)
            self.emitter.step_aside(accumulator.finish(self.builder, [bits], []))
        return made

    def strip(self, length: ir.Value, sources: Sequence[Any], sinks: Sequence[Any]) -> Strip:
        return Strip(self.builder, length, self.lanes, sources, sinks)

    def row(
        self, indices: Sequence[ir.Value], length: ir.Value, carried: Sequence[ir.Value]
    ) -> Sequence[ir.Value]:
        """The loop over one row."""
        builder = self.builder
        sources = []
        fixed: dict[int, ir.Value] = {}
        moving: list[Array] = []
        for number, array in enumerate(self.arrays):
            pointer = self.start(array.pointer, array.dtype, number, indices, length)
            if self.strides[-1][number]:
                sources.append((pointer, array.dtype))
                moving.append(array)
            else:
                fixed[id(array)] = load(builder, pointer, array.dtype)
        offset = self.offset([True] * len(self.dims), indices, length)
        sinks = [(place(builder, a.pointer, offset, a.dtype), a.dtype) for a in self.made]
        strip = self.strip(length, sources, sinks)
        known = {key: splat(builder, value, strip.lanes) for key, value in fixed.items()}
        for step in self.fusion.steps:
            for item in step.operands:
                if isinstance(item, Scalar) and id(item) not in known:
                    known[id(item)] = splat(builder, item.value, strip.lanes)

        def body(
            at: ir.Value, vectors: Sequence[ir.Value], state: Sequence[ir.Value]
        ) -> tuple[Sequence[ir.Value], Sequence[ir.Value]]:
            values = known | {id(a): v for a, v in zip(moving, vectors, strict=True)}
            made: list[ir.Value] = []
            refused: list[ir.Value] = []

            def value(item: Operand) -> ir.Value:
                return made[item] if isinstance(item, int) else values[id(item)]

            for step in self.fusion.steps:
                made.append(self.computed(step, list(map(value, step.operands)), refused))
            following, rest = [], list(state)
            for sink in self.fusion.sinks:
                count = sink.accumulator.count
                given = value(sink.operand)
                following += sink.accumulator.take(builder, rest[:count], given, strip.valid)
                del rest[:count]
            for bits, more in zip(rest, refused, strict=True):
                if strip.valid is not None:
                    more = builder.and_(more, strip.valid)
                following.append(builder.or_(bits, more))
            return [made[at] for at in self.stored], following

        return strip.run(carried, body, bool(carried))

    def computed(
        self, step: Step, operands: Sequence[ir.Value], refused: list[ir.Value]
    ) -> ir.Value:
        """A vector of a step; `refused` gets the lanes that have no result."""
        element = step.element
        if element.refuses is not None and step in self.guards:
            refused.append(element.refuses(self.builder, operands))
            operands = safe(self.builder, element, operands, refused[-1])
        return element.emit(self.builder, operands)

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
        return place(self.builder, pointer, self.offset(along, indices, length), dtype)

    def offset(
        self, along: Sequence[bool], indices: Sequence[ir.Value], length: ir.Value
    ) -> ir.Value:
        """The number of elements before this row, of an array that has some of the dims."""
        builder = self.builder
        total: ir.Value = int64(0)
        for at, index in enumerate(indices):
            if along[at]:
                dim = self.dims[at]
                total = plus(builder, times(builder, total, dim), index)
        if not along[-1]:
            return total
        return times(builder, total, length) if indices else self.first
