"""Error function, gamma function and their relatives, and the guarded forms of arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Kernel, Order, Primitive, bind, row, sample, wrong_value
from runtime.core.tensor import Tensor
from runtime.core.workspace import Workspace, opened
from runtime.ops.batching import along_axis
from runtime.ops.blockwise import PIECE, mask
from runtime.ops.define import POSITIVE, UNIT, Op, binary, unary
from runtime.ops.error_kernels import (
    SQRT_HALF,
    SQRT_PI,
    erf_kernel,
    erfc_kernel,
    erfinv_kernel,
    gelu_kernel,
)
from runtime.ops.gamma_kernels import digamma_kernel, lgamma_kernel, polygamma_kernel, zeta_kernel
from runtime.ops.indexed_slices import IndexedSlices
from runtime.ops.math import as_fractions
from runtime.ops.normal_kernels import ndtri_kernel
from runtime.ops.reductions import CUMULATED, cumulative, cumulative_shape, running

erf: Op = unary(
    "erf", erf_kernel, "G->G", op_type="Erf", doc="The error function.",
    gradient=lambda x, y, g: g * (2 / SQRT_PI) * ops.exp(-ops.square(x)), order=Order.C,
    example=("rt.math.erf([1.]).numpy().round(3)", "array([0.843], dtype=float32)"),
    instruction="erf",
)  # fmt: skip
erfc: Op = unary(
    "erfc", erfc_kernel, "G->G", op_type="Erfc", doc="1 - erf(x), accurate where that is small.",
    gradient=lambda x, y, g: g * (-2 / SQRT_PI) * ops.exp(-ops.square(x)), order=Order.C,
    example=("rt.math.erfc([1.]).numpy().round(3)", "array([0.157], dtype=float32)"),
    instruction="erfc",
)  # fmt: skip
exact_gelu: Op = unary(
    "gelu", gelu_kernel, "G->G", op_type="Gelu", is_own=True,
    doc="x times the normal distribution up to x.",
    gradient=lambda x, y, g: g * (
        erfc(x * -SQRT_HALF) * 0.5 + x * ops.exp(ops.square(x) * -0.5) * (SQRT_HALF / SQRT_PI)
    ), order=Order.C,
    instruction="gelu",
)  # fmt: skip
erfinv: Op = unary(
    "erfinv", erfinv_kernel, "G->G", op_type="Erfinv", reads="y", samples=UNIT,
    doc="The inverse of the error function.",
    gradient=lambda x, y, g: g * (SQRT_PI / 2) * ops.exp(ops.square(y)), order=Order.C,
    example=("rt.math.erfinv([0.5]).numpy().round(3)", "array([0.477], dtype=float32)"),
)  # fmt: skip
lgamma: Op = unary(
    "lgamma", lgamma_kernel, "G->G", op_type="Lgamma", samples=POSITIVE,
    doc="The logarithm of the absolute value of the gamma function.",
    gradient=lambda x, y, g: g * digamma(x), order=Order.C,
    example=("rt.math.lgamma([3.]).numpy().round(3)", "array([0.693], dtype=float32)"),
    instruction="lgamma",
)  # fmt: skip
digamma: Op = unary(
    "digamma", digamma_kernel, "G->G", op_type="Digamma", samples=POSITIVE,
    doc="The derivative of lgamma.",
    gradient=lambda x, y, g: g * polygamma(ops.ones_like(x), x), order=Order.C,
    example=("rt.math.digamma([1.]).numpy().round(3)", "array([-0.577], dtype=float32)"),
    instruction="digamma",
)  # fmt: skip
polygamma: Op = binary(
    "polygamma", polygamma_kernel, "G,G->G", op_type="Polygamma",
    doc="The derivative of order a of digamma, at x.",
    gradient=lambda a, x, y, g: (None, g * polygamma(a + 1, x)),
    samples=(sample([1.0, 2.0, 3.0], "3:+"),), arguments="a x",
    example=("rt.math.polygamma([1.], [1.]).numpy().round(3)", "array([1.645], dtype=float32)"),
)  # fmt: skip
zeta: Op = binary(
    "zeta", zeta_kernel, "G,G->G", op_type="Zeta",
    doc="The sum of (q + k) ** -x over k = 0, 1, ...",
    gradient=lambda x, q, y, g: (None, -g * x * zeta(x + 1, q)),
    samples=(sample([2.0, 3.5, 4.0], "3:+"),), arguments="x q",
    example=("rt.math.zeta([2.], [1.]).numpy().round(3)", "array([1.645], dtype=float32)"),
)  # fmt: skip


ndtri: Op = unary(
    "ndtri", ndtri_kernel, "G->G", op_type="Ndtri", reads="y", samples=(sample([0.1, 0.5, 0.97]),),
    doc="The inverse of the cumulative distribution of the standard normal.",
    gradient=lambda x, y, g: g * (SQRT_PI / SQRT_HALF) * ops.exp(ops.square(y) * 0.5),
    example=("rt.math.ndtri([0.5, 0.975]).numpy().round(3)", "array([0.  , 1.96], dtype=float32)"),
)  # fmt: skip


def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """The inverse of erfc, accurate where that is small.

    >>> rt.math.erfcinv([0.5]).numpy().round(3)
    array([0.477], dtype=float32)
    """
    return ndtri(convert_to_tensor(x) * 0.5) * -SQRT_HALF


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the beta function of the rows' elements.

    >>> round(float(rt.math.lbeta([1., 2.])), 3)
    -0.693
    """
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
        np.copyto(made, 0, where=x == 0 if work is None else mask(np.equal, x, 0, work))
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
_divide_no_nan: Op = binary(
    "div_no_nan", _zero_where(1, _plain(np.divide)), "F,F->F", op_type="DivNoNan", samples=_BESIDE,
    doc="x / y of floating-point tensors, and 0 where y is 0.",
    gradient=(
        lambda a, b, y, g: _divide_no_nan(g, ops.conj(b)),
        lambda a, b, y, g: -g * ops.conj(_divide_no_nan(_divide_no_nan(a, b), b)),
    ), order=Order.KEEP,
    example=("rt.raw_ops.DivNoNan(x=[1., 6.], y=[0., 2.]).numpy().tolist()", "[0.0, 3.0]"),
    instruction="div_no_nan",
)  # fmt: skip


