"""Public ops against NumPy, against Python, or against a definition written out here."""

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import runtime as tf
from runtime import errors
from runtime.core.primitive import TABLE

rng = np.random.default_rng(3)
A = rng.standard_normal((2, 3))
B = rng.standard_normal((2, 3))
POSITIVE = np.abs(A) + 0.1
UNIT = A / 4
CUBE = rng.standard_normal((2, 3, 4))
SQUARE = rng.standard_normal((3, 3)) + 2 * np.eye(3)
BATCH = rng.standard_normal((2, 3, 3)) + 2 * np.eye(3)
SPD = SQUARE @ SQUARE.T
INTS = np.array([[7, -7, 3], [-3, 5, 0]], np.int32)
DIVISORS = np.array([[2, 2, -2], [-2, 3, 4]], np.int32)
Z = A + 1j * B
IDS = np.array([2, 0, 1, 2], np.int32)

Op = Callable[..., Any]


def each(function: Callable[[float], float]) -> Op:
    return np.vectorize(function, otypes=[np.float64])


def of_three(function: Callable[[int, int, int], int]) -> Op:
    return np.vectorize(lambda a, b, c: function(int(a), int(b), int(c)))


def softmax(x: Any, axis: int = -1) -> Any:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


# public function, second opinion, arguments (arrays become tensors)
SAME: list[tuple[Op, Op, tuple[Any, ...]]] = [
    (tf.add, np.add, (A, B)),
    (tf.subtract, np.subtract, (A, B[0])),
    (tf.multiply, np.multiply, (A, B[:, :1])),
    (tf.divide, np.divide, (A, POSITIVE)),
    (tf.truediv, np.true_divide, (INTS, DIVISORS)),
    (tf.math.floordiv, np.floor_divide, (INTS, DIVISORS)),
    (tf.math.floordiv, np.floor_divide, (A, B)),
    (tf.math.mod, np.mod, (INTS, DIVISORS)),
    (tf.math.floormod, np.mod, (A, B)),
    (tf.truncatediv, lambda a, b: np.trunc(a / b).astype(np.int32), (INTS, DIVISORS)),
    (tf.truncatemod, np.fmod, (INTS, DIVISORS)),
    (pow, of_three(pow), (INTS, np.array(10**17, np.int64), DIVISORS)),
    (pow, of_three(pow), (INTS, np.array([[3, 10**17, 0]]), 1_000_003)),
    (tf.pow, np.power, (POSITIVE, B)),
    (tf.pow, np.power, (INTS, np.array(3, np.int32))),
    (tf.negative, np.negative, (A,)),
    (tf.abs, np.abs, (INTS,)),
    (tf.abs, np.abs, (Z,)),
    (tf.sign, np.sign, (A,)),
    (tf.square, np.square, (A,)),
    (tf.sqrt, np.sqrt, (POSITIVE,)),
    (tf.math.rsqrt, lambda x: 1 / np.sqrt(x), (POSITIVE,)),
    (tf.math.reciprocal, lambda x: 1 / x, (POSITIVE,)),
    (tf.exp, np.exp, (A,)),
    (tf.exp, np.exp, (Z,)),
    (tf.math.expm1, np.expm1, (A,)),
    (tf.math.log, np.log, (POSITIVE,)),
    (tf.math.log1p, np.log1p, (POSITIVE,)),
    (tf.sin, np.sin, (A,)),
    (tf.cos, np.cos, (A,)),
    (tf.tan, np.tan, (A,)),
    (tf.asin, np.arcsin, (UNIT,)),
    (tf.acos, np.arccos, (UNIT,)),
    (tf.atan, np.arctan, (A,)),
    (tf.atan2, np.arctan2, (A, B)),
    (tf.sinh, np.sinh, (A,)),
    (tf.cosh, np.cosh, (A,)),
    (tf.tanh, np.tanh, (A,)),
    (tf.asinh, np.arcsinh, (A,)),
    (tf.acosh, np.arccosh, (POSITIVE + 1,)),
    (tf.atanh, np.arctanh, (UNIT,)),
    (tf.floor, np.floor, (A * 3,)),
    (tf.math.ceil, np.ceil, (A * 3,)),
    (tf.math.rint, np.rint, (np.array([0.5, 1.5, 2.5, -0.5]),)),
    (tf.round, np.round, (np.array([0.5, 1.5, 2.5, -0.5]),)),
    (tf.round, lambda x: x, (INTS,)),
    (tf.maximum, np.maximum, (A, B)),
    (tf.minimum, np.minimum, (A, B)),
    (tf.math.squared_difference, lambda a, b: (a - b) ** 2, (A, B)),
    (tf.math.is_nan, np.isnan, (np.array([1, np.nan, np.inf]),)),
    (tf.math.is_inf, np.isinf, (np.array([1, np.nan, np.inf]),)),
    (tf.math.is_finite, np.isfinite, (np.array([1, np.nan, np.inf]),)),
    (tf.math.erf, each(math.erf), (A * 3,)),
    (tf.math.erfc, each(math.erfc), (A * 3,)),
    (tf.math.lgamma, each(math.lgamma), (A * 5,)),
    (tf.math.xlogy, lambda x, y: x * np.log(y), (A, POSITIVE)),
    (tf.math.xlogy, lambda x, y: np.zeros(2), (np.zeros(2), np.array([0.0, np.nan]))),
    (tf.math.divide_no_nan, lambda x, y: np.array([0, 0.5]), (np.ones(2), np.array([0.0, 2.0]))),
    (tf.math.multiply_no_nan, lambda x, y: np.zeros(1), (np.array([np.nan]), np.zeros(1))),
    (tf.complex, lambda a, b: a + 1j * b, (A, B)),
    (tf.math.real, np.real, (Z,)),
    (tf.math.imag, np.imag, (Z,)),
    (tf.math.conj, np.conj, (Z,)),
    (tf.math.angle, np.angle, (Z,)),
    (tf.math.angle, np.angle, (A,)),
    (tf.equal, np.equal, (INTS, DIVISORS)),
    (tf.not_equal, np.not_equal, (INTS, DIVISORS)),
    (tf.less, np.less, (A, B)),
    (tf.less_equal, np.less_equal, (A, B)),
    (tf.greater, np.greater, (A, B)),
    (tf.greater_equal, np.greater_equal, (A, B)),
    (tf.logical_and, np.logical_and, (A > 0, B > 0)),
    (tf.logical_or, np.logical_or, (A > 0, B > 0)),
    (tf.math.logical_xor, np.logical_xor, (A > 0, B > 0)),
    (tf.logical_not, np.logical_not, (A > 0,)),
    (tf.bitwise.bitwise_and, np.bitwise_and, (INTS, DIVISORS)),
    (tf.bitwise.bitwise_or, np.bitwise_or, (INTS, DIVISORS)),
    (tf.bitwise.bitwise_xor, np.bitwise_xor, (INTS, DIVISORS)),
    (tf.bitwise.invert, np.invert, (INTS,)),
    (tf.bitwise.left_shift, np.left_shift, (INTS, np.array(2, np.int32))),
    (tf.bitwise.right_shift, np.right_shift, (INTS, np.array(1, np.int32))),
    (tf.reduce_sum, np.sum, (A,)),
    (tf.reduce_sum, lambda x, axis: np.sum(x, axis, dtype=x.dtype), (INTS, 0)),
    (tf.reduce_sum, lambda x, axis, k: np.sum(x, axis, keepdims=k), (CUBE, (0, -1), True)),
    (tf.reduce_mean, np.mean, (CUBE, 1)),
    (tf.reduce_max, np.max, (CUBE, (0, 2))),
    (tf.reduce_min, np.min, (CUBE, -1)),
    (tf.reduce_prod, np.prod, (A, 0)),
    (tf.reduce_all, np.all, (A > 0, 1)),
    (tf.reduce_any, np.any, (A > 0, 0)),
    (tf.math.reduce_variance, np.var, (CUBE, 1)),
    (tf.math.reduce_std, np.std, (CUBE,)),
    (tf.math.reduce_euclidean_norm, np.linalg.norm, (A, None)),
    (tf.reduce_logsumexp, lambda x, a: np.log(np.sum(np.exp(x), a)), (A, 1)),
    (tf.reduce_logsumexp, lambda x: np.float64(1000 + math.log(2)), (np.array([1000.0, 1000.0]),)),
    (tf.math.count_nonzero, np.count_nonzero, (INTS,)),
    (tf.math.zero_fraction, lambda x: np.float32(1 / 6), (INTS,)),
    (tf.cumsum, np.cumsum, (A, 1)),
    (tf.math.cumprod, np.cumprod, (A, 0)),
    (tf.cumsum, lambda x: np.array([0.0, 1, 3]), (np.array([1.0, 2, 3]), 0, True)),
    (tf.cumsum, lambda x: np.array([6.0, 5, 3]), (np.array([1.0, 2, 3]), 0, False, True)),
    (tf.math.cumulative_logsumexp, lambda x: np.logaddexp.accumulate(x), (A[0],)),
    (tf.reshape, np.reshape, (CUBE, (4, -1))),
    (tf.transpose, np.transpose, (CUBE,)),
    (tf.transpose, np.transpose, (CUBE, (2, 0, 1))),
    (tf.expand_dims, np.expand_dims, (A, 1)),
    (tf.squeeze, np.squeeze, (A[:, :1],)),
    (tf.broadcast_to, np.broadcast_to, (A[0], (4, 3))),
    (tf.tile, np.tile, (A, (2, 3))),
    (tf.repeat, np.repeat, (A, 2, 1)),
    (tf.repeat, np.repeat, (A, np.array([1, 3]), 0)),
    (tf.repeat, np.repeat, (INTS, 2)),
    (tf.reverse, np.flip, (A, [0, 1])),
    (tf.roll, np.roll, (A, 4, 1)),
    (tf.pad, np.pad, (A, ((1, 0), (0, 2)))),
    (tf.concat, lambda xs, a: np.concatenate(xs, a), ([A, B], 1)),
    (tf.stack, lambda xs, a: np.stack(xs, a), ([A, B], -1)),
    (tf.where, np.where, (A > 0, A, B)),
    (tf.where, lambda c: np.argwhere(c), (A > 0,)),
    (tf.gather, lambda x, i: x[i], (A, np.array([1, 0, 1]))),
    (tf.gather_nd, lambda x, i: x[tuple(i.T)], (A, np.array([[0, 1], [1, 2]]))),
    (tf.boolean_mask, lambda x, m: x[m], (A, A > 0)),
    (tf.boolean_mask, lambda x, m: x[m], (CUBE, np.array([False, True]))),
    (tf.tensor_scatter_nd_update, lambda x, i, u: np.vstack([x[:1], u]), (A, [[1]], B[:1])),
    (tf.argmax, lambda x: np.argmax(x, 0), (A,)),
    (tf.argmin, np.argmin, (CUBE, -1)),
    (tf.sort, np.sort, (CUBE, 1)),
    (tf.sort, lambda x, a, d: -np.sort(-x, a), (A, -1, "DESCENDING")),
    (tf.argsort, lambda x: np.argsort(x).astype(np.int32), (A,)),
    (tf.searchsorted, np.searchsorted, (np.array([1.0, 3, 3, 5]), np.array([3.0, 0, 9]))),
    (tf.math.bincount, lambda x: np.bincount(x), (IDS,)),
    (tf.math.invert_permutation, np.argsort, (np.array([2, 0, 1], np.int32),)),
    (tf.eye, np.eye, (3,)),
    (tf.range, np.arange, (5,)),
    (tf.range, np.arange, (2, 11, 3)),
    (tf.range, np.arange, (5, -1, -2)),
    (tf.range, np.arange, (0.0, 1.0, 0.25)),
    (tf.linspace, np.linspace, (np.array(0.0), np.array(1.0), 7)),
    (tf.linspace, np.linspace, (np.array(2), np.array(-1), 3)),
    (tf.linspace, np.linspace, (np.array([1j, 0]), np.array([2, 3j]), 5)),
    (
        tf.linspace,
        lambda a, b, n: np.linspace(a, b, n, dtype="f"),
        (np.array(2, np.int8), np.array(9, np.int8), 5),
    ),
    (tf.fill, lambda s, v: np.full(s, v), ((2, 3), 7)),
    (tf.zeros, np.zeros, ((2, 3),)),
    (tf.ones, np.ones, ((2,),)),
    (tf.zeros_like, np.zeros_like, (INTS,)),
    (tf.one_hot, lambda i, n: np.eye(n)[i], (IDS, 3)),
    (tf.sequence_mask, lambda n: np.arange(3) < n[:, None], (np.array([1, 3, 0]),)),
    (tf.shape, lambda x: np.array(x.shape), (CUBE,)),
    (tf.size, np.size, (CUBE,)),
    (tf.rank, np.ndim, (CUBE,)),
    (tf.matmul, np.matmul, (A, B.T)),
    (tf.matmul, np.matmul, (CUBE, rng.standard_normal((4, 2)))),
    (tf.linalg.matvec, np.matmul, (A, B[0])),
    (tf.tensordot, np.tensordot, (CUBE, rng.standard_normal((4, 5)), 1)),
    (tf.tensordot, np.tensordot, (CUBE, CUBE, [[0, 2], [0, 2]])),
    (tf.linalg.inv, np.linalg.inv, (BATCH,)),
    (tf.linalg.det, np.linalg.det, (BATCH,)),
    (tf.linalg.solve, np.linalg.solve, (SQUARE, A.T)),
    (tf.linalg.cholesky, np.linalg.cholesky, (SPD,)),
    (tf.linalg.logdet, lambda x: np.linalg.slogdet(x)[1], (SPD,)),
    (tf.linalg.eigvalsh, np.linalg.eigvalsh, (SPD,)),
    (tf.linalg.trace, np.trace, (SQUARE,)),
    (tf.linalg.diag, np.diag, (A[0],)),
    (lambda x: tf.linalg.diag(x, k=2), lambda x: np.diag(x, 2), (A[0],)),
    (lambda x: tf.linalg.diag(x, k=-1), lambda x: np.diag(x, -1), (A[0],)),
    (tf.linalg.diag_part, np.diag, (SQUARE,)),
    (tf.linalg.band_part, lambda x, *_: np.tril(x), (SQUARE, -1, 0)),
    (tf.linalg.cross, np.cross, (A, B)),
    (tf.linalg.pinv, np.linalg.pinv, (A,)),
    (tf.linalg.matrix_rank, np.linalg.matrix_rank, (np.ones((3, 2)),)),
    (tf.norm, np.linalg.norm, (A,)),
    (tf.norm, np.linalg.norm, (A[0], 1)),
    (tf.norm, lambda x, *_: np.linalg.norm(x, 2), (A, 2, (0, 1))),
    (tf.norm, lambda x, *_: np.linalg.norm(x, np.inf), (A, np.inf, (0, 1))),
    (tf.nn.relu, lambda x: np.maximum(x, 0), (A,)),
    (tf.nn.relu6, lambda x: np.clip(x, 0, 6), (A * 9,)),
    (tf.nn.leaky_relu, lambda x: np.where(x > 0, x, 0.2 * x), (A,)),
    (tf.nn.elu, lambda x: np.where(x > 0, x, np.exp(x) - 1), (A,)),
    (tf.nn.sigmoid, lambda x: 1 / (1 + np.exp(-x)), (A,)),
    (tf.nn.softplus, lambda x: np.log(1 + np.exp(x)), (A,)),
    (tf.nn.softsign, lambda x: x / (1 + abs(x)), (A,)),
    (tf.nn.silu, lambda x: x / (1 + np.exp(-x)), (A,)),
    (tf.nn.gelu, lambda x: x * 0.5 * (1 + each(math.erf)(x / math.sqrt(2))), (A,)),
    (tf.nn.softmax, softmax, (A,)),
    (tf.nn.softmax, softmax, (CUBE, 1)),
    (tf.nn.log_softmax, lambda x: np.log(softmax(x)), (A,)),
    (tf.math.log_sigmoid, lambda x: -np.log(1 + np.exp(-x)), (A,)),
    (tf.nn.l2_loss, lambda x: (x**2).sum() / 2, (A,)),
    (tf.nn.compute_average_loss, lambda x: x.sum() / 2, (np.array([[1.0, 3], [2, 5]]),)),
    (tf.nn.compute_average_loss, lambda x, w: 5.5, (np.array([[1.0], [2]]), np.array([3.0, 4]))),
    (tf.nn.compute_average_loss, lambda x, w: 5.5, (np.array([1.0, 2]), np.array([[3.0], [4]]))),
    (tf.nn.compute_average_loss, lambda x, w, n: 6 / 8, (np.array([1.0, 2]), 2.0, 8)),
    (tf.nn.compute_average_loss, lambda x: 0.0, ([],)),
    (tf.nn.scale_regularization_loss, np.sum, (A,)),
    (tf.math.l2_normalize, lambda x, a: x / np.linalg.norm(x, axis=a, keepdims=True), (A, 1)),
    (tf.clip_by_value, np.clip, (A, -0.5, 0.5)),
    (tf.clip_by_norm, lambda x, n: x * n / np.linalg.norm(x), (A, 0.5)),
    (tf.clip_by_norm, lambda x, n: x, (A, 100.0)),
    (tf.math.segment_sum, lambda x, i: np.array([[3.0], [3.0]]), ([[1.0], [2], [3]], [0, 0, 1])),
    (tf.math.unsorted_segment_sum, lambda x, i, n: np.eye(n)[i].T @ x, (np.eye(4), IDS, 3)),
    (tf.math.polyval, lambda c, x: np.polyval(c, x), ([1.0, -2.0, 3.0], A)),
    (tf.einsum, np.einsum, ("ij,kj->ik", A, B)),
    (tf.einsum, np.einsum, ("ii", SQUARE)),
    (tf.einsum, np.einsum, ("ii->i", SQUARE)),
    (tf.einsum, np.einsum, ("...ij,...jk", BATCH, SQUARE)),
    (tf.einsum, np.einsum, ("bij,bkj->kbi", BATCH, BATCH)),
    (tf.einsum, np.einsum, ("bij,bjk,ik->kb", BATCH, BATCH, SQUARE)),
    (tf.einsum, np.einsum, ("ij,ij,ij->i", SQUARE, SQUARE, SQUARE)),
    (tf.einsum, np.einsum, ("ij,k->kij", SQUARE, SQUARE[0])),
    (tf.unravel_index, lambda i, s: np.array(np.unravel_index(i, s)), (np.array([5, 7]), (2, 4))),
    (tf.reverse_sequence, lambda x, n: np.stack([x[0], x[1, ::-1]]), (A, [1, 3])),
]


