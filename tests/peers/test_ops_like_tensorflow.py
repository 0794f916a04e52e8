"""The same calls on TensorFlow: results and gradients agree, dtypes and shapes are equal.

What it computes wrongly stays out: gradients of empty results, and pooling over three axes with
strides larger than the window.
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

RNG = np.random.default_rng(6)


def numbers(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype("f")


X, W = numbers(2, 7, 6, 4), numbers(3, 2, 4, 3)
PADDED = [[0, 0], [1, 2], [0, 1], [0, 0]]
U = RNG.integers(0, 256, (5, 6, 3)).astype("u1")
RGB = RNG.random((2, 5, 6, 3)).astype("f")

WIDE = np.float32([[0, 20, 200, 380], [-9, 3, -1000, 5]])
COUNTS = np.array([[1, 1, 2], [2, 0, 5]])
BYTES = {dtype: np.array([[100, 27], [3, 127]], dtype) for dtype in ("int8", "uint8")}
CONTROLS = "replace", 63, True
MIXED = b"\0A\0\n\xd8\0\0B"
EXTREMES = np.finfo("f").max * np.float32([-1, -0.5, 0, 0, 0.25, 0.75, 1])

RESIZED = ("bilinear", "nearest", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")
# call, float32 arguments that it is differentiated by
CALLS: list[tuple[Any, tuple[Any, ...]]] = [
    *[
        (lambda tf, x, w, s=s, p=p: tf.nn.conv2d(x, w, s, p), (X, W))
        for s in (1, 2, [1, 2, 3, 1])
        for p in ("SAME", "VALID", PADDED)
    ],
    (lambda tf, x, w: tf.nn.conv2d_transpose(x, w, [2, 14, 12, 3], 2), (X, numbers(3, 3, 3, 4))),
    (lambda tf, x, w: tf.nn.conv1d(x, w, 2, "SAME"), (numbers(2, 9, 3), numbers(4, 3, 2))),
    (
        lambda tf, x, w: tf.nn.conv3d(x, w, [1] * 5, "SAME"),
        (numbers(1, 3, 4, 5, 2), numbers(2, 2, 3, 2, 1)),
    ),
    (lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "SAME"), (X, numbers(3, 3, 4, 2))),
    *[
        (lambda tf, x, k=k, p=p, f=f: getattr(tf.nn, f)(x, k, 2, p), (X,))
        for f in ("max_pool2d", "avg_pool2d")
        for k in (1, 2, 3)
        for p in ("SAME", "VALID")
    ],
    (lambda tf, x: tf.clip_by_value(x, -0.5, 0.5), (X,)),
    (lambda tf, x: tf.clip_by_norm(x, 1.0, axes=[1, 2]), (X,)),
    (lambda tf, x, w: tf.clip_by_global_norm([x, w], 1.0)[0], (X, W)),
    (lambda tf, x: tf.nn.local_response_normalization(x, 2, 1.0, 0.5, 0.7), (X,)),
    *[
        (lambda tf, x, m=m, a=a: tf.image.resize(x, [3, 9], m, antialias=a), ())
        for m in RESIZED
        for a in (False, True)
    ],
    (lambda tf, x: tf.image.resize(x, [8, 4]), (RGB,)),
    (lambda tf, x: tf.image.resize_with_pad(x, 8, 8), ()),
    (lambda tf, x: tf.image.central_crop(x, 0.6), ()),
    (lambda tf, x: tf.image.adjust_hue(x, 0.2), ()),
    (lambda tf, x: tf.image.adjust_saturation(x, 2.0), ()),
    (lambda tf, x: tf.image.adjust_contrast(x, 2.0), ()),
    (lambda tf, x: tf.image.per_image_standardization(x), ()),
    (lambda tf, x: tf.image.adjust_brightness(U, 0.2), ()),
    *[
        (lambda tf, x, d=d: tf.image.convert_image_dtype(U, d), ())
        for d in ("uint16", "int8", "int32", "float16", "float32")
    ],
    (lambda tf, x: tf.strings.reduce_join([["a", "b"], ["c", "d"]], [0, 1]), ()),
    (lambda tf, x: tf.strings.as_string([0.1, 1e10], shortest=True), ()),
    (lambda tf, x: tf.strings.format("{}", tf.reshape(tf.range(100), [10, 10])), ()),
    (lambda tf, x: tf.strings.regex_replace("héllo", "(.)l", r"<\1>"), ()),
    *[
        (lambda tf, x, e=e, r=r: tf.math.cumulative_logsumexp(x, 1, e, r)[:, 1:-1], (WIDE,))
        for e in (False, True)
        for r in (False, True)
    ],
    (lambda tf, x, y: tf.math.nextafter(x, y), (X, X[::-1])),
    (lambda tf, x, w: tf.nn.weighted_moments(x, [0, 1], w)[1], (X[0], np.ones_like(X[0]))),
    (lambda tf, x, w: tf.nn.weighted_moments(x, [0, 1], w)[1], (X[0], np.zeros_like(X[0]))),
    (lambda tf, x: tf.nn.embedding_lookup([X], [[1, 0]], max_norm=2.0), ()),
    (lambda tf, x, b: tf.nn.bias_add(x, b), (X, numbers(4))),
    (lambda tf, x, b: tf.nn.bias_add(x, b, "NCHW"), (X, numbers(7))),
    *[
        (lambda tf, x, k=k: tf.math.bincount(COUNTS, weights=COUNTS * 0.5, **k), ())
        for k in ({}, {"axis": -1}, {"axis": -1, "minlength": 9}, {"axis": 0, "maxlength": 2})
    ],
    *[
        (lambda tf, x, a=a, b=b: tf.matmul(BYTES[a], BYTES[b], output_type="int32"), ())
        for a in ("int8", "uint8")
        for b in ("int8", "uint8")
    ],
    *[
        (lambda tf, x, d=d: tf.saturate_cast(np.complex64([300 + 5j, -1e30j, 0.7]), d), ())
        for d in ("int8", "uint8", "float16", "float32", "complex128")
    ],
    *[
        (lambda tf, x, m=m: tf.linalg.slogdet(np.float32([m, [[1, 2], [3, 5]]])), ())
        for m in ([[0, np.nan], [0, 1]], [[1, 2], [3, np.nan]], [[0, np.inf], [0, 1]])
    ],
    (lambda tf, x: tf.histogram_fixed_width(EXTREMES, [EXTREMES.min(), EXTREMES.max()], 5), ()),
    (lambda tf, x: tf.histogram_fixed_width(X, [-1.0, 1.0], 7), ()),
    (lambda tf, x: tf.math.squared_difference([1 + 2j], [3 - 1j]), ()),
    *[
        (lambda tf, x, e=e: tf.strings.unicode_transcode(MIXED, e, "UTF-8", *CONTROLS), ())
        for e in ("UTF-16", "UTF-16-LE", "UTF-32", "UTF-8")
    ],
]  # fmt: skip


def outcome(tf: Any, call: Any, arguments: tuple[Any, ...]) -> list[Any]:
    tensors = [tf.constant(a) for a in arguments]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        made = call(tf, *(tensors or [tf.constant(RGB)]))
        parts = list(made) if isinstance(made, list | tuple) else [made]
        total = sum([tf.reduce_sum(part * part) for part in parts]) if tensors else None
    gradients = tape.gradient(total, tensors) if tensors else []
    return [tensor.numpy() for tensor in (*parts, *gradients)]


@pytest.mark.parametrize(("call", "arguments"), CALLS, ids=[str(i) for i in range(len(CALLS))])
def test_results_and_gradients_agree(call: Any, arguments: tuple[Any, ...]) -> None:
    own, theirs = (outcome(tf, call, arguments) for tf in (runtime, tensorflow))
    for a, b in zip(own, theirs, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if a.dtype.kind == "f":
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)
        else:
            assert np.array_equal(a, b)
