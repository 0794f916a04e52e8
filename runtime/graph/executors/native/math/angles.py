"""Sine and its relatives, and their inverses.

The range is reduced with pi / 2 in three parts (W. J. Cody and W. Waite, Software Manual for the
Elementary Functions, 1980), carried as a pair of numbers; beyond 2 ** 30 with all digits
that matter. Inverses follow S. L. Moshier, Methods and Programs for Mathematical Functions (1989).
"""

from __future__ import annotations

import math
from itertools import pairwise

from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.math.exponentials import INFINITY, coefficients
from runtime.graph.executors.native.math.lanes import (
    F64,
    Lanes,
    Pair,
    by_lane,
    fma,
    magnitude,
    pair_product,
    polynomial,
    power_of_two,
    quick_two_sum,
    rarely,
    square_root,
    two_product,
    two_sum,
    where,
    with_sign,
)

# pi / 2 as a sum.
_QUARTER, _QUARTER_REST = math.pi / 2, 6.123233995736766e-17
_QUARTER_LAST = -1.4973849048591698e-33
LARGEST = 2.0**30


def _turned(x: Lanes) -> tuple[Pair, Lanes]:
    """The angle between -pi / 4 and pi / 4 that differs from x by whole quarters of a turn, as a
    pair; and their number, in the low bits of integers. float64, up to LARGEST.
    """
    format = x.format
    shifted = fma(x, 2 / math.pi, format.magic)
    n = shifted - format.magic
    product, error = two_product(n, n.constant(_QUARTER))
    # Exact: both are near each other, and multiples of the same small power of two.
    head = (x - product) - error
    product, error = two_product(n, n.constant(_QUARTER_REST))
    head, rest = two_sum(head, -product)
    return quick_two_sum(head, fma(n, -_QUARTER_LAST, rest - error)), shifted.bits()


# The digits of 2 / pi after 64 zeros, 64 bits each.
_INVERSE = (
    0x0000000000000000, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041,
    0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0, 0x06492EEA09D1921C, 0xFE1DEB1CB129A73E,
    0xE88235F52EBB4484, 0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B,
    0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB,
    0xF0CFBC209AF4361D,
)  # fmt: skip
_DOUBLED = ir.IntType(128)


def _turned_far(x: Lanes) -> list[Lanes]:
    """The results of `_turned` for one number beyond LARGEST: of the product of its digits with
    those of 2 / pi, only the ones around the point are computed (M. H. Payne and R. N. Hanek,
    Radian reduction for trigonometric functions, 1983).
    """
    bits = x.bits()
    exponent = (bits >> 52) & 0x7FF
    mantissa = ((bits & (2**52 - 1)) | 2**52).extended(128)
    # Digits above the second one before the point are whole turns. In other lanes there may be any
    # number.
    least = 1075 - 62
    place = where(exponent < least, least, exponent) - least
    words = [_inverse(x.builder, (place >> 6) + at).extended(128) for at in range(4)]
    shift = (place & 63).extended(128)
    upper, middle, lower = [((((a << 64) | b) << shift) >> 64) for a, b in pairwise(words)]
    product = mantissa * lower
    carried = mantissa * middle + (product >> 64)
    total = mantissa * upper + (carried >> 64)
    quarters = (total >> 62).truncated(64) & 3
    fraction = (total << 66) | ((carried << 64) >> 62) | ((product << 64) >> 126)
    # From -1 / 2 to 1 / 2, by its sign and the digits from the first that is not 0.
    is_over = fraction < 0
    quarters = where(is_over, quarters + 1, quarters)
    size = where(is_over, -fraction, fraction)
    zeros = _leading_zeros(size)
    size = size << zeros
    scale = power_of_two(1023 - zeros.truncated(64), F64)
    head = (size >> 75).truncated(64).converted(F64) * 2.0**-53 * scale
    rest = ((size >> 22).truncated(64) & (2**53 - 1)).converted(F64) * 2.0**-106 * scale
    angle = pair_product((head, rest), (x.constant(_QUARTER), x.constant(_QUARTER_REST)))
    is_negative = x < 0.0
    is_back = is_over ^ is_negative
    head, rest = [where(is_back, -part, part) for part in angle]
    is_finite = exponent.differs(0x7FF)
    quarters = where(is_negative, -quarters, quarters)
    return [where(is_finite, head, math.nan), rest, quarters]


def _inverse(builder: Builder, at: Lanes) -> Lanes:
    """A word of the digits of 2 / pi, from a table in the module."""
    table = builder.module.globals.get("digits")
    if table is None:
        kind = ir.ArrayType(ir.INT64, len(_INVERSE))
        table = ir.GlobalVariable(builder.module, kind, "digits")
        table.initializer = ir.Constant(kind, _INVERSE)
        table.linkage, table.global_constant = "internal", True
    place = builder.gep(table, [at.value], inbounds=True, source_etype=ir.INT64)
    return at.made(builder.load(place, typ=ir.INT64, align=8))


def _leading_zeros(x: Lanes) -> Lanes:
    zero = ir.Constant(ir.BIT, 0)
    return x.made(x.builder.call_named("llvm.ctlz.i128", _DOUBLED, x.value, zero))


