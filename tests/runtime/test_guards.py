"""Values that Python reads by itself, or through the standard library: a change traces again."""

from __future__ import annotations

import collections
import dataclasses
import functools
import gc
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from runtime.graph import guards


class Field:
    def __init__(self) -> None:
        self.k = 1

    def __get__(self, owner: Any, kind: Any) -> int:
        return self.k


class Item:
    __slots__ = ("__dict__", "slot")
    field = Field()
    shared = 1

    def __init__(self) -> None:
        self.k = self.slot = 1

    def __call__(self, x: Any) -> Any:
        return x * self.k

    def __getitem__(self, key: Any) -> Any:
        return self.read(key)

    def read(self, key: Any) -> Any:
        return self.k

    def __radd__(self, other: Any) -> Any:
        return other + self.k

    def __len__(self) -> int:
        return self.slot

    def __iter__(self) -> Any:
        return iter([self.k])

    def __contains__(self, value: Any) -> bool:
        return bool(self.k == value)

    @property
    def double(self) -> Any:
        return self.k * 2

    @functools.cached_property
    def triple(self) -> Any:
        return self.k * 3

    def __enter__(self) -> Any:
        return self.k

    def __exit__(self, *error: Any) -> None:
        pass


class Labelled(dict[str, int]):
    pass


class Table(collections.abc.Mapping[str, int]):
    def __init__(self) -> None:
        self.held = {"a": 1}
        self.k = 1

    def __getitem__(self, key: str) -> int:
        return self.held[key]

    def __iter__(self) -> Any:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)


Case = tuple[Callable[[Any, Any], Any], Callable[[], Any], Callable[[Any], Any]]


def sets(name: str) -> Callable[[Any], Any]:
    return lambda item: setattr(item, name, 5)


def puts(key: Any) -> Callable[[Any], Any]:
    return lambda items: items.__setitem__(key, 5)


def sets_of_class(name: str) -> Callable[[Any], Any]:
    return lambda item: setattr(type(item), name, 5)


HEIGHT = 1


@dataclasses.dataclass
class Point:
    a: int


class Proxy:
    def __init__(self, v: int) -> None:
        self._v = v

    def __getattr__(self, name: str) -> Any:
        if name != "v":
            raise AttributeError(name)
        return self.__dict__["_v"]


class Derived:
    """Its attributes `k3` and `made` are made of others by what Python calls."""

    def __init__(self) -> None:
        self.k = self.hidden = 1

    def __getattr__(self, name: str) -> Any:
        if name != "k3":
            raise AttributeError(name)
        return self.k * 3

    def __getattribute__(self, name: str) -> Any:
        if name == "made":
            return object.__getattribute__(self, "k") + object.__getattribute__(self, "hidden")
        return object.__getattribute__(self, name)


class Slotted:
    __slots__ = ("k",)

    def __init__(self) -> None:
        self.k = 1

    def __getattr__(self, name: str) -> Any:
        if name != "k3":
            raise AttributeError(name)
        return self.k * 3

    @property
    def double(self) -> Any:
        return self.k * 2


class OfOwner:
    def __get__(self, owner: Any, kind: Any) -> Any:
        return kind.scale if owner is None else owner.k * kind.scale


class ReadOnly(OfOwner):
    def __set__(self, owner: Any, value: Any) -> None:
        raise AttributeError


class Named:
    def __set_name__(self, owner: Any, name: str) -> None:
        self.name = f"_{name}"

    def __get__(self, owner: Any, kind: Any) -> Any:
        return getattr(owner, self.name)


class Owner:
    scale = _named = 1
    named = Named()
    of_owner = OfOwner()
    read_only = ReadOnly()

    def __init__(self) -> None:
        self.k = 1
        self.__dict__["read_only"] = 0


def owner() -> Any:
    return type("Own", (Owner,), {})()


class Cat:
    def kind(self) -> int:
        return 1


class Dog:
    def kind(self) -> int:
        return 2


def viewed(held: dict[str, int]) -> Any:
    return types.MappingProxyType(held), held


def late(x: Any) -> Any:
    try:
        return x + LATER  # type: ignore[name-defined]
    except NameError:
        return x


def lower() -> Any:
    return type("Lower", (Item,), {})()


def entered(item: Any) -> Any:
    with item as value:
        return value


