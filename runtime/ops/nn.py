"""Activations, softmax, losses, normalisation."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.identities import repeated
from runtime.core.primitive import (
    Order,
    Primitive,
    bind,
    in_name_of,
    row,
    same_shape,
    sample,
    wrong_value,
)
from runtime.core.shapes import Shape, merge_shapes
from runtime.core.tensor import Tensor
from runtime.core.workspace import Workspace
from runtime.ops import batching
from runtime.ops.arguments import one_of, static_int, static_number
from runtime.ops.blockwise import MANY, in_blocks, own, turning_rows
from runtime.ops.checks import alike, checked
from runtime.ops.define import Op, axis_in, binary, converted, matched, unary
from runtime.ops.gathering import class_of

# Activations


def _relu_kernel(x: Any, out: Any = None) -> Any:
    if x.dtype.char == "e" or (x.size >= MANY and x.dtype.char in "fd"):
        # Five times faster than the larger one of an array and a number, and of float16 -0.0 stays.
        return np.clip(x, x.dtype.type(0), x.dtype.type(np.inf), out=out)
    # Of two equal zeros the second is taken, as the processor does: -0.0 stays.
    return np.maximum(x.dtype.type(0), x, out=out)


def _relu6_kernel(x: Any, out: Any = None) -> Any:
    return np.clip(x, x.dtype.type(0), x.dtype.type(6), out=out)


def _masked(g: Any, y: Any) -> Any:
    return bind(relu_grad_p, g, y)


def _relu_grad_kernel(g: Any, y: Any, out: Any = None) -> Any:
    if g.shape != y.shape:
        merge_shapes(g.shape, y.shape)
    # A product, as np.where is ten times slower where signs change at random.
    return np.multiply(g, np.greater(y, 0, out=out), out=out)


relu_grad_p: Primitive = row(
    "relu_grad", _relu_grad_kernel, signature="R,R->R",
    shape=lambda g, y: merge_shapes(g, y), op_type="ReluGrad",
    gradient=lambda op, g: (_masked(g, op.inputs[1]), None), keep_inputs=(1,),
    samples=(sample("2,3", "2,3"),), order=Order.KEEP, batching=batching.on_last_axes,
    instruction="relu_grad",
)  # fmt: skip
relu: Op = unary(
    "relu", _relu_kernel, "R->R", reads="y", gradient=lambda x, y, g: _masked(g, y),
    doc="max(x, 0).", order=Order.KEEP, identities=(repeated,),
    argument="features",
    example=("rt.nn.relu([-1., 2.]).numpy().tolist()", "[0.0, 2.0]"),
    instruction="relu",
)  # fmt: skip
relu6: Op = unary(
    "relu6", _relu6_kernel, "R->R", reads="y",
    gradient=lambda x, y, g: _masked(_masked(g, y), 6 - y), doc="min(max(x, 0), 6).",
    order=Order.KEEP,
    argument="features",
    example=("rt.nn.relu6([9.]).numpy().tolist()", "[6.0]"),
    instruction="relu6",
)  # fmt: skip


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x where it is positive, `alpha` times x elsewhere.

    >>> rt.nn.leaky_relu([-1.]).numpy().round(3)
    array([-0.2], dtype=float32)
    """
    x = convert_to_tensor(features)
    if x.dtype.is_integer:
        x = ops.cast(x, dtypes.float32)
    return bind(leaky_relu_p, x, alpha=float(static_number(alpha, "alpha")))  # type: ignore[no-any-return]


def _leaky_gradient(op: Any, g: Any) -> Any:
    x, alpha = op.inputs[0], op.params["alpha"]
    return (ops.where(ops.greater(x, ops.zeros_like(x)), g, g * alpha),)


def _leaky_kernel(x: Any, *, alpha: float, out: Any = None) -> Any:
    slope = x.dtype.type(alpha)
    y = np.multiply(x, slope, out=out)
    if 0 < slope <= 1:
        return np.maximum(x, y, out=own(y))
    if not np.ndim(y):
        return np.where(x > 0, x, y)
    np.copyto(y, x, where=x > 0)
    return y


