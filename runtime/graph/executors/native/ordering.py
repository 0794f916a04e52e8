"""The largest elements of rows, and their places; elements in order, by NumPy's sorts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from runtime import dtypes
from runtime.core.types import TensorType
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Kernel
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Builder, Loop
from runtime.graph.executors.native.indexing import handed_on, shape_of, shapes_known, target_of
from runtime.graph.executors.native.loops import Axis, lanes_for, moved
from runtime.graph.executors.native.lowering_rules import ON_ARRAYS, OnArrays
from runtime.graph.executors.native.numpy_interface import sort
from runtime.graph.executors.native.scalars import cast, compared
from runtime.graph.executors.native.values import Array, Held, int64, is_half, register

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

MOST_KEPT = 64
"""The elements of a row that are kept in order while the others are looked at."""

MOST_SORTED = 8
"""For so many times the elements that are asked for, all are sorted: of longer rows Python's
program finds them faster.
"""


def before(
    builder: Builder, dtype: DType, first: ir.Value, second: ir.Value, sign: str = ">"
) -> ir.Value:
    """Whether one element, or each of a vector, comes before another one: nan does before all
    numbers, and none comes before its equal.
    """
    found = compared(builder, sign, dtype, first, second)
    if not dtype.is_floating:
        return found
    nan = builder.fcmp_unordered("uno", first, first)
    number = builder.fcmp_ordered("ord", second, second)
    return builder.or_(found, builder.and_(nan, number))


# The largest few


def _takes_top(kernel: Kernel) -> bool:
    type = kernel.node.inputs[0].type
    if not shapes_known(kernel) or not isinstance(type, TensorType) or not type.shape:
        return False
    if is_half(type.dtype):
        return False
    count, length = kernel.node.params["k"], type.shape[-1]
    if length is None or not 0 < count <= length or type.dtype.is_bool:
        return False
    return count <= MOST_KEPT or (length <= MOST_SORTED * count and _has_keys(type.dtype))


def _lower_top(emitter: Emitter, kernel: Kernel, array: Array) -> Sequence[Held]:
    builder, params = emitter.builder, kernel.node.params
    count, dims = params["k"], [*array.dims[:-1], int64(params["k"])]
    values = emitter.allocate(array.dtype, dims, target_of(kernel, 0))
    places = emitter.allocate(params["dtype"], dims, target_of(kernel, 1))
    length = array.dims[-1]
    if count > MOST_KEPT:
        _first_of_order(emitter, array, values, places, count)
        return [handed_on(emitter, kernel, values, 0), handed_on(emitter, kernel, places, 1)]
    with builder.counted(builder.size_of(array.dims[:-1])) as row:
        top = Top(
            emitter,
            array.dtype,
            builder.place(array.pointer, builder.mul(row, length), array.dtype),
            builder.place(values.pointer, builder.mul(row, int64(count)), array.dtype),
            builder.place(places.pointer, builder.mul(row, int64(count)), places.dtype),
            places.dtype,
        )
        top.first(count)
        top.others(length.constant or 0, count)
    return [handed_on(emitter, kernel, values, 0), handed_on(emitter, kernel, places, 1)]


class Top:
    """The largest elements of a row, in order: each one that is larger than the last of them is put
    in its place.
    """

    def __init__(
        self,
        emitter: Emitter,
        dtype: DType,
        row: ir.Value,
        values: ir.Value,
        places: ir.Value,
        kind: DType,
    ) -> None:
        self.emitter, self.builder = emitter, emitter.builder
        self.dtype, self.kind = dtype, kind
        self.row, self.values, self.places = row, values, places

    def element(self, at: ir.Value) -> ir.Value:
        """An element of the row."""
        return self.builder.load_at(self.row, at, self.dtype)

    def first(self, count: int) -> None:
        """The first elements of the row, in order."""
        with self.builder.counted(int64(count)) as at:
            self.insert(at, at)

    def insert(self, at: ir.Value, room: ir.Value) -> None:
        """Put the element at `at` in its place among those before `room`, all of which from there
        on move by one.
        """
        builder, dtype = self.builder, self.dtype
        element = self.element(at)
        start = builder.block
        test, move = builder.append_basic_block("test"), builder.append_basic_block("move")
        end = builder.append_basic_block("end")
        builder.branch(test)
        builder.position_at_end(test)
        hole = builder.phi(ir.INT64)
        hole.add_incoming(room, start)
        some = builder.icmp_signed(">", hole, int64(0))
        look = builder.append_basic_block("look")
        builder.cbranch(some, look, end)
        builder.position_at_end(look)
        left = builder.sub(hole, int64(1))
        other = builder.load_at(self.values, left, dtype)
        builder.cbranch(before(builder, dtype, element, other), move, end)
        builder.position_at_end(move)
        builder.store_at(other, self.values, hole, dtype)
        moved = builder.load_at(self.places, left, self.kind)
        builder.store_at(moved, self.places, hole, self.kind)
        hole.add_incoming(left, move)
        builder.branch(test)
        builder.position_at_end(end)
        builder.store_at(element, self.values, hole, dtype)
        number = at if register(self.kind) == ir.INT64 else builder.trunc(at, register(self.kind))
        builder.store_at(number, self.places, hole, self.kind)

    def others(self, length: int, count: int) -> None:
        """The rest of the row, by vectors as long as none of their elements is large enough."""
        builder, dtype = self.builder, self.dtype
        lanes = lanes_for(dtype.size, 4)
        whole = (length - count) // lanes
        last = builder.place(self.values, int64(count - 1), dtype)
        if whole:
            loop = Loop(builder, int64(whole * lanes), lanes, [])
            start = builder.add(loop.index, int64(count))
            vector = builder.load_at(self.row, start, dtype, lanes)
            least = builder.splat(builder.load_element(last, dtype), lanes)
            some = builder.any_of(before(builder, dtype, vector, least))
            with builder.if_then(some, likely=False):
                self.one_by_one(start, int64(lanes), last, count)
            loop.close([])
        done = count + whole * lanes
        if done < length:
            self.one_by_one(int64(done), int64(length - done), last, count)

    def one_by_one(self, start: ir.Value, length: ir.Value, last: ir.Value, count: int) -> None:
        """Elements of the row, each against the last of those kept."""
        builder = self.builder
        with builder.counted(length) as index:
            at = builder.add(start, index)
            least = builder.load_element(last, self.dtype)
            with builder.if_then(before(builder, self.dtype, self.element(at), least)):
                self.insert(at, int64(count - 1))


# The place of the largest, or the smallest


def _takes_place(kernel: Kernel) -> bool:
    type = kernel.node.inputs[0].type
    if not shapes_known(kernel) or not isinstance(type, TensorType):
        return False
    return bool(type.shape) and not is_half(type.dtype)


def _lower_place(emitter: Emitter, kernel: Kernel, array: Array) -> Sequence[Held]:
    builder, params, dtype = emitter.builder, kernel.node.params, array.dtype
    sign = ">" if kernel.node.primitive.instruction == "argmax" else "<"
    axis = params["axis"] % len(array.dims)
    count, kind = array.dims[axis], params["dtype"]
    dims = [*array.dims[:axis], *array.dims[axis + 1 :]]
    made = emitter.allocate(kind, dims, target_of(kernel))
    inner = builder.size_of(array.dims[axis + 1 :])
    emitter.step_aside(builder.icmp_signed("==", count, int64(0)))
    with (
        builder.counted(builder.size_of(array.dims[:axis])) as row,
        builder.counted(inner) as column,
    ):
        start = builder.add(builder.mul(builder.mul(row, count), inner), column)
        first = builder.load_at(array.pointer, start, dtype)
        loop = Loop(builder, count, 1, [first, int64(0)])
        at = builder.add(start, builder.mul(loop.index, inner))
        element = builder.load_at(array.pointer, at, dtype)
        best, where = loop.values
        better = before(builder, dtype, element, best, sign)
        _, found = loop.close(
            [builder.select(better, element, best), builder.select(better, loop.index, where)]
        )
        offset = builder.add(builder.mul(row, inner), column)
        number = found if register(kind) == ir.INT64 else builder.trunc(found, register(kind))
        builder.store_at(number, made.pointer, offset, kind)
    return [handed_on(emitter, kernel, made)]


# All elements, in order


LONG = 256
"""From so many elements of 8 bytes on, Python's program finds their order faster."""


