"""The function that Python calls: it takes arguments apart that are of the right types, dtypes and
layouts, and makes Python's objects of the results. For all others, and where code steps aside, it
calls the fallback.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from llvmlite import ir

from runtime.core.types import NumberType, TensorType, Type
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Local
from runtime.graph.executors.native import arena, stack
from runtime.graph.executors.native.compiling import Unit
from runtime.graph.executors.native.emitter import MOST_IN_FRAME, Emitter
from runtime.graph.executors.native.machine import Code, load, object_of
from runtime.graph.executors.native.objects import DATA, DIMS, ITEM, NUMBER, TYPE
from runtime.graph.executors.native.symbols import address_of
from runtime.graph.executors.native.values import (
    BIT,
    BYTE,
    FLOAT64,
    INT32,
    INT64,
    POINTER,
    Array,
    Held,
    Scalar,
    int64,
    stored,
)

NAME = "entry"
GUARDED = "guarded"

MOST_UNGUARDED = 1 << 12
"""Bytes of arrays in the frame of an entry that does not ask beforehand how much there is left."""

DEEPEST = 4000
"""Calls inside each other, at most, also where there is more of the stack."""

_BOOLS = ("python", "numpy")

_METHOD = ir.FunctionType(POINTER, [POINTER, POINTER, INT64])


class NewArray:
    """An array that is made before the function ends: its object is in a slot of the frame until it
    is handed on.
    """

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.slot = entry.emitter.slot(POINTER)
        entry.builder.store(ir.Constant(POINTER, None), self.slot)
        self.array: Array | None = None

    def make(self, dtype: DType, dims: Sequence[ir.Value]) -> Array:
        """Make the object."""
        entry = self.entry
        builder = entry.builder
        made = entry.empty(dtype, dims)
        missing = builder.icmp_unsigned("==", made, ir.Constant(POINTER, None))
        going = entry.emitter.block("going")
        builder.cbranch(missing, entry.failed, going)
        builder.position_at_end(going)
        builder.store(made, self.slot)
        self.array = Array(entry.field(made, DATA, POINTER), tuple(dims), dtype)
        return self.array

    def take(self) -> ir.Value:
        """The object, which is the receiver's from now on."""
        self.array, builder = None, self.entry.builder
        found = builder.load(self.slot, typ=POINTER)
        builder.store(ir.Constant(POINTER, None), self.slot)
        return found

    def release(self) -> None:
        """Let go of the object, unless it was handed on."""
        left = self.entry.builder.load(self.slot, typ=POINTER)
        self.entry.call("python.Py_DecRef", ir.VoidType(), [POINTER], left)


class Lent:
    """An array that is made in a buffer, which is an argument."""

    def __init__(self, entry: Entry, at: int, held: Array) -> None:
        self.entry, self.at, self.held = entry, at, held
        self.array: Array | None = None

    def make(self, dtype: DType, dims: Sequence[ir.Value]) -> Array:
        """Give the buffer's elements."""
        self.array = Array(self.held.pointer, tuple(dims), dtype)
        return self.array

    def take(self) -> ir.Value:
        """The buffer, once more."""
        found = self.entry.given(self.at)
        self.entry.call("python.Py_IncRef", ir.VoidType(), [POINTER], found)
        return found

    def release(self) -> None:
        """The buffer is the caller's."""


