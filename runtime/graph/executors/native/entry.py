"""The body that the entry of a graph calls, and the table that tells the entry of its arguments and
results: see `objects`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from runtime.core.types import NumberType, TensorType, Type
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Constant, Local
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.calling import NAME
from runtime.graph.executors.native.compiling import Unit
from runtime.graph.executors.native.emitter import MOST_IN_FRAME, Emitter
from runtime.graph.executors.native.objects import DATA, ParameterKind, ResultKind, Status
from runtime.graph.executors.native.values import Array, Held, Scalar, dtype_of, int64, register

MOST_UNGUARDED = 1 << 12
"""Bytes of arrays in the frame of a body before which nobody asks how much there is left."""

_BODY = ir.FunctionType(ir.INT32, [ir.POINTER, ir.POINTER, ir.POINTER, ir.INT64])

Record = tuple[int, Any]
"""The kind of a result in the table, and its word."""


class Parameter(NamedTuple):
    """An object that Python hands over: of a local, or of the expression of a result. It
    `is_number` if Python's number stands for a tensor. The `memory` of a result is the parameter
    that it is made in.
    """

    expression: Any
    type: Type
    is_number: bool = False
    memory: Local | None = None

    @property
    def is_python(self) -> bool:
        """True for a number of Python's."""
        return self.is_number or isinstance(self.type, NumberType)


class NewArray:
    """An array that is made before the function ends: its object is a result from then on."""

    def __init__(self, body: Body, place: ir.Value) -> None:
        self.body, self.place = body, place
        self.array: Array | None = None

    def make(self, dtype: DType, dims: Sequence[ir.Value]) -> Array:
        """Make the object."""
        body = self.body
        builder, rank = body.builder, len(dims)
        sizes = body.emitter.slot(ir.ArrayType(ir.INT64, max(rank, 1)))
        for at, dim in enumerate(dims):
            builder.store(dim, builder.gep(sizes, [int64(8 * at)], source_etype=ir.BYTE))
        if dtype.np_dtype.isbuiltin != 1:
            # Its number is that of this process.
            body.unit.known.append(dtype)
        numbers = [ir.Constant(ir.INT32, number) for number in (dtype.np_dtype.num, rank)]
        with body.emitter.holding_python():
            made = body.emitter.call("objects.empty", ir.POINTER, *numbers, sizes)
        missing = builder.icmp_unsigned("==", made, ir.Constant(ir.POINTER, None))
        going = body.emitter.block("going")
        builder.cbranch(missing, body.emitter.aside, going)
        builder.position_at_end(going)
        builder.store(made, self.place)
        data = builder.gep(made, [int64(DATA)], source_etype=ir.BYTE)
        self.array = Array(builder.load(data, typ=ir.POINTER), tuple(dims), dtype)
        return self.array

    def leave(self, held: Array) -> Record:
        """Have the elements of an array, which may be this one, as a result."""
        if self.array is not None and self.array is not held:
            old = self.body.builder.load(self.place, typ=ir.POINTER)
            self.body.builder.store(ir.Constant(ir.POINTER, None), self.place)
            self.body.emitter.hold_python()
            self.body.emitter.call("python.Py_DecRef", ir.VOID, old)
        if self.array is not held:
            self.body.emitter.copy(self.make(held.dtype, held.dims).pointer, held)
        return ResultKind.ARRAY, 0


class Lent:
    """An array that is made in a buffer, which is the argument at a place."""

    def __init__(self, new: NewArray, at: int, buffer: Array) -> None:
        self.new, self.at, self.buffer = new, at, buffer
        self.array: Array | None = None

    def make(self, dtype: DType, dims: Sequence[ir.Value]) -> Array:
        """Give the buffer's elements."""
        self.array = Array(self.buffer.pointer, tuple(dims), dtype)
        return self.array

    def leave(self, held: Array) -> Record:
        """The buffer is the result, unless that is another array."""
        return (ResultKind.ARGUMENT, self.at) if self.array is held else self.new.leave(held)


