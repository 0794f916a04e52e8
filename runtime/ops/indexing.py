"""Reading and writing parts of tensors: slices, gather, scatter, where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.convert import conversion_of, convert_to_tensor
from runtime.ops.arguments import static_int
from runtime.ops.define import Op, axis_in, dims_of, fill_dims, matched, sum_to_shape_of
from runtime.primitive import (
    Primitive,
    bind,
    broadcast_shapes,
    checked,
    row,
    sample,
    state,
    wrong_dtype,
    wrong_value,
)
from runtime.shapes import Shape, broadcast, compatible, is_known, merge_shapes
from runtime.tensor import EagerTensor, Tensor
from runtime.types import TensorType

# Slices. A spec is a tuple of: an int; "?" (an int that is the next input); "newaxis"; "..."; or
# (start, stop, step) of a slice, each an int, None or "?".

Spec = tuple[Any, ...]
DYNAMIC = "?"
# The places of the inputs that come behind the first, or the first two: run-time parts of a spec.
BEHIND = {first: tuple(range(first, 200)) for first in (1, 2)}
_indices: dict[Spec, Any] = {}


def _index(spec: Spec, dynamic: Sequence[Any]) -> Any:
    """The NumPy index of a spec."""
    if not dynamic:
        found = _indices.get(spec)
        if found is not None:
            return found
    values = iter(dynamic)
    index = tuple([_index_entry(entry, values) for entry in spec])
    if not dynamic and len(_indices) < 4096:
        _indices[spec] = index
    return index


def _index_entry(entry: Any, values: Any) -> Any:
    if type(entry) is tuple:
        return slice(*[int(next(values)) if part == DYNAMIC else part for part in entry])
    if entry == DYNAMIC:
        return int(next(values))
    if entry == "newaxis":
        return None
    return Ellipsis if entry == "..." else entry


def _slice_kernel(x: Any, *dynamic: Any, spec: Spec) -> Any:
    try:
        # With an ellipsis NumPy returns arrays, never elements (which strings would lose their
        # dtype by).
        return np.asarray(x)[_index(spec, dynamic)]
    except IndexError as error:
        raise _out_of_bounds(np.shape(x), spec, dynamic, error) from None


def _out_of_bounds(
    shape: tuple[int, ...], spec: Spec, dynamic: Sequence[Any], error: IndexError
) -> errors.InvalidArgumentError:
    values = iter(dynamic)
    known = tuple([_known_entry(entry, values) for entry in spec])
    try:
        slice_shape(shape, spec=known)
    except ValueError as refused:
        return errors.InvalidArgumentError(str(refused))
    return errors.InvalidArgumentError(f"slice {format_spec(known)}: {error}")


def _known_entry(entry: Any, values: Any) -> Any:
    if type(entry) is tuple:
        return tuple([int(next(values)) if part == DYNAMIC else part for part in entry])
    return int(next(values)) if entry == DYNAMIC else entry


def format_spec(spec: Spec) -> str:
    """The index as Python writes it."""
    return "[" + ", ".join(map(_format_entry, spec)) + "]"


def _format_entry(entry: Any) -> str:
    if type(entry) is not tuple:
        return "tf.newaxis" if entry == "newaxis" else str(entry)
    start, stop, step = ("" if part is None else str(part) for part in entry)
    return f"{start}:{stop}" + (f":{step}" if step else "")


def _consumed(spec: Spec) -> int:
    return sum(entry not in ("newaxis", "...") for entry in spec)


def slice_shape(shape: Shape, *dynamic: Shape, spec: Spec) -> Shape:
    """Shape rule of slices."""
    if shape is None:
        return None
    missing = len(shape) - _consumed(spec)
    if missing < 0:
        raise wrong_value(f"too many indices: {format_spec(spec)} for shape {shape}")
    made: list[int | None] = []
    axis = 0
    for entry in spec if "..." in spec else (*spec, "..."):
        if entry == "newaxis":
            made.append(1)
        elif entry == "...":
            made.extend(shape[axis : axis + missing])
            axis += missing
        else:
            if type(entry) is tuple:
                made.append(_sliced_dim(shape[axis], entry))
            else:
                _check_index(entry, shape[axis], axis)
            axis += 1
    return tuple(made)


def _check_index(entry: Any, dim: int | None, axis: int) -> None:
    if entry != DYNAMIC and dim is not None and not -dim <= entry < dim:
        raise wrong_value(f"slice index {entry} of dimension {axis} out of bounds (size {dim})")


def _sliced_dim(dim: int | None, entry: tuple[Any, ...]) -> int | None:
    if entry[2] == 0:
        raise wrong_value("strides must be non-zero")
    if entry == (None, None, None):
        return dim
    if dim is None or DYNAMIC in entry:
        return None
    return len(range(*slice(*entry).indices(dim)))


def _slice_gradient(op: Any, g: Any) -> Any:
    x, dynamic = op.inputs[0], op.inputs[1:]
    return (unslice(g, x, dynamic, op.params["spec"]), *[None] * len(dynamic))


def _slice_infer(x: TensorType, *dynamic: TensorType, spec: Spec) -> TensorType:
    return TensorType(x.dtype, slice_shape(x.shape, spec=spec))


strided_slice_p: Primitive = row(
    "strided_slice", _slice_kernel, signature="A,i*->A", shape=slice_shape, op_type="StridedSlice",
    gradient=_slice_gradient, fallible=True, keep_inputs=BEHIND[1],
    samples=(
        sample("3,4", spec=(1,)),
        sample("3,4", spec=((None, None, 2), -1)),
        sample("3,4", spec=("...", "newaxis", (2, None, -1))),
        sample("3,4", ":i3", spec=("?", (1, 3, None))),
    ),
)  # fmt: skip


def unslice(g: Any, x: Any, dynamic: Sequence[Any], spec: Spec) -> Any:
    """Zeros of the shape of `x`, with `g` where the slice was."""
    if is_known(x.static_shape):
        return bind(unslice_p, g, *dynamic, spec=spec, shape=x.static_shape)
    return bind(unslice_p, g, ops.shape(x), *dynamic, spec=spec, shape=x.static_shape)


def _unslice_kernel(g: Any, *rest: Any, spec: Spec, shape: Shape) -> Any:
    if not is_known(shape):
        shape, rest = tuple(rest[0].tolist()), rest[1:]
    made = np.zeros(cast("tuple[int, ...]", shape), g.dtype)
    made[_index(spec, rest)] = g
    return made


def _unslice_gradient(op: Any, g: Any) -> Any:
    known = is_known(op.params["shape"])
    dynamic = op.inputs[1:] if known else op.inputs[2:]
    back = bind(strided_slice_p, g, *dynamic, spec=op.params["spec"])
    return (back, *[None] * (len(op.inputs) - 1))


unslice_p: Primitive = row(
    "unslice", _unslice_kernel, signature="Q,i*->Q", op_type="StridedSliceGrad",
    shape=lambda g, *rest, spec, shape: shape, gradient=_unslice_gradient,
    keep_inputs=BEHIND[1],
    samples=(
        sample("4", spec=(1,), shape=(3, 4)),
        sample("2,1", spec=((None, None, 2), "newaxis", 0), shape=(3, 4)),
    ),
)  # fmt: skip


def _part(value: Any, dynamic: list[Tensor]) -> Any:
    """One bound of a slice, or one index, as it stands in a spec."""
    if value is None or type(value) is int:
        return value
    if isinstance(value, Tensor) or conversion_of(type(value)) is not None:
        tensor = convert_to_tensor(value)
        if tensor.static_value is not None and np.ndim(tensor.static_value) == 0:
            return tensor.static_value.__index__()
        dynamic.append(tensor)
        return DYNAMIC
    return value.__index__()


def _entry(key: Any, dynamic: list[Tensor]) -> Any:
    if key is None:
        return "newaxis"
    if key is Ellipsis:
        return "..."
    if isinstance(key, slice):
        return tuple([_part(part, dynamic) for part in (key.start, key.stop, key.step)])
    return _part(key, dynamic)


_BASIC = (int, slice, type(None), type(Ellipsis))
_WAY_OUT = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`), integer tensors and "
    "boolean masks are valid indices"
)


def getitem(x: Tensor, key: Any) -> Tensor:
    """x[key] with the meaning that NumPy gives it.

    Integers, slices, `...`, None, integer tensors (of any rank) and boolean masks, alone or in a
    tuple. InvalidArgumentError for indices out of bounds, TypeError for anything else.
    """
    if type(key) is int:
        return bind(strided_slice_p, x, spec=(key,))  # type: ignore[no-any-return]
    keys = key if isinstance(key, tuple) else (key,)
    keys = tuple([_index_value(k) for k in keys])
    if any(isinstance(k, Tensor) and k.ndim != 0 for k in keys):
        return advanced(x, keys)
    dynamic: list[Tensor] = []
    spec = tuple([_entry(k, dynamic) for k in keys])
    if spec.count("...") > 1:
        raise wrong_value("an index can only have a single ellipsis ('...')")
    return bind(strided_slice_p, x, *dynamic, spec=spec)  # type: ignore[no-any-return]


def _index_value(key: Any) -> Any:
    """A part of an index: as it is where basic, else a tensor (masks and arrays included)."""
    if type(key) in (int, slice) or key is None or key is Ellipsis:
        return key
    if isinstance(key, bool | np.bool_ | float | str | bytes):
        raise wrong_dtype(f"{_WAY_OUT}, got {key!r}")
    if isinstance(key, np.integer):
        return int(key)
    if isinstance(key, list) and not key:
        key = np.empty(0, np.int64)
    tensor = convert_to_tensor(key)
    if not (tensor.dtype.is_integer or tensor.dtype.is_bool):
        raise wrong_dtype(f"{_WAY_OUT}, got a tensor of dtype {tensor.dtype.name}")
    return tensor


def advanced(x: Tensor, keys: tuple[Any, ...]) -> Tensor:
    """NumPy's advanced indexing: the slices first, then one gather with all integer arrays
    broadcast together.
    """
    _check_masks(x.static_shape, keys)
    entries = _spelled_out(x, _without_masks(keys))
    axes = [i for i, key in enumerate(entries) if isinstance(key, Tensor | int)]
    arrays = [entries[i] for i in axes]
    basic = [slice(None) if i in axes else key for i, key in enumerate(entries)]
    if any(key != slice(None) for key in basic):
        x = getitem(x, tuple(basic))
    if len(arrays) == 1:
        return _gather(x, arrays[0], axes[0], 0, True)
    return _gather_several(x, arrays, axes)


def _consumes(key: Any) -> int:
    """How many axes of the indexed tensor an entry stands for."""
    if key is None or key is Ellipsis:
        return 0
    return (key.ndim or 0) if isinstance(key, Tensor) and key.dtype.is_bool else 1


def _check_masks(shape: Shape, keys: tuple[Any, ...]) -> None:
    """InvalidArgumentError where a mask has not the shape of the axes that it stands for."""
    if shape is None:
        return
    axis = 0
    for i, key in enumerate(keys):
        if key is Ellipsis:
            axis = len(shape) - sum(map(_consumes, keys[i:]))
        count = _consumes(key)
        if isinstance(key, Tensor) and key.dtype.is_bool:
            covered = shape[axis : axis + count]
            if len(covered) == count and not compatible(covered, key.static_shape):
                message = f"a mask of shape {key.shape} does not fit axes of shape {covered}"
                raise errors.InvalidArgumentError(None, "StridedSlice", message)
        axis += count


def _without_masks(keys: tuple[Any, ...]) -> list[Any]:
    made: list[Any] = []
    for key in keys:
        if isinstance(key, Tensor) and key.dtype.is_bool:
            if key.ndim is None:
                raise wrong_value("a mask used as an index must have a known rank")
            made.extend(ops.unstack(where(key), key.ndim, axis=1))
        else:
            made.append(key)
    return made


def _spelled_out(x: Tensor, keys: list[Any]) -> list[Any]:
    """The keys with the ellipsis written as slices, one key per axis of x and per new axis."""
    if x.ndim is None:
        raise wrong_value("indexing with tensors needs a tensor of known rank")
    used = sum(key is not None and key is not Ellipsis for key in keys)
    if used > x.ndim:
        raise errors.InvalidArgumentError(
            None, "StridedSlice", f"too many indices: {used} for a tensor of shape {x.shape}"
        )
    rest = [slice(None)] * (x.ndim - used)
    place = next((i for i, key in enumerate(keys) if key is Ellipsis), None)
    return [*keys, *rest] if place is None else [*keys[:place], *rest, *keys[place + 1 :]]


def _gather_several(x: Tensor, arrays: list[Any], axes: list[int]) -> Tensor:
    indices = [ops.cast(convert_to_tensor(array), dtypes.int64) for array in arrays]
    shape = indices[0]
    for other in indices[1:]:
        shape = shape + ops.zeros_like(other)
    shape = ops.zeros_like(shape)
    positions = ops.stack([index + shape for index in indices], -1)
    rank = x.ndim or 0
    others = [i for i in range(rank) if i not in axes]
    found = bind(
        gather_nd_p, ops.transpose(x, [*axes, *others]), positions, batch_dims=0, negative=True
    )
    together = axes == list(range(axes[0], axes[0] + len(axes)))
    if not together or axes[0] == 0:
        return found  # type: ignore[no-any-return]
    gained = shape.ndim or 0
    before = list(range(gained, gained + axes[0]))
    after = list(range(gained + axes[0], gained + len(others)))
    return ops.transpose(found, [*before, *range(gained), *after])


# Gather


def _checked_indices(indices: Any, size: int, negative: bool) -> Any:
    low = -size if negative else 0
    bad = (indices < low) | (indices >= size)
    if np.any(bad):
        place = tuple(np.argwhere(bad)[0].tolist())
        where_ = f"indices{list(place)}" if place else "index"
        value = np.asarray(indices)[place]
        raise errors.InvalidArgumentError(f"{where_} = {value} is not in [{low}, {size})")
    return indices


def _batch_grid(shape: tuple[int, ...], batch_dims: int, rank: int) -> tuple[Any, ...]:
    """Index arrays that pair each batch with itself and broadcast with indices of this rank."""
    return tuple(
        np.arange(shape[i]).reshape([-1 if j == i else 1 for j in range(rank)])
        for i in range(batch_dims)
    )


def _gather_kernel(x: Any, indices: Any, *, axis: int, batch_dims: int, negative: bool) -> Any:
    x, axis = np.asarray(x), axis_in(axis, x.ndim)
    _checked_indices(indices, x.shape[axis], negative)
    if not batch_dims:
        return np.take(x, indices, axis)
    merge_shapes(x.shape[:batch_dims], indices.shape[:batch_dims])
    front = np.moveaxis(x, axis, batch_dims)
    found = front[(*_batch_grid(x.shape, batch_dims, indices.ndim), indices)]
    return np.moveaxis(found, *_gathered_axes(indices.ndim, batch_dims, axis))


def _gathered_axes(rank: int, batch_dims: int, axis: int) -> tuple[list[int], list[int]]:
    """Where the axes of the indices are after the batch, and where they belong."""
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


gather_p: Primitive = row(
    "gather", _gather_kernel, signature="A,I->A", shape=_gather_shape, op_type="GatherV2",
    gradient=_gather_rule, fallible=True, keep_inputs=(1,),
    samples=(
        sample("3,4", "2:i3", axis=0, batch_dims=0, negative=False),
        sample("3,4", "2,2:i4", axis=-1, batch_dims=0, negative=False),
        sample("2,3,4", "2,2:i4", axis=2, batch_dims=1, negative=False),
        sample("3,4", ":i3", axis=0, batch_dims=0, negative=False),
    ),
)  # fmt: skip


def _gather(x: Any, indices: Any, axis: int, batch_dims: int, negative: bool) -> Tensor:
    return bind(  # type: ignore[no-any-return]
        gather_p, x, convert_to_tensor(indices), axis=axis, batch_dims=batch_dims, negative=negative
    )


def gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The slices of `params` along `axis` (default: `batch_dims`) that `indices` names, in their
    order and shape.

    InvalidArgumentError for an index out of bounds; negative ones are not counted from the end.
    """
    x, places = convert_to_tensor(params), convert_to_tensor(indices)
    batch_dims = static_int(batch_dims, "batch_dims")
    if batch_dims < 0 and places.ndim is not None:
        batch_dims += places.ndim
    chosen = batch_dims if axis is None else static_int(axis, "axis")
    return _gather(x, places, chosen, batch_dims, False)


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
    g: Any, indices: Any, *dims: Any, shape: Shape, axis: int, batch_dims: int, negative: bool
) -> Any:
    wanted = tuple(dims[0].tolist()) if dims else cast("tuple[int, ...]", shape)
    made = np.zeros(wanted, g.dtype)
    axis = axis_in(axis, made.ndim)
    now, front = _gathered_axes(np.ndim(indices), batch_dims, axis)
    _checked_indices(indices, made.shape[axis], negative)
    where_ = (*_batch_grid(made.shape, batch_dims, np.ndim(indices)), indices)
    np.add.at(np.moveaxis(made, axis, batch_dims), where_, np.moveaxis(g, front, now))
    return made


