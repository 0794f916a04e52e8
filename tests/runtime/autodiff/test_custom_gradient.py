"""Functions with gradients of their own: eagerly, in graphs, to second order, with variables."""

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as tf

Both = Callable[[Callable[..., Any]], Callable[..., Any]]


@pytest.fixture(params=["eager", "graph"])
def made(request: pytest.FixtureRequest) -> Both:
    """Runs a function as it is, or as a graph."""
    return tf.function if request.param == "graph" else lambda function: function


def derivatives(function: Callable[..., Any], *sources: Any) -> list[Any]:
    """First and second derivative by each source, None where there is none."""
    with tf.GradientTape(persistent=True) as outer:
        outer.watch([s for s in sources if not isinstance(s, tf.Variable)])
        with tf.GradientTape() as tape:
            tape.watch([s for s in sources if not isinstance(s, tf.Variable)])
            y = function(*[s for s in sources if not isinstance(s, tf.Variable)])
        first = tape.gradient(y, list(sources))
    second = [
        None if g is None else outer.gradient(g, s) for g, s in zip(first, sources, strict=True)
    ]
    return [
        [None if g is None else round(float(g), 5) for g in pair]
        for pair in zip(first, second, strict=True)
    ]


@tf.custom_gradient
def doubled_slope(x: Any) -> Any:
    """x squared, whose gradient is told to be 4 x."""

    def grad(upstream: Any) -> Any:
        return upstream * 4.0 * x

    return x * x, grad


def test_the_rule_is_used(made: Both) -> None:
    assert derivatives(made(doubled_slope), tf.constant(3.0)) == [[12.0, 4.0]]


def test_within_other_ops(made: Both) -> None:
    function = made(lambda x: tf.sin(doubled_slope(x) * 2.0))
    x = tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), np.cos(0.5) * 2 * 2.0, rtol=1e-6)


def test_a_stable_formula(made: Both) -> None:
    def plain(x: Any) -> Any:
        return tf.math.log(1.0 + tf.exp(x))

    @tf.custom_gradient
    def stable(x: Any) -> Any:
        e = tf.exp(x)

        def grad(upstream: Any) -> Any:
            return upstream * (1.0 - 1.0 / (1.0 + e))

        return tf.math.log(1.0 + e), grad

    def slope(function: Any, x: float) -> float:
        source = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(source)
            y = function(source)
        return float(tape.gradient(y, source))

    assert slope(made(plain), 0.0) == slope(made(stable), 0.0) == 0.5
    assert np.isnan(slope(made(plain), 100.0))
    assert slope(made(stable), 100.0) == 1.0


def test_a_gradient_that_is_clipped(made: Both) -> None:
    @tf.custom_gradient
    def clip_gradient_by_norm(x: Any, norm: Any) -> Any:
        def grad(upstream: Any) -> Any:
            return [tf.clip_by_norm(upstream, norm), None]

        return tf.identity(x), grad

    v = tf.Variable([3.0, 4.0])
    function = made(lambda: tf.reduce_sum(clip_gradient_by_norm(v * v, 1.0) * 10.0))
    with tf.GradientTape() as tape:
        y = function()
    # the upstream gradient (10, 10) is cut to norm 1, then multiplied with 2 v
    expected = np.array([6.0, 8.0]) / np.sqrt(2)
    np.testing.assert_allclose(tape.gradient(y, v).numpy(), expected, rtol=1e-6)


def test_several_arguments_and_results(made: Both) -> None:
    @tf.custom_gradient
    def swap(x: Any, y: Any) -> Any:
        def grad(for_first: Any, for_second: Any) -> Any:
            return for_first * 10.0, for_second * 100.0

        return (y, {"x": x}), grad

    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        first, rest = made(swap)(x, y)
        total = first * 2.0
    assert (float(first), float(rest["x"])) == (3.0, 2.0)
    # a result that nothing uses has the gradient 0
    assert [float(g) for g in tape.gradient(total, [x, y])] == [20.0, 0.0]
    assert [float(g) for g in tape.gradient([first, rest], [x, y])] == [10.0, 100.0]


def test_keyword_arguments(made: Both) -> None:
    @tf.custom_gradient
    def scaled(x: Any, scale: Any = 1.0, *, name: str = "") -> Any:
        def grad(upstream: Any) -> Any:
            return upstream * 7.0, upstream * 9.0

        return x * scale, grad

    x, s = tf.constant(2.0), tf.constant(3.0)
    for call in (lambda x, s: scaled(x, scale=s, name="n"), lambda x, s: scaled(scale=s, x=x)):
        with tf.GradientTape() as tape:
            tape.watch([x, s])
            y = made(call)(x, s)
        assert float(y) == 6.0
        assert [float(g) for g in tape.gradient(y, [x, s])] == [7.0, 9.0]


