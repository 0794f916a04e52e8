"""Errors while a function is traced say file, line and column in their text."""

import json
import re
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import autograph
import runtime as rt
from runtime import errors

INTS, FLOATS = [1, 2], [1.0, 2.0]
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "floor": lambda a, b: a // b,
    "modulo": lambda a, b: a % b,
    "power": lambda a, b: a**b,
    "matmul": lambda a, b: a @ b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shift": lambda a, b: a << b,
    "invert": lambda a, b: ~b,
    "less": lambda a, b: a < b,
    "at least": lambda a, b: a >= b,
    "equal": lambda a, b: a == b,
    "not equal": lambda a, b: a != b,
    "reflected": lambda a, b: 2.5 % a,
    "with text": lambda a, b: a + "x",
    "with None": lambda a, b: a + None,
    "with a list": lambda a, b: a * [1.5, 2.5],
    "with an array": lambda a, b: a + rt.constant([1.5, 2.5]).numpy(),
    "with a number of Python": lambda a, b: a + float(b[0]),
    "item": lambda a, b: a[b],
    "item out of range": lambda a, b: a[5],
    "too many items": lambda a, b: a[0, 0],
    "shapes": lambda a, b: a + rt.zeros([3], rt.int32),
    "negative for unsigned": lambda a, b: rt.cast(a, rt.uint8) + -1,
    "float": lambda a, b: a + float(a),
    "int": lambda a, b: int(a),
    "abs": lambda a, b: abs(rt.constant("x")),
    "len": lambda a, b: len(a[0]),
    "divmod": lambda a, b: divmod(a, b),
    "round": lambda a, b: round(b, 1.5),
    "not": lambda a, b: not a,
    "sum of a list": lambda a, b: sum([a, 1.5]),
    "sum with a start": lambda a, b: sum(a, b),
    "max": lambda a, b: max(rt.cast(a[0], rt.uint8), -1),
    "min": lambda a, b: min(a[0], rt.constant(1.5)),
    "min of a list": lambda a, b: min([a[0], rt.constant(1.5)]),
    "chain": lambda a, b: 0 < rt.cast(a[0], rt.float32) < rt.constant(1.5, rt.float64),
    "in": lambda a, b: 1.5 in a,
    "call": lambda a, b: a(b),
    "op": lambda a, b: rt.add(a, b),
    "axis": lambda a, b: rt.reduce_sum(a, axis=7),
    "axis of a symbol": lambda a, b: rt.reduce_sum(a, axis=a),
    "reshape": lambda a, b: rt.reshape(a, [3]),
    "concat": lambda a, b: rt.concat([a, b], 0),
    "dtype": lambda a, b: rt.cast(a, "nope"),
    "if": lambda a, b: a if a else b,
}


@pytest.mark.parametrize("name", OPERATORS)
def test_errors_of_operators_and_ops_have_a_place(name: str) -> None:
    function = OPERATORS[name]
    with pytest.raises((TypeError, ValueError, IndexError)) as caught:
        rt.function(function)(rt.constant(INTS), rt.constant(FLOATS))
    _has_place(caught.value, function.__code__.co_firstlineno)


def _has_place(error: BaseException, line: int) -> None:
    found = re.findall(rf"{re.escape(str(Path(__file__)))}:(\d+):(\d+)", str(error))
    assert found, str(error)
    assert (str(line), "1") != found[0]
    assert found[0][0] == str(line), str(error)


def in_a_branch(a: Any, b: Any) -> Any:
    if a[0] > 0:
        return a + b
    return a


def in_a_loop(a: Any, b: Any) -> Any:
    for _ in rt.range(3):
        a = a + b
    return a


def in_a_helper(a: Any, b: Any) -> Any:
    return adding(a, b)


@rt.function
def adding(a: Any, b: Any) -> Any:
    return a + b


def in_iteration(a: Any, b: Any) -> Any:
    for _ in a[0]:
        b = b + 1
    return b


def in_a_test(a: Any, b: Any) -> Any:
    while a:
        b = b + 1
    return b


def in_an_item(a: Any, b: Any) -> Any:
    a[0] = 1.5
    return a


