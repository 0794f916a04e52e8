"""The builder of native code: LLVM's instructions, and what is made of them besides, by the dtypes
of elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from runtime.dtypes import DType
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.halves import like, narrowed, widened
from runtime.graph.executors.native.values import int64, is_half, register, stored

AHEAD = 2048
"""Bytes from what is read or written to what is fetched for it, from memory that is farther away
than a loop sees.
"""

_LINE = 64


class Builder(ir.IRBuilder):
    """Writes a function of native code: elements and vectors of them, counts, bytes and loops."""

    # Counts

    def size_of(self, dims: Sequence[ir.Value]) -> ir.Value:
        """The number of elements of an array."""
        size: ir.Value = int64(1)
        for dim in dims:
            size = self.mul(size, dim)
        return size

    def bytes_of(self, count: ir.Value, dtype: DType) -> ir.Value:
        """The bytes that so many elements take."""
        return self.mul(count, int64(dtype.size))

    def steps_of(self, dims: Sequence[ir.Value]) -> list[ir.Value]:
        """The elements from one place to the next, along each axis of an array."""
        made: list[ir.Value] = [int64(1)]
        for dim in reversed(dims[1:]):
            made.insert(0, self.mul(made[0], dim))
        return made[: len(dims)]

    def within(self, index: ir.Value, count: int, step: int) -> ir.Value:
        """The start of a step that ends within the count."""
        if count % step == 0:
            return index
        last = int64(count - step)
        return self.select(self.icmp_signed("<", index, last), index, last)

    # Memory

    def place(self, pointer: ir.Value, offset: ir.Value, dtype: DType) -> ir.Value:
        """The pointer to an element."""
        if offset.constant == 0:
            return pointer
        return self.gep(pointer, [offset], source_etype=stored(dtype))

    def load_element(self, pointer: ir.Value, dtype: DType, lanes: int = 0) -> ir.Value:
        """An element in a register, or a vector of so many."""
        kind, held = stored(dtype), register(dtype)
        if lanes:
            kind, held = ir.VectorType(kind, lanes), ir.VectorType(held, lanes)
        found = self.load(pointer, typ=kind, align=dtype.size)
        if is_half(dtype):
            return widened(self, found, dtype)
        return self.trunc(found, held) if dtype.is_bool else found

    def store_element(self, value: ir.Value, pointer: ir.Value, dtype: DType) -> None:
        """Write what is in a register, an element or a vector, to memory."""
        if dtype.is_bool:
            value = self.zext(value, like(value, ir.BYTE))
        elif is_half(dtype):
            value = narrowed(self, value, dtype)
        self.store(value, pointer, align=dtype.size)

    def load_at(self, pointer: ir.Value, at: ir.Value, dtype: DType, lanes: int = 0) -> ir.Value:
        """The element at a place, or the vector that begins there."""
        return self.load_element(self.place(pointer, at, dtype), dtype, lanes)

    def store_at(self, value: ir.Value, pointer: ir.Value, at: ir.Value, dtype: DType) -> None:
        """Write an element, or a vector, to a place."""
        self.store_element(value, self.place(pointer, at, dtype), dtype)

    def load_first(self, pointer: ir.Value, dtype: DType, lanes: int, count: int) -> ir.Value:
        """A vector of whose lanes the first ones are elements of a float, and the others 0: there
        may be no memory. It is not for level 0.
        """
        type = ir.VectorType(register(dtype), lanes)
        given = pointer, ir.Constant(ir.INT32, dtype.size), _first(lanes, count)
        return self.call_named(_masked("load", type), type, *given, ir.Constant(type, 0.0))

    def store_first(self, value: ir.Value, pointer: ir.Value, dtype: DType, count: int) -> None:
        """Write the first lanes of a vector of floats."""
        type = value.type
        given = pointer, ir.Constant(ir.INT32, dtype.size), _first(type.count, count)
        self.call_named(_masked("store", type), _NOTHING, value, *given)

    def fetch(self, pointer: ir.Value, size: int, *, is_written: bool) -> None:
        """Have so many bytes, which are `AHEAD` of a pointer, near when they are needed. There may
        be no memory.
        """
        near, data = ir.Constant(ir.INT32, 3), ir.Constant(ir.INT32, 1)
        for offset in range(AHEAD, AHEAD + size, _LINE):
            at = self.gep(pointer, [int64(offset)], source_etype=ir.BYTE)
            way = ir.Constant(ir.INT32, int(is_written))
            self.call_named("llvm.prefetch.p0", _NOTHING, at, way, near, data)

    def copy(self, target: ir.Value, source: ir.Value, size: ir.Value) -> None:
        """Copy bytes that do not overlap."""
        self.call_named("llvm.memcpy.p0.p0.i64", _NOTHING, target, source, size, _AS_USUAL)

    def move(self, target: ir.Value, source: ir.Value, size: ir.Value) -> None:
        """Copy bytes that may overlap."""
        self.call_named("llvm.memmove.p0.p0.i64", _NOTHING, target, source, size, _AS_USUAL)

    def clear(self, target: ir.Value, size: ir.Value) -> None:
        """Make bytes zero."""
        zero = ir.Constant(ir.BYTE, 0)
        self.call_named("llvm.memset.p0.i64", _NOTHING, target, zero, size, _AS_USUAL)

    def scratch(self, type: ir.Type, count: int, align: int = 64) -> ir.Value:
        """Memory of the function's frame, which is there once, also within loops."""
        with self.goto_entry_block():
            return self.alloca(ir.ArrayType(type, count), align=align)

    # Vectors

    def splat(self, value: ir.Value, lanes: int) -> ir.Value:
        """A vector that is the same everywhere."""
        type = ir.VectorType(value.type, lanes)
        if isinstance(value, ir.Constant):
            return ir.Constant(type, value.constant)
        one = self.insert_element(ir.Constant(type, ir.Poison), value, ir.Constant(ir.INT32, 0))
        mask = ir.Constant(ir.VectorType(ir.INT32, lanes), 0)
        return self.shuffle_vector(one, ir.Constant(type, ir.Poison), mask)

    def any_of(self, bits: ir.Value) -> ir.Value:
        """True where one bit of a vector is set; a single bit itself."""
        if not isinstance(bits.type, ir.VectorType):
            return bits
        mask = self.bitcast(bits, ir.IntType(bits.type.count))
        return self.icmp_unsigned("!=", mask, ir.Constant(mask.type, 0))

    # Functions

    def call_named(self, name: str, type: ir.Type, *operands: ir.Value) -> ir.Value:
        """The result, of this type, of a function of LLVM's or of a library."""
        kind = ir.FunctionType(type, [each.type for each in operands])
        return self.call(self.module.declared(name, kind), operands)

    def intrinsic(self, name: str, *operands: ir.Value) -> ir.Value:
        """The result of one of LLVM's that is overloaded by the type of its operands."""
        type = operands[0].type
        is_vector = isinstance(type, ir.VectorType)
        element = str(type.element if is_vector else type)
        suffix = _SUFFIXES.get(element, element)
        count = f"v{type.count}" if is_vector else ""
        return self.call_named(f"llvm.{name}.{count}{suffix}", type, *operands)

    # Loops

    @contextmanager
    def stepped(self, count: ir.Value, step: int) -> Iterator[ir.Value]:
        """A loop that carries nothing; gives the index, which goes by steps."""
        loop = Loop(self, count, step, [])
        yield loop.index
        loop.close([])

    @contextmanager
    def counted(self, count: ir.Value) -> Iterator[ir.Value]:
        """A loop that carries nothing; gives the index."""
        with self.stepped(count, 1) as index:
            yield index


