"""Results of which only the run knows the shape: in memory that the program keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.functions.function import function

OPEN = rt.TensorSpec([None, None], rt.float64)


def elementwise(x, y):
    z = rt.tanh(x * y) + rt.sqrt(rt.abs(x))
    return rt.reduce_sum(z - y, 0), z


def joined(x, y):
    rows = rt.concat([x * 2.0, y + 1.0], 0)
    return rt.reduce_sum(rows * rows, 1), rt.pad(rows, [[1, 0], [0, 2]]) - 1.0


def of_branches(x, y):
    z = x + 1.0
    z = z * y + x if rt.reduce_sum(y) > 0.0 else rt.exp(-z)
    return rt.reduce_sum(z * 2.0), z[1:] * 3.0


def in_rounds(x, y):
    z = x * 1.0
    for i in rt.range(3):
        w = rt.cast(i, rt.float64) * x + y
        z = rt.tanh(w + z) - w
    return rt.reduce_sum(z * y, 0), z


def kept(x, y):
    rows = []
    for i in rt.range(rt.shape(x)[0] % 5):
        rows.append(x * rt.cast(i, rt.float64))
    made = rt.stack(rows)
    return rt.reduce_sum(made * 1.5, 0) * y, made[-1] + 1.0


def products(x, y):
    z = rt.nn.relu(x @ rt.transpose(y)) + 0.5
    return rt.reduce_mean(rt.nn.softmax(z), 0), z @ y


def gradient(x, y):
    with rt.GradientTape() as tape:
        tape.watch((x, y))
        loss = rt.reduce_sum(rt.tanh(x * y) ** 2.0 + rt.sigmoid(x))
    return tape.gradient(loss, (x, y))


def masked(x, y):
    above = rt.boolean_mask(x, x[:, 0] > 0.0)
    both = above * 2.0 + rt.ones_like(above)
    return rt.reduce_sum(both / 3.0, 0), above - 1.0


PROGRAMS = [elementwise, joined, of_branches, in_rounds, kept, products, gradient, masked]
SIDES = [(401, 300), (401, 300), (3, 2), (299, 411), (401, 300), (1, 90_000), (403, 1), (302, 302)]


def values(results: Any) -> list[bytes]:
    return [result.numpy().tobytes() for result in rt.nest.flatten(results)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_results_of_any_shape_are_those_of_eager_ops(program: Any) -> None:
    staged = function(program, input_signature=[OPEN, OPEN])
    random = np.random.default_rng(0)
    earlier: list[tuple[Any, list[bytes]]] = []
    for sides in SIDES:
        x, y = (rt.constant(random.uniform(-1.0, 1.0, sides)) for _ in range(2))
        got = staged(x, y)
        assert values(got) == values(program(x, y))
        earlier.append((got, values(got)))
    # No later call has written to what an earlier one returned.
    assert all(values(got) == before for got, before in earlier)


def test_an_error_is_the_one_without_growable_buffers() -> None:
    @function(input_signature=[OPEN, OPEN])
    def staged(x, y):
        return rt.reduce_sum(rt.tanh(x * y) * 2.0)

    staged(rt.ones([300, 300], rt.float64), rt.ones([300, 300], rt.float64))
    with pytest.raises(rt.errors.InvalidArgumentError) as caught:
        staged(rt.ones([300, 300], rt.float64), rt.ones([299, 300], rt.float64))
    assert "[300,300]" in str(caught.value)
    assert "[299,300]" in str(caught.value)
    assert staged(rt.ones([2, 2], rt.float64), rt.ones([2, 2], rt.float64)).numpy() > 0
