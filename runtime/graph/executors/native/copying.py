"""Elements that only go to other places: parts of arrays, repeated, padded, turned and rolled ones,
and arrays of one value.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime import dtypes
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Kernel
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.indexing import (
    AxisSlice,
    array_of,
    handed_on,
    register_rule,
    shape_of,
    shapes_known,
    taken,
    target_of,
)
from runtime.graph.executors.native.loops import Axis, moved, spread
from runtime.graph.executors.native.scalar_ops import wide
from runtime.graph.executors.native.scalars import cast
from runtime.graph.executors.native.values import Array, Held, Scalar, int64, register

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter


def _given_shape(kernel: Kernel, at: int = 0) -> list[int | None]:
    """The shape of an input."""
    return list(getattr(kernel.node.inputs[at].type, "shape", None) or ())


# Parts


def _parts(array: Array) -> list[AxisSlice]:
    """All of an array."""
    return [AxisSlice(int64(0), dim, 1, dim) for dim in array.dims]


def _takes_split(kernel: Kernel) -> bool:
    axis = kernel.node.params["axis"]
    return shapes_known(kernel) and all(
        shape_of(kernel, at)[axis] is not None for at in range(len(kernel.node.outputs))
    ) and _given_shape(kernel)[axis] is not None  # fmt: skip


def _lower_split(emitter: Emitter, kernel: Kernel, array: Array) -> Sequence[Held]:
    axis, start, made = kernel.node.params["axis"], 0, []
    for at in range(len(kernel.node.outputs)):
        length = shape_of(kernel, at)[axis] or 0
        found = _parts(array)
        found[axis] = AxisSlice(int64(start), int64(length), 1, array.dims[axis])
        made.append(taken(emitter, kernel, array, found, at))
        start += length
    return made


def _takes_unstack(kernel: Kernel) -> bool:
    params = kernel.node.params
    return shapes_known(kernel) and _given_shape(kernel)[params["axis"]] == params["num"]


def _lower_unstack(emitter: Emitter, kernel: Kernel, array: Array) -> Sequence[Held]:
    axis, made = kernel.node.params["axis"], []
    for at in range(kernel.node.params["num"]):
        found = _parts(array)
        found[axis] = AxisSlice(int64(at), int64(1), 1, array.dims[axis], kept=False)
        made.append(taken(emitter, kernel, array, found, at))
    return made


def _lower_box(emitter: Emitter, kernel: Kernel, array: Array, *given: Scalar) -> Sequence[Held]:
    builder, box, numbers = emitter.builder, kernel.node.params["box"], iter(given)
    rank = len(array.dims)
    entries = [wide(emitter, next(numbers)) if n is None else int64(n) for n in box]
    found = []
    for dim, start, size in zip(array.dims, entries[:rank], entries[rank:], strict=True):
        room = builder.add(dim, _less(builder, start))
        if size.constant == -1:
            size = room
        elif size.constant is None:
            size = builder.select(builder.icmp_signed("==", size, int64(-1)), room, size)
        # Also of what is negative, as an unsigned number.
        for small, large in ((start, dim), (size, room)):
            known = small.constant, large.constant
            if None in known or not 0 <= known[0] <= known[1]:
                emitter.step_aside(builder.icmp_unsigned(">", small, large))
        found.append(AxisSlice(start, size, 1, dim))
    return [taken(emitter, kernel, array, found)]


def _less(builder: Builder, value: ir.Value) -> ir.Value:
    known = value.constant
    return int64(-known) if known is not None else builder.neg(value)


# Turned, repeated, padded and rolled


def _lower_reverse(emitter: Emitter, kernel: Kernel, array: Array) -> Sequence[Held]:
    builder = emitter.builder
    made = emitter.allocate(array.dtype, array.dims, target_of(kernel))
    steps, source = builder.steps_of(array.dims), array.pointer
    first = list(steps)
    for at in {axis % len(array.dims) for axis in kernel.node.params["axis"]}:
        last = builder.mul(builder.add(array.dims[at], int64(-1)), steps[at])
        source = builder.place(source, last, array.dtype)
        first[at] = builder.mul(steps[at], int64(-1))
    axes = list(map(Axis, array.dims, first, steps))
    moved(builder, array.dtype, made.pointer, source, axes)
    return [made]


def _takes_tile(kernel: Kernel) -> bool:
    multiples = kernel.node.params["multiples"]
    return shapes_known(kernel) and multiples is not None and None not in multiples


def _lower_tile(emitter: Emitter, kernel: Kernel, held: Held) -> Sequence[Held]:
    builder, array = emitter.builder, array_of(emitter, held)
    repeats = [int64(n) for n in kernel.node.params["multiples"]]
    dims = [builder.mul(*pair) for pair in zip(array.dims, repeats, strict=True)]
    made = emitter.allocate(array.dtype, dims, target_of(kernel))
    axes = []
    for dim, count, first, second in zip(
        array.dims, repeats, builder.steps_of(array.dims), builder.steps_of(dims), strict=True
    ):
        axes.append(Axis(count, int64(0), builder.mul(second, dim)))
        axes.append(Axis(dim, first, second))
    moved(builder, array.dtype, made.pointer, array.pointer, axes)
    return [made]


def _takes_pad(kernel: Kernel) -> bool:
    params = kernel.node.params
    return shapes_known(kernel) and params["mode"] == "CONSTANT" and params["paddings"] is not None


def _lower_pad(emitter: Emitter, kernel: Kernel, held: Held, value: Scalar) -> Sequence[Held]:
    builder, dtype, paddings = emitter.builder, value.dtype, kernel.node.params["paddings"]
    array = array_of(emitter, held)
    dims = [
        builder.add(dim, int64(sum(pair))) for dim, pair in zip(array.dims, paddings, strict=True)
    ]
    made = emitter.allocate(dtype, dims, target_of(kernel))
    spread(builder, dtype, made.pointer, value.value, builder.size_of(dims))
    steps = builder.steps_of(dims)
    target = made.pointer
    for step, (before, _) in zip(steps, paddings, strict=True):
        target = builder.place(target, builder.mul(step, int64(before)), dtype)
    axes = list(map(Axis, array.dims, builder.steps_of(array.dims), steps))
    moved(builder, dtype, target, array.pointer, axes)
    return [handed_on(emitter, kernel, made)]


def _lower_roll(emitter: Emitter, kernel: Kernel, array: Array, shift: Scalar) -> Sequence[Held]:
    """Of each axis, the elements before the place where it is cut go behind the others."""
    builder, dtype = emitter.builder, array.dtype
    axes = [axis % len(array.dims) for axis in kernel.node.params["axis"]]
    made = emitter.allocate(dtype, array.dims, target_of(kernel))
    steps = builder.steps_of(array.dims)
    choices: list[list[tuple[ir.Value, ir.Value, ir.Value]]] = []
    for axis, dim in enumerate(array.dims):
        if axis not in axes:
            choices.append([(dim, int64(0), int64(0))])
            continue
        emitter.step_aside(builder.icmp_signed("==", dim, int64(0)))
        by: ir.Value = wide(emitter, shift)
        rest = builder.srem(by, dim)
        is_below = builder.icmp_signed("<", rest, int64(0))
        rest = builder.select(is_below, builder.add(rest, dim), rest)
        cut = builder.sub(dim, rest)
        choices.append([(cut, int64(0), rest), (rest, cut, int64(0))])
    for parts in itertools.product(*choices):
        source, target = array.pointer, made.pointer
        for step, (_, first, second) in zip(steps, parts, strict=True):
            source = builder.place(source, builder.mul(first, step), dtype)
            target = builder.place(target, builder.mul(second, step), dtype)
        counts = [count for count, _, _ in parts]
        moved(builder, dtype, target, source, list(map(Axis, counts, steps, steps)))
    return [made]


def _takes_roll(kernel: Kernel) -> bool:
    axes = kernel.node.params["axis"]
    return shapes_known(kernel) and len(axes) == 1 and _given_shape(kernel, 1) == []


# Arrays of one value, and of their places


def _takes_fill(kernel: Kernel) -> bool:
    return shapes_known(kernel) and kernel.node.params["shape"] is not None


def _lower_fill(emitter: Emitter, kernel: Kernel, value: Scalar, *given: Scalar) -> Sequence[Held]:
    numbers = iter(given)
    dims = []
    for known in kernel.node.params["shape"]:
        dim = int64(known) if known is not None else wide(emitter, next(numbers))
        if known is None:
            _check_count(emitter, dim)
        dims.append(dim)
    return [_filled(emitter, kernel, value.value, value.dtype, dims)]


def _check_count(emitter: Emitter, count: ir.Value) -> None:
    emitter.step_aside(emitter.builder.icmp_unsigned(">", count, int64(1 << 31)))


def _lower_like(emitter: Emitter, kernel: Kernel, like: Held) -> Sequence[Held]:
    dtype: DType = kernel.node.params["dtype"]
    number = int(kernel.node.primitive.instruction == "ones")
    dims = getattr(like, "dims", ())
    return [_filled(emitter, kernel, ir.Constant(register(dtype), number), dtype, dims)]


def _filled(
    emitter: Emitter, kernel: Kernel, value: ir.Value, dtype: DType, dims: Sequence[ir.Value]
) -> Held:
    if not dims:
        return Scalar(value, kernel.node.outputs[0].type)
    made = emitter.allocate(dtype, dims, target_of(kernel))
    spread(emitter.builder, dtype, made.pointer, value, emitter.builder.size_of(dims))
    return made


def _lower_positions(emitter: Emitter, kernel: Kernel, *operands: Scalar) -> Sequence[Held]:
    dtype: DType = kernel.node.params["dtype"]
    known = kernel.node.params["length"]
    count = wide(emitter, operands[1]) if known is None else int64(known)
    _check_count(emitter, count)
    builder, made = emitter.builder, emitter.allocate(dtype, [count], target_of(kernel))
    with builder.counted(count) as at:
        _set(builder, made, at, at)
    return [made]


def _set(builder: Builder, made: Array, at: ir.Value, number: ir.Value) -> None:
    value = cast(builder, number, dtypes.int64, made.dtype)
    builder.store_at(value, made.pointer, at, made.dtype)


# Shapes


def _dims(held: Held) -> Sequence[ir.Value]:
    return held.dims if isinstance(held, Array) else ()


def _lower_shape(emitter: Emitter, kernel: Kernel, held: Held) -> Sequence[Held]:
    dtype: DType = kernel.node.params["dtype"]
    dims = _dims(held)
    made = emitter.allocate(dtype, [int64(len(dims))], target_of(kernel))
    for at, dim in enumerate(dims):
        _set(emitter.builder, made, int64(at), dim)
    return [made]


def _lower_size(emitter: Emitter, kernel: Kernel, held: Held) -> Sequence[Held]:
    size = emitter.builder.size_of(_dims(held))
    dtype: DType = kernel.node.params["dtype"]
    value = cast(emitter.builder, size, dtypes.int64, dtype)
    return [Scalar(value, kernel.node.outputs[0].type)]


register_rule("split", _takes_split, _lower_split)
register_rule("unstack", _takes_unstack, _lower_unstack)
register_rule("box", shapes_known, _lower_box)
register_rule("reverse", shapes_known, _lower_reverse)
register_rule("tile", _takes_tile, _lower_tile)
register_rule("pad", _takes_pad, _lower_pad)
register_rule("roll", _takes_roll, _lower_roll)
register_rule("fill", _takes_fill, _lower_fill)
register_rule("zeros", shapes_known, _lower_like)
register_rule("ones", shapes_known, _lower_like)
register_rule("positions", shapes_known, _lower_positions)
register_rule("shape", shapes_known, _lower_shape)
register_rule("size", shapes_known, _lower_size)