_NOTHING, _AS_USUAL = ir.VOID, ir.Constant(ir.BIT, 0)
_SUFFIXES = {"float": "f32", "double": "f64"}


def _first(lanes: int, count: int) -> ir.Constant:
    return ir.Constant(ir.VectorType(ir.BIT, lanes), [int(at < count) for at in range(lanes)])


def _masked(way: str, type: ir.VectorType) -> str:
    letters = "f32" if type.element == ir.FLOAT32 else "f64"
    return f"llvm.masked.{way}.v{type.count}{letters}.p0"


class Loop:
    """A loop over 0, step, 2 * step ... below a count. `values` are what it carries, in the body,
    and behind it.
    """

    def __init__(
        self, builder: Builder, count: ir.Value, step: int, carried: Sequence[ir.Value]
    ) -> None:
        self.builder, self.count, self.step = builder, count, step
        self.carried = carried
        known = count.constant
        self.some = known is not None and known > 0
        self.once = known is not None and 0 < known <= step
        self.before = builder.block
        self.index: ir.Value = int64(0)
        self.values: Sequence[ir.Value] = carried
        if self.once:
            return
        self.body = builder.append_basic_block("loop")
        self.exit = builder.append_basic_block("done")
        if self.some:
            builder.branch(self.body)
        else:
            inside = builder.icmp_signed("<", int64(0), count)
            builder.cbranch(inside, self.body, self.exit)
        builder.position_at_end(self.body)
        self.phis = [self.phi(value) for value in (int64(0), *carried)]
        self.index, *self.values = self.phis

    def phi(self, first: ir.Value) -> ir.Phi:
        made = self.builder.phi(first.type)
        made.add_incoming(first, self.before)
        return made

    def close(self, carried: Sequence[ir.Value]) -> Sequence[ir.Value]:
        """End the body; what follows is behind the loop. Gives what the loop carried out."""
        builder = self.builder
        if self.once:
            return carried
        following = builder.add(self.index, int64(self.step), flags=["nsw", "nuw"])
        more = builder.icmp_signed("<", following, self.count)
        end = builder.block
        builder.cbranch(more, self.body, self.exit)
        for phi, value in zip(self.phis, (following, *carried), strict=True):
            phi.add_incoming(value, end)
        builder.position_at_end(self.exit)
        if self.some:
            return carried
        found = []
        for first, value in zip(self.carried, carried, strict=True):
            phi = self.phi(first)
            phi.add_incoming(value, end)
            found.append(phi)
        return found