def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, and 0 where y is 0; integers become floats as in `truediv`.

    >>> rt.math.divide_no_nan([1., 6.], [0., 2.]).numpy().tolist()
    [0.0, 3.0]
    """
    return _divide_no_nan(*as_fractions(x, y))


multiply_no_nan: Op = binary(
    "mul_no_nan", _zero_where(1, _plain(np.multiply)), "F,F->F", op_type="MulNoNan",
    samples=_BESIDE,
    doc="x * y, and 0 where y is 0 even if x is infinite or NaN.",
    gradient=(
        lambda a, b, y, g: multiply_no_nan(g, ops.conj(b)),
        lambda a, b, y, g: multiply_no_nan(ops.conj(a), g),
    ), order=Order.KEEP,
    example=("rt.math.multiply_no_nan([np.inf], [0.]).numpy().tolist()", "[0.0]"),
    instruction="mul_no_nan",
)  # fmt: skip
xlogy: Op = binary(
    "xlogy", _zero_where(0, _times(np.log)), "F,F->F", op_type="Xlogy",
    samples=(sample("2,3:+", "3:+"),), doc="x * log(y), and 0 where x is 0.",
    gradient=(
        lambda a, b, y, g: g * ops.conj(xlogy(_nonzero(a), b)),
        lambda a, b, y, g: g * ops.conj(xdivy(a, b)),
    ),
    example=("rt.math.xlogy([0.], [0.]).numpy().tolist()", "[0.0]"),
    instruction="xlogy",
)  # fmt: skip
xlog1py: Op = binary(
    "xlog1py", _zero_where(0, _times(np.log1p)), "F,F->F", op_type="Xlog1py",
    samples=(sample("2,3:+", "3:+"),), doc="x * log(1 + y), and 0 where x is 0.",
    gradient=(
        lambda a, b, y, g: g * ops.conj(xlog1py(_nonzero(a), b)),
        lambda a, b, y, g: g * ops.conj(xdivy(a, b + 1)),
    ),
    example=("rt.math.xlog1py([2.], [1.]).numpy().round(3)", "array([1.386], dtype=float32)"),
    instruction="xlog1py",
)  # fmt: skip
xdivy: Op = binary(
    "xdivy", _zero_where(0, _plain(np.divide)), "F,F->F", op_type="Xdivy",
    samples=(sample("2,3:+", "3:+"),), doc="x / y, and 0 where x is 0.",
    gradient=(
        lambda a, b, y, g: g * ops.conj(xdivy(_nonzero(a), b)),
        lambda a, b, y, g: -g * ops.conj(xdivy(xdivy(a, b), b)),
    ),
    example=("rt.math.xdivy([0., 3.], [0., 2.]).numpy().tolist()", "[0.0, 1.5]"),
    instruction="xdivy",
)  # fmt: skip


def _nonzero(x: Any) -> Any:
    """1 where x is not 0, else 0."""
    return ops.cast(ops.not_equal(x, ops.zeros_like(x)), x.dtype)


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0.

    >>> rt.math.reciprocal_no_nan([0., 4.]).numpy().tolist()
    [0.0, 0.25]
    """
    value = convert_to_tensor(x)
    return divide_no_nan(ops.ones_like(value), value)