def _gather_grad_rule(op: Any, g: Any) -> Any:
    params = op.params
    back = _gather(g, op.inputs[1], params["axis"], params["batch_dims"], params["negative"])
    return (back, *[None] * (len(op.inputs) - 1))


gather_grad_p: Primitive = row(
    "gather_grad", _gather_grad_kernel, signature="Q,I,i*->Q", op_type="GatherGrad", fallible=True,
    shape=lambda g, indices, *dims, shape, axis, batch_dims, negative: shape,
    gradient=_gather_grad_rule, keep_inputs=(1,),
    samples=(
        sample("2,4", "2:i3", shape=(3, 4), axis=0, batch_dims=0, negative=False),
        sample("2,3,2", "2,2:i4", shape=(2, 3, 4), axis=2, batch_dims=1, negative=False),
    ),
)  # fmt: skip


def _nd_index(shape: tuple[int, ...], indices: Any, batch_dims: int, negative: bool) -> Any:
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


def _gather_nd_kernel(x: Any, indices: Any, *, batch_dims: int, negative: bool) -> Any:
    x = np.asarray(x)
    index = _nd_index(x.shape, indices, batch_dims, negative)
    if index is None:
        return np.broadcast_to(x, (*indices.shape[:-1], *x.shape))
    found = x[index]
    return np.array(found, object) if type(found) is bytes else found


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


