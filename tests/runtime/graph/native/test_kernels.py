"""Kernels of convolutions, windows, products and places, in corner cases: against the Python
program of the same graph, and products and convolutions against sums of float64.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from runtime.core.primitive import TABLE, bind
from runtime.graph.executors.native import convolving, loops, products
from runtime.graph.executors.native.executor import reasons, runner_of, units_of
from runtime.graph.executors.program import Program
from runtime.graph.passes import optimize
from tests.runtime.graph.native.test_arrays import numbers, run
from tests.support.native import Pair
from tests.support.windows import random_windows

rt.ops.load_all()

INF, NAN = np.inf, np.nan


# Convolutions and pooling


def case(seed: int) -> list[tuple[Callable[..., Any], list[Any]]]:
    """Random images, and the ops on their windows with what they are applied to."""
    made = random_windows(random.Random(seed))
    dtype = ("float32", "float64")[seed % 2]
    x, w = numbers(*made.image, dtype=dtype), numbers(*made.filter, dtype=dtype, seed=1)
    found = convolutions(f"conv{made.rank}d", x, w, made.geometry)
    if made.rank == 2:
        w = numbers(*made.filter[:2], x.shape[-1], 1 + seed % 3, dtype=dtype, seed=1)
        found += convolutions("depthwise_conv2d", x, w, made.geometry)
    pool, average = f"max_pool{made.rank}d", f"avg_pool{made.rank}d"
    y = TABLE[pool].kernel(x, **made.pooling)
    h = numbers(*y.shape, dtype=dtype, seed=3)
    found += [
        (lambda x: bind(TABLE[pool], x, **made.pooling), [x]),
        (lambda x: bind(TABLE[average], x, **made.pooling), [x]),
        (lambda x, y, h: bind(TABLE[f"{pool}_grad"], x, y, h, **made.pooling), [x, y, h]),
        (lambda h: bind(TABLE[f"{average}_grad"], h, shape=x.shape, **made.pooling), [h]),
    ]
    return found


def convolutions(
    name: str, x: Any, w: Any, geometry: dict[str, Any]
) -> list[tuple[Callable[..., Any], list[Any]]]:
    """A convolution and its gradients. That for images has no machine code where there are both
    strides and dilations.
    """
    g = numbers(*TABLE[name].kernel(x, w, **geometry).shape, dtype=x.dtype.name, seed=2)
    of_filter, of_input = TABLE[f"{name}_backprop_filter"], TABLE[f"{name}_backprop_input"]
    found: list[tuple[Callable[..., Any], list[Any]]] = [
        (lambda x, w: bind(TABLE[name], x, w, **geometry), [x, w]),
        (lambda x, g: bind(of_filter, x, g, shape=w.shape, **geometry), [x, g]),
    ]
    if {1} in (set(geometry["strides"]), set(geometry["dilations"])):
        found.append((lambda w, g: bind(of_input, w, g, shape=x.shape, **geometry), [w, g]))
    return found


@pytest.mark.parametrize("seed", range(24))
def test_windows(seed: int) -> None:
    for function, arrays in case(seed):
        run(function, *arrays, tolerance=1e-4)


@pytest.mark.parametrize(("window", "stride"), [(3, 1), (3, 2), (2, 2), (1, 2), (7, 2), (5, 3)])
@pytest.mark.parametrize("op", ["conv2d", "depthwise_conv2d"])
def test_gradients_that_are_infinite_stay_in_their_windows(
    op: str, window: int, stride: int
) -> None:
    w = np.abs(numbers(window, window, 3, 2))
    geometry = {"strides": (stride, stride), "padding": "SAME", "dilations": (1, 1)}
    g = np.abs(numbers(*TABLE[op].kernel(numbers(1, 14, 15, 3), w, **geometry).shape, seed=1))
    g[0, 2, 2, 1], g[0, 4, 1, 0] = INF, NAN
    of_input, given = TABLE[f"{op}_backprop_input"], {"shape": (1, 14, 15, 3), **geometry}
    run(lambda w, g: bind(of_input, w, g, **given), w, g, tolerance=1e-4)


@pytest.mark.parametrize("value", [INF, -INF, NAN])
@pytest.mark.parametrize("op", ["conv2d", "depthwise_conv2d"])
@pytest.mark.parametrize("stride", [1, 2])
def test_weights_that_are_infinite_meet_no_places_around_the_gradient(
    op: str, stride: int, value: float
) -> None:
    w = numbers(3, 3, 3, 2)
    geometry = {"strides": (stride, stride), "padding": "SAME", "dilations": (1, 1)}
    g = numbers(*TABLE[op].kernel(numbers(1, 14, 15, 3), w, **geometry).shape, seed=1)
    w[0, 2, 1, 0] = value
    of_input, given = TABLE[f"{op}_backprop_input"], {"shape": (1, 14, 15, 3), **geometry}
    run(lambda w, g: bind(of_input, w, g, **given), w, g, tolerance=1e-4, aside=True)


@pytest.mark.parametrize("size", [(12, 5), (13, 4), (3, 30)])
@pytest.mark.parametrize("batch", [None, 1, 4])
@pytest.mark.parametrize("op", ["conv2d", "depthwise_conv2d"])
def test_gradients_for_filters_are_summed_in_parts(
    monkeypatch: pytest.MonkeyPatch, op: str, batch: int | None, size: tuple[int, int]
) -> None:
    monkeypatch.setenv("AUTOGRAPH_NATIVE_CACHE", "off")
    monkeypatch.setattr(convolving, "LARGE", 1)
    monkeypatch.setattr(convolving, "LEAST_SUMMED", 100)
    row, geometry = TABLE[op], {"strides": (2, 1), "padding": "SAME", "dilations": (1, 1)}
    x, w = numbers(batch or 3, *size, 3), numbers(3, 2, 3, 2, seed=1)
    g = numbers(*row.kernel(x, w, **geometry).shape, seed=2)
    specs = [rt.TensorSpec([batch, *array.shape[1:]]) for array in (x, g)]
    of_filter = TABLE[f"{op}_backprop_filter"]
    function = rt.function(lambda x, g: bind(of_filter, x, g, shape=w.shape, **geometry))
    graph = optimize(function.get_concrete_function(*specs).graph)
    assert reasons(graph) == []
    (got,) = runner_of(graph, Program(graph))(x, g)
    given = {"shape": w.shape, **geometry}
    wanted = of_filter.kernel(x.astype("float64"), g.astype("float64"), **given)
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("op", ["conv2d", "depthwise_conv2d"])
def test_images_of_any_number(op: str, stride: int, count: int) -> None:
    w = numbers(3, 3, 2, 5)

    def gradients(x: Any, w: Any) -> Any:
        with rt.GradientTape() as tape:
            tape.watch([x, w])
            y = getattr(rt.nn, op)(x, w, [1, stride, stride, 1], "SAME")
            y = rt.nn.max_pool2d(y, 2, 2, "SAME")
            y = rt.nn.avg_pool2d(y * y, 2, 1, "SAME")
        return y, *tape.gradient(y, [x, w])

    specs = [rt.TensorSpec([None, 6, 5, 2]), rt.TensorSpec(w.shape)]
    graph = optimize(rt.function(gradients).get_concrete_function(*specs).graph)
    assert reasons(graph) == []
    program = Program(graph)
    x = numbers(count, 6, 5, 2, seed=1)
    got, wanted = runner_of(graph, program)(x, w), program.run(x, w)
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_one_convolution_between_effects_is_machine_code() -> None:
    w = rt.Variable(numbers(3, 3, 2, 5))
    model = rt.function(lambda x: rt.nn.conv2d(x, w, 1, "SAME"))
    x = rt.constant(numbers(1, 6, 5, 2))
    assert "1 part of it is" in model.explain_native(x)
    assert "conv2d" not in model.explain_native(x)
    assert "fma" in model.native_ir(x)


def test_largest_element_of_nan_and_equal_ones() -> None:
    x = np.array([[1, 1, NAN, 0], [1, 1, 0, 0], [-0.0, 0.0, INF, INF], [0, 0, -INF, 2]], "float32")
    x = x.reshape(1, 4, 4, 1)

    def gradient(x: Any) -> Any:
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = rt.nn.max_pool2d(x, 2, 2, "VALID")
        return y, tape.gradient(y, x)

    run(gradient, x)


def whole(*shape: int) -> Any:
    return np.round(numbers(*shape) * 8)


IMAGES = whole(3, 4, 4, 1)
OF_WINDOWS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "conv2d_backprop_filter": ([IMAGES], {"shape": (2, 2, 1, 2)}),
    "conv2d_backprop_input": ([whole(2, 2, 1, 2)], {"shape": (3, 4, 4, 1)}),
    "depthwise_conv2d_backprop_filter": ([IMAGES], {"shape": (2, 2, 1, 2)}),
    "depthwise_conv2d_backprop_input": ([whole(2, 2, 1, 2)], {"shape": (3, 4, 4, 1)}),
    "max_pool2d_grad": ([IMAGES, whole(3, 3, 3, 1)], {"ksize": (2, 2)}),
    "avg_pool2d_grad": ([], {"ksize": (2, 2), "shape": (3, 4, 4, 1)}),
}
"""Ops on a gradient of 3 times 3x3 windows of 2x2, what they are given with it, and parameters."""


@pytest.mark.parametrize("sizes", [(3, 3, 3), (2, 3, 3), (3, 2, 3), (3, 3, 4)])
@pytest.mark.parametrize("name", OF_WINDOWS)
def test_gradients_of_unknown_sizes(name: str, sizes: tuple[int, int, int]) -> None:
    given, params = OF_WINDOWS[name]
    geometry = {"strides": (1, 1), "padding": "VALID", "dilations": (1, 1), **params}
    g = whole(*sizes, 2 if "conv" in name else 1)
    specs = [rt.TensorSpec(x.shape) for x in given] + [rt.TensorSpec([None] * 4)]
    function = rt.function(lambda *xs: bind(TABLE[name], *xs, **geometry))
    pair = Pair(optimize(function.get_concrete_function(*specs).graph))
    pair.compare(*given, g)
    assert pair.aside == (sizes != (3, 3, 3))


@pytest.mark.parametrize("size", [3, 2, 1])
def test_a_shape_of_the_run_that_does_not_fit_what_is_broadcast(size: int) -> None:
    specs = [rt.TensorSpec([3]), rt.TensorSpec([1], rt.int32)]
    function = rt.function(lambda x, shape: rt.broadcast_to(x, shape) + 1.0)
    pair = Pair(optimize(function.get_concrete_function(*specs).graph))
    pair.compare(whole(3), np.array([size], np.int32))
    assert pair.aside == (size != 3)


# Products


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rows", [1, 2, 5, 14, 29, 70])
@pytest.mark.parametrize("columns", [1, 3, 8, 10, 16, 33, 100])
def test_products(rows: int, columns: int, dtype: str) -> None:
    for inner in (1, 7, 130):
        a, b = numbers(rows, inner, dtype=dtype), numbers(inner, columns, dtype=dtype, seed=1)
        for turned in (False, True):
            given = np.ascontiguousarray(a.T) if turned else a
            (got,) = run(
                lambda a, b, t=turned: rt.matmul(a, b, transpose_a=t), given, b, tolerance=1e-4
            )
            bound = np.abs(a).astype("float64") @ np.abs(b) * inner * np.finfo(dtype).eps
            assert (np.abs(got - a.astype("float64") @ b) <= bound).all()


EQUATIONS = (
    "ij,jk->ik", "ij,jk->ki", "bij,bjk->bik", "bhqd,bhkd->bhqk", "bqhd,bkhd->bhqk",
    "bhqk,bkhd->bqhd", "abc,cde->abde", "abc,bcd->ad", "i,j->ij", "kij,lij->lk",
)  # fmt: skip


@pytest.mark.parametrize("equation", EQUATIONS)
def test_products_of_labelled_axes(equation: str) -> None:
    sizes = dict(zip("abcdehijklq", (3, 5, 17, 4, 20, 2, 9, 7, 33, 6, 10), strict=True))
    left, output = equation.split("->")
    arrays = [
        numbers(*[sizes[label] for label in labels], seed=seed)
        for seed, labels in enumerate(left.split(","))
    ]
    (got,) = run(lambda *xs: rt.einsum(equation, *xs), *arrays, tolerance=1e-4)
    wanted = np.einsum(equation, *[x.astype("float64") for x in arrays])
    np.testing.assert_allclose(got, wanted, atol=1e-4)
    assert got.shape == tuple(sizes[label] for label in output)


def test_products_of_many_rows_are_of_packed_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "LEAST_READ", 1)
    monkeypatch.setenv("AUTOGRAPH_NATIVE_CACHE", "off")
    a, b = numbers(3, 80, 90), numbers(3, 90, 70, seed=1)
    assert min(a.shape[1:]) >= products.LEAST_BY_TILES
    (got,) = run(lambda a, b: a @ b, a, b, tolerance=1e-3)
    np.testing.assert_allclose(got, a.astype("float64") @ b, atol=1e-4)


@pytest.fixture(params=[16, 32])
def vectors(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorter vectors than the host may have."""
    monkeypatch.setenv("AUTOGRAPH_NATIVE_CACHE", "off")
    for module in (loops, products):
        monkeypatch.setattr(module, "vector_bytes", lambda: request.param)


