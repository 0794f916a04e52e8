"""Changes that no name of the staged block shows: as in Python, or refused, and never lost.

What a program does on the path that is not taken, or in rounds that are not run, must not be seen.
"""

# The programs are written as users write them.
# ruff: noqa: B007, B018, RUF012, SIM300

from __future__ import annotations

import argparse
import base64
import collections
import contextlib
import contextvars
import ctypes
import dataclasses
import functools
import hashlib
import json
import math
import queue
import sys
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from autograph import StagingError

TOTAL = 0
SEEN = [0]


def count_globally() -> None:
    global TOTAL
    TOTAL += 1


# Methods that Python calls by itself


def manager(x):
    total = [0]

    class Timer:
        def __enter__(self):
            total[0] += 1

        def __exit__(self, *raised):
            total[0] += 10

    for i in range(x):
        with Timer():
            pass
    return total[0]


def operators(x):
    total = [0]

    class Number:
        def __add__(self, other):
            total[0] += 1
            return self

        def __len__(self):
            total[0] += 10
            return 1

        def __iter__(self):
            self.note(100)
            return iter([1])

        def note(self, much):
            total[0] += much

    number = Number()
    if x > 0:
        number + number
        len(number)
        list(number)
    return total[0]


def inherited(x):
    total = [0]

    class Base:
        def __getitem__(self, key):
            total[0] += 1
            return key

    class Derived(Base):
        def __getitem__(self, key):
            return super().__getitem__(key)

    derived, found = Derived(), 0
    for i in range(x):
        found += derived[i]
    return found, total[0]


def properties(x):
    total = [0]

    class Item:
        @property
        def price(self):
            total[0] += 1
            return 2

        @price.setter
        def price(self, value):
            total[0] += 10

    item, found = Item(), 0
    for i in range(x):
        found += item.price
        item.price = 3
    return found, total[0]


def attribute_hooks(x):
    total = [0]

    class Item:
        def __getattr__(self, name):
            total[0] += 1
            return 3

        def __setattr__(self, name, value):
            total[0] += 10
            object.__setattr__(self, name, value)

    item = Item()
    if x > 0:
        item.x = item.absent
    else:
        item.x = 2
    return item.x, total[0]


def ordering(x):
    total = [0]

    class Item:
        def __lt__(self, other):
            total[0] += 1
            return True

    if x > 0:
        sorted([Item(), Item()])
    return total[0]


def subclass_hook(x):
    total = [0]

    class Base:
        def __init_subclass__(cls):
            total[0] += 1

    if x > 0:

        class Derived(Base):
            pass

    return total[0]


def default_factory(x):
    total = [0]

    def make():
        total[0] += 1
        return 4

    items = collections.defaultdict(make)
    found = items["a"] if x > 0 else items["a"] + 1
    return found, total[0]


class Calling:
    def __init__(self, *functions):
        self.functions = functions
        self.last = functions[-1]

    def __neg__(self):
        for function in self.functions:
            function()
        return self.last()


def held_functions(x):
    total = [0]

    def count():
        total[0] += 1
        return 0

    calling = Calling(count, lambda: count())
    if x > 0:
        -calling
    return total[0]


def through_a_reference(x):
    class Item:
        pass

    item = Item()
    item.held = 1
    reference = weakref.ref(item)
    if x > 0:
        reference().held = 4
    return item.held


def let_go(x):
    total = [0]

    class Item:
        def __del__(self):
            total[0] += 1

    if x > 0:
        item = Item()
        del item
    return total[0]


def partial_method(x):
    items = [1]

    class Item:
        put = functools.partialmethod(lambda self, value: items.__setitem__(0, value), 6)

    if x > 0:
        Item().put()
    return items[0]


class CountsGlobally:
    def __enter__(self):
        count_globally()

    def __exit__(self, *raised):
        pass


class NotesGlobally:
    @property
    def noted(self):
        return self.note()

    def note(self):
        SEEN[0] += 1
        return SEEN[0]


def global_by_a_manager(x):
    before = TOTAL
    for i in range(x):
        with CountsGlobally():
            pass
    return TOTAL - before


def global_by_a_property(x):
    item = NotesGlobally()
    before = SEEN[0]
    if x > 0:
        item.noted
    return SEEN[0] - before


def global_by_name(x):
    before = TOTAL
    if x > 0:
        globals()["TOTAL"] = 5
    left, module = TOTAL, sys.modules[__name__]
    if x > 0:
        module.TOTAL = before
    return left - before


