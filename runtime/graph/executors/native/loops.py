"""Loops: over counts, and over the elements of a row by vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from runtime.dtypes import DType
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.halves import narrowed, widened
from runtime.graph.executors.native.machine import vector_bytes
from runtime.graph.executors.native.values import (
    BIT,
    BYTE,
    FLOAT32,
    INT32,
    INT64,
    POINTER,
    int64,
    is_half,
    known,
    register,
    static,
    stored,
    width,
)

# Integers, computed now where they are known


def times(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """The product of two counts."""
    known, other = static(a), static(b)
    if known is not None and other is not None:
        return int64(known * other)
    if known == 1 or other == 0:
        return b
    return a if other == 1 or known == 0 else builder.mul(a, b)


def plus(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """The sum of two counts."""
    known, other = static(a), static(b)
    if known is not None and other is not None:
        return int64(known + other)
    if known == 0:
        return b
    return a if other == 0 else builder.add(a, b)


def size_of(builder: ir.IRBuilder, dims: Sequence[ir.Value]) -> ir.Value:
    """The number of elements of an array."""
    size: ir.Value = int64(1)
    for dim in dims:
        size = times(builder, size, dim)
    return size


def place(builder: ir.IRBuilder, pointer: ir.Value, offset: ir.Value, dtype: DType) -> ir.Value:
    """The pointer to an element."""
    if static(offset) == 0:
        return pointer
    return builder.gep(pointer, [offset], source_etype=stored(dtype))


# Memory


def load(builder: ir.IRBuilder, pointer: ir.Value, dtype: DType, lanes: int = 0) -> ir.Value:
    """An element in a register, or a vector of so many."""
    kind, held = stored(dtype), register(dtype)
    if lanes:
        kind, held = ir.VectorType(kind, lanes), ir.VectorType(held, lanes)
    found = builder.load(pointer, typ=kind, align=dtype.size)
    if is_half(dtype):
        return widened(builder, found, dtype)
    return builder.trunc(found, held) if dtype.is_bool else found


def store(builder: ir.IRBuilder, value: ir.Value, pointer: ir.Value, dtype: DType) -> None:
    """Write what is in a register, an element or a vector, to memory."""
    if dtype.is_bool:
        type = value.type
        wide = ir.VectorType(BYTE, type.count) if isinstance(type, ir.VectorType) else BYTE
        value = builder.zext(value, wide)
    elif is_half(dtype):
        value = narrowed(builder, value, dtype)
    builder.store(value, pointer, align=dtype.size)


def load_first(
    builder: ir.IRBuilder, pointer: ir.Value, dtype: DType, lanes: int, count: int
) -> ir.Value:
    """A vector of whose lanes the first ones are elements of a float, and the others 0: there may
    be no memory. It is not for level 0.
    """
    type = ir.VectorType(register(dtype), lanes)
    mask, align = _first(lanes, count), ir.Constant(INT32, dtype.size)
    kinds = [POINTER, INT32, mask.type, type]
    function = _masked(builder, "load", ir.FunctionType(type, kinds), type)
    return builder.call(function, [pointer, align, mask, ir.Constant(type, 0.0)])


def store_first(
    builder: ir.IRBuilder, value: ir.Value, pointer: ir.Value, dtype: DType, count: int
) -> None:
    """Write the first lanes of a vector of floats."""
    mask, align = _first(value.type.count, count), ir.Constant(INT32, dtype.size)
    kind = ir.FunctionType(ir.VoidType(), [value.type, POINTER, INT32, mask.type])
    function = _masked(builder, "store", kind, value.type)
    builder.call(function, [value, pointer, align, mask])


def _first(lanes: int, count: int) -> ir.Constant:
    return ir.Constant(ir.VectorType(BIT, lanes), [int(at < count) for at in range(lanes)])


def _masked(
    builder: ir.IRBuilder, way: str, kind: ir.FunctionType, type: ir.VectorType
) -> ir.Function:
    letters = "f32" if type.element == FLOAT32 else "f64"
    module, name = builder.module, f"llvm.masked.{way}.v{type.count}{letters}.p0"
    return module.declared(name, kind)


AHEAD = 2048
"""Bytes from what is read or written to what is fetched for it, from memory that is farther away
than a loop sees.
"""

LINE = 64

MOST_TURNED = 8
"""Rows of a square that is turned in registers."""


def fetch(builder: ir.IRBuilder, pointer: ir.Value, size: int, *, is_written: bool) -> None:
    """Have so many bytes, which are `AHEAD` of a pointer, near when they are needed. There may be
    no memory.
    """
    module, name = builder.module, "llvm.prefetch.p0"
    kind = ir.FunctionType(ir.VoidType(), [POINTER, INT32, INT32, INT32])
    function = module.declared(name, kind)
    near, data = ir.Constant(INT32, 3), ir.Constant(INT32, 1)
    for offset in range(AHEAD, AHEAD + size, LINE):
        at = builder.gep(pointer, [int64(offset)], source_etype=BYTE)
        builder.call(function, [at, ir.Constant(INT32, int(is_written)), near, data])


def splat(builder: ir.IRBuilder, value: ir.Value, lanes: int) -> ir.Value:
    """A vector that is the same everywhere."""
    type = ir.VectorType(value.type, lanes)
    if isinstance(value, ir.Constant):
        return ir.Constant(type, value.constant)
    one = builder.insert_element(ir.Constant(type, ir.Poison), value, ir.Constant(INT32, 0))
    mask = ir.Constant(ir.VectorType(INT32, lanes), 0)
    return builder.shuffle_vector(one, ir.Constant(type, ir.Poison), mask)


def lanes_for(size: int, registers: int = 2) -> int:
    """The elements of this size that so many vector registers hold."""
    return registers * vector_bytes() // size


def copy(builder: ir.IRBuilder, target: ir.Value, source: ir.Value, size: ir.Value) -> None:
    """Copy bytes that do not overlap."""
    _copied(builder, "memcpy", target, source, size)


def move(builder: ir.IRBuilder, target: ir.Value, source: ir.Value, size: ir.Value) -> None:
    """Copy bytes that may overlap."""
    _copied(builder, "memmove", target, source, size)


def _copied(
    builder: ir.IRBuilder, name: str, target: ir.Value, source: ir.Value, size: ir.Value
) -> None:
    kind = ir.FunctionType(ir.VoidType(), [POINTER, POINTER, INT64, BIT])
    function = builder.module.declared(f"llvm.{name}.p0.p0.i64", kind)
    builder.call(function, [target, source, size, ir.Constant(BIT, 0)])


def clear(builder: ir.IRBuilder, target: ir.Value, size: ir.Value) -> None:
    """Make bytes zero."""
    module = builder.module
    kind = ir.FunctionType(ir.VoidType(), [POINTER, BYTE, INT64, BIT])
    name = "llvm.memset.p0.i64"
    function = module.declared(name, kind)
    builder.call(function, [target, ir.Constant(BYTE, 0), size, ir.Constant(BIT, 0)])


def bytes_of(builder: ir.IRBuilder, count: ir.Value, dtype: DType) -> ir.Value:
    """The bytes that so many elements take."""
    return times(builder, count, int64(dtype.size))


def scratch(builder: ir.IRBuilder, type: ir.Type, count: int, align: int = 64) -> ir.Value:
    """Memory of the function's frame, which is there once, also within loops."""
    with builder.goto_entry_block():
        return builder.alloca(ir.ArrayType(type, count), align=align)


