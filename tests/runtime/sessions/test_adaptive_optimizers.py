"""Version 1's optimizers against their formulas in NumPy: of all rows, and of gathered ones."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf

v1, train = tf.compat.v1, tf.compat.v1.train
START = np.arange(8.0).reshape(4, 2) / 4
STEPS = ([1, 3, 1], [0, 1, 1], [2, 2, 1])
Formula = Callable[[Any, Any, list[Any]], tuple[Any, list[Any]]]


def momentum(w: Any, g: Any, kept: list[Any]) -> tuple[Any, list[Any]]:
    moved = 0.9 * kept[0] + g
    return w - 0.1 * moved, [moved]


def adagrad(w: Any, g: Any, kept: list[Any]) -> tuple[Any, list[Any]]:
    squares = kept[0] + g**2
    return w - 0.1 * g / np.sqrt(squares), [squares]


def adadelta(w: Any, g: Any, kept: list[Any]) -> tuple[Any, list[Any]]:
    squares = 0.95 * kept[0] + 0.05 * g**2
    step = np.sqrt(kept[1] + 1e-8) / np.sqrt(squares + 1e-8) * g
    return w - step, [squares, 0.95 * kept[1] + 0.05 * step**2]


def rms(w: Any, g: Any, kept: list[Any]) -> tuple[Any, list[Any]]:
    squares, mean = 0.9 * kept[0] + 0.1 * g**2, 0.9 * kept[1] + 0.1 * g
    moved = 0.5 * kept[2] + 0.1 * g / np.sqrt(squares - mean**2 + 1e-10)
    return w - moved, [squares, mean, moved]


def ftrl(w: Any, g: Any, kept: list[Any]) -> tuple[Any, list[Any]]:
    squares = kept[0] + g**2
    linear = kept[1] + g - (np.sqrt(squares) - np.sqrt(kept[0])) / 0.1 * w
    made = (np.sign(linear) * 0.01 - linear) / (np.sqrt(squares) / 0.1 + 2 * 0.02)
    return np.where(np.abs(linear) > 0.01, made, 0.0), [squares, linear]


def proximal(w: Any, g: Any, kept: list[Any]) -> tuple[Any, list[Any]]:
    w = w - 0.1 * g
    return np.sign(w) * np.maximum(np.abs(w) - 0.1 * 0.01, 0) / (1 + 0.02 * 0.1), []


ROWS: dict[str, tuple[Callable[[], Any], Formula, list[float]]] = {
    "Momentum": (lambda: train.MomentumOptimizer(0.1, 0.9), momentum, [0.0]),
    "Adagrad": (lambda: train.AdagradOptimizer(0.1), adagrad, [0.1]),
    "Adadelta": (lambda: train.AdadeltaOptimizer(1.0), adadelta, [0.0, 0.0]),
    "RMSProp": (
        lambda: train.RMSPropOptimizer(0.1, 0.9, 0.5, centered=True), rms, [1.0, 0.0, 0.0],
    ),
    "Ftrl": (
        lambda: train.FtrlOptimizer(
            0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02
        ),
        ftrl, [0.1, 0.0],
    ),
    "Proximal": (lambda: train.ProximalGradientDescentOptimizer(0.1, 0.01, 0.02), proximal, []),
}  # fmt: skip


def by_hand(formula: Formula, starts: list[float], gathered: bool) -> Any:
    w, kept = START.copy(), [np.full(START.shape, start) for start in starts]
    for places in STEPS:
        g = np.zeros_like(w)
        if gathered:
            np.add.at(g, places, 2 * w[places])
        else:
            g = 2 * w
        rows = np.unique(places) if gathered else np.arange(4)
        made, new = formula(w[rows], g[rows], [each[rows] for each in kept])
        w[rows] = made
        for each, value in zip(kept, new, strict=True):
            each[rows] = value
    return w


def loss(w: Any, places: Any, gathered: bool) -> Any:
    return tf.reduce_sum((tf.gather(w, places) if gathered else w) ** 2.0)


@pytest.mark.parametrize("gathered", [False, True])
@pytest.mark.parametrize("name", ROWS)
def test_steps(name: str, gathered: bool) -> None:
    make, formula, starts = ROWS[name]
    w, optimizer = tf.Variable(START), make()
    for places in STEPS:
        optimizer.minimize(lambda k=places: loss(w, k, gathered), var_list=[w])
    np.testing.assert_allclose(w.numpy(), by_hand(formula, starts, gathered), rtol=1e-6)


@pytest.mark.parametrize("gathered", [False, True])
@pytest.mark.parametrize("name", ROWS)
def test_steps_of_a_session(name: str, gathered: bool) -> None:
    make, formula, starts = ROWS[name]
    with tf.Graph().as_default(), v1.Session() as session:
        w, places = v1.get_variable("w", initializer=START), v1.placeholder(tf.int32, [3])
        optimizer = make()
        step = optimizer.minimize(loss(w, places, gathered))
        session.run(v1.global_variables_initializer())
        for each in STEPS:
            session.run(step, {places: each})
        found = session.run(w)
        assert len(optimizer.variables()) == len(optimizer.get_slot_names()) == len(starts)
    np.testing.assert_allclose(found, by_hand(formula, starts, gathered), rtol=1e-6)


RATES: dict[str, tuple[Callable[[int], Any], Callable[[float], float]]] = {
    "exponential": (
        lambda n: train.exponential_decay(0.5, n, 10, 0.3), lambda n: 0.5 * 0.3 ** (n / 10),
    ),
    "staircase": (
        lambda n: train.exponential_decay(0.5, n, 10, 0.3, True), lambda n: 0.5 * 0.3 ** (n // 10),
    ),
    "natural": (
        lambda n: train.natural_exp_decay(0.5, n, 10, 0.3),
        lambda n: 0.5 * np.exp(-0.3 * n / 10),
    ),
    "inverse": (
        lambda n: train.inverse_time_decay(0.5, n, 10, 0.3), lambda n: 0.5 / (1 + 0.3 * n / 10),
    ),
    "polynomial": (
        lambda n: train.polynomial_decay(0.5, n, 10, 0.1, 2.0),
        lambda n: 0.4 * (1 - min(n, 10) / 10) ** 2 + 0.1,
    ),
    "cosine": (
        lambda n: train.cosine_decay(0.5, n, 10, 0.1),
        lambda n: 0.5 * (0.9 * 0.5 * (1 + np.cos(np.pi * min(n, 10) / 10)) + 0.1),
    ),
    "piecewise": (
        lambda n: train.piecewise_constant_decay(n, [3, 10], [0.5, 0.2, 0.1]),
        lambda n: 0.5 if n <= 3 else 0.2 if n <= 10 else 0.1,
    ),
    "restarts": (
        lambda n: train.cosine_decay_restarts(0.5, n, 4, 1.0, 0.5),
        lambda n: 0.5 * 0.5 ** (n // 4) * 0.5 * (1 + np.cos(np.pi * (n % 4) / 4)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RATES)
def test_rates_that_decay(name: str) -> None:
    ours, wanted = RATES[name]
    for step in (0, 3, 10, 25):
        assert float(ours(step)()) == pytest.approx(wanted(step), rel=1e-5)
        with tf.Graph().as_default(), v1.Session() as session:
            assert session.run(ours(step)) == pytest.approx(wanted(step), rel=1e-5)
