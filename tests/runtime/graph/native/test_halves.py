"""float16 and bfloat16 as machine code: every number of 16 bits, beside NumPy and float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")
pytest.importorskip("ml_dtypes")

import runtime as rt
from runtime.graph.executors.native import values
from runtime.graph.executors.native.executor import reasons, runner_of
from runtime.graph.executors.program import Program
from runtime.graph.passes import optimize

Function = Callable[..., Any]
HALVES = [rt.float16.np_dtype, rt.bfloat16.np_dtype]
BITS = np.arange(1 << 16, dtype=np.uint16)
pytestmark = [
    pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning"),
    pytest.mark.parametrize("half", HALVES, ids=str),
    pytest.mark.skipif(not values.is_native(rt.float16), reason="the host converts no float16"),
]


def run(function: Function, *arrays: Any) -> Any:
    """What machine code answers, which does not step aside."""
    specs = [rt.TensorSpec(array.shape, array.dtype) for array in arrays]
    graph = optimize(rt.function(function).get_concrete_function(*specs).graph)
    assert reasons(graph) == []
    program = Program(graph)
    program.run = lambda *arrays: pytest.fail("it steps aside")
    return runner_of(graph, program)(*arrays)


def every(half: Any) -> Any:
    return BITS.view(half)


def others(half: Any, seed: int = 0) -> Any:
    return np.random.default_rng(seed).permutation(BITS).view(half)


def wide(x: Any) -> Any:
    return np.asarray(x).astype(np.float64)


def assert_same(found: Any, wanted: Any) -> None:
    """The same numbers, with the sign of zeros; of nan, any."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    same = found.view(f"u{found.itemsize}") == wanted.view(f"u{wanted.itemsize}")
    if found.dtype.kind not in "biu":
        same |= np.isnan(wide(found)) & np.isnan(wide(wanted))
    assert same.all(), (found[~same][:5], wanted[~same][:5])


