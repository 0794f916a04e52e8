"""Error function, gamma function and their relatives, and the guarded forms of arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.convert import convert_to_tensor
from runtime.ops.blockwise import MANY, PIECE, chosen, in_blocks, places
from runtime.ops.define import POSITIVE, UNIT, Op, binary, unary
from runtime.primitive import Kernel, sample, wrong_value
from runtime.tensor import Tensor
from runtime.workspace import Workspace, opened

_SQRT_PI = float(np.sqrt(np.pi))

# Rational approximations of erf and erfc by W. J. Cody (1969), relative error below 1e-16 in
# float64.
_NEAR = (
    (1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2, 3.77485237685302021e2,
     3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
     2.84423683343917062e3),
)  # fmt: skip
_MIDDLE = (
    (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1,
     2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
     1.23033935479799725e3),
    (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
     1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3,
     1.23033935480374942e3),
)  # fmt: skip
_FAR = (
    (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
     1.60837851487422766e-2, 6.58749161529837803e-4),
    (1.0, 2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1,
     6.05183413124413191e-2, 2.33520497626869185e-3),
)  # fmt: skip


# For float32, fitted to the same functions: atanh(erf(x)) / x in x * x for |x| <= 4, which gives
# erf with a relative error of 3e-9; exp(x * x) erfc(x) for 0 <= x <= 11, relative error 7e-9; and
# exp(x * x / 2) erfc(x / sqrt(2)) / 2 for 0 <= x <= 14.5, relative error 1.8e-7.
_ERF_SINGLE = (
    (2.17828e-03, 4.264655e-02, 2.79806823e-01, 1.12837917),
    (3.24924347e-04, 2.36899252e-02, 1.56892568e-01, 1.0),
)  # fmt: skip
_ERFC_SINGLE = (
    (3.353958e-02, 2.3274338e-01, 7.3897908e-01, 1.24542803, 1.0),
    (5.944677e-02, 4.1255002e-01, 1.33913869, 2.41752373, 2.37380787, 1.0),
)  # fmt: skip
_GELU_SINGLE = (
    (1.95885592e-07, 1.47122155e-02, 1.09187602e-01, 3.42856671e-01, 4.99999924e-01),
    (3.690233e-02, 2.7318856e-01, 9.0217831e-01, 1.48358975, 1.0),
)  # fmt: skip


def _ratio(tables: Any, x: Any, out: Any, work: Workspace) -> Any:
    y = _polynomial(tables[0], x, out)
    with work.inner():
        y /= _polynomial(tables[1], x, work.like(x))
    return y


def _polynomial(coefficients: Any, x: Any, out: Any) -> Any:
    # np.polyval would make two arrays for each coefficient.
    y = np.multiply(x, coefficients[0], out=out)
    for coefficient in coefficients[1:-1]:
        y += coefficient
        y *= x
    y += coefficients[-1]
    return y


def _exp_minus_square(x: Any, work: Workspace) -> Any:
    """exp(-x * x) with the rounding error of the square taken into account."""
    head, of_head, rest = [work.like(x) for _ in range(3)]
    np.multiply(x, 16, out=head)
    np.trunc(head, out=head)
    head /= 16
    np.negative(head, out=of_head)
    of_head *= head
    np.negative(np.subtract(x, head, out=rest), out=rest)
    rest *= np.add(x, head, out=head)
    of_head = np.exp(of_head, out=of_head)
    of_head *= np.exp(rest, out=rest)
    return of_head


def _erfc_of_positive(x: Any, out: Any, work: Workspace) -> Any:
    """erfc for x > 0.46875."""
    with work.inner():
        x = np.clip(x, 0.0, 30.0, out=work.like(x))
        tail = _ratio(_MIDDLE, x, out, work)
        far = np.greater(x, 4, out=work.array(x.shape, np.bool_))
        _set_far_tails(x, far, tail, work)
        return np.multiply(_exp_minus_square(x, work), tail, out=tail)


def _set_far_tails(x: Any, far: Any, tail: Any, work: Workspace) -> None:
    count = np.count_nonzero(far)
    if count > MANY:
        at = places(far, work)
        taken = np.take(x, at, out=work.array(at.shape, x.dtype), mode="clip")
        tail[at] = _far_tail(taken, work)
    elif count:
        tail[far] = _far_tail(x[far], work)


def _far_tail(x: Any, work: Workspace) -> Any:
    inverse = np.square(x, out=work.like(x))
    np.divide(1, inverse, out=inverse)
    ratio = _ratio(_FAR, inverse, work.like(x), work)
    ratio *= inverse
    np.subtract(1 / _SQRT_PI, ratio, out=ratio)
    ratio /= x
    return ratio


def _erf_near(x: Any, out: Any, work: Workspace) -> Any:
    with work.inner():
        near = np.clip(x, -0.46875, 0.46875, out=work.like(x))
        y = _ratio(_NEAR, np.square(near, out=work.like(x)), out, work)
        return np.multiply(near, y, out=y)


def _erf(x: Any, out: Any, work: Workspace) -> None:
    size = np.abs(x, out=work.like(x))
    near = np.less_equal(size, 0.46875, out=work.array(x.shape, np.bool_))
    rest = _erfc_of_positive(size, work.like(x), work)
    np.subtract(1, rest, out=rest)
    # The bit of the sign: np.copysign is slow.
    bits = rest.view(np.int64)
    bits |= np.bitwise_and(x.view(np.int64), _SIGN, out=size.view(np.int64))
    chosen(near, _erf_near(x, size, work), rest, out, work)


_SIGN = np.iinfo(np.int64).min


def _erfc(x: Any, out: Any, work: Workspace) -> None:
    size = np.abs(x, out=work.like(x))
    near = np.less_equal(size, 0.46875, out=work.array(x.shape, np.bool_))
    tail = _erfc_of_positive(size, work.like(x), work)
    np.copyto(size, np.less(x, 0, out=work.array(x.shape, np.bool_)))
    size *= 2
    tail -= size
    np.abs(tail, out=tail)
    around = _erf_near(x, size, work)
    chosen(near, np.subtract(1, around, out=around), tail, out, work)


def _erf_single(x: Any, out: Any, work: Workspace) -> None:
    x = np.clip(x, np.float32(-4.5), np.float32(4.5), out=work.like(x))
    y = _ratio(_ERF_SINGLE, np.square(x, out=work.like(x)), out, work)
    y *= x
    np.tanh(y, out=y)


def _erfc_single(x: Any, out: Any, work: Workspace) -> None:
    size, head, rest = [work.like(x) for _ in range(3)]
    # erfc(11) is 0 in single precision; infinity would make NaN below.
    np.clip(np.abs(x, out=size), np.float32(0), np.float32(11), out=size)
    y = _ratio(_ERFC_SINGLE, size, out, work)
    # The square of the upper half of the bits is exact.
    np.bitwise_and(size.view(np.int32), -4096, out=head.view(np.int32))
    np.negative(head, out=rest)
    rest *= head
    y *= np.exp(rest, out=rest)
    np.subtract(head, size, out=rest)
    rest *= np.add(head, size, out=head)
    y *= np.exp(rest, out=rest)
    # The tail, or 2 - tail below zero, without a branch for each element: what is left of the bits
    # of 2 is 2 below zero, else 0.
    bits = np.right_shift(x.view(np.int32), 31, out=rest.view(np.int32))
    bits &= _BITS_OF_TWO
    y -= rest
    np.abs(y, out=y)


_BITS_OF_TWO = np.float32(2).view(np.int32)


def _gelu_single(x: Any, out: Any, work: Workspace) -> None:
    """max(x, 0) - |x| erfc(|x| / sqrt(2)) / 2, which cancels nowhere."""
    size = np.abs(x, out=work.like(x))
    # The density is 0 in single precision at 15; infinity would make NaN below.
    np.clip(size, np.float32(0), np.float32(15), out=size)
    y = _ratio(_GELU_SINGLE, size, out, work)
    y *= size
    size *= size
    size *= -0.5
    y *= np.exp(size, out=size)
    np.subtract(np.clip(x, np.float32(0), np.float32(np.inf), out=size), y, out=y)


def _gelu_double(x: Any, out: Any, work: Workspace) -> None:
    _erfc(np.multiply(x, -_SQRT_HALF, out=work.like(x)), out, work)
    out *= x
    out *= 0.5


_SQRT_HALF = float(np.sqrt(0.5))


def _by_precision(single: Callable[..., None], double: Callable[..., None]) -> Kernel:
    def compute(x: Any, out: Any, work: Workspace) -> None:
        if x.dtype != np.float16:
            (double if x.dtype == np.float64 else single)(x, out, work)
            return
        made = work.array(x.shape, np.float32)
        single(work.copied(x, np.float32), made, work)
        out[...] = made

    return in_blocks(compute)


_erf_kernel = _by_precision(_erf_single, _erf)
_erfc_kernel = _by_precision(_erfc_single, _erfc)
_gelu_kernel = _by_precision(_gelu_single, _gelu_double)


def _in_doubles(compute: Callable[..., None]) -> Kernel:
    """The kernel that applies `compute(*inputs, out, work)`, of float64, block by block."""
    return in_blocks(lambda *arguments: _of_doubles(compute, *arguments))


def _of_doubles(compute: Callable[..., None], *arguments: Any) -> None:
    *inputs, out, work = arguments
    wide = [_double(x, out.shape, work) for x in inputs]
    if out.dtype == np.float64:
        compute(*wide, out, work)
        return
    made = work.array(out.shape, np.float64)
    compute(*wide, made, work)
    np.copyto(out, made, casting="same_kind")


def _double(x: Any, shape: tuple[int, ...], work: Workspace) -> Any:
    if x.ndim and x.dtype == np.float64:
        return x
    made = work.array(shape, np.float64)
    np.copyto(made, x)
    return made


def _mask(ufunc: np.ufunc, x: Any, bound: Any, work: Workspace) -> Any:
    return ufunc(x, bound, out=work.array(x.shape, np.bool_))


def _erfinv_start(x: Any, out: Any, work: Workspace) -> None:
    """A first guess (M. Giles, 2012), good to single precision."""
    w, part, far = [work.like(x) for _ in range(3)]
    np.negative(x, out=w)
    w *= x
    np.negative(np.log1p(w, out=w), out=w)
    np.minimum(w, 5, out=part)
    part -= 2.5
    _polynomial(
        (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
         -0.00125372503, -0.00417768164, 0.246640727, 1.50140941), part, out)  # fmt: skip
    np.sqrt(np.maximum(w, 5, out=part), out=part)
    part -= 3
    _polynomial(
        (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
         -0.0076224613, 0.00943887047, 1.00167406, 2.83297682), part, far)  # fmt: skip
    np.copyto(out, far, where=_mask(np.greater_equal, w, 5, work))
    out *= x


def _erfinv(x: Any, out: Any, work: Workspace, steps: int) -> None:
    size, inside = np.abs(x, out=work.like(x)), work.copied(x)
    outside = np.logical_not(_mask(np.less, size, 1, work), out=work.array(x.shape, np.bool_))
    np.copyto(inside, 0, where=outside)
    with work.inner():
        _erfinv_start(inside, out, work)
    # Each step triples the digits.
    for _ in range(steps):
        with work.inner():
            step = _erfinv_error(inside, out, work)
            slope = np.negative(out, out=work.like(out))
            slope *= out
            np.exp(slope, out=slope)
            slope *= 2 / _SQRT_PI
            step /= slope
            np.multiply(out, step, out=slope)
            slope += 1
            step /= slope
            out -= step
    np.copyto(out, np.nan, where=outside)
    np.copyto(out, np.inf, where=_mask(np.equal, x, 1, work))
    np.copyto(out, -np.inf, where=_mask(np.equal, x, -1, work))


def _erfinv_error(x: Any, y: Any, work: Workspace) -> Any:
    """erf(y) - x, where x is near 1 from erfc."""
    size, error, far = [work.like(x) for _ in range(3)]
    with work.inner():
        _erf(y, error, work)
    error -= x
    with work.inner():
        _erfc(np.abs(y, out=size), far, work)
    np.subtract(1, np.abs(x, out=size), out=size)
    np.subtract(size, far, out=far)
    far *= np.sign(x, out=size)
    small = _mask(np.less, np.abs(x, out=size), 0.5, work)
    chosen(small, error, far, size, work)
    return size


@in_blocks
def _erfinv_kernel(x: Any, out: Any, work: Workspace) -> None:
    _of_doubles(partial(_erfinv, steps=2 if x.dtype == np.float64 else 1), x, out, work)


# Stirling's series: Bernoulli numbers over 2k (2k - 1) and over 2k
_STIRLING = (
    -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12,
)  # fmt: skip
_MORE = (1.0 / 156, -691.0 / 360360, 1.0 / 1188)
_SHIFT = 10


def _reflected(x: Any, work: Workspace) -> tuple[Any, Any]:
    """x, where it is below 0.5 the 1 - x on the other side; and where that is."""
    below = _mask(np.less, x, 0.5, work)
    z = work.copied(x)
    if below.any():
        np.subtract(1, x, out=z, where=below)
    return z, below


def _inverse_square(x: Any, work: Workspace) -> Any:
    inverse = np.square(x, out=work.like(x))
    return np.divide(1, inverse, out=inverse)


def _lgamma_above(z: Any, out: Any, work: Workspace) -> None:
    """For z of at least 0.5."""
    large = _mask(np.greater_equal, z, _SHIFT, work)
    product, shifted = work.copied(z), work.like(z)
    for k in range(1, _SHIFT):
        product *= np.add(z, k, out=shifted)
    np.copyto(product, 1, where=large)
    np.add(z, _SHIFT, out=shifted)
    np.copyto(shifted, z, where=large)
    series = _polynomial(_MORE + _STIRLING, _inverse_square(shifted, work), work.like(z))
    series /= shifted
    np.subtract(shifted, 0.5, out=out)
    with work.inner():
        out *= np.log(shifted, out=work.like(z))
    out -= shifted
    out += 0.5 * np.log(2 * np.pi)
    out += series
    out -= np.log(product, out=product)
    np.copyto(out, np.inf, where=np.equal(z, np.inf, out=large))


def _lgamma(x: Any, out: Any, work: Workspace) -> None:
    z, below = _reflected(x, work)
    with work.inner():
        _lgamma_above(z, out, work)
    if below.any():
        part = _around(x, z)
        part *= np.pi
        np.log(np.abs(np.sin(part, out=part), out=part), out=part)
        np.subtract(np.log(np.pi), part, out=part)
        np.subtract(part, out, out=out, where=below)
        np.copyto(out, np.inf, where=_poles(x, work))
    for root in (1, 2):
        np.copyto(out, 0.0, where=np.equal(x, root, out=below))
    np.copyto(out, x, where=np.isnan(x, out=below))


def _around(x: Any, out: Any) -> Any:
    """The distance to the nearest integer."""
    return np.subtract(x, np.rint(x, out=out), out=out)


def _poles(x: Any, work: Workspace) -> Any:
    found = _mask(np.less_equal, x, 0, work)
    with work.inner():
        found &= _mask(np.equal, x, np.floor(x, out=work.like(x)), work)
    return found


_DIGAMMA = (
    1.0 / 12, -691.0 / 32760, 1.0 / 132, -1.0 / 240, 1.0 / 252, -1.0 / 120, 1.0 / 12, 0.0,
)  # fmt: skip


def _digamma_above(z: Any, out: Any, work: Workspace) -> None:
    """For z of at least 0.5."""
    large = _mask(np.greater_equal, z, _SHIFT, work)
    total, shifted = work.zeros(z.shape, z.dtype), work.like(z)
    for k in range(_SHIFT):
        np.add(z, k, out=shifted)
        total += np.divide(1, shifted, out=shifted)
    np.copyto(total, 0, where=large)
    np.add(z, _SHIFT, out=shifted)
    np.copyto(shifted, z, where=large)
    series = _polynomial(_DIGAMMA, _inverse_square(shifted, work), work.like(z))
    np.log(shifted, out=out)
    out -= np.divide(0.5, shifted, out=shifted)
    out -= series
    out -= total


def _digamma(x: Any, out: Any, work: Workspace) -> None:
    z, below = _reflected(x, work)
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
    for k in range(_SHIFT):
        np.add(start, k, out=term)
        out += np.power(term, exponent, out=term)
    np.add(start, _SHIFT, out=end)
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
    np.copyto(out, np.nan, where=_mask(np.less, s, 1, work))
    np.copyto(out, np.inf, where=_mask(np.equal, s, 1, work))


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
    zeroth = _mask(np.equal, order, 0, work)
    if zeroth.any():
        _digamma(x, sign, work)
        np.copyto(out, sign, where=zeroth)


_lgamma_kernel = _in_doubles(_lgamma)
_digamma_kernel = _in_doubles(_digamma)
_zeta_kernel = _in_doubles(_zeta)
_polygamma_kernel = _in_doubles(_polygamma)


erf: Op = unary(
    "erf", _erf_kernel, "G->G", op_type="Erf", doc="The error function.",
    gradient=lambda x, y, g: g * (2 / _SQRT_PI) * ops.exp(-ops.square(x)),
)  # fmt: skip
erfc: Op = unary(
    "erfc", _erfc_kernel, "G->G", op_type="Erfc", doc="1 - erf(x), accurate where that is small.",
    gradient=lambda x, y, g: g * (-2 / _SQRT_PI) * ops.exp(-ops.square(x)),
)  # fmt: skip
exact_gelu: Op = unary(
    "gelu", _gelu_kernel, "G->G", op_type="Gelu",
    doc="x times the normal distribution up to x.",
    gradient=lambda x, y, g: g * (
        erfc(x * -_SQRT_HALF) * 0.5 + x * ops.exp(ops.square(x) * -0.5) * (_SQRT_HALF / _SQRT_PI)
    ),
)  # fmt: skip
erfinv: Op = unary(
    "erfinv", _erfinv_kernel, "G->G", op_type="Erfinv", reads="y", samples=UNIT,
    doc="The inverse of the error function.",
    gradient=lambda x, y, g: g * (_SQRT_PI / 2) * ops.exp(ops.square(y)),
)  # fmt: skip
lgamma: Op = unary(
    "lgamma", _lgamma_kernel, "G->G", op_type="Lgamma", samples=POSITIVE,
    doc="The logarithm of the absolute value of the gamma function.",
    gradient=lambda x, y, g: g * digamma(x),
)  # fmt: skip
digamma: Op = unary(
    "digamma", _digamma_kernel, "G->G", op_type="Digamma", samples=POSITIVE,
    doc="The derivative of lgamma.",
    gradient=lambda x, y, g: g * polygamma(ops.ones_like(x), x),
)  # fmt: skip
polygamma: Op = binary(
    "polygamma", _polygamma_kernel, "G,G->G", op_type="Polygamma",
    doc="The derivative of order a of digamma, at x.",
    gradient=lambda a, x, y, g: (None, g * polygamma(a + 1, x)),
    samples=(sample([1.0, 2.0, 3.0], "3:+"),),
)  # fmt: skip
zeta: Op = binary(
    "zeta", _zeta_kernel, "G,G->G", op_type="Zeta",
    doc="The sum of (q + k) ** -x over k = 0, 1, ...",
    gradient=lambda x, q, y, g: (None, -g * x * zeta(x + 1, q)),
    samples=(sample([2.0, 3.5, 4.0], "3:+"),),
)  # fmt: skip


def ndtri(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the cumulative distribution of the standard normal."""
    return erfinv(2 * convert_to_tensor(x) - 1) * float(np.sqrt(2))


