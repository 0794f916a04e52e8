"""Control flow as basic blocks, and what must hold on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from runtime.core.types import ListType, NumberType, TensorType, Type
from runtime.dtypes import DType
from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Expression, Local
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.increments import ROUNDS, SMALL, increments_of
from runtime.graph.executors.native.lists import copy_of
from runtime.graph.executors.native.scalar_ops import wide
from runtime.graph.executors.native.values import (
    Array,
    Held,
    Items,
    Scalar,
    dtype_of,
    int64,
    register,
)
from runtime.graph.lists import element_of

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

# The parts of values, as functions and joins of control flow pass them on


def parts_of(type: Type) -> list[ir.Type]:
    """The registers that a value of a type takes: an array's pointer, and its unknown dims."""
    if isinstance(type, NumberType):
        return [register(dtype_of(type))]
    if isinstance(type, ListType):
        return [ir.POINTER, ir.INT64, ir.INT64]
    assert isinstance(type, TensorType)
    if type.shape == ():
        return [register(type.dtype)]
    assert type.shape is not None
    return [ir.POINTER, *[ir.INT64 for dim in type.shape if dim is None]]


def taken_apart(held: Held, type: Type) -> list[ir.Value]:
    """The parts of a value."""
    if isinstance(held, Scalar):
        return [held.value]
    if isinstance(held, Items):
        return [held.pointer, held.count, held.capacity]
    assert isinstance(type, TensorType)
    assert type.shape is not None
    unknown = [at for dim, at in zip(type.shape, held.dims, strict=True) if dim is None]
    return [held.pointer, *unknown]


def put_together(parts: Sequence[ir.Value], type: Type) -> Held:
    """The value of a type that has these parts."""
    if isinstance(type, ListType):
        return Items(parts[0], parts[1], parts[2], element_of(type))
    if isinstance(type, NumberType) or not getattr(type, "shape", None):
        return Scalar(parts[0], type)
    assert isinstance(type, TensorType)
    pointer, *unknown = parts
    left = iter(unknown)
    dims = [next(left) if dim is None else int64(dim) for dim in type.shape or ()]
    return Array(pointer, tuple(dims), type.dtype)


def handed_on(emitter: Emitter, expression: Expression, type: Type) -> list[ir.Value]:
    """The parts of an expression, as what has this type holds it."""
    return taken_apart(emitter.as_type(emitter.value(expression), type), type)


def truth(emitter: Emitter, expression: Expression) -> ir.Value:
    """A test as one bit."""
    held = emitter.value(expression)
    assert isinstance(held, Scalar)
    assert held.value.type == ir.BIT
    return held.value


# Branches

Arrival: TypeAlias = tuple[ir.BasicBlock, list[list[ir.Value]]]
"""A block that jumps to where values are joined, and the parts of what it hands on."""

SPECULATIVE = frozenset(
    (
        *("add", "sub", "mul", "and", "or", "xor", "shl", "ashr", "lshr", "icmp", "select"),
        *("zext", "sext", "trunc", "sitofp", "fadd", "fsub", "fmul", "fneg", "fcmp"),
    )
)
"""Instructions that cost less than the branch around one of them."""


def if_(emitter: Emitter, statement: lowered.If) -> None:
    """Two branches, which meet where both hand on their results."""
    builder, targets = emitter.builder, statement.targets
    test = truth(emitter, statement.inputs[0])
    before = builder.block
    starts = [emitter.block("then"), emitter.block("else")]
    join = emitter.block("join")
    arrivals: list[Arrival] = []
    counted = emitter.is_counted
    for start, block in zip(starts, statement.blocks, strict=True):
        builder.position_at_end(start)
        emitter.statements(block)
        emitter.is_counted = counted
        if builder.block.is_terminated:
            continue
        if block.diverges:
            builder.branch(emitter.aside)
            continue
        pairs = zip(block.results, targets, strict=True)
        parts = [handed_on(emitter, result, target.type) for result, target in pairs]
        arrivals.append((builder.block, parts))
    if [block for block, _ in arrivals] == starts and all(map(_is_brief, starts)):
        _select(emitter, targets, test, before, arrivals)
        emitter.function.blocks.remove(join)
        return
    empty = [start for start in starts if not start.instructions]
    for end, _ in arrivals:
        if end not in empty:
            builder.position_at_end(end)
            builder.branch(join)
    for start in empty:
        emitter.function.blocks.remove(start)
    builder.position_at_end(before)
    then, otherwise = [join if start in empty else start for start in starts]
    builder.cbranch(test, then, otherwise)
    builder.position_at_end(join)
    for at, target in enumerate(targets):
        given = [(before if end in empty else end, parts[at]) for end, parts in arrivals]
        emitter.values[target] = _joined(builder, target.type, given)


