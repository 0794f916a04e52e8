"""What one loop computes of elements: elementwise kernels of one shape, and reductions of what they
compute. It is collected here, and written by `arrays`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from llvmlite import ir

from runtime.dtypes import DType
from runtime.graph.executors.lowered import Local
from runtime.graph.executors.native.elements import Element
from runtime.graph.executors.native.reductions import Accumulator
from runtime.graph.executors.native.values import Array, Scalar
from runtime.graph.ir import Node


@dataclass(slots=True, eq=False)
class Delayed:
    """A result of a later loop, a number without `dims`. `target` is the local that holds it."""

    fusion: Fusion
    dims: Sequence[ir.Value] | None
    dtype: DType
    target: Local


@dataclass(slots=True, eq=False)
class DelayedStep(Delayed):
    """The array of the step at a place."""

    at: int


Operand = int | Array | Scalar
"""What a step reads: another step, an array or a number."""


@dataclass(slots=True, eq=False)
class Step:
    """One kernel on elements. `reads` counts those in the loop that read what it computes."""

    element: Element
    operands: list[Operand]
    dtype: DType
    target: Local
    reads: int = 0


@dataclass(slots=True, eq=False)
class Sink:
    """A reduction of all elements of a step, or of an array."""

    accumulator: Accumulator
    operand: Operand
    target: Local


@dataclass(slots=True, eq=False)
class RowSink(Sink):
    """A reduction of each row, with the dims of its result."""

    dims: Sequence[ir.Value]


@dataclass(slots=True, eq=False)
class Fusion:
    """Elementwise kernels of one shape, and reductions of what they compute: of rows, and in
    `totals` of all elements.
    """

    dims: Sequence[ir.Value]
    steps: list[Step] = field(default_factory=list)
    rows: list[RowSink] = field(default_factory=list)
    totals: list[Sink] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    done: bool = False

    @property
    def sinks(self) -> list[Sink]:
        """All reductions, in the order of what the loop carries."""
        return [*self.rows, *self.totals]

    def operands(self) -> Iterator[Operand]:
        """All that steps and reductions read."""
        for step in self.steps:
            yield from step.operands
        for sink in self.sinks:
            yield sink.operand

    def dtypes(self) -> list[DType]:
        """All dtypes that the loop has vectors of."""
        read = [item.dtype for item in self.operands() if not isinstance(item, int)]
        return read + [step.dtype for step in self.steps]

    def arrays(self) -> list[Array]:
        """The arrays that the loop reads."""
        found = {id(item): item for item in self.operands() if isinstance(item, Array)}
        return list(found.values())
