"""Reductions: all elements, or those along neighbouring axes, become one.

Vectors are added lane by lane, and the lanes at the end; sums of many elements are made of sums of
fewer, so that what is rounded off grows with neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runtime.core.shapes import Shape
from runtime.core.types import TensorType, Type
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Kernel, Local
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Builder, Loop
from runtime.graph.executors.native.halves import rounded
from runtime.graph.executors.native.indexing import equal_dim, number_at
from runtime.graph.executors.native.loops import Strip, lanes_for, spread
from runtime.graph.executors.native.lowering_rules import ELEMENTWISE, ON_ARRAYS, OnArrays
from runtime.graph.executors.native.values import (
    Array,
    Held,
    Scalar,
    int64,
    is_half,
    is_native,
    register,
    width,
)

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter


def _least(dtype: DType) -> Any:
    return -np.inf if dtype.is_floating else dtype.min


def _largest(dtype: DType) -> Any:
    return np.inf if dtype.is_floating else dtype.max


_COMBINE: dict[str, tuple[str, Callable[[DType], Any]]] = {
    "reduce_sum": ("add", lambda dtype: 0),
    "reduce_mean": ("add", lambda dtype: 0),
    "reduce_prod": ("multiply", lambda dtype: 1),
    "reduce_max": ("maximum", _least),
    "reduce_min": ("minimum", _largest),
    "reduce_any": ("logical_or", lambda dtype: 0),
    "reduce_all": ("logical_and", lambda dtype: 1),
}
"""The instruction that combines two elements, and what changes none."""

BLOCK = 64
"""The vectors that are added up before their sum is, and the sums that are before theirs is."""


class Accumulator:
    """The effect of one reduction on elements of a dtype, lane by lane."""

    def __init__(self, instruction: str, dtype: DType, blocked: bool = False) -> None:
        combine, neutral = _COMBINE[instruction]
        self.instruction = instruction
        self.mean = instruction == "reduce_mean"
        self.dtype = dtype
        self.emit = ELEMENTWISE[combine].emit
        self.neutral = ir.Constant(register(dtype), neutral(dtype))
        self.blocked = blocked and combine == "add" and dtype.is_floating
        self.count = 5 if self.blocked else 1

    @property
    def once(self) -> bool:
        """True where it matters that an element is taken once: it does not for extremes."""
        return self.instruction in ("reduce_sum", "reduce_mean", "reduce_prod")

    def start(self, lanes: int) -> list[ir.Value]:
        """The state before any element: vectors."""
        type = ir.VectorType(self.neutral.type, lanes)
        empty = ir.Constant(type, self.neutral.constant)
        many = int64(BLOCK)
        return [empty, empty, empty, many, many] if self.blocked else [empty]

    def take(
        self,
        builder: Builder,
        state: Sequence[ir.Value],
        vector: ir.Value,
        valid: ir.Value | None,
    ) -> list[ir.Value]:
        """The state after one more vector, of which only the valid lanes count."""
        if valid is not None:
            neutral = ir.Constant(vector.type, [self.neutral.constant] * vector.type.count)
            vector = builder.select(valid, vector, neutral)
        total = self.combine(builder, state[0], vector)
        if not self.blocked:
            return [total]
        left = builder.sub(state[3], int64(1))
        before = builder.block
        with builder.if_then(builder.icmp_signed("==", left, int64(0)), likely=False):
            following = self.gathered(builder, [total, *state[1:]])
            inner = builder.block
        made: list[ir.Value] = []
        for old, new in zip([total, *state[1:3], left, state[4]], following, strict=True):
            phi = builder.phi(new.type)
            phi.add_incoming(old, before)
            phi.add_incoming(new, inner)
            made.append(phi)
        return made

    def gathered(self, builder: Builder, state: Sequence[ir.Value]) -> list[ir.Value]:
        """The state after a block: its sum is added to those of others, and after as many of them,
        theirs to the rest.
        """
        total, blocks, rest, _, left = state
        empty, _, _, many, _ = self.start(total.type.count)
        blocks = self.combine(builder, blocks, total)
        done = builder.icmp_signed("==", left, int64(1))
        return [
            empty,
            builder.select(done, empty, blocks),
            builder.select(done, self.combine(builder, rest, blocks), rest),
            many,
            builder.select(done, many, builder.sub(left, int64(1))),
        ]

    def combine(self, builder: Builder, a: ir.Value, b: ir.Value) -> ir.Value:
        """Two elements, or vectors of them, as one."""
        return self.emit(builder, self.dtype, a, b)

    def finish(
        self, builder: Builder, state: Sequence[ir.Value], dims: Sequence[ir.Value]
    ) -> ir.Value:
        """The number that the lanes make, of so many elements."""
        return self.divided(builder, self.gathered_lanes(builder, state), dims)

    def gathered_lanes(self, builder: Builder, state: Sequence[ir.Value]) -> ir.Value:
        """The number that the lanes make."""
        vector = state[0]
        for more in state[1:3]:
            vector = self.combine(builder, more, vector)
        while vector.type.count > 1:
            vector = self.combine(builder, *builder.halves(vector))
        return builder.extract_element(vector, int64(0))

    def state_of(self, builder: Builder, number: ir.Value) -> list[ir.Value]:
        """The state that makes this number."""
        return [builder.splat(number, 1), *self.start(1)[1:]]

    def divided(self, builder: Builder, total: ir.Value, dims: Sequence[ir.Value]) -> ir.Value:
        """The mean of so many elements, where that is asked for; else the total, as a number of the
        dtype. It may be a vector.
        """
        if not self.mean:
            return rounded(builder, total, self.dtype)
        count = builder.uitofp(builder.size_of(dims), register(self.dtype))
        if isinstance(total.type, ir.VectorType):
            count = builder.splat(count, total.type.count)
        # Nothing divided by nothing is not a number, as it is of NumPy's.
        return rounded(builder, builder.fdiv(total, count), self.dtype)


class Reduction(NamedTuple):
    """A kernel that reduces the elements along some axes, which stay as dims of 1 if it keeps
    them.
    """

    instruction: str
    axes: list[int]
    keepdims: bool


def reduction_of(kernel: Kernel) -> Reduction | None:
    """The reduction that a kernel is: also a sum to the shape that was broadcast."""
    node = kernel.node
    type = node.inputs[0].type if node.inputs else None
    if not isinstance(type, TensorType) or type.shape is None:
        return None
    instruction, rank = node.primitive.instruction, len(type.shape)
    if instruction in _COMBINE:
        axis = node.params["axis"]
        axes = list(range(rank)) if axis is None else sorted({at % rank for at in axis})
        return Reduction(instruction, axes, node.params["keepdims"])
    return _summed(type.shape, node.outputs[0].type) if instruction == "sum_to" else None


def _summed(shape: Shape, wanted: Type) -> Reduction | None:
    assert isinstance(wanted, TensorType)
    if shape is None or wanted.shape is None or None in (*shape, *wanted.shape):
        return None
    missing = len(shape) - len(wanted.shape)
    pairs = enumerate(zip(shape[missing:], wanted.shape, strict=True), missing)
    repeated = [at for at, (given, found) in pairs if given != found]
    if missing and repeated:
        return None
    return Reduction("reduce_sum", repeated or list(range(missing)), not missing)


def accumulator(kernel: Kernel, dtype: DType, blocked: bool = True) -> Accumulator | None:
    """The reduction that a kernel computes of elements of a dtype, if it is one."""
    found = reduction_of(kernel)
    if found is None or not is_native(dtype):
        return None
    if found.instruction == "reduce_mean" and not dtype.is_floating:
        return None
    if is_half(dtype) and len(neighbours(found.axes)) > 1:
        # Sums of sums would be rounded twice.
        return None
    return Accumulator(found.instruction, dtype, blocked)


def is_total(kernel: Kernel) -> bool:
    """True if a reduction gives a single number."""
    return getattr(kernel.node.outputs[0].type, "shape", None) == ()


def _takes(kernel: Kernel) -> bool:
    type = kernel.node.inputs[0].type
    if not isinstance(type, TensorType) or type.shape is None:
        return False
    return accumulator(kernel, type.dtype) is not None


def _lower(emitter: Emitter, kernel: Kernel, array: Array) -> Sequence[Held]:
    (target,) = kernel.targets
    made = accumulator(kernel, array.dtype)
    assert made is not None
    builder = emitter.builder
    if isinstance(array, Scalar):
        vector = builder.splat(array.value, 1)
        return [Scalar(builder.extract_element(vector, int64(0)), target.type)]
    found = reduction_of(kernel)
    assert found is not None
    axes, keeps = found.axes, found.keepdims
    dims = [
        int64(1) if at in axes else dim
        for at, dim in enumerate(array.dims)
        if at not in axes or keeps
    ]
    return [along(emitter, made, array, axes, dims, target)]


def along(
    emitter: Emitter,
    made: Accumulator,
    array: Array,
    axes: Sequence[int],
    dims: Sequence[ir.Value],
    target: Local,
) -> Held:
    """The reduction along some axes, as a result with these dims."""
    *others, group = neighbours(axes)
    for more in reversed(others):
        # The last axes are reduced first.
        rest = [int64(1) if at in group else dim for at, dim in enumerate(array.dims)]
        less = Array(emitter.memory(array.dtype, rest), rest, array.dtype)
        reduce(emitter, made, array, less, group)
        array, group = less, more
    if getattr(target.type, "shape", None) == ():
        size = emitter.builder.size_of(array.dims)
        return Scalar(total(emitter, made, array.pointer, size), target.type)
    result = emitter.allocate(array.dtype, dims, target)
    reduce(emitter, made, array, result, group)
    return result


def neighbours(axes: Sequence[int]) -> list[list[int]]:
    """Axes in groups of those that are next to each other: at least one group."""
    groups: list[list[int]] = []
    for axis in axes:
        if groups and groups[-1][-1] == axis - 1:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    return groups or [[]]


def reduce(
    emitter: Emitter, made: Accumulator, array: Array, result: Array, axes: Sequence[int]
) -> None:
    """Write the reduction along neighbouring axes."""
    builder, dims = emitter.builder, array.dims
    first, behind = (axes[0], axes[-1] + 1) if axes else (len(dims), len(dims))
    count, inner = builder.size_of(dims[first:behind]), builder.size_of(dims[behind:])
    with builder.counted(builder.size_of(dims[:first])) as row:
        start = builder.mul(row, builder.mul(count, inner))
        source = builder.place(array.pointer, start, array.dtype)
        to = builder.place(result.pointer, builder.mul(row, inner), array.dtype)
        if inner.constant == 1:
            builder.store_element(total(emitter, made, source, count), to, array.dtype)
        elif inner.constant is not None:
            columns(emitter, made, source, to, count, inner, lanes_for(width(array.dtype), 4))
        else:
            lanes = lanes_for(width(array.dtype), 4)
            with builder.if_else(builder.icmp_signed("<", inner, int64(lanes))) as (few, many):
                with few:
                    columns(emitter, made, source, to, count, inner, 1)
                with many:
                    columns(emitter, made, source, to, count, inner, lanes)


def total(emitter: Emitter, made: Accumulator, source: ir.Value, count: ir.Value) -> ir.Value:
    """The reduction of neighbouring elements."""
    builder = emitter.builder
    known = count.constant
    if known is not None and known <= 1:
        only = builder.load_element(source, made.dtype) if known else made.neutral
        return made.divided(builder, only, [count])
    lanes = lanes_for(width(made.dtype), 4)
    strip = Strip(builder, count, lanes, [(source, made.dtype)], [])
    found = strip.run(
        made.start(strip.lanes),
        lambda at, vectors, state: ([], made.take(builder, state, vectors[0], strip.valid)),
        made.once,
    )
    return made.finish(builder, found, [count])


def columns(
    emitter: Emitter,
    made: Accumulator,
    source: ir.Value,
    target: ir.Value,
    count: ir.Value,
    inner: ir.Value,
    lanes: int,
) -> None:
    """The reduction of rows to one row, by vectors of columns."""
    builder, dtype = emitter.builder, made.dtype
    single = Accumulator(made.instruction, dtype)
    strip = Strip(builder, inner, lanes, [], [(target, dtype)])

    def body(
        at: ir.Value, vectors: Sequence[ir.Value], state: Sequence[ir.Value]
    ) -> tuple[Sequence[ir.Value], Sequence[ir.Value]]:
        loop = Loop(builder, count, 1, single.start(strip.lanes))
        offset = builder.add(builder.mul(loop.index, inner), at)
        row = builder.place(source, offset, dtype)
        found = single.take(
            builder, loop.values, builder.load_element(row, dtype, strip.lanes), None
        )
        (end,) = loop.close(found)
        return [single.divided(builder, end, [count])], []

    strip.run([], body)


# Sums and products so far


def _takes_running(kernel: Kernel) -> bool:
    type = kernel.node.inputs[0].type
    return (
        isinstance(type, TensorType)
        and bool(type.shape)
        and is_native(type.dtype)
        and not is_half(type.dtype)
    )


def _lower_running(emitter: Emitter, kernel: Kernel, array: Array) -> Sequence[Held]:
    builder, params, dtype = emitter.builder, kernel.node.params, array.dtype
    instruction = kernel.node.primitive.instruction.replace("running", "reduce")
    made = emitter.allocate(dtype, array.dims, kernel.targets[0])
    axis = params["axis"] % len(array.dims)
    count, inner = array.dims[axis], builder.size_of(array.dims[axis + 1 :])
    totals = emitter.memory(dtype, [inner])
    combined = Accumulator(instruction, dtype)
    with builder.counted(builder.size_of(array.dims[:axis])) as before:
        spread(builder, dtype, totals, combined.neutral, inner)
        with builder.counted(count) as index:
            at = index
            if params["reverse"]:
                at = builder.sub(builder.add(count, int64(-1)), index)
            row = builder.mul(builder.add(builder.mul(before, count), at), inner)
            with builder.counted(inner) as column:
                where = builder.add(row, column)
                so_far = builder.place(totals, column, dtype)
                total = builder.load_element(so_far, dtype)
                element = builder.load_at(array.pointer, where, dtype)
                following = combined.combine(builder, total, element)
                builder.store_element(following, so_far, dtype)
                to = builder.place(made.pointer, where, dtype)
                builder.store_element(total if params["exclusive"] else following, to, dtype)
    return [made]


# Sums to the shape that was broadcast


def _takes_summed(kernel: Kernel) -> bool:
    given, wanted = kernel.node.inputs[0].type, kernel.node.outputs[0].type
    if not isinstance(given, TensorType) or not isinstance(wanted, TensorType):
        return False
    if given.shape is None or wanted.shape is None or not is_native(given.dtype):
        return False
    is_told = None not in wanted.shape or len(kernel.node.inputs) > 1
    return is_told and len(given.shape) >= len(wanted.shape)


def _lower_summed(
    emitter: Emitter, kernel: Kernel, array: Array | Scalar, *shapes: Array
) -> Sequence[Held]:
    """Dims that are not known to be 1 are expected to be as before."""
    (target,) = kernel.targets
    if isinstance(array, Scalar):
        return [array]
    builder, shape = emitter.builder, list(target.type.shape or ())
    missing = len(array.dims) - len(shape)
    axes, dims = list(range(missing)), []
    for at, known in enumerate(shape):
        dim = array.dims[missing + at]
        if known == 1 and dim.constant != 1:
            axes.append(missing + at)
            dim = int64(1)
        elif known is None:
            told = number_at(emitter, shapes[0], int64(at))
            emitter.step_aside(builder.icmp_signed("!=", told, dim))
        else:
            dim = equal_dim(emitter, int64(known), dim)
        dims.append(dim)
    if not axes:
        return [Array(array.pointer, dims, array.dtype)]
    made = Accumulator("reduce_sum", array.dtype, blocked=True)
    return [along(emitter, made, array, axes, dims, target)]


ON_ARRAYS["sum_to"] = OnArrays(_takes_summed, _lower_summed)
for _instruction in ("running_sum", "running_prod"):
    ON_ARRAYS[_instruction] = OnArrays(_takes_running, _lower_running)
for _instruction in _COMBINE:
    ON_ARRAYS[_instruction] = OnArrays(_takes, _lower)