# Kinds of objects


def dataclass_made(x):
    item = dataclasses.make_dataclass("Item", ["held"])(1)
    if x > 0:
        item.held = 3
    return item.held


def class_made(x):
    item = type("Item", (), {})()
    item.held = 1
    if x > 0:
        item.held = 3
    return item.held


def class_attribute(x):
    class Item:
        held = [1]

    item = Item()
    if x > 0:
        item.held[0] = 5
    return Item.held[0]


def slots(x):
    class Item:
        __slots__ = ("held",)

    item = Item()
    item.held = 1
    if x > 0:
        item.held = 2
    return item.held


def slots_and_more(x):
    class Item:
        __slots__ = ("__dict__", "held")

    item = Item()
    item.held = item.free = 1
    for i in range(x):
        item.held += 1
        item.free += 2
    return item.held, item.free


def descriptor(x):
    class Field:
        def __get__(self, owner, kind):
            return self.value

        def __set__(self, owner, value):
            self.value = value

    class Item:
        field = Field()

    item = Item()
    item.field = 1
    if x > 0:
        item.field = 2
    return item.field


def user_dict(x):
    items = collections.UserDict(a=1)
    if x > 0:
        items["a"] = 3
    return items["a"]


def user_list(x):
    items = collections.UserList([1])
    for i in range(x):
        items[0] += 3
    return items[0]


def chain_map(x):
    items = collections.ChainMap({"a": 1}, {"b": 2})
    if x > 0:
        items["a"] = 3
    return items["a"]


def weak_keys(x):
    class Key:
        pass

    key, items = Key(), weakref.WeakKeyDictionary()
    items[key] = 1
    if x > 0:
        items[key] = 2
    return items[key]


def context_variable(x):
    variable = contextvars.ContextVar("variable", default=1)
    if x > 0:
        variable.set(2)
    return variable.get()


VARIABLE: contextvars.ContextVar[object] = contextvars.ContextVar("VARIABLE", default=1)


def context(x):
    other = contextvars.copy_context()
    if x > 2:
        other.run(VARIABLE.set, 5)
    return other.get(VARIABLE, 3)


def context_in_rounds(x):
    other = contextvars.copy_context()
    for i in range(x):
        other.run(lambda n: VARIABLE.set(n), i)
    return other.get(VARIABLE, 3)


def context_variable_that_is_left(x):
    VARIABLE.set(x + 1)
    return x


def run_in_a_context(x):
    def moved(n, by=1):
        VARIABLE.set(n)
        return VARIABLE.get() * by if n > 2 else by

    return contextvars.copy_context().run(moved, x, by=3) + VARIABLE.get()


def reset_in_a_helper(x):
    def within(n):
        token = VARIABLE.set(n)
        try:
            return VARIABLE.get() * 2 if n > 1 else 7
        finally:
            VARIABLE.reset(token)

    total = 0
    for i in range(4):
        total += within(x + i) + VARIABLE.get()
    return total


def thread_local(x):
    local = threading.local()
    local.held = 1
    if x > 0:
        local.held = 2
    return local.held


class Local(threading.local):
    more = 1
    __slots__ = ("slot",)


def thread_local_of_a_class(x):
    local = Local()
    local.held = local.slot = 1
    if x > 0:
        local.held, local.more, local.slot = 2, 5, 6
    return local.held, local.more, local.slot


def parsed(x):
    options = argparse.Namespace(held=1)
    if x > 0:
        options.held = 2
    return options.held


def ctypes_array(x):
    items = (ctypes.c_int * 2)(1, 2)
    if x > 0:
        items[0] = 5
    return items[0]


def module(x):
    made = types.ModuleType("made")
    made.held = 1
    if x > 0:
        made.held = 2
    return made.held


def opaque_queue(x):
    items = queue.SimpleQueue()
    if x > 0:
        items.put(1)
    return items.qsize()


def opaque_digest(x):
    digest = hashlib.md5(b"a")
    for i in range(x):
        digest.update(b"b")
    return digest.digest()[0]


def defaults(x):
    def f(a=1):
        return a

    if x > 0:
        f.__defaults__ = (5,)
    return f()


def exception_arguments(x):
    error = ValueError(1)
    if x > 0:
        error.args = (2,)
    return error.args[0]


def exception_attributes(x):
    error = ValueError(1)
    error.held = 1
    if x > 0:
        error.held = 2
    return error.held


