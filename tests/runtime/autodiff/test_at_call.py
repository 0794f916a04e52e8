"""What is recomputed reads what was there at the call; gradient functions are late."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt

Both = Callable[[Callable[..., Any]], Callable[..., Any]]


@pytest.fixture(params=["eager", "graph"])
def made(request: pytest.FixtureRequest) -> Both:
    """Runs a function converted, or as a graph."""
    return rt.function if request.param == "graph" else autograph.convert


@pytest.fixture
def times() -> Any:
    """Makes a function that multiplies its argument by what another function reads."""
    return _recomputed


def _recomputed(k: Any) -> Callable[[Any], Any]:
    def times(x: Any) -> Any:
        return x * k()

    return rt.recompute_grad(times)


def _custom(k: Any) -> Callable[[Any], Any]:
    @rt.custom_gradient
    def times(x: Any) -> Any:
        return x * k(), lambda upstream: upstream * k()

    return times


def assigned_an_item(times: Any, x: Any, k: Any) -> Any:
    f = times(lambda: k)
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    k[0] = 9.0
    return tape.gradient(y, x)


def rebound(times: Any, x: Any, k: Any) -> Any:
    f = times(lambda: k)
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    k = k * 10.0
    return tape.gradient(y, x)


def rebound_number(times: Any, x: Any, k: Any) -> Any:
    n = 2.0
    f = times(lambda: k * n)
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    n = n + 1.0
    return tape.gradient(y, x) / 2.0


def read_in_a_loop(times: Any, x: Any, k: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = x
        for factor in [k, k + 1.0, k + 2.0]:
            f = times(lambda: factor)  # noqa: B023
            y = f(y)
    return tape.gradient(y, x) / ((k + 1.0) * (k + 2.0))


def chosen_by_a_helper(times: Any, x: Any, k: Any) -> Any:
    def inner() -> Any:
        return k

    def helper() -> Any:
        return inner()

    f = times(lambda: helper())
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    k[1] = 0.0
    k = k + 5.0
    return tape.gradient(y, x)


def recursive_helper(times: Any, x: Any, k: Any) -> Any:
    def power(n: int) -> Any:
        return k if n == 1 else k * power(n - 1) / k

    f = times(lambda: power(3))
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    k = k + 5.0
    return tape.gradient(y, x)


@pytest.mark.parametrize(
    "program",
    [
        assigned_an_item,
        rebound,
        rebound_number,
        read_in_a_loop,
        chosen_by_a_helper,
        recursive_helper,
    ],
)
def test_variables_are_what_they_were_at_the_call(made: Both, times: Any, program: Any) -> None:
    run = made(lambda x, k: program(times, x, rt.identity(k)))
    found = run(rt.constant([1.0, 2.0]), rt.constant([3.0, 4.0]))
    np.testing.assert_allclose(found.numpy(), [3.0, 4.0], rtol=1e-6)


@pytest.mark.parametrize(
    ("program", "expected"),
    [(assigned_an_item, [9.0, 4.0]), (rebound, [30.0, 40.0]), (rebound_number, [4.5, 6.0])],
)
def test_gradient_functions_read_when_they_are_called(
    made: Both, program: Any, expected: list[float]
) -> None:
    run = made(lambda x, k: program(_custom, x, rt.identity(k)))
    found = run(rt.constant([1.0, 2.0]), rt.constant([3.0, 4.0]))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)


GLOBAL = rt.constant([3.0, 4.0])


class Holder:
    """Holds a factor in an attribute."""

    def __init__(self) -> None:
        self.k = rt.constant([3.0, 4.0])

    def read(self) -> Any:
        """The factor."""
        return self.k


def _other_attribute(holder: Any) -> tuple[Any, Any]:
    return lambda: holder.k, lambda: setattr(holder, "k", rt.constant([7.0, 8.0]))


def _other_item(table: Any) -> tuple[Any, Any]:
    return lambda: table["k"], lambda: table.update(k=rt.constant([7.0, 8.0]))


def _of_list(items: Any) -> tuple[Any, Any]:
    return lambda: rt.add_n(items), lambda: items.__setitem__(0, rt.constant([7.0, 8.0]))


def _of_global() -> tuple[Any, Any]:
    global GLOBAL
    GLOBAL = rt.constant([3.0, 4.0])

    def change() -> None:
        global GLOBAL
        GLOBAL = rt.constant([5.0, 6.0])

    return lambda: GLOBAL, change


def _of_method(holder: Any) -> tuple[Any, Any]:
    return holder.read, lambda: setattr(holder, "k", rt.constant([7.0, 8.0]))


K = rt.constant([3.0, 4.0])


@pytest.mark.parametrize(
    ("name", "build"),
    [
        ("GLOBAL", _of_global),
        ("holder.k", lambda: _other_attribute(Holder())),
        ("table['k']", lambda: _other_item({"k": K})),
        ("items", lambda: _of_list([K])),
        ("self.k", lambda: _of_method(Holder())),
    ],
)
def test_what_has_changed_elsewhere_is_refused(times: Any, name: str, build: Any) -> None:
    read, change = build()
    f, x = times(read), rt.constant([1.0, 2.0])
    with rt.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    before = tape.gradient(y, x).numpy()
    change()
    with pytest.raises(autograph.errors.StagingError) as caught:
        tape.gradient(y, x)
    assert f"would read {name!r}" in str(caught.value)
    assert __file__ in str(caught.value)
    np.testing.assert_allclose(before, [3.0, 4.0])


def test_what_a_function_counts_is_counted(times: Any) -> None:
    calls, rounds, log = 0, {"n": 0}, []

    def read() -> Any:
        nonlocal calls
        calls += 1
        rounds["n"] += 1
        log.append(calls)
        return K

    f, x = times(read), rt.constant([1.0, 2.0])
    with rt.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    for _ in range(2):
        np.testing.assert_allclose(tape.gradient(y, x).numpy(), [3.0, 4.0])
    assert (calls, rounds, log) == (3, {"n": 3}, [1, 2, 3])


def test_variables_are_read_when_the_gradient_is_asked_for(made: Both) -> None:
    v, x = rt.Variable([3.0, 4.0]), rt.constant([1.0, 2.0])
    f = rt.recompute_grad(lambda x: x * v)

    @made
    def run() -> Any:
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        v.assign([7.0, 8.0])
        return tape.gradient(y, x)

    assert run().numpy().tolist() == [7.0, 8.0]
