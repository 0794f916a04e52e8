"""`function`: one trace for each signature, guards, methods, nesting, errors of signatures."""

from __future__ import annotations

import gc
import threading
import time
import traceback
import weakref
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from runtime import errors
from runtime.function import describe, function
from runtime.polymorphic_function import Function, run_functions_eagerly

X = rt.constant(3.0)
SCALE = 2.0
CONFIG = {"rate": 0.5, "inner": {"k": 1.0}}
WEIGHTS = [1.0, 2.0]
calls = 0


def helper(x):
    return x * SCALE


class Settings:
    factor = 4.0

    def __init__(self) -> None:
        self.offset = 1.0


SETTINGS = Settings()


class Model:
    scale = 2.0

    def __init__(self, bias: float) -> None:
        self._bias = bias
        self.itself = self

    @property
    def bias(self):
        return self._bias

    def scaled(self, x):
        return x * self.scale

    @function
    def __call__(self, x, extra=0.0):
        return self.scaled(x) + self.bias + extra


def traces(staged: Function) -> int:
    return staged.experimental_get_tracing_count()


# Signatures


def test_a_trace_for_each_dtype_shape_and_structure() -> None:
    staged = function(lambda x: rt.nest.flatten(x)[0] + 1)
    arguments: list[Any] = [
        rt.constant(1), rt.constant(1.0), rt.constant([1.0]), rt.constant([1.0, 2.0]),
        (X,), [X], {"a": X}, {"b": X}, (X, X),
    ]  # fmt: skip
    for count, argument in enumerate(arguments, 1):
        for _ in range(2):
            staged(argument)
        assert traces(staged) == count


@pytest.mark.parametrize(
    "values", [(1, 1.0, True), (0.0, -0.0), ("a", b"a", None), ((1,), [1]), (len, abs)]
)
def test_python_values_are_told_apart_by_type_and_value(values: Any) -> None:
    seen: list[Any] = []
    staged = function(lambda x, value: seen.append(value) or x)
    for value in (*values, *values):
        staged(X, value)
    assert [(type(s), repr(s)) for s in seen] == [(type(v), repr(v)) for v in values]


def test_objects_are_told_apart_by_identity_and_not_kept_alive() -> None:
    staged = function(lambda x, settings: x + settings.offset)
    first = Settings()
    assert float(staged(X, first)) == 4.0
    staged(X, first)
    assert traces(staged) == 1
    staged(X, Settings())
    assert traces(staged) == 2
    alive = weakref.ref(first)
    del first
    gc.collect()
    assert alive() is None


def test_defaults_and_keywords_are_the_same_signature() -> None:
    def f(x, y=2, *rest, k=1, **options):
        return x * y + sum(rest) + k + options.get("z", 0)

    staged = function(f)
    for _ in range(2):
        assert float(staged(X)) == float(staged(X, 2)) == float(staged(x=X, y=2)) == 7.0
    assert traces(staged) == 1
    assert float(staged(X, 2, X, z=X)) == 13.0
    with pytest.raises(TypeError, match=r"f\(\): missing a required argument: 'x'"):
        staged()


def test_arrays_are_tensors() -> None:
    staged = function(lambda x: x + 1)
    assert staged(np.ones(2)).dtype is rt.float64
    staged(np.zeros(2))
    assert traces(staged) == 1


def test_input_signature() -> None:
    staged = function(
        lambda v, pair: rt.reduce_sum(v) + pair["a"],
        input_signature=[rt.TensorSpec([None]), {"a": rt.TensorSpec([], rt.float32)}],
    )
    assert float(staged(rt.constant([1.0, 2.0]), {"a": X})) == 6.0
    assert float(staged([1.0, 2.0, 3.0], {"a": 0.5})) == 6.5
    assert float(staged(v=[1.0], pair={"a": X})) == 4.0
    assert traces(staged) == 1
    assert staged.get_concrete_function() is staged.get_concrete_function([1.0], {"a": X})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0]],), r"argument 'v' has dtype float32 and shape \(1, 1\)"),
        ((rt.constant([1]),), "argument 'v' has dtype int32"),
        ((), "1 entries, 0 arguments"),
        (("a",), "argument 'v'"),
        (([1.0], 2), "too many positional arguments"),
    ],
)
def test_arguments_that_do_not_fit_the_input_signature(arguments: Any, message: str) -> None:
    staged = function(lambda v: v, input_signature=[rt.TensorSpec([None], rt.float32)])
    with pytest.raises(TypeError, match=message):
        staged(*arguments)


