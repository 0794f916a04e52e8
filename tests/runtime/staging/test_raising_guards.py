"""Guards that raise for what is no Python number or list, given tensors in place of these."""

import contextlib
import numbers
from typing import Any

import numpy as np
import pytest

import runtime as rt

VALUES = [3, 2.5, True, [1, 2], [[1.5]], []]
CLASSES = [int, float, bool, list, str, (int, float), int | float, numbers.Real, (str, list)]
DTYPES = {bool: rt.bool, int: rt.int64, float: rt.float64}


def as_tensor(value: Any) -> Any:
    return rt.constant(value, None if isinstance(value, list) else DTYPES[type(value)])


def guarded(x: Any, classes: Any) -> Any:
    if not isinstance(x, classes):
        raise TypeError(f"{type(x).__name__} is no {classes}")
    return 1


def asserted(x: Any, classes: Any) -> Any:
    assert isinstance(x, classes) and (classes is not None)  # noqa: PT018
    return 1


def otherwise(x: Any, classes: Any) -> Any:
    if isinstance(x, classes):
        return 1
    else:
        raise ValueError("of another class")


def passes(function: Any, *args: Any) -> bool:
    try:
        function(*args)
    except (TypeError, AssertionError, ValueError):
        return False
    return True


@pytest.mark.parametrize("function", [guarded, asserted, otherwise])
@pytest.mark.parametrize("classes", CLASSES, ids=str)
def test_a_tensor_passes_as_what_it_holds(function: Any, classes: Any) -> None:
    staged = rt.function(lambda x: function(x, classes))
    for value in VALUES:
        assert passes(function, value, classes) == passes(staged, as_tensor(value)), value


def test_a_guard_that_another_statement_depends_on_asks_for_tensors() -> None:
    def of_try(x: Any) -> Any:
        try:
            if not isinstance(x, int):
                raise TypeError
            return 1
        except TypeError:
            return 2

    def of_with(x: Any) -> Any:
        with contextlib.suppress(AssertionError):
            assert isinstance(x, int)
            return 1
        return 2

    def returned(x: Any) -> Any:
        if not isinstance(x, int):
            return 2
        return 1

    for function in (of_try, of_with, returned):
        assert int(rt.function(function)(rt.constant(3))) == 2 == function(rt.constant(3))
        assert function(3) == 1


def test_the_guard_is_of_the_function_that_is_named() -> None:
    isinstance = lambda x, classes: classes  # noqa: E731

    def guard(x: Any) -> Any:
        if not isinstance(x, False):
            raise KeyError("mine")
        return x

    with pytest.raises(KeyError, match="mine"):
        rt.function(guard)(rt.constant(3))


def test_other_staged_values_pass_as_themselves() -> None:
    def guards(n: Any) -> Any:
        text, items = str(n), []
        for i in range(n):
            assert isinstance(i, int)
            items.append(i)
        assert isinstance(text, str)
        assert isinstance(items, list)
        assert isinstance(n, rt.Tensor) or n is None
        return len(text) + len(items)

    assert int(rt.function(guards)(rt.constant(12))) == 14


def test_staged_places_of_round() -> None:
    @rt.function
    def rounded(x: Any, places: Any) -> Any:
        return round(x, places), round(2.675, places)

    for value, places in [(35.345, 1), (-0.125, 2), (1250.0, -2), (1255, -1), (7, 0)]:
        dtype = rt.float64 if isinstance(value, float) else rt.int64
        given = rt.constant(value, dtype), rt.constant(places)
        expected = round(value, places), round(2.675, places)
        np.testing.assert_allclose([np.float64(each) for each in rounded(*given)], expected)
    with pytest.raises(TypeError, match="index"):
        rounded(rt.constant(1.0), rt.constant(1.0))