leaky_relu_p: Primitive = row(
    "leaky_relu", _leaky_kernel,
    signature="G->G", shape=same_shape, op_type="LeakyRelu", gradient=_leaky_gradient,
    samples=(sample("2,3", alpha=0.2),), order=Order.KEEP,
    instruction="leaky_relu",
)  # fmt: skip


def _sigmoid_kernel(x: Any, out: Any = None) -> Any:
    if x.dtype.char == "e":
        # exp(12) is more than a float16 holds.
        return converted(_sigmoid_kernel(x.astype(np.float32)), x.dtype, out)
    if np.ndim(x) == 0:
        return 1 / (1 + np.exp(-x))
    y = np.negative(x, out=out)
    np.exp(y, out=y)
    np.add(y, y.dtype.type(1), out=y)
    return np.reciprocal(y, out=y)


sigmoid: Op = unary(
    "sigmoid", _sigmoid_kernel, reads="y", gradient=lambda x, y, g: g * ops.conj(y * (1 - y)),
    doc="1 / (1 + exp(-x)).", order=Order.KEEP,
    example=("rt.sigmoid([0.]).numpy().tolist()", "[0.5]"),
    instruction="sigmoid",
)  # fmt: skip


def _softplus_kernel(x: Any, out: Any = None, work: Any = None) -> Any:
    if x.size < MANY or x.dtype == np.float16:
        return np.logaddexp(x, x.dtype.type(0), out=out)
    return _softplus_of_many(x, out=out, work=work)


@in_blocks
def _softplus_of_many(x: Any, out: Any, work: Workspace) -> None:
    y = np.abs(x, out=out)
    np.negative(y, out=y)
    np.log1p(np.exp(y, out=y), out=y)
    y += np.maximum(x, 0, out=work.array(x.shape, x.dtype))


def _softsign_kernel(x: Any, out: Any = None) -> Any:
    size = np.abs(x, out=out)
    size = np.add(size, size.dtype.type(1), out=own(size))
    return np.divide(x, size, out=own(size))


softplus: Op = unary(
    "softplus", _softplus_kernel, "G->G", gradient=lambda x, y, g: g * sigmoid(x),
    doc="log(1 + exp(x)), without overflow.",
    argument="features",
    example=("rt.math.softplus([0.]).numpy().round(3)", "array([0.693], dtype=float32)"),
    instruction="softplus",
)  # fmt: skip
softsign: Op = unary(
    "softsign", _softsign_kernel, "G->G",
    gradient=lambda x, y, g: g / ops.square(1 + ops.abs(x)), doc="x / (1 + |x|).", order=Order.KEEP,
    argument="features",
    example=("rt.math.softsign([1.]).numpy().tolist()", "[0.5]"),
    instruction="softsign",
)  # fmt: skip


def _elu_kernel(x: Any, out: Any = None) -> Any:
    # exp(x) - 1 is never below x. As in relu, the second of two equal zeros is taken.
    y = np.clip(x, x.dtype.type(-np.inf), x.dtype.type(0), out=out)
    y = np.expm1(y, out=own(y))
    return np.maximum(x, y, out=own(y))


elu: Op = unary(
    "elu", _elu_kernel, "G->G", reads="y", doc="x where it is positive, exp(x) - 1 elsewhere.",
    gradient=lambda x, y, g: ops.where(ops.greater(y, ops.zeros_like(y)), g, g * (y + 1)),
    order=Order.KEEP,
    argument="features",
    example=("rt.nn.elu([-1.]).numpy().round(3)", "array([-0.632], dtype=float32)"),
    instruction="elu",
)  # fmt: skip
_ALPHA, _SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def selu(features: Any, name: str | None = None) -> Tensor:
    """The scaled exponential linear unit, which keeps mean 0 and variance 1.

    >>> rt.nn.selu([-1.]).numpy().round(3)
    array([-1.111], dtype=float32)
    """
    x = convert_to_tensor(features)
    negative = ops.expm1(ops.minimum(x, 0.0)) * (_SCALE * _ALPHA)
    return ops.where(ops.less(x, 0.0), negative, x * _SCALE)


