"""`function`: methods, nesting, gradients, threads, concrete functions, decorator forms."""

from __future__ import annotations

import copy
import functools
import gc
import math
import threading
import traceback
import weakref
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

import runtime as rt
from runtime import errors
from runtime.core.eager_mode import functions_run_eagerly, run_functions_eagerly
from runtime.functions.function import describe, function
from runtime.functions.polymorphic_function import Function
from tests.support.staging import traces

X = rt.constant(3.0)


def doubled(x):
    return x * 2.0


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


# Methods


class Holding:
    def __init__(self) -> None:
        self.scale = [2.0]
        self.staged = function(self.scaled, reduce_retracing=True)

    def scaled(self, x):
        return x * self.scale[0]


def test_copies_trace_anew() -> None:
    first = Holding()
    assert float(first.staged(X)) == 6.0
    second = copy.deepcopy(first)
    second.scale[0] = 5.0
    assert (float(second.staged(X)), float(first.staged(X))) == (15.0, 6.0)
    assert (traces(second.staged), traces(copy.copy(first.staged))) == (1, 0)


def test_copies_of_a_concrete_function() -> None:
    made = rt.function(lambda x: x * 2.0).get_concrete_function(rt.TensorSpec([2]))
    made(rt.ones([2]))
    for clone in (copy.copy(made), copy.deepcopy(made), copy.deepcopy([made])[0]):
        assert clone(rt.ones([2])).numpy().tolist() == [2.0, 2.0]


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
    assert text.count("= call <lambda>(") == 2
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


def on_another_thread(function_: Callable[[], Any]) -> Any:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(function_()))
    thread.start()
    thread.join()
    return found[0]


def test_what_is_set_holds_for_all_threads_and_blocks_for_their_own() -> None:
    staged = function(lambda x: rt.constant(rt.executing_eagerly()))
    run = lambda: bool(staged(X))  # noqa: E731
    assert [run() for _ in range(12)] == [False] * 12
    run_functions_eagerly(True)
    assert (run(), on_another_thread(run)) == (True, True)
    with run_functions_eagerly(False):
        assert (run(), on_another_thread(run)) == (False, True)
        run_functions_eagerly(True)
        assert (run(), on_another_thread(run)) == (True, True)
    assert (run(), functions_run_eagerly()) == (True, True)
    run_functions_eagerly(False)
    with run_functions_eagerly(True):
        assert (run(), on_another_thread(run)) == (True, False)
        with pytest.raises(ZeroDivisionError), run_functions_eagerly(False):
            _ = 1 // int(run())
        assert run()
    assert (run(), on_another_thread(run)) == (False, False)


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
    assert concrete.structured_input_signature == ((rt.TensorSpec([None], name="x"), 2), {})
    assert concrete.structured_outputs == {"y": rt.TensorSpec([None], rt.float32)}
    assert [str(value.type) for value in concrete.inputs] == ["float32[?]"]
    with pytest.raises(
        TypeError, match=r"'x' has dtype int32 and shape \(1,\), expected TensorSpec"
    ):
        concrete(rt.constant([1]))
    for wrong in ((X, X), (rt.ones([1]), X)):
        with pytest.raises(TypeError, match="argument"):
            concrete(*wrong)


def taking(x, n, y, *rest, k, limit=None):
    return x * n - y * k["r"][0] + (0.0 if limit is None else limit)


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((6.0, 2, 3.0), {"k": {"r": [2.0]}}),
        ((6.0, 3.0), {"k": {"r": [2.0]}}),
        ((6.0,), {"y": 3.0, "k": {"r": [2.0]}}),
        ((), {"k": {"r": [2.0]}, "y": 3.0, "n": 2, "x": 6.0}),
        ((), {"k": {"r": [np.float32(2.0)]}, "limit": None, "y": 3.0, "x": 6.0}),
    ],
)
def test_arguments_of_a_concrete_function_are_found_by_name(args: Any, kwargs: Any) -> None:
    spec = rt.TensorSpec([])
    concrete = function(taking).get_concrete_function(spec, 2, spec, k={"r": [spec]})
    args, kwargs = rt.nest.map_structure(
        lambda x: rt.constant(x) if type(x) is float else x, (args, kwargs)
    )
    assert float(concrete(*args, **kwargs)) == 6.0
    assert float(function(lambda: concrete(*args, **kwargs))()) == 6.0


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((1.0, 3, 1.0), {}, "'n' is 3: this trace is for 2"),
        ((1.0, 2.0, 1.0), {}, r"'n' is 2\.0: this trace is for 2"),
        ((1.0, 2), {}, "missing argument 'y'"),
        ((1.0, 2, 1.0), {"z": 1}, "unexpected argument 'z': there are x, n, y, k, limit"),
        ((1.0, 2, 1.0), {"limit": 1.0}, r"'limit' is 1\.0: this trace is for None"),
        ((1.0, 2, 1.0), {"k": {"q": [1.0]}}, "'k' is {'q'"),
        ((1.0, 2, 1.0), {"k": {"r": [[1.0]]}}, r"\['r'\]\[0\]\" has dtype float32 and shape"),
        ((1.0, 2, 1.0, 4.0), {}, "too many positional arguments: 4 for x, n, y"),
        (("a", 2, 1.0), {}, "'x'"),
    ],
)
def test_arguments_that_do_not_fit_a_concrete_function(
    args: Any, kwargs: Any, message: str
) -> None:
    spec = rt.TensorSpec([])
    concrete = function(taking).get_concrete_function(spec, 2, spec, k={"r": [spec]})
    with pytest.raises(TypeError, match=rf"^taking\(\): .*{message}"):
        concrete(*args, **{"k": {"r": [1.0]}} | kwargs)


