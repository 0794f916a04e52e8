"""Functions of version 1 whose arguments have another order than those of version 2.

The function of today, with its arguments by name, is the second opinion.
"""

from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.compat import v1

PIXELS = np.arange(16.0, dtype=np.float32).reshape(1, 2, 2, 4)


@pytest.mark.parametrize(
    ("older", "today"),
    [
        (
            lambda: v1.confusion_matrix([1, 0], [1, 1], 2, rt.int64, "n", [2, 3]),
            lambda: rt.math.confusion_matrix([1, 0], [1, 1], 2, weights=[2, 3], dtype=rt.int64),
        ),
        (
            lambda: v1.count_nonzero(input_tensor=[[1, 0], [2, 3]], reduction_indices=0),
            lambda: rt.math.count_nonzero([[1, 0], [2, 3]], axis=0),
        ),
        (
            lambda: v1.depth_to_space(PIXELS, 2, "n", "NHWC"),
            lambda: rt.nn.depth_to_space(PIXELS, 2, "NHWC", "n"),
        ),
        (lambda: v1.nn.space_to_depth(PIXELS, 2, "n"), lambda: rt.nn.space_to_depth(PIXELS, 2)),
        (
            lambda: v1.reduce_join([["a", "b"]], 1, True, "-", "n"),
            lambda: rt.strings.reduce_join([["a", "b"]], 1, keepdims=True, separator="-"),
        ),
        (lambda: v1.substr("héllo", 1, 1, "n", "UTF8_CHAR"), lambda: rt.constant("é")),
        (lambda: v1.to_complex64([1.5]), lambda: rt.constant([1.5 + 0j], rt.complex64)),
        (lambda: v1.clip_by_average_norm([3.0, 4.0], 5.0), lambda: rt.constant([3.0, 4.0])),
        (lambda: v1.clip_by_average_norm([3.0, 4.0], 0.5), lambda: rt.constant([0.6, 0.8])),
    ],
)
def test_arguments_in_the_order_of_version_1(older: Any, today: Any) -> None:
    found, expected = older(), today()
    assert found.dtype == expected.dtype
    if found.dtype == rt.string:
        assert found.numpy() == expected.numpy()
    else:
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("assert_equal", ([1], [1]), ([1], [2])),
        ("assert_none_equal", ([1], [2]), ([1], [1])),
        ("assert_greater_equal", (2, 2), (1, 2)),
        ("assert_near", (1.0, 1.0, 0.1, 0.1), (1.0, 2.0, 0.1, 0.1)),
        ("assert_positive", ([1],), ([-1],)),
        ("assert_non_negative", ([0],), ([-1],)),
        ("assert_rank_in", ([1], [1, 2]), ([1], [0])),
    ],
)
def test_assertions_of_version_1_take_data_before_the_message(
    name: str, right: tuple[Any, ...], wrong: tuple[Any, ...]
) -> None:
    for check in (getattr(v1, name), getattr(v1.debugging, name)):
        check(*right, ["data"], 3, "told")
        with pytest.raises(ValueError, match="told"):
            check(*wrong, ["data"], 3, "told")
        with pytest.raises(TypeError, match="two values for 'x'"):
            check(*right, x=1)
        with pytest.raises(TypeError, match="at most"):
            check(*range(9))
