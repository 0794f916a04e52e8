"""Functions handed to ops that call them in a loop or branch of the graph: what they change of the
user's objects is as in Python, or refused with its place.
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import runtime as tf

XS = [1.0, 2.0, 4.0]
counted = 0
total: Any = 0.0


class Counter:
    """Counts what it is called with."""

    def __init__(self) -> None:
        self.count = 0
        self.total: Any = tf.constant(0.0)

    def of_number(self, *rows: Any) -> Any:
        self.count += 1
        return rows[-1] + 0.0

    def of_tensor(self, *rows: Any) -> Any:
        self.total = self.total + rows[-1]
        return rows[-1] + 0.0

    def __call__(self, *rows: Any) -> Any:
        self.count += 1
        self.total = self.total * 2.0 + rows[-1]
        return rows[-1] + 0.0


Change = tuple[Callable[..., Any], Callable[[], Any]]
"""A function that changes something, and what that is afterwards."""


def closure_of_a_number() -> Change:
    k = 0

    def change(*rows: Any) -> Any:
        nonlocal k
        k += 1
        return rows[-1] + 0.0

    return change, lambda: k


def closure_of_a_tensor() -> Change:
    k = tf.constant(0.5)

    def change(*rows: Any) -> Any:
        nonlocal k
        k = k * 2.0 + rows[-1]
        return rows[-1] + 0.0

    return change, lambda: k


def growing_list() -> Change:
    seen: list[Any] = []

    def change(*rows: Any) -> Any:
        seen.append(rows[-1])
        return rows[-1] + 0.0

    return change, lambda: len(seen)


def item_of_a_dict() -> Change:
    seen = {"n": 0}

    def change(*rows: Any) -> Any:
        seen["n"] += 1
        return rows[-1] + 0.0

    return change, lambda: seen["n"]


def attribute() -> Change:
    counter = Counter()

    def change(*rows: Any) -> Any:
        counter.count += 1
        return rows[-1] + 0.0

    return change, lambda: counter.count


def method_with_a_number() -> Change:
    counter = Counter()
    return counter.of_number, lambda: counter.count


def method_with_a_tensor() -> Change:
    counter = Counter()
    return counter.of_tensor, lambda: counter.total


def partial_of_a_closure() -> Change:
    change, found = closure_of_a_number()
    return functools.partial(change, 7.0), found


def partial_of_a_method() -> Change:
    counter = Counter()
    return functools.partial(counter.of_number), lambda: counter.count


def partial_with_a_list() -> Change:
    seen: list[Any] = []

    def change(into: list[Any], *rows: Any) -> Any:
        into.append(1)
        return rows[-1] + 0.0

    return functools.partial(change, seen), lambda: len(seen)


def callable_object() -> Change:
    counter = Counter()
    return counter, lambda: counter.total + float(counter.count)


def lambda_of_a_method() -> Change:
    counter = Counter()
    return lambda *rows: counter.of_number(*rows), lambda: counter.count


def default_argument() -> Change:
    seen = [0]

    def change(*rows: Any, seen: list[int] = seen) -> Any:
        seen[0] += 1
        return rows[-1] + 0.0

    return change, lambda: seen[0]


def global_number() -> Change:
    global counted
    counted = 0

    def change(*rows: Any) -> Any:
        global counted
        counted += 1
        return rows[-1] + 0.0

    return change, lambda: counted


CHANGES = [
    closure_of_a_number, closure_of_a_tensor, growing_list, item_of_a_dict, attribute,
    method_with_a_number, method_with_a_tensor, partial_of_a_closure, partial_of_a_method,
    partial_with_a_list, callable_object, lambda_of_a_method, default_argument, global_number,
]  # fmt: skip


def _while_loop(change: Any, xs: Any) -> Any:
    def test(i: Any, y: Any) -> Any:
        return i < 3

    return tf.while_loop(test, _Round(change), (tf.constant(0), xs[0]))[1]


class _Round:
    def __init__(self, change: Any) -> None:
        self.change = change

    def __call__(self, i: Any, y: Any) -> Any:
        return i + 1, self.change(y)


def _test_of_while_loop(change: Any, xs: Any) -> Any:
    def test(i: Any) -> Any:
        return change(i) < 3.0

    return tf.while_loop(test, lambda i: (i + 1.0,), (tf.reduce_min(xs) - 1.0,))


def _custom(change: Any, xs: Any) -> Any:
    @tf.custom_gradient
    def op(x: Any) -> Any:
        return change(x), lambda upstream: upstream

    y = xs[0]
    for x in xs:
        y = y + op(x)
    return y


USES: dict[str, Callable[[Any, Any], Any]] = {
    "map_fn": lambda change, xs: tf.map_fn(change, xs),
    "map_fn in parallel": lambda change, xs: tf.map_fn(change, xs, parallel_iterations=1),
    "vectorized_map": lambda change, xs: tf.vectorized_map(change, xs),
    "foldl": lambda change, xs: tf.foldl(change, xs),
    "foldl from": lambda change, xs: tf.foldl(change, xs, tf.constant(1.0)),
    "foldr": lambda change, xs: tf.foldr(change, xs),
    "scan": lambda change, xs: tf.scan(change, xs),
    "scan from": lambda change, xs: tf.scan(change, xs, tf.constant(1.0), reverse=True),
    "while_loop": _while_loop,
    "the test of while_loop": _test_of_while_loop,
    "reduce": lambda change, xs: functools.reduce(change, xs),
    "map": lambda change, xs: list(map(change, tf.unstack(xs))),
    "cond": lambda change, xs: tf.cond(xs[0] > 0, lambda: change(xs[1]), lambda: xs[2]),
    "cond, a partial": lambda change, xs: tf.cond(
        xs[0] > 0, functools.partial(change, xs[1]), functools.partial(abs, xs[2])
    ),
    "cond, not taken": lambda change, xs: tf.cond(
        xs[0] < 0, functools.partial(change, xs[1]), functools.partial(abs, xs[2])
    ),
    "case": lambda change, xs: tf.case(
        [(xs[0] < 0, functools.partial(abs, xs[2])), (xs[1] > 0, functools.partial(change, xs[1]))],
        functools.partial(change, xs[2]),
    ),
    "switch_case": lambda change, xs: tf.switch_case(
        tf.cast(xs[0], tf.int32),
        [functools.partial(abs, xs[2]), functools.partial(change, xs[1])],
    ),
    "custom_gradient": _custom,
    "recompute_grad": lambda change, xs: tf.map_fn(tf.recompute_grad(change), xs),
    "grad_pass_through": lambda change, xs: tf.map_fn(tf.grad_pass_through(change), xs),
    "map_structure": lambda change, xs: tf.cond(
        xs[0] > 0, lambda: tf.nest.map_structure(change, [xs[1], xs[2]]), lambda: [xs[0], xs[0]]
    ),
}  # fmt: skip


def _program(use: Any, make: Any) -> Callable[[Any], Any]:
    def program(xs: Any) -> Any:
        change, found = make()
        return use(change, xs), found()

    return program


def _values(found: Any) -> list[Any]:
    return [np.asarray(item).tolist() for item in tf.nest.flatten(found)]


@pytest.mark.parametrize("make", CHANGES)
@pytest.mark.parametrize("use", USES)
def test_state_is_carried_or_refused(use: str, make: Any) -> None:
    """The change happens as often as Python makes it, or a staged call says that it cannot."""
    program = _program(USES[use], make)
    xs = tf.constant(XS)
    expected = _values(program(xs))
    with _refused_here():
        made = _values(tf.function(program)(xs))
        assert made == expected


@contextmanager
def _refused_here() -> Iterator[None]:
    try:
        yield
    except (tf.errors.OpError, ValueError, TypeError) as error:
        if __file__ not in str(error):
            raise


def test_the_test_of_a_loop_may_count_itself() -> None:
    def program(limit: Any) -> Any:
        asked = 0

        def test(i: Any) -> Any:
            nonlocal asked
            asked += 1
            return i < limit

        return tf.while_loop(test, lambda i: (i + 1,), (limit - limit,)), asked

    limit = tf.constant(4)
    assert _values(tf.function(program)(limit)) == _values(program(limit)) == [4, 5]


@pytest.mark.parametrize(("most", "expected"), [(0, [0]), (2, [2, 0, 1]), (9, [3, 0, 1, 2, 3])])
def test_the_test_of_a_limited_loop_has_state(most: int, expected: list[int]) -> None:
    def program(limit: Any, most: Any) -> Any:
        asked: list[Any] = []

        def test(i: Any) -> Any:
            asked.append(i)
            return i < limit

        loop = tf.while_loop(test, lambda i: (i + 1,), (limit - limit,), maximum_iterations=most)
        return loop, asked

    given = tf.constant(3), tf.constant(most)
    assert _values(tf.function(program)(*given)) == _values(program(*given)) == expected
    fixed = tf.function(lambda limit: program(limit, most))
    assert _values(fixed(given[0])) == expected


def test_a_loop_variable_may_be_called_test() -> None:
    def program(limit: Any) -> Any:
        seen = [limit - limit]

        def go_on(test: Any) -> Any:
            return test[0] < limit

        def count(test: Any) -> Any:
            seen[0] = seen[0] + test[0]
            return ([test[0] + 1],)

        return tf.while_loop(go_on, count, ([limit - limit],)), seen[0]

    limit = tf.constant(4)
    assert _values(tf.function(program)(limit)) == _values(program(limit)) == [4, 6]
