"""`function`: one trace for each signature, guards, methods, nesting, errors of signatures."""

from __future__ import annotations

import array
import collections
import copy
import dataclasses
import functools
import gc
import math
import threading
import time
import traceback
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from runtime import errors
from runtime.eager_mode import functions_run_eagerly, run_functions_eagerly
from runtime.function import describe, function
from runtime.polymorphic_function import Function

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


class Row(list):  # type: ignore[type-arg]
    pass


CONTAINERS: list[tuple[Any, Callable[[Any], Any]]] = [
    ({1.0, 2.0}, lambda c: c.add(5.0)),
    (collections.deque([1.0, 2.0]), lambda c: c.append(5.0)),
    (collections.deque([1.0, 2.0]), lambda c: c.__setitem__(0, 5.0)),
    (bytearray(b"ab"), lambda c: c.__setitem__(0, 5)),
    (array.array("f", [1.0, 2.0]), lambda c: c.__setitem__(0, 5.0)),
    (np.float32([1.0, 2.0]), lambda c: c.__setitem__(0, 5.0)),
    (Row([1.0, 2.0]), lambda c: c.append(5.0)),
    (collections.OrderedDict({1.0: 2.0}), lambda c: c.__setitem__(5.0, 1.0)),
    (collections.Counter([1.0]), lambda c: c.__setitem__(5.0, 1.0)),
]


@pytest.mark.parametrize(("container", "change"), CONTAINERS)
@pytest.mark.parametrize("way", ["captured", "argument", "part of one", "attribute"])
def test_a_changed_container_is_never_stale(container: Any, change: Any, way: str) -> None:
    held = copy.deepcopy(container)
    owner = types.SimpleNamespace(held=held)
    staged, given = {
        "captured": (function(lambda x: x + sum(held)), ()),
        "argument": (function(lambda x, c: x + sum(c)), (held,)),
        "part of one": (function(lambda x, c, *rest: x + sum(rest[0]["k"])), (1, {"k": held})),
        "attribute": (function(lambda x: x + sum(owner.held)), ()),
    }[way]
    for _ in range(12):
        assert float(staged(X, *given)) == 3.0 + sum(held)
    change(held)
    for _ in range(12):
        assert float(staged(X, *given)) == 3.0 + sum(held)


class Part:
    __slots__ = ("__weakref__", "inner", "k")

    def __init__(self, k: float) -> None:
        self.k = k
        self.inner = types.SimpleNamespace(k=k)

    def __call__(self, x):
        return x * self.k * self.inner.k


Parts = collections.namedtuple("Parts", "first rest")
OWNER = types.SimpleNamespace(parts=[], part=None)


@pytest.mark.parametrize(
    "read",
    [
        lambda x, part: x * part.k * part.inner.k,
        lambda x, part: part(x),
        lambda x, part: x * getattr(part, "k") * getattr(part, "inner").k,  # noqa: B009
        lambda x, part: helped_by(part, x),
        lambda x, part: helped_by(part=part, x=x),
        lambda x, part: functools.reduce(lambda y, each: y * each.k * each.inner.k, [part], x),
    ],
)
@pytest.mark.parametrize(
    ("made_of", "part_of"),
    [
        (lambda part: part, lambda given: given),
        (lambda part: [part], lambda given: given[0]),
        (lambda part: {"a": (1, [part])}, lambda given: given["a"][1][0]),
        (lambda part: Parts(part, 1), lambda given: given.first),
        (lambda part: OWNER, lambda given: given.part),
        (lambda part: OWNER, lambda given: [each for each in given.parts][-1]),
    ],
)
def test_a_changed_object_is_never_stale(read: Any, made_of: Any, part_of: Any) -> None:
    part = OWNER.part = Part(2.0)
    OWNER.parts = [Part(7.0), part]
    given = made_of(part)
    staged = [
        function(lambda x, given: read(x, part_of(given))),
        function(lambda x: read(x, part_of(given))),
    ]
    for change in (
        lambda: None,
        lambda: setattr(part, "k", 5.0),
        lambda: setattr(part.inner, "k", 3.0),
    ):
        change()
        for _ in range(12):
            expected = 3.0 * part.k * part.inner.k
            assert [float(staged[0](X, given)), float(staged[1](X))] == [expected] * 2


def helped_by(part, x):
    return x * part.k * part.inner.k


@dataclasses.dataclass
class Scaling:
    factor: float

    @function
    def __call__(self, x):
        return x * self.factor


def test_a_changed_field_of_a_dataclass_is_never_stale() -> None:
    scaling = Scaling(2.0)
    assert [float(scaling(X)) for _ in range(12)] == [6.0] * 12
    scaling.factor = 5.0
    assert float(scaling(X)) == 15.0


