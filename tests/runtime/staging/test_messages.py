"""What messages say of tensors of the graph: places, and names that the user wrote."""

import operator
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt

INTERNAL = re.compile(r"retval|did_(break|return|continue)|do_return|(if|else|while|for)_body")


def leaving(x: Any) -> Any:
    for _ in rt.range(3):
        if x > 3:
            return x * 2
        if x == 2:
            break
        x = x + 1
    return x


def as_int(x: Any) -> Any:
    return hash(int(leaving(x)))


def as_key(x: Any) -> Any:
    return hash(leaving(x))


def as_array(x: Any) -> Any:
    return np.vectorize(abs)(leaving(x))


def of_other_dtypes(x: Any) -> Any:
    for _ in rt.range(3):
        if x > 3:
            return x
        x = x + 1
    return rt.cast(x, rt.float32)


def of_other_shapes(x: Any) -> Any:
    y = rt.zeros([2])
    while x > 0:
        if x == 3:
            y = rt.zeros([3, 1])
            break
        x = x - 1
    return rt.matmul(y, y)


REFUSED = [
    as_int, as_key, as_array, of_other_dtypes, of_other_shapes,
]  # fmt: skip


@pytest.mark.parametrize("function", REFUSED)
def test_no_message_shows_names_of_generated_code(function: Callable[[Any], Any]) -> None:
    with pytest.raises((TypeError, ValueError, rt.errors.OpError, KeyError)) as caught:
        rt.function(function)(rt.constant(1))
    assert not INTERNAL.search(str(caught.value)), str(caught.value)


def after_a_loop(a: Any, n: Any) -> Any:
    b = np.zeros(3, np.float32)
    for _ in rt.range(n):
        b = a * 2
    return b.tolist()


def read(name: str) -> Callable[[Any], Any]:
    def attribute(a: Any, n: Any) -> Any:
        return getattr(a, name)

    return attribute