def crelu(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """relu of x and of -x, joined along `axis`.

    >>> rt.nn.crelu([1., -2.]).numpy().tolist()
    [1.0, 0.0, 0.0, 2.0]
    """
    x = convert_to_tensor(features)
    return relu(ops.concat([x, -x], axis))


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """x times the normal distribution up to x; `approximate` uses tanh instead of erf.

    >>> rt.nn.gelu([1.]).numpy().round(3)
    array([0.841], dtype=float32)
    """
    x = convert_to_tensor(features)
    if not approximate:
        return ops.exact_gelu(x)
    # Beyond these tanh is -1 or 1; powers would overflow there, and 0 times infinity is NaN.
    near = ops.clip_by_value(x, -_FAR, _FAR)
    inner = float(np.sqrt(2 / np.pi)) * (near + 0.044715 * ops.pow(near, 3))
    return (ops.tanh(inner) + 1) * 0.5 * ops.maximum(x, -_FAR)


_FAR = 30.0


def silu(features: Any, beta: float = 1.0) -> Tensor:
    """x * sigmoid(beta * x).

    >>> rt.nn.silu([1.]).numpy().round(3)
    array([0.731], dtype=float32)
    """
    x = convert_to_tensor(features)
    return x * sigmoid(x if isinstance(beta, float) and beta == 1.0 else x * beta)


swish = silu


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), without overflow.

    >>> rt.math.log_sigmoid([0.]).numpy().round(3)
    array([-0.693], dtype=float32)
    """
    return -softplus(-convert_to_tensor(x))


# Softmax


def _axis_shape(shape: Shape, *, axis: int) -> Shape:
    if shape is not None:
        if not shape:
            raise wrong_value("softmax needs at least one dimension, got a scalar")
        axis_in(axis, len(shape))
    return shape


@turning_rows
def _softmax_kernel(x: Any, axis: int, out: Any, work: Workspace | None) -> Any:
    one = _of_columns(x, work)
    y = np.subtract(x, _max_reduce(x, axis, None, one, True, _lowest(x)), out=out)
    np.exp(y, out=y)
    return np.divide(y, _sum(y, axis, one), out=y)


def _sum(x: Any, axis: int, out: Any) -> Any:
    """The sums along an axis, of float16 in float32: more than 2048 ones would be lost."""
    return _add_reduce(x, axis, np.float32 if x.dtype == np.float16 else None, out, True)


def _of_columns(x: Any, work: Workspace | None) -> Any:
    """Memory for one number of each column."""
    return None if work is None else work.array((1, x.shape[1]), x.dtype)


_max_reduce: Any = np.maximum.reduce
_add_reduce: Any = np.add.reduce


def _lowest(x: Any) -> Any:
    return x.dtype.type(-np.inf)


def _softmax_gradient(op: Any, g: Any) -> Any:
    y, axis = op.outputs[0], op.params["axis"]
    weighted = g * y
    return (weighted - y * ops.reduce_sum(weighted, axis, True),)


_ROWS = (sample("2,3", axis=-1), sample("2,3", axis=0))
softmax_p: Primitive = row(
    "softmax", _softmax_kernel, signature="G->G", shape=_axis_shape, op_type="Softmax",
    gradient=_softmax_gradient, keep_inputs=(), keep_outputs=(0,), samples=_ROWS,
    instruction="softmax", passes=4,
)  # fmt: skip


def softmax(logits: Any, axis: Any = -1, name: str | None = None) -> Tensor:
    """exp(logits) divided by its sum along `axis`.

    >>> rt.math.softmax([1., 1.]).numpy().tolist()
    [0.5, 0.5]
    """
    place = -1 if axis is None else static_int(axis, "axis")
    return bind(softmax_p, convert_to_tensor(logits), axis=place)  # type: ignore[no-any-return]


@turning_rows
def _log_softmax_kernel(x: Any, axis: int, out: Any, work: Workspace | None) -> Any:
    top = _max_reduce(x, axis, None, _of_columns(x, work), True, _lowest(x))
    y = np.subtract(x, top, out=out)
    total = _sum(np.exp(y, out=y), axis, _of_columns(x, work))
    total = np.log(total, out=own(total))
    return np.subtract(np.subtract(x, top, out=y), total, out=y)


def _log_softmax_gradient(op: Any, g: Any) -> Any:
    y, axis = op.outputs[0], op.params["axis"]
    return (g - ops.exp(y) * ops.reduce_sum(g, axis, True),)


log_softmax_p: Primitive = row(
    "log_softmax", _log_softmax_kernel, signature="G->G", shape=_axis_shape, op_type="LogSoftmax",
    gradient=_log_softmax_gradient, keep_inputs=(), keep_outputs=(0,), samples=_ROWS,
    instruction="log_softmax", passes=5,
)  # fmt: skip


def log_softmax(logits: Any, axis: Any = -1, name: str | None = None) -> Tensor:
    """log(softmax(logits)) along `axis`, without overflow.

    >>> rt.math.log_softmax([1., 1.]).numpy().round(3)
    array([-0.693, -0.693], dtype=float32)
    """
    place = -1 if axis is None else static_int(axis, "axis")
    return bind(log_softmax_p, convert_to_tensor(logits), axis=place)  # type: ignore[no-any-return]


# Losses


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: Any = -1, name: str | None = None
) -> Tensor:
    """The cross entropy of softmax(logits) against distributions `labels` along `axis`.

    Both broadcast.

    >>> labels, logits = [[0., 1.]], [[0., 0.]]
    >>> rt.nn.softmax_cross_entropy_with_logits(labels, logits).numpy().round(3)
    array([0.693], dtype=float32)
    """
    scores, truth = matched(logits, labels)
    if not _as_long(scores, truth, static_int(axis, "axis")):
        scores = scores + ops.zeros_like(truth)  # broadcast before the softmax, not behind it
    return -ops.reduce_sum(truth * log_softmax(scores, axis), axis)


def _as_long(scores: Tensor, truth: Tensor, axis: int) -> bool:
    """Whether both have as many axes, and are known to be of one length along `axis`."""
    if scores.ndim is None or scores.ndim != truth.ndim or not -scores.ndim <= axis < scores.ndim:
        return False
    length = scores.shape[axis]
    return length is not None and length == truth.shape[axis]


def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Tensor:
    """The cross entropy of softmax(logits) against class numbers, one for each row of `logits`.

    InvalidArgumentError for a class number that no column has.

    >>> labels, logits = [1], [[0., 0.]]
    >>> rt.nn.sparse_softmax_cross_entropy_with_logits(labels, logits).numpy().round(3)
    array([0.693], dtype=float32)
    """
    classes, scores = convert_to_tensor(labels), convert_to_tensor(logits)
    if classes.ndim is None or scores.ndim is None:
        rows = ops.reshape(scores, ops.stack([-1, ops.shape(scores)[-1]]))
        losses = sparse_softmax_cross_entropy_with_logits(ops.reshape(classes, [-1]), rows)
        return ops.reshape(losses, ops.shape(classes))
    if classes.ndim != scores.ndim - 1:
        raise wrong_value(
            "Rank mismatch: Rank of labels should equal rank of logits minus 1 "
            f"(labels {classes.shape}, logits {scores.shape})."
        )
    return -class_of(log_softmax(scores), classes)


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """The cross entropy of sigmoid(logits) against probabilities, elementwise, without overflow.

    >>> rt.nn.sigmoid_cross_entropy_with_logits([1.], [0.]).numpy().round(3)
    array([0.693], dtype=float32)
    """
    scores, truth = matched(logits, labels)
    truth = alike(truth, scores, "labels and logits")
    return _sigmoid_cross_entropy(scores, truth)


def _sigmoid_loss_kernel(x: Any, labels: Any, out: Any = None) -> Any:
    tail = np.log1p(np.exp(-np.abs(x)))
    return np.add(np.maximum(x, 0) - x * labels, tail, out=out)


_sigmoid_cross_entropy: Op = binary(
    "sigmoid_cross_entropy", _sigmoid_loss_kernel, "G,G->G", op_type="SigmoidCrossEntropy",
    is_own=True,
    # Not by the parts of the sum, whose slopes do not meet at 0.
    gradient=(lambda x, z, y, g: g * (sigmoid(x) - z), lambda x, z, y, g: -g * x),
    reads=("ab", "a"), doc="The cross entropy of sigmoid(x) against y.",
    instruction="sigmoid_cross_entropy",
)  # fmt: skip


def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Tensor:
    """As sigmoid_cross_entropy_with_logits, positive labels counted `pos_weight` times.

    >>> rt.nn.weighted_cross_entropy_with_logits([1.], [0.], 2.).numpy().round(3)
    array([1.386], dtype=float32)
    """
    scores, truth = matched(logits, labels)
    truth = alike(truth, scores, "labels and logits")
    weight = 1 + (convert_to_tensor(pos_weight, scores.dtype) - 1) * truth
    return (1 - truth) * scores + weight * softplus(-scores)


def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """The negative log likelihood of counts `targets` under a Poisson distribution.

    Its rate is exp(log_input).

    >>> rt.nn.log_poisson_loss([1.], [0.]).numpy().tolist()
    [1.0]
    """
    rate, counts = matched(log_input, targets)
    counts = alike(counts, rate, "targets and log_input")
    loss = ops.exp(rate) - rate * counts
    if not compute_full_loss:
        return loss
    stirling = counts * ops.log(counts) - counts + 0.5 * ops.log(2 * np.pi * counts)
    inside = ops.logical_and(ops.greater_equal(counts, 0.0), ops.less_equal(counts, 1.0))
    return loss + ops.where(inside, ops.zeros_like(counts), stirling)


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Half the sum of squares.

    >>> float(rt.nn.l2_loss([3., 4.]))
    12.5
    """
    x = convert_to_tensor(t)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        refused = TypeError(f"input 0 has dtype {x.dtype.name}, which it does not take: cast it")
        raise in_name_of("L2Loss", refused, (x.type,))
    return ops.reduce_sum(ops.square(x)) * 0.5


