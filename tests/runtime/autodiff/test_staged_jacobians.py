"""Jacobians in graphs, to third order: all rows at once, and one after the other in a loop; against
the same Python run eagerly, which `test_jacobian` compares with finite differences.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime.graph.ir import Graph, walk
from runtime.graph.passes.inlining import Calls

Function = Callable[..., Any]
DOUBLE = tf.float64


def sample(*shape: int) -> Any:
    return tf.constant(np.random.default_rng(1).uniform(0.4, 0.9, shape))


def squares_in_a_loop(x: Any) -> Any:
    y = x
    for _ in tf.range(2):
        y = y * x + tf.sin(y)
    return y


def nested_loops(x: Any) -> Any:
    y = x
    for i in tf.range(3):
        for _ in tf.range(i):
            y = y * x
        if y[0] > 0.3:
            y = tf.sin(y)
    return y


def written_in_a_loop(x: Any) -> Any:
    array = tf.TensorArray(DOUBLE, 3)
    for i in tf.range(3):
        array = array.write(i, x[i] * x * x)
    return array.stack()


def array_of_the_state(x: Any) -> Any:
    array = tf.TensorArray(DOUBLE, 4, clear_after_read=False).write(0, x)
    for i in tf.range(3):
        array = array.write(i + 1, tf.sin(array.read(i)) * x + array.read(0))
    return array.read(3) * array.read(1)


def array_in_pieces(x: Any) -> Any:
    array = tf.TensorArray(DOUBLE, 4).unstack(tf.stack([x, x * x, x, tf.sin(x)]))
    array = array.scatter([0, 2], tf.stack([x * 2.0, tf.exp(x)]))
    return tf.reduce_sum(array.gather([2, 1, 2]) ** 2, 0) + array.stack()[3]


@tf.function
def power(x: Any, n: Any) -> Any:
    return x * power(x, n - 1) if n > 0 else tf.sin(x)


def branches(x: Any) -> Any:
    return x * x * x[0] if tf.reduce_sum(x) > 1.0 else tf.sin(x)


@tf.function
def scaled(x: Any) -> Any:
    return tf.exp(x) * x[::-1]


@tf.custom_gradient
def cubed(x: Any) -> Any:
    return x**3, lambda upstream: upstream * 3.0 * x * x


W = tf.constant(np.random.default_rng(2).normal(size=(3, 4)))

E, M = tf.eye(3, dtype=DOUBLE), tf.reshape(tf.range(9, dtype=DOUBLE), [3, 3]) * 0.1

# Functions of a vector of three, and whether all rows of their jacobian are computed at once.
VECTORS: dict[str, tuple[Function, bool]] = {
    "elementwise": (lambda x: x * x * tf.sin(x) / (1.0 + x), True),
    "to a scalar": (lambda x: tf.reduce_sum(x * x * x), True),
    "of itself": (lambda x: x * x + x, True),
    "twice the same": (lambda x: x * x + x * x, True),
    "broadcast": (lambda x: x[:, None] * x * x[0], True),
    "reductions": (lambda x: x * tf.reduce_mean(x) + tf.reduce_max(x, 0, keepdims=True), True),
    "slices": (lambda x: x[1:] * x[:-1] ** 2, True),
    "stacked": (lambda x: tf.stack([x[0] * x[1], tf.exp(x[2])]), True),
    "stacked behind": (lambda x: tf.stack([x, x * x], -1) * x[:, None], True),
    "joined": (lambda x: tf.concat([x * x, x[:1]], 0) * x[1], True),
    "split up": (lambda x: tf.unstack(x, 3)[0] * x, True),
    "gathered": (lambda x: tf.gather(x, [0, 2, 2]) * x, True),
    "matrix and vector": (lambda x: tf.linalg.matvec(W, x * x, transpose_a=True), True),
    "matrices": (lambda x: tf.matmul(tf.tanh(tf.matmul(x[None], W)), W, transpose_b=True), True),
    "its own product": (lambda x: tf.matmul(x[:, None] * x, W) * x[1], True),
    "stacks of matrices": (lambda x: tf.matmul((x * x)[:, None, None] * W, W, False, True), True),
    "einsum": (lambda x: tf.einsum("i,j,ij->j", x, x[1:], W[:, :2]), True),
    "softmax": (lambda x: tf.nn.softmax(x * x), True),
    "log of sums": (lambda x: tf.reduce_logsumexp(x) * x, True),
    "chosen": (lambda x: tf.where(x > 0.5, x * x, tf.exp(x)), True),
    "relu": (lambda x: tf.nn.relu(x - 0.5) ** 2, True),
    "norm": (lambda x: x / tf.norm(x), True),
    "cast": (lambda x: tf.cast(tf.cast(x, tf.complex128) ** 2, DOUBLE), True),
    "complex": (lambda x: tf.math.real(tf.complex(x, x * x) ** 2), True),
    "transposed": (lambda x: tf.transpose(x[:, None] * W) * x, True),
    "sums so far": (lambda x: tf.cumsum(x * x, reverse=True) * x, True),
    "reversed": (lambda x: tf.reverse(x * x, [0]) * x, True),
    "rolled": (lambda x: tf.roll(x * x, 1, 0) * x, True),
    "padded": (lambda x: tf.pad(x * x, [[1, 2]]) ** 2, False),
    "in a box": (lambda x: tf.slice(x * x, [1], [-1]) * x[0], False),
    "diagonals": (lambda x: tf.linalg.diag_part(tf.linalg.diag(x * x) @ M + M) * x, True),
    "triangle": (lambda x: tf.linalg.band_part(x[:, None] * x * M, 1, 0), True),
    "solved": (lambda x: tf.linalg.solve(M * x + 3.0 * E, (x * x)[:, None])[:, 0], True),
    "inverse": (lambda x: tf.linalg.inv(M * x + 3.0 * E), True),
    "by its factor": (lambda x: tf.linalg.cholesky(x[:, None] * x + E), True),
    "triangular": (lambda x: tf.linalg.triangular_solve(E + x[:, None] * M, x[:, None]), True),
    "repeated": (lambda x: tf.tile(x * x, [2]), True),
    "loop": (squares_in_a_loop, True),
    "nested loops": (nested_loops, True),
    "branch": (branches, True),
    "call": (lambda x: scaled(x) * x, True),
    "calls in calls": (lambda x: twice(x) * x, True),
    "array": (written_in_a_loop, True),
    "array of the state": (array_of_the_state, True),
    "array in a piece": (array_in_pieces, True),
    "scan": (lambda x: tf.scan(lambda a, e: tf.sin(a) * e, x * x, initializer=x[0]), True),
    "recursion": (lambda x: power(x, tf.constant(2)), False),
    "custom gradient": (cubed, True),
}
ORDERS = {"first": 1, "second": 2, "third": 3}


SCALES = tf.constant([0.5, 2.0, 1.5], DOUBLE)


@tf.function
def product(x: Any, y: Any) -> Any:
    return tf.sin(x) * y * SCALES, y + 1.0


@tf.function
def twice(x: Any) -> Any:
    y, more = product(x, SCALES)
    return y + product(more * 0.5, x * y)[0] + product(x, SCALES)[0]


def jacobian(function: Function, order: int, **options: Any) -> Function:
    def found(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = jacobian(function, order - 1, **options)(x) if order > 1 else function(x)
        return tape.jacobian(y, x, **options)

    return found


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", VECTORS)
def test_jacobian(name: str, order: int, at_once: bool) -> None:
    function, _ = VECTORS[name]
    x = sample(3)
    options = {"experimental_use_pfor": at_once}
    expected = jacobian(function, order)(x)
    inside = tf.function(jacobian(function, order, **options))
    concrete = inside.get_concrete_function(x)
    assert concrete.output_shapes == expected.shape
    np.testing.assert_allclose(concrete(x), expected, rtol=1e-9, atol=1e-12)
    outside = jacobian(tf.function(function), order, **options)
    np.testing.assert_allclose(outside(x), expected, rtol=1e-9, atol=1e-12)
    unknown = tf.function(
        jacobian(function, order, **options), input_signature=[tf.TensorSpec([None], DOUBLE)]
    )
    np.testing.assert_allclose(unknown(x), expected, rtol=1e-9, atol=1e-12)


THIRD = ["elementwise", "matrices", "loop", "branch", "call", "custom gradient"]


@pytest.mark.parametrize("name", THIRD)
def test_third_order(name: str) -> None:
    function, _ = VECTORS[name]
    x = sample(3)
    expected = jacobian(function, 3)(x)
    np.testing.assert_allclose(tf.function(jacobian(function, 3))(x), expected, rtol=1e-8)


def has_loop_of_rows(graph: Graph) -> bool:
    loops = [node for node in walk(graph.body) if node.primitive.name == "while"]
    return any(output.name.startswith("rows") for node in loops for output in node.outputs)


@pytest.mark.parametrize("name", VECTORS)
def test_the_size_of_a_graph_does_not_depend_on_the_number_of_rows(name: str) -> None:
    function, at_once = VECTORS[name]

    def large(x: Any) -> Any:
        """Each element of the result many times."""
        return tf.reshape(function(x), [-1, 1]) * tf.ones([copies], DOUBLE)

    sizes = []
    for size in (2, 20):
        copies = size
        graph = tf.function(jacobian(large, 1)).get_concrete_function(sample(3)).graph
        sizes.append(sum(1 for _ in walk(graph.body)))
        assert has_loop_of_rows(graph) is not at_once
    assert sizes[0] == sizes[1]


def test_a_hessian_of_a_loop_has_one_loop_for_all_rows() -> None:
    """Its lists hold what all rows need at once."""

    def hessian(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(squares_in_a_loop(x))
            slope = tape.gradient(y, x)
        return outer.jacobian(slope, x)

    concrete = tf.function(hessian).get_concrete_function(sample(3))
    assert not has_loop_of_rows(concrete.graph)
    np.testing.assert_allclose(concrete(sample(3)), hessian(sample(3)), rtol=1e-9)


def test_no_rows() -> None:
    def empty(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.jacobian(y, x)

    unknown = tf.function(empty, input_signature=[tf.TensorSpec([None], DOUBLE)])
    for function in (empty, tf.function(empty), unknown):
        assert function(tf.zeros([0], DOUBLE)).shape == (0, 0)


def examples(x: Any) -> Any:
    return tf.stack([x[:, 0] * x[:, 1], tf.reduce_sum(x * x, 1), tf.sin(x[:, 0])], 1)


def in_a_loop(x: Any) -> Any:
    y = x
    for _ in tf.range(2):
        y = y * x[:, :1]
    return y[:, None] * x[..., None]


def network(x: Any) -> Any:
    y = tf.tanh(tf.matmul(x, W[:2]) + W[2])
    y = tf.nn.relu(tf.matmul(y, W, transpose_b=True)) * x[:, :1]
    return tf.nn.softmax(y / tf.norm(y, axis=1, keepdims=True) - tf.reduce_mean(x))


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("shape", [[4, 2], [None, 2], [None, None], [4, None]])
@pytest.mark.parametrize("function", [examples, in_a_loop, network])
def test_batch_jacobian(function: Function, shape: Any, at_once: bool) -> None:
    def found(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.batch_jacobian(y, x, experimental_use_pfor=at_once)

    staged = tf.function(found, input_signature=[tf.TensorSpec(shape, DOUBLE)])
    x = sample(4, 2)
    np.testing.assert_allclose(staged(x), found(x), rtol=1e-12)


def test_of_structures_and_variables() -> None:
    v, w, unused = tf.Variable([1.0, 2.0]), tf.Variable(3.0), tf.Variable([[1.0]])

    def found(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = v * v * w
            for _ in tf.range(2):
                y = y * x
        sources = {"v": v, "w": [w], "x": x, "unused": unused}
        return tape.jacobian(y, sources, unconnected_gradients="zero")

    x = tf.constant([2.0, 1.0])
    expected, staged = found(x), tf.function(found)(x)
    tf.nest.assert_same_structure(expected, staged)
    for a, b in zip(tf.nest.flatten(staged), tf.nest.flatten(expected), strict=True):
        np.testing.assert_allclose(a, b)
    assert staged["unused"].shape == (2, 1, 1)


def test_of_what_a_graph_captures() -> None:
    """By an inner jacobian, through a call too."""
    outside = tf.constant(0.6, DOUBLE)
    inner = tf.function(lambda x: x * outside * outside)

    def slopes(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x) * x + x * outside
        return tape.jacobian(y, x)

    def found(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(outside)
            rows = slopes(x) ** 2
        return tape.jacobian(rows, outside)

    expected = found(sample(3))
    np.testing.assert_allclose(tf.function(found)(sample(3)), expected, rtol=1e-12)


@pytest.mark.parametrize("staged", [True, False])
def test_of_several_targets_is_refused(staged: bool) -> None:
    def found(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = [x, x * x]
        return tape.jacobian(y, x)

    with pytest.raises(TypeError, match="target must be one tensor or variable"):
        (tf.function(found) if staged else found)(sample(3))


def test_steps_of_newton_in_a_loop() -> None:
    def minimum(x: Any) -> Any:
        for _ in tf.range(20):
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = tf.reduce_sum(x**4 - x**2) + tf.reduce_prod(x) * 0.1
                slope = tape.gradient(y, x)
            step = tf.linalg.solve(outer.jacobian(slope, x), slope[:, None])[:, 0]
            x = x - step
            if tf.reduce_max(tf.abs(step)) < 1e-12:
                break
        return x

    x = sample(3) + 0.4
    np.testing.assert_allclose(tf.function(minimum)(x), minimum(x), rtol=1e-10)


def test_all_elements_of_examples_at_once_for_any_number_of_examples() -> None:
    def found(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = network(x)
        return tape.batch_jacobian(y, x)

    concrete = tf.function(found).get_concrete_function(tf.TensorSpec([None, 2], DOUBLE))
    assert not has_loop_of_rows(concrete.graph)
    for count in (0, 1, 5):
        x = sample(count, 2)
        np.testing.assert_allclose(concrete(x), found(x), rtol=1e-12)


def test_a_graph_that_is_called_often_is_made_for_all_rows_once() -> None:
    function: Any = tf.function(lambda x: tf.sin(x) * x)
    for _ in range(12):
        function = tf.function(lambda x, inner=function: inner(x) + inner(x * 0.5))
    concrete = tf.function(jacobian(function, 1)).get_concrete_function(sample(3))
    graphs = Calls(concrete.graph).of
    assert len(graphs) <= 3 * 13 + 1
    assert sum(1 for graph in graphs for _ in walk(graph.body)) < 600