def _takes_sort(kernel: Kernel) -> bool:
    return _takes_place(kernel) and bool(sort("sort", _dtype_of(kernel)))


def _takes_argsort(kernel: Kernel) -> bool:
    if not _takes_place(kernel):
        return False
    dtype, shape = _dtype_of(kernel), shape_of(kernel)
    if dtype.size <= 4:
        return _has_keys(dtype)
    length = shape[kernel.node.params["axis"]]
    return length is not None and length < LONG and bool(sort("argsort", dtype))


def _has_keys(dtype: DType) -> bool:
    return dtype.size <= 4 and bool(sort("sort", dtypes.int64))


def _dtype_of(kernel: Kernel) -> DType:
    type = kernel.node.inputs[0].type
    assert isinstance(type, TensorType)
    return type.dtype


class Lines:
    """The vectors along the axis of a kernel that sorts, from their ends on where it `is_falling`:
    `count` elements, by `step`.
    """

    def __init__(self, emitter: Emitter, array: Array, axis: int, descending: bool) -> None:
        dims = array.dims
        axis %= len(dims)
        self.emitter, self.builder, self.array = emitter, emitter.builder, array
        self.is_falling = descending
        self.rows, self.count = self.builder.size_of(dims[:axis]), dims[axis]
        self.step = self.builder.size_of(dims[axis + 1 :])

    @contextmanager
    def each(self) -> Iterator[ir.Value]:
        """A loop over the vectors; gives the place of the first element of each."""
        builder = self.builder
        self.emitter.read(builder.size_of(self.array.dims))
        with builder.counted(self.rows) as row, builder.counted(self.step) as column:
            first = builder.mul(builder.mul(row, self.count), self.step)
            yield builder.add(first, column)

    def axis(self) -> Axis:
        """One of the vectors beside contiguous elements."""
        step = self.builder.neg(self.step) if self.is_falling else self.step
        return Axis(self.count, step, int64(1))

    def begin(self, pointer: ir.Value, first: ir.Value, dtype: DType) -> ir.Value:
        """The pointer to where a vector, whose first element is there, begins."""
        builder = self.builder
        if self.is_falling:
            last = builder.sub(self.count, int64(1))
            first = builder.add(first, builder.mul(last, self.step))
        return builder.place(pointer, first, dtype)

    def take(self, first: ir.Value, room: ir.Value) -> None:
        """Copy a vector to contiguous memory."""
        dtype = self.array.dtype
        moved(
            self.builder, dtype, room, self.begin(self.array.pointer, first, dtype), [self.axis()]
        )

    def sort(self, kind: str, dtype: DType, *pointers: ir.Value) -> None:
        """Call a sort of NumPy's, which steps aside where it lacks memory."""
        given = *pointers, self.count, ir.Constant(ir.POINTER, None)
        failed = self.emitter.call(f"sorts.{kind}.{dtype.name}", ir.INT32, *given)
        self.emitter.step_aside(self.builder.icmp_signed("!=", failed, ir.Constant(ir.INT32, 0)))


