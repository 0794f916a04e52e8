"""Loops over elements: along axes, and of a row by vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from runtime.dtypes import DType
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import AHEAD, Builder, Loop
from runtime.graph.executors.native.machine import vector_bytes
from runtime.graph.executors.native.values import int64, known, stored, width

MOST_TURNED = 8
"""Rows of a square that is turned in registers."""


def lanes_for(size: int, registers: int = 2) -> int:
    """The elements of this size that so many vector registers hold."""
    return registers * vector_bytes() // size


# Axes


class Axis(NamedTuple):
    """An axis that two arrays have: its size, and the elements from one place on it to the next,
    in the first array and in the second one.
    """

    count: ir.Value  # type: ignore[assignment]  # a tuple's method
    first: ir.Value
    second: ir.Value = int64(0)


def merged(builder: Builder, axes: Sequence[Axis]) -> list[Axis]:
    """The same places on as few axes as can be."""
    made: list[Axis] = []
    for axis in axes:
        if axis.count.constant == 1:
            continue
        last = made[-1] if made else None
        if last and all(
            step.constant is not None and step.constant == builder.mul(axis.count, inner).constant
            for step, inner in zip(last[1:], axis[1:], strict=True)
        ):
            made[-1] = axis._replace(count=builder.mul(last.count, axis.count))
        else:
            made.append(axis)
    return made or [Axis(int64(1), int64(1), int64(1))]


def moved(
    builder: Builder,
    dtype: DType,
    target: ir.Value,
    source: ir.Value,
    axes: Sequence[Axis],
) -> None:
    """Copy elements along axes, of which the source is the first array, the target the second."""
    *outer, last = merged(builder, axes)
    lanes = min(lanes_for(dtype.size, 1), MOST_TURNED)
    across = next((axis for axis in outer if _is_turned(axis, last, lanes)), None)
    with ExitStack() as loops:
        for axis in outer:
            if axis is across:
                continue
            at = loops.enter_context(builder.counted(axis.count))
            source = builder.place(source, builder.mul(at, axis.first), dtype)
            target = builder.place(target, builder.mul(at, axis.second), dtype)
        if across is not None:
            _turn(builder, dtype, target, source, (across, last), lanes)
        elif last.second.constant == 1 and last.first.constant == 1 and last.count.constant != 1:
            builder.copy(target, source, builder.bytes_of(last.count, dtype))
        elif last.second.constant == 1 and last.first.constant == 0:
            spread(builder, dtype, target, builder.load_element(source, dtype), last.count)
        else:
            at = loops.enter_context(builder.counted(last.count))
            element = builder.place(source, builder.mul(at, last.first), dtype)
            to = builder.place(target, builder.mul(at, last.second), dtype)
            bits = builder.load(element, typ=stored(dtype), align=dtype.size)
            builder.store(bits, to, align=dtype.size)


def _is_turned(across: Axis, last: Axis, lanes: int) -> bool:
    """Whether a matrix is turned: elements next to each other become those of a column."""
    return (
        (across.first.constant, last.second.constant) == (1, 1)
        and last.first.constant not in (None, 0, 1)
        and min(across.count.constant or 0, last.count.constant or 0) >= lanes > 1
    )


def _turn(
    builder: Builder,
    dtype: DType,
    target: ir.Value,
    source: ir.Value,
    axes: tuple[Axis, Axis],
    lanes: int,
) -> None:
    """Copy a matrix turned, by squares in registers."""
    across, last = axes
    type = ir.VectorType(stored(dtype), lanes)
    with (
        builder.stepped(across.count, lanes) as at,
        builder.stepped(last.count, lanes) as along,
    ):
        row = builder.within(at, known(across.count), lanes)
        column = builder.within(along, known(last.count), lanes)
        source = builder.place(source, builder.add(row, builder.mul(column, last.first)), dtype)
        to = builder.add(builder.mul(row, across.second), column)
        target = builder.place(target, to, dtype)
        square: list[ir.Value] = []
        for line in range(lanes):
            pointer = builder.place(source, builder.mul(int64(line), last.first), dtype)
            square.append(builder.load(pointer, typ=type, align=dtype.size))
        half = lanes // 2
        while half:
            # Of each pair of rows, parts of the first one change places with parts of the second.
            firsts = [c - half + lanes if c & half else c for c in range(lanes)]
            seconds = [c + lanes if c & half else c + half for c in range(lanes)]
            for line in range(lanes):
                if line & half:
                    continue
                pair = square[line], square[line + half]
                for place_, mask in ((line, firsts), (line + half, seconds)):
                    numbers = ir.Constant(ir.VectorType(ir.INT32, lanes), mask)
                    square[place_] = builder.shuffle_vector(*pair, numbers)
            half //= 2
        for line, vector in enumerate(square):
            pointer = builder.place(target, builder.mul(int64(line), across.second), dtype)
            builder.store(vector, pointer, align=dtype.size)


def spread(
    builder: Builder, dtype: DType, target: ir.Value, value: ir.Value, count: ir.Value
) -> None:
    """Set neighbouring elements to one value."""
    strip = Strip(builder, count, lanes_for(width(dtype), 1), [], [(target, dtype)])
    many = builder.splat(value, strip.lanes)
    strip.run([], lambda at, vectors, state: ([many], []))


# Loops


Source = tuple[ir.Value, DType]
Values = Sequence[ir.Value]
Body = Callable[[ir.Value, Values, Values], tuple[Values, Values]]


class Strip:
    """The elements of a row, by vectors: sources are loaded, and the results stored in sinks.

    Rows have `count` elements. Where that is no multiple of the lanes, the last vector begins
    before the others end, and computes some elements twice, which changes nothing: no sink is a
    source. Rows that are shorter than a vector are copied to longer ones, and back.

    `valid` are the lanes of a vector that were not there before. Sums and the like are told by them
    what to take. None where all are new, or may be taken twice.
    """

    def __init__(
        self,
        builder: Builder,
        count: ir.Value,
        lanes: int,
        sources: Sequence[Source],
        sinks: Sequence[Source],
    ) -> None:
        self.builder, self.count, self.sources, self.sinks = builder, count, sources, sinks
        known = count.constant
        while known is not None and known < lanes > 1:
            lanes //= 2
        self.lanes = lanes
        self.known = known
        self.valid: ir.Value | None = None

    def run(
        self,
        carried: Sequence[ir.Value],
        body: Body,
        once: bool = False,
    ) -> Sequence[ir.Value]:
        """Emit the loop. `body(place, vectors of the sources, carried)` gives the vectors of the
        sinks, and what is carried on, which takes no element twice if `once`.
        """
        builder, lanes, count = self.builder, self.lanes, self.count
        short: ir.Value | None = None
        sources = [pointer for pointer, _ in self.sources]
        sinks = [pointer for pointer, _ in self.sinks]
        length = count
        if self.known is None:
            short = builder.icmp_signed("<", count, int64(lanes))
            sources, sinks = self.lengthened(short, sources, sinks)
            empty = builder.icmp_signed("==", count, int64(0))
            longer = builder.select(short, int64(lanes), count)
            length = builder.select(empty, int64(0), longer)
        loop = Loop(builder, length, lanes, carried)
        at = loop.index
        exact = self.known is not None and self.known % lanes == 0
        if not exact:
            last = builder.add(length, int64(-lanes))
            inside = builder.icmp_signed("<", at, last)
            at = builder.select(inside, at, last)
            if carried and (once or self.known is None):
                self.valid = self.new_lanes(loop.index, at)
        vectors = []
        for pointer, (_, dtype) in zip(sources, self.sources, strict=True):
            pointer = builder.place(pointer, at, dtype)
            self.fetch(pointer, dtype, is_written=False)
            vectors.append(builder.load_element(pointer, dtype, lanes))
        results, following = body(at, vectors, loop.values)
        for value, pointer, (_, dtype) in zip(results, sinks, self.sinks, strict=True):
            pointer = builder.place(pointer, at, dtype)
            self.fetch(pointer, dtype, is_written=True)
            builder.store_element(value, pointer, dtype)
        found = loop.close(following)
        if short is not None and self.sinks:
            with builder.if_then(short):
                for (pointer, dtype), inner in zip(self.sinks, sinks, strict=True):
                    builder.copy(pointer, inner, builder.bytes_of(count, dtype))
        return found

    def fetch(self, pointer: ir.Value, dtype: DType, *, is_written: bool) -> None:
        """Fetch the memory of vectors to come, or of the next rows, unless rows are short."""
        if self.known is None or self.known * dtype.size >= AHEAD:
            self.builder.fetch(pointer, self.lanes * dtype.size, is_written=is_written)

    def lengthened(
        self, short: ir.Value, sources: list[ir.Value], sinks: list[ir.Value]
    ) -> tuple[list[ir.Value], list[ir.Value]]:
        """The pointers to vectors that rows are copied to where they are too short for one."""
        builder = self.builder
        inner = [
            builder.scratch(stored(dtype), self.lanes) for _, dtype in (*self.sources, *self.sinks)
        ]
        with builder.if_then(short):
            for (pointer, dtype), made in zip(self.sources, inner, strict=False):
                builder.clear(made, int64(self.lanes * dtype.size))
                builder.copy(made, pointer, builder.bytes_of(self.count, dtype))
        chosen = [
            builder.select(short, made, pointer)
            for made, pointer in zip(inner, (*sources, *sinks), strict=True)
        ]
        return chosen[: len(sources)], chosen[len(sources) :]

    def new_lanes(self, index: ir.Value, at: ir.Value) -> ir.Value:
        """The lanes of the vector at `at` that belong to the one at `index`, and to the row."""
        builder, lanes = self.builder, self.lanes
        numbers = ir.Constant(ir.VectorType(ir.INT32, lanes), list(range(lanes)))
        skipped = builder.trunc(builder.sub(index, at), ir.INT32)
        valid = builder.icmp_signed(">=", numbers, builder.splat(skipped, lanes))
        if self.known is None:
            most = builder.select(
                builder.icmp_signed("<", self.count, int64(lanes)), self.count, int64(lanes)
            )
            ends = builder.splat(builder.trunc(most, ir.INT32), lanes)
            valid = builder.and_(valid, builder.icmp_signed("<", numbers, ends))
        return valid
