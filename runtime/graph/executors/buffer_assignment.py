"""The buffer plan: which array an op writes its result to, so that a call makes no others than its
results.

    mul = k_mul(x, y, buffer)     # a buffer of the program's, the same in each call and each round
    tanh = k_tanh(mul, buffer)    # over an array that nobody reads any more
    div = k_div(tanh, z)          # a new array: the caller sees it

What a value's memory may be is known as a set of slots; outside of them is only what nothing is
written to: arguments, constants, new arrays. A slot is free while no value that is still read may
be in it. What escapes is in none.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import field
from typing import Any

from runtime.core.dataclasses import dataclass
from runtime.core.primitive import Memory
from runtime.core.types import TensorType
from runtime.graph.executors.buffer_pool import WORKSPACE, FreeListType, growing
from runtime.graph.executors.escapes import Escapes
from runtime.graph.executors.kernels import (
    is_open,
    memory_of,
    product_of,
    ufunc_of,
    updates,
    works,
    written,
)
from runtime.graph.executors.layouts import GROWABLE, Layouts
from runtime.graph.ir import Node, Region, Value, diverges, free_values, reads, walk
from runtime.graph.nodes import COND, CONSTANT, WHILE

Slots = tuple["Slot", ...]


@dataclass(slots=True, eq=False)
class Slot:
    """One array, and what is written to it one after the other. It is a `buffer` of the program's,
    or, where the last value `escapes`, a new one each time that `region` runs. It is `shared` where
    another region writes to it too. `holds` counts the values in it.
    """

    buffer: Value
    region: Region | None
    written: list[tuple[Node, Value]] = field(default_factory=list)
    escapes: bool = False
    shared: bool = False
    holds: int = 0

    @property
    def kept(self) -> Value | None:
        """The program's buffer, if it is one."""
        return None if self.escapes else self.buffer


@dataclass(slots=True, eq=False)
class Renaming:
    """The new names of buffers behind a piece of code: those `after` it are called `before`."""

    before: list[Value] = field(default_factory=list)
    after: list[Value] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Carrying:
    """The way in which a loop carries arrays in buffers: at the end of an iteration, results at the
    places of `copies` go to a buffer of their own, and the buffers are renamed. The code behind the
    loop gets a copy of what is at the places `copied`.
    """

    copies: dict[int, Value] = field(default_factory=dict)
    copied: list[int] = field(default_factory=list)
    renaming: Renaming = field(default_factory=Renaming)


