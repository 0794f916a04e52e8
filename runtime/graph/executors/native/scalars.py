"""Instructions on elements that need no functions of mathematics: arithmetic, comparisons, logic,
bits and conversions, for single numbers and for vectors of them.

Each rounds once, as NumPy's does. Integers wrap around.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.dtypes import DType
from runtime.graph.executors.native import halves, ir
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.lowering_rules import BY_NUMBER, ELEMENTWISE, Elementwise, Emit
from runtime.graph.executors.native.math import arithmetic
from runtime.graph.executors.native.math.lanes import Lanes
from runtime.graph.executors.native.values import is_half, register, width
from runtime.graph.ir import Node


def is_vector(value: ir.Value) -> bool:
    """True for a vector of elements."""
    return isinstance(value.type, ir.VectorType)


def _plain(on_integers: str, on_floats: str) -> Emit:
    """An instruction of two operands that LLVM has for both kinds."""

    def emit(builder: Builder, dtype: DType, *operands: ir.Value) -> ir.Value:
        name = on_floats if dtype.is_floating else on_integers
        made: ir.Value = getattr(builder, name)(*operands)
        return made

    return emit


def _direct(name: str) -> Emit:
    return lambda builder, dtype, *operands: getattr(builder, name)(*operands)


def _rounding(name: str) -> Emit:
    def emit(builder: Builder, dtype: DType, x: ir.Value) -> ir.Value:
        return builder.intrinsic(name, x) if dtype.is_floating else x

    return emit


def compared(
    builder: Builder, sign: str, dtype: DType, first: ir.Value, second: ir.Value
) -> ir.Value:
    """A comparison, which is false beside nan; unequal is true."""
    if dtype.is_floating:
        compare = builder.fcmp_unordered if sign == "!=" else builder.fcmp_ordered
        return compare(sign, first, second)
    if dtype.is_unsigned or dtype.is_bool:
        return builder.icmp_unsigned(sign, first, second)
    return builder.icmp_signed(sign, first, second)


def comparison(sign: str) -> Emit:
    """The instruction of a comparison."""

    def emit(builder: Builder, dtype: DType, first: ir.Value, second: ir.Value) -> ir.Value:
        if sign in ("==", "!=") and set(_numbers(second)) == {0}:
            # A rest that is zero is so before it has its sign.
            first = getattr(first, "zero_with", first)
        return compared(builder, sign, dtype, first, second)

    return emit


def _negative(builder: Builder, dtype: DType, x: ir.Value) -> ir.Value:
    return builder.fneg(x) if dtype.is_floating else builder.neg(x)


def _absolute(builder: Builder, dtype: DType, x: ir.Value) -> ir.Value:
    if dtype.is_floating:
        return builder.intrinsic("fabs", x)
    if dtype.is_unsigned or dtype.is_bool:
        return x
    negative = builder.icmp_signed("<", x, ir.Constant(x.type, 0))
    return builder.select(negative, builder.neg(x), x)


def _square(builder: Builder, dtype: DType, x: ir.Value) -> ir.Value:
    return builder.fmul(x, x) if dtype.is_floating else builder.mul(x, x)


def _sign(builder: Builder, dtype: DType, x: ir.Value) -> ir.Value:
    zero, one = ir.Constant(x.type, 0), ir.Constant(x.type, 1)
    above = compared(builder, ">", dtype, x, zero)
    found = builder.select(above, one, zero)
    if dtype.is_unsigned:
        return found
    below = compared(builder, "<", dtype, x, zero)
    found = builder.select(below, ir.Constant(x.type, -1), found)
    if dtype.is_floating:
        found = builder.select(builder.fcmp_unordered("uno", x, x), x, found)
    return found


def _extreme(sign: str) -> Emit:
    """The larger or the smaller; nan where either is. Of zeros the second, as NumPy does; of those
    of float16 the first.
    """

    def emit(builder: Builder, dtype: DType, first: ir.Value, second: ir.Value) -> ir.Value:
        taken = compared(builder, sign + "=" * (dtype.name == "float16"), dtype, first, second)
        if dtype.is_floating:
            taken = builder.or_(taken, builder.fcmp_unordered("uno", first, first))
        return builder.select(taken, first, second)

    return emit


def _is_nan(builder: Builder, dtype: DType, x: ir.Value) -> ir.Value:
    return builder.fcmp_unordered("uno", x, x)


def _against_infinity(sign: str) -> Emit:
    def emit(builder: Builder, dtype: DType, x: ir.Value) -> ir.Value:
        size = builder.intrinsic("fabs", x)
        return builder.fcmp_ordered(sign, size, ir.Constant(size.type, float("inf")))

    return emit


def _floor_divide(builder: Builder, dtype: DType, first: ir.Value, second: ir.Value) -> ir.Value:
    if dtype.is_floating:
        return divided(builder, first, second)[0]
    return quotient(builder, dtype, first, second)


def _remainder(builder: Builder, dtype: DType, first: ir.Value, second: ir.Value) -> ir.Value:
    if dtype.is_floating:
        return divided(builder, first, second)[1]
    return rest(builder, dtype, first, second)


def quotient(builder: Builder, dtype: DType, first: ir.Value, second: ir.Value) -> ir.Value:
    """The quotient of integers, rounded down. The divisor is not zero; the least number by -1 wraps
    around.
    """
    if dtype.is_unsigned:
        return builder.udiv(first, second)
    places = _power_of_two(second)
    if places is not None:
        return builder.ashr(first, ir.Constant(first.type, places))
    divisor, inverse = _divisor(builder, second)
    _, wrong = _rest(builder, first, divisor)
    down = builder.sub(builder.sdiv(first, divisor), builder.zext(wrong, first.type))
    if inverse is None:
        return down
    return builder.select(inverse, builder.neg(first), down)


def rest(builder: Builder, dtype: DType, first: ir.Value, second: ir.Value) -> ir.Value:
    """The rest of a quotient that is rounded down, with the divisor's sign."""
    if dtype.is_unsigned:
        return builder.urem(first, second)
    places = _power_of_two(second)
    if places is not None:
        return builder.and_(first, ir.Constant(first.type, (1 << places) - 1))
    divisor, _ = _divisor(builder, second)
    left, wrong = _rest(builder, first, divisor)
    moved = builder.select(wrong, builder.add(left, divisor), left)
    moved.zero_with = left
    return moved


