"""Values that Python reads by itself, or through the standard library: a change traces again."""

from __future__ import annotations

import abc
import collections
import contextlib
import contextvars
import dataclasses
import functools
import gc
import inspect
import operator
import os
import re
import sys
import types
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import MagicMock

import numpy as np
import pytest

import autograph
import runtime as rt
from runtime.staging.guarding import findings
from tests.support.staging import traces


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


class Unset:
    __slots__ = ("__weakref__", "new")


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


def or_one(x: Any, item: Any) -> Any:
    try:
        return x + item.new
    except AttributeError:
        return x + 1


def through_helper(x: Any, item: Any) -> Any:
    def new() -> Any:
        return item.new

    try:
        return x + new()
    except AttributeError:
        return x + 1


def suppressing(x: Any, item: Any) -> Any:
    with contextlib.suppress(AttributeError):
        x = x + item.new
    return x


def leaving(x: Any, item: Any) -> Any:
    y = 0
    try:
        y = item.new
    finally:
        return x + y  # noqa: B012


def with_slot() -> Any:
    item = Unset()
    item.new = 7
    return item


def lower() -> Any:
    return type("Lower", (Item,), {})()


def entered(item: Any) -> Any:
    with item as value:
        return value


def labelled(value: int) -> Labelled:
    made = Labelled()
    made.k = value  # type: ignore[attr-defined]
    return made


def labelled_class() -> Any:
    """An object with an attribute that its class has too."""
    made = type("Both", (), {"k": 1})()
    made.k = 3
    return made


def dispatching() -> Any:
    kind = type("Kind", (), {})
    return types.SimpleNamespace(f=functools.singledispatch(lambda o: 1), item=kind(), kind=kind)


