"""Guards that raise for what is no Python number, given tensors in place of numbers."""

import contextlib
import numbers
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pytest

import autograph
import runtime as rt

VALUES = [3, 2.5, True]
CLASSES = [int, float, bool, list, str, (int, float), int | float, numbers.Real, (str, list)]
DTYPES = {bool: rt.bool, int: rt.int64, float: rt.float64}


def as_tensor(value: Any) -> Any:
    return rt.constant(value, DTYPES[type(value)])


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


def test_a_tensor_is_no_list() -> None:
    # `xs + xs`, `xs * 2` and `xs == ys` mean other things of these.
    for value in ([1, 2], [[1.5]], []):
        given = rt.constant(value)
        assert passes(guarded, value, list)
        assert not passes(rt.function(guarded), given, list)
        assert not passes(guarded, given, list)


def whole(x: Any) -> Any:
    if not isinstance(x, int):
        raise TypeError("whole numbers")
    return x + 100


def test_a_guard_in_a_try_of_a_caller_asks_for_tensors() -> None:
    def of_try(x: Any) -> Any:
        try:
            return whole(x)
        except TypeError:
            return 2

    def of_with(x: Any) -> Any:
        with contextlib.suppress(TypeError):
            return whole(x)
        return 2

    @autograph.do_not_convert
    def as_it_is(function: Any, x: Any) -> Any:
        try:
            return function(x)
        except TypeError:
            return 2

    def of_code_as_it_is(x: Any) -> Any:
        return as_it_is(autograph.convert(whole), x)

    def of_another_function(x: Any) -> Any:
        try:
            return rt.function(whole)(x)
        except TypeError:
            return 2

    for function in (of_try, of_with, of_code_as_it_is, of_another_function):
        assert function(3) == 103
        assert int(rt.function(function)(rt.constant(3))) == 2
    assert of_try(rt.constant(3)) == of_with(rt.constant(3)) == 2


def test_a_guard_in_what_handles_nothing_is_passed() -> None:
    def of_finally(x: Any) -> Any:
        y = 0
        try:
            y = whole(x)
        finally:
            y += 1
        return y

    def of_tape(x: Any) -> Any:
        with rt.GradientTape() as tape:
            tape.watch(x)
            return whole(x) + 1

    for function in (of_finally, of_tape):
        assert int(rt.function(function)(rt.constant(3))) == 104


def bools_first(x: Any) -> Any:
    if isinstance(x, bool):
        raise TypeError("no bools")
    if not isinstance(x, int):
        raise TypeError("ints")
    return x + 1


def bools_behind(x: Any) -> Any:
    if not (isinstance(x, int) and not isinstance(x, bool)):
        raise TypeError("ints")
    return x + 1


def halved(x: Any) -> Any:
    assert isinstance(x, (int, float))
    return x * 0.5 if isinstance(x, float) else x // 2


def of_what_is_computed(x: Any) -> Any:
    assert isinstance(x, (int, float))
    y = x * 2
    return 1 if isinstance(y, float) else 2


def by_type(x: Any) -> Any:
    assert isinstance(x, (int, float))
    return 1 if type(x) is int else 2


def by_name(x: Any) -> Any:
    assert isinstance(x, (int, float))
    return 1 if hasattr(x, "bit_length") else 2


def by_pattern(x: Any) -> Any:
    assert isinstance(x, (int, float))
    match x:
        case int():
            return 1
    return 2


def one_by_one(x: Any) -> Any:
    if isinstance(x, int):
        return 1
    elif isinstance(x, numbers.Real):
        return 2
    else:
        raise TypeError


TESTED = [
    (bools_first, {3: 4, True: None}), (bools_behind, {3: 4, True: None}),
    (halved, {5: 2, 2.5: None}), (of_what_is_computed, {3: 2, 2.5: None}),
    (by_type, {3: None, 2.5: None}), (by_name, {3: 1, 2.5: 2}),
    (by_pattern, {3: None, 2.5: 2}), (one_by_one, {3: None, 2.5: 2}),
]  # fmt: skip


@pytest.mark.parametrize(("function", "results"), TESTED)
def test_a_number_to_a_guard_is_none_to_no_other_test(function: Any, results: Any) -> None:
    staged = rt.function(function)
    for value, expected in results.items():
        if expected is None:
            with pytest.raises(autograph.StagingError, match="to another test is none") as error:
                staged(as_tensor(value))
            assert "test the dtype" in str(error.value.hint)
            assert __file__ in str(error.value)
        else:
            assert int(staged(as_tensor(value))) == expected == function(value)


def test_who_asks_for_tensors_is_answered() -> None:
    class Attributed(Protocol):
        real: float

    asked = runtime_checkable(Attributed)

    def guards(x: Any) -> Any:
        assert isinstance(x, int)
        is_tensor = isinstance(x, rt.Tensor) and not isinstance(x, str) and hasattr(x, "shape")
        return x if is_tensor and not isinstance(x, asked) else 0

    assert int(rt.function(guards)(rt.constant(3))) == 3


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
