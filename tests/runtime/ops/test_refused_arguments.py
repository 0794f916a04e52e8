"""Arguments that TensorFlow refuses too: eagerly, in graphs, and where only the run knows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf

IMAGE = np.linspace(0, 1, 18, dtype="f").reshape(2, 3, 3)
MATRIX, VECTOR = np.ones((2, 3), "f"), np.ones(3, "f")

# a call and its tensors
REFUSED: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "bias, too short": (tf.nn.bias_add, (MATRIX, VECTOR[:2])),
    "bias, broadcast": (tf.nn.bias_add, (MATRIX, VECTOR[:1])),
    "bias, broadcasting": (tf.nn.bias_add, (MATRIX[:, :1], VECTOR)),
    "bias, channels first": (
        lambda x, b: tf.nn.bias_add(x, b, data_format="NCHW"), (np.ones((1, 2, 3), "f"), VECTOR)
    ),
    "bias to a vector": (tf.nn.bias_add, (VECTOR, VECTOR)),
    "bias of rank 2": (tf.nn.bias_add, (MATRIX, MATRIX)),
    "contrast by a vector": (tf.image.adjust_contrast, (IMAGE, VECTOR)),
    "contrast by one element": (tf.image.adjust_contrast, (IMAGE, VECTOR[:1])),
    "saturation by a vector": (tf.image.adjust_saturation, (IMAGE, VECTOR)),
    "hue by 1.5": (tf.image.adjust_hue, (IMAGE, np.float32(1.5))),
    "hue by -1.5": (tf.image.adjust_hue, (IMAGE, np.float32(-1.5))),
    "gamma of -1": (tf.image.adjust_gamma, (IMAGE, np.float32(-1))),
    "a negative segment": (
        lambda s, i: tf.strings.unsorted_segment_join(s, i, 2),
        (np.array(["a", "b"], object), np.array([0, -1])),
    ),
    "weights of another shape": (
        lambda x, w: tf.math.bincount(x, weights=w, axis=-1), (np.ones((2, 3), "i4"), VECTOR)
    ),
    "rows of a cube": (lambda x: tf.math.bincount(x, axis=-1), (np.ones((2, 3, 1), "i4"),)),
    "a partition of 2 for 2": (
        lambda x, p: tf.dynamic_partition(x, p, 2), (VECTOR, np.array([0, 2, 1], "i4"))
    ),
    "a negative partition": (
        lambda x, p: tf.dynamic_partition(x, p, 2), (VECTOR, np.array([0, -1, 1], "i4"))
    ),
    "a place behind the last": (
        lambda i: tf.unravel_index(i, (7, 6)), (np.array([22, 42], "i4"),)
    ),
    "a negative place": (lambda i: tf.unravel_index(i, (7, 6)), (np.int32(-1),)),
    "terms of different shapes": (lambda x, y: tf.add_n([x, y]), (VECTOR, VECTOR[:1])),
    "one shift for two axes": (lambda x, s: tf.roll(x, s, [0, 1]), (MATRIX, np.array([1]))),
    "two shifts for one axis": (lambda x, s: tf.roll(x, s, 0), (MATRIX, np.array([1, 1]))),
    "a matrix of shifts": (lambda x, s: tf.roll(x, s, 0), (MATRIX, np.array([[1]]))),
    "an overlap of 2": (
        lambda b, s, n: tf.image.non_max_suppression(b, s, 3, iou_threshold=n),
        (np.ones((3, 4), "f"), VECTOR, np.float32(2)),
    ),
    "a singular matrix": (tf.linalg.lu, (np.array([[1, 2, 3], [2, 4, 6], [2, 3, 4]], "d"),)),
    "an empty range": (tf.histogram_fixed_width, (VECTOR, np.array([1, 1], "f"))),
    "a falling range": (tf.histogram_fixed_width, (VECTOR, np.array([2, 1], "f"))),
    "a range of NaN": (tf.histogram_fixed_width, (VECTOR, np.array([0, np.nan], "f"))),
    "an infinite range": (tf.histogram_fixed_width, (VECTOR, np.array([0, np.inf], "f"))),
    "a range of a number": (tf.histogram_fixed_width, (VECTOR, np.array(1, "f"))),
    "an axis in a list": (lambda x: tf.cumsum(x, [0]), (VECTOR,)),
    "a range of three": (tf.histogram_fixed_width, (VECTOR, VECTOR)),
    "bins of NaN": (tf.histogram_fixed_width_bins, (VECTOR * np.nan, np.array([0, 1], "f"))),
    "a batch behind the axis": (
        lambda x, i: tf.gather(x, i, axis=-3, batch_dims=1),
        (np.ones((2, 3, 4), "f"), np.zeros((2, 2), "i4")),
    ),
    "one channel as colours": (tf.image.rgb_to_grayscale, (IMAGE[..., :1],)),
    "colours as brightness": (tf.image.grayscale_to_rgb, (IMAGE,)),
    "two channels as colours": (tf.image.rgb_to_hsv, (IMAGE[..., :2],)),
    "one channel in YUV": (tf.image.yuv_to_rgb, (IMAGE[..., :1],)),
    "a number as a colour": (tf.image.rgb_to_grayscale, (np.float32(1),)),
    "a shape that is too small": (
        lambda x, n: tf.broadcast_to(x, n), (VECTOR, np.array([1], "i4"))
    ),
    "a mirror that is too wide": (
        lambda x, n: tf.pad(x, n, "REFLECT"), (VECTOR, np.array([[3, 0]], "i4"))
    ),
    "a mirror with edges that is too wide": (
        lambda x, n: tf.pad(x, n, "SYMMETRIC"), (VECTOR, np.array([[0, 4]], "i4"))
    ),
    "targets of too few rows": (
        lambda t, x: tf.math.in_top_k(t, x, 1), (np.array([1], "i4"), MATRIX)
    ),
    "counts of another shape": (tf.nn.log_poisson_loss, (MATRIX, MATRIX[:, :1])),
    "labels of another shape": (
        tf.nn.sigmoid_cross_entropy_with_logits, (MATRIX, MATRIX[:, :1])
    ),
    "weighted labels of another shape": (
        lambda x, y: tf.nn.weighted_cross_entropy_with_logits(x, y, 2.0), (MATRIX[:1], MATRIX)
    ),
    "version 1's labels of another shape": (
        tf.compat.v1.losses.sigmoid_cross_entropy, (MATRIX, MATRIX[:, :1])
    ),
    "version 1's shares of another shape": (
        tf.compat.v1.losses.softmax_cross_entropy, (MATRIX[:1], MATRIX)
    ),
    "version 1's predictions of another shape": (
        tf.compat.v1.losses.absolute_difference, (MATRIX[:1], MATRIX)
    ),
    "noise of another size": (
        lambda x, y: tf.image.psnr(x, y, 1.0), (IMAGE, IMAGE[:1])
    ),
    "images smaller than the filter": (
        lambda x, y: tf.image.ssim(x, y, 1.0, filter_size=3), (IMAGE, IMAGE)
    ),
    "a pointwise filter of 2 x 1": (
        lambda x, d, p: tf.nn.separable_conv2d(x, d, p, [1] * 4, "SAME"),
        (IMAGE[None], np.ones((1, 1, 3, 1), "f"), np.ones((2, 1, 3, 1), "f")),
    ),
    "a box of an image that is not there": (
        lambda x, i: tf.image.crop_and_resize(x, [[0.0, 0, 1, 1]], i, [2, 2]),
        (IMAGE[None], np.array([1], "i4")),
    ),
    "no bins": (
        lambda x, r: tf.histogram_fixed_width(x, r, 0), (VECTOR, np.array([0, 1], "f"))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_bad_tensors_are_refused(name: str) -> None:
    call, inputs = REFUSED[name]
    given = [tf.constant(x) for x in inputs]
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        call(*given)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.function(call, autograph=False)(*given)
    unknown = [tf.TensorSpec(None, x.dtype) for x in given]
    if name.startswith("contrast"):  # an image has a known rank
        unknown[0] = tf.TensorSpec(given[0].shape)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.function(call, unknown, autograph=False)(*given)
    of_known_rank = [tf.TensorSpec([None] * np.ndim(x), x.dtype) for x in given]
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.function(call, of_known_rank, autograph=False)(*given)


def branch(value: float) -> Callable[[], Any]:
    return lambda: value


ARGUMENTS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: tf.split(tf.range(6), [2, 4], num=3), ValueError, "3 sizes"),
    (lambda: tf.split(tf.range(6), tf.constant([2, 4]), num=3), ValueError, "3 sizes"),
    (lambda: tf.split(tf.range(6), [[2, 4]]), ValueError, "vector"),
    (lambda: tf.nn.log_poisson_loss(MATRIX, VECTOR), ValueError, "one shape"),
    (lambda: tf.fill([[2]], 1), ValueError, "vector"),
    (lambda: tf.tile([1], [[2]]), ValueError, "vector"),
    (lambda: tf.tile([1], np.array([[2]])), ValueError, "vector"),
    (lambda: tf.broadcast_to([1], [[2]]), ValueError, "vector"),
    (lambda: tf.transpose(MATRIX, [[1, 0]]), ValueError, "vector"),
    (lambda: tf.roll(VECTOR, 1, [[0]]), ValueError, "vector"),
    (lambda: tf.dynamic_partition([1], [0], 0), ValueError, "positive"),
    (lambda: tf.dynamic_partition([1], [0.0], 2), TypeError, "integers"),
    (lambda: tf.add_n(["a", "b"]), TypeError, "strings.join"),
    (lambda: tf.one_hot([0], 3, on_value=1.0, off_value=0), TypeError, "off_value"),
    (lambda: tf.one_hot([0], 3, 1.0, tf.constant(0)), TypeError, "int32"),
    (lambda: tf.one_hot([0], 3, np.float64(1), np.float32(0)), TypeError, "float32"),
    (lambda: tf.image.random_hue(IMAGE, 0.6), ValueError, "0.5"),
    (lambda: tf.image.random_contrast(IMAGE, -1.0, 1.0), ValueError, "non-negative"),
    (lambda: tf.image.random_saturation(IMAGE, -1.0, 1.0), ValueError, "non-negative"),
    (lambda: tf.image.adjust_gamma(IMAGE, -1.0), ValueError, "non-negative"),
    (lambda: tf.switch_case(0, {0: branch(1.0), 2: branch(2.0)}), ValueError, "0 to 1"),
    (lambda: tf.switch_case(1, {-1: branch(1.0), 0: branch(2.0)}), ValueError, "0 to 1"),
    (lambda: tf.switch_case(1, [(1, branch(1.0)), (2, branch(2.0))]), ValueError, "0 to 1"),
    (lambda: tf.strings.unsorted_segment_join(["a"], [0], [2]), ValueError, "one number"),
    (
        lambda: tf.map_fn(lambda x: [x, x], VECTOR, fn_output_signature=(tf.float32, tf.float32)),
        TypeError, "fn_output_signature",
    ),
    (lambda: tf.scan(lambda a, x: [a[0], x], VECTOR, (0.0, 0.0)), TypeError, "initializer"),
    (lambda: tf.foldl(lambda a, x: [a[0], x], VECTOR, (0.0, 0.0)), TypeError, "initializer"),
    (lambda: tf.math.bincount([1], weights=[1.0], binary_output=True), ValueError, "exclusive"),
    (lambda: tf.math.bincount([[1]], axis=1), ValueError, "axis"),
    (lambda: tf.matmul(MATRIX, MATRIX.T, output_type=tf.int32), TypeError, "hold"),
    (lambda: tf.histogram_fixed_width([1.0], [0.0, 1.0], dtype=tf.float32), TypeError, "int64"),
    (lambda: tf.random.fold_in([1, 2], tf.constant(1, tf.int8)), TypeError, "int8"),
    (lambda: tf.nn.embedding_lookup([], [0]), ValueError, "parts"),
    (lambda: tf.nn.embedding_lookup([1.0, 2.0], [0]), ValueError, "parts"),
    (lambda: tf.where(True), ValueError, "scalar"),
    (lambda: tf.debugging.assert_rank(VECTOR, [1]), ValueError, "scalar"),
    (lambda: tf.debugging.assert_rank_in(VECTOR, [[1], 2]), ValueError, "scalar"),
    (lambda: tf.argmax(MATRIX, output_type=tf.float32), TypeError, "integer"),
    (lambda: tf.shape(MATRIX, tf.string), TypeError, "out_type must be an integer"),
    (lambda: tf.shape_n([MATRIX], out_type=tf.float32), TypeError, "out_type must be an integer"),
    (lambda: tf.size(MATRIX, tf.float32), TypeError, "out_type must be an integer"),
    (lambda: tf.unique(VECTOR, tf.float32), TypeError, "out_idx must be an integer"),
    (lambda: tf.unique_with_counts(VECTOR, tf.bool), TypeError, "out_idx must be an integer"),
    (lambda: tf.searchsorted(VECTOR, VECTOR, out_type=tf.string), TypeError, "an integer"),
    (lambda: tf.data.Dataset.range(2).with_options(3), TypeError, "takes tf.data.Options"),
    (lambda: tf.linalg.tensor_diag(1), ValueError, "scalar"),
    (lambda: tf.norm(MATRIX, "fro", 0), ValueError, "vector norm"),
    (lambda: tf.einsum("ij->ji", MATRIX, out=1), TypeError, "'out'"),
    (lambda: tf.constant(tf.constant(1), tf.float32), TypeError, "tf.cast"),
    (lambda: tf.bool.min, TypeError, "minimum"),
    (lambda: tf.image.psnr(IMAGE, IMAGE[0], 1.0), ValueError, "dimensions"),
    (lambda: tf.image.psnr(IMAGE, IMAGE[:1], 1.0), ValueError, "not compatible"),
    (lambda: tf.signal.mfccs_from_log_mel_spectrograms(1.0), ValueError, "bands"),
    (lambda: tf.reverse(MATRIX, 0), ValueError, "list of axes"),
    (lambda: tf.reverse(MATRIX, tf.constant(0)), ValueError, "list of axes"),
    (lambda: tf.one_hot([0], 3, axis=-2), ValueError, "front"),
    (lambda: tf.one_hot([0], 3, on_value=[1.0]), ValueError, "scalars"),
    (lambda: tf.split(MATRIX, tf.constant(2)), ValueError, "integer"),
    (lambda: tf.gather_nd(MATRIX, [[0]], batch_dims=-1), ValueError, "negative"),
    (lambda: tf.gather_nd(1.0, np.zeros((1, 0), "i4")), ValueError, "scalar"),
    (lambda: tf.math.accumulate_n([MATRIX], [3]), ValueError, "not compatible"),
    (lambda: tf.math.accumulate_n([MATRIX], None, tf.int32), TypeError, "tensor_dtype"),
    (lambda: tf.nn.l2_normalize(MATRIX, 0, dim=0), ValueError, "both"),
    (
        lambda: tf.compat.v1.cond(True, branch(1.0), branch(2.0), fn1=branch(3.0)),
        TypeError, "one of both",
    ),
    (
        lambda: tf.compat.v1.cond(True, branch(1.0), fn2=branch(2.0), false_fn=branch(3.0)),
        TypeError, "one of both",
    ),
    (lambda: tf.constant(VECTOR)[:1.5], TypeError, "as an integer"),
    (lambda: tf.constant(VECTOR)["a":], TypeError, "as an integer"),
    (lambda: tf.constant(VECTOR)[: tf.constant(1.5)], TypeError, "as an integer"),
    (lambda: tf.nn.collapse_repeated([[1, 2]], [1.5]), TypeError, "no integers"),
    (
        lambda: tf.image.crop_and_resize(IMAGE[None], [[0.0, 0, 1, 1]], [-1], [2, 2]),
        tf.errors.InvalidArgumentError, "box_indices",
    ),
    (lambda: tf.eye(2, dtype=tf.string), TypeError, "no string"),
    (tf.function(lambda: tf.linalg.eye(2, dtype=tf.string)), TypeError, "no string"),
    (lambda: tf.nn.in_top_k([1], MATRIX, 1), tf.errors.InvalidArgumentError, "targets"),
    (lambda: tf.dynamic_partition([1, 2], [0], 1), tf.errors.InvalidArgumentError, "begin"),
    (
        lambda: tf.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [0.5], 2.0),
        ValueError, "one shape",
    ),
    (
        lambda: tf.nn.separable_conv2d(
            np.ones((1, 3, 3, 1), "f"), np.ones((1, 1, 1, 2), "f"), np.ones((2, 1, 2, 1), "f"),
            [1, 1, 1, 1], "VALID",
        ), ValueError, "pointwise",
    ),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(ARGUMENTS)))
def test_bad_arguments_are_refused(number: int) -> None:
    call, error, words = ARGUMENTS[number]
    with pytest.raises(error, match=words):
        call()


def test_sizes_of_unknown_number_are_refused() -> None:
    cut = tf.function(lambda n: tf.split(MATRIX, n), [tf.TensorSpec([None], tf.int32)])
    with pytest.raises(ValueError, match="give num"):
        cut(tf.constant([1, 1]))


def test_switch_case_takes_indices_in_any_order() -> None:
    pairs = [(1, branch(1.0)), (0, branch(0.0))]
    assert [float(tf.switch_case(tf.constant(i), pairs)) for i in (0, 1, 5)] == [0, 1, 1]
