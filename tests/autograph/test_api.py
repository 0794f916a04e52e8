"""Converting functions, methods, classes and other callables, and leaving them alone."""

import abc
import asyncio
import contextlib
import dataclasses
import enum
import functools
import inspect
import pickle
import threading
from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any

import numpy as np
import pytest

import autograph
from autograph import (
    ConversionError,
    call,
    convert,
    do_not_convert,
    is_converted,
    to_code,
    to_graph,
)
from tests.autograph.callables import POINT, Derived, Point, helper, outer, sign
from tests.autograph.staged_values import Staged, plain


def shown(value: Any) -> str:
    return getattr(value, "__qualname__", type(value).__name__)


# What a converted function shares with the original


def decorated(a: int, /, b: int = 2, *rest: int, c: int = 3, **more: int) -> tuple[Any, ...]:
    """Docs."""
    if a:
        b = b + 1
    return a, b, rest, c, more


decorated.mark = [1]  # type: ignore[attr-defined]

SHARED = [
    "__name__",
    "__qualname__",
    "__module__",
    "__doc__",
    "__defaults__",
    "__kwdefaults__",
    "__annotations__",
    "__dict__",
    "__globals__",
]


@pytest.mark.parametrize("attribute", SHARED)
def test_shared(attribute: str) -> None:
    assert getattr(convert(decorated), attribute) is getattr(decorated, attribute)


def test_the_signature_is_the_same() -> None:
    assert inspect.signature(convert(decorated)) == inspect.signature(decorated)


def test_the_source_is_the_users() -> None:
    assert inspect.getsource(convert(decorated)) == inspect.getsource(decorated)


def test_the_original_is_untouched() -> None:
    before = {name: getattr(decorated, name) for name in [*SHARED, "__code__", "__closure__"]}
    attributes = dict(vars(decorated))
    convert(decorated)
    call(decorated)
    assert {name: getattr(decorated, name) for name in before} == before
    assert vars(decorated) == attributes


@pytest.mark.parametrize(
    ("args", "kwargs"), [((1,), {}), ((0, 5, 6), {"c": 1}), ((1,), {"b": 4, "z": 9})]
)
def test_arguments(args: Any, kwargs: Any) -> None:
    assert convert(decorated)(*args, **kwargs) == decorated(*args, **kwargs)
    assert call(decorated)(*args, **kwargs) == decorated(*args, **kwargs)


@pytest.mark.parametrize(
    ("args", "kwargs"), [((), {}), ((), {"a": 1}), ((1,), {"c": 1, "b": 2, "a": 3})]
)
def test_wrong_arguments(args: Any, kwargs: Any) -> None:
    outcomes = []
    for function in (decorated, convert(decorated), call(decorated)):
        try:
            outcomes.append(function(*args, **kwargs))
        except TypeError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_defaults_given_later_are_seen() -> None:
    def f(x: int = 1, *, k: int = 2) -> int:
        return x if x > k else k

    call(f)
    f.__defaults__, f.__kwdefaults__ = (10,), {"k": 20}
    assert call(f)() == convert(f)() == 20


def test_cells_are_shared() -> None:
    n = 0

    def f() -> int:
        nonlocal n
        if n >= 0:
            n = n + 1
        return n

    assert (convert(f)(), f(), convert(f)(), n) == (1, 2, 3, 3)


def test_an_empty_cell() -> None:
    def f(x: int) -> Any:
        return later if x else 0

    converted = convert(f)
    with pytest.raises(NameError, match="later"):
        converted(1)
    later = 5
    assert converted(1) == 5


# Kinds of callables


CALLABLES: dict[str, tuple[Callable[..., Any], Any]] = {
    "function": (sign, 2),
    "lambda": (lambda x: 1 if x > 2 else 2, 5),
    "bound method": (POINT.method, 1),
    "unbound method": (functools.partial(Point.method, POINT), -1),
    "class method": (Point.make, 4),
    "static method": (Point.static, 4),
    "object": (POINT, -4),
    "partial": (functools.partial(sign), 1),
    "nested partial": (functools.partial(functools.partial(POINT.method), y=2), None),
    "method of a partial": (MethodType(functools.partial(sign), 4), None),
    "super": (Derived(1).method, 7),
    "explicit base": (Derived(1).method, 1),
}


