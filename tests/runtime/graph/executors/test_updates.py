"""Variables are updated where their arrays are, if nobody can tell."""

# The programs are written as users write them.
# ruff: noqa: B007

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.functions.function import function
from runtime.variables.primitives import renew

SIZE = 1000


def variable(value: float = 1.0) -> Any:
    return rt.Variable(np.full(SIZE, value))


def place(v: Any) -> int:
    address: int = v.handle.raw.ctypes.data
    return address


METHODS: dict[str, Callable[[Any, Any], Any]] = {
    "assign": lambda v, x: v.assign(x * 2.0),
    "assign itself": lambda v, x: v.assign(v * x + 1.0),
    "assign_add": lambda v, x: v.assign_add(x),
    "assign_sub": lambda v, x: v.assign_sub(v * x),
}


@pytest.mark.parametrize("method", METHODS)
def test_a_graph_writes_to_the_array_of_a_variable(method: str) -> None:
    v, x = variable(), rt.constant(np.full(SIZE, 0.5))
    update = function(lambda x: METHODS[method](v, x))
    update(x)
    before = place(v)
    for _ in range(3):
        expected = variable(v.numpy()[0])
        METHODS[method](expected, x)
        update(x)
        np.testing.assert_array_equal(v.numpy(), expected.numpy())
        assert place(v) == before


KEPT: dict[str, Callable[[Any], Any]] = {
    "a tensor": lambda v: v.value(),
    "a slice": lambda v: v[3:],
    "a view": lambda v: rt.reshape(v, [10, 100])[::2].numpy(),
    "an array": lambda v: np.asarray(v),
    "a buffer": lambda v: memoryview(v.value().numpy()),
    "another variable": lambda v: variable().assign(v),
    "what a graph gave": lambda v: function(lambda: v.value())(),
    "a view that a graph gave": lambda v: function(lambda: rt.reshape(v, [10, 100])[1:])(),
}


@pytest.mark.parametrize("kind", KEPT)
@pytest.mark.parametrize("method", METHODS)
def test_what_was_read_before_keeps_its_value(kind: str, method: str) -> None:
    v, x = variable(), rt.constant(np.full(SIZE, 0.5))
    update = function(lambda x: METHODS[method](v, x))
    update(x)
    for _ in range(2):
        kept = KEPT[kind](v)
        copy = np.array(kept)
        update(x)
        METHODS[method](v, x)
        np.testing.assert_array_equal(np.array(kept), copy)


def test_what_a_variable_is_given_keeps_its_value() -> None:
    v, other = variable(), variable(3.0)
    given, array = rt.constant(np.full(SIZE, 5.0)), np.full(SIZE, 7.0)
    add = function(lambda: v.assign_add(np.ones(SIZE)))
    for value in (given, array, other, np.broadcast_to(np.float64(9), SIZE)):
        before = np.array(value)
        v.assign(value)
        add()
        v.assign_add(np.ones(SIZE))
        np.testing.assert_array_equal(np.array(value), before)
        np.testing.assert_array_equal(v.numpy(), before + 2.0)


def test_earlier_reads_in_a_graph_keep_their_values() -> None:
    v = variable()

    @function
    def staged(n):
        first, turned = v.value(), rt.reshape(v, [10, 100])[::-1]
        total = rt.reduce_sum(v)
        for i in rt.range(n):
            before = v * 1.0
            v.assign_add(first + before)
            total = total + rt.reduce_sum(v - before)
        return first, turned, total, v.value()

    for n in (0, 1, 3):
        v.assign(np.ones(SIZE))
        expected = 1.0
        first, turned, total, last = staged(rt.constant(n))
        for _ in range(n):
            expected += 1.0 + expected
        v.assign_add(np.ones(SIZE))
        assert set(first.numpy()) == set(turned.numpy().ravel()) == {1.0}
        assert total.numpy() == SIZE * expected
        assert set(last.numpy()) == {expected}


def test_a_refused_update_leaves_the_value() -> None:
    v = rt.Variable(np.ones(3), shape=rt.TensorShape(None))
    update = function(lambda x: v.assign_add(x), input_signature=[rt.TensorSpec(None, rt.float64)])
    for value in (np.ones(4), np.ones((2, 3))):
        with pytest.raises(rt.errors.InvalidArgumentError, match="not compatible"):
            update(value)
        assert v.numpy().tolist() == [1.0, 1.0, 1.0]
    assert update(np.ones(3)).numpy().tolist() == [2.0, 2.0, 2.0]


def test_readers_wait_for_an_update() -> None:
    v = rt.Variable(np.zeros(200_000))
    ones = rt.constant(np.ones(200_000))
    add = function(lambda: v.assign_add(ones))
    read = function(lambda: v.value())
    wrong: list[Any] = []
    over = threading.Event()

    def look(value: Callable[[], Any]) -> None:
        while not over.is_set():
            seen = value().numpy()
            if seen[0] != seen[-1]:
                wrong.append(seen)

    readers = [threading.Thread(target=look, args=(each,)) for each in (v.value, read)]
    for thread in readers:
        thread.start()
    for _ in range(300):
        add()
    over.set()
    for thread in readers:
        thread.join()
    assert not wrong
    assert set(v.numpy()) == {300.0}


def test_large_variables_are_updated_in_blocks() -> None:
    v, m = (rt.Variable(np.full(300_000, value)) for value in (1.0, 0.0))

    @function
    def step(x):
        m.assign(m * 0.9 + x * 0.1)
        v.assign_sub(rt.sqrt(m * m + 1.0) * m)

    x = rt.constant(np.linspace(0.0, 1.0, 300_000))
    step(x)
    places = place(v), place(m)
    step(x)
    assert (place(v), place(m)) == places
    expected = 0.1 * x.numpy()
    np.testing.assert_allclose(m.numpy(), expected * 1.9)


def test_what_runs_in_the_middle_of_an_update_comes_after_it() -> None:
    """As handlers of signals and finalizers do, which Python runs between two instructions."""
    held = rt.Variable([1.0, 1.0])
    seen = []

    def compute(raw: Any, value: Any, out: Any) -> Any:
        seen.append(held.numpy().tolist())
        held.assign_add([10.0, 10.0])
        held.assign_sub([3.0, 3.0])
        return np.add(raw, value, out)

    renew(held.handle, np.ones(2, np.float32), compute)
    assert seen == [[1.0, 1.0]]
    assert held.numpy().tolist() == [9.0, 9.0]

    def replaced(raw: Any, value: Any, out: Any) -> Any:
        held.assign([5.0, 5.0])
        held.assign_add([1.0, 1.0])
        return np.add(raw, value, out)

    renew(held.handle, np.ones(2, np.float32), replaced)
    assert held.numpy().tolist() == [6.0, 6.0]
    held.assign_add([1.0, 1.0])
    assert held.numpy().tolist() == [7.0, 7.0]
