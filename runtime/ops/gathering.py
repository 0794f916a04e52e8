"""Elements and slices of tensors by their indices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Order, Primitive, bind, row, sample, wrong_value
from runtime.core.shapes import Shape, is_known, merge_shapes
from runtime.core.tensor import Tensor
from runtime.core.workspace import Workspace, opened
from runtime.ops import batching, run_time_axes
from runtime.ops.arguments import axis_or_tensor, static_int
from runtime.ops.checks import MISSES, outside
from runtime.ops.define import axis_in, copied, zeroed
from runtime.ops.indexed_slices import Slices, dense


def _checked_indices(indices: Any, size: int, negative: bool) -> Any:
    low = -size if negative else 0
    if np.size(indices) and not low <= np.min(indices) <= np.max(indices) < size:
        bad = (indices < low) | (indices >= size)
        raise outside(indices, bad, "indices" if np.ndim(indices) else "index", low, size)
    return indices


def _batch_grid(shape: tuple[int, ...], batch_dims: int, rank: int) -> tuple[Any, ...]:
    """Index arrays that pair each batch with itself and broadcast with indices of this rank."""
    return tuple(
        np.arange(shape[i]).reshape([-1 if j == i else 1 for j in range(rank)])
        for i in range(batch_dims)
    )


def _gather_kernel(
    x: Any, indices: Any, *, axis: int, batch_dims: int, negative: bool, out: Any = None
) -> Any:
    x, axis = np.asarray(x), axis_in(axis, x.ndim)
    _checked_indices(indices, x.shape[axis], negative)
    if not batch_dims:
        # The indices are checked: a mode that does not raise needs no array of its own.
        return np.take(x, indices, axis, out, "raise" if out is None else "wrap")
    _gather_shape(x.shape, indices.shape, axis=axis, batch_dims=batch_dims, negative=negative)
    front = np.moveaxis(x, axis, batch_dims)
    found = front[(*_batch_grid(x.shape, batch_dims, indices.ndim), indices)]
    return np.moveaxis(found, *_gathered_axes(indices.ndim, batch_dims, axis))


def _gathered_axes(rank: int, batch_dims: int, axis: int) -> tuple[list[int], list[int]]:
    """Returns the places of the axes of the indices after the batch, and those
    where they belong.
    """
    gained = rank - batch_dims
    return (
        list(range(batch_dims, batch_dims + gained)),
        list(range(axis, axis + gained)),
    )


def _gather_shape(x: Shape, indices: Shape, *, axis: int, batch_dims: int, negative: bool) -> Shape:
    if x is None or indices is None:
        return None
    axis = axis_in(axis, len(x))
    if not 0 <= batch_dims <= min(len(indices), axis):
        raise wrong_value(f"batch_dims {batch_dims} does not fit indices {indices} and axis {axis}")
    batch = merge_shapes(x[:batch_dims], indices[:batch_dims]) or ()
    return (*batch, *x[batch_dims:axis], *indices[batch_dims:], *x[axis + 1 :])


def _gather_rule(op: Any, g: Any) -> Any:
    x, indices = op.inputs
    params = op.params
    return gather_gradient(
        g, indices, x, params["axis"], params["batch_dims"], params["negative"]
    ), None


def _gather_slices(op: Any, g: Any) -> Any:
    x, indices = op.inputs
    if op.params["axis"] or op.params["batch_dims"] or op.params["negative"]:
        return None
    return Slices([(dense(g), indices)], x), None


def _gather_order(params: Mapping[str, Any]) -> Order:
    return Order.PERMUTED if params["batch_dims"] > 0 else Order.C


gather_p: Primitive = row(
    "gather", _gather_kernel, signature="A,I->A", shape=_gather_shape, op_type="GatherV2",
    gradient=_gather_rule, sliced=_gather_slices, fallible=True, raises=MISSES, keep_inputs=(1,),
    samples=(
        sample("3,4", "2:i3", axis=0, batch_dims=0, negative=False),
        sample("3,4", "2,2:i4", axis=-1, batch_dims=0, negative=False),
        sample("2,3,4", "2,2:i4", axis=2, batch_dims=1, negative=False),
        sample("3,4", ":i3", axis=0, batch_dims=0, negative=False),
    ), order=_gather_order, batching=batching.gathered,
    instruction="gather",
)  # fmt: skip


def _class_kernel(x: Any, labels: Any, **params: Any) -> Any:
    try:
        return _gather_kernel(x, labels, **params)
    except errors.InvalidArgumentError:
        size = x.shape[-1]
        place = np.argwhere((labels < 0) | (labels >= size))[0].tolist()
        raise errors.InvalidValueError(
            f"the label {labels[tuple(place)]}{f' at {place}' if place else ''} is no class: there "
            f"are {size} classes, and labels are from 0 to {size - 1}"
        ) from None


class_p: Primitive = row(
    "gather_class", _class_kernel, signature="A,I->A", shape=_gather_shape, op_type="GatherV2",
    gradient=_gather_rule, fallible=True, keep_inputs=(1,),
    samples=(sample("2,3,4", "2,3:i4", axis=2, batch_dims=2, negative=False),),
    order=_gather_order, batching=batching.gathered, instruction="gather",
)  # fmt: skip


def class_of(x: Any, labels: Any) -> Tensor:
    """The element of each row of `x` that a label numbers; InvalidArgumentError where there is
    none.
    """
    rank = labels.ndim
    return bind(class_p, x, labels, axis=rank, batch_dims=rank, negative=False)  # type: ignore[no-any-return]


def gathered(x: Any, indices: Any, axis: int, batch_dims: int, negative: bool) -> Tensor:
    return bind(  # type: ignore[no-any-return]
        gather_p, x, convert_to_tensor(indices), axis=axis, batch_dims=batch_dims, negative=negative
    )


def gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The slices of `params` along `axis` that `indices` names, in their order and shape.

    The default of `axis` is `batch_dims`, as it is given: -1 is the last one.

    InvalidArgumentError for an index out of bounds; negative ones are not counted from the end.

    >>> rt.gather([1, 2, 3], [2, 0]).numpy().tolist()
    [3, 1]
    """
    x, places = convert_to_tensor(params), convert_to_tensor(indices)
    batch_dims = static_int(batch_dims, "batch_dims")
    chosen = batch_dims if axis is None else axis_or_tensor(axis)
    if batch_dims < 0 and places.ndim is not None:
        batch_dims += places.ndim
    if isinstance(chosen, Tensor):
        return run_time_axes.gathered(x, places, chosen, batch_dims)
    return gathered(x, places, chosen, batch_dims, False)