class Plan:
    """The buffers of a graph's body: `buffers` are those that the program keeps, with the
    `workspace` of kernels; `loops` tells how loops carry arrays in them, and `renamings` what they
    are called behind a branch. `native` nodes have memory of machine code's own, but for what is
    handed over.
    """

    def __init__(self, body: Region, layouts: Layouts, native: Container[Node]) -> None:
        self.layouts = layouts
        self.native = native
        self.loops: dict[Node, Carrying] = {}
        self.renamings: dict[Region, Renaming] = {}
        self.slots_of: dict[Value, Slots] = {}
        # What may lie in its slot otherwise than the slot's own elements do.
        self.views: set[Value] = set()
        # What branches of which the slots are one now took from each other.
        self.flows: dict[Slot, set[Slot]] = {}
        # What a loop carries, and branches compute for it, is best in one slot whatever the branch.
        self.wanted: set[Value] = set()
        self._targets: dict[Value, Value] = {}
        self._free_lists: dict[Value, Value] = {}
        self._slots: list[Slot] = []
        planned = any(node not in native for node in walk(body))
        if planned and any(map(self.written, walk(body))):
            self.escapes = Escapes(body, layouts, native)
            _Planner(self, body).region([])
        for slot in self._slots:
            self._settle(slot)
        # One for all: what is in it is needed only while a kernel runs.
        self.workspace = Value(WORKSPACE, "workspace") if any(map(self.works, walk(body))) else None
        self.buffers = [slot.buffer for slot in self._slots if self._is_used(slot)]
        self.buffers += [*filter(None, [self.workspace]), *self._free_lists.values()]

    def written(self, node: Node) -> list[Value]:
        """The results of a node that may be in buffers: what need not be C-contiguous is only if
        its layout is known.
        """
        if not self.layouts.copied.isdisjoint(node.outputs):
            return list(node.outputs)
        axes = self.layouts.axes
        return [value for value in written(node) if axes.get(value, ()) is not None]

    def direct(self, node: Node) -> Any:
        """The NumPy function that is called for a node itself, if it has no parameters."""
        if not self.layouts.strided.isdisjoint(node.inputs):
            return ufunc_of(node)
        return ufunc_of(node) or product_of(node)

    def kernel(self, node: Node) -> Any:
        """Returns what is called for a node: with arrays for its results, or growable buffers."""
        for output in node.outputs:
            type = output.type
            if is_open(output) and self.target(output) and isinstance(type, TensorType):
                return growing(node.primitive, type.dtype)
        return self.direct(node) or node.primitive.kernel

    def works(self, node: Node) -> bool:
        """True if the node's kernel is to be given the workspace."""
        return works(node) and self.direct(node) is None and node not in self.native

    def target(self, output: Value) -> Value | None:
        """The value whose array an op writes this result to; None for a new one."""
        return self._targets.get(output)

    def free_list(self, output: Value) -> Value | None:
        """The free list of arrays that an op takes one from for this result, if there is one."""
        return self._free_lists.get(output)

    @property
    def is_empty(self) -> bool:
        """True if each op makes new arrays."""
        arrays = [value for value in self._targets if isinstance(value.type, TensorType)]
        return not (arrays or self._free_lists)

    def slot(self, type: Any, region: Region | None) -> Slot:
        """One more array, which may be a new one each time that the region runs."""
        name = "growable" if type is GROWABLE else "buffer"
        self._slots.append(Slot(Value(type, name), region))
        return self._slots[-1]

    def write(self, node: Node, value: Value, slot: Slot, region: Region) -> None:
        """Let a node of a region write a value to a slot."""
        slot.written.append((node, value))
        slot.shared |= region is not slot.region
        slot.escapes = value in self.escapes

    @staticmethod
    def rename(targets: Sequence[Slot], ends: Sequence[Slot]) -> Renaming:
        """Call these ends by the names of the targets, and by theirs what is left over."""
        spare = [slot for slot in targets if slot not in ends]
        before, after = list(targets), list(ends)
        for end in ends:
            if end not in targets:
                other = next(slot for slot in spare if slot.buffer.type == end.buffer.type)
                spare.remove(other)
                before.append(end)
                after.append(other)
        for slot in before:
            slot.shared = True
        return Renaming([slot.buffer for slot in before], [slot.buffer for slot in after])

    def keep(self, output: Value, last: Value) -> None:
        """Let what is computed for an output be in arrays of a free list, if a list gets what is in
        them at last.
        """
        type = self.layouts.memory(output)
        if isinstance(type, TensorType) and last in self.escapes.pushed:
            kept: Any = FreeListType(type)
            self._free_lists[output] = Value(kept, f"{output.name}_free_list")

    def _is_used(self, slot: Slot) -> bool:
        return not slot.escapes and bool(slot.written or slot.shared)

    def _settle(self, slot: Slot) -> None:
        before = slot.kept
        if slot.escapes:
            self.keep(slot.written[0][1], slot.written[-1][1])
        for _, value in slot.written:
            if before is not None:
                self._targets[value] = before
            before = value if slot.escapes else before


def _last_uses(region: Region) -> dict[Value, int]:
    """The place of the last node of a region that reads a value; the results are read behind it."""
    last = {value: at for at, node in enumerate(region.nodes) for value in reads(node)}
    return last | dict.fromkeys(region.results, len(region.nodes))