PLACES = {
    in_a_branch: 2, in_a_loop: 2, in_iteration: 1, in_a_test: 1, in_an_item: 1,
}  # fmt: skip


@pytest.mark.parametrize("function", PLACES)
def test_errors_in_blocks_have_the_place_of_their_line(function: Callable[..., Any]) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        rt.function(function)(rt.constant(INTS), rt.constant(FLOATS))
    _has_place(caught.value, function.__code__.co_firstlineno + PLACES[function])


def test_an_error_in_a_function_that_is_called_is_placed_once() -> None:
    with pytest.raises(errors.WrongDtypeError) as caught:
        rt.function(in_a_helper)(rt.constant(INTS), rt.constant(FLOATS))
    _has_place(caught.value, adding.python_function.__code__.co_firstlineno + 2)
    assert str(caught.value).count(__file__) == 1


def test_plain_errors_are_placed_once_through_calls() -> None:
    inner = rt.function(lambda a: rt.reshape(a, [3]))
    outer = rt.function(lambda a: inner(a))
    with pytest.raises(ValueError, match="cannot reshape") as caught:
        outer(rt.constant(INTS))
    assert str(caught.value).count(__file__) == 1


def test_what_python_cannot_do_with_a_symbol_says_the_way_out() -> None:
    with pytest.raises(TypeError, match=r"not JSON serializable\n.*use an op") as caught:
        rt.function(lambda x: json.dumps(x))(rt.constant(1))
    assert str(caught.value).startswith(f"{__file__}:")


def test_a_result_that_is_no_tensor_is_placed_once() -> None:
    inner = rt.function(lambda x: object())
    for function in (inner, rt.function(lambda x: inner(x))):
        with pytest.raises(TypeError, match="a function returns tensors") as caught:
            function(rt.constant(1))
        assert str(caught.value).count(__file__) == 1
        _has_place(caught.value, inner.python_function.__code__.co_firstlineno)


@pytest.mark.parametrize("fail", [lambda: int("x"), lambda: {}[2], lambda: [][1]])
def test_errors_of_python_and_of_the_user_keep_their_text(fail: Callable[[], Any]) -> None:
    with pytest.raises((ValueError, LookupError)) as plain:
        fail()
    with pytest.raises(plain.type) as staged:
        rt.function(lambda x: fail())(rt.constant(1))
    assert staged.value.args == plain.value.args


def test_errors_that_the_user_raises_keep_their_text() -> None:
    @rt.function
    def raising(x: Any) -> Any:
        raise errors.InvalidArgumentError(None, None, "mine")

    with pytest.raises(errors.InvalidArgumentError) as caught:
        raising(rt.constant(1))
    assert str(caught.value) == "mine"


def test_an_error_that_is_caught_inside_is_the_eager_one() -> None:
    def guarded(a: Any, b: Any) -> Any:
        try:
            return a + b
        except TypeError as error:
            return str(error)

    values = rt.constant(INTS), rt.constant(FLOATS)
    assert rt.function(guarded)(*values).numpy().decode() == guarded(*values)


# Numbers that do not fit the dtype of the other path


def branch(t: Any, v: Any) -> Any:
    m = -1
    if v > 0:
        m = v
    return m


def loop(t: Any, v: Any) -> Any:
    m = -1
    for each in t:
        m = each
    return m


def maximum_in_a_loop(t: Any, v: Any) -> Any:
    m = -1
    for each in t:
        m = max(m, each)
    return m


def held_in_a_list(t: Any, v: Any) -> Any:
    m = [-1, 2]
    if v > 0:
        m = [v, v]
    return m[0]


@pytest.mark.parametrize("function", [branch, loop, maximum_in_a_loop, held_in_a_list])
def test_numbers_that_do_not_fit_name_the_variable(function: Callable[..., Any]) -> None:
    with pytest.raises(autograph.StagingError, match="does not fit into uint8") as caught:
        rt.function(function)(rt.constant(INTS, rt.uint8), rt.constant(1, rt.uint8))
    assert caught.value.variable == "m"
    assert "which 'm' has on the other path" in str(caught.value)
    _has_place(caught.value, function.__code__.co_firstlineno + 2)


