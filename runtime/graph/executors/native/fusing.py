"""Collecting elementwise kernels for loops, until somebody needs what they compute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from llvmlite import ir

from runtime.core.types import TensorType, Type
from runtime.graph.executors.lowered import (
    Block,
    Expression,
    Kernel,
    Local,
    blocks_of,
    leaves,
)
from runtime.graph.executors.native.arrays import SHARED, emit
from runtime.graph.executors.native.elements import Element, element_of
from runtime.graph.executors.native.fusion import (
    Delayed,
    DelayedStep,
    Fusion,
    Operand,
    RowSink,
    Sink,
    Step,
)
from runtime.graph.executors.native.reductions import accumulator, axes_of, is_total
from runtime.graph.executors.native.values import Array, Held, Items, Scalar, int64, static

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

LEAST_IN_ROW = 8
"""Elements of a row that are reduced in the loop that computes them, if that is cheap: vectors that
end with their rows do some elements twice.
"""

MOST_STEPS = 64
"""The kernels of one loop, whose operands are to be in registers."""


def is_elementwise(kernel: Kernel) -> bool:
    """True if the kernel can be part of a loop over elements."""
    return element_of(kernel) is not None


def reads_of(body: Block) -> Counter[Local]:
    """The number of times that each local is read in a block, and those inside it."""
    counts: Counter[Local] = Counter()
    for block in blocks_of(body):
        for statement in block.statements:
            counts.update(statement.reads())
        for result in block.results:
            counts.update(leaves(result))
        counts.update(block.after)
    return counts


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
        if all(isinstance(item, Scalar) for item in operands):
            self.scalar(kernel, element, operands)
            return True
        dims = self.dims(kernel, operands)
        fusion = self.fusion(dims, element.heavy)
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
                if place < 0 or static(dims[place]) == 1:
                    continue
                dim = dims[place]
                if found is None:
                    found = dim
                elif found is not dim and (static(found) is None or static(found) != static(dim)):
                    builder = self.emitter.builder
                    self.emitter.step_aside(builder.icmp_signed("!=", found, dim))
            made.append(int64(1) if found is None else found)
        return made

    def fusion(self, dims: Sequence[ir.Value], heavy: bool = False) -> Fusion:
        """The loop over these dims that is being collected; for heavy work, one not by rows."""
        for fusion in self.pending:
            if heavy and fusion.rows:
                continue
            if _same(fusion.dims, dims) and len(fusion.steps) < MOST_STEPS:
                return fusion
        made = Fusion(dims)
        self.pending.append(made)
        return made

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
        for item in given:
            if isinstance(item, int):
                fusion.steps[item].reads += 1
        assert isinstance(target.type, TensorType)
        fusion.nodes.append(kernel.node)
        fusion.steps.append(Step(element, given, target.type.dtype, target))
        self.emitter.values[target] = DelayedStep(
            fusion, fusion.dims, target.type.dtype, target, len(fusion.steps) - 1
        )

    def within(self, fusion: Fusion, item: Held | Delayed) -> Operand:
        """An operand as the loop reads it: a step of its own, or what is there."""
        if isinstance(item, DelayedStep) and item.fusion is fusion and not fusion.done:
            return item.at
        if isinstance(item, Delayed):
            item = self.forced(item)
        assert not isinstance(item, Items)
        return item

    def reduction(self, kernel: Kernel) -> bool:
        """Take a reduction of all elements of an array that a loop is about to compute."""
        if len(kernel.inputs) != 1 or not isinstance(kernel.inputs[0], Local):
            return False
        item = self.emitter.values[kernel.inputs[0]]
        if not isinstance(item, Delayed | Array) or item.dims is None:
            return False
        if not isinstance(item, DelayedStep | Array):
            held = self.forced(item)
            assert isinstance(held, Array)
            item = held
        if not is_total(kernel):
            return isinstance(item, DelayedStep) and self.row_reduction(kernel, item)
        made = accumulator(kernel, item.dtype)
        if made is None:
            return False
        (target,) = kernel.targets
        if isinstance(item, Array):
            if (static(self.emitter.size(item.dims)) or 0) < SHARED:
                return False
            fusion = self.fusion(item.dims)
            fusion.totals.append(Sink(made, item, target))
        else:
            fusion = item.fusion
            fusion.totals.append(Sink(made, item.at, target))
            fusion.steps[item.at].reads += 1
        fusion.nodes.append(kernel.node)
        self.emitter.values[target] = Delayed(fusion, None, item.dtype, target)
        return True

    def row_reduction(self, kernel: Kernel, item: DelayedStep) -> bool:
        """Take a reduction of the rows of an array that a loop is about to compute."""
        assert item.dims is not None
        *outer, length = item.dims
        made = accumulator(kernel, item.dtype)
        if made is None or axes_of(kernel, len(item.dims)) != [len(outer)]:
            return False
        rows = static(self.emitter.size(outer)) or 0
        if any(step.element.heavy for step in item.fusion.steps):
            return False
        if rows < 2 or (static(length) or 0) < LEAST_IN_ROW:
            return False
        (target,) = kernel.targets
        dims = [*outer, int64(1)] if kernel.node.params["keepdims"] else outer
        item.fusion.rows.append(RowSink(made, item.at, target, dims))
        item.fusion.steps[item.at].reads += 1
        item.fusion.nodes.append(kernel.node)
        self.emitter.values[target] = Delayed(item.fusion, dims, item.dtype, target)
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

    def flush_one(self, fusion: Fusion) -> None:
        """Emit a loop. Of what it computes only that is stored which others read."""
        if fusion.done:
            return
        fusion.done = True
        self.pending.remove(fusion)
        stored = [
            at for at, step in enumerate(fusion.steps) if self.reads[step.target] > step.reads
        ]
        values = self.emitter.values
        arrays, scalars = emit(self.emitter, fusion, stored)
        for at, array in zip(stored, arrays, strict=True):
            values[fusion.steps[at].target] = array
        for sink, scalar in zip(fusion.sinks, scalars, strict=True):
            values[sink.target] = scalar


def _same(some: Sequence[ir.Value], others: Sequence[ir.Value]) -> bool:
    if len(some) != len(others):
        return False
    for a, b in zip(some, others, strict=True):
        if a is not b and (static(a) is None or static(a) != static(b)):
            return False
    return True


__all__ = ["Array", "Fuser", "is_elementwise", "reads_of"]