def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """The inverse of erfc."""
    return erfinv(1 - convert_to_tensor(x))


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the beta function of the rows' elements."""
    values = convert_to_tensor(x)
    return ops.reduce_sum(lgamma(values), -1) - lgamma(ops.reduce_sum(values, -1))


# Forms that give 0 where the plain form would give NaN


def _zero_where(which: int, compute: Callable[..., Any]) -> Kernel:
    """The kernel that applies `compute(a, b, out, work)`, and gives 0 where the first input (0), or
    the second one (1), is 0.
    """

    def kernel(a: Any, b: Any, out: Any = None, work: Workspace | None = None) -> Any:
        work = None if work is None or max(a.size, b.size) <= PIECE else opened(work)
        made, x = compute(a, b, out, work), (a, b)[which]
        if not np.ndim(made):
            return made if x != 0 else made.dtype.type(0)
        np.copyto(made, 0, where=x == 0 if work is None else _mask(np.equal, x, 0, work))
        return made

    return kernel


def _plain(ufunc: np.ufunc) -> Callable[..., Any]:
    return lambda a, b, out, work: ufunc(a, b, out=out)


def _times(ufunc: np.ufunc) -> Callable[..., Any]:
    """x times a function of y, which is computed once for each element of y."""

    def compute(a: Any, b: Any, out: Any, work: Workspace | None) -> Any:
        if out is None:
            return a * ufunc(b)
        made = out if b.shape == out.shape else None
        if made is None and work is not None:
            made = work.like(b)
        return np.multiply(a, ufunc(b, out=made), out=out)

    return compute


