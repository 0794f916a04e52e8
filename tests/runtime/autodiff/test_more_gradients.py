"""`ForwardAccumulator`, `gradients`, `hessians`, `vectorized_map` and Python functions as nodes.

The second opinion is a jacobian of a tape, finite differences, or the function of each row.
"""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import runtime as tf

X = tf.constant([1.0, 2.0, 3.0], tf.float64)
D = tf.constant([0.3, -1.0, 0.5], tf.float64)
V = tf.Variable(np.arange(9.0).reshape(3, 3) / 9)


def smooth(x: Any) -> Any:
    return tf.nn.softmax(tf.linalg.matvec(V, x) * tf.sin(x)) * tf.exp(x / 3)


def stepped(x: Any) -> Any:
    for _ in tf.range(3):
        if tf.reduce_sum(x) > 1.0:
            x = smooth(x)
    return tf.map_fn(lambda row: row * row, x)


def difference(f: Any, x: Any, d: Any, step: float = 1e-5) -> Any:
    return (f(x + d * step) - f(x - d * step)) / (2 * step)


@pytest.mark.parametrize("f", [smooth, stepped, tf.function(smooth), tf.function(stepped)])
@pytest.mark.parametrize("staged", [False, True])
def test_products_with_a_jacobian(f: Any, staged: bool) -> None:
    def product(x: Any, d: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, d) as accumulator:
            y = f(x)
            inside = accumulator.jvp(y)
            z = y * 2.0
        return inside, accumulator.jvp(z)

    inside, after = (tf.function(product) if staged else product)(X, D)
    assert_allclose(inside, difference(f, X, D), rtol=1e-6, atol=1e-8)
    assert_allclose(after, inside * 2)


@pytest.mark.parametrize(
    "f",
    [
        tf.math.cumulative_logsumexp,
        lambda x: tf.math.cumulative_logsumexp(x, exclusive=True, reverse=True)[:-1],
        lambda x: tf.clip_by_value(x * x, x[2] * 2.0, x[0] * 5.0),
        lambda x: tf.stack(tf.nn.moments(x * x, [0])),
    ],
    ids=["log of running sums", "exclusive and reverse", "crossed bounds", "moments"],
)
@pytest.mark.parametrize("staged", [False, True])
def test_products_and_second_derivatives_of_ops(f: Any, staged: bool) -> None:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
            # At X, its gradient by all but the last item of y is 0.
            loss = tf.reduce_sum((y - tf.stop_gradient(f(X))) ** 2) + y[-1]
        return tape.gradient(loss, x)

    def products(x: Any, d: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, d) as accumulator:
            y, first = f(x), slope(x)
        return accumulator.jvp(y), accumulator.jvp(first)

    product, second = (tf.function(products) if staged else products)(X, D)
    assert_allclose(product, difference(f, X, D), rtol=1e-6)
    assert_allclose(second, difference(slope, X, D), rtol=1e-6)


