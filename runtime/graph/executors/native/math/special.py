"""The error function and its relatives.

Tails: M. M. Shepherd and J. G. Laframboise, Chebyshev approximation of (1 + 2x) exp(x^2) erfc(x)
(Mathematics of Computation 36, 1981); exp(-x^2) of the exact square, as a pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps

from runtime.graph.executors.native.math.angles import sin, tan
from runtime.graph.executors.native.math.coefficients import (
    SINGLE_ERROR,
    SINGLE_ERROR_END,
)
from runtime.graph.executors.native.math.exponentials import (
    coefficients,
    exp_of_pair,
    expm1_over,
    log,
)
from runtime.graph.executors.native.math.lanes import (
    F32,
    F64,
    Lanes,
    Pair,
    at_least,
    at_most,
    fma,
    intrinsic,
    magnitude,
    polynomial,
    two_product,
    where,
    with_sign,
)
from runtime.ops.gamma_kernels import LOG_GAMMA, MANY, STIRLING


def _tail(x: Lanes, square: Pair, scale: Lanes | None = None) -> Lanes:
    """erfc(x), times a scale, for x >= 0, not above the end of its table; `square` is exactly that
    of x.
    """
    table = coefficients(x.format)
    t = (x - table.centre) / (x + table.centre)
    factor = polynomial(table.tail, t) / fma(x, 2.0, 1.0)
    if scale is not None:
        factor = factor * scale
    return exp_of_pair((-square[0], -square[1]), factor)


def _tail_of(x: Lanes) -> Lanes:
    x = at_most(x, coefficients(x.format).end)
    return _tail(x, two_product(x, x))


def _around(x: Lanes) -> Lanes:
    """erf(x) for |x| <= 1."""
    return fma(x, polynomial(coefficients(x.format).error, x * x), x)


def erfc(x: Lanes) -> Lanes:
    size = magnitude(x)
    tail = _tail_of(size)
    return where(size < 0.5, 1.0 - _around(x), where(x < 0.0, 2.0 - tail, tail))


def erf(x: Lanes) -> Lanes:
    size = magnitude(x)
    if x.format is F32:
        inside = at_most(size, SINGLE_ERROR_END)
        return with_sign(-expm1_over(-inside * polynomial(SINGLE_ERROR, inside)), x)
    near = where(size < 1.0, _around(size), 1.0 - _tail_of(size))
    return with_sign(near, x)


def gelu(x: Lanes) -> Lanes:
    """x times the normal distribution up to x: max(x, 0) - |x| erfc(|x| / sqrt(2)) / 2, and around
    0 half of x + x erf(x / sqrt(2)). Neither cancels. The sign is that of x.
    """
    size = at_most(magnitude(x), coefficients(x.format).end * math.sqrt(2))
    square, rest = two_product(size * 0.5, size)
    tail = _tail(size * math.sqrt(0.5), (square, rest), size * 0.5)
    half = 0.5 * x
    near = fma(half, _around(x * math.sqrt(0.5)), half)
    far = where(x < 0.0, 0.0, x) - tail
    return with_sign(where(size < 0.5, near, where(x.is_nan(), x, far)), x)


def in_double(function: Callable[[Lanes], Lanes]) -> Callable[[Lanes], Lanes]:
    """A function of float64, for float32 as well."""

    @wraps(function)
    def of_both(x: Lanes) -> Lanes:
        return function(x) if x.format is F64 else function(x.widened()).narrowed()

    return of_both


def _reflected(x: Lanes) -> tuple[Lanes, Lanes]:
    """x, where it is negative 1 - x; and pi times the distance to the nearest integer."""
    return where(x < 0.0, 1.0 - x, x), (x - intrinsic("rint", x)) * math.pi


@in_double
def lgamma(x: Lanes) -> Lanes:
    """log(|gamma(x)|): from a polynomial around 2 and products, by Stirling's series from 10 on. By
    reflection below 0, where the error is one of its larger term.
    """
    above, angle = _reflected(x)
    y = _lgamma_above(above)
    distance = magnitude(sin(angle)) * (1 / math.pi)
    reflected = where(distance.equals(0.0), math.inf, -(log(distance) + y))
    y = where(x < 0.0, reflected, y)
    y = where(x.equals(0.0) | magnitude(x).equals(math.inf), math.inf, y)
    return where(x.is_nan(), x, y)


def _lgamma_above(x: Lanes) -> Lanes:
    """For x > 0."""
    inside = at_most(x, float(MANY))
    steps = intrinsic("floor", at_least(inside, 2.0)) - 2.0
    product = where(x < 1.0, inside, 1.0)
    for step in range(1, MANY - 1):
        product = where(steps >= float(step), product * (inside - float(step)), product)
    u = where(x < 1.0, inside - 1.0, (inside - 2.0) - steps)
    around = u * (u + 1.0) * polynomial(LOG_GAMMA, u)
    is_large = x >= float(MANY)
    logarithm = log(where(is_large, x, product))
    small = where(x < 1.0, around - logarithm, around + logarithm)
    half = x - 0.5
    inverse = 1.0 / x
    series = inverse * polynomial(STIRLING, inverse * inverse)
    large = fma(half, logarithm - 1.0, series + (0.5 * math.log(2 * math.pi) - 0.5))
    return where(is_large, large, small)


_HARMONIC = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160)


@in_double
def digamma(x: Lanes) -> Lanes:
    """The derivative of lgamma, around its roots with an error of some units of the last place of
    1: ten steps of its recurrence, and the asymptotic series.
    """
    above, angle = _reflected(x)
    is_large = above >= float(MANY)
    start = where(is_large, 1.0, above)
    steps = x.constant(0.0)
    # The smallest first: fewer digits are lost.
    for step in reversed(range(MANY)):
        steps = steps + 1.0 / (start + float(step))
    steps = where(is_large, 0.0, steps)
    shifted = where(is_large, above, start + float(MANY))
    inverse = 1.0 / shifted
    square = inverse * inverse
    series = fma(square, polynomial(_HARMONIC, square), 0.5 * inverse)
    y = log(shifted) - series - steps
    y = where(x < 0.0, y - math.pi / tan(angle), y)
    is_pole = (x < 0.0) & angle.equals(0.0)
    return where(is_pole | x.equals(0.0), math.nan, y)