CASES: dict[str, Case] = {
    "registered function": (lambda x, o: x + o.f(o.item), dispatching,
                            lambda o: o.f.register(o.kind, lambda o: 5)),
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
    "getattr of a slot": (lambda x, item: x + getattr(item, "new", 0), Unset, sets("new")),
    "hasattr of a slot": (lambda x, item: x + (1 if hasattr(item, "new") else 0), Unset,
                          sets("new")),
    "slot that is not there": (or_one, Unset, sets("new")),
    "attribute that is not there": (or_one, Item, sets("new")),
    "attribute that a helper has not found": (through_helper, Item, sets("new")),
    "attribute that is suppressed": (suppressing, Item, sets("new")),
    "attribute that `finally` has not found": (leaving, Item, sets("new")),
    "attribute that no class has": (or_one, lower, sets_of_class("new")),
    "slot taken away": (or_one, with_slot, lambda item: delattr(item, "new")),
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


# What is defined or bound elsewhere: each program of these was stale once

SAMPLES: Any = types.ModuleType("samples_of_guards")
CONTEXT: contextvars.ContextVar[int] = contextvars.ContextVar("CONTEXT", default=1)


def imported_inside(x: Any) -> Any:
    import samples_of_guards  # type: ignore[import-not-found]

    return x + samples_of_guards.RATE


def imported_from(x: Any) -> Any:
    from samples_of_guards import RATE as rate

    return x + rate


def named_module() -> Any:
    SAMPLES.RATE = 1
    sys.modules[SAMPLES.__name__] = SAMPLES
    return SAMPLES


def puts_another_module(_: Any) -> None:
    """As where a test or a notebook imports a file anew."""
    other = types.ModuleType(SAMPLES.__name__)
    other.RATE = 5  # type: ignore[attr-defined]
    sys.modules[SAMPLES.__name__] = other


def with_attribute() -> Any:
    def helper(x: Any) -> Any:
        return x

    helper.k = 1  # type: ignore[attr-defined]
    return helper


def with_defaults() -> Any:
    def helper(x: Any, a: int = 1, *, b: int = 1) -> Any:
        return x + a + b

    return helper


def other_code(x: Any, a: int = 1, *, b: int = 1) -> Any:
    return x + a * 50


class Parent:
    rate = 1

    def k(self) -> int:
        return 1

    @property
    def half(self) -> int:
        return 1

    @classmethod
    def of_class(cls) -> int:
        return 1


def child() -> Any:
    class Middle(Parent):
        rate = 1

        def k(self) -> int:
            return 1

        half = property(lambda self: 1)
        of_class = classmethod(lambda cls: 1)

    class Child(Middle):
        rate = 9

        def k(self) -> int:
            return super().k() * 2

        def inherited_rate(self) -> int:
            return super().rate

        def named_rate(self) -> int:
            return super(Child, self).rate  # noqa: UP008

        def inherited_half(self) -> int:
            return super().half

        @classmethod
        def of_class(cls) -> int:
            return super().of_class()

    return Child()


def grandchild() -> Any:
    between = type("Between", (Parent,), {})

    class Grandchild(between):  # type: ignore[misc, valid-type]
        def k(self) -> Any:
            return super().k()

    return Grandchild()


class OfClass:
    def __init__(self, read: Callable[[Any], Any]) -> None:
        self.read = read

    def __get__(self, item: Any, kind: Any) -> Any:
        return self.read(kind)


def of_its_class() -> Any:
    """An object with an attribute that its class has too, which is the one that is read."""
    members = {"k": 1, "read": classmethod(lambda kind: kind.k)}
    made = type("Own", (), {**members, "of_class": property(lambda self: self.read())})()
    made.k = 3
    return made


class Missing(dict[str, int]):
    k = 1

    def __missing__(self, key: str) -> int:
        return self.k


def lazy_module() -> Any:
    made: Any = types.ModuleType("lazy_of_guards")
    made.k = 1

    def computed(name: str) -> Any:
        if name != "lazy":
            raise AttributeError(name)
        return made.k

    made.__getattr__ = computed
    return made


def weakly_held() -> Any:
    item = Matched()
    return item, weakref.ref(item), weakref.WeakValueDictionary(a=item)


KEPT: list[Any] = []


def referred() -> Any:
    KEPT[:] = [Matched()]
    return weakref.ref(KEPT[0])


def sets_of_parent(name: str, value: Any) -> Callable[[Any], Any]:
    return lambda item: setattr(type(item).__mro__[1], name, value)


class Meta(type):
    k = 1

    @property
    def double(cls) -> Any:
        return cls.k * 2


def of_metaclass() -> Any:
    return type("Kind", (Meta,), {})("Made", (), {})()


def abstract() -> Any:
    return types.SimpleNamespace(base=abc.ABCMeta("Base", (), {}), item=type("Other", (), {})())


def registers(o: Any) -> None:
    o.base.register(type(o.item))


METHODS: dict[str, Any] = {
    "__call__": lambda self, x: x + 1,
    "__len__": lambda self: 1,
    "__getitem__": lambda self, key: 1,
    "__iter__": lambda self: iter([1]),
    "__radd__": lambda self, other: other + 1,
    "__contains__": lambda self, value: True,
    "__bool__": lambda self: True,
    "__enter__": lambda self: 1,
    "__exit__": lambda self, *error: None,
    "__getattr__": lambda self, name: 1,
    "named": classmethod(lambda cls: 1),
    "free": staticmethod(lambda: 1),
}


def with_methods() -> Any:
    return type("Own", (), METHODS)()


def puts_method(name: str, method: Any) -> Callable[[Any], Any]:
    return lambda item: setattr(type(item), name, method)


def matched(item: Any) -> Any:
    match item:
        case Matched(k):
            return k
    return None


def matched_by_name(item: Any) -> Any:
    match item:
        case Matched(k=found):
            return found
    return None


class Matched:
    __match_args__ = ("k",)

    def __init__(self) -> None:
        self.k = 1


class Built:
    def __init__(self) -> None:
        self.k = 1

    def again(self) -> Any:
        return type(self)().k


def five(self: Any) -> None:
    self.k = 5


def numbered() -> Any:
    item: Any = Built()
    item.k0 = item.k1 = 1
    return item


class OfNothing:
    pass


class Unlike(OfNothing):
    pass


DEFINED: dict[str, Case] = {
    "attribute of a function": (lambda x, f: x + f.k, with_attribute, sets("k")),
    "vars of a function": (lambda x, f: x + vars(f)["k"], with_attribute, sets("k")),
    "new attribute of a function": (lambda x, f: x + int(hasattr(f, "new")), with_attribute,
                                    sets("new")),
    "attribute of a method": (lambda x, o: x + o.k, lambda: types.MethodType(with_attribute(), 1),
                              lambda o: sets("k")(o.__func__)),
    "defaults": (lambda x, f: f(x), with_defaults, lambda f: setattr(f, "__defaults__", (5,))),
    "defaults of the second of two": (
        lambda x, p: p[0](p[1](x)), lambda: (with_default([1]), with_default([2])),
        lambda p: puts(0)(p[1].__defaults__[0]),
    ),
    "default of a keyword": (lambda x, f: f(x), with_defaults,
                             lambda f: f.__kwdefaults__.update(b=5)),
    "code": (lambda x, f: f(x), with_defaults,
             lambda f: setattr(f, "__code__", other_code.__code__)),
    "class that is called": (lambda x, o: x + o.again(), lambda: type("B", (Built,), {
        "__init__": Built.__init__})(), puts_method("__init__", five)),
    "super method": (lambda x, o: x + o.k(), child, sets_of_parent("k", lambda self: 7)),
    "super attribute": (lambda x, o: x + o.inherited_rate(), child, sets_of_parent("rate", 7)),
    "super with arguments": (lambda x, o: x + o.named_rate(), child, sets_of_parent("rate", 7)),
    "super property": (lambda x, o: x + o.inherited_half(), child, sets_of_parent("half", 7)),
    "super of a classmethod": (lambda x, o: x + o.of_class(), child,
                               sets_of_parent("of_class", classmethod(lambda cls: 7))),
    "super in a function of a class": (lambda x, o: x + type(o).k(o), child,
                                       sets_of_parent("k", lambda self: 7)),
    "super, of a class between": (lambda x, o: x + o.k(), grandchild,
                                  sets_of_parent("k", lambda self: 7)),
    "descriptor of a class": (lambda x, o: x + type(o).field, lambda: type("F", (), {
        "field": Field()})(), lambda o: sets("k")(field_of(o))),
    "property of a class": (lambda x, o: x + type(o).rate, lambda: type("P", (), {
        "k": 1, "rate": OfClass(lambda kind: kind.k)})(), sets_of_class("k")),
    "default of a descriptor": (lambda x, o: x + o.stored, lambda: Batch(1),
                                lambda o: vars(o).update(_stored=5)),
    "classmethod that a property calls": (lambda x, o: x + o.of_class, of_its_class,
                                          sets_of_class("k")),
    "missing key": (lambda x, d: x + d["a"], Missing, sets("k")),
    "item of a class": (lambda x, o: x + type(o)[1], lambda: type("I", (), {
        "k": 1, "__class_getitem__": classmethod(lambda kind, key: kind.k)})(),
        sets_of_class("k")),
    "lazy attribute of a module": (lambda x, m: x + m.lazy, lazy_module, sets("k")),
    "weak reference": (lambda x, p: x + p[1]().k, weakly_held, lambda p: sets("k")(p[0])),
    "weak value": (lambda x, p: x + p[2]["a"].k, weakly_held, lambda p: sets("k")(p[0])),
    "metaclass": (lambda x, o: x + o.__class__.k, of_metaclass,
                  lambda o: sets("k")(type(type(o)))),
    "class by type": (lambda x, o: x + type(o).k, labelled_class,
                      lambda o: sets("k")(type(o))),
    "metaclass by type": (lambda x, o: x + type(o).k, of_metaclass,
                          lambda o: sets("k")(type(type(o)))),
    "property of a metaclass": (lambda x, kind: x + kind.double, lambda: type(of_metaclass()),
                                lambda kind: sets("k")(type(kind))),
    "vars that grow": (lambda x, o: x + sum([v for _, v in vars(o).items()]), Matched, sets("j")),
    "dir": (lambda x, o: x + len(dir(o)), Matched, sets("j")),
    "isinstance": (lambda x, o: x + int(isinstance(o.item, o.base)), abstract, registers),
    "issubclass": (lambda x, o: x + int(issubclass(type(o.item), o.base)), abstract, registers),
    "class of an object without attributes": (
        lambda x, o: x + int(isinstance(o.item, Unlike)),
        lambda: types.SimpleNamespace(item=OfNothing()),
        lambda o: setattr(o.item, "__class__", Unlike),
    ),
    "computed name": (lambda x, o: x + sum([getattr(o, f"k{i}") for i in range(2)]), numbered,
                      sets("k1")),
    "computed name that is new": (lambda x, o: x + sum([getattr(o, f"k{i}", 0) for i in range(3)]),
                                  numbered, sets("k2")),
    "computed name that is asked": (lambda x, o: x + sum([hasattr(o, f"k{i}") for i in range(3)]),
                                    numbered, sets("k2")),
    "fields": (lambda x, o: x + sum([getattr(o, f.name) for f in dataclasses.fields(o)]),
               lambda: Point(1), sets("a")),
    "methodcaller": (lambda x, p: x + p[0](p[1]),
                     lambda: (operator.methodcaller("read"), type("C", (Built,), {
                         "read": lambda self: self.k})()), lambda p: sets("k")(p[1])),
    "attrgetter": (lambda x, p: x + p[0](p[1]), lambda: (operator.attrgetter("k"), Item()),
                   lambda p: sets("k")(p[1])),
    "keyword of a partial, replaced": (
        lambda x, f: f(x), lambda: functools.partial(lambda x, k: x + k, k=1),
        lambda f: f.keywords.update(k=5),
    ),
    "import": (lambda x, _: imported_inside(x), named_module, sets("RATE")),
    "import from": (lambda x, _: imported_from(x), named_module, sets("RATE")),
    "another module": (lambda x, _: imported_inside(x), named_module, puts_another_module),
    "import from another module": (lambda x, _: imported_from(x), named_module,
                                   puts_another_module),
    "module in an object": (lambda x, o: x + o.m.RATE,
                            lambda: types.SimpleNamespace(m=named_module()),
                            lambda o: sets("RATE")(o.m)),
    "computed name in a module": (lambda x, m: x + getattr(m, f"{'R'}ATE"), named_module,
                                  sets("RATE")),
    "context": (lambda x, _: x + CONTEXT.get(), lambda: CONTEXT.set(1), lambda _: CONTEXT.set(5)),
    "captured context": (lambda x, c: x + c.get(), lambda: CONTEXT if CONTEXT.set(1) else None,
                         lambda c: c.set(5)),
    "class pattern": (lambda x, o: x + matched(o), Matched, sets("k")),
    "class pattern with a name": (lambda x, o: x + matched_by_name(o), Matched, sets("k")),
    "all of a large array": (lambda x, a: x + int(a.sum()), lambda: np.ones((300, 300), np.int64),
                             lambda a: np.multiply(a, 2, out=a)),
    "columns of a large array": (lambda x, a: x + int(a.sum()),
                                 lambda: np.ones((300, 300), np.int64),
                                 lambda a: a.__setitem__((slice(None), slice(0, 300, 2)), 5)),
    "rows of a large view": (lambda x, a: x + int(a.sum()),
                             lambda: np.ones((300, 300), np.int64).T,
                             lambda a: a.__setitem__((slice(100),), 5)),
    "called": (lambda x, o: o(x), with_methods, puts_method("__call__", lambda self, x: x + 5)),
    "length": (lambda x, o: x + len(o), with_methods, puts_method("__len__", lambda self: 5)),
    "indexed": (lambda x, o: x + o[0], with_methods,
                puts_method("__getitem__", lambda self, key: 5)),
    "iterated": (lambda x, o: x + sum([v for v in o]), with_methods,
                 puts_method("__iter__", lambda self: iter([5]))),
    "added": (lambda x, o: x + (1 + o), with_methods,
              puts_method("__radd__", lambda self, other: 5)),
    "contained": (lambda x, o: x + int(1 in o), with_methods,
                  puts_method("__contains__", lambda self, value: False)),
    "tested": (lambda x, o: x + (1 if o else 0), with_methods,
               puts_method("__bool__", lambda self: False)),
    "entered": (lambda x, o: x + entered(o), with_methods,
                puts_method("__enter__", lambda self: 5)),
    "absent": (lambda x, o: x + o.absent, with_methods,
               puts_method("__getattr__", lambda self, name: 5)),
    "classmethod": (lambda x, o: x + o.named(), with_methods,
                    puts_method("named", classmethod(lambda cls: 5))),
    "staticmethod": (lambda x, o: x + o.free(), with_methods,
                     puts_method("free", staticmethod(lambda: 5))),
}  # fmt: skip


# What Python runs by itself of objects that the trace makes, and what that reads

RATE = 1


def sets_rate(_: Any) -> None:
    globals()["RATE"] = 5


def helps(value: Any) -> Any:
    return value * RATE


class Stored:
    def __init__(self, default: int = 1) -> None:
        self.default = default

    def __set_name__(self, kind: type, name: str) -> None:
        self.name = f"_{name}"

    def __get__(self, item: Any, kind: Any) -> Any:
        return getattr(item, self.name, self.default)

    def __set__(self, item: Any, value: Any) -> None:
        vars(item)[self.name] = value * RATE


class Batch:
    stored = Stored()

    def __init__(self, x: Any, held: Any = None) -> None:
        self.x = x
        self.held = held

    @property
    def scaled(self) -> Any:
        return self.x * RATE

    @scaled.setter
    def scaled(self, value: Any) -> None:
        self.x = value * RATE

    @property
    def by_held(self) -> Any:
        return self.x * self.held.k

    @property
    def by_helper(self) -> Any:
        return helps(self.x)

    @property
    def by_method(self) -> Any:
        return self.method()

    @functools.cached_property
    def once(self) -> Any:
        return self.x * RATE

    def method(self) -> Any:
        return self.x * RATE

    def __add__(self, other: Any) -> Batch:
        return Batch(self.x + other.x * RATE)

    def __iter__(self) -> Any:
        yield self.x * RATE

    def __getitem__(self, key: Any) -> Any:
        return self.x * RATE

    def __len__(self) -> int:
        return RATE

    def __bool__(self) -> bool:
        return RATE == 5

    def __contains__(self, value: Any) -> bool:
        return RATE == 5

    def __enter__(self) -> Any:
        return self.x * RATE

    def __exit__(self, *error: Any) -> None:
        pass

    def __float__(self) -> float:
        return float(RATE)

    def __index__(self) -> int:
        return RATE

    def __neg__(self) -> Any:
        return self.x * RATE

    def __iadd__(self, other: Any) -> Batch:
        self.x = self.x + other * RATE
        return self

    def __getattr__(self, name: str) -> Any:
        if name != "derived":
            raise AttributeError(name)
        return RATE

    def __setitem__(self, key: Any, value: Any) -> None:
        self.x = self.x + value * RATE


@dataclasses.dataclass
class Pair:
    x: Any
    made: Any = dataclasses.field(default_factory=lambda: RATE)

    def __post_init__(self) -> None:
        self.later = RATE

    @property
    def scaled(self) -> Any:
        return self.x * RATE

    def __add__(self, other: Any) -> Any:
        return self.x + other * RATE


class Triple(NamedTuple):
    x: Any

    @property
    def scaled(self) -> Any:
        return self.x * RATE


class Counted:
    def __init__(self) -> None:
        self.i = 0

    def __iter__(self) -> Any:
        self.i = 0
        return self

    def __next__(self) -> Any:
        self.i += 1
        if self.i > 1:
            raise StopIteration
        return RATE


class Kinds(type):
    def __instancecheck__(cls, item: Any) -> bool:
        return RATE == 5


class Kind(metaclass=Kinds):
    pass


class Base:
    def __init_subclass__(cls) -> None:
        cls.rate = RATE  # type: ignore[attr-defined]


class Fresh:
    k = 1

    def __new__(cls) -> Any:
        made = super().__new__(cls)
        made.k = helps(cls.k)  # type: ignore[misc]
        return made


@contextlib.contextmanager
def managed() -> Any:
    yield RATE


def is_changed(x: Any, change: Callable[[Any], None]) -> Any:
    made = Batch(x)
    change(made)
    return made.x + made.stored


def adds(item: Any) -> None:
    item += 1


def stores(item: Any) -> None:
    item.stored = 2


def derived() -> int:
    class Derived(Base):
        pass

    return Derived.rate  # type: ignore[attr-defined, no-any-return]


MADE: dict[str, Callable[[Any, Any], Any]] = {
    "property": lambda x, _: Batch(x).scaled,
    "property, of the loop's items": lambda x, _: sum([b.scaled for b in [Batch(x), Batch(x)]]),
    "property that calls a function": lambda x, _: Batch(x).by_helper,
    "property that calls a method": lambda x, _: Batch(x).by_method,
    "property of a global object": lambda x, _: x * GLOBAL.by_helper * GLOBAL.by_method,
    "property of a dataclass": lambda x, _: Pair(x).scaled,
    "property of a named tuple": lambda x, _: Triple(x).scaled,
    "cached property": lambda x, _: Batch(x).once,
    "setter": lambda x, _: is_changed(x, lambda o: setattr(o, "scaled", 2)),
    "setter of a descriptor": lambda x, _: is_changed(x, stores),
    "operator": lambda x, _: (Batch(x) + Batch(x)).x,
    "operator that makes another": lambda x, _: (Batch(x) + Batch(x)).scaled,
    "operator in place": lambda x, _: is_changed(x, adds),
    "sign": lambda x, _: -Batch(x),
    "iteration": lambda x, _: sum(Batch(x)),
    "iterator": lambda x, _: x + sum(Counted()),
    "global iterator": lambda x, _: x + sum(COUNTED),
    "item": lambda x, _: Batch(x)[0],
    "item that is set": lambda x, _: is_changed(x, lambda o: o.__setitem__(0, 2)),
    "length": lambda x, _: x * len(Batch(x)),
    "truth": lambda x, _: x if Batch(x) else -x,
    "contained": lambda x, _: x if 1 in Batch(x) else -x,
    "entered": lambda x, _: entered(Batch(x)),
    "context manager": lambda x, _: x + entered(managed()),
    "number": lambda x, _: x + int(float(Batch(x))),
    "index": lambda x, _: x + list(range(10))[Batch(x)],
    "absent": lambda x, _: x + Batch(x).derived,
    "made by a factory": lambda x, _: x + Pair(x).made,
    "made after others": lambda x, _: x + Pair(x).later,
    "instance check": lambda x, _: x if isinstance(1, Kind) else -x,
    "subclass": lambda x, _: x + derived(),
    "constructor": lambda x, _: x + Fresh().k,
}  # fmt: skip
GLOBAL, COUNTED = Batch(1), Counted()


@pytest.mark.parametrize("name", MADE)
def test_what_python_runs_of_new_objects_is_never_stale(name: str, request: Any) -> None:
    read = MADE[name]
    request.addfinalizer(lambda: globals().update(RATE=1))
    staged, x = rt.function(lambda x: read(x, None)), rt.constant(3)
    before = int(read(x, None))
    assert [int(staged(x)), int(staged(x))] == [before] * 2
    assert staged.experimental_get_tracing_count() == 1
    sets_rate(None)
    after = int(read(x, None))
    assert [int(staged(x)), int(staged(x))] == [after] * 2 != [before] * 2
    assert staged.experimental_get_tracing_count() == 2


GIVEN: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "property of a dataclass": (lambda o: o.scaled, Pair),
    "operator of a dataclass": (lambda o: o + 1, Pair),
    "property of a named tuple": (lambda o: o.scaled, Triple),
    "property of an object": (lambda o: o.scaled, Batch),
    "in a list": (lambda o: o[0].scaled, lambda x: [Pair(x)]),
    "in a dataclass": (lambda o: o.x.scaled, lambda x: Pair(Triple(x))),
}


