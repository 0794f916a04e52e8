"""Programs on TensorFlow: results and gradients agree, dtypes and shapes are equal.

Each is an expression of `tf` and its arguments `x`, `y`, ... Each runs eagerly, in a function, and
in a function that knows no shape.
"""

import warnings
from typing import Any

import numpy as np
import pytest

import runtime

pytestmark = pytest.mark.peers
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import tensorflow

RNG = np.random.default_rng(8)
X = RNG.standard_normal((2, 23))
Z = RNG.standard_normal((2, 6, 5)) + 1j * RNG.standard_normal((2, 6, 5))
IMAGES = RNG.standard_normal((2, 7, 6, 4))
MATRICES = RNG.standard_normal((2, 3, 3)) + 3 * np.eye(3)
FRAMES = RNG.standard_normal((7, 3, 5)).astype("f")
PLAIN = IMAGES.astype("f")
BOXES = np.float32([[0.1, 0.2, 0.7, 0.9], [-0.3, 0.1, 0.5, 1.2], [0.8, 0.6, 0.1, 0.0]])
CORNERS = (RNG.uniform(size=(40, 4)) + np.array([0, 0, 0.3, 0.3])).astype("f")
SCORES = RNG.uniform(size=40).astype("f")
RGB = RNG.uniform(size=(2, 13, 12, 3)).astype("f")
BYTES = RNG.integers(0, 256, (2, 13, 12, 3)).astype("u1")
STATIC = "sobel_edges"  # needs to know the channels, as TensorFlow does

