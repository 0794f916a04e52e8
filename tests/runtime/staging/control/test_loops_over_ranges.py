"""Loops over `tf.range` of integers count: no array of the elements is made."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime.graph.ir import walk
from runtime.graph.passes import optimize

Program = Callable[..., Any]


def weighted(start: Any, limit: Any, delta: Any) -> Any:
    total, count = tf.cast(0, tf.int64), 0
    for i in tf.range(start, limit, delta):
        count += 1
        total = total * 3 + tf.cast(i, tf.int64)
    return total, count


def left_early(start: Any, limit: Any, delta: Any) -> Any:
    total = start
    for i in tf.range(start, limit, delta):
        if i % 3 == 2:
            continue
        total = total + i
        if total > 20:
            break
    return total, 0


def returned(start: Any, limit: Any, delta: Any) -> Any:
    for i in tf.range(start, limit, delta):
        if i * i > 30:
            return i, 1
    return start, 0


def nested(start: Any, limit: Any, delta: Any) -> Any:
    total = start
    for i in tf.range(start, limit, delta):
        for j in tf.range(i, limit, delta):
            total = total + i * j
    return total, 0


def with_others(start: Any, limit: Any, delta: Any) -> Any:
    elements, total = tf.range(start, limit, delta), start
    for at, (i, j) in enumerate(zip(elements, elements, strict=False)):
        total = total + i * j + at
    return total, 0


def read_besides(start: Any, limit: Any, delta: Any) -> Any:
    elements = tf.range(start, limit, delta)
    last = start
    for i in elements:
        last = i
    return last, tf.reduce_sum(elements)


BOUNDS = [(0, 7, 1), (2, 30, 5), (9, -6, -2), (4, 4, 1), (4, 4, -3), (0, 1, 100), (-5, 6, 1)]
PROGRAMS = [weighted, left_early, returned, nested, with_others, read_besides]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("known", [False, True])
def test_the_elements_are_those_of_the_array(program: Program, dtype: str, known: bool) -> None:
    staged = tf.function(program)
    for bounds in BOUNDS:
        tensors = [tf.constant(bound, dtype) for bound in bounds]
        if known:
            staged = tf.function(lambda tensors=tensors: program(*tensors))
        found = staged() if known else staged(*tensors)
        expected = program(*tensors)
        assert [int(item) for item in found] == [int(item) for item in expected], bounds


@pytest.mark.parametrize("program", [weighted, left_early, returned, nested, with_others])
def test_no_array_is_made(program: Program) -> None:
    ends = [tf.constant(bound) for bound in (0, 7, 1)]
    graph = optimize(tf.function(program).get_concrete_function(*ends).graph)
    made = [node for node in walk(graph.body) if node.primitive.name == "range"]
    assert made
    assert [node.outputs[0].type.shape for node in made] == [(0,)] * len(made)


@pytest.mark.parametrize("limit", [2**31 - 1, 2**62])
def test_a_range_may_be_longer_than_the_memory(limit: int) -> None:
    def program(n: Any) -> Any:
        total = 0 * n
        for i in tf.range(n):
            total = total + i
            if total > 10:
                break
        return total

    n = tf.constant(limit, tf.int32 if limit < 2**31 else tf.int64)
    assert int(tf.function(program)(n)) == 15
    assert int(tf.function(lambda: program(n))()) == 15


@pytest.mark.parametrize(
    ("start", "limit", "delta", "dtype"),
    [
        (-(2**31), 2**31 - 1, 2**30, "int32"),
        (2**31 - 1, -(2**31), -(2**30) - 1, "int32"),
        (-(2**63), 2**63 - 1, 2**61 + 3, "int64"),
        (2**62, -(2**62), -(2**60), "int64"),
        (100, -128, -57, "int8"),
        (3, 255, 50, "uint8"),
    ],
)
def test_elements_are_exact_at_the_limits_of_the_dtype(
    start: int, limit: int, delta: int, dtype: str
) -> None:
    @tf.function
    def elements(start: Any, limit: Any, delta: Any) -> Any:
        found = tf.TensorArray(dtype, 0, dynamic_size=True)
        for at, i in enumerate(tf.range(start, limit, delta)):
            found = found.write(at, i)
        return found.stack()

    found = elements(*[tf.constant(end, dtype) for end in (start, limit, delta)])
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.numpy(), list(range(start, limit, delta)))


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((0, -9, 1), "Requires start <= limit when delta > 0: 0/-9"),
        ((0, 9, -1), "Requires start >= limit when delta < 0: 0/9"),
        ((0, 9, 0), "Requires delta != 0"),
    ],
)
def test_a_range_is_refused_where_it_is_made(bounds: tuple[int, ...], message: str) -> None:
    before, after = tf.Variable(0), tf.Variable(0)

    @tf.function
    def program(start: Any, limit: Any, delta: Any) -> Any:
        before.assign_add(1)
        elements = tf.range(start, limit, delta)
        after.assign_add(1)
        total = start
        for i in elements:
            total = total + i
        return total

    for calls in (1, 2, 3):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            program(*[tf.constant(bound) for bound in bounds])
        assert (int(before), int(after)) == (calls, 0)


def test_gradients_through_a_loop_over_a_range() -> None:
    def program(x: Any, n: Any) -> Any:
        y = x
        for i in tf.range(n, 0, -1):
            if i == 3:
                continue
            y = tf.sin(y) * tf.cast(i, tf.float64) + x
        return y

    def slopes(function: Program) -> tuple[float, float]:
        x = tf.constant(0.3, tf.float64)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x, tf.constant(5))
            grad = tape.gradient(y, x)
        return float(grad), float(outer.gradient(grad, x))

    np.testing.assert_allclose(slopes(tf.function(program)), slopes(program), rtol=1e-12)


def test_a_range_of_floats_is_read() -> None:
    def program(limit: Any) -> Any:
        total = 0.0 * limit
        for x in tf.range(0.0, limit, 0.1):
            total = total * 0.5 + x
        return total

    limit = tf.constant(1.3)
    assert float(tf.function(program)(limit)) == float(program(limit))


def test_a_range_from_around_a_function_is_read() -> None:
    @tf.function
    def total(elements: Any) -> Any:
        found = 0
        for i in elements:
            found = found + i
        return found

    @tf.function
    def outside(n: Any) -> Any:
        return total(tf.range(n))

    assert int(outside(tf.constant(5))) == 10
    assert int(total(tf.range(tf.constant(5)))) == 10


def test_a_range_of_the_run_is_printed_and_raised_as_in_python(capsys: Any) -> None:
    def shown(n: Any) -> Any:
        steps = range(n) if n > 0 else range(3, n, -2)
        print(steps, [range(n, 3)])
        if n > 3:
            raise ValueError(steps)
        return n

    staged, texts = tf.function(shown), []
    for call, argument in ((shown, int), (staged, tf.constant)):
        for n in (2, -2, 4):
            try:
                call(argument(n))
            except ValueError as error:
                texts.append(str(error).splitlines()[0])
        texts.append(capsys.readouterr().out)
    assert texts[:2] == texts[2:]
