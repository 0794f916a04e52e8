"""Numbers that passes have found out and that become tensors keep the dtype of the tensor."""

from typing import Any

import pytest

import runtime as rt


@rt.function
def known_behind_a_raise(x: Any) -> Any:
    kind = 1 if x < 0 else 2
    if kind == 1:
        raise ValueError("negative")
    return 0 if kind == 1 else 4, kind == 2, x


@pytest.mark.parametrize("dtype", [rt.int32, rt.int64, rt.float32])
def test_known_numbers_have_the_dtype_of_their_type(dtype: rt.DType) -> None:
    number, truth, _ = known_behind_a_raise(rt.constant(5, dtype))
    wanted = rt.int64 if dtype is rt.int64 else rt.int32  # as wide as the argument
    assert (int(number), number.dtype) == (4, wanted)
    assert (bool(truth), truth.dtype) == (True, rt.bool)
