"""`GradientTape`: what it watches and records, when it may be used, and what it returns."""

import logging
import math
import threading
from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime.core.state import state

Pair = namedtuple("Pair", "first second")


def value(gradient: Any) -> Any:
    return None if gradient is None else gradient.numpy()


def slope(function: Any, *sources: Any) -> Any:
    """The gradients of a function of tensors at Python numbers."""
    tensors = [tf.constant(x, tf.float64) for x in sources]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = function(*tensors)
    return [value(g) for g in tape.gradient(y, tensors)]


def numeric(function: Any, *sources: float) -> list[float]:
    step, found = 1e-5, []
    for i in range(len(sources)):
        moved = [[x + sign * step * (i == j) for j, x in enumerate(sources)] for sign in (1, -1)]
        up, down = (float(function(*map(np.float64, point))) for point in moved)
        found.append((up - down) / (2 * step))
    return found


# Functions of scalars that Python, NumPy and tensors compute alike.
FUNCTIONS = {
    "used twice": (lambda x: x * x + x, [3.0]),
    "used many times": (lambda x: x * x * x - x / (x + 1.0) + 2.0**x, [1.3]),
    "two sources": (lambda x, y: x * y - y / x, [2.0, 5.0]),
    "one source unused in part": (lambda x, y: (x + 1.0) * (y * 0.0 + x), [2.0, 5.0]),
    "reflected operators": (lambda x: 1.0 - x + 2.0 / x + 3.0**x, [1.5]),
    "chain": (lambda x: -((x * 0.5 + 1.0) ** 3.0) % 100.0, [2.0]),
    "Python control flow": (
        lambda x: sum(x**i for i in range(1, 5)) if x > 0 else -x,
        [0.7],
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_scalars(name: str) -> None:
    function, point = FUNCTIONS[name]
    np.testing.assert_allclose(slope(function, *point), numeric(function, *point), rtol=1e-7)


def test_loops_and_recursion_of_python() -> None:
    def power(x: Any, n: int) -> Any:
        return x if n == 1 else x * power(x, n - 1)

    def newton(x: Any) -> Any:
        guess = x
        while float(abs(guess * guess - x)) > 1e-12:
            guess = (guess + x / guess) / 2.0
        return guess

    assert slope(lambda x: power(x, 5), 2.0) == [5 * 2.0**4]
    np.testing.assert_allclose(slope(newton, 2.0), [0.5 / math.sqrt(2)], rtol=1e-6)


# Broadcasting: the gradient has the shape of its source

SHAPES = [
    ((), (3,)),
    ((3,), (2, 3)),
    ((2, 1), (1, 3)),
    ((1,), (4,)),
    ((2, 3), (2, 3)),
    ((0,), (1,)),
]


@pytest.mark.parametrize(("a", "b"), SHAPES)
@pytest.mark.parametrize("op", ["add", "subtract", "multiply", "divide", "maximum", "pow"])
def test_gradients_have_the_shapes_of_their_sources(a: Any, b: Any, op: str) -> None:
    rng = np.random.default_rng(0)
    x, y = (tf.constant(rng.uniform(1, 2, shape)) for shape in (a, b))
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = getattr(tf, op)(x, y) if op != "divide" else x / y
    found = tape.gradient(z, [x, y])
    assert [g.shape for g in found] == [a, b]
    assert all(np.isfinite(g.numpy()).all() for g in found)


# What is connected


def test_constants_are_not_watched() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is None


def test_only_what_is_computed_after_watch_counts() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        before = x * x
        tape.watch(x)
        after = x * x
    assert tape.gradient(before, x) is None
    assert value(tape.gradient(after, x)) == 6.0


def test_unconnected_sources() -> None:
    x, unused = tf.constant([1.0, 2.0]), tf.constant([[3.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, unused])
        y = x * 2.0
    assert tape.gradient(y, unused) is None
    for zero in (tf.UnconnectedGradients.ZERO, "zero"):
        found = tape.gradient(y, [x, unused], unconnected_gradients=zero)
        assert [g.numpy().tolist() for g in found] == [[2.0, 2.0], [[0.0]]]
    with pytest.raises(ValueError, match="unconnected_gradients"):
        tape.gradient(y, x, unconnected_gradients="nil")


def test_the_gradient_of_a_target_for_itself_and_for_what_lies_between() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = tf.reduce_sum(y * 3.0)
    assert value(tape.gradient(x, x)).tolist() == [1.0, 1.0]
    assert value(tape.gradient(z, y)).tolist() == [3.0, 3.0]
    assert [value(g).tolist() for g in tape.gradient(z, [y, x])] == [[3.0, 3.0], [6.0, 12.0]]
    assert tape.gradient(x, y) is None


def test_integers_have_no_gradients(caplog: pytest.LogCaptureFixture) -> None:
    n = tf.constant(3)
    with tf.GradientTape(persistent=True) as tape, caplog.at_level(logging.WARNING):
        tape.watch(n)
        m = n * n
        x = tf.cast(n, tf.float32) * 2.0
    assert "int32" in caplog.text
    assert tape.gradient(m, n) is None
    assert tape.gradient(x, n) is None


def test_no_gradient_flows_through_integers() -> None:
    x = tf.constant(2.7)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.cast(x, tf.int32), tf.float32) * 2.0
    assert tape.gradient(y, x) is None


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64, tf.complex64, tf.complex128])
def test_dtypes(dtype: Any) -> None:
    x = tf.cast(tf.constant([1.0, 2.0]), dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * 3
    found = tape.gradient(y, x)
    assert found.dtype is dtype
    assert found.numpy().tolist() == [6.0, 12.0]


def test_stop_gradient() -> None:
    assert slope(lambda x: tf.stop_gradient(x) * x, 3.0) == [3.0]
    assert slope(lambda x: tf.stop_gradient(x * x), 3.0) == [None]


# Structures


def test_structures_of_targets_and_sources() -> None:
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch({"x": x, "more": [y]})
        product, total = x * y, x + y
    sources = {"a": x, "b": (y, [x]), "c": Pair(x, y)}
    found = tape.gradient([product, {"t": total}], sources)
    assert value(found["a"]) == 4.0
    assert [value(found["b"][0]), value(found["b"][1][0])] == [3.0, 4.0]
    assert (value(found["c"].first), value(found["c"].second)) == (4.0, 3.0)
    assert isinstance(found["c"], Pair)
    assert tape.gradient(product, []) == []


def test_output_gradients() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, x * 3.0
    weights = tf.constant([1.0, 10.0])
    assert value(tape.gradient(y, x, output_gradients=weights)).tolist() == [2.0, 40.0]
    plain = np.array([2.0, 1.0], np.float32)
    assert value(tape.gradient(y, x, output_gradients=plain)).tolist() == [4.0, 4.0]
    assert value(tape.gradient([y, z], x, output_gradients=[None, weights])).tolist() == [5.0, 34.0]
    plain = [[0.0, 1.0], [1.0, 10.0]]
    assert value(tape.gradient([y, z], x, output_gradients=plain)).tolist() == [3.0, 34.0]
    assert value(tape.gradient(y, x, output_gradients=tf.constant(2.0))).tolist() == [4.0, 8.0]
    assert value(tape.gradient(y, x, output_gradients=[1.0, 10.0])).tolist() == [2.0, 40.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"output_gradients of shape \(3,\)"):
        tape.gradient(y, x, output_gradients=tf.ones([3]))
    with pytest.raises(ValueError, match="2 output_gradients are given for 1 targets"):
        tape.gradient(y, x, output_gradients=[weights, weights])
    with pytest.raises(ValueError, match="do not fit a target of shape"):
        tape.gradient(y, x, output_gradients=tf.ones([2, 2]))


@pytest.mark.parametrize("way", ["gradient", "jacobian"])
def test_the_gradient_of_rows_as_a_target(way: str) -> None:
    def second(x: Any, dense: bool) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.gather(x, [0, 0]) ** 3)
            slope = inner.gradient(y, x)
            slope = tf.convert_to_tensor(slope) if dense else slope
        return getattr(outer, way)(slope, x)

    x = tf.constant([2.0, 1.0])
    for ours in (second, tf.function(second)):
        with pytest.raises(TypeError, match=r"target: these IndexedSlices.*tf\.convert_to_tensor"):
            ours(x, False)
        found = tf.convert_to_tensor(ours(x, True)).numpy()
        assert found.tolist() == ([24.0, 0.0] if way == "gradient" else [[24.0, 0.0], [0.0, 0.0]])


