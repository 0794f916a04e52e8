"""All ops, in one namespace: what rules of gradients and the public modules take them from.

Rules look names up here when they run, so that families may use each other. What few programs use
is imported when one of its names is first asked for.
"""

# fmt: off
# ruff: noqa: I001
from importlib import import_module
from typing import TYPE_CHECKING

from runtime.core.convert import constant as constant, convert_to_tensor as convert_to_tensor
from runtime.ops.comparison import (
    bitwise_and as bitwise_and, bitwise_or as bitwise_or, bitwise_xor as bitwise_xor,
    equal as equal, greater as greater, greater_equal as greater_equal, invert as invert,
    left_shift as left_shift, less as less, less_equal as less_equal, logical_and as logical_and,
    logical_not as logical_not, logical_or as logical_or, logical_xor as logical_xor,
    not_equal as not_equal, right_shift as right_shift,
)
from runtime.ops.complex import (
    angle as angle, angle_p as angle_p, complex as complex, complex_p as complex_p, conj as conj,
    conj_p as conj_p, imag as imag, imag_p as imag_p, real as real, real_p as real_p,
)
from runtime.ops.creation import (
    eye as eye, eye_p as eye_p, fill as fill, fill_p as fill_p, lin_space as lin_space,
    linspace as linspace, linspace_p as linspace_p, meshgrid as meshgrid, one_hot as one_hot,
    ones as ones, ones_like as ones_like, ones_like_p as ones_like_p, range as range,
    range_p as range_p, sequence_mask as sequence_mask, zeros as zeros, zeros_like as zeros_like,
    zeros_like_p as zeros_like_p,
)
from runtime.ops.einsum import einsum as einsum, einsum_p as einsum_p
from runtime.ops.gathering import (
    gather as gather, gather_grad_p as gather_grad_p, gather_gradient as gather_gradient,
    gather_nd as gather_nd, gather_nd_p as gather_nd_p, gather_p as gather_p,
)
from runtime.ops.indexing import getitem as getitem, setitem as setitem
from runtime.ops.joining import (
    concat as concat, concat_p as concat_p, parallel_stack as parallel_stack, split as split,
    split_p as split_p, stack as stack, stack_p as stack_p, unstack as unstack,
    unstack_p as unstack_p,
)
from runtime.ops.linalg import (
    matmul as matmul, matmul_p as matmul_p, matvec as matvec, tensordot as tensordot,
)
from runtime.ops.math import (
    abs as abs, acos as acos, acosh as acosh, add as add, asin as asin, asinh as asinh,
    atan as atan, atan2 as atan2, atanh as atanh, cast as cast, cast_p as cast_p, ceil as ceil,
    cos as cos, cosh as cosh, divide as divide, divide_real as divide_real, exp as exp,
    expm1 as expm1, floor as floor, floordiv as floordiv, floormod as floormod,
    identity as identity, identity_p as identity_p, is_finite as is_finite, is_inf as is_inf,
    is_nan as is_nan, log as log, log1p as log1p, maximum as maximum, minimum as minimum,
    mod as mod, multiply as multiply, negative as negative, pow as pow, reciprocal as reciprocal,
    rint as rint, round as round, rsqrt as rsqrt, sign as sign, sin as sin, sinh as sinh,
    sqrt as sqrt, square as square, squared_difference as squared_difference,
    stop_gradient as stop_gradient, stop_gradient_p as stop_gradient_p, subtract as subtract,
    tan as tan, tanh as tanh, truediv as truediv,
)
from runtime.ops.nn import (
    batch_normalization as batch_normalization, bias_add as bias_add, crelu as crelu, elu as elu,
    embedding_lookup as embedding_lookup, gelu as gelu, l2_loss as l2_loss,
    leaky_relu as leaky_relu, leaky_relu_p as leaky_relu_p, log_poisson_loss as log_poisson_loss,
    log_sigmoid as log_sigmoid, log_softmax as log_softmax, log_softmax_p as log_softmax_p,
    moments as moments, relu as relu, relu6 as relu6, relu_grad_p as relu_grad_p, selu as selu,
    sigmoid as sigmoid, sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    silu as silu, softmax as softmax,
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits, softmax_p as softmax_p,
    softplus as softplus, softsign as softsign,
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
    swish as swish, weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
    weighted_moments as weighted_moments,
)
from runtime.ops.padding import (
    pad as pad, pad_p as pad_p, repeat as repeat, repeat_indices_p as repeat_indices_p,
    tile as tile, tile_p as tile_p,
)
from runtime.ops.reductions import (
    accumulate_n as accumulate_n, add_n as add_n, count_nonzero as count_nonzero,
    cumprod as cumprod, cumprod_p as cumprod_p, cumsum as cumsum, cumsum_p as cumsum_p,
    prod_p as prod_p, reduce_all as reduce_all, reduce_any as reduce_any,
    reduce_euclidean_norm as reduce_euclidean_norm, reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max, reduce_mean as reduce_mean, reduce_min as reduce_min,
    reduce_prod as reduce_prod, reduce_std as reduce_std, reduce_sum as reduce_sum,
    reduce_variance as reduce_variance, sum_p as sum_p, sum_to_p as sum_to_p,
    zero_fraction as zero_fraction,
)
from runtime.ops.reshaping import (
    broadcast_dynamic_shape as broadcast_dynamic_shape, broadcast_like as broadcast_like,
    broadcast_shapes_p as broadcast_shapes_p, broadcast_static_shape as broadcast_static_shape,
    broadcast_to as broadcast_to, broadcast_to_p as broadcast_to_p, ensure_shape as ensure_shape,
    ensure_shape_p as ensure_shape_p, expand_dims as expand_dims, expand_dims_p as expand_dims_p,
    rank as rank, rank_p as rank_p, reshape as reshape, reshape_like as reshape_like,
    reshape_p as reshape_p, shape as shape, shape_n as shape_n, shape_p as shape_p, size as size,
    size_p as size_p, squeeze as squeeze, squeeze_p as squeeze_p,
)
from runtime.ops.scattering import (
    scatter_nd as scatter_nd, scatter_nd_p as scatter_nd_p, tensor_add_p as tensor_add_p,
    tensor_max_p as tensor_max_p, tensor_min_p as tensor_min_p,
    tensor_scatter_nd_add as tensor_scatter_nd_add, tensor_scatter_nd_max as tensor_scatter_nd_max,
    tensor_scatter_nd_min as tensor_scatter_nd_min, tensor_scatter_nd_sub as tensor_scatter_nd_sub,
    tensor_scatter_nd_update as tensor_scatter_nd_update, tensor_sub_p as tensor_sub_p,
    tensor_update_p as tensor_update_p,
)
from runtime.ops.selection import (
    boolean_mask as boolean_mask, nonzero_p as nonzero_p, select_p as select_p, where as where,
)
from runtime.ops.slicing import (
    set_slice_p as set_slice_p, slice_ as slice_, strided_slice_p as strided_slice_p,
    unslice_p as unslice_p,
)
from runtime.ops.transposition import (
    matrix_transpose as matrix_transpose, reverse as reverse, reverse_p as reverse_p, roll as roll,
    roll_p as roll_p, transpose as transpose, transpose_p as transpose_p,
)
from runtime.core.lazy import attributes, load
from runtime.ops import operators as operators

