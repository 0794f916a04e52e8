"""Gradients of tensors that are passed on behind the block of a tape: read from lists, carried by
loops, chosen by branches. In Python these are the tensors that the tape has recorded.
"""

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf

Program = Callable[[Any, Any], Any]

v = tf.Variable(3.0, dtype=tf.float64)


def real(i: Any) -> Any:
    return tf.cast(i, tf.float64)


def powers(x: Any, n: Any) -> Any:
    """A persistent tape, and the powers of `x` that it has recorded."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        ys = []
        for i in range(n):
            ys.append(x ** real(i))
    return tape, ys


# Each item of a list


def each_item(x: Any, n: Any) -> Any:
    tape, ys = powers(x, n)
    g = x * 0.0
    for y in ys:
        g = g * 2.0 + tape.gradient(y, x)
    return g


def several_sources(x: Any, n: Any) -> Any:
    w = x * 3.0
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        ys = [x * w * real(i) + x for i in range(n)]
    g = h = x * 0.0
    for i, y in enumerate(ys):
        slopes = tape.gradient(y, [x, w], output_gradients=real(i + 1))
        g, h = g * 2.0 + slopes[0], h * 3.0 + slopes[1]
    return g, h


def vectors(x: Any, n: Any) -> Any:
    point = tf.stack([x, x + 1.0, 2.0 * x])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(point)
        ys = []
        for i in range(3):
            ys.append(point * point[i])
        rows = tf.unstack(point * point)
    g = point * 0.0
    for y, row in zip(ys, rows, strict=True):
        g = g * 2.0 + tape.gradient(y, point) - tape.gradient(row, point)
    return g


def rows_of_a_tensor(x: Any, n: Any) -> Any:
    point = tf.stack([x, x + 1.0, 2.0 * x])
    g = point * 0.0
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(point)
        for y in point * point:
            g = g * 2.0 + tape.gradient(y, point)
    return g


def at_staged_places(x: Any, n: Any) -> Any:
    tape, ys = powers(x, n)
    g = x * 0.0
    i = n
    while i > 0:
        i -= 1
        if i % 2 == 0:
            y = ys[i]
            g = g * 2.0 + tape.gradient(y, x)
        else:
            g = g - tape.gradient(ys[-i], x)
    return g


def pairs_of_items(x: Any, n: Any) -> Any:
    tape, ys = powers(x, n)
    g = x * 0.0
    for y in ys:
        for z in reversed(ys):
            g = 0.5 * g + tape.gradient(y, x) * tape.gradient(z, x)
    return g


def recorded_rounds(x: Any, n: Any) -> Any:
    """The loop over them is recorded, too, and computes with them."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        ys = [x ** real(i) for i in range(n)]
        g = x * 0.0
        for y in ys:
            g = g * 2.0 + tape.gradient(y * y, x)
    return g


def not_recorded_rounds(x: Any, n: Any) -> Any:
    g = x * 0.0
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        ys = [x ** real(i) for i in range(n)]
        with tape.stop_recording():
            for y in ys:
                g = g * 2.0 + tape.gradient(y, x)
    return g


def second_derivatives(x: Any, n: Any) -> Any:
    slopes = []
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        tape, ys = powers(x, n)
        for y in ys:
            slopes.append(tape.gradient(y, x))
        total = sum(slopes)
    g = x * 0.0
    for slope in slopes:
        g = g * 2.0 + outer.gradient(slope, x, unconnected_gradients="zero")
    return g, outer.gradient(total, x)


def a_tape_in_each_round(x: Any, n: Any) -> Any:
    total = x * 0.0
    for k in range(n):
        tape, ys = powers(x, k)
        for y in ys:
            total = 0.1 * total + tape.gradient(y, x)
    return total


def of_a_variable(x: Any, n: Any) -> Any:
    with tf.GradientTape(persistent=True) as tape:
        ys = [x * v ** real(i) for i in range(n)]
    g = x * 0.0
    for y in ys:
        g = g * 2.0 + tape.gradient(y, v)
        v.assign_add(0.5)
    v.assign(3.0)
    return g


