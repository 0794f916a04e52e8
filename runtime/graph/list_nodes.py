"""The primitives of lists that grow in graphs, beside those of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import dtypes, errors
from runtime.core import intervals
from runtime.core.forms import Form
from runtime.core.primitive import Memory, structural
from runtime.core.types import ListType, TensorType, Type
from runtime.graph import arrays
from runtime.graph.nodes import INT, apply, fits


def _cast(array: list[Any], *, dtype: dtypes.DType) -> list[Any]:
    return [_cast_item(item, dtype) for item in array]


def _cast_item(item: Any, dtype: dtypes.DType) -> Any:
    for number in item.ravel().tolist():
        if not fits(number, dtype):
            message = f"the Python number {number!r} does not fit into {dtype.name}"
            raise errors.InvalidArgumentError(None, None, message)
    return item.astype(dtype.np_dtype)


def _cast_type(array: ListType, *, dtype: dtypes.DType) -> Type:
    assert isinstance(array.element, TensorType)
    return ListType(TensorType(dtype, array.element.shape))


def _filled(array: list[Any]) -> list[Any]:
    return [np.True_] * len(array)


def _filled_type(array: ListType) -> Type:
    return ListType(TensorType(dtypes.bool, ()))


def _take(array: list[Any], places: Any) -> list[Any]:
    return [array[at] if at < len(array) else None for at in places]


def _put(array: list[Any], places: Any) -> list[Any]:
    made = [None] * (max(places, default=-1) + 1)
    for item, at in zip(array, places, strict=False):
        made[at] = item
    return made


def _drop(array: list[Any], at: Any, out: list[Any] | None = None) -> list[Any]:
    made = arrays.copied(array, out)
    del made[int(at) : int(at) + 1]
    return made


def _gap(array: list[Any], at: Any, out: list[Any] | None = None) -> list[Any]:
    made = arrays.copied(array, out)
    if at < len(made):
        made.insert(int(at), None)
    return made


def _same_type(array: ListType, places: Type) -> Type:
    return array


def _gradient_of_drop(op: Any, grad: Any) -> Any:
    return apply(GAP, grad, op.inputs[1]), None


def _gradient_of_gap(op: Any, grad: Any) -> Any:
    return apply(DROP, grad, op.inputs[1]), None


def _gradient_of_take(op: Any, grad: Any) -> Any:
    return apply(PUT, grad, op.inputs[1]), None


def _gradient_of_put(op: Any, grad: Any) -> Any:
    return apply(TAKE, grad, op.inputs[1]), None


def _gradient_of_cast(op: Any, grad: Any) -> Any:
    return (apply(CAST, grad, dtype=op.inputs[0].type.element.dtype),)


CAST = structural(
    "array_cast", _cast, _cast_type, op_type="TensorListCast", gradient=_gradient_of_cast,
    fallible=True,
)  # fmt: skip
FILLED = structural(
    "array_filled", _filled, _filled_type, op_type="TensorListFilled",
    gradient=lambda op, grad: (None,),
)  # fmt: skip
# The list without the item at a place; and with room for one.
DROP = structural(
    "array_drop",
    _drop,
    _same_type,
    op_type="TensorListDrop",
    gradient=_gradient_of_drop,
    memory=Memory.STORES,
)
GAP = structural(
    "array_gap",
    _gap,
    _same_type,
    op_type="TensorListGap",
    gradient=_gradient_of_gap,
    memory=Memory.STORES,
)
# The items at some places; and the list that has its items at these. Of gradients, items that are
# not there are zeros, also behind the end.
TAKE = structural(
    "array_take", _take, _same_type, op_type="TensorListTake", gradient=_gradient_of_take
)
PUT = structural("array_put", _put, _same_type, op_type="TensorListPut", gradient=_gradient_of_put)
LENGTH = structural(
    "array_length", len, lambda array: INT, op_type="TensorListLength", memory=Memory.READS,
    scalar=Form("len({})", ""), interval=intervals.length,
)  # fmt: skip
