"""A tape keeps only what its gradients need, and lets go of it."""

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import runtime as tf


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    """What is released is released at once: nothing here may need the garbage collector."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def big() -> Any:
    return tf.constant(np.ones((4, 4), np.float32))


# An op of two tensors; which of them its gradients read.
BINARY: dict[str, tuple[Any, bool, bool]] = {
    "add": (lambda a, b: a + b, False, False),
    "tf.add": (tf.add, False, False),
    "subtract": (lambda a, b: a - b, False, False),
    "multiply": (lambda a, b: a * b, True, True),
    "divide": (lambda a, b: a / b, True, True),
    "matmul": (tf.matmul, True, True),
    "concat": (lambda a, b: tf.concat([a, b], 0), False, False),
    "stack": (lambda a, b: tf.stack([a, b]), False, False),
    "gather": (lambda a, b: tf.gather(a, [0, 1]), False, False),
    "broadcast add": (lambda a, b: a + b[0], False, False),
}


@pytest.mark.parametrize("name", BINARY)
def test_inputs_kept_are_those_read(name: str) -> None:
    function, keeps_a, keeps_b = BINARY[name]
    x = big()
    with tf.GradientTape() as tape:
        tape.watch(x)
        a, b = x * 2.0, x * 3.0
        y = function(a, b)
        alive = [weakref.ref(a), weakref.ref(b)]
        del a, b
        assert [ref() is not None for ref in alive] == [keeps_a, keeps_b]
    assert tape.gradient(y, x) is not None
    assert [ref() for ref in alive] == [None, None]


DATA = big()
# An op of one tensor; whether its gradient reads the input, the output.
UNARY: dict[str, tuple[Any, bool, bool]] = {
    "negative": (lambda x: -x, False, False),
    "sin": (tf.sin, True, False),
    "exp": (tf.exp, False, True),
    "tanh": (tf.tanh, False, True),
    "reduce_sum": (tf.reduce_sum, False, False),
    "reshape": (lambda x: tf.reshape(x, [-1]), False, False),
    "slice": (lambda x: x[1:], False, False),
    "cast": (lambda x: tf.cast(x, tf.float64), False, False),
    "plus a number": (lambda x: x + 1.0, False, False),
    "times a number": (lambda x: x * 2.0, False, False),
    "a number times it": (lambda x: 2.0 * x, False, False),
    "over a number": (lambda x: x / 2.0, False, False),
    "a number over it": (lambda x: 2.0 / x, True, False),
    "times data": (lambda x: x * DATA, False, False),
    "data times it": (lambda x: tf.multiply(DATA, x), False, False),
    "over data": (lambda x: x / DATA, False, False),
    "data over it": (lambda x: DATA / x, True, False),
    "to a power": (lambda x: x**3.0, True, False),
}


@pytest.mark.parametrize("name", UNARY)
def test_input_and_output_kept_are_those_read(name: str) -> None:
    function, keeps_input, keeps_output = UNARY[name]
    x = big()
    with tf.GradientTape() as tape:
        tape.watch(x)
        a = x - 0.5
        y = function(a)
        z = y - 1.0
        alive = [weakref.ref(a), weakref.ref(y)]
        del a, y
        assert [ref() is not None for ref in alive] == [keeps_input, keeps_output]
    assert tape.gradient(z, x) is not None
    assert [ref() for ref in alive] == [None, None]


def test_what_is_not_connected_is_not_kept() -> None:
    x, data = big(), big()
    with tf.GradientTape() as tape:
        tape.watch(x)
        noise = tf.exp(data)
        alive = weakref.ref(noise)
        unrelated = noise * noise
        del noise
        assert alive() is None
    assert tape.gradient(unrelated, x) is None


def test_a_gradient_releases_what_was_recorded() -> None:
    x = big()
    with tf.GradientTape() as tape:
        tape.watch(x)
        a = x * 2.0
        y = a * a
    alive = weakref.ref(a)
    del a
    assert alive() is not None
    tape.gradient(y, x)
    assert alive() is None


@pytest.mark.parametrize("how", ["delete", "reset", "enter"])
def test_a_persistent_tape_releases_when_it_is_dropped(how: str) -> None:
    x = big()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a = x * 2.0
        y = a * a
    alive = weakref.ref(a)
    del a
    for _ in range(2):
        tape.gradient(y, x)
        assert alive() is not None
    if how == "delete":
        del tape
    elif how == "reset":
        tape.reset()
    else:
        tape.__exit__(None, None, None)
        tape = tf.GradientTape()
    assert alive() is None


def test_a_tape_that_is_never_used_is_released() -> None:
    x = big()
    with tf.GradientTape() as tape:
        tape.watch(x)
        a = x * x
    alive, gone = weakref.ref(a), weakref.ref(tape)
    del a, tape
    assert alive() is None
    assert gone() is None


def test_a_result_does_not_keep_the_tape() -> None:
    """A list of losses must not keep the history of all of them."""
    x = big()
    losses, alive = [], []
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            hidden = tf.sin(x) * x
            losses.append(tf.reduce_sum(hidden))
        alive.append(weakref.ref(hidden))
        tape.gradient(losses[-1], x)
        del hidden, tape
    assert [ref() for ref in alive] == [None] * 3


def test_values_are_released_on_the_way_back() -> None:
    x = big()
    alive = []

    @tf.custom_gradient
    def look(value: Any) -> Any:
        def grad(upstream: Any) -> Any:
            seen.append([ref() is not None for ref in alive])
            return upstream

        return tf.identity(value), grad

    seen: list[list[bool]] = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        early = x * 2.0
        y = look(early * early)
        late = y * 3.0
        z = late * late
    alive = [weakref.ref(early), weakref.ref(late)]
    del early, late
    tape.gradient(z, x)
    assert seen == [[True, False]]


def test_a_variable_does_not_keep_tapes() -> None:
    v = tf.Variable(np.ones((4, 4), np.float32))
    with tf.GradientTape() as tape:
        y = v * v
    gone = weakref.ref(tape)
    del tape
    assert gone() is None
    assert y.shape == (4, 4)


def test_recompute_grad_keeps_no_intermediate_values() -> None:
    x = big()
    inside: list[Any] = []

    @tf.recompute_grad
    def block(value: Any) -> Any:
        hidden = tf.sin(value) * value
        inside.append(weakref.ref(hidden))
        return hidden * hidden

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = block(x)
    assert inside[0]() is None
    found = tape.gradient(y, x)
    assert len(inside) == 2
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = (tf.sin(x) * x) ** 2.0
    np.testing.assert_allclose(found.numpy(), tape.gradient(y, x).numpy(), rtol=1e-6)