def gather_gradient(
    g: Any, indices: Any, like: Any, axis: int, batch_dims: int = 0, negative: bool = False
) -> Any:
    """Zeros of a shape (or of the shape of a tensor), to which `g` is added where `indices` point
    along `axis`.
    """
    shape = like if isinstance(like, tuple) else like.static_shape
    extra = () if is_known(shape) else (ops.shape(like),)
    return bind(
        gather_grad_p, g, indices, *extra, shape=shape, axis=axis, batch_dims=batch_dims,
        negative=negative,
    )  # fmt: skip


def _gather_grad_kernel(
    g: Any, indices: Any, *dims: Any, shape: Shape, axis: int, batch_dims: int, negative: bool,
    out: Any = None,
) -> Any:  # fmt: skip
    made = zeroed(tuple(dims[0].tolist()) if dims else shape, g.dtype, out)
    axis = axis_in(axis, made.ndim)
    now, front = _gathered_axes(np.ndim(indices), batch_dims, axis)
    _checked_indices(indices, made.shape[axis], negative)
    where_ = (*_batch_grid(made.shape, batch_dims, np.ndim(indices)), indices)
    np.add.at(np.moveaxis(made, axis, batch_dims), where_, np.moveaxis(g, front, now))
    return made


def _gather_grad_rule(op: Any, g: Any) -> Any:
    params = op.params
    back = gathered(g, op.inputs[1], params["axis"], params["batch_dims"], params["negative"])
    return (back, *[None] * (len(op.inputs) - 1))


