"""Functions of NumPy's as the ops that compute the same: those can become machine code."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from runtime import dtypes, ops
from runtime.core.primitive import TABLE, bind
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.dtypes import as_dtype
from runtime.graph.nodes import WIDE_DTYPES
from runtime.staging.aliasing.sharing import OF_TENSOR, hold, may_be_part
from runtime.staging.arrays.symbolic_array import SymbolicArray, as_array, as_tensor
from runtime.staging.symbolic_number import CLASSES, SymbolicNumber, number_to_tensor
from runtime.staging.symbolic_tensor import SymbolicTensor

_PRIMITIVES = {
    primitive.kernel: primitive
    for primitive in TABLE.values()
    if isinstance(primitive.kernel, np.ufunc)
}
"""The ops that compute with a function of NumPy's, by that function."""

_KINDS = "biuf"
"""The kinds of dtypes of which they compute the same."""


_FLOATS, _REALS = "df", "bBhHiIlLqQdf"
_REDUCTIONS: dict[Any, tuple[Callable[..., Any], str]] = {
    np.sum: (ops.reduce_sum, _REALS), np.mean: (ops.reduce_mean, _FLOATS),
    np.max: (ops.reduce_max, _REALS), np.amax: (ops.reduce_max, _REALS),
    np.min: (ops.reduce_min, _REALS), np.amin: (ops.reduce_min, _REALS),
    np.any: (ops.reduce_any, "?"), np.all: (ops.reduce_all, "?"),
}  # fmt: skip
"""Ops along axes, and the dtypes, by their letters, of which they compute as NumPy does."""


