"""Products of matrices: by tiles in registers, or by NumPy's BLAS where that is faster."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime import dtypes
from runtime.core.types import TensorType
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Kernel
from runtime.graph.executors.native import arena, ir
from runtime.graph.executors.native.blas import (
    PLAIN,
    ROW_MAJOR,
    TRANSPOSED,
    product,
    vector_bytes_of_blas,
)
from runtime.graph.executors.native.builder import Builder, Loop
from runtime.graph.executors.native.indexing import target_of
from runtime.graph.executors.native.loops import Axis, lanes_for, merged, moved
from runtime.graph.executors.native.lowering_rules import ON_ARRAYS, OnArrays
from runtime.graph.executors.native.machine import vector_bytes
from runtime.graph.executors.native.sharing import MOST_KEPT, SHARED, SIZE, OutlinedPart
from runtime.graph.executors.native.values import Array, Held, int64, register

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

MATMUL = "matmul"

MOST_ELEMENTS = 1 << 17
"""Elements of a second factor that is read as it is for each tile of rows."""

LEAST_SHARED = 4
"""Tiles of columns that threads share, as each of them is read for many rows."""

MOST_PARTS = 32
"""Parts of rows: each of them reads all of the second factor."""

LEAST_MASKED = 32
"""Bytes of vectors that hosts read and write a part of in one instruction."""

LEAST_BY_TILES = 64
"""Rows of both factors from which on tiles are as fast as any BLAS of vectors as wide."""

LEAST_READ = 1 << 30
"""Bytes of a second factor that are read in all rows together, from which on a copy of each tile
of columns pays: what caches hold is read faster where it stands.
"""

FEWEST_ROWS = 384
"""Rows of the first factor that pay for a copy of a second one in new memory."""

MOST_VECTORS = 8
"""Vectors of columns that a tile has at most."""

LATENCY = 8
"""Products by vectors that a host begins before the first one ends."""

LOADS = 4
"""Loads that take the time of a product by vectors, as they are done meanwhile."""

MULTIPLICATIONS = 8
"""As many, with their additions, take as long as a cheap op on an element."""

MOST_WORK = 1 << 24
"""Multiplications that are worth no call of the BLAS."""


def _takes(kernel: Kernel) -> bool:
    first, second = (value.type for value in kernel.node.inputs)
    if not isinstance(first, TensorType) or not isinstance(second, TensorType):
        return False
    if first.shape is None or second.shape is None:
        return False
    if first.dtype not in (dtypes.float32, dtypes.float64):
        return False
    a, b = list(first.shape), list(second.shape)
    params = kernel.node.params
    batched = a[:-2] == b[:-2] and None not in a[:-2]
    flat = len(b) == 2 and not params["transpose_a"]
    if not (batched or flat):
        return False
    return product(first.dtype) is not None or _is_by_tiles(first.dtype, a, b, params)


def _is_by_tiles(
    dtype: DType, a: Sequence[int | None], b: Sequence[int | None], params: Mapping[str, Any]
) -> bool:
    """Whether a product is written here: a small one, and any that is packed where the vectors of
    the BLAS are narrower than the host's, unless few rows pay for that.
    """
    if params["transpose_b"] or None in a or None in b:
        return False
    rows, inner = (a[-1], a[-2]) if params["transpose_a"] else (a[-2], a[-1])
    columns = b[-1]
    assert rows is not None
    assert inner is not None
    assert columns is not None
    if not params["transpose_a"] and min(rows, inner) >= LEAST_BY_TILES and columns:
        of_blas = vector_bytes_of_blas()
        pays = rows >= FEWEST_ROWS or inner * columns * dtype.size < arena.MOST_KEPT
        if pays and of_blas is not None and of_blas < vector_bytes():
            return True
    return (
        inner * columns <= MOST_ELEMENTS
        and rows * inner * columns * (8 if params["transpose_a"] else 1) <= MOST_WORK
        and min(rows, inner, columns) > 0
    )


def _lower(emitter: Emitter, kernel: Kernel, a: Array, b: Array) -> Sequence[Held]:
    builder, params = emitter.builder, kernel.node.params
    turn_a, turn_b = params["transpose_a"], params["transpose_b"]
    (target,) = kernel.targets
    rows, inner = a.dims[-2:]
    if turn_a:
        rows, inner = inner, rows
    height, columns = b.dims[-2:]
    if turn_b:
        height, columns = columns, height
    if inner.constant is None or height.constant is None:
        emitter.step_aside(builder.icmp_signed("!=", inner, height))
    if inner.constant is None:
        inner = height
    made = emitter.allocate(a.dtype, [*a.dims[:-2], rows, columns], target)
    batch = builder.size_of(a.dims[:-2])
    if len(b.dims) == 2 and not turn_a:
        rows, batch = builder.mul(batch, rows), int64(1)
    with builder.counted(batch) as at:
        factors = [
            builder.place(
                array.pointer,
                builder.mul(at, builder.size_of(array.dims[-2:])),
                a.dtype,
            )
            for array in (a, b)
        ]
        size = builder.mul(rows, columns)
        to = builder.place(made.pointer, builder.mul(at, size), a.dtype)
        dims = rows, inner, columns
        shapes = [[dim.constant for dim in array.dims[-2:]] for array in (a, b)]
        if _is_by_tiles(a.dtype, shapes[0], shapes[1], params):
            first = [Axis(rows, int64(1) if turn_a else inner)]
            along = [Axis(inner, rows if turn_a else int64(1), columns)]
            multiply(emitter, a.dtype, to, factors, first, along, columns)
        else:
            call(emitter, a.dtype, to, factors, dims, (turn_a, turn_b))
    return [made]


def call(
    emitter: Emitter,
    dtype: DType,
    target: ir.Value,
    factors: Sequence[ir.Value],
    dims: Sequence[ir.Value],
    turned: Sequence[bool],
) -> None:
    """The product of two matrices by the BLAS: of `dims`, rows, inner ones and columns."""
    found = product(dtype)
    assert found is not None
    builder, kind, number = emitter.builder, ir.IntType(found.bits), register(dtype)

    def whole(value: ir.Value) -> ir.Value:
        return value if value.type == kind else builder.trunc(value, kind)

    rows, inner, columns = dims
    one = int64(1)

    def leading(dim: ir.Value) -> ir.Value:
        # Of a matrix without columns the interface takes no 0.
        if dim.constant is not None:
            return whole(int64(max(dim.constant or 0, 1)))
        return whole(builder.select(builder.icmp_signed("<", dim, one), one, dim))

    flags = [ir.Constant(ir.INT32, TRANSPOSED if turn else PLAIN) for turn in turned]
    words = [ir.Constant(ir.INT32, ROW_MAJOR), *flags]
    arguments = [
        *words,
        *map(whole, (rows, columns, inner)),
        ir.Constant(number, 1.0),
        factors[0],
        leading(rows if turned[0] else inner),
        factors[1],
        leading(inner if turned[1] else columns),
        ir.Constant(number, 0.0),
        target,
        leading(columns),
    ]
    emitter.call(f"blas.product.{dtype.name}", ir.VOID, *arguments)


def multiply(
    emitter: Emitter,
    dtype: DType,
    target: ir.Value,
    factors: Sequence[ir.Value],
    rows: Sequence[Axis],
    inner: Sequence[Axis],
    columns: ir.Value,
    pitch: ir.Value | None = None,
    by_columns: bool = False,
) -> None:
    """The product of two factors, by tiles of rows and of vectors of columns, whose sums are in
    registers. The last tile begins before the others end, where they do not fit.

    The first factor is read along any axes; columns of the second one, and of the target, are next
    to each other. The rows of the target are `pitch` elements apart, which is the number of columns
    if it is not told. `by_columns`, the first factor has these columns too, and its elements are
    multiplied with those of the same column alone.
    """
    builder = emitter.builder
    rows, inner, pitch = merged(builder, rows), merged(builder, inner), pitch or columns
    if rows[-1].count.constant is None:
        rows.append(Axis(int64(1), int64(0)))
    height, line, _ = rows[-1]
    tile = Tile(
        builder, dtype, line, inner, columns.constant or 0, height.constant or 0, by_columns
    )
    is_packed = columns.constant != tile.span and _is_worth_packing(tile, rows, columns)
    room = [*(axis.count for axis in inner), int64(tile.span)]
    pointers = [target, *factors]
    shared = _shared(tile, rows, columns, pitch, is_packed)
    kept = tile.depth * tile.span * dtype.size
    is_on_stack = shared is not None and kept <= MOST_KEPT
    with ExitStack() as loops:
        memory: ir.Value | None = None
        if is_packed and not is_on_stack:
            # Each tile has its own, where threads share them.
            count = int64(-(-(columns.constant or 0) // tile.span)) if shared else int64(1)
            memory = loops.enter_context(emitter.borrowed(dtype, [count, *room]))
        if shared is None:
            at = loops.enter_context(builder.stepped(columns, tile.span))
            _write_columns(tile, pointers, rows, columns, pitch, at, memory)
            return
        part, own = OutlinedPart(emitter), copy(tile)
        own.builder = part.builder
        pointers = list(map(part.value, pointers))
        near: ir.Value | None = None
        if is_packed and is_on_stack:
            # The stack is asked for it before the body begins.
            emitter.frame -= kept
            near = part.builder.scratch(register(dtype), tile.depth * tile.span)
        of_columns = part if shared.axis == len(rows) else None
        with _steps(part.builder, columns, tile.span, of_columns) as at:
            if memory is not None:
                before = part.builder.mul(at, int64(tile.depth))
                near = part.builder.place(part.value(memory), before, dtype)
            _write_columns(own, pointers, rows, columns, pitch, at, near, part, shared.axis)
        part.run(int64(shared.count), shared.size)


class Shared(NamedTuple):
    """An axis of rows, or the columns behind them, of a product that threads share: its size, and
    that of a part.
    """

    axis: int
    count: int  # type: ignore[assignment]  # a tuple's method
    size: int


def _shared(
    tile: Tile, rows: Sequence[Axis], columns: ir.Value, pitch: ir.Value, is_packed: bool
) -> Shared | None:
    """The axis that threads share of a product; None where that is small, or a size is not known.
    It is the columns where those are some tiles, or are packed, and otherwise one with most tiles.
    """
    numbers = [size.constant for axis in (*rows, *tile.inner) for size in axis]
    counts = [axis.count.constant for axis in rows] + [columns.constant]
    if None in (*numbers, *counts, pitch.constant):
        return None
    sizes = [count or 0 for count in counts]
    steps = [*(1 for _ in rows[:-1]), tile.height, tile.span]
    tiles = [-(-size // step) for size, step in zip(sizes, steps, strict=True)]
    axis = len(rows)
    if tiles[axis] < LEAST_SHARED and not is_packed:
        axis = tiles.index(max(tiles))
    work = math.prod(sizes) * tile.depth // MULTIPLICATIONS
    if tiles[axis] < 2 or work < SHARED:
        return None
    least = 1 if axis == len(rows) else tiles[axis] // MOST_PARTS
    return Shared(axis, sizes[axis], steps[axis] * max(1, SIZE * tiles[axis] // work, least))


@contextmanager
def _steps(
    builder: Builder, count: ir.Value, step: int, part: OutlinedPart | None
) -> Iterator[ir.Value]:
    """A loop over all of an axis, or over what a part has of it."""
    size = count if part is None else builder.sub(part.end, part.first)
    with builder.stepped(size, step) as at:
        yield at if part is None else builder.add(part.first, at)


def _write_columns(
    tile: Tile,
    pointers: Sequence[ir.Value],
    rows: Sequence[Axis],
    columns: ir.Value,
    pitch: ir.Value,
    at: ir.Value,
    room: ir.Value | None,
    part: OutlinedPart | None = None,
    shared: int = 0,
) -> None:
    """A tile of columns of a product: of the target and the factors at these pointers. Where it is
    in a part, that may have only some of an axis that is `shared`.
    """
    builder, dtype, (target, start, second) = tile.builder, tile.dtype, pointers
    *outer, (count, line, _) = rows
    column = builder.within(at, columns.constant or 0, tile.span)
    second = builder.place(second, column, dtype)
    if tile.by_columns:
        start = builder.place(start, column, dtype)
    if room is not None:
        second, tile.inner = _packed(builder, dtype, room, second, tile.inner, tile.span)
    with ExitStack() as loops:
        number: ir.Value = int64(0)
        for index, axis in enumerate(outer):
            own = part if shared == index else None
            at = loops.enter_context(_steps(builder, axis.count, 1, own))
            start = builder.place(start, builder.mul(at, axis.first), dtype)
            number = builder.add(builder.mul(number, axis.count), at)
        number = builder.mul(number, count)
        own = part if shared == len(outer) else None
        at = loops.enter_context(_steps(builder, count, tile.height, own))
        row = builder.within(at, count.constant or 0, tile.height)
        start = builder.place(start, builder.mul(row, line), dtype)
        to = builder.mul(builder.add(number, row), pitch)
        to = builder.place(builder.place(target, to, dtype), column, dtype)
        tile.run(start, second, to, pitch)


def _is_worth_packing(tile: Tile, rows: Sequence[Axis], columns: ir.Value) -> bool:
    """Whether so much of the second factor is read that its rows are better next to each other:
    caches hold few rows that are the same power of 2 apart.
    """
    height = tile.builder.size_of([axis.count for axis in rows]).constant or 0
    read = height * tile.depth * (columns.constant or 0) * tile.dtype.size
    return tile.depth >= LEAST_BY_TILES and read >= LEAST_READ


def _packed(
    builder: Builder,
    dtype: DType,
    room: ir.Value,
    second: ir.Value,
    inner: Sequence[Axis],
    span: int,
) -> tuple[ir.Value, Sequence[Axis]]:
    """The columns of a tile, one row right behind the other."""
    steps = builder.steps_of([*(axis.count for axis in inner), int64(span)])[:-1]
    axes = [Axis(axis.count, axis.second, step) for axis, step in zip(inner, steps, strict=True)]
    moved(builder, dtype, room, second, [*axes, Axis(int64(span), int64(1), int64(1))])
    return room, [axis._replace(second=step) for axis, step in zip(inner, steps, strict=True)]


def _size_of_tile(rows: int, columns: int, lanes: int, vectors: int) -> tuple[int, int]:
    """The vectors of columns, of so many, and the rows of tiles that take the least time. Their
    sums, a row of the second factor and an element of the first one are in registers.
    """
    registers = 32 if vector_bytes() == 64 else 16

    def time(size: tuple[int, int]) -> float:
        width, height = size
        tiles = -(-columns // (lanes * width)) * -(-rows // height)
        return tiles * (max(width * height, LATENCY) + (width + height) / LOADS)

    widths = range(1, min(vectors, MOST_VECTORS) + 1)
    sizes = (
        (width, height)
        for width in widths
        for height in range(1, max(1, min(rows, (registers - 1) // width - 1)) + 1)
    )
    return min(sizes, key=time)


class Tile:
    """A tile of a product: `height` rows, and vectors of columns, as many as leave registers for
    what is multiplied.
    """

    def __init__(
        self,
        builder: Builder,
        dtype: DType,
        line: ir.Value,
        inner: Sequence[Axis],
        columns: int,
        rows: int,
        by_columns: bool,
    ) -> None:
        self.builder, self.dtype, self.line, self.inner = builder, dtype, line, inner
        self.by_columns = by_columns
        lanes = lanes_for(dtype.size, 1)
        # Of the last vector of few columns only a part is there.
        is_cut = vector_bytes() >= LEAST_MASKED
        while lanes > columns and not (is_cut and lanes < 2 * columns):
            lanes //= 2
        self.lanes = lanes
        vectors = -(-columns // lanes) if is_cut else columns // lanes
        self.width, self.height = _size_of_tile(rows, columns, lanes, vectors)
        is_cut = is_cut and columns <= lanes * self.width
        self.rest = columns % lanes if is_cut else 0
        self.span = columns if is_cut else lanes * self.width

    def is_rest(self, part: int) -> bool:
        """Whether of a vector of columns only the first ones are there."""
        return bool(self.rest) and part == self.width - 1

    @property
    def depth(self) -> int:
        """The number of products of a sum, where that is known."""
        return math.prod(axis.count.constant or 0 for axis in self.inner)

    def run(self, first: ir.Value, second: ir.Value, target: ir.Value, pitch: ir.Value) -> None:
        """Write a tile: of these first elements of the factors and of the target."""
        builder, dtype, lanes = self.builder, self.dtype, self.lanes
        empty = ir.Constant(ir.VectorType(register(dtype), lanes), 0.0)
        values: Sequence[ir.Value] = [empty] * (self.height * self.width)
        loops = []
        for axis in self.inner:
            loop = Loop(builder, axis.count, 1, values)
            first = builder.place(first, builder.mul(loop.index, axis.first), dtype)
            second = builder.place(second, builder.mul(loop.index, axis.second), dtype)
            values = loop.values
            loops.append(loop)
        values = self.added(first, second, values)
        for loop in reversed(loops):
            values = loop.close(values)
        for at, line in enumerate(self.lines(target, pitch)):
            for part in range(self.width):
                to, value = (
                    builder.place(line, int64(part * lanes), dtype),
                    values[at * self.width + part],
                )
                if self.is_rest(part):
                    builder.store_first(value, to, dtype, self.rest)
                else:
                    builder.store_element(value, to, dtype)

    def lines(self, start: ir.Value, step: ir.Value) -> list[ir.Value]:
        """The pointers to the first elements of the rows."""
        return [
            self.builder.place(start, self.builder.mul(int64(at), step), self.dtype)
            for at in range(self.height)
        ]

    def added(
        self, first: ir.Value, second: ir.Value, sums: Sequence[ir.Value]
    ) -> Sequence[ir.Value]:
        """The sums with one more product each."""
        builder, lanes = self.builder, self.lanes
        vectors = self.vectors(second)
        made = []
        for at, line in enumerate(self.lines(first, self.line)):
            if self.by_columns:
                factors = self.vectors(line)
            else:
                factors = [
                    builder.splat(builder.load_element(line, self.dtype), lanes)
                ] * self.width
            for part, (factor, vector) in enumerate(zip(factors, vectors, strict=True)):
                made.append(builder.intrinsic("fma", factor, vector, sums[at * self.width + part]))
        return made

    def vectors(self, pointer: ir.Value) -> list[ir.Value]:
        """The columns of a tile."""
        builder, dtype, lanes, found = self.builder, self.dtype, self.lanes, []
        for part in range(self.width):
            where = builder.place(pointer, int64(part * lanes), dtype)
            if self.is_rest(part):
                found.append(builder.load_first(where, dtype, lanes, self.rest))
            else:
                found.append(builder.load_element(where, dtype, lanes))
        return found


# Sums of products of labelled axes


class Labels(NamedTuple):
    """The labels of two arrays and of their product: those of a batch, which all have, of the sum,
    and of the rows and columns, which one array has.
    """

    arrays: tuple[str, str]
    batch: str
    inner: str
    rows: str
    columns: str
    output: str


def _labels(kernel: Kernel) -> Labels | None:
    """The labels of a sum of two arrays' products; None where it is another one."""
    left, _, output = kernel.node.params["equation"].partition("->")
    arrays = left.split(",")
    if len(arrays) != 2 or any(len({*labels}) != len(labels) for labels in arrays):
        return None
    a, b = arrays
    both = [label for label in a if label in b]
    parts = [
        [label for label in both if label in output],
        [label for label in both if label not in output],
        [label for label in a if label not in both],
        [label for label in b if label not in both],
    ]
    if not {*parts[2], *parts[3]} <= {*output} or not parts[3]:
        return None
    batch, inner, rows, columns = map("".join, parts)
    return Labels((a, b), batch, inner, rows, columns, output)


