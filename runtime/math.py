"""Functions of numbers, elementwise and along axes."""

# fmt: off
from runtime.ops.comparison import (
    equal as equal,
)
from runtime.ops.comparison import (
    greater as greater,
)
from runtime.ops.comparison import (
    greater_equal as greater_equal,
)
from runtime.ops.comparison import (
    less as less,
)
from runtime.ops.comparison import (
    less_equal as less_equal,
)
from runtime.ops.comparison import (
    logical_and as logical_and,
)
from runtime.ops.comparison import (
    logical_not as logical_not,
)
from runtime.ops.comparison import (
    logical_or as logical_or,
)
from runtime.ops.comparison import (
    logical_xor as logical_xor,
)
from runtime.ops.comparison import (
    not_equal as not_equal,
)
from runtime.ops.complex import (
    angle as angle,
)
from runtime.ops.complex import (
    conj as conj,
)
from runtime.ops.complex import (
    imag as imag,
)
from runtime.ops.complex import (
    real as real,
)
from runtime.ops.decompositions import (
    l2_normalize as l2_normalize,
)
from runtime.ops.math import (
    abs as abs,
)
from runtime.ops.math import (
    acos as acos,
)
from runtime.ops.math import (
    acosh as acosh,
)
from runtime.ops.math import (
    add as add,
)
from runtime.ops.math import (
    asin as asin,
)
from runtime.ops.math import (
    asinh as asinh,
)
from runtime.ops.math import (
    atan as atan,
)
from runtime.ops.math import (
    atan2 as atan2,
)
from runtime.ops.math import (
    atanh as atanh,
)
from runtime.ops.math import (
    ceil as ceil,
)
from runtime.ops.math import (
    cos as cos,
)
from runtime.ops.math import (
    cosh as cosh,
)
from runtime.ops.math import (
    divide as divide,
)
from runtime.ops.math import (
    exp as exp,
)
from runtime.ops.math import (
    expm1 as expm1,
)
from runtime.ops.math import (
    floor as floor,
)
from runtime.ops.math import (
    floordiv as floordiv,
)
from runtime.ops.math import (
    floormod as floormod,
)
from runtime.ops.math import (
    is_finite as is_finite,
)
from runtime.ops.math import (
    is_inf as is_inf,
)
from runtime.ops.math import (
    is_nan as is_nan,
)
from runtime.ops.math import (
    log as log,
)
from runtime.ops.math import (
    log1p as log1p,
)
from runtime.ops.math import (
    maximum as maximum,
)
from runtime.ops.math import (
    minimum as minimum,
)
from runtime.ops.math import (
    mod as mod,
)
from runtime.ops.math import (
    multiply as multiply,
)
from runtime.ops.math import (
    negative as negative,
)
from runtime.ops.math import (
    pow as pow,
)
from runtime.ops.math import (
    reciprocal as reciprocal,
)
from runtime.ops.math import (
    rint as rint,
)
from runtime.ops.math import (
    round as round,
)
from runtime.ops.math import (
    rsqrt as rsqrt,
)
from runtime.ops.math import (
    sign as sign,
)
from runtime.ops.math import (
    sin as sin,
)
from runtime.ops.math import (
    sinh as sinh,
)
from runtime.ops.math import (
    sqrt as sqrt,
)
from runtime.ops.math import (
    square as square,
)
from runtime.ops.math import (
    squared_difference as squared_difference,
)
from runtime.ops.math import (
    subtract as subtract,
)
from runtime.ops.math import (
    tan as tan,
)
from runtime.ops.math import (
    tanh as tanh,
)
from runtime.ops.math import (
    truediv as truediv,
)
from runtime.ops.nn import (
    log_sigmoid as log_sigmoid,
)
from runtime.ops.nn import (
    log_softmax as log_softmax,
)
from runtime.ops.nn import (
    sigmoid as sigmoid,
)
from runtime.ops.nn import (
    softmax as softmax,
)
from runtime.ops.nn import (
    softplus as softplus,
)
from runtime.ops.nn import (
    softsign as softsign,
)
from runtime.ops.ordering import (
    argmax as argmax,
)
from runtime.ops.ordering import (
    argmin as argmin,
)
from runtime.ops.ordering import (
    bincount as bincount,
)
from runtime.ops.ordering import (
    confusion_matrix as confusion_matrix,
)
from runtime.ops.ordering import (
    in_top_k as in_top_k,
)
from runtime.ops.ordering import (
    invert_permutation as invert_permutation,
)
from runtime.ops.ordering import (
    is_non_decreasing as is_non_decreasing,
)
from runtime.ops.ordering import (
    is_strictly_increasing as is_strictly_increasing,
)
from runtime.ops.ordering import (
    top_k as top_k,
)
from runtime.ops.reductions import (
    accumulate_n as accumulate_n,
)
from runtime.ops.reductions import (
    add_n as add_n,
)
from runtime.ops.reductions import (
    count_nonzero as count_nonzero,
)
from runtime.ops.reductions import (
    cumprod as cumprod,
)
from runtime.ops.reductions import (
    cumsum as cumsum,
)
from runtime.ops.reductions import (
    reduce_all as reduce_all,
)
from runtime.ops.reductions import (
    reduce_any as reduce_any,
)
from runtime.ops.reductions import (
    reduce_euclidean_norm as reduce_euclidean_norm,
)
from runtime.ops.reductions import (
    reduce_logsumexp as reduce_logsumexp,
)
from runtime.ops.reductions import (
    reduce_max as reduce_max,
)
from runtime.ops.reductions import (
    reduce_mean as reduce_mean,
)
from runtime.ops.reductions import (
    reduce_min as reduce_min,
)
from runtime.ops.reductions import (
    reduce_prod as reduce_prod,
)
from runtime.ops.reductions import (
    reduce_std as reduce_std,
)
from runtime.ops.reductions import (
    reduce_sum as reduce_sum,
)
from runtime.ops.reductions import (
    reduce_variance as reduce_variance,
)
from runtime.ops.reductions import (
    zero_fraction as zero_fraction,
)
from runtime.ops.segments import (
    segment_max as segment_max,
)
from runtime.ops.segments import (
    segment_mean as segment_mean,
)
from runtime.ops.segments import (
    segment_min as segment_min,
)
from runtime.ops.segments import (
    segment_prod as segment_prod,
)
from runtime.ops.segments import (
    segment_sum as segment_sum,
)
from runtime.ops.segments import (
    unsorted_segment_max as unsorted_segment_max,
)
from runtime.ops.segments import (
    unsorted_segment_mean as unsorted_segment_mean,
)
from runtime.ops.segments import (
    unsorted_segment_min as unsorted_segment_min,
)
from runtime.ops.segments import (
    unsorted_segment_prod as unsorted_segment_prod,
)
from runtime.ops.segments import (
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
)
from runtime.ops.segments import (
    unsorted_segment_sum as unsorted_segment_sum,
)
from runtime.ops.special import (
    cumulative_logsumexp as cumulative_logsumexp,
)
from runtime.ops.special import (
    digamma as digamma,
)
from runtime.ops.special import (
    divide_no_nan as divide_no_nan,
)
from runtime.ops.special import (
    erf as erf,
)
from runtime.ops.special import (
    erfc as erfc,
)
from runtime.ops.special import (
    erfcinv as erfcinv,
)
from runtime.ops.special import (
    erfinv as erfinv,
)
from runtime.ops.special import (
    lbeta as lbeta,
)
from runtime.ops.special import (
    lgamma as lgamma,
)
from runtime.ops.special import (
    multiply_no_nan as multiply_no_nan,
)
from runtime.ops.special import (
    ndtri as ndtri,
)
from runtime.ops.special import (
    nextafter as nextafter,
)
from runtime.ops.special import (
    polygamma as polygamma,
)
from runtime.ops.special import (
    polyval as polyval,
)
from runtime.ops.special import (
    reciprocal_no_nan as reciprocal_no_nan,
)
from runtime.ops.special import (
    scalar_mul as scalar_mul,
)
from runtime.ops.special import (
    xdivy as xdivy,
)
from runtime.ops.special import (
    xlog1py as xlog1py,
)
from runtime.ops.special import (
    xlogy as xlogy,
)
from runtime.ops.special import (
    zeta as zeta,
)
