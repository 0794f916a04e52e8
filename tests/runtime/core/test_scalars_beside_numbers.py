"""Scalars beside numbers of another kind, Python's or scalars: Python's arithmetic, and its exact
comparisons.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]
DIVISIONS = [operator.floordiv, operator.mod]
COMPARISONS = [
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
]  # fmt: skip
INTEGERS = [0, 3, 7, 2**53 + 1]
FLOATS = [0.5, 2.0, -1.5, float(2**53), math.inf]
LARGE = [*FLOATS, float(2**63), -float(2**63), math.nan]


def both(operation: Callable[[Any, Any], Any], x: Any, y: Any) -> list[Any]:
    """The operation on one or two that are tensors, eagerly and in a graph."""
    if isinstance(x, rt.Tensor) and isinstance(y, rt.Tensor):
        return [operation(x, y), rt.function(operation)(x, y)]
    if isinstance(x, rt.Tensor):
        return [operation(x, y), rt.function(lambda t: operation(t, y))(x)]
    return [operation(x, y), rt.function(lambda t: operation(x, t))(y)]


def outcome(operation: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    try:
        return operation(x, y)
    except (ZeroDivisionError, OverflowError):
        return None


@pytest.mark.parametrize("operation", [*ARITHMETIC, *DIVISIONS], ids=lambda f: f.__name__)
@pytest.mark.parametrize("number", FLOATS)
def test_arithmetic_is_that_of_float64(operation: Any, number: float) -> None:
    for integer in INTEGERS:
        tensor, scalar = rt.constant(integer, rt.int64), rt.constant(number, rt.float64)
        for x, y, a, b in (
            (tensor, number, integer, number),
            (number, tensor, number, integer),
            (tensor, scalar, integer, number),
            (scalar, tensor, number, integer),
        ):
            expected = outcome(operation, a, b)
            if expected is None or isinstance(expected, complex):
                continue
            for made in both(operation, x, y):
                assert made.dtype is rt.float64
                assert made.numpy() == pytest.approx(expected, rel=1e-15, nan_ok=True)


@pytest.mark.parametrize("operation", COMPARISONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("number", LARGE)
def test_comparisons_are_exact(operation: Any, number: float) -> None:
    for integer in [*INTEGERS, 2**63 - 1, -(2**63)]:
        tensor, scalar = rt.constant(integer, rt.int64), rt.constant(number, rt.float64)
        for beside in (number, scalar, np.float64(number)):
            for made in both(operation, tensor, beside):
                assert made.dtype is rt.bool
                assert bool(made) is operation(integer, number)
            for made in both(operation, beside, tensor):
                assert made.dtype is rt.bool
                assert bool(made) is operation(number, integer)


def test_the_dtype_is_that_of_a_division() -> None:
    for dtype in (rt.int8, rt.int32, rt.int64, rt.uint16):
        assert (rt.constant(3, dtype) * 0.5).dtype is (rt.constant(3, dtype) / 2).dtype


def test_a_staged_float_beside_an_integer() -> None:
    @rt.function
    def scaled(n: Any) -> Any:
        return math.sqrt(n) * n, n > math.sqrt(n), math.sqrt(n) == n

    product, larger, same = scaled(rt.constant(9, rt.int64))
    assert (product.dtype, float(product), bool(larger), bool(same)) == (
        rt.float64,
        27,
        True,
        False,
    )


def test_the_gradient_of_the_float() -> None:
    x = rt.constant(2.0, rt.float64)
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = x * (rt.constant(3) * 0.5)
    assert float(tape.gradient(y, x)) == 1.5


@pytest.mark.parametrize("run", [lambda f: f, rt.function], ids=["eager", "traced"])
def test_what_stays_refused(run: Any) -> None:
    for x, y in (
        (rt.constant([1, 2]), 0.5),
        (rt.constant(1), rt.constant(0.5)),
        (rt.constant(1, rt.int64), rt.constant(1, rt.int32)),
        (rt.constant([True, False]), rt.constant(0.5, rt.float64)),
    ):
        with pytest.raises(rt.errors.WrongDtypeError):
            run(operator.add)(x, y)


def test_a_truth_value_beside_an_integer_counts() -> None:
    def above(values: Any, limit: Any) -> Any:
        return sum(v > limit for v in values)

    values = rt.constant([3, 8, 1, 9])
    assert int(rt.function(above)(values, 2)) == 3
    assert int(rt.function(above)(rt.constant([], rt.int32), 2)) == 0
    for made in both(operator.add, rt.constant(True), 1):
        assert int(made) == 2


@pytest.mark.parametrize("operation", [*ARITHMETIC, *COMPARISONS], ids=lambda f: f.__name__)
def test_a_truth_value_is_the_number_that_it_is_in_python(operation: Any) -> None:
    for number, dtype in ((3, rt.int64), (0.5, rt.float64), (1, rt.int64), (1.0, rt.float64)):
        truth, scalar = rt.constant(True), rt.constant(number, dtype)
        for beside in (number, scalar):
            for made in both(operation, truth, beside):
                assert made.numpy() == pytest.approx(operation(True, number), rel=1e-15)
            for made in both(operation, beside, truth):
                assert made.numpy() == pytest.approx(operation(number, True), rel=1e-15)


@pytest.mark.parametrize("operation", COMPARISONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**21, -(10**21)])
def test_an_integer_is_compared_with_one_beyond_its_dtype(operation: Any, number: int) -> None:
    scalar, vector = rt.constant(3, rt.int64), rt.constant([3, -(2**63)], rt.int64)
    for made in both(operation, scalar, number):
        assert made.numpy().tolist() is operation(3, number)
    for made in both(operation, vector, number):
        assert made.numpy().tolist() == [operation(3, number)] * 2
    for made in both(operation, number, vector):
        assert made.numpy().tolist() == [operation(number, 3)] * 2


@pytest.mark.parametrize("operation", ARITHMETIC, ids=lambda f: f.__name__)
def test_arithmetic_beside_a_complex_number_is_that_of_complex128(operation: Any) -> None:
    number = 1.5 - 2j
    scalar = rt.constant(number, rt.complex128)
    for value, dtype in ((3, rt.int64), (7, rt.int32), (0.25, rt.float64)):
        tensor = rt.constant(value, dtype)
        for beside in (number, scalar):
            for made in both(operation, tensor, beside):
                assert made.dtype is rt.complex128
                assert made.numpy() == pytest.approx(operation(value, number), rel=1e-14)
            for made in both(operation, beside, tensor):
                assert made.numpy() == pytest.approx(operation(number, value), rel=1e-14)


def test_other_numbers_beside_a_complex_one_are_refused() -> None:
    for tensor in (rt.constant([1, 2]), rt.constant(1.5, rt.float32)):
        with pytest.raises(TypeError, match="complex"):
            tensor * rt.constant(1j, rt.complex128)
    with pytest.raises(TypeError, match="complex"):
        rt.function(lambda x: x < rt.constant(1j, rt.complex128))(rt.constant(1))


BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]


@pytest.mark.parametrize("operation", BITS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("truth", [False, True])
def test_bits_of_a_truth_value_beside_an_integer(operation: Any, truth: bool) -> None:
    scalar = rt.constant(truth)
    for integer in (0, 1, 2, 5):
        for beside in (integer, rt.constant(integer)):
            for made in both(operation, scalar, beside):
                assert (int(made), made.dtype) == (operation(truth, integer), rt.int32)
            for made in both(operation, beside, scalar):
                assert (int(made), made.dtype) == (operation(integer, truth), rt.int32)


@pytest.mark.parametrize("operation", [operator.neg, operator.pos, abs], ids=lambda f: f.__name__)
@pytest.mark.parametrize("truth", [False, True])
def test_the_number_of_a_truth_value(operation: Any, truth: bool) -> None:
    for made in (operation(rt.constant(truth)), rt.function(operation)(rt.constant(truth))):
        assert (int(made), made.dtype) == (operation(truth), rt.int32)


def test_several_truth_values_are_no_numbers() -> None:
    several = rt.constant([True, False])
    for operation in (operator.neg, abs, lambda x: x & 1, lambda x: x << 1):
        with pytest.raises(TypeError, match="bool"):
            operation(several)
