"""TensorShape, TensorSpec and the static rules of shapes."""

import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest

from runtime import dtypes
from runtime.core.shapes import (
    Shape,
    TensorShape,
    TensorSpec,
    broadcast,
    compatible,
    join_shapes,
    merge_shapes,
    size_of,
)

KNOWN: list[tuple[int, ...]] = [(), (1,), (2,), (3,), (1, 3), (2, 3), (2, 1), (0,), (4, 1, 3)]


@pytest.mark.parametrize(("a", "b"), list(product(KNOWN, KNOWN)))
def test_broadcast_is_numpys(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    try:
        expected = np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(ValueError, match="do not broadcast"):
            broadcast(a, b)
    else:
        assert broadcast(a, b) == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((None,), (3,), (3,)), ((None,), (1,), (None,)), ((None, 2), (5, 1), (5, 2)),
        (None, (2,), None), ((None,), (None,), (None,)), ((2, None), (None,), (2, None)),
    ],
)  # fmt: skip
def test_broadcast_of_unknown(a: Shape, b: Shape, expected: Shape) -> None:
    assert broadcast(a, b) == expected
    assert broadcast(b, a) == expected


@pytest.mark.parametrize(
    ("a", "b", "joined", "fit"),
    [
        ((2, 3), (2, 3), (2, 3), True), ((2, 3), (2, 4), (2, None), False),
        ((2,), (2, 3), None, False), ((None, 3), (2, 3), (None, 3), True), (None, (2,), None, True),
    ],
)  # fmt: skip
def test_joins_and_compatibility(a: Shape, b: Shape, joined: Shape, fit: bool) -> None:
    assert join_shapes(a, b) == joined
    assert compatible(a, b) is fit
    if fit:
        merged = merge_shapes(a, b)
        assert compatible(merged, a)
        assert compatible(merged, b)
    else:
        with pytest.raises(ValueError, match="not compatible"):
            merge_shapes(a, b)


def test_size() -> None:
    assert size_of((2, 3)) == 6
    assert size_of(()) == 1
    assert size_of((2, None)) is None
    assert size_of((0, None)) == 0
    assert size_of(None) is None


def test_tensor_shape_reads_like_a_sequence() -> None:
    shape = TensorShape([2, None, 4])
    assert (len(shape), shape.rank, shape.ndims, list(shape)) == (3, 3, 3, [2, None, 4])
    assert (shape[0], shape[1], shape[-1]) == (2, None, 4)
    assert shape[1:] == TensorShape([None, 4])
    assert shape.as_list() == [2, None, 4]
    assert shape == (2, None, 4)
    assert shape == [2, None, 4]
    assert shape != (2, None, 5)
    assert not shape.is_fully_defined()
    assert shape.num_elements() is None
    assert TensorShape([2, 3]).num_elements() == 6
    assert shape.concatenate([5]) == TensorShape([2, None, 4, 5])
    both = TensorShape([1]) + TensorShape([2])
    assert both == (1, 2)
    assert hash(TensorShape((2, 3))) == hash(TensorShape([2, 3]))
    assert pickle.loads(pickle.dumps(shape)) == shape


@pytest.mark.parametrize(
    ("dims", "text", "represented"),
    [
        ((2, 2), "(2, 2)", "TensorShape([2, 2])"), ((3,), "(3,)", "TensorShape([3])"),
        ((), "()", "TensorShape([])"), ((None, 2), "(None, 2)", "TensorShape([None, 2])"),
        (None, "<unknown>", "TensorShape(None)"),
    ],
)  # fmt: skip
def test_tensor_shape_is_printed(dims: Any, text: str, represented: str) -> None:
    assert str(TensorShape(dims)) == text
    assert repr(TensorShape(dims)) == represented


def test_unknown_rank() -> None:
    unknown = TensorShape(None)
    assert unknown.rank is None
    assert not unknown
    assert unknown[2] is None
    assert unknown[1:] == unknown
    assert unknown.is_compatible_with([2, 3])
    for use in (len, list, TensorShape.as_list):
        with pytest.raises(ValueError, match="unknown TensorShape"):
            use(unknown)