def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Tensor:
    """The sum of losses, times their weights, divided by the number of examples.

    That number is the size of the first axis, if `global_batch_size` does not say; of no examples
    the result is 0. Weights of one axis more or less than the losses lose, or get, a last one of
    size 1. Raises ValueError for a scalar loss, TypeError for a number of examples that is no
    integer, errors.InvalidArgumentError for a negative one.

    >>> float(rt.nn.compute_average_loss([1., 3.], sample_weight=[2., 1.]))
    2.5
    """
    name = "compute_average_loss"
    losses = convert_to_tensor(per_example_loss)
    if losses.static_shape == ():
        raise ValueError(f"{name}(): per_example_loss must have an axis of examples")
    dtype, size = losses.dtype, global_batch_size
    if sample_weight is not None:
        losses = losses * _fitted(ops.cast(sample_weight, dtype), losses)
    size = ops.shape(losses)[0] if size is None else convert_to_tensor(size)
    if size.static_shape not in ((), None):
        raise ValueError(f"{name}(): global_batch_size must be a scalar, not {size.shape}")
    if not size.dtype.is_integer:
        raise TypeError(f"{name}(): global_batch_size must be an integer, not {size.dtype.name}")
    size = checked(size, ops.greater_equal(size, 0), name, "global_batch_size must not be negative")
    return ops.divide_no_nan(ops.reduce_sum(losses), ops.cast(size, dtype))


