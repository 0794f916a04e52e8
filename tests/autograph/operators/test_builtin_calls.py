"""Builtins in generated code: Python's own for plain arguments, the backend's for staged ones."""

import builtins
import functools
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograph import ConversionError, call, convert
from tests.autograph.files import import_text
from tests.autograph.staged_values import Staged, plain

PLAIN: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
    (len, ([1, 2],), {}),
    (abs, (-3,), {}),
    (int, ("12",), {}),
    (int, ("12",), {"base": 3}),
    (float, (), {}),
    (bool, ([],), {}),
    (round, (2.567, 2), {}),
    (divmod, (7, 3), {}),
    (pow, (2, 5), {"mod": 7}),
    (range, (1, 5, 2), {}),
    (isinstance, (3, int), {}),
    (repr, ([1],), {}),
    (math.sqrt, (2.0,), {}),
    (math.hypot, (3.0, 4.0), {}),
    (max, (1, 5, 3), {}),
    (max, ([1, 5, 3],), {}),
    (max, ([],), {"default": 7}),
    (min, (["aa", "b"],), {"key": len}),
    (sum, ([1, 2],), {}),
    (sum, ([1, 2], 10), {}),
    (sorted, ([3, 1, 2],), {"reverse": True}),
    (any, ([0, 1],), {}),
    (any, ([],), {}),
    (all, ([0, 1],), {}),
    (all, ("",), {}),
    (all, ({},), {}),
]


@pytest.mark.parametrize(("function", "args", "kwargs"), PLAIN)
def test_plain(function: Any, args: Any, kwargs: Any, log: list[Any]) -> None:
    assert call(function)(*args, **kwargs) == function(*args, **kwargs)
    assert log == []


LAZY: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (enumerate, ("ab",)),
    (zip, ([1, 2], "ab")),
    (map, (abs, [-1, 2])),
    (map, (lambda a, b: a + b, [1, 2], [3, 4])),
    (filter, (None, [0, 1])),
    (filter, (lambda x: x > 1, [1, 2])),
    (reversed, ([1, 2],)),
    (iter, ([1, 2],)),
]


@pytest.mark.parametrize(("function", "args"), LAZY)
def test_iterators(function: Any, args: Any) -> None:
    got = call(function)(*args)
    assert type(got) is type(function(*args))
    assert list(got) == list(function(*args))


@pytest.mark.parametrize(
    ("function", "make"),
    [
        (max, lambda: (x for x in [1, 3, 2])),
        (min, lambda: (x for x in [2, 1])),
        (sorted, lambda: (x for x in [2, 1])),
        (sum, lambda: (x for x in [2, 1])),
        (any, lambda: (x for x in [0, 1, 0])),
        (all, lambda: (x for x in [0, 1, 0])),
        (list, lambda: (x for x in [2, 1])),
    ],
)
def test_generators(function: Any, make: Callable[[], Any]) -> None:
    assert call(function)(make()) == function(make())


@pytest.mark.parametrize("function", [any, all])
@pytest.mark.parametrize("items", [[0, 1, 0, 1], [1, 0, 1], [], [1, 1], [0, 0]], ids=str)
def test_deciding_stops_where_python_stops(function: Any, items: list[int]) -> None:
    expected, got = iter(items), iter(items)
    assert call(function)(x for x in got) is function(x for x in expected)
    assert list(got) == list(expected)


ERRORS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (len, ()),
    (len, (3,)),
    (int, ("x",)),
    (abs, ("a",)),
    (max, ()),
    (max, ([],)),
    (max, ((x for x in ()),)),
    (min, ([1, "a"],)),
    (map, ()),
    (map, (abs,)),
    (any, ()),
    (any, (3,)),
    (all, ([], [])),
    (sorted, (3,)),
    (functools.reduce, (max, [])),
]


@pytest.mark.parametrize(("function", "args"), ERRORS)
def test_errors_are_pythons(function: Any, args: Any) -> None:
    with pytest.raises(Exception) as expected:  # noqa: PT011  # compared below
        function(*args)
    with pytest.raises(type(expected.value)) as got:
        call(function)(*args)
    assert str(got.value) == str(expected.value)
    assert [entry.name for entry in got.traceback] == [entry.name for entry in expected.traceback]


STAGED: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], Any]] = [
    (len, (Staged([1, 2]),), {}, 2),
    (abs, (Staged(-1),), {}, 1),
    (pow, (2, Staged(3)), {}, 8),
    (math.sqrt, (Staged(4.0),), {}, 2.0),
    (max, (Staged([1, 2]),), {}, 2),
    (max, (1, Staged(2)), {}, 2),
    (max, ([1, Staged(2)],), {}, 2),
    (sorted, ([Staged(2), 1],), {}, [1, 2]),
    (any, (Staged([0, 1]),), {}, True),
    (any, ([0, Staged(1)],), {}, True),
    (all, ([1, Staged(0), 1],), {}, False),
    (sum, (Staged([1, 2]),), {}, 3),
]


@pytest.mark.parametrize(("function", "args", "kwargs", "expected"), STAGED)
def test_staged(function: Any, args: Any, kwargs: Any, expected: Any, log: list[Any]) -> None:
    assert plain(call(function)(*args, **kwargs)) == expected
    assert [entry[0] for entry in log] == [function.__name__]


