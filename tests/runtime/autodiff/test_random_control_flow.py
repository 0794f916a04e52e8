"""Random programs of branches, loops, calls and tapes in each other: staged, their gradients are
those of the same Python run eagerly.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import runtime as tf

DOUBLE = tf.float64
variable = tf.Variable(0.8, dtype=DOUBLE)
captured = tf.constant(0.6, DOUBLE)

# A statement is a tuple: what it is, and its parts. The state of a program are two floats, an
# integer and a bool.
Statement = tuple[Any, ...]
State = tuple[Any, Any, Any, Any]


def mean(x: Any) -> Any:
    return tf.reduce_mean(x)


@tf.custom_gradient
def damped(x: Any) -> Any:
    def grad(upstream: Any) -> Any:
        return upstream * tf.cos(x) * 0.5 if mean(x) > 0.5 else upstream

    return tf.sin(x), grad


# Functions that keep the state in a moderate range.
OPS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: tf.sin(a) * b,
    lambda a, b: a * 0.5 + b * 0.3,
    lambda a, b: tf.tanh(a * b) + variable,
    lambda a, b: a * captured - b * 0.1,
    lambda a, b: a / (b * b + 1.5),
    lambda a, b: damped(a) + 0.2 * b,
    lambda a, b: tf.stop_gradient(a) * b * 0.5,
    lambda a, b: tf.reduce_sum(tf.stack([a, b * variable]) ** 2, 0) * 0.2,
    lambda a, b: mean(a) * b - a * 0.2,
]


def run(statements: Sequence[Statement], state: State) -> State:
    """Run a program."""
    for kind, *parts in statements:
        state = KINDS[kind](state, *parts)
    return state


def op(state: State, which: int, swapped: bool) -> State:
    a, b, n, flag = state
    if swapped:
        return a, OPS[which](b, a), n, flag
    return OPS[which](a, b), b, n, flag


def branch(state: State, limit: float, body: Any, orelse: Any) -> State:
    if mean(state[0]) > limit:
        return run(body, state)
    return run(orelse, state)


def checked(state: State, limit: float, how: int, body: Any) -> State:
    """Arms that raise beside one that goes on."""
    if mean(state[0]) > limit:
        state = run(body, state)
    elif mean(state[1]) > 0.8:
        if how == 0:
            raise ValueError("high")
        elif how == 1:
            assert mean(state[0]) > 0.0, "low"
        else:
            return state[1], state[0] * 0.5, state[2], state[3]
    elif mean(state[1]) < -0.7:
        if state[3]:
            raise KeyError("flag")
        raise ValueError("deep")
    return state


def leaving_loop(state: State, count: int, limit: float, body: Any) -> State:
    """A loop of which each arm leaves: by break, continue, return or an exception."""
    a, b, n, flag = state
    for i in tf.range(count):
        a, b, n, flag = run(body, (a, b, n, flag))
        if mean(a) > limit:
            if mean(b) > limit:
                return b, a * 0.5, n + i, flag
            elif flag:
                break
            else:
                flag = not flag
                continue
        elif mean(b) < -1.2:
            raise ValueError("far")
        b = b + a * 0.2
    return a, b, n, flag


def branch_on_flag(state: State, body: Any, orelse: Any) -> State:
    a, b, n, flag = state
    if flag:
        a, b, n, flag = run(body, (a, b, n, flag))
        n = n + 1
    else:
        a, b, n, flag = run(orelse, (a, b, n, flag))
    return a, b, n, not flag


def for_loop(state: State, count: int, body: Any) -> State:
    a, b, n, flag = state
    for i in tf.range(count):
        a, b, n, flag = run(body, (a, b, n + i, flag))
    return a, b, n, flag


def for_over_tensor(state: State, body: Any) -> State:
    a, b, n, flag = state
    for row in tf.stack([a, b, a * b]):
        a, b, n, flag = run(body, (a + row * 0.2, b, n, flag))
        if mean(b) > 1.0:
            continue
        b = b + 0.1 * row
    return a, b, n, flag


def while_loop(state: State, count: int, limit: float, body: Any) -> State:
    a, b, n, flag = state
    i = tf.constant(0)
    while i < count:
        a, b, n, flag = run(body, (a, b, n, flag))
        if mean(a) > limit:
            b = b * a * 0.5
            break
        i += 1
    return a, b, n + i, flag


def returning(state: State, limit: float, body: Any) -> State:
    for i in tf.range(3):
        state = run(body, state)
        if mean(state[1]) > limit:
            return state[1], state[0] * 0.5, state[2] + i, state[3]
    return state


def call(state: State, body: Any) -> State:
    called: State = tf.function(lambda state: run(body, state))(state)
    return called


def call_twice(state: State, body: Any) -> State:
    function = tf.function(lambda state: run(body, state))
    found: State = function(function(state))
    return found


def recursion(state: State, depth: int, body: Any) -> State:
    @tf.function
    def down(a: Any, b: Any, n: Any) -> Any:
        if n <= 0:
            return a, b
        a, b, _, _ = run(body, (a, b, n, mean(a) > mean(b)))
        c, d = down(a * 0.5, b, n - 1)
        return c + a, d * 0.5

    a, b, n, flag = state
    c, d = down(a, b, tf.constant(depth))
    return c, d, n, flag


def array(state: State, count: int, body: Any) -> State:
    a, b, n, flag = state
    items = tf.TensorArray(DOUBLE, count + 1, clear_after_read=False).write(0, b)
    for i in tf.range(count):
        a, b, n, flag = run(body, (a, b, n, flag))
        items = items.write(i + 1, items.read(i) * 0.5 + a)
    return tf.reduce_mean(items.stack(), 0), items.read(count // 2), n, flag


def tape(state: State, persistent: bool, body: Any) -> State:
    a, b, n, flag = state
    a, b = tf.identity(a), tf.identity(b)
    with tf.GradientTape(persistent=persistent) as inner:
        inner.watch([a, b])
        c, d, n, flag = run(body, (a, b, n, flag))
        y = c * d
    if persistent:
        slope = inner.gradient(y, variable, unconnected_gradients="zero")
        return inner.gradient(y, a, unconnected_gradients="zero") * 0.2, c + slope * 0.1, n, flag
    found = inner.gradient(y, [a, b, variable], unconnected_gradients="zero")
    return tf.tanh(found[0]) + c, found[1] * 0.3 + tf.sin(found[2]), n, flag


def jacobian(state: State, body: Any) -> State:
    a, b, n, flag = state
    point = tf.stack([a, b])
    with tf.GradientTape() as inner:
        inner.watch(point)
        c, d, n, flag = run(body, (point[0], point[1] * 0.5, n, flag))
        y = tf.stack([mean(c), mean(d), mean(c * d)])
    rows = inner.jacobian(y, point, unconnected_gradients="zero")
    return tf.tanh(tf.reduce_sum(rows * rows, [0, 1])), rows[2, 0] * 0.2, n, flag


def not_recorded(state: State, body: Any) -> State:
    a, b, n, flag = state
    a = tf.identity(a)
    with tf.GradientTape() as inner:
        inner.watch(a)
        c = tf.sin(a) * b
        with inner.stop_recording():
            d, _, n, flag = run(body, (a, b, n, flag))
            d = tf.identity(d)  # which may be `a` itself
        y = c * d
    return inner.gradient(y, a), d * 0.5, n, flag


# What has no finite slope at any point, and ways not to use it.
SINGULAR: list[Callable[[Any], Any]] = [
    lambda a: 1.0 / (a - a),
    lambda a: tf.sqrt(a - a) * a,
    lambda a: tf.math.log(a * 0.0) + a,
    lambda a: tf.pow(a - a, 0.3),
    lambda a: tf.norm(tf.stack([a - a, a - a]), axis=0),
    lambda a: tf.linalg.det(tf.reshape(mean(a - a), [1, 1])) + a,
]


def _not_on_this_path(q: Any, a: Any, n: Any) -> Any:
    return a * q if n > 1000 else a


def _not_on_these_paths(q: Any, a: Any, n: Any) -> Any:
    if mean(a) > 0.4:
        a = a * 0.7
        if n > 1000:
            a = a + q
    if n > 2000:
        a = q
    return a


def _in_no_round(q: Any, a: Any, n: Any) -> Any:
    for _ in tf.range(n * 0):
        a, q = a + q * 0.5, a * q
    return a


def _behind_a_break(q: Any, a: Any, n: Any) -> Any:
    for i in tf.range(3):
        a = a * 0.8
        if i >= n * 0:
            break
        a = a * q
    return a


def _after_the_last_round(q: Any, a: Any, n: Any) -> Any:
    z = a * 0.5
    for i in tf.range(2):
        a = a + z * 0.3
        z = z * q if i == 1 else z * a
    return a


def _another_result(q: Any, a: Any, n: Any) -> Any:
    return tf.function(lambda a, q: (a * 0.9, q * a))(a, q)[0]


def _another_item(q: Any, a: Any, n: Any) -> Any:
    return tf.TensorArray(DOUBLE, 2).write(0, q).write(1, a).read(n * 0 + 1)


UNREAD = [
    _not_on_this_path, _not_on_these_paths, _in_no_round, _behind_a_break, _after_the_last_round,
    _another_result, _another_item,
]  # fmt: skip


def unread(state: State, which: int, how: int, body: Any) -> State:
    q = SINGULAR[which](state[0])
    a, b, n, flag = run(body, state)
    return UNREAD[how](q, a, n), b, n, flag


KINDS: dict[str, Callable[..., State]] = {
    kind.__name__: kind
    for kind in (
        unread, op, branch, branch_on_flag, checked, leaving_loop, for_loop, for_over_tensor,
        while_loop, returning, call, call_twice, recursion, array, tape, jacobian, not_recorded,
    )
}  # fmt: skip


def statements(inner: Any) -> Any:
    """Strategy of statements around blocks of `inner`."""
    limits, counts = st.sampled_from([-0.5, 0.2, 0.7]), st.integers(0, 3)
    return st.one_of(
        st.tuples(st.just("branch"), limits, inner, inner),
        st.tuples(st.just("branch_on_flag"), inner, inner),
        st.tuples(st.just("checked"), limits, st.integers(0, 2), inner),
        st.tuples(st.just("leaving_loop"), counts, limits, inner),
        st.tuples(st.just("for_loop"), counts, inner),
        st.tuples(st.just("for_over_tensor"), inner),
        st.tuples(st.just("while_loop"), counts, limits, inner),
        st.tuples(st.just("returning"), limits, inner),
        st.tuples(st.sampled_from(["call", "call_twice"]), inner),
        st.tuples(st.just("recursion"), counts, inner),
        st.tuples(st.just("array"), counts, inner),
        st.tuples(st.just("tape"), st.booleans(), inner),
        st.tuples(st.sampled_from(["jacobian", "not_recorded"]), inner),
        st.tuples(
            st.just("unread"),
            st.integers(0, len(SINGULAR) - 1),
            st.integers(0, len(UNREAD) - 1),
            inner,
        ),
    )


op_statements = st.tuples(st.just("op"), st.integers(0, len(OPS) - 1), st.booleans())
blocks = st.recursive(
    st.lists(op_statements, min_size=1, max_size=2),
    lambda inner: st.lists(op_statements | statements(inner), min_size=1, max_size=2),
    max_leaves=4,
)


def gradients(function: Callable[[Any, Any], Any], order: int) -> Callable[[Any, Any], list[Any]]:
    """The gradients by both arguments, the variable and the tensor from outside; of second order,
    those of the sum of the first ones.
    """

    def found(x: Any, y: Any) -> list[Any]:
        sources = [x, y, variable, captured]
        with tf.GradientTape() as tape:
            tape.watch([x, y, captured])
            if order == 1:
                result = function(x, y)
            else:
                below = gradients(function, order - 1)(x, y)
                result = tf.add_n([tf.reduce_sum(grad) for grad in below])
        made: list[Any] = tape.gradient(result, sources, unconnected_gradients="zero")
        return made

    return found


def program(block: Sequence[Statement]) -> Callable[[Any, Any], Any]:
    """A function of two floats."""

    def function(x: Any, y: Any) -> Any:
        a, b, n, flag = run(block, (x, y, tf.constant(0), tf.constant(True)))
        return tf.reduce_sum(a * b + a + 0.01 * tf.cast(n, DOUBLE) * (b if flag else a))

    return function


# Scalars, and vectors of which only the run knows the length.
POINTS: dict[str, Any] = {
    "scalars": (tf.TensorSpec([], DOUBLE), [(0.3, 0.9), (1.1, -0.4)]),
    "vectors": (tf.TensorSpec([None], DOUBLE), [([0.3, 0.8], [0.9, -0.2]), ([1.1], [-0.4])]),
}


def call_of(*block: Statement) -> list[Statement]:
    return [("call", list(block))]


@pytest.mark.parametrize("kind", POINTS)
@pytest.mark.parametrize("order", [1, 2])
@given(block=blocks)
@example(block=call_of(("op", 5, True)))
@example(block=[("branch_on_flag", [("op", 2, True)], []), *call_of(("op", 1, True))])
@example(block=[("branch", 0.7, [], [("branch", 0.7, [], [("op", 2, True)])])])
@example(block=[("recursion", 2, [("op", 3, False), ("tape", True, [("op", 7, False)])])])
@example(block=[("for_loop", 2, call_of(("branch", 0.2, call_of(("op", 3, False)), [])))])
@example(block=[("while_loop", 0, 0.2, [("op", 0, False)]), ("array", 0, [("op", 1, True)])])
@settings(max_examples=15)
def test_gradients(order: int, kind: str, block: Sequence[Statement]) -> None:
    spec, points = POINTS[kind]
    function, staged = program(block), tf.function(input_signature=[spec, spec])
    ways = [gradients(staged(function), order), staged(gradients(function, order))]
    for point in points:
        x, y = (tf.constant(value, DOUBLE) for value in point)
        with tf.config.run_functions_eagerly(True):
            expected = attempt(lambda x=x, y=y: gradients(function, order)(x, y))
        for way in ways:
            got = attempt(lambda way=way, x=x, y=y: way(x, y))
            if isinstance(expected, Exception):
                assert isinstance(got, type(expected))
                assert str(expected) in str(got)
                continue
            assert not isinstance(got, Exception), got
            for grad, wanted in zip(got, expected, strict=True):
                assert grad.shape == wanted.shape
                np.testing.assert_allclose(grad.numpy(), wanted.numpy(), rtol=1e-9, atol=1e-12)


def attempt(run: Callable[[], Any]) -> Any:
    """What it returns, or what the program raises."""
    try:
        return run()
    except (ValueError, KeyError, AssertionError) as error:
        return error


def examples(block: Sequence[Statement]) -> Callable[[Any], Any]:
    """A function of pairs of floats, each of which gives three."""

    def function(x: Any) -> Any:
        start = x[:, 0], x[:, 1] * 0.7, tf.constant(0), tf.constant(True)
        a, b, _, _ = run(block, start)
        return tf.stack([a * b, b, a - b], 1)

    return function


@pytest.mark.parametrize("size", [3, None])
@given(block=blocks, at_once=st.booleans())
@example(block=[("jacobian", [("op", 3, False)])], at_once=True)
@example(block=[("for_loop", 2, call_of(("branch", 0.2, [("op", 4, False)], [])))], at_once=True)
@example(block=[("tape", False, [("for_over_tensor", [("op", 0, False)])])], at_once=True)
@settings(max_examples=10)
def test_jacobians(size: int | None, block: Sequence[Statement], at_once: bool) -> None:
    """And their gradients."""

    def found(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch([x, captured])
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = examples(block)(x)
            rows = tape.batch_jacobian(
                y, x, unconnected_gradients="zero", experimental_use_pfor=at_once
            )
            squares = rows * rows
        sources = [x, variable, captured]
        return rows, outer.gradient(squares, sources, unconnected_gradients="zero")

    x = tf.constant([[0.3, 0.9], [-0.4, 0.2], [0.5, 0.7]], DOUBLE)
    staged = tf.function(found, input_signature=[tf.TensorSpec([size, 2], DOUBLE)])
    with tf.config.run_functions_eagerly(True):
        expected = attempt(lambda: tf.nest.flatten(found(x)))
    got = attempt(lambda: tf.nest.flatten(staged(x)))
    if isinstance(expected, Exception):
        assert isinstance(got, type(expected))
        return
    assert not isinstance(got, Exception), got
    for made, wanted in zip(got, expected, strict=True):
        np.testing.assert_allclose(made.numpy(), wanted.numpy(), rtol=1e-8, atol=1e-11)
