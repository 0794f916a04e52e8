"""Why a function was traced again, the warning about it, and the bounds of what it keeps."""

from __future__ import annotations

import gc
import logging
import re
import weakref
from typing import Any

import pytest

import runtime as rt
from runtime.functions import trace_cache

X = rt.constant(1.0)
V = rt.constant([1.0, 2.0])
RATE = 1.0
TABLE = {"k": 1, "inner": [1, 2]}


class Holder:
    rate = 1.0


HOLDER = Holder()


def collected(x, n=1, **named):
    return rt.nest.flatten(x)[0] * 1 + n


def reading(x):
    return x * RATE + TABLE["k"] + sum(TABLE["inner"]) + HOLDER.rate


def reasons(function: Any) -> list[str]:
    return [line.partition(": ")[2] for line in function.why_retraced().splitlines()]


ARGUMENTS: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    ((V,), {}, "argument x is float32[2], it was float32[]"),
    ((rt.constant(1),), {}, "argument x is int32[], it was float32[]"),
    ((X, 2), {}, "argument n is int 2, it was int 1"),
    ((X, 1.0), {}, "argument n is float 1.0, it was int 1"),
    ((X, -0.0), {}, "argument n is float -0.0, it was int 1"),
    ((X, X), {}, "argument n is float32[], it was int 1"),
    ((X,), {"k": 1}, "argument k is int 1, it was not given"),
    (((X, X),), {}, "argument x is a tuple of 2, it was float32[]"),
    ((V, 2), {}, "argument x is float32[2], it was float32[]; argument n is int 2, it was int 1"),
]


@pytest.mark.parametrize(("args", "kwargs", "line"), ARGUMENTS)
def test_an_argument_is_different(args: Any, kwargs: Any, line: str) -> None:
    staged = rt.function(collected)
    staged(X)
    staged(*args, **kwargs)
    assert reasons(staged) == ["first trace (x: float32[], n: int 1)", line]


def test_objects_of_one_class() -> None:
    staged = rt.function(collected)
    staged(X, key=HOLDER)
    staged(X, key=Holder())
    staged(X, key=None)
    assert reasons(staged)[1:] == [
        "argument key is another one",
        "argument key is None, it was an object of class Holder",
    ]


def test_variables() -> None:
    staged = rt.function(collected)
    first, second = rt.Variable(1.0, name="a"), rt.Variable([1.0], name="b")
    staged(X, key=first)
    staged(X, key=second)
    staged(X, key=(same := rt.Variable([1.0], name="b")))
    staged(X, key=same.value())
    staged([first, second], key=1)
    staged([second, first], key=1)
    way_out = " (each variable has a trace of its own: pass value() where it is only read)"
    assert reasons(staged)[1:] == [
        f"argument key is variable 'b:0' float32[1], it was variable 'a:0' float32[]{way_out}",
        f"argument key is another one{way_out}",
        "argument key is float32[1], it was variable 'b:0' float32[1]",
        "argument x is a list of 2, it was float32[]; argument key is int 1, it was float32[1]",
        "argument x[0] is variable 'b:0' float32[1], it was variable 'a:0' float32[]; "
        f"argument x[1] is variable 'a:0' float32[], it was variable 'b:0' float32[1]{way_out}",
    ]


def test_the_way_into_an_argument() -> None:
    staged = rt.function(collected)
    staged({"a": X, "b": (X, 1)})
    staged({"a": X, "b": (X, 2)})
    staged({"a": X})
    assert reasons(staged)[1:] == [
        "argument x['b'][1] is int 2, it was int 1",
        "argument x is a dict with ('a',), it was a dict with ('a', 'b')",
    ]


def test_it_is_compared_with_the_trace_that_fits_best() -> None:
    staged = rt.function(collected)
    for arguments in ((X, 1), (V, 2), (X, 3)):
        staged(*arguments)
    assert reasons(staged)[-1] == "argument n is int 3, it was int 1"


def test_recursion_over_a_python_value() -> None:
    @rt.function
    def power(x: Any, k: int) -> Any:
        return x if k == 0 else power(x * x, k - 1)

    assert float(power(rt.constant(2.0), 2)) == 16.0
    assert reasons(power) == [
        "first trace (x: float32[], k: int 2)",
        "argument k is int 1, it was int 2",
        "argument k is int 0, it was int 1",
    ]


def test_a_difference_of_kind_is_the_farthest() -> None:
    staged = rt.function(collected)
    for other in (X, rt.constant(1), (X,), "text", V):
        staged(X, key=other)
    assert reasons(staged)[-1] == "argument key is float32[2], it was float32[]"
    staged(X, key="word")
    assert reasons(staged)[-1] == "argument key is str 'word', it was str 'text'"


