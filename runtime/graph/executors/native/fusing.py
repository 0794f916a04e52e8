"""Collecting elementwise kernels for loops, until somebody needs what they compute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.core.types import TensorType, Type
from runtime.graph.executors.lowered import Block, Expression, Kernel, Local, blocks_of, leaves
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.arrays import emit
from runtime.graph.executors.native.elements import Element, element_of
from runtime.graph.executors.native.fusion import (
    Delayed,
    DelayedNumber,
    DelayedStep,
    Fusion,
    Operand,
    RowNumber,
    RowSink,
    RowStep,
    Sink,
    Step,
)
from runtime.graph.executors.native.reductions import (
    Accumulator,
    accumulator,
    is_total,
    reduction_of,
)
from runtime.graph.executors.native.sharing import SHARED
from runtime.graph.executors.native.values import Array, Held, Items, Scalar, int64

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

LEAST_IN_ROW = 8
"""Elements of a row that are reduced in the loop that computes them, if that is cheap: vectors that
end with their rows do some elements twice.
"""

MANY_IN_ROW, MOST_IN_ROW = 128, 4096
"""Those of a row that takes many instructions for each."""

MOST_STEPS = 64
"""The kernels of one loop, whose operands are to be in registers."""


def is_elementwise(kernel: Kernel) -> bool:
    """True if the kernel can be part of a loop over elements."""
    return element_of(kernel) is not None


def reads_of(body: Block) -> Counter[Local]:
    """The number of times that each local is read in a block, and those inside it."""
    read: list[Local] = []
    for block in blocks_of(body):
        for statement in block.statements:
            read += statement.reads()
        for result in block.results:
            read += leaves(result)
        read += block.after
    return Counter(read)


class Fuser:
    """The loops of one function that are being collected."""

    def __init__(self, emitter: Emitter) -> None:
        self.emitter = emitter
        self.reads: Counter[Local] = Counter()
        self.pending: list[Fusion] = []

    def read(self, body: Block) -> None:
        """Take note of what the function reads."""
        self.reads = reads_of(body)

    def add(self, kernel: Kernel) -> bool:
        """Take a kernel, unless it has to be emitted by itself."""
        if self.reduction(kernel):
            return True
        element = element_of(kernel)
        if element is None:
            return False
        operands = [
            self.operand(given, value.type)
            for given, value in zip(kernel.inputs, kernel.node.inputs, strict=True)
        ]
        (target,) = kernel.targets
        if getattr(target.type, "shape", None) == ():
            self.scalar(kernel, element, operands)
            return True
        dims = self.dims(kernel, operands)
        if not self.number(kernel, element, operands, dims):
            fusion = self.fusion_of(operands, dims, element.heavy)
            self.join(fusion, kernel, element, operands)
        return True

    def operand(self, expression: Expression, type: Type) -> Held | Delayed:
        """The value of an expression, which may be about to be computed."""
        if isinstance(expression, Local):
            found = self.emitter.values[expression]
            if isinstance(found, Delayed) and found.dims is not None:
                return found
        return self.emitter.as_type(self.emitter.value(expression), type)

    def scalar(self, kernel: Kernel, element: Element, operands: Sequence[Held | Delayed]) -> None:
        builder = self.emitter.builder
        values = [item.value for item in operands if isinstance(item, Scalar)]
        if element.refuses is not None:
            self.emitter.step_aside(element.refuses(builder, values))
        (target,) = kernel.targets
        self.emitter.values[target] = Scalar(element.emit(builder, values), target.type)

    def dims(self, kernel: Kernel, operands: Sequence[Held | Delayed]) -> list[ir.Value]:
        """The dims of the result. Where they are not known, dims of 1 are not expected to be
        repeated.
        """
        (target,) = kernel.targets
        assert isinstance(target.type, TensorType)
        assert target.type.shape is not None
        arrays = [item for item in operands if isinstance(item, Array | Delayed)]
        rank = len(target.type.shape)
        made: list[ir.Value] = []
        for at, known in enumerate(target.type.shape):
            found: ir.Value | None = None if known is None else int64(known)
            for item in arrays:
                dims = item.dims or ()
                place = at - rank + len(dims)
                if place < 0 or dims[place].constant == 1:
                    continue
                dim = dims[place]
                if found is None:
                    found = dim
                elif found is not dim and (
                    found.constant is None or found.constant != dim.constant
                ):
                    builder = self.emitter.builder
                    self.emitter.step_aside(builder.icmp_signed("!=", found, dim))
            made.append(int64(1) if found is None else found)
        return made

    def fusion_of(
        self, operands: Sequence[Held | Delayed], dims: Sequence[ir.Value], heavy: bool
    ) -> Fusion:
        """The loop for a kernel: that which gives the numbers of rows that it reads, if it does."""
        for item in operands:
            if not isinstance(item, DelayedNumber) or not item.is_near:
                continue
            if self.takes(item.fusion, dims, heavy):
                return item.fusion
        return self.fusion(dims, heavy)

    def fusion(self, dims: Sequence[ir.Value], heavy: bool = False) -> Fusion:
        """The loop over these dims that is being collected."""
        for fusion in self.pending:
            if self.takes(fusion, dims, heavy):
                return fusion
        made = Fusion(dims)
        self.pending.append(made)
        return made

    def takes(self, fusion: Fusion, dims: Sequence[ir.Value], heavy: bool) -> bool:
        """True if a kernel of these dims can be part of a loop."""
        if fusion.done or not _same(fusion.dims, dims) or len(fusion.steps) >= MOST_STEPS:
            return False
        return not (heavy and fusion.numbers) or is_long(dims[-1])

    def join(
        self,
        fusion: Fusion,
        kernel: Kernel,
        element: Element,
        operands: Sequence[Held | Delayed],
    ) -> None:
        given = [self.within(fusion, item) for item in operands]
        if fusion.done:
            # What was forced was in need of this loop.
            fusion = self.fusion(fusion.dims, element.heavy)
            given = [self.within(fusion, item) for item in operands]
        (target,) = kernel.targets
        fusion.read(given)
        assert isinstance(target.type, TensorType)
        fusion.nodes.append(kernel.node)
        sweep = fusion.sweep_of(given)
        fusion.steps.append(Step(element, given, target.type.dtype, target, sweep))
        self.emitter.values[target] = DelayedStep(
            fusion, fusion.dims, target.type.dtype, target, len(fusion.steps) - 1
        )

    def within(self, fusion: Fusion, item: Held | Delayed) -> Operand:
        """An operand as the loop reads it: a step of its own, or what is there."""
        if isinstance(item, DelayedStep) and item.fusion is fusion and not fusion.done:
            return item.at
        if isinstance(item, DelayedNumber) and item.fusion is fusion and item.is_near:
            return RowNumber(item.at)
        if isinstance(item, Delayed):
            item = self.forced(item)
        assert not isinstance(item, Items)
        return item

    def number(
        self,
        kernel: Kernel,
        element: Element,
        operands: Sequence[Held | Delayed],
        dims: Sequence[ir.Value],
    ) -> bool:
        """Take a kernel on numbers of rows, of one loop."""
        rows = [item for item in operands if isinstance(item, DelayedNumber)]
        if not rows or any(isinstance(item, Array | DelayedStep) for item in operands):
            return False
        fusion, (target,) = rows[0].fusion, kernel.targets
        # It may have been emitted for another operand, as the sum of all its elements.
        if fusion.done or element.refuses is not None:
            return False
        if any(item.fusion is not fusion or not _same(item.dims or (), dims) for item in rows):
            return False
        given = [
            RowNumber(item.at) if isinstance(item, DelayedNumber) else self.within(fusion, item)
            for item in operands
        ]
        fusion.read(given)
        assert isinstance(target.type, TensorType)
        dtype, at = target.type.dtype, len(fusion.numbers)
        sweep = fusion.sweep_of(given) - 1
        fusion.numbers.append(RowStep(element, given, dtype, target, sweep, dims=dims))
        fusion.nodes.append(kernel.node)
        self.emitter.values[target] = DelayedNumber(fusion, dims, dtype, target, at)
        return True

    def reduction(self, kernel: Kernel) -> bool:
        """Take a reduction of all elements of an array that a loop is about to compute."""
        if len(kernel.inputs) != 1 or not isinstance(kernel.inputs[0], Local):
            return False
        item = self.emitter.values[kernel.inputs[0]]
        if not isinstance(item, Delayed | Array) or item.dims is None:
            return False
        made = accumulator(kernel, item.dtype)
        if made is None:
            return False
        if not isinstance(item, DelayedStep | Array):
            held = self.forced(item)
            assert isinstance(held, Array)
            item = held
        if not is_total(kernel):
            return self.row_reduction(kernel, made, item)
        (target,) = kernel.targets
        operand: Operand
        if isinstance(item, Array):
            if (self.emitter.builder.size_of(item.dims).constant or 0) < SHARED:
                return False
            fusion, operand = self.fusion(item.dims), item
        else:
            fusion, operand = item.fusion, item.at
        fusion.totals.append(Sink(made, operand, target, fusion.sweep_of([operand])))
        fusion.read([operand])
        fusion.nodes.append(kernel.node)
        self.emitter.values[target] = Delayed(fusion, None, made.dtype, target)
        return True

    def row_reduction(self, kernel: Kernel, made: Accumulator, item: DelayedStep | Array) -> bool:
        """Take a reduction of the rows of an array."""
        assert item.dims is not None
        *outer, length = item.dims
        found = reduction_of(kernel)
        if found is None or found.axes != [len(outer)]:
            return False
        rows = self.emitter.builder.size_of(outer).constant or 0
        if rows < 2 or (length.constant or 0) < LEAST_IN_ROW:
            return False
        operand: Operand
        if isinstance(item, Array):
            if not found.keepdims:
                return False
            fusion, operand = self.fusion(item.dims), item
        else:
            fusion, operand = item.fusion, item.at
        if fusion.is_heavy and not is_long(length):
            return False
        (target,) = kernel.targets
        dims = [*outer, int64(1)] if found.keepdims else outer
        at, sweep = len(fusion.numbers), fusion.sweep_of([operand])
        fusion.numbers.append(RowSink(made, operand, target, sweep, dims))
        fusion.read([operand])
        fusion.nodes.append(kernel.node)
        self.emitter.values[target] = DelayedNumber(fusion, dims, item.dtype, target, at)
        return True

    # The end of collecting

    def forced(self, item: Delayed) -> Held:
        """The result of a loop: it is emitted now, if it is not yet."""
        self.flush_one(item.fusion)
        found = self.emitter.values[item.target]
        assert not isinstance(found, Delayed)
        return found

    def flush(self) -> None:
        """Emit all loops that are being collected."""
        while self.pending:
            self.flush_one(self.pending[0])

    def flush_fallible(self) -> None:
        """Emit the loops that may have no result, also if nobody reads it."""
        for fusion in [fusion for fusion in self.pending if fusion.is_fallible]:
            self.flush_one(fusion)

    def flush_one(self, fusion: Fusion) -> None:
        """Emit a loop. Of what it computes only that is stored which others read."""
        if fusion.done:
            return
        fusion.done = True
        self.pending.remove(fusion)
        read = self.reads
        stored = [at for at, step in enumerate(fusion.steps) if read[step.target] > step.reads]
        numbers = [at for at, one in enumerate(fusion.numbers) if read[one.target] > one.reads]
        arrays, of_rows, totals = emit(self.emitter, fusion, stored, numbers)
        values = self.emitter.values
        for at, array in zip(stored, arrays, strict=True):
            values[fusion.steps[at].target] = array
        for at, array in zip(numbers, of_rows, strict=True):
            values[fusion.numbers[at].target] = array
        for sink, scalar in zip(fusion.totals, totals, strict=True):
            values[sink.target] = scalar


def is_long(length: ir.Value) -> bool:
    """True for rows of so many elements that the end of their last vector costs little, and not
    more than fit into memory that is near.
    """
    return MANY_IN_ROW <= (length.constant or 0) <= MOST_IN_ROW


def _same(some: Sequence[ir.Value], others: Sequence[ir.Value]) -> bool:
    if len(some) != len(others):
        return False
    for a, b in zip(some, others, strict=True):
        if a is not b and (a.constant is None or a.constant != b.constant):
            return False
    return True


__all__ = ["Array", "Fuser", "is_elementwise", "reads_of"]