def outcome(function: Callable[..., Any], argument: Any) -> Any:
    result = function() if argument is None else function(argument)
    return vars(result) if isinstance(result, Point) else result


@pytest.mark.parametrize(("target", "argument"), CALLABLES.values(), ids=CALLABLES)
def test_kinds_of_callables(target: Any, argument: Any) -> None:
    expected = outcome(target, argument)
    converted = convert(target)
    assert outcome(converted, argument) == expected
    assert outcome(call(target), argument) == expected
    assert is_converted(converted)
    assert not is_converted(target)


@pytest.mark.parametrize("kind", [classmethod, staticmethod])
def test_descriptors_in_a_class_body(kind: Any) -> None:
    member = convert(kind(sign))
    assert type(member) is kind
    assert is_converted(member)


def test_converting_again_changes_nothing() -> None:
    converted = convert(sign)
    assert convert(converted) is converted
    assert call(converted) is converted


@pytest.mark.parametrize("decorator", [convert, convert(), convert(recursive=True), to_graph])
def test_as_a_decorator(decorator: Any) -> None:
    @decorator
    def f(x: Any) -> Any:
        return 1 if x else 2

    assert is_converted(f)
    assert (f(1), f(0)) == (1, 2)


@pytest.mark.parametrize(
    "target", [len, int, [].append, functools.lru_cache(len), object()], ids=shown
)
def test_what_is_not_written_in_python(target: Any) -> None:
    with pytest.raises((ConversionError, TypeError)) as refused:
        convert(target)
    assert isinstance(refused.value, ConversionError) == callable(target)
    assert "call it as it is" in str(refused.value) or not callable(target)


@pytest.mark.parametrize("decorate", [functools.cache, functools.lru_cache(2, typed=True)])
def test_a_cached_function_has_a_cache_of_its_own(decorate: Any) -> None:
    called = []

    @decorate
    def doubled(x: Any) -> Any:
        """Doc."""
        called.append(x)
        return x * 2 if x else None

    converted = convert(doubled)
    assert is_converted(converted)
    assert not is_converted(doubled)
    assert [converted(x) for x in (1, 1, 0, 2, 1)] == [2, 2, None, 4, 2]
    assert len(called) == converted.cache_info().misses
    assert converted.cache_parameters() == doubled.cache_parameters()
    assert doubled.cache_info().misses == 0
    assert (converted.__name__, converted.__doc__) == ("doubled", "Doc.")
    assert "@" in to_code(doubled)


def test_a_class_with_cached_methods() -> None:
    @convert
    class Cached:
        @functools.lru_cache  # noqa: B019
        def sign(self, x: Any) -> Any:
            if x > 0:
                return 1
            return -1

    assert is_converted(Cached.sign)
    assert (Cached().sign(3), Cached().sign(-3)) == (1, -1)


def test_a_ufunc_is_called_in_a_function_of_your_own() -> None:
    with pytest.raises(ConversionError, match="convert a function of your own that calls it"):
        convert(np.sin)


def test_without_source() -> None:
    namespace: dict[str, Any] = {}
    exec("def f(x):\n    return 1 if x else 2", namespace)
    with pytest.raises(ConversionError, match="not read from a file"):
        convert(namespace["f"])


def test_generators_and_coroutines() -> None:
    def generator(n: int) -> Iterator[int]:
        for i in range(n):
            if i % 2:
                yield i

    async def coroutine(n: int) -> int:
        if n > 1:
            n = n + 1
        await asyncio.sleep(0)
        return n

    @contextlib.contextmanager
    def manager(x: int) -> Iterator[int]:
        yield 1 if x else 2

    def uses(x: int) -> int:
        with manager(x) as y:
            return y if x else y + 1

    assert list(convert(generator)(5)) == [1, 3]
    assert asyncio.run(convert(coroutine)(2)) == 3
    assert [convert(uses)(x) for x in (0, 1)] == [3, 1]


