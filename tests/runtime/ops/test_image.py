"""Images: NumPy's own ways to turn, cut and resize, and colours by their definitions."""

import colorsys
import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime import errors

image = tf.image
RNG = np.random.default_rng(4)
X = RNG.random((2, 5, 6, 3)).astype("f")
U = RNG.integers(0, 256, (2, 5, 6, 3)).astype("u1")


def cubic(x: float, b: float, c: float) -> float:
    """Mitchell and Netravali's kernels, from their paper."""
    if x < 1:
        return ((12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + 6 - 2 * b) / 6
    return (
        (-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x + 8 * b + 24 * c
    ) / 6


def sinc(x: float) -> float:
    return math.sin(math.pi * x) / (math.pi * x) if x else 1.0


KERNELS: dict[str, tuple[Any, float]] = {
    "bilinear": (lambda x: 1 - x, 1),
    "bicubic": (lambda x: cubic(x, 0, 0.5), 2),
    "lanczos3": (lambda x: sinc(x) * sinc(x / 3), 3),
    "lanczos5": (lambda x: sinc(x) * sinc(x / 5), 5),
    "gaussian": (lambda x: math.exp(-2 * x * x), 1.5),
    "mitchellcubic": (lambda x: cubic(x, 1 / 3, 1 / 3), 2),
}


def matrix(method: str, antialias: bool, size: int, result: int) -> Any:
    """How each element of the result depends on each of the image, one by one."""
    scale = size / result
    made = np.zeros((result, size))
    for i, j in np.ndindex(result, size):
        if method == "nearest":
            made[i, j] = j == min(int((i + 0.5) * scale), size - 1)
        elif method == "area":
            made[i, j] = max(0, min(j + 1, (i + 1) * scale) - max(j, i * scale))
        else:
            kernel, radius = KERNELS[method]
            stretch = max(scale, 1) if antialias else 1
            distance = abs(j + 0.5 - (i + 0.5) * scale) / stretch
            made[i, j] = kernel(distance) if distance < radius else 0
    return made / made.sum(1, keepdims=True)


SIZES = [(3, 4), (10, 12), (5, 6), (7, 2), (1, 1)]
METHODS = [*KERNELS, "nearest", "area"]


@pytest.mark.parametrize(("method", "antialias"), list(product(METHODS, [False, True])))
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_resize_is_a_product_with_two_matrices(method: str, antialias: bool, size: Any) -> None:
    made = image.resize(X, size, method, antialias=antialias)
    widened = antialias and method in KERNELS
    rows, columns = (matrix(method, widened, n, m) for n, m in zip((5, 6), size, strict=True))
    expected = np.einsum("ih,jw,nhwc->nijc", rows, columns, X)
    np.testing.assert_allclose(made.numpy(), expected, atol=2e-6)
    one = image.resize(X[0], size, method, antialias=antialias)
    assert np.array_equal(one.numpy(), made.numpy()[0])


@pytest.mark.parametrize("channels", [1, 2, 3])
@pytest.mark.parametrize("size", [(1, 1), (2, 90), (90, 2), (3, 1), (300, 2)], ids=str)
@pytest.mark.parametrize(("method", "antialias"), [("area", False), ("lanczos3", True)])
def test_resize_by_much(method: str, antialias: bool, size: Any, channels: int) -> None:
    x = RNG.random((2, 80, 70, channels)).astype("f")
    rows = matrix(method, antialias, 80, size[0])
    columns = matrix(method, antialias, 70, size[1])
    for kind in (np.float32, np.float64):
        given = x if kind is np.float32 else x.astype(np.float64)
        made = image.resize(given, size, method, antialias=antialias).numpy()
        wanted = np.einsum("hi,wj,bijc->bhwc", rows, columns, x.astype("d"))
        np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("bad", [np.inf, np.nan])
@pytest.mark.parametrize("channels", [1, 3])
def test_what_is_not_finite_stays_where_it_is(bad: float, channels: int) -> None:
    x = np.ones((1, 96, 96, channels), np.float32)
    x[0, 0, 0, 0] = bad
    made = image.resize(x, (2, 2), "area").numpy()
    assert np.array_equal(np.isfinite(made[0, ..., 0]), [[False, True], [True, True]])
    assert np.isfinite(made[..., 1:]).all()
    y = tf.constant(np.ones((1, 2, 2, channels), np.float32))
    with tf.GradientTape() as tape:
        tape.watch(y)
        large = image.resize(y, (96, 96))
    gradient = tape.gradient(large, y, x).numpy()
    assert np.array_equal(np.isfinite(gradient[0, ..., 0]), [[False, True], [True, True]])


def test_resize_chooses_dtypes() -> None:
    assert image.resize(U, [3, 3]).dtype == "float32"
    assert image.resize(U, [3, 3], "nearest").dtype == "uint8"
    assert image.resize(X.astype("f8"), [3, 3], image.ResizeMethod.AREA).dtype == "float32"
    assert image.resize(X, [3, 3], "nearest").dtype == "float32"


def test_resize_keeps_proportions() -> None:
    assert image.resize(X, [10, 20], preserve_aspect_ratio=True).shape == (2, 10, 12, 3)
    assert image.resize(X, [3, 3], preserve_aspect_ratio=True).shape == (2, 2, 3, 3)
    made = image.resize_with_pad(X, 8, 8).numpy()
    assert made.shape == (2, 8, 8, 3)
    assert np.array_equal(made[:, :6], image.resize(X, [6, 8]).numpy())
    assert not made[:, 6:].any()


@pytest.mark.parametrize("method", ["bilinear", "nearest", "area", "bicubic", "lanczos3"])
def test_resizing_to_sizes_of_the_run(method: str) -> None:
    @tf.function(
        input_signature=[tf.TensorSpec((None, None, None, 3)), tf.TensorSpec((2,), "int32")]
    )
    def both(x: Any, size: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = image.resize(x, size, method)
        return y, tape.gradient(y, x), image.resize_with_pad(x, size[0], size[1], method)

    x = tf.constant(X)
    made, gradient, padded = both(x, tf.constant([7, 4]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = image.resize(x, [7, 4], method)
    np.testing.assert_array_equal(made.numpy(), y.numpy())
    np.testing.assert_array_equal(gradient.numpy(), tape.gradient(y, x).numpy())
    np.testing.assert_array_equal(padded.numpy(), image.resize_with_pad(x, 7, 4, method).numpy())


@pytest.mark.parametrize("shape", [None, (None, None, None, 3), (5, 6, 3), (4, 4, 1)])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_turns_of_the_run(shape: Any, dtype: str) -> None:
    rank = 4 if shape is None else len(shape)
    picture = X[0, : shape[0], : shape[1], : shape[2]] if rank == 3 else X
    images = tf.TensorSpec((None,) * rank if shape is None else shape)

    @tf.function(input_signature=[images, tf.TensorSpec((), dtype)])
    def turned(x: Any, k: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = image.rot90(x, k)
            order = tf.cast(tf.range(tf.size(y)), y.dtype)
            loss = tf.reduce_sum(y * tf.reshape(order, tf.shape(y)))
        return y, tape.gradient(loss, x)

    static = turned.get_concrete_function().structured_outputs[0].shape
    assert static.rank == rank
    assert shape is None or static[-1] == shape[-1]
    assert shape != (4, 4, 1) or static == shape
    for k in range(0 if dtype == "uint8" else -3, 6):
        made, gradient = turned(tf.constant(picture), tf.constant(k, dtype))
        expected = np.rot90(picture, k, (-3, -2))
        np.testing.assert_array_equal(made.numpy(), expected)
        order = np.arange(picture.size).reshape(expected.shape)
        np.testing.assert_array_equal(gradient.numpy(), np.rot90(order, -k, (-3, -2)))


# call, what NumPy says
SAME: list[tuple[Any, Any]] = [
    (lambda: image.flip_left_right(X), X[:, :, ::-1]),
    (lambda: image.flip_up_down(X[0]), X[0, ::-1]),
    (lambda: image.transpose(X), X.swapaxes(1, 2)),
    (lambda: image.transpose(X[0]), X[0].swapaxes(0, 1)),
    (lambda: image.rot90(X), np.rot90(X, 1, (1, 2))),
    (lambda: image.rot90(X, 2), np.rot90(X, 2, (1, 2))),
    (lambda: image.rot90(X[0], 3), np.rot90(X[0], 3)),
    (lambda: image.rot90(X, -1), np.rot90(X, -1, (1, 2))),
    (lambda: image.rot90(X, 4), X),
    (lambda: image.crop_to_bounding_box(X, 1, 2, 3, 4), X[:, 1:4, 2:6]),
    (lambda: image.crop_to_bounding_box(X[0], 0, 0, 5, 1), X[0, :5, :1]),
    (lambda: image.pad_to_bounding_box(X, 1, 2, 8, 9), np.pad(X, [(0, 0), (1, 2), (2, 1), (0, 0)])),
    (lambda: image.central_crop(X, 0.5), X[:, 1:4, 1:5]),
    (lambda: image.central_crop(X[0], 1), X[0]),
    (
        lambda: image.resize_with_crop_or_pad(X, 3, 8),
        np.pad(X[:, 1:4], [(0, 0), (0, 0), (1, 1), (0, 0)]),
    ),
    (
        lambda: image.resize_with_crop_or_pad(X[0], 8, 3),
        np.pad(X[0, :, 1:4], [(1, 2), (0, 0), (0, 0)]),
    ),
    (lambda: image.grayscale_to_rgb(X[..., :1]), X[..., [0, 0, 0]]),
    (lambda: image.image_gradients(X)[0], np.diff(X, axis=1, append=X[:, -1:])),
    (lambda: image.image_gradients(X)[1], np.diff(X, axis=2, append=X[:, :, -1:])),
    (
        lambda: image.total_variation(X),
        np.abs(np.diff(X, axis=1)).sum((1, 2, 3)) + np.abs(np.diff(X, axis=2)).sum((1, 2, 3)),
    ),
    (lambda: image.psnr(X, X * 0.9, 1.0), -10 * np.log10(np.mean((X * 0.1) ** 2, (1, 2, 3)))),
    (
        lambda: image.psnr(U, U // 2, 255),
        10 * np.log10(255**2 / np.mean((U - U // 2.0) ** 2, (1, 2, 3))).astype("f"),
    ),
    (lambda: image.rgb_to_grayscale(X), X @ np.array([[0.2989], [0.587], [0.114]], "f")),
    (lambda: image.adjust_brightness(X, 0.1), X + np.float32(0.1)),
    (lambda: image.adjust_gamma(X, 2, 3), 3 * X**2),
    (
        lambda: image.adjust_contrast(X, 2.0),
        (X - X.mean((1, 2), keepdims=True)) * 2 + X.mean((1, 2), keepdims=True),
    ),
    (
        lambda: image.per_image_standardization(X),
        (X - X.mean((1, 2, 3), keepdims=True)) / X.std((1, 2, 3), keepdims=True),
    ),
    (lambda: image.per_image_standardization(X * 0 + 7), X * 0),
    (lambda: image.convert_image_dtype(U, "float32"), U / np.float32(255)),
    (lambda: image.convert_image_dtype(X, "uint8"), (X * 255.5).astype("u1")),
    (
        lambda: image.convert_image_dtype(X * 3 - 1, "uint8", True),
        np.clip((X * 3 - 1) * 255.5, 0, 255).astype("u1"),
    ),
    (lambda: image.convert_image_dtype(U, "int16"), U.astype("i2") * 128),
    (lambda: image.convert_image_dtype(U.astype("u2") * 257, "uint8"), U),
    (lambda: image.convert_image_dtype(X, "float64"), X.astype("f8")),
    (
        lambda: image.adjust_brightness(U, 0.1),
        (np.minimum(U / 255 + 0.1, 1) * 255.5).clip(0, 255).astype("u1"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), SAME, ids=[str(i) for i in range(len(SAME))])
def test_as_numpy_says(call: Any, expected: Any) -> None:
    made = call().numpy()
    assert made.dtype == expected.dtype
    np.testing.assert_allclose(made, expected, rtol=2e-5, atol=2e-6)


def each_pixel(function: Any, x: Any) -> Any:
    return np.apply_along_axis(lambda pixel: function(*pixel), -1, x.astype("f8"))


def test_brightness_and_differences_of_colour() -> None:
    """Grey has no colour, the ways back are inverses, and the brightness is that of `colorsys`."""
    ways = [(image.rgb_to_yuv, image.yuv_to_rgb), (image.rgb_to_yiq, image.yiq_to_rgb)]
    brightness = each_pixel(colorsys.rgb_to_yiq, X)[..., 0]
    for there, back in ways:
        made = there(X).numpy()
        np.testing.assert_allclose(made[..., 0], brightness, atol=5e-3)
        np.testing.assert_allclose(back(made), X, atol=1e-3)
        np.testing.assert_allclose(there(np.ones([1, 1, 3]))[0, 0], [1, 0, 0], atol=1e-3)
        with pytest.raises(tf.errors.InvalidArgumentError, match="three channels"):
            there(X[..., :2])
    blue = image.rgb_to_yuv([[[0.0, 0.0, 1.0]]]).numpy().ravel()
    np.testing.assert_allclose(blue, [0.114, 0.436, -0.1], atol=1e-4)


def test_colours_as_python_has_them() -> None:
    np.testing.assert_allclose(
        image.rgb_to_hsv(X).numpy(), each_pixel(colorsys.rgb_to_hsv, X), atol=1e-5
    )
    np.testing.assert_allclose(
        image.hsv_to_rgb(X).numpy(), each_pixel(colorsys.hsv_to_rgb, X), atol=1e-5
    )
    gray = np.full((1, 1, 3), 0.5, "f")
    assert image.rgb_to_hsv(gray).numpy().ravel().tolist() == [0, 0, 0.5]
    black = image.rgb_to_hsv(gray * 0).numpy()
    assert not black.any()


@pytest.mark.parametrize(("delta", "factor"), [(0.3, 0.5), (-0.9, 3.0)])
def test_hue_and_saturation(delta: float, factor: float) -> None:
    def turned(r: float, g: float, b: float) -> Any:
        h, s, v = colorsys.rgb_to_hsv(r, g, b)
        return colorsys.hsv_to_rgb((h + delta) % 1, s, v)

    def saturated(r: float, g: float, b: float) -> Any:
        h, s, v = colorsys.rgb_to_hsv(r, g, b)
        return colorsys.hsv_to_rgb(h, min(1, s * factor), v)

    np.testing.assert_allclose(image.adjust_hue(X, delta).numpy(), each_pixel(turned, X), atol=1e-5)
    found = image.adjust_saturation(X, factor).numpy()
    np.testing.assert_allclose(found, each_pixel(saturated, X), atol=1e-5)
    assert image.adjust_hue(U, delta).dtype == image.adjust_saturation(U, factor).dtype == "uint8"


def test_hue_and_saturation_of_integers() -> None:
    whole = tf.constant([[[1, 2, 3], [10, 11, 12]]])
    assert image.adjust_hue(whole, 0.2).numpy().tolist() == [[[2, 1, 3], [11, 10, 12]]]
    assert image.adjust_saturation(whole, 1.0).numpy().tolist() == whole.numpy().tolist()


@pytest.fixture
def seeded() -> Any:
    tf.random.set_seed(8)
    yield
    tf.random.set_seed(None)


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize(
    ("flip", "stateless", "turned"),
    [
        (image.random_flip_left_right, image.stateless_random_flip_left_right, X[0][:, ::-1]),
        (image.random_flip_up_down, image.stateless_random_flip_up_down, X[0][::-1]),
    ],
)
def test_random_flips(flip: Any, stateless: Any, turned: Any) -> None:
    batch = np.repeat(X[:1], 400, 0)
    for made in (flip(batch).numpy(), stateless(batch, [1, 2]).numpy()):
        flipped = np.all(made == turned, (1, 2, 3))
        assert np.all(flipped | np.all(made == X[0], (1, 2, 3)))
        assert abs(flipped.sum() - 200) < 50
    assert flip(X[0]).shape == X[0].shape


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("stateless", [False, True])
def test_random_crops(stateless: bool) -> None:
    x = np.arange(30).reshape(5, 6, 1)
    corners = set()
    for n in range(100):
        made = (
            image.stateless_random_crop(x, [2, 3, 1], [n, 1])
            if stateless
            else image.random_crop(x, [2, 3, 1])
        )
        i, j = divmod(int(made.numpy()[0, 0, 0]), 6)
        corners.add((i, j))
        assert np.array_equal(made.numpy(), x[i : i + 2, j : j + 3])
    assert corners == set(product(range(4), range(4)))


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize(
    ("draw", "low", "high"),
    [
        (lambda: image.random_brightness(X, 0.2).numpy() - X, -0.2, 0.2),
        (lambda: image.stateless_random_brightness(X, 0.2, [1, 2]).numpy() - X, -0.2, 0.2),
        (lambda: image.random_contrast(X, 0.5, 2).numpy().std((1, 2)) / X.std((1, 2)), 0.5, 2),
        (
            lambda: (
                image.stateless_random_contrast(X, 0.5, 2, [1, 2]).numpy().std((1, 2))
                / X.std((1, 2))
            ),
            0.5,
            2,
        ),
    ],
)
def test_random_adjustments(draw: Any, low: float, high: float) -> None:
    found = draw()
    np.testing.assert_allclose(found, found.flat[0], atol=1e-4)
    assert low - 1e-4 <= found.flat[0] <= high + 1e-4


def test_stateless_colours_are_those_of_their_draws() -> None:
    delta = tf.random.stateless_uniform([], [3, 4], -0.3, 0.3)
    factor = tf.random.stateless_uniform([], [3, 4], 0.5, 1.5)
    for made, expected in (
        (image.stateless_random_hue(X, 0.3, [3, 4]), image.adjust_hue(X, delta)),
        (
            image.stateless_random_saturation(X, 0.5, 1.5, [3, 4]),
            image.adjust_saturation(X, factor),
        ),
    ):
        np.testing.assert_array_equal(made.numpy(), expected.numpy())


@pytest.mark.usefixtures("seeded")
def test_random_colours_keep_the_brightness() -> None:
    for made in (
        image.random_hue(X, 0.3),
        image.random_saturation(X, 0.5, 0.9),
        image.stateless_random_hue(X, 0.3, [1, 2]),
        image.stateless_random_saturation(X, 0.5, 0.9, [1, 2]),
    ):
        np.testing.assert_allclose(made.numpy().max(-1), X.max(-1), atol=1e-5)
        assert not np.array_equal(made.numpy(), X)


def test_boxes_of_the_run() -> None:
    @tf.function(input_signature=[tf.TensorSpec((None, None, 3)), tf.TensorSpec((), "int32")])
    def parts(x: Any, n: Any) -> Any:
        return (
            image.central_crop(x, 0.5),
            image.resize_with_crop_or_pad(x, n, 8),
            image.crop_to_bounding_box(x, 1, n, 2, 2),
            image.pad_to_bounding_box(x, n, 1, 9, 9),
            image.random_crop(x, [2, 2, 3]),
        )

    made = parts(tf.constant(X[0]), tf.constant(3))
    assert np.array_equal(made[0].numpy(), X[0, 1:4, 1:5])
    assert np.array_equal(made[1].numpy(), image.resize_with_crop_or_pad(X[0], 3, 8).numpy())
    assert np.array_equal(made[2].numpy(), X[0, 1:3, 3:5])
    assert np.array_equal(made[3].numpy(), image.pad_to_bounding_box(X[0], 3, 1, 9, 9).numpy())
    assert made[4].shape == (2, 2, 3)


INVALID = errors.InvalidArgumentError
BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda: image.resize(X, [3]), ValueError, "two elements"),
    (lambda: image.resize(X, [0, 3]), INVALID, "positive"),
    (lambda: image.resize(X[:, :0], [3, 3]), INVALID, "empty"),
    (lambda: image.resize(X, [3, 3], "foo"), ValueError, "'foo'"),
    (lambda: image.resize(X[0, 0], [3, 3]), ValueError, "3 or 4"),
    (lambda: image.crop_to_bounding_box(X, 1, 2, 5, 4), ValueError, "does not fit"),
    (lambda: image.crop_to_bounding_box(X, -1, 2, 3, 4), ValueError, "does not fit"),
    (lambda: image.crop_to_bounding_box(X, 1, 2, 0, 4), ValueError, "does not fit"),
    (lambda: image.pad_to_bounding_box(X, 1, 2, 5, 9), ValueError, "does not fit"),
    (lambda: image.resize_with_pad(X, 0, 3), ValueError, "empty"),
    (lambda: image.resize(X[:, :0], [3, 3], preserve_aspect_ratio=True), ValueError, "empty"),
    (lambda: image.central_crop(X, 0), ValueError, r"\(0, 1\]"),
    (lambda: image.resize_with_crop_or_pad(X, 0, 3), ValueError, "positive"),
    (lambda: image.convert_image_dtype(X > 0, "float32"), TypeError, "bool"),
    (lambda: image.convert_image_dtype(X, "string"), TypeError, "string"),
    (lambda: image.rgb_to_grayscale(X[..., :1]), ValueError, "three channels"),
    (lambda: image.grayscale_to_rgb(X), ValueError, "one channel"),
    (lambda: image.adjust_gamma(X, -1), ValueError, "non-negative"),
    (lambda: image.random_brightness(X, -1.0), ValueError, "non-negative"),
    (lambda: image.random_contrast(X, 2.0, 1.0), ValueError, "above"),
    (lambda: image.random_crop(X, [1, 9, 1, 1]), ValueError, "Need value.shape"),
    (lambda: image.random_crop(X, [1, 2]), ValueError, "one entry"),
    (lambda: image.image_gradients(X[0]), ValueError, "rank 4"),
]


@pytest.mark.parametrize(("call", "error", "words"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_arguments_are_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    "call", [image.rgb_to_grayscale, image.rgb_to_hsv, image.rgb_to_yuv, image.hsv_to_rgb]
)
def test_images_of_unknown_rank_have_colours(call: Any) -> None:
    x = np.abs(X[..., :3])
    for shape in (None, [None] * 4):
        found = tf.function(call, input_signature=[tf.TensorSpec(shape, x.dtype)])(x)
        assert np.array_equal(found, call(x))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: image.resize_with_crop_or_pad(x, 4, 5),
        lambda x: image.pad_to_bounding_box(x, 0, 1, 4, 5),
        lambda x: image.resize_with_pad(x, 4, 5),
    ],
)
def test_target_sizes_are_known_while_tracing(call: Any) -> None:
    shapes = []

    @tf.function(input_signature=[tf.TensorSpec([None, None, None, 3])])
    def traced(x: Any) -> Any:
        shapes.append(call(x).shape)
        return call(x)

    x = np.ones((2, 3, 3, 3), "f")
    assert np.array_equal(traced(x), call(x))
    assert shapes[0].as_list() == [None, 4, 5, 3]