gather_grad_p: Primitive = row(
    "gather_grad", _gather_grad_kernel, signature="Q,I,i*->Q", op_type="GatherGrad", fallible=True,
    raises=MISSES, shape=lambda g, indices, *dims, shape, axis, batch_dims, negative: shape,
    gradient=_gather_grad_rule, keep_inputs=(1,),
    samples=(
        sample("2,4", "2:i3", shape=(3, 4), axis=0, batch_dims=0, negative=False),
        sample("2,3,2", "2,2:i4", shape=(2, 3, 4), axis=2, batch_dims=1, negative=False),
    ), order=Order.C, batching=batching.gathered, instruction="gather_grad",
)  # fmt: skip


def nd_index(shape: tuple[int, ...], indices: Any, batch_dims: int, negative: bool) -> Any:
    depth = indices.shape[-1]
    parts = []
    for i in range(depth):
        part = indices[..., i]
        _checked_indices(part, shape[batch_dims + i], negative)
        parts.append(part)
    grid = _batch_grid(shape, batch_dims, indices.ndim - 1)
    if not parts and indices.ndim > 1:
        return tuple([np.broadcast_to(g, indices.shape[:-1]) for g in grid]) or None
    return (*grid, *parts)


def _gather_nd_kernel(
    x: Any, indices: Any, *, batch_dims: int, negative: bool, out: Any = None,
    work: Workspace | None = None,
) -> Any:  # fmt: skip
    x = np.asarray(x)
    _gather_nd_shape(x.shape, indices.shape, batch_dims=batch_dims, negative=negative)
    index = nd_index(x.shape, indices, batch_dims, negative)
    if index is None:
        return copied(np.broadcast_to(x, (*indices.shape[:-1], *x.shape)), out)
    if out is not None and not batch_dims and x.flags.c_contiguous:
        return _taken(x, indices, out, opened(work))
    found = x[index]
    return np.array(found, object) if type(found) is bytes else found


def _taken(x: Any, indices: Any, out: Any, work: Workspace) -> Any:
    """Returns what checked indices name, in `out`: the axes that they name are taken as one."""
    depth = indices.shape[-1]
    places = work.zeros(indices.shape[:-1], np.intp)
    for axis, size in enumerate(x.shape[:depth]):
        np.multiply(places, size, out=places)
        np.add(places, np.remainder(indices[..., axis], size), out=places)
    rows = x.reshape(math.prod(x.shape[:depth]), *x.shape[depth:])
    return np.take(rows, places, 0, out, "wrap")


def _gather_nd_shape(x: Shape, indices: Shape, *, batch_dims: int, negative: bool) -> Shape:
    if x is None or indices is None or not indices or indices[-1] is None:
        if indices == ():
            raise wrong_value("indices must have at least one dimension")
        return None
    if batch_dims >= len(indices):
        raise wrong_value(
            f"batch_dims {batch_dims} must be less than the rank of indices {indices}"
        )
    if batch_dims + indices[-1] > len(x):
        raise wrong_value(f"indices of length {indices[-1]} are too long for shape {x}")
    batch = merge_shapes(x[:batch_dims], indices[:batch_dims]) or ()
    return (*batch, *indices[batch_dims:-1], *x[batch_dims + indices[-1] :])


def _gather_nd_rule(op: Any, g: Any) -> Any:
    x, indices = op.inputs
    if op.params["batch_dims"]:
        indices = _with_batches(indices, op.params["batch_dims"])
    return _scatter_like(g, indices, x, op.params["negative"]), None


def _scatter_like(updates: Any, indices: Any, like: Any, negative: bool = False) -> Any:
    if is_known(like.static_shape):
        return bind(ops.scatter_nd_p, indices, updates, shape=like.static_shape, negative=negative)
    return bind(ops.scatter_nd_p, indices, updates, ops.shape(like), shape=None, negative=negative)


