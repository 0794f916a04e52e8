"""Hidden changes: each kind of mutable object is seen to change, named, and put back."""

import array
import collections
import copy
import functools
import gc
import itertools
import os
import random
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from autograph import register_library
from autograph.mutation import iterators
from autograph.mutation.snapshots import MISSING, Snapshot


class Thing:
    shared = 0

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)

    def __repr__(self) -> str:
        raise AssertionError("the user's code must not run")

    __eq__ = __len__ = __bool__ = __repr__  # type: ignore[assignment]
    __hash__ = object.__hash__


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self) -> None:
        self.a = 1


class SlottedChild(Slotted):
    def __init__(self) -> None:
        super().__init__()
        self.c = [1]


class Guarded:
    """Attributes that can be neither read nor set in the ordinary way."""

    def __init__(self) -> None:
        vars(self)["x"] = 1

    def __getattribute__(self, name: str) -> Any:
        if name in ("__dict__", "__class__"):
            return object.__getattribute__(self, name)
        raise AssertionError("the user's code must not run")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AssertionError("the user's code must not run")


class MyList(list[Any]):
    label = ""

    def __getitem__(self, key: Any) -> Any:
        raise AssertionError("the user's code must not run")

    __iter__ = __len__ = clear = extend = __getitem__  # type: ignore[assignment]

    def append_all(self, items: Any) -> None:
        list.extend(self, items)


class Pair(NamedTuple):
    left: Any
    right: Any


def of_objects(dtype: Any, *shape: int) -> Any:
    made = np.zeros(shape, dtype)
    objects = made if made.dtype == object else made["xs"]
    objects.fill([])
    return made


