"""Numbers of the machine as expressions: `Lanes` writes LLVM IR where Python would compute.

A `Lanes` is one number or a vector of them; formulas are the same for both. Python numbers beside
it become constants of its type. Nothing is reordered or approximated: each operator is one IEEE
operation. Only `fma` and what is made of it differ between hosts, by one rounding.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from llvmlite import binding

from runtime.core.dataclasses import dataclass
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Builder

Number = int | float


@dataclass(frozen=True)
class Format:
    """A binary floating-point format: its LLVM type, and the bits of mantissa and exponent."""

    name: str
    type: Any
    width: int
    mantissa: int

    @property
    def bias(self) -> int:
        return (1 << (self.width - self.mantissa - 2)) - 1

    @property
    def tiny(self) -> float:
        """The smallest normal number."""
        return 2.0 ** (1 - self.bias)

    @property
    def magic(self) -> float:
        """Added to a number of moderate size, it leaves its nearest integer in the low bits."""
        return 1.5 * 2.0**self.mantissa

    def bits(self, value: float) -> int:
        """The bits of a number, as an unsigned integer."""
        layout = ("<d", "<Q") if self.width == 64 else ("<f", "<I")
        return int(struct.unpack(layout[1], struct.pack(layout[0], value))[0])


F64 = Format("f64", ir.FLOAT64, 64, 52)
F32 = Format("f32", ir.FLOAT32, 32, 23)


@cache
def has_fma() -> bool:
    """True where the host rounds a * b + c once in one instruction."""
    features = binding.get_host_cpu_features()
    return bool(features.get("fma")) or binding.get_default_triple().startswith(
        ("aarch64", "arm64")
    )


@cache
def has_scalef() -> bool:
    """True where the host multiplies 64 bytes of numbers by powers of two in one instruction."""
    return bool(binding.get_host_cpu_features().get("avx512f"))


@dataclass(frozen=True, eq=False)
class Lanes:
    """A value of LLVM, one number or a vector, with the operators of Python."""

    builder: Builder
    value: Any

    @property
    def element(self) -> Any:
        """The LLVM type of one number."""
        type = self.value.type
        return type.element if isinstance(type, ir.VectorType) else type

    @property
    def format(self) -> Format:
        return F64 if self.element == ir.FLOAT64 else F32

    @property
    def count(self) -> int:
        """The number of lanes; 0 for one number that is no vector."""
        type = self.value.type
        return type.count if isinstance(type, ir.VectorType) else 0

    @property
    def is_float(self) -> bool:
        return isinstance(self.element, ir.FloatType | ir.DoubleType)

    @property
    def known(self) -> Any:
        """The number that all lanes are known to be; None for what is known at run time."""
        if not isinstance(self.value, ir.Constant):
            return None
        given = self.value.constant
        numbers = set(given) if isinstance(given, list | tuple) else {given}
        return numbers.pop() if len(numbers) == 1 else None

    def typed(self, element: Any) -> Any:
        """The type of as many numbers of another kind."""
        return ir.VectorType(element, self.count) if self.count else element

    def constant(self, number: Number) -> Lanes:
        """This number in every lane."""
        given = float(number) if self.is_float else int(number)
        return self.made(ir.Constant(self.value.type, given))

    def made(self, value: Any) -> Lanes:
        return Lanes(self.builder, value)

    def _operand(self, other: Lanes | Number) -> Lanes:
        return other if isinstance(other, Lanes) else self.constant(other)

    def _binary(self, of_floats: str, of_ints: str, other: Lanes | Number) -> Lanes:
        method = getattr(self.builder, of_floats if self.is_float else of_ints)
        return self.made(method(self.value, self._operand(other).value))

    def __add__(self, other: Lanes | Number) -> Lanes:
        return self._binary("fadd", "add", other)

    def __sub__(self, other: Lanes | Number) -> Lanes:
        return self._binary("fsub", "sub", other)

    def __mul__(self, other: Lanes | Number) -> Lanes:
        return self._binary("fmul", "mul", other)

    def __truediv__(self, other: Lanes | Number) -> Lanes:
        return self._binary("fdiv", "sdiv", other)

    def __radd__(self, other: Number) -> Lanes:
        return self.constant(other) + self

    def __rsub__(self, other: Number) -> Lanes:
        return self.constant(other) - self

    def __rmul__(self, other: Number) -> Lanes:
        return self.constant(other) * self

    def __rtruediv__(self, other: Number) -> Lanes:
        return self.constant(other) / self

    def __neg__(self) -> Lanes:
        method = self.builder.fneg if self.is_float else self.builder.neg
        return self.made(method(self.value))

    def __and__(self, other: Lanes | Number) -> Lanes:
        return self.made(self.builder.and_(self.value, self._operand(other).value))

    def __or__(self, other: Lanes | Number) -> Lanes:
        return self.made(self.builder.or_(self.value, self._operand(other).value))

    def __xor__(self, other: Lanes | Number) -> Lanes:
        return self.made(self.builder.xor(self.value, self._operand(other).value))

    def __lshift__(self, count: Lanes | int) -> Lanes:
        return self.made(self.builder.shl(self.value, self._operand(count).value))

    def __rshift__(self, count: Lanes | int) -> Lanes:
        """Bits moved down, zeros moved in: no vector unit before AVX-512 moves signs of 64 bits."""
        return self.made(self.builder.lshr(self.value, self._operand(count).value))

    def __invert__(self) -> Lanes:
        return self.made(self.builder.not_(self.value))

    def _compared(self, sign: str, other: Lanes | Number) -> Lanes:
        right = self._operand(other).value
        if self.is_float:
            # True where one is NaN for != only, as in Python.
            unordered = sign == "!="
            method = self.builder.fcmp_unordered if unordered else self.builder.fcmp_ordered
        else:
            method = self.builder.icmp_signed
        return self.made(method(sign, self.value, right))

    def __lt__(self, other: Lanes | Number) -> Lanes:
        return self._compared("<", other)

    def __le__(self, other: Lanes | Number) -> Lanes:
        return self._compared("<=", other)

    def __gt__(self, other: Lanes | Number) -> Lanes:
        return self._compared(">", other)

    def __ge__(self, other: Lanes | Number) -> Lanes:
        return self._compared(">=", other)

    def equals(self, other: Lanes | Number) -> Lanes:
        return self._compared("==", other)

    def differs(self, other: Lanes | Number) -> Lanes:
        return self._compared("!=", other)

    def is_nan(self) -> Lanes:
        return self.made(self.builder.fcmp_unordered("uno", self.value, self.value))

    def bits(self) -> Lanes:
        """The same bits as integers."""
        kind = self.typed(ir.IntType(self.format.width))
        return self.made(self.builder.bitcast(self.value, kind))

    def floats(self, format: Format) -> Lanes:
        """The same bits as numbers of a format."""
        return self.made(self.builder.bitcast(self.value, self.typed(format.type)))

    def widened(self) -> Lanes:
        """float32 as float64, exactly."""
        return self.made(self.builder.fpext(self.value, self.typed(ir.FLOAT64)))

    def narrowed(self) -> Lanes:
        """float64 rounded to float32."""
        return self.made(self.builder.fptrunc(self.value, self.typed(ir.FLOAT32)))

    def extended(self, width: int) -> Lanes:
        """Integers with zeros before their bits."""
        return self.made(self.builder.zext(self.value, self.typed(ir.IntType(width))))

    def converted(self, format: Format) -> Lanes:
        """The numbers that signed integers are."""
        return self.made(self.builder.sitofp(self.value, self.typed(format.type)))

    def truncated(self, width: int) -> Lanes:
        """The low bits of integers."""
        return self.made(self.builder.trunc(self.value, self.typed(ir.IntType(width))))


def intrinsic(name: str, *operands: Lanes) -> Lanes:
    """A call of LLVM's function `name` of operands of one type, which is the result's."""
    first = operands[0]
    return first.made(first.builder.intrinsic(name, *[one.value for one in operands]))


def magnitude(x: Lanes) -> Lanes:
    return intrinsic("fabs", x)


def square_root(x: Lanes) -> Lanes:
    return intrinsic("sqrt", x)


def with_sign(x: Lanes, sign: Lanes) -> Lanes:
    """The magnitude of x with the sign of another, zeros and NaN's included."""
    return intrinsic("copysign", x, sign)