@pytest.mark.parametrize("bad", [3.0, "x", [1, 2], {"a": None}])
def test_what_is_no_tensor(bad: Any) -> None:
    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with pytest.raises(ValueError, match="only tensors and variables can be watched"):
            tape.watch(bad)
    with pytest.raises(TypeError, match="sources must be tensors or variables"):
        tape.gradient(y, bad)
    with pytest.raises(TypeError, match="target must be tensors or variables"):
        tape.gradient(bad, x)
    with pytest.raises(TypeError, match="target must be a tensor"):
        tape.gradient(None, x)


# Use


@pytest.mark.parametrize("again", ["gradient", "jacobian", "batch_jacobian"])
def test_single_use(again: str) -> None:
    x = tf.constant([3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    message = "A non-persistent GradientTape can only be used to compute one set of gradients"
    with pytest.raises(RuntimeError, match=message):
        getattr(tape, again)(y, x)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("asked", ["gradient", "jacobian", "batch_jacobian"])
def test_a_tape_that_was_never_entered_is_refused(asked: str, persistent: bool) -> None:
    x = tf.constant([[3.0]])
    tape = tf.GradientTape(persistent)
    tape.watch(x)
    with pytest.raises(RuntimeError, match="never entered"):
        getattr(tape, asked)(x * x, x)


def test_persistent() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert value(tape.gradient(z, x)) == 108.0
    assert value(tape.gradient(y, x)) == 6.0
    assert value(tape.gradient(z, x)) == 108.0


def test_a_used_tape_may_be_entered_again() -> None:
    x, tape = tf.constant(3.0), tf.GradientTape()
    for _ in range(2):
        with tape:
            tape.watch(x)
            y = x * x
        assert value(tape.gradient(y, x)) == 6.0


def test_a_recording_tape_may_not_be_entered() -> None:
    tape = tf.GradientTape()
    with tape, pytest.raises(ValueError, match="still recording"):
        tape.__enter__()


def test_a_tape_entered_again_goes_on() -> None:
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
    outside = y * y
    with tape:
        z = y * 2.0
    assert value(tape.gradient([z], x)) == 12.0
    assert tape.watched_variables() == ()
    assert outside.numpy() == 81.0


def test_gradient_inside_the_block(caplog: pytest.LogCaptureFixture) -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert value(tape.gradient(x * x, x)) == 6.0
    with tf.GradientTape(persistent=True) as tape, caplog.at_level(logging.WARNING):
        tape.watch(x)
        first = tape.gradient(x * x * x, x)
        assert value(tape.gradient(first, x)) == 18.0
    assert "persistent" in caplog.text


def test_stop_recording_and_reset() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            hidden = y * y
        z = y * 2.0
        assert tape.gradient(hidden, x) is None
        assert value(tape.gradient(z, x)) == 12.0
        tape.reset()
        assert tape.gradient(z, x) is None
        tape.watch(x)
        assert value(tape.gradient(x * 5.0, x)) == 5.0
    with pytest.raises(ValueError, match="not recording"), tape.stop_recording():
        pass


def test_stop_recording_ends_with_its_block_even_on_an_error() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(KeyError), tape.stop_recording():
            raise KeyError
        y = x * x
    assert value(tape.gradient(y, x)) == 6.0


def test_an_error_in_the_block_ends_the_recording() -> None:
    x, tape = tf.constant(3.0), tf.GradientTape()
    tape.watch(x)
    with pytest.raises(KeyError), tape:
        raise KeyError
    assert tape.gradient(x * x, x) is None


def test_nothing_is_recorded_outside_of_the_block() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    z = y * y
    assert tape.gradient(z, x) is None


# Nested tapes


def test_any_order() -> None:
    x = tf.constant(0.7, tf.float64)

    def derivative(order: int) -> Any:
        if order == 0:
            return tf.sin(x) * x
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = derivative(order - 1)
        return tape.gradient(y, x)

    s, c = math.sin(0.7), math.cos(0.7)
    expected = [s * 0.7, s + 0.7 * c, 2 * c - 0.7 * s, -3 * s - 0.7 * c, -4 * c + 0.7 * s]
    for order, slope_ in enumerate(expected):
        np.testing.assert_allclose(value(derivative(order)), slope_, rtol=1e-12)


def test_each_tape_knows_what_it_watches_only() -> None:
    x, w = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as outer:
        outer.watch([x, w])
        y = x * x
        with tf.GradientTape() as inner:
            inner.watch(x)
            z = y * x * w
        inside = inner.gradient(z, [x, w])
        assert [value(g) for g in inside] == [20.0, None]
        total = z * inside[0]
    # z = x^3 w, and what the inner tape gave is x^2 w
    assert [value(g) for g in outer.gradient(total, [x, w])] == [2000.0, 320.0]


def test_tapes_that_overlap() -> None:
    x = tf.constant(2.0)
    first, second = tf.GradientTape(), tf.GradientTape()
    first.__enter__()
    first.watch(x)
    y = x * x
    second.__enter__()
    second.watch(x)
    z = y * x
    first.__exit__(None, None, None)
    u = z * x
    second.__exit__(None, None, None)
    assert value(second.gradient(u, x)) == 4.0 * x.numpy() + 8.0
    assert value(first.gradient(z, x)) == 12.0


def test_hessian_of_a_matrix_function() -> None:
    x = tf.constant([1.0, 2.0, 3.0], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_prod(x) + tf.reduce_sum(x * x)
        g = inner.gradient(y, x)
    expected = [[2, 3, 2], [3, 2, 1], [2, 1, 2]]
    assert value(outer.jacobian(g, x)).tolist() == expected


def test_threads_have_tapes_of_their_own() -> None:
    x, found = tf.constant(3.0), []
    ready, done = threading.Event(), threading.Event()

    def elsewhere() -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            ready.set()
            done.wait(10)
            y = x * x
        found.append(value(tape.gradient(y, x)))

    worker = threading.Thread(target=elsewhere)
    worker.start()
    ready.wait(10)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * x
    done.set()
    worker.join()
    assert value(tape.gradient(y, x)) == 27.0
    assert found == [6.0]


# Variables


def test_trainable_variables_are_watched_when_read() -> None:
    v, w = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    unused = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = v * v * w
    assert [x.ref() for x in tape.watched_variables()] == [v.ref()]
    assert [value(g) for g in tape.gradient(y, [v, w, unused])] == [12.0, None, None]


def test_untrainable_variables_can_be_watched() -> None:
    w = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = w * w
    assert value(tape.gradient(y, w)) == 6.0


def test_watching_variables_by_hand() -> None:
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(w)
        y = v * v * w
    assert [x.ref() for x in tape.watched_variables()] == [w.ref()]
    assert [value(g) for g in tape.gradient(y, [v, w])] == [None, 4.0]


def test_reads_of_a_variable_before_and_after_an_assignment() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        first = v * v
        v.assign(10.0)
        y = first + v * 3.0
    assert value(tape.gradient(y, v)) == 7.0


def test_a_value_read_is_a_source_of_its_own() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        read = v.value()
        y = read * v
    assert value(tape.gradient(y, read)) == 2.0
    assert value(tape.gradient(y, v)) == 4.0


def test_the_gradient_of_an_unused_variable_can_be_zeros() -> None:
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([[3.0]])
    with tf.GradientTape() as tape:
        y = v * 2.0
    zero = tf.UnconnectedGradients.ZERO
    found = tape.gradient(y, {"v": v, "w": w}, unconnected_gradients=zero)
    assert value(found["v"]).tolist() == [2.0, 2.0]
    assert value(found["w"]).tolist() == [[0.0]]


def test_integer_variables_have_no_gradients() -> None:
    n = tf.Variable(3)
    with tf.GradientTape() as tape:
        y = tf.cast(n, tf.float32) * 2.0
    assert tape.gradient(y, n) is None


def test_slices_of_variables() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = v[0] * v[1:] * 2.0
    assert value(tape.gradient(y, v)).tolist() == [10.0, 2.0, 2.0]


# Only what is asked for is computed


@pytest.fixture
def computed() -> Iterator[list[str]]:
    """The names of the ops that are computed."""
    names: list[str] = []
    state.inspect = lambda primitive, *_: names.append(primitive.name)
    yield names
    state.inspect = None


def test_gradients_of_data_are_not_computed(computed: list[str]) -> None:
    data, w = tf.ones([4, 3]), tf.Variable(tf.ones([3, 2]))
    with tf.GradientTape() as tape:
        y = tf.matmul(data, w)
    computed.clear()
    tape.gradient(y, w)
    assert computed.count("matmul") == 1


def test_what_leads_to_no_source_is_not_gone_back_over(computed: list[str]) -> None:
    x, other = tf.constant(0.5), tf.constant(0.7)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, other])
        y = tf.sin(x) * tf.exp(other) + tf.tanh(other)
    computed.clear()
    tape.gradient(y, x)
    assert computed.count("cos") == 1
    assert "tanh" not in computed
    assert computed.count("mul") == 2


# Ops without gradients


def test_an_op_without_gradient_says_so() -> None:
    x = tf.constant([[2.0, 0.0], [0.0, 3.0]], tf.complex64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        logarithm = tf.linalg.logm(x)
        other = x * 2.0
    assert value(tape.gradient(other, x)).tolist() == [[2.0, 2.0], [2.0, 2.0]]
    with pytest.raises(LookupError, match="No gradient is defined for the op MatrixLogarithm"):
        tape.gradient(logarithm, x)


def test_stop_gradient_before_an_op_without_gradient() -> None:
    x = tf.constant([[2.0, 0.0], [0.0, 3.0]], tf.complex64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.logm(tf.stop_gradient(x)) + x[0, 0]
    assert value(tape.gradient(y, x)).tolist() == [[4.0, 0.0], [0.0, 0.0]]


# The sum of many contributions is made in place where nobody can see it


def test_accumulation_does_not_touch_what_others_hold() -> None:
    x = tf.constant(np.ones((64, 64)))
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.identity(x)
            total = y + y + y + y * 2.0 + y * 3.0
        weights = tf.constant(np.full((64, 64), 2.0))
        first = tape.gradient(total, [x, y], output_gradients=weights)
        again = tape.gradient(total, [x, y], output_gradients=weights)
    for g in (*first, *again):
        assert (g.numpy() == 16.0).all()
    assert (weights.numpy() == 2.0).all()
    assert outer.gradient(first[0], x) is None


STOPPED: dict[str, Any] = {
    "after": lambda x: tf.stop_gradient(tf.math.real(tf.eigvals(x))),
    "at once after": lambda x: tf.math.real(tf.stop_gradient(tf.eigvals(x))),
    "before": lambda x: tf.math.real(tf.eigvals(tf.stop_gradient(x))),
}


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", STOPPED)
def test_what_is_stopped_needs_no_gradient(name: str, staged: bool) -> None:
    def function(x: Any) -> Any:
        return tf.reduce_sum(STOPPED[name](x)) + tf.reduce_sum(x)

    x = tf.constant([[2.0, 1.0], [1.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(function)(x) if staged else function(x)
    assert value(tape.gradient(y, x)).tolist() == [[1.0, 1.0], [1.0, 1.0]]