@pytest.mark.parametrize("name", GIVEN)
def test_what_python_runs_of_an_argument_is_never_stale(name: str, request: Any) -> None:
    read, make = GIVEN[name]
    request.addfinalizer(lambda: globals().update(RATE=1))
    staged, given = rt.function(lambda o: read(o)), make(rt.constant(3))
    before = int(read(given))
    assert [int(staged(given)), int(staged(given))] == [before] * 2
    sets_rate(None)
    assert int(staged(given)) == int(read(given)) != before
    assert staged.experimental_get_tracing_count() == 2


def test_what_calls_one_another_may_be_nested_deeper_than_the_stack(request: Any) -> None:
    request.addfinalizer(lambda: globals().update(RATE=1))
    lines = [f"def f{i}(x): return f{i + 1}(x) if x is None else helps(x)" for i in range(600)]
    held: dict[str, Any] = {"__name__": __name__, "helps": helps, "f600": helps}
    exec("\n".join(lines), held)
    kind = type("Deep", (Batch,), {"nested": property(lambda self: held["f0"](self.x))})
    staged, x = rt.function(lambda x: kind(x).nested), rt.constant(3)
    assert int(staged(x)) == 3
    sets_rate(None)
    assert int(staged(x)) == 15


def test_a_method_may_be_cached() -> None:
    kind = type("Cached", (Batch,), {"cached": functools.lru_cache(lambda self: 5)})
    item = kind(1)
    assert int(rt.function(lambda x: x + item.cached())(rt.constant(3))) == 8