def labelled(value: int) -> Labelled:
    made = Labelled()
    made.k = value  # type: ignore[attr-defined]
    return made


CASES: dict[str, Case] = {
    "get": (lambda x, d: x + d.get("a", 0), dict, puts("a")),
    "in": (lambda x, d: x + (1 if "a" in d else 0), dict, puts("a")),
    "items": (lambda x, d: x + sum(v for _, v in d.items()), lambda: {"a": 1}, puts("a")),
    "values": (lambda x, d: x + sum(d.values()), lambda: {"a": 1}, puts("a")),
    "star": (lambda x, d: x + dict(**d)["a"], lambda: {"a": 1}, puts("a")),
    "defaultdict": (lambda x, d: x + d["a"], lambda: collections.defaultdict(int, a=1), puts("a")),
    "UserDict": (lambda x, d: x + d["a"], lambda: collections.UserDict(a=1), puts("a")),
    "UserList": (lambda x, d: x + d[0], lambda: collections.UserList([1]), puts(0)),
    "deque": (lambda x, d: x + d[0], lambda: collections.deque([1]), puts(0)),
    "index": (lambda x, d: x + d.index(5), lambda: [1, 5], puts(0)),
    "array": (lambda x, d: x + int(d.sum()), lambda: np.array([1, 2]), puts(0)),
    "slot": (lambda x, item: x + item.slot, Item, sets("slot")),
    "descriptor": (lambda x, item: x + item.field, Item, lambda item: sets("k")(field_of(item))),
    "class": (lambda x, items: x + items[0].shared, lambda: [type("C", (Item,), {"shared": 1})],
              lambda items: setattr(items[0], "shared", 5)),
    "getattr": (lambda x, item: x + getattr(item, "new", 0), Item, sets("new")),
    "hasattr": (lambda x, item: x + (1 if hasattr(item, "new") else 0), Item, sets("new")),
    "vars": (lambda x, item: x + vars(item)["k"], Item, sets("k")),
    "call": (lambda x, item: item(x), Item, sets("k")),
    "subscript": (lambda x, item: x + item[0], Item, sets("k")),
    "operator": (lambda x, item: x + item, Item, sets("k")),
    "len": (lambda x, item: x + len(item), Item, sets("slot")),
    "iter": (lambda x, item: x + sum(item), Item, sets("k")),
    "contains": (lambda x, item: x + (1 if 5 in item else 0), Item, sets("k")),
    "with": (lambda x, item: x + entered(item), Item, sets("k")),
    "class of": (lambda x, item: x + item.__class__.shared, lower, sets_of_class("shared")),
    "nearer class": (lambda x, item: x + item.shared, lower, sets_of_class("shared")),
    "no class has": (lambda x, item: x + getattr(item, "fresh", 1), lower, sets_of_class("fresh")),
    "computed once": (lambda x, item: x + item.triple, Item, sets("triple")),
    "attribute of a dict": (lambda x, d: x + d.k, lambda: labelled(1), sets("k")),
    "attribute of a mapping": (lambda x, d: x + d.k, Table, sets("k")),
    "entry of a mapping": (lambda x, d: x + d["a"], Table, lambda d: puts("a")(d.held)),
    "get of a mapping": (lambda x, d: x + d.get("a"), Table, lambda d: puts("a")(d.held)),
    "property": (lambda x, item: x + item.double, Item, sets("k")),
    "partial": (lambda x, f: f(x), lambda: functools.partial(lambda d, x: x + d["a"], {"a": 1}),
                lambda f: puts("a")(f.args[0])),
    "keyword of a partial": (
        lambda x, f: f(x), lambda: functools.partial(lambda x, item: x + item.k, item=Item()),
        lambda f: sets("k")(f.keywords["item"]),
    ),
    "item of a long list": (lambda x, d: x + d[3], lambda: list(range(300)), puts(3)),
    "length of a long list": (lambda x, d: x * len(d), lambda: [1] * 300, lambda d: d.append(1)),
    "sum of a long list": (lambda x, d: x * sum(d), lambda: list(range(400)), puts(399)),
    "equal, of another class": (lambda x, d: x * (2 if d[300] is True else 1), lambda: [True] * 400,
                                lambda d: d.__setitem__(300, 1)),
    "values of a long dict": (lambda x, d: x * sum(d.values()),
                              lambda: dict(zip(range(400), range(400), strict=True)), puts(399)),
    "array in a long list": (lambda x, d: x + d[1], lambda: [1] * 300,
                             lambda d: d.__setitem__(1, np.array([2, 2])[1])),
    "last of many objects": (
        lambda x, items: sum([x + each.a + each.b + each.c + each.d for each in items]),
        lambda: [types.SimpleNamespace(a=1, b=1, c=1, d=1) for _ in range(200)],
        lambda items: sets("d")(items[-1]),
    ),
    "long array": (lambda x, a: x + int(a[-1]), lambda: np.ones(30_000, np.int64), puts(-1)),
    "__dict__": (lambda x, item: x + item.__dict__["k"], Item, sets("k")),
    "all of __dict__": (lambda x, item: x + sum(item.__dict__.values()), Item, sets("k")),
    "all vars": (lambda x, item: x + sum(vars(item).values()), Item, sets("k")),
    "astuple": (lambda x, item: x + dataclasses.astuple(item)[0], lambda: Point(1), sets("a")),
    "asdict": (lambda x, item: x + dataclasses.asdict(item)["a"], lambda: Point(1), sets("a")),
    "__getattr__": (lambda x, item: x + item.v, lambda: Proxy(1), sets("_v")),
    "__getattr__ of a holder": (lambda x, item: x + item.k3, Derived, sets("k")),
    "__getattr__ with slots": (lambda x, item: x + item.k3, Slotted, sets("k")),
    "property with slots": (lambda x, item: x + item.double, Slotted, sets("k")),
    "descriptor that reads its owner": (lambda x, item: x + item.of_owner, Owner, sets("k")),
    "descriptor that reads its class": (lambda x, item: x + item.of_owner, owner,
                                        sets_of_class("scale")),
    "descriptor of a class": (lambda x, item: x + type(item).of_owner, owner,
                              sets_of_class("scale")),
    "descriptor before the attribute": (lambda x, item: x + item.read_only, Owner, sets("k")),
    "descriptor that keeps a name": (lambda x, item: x + item.named, Owner, sets("_named")),
    "second holder": (lambda x, items: x + items[0].of_owner + items[1].of_owner,
                      lambda: (Owner(), Owner()), lambda items: sets("k")(items[1])),
    "another class": (lambda x, item: x + item.kind(), lambda: Cat(),
                      lambda item: setattr(item, "__class__", Dog)),
    "view of a dict": (lambda x, p: x + p[0]["a"], lambda: viewed({"a": 1}),
                       lambda p: puts("a")(p[1])),
    "get of a view": (lambda x, p: x + p[0].get("a", 1), lambda: viewed({}),
                      lambda p: puts("a")(p[1])),
    "globals": (lambda x, _: x + globals()["HEIGHT"], lambda: HEIGHT.__class__(0),
                lambda _: globals().__setitem__("HEIGHT", HEIGHT + 1)),
    "global that appears": (lambda x, _: late(x), lambda: globals().pop("LATER", None),
                            lambda _: globals().__setitem__("LATER", 5)),
    "default": (lambda x, f: f(x), lambda: with_default([1]), lambda f: puts(0)(f.__defaults__[0])),
}  # fmt: skip