def test_a_relaxed_signature() -> None:
    staged = function(lambda x: x + 1.0, reduce_retracing=True)
    for size in (1, 2, 3):
        staged(rt.ones([size]))
    concrete = staged.get_concrete_function(rt.ones([4]))
    assert concrete.structured_input_signature == ((rt.TensorSpec([None], name="x"),), {})
    assert concrete(rt.ones([7])).shape == (7,)
    for shape in ([1, 2], [2, 2]):
        staged(rt.ones(shape))
    nearest = staged.get_concrete_function(rt.TensorSpec([None]))
    assert nearest.structured_input_signature == ((rt.TensorSpec([None], name="x"),), {})


def test_python_source() -> None:
    def f(x, n):
        while n > 0:
            x = x + x
            n = n - 1
        return x

    source = function(f).python_source(X, rt.constant(2))
    assert "while True:" in source
    assert "x = x + x" in source


def test_describe() -> None:
    text = describe(doubled, [("float32", (None, 2))])
    assert text.startswith("graph doubled(x: float32[?,2]) -> (float32[?,2]):")


@pytest.mark.parametrize(
    ("callable_", "given", "expected"),
    [
        (abs, -3.0, 3.0),
        (rt.square, 3.0, 9.0),
        (rt.nn.relu, -3.0, 0.0),
        (math.floor, 3.5, 3.0),
        (function(lambda x: x + 1.0), 3.0, 4.0),
        (functools.partial(lambda a, b: a - b, b=1.0), 3.0, 2.0),
    ],
)
def test_other_callables(callable_: Any, given: float, expected: float) -> None:
    staged = function(callable_)
    assert [float(staged(rt.constant(given))) for _ in range(12)] == [expected] * 12
    assert traces(staged) == 1


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


# The short way of repeated calls


