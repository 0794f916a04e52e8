"""Gradient functions read what there is when the gradient is asked for: in a graph the same as
eagerly, or it is refused.
"""

from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as tf

Program = Callable[..., Any]


def taped(function: Program) -> Program:
    """Its gradient by the first argument."""

    def slope(x: Any, *rest: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, *rest)
        return tape.gradient(y, x)

    return slope


WAYS = {
    "the tape inside": lambda f: tf.function(taped(f)),
    "the tape outside": lambda f: taped(tf.function(f)),
    "a call in a graph": lambda f: tf.function(taped(tf.function(f))),
}
ways = pytest.mark.parametrize("way", WAYS)


def given() -> tuple[Any, ...]:
    """A number, a truth, a count, and an object from outside."""
    return tf.constant(1.5), tf.constant(True), tf.constant(3), Scaled()


def scaled_by(read: Callable[[], Any]) -> Program:
    """The identity, whose gradient is multiplied by what is read."""

    @tf.custom_gradient
    def op(z: Any) -> Any:
        return z * 1.0, lambda upstream: upstream * read()

    return op


class Scaled:
    """The identity, whose gradient is multiplied by attributes."""

    def __init__(self) -> None:
        self.scale = tf.constant(1.5)
        self.number = 2.0
        self.table = {"a": 3.0, "b": 1}
        self.pair = (2.0, tf.constant(2.0))
        self.count = 0

    def __call__(self, x: Any) -> Any:
        @tf.custom_gradient
        def op(z: Any) -> Any:
            def grad(upstream: Any) -> Any:
                factor = self.scale * self.number * self.table["a"]
                return upstream * factor * self.pair[0] * self.pair[1]

            return tf.identity(z), grad

        return op(x)

    def doubling(self, x: Any) -> Any:
        """The same; each call doubles the factor."""
        y = self(x)
        self.scale = self.scale * 2.0
        return y


# What nothing changes behind the call


def constant(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)

    @tf.custom_gradient
    def op(z: Any) -> Any:
        e = tf.exp(z)
        return z * e, lambda upstream: upstream * k * e

    y = x
    if p:
        y = op(x)
    for _ in tf.range(n):
        y = op(y * 0.1)
    return y


def set_in_the_branch(x: Any, p: Any, n: Any, o: Any) -> Any:
    k, number = tf.constant(2.0), 2.0
    op = scaled_by(lambda: k * number)
    y = x
    if p:
        k, number = x * 7.0, 3.0
        if n > 2:
            k = k + 1.0
            y = op(x)
    return y


def made_in_the_branch(x: Any, p: Any, n: Any, o: Any) -> Any:
    y = x
    if p:
        k, number = x * 3.0, 4.0
        y = scaled_by(lambda: k * number)(x)
    return y


def set_in_a_try(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)
    op = scaled_by(lambda: k)
    try:
        whole = 6 // n
        k = x * 2.0
        y = op(x) * tf.cast(whole, tf.float32)
    except ZeroDivisionError:
        y = x
    return y


def returned_early(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)
    op = scaled_by(lambda: k)
    if p:
        k = k * x
        return op(x)
    return x


def of_a_factory(x: Any, p: Any, n: Any, o: Any) -> Any:
    def scaled(z: Any, k: Any) -> Any:
        return scaled_by(lambda: k)(z)

    y = x
    for i in tf.range(n):
        k = tf.cast(i, tf.float32) + 2.0
        y = scaled(y, k)
    return y


def an_argument(x: Any, p: Any, n: Any, o: Any) -> Any:
    @tf.custom_gradient
    def op(z: Any, k: Any) -> Any:
        return z * 1.0, lambda upstream: (upstream * k, None)

    k, y = tf.constant(2.0), x
    for _ in tf.range(n):
        k = k + 2.0
        y = op(y, k)
    return y


def of_an_object(x: Any, p: Any, n: Any, o: Any) -> Any:
    y = x
    for _ in tf.range(n):
        if p:
            y = o(y)
    return y


def beside_what_rounds_count(x: Any, p: Any, n: Any, o: Any) -> Any:
    y = x
    for _ in tf.range(n):
        o.count += 1
        y = o(y)
        o.count += 1
    return y + tf.cast(o.count, tf.float32)


def beside_an_item_that_rounds_count(x: Any, p: Any, n: Any, o: Any) -> Any:
    own = Scaled()
    y = x
    for _ in tf.range(n):
        own.table["b"] += 1
        y = own(y)
    return y


def attributes_set_in_the_branch(x: Any, p: Any, n: Any, o: Any) -> Any:
    own = Scaled()
    y = x
    if p:
        own.scale = own.scale * 2.0
        own.number = 3.0
        y = own(y)
    return y


