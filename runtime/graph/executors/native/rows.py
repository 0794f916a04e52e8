"""The rows of a list of lists: arrays of which only the run knows how many there are in each. Such
a list holds for each row where it lies, the bytes that it may take there, and its length. No two
lists have a row together: what copies a list copies its rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.core.types import TensorType
from runtime.graph.executors.lowered import Local
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.loops import (
    bytes_of,
    clear,
    copy,
    counted,
    place,
    size_of,
    times,
)
from runtime.graph.executors.native.values import INT64, POINTER, Array, Items, int64

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

SLOT = 24
"""The bytes for a row in the list."""

_LENGTH = 2
"""The word with its length, behind what `grow` keeps."""


def is_row(element: TensorType) -> bool:
    """True for the type of arrays of which only the first dim is unknown."""
    shape = element.shape
    return bool(shape) and shape[0] is None and None not in shape[1:]  # type: ignore[index]


def slot(builder: ir.IRBuilder, rows: ir.Value, at: ir.Value) -> ir.Value:
    """The place in a list that tells of one of its rows."""
    return builder.gep(rows, [times(builder, at, int64(SLOT // 8))], source_etype=INT64)


def row(emitter: Emitter, slot: ir.Value, element: TensorType) -> Array:
    """The row that a place tells of, which must be there."""
    builder = emitter.builder
    pointer = builder.load(slot, typ=POINTER)
    emitter.step_aside(builder.icmp_unsigned("==", pointer, ir.Constant(POINTER, None)))
    place = builder.gep(slot, [int64(_LENGTH)], source_etype=INT64)
    return _array(pointer, builder.load(place, typ=INT64), element)


def _array(pointer: ir.Value, length: ir.Value, element: TensorType) -> Array:
    known = [int64(dim or 0) for dim in (element.shape or ())[1:]]
    return Array(pointer, (length, *known), element.dtype)


def made(emitter: Emitter, slot: ir.Value, length: ir.Value, element: TensorType) -> Array:
    """A row of so many, of undefined elements, in place of the one that a place tells of: in the
    memory of that one, if there is enough.
    """
    builder = emitter.builder
    found = _array(slot, length, element)
    size = bytes_of(builder, size_of(builder, found.dims), element.dtype)
    pointer = grow(emitter, slot, size)
    builder.store(length, builder.gep(slot, [int64(_LENGTH)], source_etype=INT64))
    return _array(pointer, length, element)


def put(emitter: Emitter, slot: ir.Value, value: Array, element: TensorType) -> None:
    """Put a copy of an array in place of the row that a place tells of."""
    builder = emitter.builder
    target = made(emitter, slot, value.dims[0], element)
    size = bytes_of(builder, size_of(builder, value.dims), element.dtype)
    copy(builder, target.pointer, value.pointer, size)


def copy_all(
    emitter: Emitter, target: ir.Value, source: ir.Value, count: ir.Value, element: TensorType
) -> None:
    """Copy so many rows to places that told of none; those that were not written stay so."""
    builder = emitter.builder
    clear(builder, target, times(builder, count, int64(SLOT)))
    with counted(builder, count) as at:
        place = slot(builder, source, at)
        pointer = builder.load(place, typ=POINTER)
        is_there = builder.icmp_unsigned("!=", pointer, ir.Constant(POINTER, None))
        with builder.if_then(is_there):
            put(emitter, slot(builder, target, at), row(emitter, place, element), element)


def stack(emitter: Emitter, items: Items, count: ir.Value, target: Local | None) -> Array:
    """The rows of a list, which must be of one length, as one array."""
    builder, element = emitter.builder, items.element
    emitter.step_aside(builder.icmp_signed("==", count, int64(0)))
    first = row(emitter, items.pointer, element)
    length = size_of(builder, first.dims)
    found = emitter.allocate(element.dtype, [count, *first.dims], target)
    size = bytes_of(builder, length, element.dtype)
    with counted(builder, count) as at:
        one = row(emitter, slot(builder, items.pointer, at), element)
        emitter.step_aside(builder.icmp_signed("!=", one.dims[0], first.dims[0]))
        there = place(builder, found.pointer, times(builder, at, length), element.dtype)
        copy(builder, there, one.pointer, size)
    return found


def grow(emitter: Emitter, place: ir.Value, size: ir.Value) -> ir.Value:
    """Room for so many bytes, which `place` tells of, with the bytes that there are: there, or
    elsewhere, where nothing is copied. It lives as long as the call.
    """
    builder = emitter.builder
    kind = ir.FunctionType(POINTER, [POINTER, POINTER, INT64])
    emitter.uses += 1
    made = emitter.symbols.call(builder, "arena.grow", kind, [emitter.arena, place, size])
    emitter.step_aside(builder.icmp_unsigned("==", made, ir.Constant(POINTER, None)))
    return made
