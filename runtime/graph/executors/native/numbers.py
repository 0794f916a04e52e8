"""Ops on Python's numbers: exact, or they step aside. An int is held in 64 bits, and a result that
does not fit is left to Python, as is all that raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime import dtypes
from runtime.core.types import NumberType, TensorType
from runtime.dtypes import DType
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.lowering_rules import ELEMENTWISE
from runtime.graph.executors.native.scalars import (
    cast,
    cast_refuses,
    compared,
    comparison,
    divided,
    quotient,
    rest,
)
from runtime.graph.executors.native.values import Scalar, dtype_of, int64
from runtime.graph.ir import Node
from runtime.graph.nodes import BOOL, FLOAT, INT

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

Scalars = Sequence[Scalar]
INT_DTYPE, FLOAT_DTYPE = dtype_of(INT), dtype_of(FLOAT)
EXACT = 1 << 53
"""Integers up to here are exact as floats."""

LEAST = -(1 << 63)
"""The least number of 64 bits."""


class OnNumbers(NamedTuple):
    """An op on Python's numbers: `takes` tells whether it is written for the types of a node."""

    takes: Callable[[Node], bool]
    emit: Callable[[Emitter, Node, Scalars], Any]


def _kinds(node: Node) -> list[str]:
    types = [value.type for value in node.inputs]
    return [type.kind if isinstance(type, NumberType) else "" for type in types]


def _on_numbers(node: Node) -> bool:
    return all(_kinds(node))


def _on_integers(node: Node) -> bool:
    return not {"", "float"} & set(_kinds(node))


def _floats_among(scalars: Scalars) -> bool:
    return any(scalar.type == FLOAT for scalar in scalars)


def as_int(emitter: Emitter, scalar: Scalar) -> ir.Value:
    """A bool or an int in 64 bits."""
    return cast(emitter.builder, scalar.value, scalar.dtype, INT_DTYPE)


def as_float(emitter: Emitter, scalar: Scalar) -> ir.Value:
    """A number as Python converts it to a float."""
    return cast(emitter.builder, scalar.value, scalar.dtype, FLOAT_DTYPE)


def _overflowing(emitter: Emitter, name: str, first: ir.Value, second: ir.Value) -> ir.Value:
    """The result of an operation on ints, which steps aside where it does not fit."""
    if second.constant == (1 if name == "smul" else 0):
        return first
    builder = emitter.builder
    known = ir.LiteralStructType([ir.INT64, ir.BIT])
    made = builder.call_named(f"llvm.{name}.with.overflow.i64", known, first, second)
    emitter.step_aside(builder.extract_value(made, 1))
    return builder.extract_value(made, 0)