def field_of(item: Any) -> Any:
    return vars(type(item))["field"]


def with_default(items: Any) -> Any:
    def f(x: Any, held: Any = items) -> Any:
        return x + held[0]

    return f


NONE = {
    "attribute": (lambda x, o: x if o.held is None else x * o.held.k,
                  lambda o: setattr(o, "held", None)),
    "variable": (lambda x, o: x if o.v is None else x * o.v, lambda o: setattr(o, "v", None)),
    "function": (lambda x, o: x if o.f is None else o.f(x), lambda o: setattr(o, "f", None)),
    "set": (lambda x, o: x if o.s is None else x * len(o.s), lambda o: setattr(o, "s", None)),
    "item": (lambda x, o: x if o.l[0] is None else x * o.l[0].k,
             lambda o: o.l.__setitem__(0, None)),
    "get": (lambda x, o: x if o.d.get("a") is None else x * o.d["a"].k,
            lambda o: o.d.__setitem__("a", None)),
}  # fmt: skip


def held_in_all_ways() -> Any:
    first, second, third = Item(), Item(), Item()
    first.k = second.k = third.k = 5
    return types.SimpleNamespace(
        held=first, v=rt.Variable(5), f=lambda x: x * 5, s={1, 2}, l=[second], d={"a": third}
    )