def _lines(emitter: Emitter, kernel: Kernel, array: Array) -> Lines:
    params = kernel.node.params
    return Lines(emitter, array, params["axis"], params["descending"])


def _lower_sort(emitter: Emitter, kernel: Kernel, array: Array) -> Sequence[Held]:
    lines, dtype = _lines(emitter, kernel, array), array.dtype
    made = emitter.allocate(dtype, array.dims, target_of(kernel))
    is_direct = lines.step.constant == 1 and not lines.is_falling
    room = made.pointer if is_direct else emitter.memory(dtype, [lines.count])
    with lines.each() as first:
        line = emitter.builder.place(room, first, dtype) if is_direct else room
        lines.take(first, line)
        lines.sort("sort", dtype, line)
        if not is_direct:
            count, step, own = lines.axis()
            target = lines.begin(made.pointer, first, dtype)
            moved(emitter.builder, dtype, target, line, [Axis(count, own, step)])
    return [handed_on(emitter, kernel, made)]


def _lower_argsort(emitter: Emitter, kernel: Kernel, array: Array) -> Sequence[Held]:
    lines = _lines(emitter, kernel, array)
    made = emitter.allocate(dtypes.int32, array.dims, target_of(kernel))
    order = emitter.memory(dtypes.int64, [lines.count])
    if array.dtype.size <= 4:
        _order_by_keys(lines, order, made)
    else:
        _order_by_elements(lines, order, made)
    return [handed_on(emitter, kernel, made)]