class OfEach:
    """Keeps the values by object: None, which Python never passes, is no key."""

    def __init__(self) -> None:
        self.held: Any = weakref.WeakKeyDictionary()
        self.calls = 0

    def __get__(self, item: Any, kind: Any) -> Any:
        self.calls += 1
        return self.held[item]

    def __set__(self, item: Any, value: Any) -> None:
        self.held[item] = value


class Layer:
    rate = OfEach()

    def __init__(self) -> None:
        self.rate = 2


def test_descriptors_run_as_often_as_in_python() -> None:
    layer = Layer()
    descriptor = vars(Layer)["rate"]
    staged, before = rt.function(lambda x: x * layer.rate), descriptor.calls
    assert [int(staged(rt.constant(3))), int(staged(rt.constant(3)))] == [6, 6]
    assert descriptor.calls == before + 1


class HidesAttributes:
    k = 1

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        raise RuntimeError


class HidesClass:
    k = 1

    @property
    def __class__(self) -> Any:
        raise RuntimeError


def test_an_object_may_hide_its_class(request: Any) -> None:
    request.addfinalizer(lambda: setattr(HidesClass, "k", 1))
    item, x = HidesClass(), rt.constant(3)
    staged = rt.function(lambda x: x * item.k)
    assert [int(staged(x)), int(staged(x))] == [3, 3]
    HidesClass.k = 5
    assert int(staged(x)) == 15