def _with_batches(indices: Tensor, batch_dims: int) -> Tensor:
    """Indices that name their batch as well."""
    shape = ops.shape(indices)[:-1]
    grids = ops.meshgrid(*[ops.range(n) for n in ops.unstack(shape)], indexing="ij")
    batch = ops.stack(grids[:batch_dims], -1)
    return ops.concat([ops.cast(batch, indices.dtype), indices], -1)


gather_nd_p: Primitive = row(
    "gather_nd", checked(_gather_nd_kernel, _gather_nd_shape), signature="A,I->A",
    shape=_gather_nd_shape, op_type="GatherNd",
    gradient=_gather_nd_rule, fallible=True, keep_inputs=(1,),
    samples=(
        sample("3,4", "2,2:i3", batch_dims=0, negative=False),
        sample("3,4", "2,1:i3", batch_dims=0, negative=False),
        sample("2,3,4", "2,2,1:i3", batch_dims=1, negative=False),
    ),
)  # fmt: skip


def gather_nd(
    params: Any,
    indices: Any,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """The elements or slices of `params` that the vectors along the last axis of `indices` point
    to.
    """
    x, places = convert_to_tensor(params), convert_to_tensor(indices)
    return bind(gather_nd_p, x, places, batch_dims=batch_dims, negative=False)  # type: ignore[no-any-return]


# Scatter


def _scatter_like(updates: Any, indices: Any, like: Any, negative: bool = False) -> Any:
    if is_known(like.static_shape):
        return bind(scatter_nd_p, indices, updates, shape=like.static_shape, negative=negative)
    return bind(scatter_nd_p, indices, updates, ops.shape(like), shape=None, negative=negative)


def _scatter_kernel(indices: Any, updates: Any, *dims: Any, shape: Shape, negative: bool) -> Any:
    wanted = fill_dims(shape, dims)
    made = np.zeros(wanted, updates.dtype)
    _write(made, indices, updates, np.add, negative)
    return made


def _write(target: Any, indices: Any, updates: Any, ufunc: Any, negative: bool = False) -> None:
    _check_updates(target.shape, indices.shape, updates.shape)
    index = _nd_index(target.shape, indices, 0, negative)
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
    _check_updates(shape, indices, updates)
    return shape


def _scatter_rule(op: Any, g: Any) -> Any:
    indices = op.inputs[0]
    back = bind(gather_nd_p, g, indices, batch_dims=0, negative=op.params["negative"])
    return (None, back, *[None] * (len(op.inputs) - 2))


scatter_nd_p: Primitive = row(
    "scatter_nd", _scatter_kernel, signature="I,Q,i*->Q", shape=_scatter_shape,
    op_type="ScatterNd", gradient=_scatter_rule, fallible=True, keep_inputs=(0,),
    samples=(
        sample("3,1:i4", "3,2", shape=(4, 2), negative=False),
        sample("3,2:i3", "3", shape=(4, 3), negative=False),
    ),
)  # fmt: skip


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Tensor:
    """Zeros of `shape` with `updates` added at `indices`; what meets in one place is summed."""
    static, dynamic = dims_of(shape)
    places, values = convert_to_tensor(indices), convert_to_tensor(updates)
    return bind(scatter_nd_p, places, values, *dynamic, shape=static, negative=False)  # type: ignore[no-any-return]


def _scattered(ufunc: Any) -> Any:
    def kernel(x: Any, indices: Any, updates: Any) -> Any:
        made = np.array(x)
        _write(made, indices, updates, ufunc)
        return made

    return kernel


def _scattered_shape(x: Shape, indices: Shape, updates: Shape) -> Shape:
    _check_updates(x, indices, updates)
    return x


def _picked(g: Any, indices: Any) -> Any:
    return bind(gather_nd_p, g, indices, batch_dims=0, negative=False)


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
        gradient=gradient, fallible=True, samples=_SCATTERED, **fields,
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


def _scatter_function(primitive: Any, name: str, doc: str) -> Any:
    def function(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
        x = convert_to_tensor(tensor)
        values = updates if isinstance(updates, Tensor) else convert_to_tensor(updates, x.dtype)
        return bind(primitive, x, convert_to_tensor(indices), values)  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


tensor_scatter_nd_update: Op = _scatter_function(
    tensor_update_p, "tensor_scatter_nd_update", "`tensor` with `updates` written at `indices`."
)
tensor_scatter_nd_add: Op = _scatter_function(
    tensor_add_p, "tensor_scatter_nd_add", "`tensor` with `updates` added at `indices`."
)
tensor_scatter_nd_sub: Op = _scatter_function(
    tensor_sub_p, "tensor_scatter_nd_sub", "`tensor` with `updates` subtracted at `indices`."
)
tensor_scatter_nd_max: Op = _scatter_function(
    tensor_max_p, "tensor_scatter_nd_max", "`tensor`, at `indices` the maximum with `updates`."
)
tensor_scatter_nd_min: Op = _scatter_function(
    tensor_min_p, "tensor_scatter_nd_min", "`tensor`, at `indices` the minimum with `updates`."
)


# Writing slices (what `x[i] = v` becomes in converted code)


def _set_slice_kernel(x: Any, value: Any, *dynamic: Any, spec: Spec) -> Any:
    made = np.array(x)
    index = _index(spec, dynamic)
    try:
        # NumPy would drop leading dimensions of size 1.
        if value.ndim and value.ndim > np.ndim(made[index]):
            raise wrong_value(f"a value of shape {value.shape} has more dimensions than the slice")
        made[index] = value
    except IndexError as error:
        raise _out_of_bounds(np.shape(x), spec, dynamic, error) from None
    return made


def _set_slice_shape(x: Shape, value: Shape, *dynamic: Shape, spec: Spec) -> Shape:
    box = slice_shape(x, spec=spec)
    if box is not None and value is not None:
        merged = broadcast(box, value)
        if merged is not None and len(merged) != len(box):
            raise wrong_value(f"a value of shape {value} does not fit a slice of shape {box}")
    return x


def _set_slice_rule(op: Any, g: Any) -> Any:
    value, dynamic = op.inputs[1], op.inputs[2:]
    spec = op.params["spec"]
    box = bind(strided_slice_p, g, *dynamic, spec=spec)
    rest = bind(set_slice_p, g, ops.zeros_like(box), *dynamic, spec=spec)
    return (rest, sum_to_shape_of(box, value), *[None] * len(dynamic))


set_slice_p: Primitive = row(
    "set_slice", _set_slice_kernel, signature="A,A,i*->A", shape=_set_slice_shape,
    op_type="TensorStridedSliceUpdate", gradient=_set_slice_rule, fallible=True,
    keep_inputs=BEHIND[2],
    samples=(
        sample("3,4", "4", spec=(1,)),
        sample("3,4", "", spec=((None, None, 2), -1)),
        sample("3,4", "2", ":i3", spec=("?", (1, 3, None))),
    ),
)  # fmt: skip


def setitem(x: Any, key: Any, value: Any) -> Tensor:
    """The tensor that `x[key] = value` would make of x; key as in `x[key]`, value broadcast to the
    slice.
    """
    tensor = convert_to_tensor(x)
    update = value if isinstance(value, Tensor) else convert_to_tensor(value, tensor.dtype)
    keys = tuple([_index_value(k) for k in (key if isinstance(key, tuple) else (key,))])
    if any(isinstance(k, Tensor) and k.ndim != 0 for k in keys):
        return _set_advanced(tensor, keys, update)
    dynamic: list[Tensor] = []
    spec = tuple([_entry(k, dynamic) for k in keys])
    return bind(set_slice_p, tensor, update, *dynamic, spec=spec)  # type: ignore[no-any-return]


def _set_advanced(x: Tensor, keys: tuple[Any, ...], value: Tensor) -> Tensor:
    """Positions of all elements, indexed like x, say where the value goes."""
    if len(keys) == 1 and keys[0].dtype.is_bool and keys[0].ndim == x.ndim and value.ndim == 0:
        return where(keys[0], value, x)
    positions = ops.reshape(ops.range(ops.size(x, dtypes.int64)), ops.shape(x))
    places = advanced(positions, keys)
    values = ops.broadcast_like(value, places)
    flat = ops.tensor_scatter_nd_update(
        ops.reshape(x, (-1,)), ops.reshape(places, (-1, 1)), ops.reshape(values, (-1,))
    )
    made: Tensor = ops.reshape_like(flat, x)
    return made


# Where


def _where_rule(op: Any, g: Any) -> Any:
    condition, x, y = op.inputs
    nothing = ops.zeros_like(g)
    for_x = sum_to_shape_of(where(condition, g, nothing), x)
    return None, for_x, sum_to_shape_of(where(condition, nothing, g), y)


select_p: Primitive = row(
    "where", np.where, signature="B,A,A->A", shape=broadcast_shapes, op_type="SelectV2",
    gradient=_where_rule, keep_inputs=(0,),
    samples=(sample("2,3:b", "2,3", "2,3"), sample("2,1:b", "3", ""), sample(":b", "2", "2")),
)  # fmt: skip
nonzero_p: Primitive = row(
    "nonzero", lambda x: np.argwhere(x).astype(np.int64, copy=False), signature="A->int64",
    shape=lambda shape: (None, None if shape is None else len(shape)), op_type="Where",
    gradient=lambda op, g: (None,), keep_inputs=(), samples=(sample("2,3:b"),),
)  # fmt: skip


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Elements of `x` where `condition` holds, of `y` elsewhere, broadcast; with the condition
    only, where it holds.

    In the second form: int64 of shape (number of true elements, rank). ValueError if only one of x,
    y is given.
    """
    if x is None and y is None:
        return bind(nonzero_p, convert_to_tensor(condition))  # type: ignore[no-any-return]
    if x is None or y is None:
        raise wrong_value("x and y must both be non-None or both be None.")
    first, second = matched(x, y)
    test = convert_to_tensor(condition)
    return bind(select_p, test, first, second)  # type: ignore[no-any-return]


def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Tensor:
    """The elements (or slices) of `tensor` where `mask` is true; the mask covers the axes from
    `axis` (0) on.
    """
    x, chosen = convert_to_tensor(tensor), convert_to_tensor(mask, dtypes.bool)
    place = 0 if axis is None else static_int(axis, "axis")
    if not chosen.ndim or x.ndim is None:
        raise wrong_value("mask cannot be scalar, and ranks must be known.")
    place = axis_in(place, x.ndim)
    shape = x.static_shape or ()
    merge_shapes(shape[place : place + chosen.ndim], chosen.static_shape)
    dims = ops.shape(x)
    flat = ops.reshape(x, ops.concat([dims[:place], [-1], dims[place + chosen.ndim :]], 0))
    kept = ops.squeeze(where(ops.reshape(chosen, (-1,))), [1])
    return gather(flat, kept, axis=place)


def fast_getitem(x: EagerTensor, key: Any) -> Tensor:
    """`x[key]` of an eager tensor: at once where nothing records and the index is basic."""
    if state.run is not None:
        raw = x.raw
        kind = type(key)
        if raw.dtype.kind != "O" and (
            kind is int or kind is slice or (kind is tuple and all(type(k) in _BASIC for k in key))
        ):
            try:
                return EagerTensor(raw[key])
            except (IndexError, TypeError, ValueError):
                pass  # getitem computes it again, and explains
    return getitem(x, key)
