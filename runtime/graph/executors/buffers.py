"""The buffer plan: which array an op writes its result to, so that a call makes no others than its
results.

    mul = k_mul(x, y, buffer)     # a buffer of the program's, the same in each call and each round
    tanh = k_tanh(mul, buffer)    # over an array that nobody reads any more
    div = k_div(tanh, z)          # a new array: the caller sees it

Only ufuncs and matrix products write to given arrays. In the program's buffers there is nothing but
what ops read that neither keep their inputs nor return views of them: no results, no variables of
control flow, nothing that an effect, a list or a call is given.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from runtime.graph.executors.blocks import Run, Runs, last_uses, places_of, uses
from runtime.graph.ir import Node, Region, Value, walk
from runtime.shapes import is_known
from runtime.types import TensorType

# Ops, besides ufuncs, that neither keep their inputs nor return views of them.
READERS = frozenset(
    ("unslice", "matmul", "sum", "mean", "max", "min", "prod", "softmax", "log_softmax", "stack")
)


@dataclass(slots=True, eq=False)
class Slot:
    """One array, and what is written to it one after the other. It is a `buffer` of the program's,
    or, where the last value `leaks`, a new one each time that `region` runs. It is `shared` where
    another region, or a run of blocks, writes to it too.
    """

    buffer: Value
    region: Region | None
    written: list[tuple[Node, Value]] = field(default_factory=list)
    leaks: bool = False
    shared: bool = False

    @property
    def kept(self) -> Value | None:
        """The program's buffer, if it is one."""
        return None if self.leaks else self.buffer


@dataclass(frozen=True, slots=True, eq=False)
class Rotation:
    """How a loop carries arrays in buffers: by the places of its state, what the first ones are
    copied to, and which the code behind the loop gets a copy of. At the end of a round the buffers
    `after` are called `before`.
    """

    first: dict[int, Value]
    copied: list[int]
    before: list[Value]
    after: list[Value]


