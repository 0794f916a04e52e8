"""Elements and slices written at indices."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Memory, Order, Primitive, bind, row, sample, wrong_value
from runtime.core.shapes import Shape, merge_shapes
from runtime.core.tensor import Tensor
from runtime.ops.checks import MISSES
from runtime.ops.define import Example, Op, copied, dims_of, fill_dims, named, zeroed
from runtime.ops.gathering import as_rows, ignores, nd_index, within


def _scatter_kernel(
    indices: Any, updates: Any, *dims: Any, shape: Shape, negative: bool, out: Any = None
) -> Any:
    made = zeroed(fill_dims(shape, dims), updates.dtype, out)
    _write(made, indices, updates, np.add, negative)
    return made


def _write(target: Any, indices: Any, updates: Any, ufunc: Any, negative: bool = False) -> None:
    _check_updates(target.shape, indices.shape, updates.shape)
    index = nd_index(target.shape, indices, 0, negative)
    if index is None:
        index = (np.zeros(indices.shape[:-1], np.intp),)
        target = target[np.newaxis]
    if ufunc is None:
        target[index] = updates
    else:
        ufunc.at(target, index, updates)


def _check_updates(target: Any, indices: Any, updates: Any) -> None:
    if indices is None or target is None or updates is None or not indices or indices[-1] is None:
        if indices == ():
            raise wrong_value("indices must have at least one dimension")
        return
    if indices[-1] > len(target):
        raise wrong_value(f"indices of length {indices[-1]} are too long for shape {target}")
    try:
        merge_shapes((*indices[:-1], *target[indices[-1] :]), updates)
    except ValueError:
        raise wrong_value(
            f"updates of shape {updates} do not fit indices of shape {indices} into shape {target}"
        ) from None


def _scatter_shape(
    indices: Shape, updates: Shape, *dims: Shape, shape: Shape, negative: bool
) -> Shape:
    if shape is None:
        length = dims[0][0] if dims and dims[0] else None
        return None if length is None else (None,) * length
    if any(dim is not None and dim < 0 for dim in shape):
        raise wrong_value(f"a shape has no negative dimensions: {shape}")
    _check_updates(shape, indices, updates)
    return shape


def _scatter_rule(op: Any, g: Any) -> Any:
    indices = op.inputs[0]
    back = bind(ops.gather_nd_p, g, indices, batch_dims=0, negative=op.params["negative"])
    return (None, back, *[None] * (len(op.inputs) - 2))


scatter_nd_p: Primitive = row(
    "scatter_nd", _scatter_kernel, signature="I,A,i*->A", shape=_scatter_shape,
    op_type="ScatterNd", gradient=_scatter_rule, fallible=True, raises=MISSES, keep_inputs=(0,),
    samples=(
        sample("3,1:i4", "3,2", shape=(4, 2), negative=False),
        sample("3,2:i3", "3", shape=(4, 3), negative=False),
    ), order=Order.C, instruction="scatter_nd",
)  # fmt: skip


def scatter_nd(
    indices: Any,
    updates: Any,
    shape: Any,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Zeros of `shape` with `updates` added at `indices`.

    What meets in one place is summed, strings are joined.

    InvalidArgumentError for an index out of bounds, which the policy "IGNORE" passes over.

    >>> rt.scatter_nd([[1]], [5], [3]).numpy().tolist()
    [0, 5, 0]
    """
    static, dynamic = dims_of(shape)
    places, values = convert_to_tensor(indices), convert_to_tensor(updates)
    if ignores(bad_indices_policy):
        places, values = _only_within(convert_to_tensor(shape), places, values)
    return bind(scatter_nd_p, places, values, *dynamic, shape=static, negative=False)  # type: ignore[no-any-return]


def _only_within(sizes: Tensor, indices: Tensor, updates: Tensor) -> tuple[Tensor, Tensor]:
    """The indices that point into a tensor of the shape `sizes`, as rows, and their updates."""
    rows = as_rows(indices)
    known, depth = within(rows, sizes), ops.shape(rows)
    rest = ops.cast(sizes, dtypes.int32)[depth[1] :]
    values = ops.reshape(updates, ops.concat([depth[:1], rest], 0))
    return ops.boolean_mask(rows, known), ops.boolean_mask(values, known)


def _scattered(ufunc: Any) -> Any:
    def kernel(x: Any, indices: Any, updates: Any, out: Any = None) -> Any:
        made = copied(x, out)
        _write(made, indices, updates, ufunc)
        return made

    return kernel


def _scattered_shape(x: Shape, indices: Shape, updates: Shape) -> Shape:
    _check_updates(x, indices, updates)
    return x


def _picked(g: Any, indices: Any) -> Any:
    return bind(ops.gather_nd_p, g, indices, batch_dims=0, negative=False)