def test_a_value_from_outside_is_different(monkeypatch: pytest.MonkeyPatch) -> None:
    staged = rt.function(reading)
    staged(X)
    monkeypatch.setitem(globals(), "RATE", 2.0)
    staged(X)
    monkeypatch.setitem(TABLE, "k", 5)
    staged(X)
    monkeypatch.setattr(HOLDER, "rate", 3.0, raising=False)
    staged(X)
    monkeypatch.setitem(TABLE, "inner", [7, 8])
    staged(X)
    TABLE["inner"].append(1)  # type: ignore[attr-defined]
    assert staged(X).numpy() == 1 * 2 + 5 + 16 + 3
    assert reasons(staged)[1:] == [
        "RATE was 1.0, is 2.0",
        "TABLE['k'] was 1, is 5",
        "HOLDER.rate was not there, is 3.0",
        "TABLE['inner'] is another list",
        "TABLE['inner'] had 2 elements, has 3",
    ]


def test_captured_variables() -> None:
    scale = 1.0

    @rt.function
    def scaled(x):
        return x * scale

    scaled(X)
    scale = 2.0
    assert scaled(X).numpy() == 2.0
    assert reasons(scaled)[1:] == ["scale was 1.0, is 2.0"]


class Layer:
    def __init__(self) -> None:
        self.k = 1.0
        self.held = [1.0, 2.0]

    @property
    def doubled(self) -> float:
        return self.k * 2.0

    def __getitem__(self, at: int) -> float:
        return self.held[at]

    def run(self, x):
        return x * self.k


class Net:
    def __init__(self) -> None:
        self.layers = [Layer(), Layer()]
        self.first = self.layers[0]
        self.table = {"a": [1.0]}


def sets(owner: Any, key: Any, value: Any = 5.0) -> None:
    if isinstance(key, str) and not isinstance(owner, dict):
        setattr(owner, key, value)
    else:
        owner[key] = value


READ_FROM_OUTSIDE: list[tuple[Any, Any, str]] = [
    (lambda x, net: sum(each.k for each in net.layers) * x, lambda net: sets(net.layers[1], "k"),
     "net.layers[1].k was 1.0, is 5.0"),
    (lambda x, net: [each.run(x) for each in net.layers][1], lambda net: sets(net.layers[1], "k"),
     "net.layers[1].k was 1.0, is 5.0"),
    (lambda x, net: x * net.first.doubled, lambda net: sets(net.first, "k"),
     "net.first.k was 1.0, is 5.0"),
    (lambda x, net: x * net.first[0], lambda net: sets(net.first.held, 0),
     "net.first.held[0] was 1.0, is 5.0"),
    (lambda x, net: x * net.table["a"][0], lambda net: sets(net.table["a"], 0),
     "net.table['a'][0] was 1.0, is 5.0"),
    (lambda x, net: x * net.first.k, lambda net: sets(net, "first", Layer()),
     "net.first is another Layer"),
    (lambda x, net: x * len(net.table), lambda net: sets(net.table, "b"),
     "net.table had 1 elements, has 2"),
]  # fmt: skip


@pytest.mark.parametrize(("read", "change", "line"), READ_FROM_OUTSIDE)
def test_what_changed_is_named_as_the_user_writes_it(read: Any, change: Any, line: str) -> None:
    net = Net()
    staged = rt.function(lambda x: read(x, net))
    staged(X)
    change(net)
    assert staged(X).numpy() == read(X, net).numpy()
    assert reasons(staged)[1:] == [line]


def test_a_trace_that_raised_is_not_counted() -> None:
    table: dict[str, float] = {}
    staged = rt.function(lambda x: x * table["k"])
    for _ in range(2):
        with pytest.raises(KeyError):
            staged(X)
        assert staged.experimental_get_tracing_count() == 0
        assert staged.why_retraced() == ""
    table["k"] = 2.0
    assert staged(X).numpy() == 2.0
    assert staged.why_retraced() == "1: first trace (x: float32[])"


# The warning


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "runtime"]


def test_frequent_retracing_is_warned_about_twice(caplog: pytest.LogCaptureFixture) -> None:
    @rt.function
    def scaled(x, n):
        return x * n

    for n in range(4):
        scaled(X, float(n))
    assert not warned(caplog)
    for n in range(4, 9):
        scaled(X, float(n))
    first, second = warned(caplog)
    assert first.startswith("5 of the last 5 traces of <function")
    assert second.startswith("6 of the last 6 traces of <function")
    assert "argument n is float 4.0, it was float 3.0" in first
    for way_out in ("in a loop", "reduce_retracing=True", "Python values", "from outside"):
        assert way_out in first
    assert "pass value() of a variable" in first
    assert rt.get_logger() is logging.getLogger("runtime")


