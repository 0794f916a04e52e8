"""Arrays as messages, by TensorBoard's own readers."""

from typing import Any

import numpy as np
import pytest

import runtime as rt

tensor_util = pytest.importorskip("tensorboard.util.tensor_util")


@pytest.mark.parametrize(
    "values",
    [
        1, [1, 2], 2.5, [True], "a", [b"x", "y"], [1j], np.zeros((0, 2)), np.float16([1.5]),
        rt.constant([[1.0]]), np.arange(3, dtype="u1"),
    ],
)  # fmt: skip
def test_arrays_and_messages(values: Any) -> None:
    proto = rt.make_tensor_proto(values)
    tensor = rt.convert_to_tensor(values)
    wanted = np.asarray(tensor.numpy(), tensor.dtype.np_dtype)
    for read in (rt.make_ndarray, tensor_util.make_ndarray):
        found = read(proto)
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        assert found.tolist() == wanted.tolist()


def test_shapes_of_messages() -> None:
    def made(*args: Any, **kwargs: Any) -> Any:
        return rt.make_ndarray(rt.make_tensor_proto(*args, **kwargs)).tolist()

    assert made(1, shape=[2, 2]) == [[1, 1], [1, 1]]
    assert made([1, 2], shape=[3], dtype=rt.int64) == [1, 2, 2]
    for args in (([1, 2], None, [2, 1], True), ([1, 2], None, [1])):
        with pytest.raises(rt.errors.InvalidArgumentError, match="are no tensor of shape"):
            rt.make_tensor_proto(*args)
    with pytest.raises(TypeError, match="use its numpy"):
        rt.make_ndarray(rt.constant(1))

    @rt.function
    def staged(x: rt.Tensor) -> Any:
        return rt.make_tensor_proto(x)

    with pytest.raises(ValueError, match="none yet"):
        staged(rt.constant(1))