def test_staged_elements_of_a_generator(log: list[Any]) -> None:
    assert plain(call(max)(Staged(x) for x in [1, 3, 2])) == 3
    assert plain(call(any)(x if x == 0 else Staged(x) for x in [0, 0, 5, 0])) is True
    assert log == [("max", 1), ("any", 1)]


def test_elements_before_the_first_staged_one_decide() -> None:
    assert call(any)([0, 1, Staged(1)]) is True
    assert call(all)(x for x in [1, 0, Staged(1)]) is False


def test_a_staged_keyword(log: list[Any]) -> None:
    assert plain(call(max)([], default=Staged(1))) == 1
    assert log == [("max", 1, "default")]


def test_a_backend_may_leave_it_to_python(log: list[Any]) -> None:
    value = Staged(1)
    assert call(repr)(value) == repr(value)
    assert log == [("repr", 1)]


def test_print(capsys: pytest.CaptureFixture[str], log: list[Any]) -> None:
    call(print)("a", 1, sep="-", end="!\n")
    assert (capsys.readouterr().out, log) == ("a-1!\n", [])
    call(print)("a", Staged(1))
    call(print)([Staged(1)])
    call(print)({"k": Staged(1)})
    assert [entry[0] for entry in log] == ["print"] * 3


FRAMES = [
    super,
    globals,
    object,
    getattr,
    setattr,
    property,
]


@pytest.mark.parametrize("function", FRAMES)
def test_others_stay_as_they_are(function: Any) -> None:
    assert call(function) is function


SEEING: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (vars, (sys,), {}),
    (dir, ("",), {}),
    (eval, ("a + 1", {"a": 2}), {}),
    (eval, ("a + b", {"a": 2}, {"b": 1}), {}),
]


@pytest.mark.parametrize(("function", "args", "kwargs"), SEEING)
def test_names_of_others(function: Any, args: Any, kwargs: Any) -> None:
    assert call(function)(*args, **kwargs) == function(*args, **kwargs)


TEXTS = """
import functools

def executed():
    names = {}
    exec("def f(x: int): pass", {}, names)
    return names["f"].__annotations__

def compiled():
    names = {}
    exec(compile("def f(x: int): pass", "text", "exec"), names)
    return names["f"].__annotations__

def by_another_name(call):
    names = {}
    call("def f(x: int): pass", names)
    return names["f"].__annotations__

def evaluated(x):
    return eval("[lambda: x][0]", {"x": x})().__name__ if x else None

def failing():
    eval("1 +", {})
"""


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
def test_texts_are_compiled_as_where_they_are_given(future: str, tmp_path: Path) -> None:
    module = import_text(tmp_path / "texts.py", future + TEXTS)
    annotation = {"x": "int" if future else int}
    assert convert(module.executed)() == module.executed() == annotation
    assert convert(module.compiled)() == module.compiled() == annotation
    assert convert(module.by_another_name)(exec) == annotation
    assert convert(module.evaluated)(int) == "int"
    with pytest.raises(SyntaxError):
        convert(module.failing)()


@pytest.mark.parametrize(
    ("function", "args"), [(locals, ()), (vars, ()), (dir, ()), (eval, ("1",)), (exec, ("1",))]
)
def test_names_of_the_converted_function(function: Any, args: Any) -> None:
    with pytest.raises(ConversionError, match=f"`{function.__name__}` would see") as refused:
        call(function)(*args)
    error = refused.value
    assert (error.filename, error.variable) == (__file__, function.__name__)


def test_a_class_made_by_type_belongs_to_the_callers_module() -> None:
    made = call(type)("Made", (int,), {"size": 3})
    assert (made.__name__, made.__module__, made.__bases__, made.size) == (
        "Made",
        __name__,
        (int,),
        3,
    )


def test_type_of_a_value_is_its_class() -> None:
    assert call(type)(1) is int


def test_what_is_taken_over_is_made_once() -> None:
    assert call(len) is call(len)


def test_every_builtin_can_be_called_through_it() -> None:
    for name, function in vars(builtins).items():
        if callable(function) and not name.startswith("_"):
            assert callable(call(function)), name


def sign(x: Any) -> int:
    if x > 2:
        return 1
    return -1


@pytest.mark.parametrize(
    ("function", "args", "kwargs"),
    [
        (map, (sign, [1, 2, 3]), {}),
        (filter, (sign, [1, 2, 3]), {}),
        (sorted, ([1, 2, 3, 0],), {"key": sign}),
        (functools.reduce, (lambda a, b: a + sign(b), [1, 2, 3], 0), {}),
    ],
)
def test_callbacks_are_converted(function: Any, args: Any, kwargs: Any) -> None:
    got = call(function)(*args, **kwargs)
    expected = function(*args, **kwargs)
    assert list(got) == list(expected) if function in (map, filter) else got == expected


def test_a_converted_callback_may_meet_staged_values(log: list[Any]) -> None:
    assert [plain(sign_) for sign_ in call(map)(sign, [Staged(1), 5])] == [-1, 1]
    assert log == [("cond", ())]