def _fitted(weights: Tensor, losses: Tensor) -> Tensor:
    """Weights with as many axes as the losses, where one more or less makes the difference."""
    of_weights, of_losses = weights.static_shape, losses.static_shape
    if not of_weights or of_losses is None:
        return weights
    if len(of_weights) == len(of_losses) - 1:
        return weights[..., None]
    return ops.squeeze(weights, [-1]) if len(of_weights) == len(of_losses) + 1 else weights


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of a loss: there is one replica of the model, among which it would be divided.

    >>> float(rt.nn.scale_regularization_loss([1., 2.]))
    3.0
    """
    return ops.reduce_sum(regularization_loss)


# Normalisation


def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance along `axes`.

    >>> [float(x) for x in rt.nn.moments([1., 3.], [0])]
    [2.0, 1.0]
    """
    value = convert_to_tensor(x)
    wide = ops.cast(value, dtypes.float32) if value.dtype is dtypes.float16 else value
    mean = ops.reduce_mean(wide, axes, True)
    variance = ops.reduce_mean(ops.squared_difference(wide, mean), axes, keepdims)
    if not keepdims:
        mean = ops.squeeze(mean, axes)
    return ops.cast(mean, value.dtype), ops.cast(variance, value.dtype)


def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance along `axes`, each element counted as its weight says.

    They are 0 where the weights add up to 0.

    >>> [float(x) for x in rt.nn.weighted_moments([1., 3.], [0], [1., 0.])]
    [1.0, 0.0]
    """
    value, weights = matched(x, frequency_weights)
    total = ops.reduce_sum(weights + ops.zeros_like(value), axes, True)
    mean = ops.divide_no_nan(ops.reduce_sum(weights * value, axes, True), total)
    around = weights * ops.squared_difference(value, mean)
    variance = ops.divide_no_nan(ops.reduce_sum(around, axes, True), total)
    return (mean, variance) if keepdims else (ops.squeeze(mean, axes), ops.squeeze(variance, axes))


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """x less `mean`, over the deviation, times `scale`, plus `offset`.

    `offset` and `scale` may be None.

    >>> rt.nn.batch_normalization([1., 3.], 2., 1., None, None, 0.).numpy().tolist()
    [-1.0, 1.0]
    """
    value = convert_to_tensor(x)
    factor = ops.rsqrt(convert_to_tensor(variance) + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    shift = -convert_to_tensor(mean) * factor
    if offset is not None:
        shift = shift + offset
    return value * ops.cast(factor, value.dtype) + ops.cast(shift, value.dtype)


_FORMATS = ("NWC", "NHWC", "NDHWC", "N...C", "NCW", "NCHW", "NCDHW", "NC...")


def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """A vector added along the axis of channels of `value`, of rank 2 or more.

    That is the last axis, or the second with a format that starts with NC.

    Raises InvalidArgumentError for another rank, and for a vector of another length.

    >>> rt.nn.bias_add([[1., 2.]], [10., 20.]).numpy().tolist()
    [[11.0, 22.0]]
    """
    x, added = matched(value, bias)
    if data_format is not None:
        data_format = one_of(data_format, "data_format", _FORMATS)
    second = data_format is not None and data_format[1] == "C"
    _bias_shape(x.static_shape, added.static_shape, second=second)
    channels = (x.static_shape or (None,))[-1:]
    if channels != (None,) and added.static_shape == channels and not second:
        return x + added
    return bind(bias_add_p, x, added, second=second)  # type: ignore[no-any-return]


def _bias_kernel(x: Any, bias: Any, *, second: bool, out: Any = None) -> Any:
    _bias_shape(x.shape, bias.shape, second=second)
    return np.add(x, bias.reshape(-1, *[1] * (x.ndim - 2)) if second else bias, out=out)


def _bias_shape(x: Shape, bias: Shape, *, second: bool) -> Shape:
    if x is not None and len(x) < 2:
        raise wrong_value(f"Input tensor must be at least 2D, got shape {x}")
    if bias is not None and len(bias) != 1:
        raise wrong_value(f"bias must be a vector, got shape {bias}")
    if x is None or bias is None:
        return x
    place = 1 if second else len(x) - 1
    if None not in (x[place], bias[0]) and x[place] != bias[0]:
        raise wrong_value(f"bias has {bias[0]} elements for the {x[place]} channels of shape {x}")
    return (*x[:place], bias[0] if x[place] is None else x[place], *x[place + 1 :])


def _bias_gradient(op: Any, g: Any) -> Any:
    if not op.needed[1]:
        return g, None
    if not op.params["second"]:
        return g, ops.reduce_sum(ops.reshape(g, ops.stack([-1, ops.shape(g)[-1]])), 0)
    if g.ndim is None:
        raise wrong_value("the gradient of bias_add with channels first needs a known rank")
    return g, ops.reduce_sum(g, [axis for axis in range(g.ndim) if axis != 1])


bias_add_p: Primitive = row(
    "bias_add", _bias_kernel, signature="N,N->N", shape=_bias_shape, op_type="BiasAdd",
    gradient=_bias_gradient, keep_inputs=(),
    samples=(
        sample("2,3", "3", second=False), sample("4,2,3", "3", second=False),
        sample("4,2,3", "2", second=True),
    ), instruction="bias_add",
)  # fmt: skip


def embedding_lookup(
    params: Any, ids: Any, max_norm: Any = None, name: str | None = None
) -> Tensor:
    """The rows of `params` that `ids` names.

    They are scaled down to a norm of at most `max_norm` if that is given. A list holds the parts of
    `params`, one after the other: of one length, or the first ones of one row more;
    InvalidArgumentError (ValueError while tracing) for others.

    >>> rt.nn.embedding_lookup(rt.constant([[1, 2], [3, 4]]), [1]).numpy().tolist()
    [[3, 4]]
    """
    if isinstance(params, list):
        parts = [convert_to_tensor(part) for part in params]
        if not parts or any(part.ndim == 0 for part in parts):
            raise wrong_value("embedding_lookup needs parts of rank 1 or more")
        ids = _of_even(parts, ids) if len(parts) > 1 else ids
        params = parts[0] if len(parts) == 1 else ops.concat(parts, 0)
    rows = ops.gather(params, ids)
    if max_norm is None:
        return rows
    count, width = ops.size(ids), ops.reduce_prod(ops.shape(params)[1:])
    flat = ops.reshape(rows, ops.stack([count, width]))
    return ops.reshape_like(ops.clip_by_norm(flat, max_norm, [1]), rows)  # type: ignore[no-any-return]


def _of_even(parts: list[Tensor], ids: Any) -> Any:
    """The places `ids`, of rows that are dealt out to `parts` as evenly as can be."""
    message = "parts of one length are needed, or first ones that have one row more"
    count = len(parts)
    lengths = [None if part.static_shape is None else part.static_shape[0] for part in parts]
    known = [length for length in lengths if length is not None]
    if len(known) == count:
        if known != [len(range(at, sum(known), count)) for at in range(count)]:
            raise wrong_value(f"embedding_lookup: {message}, not {known}")
        return ids
    found = ops.stack([ops.shape(part)[0] for part in parts])
    even = (ops.reduce_sum(found) + np.arange(count - 1, -1, -1)) // count
    places = convert_to_tensor(ids, dtype_hint=dtypes.int32)
    return checked(places, ops.equal(found, even), "embedding_lookup", f"{message}, for ids")