class Plan:
    """The buffers of a graph's body: `buffers` are those that the program keeps, `rotations` is how
    loops carry arrays in them. What may lie otherwise than row by row is `turned`: it is in none.
    """

    def __init__(self, body: Region, turned: Container[Value], runs: Runs) -> None:
        self.turned = turned
        self.runs = runs
        self._targets: dict[Node, Value] = {}
        self._arrays: dict[Node, list[Slot | None]] = {}
        self._places: dict[Node, list[int]] = {}
        self._carried: set[Value] = set()
        self.rotations: dict[Node, Rotation] = defaultdict(lambda: Rotation({}, [], [], []))
        self._slots: list[Slot] = []
        self._at: dict[Value, Slot] = {}
        if any(map(self.may_write, walk(body))):
            self._leaks = _leaks(body)
            self._find_carried(body)
            _Planner(self, body).region([])
        self.buffers = [slot.buffer for slot in self._slots if not slot.leaks]
        for slot in self._slots:
            self._settle(slot)

    def target(self, node: Node) -> Value | None:
        """The value whose array the node writes its result to; None for a new one."""
        return self._targets.get(node)

    def arrays(self, run: Run) -> list[Value | None]:
        """The buffers of a run: for its results, where None is a new array, and for blocks."""
        return [slot.kept if slot else None for slot in self._arrays[run.nodes[-1]]]

    @property
    def is_empty(self) -> bool:
        """Does each op make new arrays?"""
        return not (self._targets or self._arrays)

    def may_write(self, node: Node) -> bool:
        """May the node be told where to write its result to?"""
        if len(node.outputs) != 1 or (ufunc_of(node) or product_of(node)) is None:
            return False
        (output,) = node.outputs
        return _is_array(output) and output not in self.turned

    def slot(self, type: Any, region: Region | None) -> Slot:
        """One more array, which may be a new one each time that the region runs."""
        self._slots.append(Slot(Value(type, "buffer"), region))
        return self._slots[-1]

    def slot_of(self, value: Value) -> Slot | None:
        """The slot that holds a value, unless somebody may see the value longer than it is read."""
        slot = self._at.get(value)
        return None if slot is None or slot.leaks else slot

    def leaks(self, value: Value) -> bool:
        """May somebody see the value's array after the last op that names the value?"""
        return self._leaks[value] > 0 and value not in self._carried

    def put(self, value: Value, slot: Slot) -> None:
        """Note that a value is in a slot."""
        self._at[value] = slot

    def write(self, node: Node, value: Value, slot: Slot, region: Region) -> None:
        """Let a node of a region write a value to a slot."""
        slot.written.append((node, value))
        slot.shared |= region is not slot.region
        slot.leaks = self.leaks(value)
        self._at[value] = slot

    def _find_carried(self, region: Region) -> None:
        """Find the places of the state that loops can carry in buffers: each round makes a new
        array, and nobody sees the one before.
        """
        for node in region.nodes:
            for inner in node.regions:
                self._find_carried(inner)
            if node.primitive.name == "while":
                places = self._places[node] = list(
                    filter(self._carries(node), range(len(node.outputs)))
                )
                # What a loop copies at its start is only read.
                self._leaks.subtract([node.inputs[at + 1] for at in places])

    def _carries(self, node: Node) -> Callable[[int], bool]:
        (body,) = node.regions
        made = {inner.outputs[0] for inner in body.nodes if self.may_write(inner)}
        for inner in body.nodes:
            made.update([inner.outputs[at] for at in self._places.get(inner, ())])

        def carries(at: int) -> bool:
            parameter, result = body.parameters[at], body.results[at + 1]
            same = node.inputs[at + 1].type == parameter.type == result.type
            if not same or parameter in self.turned:
                return False
            seen = self._leaks[parameter], self._leaks[result]
            return result in made and _is_array(result) and seen == (0, 1)

        return carries

    def places(self, node: Node) -> list[int]:
        """The places of what a loop carries in buffers."""
        return self._places[node]

    def enter(self, node: Node, places: list[int]) -> list[Slot]:
        """Slots for what a loop carries at these places."""
        (body,) = node.regions
        self._carried.update([body.results[at + 1] for at in places])
        slots = [self.slot(body.parameters[at].type, None) for at in places]
        self._at.update(zip([body.parameters[at] for at in places], slots, strict=True))
        return slots

    def rotate(self, node: Node, places: list[int], slots: list[Slot]) -> list[Slot]:
        """Let what a round made be what the next one is given; returns where a round leaves it."""
        (body,) = node.regions
        ends = [self._at[body.results[at + 1]] for at in places]
        spare = [slot for slot in slots if slot not in ends]
        before, after = list(slots), list(ends)
        for end in ends:
            if end not in slots:
                other = next(slot for slot in spare if slot.buffer.type == end.buffer.type)
                spare.remove(other)
                before.append(end)
                after.append(other)
        self.rotations[node] = Rotation(
            {at: slot.buffer for at, slot in zip(places, slots, strict=True)},
            [at for at in places if self.leaks(node.outputs[at])],
            [slot.buffer for slot in before],
            [slot.buffer for slot in after],
        )
        return ends

    def hold(self, run: Run, slots: list[Slot | None], region: Region) -> None:
        """Let a run of a region have these slots, first those of its results."""
        self._arrays[run.nodes[-1]] = slots
        for value, slot in zip(run.results, slots, strict=False):
            if slot is not None:
                self.write(run.nodes[-1], value, slot, region)

    def _settle(self, slot: Slot) -> None:
        before = slot.kept
        for node, value in slot.written:
            if before is not None and node not in self._arrays:
                self._targets[node] = before
            before = value if slot.leaks else before