@pytest.mark.parametrize("is_argument", [False, True])
def test_an_object_may_hide_its_attributes(is_argument: bool, request: Any) -> None:
    request.addfinalizer(lambda: setattr(HidesAttributes, "k", 1))
    item, x = HidesAttributes(), rt.constant(3)
    staged = rt.function(lambda x, o: x * o.k if is_argument else x * item.k)
    assert [int(staged(x, item)), int(staged(x, item))] == [3, 3]
    HidesAttributes.k = 5
    assert int(staged(x, item)) == 15


class Answers:
    """It answers whatever it is asked, and notes that; as a `Mock` does."""

    def __init__(self, k: Any = 1) -> None:
        self.__dict__.update(k=k, asked=[])

    def __getattr__(self, name: str) -> Any:
        self.asked.append(name)
        return Answers(name)


def matched_by(x: Any, o: Any) -> Any:
    match o:
        case Answers(k=1):
            return x
        case _:
            return x * o.k


ANSWERING = {
    "argument": lambda x, o: x * o.k,
    "whole": lambda x, o: x * vars(o)["k"],
    "held": lambda x, o: x * [o][0].k if x > 0 else x,
    "choice": lambda x, o: x * o.k if o else x,
    "matched": matched_by,
    "shown": lambda x, o: x * o.k if not rt.is_tensor(o) else x,
}