def test_methods(made: Both) -> None:
    class Layer:
        factor = 5.0

        @tf.custom_gradient
        def call(self, x: Any) -> Any:
            return x, lambda upstream: upstream * self.factor

    x, layer = tf.constant(2.0), Layer()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = made(layer.call)(x)
    assert float(tape.gradient(y, x)) == 5.0


def test_with_parentheses() -> None:
    @tf.custom_gradient()
    def negated(x: Any) -> Any:
        return x, lambda upstream: -upstream

    assert derivatives(negated, tf.constant(1.0)) == [[-1.0, None]]


def test_variables(made: Both) -> None:
    w = tf.Variable(3.0)
    frozen = tf.Variable(2.0, trainable=False)

    @tf.custom_gradient
    def times(x: Any) -> Any:
        def grad(upstream: Any, variables: Any = None) -> Any:
            assert [v.ref() for v in variables] == [w.ref()]
            return upstream * w * 10.0, [upstream * x * 100.0]

        return x * w * frozen, grad

    found = derivatives(made(times), tf.constant(5.0), w)
    assert found == [[30.0, None], [500.0, None]]


def test_variables_as_arguments(made: Both) -> None:
    w = tf.Variable(3.0)

    @tf.custom_gradient
    def times(x: Any, v: Any) -> Any:
        return x * v, lambda upstream: (upstream * 10.0, upstream * 100.0)

    x = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = made(lambda x: times(x, w))(x)
    assert [float(g) for g in tape.gradient(y, [x, w])] == [10.0, 100.0]


def test_nested_custom_gradients(made: Both) -> None:
    """The rule of a rule: the second derivative is what the inner one says."""

    @tf.custom_gradient
    def outer(x: Any) -> Any:
        def grad(upstream: Any) -> Any:
            @tf.custom_gradient
            def slope(value: Any) -> Any:
                return value * value * 3.0, lambda g: g * value * 60.0

            return upstream * slope(x)

        return x * x * x, grad

    assert derivatives(made(outer), tf.constant(2.0)) == [[12.0, 120.0]]


def test_of_each_other(made: Both) -> None:
    @tf.custom_gradient
    def around(x: Any) -> Any:
        return doubled_slope(x) * 3.0, lambda upstream: upstream * 1000.0

    assert derivatives(made(lambda x: around(doubled_slope(x))), tf.constant(2.0))[0][0] == 8000.0


def test_gradient_inside_a_function() -> None:
    @tf.function
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = doubled_slope(x) * 2.0
        return tape.gradient(y, x)

    assert float(slope(tf.constant(3.0))) == 24.0


def test_without_a_tape_it_is_the_function() -> None:
    assert float(doubled_slope(tf.constant(3.0))) == 9.0
    assert doubled_slope.__name__ == "doubled_slope"
    assert doubled_slope.__doc__ == "x squared, whose gradient is told to be 4 x."


@pytest.mark.parametrize("taped", [True, False])
@pytest.mark.parametrize(
    "function", [doubled_slope, tf.recompute_grad(abs), tf.grad_pass_through(lambda x: {"y": x})]
)
def test_results_are_tensors_whether_there_is_a_tape_or_not(function: Any, taped: bool) -> None:
    with tf.GradientTape() if taped else contextlib.nullcontext():
        found = function(3.0)
    assert all(isinstance(x, tf.Tensor) and x.dtype == "float32" for x in tf.nest.flatten(found))


def wrong(returned: Any) -> Callable[..., Any]:
    @tf.custom_gradient
    def function(x: Any, y: Any) -> Any:
        return x * y, lambda upstream: returned

    return function


@pytest.mark.parametrize("returned", [[1.0], [1.0, 2.0, 3.0]])
def test_a_wrong_number_of_gradients(returned: Any) -> None:
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = wrong(returned)(x, x)
    with pytest.raises(ValueError, match=f"2 gradients, but returned {len(returned)}"):
        tape.gradient(y, x)


def test_variables_need_a_parameter_for_them() -> None:
    w = tf.Variable(1.0, name="kernel")

    @tf.custom_gradient
    def times(x: Any) -> Any:
        return x * w, lambda upstream: upstream

    with tf.GradientTape(), pytest.raises(TypeError, match="kernel:0"):
        times(tf.constant(1.0))


def test_a_wrong_number_of_gradients_for_variables() -> None:
    w = tf.Variable(1.0)

    @tf.custom_gradient
    def times(x: Any) -> Any:
        return x * w, lambda upstream, variables: (upstream, [])

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = times(x)
    with pytest.raises(ValueError, match="one gradient for each variable"):
        tape.gradient(y, x)


def test_an_error_in_a_rule_is_raised_when_the_gradient_is_asked_for(made: Both) -> None:
    @tf.custom_gradient
    def broken(x: Any) -> Any:
        def grad(upstream: Any) -> Any:
            raise KeyError("no rule")

        return x * 2.0, grad

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = made(broken)(x)
    assert float(y) == 2.0
    with pytest.raises(KeyError, match="no rule"):
        tape.gradient(y, x)


# Its relatives


