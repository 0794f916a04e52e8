"""Native code on arrays against the Python program of the same graph."""

from __future__ import annotations

import math
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from runtime.graph.executors.native.executor import reasons, runner_of
from runtime.graph.executors.native.ordering import LONG
from runtime.graph.executors.program import Program
from runtime.graph.passes import optimize
from tests.support.native import forced

Function = Callable[..., Any]

REFUSALS = (rt.errors.InvalidArgumentError, IndexError, ValueError)
"""The errors of the Python program, before they are explained."""

SIZES = [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 99, 1000, 5000]
"""Around the width of vectors, and of what is added up at once."""


def numbers(*shape: int, dtype: str = "float32", seed: int = 0) -> Any:
    """Numbers of either sign, none of them zero."""
    source = np.random.default_rng(seed)
    if dtype == "bool":
        return source.integers(0, 2, shape).astype(bool)
    if dtype.startswith("float"):
        return source.standard_normal(shape).astype(dtype)
    low = 1 if dtype.startswith("u") else -9
    found = source.integers(low, 10, shape)
    return np.where(found == 0, 1, found).astype(dtype)


def run(
    function: Function,
    *arrays: Any,
    unknown: bool = False,
    aside: bool = False,
    tolerance: float = 1e-5,
) -> Any:
    """What native code answers, which must be what the Python program does; `aside` where it must
    leave the answer to that. Of `unknown` dims it knows only how many there are.
    """
    specs = [
        rt.TensorSpec([None] * np.ndim(array) if unknown else np.shape(array), array.dtype)
        for array in arrays
    ]
    graph = optimize(rt.function(function).get_concrete_function(*specs).graph)
    assert reasons(graph) == []
    program = Program(graph)
    python = program.run
    asked: list[Any] = []

    def fallback(*raws: Any) -> Any:
        asked.append(raws)
        return python(*raws)

    program.run = fallback
    native = runner_of(graph, program)
    kept = [array.copy() for array in arrays]
    # As eager ops and graphs run: NumPy warns of nothing.
    with np.errstate(all="ignore"):
        got = native(*arrays)
        wanted = python(*arrays)
    assert bool(asked) == aside
    for array, before in zip(arrays, kept, strict=True):
        np.testing.assert_array_equal(array, before)
    assert len(got) == len(wanted)
    for one, other in zip(got, wanted, strict=True):
        assert type(one) is type(other)
        assert np.asarray(one).dtype == np.asarray(other).dtype
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)
        # An argument that is handed through is itself the result.
        for array in arrays:
            assert (one is array) == (other is array) == bool(np.shares_memory(one, array))
    return got


def chain(x: Any, y: Any) -> Any:
    first = x * y + x
    second = rt.maximum(first - 0.5, y)
    return second, rt.where(first < second, first / 2.0, -second), first > y


def broadcast(x: Any, row: Any, column: Any, one: Any) -> Any:
    return x * row + column, (x - one) * row, column + row, rt.reduce_sum(x * column)


def counted(x: Any, y: Any) -> Any:
    return x + y * x, x // y, x % y, rt.cast(x, rt.float64) / 3.0, rt.minimum(x, y), x == y


def logical(x: Any, y: Any) -> Any:
    return rt.logical_and(x, y), rt.logical_not(x), rt.where(x, 1, 2), rt.cast(y, rt.int32)


def converted(x: Any) -> Any:
    kinds = [rt.float64, rt.int32, rt.int8, rt.int64, rt.bool, rt.float32]
    return [rt.cast(x, kind) for kind in kinds]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("unknown", [False, True])
def test_loops_compute_elements(size: int, unknown: bool) -> None:
    run(chain, numbers(size), numbers(size, seed=1), unknown=unknown)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(3, 5), (1, 40), (7, 1), (4, 33), (0, 3), (3, 0)])
def test_loops_broadcast(shape: tuple[int, int], dtype: str) -> None:
    rows, columns = shape
    given = [(rows, columns), (columns,), (rows, 1), (1, 1)]
    run(broadcast, *[numbers(*each, dtype=dtype, seed=at) for at, each in enumerate(given)])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "uint32"])
@pytest.mark.parametrize("size", [1, 5, 16, 77])
def test_loops_compute_integers(dtype: str, size: int) -> None:
    run(counted, numbers(size, dtype=dtype), numbers(size, dtype=dtype, seed=1))