# Axes


class Axis(NamedTuple):
    """An axis that two arrays have: its size, and the elements from one place on it to the next,
    in the first array and in the second one.
    """

    count: ir.Value  # type: ignore[assignment]  # a tuple's method
    first: ir.Value
    second: ir.Value = int64(0)


def merged(builder: ir.IRBuilder, axes: Sequence[Axis]) -> list[Axis]:
    """The same places on as few axes as can be."""
    made: list[Axis] = []
    for axis in axes:
        if static(axis.count) == 1:
            continue
        last = made[-1] if made else None
        if last and all(
            static(step) is not None and static(step) == static(times(builder, axis.count, inner))
            for step, inner in zip(last[1:], axis[1:], strict=True)
        ):
            made[-1] = axis._replace(count=times(builder, last.count, axis.count))
        else:
            made.append(axis)
    return made or [Axis(int64(1), int64(1), int64(1))]


def steps_of(builder: ir.IRBuilder, dims: Sequence[ir.Value]) -> list[ir.Value]:
    """The elements from one place to the next, along each axis of an array."""
    made: list[ir.Value] = [int64(1)]
    for dim in reversed(dims[1:]):
        made.insert(0, times(builder, made[0], dim))
    return made[: len(dims)]


def moved(
    builder: ir.IRBuilder,
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
            at = loops.enter_context(counted(builder, axis.count))
            source = place(builder, source, times(builder, at, axis.first), dtype)
            target = place(builder, target, times(builder, at, axis.second), dtype)
        if across is not None:
            _turn(builder, dtype, target, source, (across, last), lanes)
        elif static(last.second) == 1 and static(last.first) == 1 and static(last.count) != 1:
            copy(builder, target, source, bytes_of(builder, last.count, dtype))
        elif static(last.second) == 1 and static(last.first) == 0:
            spread(builder, dtype, target, load(builder, source, dtype), last.count)
        else:
            at = loops.enter_context(counted(builder, last.count))
            element = place(builder, source, times(builder, at, last.first), dtype)
            to = place(builder, target, times(builder, at, last.second), dtype)
            bits = builder.load(element, typ=stored(dtype), align=dtype.size)
            builder.store(bits, to, align=dtype.size)


def _is_turned(across: Axis, last: Axis, lanes: int) -> bool:
    """Whether a matrix is turned: elements next to each other become those of a column."""
    return (
        (static(across.first), static(last.second)) == (1, 1)
        and static(last.first) not in (None, 0, 1)
        and min(static(across.count) or 0, static(last.count) or 0) >= lanes > 1
    )


def _turn(
    builder: ir.IRBuilder,
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
        stepped(builder, across.count, lanes) as at,
        stepped(builder, last.count, lanes) as along,
    ):
        row = within(builder, at, known(across.count), lanes)
        column = within(builder, along, known(last.count), lanes)
        source = place(
            builder, source, plus(builder, row, times(builder, column, last.first)), dtype
        )
        to = plus(builder, times(builder, row, across.second), column)
        target = place(builder, target, to, dtype)
        square: list[ir.Value] = []
        for line in range(lanes):
            pointer = place(builder, source, times(builder, int64(line), last.first), dtype)
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
                    numbers = ir.Constant(ir.VectorType(INT32, lanes), mask)
                    square[place_] = builder.shuffle_vector(*pair, numbers)
            half //= 2
        for line, vector in enumerate(square):
            pointer = place(builder, target, times(builder, int64(line), across.second), dtype)
            builder.store(vector, pointer, align=dtype.size)


def spread(
    builder: ir.IRBuilder, dtype: DType, target: ir.Value, value: ir.Value, count: ir.Value
) -> None:
    """Set neighbouring elements to one value."""
    strip = Strip(builder, count, lanes_for(width(dtype), 1), [], [(target, dtype)])
    many = splat(builder, value, strip.lanes)
    strip.run([], lambda at, vectors, state: ([many], []))


def within(builder: ir.IRBuilder, index: ir.Value, count: int, step: int) -> ir.Value:
    """The start of a step that ends within the count."""
    if count % step == 0:
        return index
    last = int64(count - step)
    return builder.select(builder.icmp_signed("<", index, last), index, last)


# Loops


class Loop:
    """A loop over 0, step, 2 * step ... below a count. `values` are what it carries, in the body,
    and behind it.
    """

    def __init__(
        self, builder: ir.IRBuilder, count: ir.Value, step: int, carried: Sequence[ir.Value]
    ) -> None:
        self.builder, self.count, self.step = builder, count, step
        self.carried = carried
        known = static(count)
        self.some = known is not None and known > 0
        self.once = known is not None and 0 < known <= step
        self.before = builder.block
        self.index: ir.Value = int64(0)
        self.values: Sequence[ir.Value] = carried
        if self.once:
            return
        self.body = builder.append_basic_block("loop")
        self.exit = builder.append_basic_block("done")
        if self.some:
            builder.branch(self.body)
        else:
            inside = builder.icmp_signed("<", int64(0), count)
            builder.cbranch(inside, self.body, self.exit)
        builder.position_at_end(self.body)
        self.phis = [self.phi(value) for value in (int64(0), *carried)]
        self.index, *self.values = self.phis

    def phi(self, first: ir.Value) -> ir.Phi:
        made = self.builder.phi(first.type)
        made.add_incoming(first, self.before)
        return made

    def close(self, carried: Sequence[ir.Value]) -> Sequence[ir.Value]:
        """End the body; what follows is behind the loop. Gives what the loop carried out."""
        builder = self.builder
        if self.once:
            return carried
        following = builder.add(self.index, int64(self.step), flags=["nsw", "nuw"])
        more = builder.icmp_signed("<", following, self.count)
        end = builder.block
        builder.cbranch(more, self.body, self.exit)
        for phi, value in zip(self.phis, (following, *carried), strict=True):
            phi.add_incoming(value, end)
        builder.position_at_end(self.exit)
        if self.some:
            return carried
        found = []
        for first, value in zip(self.carried, carried, strict=True):
            phi = self.phi(first)
            phi.add_incoming(value, end)
            found.append(phi)
        return found


@contextmanager
def stepped(builder: ir.IRBuilder, count: ir.Value, step: int) -> Iterator[ir.Value]:
    """A loop that carries nothing; gives the index, which goes by steps."""
    loop = Loop(builder, count, step, [])
    yield loop.index
    loop.close([])


@contextmanager
def counted(builder: ir.IRBuilder, count: ir.Value) -> Iterator[ir.Value]:
    """A loop that carries nothing; gives the index."""
    with stepped(builder, count, 1) as index:
        yield index


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
        builder: ir.IRBuilder,
        count: ir.Value,
        lanes: int,
        sources: Sequence[Source],
        sinks: Sequence[Source],
    ) -> None:
        self.builder, self.count, self.sources, self.sinks = builder, count, sources, sinks
        known = static(count)
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
            last = plus(builder, length, int64(-lanes))
            inside = builder.icmp_signed("<", at, last)
            at = builder.select(inside, at, last)
            if carried and (once or self.known is None):
                self.valid = self.new_lanes(loop.index, at)
        vectors = []
        for pointer, (_, dtype) in zip(sources, self.sources, strict=True):
            pointer = place(builder, pointer, at, dtype)
            self.fetch(pointer, dtype, is_written=False)
            vectors.append(load(builder, pointer, dtype, lanes))
        results, following = body(at, vectors, loop.values)
        for value, pointer, (_, dtype) in zip(results, sinks, self.sinks, strict=True):
            pointer = place(builder, pointer, at, dtype)
            self.fetch(pointer, dtype, is_written=True)
            store(builder, value, pointer, dtype)
        found = loop.close(following)
        if short is not None and self.sinks:
            with builder.if_then(short):
                for (pointer, dtype), inner in zip(self.sinks, sinks, strict=True):
                    copy(builder, pointer, inner, bytes_of(builder, count, dtype))
        return found

    def fetch(self, pointer: ir.Value, dtype: DType, *, is_written: bool) -> None:
        """Fetch the memory of vectors to come, or of the next rows, unless rows are short."""
        if self.known is None or self.known * dtype.size >= AHEAD:
            fetch(self.builder, pointer, self.lanes * dtype.size, is_written=is_written)

    def lengthened(
        self, short: ir.Value, sources: list[ir.Value], sinks: list[ir.Value]
    ) -> tuple[list[ir.Value], list[ir.Value]]:
        """The pointers to vectors that rows are copied to where they are too short for one."""
        builder = self.builder
        inner = [
            scratch(builder, stored(dtype), self.lanes) for _, dtype in (*self.sources, *self.sinks)
        ]
        with builder.if_then(short):
            for (pointer, dtype), made in zip(self.sources, inner, strict=False):
                clear(builder, made, int64(self.lanes * dtype.size))
                copy(builder, made, pointer, bytes_of(builder, self.count, dtype))
        chosen = [
            builder.select(short, made, pointer)
            for made, pointer in zip(inner, (*sources, *sinks), strict=True)
        ]
        return chosen[: len(sources)], chosen[len(sources) :]

    def new_lanes(self, index: ir.Value, at: ir.Value) -> ir.Value:
        """The lanes of the vector at `at` that belong to the one at `index`, and to the row."""
        builder, lanes = self.builder, self.lanes
        numbers = ir.Constant(ir.VectorType(INT32, lanes), list(range(lanes)))
        skipped = builder.trunc(builder.sub(index, at), INT32)
        valid = builder.icmp_signed(">=", numbers, splat(builder, skipped, lanes))
        if self.known is None:
            most = builder.select(
                builder.icmp_signed("<", self.count, int64(lanes)), self.count, int64(lanes)
            )
            ends = splat(builder, builder.trunc(most, INT32), lanes)
            valid = builder.and_(valid, builder.icmp_signed("<", numbers, ends))
        return valid