class _Planner:
    """Goes through one region. Slots that are free outside are, as long as it runs, free in it."""

    def __init__(self, plan: Plan, region: Region) -> None:
        self.plan = plan
        self.nodes = region.nodes
        self.inside = region
        self.last = last_uses(region)
        self.mine: set[Value] = set()
        self.free: list[Slot] = []

    def region(self, free: Sequence[Slot]) -> list[Slot]:
        """The slots that are free behind the region, given those that are free before it."""
        self.free = list(free)
        runs = {run.nodes[-1]: run for run in self.plan.runs.get(self.inside, ())}
        blocked = {node for run in runs.values() for node in run.nodes}
        dead: list[Slot] = []
        for at, node in enumerate(self.nodes):
            if node.primitive.name == "while":
                self.loop(node)
            else:
                for inner in node.regions:
                    self.free = _Planner(self.plan, inner).region(self.free)
            dead += self.dying(node, at)
            if node in runs:
                self.run(runs[node])
            elif node not in blocked:
                dead = self.op(node, dead)
            if node in runs or node not in blocked:
                self.free += dead
                dead = []
        return self.free

    def loop(self, node: Node) -> None:
        """Plan a loop, and what it carries."""
        (body,) = node.regions
        places = self.plan.places(node)
        slots = self.plan.enter(node, places)
        inner = _Planner(self.plan, body)
        inner.mine.update([body.parameters[at] for at in places])
        free = inner.region(self.free)
        ends = self.plan.rotate(node, places, slots)
        self.free = list(dict.fromkeys((*free, *slots, *ends)))
        for at, slot in zip(places, slots, strict=True):
            self.keep(node.outputs[at], slot)

    def keep(self, output: Value, slot: Slot) -> None:
        """Leave what a loop carried where it is as long as it is read."""
        if not self.plan.leaks(output) and output in self.last:
            self.plan.put(output, slot)
            self.mine.add(output)
            self.free.remove(slot)

    def dying(self, node: Node, at: int) -> list[Slot]:
        """The slots of what is read here for the last time."""
        mine = [value for value in dict.fromkeys(uses(node)) if value in self.mine]
        slots = [self.plan.slot_of(value) for value in mine if self.last[value] == at]
        return [slot for slot in slots if slot is not None]

    def op(self, node: Node, dying: list[Slot]) -> list[Slot]:
        """Choose where an op writes to, and return those of the dying slots that it leaves."""
        if not self.plan.may_write(node):
            return dying
        (output,) = node.outputs
        type, leaks = _array_type(output), self.plan.leaks(output)
        slot = self.first(dying, type, leaks) if ufunc_of(node) is not None else None
        slot = slot or self.first(self.free, type, leaks)
        if slot is None and leaks:
            return dying
        slot = slot or self.plan.slot(type, self.inside)
        self.plan.write(node, output, slot, self.inside)
        self.mine.add(output)
        return dying if output in self.last or leaks else [*dying, slot]

    def first(self, slots: list[Slot], type: TensorType, leaks: bool) -> Slot | None:
        """Take the first of the slots that may hold a value: one that leaks must get a new array in
        each round.
        """
        for at, slot in enumerate(slots):
            mine = slot.region is self.inside and not slot.shared
            if slot.buffer.type == type and (mine or not leaks):
                return slots.pop(at)
        return None

    def run(self, run: Run) -> None:
        """Choose the arrays of a run of blocks."""
        slots: list[Slot | None] = []
        for value in run.results:
            slots.append(None if self.plan.leaks(value) else self.take(run.type))
        self.mine.update(run.results)
        blocks = [
            self.take(TensorType(run.type.dtype, (run.block,)))
            for _ in range(max(places_of(run).values(), default=-1) + 1)
        ]
        for block in blocks:
            block.shared = True
        self.plan.hold(run, [*slots, *blocks], self.inside)
        self.free += blocks

    def take(self, type: TensorType) -> Slot:
        """A slot that is free, or one more."""
        return self.first(self.free, type, False) or self.plan.slot(type, self.inside)


class Pool:
    """Arrays of these types, which calls take and give back.

    A call has them for itself: another thread, and a call inside of the call, gets others. Those of
    a call that raises are lost.
    """

    def __init__(self, types: Sequence[Any]) -> None:
        self._types = types
        self._waiting: list[tuple[Any, ...]] = []
        self.give = self._waiting.append

    def take(self) -> tuple[Any, ...]:
        """The arrays of a call that is over, or new ones."""
        try:
            return self._waiting.pop()
        except IndexError:
            return tuple([np.empty(type.shape, type.dtype.np_dtype) for type in self._types])


def ufunc_of(node: Node) -> np.ufunc | None:
    """The ufunc that computes the node; it takes the array of the result behind its operands."""
    kernel = node.primitive.kernel
    return kernel if isinstance(kernel, np.ufunc) and not node.params else None


def product_of(node: Node) -> Any:
    """`np.dot`, where a matrix product is nothing more than that; else None."""
    if node.primitive.name != "matmul" or any(node.params.values()):
        return None
    return np.dot if all(map(_is_matrix, node.inputs)) else None


def _is_matrix(value: Value) -> bool:
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    return shape is not None and len(shape) == 2 and is_known(shape)


def _is_array(value: Value) -> bool:
    type = value.type
    if not isinstance(type, TensorType) or not type.shape or None in type.shape:
        return False
    return type.dtype.np_dtype.kind in "biufc"


def _array_type(value: Value) -> TensorType:
    assert isinstance(value.type, TensorType)
    return value.type


def _leaks(body: Region) -> Counter[Value]:
    """By whom a value may still be seen after the last op that names it: how often that is."""
    found = Counter(body.results)
    for node in walk(body):
        if ufunc_of(node) is None and node.primitive.name not in READERS:
            found.update(node.inputs)
        for inner in node.regions:
            found.update(inner.results)
    return found
