"""Convolutions: what their definition says, element by element, over many geometries."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime import errors
from runtime.ops.windows import pads_of

RNG = np.random.default_rng(3)


def numbers(*shape: int, dtype: str = "float64") -> Any:
    return RNG.integers(-4, 5, shape).astype(dtype)


def explicit(padding: Any, sizes: Any, kernel: Any, strides: Any, dilations: Any) -> Any:
    """The pads of a public padding argument, one pair for each spatial axis."""
    inner = padding if isinstance(padding, str) else tuple(map(tuple, padding[1:-1]))
    return pads_of(sizes, kernel, strides, inner, dilations)


def places(x: Any, kernel: Any, strides: Any, padding: Any, dilations: Any) -> Any:
    """For each place of the window its index in the result, and the part of `x` that it covers."""
    pads = explicit(padding, x.shape[1:-1], kernel, strides, dilations)
    x = np.pad(x, [(0, 0), *pads, (0, 0)])
    counts = [
        (n - (k - 1) * d - 1) // s + 1
        for n, k, s, d in zip(x.shape[1:-1], kernel, strides, dilations, strict=True)
    ]
    for index in np.ndindex(*counts):
        cut = tuple(
            slice(i * s, i * s + (k - 1) * d + 1, d)
            for i, k, s, d in zip(index, kernel, strides, dilations, strict=True)
        )
        yield (slice(None), *index), x[(slice(None), *cut)], counts


def by_definition(x: Any, w: Any, strides: Any, padding: Any, dilations: Any) -> Any:
    """The sum of products at each place, for each group of channels."""
    *kernel, per_group, out = w.shape
    groups = x.shape[-1] // per_group
    made: Any = None
    for index, part, counts in places(x, kernel, strides, padding, dilations):
        if made is None:
            made = np.zeros((len(x), *counts, out), x.dtype)
        for group in range(groups):
            ins = slice(group * per_group, (group + 1) * per_group)
            outs = slice(group * out // groups, (group + 1) * out // groups)
            weights = w[..., outs].reshape(-1, out // groups)
            made[index][:, outs] = part[..., ins].reshape(len(x), -1) @ weights
    return made


GEOMETRIES = [
    (strides, padding, dilations)
    for strides, padding, dilations in product(
        [(1, 1), (2, 1), (3, 2)],
        ["SAME", "VALID", [[0, 0], [2, 0], [0, 1], [0, 0]]],
        [(1, 1), (2, 1)],
    )
]
FILTERS = [(2, 3, 2, 3), (1, 1, 2, 4), (3, 2, 1, 2), (2, 2, 9, 2)]


@pytest.mark.parametrize("filters", FILTERS, ids=str)
@pytest.mark.parametrize(("strides", "padding", "dilations"), GEOMETRIES, ids=str)
def test_conv2d_is_what_its_definition_says(
    strides: Any, padding: Any, dilations: Any, filters: Any
) -> None:
    x, w = numbers(2, 6, 7, 9 if filters[2] == 9 else 2), numbers(*filters)
    made = tf.nn.conv2d(x, w, strides, padding, dilations=dilations)
    assert np.array_equal(made.numpy(), by_definition(x, w, strides, padding, dilations))


@pytest.mark.parametrize("filters", FILTERS, ids=str)
@pytest.mark.parametrize(("strides", "padding", "dilations"), GEOMETRIES, ids=str)
def test_gradients_are_the_transposed_maps(
    strides: Any, padding: Any, dilations: Any, filters: Any
) -> None:
    """<g, conv(x, w)> is linear in x and in w: its gradients are exact differences."""
    x, w = numbers(2, 6, 7, 9 if filters[2] == 9 else 2), numbers(*filters)
    result = by_definition(x, w, strides, padding, dilations)
    g, dx, dw = numbers(*result.shape), numbers(*x.shape), numbers(*w.shape)
    given = tf.constant(x), tf.constant(w)
    with tf.GradientTape() as tape:
        tape.watch(given)
        made = tf.nn.conv2d(*given, strides, padding, dilations=dilations)
    for_x, for_w = tape.gradient(made, given, tf.constant(g))
    along_x = by_definition(dx, w, strides, padding, dilations)
    along_w = by_definition(x, dw, strides, padding, dilations)
    assert np.sum(for_x.numpy() * dx) == np.sum(g * along_x)
    assert np.sum(for_w.numpy() * dw) == np.sum(g * along_w)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint8"])
def test_dtypes_stay(dtype: str) -> None:
    x, w = np.abs(numbers(1, 4, 4, 2)).astype(dtype), np.abs(numbers(2, 2, 2, 2)).astype(dtype)
    made = tf.nn.conv2d(x, w, 1, "SAME")
    assert made.dtype == dtype
    wide = by_definition(x.astype("f8"), w.astype("f8"), (1, 1), "SAME", (1, 1))
    assert np.array_equal(
        made.numpy(), wide.astype("i8").astype(dtype) if dtype == "uint8" else wide
    )


def test_a_large_image_is_unfolded_in_pieces() -> None:
    x, w = numbers(2, 120, 90, 12, dtype="float32"), numbers(3, 3, 12, 2, dtype="float32")
    tall = tf.nn.conv2d(x, w, 1, "SAME").numpy()
    alone = [tf.nn.conv2d(x[i : i + 1, 50:54], w, 1, "VALID").numpy()[0] for i in range(2)]
    assert np.array_equal(tall[:, 51:53, 1:-1], np.stack(alone))


def test_layouts_agree() -> None:
    x, w = numbers(2, 5, 6, 3), numbers(2, 2, 3, 4)
    last = tf.nn.conv2d(x, w, [1, 2, 1, 1], "SAME").numpy()
    first = tf.nn.conv2d(x.transpose(0, 3, 1, 2), w, [1, 1, 2, 1], "SAME", data_format="NCHW")
    assert np.array_equal(first.numpy().transpose(0, 2, 3, 1), last)
    deep = tf.nn.conv2d(x.reshape(1, 2, 5, 6, 3), w, (2, 1), "SAME")
    assert np.array_equal(deep.numpy()[0], last)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2)])
def test_one_and_three_axes(padding: str, stride: int, dilation: int) -> None:
    x, w = numbers(2, 7, 2), numbers(3, 2, 4)
    line = tf.nn.conv1d(x, w, stride, padding, dilations=dilation)
    assert np.array_equal(line.numpy(), by_definition(x, w, [stride], padding, [dilation]))
    turned = tf.nn.conv1d(x.transpose(0, 2, 1), w, stride, padding, "NCW", dilation)
    assert np.array_equal(turned.numpy().transpose(0, 2, 1), line.numpy())
    x, w = numbers(1, 4, 3, 5, 2), numbers(2, 2, 3, 2, 1)
    solid = tf.nn.conv3d(x, w, stride, padding, dilations=dilation)
    expected = by_definition(x, w, [stride] * 3, padding, [dilation] * 3)
    assert np.array_equal(solid.numpy(), expected)
    assert np.array_equal(
        tf.nn.convolution(x, w, stride, padding, None, dilation).numpy(), expected
    )


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_conv2d_transpose_is_the_transpose(padding: str, stride: int) -> None:
    big, w = numbers(2, 7, 5, 3), numbers(2, 3, 3, 2)
    small = by_definition(big, w, (stride, stride), padding, (1, 1))
    g = numbers(*small.shape)
    back = tf.nn.conv2d_transpose(g, w, big.shape, stride, padding).numpy()
    assert back.shape == big.shape
    assert np.sum(back * big) == np.sum(g * small)
    by_size = tf.nn.conv2d_transpose(g, w, [7, 5], stride, padding).numpy()
    first = tf.nn.conv2d_transpose(
        g.transpose(0, 3, 1, 2), w, [2, 3, 7, 5], stride, padding, "NCHW"
    )
    assert np.array_equal(by_size, back)
    assert np.array_equal(first.numpy().transpose(0, 2, 3, 1), back)


def test_transposes_over_one_and_three_axes() -> None:
    g, w = numbers(1, 4, 2), numbers(3, 5, 2)
    line = tf.nn.conv1d_transpose(g, w, [1, 8, 5], 2).numpy()
    flat = tf.nn.conv2d_transpose(g[:, None], w[None], [1, 1, 8, 5], (1, 2)).numpy()
    assert np.array_equal(line, flat[:, 0])
    assert np.array_equal(tf.nn.conv_transpose(g, w, [1, 8, 5], 2).numpy(), line)
    g, w = numbers(1, 2, 3, 2, 2), numbers(2, 2, 2, 1, 2)
    solid = tf.nn.conv3d_transpose(g, w, [1, 4, 6, 4, 1], 2).numpy()
    x = numbers(1, 4, 6, 4, 1)
    assert np.sum(solid * x) == np.sum(g * by_definition(x, w, (2, 2, 2), "SAME", (1, 1, 1)))


@pytest.mark.parametrize(("strides", "padding", "dilations"), GEOMETRIES, ids=str)
def test_depthwise_convolves_each_channel_by_itself(
    strides: Any, padding: Any, dilations: Any
) -> None:
    x, w = numbers(2, 5, 6, 3), numbers(2, 3, 3, 2)
    made = tf.nn.depthwise_conv2d(x, w, strides, padding, dilations=dilations).numpy()
    for c in range(3):
        alone = by_definition(x[..., c : c + 1], w[:, :, c : c + 1], strides, padding, dilations)
        assert np.array_equal(made[..., 2 * c : 2 * c + 2], alone)


def test_separable_is_depthwise_then_pointwise() -> None:
    x, w, p = numbers(1, 4, 5, 2), numbers(2, 2, 2, 3), numbers(1, 1, 6, 4)
    made = tf.nn.separable_conv2d(x, w, p, [1, 1, 1, 1], "SAME").numpy()
    assert np.array_equal(made, tf.nn.depthwise_conv2d(x, w, 1, "SAME").numpy() @ p[0, 0])


def test_sizes_that_only_the_run_knows() -> None:
    w = tf.constant(numbers(3, 3, 2, 4))

    @tf.function(input_signature=[tf.TensorSpec((None, None, None, 2), tf.float64)])
    def both(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.conv2d(x, w, 2, "SAME")
            z = tf.nn.conv2d_transpose(y, w, tf.shape(x), 2)
        return z, tape.gradient(y, x)

    for size in (4, 7):
        x = numbers(2, size, size + 1, 2)
        z, g = both(tf.constant(x))
        y = by_definition(x, w.numpy(), (2, 2), "SAME", (1, 1))
        assert z.shape == g.shape == x.shape
        assert np.sum(g.numpy() * x) == np.sum(y)
        assert np.sum(z.numpy() * x) == np.sum(y * y)


def test_nothing_in_it() -> None:
    w = numbers(3, 3, 2, 4)
    assert tf.nn.conv2d(numbers(0, 5, 5, 2), w, 1, "SAME").shape == (0, 5, 5, 4)
    assert tf.nn.conv2d(numbers(2, 2, 5, 2), w, 1, "VALID").shape == (2, 0, 3, 4)
    assert tf.nn.conv2d(numbers(2, 5, 5, 2), w[..., :0], 1, "VALID").shape == (2, 3, 3, 0)
    assert (
        not tf.nn.conv2d_transpose(numbers(1, 0, 3, 4), w, [1, 2, 5, 2], 1, "VALID").numpy().any()
    )


X, W = np.ones((1, 4, 4, 2)), np.ones((3, 3, 2, 3))
INVALID = errors.InvalidArgumentError
BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda: tf.nn.conv2d(X, W, [1, 1, 1], "SAME"), ValueError, "length 1, 2 or 4"),
    (lambda: tf.nn.conv2d(X, W, [2, 1, 1, 1], "SAME"), ValueError, "batch and channels"),
    (lambda: tf.nn.conv2d(X, W, 0, "SAME"), ValueError, "must be positive"),
    (lambda: tf.nn.conv2d(X, W, 1.5, "SAME"), TypeError, "strides"),
    (lambda: tf.nn.conv2d(X, W, 1, "FULL"), ValueError, "'FULL'"),
    (lambda: tf.nn.conv2d(X, W, 1, [[1, 1], [1, 0]]), ValueError, "4 pairs"),
    (lambda: tf.nn.conv2d(X, W, 1, [[0, 0], [1, 1], [1, 1], [0, 1]]), ValueError, "channels"),
    (lambda: tf.nn.conv2d(X, W, 1, [[0, 0], [-1, 1], [1, 1], [0, 0]]), ValueError, "negative"),
    (lambda: tf.nn.conv2d(X, W, 1, "SAME", "NWHC"), ValueError, "data_format"),
    (lambda: tf.nn.conv2d(X, W, 1, "SAME", dilations=0), ValueError, "dilations"),
    (lambda: tf.nn.conv2d(X[0], W, 1, "SAME"), INVALID, "rank 4"),
    (lambda: tf.nn.conv2d(X, W[0], 1, "SAME"), INVALID, "rank 4"),
    (lambda: tf.nn.conv2d(X, np.ones((3, 3, 3, 3)), 1, "SAME"), INVALID, "multiple"),
    (lambda: tf.nn.conv2d(X, np.ones((3, 3, 1, 3)), 1, "SAME"), INVALID, "groups"),
    (lambda: tf.nn.conv2d(X, W[:0], 1, "SAME"), INVALID, "empty"),
    (lambda: tf.nn.conv2d(X, np.ones((7, 3, 2, 3)), 1, "VALID"), INVALID, "fit"),
    (lambda: tf.nn.conv2d(tf.constant(X), tf.ones((3, 3, 2, 3)), 1, "SAME"), INVALID, "float32"),
    (lambda: tf.nn.conv2d(X + 0j, W + 0j, 1, "SAME"), INVALID, "complex128"),
    (lambda: tf.nn.conv2d_transpose(X, W, [1, 9, 9, 2], 2), INVALID, "result"),
    (lambda: tf.nn.conv2d_transpose(X, W, [1, 9, 9], 2), ValueError, "4 entries"),
    (lambda: tf.nn.depthwise_conv2d(X, np.ones((2, 2, 3, 1)), 1, "SAME"), INVALID, "3"),
    (lambda: tf.nn.convolution(np.ones((2, 2)), np.ones((2, 2))), ValueError, "1 to 3"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_arguments_are_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
