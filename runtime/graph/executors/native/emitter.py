"""The body of one native function: statements become instructions, in order.

What lowers a kernel has of it: `builder` and `function` to write to, `allocate` for memory,
`step_aside` to give up, and `value` for what an expression is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager, nullcontext
from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from runtime.core.intervals import EVERYTHING, Range
from runtime.core.types import ListType, NumberType, TensorType, Type
from runtime.dtypes import DType
from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Conversion, Expression, Local, Statement
from runtime.graph.executors.native import arena, control, ir
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.fusing import Fuser
from runtime.graph.executors.native.fusion import Delayed
from runtime.graph.executors.native.increments import ROUNDS, Increments
from runtime.graph.executors.native.lowering_rules import ON_ARRAYS
from runtime.graph.executors.native.scalar_ops import scalar_op
from runtime.graph.executors.native.scalars import cast
from runtime.graph.executors.native.updates import Updates
from runtime.graph.executors.native.values import (
    Array,
    Held,
    Items,
    Scalar,
    dtype_of,
    int64,
    register,
)
from runtime.graph.executors.ranges import INT64_RANGE, Ranges, within
from runtime.graph.ir import Node, Value
from runtime.graph.lists import element_of

if TYPE_CHECKING:
    from runtime.graph.executors.native.compiling import Unit

OF_A_ROUND = 64
"""Elements that it takes about as long to read as a round of a loop."""

LONG = 1 << 15
"""Elements that it takes long to read: meanwhile other threads may run Python."""

MOST_ON_STACK = 1 << 12
"""Bytes of an array that is in the frame of its function."""

MOST_IN_FRAME = 1 << 16
"""Bytes of all arrays that are in a frame."""

ALIGNMENT = 64


class Result(Protocol):
    """The array that a function is to return, which is made where its elements are computed."""

    def make(self, dtype: DType, dims: Sequence[ir.Value]) -> Array:
        """Make it."""
        ...


class Emitter:
    """Writes one function. `values` are those of its locals so far; `arena` is where it has memory
    from, `depth` how many calls may still be made inside of it.

    `aside` is the block for giving up. Arrays may be in its `frame` only if it hands none on.
    `uses` counts what the arena is used for.
    `works` counts where it says how much work is done; the level of calls `is_counted` once.
    `additions` of ints cannot overflow, and ints of loops are `small`, by their `increments`;
    `ranges` tell of others that they are.
    """

    def __init__(
        self, unit: Unit, function: ir.Function, memory: ir.Value, depth: ir.Value, frame: int
    ) -> None:
        self.unit = unit
        self.function = function
        self.module = function.module
        self.symbols = unit.symbols
        self.first = function.append_basic_block("frame")
        start = function.append_basic_block("start")
        Builder(self.first).branch(start)
        self.builder = Builder(start)
        self.aside = function.append_basic_block("aside")
        self.arena, self.depth = memory, depth
        self.values: dict[Local, Held | Delayed] = {}
        self.targets: Sequence[Local] = ()
        self.frame = frame
        self.uses = self.works = 0
        self.is_counted = False
        self.fuser = Fuser(self)
        self.nested = 0
        self.copied: Set[Local] = frozenset()
        self.updates = Updates(lowered.Block())
        self.increments: dict[lowered.Loop, Increments] = {}
        self.additions: set[Node] = set()
        self.small: set[Local] = set()
        self.ranges: Ranges | None = None
        self.results: dict[Local, Result] = {}

    # Blocks

    def block(self, name: str) -> ir.BasicBlock:
        """A new block, which nothing is in."""
        return self.function.append_basic_block(name)

    def step_aside(self, *conditions: ir.Value) -> None:
        """Give up where one of the conditions, of one bit, holds: the fallback computes all again.
        All of them are computed, and a single branch is cheaper than one for each.
        """
        may_hold = [each for each in conditions if each.constant != 0]
        if not may_hold:
            return
        condition = reduce(self.builder.or_, may_hold)
        going = self.block("going")
        self.builder.cbranch(condition, self.aside, going, (1, 1000))
        self.builder.position_at_end(going)

    # The clock

    @contextmanager
    def timed(self, nodes: Sequence[Node]) -> Iterator[None]:
        """Take the time of what the block emits, if that is asked for."""
        looks = self.unit.looks
        with nullcontext() if looks is None else looks.on(self, nodes):
            yield

    # Signals and other threads

    def is_repeated(self, depth: int) -> bool:
        """Whether code so deep inside of loops and branches may run more than once in a call."""
        return depth > 0 or self.function.linkage == "internal"

    def worked(self, rounds: ir.Value) -> None:
        """Count work as so many rounds of a loop, for who asks whether to `poll`."""
        self.works += 1
        work = self._work()
        self.builder.store(self.builder.add(self.builder.load(work, typ=ir.INT64), rounds), work)

    def _work(self) -> ir.Value:
        return self.builder.gep(self.arena, [int64(arena.WORK)], source_etype=ir.INT64)

    def has_worked(self) -> ir.Value:
        """Whether there was so much work that signals wait."""
        work = self.builder.load(self._work(), typ=ir.INT64)
        return self.builder.icmp_signed(">=", work, int64(ROUNDS))

    def poll(self) -> ir.Value:
        """Handle signals, and let other threads run Python. Whether to step aside for it."""
        self.unit.releases = True
        raised = self.call("support.poll", ir.INT32, self.arena, convention=arena.POLLS)
        return self.builder.icmp_signed("!=", raised, ir.Constant(ir.INT32, 0))

    def read(self, count: ir.Value) -> None:
        """Note that so many elements are read: where they are many, it takes long."""
        known = count.constant
        if (known is None or known >= OF_A_ROUND) and self.is_repeated(self.nested):
            self.worked(self.builder.udiv(count, int64(OF_A_ROUND)))
        self.release_python(count)

    def release_python(self, work: ir.Value) -> None:
        """Let other threads run Python from here on, where so many elements take long: until an
        object of Python's is needed.
        """
        known = work.constant
        if known is not None and known < LONG:
            return
        self.unit.releases = True
        if known is not None:
            self._python("release_python")
            return
        with self.builder.if_then(self.builder.icmp_signed(">=", work, int64(LONG))):
            self._python("release_python")

    def hold_python(self) -> None:
        """Have Python for this thread, where code so far may have let go of it."""
        if self.unit.releases:
            self._python("hold_python")

    @contextmanager
    def holding_python(self) -> Iterator[None]:
        """Have it for this thread within the block, and be behind it as before."""
        self.hold_python()
        yield
        if self.unit.releases:
            self._python("release_again")

    def _python(self, name: str) -> None:
        self.call(f"support.{name}", ir.VOID, self.arena)

    # Memory

    def slot(self, type: ir.Type, name: str = "", align: int | None = None) -> ir.Value:
        """Memory for one value, in the frame of the function."""
        with self.builder.goto_block(self.first):
            return self.builder.alloca(type, name, align)

    def allocate(
        self, dtype: DType, dims: Sequence[ir.Value], target: Local | None = None
    ) -> Array:
        """An array, of undefined elements, that lives until the iteration or the function ends;
        where there is a destination for its target, it is there.
        """
        if target in self.results and not self.nested:
            return self.results[target].make(dtype, tuple(dims))
        return Array(self.memory(dtype, dims), tuple(dims), dtype)

    def grown(self, place: ir.Value, size: ir.Value) -> ir.Value:
        """Memory for so many bytes, of which `place` has the pointer and the capacity: there, or
        elsewhere, where nothing is copied. It lives as long as the call.
        """
        made = self.call("arena.grow", ir.POINTER, self.arena, place, size)
        self.step_aside(self.builder.icmp_unsigned("==", made, ir.Constant(ir.POINTER, None)))
        return made

    def memory(self, dtype: DType, dims: Sequence[ir.Value]) -> ir.Value:
        """Memory for an array."""
        size = self.builder.size_of(dims)
        known = size.constant
        if known is not None and known * dtype.size <= min(MOST_ON_STACK, self.frame):
            self.frame -= known * dtype.size
            bytes = ir.ArrayType(ir.BYTE, max(known, 1) * dtype.size)
            return self.slot(bytes, align=ALIGNMENT)
        self.uses += 1
        size = self.builder.bytes_of(size, dtype)
        made = self.call("arena.allocate", ir.POINTER, self.arena, size)
        self.step_aside(self.builder.icmp_unsigned("==", made, ir.Constant(ir.POINTER, None)))
        return made

    @contextmanager
    def borrowed(self, dtype: DType, dims: Sequence[ir.Value]) -> Iterator[ir.Value]:
        """Memory for an array that, with all that is allocated within, is let go of at the end."""
        mark = self.unit.mark(self)
        yield self.memory(dtype, dims)
        self.unit.reset(self, mark)

    def bytes_of(self, array: Array) -> ir.Value:
        """The bytes that an array takes."""
        return self.builder.bytes_of(self.builder.size_of(array.dims), array.dtype)

    def copy(self, target: ir.Value, source: Array) -> None:
        """Copy the elements of an array to other memory."""
        self.builder.copy(target, source.pointer, self.bytes_of(source))

    # Symbols

    def call(self, name: str, type: ir.Type, *operands: ir.Value, convention: str = "") -> ir.Value:
        """The result, of this type, of a function from outside of the module."""
        kind = ir.FunctionType(type, [each.type for each in operands], convention)
        return self.builder.call(self.symbols.load(self.builder, name), operands, kind)

    # Values

    def value(self, expression: Expression) -> Held:
        """The value of an expression."""
        if isinstance(expression, Local):
            held = self.values[expression]
            return self.fuser.forced(held) if isinstance(held, Delayed) else held
        if isinstance(expression, lowered.Constant):
            return self.known(expression)
        if isinstance(expression, lowered.Apply):
            made: Held = self.applied(expression.node, expression.operands)
            return made
        if expression.conversion is Conversion.FILL:
            return self.value(expression.operands[1])
        return self.value(expression.operands[0])

    def range_of(self, value: Value) -> Range:
        """The range of an integer."""
        return EVERYTHING if self.ranges is None else self.ranges.of(value)

    def cannot_overflow(self, node: Node) -> bool:
        """Whether what a node computes of ints has 64 bits."""
        exact = None if self.ranges is None else self.ranges.exact.get(node)
        return node in self.additions or (exact is not None and within(exact, INT64_RANGE))

    def as_type(self, held: Held, type: Type) -> Held:
        """The value as one of a type: of a tensor that came as a number, the number as its dtype
        has it.
        """
        if not isinstance(held, Scalar) or held.type == type:
            return held
        value = cast(self.builder, held.value, held.dtype, dtype_of(type))
        return Scalar(value, type)

    def known(self, constant: lowered.Constant) -> Held:
        """The value of a constant."""
        type, item = constant.type, constant.boxed
        if isinstance(type, NumberType):
            if type.kind == "int" and not -(1 << 63) <= item < 1 << 63:
                self.step_aside(ir.Constant(ir.BIT, 1))
                item = 0
            return Scalar(number(item, dtype_of(type)), type)
        if isinstance(type, ListType):  # that of a path which makes none
            nothing = ir.Constant(ir.POINTER, None)
            return Items(nothing, int64(0), int64(0), element_of(type))
        assert isinstance(type, TensorType)
        raw = np.asarray(item)
        if not raw.shape:
            return Scalar(number(raw.item(), type.dtype), type)
        raw = np.ascontiguousarray(raw, type.dtype.np_dtype)
        return Array(self.unit.constant(self, raw), tuple(map(int64, raw.shape)), type.dtype)

    # Statements

    def statements(self, block: lowered.Block) -> None:
        """Emit the statements of a block. Loops that are being collected are emitted before others
        begin; what is left of them at the end of a block, its results read, or nobody.
        """
        for statement in block.statements:
            if self.builder.block.is_terminated:
                return
            is_nested = bool(statement.blocks)
            if is_nested or isinstance(statement, lowered.Call):
                self.fuser.flush()
            is_outermost = is_nested and not self.nested
            self.nested += is_nested
            with self.timed([statement.node]) if is_outermost else nullcontext():
                _EMITTERS[type(statement)](self, statement)
            self.nested -= is_nested
            if is_nested:
                self.fuser.pending.clear()
        if not self.builder.block.is_terminated:
            self.fuser.flush_fallible()

    def assign(self, statement: lowered.Assign) -> None:
        """One value, as the target holds it."""
        (target,), (value,) = statement.targets, statement.inputs
        self.targets = statement.targets
        self.values[target] = self.as_type(self.value(value), target.type)

    def kernel(self, statement: lowered.Kernel) -> None:
        """A kernel: an op on numbers, or one on arrays."""
        if self.fuser.add(statement):
            return
        node, self.targets = statement.node, statement.targets
        results = self.applied(node, statement.inputs, statement)
        made = results if isinstance(results, list | tuple) else [results]
        for target, held in zip(statement.targets, made, strict=False):
            self.values[target] = self.as_type(held, target.type)

    def applied(
        self, node: Node, inputs: Sequence[Expression], kernel: lowered.Kernel | None = None
    ) -> Any:
        """The results of a node; of a node on arrays, those of its lowering."""
        found = ON_ARRAYS.get(node.primitive.instruction)
        kernel = kernel or lowered.Kernel(node, list(inputs), [], node.primitive.kernel, [])
        if found is None or not found.takes(kernel):
            return scalar_op(self, node, inputs)
        operands = [
            self.as_type(self.value(given), value.type)
            for given, value in zip(inputs, node.inputs, strict=True)
        ]
        for operand in operands:
            if isinstance(operand, Array) and not found.partial:
                self.read(self.builder.size_of(operand.dims))
        with self.timed([node]):
            results = found.lower(self, kernel, *operands)
        return results[0] if len(results) == 1 else results

    def check(self, statement: lowered.Check) -> None:
        """A condition: numbers wrap around, and are checked, where they are computed."""
        if statement.must is lowered.Must.FIT:
            held = self.value(statement.inputs[0])
            assert statement.dtype is not None
            assert isinstance(held, Scalar)
            control.check_range(self, held, statement.dtype)
        elif statement.must is lowered.Must.INDEX:
            control.check_places(self, statement)

    def raise_(self, statement: lowered.Raise) -> None:
        """The fallback raises."""
        self.builder.branch(self.aside)

    def release(self, statement: lowered.Release) -> None:
        """Memory is let go of as a whole."""


def number(item: Any, dtype: DType) -> ir.Constant:
    """A number as a constant in a register."""
    if dtype.is_floating:
        return ir.Constant(register(dtype), float(item))
    return ir.Constant(register(dtype), int(item))


_EMITTERS: dict[type[Statement], Callable[[Emitter, Any], None]] = {
    lowered.Assign: Emitter.assign,
    lowered.Kernel: Emitter.kernel,
    lowered.Check: Emitter.check,
    lowered.If: control.if_,
    lowered.Loop: control.loop,
    lowered.Call: control.call,
    lowered.Raise: Emitter.raise_,
    lowered.Release: Emitter.release,
}