NAMELESS = [
    lambda v, b: v if b else -1,
    lambda v, b: v and -1,
    lambda v, b: v or -1,
]


@pytest.mark.parametrize("function", NAMELESS)
def test_values_without_a_name_that_do_not_fit_have_a_place(function: Callable[..., Any]) -> None:
    with pytest.raises(
        autograph.StagingError, match=r"which the value .*has on the other"
    ) as caught:
        rt.function(function)(rt.constant(1, rt.uint8), rt.constant(True))
    _has_place(caught.value, function.__code__.co_firstlineno)


def test_tracebacks_still_end_at_the_users_line() -> None:
    function = rt.function(OPERATORS["sum of a list"])
    with pytest.raises(TypeError) as caught:
        function(rt.constant(INTS), rt.constant(FLOATS))
    assert traceback.extract_tb(caught.value.__traceback__)[-1].filename == __file__


def nested_deeper(n: Any) -> Any:
    v = None
    while n > 0:
        v = [v]
        n = n - 1
    return v


def another_variable(n: Any) -> Any:
    for _ in range(n):
        v = rt.Variable(1.0)
    return v


@pytest.mark.parametrize(("function", "line"), [(nested_deeper, 2), (another_variable, 1)])
def test_what_no_loop_can_carry_is_the_variable_that_changes(
    function: Callable[..., Any], line: int
) -> None:
    with pytest.raises(autograph.StagingError, match="the type of 'v' keeps changing") as caught:
        rt.function(function)(rt.constant(3))
    assert caught.value.variable == "v"
    _has_place(caught.value, function.__code__.co_firstlineno + line)


def another_decimal(n: Any) -> Any:
    total = Decimal(0)
    for _ in range(n):
        total += Decimal("1.5")
    return str(total)


def test_a_sum_of_decimals_is_refused_as_that() -> None:
    words = "'total' may be another Decimal after each round"
    with pytest.raises(autograph.StagingError, match=words) as caught:
        rt.function(another_decimal)(rt.constant(3))
    _has_place(caught.value, another_decimal.__code__.co_firstlineno + 2)


def logged_at_the_end(n: Any) -> Any:
    log: list[Any] = []
    with ExitStack() as stack:
        stack.callback(log.append, n)
        if n > 2:
            log.append(7)
    return log


def test_a_try_of_the_standard_library_is_told_at_the_users_line() -> None:
    words = "past the `try` in ExitStack.__exit__ that would catch it"
    with pytest.raises(autograph.StagingError, match=words) as caught:
        rt.function(logged_at_the_end)(rt.constant(3))
    assert "contextlib" not in str(caught.value)
    assert "leave out ExitStack, or " in str(caught.value)
    _has_place(caught.value, logged_at_the_end.__code__.co_firstlineno + 2)


FORMATS = ["%A", "%B", "%d"]
DAY = date(2026, 2, 3)


def given_to_a_library(n: Any) -> Any:
    return DAY.strftime(FORMATS[n])


def given_in_a_try(n: Any) -> Any:
    try:
        return bool(re.match("%[AB]", FORMATS[n]))
    except TypeError:
        return False


def given_in_a_try_of_all(n: Any) -> Any:
    try:
        return DAY.strftime("on " + FORMATS[n] if n < 2 else FORMATS[n])
    except Exception:
        return "?"


@pytest.mark.parametrize(
    ("function", "line", "kind", "instead"),
    [
        (given_to_a_library, 1, TypeError, "or do this outside of the staged function"),
        (given_in_a_try, 2, autograph.StagingError, "take a text of the run apart by its methods"),
        (given_in_a_try_of_all, 2, autograph.StagingError, "or do this outside of the staged"),
    ],
)
def test_what_libraries_do_not_take_is_a_value_that_the_run_chooses(
    function: Callable[..., Any], line: int, kind: type[Exception], instead: str
) -> None:
    with pytest.raises(kind, match="value that the run chooses") as caught:
        rt.function(function)(rt.constant(1))
    assert instead in str(caught.value)
    assert f"{__file__}:{function.__code__.co_firstlineno + line}:" in str(caught.value)