def _tensors(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return tf.constant(value)
    return [_tensors(v) for v in value] if isinstance(value, list) else value


def _names(table: list[Any]) -> list[str]:
    return [f"{row[0].__name__}-{i}" for i, row in enumerate(table)]


@pytest.mark.parametrize(("op", "opinion", "args"), SAME, ids=_names(SAME))
def test_ops_are_numpys(op: Op, opinion: Op, args: Any) -> None:
    result = op(*map(_tensors, args))
    try:
        expected = np.asarray(opinion(*args))
    except TypeError:
        expected = np.asarray(opinion(args[0]))
    assert result.shape == expected.shape
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-12, atol=1e-13)


def _softmax_loss(labels: Any, logits: Any) -> Any:
    return -(labels * np.log(softmax(logits))).sum(-1)


def test_losses() -> None:
    labels = softmax(B)
    np.testing.assert_allclose(
        tf.nn.softmax_cross_entropy_with_logits(labels, A), _softmax_loss(labels, A)
    )
    classes = np.array([2, 0])
    np.testing.assert_allclose(
        tf.nn.sparse_softmax_cross_entropy_with_logits(classes, A),
        _softmax_loss(np.eye(3)[classes], A),
    )
    p = 1 / (1 + np.exp(-A))
    expected = -labels * np.log(p) - (1 - labels) * np.log(1 - p)
    np.testing.assert_allclose(tf.nn.sigmoid_cross_entropy_with_logits(labels, A), expected)
    weighted = -3 * labels * np.log(p) - (1 - labels) * np.log(1 - p)
    np.testing.assert_allclose(tf.nn.weighted_cross_entropy_with_logits(labels, A, 3.0), weighted)
    big = np.array([1000.0, -1000.0])
    assert_array_equal(tf.nn.sigmoid_cross_entropy_with_logits(np.array([1.0, 0.0]), big), [0, 0])