# Gradients are ours alone where TensorFlow has none, or one of the wrong shape: where the transform
# cuts its input, and of three-dimensional ones of real numbers,
# of factors of matrices, and of boxes where the nearest pixel is taken (there as if it were not),
# and of labels that are the class of the blank, whose loss has another slope there.
OURS = (
    "[0, 2, 1], [2, 0, 0]]), x, [3, 2, 0], [6, 4, 5], blank_index=0)",
    "irfft(x, [4])",
    "irfft3d(x)",
    "rfft(x, [8])",
    "irfft2d(x, [4, 9])",
    "rfft3d(x)",
)
PROGRAMS: list[tuple[str, list[Any]]] = [
    *[
        (f"tf.signal.{call}", [Z])
        for call in (
            "fft(x)", "ifft(x)", "fft2d(x)", "ifft2d(x)", "fft3d(x)", "ifft3d(x)", "irfft(x)",
            "irfft2d(x)", "irfft3d(x)", "irfft(x, [4])", "irfft(x, [12])", "irfft2d(x, [4, 9])",
            "fftshift(x)", "ifftshift(x, [1, 2])", "inverse_stft(x, 8, 3)", "inverse_stft(x, 7, 2)",
            "inverse_stft(x, 8, 2, window_fn=tf.signal.inverse_stft_window_fn(2))",
            "inverse_stft(x, 10, 3)", "fft(tf.cast(x, tf.complex64))",
        )
    ],
    *[
        (f"tf.signal.{call}", [x])
        for x in (X, X.astype("f"))
        for call in (
            "rfft(x)", "rfft(x, [8])", "rfft(x, [40])", "rfft2d(x)", "rfft3d(x[None])",
            "frame(x, 5, 3)",
            "frame(x, 5, 3, pad_end=True)", "frame(x, 30, 3)", "frame(x, 1, 2, axis=0)",
            "overlap_and_add(x, 3)", "dct(x)", "dct(x, 1)", "dct(x, 3)", "dct(x, 4)",
            "dct(x, norm='ortho')", "dct(x, 3, norm='ortho')", "dct(x, 4, norm='ortho')",
            "dct(x, n=9)", "dct(x, n=30)", "idct(x)", "idct(x, 1)", "idct(x, 3)",
            "idct(x, 4, norm='ortho')", "mdct(x, 8)", "mdct(x, 8, norm='ortho')",
            "mdct(x, 8, window_fn=None, pad_end=True)", "inverse_mdct(x[:, :22])",
            "inverse_mdct(x[:, :22], norm='ortho')", "inverse_mdct(x[:, :22], window_fn=None)",
            "stft(x, 8, 3)", "stft(x, 5, 2, pad_end=True)", "stft(x, 5, 2, window_fn=None)",
            "stft(x, 5, 3, fft_length=6)", "mfccs_from_log_mel_spectrograms(x)",
        )
    ],
    *[
        (f"tf.signal.{call}", [])
        for call in (
            "hann_window(7)", "hann_window(8)", "hann_window(8, False)", "hann_window(1)",
            "hamming_window(5)", "hamming_window(6)", "kaiser_window(7)", "kaiser_window(8, 4.)",
            "kaiser_bessel_derived_window(8)", "vorbis_window(8, tf.float64)",
            "linear_to_mel_weight_matrix()", "inverse_stft_window_fn(3)(8, tf.float32)",
            "linear_to_mel_weight_matrix(10, 65, 16000, 80., 7600.)",
        )
    ],
    *[
        (f"tf.image.crop_and_resize(x, y, [0, 1, 1], {size}, {method!r}, 0.5)", [PLAIN, BOXES])
        for size in ([3, 5], [1, 1], [9, 2])
        for method in ("bilinear", "nearest")
    ],
    *[
        (f"tf.image.non_max_suppression(x, y, {n}, {t}, {s})", [CORNERS, SCORES])
        for n in (3, 40)
        for t in (0.0, 0.3, 0.9)
        for s in (-9.0, 0.4)
    ],
    *[
        (f"tf.image.ssim(x, y, 1.0, filter_size={n}, return_index_map={each})", [RGB, RGB**2])
        for n in (3, 11)
        for each in (False, True)
    ],
    ("tf.image.ssim(x, y, 255)", [BYTES, BYTES[::-1]]),
    *[
        (f"tf.image.ssim_multiscale(x, y, 1.0, {powers}, filter_size=3)", [RGB, RGB**2])
        for powers in ((1.0,), (0.4, 0.6))
    ],
    *[
        (f"tf.linalg.{call}", [MATRICES])
        for call in (
            "lu(x)", "lu(x, tf.int64)[1]", "lu_reconstruct(*tf.linalg.lu(x))", "sqrtm(x)",
            "lu_solve(*tf.linalg.lu(x), x)", "lu_matrix_inverse(*tf.linalg.lu(x))",
            "lu(tf.cast(x, tf.complex128))[0]", "sqrtm(tf.cast(x, tf.complex128))",
        )
    ],
    *[
        (f"tf.nn.ctc_loss(np.int32({labels}), x, [3, 2, 0], [6, 4, 5], blank_index={blank})",
         [FRAMES])
        # The second ones hold the class of the blank, which is a class as any other.
        for labels in ([[1, 2, 2], [3, 1, 0], [2, 0, 0]], [[1, 0, 2], [0, 2, 1], [2, 0, 0]])
        for blank in (0, 2)
    ],
    (
        "tf.nn.ctc_loss(np.int32([[1, 2, 2], [3, 1, 0], [2, 0, 0]]), tf.transpose(x, [1, 0, 2]), "
        "[3, 2, 1], [6, 4, 5], logits_time_major=False, blank_index=-1)", [FRAMES],
    ),
    *[
        (f"tf.{call}", [IMAGES])
        for call in (
            "nn.space_to_depth(x[:, :6], 2)", "nn.space_to_depth(x[:, :6], 3)",
            "nn.depth_to_space(x, 2)", "image.sobel_edges(x)",
            *[
                f"image.extract_patches(x, {sizes}, {strides}, {rates}, {padding!r})"
                for padding in ("SAME", "VALID")
                for sizes, strides, rates in (
                    ([1, 3, 2, 1], [1, 2, 1, 1], [1, 1, 1, 1]),
                    ([1, 3, 2, 1], [1, 2, 1, 1], [1, 2, 3, 1]),
                    ([1, 3, 3, 1], [1, 5, 4, 1], [1, 1, 1, 1]),
                )
            ],
        )
    ],
]  # fmt: skip


def decoded(found: Any) -> list[Any]:
    """What a decoder found, as a list of tensors."""
    paths, scores = found
    return [part for d in paths for part in (d.indices, d.values, d.dense_shape)] + [scores]