def _is_brief(block: ir.BasicBlock) -> bool:
    instructions = block.instructions
    return len(instructions) <= 1 and all(each.opname in SPECULATIVE for each in instructions)


def _select(
    emitter: Emitter,
    targets: Sequence[Local],
    test: ir.Value,
    before: ir.BasicBlock,
    arrivals: Sequence[Arrival],
) -> None:
    """Compute both branches, and choose."""
    builder = emitter.builder
    for block, _ in arrivals:
        before.instructions += block.instructions
        emitter.function.blocks.remove(block)
    builder.position_at_end(before)
    (_, first), (_, second) = arrivals
    for target, ways in zip(targets, zip(first, second, strict=True), strict=True):
        parts = [_chosen(builder, test, a, b) for a, b in zip(*ways, strict=True)]
        emitter.values[target] = put_together(parts, target.type)


def _chosen(builder: Builder, test: ir.Value, first: ir.Value, second: ir.Value) -> ir.Value:
    """The first value where the test holds, else the second one."""
    if first is second:
        return first
    is_test = first.type == ir.BIT and (first.constant, second.constant) == (1, 0)
    return test if is_test else builder.select(test, first, second)


def _joined(
    builder: Builder, type: Type, arrivals: Sequence[tuple[ir.BasicBlock, list[ir.Value]]]
) -> Held:
    """A value that comes from one of several blocks."""
    kinds = parts_of(type)
    if not arrivals:
        # Nobody comes here.
        return put_together([ir.Constant(kind, ir.Undefined) for kind in kinds], type)
    if len(arrivals) == 1:
        return put_together(arrivals[0][1], type)
    made = []
    for at, kind in enumerate(kinds):
        phi = builder.phi(kind)
        for block, parts in arrivals:
            phi.add_incoming(parts[at], block)
        made.append(phi)
    return put_together(made, type)


# Loops


class _Carried:
    """An array that a loop carries in one of two places of memory, which take turns: of what the
    iteration makes, a copy is in the other place.
    """

    def __init__(self, emitter: Emitter, local: Local) -> None:
        self.local, self.type = local, local.type
        dims = [dim for dim in local.type.shape if dim is not None]
        self.is_static = len(dims) == len(local.type.shape)
        self.phis: list[Any] = []
        if self.is_static:
            sizes = list(map(int64, dims))
            dtype = local.type.dtype
            self.first = [emitter.memory(dtype, sizes), emitter.memory(dtype, sizes)]
        else:
            pair = ir.LiteralStructType([ir.POINTER, ir.INT64])
            self.first = []
            for _ in range(2):
                place = emitter.slot(pair)
                with emitter.builder.goto_block(emitter.first):
                    emitter.builder.store(ir.Constant(pair, None), place)
                self.first.append(place)

    def head(self, builder: Builder, before: ir.BasicBlock) -> None:
        """At the start of an iteration: the place that is free, and the one in use."""
        for place in self.first:
            phi = builder.phi(ir.POINTER)
            phi.add_incoming(place, before)
            self.phis.append(phi)

    def keep(self, emitter: Emitter, held: Array) -> Array:
        """The array of the end of the iteration, where it can stay."""
        free, used = self.phis
        target = free if self.is_static else self._grown(emitter, free, held)
        if target is not held.pointer:
            emitter.copy(target, held)
        self.following = [used, free]
        return Array(target, held.dims, held.dtype)

    def _grown(self, emitter: Emitter, place: ir.Value, held: Array) -> ir.Value:
        return emitter.grown(place, emitter.bytes_of(held))

    def tail(self, after: ir.BasicBlock) -> None:
        """At the end of the iteration the places take turns."""
        for phi, place in zip(self.phis, self.following, strict=True):
            phi.add_incoming(place, after)