def test_reduce_retracing_relaxes_shapes() -> None:
    staged = function(rt.reduce_sum, reduce_retracing=True, autograph=False)
    for size in range(1, 6):
        assert float(staged(rt.ones([size]))) == size
    assert traces(staged) == 2


def test_results_keep_their_structure() -> None:
    staged = function(lambda x: {"a": (x, [1, 2.5, True]), "b": None, "c": "text"})
    result = staged(X)
    assert result["b"] is None
    assert [t.dtype for t in result["a"][1]] == [rt.int32, rt.float32, rt.bool]
    assert result["c"].numpy() == b"text"
    assert isinstance(result["a"], tuple)


def test_a_python_object_is_no_result() -> None:
    with pytest.raises(TypeError, match="must return tensors"):
        function(lambda x: object())(X)


def test_arguments_are_copies_that_must_not_be_changed() -> None:
    def change(items):
        items[0] = items[1]
        return items[0]

    with pytest.raises(autograph.StagingError, match=r"items\[0\] is changed"):
        function(change)([X, X])


# Guards


@pytest.mark.parametrize(
    ("read", "owner", "key", "value"),
    [
        (lambda x: helper(x), globals(), "SCALE", 5.0),
        (lambda x: x * CONFIG["rate"], CONFIG, "rate", 5.0),
        (lambda x: x * CONFIG["inner"]["k"], CONFIG["inner"], "k", 5.0),
        (lambda x: x + SETTINGS.offset, vars(SETTINGS), "offset", 5.0),
        (lambda x: x + SETTINGS.factor, vars(SETTINGS), "factor", 5.0),
        (lambda x: x + sum(WEIGHTS), globals(), "WEIGHTS", [7.0]),
    ],
)
def test_a_changed_value_is_never_stale(
    read: Any, owner: Any, key: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    staged = function(read)
    assert float(staged(X)) == float(read(X))
    staged(X)
    assert traces(staged) == 1
    monkeypatch.setitem(owner, key, value)
    assert float(staged(X)) == float(read(X))
    assert traces(staged) == 2
    monkeypatch.undo()
    assert float(staged(X)) == float(read(X))
    assert traces(staged) == 2


def test_a_changed_list_is_never_stale() -> None:
    weights = [1.0]
    staged = function(lambda x: x + sum(weights))
    assert float(staged(X)) == 4.0
    weights.append(5.0)
    assert float(staged(X)) == 9.0


def test_a_changed_captured_variable_is_never_stale() -> None:
    factor = 2.0
    staged = function(lambda x: x * factor)
    assert float(staged(X)) == 6.0
    factor = 3.0
    assert float(staged(X)) == 9.0


def test_a_side_effect_of_tracing_is_no_guard() -> None:
    def f(x):
        global calls
        calls += 1
        return x

    staged = function(f)
    staged(X)
    staged(X)
    assert calls == 1


# Methods


def test_methods_have_traces_of_their_own_for_each_instance() -> None:
    first, second = Model(1.0), Model(10.0)
    for _ in range(2):
        assert float(first(X)) == 7.0
        assert float(second(X)) == 16.0
        assert float(first(X, 1.0)) == 8.0
    assert traces(first.__call__) == 2
    first._bias = 2.0
    assert float(first(X)) == 8.0
    first.scale = 3.0
    assert float(first(X)) == 11.0
    assert float(Model.__call__(second, X)) == 16.0


def test_a_traced_method_keeps_no_instance_alive() -> None:
    model = Model(1.0)
    model(X)
    alive = weakref.ref(model)
    del model
    gc.collect()
    assert alive() is None


# Nesting


def test_functions_in_functions_are_calls() -> None:
    inner = function(lambda x: x * 2)

    def outer(x):
        y = inner(x)
        if y > 5:
            y = inner(y)
        return y

    staged = function(outer)
    assert float(staged(X)) == 12.0
    assert float(staged(-X)) == -6.0
    assert traces(inner) == 1
    text = str(staged.get_concrete_function(X))
    assert text.count("call(") == 2
    assert text.count("graph <lambda>(x: float32[]) -> (float32[]):") == 1


def test_an_inner_function_may_capture_symbols() -> None:
    def outer(x):
        y = x * 3

        @function
        def inner(z):
            return z + y

        return inner(x) if x > 1 else x

    staged = function(outer)
    assert float(staged(X)) == 12.0
    assert float(staged(-X)) == -3.0


def test_recursion_on_a_python_value() -> None:
    @function
    def power(x, n):
        return x * power(x, n - 1) if n else rt.ones_like(x)

    assert float(power(X, 3)) == 27.0


# Gradients, by going over the graph op by op


def test_a_tape_around_a_function() -> None:
    def f(x):
        y = x
        i = 0
        while i < 3:
            y = y * x
            i += 1
        return y * 2 if y > 10 else y

    with rt.GradientTape() as tape:
        tape.watch(X)
        y = function(f)(X)
    assert float(y) == 162.0
    assert float(tape.gradient(y, X)) == 216.0


def test_a_tape_around_a_function_sees_what_it_captures() -> None:
    captured = rt.constant(5.0)
    staged = function(lambda x: x * captured)
    staged(X)
    with rt.GradientTape() as tape:
        tape.watch(captured)
        y = staged(X)
    assert float(tape.gradient(y, captured)) == 3.0


# Running


def test_python_runs_only_while_tracing(capsys: pytest.CaptureFixture[str]) -> None:
    @function
    def f(x):
        print("tracing")
        return x + 1

    f(X)
    f(X)
    f(rt.constant(1))
    assert capsys.readouterr().out == "tracing\n" * 2


def test_one_trace_for_all_threads() -> None:
    @function
    def f(x):
        time.sleep(0.02)
        return x + 1

    threads = [threading.Thread(target=f, args=(X,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert traces(f) == 1


def test_run_functions_eagerly(capsys: pytest.CaptureFixture[str]) -> None:
    @function
    def f(x):
        print("run")
        return x

    run_functions_eagerly(True)
    f(X)
    f(X)
    run_functions_eagerly(False)
    with run_functions_eagerly(True):
        f(X)
    f(X)
    f(X)
    assert capsys.readouterr().out == "run\n" * 4
    assert traces(f) == 1


def gathers(x, i):
    y = x * 2
    return rt.gather(y, i) + 1


def test_an_error_at_run_time_shows_only_the_users_lines() -> None:
    staged = function(gathers)
    with pytest.raises(errors.InvalidArgumentError, match=r"GatherV2: .* 5 is not in") as caught:
        staged(rt.constant([1.0, 2.0]), rt.constant(5))
    assert "float32[2]" in str(caught.value)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [frame.filename for frame in frames] == [__file__] * 2
    last = frames[-1]
    assert (last.name, last.lineno) == ("gathers", gathers.__code__.co_firstlineno + 2)
    assert (last.colno, last.end_colno) == (11, 26)


def test_concrete_functions() -> None:
    staged = function(lambda x, n: {"y": x * n})
    concrete = staged.get_concrete_function(rt.TensorSpec([None], rt.float32), 2)
    assert concrete(rt.ones([3]))["y"].shape == [3]
    assert concrete.structured_input_signature == ((rt.TensorSpec([None], rt.float32), 2), {})
    assert concrete.structured_outputs == {"y": rt.TensorSpec([None], rt.float32)}
    assert [str(value.type) for value in concrete.inputs] == ["float32[?]"]
    with pytest.raises(TypeError, match=r"argument x is int32\[1\], expected float32\[\?\]"):
        concrete(rt.constant([1]))
    with pytest.raises(TypeError, match="takes 1 tensors, 2 were given"):
        concrete(X, X)


def test_python_source() -> None:
    def f(x, n):
        while n > 0:
            x = x + x
            n = n - 1
        return x

    source = function(f).python_source(X, rt.constant(2))
    assert "while proceed:" in source
    assert "x_1 + x_1" in source


def test_describe() -> None:
    text = describe(helper, [("float32", (None, 2))])
    assert text.startswith("graph helper(x: float32[?,2]) -> (float32[?,2]):")


@pytest.mark.parametrize("bad", [3, "f", None])
def test_only_callables(bad: Any) -> None:
    with pytest.raises(TypeError, match="callable"):
        Function(bad)


def test_decorator_forms() -> None:
    @function
    def plain(x):
        """Its docstring."""
        return x

    @function(reduce_retracing=True)
    def with_arguments(x):
        return x

    assert plain.__doc__ == "Its docstring."
    assert plain.python_function(3) == 3
    assert float(with_arguments(X)) == 3.0
    with pytest.raises(TypeError, match="input_signature"):
        function(input_signature=rt.TensorSpec([]))


# Variables


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


def test_variables_that_each_call_would_create_are_refused() -> None:
    @function
    def wrong(x):
        return rt.Variable(1.0) + x

    for _ in range(2):
        with pytest.raises(ValueError, match=r"test_function.py:\d+:\d+: wrong creates a variable"):
            wrong(X)


def test_variables_for_a_later_signature_are_refused() -> None:
    made: dict[Any, Any] = {}

    @function
    def for_each(x, n):
        if n not in made:
            made[n] = rt.Variable(1.0)
        return made[n] * x

    for_each(X, 1)
    with pytest.raises(ValueError, match="not its first"):
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
