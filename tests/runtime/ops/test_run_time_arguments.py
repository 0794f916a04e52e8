"""Arguments that only the run of a graph knows, where eager code takes a number."""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import runtime as tf
from runtime import errors

CUBE = np.arange(24.0).reshape(2, 3, 4)
ANY_RANK = tf.TensorSpec(None, tf.float64)


@pytest.mark.parametrize("spec", [ANY_RANK, tf.TensorSpec([None, 3, 4], tf.float64)])
@pytest.mark.parametrize("perm", [*itertools.permutations(range(3)), (-1, 0, -2)])
def test_transpose(spec: Any, perm: Any) -> None:
    @tf.function(input_signature=[spec, tf.TensorSpec(None, tf.int32)])
    def staged(x: Any, perm: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.transpose(x, perm)
            total = tf.reduce_sum(y * y * y)
        return y, tape.gradient(total, x)

    y, gradient = staged(CUBE, np.array(perm, np.int32))
    assert_array_equal(y, np.transpose(CUBE, perm))
    assert_array_equal(gradient, 3 * CUBE**2)


@pytest.mark.parametrize("perm", [[0, 1], [0, 1, 1], [0, 1, 3], [0, 1, 2, 3]])
def test_transpose_refuses_what_is_no_permutation(perm: list[int]) -> None:
    @tf.function(input_signature=[ANY_RANK, tf.TensorSpec([None], tf.int32)])
    def staged(x: Any, perm: Any) -> Any:
        return tf.transpose(x, perm)

    with pytest.raises(errors.InvalidArgumentError, match="perm"):
        staged(CUBE, np.array(perm, np.int32))


def test_top_k_of_as_many_as_the_run_says() -> None:
    @tf.function(
        input_signature=[tf.TensorSpec([None, 3], tf.float64), tf.TensorSpec(None, tf.int32)]
    )
    def staged(x: Any, k: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            values, places = tf.math.top_k(x, k)
        assert values.shape.as_list() == [None, None]
        return values, places, tape.gradient(values, x)

    x = np.array([[1.0, 3.0, 2.0], [5.0, 5.0, 7.0]])
    for k in range(4):
        values, places, gradient = staged(x, np.int32(k))
        assert_array_equal(values, np.sort(x)[:, ::-1][:, :k])
        assert_array_equal(places, tf.math.top_k(x, k).indices)
        assert places.dtype == tf.int32
        wanted = np.zeros_like(x)
        np.put_along_axis(wanted, places.numpy(), 1.0, -1)
        assert_array_equal(gradient, wanted)
    for k in (-1, 4):
        with pytest.raises(errors.InvalidArgumentError, match="less elements than k"):
            staged(x, np.int32(k))


def test_matrix_transpose_of_any_rank() -> None:
    staged = tf.function(tf.linalg.matrix_transpose, input_signature=[ANY_RANK])
    for x in (CUBE, CUBE[0]):
        assert_array_equal(staged(x), np.swapaxes(x, -1, -2))


@pytest.mark.parametrize("shape", [None, [None, None], [3, None], [3, 5]])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_rounding_of_matrices_of_any_size(shape: Any, dtype: str) -> None:
    """Their smaller singular values are nothing but rounding."""
    x = np.outer([1, 2, 3], [1, 2, 3.1, 4, 5]).astype(dtype)
    spec = [tf.TensorSpec(shape, dtype)]
    assert int(tf.function(tf.linalg.matrix_rank, input_signature=spec)(x)) == 1
    found = tf.function(tf.linalg.pinv, input_signature=spec)(x)
    np.testing.assert_allclose(found, np.linalg.pinv(x, rcond=1e-5), rtol=1e-4)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize("spec", [ANY_RANK, tf.TensorSpec([2, 3, 4], tf.float64)])
def test_axis_of_boolean_mask(spec: Any, axis: int) -> None:
    mask = np.arange(CUBE.shape[axis]) % 2 == 0

    @tf.function(
        input_signature=[spec, tf.TensorSpec([None], tf.bool), tf.TensorSpec([], tf.int32)]
    )
    def staged(x: Any, mask: Any, axis: Any) -> Any:
        return tf.boolean_mask(x, mask, axis=axis)

    assert_array_equal(staged(CUBE, mask, np.int32(axis)), np.compress(mask, CUBE, axis))
    with pytest.raises(errors.InvalidArgumentError):
        staged(CUBE, mask[:1], np.int32(axis))


@pytest.mark.parametrize("dtype", [tf.bool, tf.float32, tf.string])
def test_places_of_any_rank(dtype: Any) -> None:
    staged = tf.function(tf.where, input_signature=[tf.TensorSpec(None, dtype)])
    for x in (CUBE > 4, CUBE[0, 0] > 4, np.zeros((0, 2), bool), np.zeros((2, 0), bool)):
        given = tf.where(x, "a", "") if dtype == tf.string else tf.cast(x, dtype)
        assert_array_equal(staged(given), np.argwhere(x))
    for value in (True, False):
        given = tf.constant("a" * value) if dtype == tf.string else tf.cast(value, dtype)
        with pytest.raises(errors.InvalidArgumentError, match="a scalar has no places"):
            staged(given)


def test_boolean_mask_over_several_axes_of_any_rank() -> None:
    mask = CUBE[0] % 5 > 2
    staged = tf.function(lambda x: tf.boolean_mask(x, mask, 1), input_signature=[ANY_RANK])
    assert_array_equal(staged(CUBE), CUBE[:, mask])
    one = tf.function(tf.boolean_mask, input_signature=[ANY_RANK, tf.TensorSpec([None], tf.bool)])
    assert_array_equal(one(CUBE, [False, True]), CUBE[1:])
    with pytest.raises(errors.InvalidArgumentError):
        one(CUBE, [False, True, True])


@pytest.mark.parametrize("fraction", [0.1, 0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("shape", [[5, 6, 3], [None, None, 3]])
def test_fraction_of_central_crop(fraction: float, shape: Any) -> None:
    image = np.arange(90.0).reshape(5, 6, 3)

    @tf.function(input_signature=[tf.TensorSpec(shape, tf.float64), tf.TensorSpec([], tf.float32)])
    def staged(x: Any, fraction: Any) -> Any:
        return tf.image.central_crop(x, fraction)

    cut, left = (int((n - n * float(np.float32(fraction))) / 2) for n in (5, 6))
    wanted = image[cut : 5 - cut, left : 6 - left]
    assert_array_equal(staged(image, np.float32(fraction)), wanted)
    for bad in (0.0, -0.5, 1.5, np.nan):
        with pytest.raises(errors.InvalidArgumentError, match="central_fraction must be in"):
            staged(image, np.float32(bad))


@pytest.mark.parametrize(
    ("sizes", "whole"),
    [([2, 1, 3], True), ([2, -1, 3], True), ([-1, 0, 6], True), ([2, 1, 4], False),
     ([2, 1, 2], False), ([-1, 4, 3], False), ([2, -2, 6], False)],
)  # fmt: skip
def test_sizes_of_split(sizes: list[int], whole: bool) -> None:
    @tf.function(input_signature=[ANY_RANK, tf.TensorSpec([3], tf.int32)])
    def staged(x: Any, sizes: Any) -> Any:
        return tf.split(x, sizes)

    x = np.arange(12.0).reshape(6, 2)
    if not whole:
        with pytest.raises(errors.InvalidArgumentError, match="do not sum"):
            staged(x, np.array(sizes, np.int32))
        return
    open_at = [6 - sum(sizes) - 1 if n == -1 else n for n in sizes]
    expected = np.split(x, np.cumsum(open_at)[:-1])
    for part, wanted in zip(staged(x, np.array(sizes, np.int32)), expected, strict=True):
        assert_array_equal(part, wanted)


@pytest.mark.parametrize("shape", [None, [None, None], [None] * 3])
@pytest.mark.parametrize("rank", [1, 2])
def test_shapes_of_dynamic_partition(shape: Any, rank: int) -> None:
    @tf.function(input_signature=[tf.TensorSpec(shape), tf.TensorSpec([None] * rank, tf.int32)])
    def staged(x: Any, numbers: Any) -> Any:
        return tf.dynamic_partition(x, numbers, 2)

    x = np.arange(6.0, dtype=np.float32).reshape(3, 2, *[1] * (len(shape or [0, 0]) - 2))
    numbers = np.arange(3 * 2 ** (rank - 1), dtype=np.int32).reshape(x.shape[:rank]) % 2
    for at, part in enumerate(staged(x, numbers)):
        assert_array_equal(part, x[numbers == at])
    for wrong in (numbers[:2], np.zeros((2, 3)[:rank], np.int32)):
        with pytest.raises(errors.InvalidArgumentError, match="begin with that of partitions"):
            staged(x, wrong)
    if shape is None:
        with pytest.raises(errors.InvalidArgumentError, match="begin with that of partitions"):
            staged(np.float32(1), np.zeros([1] * rank, np.int32))


def test_sizes_of_split_one_by_one() -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def staged(n: Any) -> Any:
        return tf.split(CUBE, [n, 2 - n, 0]), tf.split(CUBE, [tf.constant(1), 1])

    parts, halves = staged(1)
    for part, wanted in zip(
        [*parts, *halves], [*np.split(CUBE, [1, 2]), *np.split(CUBE, 2)], strict=True
    ):
        assert_array_equal(part, wanted)
    assert [len(parts), len(halves)] == [3, 2]


@pytest.mark.parametrize("run", [lambda f: f, tf.function], ids=["eager", "traced"])
@pytest.mark.parametrize(
    ("call", "args"),
    [(lambda x, p: tf.dynamic_partition(x, p, 2), ([1, 2], [0, 5])),
     (lambda x, p: tf.dynamic_partition(x, p, 2), ([[1, 2]], [[0, -5]])),
     (lambda i, dims: tf.unravel_index(i, dims), ([9], [2, 2])),
     (lambda i, j: tf.math.confusion_matrix(i, j, 3), ([0, 3], [1, 2])),
     (lambda i, j: tf.math.confusion_matrix(i, j, 3), ([0, 1], [1, -2]))],
    ids=[
        "dynamic_partition-partitions[1] = 5", "dynamic_partition-partitions[0, 1] = -5",
        "unravel_index-indices[0] = 9", "confusion_matrix-labels[1] = 3",
        "confusion_matrix-predictions[1] = -2",
    ],
)  # fmt: skip
def test_checks_name_the_function(run: Any, call: Any, args: Any, request: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=r"is not in \[0, ") as caught:
        run(call)(*[tf.constant(each) for each in args])
    name, bad = request.node.callspec.id.split("-", 1)
    bad = bad.removesuffix("-eager").removesuffix("-traced")
    assert caught.value.op == name
    assert str(caught.value).startswith(f"{name}: {bad} ")
    assert (caught.value.location is None) is (run is not tf.function)


@pytest.mark.parametrize("data", [[1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]]])
def test_parts_of_unknown_rank_are_stitched(data: Any) -> None:
    def stitched(places: Any, rows: Any) -> Any:
        return tf.dynamic_stitch([places], [rows])

    signature = [tf.TensorSpec(None, tf.int32), tf.TensorSpec(None)]
    found = tf.function(stitched, input_signature=signature)([1, 0], data)
    assert found.numpy().tolist() == data[::-1]
