"""Softmax and its logarithm, by rows: what is computed of a row is still near when it is read
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.core.types import TensorType
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Kernel
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.indexing import shapes_known, target_of
from runtime.graph.executors.native.loops import Strip, lanes_for
from runtime.graph.executors.native.lowering_rules import ELEMENTWISE, ON_ARRAYS, OnArrays
from runtime.graph.executors.native.math.exponentials import exp_of_difference
from runtime.graph.executors.native.math.lanes import Lanes
from runtime.graph.executors.native.reductions import Accumulator
from runtime.graph.executors.native.sharing import HEAVY, MOST_KEPT, SHARED, SIZE, OutlinedPart
from runtime.graph.executors.native.values import Array, Held, stored

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

LOGARITHM = "log_softmax"
State = tuple[Sequence[ir.Value], Sequence[ir.Value]]


def _takes(kernel: Kernel) -> bool:
    type = kernel.node.inputs[0].type
    if not shapes_known(kernel) or not isinstance(type, TensorType) or not type.shape:
        return False
    if not type.dtype.is_floating or type.dtype.np_dtype.char not in "fd":
        return False
    is_last = kernel.node.params["axis"] in (-1, len(type.shape) - 1)
    return is_last and "exp" in ELEMENTWISE and "log" in ELEMENTWISE


def _lower(emitter: Emitter, kernel: Kernel, array: Array) -> Sequence[Held]:
    builder, dtype = emitter.builder, array.dtype
    made = emitter.allocate(dtype, array.dims, target_of(kernel))
    logarithm = kernel.node.primitive.instruction == LOGARITHM
    length = array.dims[-1]
    if length.constant == 0:
        return [made]
    rows = builder.size_of(array.dims[:-1])
    known = length.constant or 0
    # An exponential, and two loops over the row.
    each, kept = known * (HEAVY + 2), known * dtype.size
    if each * (rows.constant or 0) < SHARED or kept > MOST_KEPT:
        powers = emitter.allocate(dtype, [length])
        with builder.counted(rows) as row:
            Row(builder, array, made, powers.pointer, row).run(logarithm)
        return [made]
    # The stack is asked for it before the body begins.
    emitter.frame -= kept
    part = OutlinedPart(emitter)
    powers_of_part = part.builder.scratch(stored(dtype), known)
    pair = part.array(array), part.array(made)
    with part.builder.counted(part.builder.sub(part.end, part.first)) as at:
        row = part.builder.add(part.first, at)
        Row(part.builder, *pair, powers_of_part, row).run(logarithm)
    part.run(rows, max(1, SIZE // each))
    return [made]


class Largest(Accumulator):
    """The largest number of a row, NaN left out: it is one among the powers too."""

    def __init__(self, dtype: DType) -> None:
        super().__init__("reduce_max", dtype)

    def combine(self, builder: Builder, a: ir.Value, b: ir.Value) -> ir.Value:
        """The larger one; a where b is NaN."""
        return builder.select(builder.fcmp_ordered(">", b, a), b, a)


class Row:
    """One row, in three loops: the largest element, the sum of powers of e, and the quotients."""

    def __init__(
        self,
        builder: Builder,
        array: Array,
        made: Array,
        powers: ir.Value,
        row: ir.Value,
    ) -> None:
        self.builder = builder
        self.dtype, self.length = array.dtype, array.dims[-1]
        offset = builder.mul(row, self.length)
        self.source, self.target = (
            (builder.place(each.pointer, offset, each.dtype), each.dtype) for each in (array, made)
        )
        self.between = powers, array.dtype
        self.lanes = lanes_for(array.dtype.size, 4)

    def compute(self, name: str, *operands: ir.Value) -> ir.Value:
        """An instruction on numbers, or vectors, of the row's dtype."""
        return ELEMENTWISE[name].emit(self.builder, self.dtype, *operands)

    def run(self, logarithm: bool) -> None:
        """Emit the loops."""
        builder = self.builder
        largest = Largest(self.dtype)
        strip = Strip(builder, self.length, self.lanes, [self.source], [])
        found = strip.run(
            largest.start(strip.lanes),
            lambda at, vectors, state: ([], largest.take(builder, state, vectors[0], strip.valid)),
        )
        top = largest.finish(builder, found, [self.length])
        total = self.powers(top, keep=not logarithm)
        if logarithm:
            self.differences(top, self.compute("log", total))
        else:
            self.quotients(total)

    def powers(self, top: ir.Value, keep: bool) -> ir.Value:
        """The sum of the powers of e, which are kept."""
        builder = self.builder
        total = Accumulator("reduce_sum", self.dtype, blocked=self.length.constant is None)
        sinks = [self.between] if keep else []
        lanes = lanes_for(self.dtype.size, 2)
        strip = Strip(builder, self.length, lanes, [self.source], sinks)
        many = builder.splat(top, strip.lanes)

        def body(at: ir.Value, vectors: Sequence[ir.Value], state: Sequence[ir.Value]) -> State:
            less = self.compute("subtract", vectors[0], many)
            power = exp_of_difference(Lanes(builder, less)).value
            following = total.take(builder, state, power, strip.valid)
            return ([power] if keep else []), following

        found = strip.run(total.start(strip.lanes), body, True)
        return total.finish(builder, found, [self.length])

    def quotients(self, total: ir.Value) -> None:
        """The powers by their sum, which is one at least: they are multiplied by its inverse."""
        builder = self.builder
        inverse = self.compute("divide", ir.Constant(total.type, 1.0), total)
        strip = Strip(builder, self.length, self.lanes, [self.between], [self.target])
        many = builder.splat(inverse, strip.lanes)
        strip.run(
            [],
            lambda at, vectors, state: ([self.compute("multiply", vectors[0], many)], []),
        )

    def differences(self, top: ir.Value, total: ir.Value) -> None:
        """The elements less the largest one, and less the logarithm of the sum."""
        builder = self.builder
        strip = Strip(builder, self.length, self.lanes, [self.source], [self.target])
        first, second = builder.splat(top, strip.lanes), builder.splat(total, strip.lanes)

        def body(at: ir.Value, vectors: Sequence[ir.Value], state: Sequence[ir.Value]) -> State:
            less = self.compute("subtract", vectors[0], first)
            return [self.compute("subtract", less, second)], []

        strip.run([], body)


ON_ARRAYS["softmax"] = OnArrays(_takes, _lower)
ON_ARRAYS[LOGARITHM] = OnArrays(_takes, _lower)
