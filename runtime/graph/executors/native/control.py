"""Control flow as basic blocks, and what must hold on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from llvmlite import ir

from runtime.core.types import ListType, NumberType, TensorType, Type
from runtime.dtypes import DType
from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Expression, Local
from runtime.graph.executors.native.increments import ROUNDS, SMALL, increments_of
from runtime.graph.executors.native.scalar_ops import wide
from runtime.graph.executors.native.values import (
    BIT,
    INT32,
    INT64,
    POINTER,
    Array,
    Held,
    Items,
    Scalar,
    dtype_of,
    element_of,
    int64,
    register,
    static,
)

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

# The parts of values, as functions and joins of control flow pass them on


def parts_of(type: Type) -> list[ir.Type]:
    """The registers that a value of a type takes: an array's pointer, and its unknown dims."""
    if isinstance(type, NumberType):
        return [register(dtype_of(type))]
    if isinstance(type, ListType):
        return [POINTER, INT64, INT64]
    assert isinstance(type, TensorType)
    if type.shape == ():
        return [register(type.dtype)]
    assert type.shape is not None
    return [POINTER, *[INT64 for dim in type.shape if dim is None]]


def taken_apart(held: Held, type: Type) -> list[ir.Value]:
    """The parts of a value."""
    if isinstance(held, Scalar):
        return [held.value]
    if isinstance(held, Items):
        return [held.pointer, held.count, held.room]
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
    assert held.value.type == BIT
    return held.value


# Branches

Arrival: TypeAlias = tuple[ir.Block, list[list[ir.Value]]]
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
    for block, _ in arrivals:
        builder.position_at_end(block)
        builder.branch(join)
    builder.position_at_end(before)
    builder.cbranch(test, *starts)
    builder.position_at_end(join)
    for at, target in enumerate(targets):
        given = [(block, parts[at]) for block, parts in arrivals]
        emitter.values[target] = _joined(builder, target.type, given)


def _is_brief(block: ir.Block) -> bool:
    instructions = block.instructions
    return len(instructions) <= 1 and all(each.opname in SPECULATIVE for each in instructions)


def _select(
    emitter: Emitter,
    targets: Sequence[Local],
    test: ir.Value,
    before: ir.Block,
    arrivals: Sequence[Arrival],
) -> None:
    """Compute both branches, and choose."""
    builder = emitter.builder
    for block, _ in arrivals:
        for instruction in block.instructions:
            instruction.parent = before
        before.instructions += block.instructions
        emitter.function.blocks.remove(block)
    builder.position_at_end(before)
    (_, first), (_, second) = arrivals
    for target, ways in zip(targets, zip(first, second, strict=True), strict=True):
        parts = [a if a is b else builder.select(test, a, b) for a, b in zip(*ways, strict=True)]
        emitter.values[target] = put_together(parts, target.type)


