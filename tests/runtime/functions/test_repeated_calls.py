"""The short way of repeated calls does what the first call does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.core.eager_mode import run_functions_eagerly
from runtime.functions.function import function
from tests.support.staging import traces

X = rt.constant(3.0)


def difference(a, b=1.0, *rest, k=0.5, **options):
    total = rt.nest.flatten(a)[0] - b
    for item in (*rest, *options.values()):
        total = total * 2.0 + rt.nest.flatten(item)[-1]
    return total * k


Y, Z = rt.constant(7.0), rt.constant(11.0)
V, W = rt.Variable(13.0), rt.Variable(17.0)
REPEATED: list[list[tuple[tuple[Any, ...], dict[str, Any]]]] = [
    [((X,), {}), ((Y,), {}), ((X, 2.0), {}), ((X, Y), {}), ((Y, X), {})],
    [((), {"a": X, "b": Y}), ((), {"b": X, "a": Y}), ((X,), {"b": Y}), ((), {"b": Y, "a": Z})],
    [((X,), {"k": Y, "b": Z}), ((Y,), {"b": Z, "k": X}), ((X, Y, Z), {"k": X, "z": Y, "a0": Z})],
    [((X,), {"v": X, "w": Y}), ((X,), {"w": X, "v": Y})],
    [(([X, Y],), {}), (((X, Y),), {}), (([Y, X], X), {}), (([[X], Y],), {})],
    [(({"a": X, "b": Y},), {}), (({"b": Y, "a": X},), {}), (({"b": X, "a": Y}, Z), {})],
    [((X, 0.0), {}), ((X, -0.0), {}), ((X, 0), {}), ((X, float("nan")), {})],
    [((X, 1), {}), ((X, 1.0), {}), ((X, np.float32(1.0)), {})],
    [((np.float32([1.0]),), {}), ((np.float32([5.0]),), {}), ((X, np.float32([1.0])), {})],
    [
        ((X, np.float32(4.0)), {}),
        ((np.float32(2.0), X), {}),
        ((np.float32(2.0), np.float32(9.0)), {}),
    ],
    [((V, X), {}), ((W, V), {}), ((W, W), {}), ((X,), {"b": V, "k": W}), (({"a": V}, [W][0]), {})],
    [((X, Y, {1: X}), {}), ((X, Y, {True: X}), {}), ((X, Y, {1.0: X}), {}), ((X, Y, {"1": X}), {})],
]


@pytest.mark.parametrize("calls", REPEATED)
def test_repeated_calls_do_what_the_first_does(calls: Any) -> None:
    staged = function(difference)
    for args, kwargs in calls * 15:
        expected = np.asarray(difference(*args, **kwargs))
        np.testing.assert_array_equal(staged(*args, **kwargs).numpy(), expected)


def test_repeated_calls_tell_values_apart() -> None:
    seen: list[Any] = []

    @function
    def f(x, value):
        seen.append(value)
        return x

    values = [1, 1.0, True, 0.0, -0.0, "a", b"a", None, (1,), [1], (1.0,), {"a": 1}, {"a": True}]
    for _ in range(15):
        for value in values:
            f(X, value)
    assert [repr(value) for value in seen] == [repr(value) for value in values]


def test_each_variable_that_is_an_argument_has_a_trace() -> None:
    @function
    def counted(v, x):
        return v.assign_add(x) * x

    v, w = rt.Variable(1.0), rt.Variable(10.0)
    assert [counted(v, X).numpy() for _ in range(12)][-1] == 3 * (1 + 3 * 12)
    assert counted(w, X).numpy() == 39.0
    assert (v.numpy(), traces(counted)) == (37.0, 2)


def test_the_short_way_gives_no_view_of_an_argument() -> None:
    staged = function(lambda x: x)
    array = np.ones(3, np.float32)
    results = [staged(array) for _ in range(15)]
    array[:] = 5.0
    assert all((result.numpy() == 1.0).all() for result in results)


def test_eager_runs_are_not_kept_from_what_was_compiled() -> None:
    runs: list[Any] = []
    staged = function(lambda x: runs.append(None) or x + 1)
    for _ in range(30):
        staged(X)
    with run_functions_eagerly(True):
        staged(X)
    staged(X)
    assert len(runs) == 2


def test_a_variable_is_read_and_assigned_at_each_call() -> None:
    v = rt.Variable(0.0)

    @function
    def add(x):
        v.assign_add(x)
        return v * 2.0

    assert [float(add(rt.constant(1.0))) for _ in range(20)] == [2.0 * n for n in range(1, 21)]
    with rt.GradientTape() as tape:
        y = add(rt.constant(1.0))
    assert float(tape.gradient(y, v)) == 2.0


def test_a_default_that_is_an_array() -> None:
    default = np.float32([1.0, 2.0])
    staged = function(lambda x, y=default: x + y)
    assert [staged(X).numpy().tolist() for _ in range(15)] == [[4.0, 5.0]] * 15
    assert [staged(X, y=Y).numpy() for _ in range(15)] == [10.0] * 15


def test_signed_calls_by_the_short_way() -> None:
    signature = [rt.TensorSpec([None], rt.float32), rt.TensorSpec([], rt.float32)]
    staged = function(lambda v, s: v * s, input_signature=signature)
    for size in (1, 2, 3, 1):
        for _ in range(15):
            assert staged(rt.ones([size]), X).numpy().tolist() == [3.0] * size
            assert staged([1.0] * size, 3.0).numpy().tolist() == [3.0] * size
            assert staged(s=X, v=rt.ones([size])).numpy().tolist() == [3.0] * size
            with pytest.raises(TypeError, match="argument 'v'"):
                staged(X, X)
            assert staged(np.ones([size]), X).dtype is rt.float32
    assert traces(staged) == 1


def test_each_tensor_goes_to_its_own_parameter() -> None:
    def told(a, b, *, c):
        return a["x"] - 2.0 * a["y"] + 4.0 * b - 8.0 * c

    spec = rt.TensorSpec([], rt.float32)
    staged = [
        function(told),
        function(told, input_signature=[{"x": spec, "y": spec}, spec, spec]),
    ]
    values = [rt.constant(float(n)) for n in (3, 5, 7, 11)]
    orders = [(0, 0, 0, 0), (0, 1, 2, 3), (3, 1, 0, 2), (2, 2, 3, 3), (1, 0, 0, 1)]
    for x, y, b, c in [[values[at] for at in order] for order in orders * 3]:
        ways: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
            (({"x": x, "y": y}, b), {"c": c}),
            ((), {"c": c, "b": b, "a": {"x": x, "y": y}}),
        ]
        for args, kwargs in ways:
            expected = float(told(*args, **kwargs))
            assert [float(each(*args, **kwargs)) for each in staged] == [expected] * 2
        in_order = {"y": y, "x": x}
        assert float(staged[1](in_order, b, c=c)) == float(told(in_order, b, c=c))
        assert float(staged[1](in_order, b.numpy(), c=float(c))) == float(told(in_order, b, c=c))
    assert traces(staged[1]) == 1


def test_objects_take_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    class Scale:
        by = 2.0

    scale, staged = Scale(), function(lambda x, scale: x * scale.by)
    staged(X, scale)
    with monkeypatch.context() as patched:
        patched.delattr(type(staged), "_call")
        assert staged(X, scale).numpy() == 6.0
    scale.by = 5.0
    assert staged(X, scale).numpy() == 15.0


def test_a_method_called_by_its_class_may_leave_self_out_of_its_signature() -> None:
    class Scaled:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        @rt.function(input_signature=[rt.TensorSpec([None], rt.float32)])
        def run(self, x):
            return x * self.factor

    class Twice(Scaled):
        pass

    x = rt.constant([1.0, 2.0])
    for made in (Scaled(3.0), Twice(5.0)):
        wanted = made.run(x).numpy().tolist()
        assert wanted == [made.factor, made.factor * 2]
        assert Scaled.run(made, x).numpy().tolist() == wanted
        assert Scaled.run(made, x=x).numpy().tolist() == wanted
        assert made.run.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match="no entry for argument 'x'"):
        Scaled.run(object(), x)


def test_a_number_too_large_for_a_result_names_the_function() -> None:
    def large(x):
        return {"a": [x, 2**70]}

    line = large.__code__.co_firstlineno + 1
    message = rf"_calls.py:{line}:9: the result of large\['a'\]\[1\]: {2**70} does not fit"
    with pytest.raises(ValueError, match=message):
        rt.function(large)(rt.constant(1))
