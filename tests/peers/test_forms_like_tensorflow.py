"""Forms that ops take beside their usual ones, and inputs at their edges: equal to TensorFlow's."""

import warnings
from typing import Any

import numpy as np
import pytest

import runtime

pytestmark = pytest.mark.peers
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import tensorflow

M = np.arange(1.0, 13).reshape(3, 4)
EMPTY = np.zeros([0, 3], np.float32)
ALIGNED = ["RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"]
TEXT = "héLlo 12 ٣Ⅳ½_-+«»$€ \tß漢!\v\n"
PATTERNS = [
    r"\p{L}", r"\pN", r"\p{Lu}|\p{Sc}", r"\P{L}", r"[\p{Nd}_]", r"[^\PL]", r"\p{^P}", "[[:alpha:]]",
    "[[:^space:][:digit:]]", r"\s", r"[\S]", r"\w+", r"\W", "(?i)É", "$", r"!\s$", "(?m)!.$",
    r"\Q$\E",
]  # fmt: skip


def slices(tf: Any, shape: Any = (3, 2)) -> Any:
    dense_shape = None if shape is None else tf.constant(list(shape))
    return tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]), dense_shape)


CALLS: list[Any] = [
    *[
        lambda tf, k=k, a=a: tf.linalg.diag_part(M, k=k, align=a, padding_value=9)
        for k in ((-1, 2), (1, 3), (-2, -1), (-2, 3), (1, 1))
        for a in ALIGNED
    ],
    *[
        lambda tf, a=a: tf.linalg.set_diag(-M, [[1.0, 2, 3], [4, 5, 6]], k=(0, 1), align=a)
        for a in ALIGNED
    ],
    lambda tf: tf.linalg.diag([[1, 2, 0], [3, 4, 5]], k=(-1, 0), padding_value=7),
    lambda tf: tf.linalg.diag([[1, 2], [3, 4]], k=(0, 1), num_cols=3),
    *[lambda tf, s=s: tf.reshape(EMPTY, s) for s in ([0, -1], [-1, 0], [0, 0, -1], [-1, 5])],
    *[
        lambda tf, t=t: tf.math.divide_no_nan(tf.constant([7, 3], t), tf.constant([2, 0], t))
        for t in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64")
    ],
    lambda tf: tf.dynamic_partition(tf.zeros([3, 0]), [0, 1, 0], 2),
    lambda tf: tf.dynamic_stitch([tf.zeros([0], "int32")], [EMPTY]),
    lambda tf: tf.dynamic_stitch([[], [0]], [np.zeros([0, 2]), [[1.0, 2.0]]]),
    lambda tf: tf.searchsorted(tf.zeros([2, 0]), tf.zeros([2, 3])),
    lambda tf: tf.math.bincount([]),
    lambda tf: tf.gather_nd(M, [[0, 0], [5, 0], [-1, 1]], bad_indices_policy="IGNORE"),
    lambda tf: tf.gather_nd(M, [[0], [9], [3]], 1, bad_indices_policy="IGNORE"),
    lambda tf: tf.scatter_nd([[0], [9]], [1, 2], [4], bad_indices_policy="IGNORE"),
    lambda tf: tf.scatter_nd([[0], [0], [1]], ["a", "b", "c"], [3]),
    lambda tf: tf.math.in_top_k([0, 5, -1], [[1.0, 2.0, 3.0]] * 3, 3),
    lambda tf: tf.math.in_top_k([0, 2], [[1.0, 2.0, 3.0], [np.inf, 2.0, 3.0]], 2),
    lambda tf: tf.math.segment_mean(tf.constant([1 + 2j, 3, 5]), [0, 0, 2]),
    lambda tf: tf.linalg.inv(tf.constant([[1.0, 2.0], [3.0, 4.0]], "float16")),
    lambda tf: tf.linalg.logdet(np.ones([2, 2])),
    lambda tf: tf.linalg.band_part(tf.linalg.cholesky(np.ones([2, 2])), -1, 0),
    *[lambda tf, p=p: tf.strings.regex_replace(TEXT, p, "#") for p in PATTERNS],
    *[
        lambda tf, s=s, f=f: f(tf, slices(tf, s)).values
        for s in ((3, 2), None)
        for f in (
            lambda tf, x: tf.clip_by_value(x, 0.0, 3.5),
            lambda tf, x: tf.clip_by_norm(x, 1.0),
            lambda tf, x: tf.clip_by_global_norm([x, tf.ones([2])], 1.0)[0][0],
            lambda tf, x: tf.math.scalar_mul(2.0, x),
            lambda tf, x: tf.cond(tf.constant(True), lambda: x, lambda: -x),
        )
    ],
    lambda tf: tf.random.Generator.from_seed(2**70 + 5, "threefry").state,
    lambda tf: tf.random.Generator.from_key_counter(5, [3], "threefry").state,
]  # fmt: skip


def results(tf: Any, call: Any) -> list[Any]:
    made = call(tf)
    return [x.numpy() for x in (made if isinstance(made, list | tuple) else [made])]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_results_agree(call: Any) -> None:
    for a, b in zip(results(runtime, call), results(tensorflow, call), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if a.dtype.kind in "fc":
            np.testing.assert_allclose(a, b, rtol=2e-3 if a.dtype == np.float16 else 1e-6)
        else:
            assert np.array_equal(a, b)
