"""The steps of one loop over elements: elementwise kernels of one shape, and reductions of what
they compute. It is collected here, and written by `arrays`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from runtime.core.dataclasses import dataclass
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Local
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.elements import Element
from runtime.graph.executors.native.reductions import Accumulator
from runtime.graph.executors.native.values import Array, Scalar
from runtime.graph.ir import Node

MOST_SWEEPS = 5
"""Loops over each row: each may compute again what the ones before it have computed."""


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


@dataclass(slots=True, eq=False)
class DelayedNumber(Delayed):
    """The array of the numbers of rows at a place."""

    at: int

    @property
    def is_near(self) -> bool:
        """True where one more loop over the row can read it, which is still collected."""
        fusion, dims = self.fusion, self.dims or ()
        if fusion.done or len(dims) != len(fusion.dims):
            return False
        return fusion.numbers[self.at].sweep + 1 < MOST_SWEEPS


@dataclass(slots=True, frozen=True)
class RowNumber:
    """One number for each row: its place among those of the loop."""

    at: int


Operand = int | RowNumber | Array | Scalar
"""An operand of a step: another step, a number of the row, an array or a number."""


@dataclass(slots=True, eq=False)
class Step:
    """One kernel on elements. `reads` counts those in the loop that read what it computes; the loop
    over a row in which it is computed first is its `sweep`.
    """

    element: Element
    operands: list[Operand]
    dtype: DType
    target: Local
    sweep: int = 0
    reads: int = 0


@dataclass(slots=True, eq=False)
class RowStep(Step):
    """One kernel on numbers of rows, behind the loop that gives the last of them. `dims` are those
    of its result.
    """

    dims: Sequence[ir.Value] = ()


@dataclass(slots=True, eq=False)
class Sink:
    """A reduction of all elements of a step, or of an array, in one sweep."""

    accumulator: Accumulator
    operand: Operand
    target: Local
    sweep: int

    @property
    def dtype(self) -> DType:
        """The dtype of the result."""
        return self.accumulator.dtype


@dataclass(slots=True, eq=False)
class RowSink(Sink):
    """A reduction of each row, with the dims of its result."""

    dims: Sequence[ir.Value]
    reads: int = 0


@dataclass(slots=True, eq=False)
class Fusion:
    """Elementwise kernels of one shape, and reductions of what they compute: of rows, whose numbers
    others read, and in `totals` of all elements.

    What reads a number of the row that is reduced comes in a later loop over the same row.
    """

    dims: Sequence[ir.Value]
    steps: list[Step] = field(default_factory=list)
    numbers: list[RowSink | RowStep] = field(default_factory=list)
    totals: list[Sink] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    done: bool = False

    @property
    def rows(self) -> list[RowSink]:
        """The reductions of rows."""
        return [number for number in self.numbers if isinstance(number, RowSink)]

    @property
    def sinks(self) -> list[Sink]:
        """All reductions."""
        return [*self.rows, *self.totals]

    @property
    def sweeps(self) -> int:
        """The number of loops over each row."""
        computed: list[Step | Sink] = [*self.steps, *self.sinks]
        return 1 + max(each.sweep for each in computed)

    @property
    def is_heavy(self) -> bool:
        """True if a step takes many instructions."""
        return any(step.element.heavy for step in self.steps)

    @property
    def is_fallible(self) -> bool:
        """True if there are operands for which a step has no result."""
        return any(step.element.refuses is not None for step in self.steps)

    def sweep_of(self, operands: Sequence[Operand]) -> int:
        """The first loop over a row in which the operands can be read."""
        return max(map(self._sweep_of, operands), default=0)

    def _sweep_of(self, operand: Operand) -> int:
        if isinstance(operand, RowNumber):
            return self.numbers[operand.at].sweep + 1
        return self.steps[operand].sweep if isinstance(operand, int) else 0

    def read(self, operands: Sequence[Operand]) -> None:
        """Count what is read once more."""
        for item in operands:
            if isinstance(item, int):
                self.steps[item].reads += 1
            elif isinstance(item, RowNumber):
                self.numbers[item.at].reads += 1

    def operands(self) -> Iterator[Operand]:
        """All that steps and reductions read."""
        for step in self.steps:
            yield from step.operands
        for sink in self.sinks:
            yield sink.operand

    def dtypes(self) -> list[DType]:
        """All dtypes that the loop has vectors of."""
        read = [item.dtype for item in self.operands() if isinstance(item, Array | Scalar)]
        return read + [step.dtype for step in self.steps]

    def arrays(self) -> list[Array]:
        """The arrays that the loop reads."""
        found = {id(item): item for item in self.operands() if isinstance(item, Array)}
        return list(found.values())


class Sweep:
    """One loop over a row: the steps that it computes, some of them again, and what of them it
    stores, keeps for later loops over the row, and reduces.
    """

    def __init__(self, fusion: Fusion, number: int, stored: Sequence[int]) -> None:
        steps = fusion.steps
        self.number = number
        self.stored = [at for at in stored if steps[at].sweep == number]
        self.kept: list[int] = []
        self.rows = [sink for sink in fusion.rows if sink.sweep == number]
        self.totals = [sink for sink in fusion.totals if sink.sweep == number]
        self.numbers = [at for at, one in enumerate(fusion.numbers) if one.sweep == number]
        self.computed: list[int] = []
        self.loaded: list[int] = []
        fallible = [
            at
            for at, step in enumerate(steps)
            if step.sweep == number and step.element.refuses is not None
        ]
        self.needs(fusion, [*self.stored, *fallible, *(sink.operand for sink in self.sinks)])

    @property
    def sinks(self) -> list[Sink]:
        """The reductions."""
        return [*self.rows, *self.totals]

    def needs(self, fusion: Fusion, wanted: Sequence[Operand]) -> None:
        """Take note of what is to be computed: what an earlier loop has computed is computed once
        more, unless that takes long.
        """
        left = list(wanted)
        while left:
            at = left.pop()
            if not isinstance(at, int) or at in self.computed or at in self.loaded:
                continue
            step = fusion.steps[at]
            if step.sweep < self.number and step.element.heavy:
                self.loaded.append(at)
            else:
                self.computed.append(at)
                left += step.operands
        self.computed.sort()

    def operands(self, fusion: Fusion) -> Iterator[Operand]:
        """All that it reads."""
        for at in self.computed:
            yield from fusion.steps[at].operands
        for sink in self.sinks:
            yield sink.operand


def sweeps_of(fusion: Fusion, stored: Sequence[int]) -> list[Sweep]:
    """The loops over each row of a fusion, in their order."""
    made = [Sweep(fusion, number, stored) for number in range(fusion.sweeps)]
    for sweep in reversed(made):
        for at in sweep.loaded:
            source = made[fusion.steps[at].sweep]
            if at not in source.kept:
                source.kept.append(at)
                source.needs(fusion, [at])
    return made
