"""Kernels of the error function and its relatives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from runtime.core.primitive import Kernel
from runtime.core.workspace import Workspace
from runtime.ops.blockwise import MANY, chosen, in_blocks, mask, of_doubles, places, polynomial

SQRT_PI = float(np.sqrt(np.pi))

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
    y = polynomial(tables[0], x, out)
    with work.inner():
        y /= polynomial(tables[1], x, work.like(x))
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
    np.subtract(1 / SQRT_PI, ratio, out=ratio)
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
    # With the zero of below, a tail that vanishes leaves x its sign.
    np.subtract(np.clip(x, np.float32(-0.0), np.float32(np.inf), out=size), y, out=y)


def _gelu_double(x: Any, out: Any, work: Workspace) -> None:
    half = work.like(x)
    _erfc(np.multiply(x, -SQRT_HALF, out=half), out, work)
    # The distribution is 0 below; infinity would make NaN of that.
    np.maximum(x, -64, out=half)
    half *= 0.5
    out *= half


SQRT_HALF = float(np.sqrt(0.5))


def _by_precision(single: Callable[..., None], double: Callable[..., None]) -> Kernel:
    def compute(x: Any, out: Any, work: Workspace) -> None:
        if x.dtype != np.float16:
            (double if x.dtype == np.float64 else single)(x, out, work)
            return
        made = work.array(x.shape, np.float32)
        single(work.copied(x, np.float32), made, work)
        out[...] = made

    return in_blocks(compute)


erf_kernel = _by_precision(_erf_single, _erf)
erfc_kernel = _by_precision(_erfc_single, _erfc)
gelu_kernel = _by_precision(_gelu_single, _gelu_double)


def _erfinv_start(x: Any, out: Any, work: Workspace) -> None:
    """A first guess (M. Giles, 2012), good to single precision."""
    w, part, far = [work.like(x) for _ in range(3)]
    np.negative(x, out=w)
    w *= x
    np.negative(np.log1p(w, out=w), out=w)
    np.minimum(w, 5, out=part)
    part -= 2.5
    polynomial(
        (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
         -0.00125372503, -0.00417768164, 0.246640727, 1.50140941), part, out)  # fmt: skip
    np.sqrt(np.maximum(w, 5, out=part), out=part)
    part -= 3
    polynomial(
        (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
         -0.0076224613, 0.00943887047, 1.00167406, 2.83297682), part, far)  # fmt: skip
    np.copyto(out, far, where=mask(np.greater_equal, w, 5, work))
    out *= x


def _erfinv(x: Any, out: Any, work: Workspace, steps: int) -> None:
    size, inside = np.abs(x, out=work.like(x)), work.copied(x)
    outside = np.logical_not(mask(np.less, size, 1, work), out=work.array(x.shape, np.bool_))
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
            slope *= 2 / SQRT_PI
            step /= slope
            np.multiply(out, step, out=slope)
            slope += 1
            step /= slope
            out -= step
    np.copyto(out, np.nan, where=outside)
    np.copyto(out, np.inf, where=mask(np.equal, x, 1, work))
    np.copyto(out, -np.inf, where=mask(np.equal, x, -1, work))


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
    small = mask(np.less, np.abs(x, out=size), 0.5, work)
    chosen(small, error, far, size, work)
    return size


@in_blocks
def erfinv_kernel(x: Any, out: Any, work: Workspace) -> None:
    of_doubles(partial(_erfinv, steps=2 if x.dtype == np.float64 else 1), x, out, work)
