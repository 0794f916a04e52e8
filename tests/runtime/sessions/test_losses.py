"""Version 1's losses: how they are weighed and made one number, against NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf

losses = tf.compat.v1.losses
R = np.random.default_rng(0)
A, B = R.random((3, 4)), R.random((3, 4))
SIGNS = (A > 0.5).astype(float)
ROWS: dict[str, tuple[Callable[..., Any], Any]] = {
    "absolute": (lambda **k: losses.absolute_difference(A, B, **k), np.abs(A - B)),
    "squared": (lambda **k: losses.mean_squared_error(A, B, **k), (A - B) ** 2),
    "hinge": (lambda **k: losses.hinge_loss(SIGNS, B, **k), np.maximum(1 - (2 * SIGNS - 1) * B, 0)),
    "huber": (
        lambda **k: losses.huber_loss(A, B, delta=0.3, **k),
        np.where(np.abs(A - B) < 0.3, 0.5 * (A - B) ** 2, 0.3 * (np.abs(A - B) - 0.15)),
    ),
    "log": (
        lambda **k: losses.log_loss(SIGNS, B, epsilon=0.0, **k),
        -np.log(np.where(SIGNS > 0, B, 1 - B)),
    ),
    "sigmoid": (
        lambda **k: losses.sigmoid_cross_entropy(SIGNS, B, label_smoothing=0.2, **k),
        np.log1p(np.exp(B)) - (SIGNS * 0.8 + 0.1) * B,
    ),
}
WEIGHTS = {
    "one": 2.0,
    "rows": np.array([[1.0], [0.0], [2.0]]),
    "all": (R.random((3, 4)) > 0.5) * 3.0,
    "none": 0.0,
}


def by_hand(values: Any, weights: Any, reduction: str) -> Any:
    weighed = values * weights
    whole = np.broadcast_to(weights, values.shape)
    if reduction == "none":
        return weighed
    count = {
        "weighted_sum": 1.0,
        "weighted_mean": whole.sum(),
        "weighted_sum_over_batch_size": values.size,
        "weighted_sum_by_nonzero_weights": np.count_nonzero(whole),
    }[reduction]
    return weighed.sum() / count if count else 0.0


@pytest.mark.parametrize("reduction", sorted({*losses.Reduction.all()}))
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", ROWS)
def test_losses(name: str, weights: str, reduction: str) -> None:
    function, values = ROWS[name]
    found = function(weights=WEIGHTS[weights], reduction=reduction)
    wanted = by_hand(values, WEIGHTS[weights], reduction)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5, atol=1e-6)


def test_losses_of_classes() -> None:
    labels = np.array([1, 0, 3])
    rows = -np.log(np.exp(A) / np.exp(A).sum(1, keepdims=True))[range(3), labels]
    for given in (labels, labels[:, None]):
        found = losses.sparse_softmax_cross_entropy(given, A, [1.0, 0.0, 2.0])
        assert float(found) == pytest.approx((rows[0] + 2 * rows[2]) / 2, rel=1e-5)
    assert float(losses.softmax_cross_entropy(np.eye(4)[labels], A)) == pytest.approx(
        rows.mean(), rel=1e-5
    )


def test_losses_are_noted_in_the_graph() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        losses.mean_squared_error(A, B)
        losses.absolute_difference(A, B, loss_collection=None)
        tf.compat.v1.add_to_collection("regularization_losses", tf.constant(2.0))
        assert len(losses.get_losses()) == 1
        total = session.run(losses.get_total_loss())
    assert total == pytest.approx(((A - B) ** 2).mean() + 2.0, rel=1e-5)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: losses.mean_squared_error(A, B[:2]), "one shape"),
        (lambda: losses.mean_squared_error(None, B), "None"),
        (lambda: losses.mean_squared_error(A, B, np.ones(4)), "broadcast"),
        (lambda: losses.mean_squared_error(A, B, reduction="mean"), "Reduction"),
        (lambda: losses.cosine_distance(A, B), "axis"),
    ],
)
def test_bad_arguments(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
