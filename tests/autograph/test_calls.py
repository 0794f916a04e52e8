"""Calling from generated code: what is converted, how instances are made, what watches."""

import dataclasses
import enum
import functools
import threading
from array import array
from collections.abc import Callable
from io import StringIO
from random import Random
from typing import Any, NamedTuple

import pytest

from autograph import call, convert, converted_code, is_converted, observe_calls
from tests.autograph.callables import POINT, Derived, Point, helper, outer
from tests.autograph.staged_values import Staged, plain

# Constructing from generated code


class WithNew:
    made = 0

    def __new__(cls, x: int) -> Any:
        cls.made = cls.made + 1 if x else 0
        return super().__new__(cls) if x >= 0 else "other"

    def __init__(self, x: int) -> None:
        self.x = 1 if x else 2


class Meta(type):
    def __call__(cls, *args: Any) -> Any:
        made = super().__call__(*args)
        made.extra = 1 if args else 2
        return made


class WithMeta(metaclass=Meta):
    def __init__(self, *args: Any) -> None:
        self.args = args if args else None


class Returning:
    def __init__(self) -> None:
        return 3 if self else 4  # type: ignore[return-value]


class NoInit:
    pass


class Tuple(NamedTuple):
    x: int


class MyError(Exception):
    def __init__(self, x: Any) -> None:
        super().__init__(x, 1 if x else 2)


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Data:
    x: int


CONSTRUCTED: list[tuple[type, tuple[Any, ...]]] = [
    (Point, (3,)),
    (Derived, (3,)),
    (WithNew, (1,)),
    (WithNew, (-1,)),
    (WithNew, ()),
    (WithMeta, (1,)),
    (WithMeta, ()),
    (Returning, ()),
    (NoInit, ()),
    (NoInit, (1,)),
    (Tuple, (1,)),
    (Data, (1,)),
    (MyError, ("a",)),
    (Colour, (1,)),
    (Colour, (7,)),
    (Point, ()),
    (object, ()),
    (dict, ([(1, 2)],)),
    (threading.Lock, ()),
]


def described(make: Callable[[], Any]) -> Any:
    try:
        made = make()
    except (TypeError, ValueError) as error:
        return type(error), str(error)
    args = made.args if isinstance(made, Exception) else None
    return type(made), getattr(made, "__dict__", None), args


@pytest.mark.parametrize(("cls", "args"), CONSTRUCTED)
def test_constructing(cls: Any, args: Any) -> None:
    assert described(lambda: call(cls)(*args)) == described(lambda: cls(*args))


@pytest.mark.parametrize("cls", [NoInit, Colour, Tuple, Data, object, Exception, threading.Thread])
def test_nothing_to_convert(cls: Any) -> None:
    assert call(cls) is cls


@pytest.mark.parametrize("cls", [Point, WithMeta], ids=lambda cls: cls.__name__)
def test_init_meets_staged_values(cls: Any, log: list[Any]) -> None:
    class Special(cls):
        def __init__(self, x: Any) -> None:
            self.x = 1 if x else 2

    assert plain(call(Special)(Staged(0)).x) == 2
    assert log == [("cond", ())]


def test_a_subclass_made_by_new_is_initialised_by_its_own_init() -> None:
    class Base:
        def __new__(cls, x: int) -> Any:
            return object.__new__(Other if x else cls)

        def __init__(self, x: int) -> None:
            self.by = "base"

    class Other(Base):
        def __init__(self, x: int) -> None:
            self.by = "other" if x else "none"

    assert call(Base)(1).by == Base(1).by == "other"


# Recursive conversion


def wrapper_of(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return function(*args)

    return wrapper


wrapped = wrapper_of(helper)


def calls_wrapped(x: Any) -> Any:
    return wrapped(x)


def calls_method(x: Any) -> Any:
    return POINT.method(x)


def calls_nested(x: Any) -> Any:
    def inner(y: Any) -> Any:
        return helper(y) if y > 0 else 0

    return [f(x) for f in (inner, lambda y: helper(y))][1]


@pytest.mark.parametrize("function", [outer, calls_wrapped, calls_method, calls_nested])
def test_what_is_called_is_converted(function: Callable[..., Any], log: list[Any]) -> None:
    assert plain(convert(function)(Staged(3))) == function(3)
    assert log


@pytest.mark.parametrize("recursive", [True, False])
def test_not_recursive(recursive: bool, log: list[Any]) -> None:
    converted = convert(outer, recursive=recursive)
    assert converted(3) == 1
    if recursive:
        assert plain(converted(Staged(3))) == 1
    else:
        with pytest.raises(TypeError, match="no truth value"):
            converted(Staged(3))


def test_builtins_are_taken_over_even_if_not_recursive(log: list[Any]) -> None:
    def f(x: Any) -> Any:
        return len(x)

    assert plain(convert(f, recursive=False)(Staged([1, 2]))) == 2


def test_nested_functions_are_converted_once() -> None:
    def f() -> Any:
        def inner(x: Any) -> Any:
            return 1 if x else 2

        return inner

    inner = convert(f)()
    assert is_converted(inner)
    assert call(inner) is inner
    assert converted_code(inner.__code__)


def test_deep_recursion_of_a_converted_function() -> None:
    @convert
    def down(n: int) -> int:
        return 0 if n == 0 else 1 + down(n - 1)

    assert down(100) == 100


# Watching calls


def test_observers_are_told_of_each_call() -> None:
    told: list[Any] = []

    def f(x: Any) -> Any:
        return helper(abs(x)) + POINT.method(x)

    with observe_calls(lambda function, args: told.append((function, args))):
        assert convert(f)(-3) == f(-3)
    assert told == [(helper, ()), (abs, (-3,)), (POINT.method, ())]
    convert(f)(1)
    assert len(told) == 3


@pytest.mark.parametrize("kind", [array, Random, StringIO])  # StringIO is one from 3.12 on
def test_of_a_class_that_c_makes_observers_are_told_once(kind: Any) -> None:
    told: list[Any] = []
    given = ("d",) if kind is array else ()
    with observe_calls(lambda function, args: told.append(function)):
        call(kind)(*given)
    assert kind.__new__ not in told


def test_an_observer_may_refuse() -> None:
    def refuse(function: Any, args: Any) -> None:
        if function is next:
            raise ValueError("no")

    def f(x: Any) -> Any:
        return next(iter([x]))

    with observe_calls(refuse), pytest.raises(ValueError, match="no") as raised:
        convert(f)(1)
    assert [entry.name for entry in raised.traceback][-2:] == ["f", "refuse"]
    assert convert(f)(1) == 1


def test_observers_nest_and_are_of_one_thread() -> None:
    told: list[str] = []
    with observe_calls(lambda f, a: told.append("outer")):
        with observe_calls(lambda f, a: told.append("inner")):
            call(helper)
        thread = threading.Thread(target=lambda: call(helper))
        thread.start()
        thread.join()
    assert told == ["outer", "inner"]