def _reduced(x: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """The results of `_turned` for any float64; NaN for what is not finite."""
    (head, rest), quarters = _turned(x)
    head, rest, quarters = rarely(
        ~(magnitude(x) <= LARGEST),
        [head, rest, quarters],
        lambda: by_lane("quarters", _turned_far, [ir.FLOAT64, ir.FLOAT64, ir.INT64], [x]),
    )
    return head, rest, quarters


def _sine(r: Lanes, rest: Lanes | None, z: Lanes) -> Lanes:
    """sin(r + rest), z = r * r."""
    series = polynomial(coefficients(r.format).sine, z)
    cube = r * z
    if rest is None:
        return fma(cube, series, r)
    return r + fma(cube, series, fma(rest * z, -0.5, rest))


def _cosine(r: Lanes, rest: Lanes | None, z: Lanes) -> Lanes:
    """cos(r + rest), z = r * r."""
    series = z * z * polynomial(coefficients(r.format).cosine, z)
    half = 0.5 * z
    near = 1.0 - half
    if rest is None:
        return near + (((1.0 - near) - half) + series)
    return near + (((1.0 - near) - half) + fma(r, -rest, series))


def _both(x: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """Sine and cosine of the reduced angle, and the number of quarters that were taken off.
    float32 is reduced in float64, which needs no rest.
    """
    if x.format is F64:
        r, rest, quarters = _reduced(x)
        z = r * r
        return _sine(r, rest, z), _cosine(r, rest, z), quarters
    wide, _, quarters = _reduced(x.widened())
    r = wide.narrowed()
    z = r * r
    return _sine(r, None, z), _cosine(r, None, z), quarters.truncated(32)


def _signed(y: Lanes, quarters: Lanes) -> Lanes:
    """y, with its sign changed where the second bit of a number of quarters is set."""
    turned = (quarters & 2) << (y.format.width - 2)
    return (y.bits() ^ turned).floats(y.format)


def _is_odd(quarters: Lanes) -> Lanes:
    return (quarters & 1).differs(0)


def sin(x: Lanes) -> Lanes:
    sine, cosine, quarters = _both(x)
    y = _signed(where(_is_odd(quarters), cosine, sine), quarters)
    return where(x.equals(0.0), x, y)


def cos(x: Lanes) -> Lanes:
    sine, cosine, quarters = _both(x)
    return _signed(where(_is_odd(quarters), sine, cosine), quarters + 1)


def tan(x: Lanes) -> Lanes:
    sine, cosine, quarters = _both(x)
    is_odd = _is_odd(quarters)
    y = where(is_odd, -cosine, sine) / where(is_odd, sine, cosine)
    return where(x.equals(0.0), x, y)


def _angle(y: Lanes, x: Lanes) -> Lanes:
    """The angle of the point (x, y) of the first quarter; not both are infinite, and the sum of
    both is finite where they are about as large.
    """
    # Quotients are at most tan(pi / 8), measured from 0, pi / 4 or pi / 2.
    slope = math.sqrt(2) - 1
    is_steep, is_flat = x < y * slope, y <= x * slope
    above = where(is_steep, -x, where(is_flat, y, y - x))
    below = where(is_steep, y, where(is_flat, x, x + y))
    t = above / where(below.equals(0.0), 1.0, below)
    z = t * t
    around = fma(t * z, polynomial(coefficients(x.format).arctangent, z), t)
    start, rest = [
        where(is_steep, x.constant(part), where(is_flat, x.constant(0.0), part / 2))
        for part in _parts(x)
    ]
    return start + (around + rest)


def _parts(x: Lanes) -> tuple[float, float]:
    """pi / 2 as two numbers of a format."""
    if x.format is F64:
        return _QUARTER, _QUARTER_REST
    return 1.57079637050628662109375, -4.37113882867379288e-08


def arctan(x: Lanes) -> Lanes:
    return with_sign(_angle(magnitude(x), x.constant(1.0)), x)


def arctan2(y: Lanes, x: Lanes) -> Lanes:
    above, along = magnitude(y), magnitude(x)
    both = above.equals(INFINITY) & along.equals(INFINITY)
    # Neither sums overflow, nor products with slopes vanish.
    largest, smallest = 2.0 ** (x.format.bias - 2), 2.0 ** -(x.format.bias // 2)
    is_small = (above < smallest) & (along < smallest)
    scale = where(is_small, x.constant(1 / smallest), 1.0)
    scale = where((above > largest) | (along > largest), 0.25, scale)
    angle = _angle(where(both, 1.0, above * scale), where(both, 1.0, along * scale))
    pi, rest = [2 * part for part in _parts(x)]
    is_left = with_sign(x.constant(1.0), x) < 0.0
    angle = where(is_left, pi - (angle - rest), angle)
    return where(x.is_nan() | y.is_nan(), x + y, with_sign(angle, y))


def arcsin(x: Lanes) -> Lanes:
    size = magnitude(x)
    return with_sign(_angle(size, _other_leg(size)), x)


def arccos(x: Lanes) -> Lanes:
    size = magnitude(x)
    angle = _angle(_other_leg(size), size)
    pi, rest = [2 * part for part in _parts(x)]
    return where(x < 0.0, pi - (angle - rest), angle)


def _other_leg(x: Lanes) -> Lanes:
    """sqrt(1 - x * x); NaN where x is larger than 1."""
    return square_root((1.0 - x) * (x + 1.0))
