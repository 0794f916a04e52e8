"""Lists of arrays of one known shape: their elements one behind the other, in memory that grows;
and lists of rows.

What was not written is zeros, as it is read everywhere else. Lists are written in place where each
is used up by what makes the next one of it; else each write makes a copy.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from runtime import dtypes
from runtime.core.types import ListType, TensorType
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Kernel
from runtime.graph.executors.native import ir, rows
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.indexing import handed_on, target_of
from runtime.graph.executors.native.loops import lanes_for
from runtime.graph.executors.native.lowering_rules import ON_ARRAYS, OnArrays
from runtime.graph.executors.native.scalar_ops import wide
from runtime.graph.executors.native.scalars import cast, compared
from runtime.graph.executors.native.values import (
    Array,
    Held,
    Items,
    Scalar,
    int64,
    is_half,
    is_held,
    is_list,
)
from runtime.graph.lists import element_of, is_row

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter
    from runtime.graph.ir import Value


# Memory


def _element(kernel: Kernel) -> TensorType:
    """The type of the elements of the list that a kernel takes or makes."""
    for value in (*kernel.node.inputs, *kernel.node.outputs):
        if isinstance(value.type, ListType):
            return element_of(value.type)
    raise TypeError("no list is taken or made")


def _dims(element: TensorType) -> list[ir.Value]:
    return [int64(dim or 0) for dim in element.shape or ()]


def _slot(builder: Builder, items: Items, at: ir.Value) -> ir.Value:
    """The place in memory of an item."""
    element = items.element
    if is_row(element):
        return rows.slot(builder, items.pointer, at)
    length = builder.size_of(_dims(element))
    return builder.place(items.pointer, builder.mul(at, length), element.dtype)


def _bytes(builder: Builder, count: ir.Value, element: TensorType) -> ir.Value:
    """The bytes of the places of so many items."""
    if is_row(element):
        return builder.mul(count, int64(rows.SLOT))
    length = builder.size_of(_dims(element))
    return builder.bytes_of(builder.mul(count, length), element.dtype)


def _grown(emitter: Emitter, items: Items, count: ir.Value, fresh: bool) -> Items:
    """The list with room for so many items: where it is, or in other memory; `fresh`: a copy."""
    builder, element = emitter.builder, items.element
    slot = emitter.slot(ir.LiteralStructType([ir.POINTER, ir.INT64]))
    nothing = ir.Constant(ir.POINTER, None)
    second = builder.gep(slot, [int64(8)], source_etype=ir.BYTE)
    builder.store(nothing if fresh else items.pointer, slot)
    builder.store(int64(0) if fresh else items.capacity, second)
    made = rows.grow(emitter, slot, _bytes(builder, count, element))
    moved = builder.icmp_unsigned("!=", made, items.pointer)
    with builder.if_then(moved):
        if fresh:
            _copy(emitter, made, items.pointer, items.count, element)
        else:
            builder.copy(made, items.pointer, _bytes(builder, items.count, element))
    return Items(made, items.count, builder.load(second, typ=ir.INT64), element)


def copy_of(emitter: Emitter, items: Held) -> Items:
    """Another list of the same items."""
    assert isinstance(items, Items)
    return _grown(emitter, items, items.count, fresh=True)


def _copy(
    emitter: Emitter, target: ir.Value, source: ir.Value, count: ir.Value, element: TensorType
) -> None:
    """Copy so many items to where there is no other."""
    if is_row(element):
        rows.copy_all(emitter, target, source, count, element)
    else:
        emitter.builder.copy(target, source, _bytes(emitter.builder, count, element))


def _written(emitter: Emitter, kernel: Kernel, items: Items, count: ir.Value) -> Items:
    """The list that a kernel writes to, with room for so many items; a copy if it is shared."""
    return _grown(emitter, items, count, fresh=kernel.targets[0] in emitter.copied)


def _own(emitter: Emitter, kernel: Kernel, items: Items) -> Items:
    """The same, where there are as many items as there were."""
    return copy_of(emitter, items) if kernel.targets[0] in emitter.copied else items


def _takes(kernel: Kernel) -> bool:
    types = [value.type for value in (*kernel.node.inputs, *kernel.node.outputs)]
    for type in types:
        if isinstance(type, ListType):
            if not is_list(type):
                return False
        elif not is_held(type):
            return False
    return True


def _takes_one(kernel: Kernel) -> bool:
    """True for a kernel at one place."""
    place_type = kernel.node.inputs[1].type
    return _takes(kernel) and getattr(place_type, "shape", ()) == ()


def _empty(element: TensorType) -> Items:
    return Items(ir.Constant(ir.POINTER, None), int64(0), int64(0), element)


def _cleared(emitter: Emitter, kernel: Kernel, number: ir.Value) -> Items:
    """A list of so many items, all zeros."""
    builder, element = emitter.builder, _element(kernel)
    if number.constant == 0:
        return _empty(element)
    made = _grown(emitter, _empty(element), number, fresh=False)
    builder.clear(made.pointer, _bytes(builder, number, element))
    return Items(made.pointer, number, made.capacity, element)


def _new(emitter: Emitter, kernel: Kernel, count: Scalar) -> Sequence[Held]:
    builder, number = emitter.builder, wide(emitter, count)
    if number.constant != 0:
        emitter.step_aside(builder.icmp_signed("<", number, int64(0)))
        emitter.step_aside(builder.icmp_signed(">", number, int64(1 << 32)))
    return [_cleared(emitter, kernel, number)]


def _of(emitter: Emitter, kernel: Kernel, *operands: Held) -> Sequence[Held]:
    params = kernel.node.params
    made = _cleared(emitter, kernel, int64(params["size"]))
    for at, value in zip(params["places"], operands, strict=True):
        _store(emitter, made, int64(at), value)
    return [made]


def _store(emitter: Emitter, items: Items, at: ir.Value, value: Held) -> None:
    builder, element = emitter.builder, items.element
    target = _slot(builder, items, at)
    if isinstance(value, Scalar):
        builder.store_element(value.value, target, element.dtype)
        return
    assert isinstance(value, Array)
    if is_row(element):
        rows.put(emitter, target, value, element)
    else:
        builder.copy(target, value.pointer, _bytes(builder, int64(1), element))


def _push(emitter: Emitter, kernel: Kernel, items: Items, _: Held, value: Held) -> Sequence[Held]:
    builder, count = emitter.builder, items.count
    more = builder.add(count, int64(1))
    made = _written(emitter, kernel, items, more)
    if is_row(items.element):
        builder.clear(_slot(builder, made, count), int64(rows.SLOT))
    _store(emitter, made, count, value)
    return [Items(made.pointer, more, made.capacity, items.element)]


def _set(
    emitter: Emitter, kernel: Kernel, items: Items, index: Scalar, value: Held
) -> Sequence[Held]:
    builder, element = emitter.builder, items.element
    at = wide(emitter, index)
    emitter.step_aside(builder.icmp_signed("<", at, int64(0)))
    behind = builder.icmp_signed(">=", at, items.count)
    if kernel.node.params["dynamic"]:
        emitter.step_aside(builder.icmp_signed(">", at, int64(1 << 32)))
        count = builder.select(behind, builder.add(at, int64(1)), items.count)
    else:
        emitter.step_aside(behind)
        count = items.count
    made = _written(emitter, kernel, items, count)
    # The item itself is written, but for the place of a row.
    clears_it = is_row(element)
    sign = ">=" if clears_it else ">"
    with builder.if_then(builder.icmp_signed(sign, at, items.count), likely=False):
        gap = builder.sub(count if clears_it else at, items.count)
        builder.clear(_slot(builder, made, items.count), _bytes(builder, gap, element))
    _store(emitter, made, at, value)
    return [Items(made.pointer, count, made.capacity, element)]


def _drop(emitter: Emitter, kernel: Kernel, items: Items, index: Scalar) -> Sequence[Held]:
    """Those behind an item move to its place; a list without its first item begins behind it."""
    builder, element = emitter.builder, items.element
    at = wide(emitter, index)
    emitter.step_aside(builder.icmp_unsigned(">=", at, items.count))
    made = items
    if kernel.targets[0] in emitter.copied:
        made = _grown(emitter, items, items.count, fresh=True)
    left = builder.sub(items.count, int64(1))
    if at.constant == 0:
        size = _bytes(builder, int64(1), element)
        second = _slot(builder, made, int64(1))
        return [Items(second, left, builder.sub(made.capacity, size), element)]
    target = _slot(builder, made, at)
    source = _slot(builder, made, builder.add(at, int64(1)))
    behind = builder.sub(left, at)
    with builder.if_then(builder.icmp_signed(">", behind, int64(0)), likely=False):
        builder.move(target, source, _bytes(builder, behind, element))
    return [Items(made.pointer, left, made.capacity, element)]


def _gap(emitter: Emitter, kernel: Kernel, items: Items, index: Scalar) -> Sequence[Held]:
    """Those from a place on move to the next one, which there is no need for behind the last."""
    builder, element = emitter.builder, items.element
    at = wide(emitter, index)
    emitter.step_aside(builder.icmp_signed("<", at, int64(0)))
    is_inside = builder.icmp_signed("<", at, items.count)
    count = builder.select(is_inside, builder.add(items.count, int64(1)), items.count)
    made = _written(emitter, kernel, items, count)
    with builder.if_then(is_inside):
        source = _slot(builder, made, at)
        target = _slot(builder, made, builder.add(at, int64(1)))
        builder.move(target, source, _bytes(builder, builder.sub(items.count, at), element))
        builder.clear(source, _bytes(builder, int64(1), element))
    return [Items(made.pointer, count, made.capacity, element)]


def _extend(emitter: Emitter, kernel: Kernel, items: Items, more: Items) -> Sequence[Held]:
    builder, element = emitter.builder, items.element
    count = builder.add(items.count, more.count)
    made = _written(emitter, kernel, items, count)
    _copy(emitter, _slot(builder, made, items.count), more.pointer, more.count, element)
    return [Items(made.pointer, count, made.capacity, element)]


MOST_LANES = 64


def _find(emitter: Emitter, kernel: Kernel, *operands: Any) -> Sequence[Held]:
    """The first list is looked through by blocks: the places of a block at which it has its item
    are the bits of a number, which are asked for the other lists one after the other.
    """
    builder, half = emitter.builder, len(operands) // 2
    columns, wanted = operands[:half], [each.value for each in operands[half:]]
    first, count = columns[0], columns[0].count
    lanes = min(MOST_LANES, lanes_for(first.element.dtype.size, registers=4))
    bits, here = ir.IntType(lanes), builder.block
    blocks, block, rest = map(emitter.block, ("blocks", "block", "rest"))
    places, place, other, behind = map(emitter.block, ("places", "place", "other", "behind"))
    single, next_, end = map(emitter.block, ("one", "next", "found"))

    def is_at(column: int, at: ir.Value, lanes: int = 0) -> ir.Value:
        items, value = columns[column], wanted[column]
        dtype = items.element.dtype
        found = builder.load_element(_slot(builder, items, at), dtype, lanes)
        return compared(
            builder, "==", dtype, found, builder.splat(value, lanes) if lanes else value
        )

    def are_at(at: ir.Value, which: range) -> ir.Value:
        tests: list[ir.Value] = [is_at(column, at) for column in which]
        return functools.reduce(builder.and_, tests) if tests else ir.Constant(ir.BIT, 1)

    builder.branch(blocks)
    builder.position_at_end(blocks)
    start = builder.phi(ir.INT64)
    stop = builder.add(start, int64(lanes))
    builder.cbranch(builder.icmp_signed("<=", stop, count), block, rest)

    builder.position_at_end(block)
    found = builder.bitcast(is_at(0, start, lanes), bits)
    builder.branch(places)
    builder.position_at_end(places)
    left = builder.phi(bits)
    none = ir.Constant(bits, 0)
    builder.cbranch(builder.icmp_unsigned("!=", left, none), place, behind)
    builder.position_at_end(place)
    lane = builder.call_named(f"llvm.cttz.i{lanes}", bits, left, ir.Constant(ir.BIT, 1))
    at = builder.add(start, lane if lanes == MOST_LANES else builder.zext(lane, ir.INT64))
    builder.cbranch(are_at(at, range(1, half)), end, other)
    builder.position_at_end(other)
    fewer = builder.and_(left, builder.sub(left, ir.Constant(bits, 1)))
    builder.branch(places)
    builder.position_at_end(behind)
    builder.branch(blocks)

    builder.position_at_end(rest)
    one = builder.phi(ir.INT64)
    builder.cbranch(builder.icmp_signed("<", one, count), single, end)
    builder.position_at_end(single)
    builder.cbranch(are_at(one, range(half)), end, next_)
    builder.position_at_end(next_)
    following = builder.add(one, int64(1))
    builder.branch(rest)

    builder.position_at_end(end)
    result = builder.phi(ir.INT64)
    for phi, incoming in (
        (start, [(int64(0), here), (stop, behind)]),
        (left, [(found, block), (fewer, other)]),
        (one, [(start, blocks), (following, next_)]),
        (result, [(at, place), (int64(-1), rest), (one, single)]),
    ):
        for value, source in incoming:
            phi.add_incoming(value, source)
    return [Scalar(result, kernel.node.outputs[0].type)]


def _takes_numbers(kernel: Kernel) -> bool:
    """True for lists of numbers."""
    types = [value.type for value in kernel.node.inputs]
    lists = [type for type in types if isinstance(type, ListType)]
    return _takes(kernel) and all(element_of(type).shape == () for type in lists)


def _take(emitter: Emitter, kernel: Kernel, items: Items, places: Array) -> Sequence[Held]:
    builder, element = emitter.builder, items.element
    count = places.dims[0]
    made = _grown(emitter, _empty(element), count, fresh=False)
    with builder.counted(count) as index:
        source = builder.place(places.pointer, index, places.dtype)
        at = cast(builder, builder.load_element(source, places.dtype), places.dtype, dtypes.int64)
        emitter.step_aside(builder.icmp_unsigned(">=", at, items.count))
        _copy(emitter, _slot(builder, made, index), _slot(builder, items, at), int64(1), element)
    return [Items(made.pointer, count, made.capacity, element)]


def _takes_places(kernel: Kernel) -> bool:
    return _takes(kernel) and len(getattr(kernel.node.inputs[1].type, "shape", ())) == 1


def _as(emitter: Emitter, kernel: Kernel, items: Items) -> Sequence[Held]:
    """A copy, of which less may be known."""
    builder, element = emitter.builder, _known_element(kernel.node.outputs[0])
    made = _grown(emitter, _empty(element), items.count, fresh=False)
    if is_row(items.element) == is_row(element):
        _copy(emitter, made.pointer, items.pointer, items.count, element)
    else:
        builder.clear(made.pointer, _bytes(builder, items.count, element))
        dims = _dims(items.element)
        with builder.counted(items.count) as at:
            value = Array(_slot(builder, items, at), dims, element.dtype)
            rows.put(emitter, _slot(builder, made, at), value, element)
    return [Items(made.pointer, items.count, made.capacity, element)]


def _takes_as(kernel: Kernel) -> bool:
    """True for a list of which no more is known than before."""
    before, after = map(_known_element, (*kernel.node.inputs, *kernel.node.outputs))
    return _takes(kernel) and (is_row(after) or not is_row(before))


def _known_element(value: Value) -> TensorType:
    assert isinstance(value.type, ListType)
    return element_of(value.type)


def _cast(emitter: Emitter, kernel: Kernel, items: Items) -> Sequence[Held]:
    builder = emitter.builder
    element = _known_element(kernel.node.outputs[0])
    made = _grown(emitter, _empty(element), items.count, fresh=False)
    if is_row(element):
        builder.clear(made.pointer, _bytes(builder, items.count, element))
        with builder.counted(items.count) as at:
            source = rows.row(emitter, _slot(builder, items, at), items.element)
            target = rows.made(emitter, _slot(builder, made, at), source.dims[0], element)
            _cast_all(emitter, target, source)
    else:
        dims = [items.count, *_dims(element)]
        source, target = [Array(x.pointer, dims, x.element.dtype) for x in (items, made)]
        _cast_all(emitter, target, source)
    return [Items(made.pointer, items.count, made.capacity, element)]


def _cast_all(emitter: Emitter, target: Array, source: Array) -> None:
    builder, before, dtype = emitter.builder, source.dtype, target.dtype
    with builder.counted(builder.size_of(source.dims)) as at:
        number = builder.load_at(source.pointer, at, before)
        emitter.step_aside(*_too_large(builder, number, before, dtype))
        there = builder.place(target.pointer, at, dtype)
        builder.store_element(cast(builder, number, before, dtype), there, dtype)


def _too_large(builder: Builder, number: ir.Value, before: DType, dtype: DType) -> list[ir.Value]:
    """The tests, one of which holds for a number that does not fit into a dtype."""
    low, high = ir.Constant(number.type, dtype.min), ir.Constant(number.type, dtype.max)
    if before.is_integer:
        is_wider = dtype.is_integer and before.size > dtype.size
        sides = (("<", low), (">", high)) if is_wider else ()
        return [builder.icmp_signed(sign, number, limit) for sign, limit in sides]
    if before.size <= dtype.size:
        return []
    least, most = (ir.Constant(number.type, end) for end in (-math.inf, math.inf))
    return [
        builder.and_(
            builder.fcmp_ordered(sign, number, limit), builder.fcmp_ordered("!=", number, end)
        )
        for sign, limit, end in (("<", low, least), (">", high, most))
    ]


def _takes_cast(kernel: Kernel) -> bool:
    """True for signed integers and floats, but not for integers of floats."""
    (value,), (output,) = kernel.node.inputs, kernel.node.outputs
    if not is_list(value.type) or not is_list(output.type):
        return False
    kinds = [element_of(each).dtype for each in (value.type, output.type)]
    if any(map(is_half, kinds)):
        return False
    return "".join([each.np_dtype.kind for each in kinds]) in ("ii", "if", "ff")


def _get(emitter: Emitter, kernel: Kernel, items: Items, index: Scalar) -> Sequence[Held]:
    builder, element = emitter.builder, items.element
    at = wide(emitter, index)
    emitter.step_aside(builder.icmp_unsigned(">=", at, items.count))
    source = _slot(builder, items, at)
    if element.shape == ():
        (output,) = kernel.node.outputs
        return [Scalar(builder.load_element(source, element.dtype), output.type)]
    found = Array(source, _dims(element), element.dtype)
    if is_row(element):
        found = rows.row(emitter, source, element)
    # The list may be written to while what was read is still there.
    made = emitter.allocate(element.dtype, found.dims, target_of(kernel))
    size = builder.bytes_of(builder.size_of(found.dims), element.dtype)
    builder.copy(made.pointer, found.pointer, size)
    return [made]


def _stack(emitter: Emitter, kernel: Kernel, items: Items) -> Sequence[Held]:
    builder, element = emitter.builder, items.element
    known = kernel.node.outputs[0].type
    assert isinstance(known, TensorType)
    assert known.shape is not None
    count = items.count
    if known.shape[0] is not None:
        emitter.step_aside(builder.icmp_signed("!=", count, int64(known.shape[0])))
        count = int64(known.shape[0])
    if is_row(element):
        made = rows.stack(emitter, items, count, target_of(kernel))
    else:
        dims = [count, *_dims(element)]
        made = emitter.allocate(element.dtype, dims, target_of(kernel))
        builder.copy(made.pointer, items.pointer, _bytes(builder, count, element))
    return [handed_on(emitter, kernel, made)]


def _concat(emitter: Emitter, kernel: Kernel, items: Items) -> Sequence[Held]:
    return [handed_on(emitter, kernel, rows.concat(emitter, items, target_of(kernel)))]


def _split(emitter: Emitter, kernel: Kernel, array: Array, like: Array) -> Sequence[Held]:
    builder, element = emitter.builder, _known_element(kernel.node.outputs[0])
    if isinstance(like, Items):
        count, length_at = like.count, rows.length_of(emitter, like)
    else:
        assert isinstance(like, Array)
        count, length_at = like.dims[0], functools.partial(_number_at, builder, like)
    made = _grown(emitter, _empty(element), count, fresh=False)
    rows.split(emitter, made, array, count, length_at)
    return [Items(made.pointer, count, made.capacity, element)]


def _number_at(builder: Builder, array: Array, at: ir.Value) -> ir.Value:
    return builder.load_at(array.pointer, at, array.dtype)


def _takes_split(kernel: Kernel) -> bool:
    by, made = kernel.node.inputs[1].type, kernel.node.outputs[0].type
    if isinstance(by, ListType):
        is_told = is_row(element_of(by))
    else:
        assert isinstance(by, TensorType)
        is_told = by.dtype is dtypes.int64 and len(by.shape or ()) == 1
    assert isinstance(made, ListType)
    return _takes(kernel) and is_told and is_row(element_of(made))


def _lengths(emitter: Emitter, kernel: Kernel, items: Items) -> Sequence[Held]:
    return [rows.lengths(emitter, items, target_of(kernel))]


def _length(emitter: Emitter, kernel: Kernel, items: Items) -> Sequence[Held]:
    return [Scalar(items.count, kernel.node.outputs[0].type)]


def _unstack(emitter: Emitter, kernel: Kernel, array: Array) -> Sequence[Held]:
    builder, element = emitter.builder, _element(kernel)
    count = array.dims[0]
    made = _grown(emitter, _empty(element), count, fresh=False)
    if is_row(element):
        builder.clear(made.pointer, _bytes(builder, count, element))
        dims = array.dims[1:]
        length = builder.size_of(dims)
        with builder.counted(count) as at:
            row = builder.place(array.pointer, builder.mul(at, length), element.dtype)
            put = Array(row, dims, element.dtype)
            rows.put(emitter, _slot(builder, made, at), put, element)
    else:
        builder.copy(made.pointer, array.pointer, _bytes(builder, count, element))
    return [Items(made.pointer, count, made.capacity, element)]


def _takes_array(kernel: Kernel) -> bool:
    return _takes(kernel) and bool(getattr(kernel.node.inputs[0].type, "shape", None))


def _row_slot(emitter: Emitter, items: Items, place: Scalar) -> ir.Value:
    at = wide(emitter, place)
    emitter.step_aside(emitter.builder.icmp_unsigned(">=", at, items.count))
    return _slot(emitter.builder, items, at)


def _row(emitter: Emitter, items: Items, place: Scalar) -> Array:
    return rows.row(emitter, _row_slot(emitter, items, place), items.element)


def _row_length(emitter: Emitter, kernel: Kernel, items: Items, place: Scalar) -> Sequence[Held]:
    return [Scalar(_row(emitter, items, place).dims[0], kernel.node.outputs[0].type)]


def _item_place(emitter: Emitter, items: Items, at: Scalar, index: Scalar) -> ir.Value:
    """The place in memory of an item of a row."""
    row, number = _row(emitter, items, at), wide(emitter, index)
    emitter.step_aside(emitter.builder.icmp_unsigned(">=", number, row.dims[0]))
    return emitter.builder.place(row.pointer, number, row.dtype)


def _row_item(
    emitter: Emitter, kernel: Kernel, items: Items, at: Scalar, index: Scalar, _: Held
) -> Sequence[Held]:
    source = _item_place(emitter, items, at, index)
    found = emitter.builder.load_element(source, items.element.dtype)
    return [Scalar(found, kernel.node.outputs[0].type)]


def _set_row_item(
    emitter: Emitter,
    kernel: Kernel,
    items: Items,
    at: Scalar,
    index: Scalar,
    value: Scalar,
    _: Held,
) -> Sequence[Held]:
    made = _own(emitter, kernel, items)
    target = _item_place(emitter, made, at, index)
    emitter.builder.store_element(value.value, target, items.element.dtype)
    return [made]


def _push_row_item(
    emitter: Emitter, kernel: Kernel, items: Items, at: Scalar, value: Scalar, _: Held
) -> Sequence[Held]:
    made = _own(emitter, kernel, items)
    rows.push(emitter, _row_slot(emitter, made, at), value, items.element)
    return [made]


def _takes_rows(kernel: Kernel) -> bool:
    """True for lists of rows."""
    return _takes(kernel) and is_row(_element(kernel))


def _takes_vectors(kernel: Kernel) -> bool:
    return _takes_rows(kernel) and _element(kernel).shape == (None,)


ON_ARRAYS["list_new"] = OnArrays(_takes, _new)
ON_ARRAYS["list_of"] = OnArrays(_takes, _of)
ON_ARRAYS["list_length"] = OnArrays(_takes, _length)
ON_ARRAYS["list_get"] = OnArrays(_takes_one, _get)
ON_ARRAYS["list_find"] = OnArrays(_takes_numbers, _find)
ON_ARRAYS["list_set"] = OnArrays(_takes_one, _set)
ON_ARRAYS["list_push"] = OnArrays(_takes, _push)
ON_ARRAYS["list_as"] = OnArrays(_takes_as, _as)
ON_ARRAYS["list_drop"] = OnArrays(_takes_one, _drop)
ON_ARRAYS["list_gap"] = OnArrays(_takes_one, _gap)
ON_ARRAYS["list_cast"] = OnArrays(_takes_cast, _cast)
ON_ARRAYS["list_extend"] = OnArrays(_takes, _extend)
ON_ARRAYS["list_take"] = OnArrays(_takes_places, _take)
ON_ARRAYS["list_stack"] = OnArrays(_takes, _stack)
ON_ARRAYS["list_concat"] = OnArrays(_takes_rows, _concat)
ON_ARRAYS["list_split"] = OnArrays(_takes_split, _split)
ON_ARRAYS["list_split_like"] = OnArrays(_takes_split, _split)
ON_ARRAYS["list_lengths"] = OnArrays(_takes_rows, _lengths)
ON_ARRAYS["list_unstack"] = OnArrays(_takes_array, _unstack)
ON_ARRAYS["list_row_item"] = OnArrays(_takes_vectors, _row_item)
ON_ARRAYS["list_row_length"] = OnArrays(_takes_vectors, _row_length)
ON_ARRAYS["list_set_row_item"] = OnArrays(_takes_vectors, _set_row_item)
ON_ARRAYS["list_push_row_item"] = OnArrays(_takes_vectors, _push_row_item)