def _takes_labelled(kernel: Kernel) -> bool:
    types = [value.type for value in (*kernel.node.inputs, *kernel.node.outputs)]
    labels = _labels(kernel)
    if labels is None or getattr(types[0], "dtype", None) not in (dtypes.float32, dtypes.float64):
        return False
    sizes: dict[str, set[Any]] = {}
    for type, names in zip(types, (*labels.arrays, labels.output), strict=True):
        shape = getattr(type, "shape", None)
        if shape is None or None in shape or 0 in shape:
            return False
        for name, dim in zip(names, shape, strict=True):
            sizes.setdefault(name, set()).add(dim)
    return all(len(found) == 1 for found in sizes.values())


def _lower_labelled(emitter: Emitter, kernel: Kernel, a: Array, b: Array) -> Sequence[Held]:
    """The first array is read along its axes as they are, the second one in the order of batch, sum
    and columns, to which it is brought.
    """
    builder, dtype, labels = emitter.builder, a.dtype, _labels(kernel)
    assert labels is not None
    size = dict(zip("".join(labels.arrays), [*a.dims, *b.dims], strict=True))

    def ordered(array: Array, given: str, wanted: str) -> Array:
        dims = [size[label] for label in wanted]
        if given == wanted:
            return array
        made = Array(emitter.memory(dtype, dims), dims, dtype)
        of_given = dict(zip(given, builder.steps_of(array.dims), strict=True))
        steps = [of_given[label] for label in wanted]
        axes = list(map(Axis, dims, steps, builder.steps_of(dims)))
        moved(builder, dtype, made.pointer, array.pointer, axes)
        return made

    b = ordered(b, labels.arrays[1], labels.batch + labels.inner + labels.columns)
    first = dict(zip(labels.arrays[0], builder.steps_of(a.dims), strict=True))
    columns = builder.size_of([size[label] for label in labels.columns])
    depth = builder.size_of([size[label] for label in labels.inner])
    height = builder.size_of([size[label] for label in labels.rows])
    inner_steps = builder.steps_of([*(size[label] for label in labels.inner), columns])
    rows = [Axis(size[label], first[label]) for label in labels.rows]
    inner = [
        Axis(size[label], first[label], step)
        for label, step in zip(labels.inner, inner_steps, strict=False)
    ]
    order = labels.batch + labels.rows + labels.columns
    dims = [size[label] for label in order]
    target = target_of(kernel) if order == labels.output else None
    made = emitter.allocate(dtype, dims, target)
    with ExitStack() as loops:
        number: ir.Value = int64(0)
        start = a.pointer
        for label in labels.batch:
            at = loops.enter_context(builder.counted(size[label]))
            number = builder.add(builder.mul(number, size[label]), at)
            start = builder.place(start, builder.mul(at, first[label]), dtype)
        second = builder.mul(number, builder.mul(depth, columns))
        to = builder.mul(number, builder.mul(height, columns))
        factors = [start, builder.place(b.pointer, second, dtype)]
        multiply(
            emitter, dtype, builder.place(made.pointer, to, dtype), factors, rows, inner, columns
        )
    return [ordered(made, order, labels.output)]


ON_ARRAYS["labelled_product"] = OnArrays(_takes_labelled, _lower_labelled)
ON_ARRAYS[MATMUL] = OnArrays(_takes, _lower)


__all__ = ["MATMUL", "Array"]
