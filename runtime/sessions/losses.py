"""Version 1's losses: weighed, made one number, and noted in a collection of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.ops.checks import alike
from runtime.sessions.open_graph import GraphKeys, get_default_graph


class Reduction:
    """The ways to make one number of the losses of all elements.

    >>> rt.compat.v1.losses.Reduction.SUM
    'weighted_sum'
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them.

        >>> rt.compat.v1.losses.Reduction.all()[0]
        'none'
        """
        return (
            cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )  # fmt: skip

    @classmethod
    def validate(cls, key: str) -> None:
        """ValueError for what is none of them.

        >>> rt.compat.v1.losses.Reduction.validate("none")
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


def compute_weighted_loss(
    losses: Any, weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The losses times `weights`, by default their sum over the number of weights that are not 0.

    `weights` is a scalar, or of the rank of the losses with sizes of theirs or of 1: ValueError
    for other shapes, and for another reduction.

    >>> float(rt.compat.v1.losses.compute_weighted_loss([1.0, 2.0, 3.0], [1.0, 0.0, 1.0]))
    2.0
    """
    Reduction.validate(reduction)
    given = convert_to_tensor(losses)
    value = ops.cast(given, dtypes.float32)
    weight = ops.cast(convert_to_tensor(weights), dtypes.float32)
    _check_weights(weight, value)
    total: Tensor = value * weight
    if reduction != Reduction.NONE:
        count = _count(value, weight, reduction)
        total = ops.reduce_sum(total)
        total = total if count is None else ops.divide_no_nan(total, count)
    total = ops.cast(total, given.dtype)
    add_loss(total, loss_collection)
    return total


def _check_weights(weights: Tensor, values: Tensor) -> None:
    first, second = weights.static_shape, values.static_shape
    if not first or second is None:
        return
    fits = len(first) == len(second) and all(
        n in (1, None) or m is None or n == m for n, m in zip(first, second, strict=True)
    )
    if not fits:
        raise ValueError(
            f"weights can not be broadcast to values. values.shape={values.shape}. "
            f"weights.shape={weights.shape}."
        )


def _count(values: Tensor, weights: Tensor, reduction: str) -> Tensor | None:
    """The divisor of the sum; None for none."""
    if reduction == Reduction.MEAN:
        return ops.reduce_sum(ops.ones_like(values) * weights)
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return ops.cast(ops.size(values), dtypes.float32)
    if reduction == Reduction.SUM:
        return None
    return ops.reduce_sum(ops.cast(weights != 0, dtypes.float32) * ops.ones_like(values))


def _pair(labels: Any, predictions: Any) -> tuple[Tensor, Tensor]:
    if labels is None or predictions is None:
        raise ValueError("labels and predictions must not be None.")
    first, second = (ops.cast(convert_to_tensor(x), dtypes.float32) for x in (labels, predictions))
    return alike(first, second, "labels and predictions"), second


def absolute_difference(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """|predictions - labels|, made one number; errors as those of `compute_weighted_loss`.

    >>> float(rt.compat.v1.losses.absolute_difference([1.0, 2.0], [2.0, 4.0]))
    1.5
    """
    truth, guess = _pair(labels, predictions)
    return compute_weighted_loss(ops.abs(guess - truth), weights, scope, loss_collection, reduction)


def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """(predictions - labels) ** 2, made one number; errors as those of `compute_weighted_loss`.

    >>> float(rt.compat.v1.losses.mean_squared_error([1.0, 2.0], [2.0, 4.0]))
    2.5
    """
    truth, guess = _pair(labels, predictions)
    losses = ops.squared_difference(guess, truth)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def cosine_distance(
    labels: Any, predictions: Any, axis: Any = None, weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS, dim: Any = None,
) -> Tensor:  # fmt: skip
    """1 - the product of vectors of length 1 along `axis`, made one number.

    ValueError without an axis.

    >>> float(rt.compat.v1.losses.cosine_distance([[1.0, 0.0]], [[0.0, 1.0]], 1))
    1.0
    """
    along = dim if axis is None else axis
    if along is None:
        raise ValueError("You must specify argument `axis`.")
    truth, guess = _pair(labels, predictions)
    losses = 1 - ops.reduce_sum(guess * truth, along, True)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def hinge_loss(
    labels: Any, logits: Any, weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The lack of `logits` of 1 on the side of the labels, 0 and 1, made one number.

    >>> float(rt.compat.v1.losses.hinge_loss([1.0, 0.0], [0.5, 0.5]))
    1.0
    """
    truth, guess = _pair(labels, logits)
    losses = ops.relu(1 - (2 * truth - 1) * guess)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def huber_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, delta: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """Half of squared errors up to `delta`, then a line, made one number.

    >>> float(rt.compat.v1.losses.huber_loss([0.0], [3.0]))
    2.5
    """
    truth, guess = _pair(labels, predictions)
    size, limit = ops.abs(guess - truth), ops.cast(delta, dtypes.float32)
    near = ops.minimum(size, limit)
    losses = 0.5 * near * near + limit * (size - near)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def log_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, epsilon: float = 1e-7,
    scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The cross entropy of probabilities, with `epsilon` in the logarithms, made one number.

    >>> round(float(rt.compat.v1.losses.log_loss([1.0], [0.5])), 3)
    0.693
    """
    truth, guess = _pair(labels, predictions)
    losses = -truth * ops.log(guess + epsilon) - (1 - truth) * ops.log(1 - guess + epsilon)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0,
    scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The cross entropy of sigmoid(logits), labels drawn towards 1/2, made one number.

    >>> round(float(rt.compat.v1.losses.sigmoid_cross_entropy([1.0], [0.0])), 3)
    0.693
    """
    scores = convert_to_tensor(logits)
    truth = ops.cast(convert_to_tensor(multi_class_labels), scores.dtype)
    if label_smoothing > 0:
        truth = truth * (1 - label_smoothing) + 0.5 * label_smoothing
    losses = ops.sigmoid_cross_entropy_with_logits(truth, scores)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0,
    scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The cross entropy of softmax(logits), labels drawn towards equal shares, made one number.

    No gradient flows to the labels.

    >>> round(float(rt.compat.v1.losses.softmax_cross_entropy([[1.0, 0.0]], [[0.0, 0.0]])), 3)
    0.693
    """
    scores = convert_to_tensor(logits)
    truth = ops.cast(convert_to_tensor(onehot_labels), scores.dtype)
    truth = alike(truth, scores, "labels and logits")
    if label_smoothing > 0:
        classes = ops.cast(ops.shape(truth)[-1], scores.dtype)
        truth = truth * (1 - label_smoothing) + label_smoothing / classes
    losses = ops.softmax_cross_entropy_with_logits(ops.stop_gradient(truth), scores)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any, logits: Any, weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The cross entropy of softmax(logits) for numbers of classes, made one number.

    Labels may have a last axis of 1.

    >>> make = rt.compat.v1.losses.sparse_softmax_cross_entropy
    >>> round(float(make([1], [[0.0, 0.0]])), 3)
    0.693
    """
    classes, scores = convert_to_tensor(labels), convert_to_tensor(logits)
    weight = convert_to_tensor(weights)
    if classes.ndim is not None and classes.ndim == scores.ndim and classes.shape[-1] == 1:
        classes = ops.squeeze(classes, [-1])
    if weight.ndim and classes.ndim is not None and weight.ndim == classes.ndim + 1:
        weight = ops.squeeze(weight, [-1])
    losses = ops.sparse_softmax_cross_entropy_with_logits(classes, scores)
    return compute_weighted_loss(losses, weight, scope, loss_collection, reduction)


def add_loss(loss: Any, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Note a loss in a collection of the graph; nothing where ops are computed at once.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.losses.add_loss(rt.constant(1.0))
    ...     len(rt.compat.v1.losses.get_losses())
    1
    """
    if loss_collection and state.trace is not None:
        get_default_graph().add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Any]:
    """The losses that were noted.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.losses.get_losses()
    []
    """
    return get_default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The losses in the collection of regularizers.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.losses.get_regularization_losses()
    []
    """
    return get_default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Tensor:
    """Their sum; 0 of none.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.losses.get_regularization_loss().shape
    TensorShape([])
    """
    return _sum(get_regularization_losses(scope))


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """The sum of the losses that were noted, with those of regularizers if asked; 0 of none.

    >>> with rt.Graph().as_default(), rt.compat.v1.Session() as session:
    ...     rt.compat.v1.losses.add_loss(rt.constant(2.0))
    ...     float(session.run(rt.compat.v1.losses.get_total_loss()))
    2.0
    """
    found = get_losses(scope)
    if add_regularization_losses:
        found = found + get_regularization_losses(scope)
    return _sum(found)


def _sum(losses: Sequence[Any]) -> Tensor:
    return ops.add_n(list(losses)) if losses else convert_to_tensor(0.0)