@pytest.mark.usefixtures("vectors")
@pytest.mark.parametrize("seed", range(24, 28))
def test_windows_by_shorter_vectors(seed: int) -> None:
    for function, arrays in case(seed):
        run(function, *arrays, tolerance=1e-4)


@pytest.mark.usefixtures("vectors")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("columns", [3, 7, 10, 13])
def test_products_of_few_columns_by_shorter_vectors(columns: int, dtype: str) -> None:
    a, b = numbers(29, 70, dtype=dtype), numbers(70, columns, dtype=dtype, seed=1)
    (got,) = run(lambda a, b: rt.matmul(a, b), a, b, tolerance=1e-4)
    np.testing.assert_allclose(got, a.astype("float64") @ b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("of_blas", [16, None], ids=["narrow BLAS", "BLAS"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_products(monkeypatch: pytest.MonkeyPatch, of_blas: int | None, dtype: str) -> None:
    monkeypatch.setattr(products, "vector_bytes_of_blas", lambda: of_blas)
    monkeypatch.setenv("AUTOGRAPH_NATIVE_CACHE", "off")
    a, b = numbers(67, 301, dtype=dtype), numbers(301, 517, dtype=dtype, seed=1)
    (got,) = run(lambda a, b: rt.matmul(a, b), a, b, tolerance=1e-4)
    np.testing.assert_allclose(got, a.astype("float64") @ b, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("rows", [64, 383, 384])
@pytest.mark.parametrize("kept", [64 * 64 * 4, 64 * 64 * 4 + 1])
def test_few_rows_do_not_pay_for_new_memory(
    monkeypatch: pytest.MonkeyPatch, rows: int, kept: int
) -> None:
    """A copy of the second factor that is not kept between calls is only made for many rows."""
    monkeypatch.setattr(products, "vector_bytes_of_blas", lambda: 8)
    monkeypatch.setattr(products.arena, "MOST_KEPT", kept)
    monkeypatch.setattr(products, "MOST_WORK", 0)
    specs = [rt.TensorSpec([rows, 64], rt.float32), rt.TensorSpec([64, 64], rt.float32)]
    function = rt.function(lambda a, b: rt.matmul(a, b))
    (unit,) = units_of(function.get_concrete_function(*specs).optimized)
    is_small = kept > 64 * 64 * 4
    assert ("blas.product.float32" in unit.symbols.places) is not (is_small or rows == 384)


# Reductions


@pytest.mark.parametrize("axes", [[0, 2], [1, 3], [0, 2, 3], [0, 1, 3], [-1, 0], []], ids=str)
@pytest.mark.parametrize("unknown", [False, True])
def test_reductions_along_axes_that_are_no_neighbours(axes: list[int], unknown: bool) -> None:
    def reduced(x: Any, kept: bool) -> Any:
        sums = rt.reduce_sum(x, axes, kept), rt.reduce_mean(x, axes, kept)
        return *sums, rt.reduce_prod(x, axes, kept), rt.reduce_any(x > 1, axes, kept)

    for shape in ((3, 4, 5, 6), (2, 1, 3, 1), (0, 2, 3, 1)):
        for kept in (False, True):
            run(lambda x, kept=kept: reduced(x, kept), numbers(*shape), unknown=unknown)


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint64"])
@pytest.mark.parametrize("shape", [(5,), (0, 3), (3, 0), (7, 1), (2, 3, 4)], ids=str)
def test_running_sums_and_products(shape: tuple[int, ...], dtype: str) -> None:
    def running(x: Any) -> Any:
        found = []
        for axis in range(len(shape)):
            for exclusive in (False, True):
                for reverse in (False, True):
                    found.append(rt.cumsum(x, axis, exclusive, reverse))
                    found.append(rt.math.cumprod(x, axis, exclusive, reverse))
        return found

    for unknown in (False, True):
        run(running, numbers(*shape, dtype=dtype), unknown=unknown, tolerance=0)


# Elements


BOUNDS = np.array([-INF, -0.0, 0.0, INF, NAN, 4, -4, 1, 2, 1e-40, -1e-40], "float32")


def signs(function: Callable[..., Any], *arrays: Any) -> None:
    """Zeros have the signs that the Python program gives them."""
    run(lambda *xs: 1 / function(*xs), *arrays)


@pytest.mark.parametrize("exponent", [0.5, 2.0, 3.0, -1.0, 0.25, -0.5, 0.0, 1.0])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_by_one_number(exponent: float, dtype: str) -> None:
    x = BOUNDS.astype(dtype)
    known, given = np.array(exponent, dtype), lambda x, y: x**y
    signs(lambda x: x**exponent, x)
    signs(given, x, known)
    for one in x:
        signs(given, np.array(one), known)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", [-1.0, 1.0, 2.0, 3.0])
def test_powers_by_a_known_number_are_off_by_a_unit(exponent: float, dtype: str) -> None:
    """Against numbers of more digits, where results overflow and underflow, too."""
    scale = 88 if dtype == "float32" else 709
    x = np.exp(np.random.default_rng(3).uniform(-scale, scale, 4000) / 2).astype(dtype)
    x *= np.resize([1, -1], x.shape).astype(dtype)
    (found,) = run(lambda x: x**exponent, x)
    with np.errstate(all="ignore"):
        wide = x.astype(np.longdouble) ** int(exponent)
        rounded = wide.astype(dtype)
        unit = np.spacing(np.abs(rounded)).astype(np.longdouble)
        error = np.abs(found - wide) / unit
    assert np.all((found == rounded) | (error < 1))


def test_elements_beside_numbers() -> None:
    signs(lambda x: rt.nn.leaky_relu(x), BOUNDS)
    signs(lambda x: rt.nn.leaky_relu(x, 2.0), BOUNDS)
    for low, high in ((-1.0, 1.0), (0.0, 0.0), (0.0, 1.0), (-1.0, -0.0), (2.0, -2.0)):
        signs(lambda x, a=low, b=high: rt.clip_by_value(x, a, b), BOUNDS)
        signs(lambda x, a=low, b=high: rt.clip_by_value(x, [a] * x.shape[0], b), BOUNDS)
    run(lambda x: rt.clip_by_value(x, [1, 2, 3], [[4], [2]]), numbers(2, 3, dtype="int32"))
    run(rt.nn.bias_add, numbers(3, 4, 5), numbers(5))


# Places


@pytest.mark.parametrize("dtype", ["float32", "int16", "bool"])
def test_elements_that_go_to_other_places(dtype: str) -> None:
    def places(x: Any) -> Any:
        a, b, c = rt.split(x, [1, 2, 2], 1)
        return (
            a, b, c, *rt.unstack(x, axis=1), *rt.split(x, 3), rt.reverse(x, [0, -1]),
            rt.tile(x, [2, 1]), rt.tile(x, [0, 3]), rt.pad(x, [[1, 0], [0, 2]]),
            rt.slice(x, [1, 0], [-1, 2]), rt.zeros_like(x), rt.ones_like(x),
            rt.roll(x, 7, 0), rt.roll(x, -1, 1), rt.shape(x), rt.size(x),
        )  # fmt: skip

    run(places, numbers(3, 5, dtype=dtype), tolerance=0)


@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (3, 5)], ids=str)
def test_places_of_unknown_dims(shape: tuple[int, int]) -> None:
    def places(x: Any, n: Any) -> Any:
        start = rt.minimum(n, rt.shape(x)[0])
        return (
            rt.reverse(x, [0]), rt.pad(x, [[1, 1], [0, 2]], constant_values=3.0),
            rt.tile(x, [2, 3]), rt.slice(x, [start, 0], [-1, 1]), rt.zeros_like(x),
            rt.fill([n, 2], 7), rt.size(x), rt.shape(x), rt.one_hot([1, 2], n),
        )  # fmt: skip

    run(places, numbers(*shape), np.array(2, "int32"), unknown=True)


@pytest.mark.parametrize("shift", [0, 1, -1, 5, 6, -12])
def test_rolling(shift: int) -> None:
    by = np.array(shift, "int32")
    run(lambda x, by: rt.roll(x, by, 1), numbers(2, 5, 3), by, unknown=True, tolerance=0)
    run(lambda x, by: rt.roll(x, by, 0), numbers(0, 5), by, aside=True)


ROWS = numbers(6, 5)
PLACES = np.array([3, 0, 3, 5], "int32")


def added(g: Any, places: Any) -> Any:
    grad = TABLE["gather_grad"]
    return bind(grad, g, places, shape=(6, 5), axis=0, batch_dims=0, negative=False)


def segments(x: Any, places: Any) -> Any:
    return (
        rt.math.unsorted_segment_sum(x, places, 6), rt.math.unsorted_segment_max(x, places, 6),
        rt.math.unsorted_segment_min(x, places, 6), rt.math.unsorted_segment_prod(x, places, 6),
    )  # fmt: skip


AT_PLACES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "gather": (rt.gather, [ROWS, PLACES]),
    "gather_grad": (added, [ROWS[:4], PLACES]),
    "gather_nd": (rt.gather_nd, [ROWS, np.stack([PLACES, PLACES % 5], 1)]),
    "scatter_nd": (lambda at, x: rt.scatter_nd(at, x, [6, 5]), [PLACES[:, None], ROWS[:4]]),
    "segments": (segments, [ROWS[:4], PLACES]),
    "batches": (lambda x, at: rt.gather(x, at, batch_dims=1), [ROWS, PLACES[[0, 1] * 3, None]]),
}  # fmt: skip


@pytest.mark.parametrize("name", AT_PLACES)
def test_rows_at_places(name: str) -> None:
    function, arrays = AT_PLACES[name]
    run(function, *arrays, tolerance=0)


@pytest.mark.parametrize("name", AT_PLACES)
@pytest.mark.parametrize("place", [6, -1, 2**31 - 1])
def test_places_that_are_none(name: str, place: int) -> None:
    function, arrays = AT_PLACES[name]
    bad = [
        np.where(x == x.flat[0], place, x).astype(x.dtype) if x.dtype.kind == "i" else x
        for x in arrays
    ]
    specs = [rt.TensorSpec(x.shape, x.dtype) for x in arrays]
    pair = Pair(optimize(rt.function(function).get_concrete_function(*specs).graph))
    found = pair.compare(*bad)
    # Rows of no segment are left out.
    is_left_out = name == "segments" and place == -1
    assert pair.aside == (0 if is_left_out else 1)
    assert isinstance(found, list) == is_left_out