def fma(a: Lanes, b: Lanes | Number, c: Lanes | Number) -> Lanes:
    """a * b + c, rounded once where the host can, else twice."""
    return intrinsic("fmuladd", a, a._operand(b), a._operand(c))


def where(mask: Lanes, a: Lanes | Number, b: Lanes | Number) -> Lanes:
    """In each lane, a where the mask is true, else b; one of them is no Python number."""
    if isinstance(a, Lanes):
        chosen, other = a, a._operand(b)
    else:
        assert isinstance(b, Lanes)
        chosen, other = b.constant(a), b
    return chosen.made(mask.builder.select(mask.value, chosen.value, other.value))


def at_most(x: Lanes, bound: float) -> Lanes:
    """x, where it is larger the bound; NaN stays."""
    return where(x > bound, bound, x)


def at_least(x: Lanes, bound: float) -> Lanes:
    """x, where it is smaller the bound; NaN stays."""
    return where(x < bound, bound, x)


def polynomial(coefficients: Sequence[float], x: Lanes) -> Lanes:
    """The polynomial with these coefficients, the lowest power first, by Horner's rule."""
    *rest, highest = coefficients
    total = x.constant(highest)
    for coefficient in reversed(rest):
        total = fma(total, x, coefficient)
    return total


# A pair is an unevaluated sum of two numbers, the second at most a rounding error of the first
# (T. J. Dekker, A floating-point technique for extending the available precision, 1971).
Pair = tuple[Lanes, Lanes]


