"""Variables that functions create, read and return."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.function import function
from tests.runtime.test_threads import in_threads

X = rt.constant(3.0)


def test_threads_share_what_the_first_call_creates() -> None:
    staged = Growing(lambda x: x * 2.0)
    assert [float(x) for x in in_threads([lambda: staged(X)] * 16)] == [60.0] * 16
    assert len(staged.variables) == 2


class Lazily(rt.Module):
    def __init__(self) -> None:
        super().__init__()
        self.v: Any = None

    @function
    def __call__(self, x):
        if self.v is None:
            self.v = rt.Variable(2.0)
        return self.v.assign_add(1.0) * x


def test_variables_are_created_on_the_first_call() -> None:
    first, second = Lazily(), Lazily()
    assert [first(X).numpy() for _ in range(3)] == [9.0, 12.0, 15.0]
    assert first(rt.constant([1.0])).numpy() == [6.0]
    assert second(X).numpy() == 9.0
    assert len(first.variables) == 1
    reasons = first.__call__.why_retraced().splitlines()
    assert reasons[1:] == [
        "2: the first trace created variables",
        "3: argument x is float32[1], it was float32[]",
    ]


class Growing(rt.Module):
    """Variables whose initial values are computed by the function that creates them."""

    count = rt.Variable(1.0)

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.compute = compute
        self.made: list[Any] = []

    @function
    def __call__(self, x):
        if not self.made:
            self.made.append(rt.Variable(self.compute(x)))
            self.made.append(rt.Variable(self.made[0] * 3.0))
        return self.made[0] + self.made[1] * x

    @function
    def inside(self, x):
        return self(x * 2.0)


def halved(x):
    while x > 1.0:
        x = x / 2.0
    return x


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: 2.0 * x,
        lambda x: [x, x + 1.0],
        lambda x: rt.ones([2]),
        lambda x: rt.cond(x > 0.0, lambda: x, lambda: -x),
        halved,
        rt.function(halved),
        lambda x: X * x,
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_an_initial_value_that_the_function_computes(compute: Any, nested: bool) -> None:
    eager, staged = Growing(compute), Growing(compute)
    for number in (5.0, 2.0):
        x = rt.constant(number)
        with rt.config.run_functions_eagerly(True):
            expected = eager.inside(x) if nested else eager(x)
        result = staged.inside(x) if nested else staged(x)
        np.testing.assert_allclose(result.numpy(), expected.numpy(), rtol=1e-6)
        for made, wanted in zip(staged.variables, eager.variables, strict=True):
            np.testing.assert_allclose(made.numpy(), wanted.numpy(), rtol=1e-6)


def test_a_random_initial_value_is_drawn_once() -> None:
    staged = Growing(lambda x: rt.random.normal([3]))
    staged(X)
    before = staged.made[0].numpy()
    staged(X)
    assert before.tolist() == staged.made[0].numpy().tolist()


def counted(x):
    Growing.count.assign_add(1.0)
    return Growing.count * x


def in_a_branch(x):
    if x > 0.0:
        return rt.Variable(x * 2.0).value()
    return x


@pytest.mark.parametrize(
    ("compute", "given", "reason"),
    [
        (counted, X, "depends on a variable that the same call may have changed"),
        (rt.identity, rt.TensorSpec([], rt.float32), "an argument that is only known by its type"),
        (in_a_branch, X, "is computed in .*branch"),
    ],
)
def test_an_initial_value_that_only_a_run_knows(compute: Any, given: Any, reason: str) -> None:
    message = rf"test_function_variables.py:\d+:\d+: the initial value .*{reason}"
    with pytest.raises(ValueError, match=message):
        Growing(compute).__call__.get_concrete_function(given)


def test_variables_that_each_call_would_create_are_refused() -> None:
    @function
    def wrong(x):
        return rt.Variable(1.0) + x

    for _ in range(2):
        with pytest.raises(
            ValueError, match=r"test_function_variables.py:\d+:\d+: wrong creates a variable"
        ):
            wrong(X)


def test_variables_for_a_later_signature_are_refused() -> None:
    made: dict[Any, Any] = {}

    @function
    def for_each(x, n):
        if n not in made:
            made[n] = rt.Variable(1.0)
        return made[n] * x

    for_each(X, 1)
    with pytest.raises(ValueError, match="each time that it is traced"):
        for_each(X, 2)


def test_a_returned_variable_is_its_value() -> None:
    v = rt.Variable(1.0)

    @function
    def added(x):
        return {"new": v.assign_add(x), "same": (v, 2.0)}

    found = added(X)
    assert isinstance(found["new"], rt.Tensor)
    assert [float(found["new"]), float(found["same"][0])] == [4.0, 4.0]
    assert float(added(X)["new"]) == 7.0
    assert float(found["new"]) == 4.0
