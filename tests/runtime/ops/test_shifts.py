"""`<<`, `>>` and the operators on bits, as Python computes them."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt

DTYPES = (rt.int8, rt.int16, rt.int32, rt.int64, rt.uint8, rt.uint16, rt.uint32, rt.uint64)
BITS = (operator.and_, operator.or_, operator.xor)
SHIFTS = (operator.lshift, operator.rshift)
BINARY = (*BITS, *SHIFTS)


def wrapped(number: int, dtype: Any) -> int:
    """The number that the bits of the dtype hold of a Python int."""
    width = 8 * dtype.size
    kept = number % 2**width
    return kept - 2**width if dtype.min < 0 and kept >= 2 ** (width - 1) else kept


def computed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A staged function that applies an operator."""

    def apply(*args: Any) -> Any:
        return function(*args)

    return rt.function(apply)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize("stage", [lambda f: f, computed], ids=["eager", "staged"])
def test_is_python_in_the_bits_of_the_dtype(stage: Any, function: Any, dtype: Any) -> None:
    compute = stage(function)
    width = 8 * dtype.size
    counts = (0, 1, 3, width - 1, width, width + 1, 100)
    for a in (0, 1, 5, 100, dtype.min, dtype.max):
        for b in counts:
            expected = wrapped(function(a, b), dtype)
            x, y = rt.constant(a, dtype), rt.constant(b, dtype)
            for got in (compute(x, y), compute(x, b), compute(a, y)):
                assert got.dtype is dtype
                assert int(got) == expected, (a, b)


@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize("stage", [lambda f: f, computed], ids=["eager", "staged"])
def test_operands_of_other_kinds(stage: Any, function: Any) -> None:
    compute, numbers = stage(function), [1, 6, 9]
    expected = [function(a, 2) for a in numbers]
    x = rt.constant(numbers, rt.int64)
    pairs = [(x, 2), (x, np.int64(2)), (x, np.array([2, 2, 2])), (np.array(numbers), x // x * 2)]
    pairs += [(rt.Variable(x), 2), (x, rt.Variable(rt.constant(2, rt.int64)))]
    for a, b in pairs:
        assert compute(a, b).numpy().tolist() == expected
    assert compute(2, rt.Variable([1, 3])).numpy().tolist() == [function(2, 1), function(2, 3)]


@pytest.mark.parametrize("function", SHIFTS)
@pytest.mark.parametrize("stage", [lambda f: f, computed], ids=["eager", "staged"])
def test_a_negative_count_is_a_value_error(stage: Any, function: Any) -> None:
    compute = stage(function)
    for count in (-1, rt.constant([1, -1])):
        with pytest.raises(ValueError, match="negative shift count"):
            compute(rt.constant([4, 4]), count)


@pytest.mark.parametrize("function", SHIFTS)
def test_what_is_no_integer_is_refused(function: Any) -> None:
    for a, b in ((rt.constant(1.5), 1), (rt.constant(True), 1.5), (rt.constant(1), 1.5)):
        with pytest.raises(TypeError):
            function(a, b)
    with pytest.raises(TypeError, match="int64"):
        function(rt.constant(1), rt.constant(1, rt.int64))
    with pytest.raises(ValueError, match="does not fit dtype int8"):
        function(rt.constant(1, rt.int8), 300)
