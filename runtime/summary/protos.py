"""Arrays as protocol buffers and back, by TensorBoard's package."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_value
from runtime.core.shapes import TensorShape
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.summary.events import module


def make_tensor_proto(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False
) -> Any:
    """The TensorProto of numbers or texts. It needs the extra `tensorboard`.

    Args:
        shape: the shape of the result; the last value fills it up, unless `verify_shape`.

    Raises InvalidArgumentError for more values than the shape has room for.

    >>> proto = rt.make_tensor_proto([[1.0, 2.0]])
    >>> rt.make_ndarray(proto).tolist()
    [[1.0, 2.0]]
    """
    tensor = convert_to_tensor(values, None if dtype is None else dtypes.as_dtype(dtype))
    if tensor.static_value is None and state.trace is not None:
        raise state.trace.refused(
            "make_tensor_proto takes values, and a tensor of a graph has none yet",
            "return the tensor, and call it outside of the staged function",
        )
    array = np.asarray(tensor.numpy())
    if shape is not None:
        dims = [dim for dim in TensorShape(shape).as_list() if dim is not None]
        if len(dims) < len(TensorShape(shape)):
            raise ValueError(f"a TensorProto has a known shape, got {shape}")
        array = _shaped(array, tuple(dims), verify_shape)
    if dtypes.as_dtype(tensor.dtype) is dtypes.string:
        return module("util.tensor_util").make_tensor_proto(array.tolist(), shape=array.shape)
    return module("util.tensor_util").make_tensor_proto(array)


def _shaped(array: Any, shape: tuple[int, ...], verify: bool) -> Any:
    missing = math.prod(shape) - array.size
    if array.shape != shape and (verify or missing < 0 or not array.size):
        raise wrong_value(f"values of shape {array.shape} are no tensor of shape {shape}")
    flat = array.reshape(-1)
    return np.concatenate([flat, np.repeat(flat[-1:], missing)]).reshape(shape)


def make_ndarray(tensor: Any) -> Any:
    """The array of a TensorProto; texts are bytes. It needs the extra `tensorboard`.

    >>> rt.make_ndarray(rt.make_tensor_proto(["a", "b"])).tolist()
    [b'a', b'b']
    """
    if isinstance(tensor, Tensor):
        raise TypeError("make_ndarray takes a TensorProto, and this is a tensor: use its numpy()")
    if not hasattr(tensor, "tensor_shape"):
        raise TypeError(f"make_ndarray takes a TensorProto, got {tensor!r}")
    return module("util.tensor_util").make_ndarray(tensor)