def in_a_slice(x):
    part = slice(0, [1])
    if x > 0:
        part.stop[0] = 2
    return part.stop[0]


def in_a_view(x):
    items = {"a": [1]}
    values = items.values()
    if x > 0:
        for value in values:
            value[0] = 2
    return items["a"][0]


def in_a_proxy(x):
    items = [1]
    proxy = types.MappingProxyType({"a": items})
    if x > 0:
        proxy["a"][0] = 2
    return items[0]


def dispatched(x):
    items = [1]

    @functools.singledispatch
    def f(value):
        items[0] = 2

    if x > 0:
        f("a")
    return items[0]


def cached(x):
    items = [1]

    @functools.lru_cache
    def f(value):
        items[0] = value

    if x > 0:
        f(2)
    return items[0]


# Recursion that a staged value ends


def recursion_counts(x):
    calls = 0

    def f(n):
        nonlocal calls
        calls += 1
        return n if n < 2 else f(n - 1) + f(n - 2)

    return f(x + 3), calls


def recursion_sums(x):
    seen = [0]

    def go(n):
        seen[0] = seen[0] + n
        if n > 0:
            go(n - 1)

    go(x)
    return seen[0]


class Fibonacci:
    def __init__(self):
        self.calls = 0

    def __call__(self, n):
        self.calls += 1
        if n < 2:
            return n
        return self(n - 1) + self(n - 2)


def recursion_of_an_object(x):
    f = Fibonacci()
    return f(x + 3), f.calls


# Exceptions that Python itself waits for


class Counting:
    def __init__(self, n):
        self.n, self.i = n, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


class Rows:
    def __init__(self, n):
        self.n = n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(i)
        return i


def converted_iterator(x):
    total = 0
    for i in autograph.convert(Counting)(x):
        total += i
    return total


def converted_rows(x):
    total = 0
    for i in autograph.convert(Rows)(x):
        total += i
    return total


# Functions and modules


def of_global(rate=1):
    return rate


class Held:
    def method(self):
        return 1


PLAIN = types.ModuleType("users_plain_parts")
PLAIN.held = 1
MODULES = [PLAIN]
CALLED = [of_global]


def attribute_of_a_global_function(x):
    if x > 0:
        of_global.calls = 1
    return getattr(of_global, "calls", 0)


def attribute_set_by_name(x):
    if x > 0:
        setattr(of_global, "calls", 1)  # noqa: B010
    return getattr(of_global, "calls", 0)


def attribute_of_a_function_in_a_list(x):
    for function in CALLED:
        if x > 0:
            function.calls = 1
    return getattr(of_global, "calls", 0)


def attribute_of_a_method(x):
    if x > 0:
        Held.method.calls = 1
    return getattr(Held.method, "calls", 0)


def defaults_of_a_global_function(x):
    if x > 0:
        of_global.__defaults__ = (5,)
    return of_global()


def attribute_that_a_module_gets(x):
    if x > 0:
        PLAIN.level = 1
    return getattr(PLAIN, "level", 0)


def attribute_that_a_module_gets_by_name(x):
    if x > 0:
        setattr(PLAIN, "level", 1)  # noqa: B010
    return getattr(PLAIN, "level", 0)


def raise_level(module):
    module.held += 1


def attribute_of_a_module_in_a_helper(x):
    if x > 0:
        raise_level(PLAIN)
    return PLAIN.held


def attribute_of_a_module_that_it_gets_as_a_default(x, module=PLAIN):
    if x > 0:
        raise_level(module)
    return module.held


def attribute_of_a_module_in_a_loop(x):
    for _ in range(x):
        raise_level(PLAIN)
    return PLAIN.held


def attribute_of_a_module_in_a_list(x):
    if x > 0:
        MODULES[0].held = 5
    return MODULES[0].held


def attribute_of_a_module_in_an_object(x):
    owner = types.SimpleNamespace(module=PLAIN)
    if x > 0:
        owner.module.held = 5
    return owner.module.held


def attribute_of_a_captured_module(x):
    module = PLAIN

    def act():
        module.held = 5

    if x > 0:
        act()
    return PLAIN.held


def attribute_that_a_module_in_a_list_gets(x):
    for module in MODULES:
        if x > 0:
            module.level = 1
    return getattr(PLAIN, "level", 0)


def new_global(x):
    global fresh
    if x > 0:
        fresh = 1
    return int("fresh" in globals())