class _Planner:
    """Goes through one region. Slots that are free outside are, as long as it runs, free in it.
    `ends` are the slots of its results.
    """

    def __init__(self, plan: Plan, region: Region) -> None:
        self.plan = plan
        self.inside = region
        self.last = _last_uses(region)
        self.mine: dict[Value, None] = {}
        self.free: list[Slot] = []
        self.ends: list[Slots] = []

    def region(self, free: Iterable[Slot]) -> list[Slot]:
        """The slots that are free behind the region, given those that are free before it."""
        self.free = list(free)
        self.release([value for value in self.mine if value not in self.last])
        ends = self.native_runs()
        dying: list[Value] = []
        for at, node in enumerate(self.inside.nodes):
            read = [value for value in dict.fromkeys(reads(node)) if self.last[value] == at]
            dying += [value for value in read if value in self.mine]
            if (end := ends.get(at)) is not None:
                self.native(node, end)
                if at < end:
                    continue
                self.free += self.release(dying)
                dying = []
                continue
            self.node(node, dying)
            dying = []
        self.ends = [self.plan.slots_of.get(value, ()) for value in self.inside.results]
        self.free += self.release(list(self.mine))
        return self.free

    def node(self, node: Node, dying: list[Value]) -> None:
        """Plan a node, behind which these values are not read any more."""
        if node.primitive is WHILE:
            self.loop(node, dying)
        elif node.primitive is COND:
            self.cond(node, dying)
        elif self.plan.layouts.is_view(node):
            self.view(node)
        elif self.plan.written(node):
            self.op(node, dying)
        self.free += self.release(dying)

    # Which slots values are in

    def hold(self, value: Value, slots: Slots) -> None:
        """Note that a value may be in these slots as long as it is read."""
        if slots and value in self.last and value not in self.plan.escapes:
            self.plan.slots_of[value] = slots
            self.mine[value] = None
            for slot in slots:
                slot.holds += 1

    def release(self, values: Sequence[Value]) -> list[Slot]:
        """The slots that nothing is in when these values are not read any more."""
        freed: list[Slot] = []
        for value in values:
            if value in self.mine:
                del self.mine[value]
                for slot in self.plan.slots_of[value]:
                    slot.holds -= 1
                    freed += [] if slot.holds else [slot]
        return freed

    def adopt(self, values: Sequence[Value]) -> None:
        """Have values of the region around, which are read here last."""
        for value in values:
            self.mine[value] = None
            for slot in self.plan.slots_of[value]:
                slot.holds += 1

    # Ops

    def native_runs(self) -> dict[int, int]:
        """The places of native nodes, with that of the last one of each run."""
        ends: dict[int, int] = {}
        run: list[int] = []
        for at, node in enumerate((*self.inside.nodes, None)):
            if node is not None and (node in self.plan.native or node.primitive is CONSTANT):
                run.append(at)
            else:
                ends.update(dict.fromkeys(run, at - 1))
                run = []
        return ends

    def native(self, node: Node, end: int) -> None:
        """Choose where a native node writes what is read behind its run. Nothing is written over
        that the run reads: its order is machine code's own. What a view, or control flow, hands on
        may be in what is read: the fallback is Python.
        """
        if node.regions or self.plan.layouts.is_view(node):
            read = _union(*[self.plan.slots_of.get(value, ()) for value in reads(node)])
            for output in node.outputs:
                self.hold(output, read)
                self.plan.views.add(output)
            return
        for output in self.plan.written(node):
            type = self.plan.layouts.memory(output)
            is_left = self.last.get(output, 0) > end and output not in self.plan.escapes
            if is_left and isinstance(type, TensorType):
                slot = self.take(type)
                self.plan.write(node, output, slot, self.inside)
                self.hold(output, (slot,))

    def view(self, node: Node) -> None:
        """Note that a node's outputs may be where its input is."""
        source = node.inputs[0]
        for output in node.outputs:
            self.hold(output, self.plan.slots_of.get(source, ()))
            if memory_of(node) is not Memory.ALIASES or source in self.plan.views:
                self.plan.views.add(output)

    def op(self, node: Node, dying: Sequence[Value]) -> None:
        """Choose where an op writes to."""
        freed = self.release(dying)
        over = self.written_over(node, freed)
        outputs = self.plan.written(node)
        slots = {slot: None for output in outputs if (slot := self.output(node, output, over))}
        self.free += [slot for slot in freed if slot not in slots]
        self.free += [slot for slot in slots if not (slot.holds or slot.escapes)]

    def output(self, node: Node, output: Value, over: list[Slot]) -> Slot | None:
        """Choose where an op writes one of its results to, if not to an array of its own."""
        type, escapes = self.plan.layouts.memory(output), output in self.plan.escapes
        if type is GROWABLE:
            # What is in a growable buffer may be smaller than what is to be written over it.
            over = []
            if escapes:
                return None
        slot = self.first(over, type, escapes) or self.first(self.free, type, escapes)
        if slot is None and escapes:
            self.plan.keep(output, output)
            return None
        slot = slot or self.plan.slot(type, self.inside)
        self.plan.write(node, output, slot, self.inside)
        self.hold(output, (slot,))
        return slot

    def written_over(self, node: Node, freed: Sequence[Slot]) -> list[Slot]:
        """Those of these slots, of what the op reads last, that it may write to."""
        changes = updates(node)
        if ufunc_of(node) is None and not changes:
            return []
        read = [value for value in node.inputs if value in self.plan.views]
        read += node.inputs[1:] if changes else ()
        kept = _union(*[self.plan.slots_of.get(value, ()) for value in read])
        return [slot for slot in freed if slot not in kept]

    def first(self, slots: list[Slot], type: Any, escapes: bool) -> Slot | None:
        """Take the first of the slots that may hold a value: one that escapes must get a new array
        in each round.
        """
        for at, slot in enumerate(slots):
            mine = slot.region is self.inside and not slot.shared
            if slot.buffer.type == type and (mine or not escapes):
                return slots.pop(at)
        return None

    def take(self, type: TensorType) -> Slot:
        """A slot that is free, or one more."""
        return self.first(self.free, type, False) or self.plan.slot(type, self.inside)

    # Branches

    def cond(self, node: Node, dying: Sequence[Value]) -> None:
        """Plan branches, and where they leave their results."""
        ends = []
        # Each branch may write over what is not read behind it.
        last = [value for value in dying if value in self.mine]
        self.free += self.release(last)
        for inner in node.regions:
            results = zip(node.outputs, inner.results, strict=False)
            self.plan.wanted.update(r for o, r in results if o in self.plan.wanted)
            planner = _Planner(self.plan, inner)
            planner.adopt(last)
            free = [slot for slot in self.free if not slot.holds]
            self.free = planner.region(free)
            if not diverges(inner):
                ends.append(planner.ends)
        if len(ends) == 2:
            ends = self.unite(node, *ends)
        for output, *slots in zip(node.outputs, *ends, strict=False):
            self.hold(output, _union(*slots))
        self.free = [slot for slot in self.free if not slot.holds]

    def unite(self, node: Node, body: list[Slots], orelse: list[Slots]) -> list[list[Slots]]:
        """Let the first branch leave what a loop carries where the second one does."""
        pairs = list(zip(node.outputs, body, orelse, strict=True))
        places = [
            at
            for at, (output, one, other) in enumerate(pairs)
            if output in self.plan.wanted and len(one) == len(other) == 1
        ]
        places = _movable(places, body, orelse)
        targets = [slot for at in places for slot in orelse[at]]
        sources = [slot for at in places for slot in body[at]]
        if targets == sources:
            return [body, orelse]
        self.plan.renamings[node.regions[0]] = self.plan.rename(targets, sources)
        for at in places:
            self.plan.flows.setdefault(orelse[at][0], set()).add(body[at][0])
        return [[orelse[at] if at in places else one for at, one in enumerate(body)], orelse]

    # Loops

    def loop(self, node: Node, dying: list[Value]) -> None:
        """Plan a loop, and what it carries."""
        (body,) = node.regions
        places = self.plan.escapes.carried[node]
        self.plan.wanted.update([body.results[at + 1] for at in places])
        slots = [self.entry(node, at, dying) for at in places]
        inner = _Planner(self.plan, body)
        for at, slot in zip(places, slots, strict=True):
            slot.holds += 1
            self.plan.slots_of[body.parameters[at]] = (slot,)
            inner.mine[body.parameters[at]] = None
        self.free = list(dict.fromkeys(inner.region(self.free)))
        self.carry(node, dict(zip(places, slots, strict=True)), inner.ends[1:])
        self.free += self.release(dying)
        self.free = [slot for slot in dict.fromkeys((*self.free, *slots)) if not slot.holds]

    def entry(self, node: Node, at: int, dying: list[Value]) -> Slot:
        """The slot of a loop's state: that of its first value, if nothing else needs it."""
        value = node.inputs[at + 1]
        slots = self.plan.slots_of.get(value, ())
        if value in dying and value in self.mine and node.inputs.count(value) == 1:
            (slot, *others) = slots
            alone = slot.holds == 1 and value not in free_values(node.regions[0])
            if alone and not others and slot.buffer.type == self.plan.layouts.memory(value):
                self.release([value])
                return slot
        return self.plan.slot(self.plan.layouts.memory(node.regions[0].parameters[at]), None)

    def carry(self, node: Node, slots: dict[int, Slot], ends: list[Slots]) -> None:
        """Let what a round made be what the next one is given."""
        carrying = self.plan.loops[node] = Carrying()
        moved: dict[int, Slot] = {}
        for at, slot in slots.items():
            # What is still in use outside of the loop is written to by nobody in it.
            found = [end for end in ends[at] if not end.holds]
            if len(found) == 1 and found[0] not in moved.values() and _alike(found[0], slot):
                moved[at] = found[0]
            elif found:
                taken = {*moved.values(), *[end for slots in ends for end in slots]}
                moved[at] = slot if slot not in taken else self.plan.slot(slot.buffer.type, None)
                carrying.copies[at] = moved[at].buffer
        carrying.renaming = self.plan.rename([slots[at] for at in moved], list(moved.values()))
        for at, lasting in self.lasting(node, slots, ends).items():
            held = _union((slots[at],) if at in moved else (), lasting)
            if held and node.outputs[at] in self.plan.escapes:
                carrying.copied.append(at)
            self.hold(node.outputs[at], held)

    def sources(self, slots: Slots) -> set[Slot]:
        """These slots, and those that a branch has moved into them."""
        found, pending = set(slots), list(slots)
        while pending:
            new = self.plan.flows.get(pending.pop(), set()) - found
            found |= new
            pending += new
        return found

    def lasting(self, node: Node, slots: dict[int, Slot], ends: list[Slots]) -> dict[int, Slots]:
        """Returns the slots from outside of a loop in which its state may be, by places: first, or
        in later iterations. It may have been at other places in the rounds before.
        """
        found: dict[int, Slots] = {}
        for at in slots:
            outside = tuple([end for end in ends[at] if end.holds])
            found[at] = _union(self.plan.slots_of.get(node.inputs[at + 1], ()), outside)
        before: dict[int, Slots] = {}
        while found != before:
            before = dict(found)
            for at in slots:
                given = [found[k] for k, slot in slots.items() if slot in self.sources(ends[at])]
                found[at] = _union(found[at], *given)
        return found


def _union(*slots: Slots) -> Slots:
    return tuple(dict.fromkeys(slot for each in slots for slot in each))


def _alike(one: Slot, other: Slot) -> bool:
    return bool(one.buffer.type == other.buffer.type)


def _movable(places: list[int], body: list[Slots], orelse: list[Slots]) -> list[int]:
    """Those of these places whose slots nothing else is in, so that they may be renamed."""
    before: list[int] | None = None
    while places != before:
        before = places
        others = _union(*[slots for at, slots in enumerate(body) if at not in before])
        places = [at for at in before if _is_movable((*body[at], *orelse[at]), others)]
        places = [at for at in places if _is_alone(at, places, body, orelse)]
    return places


def _is_movable(slots: Slots, others: Slots) -> bool:
    types = {slot.buffer.type for slot in slots}
    return len(types) == 1 and not any(slot.holds or slot in others for slot in slots)


def _is_alone(at: int, places: list[int], *branches: list[Slots]) -> bool:
    return all([ends[k] for k in places].count(ends[at]) == 1 for ends in branches)
