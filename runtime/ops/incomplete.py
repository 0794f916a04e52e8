"""The incomplete gamma and beta functions, by SciPy."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.extras import extra
from runtime.core.primitive import Primitive, bind, row, sample, wrong_value
from runtime.core.shapes import Shape, merge_shapes
from runtime.core.tensor import Tensor
from runtime.ops.define import Op, binary, sum_to_shape_of
from runtime.ops.gamma_kernels import digamma_kernel, lgamma_kernel


def _special(what: str) -> Any:
    return extra("scipy.special", "scipy", what)


def _lower_kernel(a: Any, x: Any) -> Any:
    found = _special("math.igamma").gammainc(a, x)
    none = (x == 0) | _both_endless(a, x)
    return np.where(none, 0, np.where(a > 0, found, np.nan)).astype(a.dtype)


def _upper_kernel(a: Any, x: Any) -> Any:
    found = _special("math.igammac").gammaincc(a, x)
    return np.where(_both_endless(a, x), 0, np.where(a > 0, found, np.nan)).astype(a.dtype)


def _both_endless(a: Any, x: Any) -> Any:
    # Here TensorFlow has 0 for both shares.
    return (a == np.inf) & (x == np.inf)


def _slope(a: Any, x: Any) -> Any:
    return ops.exp((a - 1) * ops.log(x) - x - ops.lgamma(a))


_PAIRS = (sample("2,3:+", "3:+"), sample([0.3, 2.0, 40.0], [0.2, 5.0, 35.0]))
igamma: Op = binary(
    "igamma", _lower_kernel, "H,H->H", op_type="Igamma", samples=_PAIRS,
    doc="The lower incomplete gamma function of a up to x, as a share of the whole; needs SciPy.",
    gradient=(
        lambda a, x, y, g: g * igamma_grad_a(a, x), lambda a, x, y, g: g * _slope(a, x),
    ), arguments="a x",
    example=("rt.math.igamma([1.], [1.]).numpy().round(3)", "array([0.632], dtype=float32)"),
)  # fmt: skip
igammac: Op = binary(
    "igammac", _upper_kernel, "H,H->H", op_type="Igammac",
    samples=_PAIRS, doc="1 - igamma(a, x), accurate where that is small; needs the extra `scipy`.",
    gradient=(
        lambda a, x, y, g: -g * igamma_grad_a(a, x), lambda a, x, y, g: -g * _slope(a, x),
    ), arguments="a x",
    example=("rt.math.igammac([1.], [1.]).numpy().round(3)", "array([0.368], dtype=float32)"),
)  # fmt: skip


def _grad_a_kernel(a: Any, x: Any) -> Any:
    shape, dtype = np.broadcast_shapes(a.shape, x.shape), a.dtype
    wide, end = (np.broadcast_to(v, shape).astype(np.float64).ravel() for v in (a, x))
    made = np.full(wide.size, np.nan)
    inside = (wide > 0) & (end > 0)
    made[(end == 0) | (inside & ((wide == np.inf) != (end == np.inf)))] = 0
    inside &= (wide < np.inf) & (end < np.inf)
    below = inside & (end <= wide + 1)
    for chosen, compute in ((below, _by_series), (inside & ~below, _by_fraction)):
        if chosen.any():
            with np.errstate(all="ignore"):
                made[chosen] = compute(wide[chosen], end[chosen])
    return made.reshape(shape).astype(dtype)


def _by_series(a: Any, x: Any) -> Any:
    """For x up to a + 1: P = x^a e^-x / gamma(a + 1) (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...)."""
    term, total, slope, harmonic = np.ones_like(a), np.ones_like(a), np.zeros_like(a), a * 0
    n = 0
    while np.any(term > total * _SMALL):
        n += 1
        term = term * (x / (a + n))
        harmonic = harmonic + 1 / (a + n)
        total, slope = total + term, slope - term * harmonic
    above = a + 1
    scale = np.exp(a * np.log(x) - x - lgamma_kernel(above))
    return scale * (total * (np.log(x) - digamma_kernel(above)) + slope)


def _by_fraction(a: Any, x: Any) -> Any:
    """For x above a + 1: Q = x^a e^-x / gamma(a) / (x + 1 - a + 1 (a - 1) / (x + 3 - a + ...))."""
    rest, slope = np.zeros_like(a), np.zeros_like(a)
    for k in range(_steps(a), 0, -1):
        below = x + 2 * k + 1 - a + rest
        rest, slope = k * (a - k) / below, (k - k * (a - k) / below * (slope - 1)) / below
    whole = x + 1 - a + rest
    upper = np.exp(a * np.log(x) - x - lgamma_kernel(a)) / whole
    return -upper * (np.log(x) - digamma_kernel(a) - (slope - 1) / whole)


def _steps(a: Any) -> int:
    return 100 + int(20 * np.sqrt(a.max()))


_SMALL = 1e-17
igamma_grad_a: Op = binary(
    "igamma_grad_a", _grad_a_kernel, "H,H->H", op_type="IgammaGradA", samples=(),
    doc="The derivative of igamma by its first argument.", arguments="a x",
    example=(
        "rt.raw_ops.IgammaGradA(a=[2.], x=[3.]).numpy().round(3)",
        "array([-0.197], dtype=float32)",
    ),
)  # fmt: skip


def _betainc_kernel(a: Any, b: Any, x: Any) -> Any:
    _betainc_shape(a.shape, b.shape, x.shape)
    found = _special("math.betainc").betainc(a, b, x)
    found = np.where(np.isinf(a) | np.isinf(b), np.nan, found)
    found = np.where((x == 0) | (x == 1), x, found)  # whatever a and b are
    return np.where((a <= 0) | (b <= 0), np.nan, found).astype(x.dtype)


def _betainc_shape(*shapes: Shape) -> Shape:
    whole = [shape for shape in shapes if shape != ()]
    try:
        return reduce(merge_shapes, whole) if whole else ()
    except ValueError:
        raise wrong_value(f"the shapes of a, b and x must be equal, or (): {shapes}") from None


def _betainc_gradient(op: Any, g: Any) -> Any:
    """By x alone, as in TensorFlow: for a and b there is no closed form."""
    a, b, x = op.inputs
    scale = ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)
    slope = ops.exp(ops.xlog1py(b - 1, -x) + ops.xlogy(a - 1, x) - scale)
    return None, None, sum_to_shape_of(g * slope, x)


betainc_p: Primitive = row(
    "betainc", _betainc_kernel, signature="H,H,H->H", shape=_betainc_shape, op_type="Betainc",
    gradient=_betainc_gradient, fallible=True,
    samples=(sample("3:+", "3:+", [0.1, 0.5, 0.9]), sample(":+", "3:+", 0.3)),
)  # fmt: skip


def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """The regularized incomplete beta function of `a` and `b` up to `x`, between 0 and 1.

    All are float32, or float64, of one shape, or scalars, and so is the result: NaN where a or b is
    not above 0, or x not between 0 and 1. Its gradient is that of x; a and b have none. Needs the
    extra `scipy`. InvalidArgumentError (ValueError while tracing) for other shapes.

    >>> rt.math.betainc(2.0, 2.0, [0.5]).numpy().tolist()
    [0.5]
    """
    given = [v for v in (a, b, x) if isinstance(v, Tensor)]
    dtype = given[0].dtype if given else None
    return bind(betainc_p, *[convert_to_tensor(v, dtype) for v in (a, b, x)])  # type: ignore[no-any-return]