class Body:
    """Writes the body of a unit: from two words of each argument to a word of each result."""

    def __init__(self, unit: Unit, parameters: Sequence[Parameter]) -> None:
        self.unit, self.parameters = unit, parameters
        self.function = ir.Function(unit.module, _BODY, NAME)
        self.given, self.results, memory, depth = self.function.args
        self.emitter = Emitter(unit, self.function, memory, depth, MOST_IN_FRAME)
        self.builder = self.emitter.builder
        self.arrays: dict[Local, NewArray | Lent] = {}
        for at, parameter in enumerate(parameters):
            self.emitter.values[parameter.expression] = self._argument(2 * at, parameter)

    def _word(self, at: int, type: ir.Type) -> ir.Value:
        place = self.builder.gep(self.given, [int64(at)], source_etype=ir.INT64)
        return self.builder.load(place, typ=type)

    def _argument(self, at: int, parameter: Parameter) -> Held:
        builder, type = self.builder, parameter.type
        if parameter.is_python:
            return Scalar(self._word(at, register(dtype_of(type))), type)
        assert isinstance(type, TensorType)
        pointer = self._word(at, ir.POINTER)
        if not type.shape:
            if type.dtype.is_bool:
                byte = builder.load(pointer, typ=ir.BYTE)
                return Scalar(builder.icmp_unsigned("!=", byte, ir.Constant(ir.BYTE, 0)), type)
            return Scalar(builder.load_element(pointer, type.dtype), type)
        dims: list[ir.Value] = []
        sizes = self._word(at + 1, ir.POINTER) if None in type.shape else pointer
        for place, dim in enumerate(type.shape):
            if dim is None:
                size = builder.gep(sizes, [int64(place)], source_etype=ir.INT64)
                dims.append(builder.load(size, typ=ir.INT64))
            else:
                dims.append(int64(dim))
        return Array(pointer, tuple(dims), type.dtype)

    def expect(self, results: Sequence[Parameter]) -> None:
        """Have the arrays that are results made where they are computed."""
        places = {parameter.expression: at for at, parameter in enumerate(self.parameters)}
        for at, (result, *_, memory) in enumerate(results):
            is_known = result in self.arrays or result in places
            if is_known or not (isinstance(result, Local) and getattr(result.type, "shape", None)):
                continue
            new = NewArray(self, self._place(at))
            made: NewArray | Lent = new
            if memory is not None and memory in places:  # else one that is made here
                made = Lent(new, places[memory], self._buffer(memory))
            self.arrays[result] = self.emitter.results[result] = made

    def _buffer(self, memory: Local) -> Array:
        held = self.emitter.values[memory]
        assert isinstance(held, Array)
        return held

    def _place(self, at: int) -> ir.Value:
        return self.builder.gep(self.results, [int64(at)], source_etype=ir.POINTER)

    def finish(self, results: Sequence[Parameter]) -> list[Record]:
        """Leave the results, and return. The kind of each, and its word."""
        builder, made = self.builder, []
        if not builder.block.is_terminated:
            made = [self._leave(at, results) for at in range(len(results))]
            builder.ret(ir.Constant(ir.INT32, Status.DONE))
        builder.position_at_end(self.emitter.aside)
        builder.ret(ir.Constant(ir.INT32, Status.ASIDE))
        return made

    def _leave(self, at: int, results: Sequence[Parameter]) -> Record:
        """Leave a result, unless it is an argument, or one that there is."""
        result, builder = results[at], self.builder
        if result in self.parameters:
            return ResultKind.ARGUMENT, self.parameters.index(result)
        if (same := results.index(result)) < at:
            return ResultKind.RESULT, same
        if isinstance(result.expression, Constant):
            self.unit.known.append(result.expression.item)
            return ResultKind.KNOWN, id(result.expression.item)
        held = self.emitter.as_type(self.emitter.value(result.expression), result.type)
        place = self._place(at)
        if isinstance(held, Array):
            return self.arrays.get(result.expression, NewArray(self, place)).leave(held)
        assert isinstance(held, Scalar)
        value, dtype = held.value, held.dtype
        if not result.is_python:
            builder.store_element(value, place, dtype)
            return ResultKind.SINGLE, f"numpy.descriptor:{dtype.name}"
        if dtype.is_floating:
            builder.store(value, place)
            return ResultKind.FLOAT, 0
        is_signed = not (dtype.is_unsigned or dtype.is_bool)
        if dtype.size < 8:
            value = builder.sext(value, ir.INT64) if is_signed else builder.zext(value, ir.INT64)
        builder.store(value, place)
        number = ResultKind.INT if is_signed else ResultKind.UNSIGNED
        return ResultKind.BOOL if dtype.is_bool else number, 0


def _taken(parameter: Parameter) -> list[Any]:
    """The words of the table for a parameter."""
    type = parameter.type
    dtype = dtype_of(type)
    if parameter.is_python:
        if dtype.is_bool:
            return [ParameterKind.BOOL, int(parameter.is_number), 0]
        if dtype.is_floating:
            return [ParameterKind.FLOAT, 0, 0]
        return [ParameterKind.INT, int(dtype.min), min(int(dtype.max), (1 << 63) - 1)]
    assert isinstance(type, TensorType)
    descriptor = f"numpy.descriptor:{dtype.name}"
    if not type.shape:
        return [ParameterKind.SINGLE, descriptor, f"numpy.scalar:{dtype.name}"]
    dims = [-1 if dim is None else dim for dim in type.shape]
    return [ParameterKind.ARRAY, descriptor, len(dims), *dims]


def write_entry(
    unit: Unit,
    parameters: Sequence[Parameter],
    results: Sequence[Parameter],
    body: Callable[[Emitter], None],
    calls: bool,
) -> None:
    """Write the body of a unit, with the statements that `body` emits, and its table, without
    addresses.
    """
    written = Body(unit, parameters)
    written.expect(results)
    body(written.emitter)
    made = written.finish(results)
    used = MOST_IN_FRAME - written.emitter.frame
    unit.table = [len(parameters), len(made), used if used > MOST_UNGUARDED else 0, int(calls)]
    unit.table += [word for parameter in parameters for word in _taken(parameter)]
    unit.table += [word for record in made for word in record]
    unit.finish()