@pytest.mark.parametrize(
    ("part", "expected"),
    [(slice(2), [None] * 2), (slice(1, 3), [None] * 2), (slice(3, 1), []), (slice(1, None), None),
     (slice(-2, None), None), (slice(-1), None), (slice(0, 4, 2), None)],
)  # fmt: skip
def test_slices_of_unknown_rank(part: slice, expected: list[None] | None) -> None:
    assert repr(TensorShape(None)[part]) == repr(TensorShape(expected))


@pytest.mark.parametrize(
    ("dims", "error"), [([-1], ValueError), (["a"], TypeError), ([1.5], TypeError)]
)
def test_bad_dimensions(dims: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        TensorShape(dims)


def test_methods_that_check() -> None:
    shape = TensorShape([2, None])
    assert shape.with_rank(2) == shape
    assert shape.merge_with([None, 3]) == (2, 3)
    assert shape.most_specific_compatible_shape([2, 4]) == (2, None)
    assert shape.is_subtype_of([None, None])
    assert not TensorShape([None, None]).is_subtype_of(shape)
    for check in (
        lambda: shape.with_rank(3), lambda: shape.with_rank_at_least(3),
        lambda: shape.with_rank_at_most(1), lambda: shape.assert_has_rank(1),
        lambda: shape.assert_is_compatible_with([3, 3]), shape.assert_is_fully_defined,
        lambda: shape.assert_same_rank([1]), lambda: shape.merge_with([3, 3]),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"[Ss]hape"):
            check()


def test_tensor_spec() -> None:
    spec = TensorSpec([None, 3], "int32", name="x")
    assert repr(spec) == "TensorSpec(shape=(None, 3), dtype=tf.int32, name='x')"
    assert spec == TensorSpec((None, 3), dtypes.int32, "x")
    assert spec != TensorSpec((None, 3), dtypes.int64, "x")
    assert TensorSpec([2]).dtype is dtypes.float32
    assert spec.is_compatible_with(np.zeros((5, 3), np.int32))
    assert not spec.is_compatible_with(np.zeros((5, 3), np.int64))
    assert not spec.is_compatible_with(np.zeros((5, 4), np.int32))
    assert TensorSpec([2, 3], dtypes.int32).is_subtype_of(spec)
    wider = TensorSpec([1], "int32").most_specific_common_supertype([TensorSpec([2], "int32")])
    assert wider == TensorSpec([None], "int32")
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_supertypes_of_shapes_and_dtypes() -> None:
    shape = TensorShape([1, 2])
    covered = [
        ([TensorShape([3, 2])], [None, 2]),
        ([TensorShape([1, 3]), TensorShape([1, 2])], [1, None]),
        ([TensorShape([1])], None),
        ([TensorShape(None)], None),
        ([], [1, 2]),
    ]
    for others, wanted in covered:
        found = shape.most_specific_common_supertype(others)
        assert repr(found) == f"TensorShape({wanted})"
        assert all(each.is_subtype_of(found) for each in [shape, *others])
    assert shape.most_specific_common_supertype([[1, 2]]) is None
    assert dtypes.float32.is_subtype_of(dtypes.float32)
    assert not dtypes.float32.is_subtype_of(dtypes.int32)
    assert dtypes.float32.most_specific_common_supertype([dtypes.float32]) is dtypes.float32
    assert dtypes.float32.most_specific_common_supertype([dtypes.int32]) is None


def test_supertypes_of_specs_with_names() -> None:
    a, b = TensorSpec([1, 2], name="a"), TensorSpec([3, 2], name="a")
    assert a.most_specific_common_supertype([b]) == TensorSpec([None, 2], name="a")
    assert a.most_specific_compatible_type(b) == TensorSpec([None, 2], name="a")
    for other in (TensorSpec([1, 2], name="b"), TensorSpec([1, 2], dtypes.int32, "a"), 3):
        assert a.most_specific_common_supertype([other]) is None
        with pytest.raises(ValueError, match="No spec covers"):
            a.most_specific_compatible_type(other)