def _divisor(builder: Builder, second: ir.Value) -> tuple[ir.Value, ir.Value | None]:
    """The divisor, with 1 in the place of -1, and whether it was that: of the least number and -1
    the machine makes a fault, but -x is x * -1, and nothing is left.
    """
    if _is_positive(second):
        return second, None
    inverse = builder.icmp_signed("==", second, ir.Constant(second.type, -1))
    return builder.select(inverse, ir.Constant(second.type, 1), second), inverse


def _rest(builder: Builder, first: ir.Value, divisor: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The rest of the machine's quotient, and whether it is of the wrong sign."""
    left, zero = builder.srem(first, divisor), ir.Constant(first.type, 0)
    if _is_positive(divisor):
        return left, builder.icmp_signed("<", left, zero)
    differs = builder.icmp_signed("<", builder.xor(left, divisor), zero)
    return left, builder.and_(differs, builder.icmp_signed("!=", left, zero))


def _numbers(value: ir.Value) -> list[Any]:
    """The numbers in a constant; none of what is known at run time only."""
    if not isinstance(value, ir.Constant):
        return []
    given = value.constant
    return list(given) if isinstance(given, list | tuple) else [given]


def _is_positive(value: ir.Value) -> bool:
    numbers = _numbers(value)
    return bool(numbers) and all(isinstance(each, int) and each > 0 for each in numbers)


def _power_of_two(value: ir.Value) -> int | None:
    """The exponent, where the value is a constant power of two."""
    numbers = set(_numbers(value))
    number = numbers.pop() if len(numbers) == 1 else 0
    is_power = isinstance(number, int) and number > 0 and not number & (number - 1)
    return number.bit_length() - 1 if is_power else None


def divided(builder: Builder, first: ir.Value, second: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Quotient, rounded down, and rest of floats, with the divisor's sign, as Python and NumPy
    compute them; by zero, first / second and nan.
    """
    quotient, rest = arithmetic.divided(Lanes(builder, first), Lanes(builder, second))
    return quotient.value, rest.value


def _by_zero(builder: Builder, dtype: DType, _: ir.Value, second: ir.Value) -> ir.Value:
    return builder.icmp_unsigned("==", second, ir.Constant(second.type, 0))


def _by_negative(builder: Builder, dtype: DType, _: ir.Value, second: ir.Value) -> ir.Value:
    return builder.icmp_signed("<", second, ir.Constant(second.type, 0))


def _shift(name: str, *, bounded: bool) -> Emit:
    """A shift. Counts are bounded by the width, or shift all bits out beyond it."""

    def emit(builder: Builder, dtype: DType, x: ir.Value, count: ir.Value) -> ir.Value:
        zero, most = ir.Constant(x.type, 0), ir.Constant(x.type, 8 * dtype.size - 1)
        is_signed = not dtype.is_unsigned
        if bounded and is_signed:
            count = builder.select(builder.icmp_signed("<", count, zero), zero, count)
        beyond = builder.icmp_unsigned(">", count, most)
        shift = builder.shl if name == "left" else builder.ashr if is_signed else builder.lshr
        made = shift(x, builder.select(beyond, most, count))
        if bounded or (name == "right" and is_signed):
            return made
        return builder.select(beyond, zero, made)

    return emit


def _copy(builder: Builder, dtype: DType, x: ir.Value) -> ir.Value:
    return x


def cast(builder: Builder, value: ir.Value, source: DType, target: DType) -> ir.Value:
    """The value as one of another dtype. Floats on the way to integers must be in their range:
    `cast_refuses` tells where they are not.
    """
    if source is target:
        return value
    type = halves.like(value, register(target))
    if target.is_bool:
        return compared(builder, "!=", source, value, ir.Constant(value.type, 0))
    if source.is_floating:
        if target.is_floating:
            if is_half(target) and source.size == 8:
                return halves.from_double(builder, value, target)
            if value.type == type:
                return halves.rounded(builder, value, target)
            narrower = target.size < source.size
            return builder.fptrunc(value, type) if narrower else builder.fpext(value, type)
        convert = builder.fptoui if target.is_unsigned else builder.fptosi
        return convert(value, type)
    is_unsigned = source.is_unsigned or source.is_bool
    if target.is_floating:
        convert = builder.uitofp if is_unsigned else builder.sitofp
        return halves.rounded(builder, convert(value, type), target)
    if value.type == type:
        return value
    if target.size < source.size:
        return builder.trunc(value, type)
    return builder.zext(value, type) if is_unsigned else builder.sext(value, type)


def cast_refuses(
    builder: Builder, value: ir.Value, source: DType, target: DType
) -> ir.Value | None:
    """The places where a float is out of the range of an integer: what becomes of it is the
    machine's choice. None if none can be.
    """
    if not (source.is_floating and target.is_integer):
        return None
    low, high = float(int(target.min)), float(int(target.max) + 1)
    # -128.9 is -128, but below -2**63 there is nothing in between.
    above = (">", low - 1.0) if low - 1.0 != low and target.size < width(source) else (">=", low)
    inside = builder.fcmp_ordered(above[0], value, ir.Constant(value.type, above[1]))
    below = builder.fcmp_ordered("<", value, ir.Constant(value.type, high))
    return builder.not_(builder.and_(inside, below))


_DEFINED: dict[str, tuple[str, Emit] | tuple[str, Emit, Emit]] = {
    "add": ("iuf", _plain("add", "fadd")),
    "subtract": ("iuf", _plain("sub", "fsub")),
    "multiply": ("iuf", _plain("mul", "fmul")),
    "divide": ("f", _direct("fdiv")),
    "negative": ("iuf", _negative),
    "absolute": ("iuf", _absolute),
    "square": ("iuf", _square),
    "sign": ("iuf", _sign),
    "sqrt": ("f", lambda builder, dtype, x: builder.intrinsic("sqrt", x)),
    "floor": ("iuf", _rounding("floor")),
    "ceil": ("iuf", _rounding("ceil")),
    "rint": ("iuf", _rounding("rint")),
    "trunc": ("iuf", _rounding("trunc")),
    "maximum": ("iuf", _extreme(">")),
    "minimum": ("iuf", _extreme("<")),
    "equal": ("biuf", comparison("==")),
    "not_equal": ("biuf", comparison("!=")),
    "less": ("biuf", comparison("<")),
    "less_equal": ("biuf", comparison("<=")),
    "greater": ("biuf", comparison(">")),
    "greater_equal": ("biuf", comparison(">=")),
    "logical_and": ("b", _direct("and_")),
    "logical_or": ("b", _direct("or_")),
    "logical_xor": ("b", _direct("xor")),
    "logical_not": ("b", _direct("not_")),
    "bitwise_and": ("biu", _direct("and_")),
    "bitwise_or": ("biu", _direct("or_")),
    "bitwise_xor": ("biu", _direct("xor")),
    "invert": ("iu", _direct("not_")),
    "isnan": ("f", _is_nan),
    "isinf": ("f", _against_infinity("==")),
    "isfinite": ("f", _against_infinity("<")),
    "bounded_shift_left": ("iu", _shift("left", bounded=True)),
    "bounded_shift_right": ("iu", _shift("right", bounded=True)),
    "copy": ("biuf", _copy),
    # The first operand is a truth value; the dtype is that of the others.
    "select": ("biuf", _direct("select")),
    "floor_divide": ("iuf", _floor_divide, _by_zero),
    "remainder": ("iuf", _remainder, _by_zero),
    "shift_left": ("iu", _shift("left", bounded=False), _by_negative),
    "shift_right": ("iu", _shift("right", bounded=False), _by_negative),
}
ELEMENTWISE.update({name: Elementwise(*fields) for name, fields in _DEFINED.items()})


def _clip(builder: Builder, dtype: DType, x: ir.Value, low: ir.Value, high: ir.Value) -> ir.Value:
    """Of zeros the operand, not the bound, as the kernel has it."""
    for name, bound in (("minimum", high), ("maximum", low)):
        pair = [x, bound] if dtype.name == "float16" else [bound, x]
        x = ELEMENTWISE[name].emit(builder, dtype, *pair)
    return x


def _has_channels(node: Node) -> bool:
    """Whether a bias is known to have as many elements as the last axis."""
    shapes = [getattr(value.type, "shape", None) for value in node.inputs]
    return not node.params["second"] and None not in shapes and shapes[0][-1:] == shapes[1]  # type: ignore[index]


ELEMENTWISE["clip"] = Elementwise("iuf", _clip)
ELEMENTWISE["bias_add"] = Elementwise("iuf", ELEMENTWISE["add"].emit, takes=_has_channels)


def _power(of_floats: Emit) -> Emit:
    """Of integers by squares: a round for each bit of the exponent, or of one that is known."""

    def emit(builder: Builder, dtype: DType, square: ir.Value, exponent: ir.Value) -> ir.Value:
        if dtype.is_floating:
            return of_floats(builder, dtype, square, exponent)
        zero = ir.Constant(square.type, 0)
        made: ir.Value = ir.Constant(square.type, 1)
        known = exponent.constant
        bits = 8 * dtype.size - (not dtype.is_unsigned) if known is None else known.bit_length()
        for bit in range(bits):
            square = builder.mul(square, square) if bit else square
            if known is None:
                own = builder.and_(exponent, ir.Constant(square.type, 1 << bit))
                is_set = builder.icmp_unsigned("!=", own, zero)
                made = builder.select(is_set, builder.mul(made, square), made)
            elif known >> bit & 1:
                made = builder.mul(made, square)
        return made

    return emit


for _name in ("power", "power" + BY_NUMBER):
    ELEMENTWISE[_name] = Elementwise("iuf", _power(ELEMENTWISE[_name].emit), _by_negative)

EXACT = frozenset(_DEFINED)
"""Instructions whose results are NumPy's bit by bit."""


def refuses_any(
    builder: Builder, instruction: Elementwise, dtype: DType, operands: Sequence[ir.Value]
) -> ir.Value | None:
    """One bit that tells whether the instruction refuses any of its operands; None if it takes
    them all.
    """
    if instruction.refuses is None or dtype.is_floating:
        return None
    if dtype.is_unsigned and instruction.refuses is _by_negative:
        return None
    if not is_vector(operands[-1]) and (operands[-1].constant or 0) > 0:
        return None
    return builder.any_of(instruction.refuses(builder, dtype, *operands))