def test_moments_and_batch_normalization() -> None:
    mean, variance = tf.nn.moments(CUBE, [0, 2])
    np.testing.assert_allclose(mean, CUBE.mean((0, 2)))
    np.testing.assert_allclose(variance, CUBE.var((0, 2)))
    made = tf.nn.batch_normalization(A, A.mean(0), A.var(0), B[0], B[1], 1e-3)
    expected = (A - A.mean(0)) / np.sqrt(A.var(0) + 1e-3) * B[1] + B[0]
    np.testing.assert_allclose(made, expected)


def test_decompositions_multiply_to_their_input() -> None:
    tall = rng.standard_normal((4, 3))
    q, r = tf.linalg.qr(tall)
    np.testing.assert_allclose(q @ r, tall)
    np.testing.assert_allclose(tf.transpose(q) @ q, np.eye(3), atol=1e-12)
    s, u, v = tf.linalg.svd(tall)
    np.testing.assert_allclose(u @ tf.linalg.diag(s) @ tf.transpose(v), tall)
    values, vectors = tf.linalg.eigh(SPD)
    np.testing.assert_allclose(vectors @ tf.linalg.diag(values) @ tf.transpose(vectors), SPD)
    sign, logarithm = tf.linalg.slogdet(BATCH)
    np.testing.assert_allclose(sign * tf.exp(logarithm), np.linalg.det(BATCH))
    factor = tf.linalg.cholesky(SPD)
    np.testing.assert_allclose(tf.linalg.cholesky_solve(factor, A.T), np.linalg.solve(SPD, A.T))
    np.testing.assert_allclose(
        tf.linalg.triangular_solve(SQUARE, A.T), np.linalg.solve(np.tril(SQUARE), A.T)
    )
    np.testing.assert_allclose(
        tf.linalg.lstsq(tall, np.ones((4, 1))), np.linalg.lstsq(tall, np.ones((4, 1)))[0]
    )
    values, vectors = np.linalg.eig(SQUARE)
    exponential = vectors @ np.diag(np.exp(values)) @ np.linalg.inv(vectors)
    np.testing.assert_allclose(tf.linalg.expm(SQUARE), exponential.real)


