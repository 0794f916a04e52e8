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
