"""Dividing floating-point numbers, to the bit as NumPy does, and what is made of arithmetic."""

from __future__ import annotations

from runtime.graph.executors.native import ir
from runtime.graph.executors.native.math.lanes import (
    F32,
    Lanes,
    by_lane,
    has_fma,
    intrinsic,
    magnitude,
    rarely,
    square_root,
    two_product,
    where,
    with_sign,
)


def rsqrt(x: Lanes) -> Lanes:
    """Two roundings, as the quotient of 1 and the root has them."""
    return 1.0 / square_root(x)


def _rest(x: Lanes, y: Lanes) -> Lanes:
    """x - n * y, with n the quotient towards zero: what C's fmod gives, exactly."""
    quotient = x / y
    n = intrinsic("trunc", quotient)
    # A quotient that is rounded up to an integer leaves a rest of the other sign.
    rest = _minus_product(x, n, y)
    is_over = (rest * with_sign(x.constant(1.0), x)) < 0.0
    rest = where(is_over, rest + with_sign(y, x), rest)
    rest = with_sign(where(n.equals(0.0), x, rest), x)
    is_large = ~(magnitude(quotient) < 2.0 ** (x.format.mantissa - 2))
    name = f"fmod.{x.format.name}"
    return rarely(is_large, [rest], lambda: by_lane(name, _fmod, [x.element], [x, y]))[0]


def _fmod(x: Lanes, y: Lanes) -> list[Lanes]:
    """The C library's function, which is exact, and exact for float32 as well."""
    is_single = x.format is F32
    a, b = (x.widened(), y.widened()) if is_single else (x, y)
    found = x.made(x.builder.call_named("fmod", ir.FLOAT64, a.value, b.value))
    return [found.narrowed() if is_single else found]


def _minus_product(x: Lanes, a: Lanes, b: Lanes) -> Lanes:
    """x - a * b, where the result is a number that needs no rounding."""
    if has_fma():
        return intrinsic("fma", -a, b, x)
    product, error = two_product(a, b)
    return (x - product) - error


def divided(x: Lanes, y: Lanes) -> tuple[Lanes, Lanes]:
    """The quotient rounded down, and the rest with the sign of y, as NumPy computes both. By 0 they
    are x / y and NaN.
    """
    rest = _rest(x, y)
    quotient = (x - rest) / y
    is_other = (rest < 0.0) ^ (y < 0.0)
    is_moved = rest.differs(0.0) & is_other
    quotient = where(is_moved, quotient - 1.0, quotient)
    moved = where(is_moved, rest + y, rest)
    whole = intrinsic("floor", quotient)
    whole = where(quotient - whole > 0.5, whole + 1.0, whole)
    plain = x / y
    whole = where(quotient.equals(0.0), with_sign(x.constant(0.0), plain), whole)
    whole = where(y.equals(0.0), plain, whole)
    zero = with_sign(x.constant(0.0), y)
    return whole, where(rest.equals(0.0), zero, moved)


def reciprocal(x: Lanes) -> Lanes:
    return 1.0 / x


def squared_difference(x: Lanes, y: Lanes) -> Lanes:
    difference = x - y
    return difference * difference


def div_no_nan(x: Lanes, y: Lanes) -> Lanes:
    """x / y, and 0 where y is 0."""
    return where(y.equals(0.0), 0.0, x / y)


def mul_no_nan(x: Lanes, y: Lanes) -> Lanes:
    """x * y, and 0 where y is 0."""
    return where(y.equals(0.0), 0.0, x * y)


def xdivy(x: Lanes, y: Lanes) -> Lanes:
    """x / y, and 0 where x is 0."""
    return where(x.equals(0.0), 0.0, x / y)


def softsign(x: Lanes) -> Lanes:
    return x / (magnitude(x) + 1.0)


def relu(x: Lanes) -> Lanes:
    return where(x < 0.0, 0.0, x)


def leaky_relu(x: Lanes, slope: Lanes) -> Lanes:
    return where(x > 0.0, x, x * slope)


def relu6(x: Lanes) -> Lanes:
    return where(x < 0.0, 0.0, where(x > 6.0, 6.0, x))


def relu_grad(gradient: Lanes, y: Lanes) -> Lanes:
    """A product, as the kernel has it: NaN for what is infinite where y is not above 0."""
    return gradient * where(y > 0.0, y.constant(1.0), 0.0)