def new_global_by_name(x):
    if x > 0:
        globals()["fresh"] = 1
    return int("fresh" in globals())


LASTING = [
    attribute_of_a_global_function, attribute_set_by_name, attribute_of_a_function_in_a_list,
    attribute_of_a_method, defaults_of_a_global_function, attribute_that_a_module_gets,
    attribute_that_a_module_gets_by_name, new_global, new_global_by_name,
    attribute_of_a_module_in_a_helper, attribute_of_a_module_that_it_gets_as_a_default,
    attribute_of_a_module_in_a_loop, attribute_of_a_module_in_a_list,
    attribute_of_a_module_in_an_object, attribute_of_a_captured_module,
    attribute_that_a_module_in_a_list_gets,
]  # fmt: skip


@pytest.fixture
def lasting(request):
    """What was put into functions and modules of this file goes away."""
    yield
    globals().pop("fresh", None)
    of_global.__defaults__, PLAIN.held = (1,), 1
    for holder in (of_global, Held.method, PLAIN):
        for name in ("calls", "level"):
            vars(holder).pop(name, None)


@pytest.mark.parametrize("program", LASTING)
@pytest.mark.usefixtures("lasting")
def test_what_a_path_not_taken_leaves_in_functions_and_modules(program):
    """It is refused, with its place, or as Python leaves it: at the call, and behind it."""
    expected = program(-1)
    with refused_here():
        assert int(rt.function(program)(rt.constant(-1))) == expected
    assert program(-1) == expected


CHANGED = [
    attribute_of_a_module_in_a_helper, attribute_of_a_module_that_it_gets_as_a_default,
    attribute_of_a_module_in_a_loop, attribute_of_a_module_in_a_list,
    attribute_of_a_module_in_an_object, attribute_of_a_captured_module,
]  # fmt: skip


@pytest.mark.parametrize("program", CHANGED)
@pytest.mark.usefixtures("lasting")
def test_modules_are_changed_on_the_path_taken(program):
    expected = program(2)
    PLAIN.held = 1
    assert int(rt.function(program)(rt.constant(2))) == expected
    assert int(PLAIN.held) == expected


def mark(module):
    module.level = 1


def rename(module):
    module.__name__ = "another"


def by_a_helper(x, module):
    if x > 0:
        mark(module)


def by_itself(x, module):
    if x > 0:
        module.level = 1


def what_is_there(x, module):
    if x > 0:
        rename(module)


def in_a_list(x, module):
    held = [module]
    while x > 0:
        mark(held[0])
        x = x - 1


def of_numpy_by_name(x, module):
    if x > 0:
        mark(np)


def of_the_runtime_by_name(x, module):
    if x > 0:
        rt.level = 1


def of_an_import(x, module):
    import base64

    if x > 0:
        mark(base64)


OF_ARGUMENT = [by_a_helper, by_itself, what_is_there, in_a_list]
BY_NAME = [of_numpy_by_name, of_the_runtime_by_name, of_an_import]


@pytest.mark.parametrize(
    ("program", "module"),
    [
        *((program, module) for program in OF_ARGUMENT for module in (math, json, np, rt)),
        *zip(BY_NAME, (np, rt, base64), strict=True),
        (by_itself, types.ModuleType("made_before_the_call")),
    ],
)
def test_modules_of_libraries_are_not_changed(program, module):
    before = dict(vars(module))
    with pytest.raises(StagingError, match=r"\.(level|__name__) is changed while"):
        rt.function(program)(rt.constant(-1), module)
    assert vars(module) == before


def test_what_a_module_loads_is_no_change():
    lazy = types.ModuleType("json.lazy")
    vars(lazy)["__getattr__"] = lambda name: vars(lazy).setdefault(name, math.sqrt)

    def read(module):
        return module.sqrt

    @rt.function
    def program(x, module):
        if x > 0:
            read(module)
        return x + 1

    assert int(program(rt.constant(1), lazy)) == 2
    assert vars(lazy)["sqrt"] is math.sqrt


def staged_value_in_a_new_global(x):
    global fresh
    fresh = x * 2
    return x


def staged_value_in_a_new_attribute(x):
    PLAIN.level = x * 2
    return x