def by_ops(function: Any, inputs: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """The array that a function gives, where ops compute it as NumPy does; NotImplemented
    elsewhere, and where a tape would have to be told that it does not know it.
    """
    if state.tapes:
        return NotImplemented
    if function in _REDUCTIONS and len(inputs) <= 2:
        return _reduced(function, *inputs, **options)
    if function is np.copy and len(inputs) == 1 and isinstance(inputs[0], SymbolicTensor):
        return NotImplemented if options else as_array(ops.identity(_numbers(inputs[0])))
    if function is np.reshape and len(inputs) == 2 and not options:
        return _reshaped(*inputs)
    if not isinstance(function, np.ufunc) or options:
        return NotImplemented
    return _of_each(function, inputs)


def _reduced(
    function: Any, array: Any, axis: Any = None, *, keepdims: bool = False, **options: Any
) -> Any:
    """A reduction of an array that is not empty, along axes that Python knows."""
    operation, letters = _REDUCTIONS[function]
    if options or not isinstance(array, SymbolicTensor) or type(keepdims) is not bool:
        return NotImplemented
    dtype, shape = array.type.dtype.np_dtype, array.static_shape
    is_known = axis is None or type(axis) is int
    if dtype.char not in letters or not shape or None in shape or 0 in shape or not is_known:
        return NotImplemented
    if axis is not None and not -len(shape) <= axis < len(shape):
        return NotImplemented  # an error of NumPy's
    tensor = _numbers(array)
    if function is np.sum and dtype.kind in "iu":
        tensor = ops.cast(tensor, dtypes.uint64 if dtype.kind == "u" else dtypes.int64)
    return as_array(operation(tensor, axis=axis, keepdims=keepdims))


def _reshaped(array: Any, shape: Any) -> Any:
    """An array of another shape, where only the run knows one of the two."""
    sizes = shape if isinstance(shape, list | tuple) else (shape,)
    if not isinstance(array, SymbolicTensor) or not all(map(_is_size, sizes)):
        return NotImplemented
    own = array.static_shape
    if own is None or (None not in own and all(type(size) is int for size in sizes)):
        return NotImplemented
    made = as_array(ops.reshape(_numbers(array), sizes))
    if isinstance(array, SymbolicArray):
        may_be_part(made, array)
    else:
        hold(made, OF_TENSOR)
    return made


def _is_size(item: Any) -> bool:
    if isinstance(item, Tensor):
        return item.dtype.is_integer and item.static_shape == ()
    return type(item) is int or (isinstance(item, SymbolicNumber) and item.type.kind == "int")


def _of_each(function: Any, inputs: Sequence[Any]) -> Any:
    """The array of the results of a function for each element."""
    if any(isinstance(item, list | tuple) for item in inputs):
        return NotImplemented
    try:
        kinds = function.resolve_dtypes((*map(_operand, inputs), *[None] * function.nout))
    except TypeError:
        return NotImplemented  # NumPy's own error comes where it is called
    if any(map(_may_not_fit, kinds, inputs)):
        return NotImplemented  # NumPy tells which numbers do not
    if len(set(kinds[: function.nin])) > 1:
        return NotImplemented  # it compares int64 with uint64
    computing = _of_ops(function, kinds[0], inputs)
    if computing is None or kinds[0].kind not in _KINDS:
        return NotImplemented
    return as_array(computing(*map(_as, kinds, inputs)))


def _operand(item: Any) -> Any:
    """The dtype of an operand as NumPy resolves it: of Python numbers their class."""
    if isinstance(item, SymbolicNumber):
        item = CLASSES[item.type.kind]
        return np.dtype(bool) if item is bool else item
    if isinstance(item, Tensor):
        return item.type.dtype.np_dtype
    if type(item) in (int, float, complex):
        return type(item)
    return np.asarray(item).dtype


def _may_not_fit(dtype: Any, item: Any) -> bool:
    """Whether a whole number of Python's may be none of a dtype that it is computed with."""
    if dtype.kind not in "iu":
        return False
    if type(item) is int:
        return not np.iinfo(dtype).min <= item <= np.iinfo(dtype).max
    return isinstance(item, SymbolicNumber) and item.type.kind == "int" and dtype != np.int64


def _of_ops(function: Any, dtype: Any, inputs: Sequence[Any]) -> Callable[..., Any] | None:
    """The function of ops that computes as NumPy's does, for operands of this dtype."""
    primitive, second = _PRIMITIVES.get(function), inputs[-1]
    if primitive is not None:
        return partial(bind, primitive) if dtype in primitive.accepted else None
    if function is np.power:
        # One that is below 0 is an error of NumPy's for whole numbers.
        return operator.pow if dtype.kind == "f" or (type(second) is int and second >= 0) else None
    if function in (np.floor_divide, np.remainder) and dtype.kind != "b":
        operation = operator.mod if function is np.remainder else operator.floordiv
        is_safe = dtype.kind == "f" or (type(second) is int and second != 0)
        return operation if is_safe else partial(_divided, operation)
    is_matrix = all(isinstance(x, Tensor) and len(x.static_shape or ()) >= 2 for x in inputs)
    return operator.matmul if function is np.matmul and is_matrix and dtype.kind == "f" else None


def _divided(operation: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """The quotient, or remainder, of whole numbers: 0 for a divisor of 0, where ops raise."""
    is_zero = ops.equal(y, 0)
    return ops.where(
        is_zero, ops.zeros_like(y), operation(x, ops.where(is_zero, ops.ones_like(y), y))
    )


def _numbers(item: Tensor) -> Tensor:
    """The numbers of an array or a tensor, apart from tapes: one around the function follows its
    graph, and the tensors that it has from outside.
    """
    return as_tensor(item) if isinstance(item, SymbolicArray) else ops.stop_gradient(item)


def _as(dtype: Any, item: Any) -> Any:
    """An operand as a tensor of this dtype."""
    if isinstance(item, SymbolicNumber):
        return ops.cast(number_to_tensor(item, WIDE_DTYPES[item.type.kind]), as_dtype(dtype))
    if isinstance(item, Tensor):
        return ops.cast(_numbers(item), as_dtype(dtype))
    return ops.convert_to_tensor(np.asarray(item, dtype))