def _update_rule(op: Any, g: Any) -> Any:
    _, indices, updates = op.inputs
    return bind(tensor_update_p, g, indices, ops.zeros_like(updates)), None, _picked(g, indices)


def _extreme_rule(op: Any, g: Any) -> Any:
    """The gradient goes to all of x and updates that attain the result, in equal shares."""
    x, indices, updates = op.inputs
    y = op.outputs[0]
    kept = ops.cast(ops.equal(x, y), g.dtype)
    won = ops.cast(ops.equal(updates, _picked(y, indices)), g.dtype)
    shares = bind(tensor_add_p, kept, indices, won)
    return g / shares * kept, None, _picked(g / shares, indices) * won


_SCATTERED = (sample("4,2", "2,1:d4", "2,2"), sample("4,3", "2,2:d3", "2"))


def _tensor_scatter(name: str, op_type: str, ufunc: Any, gradient: Any, **fields: Any) -> Any:
    return row(
        name, _scattered(ufunc), signature="T,I,T->T", shape=_scattered_shape, op_type=op_type,
        gradient=gradient, fallible=True, raises=MISSES, samples=_SCATTERED, **fields,
        order=Order.C, memory=Memory.UPDATES, instruction=name,
    )  # fmt: skip


tensor_update_p: Primitive = _tensor_scatter(
    "tensor_scatter_update", "TensorScatterUpdate", None, _update_rule, keep_inputs=(1,)
)
tensor_add_p: Primitive = _tensor_scatter(
    "tensor_scatter_add", "TensorScatterAdd", np.add,
    lambda op, g: (g, None, _picked(g, op.inputs[1])), keep_inputs=(1,),
)  # fmt: skip
tensor_sub_p: Primitive = _tensor_scatter(
    "tensor_scatter_sub", "TensorScatterSub", np.subtract,
    lambda op, g: (g, None, -_picked(g, op.inputs[1])), keep_inputs=(1,),
)  # fmt: skip
tensor_max_p: Primitive = _tensor_scatter(
    "tensor_scatter_max", "TensorScatterMax", np.maximum, _extreme_rule, keep_outputs=(0,)
)
tensor_min_p: Primitive = _tensor_scatter(
    "tensor_scatter_min", "TensorScatterMin", np.minimum, _extreme_rule, keep_outputs=(0,)
)


def _scatter_function(primitive: Any, name: str, doc: str, example: Example) -> Op:
    doc = f'{doc}\n\n    The policy "IGNORE" passes over indices out of bounds.'

    def function(
        tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "",
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        x, places = convert_to_tensor(tensor), convert_to_tensor(indices)
        values = updates if isinstance(updates, Tensor) else convert_to_tensor(updates, x.dtype)
        if ignores(bad_indices_policy):
            places, values = _only_within(ops.shape(x), places, values)
        return bind(primitive, x, places, values)  # type: ignore[no-any-return]

    return named(function, name, doc, example)


def tensor_scatter_nd_update(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """`tensor` with `updates` written at `indices`.

    >>> rt.tensor_scatter_nd_update([1, 2], [[0]], [9]).numpy().tolist()
    [9, 2]
    """
    x = convert_to_tensor(tensor)
    values = updates if isinstance(updates, Tensor) else convert_to_tensor(updates, x.dtype)
    return bind(tensor_update_p, x, convert_to_tensor(indices), values)  # type: ignore[no-any-return]


tensor_scatter_nd_add: Op = _scatter_function(
    tensor_add_p, "tensor_scatter_nd_add", "`tensor` with `updates` added at `indices`.",
    example=("rt.tensor_scatter_nd_add([1, 2], [[0]], [9]).numpy().tolist()", "[10, 2]"),
)  # fmt: skip
tensor_scatter_nd_sub: Op = _scatter_function(
    tensor_sub_p, "tensor_scatter_nd_sub", "`tensor` with `updates` subtracted at `indices`.",
    example=("rt.tensor_scatter_nd_sub([1, 2], [[0]], [9]).numpy().tolist()", "[-8, 2]"),
)  # fmt: skip
tensor_scatter_nd_max: Op = _scatter_function(
    tensor_max_p, "tensor_scatter_nd_max", "`tensor`, at `indices` the maximum with `updates`.",
    example=("rt.tensor_scatter_nd_max([1, 2], [[0]], [9]).numpy().tolist()", "[9, 2]"),
)  # fmt: skip
tensor_scatter_nd_min: Op = _scatter_function(
    tensor_min_p, "tensor_scatter_nd_min", "`tensor`, at `indices` the minimum with `updates`.",
    example=("rt.tensor_scatter_nd_min([1, 2], [[0]], [9]).numpy().tolist()", "[1, 2]"),
)  # fmt: skip