class Entry:
    """Writes the entry of a unit. `self` in it is a tuple: of the fallback, and what is kept."""

    def __init__(self, unit: Unit) -> None:
        self.unit, self.symbols = unit, unit.symbols
        self.function = ir.Function(unit.module, _METHOD, NAME)
        depth = ir.Constant(INT64, DEEPEST)
        self.emitter = Emitter(unit, self.function, depth, depth, MOST_IN_FRAME)
        emitter = self.emitter
        emitter.arena = emitter.slot(ir.ArrayType(POINTER, arena.WORDS))
        self.builder = emitter.builder
        self.arrays: list[NewArray | Lent] = []
        self.made = emitter.slot(POINTER)
        self.builder.store(ir.Constant(POINTER, None), self.made)
        self.refused = emitter.block("refused")
        self.failed = emitter.block("failed")

    def call(
        self, name: str, result: ir.Type, kinds: Sequence[ir.Type], *operands: ir.Value
    ) -> ir.Value:
        """Call a function of what is outside."""
        return self.symbols.call(self.builder, name, ir.FunctionType(result, kinds), operands)

    def field(self, pointer: ir.Value, offset: int, type: ir.Type) -> ir.Value:
        """A field of an object."""
        at = self.builder.gep(pointer, [int64(offset)], source_etype=BYTE)
        return self.builder.load(at, typ=type)

    def need(self, condition: ir.Value) -> None:
        """Refuse the arguments unless the condition holds."""
        going = self.emitter.block("going")
        branch = self.builder.cbranch(condition, going, self.refused)
        branch.set_weights([1000, 1])
        self.builder.position_at_end(going)

    def same(self, first: ir.Value, second: ir.Value) -> ir.Value:
        """One bit: set if two pointers are the same."""
        return self.builder.icmp_unsigned("==", first, second)

    # Arguments

    def start(self, calls: bool) -> None:
        """Set up the arena, and the depth of calls."""
        for at in range(arena.WORDS):
            place = self.unit._word(self.emitter, at)
            word = self.emitter.arena if at == arena.CHUNK else ir.Constant(POINTER, None)
            self.builder.store(word, place)
        if calls:
            end = stack.end(self.builder, self.symbols)
            self.builder.store(end, self.unit._word(self.emitter, arena.STACK))
            limit = self.builder.sext(self.call("python.Py_GetRecursionLimit", INT32, []), INT64)
            few = self.builder.icmp_signed("<", limit, int64(DEEPEST))
            self.emitter.depth = self.builder.select(few, limit, int64(DEEPEST))

    def given(self, at: int) -> ir.Value:
        """The object of an argument."""
        place = self.builder.gep(self.function.args[1], [int64(at)], source_etype=POINTER)
        return self.builder.load(place, typ=POINTER)

    def argument(self, at: int, parameter: Parameter) -> Held:
        """An argument, taken out of its object."""
        type, given = parameter.type, self.given(at)
        kind = self.field(given, TYPE, POINTER)
        if isinstance(type, NumberType):
            return Scalar(self.number(given, kind, type.kind), type)
        assert isinstance(type, TensorType)
        if parameter.is_number:
            return Scalar(self.unboxed(given, kind, type.dtype), type)
        if type.shape == ():
            return Scalar(self.single(given, type.dtype), type)
        return self.array(given, type)

    def unboxed(self, given: ir.Value, kind: ir.Value, dtype: DType) -> ir.Value:
        """A number that stands for a tensor: for a truth value NumPy's own may do so, too."""
        builder = self.builder
        if not dtype.is_bool:
            wide = self.number(given, kind, "int")
            if dtype.size == 8:
                return wide
            made = builder.trunc(wide, stored(dtype))
            back = builder.zext(made, INT64) if dtype.is_unsigned else builder.sext(made, INT64)
            self.need(builder.icmp_signed("==", wide, back))
            return made
        ways = [
            [self.same(given, self.symbols.load(builder, f"{source}.{name}")) for source in _BOOLS]
            for name in ("True", "False")
        ]
        is_true, is_false = [builder.or_(*way) for way in ways]
        self.need(builder.or_(is_true, is_false))
        return is_true

    def number(self, given: ir.Value, kind: ir.Value, name: str) -> ir.Value:
        """One of Python's numbers: an int of 64 bits."""
        builder = self.builder
        if name == "bool":
            is_true = self.same(given, self.symbols.load(builder, "python.True"))
            is_false = self.same(given, self.symbols.load(builder, "python.False"))
            self.need(builder.or_(is_true, is_false))
            return is_true
        self.need(self.same(kind, self.symbols.load(builder, f"python.{name}")))
        if name == "float":
            return self.field(given, NUMBER, FLOAT64)
        overflow = self.emitter.slot(INT32)
        made = self.call(
            "python.PyLong_AsLongLongAndOverflow", INT64, [POINTER, POINTER], given, overflow
        )
        large = builder.load(overflow, typ=INT32)
        self.need(builder.icmp_signed("==", large, ir.Constant(INT32, 0)))
        return made

    def single(self, given: ir.Value, dtype: DType) -> ir.Value:
        """A number: a NumPy scalar, or an array without dimensions."""
        builder = self.builder
        type = self.symbols.load(builder, f"numpy.scalar:{dtype.name}")
        descriptor = self.symbols.load(builder, f"numpy.descriptor:{dtype.name}")
        kinds = [POINTER, POINTER, POINTER]
        pointer = self.call("objects.number", POINTER, kinds, given, type, descriptor)
        self.need(builder.not_(self.same(pointer, ir.Constant(POINTER, None))))
        found = builder.load(pointer, typ=stored(dtype))
        zero = ir.Constant(BYTE, 0)
        return builder.icmp_unsigned("!=", found, zero) if dtype.is_bool else found

    def array(self, given: ir.Value, type: TensorType) -> Array:
        """An array, of the known dims: refuse what is no plain array of a dtype and rank."""
        builder, shape = self.builder, type.shape or ()
        descriptor = self.symbols.load(builder, f"numpy.descriptor:{type.dtype.name}")
        rank, kinds = ir.Constant(INT32, len(shape)), [POINTER, POINTER, INT32]
        data = self.call("objects.elements", POINTER, kinds, given, descriptor, rank)
        self.need(builder.not_(self.same(data, ir.Constant(POINTER, None))))
        sizes = self.field(given, DIMS, POINTER)
        dims: list[ir.Value] = []
        for at, dim in enumerate(shape):
            size = self.field(sizes, 8 * at, INT64)
            if dim is not None:
                self.need(builder.icmp_signed("==", size, int64(dim)))
            dims.append(size if dim is None else int64(dim))
        return Array(data, tuple(dims), type.dtype)

    # Results

    def finish(self, results: Sequence[Parameter]) -> None:
        """Return the results as a tuple of objects."""
        emitter, builder = self.emitter, self.builder
        if not builder.block.is_terminated:
            held = [
                emitter.as_type(emitter.value(result.expression), result.type) for result in results
            ]
            count = int64(len(results))
            made = self.call("python.PyTuple_New", POINTER, [INT64], count)
            builder.store(made, self.made)
            nothing = ir.Constant(POINTER, None)
            self.whole(self.same(made, nothing))
            for at, (each, result) in enumerate(zip(held, results, strict=True)):
                item = self.boxed(each, result)
                self.whole(self.same(item, nothing))
                place = builder.gep(made, [int64(ITEM + 8 * at)], source_etype=BYTE)
                builder.store(item, place)
            self.release()
            builder.ret(made)
        self.leave()

    def whole(self, missing: ir.Value) -> None:
        """Fail where an object could not be made."""
        going = self.emitter.block("going")
        self.builder.cbranch(missing, self.failed, going)
        self.builder.position_at_end(going)

    def boxed(self, held: Held, result: Parameter) -> ir.Value:
        """The object of a result."""
        builder = self.builder
        if isinstance(held, Array):
            for made in self.arrays:
                if made.array is held:
                    return made.take()
            return self.new_array(held)
        assert isinstance(held, Scalar)
        if not (isinstance(result.type, NumberType) or result.is_number):
            value = builder.zext(held.value, BYTE) if held.value.type == BIT else held.value
            place = self.emitter.slot(value.type)
            builder.store(value, place)
            descriptor = self.symbols.load(builder, f"numpy.descriptor:{held.dtype.name}")
            kinds = [POINTER, POINTER, POINTER]
            operands = [place, descriptor, ir.Constant(POINTER, None)]
            return self.call("numpy.PyArray_Scalar", POINTER, kinds, *operands)
        dtype = held.dtype
        if dtype.is_floating:
            return self.call("python.PyFloat_FromDouble", POINTER, [FLOAT64], held.value)
        if dtype.is_bool:
            wide = builder.zext(held.value, INT64)
            return self.call("python.PyBool_FromLong", POINTER, [INT64], wide)
        if dtype.is_unsigned:
            wide = builder.zext(held.value, INT64) if dtype.size < 8 else held.value
            return self.call("python.PyLong_FromUnsignedLongLong", POINTER, [INT64], wide)
        wide = builder.sext(held.value, INT64) if dtype.size < 8 else held.value
        return self.call("python.PyLong_FromLongLong", POINTER, [INT64], wide)

    def expect(self, results: Sequence[Parameter], places: Mapping[Local, int]) -> None:
        """Have the arrays that are results made where they are computed; `places` are those of the
        parameters.
        """
        memory = {result.expression: result.memory for result in results}
        for result, buffer in memory.items():
            if not (isinstance(result, Local) and getattr(result.type, "shape", None)):
                continue
            if buffer is None:
                self.arrays.append(NewArray(self))
            else:
                held = self.emitter.values[buffer]
                assert isinstance(held, Array)
                self.arrays.append(Lent(self, places[buffer], held))
            self.emitter.results[result] = self.arrays[-1]

    def new_array(self, held: Array) -> ir.Value:
        """A new array with the elements of one."""
        made = self.empty(held.dtype, held.dims)
        self.whole(self.same(made, ir.Constant(POINTER, None)))
        self.emitter.copy(self.field(made, DATA, POINTER), held)
        return made

    def empty(self, dtype: DType, dims: Sequence[ir.Value]) -> ir.Value:
        """The object of a new array, null where there is no memory for it."""
        builder, rank = self.builder, len(dims)
        sizes = self.emitter.slot(ir.ArrayType(INT64, max(rank, 1)))
        for at, dim in enumerate(dims):
            builder.store(dim, builder.gep(sizes, [int64(8 * at)], source_etype=BYTE))
        number = ir.Constant(INT32, dtype.np_dtype.num)
        given = [number, ir.Constant(INT32, rank), sizes]
        return self.call("objects.empty", POINTER, [INT32, INT32, POINTER], *given)

    def release(self) -> None:
        """Let go of arrays that nobody has, and of the arena, where anything is in it."""
        for each in self.arrays:
            each.release()
        if self.emitter.uses or self.calls:
            self.call("arena.release", ir.VoidType(), [POINTER], self.emitter.arena)

    calls = False

    def leave(self) -> None:
        """The ways out: aside, to the fallback, and with an error."""
        builder = self.builder
        builder.position_at_end(self.emitter.aside)
        self.release()
        # What handled a signal may have raised.
        builder.ret(self.symbols.call(builder, "objects.aside", _METHOD, self.function.args))
        builder.position_at_end(self.refused)
        self.fall_back(builder, self.function)
        builder.position_at_end(self.failed)
        self.call(
            "python.Py_DecRef", ir.VoidType(), [POINTER], builder.load(self.made, typ=POINTER)
        )
        self.release()
        builder.ret(ir.Constant(POINTER, None))

    def fall_back(self, builder: ir.IRBuilder, function: ir.Function) -> None:
        """Return what the fallback returns."""
        builder.ret(self.symbols.call(builder, "objects.fallback", _METHOD, function.args))

    def guard(self) -> None:
        """Have the stack looked at before a large frame is on it: an entry before the entry."""
        used = MOST_IN_FRAME - self.emitter.frame
        if used <= MOST_UNGUARDED:
            return
        self.unit.entry = GUARDED
        function = ir.Function(self.unit.module, _METHOD, GUARDED)
        builder = ir.IRBuilder(function.append_basic_block("start"))
        short = stack.is_short(builder, stack.end(builder, self.symbols), used)
        aside, going = (function.append_basic_block(name) for name in ("aside", "going"))
        builder.cbranch(short, aside, going)
        builder.position_at_end(aside)
        self.fall_back(builder, function)
        builder.position_at_end(going)
        builder.ret(builder.call(self.function, function.args))


