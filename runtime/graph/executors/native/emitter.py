"""The body of one native function: statements become instructions, in order.

What lowers a kernel has of it: `builder` and `function` to write to, `allocate` for memory,
`step_aside` to give up, and `value` for what an expression is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from runtime.dtypes import DType
from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Expression, Local
from runtime.graph.executors.native.machine import Symbols
from runtime.graph.executors.native.values import INT64, Array, Held, int64, static, stored

MOST_ON_STACK = 1 << 12
"""Bytes of an array that is in the frame of its function."""


class Emitter:
    """Writes one function. `values` are those of its locals so far."""

    def __init__(self, function: ir.Function, symbols: Symbols) -> None:
        self.function = function
        self.module = function.module
        self.symbols = symbols
        self.first = function.append_basic_block("frame")
        start = function.append_basic_block("start")
        ir.IRBuilder(self.first).branch(start)
        self.builder = ir.IRBuilder(start)
        self.aside = function.append_basic_block("aside")
        self.values: dict[Local, Held] = {}

    # Blocks

    def block(self, name: str) -> ir.Block:
        """A new block, which nothing is in."""
        return self.function.append_basic_block(name)

    def step_aside(self, condition: ir.Value) -> None:
        """Give up where the condition, one bit, holds: the fallback computes all again."""
        going = self.block("going")
        self.builder.cbranch(condition, self.aside, going, [1, 1000])
        self.builder.position_at_end(going)

    # Memory

    def slot(self, type: ir.Type, name: str = "") -> ir.Value:
        """Memory for one value, in the frame of the function."""
        builder = ir.IRBuilder(self.first)
        builder.position_before(self.first.terminator)
        return builder.alloca(type, name=name)

    def allocate(self, dtype: DType, dims: Sequence[ir.Value]) -> Array:
        """An array, of undefined elements, that lives until the iteration or the function ends."""
        raise NotImplementedError

    def size(self, dims: Sequence[ir.Value]) -> ir.Value:
        """The number of elements: a constant where all dims are."""
        known, rest = 1, []
        for dim in dims:
            if (number := static(dim)) is not None:
                known *= number
            else:
                rest.append(dim)
        found: ir.Value = int64(known)
        for dim in rest:
            found = dim if static(found) == 1 else self.builder.mul(found, dim)
        return found

    def load(self, array: Array, index: ir.Value) -> ir.Value:
        """An element, by its place among all of them, as it is held in a register."""
        at = self.builder.gep(array.pointer, [index], source_etype=stored(array.dtype))
        found = self.builder.load(at, align=array.dtype.size, typ=stored(array.dtype))
        return self.builder.trunc(found, ir.IntType(1)) if array.dtype.is_bool else found

    def store(self, array: Array, index: ir.Value, value: ir.Value) -> None:
        """Set an element, by its place among all of them."""
        if array.dtype.is_bool:
            value = self.builder.zext(value, stored(array.dtype))
        at = self.builder.gep(array.pointer, [index], source_etype=stored(array.dtype))
        self.builder.store(value, at, align=array.dtype.size)

    # Values

    def value(self, expression: Expression) -> Held:
        """The value of an expression."""
        raise NotImplementedError

    def constant(self, number: Any, dtype: DType) -> ir.Constant:
        """A number as a constant in a register."""
        raise NotImplementedError

    # Loops for kernels

    def counted(self, stop: ir.Value, step: int = 1, name: str = "at") -> Counted:
        """A loop over 0, step, 2 * step ... below `stop`: `with emitter.counted(n) as at: ...`."""
        return Counted(self, stop, step, name)

    def statements(self, block: lowered.Block) -> None:
        """Emit the statements of a block."""
        raise NotImplementedError


class Counted:
    """A loop that counts; what is emitted inside of `with` is its body."""

    def __init__(self, emitter: Emitter, stop: ir.Value, step: int, name: str) -> None:
        self.emitter, self.stop, self.step, self.name = emitter, stop, step, name

    def __enter__(self) -> ir.Value:
        emitter = self.emitter
        before = emitter.builder.block
        self.head, self.end = emitter.block("loop"), emitter.block("done")
        some = emitter.builder.icmp_signed("<", int64(0), self.stop)
        emitter.builder.cbranch(some, self.head, self.end)
        emitter.builder.position_at_end(self.head)
        self.at = emitter.builder.phi(INT64, self.name)
        self.at.add_incoming(int64(0), before)
        return self.at

    def __exit__(self, *error: object) -> None:
        if error[0] is not None:
            return
        builder = self.emitter.builder
        following = builder.add(self.at, int64(self.step), flags=["nuw", "nsw"])
        self.at.add_incoming(following, builder.block)
        more = builder.icmp_signed("<", following, self.stop)
        builder.cbranch(more, self.head, self.end)
        builder.position_at_end(self.end)