def test_products_of_products_and_of_gradients() -> None:
    with tf.autodiff.ForwardAccumulator(X, D) as outer:
        with tf.autodiff.ForwardAccumulator(X, D) as inner:
            y = tf.sin(X) * X
        first = inner.jvp(y)
    assert_allclose(outer.jvp(first), (2 * tf.cos(X) - tf.sin(X) * X) * D * D)
    with tf.autodiff.ForwardAccumulator(X, D) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(X)
            loss = tf.reduce_sum(smooth(X) ** 2)
        slope = tape.gradient(loss, X)

    def slope_at(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(smooth(x) ** 2)
        return tape.gradient(y, x)

    assert_allclose(accumulator.jvp(slope), difference(slope_at, X, D), rtol=1e-6)


@pytest.mark.parametrize("staged", [False, True])
def test_tapes_around_record_products_that_are_asked_for_behind_them(staged: bool) -> None:
    def products(x: Any, d: Any) -> Any:
        outer = tf.autodiff.ForwardAccumulator(x, d)
        with outer, tf.autodiff.ForwardAccumulator(x, d) as inner:
            y = tf.sin(x) * x
        second = outer.jvp(inner.jvp(y))
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.autodiff.ForwardAccumulator(x, d) as inner:
                y = tf.sin(x) * x
        slope = tape.gradient(inner.jvp(y), x)
        return second, slope, inner.jvp(y)

    second, slope, first = (tf.function(products) if staged else products)(X, D)
    assert_allclose(first, (tf.sin(X) + tf.cos(X) * X) * D)
    assert_allclose(second, (2 * tf.cos(X) - tf.sin(X) * X) * D * D)
    assert_allclose(slope, (2 * tf.cos(X) - tf.sin(X) * X) * D)


def test_a_constant_of_a_tensor_has_its_gradient() -> None:
    v = tf.Variable([3.0])
    with tf.GradientTape() as tape:
        y = tf.constant(v + v) * tf.constant(v)
    assert tape.gradient(y, v).numpy().tolist() == [12.0]


def test_what_is_not_connected_has_no_product() -> None:
    with tf.autodiff.ForwardAccumulator(V, tf.ones([3, 3], tf.float64)) as accumulator:
        y, other = smooth(X), X * 2
    assert accumulator.jvp(y) is not None
    assert accumulator.jvp({"a": other}) == {"a": None}
    assert accumulator.jvp(other, tf.UnconnectedGradients.ZERO).numpy().tolist() == [0.0] * 3
    with pytest.raises(ValueError, match=r"a tangent has shape \(2,\) where its primal has \(3,\)"):
        tf.autodiff.ForwardAccumulator(X, tf.constant([1.0, 2.0], tf.float64))


def test_gradients_of_a_graph_without_a_tape() -> None:
    @tf.function
    def found(x: Any) -> Any:
        y = x * x
        z = tf.sin(y) * X
        w = z
        for _ in tf.range(3):
            w = w * x if tf.reduce_sum(w) > 0.0 else w - 1.0
        inner = tf.zeros_like(x)
        for _ in tf.range(2):
            inner = inner + tf.gradients(z, x)[0]
        return (
            tf.gradients(z, [x, y]), tf.gradients(w, x), inner,
            tf.gradients([y, z], x, [tf.ones_like(y), z]),
        )  # fmt: skip

    x = D
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        tape.watch(y)
        z = tf.sin(y) * X
        w = z
        for _ in range(3):
            w = w * x if tf.reduce_sum(w) > 0.0 else w - 1.0
    first, through, inner, weighted = found(x)
    for a, b in zip(first, tape.gradient(z, [x, y]), strict=True):
        assert_allclose(a, b)
    assert_allclose(through[0], tape.gradient(w, x))
    assert_allclose(inner, tape.gradient(z, x) * 2)
    assert_allclose(weighted[0], tape.gradient([y, z], x, [tf.ones_like(y), z]))


def test_gradients_stop_where_they_are_told_to() -> None:
    @tf.function
    def found(x: Any) -> Any:
        y = x * x
        return tf.gradients(y * x, x, stop_gradients=y)[0], tf.gradients(
            y * 1.0, x, stop_gradients=[y]
        )

    stopped, nothing = found(X)
    assert_allclose(stopped, X * X)
    assert nothing == [None]
    with pytest.raises(RuntimeError, match="inside of a function only"):
        tf.gradients(X, X)


def test_hessians() -> None:
    cubes = tf.function(lambda x: tf.hessians(tf.reduce_sum(x * x * x * X), x)[0])
    assert_allclose(cubes(D), np.diag(6 * X.numpy() * D.numpy()))
    with pytest.raises(ValueError, match="do not depend"):
        tf.function(lambda x: tf.hessians(X * 2, x))(D)


ROWS = tf.reshape(tf.range(12.0), [4, 3])


def branching(row: Any) -> Any:
    while tf.reduce_sum(row) < 50.0:
        row = row * 2.0
    return row


@pytest.mark.parametrize(
    "f",
    [
        lambda row: {"a": tf.matmul(row[None], tf.ones([3, 2]))[0], "b": tf.reduce_sum(row)},
        lambda row: (tf.sin(row) + 1.0, tf.argmax(row), tf.constant(3)),
        branching,
    ],
)
@pytest.mark.parametrize("shape", [[4, 3], [None, 3]])
def test_a_function_of_all_rows(f: Any, shape: Any) -> None:
    x = ROWS + 1.0
    wanted = tf.nest.flatten(tf.nest.map_structure(lambda *rows: tf.stack(rows), *map(f, x)))
    staged = tf.function(lambda x: tf.vectorized_map(f, x), input_signature=[tf.TensorSpec(shape)])
    for made in (tf.vectorized_map(f, x), staged(x)):
        for a, b in zip(tf.nest.flatten(made), wanted, strict=True):
            assert a.dtype == b.dtype
            assert_allclose(a, b)


@pytest.mark.parametrize("rows", [0, None])
def test_a_function_of_no_rows(rows: Any) -> None:
    spec = [tf.TensorSpec([rows, 3])]
    for f, shape in ((lambda row: (tf.sin(row), 1), [0, 3]), (tf.reduce_sum, [0])):
        made = tf.function(lambda x, f=f: tf.vectorized_map(f, x), input_signature=spec)(ROWS[:0])
        assert tf.nest.flatten(made)[0].shape == shape
    with pytest.raises(ValueError, match="no rows, and eagerly only a row tells"):
        tf.vectorized_map(tf.sin, ROWS[:0])


def test_all_rows_are_one_op_and_have_gradients() -> None:
    def squares(x: Any) -> Any:
        return tf.vectorized_map(lambda pair: pair[0] * pair[1], (x, x))

    text = str(tf.function(squares).get_concrete_function(ROWS).graph)
    assert "while" not in text
    with tf.GradientTape() as tape:
        tape.watch(ROWS)
        y = tf.function(squares)(ROWS)
    assert_allclose(tape.gradient(y, ROWS), ROWS * 2)
    with pytest.raises(ValueError, match="not computed for all rows"):
        tf.function(lambda x: tf.vectorized_map(branching, x, False))(ROWS)


def test_python_functions_in_graphs() -> None:
    seen: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        tf.py_function(seen.append, [x[0]], [])
        pair = tf.py_function(lambda a: (a * 2, a.numpy().sum()), [x], [tf.float64, tf.float64])
        z = tf.numpy_function(
            lambda a: a[::-1], [x], tf.TensorSpec([3], tf.float64), stateful=False
        )
        assert z.shape == [3]
        for i in tf.range(2):
            z = z + tf.numpy_function(lambda i, a: a[i], [i, x], tf.float64)
        return pair, z

    for _ in range(2):
        (twice, total), z = f(X)
    assert twice.numpy().tolist() == [2.0, 4.0, 6.0]
    assert float(total) == 6.0
    assert z.numpy().tolist() == [6.0, 5.0, 4.0]
    assert [float(item) for item in seen] == [1.0, 1.0]


def test_gradients_of_python_functions() -> None:
    def f(x: Any) -> Any:
        a, b = tf.py_function(
            lambda x, n: (x * tf.sin(x), x + n), [x, tf.constant(2.0, tf.float64)], [tf.float64] * 2
        )
        return a * b

    def plain(x: Any) -> Any:
        return x * tf.sin(x) * (x + 2.0)

    slopes = []
    for run in (f, tf.function(f), plain):
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = run(X)
        slopes.append(tape.gradient(y, X))
    assert_allclose(slopes[0], slopes[2])
    assert_allclose(slopes[1], slopes[2])
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.numpy_function(np.sin, [X], tf.float64)
    assert tape.gradient(y, X) is None


class Scales:
    """Numbers that calls take, one each."""

    left: list[float]


def scaled(x: Any) -> Any:
    """What a Python function makes of x: another one at each call."""
    return tf.py_function(lambda x: x * x * Scales.left.pop(), [x], tf.TensorSpec([], tf.float64))


def scaled_where_large(x: Any) -> Any:
    return 2.0 * scaled(x) if x > 1.0 else x * 3.0


def scaled_in_rounds(x: Any) -> Any:
    for i in range(tf.constant(4)):
        if i % 2 == 0:
            x = x * 0.5 + scaled(x)
    return x


def scaled_steps(x: Any) -> Any:
    for _ in range(tf.constant(3)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scaled(x)
        x = x - 0.01 * tape.gradient(y, x)
    return x


@tf.function
def scaled_in_a_graph(x: Any) -> Any:
    return scaled(x) + 1.0


def scaled_rows(x: Any) -> Any:
    return tf.reduce_sum(tf.map_fn(scaled, tf.stack([x, x + 1.0])))


@pytest.mark.parametrize(
    "function",
    [
        *(scaled, scaled_where_large, scaled_in_rounds, scaled_steps, scaled_rows),
        lambda x: scaled_in_a_graph(x) * scaled_in_a_graph(x + 1.0),
    ],
)
@pytest.mark.parametrize("at", [0.5, 1.5])
def test_a_python_function_is_called_once_with_its_gradient(function: Any, at: float) -> None:
    found = []
    for run in (function, tf.function(function)):
        Scales.left = [7.0, 5.0, 3.0, 2.0]
        x = tf.constant(at, tf.float64)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = run(x)
            slope = tape.gradient(y, x, unconnected_gradients="zero")
        curvature = outer.gradient(slope, x, unconnected_gradients="zero")
        found.append([float(y), float(slope), float(curvature), len(Scales.left)])
    assert found[0] == pytest.approx(found[1])


@pytest.mark.parametrize(
    ("function", "declared"),
    [
        (lambda x: 2**40, tf.float64),
        (lambda x: (x * 2.0, 2**40), [tf.float64, tf.int64]),
        (lambda x: [0.1, x], [tf.float64, tf.float64]),
    ],
)
def test_python_functions_that_return_numbers(function: Any, declared: Any) -> None:
    def program(x: Any) -> Any:
        made = tf.nest.flatten(tf.py_function(function, [x], declared))
        return tf.cast(made[0], tf.float64) * x, made

    found = []
    for run in (program, tf.function(program)):
        x = tf.constant(3.0, tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, made = run(x)
        found.append((float(tape.gradient(y, x)), [each.numpy() for each in made]))
    assert found[0] == found[1]


def test_errors_of_python_functions() -> None:
    def divided(x: Any) -> Any:
        return tf.py_function(lambda a: 1 / 0, [x], tf.float64)

    with pytest.raises(ZeroDivisionError):
        tf.function(divided)(X)
    for run in (lambda f: f, tf.function):
        with pytest.raises(tf.errors.WrongDtypeError, match="returned float64 where float32"):
            run(lambda x: tf.numpy_function(lambda a: a, [x], tf.float32))(X)
        with pytest.raises(tf.errors.WrongDtypeError, match="returned 1 results where 2"):
            run(lambda x: tf.numpy_function(lambda a: a, [x], [tf.float64] * 2))(X)


def test_initializers() -> None:
    assert tf.zeros_initializer()([2], tf.int32).numpy().tolist() == [0, 0]
    assert tf.constant_initializer([1, 2])([2], tf.float32).numpy().tolist() == [1.0, 2.0]
    for make in (tf.random_normal_initializer, tf.random_uniform_initializer):
        drawn = make(seed=3)([1000]).numpy()
        assert 0.02 < drawn.std() < 0.06
        with pytest.raises(ValueError, match="makes"):
            make()([2], tf.string)
        again = make(seed=3)
        np.testing.assert_array_equal(again([1000]), drawn)
        np.testing.assert_array_equal(again([500, 2])[:100], again([100, 2]))
    assert tf.Variable(lambda: tf.ones_initializer()([2])).numpy().tolist() == [1.0, 1.0]
    for wrong in (tf.constant([1.0]), tf.Variable([1.0]), {}):
        with pytest.raises(TypeError, match="must be a number, list or array"):
            tf.constant_initializer(wrong)
    for shape in ([2, 4], [2, 2]):
        with pytest.raises(TypeError, match="does not fill"):
            tf.constant_initializer([0, 1, 2, 3, 4, 5])(shape)


INITIALIZERS = (
    tf.zeros_initializer(), tf.ones_initializer(), tf.random_normal_initializer(),
    tf.random_uniform_initializer(), tf.constant_initializer(2, support_partition=True),
)  # fmt: skip


@pytest.mark.parametrize("initializer", INITIALIZERS, ids=lambda made: type(made).__name__)
def test_initializers_make_a_part_of_a_variable(initializer: Any) -> None:
    part = initializer([4, 2], tf.float32, partition_shape=[2, 2], partition_offset=[2, 0])
    assert part.shape == (2, 2)
    with pytest.raises(TypeError, match="'dtpye'"):
        initializer([4, 2], dtpye=tf.float32)


def test_a_constant_makes_no_parts_unless_it_was_told() -> None:
    with pytest.raises(ValueError, match="support_partition=True"):
        tf.constant_initializer([1, 2])([4], partition_shape=[2])


def test_a_python_function_without_results_gives_none() -> None:
    seen: list[float] = []
    assert tf.numpy_function(lambda x: seen.append(float(x)), [2.0], []) is None
    assert seen == [2.0]


@pytest.mark.parametrize("staged", [False, True])
def test_python_functions_of_arrays_are_given_scalars_as_such(staged: bool) -> None:
    def shown(text: Any, n: Any) -> Any:
        return text.decode().upper() + str(n)

    def call(text: Any, n: Any) -> Any:
        return tf.numpy_function(shown, [text, n], tf.string)

    made = tf.function(call) if staged else call
    assert made(tf.constant("a"), tf.constant(1.5)).numpy() == b"A1.5"
    texts = tf.data.Dataset.from_tensor_slices(["a", "b"]).map(lambda text: call(text, 2))
    assert list(texts.as_numpy_iterator()) == [b"A2", b"B2"]


def test_python_functions_by_decorators() -> None:
    @tf.numpy_function(Tout=[tf.float64, tf.int64])
    def both(x: Any, n: Any) -> Any:
        """Of arrays."""
        assert type(x) is np.ndarray
        assert type(n) is np.int32
        return np.sin(x), np.int64(n + 1)

    @tf.py_function(Tout=tf.float64)
    def branching(x: Any) -> Any:
        return x * x if x > 0.0 else -x

    @tf.function
    def staged(x: Any, n: Any) -> Any:
        return both(x, n), branching(x[0])

    assert both.__name__ == "both"
    assert both.__doc__ == "Of arrays."
    x = tf.constant([0.5, 2.0], tf.float64)
    for (sine, more), part in (staged(x, 3), (both(x, 3), branching(x[0]))):
        np.testing.assert_allclose(sine, np.sin([0.5, 2.0]))
        assert int(more) == 4
        assert float(part) == 0.25
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = branching(x[1])
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 4.0]
    for decorator in (tf.numpy_function, tf.py_function):
        with pytest.raises(TypeError, match="Tout="):
            decorator()
        with pytest.raises(TypeError, match="func"):
            decorator(Tout=tf.float32)(3)


# functions of one number that build lists, and their derivatives
OF_LISTS: list[tuple[Any, Any]] = [
    (lambda v: tf.scan(lambda a, x: a * x, X, initializer=v), lambda v: 1 + 2 + 6),
    (lambda v: tf.map_fn(lambda x: x * v * v, X), lambda v: 2 * v * 6),
    (lambda v: tf.TensorArray(v.dtype, 2).write(0, v).write(1, v * v).stack(), lambda v: 1 + 2 * v),
    (lambda v: tf.TensorArray(v.dtype, 2).write(0, v).write(1, v * v).read(1), lambda v: 2 * v),
    (lambda v: tf.TensorArray(v.dtype, 2).write(1, v * v).gather([1, 1]), lambda v: 4 * v),
    (lambda v: tf.TensorArray(v.dtype, 2).unstack([[v], [v * v]]).concat(), lambda v: 1 + 2 * v),
    (lambda v: tf.foldl(lambda a, x: a * x, X, initializer=v), lambda v: 6),
]


@pytest.mark.parametrize("number", range(len(OF_LISTS)))
@pytest.mark.parametrize("way", [lambda y: y, lambda y: y + 0.0])
def test_gradients_through_lists(number: int, way: Any) -> None:
    function, derivative = OF_LISTS[number]

    @tf.function
    def slope(v: Any) -> Any:
        return tf.gradients(way(function(v)), v)[0]

    assert_allclose(slope(tf.constant(2.0, tf.float64)), derivative(2.0))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.Variable(tf.constant(2.0, tf.float64))
        found = tf.compat.v1.gradients(way(function(v.read_value())), v)[0]
        session.run(v.initializer)
        assert_allclose(session.run(found), derivative(2.0))


MATRIX = np.array([[2.0, -1.0], [0.5, 1.5], [1.0, 3.0]])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.linalg.svd(x, compute_uv=False), lambda x: tf.linalg.svd(x)[0], tf.linalg.pinv,
        lambda x: tf.reduce_mean(x, -1), lambda x: tf.reduce_max(x, (0,)),
        lambda x: tf.reduce_sum(x, [-2, 1]), lambda x: tf.reduce_sum(x, []),
        lambda x: tf.reduce_logsumexp(x, 1), lambda x: tf.math.reduce_std(x, -2),
        lambda x: tf.concat([x, x * x], -1), lambda x: tf.concat([x * x, x], -2),
        lambda x: tf.tile(x, [2, 1]), lambda x: tf.tile(x, tf.constant([1, 3])),
    ],
)  # fmt: skip
def test_gradients_of_matrices_of_unknown_rank(function: Any) -> None:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(function(x) ** 3)
        return tape.gradient(y, x)

    staged = tf.function(slope, input_signature=[tf.TensorSpec(None, tf.float64)])
    assert_allclose(staged(MATRIX), slope(tf.constant(MATRIX)), rtol=1e-10)


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (tf.math.cumprod, ValueError),
        (lambda x: tf.reduce_prod(x, 0), ValueError),
        (lambda x: tf.linalg.qr(x)[1], NotImplementedError),
        (
            lambda x: tf.linalg.lu_solve(tf.eye(2, dtype=x.dtype), tf.cast(x, tf.int32), x),
            ValueError,
        ),
    ],
)
def test_what_needs_a_known_rank_says_how_to_tell_it(function: Any, error: Any) -> None:
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float64)])
    def slope(x: Any) -> Any:
        return tf.gradients(function(x), x)

    with pytest.raises(error, match="use ensure_shape"):
        slope(MATRIX)