# Classes


def make_class() -> type:
    """A class of its own for each test, as conversion is in place."""

    class Local(Point):
        def method(self, y: Any) -> Any:
            return super().method(y) if y > 5 else -y

        @property
        def doubled(self) -> Any:
            """Docs."""
            return 2 * self.x if self.x > 0 else 0

        @doubled.setter
        def doubled(self, value: Any) -> None:
            if value > 0:
                self.x = value / 2

        @functools.cached_property
        def once(self) -> Any:
            return [1] if self.x > 0 else [0]

        @classmethod
        def build(cls, x: Any) -> Any:
            return cls(x) if x > 0 else cls(0)

        def __lt__(self, other: Any) -> Any:
            return self.x < other if other > 0 else False

        constant = len

    return Local


def test_a_class_is_converted_in_place() -> None:
    cls, original = make_class(), make_class()
    members = {name: type(member) for name, member in vars(cls).items()}
    assert convert(cls) is cls
    assert {name: type(member) for name, member in vars(cls).items()} == members
    assert is_converted(cls)
    for name in ("method", "__lt__", "build", "doubled"):
        assert is_converted(inspect.getattr_static(cls, name)), name
        assert not is_converted(inspect.getattr_static(original, name)), name
    assert cls.doubled.__doc__ == "Docs."


def test_a_converted_class_behaves_as_before() -> None:
    def story(cls: Any) -> Any:
        made = cls.build(4)
        made.doubled = 12
        made.doubled = -3
        first = made.once
        return (
            made.method(9),
            made.method(2),
            made.doubled,
            first is made.once,
            made < 7,
            vars(made),
        )

    assert story(convert(make_class())) == story(make_class())


def test_properties_and_operators_meet_staged_values(log: list[Any]) -> None:
    cls = convert(make_class())
    made = cls(1)
    made.x = Staged(3)
    assert plain(made.method(Staged(2)) if False else (made < Staged(5))) is True
    assert log == [("cond", ())]


@convert
class Pickled:
    def __init__(self, x: int) -> None:
        self.x = x if x else 1


def test_instances_of_a_converted_class_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Pickled(0))).x == 1


def test_slots_abstract_methods_and_enums() -> None:
    @convert
    class Slotted(abc.ABC):
        __slots__ = ("x",)

        @abc.abstractmethod
        def f(self) -> int: ...

        def g(self, x: int) -> int:
            return 1 if x else 2

    @convert
    class Colour(enum.Enum):
        RED = 1

        def f(self) -> int:
            return 1 if self is Colour.RED else 2

    with pytest.raises(TypeError, match="abstract"):
        Slotted()  # type: ignore[abstract]
    assert Slotted.__abstractmethods__ == {"f"}
    assert (Colour(1), Colour.RED.f()) == (Colour.RED, 1)


def test_a_dataclass() -> None:
    @convert
    @dataclasses.dataclass(order=True)
    class Data:
        x: int
        y: int = 2

        def __post_init__(self) -> None:
            self.y = self.y if self.x else 0

    assert (Data(0).y, Data(1).y, Data(1) < Data(2), Data(1) == Data(1)) == (0, 2, True, True)
    assert is_converted(Data.__post_init__)


# do_not_convert


@do_not_convert
def untouched(x: Any) -> Any:
    """Docs."""
    return 1 if x > 0 else 2


@do_not_convert()
def untouched_too(x: Any, *, k: int = 3) -> Any:
    return k if x > 0 else 2


class Untouched:
    @do_not_convert
    def method(self, x: Any) -> Any:
        return 1 if x > 0 else 2

    @do_not_convert
    @classmethod
    def make(cls, x: Any) -> Any:
        return 1 if x > 0 else 2


@do_not_convert
class UntouchedClass:
    def __init__(self, x: Any) -> None:
        self.x = 1 if x > 0 else 2

    def method(self, x: Any) -> Any:
        return 1 if x > 0 else 2