EXACT: dict[str, tuple[Function, Function]] = {
    "add": (lambda x, y: x + y, np.add),
    "subtract": (lambda x, y: x - y, np.subtract),
    "multiply": (lambda x, y: x * y, np.multiply),
    "divide": (lambda x, y: x / y, np.divide),
    "floor_divide": (lambda x, y: x // y, np.floor_divide),
    "remainder": (lambda x, y: x % y, np.remainder),
    "less": (rt.less, np.less),
    "equal": (rt.equal, np.equal),
    "where": (lambda x, y: rt.where(x > y, x, y), lambda x, y: np.where(x > y, x, y)),
    "negative": (lambda x, y: -x, lambda x, y: np.negative(x)),
    "absolute": (lambda x, y: rt.abs(x), lambda x, y: np.abs(x)),
    "sqrt": (lambda x, y: rt.sqrt(x), lambda x, y: np.sqrt(x)),
    "floor": (lambda x, y: rt.floor(x), lambda x, y: np.floor(x)),
    "rint": (lambda x, y: rt.math.rint(x), lambda x, y: np.rint(x)),
    "chain": (lambda x, y: (x * y + x) * y - x, lambda x, y: (x * y + x) * y - x),
}


@pytest.mark.parametrize("name", EXACT)
def test_arithmetic_is_numpys(name: str, half: Any) -> None:
    function, numpys = EXACT[name]
    x, y = every(half), others(half)
    (found,) = run(function, x, y)
    with np.errstate(all="ignore"):
        assert_same(found, numpys(x, y))


@pytest.mark.parametrize("name", ["maximum", "minimum", "relu", "sign", "clip", "round", "ceil"])
def test_what_is_exact_is_that_of_the_python_program(name: str, half: Any) -> None:
    function: dict[str, Function] = {
        "maximum": rt.maximum,
        "minimum": rt.minimum,
        "relu": lambda x, y: rt.nn.relu(x),
        "sign": lambda x, y: rt.sign(x),
        "clip": lambda x, y: rt.clip_by_value(x, rt.cast(-1.5, x.dtype), rt.cast(2, x.dtype)),
        "round": lambda x, y: rt.round(x),
        "ceil": lambda x, y: rt.math.ceil(x),
    }
    x, y = every(half), others(half)
    x[:4], y[:4] = [0.0, -0.0, 0.0, -0.0], [-0.0, 0.0, 0.0, -0.0]
    (found,) = run(function[name], x, y)
    wanted = rt.function(function[name], executor="numpy")(rt.constant(x), rt.constant(y))
    assert_same(found, wanted)


FUNCTIONS: dict[str, tuple[Function, Function]] = {
    "exp": (rt.exp, np.exp),
    "log": (rt.math.log, np.log),
    "tanh": (rt.tanh, np.tanh),
    "sin": (rt.sin, np.sin),
    "sigmoid": (rt.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    "rsqrt": (rt.math.rsqrt, lambda x: 1 / np.sqrt(x)),
    "erf": (rt.math.erf, np.vectorize(math.erf)),
    "reciprocal": (rt.math.reciprocal, lambda x: 1 / x),
    "softplus": (rt.nn.softplus, lambda x: np.logaddexp(x, 0)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_rounded_once(name: str, half: Any) -> None:
    """They are half a unit off, and what a float32 is."""
    function, exact = FUNCTIONS[name]
    x = every(half)
    found = rt.function(function, jit_compile=True)(rt.constant(x)).numpy()
    with np.errstate(all="ignore"):
        wanted = exact(wide(x))
        near = wide(wanted.astype(np.float32).astype(half))
        unit = np.abs(wide(np.nextafter(near.astype(half), np.array(np.inf, half))) - near)
        off = np.abs(wide(found) - wanted)
    is_right = (
        (off <= 0.51 * unit) | (wide(found) == near) | (np.isnan(near) & np.isnan(wide(found)))
    )
    assert is_right.all(), (x[~is_right][:5], found[~is_right][:5], wanted[~is_right][:5])


ENDS = [np.inf, -np.inf, np.nan, 65519.9, -65519.9, 65520, 1e300, -1e300, 1e-300, -1e-300, -0.0]
DTYPES = ["float64", "float32", "float16", "bfloat16", "int8", "int32", "int64", "uint8", "uint64"]


@pytest.mark.parametrize("other", [*DTYPES, "bool"])
def test_casts_are_rounded_once(other: str, half: Any) -> None:
    dtype = rt.as_dtype(other).np_dtype
    if rt.as_dtype(other).is_floating:
        low, high = (wide(BITS[: 0x7B00 + at][at:].view(half)) for at in (0, 1))
        middle = (low + high) / 2
        near = [middle * (1 + 2.0**-50), middle * (1 - 2.0**-50), middle * (1 + 2.0**-20)]
        given = np.concatenate([low, middle, -middle, *near, ENDS])
        back = every(half)
    else:
        info: Any = np.iinfo(dtype) if other != "bool" else None
        rng = np.random.default_rng(3)
        given = rng.integers(info.min, info.max, 9000, dtype) if info else np.array([True, False])
        given = (
            given >> (np.arange(given.size) % (8 * dtype.itemsize)).astype(dtype) if info else given
        )
        back = np.arange(-120 if info and info.min else 0, 121).astype(half) + np.array(0.5, half)
    with np.errstate(all="ignore"):
        given = given.astype(dtype)
        (found,) = run(lambda x: rt.cast(x, half), given)
        assert_same(found, given.astype(half))
        (found,) = run(lambda x: rt.cast(x, dtype), back)
        assert_same(found, back.astype(dtype))


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("shape", [(3000, 5), (5, 3000), (1, 1), (70, 130)], ids=str)
def test_sums_are_rounded_once(shape: tuple[int, ...], axis: Any, half: Any) -> None:
    x = np.random.default_rng(1).uniform(0.5, 1, shape).astype(half)
    found = run(
        lambda x: (rt.reduce_sum(x, axis), rt.reduce_mean(x, axis), rt.reduce_max(x, axis)), x
    )
    total = wide(x).sum(axis)
    mean = total / (x.size // total.size)
    for one, exact in zip(found, (total, mean, wide(x).max(axis)), strict=True):
        error = np.abs(wide(one) - exact)
        assert (error <= 0.51 * float(rt.dtypes.finfo(rt.as_dtype(half)).eps) * exact).all()


def test_large_arrays_are_shared_by_threads(half: Any) -> None:
    x = np.random.default_rng(1).uniform(0.5, 1, 1 << 21).astype(half)
    (found,) = run(lambda x: rt.reduce_mean(x * x + x), x)
    with np.errstate(all="ignore"):
        wanted = wide(x * x + x).mean()
    assert found == np.array(wanted).astype(half)


def test_programs_on_numbers_and_rows(half: Any) -> None:
    def program(x: Any, start: Any, n: Any) -> Any:
        s, rows = start, rt.TensorArray(x.dtype, 3, element_shape=[4])
        for i in rt.range(n):
            s = s * start + rt.cast(i, x.dtype) * 0.25
            if s > 30:
                s = s - 30
        for i in rt.range(3):
            rows = rows.write(i, x[i % 2] * s)
        y = x + s
        for i in rt.range(2):
            y[i, 0] = y[i, 1] * 2
            y[i, 2:] = 0
        return s, rows.stack(), rt.concat([y, rt.reverse(x, [1])], 0), rt.transpose(x), y[1, 1]

    x = np.random.default_rng(1).standard_normal((2, 4)).astype(half)
    given = [rt.constant(x), rt.constant(np.array(1.1, half)), rt.constant(40)]
    found = rt.function(program, jit_compile=True)(*given)
    wanted = rt.function(program, executor="numpy")(*given)
    for one, other in zip(found, wanted, strict=True):
        assert_same(one, other)


WIDENED: dict[str, tuple[Function, tuple[int, ...]]] = {
    "matmul": (lambda x: rt.matmul(x, x, transpose_b=True), (30, 40)),
    "einsum": (lambda x: rt.einsum("ij,kj->ik", x, x), (30, 40)),
    "softmax": (rt.nn.softmax, (30, 40)),
    "log_softmax": (rt.nn.log_softmax, (30, 40)),
    "sum": (lambda x: rt.reduce_sum(x, [0, 2]), (30, 4, 10)),
    "mean": (lambda x: rt.reduce_mean(x, [0, 2], keepdims=True), (30, 4, 10)),
    "conv2d": (lambda x: rt.nn.conv2d(x, rt.reshape(x[0, :3, :3, :], [3, 3, 2, 1]), 1, "SAME"),
               (2, 7, 8, 2)),
    "depthwise_conv2d": (
        lambda x: rt.nn.depthwise_conv2d(x, x[0, :3, :3, :, None], [1] * 4, "SAME"), (2, 7, 8, 2),
    ),
    "avg_pool2d": (lambda x: rt.nn.avg_pool2d(x, 3, 2, "SAME"), (2, 7, 8, 2)),
    "max_pool2d": (lambda x: rt.nn.max_pool2d(x, 3, 2, "VALID"), (2, 7, 8, 2)),
    "sort": (rt.sort, (30, 40)),
    "top_k": (lambda x: rt.math.top_k(x, 5)[0], (30, 40)),
}  # fmt: skip


@pytest.mark.parametrize("name", WIDENED)
def test_other_kernels_compute_in_float32(name: str, half: Any) -> None:
    function, shape = WIDENED[name]
    x = np.random.default_rng(5).uniform(0.1, 1, shape).astype(half)
    (found,) = run(function, x)
    exact = rt.function(function, executor="numpy")(rt.constant(wide(x))).numpy()
    assert (found.dtype, found.shape) == (x.dtype, exact.shape)
    error = np.abs(wide(found) - exact)
    assert (error <= 0.51 * float(rt.dtypes.finfo(rt.as_dtype(half)).eps) * np.abs(exact)).all()


@pytest.mark.parametrize("name", ["argmax", "argmin", "argsort", "top_k"])
def test_places_are_those_of_the_python_program(name: str, half: Any) -> None:
    function: dict[str, Function] = {
        "argmax": lambda x: rt.argmax(x, 1),
        "argmin": lambda x: rt.argmin(x, 0),
        "argsort": rt.argsort,
        "top_k": lambda x: rt.math.top_k(x, 7)[1],
    }
    x = others(half)[:4000].reshape(40, 100)
    (found,) = run(function[name], x)
    wanted = rt.function(function[name], executor="numpy")(rt.constant(x)).numpy()
    np.testing.assert_array_equal(found, wanted)