Case = tuple[Callable[[], Any], Callable[[Any], Any], list[tuple[str, Any, Any]]]
CASES: dict[str, Case] = {
    "memoryview": (
        lambda: memoryview(bytearray(b"ab")),
        lambda v: v.__setitem__(0, 99),
        [("v", b"ab", b"cb")],
    ),
    "list item": (lambda: [1, 2, 3], lambda v: v.__setitem__(2, 9), [("v[2]", 3, 9)]),
    "list append": (lambda: [1], lambda v: v.append(2), [("len(v)", 1, 2)]),
    "list pop and set": (
        lambda: [1, 2],
        lambda v: (v.pop(), v.__setitem__(0, 5)),
        [("v[0]", 1, 5), ("len(v)", 2, 1)],
    ),
    "equal but another": (lambda: [[]], lambda v: v.__setitem__(0, 7), [("v[0]", [], 7)]),
    "nested": (lambda: [1, [2, [3]]], lambda v: v[1][1].append(4), [("len(v[1][1])", 1, 2)]),
    "list of a tuple": (lambda: (1, [2]), lambda v: v[1].append(4), [("len(v[1])", 1, 2)]),
    "list of a named tuple": (
        lambda: Pair([1], 2),
        lambda v: v.left.append(4),
        [("len(v[0])", 1, 2)],
    ),
    "dict value": (lambda: {"k": 1}, lambda v: v.update(k=2), [("v['k']", 1, 2)]),
    "dict new": (lambda: {}, lambda v: v.update(k=2), [("v['k']", MISSING, 2)]),
    "dict gone": (lambda: {1: 2}, lambda v: v.clear(), [("v[1]", 2, MISSING)]),
    "dict order": (
        lambda: {"a": 1, "b": 2},
        lambda v: v.update(a=v.pop("a")),
        [("v", ["a", "b"], ["b", "a"])],
    ),
    "dict in dict": (
        lambda: {(1, 2): {}},
        lambda v: v[1, 2].update(x=1),
        [("v[<tuple>]['x']", MISSING, 1)],
    ),
    "default dict": (
        lambda: collections.defaultdict(list),
        lambda v: v["a"].append(1),
        [("v['a']", MISSING, [1])],
    ),
    "ordered dict": (
        lambda: collections.OrderedDict(a=1, b=2),
        lambda v: v.move_to_end("a"),
        [("v", ["a", "b"], ["b", "a"])],
    ),
    "counter": (collections.Counter, lambda v: v.update("a"), [("v['a']", MISSING, 1)]),
    "set": (lambda: {1}, lambda v: v.add(2), [("v", frozenset({1}), frozenset({1, 2}))]),
    "deque": (
        lambda: collections.deque([1, 2]),
        lambda v: v.popleft(),
        [("v[0]", 1, 2), ("len(v)", 2, 1)],
    ),
    "bytearray": (
        lambda: bytearray(b"a"),
        lambda v: v.append(98),
        [("v", bytearray(b"a"), bytearray(b"ab"))],
    ),
    "array": (
        lambda: array.array("i", [1]),
        lambda v: v.__setitem__(0, 2),
        [("v", array.array("i", [1]), array.array("i", [2]))],
    ),
    "attribute": (lambda: Thing(count=0), lambda v: setattr(v, "count", 1), [("v.count", 0, 1)]),
    "new attribute": (Thing, lambda v: setattr(v, "count", 1), [("v.count", MISSING, 1)]),
    "attribute gone": (lambda: Thing(x=1), lambda v: delattr(v, "x"), [("v.x", 1, MISSING)]),
    "deep": (
        lambda: Thing(a={"b": [Thing(c=1)]}),
        lambda v: setattr(v.a["b"][0], "c", 2),
        [("v.a['b'][0].c", 1, 2)],
    ),
    "slot": (Slotted, lambda v: setattr(v, "a", 2), [("v.a", 1, 2)]),
    "empty slot": (Slotted, lambda v: setattr(v, "b", 2), [("v.b", MISSING, 2)]),
    "slot gone": (Slotted, lambda v: delattr(v, "a"), [("v.a", 1, MISSING)]),
    "slot and dict": (
        SlottedChild,
        lambda v: (setattr(v, "a", 2), v.c.append(2)),
        [("v.a", 1, 2), ("len(v.c)", 1, 2)],
    ),
    "guarded": (Guarded, lambda v: vars(v).update(x=2), [("v.x", 1, 2)]),
    "namespace": (
        lambda: types.SimpleNamespace(x=1),
        lambda v: setattr(v, "x", 2),
        [("v.x", 1, 2)],
    ),
    "subclass of list": (MyList, lambda v: list.append(v, 1), [("len(v)", 0, 1)]),
    "attribute of a list": (MyList, lambda v: setattr(v, "label", 1), [("v.label", MISSING, 1)]),
    "bound method": (
        lambda: Thing(x=[]).__init__,  # type: ignore[misc]
        lambda v: v.__self__.x.append(1),
        [("len(self.x)", 0, 1)],
    ),
    "partial": (
        lambda: functools.partial(print, [1], k=[2]),
        lambda v: (v.args[0].append(1), v.keywords["k"].append(1)),
        [("len(v.args[0])", 1, 2), ("len(v.keywords['k'])", 1, 2)],
    ),
    "array of objects": (
        lambda: of_objects(object, 2, 1),
        lambda v: v[1, 0].append(1),
        [("len(v[0][0])", 0, 1)],
    ),
    "array of records": (
        lambda: of_objects([("n", "i4"), ("xs", object)], 1),
        lambda v: v["xs"][0].append(1),
        [("len(v[0][1])", 0, 1)],
    ),
    "class": (
        lambda: type("Local", (), {"n": 0, "__module__": __name__}),
        lambda v: setattr(v, "n", 1),
        [("v.n", 0, 1)],
    ),
}


@pytest.mark.parametrize(("make", "change", "expected"), CASES.values(), ids=CASES)
def test_a_change_is_seen_named_and_undone(make: Any, change: Any, expected: Any) -> None:
    value = make()
    snapshot = Snapshot({"v": value})
    assert snapshot.changes() == []
    change(value)
    found = snapshot.changes()
    assert [(one.path, one.before, one.after) for one in found] == expected
    snapshot.restore()
    assert snapshot.changes() == []
    assert snapshot.beyond == []


def array_cases() -> dict[str, Any]:
    base = np.arange(12.0).reshape(3, 4)
    return {
        "floats": np.zeros(3),
        "view": base[:, ::2],
        "object": np.array([1, "a", None], dtype=object),
        "nan": np.array([np.nan, 1.0]),
        "empty": np.zeros((0, 3)),
        "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
        "record": np.zeros(2, dtype=[("a", "i4"), ("b", "f8")]),
    }


@pytest.mark.parametrize("name", array_cases())
def test_numpy_arrays(name: str) -> None:
    value = array_cases()[name]
    before = value.copy()
    snapshot = Snapshot({"x": value})
    assert snapshot.changes() == []
    if not value.size:
        return
    value[0] = value[-1] if name == "nan" else value.dtype.type(5) if name == "floats" else 7
    changes = snapshot.changes()
    assert [change.path for change in changes] == ["x"]
    assert changes[0].before.tobytes() == before.tobytes()
    snapshot.restore()
    assert value.tobytes() == before.tobytes()


