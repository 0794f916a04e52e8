"""Kernels of the gamma function and its relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.core.workspace import Workspace
from runtime.ops.blockwise import in_doubles, mask, polynomial

# lgamma(2 + u) / (u (1 + u)) in u, |u| <= 1, the lowest power first: by the exchange algorithm of
# E. Remez, with 200 bits.
LOG_GAMMA = (
    0.42278433509846713, -0.10031730167435392, 0.03296500062115574, -0.012384192193371014,
    0.004998641164703909, -0.0021081308339681274, 0.0009153769220598511,
    -0.00040570739723824934, 0.0001825526419881644, -8.30951296526098e-05,
    3.81688627245429e-05, -1.766165023141927e-05, 8.22234798814407e-06, -3.847461531146136e-06,
    1.8074579838435686e-06, -8.524503285213296e-07, 4.0556730514545924e-07,
    -1.9299683528988408e-07, 8.745277903989999e-08, -4.0957751773247734e-08,
    2.6255691100047476e-08, -1.345014353159234e-08, -7.6733838463432e-10,
    1.0592250250208569e-09, 4.9317029485610775e-09, -2.7364871796195645e-09,
    -1.3911706334111505e-09, 7.8283301100403e-10, 4.2471221018171105e-10,
    -2.2094535376931061e-10,
)  # fmt: skip
# Stirling's series: Bernoulli numbers B[2k] over 2k (2k - 1), the lowest power first.
STIRLING = (
    1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400,
)  # fmt: skip
MANY = 10
"""From here on, asymptotic series have all digits."""


def _reflected(x: Any, least: float, work: Workspace) -> tuple[Any, Any]:
    """x, where it is below the least one the 1 - x on the other side; and where that is."""
    below = mask(np.less, x, least, work)
    z = work.copied(x)
    if below.any():
        np.subtract(1, x, out=z, where=below)
    return z, below


def _inverse_square(x: Any, work: Workspace) -> Any:
    inverse = np.square(x, out=work.like(x))
    return np.divide(1, inverse, out=inverse)


def _lgamma_above(z: Any, out: Any, work: Workspace) -> None:
    """For z of at least 0: from a polynomial around 2 and the logarithm of the steps that lead
    there, which cancel nowhere; by Stirling's series where z is large.
    """
    large, low = mask(np.greater_equal, z, MANY, work), mask(np.less, z, 1, work)
    inside, product = np.minimum(z, MANY, out=work.like(z)), _steps(z, low, work)
    np.copyto(product, z, where=large)
    logarithm = np.log(product, out=product)
    first = np.maximum(inside, 2, out=work.like(z))
    np.floor(first, out=first)
    np.copyto(first, 1, where=low)
    inside -= first
    polynomial(LOG_GAMMA[::-1], inside, out)
    out *= inside
    inside += 1
    out *= inside
    np.negative(logarithm, out=logarithm, where=low)
    out += logarithm
    if large.any():
        inverse, half = np.divide(1, z, out=first), np.subtract(z, 0.5, out=inside)
        logarithm -= 1
        half *= logarithm
        square = np.square(inverse, out=logarithm)
        with work.inner():
            inverse *= polynomial(STIRLING[::-1], square, work.like(z))
        inverse += 0.5 * np.log(2 * np.pi) - 0.5
        half += inverse
        np.copyto(out, half, where=large)


def _steps(z: Any, low: Any, work: Workspace) -> Any:
    """The product of what gamma(z) is multiplied with between 2 and 3, and z; or z below 1."""
    product, factor, short = work.like(z), work.like(z), work.array(z.shape, np.bool_)
    product.fill(1)
    np.copyto(product, z, where=low)
    for step in range(1, MANY - 1):
        np.subtract(z, step, out=factor)
        np.copyto(factor, 1, where=np.less(factor, 2, out=short))
        product *= factor
    return product


def _lgamma(x: Any, out: Any, work: Workspace) -> None:
    z, below = _reflected(x, 0, work)
    with work.inner():
        _lgamma_above(z, out, work)
    if below.any():
        part = _around(x, z)
        part *= np.pi
        np.abs(np.sin(part, out=part), out=part)
        part /= np.pi
        np.negative(np.log(part, out=part), out=part)
        np.subtract(part, out, out=out, where=below)
        np.copyto(out, np.inf, where=_poles(x, work))


def _around(x: Any, out: Any) -> Any:
    """The distance to the nearest integer."""
    return np.subtract(x, np.rint(x, out=out), out=out)


def _poles(x: Any, work: Workspace) -> Any:
    found = mask(np.less_equal, x, 0, work)
    with work.inner():
        found &= mask(np.equal, x, np.floor(x, out=work.like(x)), work)
    return found


_DIGAMMA = (
    1.0 / 12, -691.0 / 32760, 1.0 / 132, -1.0 / 240, 1.0 / 252, -1.0 / 120, 1.0 / 12, 0.0,
)  # fmt: skip


def _digamma_above(z: Any, out: Any, work: Workspace) -> None:
    """For z of at least 0.5."""
    large = mask(np.greater_equal, z, MANY, work)
    total, shifted = work.zeros(z.shape, z.dtype), work.like(z)
    for k in range(MANY):
        np.add(z, k, out=shifted)
        total += np.divide(1, shifted, out=shifted)
    np.copyto(total, 0, where=large)
    np.add(z, MANY, out=shifted)
    np.copyto(shifted, z, where=large)
    series = polynomial(_DIGAMMA, _inverse_square(shifted, work), work.like(z))
    np.log(shifted, out=out)
    out -= np.divide(0.5, shifted, out=shifted)
    out -= series
    out -= total


def _digamma(x: Any, out: Any, work: Workspace) -> None:
    z, below = _reflected(x, 0.5, work)
    with work.inner():
        _digamma_above(z, out, work)
    if below.any():
        around, cosine = _around(x, z), work.like(x)
        around *= np.pi
        np.cos(around, out=cosine)
        cosine *= np.pi
        cosine /= np.sin(around, out=around)
        np.subtract(out, cosine, out=out, where=below)
        np.copyto(out, np.nan, where=_poles(x, work))
    np.copyto(out, x, where=np.isnan(x, out=below))


# Bernoulli numbers B2, B4 ... over (2k)! for the Euler-Maclaurin tail of the zeta function
_BERNOULLI = (
    8.333333333333333e-02, -1.388888888888889e-03, 3.306878306878307e-05, -8.267195767195767e-07,
    2.087675698786810e-08, -5.284190138687493e-10, 1.338253653068468e-11, -3.389680296322583e-13,
)  # fmt: skip


def _zeta(s: Any, start: Any, out: Any, work: Workspace) -> None:
    exponent, term, end = np.negative(s, out=work.like(s)), work.like(s), work.like(s)
    out.fill(0)
    for k in range(MANY):
        np.add(start, k, out=term)
        out += np.power(term, exponent, out=term)
    np.add(start, MANY, out=end)
    np.power(end, np.subtract(1, s, out=term), out=term)
    with work.inner():
        term /= np.subtract(s, 1, out=work.like(s))
    out += term
    np.power(end, exponent, out=term)
    term *= 0.5
    out += term
    exponent -= 1
    factor = np.power(end, exponent, out=exponent)
    factor *= s
    _euler_maclaurin(s, np.square(end, out=end), factor, out, term)
    below = mask(np.less, start, -MANY, work)
    if below.any():
        each, at = np.broadcast_arrays(s, start)
        below = np.broadcast_to(below, at.shape)
        out[below] = _zeta_below(each[below], at[below], work)
    with work.inner():
        _zeta_at_ends(s, start, out, work)
    np.copyto(out, np.nan, where=mask(np.less, s, 1, work))
    np.copyto(out, np.inf, where=mask(np.equal, s, 1, work))


def _zeta_at_ends(s: Any, start: Any, out: Any, work: Workspace) -> None:
    """The values for endless s, and at poles, of which both sides have one sign where s is even."""
    endless = mask(np.equal, s, np.inf, work)
    if endless.any():
        np.copyto(out, np.power(start, -s, where=start > 0, out=start + np.inf), where=endless)
    poles = _poles(start, work)
    if poles.any():
        np.copyto(out, np.where(np.floor(s / 2) * 2 == s, np.inf, np.nan), where=poles)


def _zeta_below(s: Any, start: Any, work: Workspace) -> Any:
    """For whole s, and starts below zero, whose terms there are those of two starts above it."""
    first = start + np.ceil(-start)
    above, mirrored, beyond = [np.empty_like(first) for _ in range(3)]
    for at, out in ((first, above), (1 - first, mirrored), (1 - start, beyond)):
        with work.inner():
            _zeta(s, at, out, work)
    return np.where(first == 0, np.inf, above + np.power(-1.0, s) * (mirrored - beyond))


def _euler_maclaurin(s: Any, square: Any, factor: Any, total: Any, part: Any) -> None:
    """Add the tail, whose first term has a `factor`; there may be anything in `part`."""
    for k, bernoulli in enumerate(_BERNOULLI):
        total += np.multiply(factor, bernoulli, out=part)
        for more in (1, 2):
            np.add(s, 2 * k, out=part)
            part += more
            factor *= part
        factor /= square


def _polygamma(order: Any, x: Any, out: Any, work: Workspace) -> None:
    above = np.add(order, 1, out=work.like(x))
    with work.inner():
        _zeta(above, x, out, work)
    factorial, sign = work.like(x), work.like(x)
    with work.inner():
        _lgamma(above, factorial, work)
    np.exp(factorial, out=factorial)
    factorial *= np.power(-1.0, above, out=sign)
    out *= factorial
    with work.inner():
        whole = np.floor(order, out=work.like(order))
        np.copyto(out, np.nan, where=mask(np.not_equal, order, whole, work))
    zeroth = mask(np.equal, order, 0, work)
    if zeroth.any():
        _digamma(x, sign, work)
        np.copyto(out, sign, where=zeroth)


lgamma_kernel = in_doubles(_lgamma)
digamma_kernel = in_doubles(_digamma)
zeta_kernel = in_doubles(_zeta)
polygamma_kernel = in_doubles(_polygamma)
