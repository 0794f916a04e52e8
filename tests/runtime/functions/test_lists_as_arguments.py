"""Lists that are arguments: what a call returns and leaves in them, and which of them are one."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.staging import as_python


def _staged(value: Any, known: dict[int, Any]) -> Any:
    """Arguments with tensors in place of numbers; what is one list stays one."""
    if type(value) is list:
        if id(value) not in known:
            known[id(value)] = made = []
            made.extend([_staged(item, known) for item in value])
        return known[id(value)]
    if type(value) is tuple:
        return tuple([_staged(item, known) for item in value])
    dtypes: dict[type, Any] = {int: rt.int64, float: rt.float64, bool: rt.bool}
    return rt.constant(value, dtypes[type(value)]) if type(value) in dtypes else value


def _lists(value: Any, known: dict[int, int]) -> Any:
    """The lists in a value, as numbers: a list that is there again has the same."""
    if type(value) is list:
        return known.setdefault(id(value), len(known)), [_lists(item, known) for item in value]
    return [_lists(item, known) for item in value] if type(value) is tuple else None


def _outcome(function: Callable[..., Any], args: Sequence[Any]) -> Any:
    try:
        result = as_python(function(*args))
    except (ArithmeticError, LookupError, ValueError) as error:
        result = type(error)
    return result, as_python(list(args)), _lists(list(args), {})


def _check(function: Callable[..., Any], args: Sequence[Any]) -> None:
    wanted = _outcome(function, copy.deepcopy(args))
    assert _outcome(rt.function(function), _staged(copy.deepcopy(tuple(args)), {})) == wanted


# Which of them are one


def is_same(a: Any, b: Any) -> Any:
    return a is b


def changed_by_another_name(a: Any, b: Any) -> Any:
    a.append(1)
    return len(b)


def both_changed(a: Any, b: Any) -> Any:
    a.append(1)
    b[0] = b[0] + 5
    b.append(a[0])
    return len(a)


def row_changed(rows: Any, a: Any) -> Any:
    rows[0].append(a[0])
    return sum([len(row) for row in rows])


ONE: list[int] = [4]
TWICE = [
    ([1], [1]),
    (ONE, ONE),
]


@pytest.mark.parametrize("args", TWICE, ids=["two", "one"])
@pytest.mark.parametrize("function", [is_same, changed_by_another_name, both_changed])
def test_a_list_that_is_given_twice(function: Callable[..., Any], args: Any) -> None:
    _check(function, args)


@pytest.mark.parametrize(
    "args",
    [([[1], [2]], [3]), ([ONE, [2]], ONE), ([ONE, ONE], [3]), ([ONE, ONE], ONE)],
    ids=["apart", "also", "rows", "all"],
)
def test_a_list_that_is_in_another_one_twice(args: Any) -> None:
    _check(row_changed, args)


def test_calls_with_and_without_such_have_traces_of_their_own() -> None:
    staged = rt.function(changed_by_another_name)
    one: list[Any] = [rt.constant(1)]
    assert [int(staged([rt.constant(1)], [rt.constant(2)])), int(staged(one, one))] == [1, 2]
    assert [int(staged([rt.constant(1)], [rt.constant(2)])), len(one)] == [1, 2]
    assert staged.experimental_get_tracing_count() == 2
    assert "lists that are one" in staged.why_retraced()


def test_a_trace_is_for_its_lists() -> None:
    one = [rt.constant(1)]
    concrete = rt.function(changed_by_another_name).get_concrete_function(one, [rt.constant(2)])
    with pytest.raises(autograph.StagingError, match="gives it twice"):
        concrete(one, one)
