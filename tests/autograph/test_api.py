"""Converting functions, methods, classes and other callables, and calling from generated code."""

import abc
import asyncio
import contextlib
import dataclasses
import enum
import functools
import gc
import inspect
import pickle
import threading
import weakref
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any, NamedTuple

import pytest

import autograph
from autograph import (
    ConversionError,
    call,
    convert,
    converted_code,
    do_not_convert,
    is_converted,
    observe_calls,
    to_code,
    to_graph,
)
from tests.autograph.staged_values import Staged, plain, recorded


@pytest.fixture
def log() -> Iterator[list[Any]]:
    yield from recorded()


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


def sign(x: Any) -> Any:
    if x > 0:
        return 1
    return -1


class Point:
    scale = 2

    def __init__(self, x: Any) -> None:
        self.x = x if x > -100 else -100
        self.__hidden = 3

    def method(self, y: Any) -> Any:
        if y > 0:
            return self.x + y
        return self.x + self.__hidden

    @classmethod
    def make(cls, x: Any) -> "Point":
        return cls(x + 1 if x > 0 else x)

    @staticmethod
    def static(x: Any) -> Any:
        return sign(x) if x > 0 else 0

    @property
    def positive(self) -> Any:
        return 1 if self.x > 0 else 0

    @functools.cached_property
    def cached(self) -> Any:
        return [1] if self.x > 0 else [0]

    def __add__(self, other: Any) -> Any:
        return self.x + other if other > 0 else self.x

    def __call__(self, y: Any) -> Any:
        return y if y > 0 else self.x

    def __len__(self) -> int:
        return 5 if self.x > 0 else 1


class Derived(Point):
    def method(self, y: Any) -> Any:
        if y > 1:
            return super().method(y) + 10
        return Point.method(self, y)


POINT = Point(3)
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
    "target", [len, int, [].append, functools.lru_cache(sign), object()], ids=shown
)
def test_what_is_not_written_in_python(target: Any) -> None:
    with pytest.raises((ConversionError, TypeError)) as refused:
        convert(target)
    assert isinstance(refused.value, ConversionError) == callable(target)


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


def helper(x: Any) -> Any:
    return 1 if x > 0 else 2


def outer(x: Any) -> Any:
    return helper(x)


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


# The cache


def test_code_is_converted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> Callable[..., Any]:
        return lambda x: 1 if x else 2

    converted: list[Any] = []
    original = autograph.api._make
    monkeypatch.setattr(autograph.api, "_make", lambda f: converted.append(f) or original(f))
    functions = [make() for _ in range(5)]
    codes = {id(convert(function).__code__) for function in functions}
    codes |= {id(call(function).__code__) for function in functions}
    assert (len(codes), len(converted)) == (1, 1)


def test_equal_code_of_two_files_is_told_apart(tmp_path: Any) -> None:
    functions = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.py"
        path.write_text("def f(x):\n    return 1 if x else 2\n")
        namespace: dict[str, Any] = {"__name__": name}
        exec(compile(path.read_text(), str(path), "exec"), namespace)
        functions.append(namespace["f"])
    first, second = functions
    assert convert(first).__code__.co_filename == first.__code__.co_filename
    assert convert(second).__code__.co_filename == second.__code__.co_filename


def test_threads_share_one_conversion(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any) -> Any:
        return 1 if x else 2

    made: list[Any] = []
    original = autograph.api._make
    monkeypatch.setattr(autograph.api, "_make", lambda g: made.append(g) or original(g))
    barrier = threading.Barrier(8)
    results: list[Any] = []

    def run() -> None:
        barrier.wait()
        results.append(convert(f)(1) + call(f)(0))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (results, len(made)) == ([3] * 8, 1)


def recursive_closure() -> tuple[FunctionType, Any]:
    payload = Point(1)

    def f(n: int) -> Any:
        return payload if n == 0 else f(n - 1)

    return f, weakref.ref(payload)  # type: ignore[return-value]


@pytest.mark.parametrize("use", [convert, call, to_code, do_not_convert, is_converted])
def test_functions_stay_collectable(use: Callable[[Any], Any]) -> None:
    function, payload = recursive_closure()
    use(function)
    dead = weakref.ref(function)
    del function
    gc.collect()
    assert (dead(), payload()) == (None, None)


def test_code_stays_collectable(tmp_path: Any) -> None:
    path = tmp_path / "module.py"
    path.write_text("def f(x):\n    return 1 if x else 2\n")

    def use() -> weakref.ref[Any]:
        namespace: dict[str, Any] = {}
        exec(compile(path.read_text(), str(path), "exec"), namespace)
        convert(namespace["f"])(1)
        call(namespace["f"])(1)
        return weakref.ref(namespace["f"].__code__)

    dead = use()
    gc.collect()
    assert dead() is None


def test_public_names_exist() -> None:
    for name in autograph.__all__:
        assert hasattr(autograph, name), name