@pytest.mark.parametrize("name", ANSWERING)
def test_an_object_that_answers_everything_is_asked_as_by_python(name: str) -> None:
    item, x = Answers(), rt.constant(3)
    staged = rt.function(ANSWERING[name])
    assert [int(staged(x, item)), int(staged(x, item))] == [3, 3]
    item.k = 5
    assert int(staged(x, item)) == 15
    assert item.asked == []


class OfNoModule:
    __module__ = None  # type: ignore[assignment]
    k = 1


class OfADescriptor:
    """As the metaclass of Cython's functions is."""

    __module__ = property(lambda self: "m")  # type: ignore[assignment]
    k = 1


def written(x: Any, o: Any) -> Any:
    if x > 0:
        o.n = o.k
    return x * o.n


MODULES = {
    "argument": lambda x, o: x * o.k,
    "held": lambda x, o: x * vars(o)["held"][0].k,
    "class": lambda x, o: x * type(o).k if isinstance(o, type(o)) else x,
    "written": written,
}


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("kind", [OfNoModule, OfADescriptor])
def test_a_class_may_say_anything_of_its_module(kind: Any, name: str, request: Any) -> None:
    request.addfinalizer(lambda: setattr(kind, "k", 1))
    item, x = kind(), rt.constant(3)
    item.held, item.n = [kind(), kind], 0
    staged = rt.function(MODULES[name])
    assert [int(staged(x, item)), int(staged(x, item))] == [3, 3]
    kind.k = 5
    assert int(staged(x, item)) == 15


def test_a_mock_that_was_given_symbols_is_an_argument() -> None:
    mock, x = MagicMock(rate=2), rt.constant(3)
    rt.function(lambda x: (x, mock(x))[0])(x)
    staged = rt.function(lambda x, o: x * o.rate)
    assert int(staged(x, mock)) == 6
    mock.rate = 5
    assert int(staged(x, mock)) == 15


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


@pytest.mark.parametrize("name", DEFINED)
@pytest.mark.parametrize("is_argument", [False, True])
def test_what_is_defined_elsewhere_is_never_stale(name: str, is_argument: bool) -> None:
    read, make, change = DEFINED[name]
    held, x = make(), rt.constant(3)
    if is_argument and isinstance(held, np.ndarray | contextvars.Token):
        return  # as an argument it is a tensor, or nobody reads it
    staged = rt.function(read if is_argument else lambda x: read(x, held))
    given = (x, held) if is_argument else (x,)
    before = int(read(x, held))
    assert [int(staged(*given)) for _ in range(12)] == [before] * 12
    assert staged.experimental_get_tracing_count() == 1
    change(held)
    after = int(read(x, held))
    assert [int(staged(*given)) for _ in range(12)] == [after] * 12 != [before] * 12
    assert staged.experimental_get_tracing_count() == 2


def test_a_module_that_the_trace_imports_first_is_guarded() -> None:
    sys.modules.pop(SAMPLES.__name__, None)
    SAMPLES.RATE = 1

    def ready(x: Any) -> Any:
        sys.modules.setdefault(SAMPLES.__name__, SAMPLES)
        return imported_inside(x)

    staged, x = rt.function(ready), rt.constant(3)
    assert [int(staged(x)), int(staged(x))] == [4, 4]
    SAMPLES.RATE = 5
    assert int(staged(x)) == 8
    assert staged.experimental_get_tracing_count() == 2


class Compared:
    def __eq__(self, other: object) -> bool:
        return True


def hides_a_builtin(_: Any) -> None:
    globals()["divmod"] = lambda a, b: (5, 5)


def set_variable(value: str) -> Callable[..., Any]:
    return lambda *_: os.environ.update(GUARDED=value)


def of_one(k: int = 1) -> int:
    return k