nextafter: Op = binary(
    "next_after", np.nextafter, "G,G->G", op_type="NextAfter", reads="",
    gradient=(lambda a, b, y, g: g, lambda a, b, y, g: ops.zeros_like(g)), samples=(),
    doc="The number next to x1 in the direction of x2.", arguments="x1 x2",
    example=("float(rt.math.nextafter(1., 2.)) - 1  # 2 ** -23", "1.1920928955078125e-07"),
)  # fmt: skip


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """A tensor, or the values of IndexedSlices, times a scalar; ValueError if the first is none.

    >>> rt.scalar_mul(2., [1., 2.]).numpy().tolist()
    [2.0, 4.0]
    """
    if type(x) is IndexedSlices:
        return x.with_values(scalar_mul(scalar, x.values))  # type: ignore[return-value]
    value = convert_to_tensor(x)
    factor = convert_to_tensor(scalar, value.dtype)
    if factor.ndim not in (0, None):
        raise wrong_value(f"The input scalar must be a 0-D value. Received: shape {factor.shape}")
    return value * factor


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The polynomial with these coefficients (the highest power first) at x.

    >>> rt.math.polyval([[1.], [2.]], [3.]).numpy().tolist()
    [5.0]
    """
    if not isinstance(coeffs, list):
        raise wrong_value(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    value = convert_to_tensor(x)
    if not coeffs:
        return ops.zeros_like(value)
    total = convert_to_tensor(coeffs[0], value.dtype)
    for coefficient in coeffs[1:]:
        total = convert_to_tensor(coefficient, value.dtype) + total * value
    return total


# The largest spread of exponents that one scale serves: log of their sum is then right to about
# as many units in the last place.
_SPREAD = 32.0
_added, _log_added = cumulative(np.add), cumulative(np.logaddexp)


def _logsumexp_kernel(x: Any, *, axis: int, out: Any = None, **order: bool) -> Any:
    """Running sums at the scale of the largest element; term by term where that is too far away,
    and for what is not finite.
    """
    top = np.max(x, axis, initial=-np.inf, keepdims=True)
    if not np.all(top - np.min(x, axis, initial=np.inf, keepdims=True) <= _SPREAD):
        return _log_added(x, axis=axis, out=out, **order)
    scaled = np.subtract(x, top)
    y = _added(np.exp(scaled, out=scaled), axis=axis, out=out, **order)
    return np.add(np.log(y, out=y), top, out=y)


def _logsumexp_gradient(op: Any, g: Any) -> Any:
    """x[i] has the weight exp(x[i] - y[j]) in each y[j] that it is part of: the weighted sum of g,
    taken as logarithms, for either sign of g. What is minus infinite has no weight anywhere.

    Where g is 0, something small is added and taken away again, for the sum has a derivative by g
    there too: forward mode and second derivatives ask for it.
    """
    x, y = op.inputs[0], op.outputs[0]
    lowest = ops.fill(ops.shape(x), convert_to_tensor(-np.inf, x.dtype))
    reached = ops.greater(y, lowest)

    def weighted(size: Any) -> Any:
        counts = ops.logical_and(reached, ops.greater(size, ops.zeros_like(size)))
        logs = ops.log(ops.where(counts, size, ops.ones_like(size))) - y
        sums = bind(
            cumulative_logsumexp_p, ops.where(counts, logs, lowest),
            **op.params | {"reverse": not op.params["reverse"]},
        )  # fmt: skip
        return ops.exp(sums + x)

    small = ops.zeros_like(g) + float(np.sqrt(np.finfo(x.dtype.np_dtype).tiny))
    nothing = ops.equal(g, ops.zeros_like(g))
    found = weighted(ops.where(nothing, g + small, g)) - weighted(ops.where(nothing, small, -g))
    return (ops.where(ops.greater(x, lowest), found, ops.zeros_like(found)),)


cumulative_logsumexp_p: Primitive = row(
    "cumulative_logsumexp", _logsumexp_kernel, signature="G->G", shape=cumulative_shape,
    op_type="CumulativeLogsumexp", gradient=_logsumexp_gradient, keep_outputs=(0,),
    batching=along_axis,
    samples=CUMULATED[::2],  # the others begin with minus infinity
)  # fmt: skip


def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """log(cumsum(exp(x))) along `axis`, without overflow or underflow.

    Of floats, of the same shape. `exclusive` leaves the element itself out (the first one is minus
    infinity), `reverse` runs from the end.

    >>> rt.math.cumulative_logsumexp([0., 0.]).numpy().round(3)
    array([0.   , 0.693], dtype=float32)
    """
    return running(cumulative_logsumexp_p, x, axis, exclusive, reverse)