UNTOUCHED: dict[str, Callable[..., Any]] = {
    "function": untouched,
    "with parentheses": untouched_too,
    "method": Untouched().method,
    "class method": Untouched.make,
    "method of a class": UntouchedClass(1).method,
    "bound method": do_not_convert(POINT.method),
    "partial": functools.partial(untouched),
    "partial of a user's": do_not_convert(functools.partial(sign)),
    "object": do_not_convert(POINT),
}


@pytest.mark.parametrize("function", UNTOUCHED.values(), ids=UNTOUCHED)
def test_left_alone(function: Callable[..., Any]) -> None:
    def f(x: Any) -> Any:
        return function(x)

    assert convert(f)(3) == function(3)
    with pytest.raises(TypeError, match="no truth value"):
        convert(f)(Staged(3))


def test_a_class_left_alone() -> None:
    def f(x: Any) -> Any:
        return UntouchedClass(x).x

    assert convert(f)(3) == 1
    with pytest.raises(TypeError, match="no truth value"):
        convert(f)(Staged(3))


def test_the_copy_shares_all_but_code() -> None:
    def f(x: int = 1, *, k: int = 2) -> int:
        """Docs."""
        return x

    f.mark = 1  # type: ignore[attr-defined]
    copy = do_not_convert(f)
    for name in SHARED:
        assert getattr(copy, name) is getattr(f, name), name
    assert copy() == 1


def test_other_functions_with_the_same_code_are_not_left_alone() -> None:
    def make() -> Callable[..., Any]:
        return lambda x: 1 if x else 2

    first, second = make(), make()
    assert first.__code__ is second.__code__
    left = do_not_convert(first)
    assert call(left) is left
    assert is_converted(call(second))


def test_convert_respects_it() -> None:
    assert convert(untouched) is untouched
    assert not is_converted(convert(UntouchedClass).method)


def test_within_a_block() -> None:
    def f(x: Any) -> Any:
        with do_not_convert():
            return helper(x)

    assert convert(f)(3) == 1
    with pytest.raises(TypeError, match="no truth value"):
        convert(f)(Staged(3))
    assert plain(convert(outer)(Staged(3))) == 1


def test_a_block_holds_on_its_own_thread_only() -> None:
    seen = []
    with do_not_convert():
        assert call(helper) is helper
        thread = threading.Thread(target=lambda: seen.append(is_converted(call(helper))))
        thread.start()
        thread.join()
    assert seen == [True]
    assert is_converted(call(helper))


def test_blocks_nest() -> None:
    block = do_not_convert()
    with block:
        with block, do_not_convert():
            pass
        assert call(helper) is helper
    assert call(helper) is not helper


def test_a_block_ends_with_an_error() -> None:
    with pytest.raises(KeyError), do_not_convert():
        raise KeyError
    assert call(helper) is not helper


@pytest.mark.parametrize("target", [3, "a"])
def test_only_callables_can_be_left_alone(target: Any) -> None:
    with pytest.raises(TypeError, match="can be called"):
        do_not_convert(target)


def test_builtins_can_be_left_alone() -> None:
    assert do_not_convert(len) is len


# Looking at conversion


def test_to_code() -> None:
    text = to_code(sign)
    assert text.startswith("def sign(x")
    assert "ag.cond(" in text
    assert text == to_code(convert(sign)) == to_code(functools.partial(sign))
    compile(text, "generated", "exec")


@pytest.mark.parametrize("target", [Point, Derived, POINT, POINT.method, Point.make], ids=shown)
def test_to_code_of_others(target: Any) -> None:
    text = to_code(target)
    compile(text, "generated", "exec")
    if isinstance(target, type):
        assert all(f"def {name}(" in text for name in vars(target) if name == "method")


@pytest.mark.parametrize("target", [3, len, int, "sign"], ids=shown)
def test_no_code(target: Any) -> None:
    with pytest.raises((TypeError, ConversionError)):
        to_code(target)


def test_to_code_of_a_converted_closure() -> None:
    k = 3

    def f(x: Any) -> Any:
        return k if x else 0

    assert to_code(convert(f)) == to_code(f)


def test_public_names_exist() -> None:
    for name in autograph.__all__:
        assert hasattr(autograph, name), name
