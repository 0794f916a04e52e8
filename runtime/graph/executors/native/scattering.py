"""Rows at places that are told by numbers: taken, added up, and combined by segments.

A number that is no place makes code step aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from runtime.core.types import TensorType
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Kernel
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.indexing import (
    array_of,
    gives_known_sizes,
    handed_on,
    is_small,
    number_at,
    of_dims,
    register_rule,
    shape_of,
    shapes_known,
    target_of,
)
from runtime.graph.executors.native.loops import lanes_for, spread
from runtime.graph.executors.native.lowering_rules import ELEMENTWISE
from runtime.graph.executors.native.scalar_ops import wide
from runtime.graph.executors.native.values import Array, Held, Scalar, int64, register, width

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter


def checked(emitter: Emitter, at: ir.Value, size: ir.Value, negative: bool) -> ir.Value:
    """A place from the start; code steps aside where there is none. Negative ones may count from
    the end.
    """
    builder = emitter.builder
    if negative:
        is_below = builder.icmp_signed("<", at, int64(0))
        at = builder.select(is_below, builder.add(at, size), at)
    emitter.step_aside(builder.icmp_unsigned(">=", at, size))
    return at


def combine(
    emitter: Emitter,
    instruction: str,
    dtype: DType,
    target: ir.Value,
    source: ir.Value,
    count: ir.Value,
) -> None:
    """Combine a row with another one, in place: neither is read again once it is written, as rows
    of vectors are followed by single elements.
    """
    builder, emit = emitter.builder, ELEMENTWISE[instruction].emit

    def at(index: ir.Value, lanes: int) -> None:
        pointers = [builder.place(pointer, index, dtype) for pointer in (target, source)]
        values = [builder.load_element(pointer, dtype, lanes) for pointer in pointers]
        builder.store_element(emit(builder, dtype, *values), pointers[0], dtype)

    lanes = lanes_for(width(dtype), 1)
    whole = builder.sub(count, builder.urem(count, int64(lanes)))
    known = count.constant
    if known is not None:
        whole = int64(known - known % lanes)
    if whole.constant != 0:
        with builder.counted(_divided(builder, whole, lanes)) as vector:
            at(builder.mul(vector, int64(lanes)), lanes)
    rest = int64(known % lanes) if known is not None else builder.sub(count, whole)
    if rest.constant != 0:
        with builder.counted(rest) as index:
            at(builder.add(whole, index), 0)


def _divided(builder: Builder, count: ir.Value, by: int) -> ir.Value:
    known = count.constant
    return int64(known // by) if known is not None else builder.udiv(count, int64(by))


def _start(
    emitter: Emitter, kernel: Kernel, dtype: DType, dims: Sequence[ir.Value], value: Any
) -> Array:
    """A result that has one value everywhere."""
    made = emitter.allocate(dtype, dims, target_of(kernel))
    size = emitter.builder.size_of(dims)
    spread(emitter.builder, dtype, made.pointer, ir.Constant(register(dtype), value), size)
    return made


# Along an axis


class Along:
    """Rows of an array that has an axis, at the places that an array of numbers has: of `dims`, the
    numbers come behind the batch and what is before the axis.
    """

    def __init__(
        self, emitter: Emitter, kernel: Kernel, whole: Sequence[ir.Value], numbers: Array
    ) -> None:
        self.emitter, self.builder = emitter, emitter.builder
        params = kernel.node.params
        self.numbers, self.negative = numbers, params["negative"]
        axis, batch = params["axis"] % len(whole), params["batch_dims"]
        builder = self.builder
        self.batch = builder.size_of(whole[:batch])
        self.before = builder.size_of(whole[batch:axis])
        self.size, self.inner = whole[axis], builder.size_of(whole[axis + 1 :])
        self.count = builder.size_of(numbers.dims[batch:])
        self.dims = [*whole[:axis], *numbers.dims[batch:], *whole[axis + 1 :]]

    def run(self, whole: ir.Value, rows: ir.Value, dtype: DType, adds: bool) -> None:
        """Take the rows of the whole; or add rows to it."""
        builder = self.builder
        with (
            builder.counted(self.batch) as batch,
            builder.counted(self.before) as before,
            builder.counted(self.count) as at,
        ):
            number = builder.add(builder.mul(batch, self.count), at)
            where = number_at(self.emitter, self.numbers, number)
            where = checked(self.emitter, where, self.size, self.negative)
            row = builder.add(builder.mul(batch, self.before), before)
            there = builder.add(builder.mul(row, self.size), where)
            here = builder.add(builder.mul(row, self.count), at)
            there = builder.place(whole, builder.mul(there, self.inner), dtype)
            here = builder.place(rows, builder.mul(here, self.inner), dtype)
            if adds:
                combine(self.emitter, "add", dtype, there, here, self.inner)
            elif self.inner.constant == 1:
                builder.store_element(builder.load_element(there, dtype), here, dtype)
            else:
                builder.copy(here, there, builder.bytes_of(self.inner, dtype))


def _are_batches_alike(kernel: Kernel) -> bool:
    """Whether the dims in front are known to be the same, of inputs of known rank."""
    batch = kernel.node.params["batch_dims"]
    shapes = [list(getattr(value.type, "shape", ())[:batch]) for value in kernel.node.inputs]
    return shapes[0] == shapes[1] and None not in shapes[0]


def _takes_gather(kernel: Kernel) -> bool:
    return shapes_known(kernel) and _are_batches_alike(kernel)


def _lower_gather(emitter: Emitter, kernel: Kernel, array: Array, numbers: Array) -> Sequence[Held]:
    along = Along(emitter, kernel, array.dims, array_of(emitter, numbers))
    made = emitter.allocate(array.dtype, along.dims, target_of(kernel))
    along.run(array.pointer, made.pointer, array.dtype, False)
    return [handed_on(emitter, kernel, made)]


def _lower_gather_grad(
    emitter: Emitter, kernel: Kernel, grad: Held, at: Held, *_: Held
) -> Sequence[Held]:
    rows, numbers = array_of(emitter, grad), array_of(emitter, at)
    dims = [int64(dim or 0) for dim in shape_of(kernel)]
    batch = kernel.node.params["batch_dims"]
    numbers = of_dims(emitter, numbers, [*dims[:batch], *numbers.dims[batch:]])
    made = _start(emitter, kernel, rows.dtype, dims, 0)
    along = Along(emitter, kernel, dims, numbers)
    rows = of_dims(emitter, rows, along.dims)
    along.run(made.pointer, rows.pointer, rows.dtype, True)
    return [made]


# At vectors of places


class Places:
    """The rows of an array that vectors of places name."""

    def __init__(
        self,
        emitter: Emitter,
        whole: Sequence[ir.Value],
        numbers: Array,
        batch: int,
        negative: bool,
    ) -> None:
        self.emitter, self.negative = emitter, negative
        builder = emitter.builder
        self.numbers, self.depth = numbers, numbers.dims[-1].constant or 0
        self.batch = builder.size_of(numbers.dims[:batch])
        self.count = builder.size_of(numbers.dims[batch:-1])
        self.sizes = whole[batch : batch + self.depth]
        self.rest = list(whole[batch + self.depth :])
        self.inner = builder.size_of(self.rest)
        self.dims = [*numbers.dims[:-1], *self.rest]

    def run(self, whole: ir.Value, rows: ir.Value, dtype: DType, instruction: str = "") -> None:
        """Take the rows of the whole; or combine rows with it."""
        builder = self.emitter.builder
        with builder.counted(self.batch) as batch, builder.counted(self.count) as at:
            row = builder.add(builder.mul(batch, self.count), at)
            first, there = builder.mul(row, int64(self.depth)), batch
            for part, size in enumerate(self.sizes):
                number = number_at(self.emitter, self.numbers, builder.add(first, int64(part)))
                number = checked(self.emitter, number, size, self.negative)
                there = builder.add(builder.mul(there, size), number)
            there = builder.place(whole, builder.mul(there, self.inner), dtype)
            here = builder.place(rows, builder.mul(row, self.inner), dtype)
            if instruction == UPDATE:
                builder.copy(there, here, builder.bytes_of(self.inner, dtype))
            elif instruction:
                combine(self.emitter, instruction, dtype, there, here, self.inner)
            else:
                builder.copy(here, there, builder.bytes_of(self.inner, dtype))


def _depth_known(kernel: Kernel, at: int) -> bool:
    shape = getattr(kernel.node.inputs[at].type, "shape", None) or (None,)
    return shapes_known(kernel) and shape[-1] is not None


def _takes_nd(kernel: Kernel) -> bool:
    return _depth_known(kernel, 1) and _are_batches_alike(kernel)


def _lower_nd(emitter: Emitter, kernel: Kernel, held: Held, numbers: Array) -> Sequence[Held]:
    array, params = array_of(emitter, held), kernel.node.params
    places = Places(emitter, array.dims, numbers, params["batch_dims"], params["negative"])
    made = emitter.allocate(array.dtype, places.dims, target_of(kernel))
    places.run(array.pointer, made.pointer, array.dtype)
    return [handed_on(emitter, kernel, made)]


def _takes_scatter(kernel: Kernel) -> bool:
    return _depth_known(kernel, 0) and None not in shape_of(kernel) and _dims_fit(kernel)


def _dims_fit(kernel: Kernel) -> bool:
    """Whether the dims of what is scattered are known: they are checked while tracing."""
    return all(None not in getattr(value.type, "shape", ()) for value in kernel.node.inputs)


def _lower_scatter(
    emitter: Emitter, kernel: Kernel, numbers: Array, held: Held, *_: Held
) -> Sequence[Held]:
    rows = array_of(emitter, held)
    dims = [int64(dim or 0) for dim in shape_of(kernel)]
    made = _start(emitter, kernel, rows.dtype, dims, 0)
    places = Places(emitter, dims, numbers, 0, kernel.node.params["negative"])
    combined = "logical_or" if rows.dtype.is_bool else "add"
    places.run(made.pointer, rows.pointer, rows.dtype, combined)
    return [handed_on(emitter, kernel, made)]


UPDATE = "tensor_scatter_update"
_SCATTERED = {
    UPDATE: UPDATE,
    **{"tensor_scatter_add": "add", "tensor_scatter_sub": "subtract"},
    **{"tensor_scatter_max": "maximum", "tensor_scatter_min": "minimum"},
}


def _takes_scattered(kernel: Kernel) -> bool:
    """Whether the array is small: Python's program need not copy a larger one."""
    if not _depth_known(kernel, 1) or not _dims_fit(kernel) or not is_small(kernel):
        return False
    type = kernel.node.outputs[0].type
    is_bool = isinstance(type, TensorType) and type.dtype.is_bool
    return not is_bool or kernel.node.primitive.instruction == UPDATE