class Parameter(NamedTuple):
    """An object that Python hands over: of a local, or of the expression of a result. It
    `is_number` if Python's number stands for a tensor. The `memory` of a result is the parameter
    that it is made in.
    """

    expression: Any
    type: Type
    is_number: bool = False
    memory: Local | None = None


def write_entry(
    unit: Unit,
    parameters: Sequence[Parameter],
    results: Sequence[Parameter],
    body: Callable[[Emitter], None],
    calls: bool,
) -> None:
    """Write the entry of a unit, with the statements that `body` emits."""
    entry = Entry(unit)
    entry.calls = calls
    count = entry.function.args[2]
    entry.need(entry.builder.icmp_signed("==", count, int64(len(parameters))))
    for at, parameter in enumerate(parameters):
        entry.emitter.values[parameter.expression] = entry.argument(at, parameter)
    entry.start(calls)
    entry.expect(results, {each.expression: at for at, each in enumerate(parameters)})
    body(entry.emitter)
    entry.finish(results)
    entry.guard()
    unit.finish()


class _Method(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )


_FASTCALL = 0x80


def callable_of(unit: Unit, fallback: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled entry of a unit, as a function of Python's."""
    made = object_of(str(unit.module))
    addresses = [
        unit.arrays[name].ctypes.data if name in unit.arrays else address_of(name)
        for name in unit.symbols.places
    ]
    code = load(made, [unit.entry], addresses, list(unit.arrays.values()))
    return as_function(code, fallback, unit.entry)


def as_function(code: Code, fallback: Callable[..., Any], name: str = NAME) -> Callable[..., Any]:
    """An entry as a function of Python's, which keeps its code and its fallback."""
    method = _Method(b"native", code.address(name), _FASTCALL, None)
    code.kept.append(method)
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p],
    )
    found: Callable[..., Any] = new(ctypes.addressof(method), (fallback, code), None)
    return found
