"""Elements chosen by conditions."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core import intervals
from runtime.core.convert import convert_to_tensor
from runtime.core.forms import Form
from runtime.core.identities import selected
from runtime.core.primitive import (
    Order,
    Primitive,
    bind,
    broadcast_shapes,
    row,
    sample,
    wrong_shape,
    wrong_value,
)
from runtime.core.shapes import compatible, is_known, merge_shapes, size_of
from runtime.core.tensor import Tensor
from runtime.core.workspace import Workspace
from runtime.ops import batching
from runtime.ops.arguments import static_int
from runtime.ops.blockwise import BITS, MANY, chosen, in_blocks
from runtime.ops.checks import checked
from runtime.ops.define import axis_in, matched, sum_to_shape_of


def _where_rule(op: Any, g: Any) -> Any:
    condition, x, y = op.inputs
    nothing = ops.zeros_like(g)
    for_x = sum_to_shape_of(where(condition, g, nothing), x)
    return None, for_x, sum_to_shape_of(where(condition, nothing, g), y)


def _where_kernel(test: Any, x: Any, y: Any, out: Any = None, work: Any = None) -> Any:
    if _is_any_pattern(test, x, y):
        return _where_of_many(x, y, test, out=out, work=work)
    if out is None:
        return np.where(test, x, y)
    np.copyto(out, y)
    np.copyto(out, x, where=test)
    return out


def _is_any_pattern(test: Any, x: Any, y: Any) -> bool:
    if test.size < MANY or x.dtype.kind not in "fiuc" or x.dtype.itemsize not in BITS:
        return False
    return all(value.ndim <= test.ndim and value.size <= test.size for value in (x, y))


@in_blocks
def _where_of_many(x: Any, y: Any, test: Any, out: Any, work: Workspace) -> None:
    chosen(test, x, y, out, work)


select_p: Primitive = row(
    "where", _where_kernel, signature="B,A,A->A", shape=broadcast_shapes, op_type="SelectV2",
    gradient=_where_rule, keep_inputs=(0,), scalar=Form("{1} if {0} else {2}"),
    instruction="select",
    interval=intervals.chosen, identities=(selected,),
    samples=(sample("2,3:b", "2,3", "2,3"), sample("2,1:b", "3", ""), sample(":b", "2", "2")),
    batching=batching.elementwise,
)  # fmt: skip
nonzero_p: Primitive = row(
    "nonzero", lambda x: np.argwhere(x).astype(np.int64, copy=False), signature="A->int64",
    shape=lambda shape: (None, None if shape is None else len(shape)), op_type="Where",
    gradient=lambda op, g: (None,), keep_inputs=(), samples=(sample("2,3:b"),),
    order=Order.PERMUTED,
)  # fmt: skip


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Elements of `x` where `condition` holds, of `y` elsewhere, broadcast.

    With the condition only: where it holds.

    In the second form: int64 of shape (number of true elements, rank); InvalidArgumentError
    (ValueError while tracing) for a scalar. ValueError if only one of x, y is given.

    >>> rt.where([True, False], 1, 2).numpy().tolist()
    [1, 2]
    """
    if x is None and y is None:
        test = convert_to_tensor(condition)
        message = "a scalar has no places; write tf.where([condition])"
        if test.ndim == 0:
            raise wrong_value(f"where: {message}")
        if test.ndim is None:
            test = checked(test, ops.rank(test) > 0, "where", message)
        return bind(nonzero_p, test)  # type: ignore[no-any-return]
    if x is None or y is None:
        raise wrong_value("x and y must both be non-None or both be None.")
    first, second = matched(x, y)
    test = convert_to_tensor(condition, dtype_hint=dtypes.bool)
    return bind(select_p, test, first, second)  # type: ignore[no-any-return]


def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Tensor:
    """The elements (or slices) of `tensor` where `mask` is true.

    The mask covers the axes from `axis` (0) on.

    ValueError for a mask without axes, or of unknown rank.

    >>> rt.boolean_mask([1, 2], [False, True]).numpy().tolist()
    [2]
    """
    x, chosen = convert_to_tensor(tensor), convert_to_tensor(mask, dtypes.bool)
    if not chosen.ndim:
        raise wrong_shape("mask cannot be scalar, and its rank must be known.", chosen)
    given = 0 if axis is None else axis
    if x.ndim is None or (isinstance(given, Tensor) and given.static_value is None):
        return _masked_at(x, chosen, given)
    place = axis_in(static_int(given, "axis"), x.ndim)
    shape = x.static_shape or ()
    dims, end = ops.dims(x), place + chosen.ndim
    if not compatible(shape[place:end], chosen.static_shape):
        raise wrong_value(
            f"a mask of shape {chosen.shape} does not fit axes of shape {shape[place:end]}"
        )
    covered = merge_shapes(shape[place:end], chosen.static_shape)
    if not (is_known(shape[place:end]) and is_known(chosen.static_shape)):
        chosen = fitting(chosen, dims[place:end])
    size: Any = size_of(covered)
    if size is None:
        size = ops.reduce_prod(ops.shape(x)[place:end])
    flat = ops.reshape(x, [*dims[:place], size, *dims[end:]])
    return ops.gather(flat, _kept(chosen, size), axis=place)


def fitting(mask: Tensor, dims: Any) -> Tensor:
    """The mask; InvalidArgumentError in a run where it has other dimensions."""
    fits = ops.equal(ops.shape(mask), ops.stack(dims))
    return checked(mask, fits, "BooleanMask", "a mask does not fit the axes that it stands for")


def _kept(mask: Tensor, size: Any) -> Tensor:
    """The places of the true elements of a mask of this size."""
    return ops.squeeze(where(ops.reshape(mask, [size])), [1])


def _masked_at(x: Tensor, mask: Tensor, axis: Any) -> Tensor:
    """`boolean_mask` where only the run knows the axis, or the rank of `x`."""
    dims, place = ops.shape(x), convert_to_tensor(axis, dtype_hint=dtypes.int32)
    place = where(ops.less(place, 0), ops.cast(ops.rank(x), place.dtype) + place, place)
    before, after = dims[:place], dims[place + mask.ndim :]
    mask = fitting(mask, ops.unstack(dims[place : place + mask.ndim], mask.ndim))
    size = ops.reduce_prod(dims[place : place + mask.ndim])
    flat = ops.reshape(x, [ops.reduce_prod(before), size, ops.reduce_prod(after)])
    found = ops.gather(flat, _kept(mask, size), axis=1)
    return ops.reshape(found, ops.concat([before, [ops.shape(found)[1]], after], 0))
