"""Version 1's optimizers: weights after steps are those of TensorFlow 2.21's `compat.v1`."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import runtime as rt

v1 = rt.compat.v1


@pytest.fixture
def session() -> Iterator[Any]:
    with rt.Graph().as_default(), v1.Session() as made:
        yield made


# The optimizer, and w, b after five steps of clipped gradients at a rate of 0.1, and three of w
# alone at 0.05; printed by TensorFlow 2.21 for the program of `_trained`.
CASES: list[tuple[Callable[[Any], Any], list[float], float]] = [
    (
        lambda rate: v1.train.MomentumOptimizer(rate, 0.9),
        [1.887181734376, 1.905888726009, 1.951420537615],
        1.314409978635,
    ),
    (
        lambda rate: v1.train.MomentumOptimizer(rate, 0.9, use_nesterov=True),
        [1.744024807728, 1.786115264004, 1.891302066464],
        1.641457841105,
    ),
    (
        lambda rate: v1.train.AdamOptimizer(rate),
        [0.748317096941, 0.747049150082, 0.745127302159],
        0.499998325612,
    ),
]


def _trained(session: Any, make: Callable[[Any], Any]) -> tuple[Any, Any, Any]:
    xs = np.random.RandomState(0).rand(20, 3)
    ys = xs @ [[1.0], [2.0], [3.0]] + 0.5
    x, y = v1.placeholder(rt.float64, [None, 3]), v1.placeholder(rt.float64, [None, 1])
    rate = v1.placeholder(rt.float32, [])
    w = v1.get_variable("w", initializer=np.full((3, 1), 0.1))
    b = v1.get_variable("b", initializer=np.zeros(1))
    loss = rt.reduce_mean((rt.matmul(x, w) + b - y) ** 2)
    count = v1.train.get_or_create_global_step()
    optimizer = make(rate)
    pairs = optimizer.compute_gradients(loss)
    clipped = [(rt.clip_by_value(gradient, -1.0, 1.0), v) for gradient, v in pairs]
    both = optimizer.apply_gradients(clipped, global_step=count)
    one = optimizer.minimize(loss, global_step=count, var_list=[w])
    session.run(v1.global_variables_initializer())
    for _ in range(5):
        assert session.run(both, {x: xs, y: ys, rate: 0.1}) is None
    for _ in range(3):
        session.run(one, {x: xs, y: ys, rate: 0.05})
    found: tuple[Any, Any, Any] = session.run((w, b, count))
    return found


@pytest.mark.parametrize(("make", "w", "b"), CASES)
def test_weights_are_tensorflows(
    session: Any, make: Callable[[Any], Any], w: list[float], b: float
) -> None:
    found = _trained(session, make)
    np.testing.assert_allclose(found[0][:, 0], w, rtol=1e-11)
    np.testing.assert_allclose(found[1][0], b, rtol=1e-11)
    assert found[2] == v1.train.global_step(session, v1.train.get_global_step()) == 8


def test_gradient_descent_steps_against_the_gradient(session: Any) -> None:
    v = v1.get_variable("v", initializer=np.array([1.0, -2.0]))
    unused = v1.get_variable("unused", initializer=1.0)
    step = v1.train.GradientDescentOptimizer(0.25).minimize(rt.reduce_sum(v**2))
    session.run(v1.global_variables_initializer())
    session.run(step)
    assert session.run(v).tolist() == [0.5, -1.0]
    assert session.run(unused) == 1.0


def test_what_optimizers_keep(session: Any) -> None:
    with v1.variable_scope("layer"):
        v = v1.get_variable("v", initializer=1.0)
    adam, momentum = v1.train.AdamOptimizer(), v1.train.MomentumOptimizer(0.1, 0.9)
    adam.minimize(v * v)
    momentum.minimize(v * v)
    names = ["beta1_power:0", "beta2_power:0", "layer/v/Adam:0", "layer/v/Adam_1:0"]
    assert [kept.name for kept in adam.variables()] == names
    assert adam.get_slot(v, "m").name == "layer/v/Adam:0"
    assert (adam.get_slot(v, "none"), adam.get_slot_names()) == (None, ["m", "v"])
    assert [kept.name for kept in momentum.variables()] == ["layer/v/Momentum:0"]
    assert v1.trainable_variables() == [v]


def test_rows_that_are_gathered(session: Any) -> None:
    rows = v1.get_variable("rows", initializer=np.ones((4, 2)))
    loss = rt.reduce_sum(rt.gather(rows, [0, 2, 0]) ** 2)
    step = v1.train.GradientDescentOptimizer(0.125).minimize(loss)
    session.run(v1.global_variables_initializer())
    session.run(step)
    assert session.run(rows)[:, 0].tolist() == [0.5, 1.0, 0.75, 1.0]


# An optimizer at a rate of 0.1, and v, w after three steps from [1, 2] and 3 down sum(v * v) * w,
# where ops are computed at once; printed by TensorFlow 2.21.
EAGER: list[tuple[Callable[[], Any], list[float], float]] = [
    (lambda: v1.train.MomentumOptimizer(0.1, 0.9), [-0.8720399, -1.7440798], 1.4352),
    (lambda: v1.train.AdamOptimizer(0.1), [0.7022932, 1.701165], 2.7019067),
]


@pytest.mark.parametrize(("make", "v", "w"), EAGER)
def test_steps_where_ops_are_computed_at_once(
    make: Callable[[], Any], v: list[float], w: float
) -> None:
    vector, factor, count = rt.Variable([1.0, 2.0]), rt.Variable(3.0), rt.Variable(0)
    optimizer = make()
    for _ in range(3):
        loss = lambda: rt.reduce_sum(vector * vector) * factor  # noqa: E731
        assert optimizer.minimize(loss, global_step=count) is None
    np.testing.assert_allclose(vector, v, 1e-6)
    np.testing.assert_allclose(factor, w, 1e-6)
    assert int(count) == 3
    pairs = optimizer.compute_gradients(lambda: vector[0] ** 2, [factor, vector])
    assert [variable is each for (_, variable), each in zip(pairs, (factor, vector), strict=True)]
    assert pairs[0][0] is None
    np.testing.assert_allclose(pairs[1][0], [2 * vector[0], 0.0])
    with pytest.raises(RuntimeError, match="eager execution"):
        optimizer.compute_gradients(vector * vector)


def test_a_loss_that_is_a_function_in_a_graph(session: Any) -> None:
    v = v1.get_variable("v", initializer=3.0)
    step = v1.train.GradientDescentOptimizer(0.5).minimize(lambda: rt.square(v - 1.0))
    session.run(v1.global_variables_initializer())
    session.run(step)
    assert session.run(v) == 1.0


def test_mistakes(session: Any) -> None:
    optimizer = v1.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match="No variables to optimize"):
        optimizer.minimize(rt.constant(1.0))
    v = v1.get_variable("v", initializer=1.0)
    with pytest.raises(ValueError, match=r"No gradients provided for any variable: \['v:0'\]"):
        optimizer.minimize(rt.constant(1.0))
    with pytest.raises(ValueError, match="No gradients provided"):
        optimizer.apply_gradients([(None, v)])
    with rt.init_scope(), pytest.raises(RuntimeError, match="eager execution"):
        optimizer.minimize(rt.constant(1.0))