UNSEEN: dict[str, Case] = {
    "library function that calls others": (lambda x, _: x + int(str(os.getenv("GUARDED"))),
                                           set_variable("1"), set_variable("5")),
    "state in C": (lambda x, e: x + e.args[0], lambda: ValueError(1),
                   lambda e: setattr(e, "args", (5,))),
    "asked of the object": (lambda x, o: x + o.__getattribute__("k" + str(0)), numbered,
                            sets("k0")),
    "text that is evaluated": (lambda x, o: x + eval("o.k0", {"o": o}), numbered, sets("k0")),
    "signature": (lambda x, _: x + inspect.signature(of_one).parameters["k"].default,
                  lambda: setattr(of_one, "__defaults__", (1,)),
                  lambda _: setattr(of_one, "__defaults__", (5,))),
    "element of a large array": (lambda x, a: x + int(a[3]), lambda: np.ones(40_000, np.int64),
                                 puts(3)),
    "comparison": (lambda x, o: x + int(o == 1), lambda: type("C", (Compared,), {
        "__eq__": Compared.__eq__})(), lambda o: puts_method("__eq__", lambda *_: False)(o)),
    "later method": (lambda x, o: x + (1 if o else 0), lambda: type("C", (Built,), {})(),
                     lambda o: puts_method("__bool__", lambda self: False)(o)),
    "bases": (lambda x, o: x + o.k(), lambda: type("C", (type("B", (Parent,), {}),), {})(),
              lambda o: setattr(type(o), "__bases__", (type("D", (Parent,), {
                  "k": lambda self: 5}),))),
    "name": (lambda x, o: x + len(type(o).__name__), lambda: type("C", (Built,), {})(),
             lambda o: setattr(type(o), "__name__", "Longer")),
    "class with slots": (lambda x, o: x + o.value(), lambda: Narrow(),
                         lambda o: setattr(o, "__class__", Wide)),
    "dead reference": (lambda x, r: x + int(r() is None), referred, lambda _: KEPT.clear()),
    "later in another class": (lambda x, o: x + type(o).__mro__[1].__dict__.get("fresh", 0),
                               lambda: type("C", (type("B", (OfNothing,), {}),), {})(),
                               lambda o: setattr(type(o).__mro__[1], "fresh", 5)),
    "memoryview": (lambda x, v: x + v[0], lambda: memoryview(bytearray(b"1")), puts(0)),
    "hidden builtin": (lambda x, _: x + divmod(1, 1)[0], lambda: globals().pop("divmod", None),
                       hides_a_builtin),
}  # fmt: skip


class Narrow:
    __slots__ = ()

    def value(self) -> int:
        return 1


class Wide:
    __slots__ = ()

    def value(self) -> int:
        return 5


@pytest.mark.parametrize("name", UNSEEN)
def test_the_list_of_what_is_not_guarded_is_exact(name: str, request: Any) -> None:
    read, make, change = UNSEEN[name]
    request.addfinalizer(lambda: globals().pop("divmod", None))
    request.addfinalizer(lambda: globals().update(RATE=1))
    held, x = make(), rt.constant(3)
    staged = rt.function(lambda x: read(x, held))
    before = int(staged(x))
    change(held)
    assert int(staged(x)) == before != int(read(x, held))


def led_back(**more: Any) -> Any:
    item = numbered()
    vars(item).update(more, me=[item])
    return item


def function_led_back() -> Any:
    item = numbered()

    def helper(x: Any, held: Any = item, *, other: Any = (item,)) -> Any:
        return x + held.k

    helper.k = helper.item = item.k  # type: ignore[attr-defined]
    item.helper = helper
    return helper


def partial_led_back() -> Any:
    item = numbered()
    item.helper = functools.partial(lambda items, x, held: x + held.k, [(item,)], held=item)
    return item.helper


LED_BACK: dict[str, tuple[Callable[[Any, Any], Any], Callable[[], Any]]] = {
    "vars": (lambda x, o: x + len(vars(o)), led_back),
    "computed name": (lambda x, o: x + getattr(o, f"k{1}") + len(getattr(o, f"{'m'}e")), led_back),
    "function": (lambda x, f: f(x) + f.k, function_led_back),
    "partial": (lambda x, f: f(x), partial_led_back),
    "method": (lambda x, f: f() + x, lambda: led_back().again),
}


@pytest.mark.parametrize("name", LED_BACK)
@pytest.mark.parametrize("is_argument", [False, True])
def test_what_is_guarded_is_not_kept_alive(name: str, is_argument: bool) -> None:
    read, make = LED_BACK[name]
    holder, x = types.SimpleNamespace(held=make()), rt.constant(3)
    staged = rt.function(read if is_argument else lambda x: read(x, holder.held))
    for _ in range(12):
        staged(*((x, holder.held) if is_argument else (x,)))
    assert staged.experimental_get_tracing_count() == 1
    reference = weakref.ref(getattr(holder.held, "__self__", holder.held))
    holder.held = None
    gc.collect()
    gc.collect()
    assert reference() is None


def test_a_module_that_is_not_there_is_no_guard() -> None:
    def f(x: Any, is_extended: bool = False) -> Any:
        if is_extended:
            import no_such_module_of_guards as extended

            return extended.apply(x)
        return x + 1

    staged = rt.function(lambda x: f(x))
    assert [int(staged(rt.constant(3))) for _ in range(3)] == [4, 4, 4]
    assert staged.experimental_get_tracing_count() == 1


REASONS: dict[str, str] = {
    "attribute of a function": "held.k was 1, is 5",
    "defaults": r"helper.__defaults__ is another tuple",
    "code": r"helper.__code__ is another code",
    "isinstance": "counts as an abstract base class",
    "class of an object without attributes": "of class OfNothing is now an Unlike",
    "computed name that is new": "k2 was not there, is 5",
    "captured context": r"held.get\(\) was 1, is 5",
    "import from": "samples_of_guards.RATE was 1, is 5",
    "super attribute": "Middle.rate was 1, is 7",
    "all of a large array": "what is in held changed",
}


@pytest.mark.parametrize("name", REASONS)
def test_the_reason_names_what_changed(name: str) -> None:
    (read, make, change), reason = DEFINED[name], REASONS[name]
    held, x = make(), rt.constant(3)
    staged = rt.function(lambda x: read(x, held))
    staged(x)
    change(held)
    staged(x)
    assert re.search(reason, staged.why_retraced())


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


