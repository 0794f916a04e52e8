"""Neural networks: activations, losses, normalisation, convolution and pooling."""

# fmt: off
from runtime.ops.convolution import (
    atrous_conv2d as atrous_conv2d,
)
from runtime.ops.convolution import (
    atrous_conv2d_transpose as atrous_conv2d_transpose,
)
from runtime.ops.convolution import (
    conv1d as conv1d,
)
from runtime.ops.convolution import (
    conv1d_transpose as conv1d_transpose,
)
from runtime.ops.convolution import (
    conv2d as conv2d,
)
from runtime.ops.convolution import (
    conv2d_transpose as conv2d_transpose,
)
from runtime.ops.convolution import (
    conv3d as conv3d,
)
from runtime.ops.convolution import (
    conv3d_transpose as conv3d_transpose,
)
from runtime.ops.convolution import (
    conv_transpose as conv_transpose,
)
from runtime.ops.convolution import (
    convolution as convolution,
)
from runtime.ops.convolution import (
    depthwise_conv2d as depthwise_conv2d,
)
from runtime.ops.convolution import (
    separable_conv2d as separable_conv2d,
)
from runtime.ops.decompositions import (
    l2_normalize as l2_normalize,
)
from runtime.ops.math import (
    tanh as tanh,
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
    log_poisson_loss as log_poisson_loss,
)
from runtime.ops.nn import (
    log_softmax as log_softmax,
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
    in_top_k as in_top_k,
)
from runtime.ops.ordering import (
    top_k as top_k,
)
from runtime.ops.pooling import (
    avg_pool as avg_pool,
)
from runtime.ops.pooling import (
    avg_pool1d as avg_pool1d,
)
from runtime.ops.pooling import (
    avg_pool2d as avg_pool2d,
)
from runtime.ops.pooling import (
    avg_pool3d as avg_pool3d,
)
from runtime.ops.pooling import (
    max_pool as max_pool,
)
from runtime.ops.pooling import (
    max_pool1d as max_pool1d,
)
from runtime.ops.pooling import (
    max_pool2d as max_pool2d,
)
from runtime.ops.pooling import (
    max_pool3d as max_pool3d,
)
from runtime.ops.pooling import (
    max_pool_with_argmax as max_pool_with_argmax,
)
from runtime.ops.pooling import (
    pool as pool,
)
from runtime.ops.reductions import (
    zero_fraction as zero_fraction,
)
