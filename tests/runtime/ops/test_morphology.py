"""Dilation and erosion beside loops over the definition, and their gradients beside differences."""

from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime import errors

GEOMETRIES: dict[str, tuple[Any, Any, list[int], list[int], str]] = {
    "valid": ((2, 5, 6, 3), (2, 3, 3), [1, 1], [1, 1], "VALID"),
    "same": ((1, 5, 6, 2), (2, 3, 2), [1, 1], [1, 1], "SAME"),
    "strides": ((1, 7, 5, 1), (3, 2, 1), [2, 3], [1, 1], "SAME"),
    "rates": ((1, 7, 8, 2), (2, 3, 2), [1, 2], [3, 2], "SAME"),
    "rates, valid": ((2, 7, 8, 1), (2, 3, 1), [2, 1], [2, 3], "VALID"),
    "one": ((1, 3, 3, 1), (1, 1, 1), [2, 2], [1, 1], "SAME"),
    "a large filter": ((1, 2, 2, 1), (5, 4, 1), [1, 1], [1, 1], "SAME"),
}


def dilated(x: Any, w: Any, strides: Any, rates: Any, padding: str) -> Any:
    sizes, kernel = x.shape[1:3], w.shape[:2]
    reach = [(k - 1) * r + 1 for k, r in zip(kernel, rates, strict=True)]
    if padding == "SAME":
        places = [-(-n // s) for n, s in zip(sizes, strides, strict=True)]
        before = [
            max((p - 1) * s + e - n, 0) // 2
            for p, s, e, n in zip(places, strides, reach, sizes, strict=True)
        ]
    else:
        places = [(n - e) // s + 1 for n, e, s in zip(sizes, reach, strides, strict=True)]
        before = [0, 0]
    made = np.empty((x.shape[0], *places, x.shape[3]), x.dtype)
    for batch, row, column, channel in np.ndindex(made.shape):
        found = []
        for i, j in np.ndindex(*kernel):
            at = row * strides[0] - before[0] + i * rates[0]
            to = column * strides[1] - before[1] + j * rates[1]
            if 0 <= at < sizes[0] and 0 <= to < sizes[1]:
                found.append(x[batch, at, to, channel] + w[i, j, channel])
        made[batch, row, column, channel] = max(found)
    return made


def arguments(name: str, dtype: Any = np.float64) -> tuple[Any, Any, Any, Any, str]:
    shape, kernel, strides, rates, padding = GEOMETRIES[name]
    draws = np.random.default_rng(3)
    x, w = (draws.permutation(int(np.prod(s))).reshape(s).astype(dtype) for s in (shape, kernel))
    return x, w - w.max() // 2, strides, rates, padding


def public(function: Any, x: Any, w: Any, strides: Any, rates: Any, padding: str) -> Any:
    return function(x, w, [1, *strides, 1], padding, "NHWC", [1, *rates, 1])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
@pytest.mark.parametrize("name", GEOMETRIES)
def test_dilation_is_the_largest_sum(name: str, dtype: str) -> None:
    given = arguments(name, dtype)
    found = public(rt.nn.dilation2d, *given).numpy()
    np.testing.assert_array_equal(found, dilated(*given), strict=True)


@pytest.mark.parametrize("name", GEOMETRIES)
def test_erosion_is_the_dilation_of_the_negative(name: str) -> None:
    x, w, *geometry = arguments(name)
    found = public(rt.nn.erosion2d, x, w, *geometry).numpy()
    np.testing.assert_array_equal(found, -dilated(-x, w[::-1, ::-1], *geometry))


@pytest.mark.parametrize("known", [[1, None, None, 2], [None] * 4, None])
@pytest.mark.parametrize("name", ["same", "rates"])
def test_sizes_that_only_the_run_knows(name: str, known: Any) -> None:
    x, w, *geometry = arguments(name)
    staged = rt.function(
        lambda x: public(rt.nn.dilation2d, x, w, *geometry),
        input_signature=[rt.TensorSpec(known, rt.float64)],
    )
    np.testing.assert_array_equal(staged(x).numpy(), dilated(x, w, *geometry))


@pytest.mark.parametrize("function", [rt.nn.dilation2d, rt.nn.erosion2d])
@pytest.mark.parametrize("name", GEOMETRIES)
def test_gradients_are_those_of_differences(name: str, function: Any) -> None:
    x, w, *geometry = arguments(name)
    weights = np.random.default_rng(4).standard_normal(public(function, x, w, *geometry).shape)

    def loss(x: Any, w: Any) -> Any:
        return rt.reduce_sum(public(function, x, w, *geometry) * weights)

    # Sums of whole numbers may be equal: these are not.
    x, w = x + np.random.default_rng(5).uniform(0, 0.4, x.shape), w * 1.0
    given, filters = rt.constant(x), rt.constant(w)
    with rt.GradientTape() as tape:
        tape.watch([given, filters])
        made = loss(given, filters)
    for number, found in enumerate(tape.gradient(made, [given, filters])):
        expected = np.empty(found.shape)
        for at in np.ndindex(*found.shape):
            ends = []
            for step in (1e-4, -1e-4):
                moved = [x.copy(), w.copy()]
                moved[number][at] += step
                ends.append(float(loss(*moved)))
            expected[at] = (ends[0] - ends[1]) / 2e-4
        np.testing.assert_allclose(found.numpy(), expected, atol=1e-6)


def test_the_first_of_equal_sums_has_the_gradient() -> None:
    x, w = rt.zeros([1, 2, 2, 1]), rt.zeros([2, 2, 1])
    with rt.GradientTape() as tape:
        tape.watch(w)
        made = public(rt.nn.dilation2d, x, w, [1, 1], [1, 1], "VALID")
    assert tape.gradient(made, w).numpy().tolist() == [[[1.0], [0.0]], [[0.0], [0.0]]]


@pytest.mark.parametrize(
    ("shape", "kernel", "padding", "data_format", "reason"),
    [
        ((1, 3, 3), (2, 2, 1), "SAME", "NHWC", "the input must have rank 4"),
        ((1, 3, 3, 1), (2, 2), "SAME", "NHWC", "the filter must have rank 3"),
        ((1, 3, 3, 1), (2, 2, 2), "SAME", "NHWC", "has 1 channels and the filter 2"),
        ((1, 3, 3, 1), (0, 2, 1), "SAME", "NHWC", "the filter must not be empty"),
        ((1, 2, 2, 1), (7, 7, 1), "VALID", "NHWC", "does not fit an axis"),
        ((1, 3, 3, 1), (2, 2, 1), "FULL", "NHWC", "padding must be"),
        ((1, 3, 3, 1), (2, 2, 1), "SAME", "NCHW", "data_format"),
    ],
)
def test_wrong_arguments(
    shape: Any, kernel: Any, padding: str, data_format: str, reason: str
) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=reason):
        rt.nn.dilation2d(rt.zeros(shape), rt.zeros(kernel), [1] * 4, padding, data_format, [1] * 4)