def test_an_attribute_of_an_object_of_a_class_without_a_module() -> None:
    names: dict[str, Any] = {}
    exec("def make(factor): return type('Bare', (), {'factor': factor})", names)
    item = names["make"](2)()
    scaled = rt.function(lambda x: x * item.factor)
    assert int(scaled(rt.constant(3))) == 6
    type(item).factor = 5
    assert int(scaled(rt.constant(3))) == 15


def test_an_entry_that_reading_a_defaultdict_makes_is_guarded() -> None:
    rates: dict[str, int] = collections.defaultdict(int)
    rates["b"] = 10
    scaled = rt.function(lambda x: x + rates["a"] + sum(rates.values()))
    assert [int(scaled(rt.constant(1))) for _ in range(2)] == [11, 11]
    assert scaled.experimental_get_tracing_count() == 1
    rates["a"] = 5
    assert int(scaled(rt.constant(1))) == 21
    rates["b"] = 0
    assert int(scaled(rt.constant(1))) == 11
    rates["c"] = 7
    assert int(scaled(rt.constant(1))) == 18


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


def test_modules_that_a_standard_function_asks_for_are_no_guards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(findings, "MOST_GUARDS", 50)

    def named(x: Any) -> Any:
        return x + len(inspect.getmodule(types.SimpleNamespace).__name__)  # type: ignore[union-attr]

    assert int(rt.function(named)(rt.constant(1))) == 1 + len("types")


def test_too_many_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "MOST_GUARDS", 50)
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


FILE_QUESTIONS: dict[str, Callable[[Path], bool]] = {
    "exists": lambda path: path.exists(),
    "is_file": lambda path: path.is_file(),
    "is_dir": lambda path: path.is_dir(),
    "of a folder": lambda path: os.path.isdir(path.parent / "folder"),
    "of a name": lambda path: os.path.exists(str(path)),
    "of a name in bytes": lambda path: os.path.isfile(os.fsencode(path)),
    "by a keyword": lambda path: os.path.exists(path=path),
    "of gfile": lambda path: rt.io.gfile.exists(path),
    "of gfile, a folder": lambda path: rt.io.gfile.isdir(str(path.parent / "folder")),
}


@pytest.mark.parametrize("question", FILE_QUESTIONS)
def test_whether_a_file_is_there_is_guarded(question: str, tmp_path: Path) -> None:
    path, asked = tmp_path / "a", FILE_QUESTIONS[question]

    @rt.function
    def staged(x):
        if asked(path):
            return x
        return x + 1

    def check() -> None:
        for _ in range(2):
            assert int(staged(rt.constant(1))) == 2 - asked(path)

    check()
    path.touch()
    (tmp_path / "folder").mkdir()
    check()
    path.unlink()
    check()
    assert traces(staged) <= 3


def test_a_file_that_the_trace_makes_is_no_guard(tmp_path: Path) -> None:
    @rt.function
    def staged(x):
        if not (tmp_path / "a").exists():
            (tmp_path / "a").touch()
        return x

    for _ in range(3):
        assert int(staged(rt.constant(1))) == 1
    assert traces(staged) == 1


# A Module without a class of its own is the user's as well: by itself, in another one, and loaded.


def made_modules(folder: Path) -> dict[str, Any]:
    alone, outer = rt.Module(), rt.Module()
    outer.inner = alone
    rt.saved_model.save(outer, folder)
    return {"alone": alone, "inner": outer.inner, "loaded": rt.saved_model.load(folder)}


@pytest.mark.parametrize("which", ["alone", "inner", "loaded"])
def test_attributes_of_a_module_are_guarded(which: str, tmp_path: Path) -> None:
    module = made_modules(tmp_path)[which]
    module.rate, module.rows = 2, [1]

    @rt.function
    def staged(x):
        return x * module.rate + module.rows[0] + getattr(module, "late", 0)

    def check() -> None:
        wanted = 3 * module.rate + module.rows[0] + getattr(module, "late", 0)
        assert int(staged(rt.constant(3))) == wanted

    check()
    module.rate = 5
    check()
    module.rows[0] = 7
    check()
    module.late = 100
    check()


@pytest.mark.parametrize("which", ["alone", "inner", "loaded"])
def test_attributes_of_a_module_change_as_in_python(which: str, tmp_path: Path) -> None:
    module = made_modules(tmp_path)[which]
    module.total, module.kind = rt.constant(0), 1

    @rt.function
    def staged(x):
        module.total = module.total + x
        if x > 2:
            module.kind = 2
        return module.total

    @rt.function
    def refused(x):
        if x > 2:
            module.new = 2
        return x

    assert [int(staged(rt.constant(x))) for x in (1, 2)] == [1, 3]
    assert (int(module.total), module.kind) == (3, 1)
    assert int(staged(rt.constant(5))) == 8
    assert module.kind == 2
    with pytest.raises(autograph.StagingError, match="'module' cannot be joined"):
        refused(rt.constant(1))
    assert not hasattr(module, "new")


def test_a_called_function_that_reads_what_object_has_is_not_traced_in_each_call() -> None:
    class Part:
        pass

    @rt.function
    def inner(x):
        return x * 2 if Part.__repr__ is object.__repr__ else x

    outer = rt.function(lambda x: inner(x) + 1)
    assert [int(outer(rt.constant(x))) for x in (1, 2, 3)] == [3, 5, 7]
    assert outer.experimental_get_tracing_count() == 1
    Part.__repr__ = lambda self: "a part"  # type: ignore[method-assign]
    assert int(outer(rt.constant(4))) == 5
    assert outer.experimental_get_tracing_count() == 2