_BESIDE = (sample("2,3", "3:+"), sample("2,1:+", "3:+"))
divide_no_nan: Op = binary(
    "div_no_nan", _zero_where(1, _plain(np.divide)), "F,F->F", op_type="DivNoNan", samples=_BESIDE,
    doc="x / y, and 0 where y is 0.",
    gradient=(
        lambda a, b, y, g: divide_no_nan(g, ops.conj(b)),
        lambda a, b, y, g: -g * ops.conj(divide_no_nan(divide_no_nan(a, b), b)),
    ),
)  # fmt: skip
multiply_no_nan: Op = binary(
    "mul_no_nan", _zero_where(1, _plain(np.multiply)), "F,F->F", op_type="MulNoNan",
    samples=_BESIDE,
    doc="x * y, and 0 where y is 0 even if x is infinite or NaN.",
    gradient=(
        lambda a, b, y, g: multiply_no_nan(g, ops.conj(b)),
        lambda a, b, y, g: multiply_no_nan(ops.conj(a), g),
    ),
)  # fmt: skip
xlogy: Op = binary(
    "xlogy", _zero_where(0, _times(np.log)), "F,F->F", op_type="Xlogy",
    samples=(sample("2,3:+", "3:+"),), doc="x * log(y), and 0 where x is 0.",
    gradient=(
        lambda a, b, y, g: g * ops.conj(xlogy(_nonzero(a), b)),
        lambda a, b, y, g: g * ops.conj(xdivy(a, b)),
    ),
)  # fmt: skip
xlog1py: Op = binary(
    "xlog1py", _zero_where(0, _times(np.log1p)), "F,F->F", op_type="Xlog1py",
    samples=(sample("2,3:+", "3:+"),), doc="x * log(1 + y), and 0 where x is 0.",
    gradient=(
        lambda a, b, y, g: g * ops.conj(xlog1py(_nonzero(a), b)),
        lambda a, b, y, g: g * ops.conj(xdivy(a, b + 1)),
    ),
)  # fmt: skip
xdivy: Op = binary(
    "xdivy", _zero_where(0, _plain(np.divide)), "F,F->F", op_type="Xdivy",
    samples=(sample("2,3:+", "3:+"),), doc="x / y, and 0 where x is 0.",
    gradient=(
        lambda a, b, y, g: g * ops.conj(xdivy(_nonzero(a), b)),
        lambda a, b, y, g: -g * ops.conj(xdivy(xdivy(a, b), b)),
    ),
)  # fmt: skip


