"""Pooling: the largest and the mean of each window, by their definitions."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime import errors
from tests.runtime.ops.test_convolution import places

RNG = np.random.default_rng(5)


def spread(*shape: int) -> Any:
    return RNG.permutation(int(np.prod(shape))).astype("f8").reshape(shape)


def by_definition(x: Any, ksize: Any, strides: Any, padding: Any, kind: str) -> Any:
    """Each channel by itself; NaN marks what was padded and does not count."""
    ones = (1,) * len(ksize)
    marked = x + 0.0
    made: Any = None
    inside = places(np.ones_like(marked), ksize, strides, padding, ones)
    values = places(marked, ksize, strides, padding, ones)
    for (index, part, counts), (_, real, _) in zip(values, inside, strict=True):
        if made is None:
            made = np.zeros((len(x), *counts, x.shape[-1]))
        seen = np.where(real > 0, part, np.nan)
        reduce = np.nanmax if kind == "max" else np.nanmean
        made[index] = reduce(seen, axis=tuple(range(1, x.ndim - 1)))
    return made


CASES = list(product([(2, 2), (3, 1), (2, 3)], [(1, 1), (2, 2), (3, 1)], ["SAME", "VALID"]))


@pytest.mark.parametrize(("ksize", "strides", "padding"), CASES, ids=str)
def test_two_axes(ksize: Any, strides: Any, padding: str) -> None:
    x = spread(2, 5, 6, 3)
    largest = tf.nn.max_pool2d(x, ksize, strides, padding).numpy()
    mean = tf.nn.avg_pool2d(x, ksize, strides, padding).numpy()
    assert np.array_equal(largest, by_definition(x, ksize, strides, padding, "max"))
    np.testing.assert_allclose(mean, by_definition(x, ksize, strides, padding, "avg"))
    first = tf.nn.max_pool(x.transpose(0, 3, 1, 2), [1, 1, *ksize], strides, padding, "NCHW")
    assert np.array_equal(first.numpy().transpose(0, 2, 3, 1), largest)


@pytest.mark.parametrize("kind", ["max", "avg"])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_one_and_three_axes(kind: str, padding: str) -> None:
    line, solid = spread(2, 7, 3), spread(1, 4, 5, 3, 2)
    of_line = getattr(tf.nn, f"{kind}_pool1d")(line, 3, 2, padding).numpy()
    of_solid = getattr(tf.nn, f"{kind}_pool3d")(solid, 2, 2, padding).numpy()
    np.testing.assert_allclose(of_line, by_definition(line, [3], [2], padding, kind))
    np.testing.assert_allclose(of_solid, by_definition(solid, [2] * 3, [2] * 3, padding, kind))
    by_rank = getattr(tf.nn, f"{kind}_pool")
    assert np.array_equal(by_rank(line, 3, 2, padding).numpy(), of_line)
    assert np.array_equal(by_rank(solid, 2, 2, padding).numpy(), of_solid)


def test_explicit_padding_is_never_chosen() -> None:
    x = -1 - spread(1, 3, 3, 1)
    made = tf.nn.max_pool2d(x, 2, 1, [[0, 0], [1, 0], [0, 1], [0, 0]]).numpy()
    expected = by_definition(x, (2, 2), (1, 1), [[0, 0], [1, 0], [0, 1], [0, 0]], "max")
    assert np.array_equal(made, expected)


@pytest.mark.parametrize(("ksize", "strides", "padding"), CASES, ids=str)
def test_the_gradient_goes_to_the_largest(ksize: Any, strides: Any, padding: str) -> None:
    x = tf.constant(spread(2, 5, 6, 3))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, ksize, strides, padding)
    g = tape.gradient(y, x).numpy()
    winners, times = np.unique(y.numpy(), return_counts=True)
    assert g.sum() == y.numpy().size
    assert np.array_equal(g[np.isin(x.numpy(), winners)].sum(), times.sum())
    assert not g[~np.isin(x.numpy(), winners)].any()


@pytest.mark.parametrize("incoming", [np.inf, -np.inf, np.nan, -0.0])
def test_other_elements_take_nothing_of_a_gradient_that_is_no_number(incoming: float) -> None:
    """Neither of a gradient, nor of that of a gradient."""
    x, g = tf.constant([[[[1.0], [5.0]], [[2.0], [0.0]]]]), tf.constant([[[[incoming]]]])

    def back(x: Any, g: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.max_pool2d(x, 2, 1, "VALID")
        return tape.gradient(y, x, g)

    for run in (back, tf.function(back)):
        np.testing.assert_array_equal(run(x, g).numpy().ravel(), [0, incoming, 0, 0])
    with tf.GradientTape() as tape:
        tape.watch(g)
        made = back(x, g)
    seed = tf.constant([[[[incoming], [3.0]], [[incoming], [incoming]]]])
    assert tape.gradient(made, g, seed).numpy().item() == 3.0


def test_of_equal_elements_the_first_gets_the_gradient() -> None:
    x = tf.ones((1, 2, 2, 1))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, 2, 2, "VALID")
    assert tape.gradient(y, x).numpy().ravel().tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("batched", [False, True])
def test_argmax_finds_the_largest(padding: str, batched: bool) -> None:
    x = spread(2, 5, 4, 3)
    y, places = found = tf.nn.max_pool_with_argmax(
        x, 2, 2, padding, output_dtype="int32", include_batch_in_index=batched
    )
    assert (found.output is y, found.argmax is places) == (True, True)
    assert places.dtype == "int32"
    flat = x.reshape(-1) if batched else x.reshape(2, -1)
    for i in range(2):
        line = flat if batched else flat[i]
        assert np.array_equal(line[places.numpy()[i]], y.numpy()[i])


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("staged", [False, True])
def test_over_channels(padding: str, staged: bool) -> None:
    x = tf.constant(RNG.integers(0, 4, (2, 3, 2, 6)).astype("f"))

    def largest(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = tf.nn.max_pool(x, [1, 1, 1, 3], [1, 1, 1, 3], padding)
        return made, tape.gradient(made, x)

    spec = [tf.TensorSpec([None, 3, None, 6])]
    made, slope = (tf.function(largest, spec) if staged else largest)(x)
    parts = x.numpy().reshape(2, 3, 2, 2, 3)
    first = np.eye(3)[parts.argmax(-1)].reshape(2, 3, 2, 6)
    assert np.array_equal(made, parts.max(-1))
    assert np.array_equal(tf.nn.avg_pool(x, [1, 1, 1, 2], [1, 1, 1, 2], padding)[..., 0], (
        x[..., 0] + x[..., 1]
    ) / 2)  # fmt: skip
    assert np.array_equal(slope, first)


def test_pool_with_dilations() -> None:
    x = spread(1, 6, 7, 2)
    made = tf.nn.pool(x, [2, 2], "MAX", dilations=[2, 3]).numpy()
    assert np.array_equal(
        made, np.max([x[:, i : i + 4, j : j + 4] for i in (0, 2) for j in (0, 3)], axis=0)
    )
    plain = tf.nn.pool(x, [2, 3], "AVG", [1, 2], "SAME").numpy()
    assert np.array_equal(plain, tf.nn.avg_pool2d(x, [2, 3], [1, 2], "SAME").numpy())


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "float16", "float32"])
def test_dtypes_stay(dtype: str) -> None:
    x = spread(1, 4, 4, 1).astype(dtype)
    made = tf.nn.max_pool2d(x, 3, 2, "SAME")
    assert made.dtype == dtype
    assert np.array_equal(
        made.numpy(), by_definition(x.astype("f8"), (3, 3), (2, 2), "SAME", "max")
    )


def test_nothing_in_it() -> None:
    assert tf.nn.max_pool2d(np.ones((0, 4, 4, 1)), 2, 2, "SAME").shape == (0, 2, 2, 1)
    assert tf.nn.avg_pool2d(np.ones((1, 0, 4, 1)), 2, 1, "SAME").shape == (1, 0, 4, 1)
    assert tf.nn.max_pool2d(np.ones((1, 1, 4, 1)), 2, 1, "VALID").shape == (1, 0, 3, 1)


X = np.ones((1, 4, 4, 2))
INVALID, UNIMPLEMENTED = errors.InvalidArgumentError, errors.UnimplementedError
BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda: tf.nn.max_pool2d(X, 0, 1, "SAME"), ValueError, "ksize must be positive"),
    (lambda: tf.nn.max_pool2d(X, 2, -1, "SAME"), ValueError, "strides must be positive"),
    (lambda: tf.nn.max_pool2d(X, [2, 2, 2, 1], 1, "SAME"), ValueError, "batch and channels"),
    (lambda: tf.nn.max_pool2d(X, [2, 2, 2, 2], 1, "SAME"), UNIMPLEMENTED, "side by side"),
    (lambda: tf.nn.max_pool2d(X, [1, 1, 1, 2], [1, 1, 1, 1], "SAME"), UNIMPLEMENTED, "side by"),
    (lambda: tf.nn.max_pool2d(X, [1, 1, 1, 9], [1, 1, 1, 9], "SAME"), UNIMPLEMENTED, "multiple"),
    (lambda: tf.nn.max_pool2d(X, 2, 1, [[0, 0], [2, 0], [0, 0], [0, 0]]), ValueError, "smaller"),
    (lambda: tf.nn.max_pool(X[0, 0], 2, 2, "SAME"), ValueError, "rank 3, 4 or 5"),
    (lambda: tf.nn.max_pool2d(X[0], 2, 2, "SAME"), ValueError, "rank 4"),
    (lambda: tf.nn.avg_pool2d(X.astype("i4"), 2, 2, "SAME"), INVALID, "int32"),
    (lambda: tf.nn.max_pool2d(X > 0, 2, 2, "SAME"), INVALID, "bool"),
    (lambda: tf.nn.pool(X, [2, 2], "MIN"), ValueError, "'MIN'"),
    (lambda: tf.nn.max_pool_with_argmax(X, 2, 2, "SAME", "NCHW"), ValueError, "NHWC"),
    (lambda: tf.nn.max_pool_with_argmax(X, 2, 2, "SAME", output_dtype="int8"), ValueError, "int8"),
    (lambda: tf.nn.max_pool2d(X, 7, 1, "VALID"), INVALID, "does not fit"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_arguments_are_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