SHORT = 32
"""Instructions of a round that is written several times."""

COPIES = 3
"""The times that it is: few jumps go back, and processors tell their ends from each other. They
divide `ROUNDS`.
"""


def loop(emitter: Emitter, statement: lowered.Loop) -> None:
    """A loop: its state is in registers, and arrays of it in memory that lasts."""
    made = _Loop(emitter, statement)
    made.enter()
    made.go_round()
    made.leave()


class _Loop:
    """A loop that is being written: `given` are the parts of its state at first, and `kept` the
    places of what each round hands on as it is, `updated` of arrays that rounds write to.
    """

    def __init__(self, emitter: Emitter, statement: lowered.Loop) -> None:
        self.emitter, self.builder, self.statement = emitter, emitter.builder, statement
        (self.body,), (_, *self.state) = statement.blocks, statement.targets
        (self.proceed,), *self.given = [
            handed_on(emitter, source, target.type)
            for source, target in zip(statement.inputs, statement.targets, strict=True)
        ]
        self.updated = emitter.updates.states.get(statement, {})
        for at, is_owned in self.updated.items():
            if not is_owned:
                self.given[at] = _own(emitter, self.given[at], self.state[at].type)
        pairs = zip(self.state, self.body.results[1:], strict=False)
        self.kept = {at for at, (local, result) in enumerate(pairs) if result is local}
        self.kept |= self.updated.keys()
        self.carried = {
            at: _Carried(emitter, local)
            for at, local in enumerate(self.state)
            if getattr(local.type, "shape", None) and at not in self.kept
        }
        self.small = self._small()
        self.uses, self.works = emitter.uses, emitter.works
        self.first = len(emitter.function.blocks)
        self.head, self.end = emitter.block("head"), emitter.block("end")
        self.before = self.builder.block
        self.leaving: list[tuple[Arrival, ir.Value]] = []
        """The values that go to the end, and the rounds left then until signals are handled."""

    def _small(self) -> list[int]:
        """The places of ints that rounds add little to, which are small now."""
        emitter = self.emitter
        increments = increments_of(self.statement, emitter.increments)
        emitter.additions |= increments.additions
        small = [at for at, local in enumerate(self.state) if local in increments.ints]
        unknown = [at for at in small if self.state[at] not in emitter.small]
        emitter.step_aside(*_large(emitter, [self.given[at] for at in unknown]))
        emitter.small |= increments.small
        return small

    def enter(self) -> None:
        """The way in, and the state of a round."""
        emitter, builder, rounds = self.emitter, self.builder, ir.Constant(ir.INT32, ROUNDS)
        if self.statement.first:
            builder.cbranch(self.proceed, self.head, self.end)
            self.leaving.append(((self.before, self.given), rounds))
        else:
            builder.branch(self.head)
        builder.position_at_end(self.head)
        self.parts = [
            given if at in self.kept else list(map(self._phi, parts_of(local.type), given))
            for at, (local, given) in enumerate(zip(self.state, self.given, strict=True))
        ]
        for local, parts in zip(self.state, self.parts, strict=True):
            emitter.values[local] = put_together(parts, local.type)
        self.left = self._phi(ir.INT32, rounds, "left")
        for place in self.carried.values():
            place.head(builder, self.before)

    def _phi(self, kind: ir.Type, given: ir.Value, name: str = "") -> Any:
        made = self.builder.phi(kind, name)
        made.add_incoming(given, self.before)
        return made

    def go_round(self) -> None:
        """Write a round, several times if it is short, and the way back."""
        emitter, builder, counted = self.emitter, self.builder, self.emitter.is_counted
        emitter.statements(self.body)
        emitter.is_counted = counted
        if builder.block.is_terminated:
            return
        if self.body.diverges:
            builder.branch(emitter.aside)
            return
        copies = COPIES if self._is_short() else 1
        for _ in range(copies - 1):
            self._again()
        self._back(copies)

    def _is_short(self) -> bool:
        """Whether a round has few instructions, and needs no memory."""
        emitter = self.emitter
        if self.carried or (self.uses, self.works) != (emitter.uses, emitter.works):
            return False
        blocks = emitter.function.blocks[self.first :]
        return sum(len(block.instructions) for block in blocks) <= SHORT

    def _again(self) -> None:
        """End a round, and write the next one behind it."""
        emitter, builder = self.emitter, self.builder
        proceed, held = self._made()
        again = emitter.block("again")
        self.leaving.append(((builder.block, self._apart(held)), self.left))
        builder.cbranch(proceed, again, self.end)
        builder.position_at_end(again)
        emitter.values.update(zip(self.state, held, strict=True))
        emitter.statements(self.body)

    def _back(self, copies: int) -> None:
        """End the last of some rounds: signals are handled, if it is time, and the state is handed
        on.
        """
        emitter, builder = self.emitter, self.builder
        proceed, held = self._made()
        for at, place in self.carried.items():
            array = held[at]
            assert isinstance(array, Array)
            held[at] = place.keep(emitter, array)
        if emitter.uses != self.uses:
            with builder.goto_block(self.before):
                mark = emitter.unit.mark(emitter)
            emitter.unit.reset(emitter, mark)
        left = builder.sub(self.left, ir.Constant(ir.INT32, copies))
        parts = self._apart(held)
        works = emitter.works != self.works
        left = _polled(emitter, left, works, [parts[at] for at in self.small])
        latch = builder.block
        for at in set(range(len(parts))) - self.kept:
            for phi, part in zip(self.parts[at], parts[at], strict=True):
                phi.add_incoming(part, latch)
        self.left.add_incoming(left, latch)
        for place in self.carried.values():
            place.tail(latch)
        builder.cbranch(proceed, self.head, self.end)
        self.leaving.append(((latch, parts), left))

    def _made(self) -> tuple[ir.Value, list[Held]]:
        """Whether there is another round, and the state that a round hands on: all of it is
        computed before any is written to.
        """
        proceed, *results = self.body.results
        return truth(self.emitter, proceed), [
            self.emitter.as_type(self.emitter.value(result), local.type)
            for result, local in zip(results, self.state, strict=True)
        ]

    def _apart(self, held: Sequence[Held]) -> list[list[ir.Value]]:
        return [taken_apart(each, local.type) for each, local in zip(held, self.state, strict=True)]

    def leave(self) -> None:
        """The state behind the loop, and the work that its rounds were."""
        emitter, builder, target = self.emitter, self.builder, self.statement.targets[0]
        builder.position_at_end(self.end)
        for at, local in enumerate(self.state):
            arrivals = [(block, parts[at]) for (block, parts), _ in self.leaving]
            if at in self.updated:
                emitter.values[local] = put_together(self.given[at], local.type)
                continue
            given = arrivals[:1] if at in self.kept else arrivals
            emitter.values[local] = _joined(builder, local.type, given)
        if self.left.incomings[1:] and emitter.is_repeated(emitter.nested - 1):
            found = builder.phi(ir.INT32, "left")
            for (block, _), left in self.leaving:
                found.add_incoming(left, block)
            rounds = builder.sub(ir.Constant(ir.INT32, ROUNDS), found)
            emitter.worked(builder.zext(rounds, ir.INT64))
        emitter.values[target] = Scalar(ir.Constant(ir.BIT, 0), target.type)