def a_number_of_the_run(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = 2.0
    for _ in tf.range(n):
        k = k + 1.0
    return scaled_by(lambda: k)(x)


def beside_what_is_changed_behind_it(x: Any, p: Any, n: Any, o: Any) -> Any:
    own = Scaled()
    own.scale, own.pair = x * 2.0, (x * 1.0, x)
    y = x
    if p:
        y = own(x)
        if n > 1:
            own.count += 1
    if n > 2:
        own.table["b"] = 7
    for _ in tf.range(n):
        own.count += 1
        own.table["b"] += 1
    return y


def items(x: Any, p: Any, n: Any, o: Any) -> Any:
    factors = [tf.constant(2.0)]
    factors.append(x * 3.0)
    op = scaled_by(lambda: factors[-1] * factors[0])
    y = x
    for _ in tf.range(n):
        if p:
            y = op(y)
    return y


def by_functions(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)
    op = scaled_by(lambda: k)
    rows = tf.map_fn(op, tf.stack([x, x * 2.0]))
    either = tf.cond(p, lambda: op(x), lambda: x)
    _, last = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, op(y)), (0, x))
    return tf.reduce_sum(rows) + either + last


def nested(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)
    inner = scaled_by(lambda: k)

    @tf.custom_gradient
    def op(z: Any) -> Any:
        return inner(z), lambda upstream: inner(upstream) * k

    y = x
    for _ in tf.range(n):
        y = op(y)
    return y


FACTOR = tf.Variable(3.0)


def a_variable(x: Any, p: Any, n: Any, o: Any) -> Any:
    @tf.custom_gradient
    def op(z: Any) -> Any:
        def grad(upstream: Any, variables: Any = ()) -> Any:
            return upstream * FACTOR, [upstream * z for _ in variables]

        return z * FACTOR, grad

    y = x
    for _ in tf.range(n):
        y = op(y)
    return y


def recomputed(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)
    f = tf.recompute_grad(lambda z: z * z * k)
    y = x
    for _ in tf.range(n):
        y = f(y)
    k = x * 5.0
    return y


RIGHT = [
    constant, set_in_the_branch, made_in_the_branch, set_in_a_try, returned_early, of_a_factory,
    an_argument, of_an_object, beside_what_rounds_count, beside_an_item_that_rounds_count,
    attributes_set_in_the_branch, a_number_of_the_run, beside_what_is_changed_behind_it, items,
    by_functions, nested, a_variable, recomputed,
]  # fmt: skip


@ways
@pytest.mark.parametrize("program", RIGHT)
def test_what_nothing_changes_behind_the_call(program: Program, way: str) -> None:
    expected = float(taped(program)(*given()))
    assert float(WAYS[way](program)(*given())) == pytest.approx(expected)


# What changes


def set_behind_it(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)
    op = scaled_by(lambda: k)
    y = x
    if p:
        y = op(x)
        k = tf.constant(5.0)
    return y


def set_behind_the_branch(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)
    op = scaled_by(lambda: k)
    y = x
    if p:
        y = op(x)
    k = tf.constant(5.0)
    return y


def set_in_each_round(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)
    op = scaled_by(lambda: k)
    y = x
    for _ in tf.range(n):
        k = k + 2.0
        y = op(y)
    return y


