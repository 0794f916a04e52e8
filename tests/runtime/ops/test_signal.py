"""Signals and patches against their definitions, written out here, and against NumPy's."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import runtime as tf

RNG = np.random.default_rng(2)
X = RNG.standard_normal((3, 8))
Z = X[:, :5] + 1j * RNG.standard_normal((3, 5))
IMAGES = RNG.standard_normal((2, 6, 6, 4))


@pytest.mark.parametrize("n", [3, 8, 9, 16])
def test_transforms_are_numpys(n: int) -> None:
    assert_allclose(tf.signal.fft(Z), np.fft.fft(Z), rtol=1e-12)
    assert_allclose(tf.signal.ifft2d(Z), np.fft.ifft2(Z), rtol=1e-12)
    assert_allclose(tf.signal.rfft(X, [n]), np.fft.rfft(X, n), rtol=1e-12, atol=1e-14)
    assert_allclose(tf.signal.irfft(Z, [n]), np.fft.irfft(Z, n), rtol=1e-12, atol=1e-14)
    assert_allclose(tf.signal.irfft2d(Z, [2, n]), np.fft.irfft2(Z, (2, n)), atol=1e-14)
    assert tf.signal.rfft(X.astype("f")).dtype == tf.complex64


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 0), (0, 3)])
def test_the_inverse_of_nothing_is_nothing(shape: tuple[int, ...]) -> None:
    z = np.zeros(shape, np.complex64)
    wide = (*shape[:-1], max(0, 2 * (shape[-1] - 1)))
    for found in (tf.signal.irfft(z), tf.function(tf.signal.irfft)(z)):
        assert (found.numpy().shape, found.dtype) == (wide, tf.float32)
    wide = (*shape[:-1], shape[-1] and shape[-1] // 2 + 1)
    for found in (tf.signal.rfft(z.real), tf.function(tf.signal.rfft)(z.real)):
        assert (found.numpy().shape, found.dtype) == (wide, tf.complex64)
    wide = (*shape[:-1], max(0, 2 * (shape[-1] - 1)))
    if len(shape) > 1:
        assert tf.signal.irfft2d(z).numpy().shape == wide


def cosine(kind: int, n: int) -> Any:
    """The matrices of the four cosine transforms, by their definition."""
    k, m = np.arange(n)[:, None], np.arange(n)
    if kind == 1:
        made = 2 * np.cos(np.pi * k * m / (n - 1))
        made[:, [0, -1]] /= 2
    elif kind == 2:
        made = 2 * np.cos(np.pi * k * (m + 0.5) / n)
    elif kind == 3:
        made = 2 * np.cos(np.pi * (k + 0.5) * m / n)
        made[:, 0] /= 2
    else:
        made = 2 * np.cos(np.pi * (k + 0.5) * (m + 0.5) / n)
    return made


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_cosine_transforms_are_their_definition(kind: int) -> None:
    assert_allclose(tf.signal.dct(X, kind), X @ cosine(kind, 8).T, rtol=1e-12, atol=1e-13)
    if kind > 1:
        there = tf.signal.dct(X, kind, norm="ortho")
        assert_allclose(tf.signal.idct(there, kind, norm="ortho"), X, rtol=1e-12)
        assert_allclose(np.linalg.norm(there), np.linalg.norm(X))


def test_a_signal_comes_back_from_its_spectra() -> None:
    x = RNG.standard_normal(64)
    window = tf.signal.inverse_stft_window_fn(4)
    back = tf.signal.inverse_stft(tf.signal.stft(x, 16, 4), 16, 4, window_fn=window)
    assert_allclose(back[16:48], x[16:48], rtol=1e-10)
    lapped = tf.signal.inverse_mdct(tf.signal.mdct(x, 16, norm="ortho"), norm="ortho")
    assert_allclose(lapped[8:56], x[8:56], rtol=1e-6)


@pytest.mark.parametrize(
    ("length", "shape"), [(0, (11, 0)), (1, (10, 1)), (2, (10, 2)), (7, (10, 5)), (100, (10, 65))]
)
def test_spectra_have_as_many_frequencies_as_tensorflows(length: int, shape: Any) -> None:
    assert tf.signal.stft(tf.zeros([1000]), length, 100).shape == shape


def test_frames_are_views_of_the_signal() -> None:
    views = np.lib.stride_tricks.sliding_window_view(X, 3, 1)[:, ::2]
    assert_array_equal(tf.signal.frame(X, 3, 2), views)
    added = np.zeros(9)
    for at, part in enumerate(X[:, :5]):
        added[at * 2 : at * 2 + 5] += part
    assert_allclose(tf.signal.overlap_and_add(X[:, :5], 2), added)


@pytest.mark.parametrize("shape", [None, [None, None, None, None]])
def test_patches_are_cut_out_of_the_image(shape: Any) -> None:
    def patches(x: Any) -> Any:
        return tf.image.extract_patches(x, [1, 3, 2, 1], [1, 2, 1, 1], [1, 1, 2, 1], "VALID")

    run = (
        patches
        if shape is None
        else tf.function(patches, input_signature=[tf.TensorSpec(shape, tf.float64)])
    )
    made = run(tf.constant(IMAGES)).numpy()
    assert made.shape == (2, 2, 4, 24)
    for row, column in np.ndindex(2, 4):
        cut = IMAGES[:, row * 2 : row * 2 + 3, column : column + 3 : 2]
        assert_array_equal(made[:, row, column], cut.reshape(2, -1))


def test_blocks_go_into_channels_and_back() -> None:
    deep = tf.nn.space_to_depth(IMAGES, 3)
    assert_array_equal(deep[:, 1, 0], IMAGES[:, 3:, :3].reshape(2, -1))
    assert_array_equal(tf.nn.depth_to_space(deep, 3), IMAGES)
    first = tf.transpose(IMAGES, [0, 3, 1, 2])
    turned = tf.transpose(tf.nn.space_to_depth(first, 2, "NCHW"), [0, 2, 3, 1])
    assert_array_equal(turned, tf.nn.space_to_depth(IMAGES, 2))
    assert_array_equal(
        tf.nn.depth_to_space(tf.nn.space_to_depth(first, 2, "NCHW"), 2, "NCHW"), first
    )


def test_lists_of_numbers_are_transformed() -> None:
    for call, kind in ((tf.signal.fft, np.fft.fft), (tf.signal.rfft, np.fft.rfft)):
        for values in ([1, 2], [1.0, 2.0]):
            assert call(values).dtype == tf.complex64
            assert_allclose(call(values), kind(values))


@pytest.mark.parametrize(
    ("dtype", "found"), [("f", "F"), ("e", "F"), ("i4", "F"), ("?", "F"), ("d", "D")]
)
def test_arrays_of_real_numbers_are_transformed(dtype: str, found: str) -> None:
    x = np.array([3, 0, 1, 1]).astype(dtype)
    for call, kind in ((tf.signal.fft, np.fft.fft), (tf.signal.rfft, np.fft.rfft)):
        assert np.asarray(call(x)).dtype.char == found
        assert_allclose(call(x), kind(x))
    back = tf.signal.irfft(x)
    assert np.asarray(back).dtype.char == found.lower()
    assert_allclose(back, np.fft.irfft(x.astype("d")), rtol=1e-6)


@pytest.mark.parametrize(
    "call", [lambda x: tf.signal.frame(x, 2, 1), lambda x: tf.signal.stft(x, 4, 2)]
)
def test_gradients_through_frames_are_dense(call: Any) -> None:
    x = tf.ones([8])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.abs(call(x))
    assert tape.gradient(y, x).shape == [8]


def test_another_axis_is_no_wrong_value() -> None:
    for transform in (tf.signal.dct, tf.signal.idct):
        with pytest.raises(NotImplementedError, match="axis must be -1, got 0: transpose"):
            transform(X, axis=0)


REFUSED = [
    (lambda: tf.nn.space_to_depth(IMAGES, 4), "height 6 cannot be divided into parts of 4"),
    (lambda: tf.nn.depth_to_space(IMAGES, 3), "depth 4 cannot be divided into parts of 9"),
    (lambda: tf.nn.depth_to_space(IMAGES, 1), "block_size must be at least 2, got 1"),
    (lambda: tf.nn.depth_to_space(X, 2), r"must have rank 4, got shape \(3, 8\)"),
    (lambda: tf.signal.dct(X, 5), "type must be 1, 2, 3 or 4, got 5"),
    (lambda: tf.signal.dct(X, 1, norm="ortho"), "no orthonormal transform of type 1"),
    (lambda: tf.signal.dct(X, n=-2), "n must be 1 or more, got -2"),
    (lambda: tf.signal.mdct(X, 6), "frame_length must be a multiple of 4, got 6"),
    (lambda: tf.signal.fft2d(Z[0]), r"must have rank 2 at least, got shape \(5,\)"),
    (lambda: tf.signal.irfft(Z, [0]), "fft_length must be positive, got 0"),
    (lambda: tf.signal.rfft(X, [1, 2]), r"fft_length must have 1 elements, got \[1, 2\]"),
    (lambda: tf.signal.rfft(X, [-1]), "fft_length must not be negative"),
    (lambda: tf.signal.frame(X, 2, 0), "frame_step must be positive, got 0"),
    (lambda: tf.signal.linear_to_mel_weight_matrix(upper_edge_hertz=5000.0), "a mel matrix needs"),
    (lambda: tf.image.extract_patches(IMAGES, [2, 2], [1] * 4, [1] * 4, "SAME"), "sizes must be"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_refused_arguments(call: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        call()
    with pytest.raises(ValueError, match=message):
        tf.function(call)()


def test_refused_dtypes() -> None:
    real = tf.constant(X)
    for call in (
        lambda: tf.signal.fft(real), lambda: tf.signal.irfft(real),
        lambda: tf.signal.rfft(tf.cast(real, tf.int32)),
        lambda: tf.signal.rfft(Z), lambda: tf.signal.dct([1]),
    ):  # fmt: skip
        with pytest.raises(tf.errors.WrongDtypeError):
            call()