def test_a_function_that_is_made_in_a_loop(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(5):
        rt.function(lambda x: x + 41.5)(X)
    (text,) = warned(caplog)
    assert "Here it is (1): each trace was the first one of a new function." in text
    assert "again" not in text
    assert "The last time" not in text


def test_a_method_counts_for_each_object(caplog: pytest.LogCaptureFixture) -> None:
    class Model:
        def __init__(self) -> None:
            self.scale = rt.Variable(2.0)

        @rt.function
        def run(self, x):
            return x * self.scale

    models = [Model() for _ in range(12)]
    for model in models:
        model.run(X)
    assert not warned(caplog)
    for size in range(1, 5):
        models[3].run(rt.ones([size]))
    (text,) = warned(caplog)
    assert text.startswith("5 of the last 5 traces of <bound method")
    assert "Here it is (1)" not in text


def test_functions_that_live_at_the_same_time_count_for_themselves(
    caplog: pytest.LogCaptureFixture,
) -> None:
    functions = [rt.function(lambda x, n=n: x + n) for n in range(12)]
    for function in functions:
        function(X)
    assert not warned(caplog)


def test_objects_that_are_made_in_a_loop(caplog: pytest.LogCaptureFixture) -> None:
    class Model:
        @rt.function
        def run(self, x):
            return x * 2.0

    for _ in range(5):
        Model().run(X)
    (text,) = warned(caplog)
    assert "Here it is (1): each trace was the first one of a new function." in text


def test_the_second_call_takes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    staged = rt.function(lambda x, n=1: x + 44.5 * n)
    ways = [((X,), {}), ((X, 1), {}), ((), {"n": 1, "x": X}), ((X, 2), {})]
    for args, kwargs in ways:
        staged(*args, **kwargs)
    monkeypatch.delattr(type(staged), "_call")
    for args, kwargs in ways:
        n = 2 if 2 in args else 1
        assert staged(*args, **kwargs).numpy() == 1.0 + 44.5 * n


def test_calls_in_between_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    staged = rt.function(lambda x: x + 42.5)
    for size in range(1, 9):
        for _ in range(3):
            staged(rt.ones([size]))
    assert not warned(caplog)


def test_the_short_way_does_not_hide_calls(caplog: pytest.LogCaptureFixture) -> None:
    staged = rt.function(lambda x: x + 43.5)
    for size in range(1, 9):
        for _ in range(40):
            staged(rt.ones([size]))
    for size in range(11, 15):
        staged(rt.ones([size]))
    assert not warned(caplog)
    staged(rt.ones([15]))
    assert warned(caplog)[0].startswith("5 of the last 10 traces")


# Bounds and leaks


def test_traces_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_cache, "MOST_TRACES", 3)
    staged = rt.function(collected)
    for n in (1, 2, 3, 1, 4):
        staged(X, n)
    assert staged.experimental_get_tracing_count() == 4
    staged(X, 1)
    assert staged.experimental_get_tracing_count() == 4
    staged(X, 2)
    assert staged.experimental_get_tracing_count() == 5
    assert len(staged.pretty_printed_concrete_signatures(verbose=False).splitlines()) == 3


def test_what_is_dropped_can_be_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_cache, "MOST_TRACES", 1)
    staged = rt.function(collected)
    graph = weakref.ref(staged.get_concrete_function(X, 1).graph)
    staged(X, 2)
    gc.collect()
    assert graph() is None


def test_functions_graphs_and_arguments_can_be_collected() -> None:
    argument = rt.constant([1.0, 2.0])
    staged = rt.function(lambda x: x + 1.0)
    for _ in range(20):
        staged(argument)
    references = [
        weakref.ref(item)
        for item in (argument.raw, staged, staged.get_concrete_function(argument).graph)
    ]
    argument = rt.constant(1.0)
    del staged
    gc.collect()
    assert [reference() for reference in references] == [None, None, None]


@pytest.mark.parametrize("reduce_retracing", [False, True])
def test_the_traces_for_an_object_go_with_it(reduce_retracing: bool) -> None:
    class Model:
        def __init__(self) -> None:
            self.scale = rt.Variable(2.0)

        def run(self, x):
            return x * self.scale

    staged = rt.function(lambda run, x: run(x), reduce_retracing=reduce_retracing)
    for _ in range(2):
        model = Model()
        alive = weakref.ref(model.scale)
        for size in (1, 2, 3):
            staged(model.run, rt.ones([size]))
        del model
        gc.collect()
        assert alive() is None
    assert staged.pretty_printed_concrete_signatures() == ""
    later = staged.experimental_get_tracing_count() // 2
    assert reasons(staged)[later] == (
        "the objects that it was traced for are gone (run: method "
        "test_the_traces_for_an_object_go_with_it.<locals>.Model.run, x: float32[1])"
    )


def test_reasons_are_not_endless() -> None:
    holder = Holder()
    vars(holder).update({f"a{number}": 1 for number in range(12)})

    @rt.function
    def total(x):
        return x + sum(vars(holder).values())

    total(X)
    vars(holder).update(dict.fromkeys(vars(holder), 2))
    assert float(total(X)) == 25.0
    assert re.search(r"holder\.a7 was 1, is 2, and \d more$", total.why_retraced())
