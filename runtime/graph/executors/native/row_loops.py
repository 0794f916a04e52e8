"""One loop over one row of a nest: by vectors, of which the steps of a sweep are computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.graph.executors.native import ir
from runtime.graph.executors.native.elements import safe
from runtime.graph.executors.native.fusion import Operand, RowNumber, RowSink, Sink, Step, Sweep
from runtime.graph.executors.native.loops import Source
from runtime.graph.executors.native.values import Array, Scalar

if TYPE_CHECKING:
    from runtime.graph.executors.native.arrays import Nest

Carried = dict[Sink | Step, list[ir.Value]]
"""The values that go from one row to the next: the state of each reduction of all elements, and the
lanes of each step that had no result.
"""

Values = Sequence[ir.Value]


class RowLoop:
    """The loop of a sweep over the row at some place. `numbers` are those of the row so far."""

    def __init__(
        self,
        nest: Nest,
        sweep: Sweep,
        indices: Sequence[ir.Value],
        length: ir.Value,
        numbers: dict[int, ir.Value],
    ) -> None:
        self.nest, self.sweep, self.builder = nest, sweep, nest.builder
        self.steps = nest.fusion.steps
        self.indices, self.length, self.numbers = indices, length, numbers
        self.guards = [step for step in nest.guards if step.sweep == sweep.number]
        self.sources: list[Source] = []
        self.moving: list[Operand] = []
        fixed: dict[Operand, ir.Value] = {}
        for item in dict.fromkeys(sweep.operands(nest.fusion)):
            if isinstance(item, Array):
                self.read(item, fixed)
            elif isinstance(item, RowNumber):
                fixed[item] = numbers[item.at]
            elif isinstance(item, Scalar):
                fixed[item] = item.value
        self.sources += [(nest.kept[at], self.steps[at].dtype) for at in sweep.loaded]
        self.moving += sweep.loaded
        self.strip = nest.strip(length, self.sources, self.sinks())
        lanes = self.strip.lanes
        self.fixed = {item: self.builder.splat(one, lanes) for item, one in fixed.items()}

    def read(self, array: Array, fixed: dict[Operand, ir.Value]) -> None:
        """Take note of an array, which goes along with the row or is one number in it."""
        nest = self.nest
        number = nest.arrays.index(array)
        pointer = nest.start(array.pointer, array.dtype, number, self.indices, self.length)
        if nest.strides[-1][number]:
            self.sources.append((pointer, array.dtype))
            self.moving.append(array)
        else:
            fixed[array] = self.builder.load_element(pointer, array.dtype)

    def sinks(self) -> list[Source]:
        """The places in memory where results are stored, or kept for later loops."""
        nest = self.nest
        offset = nest.offset([True] * len(nest.dims), self.indices, self.length)
        arrays = [nest.made[at] for at in self.sweep.stored]
        stored = [(self.builder.place(a.pointer, offset, a.dtype), a.dtype) for a in arrays]
        return stored + [(nest.kept[at], self.steps[at].dtype) for at in self.sweep.kept]

    def run(self, carried: Carried) -> Carried:
        """Emit it. It adds to the numbers of the row, and gives what is carried on."""
        lanes = self.strip.lanes
        given = carried | {sink: sink.accumulator.start(lanes) for sink in self.sweep.rows}
        keys: list[Sink | Step] = [*self.sweep.sinks, *self.guards]
        flat = [value for key in keys for value in given[key]]
        once = any(sink.accumulator.once for sink in self.sweep.sinks)
        found = list(self.strip.run(flat, self.body, once))
        for key in keys:
            given[key] = found[: len(given[key])]
            del found[: len(given[key])]
        for at in self.sweep.numbers:
            self.numbers[at] = self.number(at, given)
        return {key: given[key] for key in carried}

    def body(self, at: ir.Value, vectors: Values, state: Values) -> tuple[Values, Values]:
        """One vector of each step, and what the loop carries on."""
        values = self.fixed | dict(zip(self.moving, vectors, strict=True))
        refused: dict[Step, ir.Value] = {}
        for number in self.sweep.computed:
            step = self.steps[number]
            operands = [values[item] for item in step.operands]
            values[number] = self.computed(step, operands, refused)
        following, rest = [], list(state)
        for sink in self.sweep.sinks:
            count = sink.accumulator.count
            vector, valid = values[sink.operand], self.strip.valid
            following += sink.accumulator.take(self.builder, rest[:count], vector, valid)
            del rest[:count]
        for step, bits in zip(self.guards, rest, strict=True):
            more = refused[step]
            if self.strip.valid is not None:
                more = self.builder.and_(more, self.strip.valid)
            following.append(self.builder.or_(bits, more))
        return [values[at] for at in (*self.sweep.stored, *self.sweep.kept)], following

    def computed(self, step: Step, operands: Values, refused: dict[Step, ir.Value]) -> ir.Value:
        """A vector of a step; `refused` gets the lanes that have no result."""
        element = step.element
        if element.refuses is not None and step in self.nest.guards:
            refused[step] = element.refuses(self.builder, operands)
            operands = safe(self.builder, element, operands, refused[step])
        return element.emit(self.builder, operands)

    def number(self, at: int, found: Carried) -> ir.Value:
        """A number of the row, behind the loop that computes what it is made of."""
        one = self.nest.fusion.numbers[at]
        if isinstance(one, RowSink):
            return one.accumulator.finish(self.builder, found[one], [self.length])
        operands = []
        for item in one.operands:
            assert isinstance(item, RowNumber | Scalar)
            operands.append(item.value if isinstance(item, Scalar) else self.numbers[item.at])
        return one.element.emit(self.builder, operands)