DECODERS = (
    "ctc_greedy_decoder(x, [7, 4, 1])", "ctc_greedy_decoder(x, [7, 4, 1], False)",
    "ctc_greedy_decoder(x, [7, 4, 1], blank_index=1)", "ctc_beam_search_decoder(x, [7, 4, 1])",
    "ctc_beam_search_decoder(x, [7, 7, 3], 200, 3)",
)  # fmt: skip
PROGRAMS += [(f"decoded(tf.nn.{call})", [FRAMES]) for call in DECODERS]


def weighted(tf: Any, y: Any) -> Any:
    """A real number that depends on each element of `y` in another way."""
    if y.dtype.is_complex:
        y = tf.math.real(y * tf.math.conj(y))
    elif not y.dtype.is_floating:
        return tf.zeros([], tf.float64)
    weights = tf.cast(tf.reshape(tf.range(tf.size(y)) % 7 + 1, tf.shape(y)), y.dtype)
    return tf.cast(tf.reduce_sum(y * y * weights), tf.float64)


def outcome(tf: Any, program: str, arguments: list[Any], differentiated: bool) -> list[Any]:
    tensors = [tf.constant(a) for a in arguments]
    with tf.GradientTape() as tape:
        tape.watch([t for t in tensors if t.dtype.is_floating or t.dtype.is_complex])
        parts = tf.nest.flatten(run(tf, program, *tensors))
        total = tf.add_n([weighted(tf, part) for part in parts])
    gradients = tape.gradient(total, tensors) if differentiated and tensors else []
    return [None if tensor is None else tensor.numpy() for tensor in (*parts, *gradients)]


def run(tf: Any, program: str, *tensors: Any) -> Any:
    return eval(
        program,
        {"tf": tf, "np": np, "decoded": decoded, **dict(zip("xyzw", tensors, strict=False))},
    )


def compare(own: Any, theirs: Any, scale: float) -> None:
    if own is None or theirs is None:
        assert own is theirs
        return
    a, b = np.asarray(own), np.asarray(theirs)
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    if a.dtype.kind in "fc":
        narrow = a.dtype.char in "efF"
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=(2e-5 if narrow else 1e-9) * scale)
    else:
        assert np.array_equal(a, b)


@pytest.mark.parametrize(("program", "arguments"), PROGRAMS, ids=[p[0] for p in PROGRAMS])
def test_results_and_gradients_agree(program: str, arguments: list[Any]) -> None:
    differentiated = not (
        program.endswith(OURS)
        or "rfft3d(" in program
        or ".lu(" in program
        or "nearest" in program
        or "decoded" in program
    )
    own, theirs = (outcome(tf, program, arguments, differentiated) for tf in (runtime, tensorflow))
    for a, b in zip(own, theirs, strict=True):
        scale = np.abs(b).max() if b is not None and b.size and b.dtype.kind in "fc" else 1
        compare(a, b, max(scale, 0.1))


@pytest.mark.parametrize(("program", "arguments"), PROGRAMS, ids=[p[0] for p in PROGRAMS])
def test_functions_and_eager_code_agree(program: str, arguments: list[Any]) -> None:
    eager = runtime.nest.flatten(run(runtime, program, *map(runtime.constant, arguments)))

    def staged(*tensors: Any) -> Any:
        return run(runtime, program, *tensors)

    specs = [[None] * np.ndim(a) for a in arguments]
    known = [list(np.shape(a)) for a in arguments]
    is_static = STATIC in program or "inverse(" in program
    for shapes in [known] if not arguments or is_static else [known, specs]:
        signature = [
            runtime.TensorSpec(shape, runtime.constant(a).dtype)
            for shape, a in zip(shapes, arguments, strict=True)
        ]
        function = runtime.function(staged, input_signature=signature)
        for a, b in zip(runtime.nest.flatten(function(*arguments)), eager, strict=True):
            compare(
                a.numpy(),
                b.numpy(),
                1 + np.abs(b.numpy()).max(initial=0) if b.dtype.is_floating else 1,
            )
