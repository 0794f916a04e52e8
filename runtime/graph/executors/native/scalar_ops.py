"""Ops on single numbers: those of tensors without dimensions, by the instructions on elements, and
those of Python's numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.core.forms import DYNAMIC
from runtime.core.types import NumberType, TensorType
from runtime.dtypes import DType
from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Expression
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.halves import rounded
from runtime.graph.executors.native.lowering_rules import elementwise
from runtime.graph.executors.native.numbers import PYTHON
from runtime.graph.executors.native.scalars import cast, cast_refuses, refuses_any
from runtime.graph.executors.native.values import (
    Array,
    Held,
    Scalar,
    dtype_of,
    int64,
    is_native,
    stored,
)
from runtime.graph.ir import Node

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

SLICE, CAST, REQUIRE, LENGTH = "slice", "cast", "require", "length"
"""Instructions that are neither elementwise on one dtype nor Python's."""


def letter(dtype: DType) -> str:
    """NumPy's letter for the kind of a dtype, as instructions name it."""
    return dtype.kind


def is_scalar(type: Any) -> bool:
    """True for a number in a register."""
    if isinstance(type, NumberType):
        return True
    return isinstance(type, TensorType) and type.shape == () and is_native(type.dtype)


def takes_scalar(node: Node) -> bool:
    """True if the node is an op on numbers that is written for them, or reads one of an array."""
    instruction = node.primitive.instruction
    if instruction == SLICE:
        return _takes_slice(node)
    inputs = [value.type for value in node.inputs]
    if instruction == LENGTH:
        return isinstance(inputs[0], TensorType) and bool(inputs[0].shape)
    if not all(map(is_scalar, (*inputs, *[value.type for value in node.outputs]))):
        return False
    if instruction == REQUIRE:
        return True
    types = (*inputs, *[value.type for value in node.outputs])
    if any(isinstance(type, NumberType) for type in types):
        of_numbers = PYTHON.get(instruction)
        return of_numbers is not None and of_numbers.takes(node)
    if instruction == CAST:
        return True
    found = elementwise(node)
    # Ops with numbers beside their operands are those of `element_of`.
    return found is not None and not found.numbers and letter(dtype_of(inputs[-1])) in found.kinds


def scalar_op(emitter: Emitter, node: Node, inputs: Sequence[Expression]) -> Any:
    """The result of an op on numbers."""
    instruction = node.primitive.instruction
    if instruction == SLICE:
        return _element(emitter, node, inputs)
    if instruction == LENGTH:
        array = emitter.value(inputs[0])
        assert isinstance(array, Array)
        return Scalar(array.dims[0], node.outputs[0].type)
    operands = [
        emitter.as_type(emitter.value(given), value.type)
        for given, value in zip(inputs, node.inputs, strict=True)
    ]
    scalars = [held for held in operands if isinstance(held, Scalar)]
    builder = emitter.builder
    if instruction == REQUIRE:
        emitter.step_aside(builder.not_(scalars[0].value))
        return []
    output = node.outputs[0].type
    types = [value.type for value in (*node.inputs, *node.outputs)]
    if any(isinstance(type, NumberType) for type in types):
        return PYTHON[instruction].emit(emitter, node, scalars)
    dtype = scalars[-1].dtype
    values = [scalar.value for scalar in scalars]
    if instruction == CAST:
        target = dtype_of(output)
        refused = cast_refuses(builder, values[0], dtype, target)
        if refused is not None:
            emitter.step_aside(refused)
        return Scalar(cast(builder, values[0], dtype, target), output)
    found = elementwise(node)
    assert found is not None
    refused = refuses_any(builder, found, dtype, values)
    if refused is not None:
        emitter.step_aside(refused)
    made = found.emit(builder, dtype, *values)
    return Scalar(rounded(builder, made, dtype_of(output)), output)


# Elements of arrays


def _takes_slice(node: Node) -> bool:
    array, spec = node.inputs[0].type, node.params["spec"]
    if not isinstance(array, TensorType) or not array.shape or not is_native(array.dtype):
        return False
    is_place = all(type(entry) is int or entry == DYNAMIC for entry in spec)
    places = [value.type for value in node.inputs[1:]]
    return is_place and 0 < len(spec) <= len(array.shape) and all(map(is_scalar, places))


def _element(emitter: Emitter, node: Node, inputs: Sequence[Expression]) -> Held:
    """An element, or a row, at places of which a check has told that they are there."""
    builder = emitter.builder
    array = _array(emitter, inputs[0], node)
    places = iter([emitter.value(given) for given in inputs[1:]])
    offset: ir.Value = int64(0)
    for dim, part in zip(array.dims, node.params["spec"], strict=False):
        place = next(places) if part == DYNAMIC else part
        at = place_of(emitter, place, dim)
        offset = builder.add(builder.mul(offset, dim), at)
    rest = array.dims[len(node.params["spec"]) :]
    if not rest:
        output = node.outputs[0].type
        return Scalar(emitter.builder.load_at(array.pointer, offset, array.dtype), output)
    for dim in rest:
        offset = builder.mul(offset, dim)
    pointer = builder.gep(array.pointer, [offset], source_etype=stored(array.dtype))
    return Array(pointer, tuple(rest), array.dtype)


def _array(emitter: Emitter, given: Expression, node: Node) -> Array:
    if isinstance(given, lowered.Constant) and isinstance(given.item, tuple):
        # A vector that Python reads as a tuple.
        type = node.inputs[0].type
        assert isinstance(type, TensorType)
        raw = np.array(given.item, type.dtype.np_dtype)
        given = lowered.Constant(raw, raw, type)
    array = emitter.value(given)
    assert isinstance(array, Array)
    return array


def place_of(emitter: Emitter, place: Any, dim: ir.Value) -> ir.Value:
    """A place in a dimension, as a number from its start; negative ones are from its end."""
    builder = emitter.builder
    if isinstance(place, int):
        return int64(place) if place >= 0 else builder.add(dim, int64(place))
    assert isinstance(place, Scalar)
    at = wide(emitter, place)
    if (known := at.constant) is not None:
        return place_of(emitter, known, dim)
    negative = builder.icmp_signed("<", at, int64(0))
    return builder.select(negative, builder.add(at, dim), at)


def wide(emitter: Emitter, place: Scalar) -> ir.Value:
    """An integer in 64 bits with a sign: one that is larger is left to the fallback."""
    value, dtype = place.value, place.dtype
    if value.type == ir.INT64:
        known = value.constant
        if dtype.is_unsigned and (known is None or known >= 1 << 63):
            emitter.step_aside(emitter.builder.icmp_signed("<", value, int64(0)))
        return value
    if value.type == ir.BIT or dtype.is_unsigned:
        return emitter.builder.zext(value, ir.INT64)
    return emitter.builder.sext(value, ir.INT64)