# Functions

TOTAL = 0
SEEN: list[int] = []
CONFIG = types.ModuleType("users_config")
CONFIG.level = [1]  # type: ignore[attr-defined]
CONFIG.other = 1  # type: ignore[attr-defined]


def make_function() -> Callable[..., Any]:
    n = 0
    xs = [1]
    unbound: int

    def helper() -> None:
        xs.append(2)

    def f(x: Any, acc: list[int] = [], *, seen: dict[str, int] = {}) -> None:  # noqa: B006
        nonlocal n, unbound
        global TOTAL
        n = n + 1
        helper()
        TOTAL = TOTAL + 1
        SEEN.append(1)
        CONFIG.level.append(2)  # type: ignore[attr-defined]
        acc.append(1)
        seen["a"] = 1
        f.calls = 1  # type: ignore[attr-defined]
        unbound = 3

    return f


def test_what_a_function_reaches() -> None:
    f = make_function()
    snapshot = Snapshot({"f": f})
    assert snapshot.changes() == []
    f(1)
    changes = {change.path: (change.before, change.after) for change in snapshot.changes()}
    assert changes == {
        "f.calls": (MISSING, 1),
        "n": (0, 1),
        "unbound": (MISSING, 3),
        "len(acc)": (0, 1),
        "seen['a']": (MISSING, 1),
        "TOTAL": (0, 1),
        "len(SEEN)": (0, 1),
        "len(CONFIG.level)": (1, 2),
        "len(xs)": (1, 2),
    }
    snapshot.restore()
    assert snapshot.changes() == []
    assert (TOTAL, SEEN, CONFIG.level, vars(f)) == (0, [], [1], {})  # type: ignore[attr-defined]


def importing() -> None:
    import users_parts  # type: ignore[import-not-found]

    users_parts.count += 1


def importing_a_part() -> None:
    from users_parts import inner  # type: ignore[import-not-found]

    inner.items.append(1)