def _own(emitter: Emitter, parts: Sequence[ir.Value], type: Type) -> list[ir.Value]:
    """The parts of a copy of an array, in memory of the loop's."""
    array = put_together(parts, type)
    assert isinstance(array, Array)
    memory = emitter.memory(array.dtype, array.dims)
    emitter.copy(memory, array)
    return taken_apart(Array(memory, array.dims, array.dtype), type)


def _large(emitter: Emitter, ints: Sequence[Sequence[ir.Value]]) -> Iterator[ir.Value]:
    """For each int whether the additions of a few rounds may make it too large."""
    for (value,) in ints:
        known = value.constant
        if known is None:
            yield _outside(emitter.builder, value, -SMALL, SMALL)
        else:
            yield ir.Constant(ir.BIT, int(abs(known) > SMALL))


def _outside(builder: Builder, value: ir.Value, low: int, high: int) -> ir.Value:
    """Whether a signed integer is below or above these."""
    moved = builder.sub(value, ir.Constant(value.type, low))
    return builder.icmp_unsigned(">", moved, ir.Constant(value.type, high - low))


def _polled(
    emitter: Emitter, left: ir.Value, works: bool, small: Sequence[Sequence[ir.Value]]
) -> ir.Value:
    """The rounds that are left until signals are handled; behind the last one, or where a round
    `works` so much, they are, and it is asked whether ints are `small`.
    """
    builder = emitter.builder
    before, poll, going = builder.block, emitter.block("poll"), emitter.block("going")
    due = builder.icmp_signed("==", left, ir.Constant(ir.INT32, 0))
    if works:
        due = builder.or_(due, emitter.has_worked())
    builder.cbranch(due, poll, going, (1, ROUNDS))
    builder.position_at_end(poll)
    emitter.step_aside(emitter.poll(), *_large(emitter, small))
    asked = builder.block
    builder.branch(going)
    builder.position_at_end(going)
    phi = builder.phi(ir.INT32, "left")
    phi.add_incoming(left, before)
    phi.add_incoming(ir.Constant(ir.INT32, ROUNDS), asked)
    return phi