@pytest.mark.parametrize("shape", [None, [None, None, None], [2, 3, 3]])
def test_expm_in_a_graph(shape: Any) -> None:
    def steep(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.linalg.expm(x)
        return y, tape.gradient(y, x)

    matrices = np.linspace(-3.0, 5.0, 18).reshape(2, 3, 3) * [[[0.01]], [[1.0]]]
    spec = tf.TensorSpec(shape, tf.float64)
    staged = tf.function(steep, input_signature=[spec])
    for given in (matrices, matrices * 0.0, matrices * -2.0):
        for ours, theirs in zip(staged(given), steep(tf.constant(given)), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ((-9,), "start <= limit when delta > 0: 0/-9"),
        ((5, 2), "start <= limit when delta > 0: 5/2"),
        ((1.0, 5.0, -0.5), "start >= limit when delta < 0: 1.0/5.0"),
        ((1, 5, 0), "delta != 0"),
    ],
)
def test_a_range_that_leads_away_is_refused(ends: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.range(*ends)
    with pytest.raises(ValueError, match=message):
        tf.function(lambda: tf.range(*ends))()
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.function(tf.range)(*map(tf.constant, ends))
    assert tf.range(3, 3).shape == tf.range(3, 3, -1).shape == [0]


def test_top_k_prefers_the_earlier_of_equals() -> None:
    values, indices = tf.math.top_k([1, 3, 3, 2, 3], k=4)
    assert values.numpy().tolist() == [3, 3, 3, 2]
    assert indices.numpy().tolist() == [1, 2, 4, 3]
    assert indices.dtype == tf.int32
    unsigned = tf.math.top_k(tf.constant([0, 255, 7], tf.uint8), 2)
    assert unsigned.values.numpy().tolist() == [255, 7]


SORTED = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
SHAPES = [(0,), (0, 9), (1,), (7,), (3000,), (4, 900), (500, 9), (900, 4), (3, 700, 2), (40, 3, 50)]


def disordered(dtype: str, shape: tuple[int, ...], how: str) -> Any:
    """Numbers of all of the dtype's range, or few with many equal ones, or sorted ones; among those
    of floating point are NaN and zeros of either sign.
    """
    kind, rng = np.dtype(dtype), np.random.default_rng(len(shape) + len(how))
    if kind.kind == "b":
        return rng.uniform(size=shape) < 0.5
    if kind.kind != "f":
        limits = np.iinfo(kind)
        low, high = (0, 5) if how == "equal" else (limits.min, limits.max)
        x = rng.integers(low, high, shape, kind, endpoint=True)
    else:
        x = (rng.normal(size=shape) * 100).astype(kind)
        x = np.round(x / 50) if how == "equal" else x
        special = rng.integers(0, 30, shape)
        for at, value in enumerate([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0]):
            x[special == at] = value
    return np.sort(x, -1) if how == "sorted" else x


@pytest.mark.parametrize("how", ["any", "equal", "sorted", "turned"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", SORTED)
def test_arrays_are_ordered_as_numpy_orders_them(dtype: str, shape: Any, how: str) -> None:
    x = disordered(dtype, shape, how)
    if how == "turned":
        x = np.asfortranarray(x)[..., ::-1]
    for axis in range(len(shape)):
        up = np.argsort(x, axis, kind="stable")
        down = x.shape[axis] - 1 - np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
        assert_array_equal(tf.argsort(x, axis), up)
        assert_array_equal(tf.argsort(x, axis, "DESCENDING"), down)
        if dtype != "?":
            assert_array_equal(tf.sort(x, axis), np.take_along_axis(x, up, axis))
            found = tf.sort(x, axis, "DESCENDING")
            assert_array_equal(found, np.take_along_axis(x, down, axis))
        if x.shape[axis]:
            assert_array_equal(tf.argmax(x, axis), np.argmax(x, axis))
            assert_array_equal(tf.argmin(x, axis, tf.int32), np.argmin(x, axis))


@pytest.mark.parametrize("how", ["any", "equal", "sorted", "turned"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", SORTED[:-1])
def test_top_k_is_the_start_of_a_stable_sort(dtype: str, shape: Any, how: str) -> None:
    x = disordered(dtype, shape, how)
    if how == "turned":
        x = np.asfortranarray(x)[..., ::-1]
    n = shape[-1]
    order = n - 1 - np.argsort(x[..., ::-1], -1, kind="stable")[..., ::-1]
    for k in {0, min(1, n), n // 100, n // 8, n}:
        values, indices = tf.math.top_k(x, k)
        assert_array_equal(indices, order[..., :k])
        assert_array_equal(values, np.take_along_axis(x, order[..., :k], -1))


@pytest.mark.parametrize("kind", ["ties", "nan", "rows"])
@pytest.mark.parametrize("k", [1, 7, 128, 1024])
def test_top_k_of_many_is_the_start_of_a_stable_sort(kind: str, k: int) -> None:
    x = np.random.default_rng(k).integers(0, 50, (2, 1024) if kind == "rows" else 1024).astype("f4")
    x[..., ::9] = np.nan if kind == "nan" else -np.inf
    values, indices = tf.math.top_k(x, k)
    order = 1023 - np.argsort(x[..., ::-1], -1, kind="stable")[..., ::-1][..., :k]
    assert_array_equal(indices, order)
    assert_array_equal(values, np.take_along_axis(x, order, -1))


@pytest.mark.parametrize("op", [tf.sqrt, tf.math.rsqrt, tf.math.reciprocal])
@pytest.mark.parametrize("dtype", [tf.float32, tf.complex128])
def test_infinite_slopes_times_zero_are_zero(op: Any, dtype: Any) -> None:
    x = tf.constant([0.0, 4.0], dtype)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = op(x)
        only = tf.reduce_sum(tf.where([False, True], y, tf.ones_like(y)))
    slope = tape.gradient(only, x).numpy()
    assert slope[0] == 0
    step = 1e-3
    rise = (op(x + step) - op(x - step)).numpy()[1] / (2 * step)
    np.testing.assert_allclose(slope[1], rise, rtol=1e-3)
    assert not np.isfinite(tape.gradient(y, x).numpy()[0])


def test_unique_keeps_the_order_of_appearance() -> None:
    y, idx, count = tf.unique_with_counts([4, 2, 4, 9, 2, 4])
    assert y.numpy().tolist() == [4, 2, 9]
    assert idx.numpy().tolist() == [0, 1, 0, 2, 1, 0]
    assert count.numpy().tolist() == [3, 2, 1]
    assert tf.unique(["b", "a", "b"]).y.numpy().tolist() == [b"b", b"a"]


def test_nan_is_unequal_to_itself_among_unique_elements() -> None:
    y, idx, count = tf.unique_with_counts([1.0, np.nan, 1.0, np.nan])
    np.testing.assert_array_equal(y, [1.0, np.nan, np.nan])
    assert (idx.numpy().tolist(), count.numpy().tolist()) == ([0, 1, 0, 2], [2, 1, 1])


@pytest.mark.parametrize(
    ("parts", "lengths"), [(3, [2, 2, 2]), ([1, 2, 3], [1, 2, 3]), ([4, -1], [4, 2])]
)
def test_split_and_unstack(parts: Any, lengths: list[int]) -> None:
    x = np.arange(12.0).reshape(2, 6)
    made = tf.split(x, parts, axis=1)
    assert [part.shape[1] for part in made] == lengths
    assert_array_equal(tf.concat(made, 1), x)
    columns = tf.unstack(x, axis=1)
    assert_array_equal(tf.stack(columns, 1), x)


@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
def test_mirrored_pads(mode: str) -> None:
    made = tf.pad(A, [[1, 0], [2, 1]], mode=mode)
    assert_array_equal(made, np.pad(A, [[1, 0], [2, 1]], mode))  # type: ignore[call-overload]


@pytest.mark.parametrize("indexing", ["xy", "ij"])
def test_meshgrid(indexing: Any) -> None:
    vectors = [np.arange(2), np.arange(3), np.arange(4)]
    for made, expected in zip(
        tf.meshgrid(*vectors, indexing=indexing),
        np.meshgrid(*vectors, indexing=indexing),
        strict=True,
    ):
        assert_array_equal(made, expected)


@pytest.mark.parametrize(("axis", "batch_dims"), [(1, 1), (2, 1), (2, 2), (1, 0), (-1, 1)])
def test_gather_with_batches(axis: int, batch_dims: int) -> None:
    shape = (2, 3, 2) if batch_dims < 2 else (2, 3, 4)
    indices = rng.integers(0, 3, shape)
    made = tf.gather(CUBE, indices, axis=axis, batch_dims=batch_dims)
    place = axis % 3
    if not batch_dims:
        assert_array_equal(made, np.take(CUBE, indices, axis))
        return
    rows = [
        tf.gather(CUBE[i], indices[i], axis=place - 1, batch_dims=batch_dims - 1) for i in range(2)
    ]
    assert_array_equal(made, np.stack(rows))


def test_scatter_adds_what_meets() -> None:
    made = tf.scatter_nd([[1], [3], [1]], [1.0, 2.0, 10.0], [5])
    assert made.numpy().tolist() == [0, 11, 0, 2, 0]
    x = tf.constant([5, 5, 5])
    assert tf.tensor_scatter_nd_add(x, [[0], [0]], [1, 2]).numpy().tolist() == [8, 5, 5]
    assert tf.tensor_scatter_nd_sub(x, [[0], [2]], [1, 2]).numpy().tolist() == [4, 5, 3]
    assert tf.tensor_scatter_nd_max(x, [[0], [1]], [9, 2]).numpy().tolist() == [9, 5, 5]
    assert tf.tensor_scatter_nd_min(x, [[0], [1]], [9, 2]).numpy().tolist() == [5, 2, 5]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axes", [(0, 1), (-1, -2), (2, 0)])
@pytest.mark.parametrize("ord", ["fro", 1, 2, np.inf])
def test_norms_of_matrices_of_unknown_rank(ord: Any, axes: Any, keepdims: bool) -> None:
    spec = tf.TensorSpec(None, tf.float64)
    staged = tf.function(lambda x: tf.norm(x, ord, axes, keepdims), input_signature=[spec])
    wanted = np.linalg.norm(CUBE, ord, axes, keepdims)
    np.testing.assert_allclose(staged(CUBE), wanted)
    np.testing.assert_allclose(tf.norm(CUBE, ord, axes, keepdims), wanted)


def test_norms_that_there_are_not() -> None:
    """As in TensorFlow 2.21, which refuses each of them with a ValueError."""
    for ord, axis in (("fro", None), (-7, None), (0, None), ("fro", -1)):
        with pytest.raises(ValueError, match="'ord' must be a supported vector norm"):
            tf.norm(A, ord, axis)
    for ord in ("foo", -7, 1.1):
        with pytest.raises(ValueError, match="'ord' must be a supported matrix norm"):
            tf.norm(A, ord, [-2, -1])
    for axis in ([], [0, 1, 2], [1, 1]):
        with pytest.raises(ValueError, match="'axis' must be"):
            tf.norm(A, axis=axis)


def test_global_norms() -> None:
    clipped, length = tf.clip_by_global_norm([tf.constant([3.0]), None, tf.constant([4.0])], 1.0)
    assert float(length) == 5.0
    np.testing.assert_allclose(clipped[0], [0.6], rtol=1e-6)
    assert clipped[1] is None
    infinite, _ = tf.clip_by_global_norm([tf.constant([np.inf])], 1.0)
    assert np.isnan(infinite[0].numpy()).all()


def test_casting() -> None:
    x = tf.constant([1.9, -1.9, 0.0])
    assert tf.cast(x, tf.int32).numpy().tolist() == [1, -1, 0]
    assert tf.cast(x, tf.bool).numpy().tolist() == [True, True, False]
    assert tf.cast(x, "float64").dtype == tf.float64
    assert tf.cast(tf.constant(1 + 2j), tf.float32).numpy() == 1.0
    assert tf.cast(3, tf.float16).dtype == tf.float16
    assert tf.saturate_cast(tf.constant([300.0, -5.0]), tf.uint8).numpy().tolist() == [255, 0]
    assert int(tf.saturate_cast(tf.constant(1e30), tf.int32)) <= 2**31 - 1
    assert tf.bitcast(tf.constant(1.0), tf.int32).numpy() == 0x3F800000


@pytest.mark.parametrize(
    ("dtype", "quotient"), [("int8", "float32"), ("int32", "float64"), ("uint8", "float32")]
)
def test_true_division_of_integers(dtype: str, quotient: str) -> None:
    x = tf.constant([1, 2], dtype)
    assert (x / x).dtype == quotient
    assert (x / 2).numpy().tolist() == [0.5, 1.0]
    assert (3 / x).dtype == quotient


@pytest.mark.parametrize("op", [tf.math.floordiv, tf.math.floormod, tf.truncatediv, tf.truncatemod])
def test_integers_divided_by_zero(op: Op) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="division by zero"):
        op(tf.constant([1, 2]), tf.constant([1, 0]))
    assert not np.isfinite(op(tf.constant(1.0), tf.constant(0.0)).numpy())


def test_floating_point_trouble_is_silent() -> None:
    zero, huge = tf.constant([0.0]), tf.constant([3e38])
    results = [zero / zero, huge * huge, huge / zero, tf.math.log(-huge), tf.exp(huge), 1 / zero]
    assert not np.isfinite(np.concatenate([r.numpy() for r in results])).any()
    assert np.isnan((tf.constant(0.0) / tf.constant(0.0)).numpy())
    assert int(tf.constant(2**31 - 1) + tf.constant(1)) == -(2**31)


def test_the_users_numpy_settings_are_left_alone() -> None:
    with np.errstate(all="raise"):
        assert np.isinf((tf.constant(1.0) / 0.0).numpy())
        with pytest.raises(FloatingPointError):
            np.float32(1) / np.float32(0)
    assert np.geterr()["divide"] == "warn"


def test_empty_reductions() -> None:
    empty = np.zeros((0, 2), np.float32)
    assert tf.reduce_sum(empty, 0).numpy().tolist() == [0, 0]
    assert tf.reduce_prod(empty, 0).numpy().tolist() == [1, 1]
    assert tf.reduce_max(empty, 0).numpy().tolist() == [-np.inf] * 2
    assert tf.reduce_min(np.zeros((0,), np.int32)).numpy() == 2**31 - 1
    assert np.isnan(tf.reduce_mean(empty, 0).numpy()).all()
    assert tf.reduce_all(np.zeros(0, bool)).numpy()


def test_integer_means_are_truncated() -> None:
    assert int(tf.reduce_mean([1, 2, 2])) == 1
    assert int(tf.reduce_mean([-1, -2, -2])) == -1


BAD: list[tuple[Op, tuple[Any, ...], str]] = [
    (tf.add, ([1.0, 2.0], [1.0, 2.0, 3.0]), r"\(2,\) and \(3,\)"),
    (tf.add, (tf.constant(1), tf.constant(1.0)), "dtype float32.*dtype int32"),
    (tf.add, (tf.constant(True), tf.constant(True)), "dtype bool"),
    (tf.exp, (tf.constant(1),), "dtype int32"),
    (tf.matmul, ([[1.0, 2.0]], [[1.0, 2.0]]), r"\(1, 2\).*\(1, 2\)"),
    (tf.matmul, ([1.0], [1.0]), "rank 2"),
    (tf.reshape, ([1, 2, 3], (2, 2)), r"3 elements.*\(2, 2\)"),
    (tf.reshape, ([1, 2, 3], (-1, -1)), "at most one"),
    (tf.concat, ([[1, 2], [[1]]], 0), "different ranks"),
    (tf.concat, ([[[1, 2]], [[1]]], 0), "differ elsewhere"),
    (tf.concat, ([1, 2], 0), "scalars cannot be concatenated"),
    (tf.stack, ([[1], [1, 2]],), "different shapes"),
    (tf.squeeze, ([[1, 2]], [1]), "not 1"),
    (tf.expand_dims, ([1], 5), "out of range"),
    (tf.transpose, ([[1]], (0, 0)), "not a permutation"),
    (tf.reduce_sum, ([1], 3), "out of range"),
    (tf.gather, ([1, 2, 3], [0, 3]), r"indices\[1\] = 3 is not in \[0, 3\)"),
    (tf.gather, ([1, 2, 3], [-1]), "= -1 is not in"),
    (tf.gather_nd, ([[1]], [[0, 1]]), "is not in"),
    (tf.scatter_nd, ([[5]], [1], [3]), "= 5 is not in"),
    (tf.tensor_scatter_nd_update, ([1, 2], [[0]], [1, 2]), "do not fit"),
    (tf.fill, ((-1,), 0), "negative"),
    (tf.zeros, ((-1,),), "negative"),
    (tf.tile, ([1], (1, 2)), "one entry per dimension"),
    (tf.pad, ([1], [[-1, 0]]), "do not fit"),
    (tf.split, ([1, 2, 3], 2), "2 equal parts"),
    (tf.split, ([1, 2, 3], [1, 1]), "do not sum"),
    (tf.range, (0, 5, 0), "delta != 0"),
    (tf.pow, (tf.constant(2), -1), "negative integer powers"),
    (tf.linalg.inv, (np.zeros((2, 2)),), "not invertible"),
    (tf.linalg.inv, (np.zeros((2, 3)),), "must be square"),
    (tf.linalg.solve, (np.zeros((2, 2)), np.ones((2, 1))), "not invertible"),
    (tf.math.top_k, ([1, 2], 3), "at least 3 columns"),
    (tf.math.invert_permutation, ([0, 0],), "not a permutation"),
    (tf.unique, ([[1]],), "1D vector"),
    (tf.argmax, (np.zeros((0,)),), "no elements"),
    (tf.einsum, ("ij,jk->ik", np.ones((2, 3)), np.ones((2, 3))), "dimension 'j'"),
    (tf.einsum, ("ij->i", np.ones(3)), "do not fit an operand"),
    (tf.nn.sparse_softmax_cross_entropy_with_logits, ([3], [[1.0, 2.0]]), "is no class"),
    (tf.where, (tf.constant(1), 1, 2), "dtype int32"),
    (tf.broadcast_to, ([1, 2], (3,)), "broadcast"),
    (tf.ensure_shape, ([1, 2], (3,)), "not compatible"),
    (tf.boolean_mask, ([1, 2], [True]), "does not fit axes"),
    (tf.linspace, (0.0, 1.0, -1), "num >= 0"),
    (tf.reshape, (np.arange(6), [-2, 3]), r"Reshape: .*\(-2, 3\)"),
    (tf.slice, ([1, 2, 3], [1], [5]), r"size\[0\] = 5 is not in \[0, 2\]"),
    (tf.slice, ([1, 2, 3], [1], [-2]), r"size\[0\] = -2 is not in"),
    (tf.slice, ([1, 2, 3], [-1], [1]), r"begin\[0\] = -1 is not in \[0, 3\]"),
    (tf.slice, ([1, 2, 3], [4], [-1]), r"begin\[0\] = 4 is not in"),
    (tf.slice, ([1, 2, 3], [0, 0], [1, 1]), "2 entries"),
    (tf.slice, ([1, 2, 3], [0, 0], [1]), "2 entries, but size has 1"),
    (tf.linalg.diag, (["a"],), "dtype string"),
    (tf.math.segment_sum, ([1, 2, 3], [1, 0, 2]), "not increasing"),
    (tf.math.segment_max, ([1, 2, 3], [-1, 0, 2]), "segment id -1 is negative"),
    (tf.one_hot, ([0], -1), "OneHot: depth must be non-negative, got -1"),
    (tf.one_hot, ([0.0], 2), "OneHot: input 0 has dtype float32"),
    (tf.one_hot, ([0], [2]), "scalar"),
    (tf.zeros, ([2**40, 2**40],), r"Fill: .*\(1099511627776, 1099511627776\)"),
    (tf.fill, ([2**40, 2**40], 1), r"Fill: .*\(1099511627776, 1099511627776\)"),
]


@pytest.mark.parametrize(("op", "args", "message"), BAD, ids=_names(BAD))
def test_bad_arguments_are_refused_in_words(op: Op, args: Any, message: str) -> None:
    kind = IndexError if op in (tf.gather, tf.gather_nd, tf.scatter_nd) else ValueError
    with pytest.raises(kind, match=message):
        op(*args)


def test_refusals_are_invalid_argument_errors_with_the_op() -> None:
    with pytest.raises(errors.InvalidArgumentError) as caught:
        tf.add(tf.constant([1, 2]), tf.constant([1, 2, 3]))
    assert caught.value.op == "AddV2"
    assert caught.value.error_code == 3
    assert "AddV2" in caught.value.message


@pytest.mark.parametrize("part", [tf.math.real, tf.math.imag, tf.math.conj])
@pytest.mark.parametrize("value", ["a", True])
def test_what_is_no_number_has_no_parts(part: Op, value: Any) -> None:
    with pytest.raises(TypeError, match="numbers are needed"):
        part(tf.constant(value))


@pytest.mark.parametrize(("value", "dtype"), [(1, tf.string), ("1", tf.int32)])
def test_strings_are_not_cast(value: Any, dtype: Any) -> None:
    with pytest.raises(errors.UnimplementedError, match=r"Cast: .*string.*as_string"):
        tf.cast(value, dtype)
    assert tf.cast("1", tf.string).numpy() == b"1"


@pytest.mark.parametrize(
    ("op", "args"),
    [
        (lambda begin: tf.slice([1, 2, 3], begin, [3]), 1),
        (lambda depth: tf.one_hot([0], depth), -1),
        (lambda last: tf.math.segment_sum([1, 2], tf.stack([1, last])), 0),
        (lambda rows: tf.reshape([1, 2, 3, 4], tf.stack([rows, 2])), -2),
        (lambda top: tf.image.crop_to_bounding_box(np.zeros((4, 4, 1)), top, 0, 2, 2), 3),
    ],
)
def test_what_is_known_at_run_time_only_is_refused_too(op: Op, args: int) -> None:
    staged = tf.function(lambda x: op(tf.reshape(x, [1]) if args == 1 else x))
    with pytest.raises(errors.InvalidArgumentError):
        staged(tf.constant(args))


def test_slices_at_run_time_and_their_gradient() -> None:
    @tf.function
    def staged(x: Any, begin: Any, size: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.slice(x, begin, size)
            total = tf.reduce_sum(y * y)
        return y, tape.gradient(total, x)

    y, gradient = staged(tf.constant(CUBE), tf.constant([0, 1, 2]), tf.constant([2, -1, 1]))
    wanted = np.zeros_like(CUBE)
    wanted[:, 1:, 2:3] = 2 * CUBE[:, 1:, 2:3]
    assert_array_equal(y, CUBE[:, 1:, 2:3])
    assert_array_equal(gradient, wanted)


def test_bins_of_narrow_integers() -> None:
    counts = tf.math.bincount(tf.constant([1, 255, 255], tf.uint8)).numpy()
    assert_array_equal(counts, np.bincount([1, 255, 255]))


def test_one_hot_deeper_than_the_dtype_of_the_indices() -> None:
    assert_array_equal(tf.one_hot(tf.constant([0, 200], tf.uint8), 300), np.eye(300)[[0, 200]])


@pytest.mark.parametrize(
    ("dtype", "relative"), [(np.float16, 2e-3), (np.float32, 7e-7), (np.float64, 2e-15)]
)
def test_gelu_does_not_cancel_below_zero(dtype: Any, relative: float) -> None:
    smallest = {np.float16: -3.0, np.float32: -13.0, np.float64: -37.0}[dtype]
    x = np.linspace(smallest, 9, 5001).astype(dtype)
    wide = x.astype(np.float64)
    wanted = wide * each(math.erfc)(-wide * math.sqrt(0.5)) / 2
    # The exponent, half the square, has a rounding error of its own.
    tolerance = relative * (1 + wide * wide / 2) * np.abs(wanted)
    assert np.all(np.abs(tf.nn.gelu(x).numpy() - wanted) <= tolerance)


@pytest.mark.parametrize("approximate", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_gelu_at_the_ends(dtype: Any, approximate: bool) -> None:
    tiny, huge = np.finfo(dtype).smallest_subnormal * 8, np.finfo(dtype).max
    x = np.array([np.inf, np.nan, 0, -0.0, tiny, -tiny, 3e4, -3e4, huge, -huge, -np.inf], dtype)
    made = [np.inf, np.nan, 0, -0.0, tiny / 2, -tiny / 2, dtype(3e4), -0.0, huge, -0.0, -0.0]
    wanted = np.array(made, dtype)
    for order in (slice(None), slice(None, None, -1)):
        y = tf.nn.gelu(x[order], approximate).numpy()
        assert_array_equal(y, wanted[order])
        assert_array_equal(np.signbit(y), np.signbit(wanted[order]))
    assert tf.nn.gelu(x[:0], approximate).shape == (0,)
    assert tf.nn.gelu(x[4], approximate).numpy() == wanted[4]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_gradient_of_approximate_gelu_far_from_zero(dtype: Any) -> None:
    huge = np.finfo(dtype).max
    x = tf.constant(np.array([-np.inf, -huge, -1e3, 0, 1e3, huge, np.inf], dtype))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.gelu(x, approximate=True)
    assert tape.gradient(y, x).numpy().tolist() == [0, 0, 0, 0.5, 1, 1, 1]


@pytest.mark.parametrize(("dtype", "units"), [(np.float32, 1), (np.float64, 4)])
def test_lgamma_has_its_digits_around_roots_too(dtype: Any, units: float) -> None:
    near = np.exp(np.linspace(-34, -0.7, 200))
    parts = [1 + near, 1 - near, 2 + near, 2 - near, np.linspace(0.01, 21, 400)]
    edges = [1, 2, 10, np.nextafter(10, 0), 5e-324, 1e-300, 1e5, 1e300, -5e-324, -1e-300, -0.5]
    with np.errstate(all="ignore"):
        x = np.concatenate([*parts, edges]).astype(dtype)
    x = x[np.isfinite(x) & (x != 0)]
    with mpmath.workprec(200):
        exact = [mpmath.re(mpmath.loggamma(mpmath.mpf(float(value)))) for value in x]
        wanted = np.array(list(map(float, exact)))
    got = tf.math.lgamma(x).numpy()
    error = np.abs(got.astype(np.float64) - wanted)
    assert (error <= units * np.spacing(np.abs(wanted).astype(dtype))).all()
    assert got[wanted == 0].tolist() == [0] * np.count_nonzero(wanted == 0)
    ends = tf.math.lgamma(tf.constant([0, -0.0, -1, -2, np.inf, -np.inf], dtype))
    assert_array_equal(ends, [np.inf] * 6)
    assert np.isnan(tf.math.lgamma(tf.constant(np.nan, dtype)))


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("unsigned", [False, True])
def test_divide_no_nan_of_integers_gives_the_floats_of_truediv(name: str, unsigned: bool) -> None:
    dtype = "u" + name if unsigned else name
    x, y = tf.constant([[7, 6, 100]], dtype), tf.constant([[2], [0]], dtype)
    wanted = np.array([[3.5, 3, 50], [0, 0, 0]])
    for divide in (tf.math.divide_no_nan, tf.function(tf.math.divide_no_nan)):
        found = divide(x, y)
        assert found.dtype == tf.truediv(x, y[:1]).dtype
        assert_array_equal(found, wanted)
    assert tf.math.divide_no_nan(x[:, :0], y).shape == (2, 0)
    assert tf.math.divide_no_nan(7, 2).numpy() == 3.5
    with pytest.raises(errors.WrongDtypeError):
        tf.math.divide_no_nan(x, tf.constant([1.0]))


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_means_of_complex_segments(dtype: Any) -> None:
    x = np.array([[1 + 2j, 4], [3, 2j], [5, 6]], dtype)
    wanted = np.stack([x[:2].mean(0), np.zeros(2), x[2]]).astype(dtype)
    for way in (tf.math.segment_mean, tf.function(tf.math.segment_mean)):
        assert_array_equal(way(tf.constant(x), [0, 0, 2]), wanted, strict=True)
    mean = tf.math.unsorted_segment_mean(x, [2, 2, 0], 3)
    assert_array_equal(mean, wanted[::-1], strict=True)


def test_shifts_stay_within_the_bits() -> None:
    left = tf.bitwise.left_shift([1, 1, 1], [-1, 32, 33])
    assert left.numpy().tolist() == [1, -(2**31), -(2**31)]
    right = tf.bitwise.right_shift([-8, 8, -1], [-1, 32, 33])
    assert right.numpy().tolist() == [-8, 0, -1]
    byte = tf.bitwise.right_shift(tf.constant(200, tf.uint8), tf.constant(9, tf.uint8))
    assert byte.numpy() == 1


@pytest.mark.parametrize("op", [tf.nn.elu, tf.nn.selu])
def test_negative_zero_stays(op: Op) -> None:
    assert np.signbit(op([-0.0, 0.0]).numpy()).tolist() == [True, False]


def test_sign_has_slope_zero() -> None:
    x = tf.constant([1.5, -2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sign(x)
    assert tape.gradient(y, x).numpy().tolist() == [0, 0]


@pytest.mark.parametrize(
    ("order", "axis", "dtype"),
    [("euclidean", None, "complex64"), (1, None, "float32"), ("fro", (0, 1), "complex64")],
)
def test_norms_of_complex_numbers(order: Any, axis: Any, dtype: str) -> None:
    found = tf.norm(tf.constant([[3 + 4j]], tf.complex64), order, axis)
    assert found.dtype == dtype
    assert complex(found.numpy()) == 5


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(1e39, "float32"), ([1e39], "float32"), ([[1e39]], "float32"), (np.full(1, 1e6), "float16")],
)
def test_constants_out_of_range_are_infinite_without_a_word(value: Any, dtype: str) -> None:
    with np.errstate(all="raise"):
        assert np.isinf(tf.constant(value, dtype).numpy()).all()
        if dtype == "float32":
            assert np.isinf(tf.constant(value).numpy()).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize(
    "op", [tf.linalg.svd, tf.linalg.eigh, tf.linalg.eig, tf.linalg.pinv, tf.linalg.matrix_rank]
)
def test_matrices_with_elements_that_are_not_finite(op: Op, bad: float) -> None:
    """LAPACK may not come to an end with them."""
    matrices = np.ones((4, 3, 3), np.float32)
    matrices[0, 0, 0] = bad
    with pytest.raises(tf.errors.InvalidArgumentError, match="NaN or infinite elements"):
        op(matrices)


def test_gradients_of_products_of_segments_with_zeros() -> None:
    x = tf.constant([2.0, 0.0, 3.0, 0.0, 0.0, 5.0, 7.0], tf.float64)
    ids = tf.constant([0, 0, 0, 2, 2, -1, 3])
    parts = [[0, 1, 2], [], [3, 4], [6], []]

    def by_segments(x: Any) -> Any:
        return tf.math.unsorted_segment_prod(x, ids, 5)

    def one_by_one(x: Any) -> Any:
        return tf.stack([tf.reduce_prod(tf.gather(x, tf.constant(p, tf.int32))) for p in parts])

    found = []
    for function in (by_segments, one_by_one):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(function(x) * tf.constant([1.0, 2.0, 3.0, 4.0, 5.0], tf.float64))
            first = tf.convert_to_tensor(inner.gradient(y, x))
        found.append((first.numpy().tolist(), outer.jacobian(first, x).numpy().tolist()))
    assert found[0] == found[1]
    assert found[0][0] == [0.0, 6.0, 0.0, 0.0, 0.0, 0.0, 4.0]
    assert found[0][1][0][1] == 3.0


LARGE = np.random.default_rng(5).standard_normal((7, 23, 11, 9))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2, 3, (0, 1), (1, 2), (2, 1, 0), (-3, -2), (0, 2), None])
@pytest.mark.parametrize("turned", [False, True])
def test_sums_of_many(axis: Any, keepdims: bool, turned: bool) -> None:
    """Many short rows are added in another way than NumPy's."""
    x = LARGE.T if turned else LARGE
    for dtype, accuracy in (("float64", 1e-12), ("float32", 1e-4), ("int32", 0)):
        values = np.round(x * 5).astype(dtype) if dtype == "int32" else x.astype(dtype)
        expected = values.sum(axis, dtype, keepdims=keepdims)
        found = tf.reduce_sum(values, axis, keepdims)
        assert found.dtype == dtype
        np.testing.assert_allclose(found.numpy(), expected, accuracy, accuracy)
        mean = tf.reduce_mean(x, axis, keepdims).numpy()
        np.testing.assert_allclose(mean, x.mean(axis, keepdims=keepdims), 1e-12, 1e-12)


@pytest.mark.parametrize("axis", [4, -5, (0, 4), (1, 1), (0, -4), (0, 0, 2)])
def test_axes_of_sums_of_many_that_are_not_there(axis: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.reduce_sum(LARGE, axis)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.reduce_mean(LARGE, axis)


@pytest.mark.parametrize("op", [tf.math.erf, tf.math.erfc], ids=["erf", "erfc"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_error_functions_of_large_arrays_are_those_of_small_ones(op: Any, dtype: Any) -> None:
    x = np.random.default_rng(0).normal(0, 3, (7, 5000)).astype(dtype)
    x[0, :4] = np.nan, np.inf, -np.inf, -0.0
    rows = [op(row).numpy() for row in x]
    assert op(x).numpy().tobytes() == np.stack(rows).tobytes()
    assert op(tf.transpose(x)).numpy().tobytes() == np.stack(rows).T.tobytes()


@pytest.mark.parametrize("op", [tf.math.erf, tf.math.erfc], ids=["erf", "erfc"])
@pytest.mark.parametrize(("dtype", "ulps"), [(np.float32, 8), (np.float64, 8), (np.float16, 1)])
def test_error_functions_to_the_last_digits(op: Any, dtype: Any, ulps: int) -> None:
    x = np.linspace(-6, 9, 40_001).astype(dtype)
    wanted = each(getattr(math, op.__name__))(x.astype(np.float64))
    error = np.abs(op(x).numpy().astype(np.float64) - wanted)
    assert np.all(error <= ulps * np.spacing(np.abs(wanted).astype(dtype)).astype(np.float64))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_error_functions_at_the_ends(dtype: str) -> None:
    x = tf.constant([np.inf, -np.inf, np.nan, -0.0, 0.0, 3e4, -3e4], dtype)
    erf, erfc = tf.math.erf(x).numpy(), tf.math.erfc(x).numpy()
    assert_array_equal(erf, [1, -1, np.nan, 0, 0, 1, -1])
    assert np.signbit(erf[3])
    assert not np.signbit(erf[4])
    assert_array_equal(erfc, [0, 2, np.nan, 1, 1, 0, 2])


MANY = np.concatenate([
    [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 3e38, -3e38, 6.0, -6.0, 0.3, 0.6],
    np.random.default_rng(5).normal(0, 5, 5000), np.arange(-3000, 3000) / 10,
    10.0 ** np.random.default_rng(6).uniform(-38, 38, 5000),
])  # fmt: skip


def bits_of(x: Any) -> Any:
    """The array's bits, those of all NaN alike."""
    return np.where(np.isnan(x), np.nan, x).tobytes()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("divisor", [3.0, -3.0, 0.1, -0.7, 1e-5, 4e4, 0.0, np.inf, -np.inf, np.nan])
def test_divisions_of_many_by_one_are_numpys(dtype: Any, divisor: float) -> None:
    with np.errstate(all="ignore"):
        many, by = MANY.astype(dtype), dtype(divisor)
        quotient, rest = many // by, many % by
    x, y = tf.constant(many), tf.constant(by)
    for made in (x // float(by), tf.math.floordiv(x, y), tf.function(lambda x, y: x // y)(x, y)):
        assert bits_of(made) == bits_of(quotient)
    for made in (x % float(by), tf.math.floormod(x, y), tf.function(lambda x, y: x % y)(x, y)):
        assert bits_of(made) == bits_of(rest)


def _dividends() -> Any:
    """Whole numbers, multiples and their neighbours, and numbers of all sizes, and divisors."""
    rng = np.random.default_rng(3)
    whole, by = rng.integers(-60, 60, 4000) * 1.0, rng.choice([-7, -3, -1, 1, 3, 5, 10], 4000)
    tenths = rng.integers(1, 9, 4000) / 10
    multiples = tenths * rng.integers(-1000, 1000, 4000)
    sized = 10.0 ** rng.uniform(-320, 308, (2, 4000))
    near = 10.0 ** rng.uniform(-3, 5, 4000)
    return (
        np.concatenate([whole, multiples, np.nextafter(multiples, 9), sized[0], near, MANY]),
        np.concatenate([by, tenths, tenths, sized[1], np.roll(near, 1), np.roll(MANY, 7)]),
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("signs", [(1, 1), (-1, 1), (1, -1)])
def test_divisions_of_many_by_many_are_numpys(dtype: Any, signs: Any) -> None:
    with np.errstate(all="ignore"):
        a, b = [sign * x.astype(dtype) for sign, x in zip(signs, _dividends(), strict=True)]
        quotient, rest = a // b, a % b
    x, y = tf.constant(a), tf.constant(b)
    for made in (x // y, tf.math.floordiv(x, y), tf.function(lambda x, y: x // y)(x, y)):
        assert bits_of(made) == bits_of(quotient)
    for made in (x % y, tf.math.floormod(x, y), tf.function(lambda x, y: x % y)(x, y)):
        assert bits_of(made) == bits_of(rest)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("divisor", [1, 3, 7, -1, -3, -128])
def test_remainders_of_many_integers_are_numpys(dtype: Any, divisor: int) -> None:
    limits = np.iinfo(dtype)
    ends = [limits.min, limits.min + 1, limits.max, limits.max - 1, 0]
    many = np.array(ends * 99 + list(range(128)), dtype)
    by = dtype(divisor) if divisor >= limits.min else dtype(-divisor)
    x, y = tf.constant(many), tf.constant(by)
    for made in (x % int(by), tf.math.floormod(x, y), tf.function(lambda x: x % y)(x)):
        assert np.array_equal(made, many % by)
    kernel = TABLE["mod"].kernel
    assert np.array_equal(kernel(many[::3], by), many[::3] % by)
    wanted = many % by
    assert kernel(many, by, out=many) is many
    assert np.array_equal(many, wanted)


@pytest.mark.parametrize("shapes", [((70, 300), (300,)), ((70, 1), (1, 300)), ((), (900,))])
def test_divisions_of_many_broadcast(shapes: Any) -> None:
    a, b = [np.random.default_rng(4).normal(0, 9, shape) for shape in shapes]
    x, y = tf.constant(a), tf.constant(b)
    assert bits_of(x // y) == bits_of(a // b)
    assert bits_of(x % y) == bits_of(a % b)
    assert bits_of(tf.transpose(x) % 7.5) == bits_of(a.T % 7.5)
    assert bits_of(7.5 // y) == bits_of(7.5 // b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("exponent", [-3, -2, -1, 0, 0.5, 1, 2, 3, 4, 5, 6, 2.5, np.inf])
def test_powers_of_many(dtype: Any, exponent: float) -> None:
    many = MANY.astype(dtype)
    if exponent == 0.5:
        many = np.abs(many)
    with np.errstate(all="ignore"):
        wanted = np.power(many, dtype(exponent))
    x = tf.constant(many)
    staged = tf.function(lambda x: x**exponent)
    same = tf.constant(exponent, dtype)
    for made in (x**exponent, x**same, tf.pow(x, same), staged(x), staged(x[:5000])):
        found = made.numpy()
        np.testing.assert_array_max_ulp(found, wanted[: len(found)], 2)
        assert np.array_equal(np.signbit(found), np.signbit(wanted[: len(found)]), equal_nan=True)


WRITING = ["erf", "erfc", "erfinv", "lgamma", "digamma", "softplus", "elu", "rsqrt"]
WRITING_OF_TWO = [
    "floordiv", "mod", "truncatediv", "truncatemod", "pow", "div_no_nan", "mul_no_nan", "xdivy",
    "xlogy", "xlog1py", "zeta", "polygamma",
]  # fmt: skip


@pytest.mark.parametrize("scalar", [3.0, -2.0, 0.0])
@pytest.mark.parametrize("name", WRITING + WRITING_OF_TWO)
@pytest.mark.parametrize("turned", [False, True])
def test_kernels_of_many_write_what_they_return(name: str, scalar: float, turned: bool) -> None:
    kernel = TABLE[name].kernel
    x = np.random.default_rng(2).uniform(-5, 5, (70, 300)).astype(np.float32)
    x = x.T if turned else x
    given = (x, np.float32(scalar)) if name in WRITING_OF_TWO else (x,)
    before, out = x.copy(), np.full(x.shape, 7, x.dtype)
    with np.errstate(all="ignore"):
        made = kernel(*given)
        assert kernel(*given, out=out) is out
    assert out.tobytes() == made.tobytes()
    assert np.array_equal(x, before)


FEW, SEVERAL = np.array([0.2, 3.0, 11.0]), np.linspace(0.1, 12, 60).reshape(20, 3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("pair", [(SEVERAL + 1, FEW), (SEVERAL[:, :1] + 1, FEW), (FEW + 1, 0.5)])
@pytest.mark.parametrize("op", [tf.math.zeta, lambda x, q: tf.math.polygamma(tf.round(x), q)])
def test_special_functions_of_two_broadcast(op: Any, pair: Any, dtype: Any) -> None:
    x, q = np.broadcast_arrays(*[np.asarray(each, dtype) for each in pair])
    one_by_one = [float(op(a, b)) for a, b in zip(x.flat, q.flat, strict=True)]
    found = op(*[tf.constant(each, dtype) for each in pair]).numpy()
    assert found.dtype == dtype
    np.testing.assert_allclose(found.reshape(-1), one_by_one, 4 * np.finfo(dtype).eps)


def test_special_functions_by_what_holds_for_them() -> None:
    x = np.concatenate([np.linspace(-7.9, 20, 500), np.linspace(0.01, 3, 500), [1e5, 1e10]])
    lgamma, digamma = tf.math.lgamma(x).numpy(), tf.math.digamma(x).numpy()
    np.testing.assert_allclose(lgamma, each(math.lgamma)(x), 1e-12, 1e-12)
    np.testing.assert_allclose(tf.math.digamma(x + 1).numpy(), digamma + 1 / x, 1e-11, 1e-11)
    for n in np.arange(1.0, 4.0):
        here, beyond = [tf.math.polygamma(n, part).numpy() for part in (x[500:], x[500:] + 1)]
        step = (-1) ** n * math.factorial(int(n)) * x[500:] ** (-n - 1)
        np.testing.assert_allclose(beyond - here, step, 1e-9, 1e-9)
    np.testing.assert_allclose(tf.math.zeta(2.0, 1.0).numpy(), np.pi**2 / 6, 1e-6)
    u = np.concatenate([np.linspace(-0.999999, 0.999999, 4001), [1e-300, 0.0]])
    np.testing.assert_allclose(tf.math.erf(tf.math.erfinv(u)).numpy(), u, 1e-14)
    ends = tf.math.erfinv([1.0, -1.0, 1.5, np.nan]).numpy()
    assert_array_equal(ends, [np.inf, -np.inf, np.nan, np.nan])


@pytest.mark.parametrize("axes", [(1, 0), (0, 1), (2, 0), (0, 2), (2, 1), (1, 2), (-1, -3)])
@pytest.mark.parametrize("shape", [(4, 5, 6), (700, 3, 5), (3, 700, 4), (2, 3, 900), (3, 0, 2)])
@pytest.mark.parametrize("turned", [False, True])
def test_sequences_of_each_length_reversed(axes: Any, shape: Any, turned: bool) -> None:
    seq_axis, batch_axis = axes
    x = np.arange(math.prod(shape), dtype=np.float64).reshape(shape)
    x = np.asfortranarray(x) if turned else x
    lengths = np.random.default_rng(3).integers(0, x.shape[seq_axis] + 1, x.shape[batch_axis])
    wanted = x.copy()
    for n, row in zip(lengths, np.moveaxis(wanted, (batch_axis, seq_axis), (0, 1)), strict=True):
        row[:n] = row[:n][::-1].copy()
    words = np.vectorize(lambda each: b"%d" % each, otypes=[object])
    for given, expected in ((x, wanted), *([(words(x), words(wanted))] if x.size else [])):
        found = tf.reverse_sequence(given, lengths.astype(np.int32), *axes).numpy()
        assert_array_equal(found, expected)


@pytest.mark.parametrize("lower", [-1, 0, 1, 5])
@pytest.mark.parametrize("upper", [-1, 0, 2, 6])
def test_bands_are_triangles_of_triangles(lower: int, upper: int) -> None:
    x = np.random.default_rng(0).standard_normal((2, 4, 6))
    below = x if lower < 0 else np.triu(x, -lower)
    wanted = below if upper < 0 else np.tril(below, upper)
    assert_array_equal(tf.linalg.band_part(x, lower, upper).numpy(), wanted)


def _chosen_among() -> Iterator[Any]:
    for dtype in "efdFDbiqQ?O":
        x, y = MANY[:6000].astype(dtype), MANY[6000:12000].astype(dtype)
        if dtype == "O":
            x, y = [np.array([b"%f" % v for v in part], object) for part in (x, y)]
        shaped = x.reshape(60, 100), y.reshape(60, 100)
        yield from [(x, y), shaped, (shaped[0], y[:100])]
        yield from [(x, y[0]), (x[0], y), (x[0], y[1])] if dtype != "O" else []
        yield from [(shaped[0].T, shaped[1].T), (shaped[0][:, :1], y[:100]), (x[::-1], y)]


@pytest.mark.parametrize("chosen_of", [lambda n: MANY[:n] > 0, lambda n: np.arange(n) < 7])
@pytest.mark.filterwarnings("ignore:(invalid value|overflow) encountered in cast")
def test_where_of_many_is_numpys(chosen_of: Any) -> None:
    kernel = TABLE["where"].kernel
    for x, y in _chosen_among():
        size = np.broadcast(x, y).size
        test = chosen_of(max(size, 6000)).reshape(np.broadcast(x, y).shape if size > 1 else (6000,))
        wanted = np.where(test, x, y)
        if wanted.dtype.hasobject:
            assert kernel(test, x, y).tolist() == wanted.tolist()
            continue
        assert kernel(test, x, y).tobytes() == wanted.tobytes()
        out = np.empty_like(wanted)
        assert kernel(test, x, y, out=out) is out
        assert out.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("size", [3, 17_500, 80_000])
def test_softmax_of_many_halves(axis: int, size: int) -> None:
    x = np.zeros((size, 4) if axis == 0 else (4, size), np.float16)
    for function, wanted in ((tf.nn.softmax, 1 / size), (tf.nn.log_softmax, -np.log(size))):
        for made in (function(x, axis=axis), tf.function(function)(tf.constant(x), axis=axis)):
            assert made.dtype == tf.float16
            assert_array_equal(made.numpy(), np.full(x.shape, wanted, np.float16))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("exponent", [-1.0, -0.5, 0.5, 2.0, 3.0])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_powers_of_few_are_those_of_graphs(dtype: Any, exponent: float) -> None:
    values = np.array([-0.0, 0.0, -np.inf, np.inf, 0.3, 7.0], dtype)
    staged = tf.function(lambda x: x**exponent)
    for base in (values, *values):
        x = tf.constant(base)
        wanted = np.power(base, dtype(exponent))
        if exponent == 0.5 and dtype in (np.float32, np.float64):  # NumPy takes square roots
            wanted = np.where(np.isin(base, [0, -np.inf]), np.abs(base), wanted)
        for made in (x**exponent, tf.pow(x, exponent), staged(x)):
            assert_array_equal(made.numpy(), wanted)
            assert str(made.numpy().tolist()) == str(wanted.tolist())  # tells zeros apart


def test_powers_of_integers_are_exact() -> None:
    x = np.arange(-500, 500)
    assert np.array_equal(tf.constant(x) ** 3, x * x * x)
    assert np.array_equal(tf.function(lambda x: x**4)(tf.constant(x)), x**4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_softplus_of_many(dtype: Any) -> None:
    many = MANY.astype(dtype)
    made = tf.nn.softplus(tf.constant(many)).numpy()
    with np.errstate(all="ignore"):
        wanted = np.logaddexp(many, dtype(0))
    np.testing.assert_array_max_ulp(made, wanted, 4)


@pytest.mark.parametrize("op", [tf.nn.softmax, tf.nn.log_softmax], ids=["softmax", "log"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(3000, 2), (7, 300, 5), (300, 32), (300, 33), (9000,), (0, 5)])
def test_softmax_of_many_is_that_of_each_row(op: Any, dtype: Any, shape: Any) -> None:
    x = np.random.default_rng(7).normal(0, 5, shape).astype(dtype)
    for place, odd in ((0, np.inf), (x.size // 2, np.nan), (-1, -np.inf)):
        x.reshape(-1)[place : place + 1 or None] = odd
    rows = [op(row).numpy() for row in x.reshape(-1, shape[-1])]
    wanted = np.array(rows, dtype).reshape(shape)
    limits = np.finfo(dtype)
    tolerance = {
        "rtol": 16 * limits.eps,
        "atol": limits.tiny if op is tf.nn.softmax else 16 * limits.eps,
    }
    np.testing.assert_allclose(op(x), wanted, **tolerance)
    np.testing.assert_allclose(tf.transpose(op(tf.transpose(x), 0)), wanted, **tolerance)
    staged = tf.function(lambda x: op(x * 1, axis=x.ndim - 1))
    assert_array_equal(staged(tf.constant(x)), op(x))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32])
def test_relu_of_many_is_that_of_each(dtype: Any) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        many = MANY.astype(dtype)
    each_one = np.array([tf.nn.relu(v).numpy() for v in many[:500]])
    assert bits_of(tf.nn.relu(many).numpy()[:500]) == bits_of(each_one)
    assert bits_of(tf.nn.relu(many[::2])) == bits_of(tf.nn.relu(many).numpy()[::2])
    assert np.array_equal(
        tf.nn.relu(many), np.where(many < 0, 0, many), equal_nan=dtype != np.int32
    )


@pytest.mark.parametrize("alpha", [-0.5, 0.0, 0.2, 1.0, 3.0])
@pytest.mark.parametrize("x", [MANY, np.float32(-2), np.float32(2)], ids=["many", "-2", "2"])
def test_leaky_relu_by_its_definition(x: Any, alpha: float) -> None:
    with np.errstate(all="ignore"):
        wanted = np.where(x > 0, x, x * alpha)
    assert bits_of(tf.nn.leaky_relu(x, alpha)) == bits_of(wanted.astype(x.dtype))


def test_elu_by_its_definition() -> None:
    wanted = np.where(MANY < 0, np.expm1(np.minimum(MANY, 0)), MANY)
    np.testing.assert_array_max_ulp(tf.nn.elu(MANY).numpy(), wanted, 2)


def test_the_norm_of_integers_is_an_integer() -> None:
    for dtype in (tf.int32, tf.int64, tf.uint8):
        found = tf.math.reduce_euclidean_norm(tf.constant([[3, 4], [1, 2]], dtype), 1)
        assert (found.dtype, found.numpy().tolist()) == (dtype, [5, 2])


def test_of_nothing() -> None:
    for found, shape in (
        (tf.linspace(0.0, 1.0, 0), (0,)),
        (tf.linspace([0.0, 1.0], [1.0, 2.0], tf.constant(0)), (0, 2)),
        (tf.stack([]), (0,)),
    ):
        assert (found.shape, found.dtype) == (shape, tf.float32)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("length", [0, 5, 5000])
def test_half_precision_is_sorted_around_zero(length: int, descending: bool) -> None:
    given = np.random.default_rng(length).normal(size=length).astype(np.float16)
    given[::7] = -0.0
    direction = "DESCENDING" if descending else "ASCENDING"
    sign = -1 if descending else 1
    found = tf.sort(given, direction=direction).numpy()
    assert found.dtype == np.float16
    assert found.tolist() == (sign * np.sort(sign * given.astype(np.float64))).tolist()
    assert len(tf.unique(given).y.numpy()) == len({*given.tolist()})


def test_a_view_by_einsum_keeps_the_sign_of_zero() -> None:
    x = tf.constant([[0.0, -0.0], [1.0, -1.0]])
    staged = tf.function(lambda x: tf.tanh(tf.einsum("ab->ba", x)))
    assert np.signbit(staged(x).numpy()).tolist() == np.signbit(x.numpy().T).tolist()


@pytest.mark.parametrize("equation", ["a,a->", "ab,bc->ac", "ab,ab->a", "ab,ab->ab"])
def test_gradients_of_einsum_along_single_elements(equation: str) -> None:
    sizes = {"a": (2, 2), "b": (3, 1), "c": (4, 4)} if "b" in equation else {"a": (3, 1)}
    labels = equation.partition("->")[0].split(",")
    one, other = (
        tf.constant(rng.standard_normal([sizes[label][at] for label in each]))
        for at, each in enumerate(labels)
    )
    with tf.GradientTape() as tape:
        tape.watch((one, other))
        loss = tf.reduce_sum(tf.einsum(equation, one, other) ** 2.0)
    with tf.GradientTape() as spread:
        spread.watch((one, other))
        shape = [sizes[label][0] for label in labels[1]]
        wide = tf.reduce_sum(tf.einsum(equation, one, tf.broadcast_to(other, shape)) ** 2.0)
    found = zip(tape.gradient(loss, (one, other)), spread.gradient(wide, (one, other)), strict=True)
    for ours, expected in found:
        assert ours.numpy() == pytest.approx(expected.numpy())


@pytest.mark.parametrize("op", [tf.reduce_mean, tf.math.reduce_variance, tf.math.reduce_std])
@pytest.mark.parametrize("axis", [-1, [0, -1], 0])
@pytest.mark.parametrize("shape", [[None, 3], [None, None], [2, None]])
def test_gradients_of_means_of_unknown_shape(op: Any, axis: Any, shape: Any) -> None:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(op(x, axis) ** 2.0)
        return tape.gradient(loss, x)

    x = tf.constant(A)
    staged = tf.function(slope, input_signature=[tf.TensorSpec(shape, x.dtype)])
    assert staged(x).numpy() == pytest.approx(slope(x).numpy())
