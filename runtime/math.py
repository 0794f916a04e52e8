"""Functions of numbers, elementwise and along axes."""

# fmt: off
# ruff: noqa: I001
from runtime.core.lazy import facade as _facade
from runtime.ops.comparison import (
    equal as equal, greater as greater, greater_equal as greater_equal, less as less,
    less_equal as less_equal, logical_and as logical_and, logical_not as logical_not,
    logical_or as logical_or, logical_xor as logical_xor, not_equal as not_equal,
)
from runtime.ops.complex import angle as angle, conj as conj, imag as imag, real as real
from runtime.ops.counting import bincount as bincount, confusion_matrix as confusion_matrix
from runtime.ops.incomplete import betainc as betainc, igamma as igamma, igammac as igammac
from runtime.ops.math import (
    abs as abs, acos as acos, acosh as acosh, add as add, asin as asin, asinh as asinh,
    atan as atan, atan2 as atan2, atanh as atanh, ceil as ceil, cos as cos, cosh as cosh,
    divide as divide, exp as exp, expm1 as expm1, floor as floor, floordiv as floordiv,
    floormod as floormod, is_finite as is_finite, is_inf as is_inf, is_nan as is_nan, log as log,
    log1p as log1p, maximum as maximum, minimum as minimum, mod as mod, multiply as multiply,
    negative as negative, pow as pow, reciprocal as reciprocal, rint as rint, round as round,
    rsqrt as rsqrt, sign as sign, sin as sin, sinh as sinh, sqrt as sqrt, square as square,
    squared_difference as squared_difference, subtract as subtract, tan as tan, tanh as tanh,
    truediv as truediv,
)
from runtime.ops.nn import (
    log_sigmoid as log_sigmoid, log_softmax as log_softmax, sigmoid as sigmoid, softmax as softmax,
    softplus as softplus, softsign as softsign,
)
from runtime.ops.norms import l2_normalize as l2_normalize
from runtime.ops.ordering import (
    argmax as argmax, argmin as argmin, in_top_k as in_top_k,
    invert_permutation as invert_permutation, is_non_decreasing as is_non_decreasing,
    is_strictly_increasing as is_strictly_increasing, top_k as top_k,
)
from runtime.ops.reductions import (
    accumulate_n as accumulate_n, add_n as add_n, count_nonzero as count_nonzero,
    cumprod as cumprod, cumsum as cumsum, reduce_all as reduce_all, reduce_any as reduce_any,
    reduce_euclidean_norm as reduce_euclidean_norm, reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max, reduce_mean as reduce_mean, reduce_min as reduce_min,
    reduce_prod as reduce_prod, reduce_std as reduce_std, reduce_sum as reduce_sum,
    reduce_variance as reduce_variance, zero_fraction as zero_fraction,
)
from runtime.ops.segments import (
    segment_max as segment_max, segment_mean as segment_mean, segment_min as segment_min,
    segment_prod as segment_prod, segment_sum as segment_sum,
    unsorted_segment_max as unsorted_segment_max, unsorted_segment_mean as unsorted_segment_mean,
    unsorted_segment_min as unsorted_segment_min, unsorted_segment_prod as unsorted_segment_prod,
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
    unsorted_segment_sum as unsorted_segment_sum,
)
from runtime.ops.special import (
    cumulative_logsumexp as cumulative_logsumexp, digamma as digamma,
    divide_no_nan as divide_no_nan, erf as erf, erfc as erfc, erfcinv as erfcinv, erfinv as erfinv,
    lbeta as lbeta, lgamma as lgamma, multiply_no_nan as multiply_no_nan, ndtri as ndtri,
    nextafter as nextafter, polygamma as polygamma, polyval as polyval,
    reciprocal_no_nan as reciprocal_no_nan, scalar_mul as scalar_mul, xdivy as xdivy,
    xlog1py as xlog1py, xlogy as xlogy, zeta as zeta,
)

__dir__ = _facade(__name__)