@pytest.mark.parametrize(
    ("program", "read"),
    [
        (staged_value_in_a_new_global, lambda: fresh),
        (staged_value_in_a_new_attribute, lambda: PLAIN.level),
    ],
)
@pytest.mark.usefixtures("lasting")
def test_a_new_global_or_attribute_has_the_value_of_the_last_call(program, read):
    staged = rt.function(program)
    for x in (1, 5, 7):
        staged(rt.constant(x))
        assert int(read()) == x * 2


def traced_twice(x):
    global fresh
    PLAIN.level = getattr(PLAIN, "level", 0) + 1
    fresh = globals().get("fresh", 0) + 1
    a, b = [1], [2]
    chosen = a if x > 0 else b
    chosen.append(3)
    return len(a)


@pytest.mark.usefixtures("lasting")
def test_a_function_that_is_traced_twice_makes_a_new_global_once():
    assert int(rt.function(traced_twice)(rt.constant(1))) == 2
    assert (PLAIN.level, fresh) == (1, 1)


@functools.lru_cache
def remembered(n):
    return {"held": n}


@functools.cache
def remembered_object(n):
    return types.SimpleNamespace(held=n)


class Remembering:
    @functools.cache  # noqa: B019
    def entry(self):
        return {"held": 1}


REMEMBERING = Remembering()


def given_by_a_cache(x):
    remembered(1)["held"] = remembered_object(1).held = REMEMBERING.entry()["held"] = 1
    if x > 0:
        remembered(1)["held"] = 2
        remembered_object(1).held = 3
        REMEMBERING.entry()["held"] = 4
    return remembered(1)["held"], remembered_object(1).held, REMEMBERING.entry()["held"]


@contextlib.contextmanager
def refused_here():
    try:
        yield
    except StagingError as error:
        if __file__ not in str(error):
            raise


def keywords_of_a_partial(x):
    applied = functools.partial(dict)
    if x > 0:
        applied.keywords["more"] = 1
    return len(applied())


class Rates:
    def rate(self, k, extra=0):
        return k + extra


def twice(self, k=7, extra=1):
    return k * 2 + extra


def thrice(self, k=7, extra=1):
    return k * 3 + extra


def method_that_is_chosen(x):
    class Some:
        rate = None

    Some.rate = twice if x > 2 else thrice
    made = Some()
    bound = made.rate
    return made.rate(x), bound(3, extra=2), Some.rate(made, 4)


def method_that_a_branch_assigns(x):
    class Some:
        def rate(self, *given):
            return len(given)

        def other(self, *given):
            return self.held * 2

    if x > 0:
        Some.rate = Some.other
    made = Some()
    made.held = x
    return made.rate(1, 2), made.other()


def method_of_a_global_class(x):
    before = Rates.rate
    if x > 0:
        Rates.rate = twice
    found = Rates().rate(x, 1)
    Rates.rate = before
    return found


def method_of_a_class_that_is_made(x):
    made = type("Made", (), {"rate": twice if x > 0 else thrice})
    return made().rate(x)


def method_that_is_set_by_name(x):
    class Some:
        pass

    setattr(Some, "rate", [twice, thrice][x > 0])  # noqa: B010
    return Some().rate(x)


def method_that_may_be_missing(x):
    class Some:
        rate = None

    if x > 0:
        Some.rate = twice
    made = Some()
    return -1 if made.rate is None else made.rate(x)


def functions_that_are_not_bound(x):
    class Some:
        size = len
        table = {"a": twice, "b": thrice}

    if x > 0:
        Some.size = sum
    made = Some()
    made.own = (lambda k=5: k) if x > 0 else (lambda k=6: k + 1)
    return made.size([1, 2, 4]), made.own(x), made.table["a" if x > 0 else "b"](made, x)


METHODS = [
    method_that_is_chosen, method_that_a_branch_assigns, method_of_a_global_class,
    method_of_a_class_that_is_made, method_that_is_set_by_name, method_that_may_be_missing,
    functions_that_are_not_bound,
]  # fmt: skip

AS_IN_PYTHON = [
    *METHODS,
    manager, operators, inherited, properties, attribute_hooks, ordering, subclass_hook, let_go,
    partial_method, default_factory, held_functions, through_a_reference, dataclass_made,
    class_made, class_attribute, slots, slots_and_more, descriptor, user_dict, user_list,
    chain_map, thread_local, parsed, exception_attributes, in_a_slice, in_a_view, in_a_proxy,
    dispatched, cached, weak_keys, module, global_by_a_manager, global_by_a_property,
    global_by_name, recursion_counts, recursion_sums, recursion_of_an_object,
    converted_iterator, converted_rows, thread_local_of_a_class, run_in_a_context,
    reset_in_a_helper, given_by_a_cache,
]  # fmt: skip