def jacobians(x: Any, n: Any) -> Any:
    point = tf.stack([x, x * 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(point)
        ys = [point * point[1] * real(i) for i in range(n)]
    g = tf.zeros([2, 2], tf.float64)
    for y in ys:
        g = g * 2.0 + tape.jacobian(y, point)
    return g


def in_comprehensions(x: Any, n: Any) -> Any:
    tape, ys = powers(x, n)
    slopes = [tape.gradient(y, x) * y for y in ys]
    return tf.stack(slopes), sum(tape.gradient(y, x) for y in sorted(ys)[1:])


def until_one_is_large(x: Any, n: Any) -> Any:
    tape, ys = powers(x, n)
    g = None
    for y in ys:
        slope = tape.gradient(y, x)
        g = slope if g is None else g + slope
        if y > 4.0:
            break
    return g


def of_other_containers(x: Any, n: Any) -> Any:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        pairs = [(x ** real(i), x * real(i)) for i in range(n)]
        table, queue = {}, deque()
        array = tf.TensorArray(tf.float64, n)
        for i in range(n):
            table[i * 2] = x ** real(i)
            queue.append(x ** real(i))
            array = array.write(i, x ** real(i))
    g = x * 0.0
    for y, z in pairs:
        g = g * 2.0 + tape.gradient(y, x) - tape.gradient(z, x)
    for k, y in table.items():
        g = g * 2.0 + tape.gradient(y, x) + tape.gradient(table[k], x)
    for i in range(n):
        g = g * 2.0 + tape.gradient(array.read(i), x)
    return g, tape.gradient(queue[-1], x)


# One of several


def chosen(x: Any, n: Any) -> Any:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, x**3.0
    a = y if n > 3 else z
    b = y
    if x > 1.5:
        b = z
    table = [[y, z], [z, y]]
    return [tape.gradient(each, x) for each in (a, b, max(y, z), y and z, table[n % 2][0])]


def best_of_a_list(x: Any, n: Any) -> Any:
    tape, ys = powers(x, n)
    best = ys[0]
    for y in ys:
        if y > best:
            best = y
    first = best
    for _ in range(n):
        first = best
    return [tape.gradient(each, x) for each in (best, first, min(ys), max(ys, key=lambda y: -y))]


def computed_of_them(x: Any, n: Any) -> Any:
    """What is computed behind the block, the tape does not know."""
    tape, ys = powers(x, n)
    total = x * 0.0
    for y in ys:
        total = total + y
    square = ys[1] * ys[1]
    return [tape.gradient(each, x) for each in (total, square, sum(ys))]


def no_round(x: Any, n: Any) -> Any:
    """What leaves a loop without rounds is what came to it."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    for _ in range(n - 4):
        y = y * 2.0
    return tape.gradient(y, x, unconnected_gradients="zero")


def in_exclusive_branches(x: Any, n: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        ys = [x ** real(i) for i in range(n)]
    if n > 3:
        return tape.gradient(ys[n - 2], x)
    return tape.gradient(ys[1], x)


def an_item_of_a_list_of_lists(x: Any, n: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        table = [[x ** real(i + j) for i in range(n)] for j in range(n)]
    return tape.gradient(table[1][0], x)


def a_loop_over_a_list_of_lists(x: Any, n: Any) -> Any:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        table = [[x ** real(i + j) for i in range(n)] for j in range(n)]
    last = x
    for row in table:
        for y in row:
            last = y
    return tape.gradient(last, x)


def beside_what_a_loop_changes(x: Any, n: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        pair, table = [x, x], [[x, x * 0.5] for _ in range(2)]
        for i in range(n):
            pair[0] = pair[1] * x * real(i)
            table[i % 2][1] = table[0][0] * pair[0]
        y = pair[0] + table[0][1]
    return tape.gradient(y, [pair[1], table[1][0]])


EQUAL: list[Program] = [
    each_item, several_sources, vectors, rows_of_a_tensor, at_staged_places, pairs_of_items,
    recorded_rounds, not_recorded_rounds, second_derivatives, a_tape_in_each_round, of_a_variable,
    jacobians, in_comprehensions, until_one_is_large, of_other_containers, chosen, best_of_a_list,
    computed_of_them, no_round, in_exclusive_branches, beside_what_a_loop_changes,
    an_item_of_a_list_of_lists, a_loop_over_a_list_of_lists,
]  # fmt: skip


@pytest.mark.parametrize("n", [2, 4, 5])
@pytest.mark.parametrize("x", [0.6, 2.0])
@pytest.mark.parametrize("program", EQUAL, ids=[each.__name__ for each in EQUAL])
def test_as_eager_python(program: Program, x: float, n: int) -> None:
    point, count = tf.constant(x, tf.float64), tf.constant(n)
    with tf.config.run_functions_eagerly(True):
        expected = tf.nest.flatten(program(point, count))
    found = tf.nest.flatten(tf.function(program)(point, count))
    for ours, theirs in zip(found, expected, strict=True):
        assert (ours is None) == (theirs is None)
        if theirs is not None:
            np.testing.assert_allclose(ours, theirs, rtol=1e-9)


# Refused


def taken_from_the_list(x: Any, n: Any) -> Any:
    tape, ys = powers(x, n)
    g = x * 0.0
    while len(ys) > 1:
        g = g + tape.gradient(ys.pop(), x)
    return g


def the_best_so_far(x: Any, n: Any) -> Any:
    tape, ys = powers(x, n)
    best, g = ys[0], x * 0.0
    for y in ys:
        best = max(best, y)
        g = g + tape.gradient(best, x)
    return g


def a_tensor_made_of_a_list(x: Any, n: Any) -> Any:
    tape, ys = powers(x, n)
    return tape.gradient(tf.stack(ys), x)


def a_chosen_source(x: Any, n: Any) -> Any:
    with tf.GradientTape() as tape:
        z = x * 2.0
        tape.watch([x, z])
        y = x * x * z
    return tape.gradient(y, x if n > 3 else z)


REFUSED: dict[Program, str] = {
    taken_from_the_list: "a value that a staged loop changes",
    the_best_so_far: "a value that a staged loop changes",
    a_tensor_made_of_a_list: "made of a list, behind the block",
    a_chosen_source: "a source of the gradient is .* chosen by a branch",
}


@pytest.mark.parametrize("program", REFUSED, ids=[each.__name__ for each in REFUSED])
def test_refused(program: Program) -> None:
    with pytest.raises(ValueError, match=REFUSED[program]) as raised:
        tf.function(program)(tf.constant(2.0, tf.float64), tf.constant(4))
    assert "test_passed_on.py" in str(raised.value)
    assert getattr(raised.value, "hint", None)
