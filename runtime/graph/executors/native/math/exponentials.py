"""Exponentials and logarithms, and what is made of them.

Exponentials: J. M. Muller, Elementary Functions (3rd edition, 2016), additive range reduction with
two parts of log(2). Logarithms: the series of atanh in f / (2 + f), arranged to lose nothing, as
in P. T. P. Tang, Table-driven implementation of the logarithm function (1990), and FreeBSD's msun.
Powers: the same with pairs of numbers, which carry 15 more bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from runtime.graph.executors.native.math.coefficients import (
    DOUBLES,
    LOGARITHM_AFTER,
    SINGLES,
    Coefficients,
)
from runtime.graph.executors.native.math.lanes import (
    F64,
    Format,
    Lanes,
    Pair,
    at_least,
    at_most,
    fma,
    intrinsic,
    magnitude,
    pair_product,
    pair_sum,
    polynomial,
    power_of_two,
    quick_two_sum,
    scaled,
    square_root,
    two_product,
    two_sum,
    where,
    with_sign,
)

INFINITY, NAN = math.inf, math.nan


class Limits(NamedTuple):
    """Of one format: log(2) in two parts, the first with few enough digits that its products with
    exponents are exact; and the arguments beyond which exp is infinite, and 0.
    """

    ln2: float
    ln2_rest: float
    highest: float
    lowest: float


LIMITS = {
    64: Limits(0x162E42FEFA / 2**37, float.fromhex("0x1.cf79abc9e3b3ap-40"), 710.8, -747.0),
    32: Limits(0x162E4 / 2**17, float.fromhex("0x1.7f7d1cp-20"), 89.7, -105.0),
}


def coefficients(format: Format) -> Coefficients:
    return DOUBLES if format is F64 else SINGLES


class Reduced(NamedTuple):
    """exp(x) as (1 + part) * 2 ** n; `shifted` is n + magic, which has n in its low bits."""

    part: Lanes
    shifted: Lanes

    def scale(self, shift: int = 0) -> Lanes:
        """2 ** (n - shift), where that is a normal number."""
        format = self.part.format
        biased = self.shifted.bits() - (format.bits(format.magic) - format.bias + shift)
        return power_of_two(biased, format)


def _reduced(x: Lanes, low: Lanes | None = None) -> Reduced:
    """exp(x + low), for x within the limits of its format, and low a rounding error of it."""
    format, limits = x.format, LIMITS[x.format.width]
    shifted = fma(x, 1 / math.log(2), format.magic)
    n = shifted - format.magic
    head = fma(n, -limits.ln2, x)
    error = n * -limits.ln2_rest
    if low is not None:
        error = low + error
    r, error = quick_two_sum(head, error)
    square = r * r
    part = r + fma(square, polynomial(coefficients(format).exponential, r), error)
    return Reduced(part, shifted)


def _roughly_reduced(x: Lanes) -> Reduced:
    """The same without the rounding error of the reduced argument."""
    format, limits = x.format, LIMITS[x.format.width]
    shifted = fma(x, 1 / math.log(2), format.magic)
    n = shifted - format.magic
    r = fma(n, -limits.ln2_rest, fma(n, -limits.ln2, x))
    return Reduced(fma(r * r, polynomial(coefficients(format).exponential, r), r), shifted)


def _tanh_part(size: Lanes) -> Lanes:
    """exp(2 size) - 1 for what is not large: errors of the reduced argument are little beside 1."""
    reduced = _roughly_reduced(size + size)
    scale = reduced.scale()
    return fma(reduced.part, scale, scale - 1.0)


def _within(x: Lanes) -> Lanes:
    limits = LIMITS[x.format.width]
    return at_least(at_most(x, limits.highest), limits.lowest)


def exp(x: Lanes) -> Lanes:
    part, shifted = _reduced(_within(x))
    return scaled(part + 1.0, shifted)


def exp_of_difference(x: Lanes) -> Lanes:
    """exp(x) of what is not positive, and is rounded by more than is left out here."""
    part, shifted = _roughly_reduced(at_least(x, LIMITS[x.format.width].lowest))
    return scaled(part + 1.0, shifted)


def exp_of_pair(x: Pair, factor: Lanes | None = None) -> Lanes:
    """exp of a pair, times a factor of moderate size, without rounding in between."""
    inside = _within(x[0])
    low = where(inside.equals(x[0]), x[1], 0.0)
    part, shifted = _reduced(inside, low)
    value = part + 1.0
    return scaled(value if factor is None else value * factor, shifted)


def _half_exp(x: Lanes) -> Lanes:
    """exp(x) / 2, which overflows where it does."""
    part, shifted = _reduced(_within(x))
    return scaled(part + 1.0, shifted - 1.0)


def expm1_over(x: Lanes, shift: int = 0) -> Lanes:
    """(exp(x) - 1) / 2 ** shift, for x within the limits, and not below -log(2) times the number of
    digits and some. A shift of 2 serves where the largest numbers, or the smallest, are near.
    """
    reduced = _reduced(x)
    scale = reduced.scale(shift)
    return fma(reduced.part, scale, scale - 2.0**-shift)


def lowest_expm1(format: Format) -> float:
    """The argument below which exp(x) - 1 is -1."""
    return -(format.mantissa + 3) * math.log(2)


def _half_expm1(x: Lanes) -> Lanes:
    """(exp(x) - 1) / 2, for what is not tiny."""
    limits = LIMITS[x.format.width]
    quarter = expm1_over(at_least(at_most(x, limits.highest), lowest_expm1(x.format)), 2)
    return quarter + quarter


def expm1(x: Lanes) -> Lanes:
    half = _half_expm1(x)
    return _or_tiny(x, half + half)


def elu(x: Lanes) -> Lanes:
    return where(x > 0.0, x, expm1(x))


def _or_tiny(x: Lanes, y: Lanes) -> Lanes:
    """y, and x itself where x is so small that f(x) rounds to it: zeros keep their sign."""
    return where(magnitude(x) < 2.0 ** (-x.format.mantissa - 2), x, y)


class Split(NamedTuple):
    """A positive number as (1 + fraction) * 2 ** exponent, with the fraction around 0; and the
    exponent of what is not smaller than the smallest normal number, as its bits have it.
    """

    fraction: Lanes
    exponent: Lanes
    biased: Lanes


def _split(x: Lanes) -> Split:
    """Of a positive number that is finite."""
    format = x.format
    small = x < format.tiny
    scaled = where(small, x * 2.0 ** (format.mantissa + 2), x)
    root, one = format.bits(math.sqrt(0.5)), format.bits(1.0)
    moved = scaled.bits() + (one - root)
    biased = moved >> format.mantissa
    mantissa = ((moved & ((1 << format.mantissa) - 1)) + root).floats(format)
    # An integer in the low bits of a power of two is that much more than it.
    base = 2.0**format.mantissa
    exponent = (biased + format.bits(base)).floats(format)
    bias = base + format.bias
    exponent = exponent - where(small, x.constant(bias + format.mantissa + 2), bias)
    return Split(mantissa - 1.0, exponent, biased)


def _log_of(fraction: Lanes, exponent: Lanes) -> Lanes:
    """log((1 + fraction) * 2 ** exponent)."""
    limits = LIMITS[fraction.format.width]
    s = fraction / (fraction + 2.0)
    z = s * s
    series = z * polynomial(coefficients(fraction.format).logarithm, z)
    half_square = 0.5 * fraction * fraction
    # log(1 + f) is f - f * f / 2 + s * (f * f / 2 + series)
    rest = fma(s, half_square + series, exponent * limits.ln2_rest)
    return fma(exponent, limits.ln2, fraction - (half_square - rest))


def _log_beyond(x: Lanes, y: Lanes) -> Lanes:
    """y, the logarithm of x, and the logarithms of what is not positive and finite."""
    y = where(x.equals(INFINITY), INFINITY, y)
    return where(x > 0.0, y, where(x.equals(0.0), x.constant(-INFINITY), NAN))


def log(x: Lanes) -> Lanes:
    split = _split(x)
    return _log_beyond(x, _log_of(split.fraction, split.exponent))


def log1p(x: Lanes) -> Lanes:
    """log(1 + x), with the rounding error of the sum added to the fraction."""
    format = x.format
    total, error = two_sum(x.constant(1.0), x)
    split = _split(total)
    # Twice 2 ** -exponent, which is a number for each exponent.
    scale = power_of_two(2 * format.bias + 1 - split.biased, format)
    fraction = fma(error * 0.5, scale, split.fraction)
    return _or_tiny(x, _log_beyond(total, _log_of(fraction, split.exponent)))


def tanh(x: Lanes) -> Lanes:
    size = at_most(magnitude(x), 0.5 * (x.format.mantissa + 5) * math.log(2))
    grown = _tanh_part(size)
    return with_sign(grown / (grown + 2.0), x)


def sinh(x: Lanes) -> Lanes:
    half = _half_expm1(magnitude(x))
    # Of infinity: no quotient of two.
    y = half + at_most(half, 2.0**60) / (half + half + 1.0)
    return _or_tiny(x, with_sign(y, x))


def cosh(x: Lanes) -> Lanes:
    half = _half_exp(magnitude(x))
    return half + 0.25 / half


def sigmoid(x: Lanes) -> Lanes:
    below = exp(-magnitude(x))
    return where(x < 0.0, below, x.constant(1.0)) / (below + 1.0)


def softplus(x: Lanes) -> Lanes:
    """log(exp(x) + 1) without overflow."""
    return where(x < 0.0, 0.0, x) + log1p(exp(-magnitude(x)))


def sigmoid_cross_entropy(x: Lanes, y: Lanes) -> Lanes:
    """max(x, 0) - x * y + log1p(exp(-|x|)): the entropy of sigmoid(x) against y."""
    return where(x < 0.0, 0.0, x) - x * y + log1p(exp(-magnitude(x)))


def xlogy(x: Lanes, y: Lanes) -> Lanes:
    """x * log(y), and 0 where x is 0."""
    return where(x.equals(0.0), 0.0, x * log(y))


def xlog1py(x: Lanes, y: Lanes) -> Lanes:
    """x * log1p(y), and 0 where x is 0."""
    return where(x.equals(0.0), 0.0, x * log1p(y))


def arcsinh(x: Lanes) -> Lanes:
    size = magnitude(x)
    is_large = size > 2.0 ** (x.format.mantissa + 2)
    square = size * size
    shifted = size + square / (square_root(square + 1.0) + 1.0)
    y = log1p(where(is_large, size, shifted)) + where(is_large, size.constant(math.log(2)), 0.0)
    return with_sign(y, x)


def arccosh(x: Lanes) -> Lanes:
    is_large = x > 2.0 ** (x.format.mantissa + 2)
    above = x - 1.0
    shifted = above + square_root(fma(above, above, above + above))
    y = log1p(where(is_large, x, shifted)) + where(is_large, x.constant(math.log(2)), 0.0)
    return where(x < 1.0, NAN, y)


def arctanh(x: Lanes) -> Lanes:
    size = magnitude(x)
    y = 0.5 * log1p((size + size) / (1.0 - size))
    return with_sign(y, x)


def _log_pair(x: Lanes) -> Pair:
    """The logarithm of a positive number as a pair, good to about 68 bits."""
    fraction, exponent, _ = _split(x)
    below = fraction + 2.0
    below_rest = fraction - (below - 2.0)
    inverse = 1.0 / below
    head = fraction * inverse
    product, error = two_product(head, below)
    rest = ((fraction - product) - error) - head * below_rest
    s = quick_two_sum(head, rest * inverse)
    z = pair_product(s, s)
    third = 2.0 / 3.0
    # 2 / 3 - third in full
    third_rest = 3.700743415417188e-17
    after = z[0] * polynomial(LOGARITHM_AFTER, z[0])
    factor = quick_two_sum(x.constant(third), after + third_rest)
    series = pair_product(pair_product(z, s), factor)
    limits = LIMITS[64]
    whole = quick_two_sum(exponent * limits.ln2, exponent * limits.ln2_rest)
    return _sum_of_parts(whole, (s[0] + s[0], s[1] + s[1]), series)


def _sum_of_parts(whole: Pair, twice: Pair, series: Pair) -> Pair:
    total, error = two_sum(whole[0], twice[0])
    rest = error + (whole[1] + twice[1])
    return pair_sum((total, rest), series)


def _power_of_positive(x: Lanes, y: Lanes) -> Lanes:
    """x ** y for x that is not negative: exp(y log(x)), the product carried as a pair."""
    if x.format is not F64:
        wide = log(x.widened()) * y.widened()
        return exp(wide).narrowed()
    head, rest = _log_pair(x)
    head = where(x.equals(0.0), -INFINITY, where(x.equals(INFINITY), INFINITY, head))
    product, error = two_product(y, head)
    return exp_of_pair((product, fma(y, rest, error)))


def _cube(x: Lanes) -> Lanes:
    """x ** 3, with what is rounded off the square."""
    square, rest = two_product(x, x)
    cube = square * x
    return where(magnitude(cube) < INFINITY, fma(square, x, rest * x), cube)


def _root(x: Lanes) -> Lanes:
    """x ** 0.5, which is the square root but for -inf and -0.0."""
    return where(x.equals(-INFINITY), INFINITY, square_root(x) + 0.0)


PRODUCTS: dict[float, Callable[[Lanes], Lanes]] = {
    -1.0: lambda x: 1.0 / x,
    0.5: _root,
    1.0: lambda x: x,
    2.0: lambda x: x * x,
    3.0: _cube,
}
"""Powers by a known number that take a few instructions."""


def power_by_number(x: Lanes, y: Lanes) -> Lanes:
    """x ** y for one y."""
    if y.known is None:
        return where(y.equals(0.5), _root(x), power(x, y))
    short = PRODUCTS.get(y.known)
    return power(x, y) if short is None else short(x)


def power(x: Lanes, y: Lanes) -> Lanes:
    """x ** y as C has it: 1 where x is 1 or y is 0, even beside NaN."""
    size = magnitude(x)
    raised = where(size.equals(1.0), 1.0, _power_of_positive(size, y))
    raised = where(x.is_nan() | y.is_nan(), NAN, raised)
    half = y * 0.5
    is_whole = intrinsic("rint", y).equals(y)
    is_odd = is_whole & intrinsic("rint", half).differs(half)
    raised = where(is_odd, with_sign(raised, x), raised)
    is_lost = (x < 0.0) & x.differs(-INFINITY) & ~is_whole
    raised = where(is_lost, NAN, raised)
    return where(x.equals(1.0) | y.equals(0.0), 1.0, raised)