def test_a_changed_default_is_never_stale() -> None:
    held, named, deep = [1.0], {"k": 1.0}, (1.0, [1.0])

    @function
    def f(x, a=held, *, b=named, c=deep):
        return x + sum(a) + b["k"] + sum(c[1])

    for change in (
        lambda: held.append(2.0),
        lambda: named.update(k=5.0),
        lambda: deep[1].append(3.0),
    ):
        for _ in range(12):
            assert float(f(X)) == 3.0 + sum(held) + named["k"] + sum(deep[1])
        change()
    assert float(f(X)) == 3.0 + 3.0 + 5.0 + 4.0


def test_arguments_that_the_signature_tells_are_no_guards() -> None:
    staged = function(lambda x, items: x * items[0] + items[1]["k"])
    values = np.float32([1.0, 2.0])
    given = [values, {"k": X}]
    staged(X, given)
    values[0] = 7.0
    assert staged(X, given).numpy().tolist() == [24.0, 9.0]
    assert staged(X, [values, {"k": X}]).numpy().tolist() == [24.0, 9.0]
    assert traces(staged) == 1


def test_lists_of_tensors_are_not_kept_alive() -> None:
    staged = function(lambda items: items[0] + items[1])
    items = [rt.constant(1.0), rt.constant(2.0)]
    staged(items)
    alive = [weakref.ref(item) for item in items]
    del items
    gc.collect()
    assert [made() for made in alive] == [None, None]


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


def in_threads(calls: list[Callable[[], Any]]) -> list[Any]:
    start = threading.Barrier(len(calls))
    found: list[Any] = []

    def run(call: Callable[[], Any]) -> None:
        start.wait()
        found.append(call())

    workers = [threading.Thread(target=run, args=(call,)) for call in calls]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=60.0)
    return found


def test_one_trace_for_all_threads() -> None:
    @function
    def f(x):
        time.sleep(0.02)
        return x + 1

    assert [float(x) for x in in_threads([lambda: f(X)] * 16)] == [4.0] * 16
    assert traces(f) == 1


def test_threads_share_what_the_first_call_creates() -> None:
    staged = Growing(lambda x: x * 2.0)
    assert [float(x) for x in in_threads([lambda: staged(X)] * 16)] == [60.0] * 16
    assert len(staged.variables) == 2


def test_functions_that_call_each_other_on_several_threads() -> None:
    @function
    def even(x, n):
        return x if n == 0 else odd(x, n - 1)

    @function
    def odd(x, n):
        return x + 1.0 if n == 0 else even(x, n - 1)

    calls = [functools.partial(start, X, n) for start in (even, odd) for n in range(8)]
    assert sorted(map(float, in_threads(calls))) == [3.0] * 8 + [4.0] * 8


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
    assert concrete.structured_input_signature == ((rt.TensorSpec([None], rt.float32), 2), {})
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
        ((1.0, 2, 1.0, 4.0), {}, "3 arguments by position, 4 were given"),
        (("a", 2, 1.0), {}, "'x'"),
    ],
)
def test_arguments_that_do_not_fit_a_concrete_function(
    args: Any, kwargs: Any, message: str
) -> None:
    spec = rt.TensorSpec([])
    concrete = function(taking).get_concrete_function(spec, 2, spec, k={"r": [spec]})
    with pytest.raises(TypeError, match=f"^taking: .*{message}"):
        concrete(*args, **{"k": {"r": [1.0]}} | kwargs)


def test_a_relaxed_signature() -> None:
    staged = function(lambda x: x + 1.0, reduce_retracing=True)
    for size in (1, 2, 3):
        staged(rt.ones([size]))
    concrete = staged.get_concrete_function(rt.ones([4]))
    assert concrete.structured_input_signature == ((rt.TensorSpec([None]),), {})
    assert concrete(rt.ones([7])).shape == (7,)


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
    text = describe(helper, [("float32", (None, 2))])
    assert text.startswith("graph helper(x: float32[?,2]) -> (float32[?,2]):")


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
    message = rf"test_function.py:\d+:\d+: the initial value .*{reason}"
    with pytest.raises(ValueError, match=message):
        Growing(compute).__call__.get_concrete_function(given)


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


# The short way of repeated calls


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
    staged = function(lambda x: runs.append(x) or x + 1)
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
    with pytest.raises(TypeError, match="1 entries, 2 arguments"):
        Scaled.run(object(), x)


def test_a_number_too_large_for_a_result_names_the_function() -> None:
    def large(x):
        return {"a": [x, 2**70]}

    line = large.__code__.co_firstlineno
    message = (
        rf"the result of large \(.*test_function.py:{line}\)\['a'\]\[1\]: {2**70} does not fit"
    )
    with pytest.raises(ValueError, match=message):
        rt.function(large)(rt.constant(1))
