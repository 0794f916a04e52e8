"""Tapes in staged branches and loops: as in Python, or refused with place, name and way out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf

REFUSED: dict[str, Callable[[Any], Any]] = {}
EQUAL: dict[str, Callable[[Any], Any]] = {}


def refused(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    REFUSED[function.__name__] = function
    return function


def equal(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    EQUAL[function.__name__] = function
    return function


class Trainer:
    def __init__(self, tape: Any) -> None:
        self.tape = tape


@refused
def watch_in_a_branch(x: Any) -> Any:
    with tf.GradientTape() as tape:
        if x > 5.0:
            tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


@refused
def watch_in_a_loop(x: Any) -> Any:
    with tf.GradientTape() as tape:
        y = x
        for _ in tf.range(3):
            y = y * x
            tape.watch(y)
    return tape.gradient(y, x)


@refused
def watch_by_an_attribute(x: Any) -> Any:
    trainer = Trainer(tf.GradientTape())
    with trainer.tape:
        if x > 5.0:
            trainer.tape.watch(x)
        y = x * x
    return trainer.tape.gradient(y, x)


@refused
def watch_by_a_closure(x: Any) -> Any:
    with tf.GradientTape() as tape:

        def watch() -> None:
            tape.watch(x)

        if x > 5.0:
            watch()
        y = x * x
    return tape.gradient(y, x)


@refused
def watch_of_one_of_two(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.GradientTape() as inner:
            if x > 5.0:
                inner.watch(x)
            y = x * x * x
        slope = inner.gradient(y, x, unconnected_gradients="zero")
    return tape.gradient(slope, x)


@refused
def watch_in_another_function(x: Any) -> Any:
    with tf.GradientTape() as tape:

        @tf.function
        def square(x: Any) -> Any:
            tape.watch(x)
            return x * x

        y = square(x)
    return tape.gradient(y, x)


@refused
def reset_in_a_branch(x: Any) -> Any:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        if x > 5.0:
            tape.reset()
    return tape.gradient(y, x)


@refused
def not_recorded_in_a_branch(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        if x < 5.0:
            with tape.stop_recording():
                y = x * x
    return tape.gradient(y, x)


@refused
def not_recorded_in_a_loop(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(2):
            with tape.stop_recording():
                y = y * x
    return tape.gradient(y, x)


@refused
def entered_in_a_branch(x: Any) -> Any:
    tape = tf.GradientTape()
    y = x
    if x < 5.0:
        with tape:
            tape.watch(x)
            y = x * x
    return tape.gradient(y, x)


@refused
def entered_in_a_loop(x: Any) -> Any:
    tape = tf.GradientTape(persistent=True)
    total, y = x * 0.0, x
    for _ in tf.range(3):
        with tape:
            tape.watch(x)
            y = y * x
        total = total + tape.gradient(y, x)
    return total


class Eager:
    """Whatever is asked of it is code of the user's."""

    def __getattribute__(self, name: str) -> Any:
        raise ValueError(f"asked for {name}")


@refused
def entered_beside_names_without_a_value(x: Any) -> Any:
    eager, tape, total = Eager(), tf.GradientTape(), 0.0
    for _ in tf.range(3):
        with tape:
            tape.watch(x)
            y = x * x
        total = total + tape.gradient(y, x)
    return total, eager is None


@refused
def made_in_a_branch(x: Any) -> Any:
    tape, y = None, x
    if x < 5.0:
        tape = tf.GradientTape()
        with tape:
            tape.watch(x)
            y = x * x
    return tape.gradient(y, x)  # type: ignore[union-attr]


@refused
def asked_in_a_loop(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    total = x
    for _ in tf.range(2):
        total = total + tape.gradient(y, x)
    return total


@refused
def asked_in_two_branches_of_two_tests(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    slope = x
    if x > 2.0:
        slope = tape.gradient(y, x)
    if x <= 2.0:
        slope = tape.gradient(y, x) * 3.0
    return slope


@refused
def asked_behind_a_branch(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    slope = x
    if x > 20.0:
        slope = tape.gradient(y, x)
    return slope + tape.gradient(y, x)


@refused
def source_read_from_a_list(x: Any) -> Any:
    xs = []
    for i in tf.range(3):
        xs.append(x * tf.cast(i, tf.float32))
    with tf.GradientTape() as tape:
        tape.watch(xs[1])
        y = xs[1] * xs[1]
    return tape.gradient(y, xs[1])


@equal
def asked_in_exclusive_branches(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    if x > 4.0:
        slope = tape.gradient(y, x)
    elif x > 2.0:
        slope = tape.gradient(y, x) * 3.0
    else:
        slope = tape.gradient(y * 1.0, x, unconnected_gradients="zero")
    return slope


@equal
def persistent_in_a_branch(x: Any) -> Any:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        slope = y
        if x > 2.0:
            slope = tape.gradient(y, x)
    return tape.gradient(slope, x) + tape.gradient(y, x)


@equal
def inside_of_a_branch(x: Any) -> Any:
    slope = x
    if x > 2.0:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                y = y + x
            tape.reset()
            tape.watch(x)
            y = y * x
        slope = tape.gradient(y, x)
    return slope


@equal
def inside_of_a_loop(x: Any) -> Any:
    total = tf.identity(x)
    for _ in tf.range(3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = total * x * x
        total = total + tape.gradient(y, x) * 0.1
    return total


@equal
def last_of_a_growing_list(x: Any) -> Any:
    losses = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        for i in tf.range(3):
            losses.append(x * x * tf.cast(i, tf.float32))
    return tape.gradient(losses[-1], x)


@equal
def items_of_a_growing_list(x: Any) -> Any:
    losses = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        for i in tf.range(3):
            losses.append(x * x * tf.cast(i, tf.float32))
    losses.append(x)
    last = losses.pop()
    return tape.gradient([losses[0], losses.pop(), losses[1]], x) + last


@equal
def item_of_an_array(x: Any) -> Any:
    items = tf.TensorArray(tf.float32, 3, clear_after_read=False)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        for i in tf.range(3):
            items = items.write(i, x * x * tf.cast(i, tf.float32))
    return tape.gradient(items.read(2), x) + tape.gradient(items.read(1), x)


@pytest.mark.parametrize("name", REFUSED)
def test_what_only_the_run_knows_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"test_tape_scopes\.py:\d+:\d+: ") as raised:
        tf.function(REFUSED[name])(tf.constant(3.0))
    error: Any = raised.value
    assert error.hint
    assert error.variable in (None, "tape", "inner", "trainer.tape")


@pytest.mark.parametrize("point", [1.0, 3.0, 6.0])
@pytest.mark.parametrize("name", EQUAL)
def test_tapes_are_those_of_python(name: str, point: float) -> None:
    x = tf.constant(point)
    with tf.config.run_functions_eagerly(True):
        expected = EQUAL[name](x)
    np.testing.assert_allclose(tf.function(EQUAL[name])(x), expected)