def _lower_scattered(
    emitter: Emitter, kernel: Kernel, array: Array, numbers: Array, held: Held
) -> Sequence[Held]:
    rows = array_of(emitter, held)
    made = emitter.allocate(array.dtype, array.dims, target_of(kernel))
    emitter.copy(made.pointer, array)
    places = Places(emitter, array.dims, numbers, 0, False)
    instruction = _SCATTERED[kernel.node.primitive.instruction]
    places.run(made.pointer, rows.pointer, rows.dtype, instruction)
    return [made]


# Segments


_SEGMENTS: dict[str, tuple[str, Any]] = {
    "segment_sum": ("add", lambda dtype: 0),
    "segment_prod": ("multiply", lambda dtype: 1),
    "segment_max": ("maximum", lambda dtype: -inf if dtype.is_floating else dtype.min),
    "segment_min": ("minimum", lambda dtype: inf if dtype.is_floating else dtype.max),
}


def _takes_segments(kernel: Kernel) -> bool:
    return shapes_known(kernel) and _dims_fit(kernel)


def _lower_segments(
    emitter: Emitter, kernel: Kernel, rows: Held, ids: Held, total: Scalar
) -> Sequence[Held]:
    builder, data, numbers = emitter.builder, array_of(emitter, rows), array_of(emitter, ids)
    instruction, start = _SEGMENTS[kernel.node.primitive.instruction]
    known, dtype = kernel.node.params["known"], data.dtype
    size = wide(emitter, total) if known is None else int64(known)
    emitter.step_aside(builder.icmp_unsigned(">", size, int64(1 << 31)))
    rest = list(data.dims[len(numbers.dims) :])
    made = _start(emitter, kernel, dtype, [size, *rest], start(dtype))
    inner = builder.size_of(rest)
    with builder.counted(builder.size_of(numbers.dims)) as at:
        number = number_at(emitter, numbers, at)
        emitter.step_aside(builder.icmp_signed(">=", number, size))
        with builder.if_then(builder.icmp_signed(">=", number, int64(0))):
            there = builder.place(made.pointer, builder.mul(number, inner), dtype)
            here = builder.place(data.pointer, builder.mul(at, inner), dtype)
            combine(emitter, instruction, dtype, there, here, inner)
    return [made]


register_rule("gather", _takes_gather, _lower_gather)
register_rule("gather_grad", gives_known_sizes, _lower_gather_grad, heavy=True)
register_rule("gather_nd", _takes_nd, _lower_nd)
register_rule("scatter_nd", _takes_scatter, _lower_scatter)
for _instruction in _SCATTERED:
    register_rule(_instruction, _takes_scattered, _lower_scattered)
for _instruction in _SEGMENTS:
    register_rule(_instruction, _takes_segments, _lower_segments, heavy=True)
