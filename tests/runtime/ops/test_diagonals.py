"""Diagonals and bands of matrices against their definition, written out element by element."""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import runtime as tf
from runtime import errors

ALIGNED = ["RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"]
SIZES = [(3, 3), (3, 5), (5, 3), (1, 4), (4, 1)]
CASES = [
    (rows, columns, low, high, align)
    for rows, columns in SIZES
    for low, high in itertools.combinations_with_replacement(range(1 - rows, columns), 2)
    for align in (ALIGNED if (low + high) % 3 == 0 else ALIGNED[:1])
]


def places(rows: int, columns: int, low: int, high: int, align: str) -> Any:
    """The elements of the band: its row and place among the diagonals, its row and column in the
    matrix.
    """
    lengths = {
        d: sum(0 <= i + d < columns for i in range(rows)) for d in range(low, high + 1)
    }  # fmt: skip
    longest = max(lengths.values())
    above, below = align.split("_")
    for d, n in lengths.items():
        is_left = "LEFT" in ([above] if d > 0 else [below] if d < 0 else [above, below])
        for j in range(n):
            yield high - d, j + (0 if is_left else longest - n), j + max(-d, 0), j + max(d, 0)


def parts_by_definition(x: Any, low: int, high: int, align: str, padding: float) -> Any:
    found = list(places(*x.shape[-2:], low, high, align))
    width = 1 + max(j for _, j, _, _ in found)
    made = np.full((*x.shape[:-2], high - low + 1, width), padding, x.dtype)
    for a, b, i, j in found:
        made[..., a, b] = x[..., i, j]
    return made if low < high else made[..., 0, :]


@pytest.mark.parametrize(("rows", "columns", "low", "high", "align"), CASES)
def test_bands(rows: int, columns: int, low: int, high: int, align: str) -> None:
    x = np.arange(1.0, 2 * rows * columns + 1).reshape(2, rows, columns)
    k = (low, high) if low < high else low
    wanted = parts_by_definition(x, low, high, align, 9)
    parts = tf.linalg.diag_part(x, k=k, padding_value=9, align=align).numpy()
    assert_array_equal(parts, wanted, strict=True)
    known = parts_by_definition(np.ones_like(x), low, high, align, 0) == 1
    assert_array_equal(tf.linalg.diag_part(x, k=k, align=align), np.where(known, wanted, 0))

    on_band = np.zeros_like(x, bool)
    for _, _, i, j in places(rows, columns, low, high, align):
        on_band[:, i, j] = True
    made = tf.linalg.diag(parts, k=k, num_rows=rows, num_cols=columns, padding_value=7, align=align)
    assert_array_equal(made, np.where(on_band, x, 7))
    made = tf.linalg.set_diag(-x, parts, k=k, align=align)
    assert_array_equal(made, np.where(on_band, x, -x))


def test_staged_with_unknown_sizes() -> None:
    x = np.arange(12.0).reshape(3, 4)

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float64)])
    def staged(x: Any) -> Any:
        parts = tf.linalg.diag_part(x, k=(-1, 1))
        changed = tf.linalg.set_diag(x, parts + 1.0, k=(-1, 1))
        return parts, changed, tf.linalg.diag(parts, k=(-1, 1), num_rows=3, num_cols=4)

    parts, changed, alone = staged(x)
    on_band = np.tri(3, 4, 1) - np.tri(3, 4, -2)
    assert_array_equal(parts, parts_by_definition(x, -1, 1, "RIGHT_LEFT", 0))
    assert_array_equal(changed, x + on_band)
    assert_array_equal(alone, x * on_band)


@pytest.mark.parametrize("align", ALIGNED)
def test_gradients_of_bands_keep_their_places(align: str) -> None:
    x = tf.constant(np.arange(12.0).reshape(3, 4))
    with tf.GradientTape() as tape:
        tape.watch(x)
        parts = tf.linalg.diag_part(x, k=(-1, 2), align=align, padding_value=5)
        total = tf.reduce_sum(parts * parts)
    on_band = np.tri(3, 4, 2) - np.tri(3, 4, -2)
    assert_array_equal(tape.gradient(total, x), 2 * x.numpy() * on_band)


def test_one_diagonal_in_a_pair_is_one_diagonal() -> None:
    x = np.arange(12).reshape(3, 4)
    for k in (1, [1], (1, 1), tf.constant(1), tf.constant([1, 1])):
        assert_array_equal(tf.linalg.diag_part(x, k=k), np.diagonal(x, 1))
    assert tf.linalg.diag([[1, 2]], k=(1, 1)).shape == (1, 3, 3)


def test_matrices_without_elements() -> None:
    assert tf.linalg.diag_part(tf.zeros([0, 3]), k=(0, 1)).shape == (2, 0)
    assert tf.linalg.diag_part(tf.zeros([2, 0]), k=(-1, 0)).shape == (2, 0)
    assert tf.linalg.diag(tf.zeros([2, 0]), k=(2, 3)).shape == (2, 2)


def test_truth_values_and_strings() -> None:
    assert tf.linalg.diag([True, False], padding_value=True).numpy().tolist() == [
        [True, True],
        [True, False],
    ]
    parts = tf.linalg.diag_part([["a", "b"], ["c", "d"]], k=(0, 1), padding_value="-")
    assert parts.numpy().tolist() == [[b"-", b"b"], [b"a", b"d"]]


REFUSED = [
    (lambda: tf.linalg.diag_part(tf.zeros([3, 4]), k=4), "diagonal 4 is outside of 3 x 4 matrices"),
    (lambda: tf.linalg.diag_part(tf.zeros([3, 4]), k=(-3, 0)), "diagonal -3 is outside"),
    (lambda: tf.linalg.diag_part(tf.zeros([3, 4]), k=(1, 0)), "pair of them in order"),
    (lambda: tf.linalg.diag_part(tf.zeros([3, 4]), k=(0, 1, 2)), "pair of them in order"),
    (lambda: tf.linalg.diag_part(tf.zeros([3, 4]), align="LEFT"), "align must be one of"),
    (lambda: tf.linalg.set_diag(tf.zeros([2, 2]), tf.zeros([2, 3]), k=(0, 1)), "does not fit"),
    (lambda: tf.linalg.set_diag(tf.zeros([2, 2]), tf.zeros([1]), k=3), "diagonal 3 is outside"),
    (lambda: tf.linalg.diag(tf.zeros([3, 2]), k=(0, 1)), "there are 2 diagonals"),
    (lambda: tf.linalg.diag(tf.zeros([2]), k=(0, 1)), "needs a matrix"),
    (lambda: tf.linalg.diag(tf.zeros([2, 2]), k=(0, 1), num_rows=1), "does not fit"),
    (lambda: tf.linalg.diag(tf.zeros([2, 2]), k=(0, 1), num_rows=4, num_cols=5), "does not fit"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=message):
        call()
