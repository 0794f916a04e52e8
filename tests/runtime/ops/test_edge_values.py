"""Ops at the edges of their inputs: wide ranges, NaN, infinities, nothing at all, other dtypes.

Expected values are NumPy's, a definition's written out here, or what TensorFlow 2.21 gives; each
call runs eagerly and in a graph, with shapes known and unknown.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import runtime as tf

INF, NAN = np.inf, np.nan


def agrees(found: Any, expected: Any) -> None:
    """Are all results of the dtype, the shape and, but for rounding, the values?"""
    results, wanted = tf.nest.flatten(found), tf.nest.flatten(expected)
    assert len(results) == len(wanted)
    for one, other in zip(results, wanted, strict=True):
        result, value = np.asarray(one), np.asarray(other)
        assert (result.dtype, result.shape) == (value.dtype, value.shape)
        if value.dtype.kind in "fc":
            eps = np.finfo(value.dtype).eps
            assert_allclose(result, value, 16 * eps, 8 * eps)
        else:
            assert_array_equal(result, value)


def check(call: Callable[..., Any], inputs: tuple[Any, ...], expected: Any) -> None:
    given = [tf.constant(x) for x in inputs]
    agrees(call(*given), expected)
    agrees(tf.function(call, autograph=False)(*given), expected)
    unknown = [tf.TensorSpec(None, x.dtype) for x in given]
    agrees(tf.function(call, unknown, autograph=False)(*given), expected)


def gradients(call: Callable[..., Any], *weights: float) -> Callable[..., Any]:
    """The gradients of `call` by all its arguments, its result weighted if numbers are given."""

    def of(*inputs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            result = call(*inputs)
        by = tf.constant(weights, result.dtype) if weights else None
        return tape.gradient(result, inputs, output_gradients=by)

    return of


def f4(*values: Any) -> Any:
    return np.array(values, np.float32)


def logsumexp(x: Any, **how: Any) -> Any:
    return tf.math.cumulative_logsumexp(x, **how)


FLOATS = ("float16", "float32", "float64")
WIDE = [0.0, 50.0, 200.0, 380.0]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("x", "expected", "how"),
    [
        (WIDE, WIDE, {}),
        (WIDE[::-1], WIDE[::-1], {"reverse": True}),
        (WIDE[::-1], [380.0] * 4, {}),
        ([-INF, -INF, 1.0, -INF, 2.0], [-INF, -INF, 1.0, 1.0, np.logaddexp(1, 2)], {}),
        ([1.0, 2.0, 3.0], [-INF, 1.0, np.logaddexp(1, 2)], {"exclusive": True}),
        (WIDE, [-INF, 0.0, 50.0, 200.0], {"exclusive": True}),
        ([-INF, 1.0, 2.0], [np.logaddexp(1, 2), 2.0, -INF], {"exclusive": True, "reverse": True}),
        ([1.0, INF, 3.0, NAN, 2.0], [1.0, INF, INF, NAN, NAN], {}),
        ([1.0, INF, INF, 2.0], [1.0, INF, INF, INF], {}),
        ([], [], {}),
        ([], [], {"exclusive": True}),
    ],
)
def test_running_sums_of_exponentials(dtype: str, x: Any, expected: Any, how: Any) -> None:
    values = np.array(x, dtype)
    check(lambda t: logsumexp(t, **how), (values,), np.array(expected, dtype))
    doubled = np.stack([values, values], 1)
    check(lambda t: logsumexp(t, axis=0, **how), (doubled,), np.array([expected] * 2, dtype).T)


@pytest.mark.parametrize(
    ("x", "weights", "expected", "how"),
    [
        (WIDE, [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], {}),
        (WIDE, [1.0, -2.0, 3.0, 0.0], [1.0, -2.0, 3.0, 0.0], {}),
        # minus infinity has no weight; TensorFlow gives NaN for the first
        ([-INF, 0.0, -INF, 0.0], [1.0, 1.0, 1.0, 1.0], [0.0, 2.5, 0.0, 0.5], {}),
        ([0.0, 0.0, 5.0], [7.0, 1.0, 4.0], [3.0, 2.0, 0.0], {"exclusive": True}),
    ],
)
def test_gradient_of_running_sums(x: Any, weights: Any, expected: Any, how: Any) -> None:
    call = gradients(lambda t: logsumexp(t, **how), *weights)
    check(call, (np.array(x),), (np.array(expected),))

    def twice(t: Any) -> Any:
        return gradients(lambda u: call(u)[0], *weights)(t)

    assert np.isfinite(twice(tf.constant(x, tf.float64))[0]).all()


def test_lists_of_numbers_have_one_dtype() -> None:
    check(lambda: tf.stack([1, 2.5]), (), f4(1, 2.5))
    check(lambda: tf.stack([[1], [2.5]], 1), (), f4([1, 2.5]))


def test_one_tensor_is_concatenated_to_itself() -> None:
    check(lambda x: tf.concat(x, 0), (f4([1, 2], [3, 4]),), f4([1, 2], [3, 4]))


def test_the_default_of_an_axis_is_batch_dims_as_given() -> None:
    x, indices = np.arange(24).reshape(2, 3, 4), np.array([[0, 2], [1, 1]])
    expected = np.take_along_axis(x, indices[:, None, :], -1)
    agrees(tf.gather(x, indices, batch_dims=-1), expected)
    agrees(tf.gather(x, indices, batch_dims=1), x[[[0], [1]], indices])


def test_a_last_dimension_of_labels_is_dropped() -> None:
    expected = np.diag([0, 1, 1]).astype(np.int32)
    for labels, guesses in (([[1], [2]], [1, 2]), ([1, 2], [[1], [2]])):
        agrees(tf.math.confusion_matrix(labels, guesses), expected)


def test_ends_of_ranges_are_broadcast() -> None:
    low, high = f4([0], [1]), f4(1, 2)
    check(lambda a, b: tf.linspace(a, b, 3), (low, high), np.linspace(low, high, 3))
    check(lambda a: tf.linspace(0.0, a, 3), (high,), np.linspace(0, high, 3, dtype="f"))


def test_positions_of_any_rank() -> None:
    indices = np.array([[0, 2]], np.int32)
    check(lambda i: tf.one_hot(i, 3), (indices,), np.eye(3, dtype="f")[indices])
    check(lambda: tf.one_hot([], 3), (), np.zeros((0, 3), "f"))


def test_lengths_tell_the_size_of_a_batch() -> None:
    specs = [tf.TensorSpec([None, 3]), tf.TensorSpec([2], tf.int32)]
    reverse = tf.function(tf.reverse_sequence, specs, autograph=False)
    assert reverse.get_concrete_function().structured_outputs.shape == [2, 3]


def test_no_slices() -> None:
    check(lambda: tf.unstack(np.zeros((0, 3))), (), [])


def test_squared_difference_of_complex_numbers() -> None:
    a, b = np.array([1 + 2j]), np.array([3 - 1j])
    check(tf.math.squared_difference, (a, b), np.abs(a - b) ** 2 + 0j)
    check(gradients(tf.math.squared_difference), (a, b), (2 * (a - b), 2 * (b - a)))


def test_an_argument_that_changes_nothing_has_a_gradient_of_zeros() -> None:
    check(gradients(tf.math.nextafter), (f4(1, 2), f4(2, 1)), (f4(1, 1), f4(0, 0)))
    check(gradients(tf.math.nextafter), (f4(1, 2), np.float32(2)), (f4(1, 1), np.float32(0)))


# Sums of products and counts


def i1(*values: Any) -> Any:
    return np.array(values, np.int8)


@pytest.mark.parametrize(
    ("left", "right"), [("i1", "i1"), ("i1", "u1"), ("u1", "i1"), ("u1", "u1")]
)
def test_products_of_bytes_are_summed_in_the_output_type(left: str, right: str) -> None:
    a, b = np.array([[100, 100]], left), np.array([[100], [100]], right)
    wide = np.array([[20000]], np.int32)
    check(lambda x, y: tf.matmul(x, y, output_type=tf.int32), (a, b), wide)
    check(lambda x, y: tf.matmul(x, y, transpose_b=True, output_type=tf.int32), (a, b.T), wide)
    check(lambda x, y: tf.matmul(x, y, output_type=tf.int32), (a[None], b[None]), wide[None])


X, WEIGHTS = np.array([[1, 1, 2], [2, 2, 5]], np.int32), f4([0.5, 1, 2], [1, 2, 3])
BY_ROW = f4([0, 1.5, 2, 0, 0, 0], [0, 0, 3, 0, 0, 3])


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, f4(0, 1.5, 5, 0, 0, 3)),
        ({"axis": 0}, f4(0, 1.5, 5, 0, 0, 3)),
        ({"axis": -1}, BY_ROW),
        ({"axis": -1, "minlength": 8}, np.pad(BY_ROW, [(0, 0), (0, 2)])),
        ({"axis": -1, "maxlength": 3}, BY_ROW[:, :3]),
    ],
)
def test_weighted_counts(how: Any, expected: Any) -> None:
    check(lambda x, w: tf.math.bincount(x, weights=w, **how), (X, WEIGHTS), expected)
    wide = X.astype(np.int64), WEIGHTS.astype(np.float64)
    check(lambda x, w: tf.math.bincount(x, weights=w, **how), wide, expected.astype(np.float64))
    used = (expected.shape[-1] > X).astype("f")

    def by_weights(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            found = tf.math.bincount(x, weights=w, **how)
        return tape.gradient(found, w, 3 * tf.ones_like(found))

    for run in (by_weights, tf.function(by_weights, autograph=False)):
        agrees(run(tf.constant(X), tf.constant(WEIGHTS)), 3 * used)


@pytest.mark.parametrize(
    ("x", "how", "expected"),
    [
        (X, {"axis": -1}, [[0, 2, 1, 0, 0, 0], [0, 0, 2, 0, 0, 1]]),
        (X, {"axis": -1, "binary_output": True}, [[0, 1, 1, 0, 0, 0], [0, 0, 1, 0, 0, 1]]),
        (X[0], {"axis": -1}, [0, 2, 1]),
        (np.int32(3), {}, [0, 0, 0, 1]),
        (np.int32(3), {"axis": -1}, [0, 0, 0, 1]),
        (np.zeros((2, 0), np.int32), {"axis": -1}, np.zeros((2, 0))),
        (np.zeros((2, 0), np.int32), {"axis": -1, "minlength": 2}, np.zeros((2, 2))),
        (np.zeros(0, np.int32), {}, []),
        (np.zeros(0, np.int32), {"minlength": 2}, [0, 0]),
    ],
)
def test_counts(x: Any, how: Any, expected: Any) -> None:
    check(lambda t: tf.math.bincount(t, **how), (x,), np.array(expected, np.int32))


LARGE = np.finfo("f").max
SPREAD = f4(-LARGE, -LARGE / 4, -1, 0, 1, LARGE / 2, LARGE)
OVER = np.finfo("d").max


@pytest.mark.parametrize(
    ("values", "ends", "bins"),
    [
        (SPREAD, f4(-LARGE, LARGE), [0, 1, 2, 2, 2, 3, 4]),
        (SPREAD, f4(0, LARGE), [0, 0, 0, 0, 0, 2, 4]),
        (np.array([-OVER, -OVER / 4, 0, OVER / 2, OVER]), np.array([-OVER, OVER]), [0, 1, 2, 3, 4]),
        (f4(-INF, INF, 1), f4(0, 5), [0, 4, 1]),
        (np.array([-128, -1, 127], np.int8), np.array([-128, 127], np.int8), [0, 2, 4]),
        (np.array([0, 2**31 - 1], np.int32), np.array([-(2**31), 2**31 - 1], np.int32), [2, 4]),
        (f4(), f4(0, 5), []),
    ],
)
def test_bins_of_wide_ranges(values: Any, ends: Any, bins: Any) -> None:
    expected = np.array(bins, np.int32)
    check(lambda x, r: tf.histogram_fixed_width_bins(x, r, 5), (values, ends), expected)
    counts = np.bincount(expected, minlength=5).astype(np.int32)
    check(lambda x, r: tf.histogram_fixed_width(x, r, 5), (values, ends), counts)


# float16, of which there are few


@pytest.mark.parametrize(
    ("function", "given", "expected"),
    [
        (lambda x: tf.reduce_sum(x, 0), np.ones((5000, 2)), [5000, 5000]),
        (lambda x: tf.reduce_sum(x, [0, 2], True), np.ones((500, 1, 9)), [[[4500]]]),
        (tf.reduce_sum, np.ones((2, 3000)), 6000),
        (lambda x: x @ tf.transpose(x), np.full((1, 3000), 1.25), [[4688]]),
        (lambda x: tf.matmul(x, x, transpose_a=True), np.full((3000, 1), 1.25), [[4688]]),
        (tf.sigmoid, [-12, 0, 12], [6.14e-06, 0.5, 1]),
        (tf.nn.relu, [-0.0, 0.0, -1, INF], [-0.0, 0, 0, INF]),
    ],
)
def test_float16_is_rounded_once(function: Any, given: Any, expected: Any) -> None:
    wanted = np.asarray(expected, "e")
    check(function, (np.asarray(given, "e"),), wanted)
    assert (np.signbit(function(tf.constant(given, "float16"))) == np.signbit(wanted)).all()


# Casts, determinants, moments, lookups


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (np.array([300 + 5j, -1e38 - 1j]), "int8", i1(127, -128)),
        (np.array([300 + 5j, -4]), "uint8", np.array([255, 0], np.uint8)),
        (
            np.array([1e300 - 1e300j, 1 + 2j]),
            "complex64",
            np.array([LARGE - LARGE * 1j, 1 + 2j], "F"),
        ),
        (np.array([1e300 + 3j]), "float32", f4(LARGE)),
        (np.array([complex(INF, NAN)]), "complex128", np.array([complex(INF, NAN)])),
        (np.array([1e300, -1e300, NAN]), "complex64", np.array([LARGE, -LARGE, NAN], "F")),
        (np.array([complex(INF, NAN)], "F"), "complex128", np.array([complex(INF, NAN)])),
        (np.array([2**62], np.int64), "complex64", np.array([2.0**62], "F")),
    ],
)
def test_saturating_casts_of_complex_numbers(value: Any, dtype: str, expected: Any) -> None:
    check(lambda x: tf.saturate_cast(x, dtype), (value,), expected)


@pytest.mark.parametrize("dtype", ["int8", "int16", "uint16", "int32", "uint32", "float16"])
def test_saturating_casts_of_bfloat16(dtype: str) -> None:
    """The nearest number of bfloat16, of which few stand near the ends, that the dtype holds."""
    kind = np.dtype(dtype)
    limits: Any = np.iinfo(kind) if kind.kind in "iu" else np.finfo(kind)
    every = (np.arange(0x7F80, dtype=np.uint32) << 16).view(np.float32).astype(float)  # finite
    held = np.concatenate([every, -every])
    held = held[(held >= float(limits.min)) & (held <= float(limits.max))]
    casted = tf.saturate_cast(tf.constant([INF, -INF, 1e38, -1e38, 2.0], tf.bfloat16), dtype)
    expected = [held.max(), held.min(), held.max(), held.min(), 2.0]
    assert casted.numpy().astype(float).tolist() == expected


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "float16", "float32", "complex64"])
@pytest.mark.parametrize("source", ["float16", "float32", "float64", "complex64"])
def test_saturating_casts_of_the_infinite(source: str, dtype: str) -> None:
    if source == dtype == "complex64":
        return
    value = np.array([INF, -INF]).astype(source)
    real = np.dtype("float32" if dtype == "complex64" else dtype)
    part = np.dtype("float32" if source == "complex64" else source)
    limits = np.iinfo(real) if real.kind in "iu" else np.finfo(real)
    if float(np.finfo(part).max) < float(limits.max):
        limits = np.finfo(part)
    casted = np.real(tf.saturate_cast(tf.constant(value), dtype).numpy())
    rounding = np.finfo(part).eps  # the largest integer may be no number of the source's dtype
    np.testing.assert_allclose(float(casted[0]), float(limits.max), rtol=rounding)
    least = 0.0 if real.kind == "u" else float(limits.min)
    np.testing.assert_allclose(float(casted[1]), least, rtol=rounding)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize(
    "matrix",
    [
        [[NAN, 1], [1, 2]], [[1, 2], [3, NAN]], [[0, NAN], [0, 1]], [[0, 0], [NAN, 1]],
        [[NAN, NAN], [0, 0]], [[0, INF], [0, 1]],
    ],
)  # fmt: skip
def test_determinants_of_what_is_not_finite(matrix: Any, dtype: str) -> None:
    x = tf.constant(np.stack([np.array(matrix, dtype), np.eye(2, dtype=dtype)]))
    for run in (lambda f: f(x), lambda f: tf.function(f, autograph=False)(x)):
        assert_array_equal(np.isnan(run(tf.linalg.det)), [True, False])
        for part in run(tf.linalg.slogdet):
            assert_array_equal(np.isnan(part), [True, False])
            assert part.dtype == dtype


def test_moments_of_weights_that_add_up_to_nothing() -> None:
    def moments(x: Any, w: Any) -> Any:
        return tf.nn.weighted_moments(x, [0], w)

    check(moments, (f4(1, 2), f4(0, 0)), (np.float32(0), np.float32(0)))
    columns = (f4([1, 2], [3, 4]), f4([0, 1], [0, 1]))
    check(moments, columns, (f4(0, 3), f4(0, 1)))
    check(moments, (np.zeros((0, 2), "f"),) * 2, (f4(0, 0), f4(0, 0)))
    check(lambda x, w: gradients(lambda a, b: moments(a, b)[0])(x, w), (f4(1, 2), f4(0, 0)),
          (f4(0, 0), f4(0, 0)))  # fmt: skip


def test_a_list_holds_the_parts_of_an_embedding() -> None:
    table, ids = np.arange(8.0).reshape(4, 2), np.array([0, 3, 1])
    check(lambda t, i: tf.nn.embedding_lookup([t], i), (table, ids), table[ids])
    check(lambda t, i: tf.nn.embedding_lookup([t[:2], t[2:]], i), (table, ids), table[ids])
    check(lambda t, i: tf.nn.embedding_lookup([t[:2], t[2:3], t[3:]], i), (table, ids), table[ids])
    check(lambda t, i: tf.nn.embedding_lookup([t], i, max_norm=1.0), (table, ids[1:]),
          table[ids[1:]] / np.linalg.norm(table[ids[1:]], axis=1)[:, None])  # fmt: skip


@pytest.mark.parametrize("lengths", [[1, 3], [1, 2], [3, 1, 0], [1, 2, 1], [2, 0]])
def test_parts_of_an_embedding_are_even(lengths: list[int]) -> None:
    """TensorFlow finds the part of an id by the number of all rows."""
    parts = [np.zeros((length, 2), "f") for length in lengths]
    specs = [tf.TensorSpec([None, 2])] * len(parts)
    ways: list[Any] = [tf.function, lambda f: tf.function(f, specs), lambda f: f]
    for way in ways:
        with pytest.raises(ValueError, match="parts of one length are needed"):
            way(lambda *given: tf.nn.embedding_lookup(list(given), [0]))(*parts)
    for even in ([2, 2], [2, 1], [2, 1, 1], [1, 1, 0], [0, 0]):
        parts = [np.full((length, 2), at, "f") for at, length in enumerate(even)]
        specs = [tf.TensorSpec([None, 2])] * len(parts)
        for way in ways:
            ids = np.arange(sum(even))
            found = way(lambda *given: tf.nn.embedding_lookup(list(given), ids))(*parts)  # noqa: B023
            np.testing.assert_array_equal(found, np.concatenate(parts))


# Encodings


@pytest.mark.parametrize(
    ("data", "encoding", "points"),
    [
        ("aé".encode("utf-16-be"), "UTF-16", [97, 233]),
        ("aé".encode("utf-32-be"), "UTF-32", [97, 233]),
        ("aé".encode("utf-16-be"), "utf16", [97, 233]),
        (b"\xff\xfe" + "aé".encode("utf-16-le"), "UTF-16", [97, 233]),
        (b"\xfe\xff" + "aé".encode("utf-16-be"), "UTF-16", [97, 233]),
        (b"\xff\xfe\0\0" + "aé".encode("utf-32-le"), "UTF-32", [97, 233]),
        (b"\0A\0", "UTF-16", [65, 0xFFFD]),
        (b"\xd8\x00\0A", "UTF-16", [0xFFFD, 65]),
        (b"", "UTF-16", []),
    ],
)
def test_without_a_mark_the_high_byte_is_first(data: bytes, encoding: str, points: Any) -> None:
    def decoded(s: Any) -> Any:
        return tf.strings.unicode_decode(s, encoding)

    for run in (decoded, tf.function(decoded)):
        agrees(run(tf.constant(data)), np.array(points, np.int32))
    text = "".join(map(chr, points)).encode()
    made = tf.strings.unicode_transcode(tf.constant(data), encoding, "UTF-8")
    assert made.numpy() == text
    split = tf.strings.unicode_split(tf.constant(data), encoding)
    assert b"".join(split.numpy()) == text


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, "�a�\x7f\x80�"),
        ({"replacement_char": ord("?")}, "?a?\x7f\x80?"),
        ({"errors": "ignore"}, "a\x7f\x80"),
    ],
)
def test_control_characters_are_replaced(how: Any, expected: str) -> None:
    text = tf.constant("\x01a\n\x7f\x80\x1f")
    how = how | {"replace_control_characters": True}
    made = tf.strings.unicode_transcode(text, "UTF-8", "UTF-8", **how)
    assert made.numpy().decode() == expected
    points = tf.strings.unicode_decode(text, "UTF-8", **how)
    assert points.numpy().tolist() == list(map(ord, expected))
    with pytest.raises(tf.errors.InvalidArgumentError, match="control characters"):
        tf.strings.unicode_transcode(
            text, "UTF-8", "UTF-8", errors="strict", replace_control_characters=True
        )


# Gradients, loops, variables


@pytest.mark.parametrize("value", [3, [3, 4], 2.5, 1j, True])
@pytest.mark.parametrize("kind", [tf.constant, tf.Variable])
def test_the_gradient_of_a_value_by_itself_is_one(value: Any, kind: Any) -> None:
    x = kind(value)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        tripled = x * 3 if x.dtype is tf.int32 else None
    agrees(tape.gradient(x, x), np.ones_like(x.numpy()))
    assert tripled is None or tape.gradient(tripled, x) is None


def test_unconnected_batch_jacobians_are_zeros() -> None:
    x, y = tf.ones([2, 3]), tf.ones([2, 4])
    for how in ({}, {"experimental_use_pfor": False}, {"unconnected_gradients": "zero"}):
        with tf.GradientTape() as tape:
            tape.watch(x)
        agrees(tape.batch_jacobian(y, x, **how), np.zeros((2, 4, 3), np.float32))


@pytest.mark.parametrize("reverse", [False, True])
def test_a_scan_of_nothing_keeps_its_shape(reverse: bool) -> None:
    def scanned(x: Any) -> Any:
        start = (tf.zeros([2, 4]), tf.constant(5))
        return tf.scan(lambda a, row: (a[0] + tf.reduce_sum(row), a[1]), x, start, reverse=reverse)

    expected = (np.zeros((0, 2, 4), np.float32), np.zeros(0, np.int32))
    empty = tf.zeros([0, 3])
    agrees(scanned(empty), expected)
    agrees(tf.function(scanned)(empty), expected)
    agrees(tf.function(scanned, [tf.TensorSpec([None, 3])])(empty), expected)


def test_watched_variables_stand_in_the_order_of_creation() -> None:
    made = [tf.Variable(1.0, name=f"v{i}") for i in range(5)]
    read = tf.function(lambda: made[3] + made[1])
    with tf.GradientTape() as tape:
        made[4] * 2.0
        read()
        made[0] * 2.0
    assert [v.name for v in tape.watched_variables()] == ["v0:0", "v1:0", "v3:0", "v4:0"]


def test_generators_share_a_variable_that_is_their_state() -> None:
    state = tf.Variable([1, 2, 3], dtype=tf.int64)
    one, other = (tf.random.Generator(state=state, alg="philox") for _ in range(2))
    copied = tf.random.Generator(copy_from=one)
    first = one.normal([2]).numpy()
    assert one.state is other.state is state
    assert state.numpy()[0] > 1
    assert (other.normal([2]).numpy() != first).all()
    assert_array_equal(copied.normal([2]).numpy(), first)
    with pytest.raises(ValueError, match="3 integers"):
        tf.random.Generator(state=tf.Variable([1, 2], dtype=tf.int64), alg="philox")
    with pytest.raises(TypeError, match="int64"):
        tf.random.Generator(state=tf.Variable([1, 2, 3]), alg="philox")


def test_names_of_specs_are_part_of_what_they_take() -> None:
    spec = tf.TensorSpec([1], name="a")
    others = [tf.TensorSpec([1], name=name) for name in ("a", "b", None)]
    assert [spec.is_subtype_of(other) for other in others] == [True, False, False]
    assert [tf.TensorSpec([1]).is_subtype_of(other) for other in others] == [True] * 3


@pytest.mark.parametrize("name", ["assign", "assign_add", "assign_sub"])
def test_changes_that_are_not_read_give_nothing(name: str) -> None:
    v = tf.Variable([1.0, 2.0])
    expected = {"assign": [3, 4], "assign_add": [4, 6], "assign_sub": [-2, -2]}[name]

    def change() -> Any:
        return getattr(v, name)([3.0, 4.0], read_value=False)

    assert change() is None
    agrees(v, f4(*expected))
    v.assign([1.0, 2.0])
    assert tf.function(change)() is None
    agrees(v, f4(*expected))


# Elementwise functions


@pytest.mark.parametrize("labels", [0.0, 0.25, 1.0])
def test_the_slope_of_a_logistic_loss_at_zero(labels: float) -> None:
    x, z = np.array([0.0, -0.0, 40.0, -40.0, 1e3, -1e3]), np.full(6, labels)
    sigmoid = 1 / (1 + np.exp(-np.clip(x, -700, 700)))

    def loss(a: Any, b: Any) -> Any:
        return tf.nn.sigmoid_cross_entropy_with_logits(logits=a, labels=b)

    def weighted(a: Any, b: Any) -> Any:
        return tf.nn.weighted_cross_entropy_with_logits(b, a, 3.0)

    exact = z * np.logaddexp(0, -x) + (1 - z) * np.logaddexp(0, x)
    check(loss, (x, z), exact)
    check(gradients(loss), (x, z), (sigmoid - z, -x))
    by_logits = (1 - z) * sigmoid - 3 * z * (1 - sigmoid)
    check(lambda a, b: gradients(weighted)(a, b)[0], (x, z), by_logits)


def test_there_is_no_slope_where_there_is_no_acosh() -> None:
    found = gradients(tf.acosh)(tf.constant([-3.0, 0.5, 1.0, 2.0]))[0]
    agrees(found, f4(NAN, NAN, INF, 1 / np.sqrt(3)))
    z = tf.constant([-1 - 1j], tf.complex128)
    agrees(gradients(tf.acosh)(z)[0], 1 / np.conj(np.sqrt(-2 - 1j) * np.sqrt(-1j)).reshape(1))


def test_means_of_short_integers_do_not_overflow() -> None:
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32"):
        top = np.iinfo(dtype).max
        check(tf.reduce_mean, (np.array([top, top, top - 3], dtype),), np.array(top - 1, dtype)[()])
    check(tf.reduce_mean, (np.array([-3, -4]),), np.int64(-3))
    check(tf.reduce_mean, (np.array([2**62 + 1]),), np.int64(2**62 + 1))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tails_of_the_normal_distribution(dtype: str) -> None:
    # mpmath, with 40 digits
    tails = {1e-300: -37.0470962993611992, 1e-30: -11.4640246884436157, 0.5: 0, 1: INF}
    tails = tails | {0: -INF, 0.02: -2.05374891063182305, -0.1: NAN, 1.1: NAN}
    given = {p: y for p, y in tails.items() if dtype == "float64" or p != 1e-300}
    x, expected = np.array(list(given), dtype), np.array(list(given.values()))
    assert_allclose(tf.math.ndtri(tf.constant(x)), expected, 2e-6 if dtype == "float32" else 1e-9)
    inverse = tf.math.erfcinv(tf.constant(2 * x))
    assert_allclose(inverse, -expected / np.sqrt(2), 2e-6 if dtype == "float32" else 1e-9)
    p = np.linspace(0.001, 0.999, 999).astype(dtype)
    back = tf.math.erfc(-tf.math.ndtri(tf.constant(p)) / np.sqrt(2)) / 2
    assert_allclose(back, p, 1e-5 if dtype == "float32" else 1e-13)


def test_gamma_functions_far_below_zero() -> None:
    # the reflection of the trigamma function, and poles at the negative integers
    x = np.array([-100.5, -30.25, -12.0, -0.5])
    up = tf.math.polygamma(tf.ones(4, tf.float64), 1 - x)
    expected = np.where(x == -12, INF, np.pi**2 / np.sin(np.pi * x) ** 2 - up)
    found = tf.math.polygamma(tf.ones(4, tf.float64), tf.constant(x))
    assert_allclose(found, expected, 1e-12)
    cubes = sum((k - 20.5) ** -3.0 for k in range(200_000)) + 0.5 / (200_000 - 21.0) ** 2
    assert_allclose(tf.math.zeta(tf.constant(3.0, tf.float64), -20.5), cubes, 1e-9)


PLACES = [-INF, -30.0, -2.0, -0.0, 0.0, 0.5, 1.0, 2.0, INF]
ZETAS = {
    0.0: [NAN] * 9,
    1.0: [INF] * 9,
    1.5: [NAN, NAN, NAN, NAN, NAN, 4.776537947554834, 2.612375348685488, 1.6123753486854886, 0.0],
    2.0: [INF, INF, INF, INF, INF, 4.93480220054468, 1.6449340668482266, 0.6449340668482266, 0.0],
    3.0: [NAN, NAN, NAN, NAN, NAN, 8.414398322117158, 1.202056903159594, 0.2020569031595943, 0.0],
    1e10: [INF, INF, INF, INF, INF, INF, 1.0, 0.0, 0.0],
    INF: [INF, INF, INF, INF, INF, INF, 1.0, 0.0, 0.0],
}
POLYGAMMAS = {
    1.0: [INF, INF, INF, INF, INF, 4.93480220054468, 1.6449340668482266, 0.6449340668482266, 0.0],
    1.5: [NAN] * 9,
    1e-30: [NAN] * 9,
    2.0: [NAN] * 5 + [-16.828796644234316, -2.404113806319188, -0.4041138063191886, -0.0],
    INF: [INF, INF, INF, INF, INF, INF, INF, NAN, NAN],
}


@pytest.mark.parametrize(
    ("op", "first", "expected"),
    [
        *[(tf.math.zeta, first, expected) for first, expected in ZETAS.items()],
        *[(tf.math.polygamma, first, expected) for first, expected in POLYGAMMAS.items()],
    ],
)
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_zeta_and_polygamma_at_poles_and_infinities(
    op: Any, first: float, expected: list[float], dtype: Any
) -> None:
    """Figures of TensorFlow 2.21."""
    found = op(tf.constant(first, dtype), tf.constant(PLACES, dtype))
    assert_allclose(found, expected, 1e-5 if dtype is tf.float32 else 1e-12)
    swapped = op(tf.fill([len(PLACES), 1], tf.constant(first, dtype)), tf.constant(PLACES, dtype))
    assert_allclose(swapped[2], expected, 1e-5 if dtype is tf.float32 else 1e-12)


def test_truncated_quotients_by_zero() -> None:
    a, b = np.array([1.0, -1.0, INF, 7.0, 0.0]), np.array([0.0, 0.0, 2.0, -2.0, 0.0])
    check(tf.truncatediv, (a, b), np.array([INF, -INF, INF, -3.0, NAN]))
    check(tf.truncatediv, (np.float32(1), np.float32(0)), np.float32(INF))


ROWS, SQUARE = np.array([0, 0, 2], np.int32), np.arange(9.0).reshape(3, 3)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (tf.math.segment_sum, [[3, 5, 7], [0, 0, 0], [6, 7, 8]]),
        (tf.math.segment_mean, [[1.5, 2.5, 3.5], [0, 0, 0], [6, 7, 8]]),
        (tf.math.segment_max, [[3, 4, 5], [0, 0, 0], [6, 7, 8]]),
        (lambda x, i: tf.math.unsorted_segment_mean(x, i, 3)[0], [1.5, 2.5, 3.5]),
        (lambda x, i: tf.math.unsorted_segment_sqrt_n(x, i, 3)[2], [6, 7, 8]),
    ],
)
def test_segments_of_as_many_rows_as_columns(call: Any, expected: Any) -> None:
    check(call, (SQUARE, ROWS), np.array(expected, np.float64))


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod"])
def test_segments_of_nothing(name: str) -> None:
    call = getattr(tf.math, f"segment_{name}")
    check(call, (np.zeros((0, 3)), np.zeros(0, np.int32)), np.zeros((0, 3)))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16"])
def test_extremes_of_segments_that_are_infinite_or_empty(dtype: str) -> None:
    kind = tf.as_dtype(dtype)
    x = np.array([-INF, 1, INF]).astype(kind.as_numpy_dtype)
    ids, low, high = np.array([0, 2, 3], np.int32), float(kind.min), float(kind.max)

    def unsorted(of: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x, i: of(x, i, 5)

    for call, expected in (
        (tf.math.segment_max, [-INF, 0, 1, INF]),
        (tf.math.segment_min, [-INF, 0, 1, INF]),
        (unsorted(tf.math.unsorted_segment_max), [low, low, 1, INF, low]),
        (unsorted(tf.math.unsorted_segment_min), [-INF, high, 1, high, high]),
    ):
        check(call, (x, ids), np.array(expected).astype(x.dtype))


def test_one_number_is_repeated_and_padded_by_nothing() -> None:
    for call, expected in (
        (lambda x: tf.repeat(x, 3, axis=0), f4(5, 5, 5)),
        (lambda x: tf.repeat(x, 0, axis=-1), f4()),
    ):
        agrees(call(tf.constant(5.0)), expected)
        agrees(tf.function(call)(tf.constant(5.0)), expected)
    for mode in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        check(lambda x, n, m=mode: tf.pad(x, n, m), (f4(5)[0], np.zeros([0, 2], "i4")), f4(5)[0])


def test_texts_that_are_no_utf8_are_formatted_as_they_are() -> None:
    made = tf.strings.format("é{}|{}", (tf.constant([b"\xff\xfe"]), tf.constant("ü")))
    assert made.numpy() == 'é["'.encode() + b"\xff\xfe" + '"]|"ü"'.encode()


def test_means_of_segments_of_integers_and_complex_numbers() -> None:
    for dtype in ("int8", "uint8", "int32", "int64", "complex64"):
        x = np.array([[1, 2], [4, 5], [7, 8]], dtype)
        mean = (x[0] + x[1]) / 2 if dtype == "complex64" else (x[0] + x[1]) // 2
        wanted = np.stack([mean, x[0] * 0, x[2]]).astype(dtype)
        check(tf.math.segment_mean, (x, ROWS), wanted)


def test_the_gradient_of_concat_needs_no_rank() -> None:
    def doubled(x: Any) -> Any:
        return tf.concat([x, x], 1)

    check(gradients(lambda x: tf.square(doubled(x))), (SQUARE,), (4 * SQUARE,))


def test_unravelled_indices_of_any_rank() -> None:
    at, shape = np.array([[1, 2], [3, 8]]), np.array([3, 3])
    check(tf.unravel_index, (at, shape), np.stack(np.unravel_index(at, shape)))


@pytest.mark.parametrize("shapes", [([None, None], [None]), ([2, None], [3]), (None, None)])
@pytest.mark.parametrize(("channels", "length"), [(3, 1), (1, 3), (3, 2)])
def test_bias_of_a_length_that_only_the_run_knows(shapes: Any, channels: int, length: int) -> None:
    @tf.function(input_signature=[tf.TensorSpec(shape, tf.float32) for shape in shapes])
    def biased(x: Any, bias: Any) -> Any:
        return tf.nn.bias_add(x, bias)

    np.testing.assert_array_equal(biased(tf.ones([2, 3]), tf.ones([3])), np.full((2, 3), 2.0))
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError, ValueError)):
        biased(tf.ones([2, channels]), tf.ones([length]))


def test_truths_and_texts_are_padded_with_what_zero_stands_for() -> None:
    check(lambda x: tf.pad(x, [[1, 1]]), ([True, False],), np.array([False, True, False, False]))
    assert tf.pad(["a"], [[1, 0]]).numpy().tolist() == [b"", b"a"]
    with pytest.raises(TypeError, match="Cannot convert 1 to a tensor of dtype bool"):
        tf.pad([True], [[1, 1]], constant_values=1)


def _power_of_c(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except ValueError:  # of what C has NaN for, or at a pole
        return INF if x == 0 else NAN


@pytest.mark.parametrize("exponent", [0.5, -0.5, 2.0])
@pytest.mark.parametrize("size", [(), (1,), (600,)])
@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
def test_powers_at_signed_zeros_and_infinities(dtype: Any, size: Any, exponent: float) -> None:
    """As C has them: the square root of -0.0 is -0.0, and that of -inf none."""
    same = tf.constant(exponent, dtype)
    column = tf.fill([2, 1], same)
    ways = [
        lambda x: x**exponent, lambda x: x**same, lambda x: tf.pow(x, exponent),
        lambda x: tf.reshape((tf.expand_dims(x, 0) ** column)[1], size),
    ]  # fmt: skip
    staged = [tf.function(way, jit_compile=jit) for way in ways for jit in (None, True)]
    for base in (-INF, INF, NAN, -0.0, 0.0, -4.0, 4.0):
        x = tf.constant(np.full(size, base), dtype)
        wanted = np.full(size, _power_of_c(base, exponent))
        for way in ways + staged:
            made = way(x)
            assert np.array_equal(made.numpy(), wanted, equal_nan=True)
            if base == 0:
                assert not np.signbit(made.numpy()).any()