def importing_by_a_text() -> None:
    sys.modules["users_parts"].count += 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (importing, ("users_parts.count", 0, 1)),
        (importing_a_part, ("len(users_parts.inner.items)", 0, 1)),
        (importing_by_a_text, ("users_parts.count", 0, 1)),
    ],
)
def test_what_a_function_reaches_of_modules_that_it_imports(
    function: Any, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer: Any = types.ModuleType("users_parts")
    inner: Any = types.ModuleType("users_parts.inner")
    outer.count, outer.inner, inner.items, inner.around = 0, inner, [], outer
    monkeypatch.setitem(sys.modules, "users_parts", outer)
    snapshot = Snapshot({"f": function})
    function()
    assert [(one.path, one.before, one.after) for one in snapshot.changes()] == [expected]
    snapshot.restore()
    assert (outer.count, inner.items) == (0, [])


@pytest.mark.parametrize(
    "holder",
    [
        lambda f: functools.partial(f, 1),
        lambda f: types.MethodType(f, 1),
        lambda f: types.MethodType(functools.partial(f), 1),
    ],
    ids=["partial", "method", "method of a partial"],
)
def test_a_function_that_will_be_called_is_looked_into(holder: Any) -> None:
    xs = [1]
    snapshot = Snapshot({"f": holder(lambda x: xs.append(x))})
    xs.append(2)
    assert [change.path for change in snapshot.changes()] == ["len(xs)"]


@pytest.mark.parametrize("hold", [lambda f: [f], lambda f: {"f": f}, lambda f: Thing(f=f)])
def test_a_function_that_others_hold_is_looked_into(hold: Any) -> None:
    xs = [1]
    snapshot = Snapshot({"fs": hold(lambda: xs.append(1))})
    xs.append(2)
    assert [change.path for change in snapshot.changes()] == ["len(xs)"]


def test_modules_are_not_reached_by_the_table_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    other: Any = types.ModuleType("users_other")
    other.items = []
    monkeypatch.setitem(sys.modules, "users_other", other)
    snapshot = Snapshot({"f": importing_by_a_text})
    other.items.append(1)
    monkeypatch.setitem(sys.modules, "users_new", other)
    assert [change.path for change in snapshot.changes()] == ["sys.modules['users_new']"]


def test_a_global_is_told_once_for_two_functions() -> None:
    def f() -> None:
        SEEN.append(1)

    def g() -> None:
        SEEN.append(2)

    snapshot = Snapshot({"f": f, "g": g})
    f()
    assert [change.path for change in snapshot.changes()] == ["len(SEEN)"]
    snapshot.restore()
    assert SEEN == []


def test_a_root_added_later_keeps_what_was_seen_before() -> None:
    first, second = [1], [2]
    snapshot = Snapshot({"first": first})
    first.append(0)
    second.append(0)
    snapshot.add("both", [first, second])
    second.append(0)
    assert [change.path for change in snapshot.changes()] == ["len(first)", "len(both[1])"]


def test_an_object_that_is_renewed_is_put_back_to_what_it_is_then() -> None:
    class Layer:
        def __init__(self) -> None:
            self.built = False
            self.weights: list[int] = []
            self.inner = Inner()

    class Inner:
        count = 0

    layer, other = Layer(), [0]
    snapshot = Snapshot({"layer": layer, "other": other})
    layer.built, layer.inner.count = True, 1
    layer.weights.append(3)
    other.append(4)
    snapshot.renew(layer)
    layer.weights.append(5)
    snapshot.restore()
    assert (layer.built, layer.weights, other) == (True, [3], [0])
    assert layer.inner.count == 0  # another object of the user's


def test_what_a_snapshot_knows() -> None:
    inner: list[Any] = []
    snapshot = Snapshot({"v": {"a": inner}})
    assert snapshot.knows(inner)
    assert not snapshot.knows([])
    assert not snapshot.knows(3)


# What is left out


@pytest.mark.parametrize(
    "value",
    [
        1,
        "a",
        None,
        (1, 2),
        frozenset({1}),
        len,
        range(3),
        np.float64(1.0),
        np,
        iter([1]),
        random.Random(1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_nothing_to_remember(value: Any) -> None:
    assert Snapshot({"v": value}).changes() == []


def test_objects_of_libraries_are_not_looked_into() -> None:
    register_library("tensors_of_a_test")
    cls = type("Symbol", (), {"__module__": "tensors_of_a_test.core"})
    value = cls()
    snapshot = Snapshot({"v": [value]})
    value.x = 1
    cls.y = 2
    assert snapshot.changes() == []


def test_cycles() -> None:
    thing = Thing(xs=[1])
    thing.me = thing
    thing.xs.append(thing.xs)
    snapshot = Snapshot({"t": thing})
    thing.xs.append(2)
    assert [change.path for change in snapshot.changes()] == ["len(t.xs)"]


# Bounds


def nested(depth: int) -> list[Any]:
    return [nested(depth - 1)] if depth else []


@pytest.mark.parametrize(
    ("value", "bounds", "reason"),
    [
        (nested(4), {"depth": 3}, "v[0][0][0][0], a list, is nested more than 3 deep"),
        (list(range(50)), {"elements": 20}, "v, a list, is beyond the first 20 objects and items"),
        (np.zeros(100), {"array_bytes": 99}, "v, a ndarray, has 800 bytes"),
        (bytearray(100), {"array_bytes": 99}, "v, a bytearray, has 100 bytes"),
    ],
    ids=["depth", "elements", "array", "bytes"],
)
def test_what_is_beyond_the_bounds_is_told(value: Any, bounds: dict[str, int], reason: str) -> None:
    assert Snapshot({"v": value}, **bounds).beyond == [reason]
    assert Snapshot({"v": value}).beyond == []


def test_a_method_counts_once_however_often_it_is_read() -> None:
    thing = MyList([1, 2])
    snapshot = Snapshot({}, elements=20)
    for _ in range(100):
        snapshot.add("append", thing.append_all)
    assert snapshot.beyond == []
    thing.label = "changed"
    assert [change.path for change in snapshot.changes()] == ["self.label"]


def test_depth_counts_mutable_objects_only_where_they_are() -> None:
    snapshot = Snapshot({"v": nested(3)}, depth=3)
    assert snapshot.beyond == []


def test_values_are_let_go_with_the_snapshot() -> None:
    thing = Thing()
    dead = weakref.ref(thing)
    snapshot = Snapshot({"t": thing})
    del thing
    assert dead() is not None
    del snapshot
    gc.collect()
    assert dead() is None


@pytest.mark.parametrize("seed", range(30))
def test_random_changes_are_undone(seed: int) -> None:
    chance = random.Random(seed)
    value = {i: [{"a": i, "b": [i]}, {i}, collections.deque([i])] for i in range(4)}
    original = copy.deepcopy(value)
    snapshot = Snapshot({"v": value})
    for _ in range(chance.randrange(1, 12)):
        chance.choice(MUTATIONS)(value, chance)
    assert bool(snapshot.changes()) == (value != original)
    snapshot.restore()
    assert (value, snapshot.changes()) == (original, [])


MUTATIONS: list[Callable[[Any, random.Random], Any]] = [
    lambda v, c: v.setdefault(c.randrange(9), []).append(c.random()),
    lambda v, c: v.pop(c.randrange(4), None),
    lambda v, c: [row[0].pop("a", None) for row in v.values() if len(row) == 3],
    lambda v, c: [row[0]["b"].append(1) for row in v.values() if len(row) == 3],
    lambda v, c: [row[1].add(c.random()) for row in v.values() if len(row) == 3],
    lambda v, c: [row[2].appendleft(1) for row in v.values() if len(row) == 3],
    lambda v, c: [row.reverse() for row in v.values() if len(row) != 3],
]


ITERATORS: dict[str, Callable[[], Any]] = {
    "list": lambda: iter([1, 2, 3]),
    "enumerate": lambda: enumerate([1, 2]),
    "zip of iterators": lambda: zip(iter([1, 2]), iter([3, 4]), strict=True),
    "map": lambda: map(abs, [1, 2]),
    "chain": lambda: itertools.chain([1, 2], [3]),
    "cycle": lambda: itertools.cycle([1, 2]),
    "generator": lambda: (n for n in [1, 2]),
    "generator that yields the same": lambda: (7 for _ in range(3)),
}


@pytest.mark.parametrize("name", ITERATORS)
@pytest.mark.parametrize("started", [False, True])
def test_an_iterator_that_advances_is_seen(name: str, started: bool) -> None:
    iterator = ITERATORS[name]()
    if started:
        next(iterator)
    snapshot = Snapshot({"v": iterator})
    if name != "cycle" or sys.version_info < (3, 14):
        assert snapshot.changes() == []
    next(iterator)
    assert snapshot.changes()[0].path.startswith("v")


def test_an_iterator_that_does_not_tell_how_far_it_has_come_may_have_advanced() -> None:
    with os.scandir() as iterator:
        assert iterators._counters(iterator) != iterators._counters(iterator)
    islice = itertools.islice([1, 2, 3], 2)
    if sys.version_info < (3, 14):
        assert iterators._counters(islice) == iterators._counters(islice)


def test_what_a_function_reaches_by_global_names() -> None:
    outer = Snapshot({})
    Snapshot({"f": test_an_iterator_that_advances_is_seen, "xs": (mine := [1])}, outer=outer)
    assert outer.knows(ITERATORS)
    assert not outer.knows(mine)


def called_by_name() -> int:
    return 1


class WithMethod:
    def method(self) -> int:
        return 1


def uses_names() -> None:
    called_by_name()
    WithMethod.method.note = CONFIG.fresh = 1  # type: ignore[attr-defined]


def test_what_is_put_into_functions_that_are_named_and_into_modules() -> None:
    snapshot = Snapshot({"f": uses_names})
    called_by_name.note = 2  # type: ignore[attr-defined]
    called_by_name.__defaults__ = (3,)
    uses_names()
    changes = {change.path: (change.before, change.after) for change in snapshot.changes()}
    assert changes == {
        "called_by_name.note": (MISSING, 2),
        "called_by_name.__defaults__": (None, (3,)),
        "WithMethod.method.note": (MISSING, 1),
        "CONFIG.fresh": (MISSING, 1),
    }
    snapshot.restore()
    assert snapshot.changes() == []
    assert not vars(called_by_name)
    assert not vars(WithMethod.method)
    assert called_by_name.__defaults__ is None
    assert not hasattr(CONFIG, "fresh")


def test_what_is_new_is_not_looked_at() -> None:
    new: list[Any] = []
    old: list[Any] = [0]
    snapshot = Snapshot({}, made={id(new): new})
    snapshot.add("xs", [new, old])
    assert snapshot.knows(old)
    assert not snapshot.knows(new)


def test_snapshots_in_each_other_remember_an_object_once() -> None:
    items = [1]
    outer = Snapshot({})
    outer.add("items", items)
    inner = Snapshot({}, around=outer)
    inner.add("items", items)
    assert [id(note) for note in inner.notes()] == [id(note) for note in outer.notes()] != []


def test_a_snapshot_in_another_puts_back_what_it_has_seen_itself() -> None:
    items = [1]
    outer = Snapshot({})
    outer.add("items", items)
    items.append(2)
    inner = Snapshot({}, around=outer)
    inner.add("items", items)
    items.append(3)
    inner.restore()
    assert items == [1, 2]
    outer.restore()
    assert items == [1]