def _order_by_keys(lines: Lines, order: ir.Value, made: Array) -> None:
    """Sort numbers that have the order of an element above its position: no two are equal, so that
    equal elements stay in order.
    """
    builder = lines.builder
    with lines.each() as first:
        _sort_keys(lines, order, first)
        with builder.counted(lines.count) as index:
            packed = builder.load_at(order, index, dtypes.int64)
            at = builder.add(first, builder.mul(index, lines.step))
            target = builder.place(made.pointer, at, dtypes.int32)
            builder.store_element(builder.trunc(packed, ir.INT32), target, dtypes.int32)


def _sort_keys(lines: Lines, order: ir.Value, first: ir.Value) -> None:
    builder, dtype = lines.builder, lines.array.dtype
    with builder.counted(lines.count) as index:
        at = builder.add(first, builder.mul(index, lines.step))
        element = builder.load_at(lines.array.pointer, at, dtype)
        key = _key(builder, dtype, element)
        key = builder.not_(key) if lines.is_falling else key
        packed = builder.or_(builder.shl(key, int64(32)), index)
        builder.store_at(packed, order, index, dtypes.int64)
    lines.sort("sort", dtypes.int64, order)


def _first_of_order(
    emitter: Emitter, array: Array, values: Array, places: Array, count: int
) -> None:
    """The first of all elements of a row in their order, and where they are."""
    lines, builder, dtype = Lines(emitter, array, -1, True), emitter.builder, array.dtype
    order = emitter.memory(dtypes.int64, [lines.count])
    with lines.each() as first:
        _sort_keys(lines, order, first)
        start = builder.mul(builder.sdiv(first, lines.count), int64(count))
        with builder.counted(int64(count)) as index:
            packed = builder.load_at(order, index, dtypes.int64)
            position = builder.and_(packed, int64((1 << 32) - 1))
            at, to = builder.add(first, position), builder.add(start, index)
            element = builder.load_at(array.pointer, at, dtype)
            builder.store_at(element, values.pointer, to, dtype)
            number = cast(builder, position, dtypes.int64, places.dtype)
            builder.store_at(number, places.pointer, to, places.dtype)


def _key(builder: Builder, dtype: DType, element: ir.Value) -> ir.Value:
    """A number of 32 bits, held in 64, in the order of the elements: the same one for zeros of
    either sign, and for all nan, behind all numbers.
    """
    if not dtype.is_floating:
        if not dtype.is_unsigned and not dtype.is_bool:
            return builder.sext(element, ir.INT64) if dtype.size < 8 else element
        number = builder.zext(element, ir.INT64)
        return builder.sub(number, int64(1 << 31)) if dtype.size == 4 else number
    bits = builder.bitcast(element, ir.INT32)
    magnitude = builder.and_(bits, ir.Constant(ir.INT32, (1 << 31) - 1))
    number = builder.select(
        builder.icmp_signed("<", bits, ir.Constant(ir.INT32, 0)), builder.neg(magnitude), magnitude
    )
    nan = builder.fcmp_unordered("uno", element, element)
    last = ir.Constant(ir.INT32, (1 << 31) - 1)
    return builder.sext(builder.select(nan, last, number), ir.INT64)


def _order_by_elements(lines: Lines, order: ir.Value, made: Array) -> None:
    """Have NumPy sort positions. Falling, what it sorts begins at the end, so that equal elements
    stay in order.
    """
    emitter, builder, dtype = lines.emitter, lines.builder, lines.array.dtype
    line = emitter.memory(dtype, [lines.count])
    last = builder.sub(lines.count, int64(1))
    with lines.each() as first:
        lines.take(first, line)
        with builder.counted(lines.count) as index:
            builder.store_at(index, order, index, dtypes.int64)
        lines.sort("argsort", dtype, line, order)
        with builder.counted(lines.count) as index:
            position = builder.load_at(order, index, dtypes.int64)
            if lines.is_falling:
                position, index = builder.sub(last, position), builder.sub(last, index)
            at = builder.add(first, builder.mul(index, lines.step))
            target = builder.place(made.pointer, at, dtypes.int32)
            builder.store_element(builder.trunc(position, ir.INT32), target, dtypes.int32)


ON_ARRAYS["sort"] = OnArrays(_takes_sort, _lower_sort)
ON_ARRAYS["argsort"] = OnArrays(_takes_argsort, _lower_argsort)
ON_ARRAYS["top_k"] = OnArrays(_takes_top, _lower_top)
ON_ARRAYS["argmax"] = OnArrays(_takes_place, _lower_place)
ON_ARRAYS["argmin"] = OnArrays(_takes_place, _lower_place)