def a_number_set_in_each_round(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = 2.0
    op = scaled_by(lambda: k)
    y = x
    for _ in tf.range(n):
        y = op(y)
        k = k + 2.0
    return y


def first_set_in_each_round(x: Any, p: Any, n: Any, o: Any) -> Any:
    y = x
    for i in tf.range(n):
        k = tf.cast(i, tf.float32) + 2.0
        y = scaled_by(lambda: k)(y)  # noqa: B023
    return y


def swapped(x: Any, p: Any, n: Any, o: Any) -> Any:
    k, other = tf.constant(2.0), tf.constant(3.0)
    op = scaled_by(lambda: k)
    y = x
    for _ in tf.range(n):
        k, other = other, k
        y = op(y)
    return y


def moved_on(x: Any, p: Any, n: Any, o: Any) -> Any:
    k, second, third = tf.constant(2.0), tf.constant(3.0), tf.constant(4.0)
    op = scaled_by(lambda: k)
    y = x
    for _ in tf.range(n):
        y = op(y)
        k, second = second, third
    return y


def set_behind_it_in_a_try(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)
    op = scaled_by(lambda: k)
    try:
        whole = 6 // n
        y = op(x) * tf.cast(whole, tf.float32)
        k = x * 2.0
    except ZeroDivisionError:
        y = x
    return y


def read_by_a_helper(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)

    def helper() -> Any:
        return k

    op = scaled_by(lambda: helper())
    y = x
    if p:
        y = op(x)
    k = x * 5.0
    return y


def another_helper(x: Any, p: Any, n: Any, o: Any) -> Any:
    def first() -> Any:
        return 2.0

    def second() -> Any:
        return 3.0

    helper = first
    op = scaled_by(lambda: helper())
    y = x
    if p:
        y = op(x)
    helper = second
    return y


def an_item(x: Any, p: Any, n: Any, o: Any) -> Any:
    table, key = {"k": tf.constant(2.0)}, "k"
    op = scaled_by(lambda: table[key])
    y = x
    if p:
        y = op(x)
    table["k"] = x * 5.0
    return y


def appended(x: Any, p: Any, n: Any, o: Any) -> Any:
    factors = [tf.constant(2.0)]
    op = scaled_by(lambda: factors[-1])
    y = x
    if p:
        y = op(x)
    if n > 1:
        factors.append(tf.constant(4.0))
    return y


def appended_in_each_round(x: Any, p: Any, n: Any, o: Any) -> Any:
    factors = [tf.constant(2.0)]
    op = scaled_by(lambda: factors[-1])
    y = x
    for _ in tf.range(n):
        y = op(y)
        factors.append(factors[-1] * 2.0)
    return y


def scale_of(item: Any) -> Any:
    """An attribute, of which the gradient function does not have the name."""
    return item.scale


def an_attribute_read_by_a_helper(x: Any, p: Any, n: Any, o: Any) -> Any:
    own = Scaled()
    op = scaled_by(lambda: scale_of(own))
    y = x
    if p:
        y = op(x)
    own.scale = x * 5.0
    return y


def an_attribute_of_a_computed_name(x: Any, p: Any, n: Any, o: Any) -> Any:
    own, name = Scaled(), "scale"
    op = scaled_by(lambda: getattr(own, name))
    y = x
    if p:
        y = op(x)
    own.scale = x * 5.0
    return y


def attributes_of_items(x: Any, p: Any, n: Any, o: Any) -> Any:
    each = [Scaled(), Scaled()]
    op = scaled_by(lambda: sum([one.scale for one in each]))
    y = x
    if p:
        y = op(x)
    each[1].scale = x * 5.0
    return y


def an_attribute_set_in_a_branch(x: Any, p: Any, n: Any, o: Any) -> Any:
    own = Scaled()
    y = x
    if p:
        y = own(x)
    if n > 1:
        own.scale = tf.constant(9.0)
    return y


def an_attribute_set_in_each_round(x: Any, p: Any, n: Any, o: Any) -> Any:
    own = Scaled()
    y = x
    for _ in tf.range(n):
        y = own.doubling(y)
    return y


def an_attribute_of_an_object_from_outside(x: Any, p: Any, n: Any, o: Any) -> Any:
    y = x
    for _ in tf.range(n):
        y = o.doubling(y)
    return y


def set_by_each_call_of_itself(x: Any, p: Any, n: Any, o: Any) -> Any:
    own = Scaled()

    def again(y: Any, n: Any) -> Any:
        if n > 0:
            y = own.doubling(y)
            return again(y, n - 1)
        return y

    return again(x, n)


def behind_map_fn(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)
    op = scaled_by(lambda: k)
    rows = tf.map_fn(op, tf.stack([x, x]))
    k = x * 5.0
    return tf.reduce_sum(rows)


def behind_scan(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)
    op = scaled_by(lambda: k)
    rows = tf.scan(lambda made, z: op(made * z), tf.stack([x, x]))
    k = x * 5.0
    return tf.reduce_sum(rows)


def behind_cond(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)
    op = scaled_by(lambda: k)
    y = tf.cond(p, lambda: op(x), lambda: x)
    k = x * 5.0
    return y


def behind_while_loop(x: Any, p: Any, n: Any, o: Any) -> Any:
    k = tf.constant(2.0)
    op = scaled_by(lambda: k)
    _, y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, op(y)), (0, x))
    k = x * 5.0
    return y


REFUSED = [
    (set_behind_it, "k"),
    (set_behind_the_branch, "k"),
    (set_in_each_round, "k"),
    (a_number_set_in_each_round, "k"),
    (first_set_in_each_round, "k"),
    (swapped, "k"),
    (moved_on, "k"),
    (set_behind_it_in_a_try, "k"),
    (read_by_a_helper, "k"),
    (another_helper, "helper"),
    (an_item, "table"),
    (appended, "factors"),
    (appended_in_each_round, "factors"),
    (an_attribute_read_by_a_helper, "own.scale"),
    (an_attribute_of_a_computed_name, "own.scale"),
    (attributes_of_items, "each[1].scale"),
    (an_attribute_set_in_a_branch, "self.scale"),
    (an_attribute_set_in_each_round, "self.scale"),
    (an_attribute_of_an_object_from_outside, "self.scale"),
    (set_by_each_call_of_itself, "self.scale"),
    (behind_map_fn, "k"),
    (behind_scan, "k"),
    (behind_cond, "k"),
    (behind_while_loop, "k"),
]


