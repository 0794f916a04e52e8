"""Which calls find a trace: signatures, and guards for what Python reads."""

from __future__ import annotations

import array
import collections
import copy
import dataclasses
import functools
import gc
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.functions.function import function
from tests.support.staging import traces

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
    assert [(s.__class__, repr(s)) for s in seen] == [(type(v), repr(v)) for v in values]


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


def test_default_values_that_are_changed_later_are_seen() -> None:
    def f(x, y=2, *, k=1):
        return x * y + k

    def alone(x, y=2):
        return x * y

    class Holder:
        @rt.function
        def method(self, x, y=2):
            return x * y

    staged, short = function(f), function(alone)
    method, holder = Holder.method.python_function, Holder()

    def check() -> None:
        for _ in range(3):
            assert float(staged(X)) == f(3.0)
            assert float(staged(X, 5)) == f(3.0, 5)
            assert float(short(X)) == alone(3.0)
            assert float(holder.method(X)) == method(holder, 3.0)

    check()
    f.__defaults__ = alone.__defaults__ = method.__defaults__ = (4,)
    check()
    assert f.__kwdefaults__ is not None
    f.__kwdefaults__["k"] = 7
    check()
    f.__kwdefaults__ = {"k": 8}
    check()
    alone.__defaults__ = None
    with pytest.raises(TypeError, match="missing a required argument: 'y'"):
        short(X)


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
        ((), r"<lambda>\(\): missing argument 'v': expected TensorSpec"),
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
    with pytest.raises(TypeError, match="a function returns tensors"):
        function(lambda x: object())(X)


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