LATER = {
    "runtime.ops.clip": (
        "clip_by_average_norm clip_by_global_norm clip_by_norm clip_by_value clip_p "
        "global_norm"
    ),
    "runtime.ops.casting": "bitcast bitcast_p saturate_cast",
    "runtime.ops.counting": (
        "bincount bincount_p confusion_matrix histogram_bins_p histogram_fixed_width "
        "histogram_fixed_width_bins"
    ),
    "runtime.ops.decompositions": (
        "cholesky cholesky_p eig eig_p eigh eigh_p eigvals eigvalsh matrix_rank pinv qr "
        "qr_p svd svd_p"
    ),
    "runtime.ops.diagonals": (
        "adjoint band_part band_part_at_p band_part_p diag diag_at_p diag_p diag_part "
        "diag_part_at_p diag_part_p set_diag set_diag_at_p set_diag_p tensor_diag "
        "tensor_diag_part trace"
    ),
    "runtime.ops.division": "realdiv truncatediv truncatemod",
    "runtime.ops.norms": (
        "cross l2_normalize norm normalize"
    ),
    "runtime.ops.ordering": (
        "argmax argmax_p argmin argmin_p argsort argsort_p in_top_k invert_permutation "
        "invert_permutation_p is_non_decreasing is_strictly_increasing searchsorted "
        "searchsorted_p sort sort_p top_k top_k_p unique unique_p unique_with_counts"
    ),
    "runtime.ops.partitioning": "dynamic_partition dynamic_stitch",
    "runtime.ops.segments": (
        "segment_max segment_max_p segment_mean segment_min segment_min_p segment_prod "
        "segment_prod_p segment_sum segment_sum_p unsorted_segment_max unsorted_segment_mean "
        "unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n "
        "unsorted_segment_sum"
    ),
    "runtime.ops.sequences": "reverse_sequence reverse_sequence_p",
    "runtime.ops.solving": (
        "cholesky_solve definite_p det det_p inv inverse_p logdet lstsq slogdet slogdet_p solve "
        "solve_p triangular_p triangular_solve"
    ),
    "runtime.ops.special": (
        "cumulative_logsumexp cumulative_logsumexp_p digamma divide_no_nan erf erfc erfcinv "
        "erfinv exact_gelu lbeta lgamma multiply_no_nan ndtri nextafter polygamma polyval "
        "reciprocal_no_nan scalar_mul xdivy xlog1py xlogy zeta"
    ),
}
# fmt: on

# Families without names here: programs reach them through `runtime.nn`, `runtime.strings`, ...
_ELSEWHERE = (
    "blocks convolution ctc_decoding factors image.boxes image.colors image.cropping "
    "image.flipping image.metrics image.patches image.resizing normalization pooling ragged "
    "random.stateful random.stateless signal.cosines signal.frames signal.spectra "
    "signal.transforms signal.windows strings.case strings.conversion strings.hash_buckets "
    "strings.joining strings.patterns strings.splitting strings.substrings strings.unicode "
    "tables"
)


def load_all() -> None:
    """Import every family, so that the table of rows is complete."""
    for module in LATER:
        load(__name__, module, LATER)
    for family in _ELSEWHERE.split():
        import_module(f"{__name__}.{family}")


if TYPE_CHECKING:
    from runtime.ops.casting import *  # noqa: F403
    from runtime.ops.clip import *  # noqa: F403
    from runtime.ops.counting import *  # noqa: F403
    from runtime.ops.decompositions import *  # noqa: F403
    from runtime.ops.diagonals import *  # noqa: F403
    from runtime.ops.division import *  # noqa: F403
    from runtime.ops.norms import *  # noqa: F403
    from runtime.ops.ordering import *  # noqa: F403
    from runtime.ops.partitioning import *  # noqa: F403
    from runtime.ops.segments import *  # noqa: F403
    from runtime.ops.sequences import *  # noqa: F403
    from runtime.ops.solving import *  # noqa: F403
    from runtime.ops.special import *  # noqa: F403
else:
    __getattr__, __dir__ = attributes(__name__, LATER)
