"""All ops, in one namespace: what rules of gradients and the public modules take them from.

Rules look names up here when they run, so that families may use each other. What few programs use
is imported when one of its names is first asked for.

math, division, complex, special        elementwise: arithmetic and functions, complex numbers,
incomplete, comparison, casting, clip   the rarer ones, comparisons, logic and bits, dtypes, limits
reductions, norms, counting, segments   sums and their like, of axes, of values, of groups of rows
creation, reshaping, transposition      new tensors; their shapes; the order of axes
joining, padding, partitioning, blocks  tensors of tensors, and of their parts
indexing, slicing, gathering            reading elements: `x[key]`, slices, by indices,
scattering, selection, sequences        writing them; by conditions; of sequences of a batch
ordering, tables                        sorting and searching; keys and values, sorted
linalg, einsum, matrices, diagonals     products; sums by subscripts; shapes, and parts, of matrices
solving, decompositions, factors        linear systems; eigenvalues; by LAPACK and SciPy
nn, normalization, ctc_decoding         activations, losses, dropout, labels of frames
convolution, pooling, morphology        windows over images and sequences,
windows                                 and their geometry
image, random, signal, strings          families of several files
print_op                                `tf.print`
indexed_slices, ragged                  tensors of several parts

define, operators, slice_notation       what rows are made with; operators; slices in printed graphs
arguments, checks, run_time_axes        arguments other than tensors: now, and only in the run
batching                                rules for all rows of a jacobian
blockwise, contraction                  kernels of several steps; of products with labelled axes
convolution_kernels, ordering_kernels   kernels: of windows; of sorting;
error_kernels, gamma_kernels            of functions of mathematics
normal_kernels                          and of the normal distribution
"""

# fmt: off
# ruff: noqa: I001, F401
from importlib import import_module
from typing import TYPE_CHECKING

from runtime.core.convert import constant, convert_to_tensor
from runtime.ops.comparison import (
    bitwise_and, bitwise_or, bitwise_xor, equal, greater, greater_equal, invert, left_shift,
    less, less_equal, logical_and, logical_not, logical_or, logical_xor, not_equal, right_shift,
)
from runtime.ops.complex import (
    angle, angle_p, complex, complex_p, conj, conj_p, imag, imag_p, real, real_p,
)
from runtime.ops.creation import (
    eye, eye_p, fill, fill_p, lin_space, linspace, linspace_p, meshgrid, one_hot, ones,
    ones_like, ones_like_p, range, range_p, sequence_mask, zeros, zeros_like, zeros_like_p,
)
from runtime.ops.einsum import einsum, einsum_p
from runtime.ops.gathering import (
    gather, gather_grad_p, gather_gradient, gather_nd, gather_nd_p, gather_p,
)
from runtime.ops.indexing import getitem, setitem
from runtime.ops.joining import (
    concat, concat_p, parallel_stack, split, split_p, stack, stack_p, unstack, unstack_p,
)
from runtime.ops.linalg import matmul, matmul_p, matvec, tensordot
from runtime.ops.math import (
    abs, acos, acosh, add, asin, asinh, atan, atan2, atanh, cast, cast_p, ceil, cos, cosh,
    divide, divide_real, exp, expm1, floor, floordiv, floormod, identity, identity_p, is_finite,
    is_inf, is_nan, log, log1p, maximum, minimum, mod, multiply, negative, pow, reciprocal,
    rint, round, rsqrt, sign, sin, sinh, sqrt, square, squared_difference, stop_gradient,
    stop_gradient_p, subtract, tan, tanh, truediv,
)
from runtime.ops.nn import (
    batch_normalization, bias_add, crelu, elu, embedding_lookup, gelu, l2_loss, leaky_relu,
    leaky_relu_p, log_poisson_loss, log_sigmoid, log_softmax, log_softmax_p, moments, relu,
    relu6, relu_grad_p, selu, sigmoid, sigmoid_cross_entropy_with_logits, silu, softmax,
    softmax_cross_entropy_with_logits, softmax_p, softplus, softsign,
    sparse_softmax_cross_entropy_with_logits, swish, weighted_cross_entropy_with_logits,
    weighted_moments,
)
from runtime.ops.padding import pad, pad_p, repeat, repeat_indices_p, tile, tile_p
from runtime.ops.reductions import (
    accumulate_n, add_n, count_nonzero, cumprod, cumprod_p, cumsum, cumsum_p, prod_p,
    reduce_all, reduce_any, reduce_euclidean_norm, reduce_logsumexp, reduce_max, reduce_mean,
    reduce_min, reduce_prod, reduce_std, reduce_sum, reduce_variance, sum_p, sum_to_p,
    zero_fraction,
)
from runtime.ops.reshaping import (
    broadcast_dynamic_shape, broadcast_like, broadcast_shapes_p, broadcast_static_shape,
    broadcast_to, broadcast_to_p, dims, ensure_shape, ensure_shape_p, expand_dims, expand_dims_p,
    rank, rank_p, reshape, reshape_like, reshape_p, shape, shape_n, shape_p, size, size_p,
    squeeze, squeeze_p,
)
from runtime.ops.scattering import (
    scatter_nd, scatter_nd_p, tensor_add_p, tensor_max_p, tensor_min_p, tensor_scatter_nd_add,
    tensor_scatter_nd_max, tensor_scatter_nd_min, tensor_scatter_nd_sub,
    tensor_scatter_nd_update, tensor_sub_p, tensor_update_p,
)
from runtime.ops.selection import boolean_mask, nonzero_p, select_p, where
from runtime.ops.slicing import set_slice_p, slice_, strided_slice_p, unslice_p
from runtime.ops.transposition import (
    matrix_transpose, reverse, reverse_p, roll, roll_p, transpose, transpose_p,
)
from runtime.core.lazy import attributes, load
from runtime.ops import operators

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
    "runtime.ops.division": "power_modulo power_modulo_p realdiv truncatediv truncatemod",
    "runtime.ops.norms": (
        "cross l2_normalize norm normalize"
    ),
    "runtime.ops.ordering": (
        "argmax argmax_p argmin argmin_p argsort argsort_p in_top_k invert_permutation "
        "invert_permutation_p set_order_p is_non_decreasing is_strictly_increasing searchsorted "
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
    "image.flipping image.metrics image.patches image.resizing morphology normalization pooling "
    "incomplete ragged random.stateful random.stateless signal.cosines signal.frames "
    "signal.spectra signal.transforms signal.windows strings.case strings.codes strings.conversion "
    "strings.csv_fields strings.hash_buckets strings.joining strings.patterns "
    "strings.row_fingerprints strings.splitting strings.substrings strings.unicode tables"
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