def _arithmetic(on_ints: str, on_floats: str) -> OnNumbers:
    def emit(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
        if _floats_among(scalars):
            first, second = [as_float(emitter, each) for each in scalars]
            return Scalar(getattr(emitter.builder, on_floats)(first, second), FLOAT)
        first, second = [as_int(emitter, each) for each in scalars]
        if emitter.cannot_overflow(node):
            return Scalar(getattr(emitter.builder, on_ints[1:])(first, second, flags=["nsw"]), INT)
        return Scalar(_overflowing(emitter, on_ints, first, second), INT)

    return OnNumbers(_on_numbers, emit)


def _refuse_zero(emitter: Emitter, value: ir.Value) -> None:
    builder = emitter.builder
    if value.type == ir.FLOAT64:
        emitter.step_aside(builder.fcmp_ordered("==", value, ir.Constant(ir.FLOAT64, 0.0)))
    elif not (isinstance(value, ir.Constant) and value.constant):
        emitter.step_aside(builder.icmp_signed("==", value, int64(0)))


def _refuse_least(emitter: Emitter, first: ir.Value, second: ir.Value) -> None:
    """Step aside where the quotient is the one that has more than 64 bits."""
    if second.constant in (None, -1):
        builder = emitter.builder
        is_least = builder.icmp_signed("==", first, int64(LEAST))
        inverse = builder.icmp_signed("==", second, int64(-1))
        emitter.step_aside(builder.and_(is_least, inverse))


def _exact_float(emitter: Emitter, scalar: Scalar) -> ir.Value:
    """A number as a float without rounding; steps aside for the ints that have none."""
    if scalar.type == INT and not _is_small(scalar.value):
        builder = emitter.builder
        moved = builder.add(scalar.value, int64(EXACT))
        emitter.step_aside(builder.icmp_unsigned(">", moved, int64(2 * EXACT)))
    return as_float(emitter, scalar)


def _is_small(value: ir.Value) -> bool:
    return isinstance(value, ir.Constant) and abs(value.constant) <= EXACT


def _true_divide(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    convert = as_float if _floats_among(scalars) else _exact_float
    first, second = [convert(emitter, each) for each in scalars]
    _refuse_zero(emitter, second)
    return Scalar(emitter.builder.fdiv(first, second), FLOAT)


def _divided(part: int) -> Callable[[Emitter, Node, Scalars], Scalar]:
    """Quotient, rounded down, or rest."""

    def emit(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
        builder = emitter.builder
        if _floats_among(scalars):
            first, second = [as_float(emitter, each) for each in scalars]
            _refuse_zero(emitter, second)
            return Scalar(divided(builder, first, second)[part], FLOAT)
        first, second = [as_int(emitter, each) for each in scalars]
        (low, _), (least, _) = map(emitter.range_of, node.inputs)
        if least <= 0:
            _refuse_zero(emitter, second)
        if least < 0 and low <= LEAST:
            _refuse_least(emitter, first, second)
        dtype = dtypes.uint64 if low >= 0 and least > 0 else INT_DTYPE
        return Scalar((quotient, rest)[part](builder, dtype, first, second), INT)

    return emit


_QUOTIENT, _REST = _divided(0), _divided(1)


def _shift_left(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    builder = emitter.builder
    number, count = [as_int(emitter, each) for each in scalars]
    emitter.step_aside(builder.icmp_unsigned(">", count, int64(62)))
    made = builder.shl(number, count)
    emitter.step_aside(builder.icmp_signed("!=", builder.ashr(made, count), number))
    return Scalar(made, INT)


def _shift_right(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    builder = emitter.builder
    number, count = [as_int(emitter, each) for each in scalars]
    emitter.step_aside(builder.icmp_signed("<", count, int64(0)))
    all_out = builder.icmp_signed(">", count, int64(63))
    return Scalar(builder.ashr(number, builder.select(all_out, int64(63), count)), INT)


def _bits(name: str) -> OnNumbers:
    def emit(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
        operate = getattr(emitter.builder, name)
        if all(scalar.type == BOOL for scalar in scalars):
            return Scalar(operate(*[scalar.value for scalar in scalars]), BOOL)
        return Scalar(operate(*[as_int(emitter, each) for each in scalars]), INT)

    return OnNumbers(_on_integers, emit)


def _comparison(sign: str) -> OnNumbers:
    emit_comparison = comparison(sign)

    def emit(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
        if _floats_among(scalars):
            # An int beside a float is compared as what it is, not as the float next to it.
            first, second = [_exact_float(emitter, each) for each in scalars]
        else:
            first, second = [as_int(emitter, each) for each in scalars]
            return Scalar(emit_comparison(emitter.builder, INT_DTYPE, first, second), BOOL)
        return Scalar(compared(emitter.builder, sign, FLOAT_DTYPE, first, second), BOOL)

    return OnNumbers(_on_numbers, emit)


def _negative(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    if _floats_among(scalars):
        return Scalar(emitter.builder.fneg(scalars[0].value), FLOAT)
    number = as_int(emitter, scalars[0])
    return Scalar(_overflowing(emitter, "ssub", int64(0), number), INT)


def _positive(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    if _floats_among(scalars):
        return scalars[0]
    return Scalar(as_int(emitter, scalars[0]), INT)


def _absolute(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    builder = emitter.builder
    if _floats_among(scalars):
        return Scalar(builder.intrinsic("fabs", scalars[0].value), FLOAT)
    number = as_int(emitter, scalars[0])
    opposite = _overflowing(emitter, "ssub", int64(0), number)
    negative = builder.icmp_signed("<", number, int64(0))
    return Scalar(builder.select(negative, opposite, number), INT)


def _invert(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    return Scalar(emitter.builder.not_(as_int(emitter, scalars[0])), INT)


def truth(emitter: Emitter, scalar: Scalar) -> ir.Value:
    """Whether a number is true: nan is."""
    dtype = scalar.dtype
    if dtype.is_bool:
        return scalar.value
    return compared(emitter.builder, "!=", dtype, scalar.value, ir.Constant(scalar.value.type, 0))


def _not(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    return Scalar(emitter.builder.not_(truth(emitter, scalars[0])), BOOL)


def _to_bool(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    return Scalar(truth(emitter, scalars[0]), BOOL)


def _to_float(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    return Scalar(as_float(emitter, scalars[0]), FLOAT)


def _to_int(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    """Towards zero; what does not fit into 64 bits, and what is no number, is left to Python."""
    (scalar,), builder = scalars, emitter.builder
    refused = cast_refuses(builder, scalar.value, scalar.dtype, INT_DTYPE)
    if refused is not None:
        emitter.step_aside(refused)
    if scalar.dtype.is_unsigned and scalar.dtype.size == 8:
        emitter.step_aside(builder.icmp_signed("<", scalar.value, int64(0)))
    return Scalar(as_int(emitter, scalar), INT)


def _rounded(name: str) -> OnNumbers:
    """A function from a float to an int."""

    def emit(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
        if not _floats_among(scalars):
            return Scalar(as_int(emitter, scalars[0]), INT)
        made = emitter.builder.intrinsic(name, scalars[0].value)
        return _to_int(emitter, node, [Scalar(made, FLOAT)])

    return OnNumbers(_on_numbers, emit)


def _to_tensor(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    """A tensor of a Python number, which must fit."""
    (scalar,), builder, output = scalars, emitter.builder, node.outputs[0].type
    assert isinstance(output, TensorType)
    dtype = output.dtype
    value = scalar.value
    if scalar.type == INT and dtype.is_integer:
        from runtime.graph.executors.native.control import check_range

        check_range(emitter, scalar, dtype)
    elif scalar.type == FLOAT and dtype.is_floating and dtype.size < 8:
        _refuse_larger(emitter, value, dtype)
    elif scalar.type == INT and dtype.is_floating and dtype.size < 8:
        # By way of a float of 64 bits, as NumPy does it.
        value = as_float(emitter, scalar)
        return Scalar(cast(builder, value, FLOAT_DTYPE, dtype), output)
    return Scalar(cast(builder, value, scalar.dtype, dtype), output)


def _refuse_larger(emitter: Emitter, value: ir.Value, dtype: DType) -> None:
    builder = emitter.builder
    size = builder.intrinsic("fabs", value)
    large = builder.fcmp_ordered(">", size, ir.Constant(ir.FLOAT64, float(dtype.max)))
    finite = builder.fcmp_ordered("<", size, ir.Constant(ir.FLOAT64, float("inf")))
    emitter.step_aside(builder.and_(large, finite))


def _takes_to_tensor(node: Node) -> bool:
    (kind,), output = _kinds(node), node.outputs[0].type
    assert isinstance(output, TensorType)
    # A float becomes no integer, and a number no truth value, but by a cast.
    if kind == "float":
        return output.dtype.is_floating
    return kind == "bool" or not output.dtype.is_bool


def _extreme(sign: str) -> OnNumbers:
    """The first of the largest, or smallest, of numbers of one kind."""

    def takes(node: Node) -> bool:
        return _on_numbers(node) and len(set(_kinds(node))) == 1 and len(node.inputs) > 1

    def emit(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
        found = scalars[0]
        for other in scalars[1:]:
            better = compared(emitter.builder, sign, found.dtype, other.value, found.value)
            found = Scalar(emitter.builder.select(better, other.value, found.value), found.type)
        return found

    return OnNumbers(takes, emit)


def _from_end(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    builder = emitter.builder
    index, size = [as_int(emitter, each) for each in scalars]
    negative = builder.icmp_signed("<", index, int64(0))
    return Scalar(builder.select(negative, builder.add(index, size), index), INT)


def _range_length(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    builder = emitter.builder
    given = [as_int(emitter, each) for each in scalars]
    start, stop = (int64(0), given[0]) if len(given) == 1 else given[:2]
    step = given[2] if len(given) == 3 else int64(1)
    _refuse_zero(emitter, step)
    upwards = builder.icmp_signed(">", step, int64(0))
    low, high = builder.select(upwards, start, stop), builder.select(upwards, stop, start)
    distance = _overflowing(emitter, "ssub", high, low)
    if isinstance(step, ir.Constant) and step.constant == 1:
        rounds = distance
    else:
        size = builder.select(upwards, step, builder.sub(int64(0), step))
        # Of the least number there is no opposite: as a number without sign it is right.
        rounds = builder.udiv(builder.sub(distance, int64(1)), size)
        rounds = builder.add(rounds, int64(1))
    some = builder.icmp_signed(">", distance, int64(0))
    return Scalar(builder.select(some, rounds, int64(0)), INT)


def _power(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    """A float by the C library's function: of the base's size, with its sign where the exponent is
    odd. Of a base below zero, and a broken exponent, Python makes a complex number.
    """
    builder = emitter.builder
    base, exponent = [as_float(emitter, each) for each in scalars]
    below = builder.fcmp_ordered("<", base, ir.Constant(ir.FLOAT64, 0.0))
    broken = builder.fcmp_unordered("!=", exponent, builder.intrinsic("floor", exponent))
    emitter.step_aside(builder.and_(below, broken))
    made = _library(emitter, "pow", [builder.intrinsic("fabs", base), exponent]).value
    rest = builder.intrinsic("fabs", builder.frem(exponent, ir.Constant(ir.FLOAT64, 2.0)))
    is_odd = builder.fcmp_ordered("==", rest, ir.Constant(ir.FLOAT64, 1.0))
    signed = builder.intrinsic("copysign", made, base)
    return Scalar(builder.select(is_odd, signed, made), FLOAT)


def _takes_power(node: Node) -> bool:
    return _on_numbers(node) and "float" in _kinds(node)


def _library(emitter: Emitter, name: str, operands: Sequence[ir.Value]) -> Scalar:
    """A function of the C library, as Python's `math` calls it, where the result is finite: of
    others Python has cases of its own, or raises.
    """
    builder, made = emitter.builder, emitter.call(f"libm.{name}", ir.FLOAT64, *operands)
    size = builder.intrinsic("fabs", made)
    finite = builder.fcmp_ordered("<", size, ir.Constant(ir.FLOAT64, float("inf")))
    emitter.step_aside(builder.not_(finite))
    return Scalar(made, FLOAT)


def _math(name: str) -> OnNumbers:
    def emit(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
        return _library(emitter, name, [as_float(emitter, each) for each in scalars])

    return OnNumbers(lambda node: _on_numbers(node) and len(node.inputs) == 1, emit)


def _square_root(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    builder, value = emitter.builder, as_float(emitter, scalars[0])
    emitter.step_aside(builder.fcmp_unordered("<", value, ir.Constant(ir.FLOAT64, 0.0)))
    return Scalar(builder.intrinsic("sqrt", value), FLOAT)


def _size(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
    return Scalar(emitter.builder.intrinsic("fabs", as_float(emitter, scalars[0])), FLOAT)


def _test(instruction: str) -> OnNumbers:
    test = ELEMENTWISE[instruction].emit

    def emit(emitter: Emitter, node: Node, scalars: Scalars) -> Scalar:
        return Scalar(test(emitter.builder, FLOAT_DTYPE, as_float(emitter, scalars[0])), BOOL)

    return OnNumbers(_on_numbers, emit)


def _single(node: Node) -> bool:
    """From a tensor without dimensions."""
    types = [value.type for value in (*node.inputs, *node.outputs)]
    return all(isinstance(type, NumberType) or not getattr(type, "shape", 1) for type in types)


_ON_ONE_FLOAT = (
    "acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 expm1 sin sinh tan tanh"
)

PYTHON: dict[str, OnNumbers] = {
    "add": _arithmetic("sadd", "fadd"),
    "subtract": _arithmetic("ssub", "fsub"),
    "multiply": _arithmetic("smul", "fmul"),
    "true_divide": OnNumbers(_on_numbers, _true_divide),
    "floor_divide": OnNumbers(_on_numbers, _QUOTIENT),
    "remainder": OnNumbers(_on_numbers, _REST),
    "divmod": OnNumbers(_on_numbers, lambda *given: (_QUOTIENT(*given), _REST(*given))),
    "power": OnNumbers(_takes_power, _power),
    "shift_left": OnNumbers(_on_integers, _shift_left),
    "shift_right": OnNumbers(_on_integers, _shift_right),
    "bitwise_and": _bits("and_"),
    "bitwise_or": _bits("or_"),
    "bitwise_xor": _bits("xor"),
    "less": _comparison("<"),
    "less_equal": _comparison("<="),
    "greater": _comparison(">"),
    "greater_equal": _comparison(">="),
    "equal": _comparison("=="),
    "not_equal": _comparison("!="),
    "negative": OnNumbers(_on_numbers, _negative),
    "positive": OnNumbers(_on_numbers, _positive),
    "absolute": OnNumbers(_on_numbers, _absolute),
    "invert": OnNumbers(_on_integers, _invert),
    "logical_not": OnNumbers(_single, _not),
    "to_int": OnNumbers(_single, _to_int),
    "to_float": OnNumbers(_single, _to_float),
    "to_bool": OnNumbers(_single, _to_bool),
    "to_tensor": OnNumbers(_takes_to_tensor, _to_tensor),
    "from_end": OnNumbers(_on_integers, _from_end),
    "largest": _extreme(">"),
    "smallest": _extreme("<"),
    "range_length": OnNumbers(_on_integers, _range_length),
    "round": _rounded("roundeven"),
    "math.floor": _rounded("floor"),
    "math.ceil": _rounded("ceil"),
    "math.trunc": _rounded("trunc"),
    "math.sqrt": OnNumbers(_on_numbers, _square_root),
    "math.fabs": OnNumbers(_on_numbers, _size),
    **{f"math.{name}": _test(name) for name in ("isnan", "isinf", "isfinite")},
    **{f"math.{name}": _math(name) for name in _ON_ONE_FLOAT.split()},
}
