"""The rows of a list of lists: arrays of which only the run knows how many there are in each. Such
a list holds for each row where it lies, the bytes that it may take there, and its length. No two
lists have a row together: what copies a list copies its rows.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from runtime import dtypes
from runtime.core.types import TensorType
from runtime.graph.executors.lowered import Local
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.values import Array, Items, Scalar, int64

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

SLOT = 24
"""The bytes for a row in the list."""

_LENGTH = 2
"""The word with its length, behind what `grow` keeps."""


def slot(builder: Builder, rows: ir.Value, at: ir.Value) -> ir.Value:
    """The place in a list that tells of one of its rows."""
    return builder.gep(rows, [builder.mul(at, int64(SLOT // 8))], source_etype=ir.INT64)


def row(emitter: Emitter, slot: ir.Value, element: TensorType) -> Array:
    """The row that a place tells of, which must be there."""
    builder = emitter.builder
    pointer = builder.load(slot, typ=ir.POINTER)
    emitter.step_aside(builder.icmp_unsigned("==", pointer, ir.Constant(ir.POINTER, None)))
    place = builder.gep(slot, [int64(_LENGTH)], source_etype=ir.INT64)
    return _array(pointer, builder.load(place, typ=ir.INT64), element)


def _array(pointer: ir.Value, length: ir.Value, element: TensorType) -> Array:
    known = [int64(dim or 0) for dim in (element.shape or ())[1:]]
    return Array(pointer, (length, *known), element.dtype)


def made(emitter: Emitter, slot: ir.Value, length: ir.Value, element: TensorType) -> Array:
    """A row of so many, of undefined elements, in place of the one that a place tells of: in the
    memory of that one, if there is enough.
    """
    builder = emitter.builder
    found = _array(slot, length, element)
    size = builder.bytes_of(builder.size_of(found.dims), element.dtype)
    pointer = grow(emitter, slot, size)
    builder.store(length, builder.gep(slot, [int64(_LENGTH)], source_etype=ir.INT64))
    return _array(pointer, length, element)


def push(emitter: Emitter, slot: ir.Value, value: Scalar, element: TensorType) -> None:
    """Put a number behind the others of the row that a place tells of, which must be there."""
    builder, found = emitter.builder, row(emitter, slot, element)
    (length,), dtype = found.dims, element.dtype
    more = builder.add(length, int64(1))
    pointer = grow(emitter, slot, builder.bytes_of(more, dtype))
    moved = builder.icmp_unsigned("!=", pointer, found.pointer)
    with builder.if_then(moved):
        builder.copy(pointer, found.pointer, builder.bytes_of(length, dtype))
    builder.store_at(value.value, pointer, length, dtype)
    builder.store(more, builder.gep(slot, [int64(_LENGTH)], source_etype=ir.INT64))


def put(emitter: Emitter, slot: ir.Value, value: Array, element: TensorType) -> None:
    """Put a copy of an array in place of the row that a place tells of."""
    builder = emitter.builder
    target = made(emitter, slot, value.dims[0], element)
    size = builder.bytes_of(builder.size_of(value.dims), element.dtype)
    builder.copy(target.pointer, value.pointer, size)


def copy_all(
    emitter: Emitter, target: ir.Value, source: ir.Value, count: ir.Value, element: TensorType
) -> None:
    """Copy so many rows to places that told of none; those that were not written stay so."""
    builder = emitter.builder
    builder.clear(target, builder.mul(count, int64(SLOT)))
    with builder.counted(count) as at:
        place = slot(builder, source, at)
        pointer = builder.load(place, typ=ir.POINTER)
        is_there = builder.icmp_unsigned("!=", pointer, ir.Constant(ir.POINTER, None))
        with builder.if_then(is_there):
            put(emitter, slot(builder, target, at), row(emitter, place, element), element)


def stack(emitter: Emitter, items: Items, count: ir.Value, target: Local | None) -> Array:
    """The rows of a list, which must be of one length, as one array."""
    builder, element = emitter.builder, items.element
    emitter.step_aside(builder.icmp_signed("==", count, int64(0)))
    first = row(emitter, items.pointer, element)
    length = builder.size_of(first.dims)
    found = emitter.allocate(element.dtype, [count, *first.dims], target)
    size = builder.bytes_of(length, element.dtype)
    with builder.counted(count) as at:
        one = row(emitter, slot(builder, items.pointer, at), element)
        emitter.step_aside(builder.icmp_signed("!=", one.dims[0], first.dims[0]))
        there = builder.place(found.pointer, builder.mul(at, length), element.dtype)
        builder.copy(there, one.pointer, size)
    return found


def concat(emitter: Emitter, items: Items, target: Local | None) -> Array:
    """The rows of a list one behind the other, as one array."""
    builder, element = emitter.builder, items.element
    total = emitter.slot(ir.INT64)
    builder.store(int64(0), total)
    with builder.counted(items.count) as at:
        length = row(emitter, slot(builder, items.pointer, at), element).dims[0]
        builder.store(builder.add(builder.load(total, typ=ir.INT64), length), total)
    dims = _array(items.pointer, builder.load(total, typ=ir.INT64), element).dims
    found = emitter.allocate(element.dtype, dims, target)
    builder.store(int64(0), total)
    inner = builder.size_of(dims[1:])
    with builder.counted(items.count) as at:
        one = row(emitter, slot(builder, items.pointer, at), element)
        done = builder.load(total, typ=ir.INT64)
        there = builder.place(found.pointer, builder.mul(done, inner), element.dtype)
        size = builder.bytes_of(builder.size_of(one.dims), element.dtype)
        builder.copy(there, one.pointer, size)
        builder.store(builder.add(done, one.dims[0]), total)
    return found


def length_of(emitter: Emitter, items: Items) -> Callable[[ir.Value], ir.Value]:
    """The function from the place of a row to its length."""
    places = functools.partial(slot, emitter.builder, items.pointer)
    return lambda at: row(emitter, places(at), items.element).dims[0]


def split(
    emitter: Emitter,
    items: Items,
    whole: Array,
    count: ir.Value,
    length_at: Callable[[ir.Value], ir.Value],
) -> None:
    """Put the parts of an array, of so many rows of these lengths, into a list with room for
    them.
    """
    builder, element = emitter.builder, items.element
    builder.clear(items.pointer, builder.mul(count, int64(SLOT)))
    done = emitter.slot(ir.INT64)
    builder.store(int64(0), done)
    inner = builder.size_of(whole.dims[1:])
    with builder.counted(count) as at:
        length = length_at(at)
        start = builder.load(done, typ=ir.INT64)
        stop = builder.add(start, length)
        is_bad = builder.icmp_signed("<", length, int64(0))
        is_beyond = builder.icmp_signed(">", stop, whole.dims[0])
        emitter.step_aside(builder.or_(is_bad, is_beyond))
        part = builder.place(whole.pointer, builder.mul(start, inner), whole.dtype)
        taken = Array(part, (length, *whole.dims[1:]), whole.dtype)
        put(emitter, slot(builder, items.pointer, at), taken, element)
        builder.store(stop, done)
    is_left = builder.icmp_signed("!=", builder.load(done, typ=ir.INT64), whole.dims[0])
    emitter.step_aside(is_left)


def lengths(emitter: Emitter, items: Items, target: Local | None) -> Array:
    """The lengths of the rows of a list."""
    builder = emitter.builder
    found = emitter.allocate(dtypes.int64, [items.count], target)
    length_at = length_of(emitter, items)
    with builder.counted(items.count) as at:
        builder.store_at(length_at(at), found.pointer, at, dtypes.int64)
    return found


def grow(emitter: Emitter, place: ir.Value, size: ir.Value) -> ir.Value:
    """Room for so many bytes of a list or row, which `place` tells of."""
    emitter.uses += 1
    return emitter.grown(place, size)