def two_sum(a: Lanes, b: Lanes) -> Pair:
    """a + b exactly, whatever their sizes (D. E. Knuth)."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)


def quick_two_sum(a: Lanes, b: Lanes) -> Pair:
    """a + b exactly, where a is not the smaller one."""
    total = a + b
    return total, b - (total - a)


def two_product(a: Lanes, b: Lanes) -> Pair:
    """a * b exactly, where nothing overflows."""
    product = a * b
    if has_fma():
        return product, intrinsic("fma", a, b, -product)
    a_head, a_tail = _halves(a)
    b_head, b_tail = _halves(b)
    error = ((a_head * b_head - product) + a_head * b_tail + a_tail * b_head) + a_tail * b_tail
    return product, error


def _halves(x: Lanes) -> Pair:
    """x as a sum of two numbers with half of its digits each (G. W. Veltkamp)."""
    scaled = x * (2.0 ** ((x.format.mantissa + 2) // 2) + 1.0)
    head = scaled - (scaled - x)
    return head, x - head


def pair_product(a: Pair, b: Pair) -> Pair:
    """The product of two pairs, good to nearly twice the digits."""
    product, error = two_product(a[0], b[0])
    return quick_two_sum(product, fma(a[0], b[1], fma(a[1], b[0], error)))


def pair_sum(a: Pair, b: Pair) -> Pair:
    """The sum of two pairs, the first of which is not the smaller one."""
    total, error = quick_two_sum(a[0], b[0])
    return quick_two_sum(total, error + (a[1] + b[1]))


def power_of_two(biased: Lanes, format: Format) -> Lanes:
    """2 ** (biased - bias), for integers between 0 (which gives 0) and twice the bias."""
    return (biased << format.mantissa).floats(format)


def scaled(x: Lanes, shifted: Lanes) -> Lanes:
    """x * 2 ** n, rounded once, for `shifted` of n + magic."""
    format = x.format
    if has_scalef() and x.count * format.width >= 512:
        return x.made(_by_scalef(x.builder, x.value, (shifted - format.magic).value))
    biased = shifted.bits() - (format.bits(format.magic) - 2 * format.bias)
    # Of two factors only the second rounds, and may overflow.
    half = biased >> 1
    return x * power_of_two(half, format) * power_of_two(biased - half, format)


AS_SET = 4
"""The rounding mode that the processor is in."""


def _by_scalef(builder: Builder, x: Any, n: Any) -> Any:
    """x * 2 ** n by the instruction of AVX-512, one register at a time."""
    type = x.type
    name, count = ("pd", 8) if type.element == ir.FLOAT64 else ("ps", 16)
    if type.count > count:
        pairs = zip(builder.halves(x), builder.halves(n), strict=True)
        return builder.joined(*[_by_scalef(builder, *pair) for pair in pairs])
    mask, rounding = ir.Constant(ir.IntType(count), -1), ir.Constant(ir.INT32, AS_SET)
    name = f"llvm.x86.avx512.mask.scalef.{name}.512"
    return builder.call_named(name, type, x, n, x, mask, rounding)


Rare = Callable[[], Sequence[Lanes]]


def rarely(mask: Lanes, usual: Sequence[Lanes], rare: Rare) -> list[Lanes]:
    """The usual values, and in the lanes where the mask is true the rare ones, whose code stands
    out of line: where no lane needs it, it costs a test.

    The code that is written next stands in another block than the code before.
    """
    builder = mask.builder
    before, function = builder.block, builder.function
    aside, after = function.append_basic_block("rare"), function.append_basic_block("after")
    builder.cbranch(builder.any_of(mask.value), aside, after, (1, 2000))
    builder.position_at_end(aside)
    pairs = zip(rare(), usual, strict=True)
    chosen = [where(mask, found, value) for found, value in pairs]
    aside = builder.block
    builder.branch(after)
    builder.position_at_end(after)
    results = []
    for found, value in zip(chosen, usual, strict=True):
        result = builder.phi(value.value.type)
        result.add_incoming(value.value, before)
        result.add_incoming(found.value, aside)
        results.append(value.made(result))
    return results


Single = Callable[..., Sequence[Lanes]]


def by_lane(
    name: str, single: Single, elements: Sequence[Any], operands: Sequence[Lanes]
) -> list[Lanes]:
    """The results of `single` for the numbers of each lane, which are of the types `elements`: by a
    loop, in a function of this name that the module has once.
    """
    first = operands[0]
    builder, count = first.builder, first.count
    if not count:
        return list(single(*operands))
    name = f"lanes.{name}.{count}"
    function = builder.module.globals.get(name)
    if function is None:
        function = _loop_of_lanes(builder.module, name, single, elements, operands)
    made = builder.call(function, [one.value for one in operands])
    size = len(made.type.elements)
    return [first.made(builder.extract_value(made, at)) for at in range(size)]


def _loop_of_lanes(
    module: Any, name: str, single: Single, elements: Sequence[Any], operands: Sequence[Lanes]
) -> Any:
    """The function, which returns a structure of vectors."""
    types = [one.value.type for one in operands]
    count = operands[0].count
    results = [ir.VectorType(element, count) for element in elements]
    type = ir.LiteralStructType(results)
    function = ir.Function(module, ir.FunctionType(type, types), name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    entry, loop, end = [function.append_basic_block(label) for label in ("entry", "loop", "end")]
    builder = Builder(entry)
    builder.branch(loop)
    builder.position_at_end(loop)
    index = builder.phi(ir.INT32)
    totals = [builder.phi(result) for result in results]
    given = [Lanes(builder, builder.extract_element(one, index)) for one in function.args]
    filled = [
        builder.insert_element(total, found.value, index)
        for total, found in zip(totals, single(*given), strict=True)
    ]
    following = builder.add(index, ir.Constant(index.type, 1))
    index.add_incoming(ir.Constant(index.type, 0), entry)
    index.add_incoming(following, builder.block)
    for total, value in zip(totals, filled, strict=True):
        total.add_incoming(ir.Constant(total.type, ir.Undefined), entry)
        total.add_incoming(value, builder.block)
    more = builder.icmp_unsigned("<", following, ir.Constant(index.type, count))
    builder.cbranch(more, loop, end)
    builder.position_at_end(end)
    made: ir.Value = ir.Constant(type, ir.Undefined)
    for at, value in enumerate(filled):
        made = builder.insert_value(made, value, at)
    builder.ret(made)
    return function
