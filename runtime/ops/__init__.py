"""All ops, in one namespace: what rules of gradients and the public modules take them from.

Rules look names up here when they run, so that families may use each other.
"""

# fmt: off
from runtime.convert import constant as constant
from runtime.convert import convert_to_tensor as convert_to_tensor
from runtime.ops.array import (
    broadcast_dynamic_shape as broadcast_dynamic_shape,
)
from runtime.ops.array import (
    broadcast_like as broadcast_like,
)
from runtime.ops.array import (
    broadcast_shapes_p as broadcast_shapes_p,
)
from runtime.ops.array import (
    broadcast_static_shape as broadcast_static_shape,
)
from runtime.ops.array import (
    broadcast_to as broadcast_to,
)
from runtime.ops.array import (
    broadcast_to_p as broadcast_to_p,
)
from runtime.ops.array import (
    concat as concat,
)
from runtime.ops.array import (
    concat_p as concat_p,
)
from runtime.ops.array import (
    ensure_shape as ensure_shape,
)
from runtime.ops.array import (
    ensure_shape_p as ensure_shape_p,
)
from runtime.ops.array import (
    expand_dims as expand_dims,
)
from runtime.ops.array import (
    expand_dims_p as expand_dims_p,
)
from runtime.ops.array import (
    matrix_transpose as matrix_transpose,
)
from runtime.ops.array import (
    pad as pad,
)
from runtime.ops.array import (
    pad_p as pad_p,
)
from runtime.ops.array import (
    parallel_stack as parallel_stack,
)
from runtime.ops.array import (
    rank as rank,
)
from runtime.ops.array import (
    rank_p as rank_p,
)
from runtime.ops.array import (
    repeat as repeat,
)
from runtime.ops.array import (
    repeat_indices_p as repeat_indices_p,
)
from runtime.ops.array import (
    reshape as reshape,
)
from runtime.ops.array import (
    reshape_like as reshape_like,
)
from runtime.ops.array import (
    reshape_p as reshape_p,
)
from runtime.ops.array import (
    reverse as reverse,
)
from runtime.ops.array import (
    reverse_p as reverse_p,
)
from runtime.ops.array import (
    roll as roll,
)
from runtime.ops.array import (
    roll_p as roll_p,
)
from runtime.ops.array import (
    shape as shape,
)
from runtime.ops.array import (
    shape_n as shape_n,
)
from runtime.ops.array import (
    shape_p as shape_p,
)
from runtime.ops.array import (
    size as size,
)
from runtime.ops.array import (
    size_p as size_p,
)
from runtime.ops.array import (
    slice_ as slice_,
)
from runtime.ops.array import (
    split as split,
)
from runtime.ops.array import (
    split_p as split_p,
)
from runtime.ops.array import (
    squeeze as squeeze,
)
from runtime.ops.array import (
    squeeze_p as squeeze_p,
)
from runtime.ops.array import (
    stack as stack,
)
from runtime.ops.array import (
    stack_p as stack_p,
)
from runtime.ops.array import (
    tile as tile,
)
from runtime.ops.array import (
    tile_p as tile_p,
)
from runtime.ops.array import (
    transpose as transpose,
)
from runtime.ops.array import (
    transpose_p as transpose_p,
)
from runtime.ops.array import (
    unstack as unstack,
)
from runtime.ops.array import (
    unstack_p as unstack_p,
)
from runtime.ops.clip import (
    clip_by_average_norm as clip_by_average_norm,
)
from runtime.ops.clip import (
    clip_by_global_norm as clip_by_global_norm,
)
from runtime.ops.clip import (
    clip_by_norm as clip_by_norm,
)
from runtime.ops.clip import (
    clip_by_value as clip_by_value,
)
from runtime.ops.clip import (
    clip_p as clip_p,
)
from runtime.ops.clip import (
    global_norm as global_norm,
)
from runtime.ops.comparison import (
    bitwise_and as bitwise_and,
)
from runtime.ops.comparison import (
    bitwise_or as bitwise_or,
)
from runtime.ops.comparison import (
    bitwise_xor as bitwise_xor,
)
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
    invert as invert,
)
from runtime.ops.comparison import (
    left_shift as left_shift,
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
from runtime.ops.comparison import (
    right_shift as right_shift,
)
from runtime.ops.complex import (
    angle as angle,
)
from runtime.ops.complex import (
    angle_p as angle_p,
)
from runtime.ops.complex import (
    complex as complex,
)
from runtime.ops.complex import (
    complex_p as complex_p,
)
from runtime.ops.complex import (
    conj as conj,
)
from runtime.ops.complex import (
    conj_p as conj_p,
)
from runtime.ops.complex import (
    imag as imag,
)
from runtime.ops.complex import (
    imag_p as imag_p,
)
from runtime.ops.complex import (
    real as real,
)
from runtime.ops.complex import (
    real_p as real_p,
)
from runtime.ops.creation import (
    eye as eye,
)
from runtime.ops.creation import (
    eye_p as eye_p,
)
from runtime.ops.creation import (
    fill as fill,
)
from runtime.ops.creation import (
    fill_p as fill_p,
)
from runtime.ops.creation import (
    lin_space as lin_space,
)
from runtime.ops.creation import (
    linspace as linspace,
)
from runtime.ops.creation import (
    linspace_p as linspace_p,
)
from runtime.ops.creation import (
    meshgrid as meshgrid,
)
from runtime.ops.creation import (
    one_hot as one_hot,
)
from runtime.ops.creation import (
    ones as ones,
)
from runtime.ops.creation import (
    ones_like as ones_like,
)
from runtime.ops.creation import (
    ones_like_p as ones_like_p,
)
from runtime.ops.creation import (
    range as range,
)
from runtime.ops.creation import (
    range_p as range_p,
)
from runtime.ops.creation import (
    sequence_mask as sequence_mask,
)
from runtime.ops.creation import (
    zeros as zeros,
)
from runtime.ops.creation import (
    zeros_like as zeros_like,
)
from runtime.ops.creation import (
    zeros_like_p as zeros_like_p,
)
from runtime.ops.decompositions import (
    adjoint as adjoint,
)
from runtime.ops.decompositions import (
    band_part as band_part,
)
from runtime.ops.decompositions import (
    band_part_p as band_part_p,
)
from runtime.ops.decompositions import (
    cholesky as cholesky,
)
from runtime.ops.decompositions import (
    cholesky_p as cholesky_p,
)
from runtime.ops.decompositions import (
    cholesky_solve as cholesky_solve,
)
from runtime.ops.decompositions import (
    cross as cross,
)
from runtime.ops.decompositions import (
    det as det,
)
from runtime.ops.decompositions import (
    det_p as det_p,
)
from runtime.ops.decompositions import (
    diag as diag,
)
from runtime.ops.decompositions import (
    diag_p as diag_p,
)
from runtime.ops.decompositions import (
    diag_part as diag_part,
)
from runtime.ops.decompositions import (
    diag_part_p as diag_part_p,
)
from runtime.ops.decompositions import (
    eig as eig,
)
from runtime.ops.decompositions import (
    eig_p as eig_p,
)
from runtime.ops.decompositions import (
    eigh as eigh,
)
from runtime.ops.decompositions import (
    eigh_p as eigh_p,
)
from runtime.ops.decompositions import (
    eigvals as eigvals,
)
from runtime.ops.decompositions import (
    eigvalsh as eigvalsh,
)
from runtime.ops.decompositions import (
    expm as expm,
)
from runtime.ops.decompositions import (
    inv as inv,
)
from runtime.ops.decompositions import (
    inverse_p as inverse_p,
)
from runtime.ops.decompositions import (
    l2_normalize as l2_normalize,
)
from runtime.ops.decompositions import (
    logdet as logdet,
)
from runtime.ops.decompositions import (
    lstsq as lstsq,
)
from runtime.ops.decompositions import (
    matrix_rank as matrix_rank,
)
from runtime.ops.decompositions import (
    norm as norm,
)
from runtime.ops.decompositions import (
    normalize as normalize,
)
from runtime.ops.decompositions import (
    pinv as pinv,
)
from runtime.ops.decompositions import (
    qr as qr,
)
from runtime.ops.decompositions import (
    qr_p as qr_p,
)
from runtime.ops.decompositions import (
    set_diag as set_diag,
)
from runtime.ops.decompositions import (
    set_diag_p as set_diag_p,
)
from runtime.ops.decompositions import (
    slogdet as slogdet,
)
from runtime.ops.decompositions import (
    slogdet_p as slogdet_p,
)
from runtime.ops.decompositions import (
    solve as solve,
)
from runtime.ops.decompositions import (
    solve_p as solve_p,
)
from runtime.ops.decompositions import (
    svd as svd,
)
from runtime.ops.decompositions import (
    svd_p as svd_p,
)
from runtime.ops.decompositions import (
    tensor_diag as tensor_diag,
)
from runtime.ops.decompositions import (
    tensor_diag_part as tensor_diag_part,
)
from runtime.ops.decompositions import (
    trace as trace,
)
from runtime.ops.decompositions import (
    triangular_p as triangular_p,
)
from runtime.ops.decompositions import (
    triangular_solve as triangular_solve,
)
from runtime.ops.einsum import (
    einsum as einsum,
)
from runtime.ops.einsum import (
    einsum_p as einsum_p,
)
from runtime.ops.indexing import (
    boolean_mask as boolean_mask,
)
from runtime.ops.indexing import (
    gather as gather,
)
from runtime.ops.indexing import (
    gather_grad_p as gather_grad_p,
)
from runtime.ops.indexing import (
    gather_gradient as gather_gradient,
)
from runtime.ops.indexing import (
    gather_nd as gather_nd,
)
from runtime.ops.indexing import (
    gather_nd_p as gather_nd_p,
)
from runtime.ops.indexing import (
    gather_p as gather_p,
)
from runtime.ops.indexing import (
    getitem as getitem,
)
from runtime.ops.indexing import (
    nonzero_p as nonzero_p,
)
from runtime.ops.indexing import (
    scatter_nd as scatter_nd,
)
from runtime.ops.indexing import (
    scatter_nd_p as scatter_nd_p,
)
from runtime.ops.indexing import (
    select_p as select_p,
)
from runtime.ops.indexing import (
    set_slice_p as set_slice_p,
)
from runtime.ops.indexing import (
    setitem as setitem,
)
from runtime.ops.indexing import (
    strided_slice_p as strided_slice_p,
)
from runtime.ops.indexing import (
    tensor_add_p as tensor_add_p,
)
from runtime.ops.indexing import (
    tensor_max_p as tensor_max_p,
)
from runtime.ops.indexing import (
    tensor_min_p as tensor_min_p,
)
from runtime.ops.indexing import (
    tensor_scatter_nd_add as tensor_scatter_nd_add,
)
from runtime.ops.indexing import (
    tensor_scatter_nd_max as tensor_scatter_nd_max,
)
from runtime.ops.indexing import (
    tensor_scatter_nd_min as tensor_scatter_nd_min,
)
from runtime.ops.indexing import (
    tensor_scatter_nd_sub as tensor_scatter_nd_sub,
)
from runtime.ops.indexing import (
    tensor_scatter_nd_update as tensor_scatter_nd_update,
)
from runtime.ops.indexing import (
    tensor_sub_p as tensor_sub_p,
)
from runtime.ops.indexing import (
    tensor_update_p as tensor_update_p,
)
from runtime.ops.indexing import (
    unslice_p as unslice_p,
)
from runtime.ops.indexing import (
    where as where,
)
from runtime.ops.linalg import (
    matmul as matmul,
)
from runtime.ops.linalg import (
    matmul_p as matmul_p,
)
from runtime.ops.linalg import (
    matvec as matvec,
)
from runtime.ops.linalg import (
    tensordot as tensordot,
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
    cast as cast,
)
from runtime.ops.math import (
    cast_p as cast_p,
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
    divide_real as divide_real,
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
    identity as identity,
)
from runtime.ops.math import (
    identity_p as identity_p,
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
    stop_gradient as stop_gradient,
)
from runtime.ops.math import (
    stop_gradient_p as stop_gradient_p,
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
from runtime.ops.misc import (
    bitcast as bitcast,
)
from runtime.ops.misc import (
    bitcast_p as bitcast_p,
)
from runtime.ops.misc import (
    dynamic_partition as dynamic_partition,
)
from runtime.ops.misc import (
    dynamic_stitch as dynamic_stitch,
)
from runtime.ops.misc import (
    get_static_value as get_static_value,
)
from runtime.ops.misc import (
    histogram_fixed_width as histogram_fixed_width,
)
from runtime.ops.misc import (
    histogram_fixed_width_bins as histogram_fixed_width_bins,
)
from runtime.ops.misc import (
    identity_n as identity_n,
)
from runtime.ops.misc import (
    realdiv as realdiv,
)
from runtime.ops.misc import (
    reverse_sequence as reverse_sequence,
)
from runtime.ops.misc import (
    reverse_sequence_p as reverse_sequence_p,
)
from runtime.ops.misc import (
    saturate_cast as saturate_cast,
)
from runtime.ops.misc import (
    strided_slice as strided_slice,
)
from runtime.ops.misc import (
    truncatediv as truncatediv,
)
from runtime.ops.misc import (
    truncatemod as truncatemod,
)
from runtime.ops.misc import (
    unravel_index as unravel_index,
)
from runtime.ops.nn import (
    batch_normalization as batch_normalization,
)
from runtime.ops.nn import (
    bias_add as bias_add,
)
from runtime.ops.nn import (
    crelu as crelu,
)
from runtime.ops.nn import (
    elu as elu,
)
from runtime.ops.nn import (
    embedding_lookup as embedding_lookup,
)
from runtime.ops.nn import (
    gelu as gelu,
)
from runtime.ops.nn import (
    l2_loss as l2_loss,
)
from runtime.ops.nn import (
    leaky_relu as leaky_relu,
)
from runtime.ops.nn import (
    leaky_relu_p as leaky_relu_p,
)
from runtime.ops.nn import (
    log_poisson_loss as log_poisson_loss,
)
from runtime.ops.nn import (
    log_sigmoid as log_sigmoid,
)
from runtime.ops.nn import (
    log_softmax as log_softmax,
)
from runtime.ops.nn import (
    log_softmax_p as log_softmax_p,
)
from runtime.ops.nn import (
    moments as moments,
)
from runtime.ops.nn import (
    relu as relu,
)
from runtime.ops.nn import (
    relu6 as relu6,
)
from runtime.ops.nn import (
    relu_grad_p as relu_grad_p,
)
from runtime.ops.nn import (
    selu as selu,
)
from runtime.ops.nn import (
    sigmoid as sigmoid,
)
from runtime.ops.nn import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
)
from runtime.ops.nn import (
    silu as silu,
)
from runtime.ops.nn import (
    softmax as softmax,
)
from runtime.ops.nn import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from runtime.ops.nn import (
    softmax_p as softmax_p,
)
from runtime.ops.nn import (
    softplus as softplus,
)
from runtime.ops.nn import (
    softsign as softsign,
)
from runtime.ops.nn import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from runtime.ops.nn import (
    swish as swish,
)
from runtime.ops.nn import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from runtime.ops.nn import (
    weighted_moments as weighted_moments,
)
from runtime.ops.ordering import (
    argmax as argmax,
)
from runtime.ops.ordering import (
    argmax_p as argmax_p,
)
from runtime.ops.ordering import (
    argmin as argmin,
)
from runtime.ops.ordering import (
    argmin_p as argmin_p,
)
from runtime.ops.ordering import (
    argsort as argsort,
)
from runtime.ops.ordering import (
    argsort_p as argsort_p,
)
from runtime.ops.ordering import (
    bincount as bincount,
)
from runtime.ops.ordering import (
    bincount_p as bincount_p,
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
    invert_permutation_p as invert_permutation_p,
)
from runtime.ops.ordering import (
    is_non_decreasing as is_non_decreasing,
)
from runtime.ops.ordering import (
    is_strictly_increasing as is_strictly_increasing,
)
from runtime.ops.ordering import (
    searchsorted as searchsorted,
)
from runtime.ops.ordering import (
    searchsorted_p as searchsorted_p,
)
from runtime.ops.ordering import (
    sort as sort,
)
from runtime.ops.ordering import (
    sort_p as sort_p,
)
from runtime.ops.ordering import (
    top_k as top_k,
)
from runtime.ops.ordering import (
    top_k_p as top_k_p,
)
from runtime.ops.ordering import (
    unique as unique,
)
from runtime.ops.ordering import (
    unique_p as unique_p,
)
from runtime.ops.ordering import (
    unique_with_counts as unique_with_counts,
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
    cumprod_p as cumprod_p,
)
from runtime.ops.reductions import (
    cumsum as cumsum,
)
from runtime.ops.reductions import (
    cumsum_p as cumsum_p,
)
from runtime.ops.reductions import (
    prod_p as prod_p,
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
    sum_p as sum_p,
)
from runtime.ops.reductions import (
    sum_to_p as sum_to_p,
)
from runtime.ops.reductions import (
    zero_fraction as zero_fraction,
)
from runtime.ops.segments import (
    segment_max as segment_max,
)
from runtime.ops.segments import (
    segment_max_p as segment_max_p,
)
from runtime.ops.segments import (
    segment_mean as segment_mean,
)
from runtime.ops.segments import (
    segment_min as segment_min,
)
from runtime.ops.segments import (
    segment_min_p as segment_min_p,
)
from runtime.ops.segments import (
    segment_prod as segment_prod,
)
from runtime.ops.segments import (
    segment_prod_p as segment_prod_p,
)
from runtime.ops.segments import (
    segment_sum as segment_sum,
)
from runtime.ops.segments import (
    segment_sum_p as segment_sum_p,
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

# fmt: on
from runtime.ops import operators as operators  # isort: skip