def test_results_of_calls_have_the_shapes_that_constants_give_them() -> None:
    @rt.function
    def filled(shape: Any) -> Any:
        return rt.zeros(shape)

    @rt.function
    def folded(x: Any, rows: Any) -> Any:
        return {"folded": rt.reshape(x, [rows, -1]), "rest": rt.range(rows * 2)}

    @rt.function
    def outer(x: Any) -> Any:
        made = folded(x, rt.constant(2))
        again = folded(x, rt.shape(x)[0] // 2)
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = folded(x, rt.constant(4))["folded"]
            total = rt.reduce_sum(y * y)
        gradient = tape.gradient(total, x)
        return filled(rt.shape(x)), filled(rt.constant([2, 3])), made, again, gradient

    x = rt.constant([1.0, 2.0, 3.0, 4.0])
    concrete = outer.get_concrete_function(rt.TensorSpec([4]))
    twice = {"folded": [2, 2], "rest": [4]}
    assert rt.nest.map_structure(lambda s: s.as_list(), list(concrete.output_shapes)) == [
        [4], [2, 3], twice, twice, [4],
    ]  # fmt: skip
    for way in (concrete, outer.python_function):
        zeros, more, made, again, gradient = way(x)
        assert (zeros.shape, more.shape) == ([4], [2, 3])
        for each in (made, again):
            assert each["folded"].numpy().tolist() == [[1, 2], [3, 4]]
            assert each["rest"].numpy().tolist() == [0, 1, 2, 3]
        assert gradient.numpy().tolist() == [2, 4, 6, 8]


def test_constants_that_do_not_fit_fail_where_the_call_runs() -> None:
    @rt.function
    def folded(x: Any, rows: Any) -> Any:
        return rt.reshape(x, [rows, -1])

    @rt.function
    def outer(x: Any, is_asked: Any) -> Any:
        return rt.reduce_sum(folded(x, rt.constant(3))) if is_asked else rt.reduce_sum(x)

    x = rt.ones([4])
    assert float(outer(x, rt.constant(False))) == 4
    with pytest.raises(rt.errors.InvalidArgumentError, match="cannot reshape"):
        outer(x, rt.constant(True))


def record(x):
    if x > record.best:
        record.best = x
    return record.best


def remember(x):
    remember.seen.append(x)
    return len(remember.seen)


def count(x):
    if x > 0:
        count.calls += 1
    return x * count.calls


def scaled(x):
    return x * scaled.by if x > 0 else x


@pytest.mark.parametrize(
    ("program", "name", "begin"),
    [(record, "best", 0), (remember, "seen", []), (count, "calls", 0), (scaled, "by", 2)],
)
def test_a_function_has_the_attributes_that_it_is_given(program, name, begin, monkeypatch) -> None:
    def called(function: Any, convert: Callable[..., Any]) -> list[int]:
        monkeypatch.setitem(globals(), program.__name__, function)
        setattr(function, name, copy.copy(begin))
        found = [int(function(convert(value))) for value in (3, 1, -7, 9, 2)]
        if isinstance(begin, list):
            return [*found, *map(int, getattr(function, name))]
        found.append(int(getattr(function, name)))
        setattr(function, name, 40)
        return [*found, *(int(function(convert(value))) for value in (3, -1))]

    expected = called(program, int)
    delattr(program, name)
    staged = rt.function(program)
    assert called(staged, lambda value: rt.constant(value, rt.int64)) == expected
    assert not hasattr(program, name)


def test_a_wrapper_has_the_name_and_attributes_of_a_function_and_its_own_graph() -> None:
    @rt.function
    def inner(x):
        return x + 1

    inner.unit = "m"

    @functools.wraps(inner)
    @rt.function
    def outer(x):
        return inner(x) * 2

    assert outer(X) == 8.0
    assert inner(X) == 4.0
    assert (outer.__name__, outer.unit, outer.__wrapped__) == ("inner", "m", inner)
    hundred = functools.update_wrapper(rt.function(lambda x: x * 100), inner)
    assert hundred(X) == 300.0
    assert traces(inner) == traces(outer) == 1


def test_a_method_reads_the_attributes_of_its_function() -> None:
    class Counter:
        @rt.function
        def add(self, x):
            return x + self.add.step

        add.step = 5

    assert Counter().add(X) == 8.0
    assert Counter().add.step == 5


def test_a_cached_function_is_traced_as_the_function_that_it_caches() -> None:
    @rt.function
    @functools.lru_cache
    def clipped(x: Any) -> Any:
        return x if x < 2 else x * 0 + 2

    class Scale:
        @rt.function
        @functools.cache  # noqa: B019
        def double(self, x: Any) -> Any:
            return x * 2

    assert [int(clipped(x)) for x in (rt.constant(1), rt.constant(5), 5)] == [1, 2, 2]
    assert int(Scale().double(rt.constant(4))) == 8


def test_a_mock_is_called_as_it_is() -> None:
    doubling = mock.Mock(side_effect=lambda x: x * 2)
    assert int(rt.function(doubling)(rt.constant(4))) == 8
    doubling.assert_called_once()


@pytest.mark.parametrize("given", [3, 2.5, [4, 1], np.uint64(7)])
@pytest.mark.parametrize("small", [True, False])
def test_numbers_of_the_graph_are_as_wide_as_the_arguments(given: Any, small: bool) -> None:
    def program(x: Any) -> Any:
        first = x if rt.rank(x) == 0 else x[0]
        root = math.sqrt(first)
        found = [root / 3]
        for _ in range(math.floor(root)):
            found.append(math.exp(root))
        counts = {"whole": math.floor(first) * 10**3}
        return root, found, counts, 1.5

    array = np.asarray(given)
    narrow = array.astype(np.int32 if array.dtype.kind in "iu" else np.float32)
    root, found, counts, constant = rt.function(program)(rt.constant(narrow if small else array))
    expected = program(given[0] if isinstance(given, list) else given)
    dtypes = (rt.float32, rt.int32) if small else (rt.float64, rt.int64)
    assert {root.dtype, *[each.dtype for each in found]} == {dtypes[0]}
    assert (counts["whole"].dtype, constant.dtype) == (dtypes[1], rt.float32)
    near = pytest.approx([expected[0], *expected[1]], rel=1e-6 if small else 1e-15)
    assert [root.numpy(), *[each.numpy() for each in found]] == near
    assert counts["whole"].numpy() == expected[2]["whole"]