def _nonzero(x: Any) -> Any:
    """1 where x is not 0, else 0."""
    return ops.cast(ops.not_equal(x, ops.zeros_like(x)), x.dtype)


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0."""
    value = convert_to_tensor(x)
    return divide_no_nan(ops.ones_like(value), value)


nextafter: Op = binary(
    "next_after", np.nextafter, "G,G->G", op_type="NextAfter", reads="",
    gradient=lambda a, b, y, g: (g, None), samples=(),
    doc="The number next to x in the direction of y.",
)  # fmt: skip


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """A tensor times a scalar; ValueError if the first is none."""
    value = convert_to_tensor(x)
    factor = convert_to_tensor(scalar, value.dtype)
    if factor.ndim not in (0, None):
        raise wrong_value(f"The input scalar must be a 0-D value. Received: shape {factor.shape}")
    return value * factor


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The polynomial with these coefficients (the highest power first) at x."""
    if not isinstance(coeffs, list):
        raise wrong_value(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    value = convert_to_tensor(x)
    if not coeffs:
        return ops.zeros_like(value)
    total = convert_to_tensor(coeffs[0], value.dtype)
    for coefficient in coeffs[1:]:
        total = convert_to_tensor(coefficient, value.dtype) + total * value
    return total


def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """log(cumsum(exp(x))) along `axis`, computed relative to the largest element."""
    value = convert_to_tensor(x)
    top = ops.stop_gradient(ops.reduce_max(value, axis, True))
    sums = ops.cumsum(ops.exp(value - top), axis, exclusive, reverse)
    lowest = convert_to_tensor(value.dtype.min, value.dtype)
    empty = ops.equal(sums, ops.zeros_like(sums))
    safe = ops.log(ops.where(empty, ops.ones_like(sums), sums)) + top
    return ops.where(empty, lowest, safe)
