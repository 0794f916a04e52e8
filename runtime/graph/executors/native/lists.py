"""Lists of arrays of one known shape: their elements one behind the other, in memory that grows.

What was not written is zeros, as it is read everywhere else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from runtime import dtypes
from runtime.core.types import ListType, NumberType, TensorType
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Kernel
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.indexing import handed_on, target_of
from runtime.graph.executors.native.loops import (
    bytes_of,
    clear,
    copy,
    counted,
    load,
    move,
    place,
    size_of,
    store,
    times,
)
from runtime.graph.executors.native.lowering_rules import ON_ARRAYS, OnArrays
from runtime.graph.executors.native.scalar_ops import wide
from runtime.graph.executors.native.scalars import cast
from runtime.graph.executors.native.values import (
    BYTE,
    INT64,
    POINTER,
    Array,
    Held,
    Items,
    Scalar,
    element_of,
    int64,
    is_half,
    is_held,
    is_native,
    static,
)

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter


def is_list(type: object) -> TypeGuard[ListType]:
    """True for a list whose elements are numbers, or arrays of one known shape."""
    if not isinstance(type, ListType):
        return False
    if isinstance(type.element, NumberType):
        return True
    if not isinstance(type.element, TensorType) or type.element.shape is None:
        return False
    return None not in type.element.shape and is_native(type.element.dtype)


# Memory


def _element(kernel: Kernel) -> TensorType:
    """The type of the elements of the list that a kernel takes or makes."""
    for value in (*kernel.node.inputs, *kernel.node.outputs):
        if isinstance(value.type, ListType):
            return element_of(value.type)
    raise TypeError("no list is taken or made")


def _dims(element: TensorType) -> list[ir.Value]:
    return [int64(dim or 0) for dim in element.shape or ()]


def _grown(emitter: Emitter, items: Items, count: ir.Value, length: ir.Value, fresh: bool) -> Items:
    """The list with room for so many elements: where it is, or in other memory."""
    builder = emitter.builder
    element = items.element
    pair = ir.LiteralStructType([POINTER, INT64])
    slot = emitter.slot(pair)
    nothing = ir.Constant(POINTER, None)
    second = builder.gep(slot, [int64(8)], source_etype=BYTE)
    builder.store(nothing if fresh else items.pointer, slot)
    builder.store(int64(0) if fresh else items.capacity, second)
    size = bytes_of(builder, times(builder, count, length), element.dtype)
    kind = ir.FunctionType(POINTER, [POINTER, POINTER, INT64])
    emitter.uses += 1
    made = emitter.symbols.call(builder, "arena.grow", kind, [emitter.arena, slot, size])
    emitter.step_aside(builder.icmp_unsigned("==", made, nothing))
    moved = builder.icmp_unsigned("!=", made, items.pointer)
    with builder.if_then(moved):
        old = bytes_of(builder, times(builder, items.count, length), element.dtype)
        copy(builder, made, items.pointer, old)
    return Items(made, items.count, builder.load(second, typ=INT64), element)


def _written(emitter: Emitter, kernel: Kernel, items: Items, count: ir.Value) -> Items:
    """The list that a kernel writes to, with room for so many elements; a copy if it is shared."""
    length = size_of(emitter.builder, _dims(items.element))
    return _grown(emitter, items, count, length, fresh=kernel.targets[0] in emitter.copied)


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
    return Items(ir.Constant(POINTER, None), int64(0), int64(0), element)


def _cleared(emitter: Emitter, kernel: Kernel, number: ir.Value) -> Items:
    """A list of so many items, all zeros."""
    builder, element = emitter.builder, _element(kernel)
    if static(number) == 0:
        return _empty(element)
    length = size_of(builder, _dims(element))
    made = _grown(emitter, _empty(element), number, length, fresh=True)
    clear(builder, made.pointer, bytes_of(builder, times(builder, number, length), element.dtype))
    return Items(made.pointer, number, made.capacity, element)


def _new(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    (count,) = operands
    assert isinstance(count, Scalar)
    builder, number = emitter.builder, wide(emitter, count)
    if static(number) != 0:
        emitter.step_aside(builder.icmp_signed("<", number, int64(0)))
        emitter.step_aside(builder.icmp_signed(">", number, int64(1 << 32)))
    return [_cleared(emitter, kernel, number)]


def _of(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    params = kernel.node.params
    made = _cleared(emitter, kernel, int64(params["size"]))
    for at, value in zip(params["places"], operands, strict=True):
        _store(emitter, made, int64(at), value)
    return [made]


def _store(emitter: Emitter, items: Items, at: ir.Value, value: Held) -> None:
    builder, element = emitter.builder, items.element
    length = size_of(builder, _dims(element))
    target = place(builder, items.pointer, times(builder, at, length), element.dtype)
    if isinstance(value, Scalar):
        store(builder, value.value, target, element.dtype)
    else:
        assert isinstance(value, Array)
        copy(builder, target, value.pointer, bytes_of(builder, length, element.dtype))


def _push(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    items, _, value = operands
    assert isinstance(items, Items)
    builder, count = emitter.builder, items.count
    more = builder.add(count, int64(1))
    made = _written(emitter, kernel, items, more)
    _store(emitter, made, count, value)
    return [Items(made.pointer, more, made.capacity, items.element)]


def _set(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    items, index, value = operands
    assert isinstance(items, Items)
    assert isinstance(index, Scalar)
    builder, element = emitter.builder, items.element
    at, length = wide(emitter, index), size_of(builder, _dims(element))
    emitter.step_aside(builder.icmp_signed("<", at, int64(0)))
    behind = builder.icmp_signed(">=", at, items.count)
    if kernel.node.params["dynamic"]:
        emitter.step_aside(builder.icmp_signed(">", at, int64(1 << 32)))
        count = builder.select(behind, builder.add(at, int64(1)), items.count)
    else:
        emitter.step_aside(behind)
        count = items.count
    made = _written(emitter, kernel, items, count)
    size = bytes_of(builder, length, element.dtype)
    with builder.if_then(builder.icmp_signed(">", at, items.count), likely=False):
        gap = builder.mul(builder.sub(at, items.count), size)
        start = place(builder, made.pointer, times(builder, items.count, length), element.dtype)
        clear(builder, start, gap)
    _store(emitter, made, at, value)
    return [Items(made.pointer, count, made.capacity, element)]


def _drop(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    """Those behind an item move to its place."""
    items, index = operands
    assert isinstance(items, Items)
    assert isinstance(index, Scalar)
    builder, element = emitter.builder, items.element
    at, length = wide(emitter, index), size_of(builder, _dims(element))
    emitter.step_aside(builder.icmp_unsigned(">=", at, items.count))
    made = items
    if kernel.targets[0] in emitter.copied:
        made = _grown(emitter, items, items.count, length, fresh=True)
    target = place(builder, made.pointer, times(builder, at, length), element.dtype)
    source = place(builder, target, length, element.dtype)
    left = builder.sub(items.count, int64(1))
    behind = times(builder, builder.sub(left, at), length)
    with builder.if_then(builder.icmp_signed(">", behind, int64(0)), likely=False):
        move(builder, target, source, bytes_of(builder, behind, element.dtype))
    return [Items(made.pointer, left, made.capacity, element)]


def _extend(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    items, more = operands
    assert isinstance(items, Items)
    assert isinstance(more, Items)
    builder, element = emitter.builder, items.element
    count, length = builder.add(items.count, more.count), size_of(builder, _dims(element))
    made = _written(emitter, kernel, items, count)
    end = place(builder, made.pointer, times(builder, items.count, length), element.dtype)
    size = times(builder, more.count, length)
    copy(builder, end, more.pointer, bytes_of(builder, size, element.dtype))
    return [Items(made.pointer, count, made.capacity, element)]


def _take(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    items, places = operands
    assert isinstance(items, Items)
    assert isinstance(places, Array)
    builder, element = emitter.builder, items.element
    count, length = places.dims[0], size_of(builder, _dims(element))
    made = _grown(emitter, _empty(element), count, length, fresh=True)
    size = bytes_of(builder, length, element.dtype)
    with counted(builder, count) as index:
        source = place(builder, places.pointer, index, places.dtype)
        at = cast(builder, load(builder, source, places.dtype), places.dtype, dtypes.int64)
        emitter.step_aside(builder.icmp_unsigned(">=", at, items.count))
        source, target = [
            place(builder, each.pointer, times(builder, number, length), element.dtype)
            for each, number in ((items, at), (made, index))
        ]
        copy(builder, target, source, size)
    return [Items(made.pointer, count, made.capacity, element)]


def _takes_places(kernel: Kernel) -> bool:
    return _takes(kernel) and len(getattr(kernel.node.inputs[1].type, "shape", ())) == 1


def _cast(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    (items,) = operands
    assert isinstance(items, Items)
    builder, before = emitter.builder, items.element.dtype
    (output,) = kernel.node.outputs
    assert isinstance(output.type, ListType)
    element = element_of(output.type)
    length = size_of(builder, _dims(element))
    made = _grown(emitter, _empty(element), items.count, length, fresh=True)
    with counted(builder, times(builder, items.count, length)) as at:
        number = load(builder, place(builder, items.pointer, at, before), before)
        emitter.step_aside(*_too_large(builder, number, before, element.dtype))
        there = place(builder, made.pointer, at, element.dtype)
        store(builder, cast(builder, number, before, element.dtype), there, element.dtype)
    return [Items(made.pointer, items.count, made.capacity, element)]


def _too_large(
    builder: ir.IRBuilder, number: ir.Value, before: DType, dtype: DType
) -> list[ir.Value]:
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


def _get(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    items, index = operands
    assert isinstance(items, Items)
    assert isinstance(index, Scalar)
    builder, element = emitter.builder, items.element
    at, dims = wide(emitter, index), _dims(element)
    emitter.step_aside(builder.icmp_unsigned(">=", at, items.count))
    offset = times(builder, at, size_of(builder, dims))
    source = place(builder, items.pointer, offset, element.dtype)
    if not dims:
        (output,) = kernel.node.outputs
        return [Scalar(load(builder, source, element.dtype), output.type)]
    # The list may be written to while what was read is still there.
    made = emitter.allocate(element.dtype, dims, target_of(kernel))
    copy(builder, made.pointer, source, bytes_of(builder, size_of(builder, dims), element.dtype))
    return [made]


def _stack(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    (items,) = operands
    assert isinstance(items, Items)
    builder, element = emitter.builder, items.element
    known = kernel.node.outputs[0].type
    assert isinstance(known, TensorType)
    assert known.shape is not None
    count = items.count
    if known.shape[0] is not None:
        emitter.step_aside(builder.icmp_signed("!=", count, int64(known.shape[0])))
        count = int64(known.shape[0])
    dims = [count, *_dims(element)]
    made = emitter.allocate(element.dtype, dims, target_of(kernel))
    copy(
        builder, made.pointer, items.pointer, bytes_of(builder, size_of(builder, dims), made.dtype)
    )
    return [handed_on(emitter, kernel, made)]


def _length(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    (items,) = operands
    assert isinstance(items, Items)
    return [Scalar(items.count, kernel.node.outputs[0].type)]


def _unstack(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    (array,) = operands
    assert isinstance(array, Array)
    builder, element = emitter.builder, _element(kernel)
    count, length = array.dims[0], size_of(builder, _dims(element))
    made = _grown(emitter, _empty(element), count, length, fresh=True)
    size = bytes_of(builder, times(builder, count, length), element.dtype)
    copy(builder, made.pointer, array.pointer, size)
    return [Items(made.pointer, count, made.capacity, element)]


def _takes_array(kernel: Kernel) -> bool:
    return _takes(kernel) and bool(getattr(kernel.node.inputs[0].type, "shape", None))


ON_ARRAYS["list_new"] = OnArrays(_takes, _new)
ON_ARRAYS["list_of"] = OnArrays(_takes, _of)
ON_ARRAYS["list_length"] = OnArrays(_takes, _length)
ON_ARRAYS["list_get"] = OnArrays(_takes_one, _get)
ON_ARRAYS["list_set"] = OnArrays(_takes_one, _set)
ON_ARRAYS["list_push"] = OnArrays(_takes, _push)
ON_ARRAYS["list_drop"] = OnArrays(_takes_one, _drop)
ON_ARRAYS["list_cast"] = OnArrays(_takes_cast, _cast)
ON_ARRAYS["list_extend"] = OnArrays(_takes, _extend)
ON_ARRAYS["list_take"] = OnArrays(_takes_places, _take)
ON_ARRAYS["list_stack"] = OnArrays(_takes, _stack)
ON_ARRAYS["list_unstack"] = OnArrays(_takes_array, _unstack)
