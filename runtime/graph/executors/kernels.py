"""How ops can be told where to write their results, and what they do with their inputs' memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime import dtypes
from runtime.graph.ir import Node, Value
from runtime.primitive import Kernel
from runtime.shapes import is_known
from runtime.types import TensorType

OVER = frozenset(
    (
        "set_slice", "tensor_scatter_add", "tensor_scatter_max", "tensor_scatter_min",
        "tensor_scatter_sub", "tensor_scatter_update",
    )
)  # fmt: skip
"""Ops that change parts of their first input: where nobody else reads it, in its own memory."""


LISTS = frozenset(("array_add_at", "array_clear", "array_drop", "array_gap", "array_write"))
"""The same of lists, which keep what is written to them."""

READERS = OVER | frozenset(
    (
        "all", "angle", "any", "argmax", "argmin", "argsort", "array_concat", "array_length",
        "array_read", "array_read_like", "array_read_or_zeros", "array_size", "array_stack",
        "array_stack_like", "assign_add_variable", "assign_sub_variable", "assign_variable",
        "avg_pool2d", "avg_pool2d_grad", "avg_pool3d", "avg_pool3d_grad", "band_part", "bincount",
        "cast", "clip", "complex", "concat", "conv2d", "conv2d_backprop_filter",
        "conv2d_backprop_input", "conv3d", "conv3d_backprop_filter", "conv3d_backprop_input",
        "cumprod", "cumsum", "depthwise_conv2d", "depthwise_conv2d_backprop_filter",
        "depthwise_conv2d_backprop_input", "diag", "digamma", "div_no_nan", "einsum", "elu", "erf",
        "erfc", "erfinv", "eye", "fill", "floordiv", "gather", "gather_grad", "gather_nd", "gelu",
        "invert_permutation", "leaky_relu", "left_shift", "lgamma", "linspace", "log_softmax",
        "matmul", "max", "max_pool2d", "max_pool2d_grad", "max_pool2d_grad_grad", "max_pool3d",
        "max_pool3d_grad", "max_pool3d_grad_grad", "max_pool_with_argmax", "mean", "min", "mod",
        "mul_no_nan", "one_hot_positions", "ones_like", "pad", "polygamma", "pow", "prod",
        "random_categorical", "random_gamma", "random_normal", "random_poisson", "random_shuffle",
        "random_truncated_normal", "random_uniform", "random_uniform_int", "range", "reciprocal",
        "relu", "relu6", "relu_grad", "repeat_indices", "resize_area", "resize_area_grad",
        "resize_bicubic", "resize_bicubic_grad", "resize_bilinear", "resize_bilinear_grad",
        "resize_nearest", "resize_nearest_grad", "reverse_sequence", "right_shift", "roll", "round",
        "rsqrt", "scale_and_translate", "scale_and_translate_grad", "scatter_nd", "searchsorted",
        "set_diag", "shape", "sigmoid", "softmax", "softplus", "softsign", "sort",
        "squared_difference", "stack", "stateless_binomial", "stateless_categorical",
        "stateless_fold_in", "stateless_gamma", "stateless_normal", "stateless_poisson",
        "stateless_shuffle", "stateless_truncated_normal", "stateless_uniform",
        "stateless_uniform_full_int", "stateless_uniform_int", "sum", "tile", "top_k",
        "truncatediv", "truncatemod", "unslice", "unsorted_segment_max", "unsorted_segment_min",
        "unsorted_segment_prod", "unsorted_segment_sum", "where", "xdivy", "xlog1py", "xlogy",
        "zeros_like", "zeta",
    )
)  # fmt: skip
"""Ops, besides ufuncs, that neither keep their inputs nor return views of them."""

SAME = frozenset(
    ("ensure_shape", "expand_dims", "identity", "reshape", "squeeze", "stop_gradient", "sum_to")
)
"""Ops whose result may be their first input's memory, element by element."""

VIEWS = SAME | frozenset(
    (
        "bitcast", "broadcast_to", "diag_part", "imag", "real", "reverse", "slice",
        "sorted_segment_ids", "split", "strided_slice", "transpose", "unstack",
    )
)  # fmt: skip
"""Ops whose results may be views of their first input, and that keep none."""


def is_view(node: Node) -> bool:
    """May its outputs be views of its first input? A single number is copied."""
    if node.primitive.name not in VIEWS or not node.outputs or is_number(node.outputs[0]):
        return False
    return not _sums(node)


def is_number(value: Value) -> bool:
    """Is it a single number?"""
    return getattr(value.type, "shape", None) == ()


def is_text(value: Value) -> bool:
    """May it be a single string?"""
    type = value.type
    return isinstance(type, TensorType) and type.dtype is dtypes.string and not type.shape


def boxed(raw: Any) -> Any:
    """The array for a string that NumPy returns as an element of an array."""
    return np.asarray(raw, dtype=object) if isinstance(raw, bytes) else raw


def _sums(node: Node) -> bool:
    """Does a sum to another shape add up anything?"""
    if node.primitive.name != "sum_to" or not is_array(node.inputs[0]):
        return False
    return is_array(node.outputs[0]) and node.inputs[0].type != node.outputs[0].type


def ufunc_of(node: Node) -> np.ufunc | None:
    """The ufunc that computes the node; it takes the array of the result behind its operands."""
    kernel = node.primitive.kernel
    return kernel if isinstance(kernel, np.ufunc) and not node.params else None


def product_of(node: Node) -> Any:
    """`np.dot`, where a matrix product is nothing more than that; else None."""
    if node.primitive.name != "matmul" or any(node.params.values()):
        return None
    return np.dot if all(map(_is_matrix, node.inputs)) else None


def takes_out(kernel: Kernel) -> bool:
    """Does a kernel that is no ufunc write its result to the array that it is given as `out`? One
    with several results is given a tuple, where None stands for a new array.
    """
    return _takes(kernel, "out")


def takes_work(kernel: Kernel) -> bool:
    """Does a kernel have arrays that it needs while it runs in a workspace that it is given?"""
    return _takes(kernel, "work")


def works(node: Node) -> bool:
    """Is the node's kernel to be given a workspace? It needs none for single numbers."""
    return takes_work(node.primitive.kernel) and not all(map(is_number, node.outputs))


def _takes(kernel: Kernel, name: str) -> bool:
    code = getattr(kernel, "__code__", None)
    return (
        code is not None and name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    )


def written(node: Node) -> Sequence[Value]:
    """The results that the node may be told where to write to."""
    if node.primitive.name in LISTS:
        return node.outputs
    # One of several results is in no room: the kernel is told about one.
    alone = len(node.outputs) == 1
    outputs = [value for value in node.outputs if is_array(value) or (alone and is_open(value))]
    if ufunc_of(node) is not None or product_of(node) is not None:
        return outputs
    # What may hand on its input, where it is given no array, must not be written over later.
    reads = node.primitive.name in READERS or _sums(node)
    return outputs if reads and takes_out(node.primitive.kernel) else ()


def is_array(value: Value) -> bool:
    """Is it an array, of numbers, whose size is known?"""
    type = value.type
    if not isinstance(type, TensorType) or not type.shape or None in type.shape:
        return False
    return type.dtype.np_dtype.kind in "biufc"


def is_open(value: Value) -> bool:
    """Is it an array, of numbers, of which only the run knows the size?"""
    type = value.type
    if not isinstance(type, TensorType) or not type.shape or None not in type.shape:
        return False
    return type.dtype.np_dtype.kind in "biufc"


def _is_matrix(value: Value) -> bool:
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    return shape is not None and len(shape) == 2 and is_known(shape)