@pytest.mark.parametrize("size", [1, 7, 100])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64"])
def test_powers_of_integers(dtype: str, size: int) -> None:
    def powers(x: Any, y: Any, n: Any) -> Any:
        return x**y, x**n, x**0, x**1, x**2, x**5, x**7

    x, y = numbers(size, dtype=dtype), abs(numbers(size, dtype=dtype, seed=1))
    run(powers, x, y, np.array(6, dtype))
    y[-1] = 100
    run(powers, x, y, np.array(0, dtype))


@pytest.mark.parametrize("place", [0, 10])
def test_powers_by_negative_integers_are_left_to_the_fallback(place: int) -> None:
    y = np.ones(11, np.int32)
    y[place] = -1
    with pytest.raises(REFUSALS, match="negative integer powers"):
        run(lambda x, y: x**y, numbers(11, dtype="int32"), y, aside=True)
    with pytest.raises(REFUSALS, match="negative integer powers"):
        run(lambda x: x**-2, numbers(11, dtype="int32"), aside=True)


def test_integers_wrap_around() -> None:
    most = np.full(20, 2**31 - 1, np.int32)
    run(lambda x, y: (x + y, x * y, -x), most, most)


@pytest.mark.parametrize("place", [0, 15, 16, 19])
def test_a_divisor_of_zero_is_left_to_the_fallback(place: int) -> None:
    divisor = np.ones(20, np.int32)
    divisor[place] = 0
    with pytest.raises(rt.errors.InvalidArgumentError, match="division by zero"):
        run(lambda x, y: x // y, numbers(20, dtype="int32"), divisor, aside=True)


def test_a_divisor_of_zero_is_found_where_nobody_reads_the_quotient() -> None:
    divisor = np.zeros(20, np.int32)
    with pytest.raises(rt.errors.InvalidArgumentError, match="division by zero"):
        run(lambda x, y: (x // y, x + 1)[1], numbers(20, dtype="int32"), divisor, aside=True)


UNREAD = [
    lambda x, y: (x // y, rt.reduce_sum(x, 0)),
    lambda x, y: (x // y[:1], rt.reduce_sum(x, -1)),
    lambda x, y: (x % rt.reduce_sum(y, -1, keepdims=True), x + 1),
    lambda x, y: (x[:1] // (y * y)[1:], x),
    lambda x, y: ((x // y)[:2], rt.cond(x[0, 0] > 0, lambda: x + 1, lambda: x)),
    lambda x, y: (rt.cond(x[0, 0] < 99, lambda: (x // y, x), lambda: (x, x)), x),
    lambda x, y: rt.while_loop(
        lambda a, b: b[0, 0] < 99, lambda a, b: (x // y, b + 50), (x, rt.reduce_min(x) + x * 0)
    ),
]


@pytest.mark.parametrize("function", UNREAD)
def test_a_divisor_of_zero_is_found_in_loops_that_nobody_reads(function: Function) -> None:
    """Only loops were written that somebody reads: the error was lost, silently."""
    x, y = numbers(2, 20, dtype="int32"), np.ones((2, 20), np.int32)
    run(lambda x, y: function(x, y)[1], x, y)
    with pytest.raises(rt.errors.InvalidArgumentError, match="division by zero"):
        run(lambda x, y: function(x, y)[1], x, y * 0, aside=True)


@pytest.mark.parametrize("size", [1, 9, 40])
def test_loops_compute_truth_values(size: int) -> None:
    run(logical, numbers(size, dtype="bool"), numbers(size, dtype="bool", seed=1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "bool", "uint8", "int64"])
def test_loops_convert(dtype: str) -> None:
    run(converted, numbers(37, dtype=dtype))


def test_floats_out_of_the_range_of_integers_are_left_to_the_fallback() -> None:
    run(lambda x: rt.cast(x, rt.int32), np.array([1.0, 3e10] * 9, np.float32), aside=True)


def test_dims_of_one_at_run_time_are_left_to_the_fallback() -> None:
    run(lambda x, y: x + y, numbers(3, 1), numbers(3, 4), unknown=True, aside=True)


SPECIAL = np.array([[1, np.nan, 3, np.inf, -1], [2, -np.inf, 0, -0.0, 1]], np.float32)


def special(x: Any) -> Any:
    return (
        rt.reduce_max(x, 1), rt.reduce_min(x), rt.reduce_sum(x, 0), rt.maximum(x, 0.0), x > 0.0,
        rt.minimum(x, 1.0), x == x,
    )  # fmt: skip


def test_loops_take_nan_and_infinity() -> None:
    run(special, SPECIAL)


REDUCTIONS = ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 1), (1, 2), -1])
def test_reductions_along_axes(name: str, axis: Any) -> None:
    reduce = getattr(rt, name)
    run(lambda x: (reduce(x, axis), reduce(x, axis, True)), numbers(4, 9, 35))


@pytest.mark.parametrize("name", ["reduce_sum", "reduce_mean", "reduce_max"])
@pytest.mark.parametrize("shape", [(3, 5), (3, 40), (40, 3), (1, 1)])
def test_reductions_of_unknown_dims(name: str, shape: tuple[int, int]) -> None:
    reduce = getattr(rt, name)
    run(lambda x: (reduce(x), reduce(x, 0), reduce(x, 1)), numbers(*shape), unknown=True)


@pytest.mark.parametrize("size", SIZES)
def test_reductions_of_what_a_loop_computes(size: int) -> None:
    run(
        lambda x, y: (rt.reduce_sum(x * y), rt.reduce_max(x - y), x + y),
        numbers(size),
        numbers(size, seed=1),
    )


def normalised(x: Any, scale: Any) -> Any:
    less = x - rt.reduce_mean(x, -1, keepdims=True)
    variance = rt.reduce_mean(less * less, [-1], keepdims=True)
    return less * rt.math.rsqrt(variance + 1e-3) * scale, variance


def rows_and_all(x: Any, scale: Any) -> Any:
    """Of one loop, reductions of rows, those of all, and elements; and reductions of those."""
    y = x * scale
    sums = rt.reduce_sum(y, -1)
    least = rt.reduce_min(sums)
    return rt.reduce_max(y), sums, rt.reduce_all(y > -1.0, -1, True), y, least, rt.exp(y)


@pytest.mark.parametrize("function", [normalised, rows_and_all])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 16), (5, 7), (1, 40), (3, 33), (4, 3, 100), (2, 1, 2, 64)])
def test_reductions_of_rows_of_what_a_loop_computes(
    function: Function, dtype: str, shape: tuple[int, ...]
) -> None:
    run(function, numbers(*shape, dtype=dtype), numbers(shape[-1], dtype=dtype, seed=1))


def test_divisors_of_zero_in_rows_are_left_to_the_fallback() -> None:
    x, y = numbers(3, 20, dtype="int32"), numbers(3, 20, dtype="int32", seed=1)
    run(lambda x, y: rt.reduce_sum(x // y, -1), x, y)
    y[2, 19] = 0
    with pytest.raises(REFUSALS):
        run(lambda x, y: rt.reduce_sum(x // y, -1), x, y, aside=True)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_reductions_of_integers(dtype: str) -> None:
    run(
        lambda x: (rt.reduce_sum(x), rt.reduce_prod(x, 0), rt.reduce_max(x, 1), rt.reduce_min(x)),
        numbers(6, 21, dtype=dtype),
    )


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_reductions_of_truth_values(axis: Any) -> None:
    run(
        lambda x: (rt.reduce_any(x, axis), rt.reduce_all(x, axis, True)),
        numbers(6, 21, dtype="bool"),
    )


def test_sums_of_many_keep_their_digits() -> None:
    given = np.full(3_000_000, 0.1, np.float32)
    (total,) = run(lambda x: rt.reduce_sum(x), given)
    assert abs(float(total) / (float(np.float32(0.1)) * 3_000_000) - 1) < 1e-5
    given = np.random.default_rng(0).random(3_000_000, np.float32)
    (total,) = run(lambda x: rt.reduce_sum(x), given)
    assert abs(float(total) / given.sum(dtype=np.float64) - 1) < 1e-6


MATRICES = [(1, 1, 1), (2, 3, 4), (3, 5, 7), (16, 64, 64), (5, 17, 33), (130, 70, 90), (9, 1, 9)]


@pytest.mark.parametrize("dims", MATRICES)
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products(dims: tuple[int, int, int], turned: tuple[bool, bool], dtype: str) -> None:
    rows, inner, columns = dims
    first = (inner, rows) if turned[0] else (rows, inner)
    second = (columns, inner) if turned[1] else (inner, columns)
    run(
        lambda a, b: rt.matmul(a, b, transpose_a=turned[0], transpose_b=turned[1]),
        numbers(*first, dtype=dtype),
        numbers(*second, dtype=dtype, seed=1),
        tolerance=1e-4,
    )


@pytest.mark.parametrize("unknown", [False, True])
def test_products_of_batches(unknown: bool) -> None:
    run(lambda a, b: a @ b, numbers(3, 4, 5), numbers(5, 6), unknown=unknown)
    run(lambda a, b: a @ b, numbers(3, 4, 5), numbers(3, 5, 6))


def test_products_of_unknown_dims_that_do_not_fit_are_left_to_the_fallback() -> None:
    with pytest.raises(REFUSALS):
        run(lambda a, b: a @ b, numbers(3, 4), numbers(5, 6), unknown=True, aside=True)


PARTS: list[tuple[str, Function]] = [
    ("from the second on", lambda x: x[1:]),
    ("some rows", lambda x: x[1:3]),
    ("some columns", lambda x: x[:, 1:3]),
    ("by steps", lambda x: x[::2, ::-1]),
    ("nothing", lambda x: x[2:1]),
    ("a row", lambda x: x[-1]),
    ("a column", lambda x: x[:, -1]),
    ("an element", lambda x: x[1, 2]),
    ("a new axis", lambda x: x[:, None, 2]),
    ("turned", lambda x: rt.transpose(x)),
    ("reshaped", lambda x: rt.reshape(x, [-1, 2]) * 2.0),
    ("repeated", lambda x: rt.broadcast_to(x[:1], [3, 5, 8])),
    ("joined rows", lambda x: rt.concat([x, x + 1.0], 0)),
    ("joined columns", lambda x: rt.concat([x, x[:, :2]], -1)),
    ("stacked", lambda x: rt.stack([x, x * 2.0], 1)),
    ("stacked last", lambda x: rt.stack([x, x * 2.0], -1)),
    ("gathered", lambda x: rt.gather(x, [[2, 0], [1, 1]])),
    ("gathered columns", lambda x: rt.gather(x, [2, 0, 7], axis=1)),
    ("the largest", lambda x: tuple(rt.math.top_k(x, 3))),
    ("where the largest is", lambda x: (rt.argmax(x, 1), rt.argmax(x, 0), rt.argmin(x, 1))),
]


@pytest.mark.parametrize("part", [part for _, part in PARTS], ids=[name for name, _ in PARTS])
def test_parts_of_arrays(part: Function) -> None:
    run(part, numbers(4, 8))


@pytest.mark.parametrize("dims", [(3, 4, 5), (3, 1, 5), (8, 2, 3)])
@pytest.mark.parametrize("perm", [(0, 2, 1), (1, 0, 2), (2, 1, 0), (1, 2, 0)])
def test_turned_arrays(dims: tuple[int, ...], perm: tuple[int, ...]) -> None:
    run(lambda x: rt.transpose(x, perm), numbers(*dims))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "bool", "uint32"])
@pytest.mark.parametrize("dims", [(8, 8), (16, 9), (7, 8), (3, 33, 4), (2, 3, 19, 21)], ids=str)
def test_matrices_that_are_turned(dims: tuple[int, ...], dtype: str) -> None:
    x = np.arange(math.prod(dims)).reshape(dims).astype(dtype)
    for perm in ((1, 0), (2, 0, 1), (0, 2, 1), (0, 3, 1, 2), (0, 2, 3, 1), (3, 2, 1, 0)):
        if len(perm) == len(dims):
            (found,) = run(lambda x, perm=perm: rt.transpose(x, perm), x)
            assert np.array_equal(found, x.transpose(perm))


def at_run_time(x: Any, at: Any) -> Any:
    return x[at[0]], x[:, at[1]], x[at[0] : at[1]], x[at[0], at[1]], rt.gather(x, at + 1)


def test_places_at_run_time() -> None:
    run(at_run_time, numbers(4, 8), np.array([0, 2], np.int32))


@pytest.mark.parametrize("place", [4, -5])
def test_places_that_are_not_there_are_left_to_the_fallback(place: int) -> None:
    with pytest.raises(REFUSALS):
        run(lambda x, at: x[at[0]], numbers(4, 8), np.array([place], np.int32), aside=True)
    with pytest.raises(REFUSALS):
        run(lambda x, at: rt.gather(x, at), numbers(4, 8), np.array([place], np.int32), aside=True)


@pytest.mark.parametrize("size", [1, 2, 8, 40, 300])
@pytest.mark.parametrize("count", [1, 2, 8, 20, 65, 300])
def test_the_largest_come_first(size: int, count: int) -> None:
    given = numbers(3, max(size, count)).round(1)
    given[0, :: max(1, size // 3)] = np.nan
    run(lambda x: tuple(rt.math.top_k(x, count)), given)


@pytest.mark.parametrize("dtype", ["int8", "uint32", "int32", "float32", "float16"])
@pytest.mark.parametrize("index_type", ["int32", "int64"])
def test_many_of_the_largest(dtype: str, index_type: str) -> None:
    given = unordered(dtype, 2, 3, 500)
    run(lambda x: tuple(rt.math.top_k(x, 100, index_type=index_type)), given)


def unordered(dtype: str, *shape: int) -> Any:
    """Elements of which some are equal, and all that have a place of their own in an order."""
    source = np.random.default_rng(0)
    if dtype == "bool":
        return source.integers(0, 2, shape).astype(bool)
    if dtype.startswith("float"):
        given = source.integers(-9, 9, shape).astype(dtype)
        special = [0.0, -0.0, np.nan, np.inf, -np.inf, -np.nan, np.finfo(dtype).tiny / 4]
    else:
        info = np.iinfo(dtype)
        given = source.integers(max(info.min, -9), 9, shape).astype(dtype)
        special = [info.min, info.max, 0, info.max // 2, info.max // 2 + 1]
    places = source.integers(0, 3 * len(special), shape)
    return np.where(places < len(special), np.array(special * 3, dtype)[places], given)


ORDERED = [
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float32", "float64"),
]


@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("dtype", ORDERED)
def test_elements_in_order(dtype: str, axis: int, direction: str) -> None:
    def ordered(x: Any) -> Any:
        order = rt.argsort(x, axis, direction)
        return order if dtype == "bool" else (rt.sort(x, axis, direction), order)

    for shape in ((4, 1, 3), (3, 40, 2), (2, 9, 70), (0, 2, 3), (2, 0, 3)):
        given = unordered(dtype, *shape)
        run(ordered, given)
        order = np.asarray(rt.argsort(given, axis, direction))
        expected = given if direction == "ASCENDING" else np.flip(given, axis)
        expected = np.argsort(expected, axis, kind="stable")
        if direction == "DESCENDING":
            expected = np.flip(given.shape[axis] - 1 - expected, axis)
        np.testing.assert_array_equal(order, expected)


@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
@pytest.mark.parametrize("size", SIZES)
def test_vectors_in_order(size: int, direction: str) -> None:
    for dtype in ("float32", "int32"):
        given = unordered(dtype, size)
        run(lambda x: (rt.sort(x, -1, direction), rt.argsort(x, -1, direction)), given)
        run(lambda x: rt.sort(x, 0, direction), given, unknown=True)
        run(lambda x: rt.argsort(x, 0, direction), given, unknown=True)


def test_the_order_of_long_rows_of_eight_bytes_is_python_s() -> None:
    def ordered(x: Any) -> Any:
        return rt.argsort(x)

    for length, count in ((LONG - 1, 0), (LONG, 1)):
        spec = rt.TensorSpec([length], rt.float64)
        graph = rt.function(ordered).get_concrete_function(spec).optimized
        assert len(reasons(graph)) == count


def written(x: Any, count: Any) -> Any:
    made = rt.TensorArray(rt.float32, size=2, dynamic_size=True, element_shape=(3,))
    for i in rt.range(count):
        made = made.write(i * 2, x * rt.cast(i, rt.float32))
    return made.stack(), made.read(1), made.size()


def rewritten(x: Any, count: Any) -> Any:
    made = rt.TensorArray(rt.float32, size=4, element_shape=(3,))
    for i in rt.range(count):
        made = made.write(i % 4, x * rt.cast(i, rt.float32))
        if i > 2:
            made = made.write(1, x * 3.0)
    return made.stack(), made.read(1)


@pytest.mark.parametrize("function", [written, rewritten])
@pytest.mark.parametrize("count", [0, 1, 3, 50])
def test_arrays_of_tensors(function: Function, count: int) -> None:
    run(function, numbers(3), np.int32(count))


def test_places_behind_an_array_of_tensors_are_left_to_the_fallback() -> None:
    def write(x: Any, at: Any) -> Any:
        return rt.TensorArray(rt.float32, size=2, element_shape=(3,)).write(at, x).stack()

    run(write, numbers(3), np.int32(1))
    with pytest.raises(rt.errors.InvalidArgumentError, match="not resizeable"):
        run(write, numbers(3), np.int32(2), aside=True)


def slope_of_rounds(x: Any, count: Any) -> Any:
    """The gradient reads arrays, numbers and truths of each round, the last one's first."""
    with rt.GradientTape() as tape:
        tape.watch(x)
        y, total = x, rt.constant(0.0)
        for i in rt.range(count):
            if rt.reduce_max(y) > 2.0:
                y = y * 0.5 + x
            else:
                y = y * y * 0.25 - x[i % 3]
                total = total + y[1] * rt.cast(i, rt.float32)
        loss = rt.reduce_max(y) + total
    return tape.gradient(loss, x)


def slope_of_nested_rounds(x: Any, count: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = x[0]
        for _ in rt.range(count):
            z = y * x[1]
            while z > 1.0:
                z = z * 0.5
            y = y + z * x[2]
    return tape.gradient(y, x)


@pytest.mark.parametrize("function", [slope_of_rounds, slope_of_nested_rounds])
@pytest.mark.parametrize("count", [0, 1, 3, 50])
def test_gradients_of_rounds(function: Function, count: int) -> None:
    """What a loop keeps for its gradient is in lists of machine code."""
    run(function, numbers(3), np.int32(count))


def test_lists_that_leave_a_graph_are_python_s() -> None:
    """What a tape outside of it reads later, for instance."""

    def rounds(x: Any, count: Any) -> Any:
        y = x
        for _ in rt.range(count):
            y = y * y * 0.5 + x
        return rt.reduce_sum(y)

    slopes = []
    for executor in ("numpy", "native"):
        staged = rt.function(rounds, executor=executor)
        with forced():
            for count in (3, 2, 4):
                x = rt.constant(numbers(3) * 0.25)
                with rt.GradientTape() as tape:
                    tape.watch(x)
                    y = staged(x, rt.constant(count))
                slopes.append(tape.gradient(y, x).numpy())
    np.testing.assert_allclose(slopes[3:], slopes[:3], 1e-6)


def swapped(x: Any, y: Any, count: Any) -> Any:
    for _ in rt.range(count):
        x, y = y, x + y
    return x, y


def shifted(x: Any, count: Any) -> Any:
    kept = x
    for i in rt.range(count):
        if i % 2 == 0:
            kept = x
        x = rt.concat([x[1:], x[:1]], 0) * 2.0
    return x, kept


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_loops_carry_arrays(count: int) -> None:
    run(swapped, numbers(20), numbers(20, seed=1), np.int32(count))
    run(shifted, numbers(20), np.int32(count))


def test_results_are_arrays_of_their_own() -> None:
    first, second, third = run(lambda x: (x, x[1:], x + 0.0), numbers(20))
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(first, third)


def test_results_that_are_views_of_each_other_have_their_own_shapes() -> None:
    def function(x: Any) -> Any:
        made = x + 1.0
        return rt.reshape(made, [5, 4]), made, rt.reshape(made, [4, 5]), made[3:7]

    run(function, numbers(20))


def test_arrays_that_are_given_up_are_let_go_of() -> None:
    def function(x: Any, y: Any) -> Any:
        return x + 1, x // y

    for _ in range(3):
        with pytest.raises(rt.errors.InvalidArgumentError):
            run(function, numbers(50, dtype="int32"), np.zeros(50, np.int32), aside=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("length", [1, 2, 7, 8, 17, 40, 1000])
@pytest.mark.parametrize("unknown", [False, True])
def test_rows_are_normalised(dtype: str, length: int, unknown: bool) -> None:
    given = numbers(3, length, dtype=dtype) * 30
    run(lambda x: (rt.nn.softmax(x), rt.nn.log_softmax(x)), given, unknown=unknown)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_rows_are_normalised_as_numpy_does(bad: float) -> None:
    given = numbers(3, 20)
    given[1, 7] = bad
    given[2] = bad
    run(lambda x: (rt.nn.softmax(x), rt.nn.log_softmax(x)), given)


def cell(x: Any, w: Any, b: Any) -> Any:
    for _ in rt.range(5):
        x = rt.tanh(x @ w + b)
    return x


@pytest.mark.parametrize("rows", [1, 16, 130])
def test_loops_of_products(rows: int) -> None:
    run(cell, numbers(rows, 64), numbers(64, 64, seed=1) / 8, numbers(64, seed=2), tolerance=1e-4)


def gradients(x: Any, w: Any, y: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(w)
        loss = rt.reduce_mean(
            rt.nn.softmax_cross_entropy_with_logits(labels=y, logits=x @ w[:-1] + w[-1])
        )
    return loss, tape.gradient(loss, w)


def test_gradients() -> None:
    y = np.eye(4, dtype=np.float32)[np.arange(20) % 4]
    run(gradients, numbers(20, 6), numbers(7, 4, seed=1), y)


@pytest.mark.parametrize(("shape", "aside"), [((2, 3), False), ((2, 4), True), ((0, 3), False)])
def test_shapes_that_are_ensured(shape: tuple[int, int], aside: bool) -> None:
    def ensured(x: Any) -> Any:
        whole = rt.ensure_shape(x, [None, 3])
        return whole * 2.0, rt.transpose(whole), rt.ensure_shape(rt.reduce_sum(whole), [])

    if aside:
        with pytest.raises(REFUSALS, match="not compatible"):
            run(ensured, numbers(*shape), unknown=True, aside=True)
    else:
        run(ensured, numbers(*shape), unknown=True)


@pytest.mark.parametrize("rows", [3, 1])
def test_labels_and_logits_of_one_shape(rows: int) -> None:
    def loss(labels: Any, logits: Any) -> Any:
        return rt.nn.weighted_cross_entropy_with_logits(labels, logits, 2.0)

    if rows == 3:
        run(loss, numbers(3, 2), numbers(3, 2, seed=1), unknown=True)
    else:
        with pytest.raises(REFUSALS, match="must have one shape"):
            run(loss, numbers(1, 2), numbers(3, 2), unknown=True, aside=True)


def test_a_shape_may_be_a_vector_of_one_size() -> None:
    """Its one unknown dim was taken for a number: an AssertionError of the compiler."""
    wanted = rt.TensorSpec([], "int32"), rt.TensorSpec([1], "int32")
    staged = rt.function(
        lambda n, shape: rt.reshape(rt.range(n), shape) * 2, input_signature=wanted
    )
    given = rt.constant(3), rt.constant([3])
    assert staged(*given).numpy().tolist() == [0, 2, 4]
    assert "as a whole" in str(staged.explain_native(*given))


# Several loops over each row


def normalized(x: Any, scale: Any, offset: Any) -> Any:
    mean = rt.reduce_mean(x, -1, keepdims=True)
    less = x - mean
    variance = rt.reduce_mean(less * less, -1, keepdims=True)
    return less * rt.math.rsqrt(variance + 1e-3) * scale + offset


def normalized_and_more(x: Any, scale: Any, offset: Any) -> Any:
    mean = rt.reduce_mean(x, -1, keepdims=True)
    less = x - mean
    variance = rt.reduce_mean(less * less, -1, keepdims=True)
    made = less * rt.math.rsqrt(variance + 1e-3) * scale + offset
    return made, less, mean * 2.0, variance, rt.reduce_sum(made), rt.reduce_max(made, -1)


def powers(x: Any, scale: Any, offset: Any) -> Any:
    power = rt.exp(x - rt.reduce_max(x, -1, keepdims=True)) * scale
    return power / rt.reduce_sum(power, -1, keepdims=True), rt.reduce_sum(x) + offset


def squares_are_not_rows(x: Any, scale: Any, offset: Any) -> Any:
    """Sums of rows without their dim, which are broadcast along columns where there are as many."""
    sums = rt.reduce_sum(x * scale, -1)
    doubled = sums * 2.0 + 1.0
    return (x + doubled if x.shape[0] == x.shape[1] else x), doubled, sums - offset[:1]


def three_axes(x: Any, scale: Any, offset: Any) -> Any:
    x = rt.stack([x, x * 2.0])
    spread = rt.reduce_max(x, -1, keepdims=True) - rt.reduce_min(x, -1, keepdims=True)
    return (x - offset) / (spread + 1.0), rt.reduce_any(x > spread, -1), spread


def gradient_of_normalized(x: Any, scale: Any, offset: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch([x, scale])
        loss = rt.reduce_sum(normalized(x, scale, offset) ** 2.0)
    return tape.gradient(loss, [x, scale])


KNOWN = [squares_are_not_rows, gradient_of_normalized]
SHAPES = [(2, 8), (8, 8), (5, 33), (3, 128), (128, 128), (7, 1000)]


@pytest.mark.parametrize("function", [normalized, normalized_and_more, powers, three_axes, *KNOWN])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_are_computed_in_several_loops(
    function: Function, shape: tuple[int, int], dtype: str
) -> None:
    given = [numbers(*each, dtype=dtype) for each in (shape, shape[1:], shape[1:])]
    run(function, *given, tolerance=2e-4 if dtype == "float32" else 1e-9)


@pytest.mark.parametrize("function", [normalized, normalized_and_more, powers, three_axes])
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_of_unknown_length_are_computed(function: Function, shape: tuple[int, int]) -> None:
    given = [numbers(*each) for each in (shape, shape[1:], shape[1:])]
    run(function, *given, unknown=True, tolerance=2e-4)


@pytest.mark.parametrize("function", [normalized_and_more, powers])
def test_long_rows_are_shared_by_threads(function: Function) -> None:
    run(function, numbers(700, 600), numbers(600), numbers(600), tolerance=2e-3)


BOTH = [
    lambda x: rt.reduce_sum(x, -1) + rt.reduce_sum(x),
    lambda x: rt.reduce_max(x) - rt.reduce_sum(x, -1, keepdims=True),
    lambda x: x - rt.reduce_mean(x, -1, keepdims=True) * rt.reduce_max(x),
    lambda x: rt.where(x > rt.reduce_min(x), x, rt.reduce_sum(x, -1, keepdims=True)),
]


@pytest.mark.parametrize("function", BOTH)
def test_rows_meet_the_number_of_all(function: Function) -> None:
    """The loop of the rows was written for that number, and the rows asked for once more."""
    run(lambda x: function(x * 2.0), numbers(4, 16, dtype="float64"))


SMALL_STACK = """
    import sys
    import threading
    import numpy as np
    import runtime as rt

    def kept(x):
        powers = [rt.exp(x * (0.01 * at)) for at in range(int(sys.argv[1]))]
        total = rt.reduce_sum(rt.add_n(powers), -1, keepdims=True)
        return rt.add_n([power / total for power in powers])

    x = np.random.default_rng(0).random((128, 4096))
    staged = rt.function(kept, autograph=False, jit_compile=True)
    first = staged(rt.constant(x))
    found = []
    threading.stack_size(1 << 17)
    thread = threading.Thread(target=lambda: found.append(staged(rt.constant(x))))
    thread.start()
    thread.join()
    print(np.array_equal(found[0], first), np.allclose(first.numpy().sum(-1), 1.0))
"""


@pytest.mark.parametrize("count", [1, 12])
def test_what_is_kept_of_rows_needs_little_stack(tmp_path: Path, count: int) -> None:
    """Rows of 32 KiB were all on the stack of whoever computes a part: the process ended."""
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(SMALL_STACK))
    command = [sys.executable, str(file), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["True", "True"]), done.stderr


@pytest.mark.parametrize("count", [1, 3, 8])
def test_many_normalizations_one_after_the_other(count: int) -> None:
    def chained(x: Any, scale: Any, offset: Any) -> Any:
        for _ in range(count):
            x = normalized(x, scale, offset)
        return x

    run(chained, numbers(6, 40), numbers(40), numbers(40), tolerance=1e-3)


def test_loops_over_rows_grow_with_the_program() -> None:
    """Each normalization computed again all that came before it."""

    def lines(count: int) -> int:
        def chained(x: Any) -> Any:
            for _ in range(count):
                x = normalized(x, 2.0, 1.0)
            return x

        staged = rt.function(chained, autograph=False)
        return len(staged.native_ir(rt.TensorSpec([6, 40])).splitlines())

    assert lines(12) - lines(8) < 1.2 * (lines(8) - lines(4))