@pytest.mark.parametrize("name", NONE)
@pytest.mark.parametrize("is_argument", [False, True])
def test_none_in_place_of_an_object_that_is_gone_is_a_change(name: str, is_argument: bool) -> None:
    read, change = NONE[name]
    held, x = held_in_all_ways(), rt.constant(3)
    staged = rt.function(read if is_argument else lambda x: read(x, held))
    given = (x, held) if is_argument else (x,)
    assert int(staged(*given)) == int(read(x, held)) != 3
    change(held)
    assert [int(staged(*given)) for _ in range(3)] == [3] * 3


@pytest.mark.parametrize("name", CASES)
def test_a_change_is_never_stale(name: str) -> None:
    read, make, change = CASES[name]
    held = make()
    staged, x = rt.function(lambda x: read(x, held)), rt.constant(3)
    assert [int(staged(x)) for _ in range(12)] == [int(read(x, held))] * 12
    assert staged.experimental_get_tracing_count() == 1
    before = int(read(x, held))
    change(held)
    assert int(read(x, held)) != before
    assert [int(staged(x)) for _ in range(12)] == [int(read(x, held))] * 12
    assert staged.experimental_get_tracing_count() == 2


@pytest.mark.parametrize("read", [lambda x, item: x + item.k3, lambda x, item: x + item.made])
def test_what_is_derived_of_an_argument_is_never_stale(read: Any) -> None:
    staged, x, item = rt.function(read), rt.constant(3), Derived()
    for item.k in (1, 5):
        assert int(staged(x, item)) == int(read(x, item))


def test_what_nobody_reads_is_no_guard() -> None:
    item = Item()
    staged, x = rt.function(lambda x: x + item.k), rt.constant(3)
    staged(x)
    item.calls = 7
    staged(x)
    assert staged.experimental_get_tracing_count() == 1


SCALE = [1.0]


def test_what_an_inner_function_reads_is_guarded_in_the_outer_one() -> None:
    rates = {"rate": 2.0}
    inner = rt.function(lambda x: x * SCALE[0] * rates["rate"])
    outer = rt.function(lambda x: inner(x) + 1.0)
    outermost = rt.function(lambda x: outer(x) * 10.0)
    x = rt.constant(3.0)
    assert (float(outermost(x)), float(outer(x))) == (70.0, 7.0)
    SCALE[0] = 2.0
    assert (float(outermost(x)), float(outer(x))) == (130.0, 13.0)
    rates["rate"] = 1.0
    assert (float(outer(x)), float(outermost(x))) == (7.0, 70.0)
    SCALE[0] = 1.0
    assert (float(inner(x)), float(outermost(x))) == (3.0, 40.0)
    count = outermost.experimental_get_tracing_count()
    assert float(outermost(x)) == 40.0
    assert outermost.experimental_get_tracing_count() == count == 4


def test_objects_made_while_tracing_are_no_guards() -> None:
    class Scaled:
        def __init__(self) -> None:
            self.factor = 2.0

        @rt.function
        def run(self, x: Any) -> Any:
            return x * self.factor

    outer = rt.function(lambda x: Scaled().run(x))
    for _ in range(3):
        assert float(outer(rt.constant(3.0))) == 6.0
        gc.collect()
    assert outer.experimental_get_tracing_count() == 1


def test_too_many_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "MOST_GUARDS", 50)
    items = [types.SimpleNamespace(k=1) for _ in range(60)]
    pairs = [(at, at) for at in range(60)]
    assert int(rt.function(lambda x: x + sum([b for _, b in pairs]))(rt.constant(0))) == 1770
    staged = rt.function(lambda x: x + sum([each.k for each in items]))
    with pytest.raises(autograph.StagingError, match=r"more than 50 values.*items\[") as caught:
        staged(rt.constant(1))
    error: Any = caught.value
    assert (error.variable, error.filename) == ("items", __file__)
    assert error.lineno == staged.python_function.__code__.co_firstlineno
    assert "argument" in error.hint