def _joined(
    builder: ir.IRBuilder, type: Type, arrivals: Sequence[tuple[ir.Block, list[ir.Value]]]
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
            pair = ir.LiteralStructType([POINTER, INT64])
            self.first = []
            for _ in range(2):
                place = emitter.slot(pair)
                builder = ir.IRBuilder(emitter.first)
                builder.position_before(emitter.first.terminator)
                builder.store(ir.Constant(pair, None), place)
                self.first.append(place)

    def head(self, builder: ir.IRBuilder, before: ir.Block) -> None:
        """At the start of an iteration: the place that is free, and the one in use."""
        for place in self.first:
            phi = builder.phi(POINTER)
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
        count = emitter.builder.mul(emitter.size(held.dims), int64(held.dtype.size))
        kind = ir.FunctionType(POINTER, [POINTER, POINTER, INT64])
        made = emitter.symbols.call(
            emitter.builder, "arena.grow", kind, [emitter.arena, place, count]
        )
        emitter.step_aside(emitter.builder.icmp_unsigned("==", made, ir.Constant(POINTER, None)))
        return made

    def tail(self, after: ir.Block) -> None:
        """At the end of the iteration the places take turns."""
        for phi, place in zip(self.phis, self.following, strict=True):
            phi.add_incoming(place, after)


def loop(emitter: Emitter, statement: lowered.Loop) -> None:
    """A loop: its state is in registers, and arrays of it in memory that lasts."""
    builder, (body,) = emitter.builder, statement.blocks
    _, *state = statement.targets
    results = body.results
    given = [
        handed_on(emitter, source, target.type)
        for source, target in zip(statement.inputs, statement.targets, strict=True)
    ]
    same = [
        isinstance(result, Local) and result is local
        for local, result in zip(state, results[1:], strict=False)
    ]
    carried = {
        at: _Carried(emitter, local)
        for at, local in enumerate(state)
        if getattr(local.type, "shape", None) and not (same and same[at])
    }
    increments = increments_of(statement, emitter.increments)
    emitter.additions |= increments.additions
    small = [at for at, local in enumerate(state) if local in increments.ints]
    _need_small(emitter, [given[at + 1] for at in small if state[at] not in emitter.small])
    emitter.small |= increments.small
    uses = emitter.uses, emitter.works
    head, end = emitter.block("head"), emitter.block("end")
    before = builder.block
    if statement.first:
        builder.cbranch(given[0][0], head, end)
    else:
        builder.branch(head)
    builder.position_at_end(head)
    phis: list[list[Any]] = []
    for at, local in enumerate(state):
        made: list[Any] = []
        for kind, part in zip(parts_of(local.type), given[at + 1], strict=True):
            if same and same[at]:
                made.append(part)
                continue
            phi = builder.phi(kind)
            phi.add_incoming(part, before)
            made.append(phi)
        phis.append(made)
        emitter.values[local] = put_together(made, local.type)
    left = builder.phi(INT32, "left")
    left.add_incoming(ir.Constant(INT32, ROUNDS), before)
    for place in carried.values():
        place.head(builder, before)
    first, counted = len(emitter.function.blocks) - 1, emitter.is_counted
    emitter.statements(body)
    emitter.is_counted = counted
    early: list[Arrival] = []
    is_alone = not carried and uses == (emitter.uses, emitter.works)
    if is_alone and _is_short(emitter, first) and not body.diverges:
        early += [_again(emitter, statement, end) for _ in range(COPIES - 1)]
    latched: list[list[ir.Value]] | None = None
    rest: ir.Value | None = None
    if not builder.block.is_terminated and not body.diverges:
        blocks, rounds = (head, end), 1 + len(early)
        latched, rest = _latch(
            emitter,
            statement,
            carried,
            phis,
            same,
            left,
            before,
            uses,
            small,
            blocks,
            1 + len(early),
        )
    elif not builder.block.is_terminated:
        builder.branch(emitter.aside)
    latch = builder.block
    builder.position_at_end(end)
    for at, local in enumerate(state):
        arrivals = [(before, given[at + 1])] if statement.first else []
        arrivals += [(block, parts[at]) for block, parts in early]
        if latched is not None:
            arrivals.append((latch, latched[at]))
        if same and same[at]:
            arrivals = arrivals[:1]
        emitter.values[local] = _joined(builder, local.type, arrivals)
    if rest is not None and emitter.is_repeated(emitter.nested - 1):
        found = builder.phi(INT32, "left")
        if statement.first:
            found.add_incoming(ir.Constant(INT32, ROUNDS), before)
        for block, _ in early:
            found.add_incoming(left, block)
        found.add_incoming(rest, latch)
        rounds = builder.sub(ir.Constant(INT32, ROUNDS), found)
        emitter.worked(builder.zext(rounds, INT64))
    emitter.values[statement.targets[0]] = Scalar(ir.Constant(BIT, 0), statement.targets[0].type)


SHORT = 24
"""Instructions of a round that is written several times."""

COPIES = 3
"""The times that it is: few jumps go back, and processors tell their ends from each other. They
divide `ROUNDS`.
"""


def _is_short(emitter: Emitter, first: int) -> bool:
    """Whether a round has few instructions: those of the function's blocks from the first one."""
    blocks = emitter.function.blocks[first:]
    return sum(len(block.instructions) for block in blocks) <= SHORT


def _again(emitter: Emitter, statement: lowered.Loop, end: ir.Block) -> Arrival:
    """End a round, and write the next one behind it; gives what goes to the end in between."""
    builder, (body,) = emitter.builder, statement.blocks
    _, *state = statement.targets
    proceed, held = _made(emitter, statement)
    parts = [taken_apart(each, local.type) for each, local in zip(held, state, strict=True)]
    before, again = builder.block, emitter.block("again")
    builder.cbranch(proceed, again, end)
    builder.position_at_end(again)
    emitter.values.update(zip(state, held, strict=True))
    emitter.statements(body)
    return before, parts


def _made(emitter: Emitter, statement: lowered.Loop) -> tuple[ir.Value, list[Held]]:
    """Whether there is another round, and the state that a round hands on: all of it is computed
    before any is written to.
    """
    (body,) = statement.blocks
    proceed = truth(emitter, body.results[0])
    return proceed, [
        emitter.as_type(emitter.value(result), local.type)
        for result, local in zip(body.results[1:], statement.targets[1:], strict=True)
    ]


def _latch(
    emitter: Emitter,
    statement: lowered.Loop,
    carried: dict[int, _Carried],
    phis: list[list[Any]],
    same: Sequence[bool],
    left: Any,
    before: ir.Block,
    uses: tuple[int, int],
    small: Sequence[int],
    blocks: tuple[ir.Block, ir.Block],
    rounds: int,
) -> tuple[list[list[ir.Value]], ir.Value]:
    """The end of an iteration: what is handed on, and the way back. Returns the state behind it,
    and the rounds that are left until signals are handled.
    """
    builder, (_, *state) = emitter.builder, statement.targets
    proceed, held = _made(emitter, statement)
    for at, place in carried.items():
        array = held[at]
        assert isinstance(array, Array)
        held[at] = place.keep(emitter, array)
    if emitter.uses != uses[0]:
        with builder.goto_block(before):
            mark = emitter.unit.mark(emitter)
        emitter.unit.reset(emitter, mark)
    following = builder.sub(left, ir.Constant(INT32, rounds))
    latched = [taken_apart(each, local.type) for each, local in zip(held, state, strict=True)]
    rest = _polled(emitter, following, emitter.works != uses[1], [latched[at] for at in small])
    for at, parts in enumerate(latched):
        for phi, part in zip(phis[at], parts, strict=True):
            if not same[at]:
                phi.add_incoming(part, builder.block)
    left.add_incoming(rest, builder.block)
    for place in carried.values():
        place.tail(builder.block)
    builder.cbranch(proceed, *blocks)
    return latched, rest


def _need_small(emitter: Emitter, ints: Sequence[Sequence[ir.Value]]) -> None:
    """Step aside for ints that the additions of a few rounds may make too large."""
    for (value,) in ints:
        known = static(value)
        if known is None or abs(known) > SMALL:
            moved = emitter.builder.add(value, int64(SMALL))
            emitter.step_aside(emitter.builder.icmp_unsigned(">", moved, int64(2 * SMALL)))


def _polled(
    emitter: Emitter, left: ir.Value, works: bool, small: Sequence[Sequence[ir.Value]]
) -> ir.Value:
    """The rounds that are left until signals are handled; behind the last one, or where a round
    `works` so much, they are, and it is asked whether ints are `small`.
    """
    builder = emitter.builder
    before, poll, going = builder.block, emitter.block("poll"), emitter.block("going")
    due = builder.icmp_signed("==", left, ir.Constant(INT32, 0))
    if works:
        due = builder.or_(due, emitter.has_worked())
    branch = builder.cbranch(due, poll, going)
    branch.set_weights([1, ROUNDS])
    builder.position_at_end(poll)
    emitter.poll()
    _need_small(emitter, small)
    asked = builder.block
    builder.branch(going)
    builder.position_at_end(going)
    phi = builder.phi(INT32, "left")
    phi.add_incoming(left, before)
    phi.add_incoming(ir.Constant(INT32, ROUNDS), asked)
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
    for given, parameter in zip(statement.inputs, graph.parameters, strict=True):
        arguments += handed_on(emitter, given, parameter.type)
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
            emitter.poll()
    emitter.is_counted = True


# Checks


def check_range(emitter: Emitter, held: Scalar, dtype: DType) -> None:
    """Step aside for a number that a dtype does not hold."""
    builder, source = emitter.builder, held.dtype
    if source.is_bool or source.is_floating or not dtype.is_integer:
        return
    low, high = int(dtype.min), int(dtype.max)
    kind = held.value.type
    compare = builder.icmp_unsigned if source.is_unsigned else builder.icmp_signed
    if low > int(source.min):
        emitter.step_aside(compare("<", held.value, ir.Constant(kind, low)))
    if high < int(source.max):
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