# Calls

LEVELS = 8
"""One of so many levels of calls counts them, and asks whether there may be more of them."""


def call(emitter: Emitter, statement: lowered.Call) -> None:
    """A call of another native function, which may have stepped aside."""
    builder, graph = emitter.builder, statement.callee
    function = emitter.unit.function_of(graph)
    if not emitter.is_counted:
        _count_level(emitter)
    arguments = [emitter.arena, builder.sub(emitter.depth, int64(1))]
    taken = emitter.unit.ownership.taken(graph)
    for at, (given, parameter) in enumerate(zip(statement.inputs, graph.parameters, strict=True)):
        held = emitter.as_type(emitter.value(given), parameter.type)
        if at in taken and not emitter.copied.isdisjoint(lowered.leaves(given)):
            held = copy_of(emitter, held)
        arguments += taken_apart(held, parameter.type)
    emitter.uses += 1
    made = builder.call(function, arguments)
    emitter.step_aside(builder.extract_value(made, 0))
    at = 1
    for target, result in zip(statement.targets, graph.results, strict=True):
        count = len(parts_of(result.type))
        parts = [builder.extract_value(made, at + each) for each in range(count)]
        at += count
        emitter.values[target] = emitter.as_type(put_together(parts, result.type), target.type)


def _count_level(emitter: Emitter) -> None:
    """Count calls, and step aside where they are too deep, which is a level that is asked: 0."""
    builder = emitter.builder
    level = builder.and_(emitter.depth, int64(LEVELS - 1))
    with builder.if_then(builder.icmp_signed("==", level, int64(0)), likely=False):
        emitter.step_aside(builder.icmp_signed("==", emitter.depth, int64(0)))
        emitter.worked(int64(LEVELS))
        with builder.if_then(emitter.has_worked(), likely=False):
            emitter.step_aside(emitter.poll())
    emitter.is_counted = True


# Checks


def check_range(emitter: Emitter, held: Scalar, dtype: DType) -> None:
    """Step aside for a number that a dtype does not hold."""
    builder, source = emitter.builder, held.dtype
    if source.is_bool or source.is_floating or not dtype.is_integer:
        return
    low, high = int(dtype.min), int(dtype.max)
    kind = held.value.type
    is_below, is_above = low > int(source.min), high < int(source.max)
    if is_below and is_above:
        emitter.step_aside(_outside(builder, held.value, low, high))
    elif is_below:
        emitter.step_aside(builder.icmp_signed("<", held.value, ir.Constant(kind, low)))
    elif is_above:
        compare = builder.icmp_unsigned if source.is_unsigned else builder.icmp_signed
        emitter.step_aside(compare(">", held.value, ir.Constant(kind, high)))


def check_places(emitter: Emitter, statement: lowered.Check) -> None:
    """Step aside for places that are not in an array."""
    builder = emitter.builder
    array = emitter.value(statement.inputs[0])
    assert isinstance(array, Array)
    for dim, given in zip(array.dims, statement.inputs[1:], strict=False):
        place = emitter.value(given)
        assert isinstance(place, Scalar)
        at = wide(emitter, place)
        below = builder.icmp_signed("<", at, dim)
        above = builder.icmp_signed(">=", at, builder.sub(int64(0), dim))
        emitter.step_aside(builder.not_(builder.and_(below, above)))
