"""Neural networks: activations, losses, normalisation, convolution and pooling."""

# fmt: off
# ruff: noqa: I001
from types import SimpleNamespace as _SimpleNamespace

from runtime.core.lazy import facade as _facade
from runtime.ops.blocks import (
    depth_to_space as depth_to_space, space_to_batch as space_to_batch,
    space_to_depth as space_to_depth,
)
from runtime.ops.convolution import (
    atrous_conv2d as atrous_conv2d, atrous_conv2d_transpose as atrous_conv2d_transpose,
    conv1d as conv1d, conv1d_transpose as conv1d_transpose, conv2d as conv2d,
    conv2d_transpose as conv2d_transpose, conv3d as conv3d, conv3d_transpose as conv3d_transpose,
    conv_transpose as conv_transpose, convolution as convolution,
    depthwise_conv2d as depthwise_conv2d, separable_conv2d as separable_conv2d,
)
from runtime.ops.ctc_decoding import (
    ctc_beam_search_decoder as ctc_beam_search_decoder, ctc_greedy_decoder as ctc_greedy_decoder,
)
from runtime.ops.math import tanh as tanh
from runtime.ops.nn import (
    batch_normalization as batch_normalization, bias_add as bias_add,
    compute_average_loss as compute_average_loss, crelu as crelu, elu as elu,
    embedding_lookup as embedding_lookup, gelu as gelu, l2_loss as l2_loss,
    leaky_relu as leaky_relu, log_poisson_loss as log_poisson_loss, log_softmax as log_softmax,
    moments as moments, relu as relu, relu6 as relu6,
    scale_regularization_loss as scale_regularization_loss, selu as selu, sigmoid as sigmoid,
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits, silu as silu,
    softmax as softmax, softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
    softplus as softplus, softsign as softsign,
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
    swish as swish, weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
    weighted_moments as weighted_moments,
)
from runtime.ops.morphology import dilation2d as dilation2d, erosion2d as erosion2d
from runtime.ops.normalization import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
    dropout as dropout, general_dropout as _general_dropout,
    local_response_normalization as local_response_normalization, lrn as lrn,
    normalize_moments as normalize_moments, stateless_dropout as _stateless_dropout,
    sufficient_statistics as sufficient_statistics,
)
from runtime.ops.norms import l2_normalize as l2_normalize
from runtime.ops.ordering import in_top_k as in_top_k, top_k as top_k
from runtime.ops.pooling import (
    avg_pool as avg_pool, avg_pool1d as avg_pool1d, avg_pool2d as avg_pool2d,
    avg_pool3d as avg_pool3d, max_pool as max_pool, max_pool1d as max_pool1d,
    max_pool2d as max_pool2d, max_pool3d as max_pool3d,
    max_pool_with_argmax as max_pool_with_argmax, pool as pool,
)
from runtime.ops.reductions import zero_fraction as zero_fraction
from runtime.staging.ctc import (
    collapse_repeated as collapse_repeated, ctc_loss as ctc_loss,
    ctc_unique_labels as ctc_unique_labels,
)  # fmt: skip

# The names under which these were first published.
experimental = _SimpleNamespace(
    general_dropout=_general_dropout, stateless_dropout=_stateless_dropout
)

__dir__ = _facade(__name__)