@ways
@pytest.mark.parametrize(
    ("program", "name"), REFUSED, ids=lambda each: getattr(each, "__name__", "")
)
def test_what_changes_behind_the_call_is_refused(program: Program, name: str, way: str) -> None:
    eager = [float(taped(f)(*given())) for f in (program, autograph.convert(program))]
    assert eager[0] == eager[1]
    with pytest.raises(autograph.errors.StagingError) as caught:
        WAYS[way](program)(*given())
    message = str(caught.value)
    assert f"the gradient function of op() reads {name!r} when the gradient is asked for" in message
    assert "give op() what its gradient function reads as one more argument" in message
    assert caught.value.filename == __file__
    first = program.__code__.co_firstlineno
    in_class = Scaled.__call__.__code__.co_firstlineno
    assert 0 <= caught.value.lineno - (in_class if "self" in name else first) < 16


@ways
def test_who_asks_for_other_results_is_not_refused(way: str) -> None:
    def program(x: Any, p: Any, n: Any, o: Any) -> Any:
        return x * 3.0 + tf.stop_gradient(set_behind_it(x, p, n, o))

    assert float(WAYS[way](program)(*given())) == 3.0


@ways
def test_what_does_not_depend_on_the_source_is_not_asked(way: str) -> None:
    def program(x: Any, p: Any, n: Any, o: Any) -> Any:
        return x * 3.0 + set_behind_it(tf.cast(n, tf.float32), p, n, o)

    assert float(WAYS[way](program)(*given())) == 3.0


def test_one_of_two_results() -> None:
    def program(x: Any, p: Any) -> Any:
        return set_behind_it(x, p, None, None), x * 3.0

    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        first, second = tf.function(program)(x, tf.constant(True))
    assert float(tape.gradient(second, x)) == 3.0
    with pytest.raises(autograph.errors.StagingError, match="reads 'k'"):
        tape.gradient(first, x)


def test_code_that_is_not_converted() -> None:
    def program(x: Any, p: Any) -> Any:
        factors = [tf.constant(2.0)]

        def helper() -> Any:
            return factors[0]

        op = scaled_by(lambda: helper())
        y = tf.cond(p, lambda: op(x), lambda: x)
        factors[0] = x * 5.0
        return y

    for run in (
        tf.function(taped(program), autograph=False),
        taped(tf.function(program, autograph=False)),
    ):
        with pytest.raises(autograph.errors.StagingError, match=r"op\(\) reads 'factors'"):
            run(tf.constant(1.5), tf.constant(True))


@pytest.mark.parametrize("is_called", [False, True])
def test_what_changes_between_the_call_and_the_gradient(is_called: bool) -> None:
    class Reversal:
        factor = 1.0

        def __call__(self, x: Any) -> Any:
            return scaled_by(lambda: -self.factor)(x)

    made = Reversal()
    x = tf.constant(1.0)
    inner = tf.function(lambda x: made(x) * 2.0)
    run = tf.function(lambda x: inner(x) * 1.0) if is_called else inner
    for factor in (1.0, 3.0):
        made.factor = factor
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = run(x)
        assert float(tape.gradient(y, x)) == -2.0 * factor
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(x)
    made.factor = 7.0
    with pytest.raises(autograph.errors.StagingError, match=r"reads 'self\.factor' when"):
        tape.gradient(y, x)


def test_a_list_that_it_changes_may_be_a_variable() -> None:
    count = tf.Variable(0.0)

    def changing(keep: Callable[[Any], Any]) -> Program:
        @tf.custom_gradient
        def op(z: Any) -> Any:
            def grad(upstream: Any, variables: Any = ()) -> Any:
                keep(upstream)
                return upstream

            return z * 1.0, grad

        return lambda x, p: op(x) if p else x

    x, p, log = tf.constant(1.0), tf.constant(True), []
    with pytest.raises(autograph.errors.StagingError, match=r"keep it in a tf\.Variable \(count"):
        taped(tf.function(changing(log.append)))(x, p)
    assert log == []
    for at, way in enumerate(WAYS.values(), 1):
        assert float(way(changing(lambda upstream: count.assign_add(1)))(x, p)) == 1.0
        assert int(count) == at