def test_grad_pass_through(made: Both) -> None:
    rounded = tf.grad_pass_through(tf.round)
    x = tf.constant([0.4, 1.7])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = made(rounded)(x) * 3.0
    assert y.numpy().tolist() == [0.0, 6.0]
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 3.0]


def test_recompute_grad(made: Both) -> None:
    w = tf.Variable(3.0)

    def plain(x: Any) -> Any:
        return tf.sin(x * w) * x

    x = tf.constant(0.5)
    found = []
    for function in (plain, tf.recompute_grad(plain)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = made(function)(x)
        found.append([float(y), *map(float, tape.gradient(y, [x, w]))])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)


def test_a_result_without_its_gradient_is_refused(made: Both) -> None:
    function = tf.custom_gradient(lambda x: x * 2.0)
    with pytest.raises(TypeError, match="must return a pair"):
        made(function)(tf.constant([1.0, 2.0]))


@tf.custom_gradient
def unruly(x: Any) -> Any:
    def grad(g: Any) -> Any:
        raise ZeroDivisionError("in the rule")

    return x * 2.0, grad


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (unruly(x), x * 3.0),
        lambda x: (tf.function(unruly)(x), x * 3.0),
        lambda x: (tf.cond(x > 0.0, lambda: unruly(x), lambda: x), x * 3.0),
    ],
    ids=["direct", "called", "branch"],
)
def test_a_rule_that_raises_in_a_graph_is_told_only_who_asks(function: Any) -> None:
    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        first, second = tf.function(function)(x)
    assert float(tape.gradient(second, x)) == 3.0
    with pytest.raises(ZeroDivisionError, match="in the rule"):
        tape.gradient(first, x)


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("inside", [True, False])
def test_a_rule_that_raises_in_rounds_is_told_who_asks(inside: bool, asked: bool) -> None:
    def function(x: Any) -> Any:
        rows = tf.reduce_sum(tf.map_fn(unruly, tf.stack([x, x])))
        number, y = 2.0, x
        for _ in tf.range(3):
            y = unruly(y)
            number = number + 1.0
        return rows + y * number if asked else x * 3.0 + unruly(tf.constant(2.0))

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = (function if inside else tf.function(function))(x)
        return tape.gradient(y, x)

    run = tf.function(slope) if inside else slope
    with (
        pytest.raises(ZeroDivisionError, match="in the rule") if asked else contextlib.nullcontext()
    ):
        assert float(run(tf.constant(1.0))) == 3.0


def test_an_unexpected_error_in_deriving_a_gradient_is_not_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def derive(*args: Any) -> Any:
        raise ArithmeticError("a bug")

    monkeypatch.setattr("runtime.autodiff.calls.derive", derive)
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(ArithmeticError, match="a bug"):
            tf.function(lambda x: x * 2.0)(x)


@pytest.mark.parametrize("staged", [False, True])
def test_recompute_grad_of_one_tensor_in_several_places(staged: bool) -> None:
    product = tf.recompute_grad(lambda pair, z: pair["a"] * pair["b"] * z)

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = product({"a": x, "b": x}, x)
        return tape.gradient(y, x)

    way = tf.function(gradient) if staged else gradient
    assert float(way(tf.constant(2.0))) == 12


@pytest.mark.parametrize("made", [autograph.convert, tf.function])
@pytest.mark.parametrize("named", [True, False])
def test_recompute_grad_of_an_argument_that_is_changed_later(made: Any, named: bool) -> None:
    square = tf.recompute_grad(lambda x, factor=1.0: x * x * factor)

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            given, factor = x * 1.0, x * 0.0 + 3.0
            y = square(given, factor=factor) if named else square(given, factor)
        given[0] = 100.0
        factor[1] = 100.0
        return tape.gradient(y, x), given, factor

    slopes = made(gradient)(tf.constant([1.0, 2.0]))[0]
    assert slopes.numpy().tolist() == [6.0, 12.0]


@pytest.mark.parametrize("asks", [True, False])
def test_rule_that_changes_python_state(asks: bool) -> None:
    """The rule is called when its gradient is asked for, and never before; in a graph it cannot
    change what Python holds.
    """

    def function(x: Any) -> Any:
        calls = 0

        @tf.custom_gradient
        def double(x: Any) -> Any:
            def grad(upstream: Any) -> Any:
                nonlocal calls
                calls += 1
                return upstream * 2.0

            return x * 2.0, grad

        @tf.function
        def called(x: Any) -> Any:
            return double(x)

        with tf.GradientTape() as tape:
            tape.watch(x)
            y = called(x)
        grad = tape.gradient(y, x) if asks else x
        return grad, calls

    x = tf.constant(1.0)
    if asks:
        with pytest.raises(ValueError, match=r"test_custom_gradient.*calls is changed"):
            tf.function(function)(x)
    else:
        grad, calls = tf.function(function)(x)
        assert (float(grad), int(calls)) == (1.0, 0)