def _with_batches(indices: Tensor, batch_dims: int) -> Tensor:
    """Indices that name their batch as well."""
    shape = ops.shape(indices)[:-1]
    grids = ops.meshgrid(*[ops.range(n) for n in ops.unstack(shape)], indexing="ij")
    batch = ops.stack(grids[:batch_dims], -1)
    return ops.concat([ops.cast(batch, indices.dtype), indices], -1)


def _gather_nd_slices(op: Any, g: Any) -> Any:
    x, indices = op.inputs
    if op.params["batch_dims"] or op.params["negative"] or indices.static_shape is None:
        return None
    if len(indices.static_shape) != 2 or indices.static_shape[1] != 1:
        return None
    return Slices([(dense(g), ops.squeeze(indices, -1))], x), None


gather_nd_p: Primitive = row(
    "gather_nd", _gather_nd_kernel, signature="A,I->A", shape=_gather_nd_shape, op_type="GatherNd",
    gradient=_gather_nd_rule, sliced=_gather_nd_slices, fallible=True, raises=MISSES,
    keep_inputs=(1,), samples=(
        sample("3,4", "2,2:i3", batch_dims=0, negative=False),
        sample("3,4", "2,1:i3", batch_dims=0, negative=False),
        sample("2,3,4", "2,2,1:i3", batch_dims=1, negative=False),
        sample("3,4", [2], batch_dims=0, negative=False),
        sample("3,4", np.zeros((2, 0), np.int32), batch_dims=0, negative=False),
    ), order=Order.C, instruction="gather_nd",
)  # fmt: skip


def gather_nd(
    params: Any,
    indices: Any,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """The elements or slices of `params` that vectors of places name.

    The vectors are along the last axis of `indices`.

    InvalidArgumentError for an index out of bounds, or with the policy "IGNORE" zeros in its place.

    >>> rt.gather_nd([[1, 2], [3, 4]], [[1, 0]]).numpy().tolist()
    [3]
    """
    x, places = convert_to_tensor(params), convert_to_tensor(indices)
    batch_dims = static_int(batch_dims, "batch_dims")
    if batch_dims < 0 or x.ndim == 0:
        raise wrong_value(
            f"gather_nd: batch_dims must not be negative, params no scalar; got {batch_dims} and "
            f"params of shape {x.shape}"
        )
    if ignores(bad_indices_policy):
        return _gathered_within(x, places, batch_dims)
    return bind(gather_nd_p, x, places, batch_dims=batch_dims, negative=False)  # type: ignore[no-any-return]


def ignores(policy: str) -> bool:
    """Whether indices out of bounds are passed over; ValueError for a policy that there is not."""
    if policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise wrong_value(f"bad_indices_policy must be DEFAULT, ERROR or IGNORE, got {policy!r}")
    return policy == "IGNORE"


def as_rows(indices: Tensor) -> Tensor:
    """The vectors along the last axis, as rows of a matrix."""
    shape = ops.shape(indices)
    return ops.reshape(indices, [ops.reduce_prod(shape[:-1]), shape[-1]])


def within(rows: Tensor, shape: Tensor) -> Tensor:
    """Whether each row points into a tensor of this shape."""
    sizes = ops.cast(shape[: ops.shape(rows)[-1]], rows.dtype)
    inside = ops.logical_and(ops.greater_equal(rows, 0), ops.less(rows, sizes))
    return ops.reduce_all(inside, -1)


def _gathered_within(x: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    """`gather_nd` with zeros for what is out of bounds."""
    places = _with_batches(indices, batch_dims) if batch_dims else indices
    rows, dims = as_rows(places), ops.shape(x)
    known = within(rows, dims)
    found = bind(gather_nd_p, x, ops.boolean_mask(rows, known), batch_dims=0, negative=False)
    rest = dims[ops.shape(rows)[1] :]
    size = ops.concat([ops.shape(rows)[:1], rest], 0)
    made = ops.scatter_nd(ops.where(known), found, ops.cast(size, dtypes.int64))
    shape = _gather_nd_shape(
        x.static_shape, indices.static_shape, batch_dims=batch_dims, negative=False
    )
    made = ops.reshape(made, ops.concat([ops.shape(places)[:-1], rest], 0))
    return ops.ensure_shape(made, shape)
