"""The table of gradients: each construct, of each order, with the tape outside of the function and
inside of it, against finite differences of the same Python run eagerly, and its eager gradients.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf

DOUBLE = tf.float64
v = tf.Variable(1.3, dtype=DOUBLE)
Function = Callable[..., Any]


def cond(x: Any) -> Any:
    y = x * v
    if x > 0.5:
        y = tf.sin(y) * x if x < 1.0 else y * y
    return y * x


def ternary(x: Any) -> Any:
    return (tf.exp(x) * v if x > 0.5 else x * x) + x


def while_(x: Any) -> Any:
    y = x
    while y < 20.0:
        y = y * y * v + x + 1.0
    return y * x


def nested_while(x: Any) -> Any:
    y, i = x, tf.constant(0)
    while i < 3:
        j = tf.constant(0)
        while j < i:
            y = tf.sin(y) * x * v + y
            j += 1
        y = y * x
        i += 1
    return y


def for_(x: Any) -> Any:
    y = x
    for row in tf.stack([x, x * v, x * x]):
        y = tf.sin(y) * row + y
        if y > 3.0:
            break
    return y


def list_(x: Any) -> Any:
    """A list as a variable of the loop, whose items a branch in it changes."""
    items = [x, x * v, x * x]
    for i in tf.range(4):
        items = [items[1] * items[2], items[2], tf.sin(items[0])]
        if i % 2 == 0:
            items[1] = items[0] * x
    return items[0] * items[1] + items[2]


def nested_list(x: Any) -> Any:
    state = {"a": [x, x * v], "b": (x * x,)}
    i = tf.constant(0)
    while i < 3:
        a, b = state["a"]
        state = {"a": [b * x, a], "b": (tf.sin(state["b"][0]) * a,)}
        i += 1
    return state["a"][0] * state["a"][1] + state["b"][0]


def growing_list(x: Any) -> Any:
    items = [x]
    for i in tf.range(4):
        items.append(items[-1] * tf.sin(items[0] * v))
        if i == 2:
            items.insert(1, items.pop() * x)
    items.extend(items[1:3])
    total = x
    for item in items:
        total += item * item
    while len(items) > 3:
        total *= items.pop(0)
    return total * tf.reduce_sum(tf.stack(items))


def growing_list_of_pairs(x: Any) -> Any:
    pairs = []
    for i in tf.range(3):
        pairs.append((x * tf.cast(i, DOUBLE), (x * v, 0.5)))
    pairs[1] = (x, (x * x, 1.5))
    pairs.reverse()
    total = x
    for a, (b, c) in pairs:
        total += tf.sin(a * b) * c
    return total


def tensor_array(x: Any) -> Any:
    array = tf.TensorArray(DOUBLE, 0, dynamic_size=True, clear_after_read=False)
    array = array.write(0, x * v)
    for i in tf.range(3):
        array = array.write(i + 1, tf.sin(array.read(i)) * x)
    return tf.reduce_sum(array.stack() ** 2) * array.read(1)


@tf.function
def squares(x: Any) -> Any:
    return tf.sin(x) * x * v if x > 0.0 else x * x


def call(x: Any) -> Any:
    y = squares(x) * squares(x * x)
    for _ in tf.range(2):
        y = y + squares(y) * x
    return y


@tf.function
def power(x: Any, n: Any) -> Any:
    if n <= 0:
        return v * x
    return tf.sin(x) * power(x, n - 1) + x


def recursion(x: Any) -> Any:
    return power(x, tf.constant(3)) * x


@tf.function
def tree(x: Any, n: Any) -> Any:
    """It calls itself twice, with arguments that swap, in a loop, and gives two results."""
    if n <= 0:
        return x, x * v
    total = x * 0.0
    for i in tf.range(2):
        a, b = tree(x * 0.9 + 0.1 * tf.cast(i, DOUBLE), n - 1)
        c, _ = tree(b, n - 2)
        total = total + tf.sin(a * c) * 0.5
    return total, total * x


def recursive_tree(x: Any) -> Any:
    a, b = tree(x, tf.constant(3))
    return a * b


@tf.function
def even(x: Any, n: Any) -> Any:
    return x * v if n == 0 else tf.sin(odd(x, n - 1)) * 0.5


@tf.function
def odd(x: Any, n: Any) -> Any:
    return x * x if n == 0 else even(x * 0.9, n - 1) + x


def mutual_recursion(x: Any) -> Any:
    y = x
    for i in tf.range(3):
        y = y + even(y, i) * odd(x, i)
    return y


def plain_recursion(x: Any) -> Any:
    """A function that is not decorated, and uses what is around it."""

    def root(guess: Any, n: Any) -> Any:
        if n == 0:
            return guess
        return root((guess + (x * v) / guess) / 2.0, n - 1)

    return root(x + 1.0, tf.constant(4)) * x


PROGRAMS: list[Function] = [
    cond, ternary, while_, nested_while, for_, list_, nested_list, growing_list,
    growing_list_of_pairs, tensor_array, call, recursion, recursive_tree, mutual_recursion,
    plain_recursion,
]  # fmt: skip
POINTS = (0.4, 0.8, 1.2)
STEP = 1e-5


def gradient(function: Function) -> Function:
    """The gradients by x and by the variable."""

    def gradients(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, [x, v], unconnected_gradients="zero")

    return gradients


def slope(function: Function) -> Function:
    """The gradient by x."""
    return lambda x: gradient(function)(x)[0]


def by_differences(function: Function, point: float) -> list[float]:
    """The derivatives by x and by the variable."""

    def at(x: float, value: float) -> float:
        v.assign(value)
        return float(function(tf.constant(x, DOUBLE)))

    here = float(v)
    with tf.config.run_functions_eagerly(True):
        by_x = at(point + STEP, here) - at(point - STEP, here)
        by_v = at(point, here + STEP) - at(point, here - STEP)
    v.assign(here)
    return [by_x / (2 * STEP), by_v / (2 * STEP)]


def outside(program: Function, order: int) -> Function:
    function: Function = tf.function(program)
    for _ in range(order - 1):
        function = slope(function)
    return gradient(function)


def inside(program: Function, order: int) -> Function:
    function: Any = program
    for _ in range(order - 1):
        function = slope(function)
    return tf.function(gradient(function))


def one_inside_one_outside(program: Function, order: int) -> Function:
    function: Any = tf.function(program)
    for _ in range(order - 1):
        function = tf.function(slope(function))
    return gradient(function)


@pytest.mark.parametrize("place", [outside, inside, one_inside_one_outside])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("program", PROGRAMS, ids=[p.__name__ for p in PROGRAMS])
def test_gradients(program: Function, order: int, place: Any) -> None:
    function = place(program, order)
    below: Function = slope(program) if order == 2 else program
    for point in POINTS:
        x = tf.constant(point, DOUBLE)
        found = [float(grad) for grad in function(x)]
        np.testing.assert_allclose(found, by_differences(below, point), rtol=2e-6, atol=1e-8)
        with tf.config.run_functions_eagerly(True):
            eager = [float(grad) for grad in gradient(below)(x)]
        np.testing.assert_allclose(found, eager, rtol=1e-10, atol=1e-12)


THIRD: list[Function] = [cond, nested_while, tensor_array, recursion, mutual_recursion]


@pytest.mark.parametrize("place", [outside, inside])
@pytest.mark.parametrize("program", THIRD, ids=[p.__name__ for p in THIRD])
def test_third_order(program: Function, place: Any) -> None:
    found = [float(grad) for grad in place(program, 3)(tf.constant(0.8, DOUBLE))]
    expected = by_differences(slope(slope(program)), 0.8)
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-8)