@pytest.mark.parametrize("name", ["tolist", "item", "astype", "T", "sum", "nonsense"])
def test_a_missing_attribute_has_a_place(name: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'") as caught:
        rt.function(read(name))(rt.constant([1.0]), rt.constant(2))
    assert re.match(rf"{re.escape(__file__)}:\d+:\d+: ", str(caught.value))
    assert ("np.array(x)" in str(caught.value)) == hasattr(np.ndarray, name)


@pytest.mark.parametrize(
    ("name", "op"),
    [("T", "transpose"), ("sum", "reduce_sum"), ("astype", "cast"), ("std", "math.reduce_std")],
)
def test_an_attribute_of_arrays_names_the_op_for_it(name: str, op: str) -> None:
    with pytest.raises(AttributeError, match=rf"use tf\.{op}, or"):
        rt.function(read(name))(rt.constant([1.0]), rt.constant(2))
    assert callable(operator.attrgetter(op)(rt))


def test_an_array_that_became_a_tensor_says_where_it_lacks_an_attribute() -> None:
    line = after_a_loop.__code__.co_firstlineno + 4
    place = f"{Path(__file__)}:{line}:"
    with pytest.raises(AttributeError, match=rf"{re.escape(place)}\d+: .* no attribute 'tolist'"):
        rt.function(after_a_loop)(rt.constant([1.0, 2.0, 3.0]), rt.constant(2))


def test_what_asks_whether_there_is_an_attribute_goes_on() -> None:
    @rt.function
    def asks(x: Any) -> Any:
        return x + 1 if hasattr(x, "tolist") else x * 2

    assert int(asks(rt.constant(4))) == 8


SORTING: dict[str, Callable[[Any], Any]] = {
    "sort": rt.sort,
    "descending": lambda x: rt.sort(x, direction="DESCENDING"),
    "top_k": lambda x: rt.math.top_k(x, 2)[0],
}
VALUES = ([1.0, 3.0, 2.0], [[1.0, 3.0, 2.0], [9.0, 7.0, 8.0]], [[[0.5, -1.0]]], np.zeros([0, 2]))


@pytest.mark.parametrize("values", VALUES, ids=["vector", "matrix", "rank 3", "no rows"])
@pytest.mark.parametrize("name", SORTING)
def test_gradients_of_sorting_know_no_rank(name: str, values: Any) -> None:
    op = SORTING[name]

    def gradient(x: Any) -> Any:
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = op(x)
            y = y * rt.range(1.0, 3.0) if name == "top_k" else y * y * y
        return tape.gradient(y, x)

    x = rt.constant(values, rt.float32)
    signature = [rt.TensorSpec(None, rt.float32)]
    got = rt.function(gradient, input_signature=signature)(x)
    np.testing.assert_array_equal(got.numpy(), gradient(x).numpy())


def test_sorting_another_axis_of_unknown_rank_says_what_to_do() -> None:
    @rt.function(input_signature=[rt.TensorSpec(None, rt.float32)])
    def gradient(x: Any) -> Any:
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = rt.sort(x, axis=0)
        return tape.gradient(y, x)

    with pytest.raises(ValueError, match=r"known rank.*set_shape"):
        gradient(rt.constant([1.0]))


def chosen_function(n: Any) -> Any:
    if n > 5:
        return max
    return min


def test_a_chosen_function_that_is_returned_is_refused_at_its_return() -> None:
    with pytest.raises(TypeError, match="the result of chosen_function is <one of") as caught:
        rt.function(chosen_function)(rt.constant(3))
    line = chosen_function.__code__.co_firstlineno + 2
    assert str(caught.value).startswith(f"{__file__}:{line}:")


def sign_and_one(n: Any) -> Any:
    def sign(v: Any) -> Any:
        if v > 5:
            return 1
        if v < 0:
            return -1

    return sign(n) + 1


def named_result(n: Any) -> Any:
    result = None
    if n > 5:
        result = n
    return result + 1


@pytest.mark.parametrize(
    ("program", "what"), [(sign_and_one, "a value"), (named_result, "'result'")]
)
def test_what_is_none_is_named_as_the_user_names_it(program: Any, what: str) -> None:
    with pytest.raises(TypeError, match=f"^{what} is None here"):
        rt.function(program)(rt.constant(3))


def compared_after_what_python_does_once(x: Any) -> Any:
    with open(os.devnull, encoding="utf-8") as file:
        lines = len(file.readlines())
    pairs = [(x, 2), (1, x)]
    best = pairs[0]
    for pair in pairs:
        if pair < best:
            best = pair
    return best[0] + lines


def test_what_keeps_a_function_from_another_trace_is_named() -> None:
    with pytest.raises(rt.errors.OperatorNotAllowedInGraphError) as caught:
        rt.function(compared_after_what_python_does_once)(rt.constant(1))
    assert "that Python cannot do again: open() was called while tracing" in str(caught.value)


class Held:
    """An object that a list of the graph cannot hold."""

    def __init__(self, x: Any) -> None:
        self.x = x


OUTSIDE = [Held(1), Held(2)]


@pytest.mark.parametrize("number", [lambda x: x, lambda x: int(x)], ids=["tensor", "number"])
def test_an_item_of_a_list_from_outside_says_how_to_assign_it(number: Callable[..., Any]) -> None:
    def assigned(x: Any) -> Any:
        OUTSIDE[number(x)] = Held(x)
        return x

    with pytest.raises(rt.errors.OperatorNotAllowedInGraphError, match="assign each item: for j"):
        rt.function(assigned)(rt.constant(1))


def zero_of_its_kind(step: Any) -> Any:
    try:
        zero = type(step)(0)
    except TypeError:
        zero = 7
    return step if step > zero else zero


def test_the_class_of_a_tensor_is_no_maker_of_numbers() -> None:
    """A TypeError would be caught: of Python's numbers there is none."""
    words = "which `type` gives, makes no numbers\n  name the class"
    with pytest.raises(autograph.StagingError, match=words) as caught:
        rt.function(zero_of_its_kind)(rt.constant(3))
    assert f"{__file__}:{zero_of_its_kind.__code__.co_firstlineno + 2}:" in str(caught.value)