class Light:
    def __init__(self):
        self.pressed = 0


class Off(Light):
    def press(self):
        self.pressed += 1
        self.__class__ = On


class On(Light):
    def press(self):
        self.pressed += 10
        self.__class__ = Off


LIGHT = Off()


def class_of_an_object(x):
    light = Off()
    for _ in range(x):
        light.press()
    return light.pressed


def class_of_a_global_object(x):
    if x > 0:
        LIGHT.__class__ = On
    return int(isinstance(LIGHT, On))


def class_of_an_object_by_name(x):
    light = Off()
    if x > 0:
        setattr(light, "__class__", On)  # noqa: B010
    return int(isinstance(light, On))


def special_method(x):
    class Sum:
        def __add__(self, other):
            return 1 + other

    if x > 0:
        Sum.__add__ = lambda self, other: 50 + other
    return Sum() + x


def special_method_of_a_base(x):
    class Base:
        def __len__(self):
            return 1

    class Derived(Base):
        pass

    if x > 0:
        Base.__len__ = lambda self: 2
    return len(Derived())


def name_of_a_class(x):
    class Kind:
        pass

    if x > 0:
        Kind.__name__ = "Other"
    return len(Kind.__name__)


def cause_of_an_exception(x):
    error = ValueError("a")
    if x > 0:
        error.__cause__ = KeyError("b")
    return int(error.__cause__ is None)


def name_of_a_function(x):
    def f():
        return 1

    if x > 0:
        f.__name__ = "other"
    return len(f.__name__)


def text_of_a_global_function(x):
    if x > 0:
        of_global.__doc__ = "another text"
    return len(of_global.__doc__ or "")


def globals_by_exec(x):
    if x > 0:
        exec("fresh_by_exec = 1", globals())
    return int("fresh_by_exec" in globals())


READ_BY_PYTHON: dict[Callable[..., Any], str] = {
    special_method: r"Sum.__add__ is changed .* Python itself reads it",
    special_method_of_a_base: r"Base.__len__ is changed .* Python itself reads it",
    name_of_a_class: r"Kind.__name__ is changed .* Python itself reads it",
    cause_of_an_exception: r"error.__cause__ is changed .* Python itself reads it",
    name_of_a_function: r"f.__name__ is changed .* Python itself reads it",
    text_of_a_global_function: r"of_global.__doc__ is changed .* Python itself reads it",
    globals_by_exec: r"exec inside a staged block may set global variables",
}

REFUSED: dict[Callable[..., Any], str] = {
    **READ_BY_PYTHON,
    class_of_an_object: r"light.__class__ is changed .* the class of an object is the same",
    class_of_a_global_object: r"LIGHT.__class__ is changed .* the class of an object is the same",
    class_of_an_object_by_name: r"light.__class__ is changed .* the class of an object",
    context_variable: "variable is changed .* cannot be carried",
    context: "other.* is changed .* a Context cannot be carried",
    context_in_rounds: "other.* is changed .* a Context cannot be carried",
    context_variable_that_is_left: "VARIABLE is changed .* no ContextVar from before a call can",
    opaque_queue: r"put\(\) of a SimpleQueue inside a staged block",
    opaque_digest: r"update\(\) of a HASH inside a staged block",
    ctypes_array: "items is changed .* cannot be carried",
    defaults: "f.__defaults__ is changed",
    keywords_of_a_partial: r"applied.keywords\['more'\].* cannot be joined",
    exception_arguments: "error is changed .* a tuple cannot be carried",
}


def plain(value: Any) -> Any:
    return tuple(map(plain, value)) if isinstance(value, tuple) else int(value)


@pytest.mark.parametrize("x", [0, 3])
@pytest.mark.parametrize("program", AS_IN_PYTHON)
def test_as_in_python(program: Callable[..., Any], x: int) -> None:
    assert plain(rt.function(program)(rt.constant(x))) == program(x)


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.__name__)
def test_refused(program: Callable[..., Any]) -> None:
    before = TOTAL, list(SEEN)
    with pytest.raises(StagingError, match=REFUSED[program]) as caught:
        rt.function(program)(rt.constant(2))
    assert caught.value.filename == __file__
    assert caught.value.lineno
    assert caught.value.hint
    assert (TOTAL, SEEN) == before
